/* SPDX-License-Identifier: MIT */
#include "ui/page_arm.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/arm_view.h"
#include "ui/format.h"
#include "ui/strip.h"
#include "ui/table.h"

enum { POSE_MS = 100 };
enum { COLUMN_POSE = 2, COLUMN_FREE_FROM = 4, COLUMN_FREE_TO };

struct _AuiPageArm {
  GtkBox parent_instance;
  AseSession *session;
  GtkLabel *title, *about;
  GtkBox *table_box;
  AuiArmView *view;
  GtkGrid *table;
  GtkSpinButton *low[ARM_MAX_JOINTS], *high[ARM_MAX_JOINTS];
  GtkLabel *pose[ARM_MAX_JOINTS];
  char *shown_digest; /* of the arm in the table */
  bool is_filling;
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiPageArm, aui_page_arm, GTK_TYPE_BOX)

static double unit_of(const ArmJoint *joint) {
  return joint->type == ARM_JOINT_R ? 180.0 / G_PI : 1.0;
}

/* ---- free ranges ---- */

static void on_range(AuiPageArm *self) {
  if (self->is_filling)
    return;
  const ArmModel *model = &ase_session_arm(self->session)->model;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  for (size_t i = 0; i < model->n; i++) {
    const double unit = unit_of(&model->joints[i]);
    edits->low[i] = gtk_spin_button_get_value(self->low[i]) / unit;
    edits->high[i] = gtk_spin_button_get_value(self->high[i]) / unit;
  }
  ase_session_set_edits(self->session, edits, _("free range"));
}

static void fill_ranges(AuiPageArm *self) {
  const ArmModel *model = &ase_session_arm(self->session)->model;
  const AseEdits *edits = ase_session_edits(self->session);
  self->is_filling = true;
  for (size_t i = 0; i < model->n; i++) {
    const double unit = unit_of(&model->joints[i]);
    gtk_spin_button_set_value(self->low[i], unit * edits->low[i]);
    gtk_spin_button_set_value(self->high[i], unit * edits->high[i]);
  }
  self->is_filling = false;
}

/* Within the arm's limits; an R joint without: +-pi, as core/plan.h. */
static GtkSpinButton *range_button(AuiPageArm *self, size_t joint, bool is_high) {
  const ArmJoint *j = &ase_session_arm(self->session)->model.joints[joint];
  const bool turns = j->type == ARM_JOINT_R;
  const double unit = unit_of(j), free = turns ? 180.0 : 0.0;
  const double low = isnan(j->limits.q_min) ? -free : unit * j->limits.q_min;
  const double high = isnan(j->limits.q_max) ? free : unit * j->limits.q_max;
  GtkWidget *button = gtk_spin_button_new_with_range(low, high, turns ? 1.0 : 0.01);
  g_autofree char *name = g_strdup_printf(is_high ? _("Joint %zu: free up to, in %s")
                                                  : _("Joint %zu: free from, in %s"),
                                          joint + 1, turns ? _("degrees") : _("metres"));
  gtk_widget_set_valign(button, GTK_ALIGN_BASELINE);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(button), turns ? 1 : 3);
  gtk_editable_set_width_chars(GTK_EDITABLE(button), 6);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object(button, "value-changed", G_CALLBACK(on_range), self, G_CONNECT_SWAPPED);
  return GTK_SPIN_BUTTON(button);
}

/* ---- the table ---- */

static char *placement_text(const AioArmJoint *joint) {
  if (joint->has_placement)
    return g_strdup_printf(_("xyz %.3g %.3g %.3g m, rpy %.3g %.3g %.3g deg"), joint->xyz[0],
                           joint->xyz[1], joint->xyz[2], joint->rpy[0] * 180.0 / G_PI,
                           joint->rpy[1] * 180.0 / G_PI, joint->rpy[2] * 180.0 / G_PI);
  return g_strdup_printf("\316\262 %.3g\302\260, b %.4g, \316\270 %.3g\302\260, d %.4g",
                         joint->beta * 180.0 / G_PI, joint->b, joint->theta * 180.0 / G_PI,
                         joint->d);
}

static char *gear_text(const ArmJoint *joint) {
  GString *text = g_string_new(joint->n_motors ? "" : "-");
  for (size_t m = 0; m < joint->n_motors; m++) {
    g_autofree char *gear = aui_format_number(joint->motors[m].gear_ratio, 5);
    g_string_append_printf(text, "%s%s%s", m ? ", " : "",
                           joint->motors[m].motor_sign < 0 ? "\342\210\222" : "+", gear);
  }
  return g_string_free(text, FALSE);
}

static char *coupling_text(const ArmModel *model, size_t row) {
  GString *text = g_string_new(NULL);
  for (size_t column = 0; model->has_coupling && column < row; column++)
    if (model->coupling[row][column] != 0.0)
      g_string_append_printf(text, "%sL%zu%zu %.4g", text->len ? ", " : "", row + 1, column + 1,
                             model->coupling[row][column]);
  return g_string_free(g_string_append(text, text->len ? "" : "-"), FALSE);
}

static char *constant_text(const ArmJoint *joint) {
  if (!joint->n_motors || isnan(joint->motors[0].torque_constant_Nm_A))
    return g_strdup("-");
  const ArmMotor *motor = &joint->motors[0];
  return isnan(motor->torque_constant_rel_sd)
             ? g_strdup_printf("%.4g N m/A", motor->torque_constant_Nm_A)
             : g_strdup_printf("%.4g N m/A \302\261 %.0f %%", motor->torque_constant_Nm_A,
                               100.0 * motor->torque_constant_rel_sd);
}

static void fill_row(AuiPageArm *self, const AioArm *arm, size_t i) {
  const ArmJoint *joint = &arm->model.joints[i];
  const AioArmJoint *written = &arm->joints[i];
  const int row = aui_table_add_row(self->table);
  g_autofree char *low = aui_format_joint(joint->type, joint->limits.q_min);
  g_autofree char *high = aui_format_joint(joint->type, joint->limits.q_max);
  aui_table_take(self->table, row, 0, g_strdup_printf("%zu %s", i + 1, written->name), false);
  aui_table_take(self->table, row, 1,
                 g_strdup(joint->type == ARM_JOINT_R ? _("R turns") : _("T slides")), false);
  self->pose[i] = GTK_LABEL(aui_table_take(self->table, row, COLUMN_POSE, g_strdup("-"), true));
  gtk_label_set_width_chars(self->pose[i], 10);
  aui_table_take(self->table, row, 3, g_strdup_printf("%s .. %s", low, high), true);
  self->low[i] = range_button(self, i, false);
  self->high[i] = range_button(self, i, true);
  gtk_grid_attach(self->table, GTK_WIDGET(self->low[i]), COLUMN_FREE_FROM, row, 1, 1);
  gtk_grid_attach(self->table, GTK_WIDGET(self->high[i]), COLUMN_FREE_TO, row, 1, 1);
  aui_table_take(self->table, row, 6, gear_text(joint), true);
  aui_table_take(self->table, row, 7, constant_text(joint), true);
  aui_table_take(self->table, row, 8, coupling_text(&arm->model, i), false);
  aui_table_take(self->table, row, 9, placement_text(written), false);
  GtkWidget *source = aui_table_take(
      self->table, row, 10, g_strdup(written->provenance ? written->provenance : "-"), false);
  gtk_label_set_ellipsize(GTK_LABEL(source), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(source), 40);
  gtk_widget_set_tooltip_text(source, written->provenance);
}

static void fill(AuiPageArm *self) {
  const AioArm *arm = ase_session_arm(self->session);
  aui_table_clear(self->table);
  for (size_t i = 0; i < arm->model.n; i++)
    fill_row(self, arm, i);
  gtk_label_set_text(self->title, arm->name);
  gtk_label_set_text(self->about, arm->description ? arm->description : "");
  g_free(self->shown_digest);
  self->shown_digest = g_strdup(arm->digest);
}

static void refresh(AuiPageArm *self) {
  if (g_strcmp0(self->shown_digest, ase_session_arm(self->session)->digest) != 0)
    fill(self);
  fill_ranges(self);
}

/* ---- the pose ---- */

static void refresh_pose(AuiPageArm *self) {
  const ArmModel *model = &ase_session_arm(self->session)->model;
  const AioDescription *d = ase_device_description(ase_session_device(self->session));
  double q[ARM_MAX_JOINTS] = {0.0};
  const bool is_known =
      d && d->joints == model->n && ase_device_pose(ase_session_device(self->session), q);
  for (size_t i = 0; i < model->n; i++) {
    g_autofree char *text = aui_format_joint(model->joints[i].type, is_known ? q[i] : NAN);
    if (strcmp(text, gtk_label_get_text(self->pose[i])) != 0)
      gtk_label_set_text(self->pose[i], text);
  }
  aui_arm_view_show(self->view, model, q);
}

static gboolean on_timer(gpointer data) {
  if (gtk_widget_get_mapped(data))
    refresh_pose(data);
  return G_SOURCE_CONTINUE;
}

static void on_check(AuiPageArm *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_start(self->session, ASE_STEP_CONFIGURE, &error),
                 &error);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPageArm *self = AUI_PAGE_ARM(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_pointer(&self->shown_digest, g_free);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_ARM);
  G_OBJECT_CLASS(aui_page_arm_parent_class)->dispose(object);
}

static void aui_page_arm_class_init(AuiPageArmClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_ARM_VIEW);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_arm.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageArm, title);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, about);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, table_box);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, view);
  gtk_widget_class_bind_template_callback(widget, on_check);
}

static void aui_page_arm_init(AuiPageArm *self) {
  const char *const heads[] = {
      _("Joint"),     _("Type"),      _("Now"),        _("Limits"),
      _("Free from"), _("Free to"),   _("Sign, gear"), _("Torque constant"),
      _("Coupling"),  _("Placement"), _("Source"),     NULL};
  gtk_widget_init_template(GTK_WIDGET(self));
  self->table = aui_table_new(heads);
  gtk_box_append(self->table_box, GTK_WIDGET(self->table));
}

GtkWidget *aui_page_arm_new(AseSession *session) {
  AuiPageArm *self = g_object_new(AUI_TYPE_PAGE_ARM, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  self->timer = g_timeout_add(POSE_MS, on_timer, self);
  refresh(self);
  refresh_pose(self);
  return GTK_WIDGET(self);
}
