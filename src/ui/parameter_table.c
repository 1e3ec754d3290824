/* SPDX-License-Identifier: MIT */
#include "ui/parameter_table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "io/params_file.h"
#include "ui/format.h"

GtkGrid *aui_parameter_table_new(void) {
  const char *const heads[] = {_("Joint"), _("Parameter"),        _("Value(sd)"),
                               _("Unit"),  _("To recursion, sd"), _("Remark"),
                               NULL};
  return aui_table_new(heads);
}

/* What the recursion found differs by this many sds. */
static char *difference_text(const ArmEstimate *e, const ArmEstimate *other) {
  if (!other || !e->identifiable || !other->identifiable || !(e->sd > 0.0))
    return g_strdup("");
  return g_strdup_printf("%+.1f", (other->value - e->value) / e->sd);
}

/* Parameter sets are not changed by arm_gravity_parameters_at; it gives a place to write to. */
static const ArmEstimate *estimate_at(const ArmGravityParameters *parameters, ArmParamId id) {
  return arm_gravity_parameters_at((ArmGravityParameters *)parameters, id);
}

static void put_remark(GtkGrid *table, int row, const ArmEstimate *e) {
  g_autofree char *used = e->identifiable ? NULL : aui_format_number(e->used, 3);
  g_autofree char *text = e->identifiable ? g_strdup("")
                                          : g_strdup_printf(_("not identifiable, %s is used: %s"),
                                                            used, arm_reason_text(e->reason));
  aui_table_put(table, row, 5, text);
  gtk_widget_set_hexpand(gtk_grid_get_child_at(table, 5, row), true);
}

static void put_parameter(GtkGrid *table, const ArmGravityParameters *parameters,
                          const ArmGravityParameters *recursion, ArmParamId id) {
  const ArmEstimate *e = estimate_at(parameters, id);
  const int row = aui_table_add_row(table);
  aui_table_take(table, row, 0, g_strdup_printf("%d", id.i + 1), true);
  aui_table_take(table, row, 1, aui_format_parameter(id), false);
  aui_table_take(table, row, 2,
                 e->identifiable ? aui_format_estimate(e->value, e->sd) : g_strdup("-"), true);
  aui_table_take(table, row, 3, g_strdup(aio_params_unit(parameters, NULL, id)), false);
  aui_table_take(table, row, 4,
                 difference_text(e, recursion && recursion->n ? estimate_at(recursion, id) : NULL),
                 true);
  put_remark(table, row, e);
}

void aui_parameter_table_fill(GtkGrid *table, const ArmGravityParameters *parameters,
                              const ArmGravityParameters *recursion) {
  g_autoptr(GArray) list = aio_params_list(parameters);
  aui_table_clear(table);
  for (size_t joint = parameters->n; joint-- > 0;)
    for (guint k = 0; k < list->len; k++) {
      const ArmParamId id = g_array_index(list, ArmParamId, k);
      if (id.i == joint)
        put_parameter(table, parameters, recursion, id);
    }
}

GtkGrid *aui_joint_table_new(void) {
  const char *const heads[] = {
      _("Joint"),   _("Rows"),           _("Rank"),   _("Condition raw"), _("equilibrated"),
      _("centred"), _("Residual sd, A"), "R\302\262", _("Lag 1"),         _("Widened"),
      NULL};
  return aui_table_new(heads);
}

void aui_joint_table_fill(GtkGrid *table, const ArmGravityParameters *parameters) {
  aui_table_clear(table);
  for (size_t joint = parameters->n; joint-- > 0;) {
    const ArmJointFit *fit = &parameters->joint[joint];
    const double numbers[] = {fit->cond_raw, fit->cond_equilibrated, fit->cond_centred,
                              fit->residual_sd};
    const int row = aui_table_add_row(table);
    aui_table_take(table, row, 0, g_strdup_printf("%zu", joint + 1), true);
    aui_table_take(table, row, 1, g_strdup_printf("%zu", fit->rows_used), true);
    aui_table_take(table, row, 2, g_strdup_printf(_("%zu of %zu"), fit->rank, fit->columns), true);
    for (int k = 0; k < 4; k++)
      aui_table_take(table, row, 3 + k, aui_format_number(numbers[k], 3), true);
    aui_table_take(table, row, 7, aui_format_number(fit->r2, 4), true);
    aui_table_take(table, row, 8, aui_format_number(fit->lag1, 2), true);
    aui_table_take(table, row, 9, aui_format_number(fit->widening, 3), true);
  }
}
