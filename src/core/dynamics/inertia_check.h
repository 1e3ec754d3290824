/* SPDX-License-Identifier: MIT */
/* Can a body have these ten parameters, and if not, why not?
 *
 * A body of positive mass that is not confined to a plane has a positive definite pseudo-inertia
 * (logchol.h), and the other way round. By its Schur complement that is m > 0 and positive
 * eigenvalues l of Sigma_c = Sigma - h h^T / m [kg m^2], the second moments of mass about the
 * centre; principal moments of inertia are sums of two of them. Source: Wensing, Kim and Slotine,
 * IEEE Robotics and Automation Letters 3(1) 2018.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_DYNAMICS_INERTIA_CHECK_H
#define ARMATURE_CORE_DYNAMICS_INERTIA_CHECK_H

#include "core/arm/inertia.h"

typedef enum {
  ARM_INERTIA_CONSISTENT = 0, /* pseudo-inertia positive definite */
  ARM_INERTIA_FLAT,           /* all mass in a plane, on a line, in a point: the border; a body, but
                                 the pseudo-inertia is singular */
  ARM_INERTIA_NOT_FINITE,     /* a parameter is NaN or infinite */
  ARM_INERTIA_MASS,           /* m <= 0 */
  ARM_INERTIA_NEGATIVE,       /* a principal moment of inertia about the centre is negative */
  ARM_INERTIA_TRIANGLE,       /* one is larger than the other two together */
  ARM_INERTIA_FLAWS
} ArmInertiaFlaw;

typedef struct {
  ArmInertiaFlaw flaw;
  double
      spread[3]; /* l / m, ascending [m^2]: squares of the radii of gyration; NAN without a mass */
} ArmInertiaCheck;

/* Eigenvalues within rounding (1e-12 of the trace of Sigma) of 0 are flat.
 *   pi  10 */
ArmInertiaCheck arm_inertia_check(const double *pi);

/* Snake-case key, stable for files. Static storage; "" for what is none. */
const char *arm_inertia_flaw_key(ArmInertiaFlaw flaw);

#endif
