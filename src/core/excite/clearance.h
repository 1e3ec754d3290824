/* SPDX-License-Identifier: MIT */
/* How far the capsules of an arm are from each other and from the table.
 *
 *   distance of two capsules      |a - b| - r_a - r_b     a, b: nearest points of their axes
 *   of a capsule's end and table  z - r - table_z         base frame
 *
 * Capsules of one link and of neighbouring links meet at the joint and are not looked at; nor are
 * pairs that touch in every pose that is tried, which belong to the arm's shape. There is no
 * capsule of the base. A distance below the axes themselves has no gradient.
 * Thread rule: re-entrant; constant after arm_clearance_new.
 */
#ifndef ARMATURE_CORE_EXCITE_CLEARANCE_H
#define ARMATURE_CORE_EXCITE_CLEARANCE_H

#include "core/excite/limits.h"

typedef struct {
  bool is_table;
  size_t link[2], capsule[2]; /* from 0; of the table: link[0], capsule[0], and which end in
                                 capsule[1] */
} ArmClearancePair;

typedef struct {
  const ArmModel *model;  /* not owned */
  double table_z;         /* m; NAN = no table */
  size_t count, ignored;  /* pairs; those that touch in every pose */
  ArmClearancePair *pair; /* count  pairs of the same links stand together */
} ArmClearance;

/* The pairs of an arm; there may be none.
 *   model    must outlive it
 *   table_z  m, base frame; NAN = no table
 * ARM_E_MEMORY. *clearance is then untouched; otherwise free it with arm_clearance_free. */
ARM_MUST_CHECK ArmStatus arm_clearance_new(const ArmModel *model, const ArmMotionLimits *limits,
                                           double table_z, ArmClearance **clearance);
void arm_clearance_free(ArmClearance *clearance);

/* The distance of each pair at a pose.
 *   q         n
 *   distance  count  m, < 0 = they are in each other */
void arm_clearance_at(const ArmClearance *clearance, const double *q, double *distance);

/* Adds the gradient of sum over pairs of bar_k distance_k.
 *   bar    count
 *   q_bar  n */
void arm_clearance_gradient(const ArmClearance *clearance, const double *q, const double *bar,
                            double *q_bar);

typedef struct {
  bool is_table;
  size_t link[2]; /* from 0; of the table the first */
  size_t samples; /* how many are too near */
  size_t worst;   /* the nearest one */
  double value;   /* distance there, m */
} ArmClearanceViolation;

enum { ARM_CLEARANCE_MOST = ARM_MAX_JOINTS * ARM_MAX_JOINTS };

/* Poses whose distance is below `least`, at most one entry for two links, or a link and the table.
 *   q    samples x n  column-major, finite
 *   out  ARM_CLEARANCE_MOST
 * Returns how many there are. */
size_t arm_clearance_violations(const ArmClearance *clearance, double least, size_t samples,
                                const double *q, ArmClearanceViolation *out);

#endif
