/* SPDX-License-Identifier: MIT */
/* What may cause the misfit: looks for it on demand, shows the ranked causes, what each does to the
 * misfit and what would tell them apart; offers the corrected arm as an edit, after a question. */
#ifndef ARMATURE_UI_DIAGNOSIS_PANEL_H
#define ARMATURE_UI_DIAGNOSIS_PANEL_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_DIAGNOSIS_PANEL (aui_diagnosis_panel_get_type())
G_DECLARE_FINAL_TYPE(AuiDiagnosisPanel, aui_diagnosis_panel, AUI, DIAGNOSIS_PANEL, GtkBox)

GtkWidget *aui_diagnosis_panel_new(AseSession *session);

/* As the button "Find the cause". */
void aui_diagnosis_panel_find(AuiDiagnosisPanel *self);

/* The question that is open, NULL: none. Borrowed. */
GtkWidget *aui_diagnosis_panel_question(AuiDiagnosisPanel *self);

#endif
