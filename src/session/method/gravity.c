/* SPDX-License-Identifier: MIT */
#include "session/method/gravity.h"

static void free_whole(gpointer fit) {
  arm_gravity_fit_clear(fit);
  g_free(fit);
}

const ArmGravityFit *ase_gravity_of(const AseFit *fit) {
  return ase_fit_whole(fit, free_whole);
}

AseFit *ase_gravity_wrap(ArmGravityFit *fit) {
  return ase_fit_new(fit, free_whole);
}
