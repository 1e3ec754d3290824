/* SPDX-License-Identifier: MIT */
#include "ui/forecast_table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "io/params_file.h"
#include "ui/format.h"

GtkGrid *aui_forecast_table_new(void) {
  const char *const heads[] = {
      _("Joint"), _("Parameter"), _("Assumed"), _("Standard deviation"), _("Unit"), NULL};
  return aui_table_new(heads);
}

static void put(GtkGrid *table, const ArmGravityParameters *parameters, ArmParamId id) {
  const ArmEstimate *e = arm_gravity_parameters_at((ArmGravityParameters *)parameters, id);
  const double value = fabs(e->value) < 1e-3 * e->sd ? 0.0 : e->value; /* a zero with rounding */
  const int row = aui_table_add_row(table);
  aui_table_take(table, row, 0, g_strdup_printf("%d", id.i + 1), true);
  aui_table_take(table, row, 1, aui_format_parameter(id), false);
  aui_table_take(table, row, 2, e->identifiable ? aui_format_number(value, 3) : g_strdup("-"),
                 true);
  aui_table_take(table, row, 3,
                 e->identifiable ? aui_format_number(e->sd, 2) : g_strdup(_("not identifiable")),
                 true);
  aui_table_take(table, row, 4, aui_format_unit(aio_params_unit(parameters, NULL, id)), false);
}

void aui_forecast_table_fill(GtkGrid *table, const ArmPlanReport *report) {
  aui_table_clear(table);
  if (!report)
    return;
  g_autoptr(GArray) list = aio_params_list(&report->predicted);
  for (size_t joint = report->predicted.n; joint-- > 0;)
    for (guint k = 0; k < list->len; k++) {
      const ArmParamId id = g_array_index(list, ArmParamId, k);
      if (id.i == (int)joint)
        put(table, &report->predicted, id);
    }
}
