/* SPDX-License-Identifier: MIT */
/* Whatever the system refuses, at whichever step: it is told, nothing is left open or behind, and
 * the session is as it was. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/store/store_checkpoint.h"
#include "io/store/store_internal.h"
#include "session_v1.h"
#include "support/file_limit.h"

enum { STEPS = 12, CHUNKS = 10 };

static guint killed_at; /* which sync from now on is the last; 0: none */

/* Nobody cuts the power here: the disk need not be waited for a thousand times. */
int fsync(int fd) {
  (void)fd;
  if (killed_at > 0 && --killed_at == 0)
    raise(SIGKILL);
  return 0;
}

int fdatasync(int fd) {
  return fsync(fd);
}

static AioStore *open_write(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "test 2", &error);
  g_assert_no_error(error);
  return store;
}

static guint open_files(void) {
  return session_count_files("/proc/self/fd");
}

static bool count_chunk(const AioStoreChunk *row, void *data) {
  (void)row;
  return ++*(guint *)data;
}

static void assert_whole(const char *path) {
  GError *error = NULL;
  guint count = 0;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_each_chunk(store, 0, count_chunk, &count, &error));
  g_assert_cmpuint(count, ==, CHUNKS);
  g_assert_true(aio_store_close(store, NULL));
}

/* ---- what there is too little of ---- */

static struct rlimit descriptors;

static void limit_descriptors(guint step) {
  const int next = dup(0);
  close(next);
  const struct rlimit few = {.rlim_cur = (rlim_t)next + step, .rlim_max = descriptors.rlim_max};
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &few), ==, 0);
}

static void limit_memory(guint step) {
  sqlite3_hard_heap_limit64(sqlite3_memory_used() + ((sqlite3_int64)8192 << step) / 8);
}

static void limit_files(guint step) {
  test_limit_files(4096ul << step);
}

static void (*const LIMITS[])(guint step) = {limit_descriptors, limit_memory, limit_files};

static void unlimit(void) {
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &descriptors), ==, 0);
  sqlite3_hard_heap_limit64(0);
  test_limit_files(0);
}

/* ---- what is tried ---- */

typedef struct {
  const char *path;
  void (*limit)(guint step);
  guint step;
} Fault;

static bool closed(AioStore *store) {
  unlimit();
  g_assert_true(aio_store_close(store, NULL));
  return store != NULL;
}

static bool try_write(const Fault *f, GError **error) {
  f->limit(f->step);
  return closed(aio_store_open_write(f->path, "test 2", error));
}

static bool try_waiting(const Fault *f, GError **error) {
  f->limit(f->step);
  return closed(aio_store_open_waiting(f->path, "test 2", error));
}

static bool try_read(const Fault *f, GError **error) {
  f->limit(f->step);
  return closed(aio_store_open_read(f->path, error));
}

static bool try_read_beside(const Fault *f, GError **error) {
  AioStore *writer = open_write(f->path);
  f->limit(f->step);
  const bool is_read = closed(aio_store_open_read(f->path, error));
  return closed(writer) && is_read;
}

static bool try_start(const Fault *f, GError **error) {
  AioStore *store = aio_store_open_waiting(f->path, "test 2", error);
  f->limit(f->step);
  const bool is_started = aio_store_start_writing(store, error);
  g_assert_true(aio_store_is_waiting(store) != is_started);
  return closed(store) && is_started;
}

static bool try_create(const Fault *f, GError **error) {
  char *other = g_strconcat(f->path, ".new", NULL), *log = g_strconcat(other, "-wal", NULL);
  f->limit(f->step);
  const bool is_made = closed(aio_store_create(other, "test 2", error));
  g_unlink(other); /* may be there, and refused when it was opened */
  g_unlink(log);
  g_free(log);
  g_free(other);
  return is_made;
}

static bool try_copy(const Fault *f, GError **error) {
  char *other = g_strconcat(f->path, ".copy", NULL);
  AioStore *store = aio_store_open_read(f->path, error);
  f->limit(f->step);
  const bool is_copied = aio_store_copy(store, other, NULL, NULL, error);
  unlimit();
  if (is_copied) {
    assert_whole(other);
    g_assert_cmpint(g_unlink(other), ==, 0);
  }
  g_free(other);
  return closed(store) && is_copied;
}

static bool try_bytes(const Fault *f, GError **error) {
  char *bytes = NULL;
  gsize n = 0;
  g_assert_true(g_file_get_contents(f->path, &bytes, &n, NULL));
  f->limit(f->step);
  const bool is_read = closed(aio_store_open_bytes("bytes", (const guint8 *)bytes, n, error));
  g_free(bytes);
  return is_read;
}

static bool try_checkpointer(const Fault *f, GError **error) {
  AioStore *store = open_write(f->path);
  f->limit(f->step);
  AioCheckpointer *checkpointer = aio_checkpointer_new(store);
  unlimit();
  if (!checkpointer)
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_IO, "no checkpointer");
  const bool is_there = checkpointer != NULL;
  g_assert_true(store->is_tended == is_there);
  aio_checkpointer_free(checkpointer);
  return closed(store) && is_there;
}

static bool (*const TRIES[])(const Fault *f, GError **error) = {
    try_write,  try_waiting, try_read,  try_read_beside, try_start,
    try_create, try_copy,    try_bytes, try_checkpointer};

/* With more of it step by step: the last one must do. */
static void test_limited(SessionPlace *c, gconstpointer data) {
  const guint which = GPOINTER_TO_UINT(data);
  g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &descriptors), ==, 0);
  AioStore *store = session_create(c->path);
  session_fill(store);
  g_assert_true(aio_store_close(store, NULL));
  for (gsize k = 0; k < G_N_ELEMENTS(TRIES); k++) {
    bool is_done = false;
    for (guint step = 0; step <= STEPS; step++) {
      GError *error = NULL;
      const Fault fault = {c->path, LIMITS[which], step == STEPS ? 13 : step};
      const guint before = open_files();
      is_done = TRIES[k](&fault, &error);
      g_assert_true(is_done == !error);
      if (error && LIMITS[which] == limit_files && TRIES[k] != try_create)
        g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
      g_assert_cmpuint(open_files(), ==, before);
      if (error) /* SQLite may leave an empty log: whoever comes next removes it */
        g_assert_true(aio_store_close(open_write(c->path), NULL));
      g_clear_error(&error);
      g_assert_cmpuint(session_count_files(c->folder), ==, 1);
      assert_whole(c->path);
    }
    g_assert_true(is_done);
  }
}

/* No room for the copy of an older session: it is not migrated. */
static void test_no_backup(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  gint64 version = 0;
  session_v1_make(c->path);
  test_limit_files(1 << 16);
  g_assert_null(aio_store_open_write(c->path, "test 2", &error));
  test_limit_files(0);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_clear_error(&error);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  AioSql *sql = aio_sql_open(c->path, AIO_SQL_READ, NULL);
  g_assert_true(aio_sql_get_int(sql, "PRAGMA user_version", &version, NULL));
  g_assert_cmpint(version, ==, 1);
  aio_sql_free(sql);
}

/* Is the child killed at the sync of this number, before it has migrated the file? */
static bool is_killed(const char *path, guint sync) {
  const pid_t child = fork();
  if (child == 0) {
    killed_at = sync;
    AioStore *store = aio_store_open_write(path, "test 2", NULL);
    killed_at = 0;
    _exit(store ? 0 : 1);
  }
  int status = 0;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status);
}

/* What has the name of a copy is one, and nothing is left that is not. Returns how many. */
static guint check_copies(const SessionPlace *c, bool may_be_partial) {
  GError *error = NULL;
  guint copies = 0;
  g_autoptr(GDir) dir = g_dir_open(c->folder, 0, NULL);
  for (const char *name; (name = g_dir_read_name(dir));) {
    if (!strstr(name, ".v1"))
      continue;
    const bool is_partial = strstr(name, ".v1.partial") != NULL;
    g_assert_true(!is_partial || may_be_partial);
    if (is_partial)
      continue;
    g_assert_false(g_str_has_suffix(name, "-journal") || g_str_has_suffix(name, "-wal"));
    g_autofree char *path = g_build_filename(c->folder, name, NULL);
    guint count = 0;
    AioStore *store = aio_store_open_read(path, &error);
    g_assert_no_error(error);
    g_assert_true(aio_store_each_chunk(store, 0, count_chunk, &count, NULL));
    g_assert_cmpuint(count, ==, 1);
    g_assert_true(aio_store_close(store, NULL));
    copies++;
  }
  return copies;
}

/* kill -9 at every moment at which a copy of an older version waits for the disk. */
static void test_killed_backup(SessionPlace *c, gconstpointer data) {
  (void)data;
  guint torn = 0;
  for (guint sync = 1;; sync++) {
    session_v1_make(c->path);
    if (!is_killed(c->path, sync))
      break;
    torn += check_copies(c, true) == 0;
    g_assert_true(aio_store_close(open_write(c->path), NULL));
    g_assert_cmpuint(check_copies(c, false), >=, 1);
    session_remove(g_strdup(c->folder));
    g_assert_cmpint(g_mkdir(c->folder, 0700), ==, 0);
  }
  g_assert_cmpuint(torn, >=, 3);
}

/* No room to complete the file: its log stays, and the next one completes it. */
static void test_close(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = session_create(c->path);
  session_fill(store);
  test_limit_files(1 << 16);
  g_assert_false(aio_store_close(store, &error));
  test_limit_files(0);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_clear_error(&error);
  assert_whole(c->path);
  g_assert_true(aio_store_close(open_write(c->path), NULL));
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  assert_whole(c->path);
}

/* ---- another program that writes ---- */

static sqlite3 *other;
static guint slept_us;
static bool is_released;

static int on_sleep(sqlite3_vfs *vfs, int us) {
  (void)vfs;
  slept_us += (guint)us;
  if (is_released)
    g_assert_cmpint(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), ==, SQLITE_OK);
  is_released = false;
  return us;
}

/* It is waited for, two seconds in all. */
static void test_busy(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
  int (*const sleep)(sqlite3_vfs * vfs, int us) = vfs->xSleep;
  AioStore *store = session_create(c->path);
  vfs->xSleep = on_sleep;
  g_assert_cmpint(sqlite3_open(c->path, &other), ==, SQLITE_OK);
  for (int is_ending = 0; is_ending < 2; is_ending++) {
    g_assert_cmpint(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), ==, SQLITE_OK);
    slept_us = 0;
    is_released = is_ending;
    g_assert_true(aio_store_begin(store, &error) == is_ending);
    if (is_ending) {
      g_assert_no_error(error);
      aio_store_rollback(store);
    } else {
      g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
      g_assert_cmpuint(slept_us, >=, 1900000);
      g_assert_cmpuint(slept_us, <=, 2100000);
      g_clear_error(&error);
      g_assert_cmpint(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), ==, SQLITE_OK);
    }
  }
  g_assert_cmpint(sqlite3_close(other), ==, SQLITE_OK);
  vfs->xSleep = sleep;
  g_assert_true(aio_store_close(store, NULL));
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/store-faults/" name, SessionPlace, data, session_place_set_up, function,            \
             session_place_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("descriptors", GUINT_TO_POINTER(0), test_limited);
  ADD("memory", GUINT_TO_POINTER(1), test_limited);
  ADD("files", GUINT_TO_POINTER(2), test_limited);
  ADD("no-backup", NULL, test_no_backup);
  ADD("killed-backup", NULL, test_killed_backup);
  ADD("close", NULL, test_close);
  ADD("busy", NULL, test_busy);
  return g_test_run();
}
