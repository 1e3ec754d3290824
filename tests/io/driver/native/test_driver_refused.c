/* SPDX-License-Identifier: MIT */
/* Every refusal of the protocol, section 8, as the sentence that a person reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "io/driver/native/driver_native.h"
#include "native_world.h"
#include "wire/bytes.h"

typedef struct {
  uint16_t code;
  uint8_t joint, bound;
  int32_t limit, asked;
  const char *text;
} Case;

/* Answers to SWEEP. */
static const Case cases[] = {
    {WIRE_CODE_LENGTH, 0, 0, 22, 20,
     "SWEEP refused: the message has the wrong length: 20 bytes, 22 expected"},
    {WIRE_CODE_TYPE, 0, 0, 0, 0, "SWEEP refused: there is no such message"},
    {WIRE_CODE_VERSION, 0, 0, 0, 0,
     "SWEEP refused: the major version of the protocol differs: reading only"},
    {WIRE_CODE_SEQUENCE, 0, 0, 17, 9,
     "SWEEP refused: the controller expects the number after 17, not 9: another program or a "
     "replayed recording sends on this line: end it or unplug it, then connect again"},
    {WIRE_CODE_NOT_ARMED, 0, 0, 0, 0, "SWEEP refused: not armed"},
    {WIRE_CODE_ARMED, 0, 0, 0, 0, "SWEEP refused: not while armed"},
    {WIRE_CODE_BUSY, 0, 0, 0, 0, "SWEEP refused: a motion is running"},
    {WIRE_CODE_BUSY, 0, 0, 0, 4, "SWEEP refused: a motion is running: motion 4"},
    {WIRE_CODE_TOKEN, 0, 0, 0, 0,
     "SWEEP refused: the controller serves another session: another program or a replayed "
     "recording sends on this line: end it or unplug it, then connect again"},
    {WIRE_CODE_TTL, 0, 0, 50, 10,
     "SWEEP refused: the time to live is out of range: 10 ms; 50 to 2000 ms are possible"},
    {WIRE_CODE_ESTOP, 0, 0, 0, 0, "SWEEP refused: the emergency stop chain is open"},
    {WIRE_CODE_LOCKED, 0, 0, 0, 3,
     "SWEEP refused: a fault is latched: clear it first: LEASE: the lease expired; KILL: drives "
     "switched off by command"},
    {WIRE_CODE_LOCKED, 0, 0, 0, 0, "SWEEP refused: a fault is latched: clear it first"},
    {WIRE_CODE_LOCKOUT, 0, 0, 321, 0, "SWEEP refused: too soon after the fault: wait 321 ms"},
    {WIRE_CODE_FAULT_ACTIVE, 0, 0, 0, 8,
     "SWEEP refused: the cause of the fault persists: ESTOP: the emergency stop chain is open"},
    {WIRE_CODE_FAULT_UNSEEN, 0, 0, 0x28, 8,
     "SWEEP refused: a fault is latched that the request does not name: TEMPERATURE: a motor is "
     "too hot"},
    {WIRE_CODE_JOINT, 0, 0, 3, 4,
     "SWEEP refused: there is no such joint, or it is named twice: joint 4; the arm has 3"},
    {WIRE_CODE_BOUND, 1, WIRE_BOUND_Q_MIN, -1000000, -1234567,
     "joint 1: -1.235 rad is below the lowest position -1.000 rad"},
    {WIRE_CODE_BOUND, 2, WIRE_BOUND_Q_MAX, 1571000, 1700000,
     "joint 2: 1.700 rad is above the highest position 1.571 rad"},
    {WIRE_CODE_BOUND, 2, WIRE_BOUND_Q_MAX, 1571000, 1571001,
     "joint 2: 1.571001 rad is above the highest position 1.571000 rad"},
    {WIRE_CODE_BOUND, 3, WIRE_BOUND_Q_MAX, 300000, 350000,
     "joint 3: 0.350 m is above the highest position 0.300 m"},
    {WIRE_CODE_BOUND, 1, WIRE_BOUND_V_MAX, 2000000, 3000000,
     "joint 1: 3.000 rad/s is above the highest speed 2.000 rad/s"},
    {WIRE_CODE_BOUND, 3, WIRE_BOUND_V_MAX, 500000, 600000,
     "joint 3: 0.600 m/s is above the highest speed 0.500 m/s"},
    {WIRE_CODE_BOUND, 1, WIRE_BOUND_A_MAX, 10000000, 11000000,
     "joint 1: 11.000 rad/s^2 is above the highest acceleration 10.000 rad/s^2"},
    {WIRE_CODE_BOUND, 3, WIRE_BOUND_A_MAX, 2000000, 2500000,
     "joint 3: 2.500 m/s^2 is above the highest acceleration 2.000 m/s^2"},
    {WIRE_CODE_BOUND, 2, WIRE_BOUND_I_MAX, 5000, 5500,
     "joint 2: 5.500 A is above the highest current 5.000 A"},
    {WIRE_CODE_VALUE, 0, 0, 1, 0,
     "SWEEP refused: a field has a value without meaning: 0, expected 1"},
    {WIRE_CODE_SCHEMA, 0, 0, 0, 0,
     "SWEEP refused: the parameter schema is another one: connect again"},
    {WIRE_CODE_PARAM, 0, 0, 0, 99, "SWEEP refused: there is no such parameter: parameter 99"},
    {WIRE_CODE_PARAM_RANGE, 0, 0, 0, 10,
     "SWEEP refused: a value of the upload is out of the parameter's range: servo.kp must be 0 to "
     "400 1/s2"},
    {WIRE_CODE_PARAM_RANGE, 0, 0, 0, 13,
     "SWEEP refused: a value of the upload is out of the parameter's range: trim must be -10 to "
     "10"},
    {WIRE_CODE_PARAM_RANGE, 0, 0, 0, 98,
     "SWEEP refused: a value of the upload is out of the parameter's range: parameter 98"},
    {WIRE_CODE_NO_UPLOAD, 0, 0, 0, 0, "SWEEP refused: no upload is open"},
    {WIRE_CODE_OFFSET, 0, 0, 40, 80,
     "SWEEP refused: the upload does not go on at this offset: 80, expected 40"},
    {WIRE_CODE_DIGEST, 0, 0, 0, 0, "SWEEP refused: the digest does not match"},
    {WIRE_CODE_STORAGE, 0, 0, 0, 0,
     "SWEEP refused: the parameters could not be stored; the old ones are in force"},
    {WIRE_CODE_NO_TRAJECTORY, 0, 0, 0, 0, "SWEEP refused: no trajectory is open"},
    {WIRE_CODE_SEGMENT, 0, 0, 3, 5, "SWEEP refused: another segment is expected: 5, expected 3"},
    {WIRE_CODE_FULL, 0, 0, 32, 40, "SWEEP refused: the segment buffer is full: 32 segments"},
    {WIRE_CODE_UNSUPPORTED, 0, 0, 0, 0, "SWEEP refused: this device cannot do that"},
    {77, 0, 0, 1, 2, "SWEEP refused: unknown"},
    /* the last one, because it ends the session */
    {WIRE_CODE_NO_HELLO, 0, 0, 0, 0, "the controller has restarted: connect again"},
};

static void refuse(const Case *wanted, uint16_t request_type) {
  uint8_t payload[WIRE_SIZE_REFUSED];
  static uint16_t seq = 500;
  const WireRefused refused = {.request_seq = world_sent().seq,
                               .request_type = world_sent().type,
                               .code = wanted->code,
                               .joint = wanted->joint,
                               .bound = wanted->bound,
                               .limit = wanted->limit,
                               .asked = wanted->asked};
  assert_int_equal(world_sent().type & ~WIRE_GUARDED, request_type);
  wire_refused_put(payload, &refused);
  line_forge(&world.line, WIRE_VERSION, WIRE_TYPE_REFUSED, seq++, payload, sizeof payload);
}

static void test_every_refusal_is_a_sentence(void **state) {
  (void)state;
  const AioSweep sweep = {2, -1, 0.4, 0.5, 2, 2, 0.1, 4};
  bool has[WIRE_CODE_UNSUPPORTED + 1] = {false};
  world_connect();
  world.is_mute = true;
  for (guint k = 0; k < G_N_ELEMENTS(cases); k++) {
    const guint64 ticket = world_ticket();
    aio_driver_sweep(world.driver, ticket, &sweep);
    refuse(&cases[k], WIRE_TYPE_SWEEP);
    assert_int_equal(
        world_wait(ticket),
        AIO_REPLY_CODE(cases[k].code == WIRE_CODE_NO_HELLO ? AIO_ERROR_GONE : AIO_ERROR_DEVICE));
    assert_string_equal(world.reply.message, cases[k].text);
    if (cases[k].code < G_N_ELEMENTS(has))
      has[cases[k].code] = true;
  }
  for (guint code = 1; code < G_N_ELEMENTS(has); code++)
    assert_true(has[code]);
}

static void test_refusals_of_other_requests(void **state) {
  (void)state;
  static const Case mask = {
      WIRE_CODE_JOINT,
      0,
      0,
      3,
      0x18,
      "TRAJ_BEGIN refused: there is no such joint, or it is named twice: the joints of mask 18; "
      "the arm has 3"};
  static const Case stop = {WIRE_CODE_VERSION,
                            0,
                            0,
                            0,
                            0,
                            "STOP refused: the major version of the protocol differs: reading "
                            "only"};
  world_connect();
  world.is_mute = true;
  aio_driver_trajectory_begin(world.driver, world_ticket(), 0x18);
  refuse(&mask, WIRE_TYPE_TRAJ_BEGIN);
  world_pass(1);
  assert_string_equal(world.reply.message, mask.text);
  aio_driver_stop(world.driver, world_ticket());
  refuse(&stop, WIRE_TYPE_STOP);
  world_pass(1);
  assert_string_equal(world.reply.message, stop.text);
}

/* Answers that are well formed and mean nothing. */
static void test_nonsense_is_an_error(void **state) {
  (void)state;
  uint8_t payload[WIRE_SIZE_STATE] = {0};
  world_connect();
  world.is_mute = true;
  aio_driver_state(world.driver, world_ticket());
  wire_put_u16(payload, world_sent().seq);
  payload[2] = 9;
  line_forge(&world.line, WIRE_VERSION, WIRE_TYPE_STATE, 600, payload, WIRE_SIZE_STATE);
  world_pass(1);
  assert_string_equal(world.reply.message, "the controller reports a state that does not exist");
  aio_driver_params_get(world.driver, world_ticket());
  memset(payload, 0, sizeof payload);
  wire_put_u16(payload, world_sent().seq);
  wire_put_u16(payload + 2, 11);
  line_forge(&world.line, WIRE_VERSION, WIRE_TYPE_PARAM_VALUE, 601, payload, WIRE_SIZE_PARAM_VALUE);
  world_pass(1);
  assert_string_equal(world.reply.message,
                      "asked for parameter 10, the controller answers for 11, of type 0");
}

/* Before it is told anything that could move it. */
static void test_impossible_controllers(void **state) {
  static const struct {
    WireHelloAck ack;
    const char *says;
  } impossible[] = {
      {{.joints = 33, .time_factor = 1000, .ttl_min_ms = 50, .ttl_max_ms = 2000},
       "the controller says that it has 33 joints; 1 to 32 are possible"},
      {{.joints = 2, .time_factor = 0, .ttl_min_ms = 50, .ttl_max_ms = 2000},
       "the controller says that its time stands still (time_factor 0); "},
      {{.joints = 2, .time_factor = 1000, .ttl_min_ms = 500, .ttl_max_ms = 300},
       "the controller gives leases of 500 to 300 ms, which are none: "},
      {{.joints = 2, .time_factor = 1000}, "the controller gives leases of 0 to 0 ms, "},
  };
  (void)state;
  world_connect();
  world.is_mute = true;
  for (gsize k = 0; k < G_N_ELEMENTS(impossible); k++) {
    uint8_t hello[WIRE_SIZE_HELLO_ACK];
    WireHelloAck ack = impossible[k].ack;
    aio_driver_describe(world.driver, world_ticket());
    ack.request_seq = world_sent().seq;
    ack.major = WIRE_VERSION;
    ack.boot_count = 41;
    wire_hello_ack_put(hello, &ack);
    line_forge(&world.line, WIRE_VERSION, WIRE_TYPE_HELLO_ACK, (uint16_t)(602 + k), hello,
               sizeof hello);
    world_pass(1);
    assert_int_not_equal(world.reply.code, 0);
    assert_non_null(strstr(world.reply.message, impossible[k].says));
  }
}

/* ---- a capture of one ---- */

static AioReply replayed;
static AioDescription described;

static void ignore_write(void *ctx, const guint8 *bytes, gsize n) {
  (void)ctx, (void)bytes, (void)n;
}

static void ignore_sample(void *ctx, const AioSample *sample) {
  (void)ctx, (void)sample;
}

static void ignore_event(void *ctx, const AioEvent *event) {
  (void)ctx, (void)event;
}

static void take_replayed(void *ctx, const AioReply *reply) {
  (void)ctx;
  replayed = *reply;
  if (reply->description)
    described = *reply->description;
}

static void begin_replay(AioReplay *replay, guint32 host_id) {
  static const AioSink sink = {ignore_write, ignore_sample, ignore_event, take_replayed};
  replay->driver = aio_driver_native.make(&sink, NULL, host_id, NULL);
}

static void receive_replayed(AioReplay *replay, guint16 type, guint16 seq, const guint8 *payload,
                             gsize n) {
  guint8 bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, type, seq, 1000};
  const gsize length = wire_frame_encode(bytes, &header, payload, n);
  aio_driver_receive(replay->driver, world.now_ns, bytes, length);
}

/* Captured before such controllers were refused: nothing moves any more. */
static void test_impossible_controller_in_a_capture(void **state) {
  guint8 hello[WIRE_SIZE_HELLO_ACK], joint[WIRE_SIZE_JOINT] = {0}, now[WIRE_SIZE_STATE] = {0};
  AioReplay *replay = g_malloc0(aio_driver_native.replay_size);
  const guint64 ticket = world_ticket();
  (void)state;
  replayed = (AioReply){.code = 1};
  replay->connect = begin_replay;
  world.is_mute = true;
  aio_driver_describe(world.driver, ticket);
  const guint16 seq = world_sent().seq;
  aio_driver_native.replay_sent(replay, world.now_ns, world.written, world.n_written);
  wire_hello_ack_put(hello, &(WireHelloAck){.request_seq = seq,
                                            .major = WIRE_VERSION,
                                            .joints = 1,
                                            .time_factor = 0,
                                            .ttl_min_ms = 500,
                                            .ttl_max_ms = 300});
  receive_replayed(replay, WIRE_TYPE_HELLO_ACK, 600, hello, sizeof hello);
  wire_joint_put(joint, &(WireJoint){.request_seq = (guint16)(seq + 1), .joint = 1});
  receive_replayed(replay, WIRE_TYPE_JOINT, 601, joint, sizeof joint);
  wire_put_u16(now, (guint16)(seq + 2));
  receive_replayed(replay, WIRE_TYPE_STATE, 602, now, sizeof now);
  assert_string_equal(replayed.message, "");
  assert_int_equal(replayed.code, 0);
  assert_int_equal(described.joints, 1);
  assert_float_equal(described.time_factor, 1.0, 0);
  aio_driver_free(replay->driver);
  g_free(replay);
  world.is_mute = false;
  assert_int_equal(world_wait(ticket), 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, world_set_up, world_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_every_refusal_is_a_sentence),
      TEST(test_refusals_of_other_requests),
      TEST(test_nonsense_is_an_error),
      TEST(test_impossible_controllers),
      TEST(test_impossible_controller_in_a_capture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
