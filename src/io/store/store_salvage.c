/* SPDX-License-Identifier: MIT */
/* The file of a session, or its log, was overwritten in place. Its connection still has the other
 * of the two, and the pages that were used last: whatever rows can be read from these alone are
 * ours, and no others are, however much they look like it. */
#include <string.h>

#include "io/store/store_internal.h"

enum { COLUMNS_MAX = 12 };

/* A pack's second column tells how many chunks it holds, the first of which has its id. */
typedef enum { OTHERS, PACKS, CHUNKS } Kind;

typedef struct {
  const char *forth, *back, *insert;
  guint columns;
  Kind kind;
} Table;

#define TABLE(name, n, marks, kind)                                                                \
  {                                                                                                \
    "SELECT * FROM " name " ORDER BY id", "SELECT * FROM " name " ORDER BY id DESC",               \
        "INSERT OR IGNORE INTO " name " VALUES (" marks ")", n, kind                               \
  }

/* Those that others refer to come first, chunks last. */
static const Table tables[] = {TABLE("arm", 4, "?,?,?,?", OTHERS),
                               TABLE("plan", 4, "?,?,?,?", OTHERS),
                               TABLE("steps", 4, "?,?,?,?", OTHERS),
                               TABLE("connections", 4, "?,?,?,?", OTHERS),
                               TABLE("runs", 10, "?,?,?,?,?,?,?,?,?,?", OTHERS),
                               TABLE("raw", 6, "?,?,?,?,?,?", OTHERS),
                               TABLE("events", 12, "?,?,?,?,?,?,?,?,?,?,?,?", OTHERS),
                               TABLE("fits", 6, "?,?,?,?,?,?", OTHERS),
                               TABLE("statistics", 5, "?,?,?,?,?", OTHERS),
                               TABLE("packs", 8, "?,?,?,?,?,?,?,?", PACKS),
                               TABLE("chunks", 7, "?,?,?,?,?,?,?", CHUNKS)};

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

/* Of the last chunk in a pack. */
static gint64 last_id(const Table *table, AioSqlQuery *query) {
  return aio_sql_int_at(query, 0) + (table->kind == PACKS ? aio_sql_int_at(query, 1) - 1 : 0);
}

/* Until a row needs what cannot be read. `first`: the id of the first, 0: none. false: the new file
 * fails. */
static bool put_rows(AioStore *from, AioStore *to, const Table *table, const char *select,
                     gint64 *first, GError **error) {
  AioSqlQuery *query = aio_sql_query(from->sql, select, NULL, 0, NULL);
  bool is_put = true;
  *first = 0;
  while (is_put && query && aio_sql_next(query, NULL) == 1) {
    *first = *first ? *first : last_id(table, query);
    is_put = put_row(to, table, query, error);
  }
  aio_sql_query_free(query);
  return is_put;
}

/* From both ends towards what is missing. `last`: the highest id, 0: not known. */
static bool salvage_table(AioStore *from, AioStore *to, const Table *table, gint64 *last,
                          GError **error) {
  return put_rows(from, to, table, table->forth, last, error) &&
         put_rows(from, to, table, table->back, last, error);
}

/* In chunks and packs. */
static bool count_chunks(AioStore *store, gint64 *chunks, GError **error) {
  gint64 packed = 0;
  const bool is_known =
      aio_sql_get_int(store->sql, "SELECT count(*) FROM chunks", chunks, error) &&
      aio_sql_get_int(store->sql, "SELECT sum(chunks) FROM packs", &packed, error);
  *chunks += packed;
  return is_known;
}

bool aio_store_salvage(AioStore *from, AioStore *to, gint64 *chunks, gint64 *of, GError **error) {
  bool is_salvaged = true;
  *of = 0;
  if (from->is_overwritten[0])
    aio_sql_bar(from->sql, false);
  if (from->is_overwritten[1])
    aio_sql_bar(from->sql, true);
  for (gsize k = 0; is_salvaged && k < G_N_ELEMENTS(tables); k++) {
    gint64 last = 0;
    is_salvaged = salvage_table(from, to, &tables[k], &last, error);
    if (tables[k].kind != OTHERS)
      *of = MAX(*of, last);
  }
  from->is_salvaged = is_salvaged && count_chunks(to, chunks, error) && aio_store_commit(to, error);
  return from->is_salvaged;
}
