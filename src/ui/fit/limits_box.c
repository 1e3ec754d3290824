/* SPDX-License-Identifier: MIT */
/* One row a limit (core/sweeps/verdict.h): parts in per cent, currents in mA. A number counts a
 * moment after the last key. */
#include "ui/fit/limits_box.h"

#include <glib/gi18n.h>
#include <stddef.h>

#include "ui/kit/lab_limits.h"
#include "ui/kit/spin.h"

enum { PATIENCE_MS = 600, LIMITS = 8 }; /* as page Validate */

static const struct {
  const char *label;
  gsize offset;
  double unit, most; /* what 1 of the screen is; in numbers of the screen */
  guint digits;
} rows[LIMITS] = {
    {/* xgettext:no-c-format */ N_("Gravity misses, % of the current"),
     offsetof(ArmVerdictLimits, gravity_relative), 0.01, 100.0, 2},
    {N_("Gravity misses, times what the fit promises"),
     offsetof(ArmVerdictLimits, gravity_promised_factor), 1.0, 1000.0, 1},
    {/* xgettext:no-c-format */ N_("Turns with the direction, % of friction"),
     offsetof(ArmVerdictLimits, direction_relative), 0.01, 100.0, 1},
    {N_("Turns with the direction, mA"), offsetof(ArmVerdictLimits, direction_A), 1e-3, 1e5, 2},
    {/* xgettext:no-c-format */ N_("Curve over speed, % of friction"),
     offsetof(ArmVerdictLimits, speed_relative), 0.01, 100.0, 1},
    {/* xgettext:no-c-format */ N_("Scatter from sweep to sweep, % of friction"),
     offsetof(ArmVerdictLimits, scatter_relative), 0.01, 100.0, 1},
    {/* xgettext:no-c-format */ N_("Trend over the sweeps, % of friction"),
     offsetof(ArmVerdictLimits, trend_relative), 0.01, 100.0, 1},
    {N_("Explained part of the current, r², at least"), offsetof(ArmVerdictLimits, r2), 1.0, 1.0,
     2},
};

struct _AuiLimitsBox {
  GtkBox parent_instance;
  AseSession *session;
  GtkWidget *spin[LIMITS];
  bool is_filling;
  guint timeout; /* source, 0: none */
};

G_DEFINE_FINAL_TYPE(AuiLimitsBox, aui_limits_box, GTK_TYPE_BOX)

static double *at(ArmVerdictLimits *limits, guint k) {
  return (double *)(void *)((char *)limits + rows[k].offset);
}

static void set_limits(AuiLimitsBox *self, const ArmVerdictLimits *limits) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  edits->misfit = *limits;
  if (ase_edits_difference(edits, ase_session_edits(self->session)))
    ase_session_set_edits(self->session, edits, _("change what is accepted"));
}

/* What nobody touched keeps its last digits. */
static gboolean on_patience(gpointer data) {
  AuiLimitsBox *self = data;
  ArmVerdictLimits limits = ase_session_edits(self->session)->misfit;
  self->timeout = 0;
  for (guint k = 0; k < LIMITS; k++) {
    const double shown = gtk_spin_button_get_value(GTK_SPIN_BUTTON(self->spin[k]));
    if (ABS(shown * rows[k].unit - *at(&limits, k)) > 1e-6 * rows[k].unit)
      *at(&limits, k) = shown * rows[k].unit;
  }
  set_limits(self, &limits);
  return G_SOURCE_REMOVE;
}

static void on_value(AuiLimitsBox *self) {
  if (self->is_filling)
    return;
  g_clear_handle_id(&self->timeout, g_source_remove);
  self->timeout = g_timeout_add(PATIENCE_MS, on_patience, self);
}

static void refresh(AuiLimitsBox *self) {
  ArmVerdictLimits limits = ase_session_edits(self->session)->misfit;
  if (self->timeout)
    return;
  self->is_filling = true;
  for (guint k = 0; k < LIMITS; k++)
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(self->spin[k]), *at(&limits, k) / rows[k].unit);
  self->is_filling = false;
}

static void on_defaults(AuiLimitsBox *self) {
  ArmVerdictLimits limits;
  arm_verdict_limits_default(&limits);
  g_clear_handle_id(&self->timeout, g_source_remove);
  set_limits(self, &limits);
}

static void on_keep(AuiLimitsBox *self) {
  aui_lab_limits_keep(self->session);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiLimitsBox *self = AUI_LIMITS_BOX(object);
  g_clear_handle_id(&self->timeout, g_source_remove);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_limits_box_parent_class)->dispose(object);
}

static void aui_limits_box_class_init(AuiLimitsBoxClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static void add_row(AuiLimitsBox *self, GtkGrid *grid, guint k) {
  GtkWidget *label = gtk_label_new(_(rows[k].label));
  GtkWidget *spin = self->spin[k] =
      gtk_spin_button_new_with_range(0.0, rows[k].most, k == LIMITS - 1 ? 0.05 : 0.1);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_mnemonic_widget(GTK_LABEL(label), spin);
  gtk_spin_button_set_digits(GTK_SPIN_BUTTON(spin), rows[k].digits);
  aui_spin_prepare(GTK_SPIN_BUTTON(spin));
  gtk_accessible_update_property(GTK_ACCESSIBLE(spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _(rows[k].label), -1);
  g_signal_connect_object(spin, "value-changed", G_CALLBACK(on_value), self, G_CONNECT_SWAPPED);
  gtk_grid_attach(grid, label, 0, (int)k, 1, 1);
  gtk_grid_attach(grid, spin, 1, (int)k, 1, 1);
}

static void add_button(AuiLimitsBox *self, GtkWidget *line, const char *label, const char *tooltip,
                       GCallback clicked) {
  GtkWidget *button = gtk_button_new_with_label(label);
  gtk_widget_set_tooltip_text(button, tooltip);
  g_signal_connect_object(button, "clicked", clicked, self, G_CONNECT_SWAPPED);
  gtk_box_append(GTK_BOX(line), button);
}

static void aui_limits_box_init(AuiLimitsBox *self) {
  GtkWidget *expander = gtk_expander_new(_("What is accepted"));
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *grid = gtk_grid_new(), *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *words = gtk_label_new(_("A misfit that is significant is a warning up to these sizes, "
                                     "beyond them an alarm. Each limit belongs to this session, "
                                     "and can be undone."));
  gtk_label_set_xalign(GTK_LABEL(words), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(words), true);
  gtk_widget_set_margin_top(words, 6);
  gtk_grid_set_row_spacing(GTK_GRID(grid), 4);
  gtk_grid_set_column_spacing(GTK_GRID(grid), 12);
  for (guint k = 0; k < LIMITS; k++)
    add_row(self, GTK_GRID(grid), k);
  add_button(self, line, _("Usual limits"), _("The limits that the program comes with"),
             G_CALLBACK(on_defaults));
  add_button(self, line, _("Keep for new sessions"), _("New sessions begin with these limits"),
             G_CALLBACK(on_keep));
  gtk_box_append(GTK_BOX(box), words);
  gtk_box_append(GTK_BOX(box), grid);
  gtk_box_append(GTK_BOX(box), line);
  gtk_expander_set_child(GTK_EXPANDER(expander), box);
  gtk_box_append(GTK_BOX(self), expander);
}

GtkWidget *aui_limits_box_new(AseSession *session) {
  AuiLimitsBox *self = g_object_new(AUI_TYPE_LIMITS_BOX, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}
