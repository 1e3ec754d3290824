/* SPDX-License-Identifier: MIT */
/* Rows are holds of the joint that is looked at. Adding, copying and leaving out are edits of the
 * plan; the ranges of later holds follow their new numbers (session/edits_plan). */
#include "ui/plan/hold_table.h"

#include <glib/gi18n.h>

#include "ui/arm/arm_edit.h"
#include "ui/kit/cell.h"
#include "ui/kit/format.h"
#include "ui/kit/strip.h"
#include "ui/kit/table.h"
#include "ui/plan/plan_edit.h"

struct _AuiHoldTable {
  AuiCellTable parent_instance;
  AseSession *session; /* kept by the parent */
  GtkLabel *title;
  GtkWidget *add;
  GtkGrid *grid;
  guint joint, holds, joints; /* that the grid shows; joint from 1 */
};

G_DEFINE_FINAL_TYPE(AuiHoldTable, aui_hold_table, AUI_TYPE_CELL_TABLE)

/* ---- cells: rows are holds from 0 ---- */

static char *cell_text(gpointer page, guint hold, guint field) {
  AuiHoldTable *self = page;
  const AseEdits *edits = ase_session_edits(self->session);
  if (!edits->has_plan || !self->joint || hold >= edits->plan.joint[self->joint - 1].n_holds)
    return g_strdup("");
  return aui_hold_text(ase_session_arm(self->session), edits, self->joint - 1, hold, field);
}

static gpointer change(gpointer page, guint hold, guint field, const char *text, GError **error) {
  AuiHoldTable *self = page;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  return aui_hold_set(ase_session_arm(self->session), edits, self->joint - 1, hold, field, text,
                      error)
             ? g_steal_pointer(&edits)
             : NULL;
}

static void take(gpointer page, guint hold, guint field, gconstpointer edits) {
  AuiHoldTable *self = page;
  (void)field;
  ase_session_set_edits(self->session, edits, _("hold"));
  aui_cell_table_choose(self, hold + 1);
}

static void visit(gpointer page, guint hold, guint field) {
  (void)field;
  aui_cell_table_choose(page, hold + 1);
}

static const AuiCells cells = {
    .text = cell_text, .change = change, .take = take, .visit = visit, .tell = aui_cell_table_tell};

/* ---- adding and leaving out ---- */

/* Takes the edits over. */
static void set_edits(AuiHoldTable *self, AseEdits *edits, bool ok, GError *error) {
  if (ok)
    ase_session_set_edits(self->session, edits, _("holds"));
  g_free(edits);
  aui_say_failed(GTK_WIDGET(self), ok, &error);
}

static void add(AuiHoldTable *self, const double *pose) {
  GError *error = NULL;
  AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  const bool ok = ase_edits_add_hold(edits, self->joint, pose, &error);
  const guint hold = (guint)edits->plan.joint[self->joint - 1].n_holds;
  set_edits(self, edits, ok, error);
  if (ok)
    aui_cell_table_choose(self, hold);
}

static void on_copy(AuiHoldTable *self, GtkWidget *button) {
  double pose[ARM_MAX_JOINTS];
  const ArmJointPlan *plan = &ase_session_edits(self->session)->plan.joint[self->joint - 1];
  memcpy(pose, plan->holds[aui_cell_table_row(button) - 1], sizeof pose);
  add(self, pose);
}

static void on_remove(AuiHoldTable *self, GtkWidget *button) {
  GError *error = NULL;
  AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  const bool ok = ase_edits_remove_hold(edits, self->joint, aui_cell_table_row(button), &error);
  set_edits(self, edits, ok, error);
}

/* Where the arm stands now, as far as that is free; without an arm, in the middle. */
static void on_add(AuiHoldTable *self) {
  const AseEdits *edits = ase_session_edits(self->session);
  const AioDescription *d = ase_device_description(ase_session_device(self->session));
  double pose[ARM_MAX_JOINTS] = {0.0};
  const bool is_known =
      d && d->joints == edits->plan.n && ase_device_pose(ase_session_device(self->session), pose);
  for (size_t i = 0; i < edits->plan.n; i++)
    pose[i] = is_known ? CLAMP(pose[i], edits->low[i], edits->high[i])
                       : 0.5 * (edits->low[i] + edits->high[i]);
  add(self, pose);
}

static void on_show(AuiHoldTable *self, GtkWidget *button) {
  aui_cell_table_choose(self, aui_cell_table_row(button));
}

/* ---- the grid ---- */

static void put_button(AuiHoldTable *self, guint hold, int column, const char *icon,
                       const char *name, GCallback on_click) {
  GtkWidget *button = gtk_button_new_from_icon_name(icon);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, name);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  aui_cell_table_set_row(button, hold + 1);
  g_signal_connect_object(button, "clicked", on_click, self, G_CONNECT_SWAPPED);
  gtk_grid_attach(self->grid, button, column, (int)hold + 1, 1, 1);
}

static void put_cell(AuiHoldTable *self, guint hold, int column, guint field, const char *title) {
  /* TRANSLATORS: for screen readers: "Hold 2, joint 5" */
  g_autofree char *name = g_strdup_printf(_("Hold %u, %s"), hold + 1, title);
  gtk_grid_attach(self->grid, aui_cell_new(&cells, self, hold, (guint)field, name, 6), column,
                  (int)hold + 1, 1, 1);
}

static void put_hold(AuiHoldTable *self, guint hold) {
  const AioArm *arm = ase_session_arm(self->session);
  const int n = (int)arm->model.n;
  g_autofree char *number = g_strdup_printf("%u", hold + 1);
  g_autofree char *show = g_strdup_printf(_("Show hold %u in the picture"), hold + 1);
  g_autofree char *copy = g_strdup_printf(_("Copy hold %u"), hold + 1);
  g_autofree char *leave_out = g_strdup_printf(_("Leave hold %u out"), hold + 1);
  gtk_grid_attach(self->grid, gtk_label_new(number), 0, (int)hold + 1, 1, 1);
  for (int i = 0; i < n; i++) {
    g_autofree char *of = aui_joint_text(arm, (size_t)i);
    if (i + 1 != (int)self->joint)
      put_cell(self, hold, i + 1, (guint)i, of);
  }
  put_cell(self, hold, n + 1, AUI_HOLD_FROM, _("free from"));
  put_cell(self, hold, n + 2, AUI_HOLD_TO, _("free to"));
  put_button(self, hold, n + 3, "view-reveal-symbolic", show, G_CALLBACK(on_show));
  put_button(self, hold, n + 4, "edit-copy-symbolic", copy, G_CALLBACK(on_copy));
  put_button(self, hold, n + 5, "list-remove-symbolic", leave_out, G_CALLBACK(on_remove));
}

static void put_head(AuiHoldTable *self, int column, const char *text, const char *tip) {
  GtkWidget *label = gtk_label_new(text);
  gtk_widget_add_css_class(label, "caption-heading");
  gtk_widget_set_tooltip_text(label, tip);
  gtk_grid_attach(self->grid, label, column, 0, 1, 1);
}

static void put_heads(AuiHoldTable *self) {
  const AioArm *arm = ase_session_arm(self->session);
  const int n = (int)arm->model.n;
  put_head(self, 0, _("Hold"), NULL);
  for (int i = 0; i < n; i++) {
    const char *unit = arm->model.joints[i].type == ARM_JOINT_R ? N_("deg") : N_("m");
    /* TRANSLATORS: head of a narrow column: joint NUMBER, UNIT */
    g_autofree char *head = g_strdup_printf(_("j%d, %s"), i + 1, aui_format_unit_name(unit));
    if (i + 1 != (int)self->joint)
      put_head(self, i + 1, head, arm->joints[i].name);
  }
  put_head(self, n + 1, _("Free from"),
           _("How far the sweeping joint may go while the arm is in this hold, where something "
             "stands in the way; empty: as far as elsewhere"));
  put_head(self, n + 2, _("Free to"), NULL);
}

static void rebuild(AuiHoldTable *self) {
  aui_table_empty(self->grid);
  if (self->holds)
    put_heads(self);
  for (guint hold = 0; hold < self->holds; hold++)
    put_hold(self, hold);
}

void aui_hold_table_show(AuiHoldTable *self, guint joint) {
  const AioArm *arm = ase_session_arm(self->session);
  const AseEdits *edits = ase_session_edits(self->session);
  const bool has_joint = joint && edits->has_plan && joint <= edits->plan.n;
  const guint holds = has_joint ? (guint)edits->plan.joint[joint - 1].n_holds : 0;
  const guint n = (guint)arm->model.n;
  const bool has_new_unit = aui_cell_table_has_new_unit(AUI_CELL_TABLE(self));
  g_autofree char *of = has_joint ? aui_joint_text(arm, joint - 1) : NULL;
  g_autofree char *title = of ? g_strdup_printf(_("Holds of %s"), of) : g_strdup("");
  gtk_widget_set_visible(GTK_WIDGET(self), has_joint);
  gtk_label_set_text(self->title, title);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->title), title);
  if (joint != self->joint || holds != self->holds || n != self->joints || has_new_unit) {
    self->joint = joint, self->holds = holds, self->joints = n;
    rebuild(self);
  }
  aui_cells_refresh(GTK_WIDGET(self->grid));
}

/* ---- the object ---- */

static void aui_hold_table_class_init(AuiHoldTableClass *class) {
  (void)class;
}

static void append_head(AuiHoldTable *self) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  self->title = GTK_LABEL(gtk_label_new(""));
  self->add = gtk_button_new_with_label(_("Add a hold"));
  gtk_widget_set_hexpand(GTK_WIDGET(self->title), true);
  gtk_label_set_xalign(self->title, 0.0f);
  gtk_label_set_ellipsize(self->title, PANGO_ELLIPSIZE_END);
  gtk_widget_add_css_class(GTK_WIDGET(self->title), "heading");
  gtk_widget_set_tooltip_text(self->add, _("At the pose where the arm stands now"));
  g_signal_connect_object(self->add, "clicked", G_CALLBACK(on_add), self, G_CONNECT_SWAPPED);
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->title));
  gtk_box_append(GTK_BOX(box), self->add);
  gtk_box_append(GTK_BOX(self), box);
}

static void aui_hold_table_init(AuiHoldTable *self) {
  self->grid = aui_grid_new(4, 4);
  g_object_set(self, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
  append_head(self);
  gtk_box_append(GTK_BOX(self), aui_card_new(GTK_WIDGET(self->grid)));
}

GtkWidget *aui_hold_table_new(AseSession *session) {
  AuiHoldTable *self = aui_cell_table_new(AUI_TYPE_HOLD_TABLE, session);
  self->session = session;
  return GTK_WIDGET(self);
}
