/* SPDX-License-Identifier: MIT */
/* Energy rows: the columns of core/arm/dyn.h that belong to base parameters, and their differences.
 * What is differentiated is gathered per point, never scattered into two of them. */
#include "core/excite/energy.h"

#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/excite/criterion.h"

struct ArmEnergy {
  ArmDyn dyn;
  ArmBase *base;
  size_t points, stride;
  double *kinetic, *potential, *bar; /* points x 10n; bar is zero but for base columns */
  double *h;                         /* points */
};

ArmStatus arm_energy_new(const ArmModel *model, size_t points, ArmEnergy **energy) {
  ArmBase *base = NULL;
  if (points < 1)
    return ARM_E_ARGUMENT;
  ArmStatus status = arm_base_new(model, 0, ARM_BASE_CLOSED_FORM, &base);
  if (status != ARM_OK)
    return status;
  const size_t columns = ARM_INERTIA_PARAMETERS * model->n;
  ArmEnergy *new = base->count > 0 ? calloc(1, sizeof *new) : NULL;
  double *storage = new ? calloc((3 * columns + 1) * points, sizeof *storage) : NULL;
  if (new)
    status = arm_dyn_init(&new->dyn, model);
  if (base->count == 0)
    status = ARM_E_ARGUMENT;
  else if (!storage)
    status = ARM_E_MEMORY;
  if (status != ARM_OK) {
    free(storage);
    free(new);
    arm_base_free(base);
    return status;
  }
  new->base = base;
  new->points = points;
  new->stride = arm_criterion_stride(base->count);
  new->kinetic = storage;
  new->potential = storage + columns *points;
  new->bar = storage + 2 * columns *points;
  new->h = storage + 3 * columns *points;
  *energy = new;
  return ARM_OK;
}

void arm_energy_free(ArmEnergy *energy) {
  if (!energy)
    return;
  arm_base_free(energy->base);
  free(energy->kinetic);
  free(energy);
}

const ArmBase *arm_energy_base(const ArmEnergy *energy) {
  return energy->base;
}

/* Base parameter b at all points. */
static void column(const ArmEnergy *energy, size_t b, double *h) {
  const size_t at = energy->base->kept[b] * energy->points;
  for (size_t i = 0; i < energy->points; i++)
    h[i] = energy->kinetic[at + i] + energy->potential[at + i];
}

void arm_energy_points(ArmEnergy *energy, const double *q, const double *qd, double *h) {
  arm_dyn_energy_batch(&energy->dyn, energy->points, q, qd, energy->kinetic, energy->potential);
  for (size_t b = 0; b < energy->base->count; b++)
    column(energy, b, h + b * energy->points);
}

void arm_energy_rows(ArmEnergy *energy, const double *q, const double *qd, double *w) {
  const size_t p = energy->base->count, stride = energy->stride;
  arm_dyn_energy_batch(&energy->dyn, energy->points, q, qd, energy->kinetic, energy->potential);
  for (size_t b = 0; b < p; b++) {
    column(energy, b, energy->h);
    for (size_t k = 0; k + 1 < energy->points; k++)
      w[k * stride + b] = energy->h[k + 1] - energy->h[k];
  }
  for (size_t k = 0; k + 1 < energy->points; k++)
    memset(w + k * stride + p, 0, (stride - p) * sizeof *w);
}

void arm_energy_gradient(ArmEnergy *energy, const double *q, const double *qd, const double *dw,
                         double *q_bar, double *qd_bar) {
  const size_t points = energy->points, stride = energy->stride;
  for (size_t b = 0; b < energy->base->count; b++) {
    double *bar = energy->bar + energy->base->kept[b] * points;
    for (size_t i = 0; i < points; i++)
      bar[i] = (i > 0 ? dw[(i - 1) * stride + b] : 0) - (i + 1 < points ? dw[i * stride + b] : 0);
  }
  arm_dyn_energy_gradient_batch(&energy->dyn, points, q, qd, energy->bar, q_bar, qd_bar);
}
