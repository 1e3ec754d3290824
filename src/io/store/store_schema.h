/* SPDX-License-Identifier: MIT */
/* The tables of a session file and their versions; private to the store_*.c files. What they mean
 * is told in docs/session-file.md. */
#ifndef ARMATURE_IO_STORE_SCHEMA_H
#define ARMATURE_IO_STORE_SCHEMA_H

#include "io/store/store_sql.h"

/* "ARMs", at byte 68 of the file, and the version at byte 60, both big-endian. */
#define AIO_SCHEMA_NUMBER 3
enum {
  AIO_SCHEMA_APPLICATION = 0x41524d73,
  AIO_SCHEMA_VERSION = AIO_SCHEMA_NUMBER,
  AIO_SCHEMA_PACKS = 3,   /* since then there is a table of packs */
  AIO_SCHEMA_READABLE = 2 /* read as it is; older ones are migrated first */
};

/* An empty session. */
bool aio_schema_create(AioSql *sql, GError **error);

/* Nothing but a session of a version that this program knows: each table and index as this program
 * would create it, no view, trigger or further table, structure sound; the connection may then
 * touch its tables. Without looks_through the structure is taken for sound. false:
 * AIO_ERROR_SYNTAX; AIO_ERROR_REFUSED: of a newer program, or not a session. */
bool aio_schema_check(AioSql *sql, bool looks_through, int *version, GError **error);

/* Without looking: the connection may touch the tables of a session that was checked already. */
void aio_schema_trust(AioSql *sql);

/* Of a session that was checked. false: its version cannot be read. */
bool aio_schema_version(AioSql *sql, gint64 *version, GError **error);

/* From `version` to the present one, whole or not at all. */
bool aio_schema_migrate(AioSql *sql, int version, GError **error);

#endif
