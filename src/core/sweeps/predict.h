/* SPDX-License-Identifier: MIT */
/* Motor currents predicted from identified parameters, with the sd of that prediction.
 *
 *   i_i = A_ii w*_i + sum_j rho_ij A_ij w*_j + f_i(v_i) [+ J_i qdd_i]   (Lin 1994 (25),(20))
 *         [+ s (mu |L| + c3 exp(-|v|/v_s))]                              (core/params/terms.h)
 *   sd^2 = g^T C g, g = gradient with respect to the reported parameters
 *
 * At rest a static current lies anywhere in the friction band (Armature theory notes, lack of fit,
 * section 8), uniformly by assumption:
 *   centre = gravity + (lambda1+ + lambda1-)/2     half = kappa |lambda1+ - lambda1-|/2
 *   with friction terms                            half = kappa (.. + c3 + mu |L|)
 *   sd^2 = g^T C g + half^2/3 + (centre - prediction)^2,  kappa = 1.25: break-away over Coulomb
 */
#ifndef ARMATURE_CORE_PREDICT_H
#define ARMATURE_CORE_PREDICT_H

#include "core/arm/gravity.h"
#include "core/arm/model.h"
#include "core/params/at_rest.h"
#include "core/sweeps/ident.h"

/* One state.
 *   q, qd    n   [rad, m; rad/s, m/s]; a NAN in qd counts as 0
 *   qdd      n or NULL; used where the joint has an acceleration parameter
 *   current  n   out [A]
 *   sd       n   out [A], NAN where the covariance is unknown
 * ARM_E_ARGUMENT: n or a joint type differs. ARM_E_NOT_FINITE: q is not finite. */
ARM_MUST_CHECK ArmStatus arm_predict(const ArmModel *model, const ArmGravityParameters *parameters,
                                     const double *q, const double *qd, const double *qdd,
                                     const ArmPredictOptions *options, double *current, double *sd);

enum { ARM_PREDICT_ROWS = 8, ARM_PREDICT_ENTRIES = 4 * ARM_MAX_JOINTS };

/* For many states one after the other: which parameters each joint's current may lean on, and
 * scratch. */
typedef struct {
  size_t count[ARM_MAX_JOINTS];
  unsigned short id[ARM_MAX_JOINTS][ARM_PREDICT_ENTRIES];    /* into ids of the parameters */
  unsigned short entry[ARM_MAX_JOINTS][ARM_PREDICT_ENTRIES]; /* into the gradient */
  const ArmGravityChain *last;                               /* of the last state, NULL: none yet */
  ArmGravityChain chain[ARM_PREDICT_ROWS];
  double motor_qd[ARM_PREDICT_ROWS][ARM_MAX_JOINTS];
  double gradient[ARM_PREDICT_ENTRIES][ARM_PREDICT_ROWS];
} ArmPredictWork;

/* Before the first states of these parameters. */
void arm_predict_begin(const ArmGravityParameters *parameters, ArmPredictWork *work);

/* What arm_predict gives for each of some states, to the bit, in less time. The covariance must be
 * finite.
 *   rows                   at most ARM_PREDICT_ROWS
 *   q, qd, qdd, current, sd, options->position_error   rows x n, a state after the other
 * Errors as of arm_predict, for all of them. */
ARM_MUST_CHECK ArmStatus arm_predict_rows(const ArmModel *model,
                                          const ArmGravityParameters *parameters, size_t rows,
                                          const double *q, const double *qd, const double *qdd,
                                          const ArmPredictOptions *options, ArmPredictWork *work,
                                          double *current, double *sd);

/* What the current of one joint changes by with a parameter at constant speed: its column of the
 * regressor. Friction terms and the acceleration have none here.
 *   q, qd  n, finite */
double arm_predict_column(const ArmModel *model, const ArmGravityParameters *parameters,
                          const double *q, const double *qd, size_t joint, ArmParamId id);

/* Load friction at q leans on loads that were never recorded: |L| of the joint leaves the range it
 * was seen in by more than 20 %. False for a joint without load friction.
 *   q  n */
bool arm_predict_is_beyond(const ArmModel *model, const ArmGravityParameters *parameters,
                           const double *q, size_t joint);

#endif
