/* SPDX-License-Identifier: MIT */
/* The acquirer with the native driver against the simulated controller, in real time. */
#include <glib.h>
#include <math.h>

#include "host.h"
#include "io/acquire/acquire.h"
#include "io/driver/native/driver_native.h"
#include "sim/loop.h"

enum { PATIENCE_MS = 20000, BEAT_MS = 5 };

typedef struct {
  AsimLoop *loop;
  AioAcquirer *acquirer;
  AioQueue *queue;
  GArray *events; /* AioEvent */
  bool beats;
  guint64 samples, lost, swept;
  double fastest, last_speed; /* of joint 2 */
} Arm;

static AioLink *plug_in(void *ctx, GError **error) {
  const int fd = asim_loop_connect(((Arm *)ctx)->loop, error);
  return fd < 0 ? NULL : aio_link_fd_new(fd, "simulated arm", error);
}

static void on_event(const AioEvent *event, void *ctx) {
  g_array_append_vals(((Arm *)ctx)->events, event, 1);
}

static void take_samples(Arm *arm) {
  for (AioChunk *chunk; (chunk = aio_queue_pop(arm->queue)); aio_chunk_unref(chunk)) {
    g_assert_cmpuint(chunk->joints, ==, 2);
    arm->samples += chunk->n;
    arm->lost += chunk->lost;
    for (guint k = 0; k < chunk->n; k++) {
      arm->last_speed = fabs(chunk->qd[k * 2 + 1]);
      arm->fastest = fmax(arm->fastest, arm->last_speed);
      arm->swept += chunk->joint[k] == 2;
    }
  }
}

/* One beat of what a main loop would do. */
static void beat(Arm *arm) {
  if (arm->beats)
    aio_acquirer_keep_alive(arm->acquirer);
  aio_acquirer_dispatch(arm->acquirer);
  take_samples(arm);
  g_usleep(BEAT_MS * 1000);
}

static AioReply *call(Arm *arm, const AioCommand *command) {
  const guint64 ticket = aio_acquirer_send(arm->acquirer, command, NULL, NULL);
  AioReply *reply = NULL;
  for (guint ms = 0; ms < PATIENCE_MS; ms += BEAT_MS) {
    beat(arm);
    if (aio_acquirer_wait(arm->acquirer, ticket, 0, &reply))
      return reply;
  }
  g_assert_not_reached();
}

static void must(Arm *arm, const AioCommand *command) {
  AioReply *reply = call(arm, command);
  g_assert_cmpstr(reply->message, ==, "");
  g_assert_cmpint(reply->code, ==, 0);
  aio_reply_free(reply);
}

static const AioEvent *await(Arm *arm, AioEventKind kind, guint n) {
  for (guint ms = 0; ms < PATIENCE_MS; ms += BEAT_MS) {
    guint seen = 0;
    for (guint k = 0; k < arm->events->len; k++)
      if (g_array_index(arm->events, AioEvent, k).kind == kind && seen++ == n)
        return &g_array_index(arm->events, AioEvent, k);
    beat(arm);
  }
  g_assert_not_reached();
}

static AioDeviceState describe(Arm *arm) {
  AioReply *reply = call(arm, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE});
  if (reply->code == AIO_REPLY_CODE(AIO_ERROR_GONE)) { /* switched on in this moment */
    aio_reply_free(reply);
    reply = call(arm, &(AioCommand){.kind = AIO_COMMAND_DESCRIBE});
  }
  g_assert_cmpstr(reply->message, ==, "");
  g_assert_cmpuint(reply->description->joints, ==, 2);
  aio_reply_free(reply);
  reply = call(arm, &(AioCommand){.kind = AIO_COMMAND_STATE});
  const AioDeviceState state = reply->state.state;
  aio_reply_free(reply);
  return state;
}

static Arm *arm_new(double factor) {
  GError *error = NULL;
  Arm *arm = g_new0(Arm, 1);
  int fd;
  arm->events = g_array_new(FALSE, FALSE, sizeof(AioEvent));
  arm->beats = true;
  arm->queue = aio_queue_new("recorder", 1000, AIO_QUEUE_KEEP_OLDEST, &error);
  arm->loop = asim_loop_start(host_controller(factor), &fd, &error);
  g_assert_no_error(error);
  const AioAcquirerOptions options = {.driver = &aio_driver_native,
                                      .on_event = on_event,
                                      .event_ctx = arm,
                                      .reopen = plug_in,
                                      .reopen_ctx = arm};
  arm->acquirer = aio_acquirer_new(&options, aio_link_fd_new(fd, "simulated arm", &error), &error);
  g_assert_no_error(error);
  g_assert_true(aio_acquirer_subscribe(arm->acquirer, arm->queue));
  g_assert_cmpint(describe(arm), ==, AIO_DEVICE_OFF);
  must(arm, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY, .telemetry = {1000, 0}});
  must(arm, &(AioCommand){.kind = AIO_COMMAND_ARM, .ttl_ms = 300});
  return arm;
}

static void arm_free(Arm *arm) {
  aio_acquirer_free(arm->acquirer);
  asim_loop_stop(arm->loop);
  aio_queue_unref(arm->queue);
  g_array_unref(arm->events);
  g_free(arm);
}

/* Two legs of 0.8 rad at 0.5 rad/s. */
static const AioCommand sweep = {
    .kind = AIO_COMMAND_SWEEP,
    .sweep = {.joint = 2, .q0 = -0.4, .q1 = 0.4, .speed = 0.5, .accel = 2, .passes = 2}};

static void test_sweep(gconstpointer factor) {
  Arm *arm = arm_new(GPOINTER_TO_INT(factor));
  AioStatistics statistics;
  must(arm, &sweep);
  g_assert_cmpint(await(arm, AIO_EVENT_MOTION_END, 0)->end, ==, AIO_END_DONE);
  aio_acquirer_statistics(arm->acquirer, &statistics);
  g_test_message("%" G_GUINT64_FORMAT " samples, %" G_GUINT64_FORMAT
                 " of the sweep, lost %" G_GUINT64_FORMAT ", %.0f/s; round trip %.2f ms, 99 %%: "
                 "%.2f ms; reader at worst %.2f ms; skew %.1f ppm",
                 arm->samples, arm->swept, arm->lost, statistics.samples_per_s,
                 1e-6 * (double)statistics.round_trip_p50_ns,
                 1e-6 * (double)statistics.round_trip_p99_ns,
                 1e-6 * (double)statistics.reader_worst_ns, statistics.clock_skew_ppm);
  g_assert_cmpuint(arm->lost, ==, 0);
  g_assert_cmpuint(statistics.counters.samples_lost + statistics.counters.frames_bad, ==, 0);
  g_assert_cmpuint(statistics.counters.samples, >=, arm->samples);
  g_assert_cmpuint(arm->swept, >, 2 * 1600); /* device time */
  g_assert_cmpfloat(arm->fastest, >, 0.45);
  arm_free(arm);
}

static void test_stop(void) {
  Arm *arm = arm_new(1);
  must(arm, &sweep);
  while (arm->last_speed < 0.4)
    beat(arm);
  must(arm, &(AioCommand){.kind = AIO_COMMAND_STOP});
  g_assert_cmpint(await(arm, AIO_EVENT_MOTION_END, 0)->end, ==, AIO_END_STOP);
  for (guint k = 0; k < 100; k++)
    beat(arm);
  g_assert_cmpfloat(arm->last_speed, <, 0.05);
  arm_free(arm);
}

/* The main loop hangs: the device halts by itself, and the reader goes on. */
static void test_hanging_program(void) {
  Arm *arm = arm_new(1);
  must(arm, &sweep);
  arm->beats = false;
  const guint64 before = arm->samples;
  const gint64 begin_us = g_get_monotonic_time();
  g_assert_cmpuint(await(arm, AIO_EVENT_FAULT, 0)->value, ==, 1);
  const double ms = 1e-3 * (double)(g_get_monotonic_time() - begin_us);
  g_test_message("the lease ended %.0f ms after the last heartbeat", ms);
  g_assert_cmpfloat(ms, >, 300);
  g_assert_cmpfloat(ms, <, 1000);
  g_assert_cmpuint(arm->samples, >, before);
  arm_free(arm);
}

static void test_unplug(void) {
  Arm *arm = arm_new(1);
  must(arm, &sweep);
  const AioCommand unplug = {.kind = AIO_COMMAND_TEST, .test = {.kind = 8, .duration_ms = 300}};
  aio_reply_free(call(arm, &unplug)); /* acknowledged, if the cable still carried it */
  const AioEvent *event = await(arm, AIO_EVENT_LINK, 0);
  g_assert_cmpuint(event->value, ==, 0);
  event = await(arm, AIO_EVENT_LINK, 1);
  g_assert_cmpuint(event->value, ==, 1);
  g_assert_cmpint(describe(arm), !=, AIO_DEVICE_ARMED);
  arm_free(arm);
}

/* Another program connects. */
static void connect_again(Arm *arm) {
  const AioAcquirerOptions options = {.driver = &aio_driver_native};
  GError *error = NULL;
  AioLink *link = plug_in(arm, &error);
  g_assert_no_error(error);
  arm->acquirer = aio_acquirer_new(&options, link, &error);
  g_assert_no_error(error);
}

/* A program went without a word; what the controller could not send to it since is no loss of the
 * next one. */
static void test_after_another(void) {
  Arm *arm = arm_new(10);
  AioStatistics statistics;
  g_clear_pointer(&arm->acquirer, aio_acquirer_free);
  take_samples(arm);
  g_usleep(600000); /* of telemetry at 10 kHz, of which 64 KiB wait */
  arm->lost = arm->samples = 0;
  aio_queue_open(arm->queue);
  connect_again(arm);
  g_assert_true(aio_acquirer_subscribe(arm->acquirer, arm->queue));
  describe(arm);
  must(arm, &(AioCommand){.kind = AIO_COMMAND_TELEMETRY, .telemetry = {1000, 10}});
  while (arm->samples < 1000)
    beat(arm);
  aio_acquirer_statistics(arm->acquirer, &statistics);
  g_assert_cmpuint(arm->lost, ==, 0);
  g_assert_cmpuint(statistics.counters.samples_lost, ==, 0);
  g_assert_cmpuint(statistics.counters.other_lost, ==, 0);
  arm_free(arm);
}

/* Whoever ends an armed program finds the arm halted, not armed and without a fault. */
static void test_end(void) {
  Arm *arm = arm_new(1);
  must(arm, &sweep);
  const gint64 begin_us = g_get_monotonic_time();
  aio_acquirer_free(arm->acquirer);
  g_test_message("ended in %.1f ms", 1e-3 * (double)(g_get_monotonic_time() - begin_us));
  connect_again(arm);
  g_assert_cmpint(describe(arm), ==, AIO_DEVICE_HALTED);
  AioReply *reply = call(arm, &(AioCommand){.kind = AIO_COMMAND_STATE});
  g_assert_cmpuint(reply->state.faults, ==, 0);
  g_assert_cmpint(reply->state.last_end, ==, AIO_END_STOP);
  aio_reply_free(reply);
  arm_free(arm);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/sim/acquire/sweep/real-time", GINT_TO_POINTER(1), test_sweep);
  g_test_add_data_func("/sim/acquire/sweep/compressed", GINT_TO_POINTER(10), test_sweep);
  g_test_add_func("/sim/acquire/stop", test_stop);
  g_test_add_func("/sim/acquire/hanging-program", test_hanging_program);
  g_test_add_func("/sim/acquire/unplug", test_unplug);
  g_test_add_func("/sim/acquire/after-another", test_after_another);
  g_test_add_func("/sim/acquire/end", test_end);
  return g_test_run();
}
