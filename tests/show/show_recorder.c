/* SPDX-License-Identifier: MIT */
/* Line 4.3: a session sweeps for 10 minutes and records 12 joints at 1 kHz, from the simulator as a
 * program of its own to its file: pty, libserialport, driver, acquirer, device, runner, runs,
 * recorder, disk. Then it fits what it has recorded.
 *
 *   show_recorder ARMATURE_SIM [SECONDS]     default 600; below 60 only what a busy machine cannot
 *                                            disturb is judged */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../session/folder.h"
#include "../session/rig.h"
#include "io/base/said.h"
#include "io/link/link_serial.h"
#include "session/session.h"
#include "support/pty_shim.h"
#include "support/sim_process.h"
#include "support/support.h"

#define STROKE  2.0 /* of joint 2 [rad] */
#define SWEEP_S 8.0 /* or a little longer, if there would be more than a plan can hold */

enum {
  JOINTS = 12,
  HZ = 1000,
  PERIOD_US = 1000000 / HZ,
  BAUD = 1000000,
  RECORDER = 1,       /* among the device's queues; the display is 0 */
  QUEUE_CHUNKS = 512, /* half of which must not be reached; the session's holds more */
  WARM_UP_S = 10,
  JUDGED_S = 60
};

typedef struct {
  char *path;
  AseSession *session;
  guint64 shown; /* samples that the main loop saw */
  guint faults, links;
  double growth_MB;
  AioStatistics statistics;
  AioRecorderStatus status;
} Host;

/* What the file says. */
typedef struct {
  guint64 samples, lost, odd, off_grid,
      unaccounted;      /* odd: another number of joints, a gap in the count */
  guint64 idle, marked; /* left out, the arm being at rest; what the marks tell of it */
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

static void on_reply(const AioReply *reply, void *ctx) {
  (void)ctx;
  if (reply->code)
    fprintf(stderr, "%s\n", aio_said_shown(reply->message));
}

static void on_chunk(AseDevice *device, gpointer chunk, Host *host) {
  (void)device;
  host->shown += ((const AioChunk *)chunk)->n;
}

static void on_event(AseDevice *device, gpointer data, Host *host) {
  const AioEvent *event = data;
  (void)device;
  host->faults += event->kind == AIO_EVENT_FAULT;
  host->links += event->kind == AIO_EVENT_LINK;
}

static void on_message(AseSession *session, int level, const char *text) {
  (void)session;
  if (level > 0)
    fprintf(stderr, "%s\n", text);
}

/* ---- the procedure ---- */

static bool is_checked(void *session) {
  return ase_procedure_state(ase_session_procedure(session), ASE_STEP_CHECK) == ASE_STATE_PASSED;
}

static bool is_armed(void *session) {
  return ase_device_is_armed(ase_session_device(session));
}

/* Joint 2 sweeps in as many poses and at as many speeds as the time asks for, nothing else. */
static void plan(Host *host, double seconds) {
  AseEdits *edits = g_memdup2(ase_session_edits(host->session), sizeof *edits);
  const guint sweeps = (guint)CLAMP(ceil(seconds / SWEEP_S), 1.0, 72.0);
  const double speed = fmin(2.0 * STROKE * sweeps / seconds, 1.0);
  ArmJointPlan *joint = &edits->plan.joint[1];
  edits->has_plan = true;
  edits->plan.n = JOINTS;
  *joint =
      (ArmJointPlan){.is_swept = true, .from = -0.5 * STROKE, .to = 0.5 * STROKE, .positions = 100};
  joint->n_holds = MIN(sweeps, ARM_PLAN_MAX_HOLDS);
  joint->n_speeds = (sweeps + joint->n_holds - 1) / joint->n_holds;
  for (guint k = 0; k < joint->n_speeds; k++)
    joint->speeds[k] = speed + 0.001 * k; /* each sweep is another one */
  for (guint k = 0; k < joint->n_holds; k++)
    joint->holds[k][JOINTS - 1] = 0.1 * k;
  edits->itinerary.validation_holds = 0;
  edits->itinerary.repeats_first = false;
  edits->itinerary.dry_speed_R = edits->itinerary.move_speed_R = 1.0;
  ase_session_set_edits(host->session, edits, "plan");
  g_free(edits);
}

/* From the warm-up on the highest resident memory counts. */
static bool do_step(Host *host, AseStep step, GError **error) {
  if (!ase_session_start(host->session, step, error))
    return false;
  const AseProcedure *procedure = ase_session_procedure(host->session);
  const gint64 start = g_get_monotonic_time();
  double settled = 0, highest = 0;
  while (ase_procedure_state(procedure, step) == ASE_STATE_RUNNING) {
    rig_pass(0.25);
    const double now = memory_MB();
    if (g_get_monotonic_time() - start < WARM_UP_S * G_USEC_PER_SEC)
      settled = now;
    highest = fmax(highest, now);
  }
  host->growth_MB = highest - settled;
  if (ase_state_is_done(ase_procedure_state(procedure, step)))
    return true;
  g_set_error(error, AIO_ERROR, AIO_ERROR_DEVICE, "%s: %s",
              ase_steps_title(ase_session_steps(), step), ase_step_reason(&procedure->steps[step]));
  return false;
}

static bool is_still(void *session) {
  return !ase_device_moving_joint(ase_session_device(session));
}

static bool record(Host *host, double seconds, GError **error) {
  plan(host, seconds);
  if (!rig_wait(is_checked, host->session, 10) || !do_step(host, ASE_STEP_PLAN, error) ||
      !rig_wait(is_still, host->session, 30) ||
      !ase_device_arm(ase_session_device(host->session), error) ||
      !rig_wait(is_armed, host->session, 10) || !do_step(host, ASE_STEP_DRY_RUN, error) ||
      !do_step(host, ASE_STEP_SWEEP, error))
    return false;
  const double growth_MB = host->growth_MB;
  const bool has_fitted = do_step(host, ASE_STEP_FIT, error);
  host->growth_MB = growth_MB;
  return has_fitted;
}

static void finish(Host *host) {
  AseDevice *device = ase_session_device(host->session);
  ase_device_send(device, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY}, on_reply, NULL);
  rig_pass(1);
  ase_device_statistics(device, &host->statistics);
  ase_session_recording(host->session, &host->status);
}

/* ---- the figures ---- */

static bool count(const AioStoreChunk *row, void *data) {
  Stored *s = data;
  const AioChunk *chunk = row->chunk;
  guint64 elapsed = 0;
  const guint64 index = s->samples + s->idle;
  const bool has_rested = chunk->first_index > index;
  s->odd += chunk->joints != JOINTS || chunk->first_index < index;
  s->idle += has_rested ? chunk->first_index - index : 0;
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
  s->unaccounted += !has_rested && elapsed != chunk->n + chunk->lost;
  return true;
}

static bool count_mark(const AioStoreEvent *row, void *data) {
  Stored *s = data;
  s->marked += g_str_equal(row->kind, "idle") ? (guint64)row->value : 0;
  return true;
}

static void judge_file(const Host *h, const Stored *s) {
  const guint64 received = h->statistics.counters.samples;
  show("samples received, neither in the file nor marked as idle there",
       (double)(received - s->samples - s->marked), "0", received == s->samples + s->marked);
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
  show("deepest queue [chunks]", h->status.deepest_queue, "< 256",
       h->status.deepest_queue < QUEUE_CHUNKS / 2);
  show("file [MB/h]", MB_per_h, "< 850", is_there && MB_per_h < 850);
}

static bool judge(const Host *host, double seconds, GError **error) {
  Stored stored = {.samples = 0};
  AioStore *store = aio_store_open_read(host->path, error);
  const bool is_read = store && aio_store_each_chunk(store, 0, count, &stored, error) &&
                       aio_store_each_event(store, count_mark, &stored, error);
  stored.odd += stored.idle != stored.marked;
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

static bool start(Host *host, const char *port, GError **error) {
  AseDeviceOptions options;
  char *arm = NULL;
  if (!g_file_get_contents(test_source_path("tests/show/twelve.arm.json"), &arm, NULL, error))
    return false;
  host->session = ase_session_create(host->path, "show 1", "twelve", arm, error);
  g_free(arm);
  AioLink *link = host->session ? aio_link_serial_open(port, BAUD, error) : NULL;
  if (!link)
    return false;
  ase_device_options_default(&options);
  options.telemetry_hz = HZ;
  g_signal_connect(host->session, "message", G_CALLBACK(on_message), NULL);
  g_signal_connect(ase_session_device(host->session), "chunk", G_CALLBACK(on_chunk), host);
  g_signal_connect(ase_session_device(host->session), "event", G_CALLBACK(on_event), host);
  return ase_session_connect(host->session, link, &options, error);
}

static bool chain(const char *port, double seconds, GError **error) {
  char *folder = folder_new();
  Host host = {.path = g_build_filename(folder, "twelve.armsession", NULL)};
  bool ok = start(&host, port, error) && record(&host, seconds, error);
  if (ok) {
    finish(&host);
    ok = ase_session_close(host.session, error);
  }
  g_clear_object(&host.session);
  ok = ok && judge(&host, seconds, error);
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
  SimProcess sim;
  const char *const arm = test_source_path("tests/show/twelve.arm.json");
  const double seconds = argc > 2 ? g_ascii_strtod(argv[2], NULL) : 600;
  const bool has_run =
      sim_process_start(&sim, (const char *[]){argv[1], "--arm", arm, NULL}, &error) &&
      chain(sim.port, seconds, &error);
  sim_process_stop(&sim);
  if (!has_run)
    fprintf(stderr, "%s\n", error ? error->message : "the simulator did not answer");
  return has_run && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
