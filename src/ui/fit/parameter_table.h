/* SPDX-License-Identifier: MIT */
/* Parameters and fits of joints as tables; the same for what a plan promises and a fit found. */
#ifndef ARMATURE_UI_PARAMETER_TABLE_H
#define ARMATURE_UI_PARAMETER_TABLE_H

#include "core/params/set.h"
#include "ui/kit/table.h"

/* Joint, parameter, value(sd), unit, difference from the recursion in sds, remark. */
GtkGrid *aui_parameter_table_new(void);

/* recursion: of the same arm; NULL or empty: none */
void aui_parameter_table_fill(GtkGrid *table, const ArmParamSet *found,
                              const ArmParamSet *recursion);

/* Joint, rows, rank, condition numbers, residual sd, R2, autocorrelation. */
GtkGrid *aui_joint_table_new(void);
void aui_joint_table_fill(GtkGrid *table, const ArmParamSet *found);

/* "+0.3": what the recursion found differs by so many sds; "" where that says nothing. g_free. */
char *aui_format_recursion(const ArmEstimate *refined, const ArmEstimate *recursive);

/* "not identifiable, 0.1 is used: the reason"; "" for what is identifiable. g_free. */
char *aui_format_remark(const ArmEstimate *estimate);

#endif
