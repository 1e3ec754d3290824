/* SPDX-License-Identifier: MIT */
/* Motion of the invented controller: its goal runs ahead of the joint for LEAD_S and no farther, so
 * that the arm stops soon when this program does. */
#include "abacus_driver.h"

#include <math.h>

/* ---- units ---- */

double abacus_steps_per_unit(const AioDriverJoint *joint) {
  return joint->motor[0].sign * joint->motor[0].gear_ratio * ABACUS_STEPS / (2.0 * G_PI);
}

static double whole(double value, double unit) {
  return fmax(1.0, round(value / unit)) * unit;
}

double abacus_speed_unit(const AioDriverJoint *joint) {
  return fabs(ABACUS_SPEED / abacus_steps_per_unit(joint));
}

double abacus_accel_unit(const AioDriverJoint *joint) {
  return fabs(ABACUS_ACCEL / abacus_steps_per_unit(joint));
}

/* ---- motion ---- */

void abacus_end_motion(Self *self, AioMotionEnd end) {
  if (!self->state.motion)
    return;
  self->state.last_motion_id = self->state.motion_id;
  self->state.last_end = end;
  self->state.motion = AIO_MOTION_NONE;
  self->state.motion_id = 0;
  self->state.sweep_joint = 0;
  abacus_tell(self, AIO_EVENT_MOTION_END, 0, end);
  abacus_tell(self, AIO_EVENT_STATE, 0, AIO_END_NONE);
}

static double leg_end(const Motion *motion) {
  return motion->end[motion->is_sweep ? motion->leg % 2 : 0];
}

static void begin_leg(Self *self) {
  Motion *motion = &self->motion;
  motion->begin_ns = self->now_ns;
  motion->rest_until_ns = 0;
  motion->start = self->q[motion->joint];
  self->goal_due_ns = self->now_ns;
  if (motion->is_sweep && motion->leg > 0)
    abacus_tell(self, AIO_EVENT_LEG, motion->leg, AIO_END_NONE);
}

/* Where the goal stands now: ahead of the line by LEAD_S, at most at the end. */
static double goal_now(const Self *self) {
  const Motion *motion = &self->motion;
  const double way = leg_end(motion) - motion->start;
  const double gone = motion->speed * (1e-9 * (double)(self->now_ns - motion->begin_ns) + LEAD_S);
  return gone >= fabs(way) ? leg_end(motion) : motion->start + copysign(gone, way);
}

void abacus_write_goal(Self *self) {
  const AioDriverJoint *joint = &self->context.joint[self->motion.joint];
  const double steps = ABACUS_STEPS / 2.0 + goal_now(self) * abacus_steps_per_unit(joint);
  self->goal_due_ns = self->now_ns + STEP_NS;
  self->is_for_command = false;
  self->motion.is_sent = true;
  abacus_write_line(self, SET, "goal %u %ld %ld\n", joint->id[0], lround(steps),
                    lround(self->motion.speed / abacus_speed_unit(joint)));
}

/* At each reading. */
void abacus_look_at_motion(Self *self) {
  Motion *motion = &self->motion;
  const AioDriverJoint *joint = &self->context.joint[motion->joint];
  if (!self->state.motion)
    return;
  if (fabs(self->q[motion->joint] - leg_end(motion)) > 1.5 / fabs(abacus_steps_per_unit(joint)))
    return;
  if (!motion->rest_until_ns)
    motion->rest_until_ns = self->now_ns + motion->dwell_ns;
  if (self->now_ns < motion->rest_until_ns)
    return;
  if (++motion->leg == motion->legs)
    abacus_end_motion(self, AIO_END_DONE);
  else
    begin_leg(self);
}

static void refuse(Self *self, guint64 ticket, const char *why) {
  abacus_answer(self, ticket, AIO_REPLY_CODE(AIO_ERROR_REFUSED), why);
}

static void start(Self *self, guint64 ticket, const Motion *motion, double speed, double accel) {
  if (self->state.state != AIO_DEVICE_ARMED || self->state.motion) {
    refuse(self, ticket, "not armed, or it moves");
    return;
  }
  const AioDriverJoint *joint = &self->context.joint[motion->joint];
  self->motion = *motion;
  self->motion.speed = whole(speed, abacus_speed_unit(joint));
  self->motion.first_ns = self->now_ns; /* who arms is alive, and says so a little later */
  self->state.motion = motion->is_sweep ? AIO_MOTION_SWEEP : AIO_MOTION_MOVE;
  self->state.motion_id++;
  if (self->state.motion_id <= self->state.last_motion_id)
    self->state.motion_id = self->state.last_motion_id + 1;
  self->state.sweep_joint = motion->is_sweep ? (guint8)(motion->joint + 1) : 0;
  const AioReply reply = {.ticket = ticket,
                          .state = self->state,
                          .motion_id = self->state.motion_id,
                          .speed = self->motion.speed,
                          .accel = whole(accel, abacus_accel_unit(joint))};
  begin_leg(self);
  self->base.sink->reply(self->base.sink_ctx, &reply);
  abacus_tell(self, AIO_EVENT_STATE, 0, AIO_END_NONE);
}

void abacus_move(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n) {
  Self *self = (Self *)driver;
  if (n != 1) {
    refuse(self, ticket, "these servos have no straight line: one joint at a time");
    return;
  }
  const Motion motion = {.joint = joints->joint - 1, .legs = 1, .end = {joints->q, joints->q}};
  start(self, ticket, &motion, joints->speed, joints->accel);
}

void abacus_sweep(AioDriver *driver, guint64 ticket, const AioSweep *sweep) {
  const Motion motion = {.joint = sweep->joint - 1,
                         .legs = sweep->passes + 1,
                         .end = {sweep->q0, sweep->q1},
                         .dwell_ns = (gint64)(1e9 * sweep->dwell_s),
                         .is_sweep = true};
  start((Self *)driver, ticket, &motion, sweep->speed, sweep->accel);
}
