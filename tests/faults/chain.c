/* SPDX-License-Identifier: MIT */
#include "chain.h"

#include <math.h>

#include "../session/folder.h"
#include "io/base/said.h"
#include "io/link/link_serial.h"
#include "support/pty_shim.h"
#include "support/support.h"

#define ARM "data/robots/planar2r.arm.json"

enum { BAUD = 1000000, SWEPT = 1 /* joint 2 */ };

static const char *program;
static AioLink *(*wrapper)(AioLink *link, Chain *chain);

void chain_begin(const char *armature_sim) {
  g_assert_nonnull(pty_shim()); /* a sanitizer has its own readlink: keeps the shim linked */
  program = armature_sim;
}

/* ---- power and cable ---- */

void chain_power_on(Chain *c) {
  GError *error = NULL;
  char speed[G_ASCII_DTOSTR_BUF_SIZE];
  g_ascii_dtostr(speed, sizeof speed, c->speed);
  const char *const argv[] = {program,        "--arm",     test_source_path(ARM),
                              "--speed",      speed,       "--link",
                              c->port,        "--storage", c->storage,
                              "--time-limit", "300",       c->fault ? "--fault" : NULL,
                              c->fault,       NULL};
  sim_process_stop(&c->sim);
  sim_process_start(&c->sim, argv, &error);
  g_assert_no_error(error);
}

void chain_power_off(Chain *c) {
  sim_process_kill(&c->sim);
}

static AioLink *plug_in(void *ctx, GError **error) {
  Chain *c = ctx;
  AioLink *link = aio_link_serial_open(c->port, BAUD, error);
  return link && wrapper ? wrapper(link, c) : link;
}

/* ---- device and runner ---- */

static void on_event(AseDevice *device, gpointer event, Chain *c) {
  (void)device;
  g_array_append_vals(c->events, event, 1);
}

static void on_chunk(AseDevice *device, gpointer data, Chain *c) {
  const AioChunk *chunk = data;
  (void)device;
  c->samples += chunk->n;
  if (chunk->n > 0)
    c->qd = chunk->qd[(chunk->n - 1) * chunk->joints + SWEPT];
}

static void on_stopped(AseRunner *runner, gboolean is_done, const char *reason, Chain *c) {
  (void)runner;
  c->has_stopped = true;
  c->is_done = is_done;
  g_free(c->reason);
  c->reason = aio_said_text(reason);
}

static void make_runner(Chain *c) {
  GError *error = NULL;
  const ArmModel *model = &c->rig.truth.plant.model;
  c->plan = (ArmPlan){.n = model->n};
  c->plan.joint[SWEPT] = (ArmJointPlan){
      .is_swept = true, .from = -1, .to = 1.5, .n_speeds = 1, .speeds = {1.0}, .n_holds = 1};
  for (gsize j = 0; j < model->n; j++)
    c->plan.joint[SWEPT].holds[0][j] = c->rig.truth.home[j];
  ase_freedom_init(&c->freedom, model);
  ase_itinerary_options_default(&c->options, (guint)model->n);
  c->options.dry_speed_R = c->options.move_speed_R = 1.0;
  c->itinerary =
      ase_itinerary_new(model, &c->plan, &c->freedom, &c->options, c->rig.truth.home, &error);
  g_assert_no_error(error);
  c->runner = ase_runner_new(c->rig.device, model, c->itinerary, NULL);
  g_signal_connect(c->runner, "stopped", G_CALLBACK(on_stopped), c);
}

static void connect_device(Chain *c, AioCapture *capture, guint lease_ms) {
  GError *error = NULL;
  ase_device_options_default(&c->opens);
  c->opens.telemetry_hz = CHAIN_HZ;
  c->opens.lease_ms = lease_ms;
  c->opens.reopen = plug_in;
  c->opens.reopen_ctx = c;
  c->opens.capture = capture;
  c->rig.device = ase_device_new();
  g_signal_connect(c->rig.device, "event", G_CALLBACK(on_event), c);
  g_signal_connect(c->rig.device, "chunk", G_CALLBACK(on_chunk), c);
  AioLink *link = plug_in(c, &error);
  if (!link || !ase_device_open(c->rig.device, link, &c->opens, &error))
    g_error("%s", error->message);
  chain_wait_ready(c);
}

static Chain *make(const char *fault, double speed) {
  GError *error = NULL;
  Chain *c = g_new0(Chain, 1);
  c->events = g_array_new(FALSE, FALSE, sizeof(AioEvent));
  c->fault = fault;
  c->speed = speed;
  asim_truth_load(&c->rig.truth, test_source_path(ARM), 1, &error);
  g_assert_no_error(error);
  return c;
}

static Chain *make_powered(const char *fault, double speed) {
  Chain *c = make(fault, speed);
  c->folder = folder_new();
  c->port = g_build_filename(c->folder, "arm", NULL);
  c->storage = g_build_filename(c->folder, "storage", NULL);
  chain_power_on(c);
  return c;
}

Chain *chain_new_power(void) {
  return make_powered(NULL, 1);
}

Chain *chain_new(const char *fault, double speed, AioCapture *capture,
                 AioLink *(*wrap)(AioLink *link, Chain *chain)) {
  wrapper = wrap;
  Chain *c = make_powered(fault, speed);
  connect_device(c, capture, RIG_LEASE_MS);
  make_runner(c);
  return c;
}

Chain *chain_new_at(const char *port) {
  Chain *c = make(NULL, 1);
  c->port = g_strdup(port);
  connect_device(c, NULL, RIG_SHORT_LEASE_MS);
  make_runner(c);
  return c;
}

void chain_free(Chain *c) {
  g_clear_object(&c->runner);
  ase_itinerary_free(c->itinerary);
  g_clear_object(&c->rig.device);
  sim_process_stop(&c->sim);
  if (c->folder)
    folder_free(c->folder);
  g_array_unref(c->events);
  g_free(c->port);
  g_free(c->storage);
  g_free(c->reason);
  g_free(c);
}

/* ---- waiting ---- */

static bool is_ready(void *data) {
  double q[ARM_MAX_JOINTS];
  AseDevice *device = ((Chain *)data)->rig.device;
  return ase_device_link(device) == ASE_LINK_READY && ase_device_pose(device, q);
}

void chain_wait_ready(Chain *c) {
  if (!rig_wait(is_ready, c, 20))
    g_error("not ready: %s", ase_device_reason(c->rig.device));
}

static bool is_in_mid_sweep(void *data) {
  const Chain *c = data;
  return c->has_stopped ||
         (ase_device_state(c->rig.device)->motion == AIO_MOTION_SWEEP && fabs(c->qd) > 0.9);
}

void chain_sweep(Chain *c) {
  GError *error = NULL;
  rig_arm(&c->rig);
  g_assert_true(ase_runner_start(c->runner, 0, c->itinerary->legs->len, &error));
  g_assert_no_error(error);
  if (!rig_wait(is_in_mid_sweep, c, 20) || c->has_stopped)
    g_error("no sweep: %s", c->reason ? c->reason : "late");
  rig_pass(0.5);
  g_assert_cmpfloat(fabs(c->qd), >, 0.9);
}

static bool has_stopped(void *data) {
  return ((Chain *)data)->has_stopped;
}

void chain_expect_stop(Chain *c, const char *reason) {
  g_assert_true(rig_wait(has_stopped, c, 60));
  g_assert_cmpstr(c->reason, ==, reason);
}

typedef struct {
  AioReply *reply;
} Answer;

static void on_reply(const AioReply *reply, void *ctx) {
  ((Answer *)ctx)->reply = aio_reply_copy(reply);
}

static bool has_reply(void *data) {
  return ((Answer *)data)->reply;
}

AioReply *chain_run(Chain *c, const AioCommand *command) {
  Answer answer = {NULL};
  ase_device_send(c->rig.device, command, on_reply, &answer);
  g_assert_true(rig_wait(has_reply, &answer, 20));
  return answer.reply;
}

const AioEvent *chain_event(const Chain *c, AioEventKind kind) {
  for (guint k = c->events->len; k > 0; k--)
    if (g_array_index(c->events, AioEvent, k - 1).kind == kind)
      return &g_array_index(c->events, AioEvent, k - 1);
  return NULL;
}

enum { STATE_TRIES = 60 }; /* of half a second */

static bool is_state(const AioReply *reply, AioDeviceState state, bool drives_on, guint32 faults) {
  return reply->state.state == state && reply->state.motion == AIO_MOTION_NONE &&
         reply->state.drives_on == drives_on && reply->state.faults == faults;
}

/* Once it has braked, and the drives have answered. */
void chain_expect_state(Chain *c, AioDeviceState state, bool drives_on, guint32 faults) {
  AioReply *reply = chain_run(c, &(AioCommand){.kind = AIO_COMMAND_STATE});
  for (guint k = 0; k < STATE_TRIES && !is_state(reply, state, drives_on, faults); k++) {
    aio_reply_free(reply);
    rig_pass(0.5);
    reply = chain_run(c, &(AioCommand){.kind = AIO_COMMAND_STATE});
  }
  g_assert_cmpint(reply->code, ==, 0);
  g_assert_cmpint(reply->state.state, ==, state);
  g_assert_cmpint(reply->state.motion, ==, AIO_MOTION_NONE);
  g_assert_cmpint(reply->state.drives_on, ==, drives_on);
  g_assert_cmphex(reply->state.faults, ==, faults);
  aio_reply_free(reply);
  rig_until_disarmed(c->rig.device);
}

ChainRows chain_rows(const Chain *c) {
  const GPtrArray *runs = ase_runner_runs(c->runner);
  const AseRun *run = runs->pdata[runs->len - 1];
  ChainRows rows = {.n = 0};
  for (guint k = 0; k < run->chunks->len; k++) {
    const AioChunk *chunk = run->chunks->pdata[k];
    for (guint s = 0; s < chunk->n; s++) {
      if (!ase_run_owns(run, chunk, s))
        continue;
      if (rows.n++ == 0)
        rows.first_us = chunk->t_us[s];
      rows.last_us = chunk->t_us[s];
      rows.last_ns = chunk->t_host_ns[s];
    }
  }
  if (rows.n)
    rows.missing = (rows.last_us - rows.first_us) / CHAIN_PERIOD_US + 1 - rows.n;
  return rows;
}
