/* SPDX-License-Identifier: MIT */
#include "fault_case.h"

#include <glib/gstdio.h>

#include "io/store/store.h"

#define SWEEP_SPEED 0.2 /* [rad/s], and 1.5 times that */

/* Of half a second: the writer comes every 150 ms, a controller may have to brake first. */
enum { COMMIT_TRIES = 120, STATE_TRIES = 120 };

/* ---- the file ---- */

static bool add_rows(const AioStoreChunk *row, void *data) {
  FileRows *rows = data;
  const AioChunk *chunk = row->chunk;
  if (row->connection != rows->connection) {
    rows->connections++;
    rows->last_us = 0;
  }
  rows->connection = row->connection;
  for (guint k = 0; k < chunk->n; k++) {
    if (rows->n++ == 0)
      rows->first_us = chunk->t_us[k];
    const bool is_marked = chunk->flags[k] & AIO_SAMPLE_UNORDERED;
    rows->unordered += chunk->t_us[k] <= rows->last_us && !is_marked;
    rows->marked += is_marked;
    rows->last_us = chunk->t_us[k];
    rows->last_ns = chunk->t_host_ns[k];
  }
  rows->lost += chunk->lost;
  return true;
}

FileRows fault_rows(const char *path) {
  FileRows rows = {.n = 0};
  GError *error = NULL;
  AioStore *store = aio_store_open_read(path, &error);
  g_assert_no_error(error);
  aio_store_each_chunk(store, 0, add_rows, &rows, &error);
  g_assert_no_error(error);
  aio_store_close(store, NULL);
  g_assert_cmpuint(rows.unordered, ==, 0);
  return rows;
}

FileRows fault_wait_rows(const char *path, guint64 n) {
  FileRows rows = fault_rows(path);
  for (guint k = 0; k < COMMIT_TRIES && rows.n < n; k++) {
    rig_pass(0.5);
    rows = fault_rows(path);
  }
  g_assert_cmpuint(rows.n, >=, n);
  return rows;
}

/* ---- the session ---- */

static void on_chunk(AseDevice *device, gpointer data, FaultCase *c) {
  const AioChunk *chunk = data;
  (void)device;
  c->received += chunk->n;
  if (chunk->n)
    c->newest_us = chunk->t_us[chunk->n - 1];
}

static void use_clock(Bench *bench, double time_factor, guint32 first_t_us,
                      guint32 (*stamp)(guint64 now_us)) {
  GError *error = NULL;
  const AsimOptions options = {.truth = &bench->truth,
                               .seed = 1,
                               .time_factor = time_factor,
                               .line_room = 1 << 20,
                               .first_t_us = first_t_us,
                               .stamp = stamp};
  int fd = -1;
  asim_loop_stop(bench->loop);
  bench->loop = asim_loop_start(asim_controller_new(&options, &error), &fd, &error);
  g_assert_no_error(error);
  g_close(fd, NULL);
}

static AioLink *plug_in(void *ctx, GError **error) {
  const int fd = asim_loop_connect(ctx, error);
  return fd >= 0 ? aio_link_fd_new(fd, "simulator", error) : NULL;
}

void fault_options(AseDeviceOptions *options, guint lease_ms) {
  ase_device_options_default(options);
  options->lockout_s = 0.2;
  options->lease_ms = lease_ms;
}

static bool is_decided(void *data) {
  const AseStepState state = bench_state(data, ASE_STEP_CHECK);
  return state == ASE_STATE_PASSED || state == ASE_STATE_FAILED;
}

static void wait_ready(FaultCase *c) {
  if (!rig_wait(is_decided, &c->bench, 20))
    g_error("not ready: %s; %s", bench_reason(&c->bench, ASE_STEP_CHECK),
            bench_reason(&c->bench, ASE_STEP_CONNECT));
}

static void init(FaultCase *c, double time_factor, guint lease_ms, guint32 first_t_us,
                 guint32 (*stamp)(guint64 now_us)) {
  GError *error = NULL;
  AseDeviceOptions options;
  *c = (FaultCase){.received = 0};
  bench_init(&c->bench, "planar2r", time_factor);
  use_clock(&c->bench, time_factor, first_t_us, stamp);
  bench_plan_one(&c->bench, SWEEP_SPEED);
  g_signal_connect(ase_session_device(c->bench.session), "chunk", G_CALLBACK(on_chunk), c);
  fault_options(&options, lease_ms);
  options.reopen = plug_in;
  options.reopen_ctx = c->bench.loop;
  AioLink *link = plug_in(c->bench.loop, &error);
  if (!link || !ase_session_connect(c->bench.session, link, &options, &error))
    g_error("%s", error->message);
  wait_ready(c);
  bench_reach(&c->bench, ASE_STEP_DRY_RUN);
}

void fault_init(FaultCase *c, double time_factor, guint lease_ms, guint32 first_t_us) {
  init(c, time_factor, lease_ms, first_t_us, NULL);
}

void fault_init_stamped(FaultCase *c, double time_factor, guint lease_ms,
                        guint32 (*stamp)(guint64 now_us)) {
  init(c, time_factor, lease_ms, 0, stamp);
}

/* The session first, then its file once more: closed, it is whole. */
void fault_clear(FaultCase *c) {
  bench_close(&c->bench);
  g_assert_cmpuint(fault_rows(c->bench.path).n, >=, c->received);
  bench_clear(&c->bench);
  if (c->said)
    g_test_message("%s", c->said);
  g_free(c->said);
}

static bool is_sweeping(void *data) {
  FaultCase *c = data;
  return ase_device_state(ase_session_device(c->bench.session))->motion == AIO_MOTION_SWEEP ||
         bench_state(&c->bench, ASE_STEP_SWEEP) != ASE_STATE_RUNNING;
}

void fault_sweep(FaultCase *c) {
  GError *error = NULL;
  ase_session_start(c->bench.session, ASE_STEP_SWEEP, &error);
  g_assert_no_error(error);
  g_assert_true(rig_wait(is_sweeping, c, 20));
  rig_pass(0.15);
  if (bench_state(&c->bench, ASE_STEP_SWEEP) != ASE_STATE_RUNNING)
    g_error("no sweep: %s", bench_reason(&c->bench, ASE_STEP_SWEEP));
}

static void on_planted(const AioReply *reply, void *ctx) {
  (void)reply; /* who restarts or loses its cable cannot answer */
  *(bool *)ctx = true;
}

static bool is_true(void *data) {
  return *(bool *)data;
}

void fault_plant(FaultCase *c, guint kind, guint joint, gint32 value, guint32 duration_ms) {
  bool is_planted = false;
  const AioCommand command = {
      .kind = AIO_COMMAND_TEST,
      .test = {.kind = kind, .joint = joint, .value = value, .duration_ms = duration_ms}};
  ase_device_send(ase_session_device(c->bench.session), &command, on_planted, &is_planted);
  g_assert_true(rig_wait(is_true, &is_planted, 10));
}

typedef struct {
  const FaultCase *c;
  guint64 until_us;
} Later;

static bool is_later(void *data) {
  const Later *later = data;
  return later->c->newest_us >= later->until_us;
}

void fault_wait(FaultCase *c, double device_s) {
  Later later = {c, c->newest_us + (guint64)(1e6 * device_s)};
  g_assert_true(rig_wait(is_later, &later, 20));
}

void fault_expect(FaultCase *c, const char *reason) {
  bench_until(&c->bench, ASE_STEP_SWEEP, 20);
  const guint64 received = c->received;
  g_assert_cmpint(bench_state(&c->bench, ASE_STEP_SWEEP), ==, ASE_STATE_FAILED);
  g_assert_cmpstr(bench_reason(&c->bench, ASE_STEP_SWEEP), ==, reason);
  char *message = g_strdup_printf("; %s", reason);
  g_assert_true(bench_has_message(&c->bench, "1 Sweep: "));
  g_assert_true(bench_has_message(&c->bench, message));
  g_free(message);
  const FileRows now = fault_rows(c->bench.path);
  fault_wait_rows(c->bench.path, received);
  c->said = g_strdup_printf("%s: %" G_GUINT64_FORMAT " rows had come, %" G_GUINT64_FORMAT
                            " were in the file at once, all a moment later",
                            reason, received, now.n);
  g_assert_cmpuint(received, >, 200);
}

typedef struct {
  bool has_come;
  int code;
  AioState state;
} Answer;

static void on_state(const AioReply *reply, void *ctx) {
  *(Answer *)ctx = (Answer){true, reply->code, reply->state};
}

static bool has_come(void *data) {
  return ((Answer *)data)->has_come;
}

static AioState ask_state(FaultCase *c) {
  Answer answer = {.has_come = false};
  ase_device_send(ase_session_device(c->bench.session), &(AioCommand){.kind = AIO_COMMAND_STATE},
                  on_state, &answer);
  g_assert_true(rig_wait(has_come, &answer, 10));
  g_assert_cmpint(answer.code, ==, 0);
  return answer.state;
}

static bool is_state(const AioState *is, AioDeviceState state, bool drives_on, guint32 faults) {
  return is->state == state && is->motion == AIO_MOTION_NONE && is->drives_on == drives_on &&
         is->faults == faults;
}

void fault_expect_state(FaultCase *c, AioDeviceState state, bool drives_on, guint32 faults) {
  wait_ready(c);
  AioState is = ask_state(c);
  for (guint k = 0; k < STATE_TRIES && !is_state(&is, state, drives_on, faults); k++) {
    rig_pass(0.5);
    is = ask_state(c);
  }
  char *words = aio_faults_text(is.faults, 0);
  g_test_message("asked then: %s, drives %s%s%s", aio_device_state_text(is.state),
                 is.drives_on ? "on" : "off", *words ? ", " : "", words);
  g_free(words);
  g_assert_cmpint(is.state, ==, state);
  g_assert_cmpint(is.motion, ==, AIO_MOTION_NONE);
  g_assert_cmpint(is.drives_on, ==, drives_on);
  g_assert_cmphex(is.faults, ==, faults);
  rig_until_disarmed(ase_session_device(c->bench.session));
}

static void sweep_again(Bench *bench) {
  rig_clear_faults(ase_session_device(bench->session));
  rig_until_unlocked(ase_session_device(bench->session));
  if (bench_state(bench, ASE_STEP_CHECK) != ASE_STATE_PASSED)
    bench_do(bench, ASE_STEP_CHECK); /* it had seen the fault */
  bench_arm(bench);
  bench_do(bench, ASE_STEP_SWEEP);
}

/* A machine on which the simulator does not get its time may need another attempt. */
void fault_go_on(Bench *bench) {
  enum { ATTEMPTS = 3 };
  for (guint k = 0; k < ATTEMPTS && bench_state(bench, ASE_STEP_SWEEP) != ASE_STATE_PASSED; k++)
    sweep_again(bench);
  g_assert_cmpint(bench_state(bench, ASE_STEP_SWEEP), ==, ASE_STATE_PASSED);
  const GPtrArray *runs = ase_session_runs(bench->session);
  guint done = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    done += run->is_complete && run->purpose != ASE_PURPOSE_DRY_RUN;
  }
  g_assert_cmpuint(done, ==, FAULT_SWEEPS);
}
