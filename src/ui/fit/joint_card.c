/* SPDX-License-Identifier: MIT */
/* One joint with every number explained where it stands. A parameter under the pointer marks the
 * samples that decide it in the plots beside. */
#include "ui/fit/joint_card.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/fit/parameter_table.h"
#include "ui/kit/format.h"
#include "ui/kit/list_keys.h"
#include "ui/kit/steps.h"
#include "ui/kit/why.h"

struct _AuiJointCard {
  GtkBox parent_instance;
  GtkBox *head;
  GtkLabel *title, *verdict, *reason;
  GtkListBox *parameters;
  GtkGrid *figures;
  GtkWidget *ratio_why; /* seen where there is a ratio */
  GArray *ids;          /* of ArmParamId, one per row */
};

G_DEFINE_FINAL_TYPE(AuiJointCard, aui_joint_card, GTK_TYPE_BOX)

enum { MARKED, SIGNALS };
static guint signals[SIGNALS];

/* ---- marking ---- */

static void mark(AuiJointCard *self, GtkWidget *row) {
  const int k = row ? gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row)) : -1;
  ArmParamId *id =
      k >= 0 && k < (int)self->ids->len ? &g_array_index(self->ids, ArmParamId, k) : NULL;
  g_signal_emit(self, signals[MARKED], 0, id);
}

static AuiJointCard *card_of(GtkEventController *controller) {
  return AUI_JOINT_CARD(
      gtk_widget_get_ancestor(gtk_event_controller_get_widget(controller), AUI_TYPE_JOINT_CARD));
}

static void on_enter(GtkEventController *controller) {
  mark(card_of(controller), gtk_event_controller_get_widget(controller));
}

static void on_leave(GtkEventController *controller) {
  AuiJointCard *self = card_of(controller);
  if (self)
    mark(self, NULL);
}

static void watch(GtkWidget *row) {
  GtkEventController *motion = gtk_event_controller_motion_new();
  GtkEventController *focus = gtk_event_controller_focus_new();
  g_signal_connect(motion, "enter", G_CALLBACK(on_enter), NULL);
  g_signal_connect(motion, "leave", G_CALLBACK(on_leave), NULL);
  g_signal_connect(focus, "enter", G_CALLBACK(on_enter), NULL);
  g_signal_connect(focus, "leave", G_CALLBACK(on_leave), NULL);
  gtk_widget_add_controller(row, motion);
  gtk_widget_add_controller(row, focus);
}

/* ---- parameters ---- */

static GtkWidget *label_new(const char *text, const char *css_class, bool wraps) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), wraps);
  if (css_class)
    gtk_widget_add_css_class(label, css_class);
  return label;
}

/* So that the rows of a list have columns. */
typedef struct {
  GtkSizeGroup *points, *numbers, *units;
} Groups;

static GtkWidget *upper_line(const ArmParamSet *found, size_t k, const ArmEstimate *e,
                             const Groups *groups) {
  GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  g_autofree char *name = aui_format_parameter(found, k);
  GtkWidget *label = label_new(name, NULL, true);
  gtk_widget_set_hexpand(label, true);
  gtk_box_append(GTK_BOX(line), label);
  if (!e->identifiable)
    return line;
  g_autofree char *value = aui_format_estimate(e->value, e->sd);
  g_autofree char *unit_text = aui_format_unit(arm_param_set_unit_shown(found, k));
  GtkWidget *unit = label_new(unit_text, "dim-label", false);
  gtk_size_group_add_widget(groups->units, unit);
  GtkWidget *number = aui_number_new(value, groups->points);
  gtk_size_group_add_widget(groups->numbers, number);
  gtk_box_append(GTK_BOX(line), number);
  gtk_box_append(GTK_BOX(line), unit);
  return line;
}

/* What the recursion says, or why there is no number. g_free. */
static char *lower_text(const ArmEstimate *e, const ArmEstimate *recursive) {
  if (!e->identifiable)
    return aui_format_remark(e);
  g_autofree char *difference = aui_format_recursion(e, recursive);
  return *difference ? g_strdup_printf(_("recursion: %s sd"), difference) : g_strdup("");
}

static void name_row(GtkWidget *row, const ArmParamSet *found, size_t k, const ArmEstimate *e,
                     const char *lower) {
  const char *unit = arm_param_set_unit_shown(found, k);
  g_autofree char *name = aui_format_parameter(found, k);
  g_autofree char *value = aui_format_estimate(e->value, e->sd);
  g_autofree char *text = e->identifiable
                              ? g_strdup_printf("%s: %s %s. %s", name, value, unit, lower)
                              : g_strdup_printf("%s: %s", name, lower);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void add_parameter(AuiJointCard *self, const ArmParamSet *found,
                          const ArmParamSet *recursion, size_t k, const Groups *groups) {
  const ArmParamId id = found->param[k].id;
  const ArmEstimate *e = &found->estimate[k];
  const ArmEstimate *other = recursion->n ? arm_param_set_at(recursion, id) : NULL;
  g_autofree char *lower = lower_text(e, other);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), *row = gtk_list_box_row_new();
  GtkWidget *caption = label_new(lower, "caption", true);
  gtk_widget_add_css_class(caption, "dim-label");
  gtk_widget_set_visible(caption, *lower);
  gtk_box_append(GTK_BOX(box), upper_line(found, k, e, groups));
  gtk_box_append(GTK_BOX(box), caption);
  gtk_widget_add_css_class(box, "aui-parameter");
  gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), box);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), false);
  name_row(row, found, k, e, lower);
  watch(row);
  gtk_list_box_append(self->parameters, row);
  g_array_append_val(self->ids, id);
}

static void fill_parameters(AuiJointCard *self, const ArmParamSet *found,
                            const ArmParamSet *recursion, guint joint) {
  g_autoptr(GtkSizeGroup) points = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr(GtkSizeGroup) numbers = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  g_autoptr(GtkSizeGroup) units = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
  const Groups groups = {points, numbers, units};
  gtk_widget_set_visible(self->ratio_why, false);
  for (size_t k = 0; k < found->n; k++) {
    const ArmParamId id = found->param[k].id;
    if (id.i != joint - 1 || !arm_param_set_is_listed(found, k))
      continue;
    add_parameter(self, found, recursion, k, &groups);
    if (arm_param_info(id.kind)->scope == ARM_OF_PAIR)
      gtk_widget_set_visible(self->ratio_why, true);
  }
}

/* ---- figures ---- */

static void put_figure(AuiJointCard *self, const char *name, const char *why, char *value) {
  int row = 0;
  while (gtk_grid_get_child_at(self->figures, 0, row))
    row++;
  GtkWidget *label = label_new(name, NULL, true), *number = label_new(value, "numbers", false);
  gtk_widget_set_hexpand(label, true);
  gtk_label_set_selectable(GTK_LABEL(number), true);
  gtk_widget_set_can_focus(number, false);
  gtk_widget_set_direction(number, GTK_TEXT_DIR_LTR);
  gtk_grid_attach(self->figures, label, 0, row, 1, 1);
  gtk_grid_attach(self->figures, number, 1, row, 1, 1);
  gtk_grid_attach(self->figures, aui_why_new(why), 2, row, 1, 1);
  g_free(value);
}

static void fill_figures(AuiJointCard *self, const ArmParamSet *found, guint joint) {
  const ArmJointStatistics *fit = &found->joint[joint - 1];
  put_figure(self, _("Samples used"), "excluded-samples", g_strdup_printf("%zu", fit->rows_used));
  put_figure(self, _("Rank"), "rank", g_strdup_printf(_("%zu of %zu"), fit->rank, fit->columns));
  put_figure(self, _("Condition number, raw"), "condition-number",
             aui_format_number(fit->cond_raw, 3));
  put_figure(self, _("Condition, equilibrated"), "condition-number",
             aui_format_number(fit->cond_equilibrated, 3));
  put_figure(self, _("Condition, centred"), "condition-number",
             aui_format_number(fit->cond_centred, 3));
  put_figure(self, _("Residual sd"), "residual-sd", aui_format_residual(found, joint - 1));
  put_figure(self, "R\302\262", "r2", aui_format_number(fit->r2, 5));
  put_figure(self, _("Lag 1"), "autocorrelation", aui_format_number(fit->lag1, 2));
  put_figure(self, _("Error bars widened by"), "parameter-sd", aui_format_number(fit->widening, 3));
}

static void clear(AuiJointCard *self) {
  GtkWidget *child;
  g_signal_emit(self, signals[MARKED], 0, NULL);
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self->parameters))))
    gtk_list_box_remove(self->parameters, child);
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self->figures))))
    gtk_grid_remove(self->figures, child);
  g_array_set_size(self->ids, 0);
}

/* What was not measured has passed nothing, although the fit as a whole has. */
static void show_verdict(AuiJointCard *self, AseSession *session, bool has_rows, guint joint) {
  const AseProcedure *procedure = ase_session_procedure(session);
  const AseStepState state = ase_procedure_joint_state(procedure, ASE_STEP_FIT, joint);
  const char *const css = !has_rows                   ? "warning"
                          : state == ASE_STATE_PASSED ? "success"
                          : state == ASE_STATE_FAILED ? "error"
                                                      : "warning";
  const char *const classes[] = {css, NULL};
  const char *reason = ase_step_reason(ase_procedure_joint_info(procedure, ASE_STEP_FIT, joint));
  gtk_label_set_text(self->verdict, has_rows ? aui_state_text(state) : _("not measured"));
  gtk_widget_set_css_classes(GTK_WIDGET(self->verdict), (const char **)classes);
  gtk_label_set_text(self->reason, reason);
  gtk_widget_set_visible(GTK_WIDGET(self->reason),
                         (state == ASE_STATE_FAILED || (has_rows && state == ASE_STATE_UNJUDGED)) &&
                             *reason);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->verdict), *reason ? reason : NULL);
}

void aui_joint_card_fill(AuiJointCard *self, const ArmParamSet *found, const ArmParamSet *recursion,
                         guint joint) {
  const bool is_shown = joint >= 1 && joint <= found->n_joints;
  g_autofree char *title = g_strdup_printf(_("Joint %u"), joint);
  clear(self);
  gtk_label_set_text(self->title, title);
  gtk_widget_set_visible(GTK_WIDGET(self), is_shown);
  if (!is_shown)
    return;
  fill_parameters(self, found, recursion, joint);
  fill_figures(self, found, joint);
}

void aui_joint_card_show(AuiJointCard *self, AseSession *session, guint joint) {
  g_auto(ArmParamSet) found = {0}, recursion = {0};
  ase_session_found(session, &found, &recursion); /* without a fit both are empty */
  aui_joint_card_fill(self, &found, &recursion, joint);
  if (joint >= 1 && joint <= found.n_joints)
    show_verdict(self, session, found.joint[joint - 1].rows_used > 0, joint);
}

/* ---- the object ---- */

GtkWidget *aui_joint_card_new(void) {
  return g_object_new(AUI_TYPE_JOINT_CARD, NULL);
}

static void dispose(GObject *object) {
  g_clear_pointer(&AUI_JOINT_CARD(object)->ids, g_array_unref);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_JOINT_CARD);
  G_OBJECT_CLASS(aui_joint_card_parent_class)->dispose(object);
}

static void aui_joint_card_class_init(AuiJointCardClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/joint_card.ui");
  gtk_widget_class_bind_template_child(widget, AuiJointCard, head);
  gtk_widget_class_bind_template_child(widget, AuiJointCard, title);
  gtk_widget_class_bind_template_child(widget, AuiJointCard, verdict);
  gtk_widget_class_bind_template_child(widget, AuiJointCard, reason);
  gtk_widget_class_bind_template_child(widget, AuiJointCard, parameters);
  gtk_widget_class_bind_template_child(widget, AuiJointCard, figures);
  signals[MARKED] = g_signal_new("marked", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_POINTER);
}

static void aui_joint_card_init(AuiJointCard *self) {
  self->ids = g_array_new(FALSE, FALSE, sizeof(ArmParamId));
  gtk_widget_init_template(GTK_WIDGET(self));
  aui_list_let_tab_out(GTK_WIDGET(self->parameters));
  self->ratio_why = aui_why_new("torque-constant-ratio");
  gtk_box_append(self->head, aui_why_new("parameter-sd"));
  gtk_box_append(self->head, self->ratio_why);
}
