/* SPDX-License-Identifier: MIT */
/* Single wild samples: one current far from both of its neighbours, which agree with each other.
 *
 *   d_k = y_k - (y_k-1 + y_k+1)/2      s = 1.4826 median |d| of the joint
 *   wild when |d_k| > 20 s and > half the median |y| of the joint, |y_k+1 - y_k-1| < |d_k|/4
 *
 * A motion cannot make one sample: what lasts for two is a collision or a fault, and stays in.
 */
#ifndef ARMATURE_CORE_WILD_H
#define ARMATURE_CORE_WILD_H

#include "core/dataset.h"

/* The sample of a joint that is farthest off. */
typedef struct {
  size_t count, row;
  double found, expected; /* A */
} ArmWild;

/* Turns ARM_ROW_USED into ARM_ROW_WILD where it applies. The neighbours are used rows of the same
 * joint and direction, one time step away.
 *   median_step  from arm_filter_median_step
 *   use          rows
 *   wild         n, out
 * ARM_E_MEMORY: use untouched. */
ARM_MUST_CHECK ArmStatus arm_wild_mark(const ArmDataset *data, double median_step, ArmRowUse *use,
                                       ArmWild *wild);

#endif
