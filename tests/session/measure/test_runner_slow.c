/* SPDX-License-Identifier: MIT */
/* The runner and a controller whose clock is slower than it says, on a line that may lose words:
 * what is late, what is silent, and what only seems to be. */
#include <errno.h>
#include <glib.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner_case.h"
#include "wire/frame.h"
#include "wire/message.h"

static const double announced = 200.0, real = 1.5;

typedef struct {
  AsimController *controller;
  int fd;
  atomic_bool is_over, loses_motions, loses_ends;
  atomic_uint lost;
  WireDecoder heard, said;
} Slow;

/* The line may lose every request for a motion, or every word of its end; all else arrives. */
static void hear(Slow *slow, const guint8 *bytes, gsize n) {
  WireReceived received;
  guint8 frame[1 + WIRE_FRAME_MAX] = {WIRE_DELIMITER};
  while (wire_decoder_next(&slow->heard, &bytes, &n, &received)) {
    const guint type = received.header.type & ~(guint)WIRE_GUARDED;
    if (slow->loses_motions && (type == WIRE_TYPE_MOVE || type == WIRE_TYPE_SWEEP)) {
      slow->lost++;
      continue;
    }
    const gsize length =
        wire_frame_encode(frame + 1, &received.header, received.payload, received.length);
    asim_controller_receive(slow->controller, frame, 1 + length);
  }
}

static bool is_end(const WireReceived *received) {
  WireEvent event;
  return received->header.type == WIRE_TYPE_EVENT &&
         wire_event_get(&event, received->payload, received->length) &&
         event.code == WIRE_EVENT_MOTION_END;
}

/* The host may have closed its end. */
static void say(Slow *slow, const guint8 *bytes, gsize n) {
  WireReceived received;
  guint8 frame[1 + WIRE_FRAME_MAX] = {WIRE_DELIMITER};
  while (wire_decoder_next(&slow->said, &bytes, &n, &received)) {
    if (slow->loses_ends && is_end(&received)) {
      slow->lost++;
      continue;
    }
    const gsize length =
        1 + wire_frame_encode(frame + 1, &received.header, received.payload, received.length);
    if (write(slow->fd, frame, length) != (gssize)length && errno != EPIPE)
      g_error("%s", g_strerror(errno));
  }
}

static void exchange(Slow *slow) {
  guint8 bytes[4096];
  gssize n = read(slow->fd, bytes, sizeof bytes);
  if (n > 0)
    hear(slow, bytes, (gsize)n);
  while ((n = (gssize)asim_controller_take(slow->controller, bytes, sizeof bytes)) > 0)
    say(slow, bytes, (gsize)n);
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

static bool has_pose(void *data) {
  double q[ARM_MAX_JOINTS];
  return ase_device_pose(data, q);
}

/* Up to the first leg that lasts longer than 5 s by the controller's clock. */
static void run_to_long_leg(Case *c, Slow *slow) {
  (void)slow;
  guint end = 0;
  while (g_array_index(c->itinerary->legs, AseLeg, end++).duration_s < 5.0)
    g_assert_cmpuint(end, <, c->itinerary->legs->len);
  GError *error = NULL;
  rig_arm(&c->rig);
  g_assert_true(rig_wait(has_pose, c->rig.device, 5.0));
  ase_runner_start(c->runner, 0, end, &error);
  g_assert_no_error(error);
  rig_wait(has_stopped, c, 60.0);
  g_assert_cmpstr(c->reason, ==, "done");
}

/* After it was looked at more than once, and was not late. */
static void fall_silent_later(Case *c, Slow *slow) {
  guint first = 0;
  while (!g_array_index(c->itinerary->legs, AseLeg, first).sweeps)
    first++;
  g_array_index(c->itinerary->legs, AseLeg, first).passes = 20;
  rig_arm(&c->rig);
  start(c, first);
  rig_pass(5.0);
  g_assert_false(c->has_stopped);
  slow->is_over = true;
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==,
                  "the controller has fallen silent; Hold was sent, but watch the arm");
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

static AioChunk *old_sample(const Case *c, guint16 motion) {
  const AioSample old = {.t_us = 0, .motion = motion};
  AioChunk *chunk = aio_chunk_new((guint)c->itinerary->n, 0);
  g_assert_true(aio_chunk_push(chunk, &old, 0));
  return chunk;
}

/* Of what was before the leg: it waited while the computer was busy. */
static void bring_old(AseRunner *runner, guint leg, gpointer run, Case *c) {
  (void)runner, (void)leg, (void)run;
  AioChunk *chunk = old_sample(c, 0);
  g_signal_emit_by_name(c->rig.device, "chunk", chunk);
  aio_chunk_unref(chunk);
}

static void run_behind(Case *c, Slow *slow) {
  g_signal_connect(c->runner, "leg-started", G_CALLBACK(bring_old), c);
  run_to_long_leg(c, slow);
}

static bool has_number(void *data) {
  return last_run(data)->motion != 0;
}

/* As if it had begun long ago by the controller's clock. */
static void make_late(Case *c) {
  g_assert_true(rig_wait(has_number, c, 5.0));
  AseRun *run = g_ptr_array_index(ase_runner_runs(c->runner), 0);
  g_ptr_array_insert(run->chunks, 0, old_sample(c, run->motion));
}

/* Whatever it is that a late leg does: the arm is halted. */
static void be_late(Case *c, Slow *slow) {
  (void)slow;
  guint first = 0;
  while (!g_array_index(c->itinerary->legs, AseLeg, first).sweeps)
    first++;
  g_array_index(c->itinerary->legs, AseLeg, first).passes = 20; /* not over when it is looked at */
  rig_arm(&c->rig);
  start(c, first);
  make_late(c);
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==, "it did not end in time; the arm was stopped");
  g_assert_false(c->is_done);
  g_assert_true(rig_wait(is_at_rest, c, 5.0));
}

/* It still moves when it should be over by the computer's clock and is asked; by its own it is over
 * in time, and nobody hears. */
static void lose_end(Case *c, Slow *slow) {
  guint leg = 0;
  while (!g_array_index(c->itinerary->legs, AseLeg, leg).sweeps)
    leg++;
  AseLeg *sweep = &g_array_index(c->itinerary->legs, AseLeg, leg);
  sweep->passes = 1; /* short: late when it is looked at after 3 s */
  sweep->speed_R = 1.5;
  sweep->accel_R = 10.0;
  GError *error = NULL;
  rig_arm(&c->rig);
  g_assert_true(rig_wait(has_pose, c->rig.device, 5.0));
  slow->loses_ends = true;
  ase_runner_start(c->runner, leg, leg + 1, &error);
  g_assert_no_error(error);
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpstr(c->reason, ==, "done");
  g_assert_cmpuint(slow->lost, ==, 1);
  g_assert_cmpint(ase_device_stopped_by(c->rig.device), ==,
                  AIO_END_NONE); /* what has ended is not held */
}

/* Nobody knows then whether the arm moves: it is halted. */
static void lose_motions(Case *c, Slow *slow) {
  rig_arm(&c->rig);
  slow->loses_motions = true;
  start(c, 0);
  g_assert_true(rig_wait(has_stopped, c, 10.0));
  g_assert_cmpuint(slow->lost, >, 1); /* asked more than once */
  g_assert_false(c->is_done);
  g_assert_nonnull(strstr(c->reason, "MOVE"));
  g_assert_cmpint(ase_device_stopped_by(c->rig.device), ==, AIO_END_STOP);
  g_assert_true(rig_wait(is_at_rest, c, 5.0));
}

static void with_slow(void (*use)(Case *c, Slow *slow)) {
  Case *c = runner_case_new(1.0);
  const AsimOptions options = {.truth = &c->rig.truth,
                               .seed = 1,
                               .time_factor = announced,
                               .line_room = 1 << 16,
                               .first_t_us = 1000000000};
  GError *error = NULL;
  int pair[2];
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), ==, 0);
  Slow slow = {.controller = asim_controller_new(&options, &error), .fd = pair[0]};
  wire_decoder_init(&slow.heard);
  wire_decoder_init(&slow.said);
  g_assert_no_error(error);
  GThread *thread = g_thread_new("slow", run_slow, &slow);
  rig_open(&c->rig, pair[1], RIG_LEASE_MS);
  use(c, &slow);
  ase_device_close(c->rig.device);
  slow.is_over = true;
  g_thread_join(thread);
  asim_controller_free(slow.controller);
  close(slow.fd);
  runner_case_free(c);
}

/* By the computer's clock its sweeps last longer than any should; by its own they do not. */
static void test_slow(void) {
  with_slow(run_to_long_leg);
}

/* What was before it does not make it late. */
static void test_behind(void) {
  with_slow(run_behind);
}

static void test_late(void) {
  with_slow(be_late);
}

static void test_end_lost(void) {
  with_slow(lose_end);
}

static void test_silent(void) {
  with_slow(fall_silent);
}

static void test_silent_later(void) {
  with_slow(fall_silent_later);
}

static void test_unanswered(void) {
  with_slow(lose_motions);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/runner/behind", test_behind);
  g_test_add_func("/runner/late", test_late);
  g_test_add_func("/runner/slow", test_slow);
  g_test_add_func("/runner/end-lost", test_end_lost);
  g_test_add_func("/runner/silent", test_silent);
  g_test_add_func("/runner/silent-later", test_silent_later);
  g_test_add_func("/runner/unanswered", test_unanswered);
  return g_test_run();
}
