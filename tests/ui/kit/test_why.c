/* SPDX-License-Identifier: MIT */
/* Every explanation says three things, and its button opens them; Esc is still the window's. */
#include <string.h>

#include "gui.h"
#include "ui/kit/why.h"

static void test_texts(void) {
  guint n = 0;
  for (const char *key; (key = aui_why_key(n)); n++) {
    AuiWhy why;
    g_assert_true(aui_why_find(key, &why));
    g_assert_cmpuint(strlen(why.title), >=, 2);
    g_assert_cmpuint(strlen(why.what), >, 20);
    g_assert_cmpuint(strlen(why.expected), >, 1);
    g_assert_cmpuint(strlen(why.remedy), >, 20);
    for (guint k = 0; k < n; k++)
      g_assert_cmpstr(aui_why_key(k), !=, key);
  }
  g_assert_cmpuint(n, >=, 20);
}

static void test_unknown(void) {
  AuiWhy why = {.title = "untouched"};
  g_assert_false(aui_why_find("", &why));
  g_assert_false(aui_why_find("conditionnumber", &why));
  g_assert_cmpstr(why.title, ==, "untouched");
}

static bool find_popover(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_POPOVER(widget) && gtk_widget_get_mapped(widget))
    *found = widget;
  return !*found;
}

static bool count_labels(GtkWidget *widget, void *data) {
  if (GTK_IS_LABEL(widget))
    ++*(guint *)data;
  return true;
}

/* A popover is another surface, but of the same window: its keys pass through the window first. */
static void test_button(void) {
  GtkWidget *window = gtk_window_new();
  GtkWidget *why = aui_why_new("rank");
  GtkWidget *popover = NULL;
  guint labels = 0;
  gtk_window_set_child(GTK_WINDOW(window), why);
  gtk_window_present(GTK_WINDOW(window));
  gui_pass(0.2);
  gtk_test_accessible_assert_property(GTK_ACCESSIBLE(why), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      "What is this: Rank?");
  gtk_menu_button_popup(GTK_MENU_BUTTON(why));
  gui_pass(0.3);
  gui_walk(window, find_popover, &popover);
  g_assert_nonnull(popover);
  gui_walk(gtk_popover_get_child(GTK_POPOVER(popover)), count_labels, &labels);
  g_assert_cmpuint(labels, ==, 6);
  g_assert_true(GTK_WIDGET(gtk_widget_get_root(popover)) == window);
  gtk_menu_button_popdown(GTK_MENU_BUTTON(why));
  gtk_window_destroy(GTK_WINDOW(window));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  if (!gtk_init_check())
    return 77;
  g_test_add_func("/ui/why/texts", test_texts);
  g_test_add_func("/ui/why/unknown", test_unknown);
  g_test_add_func("/ui/why/button", test_button);
  return g_test_run();
}
