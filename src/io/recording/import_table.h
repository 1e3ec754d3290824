/* SPDX-License-Identifier: MIT */
/* The columns a column map asks for, read from CSV or JSON. */
#ifndef ARMATURE_IO_IMPORT_TABLE_H
#define ARMATURE_IO_IMPORT_TABLE_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"
#include "io/recording/column_map.h"

typedef struct AioImportTable AioImportTable;

/* A CSV file is looked through once and then read some rows at a time, in memory that does not grow
 * with it; JSON whole. It has no rows until the first aio_import_table_next. The map is borrowed.
 * NULL: what aio_csv_open_as and aio_json_parse report; AIO_ERROR_MEANING at the place in the map
 * that names a column the file does not have. Free with aio_import_table_free (NULL allowed). */
AioImportTable *aio_import_table_open(const char *path, const AioColumnMap *map, GError **error);
/* The same from bytes, borrowed, called `name` in messages: all rows come at once. */
AioImportTable *aio_import_table_parse(const char *name, const char *bytes, gsize length,
                                       const AioColumnMap *map, GError **error);
void aio_import_table_free(AioImportTable *table);

/* Rows that come at once, at most. */
gsize aio_import_table_room(const AioImportTable *table);

/* The next rows take the place of those before, and are counted from 0 by the functions below.
 * None: the table has ended. false: what aio_csv_next and aio_csv_read report. */
bool aio_import_table_next(AioImportTable *table, GError **error);

gsize aio_import_table_rows(const AioImportTable *table);
/* The file's raw values of a channel of the map that has a column, aio_import_table_rows long;
 * NULL when it has none. */
const double *aio_import_table_values(const AioImportTable *table, const AioMapChannel *channel);
/* Line of the file in which a row begins. */
guint aio_import_table_line(const AioImportTable *table, gsize row);

#endif
