/* SPDX-License-Identifier: MIT */
/* A small "?" beside a figure: what it is, what it should be, what to do if it is not. */
#ifndef ARMATURE_UI_WHY_H
#define ARMATURE_UI_WHY_H

#include <gtk/gtk.h>

/* All in the user's language; static. */
typedef struct {
  const char *title, *what, *expected, *remedy;
} AuiWhy;

/* "condition-number"; the keys are those of the table in why.c. false: no such key, out untouched.
 */
bool aui_why_find(const char *key, AuiWhy *out);

/* The key of entry k, from 0; NULL after the last. */
const char *aui_why_key(guint k);

/* A flat button with a popover that is made when it is first opened. An unknown key is a mistake of
 * the program (g_error). */
GtkWidget *aui_why_new(const char *key);

/* The figure's name with the button behind it, for heads and captions. */
GtkWidget *aui_why_label_new(const char *text, const char *key);

#endif
