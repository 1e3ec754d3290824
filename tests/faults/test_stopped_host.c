/* SPDX-License-Identifier: MIT */
/* The host's process is stopped (SIGSTOP) in mid-sweep, heartbeat, reader and all: the arm halts by
 * itself when its lease is over.
 *
 * The host is a child, this program with --host PORT. While it is stopped nobody reads its pty, so
 * that this process can, and sees by the controller's own time stamps what the arm does; it writes
 * nothing. Then the child goes on, and says what it makes of it. */
#include <errno.h>
#include <fcntl.h>
#include <gio/gunixinputstream.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chain.h"
#include "wire/frame.h"
#include "wire/message.h"

enum { LEASE_MS = 300, WATCH_MS = 1500 };

/* ---- the host ---- */

/* One line for each that the parent waits for. */
static int be_host(const char *port) {
  Chain *c = chain_new_at(port);
  chain_sweep(c);
  printf("sweeping\n");
  fflush(stdout);
  while (!c->has_stopped)
    g_main_context_iteration(NULL, TRUE);
  AioReply *state = chain_run(c, &(AioCommand){.kind = AIO_COMMAND_STATE});
  char *faults = aio_faults_text(state->state.faults, 0);
  const ChainRows rows = chain_rows(c);
  printf("%s|%s|%s|drives %s|%s|%s|%s\n", c->reason, aio_device_state_text(state->state.state),
         faults, state->state.drives_on ? "on" : "off", aio_motion_end_text(state->state.last_end),
         rows.n > 500 ? "rows" : "no rows", rows.missing > 0 ? "a gap" : "no gap");
  fflush(stdout);
  g_free(faults);
  aio_reply_free(state);
  chain_free(c);
  return 0;
}

/* ---- what the arm does meanwhile ---- */

typedef struct {
  bool has_first, has_fault, has_held;
  guint32 first_us, fault_us, held_us; /* held: the set-points are at rest */
  double first_qd;                     /* joint 2 [rad/s] */
  GArray *q, *t_us;                    /* joint 2 [rad, us since the first] */
  guint motion_first, state_last;
  guint32 faults_last;
  guint16 flags_last;
} Seen;

static void look(Seen *seen, const WireReceived *frame) {
  WireTelem t;
  WireTelemJoint joint;
  if (frame->header.type != WIRE_TYPE_TELEM || !wire_telem_get(&t, frame->payload, frame->length) ||
      !wire_telem_joint_get(&joint, frame->payload + WIRE_SIZE_TELEM + WIRE_SIZE_TELEM_JOINT,
                            WIRE_SIZE_TELEM_JOINT))
    return;
  const double q = 1e-6 * joint.q;
  if (!seen->has_first) {
    seen->has_first = true;
    seen->first_us = frame->header.t_us;
    seen->first_qd = 1e-6 * joint.qd;
    seen->motion_first = t.motion;
  }
  if (!seen->has_fault && t.faults) {
    seen->has_fault = true;
    seen->fault_us = frame->header.t_us;
  }
  if (!seen->has_held && t.faults && t.motion == WIRE_MOTION_NONE) {
    seen->has_held = true;
    seen->held_us = frame->header.t_us;
  }
  const guint32 t_us = frame->header.t_us - seen->first_us;
  g_array_append_val(seen->q, q);
  g_array_append_val(seen->t_us, t_us);
  seen->state_last = t.state;
  seen->faults_last = t.faults;
  seen->flags_last = t.flags;
}

static Seen watch(const char *port, guint ms) {
  static WireDecoder decoder;
  Seen seen = {.q = g_array_new(FALSE, FALSE, sizeof(double)),
               .t_us = g_array_new(FALSE, FALSE, sizeof(guint32))};
  const int fd = open(port, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  g_assert_cmpint(fd, >=, 0);
  wire_decoder_init(&decoder);
  const gint64 end = g_get_monotonic_time() + 1000 * (gint64)ms;
  while (g_get_monotonic_time() < end) {
    guint8 buffer[4096];
    struct pollfd on = {fd, POLLIN, 0};
    poll(&on, 1, 20);
    const ssize_t n = read(fd, buffer, sizeof buffer);
    const uint8_t *bytes = buffer;
    size_t left = n > 0 ? (size_t)n : 0;
    WireReceived received;
    while (wire_decoder_next(&decoder, &bytes, &left, &received))
      look(&seen, &received);
  }
  close(fd);
  return seen;
}

static double ms_between(guint32 from_us, guint32 to_us) {
  return 1e-3 * (double)(guint32)(to_us - from_us);
}

/* When the arm was last further than this from where it is in the end [ms since the first]. */
static double settled_ms(const Seen *seen, double rad) {
  const guint last = seen->q->len - 1;
  guint k = last;
  while (k > 0 &&
         fabs(g_array_index(seen->q, double, k) - g_array_index(seen->q, double, last)) < rad)
    k--;
  return 1e-3 * g_array_index(seen->t_us, guint32, k);
}

static void expect_held(const Seen *seen, const ArmLimits *limits) {
  g_assert_true(seen->has_first && seen->has_fault && seen->has_held);
  g_assert_cmpuint(seen->motion_first, ==, WIRE_MOTION_SWEEP);
  g_assert_cmpfloat(fabs(seen->first_qd), >, 0.9);
  const double fault_ms = ms_between(seen->first_us, seen->fault_us);
  const double held_ms = ms_between(seen->fault_us, seen->held_us);
  const double arm_ms = settled_ms(seen, 0.005) - fault_ms;
  const double braking_ms = 1e3 * fabs(seen->first_qd) / limits->accel_max;
  g_test_message(
      "the lease expired %.0f ms after the host was stopped; the set-point at rest %.0f ms "
      "later (deceleration %.0f ms), the arm within 5 mrad for good after %.0f ms",
      fault_ms, held_ms, braking_ms, arm_ms);
  g_assert_cmpfloat(fault_ms, >, 100);            /* it had been renewed */
  g_assert_cmpfloat(fault_ms, <=, LEASE_MS + 20); /* bytes that were under way */
  g_assert_cmpfloat(held_ms, <=, braking_ms + 10);
  g_assert_cmpfloat(arm_ms, <, braking_ms + 800); /* the servo's poles are at 10/s */
  g_assert_cmpuint(seen->state_last, ==, WIRE_STATE_LOCKED);
  g_assert_cmphex(seen->faults_last, ==, WIRE_FAULT_LEASE);
  g_assert_cmphex(seen->flags_last & WIRE_FLAG_DRIVES_ON, !=, 0);
}

/* ---- the two together ---- */

static GPid start_host(const char *port, GDataInputStream **lines) {
  const char *const arguments[] = {"/proc/self/exe", "--host", port, NULL};
  GError *error = NULL;
  GPid pid;
  int out;
  g_spawn_async_with_pipes(NULL, (char **)arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                           &pid, NULL, &out, NULL, &error);
  g_assert_no_error(error);
  GInputStream *stream = g_unix_input_stream_new(out, TRUE);
  *lines = g_data_input_stream_new(stream);
  g_object_unref(stream);
  return pid;
}

static void expect_line(GDataInputStream *lines, const char *expected) {
  char *line = g_data_input_stream_read_line(lines, NULL, NULL, NULL);
  g_assert_cmpstr(line, ==, expected);
  g_free(line);
}

static void stop(GPid pid) {
  int status = 0;
  g_assert_cmpint(kill(pid, SIGSTOP), ==, 0);
  g_assert_cmpint(waitpid(pid, &status, WUNTRACED), ==, pid);
  g_assert_true(WIFSTOPPED(status));
}

static void test_stopped_host(void) {
  GDataInputStream *lines;
  int status = 0;
  Chain *power = chain_new_power();
  const GPid pid = start_host(power->port, &lines);
  expect_line(lines, "sweeping");
  stop(pid);
  const Seen seen = watch(power->port, WATCH_MS);
  g_assert_cmpint(kill(pid, SIGCONT), ==, 0);
  expect_held(&seen, &power->rig.truth.plant.model.joints[1].limits);
  expect_line(lines, "LEASE: the lease expired|locked by a fault|LEASE: the lease expired|drives "
                     "on|ended by a fault|rows|no gap");
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
  g_array_unref(seen.q);
  g_array_unref(seen.t_us);
  g_object_unref(lines);
  chain_free(power);
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--host") == 0)
    return be_host(argv[2]);
  g_test_init(&argc, &argv, NULL);
  chain_begin(argv[1]);
  g_test_add_func("/faults/host stopped in mid-sweep", test_stopped_host);
  return g_test_run();
}
