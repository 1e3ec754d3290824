/* SPDX-License-Identifier: MIT */
/* Wild samples: currents and positions far from those around them, which agree with each other.
 *
 *   d_k = y_k - (y_k-1 + y_k+1)/2      s = 1.4826 median |d| of the joint
 *   limit = max(20 s, half the median |y| of the joint)
 *   single  |d_k| > limit, |y_k+1 - y_k-1| < |d_k|/4
 *   brief   |y_k - median of y within 0.45 s| > limit in two rows or more that last 0.15 s at
 *           most, within one stroke or at its end: a blow, a brake, a dropout
 *
 * A position that jumps away and back within one sample is wild too, of a held joint as well:
 *
 *   d_k = q_k - (q_k-1 + q_k+1)/2, at the end of a sweep q_k - (2 q_k+1 - q_k+2)
 *   |d_k| > max(20 s, 0.02 rad or m) and > 4 times the way between the samples around it
 *
 * What lasts longer is a collision or a wrong model, and stays in for the verdict to judge; so does
 * what is brief but comes again in more than one of twenty strokes: that is how the arm moves (the
 * ramps of every sweep). A fit with accelerations knows of brakes: it leaves out single ones only.
 */
#ifndef ARMATURE_CORE_WILD_H
#define ARMATURE_CORE_WILD_H

#include "core/data/dataset.h"
#include "core/data/windows.h"

/* The sample of a joint that is farthest off. */
typedef struct {
  size_t count, row;
  double t, found, expected; /* s; A, or of positions rad, m */
} ArmWildFar;

typedef struct {
  ArmWildFar current;
  ArmWildFar position; /* of this joint, moving or held */
} ArmWild;

/* Turns ARM_ROW_USED into ARM_ROW_WILD where it applies, or into ARM_ROW_WILD_POSITION. Strokes
 * are used rows of one joint and direction, one time step after the other.
 *   median_step  from arm_filter_median_step
 *   takes_brief  what is brief too
 *   use          rows
 *   wild         n, out
 * ARM_E_MEMORY: use untouched. */
ARM_MUST_CHECK ArmStatus arm_wild_mark(const ArmDataset *data, double median_step, bool takes_brief,
                                       ArmRowUse *use, ArmWild *wild);

/* The same of a recording of n joints that is read some rows at a time: four passes, a few more
 * where there are any. One stroke's currents are in memory. ARM_E_MEMORY; what the source
 * reports. */
ARM_MUST_CHECK ArmStatus arm_wild_find(ArmWindows *windows, size_t n, double median_step,
                                       bool takes_brief, ArmWild *wild);

/* arm_dataset_select, then arm_wild_mark: the rows that a fit of them would use.
 *   wild  n, out; NULL: not asked for */
ARM_MUST_CHECK ArmStatus arm_wild_select(const ArmModel *model, const ArmDataset *data,
                                         const ArmRowOptions *options, ArmRowUse *use,
                                         ArmWild *wild);

#endif
