/* SPDX-License-Identifier: MIT */
/* UPLOAD and VERIFY: may the fit's parameters go to the controller, and what follows when they
 * have, or when they were proved. How they get there is transfer/delivery. */
#include "session/session_transfer.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "session/base/text.h"
#include "session/check.h"

static void say_missing(AseSession *self, const AseParamSet *set) {
  for (guint k = 0; k < set->missing->len; k++)
    ase_session_say(self, 1, "%s", (const char *)set->missing->pdata[k]);
}

static AseStep step_of(AseDeliveryTask task) {
  return task == ASE_DELIVERY_VERIFY ? ASE_STEP_VERIFY : ASE_STEP_UPLOAD;
}

/* CHECK has compared what was read when it was connected, if that came at all. */
static bool is_of_arm(AseSession *self, const AioParam *params, guint n, GError **error) {
  const AioDescription *d = ase_device_description(self->device);
  if (!d)
    return ase_session_refuse(error, N_("the controller is not connected; connect it first"));
  if (!ase_check_count(self->arm, d, error))
    return false;
  GPtrArray *objections = ase_check_arm(self->arm, d, params, n);
  const bool is_right = objections->len == 0;
  char *said = ase_check_said(objections);
  if (!is_right)
    ase_session_refuse_kept(error, said);
  g_free(said);
  g_ptr_array_unref(objections);
  return is_right;
}

/* The controller's parameters have been read: those of the fit for it. */
static AseParamSet *make_set(gpointer object, const AioParam *params, guint n, GError **error) {
  AseSession *self = object;
  ArmParamSet found = {0};
  if (!ase_session_may_export(self, error) || /* the arm may be edited meanwhile */
      !is_of_arm(self, params, n, error))
    return NULL;
  if (!ase_session_found(self, &found, NULL)) {
    ase_session_refuse(error, N_("nothing has been fitted yet"));
    return NULL;
  }
  AseParamSet *set = ase_param_set_from_fit(&found, params, n, error);
  arm_param_set_clear(&found);
  if (set)
    say_missing(self, set);
  return set;
}

/* What the controller has now is not what was uploaded. */
static void end_restore(AseSession *self, bool is_done, const char *text) {
  if (is_done)
    ase_procedure_outdate(self->procedure, ASE_STEP_UPLOAD, text);
  ase_session_say(self, is_done ? 0 : 2, "%s", text);
}

static void end_step(AseSession *self, AseStep step, bool is_done, const char *text) {
  if (!is_done) {
    ase_procedure_fail(self->procedure, step, 0, text);
  } else if (step == ASE_STEP_UPLOAD) {
    self->procedure->proof = *ase_transfer_proof(ase_session_transfer(self));
    ase_procedure_pass(self->procedure, step, 0, text);
  } else { /* the restart made the upload stale; now it is known to hold */
    ase_procedure_pass(self->procedure, ASE_STEP_UPLOAD, 0,
                       aio_said_word(N_("proved after a restart")));
    ase_procedure_pass(self->procedure, step, 0, text);
  }
  ase_session_say(self, is_done ? 0 : 2, "%s: %s", ase_steps_said(self->procedure->table, step),
                  text);
}

static void on_ended(gpointer object, AseDeliveryTask task, bool is_done, const char *text) {
  AseSession *self = object;
  if (task == ASE_DELIVERY_RESTORE)
    end_restore(self, is_done, text);
  else
    end_step(self, step_of(task), is_done, text);
  ase_session_sync(self);
  ase_session_emit_changed(self);
}

static void on_progress(gpointer object, AseDeliveryTask task, const char *what, double part) {
  AseSession *self = object;
  if (isnan(part))
    ase_session_say(self, 0, "%s", what);
  else
    ase_session_emit_progress(self, step_of(task), part, (double)NAN);
}

static void make_delivery(AseSession *self) {
  const AseDeliveryOwner owner = {
      .object = self, .make = make_set, .progress = on_progress, .ended = on_ended};
  if (!self->delivery)
    self->delivery = ase_delivery_new(self->device, NULL, &owner);
}

AseTransfer *ase_session_transfer(AseSession *self) {
  return ase_delivery_transfer(self->delivery);
}

bool ase_session_restore(AseSession *self, const char *path, GError **error) {
  if (!ase_session_is_free(self, error))
    return false;
  if (ase_record_is_read_only(self->record))
    return ase_session_refuse(error, N_("this session is open for reading only"));
  AseBackup *backup = ase_backup_load(path, error);
  make_delivery(self);
  const bool ok = backup && ase_delivery_restore(self->delivery, backup, error);
  ase_backup_free(backup);
  if (ok)
    ase_editor_take_standing(self->editor, NULL);
  return ok;
}

/* Failed; or out of date, or never judged, though there is what it could be judged on. */
static bool is_unvalidated(const AseSession *self) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_VALIDATE);
  return state == ASE_STATE_FAILED ||
         (state != ASE_STATE_PASSED && ase_results_fit(self->results) &&
          ase_record_has_complete_of(self->record, ASE_PURPOSE_VALIDATE, 0));
}

/* Of no fit: nothing. */
static AseVerdict verdict_on(const AseSession *self) {
  const AseFit *fit = ase_results_fit(self->results);
  return fit ? ase_session_measuring(self)->verdict(fit) : (AseVerdict){0};
}

/* What neither a misfit nor a doubt tells: the verdict is "unknown", or the step did not pass. */
static bool is_unjudged(const AseSession *self) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  return ase_results_fit(self->results) &&
         (verdict_on(self).is_untold || state != ASE_STATE_PASSED);
}

bool ase_session_upload_doubts(AseSession *self, AseUploadDoubts *out) {
  const AioDescription *d = ase_device_description(self->device);
  *out = (AseUploadDoubts){.is_misfit = verdict_on(self).is_misfit,
                           .is_unvalidated = is_unvalidated(self)};
  if (d && !ase_procedure_is_of(self->procedure, d->serial, NULL))
    ase_text_copy(out->serial, sizeof out->serial, d->serial);
  ArmParamSet found = {0};
  if (ase_session_found(self, &found, NULL)) {
    GPtrArray *lost = ase_param_lost_terms(&found);
    out->loses_terms = lost->len > 0;
    out->is_doubtful = verdict_on(self).is_doubtful;
    g_ptr_array_unref(lost);
  }
  arm_param_set_clear(&found);
  out->is_unjudged = !out->is_misfit && !out->is_doubtful && is_unjudged(self);
  return *out->serial || out->is_misfit || out->is_doubtful || out->is_unjudged ||
         out->is_unvalidated || out->loses_terms;
}

/* false: something stands against it that the user was not asked about. */
static bool may_upload(AseSession *self, const AseUploadDoubts *accepted, GError **error) {
  static const AseUploadDoubts none = {.serial = ""};
  accepted = accepted ? accepted : &none;
  AseUploadDoubts doubts;
  ase_session_upload_doubts(self, &doubts);
  if (*doubts.serial && strcmp(doubts.serial, accepted->serial) != 0)
    return ase_procedure_is_of(self->procedure, doubts.serial, error);
  if (doubts.is_misfit && !accepted->is_misfit)
    return ase_session_refuse(error, N_("Upload: the model of the fit does not fit; find the cause "
                                        "and fit again first"));
  if (doubts.is_doubtful && !accepted->is_doubtful)
    return ase_session_refuse(
        error, N_("Upload: the recording looks wrong; see the page Fit, correct it and fit "
                  "again first"));
  if (doubts.is_unjudged && !accepted->is_unjudged)
    return ase_session_refuse(error, N_("Upload: nothing tells whether the fit is good; see the "
                                        "page Fit first"));
  if (doubts.is_unvalidated && !accepted->is_unvalidated)
    return ase_session_refuse(error, N_("Upload: the fit has not passed its validation; see the "
                                        "page Validate first"));
  if (doubts.loses_terms && !accepted->loses_terms)
    return ase_session_refuse(error, N_("Upload: the fit has friction that the controller has no "
                                        "place for"));
  return true;
}

bool ase_session_start_transfer(AseSession *self, AseStep step, const AseUploadDoubts *accepted,
                                GError **error) {
  make_delivery(self);
  if (step == ASE_STEP_VERIFY && !self->procedure->proof.digest)
    return ase_session_refuse(error, N_("Verify: upload first"));
  if (step == ASE_STEP_UPLOAD && !ase_results_fit(self->results))
    return ase_session_refuse(error, N_("Upload: nothing has been fitted yet"));
  if (step == ASE_STEP_UPLOAD &&
      !(ase_session_may_export(self, error) && may_upload(self, accepted, error)))
    return false;
  const bool ok = step == ASE_STEP_UPLOAD
                      ? ase_delivery_upload(self->delivery, error)
                      : ase_delivery_verify(self->delivery, &self->procedure->proof, error);
  if (ok)
    ase_procedure_start(self->procedure, step, 0);
  return ok;
}
