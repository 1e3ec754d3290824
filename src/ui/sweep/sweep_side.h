/* SPDX-License-Identifier: MIT */
/* Beside the curves of a joint: what the last fit found of it, and the arm in its present pose. */
#ifndef ARMATURE_UI_SWEEP_SIDE_H
#define ARMATURE_UI_SWEEP_SIDE_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_SWEEP_SIDE (aui_sweep_side_get_type())
G_DECLARE_FINAL_TYPE(AuiSweepSide, aui_sweep_side, AUI, SWEEP_SIDE, GtkBox)

void aui_sweep_side_set_session(AuiSweepSide *self, AseSession *session);
void aui_sweep_side_show(AuiSweepSide *self, guint joint); /* from 1 */

#endif
