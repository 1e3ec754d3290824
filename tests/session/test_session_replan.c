/* SPDX-License-Identifier: MIT */
/* A plan on loads that nobody stated is made again after the first joint: for the joints to come
 * only, as an edit that can be undone, and nothing moves by itself. */
#include <string.h>

#include "bench.h"
#include "support/support.h"

static guint complete_runs(Bench *bench, guint joint) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  guint count = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    count += run->purpose == ASE_PURPOSE_MEASURE && run->joint == joint && run->is_complete;
  }
  return count;
}

static AseStepState joint_state(Bench *bench, AseStep step, guint joint) {
  return ase_procedure_joint_state(ase_session_procedure(bench->session), step, joint);
}

/* The planar arm, whose file states no masses, until joint 2 is swept and PLAN runs. */
static void bench_init_swept(Bench *bench, ArmPlan *first) {
  GError *error = NULL;
  bench_init(bench, "planar2r", 40.0);
  bench_close(bench);
  GRegex *links = g_regex_new("\\n *\"link\": .*", 0, 0, NULL);
  g_autofree char *text = g_regex_replace_literal(links, bench->arm_text, -1, 0, "", 0, &error);
  g_autofree char *path = g_build_filename(bench->folder, "unstated.armsession", NULL);
  g_regex_unref(links);
  bench_watch(bench, ase_session_create(path, "test 1.0", "planar2r", text, &error));
  g_assert_no_error(error);
  bench_hurry(bench);
  bench_connect(bench);
  bench_reach(bench, ASE_STEP_DRY_RUN);
  memcpy(first, ase_session_plan(bench->session), sizeof *first);
  bench_do(bench, ASE_STEP_SWEEP);
  g_assert_cmpint(bench_state(bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_nonnull(strstr(bench_reason(bench, ASE_STEP_SWEEP), "joint 2 is swept"));
}

static void bench_init_replanned(Bench *bench, ArmPlan *first) {
  bench_init_swept(bench, first);
  bench_until(bench, ASE_STEP_PLAN, 120.0);
  g_assert_cmpint(bench_state(bench, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
}

static bool is_same(const ArmPlan *a, const ArmPlan *b, gsize joint) {
  return memcmp(&a->joint[joint], &b->joint[joint], sizeof a->joint[joint]) == 0;
}

static void test_replan(void) {
  Bench bench;
  ArmPlan first;
  const char *what = NULL;
  bench_init_replanned(&bench, &first);
  const guint legs = bench.legs, done = complete_runs(&bench, 2);
  const ArmPlan *plan = ase_session_plan(bench.session);
  g_assert_true(is_same(plan, &first, 1));
  g_assert_false(is_same(plan, &first, 0));
  g_assert_cmpuint(plan->joint[0].n_holds, ==, first.joint[0].n_holds - ARM_PLAN_MORE_HOLDS);
  g_assert_true(bench_has_message(&bench, "planned again with what the sweeps of joint 2 showed"));
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_PLAN), "planned again"));
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_DRY_RUN), "planned again"));
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_STALE);
  g_assert_cmpint(joint_state(&bench, ASE_STEP_DRY_RUN, 2), ==, ASE_STATE_PASSED);
  g_assert_cmpint(joint_state(&bench, ASE_STEP_DRY_RUN, 1), ==, ASE_STATE_STALE);
  g_assert_true(ase_session_can_undo(bench.session, &what));
  g_assert_cmpstr(what, ==, "plan the other joints again");
  g_assert_nonnull(ase_session_forecast(bench.session));
  g_assert_cmpuint(bench.legs, ==, legs);
  g_assert_cmpint(ase_device_state(ase_session_device(bench.session))->motion, ==, AIO_MOTION_NONE);
  bench_refused(&bench, ASE_STEP_SWEEP, "Dry run");
  bench_do(&bench, ASE_STEP_DRY_RUN);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  bench_do(&bench, ASE_STEP_SWEEP);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_assert_cmpuint(complete_runs(&bench, 2), ==, done); /* not again */
  g_assert_cmpuint(complete_runs(&bench, 1), ==,
                   2 * ase_session_plan(bench.session)->joint[0].n_holds);
  bench_do(&bench, ASE_STEP_FIT);
  g_assert_nonnull(ase_session_fit(bench.session));
  bench_clear(&bench);
}

/* The first plan is back, with all that had passed; it goes on to its end. */
static void test_undo(void) {
  Bench bench;
  ArmPlan first;
  bench_init_replanned(&bench, &first);
  const guint done = complete_runs(&bench, 2);
  ase_session_undo(bench.session);
  g_assert_false(ase_plan_differs(ase_session_plan(bench.session), &first));
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_PASSED);
  bench_do(&bench, ASE_STEP_SWEEP);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_assert_cmpuint(complete_runs(&bench, 2), ==, done);
  g_assert_cmpuint(complete_runs(&bench, 1), ==, 2 * first.joint[0].n_holds);
  g_assert_false(ase_plan_differs(ase_session_plan(bench.session), &first));
  bench_clear(&bench);
}

/* Ranges that were edited meanwhile want another plan; a plan that is cancelled stays. */
static void test_meanwhile(gconstpointer data) {
  const bool is_edited = GPOINTER_TO_INT(data);
  Bench bench;
  ArmPlan first;
  bench_init_swept(&bench, &first);
  const bool is_planning = bench_state(&bench, ASE_STEP_PLAN) == ASE_STATE_RUNNING;
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->high[0] -= 0.01;
  if (is_edited)
    ase_session_set_edits(bench.session, edits, "narrow joint 1");
  else
    ase_session_cancel(bench.session);
  g_free(edits);
  bench_until(&bench, ASE_STEP_PLAN, 120.0);
  if (is_planning) {
    g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==,
                    is_edited ? ASE_STATE_FAILED : ASE_STATE_PASSED);
    g_assert_false(ase_plan_differs(ase_session_plan(bench.session), &first));
  }
  bench_clear(&bench);
}

/* What was planned again is in the file, and joint 2 is not swept anew. */
static void test_reopened(void) {
  Bench bench;
  ArmPlan first, again;
  bench_init_replanned(&bench, &first);
  memcpy(&again, ase_session_plan(bench.session), sizeof again);
  g_autofree char *path = g_strdup(ase_session_path(bench.session));
  bench_close(&bench);
  g_free(bench.path);
  bench.path = g_steal_pointer(&path);
  bench_open(&bench);
  g_assert_false(ase_plan_differs(ase_session_plan(bench.session), &again));
  g_assert_cmpint(joint_state(&bench, ASE_STEP_DRY_RUN, 2), ==, ASE_STATE_PASSED);
  g_assert_cmpint(joint_state(&bench, ASE_STEP_DRY_RUN, 1), ==, ASE_STATE_STALE);
  const guint done = complete_runs(&bench, 2);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_SWEEP);
  g_assert_cmpuint(complete_runs(&bench, 2), ==, done);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/replan/again", test_replan);
  g_test_add_func("/session/replan/undo", test_undo);
  g_test_add_func("/session/replan/reopened", test_reopened);
  g_test_add_data_func("/session/replan/edited", GINT_TO_POINTER(true), test_meanwhile);
  g_test_add_data_func("/session/replan/cancelled", GINT_TO_POINTER(false), test_meanwhile);
  return g_test_run();
}
