/* SPDX-License-Identifier: MIT */
/* Turns another tool's table into a recording: SI, joint side, one moving joint per row.
 *
 * Time is counted from the file's first row. What cannot be fitted is refused with its reason:
 * rows without time, time that repeats or runs back, stale, unsigned or constant currents
 * (io/recording/current_check.h), pointers and other files in place of a table (io/csv/csv.h).
 */
#ifndef ARMATURE_IO_IMPORT_H
#define ARMATURE_IO_IMPORT_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"
#include "io/recording/column_map.h"
#include "io/recording/recording.h"
#include "io/recording/row_store.h"

/* One column of the result, over the rows kept; numbers in SI, joint side. */
typedef struct {
  char name[24]; /* as in a recording: "qd3_m_s" */
  gsize count;   /* measured values */
  double min, max;
  double rate_Hz;    /* measured values per second */
  double refresh_Hz; /* changes of the value per second */
} AioImportChannel;

typedef struct {
  gsize rows_read, rows_kept;
  gsize rows_before, rows_after;         /* dropped by from_s and to_s */
  gsize rows_moving[ARM_MAX_JOINTS + 1]; /* rows kept, by moving joint from 1; [0] none */
  double duration_s, median_step_s;      /* of the rows kept; NAN with one row */
  GArray *channels;                      /* AioImportChannel */
} AioImportReport;

/* Imports a file, in memory that does not grow with its rows (of JSON: only the table is held); the
 * model is borrowed.
 *   report  out, may be NULL; on success the caller clears it
 * NULL: AIO_ERROR_REFUSED as above; AIO_ERROR_MEANING: the map does not fit the arm or the file;
 * what aio_import_table_open and aio_import_table_next report. Outputs untouched on failure. */
AioRowStore *aio_import_rows(const char *path, const AioColumnMap *map, const ArmModel *model,
                             AioImportReport *report, GError **error);
/* The same as a recording in memory. */
AioRecording *aio_import(const char *path, const AioColumnMap *map, const ArmModel *model,
                         AioImportReport *report, GError **error);
/* The same from bytes, called `name` in messages. */
AioRecording *aio_import_bytes(const char *name, const char *bytes, gsize length,
                               const AioColumnMap *map, const ArmModel *model,
                               AioImportReport *report, GError **error);
void aio_import_report_clear(AioImportReport *report);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AioImportReport, aio_import_report_clear)

#endif
