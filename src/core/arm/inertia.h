/* SPDX-License-Identifier: MIT */
/* The ten inertial parameters of a link, and every order in which they are written.
 *
 *   pi = [m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz]
 *   I  = I_com - m [c x][c x]     [c x]: cross-product matrix (parallel axes, Huygens-Steiner)
 *
 * m mass [kg]; mc first moment [kg m]; I inertia tensor about the ORIGIN of the link frame, in the
 * link frame [kg m^2], tensor entries: Ixy = - integral x y dm. This is the one order of the
 * program (Iyy before Ixz); an arm's parameters are n of them, link after link. Other orders exist
 * here only.
 *
 * Sources: Lin, J. Robotic Systems 9(4) 1992 (his m, k, U and the columns of Table II); Gautier and
 * Khalil, IEEE Trans. Robotics and Automation 6(3) 1990; Pinocchio 3
 * (`Inertia::toDynamicParameters`).
 * Thread rule: no state.
 */
#ifndef ARMATURE_CORE_INERTIA_H
#define ARMATURE_CORE_INERTIA_H

#include "core/arm/model.h"

enum { ARM_INERTIA_PARAMETERS = 10 };

typedef enum {
  ARM_INERTIA_ORDER_ARMATURE = 0,   /* m mcx mcy mcz Ixx Ixy Iyy Ixz Iyz Izz */
  ARM_INERTIA_ORDER_LIN,            /* m mcx mcy mcz J11 J22 J33 J12 J13 J23 */
  ARM_INERTIA_ORDER_GAUTIER_KHALIL, /* XX XY XZ YY YZ ZZ mX mY mZ m */
  ARM_INERTIA_ORDER_PINOCCHIO,      /* m mcx mcy mcz Ixx Ixy Iyy Ixz Iyz Izz */
} ArmInertiaOrder;

/* Place in pi of entry `k` (0..9) of another order: also how a regressor's columns are permuted. */
size_t arm_inertia_place(ArmInertiaOrder order, size_t k);

/* One link's parameters from another order, and into it. Neither may alias.
 *   in   10
 *   out  10 */
void arm_inertia_from_order(ArmInertiaOrder order, const double *in, double *out);
void arm_inertia_to_order(ArmInertiaOrder order, const double *in, double *out);

/* Parameters of a link given by mass, centre of mass and tensor about it.
 *   pi  10   zeros for a link that is not present */
void arm_inertia_from_link(const ArmLink *link, double *pi);

/* The inverse: mass, centre of mass and tensor about it. Physical consistency is not judged.
 *   pi  10
 * ARM_E_NUMERIC: the mass is 0, so that there is no centre; link is untouched.
 * ARM_E_NOT_FINITE: a parameter is not finite; link is untouched. */
ARM_MUST_CHECK ArmStatus arm_inertia_to_link(const double *pi, ArmLink *link);

/* Nominal parameters of the whole arm.
 *   pi  10 n   zeros for a missing link
 * Returns how many links are missing. */
size_t arm_inertia_nominal(const ArmModel *model, double *pi);

/* Parameters of the same body about another frame: x_there = R x_here + s.
 *   rotation  [9] row-major
 *   shift     [3] m
 *   pi        10
 *   out       10, must not alias pi */
void arm_inertia_move(const double *rotation, const double *shift, const double *pi, double *out);

#endif
