/* SPDX-License-Identifier: MIT */
#include <glib.h>

#include "io/acquire/statistics.h"

#define SECOND (G_GINT64_CONSTANT(1000000000))

static AioStatistics read_at(const AioTally *tally, gint64 now_ns) {
  AioStatistics statistics = {0};
  aio_tally_read(tally, now_ns, &statistics);
  return statistics;
}

static void test_rates(void) {
  AioTally tally = {0};
  g_assert_cmpfloat(read_at(&tally, 5 * SECOND).samples_per_s, ==, 0);
  /* 1 kHz of 50 bytes for 10 s from 100 s on */
  for (guint k = 0; k < 10000; k++) {
    const gint64 t_ns = 100 * SECOND + k * SECOND / 1000;
    aio_tally_add(&tally, t_ns, 1, 50);
    if (k >= 100) {
      g_assert_cmpfloat(read_at(&tally, t_ns).samples_per_s, ==, 1000);
      g_assert_cmpfloat(read_at(&tally, t_ns).bytes_per_s, ==, 50000);
    }
  }
  /* then silence: it fades out in 2 s */
  g_assert_cmpfloat(read_at(&tally, 111 * SECOND).samples_per_s, ==, 500);
  g_assert_cmpfloat(read_at(&tally, 112 * SECOND).samples_per_s, ==, 0);
  g_assert_cmpfloat(read_at(&tally, 999 * SECOND).samples_per_s, ==, 0);
  /* and what comes after a silence does not meet what was before it */
  aio_tally_add(&tally, 112 * SECOND + 50, 200, 1);
  g_assert_cmpfloat(read_at(&tally, 113 * SECOND).samples_per_s, ==, 100);
}

static void test_round_trips(void) {
  AioTally tally = {0};
  g_assert_cmpuint(read_at(&tally, SECOND).round_trips, ==, 0);
  g_assert_cmpint(read_at(&tally, SECOND).round_trip_p50_ns, ==, 0);
  aio_tally_add_round_trip(&tally, 700);
  g_assert_cmpint(read_at(&tally, SECOND).round_trip_p50_ns, ==, 700);
  g_assert_cmpint(read_at(&tally, SECOND).round_trip_p99_ns, ==, 700);
  for (guint k = 0; k < 3 * AIO_ROUND_TRIPS; k++) /* 1..512 in some order, again and again */
    aio_tally_add_round_trip(&tally, (k * 37) % AIO_ROUND_TRIPS + 1);
  g_assert_cmpuint(read_at(&tally, SECOND).round_trips, ==, AIO_ROUND_TRIPS);
  g_assert_cmpint(read_at(&tally, SECOND).round_trip_p50_ns, ==, 256);
  g_assert_cmpint(read_at(&tally, SECOND).round_trip_p99_ns, ==, 507);
}

static void test_counters(void) {
  AioDriverCounters sum = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  aio_driver_counters_add(&sum, &(AioDriverCounters){10, 20, 30, 40, 50, 60, 70, 80, 90});
  const guint64 *values = (const guint64 *)&sum;
  for (guint k = 0; k < sizeof sum / sizeof *values; k++)
    g_assert_cmpuint(values[k], ==, 11 * (k + 1));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/statistics/rates", test_rates);
  g_test_add_func("/statistics/round-trips", test_round_trips);
  g_test_add_func("/statistics/counters", test_counters);
  return g_test_run();
}
