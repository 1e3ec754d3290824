/* SPDX-License-Identifier: MIT */
/* What is hardly right in what was recorded: one line to be seen at once, and the whole list. */
#ifndef ARMATURE_UI_DOUBT_BAR_H
#define ARMATURE_UI_DOUBT_BAR_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_DOUBT_BAR (aui_doubt_bar_get_type())
G_DECLARE_FINAL_TYPE(AuiDoubtBar, aui_doubt_bar, AUI, DOUBT_BAR, GtkBox)

/* Seen while there is a fit, not out of date, whose numbers are hardly the arm's; or less, dimmed.
 * Signal "see": the list is wanted. */
GtkWidget *aui_doubt_bar_new(AseSession *session);

/* Whether it has the button: not where the list is in sight. */
void aui_doubt_bar_offer(AuiDoubtBar *self, bool offers);

/* All of it, anew, with a heading; NULL or nothing to say: hidden. */
void aui_doubt_list_fill(GtkBox *list, const ArmGravityFit *fit);

#endif
