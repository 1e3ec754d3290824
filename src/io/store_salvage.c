/* SPDX-License-Identifier: MIT */
/* The file of a session, or its log, was overwritten in place. Its connection still has the other
 * of the two, and the pages that were used last: whatever rows can be read from these alone are
 * ours, and no others are, however much they look like it. */
#include <string.h>

#include "io/store_internal.h"

enum { COLUMNS_MAX = 12 };

typedef struct {
  const char *forth, *back, *insert;
  guint columns;
} Table;

#define TABLE(name, n, marks)                                                                      \
  {                                                                                                \
    "SELECT * FROM " name " ORDER BY id", "SELECT * FROM " name " ORDER BY id DESC",               \
        "INSERT OR IGNORE INTO " name " VALUES (" marks ")", n                                     \
  }

/* Those that others refer to come first, chunks last. */
static const Table tables[] = {TABLE("arm", 4, "?,?,?,?"),
                               TABLE("plan", 4, "?,?,?,?"),
                               TABLE("steps", 4, "?,?,?,?"),
                               TABLE("connections", 4, "?,?,?,?"),
                               TABLE("runs", 10, "?,?,?,?,?,?,?,?,?,?"),
                               TABLE("raw", 6, "?,?,?,?,?,?"),
                               TABLE("events", 12, "?,?,?,?,?,?,?,?,?,?,?,?"),
                               TABLE("fits", 6, "?,?,?,?,?,?"),
                               TABLE("statistics", 5, "?,?,?,?,?"),
                               TABLE("chunks", 7, "?,?,?,?,?,?,?")};

static AioSqlValue value_at(AioSqlQuery *query, int column) {
  AioSqlValue value = {.kind = aio_sql_kind_at(query, column)};
  switch (value.kind) {
  case AIO_SQL_INT:
    return aio_sql_int(aio_sql_int_at(query, column));
  case AIO_SQL_REAL:
    return aio_sql_real(aio_sql_real_at(query, column));
  case AIO_SQL_TEXT:
    return aio_sql_text(aio_sql_text_at(query, column));
  case AIO_SQL_BLOB:
    value.bytes = aio_sql_blob_at(query, column, &value.n);
    break;
  case AIO_SQL_NULL:
    break;
  }
  return value;
}

/* What lacks the run or connection that it belongs to is left out. false: the new file fails. */
static bool put_row(AioStore *to, const Table *table, AioSqlQuery *query, GError **error) {
  AioSqlValue values[COLUMNS_MAX];
  GError *failure = NULL;
  for (guint k = 0; k < table->columns; k++)
    values[k] = value_at(query, (int)k);
  if (aio_sql_run(to->sql, table->insert, values, table->columns, &failure))
    return true;
  if (!g_error_matches(failure, AIO_ERROR, AIO_ERROR_MEANING)) {
    g_propagate_error(error, failure);
    return false;
  }
  g_error_free(failure);
  return true;
}

typedef struct {
  bool is_whole; /* to the last one */
  gint64 first;  /* id of the first that was read, 0: none */
} Found;

/* Until a row needs what cannot be read. false: the new file fails. */
static bool put_rows(AioStore *from, AioStore *to, const Table *table, const char *select,
                     Found *found, GError **error) {
  AioSqlQuery *query = aio_sql_query(from->sql, select, NULL, 0, NULL);
  bool is_put = true;
  int more = -1;
  *found = (Found){.first = 0};
  while (is_put && query && (more = aio_sql_next(query, NULL)) > 0) {
    found->first = found->first ? found->first : aio_sql_int_at(query, 0);
    is_put = put_row(to, table, query, error);
  }
  found->is_whole = query && more == 0;
  aio_sql_query_free(query);
  return is_put;
}

/* From both ends towards what is missing. `last`: the highest id, 0: not known. */
static bool salvage_table(AioStore *from, AioStore *to, const Table *table, gint64 *last,
                          GError **error) {
  Found forth, back;
  if (!put_rows(from, to, table, table->forth, &forth, error) ||
      !put_rows(from, to, table, table->back, &back, error))
    return false;
  *last = back.first;
  return true;
}

bool aio_store_salvage(AioStore *from, AioStore *to, guint64 *chunks, guint64 *of, GError **error) {
  gint64 last = 0, found = 0;
  for (guint k = 0; k < 2; k++)
    if (from->is_overwritten[k])
      aio_sql_bar(from->sql, k == 1);
  for (gsize k = 0; k < G_N_ELEMENTS(tables); k++)
    if (!salvage_table(from, to, &tables[k], &last, error))
      return false;
  if (!aio_sql_get_int(to->sql, "SELECT count(*) FROM chunks", &found, error) ||
      !aio_store_commit(to, error))
    return false;
  *chunks = (guint64)found;
  *of = (guint64)last;
  from->is_salvaged = true;
  return true;
}
