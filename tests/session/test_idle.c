/* SPDX-License-Identifier: MIT */
/* A session that is connected and at rest: its file does not grow; what the arm does then is whole.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "bench.h"
#include "fault_case.h"

#define FACTOR 40.0
#define REST_S (AIO_RECORDER_IDLE_S + 1.0) /* what connecting tells keeps it awake at first */

static guint64 stored(Bench *bench) {
  AioRecorderStatus status;
  g_assert_true(ase_session_recording(bench->session, &status));
  return status.samples + status.samples_waiting;
}

static guint64 received(Bench *bench) {
  AioStatistics statistics;
  ase_device_statistics(ase_session_device(bench->session), &statistics);
  return statistics.counters.samples;
}

static void test_idle(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  rig_pass(REST_S);
  guint64 before, came;
  guint tries = 0; /* a build that is slow connects for longer */
  do {
    before = stored(&bench);
    came = received(&bench);
    rig_pass(1.0);
  } while (stored(&bench) != before && ++tries < 10);
  g_assert_cmpuint(received(&bench), >, came + 500);
  g_assert_cmpuint(stored(&bench), ==, before);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  const guint64 all = received(&bench);
  bench_close(&bench);
  const FileRows rows = fault_rows(bench.path); /* nothing is old enough to be left out */
  g_assert_cmpuint(rows.n, >=, all);
  g_assert_cmpuint(rows.lost, ==, 0);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/idle", test_idle);
  return g_test_run();
}
