/* SPDX-License-Identifier: MIT */
/* Somebody's motion in a session: checked, armed for, done slowly, done, held and gone on with,
 * done again; and what is in the file then. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "io/store/store.h"
#include "measure/motion_case.h"
#include "session/next.h"
#include "session/recording.h"

enum { FACTOR = 8 };

static const AseRecordingState *state_of(const Bench *bench) {
  return ase_session_record_state(bench->session);
}

static void take(Bench *bench, double seconds, double way, const char *refused) {
  const ArmModel *model = &ase_session_arm(bench->session)->model;
  GError *error = NULL;
  AioMotionTable *motion = motion_case_new(model, bench->truth.home, seconds, way);
  const bool ok = ase_session_take_motion(bench->session, motion, 1.0, &error);
  aio_motion_free(motion);
  g_assert_cmpint(ok, ==, refused == NULL);
  if (refused) {
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    if (!g_pattern_match_simple(refused, error->message))
      g_error("expected %s, found %s", refused, error->message);
    g_clear_error(&error);
  }
  g_assert_no_error(error);
}

static bool is_over(void *data) {
  return state_of(data)->state != ASE_STATE_RUNNING;
}

static bool moves_at_speed(void *data) {
  Bench *bench = data;
  const AioState *state = ase_device_state(ase_session_device(bench->session));
  return is_over(data) || (!state_of(bench)->is_dry_run && state->motion == AIO_MOTION_TRAJECTORY);
}

static void start(Bench *bench) {
  GError *error = NULL;
  bench_arm(bench);
  ase_session_record(bench->session, &error);
  g_assert_no_error(error);
  g_assert_cmpint(state_of(bench)->state, ==, ASE_STATE_RUNNING);
}

static AseMoves what_moves(Bench *bench) {
  AseClock clock;
  g_assert_true(ase_session_clock(bench->session, &clock));
  return clock.what;
}

static void expect_passed(Bench *bench) {
  g_assert_true(rig_wait(is_over, bench, 60.0));
  const AseRecordingState *state = state_of(bench);
  g_test_message("%s", state->reason);
  g_assert_cmpint(state->state, ==, ASE_STATE_PASSED);
  g_assert_true(g_pattern_match_simple("4 s, 4?? samples, 0 lost, within * deg of the motion",
                                       state->reason));
  g_assert_cmpuint(state->lost, ==, 0);
  g_assert_cmpfloat(state->apart[0], >, 0.0);
  g_assert_cmpfloat(fmax(state->apart[0], state->apart[1]), <, 0.06);
  g_assert_cmpfloat(state->reach[0].lowest, <, -1.5);
  g_assert_cmpfloat(state->reach[0].highest, >, state->reach[0].lowest + 0.01);
  g_assert_cmpfloat(state->reach[0].fastest, >, 0.01);
}

/* ---- the file ---- */

typedef struct {
  guint trajectories, dry_runs, done, superseded, designs, others;
  gint64 last, last_superseded, of_design; /* of_design: run that says that it is of design 2 */
} Rows;

static bool on_run(const AioStoreRun *row, void *data) {
  Rows *rows = data;
  const bool is_motion = strcmp(row->kind, "trajectory") == 0;
  const bool is_dry = strcmp(row->kind, "trajectory-dry-run") == 0;
  rows->trajectories += is_motion;
  rows->dry_runs += is_dry;
  rows->done += is_motion && g_strcmp0(row->outcome, "done") == 0;
  rows->others += !is_motion && !is_dry && strcmp(row->kind, "move") != 0;
  g_assert_true(isnan(row->speed) || strcmp(row->kind, "move") == 0);
  if (is_motion)
    rows->last = row->id;
  return true;
}

static bool on_statistic(const AioStoreStatistic *row, void *data) {
  Rows *rows = data;
  if (strcmp(row->name, "superseded") == 0) {
    rows->superseded++;
    rows->last_superseded = row->run;
  }
  rows->designs += strcmp(row->name, ASE_STATISTIC_DESIGN) == 0;
  if (strcmp(row->name, ASE_STATISTIC_DESIGN) == 0 && row->value == 2.0)
    rows->of_design = row->run;
  return true;
}

static Rows rows_of(const Bench *bench) {
  Rows rows = {0};
  GError *error = NULL;
  AioStore *store = aio_store_open_read(bench->path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_run(store, on_run, &rows, &error));
  g_assert_true(aio_store_each_statistic(store, on_statistic, &rows, &error));
  aio_store_close(store, NULL);
  return rows;
}

/* ---- tests ---- */

static bool is_clear(Bench *bench, double table_z_m, double length_m) {
  GError *error = NULL;
  AseCandidate *plain = ase_session_motion_candidate(bench->session, 1.0, &error);
  AseCandidate *candidate = ase_session_motion_candidate(bench->session, 1.0, &error);
  g_assert_no_error(error);
  g_assert_true(ase_candidate_is_same(plain, candidate));
  for (gsize j = 0; j < candidate->model.n; j++) {
    candidate->model.joints[j].n_capsules = 1;
    candidate->model.joints[j].capsules[0] =
        (ArmCapsule){.to_m = {length_m, 0, 0}, .radius_m = 0.05};
  }
  g_assert_false(ase_candidate_is_same(plain, candidate));
  plain->model = candidate->model;
  candidate->table_z_m = table_z_m;
  g_assert_false(ase_candidate_is_same(plain, candidate));
  AioMotionTable *motion = motion_case_new(&plain->model, bench->truth.home, 4.0, 0.4);
  const bool is = ase_candidate_check(candidate, motion, &error);
  if (!is) {
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_true(g_pattern_match_simple("wave.csv*: expected link ? off the table, found it *",
                                         error->message));
  }
  g_assert_true(is == (candidate->trajectory != NULL));
  g_clear_error(&error);
  aio_motion_free(motion);
  ase_candidate_free(plain);
  ase_candidate_free(candidate);
  return is;
}

/* The arm hangs down when it begins. */
static void test_table(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  g_assert_true(is_clear(&bench, -3.0, 0.4));
  g_assert_false(is_clear(&bench, -0.5, 0.4));
  bench_clear(&bench);
}

static void test_record(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", FACTOR);
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_WAITING);
  g_assert_false(ase_session_record(bench.session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  take(&bench, 4.0, 8.0, "wave.csv: q?_rad: expected *, found *"); /* too far */
  take(&bench, 0.5, 0.4, "wave.csv: qd*found *");                  /* and too fast */
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_WAITING);
  g_assert_false(ase_session_may_arm(bench.session, NULL));
  bench_connect(&bench);
  g_assert_false(ase_session_may_arm(bench.session, NULL)); /* no plan, no motion */
  take(&bench, 0.5, 0.4, "wave.csv: qd*found *");
  take(&bench, 4.0, 0.4, NULL);
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_READY);
  g_assert_false(ase_session_record(bench.session, &error)); /* not armed */
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  start(&bench);
  g_assert_false(ase_session_record(bench.session, NULL));
  take(&bench, 4.0, 0.4, "*moves*");
  AseClock clock;
  g_assert_true(ase_session_clock(bench.session, &clock));
  g_assert_cmpfloat(clock.whole_s, >, 44.0 / FACTOR - 1e-6);
  g_assert_cmpint(clock.what, ==, ASE_MOVES_MOTION_DRY_RUN);
  g_assert_cmpint(ase_session_next(bench.session), ==, ASE_NEXT_WAIT);
  const guint told = bench.progress;
  expect_passed(&bench);
  g_assert_cmpuint(bench.progress, >, told);
  g_assert_cmpint(ase_session_next(bench.session), !=, ASE_NEXT_WAIT);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), !=, ASE_STATE_PASSED);
  AioMotionTable *other =
      motion_case_new(&ase_session_arm(bench.session)->model, bench.truth.home, 2.0, 0.1);
  g_assert_false(ase_session_is_same_motion(bench.session, other, NULL));
  ase_session_number_motion(bench.session, 2);
  start(&bench); /* again: its dry run still holds */
  expect_passed(&bench);
  g_assert_true(ase_session_is_same_motion(bench.session, other, NULL)); /* a design is nobody's */
  aio_motion_free(other);
  g_assert_true(ase_session_flush(bench.session, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(rows_of(&bench).done, ==, 2); /* while it is written */
  bench_close(&bench);
  const Rows rows = rows_of(&bench);
  g_assert_cmpuint(rows.designs, ==, 1);
  g_assert_cmpint(rows.of_design, ==, rows.last);
  g_assert_cmpuint(rows.trajectories, ==, 2);
  g_assert_cmpuint(rows.done, ==, 2);
  g_assert_cmpuint(rows.dry_runs, ==, 1);
  g_assert_cmpuint(rows.superseded, ==, 1);
  g_assert_cmpuint(rows.others, ==, 0);
  bench_open(&bench); /* nothing of it counts as sweeps */
  g_assert_cmpuint(ase_session_runs(bench.session)->len, ==, 0);
  bench_clear(&bench);
}

/* No part of it can be left out, and it goes on. */
static void expect_no_skip(Bench *bench) {
  GError *error = NULL;
  g_assert_false(ase_session_skip(bench->session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "all joints follow one motion"));
  g_clear_error(&error);
  g_assert_cmpint(state_of(bench)->state, ==, ASE_STATE_RUNNING);
}

/* Held in the middle; then from its first pose on, without a dry run. */
static void test_hold(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_connect(&bench);
  take(&bench, 4.0, 0.4, NULL);
  start(&bench);
  expect_no_skip(&bench);
  g_assert_true(rig_wait(moves_at_speed, &bench, 30.0));
  g_assert_cmpint(what_moves(&bench), ==, ASE_MOVES_MOTION);
  expect_no_skip(&bench);
  rig_pass(0.2);
  ase_device_halt(ase_session_device(bench.session));
  g_assert_true(rig_wait(is_over, &bench, 10.0));
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_FAILED);
  g_assert_cmpstr(state_of(&bench)->reason, ==, "held");
  rig_until_unlocked(ase_session_device(bench.session));
  start(&bench);
  g_assert_false(state_of(&bench)->is_dry_run);
  expect_passed(&bench);
  bench_close(&bench);
  const Rows rows = rows_of(&bench);
  g_assert_cmpuint(rows.trajectories, ==, 2);
  g_assert_cmpuint(rows.done, ==, 1);
  g_assert_cmpuint(rows.dry_runs, ==, 1);
  g_assert_cmpuint(rows.superseded, ==, 1);
  bench_clear(&bench);
}

/* Closed while it moves; and a motion of an arm that was edited since it was checked. */
static void test_abandon(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", FACTOR);
  bench_connect(&bench);
  take(&bench, 4.0, 0.4, NULL);
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->low[0] += 0.01;
  ase_session_set_edits(bench.session, edits, "range");
  g_free(edits);
  g_assert_false(ase_session_may_arm(bench.session, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  take(&bench, 4.0, 0.4, NULL);
  bench_do(&bench, ASE_STEP_CHECK);
  start(&bench);
  rig_pass(0.2);
  bench_close(&bench);
  const Rows rows = rows_of(&bench);
  g_assert_cmpuint(rows.done, ==, 0);
  g_assert_cmpuint(rows.others, ==, 0);
  bench_open(&bench);
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_FAILED);
  g_assert_cmpstr(state_of(&bench)->motion, ==, "wave.csv");
  g_assert_cmpstr(state_of(&bench)->reason, ==, "interrupted: the program ended");
  bench_clear(&bench);
}

/* ---- checked in a thread ---- */

static gpointer check_candidate(gpointer data) {
  AseCandidate *candidate = data;
  GError *error = NULL;
  const double home[ARM_MAX_JOINTS] = {0.0};
  AioMotionTable *motion = motion_case_new(&candidate->model, home, 4.0, 0.4);
  ase_candidate_check(candidate, motion, &error);
  g_assert_no_error(error);
  aio_motion_free(motion); /* nobody needs it any more */
  return NULL;
}

static AseCandidate *checked_candidate(const Bench *bench) {
  GError *error = NULL;
  AseCandidate *candidate = ase_session_motion_candidate(bench->session, 1.0, &error);
  g_assert_no_error(error);
  g_thread_join(g_thread_new("check", check_candidate, candidate));
  g_assert_cmpuint(strlen(candidate->digest), ==, 64);
  return candidate;
}

static void expect_changed(const Bench *bench, AseCandidate *candidate) {
  GError *error = NULL;
  const AseStepState before = state_of(bench)->state;
  g_assert_false(ase_session_take_candidate(bench->session, candidate, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "changed while the motion was checked"));
  g_assert_cmpint(state_of(bench)->state, ==, before);
  g_clear_error(&error);
}

/* Limits of arm and controller are the ones by which it was checked, or it is not taken; what is
 * free is looked at later. */
static void test_candidate(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", FACTOR);
  AseCandidate *early = checked_candidate(&bench);
  bench_connect(&bench);
  expect_changed(&bench, early); /* no controller had been asked */
  ase_candidate_free(early);
  AseCandidate *candidate = checked_candidate(&bench);
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_WAITING);
  double *speed = &candidate->controller.half[ARM_MOTION_SPEED][1];
  *speed *= 2.0;
  expect_changed(&bench, candidate);
  *speed *= 0.5;
  candidate->model.joints[0].limits.current_max += 1.0;
  expect_changed(&bench, candidate);
  candidate->model.joints[0].limits.current_max -= 1.0;
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->low[0] += 0.01;
  ase_session_set_edits(bench.session, edits, "range");
  g_free(edits);
  ase_session_take_candidate(bench.session, candidate, &error);
  g_assert_no_error(error);
  g_assert_cmpint(state_of(&bench)->state, ==, ASE_STATE_READY);
  g_assert_cmpfloat(ase_session_motion_to_follow(bench.session)->speed[0], >, 0.0);
  g_assert_null(candidate->trajectory); /* taken out of it */
  ase_candidate_free(candidate);
  bench_clear(&bench);
}

/* ---- what the file remembers ---- */

static AioMotionTable *motion_of(const Bench *bench, double way, const char *name) {
  AioMotionTable *motion =
      motion_case_new(&ase_session_arm(bench->session)->model, bench->truth.home, 2.0, way);
  g_free(motion->name);
  motion->name = g_strdup(name);
  return motion;
}

static void record(Bench *bench, double way, const char *name) {
  GError *error = NULL;
  AioMotionTable *motion = motion_of(bench, way, name);
  ase_session_take_motion(bench->session, motion, 1.0, &error);
  g_assert_no_error(error);
  aio_motion_free(motion);
  start(bench);
  g_assert_true(rig_wait(is_over, bench, 60.0));
  g_assert_cmpint(state_of(bench)->state, ==, ASE_STATE_PASSED);
}

static void expect_same(const Bench *bench, double way, const char *name, const char *refused) {
  GError *error = NULL;
  AioMotionTable *motion = motion_of(bench, way, name);
  g_assert_cmpint(ase_session_is_same_motion(bench->session, motion, &error), ==, refused == NULL);
  if (refused) {
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    if (!g_pattern_match_simple(refused, error->message))
      g_error("expected %s, found %s", refused, error->message);
    g_clear_error(&error);
  }
  aio_motion_free(motion);
}

/* What stands in the file already would be found after a power cut, too. */
static void expect_in_file(const Bench *bench) {
  GError *error = NULL;
  ase_session_flush(bench->session, &error);
  g_assert_no_error(error);
  AseSession *reader = ase_session_open_read(bench->path, &error);
  g_assert_no_error(error);
  g_assert_cmpint(ase_session_record_state(reader)->state, ==, ASE_STATE_PASSED);
  g_assert_cmpstr(ase_session_record_state(reader)->reason, ==, state_of(bench)->reason);
  g_object_unref(reader);
}

/* Recorded by one program, again by the next; another one in between. */
static void test_reopen(void) {
  Bench bench;
  bench_init(&bench, "planar2r", FACTOR);
  bench_connect(&bench);
  expect_same(&bench, 0.08, "a.csv", NULL); /* there was none */
  record(&bench, 0.08, "a.csv");
  const gsize samples = state_of(&bench)->samples;
  expect_in_file(&bench);
  bench_close(&bench);
  const gint64 first = rows_of(&bench).last;

  bench_open(&bench);
  const AseRecordingState *state = state_of(&bench);
  g_assert_cmpint(state->state, ==, ASE_STATE_PASSED);
  g_assert_cmpstr(state->motion, ==, "a.csv");
  g_assert_true(g_str_has_prefix(state->reason, "2 s, "));
  g_assert_cmpuint(state->samples, ==, samples);
  g_assert_cmpfloat(state->apart[0], >, 0.0);
  g_assert_nonnull(strstr(bench.kept, "; motion a.csv: 2 s, "));
  g_assert_false(ase_session_record(bench.session, NULL)); /* its file is to be taken again */
  expect_same(&bench, 0.08, "renamed.csv", NULL);
  expect_same(&bench, 0.1, "b.csv", "*a.csv (2 s, *), and b.csv is another motion*");
  expect_same(&bench, 0.1, "a.csv", "*a.csv (2 s, *), and that file contains another motion now*");
  bench_connect(&bench);
  record(&bench, 0.1, "b.csv");
  bench_close(&bench);
  g_assert_cmpuint(rows_of(&bench).superseded, ==, 0);

  bench_open(&bench);
  g_assert_cmpstr(state_of(&bench)->motion, ==, "b.csv");
  bench_connect(&bench);
  record(&bench, 0.08, "re\n\u202enamed.csv"); /* as a stranger's file may be called */
  bench_close(&bench);
  bench_open(&bench);
  g_assert_nonnull(strstr(bench.kept, "; motion re\\u000a\\u202enamed.csv: 2 s, "));
  bench_close(&bench);
  const Rows rows = rows_of(&bench);
  g_assert_cmpuint(rows.done, ==, 3);
  g_assert_cmpuint(rows.superseded, ==, 1);
  g_assert_cmpint(rows.last_superseded, ==, first);
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/record/record", test_record);
  g_test_add_func("/record/hold", test_hold);
  g_test_add_func("/record/abandon", test_abandon);
  g_test_add_func("/record/candidate", test_candidate);
  g_test_add_func("/record/table", test_table);
  g_test_add_func("/record/reopen", test_reopen);
  return g_test_run();
}
