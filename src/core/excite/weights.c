/* SPDX-License-Identifier: MIT */
#include "core/excite/weights.h"

#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/check_internal.h"

enum { SEED = 46, LEAST_STATES = 2000 };

static void draw(const ArmExcitationRows *rows, const ArmMotionLimits *limits, uint64_t *random) {
  for (size_t d = 0; d < ARM_MOTION_QUANTITIES; d++)
    for (size_t j = 0; j < limits->n; j++)
      for (size_t k = 0; k < rows->block; k++)
        rows->state[(d * limits->n + j) * rows->block + k] =
            (d == ARM_MOTION_POSITION ? limits->middle[j] : 0) +
            limits->half[d][j] * arm_random_uniform(random, -1, 1);
}

/* Adds the products of a block's columns to the lower triangle of g. */
static void add(const ArmExcitationRows *rows, double *g) {
  const size_t size = rows->block * rows->base->n, p = rows->base->count;
  for (size_t a = 0; a < p; a++)
    for (size_t b = 0; b <= a; b++) {
      const double *x = rows->rows + a * size, *y = rows->rows + b * size;
      double sum = 0;
      for (size_t k = 0; k < size; k++)
        sum += x[k] * y[k];
      g[a * p + b] += sum;
    }
}

ArmStatus arm_weights_torque(const ArmBase *base, const ArmModel *model,
                             const ArmMotionLimits *limits, const double *noise, double *g) {
  const size_t p = base->count;
  ArmExcitationRows rows;
  uint64_t random = SEED;
  ArmStatus status = arm_excitation_rows_init(base, model, noise, &rows);
  size_t states = 0;
  /* the first block tells whether the geometry is finite */
  for (; status == ARM_OK && states < LEAST_STATES; states += rows.block) {
    draw(&rows, limits, &random);
    status = arm_excitation_rows_fill(&rows, rows.block);
    if (status == ARM_OK && states == 0)
      memset(g, 0, p * p * sizeof *g);
    if (status == ARM_OK)
      add(&rows, g);
  }
  arm_excitation_rows_free(&rows);
  for (size_t a = 0; status == ARM_OK && a < p; a++)
    for (size_t b = 0; b <= a; b++) {
      g[a * p + b] /= (double)states;
      g[b * p + a] = g[a * p + b];
    }
  return status;
}

ArmStatus arm_weights_prior(const ArmBase *base, const double *x, const double *g,
                            double *diagonal) {
  const size_t p = base->count;
  double most = 0;
  for (size_t b = 0; b < p; b++) {
    if (!isfinite(x[b]))
      return ARM_E_NOT_FINITE;
    most = fmax(most, fabs(x[b]) * sqrt(g[b * p + b]));
  }
  if (!(most > 0))
    return ARM_E_NO_DATA;
  for (size_t b = 0; b < p; b++) {
    const double torque = fmax(fabs(x[b]) * sqrt(g[b * p + b]), ARM_WEIGHTS_PRIOR_LEAST * most);
    diagonal[b] = g[b * p + b] / (torque * torque);
  }
  return ARM_OK;
}
