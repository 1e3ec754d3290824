/* SPDX-License-Identifier: MIT */
/* The verdict on a validation of such a fit. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/method/method_gravity.h"

static char *error_said(const AseJointValidation *j) {
  if (isnan(j->percent))
    return aio_said(N_("error %.3g mA, and its current is 0 throughout"),
                    1000.0 * j->model_error_A);
  if (isnan(j->promised_A))
    return aio_said_many(
        "error %.3g mA over %zu sweep, promised: not known, %.2g %% of the current",
        "error %.3g mA over %zu sweeps, promised: not known, %.2g %% of the current",
        1000.0 * j->model_error_A, j->on_strokes.strokes, j->percent);
  return aio_said_many("error %.3g mA over %zu sweep, promised %.3g mA, %.2g %% of the current",
                       "error %.3g mA over %zu sweeps, promised %.3g mA, %.2g %% of the current",
                       1000.0 * j->model_error_A, j->on_strokes.strokes, 1000.0 * j->promised_A,
                       j->percent);
}

/* "error 3.1 mA over 6 sweeps, promised 2.8 mA, 1.3 % of the current"; g_free. */
static char *joint_said(const AseValidation *v, const ArmJointVerdict *of_fit, guint joint) {
  const AseJointValidation *j = &v->joint[joint - 1];
  if (j->on_strokes.kind == ARM_VALIDATION_NOT_MEASURED)
    return g_strdup(ase_validation_said(j->on_strokes.kind));
  GPtrArray *list = aio_said_list_new();
  aio_said_list_take(list, error_said(j));
  if (!j->has_passed)
    aio_said_list_add(list, ": %s", ase_validation_said(j->on_strokes.kind));
  if (isnan(j->promised_A) && of_fit->pairs > 0) /* it was known when it was fitted */
    aio_said_list_add(list, N_("; the fit is of an older program: fit again"));
  if (v->drift_joint == joint)
    aio_said_list_add(list, N_("; friction drifted by %.1f sd%s"), ase_text_tenths(v->drift_sds),
                      v->has_drifted ? aio_said_word(N_(": warm the arm up longer and sweep again"))
                                     : "");
  return aio_said_list_join(list, "");
}

bool ase_gravity_validate(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                          const AseFit *fit, const ArmRowOptions *rows,
                          const ArmValidationLimits *limits, double drift_limit, GError **error) {
  return ase_validation_compute(out, model, runs, ase_gravity_of(fit), rows, limits, drift_limit,
                                error);
}

/* A joint that the fit has and no validation sweep was recorded of does not pass; one that is not
 * to be found out about has nothing to be judged. */
static AseJudgement judge_unmeasured(const ArmGravityFit *fit, guint joint) {
  const bool is_missing = fit->refined.joint[joint - 1].rows_used > 0;
  return (AseJudgement){
      .judged = is_missing ? ASE_JUDGED_FAILED : ASE_JUDGED_PASSED,
      .said =
          g_strdup(is_missing ? aio_said_word(N_("not measured: record a validation sweep of it"))
                              : aio_said_word(N_("not swept")))};
}

AseJudgement ase_gravity_judge_validation(const AseFit *of, const AseValidation *v, guint joint) {
  const ArmGravityFit *fit = ase_gravity_of(of);
  const AseJointValidation *j = &v->joint[joint - 1];
  if (j->rows == 0)
    return judge_unmeasured(fit, joint);
  const bool has_passed = j->has_passed && !(v->has_drifted && v->drift_joint == joint);
  return (AseJudgement){.judged = has_passed ? ASE_JUDGED_PASSED : ASE_JUDGED_FAILED,
                        .said = joint_said(v, &fit->verdict.joint[joint - 1], joint)};
}

/* ---- is it the fit that is wrong? ---- */

#define CHANCE 1e-4 /* over all joints, as in core/sweeps/validate */

/* Larger than promised and than chance; a limit of size says neither. A fit that does not know what
 * it promises knows no better. */
static bool is_beyond_promise(const AseJointValidation *j, const ArmValidationLimits *limits,
                              guint joints) {
  const ArmJointValidation *v = &j->on_strokes;
  if (j->rows == 0 || j->has_passed ||
      (v->kind != ARM_VALIDATION_MISFIT && v->kind != ARM_VALIDATION_TOO_LARGE))
    return false;
  return v->kind == ARM_VALIDATION_MISFIT || isnan(v->promised) ||
         (v->rms > limits->promised_factor * v->promised && v->p < CHANCE / joints);
}

bool ase_gravity_is_contradicted(const AseFit *fit, const AseValidation *v,
                                 const ArmValidationLimits *limits) {
  if (arm_verdict_first(&ase_gravity_of(fit)->verdict) < ARM_TESTS)
    return false;
  for (guint j = 0; j < v->joints; j++)
    if (is_beyond_promise(&v->joint[j], limits, v->joints))
      return true;
  return false;
}
