/* SPDX-License-Identifier: MIT */
/* What the arm does now, on a simulated arm, without a session: legs in order, the time left,
 * skipping, stopping, an end before the last leg. */
#include "session/measure/motion.h"

#include <string.h>

#include "runner_case.h"

static struct {
  Case *c;
  GObject *object;
  AseMotion *motion;
  guint legs; /* of the itinerary */
  guint started, timed, ended, ticks, stops;
  double part;
  bool is_done;
} own;

/* ---- the owner and its watcher ---- */

static void tick(gpointer object) {
  g_assert_true(object == own.object);
  g_assert_true(ase_motion_is_on(own.motion));
  own.ticks++;
}

static void leg_started(gpointer object, guint leg) {
  g_assert_true(object == own.object);
  g_assert_cmpuint(leg, ==, own.started);
  g_assert_cmpuint(leg, ==, ase_motion_leg(own.motion));
  own.started++;
}

/* Last of a leg's beginning: the clock is running. */
static void leg_timed(gpointer object, double part, double left_s) {
  AseTimeLeft left;
  g_assert_true(object == own.object);
  g_assert_cmpuint(++own.timed, ==, own.started);
  g_assert_cmpuint(own.ticks, >=, own.started);
  g_assert_cmpfloat(part, >=, own.part);
  own.part = part;
  g_assert_true(ase_motion_time_left(own.motion, &left));
  if (!ase_motion_is_dry_run(own.motion)) /* else legs are left that are not done */
    g_assert_cmpfloat_with_epsilon(left.left_s, left_s, 0.5);
  g_assert_cmpfloat(left.left_s, <=, left.whole_s);
  g_assert_cmpfloat(left.leg_left_s, <=, left.left_s);
  g_assert_cmpfloat_with_epsilon(left.part, part, 0.2);
}

static void leg_ended(gpointer object, guint leg, AseRun *run) {
  g_assert_true(object == own.object);
  g_assert_cmpuint(leg, ==, own.ended);
  g_assert_nonnull(run->outcome);
  own.ended++;
}

/* Another one may be started from here. */
static void stopped(gpointer object, bool is_done, const char *reason) {
  AseTimeLeft left;
  g_assert_true(object == own.object);
  g_assert_true(*reason);
  g_assert_false(ase_motion_is_on(own.motion));
  g_assert_null(ase_motion_doing(own.motion));
  g_assert_cmpuint(ase_motion_leg(own.motion), ==, 0);
  g_assert_false(ase_motion_time_left(own.motion, &left));
  g_assert_cmpfloat(left.whole_s, ==, 0.0);
  own.is_done = is_done;
  own.stops++;
}

static const AseMotionWatch watch = {
    .leg_started = leg_started, .leg_timed = leg_timed, .leg_ended = leg_ended, .stopped = stopped};

static bool has_ended(void *data) {
  (void)data;
  return own.stops > 0;
}

static bool has_pose(void *data) {
  double q[ARM_MAX_JOINTS];
  (void)data;
  return ase_device_pose(own.c->rig.device, q);
}

static void begin(void) {
  memset(&own, 0, sizeof own);
  own.c = runner_case_new(20.0);
  own.object = g_object_new(G_TYPE_OBJECT, NULL);
  own.motion = ase_motion_new(own.c->rig.device, own.object, tick);
  g_assert_true(rig_wait(has_pose, NULL, 5.0));
}

static void finish(void) {
  ase_motion_free(own.motion);
  g_assert_cmpuint(own.object->ref_count, ==, 1);
  g_object_unref(own.object);
  runner_case_free(own.c);
}

/* All of it, or its first `end` legs. */
static bool go(guint end, GError **error) {
  Case *c = own.c;
  const ArmModel *model = &c->rig.truth.plant.model;
  AseItinerary *doing =
      ase_itinerary_new(model, &c->plan, &c->freedom, &c->options, c->rig.truth.home, NULL);
  g_assert_nonnull(doing);
  own.legs = doing->legs->len;
  const AseMotionTask task = {.model = model,
                              .doing = doing,
                              .end = end ? end : own.legs,
                              .ends_after = end,
                              .is_dry_run = end > 0,
                              .watch = &watch};
  return ase_motion_start(own.motion, &task, error);
}

static void expect_end(bool is_done) {
  g_assert_true(rig_wait(has_ended, NULL, 30.0));
  g_assert_cmpuint(own.stops, ==, 1);
  g_assert_true(own.is_done == is_done);
  g_assert_cmpuint(own.timed, ==, own.started);
  g_assert_cmpuint(own.ended, ==, own.started);
}

/* ---- to the end ---- */

static void test_all(void) {
  GError *error = NULL;
  begin();
  g_assert_false(go(0, &error)); /* not armed: nothing is told, and it can be tried again */
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  g_assert_false(ase_motion_is_on(own.motion));
  g_assert_null(ase_motion_doing(own.motion));
  g_assert_false(ase_motion_skip(own.motion));
  ase_motion_stop(own.motion);
  g_assert_cmpuint(own.started + own.stops + own.ticks, ==, 0);

  rig_arm(&own.c->rig);
  g_assert_true(go(0, &error));
  g_assert_true(ase_motion_is_on(own.motion));
  g_assert_cmpuint(ase_motion_doing(own.motion)->legs->len, ==, own.legs);
  g_assert_false(ase_motion_is_dry_run(own.motion));
  expect_end(true);
  g_assert_cmpuint(own.started, ==, own.legs);
  g_assert_cmpuint(ase_motion_ends_after(own.motion), ==, 0);
  g_assert_cmpfloat(own.part, >, 0.5);
  finish();
}

static void test_end(void) {
  begin();
  rig_arm(&own.c->rig);
  g_assert_true(go(2, NULL));
  g_assert_true(ase_motion_is_dry_run(own.motion));
  expect_end(true);
  g_assert_cmpuint(own.started, ==, 2);
  g_assert_cmpuint(ase_motion_ends_after(own.motion), ==, 2); /* also after the end */
  finish();
}

/* ---- before it ---- */

static void go_and_sweep(void) {
  rig_arm(&own.c->rig);
  g_assert_true(go(0, NULL));
  g_assert_true(rig_wait(is_sweeping, own.c, 10.0));
  rig_pass(0.1);
}

static void test_skip(void) {
  begin();
  go_and_sweep();
  g_assert_true(ase_motion_skip(own.motion));
  expect_end(false);
  g_assert_true(ase_motion_take_skipping(own.motion));
  g_assert_false(ase_motion_take_skipping(own.motion));
  g_assert_true(ase_motion_is_skipped(own.motion, 2));
  g_assert_false(ase_motion_is_skipped(own.motion, 1));
  g_assert_false(ase_motion_is_skipped(own.motion, 0));
  ase_motion_skip_none(own.motion);
  g_assert_false(ase_motion_is_skipped(own.motion, 2));
  finish();
}

/* Who stops it for good does not go on without the joint. */
static void test_stop(void) {
  begin();
  go_and_sweep();
  g_assert_true(ase_motion_skip(own.motion));
  ase_motion_stop(own.motion);
  expect_end(false);
  g_assert_false(ase_motion_take_skipping(own.motion));
  g_assert_true(ase_device_is_armed(own.c->rig.device));
  finish();
}

static void test_abandon(void) {
  begin();
  go_and_sweep();
  ase_motion_abandon(own.motion);
  g_assert_false(ase_motion_is_on(own.motion));
  g_assert_null(ase_motion_doing(own.motion));
  const guint ticks = own.ticks;
  rig_pass(0.7);
  g_assert_cmpuint(own.ticks, ==, ticks);
  g_assert_cmpuint(own.stops, ==, 0);
  finish();
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/motion/all", test_all);
  g_test_add_func("/motion/end", test_end);
  g_test_add_func("/motion/skip", test_skip);
  g_test_add_func("/motion/stop", test_stop);
  g_test_add_func("/motion/abandon", test_abandon);
  return g_test_run();
}
