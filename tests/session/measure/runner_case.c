/* SPDX-License-Identifier: MIT */
#include "runner_case.h"
#include "io/base/said.h"

#include <string.h>

static void on_started(AseRunner *runner, guint leg, gpointer run, Case *c) {
  (void)runner, (void)leg, (void)run;
  c->started++;
}

static void on_ended(AseRunner *runner, guint leg, gpointer run, Case *c) {
  (void)runner, (void)leg, (void)run;
  c->ended++;
}

/* Nothing waits for a leg any more that has ended. */
static void on_stopped(AseRunner *runner, gboolean is_done, const char *reason, Case *c) {
  g_assert_null(g_main_context_find_source_by_user_data(NULL, runner));
  c->has_stopped = true;
  c->is_done = is_done;
  g_free(c->reason);
  c->reason = aio_said_text(reason);
}

void runner_case_renew(Case *c) {
  if (c->runner)
    g_assert_finalize_object(c->runner);
  c->runner = ase_runner_new(c->rig.device, &c->rig.truth.plant.model, c->itinerary, c->log);
  g_signal_connect(c->runner, "leg-started", G_CALLBACK(on_started), c);
  g_signal_connect(c->runner, "leg-ended", G_CALLBACK(on_ended), c);
  g_signal_connect(c->runner, "stopped", G_CALLBACK(on_stopped), c);
}

/* One short sweep of joint 2 of the planar arm, where it stands. */
Case *runner_case_new(double time_factor) {
  Case *c = g_new0(Case, 1);
  rig_init(&c->rig, "planar2r", time_factor, RIG_LEASE_MS);
  const ArmModel *model = &c->rig.truth.plant.model;
  c->plan = (ArmPlan){.n = model->n};
  c->plan.joint[1] = (ArmJointPlan){
      .is_swept = true, .from = -0.5, .to = 0.5, .n_speeds = 2, .speeds = {0.3, 0.6}, .n_holds = 1};
  memcpy(c->plan.joint[1].holds[0], c->rig.truth.home, model->n * sizeof(double));
  ase_freedom_init(&c->freedom, model);
  ase_itinerary_options_default(&c->options, (guint)model->n);
  c->options.dry_speed_R = c->options.move_speed_R = 1.0; /* in real time a test has no patience */
  GError *error = NULL;
  c->itinerary =
      ase_itinerary_new(model, &c->plan, &c->freedom, &c->options, c->rig.truth.home, &error);
  g_assert_no_error(error);
  runner_case_renew(c);
  return c;
}

void runner_case_free(Case *c) {
  void *runner = c->runner;
  g_assert_finalize_object(c->runner);
  g_assert_null(g_main_context_find_source_by_user_data(NULL, runner));
  ase_itinerary_free(c->itinerary);
  rig_clear(&c->rig);
  g_free(c->reason);
  g_free(c);
}

bool has_stopped(void *data) {
  return ((Case *)data)->has_stopped;
}

static bool has_pose(void *data) {
  double q[ARM_MAX_JOINTS];
  return ase_device_pose(((Case *)data)->rig.device, q);
}

void start(Case *c, guint first) {
  GError *error = NULL;
  g_assert_true(rig_wait(has_pose, c, 5.0));
  c->has_stopped = false;
  g_assert_true(ase_runner_start(c->runner, first, c->itinerary->legs->len, &error));
  g_assert_no_error(error);
}

const AseRun *last_run(Case *c) {
  const GPtrArray *runs = ase_runner_runs(c->runner);
  return runs->pdata[runs->len - 1];
}

bool is_sweeping(void *data) {
  const Case *c = data;
  return ase_device_state(c->rig.device)->motion == AIO_MOTION_SWEEP;
}

static void count_samples(AseDevice *device, const AioChunk *chunk, guint *count) {
  (void)device;
  *count += chunk->n;
}

static bool are_enough(void *data) {
  return *(const guint *)data >= 30;
}

/* And 0.3 s of it have come, however busy this computer is. */
void start_and_reach_sweep(Case *c) {
  guint samples = 0;
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_sweeping, c, 10.0));
  const gulong counting =
      g_signal_connect(c->rig.device, "chunk", G_CALLBACK(count_samples), &samples);
  g_assert_true(rig_wait(are_enough, &samples, 10.0));
  g_signal_handler_disconnect(c->rig.device, counting);
}

bool is_at_rest(void *data) {
  const AioState *state = ase_device_state(((Case *)data)->rig.device);
  return state->motion == AIO_MOTION_NONE && state->state != AIO_DEVICE_ARMED;
}
