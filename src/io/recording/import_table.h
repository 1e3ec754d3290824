/* SPDX-License-Identifier: MIT */
/* The columns a column map asks for, read from CSV or JSON. */
#ifndef ARMATURE_IO_IMPORT_TABLE_H
#define ARMATURE_IO_IMPORT_TABLE_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"
#include "io/recording/column_map.h"

typedef struct AioImportTable AioImportTable;

/* Reads the file whole. NULL: what aio_csv_new, aio_csv_read and aio_json_parse report;
 * AIO_ERROR_MEANING at the place in the map that names a column the file does not have.
 * Free with aio_import_table_free (NULL allowed). */
AioImportTable *aio_import_table_load(const char *path, const AioColumnMap *map, GError **error);
/* The same from bytes, called `name` in messages. */
AioImportTable *aio_import_table_parse(const char *name, const char *bytes, gsize length,
                                       const AioColumnMap *map, GError **error);
void aio_import_table_free(AioImportTable *table);

gsize aio_import_table_rows(const AioImportTable *table);
/* The file's raw values of a channel of the map that has a column, aio_import_table_rows long;
 * NULL when it has none. */
const double *aio_import_table_values(const AioImportTable *table, const AioMapChannel *channel);
/* Line of the file in which a row begins. */
guint aio_import_table_line(const AioImportTable *table, gsize row);

#endif
