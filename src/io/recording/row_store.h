/* SPDX-License-Identifier: MIT */
/* Recordings to be fitted, of any size, as one: each CSV is read once, and its rows are kept beyond
 * 16 MB in a temporary file, from where a fit reads them again some at a time. They are the rows of
 * aio_recording_load_at and aio_recording_append, and so are the errors; accelerations are kept
 * where the first file has them, or one that was expected. A fit may leave its rows behind filters
 * in the store.
 */
#ifndef ARMATURE_IO_ROW_STORE_H
#define ARMATURE_IO_ROW_STORE_H

#include <glib.h>
#include <stdbool.h>

#include "core/data/shelf.h"
#include "core/data/windows.h"
#include "io/recording/recording.h"

typedef struct AioRowStore AioRowStore;

/* The model is borrowed. */
AioRowStore *aio_row_store_new(const ArmModel *model);
void aio_row_store_free(AioRowStore *store); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioRowStore, aio_row_store_free)

/* Reads one more file.
 *   rate_Hz  as in aio_recording_load_at
 *   sum      all bytes of the file are added to it; NULL: not wanted
 * false: what those two report; AIO_ERROR_IO, the temporary file. The store is then of no use. */
bool aio_row_store_add(AioRowStore *store, const char *path, double rate_Hz, GChecksum *sum,
                       GError **error);

/* A file that will be read after others: if it has accelerations, those have the column too, not
 * measured. What is wrong with it is told when it is read. */
void aio_row_store_expect(AioRowStore *store, const char *path);

/* In place of files: rows of one recording, some at a time, as aio_row_store_add keeps them; name,
 * columns and whether there are accelerations are those of the first window. After the last one
 * the end. false: AIO_ERROR_IO, the temporary file. */
bool aio_row_store_put(AioRowStore *store, const AioRecording *window, GError **error);
/* The same where no window is a recording: what it is called and has, then rows begin to end-1 of
 * each. */
void aio_row_store_begin(AioRowStore *store, const AioRecording *about, bool has_qdd);
bool aio_row_store_put_rows(AioRowStore *store, const ArmDataset *rows, gsize begin, gsize end,
                            GError **error);
bool aio_row_store_end(AioRowStore *store, GError **error);

/* Median of the time from row to row [s]; NAN: there is none. */
double aio_row_store_step(const AioRowStore *store);

/* All that is known of the recording but its rows, of which it has none here. */
const AioRecording *aio_row_store_about(const AioRowStore *store);
gsize aio_row_store_rows(const AioRowStore *store);
gsize aio_row_store_unmoved(const AioRowStore *store); /* rows with joint = 0 */

/* All rows as a recording in memory, of one that was put; its error is that of the memory or the
 * temporary file. */
AioRecording *aio_row_store_collect(AioRowStore *store, GError **error);

/* Borrows the store, to which nothing is added from here on. ARM_E_SOURCE of its windows: the
 * temporary file, with the error below. */
ArmRowSource aio_row_store_source(AioRowStore *store);
/* For what is kept of each stroke of these rows, and gone with the store. */
ArmShelf *aio_row_store_shelf(AioRowStore *store);
/* NULL: every window could be read, and the shelf had room. Owned by the store. */
const GError *aio_row_store_error(const AioRowStore *store);

#endif
