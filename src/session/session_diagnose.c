/* SPDX-License-Identifier: MIT */
/* What may cause a misfit, as a job beside the steps': no state of a step changes. Where a fit
 * without a misfit fails its validation, the misfit is between the two: it is looked for in the
 * sweeps of both, fitted as one recording. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/params/diagnosis_file.h"
#include "session/session_edits.h"
#include "session/session_select.h"

const AseDiagnosis *ase_session_diagnosis(AseSession *self) {
  return ase_diagnosing_told(self->diagnosing);
}

static bool has_alarm(const AseSession *self) {
  return ase_session_measuring(self)->verdict(ase_results_fit(self->results)).has_alarm;
}

bool ase_session_may_diagnose(AseSession *self, GError **error) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  if (ase_diagnosing_is_on(self->diagnosing))
    return ase_session_refuse(error, N_("the cause is being looked for"));
  if (!ase_session_is_free(self, error))
    return false;
  if (!ase_results_fit(self->results))
    return ase_session_refuse(error, N_("nothing has been fitted yet"));
  if (!ase_state_is_done(state) && state != ASE_STATE_FAILED)
    return ase_session_refuse(error, N_("the fit is out of date; fit again first"));
  return has_alarm(self) || ase_session_is_contradicted(self) ||
         ase_session_refuse(error, N_("there is no misfit to look for the cause of"));
}

bool ase_session_diagnose(AseSession *self, GError **error) {
  if (!ase_session_may_diagnose(self, error))
    return false;
  AseDiagnosingTask task = {.model = &self->arm->model,
                            .runs = ase_record_ref_runs(self->record),
                            .exclusions = ase_session_exclusions(self),
                            .is_together = !has_alarm(self)};
  arm_fit_options_default(&task.options);
  task.options.rows = self->edits->rows;
  task.options.limits = self->edits->misfit;
  ase_session_measuring(self)->offer_terms(ase_results_fit(self->results),
                                           task.options.offers_term);
  ase_diagnosing_start(self->diagnosing, &task);
  return true;
}

void ase_session_cancel_diagnosis(AseSession *self) {
  ase_diagnosing_cancel(self->diagnosing);
}

/* ---- the arm that a cause implies ---- */

static AioArm *load_arm(const AseSession *self, GError **error) {
  const char *text = ase_editor_arm_json(self->editor);
  return aio_arm_load_stored(ase_editor_arm_name(self->editor), text, strlen(text), error);
}

/* A copy with the correction; NULL: error set. */
static AioArm *correct(AseSession *self, guint k, GError **error) {
  const AseDiagnosis *d = ase_diagnosing_told(self->diagnosing);
  char *reason = NULL;
  if (d->state != ASE_DIAGNOSIS_DONE || k >= d->causes.count) {
    ase_session_refuse(error, N_("this cause is no longer known; look for it again"));
    return NULL;
  }
  if (!d->causes.at[k].explains_it) {
    ase_session_refuse(error, N_("this cause does not explain the misfit"));
    return NULL;
  }
  AioArm *arm = load_arm(self, error);
  if (!arm || aio_diagnosis_correct(arm, &d->causes.at[k], &reason))
    return arm;
  ase_session_refuse(error, reason);
  g_free(reason);
  aio_arm_free(arm);
  return NULL;
}

bool ase_session_may_correct(AseSession *self, guint k, GError **error) {
  AioArm *arm = correct(self, k, error);
  aio_arm_free(arm);
  return arm != NULL;
}

bool ase_session_correct(AseSession *self, guint k, GError **error) {
  AioArm *arm = correct(self, k, error);
  if (!arm)
    return false;
  char *text = aio_arm_format(arm, NULL);
  const bool ok =
      ase_session_set_arm_as(self, text, _("correct the arm as the diagnosis says"), error);
  g_free(text);
  aio_arm_free(arm);
  return ok;
}
