/* SPDX-License-Identifier: MIT */
/* Line 4.3: 12 joints at 1 kHz from the simulator as a program of its own to a session's file:
 * pty, libserialport, driver, acquirer, the session's device in a main loop, recorder, disk.
 *
 *   show_recorder ARMATURE_SIM [SECONDS]     default 600; below 60 only what a busy machine cannot
 *                                            disturb is judged */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gio/gio.h>

#include "../session/folder.h"
#include "../session/rig.h"
#include "io/link_serial.h"
#include "io/recorder.h"
#include "support/pty_shim.h"
#include "support/support.h"

enum {
  JOINTS = 12,
  HZ = 1000,
  PERIOD_US = 1000000 / HZ,
  BAUD = 1000000,
  QUEUE_CHUNKS = 512,
  RECORDER = 1, /* among the device's queues; the display is 0 */
  WARM_UP_S = 10,
  JUDGED_S = 60
};

typedef struct {
  char *path;
  AseDevice *device;
  AioRecorder *recorder;
  AioQueue *queue;
  guint64 shown; /* samples that the main loop saw */
  guint faults, links;
  double growth_MB;
  AioStatistics statistics;
  AioRecorderStatus status;
} Host;

/* What the file says. */
typedef struct {
  guint64 samples, lost, odd, off_grid,
      unaccounted; /* odd: another number of joints, a gap in the count */
  guint64 last_us;
} Stored;

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

/* ---- the main loop ---- */

static void on_chunk(AseDevice *device, gpointer chunk, Host *host) {
  (void)device;
  host->shown += ((const AioChunk *)chunk)->n;
}

static void on_event(AseDevice *device, gpointer data, Host *host) {
  const AioEvent *event = data;
  (void)device;
  host->faults += event->kind == AIO_EVENT_FAULT;
  host->links += event->kind == AIO_EVENT_LINK;
  aio_recorder_add_event(host->recorder, event);
}

typedef struct {
  bool has_come;
  int code;
} Answer;

static void on_reply(const AioReply *reply, void *ctx) {
  *(Answer *)ctx = (Answer){true, reply->code};
  if (reply->code)
    fprintf(stderr, "%s\n", reply->message);
}

static bool has_come(void *data) {
  return ((const Answer *)data)->has_come;
}

static bool run(Host *host, const AioCommand *command) {
  Answer answer = {.has_come = false};
  ase_device_send(host->device, command, on_reply, &answer);
  return rig_wait(has_come, &answer, 10) && answer.code == 0;
}

static bool is_ready(void *device) {
  return ase_device_link(device) == ASE_LINK_READY;
}

static bool is_armed(void *device) {
  return ase_device_is_armed(device);
}

/* Joint 2 sweeps for the whole time, so that a lease is renewed every 100 ms. */
static bool begin(Host *host, GError **error) {
  const AioCommand sweep = {
      .kind = AIO_COMMAND_SWEEP,
      .sweep = {.joint = 2, .q0 = -1, .q1 = 1, .speed = 0.5, .accel = 2, .passes = 255}};
  const AioStoreRun row = {.kind = "sweep", .joint = 2, .hold = 1, .speed = 0.5};
  if (!rig_wait(is_ready, host->device, 10) || !ase_device_arm(host->device, error) ||
      !rig_wait(is_armed, host->device, 10) || !run(host, &sweep))
    return false;
  aio_recorder_begin_run(host->recorder, &row);
  return true;
}

/* The highest after the warm-up counts. */
static void record(Host *host, double seconds) {
  const gint64 start = g_get_monotonic_time();
  double settled = 0, highest = 0, passed = 0;
  while (passed < seconds) {
    rig_pass(fmin(1, seconds - passed));
    passed = 1e-6 * (double)(g_get_monotonic_time() - start);
    const double now = memory_MB();
    if (passed < WARM_UP_S + 1)
      settled = now;
    highest = fmax(highest, now);
  }
  host->growth_MB = highest - settled;
}

static bool finish(Host *host, GError **error) {
  const bool is_over = run(host, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY}) &&
                       run(host, &(AioCommand){.kind = AIO_COMMAND_STOP});
  rig_pass(0.2);
  ase_device_statistics(host->device, &host->statistics);
  aio_recorder_end_run(host->recorder, 1, 0, "done");
  const bool is_flushed = aio_recorder_flush(host->recorder, error);
  aio_recorder_status(host->recorder, &host->status);
  return is_over && is_flushed;
}

/* ---- the figures ---- */

static bool count(const AioStoreChunk *row, void *data) {
  Stored *s = data;
  const AioChunk *chunk = row->chunk;
  guint64 elapsed = 0;
  s->odd += chunk->joints != JOINTS || chunk->first_index != s->samples;
  for (guint k = 0; k < chunk->n; k++) {
    if (s->samples++ > 0) {
      s->off_grid += (chunk->t_us[k] - s->last_us) % PERIOD_US != 0;
      elapsed += (chunk->t_us[k] - s->last_us) / PERIOD_US;
    } else {
      elapsed = 1 + chunk->lost;
    }
    s->last_us = chunk->t_us[k];
  }
  s->lost += chunk->lost;
  s->unaccounted += elapsed != chunk->n + chunk->lost;
  return true;
}

static void judge_file(const Host *h, const Stored *s) {
  const guint64 received = h->statistics.counters.samples;
  show("samples received and not in the file", (double)(received - s->samples), "0",
       received == s->samples);
  show("frames corrupt", (double)h->statistics.counters.frames_bad, "0",
       h->statistics.counters.frames_bad == 0);
  show("stamps off the grid, chunks out of order or with a gap that is not counted",
       (double)(s->off_grid + s->odd + s->unaccounted), "0",
       s->off_grid + s->odd + s->unaccounted == 0);
}

static void judge_losses(const Host *h, const Stored *s, double seconds) {
  const guint64 on_line = MAX(h->statistics.counters.samples_lost, s->lost); /* the same ones */
  const guint64 lost = on_line + h->status.samples_lost;
  show("12 joints at 1 kHz from controller to disk, samples in the file", (double)s->samples,
       "all of the time asked for", (double)s->samples >= 0.95 * HZ * seconds);
  show("samples lost", (double)lost, "0", lost == 0);
  show("chunks dropped by the recorder's queue", (double)h->statistics.queue[RECORDER].dropped, "0",
       h->statistics.queue[RECORDER].dropped == 0);
  show("faults, lost links", h->faults + h->links, "0", h->faults + h->links == 0);
  show("samples that the main loop did not see",
       (double)(h->statistics.counters.samples - h->shown), "0",
       h->statistics.counters.samples == h->shown);
}

static void judge_host(const Host *h, const Stored *s) {
  const double worst_ms = 1e-3 * (double)h->status.worst_commit_us;
  GStatBuf info = {0};
  const bool is_there = g_stat(h->path, &info) == 0;
  const double MB_per_h = 3.6 * (double)info.st_size / (double)s->samples;
  show("memory growth after 10 s [MB]", h->growth_MB, "< 20", h->growth_MB < 20);
  show("worst commit [ms]", worst_ms, "< 250", worst_ms < 250);
  show("deepest queue [chunks of 512]", h->status.deepest_queue, "< 256",
       h->status.deepest_queue < QUEUE_CHUNKS / 2);
  show("file [MB/h]", MB_per_h, "< 850", is_there && MB_per_h < 850);
}

static bool judge(const Host *host, double seconds, GError **error) {
  Stored stored = {.samples = 0};
  AioStore *store = aio_store_open_read(host->path, error);
  const bool is_read = store && aio_store_each_chunk(store, 0, count, &stored, error);
  aio_store_close(store, NULL);
  if (!is_read || !stored.samples)
    return false;
  judge_file(host, &stored);
  if (seconds >= JUDGED_S) {
    judge_losses(host, &stored, seconds);
    judge_host(host, &stored);
  }
  return true;
}

/* ---- the chain ---- */

static bool start_recorder(Host *host, GError **error) {
  const AioRecorderOptions options = {.program = "show 1"};
  AioStore *store = aio_store_create(host->path, options.program, error);
  host->queue =
      store ? aio_queue_new("recorder", QUEUE_CHUNKS, AIO_QUEUE_KEEP_OLDEST, error) : NULL;
  host->recorder = host->queue ? aio_recorder_new(store, host->queue, &options, error) : NULL;
  if (!host->recorder)
    aio_store_close(store, NULL);
  return host->recorder != NULL;
}

static bool start_device(Host *host, const char *port, GError **error) {
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.telemetry_hz = HZ;
  host->device = ase_device_new();
  g_signal_connect(host->device, "chunk", G_CALLBACK(on_chunk), host);
  g_signal_connect(host->device, "event", G_CALLBACK(on_event), host);
  AioLink *link = aio_link_serial_open(port, BAUD, error);
  return ase_device_add_queue(host->device, host->queue) && link &&
         ase_device_open(host->device, link, &options, error);
}

static bool chain(const char *port, double seconds, GError **error) {
  char *folder = folder_new();
  Host host = {.path = g_build_filename(folder, "twelve.armature", NULL)};
  bool ok = start_recorder(&host, error) && start_device(&host, port, error) && begin(&host, error);
  if (ok) {
    record(&host, seconds);
    ok = finish(&host, error);
  }
  g_clear_object(&host.device);
  if (host.recorder)
    ok &= aio_recorder_free(host.recorder, ok ? error : NULL);
  ok = ok && judge(&host, seconds, error);
  g_clear_pointer(&host.queue, aio_queue_unref);
  g_free(host.path);
  folder_free(folder);
  return ok;
}

int main(int argc, char **argv) {
  GError *error = NULL;
  if (argc < 2 || !pty_shim()) { /* keeps the shim linked, as in show_telemetry.c */
    fprintf(stderr, "show_recorder ARMATURE_SIM [SECONDS]\n");
    return 2;
  }
  GSubprocess *sim = g_subprocess_new(G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, argv[1], "--arm",
                                      test_source_path("tests/show/twelve.arm.json"), NULL);
  if (!sim) {
    fprintf(stderr, "%s\n", error->message);
    return 1;
  }
  GDataInputStream *lines = g_data_input_stream_new(g_subprocess_get_stdout_pipe(sim));
  char *port = g_data_input_stream_read_line(lines, NULL, NULL, NULL);
  const bool has_run = port && chain(port, argc > 2 ? g_ascii_strtod(argv[2], NULL) : 600, &error);
  g_subprocess_force_exit(sim);
  g_subprocess_wait(sim, NULL, NULL); /* the signal is sent by another thread */
  g_object_unref(lines);
  g_object_unref(sim);
  g_free(port);
  if (!has_run)
    fprintf(stderr, "%s\n", error ? error->message : "the simulator did not answer");
  return has_run && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
