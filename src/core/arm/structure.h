/* SPDX-License-Identifier: MIT */
/* Which gravity parameters and torque-constant ratios an arm has, before any measurement.
 *
 * Lin 1994, Theorem 3 / Corollary 4, corrected: r, s, delta, sigma, sigma_hat (by the invariance
 * of the angle between the T axis and gravity), and the connected components ("clusters") inside
 * which torque-constant ratios are defined. delta here is the delta of Lin 1994, section III; the
 * delta of Lin 1992 is a different flag.
 */
#ifndef ARMATURE_CORE_STRUCTURE_H
#define ARMATURE_CORE_STRUCTURE_H

#include <stdbool.h>

#include "core/arm/model.h"

/* Why a parameter is, or is not, one of the minimal ones - and why an estimate is not given. */
typedef enum {
  ARM_REASON_NONE = 0,          /* identifiable, nothing to add */
  ARM_REASON_MINIMAL,           /* structure: appears on its own in some joint's current */
  ARM_REASON_AXIS_VERTICAL,     /* delta = 0: the axis is parallel to gravity in every pose */
  ARM_REASON_AXIS_HORIZONTAL,   /* sigma = 0: the T axis is perpendicular to gravity always */
  ARM_REASON_EMBODIED,          /* sigma_hat = 0: constant load, not separable from Coulomb */
  ARM_REASON_OTHER_CLUSTER,     /* ratio: no current depends on it */
  ARM_REASON_NO_ROWS,           /* data: the joint has no usable row */
  ARM_REASON_ROWS_LEFT_OUT,     /* data: it was swept, but no row's current can be used */
  ARM_REASON_CURRENT_ZERO,      /* data: the current is 0 in every usable row */
  ARM_REASON_CURRENT_CONSTANT,  /* data: the current is the same in every usable row */
  ARM_REASON_ONE_DIRECTION,     /* data: no usable row in that direction of motion */
  ARM_REASON_ONE_SPEED,         /* data: one speed only in that direction */
  ARM_REASON_HOLDS_TOO_SIMILAR, /* data: hold configurations cannot tell the columns apart */
  ARM_REASON_LOAD_UNSEEN,       /* data: gravity hardly loads the joint in the recorded poses */
  ARM_REASON_NO_ACCELERATION,   /* data: the joint moves at constant speed */
  ARM_REASON_TOO_WEAK,          /* data: sd larger than the prior knowledge allows to claim */
  ARM_REASON_TOO_FEW_ROWS,      /* data: no more rows than unknowns: the noise is unknown */
  ARM_REASON_DEPENDS_ON_OTHER,  /* data: only with another parameter that is not identifiable */
  ARM_REASON_NEVER_SWEPT,       /* data: only with the load of a joint that has no usable row */
  ARM_REASON_LOAD_NOT_STATED,   /* plan: depends on masses or drives not stated */
  ARM_REASON_MOTION_TOO_SIMPLE, /* data: the motion cannot tell it from other parameters */
  ARM_REASON_COUPLING_WEAK,     /* data: a ratio of torque constants drowns in noise */
  ARM_REASON_SCALE_NOT_STATED,  /* data: only relative to a torque constant that is not stated */
  ARM_REASON_REGROUPED,         /* structure: a part of base parameters, whose terms name it */
  ARM_REASON_ROTOR_NOT_KNOWN,   /* structure: only with a rotor of which nothing is known */
  ARM_REASON_NOT_CONVERGED,     /* the search for it ended before it had found anything */
  ARM_REASONS
} ArmReason;

/* English sentence: the reason and what to do about it. Static storage. */
const char *arm_reason_text(ArmReason reason);

/* Snake-case key, stable for files and translations. Static storage. */
const char *arm_reason_key(ArmReason reason);
/* The inverse; ARM_REASON_NONE for an unknown key. */
ArmReason arm_reason_from_key(const char *key);

typedef struct {
  size_t n;
  size_t r, s;                                  /* counted from 1; n+1 when absent */
  bool delta[ARM_MAX_JOINTS];                   /* R joints only */
  bool sigma[ARM_MAX_JOINTS];                   /* T joints only */
  bool sigma_hat[ARM_MAX_JOINTS];               /* T joints only, corrected test */
  bool has_own[ARM_MAX_JOINTS];                 /* own gravity parameters are minimal (the set U) */
  bool reaches[ARM_MAX_JOINTS][ARM_MAX_JOINTS]; /* [i][j]: A_ij is not negligible over the poses */
  bool
      is_near_parallel[ARM_MAX_JOINTS]; /* joint j and the R joint before it: nearly, not exactly */
  int cluster[ARM_MAX_JOINTS];          /* cluster index from 0 (by innermost joint), -1 = none */
  size_t n_clusters;
  size_t count_gravity, count_ratios, count_friction; /* minimal parameters */
} ArmStructure;

/* Evaluates everything on 200 pseudo-random poses (fixed seed), tolerance 1e-9 |g|; A_ij counts as
 * zero below 1e-3 |g| (times max|d_j| for T), i.e. axes parallel within 0.06 deg are parallel.
 * ARM_E_ARGUMENT: n outside 1..32. ARM_E_NOT_FINITE: the model holds NaN geometry. */
ARM_MUST_CHECK ArmStatus arm_structure_find(const ArmModel *model, ArmStructure *structure);

/* Why the own gravity parameters of a joint are minimal or not. */
ArmReason arm_structure_reason(const ArmModel *model, const ArmStructure *structure, size_t joint);

#endif
