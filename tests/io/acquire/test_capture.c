/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/acquire/capture_internal.h"

enum { HEAD = AIO_CAPTURE_HEADER, AROUND = AIO_CAPTURE_RECORD + AIO_CAPTURE_CRC };

static char *folder;

static char *new_path(const char *name) {
  return g_build_filename(folder, name, NULL);
}

static AioCapture *new_capture(const char *path) {
  GError *error = NULL;
  AioCapture *capture = aio_capture_new(path, &error);
  g_assert_no_error(error);
  return capture;
}

static void put(AioCapture *capture, AioCaptureDirection direction, gint64 t_ns, const void *bytes,
                gsize n) {
  GError *error = NULL;
  g_assert_true(aio_capture_write(capture, direction, t_ns, bytes, n, &error));
  g_assert_no_error(error);
}

static void finish(AioCapture *capture) {
  GError *error = NULL;
  g_assert_true(aio_capture_free(capture, &error));
  g_assert_no_error(error);
}

static AioCaptureReader *new_reader(const char *path) {
  GError *error = NULL;
  AioCaptureReader *reader = aio_capture_reader_new(path, &error);
  g_assert_no_error(error);
  return reader;
}

static void check_next(AioCaptureReader *reader, AioCaptureDirection direction, gint64 t_ns,
                       const void *bytes, gsize n) {
  AioCaptureRecord record;
  g_assert_true(aio_capture_reader_next(reader, &record));
  g_assert_cmpint(record.direction, ==, direction);
  g_assert_cmpint(record.t_ns, ==, t_ns);
  g_assert_cmpmem(record.bytes, record.n, bytes, n);
}

static void check_end(AioCaptureReader *reader) {
  AioCaptureRecord record;
  g_assert_false(aio_capture_reader_next(reader, &record));
  g_assert_false(aio_capture_reader_next(reader, &record));
}

static gsize file_size(const char *path) {
  GStatBuf found;
  g_assert_cmpint(g_stat(path, &found), ==, 0);
  return (gsize)found.st_size;
}

static void test_round_trip(void) {
  char *path = new_path("round.capture");
  guint8 *large = g_malloc(3 << 19);
  for (gsize k = 0; k < 3 << 19; k++)
    large[k] = (guint8)(k * k >> 7);
  AioCapture *capture = new_capture(path);
  const gint64 now = g_get_monotonic_time() * 1000;
  put(capture, AIO_CAPTURE_SENT, 0, "hello", 5);
  put(capture, AIO_CAPTURE_RECEIVED, 5, "\0\1\r\n\xff", 5);
  put(capture, AIO_CAPTURE_RECEIVED, G_MAXINT64 / 2, "", 0);
  put(capture, AIO_CAPTURE_RECEIVED, now, large, 3 << 19);
  finish(capture);
  AioCaptureReader *reader = new_reader(path);
  g_assert_cmpint(ABS(aio_capture_reader_utc_us(reader, now) - g_get_real_time()), <, 5000000);
  check_next(reader, AIO_CAPTURE_SENT, 0, "hello", 5);
  check_next(reader, AIO_CAPTURE_RECEIVED, 5, "\0\1\r\n\xff", 5);
  check_next(reader, AIO_CAPTURE_RECEIVED, now, large, 1 << 20); /* the largest record */
  check_next(reader, AIO_CAPTURE_RECEIVED, now, large + (1 << 20), 1 << 19);
  check_end(reader);
  g_assert_null(aio_capture_reader_damage(reader));
  aio_capture_reader_free(reader);
  g_free(large);
  g_free(path);
}

/* The bytes of the format, so that no later version writes others under this number. */
static void test_layout(void) {
  char *path = new_path("layout.capture");
  AioCapture *capture = new_capture(path);
  put(capture, AIO_CAPTURE_SENT, 0x0102030405060708, "ab", 2);
  finish(capture);
  char *bytes;
  gsize n;
  g_assert_true(g_file_get_contents(path, &bytes, &n, NULL));
  g_assert_cmpuint(n, ==, 32 + 16 + 2 + 4);
  g_assert_cmpmem(bytes, 12, "\x89\x41\x43\x50\x0d\x0a\x1a\x0a\1\0\0\0", 12);
  g_assert_cmpmem(bytes + 32, 18, "\2\0\0\0\1\0\0\0\x08\7\6\5\4\3\2\1ab", 18);
  g_assert_cmpmem(bytes + 50, 4, "\x4d\x8e\x81\xb4", 4);
  g_free(bytes);
  g_free(path);
}

/* ---- files that end anywhere ---- */

/* Pieces of 1 to 7 bytes, and where so many of them end. */
enum { PIECES = 7 };
static gsize end_of(guint pieces) {
  return HEAD + pieces * AROUND + pieces * (pieces + 1) / 2;
}

static char *write_pieces(gsize *n) {
  char *path = new_path("pieces.capture"), *bytes;
  AioCapture *capture = new_capture(path);
  for (gsize k = 1; k <= PIECES; k++)
    put(capture, AIO_CAPTURE_RECEIVED, 100 * (gint64)k, "abcdefg", k);
  finish(capture);
  g_assert_true(g_file_get_contents(path, &bytes, n, NULL));
  g_unlink(path);
  g_free(path);
  return bytes;
}

static AioCaptureReader *read_bytes(const char *bytes, gsize n, GError **error) {
  char *path = new_path("bytes.capture");
  g_assert_true(g_file_set_contents(path, bytes, (gssize)n, NULL));
  AioCaptureReader *reader = aio_capture_reader_new(path, error);
  g_free(path);
  return reader;
}

static guint count_records(AioCaptureReader *reader) {
  AioCaptureRecord record;
  guint count = 0;
  while (aio_capture_reader_next(reader, &record)) {
    count++;
    g_assert_cmpint(record.t_ns, ==, 100 * (gint64)count);
    g_assert_cmpmem(record.bytes, record.n, "abcdefg", count);
  }
  return count;
}

static void test_truncated(void) {
  gsize n;
  char *bytes = write_pieces(&n);
  g_assert_cmpuint(n, ==, end_of(PIECES));
  for (gsize cut = 0; cut <= n; cut++) {
    GError *error = NULL;
    AioCaptureReader *reader = read_bytes(bytes, cut, &error);
    if (cut < HEAD) {
      g_assert_null(reader);
      g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
      g_clear_error(&error);
      continue;
    }
    g_assert_no_error(error);
    guint whole = 0;
    while (whole < PIECES && end_of(whole + 1) <= cut)
      whole++;
    g_assert_cmpuint(count_records(reader), ==, whole);
    const char *damage = aio_capture_reader_damage(reader);
    g_assert_true((cut == end_of(whole)) == (damage == NULL));
    g_assert_true(!damage || strstr(damage, "is cut short"));
    aio_capture_reader_free(reader);
  }
  g_free(bytes);
}

/* One bit anywhere: never a wrong byte or time, and it is told. */
static void test_damaged(void) {
  gsize n;
  char *bytes = write_pieces(&n);
  for (gsize bit = 0; bit < 8 * n; bit++) {
    bytes[bit / 8] ^= (char)(1 << bit % 8);
    GError *error = NULL;
    AioCaptureReader *reader = read_bytes(bytes, n, &error);
    g_assert_true((reader == NULL) == (bit / 8 < HEAD));
    g_assert_true((reader == NULL) == (error != NULL));
    if (reader) {
      g_assert_cmpuint(count_records(reader), <, PIECES);
      g_assert_nonnull(aio_capture_reader_damage(reader));
    }
    aio_capture_reader_free(reader);
    g_clear_error(&error);
    bytes[bit / 8] ^= (char)(1 << bit % 8);
  }
  g_free(bytes);
}

static void check_not_read(const char *bytes, gsize n, AioErrorCode code, const char *part) {
  GError *error = NULL;
  g_assert_null(read_bytes(bytes, n, &error));
  g_assert_error(error, AIO_ERROR, (gint)code);
  g_assert_nonnull(strstr(error->message, part));
  g_clear_error(&error);
}

static void test_other_files(void) {
  check_not_read("t,q1\n0,1\n", 9, AIO_ERROR_SYNTAX, "not a capture");
  check_not_read("", 0, AIO_ERROR_SYNTAX, "not a capture");
  check_not_read("\x89\x41\x43\x50\x0d\x0a\x1a\x0a\3\0\0\0more", 16, AIO_ERROR_REFUSED,
                 "version 2, found 3");
  GError *error = NULL;
  g_assert_null(aio_capture_reader_new("/nowhere/x", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  g_assert_null(aio_capture_reader_new("/", &error));
  g_assert_nonnull(error);
  g_clear_error(&error);
}

/* ---- writing ---- */

static void test_delay(void) {
  char *path = new_path("delay.capture");
  AioCapture *capture = new_capture(path);
  const gint64 ms = 1000000;
  g_assert_cmpuint(file_size(path), ==, HEAD);
  g_assert_cmpint(aio_capture_tick(capture, 10000 * ms), ==, G_MAXINT64);
  put(capture, AIO_CAPTURE_RECEIVED, 1000 * ms, "a", 1);
  put(capture, AIO_CAPTURE_RECEIVED, 1100 * ms, "a", 1);
  g_assert_cmpint(aio_capture_tick(capture, 1199 * ms), ==, 1200 * ms);
  g_assert_cmpuint(file_size(path), ==, HEAD);
  g_assert_cmpint(aio_capture_tick(capture, 1200 * ms), ==, G_MAXINT64);
  g_assert_cmpuint(file_size(path), ==, HEAD + 2 * (AROUND + 1));
  put(capture, AIO_CAPTURE_RECEIVED, 2000 * ms, "a", 1);
  put(capture, AIO_CAPTURE_RECEIVED, 2200 * ms, "a", 1); /* a write looks at the clock too */
  g_assert_cmpuint(file_size(path), ==, HEAD + 4 * (AROUND + 1));
  guint8 *many = g_malloc0(65536);
  put(capture, AIO_CAPTURE_RECEIVED, 2300 * ms, many, 65536);
  g_assert_cmpuint(file_size(path), ==, HEAD + 5 * AROUND + 4 + 65536);
  finish(capture);
  g_free(many);
  g_free(path);
}

static void test_not_written(void) {
  char *path = new_path("there.capture");
  GError *error = NULL;
  g_assert_true(g_file_set_contents(path, "precious", -1, NULL));
  g_assert_null(aio_capture_new(path, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  g_assert_cmpuint(file_size(path), ==, 8);
  g_assert_null(aio_capture_new("/nowhere/x", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
  g_assert_true(aio_capture_free(NULL, &error));
  g_free(path);
}

/* The disk is full (here: a limit on the size of files), once and for ever. */
static void fill(const char *path) {
  signal(SIGXFSZ, SIG_IGN);
  AioCapture *capture = aio_capture_new(path, NULL);
  guint8 *bytes = g_malloc0(60000);
  guint k = 0;
  GError *error = NULL;
  while (k < 100 && aio_capture_write(capture, AIO_CAPTURE_RECEIVED, k, bytes, 60000, &error))
    k++;
  const bool is_told = error && error->code == AIO_ERROR_IO && strstr(error->message, path);
  g_clear_error(&error);
  const bool again = !aio_capture_write(capture, AIO_CAPTURE_RECEIVED, k, bytes, 1, NULL);
  const bool at_end = !aio_capture_free(capture, NULL);
  g_clear_error(&error);
  g_free(bytes);
  _exit(k < 100 && is_told && again && at_end ? 0 : 1);
}

static void test_full_disk(void) {
  char *path = new_path("full.capture");
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit = {200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    fill(path);
  }
  int status;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  g_assert_cmpint(status, ==, 0);
  AioCaptureReader *reader = new_reader(path);
  AioCaptureRecord record;
  guint count = 0;
  while (aio_capture_reader_next(reader, &record))
    g_assert_cmpint(record.t_ns, ==, count++);
  g_assert_cmpuint(count, >=, 2);
  g_assert_nonnull(strstr(aio_capture_reader_damage(reader), "is cut short"));
  aio_capture_reader_free(reader);
  g_free(path);
}

/* ---- kill -9 ---- */

/* What the killer sees of the writer. */
typedef struct {
  gint64 last_ns, longest_pause_ns; /* of a busy machine: nothing was there to be lost then */
} Written;

/* Writes the time as its own bytes every millisecond, for ever. */
static void write_until_killed(const char *path, Written *written) {
  AioCapture *capture = aio_capture_new(path, NULL);
  for (;;) {
    const gint64 now = g_get_monotonic_time() * 1000;
    if (!aio_capture_write(capture, AIO_CAPTURE_RECEIVED, now, (const guint8 *)&now, sizeof now,
                           NULL))
      _exit(1);
    if (written->last_ns > 0)
      written->longest_pause_ns = MAX(written->longest_pause_ns, now - written->last_ns);
    written->last_ns = now;
    g_usleep(1000);
    aio_capture_tick(capture, g_get_monotonic_time() * 1000);
  }
}

static gint64 last_time(const char *path) {
  AioCaptureReader *reader = new_reader(path);
  AioCaptureRecord record;
  gint64 last = 0;
  while (aio_capture_reader_next(reader, &record)) {
    g_assert_cmpmem(record.bytes, record.n, &record.t_ns, sizeof record.t_ns);
    last = record.t_ns;
  }
  aio_capture_reader_free(reader);
  return last;
}

static void test_killed(void) {
  gint64 worst = 0;
  Written *written =
      mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  g_assert_true(written != MAP_FAILED);
  for (guint k = 0; k < 10; k++) {
    char *path = new_path("killed.capture");
    *written = (Written){0, 0};
    const pid_t child = fork();
    if (child == 0)
      write_until_killed(path, written);
    g_usleep(400000 + 37000 * k);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    const gint64 last = last_time(path);
    g_assert_cmpint(last, >, 0);
    worst = MAX(worst, written->last_ns - written->longest_pause_ns - last);
    g_unlink(path);
    g_free(path);
  }
  munmap(written, sizeof *written);
  g_test_message("lost at most %d ms", (int)(worst / 1000000));
  g_assert_cmpint(worst, <=, 250 * 1000000);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  folder = g_dir_make_tmp("armature-capture-XXXXXX", NULL);
  g_test_add_func("/capture/round-trip", test_round_trip);
  g_test_add_func("/capture/layout", test_layout);
  g_test_add_func("/capture/truncated", test_truncated);
  g_test_add_func("/capture/damaged", test_damaged);
  g_test_add_func("/capture/other-files", test_other_files);
  g_test_add_func("/capture/delay", test_delay);
  g_test_add_func("/capture/not-written", test_not_written);
  g_test_add_func("/capture/full-disk", test_full_disk);
  g_test_add_func("/capture/killed", test_killed);
  const int status = g_test_run();
  const char *const left[] = {"round", "layout", "bytes", "delay", "there", "full"};
  for (gsize k = 0; k < G_N_ELEMENTS(left); k++) {
    char *name = g_strdup_printf("%s.capture", left[k]), *path = new_path(name);
    g_unlink(path);
    g_free(path);
    g_free(name);
  }
  g_rmdir(folder);
  g_free(folder);
  return status;
}
