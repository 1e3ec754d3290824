/* SPDX-License-Identifier: MIT */
/* What columns leave over, a step and half a second at a time, against what honest ones may. */
#include "core/excite/agree.h"

#include <math.h>

#include "core/num/order.h"

static const double window_s = 0.5;
/* What is measured need not agree better. Chosen: speeds that are 20 % too large or filtered by
 * 30 ms; noise up to 6 medians of second differences, which is 10 sd, for a difference of two, but
 * no more than 5 of the steps below: leaps from pose to pose are no noise. */
static const double gain = 0.2, lag_s = 0.03, noises = 6, most_steps = 5;
/* Encoders of 600 counts per turn of a joint; speeds that are steps of those. Per second: offsets.
 * Of joints that slide what such a step is with an arm of 0.2 m. */
static const double step[2] = {0.01, 0.2}, offset[2] = {0.02, 0.2}, radius_m = 0.2;
/* More of the usual time between samples is a hole, in which anything may be. */
static const double hole = 3;

/* Positions and their speeds, or speeds and their accelerations, of one joint. */
typedef struct {
  size_t samples;
  const double *t, *x, *stated;
  const double *acceleration; /* NULL: that is what is stated */
  double limit;               /* of the acceleration */
  double step, offset, usual_s, noise;
} Pair;

static double spread(const Pair *p, size_t k) {
  return fabs(p->x[k + 2] - 2 * p->x[k + 1] + p->x[k]);
}

static double time_step(const Pair *p, size_t k) {
  return p->t[k + 1] - p->t[k];
}

static ArmStatus median(const Pair *p, double (*value)(const Pair *p, size_t k), size_t n,
                        double *found) {
  ArmOrder order = {0};
  ArmStatus status = ARM_OK;
  do
    for (size_t k = 0; k < n && status == ARM_OK; k++)
      status = arm_order_push(&order, value(p, k));
  while (status == ARM_OK && !arm_order_end(&order));
  *found = n > 0 ? order.median : 0;
  arm_order_clear(&order);
  return status;
}

/* What may happen between two samples: within acceleration a and with both speeds given, a motion
 * is at most a h^2 / 4 off their mean times h (speeding up, then slowing down); twice that is
 * allowed. Accelerations may change at any time between the two that are stated. */
static double slack(const Pair *p, size_t k) {
  const double h = time_step(p, k), *a = p->acceleration ? p->acceleration : p->stated;
  const double most = fmax(p->limit, fmax(fabs(a[k]), fabs(a[k + 1])));
  if (p->acceleration)
    return most * h * h / 2;
  return h * fabs(a[k + 1] - a[k]) + (h > hole * p->usual_s ? 2 * most * h : 0);
}

typedef struct {
  double stated, path, slack;
} Sums;

static void add(const Pair *p, size_t k, double sign, Sums *sums) {
  const double half = sign * time_step(p, k) / 2;
  sums->stated += half * (p->stated[k] + p->stated[k + 1]);
  sums->path += half * (fabs(p->stated[k]) + fabs(p->stated[k + 1]));
  sums->slack += sign * slack(p, k);
}

typedef struct {
  size_t from, to;
  double ratio, stated, found; /* ratio above 1: no honest file has that */
} Worst;

/* An acceleration may begin and end between samples, and be seen in none. */
static void weigh(const Pair *p, size_t from, size_t to, const Sums *sums, Worst *worst) {
  const double time_s = p->t[to] - p->t[from], moved = p->x[to] - p->x[from];
  const double unseen = p->acceleration ? 0 : 2 * p->limit * p->usual_s;
  const double allowed = p->step + p->offset * time_s +
                         fmin(noises * p->noise, most_steps * p->step) + gain * sums->path +
                         lag_s * fabs(p->stated[to] - p->stated[from]) + sums->slack + unseen;
  const double ratio = fabs(moved - sums->stated) / allowed;
  if (ratio > worst->ratio)
    *worst = (Worst){from, to, ratio, sums->stated / time_s, moved / time_s};
}

static Worst worst_step(const Pair *p) {
  Worst worst = {.ratio = 1};
  for (size_t k = 0; k + 1 < p->samples; k++) {
    Sums sums = {0};
    add(p, k, 1, &sums);
    weigh(p, k, k + 1, &sums, &worst);
  }
  return worst;
}

static Worst worst_window(const Pair *p) {
  Worst worst = {.ratio = 1};
  Sums sums = {0};
  size_t from = 0;
  for (size_t to = 1; to < p->samples; to++) {
    add(p, to - 1, 1, &sums);
    for (; p->t[to] - p->t[from + 1] >= window_s; from++)
      add(p, from, -1, &sums);
    if (p->t[to] - p->t[from] >= window_s || to + 1 == p->samples)
      weigh(p, from, to, &sums, &worst);
  }
  return worst;
}

static ArmStatus judge(Pair *p, Worst *worst) {
  ArmStatus status = median(p, time_step, p->samples - 1, &p->usual_s);
  if (status == ARM_OK)
    status = median(p, spread, p->samples - 2, &p->noise);
  if (status != ARM_OK)
    return status;
  /* One step of measured speeds tells nothing, and a jump is in half a second, too. */
  *worst = p->acceleration ? worst_step(p) : (Worst){.ratio = 1};
  if (worst->ratio <= 1)
    *worst = worst_window(p);
  return ARM_OK;
}

static Pair pair_of(const ArmModel *model, const ArmMotionLimits *limits, const ArmStatedMotion *m,
                    size_t joint, bool is_speed) {
  const double *q = m->q + joint * m->samples, *qd = m->qd + joint * m->samples;
  const double *qdd = m->qdd + joint * m->samples;
  const double size = model->joints[joint].type == ARM_JOINT_T ? radius_m : 1;
  const double limit = limits->half[ARM_MOTION_ACCELERATION][joint];
  return (Pair){.samples = m->samples,
                .t = m->t,
                .x = is_speed ? q : qd,
                .stated = is_speed ? qd : qdd,
                .acceleration = is_speed ? qdd : NULL,
                .limit = limit,
                .step = size * step[!is_speed],
                .offset = size * offset[!is_speed]};
}

ArmStatus arm_motion_contradictions(const ArmModel *model, const ArmMotionLimits *limits,
                                    const ArmStatedMotion *motion,
                                    ArmMotionContradiction *contradictions, size_t *count) {
  ArmStatus status = motion->samples < 2 ? ARM_E_ARGUMENT : ARM_OK;
  *count = 0;
  for (size_t k = 0; k < 2 * limits->n && status == ARM_OK; k++) {
    const size_t j = k / 2;
    const bool is_speed = k % 2 == 0;
    Worst worst = {0};
    Pair pair = pair_of(model, limits, motion, j, is_speed);
    if (motion->is_speed_derived[j] || (!is_speed && motion->is_acceleration_derived[j]))
      continue;
    status = judge(&pair, &worst);
    if (status == ARM_OK && worst.ratio > 1)
      contradictions[(*count)++] = (ArmMotionContradiction){
          .joint = j,
          .quantity = is_speed ? ARM_MOTION_SPEED : ARM_MOTION_ACCELERATION,
          .from = worst.from,
          .to = worst.to,
          .stated = worst.stated,
          .found = worst.found};
  }
  return status;
}
