/* SPDX-License-Identifier: MIT */
/* The sweeps of a plan, a row per joint from the last to the first: range and speeds can be typed
 * into, what a fit would know stands beside them. Rows of the signals (ui/kit/cell.h) are
 * joints. */
#ifndef ARMATURE_UI_SWEEP_TABLE_H
#define ARMATURE_UI_SWEEP_TABLE_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/kit/cell.h"

#define AUI_TYPE_SWEEP_TABLE (aui_sweep_table_get_type())
G_DECLARE_FINAL_TYPE(AuiSweepTable, aui_sweep_table, AUI, SWEEP_TABLE, AuiCellTable)

GtkWidget *aui_sweep_table_new(AseSession *session);

/* Reads plan and forecast again. */
void aui_sweep_table_refresh(AuiSweepTable *self);

#endif
