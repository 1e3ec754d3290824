/* SPDX-License-Identifier: MIT */
/* What a user changes, takes back and cancels, and what a controller is refused for. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "io/base/said.h"
#include "measure/whole_rows.h"
#include "session/check.h"
#include "session/method/gravity.h"
#include "support/support.h"

/* ---- staleness, undo ---- */

static void set_low(Bench *bench, gsize joint, double low) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->low[joint] = low;
  ase_session_set_edits(bench->session, edits, "narrow joint 1");
  g_free(edits);
}

static void test_undo(void) {
  Bench bench;
  const char *what = NULL;
  bench_init(&bench, "planar2r", 100.0);
  g_assert_false(ase_session_can_undo(bench.session, &what));
  const double low = ase_session_edits(bench.session)->low[0];
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
  g_assert_nonnull(ase_session_itinerary(bench.session));
  set_low(&bench, 0, -1.5);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_STALE);
  g_assert_null(ase_session_itinerary(bench.session));
  g_assert_true(ase_session_can_undo(bench.session, &what));
  g_assert_cmpstr(what, ==, "narrow joint 1");
  g_assert_false(ase_session_can_redo(bench.session, NULL));
  bench_do(&bench, ASE_STEP_PLAN);
  ase_session_undo(bench.session);
  g_assert_cmpfloat(ase_session_edits(bench.session)->low[0], ==, low);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_STALE);
  g_assert_true(ase_session_can_redo(bench.session, &what));
  g_assert_cmpstr(what, ==, "narrow joint 1");
  ase_session_redo(bench.session);
  g_assert_cmpfloat(ase_session_edits(bench.session)->low[0], ==, -1.5);
  bench_close(&bench);
  bench_open(&bench); /* what was edited is in the file */
  g_assert_cmpfloat(ase_session_edits(bench.session)->low[0], ==, -1.5);
  bench_clear(&bench);
}

static void shorten(Bench *bench) {
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  edits->plan.joint[0].to -= 0.1;
  ase_session_set_edits(bench->session, edits, "sweep");
  g_free(edits);
}

static bool is_outdated(const Bench *bench) {
  return ase_session_edits(bench->session)->is_outdated;
}

/* A proposed plan is proposed anew only for other limits; one that undo brings back is kept. */
static void test_undo_plan(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 100.0);
  bench_do(&bench, ASE_STEP_PLAN);
  ArmPlan *first = g_memdup2(ase_session_plan(bench.session), sizeof *first);
  shorten(&bench);
  g_assert_false(ase_session_edits(bench.session)->is_proposed);
  bench_do(&bench, ASE_STEP_PLAN);
  ase_session_undo(bench.session);
  g_assert_true(ase_session_edits(bench.session)->is_proposed);
  g_assert_false(is_outdated(&bench));
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_false(ase_plan_differs(ase_session_plan(bench.session), first));
  set_low(&bench, 0, -1.5);
  g_assert_true(is_outdated(&bench));
  g_assert_false(ase_plan_differs(ase_session_plan(bench.session), first));
  bench_close(&bench);
  bench_open(&bench);
  g_assert_true(is_outdated(&bench));
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_false(is_outdated(&bench));
  g_assert_true(ase_plan_differs(ase_session_plan(bench.session), first));
  set_low(&bench, 0, -1.4);
  ase_session_undo(bench.session);
  g_assert_false(is_outdated(&bench));
  g_free(first);
  bench_clear(&bench);
}

/* Whoever hears of an edit can undo it. */
static void on_changed(AseSession *session, guint *undoable) {
  *undoable += ase_session_can_undo(session, NULL);
}

static void test_arm(void) {
  Bench bench;
  GError *error = NULL;
  guint undoable = 0;
  bench_init(&bench, "planar2r", 100.0);
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_false(ase_session_set_arm(bench.session, "{}", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
  char **parts = g_strsplit(bench.arm_text, "\"mass_kg\": 2,", 2);
  char *heavier = g_strjoinv("\"mass_kg\": 3,", parts);
  g_assert_false(ase_session_can_undo(bench.session, NULL));
  g_signal_connect(bench.session, "changed", G_CALLBACK(on_changed), &undoable);
  g_assert_true(ase_session_set_arm(bench.session, heavier, &error));
  g_assert_cmpuint(undoable, ==, 1);
  g_assert_cmpfloat(ase_session_arm(bench.session)->model.joints[0].link.mass_kg, ==, 3.0);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_STALE);
  ase_session_undo(bench.session);
  g_assert_cmpfloat(ase_session_arm(bench.session)->model.joints[0].link.mass_kg, ==, 2.0);
  char *scara;
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/scara.arm.json"), &scara, NULL, NULL));
  g_assert_true(ase_session_set_arm(bench.session, scara, &error)); /* nothing measured yet */
  g_assert_cmpuint(ase_session_procedure(bench.session)->joints, ==, 4);
  ase_session_undo(bench.session);
  g_assert_cmpuint(ase_session_procedure(bench.session)->joints, ==, 2);
  g_free(scara);
  g_free(heavier);
  g_strfreev(parts);
  bench_clear(&bench);
}

/* ---- data ---- */

static bool has_selection(void *session) {
  return ase_session_selection(session) != NULL;
}

static WholeRows *whole_rows(Bench *bench) {
  const AseEdits *edits = ase_session_edits(bench->session);
  GArray *exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  g_array_append_vals(exclusions, edits->exclusions, edits->n_exclusions);
  WholeRows *rows =
      whole_rows_new(&ase_session_arm(bench->session)->model, ase_session_runs(bench->session),
                     ASE_PURPOSE_MEASURE, exclusions);
  g_array_unref(exclusions);
  return rows;
}

/* It is what the rows say, though it was made bit by bit. */
static void compare_selection(Bench *bench) {
  WholeRows *whole = whole_rows(bench);
  const AseSelection *now = ase_session_selection(bench->session);
  g_assert_cmpuint(now->rows, ==, whole->recording->rows);
  g_autofree guint8 *use = g_malloc(now->rows);
  gsize first = 0;
  for (guint k = 0; k < now->runs->len; k++) {
    const AseRunUse *run = now->runs->pdata[k];
    g_assert_cmpint(whole->run[first], ==, run->run);
    ase_run_use_fill(run, 0, run->rows, use + first);
    first += run->rows;
  }
  g_assert_cmpmem(use, first, whole->use, whole->recording->rows);
  g_assert_cmpmem(now->counts, sizeof now->counts, whole->counts, sizeof whole->counts);
  whole_rows_free(whole);
}

static void test_exclusions(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 100.0);
  bench_plan_one(&bench, 0.4);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_SWEEP);
  g_assert_null(ase_session_selection(bench.session)); /* the arm is armed: not at once */
  g_assert_true(rig_wait(has_selection, bench.session, 10.0));
  compare_selection(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  const double before = ase_gravity_of(ase_session_fit(bench.session))->refined.joint[1].w[0].value;
  const gsize used = ase_session_selection(bench.session)->counts[1][ASE_SAMPLE_USED];
  const AseRun *run = NULL;
  for (guint k = 0; k < ase_session_runs(bench.session)->len; k++)
    run = ase_session_runs(bench.session)->pdata[k];
  AseEdits *edits = g_memdup2(ase_session_edits(bench.session), sizeof *edits);
  edits->exclusions[edits->n_exclusions++] =
      (AseExclusion){.run = run->id, .q_low = -10.0, .q_high = 10.0};
  ase_session_set_edits(bench.session, edits, "exclude a run");
  g_free(edits);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_assert_null(ase_session_selection(bench.session)); /* the run is read again */
  g_assert_true(rig_wait(has_selection, bench.session, 10.0));
  g_assert_cmpuint(ase_session_selection(bench.session)->counts[1][ASE_SAMPLE_USED], <, used);
  compare_selection(&bench);
  bench_do(&bench, ASE_STEP_FIT);
  const double after = ase_gravity_of(ase_session_fit(bench.session))->refined.joint[1].w[0].value;
  g_assert_cmpfloat(after, !=, before);
  ase_session_undo(bench.session);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  bench_do(&bench, ASE_STEP_FIT);
  g_assert_cmpfloat(ase_gravity_of(ase_session_fit(bench.session))->refined.joint[1].w[0].value, ==,
                    before);

  AseSession *reader; /* beside the writer: nothing moves, nothing is edited, results may be had */
  GError *error = NULL;
  AseSession *writer = bench.session;
  rig_pass(0.5);
  reader = ase_session_open_read(bench.path, &error);
  g_assert_no_error(error);
  bench_watch(&bench, reader);
  g_assert_true(ase_session_is_read_only(reader));
  ase_session_set_edits(reader, ase_session_edits(writer), "nothing");
  g_assert_true(bench_has_message(&bench, "reading only"));
  g_assert_false(ase_session_can_undo(reader, NULL));
  bench_refused(&bench, ASE_STEP_PLAN, "reading only");
  g_assert_false(ase_session_connect(reader, NULL, &(AseDeviceOptions){0}, &error));
  g_clear_error(&error);
  bench_do(&bench, ASE_STEP_FIT);
  g_assert_cmpfloat(ase_gravity_of(ase_session_fit(reader))->refined.joint[1].w[0].value, ==,
                    before);
  g_assert_true(ase_session_close(reader, NULL));
  g_object_unref(reader);
  bench.session = writer;
  bench_clear(&bench);
}

/* What the fit makes of each row: of ArmRowUse, g_free. */
static ArmRowUse *fit_use(Bench *bench) {
  WholeRows *rows = whole_rows(bench);
  const ArmDataset data = whole_rows_dataset(rows);
  ArmRowUse *use = g_new0(ArmRowUse, data.rows);
  g_assert_cmpint(arm_dataset_select(&ase_session_arm(bench->session)->model, &data,
                                     &ase_session_edits(bench->session)->rows, use),
                  ==, ARM_OK);
  whole_rows_free(rows);
  return use;
}

static void exclude(Bench *bench, const AseExclusion *range) {
  GError *error = NULL;
  AseEdits *edits = g_memdup2(ase_session_edits(bench->session), sizeof *edits);
  ase_edits_exclude(edits, range, &error);
  g_assert_no_error(error);
  ase_session_set_edits(bench->session, edits, "exclude a range");
  g_free(edits);
}

/* Of the rows that the fit used exactly those in the range are lost; how many these are. */
static gsize assert_lost(Bench *bench, const ArmRowUse *before, const AseExclusion *range) {
  WholeRows *s = whole_rows(bench);
  const AioRecording *r = s->recording;
  const double *q = r->q + r->rows, *qd = r->qd + r->rows; /* of joint 2 */
  ArmRowUse *now = fit_use(bench);
  gsize lost = 0;
  for (gsize row = 0; row < r->rows; row++) {
    const bool is_in = s->run[row] == range->run && q[row] >= range->q_low &&
                       q[row] <= range->q_high && range->direction * qd[row] >= 0.0;
    lost += is_in && before[row] == ARM_ROW_USED;
    if (is_in && before[row] == ARM_ROW_USED)
      g_assert_cmpint(s->use[row], ==, ASE_SAMPLE_EXCLUDED);
    if (is_in)
      g_assert_cmpint(now[row], !=, ARM_ROW_USED);
    else
      g_assert_cmpint(now[row], ==, before[row]);
  }
  g_free(now);
  whole_rows_free(s);
  return lost;
}

/* The plateau is that of the whole stroke, whatever is excluded from it. */
static void test_mid_stroke(void) {
  Bench bench;
  bench_init(&bench, "planar2r", 100.0);
  bench_plan_one(&bench, 0.4);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_FIT);
  g_assert_true(ase_session_edits(bench.session)->rows.wants_plateau);
  const gsize used = ase_gravity_of(ase_session_fit(bench.session))->refined.joint[1].rows_used;
  const AseRun *run = ase_session_runs(bench.session)->pdata[0];
  for (guint k = 0; run->purpose != ASE_PURPOSE_MEASURE; k++)
    run = ase_session_runs(bench.session)->pdata[k];
  ArmRowUse *before = fit_use(&bench);
  gsize lost[3];
  for (int direction = -1; direction <= 1; direction++) {
    const AseExclusion range = {run->id, -0.05, 0.1, direction};
    exclude(&bench, &range);
    lost[direction + 1] = assert_lost(&bench, before, &range);
    g_assert_cmpuint(lost[direction + 1], >, 20);
    bench_do(&bench, ASE_STEP_FIT);
    g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
    const ArmJointFit *fit = &ase_gravity_of(ase_session_fit(bench.session))->refined.joint[1];
    g_assert_cmpuint(fit->rows_used, ==, used - lost[direction + 1]);
    g_assert_cmpuint(fit->rows_by_use[ARM_ROW_LEFT_OUT], >=, lost[direction + 1]);
    ase_session_undo(bench.session);
  }
  g_assert_cmpuint(lost[0] + lost[2], ==, lost[1]); /* back, forth; both */
  g_free(before);
  bench_clear(&bench);
}

/* ---- cancelling ---- */

static void test_cancel_plan(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "puma560-table1", 100.0);
  g_assert_true(ase_session_start(bench.session, ASE_STEP_PLAN, &error));
  bench_refused(&bench, ASE_STEP_PLAN, "computation runs");
  ase_session_cancel(bench.session);
  bench_until(&bench, ASE_STEP_PLAN, 10.0);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_PLAN), ==, "cancelled");
  g_assert_null(ase_session_plan(bench.session));
  g_assert_true(ase_session_start(bench.session, ASE_STEP_PLAN, &error));
  set_low(&bench, 0, -1.5); /* its own ground moves */
  bench_until(&bench, ASE_STEP_PLAN, 10.0);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_PLAN), ==, "cancelled");
  bench_do(&bench, ASE_STEP_PLAN);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_PLAN), ==, ASE_STATE_PASSED);
  g_assert_true(ase_session_start(bench.session, ASE_STEP_PLAN, &error));
  bench_clear(&bench); /* closing while it computes */
}

static void test_cancel_fit(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 100.0);
  bench_plan_one(&bench, 0.4);
  bench_connect(&bench);
  bench_reach(&bench, ASE_STEP_SWEEP);
  g_assert_true(ase_session_start(bench.session, ASE_STEP_FIT, &error));
  ase_session_cancel(bench.session);
  bench_until(&bench, ASE_STEP_FIT, 10.0);
  g_assert_cmpstr(bench_reason(&bench, ASE_STEP_FIT), ==, "cancelled");
  g_assert_null(ase_session_fit(bench.session));
  char *text = ase_session_parameters(bench.session, &error);
  g_assert_null(text);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  bench_do(&bench, ASE_STEP_FIT);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  bench_clear(&bench);
}

/* ---- what a controller is refused for ---- */

static void test_wrong_controller(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "scara", 100.0);
  char *path = g_build_filename(bench.folder, "planar.armsession", NULL), *text;
  AseSession *scara = bench.session;
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/planar2r.arm.json"), &text, NULL, NULL));
  bench_watch(&bench, ase_session_create(path, "test 1.0", "planar", text, &error));
  g_assert_no_error(error);
  bench_connect_to(&bench, ASE_STEP_DESCRIBE);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DESCRIBE), ==, ASE_STATE_FAILED);
  g_assert_nonnull(strstr(bench_reason(&bench, ASE_STEP_DESCRIBE),
                          "the controller has 4 joints, the arm file 2"));
  bench_refused(&bench, ASE_STEP_CHECK, "first comes");
  /* the right file, and back, while it is connected */
  g_assert_true(ase_session_set_arm(bench.session, bench.arm_text, &error));
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DESCRIBE), ==, ASE_STATE_PASSED);
  bench_do(&bench, ASE_STEP_CHECK);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
  ase_session_undo(bench.session);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CONNECT), ==, ASE_STATE_PASSED);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_DESCRIBE), ==, ASE_STATE_FAILED);
  bench_close(&bench);
  bench.session = scara;
  g_free(path);
  g_free(text);
  bench_clear(&bench);
}

typedef struct {
  AioDescription description;
  AioState state;
  double q[ARM_MAX_JOINTS], motor_C[ARM_MAX_JOINTS];
} Healthy;

static void healthy(Healthy *h, const AioArm *arm) {
  memset(h, 0, sizeof *h);
  h->description.joints = (guint)arm->model.n;
  h->description.capabilities = AIO_CAN_LEASE | AIO_CAN_SWEEP | AIO_CAN_CURRENT | AIO_CAN_ESTOP;
  h->state.is_estop_closed = true;
  for (gsize j = 0; j < arm->model.n; j++) {
    const ArmJoint *joint = &arm->model.joints[j];
    h->description.joint[j] = (AioJointInfo){.type = joint->type,
                                             .q_min = joint->limits.q_min,
                                             .q_max = joint->limits.q_max,
                                             .speed_max = joint->limits.speed_max,
                                             .temperature_max_C = 80.0};
    h->motor_C[j] = NAN;
  }
}

static void assert_objection(Bench *bench, const Healthy *h, const char *part) {
  const AioArm *arm = ase_session_arm(bench->session);
  const AseCondition condition = {&h->description, &h->state, h->q, h->motor_C};
  GPtrArray *is = ase_check_controller(arm, &h->description);
  GPtrArray *stands = ase_check_condition(arm, ase_session_edits(bench->session), &condition);
  g_assert_cmpuint(is->len + stands->len, ==, part ? 1 : 0);
  char *first = aio_said_take_text(ase_check_said(is));
  char *second = aio_said_take_text(ase_check_said(stands));
  if (part && !strstr(first, part) && !strstr(second, part))
    g_error("\"%s%s\" lacks \"%s\"", first, second, part);
  g_free(first);
  g_free(second);
  g_ptr_array_unref(is);
  g_ptr_array_unref(stands);
}

static void test_objections(void) {
  Bench bench;
  Healthy h;
  bench_init(&bench, "planar2r", 100.0);
  const AioArm *arm = ase_session_arm(bench.session);
  const double deg = G_PI / 180.0;
#define OBJECTS(change, part) (healthy(&h, arm), (void)(change), assert_objection(&bench, &h, part))
  OBJECTS(0, NULL);
  OBJECTS(h.description.joints = 1, "the controller has 1 joints, the arm file 2");
  OBJECTS(h.description.joint[1].type = ARM_JOINT_T,
          "joint 2: the controller says it is translational, the arm file says rotational");
  OBJECTS((h.description.is_read_only = true, strcpy(h.description.protocol, "9.0")),
          "protocol 9.0, which this program can only read; update");
  OBJECTS(
      h.description.capabilities &= ~(guint)(AIO_CAN_LEASE | AIO_CAN_ESTOP),
      "does not hold by itself when the computer fails (no lease), has no emergency stop chain");
  OBJECTS(h.description.capabilities &= ~(guint)AIO_CAN_SWEEP, "cannot sweep a joint");
  OBJECTS(h.description.capabilities &= ~(guint)AIO_CAN_CURRENT, "does not measure motor currents");
  OBJECTS(h.state.is_estop_closed = false, "release the emergency stop button");
  OBJECTS(h.state.faults = 1, "a fault is latched (");
  OBJECTS(h.q[0] = 121 * deg, "joint 1 stands at 121 deg, outside of what is declared free (-120 "
                              "to 120 deg); move it");
  OBJECTS(h.description.joint[0].q_max = 100 * deg,
          "joint 1: the controller allows -120 to 100 deg, but -120 to 120 deg are declared free");
  OBJECTS(h.description.joint[1].speed_max = 60 * deg,
          "joint 2: the controller allows 60 deg/s, the arm file 120 deg/s");
  OBJECTS(h.motor_C[1] = 75.0, "joint 2: its motor is hot (is, limit: 75, 80 degrees");
  OBJECTS(h.motor_C[1] = 65.0, NULL);
  OBJECTS(h.description.joint[1].speed_max = NAN, NULL);
#undef OBJECTS
  bench_clear(&bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/edits/undo", test_undo);
  g_test_add_func("/edits/undo-plan", test_undo_plan);
  g_test_add_func("/edits/arm", test_arm);
  g_test_add_func("/edits/exclusions", test_exclusions);
  g_test_add_func("/edits/mid-stroke", test_mid_stroke);
  g_test_add_func("/edits/cancel-plan", test_cancel_plan);
  g_test_add_func("/edits/cancel-fit", test_cancel_fit);
  g_test_add_func("/edits/wrong-controller", test_wrong_controller);
  g_test_add_func("/edits/objections", test_objections);
  return g_test_run();
}
