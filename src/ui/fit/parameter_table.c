/* SPDX-License-Identifier: MIT */
/* One table for what a plan promises and what a fit has found: the same order, the same names, one
 * behaviour. */
#include "ui/fit/parameter_table.h"

#include <glib/gi18n.h>
#include <math.h>

#include "session/base/text.h"
#include "ui/kit/format.h"

char *aui_format_recursion(const ArmEstimate *e, const ArmEstimate *other) {
  if (!other || !e->identifiable || !other->identifiable || !(e->sd > 0.0))
    return g_strdup("");
  return aui_format_sds((other->value - e->value) / e->sd);
}

char *aui_format_remark(const ArmEstimate *e) {
  if (e->identifiable)
    return g_strdup("");
  g_autofree char *used = aui_format_number(e->used, 3);
  return g_strdup_printf(_("not identifiable, %s is used: %s"), used, ase_reason_text(e->reason));
}

/* ---- parameters ---- */

GtkGrid *aui_parameter_table_new(void) {
  const char *const heads[] = {_("Joint"), _("Parameter"),        _("Value(sd)"),
                               _("Unit"),  _("To recursion, sd"), _("Remark"),
                               NULL};
  GtkGrid *table = aui_table_new(heads);
  aui_table_explain(table, 2, "parameter-sd");
  aui_table_explain(table, 4, "recursion-vs-refinement");
  aui_table_explain(table, 5, "not-identifiable");
  return table;
}

static void put_parameter(GtkGrid *table, const ArmParamSet *found, const ArmParamSet *recursion,
                          size_t k, GtkSizeGroup *groups[2]) {
  const ArmEstimate *e = &found->estimate[k];
  const ArmParamId id = found->param[k].id;
  const ArmEstimate *other = recursion && recursion->n ? arm_param_set_at(recursion, id) : NULL;
  const int row = aui_table_add_row(table);
  g_autofree char *remark = aui_format_remark(e);
  aui_table_take(table, row, 0, g_strdup_printf("%d", id.i + 1), true);
  aui_table_take(table, row, 1, aui_format_parameter(found, k), false);
  aui_table_take_aligned(table, row, 2,
                         e->identifiable ? aui_format_estimate(e->value, e->sd) : g_strdup("-"),
                         groups[0]);
  aui_table_take(table, row, 3, aui_format_unit(arm_param_set_unit_shown(found, k)), false);
  aui_table_take_aligned(table, row, 4, aui_format_recursion(e, other), groups[1]);
  gtk_widget_set_hexpand(aui_table_put(table, row, 5, remark), true);
}

void aui_parameter_table_fill(GtkGrid *table, const ArmParamSet *found,
                              const ArmParamSet *recursion) {
  g_autoptr(GtkSizeGroup) values = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr(GtkSizeGroup) differences = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  GtkSizeGroup *groups[2] = {values, differences};
  aui_table_clear(table);
  for (size_t joint = found->n_joints; joint-- > 0;)
    for (size_t k = 0; k < found->n; k++)
      if (found->param[k].id.i == joint && arm_param_set_is_listed(found, k))
        put_parameter(table, found, recursion, k, groups);
}

/* ---- joints ---- */

GtkGrid *aui_joint_table_new(void) {
  const char *const heads[] = {
      _("Joint"),   _("Rows"),        _("Rank"),   _("Condition raw"), _("equilibrated"),
      _("centred"), _("Residual sd"), "R\302\262", _("Lag 1"),         _("Widened"),
      NULL};
  GtkGrid *table = aui_table_new(heads);
  aui_table_explain(table, 2, "rank");
  aui_table_explain(table, 3, "condition-number");
  aui_table_explain(table, 6, "residual-sd");
  aui_table_explain(table, 7, "r2");
  aui_table_explain(table, 8, "autocorrelation");
  return table;
}

/* In A, or in N m or N where a torque or force was measured. */
static char *residual_text(const ArmParamSet *found, size_t joint) {
  g_autofree char *number = aui_format_number(found->joint[joint].residual_sd, 3);
  const char *unit = arm_param_set_effort_unit(found, joint);
  return isnan(found->joint[joint].residual_sd) ? g_strdup(number)
                                                : g_strdup_printf("%s %s", number, unit);
}

void aui_joint_table_fill(GtkGrid *table, const ArmParamSet *found) {
  aui_table_clear(table);
  for (size_t joint = found->n_joints; joint-- > 0;) {
    const ArmJointStatistics *fit = &found->joint[joint];
    const double numbers[] = {fit->cond_raw, fit->cond_equilibrated, fit->cond_centred};
    const int row = aui_table_add_row(table);
    aui_table_take(table, row, 0, g_strdup_printf("%zu", joint + 1), true);
    aui_table_take(table, row, 1, g_strdup_printf("%zu", fit->rows_used), true);
    aui_table_take(table, row, 2, g_strdup_printf(_("%zu of %zu"), fit->rank, fit->columns), true);
    for (int k = 0; k < 3; k++)
      aui_table_take(table, row, 3 + k, aui_format_number(numbers[k], 3), true);
    aui_table_take(table, row, 6, residual_text(found, joint), true);
    aui_table_take(table, row, 7, aui_format_number(fit->r2, 4), true);
    aui_table_take(table, row, 8, aui_format_number(fit->lag1, 2), true);
    aui_table_take(table, row, 9, aui_format_number(fit->widening, 3), true);
  }
}
