/* SPDX-License-Identifier: MIT */
/* Tables with a cell per number of the arm file. They are filled when they are first looked at,
 * since 32 joints have a thousand cells. */
#include "ui/arm/page_arm.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "ui/arm/arm_edit.h"
#include "ui/arm/arm_view.h"
#include "ui/arm/compare_panel.h"
#include "ui/arm/free_range.h"
#include "ui/kit/ask.h"
#include "ui/kit/cell.h"
#include "ui/kit/format.h"
#include "ui/kit/strip.h"
#include "ui/kit/table.h"

enum { POSE_MS = 100 };
/* Columns of the table of limits that are no numbers of the arm file. */
enum { FREE_FROM = AUI_ARM_COUPLING + ARM_MAX_JOINTS, FREE_TO };

struct _AuiPageArm {
  GtkBox parent_instance;
  AseSession *session;
  GtkLabel *title, *about, *problem;
  GtkStackSwitcher *tables;
  GtkStack *stack; /* of one grid per AuiArmTable */
  GtkBox *compare;
  AuiArmView *view;
  GtkGrid *grids[AUI_ARM_TABLES];
  GtkLabel *pose[ARM_MAX_JOINTS];
  char *shape; /* of the arm that the grids were made for; see shape_of */
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiPageArm, aui_page_arm, GTK_TYPE_BOX)

static const AioArm *arm_of(const AuiPageArm *self) {
  return ase_session_arm(self->session);
}

/* ---- cells ---- */

static bool is_free(guint field) {
  return field == FREE_FROM || field == FREE_TO;
}

static char *cell_text(gpointer page, guint joint, guint field) {
  AuiPageArm *self = page;
  return is_free(field) ? aui_free_text(arm_of(self), ase_session_edits(self->session), joint,
                                        field == FREE_TO)
                        : aui_arm_text(arm_of(self), joint, field);
}

static AseEdits *edits_with(AuiPageArm *self, guint joint, guint field, const char *text,
                            GError **error) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  return aui_free_set(arm_of(self), edits, joint, field == FREE_TO, text, error)
             ? g_steal_pointer(&edits)
             : NULL;
}

/* The edits, or the text of an arm file. */
static gpointer change(gpointer page, guint joint, guint field, const char *text, GError **error) {
  return is_free(field) ? (gpointer)edits_with(page, joint, field, text, error)
                        : aui_arm_changed(arm_of(page), joint, field, text, error);
}

static void take(gpointer page, guint joint, guint field, gconstpointer changed) {
  AuiPageArm *self = page;
  GError *error = NULL;
  (void)joint;
  if (is_free(field))
    ase_session_set_edits(self->session, changed, _("free range"));
  else
    aui_say_failed(GTK_WIDGET(self), ase_session_set_arm(self->session, changed, &error), &error);
}

static void tell(gpointer page, const char *problem) {
  gtk_label_set_text(AUI_PAGE_ARM(page)->problem, problem);
}

static const AuiCells cells = {.text = cell_text, .change = change, .take = take, .tell = tell};

/* ---- tables ---- */

static char *title_of(guint field) {
  if (is_free(field))
    return g_strdup(field == FREE_FROM ? _("Free from") : _("Free to"));
  return aui_arm_field_title(field);
}

static char *unit_of(const AioArm *arm, guint field) {
  return aui_arm_field_unit(arm, is_free(field) ? AUI_ARM_Q_MIN : field);
}

static guint fields_of(const AioArm *arm, AuiArmTable table, guint fields[AUI_ARM_COLUMNS]) {
  const guint n = aui_arm_fields(arm, table, fields);
  if (table != AUI_ARM_LIMITS)
    return n;
  memmove(&fields[4], &fields[2], (n - 2) * sizeof *fields);
  fields[2] = FREE_FROM, fields[3] = FREE_TO;
  return n + 2;
}

static void put_head(GtkGrid *grid, int column, const char *title, const char *unit) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  const char *const texts[] = {title, unit}, *const classes[] = {"heading", "caption"};
  for (int k = 0; k < 2; k++) {
    GtkWidget *label = gtk_label_new(texts[k]);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_widget_add_css_class(label, classes[k]);
    gtk_box_append(GTK_BOX(box), label);
  }
  gtk_grid_attach(grid, box, column, 0, 1, 1);
}

/* Wide enough for what is usually there. */
static int chars_of(guint field) {
  if (field == AUI_ARM_SOURCE)
    return 18;
  if (field == AUI_ARM_ROTOR)
    return 10;
  return field >= AUI_ARM_COUPLING && !is_free(field) ? 9 : 7;
}

static void put_cell(AuiPageArm *self, GtkGrid *grid, guint joint, int column, guint field) {
  const AioArm *arm = arm_of(self);
  if (!is_free(field) && !aui_arm_has(arm, joint, field))
    return;
  g_autofree char *of = aui_joint_text(arm, joint), *title = title_of(field);
  g_autofree char *name = g_strdup_printf(C_("joint, field", "%s, %s"), of, title);
  GtkWidget *cell = aui_cell_new(&cells, self, joint, field, name, chars_of(field));
  gtk_widget_set_hexpand(cell, field == AUI_ARM_SOURCE);
  gtk_grid_attach(grid, cell, column, (int)joint + 1, 1, 1);
}

static void put_joint(AuiPageArm *self, GtkGrid *grid, guint joint, bool has_pose) {
  const AioArm *arm = arm_of(self);
  const bool turns = arm->model.joints[joint].type == ARM_JOINT_R;
  g_autofree char *number = g_strdup_printf("%u", joint + 1);
  gtk_grid_attach(grid, gtk_label_new(number), 0, (int)joint + 1, 1, 1);
  g_autofree char *of = aui_joint_text(arm, joint);
  g_autofree char *name = g_strdup_printf(_("%s, name"), of);
  GtkWidget *cell = aui_cell_new(&cells, self, joint, AUI_ARM_NAME, name, 11);
  gtk_grid_attach(grid, cell, 1, (int)joint + 1, 1, 1);
  aui_table_take(grid, (int)joint + 1, 2, g_strdup(turns ? _("R turns") : _("T slides")), false);
  if (!has_pose)
    return;
  self->pose[joint] = GTK_LABEL(aui_table_take(grid, (int)joint + 1, 3, g_strdup("-"), true));
  gtk_label_set_width_chars(self->pose[joint], 10);
}

static void fill_grid(AuiPageArm *self, AuiArmTable table) {
  const AioArm *arm = arm_of(self);
  const bool has_pose = table == AUI_ARM_LIMITS;
  GtkGrid *grid = self->grids[table];
  guint fields[AUI_ARM_COLUMNS];
  const guint n = fields_of(arm, table, fields);
  aui_table_empty(grid);
  put_head(grid, 1, _("Joint"), "");
  if (has_pose)
    put_head(grid, 3, _("Now"), "");
  for (guint k = 0; k < n; k++) {
    g_autofree char *title = title_of(fields[k]), *unit = unit_of(arm, fields[k]);
    put_head(grid, (int)k + 4, title, unit);
  }
  for (guint joint = 0; joint < arm->model.n; joint++) {
    put_joint(self, grid, joint, has_pose);
    for (guint k = 0; k < n; k++)
      put_cell(self, grid, joint, (int)k + 4, fields[k]);
  }
}

/* What decides which cells and units there are. g_free. */
static char *shape_of(const AioArm *arm) {
  GString *text = g_string_new(aui_format_unit_name("deg"));
  for (size_t i = 0; i < arm->model.n; i++)
    g_string_append_printf(text, "%d%d", arm->model.joints[i].type, arm->joints[i].has_placement);
  return g_string_free(text, FALSE);
}

/* A table is filled when it is first looked at: 32 joints have a thousand cells. */
static void fill_visible(AuiPageArm *self) {
  GtkWidget *visible = gtk_stack_get_visible_child(self->stack);
  for (AuiArmTable table = 0; table < AUI_ARM_TABLES; table++) {
    GtkWidget *grid = GTK_WIDGET(self->grids[table]);
    if (visible && gtk_widget_is_ancestor(grid, visible) && !gtk_widget_get_first_child(grid))
      fill_grid(self, table);
  }
}

static void empty_tables(AuiPageArm *self) {
  for (AuiArmTable table = 0; table < AUI_ARM_TABLES; table++)
    aui_table_empty(self->grids[table]);
  memset(self->pose, 0, sizeof self->pose);
}

static void refresh(AuiPageArm *self) {
  const AioArm *arm = arm_of(self);
  g_autofree char *shape = shape_of(arm);
  if (g_strcmp0(shape, self->shape) != 0) {
    empty_tables(self);
    g_free(self->shape);
    self->shape = g_steal_pointer(&shape);
  }
  for (AuiArmTable table = 0; table < AUI_ARM_TABLES; table++)
    aui_cells_refresh(GTK_WIDGET(self->grids[table]));
  fill_visible(self);
  g_autofree char *name = aio_text_visible(arm->name, false);
  g_autofree char *about = aio_text_visible(arm->description, true);
  gtk_label_set_text(self->title, name);
  gtk_label_set_text(self->about, about);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->about), about);
}

/* ---- the pose ---- */

static void refresh_pose(AuiPageArm *self) {
  const ArmModel *model = &arm_of(self)->model;
  AseDevice *device = ase_session_device(self->session);
  const AioDescription *d = ase_device_description(device);
  double q[ARM_MAX_JOINTS] = {0.0};
  const bool is_known = d && d->joints == model->n && ase_device_pose(device, q);
  if (!is_known) /* the picture stays */
    ase_device_last_pose(device, (guint)model->n, q);
  for (size_t i = 0; i < model->n && self->pose[i]; i++) {
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

/* ---- arm files ---- */

static void on_open(AuiPageArm *self) {
  gtk_widget_activate_action(GTK_WIDGET(self), "session.replace-arm", NULL);
}

static void save_to(GtkWidget *page, const char *path, gpointer data) {
  GError *error = NULL;
  (void)data; /* the dialog has asked before overwriting */
  aui_say_failed(page, aio_arm_save(arm_of(AUI_PAGE_ARM(page)), path, true, &error), &error);
}

static void on_save(AuiPageArm *self) {
  g_autofree char *name = g_strdup_printf("%s.arm.json", arm_of(self)->name);
  g_strdelimit(name, "/\\", '-');
  aui_ask_save(GTK_WIDGET(self), _("Save the arm"), name, ".arm.json", save_to, NULL);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPageArm *self = AUI_PAGE_ARM(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_pointer(&self->shape, g_free);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_ARM);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_page_arm_parent_class)->dispose(object);
}

static void aui_page_arm_class_init(AuiPageArmClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  g_type_ensure(AUI_TYPE_ARM_VIEW);
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_arm.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageArm, title);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, about);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, problem);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, tables);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, stack);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, compare);
  gtk_widget_class_bind_template_child(widget, AuiPageArm, view);
  gtk_widget_class_bind_template_callback(widget, on_check);
  gtk_widget_class_bind_template_callback(widget, on_open);
  gtk_widget_class_bind_template_callback(widget, on_save);
}

static void add_table(AuiPageArm *self, AuiArmTable table, const char *name, const char *title) {
  GtkWidget *scroll = gtk_scrolled_window_new();
  self->grids[table] =
      GTK_GRID(g_object_new(GTK_TYPE_GRID, "row-spacing", 4, "column-spacing", 8, "margin-start",
                            12, "margin-end", 12, "margin-top", 8, "margin-bottom", 8, NULL));
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroll), GTK_WIDGET(self->grids[table]));
  gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scroll), true);
  gtk_stack_add_titled(self->stack, scroll, name, title);
}

static void aui_page_arm_init(AuiPageArm *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  add_table(self, AUI_ARM_LIMITS, "limits", _("Limits"));
  add_table(self, AUI_ARM_DRIVES, "drives", _("Drives"));
  add_table(self, AUI_ARM_GEOMETRY, "geometry", _("Geometry"));
  add_table(self, AUI_ARM_MASSES, "masses", _("Masses"));
  add_table(self, AUI_ARM_COUPLINGS, "coupling", _("Coupling"));
}

GtkWidget *aui_page_arm_new(AseSession *session) {
  AuiPageArm *self = g_object_new(AUI_TYPE_PAGE_ARM, NULL);
  self->session = g_object_ref(session);
  gtk_box_append(self->compare, aui_compare_panel_new(session));
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->stack, "notify::visible-child", G_CALLBACK(fill_visible), self,
                          G_CONNECT_SWAPPED);
  self->timer = g_timeout_add(POSE_MS, on_timer, self);
  refresh(self);
  refresh_pose(self);
  return GTK_WIDGET(self);
}
