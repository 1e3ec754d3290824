/* SPDX-License-Identifier: MIT */
/* TRAJECTORY: cubic segments between knots of position and speed, buffered and executed here. */
#include <string.h>

#include "wire/device_internal.h"

enum { DURATION_MIN_US = 1000 };

/* A segment of one joint over h seconds. */
typedef struct {
  double q0, v0, q1, v1, h;
} Cubic;

static size_t count_joints(uint32_t joints) {
  size_t count = 0;
  for (; joints; joints &= joints - 1u)
    count++;
  return count;
}

void wire_device_on_traj_begin(WireDevice *d, const WireReceived *request) {
  WireTrajBegin begin;
  WireTrajectory *t = &d->trajectory;
  const size_t n = d->config->n_joints;
  (void)wire_traj_begin_get(&begin, request->payload, request->length);
  if (begin.joints == 0 || begin.joints >> n) {
    wire_device_refuse_value(d, request, WIRE_CODE_JOINT, (int64_t)n, begin.joints);
    return;
  }
  if (!wire_device_may_move(d, request))
    return;
  t->is_open = true;
  t->has_last = false;
  t->joints = begin.joints;
  t->next_index = 0;
  t->head = t->count = 0;
  for (size_t j = 0; j < n; j++) {
    t->q[j] = (int32_t)d->q[j];
    t->qd[j] = 0;
  }
  wire_device_ack(d, request, WIRE_DEVICE_SEGMENTS);
}

static double magnitude(double x) {
  return x < 0.0 ? -x : x;
}

static double least(double a, double b) {
  return a < b ? a : b;
}

static double most(double a, double b) {
  return a > b ? a : b;
}

/* A cubic lies within the hull of its Bezier points, its speed within that of the derivative's
 * points, its acceleration is linear. Beyond the end there must be room to stop; the end itself
 * lies between b2 and there. */
static bool is_cubic_within(WireDevice *d, const WireReceived *request, size_t joint,
                            const Cubic *c) {
  const WireDeviceJoint *bounds = &d->config->joints[joint];
  const double b1 = c->q0 + c->v0 * c->h / 3.0, b2 = c->q1 - c->v1 * c->h / 3.0;
  const double slope = (c->q1 - c->q0) / c->h, a_max = bounds->a_max, v_max = bounds->v_max;
  const double stop = c->q1 + c->v1 * magnitude(c->v1) / (2.0 * a_max);
  const double low = least(least(b1, b2), stop), high = most(most(b1, b2), stop);
  const double v = most(magnitude(3.0 * (b2 - b1) / c->h), magnitude(c->v1));
  const double a = most(magnitude(6.0 * slope - 4.0 * c->v0 - 2.0 * c->v1) / c->h,
                        magnitude(-6.0 * slope + 2.0 * c->v0 + 4.0 * c->v1) / c->h);
  if (low < (double)bounds->q_min)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_Q_MIN, bounds->q_min,
                             low < -2147483648.0 ? INT32_MIN : (int64_t)low);
  else if (high > (double)bounds->q_max)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_Q_MAX, bounds->q_max,
                             high > 2147483647.0 ? INT32_MAX : (int64_t)high);
  else if (v > v_max)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_V_MAX, bounds->v_max,
                             v > 2147483647.0 ? INT32_MAX : (int64_t)v);
  else if (a > a_max)
    wire_device_refuse_bound(d, request, joint, WIRE_BOUND_A_MAX, bounds->a_max,
                             a > 2147483647.0 ? INT32_MAX : (int64_t)a);
  else
    return true;
  return false;
}

static bool read_knots(WireDevice *d, const WireReceived *request, const WireTrajSegment *head,
                       WireSegment *segment) {
  const WireTrajectory *t = &d->trajectory;
  const uint8_t *at = request->payload + WIRE_SIZE_TRAJ_SEGMENT;
  segment->duration_us = head->duration_us;
  segment->is_last = head->is_last == 1;
  memcpy(segment->q, t->q, sizeof segment->q);
  memcpy(segment->qd, t->qd, sizeof segment->qd);
  for (size_t j = 0; j < d->config->n_joints; j++) {
    if (!(t->joints >> j & 1u))
      continue;
    WireKnot knot;
    (void)wire_knot_get(&knot, at, WIRE_SIZE_KNOT);
    at += WIRE_SIZE_KNOT;
    const Cubic cubic = {t->q[j], t->qd[j], knot.q, knot.qd, (double)head->duration_us * 1e-6};
    if (!is_cubic_within(d, request, j, &cubic))
      return false;
    if (segment->is_last && knot.qd != 0) {
      wire_device_refuse_value(d, request, WIRE_CODE_VALUE, 0, knot.qd);
      return false;
    }
    segment->q[j] = knot.q;
    segment->qd[j] = knot.qd;
  }
  return true;
}

/* What can be said without looking at the knots. */
static bool is_expected(WireDevice *d, const WireReceived *request, const WireTrajSegment *head) {
  const WireTrajectory *t = &d->trajectory;
  const size_t size = WIRE_SIZE_TRAJ_SEGMENT + count_joints(t->joints) * WIRE_SIZE_KNOT;
  if (d->state != WIRE_STATE_ARMED)
    wire_device_refuse(d, request, d->faults ? WIRE_CODE_LOCKED : WIRE_CODE_NOT_ARMED);
  else if (!t->is_open || t->has_last)
    wire_device_refuse(d, request, WIRE_CODE_NO_TRAJECTORY);
  else if (request->length != size)
    wire_device_refuse_value(d, request, WIRE_CODE_LENGTH, (int64_t)size, (int64_t)request->length);
  else if (head->index != t->next_index)
    wire_device_refuse_value(d, request, WIRE_CODE_SEGMENT, t->next_index, head->index);
  else if (t->count == WIRE_DEVICE_SEGMENTS)
    wire_device_refuse_value(d, request, WIRE_CODE_FULL, WIRE_DEVICE_SEGMENTS, head->index);
  else if (head->duration_us < DURATION_MIN_US || head->is_last > 1)
    wire_device_refuse_value(d, request, WIRE_CODE_VALUE, DURATION_MIN_US, head->duration_us);
  else
    return true;
  return false;
}

void wire_device_on_traj_segment(WireDevice *d, const WireReceived *request) {
  WireTrajSegment head;
  WireTrajectory *t = &d->trajectory;
  (void)wire_traj_segment_get(&head, request->payload, request->length);
  wire_device_check_lease(d);
  if (!is_expected(d, request, &head))
    return;
  WireSegment *segment = &t->ring[(t->head + t->count) % WIRE_DEVICE_SEGMENTS];
  if (!read_knots(d, request, &head, segment))
    return;
  memcpy(t->q, segment->q, sizeof t->q);
  memcpy(t->qd, segment->qd, sizeof t->qd);
  t->has_last = segment->is_last;
  t->next_index++;
  t->count++;
  wire_device_ack(d, request, (uint32_t)(WIRE_DEVICE_SEGMENTS - t->count));
}

/* The knot from which the first waiting segment starts. */
static void start_from(WireDevice *d, const double *q, const double *qd) {
  memcpy(d->motion.from, q, sizeof d->motion.from);
  memcpy(d->motion.delta, qd, sizeof d->motion.delta);
}

void wire_device_on_traj_start(WireDevice *d, const WireReceived *request) {
  const WireTrajectory *t = &d->trajectory;
  if (!wire_device_may_move(d, request))
    return;
  if (!t->is_open || t->count == 0) {
    wire_device_refuse(d, request, WIRE_CODE_NO_TRAJECTORY);
    return;
  }
  start_from(d, d->q, d->qd);
  wire_device_begin_motion(d, WIRE_MOTION_TRAJECTORY, request->header.seq);
  wire_device_ack(d, request, (uint32_t)(WIRE_DEVICE_SEGMENTS - t->count));
}

/* Position and speed at time x h of the cubic, 0 <= x <= 1. */
static void cubic_at(const Cubic *c, double x, double *q, double *v) {
  const double b1 = c->q0 + c->v0 * c->h / 3.0, b2 = c->q1 - c->v1 * c->h / 3.0, y = 1.0 - x;
  *q = y * y * y * c->q0 + 3.0 * x * y * y * b1 + 3.0 * x * x * y * b2 + x * x * x * c->q1;
  *v = 3.0 * (y * y * (b1 - c->q0) + 2.0 * x * y * (b2 - b1) + x * x * (c->q1 - b2)) / c->h;
}

static void set_points(WireDevice *d, const WireSegment *segment, double x) {
  for (size_t j = 0; j < d->config->n_joints; j++) {
    if (!(d->trajectory.joints >> j & 1u))
      continue;
    const Cubic cubic = {d->motion.from[j], d->motion.delta[j], segment->q[j], segment->qd[j],
                         (double)segment->duration_us * 1e-6};
    cubic_at(&cubic, x, &d->q[j], &d->qd[j]);
  }
}

/* Hands over to the deceleration from where the last segment ended. */
static void underrun(WireDevice *d) {
  d->points_us = d->motion.t0_us;
  wire_device_stop(d, WIRE_END_UNDERRUN);
  wire_device_advance(d);
}

void wire_device_advance_trajectory(WireDevice *d) {
  WireTrajectory *t = &d->trajectory;
  for (;;) {
    const WireSegment *segment = &t->ring[t->head];
    const uint64_t elapsed = d->now_us - d->motion.t0_us;
    if (elapsed < segment->duration_us) {
      set_points(d, segment, (double)elapsed / (double)segment->duration_us);
      return;
    }
    set_points(d, segment, 1.0);
    d->motion.t0_us += segment->duration_us;
    start_from(d, d->q, d->qd);
    t->head = (t->head + 1) % WIRE_DEVICE_SEGMENTS;
    t->count--;
    if (segment->is_last) {
      wire_device_end_motion(d, WIRE_END_DONE);
      return;
    }
    if (t->count == 0) {
      underrun(d);
      return;
    }
  }
}
