/* SPDX-License-Identifier: MIT */
/* One row of the identification of an arm's full dynamics, the same for who makes rows of samples
 * and for who folds and solves them:
 *
 *   i_j = phi_j . local_j + eta_j (Y_b)_j . beta        [ local_j | (Y_b)_j | i_j ]
 *
 *   phi    friction and rotor of joint j, already times eta_j      ARM_DYN_LOCAL   [A ...]
 *          with friction terms (core/params/terms.h) too           ARM_DYN_OWN
 *   eta    current over torque [A/(N m), A/N]; 1 when torques were measured
 *   beta   base parameters of the links alone (core/dynamics/base.h)   count
 *   i      current [A], or torque or force [N m, N]
 *
 * Sources: Gautier and Khalil 1990 for beta; Lin, IEEE TAC note 1994, eq (20) for the local terms.
 */
#ifndef ARMATURE_CORE_DYNAMICS_ROWS_H
#define ARMATURE_CORE_DYNAMICS_ROWS_H

/* Columns of joint j's own drive, in this order; s is the sign of the drive's speed times eta's.
 * The drive of joint j turns with ((I+L) qd)_j. */
typedef enum {
  ARM_DYN_COULOMB_POS = 0,      /* 1 while it turns forward, else 0 [A] */
  ARM_DYN_VISCOUS_POS,          /* its speed while it turns forward [A s/rad, A s/m] */
  ARM_DYN_COULOMB_NEG,          /* 1 while it turns back */
  ARM_DYN_VISCOUS_NEG,          /* its speed, negative */
  ARM_DYN_ROTOR,                /* its acceleration [A s^2/rad, A s^2/m] */
  ARM_DYN_LOCAL,                /* as many without friction terms */
  ARM_DYN_LOAD = ARM_DYN_LOCAL, /* s |L|, L = eta (Y_b)_j . beta of an earlier fit [A] */
  ARM_DYN_CURVE,                /* s exp(-|v| / v_s), of the first of two v_s */
  ARM_DYN_CURVE_WIDE,           /* of the second */
  ARM_DYN_OWN                   /* as many with them */
} ArmDynLocal;

/* v_s of the two curves over the largest speed in the recordings: notes, friction models, 1 */
enum { ARM_DYN_CURVES = ARM_DYN_OWN - ARM_DYN_CURVE };
#define ARM_DYN_CURVE_PART      0.08
#define ARM_DYN_CURVE_WIDE_PART 0.3

#endif
