/* SPDX-License-Identifier: MIT */
/* UPLOAD and VERIFY: the fit's parameters to the controller, and the proof that it keeps them. */
#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/params/verdict_file.h"
#include "session/base/text.h"
#include "session/session_internal.h"

static void say_missing(AseSession *self, const AseParamSet *set) {
  for (guint k = 0; k < set->missing->len; k++)
    ase_session_say(self, 1, "%s", (const char *)set->missing->pdata[k]);
}

/* The controller's parameters have been read: upload the fit's. */
static bool upload(AseSession *self, GError **error) {
  guint n;
  const AioParam *params = ase_transfer_params(self->transfer, &n);
  ArmParamSet found = {0};
  if (!ase_session_may_export(self, error)) /* the arm may be edited meanwhile */
    return false;
  if (!ase_session_found(self, &found, NULL))
    return ase_session_refuse(error, _("nothing has been fitted yet"));
  AseParamSet *set = ase_param_set_from_fit(&found, params, n, error);
  arm_param_set_clear(&found);
  if (!set)
    return false;
  say_missing(self, set);
  self->is_uploading = ase_transfer_upload(self->transfer, set, error);
  ase_param_set_free(set);
  return self->is_uploading;
}

/* What the controller has now is not what was uploaded. */
static void end_restore(AseSession *self, bool is_done, const char *text) {
  if (is_done)
    ase_procedure_outdate(self->procedure, ASE_STEP_UPLOAD, text);
  ase_session_say(self, is_done ? 0 : 2, "%s", text);
}

static void end_step(AseSession *self, bool is_done, const char *text) {
  const AseStep step = self->transferring;

  if (!is_done) {
    ase_procedure_fail(self->procedure, step, 0, text);
  } else if (step == ASE_STEP_UPLOAD) {
    self->procedure->proof = *ase_transfer_proof(self->transfer);
    ase_procedure_pass(self->procedure, step, 0, text);
  } else { /* the restart made the upload stale; now it is known to hold */
    ase_procedure_pass(self->procedure, ASE_STEP_UPLOAD, 0, _("proved after a restart"));
    ase_procedure_pass(self->procedure, step, 0, text);
  }
  ase_session_say(self, is_done ? 0 : 2, "%s: %s", ase_step_title(step), text);
}

static void end_transfer(AseSession *self, bool is_done, const char *text) {
  const bool is_restoring = self->is_restoring;
  self->is_transferring = self->is_uploading = self->is_restoring = false;
  if (is_restoring)
    end_restore(self, is_done, text);
  else
    end_step(self, is_done, text);
  ase_session_sync(self);
  ase_session_emit_changed(self);
}

static void on_finished(AseTransfer *transfer, gboolean is_done, const char *text,
                        AseSession *self) {
  (void)transfer;
  if (!self->is_transferring)
    return;
  GError *error = NULL;
  const bool has_read = is_done && self->transferring == ASE_STEP_UPLOAD && !self->is_uploading &&
                        !self->is_restoring;
  if (!has_read)
    end_transfer(self, is_done, text);
  else if (!upload(self, &error))
    end_transfer(self, false, error->message);
  g_clear_error(&error);
}

static void on_progress(AseTransfer *transfer, const char *what, double part, AseSession *self) {
  (void)transfer;
  if (isnan(part))
    ase_session_say(self, 0, "%s", what);
  else
    ase_session_emit_progress(self, self->transferring, part, (double)NAN);
}

static void make_transfer(AseSession *self) {
  if (self->transfer)
    return;
  self->transfer = ase_transfer_new(self->device, NULL);
  g_signal_connect_object(self->transfer, "finished", G_CALLBACK(on_finished), self, 0);
  g_signal_connect_object(self->transfer, "progress", G_CALLBACK(on_progress), self, 0);
}

AseTransfer *ase_session_transfer(AseSession *self) {
  return self->transfer;
}

bool ase_session_restore(AseSession *self, const char *path, GError **error) {
  if (!ase_session_is_free(self, error))
    return false;
  if (self->is_read_only)
    return ase_session_refuse(error, _("this session is open for reading only"));
  AseBackup *backup = ase_backup_load(path, error);
  make_transfer(self);
  const bool ok = backup && ase_transfer_restore(self->transfer, backup, false, error);
  ase_backup_free(backup);
  if (!ok)
    return false;
  self->transferring = ASE_STEP_UPLOAD;
  self->is_transferring = self->is_restoring = true;
  ase_session_forget_standing(self);
  return true;
}

bool ase_session_has_validation_sweeps(const AseSession *self) {
  for (guint k = 0; k < self->runs->len; k++) {
    const AseRun *run = self->runs->pdata[k];
    if (run->purpose == ASE_PURPOSE_VALIDATE && run->is_complete)
      return true;
  }
  return false;
}

/* Failed; or out of date, or never judged, though there is what it could be judged on. */
static bool is_unvalidated(const AseSession *self) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_VALIDATE);
  return state == ASE_STATE_FAILED ||
         (state != ASE_STATE_PASSED && self->fit && ase_session_has_validation_sweeps(self));
}

/* What neither a misfit nor a doubt tells: the verdict is "unknown", or the step did not pass. */
static bool is_unjudged(const AseSession *self) {
  const AseStepState state = ase_procedure_state(self->procedure, ASE_STEP_FIT);
  return self->fit && (self->fit->verdict.verdict == ARM_VERDICT_UNKNOWN ||
                       state == ASE_STATE_UNJUDGED || state == ASE_STATE_FAILED);
}

bool ase_session_upload_doubts(AseSession *self, AseUploadDoubts *out) {
  const AioDescription *d = ase_device_description(self->device);
  *out = (AseUploadDoubts){.is_misfit = self->fit && aio_verdict_is_misfit(self->fit),
                           .is_unvalidated = is_unvalidated(self)};
  if (d && !ase_procedure_is_of(self->procedure, d->serial, NULL))
    ase_text_copy(out->serial, sizeof out->serial, d->serial);
  ArmParamSet found = {0};
  if (ase_session_found(self, &found, NULL)) {
    GPtrArray *lost = ase_param_lost_terms(&found);
    out->loses_terms = lost->len > 0;
    out->is_doubtful = aio_verdict_is_doubtful(self->fit);
    g_ptr_array_unref(lost);
  }
  arm_param_set_clear(&found);
  out->is_unjudged = !out->is_misfit && !out->is_doubtful && is_unjudged(self);
  return *out->serial || out->is_misfit || out->is_doubtful || out->is_unjudged ||
         out->is_unvalidated || out->loses_terms;
}

bool ase_session_upload_anyway(AseSession *self, const AseUploadDoubts *accepted, GError **error) {
  self->accepted = accepted;
  const bool ok = ase_session_start(self, ASE_STEP_UPLOAD, error);
  self->accepted = NULL;
  return ok;
}

/* false: something stands against it that the user was not asked about. */
static bool may_upload(AseSession *self, GError **error) {
  static const AseUploadDoubts none = {.serial = ""};
  const AseUploadDoubts *accepted = self->accepted ? self->accepted : &none;
  AseUploadDoubts doubts;
  ase_session_upload_doubts(self, &doubts);
  if (*doubts.serial && strcmp(doubts.serial, accepted->serial) != 0)
    return ase_procedure_is_of(self->procedure, doubts.serial, error);
  if (doubts.is_misfit && !accepted->is_misfit)
    return ase_session_refuse(error, _("Upload: the model of the fit does not fit; find the cause "
                                       "and fit again first"));
  if (doubts.is_doubtful && !accepted->is_doubtful)
    return ase_session_refuse(
        error, _("Upload: the recording looks wrong; see the page Fit, correct it and fit "
                 "again first"));
  if (doubts.is_unjudged && !accepted->is_unjudged)
    return ase_session_refuse(error, _("Upload: nothing tells whether the fit is good; see the "
                                       "page Fit first"));
  if (doubts.is_unvalidated && !accepted->is_unvalidated)
    return ase_session_refuse(error, _("Upload: the fit has not passed its validation; see the "
                                       "page Validate first"));
  if (doubts.loses_terms && !accepted->loses_terms)
    return ase_session_refuse(error, _("Upload: the fit has friction that the controller has no "
                                       "place for"));
  return true;
}

bool ase_session_start_transfer(AseSession *self, AseStep step, GError **error) {
  make_transfer(self);
  if (step == ASE_STEP_VERIFY && !self->procedure->proof.digest)
    return ase_session_refuse(error, _("Verify: upload first"));
  if (step == ASE_STEP_UPLOAD && !self->fit)
    return ase_session_refuse(error, _("Upload: nothing has been fitted yet"));
  if (step == ASE_STEP_UPLOAD && !(ase_session_may_export(self, error) && may_upload(self, error)))
    return false;
  const bool ok = step == ASE_STEP_UPLOAD
                      ? ase_transfer_read(self->transfer, error)
                      : ase_transfer_verify(self->transfer, &self->procedure->proof, true, error);
  if (!ok)
    return false;
  self->transferring = step;
  self->is_transferring = true;
  ase_procedure_start(self->procedure, step, 0);
  return true;
}
