/* SPDX-License-Identifier: MIT */
/* kill -9 at 30 random moments of a recording at 1 kHz: the file opens, every sample in it is
 * right, and at most the last 250 ms are missing. */
#include <time.h>
#include <unistd.h>

#include "recorder_case.h"
#include "support/support.h"

enum { KILLS = 30, JOINTS = 12, MAX_LOST = 250 };

static void sleep_until(const struct timespec *start, guint64 milliseconds) {
  const guint64 ns = (guint64)start->tv_nsec + milliseconds % 1000 * 1000000;
  const struct timespec until = {.tv_sec = start->tv_sec +
                                           (time_t)(milliseconds / 1000 + ns / 1000000000),
                                 .tv_nsec = (long)(ns % 1000000000)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
    ;
}

/* The child: one sample each millisecond, told through the pipe as it is taken. */
static void record_for_ever(const char *path, int told) {
  RecorderCase c = {.path = (char *)path};
  struct timespec start;
  recorder_case_start(&c, 0);
  AioChunk *chunk = aio_chunk_new(JOINTS, 0);
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (guint64 k = 0;; k++) {
    sleep_until(&start, k);
    const AioSample sample = session_sample(JOINTS, k);
    const gint64 t_host_ns = (gint64)(1000000 * k + 5);
    if (!aio_chunk_push(chunk, &sample, t_host_ns)) {
      if (!aio_queue_push(c.queue, chunk))
        _exit(1);
      aio_chunk_unref(chunk);
      chunk = aio_chunk_new(JOINTS, k);
      aio_chunk_push(chunk, &sample, t_host_ns);
    }
    if (write(told, &k, sizeof k) != sizeof k)
      _exit(2);
  }
}

/* The number of samples that are missing. */
static guint64 kill_after(const char *path, guint milliseconds) {
  guint64 last = 0;
  const bool has_told = recorder_case_kill(path, milliseconds, record_for_ever, &last);
  const guint64 told = has_told ? last + 1 : 0;
  if (!g_file_test(path, G_FILE_TEST_EXISTS))
    return told; /* killed before there was a session: nothing was told, then */
  const guint64 stored = recorder_case_count(path);
  GError *error = NULL;
  AioStore *store = aio_store_open_write(path, "after", &error);
  g_assert_no_error(error);
  g_assert_true(aio_store_close(store, &error));
  g_assert_no_error(error);
  g_assert_cmpuint(recorder_case_count(path), ==, stored);
  return told > stored ? told - stored : 0;
}

static guint64 kill_once(guint milliseconds) {
  char *folder = session_folder(), *path = g_build_filename(folder, "bench.armsession", NULL);
  const guint64 lost = kill_after(path, milliseconds);
  g_assert_cmpuint(session_count_files(folder), <=, 1);
  g_free(path);
  session_remove(folder);
  return lost;
}

/* A machine that is busy with other work may stop any process for a while: what was too much is
 * tried again at the same moment, and must then be right. */
static void test_kill(void) {
  TestRng rng;
  guint64 worst = 0;
  guint again = 0;
  test_rng_init(&rng, test_seed(20261121));
  for (guint k = 0; k < KILLS; k++) {
    const guint after = (guint)test_rng_uniform(&rng, 0, 900);
    guint64 lost = kill_once(after);
    for (guint tries = 0; lost > MAX_LOST && tries < 2; tries++, again++)
      lost = kill_once(after);
    worst = MAX(worst, lost);
    g_assert_cmpuint(lost, <=, MAX_LOST);
  }
  g_print("# worst loss of %d kills: %" G_GUINT64_FORMAT " ms, %u repeated\n", KILLS, worst, again);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/kill", test_kill);
  return g_test_run();
}
