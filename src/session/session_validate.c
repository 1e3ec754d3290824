/* SPDX-License-Identifier: MIT */
/* VALIDATE as a job: sweeps that no fit has seen, judged joint by joint. */
#include "session/session_validate.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "io/base/said.h"
#include "io/params/held_out.h"
#include "session/base/text.h"
#include "session/session_job.h"

static const AseFit *fit_of(const AseSession *self) {
  return ase_results_fit(self->results);
}

/* Computes it without judging. */
static void compute_now(AseSession *self) {
  ase_results_want_validation(self->results, false);
  AseValidation *v = g_new0(AseValidation, 1);
  ArmValidationLimits limits;
  ase_edits_validation_limits(self->edits, &limits);
  if (ase_session_measuring(self)->validate(v, &self->arm->model, ase_record_runs(self->record),
                                            fit_of(self), &self->edits->rows, &limits,
                                            self->edits->drift_limit, NULL))
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

bool ase_session_is_contradicted(AseSession *self) {
  ArmValidationLimits limits;
  if (!fit_of(self) || ase_procedure_state(self->procedure, ASE_STEP_VALIDATE) != ASE_STATE_FAILED)
    return false;
  const AseValidation *v = ase_session_validation(self);
  ase_edits_validation_limits(self->edits, &limits);
  return v && ase_session_measuring(self)->is_contradicted(fit_of(self), v, &limits);
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
  const AseMeasuring *measuring;
  ArmModel model;
  GPtrArray *runs;
  AseFit *fit;
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
  if (work->measuring->validate(result, &work->model, work->runs, work->fit, &work->rows,
                                &work->limits, work->drift_limit, &work->error))
    work->result = g_steal_pointer(&result);
  g_free(result);
}

static void judge(AseSession *self) {
  const AseMeasuring *measuring = ase_session_measuring(self);
  const AseValidation *v = ase_results_validation(self->results);
  for (guint joint = 1; joint <= self->procedure->joints; joint++) {
    const AseJudgement judgement = measuring->judge_validation(fit_of(self), v, joint);
    ase_session_take_judgement(self, ASE_STEP_VALIDATE, joint, &judgement);
  }
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
    judge(self);
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
  work->measuring = ase_session_measuring(self);
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
