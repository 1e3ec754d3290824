/* SPDX-License-Identifier: MIT */
/* What the rows of a recording say, joint by joint, in fixed memory: square-root information
 * filters.
 *
 *   Q R = [ own_j | (Y_b)_j | i_j ]   rows.h, without base parameters that joint j never sees
 *
 * Only R is kept. Beside it sums of 4, 8, 32, 128 and 512 rows in succession, and the difference of
 * the first two of every eight, are folded into triangles of their own: a model's residual over
 * blocks is then known for any parameters, and how far noise that neighbouring rows share widens
 * their sds. Two recordings merge; a prior is rows like others, and forgetting a merge with a
 * weight. Sources: Bierman, Factorization Methods for Discrete Sequential Estimation, 1977, IV-V;
 * Gautier and Khalil 1990 for which base parameters row j sees. Thread rule: re-entrant; two calls
 * never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_INFORMATION_H
#define ARMATURE_CORE_DYNAMICS_INFORMATION_H

#include "core/dynamics/base.h"
#include "core/dynamics/rows.h"

typedef struct ArmInformation ArmInformation;

/* Sums of rows that follow each other. */
typedef enum {
  ARM_SUMS_PAIR = 0, /* the second less the first of every eight: lag 1 */
  ARM_SUMS_4,
  ARM_SUMS_8,
  ARM_SUMS_32,
  ARM_SUMS_128,
  ARM_SUMS_512,
  ARM_SUMS
} ArmSums;

/* An empty one for an arm with these base parameters; `base` is not kept. Only inertial columns
 * count as base parameters of rows: made without ARM_BASE_WITH_*.
 * ARM_E_ARGUMENT: base has other columns. ARM_E_MEMORY. *information is then untouched. Free with
 * arm_information_free (NULL allowed). Memory: seven streams of core/num/lsq and sums a joint,
 * some 3 MB for six joints, of any number of rows. */
ARM_MUST_CHECK ArmStatus arm_information_new(const ArmBase *base, ArmInformation **information);
/* The same for rows with friction terms. */
ARM_MUST_CHECK ArmStatus arm_information_new_terms(const ArmBase *base,
                                                   ArmInformation **information);
void arm_information_free(ArmInformation *information);

/* Adds rows of one joint, from 0, that follow each other at equal steps.
 *   block  rows x (own + count + 1)  column-major, ld >= rows
 * ARM_E_ARGUMENT: no such joint, ld < rows, or a base parameter that the joint cannot feel has a
 * column that is not 0; it goes before ARM_E_NOT_FINITE. Nothing of this call is added then, but
 * where sums of finite rows are not finite. */
ARM_MUST_CHECK ArmStatus arm_information_push(ArmInformation *information, size_t joint,
                                              const double *block, size_t rows, size_t ld);

/* The next row of this joint does not follow the one before: another recording, or a gap. */
void arm_information_break(ArmInformation *information, size_t joint);

/* Adds weight times the rows of `from`, which keeps its own; sums that are not complete are left
 * out. ARM_E_ARGUMENT: of other arms, the same object, or weight negative or not finite.
 * ARM_E_NOT_FINITE, ARM_E_MEMORY: `into` may then have a part of it. */
ARM_MUST_CHECK ArmStatus arm_information_merge(ArmInformation *into, ArmInformation *from,
                                               double weight);

/* ---- what there is ---- */

size_t arm_information_joints(const ArmInformation *information);
size_t arm_information_count(const ArmInformation *information); /* base parameters */

/* Joint j sees base parameters first .. count - 1. */
size_t arm_information_first(const ArmInformation *information, size_t joint);

/* Columns of a drive's own in its rows: ARM_DYN_LOCAL, or ARM_DYN_OWN with friction terms. */
size_t arm_information_own(const ArmInformation *information);

/* Columns of its triangle: own + count - first + 1. */
size_t arm_information_width(const ArmInformation *information, size_t joint);

/* Rows that were added; and the sum of their squared weights, which is the same unless merges had
 * weights. */
size_t arm_information_rows(const ArmInformation *information, size_t joint);
double arm_information_mass(const ArmInformation *information, size_t joint);

/* Weighted mean of the current or torque; NAN without rows. */
double arm_information_mean(const ArmInformation *information, size_t joint);

/* R of the joint.
 *   r  width x width  column-major, lower part 0 */
void arm_information_triangle(ArmInformation *information, size_t joint, double *r);

/* The same of sums of rows. Returns the sum of their squared weights: without weights how many
 * sums there are. */
double arm_information_sums(ArmInformation *information, size_t joint, ArmSums which, double *r);

/* Rows in one of these sums: 2, 4, 8, 32, 128, 512. */
size_t arm_sums_rows(ArmSums which);

#endif
