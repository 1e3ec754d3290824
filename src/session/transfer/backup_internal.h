/* SPDX-License-Identifier: MIT */
/* Inside backup*.c only: what the writer and the reader of the file have to agree upon. */
#ifndef ARMATURE_SESSION_BACKUP_INTERNAL_H
#define ARMATURE_SESSION_BACKUP_INTERNAL_H

#include "session/transfer/backup.h"

#define ASE_BACKUP_FORMAT "armature-controller-backup"

enum {
  ASE_BACKUP_VERSION = 1,
  ASE_BACKUP_TYPES = AIO_PARAM_FLOAT + 1,
  ASE_BACKUP_PARAMS = 16383 /* a set of 4 bytes each has at most 65535 */
};

extern const char *const ase_backup_type_keys[ASE_BACKUP_TYPES];

#endif
