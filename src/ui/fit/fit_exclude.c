/* SPDX-License-Identifier: MIT */
/* What dragging means, and the same by keyboard. A range is of positions of the runs that are
 * shown; what it does to the fit is the session's. */
#include "ui/fit/fit_exclude.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/strip.h"

struct _AuiFitExclude {
  GtkBox parent_instance;
  AseSession *session;
  const AseShown *shown;
  GtkToggleButton *exclude, *restore;
  GtkAdjustment *from, *to;
  GtkLabel *unit, *meant;
  GtkButton *undo, *redo;
};

G_DEFINE_FINAL_TYPE(AuiFitExclude, aui_fit_exclude, GTK_TYPE_BOX)

enum { MODE_CHANGED, SIGNALS };
static guint signals[SIGNALS];

/* ---- edits ---- */

typedef bool (*Edit)(AseEdits *edits, const AseExclusion *range, GError **error);

/* Of every sweep that is shown. */
static bool edit_shown(const AseShown *shown, AseEdits *edits, Edit edit, AseExclusion range,
                       GError **error) {
  const GPtrArray *runs = shown->data->joint[shown->joint - 1].runs;
  for (guint k = 0; k < runs->len; k++) {
    range.run = ((const AseSweptRun *)runs->pdata[k])->id;
    if (ase_shows_run(shown, k) && !edit(edits, &range, error))
      return false;
  }
  return true;
}

static void edit_range(AuiFitExclude *self, double low, double high, bool restores) {
  const char *unit;
  const double scale = aui_fit_scale(self->shown, &unit);
  const AseExclusion range = {.q_low = fmin(low, high) / scale,
                              .q_high = fmax(low, high) / scale,
                              .direction = self->shown->direction};
  GError *error = NULL;
  if (!self->shown->data)
    return;
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(self->session), sizeof *edits);
  const bool is_done = edit_shown(self->shown, edits,
                                  restores ? ase_edits_restore : ase_edits_exclude, range, &error);
  if (aui_say_failed(GTK_WIDGET(self), is_done, &error))
    ase_session_set_edits(self->session, edits,
                          restores ? _("restore samples") : _("exclude samples"));
}

void aui_fit_exclude_range(AuiFitExclude *self, double low, double high) {
  edit_range(self, low, high, gtk_toggle_button_get_active(self->restore));
}

bool aui_fit_exclude_is_selecting(AuiFitExclude *self) {
  return gtk_toggle_button_get_active(self->exclude) || gtk_toggle_button_get_active(self->restore);
}

/* ---- controls ---- */

static void on_mode(AuiFitExclude *self) {
  g_signal_emit(self, signals[MODE_CHANGED], 0);
}

static void on_exclude_range(AuiFitExclude *self) {
  edit_range(self, gtk_adjustment_get_value(self->from), gtk_adjustment_get_value(self->to), false);
}

static void on_restore_range(AuiFitExclude *self) {
  edit_range(self, gtk_adjustment_get_value(self->from), gtk_adjustment_get_value(self->to), true);
}

static void on_undo(AuiFitExclude *self) {
  ase_session_undo(self->session);
}

static void on_redo(AuiFitExclude *self) {
  ase_session_redo(self->session);
}

static char *meant_text(const AseShown *shown) {
  const char *const direction = shown->direction > 0   ? _("forward only")
                                : shown->direction < 0 ? _("backward only")
                                                       : _("both directions");
  const GPtrArray *runs = shown->data ? shown->data->joint[shown->joint - 1].runs : NULL;
  if (!shown->run || !runs)
    return g_strdup_printf(_("All sweeps of joint %u, %s"), shown->joint, direction);
  g_autofree char *run = aui_fit_run_text(shown, runs->pdata[shown->run - 1]);
  return g_strdup_printf(_("Joint %u, %s, %s"), shown->joint, run, direction);
}

/* Positions of the runs that are shown, joint side; false: none is. */
static bool range_of_shown(const AseShown *shown, double *low, double *high) {
  const GPtrArray *runs = shown->data ? shown->data->joint[shown->joint - 1].runs : NULL;
  *low = INFINITY;
  *high = -INFINITY;
  for (guint k = 0; runs && k < runs->len; k++) {
    const AseSweptRun *run = runs->pdata[k];
    *low = ase_shows_run(shown, k) ? fmin(*low, run->low) : *low;
    *high = ase_shows_run(shown, k) ? fmax(*high, run->high) : *high;
  }
  return *high > *low;
}

static void offer(GtkAdjustment *adjustment, double value, double low, double high) {
  gtk_adjustment_configure(adjustment, value, low, high, (high - low) / 100.0, (high - low) / 10.0,
                           0.0);
}

/* The spin rows begin with the whole range of what is shown. */
static void on_open(AuiFitExclude *self) {
  const char *unit;
  const double scale = aui_fit_scale(self->shown, &unit);
  double low, high;
  if (!range_of_shown(self->shown, &low, &high))
    return;
  g_autofree char *meant = meant_text(self->shown);
  gtk_label_set_text(self->meant, meant);
  gtk_label_set_text(self->unit, unit);
  offer(self->from, scale * low, scale * low, scale * high);
  offer(self->to, scale * high, scale * low, scale * high);
}

static void show_undo(GtkButton *button, bool is_possible, char *text) {
  gtk_widget_set_sensitive(GTK_WIDGET(button), is_possible);
  gtk_widget_set_tooltip_text(GTK_WIDGET(button), text);
  g_free(text);
}

static void refresh(AuiFitExclude *self) {
  const char *what = NULL;
  const bool can_undo = ase_session_can_undo(self->session, &what);
  /* Translators: %s is what was done, "exclude samples" */
  show_undo(self->undo, can_undo, can_undo ? g_strdup_printf(_("Undo: %s"), what) : NULL);
  const bool can_redo = ase_session_can_redo(self->session, &what);
  show_undo(self->redo, can_redo, can_redo ? g_strdup_printf(_("Redo: %s"), what) : NULL);
}

/* ---- the object ---- */

GtkWidget *aui_fit_exclude_new(AseSession *session, const AseShown *shown) {
  AuiFitExclude *self = g_object_new(AUI_TYPE_FIT_EXCLUDE, NULL);
  self->session = g_object_ref(session);
  self->shown = shown;
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  gtk_widget_set_sensitive(GTK_WIDGET(self), !ase_session_is_read_only(session));
  refresh(self);
  return GTK_WIDGET(self);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_FIT_EXCLUDE(object)->session);
  gtk_widget_dispose_template(GTK_WIDGET(object), AUI_TYPE_FIT_EXCLUDE);
  G_OBJECT_CLASS(aui_fit_exclude_parent_class)->dispose(object);
}

static void aui_fit_exclude_class_init(AuiFitExcludeClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/fit_exclude.ui");
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, exclude);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, restore);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, from);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, to);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, unit);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, meant);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, undo);
  gtk_widget_class_bind_template_child(widget, AuiFitExclude, redo);
  gtk_widget_class_bind_template_callback(widget, on_mode);
  gtk_widget_class_bind_template_callback(widget, on_open);
  gtk_widget_class_bind_template_callback(widget, on_exclude_range);
  gtk_widget_class_bind_template_callback(widget, on_restore_range);
  gtk_widget_class_bind_template_callback(widget, on_undo);
  gtk_widget_class_bind_template_callback(widget, on_redo);
  signals[MODE_CHANGED] = g_signal_new("mode-changed", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void aui_fit_exclude_init(AuiFitExclude *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
}
