/* SPDX-License-Identifier: MIT */
/* Takes ranges of position out of the fit and back in: what dragging over a plot means, the same
 * by keyboard, undo and redo. Each is an edit of the session. */
#ifndef ARMATURE_UI_FIT_EXCLUDE_H
#define ARMATURE_UI_FIT_EXCLUDE_H

#include <gtk/gtk.h>

#include "session/session.h"
#include "ui/fit/fit_figures.h"

#define AUI_TYPE_FIT_EXCLUDE (aui_fit_exclude_get_type())
G_DECLARE_FINAL_TYPE(AuiFitExclude, aui_fit_exclude, AUI, FIT_EXCLUDE, GtkBox)

/* Signal "mode-changed": dragging selects a range, or does not any more.
 *   shown  sweeps and direction that are meant; borrowed for as long as the widget lives */
GtkWidget *aui_fit_exclude_new(AseSession *session, const AseShown *shown);

bool aui_fit_exclude_is_selecting(AuiFitExclude *self);

/* Positions in the units that are shown; excludes, or restores in that mode. */
void aui_fit_exclude_range(AuiFitExclude *self, double low, double high);

#endif
