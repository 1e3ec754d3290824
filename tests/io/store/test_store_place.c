/* SPDX-License-Identifier: MIT */
/* Which changes of a file, and of its log, are somebody else's: byte by byte of their first ones.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/store/store_checkpoint.h"
#include "io/store/store_internal.h"
#include "session_case.h"

typedef struct {
  char *folder, *path, *log;
  AioStore *store;
} Case;

static void set_up(Case *c, gconstpointer data) {
  (void)data;
  c->folder = session_folder();
  c->path = g_build_filename(c->folder, "bench.armsession", NULL);
  c->log = g_strconcat(c->path, "-wal", NULL);
  c->store = session_create(c->path);
  session_fill(c->store);
  g_assert_true(aio_sql_exec(c->store->sql, "PRAGMA wal_checkpoint(PASSIVE)", NULL));
  aio_store_remember_content(c->store, true);
}

static void tear_down(Case *c, gconstpointer data) {
  (void)data;
  aio_store_close(c->store, NULL);
  g_free(c->log);
  g_free(c->path);
  session_remove(c->folder);
}

static void poke(const char *path, guint at, int add) {
  guint8 byte = 0;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  g_assert_cmpint(pread(fd, &byte, 1, at), ==, 1);
  g_assert_cmpint(byte + add, >=, 0);
  g_assert_cmpint(byte + add, <, 256);
  byte = (guint8)(byte + add);
  g_assert_cmpint(pwrite(fd, &byte, 1, at), ==, 1);
  close(fd);
}

static void resize(const char *path, int add) {
  struct stat info;
  g_assert_cmpint(stat(path, &info), ==, 0);
  g_assert_cmpint(truncate(path, info.st_size + add), ==, 0);
}

static bool is_ours(const Case *c) {
  GError *error = NULL;
  const bool is = aio_store_check_place(c->store, &error);
  if (!is)
    g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  return is;
}

static void forgive(const Case *c) {
  c->store->is_overwritten[0] = c->store->is_overwritten[1] = false;
  aio_store_remember_content(c->store, true);
}

/* ---- the file ---- */

typedef struct {
  guint at;
  int add;
  bool is_growth; /* as by a commit that the store has not seen */
} Change;

/* Offsets of SQLite's header: 24 the counter of changes, 28 pages, 92 the counter once more. */
static const Change CHANGES[] = {{0, 1, false},   {23, 1, false}, {24, 1, true},  {27, 1, true},
                                 {27, -1, false}, {28, 1, true},  {31, 1, true},  {31, -1, false},
                                 {32, 1, true},   {39, 1, true},  {40, 1, false}, {91, 1, false},
                                 {92, 1, true},   {99, 1, true}};

static void test_file(Case *c, gconstpointer data) {
  c->store->is_tended = GPOINTER_TO_INT(data); /* then it stays as it is between two passes */
  for (gsize k = 0; k < G_N_ELEMENTS(CHANGES); k++) {
    const Change *change = &CHANGES[k];
    const bool is_allowed = change->is_growth && !c->store->is_tended;
    g_assert_true(is_ours(c));
    poke(c->path, change->at, change->add);
    g_assert_true(is_ours(c) == is_allowed);
    g_assert_true(aio_store_is_overwritten(c->store) != is_allowed);
    poke(c->path, change->at, -change->add);
    if (!is_allowed)
      g_assert_false(is_ours(c)); /* stays so */
    forgive(c);
  }
  resize(c->path, 1);
  g_assert_true(is_ours(c) == !c->store->is_tended);
  forgive(c);
  resize(c->path, -1);
  g_assert_false(is_ours(c));
  forgive(c);
}

/* A pass that is under way, or has ended since, may have changed it as a commit does. */
static void test_pass(Case *c, gconstpointer data) {
  (void)data;
  c->store->is_tended = true;
  g_atomic_int_set(&c->store->passes, 1);
  poke(c->path, 99, 1);
  g_assert_true(is_ours(c));
  g_assert_cmpint(c->store->passes_known, ==, 0); /* not the last word */
  poke(c->path, 99, 1);
  g_assert_true(is_ours(c));
  g_atomic_int_set(&c->store->passes, 2);
  poke(c->path, 99, 1);
  g_assert_true(is_ours(c));
  g_assert_cmpint(c->store->passes_known, ==, 2);
  g_assert_true(is_ours(c));
  poke(c->path, 99, 1);
  g_assert_false(is_ours(c));
  forgive(c);
  g_atomic_int_set(&c->store->passes, 4);
  poke(c->path, 0, 1);
  g_assert_false(is_ours(c));
  poke(c->path, 0, -1);
  poke(c->path, 99, -4);
}

/* ---- the log ---- */

static void flip(const char *path, guint at) {
  guint8 byte = 0;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  g_assert_cmpint(pread(fd, &byte, 1, at), ==, 1);
  byte ^= 1;
  g_assert_cmpint(pwrite(fd, &byte, 1, at), ==, 1);
  close(fd);
}

/* Its head has 32 bytes. */
static void test_log(Case *c, gconstpointer data) {
  static const guint places[] = {0, 31, 32};
  char *said = g_strconcat(
      c->log, ": was overwritten or cut off while the session was recorded to it", NULL);
  (void)data;
  for (gsize k = 0; k < G_N_ELEMENTS(places); k++) {
    GError *error = NULL;
    const bool is_head = places[k] < 32;
    c->store->is_tended = true;
    g_assert_true(is_ours(c));
    flip(c->log, places[k]);
    g_assert_true(aio_store_check_place(c->store, &error) != is_head);
    g_assert_cmpstr(error ? error->message : said, ==, said);
    g_clear_error(&error);
    g_assert_false(c->store->is_overwritten[0]);
    flip(c->log, places[k]);
    g_assert_true(is_ours(c) != is_head); /* stays so */
    c->store->is_tended = false;          /* then others may begin it anew */
    forgive(c);
    flip(c->log, places[k]);
    g_assert_true(is_ours(c));
    flip(c->log, places[k]);
    forgive(c);
  }
  c->store->is_tended = true;
  resize(c->log, 1);
  g_assert_true(is_ours(c));
  forgive(c);
  resize(c->log, -1);
  g_assert_false(is_ours(c));
  forgive(c);
  g_free(said);
}

static void commit_over(Case *c, gint64 cut_to) {
  g_assert_true(aio_store_begin(c->store, NULL));
  g_assert_true(aio_store_add_text(c->store, AIO_STORE_STEPS, "{\"step\": \"fit\"}", NULL));
  if (cut_to >= 0)
    g_assert_cmpint(truncate(c->log, cut_to), ==, 0);
  g_assert_true(aio_store_commit(c->store, NULL));
}

static gint64 begin_tending(Case *c) {
  aio_sql_watch_log(c->store->sql);
  c->store->is_tended = true;
  for (guint k = 0; k < 3; k++)
    commit_over(c, -1);
  g_assert_true(is_ours(c));
  return c->store->end.at + AIO_LOG_END; /* zeros may follow */
}

/* Cut off between the look before a commit and the commit, which writes on where its end was. */
static void test_cut_while_written(Case *c, gconstpointer data) {
  static const double parts[] = {0, 0.001, 0.5, 1};
  (void)data;
  for (gsize k = 0; k < G_N_ELEMENTS(parts); k++) {
    const gint64 end = begin_tending(c);
    commit_over(c, MAX(0, (gint64)(parts[k] * (double)end) - 1));
    g_assert_false(is_ours(c));
    g_assert_false(c->store->is_overwritten[0]);
    tear_down(c, NULL);
    set_up(c, NULL);
  }
  commit_over(c, begin_tending(c)); /* nothing was lost */
  g_assert_true(is_ours(c));
  g_assert_true(aio_sql_exec(c->store->sql, "PRAGMA wal_checkpoint(RESTART)", NULL));
  commit_over(c, -1); /* which begins it anew */
  g_assert_true(is_ours(c));
}

/* ---- what is not known ---- */

static void test_unknown(Case *c, gconstpointer data) {
  guint8 head[16] = {0}, nothing = 0;
  gint64 size = 0;
  struct stat info;
  (void)data;
  c->store->is_tended = true;
  g_assert_true(aio_sql_peek(c->store->sql, false, head, sizeof head, &size));
  g_assert_cmpmem(head, sizeof head, "SQLite format 3", 16);
  g_assert_cmpint(stat(c->path, &info), ==, 0);
  g_assert_cmpint(size, ==, info.st_size);
  AioSql *memory = aio_sql_new_memory("memory", NULL, 0, NULL);
  g_assert_false(aio_sql_peek(memory, false, &nothing, 1, &size));
  aio_sql_free(memory);
  for (guint k = 0; k < 2; k++) {
    c->store->content[k].is_known = false;
    poke(k ? c->log : c->path, 0, 1);
    g_assert_true(is_ours(c));
    poke(k ? c->log : c->path, 0, -1);
    forgive(c);
  }
  aio_sql_bar(c->store->sql, false); /* a disk that cannot be read changes nothing */
  g_assert_true(is_ours(c));
  aio_sql_bar(c->store->sql, true);
  g_assert_true(is_ours(c));
}

/* ---- somebody else's file of the same name ---- */

static void test_replaced(Case *c, gconstpointer data) {
  char *other = g_build_filename(c->folder, "other.armsession", NULL);
  (void)data;
  g_assert_true(aio_store_copy(c->store, other, NULL, NULL, NULL));
  g_assert_cmpint(g_rename(other, c->path), ==, 0);
  g_assert_null(aio_checkpointer_new(c->store));
  g_assert_false(c->store->is_tended);
  g_assert_false(is_ours(c));
  g_assert_true(aio_store_close(g_steal_pointer(&c->store), NULL)); /* nothing of ours stays */
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  g_free(other);
}

#define ADD(name, data, function)                                                                  \
  g_test_add("/store-place/" name, Case, data, set_up, function, tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  ADD("file", GINT_TO_POINTER(false), test_file);
  ADD("file-tended", GINT_TO_POINTER(true), test_file);
  ADD("pass", NULL, test_pass);
  ADD("log", NULL, test_log);
  ADD("cut-while-written", NULL, test_cut_while_written);
  ADD("unknown", NULL, test_unknown);
  ADD("replaced", NULL, test_replaced);
  return g_test_run();
}
