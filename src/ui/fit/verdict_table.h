/* SPDX-License-Identifier: MIT */
/* Joint by joint: does the model fit, what does it miss beside what was promised, in words. */
#ifndef ARMATURE_UI_VERDICT_TABLE_H
#define ARMATURE_UI_VERDICT_TABLE_H

#include <gtk/gtk.h>

#include "core/sweeps/ident.h"

GtkGrid *aui_verdict_table_new(void);

/* Anew; NULL or a fit without a verdict: empty. */
void aui_verdict_table_fill(GtkGrid *table, const ArmGravityFit *fit);

#endif
