/* SPDX-License-Identifier: MIT */
/* An upload is two tasks of a transfer, a reading and a writing, and its owner is asked in between;
 * the others are one. Nothing is told that the transfer was not asked for here. */
#include "session/transfer/delivery.h"

#include <glib/gi18n-lib.h>

#include "io/base/said.h"

struct AseDelivery {
  AseDeliveryOwner owner;
  AseTransfer *transfer;
  AseDeliveryTask task;
  bool is_writing; /* an upload has read, and its set is on the way */
  bool is_cancelled;
};

/* Last: the owner may free it. */
static void end(AseDelivery *self, bool is_done, const char *text) {
  const AseDeliveryTask task = self->task;
  self->task = ASE_DELIVERY_NONE;
  self->is_writing = false;
  self->owner.ended(self->owner.object, task, is_done, text);
}

/* The controller's parameters have been read. */
static bool write_set(AseDelivery *self, GError **error) {
  guint n;
  const AioParam *params = ase_transfer_params(self->transfer, &n);
  AseParamSet *set = self->owner.make(self->owner.object, params, n, error);
  if (!set)
    return false;
  self->is_writing = ase_transfer_upload(self->transfer, set, error);
  ase_param_set_free(set);
  return self->is_writing;
}

static void on_finished(AseTransfer *transfer, gboolean is_done, const char *text,
                        AseDelivery *self) {
  GError *error = NULL;
  (void)transfer;
  if (self->task == ASE_DELIVERY_NONE)
    return;
  gpointer object = g_object_ref(self->owner.object);
  const bool has_read = is_done && self->task == ASE_DELIVERY_UPLOAD && !self->is_writing;
  if (!has_read)
    end(self, is_done, text);
  else if (self->is_cancelled) /* a reading does not look at it */
    end(self, false, aio_said_word(N_("cancelled; nothing was written")));
  else if (!write_set(self, &error))
    end(self, false, aio_error_said(error));
  g_clear_error(&error);
  g_object_unref(object);
}

static void on_progress(AseTransfer *transfer, const char *what, double part, AseDelivery *self) {
  gpointer object = g_object_ref(self->owner.object);
  (void)transfer;
  self->owner.progress(object, self->task, what, part);
  g_object_unref(object);
}

AseDelivery *ase_delivery_new(AseDevice *device, const char *directory,
                              const AseDeliveryOwner *owner) {
  AseDelivery *self = g_new0(AseDelivery, 1);
  self->owner = *owner;
  self->transfer = ase_transfer_new(device, directory);
  g_signal_connect(self->transfer, "finished", G_CALLBACK(on_finished), self);
  g_signal_connect(self->transfer, "progress", G_CALLBACK(on_progress), self);
  return self;
}

void ase_delivery_free(AseDelivery *self) {
  if (!self)
    return;
  g_signal_handlers_disconnect_by_data(self->transfer, self);
  g_object_unref(self->transfer);
  g_free(self);
}

static bool began(AseDelivery *self, AseDeliveryTask task, bool ok) {
  if (ok) {
    self->task = task;
    self->is_cancelled = false;
  }
  return ok;
}

bool ase_delivery_upload(AseDelivery *self, GError **error) {
  return began(self, ASE_DELIVERY_UPLOAD, ase_transfer_read(self->transfer, error));
}

/* A controller that can is restarted by command. */
bool ase_delivery_verify(AseDelivery *self, const AseTransferProof *proof, GError **error) {
  return began(self, ASE_DELIVERY_VERIFY, ase_transfer_verify(self->transfer, proof, true, error));
}

bool ase_delivery_restore(AseDelivery *self, const AseBackup *backup, GError **error) {
  return began(self, ASE_DELIVERY_RESTORE,
               ase_transfer_restore(self->transfer, backup, false, error));
}

void ase_delivery_cancel(AseDelivery *self) {
  if (ase_delivery_task(self) == ASE_DELIVERY_NONE)
    return;
  self->is_cancelled = true;
  ase_transfer_cancel(self->transfer);
}

AseDeliveryTask ase_delivery_task(const AseDelivery *self) {
  return self ? self->task : ASE_DELIVERY_NONE;
}

AseTransfer *ase_delivery_transfer(const AseDelivery *self) {
  return self ? self->transfer : NULL;
}
