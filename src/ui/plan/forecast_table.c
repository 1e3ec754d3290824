/* SPDX-License-Identifier: MIT */
#include "ui/plan/forecast_table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "io/params/params_file.h"
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

static void put(GtkGrid *table, int row, const ArmGravityParameters *parameters, ArmParamId id) {
  const ArmEstimate *e = arm_gravity_parameters_at((ArmGravityParameters *)parameters, id);
  const double value = fabs(e->value) < 1e-3 * e->sd ? 0.0 : e->value; /* a zero with rounding */
  put_text(table, row, 0, g_strdup_printf("%d", id.i + 1), true);
  put_text(table, row, 1, aui_format_parameter(id), false);
  put_text(table, row, 2, e->identifiable ? aui_format_number(value, 3) : g_strdup("-"), true);
  put_text(table, row, 3,
           e->identifiable ? aui_format_number(e->sd, 2) : g_strdup(_("not identifiable")), true);
  put_text(table, row, 4, aui_format_unit(aio_params_unit(parameters, NULL, id)), false);
}

void aui_forecast_table_fill(GtkGrid *table, const ArmPlanReport *report) {
  g_autoptr(GArray) list = report ? aio_params_list(&report->predicted) : NULL;
  int row = 1;
  for (size_t joint = report ? report->predicted.n : 0; joint-- > 0;)
    for (guint k = 0; k < list->len; k++) {
      const ArmParamId id = g_array_index(list, ArmParamId, k);
      if (id.i == (int)joint)
        put(table, row++, &report->predicted, id);
    }
  while (gtk_grid_get_child_at(table, 0, row))
    gtk_grid_remove_row(table, row);
}
