/* SPDX-License-Identifier: MIT */
/* What no language may do to a label: cut it, leave letters without a glyph, write a number from
 * right to left, or make a window larger than 1280 x 800. */
#ifndef ARMATURE_TESTS_L10N_LOOK_H
#define ARMATURE_TESTS_L10N_LOOK_H

#include "ui/gui.h"

typedef struct {
  const char *locale; /* "de_DE", "pseudo-rtl" */
  const char *place;  /* that is looked at: "plan" */
  GHashTable *told;   /* of texts */
  GPtrArray *doubts;  /* lines of the last look */
  guint labels;
  bool sees_language; /* looks for English: always in a pseudo-translation */
} Look;

void look_init(Look *look, const char *locale);

/* All labels that are shown in the widget, once they are laid out. */
void look_at(Look *look, GtkWidget *widget, const char *place);

/* The same, and the window's least size; and a picture, l10n-LOCALE-PLACE. */
void look_at_window(Look *look, GtkWidget *window, const char *place);

/* After look_at: whether pages and tables have room for all their columns. */
void look_at_width(Look *look, GtkWidget *widget);

/* Fails the test if anything was wrong, or fewer labels than this were seen. */
void look_end(Look *look, guint least_labels);

#endif
