/* SPDX-License-Identifier: MIT */
/* Sessions of other versions, and files that only look like sessions. */
#include "session_case.h"
#include "session_v1.h"

typedef struct {
  char *folder, *path;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "old.armsession", NULL);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  g_free(c->path);
  session_remove(c->folder);
}

/* ---- version 1 ---- */

static bool check_chunk(const AioStoreChunk *row, void *count) {
  AioChunk *expected = session_chunk(1, 0, 2);
  session_assert_same(row->chunk, expected);
  aio_chunk_unref(expected);
  return ++*(guint *)count;
}

static bool count_event(const AioStoreEvent *row, void *count) {
  g_assert_cmpstr(row->text, ==, "over-current");
  return ++*(guint *)count;
}

static bool count_statistic(const AioStoreStatistic *row, void *count) {
  g_assert_cmpstr(row->name, ==, "new");
  return ++*(guint *)count;
}

static void check_v1(AioStore *store, guint statistics) {
  GError *error = NULL;
  guint chunks = 0, events = 0, found = 0;
  char *arm = aio_store_get_text(store, AIO_STORE_ARM, &error);
  g_assert_cmpstr(arm, ==, "{\"joints\": 1}");
  g_assert_true(aio_store_each_chunk(store, 1, check_chunk, &chunks, &error));
  g_assert_true(aio_store_each_event(store, count_event, &events, &error));
  g_assert_true(aio_store_each_statistic(store, count_statistic, &found, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(chunks, ==, 1);
  g_assert_cmpuint(events, ==, 1);
  g_assert_cmpuint(found, ==, statistics);
  g_free(arm);
}

/* The file with another name in the folder: the dated copy. Free with g_free. */
static char *find_copy(const Case *c) {
  GDir *dir = g_dir_open(c->folder, 0, NULL);
  char *copy = NULL;
  for (const char *name; (name = g_dir_read_name(dir));)
    if (g_str_has_prefix(name, "old.armsession.v1-2"))
      copy = g_build_filename(c->folder, name, NULL);
  g_dir_close(dir);
  return copy;
}

static void test_migrate(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *before = NULL, *after = NULL;
  gsize n_before = 0, n_after = 0;
  session_v1_make(c->path);
  g_assert_true(g_file_get_contents(c->path, &before, &n_before, NULL));
  AioStore *store = aio_store_open_read(c->path, &error); /* migrates in memory only */
  g_assert_no_error(error);
  check_v1(store, 0);
  aio_store_close(store, NULL);
  g_assert_true(g_file_get_contents(c->path, &after, &n_after, NULL));
  g_assert_cmpmem(before, n_before, after, n_after);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  store = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  check_v1(store, 0);
  const AioStoreStatistic row = {.name = "new", .value = 1};
  g_assert_true(aio_store_add_statistic(store, &row, &error));
  g_assert_true(aio_store_close(store, &error));
  g_assert_cmpuint(session_count_files(c->folder), ==, 2);
  char *copy = find_copy(c);
  store = aio_store_open_read(copy, &error); /* still of version 1 */
  g_assert_no_error(error);
  check_v1(store, 0);
  aio_store_close(store, NULL);
  store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  check_v1(store, 1);
  aio_store_close(store, NULL);
  g_free(copy);
  g_free(before);
  g_free(after);
}

static guint count_ending(const Case *c, const char *ending) {
  GDir *dir = g_dir_open(c->folder, 0, NULL);
  guint count = 0;
  for (const char *name; (name = g_dir_read_name(dir));)
    count += g_str_has_suffix(name, ending);
  g_dir_close(dir);
  return count;
}

/* Where there is a copy of the same second already the next one is numbered. */
static void test_second_copy(Case *c, gconstpointer data) {
  (void)data;
  enum { MINUTE = 60 };
  GError *error = NULL;
  session_v1_make(c->path);
  GDateTime *now = g_date_time_new_now_local();
  for (int k = 0; k < MINUTE; k++) {
    GDateTime *then = g_date_time_add_seconds(now, k);
    char *date = g_date_time_format(then, "%Y%m%d-%H%M%S");
    char *copy = g_strdup_printf("%s.v1-%s", c->path, date);
    g_assert_true(g_file_set_contents(copy, "of somebody", -1, NULL));
    g_free(copy);
    g_free(date);
    g_date_time_unref(then);
  }
  g_date_time_unref(now);
  AioStore *store = aio_store_open_write(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_close(store, &error));
  g_assert_cmpuint(session_count_files(c->folder), ==, 1 + MINUTE + 1);
  g_assert_cmpuint(count_ending(c, "-2"), ==, 1);
}

/* Its writer has closed it, and did not go back from the log: what is in memory has none. */
static void test_migrate_log(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  session_v1_make(c->path);
  session_make(c->path, "PRAGMA journal_mode=WAL; PRAGMA user_version=1;");
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  AioStore *store = aio_store_open_read(c->path, &error);
  g_assert_no_error(error);
  check_v1(store, 0);
  aio_store_close(store, NULL);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
}

/* As long as no row comes nothing is written, not even what is new in this version. */
static void test_wait(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  char *before = NULL, *after = NULL;
  gsize n_before = 0, n_after = 0;
  session_v1_make(c->path);
  g_assert_true(g_file_get_contents(c->path, &before, &n_before, NULL));
  AioStore *store = aio_store_open_waiting(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_is_waiting(store));
  check_v1(store, 0);
  AioStore *reader = aio_store_open_again(c->path, &error); /* as runs are read back */
  g_assert_no_error(error);
  check_v1(reader, 0);
  aio_store_close(reader, NULL);
  g_assert_true(aio_store_close(store, &error));
  g_assert_true(g_file_get_contents(c->path, &after, &n_after, NULL));
  g_assert_cmpmem(before, n_before, after, n_after);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  store = aio_store_open_waiting(c->path, "test 2", &error);
  g_assert_true(aio_store_start_writing(store, &error));
  g_assert_true(aio_store_start_writing(store, &error)); /* once and for all */
  g_assert_no_error(error);
  g_assert_false(aio_store_is_waiting(store));
  const AioStoreStatistic row = {.name = "new", .value = 1};
  g_assert_true(aio_store_add_statistic(store, &row, &error));
  check_v1(store, 1);
  g_assert_true(aio_store_close(store, &error));
  g_assert_cmpuint(session_count_files(c->folder), ==, 2); /* with the copy */
  g_free(before);
  g_free(after);
}

/* ---- what only looks like a session ---- */

typedef struct {
  const char *name, *sql; /* applied to a session of version 1 */
  AioErrorCode code;
  const char *message; /* a part of it */
} Hostile;

#define DAMAGED ": the file is damaged; nothing was changed; copy it "

static const Hostile FILES[] = {
    {"newer", "PRAGMA user_version=4;", AIO_ERROR_REFUSED, "newer program"},
    {"no-version", "PRAGMA user_version=0;", AIO_ERROR_REFUSED, "version 0"},
    {"another-application", "PRAGMA application_id=5;", AIO_ERROR_SYNTAX, "not a session"},
    {"trigger", "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM chunks; END;",
     AIO_ERROR_REFUSED, "\"t\""},
    {"view", "CREATE VIEW v AS SELECT * FROM chunks;", AIO_ERROR_REFUSED, "\"v\""},
    {"view-for-table", "DROP TABLE fits; CREATE VIEW fits AS SELECT * FROM arm;", AIO_ERROR_REFUSED,
     "\"fits\""},
    {"table", "CREATE TABLE more (a);", AIO_ERROR_REFUSED, "\"more\""},
    {"index", "CREATE INDEX i ON runs(joint);", AIO_ERROR_REFUSED, "\"i\""},
    {"virtual-table", "CREATE VIRTUAL TABLE f USING fts5(a);", AIO_ERROR_REFUSED, "\"f"},
    {"changed-table", "DROP TABLE fits; CREATE TABLE fits (id INTEGER PRIMARY KEY);",
     AIO_ERROR_REFUSED, "\"fits\""},
    {"missing-table", "DROP TABLE fits;", AIO_ERROR_SYNTAX, "missing"},
    {"loose-table",
     "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql, 'STRICT', '')"
     " WHERE name='fits';",
     AIO_ERROR_REFUSED, "\"fits\""},
    {"shared-page",
     "PRAGMA writable_schema=ON; UPDATE sqlite_master SET rootpage=(SELECT rootpage FROM"
     " sqlite_master WHERE name='plan') WHERE name='arm';",
     AIO_ERROR_SYNTAX, DAMAGED},
    {"no-schema",
     "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql='CREATE nonsense' WHERE name='fits';",
     AIO_ERROR_SYNTAX, "damaged; nothing was changed; copy it "},
    {"check-broken", "PRAGMA ignore_check_constraints=ON; UPDATE runs SET joint=99;",
     AIO_ERROR_SYNTAX, DAMAGED},
};

static void test_refused(Case *c, gconstpointer data) {
  const Hostile *file = data;
  GError *error = NULL;
  session_v1_make(c->path);
  session_make(c->path, file->sql);
  for (int way = 0; way < 3; way++) {
    AioStore *store = way == 0   ? aio_store_open_read(c->path, &error)
                      : way == 1 ? aio_store_open_waiting(c->path, "test 1", &error)
                                 : aio_store_open_write(c->path, "test 1", &error);
    g_assert_null(store);
    g_assert_error(error, AIO_ERROR, (gint)file->code);
    g_assert_nonnull(strstr(error->message, file->message));
    g_assert_nonnull(strstr(error->message, "old.armsession: "));
    g_clear_error(&error);
  }
  AioStore *again = aio_store_open_again(c->path, NULL); /* only its structure is taken for sound */
  g_assert_true((again != NULL) == (strcmp(file->message, DAMAGED) == 0));
  aio_store_close(again, NULL);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1); /* no copy, no lock, no log */
}

/* Opens, and the reading of one table ends with a message. */
static const Hostile ROWS[] = {
    {"arm", "UPDATE arm SET text='{}';", AIO_ERROR_SYNTAX, "table arm, row 1: its SHA-256"},
    {"chunk-bit", "UPDATE chunks SET data=CAST(replace(data, X'25', X'26') AS BLOB);",
     AIO_ERROR_SYNTAX, "table chunks, row 1: its CRC-32"},
    {"chunk-short", "UPDATE chunks SET data=substr(data, 1, 40);", AIO_ERROR_SYNTAX,
     "not as long as its header says"},
    {"chunk-empty", "UPDATE chunks SET data=X'';", AIO_ERROR_SYNTAX, "shorter than its header"},
    {"chunk-index", "UPDATE chunks SET first_index=1;", AIO_ERROR_SYNTAX,
     "not the one that its row says"},
    {"chunk-count", "UPDATE chunks SET n=3;", AIO_ERROR_SYNTAX, "not the one that its row says"},
    {"chunk-time", "UPDATE chunks SET t0_us=1;", AIO_ERROR_SYNTAX, "not the one that its row says"},
    {"chunk-run", "UPDATE chunks SET run=0;", AIO_ERROR_SYNTAX,
     "samples of a run that is not there"},
    {"chunk-connection", "UPDATE chunks SET connection=0;", AIO_ERROR_SYNTAX, "connection"},
    {"chunk-huge", "UPDATE chunks SET data=zeroblob(20000000);", AIO_ERROR_TOO_LARGE, "too big"},
    {"raw", "UPDATE raw SET bytes=X'62';", AIO_ERROR_SYNTAX, "CRC-32"},
    {"event-utf8", "UPDATE events SET text=CAST(X'61ff' AS TEXT);", AIO_ERROR_SYNTAX,
     "table events, row 1: text"},
    {"event-nul", "UPDATE events SET kind=CAST(X'610062' AS TEXT);", AIO_ERROR_SYNTAX,
     "table events, row 1: kind"},
    {"run-utf8", "UPDATE runs SET outcome=CAST(X'ff' AS TEXT);", AIO_ERROR_SYNTAX,
     "table runs, row 1: outcome"},
    {"event-connection", "UPDATE events SET connection=0;", AIO_ERROR_SYNTAX,
     "table events, row 1: connection"},
    {"fit-utf8", "UPDATE fits SET options=CAST(X'ff' AS TEXT);", AIO_ERROR_SYNTAX,
     "table fits, row 1: options"},
    {"connection-utf8", "UPDATE connections SET controller=CAST(X'ff' AS TEXT);", AIO_ERROR_SYNTAX,
     "table connections, row 1: controller"},
};

static bool no_connection(const AioStoreConnection *row, void *data) {
  (void)row, (void)data;
  return true;
}
static bool no_run(const AioStoreRun *row, void *data) {
  (void)row, (void)data;
  return true;
}
static bool no_chunk(const AioStoreChunk *row, void *data) {
  (void)row, (void)data;
  return true;
}
static bool no_raw(const AioStoreRaw *row, void *data) {
  (void)row, (void)data;
  return true;
}
static bool no_event(const AioStoreEvent *row, void *data) {
  (void)row, (void)data;
  return true;
}
static bool no_fit(const AioStoreFit *row, void *data) {
  (void)row, (void)data;
  return true;
}

static bool read_all(AioStore *store, GError **error) {
  char *arm = aio_store_get_text(store, AIO_STORE_ARM, error);
  const bool has_arm = arm != NULL;
  g_free(arm);
  return has_arm && aio_store_each_connection(store, no_connection, NULL, error) &&
         aio_store_each_run(store, no_run, NULL, error) &&
         aio_store_each_chunk(store, 0, no_chunk, NULL, error) &&
         aio_store_each_raw(store, no_raw, NULL, error) &&
         aio_store_each_event(store, no_event, NULL, error) &&
         aio_store_each_fit(store, no_fit, NULL, error);
}

static void test_row(Case *c, gconstpointer data) {
  const Hostile *row = data;
  GError *error = NULL;
  session_v1_make(c->path);
  session_make(c->path, row->sql);
  AioStore *store = aio_store_open_write(c->path, "test 1", &error);
  if (store) {
    g_assert_false(read_all(store, &error));
    aio_store_close(store, NULL);
  }
  g_assert_error(error, AIO_ERROR, (gint)row->code);
  g_assert_nonnull(strstr(error->message, row->message));
  g_assert_nonnull(strstr(error->message, "old.armsession: "));
  g_clear_error(&error);
}

/* A journal that names a victim: SQLite would delete it. */
static void test_journal(Case *c, gconstpointer data) {
  (void)data;
  static const char tail[] = "victim\0\0\0\6\0\0\2\210\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  char *journal = g_strconcat(c->path, "-journal", NULL);
  GError *error = NULL;
  session_v1_make(c->path);
  g_assert_true(g_file_set_contents(journal, tail, sizeof tail - 1, NULL));
  g_assert_null(aio_store_open_write(c->path, "test 1", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_assert_null(aio_store_open_read(c->path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_free(journal);
}

/* A header that is ours but for the size of a page: SQLite cannot read anything of it. */
static void test_header(Case *c, gconstpointer data) {
  (void)data;
  enum { AT_PAGE_SIZE = 16 };
  GError *error = NULL;
  char *bytes = NULL, *said = NULL;
  gsize n = 0;
  session_v1_make(c->path);
  g_assert_true(g_file_get_contents(c->path, &bytes, &n, NULL));
  bytes[AT_PAGE_SIZE] = 3;
  for (int is_short = 0; is_short < 2; is_short++) {
    g_assert_true(g_file_set_contents(c->path, bytes, is_short ? 100 : (gssize)n, NULL));
    said = g_strconcat(
        c->path,
        ": the file is not a session of this program or is damaged; nothing was changed; copy "
        "it before you try anything with it, and go on with an older copy",
        NULL);
    g_assert_null(aio_store_open_read(c->path, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
    g_assert_cmpstr(error->message, ==, said);
    g_clear_error(&error);
    g_assert_null(aio_store_open_write(c->path, "test 1", &error));
    g_assert_cmpstr(error->message, ==, said);
    g_clear_error(&error);
    g_free(said);
  }
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  g_free(bytes);
}

/* Nothing of another file: not a pipe that blocks, a folder, a text, the log of an earlier file. */
static void test_other_files(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  g_assert_null(aio_store_open_read(c->path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  g_assert_null(aio_store_open_read(c->folder, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
  g_assert_true(g_file_set_contents(c->path, "SQLite format 3", -1, NULL));
  g_assert_null(aio_store_open_write(c->path, "test 1", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_clear_error(&error);
  g_unlink(c->path);
  char *log = g_strconcat(c->path, "-wal", NULL);
  g_assert_true(g_file_set_contents(log, "", 0, NULL));
  g_assert_null(aio_store_create(c->path, "test 1", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  g_free(log);
}

static void add(const char *group, const Hostile *cases, gsize n,
                void (*test)(Case *c, gconstpointer data)) {
  for (gsize k = 0; k < n; k++) {
    char *name = g_strconcat("/store/", group, "/", cases[k].name, NULL);
    g_test_add(name, Case, &cases[k], set_up, test, tear_down);
    g_free(name);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add("/store/migrate", Case, NULL, set_up, test_migrate, tear_down);
  g_test_add("/store/second-copy", Case, NULL, set_up, test_second_copy, tear_down);
  g_test_add("/store/migrate-log", Case, NULL, set_up, test_migrate_log, tear_down);
  g_test_add("/store/wait", Case, NULL, set_up, test_wait, tear_down);
  g_test_add("/store/header", Case, NULL, set_up, test_header, tear_down);
  g_test_add("/store/journal", Case, NULL, set_up, test_journal, tear_down);
  g_test_add("/store/other-files", Case, NULL, set_up, test_other_files, tear_down);
  add("refused", FILES, G_N_ELEMENTS(FILES), test_refused);
  add("row", ROWS, G_N_ELEMENTS(ROWS), test_row);
  return g_test_run();
}
