/* SPDX-License-Identifier: MIT */
/* The checkpointer by itself: when it says that the log may begin anew, and that it moves nothing
 * unasked. */
#include "io/store/store_checkpoint.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/store/store_internal.h"
#include "session_case.h"

enum { CHUNKS = 900, WAITS_MAX = 3000, WAIT_US = 10000, LOOKED_US = 100000 };

/* Nobody cuts the power here: the disk need not be waited for. */
int fsync(int fd) {
  (void)fd;
  return 0;
}

int fdatasync(int fd) {
  return fsync(fd);
}

typedef struct {
  char *folder, *path;
  AioStore *store;
  AioCheckpointer *checkpointer;
  guint64 next;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->store = aio_store_create(c->path, "test 1", &error);
  g_assert_no_error(error);
  session_fill(c->store);
  c->next = 200;
  c->checkpointer = aio_checkpointer_new(c->store);
  g_assert_nonnull(c->checkpointer);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  aio_checkpointer_free(c->checkpointer);
  g_assert_true(aio_store_close(c->store, &error));
  g_assert_no_error(error);
  g_free(c->path);
  session_remove(c->folder);
}

/* One commit of so many chunks. */
static void grow(Case *c, guint chunks) {
  g_assert_true(aio_store_begin(c->store, NULL));
  for (guint k = 0; k < chunks; k++, c->next += 20) {
    AioChunk *chunk = session_chunk(6, c->next, 20);
    session_add_chunk(c->store, 0, chunk);
    aio_chunk_unref(chunk);
  }
  g_assert_true(aio_store_commit(c->store, NULL));
}

static gint passes(const Case *c) {
  return g_atomic_int_get(&c->store->passes);
}

static void await_passes(const Case *c, gint n) {
  for (guint k = 0; k < WAITS_MAX && passes(c) < n; k++)
    g_usleep(WAIT_US);
  g_assert_cmpint(passes(c), ==, n);
}

static bool comes_to_an_end(Case *c) {
  bool is = false;
  for (guint k = 0; k < WAITS_MAX && !is; k++) {
    is = aio_checkpointer_look(c->checkpointer, true);
    g_usleep(WAIT_US);
  }
  return is;
}

/* It is asked once for each pass, begun and ended. */
static void test_asked(Case *c, gconstpointer data) {
  (void)data;
  grow(c, CHUNKS);
  const guint before = aio_sql_log_pages(c->store->sql);
  g_usleep(LOOKED_US);
  g_assert_cmpint(passes(c), ==, 0);
  g_assert_false(aio_checkpointer_look(c->checkpointer, true));
  g_assert_true(comes_to_an_end(c));
  g_usleep(LOOKED_US);
  g_assert_cmpint(passes(c), ==, 2);
  g_assert_false(aio_checkpointer_look(c->checkpointer, true)); /* said once */
  grow(c, 1);
  g_assert_cmpuint(aio_sql_log_pages(c->store->sql), <, before);
}

/* Somebody who reads what was before keeps the rest of the log from being moved: it cannot begin
 * anew then, and it is not said that it could. */
static void test_reader(Case *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  gint64 count = 0;
  AioSql *reader = aio_sql_open(c->path, AIO_SQL_READ, &error);
  g_assert_no_error(error);
  g_assert_true(aio_sql_exec(reader, "BEGIN", NULL));
  g_assert_true(aio_sql_get_int(reader, "PRAGMA user_version", &count, NULL));
  grow(c, CHUNKS);
  g_assert_false(aio_checkpointer_look(c->checkpointer, true));
  await_passes(c, 2);
  g_usleep(LOOKED_US);
  g_assert_false(aio_checkpointer_look(c->checkpointer, true));
  aio_sql_free(reader);
  grow(c, 1);
  g_assert_false(aio_checkpointer_look(c->checkpointer, true));
  g_assert_true(comes_to_an_end(c));
  g_assert_cmpint(passes(c), ==, 4);
}

/* While the arm moves, the log is moved but does not begin anew. */
static void test_moving(Case *c, gconstpointer data) {
  (void)data;
  grow(c, 4 * CHUNKS);
  const guint before = aio_sql_log_pages(c->store->sql);
  g_assert_false(aio_checkpointer_look(c->checkpointer, false));
  await_passes(c, 2);
  g_usleep(LOOKED_US);
  g_assert_false(aio_checkpointer_look(c->checkpointer, false));
  g_usleep(LOOKED_US);
  g_assert_cmpint(passes(c), ==, 2); /* the next when it has grown as much again */
  grow(c, 1);
  g_assert_cmpuint(aio_sql_log_pages(c->store->sql), >, before);
  g_assert_true(comes_to_an_end(c)); /* at rest */
  grow(c, 1);
  g_assert_cmpuint(aio_sql_log_pages(c->store->sql), <, before);
}

/* One page more of the log with each, until there are so many. */
static void grow_to(Case *c, guint pages) {
  g_assert_cmpuint(aio_sql_log_pages(c->store->sql), <=, pages);
  while (aio_sql_log_pages(c->store->sql) < pages)
    g_assert_true(aio_store_begin_log(c->store, NULL));
  g_assert_cmpuint(aio_sql_log_pages(c->store->sql), ==, pages);
}

/* From 1 MiB on at rest, from 4 MiB on in motion, and again so when it has begun anew. */
static void test_lengths(Case *c, gconstpointer data) {
  (void)data;
  grow_to(c, 63);
  g_assert_false(aio_checkpointer_look(c->checkpointer, true));
  g_usleep(LOOKED_US);
  g_assert_cmpint(passes(c), ==, 0);
  grow_to(c, 64);
  g_assert_true(comes_to_an_end(c));
  g_assert_cmpint(passes(c), ==, 2);
  for (gint k = 1; k < 3; k++) {
    grow(c, 1);
    g_assert_cmpuint(aio_sql_log_pages(c->store->sql), <, 64);
    grow_to(c, 255);
    g_assert_false(aio_checkpointer_look(c->checkpointer, false));
    g_usleep(LOOKED_US);
    g_assert_cmpint(passes(c), ==, 4 * k - 2);
    grow_to(c, 256);
    g_assert_false(aio_checkpointer_look(c->checkpointer, false));
    await_passes(c, 4 * k);
    g_assert_true(comes_to_an_end(c));
    g_assert_cmpint(passes(c), ==, 4 * k + 2);
  }
}

/* The thread's number, 0: it is not there yet. */
static pid_t find_thread(void) {
  pid_t found = 0;
  GDir *dir = g_dir_open("/proc/self/task", 0, NULL);
  for (const char *id; dir && (id = g_dir_read_name(dir));) {
    char *path = g_strdup_printf("/proc/self/task/%s/comm", id), *name = NULL;
    if (g_file_get_contents(path, &name, NULL, NULL) && g_str_has_prefix(name, "checkpointer"))
      found = (pid_t)strtol(id, NULL, 10);
    g_free(name);
    g_free(path);
  }
  g_dir_close(dir);
  return found;
}

/* Others come before it. */
static void test_priority(Case *c, gconstpointer data) {
  const int own = getpriority(PRIO_PROCESS, 0);
  int nice = own;
  (void)c, (void)data;
  if (own >= 10 && geteuid() != 0) {
    g_test_skip("this process comes last itself");
    return;
  }
  for (guint k = 0; k < WAITS_MAX && nice != 10; k++) {
    const pid_t thread = find_thread();
    nice = thread ? getpriority(PRIO_PROCESS, (id_t)thread) : own;
    g_usleep(WAIT_US);
  }
  g_assert_cmpint(nice, ==, 10);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store/checkpoint/" name, Case, NULL, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("priority", test_priority);
  ADD("asked", test_asked);
  ADD("reader", test_reader);
  ADD("moving", test_moving);
  ADD("lengths", test_lengths);
  return g_test_run();
}
