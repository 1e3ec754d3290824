/* SPDX-License-Identifier: MIT */
/* An edit and its undo: what had passed has passed, unless something was done meanwhile. */
#include <string.h>

#include "bench.h"

static void set_low(Bench *bench, gsize joint, double low) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->low[joint] = low;
  ase_session_set_edits(bench->session, edits, "narrow joint 1");
  g_free(edits);
}

static void shorten(Bench *bench) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->plan.joint[1].to -= 0.1;
  ase_session_set_edits(bench->session, edits, "sweep");
  g_free(edits);
}

/* Joint 1 is not swept: the fit, and what is exported of it, is done at best, not passed. */
static void assert_states(Bench *bench, AseStep from, AseStep to, AseStepState state) {
  for (AseStep step = from; step <= to; step++)
    if (bench_state(bench, step) !=
        (state == ASE_STATE_PASSED && (step == ASE_STEP_FIT || step == ASE_STEP_EXPORT)
             ? ASE_STATE_UNJUDGED
             : state))
      g_error("%s: %s, %s", ase_steps_key(ase_session_steps(), step),
              ase_state_key(bench_state(bench, step)), bench_reason(bench, step));
}

static char *faster_arm(const Bench *bench) {
  char **parts = g_strsplit(bench->arm_text, "\"speed_deg_s\": 120", 2);
  g_assert_cmpuint(g_strv_length(parts), ==, 2);
  char *text = g_strjoinv("\"speed_deg_s\": 110", parts);
  g_strfreev(parts);
  return text;
}

static void finish(Bench *bench) {
  bench_init(bench, "planar2r", 100.0);
  bench_plan_one(bench, 0.4);
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->itinerary.validation_holds = 1;
  ase_session_set_edits(bench->session, edits, "validate");
  g_free(edits);
  bench_connect(bench);
  bench_reach(bench, ASE_STEP_VALIDATE);
  ase_session_exported(bench->session, "p.json");
  assert_states(bench, ASE_STEP_CONNECT, ASE_STEP_EXPORT, ASE_STATE_PASSED);
}

static void test_return(void) {
  Bench bench;
  GError *error = NULL;
  finish(&bench);
  const ArmPlanReport *forecast = ase_session_forecast(bench.session);
  char *parameters = ase_session_parameters(bench.session, NULL), *faster = faster_arm(&bench);
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  g_assert_true(ase_session_set_arm(bench.session, faster, &error));
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  ase_session_undo(bench.session);
  assert_states(&bench, ASE_STEP_CONNECT, ASE_STEP_EXPORT, ASE_STATE_PASSED);
  ase_session_redo(bench.session);
  assert_states(&bench, ASE_STEP_FIT, ASE_STEP_EXPORT, ASE_STATE_STALE);
  ase_session_undo(bench.session);

  shorten(&bench);
  assert_states(&bench, ASE_STEP_PLAN, ASE_STEP_EXPORT, ASE_STATE_STALE);
  g_assert_null(ase_session_forecast(bench.session));
  bench_do(&bench, ASE_STEP_PLAN); /* the workbench does so by itself */
  set_low(&bench, 0, -1.5);
  ase_session_set_edits(bench.session, edits, "back by hand");
  assert_states(&bench, ASE_STEP_CONNECT, ASE_STEP_EXPORT, ASE_STATE_PASSED);
  g_assert_true(ase_session_forecast(bench.session) == forecast);
  g_assert_nonnull(ase_session_itinerary(bench.session));
  char *after = ase_session_parameters(bench.session, NULL);
  g_assert_cmpuint(strlen(after), ==, strlen(parameters));

  shorten(&bench);
  g_assert_true(ase_session_start(bench.session, ASE_STEP_PLAN, &error));
  ase_session_undo(bench.session); /* while it computes */
  rig_pass(0.5);
  assert_states(&bench, ASE_STEP_CONNECT, ASE_STEP_EXPORT, ASE_STATE_PASSED);
  bench_close(&bench);
  bench_open(&bench);
  assert_states(&bench, ASE_STEP_PLAN, ASE_STEP_EXPORT, ASE_STATE_PASSED);
  g_free(parameters), g_free(after), g_free(faster), g_free(edits);
  bench_clear(&bench);
}

/* What was done with the edit has become the result, or belongs to another controller. */
static void test_no_return(void) {
  Bench bench;
  finish(&bench);
  shorten(&bench);
  ase_device_disarm(ase_session_device(bench.session));
  rig_until_disarmed(ase_session_device(bench.session));
  bench_replace_controller(&bench, 100.0, 2);
  bench_connect(&bench);
  ase_session_undo(bench.session);
  assert_states(&bench, ASE_STEP_DRY_RUN, ASE_STEP_DRY_RUN, ASE_STATE_STALE);
  assert_states(&bench, ASE_STEP_SWEEP, ASE_STEP_EXPORT, ASE_STATE_PASSED);
  shorten(&bench);
  ase_device_disarm(ase_session_device(bench.session));
  ase_device_close(ase_session_device(bench.session));
  ase_session_undo(bench.session);
  assert_states(&bench, ASE_STEP_CONNECT, ASE_STEP_CHECK, ASE_STATE_STALE);
  assert_states(&bench, ASE_STEP_SWEEP, ASE_STEP_EXPORT, ASE_STATE_PASSED);
  bench_connect(&bench);
  shorten(&bench);
  bench_reach(&bench, ASE_STEP_SWEEP);
  ase_session_undo(bench.session);
  assert_states(&bench, ASE_STEP_PLAN, ASE_STEP_EXPORT, ASE_STATE_STALE);
  ase_session_redo(bench.session); /* on this the new sweeps rest */
  assert_states(&bench, ASE_STEP_PLAN, ASE_STEP_SWEEP, ASE_STATE_PASSED);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  g_assert_true(ase_session_start(bench.session, ASE_STEP_FIT, NULL));
  shorten(&bench);
  bench_until(&bench, ASE_STEP_FIT, 10.0);
  ase_session_undo(bench.session); /* to where it ran */
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), !=, ASE_STATE_RUNNING);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/undo/return", test_return);
  g_test_add_func("/undo/no-return", test_no_return);
  return g_test_run();
}
