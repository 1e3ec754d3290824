/* SPDX-License-Identifier: MIT */
#include "sim_rate.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sim/controller.h"
#include "support/support.h"
#include "wire/frame.h"

static guint16 seq;

static void ask(AsimController *controller, guint16 type, const guint8 *payload, size_t length) {
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, type, seq++, 0};
  asim_controller_receive(controller, bytes, wire_frame_encode(bytes, &header, payload, length));
}

/* Takes what is there; the token of HELLO_ACK, if it is among it. */
static guint32 drain(AsimController *controller) {
  static WireDecoder decoder;
  guint32 token = 0;
  guint8 buffer[4096];
  size_t n;
  while ((n = asim_controller_take(controller, buffer, sizeof buffer)) > 0) {
    const uint8_t *bytes = buffer;
    WireReceived received;
    WireHelloAck ack;
    while (wire_decoder_next(&decoder, &bytes, &n, &received))
      if (received.header.type == WIRE_TYPE_HELLO_ACK &&
          wire_hello_ack_get(&ack, received.payload, received.length))
        token = ack.token;
  }
  return token;
}

static void set_moving(AsimController *controller) {
  guint8 payload[WIRE_PAYLOAD_MAX];
  wire_hello_put(payload, &(WireHello){.major = WIRE_VERSION, .host_id = 1});
  ask(controller, WIRE_TYPE_HELLO, payload, WIRE_SIZE_HELLO);
  wire_arm_put(payload, &(WireArm){drain(controller), 2000});
  ask(controller, WIRE_TYPE_ARM, payload, WIRE_SIZE_ARM);
  wire_subscribe_put(payload, &(WireSubscribe){1000, 10});
  ask(controller, WIRE_TYPE_SUBSCRIBE, payload, WIRE_SIZE_SUBSCRIBE);
  wire_sweep_put(payload, &(WireSweep){2, 255, 0, -2000000, -1000000, 1000000, 4000000, 0});
  ask(controller, WIRE_TYPE_SWEEP, payload, WIRE_SIZE_SWEEP);
}

/* Time is compressed 100 times, so that the lease lasts. */
double sim_rate(const char *arm, double seconds) {
  g_autofree AsimTruth *truth = g_new0(AsimTruth, 1);
  GError *error = NULL;
  const AsimOptions options = {.truth = truth, .time_factor = 100.0, .line_room = 1 << 16};
  AsimController *controller = asim_truth_load(truth, test_source_path(arm), 1, &error)
                                   ? asim_controller_new(&options, &error)
                                   : NULL;
  if (!controller) {
    fprintf(stderr, "%s: %s\n", arm, error->message);
    g_clear_error(&error);
    return 0;
  }
  set_moving(controller);
  const clock_t start = clock();
  for (double t = 0.0; t < seconds; t += 0.1, drain(controller))
    asim_controller_advance(controller, 1000);
  const double cpu_s = (double)(clock() - start) / CLOCKS_PER_SEC;
  asim_controller_free(controller);
  return seconds / cpu_s;
}
