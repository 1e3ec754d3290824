/* SPDX-License-Identifier: MIT */
/* The runner on a simulated arm: complete runs, holds, faults, a pulled cable, a hanging program.
 */
#include <glib.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rig.h"
#include "session/runner.h"
#include "wire/message.h"

typedef struct {
  Rig rig;
  AseFreedom freedom;
  ArmPlan plan;
  AseItineraryOptions options;
  AseItinerary *itinerary;
  AseRunner *runner;
  guint started, ended;
  bool has_stopped, is_done;
  char *reason;
} Case;

static void on_started(AseRunner *runner, guint leg, gpointer run, Case *c) {
  (void)runner, (void)leg, (void)run;
  c->started++;
}

static void on_ended(AseRunner *runner, guint leg, gpointer run, Case *c) {
  (void)runner, (void)leg, (void)run;
  c->ended++;
}

static void on_stopped(AseRunner *runner, gboolean is_done, const char *reason, Case *c) {
  (void)runner;
  c->has_stopped = true;
  c->is_done = is_done;
  g_free(c->reason);
  c->reason = g_strdup(reason);
}

/* One short sweep of joint 2 of the planar arm, where it stands. */
static Case *case_with_lease(double time_factor, guint lease_ms) {
  Case *c = g_new0(Case, 1);
  rig_init(&c->rig, "planar2r", time_factor, lease_ms);
  const ArmModel *model = &c->rig.truth.plant.model;
  c->plan = (ArmPlan){.n = model->n};
  c->plan.joint[1] = (ArmJointPlan){
      .is_swept = true, .from = -0.5, .to = 0.5, .n_speeds = 2, .speeds = {0.3, 0.6}, .n_holds = 1};
  memcpy(c->plan.joint[1].holds[0], c->rig.truth.home, model->n * sizeof(double));
  ase_freedom_init(&c->freedom, model);
  ase_itinerary_options_default(&c->options, (guint)model->n);
  c->options.dry_speed_R = 1.0; /* in real time a test has no patience */
  GError *error = NULL;
  c->itinerary =
      ase_itinerary_new(model, &c->plan, &c->freedom, &c->options, c->rig.truth.home, &error);
  g_assert_no_error(error);
  c->runner = ase_runner_new(c->rig.device, model, c->itinerary, NULL);
  g_signal_connect(c->runner, "leg-started", G_CALLBACK(on_started), c);
  g_signal_connect(c->runner, "leg-ended", G_CALLBACK(on_ended), c);
  g_signal_connect(c->runner, "stopped", G_CALLBACK(on_stopped), c);
  return c;
}

static Case *case_new(double time_factor) {
  return case_with_lease(time_factor, RIG_LEASE_MS);
}

static void case_free(Case *c) {
  g_object_unref(c->runner);
  ase_itinerary_free(c->itinerary);
  rig_clear(&c->rig);
  g_free(c->reason);
  g_free(c);
}

static bool has_stopped(void *data) {
  return ((Case *)data)->has_stopped;
}

static void start(Case *c, guint first) {
  GError *error = NULL;
  c->has_stopped = false;
  g_assert_true(ase_runner_start(c->runner, first, c->itinerary->legs->len, &error));
  g_assert_no_error(error);
}

static const AseRun *last_run(Case *c) {
  const GPtrArray *runs = ase_runner_runs(c->runner);
  return runs->pdata[runs->len - 1];
}

/* Waits until the arm is in the middle of its first sweep. */
static bool is_sweeping(void *data) {
  const Case *c = data;
  return ase_device_state(c->rig.device)->motion == AIO_MOTION_SWEEP;
}

static void test_complete(void) {
  Case *c = case_new(20.0);
  GError *error = NULL;
  g_assert_false(ase_runner_start(c->runner, 0, 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 30.0));
  g_assert_cmpstr(c->reason, ==, "done");
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
  AseSelection *s =
      ase_selection_new(&c->rig.truth.plant.model, runs, ASE_PURPOSE_MEASURE, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(s->counts[1][ASE_SAMPLE_USED], >, 500);
  g_assert_cmpuint(s->counts[1][ASE_SAMPLE_FAULT] + s->counts[1][ASE_SAMPLE_GAP], ==, 0);
  ase_selection_free(s);
  case_free(c);
}

/* ---- a controller whose clock is slower than it says ---- */

static const double announced = 200.0, real = 1.5;

typedef struct {
  AsimController *controller;
  int fd;
  atomic_bool is_over;
} Slow;

static void exchange(const Slow *slow) {
  guint8 bytes[4096];
  gssize n = read(slow->fd, bytes, sizeof bytes);
  if (n > 0)
    asim_controller_receive(slow->controller, bytes, (gsize)n);
  while ((n = (gssize)asim_controller_take(slow->controller, bytes, sizeof bytes)) > 0)
    g_assert_cmpint(write(slow->fd, bytes, (gsize)n), ==, n);
}

static gpointer run_slow(gpointer data) {
  Slow *slow = data;
  for (gint64 last_us = g_get_monotonic_time(), now_us; !slow->is_over; last_us = now_us) {
    exchange(slow);
    g_usleep(1000);
    now_us = g_get_monotonic_time();
    asim_controller_advance(slow->controller,
                            (gint64)((double)(now_us - last_us) * real / announced));
  }
  return NULL;
}

/* Up to the first leg that lasts longer than 5 s by the controller's clock. */
static void run_to_long_leg(Case *c, Slow *slow) {
  (void)slow;
  guint end = 0;
  while (g_array_index(c->itinerary->legs, AseLeg, end++).duration_s < 5.0)
    g_assert_cmpuint(end, <, c->itinerary->legs->len);
  GError *error = NULL;
  rig_arm(&c->rig);
  ase_runner_start(c->runner, 0, end, &error);
  g_assert_no_error(error);
  rig_wait(has_stopped, c, 60.0);
  g_assert_cmpstr(c->reason, ==, "done");
}

/* Nobody knows then whether the arm has stopped. */
static void fall_silent(Case *c, Slow *slow) {
  g_usleep(1300000); /* the computer is busy: the samples wait */
  g_assert_false(ase_device_is_silent(c->rig.device));
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_sweeping, c, 10.0));
  g_assert_false(ase_device_is_silent(c->rig.device));
  slow->is_over = true;
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==,
                  "the controller has fallen silent; Hold was sent, but watch the arm");
  g_assert_true(ase_device_is_silent(c->rig.device));
  g_assert_true(ase_device_is_armed(c->rig.device)); /* the last known */
}

static void with_slow(void (*use)(Case *c, Slow *slow)) {
  Case *c = case_new(1.0);
  const AsimOptions options = {
      .truth = &c->rig.truth, .seed = 1, .time_factor = announced, .line_room = 1 << 16};
  GError *error = NULL;
  int pair[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==, 0);
  Slow slow = {asim_controller_new(&options, &error), pair[0], false};
  g_assert_no_error(error);
  GThread *thread = g_thread_new("slow", run_slow, &slow);
  rig_open(&c->rig, pair[1], RIG_LEASE_MS);
  use(c, &slow);
  ase_device_close(c->rig.device);
  slow.is_over = true;
  g_thread_join(thread);
  asim_controller_free(slow.controller);
  close(slow.fd);
  case_free(c);
}

/* By the computer's clock its sweeps last longer than any should; by its own they do not. */
static void test_slow(void) {
  with_slow(run_to_long_leg);
}

static void test_silent(void) {
  with_slow(fall_silent);
}

/* ---- what ends a leg early; the samples before it are kept ---- */

static void start_and_reach_sweep(Case *c) {
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_sweeping, c, 10.0));
  rig_pass(0.3);
}

static void check_end(Case *c, const char *reason) {
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_false(c->is_done);
  g_assert_cmpstr(c->reason, ==, reason);
  g_assert_cmpuint(c->ended, ==, c->started);
  g_assert_false(last_run(c)->is_complete);
  g_assert_cmpstr(last_run(c)->outcome, ==, reason);
  g_assert_cmpuint(ase_run_samples(last_run(c)), >, 20);
  g_assert_false(ase_runner_is_running(c->runner));
}

static bool is_at_rest(void *data) {
  const AioState *state = ase_device_state(((Case *)data)->rig.device);
  return state->motion == AIO_MOTION_NONE && state->state != AIO_DEVICE_ARMED;
}

static void test_hold(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  ase_device_hold(c->rig.device);
  check_end(c, "held");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_HELD);
  GError *error = NULL;
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_cmpstr(error->message, ==, "the arm was stopped just now; arming is possible in 1 s");
  g_clear_error(&error);
  rig_pass(0.25);
  rig_arm(&c->rig); /* and on with the leg that was held */
  start(c, ase_runner_leg(c->runner));
  g_assert_true(ase_runner_is_running(c->runner));
  case_free(c);
}

static void test_power_off(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  ase_device_power_off(c->rig.device);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_LOCKED);
  g_assert_false(ase_device_state(c->rig.device)->drives_on);
  g_assert_cmpuint(ase_run_samples(last_run(c)), >, 20);
  rig_pass(0.6);
  GError *error = NULL;
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_clear_error(&error);
  ase_device_clear_faults(c->rig.device);
  rig_pass(0.3);
  rig_arm(&c->rig);
  case_free(c);
}

static void test_pause(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  ase_runner_pause(c->runner);
  check_end(c, "paused");
  g_assert_true(ase_device_is_armed(c->rig.device));
  start(c, ase_runner_leg(c->runner));
  g_assert_true(rig_wait(is_sweeping, c, 5.0));
  case_free(c);
}

static void test_stall(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_STALL, 2, 0, 0);
  check_end(c, "FOLLOWING: a joint does not follow its set-point");
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_LOCKED);
  case_free(c);
}

static void test_estop(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_ESTOP_OPEN, 0, 0, 0);
  check_end(c, "ESTOP: the emergency stop chain is open");
  GError *error = NULL;
  rig_pass(0.3);
  g_assert_false(ase_device_arm(c->rig.device, &error));
  g_assert_cmpstr(error->message, ==,
                  "the emergency stop chain is open; release the emergency stop button");
  g_clear_error(&error);
  case_free(c);
}

static void test_reboot(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_REBOOT, 0, WIRE_RESET_WATCHDOG, 0);
  check_end(c, "the controller restarted");
  rig_pass(0.5);
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_READY); /* described anew */
  g_assert_false(ase_device_is_armed(c->rig.device));
  case_free(c);
}

static void test_unplug(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_UNPLUG, 0, 0, 0);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_LOST);
  g_assert_cmpuint(ase_run_samples(last_run(c)), >, 20);
  g_test_message("%s", c->reason);
  case_free(c);
}

/* The main loop hangs for a second: the lease runs out, the arm holds by itself. */
static void test_hang(void) {
  Case *c = case_with_lease(1.0, RIG_SHORT_LEASE_MS);
  start_and_reach_sweep(c);
  g_usleep(G_USEC_PER_SEC);
  check_end(c, "LEASE: the lease expired");
  g_assert_true(rig_wait(is_at_rest, c, 2.0));
  g_assert_true(ase_device_state(c->rig.device)->drives_on);
  case_free(c);
}

static void test_closing(void) {
  Case *c = case_new(1.0);
  start_and_reach_sweep(c);
  ase_device_close(c->rig.device); /* holds, waits, disarms */
  g_assert_true(c->has_stopped || rig_wait(has_stopped, c, 1.0));
  GError *error = NULL;
  const int fd = asim_loop_connect(c->rig.loop, &error);
  g_assert_no_error(error);
  AioLink *link = aio_link_fd_new(fd, "again", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  g_assert_true(ase_device_open(c->rig.device, link, &options, &error));
  rig_pass(0.5);
  g_assert_cmpint(ase_device_state(c->rig.device)->state, ==, AIO_DEVICE_HELD);
  g_assert_cmpuint(ase_device_state(c->rig.device)->faults, ==, 0);
  case_free(c);
}

static bool is_disarmed(void *data) {
  return !ase_device_is_armed(data);
}

/* An arm that nothing is done with disarms itself, and says why until it is armed again. */
static void test_idle(void) {
  Case *c = case_new(1.0);
  AseDevice *device = c->rig.device;
  ase_device_close(device);
  GError *error = NULL;
  AioLink *link = aio_link_fd_new(asim_loop_connect(c->rig.loop, &error), "again", &error);
  AseDeviceOptions options;
  ase_device_options_default(&options);
  options.idle_s = 0.3;
  g_assert_true(ase_device_open(device, link, &options, &error));
  rig_pass(0.5);
  rig_arm(&c->rig);
  g_assert_true(rig_wait(is_disarmed, device, 2.0));
  g_assert_cmpstr(ase_device_reason(device), ==, "disarmed, because nothing moved for some time");
  g_assert_true(ase_device_arm(device, &error));
  g_assert_cmpstr(ase_device_reason(device), ==, "");
  rig_arm(&c->rig);
  case_free(c);
}

static void close_within(AseRunner *runner, gboolean is_done, const char *reason, Case *c) {
  (void)runner, (void)is_done, (void)reason;
  ase_device_close(c->rig.device);
}

/* Whoever hears that the arm stopped may close the connection at once. */
static void test_closing_within(void) {
  Case *c = case_new(20.0);
  g_signal_connect(c->runner, "stopped", G_CALLBACK(close_within), c);
  start_and_reach_sweep(c);
  rig_test(&c->rig, WIRE_TEST_ESTOP_OPEN, 0, 0, 0);
  g_assert_true(rig_wait(has_stopped, c, 5.0));
  rig_pass(0.1);
  g_assert_cmpint(ase_device_link(c->rig.device), ==, ASE_LINK_CLOSED);
  g_assert_null(ase_device_description(c->rig.device));
  case_free(c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runner/complete", test_complete);
  g_test_add_func("/runner/slow", test_slow);
  g_test_add_func("/runner/silent", test_silent);
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
