/* SPDX-License-Identifier: MIT */
/* Base parameters from work and energy (Gautier and Khalil, Int. J. Robotics Research 11(4) 1992,
 * (2)-(9)): no accelerations are needed.
 *
 *   Y_k = work of the motors between two chosen samples = W_k beta + noise
 *   var Y_k = sum over its samples of (time step)^2 sum over joints of sigma_j^2 qd_j^2
 *
 * Y is integrated by trapezoids; rows are weighed by 1 / sd. Torques must be without friction: its
 * work depends on the path. Noise of neighbouring rows is taken for independent (they share one
 * sample, each with half of its weight), that of q and qd for none.
 *
 *   t             samples      seconds, ascending
 *   q qd torque   samples x n  column by column [rad, m], per second, [N m, N]
 * Thread rule: re-entrant.
 */
#ifndef ARMATURE_CORE_EXCITE_ENERGY_FIT_H
#define ARMATURE_CORE_EXCITE_ENERGY_FIT_H

#include "core/arm/model.h"

typedef struct {
  size_t samples;
  const double *t, *q, *qd, *torque;
  const double *sigma; /* n  sd of a torque sample; NULL: equal ones, by the residuals */
} ArmEnergyData;

typedef struct {
  size_t p, rows, rank; /* rows that moved, were used */
  double *beta;         /* p  NAN where not identifiable */
  double *sd;           /* p  NAN likewise */
  double *covariance;   /* p x p  of the whole solution */
  double condition;     /* of the weighed rows, columns of unit length; INFINITY below full rank */
  double noise;         /* rms residual over its promise, or sigma itself where none was given;
                           NAN without rows to spare */
} ArmEnergyFit;

/* Fits beta of core/dynamics/base.h (inertial columns).
 *   point   count  samples between which a row is formed, ascending: every k-th for dense rows, the
 *                  points of a sequence for its own
 * A parameter that the rows do not tell from others is NAN in beta and sd.
 * ARM_E_ARGUMENT: points that do not ascend or are beyond the samples, t that does not ascend, a
 * sigma that is not positive. ARM_E_NOT_FINITE: a sample. ARM_E_NO_DATA: no row moves.
 * ARM_E_MEMORY, ARM_E_NUMERIC. fit is then untouched; otherwise free it with
 * arm_energy_fit_clear. */
ARM_MUST_CHECK ArmStatus arm_energy_fit(const ArmModel *model, const ArmEnergyData *data,
                                        size_t count, const size_t *point, ArmEnergyFit *fit);
void arm_energy_fit_clear(ArmEnergyFit *fit);

#endif
