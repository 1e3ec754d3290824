/* SPDX-License-Identifier: MIT */
/* What a runner does not believe and does not begin: words that are not meant for its leg, arms
 * that are held or stand elsewhere; and faults cleared too soon. */
#include <glib.h>
#include <string.h>

#include "runner_case.h"
#include "session/device/device_internal.h"
#include "wire/message.h"

/* ---- what is not begun, what is not believed ---- */

static bool has_pose(void *data) {
  double q[ARM_MAX_JOINTS];
  return ase_device_pose(data, q);
}

/* The controller's word that it is disarmed may still be under way. */
static void test_start_when_held(void) {
  Case *c = runner_case_new(1.0);
  GError *error = NULL;
  rig_arm(&c->rig);
  ase_device_halt(c->rig.device);
  g_assert_true(ase_device_is_armed(c->rig.device));
  g_assert_false(ase_runner_start(c->runner, 0, c->itinerary->legs->len, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, "the arm is not armed; arm it first");
  g_clear_error(&error);
  g_assert_false(ase_runner_is_running(c->runner));
  g_assert_cmpuint(c->started, ==, 0);
  runner_case_free(c);
}

static bool is_ready(void *data) {
  return ase_device_link(data) == ASE_LINK_READY;
}

/* Before the controller has said that the leg begins: it is told as what the user did. */
static void test_stopped_at_once(gconstpointer data) {
  const char *reason = data;
  Case *c = runner_case_new(1.0);
  rig_arm(&c->rig);
  start(c, 0);
  if (strcmp(reason, "held") == 0)
    ase_device_halt(c->rig.device);
  else
    ase_runner_pause(c->runner);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpstr(c->reason, ==, reason);
  g_assert_false(c->is_done);
  runner_case_free(c);
}

/* Without a sample nobody knows from where. */
static void test_start_unseen(void) {
  Case *c = runner_case_new(1.0);
  GError *error = NULL;
  AioLink *link = aio_link_fd_new(asim_loop_connect(c->rig.loop, &error), "again", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.telemetry_hz = 0.0;
  g_assert_true(ase_device_open(c->rig.device, link, &options, &error));
  g_assert_true(rig_wait(is_ready, c->rig.device, 5.0));
  rig_arm(&c->rig);
  g_assert_false(ase_runner_start(c->runner, 0, c->itinerary->legs->len, &error));
  g_assert_cmpstr(error->message, ==, "where the arm stands is not known; connect it again");
  g_clear_error(&error);
  g_assert_cmpuint(c->started, ==, 0);
  runner_case_free(c);
}

/* Not from where another pose leads into something else. */
static void test_start_elsewhere(void) {
  Case *c = runner_case_new(1.0);
  GError *error = NULL;
  guint first = 0;
  while (!g_array_index(c->itinerary->legs, AseLeg, first).sweeps)
    first++;
  g_array_index(c->itinerary->legs, AseLeg, first).pose[0] += 0.02;
  rig_arm(&c->rig);
  g_assert_true(rig_wait(has_pose, c->rig.device, 5.0));
  g_assert_false(ase_runner_start(c->runner, first, first + 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "joint 1 stands at"));
  g_clear_error(&error);
  g_assert_false(ase_runner_start(c->runner, first, first, &error)); /* no leg at all */
  g_clear_error(&error);
  g_assert_cmpuint(c->started, ==, 0);
  g_array_index(c->itinerary->legs, AseLeg, first).pose[0] -= 0.02;
  start(c, first);
  g_assert_true(rig_wait(is_sweeping, c, 10.0));
  g_assert_false(ase_runner_start(c->runner, first, first + 1, &error));
  g_assert_cmpstr(error->message, ==, "the arm is moving already");
  g_clear_error(&error);
  runner_case_free(c);
}

/* By somebody else: over when the arm rests, and not before. */
static void test_disarmed(void) {
  Case *c = runner_case_new(1.0);
  AioEvent event = {.kind = AIO_EVENT_STATE,
                    .state = {.state = AIO_DEVICE_HALTED, .motion = AIO_MOTION_STOPPING}};
  start_and_reach_sweep(c);
  g_signal_emit_by_name(c->rig.device, "event", &event);
  rig_pass(0.5);
  g_assert_false(c->has_stopped);
  event.state.motion = AIO_MOTION_NONE;
  g_signal_emit_by_name(c->rig.device, "event", &event);
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==, "disarmed");
  g_assert_false(c->is_done);
  runner_case_free(c);
}

static void pause_now(AseRunner *runner, guint leg, gpointer run, gpointer data) {
  (void)leg, (void)run, (void)data;
  ase_runner_pause(runner);
}

/* Between two legs: the next does not begin. */
static void test_pause_between(void) {
  Case *c = runner_case_new(20.0);
  g_signal_connect(c->runner, "leg-ended", G_CALLBACK(pause_now), NULL);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "paused");
  g_assert_false(c->is_done);
  g_assert_cmpuint(c->started, ==, 1);
  g_assert_cmpuint(c->ended, ==, 1);
  g_assert_cmpstr(last_run(c)->outcome, ==, "done");
  g_signal_handlers_disconnect_by_func(c->runner, pause_now, NULL);
  start(c, ase_runner_leg(c->runner)); /* a pause is over when the user goes on */
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "done");
  runner_case_free(c);
}

/* A word of an end that comes before a leg has its number need not be its. */
static void tell_end(AseRunner *runner, guint leg, gpointer run, Case *c) {
  const AioEvent event = {
      .kind = AIO_EVENT_MOTION_END, .motion_id = G_MAXUINT16, .end = AIO_END_FAULT};
  (void)runner, (void)leg, (void)run;
  g_signal_emit_by_name(c->rig.device, "event", &event);
}

static void test_early_end(void) {
  Case *c = runner_case_new(20.0);
  g_signal_connect(c->runner, "leg-started", G_CALLBACK(tell_end), c);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "done");
  runner_case_free(c);
}

/* Of another motion, late or foreign: the leg goes on. */
static void test_foreign_end(void) {
  static const AioMotionEnd ends[] = {AIO_END_STOP, AIO_END_FAULT, AIO_END_DONE};
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  const guint16 own = last_run(c)->motion;
  g_assert_cmpuint(own, >, 0);
  const guint started = c->started;
  for (gsize k = 0; k < G_N_ELEMENTS(ends); k++)
    for (guint16 id = 0; id <= own + 1; id = (guint16)(id + (id == own - 1 ? 2 : 1))) {
      const AioEvent event = {.kind = AIO_EVENT_MOTION_END, .motion_id = id, .end = ends[k]};
      g_signal_emit_by_name(c->rig.device, "event", &event);
    }
  rig_pass(0.5);
  g_assert_false(c->has_stopped);
  g_assert_true(is_sweeping(c));
  g_assert_cmpuint(c->started, ==, started);
  runner_case_free(c);
}

/* ---- faults ---- */

static bool has_fault(void *data) {
  return ase_device_state(data)->faults != 0;
}

static bool has_no_fault(void *data) {
  return !has_fault(data);
}

/* Asked for in the lock-out, of this device or, connected anew, of the controller, it is done at
 * its end. */
static void test_clear_waits(void) {
  Case *c = runner_case_new(1.0);
  AseDevice *device = c->rig.device;
  GError *error = NULL;
  for (guint k = 0; k < 2; k++) {
    ase_device_power_off(device);
    g_assert_true(rig_wait(has_fault, device, 5.0));
    if (k == 1)
      rig_open(&c->rig, asim_loop_connect(c->rig.loop, &error), RIG_LEASE_MS);
    g_assert_no_error(error);
    g_assert_true(rig_wait(has_fault, device, 5.0));
    g_assert_cmpfloat(ase_device_clear_wait_s(device), >, 0.0);
    ase_device_note_lockout(device, 60000); /* as long as the longer of both, whichever it is */
    g_assert_cmpfloat(ase_device_clear_wait_s(device), >, 30.0);
    ase_device_note_fault(device);
    ase_device_clear_faults(device);
    g_assert_true(ase_device_is_clearing(device));
    g_assert_true(rig_wait(has_no_fault, device, 5.0));
    g_assert_null(strstr(ase_device_reason(device), "too soon"));
    g_assert_cmpfloat(ase_device_clear_wait_s(device), ==, 0.0);
  }
  runner_case_free(c);
}

static bool has_given_up(void *data) {
  return !ase_device_is_clearing(data);
}

/* What lasts is not asked for again for ever, and the refusal is told. */
static void test_clear_refused(void) {
  Case *c = runner_case_new(1.0);
  AseDevice *device = c->rig.device;
  rig_arm(&c->rig);
  rig_test(&c->rig, WIRE_TEST_ESTOP_OPEN, 0, 0, 0);
  g_assert_true(rig_wait(has_fault, device, 5.0));
  ase_device_clear_faults(device);
  g_assert_true(rig_wait(has_given_up, device, 10.0));
  g_assert_true(has_fault(device));
  g_assert_cmpstr(ase_device_reason(device), !=, "");
  runner_case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runner/start-when-held", test_start_when_held);
  g_test_add_data_func("/runner/held-at-once", "held", test_stopped_at_once);
  g_test_add_data_func("/runner/paused-at-once", "paused", test_stopped_at_once);
  g_test_add_func("/runner/start-unseen", test_start_unseen);
  g_test_add_func("/runner/start-elsewhere", test_start_elsewhere);
  g_test_add_func("/runner/disarmed", test_disarmed);
  g_test_add_func("/runner/pause-between", test_pause_between);
  g_test_add_func("/runner/early-end", test_early_end);
  g_test_add_func("/runner/foreign-end", test_foreign_end);
  g_test_add_func("/runner/clear-waits", test_clear_waits);
  g_test_add_func("/runner/clear-refused", test_clear_refused);
  return g_test_run();
}
