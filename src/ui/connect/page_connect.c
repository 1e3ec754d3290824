/* SPDX-License-Identifier: MIT */
/* Ports are listed again every second: what is plugged in appears by itself, and a device that was
 * pulled is recognised by its serial number. What went wrong is told with its remedy
 * (ui/kit/trouble). */
#include "ui/connect/page_connect.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <stdlib.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "io/link/tty_permission.h"
#include "ui/connect/connection.h"
#include "ui/connect/controller_facts.h"
#include "ui/connect/recent_devices.h"
#include "ui/connect/recent_list.h"
#include "ui/kit/list_keys.h"
#include "ui/kit/strip.h"
#include "ui/kit/trouble.h"

enum { PORTS_S = 1 };
static const guint rates[] = {1000000, 921600, 460800, 230400, 115200, 57600};

struct _AuiPageConnect {
  GtkBox parent_instance;
  AseSession *session;
  AdwActionRow *simulator;
  GtkSpinButton *speed;
  AdwPreferencesGroup *ports_group, *recent_group;
  GtkListBox *ports, *recent;
  GtkDropDown *baud;
  GtkStringList *rates; /* borrowed from it */
  GtkEditable *path;
  GtkBox *trouble, *ways, *facts_box;
  GtkLabel *what, *remedy, *details;
  GtkButton *cure;
  AuiCure cure_kind;
  char *tried, *awaited; /* id or path tried last; to be connected when it is there, NULL: none */
  char *listed;          /* ports and devices that are shown, as text */
  bool was_ready;
  guint ports_timer;
};

G_DEFINE_FINAL_TYPE(AuiPageConnect, aui_page_connect, GTK_TYPE_BOX)

/* ---- what went wrong ---- */

/* NULL: no command would help. g_free. */
static char *permission_command(AuiPageConnect *self) {
  g_autoptr(GPtrArray) ports = aio_ports_list();
  const AioPort *port = self->tried ? aio_ports_find(ports, self->tried, NULL) : NULL;
  return self->tried ? aio_tty_permission_command(port ? port->path : self->tried) : NULL;
}

static bool has_cure(AuiPageConnect *self, AuiCure cure) {
  g_autofree char *command = cure == AUI_CURE_COPY ? permission_command(self) : NULL;
  return cure != AUI_CURE_NONE && (cure != AUI_CURE_COPY || command);
}

static void show_trouble(AuiPageConnect *self, const GError *error) {
  AuiTrouble trouble = {"", "", AUI_CURE_NONE, ""};
  if (error)
    aui_trouble_of(error, &trouble);
  gtk_label_set_text(self->what, trouble.what);
  gtk_label_set_text(self->remedy, trouble.remedy);
  gtk_label_set_text(self->details, error ? error->message : "");
  gtk_button_set_label(self->cure, trouble.button);
  gtk_widget_set_visible(GTK_WIDGET(self->cure), has_cure(self, trouble.cure));
  gtk_widget_set_sensitive(GTK_WIDGET(self->cure), true);
  gtk_widget_set_visible(GTK_WIDGET(self->trouble), error != NULL);
  self->cure_kind = trouble.cure;
}

static void tell(AuiPageConnect *self, bool is_done, GError **error) {
  show_trouble(self, is_done ? NULL : *error);
  aui_say_failed(GTK_WIDGET(self), is_done, error);
}

/* A refusal for the arm's sake is no trouble with a port. */
static bool may_connect(AuiPageConnect *self) {
  GError *error = NULL;
  show_trouble(self, NULL);
  return aui_say_failed(GTK_WIDGET(self), ase_session_may_connect(self->session, &error), &error);
}

/* The port is open, but what is there does not answer; or it does, and says how fast it is. */
static void on_device(AuiPageConnect *self) {
  AseDevice *device = ase_session_device(self->session);
  const AseLinkState link = ase_device_link(device);
  g_autoptr(GError) error = NULL;
  if (link == ASE_LINK_FAILED || link == ASE_LINK_LOST)
    error =
        g_error_new_literal(AIO_ERROR, link == ASE_LINK_LOST ? AIO_ERROR_GONE : AIO_ERROR_TIMEOUT,
                            ase_device_reason(device));
  if (error || link == ASE_LINK_READY)
    show_trouble(self, error);
  if (link == ASE_LINK_LOST) /* it is being looked for by itself */
    gtk_widget_set_visible(GTK_WIDGET(self->cure), false);
  if (link == ASE_LINK_READY && !self->was_ready)
    gtk_spin_button_set_value(self->speed, ase_device_description(device)->time_factor);
  self->was_ready = link == ASE_LINK_READY;
}

/* ---- connecting ---- */

static guint chosen_baud(AuiPageConnect *self) {
  GtkStringObject *chosen = gtk_drop_down_get_selected_item(self->baud);
  return (guint)g_ascii_strtoull(gtk_string_object_get_string(chosen), NULL, 10);
}

static void append_rate(AuiPageConnect *self, guint baud) {
  g_autofree char *text = g_strdup_printf("%u", baud);
  gtk_string_list_append(self->rates, text);
}

/* A rate that is not in the list, as of a servo bus, is one more of it. */
static void choose_baud(AuiPageConnect *self, guint baud) {
  g_autofree char *text = g_strdup_printf("%u", baud);
  const guint n = g_list_model_get_n_items(G_LIST_MODEL(self->rates));
  guint k = 0;
  while (k < n && strcmp(gtk_string_list_get_string(self->rates, k), text) != 0)
    k++;
  if (k == n)
    append_rate(self, baud);
  gtk_drop_down_set_selected(self->baud, k);
}

static void on_simulate(AuiPageConnect *self) {
  GError *error = NULL;
  const double factor = gtk_spin_button_get_value(self->speed);
  if (!may_connect(self))
    return;
  tell(self, aui_connect_simulated(self->session, factor, &error), &error);
}

static bool connect_listed(AuiPageConnect *self, const AioPort *port, GError **error) {
  const guint baud = chosen_baud(self);
  if (!aui_connect_port(self->session, port, baud, error))
    return false;
  aui_recent_devices_add(port->id, port->is_usb ? port->description : port->path, baud);
  return true;
}

/* By what a device is remembered by, or else by its path. */
static void connect_to(AuiPageConnect *self, const char *id) {
  GError *error = NULL;
  g_autoptr(GPtrArray) ports = aio_ports_list();
  g_autofree char *wanted = g_strdup(id);
  const AioPort *port = aio_ports_find(ports, wanted, NULL);
  g_clear_pointer(&self->awaited, g_free);
  if (!may_connect(self))
    return;
  g_free(self->tried);
  self->tried = g_strdup(wanted);
  if (port || wanted[0] == '/') {
    const bool ok = port ? connect_listed(self, port, &error)
                         : aui_connect_path(self->session, wanted, chosen_baud(self), &error);
    tell(self, ok, &error);
  } else {
    aio_ports_set_missing(&error, wanted);
    tell(self, false, &error);
  }
}

static void on_port(AuiPageConnect *self, GtkListBoxRow *row) {
  const char *id = g_object_get_data(G_OBJECT(row), "port");
  const guint baud = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(row), "baud"));
  if (baud)
    choose_baud(self, baud);
  if (id)
    connect_to(self, id);
}

static void on_path(AuiPageConnect *self) {
  g_autofree char *path = g_strstrip(g_strdup(gtk_editable_get_text(self->path)));
  if (*path)
    connect_to(self, path);
}

static void await_port(AuiPageConnect *self) {
  gtk_widget_set_sensitive(GTK_WIDGET(self->cure), false);
  g_free(self->awaited);
  self->awaited = g_strdup(self->tried);
  gtk_button_set_label(self->cure, _("Waiting for it…"));
}

static void copy_command(AuiPageConnect *self) {
  g_autofree char *command = permission_command(self);
  gtk_widget_set_sensitive(GTK_WIDGET(self->cure), false);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(self)), command);
  gtk_button_set_label(self->cure, _("Copied"));
}

static void on_cure(AuiPageConnect *self) {
  if (!self->tried)
    return;
  if (self->cure_kind == AUI_CURE_RETRY)
    connect_to(self, self->tried);
  else if (self->cure_kind == AUI_CURE_WAIT)
    await_port(self);
  else
    copy_command(self);
}

/* ---- the lists ---- */

static GtkWidget *row_new(const char *title, const char *subtitle, const char *id, guint baud) {
  GtkWidget *row = adw_action_row_new();
  GtkWidget *arrow = gtk_image_new_from_icon_name("go-next-symbolic");
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), false);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), title);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), arrow);
  gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(row), true);
  g_object_set_data_full(G_OBJECT(row), "port", g_strdup(id), g_free);
  g_object_set_data(G_OBJECT(row), "baud", GUINT_TO_POINTER(baud));
  gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, subtitle, -1);
  return row;
}

static void append_port(AuiPageConnect *self, const AioPort *port) {
  g_autofree char *usb =
      port->is_usb ? g_strdup_printf("%s · %s · %04x:%04x · %s", port->path, port->manufacturer,
                                     port->vid, port->pid, port->serial)
                   : g_strdup(_("serial port of this computer"));
  gtk_list_box_append(self->ports,
                      row_new(port->is_usb ? port->description : port->path, usb, port->id, 0));
}

static void append_recent(AuiPageConnect *self, const AuiRecentDevice *device,
                          const GPtrArray *ports) {
  const AioPort *port = aio_ports_find(ports, device->id, NULL);
  g_autofree char *where =
      port ? g_strdup_printf(_("%s · %s · %u baud"), device->id, port->path, device->baud)
           : g_strdup_printf(_("%s · not plugged in"), device->id);
  gtk_list_box_append(self->recent, row_new(device->title, where, device->id, device->baud));
}

static void clear(GtkListBox *list) {
  GtkListBoxRow *row;
  while ((row = gtk_list_box_get_row_at_index(list, 0)))
    gtk_list_box_remove(list, GTK_WIDGET(row));
}

static void fill_lists(AuiPageConnect *self, const GPtrArray *ports, const GPtrArray *recent) {
  clear(self->ports);
  clear(self->recent);
  for (guint k = 0; k < ports->len; k++)
    append_port(self, ports->pdata[k]);
  for (guint k = 0; k < recent->len; k++)
    append_recent(self, recent->pdata[k], ports);
  gtk_widget_set_visible(GTK_WIDGET(self->ports), ports->len > 0);
  gtk_widget_set_visible(GTK_WIDGET(self->recent_group), recent->len > 0);
  adw_preferences_group_set_description(
      self->ports_group,
      ports->len ? NULL
                 : _("None is there. Plug the controller's cable in; it then appears here."));
}

static void refresh_lists(AuiPageConnect *self) {
  g_autoptr(GPtrArray) ports = aio_ports_list(), recent = aui_recent_devices();
  g_autofree char *there = aio_ports_text(ports);
  g_autoptr(GString) text = g_string_new(there);
  for (guint k = 0; k < recent->len; k++)
    g_string_append_printf(text, "\n%s", ((const AuiRecentDevice *)recent->pdata[k])->id);
  if (g_strcmp0(text->str, self->listed) == 0)
    return;
  g_free(self->listed);
  self->listed = g_strdup(text->str);
  fill_lists(self, ports, recent);
}

/* What was waited for is there again. */
static void connect_awaited(AuiPageConnect *self) {
  g_autoptr(GPtrArray) ports = aio_ports_list();
  if (!self->awaited)
    return;
  if (aio_ports_find(ports, self->awaited, NULL) ||
      (self->awaited[0] == '/' && g_file_test(self->awaited, G_FILE_TEST_EXISTS)))
    connect_to(self, self->awaited);
}

static gboolean on_ports_timer(gpointer data) {
  AuiPageConnect *self = data;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    refresh_lists(self);
  connect_awaited(self);
  return G_SOURCE_CONTINUE;
}

static void refresh(AuiPageConnect *self) {
  g_autofree char *name = aio_text_visible(ase_session_arm(self->session)->name, false);
  g_autofree char *title = g_strdup_printf(_("Simulated arm: %s"), name);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->simulator), title);
}

/* ---- the object ---- */

static void dispose(GObject *object) {
  AuiPageConnect *self = AUI_PAGE_CONNECT(object);
  g_clear_handle_id(&self->ports_timer, g_source_remove);
  g_clear_pointer(&self->listed, g_free);
  g_clear_pointer(&self->tried, g_free);
  g_clear_pointer(&self->awaited, g_free);
  gtk_widget_dispose_template(GTK_WIDGET(self), AUI_TYPE_PAGE_CONNECT);
  g_clear_object(&self->session);
  G_OBJECT_CLASS(aui_page_connect_parent_class)->dispose(object);
}

static void aui_page_connect_class_init(AuiPageConnectClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_set_template_from_resource(widget, "/org/armature/Armature/page_connect.ui");
#define BIND(child) gtk_widget_class_bind_template_child(widget, AuiPageConnect, child)
  BIND(simulator), BIND(speed), BIND(ports_group), BIND(recent_group), BIND(ports), BIND(recent);
  BIND(baud), BIND(path), BIND(trouble), BIND(what), BIND(remedy), BIND(details), BIND(cure);
  BIND(ways), BIND(facts_box);
#undef BIND
  gtk_widget_class_bind_template_callback(widget, on_simulate);
  gtk_widget_class_bind_template_callback(widget, on_port);
  gtk_widget_class_bind_template_callback(widget, on_path);
  gtk_widget_class_bind_template_callback(widget, on_cure);
}

static void aui_page_connect_init(AuiPageConnect *self) {
  gtk_widget_init_template(GTK_WIDGET(self));
  g_autoptr(GtkStringList) list = gtk_string_list_new(NULL);
  gtk_drop_down_set_model(self->baud, G_LIST_MODEL(list));
  self->rates = list;
  for (guint k = 0; k < G_N_ELEMENTS(rates); k++)
    append_rate(self, rates[k]);
  aui_list_let_tab_out(GTK_WIDGET(self->ports));
  aui_list_let_tab_out(GTK_WIDGET(self->recent));
}

/* A session that is only read has no arm. */
static void offer_means(AuiPageConnect *self) {
  const bool may_connect = !ase_session_is_read_only(self->session);
  gtk_widget_set_sensitive(GTK_WIDGET(self->simulator), may_connect);
  gtk_widget_set_sensitive(GTK_WIDGET(self->recent_group), may_connect);
  gtk_widget_set_sensitive(GTK_WIDGET(self->ports_group), may_connect);
}

GtkWidget *aui_page_connect_new(AseSession *session) {
  AuiPageConnect *self = g_object_new(AUI_TYPE_PAGE_CONNECT, NULL);
  self->session = g_object_ref(session);
  gtk_box_append(self->facts_box, aui_controller_facts_new(session));
  gtk_box_append(self->ways, aui_recent_list_new(ase_session_path(session)));
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(on_device), self,
                          G_CONNECT_SWAPPED);
  self->ports_timer = g_timeout_add_seconds(PORTS_S, on_ports_timer, self);
  refresh_lists(self);
  refresh(self);
  choose_baud(self, aui_connection_baud(session));
  offer_means(self);
  return GTK_WIDGET(self);
}
