/* SPDX-License-Identifier: MIT */
/* Currents that look like measurements but cannot be fitted: stale, unsigned, constant, frozen.
 *
 * Judged for each joint over the rows in which it moves, if it moves for AIO_CURRENT_MIN_S at all.
 *
 * constant   one value throughout.
 * frozen     one value for a second of motion or more, though it changes otherwise
 *            (io/recording/current_freeze.h).
 * stale      the value changes far less often than it is sampled (less than every 5th sample and
 *            less than every 50 ms): the drive refreshes it slowly and the same reading is logged
 *            again and again, belonging to another position. A coarsely quantised current also
 *            repeats, but then it steps by one or two quanta: that is accepted.
 * unsigned   never of the other sign although the joint moves both ways, and the directions compare
 *            as they do in a magnitude (io/recording/current_sign.h).
 */
#ifndef ARMATURE_IO_CURRENT_CHECK_H
#define ARMATURE_IO_CURRENT_CHECK_H

#include <glib.h>
#include <stdbool.h>

#include "core/data/windows.h"
#include "io/base/error.h"
#include "io/recording/current_freeze.h"
#include "io/recording/recording.h"

/* Armature theory notes, servo buses, section 6: every 5th sample or 50 ms. Chosen: in less than a
 * second of motion twenty such changes are too few to tell. */
#define AIO_CURRENT_MIN_S   1.0
#define AIO_CURRENT_STALE_S 0.05
enum { AIO_CURRENT_STALE_SAMPLES = 5 };

typedef struct {
  double moving_s;   /* time of motion that was judged [s] */
  double sampling_s; /* mean step between measured values in motion [s], NAN without motion */
  double refresh_s;  /* mean time between two changes of the value in motion [s], INFINITY: none */
  bool has_one_sign; /* never of the other sign although the joint moves both ways */
  bool is_constant, is_stale, is_unsigned;
  AioFreeze freeze;
} AioCurrentQuality;

/* Judges the current (or torque) of a joint, counted from 0. false: AIO_ERROR_MEMORY. */
bool aio_current_measure(const AioRecording *recording, gsize joint, AioCurrentQuality *quality,
                         GError **error);

/* Judges all joints. false: AIO_ERROR_REFUSED, one line per joint with all reasons and what to do
 * about it; AIO_ERROR_MEMORY. */
bool aio_current_check(const AioRecording *recording, GError **error);
/* The same of rows that are read some at a time, four times over; `about` knows their columns.
 * false without an error: the source could not be read, and knows why. */
bool aio_current_check_rows(const AioRecording *about, const ArmRowSource *source, GError **error);

#endif
