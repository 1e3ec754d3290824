/* SPDX-License-Identifier: MIT */
/* What outcome.c and completion.c share: triangles [ own | base | effort ] of joints, and what is
 * left of them when the drive's own terms are taken up. */
#ifndef ARMATURE_CORE_DYNAMICS_OUTCOME_INTERNAL_H
#define ARMATURE_CORE_DYNAMICS_OUTCOME_INTERNAL_H

#include "core/dynamics/outcome.h"

double arm_outcome_square(const double *x, size_t count);

/* m x m of a joint, and m more zeros; free it. NULL: no memory. */
double *arm_outcome_triangle(ArmInformation *information, size_t joint);

/* The columns that count, the drive's own first: [ has | base | effort ], m rows.
 *   has_rotor  with the rotor, whatever `has` says: the last of the drive's own
 *   own        in: the drive's columns, out: those that count
 *   a          ld x m  out, lower rows untouched; returns how many columns */
size_t arm_outcome_gather(const ArmDynamicsJoint *known, bool has_rotor, const double *r, size_t m,
                          size_t ld, double *a, size_t *own);

/* A rotor Ia that base parameters hold, as an unknown x = eta Ia of the joint's rows:
 *
 *   Ia = alone + along . beta,   beta of the links alone */
typedef struct {
  double eta, sigma;     /* in: of the joint */
  double stated, rel_sd; /* in: prior of Ia; stated 0: none */
  double alone, sd;      /* out: sd of `alone`; INFINITY: the rows do not show it */
  double *along;         /* count  out */
} ArmOutcomeRotor;

/* R' (count x count, ld) and z' of one joint: of what is not written, zero before, it stays so.
 *   rotor  projected out, too; NULL: as `has` says
 *   right  count; may be NULL
 * ARM_E_MEMORY, ARM_E_NUMERIC. */
ArmStatus arm_outcome_project(ArmInformation *information, const ArmDynamicsJoint *known,
                              size_t joint, ArmOutcomeRotor *rotor, double *to, size_t ld,
                              double *right);

/* It has rows, and a noise. */
bool arm_outcome_says(const ArmDynamicsFit *fit, size_t joint);

/* Of the widened noise; what is exact has a share of the current. */
double arm_outcome_sigma(const ArmDynamicsFit *fit, ArmInformation *information, size_t joint);

#endif
