/* SPDX-License-Identifier: MIT */
/* What a session asks of the method of sweeps, asked without one: a fit, what to think of it and
 * of its validation. A plan: test_planning. */
#include "session/method/measuring.h"

#include <math.h>
#include <string.h>

#include "../misfit_recording.h"
#include "io/arm/arm_file.h"
#include "io/base/said.h"
#include "session/measure/recorded.h"
#include "session/method/gravity.h"
#include "session/method/method.h"
#include "support/support.h"

typedef struct {
  const AseMeasuring *measuring;
  AioArm *arm;
  GPtrArray *runs;
  AseFitted found;
} Case;

static void case_init(Case *c) {
  GError *error = NULL;
  char *text = NULL;
  *c = (Case){.measuring = ase_method_gravity.measuring};
  g_assert_true(
      g_file_get_contents(test_source_path("data/robots/puma560.arm.json"), &text, NULL, NULL));
  c->arm = aio_arm_load_bytes("arm", text, strlen(text), &error);
  g_assert_no_error(error);
  g_free(text);
}

static void case_forget(Case *c) {
  g_clear_pointer(&c->found.fit, ase_fit_unref);
  g_clear_pointer(&c->found.sha256, g_free);
  g_clear_pointer(&c->found.wild, g_array_unref);
  g_clear_pointer(&c->runs, g_ptr_array_unref);
}

static void case_clear(Case *c) {
  case_forget(c);
  aio_arm_free(c->arm);
}

/* To be changed, as nobody else may. */
static ArmGravityFit *fit_of(const Case *c) {
  return (ArmGravityFit *)ase_gravity_of(c->found.fit);
}

typedef struct {
  Case *c;
  const AseSweepRows *rows;
  bool is_done, is_found;
  GError *error;
} Fitting;

static void compute(AseJob *job, void *data) {
  Fitting *f = data;
  ArmFitOptions options;
  arm_fit_options_default(&options);
  f->is_found =
      f->c->measuring->fit(job, &f->c->arm->model, f->rows, &options, &f->c->found, &f->error);
}

static void on_progress(double part, void *ctx) {
  (void)ctx;
  g_assert_true(part >= 0.0 && part <= 1.0);
}

static void on_done(void *data, bool is_cancelled, void *ctx) {
  (void)is_cancelled, (void)ctx;
  ((Fitting *)data)->is_done = true;
}

static void free_nothing(gpointer data) {
  (void)data;
}

/* The fit of a recording of which a fifth is held out. */
static bool fit(Case *c, const Faulty *faulty, GError **error) {
  GError *wrong = NULL;
  case_forget(c);
  AioRecording *recording = misfit_recording_new(faulty, &c->arm->model);
  c->runs = ase_recorded_runs(recording, 0.2, &wrong);
  g_assert_no_error(wrong);
  AseSweepRows *rows =
      ase_sweep_rows_new(&c->arm->model, c->runs, ASE_PURPOSE_MEASURE, NULL, error);
  Fitting fitting = {.c = c, .rows = rows};
  const AseJobTask task = {.work = compute,
                           .data = &fitting,
                           .free_data = free_nothing,
                           .progress = on_progress,
                           .done = on_done};
  g_assert_nonnull(rows);
  AseJob *job = ase_job_start(&task);
  while (!fitting.is_done)
    g_main_context_iteration(NULL, TRUE);
  ase_job_free(job);
  ase_sweep_rows_free(rows);
  aio_recording_free(recording);
  if (fitting.error)
    g_propagate_error(error, fitting.error);
  return fitting.is_found;
}

static void assert_judged(AseJudgement judgement, AseJudged judged, const char *part) {
  const char *text = aio_said_shown(judgement.said);
  if (judgement.judged != judged || !strstr(text, part))
    g_error("judged %d, wanted %d and \"%s\": %s", judgement.judged, judged, part, text);
  g_free(judgement.said);
}

/* ---- of whole recordings ---- */

static void test_sound(void) {
  Case c;
  GError *error = NULL;
  Faulty sound;
  ArmParamSet set = {0}, recursion = {0};
  case_init(&c);
  faulty_default(&sound);
  g_assert_true(fit(&c, &sound, &error));
  g_assert_no_error(error);
  g_assert_nonnull(c.found.sha256);
  g_assert_nonnull(c.found.wild);
  g_assert_null(c.found.arm_digest); /* the caller's */
  for (guint joint = 1; joint <= c.arm->model.n; joint++)
    assert_judged(c.measuring->judge(c.found.fit, joint), ASE_JUDGED_PASSED, "residual");
  g_assert_cmpint(c.measuring->set(c.found.fit, &set, &recursion), ==, ARM_OK);
  g_assert_cmpuint(set.n, >, 6 * 4);
  g_assert_cmpuint(recursion.n_joints, ==, 6);
  arm_param_set_clear(&recursion);
  arm_param_set_clear(&set);
  g_assert_cmpint(c.measuring->set(c.found.fit, &set, NULL), ==, ARM_OK);
  arm_param_set_clear(&set);
  case_clear(&c);
}

static void test_validation(void) {
  Case c;
  GError *error = NULL;
  Faulty sound;
  AseValidation *v = g_new0(AseValidation, 1);
  ArmRowOptions rows;
  ArmValidationLimits limits;
  case_init(&c);
  faulty_default(&sound);
  g_assert_true(fit(&c, &sound, &error));
  arm_row_options_default(&rows);
  arm_validation_limits_default(&limits);
  c.measuring->validate(v, &c.arm->model, c.runs, c.found.fit, &rows, &limits, 3.0, &error);
  g_assert_no_error(error);
  for (guint joint = 1; joint <= c.arm->model.n; joint++)
    assert_judged(c.measuring->judge_validation(c.found.fit, v, joint), ASE_JUDGED_PASSED,
                  "promised");
  g_assert_false(c.measuring->is_contradicted(c.found.fit, v, &limits));

  v->drift_joint = 2; /* its friction, and no other's */
  v->drift_sds = 9.0;
  v->has_drifted = true;
  assert_judged(c.measuring->judge_validation(c.found.fit, v, 2), ASE_JUDGED_FAILED, "drifted");
  assert_judged(c.measuring->judge_validation(c.found.fit, v, 3), ASE_JUDGED_PASSED, "");

  AseJointValidation *j = &v->joint[2];
  j->has_passed = false;
  j->on_strokes.kind = ARM_VALIDATION_TOO_LARGE;
  j->on_strokes.rms = 10.0 * j->on_strokes.promised;
  j->on_strokes.p = 1e-9;
  assert_judged(c.measuring->judge_validation(c.found.fit, v, 3), ASE_JUDGED_FAILED, ": ");
  g_assert_true(c.measuring->is_contradicted(c.found.fit, v, &limits));
  j->on_strokes.p = 0.01; /* over all joints that is chance */
  g_assert_false(c.measuring->is_contradicted(c.found.fit, v, &limits));
  j->rows = 0;
  assert_judged(c.measuring->judge_validation(c.found.fit, v, 3), ASE_JUDGED_FAILED,
                "not measured");
  g_free(v);
  case_clear(&c);
}

/* What the session's file and a parameter file say of it. */
static void test_texts(void) {
  Case c;
  GError *error = NULL;
  Faulty sound;
  ArmRowOptions rows;
  ArmVerdictLimits limits;
  bool offers[ARM_TERMS] = {false};
  case_init(&c);
  faulty_default(&sound);
  g_assert_true(fit(&c, &sound, &error));
  arm_row_options_default(&rows);
  arm_verdict_limits_default(&limits);
  const AseFitSettings settings = {.rows = &rows, .limits = &limits, .exclusions = 3};
  char *all = c.measuring->options(c.found.fit, &settings, false);
  char *in_file = c.measuring->options(c.found.fit, &settings, true);
  g_assert_nonnull(strstr(all, "\"exclusions\": 3"));
  g_assert_nonnull(strstr(all, "\"trials\""));
  g_assert_nonnull(strstr(in_file, "\"exclusions\": 3"));
  g_assert_null(strstr(in_file, "\"trials\""));
  g_assert_true(c.measuring->has_rows(c.found.fit, 6));
  c.measuring->offer_terms(c.found.fit, offers);
  g_assert_false(offers[ARM_TERM_LOAD]); /* it has none */
  fit_of(&c)->refined.joint[1].has_term[ARM_TERM_LOAD] = true;
  c.measuring->offer_terms(c.found.fit, offers);
  g_assert_true(offers[ARM_TERM_LOAD]);
  fit_of(&c)->refined.joint[1].has_term[ARM_TERM_LOAD] = false;

  char *text = c.measuring->format(c.found.fit, "puma", "sha256:1", "test 1", NULL, NULL);
  AseFound found = {0};
  ase_found_load_text("p.json", text, strlen(text), &c.arm->model, &found, &error);
  g_assert_no_error(error);
  g_assert_true(found.method == &ase_method_gravity);
  ase_found_clear(&found);

  AseFitted recalled = {0};
  bool is_changed = true;
  g_assert_true(c.measuring->recall("fit", text, strlen(text), &c.arm->model, &recalled,
                                    &is_changed, &error));
  g_assert_no_error(error);
  g_assert_false(is_changed);
  g_assert_cmpstr(recalled.arm_digest, ==, "sha256:1");
  g_assert_null(recalled.sha256); /* the session's */
  char *again = c.measuring->format(recalled.fit, "puma", "sha256:1", "test 1", NULL, NULL);
  g_assert_cmpstr(again, ==, text);
  g_free(again);
  ase_fitted_clear(&recalled);
  char *puma = strstr(text, "puma");
  memcpy(puma, "tuna", 4);
  g_assert_true(c.measuring->recall("fit", text, strlen(text), &c.arm->model, &recalled,
                                    &is_changed, &error));
  g_assert_true(is_changed);
  ase_fitted_clear(&recalled);
  g_assert_false(
      c.measuring->recall("fit", "{}", 2, &c.arm->model, &recalled, &is_changed, &error));
  g_assert_nonnull(error);
  g_assert_null(recalled.fit);
  g_clear_error(&error);
  g_free(text);
  g_free(in_file);
  g_free(all);
  case_clear(&c);
}

static void test_misfit(void) {
  Case c;
  GError *error = NULL;
  Faulty tilted, backward;
  guint failed = 0;
  case_init(&c);
  misfit_tilt(&tilted);
  g_assert_true(fit(&c, &tilted, &error));
  for (guint joint = 1; joint <= c.arm->model.n; joint++) {
    const AseJudgement judgement = c.measuring->judge(c.found.fit, joint);
    if (judgement.judged == ASE_JUDGED_FAILED) {
      g_assert_nonnull(strstr(aio_said_shown(judgement.said), "the model does not fit: gravity"));
      failed++;
    }
    g_free(judgement.said);
  }
  g_assert_cmpuint(failed, >, 0);

  faulty_default(&backward);
  backward.negated[2] = -1.0; /* which fits as well */
  g_assert_true(fit(&c, &backward, &error));
  assert_judged(c.measuring->judge(c.found.fit, 3), ASE_JUDGED_FAILED, "helps the motion");
  case_clear(&c);
}

/* All beyond the limit of the current: it is asked about. */
static void test_none(void) {
  Case c;
  GError *error = NULL;
  Faulty sound;
  case_init(&c);
  faulty_default(&sound);
  for (gsize j = 0; j < c.arm->model.n; j++)
    c.arm->model.joints[j].limits.current_max = 1e-6;
  g_assert_false(fit(&c, &sound, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_nonnull(strstr(error->message, "is it in A"));
  g_assert_null(c.found.fit);
  g_clear_error(&error);
  case_clear(&c);
}

/* ---- of one thing alone ---- */

/* As the core leaves it where all is known and nothing objects. */
static ArmGravityFit *good_fit(void) {
  ArmGravityFit *made = g_new0(ArmGravityFit, 1);
  made->refined.n = made->verdict.n = 1;
  ArmJointFit *joint = &made->refined.joint[0];
  joint->residual_sd = 0.01;
  joint->cond_equilibrated = 3.0;
  joint->rows_used = 100;
  for (guint k = 0; k < 2; k++)
    joint->w[k].identifiable = true;
  for (guint k = 0; k < 4; k++)
    joint->friction[k].identifiable = true;
  return made;
}

static void test_reasons(void) {
  const AseMeasuring *measuring = ase_method_gravity.measuring;
  ArmGravityFit *made = good_fit();
  AseFit *fit = ase_gravity_wrap(made);
  ArmJointFit *joint = &made->refined.joint[0];
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_PASSED, "residual");

  joint->w[1] = (ArmEstimate){.reason = ARM_REASON_AXIS_VERTICAL}; /* as it is built */
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_PASSED, "gravity not identifiable");
  joint->friction[3] = (ArmEstimate){.reason = ARM_REASON_ONE_SPEED};
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_FAILED,
                "viscous friction backward not identifiable");
  joint->friction[3].identifiable = true;
  joint->w[0] = joint->w[1] = (ArmEstimate){.reason = ARM_REASON_NEVER_SWEPT};
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_UNKNOWN, "gravity not identifiable");
  joint->w[0].identifiable = joint->w[1].identifiable = true;

  made->verdict.joint[0].untold = ARM_UNTOLD_NO_PAIRS;
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_UNKNOWN, "not judged: joint 1");
  made->verdict.joint[0].verdict = ARM_VERDICT_MISFIT;
  made->verdict.joint[0].test[ARM_TEST_STROKE].is_alarm = true;
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_FAILED, "stands out");
  made->verdict.joint[0] = (ArmJointVerdict){0};
  joint->residual_sd = (double)NAN; /* no more rows than unknowns */
  assert_judged(measuring->judge(fit, 1), ASE_JUDGED_PASSED, "100 samples used");
  ase_fit_unref(fit);
}

static void test_verdict(void) {
  const AseMeasuring *measuring = ase_method_gravity.measuring;
  ArmGravityFit *made = good_fit();
  AseFit *fit = ase_gravity_wrap(made);
  made->verdict.verdict = ARM_VERDICT_FITS;
  AseVerdict verdict = measuring->verdict(fit);
  g_assert_false(verdict.is_misfit || verdict.is_untold || verdict.is_doubtful);
  g_assert_false(verdict.has_alarm);
  made->verdict.verdict = ARM_VERDICT_UNKNOWN;
  g_assert_true(measuring->verdict(fit).is_untold);
  made->verdict.verdict = ARM_VERDICT_MISFIT;
  made->verdict.joint[0].test[ARM_TEST_GRAVITY].is_alarm = true;
  verdict = measuring->verdict(fit);
  g_assert_true(verdict.is_misfit && verdict.has_alarm && !verdict.is_untold);
  made->verdict.verdict = ARM_VERDICT_FITS;
  made->doubts.count = 1;
  made->doubts.at[0].kind = ARM_DOUBT_CURRENT_SIGN;
  g_assert_true(arm_doubt_is_severe(ARM_DOUBT_CURRENT_SIGN));
  g_assert_true(measuring->verdict(fit).is_doubtful);
  ase_fit_unref(fit);
}

/* Without a session that measures for it, a method leaves it out. */
static void test_list(void) {
  g_assert_nonnull(ase_method_gravity.measuring);
  g_assert_null(ase_method_dynamics.measuring);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/measuring/sound", test_sound);
  g_test_add_func("/measuring/validation", test_validation);
  g_test_add_func("/measuring/texts", test_texts);
  g_test_add_func("/measuring/misfit", test_misfit);
  g_test_add_func("/measuring/none", test_none);
  g_test_add_func("/measuring/reasons", test_reasons);
  g_test_add_func("/measuring/verdict", test_verdict);
  g_test_add_func("/measuring/list", test_list);
  return g_test_run();
}
