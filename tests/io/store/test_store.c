/* SPDX-License-Identifier: MIT */
/* Session files: what is put in comes out, one writer at a time, other versions, other places. */
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session_nobody.h"
#include "session_v1.h"

static AioStore *open_read(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  return store;
}

static void close_whole(AioStore *store) {
  GError *error = NULL;
  g_assert_true(aio_store_close(store, &error));
  g_assert_no_error(error);
}

/* ---- what is put in comes out ---- */

static bool check_connection(const AioStoreConnection *row, void *count) {
  g_assert_cmpint(row->id, ==, 1);
  g_assert_cmpint(row->utc_us, ==, 1700000000000000);
  g_assert_cmpint(row->t_host_ns, ==, 123456789);
  g_assert_cmpstr(row->controller, ==, "{}");
  return ++*(guint *)count;
}

static bool check_run(const AioStoreRun *row, void *count) {
  g_assert_cmpint(row->id, ==, 1);
  g_assert_cmpint(row->connection, ==, 1);
  g_assert_cmpstr(row->kind, ==, "sweep");
  g_assert_cmpuint(row->joint, ==, 3);
  g_assert_cmpuint(row->hold, ==, 2);
  g_assert_cmpfloat(row->speed, ==, 0.25);
  g_assert_cmpint(row->started_us, ==, 1700000000100000);
  g_assert_cmpint(row->ended_us, ==, 1700000000900000);
  g_assert_cmpuint(row->motion, ==, 7);
  g_assert_cmpstr(row->outcome, ==, "done");
  return ++*(guint *)count;
}

static bool check_chunk(const AioStoreChunk *row, void *count) {
  const guint k = (*(guint *)count)++;
  AioChunk *expected = session_chunk(6, 20 * k, 20);
  g_assert_cmpint(row->run, ==, k < 5 ? 1 : 0);
  g_assert_cmpint(row->connection, ==, 1);
  session_assert_same(row->chunk, expected);
  aio_chunk_unref(expected);
  return true;
}

static bool check_raw(const AioStoreRaw *row, void *count) {
  g_assert_cmpint(row->t_host_ns, ==, -5);
  g_assert_true(row->is_sent);
  g_assert_cmpmem(row->bytes, row->n, "\0\1\2", 3);
  return ++*(guint *)count;
}

static bool check_event(const AioStoreEvent *row, void *count) {
  g_assert_cmpint(row->connection, ==, 1);
  g_assert_cmpint(row->run, ==, 1);
  g_assert_cmpint(row->t_host_ns, ==, 9);
  g_assert_cmpuint(row->t_us, ==, 8);
  g_assert_cmpstr(row->kind, ==, "fault");
  g_assert_cmpuint(row->joint, ==, 3);
  g_assert_cmpuint(row->motion, ==, 7);
  g_assert_cmpuint(row->level, ==, 2);
  g_assert_cmpint(row->value, ==, 32);
  g_assert_cmpstr(row->text, ==, "over-current");
  g_assert_cmpstr(row->detail, ==, "{\"mA\": 5}");
  return ++*(guint *)count;
}

static bool check_fit(const AioStoreFit *row, void *count) {
  g_assert_cmpint(row->utc_us, ==, 1700000001000000);
  g_assert_cmpstr(row->program, ==, "test 1");
  g_assert_cmpstr(row->dataset_sha256, ==, SESSION_DIGEST);
  g_assert_cmpstr(row->options, ==, "{}");
  g_assert_cmpstr(row->parameters, ==, "{\"eta\": 1}");
  return ++*(guint *)count;
}

static bool check_statistic(const AioStoreStatistic *row, void *count) {
  g_assert_cmpint(row->run, ==, 1);
  g_assert_cmpstr(row->name, ==, "lost");
  g_assert_cmpfloat(row->value, ==, 0.5);
  return ++*(guint *)count;
}

static void check_texts(AioStore *store) {
  GError *error = NULL;
  char *arm = aio_store_get_text(store, AIO_STORE_ARM, &error);
  g_assert_cmpstr(arm, ==, "{\"joints\": [\"\xc3\xa9\"]}\n");
  char *plan = aio_store_get_text(store, AIO_STORE_PLAN, &error);
  g_assert_cmpstr(plan, ==, "{\"holds\": 2}");
  char *steps = aio_store_get_text(store, AIO_STORE_STEPS, &error);
  g_assert_cmpstr(steps, ==, "{\"step\": \"sweep\"}");
  char *program = aio_store_get_meta(store, "program", &error);
  g_assert_cmpstr(program, ==, "test 1");
  g_assert_null(aio_store_get_meta(store, "nothing", NULL));
  g_assert_no_error(error);
  g_free(program);
  g_free(steps);
  g_free(plan);
  g_free(arm);
}

static void check_filled(AioStore *store, guint statistics) {
  GError *error = NULL;
  guint n[7] = {0};
  gint64 connection = 0, run = 0;
  gsize samples = 0;
  check_texts(store);
  g_assert_true(aio_store_each_connection(store, check_connection, &n[0], &error));
  g_assert_true(aio_store_each_run(store, check_run, &n[1], &error));
  g_assert_true(aio_store_each_chunk(store, 0, check_chunk, &n[2], &error));
  g_assert_true(aio_store_each_raw(store, check_raw, &n[3], &error));
  g_assert_true(aio_store_each_event(store, check_event, &n[4], &error));
  g_assert_true(aio_store_each_fit(store, check_fit, &n[5], &error));
  g_assert_true(aio_store_each_statistic(store, check_statistic, &n[6], &error));
  g_assert_no_error(error);
  const guint expected[7] = {1, 1, 10, 1, 1, 1, statistics};
  for (guint k = 0; k < 7; k++)
    g_assert_cmpuint(n[k], ==, expected[k]);
  n[2] = 0;
  g_assert_true(aio_store_each_chunk(store, 1, check_chunk, &n[2], &error));
  g_assert_cmpuint(n[2], ==, 5);
  g_assert_true(aio_store_count_samples(store, 1, &samples, &error));
  g_assert_cmpuint(samples, ==, 100);
  g_assert_true(aio_store_last_ids(store, &connection, &run, &error));
  g_assert_cmpint(connection, ==, 1);
  g_assert_cmpint(run, ==, 1);
}

static void test_round_trip(SessionPlace *c, gconstpointer data) {
  (void)data;
  AioStore *store = session_create(c->path);
  session_fill(store);
  check_filled(store, 1);
  AioStore *beside = open_read(c->path);
  check_filled(beside, 1);
  close_whole(beside);
  close_whole(store);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  store = open_read(c->path);
  check_filled(store, 1);
  close_whole(store);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
}

static void count_piece(void *data) {
  ++*(guint *)data;
}

/* The one file is everything: its bytes, read elsewhere, are the session. */
static void test_copied_file(SessionPlace *c, gconstpointer data) {
  (void)data;
  gsize n = 0;
  char *bytes = NULL, *other = g_build_filename(c->folder, "copy.armsession", NULL);
  AioStore *store = session_create(c->path);
  session_fill(store);
  GError *error = NULL;
  guint pieces = 0;
  GStatBuf info;
  const mode_t mask = umask(022);
  g_assert_true(
      aio_store_copy(store, other, count_piece, &pieces, &error)); /* also while it is written */
  umask(mask);
  g_assert_cmpuint(pieces, >, 0);
  g_assert_cmpint(g_stat(other, &info), ==, 0);
  g_assert_cmpint(info.st_mode & 07777, ==, 0644);
  g_assert_false(aio_store_copy(store, other, NULL, NULL, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  close_whole(store);
  g_assert_cmpuint(session_count_files(c->folder), ==, 2);
  for (int k = 0; k < 2; k++) {
    g_assert_true(g_file_get_contents(k ? other : c->path, &bytes, &n, NULL));
    store = aio_store_open_bytes("bytes", (const guint8 *)bytes, n, &error);
    g_assert_no_error(error);
    check_filled(store, 1);
    close_whole(store);
    g_free(bytes);
  }
  g_free(other);
}

static void test_rollback(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = session_create(c->path);
  session_fill(store);
  g_assert_true(aio_store_begin(store, &error));
  const AioStoreStatistic row = {.name = "gone", .value = (double)NAN};
  g_assert_true(aio_store_add_statistic(store, &row, &error));
  aio_store_rollback(store);
  const AioStoreStatistic nameless = {.name = ""};
  g_assert_false(aio_store_add_statistic(store, &nameless, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
  const AioStoreRun homeless = {.id = 9, .connection = 77, .kind = "move"};
  g_assert_false(aio_store_add_run(store, &homeless, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
  check_filled(store, 1);
  close_whole(store);
}

/* Doubles of any bits, millionths, and both in one chunk come back to the bit. */
static void test_blob(void) {
  static const double odd[] = {0,           -0.0,
                               1e-7,        0.1,
                               2147.483647, -2147.483647,
                               2147.483648, 1e300,
                               4.9e-324,    (double)INFINITY,
                               (double)NAN};
  for (guint round = 0; round < 2000; round++) {
    const guint joints = (guint)g_test_rand_int_range(1, 33),
                n = (guint)g_test_rand_int_range(1, 65);
    AioChunk *chunk = session_chunk(joints, 40 * round, MIN(n, 20));
    chunk->lost = round;
    double *const columns[] = {chunk->q, chunk->qd, chunk->current};
    for (guint k = 0; k < chunk->n * joints; k++) {
      const guint64 bits = (guint64)g_test_rand_int() << 32 | (guint32)g_test_rand_int();
      if (round % 3 == 0)
        columns[k % 3][k] = odd[k % G_N_ELEMENTS(odd)];
      else if (round % 3 == 1)
        memcpy(&columns[round / 3 % 3][k], &bits, sizeof bits);
    }
    const char *why = NULL;
    GByteArray *bytes = aio_blob_encode(chunk);
    AioChunk *again = aio_blob_decode(bytes->data, bytes->len, &why);
    g_assert_cmpstr(again ? "" : why, ==, "");
    session_assert_same(chunk, again);
    aio_chunk_unref(again);
    const guint at = (guint)g_test_rand_int_range(0, (gint32)bytes->len);
    bytes->data[at] ^= (guint8)(1 << round % 8); /* any bit changed is seen */
    g_assert_null(aio_blob_decode(bytes->data, bytes->len, &why));
    g_byte_array_unref(bytes);
    aio_chunk_unref(chunk);
  }
}

/* ---- one writer ---- */

static void test_second_writer(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = session_create(c->path);
  g_assert_true(aio_store_is_session(c->path)); /* told without opening it */
  g_assert_null(aio_store_open_write(c->path, "other 2", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
  char *who = g_strdup_printf("test 1 (process %d on %s", (int)getpid(), g_get_host_name());
  g_assert_nonnull(strstr(error->message, who));
  g_assert_true(g_str_has_suffix(error->message, "Z); close it there, or open it for reading"));
  g_clear_error(&error);
  const pid_t child = fork();
  if (child == 0) {
    AioStore *second = aio_store_open_write(c->path, "other 2", &error);
    _exit(!second && error->code == AIO_ERROR_BUSY && strstr(error->message, who) ? 0 : 1);
  }
  int status = 1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  g_free(who);
  session_fill(store); /* the refused ones have not disturbed the first */
  close_whole(store);
  store = aio_store_open_write(c->path, "other 2", &error);
  g_assert_no_error(error);
  check_filled(store, 1);
  close_whole(store);
  g_assert_null(aio_store_create(c->path, "test 1", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_assert_nonnull(strstr(error->message, "choose another name for the session"));
  g_clear_error(&error);
}

/* A writer killed leaves its lock file and its log; both are taken over. */
static void test_dead_writer(SessionPlace *c, gconstpointer data) {
  (void)data;
  const pid_t child = fork();
  if (child == 0) {
    AioStore *store = session_create(c->path);
    session_fill(store);
    kill(getpid(), SIGKILL);
  }
  g_assert_cmpint(waitpid(child, NULL, 0), ==, child);
  g_assert_cmpuint(session_count_files(c->folder), ==, 4);
  GStatBuf info;
  char *log = g_strconcat(c->path, "-wal", NULL);
  AioStore *store = open_read(c->path);
  check_filled(store, 1);
  close_whole(store);
  GError *error = NULL;
  store = aio_store_open_waiting(c->path, "test 2", &error);
  g_assert_no_error(error);
  g_assert_false(aio_store_is_waiting(store)); /* it is completed at once */
  g_assert_cmpint(g_stat(log, &info), ==, 0);
  g_assert_cmpint(info.st_size, ==, 0);
  check_filled(store, 1);
  close_whole(store);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  g_free(log);
}

/* What is not as a writer leaves it is completed at once, too. */
static void test_waits(SessionPlace *c, gconstpointer data) {
  (void)data;
  char *journal = g_strconcat(c->path, "-journal", NULL);
  AioStore *store = session_create(c->path);
  session_fill(store);
  close_whole(store);
  for (guint k = 0; k < 2; k++) {
    if (k)
      g_assert_true(g_file_set_contents(journal, "", 0, NULL));
    store = aio_store_open_waiting(c->path, "test 2", NULL);
    g_assert_true(aio_store_is_waiting(store) == !k);
    check_filled(store, 1);
    close_whole(store);
  }
  g_free(journal);
}

/* ---- media that cannot be written ---- */

static int check_read_only(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  if (!store)
    return 1;
  check_filled(store, 1);
  aio_store_close(store, NULL);
  store = aio_store_open_write(path, "test 2", &error);
  return !store && error->code == AIO_ERROR_PERMISSION ? 0 : 2;
}

static int check_interrupted(const char *path) {
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  return !store && strstr(error->message, "-wal") ? 0 : 1;
}

static int check_readable(const char *path) {
  AioStore *store = aio_store_open_read(path, NULL);
  if (!store)
    return 1;
  check_filled(store, 1);
  aio_store_close(store, NULL);
  return 0;
}

static void test_read_only_medium(SessionPlace *c, gconstpointer data) {
  (void)data;
  AioStore *store = session_create(c->path);
  session_fill(store);
  close_whole(store);
  g_assert_cmpint(g_chmod(c->path, 0444), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0555), ==, 0);
  g_assert_cmpint(session_as_nobody(c->path, check_read_only), ==, 0);
  g_assert_cmpuint(session_count_files(c->folder), ==, 1);
  g_assert_cmpint(g_chmod(c->path, 0644), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0755), ==, 0);
  char *log = g_strconcat(c->path, "-wal", NULL);
  session_make(c->path, "PRAGMA journal_mode=WAL");
  for (guint k = 0; k < 2; k++) { /* closed without going back to a journal; with an empty log */
    if (k)
      g_assert_true(g_file_set_contents(log, "", 0, NULL));
    g_assert_cmpint(g_chmod(c->folder, 0555), ==, 0);
    g_assert_cmpint(session_as_nobody(c->path, check_readable), ==, 0);
    g_assert_cmpint(g_chmod(c->folder, 0755), ==, 0);
  }
  g_assert_true(g_file_set_contents(log, "something", 9, NULL));
  g_assert_cmpint(g_chmod(c->folder, 0555), ==, 0);
  g_assert_cmpint(session_as_nobody(c->path, check_interrupted), ==, 0);
  g_assert_cmpint(g_chmod(c->folder, 0755), ==, 0);
  g_free(log);
}

static void test_space(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  g_assert_true(aio_store_check_space(c->path, 6, 1000, 1, &error));
  g_assert_false(aio_store_check_space(c->path, 32, 1000, 1e12, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_FULL);
  g_assert_nonnull(strstr(error->message, "MB free"));
  g_clear_error(&error);
}

/* ---- a reader in the writer's process ---- */

/* Asked by another process, since one's own locks never stand in one's way: may the file be
 * changed? SQLite's shared locks are 510 bytes from 0x40000002 on. */
static bool is_held(const char *path) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock lock = {
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000002, .l_len = 510};
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1);
  }
  int status = 0;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_reader_beside(SessionPlace *c, gconstpointer data) {
  (void)data;
  AioStore *store = session_create(c->path);
  g_assert_true(aio_store_is_session(c->path)); /* its log is empty as yet */
  g_assert_true(is_held(c->path));
  g_assert_null(aio_store_open_write(c->path, "other 2", NULL));
  g_assert_true(is_held(c->path));
  session_fill(store);
  g_assert_true(is_held(c->path));
  g_assert_true(aio_store_is_session(c->path));
  g_assert_true(is_held(c->path));
  AioStore *reader = open_read(c->path);
  g_assert_cmpstr(aio_store_path(reader), ==, c->path);
  close_whole(reader);
  g_assert_true(is_held(c->path));
  close_whole(store);
  g_assert_false(is_held(c->path));
}

static bool on_chunk_held(const AioStoreChunk *row, void *path) {
  (void)row;
  g_assert_true(is_held(path));
  return false;
}

/* Nobody changes a file while it is read, though nobody records to it. */
static void test_reader_holds(SessionPlace *c, gconstpointer data) {
  (void)data;
  AioStore *store = session_create(c->path);
  session_fill(store);
  close_whole(store);
  store = open_read(c->path);
  g_assert_true(aio_store_each_chunk(store, 0, on_chunk_held, c->path, NULL));
  close_whole(store);
}

static bool on_chunk_close(const AioStoreChunk *row, void *data) {
  AioStore **writer = data;
  GError *error = NULL;
  (void)row;
  g_assert_false(aio_store_close(g_steal_pointer(writer), &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_BUSY);
  g_assert_nonnull(strstr(error->message, "stays in the -wal file"));
  g_clear_error(&error);
  return false;
}

/* While somebody reads, the file cannot be completed: that is said, and the next opening does it.
 */
static void test_closed_while_read(SessionPlace *c, gconstpointer data) {
  (void)data;
  GError *error = NULL;
  AioStore *store = session_create(c->path);
  session_fill(store);
  AioStore *reader = open_read(c->path);
  g_assert_true(aio_store_each_chunk(reader, 0, on_chunk_close, &store, &error));
  g_assert_null(store);
  close_whole(reader);
  store = aio_store_open_write(c->path, "test 1", &error);
  g_assert_no_error(error);
  close_whole(store);
}

#define ADD(name, function)                                                                        \
  g_test_add("/store/" name, SessionPlace, NULL, session_place_set_up, function,                   \
             session_place_tear_down)

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/store/blob", test_blob);
  ADD("round-trip", test_round_trip);
  ADD("copied-file", test_copied_file);
  ADD("rollback", test_rollback);
  ADD("reader-beside", test_reader_beside);
  ADD("reader-holds", test_reader_holds);
  ADD("waits", test_waits);
  ADD("closed-while-read", test_closed_while_read);
  ADD("second-writer", test_second_writer);
  ADD("dead-writer", test_dead_writer);
  ADD("read-only-medium", test_read_only_medium);
  ADD("space", test_space);
  return g_test_run();
}
