/* SPDX-License-Identifier: MIT */
/* SQLite for files that nobody vouches for, as little of it as a session needs; private to the
 * store_*.c files. Only store.c knows <sqlite3.h>.
 *
 * Every connection is hardened before the first page is read: no extensions, views, triggers,
 * attached databases or functions beyond a few; tables only by the names of store_schema.c; sizes
 * of values and statements bounded. Statements are constant texts with parameters.
 *
 * One connection belongs to one thread at a time. Messages name the file and a remedy. Codes:
 *   AIO_ERROR_FULL        no room on the disk, quota or file size limit; nothing was changed
 *   AIO_ERROR_BUSY        another program holds it
 *   AIO_ERROR_SYNTAX      not a session, or damaged
 *   AIO_ERROR_PERMISSION  may not be written here
 *   AIO_ERROR_MEANING     a value breaks a constraint of its table
 *   AIO_ERROR_REFUSED, AIO_ERROR_TOO_LARGE, AIO_ERROR_MEMORY, AIO_ERROR_IO
 */
#ifndef ARMATURE_IO_STORE_SQL_H
#define ARMATURE_IO_STORE_SQL_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

/* No text or blob is larger; what is has been tampered with. */
enum { AIO_SQL_MAX_VALUE = 16 << 20 };

typedef struct AioSql AioSql;
typedef struct AioSqlQuery AioSqlQuery;

typedef enum {
  AIO_SQL_READ,
  AIO_SQL_READ_ONLY_MEDIUM, /* nothing beside the file is read or made: no journals, no locks */
  AIO_SQL_WRITE
} AioSqlMode;

/* A database of its own in memory; `bytes` (copied) or, NULL, empty. Messages call it `name`. */
AioSql *aio_sql_new_memory(const char *name, const guint8 *bytes, gsize n, GError **error);
AioSql *aio_sql_open(const char *path, AioSqlMode mode, GError **error);
void aio_sql_free(AioSql *sql); /* NULL allowed; an open transaction is rolled back */
const char *aio_sql_path(const AioSql *sql);
/* Freeing it touches nothing beside the file, by whatever name. */
void aio_sql_leave_log(AioSql *sql);
/* Commits do not move the log into the file any more; they tell its length in pages. */
void aio_sql_watch_log(AioSql *sql);
guint aio_sql_log_pages(const AioSql *sql);

/* The first n bytes of the file, or of its log, as they are there now, with zeros behind its end,
 * and its size. false: it is not open, or cannot be read; errno says why. */
bool aio_sql_peek(AioSql *sql, bool is_log, guint8 *bytes, guint n, gint64 *size);
/* n bytes of the log, with zeros behind its end. false: it cannot be read. */
bool aio_sql_peek_log(AioSql *sql, gint64 at, guint8 *bytes, guint n);
/* From now on nothing is read from it: what needs it fails, what is in memory or in the other of
 * the two is found as before. */
void aio_sql_bar(AioSql *sql, bool is_log);

/* The whole database as the bytes of a file; free with g_free. NULL: AIO_ERROR_MEMORY. */
guint8 *aio_sql_bytes(AioSql *sql, gsize *n, GError **error);

/* Copies everything from `from`, also what only its write-ahead log holds, over what `to` holds.
 * `idle` (NULL allowed) is called every few megabytes. */
bool aio_sql_copy(AioSql *to, AioSql *from, void (*idle)(void *data), void *data, GError **error);

/* Statements that create tables are refused unless this is on. */
void aio_sql_allow_schema(AioSql *sql, bool is_allowed);

/* Statements that delete rows are refused unless this is on. */
void aio_sql_allow_delete(AioSql *sql, bool is_allowed);

/* Tells what statements may touch: `tables` ends with NULL, borrowed for ever. */
void aio_sql_set_tables(AioSql *sql, const char *const *tables);

/* One or more statements without parameters, rows ignored. */
bool aio_sql_exec(AioSql *sql, const char *text, GError **error);

typedef enum { AIO_SQL_NULL, AIO_SQL_INT, AIO_SQL_REAL, AIO_SQL_TEXT, AIO_SQL_BLOB } AioSqlKind;
typedef struct {
  AioSqlKind kind;
  gint64 integer;
  double real;
  const void *bytes; /* TEXT (ends with NUL), BLOB: borrowed until the statement is done */
  gsize n;           /* of BLOB */
} AioSqlValue;

static inline AioSqlValue aio_sql_int(gint64 value) {
  return (AioSqlValue){.kind = AIO_SQL_INT, .integer = value};
}
/* 0 stands for "none". */
static inline AioSqlValue aio_sql_id(gint64 value) {
  return (AioSqlValue){.kind = value == 0 ? AIO_SQL_NULL : AIO_SQL_INT, .integer = value};
}
/* NaN becomes NULL. */
static inline AioSqlValue aio_sql_real(double value) {
  return (AioSqlValue){.kind = value != value ? AIO_SQL_NULL : AIO_SQL_REAL, .real = value};
}
/* NULL becomes NULL. */
static inline AioSqlValue aio_sql_text(const char *text) {
  return (AioSqlValue){.kind = text ? AIO_SQL_TEXT : AIO_SQL_NULL, .bytes = text};
}
static inline AioSqlValue aio_sql_blob(const void *bytes, gsize n) {
  return (AioSqlValue){.kind = AIO_SQL_BLOB, .bytes = bytes, .n = n};
}

/* A statement without rows. `text` must be a constant: prepared statements are kept under its
 * address, and all of its parameters are given anew each time. */
bool aio_sql_run(AioSql *sql, const char *text, const AioSqlValue *values, guint n, GError **error);

/* Rows one by one: 1 a row, 0 no more, -1 failed. Free with aio_sql_query_free (NULL allowed). */
AioSqlQuery *aio_sql_query(AioSql *sql, const char *text, const AioSqlValue *values, guint n,
                           GError **error);
int aio_sql_next(AioSqlQuery *query, GError **error);
void aio_sql_query_free(AioSqlQuery *query);

/* Of the current row, borrowed until the next. Another kind than asked for is never converted. */
AioSqlKind aio_sql_kind_at(AioSqlQuery *query, int column);
gint64 aio_sql_int_at(AioSqlQuery *query, int column);       /* else 0 */
double aio_sql_real_at(AioSqlQuery *query, int column);      /* else NAN; integers too */
const char *aio_sql_text_at(AioSqlQuery *query, int column); /* valid UTF-8, else NULL */
const guint8 *aio_sql_blob_at(AioSqlQuery *query, int column, gsize *n); /* else NULL, 0 */

/* For a query of one row with one integer. */
bool aio_sql_get_int(AioSql *sql, const char *text, gint64 *value, GError **error);

/* ---- store_error.c ---- */

AioErrorCode aio_sql_code_of_errno(int saved);
/* What helps, a sentence of io/base/said; "": nothing to be said. Static. */
const char *aio_sql_remedy(AioErrorCode code);
/* The same of a file in which something does not fit: that it is damaged, and what to do. */
const char *aio_sql_damage(void);

#endif
