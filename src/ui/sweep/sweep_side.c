/* SPDX-License-Identifier: MIT */
/* What the last fit found of the joint on screen, beside its curves: whether this sweep goes as it
 * should is seen before it is over. */
#include "ui/sweep/sweep_side.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "ui/arm/arm_view.h"
#include "ui/fit/parameter_table.h"
#include "ui/kit/format.h"
#include "ui/kit/table.h"
#include "ui/kit/why.h"

enum { POSE_MS = 100, ARM_WIDTH = 230, ARM_HEIGHT = 190 };

struct _AuiSweepSide {
  GtkBox parent_instance;
  AseSession *session;
  guint joint;
  GtkLabel *title, *empty;
  GtkGrid *parameters, *quality;
  AuiArmView *arm;
  double pose[ARM_MAX_JOINTS]; /* that is drawn */
  guint timer;                 /* 0: not visible */
};

G_DEFINE_FINAL_TYPE(AuiSweepSide, aui_sweep_side, GTK_TYPE_BOX)

/* ---- the arm ---- */

static void show_pose(AuiSweepSide *self) {
  const ArmModel *model = &ase_session_arm(self->session)->model;
  double q[ARM_MAX_JOINTS] = {0.0};
  ase_device_last_pose(ase_session_device(self->session), (guint)model->n, q);
  /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): -0 beside 0 only draws again */
  if (memcmp(q, self->pose, sizeof q) == 0)
    return;
  memcpy(self->pose, q, sizeof q);
  aui_arm_view_show(self->arm, model, q);
}

static gboolean on_timer(gpointer data) {
  show_pose(data);
  return G_SOURCE_CONTINUE;
}

/* ---- what was found ---- */

/* Over the columns of the value and of the unit. */
static void put_unknown(GtkGrid *table, int row, const ArmEstimate *e) {
  GtkWidget *label = aui_table_take(table, row, 1, g_strdup(_("not identifiable")), true);
  g_autofree char *why = aui_format_remark(e);
  gtk_widget_set_tooltip_text(label, why);
  GtkLayoutManager *layout = gtk_widget_get_layout_manager(GTK_WIDGET(table));
  GtkLayoutChild *cell = gtk_layout_manager_get_layout_child(layout, label);
  gtk_grid_layout_child_set_column_span(GTK_GRID_LAYOUT_CHILD(cell), 2);
}

static void put_parameter(GtkGrid *table, const ArmParamSet *found, size_t k) {
  const ArmEstimate *e = &found->estimate[k];
  const int row = aui_table_add_row(table);
  aui_table_take(table, row, 0, aui_format_parameter(found, k), false);
  if (!e->identifiable) {
    put_unknown(table, row, e);
    return;
  }
  aui_table_take(table, row, 1, aui_format_estimate(e->value, e->sd), true);
  aui_table_take(table, row, 2, aui_format_unit(arm_param_set_unit_shown(found, k)), false);
}

static void fill_parameters(AuiSweepSide *self, const ArmParamSet *found) {
  aui_table_clear(self->parameters);
  for (size_t k = 0; k < found->n; k++)
    if (found->param[k].id.i + 1 == (int)self->joint && arm_param_set_is_listed(found, k))
      put_parameter(self->parameters, found, k);
}

static void put_figure(GtkGrid *table, int row, char *text) {
  GtkWidget *old = gtk_grid_get_child_at(table, 1, row);
  if (old)
    gtk_grid_remove(table, old);
  aui_table_take(table, row, 1, text, true);
}

static void fill_quality(AuiSweepSide *self, const ArmParamSet *found, guint joint) {
  const ArmJointStatistics *fit = &found->joint[joint - 1];
  g_autofree char *equilibrated = aui_format_number(fit->cond_equilibrated, 3);
  g_autofree char *centred = aui_format_number(fit->cond_centred, 3);
  put_figure(self->quality, 0, g_strdup_printf("%s (%s)", equilibrated, centred));
  put_figure(self->quality, 1, aui_format_residual(found, joint - 1));
  put_figure(self->quality, 2, aui_format_number(fit->r2, 4));
}

static void refresh(AuiSweepSide *self) {
  self->pose[0] = NAN; /* the arm may be another */
  g_auto(ArmParamSet) found = {0};
  const bool has_fit =
      ase_session_found(self->session, &found, NULL) && self->joint <= found.n_joints;
  g_autofree char *title = g_strdup_printf(_("Joint %u"), self->joint);
  gtk_label_set_text(self->title, title);
  gtk_widget_set_visible(GTK_WIDGET(self->empty), !has_fit);
  gtk_widget_set_visible(GTK_WIDGET(self->parameters), has_fit);
  gtk_widget_set_visible(GTK_WIDGET(self->quality), has_fit);
  if (!has_fit)
    return;
  fill_parameters(self, &found);
  fill_quality(self, &found, self->joint);
}

void aui_sweep_side_show(AuiSweepSide *self, guint joint) {
  if (joint == self->joint)
    return;
  self->joint = joint;
  aui_arm_view_mark_joint(self->arm, joint);
  refresh(self);
}

/* ---- the object ---- */

static GtkWidget *new_quality(void) {
  static const char *const names[][2] = {{N_("Condition (centred)"), "condition-number"},
                                         {N_("Residual sd"), "residual-sd"},
                                         {"R\302\262", "r2"}};
  GtkWidget *grid = g_object_new(GTK_TYPE_GRID, "row-spacing", 2, "column-spacing", 12,
                                 "margin-start", 12, "margin-end", 12, NULL);
  for (guint k = 0; k < G_N_ELEMENTS(names); k++) {
    GtkWidget *name = aui_why_label_new(_(names[k][0]), names[k][1]);
    gtk_widget_set_hexpand(name, TRUE);
    gtk_grid_attach(GTK_GRID(grid), name, 0, (int)k, 1, 1);
  }
  return grid;
}

static GtkWidget *new_empty(void) {
  GtkWidget *label = gtk_label_new(_("Nothing is known of this joint yet: after Sweep and Fit its "
                                     "parameters stand here, each with its sd."));
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 28);
  gtk_widget_add_css_class(label, "dim-label");
  return label;
}

static GtkWidget *new_findings(AuiSweepSide *self) {
  const char *const heads[] = {_("Parameter"), _("Value(sd)"), _("Unit"), NULL};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *title = gtk_label_new(NULL), *empty = new_empty(), *quality = new_quality();
  self->title = GTK_LABEL(title);
  self->empty = GTK_LABEL(empty);
  self->quality = GTK_GRID(quality);
  self->parameters = aui_table_new(heads);
  gtk_widget_add_css_class(title, "title-4");
  gtk_label_set_xalign(GTK_LABEL(title), 0.0f);
  gtk_box_append(GTK_BOX(box), title);
  gtk_box_append(GTK_BOX(box), empty);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->parameters));
  gtk_box_append(GTK_BOX(box), quality);
  return box;
}

static void aui_sweep_side_map(GtkWidget *widget) {
  AuiSweepSide *self = AUI_SWEEP_SIDE(widget);
  GTK_WIDGET_CLASS(aui_sweep_side_parent_class)->map(widget);
  self->timer = g_timeout_add(POSE_MS, on_timer, self);
}

static void stop_timer(AuiSweepSide *self) {
  g_clear_handle_id(&self->timer, g_source_remove);
}

static void aui_sweep_side_unmap(GtkWidget *widget) {
  stop_timer(AUI_SWEEP_SIDE(widget));
  GTK_WIDGET_CLASS(aui_sweep_side_parent_class)->unmap(widget);
}

void aui_sweep_side_set_session(AuiSweepSide *self, AseSession *session) {
  self->session = g_object_ref(session);
  self->pose[0] = NAN;
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  self->joint = 1;
  aui_arm_view_mark_joint(self->arm, 1);
  refresh(self);
  show_pose(self);
}

static void aui_sweep_side_dispose(GObject *object) {
  AuiSweepSide *self = AUI_SWEEP_SIDE(object);
  stop_timer(self);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_sweep_side_parent_class)->dispose(object);
}

static void aui_sweep_side_class_init(AuiSweepSideClass *class) {
  G_OBJECT_CLASS(class)->dispose = aui_sweep_side_dispose;
  GTK_WIDGET_CLASS(class)->map = aui_sweep_side_map;
  GTK_WIDGET_CLASS(class)->unmap = aui_sweep_side_unmap;
}

static void aui_sweep_side_init(AuiSweepSide *self) {
  GtkWidget *scroller = gtk_scrolled_window_new();
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 6);
  gtk_widget_set_hexpand(GTK_WIDGET(self), FALSE); /* whatever its parts want */
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), new_findings(self));
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_vexpand(scroller, TRUE);
  gtk_box_append(GTK_BOX(self), scroller);
  self->arm = g_object_new(AUI_TYPE_ARM_VIEW, "content-width", ARM_WIDTH, "content-height",
                           ARM_HEIGHT, NULL);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->arm));
}
