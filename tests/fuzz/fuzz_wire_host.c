/* SPDX-License-Identifier: MIT */
/* A host that hears any bytes: answers and reports in good frames (so that the fuzzer gets behind
 * the CRC), raw bytes, time that passes, requests of its own. Twice, once with the bytes whole and
 * once one by one: both hear and send the same.
 *
 * The input is a list of steps: 0xff t = t times 10 ms pass; 0xfe n bytes = n raw bytes; 0xfd k =
 * the host sends the k-th request; 0xfc n = STOP, KILL, a new line, by n; otherwise k n bytes = a
 * frame of the k-th type with n bytes of payload, of which the first two, when they are 0, become
 * the number that is waited for. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

typedef struct {
  WireHost host;
  uint32_t sent, heard; /* digests */
  uint64_t answers;
} World;

static World whole, split;
static uint64_t now_us;
static uint16_t seq; /* of the next frame of the device */

static const uint16_t types[] = {
    WIRE_TYPE_HELLO_ACK,   WIRE_TYPE_STATE,        WIRE_TYPE_JOINT,  WIRE_TYPE_SCHEMA,
    WIRE_TYPE_PARAM_VALUE, WIRE_TYPE_UPLOAD_STATE, WIRE_TYPE_DIGEST, WIRE_TYPE_SUBSCRIBED,
    WIRE_TYPE_ACK,         WIRE_TYPE_REFUSED,      WIRE_TYPE_TELEM,  WIRE_TYPE_HEALTH,
    WIRE_TYPE_EVENT,       WIRE_TYPE_LOG,          WIRE_TYPE_STOP,   0x8ff,
};
static const uint16_t requests[] = {WIRE_TYPE_HELLO,  WIRE_TYPE_STATE_GET,   WIRE_TYPE_JOINT_GET,
                                    WIRE_TYPE_COMMIT, WIRE_TYPE_UPLOAD_DATA, WIRE_TYPE_ARM,
                                    WIRE_TYPE_MOVE,   WIRE_TYPE_PARAM_SET};

static void require(bool claim) {
  if (!claim)
    abort();
}

static void send_bytes(void *ctx, const uint8_t *bytes, size_t n) {
  World *w = ctx;
  require(n > 0 && n <= WIRE_HOST_SEND_MAX && bytes[0] == 0 && bytes[n - 1] == 0);
  w->sent = wire_crc32(w->sent, bytes, n);
}

static void hear(World *w, const uint8_t *bytes, size_t n) {
  WireIncoming in;
  while (wire_host_next(&w->host, now_us, &bytes, &n, &in)) {
    uint8_t head[12];
    require(in.type & WIRE_FROM_DEVICE && in.length <= WIRE_PAYLOAD_MAX);
    require(in.kind == WIRE_INCOMING_REPORT || (in.length >= 2 && in.tries > 0));
    w->answers += in.kind != WIRE_INCOMING_REPORT;
    wire_put_u16(head, in.type);
    wire_put_u16(head + 2, in.request_seq);
    wire_put_u32(head + 4, (uint32_t)(in.t_us & UINT32_MAX));
    wire_put_u32(head + 8, in.lost + (uint32_t)in.kind);
    w->heard = wire_crc32(w->heard, head, sizeof head);
    w->heard = wire_crc32(w->heard, in.payload, in.length);
  }
  require(n == 0);
}

static void feed(const uint8_t *bytes, size_t n) {
  hear(&whole, bytes, n);
  for (size_t k = 0; k < n; k++)
    hear(&split, bytes + k, 1);
}

static void feed_frame(uint8_t step, const uint8_t *bytes, size_t n) {
  uint8_t payload[256], frame[WIRE_FRAME_MAX];
  memcpy(payload, bytes, n);
  if (n >= 2 && wire_get_u16(payload) == 0)
    wire_put_u16(payload,
                 whole.host.request.is_open ? whole.host.request.seq : whole.host.stop.seq);
  seq = (uint16_t)(step & 0x80 ? seq + (step >> 5 & 3u) : seq + 1u);
  const WireHeader header = {step & 0x10 ? 2 : WIRE_VERSION, types[step % 16u], seq,
                             (uint32_t)seq << 20};
  feed(frame, wire_frame_encode(frame, &header, payload, n));
}

static void request(World *w, uint8_t which) {
  const uint8_t payload[200] = {1};
  const bool was_open = w->host.request.is_open;
  const bool is_sent =
      wire_host_request(&w->host, now_us, requests[which % 8u], payload, which % 200u);
  require(is_sent != was_open);
}

static void interrupt(World *w, uint8_t which) {
  if (which % 3u == 0)
    wire_host_stop(&w->host, now_us);
  else if (which % 3u == 1)
    wire_host_kill(&w->host, now_us);
  else
    wire_host_disconnect(&w->host);
}

static void check(const World *w) {
  const WireHostCounters *c = &w->host.counters;
  const WireCounters *frames = &w->host.decoder.counters;
  require(c->answers == w->answers && c->answers + c->timeouts <= c->requests);
  require(c->telem + c->others + c->doubled + c->echoes + c->unknown + c->versions ==
          frames->frames + frames->emergencies);
}

static size_t step(const uint8_t *bytes, size_t length) {
  const uint8_t kind = bytes[0], n = bytes[1];
  World *const both[] = {&whole, &split};
  if (kind == 0xff)
    now_us += (uint64_t)n * 10000u;
  for (int k = 0; k < 2; k++) {
    if (kind == 0xff)
      (void)wire_host_tick(&both[k]->host, now_us);
    else if (kind == 0xfd)
      request(both[k], n);
    else if (kind == 0xfc)
      interrupt(both[k], n);
  }
  if (kind >= 0xfc && kind != 0xfe)
    return 2;
  const size_t size = n < length - 2 ? n : length - 2;
  if (kind == 0xfe)
    feed(bytes + 2, size);
  else
    feed_frame(kind, bytes + 2, size);
  return 2 + size;
}

static void start(World *w) {
  memset(w, 0, sizeof *w);
  wire_host_init(&w->host, send_bytes, w, 100000, 0xfff0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  now_us = 1;
  seq = 0;
  start(&whole);
  start(&split);
  for (size_t at = 0; at + 1 < length;) {
    at += step(bytes + at, length - at);
    check(&whole);
    require(whole.sent == split.sent && whole.heard == split.heard);
  }
  require(memcmp(&whole.host.counters, &split.host.counters, sizeof whole.host.counters) == 0);
  require(memcmp(&whole.host.decoder.counters, &split.host.decoder.counters,
                 sizeof whole.host.decoder.counters) == 0);
  return 0;
}
