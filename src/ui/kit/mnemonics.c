/* SPDX-License-Identifier: MIT */
#include "ui/kit/mnemonics.h"

static void name_button(GtkButton *button) {
  const char *label = gtk_button_get_label(button);
  if (!label || !gtk_button_get_use_underline(button))
    return;
  g_auto(GStrv) parts = g_strsplit(label, "_", -1);
  g_autofree char *name = g_strjoinv("", parts);
  gtk_accessible_reset_relation(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void aui_mnemonics_name(GtkWidget *widget) {
  if (GTK_IS_BUTTON(widget))
    name_button(GTK_BUTTON(widget));
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    aui_mnemonics_name(child);
}
