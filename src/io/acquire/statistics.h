/* SPDX-License-Identifier: MIT */
/* How well an acquisition goes: rates, losses, round trips, clocks, queues.
 *
 * AioStatistics is a snapshot, a plain copy that belongs to whoever asked. AioTally keeps in fixed
 * memory what a snapshot is computed from; it belongs to one thread or one lock.
 */
#ifndef ARMATURE_IO_STATISTICS_H
#define ARMATURE_IO_STATISTICS_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/queue.h"
#include "io/driver/driver.h"

enum {
  AIO_QUEUES_MAX = 4,
  AIO_RATE_SLOTS = 20, /* of 100 ms: rates are those of the last 2 s */
  AIO_ROUND_TRIPS = 512
};

typedef struct {
  bool is_connected;
  guint64 links_lost;         /* times the link went down */
  AioDriverCounters counters; /* over all connections: lost samples, bad frames, retries */
  double samples_per_s;       /* wall time, last 2 s */
  double bytes_per_s;         /* received */
  guint64 bytes_sent;
  guint64 bytes_unsent;      /* given up: the line was busy, the link lost, or a stop overtook */
  guint64 samples_unknown;   /* came before the controller said how many joints it has */
  guint64 samples_unordered; /* the device's clock stood or ran back */
  guint round_trips;         /* of which the percentiles are: the last 512 */
  gint64 round_trip_p50_ns;  /* 0: none */
  gint64 round_trip_p99_ns;
  bool has_clock;
  double clock_offset_ns; /* host minus device time (of wall speed), now */
  double clock_skew_ppm;  /* positive: the device's clock is slow; NAN: not known */
  gint64 reader_worst_ns; /* longest time in which the reader did not look at the link */
  guint events_waiting;   /* for the caller's thread */
  guint64 events_dropped; /* it had not taken too many before */
  guint queues;
  AioQueueCounters queue[AIO_QUEUES_MAX];
} AioStatistics;

/* All zero is the beginning. */
typedef struct {
  gint64 first_slot, newest_slot; /* number of the 100 ms; newest_slot 0: nothing yet */
  guint64 samples[AIO_RATE_SLOTS + 1], bytes[AIO_RATE_SLOTS + 1];
  gint64 round_trip_ns[AIO_ROUND_TRIPS]; /* a ring */
  guint64 round_trips;
} AioTally;

/* Counts what came until t_ns (CLOCK_MONOTONIC, never decreasing, > 0). */
void aio_tally_add(AioTally *tally, gint64 t_ns, guint64 samples, guint64 bytes);
void aio_tally_add_round_trip(AioTally *tally, gint64 round_trip_ns);

/* Fills in the rates and round trips of `out`, nothing else. */
void aio_tally_read(const AioTally *tally, gint64 now_ns, AioStatistics *out);

/* The sum of both, for drivers that follow one another. */
void aio_driver_counters_add(AioDriverCounters *sum, const AioDriverCounters *more);

#endif
