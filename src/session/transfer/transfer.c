/* SPDX-License-Identifier: MIT */
/* Who may begin what, and how a task ends; its way is transfer_steps.c. Results are cleared when a
 * task begins: nothing of an earlier one can be taken for this one's. */
#include "io/base/said.h"
#include "session/transfer/transfer_internal.h"

#include <glib/gi18n-lib.h>

G_DEFINE_FINAL_TYPE(AseTransfer, ase_transfer, G_TYPE_OBJECT)

enum { PROGRESS, FINISHED, SIGNALS };
static guint signals[SIGNALS];

/* ---- tasks ---- */

static void clear_inputs(AseTransfer *self) {
  g_clear_pointer(&self->failure, g_free);
  g_clear_pointer(&self->restored, g_free);
  g_clear_pointer(&self->before, g_free);
  g_clear_pointer(&self->after, g_free);
}

static void clear_results(AseTransfer *self) {
  g_clear_pointer(&self->params, g_free);
  g_clear_pointer(&self->path, g_free);
  g_clear_pointer(&self->differences, g_array_unref);
  g_clear_pointer(&self->missing, g_ptr_array_unref);
  self->has_proof = false;
}

static void clear_source(AseTransfer *self) {
  if (self->source)
    g_source_remove(self->source);
  self->source = 0;
}

void ase_transfer_finish(AseTransfer *self, bool is_done, char *text) {
  clear_source(self);
  clear_inputs(self);
  self->task = TASK_NONE;
  g_object_ref(self);
  g_signal_emit(self, signals[FINISHED], 0, is_done, text);
  g_object_unref(self);
  g_free(text);
}

void ase_transfer_progress(AseTransfer *self, const char *what, double part) {
  g_signal_emit(self, signals[PROGRESS], 0, what, part);
}

const AioDescription *ase_transfer_ready(AseTransfer *self) {
  return ase_device_link(self->device) == ASE_LINK_READY ? ase_device_description(self->device)
                                                         : NULL;
}

/* ---- beginning ---- */

static gboolean on_begin(gpointer data) {
  AseTransfer *self = data;
  self->source = 0;
  ase_transfer_run(self);
  return G_SOURCE_REMOVE;
}

static bool refuse(GError **error, const char *words) {
  aio_error_set_kept(error, AIO_ERROR_REFUSED, aio_said_word(words));
  return false;
}

static bool may_read(AseTransfer *self, GError **error) {
  if (self->task != TASK_NONE)
    return refuse(error, N_("parameters are being read or written already; wait for the end"));
  if (!ase_transfer_ready(self))
    return refuse(error, N_("the controller is not connected; connect it first"));
  return true;
}

static bool may_write(AseTransfer *self, GError **error) {
  if (!may_read(self, error))
    return false;
  if (ase_transfer_ready(self)->is_read_only)
    return refuse(error,
                  N_("the controller speaks another version of the protocol: it can be read, "
                     "but not written; update its firmware or this program"));
  const AioState *state = ase_device_state(self->device);
  if (state->state == AIO_DEVICE_ARMED || state->motion != AIO_MOTION_NONE)
    return refuse(error, N_("the arm is armed or moving, its parameters cannot be written now; "
                            "disarm it first"));
  return true;
}

static void begin(AseTransfer *self, Task task) {
  clear_inputs(self);
  clear_results(self);
  self->task = task;
  self->step = STEP_BEGIN;
  self->is_cancelled = false;
  self->source = g_idle_add(on_begin, self);
}

bool ase_transfer_read(AseTransfer *self, GError **error) {
  if (!may_read(self, error))
    return false;
  begin(self, TASK_READ);
  return true;
}

bool ase_transfer_upload(AseTransfer *self, const AseParamSet *set, GError **error) {
  if (!may_write(self, error))
    return false;
  begin(self, TASK_UPLOAD);
  self->n_set = set->n;
  self->before = g_memdup2(set->before, set->n * sizeof *set->before);
  self->after = g_memdup2(set->after, set->n * sizeof *set->after);
  return true;
}

bool ase_transfer_restore(AseTransfer *self, const AseBackup *backup, bool is_forced,
                          GError **error) {
  if (!may_write(self, error) ||
      (!is_forced && !ase_backup_fits(backup, ase_transfer_ready(self), error)))
    return false;
  begin(self, TASK_RESTORE);
  self->n_restored = backup->n;
  self->restored = g_memdup2(backup->params, backup->n * sizeof *backup->params);
  return true;
}

bool ase_transfer_verify(AseTransfer *self, const AseTransferProof *proof, bool may_restart,
                         GError **error) {
  if (self->task != TASK_NONE)
    return may_read(self, error);
  if (proof->boot_count == 0)
    return refuse(error, N_("the controller does not count its starts, so that a restart cannot be "
                            "told; compare its parameters by hand after switching it off and on"));
  if (ase_device_is_armed(self->device))
    return refuse(error, N_("the arm is armed; disarm it first, then restart the controller"));
  begin(self, TASK_VERIFY);
  self->expected = *proof;
  self->may_restart = may_restart;
  return true;
}

void ase_transfer_cancel(AseTransfer *self) {
  self->is_cancelled = true;
}

/* ---- the object ---- */

bool ase_transfer_is_running(AseTransfer *self) {
  return self->task != TASK_NONE;
}

const AioParam *ase_transfer_params(AseTransfer *self, guint *n) {
  *n = self->params ? self->n : 0;
  return self->params;
}

const char *ase_transfer_backup_path(AseTransfer *self) {
  return self->path;
}
const GArray *ase_transfer_differences(AseTransfer *self) {
  return self->differences;
}
const AseTransferProof *ase_transfer_proof(AseTransfer *self) {
  return self->has_proof ? &self->proof : NULL;
}
const GPtrArray *ase_transfer_missing(AseTransfer *self) {
  return self->missing;
}

AseTransfer *ase_transfer_new(AseDevice *device, const char *directory) {
  AseTransfer *self = g_object_new(ASE_TYPE_TRANSFER, NULL);
  self->device = g_object_ref(device);
  self->directory = g_strdup(directory);
  return self;
}

static void ase_transfer_init(AseTransfer *self) {
  (void)self;
}

static void ase_transfer_finalize(GObject *object) {
  AseTransfer *self = ASE_TRANSFER(object);
  clear_source(self);
  clear_inputs(self);
  clear_results(self);
  g_free(self->directory);
  g_clear_object(&self->device);
  G_OBJECT_CLASS(ase_transfer_parent_class)->finalize(object);
}

static void ase_transfer_class_init(AseTransferClass *klass) {
  G_OBJECT_CLASS(klass)->finalize = ase_transfer_finalize;
  const GType type = G_TYPE_FROM_CLASS(klass);
  signals[PROGRESS] = g_signal_new("progress", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_DOUBLE);
  signals[FINISHED] = g_signal_new("finished", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                   G_TYPE_NONE, 2, G_TYPE_BOOLEAN, G_TYPE_STRING);
}
