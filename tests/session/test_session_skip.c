/* SPDX-License-Identifier: MIT */
/* A joint is skipped while it sweeps: the arm goes on with the next one, and comes back to it when
 * the step is started again. */
#include <string.h>

#include "bench.h"
#include "support/support.h"

static AseStepState joint_state(Bench *bench, guint joint) {
  return ase_procedure_joint_state(ase_session_procedure(bench->session), ASE_STEP_SWEEP, joint);
}

static guint complete_runs(Bench *bench, guint joint) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  guint count = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    count += run->purpose == ASE_PURPOSE_MEASURE && run->joint == joint && run->is_complete;
  }
  return count;
}

static void test_skip(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 40.0);
  bench_hurry(&bench);
  g_assert_false(ase_session_skip(bench.session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 1);
  g_assert_cmpint(joint_state(&bench, 2), ==, ASE_STATE_RUNNING);
  g_assert_true(ase_session_skip(bench.session, &error));
  bench_until(&bench, ASE_STEP_SWEEP, 120.0);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_cmpint(joint_state(&bench, 2), ==, ASE_STATE_FAILED);
  g_assert_cmpint(joint_state(&bench, 1), ==, ASE_STATE_PASSED);
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_SWEEP), "skipped"));
  const guint done = complete_runs(&bench, 1), missing = complete_runs(&bench, 2);
  bench_do(&bench, ASE_STEP_SWEEP);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_assert_cmpuint(complete_runs(&bench, 1), ==, done); /* not again */
  g_assert_cmpuint(complete_runs(&bench, 2), >, missing);
  bench_clear(&bench);
}

typedef struct {
  void (*act)(Bench *bench);
  const char *reason;
  bool is_first; /* before the joint is skipped */
} Stop;

static void cancel(Bench *bench) {
  ase_session_cancel(bench->session);
}

static void hold(Bench *bench) {
  ase_device_halt(ase_session_device(bench->session));
}

static void narrow(Bench *bench) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->high[0] -= 0.01;
  ase_session_set_edits(bench->session, edits, "narrow joint 1");
  g_free(edits);
}

static bool is_at_rest(void *data) {
  const Bench *bench = data;
  return ase_device_state(ase_session_device(bench->session))->motion == AIO_MOTION_NONE;
}

/* Who stops while a joint is being skipped wants nothing else to move; nor does who skips a joint
 * while all is being stopped. */
static void test_stopped(gconstpointer data) {
  const Stop *stop = data;
  Bench bench;
  bench_init(&bench, "planar2r", 10.0);
  bench_plan_one(&bench, 0.3);
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->plan.joint[0] = edits->plan.joint[1];
  ase_session_set_edits(bench.session, edits, "both joints");
  g_free(edits);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_DRY_RUN);
  bench_sweep_until(&bench, 1);
  rig_pass(0.2);
  if (!stop->is_first)
    g_assert_true(ase_session_skip(bench.session, NULL));
  stop->act(&bench);
  if (stop->is_first)
    g_assert_false(ase_session_skip(bench.session, NULL));
  bench_until(&bench, ASE_STEP_SWEEP, 10.0);
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_SWEEP), stop->reason));
  g_assert_true(rig_wait(is_at_rest, &bench, 10.0));
  rig_pass(0.5); /* and nothing begins */
  g_assert_true(is_at_rest(&bench));
  g_assert_cmpuint(complete_runs(&bench, 1), ==, 0);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  static const Stop cancelled = {cancel, "paused", false}, held = {hold, "held", false};
  static const Stop edited = {narrow, "", false};
  static const Stop cancelled_first = {cancel, "paused", true}, edited_first = {narrow, "", true};
  g_test_add_func("/session/skip", test_skip);
  g_test_add_data_func("/session/skip/cancelled", &cancelled, test_stopped);
  g_test_add_data_func("/session/skip/held", &held, test_stopped);
  g_test_add_data_func("/session/skip/edited", &edited, test_stopped);
  g_test_add_data_func("/session/skip/cancelled before", &cancelled_first, test_stopped);
  g_test_add_data_func("/session/skip/edited before", &edited_first, test_stopped);
  return g_test_run();
}
