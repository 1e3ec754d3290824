/* SPDX-License-Identifier: MIT */
/* Whole calibrations on simulated arms, from an arm file to parameters beside the truth. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "core/arm/dyn.h"
#include "core/arm/inertia.h"
#include "core/sweeps/predict.h"
#include "folder.h"
#include "io/params/params_file.h"
#include "measure/whole_rows.h"
#include "session/base/text.h"
#include "session/method/gravity.h"
#include "support/support.h"

static void holding_currents(const ArmPlantConfig *config, const double *q, double *current) {
  const ArmModel *model = &config->model;
  double pi[10 * ARM_MAX_JOINTS];
  ArmDyn *dyn = g_new0(ArmDyn, 1);
  g_assert_cmpint(arm_dyn_init(dyn, model), ==, ARM_OK);
  arm_inertia_nominal(model, pi);
  arm_dyn_gravity(dyn, pi, q, current);
  for (gsize i = model->n; model->has_coupling && i-- > 0;)
    for (gsize j = i + 1; j < model->n; j++)
      current[i] -= model->coupling[j][i] * current[j];
  for (gsize j = 0; j < model->n; j++)
    current[j] *= config->joints[j].eta;
  g_free(dyn);
}

static double off_friction(const ArmPlantJoint *p, const ArmJointFit *found) {
  const double friction[4] = {p->coulomb_pos, p->viscous_pos, p->coulomb_neg, p->viscous_neg};
  double worst = 0.0;
  for (guint k = 0; k < 4; k++) {
    const ArmEstimate *e = &found->friction[k];
    g_assert_true(e->identifiable);
    worst = fmax(worst, fabs(e->value - friction[k]) / (e->sd + 0.005 / 3.0));
  }
  return worst;
}

/* In poses that no sweep has seen. A current is read one servo period after it was commanded, which
 * shows in the friction as a few mA (tests/show, closed loop). */
static void check_truth(const Bench *bench, const ArmGravityParameters *found) {
  enum { POSES = 200 };
  const ArmPlantConfig *config = &bench->truth.plant;
  const AseEdits *edits = ase_session_edits(bench->session);
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS] = {0};
  double want[ARM_MAX_JOINTS], is[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  double squares[ARM_MAX_JOINTS] = {0};
  TestRng rng;
  test_rng_init(&rng, test_seed(4));
  for (guint pose = 0; pose < POSES; pose++) {
    for (gsize j = 0; j < found->n; j++)
      q[j] = test_rng_uniform(&rng, edits->low[j], edits->high[j]);
    holding_currents(config, q, want);
    g_assert_cmpint(arm_predict(&config->model, found, q, qd, NULL, &options, is, sd), ==, ARM_OK);
    for (gsize j = 0; j < found->n; j++)
      squares[j] += (is[j] - want[j]) * (is[j] - want[j]) / (sd[j] * sd[j] + 1e-8);
  }
  for (gsize j = 0; j < found->n; j++) {
    const double sds = sqrt(squares[j] / POSES);
    const double friction = off_friction(&config->joints[j], &found->joint[j]);
    g_test_message("joint %zu: gravity current off by %.2f sd, friction by %.2f sd", j + 1, sds,
                   friction);
    g_assert_cmpfloat(sds, <=, 4.0); /* 3 are exceeded by one of a dozen in 3 % of the runs */
    g_assert_cmpfloat(friction, <=, 4.0);
  }
}

static void check_export(Bench *bench) {
  GError *error = NULL;
  char *text = ase_session_parameters(bench->session, &error);
  g_assert_no_error(error);
  AioParams *params =
      aio_params_load_bytes("exported", text, strlen(text), &bench->truth.plant.model, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(params->provenance->program, ==, "test");
  g_assert_cmpstr(params->provenance->version, ==, "1.0");
  g_assert_cmpuint(params->provenance->recordings->len, ==, 1);
  const AioSource *source = params->provenance->recordings->pdata[0];
  g_assert_cmpstr(source->name, ==, "bench.armsession");
  g_assert_cmpuint(strlen(source->digest), ==, 7 + 64);
  g_assert_cmpstr(params->digest, ==, params->stated_digest);
  aio_params_free(params);
  g_free(text);
  bench_refused(bench, ASE_STEP_EXPORT, "choose a file");
  ase_session_exported(bench->session, "p.json");
  g_assert_cmpint(bench_state(bench, ASE_STEP_EXPORT), ==, ASE_STATE_PASSED);
}

/* Another arm needs another plan, but what was swept can be fitted with it at once; undo brings
 * back all that rests on the arm. */
static void check_undo(Bench *bench) {
  GError *error = NULL;
  char *other = g_strconcat(bench->arm_text, "\n", NULL);
  ase_session_set_arm(bench->session, other, &error);
  g_assert_no_error(error);
  g_assert_true(ase_session_edits(bench->session)->is_outdated);
  g_assert_cmpint(bench_state(bench, ASE_STEP_PLAN), ==, ASE_STATE_STALE);
  g_assert_cmpint(bench_state(bench, ASE_STEP_DRY_RUN), ==, ASE_STATE_STALE);
  g_assert_cmpint(bench_state(bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  g_assert_cmpint(bench_state(bench, ASE_STEP_FIT), ==, ASE_STATE_STALE);
  ase_session_undo(bench->session);
  g_assert_true(ase_session_edits(bench->session)->is_proposed);
  for (AseStep step = ASE_STEP_CONNECT; step <= ASE_STEP_EXPORT; step++)
    g_assert_cmpint(bench_state(bench, step), ==, ASE_STATE_PASSED);
  g_free(other);
}

/* The plan of the arm before is no plan, the sweeps are what they were. */
static void check_refit(Bench *bench) {
  GError *error = NULL;
  char *other = g_strconcat(bench->arm_text, "\n\n", NULL);
  ase_session_set_arm(bench->session, other, &error);
  g_assert_no_error(error);
  bench_refused(bench, ASE_STEP_DRY_RUN, "first comes");
  bench_do(bench, ASE_STEP_FIT);
  g_assert_cmpint(bench_state(bench, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  g_free(other);
}

static void assert_no_gap(const ArmDoubts *doubts) {
  for (gsize k = 0; k < doubts->count; k++)
    if (doubts->at[k].kind == ARM_DOUBT_GAPS)
      g_error("%zu gaps, the longest %g s", doubts->at[k].count, doubts->at[k].found);
}

/* Nothing was lost: the time between two sweeps, through which the joint swings on, is no gap. Nor
 * is it one in a recording that has these samples and does not know where a sweep ends. */
static void check_gaps(Bench *bench) {
  assert_no_gap(&ase_gravity_of(ase_session_fit(bench->session))->doubts);
  WholeRows *rows = whole_rows_new(&ase_session_arm(bench->session)->model,
                                   ase_session_runs(bench->session), ASE_PURPOSE_MEASURE, NULL);
  ArmDataset data = whole_rows_dataset(rows);
  data.begins = NULL;
  ArmFitOptions options;
  ArmGravityFit *fit = g_new0(ArmGravityFit, 1);
  arm_fit_options_default(&options);
  g_assert_cmpint(arm_gravity_fit(&bench->truth.plant.model, &data, &options, fit), ==, ARM_OK);
  assert_no_gap(&fit->doubts);
  arm_gravity_fit_clear(fit);
  whole_rows_free(rows);
  g_free(fit);
}

/* After it was opened again it is judged as when the sweeps were fresh. */
static void assert_validation(AseSession *session, const AseValidation *before) {
  const AseValidation *after = ase_session_validation(session);
  g_assert_nonnull(after);
  for (guint j = 0; j < before->joints; j++) {
    const AseJointValidation *a = &before->joint[j], *b = &after->joint[j];
    g_assert_cmpfloat(a->promised_A, >, 0.0);
    g_assert_cmpfloat(fabs(b->promised_A / a->promised_A - 1.0), <, 1e-9);
    g_assert_cmpfloat(fabs(b->model_error_A / a->model_error_A - 1.0), <, 1e-9);
    g_assert_cmpfloat(fabs(b->on_strokes.p - a->on_strokes.p), <, 1e-9);
    g_assert_cmpfloat(fabs(b->on_strokes.limit / a->on_strokes.limit - 1.0), <, 1e-9);
    g_assert_cmpint(b->on_strokes.kind, ==, a->on_strokes.kind);
  }
}

/* A fit of an older program, which did not keep its noise: the limits of size decide alone, and
 * nobody reads "nan". */
static void check_unpromised(Bench *bench) {
  ArmGravityFit *fit = (ArmGravityFit *)ase_gravity_of(ase_session_fit(bench->session));
  const double tau = fit->verdict.joint[0].tau;
  fit->verdict.joint[0].tau = NAN;
  bench_do(bench, ASE_STEP_VALIDATE);
  const AseJointValidation *v = &ase_session_validation(bench->session)->joint[0];
  const char *reason =
      ase_step_reason(&ase_session_procedure(bench->session)->joint[ASE_STEP_VALIDATE][0]);
  g_assert_true(v->has_passed && isnan(v->promised_A));
  g_assert_cmpfloat(fabs(v->on_strokes.limit / (0.1 * v->on_strokes.current) - 1.0), <, 1e-9);
  g_assert_nonnull(strstr(reason, "promised: not known, "));
  g_assert_nonnull(strstr(reason, "fit again"));
  g_assert_null(strstr(reason, "nan"));
  fit->verdict.joint[0].tau = tau;
  bench_do(bench, ASE_STEP_VALIDATE);
}

/* A validation that failed, or does not hold any more, is not passed over. */
static void check_unvalidated(Bench *bench) {
  AseProcedure *procedure = (AseProcedure *)ase_session_procedure(bench->session);
  AseProcedure *before = g_memdup2(procedure, sizeof *procedure);
  ase_procedure_fail(procedure, ASE_STEP_VALIDATE, 1, "too far off");
  bench_refused(bench, ASE_STEP_UPLOAD, "has not passed its validation");
  *procedure = *before;
  ase_procedure_outdate(procedure, ASE_STEP_VALIDATE, "other limits");
  bench_refused(bench, ASE_STEP_UPLOAD, "has not passed its validation");
  *procedure = *before;
  g_free(before);
}

static void check_upload(Bench *bench) {
  AseValidation *validation = g_memdup2(ase_session_validation(bench->session), sizeof *validation);
  ase_device_disarm(ase_session_device(bench->session));
  rig_until_disarmed(ase_session_device(bench->session));
  check_unvalidated(bench);
  bench_do(bench, ASE_STEP_UPLOAD);
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  g_assert_true(bench_has_message(bench, "what was there before is in"));
  bench_close(bench); /* what is to be proved is in the file */
  bench_open(bench);
  assert_validation(bench->session, validation);
  g_free(validation);
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  bench_connect(bench);
  bench_do(bench, ASE_STEP_VERIFY);
  g_assert_cmpint(bench_state(bench, ASE_STEP_VERIFY), ==, ASE_STATE_PASSED);
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  bench_close(bench); /* and is proved once and for all */
  bench_open(bench);
  g_assert_cmpint(bench_state(bench, ASE_STEP_VERIFY), ==, ASE_STATE_PASSED);
  bench_connect(bench);
  g_assert_cmpint(bench_state(bench, ASE_STEP_VERIFY), ==, ASE_STATE_PASSED);
  bench_do(bench, ASE_STEP_UPLOAD);
  g_assert_cmpint(bench_state(bench, ASE_STEP_VERIFY), ==, ASE_STATE_STALE);
}

static void count(const AioChunk *chunk, void *samples) {
  *(gsize *)samples += chunk->n;
}

/* Of fewer points: the same run, from end to end. */
static void check_coarse(const AseRun *run, const AseTrace *trace, AioStore **reader) {
  AseTrace *coarse = ase_run_read_trace(run, ASE_TRACE_LEAST, reader);
  g_assert_cmpuint(coarse->points->len, <, ASE_TRACE_LEAST);
  g_assert_cmpuint((coarse->samples + coarse->step - 1) / coarse->step, ==, coarse->points->len);
  g_assert_cmpuint(coarse->samples, ==, trace->samples);
  g_assert_cmpfloat(coarse->low, ==, trace->low);
  g_assert_cmpfloat(coarse->high, ==, trace->high);
  float low = INFINITY, high = -INFINITY;
  for (guint k = 0; k < trace->points->len; k++) {
    const float q = g_array_index(trace->points, AseTracePoint, k).q;
    low = MIN(low, q);
    high = MAX(high, q);
  }
  g_assert_cmpfloat(coarse->low, <=, low);
  g_assert_cmpfloat(coarse->high, >=, high);
  g_assert_true(trace->step > 1 || (coarse->low == low && coarse->high == high));
  ase_trace_free(coarse);
}

/* What is on the disk has left the memory, can be read back, and is still known in outline. */
static void check_shelved(Bench *bench) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  AioStore *reader = NULL;
  g_assert_true(rig_wait(bench_is_shelved, bench, 10.0));
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    const AseTrace *trace = ase_run_trace(run);
    gsize samples = 0;
    g_assert_cmpuint(run->chunks->len, ==, 0);
    g_assert_true(ase_run_each_chunk(run, &reader, count, &samples, NULL));
    g_assert_cmpuint(samples, >=, ase_run_samples(run));
    g_assert_cmpuint(trace->points->len, <, ASE_TRACE_POINTS);
    g_assert_cmpuint((trace->samples + trace->step - 1) / trace->step, ==, trace->points->len);
    check_coarse(run, trace, &reader);
  }
  aio_store_close(reader, NULL);
}

static bool is_outlined(void *data) {
  const GPtrArray *runs = ase_session_runs(((Bench *)data)->session);
  guint made = 0;
  for (guint k = 0; k < runs->len; k++)
    made += ((const AseRun *)runs->pdata[k])->trace->step > 0;
  return made == runs->len;
}

/* Of a session that was opened nothing is read for the eye before somebody wants it. */
static void check_outline(Bench *bench) {
  const GPtrArray *runs = ase_session_runs(bench->session);
  g_assert_cmpuint(runs->len, >, 0);
  for (guint k = 0; k < runs->len; k++)
    g_assert_cmpuint(((const AseRun *)runs->pdata[k])->trace->step, ==, 0);
  ase_session_outline(bench->session);
  g_assert_true(rig_wait(is_outlined, bench, 10.0));
}

/* The arm is back where it stood. */
static void check_home(Bench *bench) {
  double q[ARM_MAX_JOINTS];
  g_assert_true(ase_device_pose(ase_session_device(bench->session), q));
  for (gsize j = 0; j < bench->truth.plant.model.n; j++)
    g_assert_cmpfloat(fabs(q[j] - bench->truth.home[j]), <=, 0.02);
}

static void calibrate(const char *name, double time_factor) {
  Bench bench;
  bench_init(&bench, name, time_factor);
  bench_refused(&bench, ASE_STEP_SWEEP, "first comes");
  bench_hurry(&bench);
  bench_connect(&bench);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_CHECK), ==, ASE_STATE_PASSED);
  bench_do(&bench, ASE_STEP_PLAN);
  bench_refused(&bench, ASE_STEP_DRY_RUN, "arm it first");
  bench_reach(&bench, ASE_STEP_VALIDATE);
  check_home(&bench);
  check_shelved(&bench);
  check_gaps(&bench);
  check_unpromised(&bench);
  g_assert_cmpuint(bench.legs, >, 10);
  g_assert_cmpuint(bench.progress, >=, bench.legs);
  check_truth(&bench, &ase_gravity_of(ase_session_fit(bench.session))->refined);
  check_export(&bench);
  check_undo(&bench);
  check_upload(&bench);
  check_refit(&bench);
  bench_clear(&bench);
}

static void test_planar(void) {
  calibrate("planar2r", 100.0);
}

static void test_puma(void) {
  calibrate("puma560-table1", 200.0);
}

static void refuse_elsewhere(Bench *bench, const char *first, const char *serial) {
  GError *error = NULL;
  bench_refused(bench, ASE_STEP_UPLOAD, first);
  bench_refused(bench, ASE_STEP_UPLOAD, serial);
  const AseUploadDoubts accepted = {.serial = "another one", .is_misfit = true};
  g_assert_false(ase_session_upload_anyway(bench->session, &accepted, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_assert_null(ase_transfer_backup_path(ase_session_transfer(bench->session)));
}

static const char *serial_of(const Bench *bench) {
  return ase_device_description(ase_session_device(bench->session))->serial;
}

static void refuse_accepted(Bench *bench, const AseUploadDoubts *accepted, const char *part) {
  GError *error = NULL;
  g_assert_false(ase_session_upload_anyway(bench->session, accepted, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  if (!strstr(error->message, part))
    g_error("expected %s in: %s", part, error->message);
  g_clear_error(&error);
}

/* As if the fit did not fit and had friction without a place: who answers for one thing has not
 * answered for the other. */
static void check_doubts(Bench *bench, const AseUploadDoubts *accepted) {
  ArmGravityFit *fit = (ArmGravityFit *)ase_gravity_of(ase_session_fit(bench->session));
  const ArmVerdictKind verdict = fit->verdict.verdict;
  const size_t before = fit->doubts.count;
  AseUploadDoubts some = *accepted;
  fit->verdict.verdict = ARM_VERDICT_MISFIT;
  fit->refined.joint[1].has_term[ARM_TERM_CURVE] = true;
  refuse_accepted(bench, &some, "does not fit");
  some.is_misfit = true;
  fit->doubts.at[0] = (ArmDoubt){.kind = ARM_DOUBT_SPEED_UNIT};
  fit->doubts.count = 1;
  refuse_accepted(bench, &some, "looks wrong");
  some.is_doubtful = true;
  refuse_accepted(bench, &some, "no place");
  some.loses_terms = true;
  some.serial[0]++;
  refuse_accepted(bench, &some, accepted->serial);
  AseUploadDoubts doubts;
  g_assert_true(ase_session_upload_doubts(bench->session, &doubts));
  g_assert_true(doubts.is_misfit && doubts.is_doubtful && doubts.loses_terms && *doubts.serial);
  fit->verdict.verdict = verdict;
  fit->doubts.count = before;
  fit->refined.joint[1].has_term[ARM_TERM_CURVE] = false;
  g_assert_cmpint(bench_state(bench, ASE_STEP_UPLOAD), ==, ASE_STATE_READY);
}

/* What was measured with one controller is not for another, unless somebody says so. */
static void test_elsewhere(void) {
  Bench bench;
  GError *error = NULL;
  bench_init(&bench, "planar2r", 100.0);
  bench_plan_one(&bench, 0.4);
  bench_connect(&bench);
  char *first = g_strdup(serial_of(&bench));
  bench_reach(&bench, ASE_STEP_FIT);
  ase_session_exported(bench.session, "p.json");
  bench_close(&bench);
  bench_replace_controller(&bench, 100.0, 2);
  bench_open(&bench);
  check_outline(&bench);
  bench_connect(&bench);
  char *serial = g_strdup(serial_of(&bench));
  g_assert_cmpstr(serial, !=, first);
  refuse_elsewhere(&bench, first, serial);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_UPLOAD), ==, ASE_STATE_READY);
  AseUploadDoubts doubts;
  g_assert_true(ase_session_upload_doubts(bench.session, &doubts));
  g_assert_cmpstr(doubts.serial, ==, serial);
  g_assert_false(doubts.is_misfit || doubts.is_doubtful || doubts.loses_terms);
  AseUploadDoubts only = {.is_misfit = false};
  ase_text_copy(only.serial, sizeof only.serial, serial);
  refuse_accepted(&bench, &only, "whether the fit is good"); /* joint 1 was never swept */
  check_doubts(&bench, &doubts);
  ase_session_upload_anyway(bench.session, &doubts, &error);
  g_assert_no_error(error);
  bench_until(&bench, ASE_STEP_UPLOAD, 30.0);
  g_assert_cmpint(bench_state(&bench, ASE_STEP_UPLOAD), ==, ASE_STATE_PASSED);
  bench_refused(&bench, ASE_STEP_UPLOAD, first); /* once more it is to be said once more */
  bench_clear(&bench);
  g_free(first), g_free(serial);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  char *data = folder_new();
  g_setenv("XDG_DATA_HOME", data, TRUE); /* backups */
  g_test_add_func("/session/planar", test_planar);
  g_test_add_func("/session/puma", test_puma);
  g_test_add_func("/session/elsewhere", test_elsewhere);
  const int code = g_test_run();
  folder_free(data);
  return code;
}
