/* SPDX-License-Identifier: MIT */
/* Rows are joints, from the last to the first, in the order in which they are identified. What a
 * fit would know stands beside what was typed, so that an edit is judged where it is made. */
#include "ui/plan/sweep_table.h"

#include <glib/gi18n.h>

#include "io/base/safe_text.h"
#include "session/base/text.h"
#include "ui/arm/arm_edit.h"
#include "ui/kit/cell.h"
#include "ui/kit/format.h"
#include "ui/kit/table.h"
#include "ui/kit/why.h"
#include "ui/plan/plan_edit.h"

struct _AuiSweepTable {
  AuiCellTable parent_instance;
  AseSession *session; /* kept by the parent */
  GtkGrid *grid;
  GtkLabel *figures[ARM_MAX_JOINTS][4]; /* holds, condition, sd, duration */
  guint32 swept;                        /* joints in the grid: bit k = joint k + 1 */
};

G_DEFINE_FINAL_TYPE(AuiSweepTable, aui_sweep_table, AUI_TYPE_CELL_TABLE)

/* ---- cells: rows are joints from 0 ---- */

static char *cell_text(gpointer page, guint joint, guint field) {
  AuiSweepTable *self = page;
  const AseEdits *edits = ase_session_edits(self->session);
  if (!edits->has_plan || joint >= edits->plan.n)
    return g_strdup("");
  return aui_sweep_text(ase_session_arm(self->session), edits, joint, (AuiSweepField)field);
}

static gpointer change(gpointer page, guint joint, guint field, const char *text, GError **error) {
  AuiSweepTable *self = page;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  return aui_sweep_set(ase_session_arm(self->session), edits, joint, (AuiSweepField)field, text,
                       error)
             ? g_steal_pointer(&edits)
             : NULL;
}

static void take(gpointer page, guint joint, guint field, gconstpointer edits) {
  AuiSweepTable *self = page;
  (void)joint, (void)field;
  ase_session_set_edits(self->session, edits, _("sweep"));
}

static const AuiCells cells = {
    .text = cell_text, .change = change, .take = take, .tell = aui_cell_table_tell};

/* ---- the grid ---- */

static void on_toggled(AuiSweepTable *self, GtkToggleButton *button) {
  if (gtk_toggle_button_get_active(button))
    aui_cell_table_choose(self, aui_cell_table_row(button));
}

enum { NAME_CHARS = 24 };

static GtkToggleButton *put_joint(AuiSweepTable *self, guint joint, int row,
                                  GtkToggleButton *group) {
  const AioArm *arm = ase_session_arm(self->session);
  g_autofree char *name = aio_text_visible(arm->joints[joint].name, false);
  g_autofree char *label = g_strdup_printf("%u  %s", joint + 1, name);
  GtkWidget *button = gtk_toggle_button_new_with_label(label);
  GtkLabel *text = GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button)));
  gtk_label_set_ellipsize(text, g_utf8_strlen(label, -1) > NAME_CHARS ? PANGO_ELLIPSIZE_END
                                                                      : PANGO_ELLIPSIZE_NONE);
  gtk_label_set_max_width_chars(text, NAME_CHARS);
  if (g_utf8_strlen(label, -1) > NAME_CHARS)
    gtk_label_set_width_chars(text, NAME_CHARS);
  gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(button), group);
  gtk_label_set_xalign(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(button))), 0.0f);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, _("Show the holds of this joint"));
  aui_cell_table_set_row(button, joint + 1);
  g_signal_connect_object(button, "toggled", G_CALLBACK(on_toggled), self, G_CONNECT_SWAPPED);
  gtk_grid_attach(self->grid, button, 0, row, 1, 1);
  return GTK_TOGGLE_BUTTON(button);
}

static void put_cells(AuiSweepTable *self, guint joint, int row) {
  const AioArm *arm = ase_session_arm(self->session);
  const bool in_degrees = aui_format_angle_scale() != 1.0; /* rad have more digits */
  const struct {
    AuiSweepField field;
    const char *name;
    int column, chars;
  } places[] = {{AUI_SWEEP_FROM, _("sweep from"), 1, in_degrees ? 5 : 7},
                {AUI_SWEEP_TO, _("sweep to"), 2, in_degrees ? 5 : 7},
                {AUI_SWEEP_SPEEDS, _("speeds"), 3, in_degrees ? 14 : 22}};
  g_autofree char *of = aui_joint_text(arm, joint);
  for (gsize k = 0; k < G_N_ELEMENTS(places); k++) {
    g_autofree char *name = g_strdup_printf(C_("joint, field", "%s, %s"), of, places[k].name);
    gtk_grid_attach(self->grid,
                    aui_cell_new(&cells, self, joint, places[k].field, name, places[k].chars),
                    places[k].column, row, 1, 1);
  }
}

static void put_figures(AuiSweepTable *self, guint joint, int row) {
  for (int k = 0; k < 4; k++) {
    GtkWidget *label = gtk_label_new("");
    gtk_label_set_xalign(GTK_LABEL(label), 1.0f);
    gtk_widget_add_css_class(label, "numbers");
    self->figures[joint][k] = GTK_LABEL(label);
    gtk_grid_attach(self->grid, label, 4 + k, row, 1, 1);
  }
}

static GtkWidget *head_new(const char *text, const char *unit, const char *why) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *title = why ? aui_why_label_new(text, why) : gtk_label_new(text);
  GtkWidget *label = why ? gtk_widget_get_first_child(title) : title;
  GtkWidget *small = gtk_label_new(unit);
  gtk_widget_add_css_class(title, "caption-heading");
  gtk_widget_add_css_class(small, "caption");
  gtk_label_set_xalign(GTK_LABEL(small), why ? 1.0f : 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), true); /* "Poses de maintien" */
  gtk_box_append(GTK_BOX(box), title);
  gtk_box_append(GTK_BOX(box), small);
  return box;
}

static void put_heads(AuiSweepTable *self) {
  const AioArm *arm = ase_session_arm(self->session);
  bool slides = false;
  for (size_t i = 0; i < arm->model.n; i++)
    slides = slides || arm->model.joints[i].type == ARM_JOINT_T;
  g_autofree char *unit = aui_arm_field_unit(arm, AUI_ARM_Q_MIN);
  const struct {
    const char *text, *unit, *why;
  } heads[] = {{_("Joint"), "", NULL},
               {_("From"), unit, NULL},
               {_("To"), unit, NULL},
               {_("Speeds"), aui_format_unit_name(slides ? N_("deg/s, mm/s") : N_("deg/s")), NULL},
               {_("Holds"), "", NULL},
               {_("Condition"), "", "condition-number"},
               {_("Gravity sd"), _("mA"), "forecast-sd"},
               {_("Duration"), "", NULL}};
  for (int k = 0; k < (int)G_N_ELEMENTS(heads); k++) {
    GtkWidget *head = head_new(heads[k].text, heads[k].unit, heads[k].why);
    gtk_widget_set_halign(head, k < 4 ? GTK_ALIGN_START : GTK_ALIGN_END);
    gtk_grid_attach(self->grid, head, k, 0, 1, 1);
  }
}

static void rebuild(AuiSweepTable *self, guint32 swept) {
  GtkToggleButton *group = NULL;
  int row = 1;
  aui_table_empty(self->grid);
  self->swept = swept;
  if (swept)
    put_heads(self);
  for (guint joint = ARM_MAX_JOINTS; joint-- > 0;) {
    if (!(swept >> joint & 1))
      continue;
    GtkToggleButton *button = put_joint(self, joint, row, group);
    group = group ? group : button;
    put_cells(self, joint, row);
    put_figures(self, joint, row++);
  }
  if (group)
    gtk_toggle_button_set_active(group, true);
}

/* ---- reading ---- */

static void set_figure(GtkLabel *label, char *text) {
  gtk_label_set_text(label, text);
  g_free(text);
}

/* A joint that gravity never loads has no gravity to be unsure of; of a load that nobody stated
 * nothing is promised. */
static void refresh_gravity(GtkLabel *label, const ArmPlanReport *report, guint joint) {
  const bool is_unknown = report && isnan(report->score[joint]);
  const bool is_none = report && (is_unknown || report->score[joint] == 0.0);
  const ArmReason reason = is_unknown ? ARM_REASON_LOAD_NOT_STATED
                           : is_none  ? report->predicted.joint[joint].w[0].reason
                                      : ARM_REASON_NONE;
  const char *why = is_none ? ase_reason_text(reason) : NULL;
  set_figure(label, !report   ? g_strdup("…")
                    : is_none ? g_strdup("-")
                              : aui_format_number(1e3 * report->score[joint], 3));
  gtk_widget_set_tooltip_text(GTK_WIDGET(label), why);
}

static void refresh_figures(AuiSweepTable *self, guint joint) {
  const ArmPlanReport *report = ase_session_forecast(self->session);
  const ArmJointPlan *plan = &ase_session_plan(self->session)->joint[joint];
  GtkLabel *const *figures = self->figures[joint];
  set_figure(figures[0], g_strdup_printf("%zu", plan->n_holds));
  set_figure(figures[1],
             report ? aui_format_number(report->predicted.joint[joint].cond_equilibrated, 3)
                    : g_strdup("…"));
  refresh_gravity(figures[2], report, joint);
  set_figure(figures[3], report ? aui_format_duration(
                                      ase_session_wall_s(self->session, report->duration_s[joint]))
                                : g_strdup("…"));
}

void aui_sweep_table_refresh(AuiSweepTable *self) {
  const ArmPlan *plan = ase_session_plan(self->session);
  const bool has_new_unit = aui_cell_table_has_new_unit(AUI_CELL_TABLE(self));
  guint32 swept = 0;
  for (size_t i = 0; plan && i < plan->n; i++)
    swept |= (guint32)plan->joint[i].is_swept << i;
  gtk_widget_set_visible(GTK_WIDGET(self), swept != 0);
  if (swept != self->swept || has_new_unit)
    rebuild(self, swept);
  for (guint i = 0; i < ARM_MAX_JOINTS; i++)
    if (swept >> i & 1)
      refresh_figures(self, i);
  aui_cells_refresh(GTK_WIDGET(self->grid));
}

/* ---- the object ---- */

static void aui_sweep_table_class_init(AuiSweepTableClass *class) {
  (void)class;
}

static void aui_sweep_table_init(AuiSweepTable *self) {
  GtkWidget *card;
  self->grid = aui_grid_new(2, 8);
  gtk_widget_set_margin_start(GTK_WIDGET(self->grid), 8); /* joints are buttons, wider than names */
  card = aui_card_new(GTK_WIDGET(self->grid));
  gtk_widget_set_hexpand(card, true);
  gtk_box_append(GTK_BOX(self), card);
}

GtkWidget *aui_sweep_table_new(AseSession *session) {
  AuiSweepTable *self = aui_cell_table_new(AUI_TYPE_SWEEP_TABLE, session);
  self->session = session;
  return GTK_WIDGET(self);
}
