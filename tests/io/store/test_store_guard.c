/* SPDX-License-Identifier: MIT */
/* What a store refuses, and that nothing is changed by it: SQL that a stranger's schema could
 * smuggle in, files that may not be written, places that cannot be copied to, a place that was
 * lost. */
#include <errno.h>
#include <sys/stat.h>

#include "io/store/store_internal.h"
#include "io/store/store_schema.h"
#include "session_nobody.h"
#include "session_v1.h"

static AioStore *make(const char *path) {
  AioStore *store = session_create(path);
  session_fill(store);
  return store;
}

/* ---- what is said ---- */

/* SQLite's words, and the system's where the system has refused. */
static void test_words(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  const AioStoreStatistic nameless = {.name = ""};
  char *said =
      g_strconcat(c->path, ": CHECK constraint failed: length(name) BETWEEN 1 AND 64", NULL);
  errno = ENOENT; /* of something else */
  g_assert_false(aio_store_add_statistic(store, &nameless, &error));
  g_assert_cmpstr(error->message, ==, said);
  g_clear_error(&error);
  g_free(said);
  g_assert_true(aio_store_close(store, &error));
  g_assert_cmpint(g_unlink(c->path), ==, 0);
  g_assert_null(aio_sql_open(c->path, AIO_SQL_READ, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_nonnull(strstr(error->message, g_strerror(ENOENT)));
  g_clear_error(&error);
}

/* ---- what is made, or not ---- */

static bool fill(AioStore *store, gconstpointer data, GError **error) {
  return aio_store_add_text(store, AIO_STORE_ARM, data, error) &&
         aio_store_add_text(store, AIO_STORE_PLAN, "{}", error);
}

static bool fill_and_fail(AioStore *store, gconstpointer data, GError **error) {
  const AioStoreStatistic nameless = {.name = ""};
  return fill(store, data, error) && aio_store_add_statistic(store, &nameless, error);
}

static void test_filled(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  g_assert_null(aio_store_create_filled(c->path, "test 1", fill_and_fail, "{}", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
  g_assert_cmpuint(session_count_files(c->folder), ==, 0);
  AioStore *store = aio_store_create_filled(c->path, "test 1", fill, "{\"joints\": 2}", &error);
  g_assert_no_error(error);
  char *arm = aio_store_get_text(store, AIO_STORE_ARM, &error);
  g_assert_cmpstr(arm, ==, "{\"joints\": 2}");
  g_free(arm);
  char *said = g_strconcat(c->path, ": the session has no steps", NULL);
  g_assert_null(aio_store_get_text(store, AIO_STORE_STEPS, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_cmpstr(error->message, ==, said);
  g_clear_error(&error);
  g_free(said);
  static const char *const keys[] = {"uid", "program", "created", "host"};
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++) {
    char *value = aio_store_get_meta(store, keys[k], &error);
    g_assert_no_error(error);
    g_assert_cmpstr(value, !=, "");
    g_free(value);
  }
  g_assert_true(aio_store_close(store, &error));
}

static bool fill_and_take_name(AioStore *store, gconstpointer path, GError **error) {
  return g_file_set_contents(path, "somebody else's", -1, error) && fill(store, "{}", error);
}

/* The name was free when it was asked for, and is not any more. */
static void test_name_taken(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *bytes = NULL;
  g_assert_null(aio_store_create_filled(c->path, "test 1", fill_and_take_name, c->path, &error));
  g_assert_nonnull(error);
  g_clear_error(&error);
  g_assert_true(g_file_get_contents(c->path, &bytes, NULL, NULL));
  g_assert_cmpstr(bytes, ==, "somebody else's");
  g_free(bytes);
}

/* Descriptors are not forgotten, whatever is refused. */
static guint open_files(void) {
  return session_count_files("/proc/self/fd");
}

static void test_descriptors(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  AioStore *store = make(c->path);
  g_assert_true(aio_store_copy(store, other, NULL, NULL, &error));
  g_assert_true(aio_store_close(store, &error));
  session_make(other, "PRAGMA user_version=4");
  const guint before = open_files();
  g_assert_true(aio_store_is_session(c->path));
  for (int is_writing = 0; is_writing < 2; is_writing++) {
    store = is_writing ? aio_store_open_write(c->path, "test 2", &error)
                       : aio_store_open_read(c->path, &error);
    g_assert_null(aio_store_open_write(is_writing ? c->path : other, "test 3", NULL));
    g_assert_null(aio_store_open_read(other, NULL));
    g_assert_true(aio_store_close(store, &error));
    g_assert_cmpuint(open_files(), ==, before);
  }
  store = aio_store_open_waiting(c->path, "test 2", &error);
  g_assert_true(aio_store_start_writing(store, &error));
  g_assert_true(aio_store_close(store, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(open_files(), ==, before);
  g_free(other);
}

/* A journal that is looked at is closed, whatever its number. */
static bool leaves_no_input(const char *path) {
  char *journal = g_strconcat(path, "-journal", NULL);
  const bool is_made = g_file_set_contents(journal, "x", 1, NULL);
  struct stat info;
  close(0);
  aio_store_close(aio_store_open_read(path, NULL), NULL);
  const bool is_free = fstat(0, &info) != 0 || !S_ISREG(info.st_mode);
  g_unlink(journal);
  g_free(journal);
  return is_made && is_free;
}

static int check_without_input(const char *path) {
  char *other = g_strconcat(path, ".copy", NULL);
  if (!leaves_no_input(path))
    return 3;
  close(0); /* as where a program is started without a terminal: the next file gets this number */
  if (!aio_store_is_session(path))
    return 1;
  AioStore *store = aio_store_open_write(path, "test 2", NULL);
  close(0);
  const bool is_copied = store && aio_store_copy(store, other, NULL, NULL, NULL);
  const bool is_closed = aio_store_close(store, NULL);
  g_free(other);
  return is_copied && is_closed ? 0 : 2;
}

static void test_without_input(SessionPlace *c, gconstpointer data) {
  (void)data;
  g_assert_true(aio_store_close(make(c->path), NULL));
  g_assert_cmpint(g_chmod(c->path, 0666), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0777), ==, 0);
  g_assert_cmpint(session_as_nobody(c->path, check_without_input), ==, 0);
}

/* ---- what a connection executes ---- */

#define DIGEST "'" SESSION_DIGEST "'"

static const char *const FORBIDDEN[] = {
    "SELECT * FROM v",
    "DELETE FROM arm",
    "DELETE FROM chunks",
    "DROP TABLE arm",
    "CREATE TABLE more (a)",
    "CREATE TEMP TABLE more (a)",
    "CREATE VIEW w AS SELECT * FROM arm",
    "ATTACH ':memory:' AS other",
    "SELECT upper(text) FROM arm",
    "SELECT load_extension('x')",
    "PRAGMA writable_schema=ON",
    "PRAGMA synchronous=OFF",
    "UPDATE sqlite_master SET sql = ''",
    "SELECT id FROM arm WHERE \"nothing\" = 'nothing'", /* a name that is no column is no text */
};

static gint64 count(AioSql *sql, const char *text) {
  GError *error = NULL;
  gint64 value = -1;
  g_assert_true(aio_sql_get_int(sql, text, &value, &error));
  g_assert_no_error(error);
  return value;
}

/* Before the schema was looked at: a file may hold anything. */
static void test_connection(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  session_v1_make(c->path);
  session_make(c->path, "CREATE TRIGGER t AFTER INSERT ON plan BEGIN DELETE FROM steps; END;"
                        "CREATE VIEW v AS SELECT id FROM arm;");
  char *bytes = NULL;
  gsize n = 0;
  g_assert_true(g_file_get_contents(c->path, &bytes, &n, NULL));
  AioSql *memory = aio_sql_new_memory("bytes", (const guint8 *)bytes, n, &error);
  AioSql *sql = aio_sql_open(c->path, AIO_SQL_WRITE, &error);
  g_assert_no_error(error);
  aio_schema_trust(memory);
  aio_schema_trust(sql);
  for (gsize k = 0; k < 2 * G_N_ELEMENTS(FORBIDDEN); k++) {
    g_assert_false(aio_sql_exec(k % 2 ? memory : sql, FORBIDDEN[k / 2], &error));
    g_assert_nonnull(error);
    g_clear_error(&error);
  }
  aio_sql_free(memory);
  g_free(bytes);
  g_assert_true(aio_sql_exec(
      sql, "INSERT INTO plan (utc_us, sha256, text) VALUES (5, " DIGEST ", '{}')", &error));
  g_assert_no_error(error);
  g_assert_cmpint(count(sql, "SELECT count(*) FROM steps"), ==, 1); /* no trigger fires */
  AioSqlQuery *query = aio_sql_query(sql, "PRAGMA journal_mode=OFF", NULL, 0, &error);
  g_assert_cmpint(aio_sql_next(query, &error), ==, 1);
  g_assert_cmpstr(aio_sql_text_at(query, 0), !=, "off");
  aio_sql_query_free(query);
  aio_sql_free(sql);
}

static void test_schema_names(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  session_v1_make(c->path);
  AioSql *sql = aio_sql_open(c->path, AIO_SQL_WRITE, &error);
  g_assert_no_error(error);
  aio_schema_trust(sql);
  aio_sql_allow_schema(sql, true);
  g_assert_false(aio_sql_exec(sql, "CREATE INDEX i ON arm(\"nothing\")", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_true(aio_sql_exec(sql, "CREATE INDEX i ON arm(utc_us)", &error));
  aio_sql_allow_schema(sql, false);
  g_assert_false(aio_sql_exec(sql, "CREATE INDEX k ON arm(utc_us)", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  aio_sql_free(sql);
}

/* Of another kind than asked for there is nothing, and an answer must have a row. */
static void test_values(void) {
  GError *error = NULL;
  gsize n = 1;
  gint64 value = 7;
  AioSql *sql = aio_sql_new_memory("numbers", NULL, 0, &error);
  g_assert_no_error(error);
  AioSqlQuery *query =
      aio_sql_query(sql, "SELECT 5, 2.5, 'five', X'05', NULL, X''", NULL, 0, &error);
  g_assert_cmpint(aio_sql_next(query, &error), ==, 1);
  static const AioSqlKind kinds[] = {AIO_SQL_INT,  AIO_SQL_REAL, AIO_SQL_TEXT,
                                     AIO_SQL_BLOB, AIO_SQL_NULL, AIO_SQL_BLOB};
  for (int k = 0; k < (int)G_N_ELEMENTS(kinds); k++) {
    g_assert_cmpint(aio_sql_kind_at(query, k), ==, kinds[k]);
    g_assert_cmpint(aio_sql_int_at(query, k), ==, k == 0 ? 5 : 0);
    g_assert_true(isnan(aio_sql_real_at(query, k)) == (k > 1));
    g_assert_cmpstr(aio_sql_text_at(query, k), ==, k == 2 ? "five" : NULL);
    const guint8 *bytes = aio_sql_blob_at(query, k, &n);
    g_assert_true((bytes != NULL) == (kinds[k] == AIO_SQL_BLOB));
    g_assert_cmpuint(n, ==, k == 3);
  }
  g_assert_cmpfloat(aio_sql_real_at(query, 0), ==, 5);
  g_assert_cmpfloat(aio_sql_real_at(query, 1), ==, 2.5);
  g_assert_cmpint(aio_sql_next(query, &error), ==, 0);
  aio_sql_query_free(query);
  g_assert_false(aio_sql_get_int(sql, "SELECT nothing", &value, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_false(aio_sql_run(sql, "SELECT nothing", NULL, 0, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_false(aio_sql_get_int(sql, "SELECT 5 WHERE 1 = 2", &value, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_cmpint(value, ==, 7);
  g_clear_error(&error);
  aio_sql_free(sql);
}

/* What cannot be read is not looked at any further. */
static void test_unreadable(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  int version = 7;
  g_assert_true(aio_store_close(make(c->path), NULL));
  AioSql *sql = aio_sql_open(c->path, AIO_SQL_READ, &error);
  g_assert_no_error(error);
  aio_sql_bar(sql, false);
  g_assert_false(aio_schema_check(sql, true, &version, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_cmpint(version, ==, 7);
  g_clear_error(&error);
  aio_sql_free(sql);
}

/* ---- a migration ---- */

/* Tables may be made by it, and no longer. */
static void test_migrated(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  session_v1_make(c->path);
  AioSql *sql = aio_sql_open(c->path, AIO_SQL_WRITE, &error);
  g_assert_true(aio_schema_migrate(sql, 1, &error));
  g_assert_cmpint(count(sql, "PRAGMA user_version"), ==, 3);
  g_assert_cmpint(count(sql, "SELECT count(*) FROM statistics"), ==, 0);
  g_assert_false(aio_sql_exec(sql, "CREATE TABLE more (a)", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  aio_sql_free(sql);
}

static void test_migration_fails(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  session_v1_make(c->path);
  session_make(c->path, "CREATE TABLE statistics (a);"); /* in the way of the new one */
  AioSql *sql = aio_sql_open(c->path, AIO_SQL_WRITE, &error);
  g_assert_no_error(error);
  g_assert_false(aio_schema_migrate(sql, 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_assert_true(aio_sql_exec(sql, "BEGIN IMMEDIATE", &error)); /* none is open any more */
  g_assert_no_error(error);
  g_assert_cmpint(count(sql, "PRAGMA user_version"), ==, 1);
  aio_sql_free(sql);
}

/* ---- files and folders ---- */

/* Another program's database with our number in it, and too little of anything. */
static void test_wrong_head(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *bytes = NULL;
  gsize n = 0;
  g_assert_true(aio_store_close(make(c->path), NULL));
  g_assert_true(g_file_get_contents(c->path, &bytes, &n, NULL));
  g_assert_true(aio_store_is_session(c->path));
  bytes[3] ^= 1;
  for (int is_short = 0; is_short < 2; is_short++) {
    g_assert_true(g_file_set_contents(c->path, bytes, is_short ? 99 : (gssize)n, NULL));
    g_assert_null(aio_store_open_read(c->path, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
    g_assert_nonnull(strstr(error->message, "bench.armsession: is not a session file"));
    g_clear_error(&error);
    g_assert_true(aio_store_is_session(c->path) == is_short); /* as far as its first bytes tell */
    bytes[3] ^= 1;
  }
  g_assert_null(aio_store_open_bytes("bytes", (const guint8 *)bytes, 99, &error));
  g_assert_nonnull(strstr(error->message, "bytes: is not a session file"));
  g_clear_error(&error);
  g_free(bytes);
}

static int check_unwritable(const char *path) {
  GError *error = NULL;
  if (aio_store_open_write(path, "test 2", &error) || error->code != AIO_ERROR_PERMISSION)
    return 1;
  if (strstr(error->message, "not an error") || !strstr(error->message, "open it for reading"))
    return 2;
  g_clear_error(&error);
  if (aio_store_open_waiting(path, "test 2", &error) || error->code != AIO_ERROR_PERMISSION)
    return 3;
  g_clear_error(&error);
  AioStore *store = aio_store_open_read(path, &error);
  const int code = store ? 0 : 4;
  aio_store_close(store, NULL);
  return code;
}

/* A file that may not be written, in a folder that may: no copy for a migration is left behind. */
static void test_unwritable(SessionPlace *c, gconstpointer data) {
  (void)data;
  session_v1_make(c->path);
  g_assert_cmpint(g_chmod(c->path, 0444), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0777), ==, 0);
  g_assert_cmpint(session_as_nobody(c->path, check_unwritable), ==, 0);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
}

static int check_readable(const char *path) {
  AioStore *store = aio_store_open_read(path, NULL);
  return store && aio_store_close(store, NULL) ? 0 : 1;
}

/* Where nothing can be made an empty journal has nothing to be played back. */
static void test_empty_journal(SessionPlace *c, gconstpointer data) {
  (void)data;
  char *journal = g_strconcat(c->path, "-journal", NULL);
  g_assert_true(aio_store_close(make(c->path), NULL));
  g_assert_true(g_file_set_contents(journal, "", 0, NULL));
  g_assert_cmpint(g_chmod(c->path, 0444), ==, 0);
  if (getuid() == 0)
    g_assert_cmpint(chown(journal, 65534, 65534), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0555), ==, 0);
  g_assert_cmpint(session_as_nobody(c->path, check_readable), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0755), ==, 0);
  g_free(journal);
}

static bool no_chunk(const AioStoreChunk *row, void *data) {
  (void)row, (void)data;
  return true;
}

/* SQLite's own words for it would say less. */
static void test_damaged(SessionPlace *c, gconstpointer data) {
  (void)data;
  enum { PAGE = 16384 };
  GError *error = NULL;
  char *bytes = NULL;
  gsize n = 0;
  char *said = g_strconcat(
      c->path,
      ": the file is not a session of this program or is damaged; nothing was changed; copy "
      "it before you try anything with it, and go on with an older copy",
      NULL);
  g_assert_true(aio_store_close(make(c->path), NULL));
  g_assert_true(g_file_get_contents(c->path, &bytes, &n, NULL));
  for (gsize page = 1; page < n / PAGE; page++)
    memset(bytes + page * PAGE, 0xff, 16);
  g_assert_true(g_file_set_contents(c->path, bytes, (gssize)n, NULL));
  g_assert_null(
      aio_store_open_bytes("bytes", (const guint8 *)bytes, n, &error)); /* looked through */
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  AioStore *store = aio_store_open_again(c->path, &error); /* not looked through */
  g_assert_no_error(error);
  g_assert_false(aio_store_each_chunk(store, 0, no_chunk, NULL, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_cmpstr(error->message, ==, said);
  g_clear_error(&error);
  aio_store_close(store, NULL);
  g_free(said);
  g_free(bytes);
}

static int check_closed_folder(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, NULL);
  char *folder = g_path_get_dirname(path), *other = g_build_filename(folder, "copy", NULL);
  return !store || aio_store_copy(store, other, NULL, NULL, &error) ||
         error->code != AIO_ERROR_PERMISSION;
}

static void test_copy_refused(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = make(c->path);
  char *nowhere = g_build_filename(c->folder, "nothing", "copy", NULL);
  char *long_name = g_strnfill(300, 'x'), *too_long = g_build_filename(c->folder, long_name, NULL);
  g_assert_false(aio_store_copy(store, nowhere, NULL, NULL, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  g_assert_false(aio_store_copy(store, too_long, NULL, NULL, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
  g_assert_true(aio_store_close(store, &error));
  g_assert_cmpint(g_chmod(c->folder, 0555), ==, 0);
  g_assert_cmpint(session_as_nobody(c->path, check_closed_folder), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0755), ==, 0);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  g_free(too_long);
  g_free(long_name);
  g_free(nowhere);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-guard/" name, SessionPlace, NULL, session_place_set_up, function,             \
             session_place_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/store-guard/values", test_values);
  ADD("words", test_words);
  ADD("filled", test_filled);
  ADD("name-taken", test_name_taken);
  ADD("descriptors", test_descriptors);
  ADD("without-input", test_without_input);
  ADD("empty-journal", test_empty_journal);
  ADD("damaged", test_damaged);
  ADD("connection", test_connection);
  ADD("schema-names", test_schema_names);
  ADD("unreadable", test_unreadable);
  ADD("migrated", test_migrated);
  ADD("migration-fails", test_migration_fails);
  ADD("wrong-head", test_wrong_head);
  ADD("unwritable", test_unwritable);
  ADD("copy-refused", test_copy_refused);
  return g_test_run();
}
