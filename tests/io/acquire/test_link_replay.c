/* SPDX-License-Identifier: MIT */
#include <glib/gstdio.h>
#include <math.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "../link/link_rig.h"
#include "io/acquire/capture.h"
#include "io/acquire/link_replay.h"

static char *folder, *path;

typedef struct {
  gint64 t_ns;
  const char *bytes;
} Piece;

/* With 20 ms between the pieces, one bunch at once, and the times of a computer on for 12 days. */
enum { T0 = 1000000000000000, STEP = 20000000, PIECES = 5 };
static const Piece pieces[PIECES] = {{T0 + 0L, "a"},
                                     {T0 + 1L * STEP, "bcd"},
                                     {T0 + 1L * STEP, "efgh"},
                                     {T0 + 2L * STEP, "i"},
                                     {T0 + 4L * STEP, "jklmn"}};

static void write_capture(void) {
  GError *error = NULL;
  g_unlink(path);
  AioCapture *capture = aio_capture_new(path, &error);
  g_assert_no_error(error);
  for (gsize k = 0; k < PIECES; k++) {
    aio_capture_write(capture, AIO_CAPTURE_SENT, pieces[k].t_ns, (const guint8 *)"ask", 3, NULL);
    aio_capture_write(capture, AIO_CAPTURE_RECEIVED, pieces[k].t_ns,
                      (const guint8 *)pieces[k].bytes, strlen(pieces[k].bytes), NULL);
  }
  g_assert_true(aio_capture_free(capture, NULL));
}

static AioLink *open_replay(double speed) {
  GError *error = NULL;
  AioLink *link = aio_link_replay_open(path, speed, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(link->klass->kind, ==, "replay");
  return link;
}

static bool is_readable(AioLink *link, int timeout_ms) {
  struct pollfd wait = {.fd = aio_link_fd(link), .events = POLLIN};
  return poll(&wait, 1, timeout_ms) == 1 && (wait.revents & POLLIN);
}

static void check_piece(AioLink *link, const Piece *expected) {
  guint8 bytes[64];
  gint64 t_ns = 0;
  const gssize n = aio_link_read(link, bytes, sizeof bytes, &t_ns, NULL);
  g_assert_cmpint(n, >, 0);
  g_assert_cmpmem(bytes, (gsize)n, expected->bytes, strlen(expected->bytes));
  g_assert_cmpint(t_ns, ==, expected->t_ns);
}

static void check_ended(AioLink *link, const char *part) {
  for (int k = 0; k < 3; k++) {
    GError *error = NULL;
    guint8 byte;
    gint64 t_ns;
    g_assert_true(is_readable(link, 0));
    g_assert_cmpint(aio_link_read(link, &byte, 1, &t_ns, &error), ==, -1);
    g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
    g_assert_nonnull(strstr(error->message, path));
    g_assert_nonnull(strstr(error->message, part));
    g_clear_error(&error);
  }
}

static void test_at_once(void) {
  write_capture();
  AioLink *link = open_replay(0);
  for (gsize k = 0; k < PIECES; k++) {
    g_assert_true(is_readable(link, 0));
    g_assert_cmpint(aio_link_write(link, (const guint8 *)"ask", 3, NULL), ==, 3);
    check_piece(link, &pieces[k]);
  }
  check_ended(link, "the recording ends");
  g_assert_false(aio_link_can_break(link));
  aio_link_close(link);
}

/* Nothing before it is due: neither a byte nor a readable descriptor. A machine that is busy may be
 * late, so only what was seen before that time counts. */
static void check_waits(AioLink *link, gint64 due_us) {
  guint8 byte;
  gint64 t_ns;
  const bool was_readable = is_readable(link, 0);
  if (g_get_monotonic_time() >= due_us)
    return;
  g_assert_false(was_readable);
  if (due_us - g_get_monotonic_time() > 10000) /* a byte taken in time would be missing below */
    g_assert_cmpint(aio_link_read(link, &byte, 1, &t_ns, NULL), ==, 0);
}

static void check_speed(double speed) {
  const gint64 begin = g_get_monotonic_time();
  AioLink *link = open_replay(speed);
  for (gsize k = 0; k < PIECES; k++) {
    const gint64 due_us = begin + (gint64)((double)(pieces[k].t_ns - T0) / 1000 / speed);
    check_waits(link, due_us);
    g_assert_true(is_readable(link, 2000));
    g_assert_cmpint(g_get_monotonic_time(), >=, due_us);
    check_piece(link, &pieces[k]);
  }
  g_assert_cmpint(g_get_monotonic_time() - begin, <, 2000000);
  check_ended(link, "the recording ends");
  aio_link_close(link);
}

static void test_in_time(void) {
  write_capture();
  check_speed(1);
  check_speed(0.5);
}

/* Less room than a piece has: in several parts of one time, and never a part of the next. */
static void test_small_room(void) {
  write_capture();
  AioLink *link = open_replay(0);
  for (gsize k = 0; k < PIECES; k++) {
    const gsize n = strlen(pieces[k].bytes);
    for (gsize done = 0; done < n;) {
      guint8 bytes[2];
      gint64 t_ns = 0;
      const gssize got = aio_link_read(link, bytes, 2, &t_ns, NULL);
      g_assert_cmpint(got, ==, (gssize)MIN(2, n - done));
      g_assert_cmpmem(bytes, (gsize)got, pieces[k].bytes + done, (gsize)got);
      g_assert_cmpint(t_ns, ==, pieces[k].t_ns);
      done += (gsize)got;
    }
  }
  check_ended(link, "the recording ends");
  aio_link_close(link);
}

static void test_cut_short(void) {
  write_capture();
  GStatBuf found;
  g_assert_cmpint(g_stat(path, &found), ==, 0);
  g_assert_cmpint(truncate(path, found.st_size - 1), ==, 0);
  AioLink *link = open_replay(0);
  for (gsize k = 0; k + 1 < PIECES; k++)
    check_piece(link, &pieces[k]);
  check_ended(link, "is cut short; the 9 records before it are good");
  aio_link_close(link);
}

static void test_empty(void) {
  g_unlink(path);
  g_assert_true(aio_capture_free(aio_capture_new(path, NULL), NULL));
  AioLink *link = open_replay(1);
  check_ended(link, "the recording ends");
  aio_link_close(link);
}

static void test_refused(void) {
  const double speeds[] = {-1, NAN, INFINITY};
  GError *error = NULL;
  for (gsize k = 0; k < G_N_ELEMENTS(speeds); k++) {
    g_assert_null(aio_link_replay_open(path, speeds[k], &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    g_clear_error(&error);
  }
  g_assert_null(aio_link_replay_open("/nowhere/x", 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
}

/* What a link gives, captured, and played again: the same pieces at the same times. */
static void test_same_as_live(void) {
  RigPty pty = rig_pty_new();
  AioLink *live = aio_link_open(pty.path, 115200, NULL);
  g_unlink(path);
  AioCapture *capture = aio_capture_new(path, NULL);
  GArray *times = g_array_new(FALSE, FALSE, sizeof(gint64));
  GPtrArray *seen = g_ptr_array_new_with_free_func((GDestroyNotify)g_bytes_unref);
  guint8 *sent = rig_bytes(5000);
  for (gsize at = 0; at < 5000; at += 50) {
    guint8 bytes[4096];
    gint64 t_ns;
    rig_write_fd(pty.master, sent + at, 50);
    while (!is_readable(live, 100))
      ;
    const gssize n = aio_link_read(live, bytes, sizeof bytes, &t_ns, NULL);
    g_assert_cmpint(n, >, 0);
    aio_capture_write(capture, AIO_CAPTURE_RECEIVED, t_ns, bytes, (gsize)n, NULL);
    g_array_append_val(times, t_ns);
    g_ptr_array_add(seen, g_bytes_new(bytes, (gsize)n));
  }
  g_assert_true(aio_capture_free(capture, NULL));
  AioLink *link = open_replay(0);
  for (guint k = 0; k < seen->len; k++) {
    guint8 bytes[4096];
    gint64 t_ns = 0;
    const gssize n = aio_link_read(link, bytes, sizeof bytes, &t_ns, NULL);
    gsize size;
    const void *expected = g_bytes_get_data(seen->pdata[k], &size);
    g_assert_cmpmem(bytes, (gsize)MAX(n, 0), expected, size);
    g_assert_cmpint(t_ns, ==, g_array_index(times, gint64, k));
  }
  check_ended(link, "the recording ends");
  aio_link_close(link);
  aio_link_close(live);
  g_ptr_array_unref(seen);
  g_array_unref(times);
  g_free(sent);
  rig_pty_clear(&pty);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  folder = g_dir_make_tmp("armature-replay-XXXXXX", NULL);
  path = g_build_filename(folder, "capture", NULL);
  g_test_add_func("/link-replay/at-once", test_at_once);
  g_test_add_func("/link-replay/in-time", test_in_time);
  g_test_add_func("/link-replay/small-room", test_small_room);
  g_test_add_func("/link-replay/cut-short", test_cut_short);
  g_test_add_func("/link-replay/empty", test_empty);
  g_test_add_func("/link-replay/refused", test_refused);
  g_test_add_func("/link-replay/same-as-live", test_same_as_live);
  const int status = g_test_run();
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
  return status;
}
