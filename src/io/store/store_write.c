/* SPDX-License-Identifier: MIT */
/* Rows into a session, between begin and commit. Whose log lies beside the file is told by a mark
 * in it, and what was written is remembered, so that a file which another program replaced or
 * changed meanwhile is found out at the next write (docs/session-file.md). */
#include <string.h>

#include "io/base/said.h"
#include "io/store/store_internal.h"
#include "io/store/store_schema.h"
#include "wire/crc32.h"

#define RUN(store, statement, error, ...)                                                          \
  aio_sql_run((store)->sql, statement, (const AioSqlValue[]){__VA_ARGS__},                         \
              G_N_ELEMENTS(((const AioSqlValue[]){__VA_ARGS__})), error)

/* ---- transactions ---- */

static const guint8 *salt_of_log(const AioStore *store) {
  return store->content[1].head + AIO_LOG_SALT;
}

/* Another value of the same length: SQLite writes the page, and moves nothing in it. Rows of the
 * same page tell what session the log belongs to. */
static bool add_mark(AioStore *store, GError **error) {
  char *value = g_strdup_printf("%08x", g_random_int());
  const bool is_added = RUN(store,
                            "INSERT INTO meta (key, value) VALUES ('log', ?)"
                            " ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                            error, aio_sql_text(value));
  g_free(value);
  store->mark.is_adding = is_added;
  return is_added;
}

static bool is_marked(const AioStore *store) {
  const AioContent *log = &store->content[1];
  return !log->is_known ||
         (log->size > 0 && memcmp(store->mark.salt, salt_of_log(store), AIO_LOG_SALT_SIZE) == 0);
}

/* After a write. */
static void look_at_log(AioStore *store, bool is_committed) {
  aio_store_look_at_log_end(store, is_committed);
  aio_store_remember_content(store, !store->is_tended);
  if (is_committed && store->mark.is_adding)
    memcpy(store->mark.salt, salt_of_log(store), AIO_LOG_SALT_SIZE);
  store->mark.is_adding = false;
}

bool aio_store_begin(AioStore *store, GError **error) {
  store->next_chunk = 0;
  if (!aio_sql_exec(store->sql, "BEGIN IMMEDIATE", error))
    return false;
  if (is_marked(store) || add_mark(store, error))
    return true;
  aio_store_rollback(store);
  return false;
}

bool aio_store_commit(AioStore *store, GError **error) {
  if (aio_sql_exec(store->sql, "COMMIT", error)) {
    look_at_log(store, true);
    return true;
  }
  aio_store_rollback(store);
  return false;
}

/* Some failures have rolled back already, which makes this one fail: nothing to report. What failed
 * may have begun the log anew before the disk was full: that was nobody else. */
void aio_store_rollback(AioStore *store) {
  aio_sql_exec(store->sql, "ROLLBACK", NULL);
  look_at_log(store, false);
}

bool aio_store_begin_log(AioStore *store, GError **error) {
  const bool is_begun = add_mark(store, error);
  look_at_log(store, is_begun);
  return is_begun;
}

/* ---- rows ---- */

bool aio_store_add_text(AioStore *store, AioStoreText kind, const char *text, GError **error) {
  static const char *const sql[] = {
      [AIO_STORE_ARM] = "INSERT INTO arm (utc_us, sha256, text) VALUES (?, ?, ?)",
      [AIO_STORE_PLAN] = "INSERT INTO plan (utc_us, sha256, text) VALUES (?, ?, ?)",
      [AIO_STORE_STEPS] = "INSERT INTO steps (utc_us, sha256, text) VALUES (?, ?, ?)"};
  char *digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
  const bool is_added = RUN(store, sql[kind], error, aio_sql_int(g_get_real_time()),
                            aio_sql_text(digest), aio_sql_text(text));
  g_free(digest);
  return is_added;
}

bool aio_store_add_connection(AioStore *store, const AioStoreConnection *row, GError **error) {
  return RUN(store,
             "INSERT INTO connections (id, utc_us, t_host_ns, controller) VALUES (?, ?, ?, ?)",
             error, aio_sql_id(row->id), aio_sql_int(row->utc_us), aio_sql_int(row->t_host_ns),
             aio_sql_text(row->controller));
}

bool aio_store_add_run(AioStore *store, const AioStoreRun *row, GError **error) {
  char *outcome = aio_said_to_file(row->outcome);
  const bool is_added =
      RUN(store,
          "INSERT INTO runs (id, connection, kind, joint, hold, speed, started_us, ended_us,"
          " motion, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          error, aio_sql_id(row->id), aio_sql_int(row->connection), aio_sql_text(row->kind),
          aio_sql_int(row->joint), aio_sql_int(row->hold), aio_sql_real(row->speed),
          aio_sql_int(row->started_us), aio_sql_id(row->ended_us), aio_sql_int(row->motion),
          aio_sql_text(outcome));
  g_free(outcome);
  return is_added;
}

bool aio_store_end_run(AioStore *store, const AioStoreRun *row, GError **error) {
  char *outcome = aio_said_to_file(row->outcome);
  const bool is_ended =
      RUN(store, "UPDATE runs SET ended_us = ?, motion = ?, outcome = ? WHERE id = ?", error,
          aio_sql_int(row->ended_us), aio_sql_int(row->motion), aio_sql_text(outcome),
          aio_sql_int(row->id));
  g_free(outcome);
  return is_ended;
}

/* Of those that were packed none is used again: SQLite only knows what is left of the table. */
static bool choose_chunk_id(AioStore *store, gint64 *id, GError **error) {
  gint64 last = 0;
  if (!store->next_chunk && !aio_store_last_chunk(store, &last, error))
    return false;
  if (!store->next_chunk && last < G_MAXINT64)
    store->next_chunk = last + 1;
  *id = *id ? *id : store->next_chunk;
  store->next_chunk = *id >= store->next_chunk && *id < G_MAXINT64 ? *id + 1 : store->next_chunk;
  return true;
}

bool aio_store_add_blob(AioStore *store, const AioStoreBlob *row, GError **error) {
  gint64 id = row->id;
  return choose_chunk_id(store, &id, error) &&
         RUN(store,
             "INSERT INTO chunks (id, connection, run, first_index, n, t0_us, data)"
             " VALUES (?, ?, ?, ?, ?, ?, ?)",
             error, aio_sql_id(id), aio_sql_int(row->connection), aio_sql_id(row->run),
             aio_sql_int((gint64)row->first_index), aio_sql_int(row->n),
             aio_sql_int((gint64)row->t0_us), aio_sql_blob(row->data, row->size));
}

bool aio_store_add_raw(AioStore *store, const AioStoreRaw *row, GError **error) {
  return RUN(store,
             "INSERT INTO raw (id, connection, t_host_ns, is_sent, crc32, bytes)"
             " VALUES (?, ?, ?, ?, ?, ?)",
             error, aio_sql_id(row->id), aio_sql_int(row->connection), aio_sql_int(row->t_host_ns),
             aio_sql_int(row->is_sent), aio_sql_int(wire_crc32(0, row->bytes, row->n)),
             aio_sql_blob(row->bytes, row->n));
}

bool aio_store_add_event(AioStore *store, const AioStoreEvent *row, GError **error) {
  char *text = aio_said_to_file(row->text);
  const bool is_added =
      RUN(store,
          "INSERT INTO events (id, connection, run, t_host_ns, t_us, kind, joint, motion, level,"
          " value, text, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
          error, aio_sql_id(row->id), aio_sql_int(row->connection), aio_sql_id(row->run),
          aio_sql_int(row->t_host_ns), aio_sql_int((gint64)row->t_us), aio_sql_text(row->kind),
          aio_sql_int(row->joint), aio_sql_int(row->motion), aio_sql_int(row->level),
          aio_sql_int(row->value), aio_sql_text(text), aio_sql_text(row->detail));
  g_free(text);
  return is_added;
}

bool aio_store_add_fit(AioStore *store, const AioStoreFit *row, GError **error) {
  return RUN(store,
             "INSERT INTO fits (id, utc_us, program, dataset_sha256, options, parameters)"
             " VALUES (?, ?, ?, ?, ?, ?)",
             error, aio_sql_id(row->id), aio_sql_int(row->utc_us), aio_sql_text(row->program),
             aio_sql_text(row->dataset_sha256), aio_sql_text(row->options),
             aio_sql_text(row->parameters));
}

bool aio_store_add_statistic(AioStore *store, const AioStoreStatistic *row, GError **error) {
  return RUN(store, "INSERT INTO statistics (id, run, utc_us, name, value) VALUES (?, ?, ?, ?, ?)",
             error, aio_sql_id(row->id), aio_sql_id(row->run), aio_sql_int(row->utc_us),
             aio_sql_text(row->name), aio_sql_real(row->value));
}
