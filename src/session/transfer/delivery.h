/* SPDX-License-Identifier: MIT */
/* What a session asks of a transfer, as one task from beginning to end, and where it is:
 *
 *   upload   read -> the owner makes a set for what was read -> backup, write, read back
 *   verify   the proof of that upload, after a restart
 *   restore  a backup, in place of what the controller has
 *
 * One at a time. It knows no steps and no fit: what is to be uploaded, and what follows from the
 * end, is its owner's. Everything in the thread (and default main context) that made it.
 */
#ifndef ARMATURE_SESSION_DELIVERY_H
#define ARMATURE_SESSION_DELIVERY_H

#include "session/transfer/transfer.h"

typedef enum {
  ASE_DELIVERY_NONE,
  ASE_DELIVERY_UPLOAD,
  ASE_DELIVERY_VERIFY,
  ASE_DELIVERY_RESTORE
} AseDeliveryTask;

/* Whom it tells; all functions get `object` first. */
typedef struct {
  gpointer object; /* a GObject, kept while one of these runs, but not otherwise */
  /* For the controller's n parameters as they were read just now; taken over. NULL with an error:
   * the upload ends with it, and nothing was written. */
  AseParamSet *(*make)(gpointer object, const AioParam *params, guint n, GError **error);
  /* As AseTransfer's "progress": part NAN, the words are for the user. */
  void (*progress)(gpointer object, AseDeliveryTask task, const char *what, double part);
  /* The task is over, another one may begin. */
  void (*ended)(gpointer object, AseDeliveryTask task, bool is_done, const char *text);
} AseDeliveryOwner;

typedef struct AseDelivery AseDelivery;

/* device, directory: as ase_transfer_new. */
AseDelivery *ase_delivery_new(AseDevice *device, const char *directory,
                              const AseDeliveryOwner *owner);
void ase_delivery_free(AseDelivery *delivery); /* NULL allowed */

/* false: what ase_transfer_read, ase_transfer_verify and ase_transfer_restore (not forced) report;
 * otherwise `ended` follows, never before the function returns. */
bool ase_delivery_upload(AseDelivery *delivery, GError **error);
bool ase_delivery_verify(AseDelivery *delivery, const AseTransferProof *proof, GError **error);
bool ase_delivery_restore(AseDelivery *delivery, const AseBackup *backup, GError **error);

/* As ase_transfer_cancel; nothing where nothing runs. NULL allowed. */
void ase_delivery_cancel(AseDelivery *delivery);

/* What runs. NULL allowed. */
AseDeliveryTask ase_delivery_task(const AseDelivery *delivery);

/* Of the last task: what was read, where the backup is, what differs. Borrowed. NULL allowed. */
AseTransfer *ase_delivery_transfer(const AseDelivery *delivery);

#endif
