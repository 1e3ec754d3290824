/* SPDX-License-Identifier: MIT */
/* Line 3.3: telemetry of 12 joints at 1 kHz from the simulator as a program of its own, through a
 * pty, libserialport and the acquirer, to a recorder that may lose nothing and a display.
 *
 *   show_telemetry ARMATURE_SIM [SECONDS]     default 600; below 60 only what a busy machine cannot
 *                                             disturb is judged */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "io/acquire/acquire.h"
#include "io/base/said.h"
#include "io/driver/native/driver_native.h"
#include "io/link/link_serial.h"
#include "support/pty_shim.h"
#include "support/sim_process.h"
#include "support/support.h"

enum {
  JOINTS = 12,
  HZ = 1000,
  PERIOD_US = 1000000 / HZ,
  BEAT_MS = 50,
  PATIENCE_MS = 10000,
  NS_PER_MS = 1000000,
  JUDGED_S = 60
};

/* What the recorder saw; its thread's own until it has ended. */
typedef struct {
  AioQueue *queue;
  guint64 samples, lost, off_grid, odd; /* odd: another number of joints, a gap in the count */
  guint64 first_us, last_us;
  gint64 first_ns, last_ns; /* on the host's clock */
} Record;

typedef struct {
  AioAcquirer *acquirer;
  AioQueue *display;
  guint64 shown;
  guint faults, links; /* events of either kind */
} Host;

static int failures;

static void show(const char *what, double measured, const char *target, bool is_met) {
  failures += !is_met;
  printf("SHOW 3.3 %s measured=%.6g target=%s %s\n", what, measured, target,
         is_met ? "PASS" : "FAIL");
  fflush(stdout);
}

/* ---- the two consumers ---- */

static void record_chunk(Record *record, const AioChunk *chunk) {
  record->lost += chunk->lost;
  record->odd += chunk->joints != JOINTS || chunk->first_index != record->samples;
  for (guint k = 0; k < chunk->n; k++) {
    if (record->samples++ == 0) {
      record->first_us = chunk->t_us[k];
      record->first_ns = chunk->t_host_ns[k];
    } else {
      record->off_grid += chunk->t_us[k] != record->last_us + PERIOD_US;
    }
    record->last_us = chunk->t_us[k];
    record->last_ns = chunk->t_host_ns[k];
  }
}

static gpointer run_recorder(gpointer data) {
  Record *record = data;
  while (!aio_queue_is_finished(record->queue)) {
    aio_queue_wait(record->queue, -1);
    for (AioChunk *chunk; (chunk = aio_queue_pop(record->queue)); aio_chunk_unref(chunk))
      record_chunk(record, chunk);
  }
  return NULL;
}

/* One beat of a main loop. */
static void beat(Host *host, guint ms) {
  aio_acquirer_keep_alive(host->acquirer);
  aio_acquirer_dispatch(host->acquirer);
  for (AioChunk *chunk; (chunk = aio_queue_pop(host->display)); aio_chunk_unref(chunk))
    host->shown += chunk->n;
  g_usleep(1000 * ms);
}

static void on_event(const AioEvent *event, void *ctx) {
  Host *host = ctx;
  host->faults += event->kind == AIO_EVENT_FAULT;
  host->links += event->kind == AIO_EVENT_LINK;
}

/* ---- commands ---- */

static bool run(Host *host, const AioCommand *command) {
  const guint64 ticket = aio_acquirer_send(host->acquirer, command, NULL, NULL);
  AioReply *reply = NULL;
  for (guint ms = 0; ms < PATIENCE_MS && !reply; ms += 5) {
    beat(host, 5);
    aio_acquirer_wait(host->acquirer, ticket, 0, &reply);
  }
  const bool is_done = reply && reply->code == 0;
  if (!is_done)
    fprintf(stderr, "command %d: %s\n", command->kind,
            reply ? aio_said_shown(reply->message) : "no answer");
  aio_reply_free(reply);
  return is_done;
}

/* Joint 2 sweeps for the whole time, so that a lease is renewed every 100 ms. */
static bool begin(Host *host) {
  const AioCommand sweep = {
      .kind = AIO_COMMAND_SWEEP,
      .sweep = {.joint = 2, .q0 = -1, .q1 = 1, .speed = 0.5, .accel = 2, .passes = 255}};
  return run(host, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE}) &&
         run(host, &(AioCommand){.kind = AIO_COMMAND_ARM, .ttl_ms = 300}) && run(host, &sweep) &&
         run(host, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY, .telemetry = {HZ, 1}});
}

/* ---- the figures ---- */

static void judge_samples(const Record *r, const AioStatistics *s, double seconds) {
  const double counted = (double)(r->last_us - r->first_us) / PERIOD_US + 1;
  show("12 joints at 1 kHz through a pty, samples", (double)r->samples, "all of the time asked for",
       (r->samples >= 0.95 * HZ * seconds || seconds < JUDGED_S) &&
           fabs(counted - (double)r->samples) < 0.5);
  show("samples lost by sequence gap", (double)(s->counters.samples_lost + r->lost), "0",
       s->counters.samples_lost + r->lost == 0);
  show("frames corrupt", (double)s->counters.frames_bad, "0", s->counters.frames_bad == 0);
  show("stamps not 1000 us after the one before", (double)r->off_grid, "0", r->off_grid == 0);
  show("chunks out of order or dropped by the recorder's queue",
       (double)(r->odd + s->queue[0].dropped), "0", r->odd + s->queue[0].dropped == 0);
}

static void judge_host(const Record *r, const Host *h, const AioStatistics *s, double cpu_s) {
  const double wall_s = 1e-9 * (double)(r->last_ns - r->first_ns);
  const double device_s = 1e-6 * (double)(r->last_us - r->first_us);
  show("device time over wall time", device_s / wall_s, "0.99..1.01",
       fabs(device_s / wall_s - 1) <= 0.01);
  show("reader's longest absence [ms]", 1e-6 * (double)s->reader_worst_ns, "< 250",
       s->reader_worst_ns < 250 * NS_PER_MS);
  show("round trip, half of them [ms]", 1e-6 * (double)s->round_trip_p50_ns, "0..10",
       s->round_trip_p50_ns > 0 && s->round_trip_p50_ns < 10 * NS_PER_MS);
  show("round trip, 99 % [ms]", 1e-6 * (double)s->round_trip_p99_ns, "< 50",
       s->round_trip_p99_ns < 50 * NS_PER_MS);
  show("skew of the clocks [ppm]", s->clock_skew_ppm, "-100..100", fabs(s->clock_skew_ppm) <= 100);
  show("this process, percent of a processor", 100 * cpu_s / wall_s, "< 25", cpu_s / wall_s < 0.25);
  show("faults, lost links, samples the display did not see",
       h->faults + h->links + (double)r->samples - (double)h->shown, "0",
       h->faults + h->links == 0 && r->samples == h->shown);
}

static double cpu_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

static bool measure(Host *host, Record *record, double seconds) {
  AioStatistics statistics;
  GThread *recorder = g_thread_new("recorder", run_recorder, record);
  const bool has_begun = begin(host);
  const double cpu_start = cpu_seconds();
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * seconds);
  while (has_begun && g_get_monotonic_time() < end)
    beat(host, BEAT_MS);
  const double cpu_s = cpu_seconds() - cpu_start;
  const bool is_over = has_begun && run(host, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY}) &&
                       run(host, &(AioCommand){.kind = AIO_COMMAND_STOP});
  aio_acquirer_statistics(host->acquirer, &statistics);
  aio_acquirer_free(host->acquirer); /* closes the queues */
  for (AioChunk *chunk; (chunk = aio_queue_pop(host->display)); aio_chunk_unref(chunk))
    host->shown += chunk->n;
  g_thread_join(recorder);
  if (is_over && record->samples) {
    judge_samples(record, &statistics, seconds);
    if (seconds >= JUDGED_S)
      judge_host(record, host, &statistics, cpu_s);
  }
  return is_over && record->samples;
}

static bool stream(const char *port, double seconds, GError **error) {
  Host host = {.faults = 0};
  Record record = {.queue = aio_queue_new("recorder", 512, AIO_QUEUE_KEEP_OLDEST, error)};
  const AioAcquirerOptions options = {
      .driver = &aio_driver_native, .on_event = on_event, .event_ctx = &host};
  host.display = aio_queue_new("display", 512, AIO_QUEUE_KEEP_NEWEST, error);
  AioLink *link = aio_link_serial_open(port, 1000000, error);
  host.acquirer = link ? aio_acquirer_new(&options, link, error) : NULL;
  const bool has_run = host.acquirer && aio_acquirer_subscribe(host.acquirer, record.queue) &&
                       aio_acquirer_subscribe(host.acquirer, host.display) &&
                       measure(&host, &record, seconds);
  aio_queue_unref(host.display);
  aio_queue_unref(record.queue);
  return has_run;
}

int main(int argc, char **argv) {
  GError *error = NULL;
  if (argc < 2 || !pty_shim()) { /* keeps the shim linked where a sanitizer has its own readlink */
    fprintf(stderr, "show_telemetry ARMATURE_SIM [SECONDS]\n");
    return 2;
  }
  SimProcess sim;
  const char *const arm = test_source_path("tests/show/twelve.arm.json");
  const double seconds = argc > 2 ? g_ascii_strtod(argv[2], NULL) : 600;
  const bool has_run =
      sim_process_start(&sim, (const char *[]){argv[1], "--arm", arm, NULL}, &error) &&
      stream(sim.port, seconds, &error);
  sim_process_stop(&sim);
  if (!has_run)
    fprintf(stderr, "%s\n", error ? error->message : "the simulator did not answer");
  return has_run && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
