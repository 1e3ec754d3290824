/* SPDX-License-Identifier: MIT */
/* Arming, the lease, faults and what they do. */
#include "wire/bytes.h"
#include "wire/crc32.h"
#include "wire/device_internal.h"

/* Faults after which holding is worse than letting go; after the others the arm decelerates and
 * holds. */
#define OFF_FAULTS                                                                                 \
  ((uint32_t)(WIRE_FAULT_KILL | WIRE_FAULT_EMERGENCY | WIRE_FAULT_ESTOP | WIRE_FAULT_CURRENT |     \
              WIRE_FAULT_SUPPLY_LOW | WIRE_FAULT_SUPPLY_HIGH | WIRE_FAULT_ENCODER |                \
              WIRE_FAULT_DRIVE))

/* A number that a recorded or delayed ARM does not have. */
void wire_device_new_token(WireDevice *d) {
  uint8_t seed[12];
  wire_put_u32(seed, d->config->boot_count);
  wire_put_u32(seed + 4, d->tokens++);
  wire_put_u32(seed + 8, (uint32_t)(d->wall_us & UINT32_MAX));
  d->token = wire_crc32(d->config->uid[0], seed, sizeof seed);
  if (d->token == 0)
    d->token = 1;
  d->trajectory.is_open = false; /* it began at a halt that may not last */
}

/* Until the drives obey they are told again with every tick, and count as on if they were. */
static bool switch_off(WireDevice *d) {
  d->is_off_due = !d->hal->switch_drives(d->ctx, false);
  if (!d->is_off_due)
    d->drives_on = false;
  return !d->is_off_due;
}

static double least(double a, double b) {
  return a < b ? a : b;
}

static double most(double a, double b) {
  return a > b ? a : b;
}

/* Where the joints are, but no further outside of the bounds than the set-points were: what an
 * encoder says that makes a joint not follow may be wrong. */
static void halt_within(WireDevice *d) {
  for (size_t j = 0; j < d->config->n_joints; j++) {
    const WireDeviceJoint *joint = &d->config->joints[j];
    const double low = least(joint->q_min, d->q[j]), high = most(joint->q_max, d->q[j]);
    d->q[j] = most(low, least(high, d->reading.q[j]));
    d->qd[j] = 0.0;
    d->off_since_us[j] = d->now_us;
  }
}

/* joint: that caused them, from 1; 0: none, or not known. */
static void latch(WireDevice *d, uint32_t bits, uint8_t joint) {
  const bool is_off = (bits & ~d->faults & OFF_FAULTS) != 0;
  const uint16_t id = d->motion.id;
  if (is_off && d->drives_on && !switch_off(d))
    bits |= WIRE_FAULT_DRIVE;
  const uint32_t fresh = bits & ~d->faults;
  if (fresh == 0)
    return;
  d->faults |= fresh;
  d->fault_wall_us = d->wall_us;
  d->state = WIRE_STATE_LOCKED;
  wire_device_new_token(d);
  if (is_off) {
    wire_device_end_motion(d, fresh & WIRE_FAULT_KILL ? WIRE_END_KILL : WIRE_END_FAULT);
  } else if (fresh & WIRE_FAULT_FOLLOWING) {
    wire_device_end_motion(d, WIRE_END_FAULT);
    halt_within(d);
  } else {
    wire_device_stop(d, WIRE_END_FAULT);
  }
  wire_device_event(d, WIRE_EVENT_FAULT, id, joint, 0, (int32_t)(fresh & INT32_MAX));
}

/* Every time anew: the drives are told to be off, even if they should be, and the lock-out starts.
 */
void wire_device_kill(WireDevice *d, WireFault why) {
  const uint32_t drive = switch_off(d) ? 0u : (uint32_t)WIRE_FAULT_DRIVE;
  latch(d, (uint32_t)why | drive, 0);
  d->fault_wall_us = d->wall_us;
}

/* ---- lease ---- */

static uint32_t ms_left(uint64_t from_us, uint32_t ms, uint64_t now_us) {
  const uint64_t gone = now_us - from_us, all = (uint64_t)ms * 1000u;
  return gone >= all ? 0u : (uint32_t)((all - gone + 999u) / 1000u);
}

uint16_t wire_device_lease_ms(const WireDevice *d) {
  return d->state == WIRE_STATE_ARMED ? (uint16_t)ms_left(d->lease_wall_us, d->ttl_ms, d->wall_us)
                                      : (uint16_t)0;
}

uint16_t wire_device_lockout_ms(const WireDevice *d) {
  return d->faults ? (uint16_t)ms_left(d->fault_wall_us, WIRE_LOCKOUT_MS, d->wall_us) : (uint16_t)0;
}

void wire_device_check_lease(WireDevice *d) {
  if (d->state == WIRE_STATE_ARMED && wire_device_lease_ms(d) == 0)
    latch(d, WIRE_FAULT_LEASE, 0);
}

void wire_device_on_lease(WireDevice *d, const WireReceived *request) {
  WireLease lease;
  (void)wire_lease_get(&lease, request->payload, request->length);
  wire_device_check_lease(d); /* too late is too late, even before the next tick */
  if (d->state != WIRE_STATE_ARMED) {
    wire_device_refuse(d, request, d->faults ? WIRE_CODE_LOCKED : WIRE_CODE_NOT_ARMED);
  } else if (lease.token != d->token) {
    wire_device_refuse(d, request, WIRE_CODE_TOKEN);
  } else {
    d->lease_wall_us = d->wall_us;
    wire_device_ack(d, request, d->ttl_ms);
  }
}

/* ---- arm, disarm, clear ---- */

static bool may_arm(WireDevice *d, const WireReceived *request, const WireArm *arm) {
  const WireDeviceConfig *c = d->config;
  if (d->state == WIRE_STATE_ARMED)
    wire_device_refuse(d, request, WIRE_CODE_ARMED);
  else if (!d->reading.is_estop_closed)
    wire_device_refuse(d, request, WIRE_CODE_ESTOP);
  else if (d->faults)
    wire_device_refuse_value(d, request, WIRE_CODE_LOCKED, 0, d->faults);
  else if (d->active)
    wire_device_refuse_value(d, request, WIRE_CODE_FAULT_ACTIVE, 0, d->active);
  else if (arm->token != d->token)
    wire_device_refuse(d, request, WIRE_CODE_TOKEN);
  else if (arm->ttl_ms < c->ttl_min_ms || arm->ttl_ms > c->ttl_max_ms)
    wire_device_refuse_value(d, request, WIRE_CODE_TTL,
                             arm->ttl_ms < c->ttl_min_ms ? c->ttl_min_ms : c->ttl_max_ms,
                             arm->ttl_ms);
  else if (d->motion.kind != WIRE_MOTION_NONE)
    wire_device_refuse(d, request, WIRE_CODE_BUSY);
  else
    return true;
  return false;
}

/* Limits that must be exceeded for a while start afresh when the drives come on. */
static void reset_filters(WireDevice *d) {
  for (size_t j = 0; j < d->config->n_joints; j++)
    d->over_since_us[j] = d->off_since_us[j] = d->now_us;
}

void wire_device_on_arm(WireDevice *d, const WireReceived *request) {
  WireArm arm;
  (void)wire_arm_get(&arm, request->payload, request->length);
  wire_device_sense(d); /* the last tick may be long ago */
  if (!may_arm(d, request, &arm))
    return;
  if (!d->drives_on) {
    wire_device_halt_here(d);
    reset_filters(d);
    d->drives_on = d->hal->switch_drives(d->ctx, true);
    if (!d->drives_on) {
      (void)switch_off(d);
      latch(d, WIRE_FAULT_DRIVE, 0);
      wire_device_refuse_value(d, request, WIRE_CODE_FAULT_ACTIVE, 0, WIRE_FAULT_DRIVE);
      return;
    }
  }
  d->state = WIRE_STATE_ARMED;
  d->ttl_ms = arm.ttl_ms;
  d->lease_wall_us = d->wall_us;
  wire_device_ack(d, request, arm.ttl_ms);
}

void wire_device_on_disarm(WireDevice *d, const WireReceived *request) {
  WireDisarm disarm;
  (void)wire_disarm_get(&disarm, request->payload, request->length);
  if (disarm.drives_off > 1) {
    wire_device_refuse_value(d, request, WIRE_CODE_VALUE, 1, disarm.drives_off);
    return;
  }
  if (disarm.drives_off) {
    wire_device_end_motion(d, WIRE_END_DISARM);
    if (!switch_off(d))
      latch(d, WIRE_FAULT_DRIVE, 0);
  } else {
    wire_device_stop(d, WIRE_END_DISARM);
  }
  if (d->state == WIRE_STATE_ARMED)
    wire_device_new_token(d);
  if (d->state != WIRE_STATE_LOCKED)
    d->state = d->drives_on ? WIRE_STATE_HELD : WIRE_STATE_OFF;
  wire_device_ack(d, request, 0);
}

void wire_device_on_clear(WireDevice *d, const WireReceived *request) {
  WireClear clear;
  (void)wire_clear_get(&clear, request->payload, request->length);
  const uint32_t faults = d->faults;
  if (faults & ~clear.faults) {
    wire_device_refuse_value(d, request, WIRE_CODE_FAULT_UNSEEN, faults, clear.faults);
  } else if (wire_device_lockout_ms(d) > 0) {
    wire_device_refuse_value(d, request, WIRE_CODE_LOCKOUT, wire_device_lockout_ms(d), 0);
  } else if (d->motion.kind != WIRE_MOTION_NONE) {
    wire_device_refuse(d, request, WIRE_CODE_BUSY);
  } else if (faults && d->active) {
    wire_device_refuse_value(d, request, WIRE_CODE_FAULT_ACTIVE, 0, d->active);
  } else {
    d->faults = 0;
    if (d->state == WIRE_STATE_LOCKED)
      d->state = d->drives_on ? WIRE_STATE_HELD : WIRE_STATE_OFF;
    if (faults) {
      reset_filters(d);
      wire_device_event(d, WIRE_EVENT_CLEARED, 0, 0, 0, (int32_t)(faults & INT32_MAX));
    }
    wire_device_ack(d, request, faults);
  }
}

/* ---- supervision ---- */

/* True once a claim has held for that long; *since is the last time it did not. */
static bool lasts(const WireDevice *d, bool claim, uint64_t *since, uint32_t us) {
  if (!claim)
    *since = d->now_us;
  return d->now_us - *since >= us;
}

static uint32_t magnitude(int32_t x) {
  return x < 0 ? 0u - (uint32_t)x : (uint32_t)x;
}

static bool is_hot(const WireDevice *d, size_t j) {
  const WireDeviceJoint *joint = &d->config->joints[j];
  return joint->temperature_max && d->reading.motor_temperature[j] > joint->temperature_max;
}

/* From 1; 0: none, or it is latched already. */
static uint8_t first_hot(const WireDevice *d) {
  for (size_t j = 0; j < d->config->n_joints; j++)
    if (is_hot(d, j))
      return d->faults & WIRE_FAULT_TEMPERATURE ? (uint8_t)0 : (uint8_t)(j + 1);
  return 0;
}

/* What is wrong now, whether the drives are on or not. */
static uint32_t causes(const WireDevice *d) {
  const WireDeviceConfig *c = d->config;
  const WireReading *r = &d->reading;
  uint32_t bits = r->faults | (d->is_off_due ? (uint32_t)WIRE_FAULT_DRIVE : 0u);
  bits |= r->is_estop_closed ? 0u : (uint32_t)WIRE_FAULT_ESTOP;
  bits |= c->supply_min_mv && r->supply_mv < c->supply_min_mv ? (uint32_t)WIRE_FAULT_SUPPLY_LOW : 0;
  bits |=
      c->supply_max_mv && r->supply_mv > c->supply_max_mv ? (uint32_t)WIRE_FAULT_SUPPLY_HIGH : 0;
  for (size_t j = 0; j < c->n_joints; j++)
    if (is_hot(d, j))
      bits |= WIRE_FAULT_TEMPERATURE;
  return bits;
}

/* What only shows while the drives are on, and for a while.
 *   culprit  the first joint of which something shows, from 1; else as it was */
static uint32_t filtered_causes(WireDevice *d, uint8_t *culprit) {
  uint32_t bits = 0;
  for (size_t j = 0; j < d->config->n_joints; j++) {
    const WireDeviceJoint *joint = &d->config->joints[j];
    const double error = d->q[j] - (double)d->reading.q[j];
    const bool is_over = joint->i_max && magnitude(d->reading.current[j]) > joint->i_max;
    const bool is_off =
        joint->following_max && (error < 0.0 ? -error : error) > (double)joint->following_max;
    if (lasts(d, is_over, &d->over_since_us[j], WIRE_FILTER_US))
      bits |= WIRE_FAULT_CURRENT;
    if (lasts(d, is_off, &d->off_since_us[j], WIRE_FOLLOWING_US))
      bits |= WIRE_FAULT_FOLLOWING;
    if (bits && !*culprit)
      *culprit = (uint8_t)(j + 1);
  }
  return bits;
}

void wire_device_sense(WireDevice *d) {
  d->hal->read(d->ctx, &d->reading);
  d->active = causes(d);
}

void wire_device_start_off(WireDevice *d) {
  (void)switch_off(d);
  wire_device_sense(d);
}

void wire_device_supervise(WireDevice *d) {
  if (d->is_off_due)
    (void)switch_off(d);
  if (!d->drives_on)
    return;
  uint8_t culprit = first_hot(d);
  uint32_t filtered = filtered_causes(d, &culprit);
  if (filtered & d->faults & WIRE_FAULT_FOLLOWING)
    filtered |= WIRE_FAULT_DRIVE; /* it does not even hold */
  const WireDeviceMotion *motion = &d->motion;
  const bool is_sweeping = motion->kind == WIRE_MOTION_SWEEP && motion->i_max > 0;
  const bool is_over = is_sweeping && magnitude(d->reading.current[motion->joint]) > motion->i_max;
  if (lasts(d, is_over, &d->sweep_over_since_us, WIRE_FILTER_US))
    wire_device_stop(d, WIRE_END_CURRENT);
  latch(d, d->active | filtered, culprit);
}
