/* SPDX-License-Identifier: MIT */
/* show_recorder [SECONDS]: 12 joints at 1 kHz in real time, from the queue to the disk. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../io/recorder_case.h"

enum { JOINTS = 12, CHUNK_MS = 20, SETTLED_S = 5 };

static int failures;

static void show(const char *what, double measured, const char *target, bool is_met) {
  failures += !is_met;
  printf("SHOW 4.3 %s measured=%.6g target=%s %s\n", what, measured, target,
         is_met ? "PASS" : "FAIL");
  fflush(stdout);
}

/* Resident memory of this process [MB]. */
static double memory_MB(void) {
  char *text = NULL;
  long pages[2] = {0};
  if (g_file_get_contents("/proc/self/statm", &text, NULL, NULL)) {
    char *end = NULL;
    pages[0] = strtol(text, &end, 10);
    pages[1] = strtol(end, NULL, 10);
  }
  g_free(text);
  return (double)pages[1] * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Returns the growth of memory after the first seconds, at its highest [MB]. */
static double record(RecorderCase *c, guint seconds) {
  const gint64 start = g_get_monotonic_time();
  double settled = 0, highest = 0;
  for (guint k = 1; k <= seconds * (1000 / CHUNK_MS); k++) {
    const gint64 wait = start + (gint64)k * CHUNK_MS * 1000 - g_get_monotonic_time();
    if (wait > 0)
      g_usleep((gulong)wait);
    recorder_case_push(c, JOINTS, 1);
    if (k == SETTLED_S * (1000 / CHUNK_MS))
      settled = memory_MB();
    if (k % 50 == 0)
      highest = MAX(highest, memory_MB());
  }
  return highest - settled;
}

int main(int argc, char **argv) {
  const guint seconds = argc > 1 ? (guint)g_ascii_strtoull(argv[1], NULL, 10) : 600;
  RecorderCase c = {.path = NULL};
  AioRecorderStatus status;
  GStatBuf info = {0};
  recorder_case_set_up(&c, NULL);
  recorder_case_start(&c, 0);
  const double growth = record(&c, MAX(seconds, SETTLED_S + 1));
  const bool is_flushed = aio_recorder_flush(c.recorder, NULL);
  aio_recorder_status(c.recorder, &status);
  recorder_case_stop(&c);
  const guint64 stored = recorder_case_count(c.path);
  show("12 joints at 1 kHz, seconds recorded", (double)c.next / 1000, "all", is_flushed);
  show("samples lost or wrong in the file", (double)(c.next - stored), "0", c.next == stored);
  show("memory growth [MB]", growth, "< 20", growth < 20);
  show("worst commit [ms]", (double)status.worst_commit_us / 1000, "< 250",
       status.worst_commit_us < 250000);
  show("deepest queue [chunks of 512]", status.deepest_queue, "< 256", status.deepest_queue < 256);
  if (g_stat(c.path, &info) == 0)
    show("file [MB/h]", (double)info.st_size / (double)c.next * 3.6, "< 850",
         (double)info.st_size / (double)c.next * 3.6 < 850);
  recorder_case_tear_down(&c, NULL);
  return failures > 0;
}
