/* SPDX-License-Identifier: MIT */
/* What can be taken out of a plot: text, table, pictures; and the menu that offers it. */
#include <glib/gi18n.h>
#include <string.h>

#include "ui/kit/ask.h"
#include "ui/kit/strip.h"
#include "ui/plot/figure_file.h"
#include "ui/plot/plot_internal.h"

/* A picture is as large as on the screen, but not smaller than a page can show. */
enum { LEAST_WIDTH = 720, LEAST_HEIGHT = 420 };

/* Of the table: series, x, y, of a band its upper edge [px]. */
enum { COLUMNS = 4, COLUMN_GAP = 24, TABLE_WIDTH = 520, MOST_WIDTH = 1000 };

/* ---- text ---- */

static void on_copy(GtkWidget *widget, const char *name, GVariant *parameter) {
  const AuiFigure *figure = aui_plot_figure(AUI_PLOT(widget));
  (void)name, (void)parameter;
  if (!figure)
    return;
  g_autofree char *text = aui_figure_to_table(figure, '\t');
  gdk_clipboard_set_text(gtk_widget_get_clipboard(widget), text);
}

static int text_width(GtkWidget *view, const char *text) {
  g_autoptr(PangoLayout) layout = gtk_widget_create_pango_layout(view, text);
  int width;
  pango_layout_get_pixel_size(layout, &width, NULL);
  return width;
}

/* Of a column, heading and all [px]: of numbers, whose digits are equally wide, only the longest
 * are measured; of names, one where many follow each other. */
static int column_width(GtkWidget *view, char **lines, guint column) {
  g_autofree char *last = g_strdup("");
  int widest = 0;
  for (guint k = 0; lines[k]; k++) {
    g_auto(GStrv) fields = g_strsplit(lines[k], "\t", COLUMNS);
    if (g_strv_length(fields) <= column)
      continue;
    const char *text = fields[column];
    if (column ? strlen(text) <= strlen(last) : strcmp(text, last) == 0)
      continue;
    widest = MAX(widest, text_width(view, text));
    if (k > 0) {
      g_free(last);
      last = g_strdup(text);
    }
  }
  return widest;
}

/* Columns begin where the widest text before them ends. Returns the width of all [px]. */
static int set_columns(GtkWidget *view, const char *text) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_autoptr(PangoTabArray) tabs = pango_tab_array_new(COLUMNS, TRUE);
  int at = 0;
  for (guint k = 0; k < COLUMNS; k++) {
    const int width = column_width(view, lines, k);
    at += width ? width + COLUMN_GAP : 1;
    pango_tab_array_set_tab(tabs, (int)k, PANGO_TAB_LEFT, at);
  }
  gtk_text_view_set_tabs(GTK_TEXT_VIEW(view), tabs);
  return at;
}

static GtkWidget *table_of(const AuiFigure *figure) {
  g_autofree char *text = aui_figure_to_table(figure, '\t');
  GtkWidget *view = gtk_text_view_new(), *scroller = gtk_scrolled_window_new();
  gtk_widget_add_css_class(view, "numbers");
  const int width = set_columns(view, text);
  gtk_text_buffer_set_text(gtk_text_view_get_buffer(GTK_TEXT_VIEW(view)), text, -1);
  gtk_text_view_set_editable(GTK_TEXT_VIEW(view), FALSE);
  gtk_accessible_update_property(GTK_ACCESSIBLE(view), GTK_ACCESSIBLE_PROPERTY_LABEL, figure->title,
                                 -1);
  gtk_widget_set_size_request(scroller, CLAMP(width, TABLE_WIDTH, MOST_WIDTH), 260);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), view);
  return scroller;
}

static void on_table(GtkWidget *widget, const char *name, GVariant *parameter) {
  AuiPlot *self = AUI_PLOT(widget);
  const AuiFigure *figure = aui_plot_figure(self);
  (void)name, (void)parameter;
  if (!figure)
    return;
  g_clear_pointer(&self->table, gtk_widget_unparent);
  self->table = gtk_popover_new();
  gtk_popover_set_child(GTK_POPOVER(self->table), table_of(figure));
  gtk_widget_set_parent(self->table, widget);
  gtk_popover_popup(GTK_POPOVER(self->table));
}

/* ---- files ---- */

static void on_path(GtkWidget *widget, const char *path, gpointer data) {
  AuiPlot *self = AUI_PLOT(widget);
  const int width = MAX(gtk_widget_get_width(widget), LEAST_WIDTH);
  const int height = MAX(gtk_widget_get_height(widget), LEAST_HEIGHT);
  GError *error = NULL;
  aui_say_failed(widget,
                 aui_figure_write(aui_plot_figure(self), (AuiFileKind)GPOINTER_TO_UINT(data),
                                  aui_plot_view(self), path, width, height, &error),
                 &error);
}

static void on_save(GtkWidget *widget, const char *name, GVariant *kind) {
  const AuiFigure *figure = aui_plot_figure(AUI_PLOT(widget));
  const guint file = g_variant_get_uint32(kind);
  (void)name;
  if (!figure || file >= AUI_FILES)
    return;
  g_autofree char *proposal = aui_figure_file_name(figure, (AuiFileKind)file);
  aui_ask_save(widget, _("Save the plot"), proposal, aui_file_ending((AuiFileKind)file), on_path,
               GUINT_TO_POINTER(file));
}

/* ---- the menu ---- */

static void add_section(GMenu *menu, GMenu *section) {
  g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
  g_object_unref(section);
}

static GMenu *new_view_section(void) {
  GMenu *section = g_menu_new();
  g_menu_append(section, _("Show all"), "plot.fit");
  g_menu_append(section, _("Freeze"), "plot.freeze");
  return section;
}

static GMenu *new_text_section(void) {
  GMenu *section = g_menu_new();
  g_menu_append(section, _("Copy as text"), "plot.copy");
  g_menu_append(section, _("Table"), "plot.table");
  return section;
}

static GMenu *new_file_section(void) {
  static const char *const labels[AUI_FILES] = {N_("Save as SVG…"), N_("Save as PNG…"),
                                                N_("Save as PDF…"), N_("Save as CSV…")};
  GMenu *section = g_menu_new();
  for (guint kind = 0; kind < AUI_FILES; kind++) {
    g_autoptr(GMenuItem) item = g_menu_item_new(_(labels[kind]), NULL);
    g_menu_item_set_action_and_target(item, "plot.save", "u", kind);
    g_menu_append_item(section, item);
  }
  return section;
}

static GtkWidget *new_menu(void) {
  g_autoptr(GMenu) menu = g_menu_new();
  add_section(menu, new_view_section());
  add_section(menu, new_text_section());
  add_section(menu, new_file_section());
  GtkWidget *popover = gtk_popover_menu_new_from_model(G_MENU_MODEL(menu));
  gtk_popover_set_has_arrow(GTK_POPOVER(popover), FALSE);
  gtk_widget_set_halign(popover, GTK_ALIGN_START);
  gtk_accessible_update_property(GTK_ACCESSIBLE(popover), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Menu of the plot"), -1);
  return popover;
}

void aui_plot_popup(AuiPlot *self, double px, double py) {
  if (!self->menu) {
    self->menu = new_menu();
    gtk_widget_set_parent(self->menu, GTK_WIDGET(self));
  }
  gtk_popover_set_pointing_to(GTK_POPOVER(self->menu), &(GdkRectangle){(int)px, (int)py, 1, 1});
  gtk_popover_popup(GTK_POPOVER(self->menu));
}

static void on_menu(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  aui_plot_popup(AUI_PLOT(widget), 0.5 * gtk_widget_get_width(widget),
                 0.5 * gtk_widget_get_height(widget));
}

static void on_secondary(GtkGestureClick *gesture, int n, double px, double py, AuiPlot *self) {
  (void)gesture, (void)n;
  gtk_widget_grab_focus(GTK_WIDGET(self));
  aui_plot_popup(self, px, py);
}

void aui_plot_add_menu(AuiPlot *self) {
  GtkGesture *click = gtk_gesture_click_new();
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect(click, "pressed", G_CALLBACK(on_secondary), self);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
}

void aui_plot_menu_class_init(GtkWidgetClass *klass) {
  gtk_widget_class_install_action(klass, "plot.copy", NULL, on_copy);
  gtk_widget_class_install_action(klass, "plot.table", NULL, on_table);
  gtk_widget_class_install_action(klass, "plot.save", "u", on_save);
  gtk_widget_class_install_action(klass, "plot.menu", NULL, on_menu);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_c, GDK_CONTROL_MASK, "plot.copy", NULL);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_t, 0, "plot.table", NULL);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_Menu, 0, "plot.menu", NULL);
  gtk_widget_class_add_binding_action(klass, GDK_KEY_F10, GDK_SHIFT_MASK, "plot.menu", NULL);
}
