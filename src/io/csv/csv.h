/* SPDX-License-Identifier: MIT */
/* A table of numbers in a text file, read strictly.
 *
 * One line per row, every line with as many cells as the first one, LF or CRLF, blanks around a
 * cell allowed, an empty cell = not measured = NAN. A UTF-8 byte-order mark is skipped. What is not
 * such a table (a Git LFS pointer, a web page, a compressed file, UTF-16, another separator, a
 * decimal comma) is refused with what it is and what to do. Only the columns asked for need be
 * numbers. Lines and columns count from 1, columns in characters.
 */
#ifndef ARMATURE_IO_CSV_H
#define ARMATURE_IO_CSV_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

#define AIO_CSV_MAX_BYTES ((gsize)1 << 30)
enum { AIO_CSV_MAX_COLUMNS = 4096, AIO_CSV_MAX_LINE = 1 << 20 };

typedef struct AioCsv AioCsv;

typedef struct {
  bool has_header;  /* the first line names the columns */
  char delimiter;   /* ',' ';' '\t' ' '; ' ' = any number of blanks, no empty cells */
  char decimal;     /* '.', or ',' when the delimiter is another */
  gsize skip_lines; /* lines before the header that are no part of the table */
  bool has_no_map;  /* who reads it takes no column map: messages advise none */
} AioCsvFormat;

/* Header, comma, point: the format of recordings, and of motions. */
extern const AioCsvFormat AIO_CSV_PLAIN, AIO_CSV_MOTION;

/* Takes the table apart into lines and names the columns; no cell is read yet.
 *   name    how messages call the file
 *   bytes   length  borrowed for the life of the result
 * NULL: AIO_ERROR_SYNTAX (no table), AIO_ERROR_REFUSED (another kind of file), AIO_ERROR_TOO_LARGE,
 * AIO_ERROR_MEMORY. Free with aio_csv_free (NULL allowed). */
AioCsv *aio_csv_new(const char *name, const char *bytes, gsize length, const AioCsvFormat *format,
                    GError **error);
void aio_csv_free(AioCsv *csv);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioCsv, aio_csv_free)

/* ---- a file of any size, window by window, in memory that does not grow with it ---- */

enum { AIO_CSV_WINDOW_ROWS = 1024 };

/* A table of format AIO_CSV_PLAIN in the regular file at `path`, which is looked through once for
 * what no table holds. It has columns and no rows until aio_csv_next. NULL: as aio_csv_new, without
 * a limit of size, and what aio_file_open reports. */
AioCsv *aio_csv_open(const char *path, GError **error);
/* The same of any format.
 *   sum  all bytes of the file are added to it while it is looked through; NULL: not wanted */
AioCsv *aio_csv_open_as(const char *path, const AioCsvFormat *format, GChecksum *sum,
                        GError **error);

/* The next at most AIO_CSV_WINDOW_ROWS rows take the place of those before: from here on they are
 * the rows of all functions below, from 0, while lines count on. None: the table has ended. false:
 * AIO_ERROR_IO, AIO_ERROR_REFUSED (the file has become shorter). */
bool aio_csv_next(AioCsv *csv, GError **error);

/* Before the first window again. */
void aio_csv_rewind(AioCsv *csv);

/* ---- any table ---- */

const char *aio_csv_name(const AioCsv *csv);
gsize aio_csv_rows(const AioCsv *csv);
gsize aio_csv_columns(const AioCsv *csv);
/* The name of a column, "" when the file gives none. */
const char *aio_csv_column_name(const AioCsv *csv, gsize column);
/* How messages call a column: its name, or "column 14". Free with g_free. */
char *aio_csv_column_label(const AioCsv *csv, gsize column);
/* `advice` of a column map, or "" where messages give none. */
const char *aio_csv_map_advice(const AioCsv *csv, const char *advice);
/* Line of a row, and of the header (0 without one). */
guint aio_csv_row_line(const AioCsv *csv, gsize row);
guint aio_csv_header_line(const AioCsv *csv);
/* Character column at which the name of a column begins in the header line, 0 without one. */
guint aio_csv_header_column(const AioCsv *csv, gsize column);

/* Reads some columns of all rows; counts the cells of every line.
 *   columns  n         indices from 0, each at most once
 *   values   n x [rows]  out: where each column goes
 * false: AIO_ERROR_SYNTAX "FILE:LINE:COLUMN: NAME: expected a number, found ..."; the columns are
 * then partly written. */
bool aio_csv_read(const AioCsv *csv, gsize n, const gsize *columns, double *const *values,
                  GError **error);

/* Appends the cells of one row as they stand in the file, separated by the delimiter.
 *   keep  columns  which cells
 * Only for a csv whose aio_csv_read has succeeded. */
void aio_csv_copy_row(const AioCsv *csv, gsize row, const bool *keep, GString *out);

#endif
