/* SPDX-License-Identifier: MIT */
/* What the files of base.h share. */
#ifndef ARMATURE_CORE_DYNAMICS_BASE_INTERNAL_H
#define ARMATURE_CORE_DYNAMICS_BASE_INTERNAL_H

#include "core/arm/inertia.h"
#include "core/dynamics/base.h"

enum { ARM_BASE_P = ARM_INERTIA_PARAMETERS };

/* Places of the ten in the order of inertia.h. */
enum { BASE_M, BASE_MX, BASE_MY, BASE_MZ, BASE_XX, BASE_XY, BASE_YY, BASE_XZ, BASE_YZ, BASE_ZZ };

/* A base under construction: T with all rows, of which those of kept columns count. */
typedef struct {
  const ArmModel *model;   /* as given */
  const ArmModel *nominal; /* what decides */
  ArmBase *base;
  double *full; /* columns x columns, column-major; row c belongs to column c */
} ArmBaseWork;

/* The closed form: reasons of the inertial columns, and their part of `full`. */
void arm_base_close(ArmBaseWork *work);

/* The same vector as the closed form makes it of pi, dropped entries 0.
 *   v  10 n   in: pi, out: regrouped */
void arm_base_regroup(const ArmModel *model, const ArmBaseGeometry *geometry, double *v);

/* The columns beyond the inertial: adds them to the list when base->column is there, counts them
 * otherwise. */
void arm_base_list_extra(const ArmModel *model, ArmBase *base);

/* The greedy QR over the columns that are still kept, in order of priority: reasons, and `full`.
 * ARM_E_MEMORY, ARM_E_NOT_FINITE. */
ARM_MUST_CHECK ArmStatus arm_base_reduce(ArmBaseWork *work);

#endif
