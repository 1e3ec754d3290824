/* SPDX-License-Identifier: MIT */
/* What is different: the arm file and what the controller says of itself; the controller's
 * parameters and those of a backup. Lists of sentences for people, one per field; empty: nothing.
 */
#ifndef ARMATURE_UI_COMPARE_H
#define ARMATURE_UI_COMPARE_H

#include "io/arm/arm_file.h"
#include "session/transfer/backup.h"

/* Number and kind of joints, their limits. Of char *, g_ptr_array_unref. */
GPtrArray *aui_compare_device(const AioArm *arm, const AioDescription *description);

/* By names; what only one of them has is a difference too. */
GPtrArray *aui_compare_backup(const AseBackup *backup, const AioParam *params, guint n);

/* The newest backup of the controller with this serial number.
 *   directory  of backups; NULL: the default of ase_backup_save
 * NULL: AIO_ERROR_NOT_FOUND. Files that are no backups are passed over. Free with ase_backup_free.
 */
AseBackup *aui_last_backup(const char *directory, const char *serial, GError **error);

#endif
