/* SPDX-License-Identifier: MIT */
/* The log, journal or lock of somebody else beside a session: both files stay as they are, and what
 * is said names both. What belongs to the session is used as ever. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "session_case.h"

typedef struct {
  char *folder, *path, *other;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->other = g_build_filename(c->folder, "other.armsession", NULL);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  g_free(c->path);
  g_free(c->other);
  session_remove(c->folder);
}

/* ---- files ---- */

static GBytes *read_file(const char *path, const char *suffix) {
  GError *error = NULL;
  char *name = g_strconcat(path, suffix, NULL), *bytes = NULL;
  gsize n = 0;
  g_file_get_contents(name, &bytes, &n, &error);
  g_assert_no_error(error);
  g_free(name);
  return g_bytes_new_take(bytes, n);
}

static void write_file(const char *path, const char *suffix, GBytes *bytes) {
  GError *error = NULL;
  gsize n = 0;
  const char *data = g_bytes_get_data(bytes, &n);
  char *name = g_strconcat(path, suffix, NULL);
  g_file_set_contents(name, data, (gssize)n, &error);
  g_assert_no_error(error);
  g_free(name);
}

static void put(const char *path, const char *suffix, const char *text) {
  GBytes *bytes = g_bytes_new(text, strlen(text));
  write_file(path, suffix, bytes);
  g_bytes_unref(bytes);
}

static void assert_is(const char *path, const char *suffix, GBytes *expected) {
  GBytes *now = read_file(path, suffix);
  g_assert_true(g_bytes_equal(now, expected));
  g_bytes_unref(now);
}

/* ---- sessions ---- */

static void close_whole(AioStore *store) {
  GError *error = NULL;
  g_assert_true(aio_store_close(store, &error));
  g_assert_no_error(error);
}

static void add_runs(AioStore *store, guint n) {
  GError *error = NULL;
  g_assert_true(aio_store_begin(store, &error));
  for (guint k = 0; k < n; k++) {
    const AioStoreRun run = {.connection = 1, .kind = "sweep", .started_us = 1700000000000000};
    g_assert_true(aio_store_add_run(store, &run, &error));
  }
  g_assert_true(aio_store_commit(store, &error));
  g_assert_no_error(error);
}

static void add_chunks(AioStore *store, guint n) {
  GError *error = NULL;
  g_assert_true(aio_store_begin(store, &error));
  for (guint64 k = 0; k < n; k++) {
    AioChunk *chunk = session_chunk(6, 20 * k, 20);
    session_add_chunk(store, 1, chunk);
    aio_chunk_unref(chunk);
  }
  g_assert_true(aio_store_commit(store, &error));
  g_assert_no_error(error);
}

static void make_closed(const char *path, guint runs) {
  AioStore *store = session_create(path);
  session_fill(store);
  add_runs(store, runs);
  close_whole(store);
}

/* File and log as a kill leaves them. */
typedef struct {
  GBytes *file, *log;
} Killed;

static Killed state_of(const char *path) {
  return (Killed){read_file(path, ""), read_file(path, "-wal")};
}

static void forget(Killed killed) {
  g_bytes_unref(killed.file);
  g_bytes_unref(killed.log);
}

/* One that has only just begun: its log holds its first rows, but not what tells it by itself. */
static Killed kill_early(const char *path) {
  AioStore *store = session_create(path);
  session_fill(store);
  const Killed killed = state_of(path);
  close_whole(store);
  return killed;
}

static bool on_run(const AioStoreRun *row, void *data) {
  (void)row;
  ++*(guint *)data;
  return true;
}

static guint count_runs(AioStore *store) {
  GError *error = NULL;
  guint runs = 0;
  g_assert_true(aio_store_each_run(store, on_run, &runs, &error));
  g_assert_no_error(error);
  return runs;
}

/* ---- opening ---- */

static AioStore *open_write(const char *path, GError **error) {
  return aio_store_open_write(path, "test 2", error);
}

static AioStore *open_waiting(const char *path, GError **error) {
  return aio_store_open_waiting(path, "test 2", error);
}

typedef AioStore *Open(const char *path, GError **error);
static Open *const ways[] = {aio_store_open_read, aio_store_open_again, open_waiting, open_write};

/* In every way, with nothing changed: the words name the file at fault and the session. */
static void assert_refused(const Case *c, const char *suffix, const char *words) {
  GBytes *file = read_file(c->path, ""), *beside = read_file(c->path, suffix);
  char *name = g_strconcat(c->path, suffix, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
    GError *error = NULL;
    if (strcmp(suffix, ".lock") == 0 && k < 2) /* readers have none */
      continue;
    AioStore *store = ways[k](c->path, &error);
    g_assert_null(store);
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_true(g_str_has_prefix(error->message, name));
    const char *rest = error->message + strlen(name);
    g_assert_nonnull(strstr(rest, c->path));
    g_assert_nonnull(strstr(rest, words));
    g_clear_error(&error);
    assert_is(c->path, "", file);
    assert_is(c->path, suffix, beside);
  }
  g_free(name);
  g_bytes_unref(file);
  g_bytes_unref(beside);
}

static void assert_runs(const char *path, guint runs) {
  for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
    GError *error = NULL;
    AioStore *store = ways[k](path, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(count_runs(store), ==, runs);
    close_whole(store);
  }
}

/* ---- logs ---- */

static void test_log_of_another(Case *c, gconstpointer data) {
  (void)data;
  const Killed killed = kill_early(c->other);
  make_closed(c->path, 41);
  write_file(c->path, "-wal", killed.log);
  assert_refused(c, "-wal", "another session");
  forget(killed);
}

/* Later logs hold none of the first rows, but each tells whose it is: also of the same plan, with
 * the same rows in the same pages. */
static void test_later_log_of_another(Case *c, gconstpointer data) {
  (void)data;
  make_closed(c->other, 1);
  make_closed(c->path, 1);
  GError *error = NULL;
  AioStore *store = aio_store_open_write(c->other, "test 1", &error);
  g_assert_no_error(error);
  add_runs(store, 3);
  const Killed killed = state_of(c->other);
  close_whole(store);
  write_file(c->path, "-wal", killed.log);
  assert_refused(c, "-wal", "another session");
  forget(killed);
}

/* An earlier version of the program has left the log: nothing in it but the runs is of its session.
 */
static void test_older_state(Case *c, gconstpointer data) {
  (void)data;
  AioStore *store = session_create(c->path);
  session_fill(store);
  const Killed early = state_of(c->path);
  add_chunks(store, 200);
  close_whole(store);
  write_file(c->path, "-wal", early.log);
  assert_refused(c, "-wal", "older state");
  forget(early);
}

/* Between the opening and the first row. */
static void test_laid_while_waiting(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  const Killed killed = kill_early(c->other);
  make_closed(c->path, 41);
  GBytes *file = read_file(c->path, "");
  AioStore *store = open_waiting(c->path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_is_waiting(store));
  write_file(c->path, "-wal", killed.log);
  g_assert_false(aio_store_start_writing(store, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "another session"));
  g_clear_error(&error);
  close_whole(store);
  assert_is(c->path, "", file);
  assert_is(c->path, "-wal", killed.log);
  g_bytes_unref(file);
  forget(killed);
}

/* Gone on with, and killed: a log of few pages, not of the first. */
static Killed kill_later(const char *path) {
  GError *error = NULL;
  make_closed(path, 1);
  AioStore *store = open_write(path, &error);
  g_assert_no_error(error);
  add_runs(store, 1);
  const Killed killed = state_of(path);
  close_whole(store);
  return killed;
}

/* A file that says that it goes on where the log ends cannot even be opened with it. */
static void test_log_of_shorter(Case *c, gconstpointer data) {
  (void)data;
  const Killed killed = kill_later(c->other);
  AioStore *store = session_create(c->path);
  session_fill(store);
  add_chunks(store, 200);
  close_whole(store);
  write_file(c->path, "-wal", killed.log);
  assert_refused(c, "-wal", "another session");
  forget(killed);
}

/* Nor does a journal of nothing, which a power cut may leave, have it put into the file. */
static void test_log_and_journal(Case *c, gconstpointer data) {
  (void)data;
  static const guint8 zeros[512];
  const Killed killed = kill_early(c->other);
  GBytes *nothing = g_bytes_new_static(zeros, sizeof zeros);
  make_closed(c->path, 41);
  write_file(c->path, "-wal", killed.log);
  write_file(c->path, "-journal", nothing);
  assert_refused(c, "-wal", "another session");
  g_bytes_unref(nothing);
  forget(killed);
}

static void test_no_log(Case *c, gconstpointer data) {
  (void)data;
  make_closed(c->path, 1);
  put(c->path, "-wal", "notes of somebody\n");
  assert_refused(c, "-wal", "is not the log of");
  put(c->path, "-wal", "n");
  assert_refused(c, "-wal", "is not the log of");
}

/* SQLite deletes the log of an empty file, and writes it over any other. */
static void test_no_session(Case *c, gconstpointer data) {
  (void)data;
  const Killed killed = kill_early(c->other);
  put(c->path, "", "");
  write_file(c->path, "-wal", killed.log);
  assert_refused(c, "-wal", "is none or was cut off");
  put(c->path, "",
      "notes of somebody, which are longer than the header of a file of SQLite, and "
      "in which is no session at all\n");
  assert_refused(c, "-wal", "is none or was cut off");
  forget(killed);
}

/* ---- a disk that fails ---- */

static char *unreadable; /* the path of a file with a bad sector; NULL: none */

static bool is_unreadable(int fd) {
  char *name = g_strdup_printf("/proc/self/fd/%d", fd);
  char *path = unreadable ? g_file_read_link(name, NULL) : NULL;
  const bool is = path && strcmp(path, unreadable) == 0;
  g_free(path);
  g_free(name);
  errno = is ? EIO : 0;
  return is;
}

/* In place of the C library's. */
ssize_t read(int fd, void *bytes, size_t n) {
  return is_unreadable(fd) ? -1 : syscall(SYS_read, fd, bytes, n);
}

/* The bad sector is not in what SQLite reads to open the file. */
ssize_t pread64(int fd, void *bytes, size_t n, off64_t at) {
  enum { BAD = 3 * 16384 };
  return at <= BAD && at + (off64_t)n > BAD && is_unreadable(fd)
             ? -1
             : syscall(SYS_pread64, fd, bytes, n, at);
}

static void assert_unreadable(const Case *c, const char *suffix) {
  for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
    GError *error = NULL;
    unreadable = g_strconcat(c->path, suffix, NULL);
    AioStore *store = ways[k](c->path, &error);
    g_assert_null(store);
    g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
    g_assert_true(g_str_has_prefix(error->message, unreadable));
    g_assert_nonnull(strstr(error->message, g_strerror(EIO)));
    g_clear_error(&error);
    g_clear_pointer(&unreadable, g_free);
  }
}

/* Neither is it the wrong log, nor no session. */
static void test_read_error(Case *c, gconstpointer data) {
  (void)data;
  make_closed(c->path, 1);
  assert_unreadable(c, "");
  AioStore *store = session_create(c->other);
  session_fill(store);
  const Killed killed = state_of(c->other);
  close_whole(store);
  write_file(c->path, "", killed.file);
  write_file(c->path, "-wal", killed.log);
  assert_unreadable(c, "");
  assert_unreadable(c, "-wal");
  put(c->path, "-journal", "notes");
  assert_unreadable(c, "-journal");
  forget(killed);
}

/* ---- its own log ---- */

static void test_own_log(Case *c, gconstpointer data) {
  (void)data;
  AioStore *store = session_create(c->other);
  session_fill(store);
  const Killed early = state_of(c->other);
  add_runs(store, 5);
  const Killed late = state_of(c->other);
  close_whole(store);
  write_file(c->path, "", late.file);
  write_file(c->path, "-wal", late.log);
  assert_runs(c->path, 6);
  write_file(c->path, "", early.file); /* an older copy with its newer log */
  write_file(c->path, "-wal", late.log);
  assert_runs(c->path, 6);
  forget(early);
  forget(late);
}

/* What a power cut leaves: room for it, but not its bytes yet. */
static void test_zeros(Case *c, gconstpointer data) {
  (void)data;
  static const char *const suffixes[] = {"-wal", "-journal", ".lock"};
  GBytes *zeros = g_bytes_new_take(g_malloc0(600), 600);
  make_closed(c->path, 1);
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++) {
    write_file(c->path, suffixes[k], zeros);
    assert_runs(c->path, 2);
    put(c->path, suffixes[k], "");
    assert_runs(c->path, 2);
  }
  g_bytes_unref(zeros);
}

/* ---- locks and journals ---- */

static void test_foreign_lock(Case *c, gconstpointer data) {
  (void)data;
  static const char *const texts[] = {"notes\n", "a (process 1 on b, since c)\nand notes\n",
                                      "notes (process 1 on b, since c)",
                                      ", since a (process 1 on b)\n"};
  make_closed(c->path, 1);
  for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
    put(c->path, ".lock", texts[k]);
    assert_refused(c, ".lock", "is not this program's lock");
  }
  make_closed(c->other, 1);
  GBytes *session = read_file(c->other, "");
  write_file(c->path, ".lock", session);
  assert_refused(c, ".lock", "is not this program's lock");
  g_bytes_unref(session);
  put(c->path, ".lock", "armature 0.1.0 (process 12 on bench, since 2026-01-01T10:00:00Z)\n");
  assert_runs(c->path, 2);
}

static void test_foreign_journal(Case *c, gconstpointer data) {
  (void)data;
  make_closed(c->path, 1);
  make_closed(c->other, 1);
  GBytes *session = read_file(c->other, "");
  write_file(c->path, "-journal", session);
  assert_refused(c, "-journal", "is not the journal of");
  put(c->path, "-journal", "notes");
  assert_refused(c, "-journal", "is not the journal of");
  g_bytes_unref(session);
}

/* ---- names ---- */

static void test_names(Case *c, gconstpointer data) {
  (void)data;
  static const char *const suffixes[] = {"-wal", "-shm", "-journal", ".lock"};
  AioStore *store = session_create(c->other);
  session_fill(store);
  for (gsize k = 0; k < G_N_ELEMENTS(suffixes); k++) {
    GError *error = NULL;
    char *name = g_strconcat(c->path, suffixes[k], NULL);
    g_assert_null(aio_store_create(name, "test 1", &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_nonnull(strstr(error->message, suffixes[k]));
    g_clear_error(&error);
    g_assert_false(aio_store_copy(store, name, NULL, NULL, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_clear_error(&error);
    g_assert_false(g_file_test(name, G_FILE_TEST_EXISTS));
    g_assert_true(aio_store_check_output(name, NULL, NULL)); /* of no session as yet */
    g_assert_false(aio_store_check_output(name, c->path, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_assert_nonnull(strstr(error->message, name));
    g_clear_error(&error);
    g_free(name);
    name = g_strconcat(c->other, suffixes[k], NULL);
    g_assert_false(aio_store_check_output(name, NULL, NULL));
    g_free(name);
  }
  close_whole(store);
  put(c->path, "", "notes of somebody");
  put(c->path, "-wal", "more notes"); /* not a session's, whatever it is called */
  char *name = g_strconcat(c->path, "-wal", NULL);
  g_assert_true(aio_store_check_output(name, NULL, NULL));
  put(c->path, "-wal", ""); /* as a session that is in use may have it */
  g_assert_false(aio_store_check_output(name, NULL, NULL));
  g_free(name);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store-beside/" name, Case, NULL, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("log-of-another", test_log_of_another);
  ADD("later-log-of-another", test_later_log_of_another);
  ADD("older-state", test_older_state);
  ADD("laid-while-waiting", test_laid_while_waiting);
  ADD("log-and-journal", test_log_and_journal);
  ADD("log-of-shorter", test_log_of_shorter);
  ADD("no-log", test_no_log);
  ADD("no-session", test_no_session);
  ADD("read-error", test_read_error);
  ADD("own-log", test_own_log);
  ADD("zeros", test_zeros);
  ADD("foreign-lock", test_foreign_lock);
  ADD("foreign-journal", test_foreign_journal);
  ADD("names", test_names);
  return g_test_run();
}
