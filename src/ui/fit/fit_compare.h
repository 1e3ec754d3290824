/* SPDX-License-Identifier: MIT */
/* The fit beside an earlier one, out of a session or a parameter file: each parameter with its
 * difference in sds of that difference, marked beyond 3. */
#ifndef ARMATURE_UI_FIT_COMPARE_H
#define ARMATURE_UI_FIT_COMPARE_H

#include <gtk/gtk.h>

#include "session/session.h"

#define AUI_TYPE_FIT_COMPARE (aui_fit_compare_get_type())
G_DECLARE_FINAL_TYPE(AuiFitCompare, aui_fit_compare, AUI, FIT_COMPARE, GtkBox)

GtkWidget *aui_fit_compare_new(AseSession *session);

/* Reads the file, in a thread. What is wrong with it is said in the page. */
void aui_fit_compare_load(AuiFitCompare *self, const char *path);

GtkGrid *aui_fit_compare_table(AuiFitCompare *self);
guint aui_fit_compare_noteworthy(AuiFitCompare *self); /* rows beyond 3 sds */

#endif
