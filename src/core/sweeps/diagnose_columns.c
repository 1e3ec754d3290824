/* SPDX-License-Identifier: MIT */
/* What causes that need no refit do to the rows of strokes: a column each, a current as a function
 * of position, projected on the stroke's polynomials as its friction is. Source: the table of
 * Armature theory notes, lack of fit, section 5.1. */
#include <math.h>
#include <string.h>

#include "core/sweeps/diagnose_internal.h"

enum { K = ARM_STROKE_ORDERS, M = ARM_PAIR_ROWS };
/* exp(-v/20 deg/s): Armature theory notes, lack of fit, section 5.1. A T joint's is chosen. */
static const double curve_speed_R = 0.34906585039886592; /* 20 deg/s */
#define CURVE_SPEED_T 0.1                                /* m/s */

typedef struct {
  double load[3], direction;    /* of gravity [A]; friction [A] or its sign */
  double order;                 /* per turn */
  double q_middle, t_middle, v; /* rad, s, rad/s */
  double constant;              /* of time [s] */
} Shape;

static double ripple_cosine(double q, const void *user) {
  return cos(((const Shape *)user)->order * q);
}

static double ripple_sine(double q, const void *user) {
  return sin(((const Shape *)user)->order * q);
}

static double slope_of_load(double q, const void *user) {
  const Shape *s = user;
  return s->load[2] * cos(q) - s->load[1] * sin(q);
}

static double size_of_load(double q, const void *user) {
  const Shape *s = user;
  return s->direction * fabs(s->load[0] + s->load[1] * cos(q) + s->load[2] * sin(q));
}

static double warming(double q, const void *user) {
  const Shape *s = user;
  return s->direction * (1.0 - exp(-(s->t_middle + (q - s->q_middle) / s->v) / s->constant));
}

static double whole_current(double q, const void *user) {
  const Shape *s = user;
  return s->direction + s->load[0] + s->load[1] * cos(q) + s->load[2] * sin(q);
}

static double one(double q, const void *user) {
  (void)q;
  (void)user;
  return 1.0;
}

static double along(double q, const void *user) {
  return q - ((const Shape *)user)->q_middle;
}

/* lambda1 and lambda1 + lambda2 v of the direction in which the stroke goes */
static double friction_of(const ArmStrokeFit *fit, const ArmFitStroke *stroke, double v) {
  const double *f = fit->phi + fit->ident->tree.friction[stroke->sums->joint];
  return stroke->speed > 0.0 ? f[0] + f[1] * v : f[2] + f[3] * v;
}

static double sign(double x) {
  return x > 0.0 ? 1.0 : -1.0;
}

static Shape shape_of(const ArmStrokeFit *fit, const ArmFitStroke *stroke, const ArmCause *cause) {
  const ArmStroke *s = stroke->sums;
  const double rows = (double)s->rows;
  Shape shape = {.order = (double)cause->order,
                 .q_middle = s->q_sum[s->joint] / rows,
                 .t_middle = s->t_sum / rows,
                 .v = stroke->speed,
                 .constant = cause->time};
  arm_stroke_fit_load(fit, stroke, shape.load);
  return shape;
}

typedef double (*Function)(double q, const void *user);

/* 0: the stroke is not concerned */
static double factor_of(const ArmStrokeFit *fit, const ArmFitStroke *stroke, const ArmCause *cause,
                        size_t column, Shape *shape, Function *f) {
  const size_t i = stroke->sums->joint;
  const bool is_R = fit->ident->model->joints[i].type == ARM_JOINT_R;
  const double speed = stroke->speed;
  const bool is_joint = cause->joint == ARM_CAUSE_NO_JOINT || cause->joint == i;
  const double *lambda = fit->phi + fit->ident->tree.friction[i];
  if (!is_joint)
    return 0.0;
  if (cause->code == ARM_CAUSE_RIPPLE) {
    *f = column == 0 ? ripple_cosine : ripple_sine;
    return 1.0;
  }
  if (cause->code == ARM_CAUSE_CURRENT_DELAY || cause->code == ARM_CAUSE_BACKLASH) {
    *f = slope_of_load; /* the current is that of q - v delay, of half the lost motion ago */
    return !is_R ? 0.0 : cause->code == ARM_CAUSE_BACKLASH ? -0.5 * sign(speed) : -speed;
  }
  if (cause->code == ARM_CAUSE_CURRENT_GAIN) {
    *f = whole_current;
    shape->direction = friction_of(fit, stroke, speed);
    return stroke->sums->t_first >= cause->time ? 1.0 : 0.0;
  }
  if (cause->code == ARM_CAUSE_LOAD_FRICTION) {
    *f = size_of_load;
    shape->direction = sign(speed) * sign(lambda[0] - lambda[2]);
    return 1.0;
  }
  if (cause->code == ARM_CAUSE_FRICTION_DRIFT) {
    *f = warming;
    shape->direction = friction_of(fit, stroke, speed);
    return 1.0;
  }
  if (cause->code == ARM_CAUSE_ONE_SWEEP) {
    *f = column == 0 ? one : along;
    return stroke->sums->t_first == cause->time ? 1.0 : 0.0;
  }
  *f = one; /* friction's curve */
  return friction_of(fit, stroke, 0.0) * exp(-fabs(speed) / (is_R ? curve_speed_R : CURVE_SPEED_T));
}

/* the 6 numbers of one stroke, unwhitened */
static bool numbers_of(const ArmStrokeFit *fit, const ArmFitStroke *stroke, const ArmCause *cause,
                       size_t column, double to[K]) {
  const ArmJointStrokes *joint = &fit->joint[stroke->sums->joint];
  Function f = one;
  Shape shape = shape_of(fit, stroke, cause);
  const double factor = factor_of(fit, stroke, cause, column, &shape, &f);
  memset(to, 0, K * sizeof *to);
  if (factor == 0.0)
    return true;
  if (!arm_stroke_project(stroke->sums, joint->low, joint->high, f, &shape, to))
    return false;
  for (size_t k = 0; k < K; k++)
    to[k] *= factor;
  return true;
}

static bool fill_joint(const ArmStrokeFit *fit, size_t i, const ArmCause *cause, size_t column,
                       double *z) {
  const ArmJointStrokes *joint = &fit->joint[i];
  size_t row = joint->first_row;
  double plus[K], minus[K];
  bool is_good = true;
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs && is_good; p++) {
    const ArmPair *pair = &fit->pairs[p];
    is_good = numbers_of(fit, &fit->strokes[pair->plus], cause, column, plus) &&
              numbers_of(fit, &fit->strokes[pair->minus], cause, column, minus);
    if (is_good)
      arm_pair_rows(pair, plus, minus, z + row);
    arm_stroke_fit_saw_pair(fit, pair);
    row += M;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes && is_good; s++) {
    arm_stroke_fit_saw_stroke(fit, &fit->strokes[s]);
    if (fit->strokes[s].is_paired)
      continue;
    is_good = numbers_of(fit, &fit->strokes[s], cause, column, plus);
    if (is_good)
      arm_stroke_whiten(&fit->strokes[s].numbers, plus);
    memcpy(z + row, plus, sizeof plus);
    row += K;
  }
  return is_good;
}

bool arm_diagnose_columns(const ArmStrokeFit *fit, const ArmCause *cause, double *z) {
  const size_t m = fit->rows + fit->priors;
  arm_shelf_clear(fit->shelf, z, m * cause->values);
  for (size_t c = 0; c < cause->values; c++) {
    for (size_t i = 0; i < fit->ident->model->n; i++)
      if ((cause->joint == ARM_CAUSE_NO_JOINT || cause->joint == i) && fit->joint[i].strokes > 0 &&
          !fill_joint(fit, i, cause, c, z + c * m))
        return false;
    for (size_t k = 0; k < fit->rows; k++) {
      z[k + c * m] = fit->sd[k] > 0.0 ? z[k + c * m] / fit->sd[k] : 0.0;
      arm_shelf_saw(fit->shelf, 2 * sizeof *z);
    }
  }
  return true;
}
