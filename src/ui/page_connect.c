/* SPDX-License-Identifier: MIT */
#include "ui/page_connect.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "ui/connection.h"
#include "ui/format.h"
#include "ui/strip.h"
#include "ui/table.h"

enum { PORTS_S = 1, FACTS_MS = 500 };

struct _AuiPageConnect {
  GtkBox parent_instance;
  AseSession *session;
  AdwActionRow *simulator;
  GtkSpinButton *speed;
  AdwPreferencesGroup *ports_group;
  GtkListBox *ports;
  GtkLabel *problem;
  GtkBox *facts_box;
  GtkGrid *facts;
  char *listed; /* the ports that are shown, as text */
  guint ports_timer, facts_timer;
};

G_DEFINE_FINAL_TYPE(AuiPageConnect, aui_page_connect, GTK_TYPE_BOX)

/* ---- connecting ---- */

static void show_problem(AuiPageConnect *self, const char *text) {
  gtk_label_set_text(self->problem, text);
  gtk_widget_set_visible(GTK_WIDGET(self->problem), *text != '\0');
}

static void tell(AuiPageConnect *self, bool is_done, GError **error) {
  show_problem(self, is_done ? "" : (*error)->message);
  aui_say_failed(GTK_WIDGET(self), is_done, error);
}

static void on_simulate(AuiPageConnect *self) {
  GError *error = NULL;
  const double factor = gtk_spin_button_get_value(self->speed);
  tell(self, aui_connect_simulated(self->session, factor, &error), &error);
}

static void on_disconnect(AuiPageConnect *self) {
  aui_disconnect(self->session);
}

static void on_check(AuiPageConnect *self) {
  GError *error = NULL;
  tell(self, ase_session_start(self->session, ASE_STEP_CHECK, &error), &error);
}

static void on_clear(AuiPageConnect *self) {
  ase_device_clear_faults(ase_session_device(self->session));
}

static void on_port(AuiPageConnect *self, GtkListBoxRow *row) {
  GError *error = NULL;
  const char *id = g_object_get_data(G_OBJECT(row), "port");
  g_autoptr(GPtrArray) ports = aio_ports_list();
  const AioPort *port = id ? aio_ports_find(ports, id, NULL) : NULL;
  if (port)
    tell(self, aui_connect_port(self->session, port, &error), &error);
  else if (id)
    show_problem(self, _("This port was unplugged; plug it in again."));
}

/* ---- the list of ports ---- */

static void append_port(AuiPageConnect *self, const AioPort *port) {
  GtkWidget *row = adw_action_row_new();
  g_autofree char *where =
      port->is_usb ? g_strdup_printf("%s, %s, %04x:%04x %s", port->path, port->manufacturer,
                                     port->vid, port->pid, port->serial)
                   : g_strdup(port->path);
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), false);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), port->description);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), where);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), true);
  g_object_set_data_full(G_OBJECT(row), "port", g_strdup(port->id), g_free);
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 port->description, -1);
  gtk_list_box_append(self->ports, row);
}

static void refresh_ports(AuiPageConnect *self) {
  g_autoptr(GPtrArray) ports = aio_ports_list();
  g_autofree char *text = aio_ports_text(ports);
  GtkListBoxRow *row;
  if (g_strcmp0(text, self->listed) == 0)
    return;
  g_free(self->listed);
  self->listed = g_steal_pointer(&text);
  while ((row = gtk_list_box_get_row_at_index(self->ports, 0)))
    gtk_list_box_remove(self->ports, GTK_WIDGET(row));
  for (guint k = 0; k < ports->len; k++)
    append_port(self, ports->pdata[k]);
  adw_preferences_group_set_description(self->ports_group, ports->len ? NULL : self->listed);
  gtk_widget_set_visible(GTK_WIDGET(self->ports), ports->len > 0);
}

static gboolean on_ports_timer(gpointer data) {
  if (gtk_widget_get_mapped(data))
    refresh_ports(data);
  return G_SOURCE_CONTINUE;
}

/* ---- facts ---- */

static void fact(AuiPageConnect *self, const char *name, char *value) {
  const int row = aui_table_add_row(self->facts);
  aui_table_put(self->facts, row, 0, name);
  gtk_label_set_wrap(GTK_LABEL(aui_table_take(self->facts, row, 1, value, false)), true);
}

static void controller_facts(AuiPageConnect *self, const AioDescription *d) {
  fact(self, _("Controller"), g_strdup_printf("%s %s %s", d->driver, d->name, d->serial));
  fact(self, _("Firmware, protocol"), g_strdup_printf("%s, %s", d->firmware, d->protocol));
  fact(self, _("Switched on"),
       g_strdup_printf(_("%u times, last after %s"), d->boot_count, d->reset_text));
  fact(self, _("Joints"), g_strdup_printf("%u", d->joints));
}

static void state_facts(AuiPageConnect *self, AseDevice *device) {
  const AioState *state = ase_device_state(device);
  g_autofree char *faults = aio_faults_text(state->faults);
  g_autofree char *supply = aui_format_number(ase_device_supply(device), 4);
  fact(self, _("State"), g_strdup(aio_device_state_text(state->state)));
  fact(self, _("Emergency stop chain"),
       g_strdup(state->is_estop_closed ? _("closed") : _("open: the arm cannot be armed")));
  fact(self, _("Faults"), g_strdup(*faults ? faults : _("none")));
  fact(self, _("Supply"), g_strdup_printf("%s V", supply));
}

static void line_facts(AuiPageConnect *self, AseDevice *device) {
  AioStatistics s;
  ase_device_statistics(device, &s);
  fact(self, _("Rate"),
       g_strdup_printf(_("%.0f samples/s, %.1f kB/s"), s.samples_per_s, 1e-3 * s.bytes_per_s));
  fact(self, _("Lost"),
       g_strdup_printf(_("%.0f samples, %.0f bad frames"), (double)s.counters.samples_lost,
                       (double)s.counters.frames_bad));
  fact(self, _("Round trip"),
       g_strdup_printf(_("%.1f ms, 1 in 100 above %.1f ms"), 1e-6 * (double)s.round_trip_p50_ns,
                       1e-6 * (double)s.round_trip_p99_ns));
}

static void refresh_facts(AuiPageConnect *self) {
  AseDevice *device = ase_session_device(self->session);
  const AioDescription *d = ase_device_description(device);
  aui_table_clear(self->facts);
  if (!d) {
    const char *reason = ase_device_reason(device);
    fact(self, _("Not connected"),
         g_strdup(*reason ? reason : _("choose the simulator or a port")));
    return;
  }
  controller_facts(self, d);
  state_facts(self, device);
  line_facts(self, device);
}

static gboolean on_facts_timer(gpointer data) {
  if (gtk_widget_get_mapped(data))
    refresh_facts(data);
  return G_SOURCE_CONTINUE;
}

static void refresh(AuiPageConnect *self) {
  g_autofree char *title =
      g_strdup_printf(_("Simulated arm: %s"), ase_session_arm(self->session)->name);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->simulator), title);
  refresh_facts(self);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPageConnect *self = AUI_PAGE_CONNECT(object);
  g_clear_handle_id(&self->ports_timer, g_source_remove);
  g_clear_handle_id(&self->facts_timer, g_source_remove);
  g_clear_pointer(&self->listed, g_free);
  g_clear_object(&self->session);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_CONNECT);
  G_OBJECT_CLASS(aui_page_connect_parent_class)->dispose(object);
}

static void aui_page_connect_class_init(AuiPageConnectClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_connect.ui");
  gtk_widget_class_bind_template_child(widget, AuiPageConnect, simulator);
  gtk_widget_class_bind_template_child(widget, AuiPageConnect, speed);
  gtk_widget_class_bind_template_child(widget, AuiPageConnect, ports_group);
  gtk_widget_class_bind_template_child(widget, AuiPageConnect, ports);
  gtk_widget_class_bind_template_child(widget, AuiPageConnect, problem);
  gtk_widget_class_bind_template_child(widget, AuiPageConnect, facts_box);
  gtk_widget_class_bind_template_callback(widget, on_simulate);
  gtk_widget_class_bind_template_callback(widget, on_disconnect);
  gtk_widget_class_bind_template_callback(widget, on_check);
  gtk_widget_class_bind_template_callback(widget, on_clear);
  gtk_widget_class_bind_template_callback(widget, on_port);
}

static void aui_page_connect_init(AuiPageConnect *self) {
  const char *const heads[] = {NULL};
  gtk_widget_init_template(GTK_WIDGET(self));
  self->facts = aui_table_new(heads);
  gtk_box_append(self->facts_box, GTK_WIDGET(self->facts));
}

GtkWidget *aui_page_connect_new(AseSession *session) {
  AuiPageConnect *self = g_object_new(AUI_TYPE_PAGE_CONNECT, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  self->ports_timer = g_timeout_add_seconds(PORTS_S, on_ports_timer, self);
  self->facts_timer = g_timeout_add(FACTS_MS, on_facts_timer, self);
  refresh_ports(self);
  refresh(self);
  return GTK_WIDGET(self);
}
