/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "wire/bytes.h"

static const WireDeviceJoint joints[RIG_JOINTS] = {
    {false, -1000000, 1000000, 2000000, 10000000, 5000, 8000, 50000, 1000},
    {false, -2000000, 500000, 1000000, 5000000, 5000, 8000, 50000, 1000},
    {true, 0, 300000, 500000, 2000000, 0, 0, 0, 1000},
};

static const WireDeviceParam params[RIG_PARAMS] = {
    {10, WIRE_PARAM_F32, 0, 0x00000000u, 0x43c80000u, 0x42c80000u, "servo.kp", "1/s2"},
    {11, WIRE_PARAM_F32, WIRE_PARAM_IS_LIVE, 0x00000000u, 0x42c80000u, 0x41a00000u, "servo.kd",
     "1/s"},
    {12, WIRE_PARAM_U32, 0, 1, 50, 10, "servo.dt", "ms"},
    {13, WIRE_PARAM_I32, WIRE_PARAM_IS_LIVE, 0xfffffff6u, 10, 0, "trim", ""},
    {14, WIRE_PARAM_U32, WIRE_PARAM_IS_READ_ONLY, 0, 0xffffffffu, 7, "serial", ""},
    {20, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[0]", ""},
    {21, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[1]", ""},
    {22, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[2]", ""},
    {23, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[3]", ""},
    {24, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[4]", ""},
    {25, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[5]", ""},
    {26, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[6]", ""},
    {27, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[7]", ""},
    {28, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[8]", ""},
    {29, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[9]", ""},
    {30, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[10]", ""},
    {31, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[11]", ""},
    {32, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[12]", ""},
    {33, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "table[13]", ""},
    {34, WIRE_PARAM_U32, 0, 0, 0xffffffffu, 0, "a name of 24 bytes, just", "12345678"},
};

const WireDeviceConfig rig_config = {
    .joints = joints,
    .n_joints = RIG_JOINTS,
    .params = params,
    .n_params = RIG_PARAMS,
    .uid = {1, 2, 3},
    .firmware = 0x00010002u,
    .boot_count = 41,
    .reset_cause = WIRE_RESET_POWER,
    .capabilities = WIRE_CAN_SWEEP | WIRE_CAN_TRAJECTORY | WIRE_CAN_STORE | WIRE_CAN_TEST,
    .time_factor = WIRE_TIME_FACTOR_REAL,
    .supply_min_mv = 20000,
    .supply_max_mv = 30000,
    .ttl_min_ms = 50,
    .ttl_max_ms = 2000,
    .telem_max_hz = 1000,
};

/* ---- hardware ---- */

static uint32_t now_us(void *ctx) {
  return (uint32_t)(((Rig *)ctx)->now_us & UINT32_MAX);
}

static uint32_t wall_us(void *ctx) {
  return (uint32_t)(((Rig *)ctx)->wall_us & UINT32_MAX);
}

static void keep(Rig *rig, const WireReceived *received) {
  if (received->header.type == WIRE_TYPE_TELEM)
    (void)wire_sequence_push(&rig->telem, received->header.seq);
  else
    (void)wire_sequence_push(&rig->ordered, received->header.seq);
  if (rig->n_frames == RIG_FRAMES) { /* keep the newer half */
    rig->n_frames = RIG_FRAMES / 2;
    memmove(rig->frames, rig->frames + RIG_FRAMES / 2, sizeof rig->frames / 2);
  }
  RigFrame *frame = &rig->frames[rig->n_frames++];
  frame->header = received->header;
  frame->length = received->length;
  memcpy(frame->payload, received->payload, received->length);
}

static bool send_bytes(void *ctx, const uint8_t *bytes, size_t n) {
  Rig *rig = ctx;
  WireReceived received;
  if (rig->is_line_full)
    return false;
  while (wire_decoder_next(&rig->decoder, &bytes, &n, &received)) {
    assert_int_equal(received.kind, WIRE_RECEIVED_FRAME);
    keep(rig, &received);
  }
  return true;
}

static void read_sensors(void *ctx, WireReading *reading) {
  Rig *rig = ctx;
  rig->reading.t_us = (uint32_t)(rig->now_us & UINT32_MAX);
  for (size_t j = 0; j < RIG_JOINTS && rig->drives_on && !rig->is_stalled && rig->n_points; j++) {
    rig->reading.q[j] = rig->points[j];
    rig->reading.qd[j] = rig->points_qd[j];
  }
  *reading = rig->reading;
}

static bool switch_drives(void *ctx, bool on) {
  Rig *rig = ctx;
  if (rig->drives_fail)
    return false;
  if (on && !rig->drives_on)
    rig->n_points = 0;
  rig->drives_on = on;
  return true;
}

static double magnitude(double x) {
  return x < 0 ? -x : x;
}

static void set_points(void *ctx, const int32_t *q, const int32_t *qd) {
  Rig *rig = ctx;
  const double dt = (double)(rig->now_us - rig->points_us) * 1e-6;
  assert_true(rig->drives_on);
  for (size_t j = 0; j < RIG_JOINTS; j++) {
    if (rig->n_points > 0 && dt > 0) {
      const double v = magnitude((double)q[j] - rig->points[j]) / dt / (double)joints[j].v_max;
      const double a = magnitude((double)qd[j] - rig->points_qd[j]) / dt / (double)joints[j].a_max;
      rig->v_max_seen = v > rig->v_max_seen ? v : rig->v_max_seen;
      rig->a_max_seen = a > rig->a_max_seen ? a : rig->a_max_seen;
    }
    rig->low[j] = rig->n_points == 0 || q[j] < rig->low[j] ? q[j] : rig->low[j];
    rig->high[j] = rig->n_points == 0 || q[j] > rig->high[j] ? q[j] : rig->high[j];
    rig->points[j] = q[j];
    rig->points_qd[j] = qd[j];
  }
  rig->points_us = rig->now_us;
  rig->n_points++;
}

static void apply_param(void *ctx, size_t index, uint32_t value) {
  ((Rig *)ctx)->applied[index] = value;
}

static bool spend(RigStorage *storage) {
  storage->operations++;
  if (storage->power == 0)
    return false;
  storage->power--;
  return true;
}

/* An erase that power failure interrupts leaves half of the slot as it was. */
static bool erase(void *ctx, int slot) {
  RigStorage *storage = ((Rig *)ctx)->storage;
  if (storage->is_protected)
    return true;
  const bool is_whole = spend(storage);
  if (storage->power || is_whole)
    memset(storage->bytes[slot], 0xff, is_whole ? RIG_SLOT_BYTES : RIG_SLOT_BYTES / 2);
  return is_whole && !storage->is_failing;
}

static bool write_bytes(void *ctx, int slot, size_t offset, const uint8_t *bytes, size_t n) {
  RigStorage *storage = ((Rig *)ctx)->storage;
  assert_true(offset + n <= RIG_SLOT_BYTES);
  if (storage->is_protected)
    return true;
  for (size_t k = 0; k < n; k++) {
    if (!spend(storage))
      return false;
    assert_int_equal(storage->bytes[slot][offset + k], 0xff); /* erased, written once */
    storage->bytes[slot][offset + k] = bytes[k];
    if (storage->spoils && offset + k == storage->spoils)
      storage->bytes[slot][offset + k] ^= 4;
  }
  return !storage->is_failing && !(storage->fails_headers && offset == 0);
}

static bool load_bytes(void *ctx, int slot, size_t offset, uint8_t *bytes, size_t n) {
  RigStorage *storage = ((Rig *)ctx)->storage;
  assert_true(offset + n <= RIG_SLOT_BYTES);
  memcpy(bytes, storage->bytes[slot] + offset, n);
  return ++storage->loads != storage->bad_load;
}

static bool test_fault(void *ctx, const WireTest *test) {
  ((Rig *)ctx)->test = *test;
  return test->kind <= WIRE_TEST_CREEP;
}

const WireHal rig_hal = {now_us,      wall_us, send_bytes,  read_sensors, switch_drives, set_points,
                         apply_param, erase,   write_bytes, load_bytes,   test_fault};
const WireHal rig_hal_without_storage = {now_us,        wall_us,    send_bytes, read_sensors,
                                         switch_drives, set_points, NULL,       NULL,
                                         NULL,          NULL,       NULL};

/* ---- the rig ---- */

void rig_storage_init(RigStorage *storage) {
  memset(storage, 0, sizeof *storage);
  memset(storage->bytes, 0xff, sizeof storage->bytes);
  storage->power = UINT64_MAX;
}

void rig_reboot(Rig *rig) {
  rig->drives_on = false;
  rig->n_points = 0;
  wire_decoder_init(&rig->decoder);
  wire_sequence_init(&rig->ordered);
  wire_sequence_init(&rig->telem);
  assert_true(wire_device_init(&rig->device, &rig_config,
                               rig->storage ? &rig_hal : &rig_hal_without_storage, rig));
}

void rig_init(Rig *rig, RigStorage *storage) {
  memset(rig, 0, sizeof *rig);
  rig->storage = storage;
  rig->now_us = UINT64_C(0xffff0000); /* the clock wraps after 65 ms */
  rig->wall_us = UINT64_C(0xfffe0000);
  rig->time_factor = 1;
  rig->reading.is_estop_closed = true;
  rig->reading.supply_mv = 24000;
  rig->reading.temperature = 3000;
  rig->version = WIRE_VERSION;
  rig->seq = 0xfffe;
  const char *minor = getenv("RIG_MINOR");
  rig->minor = minor && strcmp(minor, "1") == 0 ? 1 : 0;
  rig_reboot(rig);
}

static bool is_guarded(const Rig *rig, uint16_t type) {
  return rig->session_token && type != WIRE_TYPE_HELLO && type != WIRE_TYPE_STOP &&
         type != WIRE_TYPE_KILL && !(type & WIRE_FROM_DEVICE);
}

const uint8_t *rig_encode(Rig *rig, uint16_t type, const uint8_t *payload, size_t length, long seq,
                          size_t *n) {
  static uint8_t bytes[WIRE_FRAME_MAX];
  uint8_t sent[WIRE_PAYLOAD_MAX];
  const WireGuard guard = {wire_is_motion(type) ? rig->token : rig->session_token, rig->wraps};
  const size_t at = is_guarded(rig, type) ? WIRE_SIZE_GUARD : 0;
  const WireHeader header = {rig->version, at ? (uint16_t)(type | WIRE_GUARDED) : type,
                             seq >= 0 ? (uint16_t)seq : rig->seq, 0};
  wire_guard_put(sent, &guard);
  if (length > 0)
    memcpy(sent + at, payload, length);
  if (seq < 0 && ++rig->seq == 0)
    rig->wraps++;
  *n = wire_frame_encode(bytes, &header, sent, at + length);
  assert_true(*n > 0);
  return bytes;
}

uint16_t rig_request_seq(Rig *rig, uint16_t type, const uint8_t *payload, size_t length, long seq) {
  size_t n;
  const uint16_t number = seq >= 0 ? (uint16_t)seq : rig->seq;
  const uint8_t *bytes = rig_encode(rig, type, payload, length, seq, &n);
  const size_t before = rig->n_frames;
  wire_device_receive(&rig->device, bytes, n);
  for (size_t k = before; k < rig->n_frames; k++) {
    const RigFrame *frame = &rig->frames[k];
    const uint16_t kind = frame->header.type;
    if (kind != WIRE_TYPE_EVENT && kind != WIRE_TYPE_TELEM && kind != WIRE_TYPE_HEALTH) {
      assert_int_equal(wire_get_u16(frame->payload), number);
      assert_int_equal(k, rig->n_frames - 1); /* the answer comes last, and once */
      return kind;
    }
  }
  return 0;
}

uint16_t rig_request(Rig *rig, uint16_t type, const uint8_t *payload, size_t length) {
  return rig_request_seq(rig, type, payload, length, -1);
}

const RigFrame *rig_answer(const Rig *rig) {
  assert_true(rig->n_frames > 0);
  return &rig->frames[rig->n_frames - 1];
}

const RigFrame *rig_last(const Rig *rig, uint16_t type) {
  for (size_t k = rig->n_frames; k-- > 0;)
    if (rig->frames[k].header.type == type)
      return &rig->frames[k];
  return NULL;
}

size_t rig_count(const Rig *rig, uint16_t type) {
  size_t count = 0;
  for (size_t k = 0; k < rig->n_frames; k++)
    count += rig->frames[k].header.type == type;
  return count;
}

WireRefused rig_refused(const Rig *rig) {
  WireRefused refused;
  const RigFrame *frame = rig_answer(rig);
  assert_int_equal(frame->header.type, WIRE_TYPE_REFUSED);
  assert_true(wire_refused_get(&refused, frame->payload, frame->length));
  return refused;
}

uint16_t rig_result(const Rig *rig) {
  return rig_answer(rig)->header.type == WIRE_TYPE_REFUSED ? rig_refused(rig).code : (uint16_t)0;
}

uint32_t rig_ack_value(const Rig *rig) {
  WireAck ack;
  const RigFrame *frame = rig_answer(rig);
  assert_int_equal(frame->header.type, WIRE_TYPE_ACK);
  assert_true(wire_ack_get(&ack, frame->payload, frame->length));
  return ack.value;
}

uint16_t rig_plain(Rig *rig, uint16_t type) {
  assert_int_not_equal(rig_request(rig, type, NULL, 0), 0);
  return rig_result(rig);
}

void rig_hello(Rig *rig) {
  uint8_t payload[WIRE_SIZE_HELLO + WIRE_SIZE_TAKEOVER];
  const WireHello hello = {
      .major = WIRE_VERSION, .minor = rig->minor, .host_id = (uint32_t)rig->n_frames};
  const WireTakeover takeover = {rig->token};
  WireHelloAck ack;
  wire_hello_put(payload, &hello);
  wire_takeover_put(payload + WIRE_SIZE_HELLO, &takeover);
  assert_int_equal(rig_request(rig, WIRE_TYPE_HELLO, payload,
                               rig->minor ? sizeof payload : (size_t)WIRE_SIZE_HELLO),
                   WIRE_TYPE_HELLO_ACK);
  assert_true(wire_hello_ack_get(&ack, rig_answer(rig)->payload, rig_answer(rig)->length));
  rig->token = ack.token;
  rig->session_token = rig->minor ? ack.token : 0;
  rig->wraps = rig->seq == 0;
}

WireState rig_state(Rig *rig) {
  WireState state;
  assert_int_equal(rig_request(rig, WIRE_TYPE_STATE_GET, NULL, 0), WIRE_TYPE_STATE);
  assert_true(wire_state_get(&state, rig_answer(rig)->payload, rig_answer(rig)->length));
  rig->token = state.token;
  return state;
}

uint16_t rig_arm(Rig *rig) {
  uint8_t payload[WIRE_SIZE_ARM];
  const WireArm arm = {rig_state(rig).token, RIG_TTL_MS};
  wire_arm_put(payload, &arm);
  (void)rig_request(rig, WIRE_TYPE_ARM, payload, sizeof payload);
  return rig_result(rig);
}

uint16_t rig_lease(Rig *rig) {
  uint8_t payload[WIRE_SIZE_LEASE];
  const WireLease lease = {rig->token};
  wire_lease_put(payload, &lease);
  (void)rig_request(rig, WIRE_TYPE_LEASE, payload, sizeof payload);
  return rig_result(rig);
}

uint16_t rig_disarm(Rig *rig, bool drives_off) {
  const uint8_t payload[WIRE_SIZE_DISARM] = {drives_off};
  (void)rig_request(rig, WIRE_TYPE_DISARM, payload, sizeof payload);
  return rig_result(rig);
}

uint16_t rig_clear(Rig *rig, uint32_t faults) {
  uint8_t payload[WIRE_SIZE_CLEAR];
  const WireClear clear = {faults};
  wire_clear_put(payload, &clear);
  (void)rig_request(rig, WIRE_TYPE_CLEAR, payload, sizeof payload);
  return rig_result(rig);
}

uint16_t rig_move(Rig *rig, uint8_t joint, int32_t q, uint32_t v, uint32_t a) {
  uint8_t payload[WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT] = {1};
  const WireMoveJoint target = {joint, q, v, a};
  wire_move_joint_put(payload + WIRE_SIZE_MOVE, &target);
  (void)rig_request(rig, WIRE_TYPE_MOVE, payload, sizeof payload);
  return rig_result(rig);
}

uint16_t rig_sweep(Rig *rig, const WireSweep *sweep) {
  uint8_t payload[WIRE_SIZE_SWEEP];
  wire_sweep_put(payload, sweep);
  (void)rig_request(rig, WIRE_TYPE_SWEEP, payload, sizeof payload);
  return rig_result(rig);
}

void rig_run(Rig *rig, uint32_t ms, bool keeps) {
  for (uint32_t k = 0; k < ms; k++) {
    rig->wall_us += 1000;
    rig->now_us += (uint64_t)1000 * rig->time_factor;
    wire_device_tick(&rig->device);
    if (keeps && k % 100 == 99)
      (void)rig_lease(rig);
  }
}

uint8_t rig_motion_end(const Rig *rig) {
  for (size_t k = rig->n_frames; k-- > 0;) {
    WireEvent event;
    const RigFrame *frame = &rig->frames[k];
    if (frame->header.type == WIRE_TYPE_EVENT &&
        wire_event_get(&event, frame->payload, frame->length) &&
        event.code == WIRE_EVENT_MOTION_END)
      return event.reason;
  }
  return WIRE_END_NONE;
}
