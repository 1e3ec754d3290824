/* SPDX-License-Identifier: MIT */
/* Twice a second, by a timer and not by signals: rates and latencies change with every frame. Texts
 * are set only when they differ, so that a selection in them survives. */
#include "ui/connect/controller_facts.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "session/check.h"
#include "ui/connect/connection.h"
#include "ui/kit/bullets.h"
#include "ui/kit/format.h"
#include "ui/kit/steps.h"
#include "ui/kit/strip.h"
#include "ui/kit/why.h"

enum { FACTS_MS = 500, FACTS = 12 };

struct _AuiControllerFacts {
  GtkBox parent_instance;
  AseSession *session;
  GtkGrid *grid;
  GtkLabel *values[FACTS];
  GtkLabel *none, *verdict, *objections;
  GtkImage *icon;
  GtkWidget *check, *clear, *disconnect, *details;
  guint timer;
};

G_DEFINE_FINAL_TYPE(AuiControllerFacts, aui_controller_facts, GTK_TYPE_BOX)

/* ---- the facts, each as a text that is to be freed ---- */

typedef struct {
  AseSession *session;
  AseDevice *device;
  const AioDescription *d;
  const AioState *state;
  AioStatistics line;
} Seen;

static char *where(const Seen *seen) {
  return aui_connection_text(seen->session);
}

static char *controller(const Seen *seen) {
  return g_strdup(*seen->d->name ? seen->d->name : _("not stated"));
}

static char *serial(const Seen *seen) {
  return g_strdup(*seen->d->serial ? seen->d->serial : _("not stated"));
}

static char *firmware(const Seen *seen) {
  return g_strdup_printf(_("%s, protocol %s"), seen->d->firmware, seen->d->protocol);
}

static char *boots(const Seen *seen) {
  const guint n = seen->d->boot_count;
  return g_strdup_printf(ngettext("%u time, last after: %s", "%u times, last after: %s", n), n,
                         *seen->d->reset_text ? _(seen->d->reset_text) : _("not stated"));
}

static char *state(const Seen *seen) {
  g_autofree char *faults = aio_faults_text(seen->state->faults, seen->state->fault_joints);
  const char *text = aio_device_state_text(seen->state->state);
  return *faults ? g_strdup_printf(C_("state, faults", "%s; %s"), text, faults) : g_strdup(text);
}

static char *chain(const Seen *seen) {
  if (!(seen->d->capabilities & AIO_CAN_ESTOP))
    return g_strdup(_("none: keep a hand at the plug of the drives' supply"));
  return g_strdup(seen->state->is_estop_closed ? _("closed")
                                               : _("open: release the emergency stop button"));
}

static char *supply(const Seen *seen) {
  const double volts = ase_device_supply(seen->device);
  return isnan(volts) ? g_strdup(_("not measured")) : g_strdup_printf(_("%.1f V"), volts);
}

static char *rate(const Seen *seen) {
  return g_strdup_printf(_("%.0f samples/s, %.1f kB/s"), seen->line.samples_per_s,
                         1e-3 * seen->line.bytes_per_s);
}

static char *lost(const Seen *seen) {
  const guint64 unseen = ase_device_samples_not_shown(seen->device);
  if (unseen)
    return g_strdup_printf(_("%.0f samples, %.0f bad frames; %.0f recorded, but not shown"),
                           (double)seen->line.counters.samples_lost,
                           (double)seen->line.counters.frames_bad, (double)unseen);
  return g_strdup_printf(_("%.0f samples, %.0f bad frames"),
                         (double)seen->line.counters.samples_lost,
                         (double)seen->line.counters.frames_bad);
}

static char *round_trip(const Seen *seen) {
  return g_strdup_printf(_("%.1f ms, 1 in 100 above %.1f ms"),
                         1e-6 * (double)seen->line.round_trip_p50_ns,
                         1e-6 * (double)seen->line.round_trip_p99_ns);
}

static char *lease(const Seen *seen) {
  if (!(seen->d->capabilities & AIO_CAN_LEASE))
    return g_strdup(_("none: the arm does not hold by itself when the computer fails"));
  if (ase_device_is_armed(seen->device))
    return g_strdup_printf(_("%u ms"), ase_device_lease_ms(seen->device));
  return g_strdup_printf(_("not armed; the controller allows %u to %u ms"), seen->d->lease_min_ms,
                         seen->d->lease_max_ms);
}

static const struct {
  const char *title, *why; /* why NULL: needs no explanation */
  char *(*text)(const Seen *seen);
} facts[FACTS] = {{N_("Connected to"), NULL, where},
                  {N_("Controller"), NULL, controller},
                  {N_("Serial number"), NULL, serial},
                  {N_("Firmware"), NULL, firmware},
                  {N_("Switched on"), "boot-counter", boots},
                  {N_("State"), NULL, state},
                  {N_("Emergency stop chain"), NULL, chain},
                  {N_("Supply"), NULL, supply},
                  {N_("Rate"), NULL, rate},
                  {N_("Lost"), "loss", lost},
                  {N_("Round trip"), "round-trip", round_trip},
                  {N_("Lease"), "lease", lease}};

static void set_text(GtkLabel *label, const char *text) {
  if (strcmp(gtk_label_get_text(label), text) != 0)
    gtk_label_set_text(label, text);
}

static void refresh_facts(AuiControllerFacts *self) {
  AseDevice *device = ase_session_device(self->session);
  Seen seen = {
      self->session, device, ase_device_description(device), ase_device_state(device), {0}};
  const char *reason = ase_device_reason(device);
  gtk_widget_set_visible(self->details, seen.d != NULL);
  gtk_widget_set_visible(GTK_WIDGET(self->none), !seen.d && !*reason);
  gtk_widget_set_visible(self->clear, seen.d && seen.state->faults);
  gtk_widget_set_visible(self->check, seen.d != NULL);
  gtk_widget_set_visible(self->disconnect, ase_device_link(device) != ASE_LINK_CLOSED);
  if (!seen.d)
    return;
  ase_device_statistics(device, &seen.line);
  for (int k = 0; k < FACTS; k++) {
    g_autofree char *text = facts[k].text(&seen);
    set_text(self->values[k], text);
  }
}

/* ---- what CHECK finds, live ---- */

static GPtrArray *find_objections(AuiControllerFacts *self, const AioDescription *d) {
  const AioArm *arm = ase_session_arm(self->session);
  AseDevice *device = ase_session_device(self->session);
  double q[ARM_MAX_JOINTS] = {0.0}, celsius[ARM_MAX_JOINTS];
  const GArray *params = ase_session_controller_params(self->session);
  GPtrArray *list = ase_check_controller(arm, d);
  if (d->joints != arm->model.n || !ase_device_pose(device, q))
    return list;
  for (guint j = 0; j < d->joints; j++)
    celsius[j] = ase_device_temperature(device, j + 1);
  g_ptr_array_extend_and_steal(list,
                               ase_check_drives(arm, (const AioParam *)params->data, params->len));
  const AseCondition condition = {d, ase_device_state(device), q, celsius};
  GPtrArray *more = ase_check_condition(arm, ase_session_edits(self->session), &condition);
  g_ptr_array_extend_and_steal(list, more);
  return list;
}

static void show_objections(AuiControllerFacts *self, const AioDescription *d) {
  g_autoptr(GPtrArray) list = find_objections(self, d);
  g_autofree char *text = aui_bullets(list);
  set_text(self->objections, text);
  gtk_widget_set_visible(GTK_WIDGET(self->objections), list->len > 0);
}

static void refresh_check(AuiControllerFacts *self) {
  const AioDescription *d = ase_device_description(ase_session_device(self->session));
  g_autofree char *reason = NULL;
  const AseStepState step =
      aui_screen_state(ase_session_procedure(self->session), AUI_SCREEN_CONNECT, &reason);
  gtk_image_set_from_icon_name(self->icon, aui_state_icon(step));
  set_text(self->verdict, reason);
  if (d)
    show_objections(self, d);
  else
    gtk_widget_set_visible(GTK_WIDGET(self->objections), false);
}

static void refresh(AuiControllerFacts *self) {
  refresh_facts(self);
  refresh_check(self);
}

static gboolean on_timer(gpointer data) {
  if (gtk_widget_get_mapped(data))
    refresh(data);
  return G_SOURCE_CONTINUE;
}

/* ---- buttons ---- */

static void on_check(AuiControllerFacts *self) {
  g_autoptr(GError) error = NULL;
  if (!ase_session_start(self->session, ASE_STEP_CHECK, &error))
    set_text(self->verdict, error->message);
}

static void on_clear(AuiControllerFacts *self) {
  ase_device_clear_faults(ase_session_device(self->session));
}

static void on_disconnect(AuiControllerFacts *self) {
  GError *error = NULL;
  aui_say_failed(GTK_WIDGET(self), ase_session_disconnect(self->session, &error), &error);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiControllerFacts *self = AUI_CONTROLLER_FACTS(object);
  g_clear_handle_id(&self->timer, g_source_remove);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_controller_facts_parent_class)->dispose(object);
}

static void aui_controller_facts_class_init(AuiControllerFactsClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

static GtkWidget *label_new(const char *text, const char *css_class) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable(GTK_LABEL(label), true);
  gtk_widget_set_can_focus(label, false);
  gtk_widget_add_css_class(label, css_class);
  return label;
}

static GtkWidget *button_new(AuiControllerFacts *self, const char *label, GCallback on_click) {
  GtkWidget *button = gtk_button_new_with_label(label);
  g_signal_connect_object(button, "clicked", on_click, self, G_CONNECT_SWAPPED);
  return button;
}

static void append_head(AuiControllerFacts *self) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *title = label_new(_("Controller"), "heading");
  self->check = button_new(self, _("Check again"), G_CALLBACK(on_check));
  self->clear = button_new(self, _("Clear faults"), G_CALLBACK(on_clear));
  self->disconnect = button_new(self, _("Disconnect"), G_CALLBACK(on_disconnect));
  gtk_widget_set_hexpand(title, true);
  gtk_box_append(GTK_BOX(box), title);
  gtk_box_append(GTK_BOX(box), self->clear);
  gtk_box_append(GTK_BOX(box), self->check);
  gtk_box_append(GTK_BOX(box), self->disconnect);
  gtk_box_append(GTK_BOX(self), box);
}

static void append_check(AuiControllerFacts *self) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  self->icon = GTK_IMAGE(gtk_image_new());
  self->verdict = GTK_LABEL(label_new("", "body"));
  gtk_widget_set_hexpand(GTK_WIDGET(self->verdict), true);
  self->objections = GTK_LABEL(label_new("", "warning"));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->icon));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->verdict));
  gtk_box_append(GTK_BOX(self), box);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->objections));
}

static GtkWidget *facts_new(AuiControllerFacts *self) {
  GtkWidget *card = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *grid =
      g_object_new(GTK_TYPE_GRID, "row-spacing", 4, "column-spacing", 16, "margin-start", 12,
                   "margin-end", 12, "margin-top", 8, "margin-bottom", 8, NULL);
  for (int k = 0; k < FACTS; k++) {
    GtkWidget *title = facts[k].why ? aui_why_label_new(_(facts[k].title), facts[k].why)
                                    : label_new(_(facts[k].title), "numbers");
    gtk_widget_add_css_class(title, "dim-label");
    self->values[k] = GTK_LABEL(label_new("", "numbers"));
    gtk_widget_set_hexpand(GTK_WIDGET(self->values[k]), true);
    gtk_grid_attach(GTK_GRID(grid), title, 0, k, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), GTK_WIDGET(self->values[k]), 1, k, 1, 1);
  }
  gtk_box_append(GTK_BOX(card), grid);
  gtk_widget_add_css_class(card, "card");
  return card;
}

static void aui_controller_facts_init(AuiControllerFacts *self) {
  g_object_set(self, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 10, NULL);
  append_head(self);
  append_check(self);
  self->none = GTK_LABEL(label_new(_("Not connected: choose the simulator or a port."), "body"));
  self->details = facts_new(self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(self->none));
  gtk_box_append(GTK_BOX(self), self->details);
}

GtkWidget *aui_controller_facts_new(AseSession *session) {
  AuiControllerFacts *self = g_object_new(AUI_TYPE_CONTROLLER_FACTS, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh_check), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(refresh), self,
                          G_CONNECT_SWAPPED);
  self->timer = g_timeout_add(FACTS_MS, on_timer, self);
  refresh(self);
  return GTK_WIDGET(self);
}
