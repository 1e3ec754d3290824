/* SPDX-License-Identifier: MIT */
/* The constant-speed part of each sweep: known only beside the whole sweep, of which a few numbers
 * are enough, so that rows may come some at a time.
 */
#ifndef ARMATURE_CORE_PLATEAU_H
#define ARMATURE_CORE_PLATEAU_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/base/status.h"
#include "core/data/dataset.h"
#include "core/data/windows.h"

/* A row belongs to a sweep by its motion alone: neither a missing current nor who leaves it out
 * ends the sweep, or its ends would be sought anew on both sides. */
bool arm_row_is_of_sweep(ArmRowUse use);

/* Row `row` > 0 goes on with the sweep of the row before; both are of one.
 *   median_step  of t [s] */
bool arm_row_continues_sweep(const ArmDataset *data, size_t row, double median_step);

/* Used rows off the plateau become ARM_ROW_OFF_PLATEAU.
 *   sweep       without its place: where these rows lie is said by
 *   begin, end  rows of `data`, all of the sweep
 *   use         rows */
void arm_sweep_trim(const ArmModel *model, const ArmDataset *data, const ArmRowOptions *options,
                    const ArmSweep *sweep, size_t begin, size_t end, ArmRowUse *use);

/* Fills windows->sweeps, in the order of the recording: one pass over all rows, three more over
 * those of a sweep of more than 32768. ARM_E_MEMORY, what the source reports. */
ARM_MUST_CHECK ArmStatus arm_plateau_find(ArmWindows *windows);

/* The rows of the window in view, judged one by one. */
void arm_plateau_trim(const ArmWindows *windows);

#endif
