/* SPDX-License-Identifier: MIT */
/* Friction of a joint as every prediction of currents takes it, moving or at rest.
 *
 *   moving   lambda1 + lambda2 v of the direction, Lin 1994 (20)
 *   at rest  the equation says nothing: a rule does, and a static current lies anywhere in the band
 *            of lack of fit, section 8 of the theory notes, uniformly by assumption:
 *              centre = load + (lambda1+ + lambda1-)/2
 *              half = kappa |lambda1+ - lambda1-|/2, kappa = 1.25: break-away over Coulomb
 *   Thread rule: no state.
 */
#ifndef ARMATURE_CORE_PARAMS_AT_REST_H
#define ARMATURE_CORE_PARAMS_AT_REST_H

#include <stdbool.h>

/* Friction at qd = 0, about which (20) says nothing. */
typedef enum {
  ARM_ZERO_SPEED_NONE = 0,   /* none: gravity only */
  ARM_ZERO_SPEED_DEADBAND,   /* friction rises linearly inside |v| < deadband */
  ARM_ZERO_SPEED_SIGN_ERROR, /* Coulomb friction with the sign of the position error */
  ARM_ZERO_SPEED_BAND        /* the centre of the band in which friction holds the joint */
} ArmZeroSpeed;

typedef struct {
  ArmZeroSpeed zero_speed;
  double deadband;              /* rad/s or m/s, > 0, for ARM_ZERO_SPEED_DEADBAND */
  const double *position_error; /* q_desired - q as the states are, for ARM_ZERO_SPEED_SIGN_ERROR */
  bool wants_stiction; /* sd at rest: of a static current, with the friction band; NAN where
                          Coulomb friction is not known. Without it, of gravity alone. */
  bool wants_noise;    /* sd of a single measurement: adds the residual sd */
} ArmPredictOptions;

/* What lambda1+, lambda2+, lambda1-, lambda2- count in the current.
 *   v               speed of the joint's drive
 *   position_error  of the joint, for ARM_ZERO_SPEED_SIGN_ERROR
 *   weight          4  out */
void arm_friction_weights(const ArmPredictOptions *options, double v, double position_error,
                          double weight[4]);

/* half^2/3 + (centre - prediction)^2 [A^2] of a static current.
 *   forth, back  lambda1+, lambda1-
 *   more         what a load and a curve add to Coulomb friction forth, and take from it back [A]
 *   weight       4  of what was predicted of friction */
double arm_friction_band_variance(double forth, double back, double more, const double weight[4]);

#endif
