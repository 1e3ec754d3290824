/* SPDX-License-Identifier: MIT */
/* Work and energy as an observation matrix (Gautier and Khalil, Int. J. Robotics Research 11(4)
 * 1992, (2)-(7), (23b)): no accelerations, no path between the points.
 *
 *   H(q, qd) = h(q, qd) beta       kinetic and potential energy in base parameters [J]
 *   Y_k = work of the motors from point k to point k + 1 = (h_(k+1) - h_k) beta = W_k beta
 *
 * beta are the base parameters of links of core/dynamics/base.h. Friction's work depends on the
 * path and is none of this. h is the same for (q, qd) and (q, -qd).
 *
 * Points of a sequence stand column by column, as in core/arm/dyn.h:
 *   q qd  points x n  [rad, m], [rad/s, m/s]
 *   h     points x p
 *   W     (points - 1) x stride  row after row (arm_criterion_stride)
 * Thread rule: re-entrant; two calls never share an ArmEnergy, which has the scratch.
 */
#ifndef ARMATURE_CORE_EXCITE_ENERGY_H
#define ARMATURE_CORE_EXCITE_ENERGY_H

#include "core/arm/model.h"
#include "core/dynamics/base.h"

typedef struct ArmEnergy ArmEnergy;

/* For sequences of exactly `points` points.
 * ARM_E_ARGUMENT: n outside 1..32, points is 0, or an arm without a base parameter.
 * ARM_E_NOT_FINITE: the geometry or gravity is not finite. ARM_E_MEMORY. *energy is then untouched;
 * otherwise free it with arm_energy_free. */
ARM_MUST_CHECK ArmStatus arm_energy_new(const ArmModel *model, size_t points, ArmEnergy **energy);
void arm_energy_free(ArmEnergy *energy);

/* The base parameters, which belong to the ArmEnergy; their count is p. */
const ArmBase *arm_energy_base(const ArmEnergy *energy);

/* h of each point. */
void arm_energy_points(ArmEnergy *energy, const double *q, const double *qd, double *h);

/* W, zero beyond column p. */
void arm_energy_rows(ArmEnergy *energy, const double *q, const double *qd, double *w);

/* The gradient of a function of W by q and qd.
 *   dw           its derivative by W, as W
 *   q_bar qd_bar points x n */
void arm_energy_gradient(ArmEnergy *energy, const double *q, const double *qd, const double *dw,
                         double *q_bar, double *qd_bar);

#endif
