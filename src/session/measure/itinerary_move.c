/* SPDX-License-Identifier: MIT */
/* The way from one hold to the next.
 *
 * A hold's own range is a promise about the joint that sweeps there: while the arm is in that pose
 * the joint may only be within it. So it enters the range before the other joints come, and leaves
 * it after they have gone; between two holds of one joint it stays within both ranges. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "session/base/text.h"
#include "session/measure/itinerary_internal.h"

double ase_leg_seconds(double distance, double speed, double accel) {
  const double ramp = speed / accel;
  return distance < speed * ramp ? 2.0 * sqrt(distance / accel) : distance / speed + ramp;
}

double ase_walk_accel(const AseWalk *walk, guint joint) {
  const ArmJoint *j = &walk->model->joints[joint];
  const double wanted = j->type == ARM_JOINT_R ? walk->options->accel_R : walk->options->accel_T;
  return j->limits.accel_max < wanted ? j->limits.accel_max : wanted;
}

void ase_walk_set_speeds(AseWalk *walk, bool is_dry) {
  const AseItineraryOptions *o = walk->options;
  walk->speed_R = o->move_speed_R;
  walk->speed_T = o->move_speed_T;
  if (is_dry) {
    walk->speed_R = fmin(fmin(o->dry_speed_R, ASE_DRY_SPEED_MAX_R), walk->speed_R);
    walk->speed_T = fmin(fmin(o->dry_speed_T, ASE_DRY_SPEED_MAX_T), walk->speed_T);
  }
}

double ase_leg_move_speed(const ArmModel *model, const AseLeg *leg, gsize joint) {
  const ArmJoint *j = &model->joints[joint];
  const double wanted = j->type == ARM_JOINT_R ? leg->speed_R : leg->speed_T;
  const double most = 0.9 * j->limits.speed_max;
  return most < wanted ? most : wanted;
}

/* No faster than the fastest of its joints may be: what is said and recorded of it is so. */
static void limit_speeds(const ArmModel *model, AseLeg *leg) {
  double fastest[2] = {0.0, 0.0};
  for (gsize j = 0; j < model->n; j++) {
    double *of = &fastest[model->joints[j].type != ARM_JOINT_R];
    if (leg->joints >> j & 1)
      *of = fmax(*of, ase_leg_move_speed(model, leg, j));
  }
  leg->speed_R = fastest[0] > 0.0 ? fastest[0] : leg->speed_R;
  leg->speed_T = fastest[1] > 0.0 ? fastest[1] : leg->speed_T;
}

/* The joints of the mask go to their entries of `pose` together: one trapezoid along the straight
 * line, which the slowest joint decides (docs/protocol.md, MOVE). */
static void add_move(AseWalk *walk, const AseVisit *visit, guint32 joints, const double *pose) {
  AseLeg leg = {.purpose = walk->purpose,
                .joint = visit->joint,
                .hold = visit->hold,
                .speed_R = walk->speed_R,
                .speed_T = walk->speed_T,
                .accel_R = walk->options->accel_R,
                .accel_T = walk->options->accel_T};
  double speed = INFINITY, accel = INFINITY; /* in lines per second */
  for (guint j = 0; j < walk->itinerary->n; j++) {
    const double way = fabs(pose[j] - walk->at[j]);
    leg.pose[j] = walk->at[j];
    if (!(joints >> j & 1) || way <= 0.0)
      continue;
    leg.joints |= (guint32)1 << j;
    leg.pose[j] = walk->at[j] = pose[j];
    speed = fmin(speed, ase_leg_move_speed(walk->model, &leg, j) / way);
    accel = fmin(accel, ase_walk_accel(walk, j) / way);
  }
  if (!leg.joints)
    return;
  leg.duration_s = ase_leg_seconds(1.0, speed, accel);
  limit_speeds(walk->model, &leg);
  g_array_append_val(walk->itinerary->legs, leg);
}

static void move_one(AseWalk *walk, const AseVisit *visit, guint joint, double q) {
  double pose[ARM_MAX_JOINTS];
  memcpy(pose, walk->at, sizeof pose);
  pose[joint] = q;
  add_move(walk, visit, (guint32)1 << joint, pose);
}

/* All joints of the mask, together or in the order asked for; then those the order leaves out. */
static void move_many(AseWalk *walk, const AseVisit *visit, guint32 joints) {
  const guint n = walk->itinerary->n;
  if (walk->options->moves_together) {
    add_move(walk, visit, joints, visit->pose);
    return;
  }
  for (guint k = 0; k < n && walk->options->order[k] > 0; k++) {
    const guint32 bit = (guint32)1 << (walk->options->order[k] - 1);
    if (walk->options->order[k] <= n)
      add_move(walk, visit, joints & bit, visit->pose);
    joints &= ~bit;
  }
  for (guint j = n; j-- > 0;)
    add_move(walk, visit, joints & (guint32)1 << j, visit->pose);
}

static bool check_pose(const AseWalk *walk, const AseVisit *visit, GError **error) {
  for (guint j = 0; j < walk->itinerary->n; j++) {
    const double q = visit->pose[j], low = walk->freedom->low[j], high = walk->freedom->high[j];
    if (j + 1 == visit->joint || (q >= low && q <= high))
      continue;
    const ArmJointType type = walk->model->joints[j].type;
    char *at = ase_position_said(type, q), *free = ase_range_said(type, low, high);
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("joint %u, hold %u: joint %u would stand at %s, outside of what is free (%s)"),
        visit->joint, visit->hold, j + 1, at, free);
    g_free(at);
    g_free(free);
    return false;
  }
  return true;
}

static double clamp(double q, double low, double high) {
  return q < low ? low : q > high ? high : q;
}

/* The joint that is about to sweep enters its range while the arm is still in the pose before. */
static bool enter_range(AseWalk *walk, const AseVisit *visit, GError **error) {
  const guint j = visit->joint - 1;
  double low = visit->low, high = visit->high;
  if (walk->joint == visit->joint) {
    double low_now, high_now;
    ase_freedom_range(walk->freedom, walk->joint, walk->hold, &low_now, &high_now);
    low = fmax(low, low_now), high = fmin(high, high_now);
  }
  if (low > high) {
    aio_error_set_said(
        error, AIO_ERROR_REFUSED,
        N_("joint %u: hold %u cannot be reached from hold %u, because their free ranges have "
           "no position in common; widen one of them, or leave one hold out"),
        visit->joint, visit->hold, walk->hold);
    return false;
  }
  move_one(walk, visit, j, clamp(walk->at[j], low, high));
  return true;
}

bool ase_walk_to(AseWalk *walk, const AseVisit *visit, GError **error) {
  if (!check_pose(walk, visit, error) || (visit->joint && !enter_range(walk, visit, error)))
    return false;
  guint32 others = visit->joint ? ~((guint32)1 << (visit->joint - 1)) : ~(guint32)0;
  guint32 last = 0;
  if (walk->joint && walk->joint != visit->joint) {
    double low, high;
    ase_freedom_range(walk->freedom, walk->joint, walk->hold, &low, &high);
    const double q = visit->pose[walk->joint - 1];
    last = q < low || q > high ? (guint32)1 << (walk->joint - 1) : 0;
  }
  move_many(walk, visit, others & ~last);
  if (visit->joint) {
    const guint j = visit->joint - 1;
    const bool from_low = walk->at[j] - visit->low <= visit->high - walk->at[j];
    move_one(walk, visit, j, from_low ? visit->low : visit->high);
  }
  move_many(walk, visit, last);
  walk->joint = visit->joint;
  walk->hold = visit->hold;
  return true;
}
