/* SPDX-License-Identifier: MIT */
#include "io/acquire/statistics.h"

#include <stdlib.h>
#include <string.h>

#define SLOT_NS (G_GINT64_CONSTANT(100000000))
enum { SLOTS = AIO_RATE_SLOTS + 1 }; /* the newest is not complete */

/* Empties the slots that time has passed over since the newest. */
static void advance(AioTally *tally, gint64 slot) {
  const gint64 first_new = MAX(tally->newest_slot + 1, slot - SLOTS + 1);
  for (gint64 k = first_new; k <= slot; k++)
    tally->samples[k % SLOTS] = tally->bytes[k % SLOTS] = 0;
  tally->newest_slot = slot;
}

void aio_tally_add(AioTally *tally, gint64 t_ns, guint64 samples, guint64 bytes) {
  const gint64 slot = t_ns / SLOT_NS;
  if (tally->newest_slot == 0)
    tally->first_slot = slot;
  if (slot > tally->newest_slot)
    advance(tally, slot);
  tally->samples[slot % SLOTS] += samples;
  tally->bytes[slot % SLOTS] += bytes;
}

void aio_tally_add_round_trip(AioTally *tally, gint64 round_trip_ns) {
  tally->round_trip_ns[tally->round_trips++ % AIO_ROUND_TRIPS] = round_trip_ns;
}

static int compare_times(const void *a, const void *b) {
  const gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;
  return (x > y) - (x < y);
}

/* The least of the sorted values that at least `part` of them do not exceed. */
static gint64 percentile(const gint64 *sorted, guint n, guint part_percent) {
  return sorted[(n * part_percent + 99) / 100 - 1];
}

static void read_round_trips(const AioTally *tally, AioStatistics *out) {
  gint64 sorted[AIO_ROUND_TRIPS];
  const guint n = (guint)MIN(tally->round_trips, AIO_ROUND_TRIPS);
  out->round_trips = n;
  out->round_trip_p50_ns = out->round_trip_p99_ns = 0;
  if (n == 0)
    return;
  memcpy(sorted, tally->round_trip_ns, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, compare_times);
  out->round_trip_p50_ns = percentile(sorted, n, 50);
  out->round_trip_p99_ns = percentile(sorted, n, 99);
}

void aio_tally_read(const AioTally *tally, gint64 now_ns, AioStatistics *out) {
  const gint64 end = now_ns / SLOT_NS, begin = MAX(end - AIO_RATE_SLOTS, tally->first_slot);
  guint64 samples = 0, bytes = 0;
  for (gint64 slot = begin; slot < MIN(end, tally->newest_slot + 1); slot++)
    if (slot > tally->newest_slot - SLOTS) {
      samples += tally->samples[slot % SLOTS];
      bytes += tally->bytes[slot % SLOTS];
    }
  const double slots_per_s = 1e9 / SLOT_NS;
  const bool has_any = tally->newest_slot > 0 && end > begin;
  out->samples_per_s = has_any ? (double)samples * slots_per_s / (double)(end - begin) : 0;
  out->bytes_per_s = has_any ? (double)bytes * slots_per_s / (double)(end - begin) : 0;
  read_round_trips(tally, out);
}

void aio_driver_counters_add(AioDriverCounters *sum, const AioDriverCounters *more) {
  sum->bytes += more->bytes;
  sum->frames += more->frames;
  sum->frames_bad += more->frames_bad;
  sum->samples += more->samples;
  sum->samples_lost += more->samples_lost;
  sum->other_lost += more->other_lost;
  sum->retries += more->retries;
  sum->timeouts += more->timeouts;
  sum->foreign += more->foreign;
}
