/* SPDX-License-Identifier: MIT */
#include "core/dynamics/inertia_check.h"

#include <lapacke.h>
#include <math.h>

#include "core/base/finite.h"
#include "core/dynamics/logchol.h"

/* Sigma_c = Sigma - h h^T / m, column-major; returns the trace of Sigma. */
static double about_centre(const double *pi, double centred[9]) {
  double pseudo[ARM_PSEUDO];
  arm_pseudo_from_inertia(pi, pseudo);
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++)
      centred[r + 3 * c] = pseudo[r + 4 * c] - pi[1 + r] * (pi[1 + c] / pi[0]);
  return fabs(pseudo[0]) + fabs(pseudo[5]) + fabs(pseudo[10]);
}

static ArmInertiaFlaw judge(const double l[3], double rounding) {
  if (!(l[0] >= -rounding))
    return l[0] + l[1] < -rounding ? ARM_INERTIA_NEGATIVE : ARM_INERTIA_TRIANGLE;
  return l[0] > rounding ? ARM_INERTIA_CONSISTENT : ARM_INERTIA_FLAT;
}

ArmInertiaCheck arm_inertia_check(const double *pi) {
  ArmInertiaCheck check = {.flaw = ARM_INERTIA_NOT_FINITE,
                           .spread = {(double)NAN, (double)NAN, (double)NAN}};
  double centred[9], l[3], work[16];
  if (!arm_all_finite(pi, ARM_INERTIA_PARAMETERS))
    return check;
  check.flaw = ARM_INERTIA_MASS;
  if (!(pi[0] > 0))
    return check;
  const double rounding = 1e-12 * about_centre(pi, centred);
  check.flaw = ARM_INERTIA_NOT_FINITE; /* products may overflow */
  if (!arm_all_finite(centred, 9) ||
      LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', 3, centred, 3, l, work, 16))
    return check;
  check.flaw = judge(l, rounding);
  for (int k = 0; k < 3; k++)
    check.spread[k] = l[k] / pi[0];
  return check;
}

const char *arm_inertia_flaw_key(ArmInertiaFlaw flaw) {
  static const char *const keys[ARM_INERTIA_FLAWS] = {
      [ARM_INERTIA_CONSISTENT] = "consistent", [ARM_INERTIA_FLAT] = "flat",
      [ARM_INERTIA_NOT_FINITE] = "not_finite", [ARM_INERTIA_MASS] = "mass",
      [ARM_INERTIA_NEGATIVE] = "negative",     [ARM_INERTIA_TRIANGLE] = "triangle"};
  return flaw >= ARM_INERTIA_CONSISTENT && flaw < ARM_INERTIA_FLAWS ? keys[flaw] : "";
}
