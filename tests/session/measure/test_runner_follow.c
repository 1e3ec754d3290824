/* SPDX-License-Identifier: MIT */
/* Trajectories on a simulated arm: followed to their end, held, paused, out of segments, beyond a
 * limit of current; what the arm then does, and what is said. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "motion_case.h"
#include "runner_case.h"
#include "session/device/device_internal.h"
#include "session/measure/current_watch.h"
#include "wire/message.h"

#define FOLLOWS 0.05 /* rad: servo poles at 10/s and one period of 100 Hz, at up to 1 rad/s */

/* The planar arm follows `seconds` of motion; a runner of its own. */
static void follow(Case *c, double seconds, double current_part, bool has_dry_run) {
  const ArmModel *model = &c->rig.truth.plant.model;
  GError *error = NULL;
  /* of a clock that is faster, longer segments: the buffer is to outlast a busy computer */
  const double least_s = 0.02 * ase_device_description(c->rig.device)->time_factor;
  AseTrajectory *trajectory =
      motion_case_trajectory(model, c->rig.truth.home, seconds, 0.4, least_s, current_part);
  double start[ARM_MAX_JOINTS];
  memcpy(start, c->rig.truth.home, sizeof start);
  ase_device_pose(c->rig.device, start);
  g_clear_pointer(&c->itinerary, ase_itinerary_free);
  c->itinerary = ase_itinerary_of_motion(model, trajectory, &c->freedom, &c->options, start,
                                         has_dry_run, &error);
  g_assert_no_error(error);
  ase_trajectory_unref(trajectory);
  runner_case_renew(c);
}

/* The motion itself, which is last. */
static const AseLeg *leg_of(const Case *c) {
  return &g_array_index(c->itinerary->legs, AseLeg, c->itinerary->legs->len - 1);
}

static bool is_following(void *data) {
  const Case *c = data;
  return ase_device_state(c->rig.device)->motion == AIO_MOTION_TRAJECTORY;
}

static void start_and_follow(Case *c) {
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_following, c, 10.0));
  rig_pass(0.3);
}

static void check_stop(Case *c, const char *pattern) {
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_false(c->is_done);
  if (!g_pattern_match_simple(pattern, c->reason))
    g_error("expected %s, found %s", pattern, c->reason);
  g_assert_cmpuint(c->ended, ==, c->started);
  g_assert_false(ase_runner_is_running(c->runner));
}

/* In the middle of a leg. */
static void check_end(Case *c, const char *pattern) {
  check_stop(c, pattern);
  g_assert_false(last_run(c)->is_complete);
  g_assert_cmpstr(aio_said_shown(last_run(c)->outcome), ==, c->reason);
}

/* ---- to the end ---- */

/* How far from the trajectory the samples are; of how many. */
static double apart(const AseLeg *leg, const AseRun *run, gsize *samples) {
  double most[ARM_MAX_JOINTS] = {0.0};
  guint64 first_us = 0;
  *samples = 0;
  for (guint c = 0; c < run->chunks->len; c++) {
    const AioChunk *chunk = run->chunks->pdata[c];
    for (guint k = 0; k < chunk->n; k++) {
      if (!ase_run_owns(run, chunk, k))
        continue;
      first_us = first_us ? first_us : chunk->t_us[k];
      ase_trajectory_compare(leg->trajectory, leg->slowness, chunk->t_us[k] - first_us,
                             chunk->q + (gsize)k * chunk->joints, most);
      ++*samples;
    }
  }
  return fmax(most[0], most[1]);
}

static void test_complete(void) {
  Case *c = runner_case_new(5.0);
  follow(c, 4.0, 1.0, false);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "done");
  g_assert_true(c->is_done);
  const GPtrArray *runs = ase_runner_runs(c->runner);
  guint trajectories = 0;
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    const AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, k);
    gsize samples;
    g_assert_true(run->is_complete);
    if (!leg->trajectory)
      continue;
    trajectories++;
    const double off = apart(leg, run, &samples);
    g_test_message("at 1/%.0f of the speed: %zu samples, %" G_GUINT64_FORMAT
                   " lost, within %.4f rad",
                   leg->slowness, samples, ase_run_lost(run), off);
    g_assert_cmpfloat_with_epsilon((double)samples, 100.0 * leg->duration_s, 5.0);
    g_assert_cmpuint(ase_run_lost(run), ==, 0);
    g_assert_cmpfloat(off, <, FOLLOWS);
    g_assert_cmpfloat(off, >, 0.0);
  }
  g_assert_cmpuint(trajectories, ==, 2);
  runner_case_free(c);
}

/* ---- what ends it early ---- */

static void test_hold(void) {
  Case *c = runner_case_new(4.0);
  follow(c, 24.0, 1.0, true); /* 6 s: a busy computer does not miss its middle */
  start_and_follow(c);
  c->rig.device->options.lockout_s = 0.5;
  ase_device_halt(c->rig.device);
  check_end(c, "held");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_HALTED);
  rig_until_unlocked(c->rig.device);
  follow(c, 4.0, 1.0, true); /* and on: from where it stands, to its first pose, along it */
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "done");
  runner_case_free(c);
}

static void test_pause(void) {
  Case *c = runner_case_new(1.0);
  follow(c, 4.0, 1.0, true);
  start_and_follow(c);
  ase_runner_pause(c->runner);
  check_end(c, "paused");
  g_assert_true(ase_device_is_armed(c->rig.device));
  runner_case_free(c);
}

/* Before the motion has begun: it never does. The way to its first pose has no length: where the
 * computer is busy for a moment, the controller has gone it before it hears of the pause. */
static void test_pause_early(void) {
  Case *c = runner_case_new(1.0);
  follow(c, 4.0, 1.0, true);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_false(is_following(c));
  ase_runner_pause(c->runner);
  check_stop(c, "paused");
  g_assert_cmpuint(ase_runner_runs(c->runner)->len, ==, 1);
  rig_pass(0.5);
  g_assert_false(is_following(c));
  g_assert_true(ase_device_is_armed(c->rig.device));
  runner_case_free(c);
}

static void test_unplugged(void) {
  Case *c = runner_case_new(1.0);
  follow(c, 4.0, 1.0, true);
  start_and_follow(c);
  rig_test(&c->rig, WIRE_TEST_UNPLUG, 0, 0, 0);
  check_end(c, "*");
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_LOST);
  runner_case_free(c);
}

/* The main loop is busy for longer than the controller has segments; the lease lasts longer. */
static void test_underrun(void) {
  Case *c = runner_case_new(1.0);
  follow(c, 4.0, 1.0, true);
  start_and_follow(c);
  rig_hang(c->rig.device, 1.2);
  check_end(c, "the computer was too slow with the next segment");
  g_assert_cmpint(ase_device_state(c->rig.device)->motion, ==, AIO_MOTION_NONE);
  runner_case_free(c);
}

/* What the controller refuses before anything moves. */
static void test_refused(void) {
  Case *c = runner_case_new(1.0);
  follow(c, 0.8, 1.0, true); /* 12 rad/s^2 and more, of 8.4 */
  rig_arm(&c->rig);
  start(c, 0);
  check_end(c, "*joint 2*acceleration*");
  g_assert_false(is_following(c));
  g_assert_true(ase_device_is_armed(c->rig.device));
  runner_case_free(c);
}

/* The controller says that it followed it to the end; the samples tell otherwise. */
static void test_stuck(void) {
  Case *c = runner_case_new(4.0);
  follow(c, 4.0, 1.0, true);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_following, c, 10.0));
  rig_test(&c->rig, WIRE_TEST_FREEZE, 2, 2, 0); /* its speed */
  check_end(c, "joint 2: during \"follow wave.csv, 4 s\" *its speed*");
  runner_case_free(c);
}

/* ---- the limit of current ---- */

/* Of joint 2, by the controller's clock. */
typedef struct {
  double limit;
  guint64 above_us;    /* the first of the samples above it that ended the motion; 0: none yet */
  guint64 stopping_us; /* the controller's word that it decelerates */
} Latency;

static void on_chunk(AseDevice *device, gpointer data, Latency *latency) {
  const AioChunk *chunk = data;
  (void)device;
  for (guint k = 0; k < chunk->n && !latency->stopping_us; k++) {
    const bool is_above =
        chunk->motion[k] && fabs(chunk->current[(gsize)k * chunk->joints + 1]) > latency->limit;
    latency->above_us = !is_above ? 0 : latency->above_us ? latency->above_us : chunk->t_us[k];
  }
}

static void on_event(AseDevice *device, gpointer data, Latency *latency) {
  const AioEvent *event = data;
  (void)device;
  if (event->kind == AIO_EVENT_STATE && event->state.motion == AIO_MOTION_STOPPING &&
      !latency->stopping_us)
    latency->stopping_us = event->t_us;
}

/* Held by what the samples tell, without a fault, long before anything else would end it. How soon
 * that is tests/show/show_record measures. */
static void test_current(void) {
  Case *c = runner_case_new(1.0);
  follow(c, 4.0, 0.1, true);
  Latency latency = {.limit = leg_of(c)->trajectory->current_max[1]};
  g_signal_connect(c->rig.device, "chunk", G_CALLBACK(on_chunk), &latency);
  g_signal_connect(c->rig.device, "event", G_CALLBACK(on_event), &latency);
  rig_arm(&c->rig);
  start(c, 0);
  check_end(c, "joint 2: its current was beyond the limit of * A for 20 ms (* A), so the arm was "
               "held; *");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_HALTED);
  g_assert_cmpuint(ase_device_state(c->rig.device)->faults, ==, 0);
  g_signal_handlers_disconnect_by_data(c->rig.device, &latency);
  g_assert_cmpuint(latency.above_us, >, 0);
  g_assert_cmpuint(latency.stopping_us, >=, latency.above_us + ASE_CURRENT_US);
  g_test_message("held %.1f ms after the first sample above the limit",
                 1e-3 * (double)(latency.stopping_us - latency.above_us));
  runner_case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runner/follow/complete", test_complete);
  g_test_add_func("/runner/follow/hold and go on", test_hold);
  g_test_add_func("/runner/follow/pause", test_pause);
  g_test_add_func("/runner/follow/pause before it begins", test_pause_early);
  g_test_add_func("/runner/follow/unplugged", test_unplugged);
  g_test_add_func("/runner/follow/underrun", test_underrun);
  g_test_add_func("/runner/follow/refused", test_refused);
  g_test_add_func("/runner/follow/stuck", test_stuck);
  g_test_add_func("/runner/follow/current", test_current);
  return g_test_run();
}
