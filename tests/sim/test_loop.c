/* SPDX-License-Identifier: MIT */
/* The controller in a thread of its own, at the other end of a socket, in real time. */
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "sim/loop.h"
#include "wire/frame.h"
#include "wire/sequence.h"

typedef struct {
  int fd;
  guint16 seq;
  WireDecoder decoder;
  WireSequence telem;
  guint n_telem;
  bool is_closed;
  WireHeader first_telem, last_telem;
} Line;

static AsimLoop *start(double factor, Line *line) {
  GError *error = NULL;
  *line = (Line){.fd = -1};
  AsimLoop *loop = asim_loop_start(host_controller(factor), &line->fd, &error);
  g_assert_no_error(error);
  wire_decoder_init(&line->decoder);
  wire_sequence_init(&line->telem);
  return loop;
}

static void send_request(Line *line, guint16 type, const guint8 *payload, gsize length) {
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, type, line->seq++, 0};
  const gsize n = wire_frame_encode(bytes, &header, payload, length);
  g_assert_cmpint(write(line->fd, bytes, n), ==, (gssize)n);
}

/* Reads until a frame of the type has come (true) or the time is over. */
static bool await(Line *line, guint16 type, gint64 ms) {
  const gint64 end_us = g_get_monotonic_time() + ms * 1000;
  bool has_come = false;
  while (!has_come && !line->is_closed && g_get_monotonic_time() < end_us) {
    struct pollfd wait = {.fd = line->fd, .events = POLLIN};
    guint8 buffer[4096];
    if (poll(&wait, 1, 5) <= 0)
      continue;
    const gssize got = read(line->fd, buffer, sizeof buffer);
    line->is_closed = got == 0;
    size_t n = got > 0 ? (size_t)got : 0;
    const uint8_t *bytes = buffer;
    WireReceived received;
    while (wire_decoder_next(&line->decoder, &bytes, &n, &received)) {
      has_come = has_come || received.header.type == type;
      if (received.header.type != WIRE_TYPE_TELEM)
        continue;
      if (line->n_telem++ == 0)
        line->first_telem = received.header;
      line->last_telem = received.header;
      (void)wire_sequence_push(&line->telem, received.header.seq);
    }
  }
  return has_come;
}

static void hello(Line *line) {
  guint8 payload[WIRE_SIZE_HELLO];
  const WireHello message = {.major = WIRE_VERSION, .host_id = 1};
  wire_hello_put(payload, &message);
  send_request(line, WIRE_TYPE_HELLO, payload, sizeof payload);
  g_assert_true(await(line, WIRE_TYPE_HELLO_ACK, 5000));
}

static void subscribe(Line *line, guint16 hz) {
  guint8 payload[WIRE_SIZE_SUBSCRIBE];
  const WireSubscribe message = {hz, 0};
  wire_subscribe_put(payload, &message);
  send_request(line, WIRE_TYPE_SUBSCRIBE, payload, sizeof payload);
  g_assert_true(await(line, WIRE_TYPE_SUBSCRIBED, 5000));
}

/* Device time is wall time times the factor, and no telemetry is lost. */
static void test_rate(void) {
  for (int factor = 1; factor <= 5; factor += 4) {
    Line line;
    AsimLoop *loop = start(factor, &line);
    hello(&line);
    subscribe(&line, 500);
    const gint64 start_us = g_get_monotonic_time();
    (void)await(&line, WIRE_TYPE_LOG, 1000);
    const double wall_s = (double)(g_get_monotonic_time() - start_us) * 1e-6;
    const double device_s = (line.last_telem.t_us - line.first_telem.t_us) * 1e-6;
    g_test_message("factor %d: %.3f s of device time in %.3f s", factor, device_s, wall_s);
    g_assert_cmpfloat(device_s, <, factor * (wall_s + 0.1));
    g_assert_cmpfloat(device_s, >, factor * (wall_s - 0.2)); /* a busy machine may slip */
    g_assert_cmpuint(line.telem.lost, ==, 0);
    asim_loop_stop(loop);
    close(line.fd);
  }
}

/* A host that does not read stops nothing: the newest frames come after it reads again. */
static void test_deaf_host(void) {
  Line line;
  AsimLoop *loop = start(20.0, &line);
  hello(&line);
  subscribe(&line, 1000);
  g_usleep(1000000);
  (void)await(&line, WIRE_TYPE_LOG, 500);
  g_assert_cmpuint(line.telem.lost, >, 100);
  g_assert_cmpfloat((line.last_telem.t_us - line.first_telem.t_us) * 1e-6, >, 5.0);
  g_assert_cmpuint(wire_counters_rejected(&line.decoder.counters), ==, 0);
  asim_loop_stop(loop);
  close(line.fd);
}

static int connect_again(AsimLoop *loop, gint64 ms) {
  const gint64 end_us = g_get_monotonic_time() + ms * 1000;
  int fd = -1;
  while (fd < 0 && g_get_monotonic_time() < end_us) {
    GError *error = NULL;
    g_usleep(1000);
    fd = asim_loop_connect(loop, &error);
    if (fd < 0)
      g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
    g_clear_error(&error);
  }
  return fd;
}

static void test_unplug(void) {
  Line line;
  AsimLoop *loop = start(1.0, &line);
  guint8 payload[WIRE_SIZE_TEST];
  const WireTest unplug = {WIRE_TEST_UNPLUG, 0, 0, 300};
  GError *error = NULL;
  hello(&line);
  wire_test_put(payload, &unplug);
  send_request(&line, WIRE_TYPE_TEST, payload, sizeof payload);
  (void)await(&line, WIRE_TYPE_LOG, 200);
  g_assert_true(line.is_closed);
  g_assert_cmpint(asim_loop_connect(loop, &error), ==, -1);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_GONE);
  g_clear_error(&error);
  close(line.fd);
  line.fd = connect_again(loop, 5000);
  line.is_closed = false;
  hello(&line);
  asim_loop_stop(loop);
  close(line.fd);
}

/* A program that dies and one that comes back. */
static void test_host_goes(void) {
  Line line;
  AsimLoop *loop = start(1.0, &line);
  hello(&line);
  subscribe(&line, 1000);
  for (int k = 0; k < 3; k++) {
    close(line.fd);
    g_usleep(20000);
    GError *error = NULL;
    line.fd = asim_loop_connect(loop, &error);
    g_assert_no_error(error);
    hello(&line);
    subscribe(&line, 1000);
  }
  const int before = line.fd; /* still open: it is dead once another has come */
  const int after = asim_loop_connect(loop, NULL);
  line.fd = after;
  hello(&line);
  line.fd = before;
  (void)await(&line, WIRE_TYPE_LOG, 1000);
  g_assert_true(line.is_closed);
  close(after);
  asim_loop_stop(loop);
  close(line.fd);
  asim_loop_stop(NULL);
}

/* ---- the clock ---- */

static int plug_nothing(void *ctx, int fd) {
  (void)ctx;
  return fd;
}

static void unplug_nothing(void *ctx, int fd) {
  (void)ctx;
  (void)fd;
}

/* Holds the loop up, now and then for longer than it can catch up with. */
static bool is_tired(void *ctx) {
  gint64 *calls = ctx;
  if (++*calls == 50 || *calls == 100)
    g_usleep(*calls == 50 ? 60000 : 250000);
  return *calls > 150;
}

static void test_drift(void) {
  gint64 calls = 0;
  const AsimCable cable = {plug_nothing, unplug_nothing, is_tired, &calls};
  AsimController *controller = host_controller(3.0);
  AsimLoopReport report;
  asim_loop_run(controller, &cable, &report);
  g_test_message("%.4f s of device time in %.4f s, %.4f s slipped", report.device_s, report.wall_s,
                 report.slipped_s);
  g_assert_cmpfloat(report.slipped_s, >, 0.14);
  const double passed_s = report.wall_s - report.slipped_s;
  g_assert_cmpfloat(report.device_s, <=, 3.0 * passed_s + 1e-3);
  g_assert_cmpfloat(report.device_s, >, 3.0 * (passed_s - 0.05));
  asim_controller_free(controller);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim/loop/drift", test_drift);
  g_test_add_func("/sim/loop/rate", test_rate);
  g_test_add_func("/sim/loop/deaf-host", test_deaf_host);
  g_test_add_func("/sim/loop/unplug", test_unplug);
  g_test_add_func("/sim/loop/host-goes", test_host_goes);
  return g_test_run();
}
