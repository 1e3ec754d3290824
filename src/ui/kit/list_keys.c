/* SPDX-License-Identifier: MIT */
#include "ui/kit/list_keys.h"

#include <stdbool.h>

/* GTK 4.18 has it as tab-behavior. */
static void leave(GtkWidget *list, GtkDirectionType direction) {
  GtkWidget *window = GTK_WIDGET(gtk_widget_get_root(list));
  gtk_widget_set_can_focus(list, FALSE);
  gtk_widget_child_focus(window, direction);
  gtk_widget_set_can_focus(list, TRUE);
}

static gboolean on_key(GtkEventController *controller, guint key, guint code,
                       GdkModifierType modifiers) {
  const GdkModifierType other = GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK;
  GtkWidget *list = gtk_event_controller_get_widget(controller);
  GtkWidget *row = gtk_widget_get_focus_child(list);
  const bool is_tab = key == GDK_KEY_Tab || key == GDK_KEY_KP_Tab || key == GDK_KEY_ISO_Left_Tab;
  const bool is_back = key == GDK_KEY_ISO_Left_Tab || (modifiers & GDK_SHIFT_MASK);
  const GtkDirectionType direction = is_back ? GTK_DIR_TAB_BACKWARD : GTK_DIR_TAB_FORWARD;
  (void)code;
  if (!is_tab || (modifiers & other))
    return GDK_EVENT_PROPAGATE;
  if (!row || !gtk_widget_child_focus(row, direction))
    leave(list, direction);
  return GDK_EVENT_STOP;
}

void aui_list_let_tab_out(GtkWidget *list) {
  GtkEventController *keys = gtk_event_controller_key_new();
  g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), NULL);
  gtk_widget_add_controller(list, keys);
}
