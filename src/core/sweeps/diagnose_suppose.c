/* SPDX-License-Identifier: MIT */
/* What a supposed cause does to model, positions, load and currents of a trial. */
#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/diagnose_internal.h"

#define PROBE_ANGLE 1e-4 /* rad, A, or relative: of central differences */
#define PROBE_LOAD  1e-2 /* A s^2/m, exact: the load is linear */

/* ---- gravity of a base that leans ---- */

static void cross(const double a[3], const double b[3], double c[3]) {
  for (int k = 0; k < 3; k++)
    c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

void arm_lean_axes(const double g[3], double axis[2][3]) {
  double least[3] = {0};
  least[fabs(g[0]) <= fabs(g[1]) || fabs(g[0]) <= fabs(g[2]) ? 0 : 1] = 1.0;
  const double along =
      (g[0] * least[0] + g[1] * least[1]) / (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  double size = 0.0;
  for (int k = 0; k < 3; k++) {
    axis[0][k] = least[k] - along * g[k];
    size += axis[0][k] * axis[0][k];
  }
  for (int k = 0; k < 3; k++)
    axis[0][k] /= sqrt(size);
  cross(axis[0], g, axis[1]);
  size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int k = 0; k < 3; k++)
    axis[1][k] /= size;
}

/* Rodrigues */
void arm_lean(const double g[3], double axis[2][3], const double *p, double to[3]) {
  const double angle = hypot(p[0], p[1]);
  double unit[3], across[3], dot = 0.0;
  for (int k = 0; k < 3; k++) {
    unit[k] = angle > 0.0 ? (p[0] * axis[0][k] + p[1] * axis[1][k]) / angle : 0.0;
    dot += unit[k] * g[k];
  }
  cross(unit, g, across);
  for (int k = 0; k < 3; k++)
    to[k] = cos(angle) * g[k] + sin(angle) * across[k] + (1.0 - cos(angle)) * dot * unit[k];
}

/* ---- loads and currents ---- */

/* w of a payload of m and m c in the last frame, in the last joint's torque constant */
static void set_load(ArmTrial *t) {
  const size_t n = t->model.n;
  ArmJoint *last = &t->model.joints[n - 1];
  const ArmModel kept = t->model;
  double w[2 * ARM_MAX_JOINTS] = {0};
  for (size_t j = 0; j < n; j++)
    t->model.joints[j].link.is_present = false;
  memset(t->fit.extra, 0, sizeof t->fit.extra);
  last->link.is_present = true;
  last->link.mass_kg = 1.0;
  for (size_t v = 0; v < 4; v++) { /* w is linear in m and m c: three masses of 1 beside the axes */
    for (size_t k = 0; k < 3; k++)
      last->link.com_m[k] = v == k + 1 ? 1.0 : 0.0;
    arm_gravity_nominal(&t->model, w);
    const double part = v == 0 ? t->p[0] - t->p[1] - t->p[2] - t->p[3] : t->p[v];
    for (size_t k = 0; k < 2 * n; k++)
      t->fit.extra[k] += part * w[k];
  }
  t->model = kept;
}

/* Measured currents of later strokes, and their noise, over the gain: the whitened residual is that
 * of a model times the gain. */
static void set_gain(ArmTrial *t, double gain) {
  const ArmJointStrokes *joint = &t->fit.joint[t->cause->joint];
  const double scale = t->gain / gain;
  size_t row = joint->first_row;
  t->gain = gain;
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    ArmPair *pair = &t->fit.pairs[p];
    const bool is_later = t->fit.strokes[pair->plus].sums->t_first >= t->cause->time;
    for (size_t k = 0; k < ARM_PAIR_ROWS; k++, row++) {
      pair->rows.y[k] *= is_later ? scale : 1.0;
      t->fit.sd[row] *= is_later ? scale : 1.0;
    }
    arm_stroke_fit_saw_pair(&t->fit, pair);
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    const bool is_later = t->fit.strokes[s].sums->t_first >= t->cause->time;
    for (size_t k = 0; k < ARM_STROKE_ORDERS && !t->fit.strokes[s].is_paired; k++, row++) {
      t->fit.strokes[s].rows.y[k] *= is_later ? scale : 1.0;
      t->fit.sd[row] *= is_later ? scale : 1.0;
    }
    arm_stroke_fit_saw_stroke(&t->fit, &t->fit.strokes[s]);
  }
}

/* measured currents without the ripple of p, of rows from `row` on */
static void take_off(const ArmTrial *t, size_t row, size_t count, const double *before,
                     double *after) {
  const size_t m = t->fit.rows + t->fit.priors;
  for (size_t k = 0; k < count; k++) {
    after[k] = before[k];
    for (size_t c = 0; c < t->cause->values; c++)
      after[k] -= t->p[c] * t->more[row + k + c * m] * t->fit.sd[row + k];
  }
}

static void set_ripple(ArmTrial *t) {
  const ArmJointStrokes *joint = &t->fit.joint[t->cause->joint];
  size_t row = joint->first_row;
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    take_off(t, row, ARM_PAIR_ROWS, t->base->pairs[p].rows.y, t->fit.pairs[p].rows.y);
    arm_shelf_saw(t->fit.shelf, 2 * sizeof *t->fit.pairs + 3 * ARM_PAIR_ROWS * sizeof *t->more);
    row += ARM_PAIR_ROWS;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
    arm_shelf_saw(t->fit.shelf, 2 * sizeof *t->fit.strokes);
    if (t->fit.strokes[s].is_paired)
      continue;
    take_off(t, row, ARM_STROKE_ORDERS, t->base->strokes[s].rows.y, t->fit.strokes[s].rows.y);
    row += ARM_STROKE_ORDERS;
  }
}

static bool leaves_columns(const ArmCause *cause) {
  return cause->code == ARM_CAUSE_PAYLOAD_CHANGED || cause->code == ARM_CAUSE_RIPPLE ||
         cause->code == ARM_CAUSE_CURRENT_GAIN;
}

/* model, warp, extra load, ripple and gain by p; of the columns nothing */
static void suppose(ArmTrial *t) {
  const size_t joint = t->cause->joint;
  for (size_t j = 0; j < ARM_MAX_JOINTS; j++) {
    t->warp.scale[j] = 1.0;
    t->warp.zero[j] = 0.0;
  }
  if (t->cause->code == ARM_CAUSE_PAYLOAD_CHANGED)
    set_load(t);
  if (t->cause->code == ARM_CAUSE_RIPPLE)
    set_ripple(t);
  if (t->cause->code == ARM_CAUSE_BASE_TILT)
    arm_lean(t->base->ident->model->gravity_m_s2, t->axis, t->p, t->model.gravity_m_s2);
  if (t->cause->code == ARM_CAUSE_JOINT_ZERO)
    t->warp.zero[joint] = t->p[0];
  if (t->cause->code == ARM_CAUSE_GEAR_RATIO)
    t->warp.scale[joint] = exp(t->p[0]);
  if (t->cause->code == ARM_CAUSE_JOINT_DIRECTION)
    t->warp.scale[joint] = -1.0;
  if (t->cause->code == ARM_CAUSE_CURRENT_GAIN)
    set_gain(t, exp(t->p[0]));
}

void arm_trial_apply(ArmTrial *t) {
  suppose(t);
  if (!leaves_columns(t->cause))
    arm_stroke_fit_refill(&t->fit);
}

void arm_trial_columns(ArmTrial *t) {
  const size_t m = t->fit.rows + t->fit.priors;
  const bool is_load = t->cause->code == ARM_CAUSE_PAYLOAD_CHANGED;
  const double h = is_load ? PROBE_LOAD : PROBE_ANGLE;
  arm_shelf_clear(t->fit.shelf, t->z, m * t->cause->values);
  arm_stroke_fit_columns(&t->fit, t->kept, false);
  for (size_t c = 0; c < t->cause->values; c++) {
    const double at = t->p[c];
    for (int side = 1; side >= -1; side -= 2) {
      t->p[c] = at + side * h;
      arm_trial_apply(t);
      arm_stroke_fit_evaluate(&t->fit, false);
      for (size_t k = 0; k < t->fit.rows; k++) {
        if (t->fit.sd[k] > 0.0)
          t->z[k + c * m] += side * t->fit.residual[k] / (2.0 * h * t->fit.sd[k]);
        arm_shelf_saw(t->fit.shelf, 3 * sizeof *t->z);
      }
    }
    t->p[c] = at;
  }
  arm_stroke_fit_columns(&t->fit, t->kept, true);
  suppose(t);
  arm_stroke_fit_evaluate(&t->fit, false);
}
