/* SPDX-License-Identifier: MIT */
/* A runner and a controller that does its motions well, but whose telemetry ends, or says in
 * mid-motion what cannot be: the arm is halted at once, and not at the end of the leg. */
#include <errno.h>
#include <glib.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "motion_case.h"
#include "runner_case.h"
#include "wire/frame.h"
#include "wire/message.h"

typedef enum {
  HONEST,
  NO_TELEMETRY,
  BABBLE,    /* nor an answer to STATE that is one */
  NO_MOTION, /* says that there is none */
  DRIVES_OFF,
  LOCKED,
  HUGE, /* a position */
  LEAP, /* 17 deg, within a period */
  OVER_CURRENT,
  STUTTER /* for 60 ms in 160 nothing comes */
} Lie;

/* The controller, in a thread of its own; what it says is looked at on the way. */
typedef struct {
  AsimController *controller;
  int fd;
  atomic_bool is_over;
  atomic_int lie;
  WireDecoder said;
} Liar;

static void put_i32(guint8 *at, gint32 value) {
  for (guint k = 0; k < 4; k++)
    at[k] = (guint8)((guint32)value >> (8 * k));
}

static gint32 get_i32(const guint8 *at) {
  guint32 value = 0;
  for (guint k = 0; k < 4; k++)
    value |= (guint32)at[k] << (8 * k);
  return (gint32)value;
}

/* docs/protocol.md, TELEM: state, motion, flags, ..., id, joint, count; q, qd, current of each. */
static void tell_lie(Lie lie, guint8 *telem) {
  guint8 *joint = telem + WIRE_SIZE_TELEM;
  if (lie == NO_MOTION)
    telem[1] = telem[8] = telem[9] = telem[10] = 0;
  if (lie == DRIVES_OFF)
    telem[2] &= (guint8)~WIRE_FLAG_DRIVES_ON;
  if (lie == LOCKED)
    telem[0] = WIRE_STATE_LOCKED;
  if (lie == HUGE)
    put_i32(joint, G_MAXINT32);
  if (lie == LEAP)
    put_i32(joint, get_i32(joint) + 300000);
  if (lie == OVER_CURRENT) {
    joint[8] = 0x00;
    joint[9] = 0x80;
  }
}

static bool is_dropped(Lie lie) {
  return lie == NO_TELEMETRY || lie == BABBLE ||
         (lie == STUTTER && g_get_monotonic_time() % 160000 < 60000);
}

/* The host may have closed its end. */
static void say(Liar *liar, const guint8 *bytes, gsize n) {
  WireReceived received;
  guint8 frame[1 + WIRE_FRAME_MAX] = {WIRE_DELIMITER}, payload[WIRE_FRAME_MAX];
  while (wire_decoder_next(&liar->said, &bytes, &n, &received)) {
    const bool is_telem = received.header.type == WIRE_TYPE_TELEM;
    if (is_telem && is_dropped(liar->lie))
      continue;
    memcpy(payload, received.payload, received.length);
    if (is_telem)
      tell_lie(liar->lie, payload);
    if (received.header.type == WIRE_TYPE_STATE && liar->lie == BABBLE)
      payload[2] = 99;
    const gsize length =
        1 + wire_frame_encode(frame + 1, &received.header, payload, received.length);
    if (write(liar->fd, frame, length) != (gssize)length && errno != EPIPE && errno != EAGAIN)
      g_error("%s", g_strerror(errno));
  }
}

static void exchange(Liar *liar) {
  guint8 bytes[4096];
  gssize n = read(liar->fd, bytes, sizeof bytes);
  if (n > 0)
    asim_controller_receive(liar->controller, bytes, (gsize)n);
  while ((n = (gssize)asim_controller_take(liar->controller, bytes, sizeof bytes)) > 0)
    say(liar, bytes, (gsize)n);
}

static gpointer run_liar(gpointer data) {
  Liar *liar = data;
  for (gint64 last_us = g_get_monotonic_time(), now_us; !liar->is_over; last_us = now_us) {
    exchange(liar);
    g_usleep(1000);
    now_us = g_get_monotonic_time();
    asim_controller_advance(liar->controller, MIN(now_us - last_us, 5000)); /* slips when late */
  }
  return NULL;
}

/* ---- legs ---- */

typedef enum { MOVE, SWEEP, TRAJECTORY } Kind;

/* Long ones. */
static void make_legs(Case *c, Kind kind) {
  const ArmModel *model = &c->rig.truth.plant.model;
  if (kind != TRAJECTORY) {
    guint k = 0;
    while (g_array_index(c->itinerary->legs, AseLeg, k).sweeps != (kind == SWEEP))
      k++;
    AseLeg leg = g_array_index(c->itinerary->legs, AseLeg, k);
    leg.passes = 20;
    if (kind == MOVE) { /* where it goes to takes it 5 s */
      leg.joints = 1u << 1;
      memcpy(leg.pose, c->rig.truth.home, sizeof leg.pose);
      leg.pose[1] += 1.5;
      leg.speed_R = 0.3;
      leg.duration_s = 5.0;
    }
    g_array_set_size(c->itinerary->legs, 0);
    g_array_append_val(c->itinerary->legs, leg);
    return;
  }
  GError *error = NULL;
  AseTrajectory *trajectory = motion_case_trajectory(model, c->rig.truth.home, 24.0, 0.4, 0.1, 1.0);
  g_clear_pointer(&c->itinerary, ase_itinerary_free);
  c->itinerary = ase_itinerary_of_motion(model, trajectory, &c->freedom, &c->options,
                                         c->rig.truth.home, true, &error);
  g_assert_no_error(error);
  ase_trajectory_unref(trajectory);
  runner_case_renew(c);
}

static bool is_moving(void *data) {
  const Case *c = data;
  const AioMotion motion = ase_device_state(c->rig.device)->motion;
  const guint leg = ase_runner_leg(c->runner);
  return motion != AIO_MOTION_NONE && leg + 1 == c->itinerary->legs->len &&
         ase_run_span_us(last_run((Case *)data)) > 300000;
}

typedef struct {
  const char *name;
  Kind kind;
  Lie lie;
  const char *expected[2]; /* parts of the reason */
} Blind;

static const Blind blinds[] = {
    {"no-telemetry/move", MOVE, NO_TELEMETRY, {"no samples came any more", "check the line"}},
    {"no-telemetry/sweep", SWEEP, NO_TELEMETRY, {"no samples came any more", "check the line"}},
    {"no-telemetry/trajectory",
     TRAJECTORY,
     NO_TELEMETRY,
     {"no samples came any more", "check the line"}},
    {"babble/sweep", SWEEP, BABBLE, {"fallen silent", "Hold was sent"}},
    {"huge/move", MOVE, HUGE, {"joint 1", "beyond its limits, -120 to 120 deg"}},
    {"huge/sweep", SWEEP, HUGE, {"joint 1", "beyond its limits, -120 to 120 deg"}},
    {"huge/trajectory", TRAJECTORY, HUGE, {"joint 1", "beyond its limits, -120 to 120 deg"}},
    {"leap/sweep", SWEEP, LEAP, {"joint 1", "leapt by 17"}},
    {"leap/trajectory", TRAJECTORY, LEAP, {"joint 1", "leapt by"}},
    {"current/sweep", SWEEP, OVER_CURRENT, {"joint 1", "limit of 5 A"}},
    {"off/sweep", SWEEP, DRIVES_OFF, {"drives are off", "restart the controller"}},
    {"off/trajectory", TRAJECTORY, DRIVES_OFF, {"drives are off", "restart the controller"}},
    {"locked/move", MOVE, LOCKED, {"not armed", "restart the controller"}},
};

static void with_liar(Kind kind, Lie first, void (*use)(Case *c, Liar *liar, const void *data),
                      const void *data) {
  Case *c = runner_case_new(1.0);
  const AsimOptions options = {
      .truth = &c->rig.truth, .seed = 1, .time_factor = 1.0, .line_room = 1 << 16};
  GError *error = NULL;
  int pair[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==, 0);
  Liar liar = {.controller = asim_controller_new(&options, &error), .fd = pair[0], .lie = first};
  wire_decoder_init(&liar.said);
  g_assert_no_error(error);
  GThread *thread = g_thread_new("liar", run_liar, &liar);
  rig_open(&c->rig, pair[1], RIG_LEASE_MS);
  make_legs(c, kind);
  use(c, &liar, data);
  ase_device_close(c->rig.device);
  liar.is_over = true;
  g_thread_join(thread);
  asim_controller_free(liar.controller);
  close(liar.fd);
  runner_case_free(c);
}

static void expect_hold(Case *c, const char *const expected[2]) {
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  for (guint k = 0; k < 2; k++)
    if (!strstr(c->reason, expected[k]))
      g_error("\"%s\" lacks \"%s\"", c->reason, expected[k]);
  g_assert_false(c->is_done);
  g_assert_false(last_run(c)->is_complete);
  g_assert_cmpint(ase_device_stopped_by(c->rig.device), ==, AIO_END_STOP);
}

static void go_blind(Case *c, Liar *liar, const void *data) {
  const Blind *blind = data;
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(is_moving, c, 20.0));
  liar->lie = blind->lie;
  const gint64 from_us = g_get_monotonic_time();
  expect_hold(c, blind->expected);
  g_assert_cmpint(ase_runner_ended_by(c->runner), ==,
                  blind->lie == NO_TELEMETRY ? ASE_END_CEASED
                  : blind->lie == BABBLE     ? ASE_END_SILENT
                                             : ASE_END_HALTED);
  g_test_message("%s after %.3f s: %s, %zu samples, %" G_GUINT64_FORMAT " lost", blind->name,
                 1e-6 * (double)(g_get_monotonic_time() - from_us), c->reason,
                 ase_run_samples(last_run(c)), ase_run_lost(last_run(c)));
  if (blind->lie != NO_TELEMETRY)
    return;
  /* by its clock at 100 Hz, which slips when it is busy; the shortest of the legs has 5 s more */
  g_assert_cmpuint(ase_run_lost(last_run(c)), >, 0);
  g_assert_cmpuint(ase_run_lost(last_run(c)), <, 300);
}

static void test_blind(gconstpointer data) {
  const Blind *blind = data;
  with_liar(blind->kind, HONEST, go_blind, blind);
}

/* No sample says that it is of the leg: that is not a leg of which nothing is known to be wrong. */
static void do_unseen(Case *c, Liar *liar, const void *data) {
  (void)liar, (void)data;
  static const char *const expected[2] = {"0 samples that the controller says", "check the line"};
  AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, 0);
  leg->passes = 2;
  leg->speed_R = 1.0;
  leg->duration_s = 3.0;
  rig_arm(&c->rig);
  start(c, 0);
  expect_hold(c, expected);
}

static void test_unseen(void) {
  with_liar(SWEEP, NO_MOTION, do_unseen, NULL);
}

/* Gaps shorter than what is waited for are no end of the telemetry. */
static void do_stutter(Case *c, Liar *liar, const void *data) {
  (void)data;
  AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, 0);
  leg->passes = 2;
  leg->speed_R = 1.0;
  rig_arm(&c->rig);
  start(c, 0);
  liar->lie = STUTTER;
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==, "done");
}

static void test_stutter(void) {
  with_liar(SWEEP, HONEST, do_stutter, NULL);
}

/* The computer is busy, the controller is not. */
static void do_hang(Case *c, Liar *liar, const void *data) {
  (void)data;
  AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, 0);
  leg->passes = 4;
  leg->speed_R = 1.0;
  rig_arm(&c->rig);
  start(c, 0);
  (void)liar;
  for (guint k = 0; k < 4 && !c->has_stopped; k++) {
    rig_pass(0.2);
    g_usleep(700000);
  }
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==, "done");
}

static void test_hang(void) {
  with_liar(SWEEP, HONEST, do_hang, NULL);
}

/* ---- a clock that goes wrong while the last samples of a leg are awaited ---- */

static void tell_clock(AseDevice *device, gpointer data, Case *c) {
  const AioEvent *event = data;
  AioEvent clock = {.kind = AIO_EVENT_CLOCK, .level = 2, .value = 1};
  (void)c;
  if (event->kind != AIO_EVENT_MOTION_END)
    return;
  g_strlcpy(clock.text, "the clock stands still", sizeof clock.text);
  g_signal_emit_by_name(device, "event", &clock);
}

static void do_tail(Case *c, Liar *liar, const void *data) {
  (void)liar, (void)data;
  AseLeg *leg = &g_array_index(c->itinerary->legs, AseLeg, 0);
  leg->passes = 2;
  leg->speed_R = 1.0;
  g_signal_connect(c->rig.device, "event", G_CALLBACK(tell_clock), c);
  rig_arm(&c->rig);
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==, "the clock stands still");
  g_assert_false(last_run(c)->is_complete);
}

static void test_tail(void) {
  with_liar(SWEEP, HONEST, do_tail, NULL);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  for (gsize k = 0; k < G_N_ELEMENTS(blinds); k++) {
    char *path = g_strdup_printf("/runner/watch/%s", blinds[k].name);
    g_test_add_data_func(path, &blinds[k], test_blind);
    g_free(path);
  }
  g_test_add_func("/runner/watch/unseen", test_unseen);
  g_test_add_func("/runner/watch/stutter", test_stutter);
  g_test_add_func("/runner/watch/hang", test_hang);
  g_test_add_func("/runner/watch/tail", test_tail);
  return g_test_run();
}
