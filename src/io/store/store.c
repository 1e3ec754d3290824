/* SPDX-License-Identifier: MIT */
/* The only includer of <sqlite3.h>: connections, statements, errors. */
#include <errno.h>
#include <glib/gi18n-lib.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "io/base/said.h"
#include "io/store/store_sql.h"

/* Commits up to this many pages stay in the log before it is copied into the file; 16 KiB each. */
#define AUTOCHECKPOINT_PAGES "256"

struct AioSql {
  sqlite3 *db;
  char *path;
  GHashTable *statements; /* address of the text -> sqlite3_stmt that nobody uses now */
  const char *const *tables;
  bool is_schema_allowed, is_delete_allowed;
  guint log_pages; /* after the last commit, while it is watched */
  sqlite3_io_methods barred[2];
};

struct AioSqlQuery {
  AioSql *sql;
  const char *text;
  sqlite3_stmt *statement;
};

/* ---- errors ---- */

static AioErrorCode code_of(int result, int saved) {
  switch (result & 0xff) {
  case SQLITE_FULL:
    return AIO_ERROR_FULL;
  case SQLITE_IOERR:
  case SQLITE_CANTOPEN:
    return aio_sql_code_of_errno(saved);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return AIO_ERROR_BUSY;
  case SQLITE_READONLY:
  case SQLITE_PERM:
    return AIO_ERROR_PERMISSION;
  case SQLITE_NOMEM:
    return AIO_ERROR_MEMORY;
  case SQLITE_TOOBIG:
    return AIO_ERROR_TOO_LARGE;
  case SQLITE_CONSTRAINT:
  case SQLITE_MISMATCH:
    return AIO_ERROR_MEANING;
  case SQLITE_AUTH:
    return AIO_ERROR_REFUSED;
  default:
    return AIO_ERROR_SYNTAX; /* CORRUPT, NOTADB, and what a changed schema makes of a statement */
  }
}

static bool fail(AioSql *sql, int result, GError **error) {
  /* a failed COMMIT leaves SQLite's own copy at 0 (3.40) */
  const int last = errno, kept = sql->db ? sqlite3_system_errno(sql->db) : 0;
  const int saved = kept ? kept : last;
  const AioErrorCode code = code_of(result, saved);
  const bool is_system = (result & 0xff) == SQLITE_IOERR || (result & 0xff) == SQLITE_CANTOPEN;
  /* SQLite's words for damage say less than the remedy, those for a full disk what is not so */
  const bool is_damaged = (result & 0xff) == SQLITE_CORRUPT || (result & 0xff) == SQLITE_NOTADB;
  /* what is refused here, not by SQLite, would be called "not an error" */
  const bool is_told = sql->db && sqlite3_errcode(sql->db) != SQLITE_OK;
  const char *said = is_told ? sqlite3_errmsg(sql->db) : sqlite3_errstr(result);
  const char *remedy = aio_sql_remedy(code);
  char *text = is_damaged               ? g_strdup("")
               : code == AIO_ERROR_FULL ? aio_said(N_("no room is left"))
                                        : g_utf8_make_valid(said, -1);
  char *found =
      aio_said("%s%s%s%s%s", text, is_system && saved ? ": " : "",
               is_system && saved ? g_strerror(saved) : "", *text && *remedy ? "; " : "", remedy);
  aio_error_set_file_said(error, code, sql->path, found);
  g_free(found);
  g_free(text);
  return false;
}

/* ---- connections ---- */

static bool is_among(const char *name, const char *const *known) {
  for (; name && known && *known; known++)
    if (g_ascii_strcasecmp(name, *known) == 0)
      return true;
  return false;
}

static bool is_table_known(const AioSql *sql, const char *table) {
  static const char *const schema[] = {"sqlite_master", "sqlite_schema", NULL};
  return is_among(table, sql->tables) || is_among(table, schema);
}

/* Everything that is not listed is refused while a statement is prepared. */
static bool is_allowed(const AioSql *sql, int action, const char *first, const char *second) {
  static const char *const functions[] = {"length", "max", "count", "sum", NULL};
  static const char *const pragmas[] = {"quick_check",    "user_version", "journal_mode",
                                        "wal_checkpoint", "page_size",    "page_count",
                                        "application_id", "data_version", NULL};
  switch (action) {
  case SQLITE_SELECT:
  case SQLITE_TRANSACTION:
    return true;
  case SQLITE_READ:
    return is_table_known(sql, first);
  case SQLITE_INSERT:
  case SQLITE_UPDATE:
    return is_among(first, sql->tables) || sql->is_schema_allowed;
  case SQLITE_DELETE:
    return sql->is_delete_allowed && is_among(first, sql->tables);
  case SQLITE_PRAGMA:
    return is_among(first, pragmas);
  case SQLITE_FUNCTION:
    return is_among(second, functions);
  case SQLITE_CREATE_TABLE:
  case SQLITE_CREATE_INDEX:
  case SQLITE_REINDEX:
    return sql->is_schema_allowed;
  default:
    return false;
  }
}

static int authorize(void *data, int action, const char *first, const char *second,
                     const char *database, const char *trigger) {
  (void)database;
  return !trigger && is_allowed(data, action, first, second) ? SQLITE_OK : SQLITE_DENY;
}

static void limit_sizes(sqlite3 *db) {
  static const int limits[][2] = {{SQLITE_LIMIT_LENGTH, AIO_SQL_MAX_VALUE},
                                  {SQLITE_LIMIT_SQL_LENGTH, 16384},
                                  {SQLITE_LIMIT_COLUMN, 40},
                                  {SQLITE_LIMIT_EXPR_DEPTH, 40},
                                  {SQLITE_LIMIT_COMPOUND_SELECT, 2},
                                  {SQLITE_LIMIT_VDBE_OP, 25000},
                                  {SQLITE_LIMIT_FUNCTION_ARG, 4},
                                  {SQLITE_LIMIT_ATTACHED, 0},
                                  {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 32},
                                  {SQLITE_LIMIT_VARIABLE_NUMBER, 40},
                                  {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                  {SQLITE_LIMIT_WORKER_THREADS, 0}};
  for (gsize k = 0; k < G_N_ELEMENTS(limits); k++)
    sqlite3_limit(db, limits[k][0], limits[k][1]);
}

static bool harden(AioSql *sql, GError **error) {
  static const int options[][2] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_ENABLE_FKEY, 1},    {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
      {SQLITE_DBCONFIG_DQS_DML, 0},        {SQLITE_DBCONFIG_DQS_DDL, 0}};
  for (gsize k = 0; k < G_N_ELEMENTS(options); k++)
    sqlite3_db_config(sql->db, options[k][0], options[k][1], NULL);
  limit_sizes(sql->db);
  sqlite3_busy_timeout(sql->db, 2000);
  /* none of these reads the file */
  const int result = sqlite3_exec(sql->db,
                                  "PRAGMA cell_size_check=ON;PRAGMA mmap_size=0;"
                                  "PRAGMA temp_store=MEMORY;PRAGMA synchronous=FULL;"
                                  "PRAGMA secure_delete=OFF;"
                                  "PRAGMA wal_autocheckpoint=" AUTOCHECKPOINT_PAGES,
                                  NULL, NULL, NULL);
  if (result != SQLITE_OK)
    return fail(sql, result, error);
  sqlite3_set_authorizer(sql->db, authorize, sql);
  return true;
}

static void free_statement(gpointer statement) {
  sqlite3_finalize(statement);
}

static AioSql *open_name(const char *path, const char *name, int flags, GError **error) {
  AioSql *sql = g_new0(AioSql, 1);
  sql->path = g_strdup(path);
  sql->statements = g_hash_table_new_full(NULL, NULL, NULL, free_statement);
  const int result = sqlite3_open_v2(name, &sql->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
  if (result == SQLITE_OK ? harden(sql, error) : fail(sql, result, error))
    return sql;
  aio_sql_free(sql);
  return NULL;
}

AioSql *aio_sql_open(const char *path, AioSqlMode mode, GError **error) {
  char *absolute = g_canonicalize_filename(path, NULL);
  char *uri = g_filename_to_uri(absolute, NULL, NULL);
  char *name = g_strconcat(uri, mode == AIO_SQL_READ_ONLY_MEDIUM ? "?immutable=1" : "", NULL);
  AioSql *sql = open_name(
      path, name,
      SQLITE_OPEN_URI | (mode == AIO_SQL_WRITE ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY),
      error);
  if (sql && mode == AIO_SQL_WRITE && sqlite3_db_readonly(sql->db, "main") == 1) {
    fail(sql, SQLITE_READONLY, error);
    g_clear_pointer(&sql, aio_sql_free);
  }
  g_free(name);
  g_free(uri);
  g_free(absolute);
  return sql;
}

AioSql *aio_sql_new_memory(const char *name, const guint8 *bytes, gsize n, GError **error) {
  AioSql *sql = open_name(name, ":memory:", SQLITE_OPEN_READWRITE, error);
  if (!sql || !bytes)
    return sql;
  guint8 *copy = sqlite3_malloc64(n);
  if (copy)
    memcpy(copy, bytes, n);
  sqlite3_set_authorizer(sql->db, NULL, NULL); /* SQLite attaches the copy to itself */
  const int result =
      !copy ? SQLITE_NOMEM
            : sqlite3_deserialize(sql->db, "main", copy, (sqlite3_int64)n, (sqlite3_int64)n,
                                  SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  sqlite3_set_authorizer(sql->db, authorize, sql);
  if (result == SQLITE_OK)
    return sql;
  fail(sql, result, error);
  aio_sql_free(sql);
  return NULL;
}

void aio_sql_free(AioSql *sql) {
  if (!sql)
    return;
  g_hash_table_destroy(sql->statements);
  sqlite3_close(sql->db);
  g_free(sql->path);
  g_free(sql);
}

const char *aio_sql_path(const AioSql *sql) {
  return sql->path;
}

static int on_commit(void *data, sqlite3 *db, const char *name, int pages) {
  AioSql *sql = data;
  (void)db, (void)name;
  sql->log_pages = (guint)pages;
  return SQLITE_OK;
}

/* The hook takes the place of SQLite's own, which checkpoints. */
void aio_sql_watch_log(AioSql *sql) {
  sqlite3_wal_hook(sql->db, on_commit, sql);
}

guint aio_sql_log_pages(const AioSql *sql) {
  return sql->log_pages;
}

void aio_sql_leave_log(AioSql *sql) {
  sqlite3_db_config(sql->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
}

/* NULL: not open, or in memory */
static sqlite3_file *file_of(AioSql *sql, bool is_log) {
  sqlite3_file *file = NULL;
  sqlite3_file_control(sql->db, "main",
                       is_log ? SQLITE_FCNTL_JOURNAL_POINTER : SQLITE_FCNTL_FILE_POINTER, &file);
  return file && file->pMethods ? file : NULL;
}

bool aio_sql_peek(AioSql *sql, bool is_log, guint8 *bytes, guint n, gint64 *size) {
  sqlite3_file *file = file_of(sql, is_log);
  sqlite3_int64 length = 0;
  const bool is_open = file && file->pMethods->xFileSize(file, &length) == SQLITE_OK;
  errno = EIO;
  const int result = is_open ? file->pMethods->xRead(file, bytes, (int)n, 0) : SQLITE_ERROR;
  *size = length;
  return result == SQLITE_OK || result == SQLITE_IOERR_SHORT_READ;
}

bool aio_sql_peek_log(AioSql *sql, gint64 at, guint8 *bytes, guint n) {
  sqlite3_file *file = file_of(sql, true);
  const int result = file ? file->pMethods->xRead(file, bytes, (int)n, at) : SQLITE_ERROR;
  return result == SQLITE_OK || result == SQLITE_IOERR_SHORT_READ;
}

static int refuse_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at) {
  (void)file, (void)bytes, (void)n, (void)at;
  errno = EIO;
  return SQLITE_IOERR_READ;
}

void aio_sql_bar(AioSql *sql, bool is_log) {
  sqlite3_file *file = file_of(sql, is_log);
  if (!file)
    return;
  sql->barred[is_log] = *file->pMethods;
  sql->barred[is_log].xRead = refuse_read;
  file->pMethods = &sql->barred[is_log];
}

guint8 *aio_sql_bytes(AioSql *sql, gsize *n, GError **error) {
  sqlite3_int64 size = 0;
  guint8 *bytes = sqlite3_serialize(sql->db, "main", &size, 0);
  if (!bytes) {
    fail(sql, SQLITE_NOMEM, error);
    return NULL;
  }
  guint8 *copy = g_memdup2(bytes, (gsize)size);
  sqlite3_free(bytes);
  *n = (gsize)size;
  return copy;
}

bool aio_sql_copy(AioSql *to, AioSql *from, void (*idle)(void *data), void *data, GError **error) {
  enum { PAGES = 256 };
  sqlite3_backup *backup = sqlite3_backup_init(to->db, "main", from->db, "main");
  if (!backup)
    return fail(to, sqlite3_errcode(to->db), error);
  int result = SQLITE_OK;
  while (result == SQLITE_OK) {
    result = sqlite3_backup_step(backup, PAGES);
    if (idle)
      idle(data);
  }
  sqlite3_backup_finish(backup);
  return result == SQLITE_DONE || fail(to, result, error);
}

void aio_sql_allow_schema(AioSql *sql, bool is_allowed) {
  sql->is_schema_allowed = is_allowed;
}

void aio_sql_allow_delete(AioSql *sql, bool is_allowed) {
  sql->is_delete_allowed = is_allowed;
}

void aio_sql_set_tables(AioSql *sql, const char *const *tables) {
  sql->tables = tables;
}

/* ---- statements ---- */

bool aio_sql_exec(AioSql *sql, const char *text, GError **error) {
  const int result = sqlite3_exec(sql->db, text, NULL, NULL, NULL);
  return result == SQLITE_OK || fail(sql, result, error);
}

static int bind(sqlite3_stmt *statement, int at, const AioSqlValue *value) {
  switch (value->kind) {
  case AIO_SQL_INT:
    return sqlite3_bind_int64(statement, at, value->integer);
  case AIO_SQL_REAL:
    return sqlite3_bind_double(statement, at, value->real);
  case AIO_SQL_TEXT:
    return sqlite3_bind_text(statement, at, value->bytes, -1, SQLITE_STATIC);
  case AIO_SQL_BLOB:
    return sqlite3_bind_blob64(statement, at, value->bytes, value->n, SQLITE_STATIC);
  case AIO_SQL_NULL:
    break;
  }
  return sqlite3_bind_null(statement, at);
}

AioSqlQuery *aio_sql_query(AioSql *sql, const char *text, const AioSqlValue *values, guint n,
                           GError **error) {
  AioSqlQuery *query = g_new0(AioSqlQuery, 1);
  *query = (AioSqlQuery){.sql = sql, .text = text};
  int result = SQLITE_OK;
  gpointer kept = NULL;
  if (g_hash_table_steal_extended(sql->statements, text, NULL, &kept))
    query->statement = kept;
  else
    result =
        sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &query->statement, NULL);
  for (guint k = 0; result == SQLITE_OK && k < n; k++)
    result = bind(query->statement, (int)k + 1, &values[k]);
  if (result == SQLITE_OK)
    return query;
  fail(sql, result, error);
  aio_sql_query_free(query);
  return NULL;
}

int aio_sql_next(AioSqlQuery *query, GError **error) {
  const int result = sqlite3_step(query->statement);
  if (result == SQLITE_ROW)
    return 1;
  if (result == SQLITE_DONE)
    return 0;
  fail(query->sql, result, error);
  return -1;
}

void aio_sql_query_free(AioSqlQuery *query) {
  if (!query)
    return;
  if (query->statement) {
    sqlite3_reset(query->statement);
    g_hash_table_replace(query->sql->statements, (gpointer)query->text, query->statement);
  }
  g_free(query);
}

bool aio_sql_run(AioSql *sql, const char *text, const AioSqlValue *values, guint n,
                 GError **error) {
  AioSqlQuery *query = aio_sql_query(sql, text, values, n, error);
  const bool is_done = query && aio_sql_next(query, error) == 0;
  aio_sql_query_free(query);
  return is_done;
}

AioSqlKind aio_sql_kind_at(AioSqlQuery *query, int column) {
  switch (sqlite3_column_type(query->statement, column)) {
  case SQLITE_INTEGER:
    return AIO_SQL_INT;
  case SQLITE_FLOAT:
    return AIO_SQL_REAL;
  case SQLITE_TEXT:
    return AIO_SQL_TEXT;
  case SQLITE_BLOB:
    return AIO_SQL_BLOB;
  default:
    return AIO_SQL_NULL;
  }
}

gint64 aio_sql_int_at(AioSqlQuery *query, int column) {
  return aio_sql_kind_at(query, column) == AIO_SQL_INT
             ? sqlite3_column_int64(query->statement, column)
             : 0;
}

double aio_sql_real_at(AioSqlQuery *query, int column) {
  const AioSqlKind kind = aio_sql_kind_at(query, column);
  return kind == AIO_SQL_REAL || kind == AIO_SQL_INT
             ? sqlite3_column_double(query->statement, column)
             : (double)NAN;
}

const char *aio_sql_text_at(AioSqlQuery *query, int column) {
  if (aio_sql_kind_at(query, column) != AIO_SQL_TEXT)
    return NULL;
  const char *text = (const char *)sqlite3_column_text(query->statement, column);
  const int n = sqlite3_column_bytes(query->statement, column);
  return text && g_utf8_validate_len(text, (gsize)n, NULL) ? text : NULL;
}

const guint8 *aio_sql_blob_at(AioSqlQuery *query, int column, gsize *n) {
  *n = 0;
  if (aio_sql_kind_at(query, column) != AIO_SQL_BLOB)
    return NULL;
  const guint8 *bytes = sqlite3_column_blob(query->statement, column);
  *n = bytes ? (gsize)sqlite3_column_bytes(query->statement, column) : 0;
  return bytes ? bytes : (const guint8 *)"";
}

bool aio_sql_get_int(AioSql *sql, const char *text, gint64 *value, GError **error) {
  AioSqlQuery *query = aio_sql_query(sql, text, NULL, 0, error);
  const int found = query ? aio_sql_next(query, error) : -1;
  if (found == 1)
    *value = aio_sql_int_at(query, 0);
  aio_sql_query_free(query);
  if (found == 0)
    fail(sql, SQLITE_CORRUPT, error);
  return found == 1;
}
