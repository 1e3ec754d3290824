/* SPDX-License-Identifier: MIT */
/* What the files of identify.h share. */
#ifndef ARMATURE_CORE_DYNAMICS_IDENTIFY_INTERNAL_H
#define ARMATURE_CORE_DYNAMICS_IDENTIFY_INTERNAL_H

#include "core/dynamics/identify.h"

/* The triangle of one joint: columns [own | base parameters first .. | effort]. */
typedef struct {
  size_t own, first, base, width; /* width: own + base + 1 */
  bool has[ARM_DYN_OWN];          /* of the drive's own columns those that are estimated */
  size_t rows;
  double mass, mean;
  double length;  /* of the column of efforts */
  double longest; /* of the others */
  double least;   /* shorter ones its rows do not see */
  double *r;      /* width x width column-major, owned */
} ArmDynTriangle;

/* What was measured of this joint holds its rotor: a current, or the motor's torque. */
static inline bool arm_dyn_feels_rotor(const ArmDynamicsJoint *known) {
  return !known->is_torque || known->holds_rotor;
}

/* Column c of the triangle, `width` numbers of which c + 1 may differ from 0. */
const double *arm_dyn_column(const ArmDynTriangle *triangle, size_t c);

/* Sds of a fit by its covariance, which has grown; what is not told stays so. */
void arm_dyn_restate(ArmDynamicsFit *fit);

/* ---- a basis built column by column (modified Gram-Schmidt, twice) ---- */

typedef struct {
  size_t length, rank, most;
  double *q; /* length x most  orthonormal */
  double *r; /* most x most    kept columns = q r, column-major */
} ArmBasis;

ARM_MUST_CHECK ArmStatus arm_basis_init(ArmBasis *basis, size_t length, size_t most);
void arm_basis_clear(ArmBasis *basis);

/* Takes from v what lies in the basis.
 *   v     length   in: a vector, out: what is left of it
 *   part  most     its coordinates in q */
void arm_basis_project(const ArmBasis *basis, double *v, double *part);

/* Keeps a column if more than tolerance of its length is left of it; there must be room.
 *   v     length   destroyed */
bool arm_basis_add(ArmBasis *basis, double *v, double tolerance);

/* x with (kept columns) x = q part.
 *   part, x  rank, may be the same */
void arm_basis_solve(const ArmBasis *basis, const double *part, double *x);

/* Lengths of the rows of r^-1: sds of the x of above for noise of sd 1.
 *   sd  rank */
ARM_MUST_CHECK ArmStatus arm_basis_sds(const ArmBasis *basis, double *sd);

/* ---- scale groups ---- */

typedef struct {
  size_t n;
  int group[ARM_MAX_JOINTS];       /* joints whose ratio is told; any numbers */
  int structure[ARM_MAX_JOINTS];   /* the same with ideal currents */
  double relative[ARM_MAX_JOINTS]; /* eta over that of one joint of the group */
  double sigma[ARM_MAX_JOINTS];    /* residual sd of the joint's own regression; NAN: no rows */
  size_t rank[ARM_MAX_JOINTS];     /* columns of its own regression */
} ArmDynGroups;

/* The recursion from the last joint to the first (theory notes, full dynamics, 5.2: Lin 1994 II
 * extended).
 *   triangle     n
 *   count        base parameters
 *   worst_ratio  gate: sd of the logarithm of a ratio that is still taken
 * ARM_E_MEMORY; groups is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dyn_groups_find(size_t n, const ArmDynTriangle *triangle, size_t count,
                                             double worst_ratio, ArmDynGroups *groups);

#endif
