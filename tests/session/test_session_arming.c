/* SPDX-License-Identifier: MIT */
/* When a session arms the arm, and when it says what is to be done first. */
#include <string.h>

#include "bench.h"

static void assert_refused(Bench *bench, const char *part) {
  GError *error = NULL;
  g_assert_false(ase_session_begin_arming(bench->session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, part))
    g_error("\"%s\" lacks \"%s\"", error->message, part);
  g_clear_error(&error);
  g_assert_false(ase_session_may_arm(bench->session, NULL));
  rig_pass(0.2);
  g_assert_false(ase_device_is_armed(ase_session_device(bench->session)));
}

static bool is_armed(void *data) {
  return ase_device_is_armed(ase_session_device(((Bench *)data)->session));
}

static bool is_disarmed(void *data) {
  return !is_armed(data);
}

static void arm(Bench *bench) {
  GError *error = NULL;
  g_assert_true(ase_session_may_arm(bench->session, &error));
  g_assert_true(ase_session_begin_arming(bench->session, &error));
  g_assert_no_error(error);
  g_assert_true(rig_wait(is_armed, bench, 5.0));
}

static void disarm(Bench *bench) {
  ase_device_disarm(ase_session_device(bench->session));
  g_assert_true(rig_wait(is_disarmed, bench, 5.0));
}

static void test_plan(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 20.0);
  assert_refused(&bench, "not connected");
  bench_connect(&bench);
  assert_refused(&bench, "no plan");
  bench_plan_one(&bench, 0.5);
  bench_do(&bench, ASE_STEP_CHECK);
  assert_refused(&bench, "no plan");
  bench_do(&bench, ASE_STEP_PLAN);
  arm(&bench);
  disarm(&bench);
  bench_plan_one(&bench, 0.6);
  assert_refused(&bench, "the plan does not hold any more");
  bench_clear(&bench);
}

/* Masses that nobody stated: the plan asks for more holds and promises nothing. */
static void test_unstated(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 20.0);
  bench_connect(&bench);
  bench_do(&bench, ASE_STEP_PLAN);
  const gsize holds = ase_session_plan(bench.session)->joint[0].n_holds;
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_PLAN), "will be known within"));
  bench_close(&bench);
  GRegex *links = g_regex_new("\\n *\"link\": .*", 0, 0, NULL);
  g_autofree char *text = g_regex_replace_literal(links, bench.arm_text, -1, 0, "", 0, &error);
  g_autofree char *path = g_build_filename(bench.folder, "unstated.armsession", NULL);
  g_regex_unref(links);
  bench_watch(&bench, ase_session_create(path, "test 1.0", "planar2r", text, &error));
  g_assert_no_error(error);
  bench_connect(&bench);
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_PLAN), "no accuracy is promised"));
  g_assert_cmpuint(ase_session_plan(bench.session)->joint[0].n_holds, ==, holds + 2);
  bench_clear(&bench);
}

/* What the first steps found against the arm comes before what is missing of the plan. */
static void test_check(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 20.0);
  bench_connect(&bench);
  bench_do(&bench, ASE_STEP_PLAN);
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->low[1] = 0.5 * edits->low[1] + 0.5 * edits->high[1] + 0.3;
  ase_session_set_edits(bench.session, edits, "range");
  g_free(edits);
  bench_do(&bench, ASE_STEP_CHECK);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_FAILED);
  assert_refused(&bench, bench_reason(&bench, ASE_STEP_CHECK));
  bench_clear(&bench);
}

/* Closed, or read: nothing of it moves an arm. */
static void test_read_only(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 20.0);
  bench_connect(&bench);
  bench_do(&bench, ASE_STEP_PLAN);
  bench_close(&bench);
  GError *error = NULL;
  bench_watch(&bench, ase_session_open_read(bench.path, &error));
  g_assert_no_error(error);
  assert_refused(&bench, "reading only");
  bench_clear(&bench);
}

/* Asked before the first motion, not only before the sweeps. */
static void test_no_room(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 20.0);
  bench_plan_one(&bench, 0.5);
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->itinerary.dry_speed_R = 1e-12; /* no disk holds samples for so long */
  ase_session_set_edits(bench.session, edits, "slow");
  g_free(edits);
  bench_connect(&bench);
  bench_do(&bench, ASE_STEP_PLAN);
  bench_arm(&bench);
  g_assert_false(ase_session_start(bench.session, ASE_STEP_DRY_RUN, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_assert_nonnull(strstr(error->message, "MB free to record"));
  g_error_free(error);
  g_assert_cmpuint(ase_session_runs(bench.session)->len, ==, 0);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/session/arming/plan", test_plan);
  g_test_add_func("/session/arming/unstated", test_unstated);
  g_test_add_func("/session/arming/check", test_check);
  g_test_add_func("/session/arming/read-only", test_read_only);
  g_test_add_func("/session/arming/no-room", test_no_room);
  return g_test_run();
}
