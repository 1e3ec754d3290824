/* SPDX-License-Identifier: MIT */
/* Parameters to a controller, so that nothing is lost and nothing is believed without proof:
 *
 *   read -> backup on disk -> staged upload, COMMIT -> read back, compared field by field
 *   restart -> the digest of the stored set is still the one that was written
 *
 * One task at a time. A controller that loses power or its cable amid an upload has the old set or
 * the new one whole; the task then waits some seconds for it to come back, reads what it has, and
 * says which. Everything happens in the thread (and default main context) that made the object.
 *
 * Signals:
 *   "progress"  (const char *what, double part)    part 0..1; NAN: it depends on the user
 *   "finished"  (gboolean is_done, const char *text)   what was done; or what failed, what the
 *                                                      controller has now, and the remedy
 * What they say are sentences of io/base/said. Not from within a function that returned false.
 */
#ifndef ARMATURE_SESSION_TRANSFER_H
#define ARMATURE_SESSION_TRANSFER_H

#include <glib-object.h>
#include <stdbool.h>

#include "session/device/device.h"
#include "session/transfer/backup.h"
#include "session/transfer/controller_params.h"
#include "session/transfer/proof.h"

#define ASE_TYPE_TRANSFER (ase_transfer_get_type())
G_DECLARE_FINAL_TYPE(AseTransfer, ase_transfer, ASE, TRANSFER, GObject)

/* Keeps a reference to the device.
 *   directory  of backups, copied; NULL: the default of ase_backup_save */
AseTransfer *ase_transfer_new(AseDevice *device, const char *directory);

/* All of these: false with AIO_ERROR_REFUSED and the remedy when the task cannot begin (not
 * connected, read only, armed or moving, another task runs); otherwise "finished" follows, never
 * before the function returns. */

/* Reads all parameters: then ase_transfer_params. */
bool ase_transfer_read(AseTransfer *self, GError **error);

/* Backup, upload, COMMIT, read back. `set` (copied) was made from parameters that were read before;
 * when the controller has others by now, nothing is written. */
bool ase_transfer_upload(AseTransfer *self, const AseParamSet *set, GError **error);

/* Brings the parameters of a backup (which is copied) back, by upload; what is there now is backed
 * up first. Also false: ase_backup_fits, unless forced; parameters are then matched by name. Of an
 * arm with another number of joints nothing is written, forced or not. */
bool ase_transfer_restore(AseTransfer *self, const AseBackup *backup, bool is_forced,
                          GError **error);

/* Waits for a restart after the proof was made (one that has happened already counts), then
 * compares the digests. The link may be lost meanwhile, and is expected back.
 *   may_restart  a controller that can plant faults is restarted by command; others, and all if
 *                false, by the user, for whom "progress" has words */
bool ase_transfer_verify(AseTransfer *self, const AseTransferProof *proof, bool may_restart,
                         GError **error);

/* Ends the task within a moment, if it still can: what is on its way to the controller is finished
 * first, and "finished" says how. */
void ase_transfer_cancel(AseTransfer *self);

bool ase_transfer_is_running(AseTransfer *self);

/* ---- of the last task; borrowed, valid until the next one ---- */

/* As read last, in the controller's order; NULL: not read. */
const AioParam *ase_transfer_params(AseTransfer *self, guint *n);
/* Of what the controller had before an upload or restore; NULL: none was written. */
const char *ase_transfer_backup_path(AseTransfer *self);
/* What was read back differently than written, of AseParamChange; NULL: nothing was read back. */
const GArray *ase_transfer_differences(AseTransfer *self);
/* What to verify after an upload or restore that was done; NULL otherwise. */
const AseTransferProof *ase_transfer_proof(AseTransfer *self);
/* Sentences of io/base/said about what a restore could not bring back; NULL: nothing to say. */
const GPtrArray *ase_transfer_missing(AseTransfer *self);

#endif
