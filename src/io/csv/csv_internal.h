/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_CSV_INTERNAL_H
#define ARMATURE_IO_CSV_INTERNAL_H

#include "io/csv/csv.h"

typedef struct AioCsvFile AioCsvFile;

struct AioCsv {
  char *name;
  const char *bytes; /* borrowed, behind any byte-order mark; of a file: the window's */
  AioCsvFormat format;
  const char *header; /* its line, meaningful with format.has_header */
  gsize columns, rows;
  gsize before;  /* rows before the window */
  bool has_last; /* the last row is that of the table */
  gsize *starts; /* rows + 1 offsets of lines; the last is one behind the last line's end */
  char **names;  /* columns */
  AioCsvFile *file;
};

/* Looks at the first line: separator, number of cells, names.
 *   limit  where the bytes end */
bool aio_csv_read_first_line(AioCsv *csv, const char *begin, const char *limit, GError **error);
/* Says that nothing follows the header; returns false. */
bool aio_csv_fail_no_rows(const AioCsv *csv, GError **error);

/* Says that the skipped lines are all there is; returns false. */
bool aio_csv_fail_skipped(const AioCsv *csv, GError **error);

void aio_csv_file_free(AioCsvFile *file); /* NULL allowed */

#endif
