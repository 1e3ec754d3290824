/* SPDX-License-Identifier: MIT */
/* Ten numbers without limits for a body that can exist: log-Cholesky parameters.
 *
 *   P = [ Sigma h ; h^T m ],   Sigma = tr(I)/2 1 - I      4 x 4 pseudo-inertia, linear in pi
 *   P = U U^T,   U = e^alpha [ e^d1 s12  s13  t1 ]
 *                            [  0  e^d2  s23  t2 ]
 *                            [  0   0   e^d3  t3 ]
 *                            [  0   0    0    1  ]
 *   x = (alpha, d1, d2, d3, s12, s23, s13, t1, t2, t3)
 *
 * alpha half the logarithm of the mass [kg]; d of lengths [m]; s [m]; t the centre of mass [m];
 * Sigma = integral r r^T dm about the link's origin [kg m^2], h first moment [kg m].
 * Every x is a body, every body with P > 0 has one x. Source: Rucker and Wensing, IEEE Robotics and
 * Automation Letters 7(2) 2022. pi is in the order of core/arm/inertia.h; 4 x 4 matrices are
 * column-major.
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_DYNAMICS_LOGCHOL_H
#define ARMATURE_CORE_DYNAMICS_LOGCHOL_H

#include "core/arm/inertia.h"

enum { ARM_PSEUDO = 16, ARM_LOGCHOL = 10 };

/* P of pi, and pi of any symmetric P.
 *   pi      10
 *   pseudo  16 */
void arm_pseudo_from_inertia(const double *pi, double *pseudo);
void arm_pseudo_to_inertia(const double *pseudo, double *pi);

/* U of P = U U^T, upper triangular with a positive diagonal.
 * false: P is not positive definite, or not finite; u is then undefined.
 *   u  16   lower part zero */
bool arm_pseudo_factor(const double *pseudo, double *u);

/* G = U0^-1 U, upper triangular: P0^-1 P has the eigenvalues of G G^T.
 *   u0, u  16   of arm_pseudo_factor
 *   g      16 */
void arm_pseudo_over(const double *u0, const double *u, double *g);

/* pi of x. Not finite where e^x overflows. */
void arm_logchol_to_inertia(const double *x, double *pi);

/* x of pi.
 * ARM_E_NUMERIC: P is not positive definite; x is untouched. */
ARM_MUST_CHECK ArmStatus arm_logchol_from_inertia(const double *pi, double *x);

/* d pi / d x at x.
 *   jacobian  10 x 10   column-major */
void arm_logchol_jacobian(const double *x, double *jacobian);

#endif
