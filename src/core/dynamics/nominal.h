/* SPDX-License-Identifier: MIT */
/* The arm as it was meant: what its structure is decided on.
 *
 * Calibrated axes are never exactly parallel, and the rank of a regressor with them is that of
 * noise. Each placement is read as Rz(alpha) Rx(beta) Rz(gamma) and a translation; angles within
 * 0.5 deg of a multiple of 90 deg, lengths within 1e-6 m of 0, and a direction of gravity within
 * 0.5 deg of an axis of the base become these. Only what can matter is touched: alpha turns
 * the frame before, which an R joint does by itself, gamma the own one. In modified Denavit-
 * Hartenberg frames alpha is 0, beta is beta, and gamma is the theta of a T joint.
 */
#ifndef ARMATURE_CORE_DYNAMICS_NOMINAL_H
#define ARMATURE_CORE_DYNAMICS_NOMINAL_H

#include "core/arm/model.h"

typedef enum {
  ARM_SNAP_ALPHA = 0, /* rad, of Rz before Rx */
  ARM_SNAP_BETA,      /* rad, of Rx: between the axes of this joint and the frame before */
  ARM_SNAP_GAMMA,     /* rad, of Rz after Rx */
  ARM_SNAP_X,         /* m, translation in the frame before */
  ARM_SNAP_Y,
  ARM_SNAP_Z,
  ARM_SNAP_GRAVITY, /* rad, between gravity and the nearest axis of the base; joint is n */
  ARM_SNAP_KINDS
} ArmSnapKind;

typedef struct {
  ArmSnapKind kind;
  size_t joint; /* from 0 */
  double value, taken_as;
} ArmSnap;

enum { ARM_MAX_SNAPS = 6 * ARM_MAX_JOINTS + 1 };

/* What was changed by more than rounding (1e-9 rad, 1e-12 m), in the order of the joints.
 *   nominal  may be `model` itself
 *   snaps    ARM_MAX_SNAPS, may be NULL
 * Returns how many. */
size_t arm_nominal(const ArmModel *model, ArmModel *nominal, ArmSnap *snaps);

/* Snake-case key ("beta", "x", "gravity"), stable for files. Static storage. */
const char *arm_snap_key(ArmSnapKind kind);

#endif
