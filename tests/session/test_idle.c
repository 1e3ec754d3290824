/* SPDX-License-Identifier: MIT */
/* A session that is connected and at rest: its file does not grow; what the arm does then is whole.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "bench.h"
#include "fault_case.h"

#define FACTOR 40.0

enum { ENOUGH = 500 }; /* samples that come, and are not written */

static AioRecorderStatus recording(Bench *bench) {
  AioRecorderStatus status;
  g_assert_true(ase_session_recording(bench->session, &status));
  return status;
}

static guint64 received(Bench *bench) {
  AioStatistics statistics;
  ase_device_statistics(ase_session_device(bench->session), &statistics);
  return statistics.counters.samples;
}

typedef struct {
  Bench *bench;
  guint64 stored, received; /* when the file grew last */
} Growth;

/* All that the recorder was given, it has looked at. */
static bool is_resting(void *data) {
  Growth *growth = data;
  const AioRecorderStatus status = recording(growth->bench);
  const guint64 stored = status.samples + status.samples_waiting, now = received(growth->bench);
  if (stored != growth->stored) {
    growth->stored = stored;
    growth->received = now;
  }
  return now > growth->received + ENOUGH && status.queue_depth == 0;
}

/* What connecting tells keeps it awake for AIO_RECORDER_IDLE_S by the controller's clock, which is
 * slower than it says where the simulator does not get its time. */
static void test_idle(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_plan_one(&bench, 0.3);
  bench_connect(&bench);
  Growth growth = {.bench = &bench};
  g_assert_true(rig_wait(is_resting, &growth, 50.0));
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  const guint64 all = received(&bench), left_out = recording(&bench).samples_idle;
  bench_close(&bench);
  const FileRows rows = fault_rows(bench.path);
  g_assert_cmpuint(rows.n + left_out, >=, all); /* none, unless planning took very long */
  g_assert_cmpuint(rows.lost, ==, 0);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/idle", test_idle);
  return g_test_run();
}
