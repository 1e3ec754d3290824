/* SPDX-License-Identifier: MIT */
/* VALIDATE as a job: sweeps that no fit has seen, judged joint by joint. */
#include "session/session_validate.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "io/params/held_out.h"
#include "session/base/text.h"
#include "session/session_job.h"

static const ArmGravityFit *fit_of(const AseSession *self) {
  return ase_results_fit(self->results);
}

/* Computes it without judging. */
static void compute_now(AseSession *self) {
  ase_results_want_validation(self->results, false);
  AseValidation *v = g_new0(AseValidation, 1);
  ArmValidationLimits limits;
  ase_edits_validation_limits(self->edits, &limits);
  if (ase_validation_compute(v, &self->arm->model, ase_record_runs(self->record), fit_of(self),
                             &self->edits->rows, &limits, self->edits->drift_limit, NULL))
    ase_results_take_validation(self->results, v);
  else
    g_free(v);
}

const AseValidation *ase_session_validation(AseSession *self) {
  if (ase_results_wants_validation(self->results) && !ase_motion_is_on(self->motion) &&
      !ase_device_is_armed(self->device))
    compute_now(self);
  return ase_results_validation(self->results);
}

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

/* A joint that the fit has and no validation sweep was recorded of does not pass; one that is not
 * to be found out about has nothing to be judged. */
static void judge_unmeasured(AseSession *self, guint joint) {
  if (fit_of(self)->refined.joint[joint - 1].rows_used > 0)
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, joint,
                       aio_said_word(N_("not measured: record a validation sweep of it")));
  else
    ase_procedure_pass(self->procedure, ASE_STEP_VALIDATE, joint, aio_said_word(N_("not swept")));
}

static void judge_validation(AseSession *self, guint joint) {
  const AseValidation *v = ase_results_validation(self->results);
  const AseJointValidation *j = &v->joint[joint - 1];
  if (j->rows == 0) {
    judge_unmeasured(self, joint);
    return;
  }
  char *text = joint_said(v, &fit_of(self)->verdict.joint[joint - 1], joint);
  if (j->has_passed && !(v->has_drifted && v->drift_joint == joint))
    ase_procedure_pass(self->procedure, ASE_STEP_VALIDATE, joint, text);
  else
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, joint, text);
  g_free(text);
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

bool ase_session_is_contradicted(AseSession *self) {
  ArmValidationLimits limits;
  if (!fit_of(self) || arm_verdict_first(&fit_of(self)->verdict) < ARM_TESTS ||
      ase_procedure_state(self->procedure, ASE_STEP_VALIDATE) != ASE_STATE_FAILED)
    return false;
  const AseValidation *v = ase_session_validation(self);
  ase_edits_validation_limits(self->edits, &limits);
  for (guint j = 0; v && j < v->joints; j++)
    if (is_beyond_promise(&v->joint[j], &limits, v->joints))
      return true;
  return false;
}

/* ---- for the parameters' file ---- */

/* The file's word; COMPARED: there is nothing to be said. */
static AioHeldOutState state_of(const AseSession *self) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_VALIDATE);
  if (state == ASE_STATE_PASSED)
    return AIO_HELD_OUT_PASSED;
  if (state == ASE_STATE_FAILED)
    return AIO_HELD_OUT_FAILED;
  if (!ase_record_has_complete_of(self->record, ASE_PURPOSE_VALIDATE, 0))
    return AIO_HELD_OUT_COMPARED;
  return state == ASE_STATE_STALE ? AIO_HELD_OUT_STALE : AIO_HELD_OUT_MISSING;
}

static void take_joint(const AseSession *self, guint joint, AioJointHeldOut *out) {
  const AseJointValidation *j = &ase_results_validation(self->results)->joint[joint - 1];
  const bool is_measured = j->rows > 0;
  if (is_measured)
    *out = (AioJointHeldOut){.rows = j->rows,
                             .rms_error = j->model_error_A,
                             .rms = j->on_strokes.current,
                             .r2 = (double)NAN,
                             .promised = j->promised_A,
                             .reason = j->on_strokes.kind};
  else
    out->reason = ARM_VALIDATION_NOT_MEASURED;
  if (ase_procedure_joint_state(self->procedure, ASE_STEP_VALIDATE, joint) == ASE_STATE_FAILED)
    out->state = AIO_HELD_OUT_FAILED;
  else if (is_measured)
    out->state = AIO_HELD_OUT_PASSED;
}

GPtrArray *ase_session_held_out(AseSession *self) {
  const AioHeldOutState state = state_of(self);
  if (state == AIO_HELD_OUT_COMPARED)
    return NULL;
  GPtrArray *list = aio_held_out_list_new();
  char *name = g_path_get_basename(ase_record_path(self->record));
  AioHeldOut *held_out = aio_held_out_add(list, name);
  held_out->state = state;
  if ((state == AIO_HELD_OUT_PASSED || state == AIO_HELD_OUT_FAILED) &&
      ase_session_validation(self))
    for (guint joint = 1; joint <= ase_results_validation(self->results)->joints; joint++)
      take_joint(self, joint, &held_out->joint[joint - 1]);
  g_free(name);
  return list;
}

/* ---- the job ---- */

typedef struct {
  ArmModel model;
  GPtrArray *runs;
  ArmGravityFit *fit;
  ArmRowOptions rows;
  ArmValidationLimits limits;
  double drift_limit;
  AseValidation *result; /* NULL: none, see error */
  GError *error;
} ValidateWork;

static void validate_work_free(gpointer data) {
  ValidateWork *work = data;
  g_ptr_array_unref(work->runs);
  ase_fit_unref(work->fit);
  g_free(work->result);
  g_clear_error(&work->error);
  g_free(work);
}

static void compute_validation(AseJob *job, void *data) {
  ValidateWork *work = data;
  (void)job;
  AseValidation *result = g_new0(AseValidation, 1);
  if (ase_validation_compute(result, &work->model, work->runs, work->fit, &work->rows,
                             &work->limits, work->drift_limit, &work->error))
    work->result = g_steal_pointer(&result);
  g_free(result);
}

static void on_validated(void *data, bool is_cancelled, void *ctx) {
  ValidateWork *work = data;
  AseSession *self = ctx;
  if (is_cancelled) {
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, 0, aio_said_word(N_("cancelled")));
  } else if (!work->result) {
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, 0, aio_error_said(work->error));
  } else {
    ase_results_take_validation(self->results, g_steal_pointer(&work->result));
    for (guint joint = 1; joint <= self->procedure->joints; joint++)
      judge_validation(self, joint);
  }
  ase_session_end_job(self);
}

void ase_session_validate(AseSession *self) {
  if (!fit_of(self)) { /* its file has one of another arm */
    ase_procedure_fail(self->procedure, ASE_STEP_VALIDATE, 0,
                       aio_said_word(N_("nothing has been fitted yet")));
    ase_session_sync(self);
    return;
  }
  ase_results_want_validation(self->results, false);
  ValidateWork *work = g_new0(ValidateWork, 1);
  work->model = self->arm->model;
  work->runs = ase_record_ref_runs(self->record);
  work->fit = ase_results_ref_fit(self->results);
  work->rows = self->edits->rows;
  ase_edits_validation_limits(self->edits, &work->limits);
  work->drift_limit = self->edits->drift_limit;
  const AseJobTask task = {.work = compute_validation,
                           .data = work,
                           .free_data = validate_work_free,
                           .done = on_validated};
  ase_session_start_job(self, ASE_STEP_VALIDATE, &task);
}
