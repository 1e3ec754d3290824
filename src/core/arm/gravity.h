/* SPDX-License-Identifier: MIT */
/* Gravity load of a joint, linear in the minimal gravity parameters.
 *
 *   tau_i = sum_{j>=i} A_ij(q) w_j,   w_j = (k_jx, k_jy) for R, mhat_j for T   (Lin 1994 (2),(16))
 *   A_ii = [-g_y, g_x] (R)   -g_z (T)                                          (11),(30),(31)
 *   A_ij = gperp_i R_ij [e_x e_y] (j>i R)   d_j gperp_i R_ij e_z (j>i T)        (15),(25)-(28)
 *   gperp_i = [-g_y, g_x, 0] in frame i (the printed third component (g)_x is an error)
 *   A_ij = 0 for a T joint i and j > i; with a gear-coupled wrist row i becomes row i of
 *   (I+L)^{-T} A (power balance of (38)-(40); the paper replaces the friction speed only).
 *
 * k: first moment of the composite body [kg m]; mhat: its mass [kg]; starred = times eta [A s^2/m].
 * Gravity coordinates have stride 2 per joint: w[2j], w[2j+1]; a T joint uses w[2j] only.
 */
#ifndef ARMATURE_CORE_GRAVITY_H
#define ARMATURE_CORE_GRAVITY_H

#include "core/arm/model.h"

/* Row `joint` of A at q, coupling included: actuator torque per unit of w.
 *   q    n       [rad, m]
 *   row  2n      [m/s^2] (R), for a T column of an R row [m^2/s^2] */
void arm_gravity_row(const ArmModel *model, const double *q, size_t joint, double *row);

/* Frames of a state, for all rows of A at it. */
typedef struct ArmGravityChain {
  double q[ARM_MAX_JOINTS];
  double rotation[ARM_MAX_JOINTS][9]; /* frame i in frame i-1 */
  double g[ARM_MAX_JOINTS][3];        /* gravity in frame i [m/s^2] */
} ArmGravityChain;

/* The chain of the state q. What its joints have in common with those of another state is taken
 * from there, to the bit what it would be else.
 *   q       n
 *   before  another chain of the same arm, or NULL; may be `chain` itself */
void arm_gravity_chain(const ArmModel *model, const double *q, const ArmGravityChain *before,
                       ArmGravityChain *chain);

/* A chain that has nothing in common with any other: to begin with, as `before`. */
void arm_gravity_chain_forget(ArmGravityChain *chain);

/* arm_gravity_row at the state of the chain. */
void arm_gravity_chain_row(const ArmModel *model, const ArmGravityChain *chain, size_t joint,
                           double *row);

/* Row of an uncoupled R joint for gperp = unit axis 0 (x) or 1 (y) of frame `joint`: the lever arms
 * v of the outboard parameters, which depend on the outboard joints only.
 *   row  2n, zero inboard; the joint's own entries are the unit vector */
void arm_gravity_lever(const ArmModel *model, const double *q, size_t joint, int axis, double *row);

/* Row `joint` of (I+L)^-T, i.e. a column of (I+L)^-1: what each row of the uncoupled A counts.
 *   x  n, 0 inboard, 1 at the joint */
void arm_gravity_coupling(const ArmModel *model, size_t joint, double *x);

/* Row `joint` of A while that joint alone moves: one + cosine cos q + sine sin q with its own
 * position q (a T joint: one alone).
 *   at                 n        [rad, m]; at[joint] is not read
 *   one, cosine, sine  2n each  the units of arm_gravity_row */
void arm_gravity_row_of_hold(const ArmModel *model, const double *at, size_t joint, double *one,
                             double *cosine, double *sine);

/* Composite-body constants from the links' masses and centres of mass (13),(14).
 *   k     n x 3   [kg m], k[3*i + axis]
 *   mhat  n       [kg]
 * A missing link counts as massless. */
void arm_gravity_constants(const ArmModel *model, double *k, double *mhat);

/* w of the links' nominal values (unstarred), stride 2 [kg m, kg]. */
void arm_gravity_nominal(const ArmModel *model, double *w);

#endif
