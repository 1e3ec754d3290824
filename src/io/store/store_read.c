/* SPDX-License-Identifier: MIT */
/* Rows out of a session that may hold anything: what cannot be true ends the reading. */
#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/said.h"
#include "io/store/store_blob.h"
#include "io/store/store_internal.h"
#include "io/store/store_pack.h"
#include "io/store/store_schema.h"
#include "wire/crc32.h"

/* A row while it is read; `wrong` names the first value that cannot be true. */
typedef struct {
  AioSqlQuery *query;
  const char *table, *wrong;
} Row;

/* what: the name of a column, or a sentence of io/base/said; static */
static void doubt(Row *row, const char *what) {
  if (!row->wrong)
    row->wrong = what;
}

static gint64 integer(Row *row, int column, gint64 low, gint64 high, const char *name) {
  const gint64 value = aio_sql_int_at(row->query, column);
  if (aio_sql_kind_at(row->query, column) == AIO_SQL_INT && value >= low && value <= high)
    return value;
  doubt(row, name);
  return low;
}

static gint64 any_integer(Row *row, int column, const char *name) {
  return integer(row, column, G_MININT64, G_MAXINT64, name);
}

static gint64 id_at(Row *row, int column, const char *name) {
  return integer(row, column, 1, G_MAXINT64, name);
}

static gint64 optional_id(Row *row, int column, const char *name) {
  return aio_sql_kind_at(row->query, column) == AIO_SQL_NULL ? 0 : id_at(row, column, name);
}

static const char *optional_text(Row *row, int column, const char *name) {
  const char *text = aio_sql_text_at(row->query, column);
  if (!text && aio_sql_kind_at(row->query, column) != AIO_SQL_NULL)
    doubt(row, name);
  return text;
}

static const char *text(Row *row, int column, const char *name) {
  const char *value = aio_sql_text_at(row->query, column);
  if (!value)
    doubt(row, name);
  return value ? value : "";
}

static bool damaged(AioStore *store, const char *table, gint64 id, const char *what,
                    GError **error) {
  /* TRANSLATORS: a table and a row in it, the name of a column or what is wrong, what to do */
  char *said = aio_said(N_("table %s, row %ld: %s; %s"), table, (glong)id, what, aio_sql_damage());
  aio_error_set_file_said(error, AIO_ERROR_SYNTAX, store->path, said);
  g_free(said);
  return false;
}

/* Hands one row on; false: no more wanted, or `row->wrong`. */
typedef bool (*Take)(Row *row, gint64 id, void *caller);

static bool each_row(AioStore *store, const char *table, const char *sql, const AioSqlValue *values,
                     guint n, Take take, void *caller, GError **error) {
  Row row = {.query = aio_sql_query(store->sql, sql, values, n, error), .table = table};
  int more = -1;
  bool is_wanted = true, is_sound = true;
  while (row.query && is_wanted && is_sound && (more = aio_sql_next(row.query, error)) == 1) {
    const gint64 id = aio_sql_int_at(row.query, 0);
    is_wanted = take(&row, id, caller);
    is_sound = !row.wrong || damaged(store, row.table, id, row.wrong, error);
  }
  aio_sql_query_free(row.query);
  return is_sound && more != -1;
}

/* ---- one table after the other ---- */

#define EACH(Row_, name)                                                                           \
  typedef struct {                                                                                 \
    bool (*each)(const Row_ *row, void *data);                                                     \
    void *data;                                                                                    \
  } name

EACH(AioStoreConnection, ConnectionCaller);
EACH(AioStoreRun, RunCaller);
EACH(AioStoreRaw, RawCaller);
EACH(AioStoreEvent, EventCaller);
EACH(AioStoreFit, FitCaller);
EACH(AioStoreStatistic, StatisticCaller);

static bool take_connection(Row *row, gint64 id, void *data) {
  const ConnectionCaller *caller = data;
  const AioStoreConnection out = {.id = id,
                                  .utc_us = any_integer(row, 1, "utc_us"),
                                  .t_host_ns = any_integer(row, 2, "t_host_ns"),
                                  .controller = text(row, 3, "controller")};
  return !row->wrong && caller->each(&out, caller->data);
}

bool aio_store_each_connection(AioStore *store,
                               bool (*each)(const AioStoreConnection *row, void *data), void *data,
                               GError **error) {
  ConnectionCaller caller = {each, data};
  return each_row(store, "connections",
                  "SELECT id, utc_us, t_host_ns, controller FROM connections ORDER BY id", NULL, 0,
                  take_connection, &caller, error);
}

/* A sentence of a program of before the mark (io/base/said), with the mark; NULL: it is none, or
 * has it. g_free. */
static char *of_before(const char *kept) {
  return kept && *kept == '[' ? aio_said_from_file(kept) : NULL;
}

static bool take_run(Row *row, gint64 id, void *data) {
  const RunCaller *caller = data;
  const char *kept = optional_text(row, 9, "outcome");
  char *outcome = of_before(kept);
  const AioStoreRun out = {.id = id,
                           .connection = id_at(row, 1, "connection"),
                           .kind = text(row, 2, "kind"),
                           .joint = (guint)integer(row, 3, 0, ARM_MAX_JOINTS, "joint"),
                           .hold = (guint)integer(row, 4, 0, G_MAXINT, "hold"),
                           .speed = aio_sql_real_at(row->query, 5),
                           .started_us = any_integer(row, 6, "started_us"),
                           .ended_us = aio_sql_int_at(row->query, 7),
                           .motion = (guint)integer(row, 8, 0, G_MAXUINT16, "motion"),
                           .outcome = outcome ? outcome : kept};
  const bool is_wanted = !row->wrong && caller->each(&out, caller->data);
  g_free(outcome);
  return is_wanted;
}

bool aio_store_each_run(AioStore *store, bool (*each)(const AioStoreRun *row, void *data),
                        void *data, GError **error) {
  RunCaller caller = {each, data};
  return each_row(store, "runs",
                  "SELECT id, connection, kind, joint, hold, speed, started_us, ended_us, motion,"
                  " outcome FROM runs ORDER BY id",
                  NULL, 0, take_run, &caller, error);
}

/* ---- chunks, one by one or packed ---- */

typedef struct {
  bool (*each)(const AioStoreChunk *row, void *data);
  void *data;
  gint64 last; /* id; 0: none yet */
} ChunkCaller;

static AioChunk *decode(Row *row, const AioStoreBlob *blob) {
  const char *why = NULL;
  AioChunk *chunk = aio_blob_decode(blob->data, blob->size, &why);
  if (!chunk)
    doubt(row, aio_said_word(why));
  else if (chunk->n != blob->n || chunk->first_index != blob->first_index ||
           chunk->t_us[0] != blob->t0_us)
    doubt(row, aio_said_word(N_("the chunk is not the one that its row says")));
  return chunk;
}

/* What the columns of both tables say. */
static AioStoreBlob blob_at(Row *row, guint most) {
  AioStoreBlob blob = {.connection = id_at(row, 1, "connection"),
                       .run = optional_id(row, 2, "run"),
                       .first_index = (guint64)integer(row, 3, 0, G_MAXINT64, "first_index"),
                       .n = (guint)integer(row, 4, 1, most, "n"),
                       .t0_us = (guint64)integer(row, 5, 0, G_MAXINT64, "t0_us")};
  blob.data = aio_sql_blob_at(row->query, 6, &blob.size);
  if (!blob.data)
    doubt(row, "data");
  return blob;
}

static bool hand_on(ChunkCaller *caller, gint64 id, const AioStoreBlob *blob, AioChunk *chunk) {
  const AioStoreChunk out = {
      .id = id, .connection = blob->connection, .run = blob->run, .chunk = chunk};
  caller->last = id;
  return caller->each(&out, caller->data);
}

static bool take_chunk(Row *row, gint64 id, ChunkCaller *caller) {
  const AioStoreBlob blob = blob_at(row, AIO_CHUNK_ROOM);
  AioChunk *chunk = row->wrong ? NULL : decode(row, &blob);
  const bool is_wanted = !row->wrong && hand_on(caller, id, &blob, chunk);
  aio_chunk_unref(chunk);
  return is_wanted;
}

static AioPack *open_pack(Row *row, const AioStoreBlob *blob, gint64 chunks) {
  const char *why = NULL;
  AioPack *pack = aio_pack_open(blob->data, blob->size, &why);
  if (!pack)
    doubt(row, aio_said_word(why));
  else if (aio_pack_samples(pack) != blob->n || aio_pack_chunks(pack) != chunks ||
           aio_pack_first_index(pack) != blob->first_index || aio_pack_t0_us(pack) != blob->t0_us)
    doubt(row, aio_said_word(N_("the pack is not the one that its row says")));
  return pack;
}

/* Each with the id that it had before. */
static bool take_pack(Row *row, gint64 id, ChunkCaller *caller) {
  const gint64 chunks = integer(row, 7, 1, AIO_PACK_ROOM, "chunks");
  const AioStoreBlob blob = blob_at(row, AIO_PACK_ROOM);
  if (id > G_MAXINT64 - chunks)
    doubt(row, "id");
  AioPack *pack = row->wrong ? NULL : open_pack(row, &blob, chunks);
  bool is_wanted = !row->wrong;
  for (AioChunk *chunk; is_wanted && (chunk = aio_pack_next(pack)); id++) {
    is_wanted = hand_on(caller, id, &blob, chunk);
    aio_chunk_unref(chunk);
  }
  aio_pack_free(pack);
  return is_wanted;
}

static bool take_chunks(Row *row, gint64 id, void *data) {
  ChunkCaller *caller = data;
  const bool is_pack = aio_sql_kind_at(row->query, 7) != AIO_SQL_NULL;
  row->table = is_pack ? "packs" : "chunks";
  if (caller->last == 0 || id > caller->last)
    return is_pack ? take_pack(row, id, caller) : take_chunk(row, id, caller);
  doubt(row, aio_said_word(N_("the same samples as in the row before")));
  return false;
}

/* Whoever writes a file of version 2 may have migrated it since. */
static bool look_for_packs(AioStore *store, GError **error) {
  gint64 version = 0;
  const bool is_known = store->has_packs || aio_schema_version(store->sql, &version, error);
  store->has_packs = store->has_packs || version >= AIO_SCHEMA_PACKS;
  return is_known;
}

/* Both tables in one statement, which sees one moment of a file that is written and packed. */
#define COLUMNS "id, connection, run, first_index, n, t0_us, data, "
#define CHUNKS  "SELECT " COLUMNS "NULL AS chunks FROM chunks"
#define PACKS   "SELECT " COLUMNS "chunks FROM packs"
#define OF_RUN  " WHERE run = ?1"
#define IN_TURN " ORDER BY id"

bool aio_store_each_chunk(AioStore *store, gint64 run,
                          bool (*each)(const AioStoreChunk *row, void *data), void *data,
                          GError **error) {
  static const char *const all[] = {CHUNKS IN_TURN, CHUNKS " UNION ALL " PACKS IN_TURN},
                           *const of[] = {CHUNKS OF_RUN IN_TURN,
                                          CHUNKS OF_RUN " UNION ALL " PACKS OF_RUN IN_TURN};
  ChunkCaller caller = {.each = each, .data = data};
  const AioSqlValue of_run = aio_sql_int(run);
  return look_for_packs(store, error) &&
         each_row(store, "chunks", (run ? of : all)[store->has_packs], &of_run, run ? 1 : 0,
                  take_chunks, &caller, error);
}

static bool take_count(Row *row, gint64 id, void *data) {
  (void)id;
  const bool is_pack = aio_sql_kind_at(row->query, 2) != AIO_SQL_NULL;
  row->table = is_pack ? "packs" : "chunks";
  *(gsize *)data += (gsize)integer(row, 1, 1, is_pack ? AIO_PACK_ROOM : AIO_CHUNK_ROOM, "n");
  return true;
}

#define COUNTS "SELECT id, n, NULL AS chunks FROM chunks" OF_RUN

bool aio_store_count_samples(AioStore *store, gint64 run, gsize *samples, GError **error) {
  static const char *const of[] = {COUNTS,
                                   COUNTS " UNION ALL SELECT id, n, chunks FROM packs" OF_RUN};
  const AioSqlValue of_run = aio_sql_int(run);
  *samples = 0;
  return look_for_packs(store, error) &&
         each_row(store, "chunks", of[store->has_packs], &of_run, 1, take_count, samples, error);
}

/* ---- what drivers and programs add ---- */

static bool take_raw(Row *row, gint64 id, void *data) {
  const RawCaller *caller = data;
  AioStoreRaw out = {.id = id,
                     .connection = id_at(row, 1, "connection"),
                     .t_host_ns = any_integer(row, 2, "t_host_ns"),
                     .is_sent = integer(row, 3, 0, 1, "is_sent") == 1};
  const gint64 crc = integer(row, 4, 0, G_MAXUINT32, "crc32");
  out.bytes = aio_sql_blob_at(row->query, 5, &out.n);
  if (!out.bytes)
    doubt(row, "bytes");
  else if (wire_crc32(0, out.bytes, out.n) != crc)
    doubt(row, aio_said_word(N_("the CRC-32 of the bytes does not fit")));
  return !row->wrong && caller->each(&out, caller->data);
}

bool aio_store_each_raw(AioStore *store, bool (*each)(const AioStoreRaw *row, void *data),
                        void *data, GError **error) {
  RawCaller caller = {each, data};
  return each_row(store, "raw",
                  "SELECT id, connection, t_host_ns, is_sent, crc32, bytes FROM raw ORDER BY id",
                  NULL, 0, take_raw, &caller, error);
}

/* What the controller logged has its time, and is its own; what a program says there has none. */
static char *said_of_before(const AioStoreEvent *event) {
  const bool is_controllers = strcmp(event->kind, "log") == 0 && event->t_us;
  return is_controllers ? NULL : of_before(event->text);
}

static bool take_event(Row *row, gint64 id, void *data) {
  const EventCaller *caller = data;
  AioStoreEvent out = {.id = id,
                       .connection = id_at(row, 1, "connection"),
                       .run = optional_id(row, 2, "run"),
                       .t_host_ns = any_integer(row, 3, "t_host_ns"),
                       .t_us = (guint64)any_integer(row, 4, "t_us"),
                       .kind = text(row, 5, "kind"),
                       .joint = (guint)integer(row, 6, 0, ARM_MAX_JOINTS, "joint"),
                       .motion = (guint)integer(row, 7, 0, G_MAXUINT16, "motion"),
                       .level = (guint)integer(row, 8, 0, 2, "level"),
                       .value = any_integer(row, 9, "value"),
                       .text = text(row, 10, "text"),
                       .detail = optional_text(row, 11, "detail")};
  char *said = said_of_before(&out);
  out.text = said ? said : out.text;
  const bool is_wanted = !row->wrong && caller->each(&out, caller->data);
  g_free(said);
  return is_wanted;
}

bool aio_store_each_event_after(AioStore *store, gint64 after,
                                bool (*each)(const AioStoreEvent *row, void *data), void *data,
                                GError **error) {
  EventCaller caller = {each, data};
  const AioSqlValue id = aio_sql_int(after);
  return each_row(store, "events",
                  "SELECT id, connection, run, t_host_ns, t_us, kind, joint, motion, level, value,"
                  " text, detail FROM events WHERE id > ? ORDER BY id",
                  &id, 1, take_event, &caller, error);
}

bool aio_store_each_event(AioStore *store, bool (*each)(const AioStoreEvent *row, void *data),
                          void *data, GError **error) {
  return aio_store_each_event_after(store, G_MININT64, each, data, error);
}

static bool take_fit(Row *row, gint64 id, void *data) {
  const FitCaller *caller = data;
  const AioStoreFit out = {.id = id,
                           .utc_us = any_integer(row, 1, "utc_us"),
                           .program = text(row, 2, "program"),
                           .dataset_sha256 = text(row, 3, "dataset_sha256"),
                           .options = text(row, 4, "options"),
                           .parameters = text(row, 5, "parameters")};
  return !row->wrong && caller->each(&out, caller->data);
}

bool aio_store_each_fit(AioStore *store, bool (*each)(const AioStoreFit *row, void *data),
                        void *data, GError **error) {
  FitCaller caller = {each, data};
  return each_row(store, "fits",
                  "SELECT id, utc_us, program, dataset_sha256, options, parameters FROM fits"
                  " ORDER BY id",
                  NULL, 0, take_fit, &caller, error);
}

static bool take_statistic(Row *row, gint64 id, void *data) {
  const StatisticCaller *caller = data;
  const AioStoreStatistic out = {.id = id,
                                 .run = optional_id(row, 1, "run"),
                                 .utc_us = any_integer(row, 2, "utc_us"),
                                 .name = text(row, 3, "name"),
                                 .value = aio_sql_real_at(row->query, 4)};
  return !row->wrong && caller->each(&out, caller->data);
}

bool aio_store_each_statistic(AioStore *store,
                              bool (*each)(const AioStoreStatistic *row, void *data), void *data,
                              GError **error) {
  StatisticCaller caller = {each, data};
  return each_row(store, "statistics",
                  "SELECT id, run, utc_us, name, value FROM statistics ORDER BY id", NULL, 0,
                  take_statistic, &caller, error);
}

/* ---- single values ---- */

static void missing(AioStore *store, const char *what, GError **error) {
  /* TRANSLATORS: the name of a table, in English */
  char *said = aio_said(N_("the session has no %s"), what);
  aio_error_set_file_said(error, AIO_ERROR_NOT_FOUND, store->path, said);
  g_free(said);
}

char *aio_store_get_meta(AioStore *store, const char *key, GError **error) {
  const AioSqlValue name = aio_sql_text(key);
  AioSqlQuery *query =
      aio_sql_query(store->sql, "SELECT value FROM meta WHERE key = ?", &name, 1, error);
  const int found = query ? aio_sql_next(query, error) : -1;
  char *value = found == 1 ? g_strdup(aio_sql_text_at(query, 0)) : NULL;
  aio_sql_query_free(query);
  if (found == 0)
    missing(store, key, error);
  else if (found == 1 && !value)
    damaged(store, "meta", 0, key, error);
  return value;
}

char *aio_store_get_text(AioStore *store, AioStoreText kind, GError **error) {
  static const char *const names[] = {"arm", "plan", "steps"};
  static const char *const sql[] = {"SELECT id, sha256, text FROM arm ORDER BY id DESC LIMIT 1",
                                    "SELECT id, sha256, text FROM plan ORDER BY id DESC LIMIT 1",
                                    "SELECT id, sha256, text FROM steps ORDER BY id DESC LIMIT 1"};
  AioSqlQuery *query = aio_sql_query(store->sql, sql[kind], NULL, 0, error);
  const int found = query ? aio_sql_next(query, error) : -1;
  const char *digest = found == 1 ? aio_sql_text_at(query, 1) : NULL;
  char *value = found == 1 ? g_strdup(aio_sql_text_at(query, 2)) : NULL;
  char *computed = value ? g_compute_checksum_for_string(G_CHECKSUM_SHA256, value, -1) : NULL;
  if (found == 0)
    missing(store, names[kind], error);
  else if (found == 1 && (!value || g_strcmp0(digest, computed) != 0)) {
    damaged(store, names[kind], aio_sql_int_at(query, 0),
            aio_said_word(N_("its SHA-256 does not fit")), error);
    g_clear_pointer(&value, g_free);
  }
  g_free(computed);
  aio_sql_query_free(query);
  return value;
}

bool aio_store_last_chunk(AioStore *store, gint64 *chunk, GError **error) {
  gint64 packed = 0;
  *chunk = 0;
  const bool is_known = look_for_packs(store, error) &&
                        aio_sql_get_int(store->sql, "SELECT max(id) FROM chunks", chunk, error) &&
                        (!store->has_packs ||
                         aio_sql_get_int(store->sql,
                                         "SELECT max(id + chunks - 1) FROM"
                                         " (SELECT id, chunks FROM packs ORDER BY id DESC LIMIT 1)",
                                         &packed, error));
  *chunk = MAX(*chunk, packed);
  return is_known;
}

bool aio_store_last_ids(AioStore *store, gint64 *connection, gint64 *run, GError **error) {
  return aio_sql_get_int(store->sql, "SELECT max(id) FROM connections", connection, error) &&
         aio_sql_get_int(store->sql, "SELECT max(id) FROM runs", run, error);
}
