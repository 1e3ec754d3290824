/* SPDX-License-Identifier: MIT */
/* A list, which may get lines at any time. A text view may not: of a text that has yet to be
 * measured when it is laid out GTK 4.8 asks for another layout amid that one, forgets it, and warns
 * of what it draws "without a current allocation". */
#include "ui/kit/messages.h"

#include <glib/gi18n.h>
#include <stdbool.h>

#include "ui/kit/list_keys.h"

enum { MOST_LINES = 2000 };

/* Where a row is looked for, from the left [px]. */
enum { INSIDE = 20 };

#define ITEM "aui-item" /* of a label: its GtkListItem */

struct _AuiMessages {
  GtkBox parent_instance;
  GtkStringList *lines;
  GtkSelectionModel *chosen; /* of the lines */
  GtkWidget *list, *menu;
  bool follows; /* the newest line */
  guint to_end; /* tick callback: the list goes there; 0: it is there, or is not to go */
  bool is_new;  /* since the last frame there was a reason to */
};

G_DEFINE_FINAL_TYPE(AuiMessages, aui_messages, GTK_TYPE_BOX)

static GtkAdjustment *adjustment_of(AuiMessages *self) {
  return gtk_scrollable_get_vadjustment(GTK_SCROLLABLE(self->list));
}

/* ---- the newest line is looked for; who reads further up is left there ---- */

/* New lines are measured after a frame's callbacks, amid a layout, where nothing may be scrolled:
 * that takes another frame, and where each has a new line all of them. */
static gboolean on_frame(GtkWidget *widget, GdkFrameClock *clock, gpointer data) {
  AuiMessages *self = AUI_MESSAGES(widget);
  const bool is_new = self->is_new;
  (void)clock, (void)data;
  self->is_new = false;
  gtk_adjustment_set_value(adjustment_of(self), gtk_adjustment_get_upper(adjustment_of(self)));
  if (is_new)
    return G_SOURCE_CONTINUE;
  self->to_end = 0;
  return G_SOURCE_REMOVE;
}

static void go_to_end(AuiMessages *self) {
  self->is_new = true;
  if (self->follows && !self->to_end)
    self->to_end = gtk_widget_add_tick_callback(GTK_WIDGET(self), on_frame, NULL, NULL);
}

static void on_scroll(AuiMessages *self) {
  GtkAdjustment *at = adjustment_of(self);
  if (!self->to_end)
    self->follows = gtk_adjustment_get_value(at) + gtk_adjustment_get_page_size(at) >=
                    gtk_adjustment_get_upper(at) - 1.0;
}

void aui_messages_append(AuiMessages *self, const char *line) {
  gtk_string_list_append(self->lines, line);
  const guint n = g_list_model_get_n_items(G_LIST_MODEL(self->lines));
  if (n > MOST_LINES)
    gtk_string_list_splice(self->lines, 0, n - MOST_LINES, NULL);
  go_to_end(self);
}

/* ---- lines are chosen and copied ---- */

static char *chosen_text(AuiMessages *self) {
  g_autoptr(GtkBitset) chosen = gtk_selection_model_get_selection(self->chosen);
  g_autoptr(GString) text = g_string_new(NULL);
  for (guint k = 0; k < gtk_bitset_get_size(chosen); k++)
    g_string_append_printf(text, "%s\n",
                           gtk_string_list_get_string(self->lines, gtk_bitset_get_nth(chosen, k)));
  return g_strdup(text->str);
}

static void on_copy(GtkWidget *widget, const char *name, GVariant *parameter) {
  g_autofree char *text = chosen_text(AUI_MESSAGES(widget));
  (void)name, (void)parameter;
  if (*text) /* what was chosen may have gone, being the oldest */
    gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
}

static void on_select_all(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  gtk_selection_model_select_all(AUI_MESSAGES(widget)->chosen);
}

static void on_chosen(AuiMessages *self) {
  g_autoptr(GtkBitset) chosen = gtk_selection_model_get_selection(self->chosen);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "messages.copy", !gtk_bitset_is_empty(chosen));
}

/* The row at this height of the list; NULL: there is none. */
static GtkWidget *row_at(AuiMessages *self, double py) {
  GtkWidget *widget = gtk_widget_pick(self->list, INSIDE, py, GTK_PICK_DEFAULT);
  while (widget && gtk_widget_get_parent(widget) != self->list)
    widget = widget == self->list ? NULL : gtk_widget_get_parent(widget);
  return widget;
}

static void choose_at(AuiMessages *self, double py) {
  GtkWidget *row = row_at(self, py);
  if (!row)
    return;
  GtkListItem *item = g_object_get_data(G_OBJECT(gtk_widget_get_first_child(row)), ITEM);
  const guint position = gtk_list_item_get_position(item);
  gtk_widget_grab_focus(row);
  if (!gtk_selection_model_is_selected(self->chosen, position))
    gtk_selection_model_select_item(self->chosen, position, TRUE);
}

static void popup(AuiMessages *self, double px, double py) {
  gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), &(GdkRectangle){(int)px, (int)py, 1, 1});
  gtk_popover_popup(GTK_POPOVER(self->menu));
}

static void on_menu(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  popup(AUI_MESSAGES(widget), 0.5 * gtk_widget_get_width(widget),
        0.5 * gtk_widget_get_height(widget));
}

/* The list is as large as what is around it. */
static void on_secondary(GtkGestureClick *click, int n, double px, double py, AuiMessages *self) {
  (void)click, (void)n;
  choose_at(self, py);
  popup(self, px, py);
}

static void add_menu(AuiMessages *self) {
  g_autoptr(GMenu) menu = g_menu_new();
  GtkGesture *click = gtk_gesture_click_new();
  g_menu_append(menu, _("Copy"), "messages.copy");
  g_menu_append(menu, _("Select all"), "messages.select-all");
  self->menu = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu));
  gtk_popover_set_has_arrow(GTK_POPOVER(self->menu), FALSE);
  gtk_widget_set_halign(self->menu, GTK_ALIGN_START);
  gtk_widget_set_parent(self->menu, GTK_WIDGET(self));
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect(click, "pressed", G_CALLBACK(on_secondary), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
}

/* ---- the object ---- */

static void on_setup(GtkSignalListItemFactory *factory, GtkListItem *item) {
  GtkWidget *label = gtk_label_new("");
  (void)factory;
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class(label, "numbers");
  g_object_set_data(G_OBJECT(label), ITEM, item);
  gtk_list_item_set_child(item, label);
}

/* The row has the focus, so it is the row that a screen reader asks. */
static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item) {
  GtkWidget *label = gtk_list_item_get_child(item), *row = gtk_widget_get_parent(label);
  const char *text = gtk_string_object_get_string(gtk_list_item_get_item(item));
  (void)factory;
  gtk_label_set_text(GTK_LABEL(label), text);
  if (row)
    gtk_accessible_update_property(GTK_ACCESSIBLE(row), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

static void dispose(GObject *object) {
  AuiMessages *self = AUI_MESSAGES(object);
  g_clear_pointer(&self->menu, gtk_widget_unparent);
  g_clear_object(&self->chosen);
  G_OBJECT_CLASS(aui_messages_parent_class)->dispose(object);
}

static void aui_messages_class_init(AuiMessagesClass *class) {
  GtkWidgetClass *widget = GTK_WIDGET_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  gtk_widget_class_install_action(widget, "messages.copy", NULL, on_copy);
  gtk_widget_class_install_action(widget, "messages.select-all", NULL, on_select_all);
  gtk_widget_class_install_action(widget, "messages.menu", NULL, on_menu);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_c, GDK_CONTROL_MASK, "messages.copy", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_Menu, 0, "messages.menu", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_F10, GDK_SHIFT_MASK, "messages.menu", NULL);
}

/* GTK's list has Ctrl+A, and Shift and Ctrl with clicks and arrows. */
static void aui_messages_init(AuiMessages *self) {
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  GtkWidget *scroller = gtk_scrolled_window_new();
  self->follows = true;
  self->lines = gtk_string_list_new(NULL);
  self->chosen = GTK_SELECTION_MODEL(gtk_multi_selection_new(G_LIST_MODEL(self->lines)));
  self->list = gtk_list_view_new(g_object_ref(self->chosen), factory);
  g_signal_connect(factory, "setup", G_CALLBACK(on_setup), NULL);
  g_signal_connect(factory, "bind", G_CALLBACK(on_bind), NULL);
  g_signal_connect_object(self->chosen, "selection-changed", G_CALLBACK(on_chosen), self,
                          G_CONNECT_SWAPPED);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Messages"), -1);
  gtk_widget_add_css_class(self->list, "aui-messages");
  aui_list_let_tab_out(self->list);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), self->list);
  gtk_widget_set_hexpand(scroller, TRUE);
  gtk_box_append(GTK_BOX(self), scroller);
  g_signal_connect_object(adjustment_of(self), "changed", G_CALLBACK(go_to_end), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(adjustment_of(self), "value-changed", G_CALLBACK(on_scroll), self,
                          G_CONNECT_SWAPPED);
  add_menu(self);
  on_chosen(self);
}
