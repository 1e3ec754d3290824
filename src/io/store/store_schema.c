/* SPDX-License-Identifier: MIT */
/* The tables as texts, which a file's own are compared with to the letter: a trigger, view or
 * default of somebody else's would run within our transactions. Versions only ever append. */
#include "io/store/store_schema.h"

#include <glib/gi18n-lib.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"

/* Objects of a table stand together, in the order of their creation. Never edit one that was
 * published: files are compared with these texts to the letter. A new version appends objects. */
typedef struct {
  int since; /* version */
  const char *name, *sql;
} Object;

static const Object OBJECTS[] = {
    {1, "meta",
     "CREATE TABLE meta (\n"
     "  key TEXT PRIMARY KEY CHECK (length(key) > 0),\n"
     "  value TEXT NOT NULL\n"
     ") STRICT, WITHOUT ROWID"},
    {1, "arm",
     "CREATE TABLE arm (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  utc_us INTEGER NOT NULL,\n"
     "  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),\n"
     "  text TEXT NOT NULL\n"
     ") STRICT"},
    {1, "plan",
     "CREATE TABLE plan (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  utc_us INTEGER NOT NULL,\n"
     "  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),\n"
     "  text TEXT NOT NULL\n"
     ") STRICT"},
    {1, "steps",
     "CREATE TABLE steps (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  utc_us INTEGER NOT NULL,\n"
     "  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),\n"
     "  text TEXT NOT NULL\n"
     ") STRICT"},
    {1, "connections",
     "CREATE TABLE connections (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  utc_us INTEGER NOT NULL,\n"
     "  t_host_ns INTEGER NOT NULL,\n"
     "  controller TEXT NOT NULL\n"
     ") STRICT"},
    {1, "runs",
     "CREATE TABLE runs (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
     "  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),\n"
     "  joint INTEGER NOT NULL CHECK (joint BETWEEN 0 AND 32),\n"
     "  hold INTEGER NOT NULL CHECK (hold >= 0),\n"
     "  speed REAL,\n"
     "  started_us INTEGER NOT NULL,\n"
     "  ended_us INTEGER,\n"
     "  motion INTEGER NOT NULL CHECK (motion BETWEEN 0 AND 65535),\n"
     "  outcome TEXT\n"
     ") STRICT"},
    {1, "chunks",
     "CREATE TABLE chunks (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
     "  run INTEGER REFERENCES runs(id),\n"
     "  first_index INTEGER NOT NULL CHECK (first_index >= 0),\n"
     "  n INTEGER NOT NULL CHECK (n BETWEEN 1 AND 64),\n"
     "  t0_us INTEGER NOT NULL CHECK (t0_us >= 0),\n"
     "  data BLOB NOT NULL\n"
     ") STRICT"},
    {1, "chunks_by_run", "CREATE INDEX chunks_by_run ON chunks(run)"},
    {1, "raw",
     "CREATE TABLE raw (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
     "  t_host_ns INTEGER NOT NULL,\n"
     "  is_sent INTEGER NOT NULL CHECK (is_sent IN (0, 1)),\n"
     "  crc32 INTEGER NOT NULL,\n"
     "  bytes BLOB NOT NULL\n"
     ") STRICT"},
    {1, "events",
     "CREATE TABLE events (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
     "  run INTEGER REFERENCES runs(id),\n"
     "  t_host_ns INTEGER NOT NULL,\n"
     "  t_us INTEGER NOT NULL,\n"
     "  kind TEXT NOT NULL CHECK (length(kind) BETWEEN 1 AND 32),\n"
     "  joint INTEGER NOT NULL CHECK (joint BETWEEN 0 AND 32),\n"
     "  motion INTEGER NOT NULL CHECK (motion BETWEEN 0 AND 65535),\n"
     "  level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 2),\n"
     "  value INTEGER NOT NULL,\n"
     "  text TEXT NOT NULL,\n"
     "  detail TEXT\n"
     ") STRICT"},
    {1, "fits",
     "CREATE TABLE fits (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  utc_us INTEGER NOT NULL,\n"
     "  program TEXT NOT NULL,\n"
     "  dataset_sha256 TEXT NOT NULL CHECK (length(dataset_sha256) = 64),\n"
     "  options TEXT NOT NULL,\n"
     "  parameters TEXT NOT NULL\n"
     ") STRICT"},
    {2, "statistics",
     "CREATE TABLE statistics (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  run INTEGER REFERENCES runs(id),\n"
     "  utc_us INTEGER NOT NULL,\n"
     "  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),\n"
     "  value REAL\n"
     ") STRICT"},
    {3, "packs",
     "CREATE TABLE packs (\n"
     "  id INTEGER PRIMARY KEY,\n"
     "  chunks INTEGER NOT NULL CHECK (chunks BETWEEN 1 AND 2048),\n"
     "  connection INTEGER NOT NULL REFERENCES connections(id),\n"
     "  run INTEGER REFERENCES runs(id),\n"
     "  first_index INTEGER NOT NULL CHECK (first_index >= 0),\n"
     "  n INTEGER NOT NULL CHECK (n BETWEEN 1 AND 2048),\n"
     "  t0_us INTEGER NOT NULL CHECK (t0_us >= 0),\n"
     "  data BLOB NOT NULL\n"
     ") STRICT"},
    {3, "packs_by_run", "CREATE INDEX packs_by_run ON packs(run)"},
};

static const char *const TABLES[] = {"meta",       "arm",    "plan", "steps",  "connections",
                                     "runs",       "chunks", "raw",  "events", "fits",
                                     "statistics", "packs",  NULL};

/* Takes the sentence over. */
static bool refuse(AioSql *sql, AioErrorCode code, char *said, GError **error) {
  aio_error_set_file_said(error, code, aio_sql_path(sql), said);
  g_free(said);
  return false;
}

static bool refuse_damaged(AioSql *sql, const char *words, GError **error) {
  char *said = aio_said("%s; %s", aio_said_word(words), aio_sql_damage());
  return refuse(sql, AIO_ERROR_SYNTAX, said, error);
}

/* The objects that came after `from` up to `to`, and the version. */
static bool add_objects(AioSql *sql, int from, int to, GError **error) {
  char *version = g_strdup_printf("PRAGMA user_version=%d", to);
  bool is_done = true;
  for (gsize k = 0; is_done && k < G_N_ELEMENTS(OBJECTS); k++)
    if (OBJECTS[k].since > from && OBJECTS[k].since <= to)
      is_done = aio_sql_exec(sql, OBJECTS[k].sql, error);
  is_done = is_done && aio_sql_exec(sql, version, error);
  g_free(version);
  return is_done;
}

static bool add_in_transaction(AioSql *sql, int from, GError **error) {
  aio_sql_set_tables(sql, TABLES);
  aio_sql_allow_schema(sql, true);
  const bool is_done = aio_sql_exec(sql, "BEGIN IMMEDIATE", error) &&
                       add_objects(sql, from, AIO_SCHEMA_VERSION, error) &&
                       aio_sql_exec(sql, "COMMIT", error);
  if (!is_done)
    aio_sql_exec(sql, "ROLLBACK", NULL);
  aio_sql_allow_schema(sql, false);
  return is_done;
}

bool aio_schema_create(AioSql *sql, GError **error) {
  char *application = g_strdup_printf("PRAGMA application_id=%d", AIO_SCHEMA_APPLICATION);
  const bool is_done = aio_sql_exec(sql, "PRAGMA page_size=16384", error) &&
                       aio_sql_exec(sql, application, error) && add_in_transaction(sql, 0, error);
  g_free(application);
  return is_done;
}

bool aio_schema_version(AioSql *sql, gint64 *version, GError **error) {
  return aio_sql_get_int(sql, "PRAGMA user_version", version, error);
}

bool aio_schema_migrate(AioSql *sql, int version, GError **error) {
  return add_in_transaction(sql, version, error);
}

static const Object *object_named(const char *name, int version) {
  for (gsize k = 0; name && k < G_N_ELEMENTS(OBJECTS); k++)
    if (OBJECTS[k].since <= version && strcmp(OBJECTS[k].name, name) == 0)
      return &OBJECTS[k];
  return NULL;
}

static bool check_object(AioSql *sql, AioSqlQuery *row, int version, GError **error) {
  const char *name = aio_sql_text_at(row, 0), *text = aio_sql_text_at(row, 1);
  const Object *object = object_named(name, version);
  if (object && text && strcmp(object->sql, text) == 0)
    return true;
  char begin[65];
  g_strlcpy(begin, name ? name : "", sizeof begin);
  aio_text_cut(begin);
  char *shown = aio_text_visible(begin, false);
  char *said = aio_said(N_("expected only the tables of a session, found \"%s\"; the file was "
                           "changed by another program, it is not used"),
                        shown);
  g_free(shown);
  return refuse(sql, AIO_ERROR_REFUSED, said, error);
}

static bool check_objects(AioSql *sql, int version, GError **error) {
  static const char SQL[] = "SELECT name, sql FROM sqlite_master";
  guint count = 0, expected = 0;
  bool is_sound = true;
  int more = -1;
  for (gsize k = 0; k < G_N_ELEMENTS(OBJECTS); k++)
    expected += OBJECTS[k].since <= version;
  AioSqlQuery *row = aio_sql_query(sql, SQL, NULL, 0, error);
  while (row && is_sound && (more = aio_sql_next(row, error)) == 1) {
    is_sound = check_object(sql, row, version, error);
    count++;
  }
  aio_sql_query_free(row);
  if (!is_sound || more == -1)
    return false;
  return count == expected || refuse_damaged(sql, N_("tables of a session are missing"), error);
}

static bool check_structure(AioSql *sql, GError **error) {
  AioSqlQuery *row = aio_sql_query(sql, "PRAGMA quick_check(1)", NULL, 0, error);
  const int more = row ? aio_sql_next(row, error) : -1;
  const char *answer = more == 1 ? aio_sql_text_at(row, 0) : NULL;
  const bool is_sound = answer && strcmp(answer, "ok") == 0;
  if (!is_sound && more == 1)
    aio_error_set_file_said(error, AIO_ERROR_SYNTAX, aio_sql_path(sql), aio_sql_damage());
  aio_sql_query_free(row);
  return is_sound;
}

static bool check_version(AioSql *sql, gint64 version, GError **error) {
  if (version >= 1 && version <= AIO_SCHEMA_VERSION)
    return true;
  const char *newer = aio_said_word(N_(", written by a newer program: open it with that one"));
  char *said =
      aio_said(N_("expected a session of version 1 to %d, found version %ld%s"), AIO_SCHEMA_VERSION,
               (glong)version, version > AIO_SCHEMA_VERSION ? newer : "");
  return refuse(sql, AIO_ERROR_REFUSED, said, error);
}

/* Its samples would be in no run, and in none of the results. The index of the chunks tells. */
static bool check_runs(AioSql *sql, GError **error) {
  gint64 strays = 0;
  return aio_sql_get_int(sql,
                         "SELECT count(*) FROM chunks WHERE run IS NOT NULL"
                         " AND run NOT IN (SELECT id FROM runs)",
                         &strays, error) &&
         (strays == 0 ||
          refuse_damaged(sql, N_("there are samples of a run that is not there"), error));
}

/* The same of what is packed. */
static bool check_packed_runs(AioSql *sql, int version, GError **error) {
  gint64 strays = 0;
  if (version < AIO_SCHEMA_PACKS)
    return true;
  return aio_sql_get_int(sql,
                         "SELECT count(*) FROM packs WHERE run IS NOT NULL"
                         " AND run NOT IN (SELECT id FROM runs)",
                         &strays, error) &&
         (strays == 0 ||
          refuse_damaged(sql, N_("there are samples of a run that is not there"), error));
}

bool aio_schema_check(AioSql *sql, bool looks_through, int *version, GError **error) {
  gint64 found = 0, application = 0;
  if (!aio_sql_get_int(sql, "PRAGMA application_id", &application, error))
    return false;
  if (application != AIO_SCHEMA_APPLICATION)
    return refuse(sql, AIO_ERROR_SYNTAX, aio_said(N_("is not a session file")), error);
  if (!aio_sql_get_int(sql, "PRAGMA user_version", &found, error) ||
      !check_version(sql, found, error) || !check_objects(sql, (int)found, error))
    return false;
  *version = (int)found;
  aio_schema_trust(sql);
  return !looks_through || (check_structure(sql, error) && check_runs(sql, error) &&
                            check_packed_runs(sql, *version, error));
}

void aio_schema_trust(AioSql *sql) {
  aio_sql_set_tables(sql, TABLES);
}
