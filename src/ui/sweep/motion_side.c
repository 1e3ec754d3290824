/* SPDX-License-Identifier: MIT */
/* Tables that are filled anew whenever the session changes: nothing of them is kept. Parts of
 * limits are short enough for 1280 pixels; values and limits are in their tooltips. */
#include "ui/sweep/motion_side.h"

#include <glib/gi18n.h>

#include "session/base/text.h"
#include "ui/kit/format.h"
#include "ui/kit/table.h"
#include "ui/sweep/motion_facts.h"

enum { STAGE_CHARS = 34 };

struct _AuiMotionSide {
  GtkBox parent_instance;
  GtkGrid *joints, *stages;
};

G_DEFINE_FINAL_TYPE(AuiMotionSide, aui_motion_side, GTK_TYPE_BOX)

/* ---- joints ---- */

/* "21 of 60 deg/s", the long form of a part of a limit. */
static char *beside(ArmJointType type, double value, double most, bool is_acceleration) {
  const bool turns = type == ARM_JOINT_R;
  const double scale = turns ? aui_format_angle_scale() : 1.0;
  const char *unit =
      turns ? (is_acceleration ? aui_format_unit_name("deg/s²") : aui_format_unit_name("deg/s"))
            : (is_acceleration ? "m/s²" : "m/s");
  g_autofree char *shown = aui_format_number(scale * value, 3);
  g_autofree char *limit = aui_format_number(scale * most, 3);
  /* Translators: a value, its limit, their unit: "21 of 60 deg/s" */
  return g_strdup_printf(_("%s of %s %s"), shown, limit, unit);
}

/* "-90.0 to -67.1 deg" */
static char *way_text(ArmJointType type, const AuiMotionFact *fact) {
  const char *unit = _("m");
  const double scale = type == ARM_JOINT_R ? aui_format_angle(&unit) : 1.0;
  const int decimals = scale == 1.0 ? 3 : 1; /* rad or m, or deg */
  g_autofree char *low = aui_format_fixed(scale * fact->low, decimals);
  g_autofree char *high = aui_format_fixed(scale * fact->high, decimals);
  /* Translators: from, to, unit */
  return fact->high > fact->low ? g_strdup_printf(_("%s to %s %s"), low, high, unit)
                                : g_strdup(_("stays"));
}

static void put_part(GtkGrid *table, int row, int column, double value, double most, char *tip) {
  char *text = most > 0.0 ? g_strdup_printf("%.0f %%", 100.0 * value / most) : g_strdup("-");
  gtk_widget_set_tooltip_text(aui_table_take(table, row, column, text, true), tip);
  g_free(tip);
}

static void put_joint(GtkGrid *table, ArmJointType type, guint j, const AuiMotionFact *fact,
                      const AseRecordingState *state) {
  const int row = aui_table_add_row(table);
  g_autofree char *free = ase_range_text(type, fact->free_low, fact->free_high);
  g_autofree char *tip = g_strdup_printf(_("Declared free: %s"), free);
  aui_table_take(table, row, 0, g_strdup_printf("%u", j + 1), false);
  gtk_widget_set_tooltip_text(aui_table_take(table, row, 1, way_text(type, fact), false), tip);
  put_part(table, row, 2, fact->speed, fact->speed_most,
           beside(type, fact->speed, fact->speed_most, false));
  put_part(table, row, 3, fact->acceleration, fact->acceleration_most,
           beside(type, fact->acceleration, fact->acceleration_most, true));
  aui_table_take(table, row, 4,
                 state->samples ? aui_format_joint(type, state->apart[j]) : g_strdup("-"), true);
}

static void fill_joints(AuiMotionSide *self, AseSession *session) {
  const AseTrajectory *trajectory = ase_session_motion_to_follow(session);
  const ArmModel *model = &ase_session_arm(session)->model;
  AuiMotionFact facts[ARM_MAX_JOINTS];
  ArmMotionLimits limits;
  aui_table_clear(self->joints);
  if (!trajectory || !ase_session_motion_limits(session, &limits, NULL))
    return;
  aui_motion_facts(trajectory, &limits, ase_session_edits(session), facts);
  for (guint j = 0; j < trajectory->cubics->n; j++)
    put_joint(self->joints, model->joints[j].type, j, &facts[j], ase_session_record_state(session));
}

/* ---- what will be done ---- */

static void put_stage(GtkGrid *table, const char *text, double duration_s) {
  const int row = aui_table_add_row(table);
  GtkLabel *label = GTK_LABEL(aui_table_put(table, row, 0, text));
  gtk_label_set_width_chars(label, STAGE_CHARS);
  gtk_label_set_max_width_chars(label, STAGE_CHARS);
  aui_table_take(table, row, 1, aui_format_duration(duration_s), true);
}

static char *fill_stages(AuiMotionSide *self, AseSession *session) {
  AuiMotionStage stages[AUI_MOTION_STAGES];
  g_autoptr(GError) error = NULL;
  g_autoptr(AseItinerary) itinerary = ase_session_preview_motion(session, &error);
  aui_table_clear(self->stages);
  if (!itinerary)
    return ase_session_motion_to_follow(session) ? g_strdup(error->message) : NULL;
  const guint n = aui_motion_stages(itinerary, stages);
  for (guint k = 0; k < n; k++)
    put_stage(self->stages, stages[k].text, ase_session_wall_s(session, stages[k].duration_s));
  return NULL;
}

char *aui_motion_side_show(AuiMotionSide *self, AseSession *session) {
  const bool moves = ase_session_record_state(session)->state == ASE_STATE_RUNNING;
  fill_joints(self, session);
  return moves ? NULL : fill_stages(self, session);
}

/* ---- the object ---- */

static GtkWidget *new_card(GtkGrid *table) {
  GtkWidget *card = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append(GTK_BOX(card), GTK_WIDGET(table));
  gtk_widget_add_css_class(card, "card");
  return card;
}

/* Short as they are, heads stay whole: in some languages each of their letters may end a line. */
static GtkGrid *new_table(const char *const *heads) {
  GtkGrid *table = aui_table_new(heads);
  for (int k = 0; heads[k]; k++)
    gtk_label_set_wrap(GTK_LABEL(gtk_grid_get_child_at(table, k, 0)), false);
  return table;
}

static GtkWidget *new_title(const char *text) {
  GtkWidget *title = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(title), 0.0f);
  gtk_widget_add_css_class(title, "heading");
  return title;
}

static void aui_motion_side_class_init(AuiMotionSideClass *class) {
  (void)class;
}

static void aui_motion_side_init(AuiMotionSide *self) {
  /* Translators: heads of columns, as short as can be: where the joint goes, parts of the limits of
   * its speed and acceleration, how far it was from the motion */
  const char *const heads[] = {_("Joint"), _("Goes"), _("Speed"), _("Accel."), _("Error"), NULL};
  const char *const parts[] = {_("What will be done"), _("takes"), NULL};
  self->joints = new_table(heads);
  self->stages = new_table(parts);
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 6);
  gtk_widget_set_hexpand(GTK_WIDGET(self), FALSE);
  gtk_box_append(GTK_BOX(self), new_title(_("What it takes of each joint's limits")));
  gtk_box_append(GTK_BOX(self), new_card(self->joints));
  gtk_box_append(GTK_BOX(self), new_card(self->stages));
}
