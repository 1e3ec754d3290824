/* SPDX-License-Identifier: MIT */
/* The holds of one joint's sweeps: a row each, a cell per joint of the arm, what is free in that
 * hold; holds are added, copied and left out here. Each edit is one that undo takes back. Rows of
 * the signals (ui/kit/cell.h) are holds. */
#ifndef ARMATURE_UI_HOLD_TABLE_H
#define ARMATURE_UI_HOLD_TABLE_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/kit/cell.h"

#define AUI_TYPE_HOLD_TABLE (aui_hold_table_get_type())
G_DECLARE_FINAL_TYPE(AuiHoldTable, aui_hold_table, AUI, HOLD_TABLE, AuiCellTable)

GtkWidget *aui_hold_table_new(AseSession *session);

/* Whose holds (from 1); 0: none. Reads the plan again. */
void aui_hold_table_show(AuiHoldTable *self, guint joint);

#endif
