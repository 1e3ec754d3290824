/* SPDX-License-Identifier: MIT */
/* Parameters and fits of joints as tables; the same for what a plan promises and a fit found. */
#ifndef ARMATURE_UI_PARAMETER_TABLE_H
#define ARMATURE_UI_PARAMETER_TABLE_H

#include "core/ident.h"
#include "ui/table.h"

/* Joint, parameter, value(sd), unit, difference from the recursion in sds, remark. */
GtkGrid *aui_parameter_table_new(void);

/* recursion: of the same arm, or NULL */
void aui_parameter_table_fill(GtkGrid *table, const ArmGravityParameters *parameters,
                              const ArmGravityParameters *recursion);

/* Joint, rows, rank, condition numbers, residual sd, R2, autocorrelation. */
GtkGrid *aui_joint_table_new(void);
void aui_joint_table_fill(GtkGrid *table, const ArmGravityParameters *parameters);

#endif
