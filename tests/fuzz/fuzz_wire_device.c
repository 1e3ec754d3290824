/* SPDX-License-Identifier: MIT */
/* A device with memory for hardware, driven by any bytes: requests in good frames (so that the
 * fuzzer gets behind the CRC), raw bytes, time that passes. Twice, once with the bytes whole and
 * once one by one: both send the same. What must hold after every step is checked.
 *
 * The input is a list of steps: 0xff t = t ticks of 4 ms pass; 0xfe n bytes = n raw bytes;
 * otherwise k n bytes = the k-th request with n bytes of payload. Where a request has a token,
 * schema CRC or digest that are 0, the right one is put in. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/device.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum {
  JOINTS = 2,
  PARAMS = 3,
  SLOT = WIRE_SLOT_HEADER_BYTES + 4 * PARAMS,
  TICK_MS = 4,
  TICKS_MAX = 400
};

typedef struct {
  WireDevice device;
  uint32_t time_us, digest;
  bool drives_on;
  WireReading reading;
  int32_t q[JOINTS], qd[JOINTS];
  uint8_t slots[WIRE_SLOTS][SLOT];
} World;

static World whole, split;

static const WireDeviceJoint joints[JOINTS] = {
    {false, -1000000, 1000000, 2000000, 10000000, 5000, 8000, 50000, 1000},
    {true, 0, 300000, 500000, 2000000, 0, 0, 0, 1000},
};
static const WireDeviceParam params[PARAMS] = {
    {1, WIRE_PARAM_F32, 0, 0x00000000u, 0x43c80000u, 0x42c80000u, "kp", "1/s2"},
    {2, WIRE_PARAM_I32, WIRE_PARAM_IS_LIVE, 0xfffffff6u, 10, 0, "trim", ""},
    {3, WIRE_PARAM_U32, WIRE_PARAM_IS_READ_ONLY, 0, 0xffffffffu, 7, "serial", ""},
};
static const WireDeviceConfig config = {.joints = joints,
                                        .n_joints = JOINTS,
                                        .params = params,
                                        .n_params = PARAMS,
                                        .time_factor = 1000,
                                        .ttl_min_ms = 50,
                                        .ttl_max_ms = 2000,
                                        .telem_max_hz = 1000};
static const uint16_t types[] = {
    WIRE_TYPE_HELLO,        WIRE_TYPE_STATE_GET,
    WIRE_TYPE_JOINT_GET,    WIRE_TYPE_SCHEMA_GET,
    WIRE_TYPE_PARAM_GET,    WIRE_TYPE_PARAM_SET,
    WIRE_TYPE_UPLOAD_BEGIN, WIRE_TYPE_UPLOAD_DATA,
    WIRE_TYPE_COMMIT,       WIRE_TYPE_UPLOAD_ABORT,
    WIRE_TYPE_DIGEST_GET,   WIRE_TYPE_SUBSCRIBE,
    WIRE_TYPE_ARM,          WIRE_TYPE_LEASE,
    WIRE_TYPE_DISARM,       WIRE_TYPE_CLEAR,
    WIRE_TYPE_MOVE,         WIRE_TYPE_SWEEP,
    WIRE_TYPE_TRAJ_BEGIN,   WIRE_TYPE_TRAJ_SEGMENT,
    WIRE_TYPE_TRAJ_START,   WIRE_TYPE_STOP,
    WIRE_TYPE_KILL,         WIRE_TYPE_TEST,
    WIRE_TYPE_ACK,          0x3ff,
};

static void require(bool claim) {
  if (!claim)
    abort();
}

/* ---- hardware ---- */

static uint32_t now_us(void *ctx) {
  return ((World *)ctx)->time_us;
}

static bool send_bytes(void *ctx, const uint8_t *bytes, size_t n) {
  World *w = ctx;
  require(n > 0 && n <= WIRE_FRAME_MAX && bytes[n - 1] == 0);
  w->digest = wire_crc32(w->digest, bytes, n);
  return true;
}

static void read_sensors(void *ctx, WireReading *reading) {
  const World *w = ctx;
  *reading = w->reading;
  reading->t_us = w->time_us;
  for (size_t j = 0; j < JOINTS; j++)
    reading->q[j] = w->q[j];
}

/* Set-points of before do not count once the drives were off. */
static bool switch_drives(void *ctx, bool on) {
  World *w = ctx;
  w->drives_on = on;
  memset(w->qd, 0, sizeof w->qd);
  return true;
}

/* Within the bounds of position, speed and acceleration, and only with the drives on. */
static void set_points(void *ctx, const int32_t *q, const int32_t *qd) {
  World *w = ctx;
  require(w->drives_on);
  for (size_t j = 0; j < JOINTS; j++) {
    require(q[j] >= joints[j].q_min - 1 && q[j] <= joints[j].q_max + 1);
    require((uint32_t)abs(qd[j]) <= joints[j].v_max + 1u);
    require((uint32_t)abs(qd[j] - w->qd[j]) <= joints[j].a_max * TICK_MS / 1000u + 2u);
    require((uint32_t)abs(q[j] - w->q[j]) <= joints[j].v_max * TICK_MS / 1000u + 2u);
    w->q[j] = q[j];
    w->qd[j] = qd[j];
  }
}

static bool erase(void *ctx, int slot) {
  memset(((World *)ctx)->slots[slot], 0xff, SLOT);
  return true;
}

static bool write_bytes(void *ctx, int slot, size_t offset, const uint8_t *bytes, size_t n) {
  require(offset + n <= SLOT);
  memcpy(((World *)ctx)->slots[slot] + offset, bytes, n);
  return true;
}

static bool load_bytes(void *ctx, int slot, size_t offset, uint8_t *bytes, size_t n) {
  require(offset + n <= SLOT);
  memcpy(bytes, ((World *)ctx)->slots[slot] + offset, n);
  return true;
}

static const WireHal hal = {now_us, now_us, send_bytes,  read_sensors, switch_drives, set_points,
                            NULL,   erase,  write_bytes, load_bytes,   NULL};

/* ---- steps ---- */

static void start(World *w) {
  memset(w, 0, sizeof *w);
  memset(w->slots, 0xff, sizeof w->slots);
  w->time_us = 0xfffffff0u;
  w->reading.is_estop_closed = true;
  require(wire_device_init(&w->device, &config, &hal, w));
}

static void check(const World *w) {
  const WireDevice *d = &w->device;
  require(d->drives_on == w->drives_on);
  require(d->state <= WIRE_STATE_LOCKED && d->motion.kind <= WIRE_MOTION_STOPPING);
  require((d->state == WIRE_STATE_LOCKED) == (d->faults != 0));
  require(d->state != WIRE_STATE_OFF || !d->drives_on);
  require(d->state != WIRE_STATE_HELD || d->drives_on);
  require(d->state != WIRE_STATE_ARMED || d->drives_on);
  require(d->motion.kind == WIRE_MOTION_NONE || d->drives_on);
  require(d->motion.kind == WIRE_MOTION_NONE || d->motion.kind == WIRE_MOTION_STOPPING ||
          d->state == WIRE_STATE_ARMED);
  require(d->trajectory.count <= WIRE_DEVICE_SEGMENTS);
  require(d->upload_received <= d->upload_length || !d->is_uploading);
}

static void feed(const uint8_t *bytes, size_t n) {
  wire_device_receive(&whole.device, bytes, n);
  for (size_t k = 0; k < n; k++)
    wire_device_receive(&split.device, bytes + k, 1);
}

static void pass_time(World *w, unsigned ticks) {
  for (unsigned k = 0; k < ticks; k++) {
    w->time_us += TICK_MS * 1000;
    wire_device_tick(&w->device);
  }
}

/* A wrong number would be refused before anything happens. */
static void help(uint16_t type, uint8_t *payload, size_t n) {
  const WireDevice *d = &whole.device;
  if (n < 4 || wire_get_u32(payload) != 0)
    return;
  if (type == WIRE_TYPE_ARM || type == WIRE_TYPE_LEASE)
    wire_put_u32(payload, d->token);
  if (type == WIRE_TYPE_CLEAR)
    wire_put_u32(payload, d->faults);
  if (type == WIRE_TYPE_HELLO)
    payload[0] = WIRE_VERSION;
  if (type != WIRE_TYPE_PARAM_SET && type != WIRE_TYPE_UPLOAD_BEGIN && type != WIRE_TYPE_COMMIT)
    return;
  wire_put_u32(payload, d->schema_crc);
  if (type == WIRE_TYPE_COMMIT && n == 8)
    wire_put_u32(payload + 4, d->is_uploading ? d->upload_digest : d->digest);
}

/* A request with the next number; the upper bits of the step repeat or go back. */
static void request(uint8_t step, const uint8_t *bytes, size_t n, uint16_t *seq) {
  uint8_t payload[256], frame[WIRE_FRAME_MAX];
  const uint16_t type = types[(step & 31u) % (sizeof types / sizeof *types)];
  const uint16_t number = step < 0xc0 ? ++*seq : (uint16_t)(*seq - (step >> 5 & 1u));
  memcpy(payload, bytes, n);
  help(type, payload, n);
  const WireHeader header = {WIRE_VERSION, type, number, 0};
  feed(frame, wire_frame_encode(frame, &header, payload, n));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
  uint16_t seq = 0;
  unsigned total = 0;
  start(&whole);
  start(&split);
  for (size_t at = 0; at + 1 < length;) {
    const uint8_t step = bytes[at], n = bytes[at + 1];
    at += 2;
    if (step == 0xff) {
      total += n;
      if (total > TICKS_MAX)
        break;
      pass_time(&whole, n);
      pass_time(&split, n);
    } else {
      const size_t size = n < length - at ? n : length - at;
      if (step == 0xfe)
        feed(bytes + at, size);
      else
        request(step, bytes + at, size, &seq);
      at += size;
    }
    check(&whole);
  }
  require(whole.digest == split.digest && whole.drives_on == split.drives_on);
  return 0;
}
