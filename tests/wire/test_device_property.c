/* SPDX-License-Identifier: MIT */
/* Random hosts, recordings played back, noise, sensors, drives and time steps, against what
 * docs/protocol.md promises whatever happens. The promises are kept here a second time, from the
 * frames sent and the hardware seen; of the device only its state is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"
#include "support/support.h"
#include "wire/bytes.h"

enum { RUNS = 150, STEPS = 1500, TAPE = 512, STEP_MAX_US = 20000 };

#define OFF_FAULTS                                                                                 \
  ((uint32_t)(WIRE_FAULT_KILL | WIRE_FAULT_EMERGENCY | WIRE_FAULT_ESTOP | WIRE_FAULT_CURRENT |     \
              WIRE_FAULT_SUPPLY_LOW | WIRE_FAULT_SUPPLY_HIGH | WIRE_FAULT_ENCODER |                \
              WIRE_FAULT_DRIVE))

typedef struct {
  uint16_t type, seq;
  size_t length;
  uint8_t payload[64];
} Frame;

static Rig rig;
static TestRng rng;
static Frame tape[TAPE];
static size_t recorded;
/* the promises */
static bool has_session, has_last, was_clean; /* was_clean: no cause of a fault at the last tick */
static Frame last;                            /* executed */
static uint64_t lease_us, locked_us, ticked_us;
static uint32_t ttl_ms;
static int32_t low[RIG_JOINTS], high[RIG_JOINTS];
/* how often it came to what the test is about */
static unsigned n_armed, n_leases, n_moved, n_faults, n_replays, n_late;

static bool chance(double p) {
  return test_rng_uniform(&rng, 0.0, 1.0) < p;
}

static int32_t between(double a, double b) {
  return (int32_t)test_rng_uniform(&rng, a, b);
}

/* ---- what must hold at any time ---- */

static void check_state(void) {
  const WireDevice *d = &rig.device;
  assert_int_equal(d->state == WIRE_STATE_LOCKED, d->faults != 0);
  assert_true(d->state != WIRE_STATE_OFF || !rig.drives_on);
  assert_true(d->state != WIRE_STATE_HELD || rig.drives_on);
  assert_true(d->state != WIRE_STATE_ARMED || rig.drives_on);
  assert_true(!(d->faults & OFF_FAULTS) || rig.drives_fail || !rig.drives_on);
  assert_true(d->motion.kind == WIRE_MOTION_NONE || rig.drives_on);
  assert_true(d->motion.kind == WIRE_MOTION_NONE || d->motion.kind == WIRE_MOTION_STOPPING ||
              d->state == WIRE_STATE_ARMED);
}

static bool is_clean(void) {
  const WireReading *r = &rig.reading;
  return r->is_estop_closed && r->faults == 0 && r->supply_mv >= rig_config.supply_min_mv &&
         r->motor_temperature[1] <= rig_config.joints[1].temperature_max;
}

static bool is_expired(void) {
  return rig.wall_us - lease_us >= (uint64_t)ttl_ms * 1000;
}

/* Faults that came: the lease neither early nor, at a tick, late. */
static void check_faults(uint32_t before) {
  const uint32_t fresh = rig.device.faults & ~before;
  if (fresh) {
    locked_us = rig.wall_us;
    n_faults++;
  }
  if (fresh & WIRE_FAULT_LEASE)
    assert_true(is_expired());
}

static void tick(uint32_t us) {
  WireDevice *d = &rig.device;
  const uint32_t faults = d->faults, dt = us * rig.time_factor;
  const uint64_t passed = rig.now_us + dt - ticked_us;
  const double seconds = (double)(passed < STEP_MAX_US ? passed : STEP_MAX_US) * 1e-6;
  const bool was_on = rig.n_points > 0 && rig.drives_on;
  const bool was_moving = d->motion.kind != WIRE_MOTION_NONE;
  int32_t q[RIG_JOINTS], qd[RIG_JOINTS];
  memcpy(q, rig.points, sizeof q);
  memcpy(qd, rig.points_qd, sizeof qd);
  rig.wall_us += us;
  rig.now_us += dt;
  ticked_us = rig.now_us;
  n_late += was_moving && passed > STEP_MAX_US;
  wire_device_tick(d);
  was_clean = is_clean();
  check_state();
  check_faults(faults);
  assert_true(d->state != WIRE_STATE_ARMED || !is_expired());
  if (!rig.drives_on)
    return;
  /* at once where a joint does not follow, or the drives did not switch off */
  const bool has_yielded = d->faults & ((~faults & WIRE_FAULT_FOLLOWING) | OFF_FAULTS);
  for (int j = 0; j < RIG_JOINTS; j++) {
    const WireDeviceJoint *joint = &rig_config.joints[j];
    assert_true(rig.points[j] >= low[j] && rig.points[j] <= high[j]);
    assert_true(test_is_near(rig.points_qd[j], 0, 0, joint->v_max + 1.0));
    if (!was_on || has_yielded)
      continue;
    assert_true(was_moving || rig.points[j] == q[j]);
    assert_true(test_is_near(rig.points[j], q[j], 0, joint->v_max * seconds + 1.01));
    assert_true(test_is_near(rig.points_qd[j], qd[j], 0, joint->a_max * (seconds + 2e-6) + 1.01));
    n_moved += rig.points[j] != q[j];
  }
}

/* ---- frames ---- */

/* Each number is executed once: what section 3 says of a frame that arrives. */
static bool is_executed(const Frame *frame) {
  const uint16_t ahead = (uint16_t)(frame->seq - last.seq);
  if (frame->type == WIRE_TYPE_STOP || frame->type == WIRE_TYPE_KILL)
    return true;
  if (frame->type & WIRE_FROM_DEVICE ||
      (has_last && frame->seq == last.seq && frame->type == last.type &&
       frame->length == last.length && !memcmp(frame->payload, last.payload, frame->length)))
    return false;
  if (frame->type == WIRE_TYPE_HELLO && frame->length == WIRE_SIZE_HELLO)
    has_session = true;
  else if (!has_session || ahead == 0 || ahead >= 0x8000)
    return false;
  last = *frame;
  has_last = true;
  return true;
}

static bool may_arm(const Frame *frame) {
  const WireDevice *d = &rig.device;
  WireArm arm;
  return frame->type == WIRE_TYPE_ARM && frame->length == WIRE_SIZE_ARM &&
         wire_arm_get(&arm, frame->payload, frame->length) && arm.token == d->token &&
         arm.ttl_ms >= rig_config.ttl_min_ms && arm.ttl_ms <= rig_config.ttl_max_ms &&
         d->state != WIRE_STATE_ARMED && d->faults == 0 && d->motion.kind == WIRE_MOTION_NONE &&
         is_clean();
}

static void note_armed(const Frame *frame, bool was_on) {
  WireArm arm;
  (void)wire_arm_get(&arm, frame->payload, frame->length);
  lease_us = rig.wall_us;
  ttl_ms = arm.ttl_ms;
  n_armed++;
  for (int j = 0; j < RIG_JOINTS && !was_on; j++) {
    const int32_t q = rig.reading.q[j];
    low[j] = q < rig_config.joints[j].q_min ? q : rig_config.joints[j].q_min;
    high[j] = q > rig_config.joints[j].q_max ? q : rig_config.joints[j].q_max;
  }
}

/* The arrows of section 4, and no others. */
static void check_arrow(const Frame *frame, uint8_t from, uint32_t faults, bool may) {
  const WireDevice *d = &rig.device;
  const uint16_t type = frame->type;
  const uint8_t to = d->state;
  if (from == to)
    return;
  if (to == WIRE_STATE_ARMED) {
    assert_true(may);
  } else if (to == WIRE_STATE_LOCKED) {
    const uint32_t fresh = d->faults & ~faults;
    assert_true(type == WIRE_TYPE_KILL
                    ? fresh & WIRE_FAULT_KILL
                    : fresh == WIRE_FAULT_LEASE || (fresh == WIRE_FAULT_DRIVE && rig.drives_fail));
  } else if (from == WIRE_STATE_LOCKED) {
    assert_int_equal(type, WIRE_TYPE_CLEAR);
    assert_true(was_clean || is_clean());
    assert_true(rig.wall_us - locked_us >= WIRE_LOCKOUT_MS * 1000);
    assert_int_equal(faults & ~wire_get_u32(frame->payload), 0);
  } else if (from == WIRE_STATE_ARMED) {
    assert_true(type == WIRE_TYPE_DISARM || (type == WIRE_TYPE_HELLO && to == WIRE_STATE_HELD));
  } else {
    assert_true(type == WIRE_TYPE_DISARM && to == WIRE_STATE_OFF);
  }
}

static void feed(const Frame *frame) {
  WireDevice *d = &rig.device;
  uint8_t bytes[WIRE_FRAME_MAX];
  const WireHeader header = {WIRE_VERSION, frame->type, frame->seq, 0};
  const size_t n = wire_frame_encode(bytes, &header, frame->payload, frame->length);
  const uint8_t from = d->state;
  const uint32_t faults = d->faults, token = d->token;
  const bool was_on = rig.drives_on, executed = is_executed(frame);
  const bool may = executed && may_arm(frame);
  const bool renews = executed && frame->type == WIRE_TYPE_LEASE && frame->length == 4 &&
                      wire_get_u32(frame->payload) == token && from == WIRE_STATE_ARMED &&
                      !is_expired();
  size_t answers = 0;
  rig.n_frames = 0;
  wire_device_receive(d, bytes, n);
  for (size_t k = 0; k < rig.n_frames; k++)
    answers += rig.frames[k].header.type != WIRE_TYPE_EVENT &&
               wire_get_u16(rig.frames[k].payload) == frame->seq;
  assert_int_equal(answers, !rig.is_line_full && !(frame->type & WIRE_FROM_DEVICE));
  check_faults(faults);
  if (frame->type == WIRE_TYPE_KILL)
    locked_us = rig.wall_us;
  if (!executed) {
    assert_true(d->state == from && d->faults == faults && d->token == token);
  } else {
    check_arrow(frame, from, faults, may);
    assert_true(frame->type != WIRE_TYPE_HELLO || frame->length != WIRE_SIZE_HELLO ||
                d->state != WIRE_STATE_ARMED);
    assert_true(!may || d->state == WIRE_STATE_ARMED || rig.drives_fail);
    assert_true(from != WIRE_STATE_ARMED || d->state == from || d->token != token);
  }
  if (may && d->state == WIRE_STATE_ARMED)
    note_armed(frame, was_on);
  if (renews) {
    lease_us = rig.wall_us;
    n_leases++;
  }
  check_state();
}

static void request(uint16_t type, const uint8_t *payload, size_t length) {
  Frame *frame = &tape[recorded++ % TAPE];
  memset(frame, 0, sizeof *frame);
  frame->type = type;
  frame->seq = ++rig.seq;
  frame->length = length;
  if (length > 0)
    memcpy(frame->payload, payload, length);
  feed(frame);
}

/* ---- what a host may ask ---- */

static void ask_arm(void) {
  uint8_t payload[WIRE_SIZE_ARM];
  const WireArm arm = {rig.device.token + (uint32_t)chance(0.1), (uint16_t)between(30, 800)};
  wire_arm_put(payload, &arm);
  request(WIRE_TYPE_ARM, payload, sizeof payload);
}

static void ask_u32(uint16_t type, uint32_t x) {
  uint8_t payload[4];
  wire_put_u32(payload, x);
  request(type, payload, sizeof payload);
}

static void ask_hello(void) {
  uint8_t payload[WIRE_SIZE_HELLO] = {WIRE_VERSION};
  wire_put_u32(payload + 4, (uint32_t)test_rng_next(&rng));
  request(WIRE_TYPE_HELLO, payload, chance(0.8) ? sizeof payload : 5);
}

static void ask_move(void) {
  uint8_t payload[WIRE_SIZE_MOVE + 3 * WIRE_SIZE_MOVE_JOINT];
  payload[0] = (uint8_t)between(1, 4);
  for (uint8_t k = 0; k < payload[0]; k++) {
    const WireDeviceJoint *joint = &rig_config.joints[k];
    const double margin = chance(0.1) ? 1e5 : 0;
    const WireMoveJoint target = {
        (uint8_t)(k + 1), between(joint->q_min - margin, joint->q_max + margin + 1),
        chance(0.3) ? joint->v_max : (uint32_t)between(1, joint->v_max * 1.02),
        chance(0.3) ? joint->a_max : (uint32_t)between(1, joint->a_max * 1.02)};
    wire_move_joint_put(payload + WIRE_SIZE_MOVE + k * WIRE_SIZE_MOVE_JOINT, &target);
  }
  request(WIRE_TYPE_MOVE, payload, WIRE_SIZE_MOVE + (size_t)payload[0] * WIRE_SIZE_MOVE_JOINT);
}

static void ask_sweep(void) {
  uint8_t payload[WIRE_SIZE_SWEEP];
  const uint8_t k = (uint8_t)test_rng_below(&rng, RIG_JOINTS);
  const WireDeviceJoint *joint = &rig_config.joints[k];
  const WireSweep sweep = {(uint8_t)(k + 1),
                           (uint8_t)between(0, 4),
                           (uint16_t)between(0, 30),
                           chance(0.3) ? joint->q_min : between(joint->q_min - 2e4, joint->q_max),
                           chance(0.3) ? joint->q_max : between(joint->q_min, joint->q_max + 2e4),
                           (uint32_t)between(1, joint->v_max * 1.02),
                           chance(0.3) ? joint->a_max : (uint32_t)between(1, joint->a_max * 1.02),
                           chance(0.3) ? (uint16_t)1500 : (uint16_t)0};
  wire_sweep_put(payload, &sweep);
  request(WIRE_TYPE_SWEEP, payload, sizeof payload);
}

/* Segments of constant acceleration, close to the bounds; some are refused. */
static void ask_trajectory(void) {
  const WireTrajectory *t = &rig.device.trajectory;
  ask_u32(WIRE_TYPE_TRAJ_BEGIN, 5);
  for (uint16_t k = 0, index = 0; k < 12; k++) {
    uint8_t payload[WIRE_SIZE_TRAJ_SEGMENT + 2 * WIRE_SIZE_KNOT];
    const double h = chance(0.2) ? 1e-3 : test_rng_uniform(&rng, 0.01, 0.2);
    const WireTrajSegment segment = {index, k == 11 && chance(0.5), 0, (uint32_t)(h * 1e6)};
    wire_traj_segment_put(payload, &segment);
    for (int i = 0; i < 2; i++) {
      const int j = 2 * i;
      const double v = t->qd[j], dv = rig_config.joints[j].a_max * h,
                   v1 = segment.is_last ? 0 : v + test_rng_uniform(&rng, -dv, dv);
      const WireKnot knot = {(int32_t)(t->q[j] + 0.5 * (v + v1) * h), (int32_t)v1};
      wire_knot_put(payload + WIRE_SIZE_TRAJ_SEGMENT + i * WIRE_SIZE_KNOT, &knot);
    }
    request(WIRE_TYPE_TRAJ_SEGMENT, payload, sizeof payload);
    index = t->next_index;
    if (k == 4)
      request(WIRE_TYPE_TRAJ_START, NULL, 0);
  }
}

static void ask_anything(void) {
  uint8_t payload[64];
  static const uint16_t types[] = {WIRE_TYPE_STATE_GET, WIRE_TYPE_JOINT_GET,  WIRE_TYPE_PARAM_GET,
                                   WIRE_TYPE_COMMIT,    WIRE_TYPE_DIGEST_GET, WIRE_TYPE_TRAJ_START,
                                   WIRE_TYPE_MOVE,      WIRE_TYPE_SWEEP,      WIRE_TYPE_DISARM,
                                   WIRE_TYPE_TELEM,     WIRE_TYPE_TEST,       0x2aa};
  const size_t n = test_rng_below(&rng, chance(0.5) ? 3 : sizeof payload);
  for (size_t k = 0; k < sizeof payload; k++)
    payload[k] = (uint8_t)(chance(0.5) ? test_rng_below(&rng, 3) : test_rng_below(&rng, 256));
  request(types[test_rng_below(&rng, sizeof types / sizeof *types)], payload, n);
}

/* ---- the world ---- */

static void emergency(void) {
  static const uint8_t string[] = {0, 24, 24, 24, 24, 24, 24, 24, 24, 0};
  const uint32_t faults = rig.device.faults;
  wire_device_receive(&rig.device, string, sizeof string);
  check_faults(faults);
  locked_us = rig.wall_us;
  assert_true(rig.device.faults & WIRE_FAULT_EMERGENCY);
  check_state();
}

static void heal(void) {
  rig.reading.is_estop_closed = true;
  rig.reading.supply_mv = 24000;
  rig.reading.faults = 0;
  rig.reading.motor_temperature[1] = 0;
  memset(rig.reading.current, 0, sizeof rig.reading.current);
  rig.is_stalled = rig.drives_fail = rig.is_line_full = false;
}

static void disturb(void) {
  const size_t j = test_rng_below(&rng, RIG_JOINTS);
  switch (test_rng_below(&rng, 10)) {
  case 0:
    rig.reading.is_estop_closed = false;
    break;
  case 1:
    rig.reading.supply_mv = chance(0.5) ? 19999 : 0;
    break;
  case 2:
    rig.reading.faults = chance(0.5) ? WIRE_FAULT_ENCODER : WIRE_FAULT_DRIVE;
    break;
  case 3:
    rig.reading.motor_temperature[1] = INT16_MAX;
    break;
  case 4:
    rig.reading.current[j] = chance(0.5) ? INT16_MIN : 2000;
    break;
  case 5:
    rig.drives_fail = true;
    break;
  case 6:
    rig.is_line_full = true;
    break;
  case 7:
    rig.is_stalled = true;
    rig.reading.q[j] = chance(0.5) ? INT32_MIN : chance(0.5) ? INT32_MAX : 0;
    break;
  case 8:
    rig.is_stalled = true;
    break;
  default: /* turned by hand */
    if (!rig.drives_on)
      rig.reading.q[j] = between(-2200000, 1200000);
    break;
  }
}

static void let_time_pass(void) {
  const unsigned ticks = 1 + (unsigned)test_rng_below(&rng, 40);
  const uint32_t us = chance(0.7) ? 1000 : (uint32_t)between(50, 4000);
  for (unsigned k = 0; k < ticks; k++)
    tick(us);
  if (chance(0.03))
    tick((uint32_t)between(20000, 150000));
  if (chance(0.001))
    tick((uint32_t)between(1e9, 2e9) * 2 / rig.time_factor);
}

static void ask(void) {
  const uint8_t state = rig.device.state;
  switch (test_rng_below(&rng, 16)) {
  case 0:
  case 1:
    ask_u32(WIRE_TYPE_LEASE, rig.device.token - (uint32_t)chance(0.1));
    break;
  case 2:
    ask_move();
    break;
  case 3:
    ask_sweep();
    break;
  case 4:
    ask_trajectory();
    break;
  case 5:
    ask_anything();
    break;
  case 6:
    if (chance(0.3))
      request(chance(0.8) ? WIRE_TYPE_STOP : WIRE_TYPE_KILL, NULL, 0);
    break;
  case 7:
    if (chance(0.2))
      ask_hello();
    break;
  case 8:
    n_replays++;
    feed(&tape[test_rng_below(&rng, recorded < TAPE ? recorded : TAPE)]);
    break;
  case 9:
    if (chance(0.05))
      emergency();
    break;
  default:
    if (state == WIRE_STATE_LOCKED)
      ask_u32(WIRE_TYPE_CLEAR, chance(0.9) ? rig.device.faults : 1);
    else if (state != WIRE_STATE_ARMED) {
      if (!rig.drives_on && chance(0.2)) /* turned by hand */
        rig.reading.q[0] = between(-1200000, 1200000);
      ask_arm();
    } else
      ask_u32(WIRE_TYPE_LEASE, rig.device.token);
    break;
  }
}

static void start(void) {
  static RigStorage storage;
  rig_storage_init(&storage);
  rig_init(&rig, &storage);
  rig.time_factor = chance(0.7) ? 1 : 3;
  rig.seq = (uint16_t)test_rng_next(&rng);
  has_session = has_last = false;
  recorded = 0;
  memset(&last, 0, sizeof last);
  ask_u32(WIRE_TYPE_LEASE, rig.device.token); /* before HELLO */
  ask_hello();
}

static void test_promises(void **state) {
  (void)state;
  test_rng_init(&rng, test_seed(20));
  for (int run = 0; run < RUNS; run++) {
    start();
    for (int k = 0; k < STEPS; k++) {
      ask();
      if (chance(0.02))
        disturb();
      if (chance(0.05)) { /* the loop is late */
        rig.wall_us += 300000;
        rig.now_us += UINT64_C(300000) * rig.time_factor;
        ask();
      }
      if (chance(0.05))
        heal();
      let_time_pass();
    }
  }
  print_message("# armed %u, leases %u, set-points moved %u, faults %u, replays %u, late %u\n",
                n_armed, n_leases, n_moved, n_faults, n_replays, n_late);
  assert_true(n_armed > 1000 && n_leases > 10000 && n_moved > 100000 && n_faults > 1000 &&
              n_replays > 1000 && n_late > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_promises)};
  return cmocka_run_group_tests_name("device_property", tests, NULL, NULL);
}
