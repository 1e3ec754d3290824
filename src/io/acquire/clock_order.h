/* SPDX-License-Identifier: MIT */
/* Do a controller's time stamps tell in which order its samples were taken, and how long after one
 * another? Its 32 bits of microseconds wrap, which unwrapping takes for what it is (wire/clock.h);
 * a clock that wraps elsewhere (one derived from a counter of processor cycles), stands still or is
 * set makes times that mean nothing, and a rate computed from them may be anything.
 *
 * Of one connection; plain arithmetic, one thread.
 */
#ifndef ARMATURE_IO_CLOCK_ORDER_H
#define ARMATURE_IO_CLOCK_ORDER_H

#include <glib.h>
#include <stdbool.h>

#include "io/driver/sample.h"

/* Chosen. A clock of whole milliseconds may say the same twice at 1 kHz. */
enum {
  AIO_CLOCK_STANDS_AFTER = 3, /* samples in a row whose time is that of the one before them */
  AIO_CLOCK_SOUND_AFTER = 100 /* in order, until a clock that was not is trusted again */
};

/* What begins with a sample. */
typedef enum {
  AIO_CLOCK_SAME,      /* nothing */
  AIO_CLOCK_STANDS,    /* several have come with one time */
  AIO_CLOCK_BACK,      /* before the one that came before it */
  AIO_CLOCK_AHEAD,     /* later than any clock can be that has run since then */
  AIO_CLOCK_GOES_AGAIN /* in order for a while */
} AioClockNews;

typedef struct {
  bool has_started, is_bad;
  guint64 last_us;
  guint64 back_us; /* by how much the sample ran back that did last */
  guint standing, sound;
  /* Samples whose time is not after that of the one before, since the beginning. */
  guint64 unordered;
  guint64 told; /* of these, up to the last AIO_CLOCK_GOES_AGAIN */
} AioClockOrder;

/* All zero is the beginning. Says what begins, once, not with each sample.
 *   gained_ns  by how much it came earlier than the earliest before it (aio_clock_map_push), > 0:
 *              the clock was set forward */
AioClockNews aio_clock_order_push(AioClockOrder *order, const AioSample *sample, gint64 gained_ns);

#endif
