/* SPDX-License-Identifier: MIT */
/* All parameters of a controller as a dated file, so that what was there can be brought back.
 *
 *   {"format": "armature-controller-backup", "version": 1, "date": "2026-11-21T20:09:47Z",
 *    "controller": {"name", "serial", "firmware", "schema_crc", "digest"},
 *    "parameters": [{"name", "type", "unit", "value"}, ..], "checksum": "sha256:.."}
 *
 * Both numbers of the controller are 8 hexadecimal digits. Values have 17 digits, so that all 32
 * bits come back; what is not a number is null. The checksum is that of all the rest
 * (io/json/digest.h).
 */
#ifndef ARMATURE_SESSION_BACKUP_H
#define ARMATURE_SESSION_BACKUP_H

#include <glib.h>
#include <stdbool.h>

#include "io/driver/driver.h"

typedef struct {
  char *date; /* ISO 8601, UTC */
  char *controller, *serial, *firmware;
  guint32 schema_crc, digest;
  guint n;
  AioParam *params; /* name, type, unit, value; the rest is zero */
} AseBackup;

/* Of parameters as params_get gave them, with the digest of the set in use; dated now. Never NULL.
 */
AseBackup *ase_backup_new(const AioDescription *description, const AioParam *params, guint n,
                          guint32 digest);
void ase_backup_free(AseBackup *backup); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AseBackup, ase_backup_free)

/* Writes a new file DIRECTORY/SERIAL/DATE-DIGEST.json, never over another one.
 *   directory  NULL: armature/backups in the user's data directory
 * The path, g_free; NULL: AIO_ERROR_IO and what else aio_file_write_atomic reports. */
char *ase_backup_save(const AseBackup *backup, const char *directory, GError **error);

/* NULL with "file:line:column: key: expected X, found Y": AIO_ERROR_NOT_FOUND, AIO_ERROR_IO,
 * AIO_ERROR_TOO_LARGE, AIO_ERROR_SYNTAX, AIO_ERROR_MEANING (a key or value is wrong, or the file
 * was changed after it was written), AIO_ERROR_REFUSED (a newer version). */
AseBackup *ase_backup_load(const char *path, GError **error);
AseBackup *ase_backup_load_bytes(const char *name, const char *bytes, gsize length, GError **error);

/* false with AIO_ERROR_REFUSED, naming both: made of another controller, or of other firmware with
 * other parameters. */
bool ase_backup_fits(const AseBackup *backup, const AioDescription *description, GError **error);

#endif
