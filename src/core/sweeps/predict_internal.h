/* SPDX-License-Identifier: MIT */
/* One row of the model with its gradient, for those who predict something else than a sample. */
#ifndef ARMATURE_CORE_PREDICT_INTERNAL_H
#define ARMATURE_CORE_PREDICT_INTERNAL_H

#include "core/sweeps/predict.h"

/* Factors of one joint's parameters. */
typedef struct {
  double gravity[2 * ARM_MAX_JOINTS]; /* as arm_gravity_row */
  double friction[4];                 /* of lambda1+, lambda2+, lambda1-, lambda2- */
  double acceleration;
  double term[ARM_TERMS]; /* of the friction terms: s |L|, s exp(-|v|/v_s) */
  double load_slope;      /* s mu sgn(L): what mu |L| changes by with L */
} ArmPredictRow;

/* Gravity current of a row of A, L of core/params/terms.h [A].
 *   row  2n  as arm_gravity_row */
double arm_predict_gravity(const ArmGravityParameters *parameters, size_t joint, const double *row);

/* Current of `joint` [A] in motion, without acceleration.
 *   gravity  2n  as arm_gravity_row     v  speed of its motor on the joint's side, not 0 */
double arm_predict_current(const ArmGravityParameters *parameters, size_t joint,
                           const double *gravity, double v);

/* Current of `joint` [A] and what it changes by with every parameter of the covariance.
 *   gradient   n_ids  out
 *   is_known   out    false: it leans on a parameter of which nothing is known */
double arm_predict_row(const ArmGravityParameters *parameters, size_t joint,
                       const ArmPredictRow *row, double *gradient, bool *is_known);

#endif
