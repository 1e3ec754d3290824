/* SPDX-License-Identifier: MIT */
/* What was captured gives the same samples again: of a simulated arm over a line with bit errors,
 * each as it was then, with its losses and its time on the host. */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "io/acquire/acquire.h"
#include "io/acquire/capture_samples.h"
#include "io/driver/native/driver_native.h"
#include "sim/loop.h"

enum { PATIENCE_MS = 20000, TEST_BIT_ERRORS = 1, TEST_REBOOT = 9 };

typedef struct {
  char *folder, *path;
  AsimLoop *loop;
  AioAcquirer *acquirer;
  AioQueue *queue;
} Bench;

static AsimLoop *start_arm(double factor, int *fd) {
  GError *error = NULL;
  AsimLoop *loop = asim_loop_start(host_controller(factor), fd, &error);
  g_assert_no_error(error);
  return loop;
}

static Bench *bench_new(double factor) {
  Bench *bench = g_new0(Bench, 1);
  GError *error = NULL;
  int fd;
  bench->folder = g_dir_make_tmp("armature-capture-XXXXXX", &error);
  g_assert_no_error(error);
  bench->path = g_build_filename(bench->folder, "line.capture", NULL);
  bench->loop = start_arm(factor, &fd);
  bench->queue = aio_queue_new("recorder", 10000, AIO_QUEUE_KEEP_OLDEST, &error);
  g_assert_no_error(error);
  const AioAcquirerOptions options = {.driver = &aio_driver_native,
                                      .capture = aio_capture_new(bench->path, &error)};
  g_assert_no_error(error);
  AioLink *link = aio_link_fd_new(fd, "simulated arm", &error);
  g_assert_no_error(error);
  bench->acquirer = aio_acquirer_new(&options, link, &error);
  g_assert_no_error(error);
  g_assert_true(aio_acquirer_subscribe(bench->acquirer, bench->queue));
  return bench;
}

static void bench_free(Bench *bench) {
  asim_loop_stop(bench->loop);
  aio_queue_unref(bench->queue);
  g_unlink(bench->path);
  g_rmdir(bench->folder);
  g_free(bench->path);
  g_free(bench->folder);
  g_free(bench);
}

static int ask(Bench *bench, const AioCommand *command) {
  AioReply *reply = NULL;
  aio_acquirer_keep_alive(bench->acquirer);
  const guint64 ticket = aio_acquirer_send(bench->acquirer, command, NULL, NULL);
  g_assert_true(aio_acquirer_wait(bench->acquirer, ticket, PATIENCE_MS, &reply));
  const int code = reply->code;
  aio_reply_free(reply);
  return code;
}

/* Over a bad line, or while the controller restarts, again. */
static void connect_arm(Bench *bench) {
  while (ask(bench, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE}) != 0 ||
         ask(bench, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY, .telemetry = {1000, 5}}) != 0)
    ;
}

static void plant(Bench *bench, guint kind, gint32 value) {
  const AioCommand test = {.kind = AIO_COMMAND_TEST, .test = {.kind = kind, .value = value}};
  (void)ask(bench, &test); /* the answer may be its first victim */
}

/* ---- one sample after the other ---- */

typedef struct {
  AioChunk *chunk; /* NULL: the end */
  guint at;
} Row;

static Row take_row(Bench *bench, Row row) {
  if (row.chunk && ++row.at < row.chunk->n)
    return row;
  aio_chunk_unref(row.chunk);
  return (Row){aio_queue_pop(bench->queue), 0};
}

static void assert_values(const double *then, const double *now, gsize n) {
  g_assert_cmpmem(then, n * sizeof *then, now, n * sizeof *now);
}

static void assert_same(Row then, const AioChunk *now, guint k) {
  const AioChunk *chunk = then.chunk;
  const gsize n = now->joints;
  g_assert_nonnull(chunk);
  g_assert_cmpuint(chunk->joints, ==, n);
  g_assert_cmpuint(chunk->t_us[then.at], ==, now->t_us[k]);
  g_assert_cmpint(chunk->t_host_ns[then.at], ==, now->t_host_ns[k]);
  g_assert_cmpuint(chunk->flags[then.at], ==, now->flags[k]);
  g_assert_cmpuint(chunk->motion[then.at], ==, now->motion[k]);
  g_assert_cmpuint(chunk->joint[then.at], ==, now->joint[k]);
  assert_values(chunk->q + then.at * n, now->q + k * n, n);
  assert_values(chunk->qd + then.at * n, now->qd + k * n, n);
  assert_values(chunk->current + then.at * n, now->current + k * n, n);
  g_assert_cmpmem(chunk->joint_flags + then.at * n, n * sizeof(guint16), now->joint_flags + k * n,
                  n * sizeof(guint16));
}

/* ---- the same without keeping it ---- */

typedef struct {
  const AioCaptureSamples *kept;
  guint chunks, enough;
  bool is_cut; /* played to somewhere within: its last chunk may lack samples */
} Played;

static bool take_chunk(const AioDescription *description, AioChunk *chunk, void *data) {
  Played *played = data;
  const AioChunk *kept = g_ptr_array_index(played->kept->chunks, played->chunks);
  g_assert_cmpuint(description->joints, ==, chunk->joints);
  g_assert_true(kept->n == chunk->n || (played->is_cut && kept->n > chunk->n));
  g_assert_cmpmem(kept->t_us, chunk->n * sizeof *kept->t_us, chunk->t_us,
                  chunk->n * sizeof *chunk->t_us);
  assert_values(kept->q, chunk->q, (gsize)chunk->n * chunk->joints);
  return ++played->chunks < played->enough;
}

static void check_played(const char *path, const AioCaptureSamples *kept) {
  const guint64 all = kept->records;
  for (guint k = 0; k < 3; k++) {
    Played played = {.kept = kept, .enough = k == 1 ? kept->chunks->len / 2 : G_MAXUINT};
    AioCaptureSamples *samples =
        aio_capture_samples_play(path, k == 2 ? all + 7 : all, take_chunk, &played, NULL);
    g_assert_nonnull(samples);
    g_assert_cmpuint(samples->chunks->len, ==, 0);
    g_assert_cmpuint(played.chunks, ==, k == 1 ? kept->chunks->len / 2 : kept->chunks->len);
    g_assert_true(k == 1 ? samples->records < all : samples->records == all);
    aio_capture_samples_free(samples);
  }
  Played played = {.kept = kept, .enough = G_MAXUINT, .is_cut = true};
  aio_capture_samples_free(aio_capture_samples_play(path, all / 2, take_chunk, &played, NULL));
  g_assert_cmpuint(played.chunks, <, kept->chunks->len);
}

/* Ends the connection; all that was in the queue must come again. Returns the samples lost. */
static guint64 check_replay(Bench *bench) {
  GError *error = NULL;
  guint64 samples = 0;
  g_clear_pointer(&bench->acquirer, aio_acquirer_free);
  AioCaptureSamples *replayed = aio_capture_samples_load(bench->path, &error);
  g_assert_no_error(error);
  g_assert_null(replayed->damage);
  Row row = take_row(bench, (Row){NULL, 0});
  for (guint c = 0; c < replayed->chunks->len; c++) {
    const AioChunk *chunk = g_ptr_array_index(replayed->chunks, c);
    for (guint k = 0; k < chunk->n; k++, samples++, row = take_row(bench, row))
      assert_same(row, chunk, k);
  }
  g_assert_null(row.chunk);
  const guint64 lost = replayed->counters.samples_lost;
  g_test_message("%" G_GUINT64_FORMAT " samples, %" G_GUINT64_FORMAT " lost", samples, lost);
  g_assert_cmpuint(samples, >, 500);
  g_assert_cmpuint(replayed->counters.samples, ==, samples);
  check_played(bench->path, replayed);
  aio_capture_samples_free(replayed);
  return lost;
}

/* ---- tests ---- */

static void test_bit_errors(gconstpointer factor) {
  Bench *bench = bench_new(GPOINTER_TO_INT(factor));
  connect_arm(bench);
  plant(bench, TEST_BIT_ERRORS, 1000);
  g_usleep(1000000);
  g_assert_cmpuint(check_replay(bench), >, 5);
  bench_free(bench);
}

/* Asked again who it is while telemetry is on its way: nothing of that is lost. */
static void test_described_again(void) {
  Bench *bench = bench_new(1);
  for (guint k = 0; k < 20; k++) {
    connect_arm(bench);
    g_usleep(50000);
  }
  g_assert_cmpuint(check_replay(bench), ==, 0);
  bench_free(bench);
}

static void test_reboot(void) {
  Bench *bench = bench_new(1);
  connect_arm(bench);
  g_usleep(400000);
  plant(bench, TEST_REBOOT, 4);
  g_usleep(100000);
  connect_arm(bench);
  g_usleep(400000);
  check_replay(bench);
  bench_free(bench);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/sim/capture/bit-errors/real-time", GINT_TO_POINTER(1), test_bit_errors);
  g_test_add_data_func("/sim/capture/bit-errors/compressed", GINT_TO_POINTER(10), test_bit_errors);
  g_test_add_func("/sim/capture/described-again", test_described_again);
  g_test_add_func("/sim/capture/reboot", test_reboot);
  return g_test_run();
}
