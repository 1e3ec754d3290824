/* SPDX-License-Identifier: MIT */
/* The runner on a simulated arm: complete runs, halts, faults, a pulled cable, a hanging program.
 */
#include <glib.h>
#include <string.h>

#include "io/base/said.h"
#include "runner_case.h"
#include "session/device/device_internal.h"
#include "session/measure/selection.h"
#include "wire/message.h"

/* In real time where the controller does not say how fast its clock runs. */
static void check_left(Case *c) {
  static const double factors[] = {20.0, 0.0, -1.0};
  double seconds = 0.0;
  for (guint k = ase_runner_leg(c->runner); k < c->itinerary->legs->len; k++)
    seconds += g_array_index(c->itinerary->legs, AseLeg, k).duration_s;
  for (gsize k = 0; k < G_N_ELEMENTS(factors); k++) {
    AseDevice *device = c->rig.device;
    const double factor = device->description.time_factor;
    device->description.time_factor = factors[k];
    g_assert_cmpfloat_with_epsilon(ase_runner_left_s(c->runner),
                                   factors[k] > 0.0 ? seconds / factors[k] : seconds, 1e-9);
    device->description.time_factor = factor;
  }
}

/* The device knows where the arm stands from the youngest sample. */
static void on_chunk(AseDevice *device, gpointer data, gpointer ctx) {
  const AioChunk *chunk = data;
  double q[ARM_MAX_JOINTS];
  (void)ctx;
  g_assert_true(ase_device_pose(device, q));
  g_assert_cmpmem(q, chunk->joints * sizeof *q, chunk->q + (gsize)(chunk->n - 1) * chunk->joints,
                  chunk->joints * sizeof *q);
}

static void test_complete(void) {
  Case *c = runner_case_new(20.0);
  GError *error = NULL;
  g_assert_false(ase_runner_start(c->runner, 0, 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  rig_arm(&c->rig);
  g_assert_false(ase_runner_start(c->runner, 0, c->itinerary->legs->len + 1, NULL));
  start(c, 0);
  check_left(c);
  const gulong looks = g_signal_connect(c->rig.device, "chunk", G_CALLBACK(on_chunk), NULL);
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "done");
  g_assert_cmpfloat(ase_runner_left_s(c->runner), ==, 0.0);
  g_signal_handler_disconnect(c->rig.device, looks);
  g_assert_true(c->is_done);
  g_assert_cmpuint(c->started, ==, c->itinerary->legs->len);
  g_assert_cmpuint(c->ended, ==, c->started);
  const GPtrArray *runs = ase_runner_runs(c->runner);
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    const AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, k);
    g_assert_true(run->is_complete);
    const double expected = 100.0 * leg->duration_s; /* at 100 Hz */
    g_assert_cmpfloat((double)ase_run_samples(run), >, 0.8 * expected);
    g_assert_cmpfloat((double)ase_run_samples(run), <, 1.5 * expected + 50.0);
  }
  AseSelection *s = ase_selection_new(NULL, &c->rig.truth.plant.model, runs, ASE_PURPOSE_MEASURE,
                                      NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(s->counts[1][ASE_SAMPLE_USED], >, 500);
  g_assert_cmpuint(s->counts[1][ASE_SAMPLE_FAULT] + s->counts[1][ASE_SAMPLE_GAP], ==, 0);
  ase_selection_unref(s);
  runner_case_free(c);
}

/* ---- what ends a leg early; the samples before it are kept ---- */

static void check_end(Case *c, const char *reason) {
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_false(c->is_done);
  g_assert_cmpstr(c->reason, ==, reason);
  g_assert_cmpuint(c->ended, ==, c->started);
  g_assert_false(last_run(c)->is_complete);
  g_assert_cmpstr(aio_said_shown(last_run(c)->outcome), ==, reason);
  g_assert_cmpuint(ase_run_samples(last_run(c)), >, 20);
  g_assert_false(ase_runner_is_running(c->runner));
}

static void test_hold(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  c->rig.device->options.lockout_s = 1.0;
  ase_device_halt(c->rig.device);
  GError *error = NULL;
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_cmpstr(error->message, ==, "the arm was stopped just now; arming is possible in 1 s");
  g_clear_error(&error);
  check_end(c, "held");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_HALTED);
  rig_until_unlocked(c->rig.device);
  rig_arm(&c->rig); /* and on with the leg that was held */
  start(c, ase_runner_leg(c->runner));
  g_assert_true(ase_runner_is_running(c->runner));
  runner_case_free(c);
}

static void test_power_off(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  ase_device_power_off(c->rig.device);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_LOCKED);
  g_assert_false(ase_device_state(c->rig.device)->drives_on);
  g_assert_cmpuint(ase_run_samples(last_run(c)), >, 20);
  rig_until_unlocked(c->rig.device); /* the fault is in the way still */
  GError *error = NULL;
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  rig_clear_faults(c->rig.device);
  rig_arm(&c->rig);
  runner_case_free(c);
}

static void test_pause(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  ase_runner_pause(c->runner);
  check_end(c, "paused");
  g_assert_true(ase_device_is_armed(c->rig.device));
  start(c, ase_runner_leg(c->runner));
  g_assert_true(rig_wait(is_sweeping, c, 5.0));
  runner_case_free(c);
}

static void test_stall(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_STALL, 2, 0, 0);
  check_end(c, "FOLLOWING: a joint does not follow its set-point (joint 2)");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_LOCKED);
  runner_case_free(c);
}

static bool is_estop_open(void *data) {
  return !ase_device_state(data)->is_estop_closed;
}

static void test_estop(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_ESTOP_OPEN, 0, 0, 0);
  check_end(c, "ESTOP: the emergency stop chain is open");
  GError *error = NULL;
  g_assert_true(rig_wait(is_estop_open, c->rig.device, 2.0));
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_cmpstr(error->message, ==,
                  "the emergency stop chain is open; release the emergency stop button");
  g_clear_error(&error);
  runner_case_free(c);
}

static void test_reboot(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_REBOOT, 0, WIRE_RESET_WATCHDOG, 0);
  check_end(c, "the controller restarted");
  rig_until_ready(c->rig.device); /* described anew */
  g_assert_false(ase_device_is_armed(c->rig.device));
  runner_case_free(c);
}

static void test_unplug(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_UNPLUG, 0, 0, 0);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_LOST);
  g_assert_cmpuint(ase_run_samples(last_run(c)), >, 20);
  g_test_message("%s", c->reason);
  runner_case_free(c);
}

/* The main loop hangs: the lease runs out, the arm halts by itself. */
static void test_hang(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  rig_hang(c->rig.device, 1.5e-3 * RIG_LEASE_MS);
  check_end(c, "LEASE: the lease expired");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_true(ase_device_state(c->rig.device)->drives_on);
  runner_case_free(c);
}

static void test_closing(void) {
  Case *c = runner_case_new(1.0);
  start_and_reach_sweep(c);
  const double left_s = ase_runner_left_s(c->runner);
  ase_device_close(c->rig.device); /* halts, waits, disarms */
  g_assert_cmpfloat(ase_runner_left_s(c->runner), ==, left_s);
  g_assert_true(c->has_stopped || rig_wait(has_stopped, c, 1.0));
  GError *error = NULL;
  const int fd = asim_loop_connect(c->rig.loop, &error);
  g_assert_no_error(error);
  AioLink *link = aio_link_fd_new(fd, "again", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  g_assert_true(ase_device_open(c->rig.device, link, &options, &error));
  rig_until_ready(c->rig.device);
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_HALTED);
  g_assert_cmpuint(ase_device_state(c->rig.device)->faults, ==, 0);
  runner_case_free(c);
}

static bool is_disarmed(void *data) {
  return !ase_device_is_armed(data);
}

/* An arm that nothing is done with disarms itself, and says why until it is armed again; while it
 * moves, something is done. */
static void test_idle(void) {
  Case *c = runner_case_new(1.0);
  AseDevice *device = c->rig.device;
  ase_device_close(device);
  GError *error = NULL;
  AioLink *link = aio_link_fd_new(asim_loop_connect(c->rig.loop, &error), "again", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.idle_s = 1.0; /* longer than the controller's word that it is armed may take */
  g_assert_true(ase_device_open(device, link, &options, &error));
  rig_until_ready(device);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_sweeping, c, 10.0));
  rig_pass(1.5);
  g_assert_true(is_sweeping(c));
  ase_runner_pause(c->runner);
  g_assert_true(rig_wait(is_disarmed, device, 2.0));
  g_assert_cmpstr(ase_device_reason(device), ==, "disarmed, because nothing moved for some time");
  g_assert_true(ase_device_arm(device, &error));
  g_assert_cmpstr(ase_device_reason(device), ==, "");
  rig_arm(&c->rig);
  runner_case_free(c);
}

static void close_within(AseRunner *runner, gboolean is_done, const char *reason, Case *c) {
  (void)runner, (void)is_done, (void)reason;
  ase_device_close(c->rig.device);
}

/* Whoever hears that the arm stopped may close the connection at once. */
static void test_closing_within(void) {
  Case *c = runner_case_new(20.0);
  g_signal_connect(c->runner, "stopped", G_CALLBACK(close_within), c);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_ESTOP_OPEN, 0, 0, 0);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  rig_pass(0.1);
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_CLOSED);
  g_assert_null(ase_device_description(c->rig.device));
  runner_case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runner/complete", test_complete);
  g_test_add_func("/runner/hold", test_hold);
  g_test_add_func("/runner/power-off", test_power_off);
  g_test_add_func("/runner/pause", test_pause);
  g_test_add_func("/runner/stall", test_stall);
  g_test_add_func("/runner/estop", test_estop);
  g_test_add_func("/runner/reboot", test_reboot);
  g_test_add_func("/runner/unplug", test_unplug);
  g_test_add_func("/runner/hang", test_hang);
  g_test_add_func("/runner/closing", test_closing);
  g_test_add_func("/runner/idle", test_idle);
  g_test_add_func("/runner/closing-within", test_closing_within);
  return g_test_run();
}
