/* SPDX-License-Identifier: MIT */
#include "ui/plan/forecast_table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/format.h"

GtkGrid *aui_forecast_table_new(void) {
  const char *const heads[] = {
      _("Joint"), _("Parameter"), _("Assumed"), _("Standard deviation"), _("Unit"), NULL};
  return aui_table_new(heads);
}

/* Labels that are there already are used again: to make 180 of them takes 25 ms. */
static void put_text(GtkGrid *table, int row, int column, char *text, bool is_number) {
  GtkWidget *label = gtk_grid_get_child_at(table, column, row);
  if (!label) {
    aui_table_take(table, row, column, text, is_number);
    return;
  }
  gtk_label_set_text(GTK_LABEL(label), text);
  g_free(text);
}

static void put(GtkGrid *table, int row, const ArmParamSet *found, size_t k) {
  const ArmEstimate *e = &found->estimate[k];
  const double value = fabs(e->value) < 1e-3 * e->sd ? 0.0 : e->value; /* a zero with rounding */
  put_text(table, row, 0, g_strdup_printf("%d", found->param[k].id.i + 1), true);
  put_text(table, row, 1, aui_format_parameter(found, k), false);
  put_text(table, row, 2, e->identifiable ? aui_format_number(value, 3) : g_strdup("-"), true);
  put_text(table, row, 3,
           e->identifiable ? aui_format_number(e->sd, 2) : g_strdup(_("not identifiable")), true);
  put_text(table, row, 4, aui_format_unit(arm_param_set_unit_shown(found, k)), false);
}

void aui_forecast_table_fill(GtkGrid *table, const ArmParamSet *found) {
  int row = 1;
  for (size_t joint = found ? found->n_joints : 0; joint-- > 0;)
    for (size_t k = 0; k < found->n; k++)
      if (found->param[k].id.i == joint && arm_param_set_is_listed(found, k))
        put(table, row++, found, k);
  while (gtk_grid_get_child_at(table, 0, row))
    gtk_grid_remove_row(table, row);
}
