/* SPDX-License-Identifier: MIT */
/* One row of the identification of an arm's full dynamics, the same for who makes rows of samples
 * and for who folds and solves them:
 *
 *   i_j = phi_j . local_j + eta_j (Y_b)_j . beta        [ local_j | (Y_b)_j | i_j ]
 *
 *   phi    friction and rotor of joint j, already times eta_j      ARM_DYN_LOCAL   [A ...]
 *   eta    current over torque [A/(N m), A/N]; 1 when torques were measured
 *   beta   base parameters of the links alone (core/dynamics/base.h)   count
 *   i      current [A], or torque or force [N m, N]
 *
 * Sources: Gautier and Khalil 1990 for beta; Lin, IEEE TAC note 1994, eq (20) for the local terms.
 */
#ifndef ARMATURE_CORE_DYNAMICS_ROWS_H
#define ARMATURE_CORE_DYNAMICS_ROWS_H

/* Columns of joint j's own drive, in this order. The drive of joint j turns with ((I+L) qd)_j. */
typedef enum {
  ARM_DYN_COULOMB_POS = 0, /* 1 while it turns forward, else 0 [A] */
  ARM_DYN_VISCOUS_POS,     /* its speed while it turns forward [A s/rad, A s/m] */
  ARM_DYN_COULOMB_NEG,     /* 1 while it turns back */
  ARM_DYN_VISCOUS_NEG,     /* its speed, negative */
  ARM_DYN_ROTOR,           /* its acceleration [A s^2/rad, A s^2/m] */
  ARM_DYN_LOCAL
} ArmDynLocal;

#endif
