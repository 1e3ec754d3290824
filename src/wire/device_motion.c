/* SPDX-License-Identifier: MIT */
/* Motions of one profile: MOVE, SWEEP, and the deceleration to a halt. */
#include <string.h>

#include "wire/device_internal.h"

uint32_t wire_device_ms(double seconds) {
  const double ms = seconds * 1000.0 + 0.999;
  return ms >= 4294967295.0 ? UINT32_MAX : (uint32_t)ms;
}

static double seconds_since(uint64_t from_us, uint64_t now_us) {
  return (double)(now_us - from_us) * 1e-6;
}

static double magnitude(double x) {
  return x < 0.0 ? -x : x;
}

bool wire_device_may_move(WireDevice *d, const WireReceived *request) {
  wire_device_check_lease(d);
  if (d->state != WIRE_STATE_ARMED)
    wire_device_refuse(d, request, d->faults ? WIRE_CODE_LOCKED : WIRE_CODE_NOT_ARMED);
  else if (d->motion.kind != WIRE_MOTION_NONE)
    wire_device_refuse_value(d, request, WIRE_CODE_BUSY, 0, d->motion.id);
  else
    return true;
  return false;
}

void wire_device_begin_motion(WireDevice *d, uint8_t kind, uint16_t id) {
  d->motion.kind = kind;
  d->motion.id = id;
  d->motion.end = WIRE_END_NONE;
  d->motion.t0_us = d->now_us;
  d->points_us = d->now_us;
}

void wire_device_end_motion(WireDevice *d, WireEnd end) {
  WireDeviceMotion *motion = &d->motion;
  if (motion->kind == WIRE_MOTION_NONE)
    return;
  const uint16_t id = motion->id;
  motion->kind = WIRE_MOTION_NONE;
  motion->id = 0;
  memset(d->qd, 0, sizeof d->qd);
  for (size_t j = 0; j < d->config->n_joints; j++)
    d->q[j] = wire_device_point(d->q[j]); /* what was sent: a trajectory begins here */
  d->trajectory.is_open = false;
  d->last_id = id;
  d->last_end = (uint8_t)end;
  wire_device_event(d, WIRE_EVENT_MOTION_END, id, 0, (uint8_t)end, 0);
}

int32_t wire_device_point(double x) {
  const double y = x < 0.0 ? x - 0.5 : x + 0.5;
  return y <= (double)INT32_MIN ? INT32_MIN : y >= (double)INT32_MAX ? INT32_MAX : (int32_t)y;
}

void wire_device_halt_here(WireDevice *d) {
  for (size_t j = 0; j < d->config->n_joints; j++) {
    d->q[j] = d->reading.q[j];
    d->qd[j] = 0.0;
  }
}

/* ---- stop ---- */

/* Each joint decelerates as fast as it may, from the set-points of the last tick. A motion within
 * the bounds that itself comes to rest within them needs no less room, so neither does this. */
void wire_device_stop(WireDevice *d, WireEnd end) {
  WireDeviceMotion *motion = &d->motion;
  d->trajectory.is_open = false;
  if (motion->kind == WIRE_MOTION_NONE || motion->kind == WIRE_MOTION_STOPPING)
    return;
  motion->kind = WIRE_MOTION_STOPPING;
  motion->end = (uint8_t)end;
  motion->t0_us = d->points_us;
  memcpy(motion->from, d->q, sizeof motion->from);
  memcpy(motion->delta, d->qd, sizeof motion->delta);
}

static void advance_stop(WireDevice *d) {
  const WireDeviceMotion *motion = &d->motion;
  const double t = seconds_since(motion->t0_us, d->now_us);
  bool is_at_rest = true;
  for (size_t j = 0; j < d->config->n_joints; j++) {
    const double v = motion->delta[j], a = d->config->joints[j].a_max;
    const double rest = magnitude(v) / a, until = t < rest ? t : rest;
    const double slope = v < 0.0 ? a : -a;
    d->q[j] = motion->from[j] + (v + 0.5 * slope * until) * until;
    d->qd[j] = t < rest ? v + slope * until : 0.0;
    is_at_rest = is_at_rest && t >= rest;
  }
  if (is_at_rest)
    wire_device_end_motion(d, (WireEnd)motion->end);
}

/* ---- bounds ---- */

/* Position, speed and acceleration that a request asks of a joint. */
static bool is_within(WireDevice *d, const WireReceived *request, size_t joint, int32_t q,
                      uint32_t v, uint32_t a) {
  const WireDeviceJoint *bounds = &d->config->joints[joint];
  if (v == 0 || a == 0)
    wire_device_refuse_value(d, request, WIRE_CODE_VALUE, 1, 0);
  else if (q < bounds->q_min)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_Q_MIN, bounds->q_min, q);
  else if (q > bounds->q_max)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_Q_MAX, bounds->q_max, q);
  else if (v > bounds->v_max)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_V_MAX, bounds->v_max, v);
  else if (a > bounds->a_max)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_A_MAX, bounds->a_max, a);
  else
    return true;
  return false;
}

/* ---- move ---- */

static bool read_target(WireDevice *d, const WireReceived *request, size_t k, uint32_t *seen,
                        WireMoveJoint *target) {
  const size_t at = WIRE_SIZE_MOVE + k * WIRE_SIZE_MOVE_JOINT;
  (void)wire_move_joint_get(target, request->payload + at, request->length - at);
  if (target->joint < 1 || target->joint > d->config->n_joints ||
      (*seen >> (target->joint - 1) & 1u)) {
    wire_device_refuse_value(d, request, WIRE_CODE_JOINT, (int64_t)d->config->n_joints,
                             target->joint);
    return false;
  }
  *seen |= 1u << (target->joint - 1);
  return is_within(d, request, target->joint - 1u, target->q, target->v, target->a);
}

/* All joints share one profile of s in [0, 1], the fastest that respects v and a of each. */
void wire_device_on_move(WireDevice *d, const WireReceived *request) {
  WireMove move;
  (void)wire_move_get(&move, request->payload, request->length);
  const size_t size = WIRE_SIZE_MOVE + (size_t)move.count * WIRE_SIZE_MOVE_JOINT;
  if (request->length != size || move.count == 0) {
    wire_device_refuse_value(d, request, WIRE_CODE_LENGTH, (int64_t)size, (int64_t)request->length);
    return;
  }
  if (!wire_device_may_move(d, request))
    return;
  double v = 1e9, a = 1e9, delta[WIRE_DEVICE_JOINTS] = {0};
  uint32_t seen = 0;
  bool is_moving = false;
  for (size_t k = 0; k < move.count; k++) {
    WireMoveJoint target;
    if (!read_target(d, request, k, &seen, &target))
      return;
    const size_t j = target.joint - 1u;
    delta[j] = (double)target.q - d->q[j];
    const double path = magnitude(delta[j]);
    if (path > 0.0) {
      v = (double)target.v / path < v ? (double)target.v / path : v;
      a = (double)target.a / path < a ? (double)target.a / path : a;
      is_moving = true;
    }
  }
  memcpy(d->motion.from, d->q, sizeof d->motion.from);
  memcpy(d->motion.delta, delta, sizeof d->motion.delta);
  wire_profile_plan(&d->motion.profile, is_moving ? 1.0 : 0.0, v, a);
  d->trajectory.is_open = false;
  wire_device_begin_motion(d, WIRE_MOTION_MOVE, request->header.seq);
  wire_device_ack(d, request, wire_device_ms(d->motion.profile.total));
}

static void advance_move(WireDevice *d) {
  const WireDeviceMotion *motion = &d->motion;
  const double t = seconds_since(motion->t0_us, d->now_us);
  double s = 0.0, sd = 0.0;
  wire_profile_at(&motion->profile, t, &s, &sd);
  for (size_t j = 0; j < d->config->n_joints; j++) {
    d->q[j] = motion->from[j] + s * motion->delta[j];
    d->qd[j] = sd * motion->delta[j];
  }
  if (t >= motion->profile.total)
    wire_device_end_motion(d, WIRE_END_DONE);
}

/* ---- sweep ---- */

/* Leg 0 leads in to q0; odd passes go to q1, even ones come back. */
static void plan_leg(WireDevice *d) {
  WireDeviceMotion *motion = &d->motion;
  const size_t j = motion->joint;
  const double target = motion->leg % 2 ? motion->q1 : motion->q0;
  motion->from[j] = d->q[j];
  motion->delta[j] = target - d->q[j];
  wire_profile_plan(&motion->profile, magnitude(motion->delta[j]), motion->v, motion->a);
}

static bool is_sweep_allowed(WireDevice *d, const WireReceived *request, const WireSweep *sweep) {
  if (sweep->joint < 1 || sweep->joint > d->config->n_joints) {
    wire_device_refuse_value(d, request, WIRE_CODE_JOINT, (int64_t)d->config->n_joints,
                             sweep->joint);
    return false;
  }
  const size_t j = sweep->joint - 1u;
  const uint16_t i_max = d->config->joints[j].i_max;
  if (!is_within(d, request, j, sweep->q0, sweep->v, sweep->a) ||
      !is_within(d, request, j, sweep->q1, sweep->v, sweep->a))
    return false;
  if (i_max && sweep->i_max > i_max) {
    wire_device_refuse_bound(d, request, j, WIRE_BOUND_I_MAX, i_max, sweep->i_max);
    return false;
  }
  if (sweep->passes == 0 || sweep->q0 == sweep->q1) {
    wire_device_refuse_value(d, request, WIRE_CODE_VALUE, 1, 0);
    return false;
  }
  return wire_device_may_move(d, request);
}

void wire_device_on_sweep(WireDevice *d, const WireReceived *request) {
  WireSweep sweep;
  WireDeviceMotion *motion = &d->motion;
  WireProfile pass;
  (void)wire_sweep_get(&sweep, request->payload, request->length);
  if (!is_sweep_allowed(d, request, &sweep))
    return;
  motion->joint = sweep.joint - 1u;
  motion->leg = 0;
  motion->passes = sweep.passes;
  motion->i_max = sweep.i_max;
  motion->dwell_us = (uint64_t)sweep.dwell_ms * 1000u;
  motion->q0 = sweep.q0;
  motion->q1 = sweep.q1;
  motion->v = sweep.v;
  motion->a = sweep.a;
  d->sweep_over_since_us = d->now_us;
  d->trajectory.is_open = false;
  plan_leg(d);
  wire_profile_plan(&pass, magnitude(motion->q1 - motion->q0), motion->v, motion->a);
  wire_device_begin_motion(d, WIRE_MOTION_SWEEP, request->header.seq);
  wire_device_ack(d, request,
                  wire_device_ms(motion->profile.total + pass.total * sweep.passes +
                                 1e-3 * sweep.dwell_ms * (sweep.passes + 1)));
}

static void advance_sweep(WireDevice *d) {
  WireDeviceMotion *motion = &d->motion;
  const size_t j = motion->joint;
  for (;;) {
    const uint64_t leg_us = (uint64_t)(motion->profile.total * 1e6) + motion->dwell_us;
    const bool is_over = d->now_us - motion->t0_us >= leg_us;
    const double t = seconds_since(motion->t0_us, d->now_us);
    double position, speed;
    wire_profile_at(&motion->profile, is_over ? motion->profile.total : t, &position, &speed);
    const bool is_down = motion->delta[j] < 0.0;
    d->q[j] = motion->from[j] + (is_down ? -position : position);
    d->qd[j] = is_down ? -speed : speed;
    if (!is_over)
      return;
    if (motion->leg == motion->passes) {
      wire_device_end_motion(d, WIRE_END_DONE);
      return;
    }
    motion->t0_us += leg_us;
    motion->leg++;
    plan_leg(d);
    wire_device_event(d, WIRE_EVENT_SWEEP_LEG, motion->id, (uint8_t)(j + 1), 0, motion->leg);
  }
}

void wire_device_advance(WireDevice *d) {
  const uint64_t step = d->now_us - d->points_us;
  if (step > WIRE_STEP_MAX_US) /* a late tick delays the motion: set-points do not leap */
    d->motion.t0_us += step - WIRE_STEP_MAX_US;
  d->points_us = d->now_us;
  switch (d->motion.kind) {
  case WIRE_MOTION_MOVE:
    advance_move(d);
    break;
  case WIRE_MOTION_SWEEP:
    advance_sweep(d);
    break;
  case WIRE_MOTION_TRAJECTORY:
    wire_device_advance_trajectory(d);
    break;
  case WIRE_MOTION_STOPPING:
    advance_stop(d);
    break;
  default:
    break;
  }
}
