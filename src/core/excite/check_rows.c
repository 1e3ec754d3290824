/* SPDX-License-Identifier: MIT */
/* Rows of the base regressor of many states, a block at a time; and differences of samples. */
#include <math.h>
#include <stdlib.h>

#include "core/excite/check_internal.h"

/* States of a block: 6 joints 85, 32 joints with friction and rotors 16 in 2 MB. */
enum { JOINT_STATES = 512 };

ArmStatus arm_excitation_rows_init(const ArmBase *base, const ArmModel *model, const double *noise,
                                   ArmExcitationRows *rows) {
  const size_t n = base->n, block = JOINT_STATES / n;
  *rows = (ArmExcitationRows){.base = base, .model = model, .noise = noise, .block = block};
  rows->state = calloc(3 * block * n, sizeof *rows->state);
  rows->full = calloc(block * base->columns * n, sizeof *rows->full);
  rows->rows = calloc(block * n * base->count, sizeof *rows->rows);
  return rows->state && rows->full && rows->rows ? ARM_OK : ARM_E_MEMORY;
}

void arm_excitation_rows_free(ArmExcitationRows *rows) {
  free(rows->state);
  free(rows->full);
  free(rows->rows);
}

ArmStatus arm_excitation_rows_fill(ArmExcitationRows *rows, size_t samples) {
  const ArmBase *base = rows->base;
  const size_t n = base->n, size = samples * n;
  const ArmStatus status =
      arm_base_full_regressor(base, rows->model, samples, rows->state, rows->state + size,
                              rows->state + 2 * size, rows->full);
  if (status != ARM_OK)
    return status;
  for (size_t j = 0; j < n; j++)
    for (size_t b = 0; b < base->count; b++) {
      const double *from = rows->full + (j * base->columns + base->kept[b]) * samples;
      double *to = rows->rows + b * size + j * samples;
      for (size_t s = 0; s < samples; s++)
        to[s] = from[s] / rows->noise[j];
    }
  return ARM_OK;
}

/* ---- differences ---- */

/* Of the parabola through (t[k], x[k]), k = 0..2, at `at`: Newton's divided differences. */
static double parabola(const double *t, const double *x, unsigned order, double at) {
  const double first = (x[1] - x[0]) / (t[1] - t[0]), second = (x[2] - x[1]) / (t[2] - t[1]);
  const double bend = (second - first) / (t[2] - t[0]);
  return order == 2 ? 2 * bend : first + bend * (2 * at - t[0] - t[1]);
}

ArmStatus arm_motion_differences(size_t samples, const double *t, const double *x, unsigned order,
                                 double *out) {
  if (samples < 3 || order < 1 || order > 2)
    return ARM_E_ARGUMENT;
  for (size_t s = 1; s < samples; s++)
    if (!(t[s] > t[s - 1]))
      return ARM_E_ARGUMENT;
  for (size_t s = 0; s < samples; s++) {
    const size_t first = s == 0 ? 0 : s + 1 == samples ? s - 2 : s - 1;
    out[s] = parabola(t + first, x + first, order, t[s]);
  }
  return ARM_OK;
}
