/* SPDX-License-Identifier: MIT */
#include "ui/kit/spin.h"

#include <math.h>

static int on_input(GtkSpinButton *spin, double *value) {
  GtkAdjustment *limits = gtk_spin_button_get_adjustment(spin);
  g_autofree char *text = g_strdup(gtk_editable_get_text(GTK_EDITABLE(spin)));
  char *end = NULL;
  *value = gtk_adjustment_get_value(limits); /* GTK 4.8 reads it after an error, too */
  g_strdelimit(g_strstrip(text), ",", '.');
  const double number = g_ascii_strtod(text, &end);
  const bool is_number = end != text && *end == 0 && isfinite(number);
  if (!is_number || number < gtk_adjustment_get_lower(limits) ||
      number > gtk_adjustment_get_upper(limits))
    return GTK_INPUT_ERROR;
  *value = number;
  return TRUE;
}

void aui_spin_prepare(GtkSpinButton *spin) {
  gtk_spin_button_set_numeric(spin, FALSE); /* lets one point alone be typed */
  gtk_spin_button_set_update_policy(spin, GTK_UPDATE_IF_VALID);
  g_signal_connect(spin, "input", G_CALLBACK(on_input), NULL);
}
