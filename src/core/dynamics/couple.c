/* SPDX-License-Identifier: MIT */
#include "core/dynamics/couple.h"

#include <string.h>

#include "core/arm/inertia.h"

/* Columns of links inboard of a joint are zero in its row, and not read. */
static void take_off(double share, size_t count, const size_t *column, size_t outer, size_t ld,
                     const double *from, double *to) {
  for (size_t c = 0; c < count; c++) {
    const size_t at = column[c] * ld;
    for (size_t s = 0; s < ld && column[c] / ARM_INERTIA_PARAMETERS >= outer; s++)
      to[at + s] -= share * from[at + s];
  }
}

void arm_dyn_couple_rows(const ArmModel *model, size_t count, const size_t *column, size_t ld,
                         double *y) {
  const size_t row = ARM_INERTIA_PARAMETERS * model->n * ld;
  for (size_t j = model->n; model->has_coupling && j-- > 0;)
    for (size_t k = j + 1; k < model->n; k++)
      if (model->coupling[k][j] != 0)
        take_off(model->coupling[k][j], count, column, k, ld, y + k * row, y + j * row);
}

void arm_dyn_couple_rates(const ArmModel *model, size_t ld, const double *rates, double *drive) {
  if (drive != rates)
    memcpy(drive, rates, model->n * ld * sizeof *drive);
  for (size_t j = model->n; model->has_coupling && j-- > 0;)
    for (size_t k = 0; k < j; k++)
      for (size_t s = 0; s < ld; s++)
        drive[j * ld + s] += model->coupling[j][k] * rates[k * ld + s];
}
