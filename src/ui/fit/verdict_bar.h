/* SPDX-License-Identifier: MIT */
/* One line: does the model fit, by how much not, and the way to the cause. */
#ifndef ARMATURE_UI_VERDICT_BAR_H
#define ARMATURE_UI_VERDICT_BAR_H

#include <gtk/gtk.h>
#include <stdbool.h>

#include "session/session.h"

#define AUI_TYPE_VERDICT_BAR (aui_verdict_bar_get_type())
G_DECLARE_FINAL_TYPE(AuiVerdictBar, aui_verdict_bar, AUI, VERDICT_BAR, GtkBox)

/* Seen while there is a fit with a verdict. Signal "find": the cause is wanted. */
GtkWidget *aui_verdict_bar_new(AseSession *session);

/* Whether it has the button: not where the causes are in sight. */
void aui_verdict_bar_offer(AuiVerdictBar *self, bool offers);

#endif
