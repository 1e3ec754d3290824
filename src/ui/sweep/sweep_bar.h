/* SPDX-License-Identifier: MIT */
/* What makes the arm sweep: the compulsory dry run, the sweeps, pausing, skipping and repeating a
 * joint; and how long it still takes. */
#ifndef ARMATURE_UI_SWEEP_BAR_H
#define ARMATURE_UI_SWEEP_BAR_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_SWEEP_BAR (aui_sweep_bar_get_type())
G_DECLARE_FINAL_TYPE(AuiSweepBar, aui_sweep_bar, AUI, SWEEP_BAR, GtkBox)

void aui_sweep_bar_set_session(AuiSweepBar *self, AseSession *session);

/* "Sweep: 1:12 left of 4:30, this leg 0:08". g_free. */
char *aui_sweep_bar_left_text(const AseClock *clock);

/* The joint (from 1) that Repeat is about. */
void aui_sweep_bar_set_joint(AuiSweepBar *self, guint joint);

#endif
