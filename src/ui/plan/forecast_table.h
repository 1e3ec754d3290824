/* SPDX-License-Identifier: MIT */
/* What a fit of a plan would know: every parameter with the value that is assumed for it, and the
 * standard deviation that the fit would report. */
#ifndef ARMATURE_UI_FORECAST_TABLE_H
#define ARMATURE_UI_FORECAST_TABLE_H

#include "core/params/set.h"
#include "ui/kit/table.h"

GtkGrid *aui_forecast_table_new(void);

/* found NULL: empty. */
void aui_forecast_table_fill(GtkGrid *table, const ArmParamSet *found);

#endif
