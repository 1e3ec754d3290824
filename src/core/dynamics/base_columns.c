/* SPDX-License-Identifier: MIT */
/* The columns beside the inertial ones, and whole regressors. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/dynamics/base_internal.h"

static void list_kind(const ArmModel *model, ArmBase *base, ArmColumnKind kind) {
  for (size_t j = 0; j < model->n; j++) {
    const bool is_translational = model->joints[j].type == ARM_JOINT_T;
    const bool for_r = kind == ARM_COLUMN_BALANCE_COS || kind == ARM_COLUMN_BALANCE_SIN;
    if ((for_r && is_translational) || (kind == ARM_COLUMN_BALANCE && !is_translational))
      continue;
    if (base->column)
      base->column[base->columns] = (ArmBaseColumn){.kind = kind, .joint = j};
    base->columns++;
  }
}

void arm_base_list_extra(const ArmModel *model, ArmBase *base) {
  static const unsigned needs[ARM_COLUMN_KINDS] = {
      [ARM_COLUMN_COULOMB_POS] = ARM_BASE_WITH_FRICTION,
      [ARM_COLUMN_VISCOUS_POS] = ARM_BASE_WITH_FRICTION,
      [ARM_COLUMN_COULOMB_NEG] = ARM_BASE_WITH_FRICTION,
      [ARM_COLUMN_VISCOUS_NEG] = ARM_BASE_WITH_FRICTION,
      [ARM_COLUMN_SPRING] = ARM_BASE_WITH_SPRING,
      [ARM_COLUMN_SPRING_BIAS] = ARM_BASE_WITH_SPRING,
      [ARM_COLUMN_BALANCE_COS] = ARM_BASE_WITH_COUNTERBALANCE,
      [ARM_COLUMN_BALANCE_SIN] = ARM_BASE_WITH_COUNTERBALANCE,
      [ARM_COLUMN_BALANCE] = ARM_BASE_WITH_COUNTERBALANCE,
      [ARM_COLUMN_ROTOR] = ARM_BASE_WITH_ROTOR,
  };
  for (unsigned kind = 0; kind < ARM_COLUMN_KINDS; kind++)
    if (needs[kind] & base->with)
      list_kind(model, base, (ArmColumnKind)kind);
}

/* A drive turns with (I+L) qd and its torque acts on the joints through (I+L)^T. */
static double gear(const ArmModel *model, size_t drive, size_t joint) {
  return (drive == joint) + (model->has_coupling ? model->coupling[drive][joint] : 0.0);
}

static bool is_of_drive(ArmColumnKind kind) {
  return kind == ARM_COLUMN_ROTOR ||
         (kind >= ARM_COLUMN_COULOMB_POS && kind <= ARM_COLUMN_VISCOUS_NEG);
}

/* Of the state of a drive (x: speed or acceleration) or of a joint (x: position). */
static double value_of(ArmColumnKind kind, double x) {
  switch (kind) {
  case ARM_COLUMN_COULOMB_POS:
    return x > 0;
  case ARM_COLUMN_VISCOUS_POS:
    return fmax(x, 0);
  case ARM_COLUMN_COULOMB_NEG:
    return x < 0;
  case ARM_COLUMN_VISCOUS_NEG:
    return fmin(x, 0);
  case ARM_COLUMN_SPRING:
  case ARM_COLUMN_ROTOR:
    return x;
  case ARM_COLUMN_BALANCE_COS:
    return cos(x);
  case ARM_COLUMN_BALANCE_SIN:
    return sin(x);
  case ARM_COLUMN_SPRING_BIAS:
  case ARM_COLUMN_BALANCE:
    return 1;
  case ARM_COLUMN_INERTIAL:
  case ARM_COLUMN_KINDS:
    break;
  }
  return 0;
}

typedef struct {
  const ArmBase *base;
  const ArmModel *model;
  size_t samples;
  const double *q, *qd, *qdd;
} States;

static double state_of(const States *s, const ArmBaseColumn *column, size_t sample) {
  const double *rate = column->kind == ARM_COLUMN_ROTOR ? s->qdd : s->qd;
  double sum = 0;
  if (!is_of_drive(column->kind))
    return s->q[sample + s->samples * column->joint];
  for (size_t k = 0; k <= column->joint; k++) /* L is strictly lower */
    sum += gear(s->model, column->joint, k) * rate[sample + s->samples * k];
  return sum;
}

static void fill_extra(const States *s, size_t c, double *y) {
  const ArmBaseColumn *column = s->base->column + c;
  const size_t block = s->base->columns * s->samples;
  for (size_t sample = 0; sample < s->samples; sample++) {
    const double value = value_of(column->kind, state_of(s, column, sample));
    for (size_t i = 0; i < s->base->n; i++) {
      const double share =
          is_of_drive(column->kind) ? gear(s->model, column->joint, i) : i == column->joint;
      y[i * block + c * s->samples + sample] = share * value;
    }
  }
}

ArmStatus arm_base_full_regressor(const ArmBase *base, const ArmModel *model, size_t samples,
                                  const double *q, const double *qd, const double *qdd, double *y) {
  const States states = {base, model, samples, q, qd, qdd};
  const size_t inertial = ARM_BASE_P * base->n;
  ArmDyn dyn;
  const ArmStatus status = arm_dyn_init(&dyn, model);
  if (status != ARM_OK)
    return status;
  arm_dyn_regressor_batch(&dyn, samples, q, qd, qdd, y);
  for (size_t i = base->n; i-- > 0;) /* from the packed blocks to those with more columns */
    memmove(y + i * base->columns * samples, y + i * inertial * samples,
            inertial * samples * sizeof *y);
  for (size_t c = inertial; c < base->columns; c++)
    fill_extra(&states, c, y);
  return ARM_OK;
}

ArmStatus arm_base_regressor(const ArmBase *base, const ArmModel *model, const double *q,
                             const double *qd, const double *qdd, double *y) {
  double *full = malloc(base->columns * base->n * sizeof *full);
  if (!full)
    return ARM_E_MEMORY;
  const ArmStatus status = arm_base_full_regressor(base, model, 1, q, qd, qdd, full);
  for (size_t i = 0; i < base->n && status == ARM_OK; i++)
    for (size_t b = 0; b < base->count; b++)
      y[i * base->count + b] = full[i * base->columns + base->kept[b]];
  free(full);
  return status;
}

/* ---- gradient ---- */

/* Of value_of, by x. */
static double slope_of(ArmColumnKind kind, double x) {
  switch (kind) {
  case ARM_COLUMN_VISCOUS_POS:
    return x > 0;
  case ARM_COLUMN_VISCOUS_NEG:
    return x < 0;
  case ARM_COLUMN_SPRING:
  case ARM_COLUMN_ROTOR:
    return 1;
  case ARM_COLUMN_BALANCE_COS:
    return -sin(x);
  case ARM_COLUMN_BALANCE_SIN:
    return cos(x);
  case ARM_COLUMN_COULOMB_POS:
  case ARM_COLUMN_COULOMB_NEG:
  case ARM_COLUMN_SPRING_BIAS:
  case ARM_COLUMN_BALANCE:
  case ARM_COLUMN_INERTIAL:
  case ARM_COLUMN_KINDS:
    break;
  }
  return 0;
}

/* What base parameter b, whose column is none of the inertial, adds. */
static void add_extra(const States *s, size_t b, const double *bar, double *q_bar,
                      double *rate_bar) {
  const ArmBaseColumn *column = s->base->column + s->base->kept[b];
  const bool turns = is_of_drive(column->kind);
  for (size_t sample = 0; sample < s->samples; sample++) {
    double sum = 0;
    for (size_t i = 0; i < s->base->n; i++)
      sum += (turns ? gear(s->model, column->joint, i) : i == column->joint) *
             bar[(i * s->base->count + b) * s->samples + sample];
    sum *= slope_of(column->kind, state_of(s, column, sample));
    if (!turns)
      q_bar[sample + s->samples * column->joint] += sum;
    for (size_t k = 0; turns && k <= column->joint; k++)
      rate_bar[sample + s->samples * k] += gear(s->model, column->joint, k) * sum;
  }
}

ArmStatus arm_base_regressor_gradient(const ArmBase *base, const ArmModel *model, size_t samples,
                                      const double *q, const double *qd, const double *qdd,
                                      const double *bar, double *work, double *q_bar,
                                      double *qd_bar, double *qdd_bar) {
  const States states = {base, model, samples, q, qd, qdd};
  const size_t inertial = ARM_BASE_P * base->n;
  ArmDyn dyn;
  const ArmStatus status = arm_dyn_init(&dyn, model);
  if (status != ARM_OK)
    return status;
  memset(work, 0, samples * inertial * base->n * sizeof *work);
  for (size_t i = 0; i < base->n; i++)
    for (size_t b = 0; b < base->count; b++)
      if (base->kept[b] < inertial)
        memcpy(work + (i * inertial + base->kept[b]) * samples,
               bar + (i * base->count + b) * samples, samples * sizeof *work);
  arm_dyn_regressor_gradient_batch(&dyn, samples, q, qd, qdd, work, q_bar, qd_bar, qdd_bar);
  for (size_t b = 0; b < base->count; b++)
    if (base->kept[b] >= inertial)
      add_extra(&states, b, bar, q_bar,
                base->column[base->kept[b]].kind == ARM_COLUMN_ROTOR ? qdd_bar : qd_bar);
  return ARM_OK;
}
