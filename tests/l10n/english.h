/* SPDX-License-Identifier: MIT */
/* Where there may be English in a window. */
#ifndef ARMATURE_TESTS_L10N_ENGLISH_H
#define ARMATURE_TESTS_L10N_ENGLISH_H

#include <gtk/gtk.h>

#include "english_words.h"

/* What a widget says in a text, a tooltip, a title or a figure, one after the other: NULL after the
 * last. g_free. */
char *english_text(GtkWidget *widget, guint k);

#endif
