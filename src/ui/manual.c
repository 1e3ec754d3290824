/* SPDX-License-Identifier: MIT */
#include "ui/manual.h"

#include <glib/gi18n.h>

enum { WIDTH = 860, HEIGHT = 640, TEXT_WIDTH = 600 };

static GtkWidget *paragraph_new(const char *text) {
  const bool is_head = g_str_has_prefix(text, "# ");
  const bool is_item = g_str_has_prefix(text, "* ");
  GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *label = gtk_label_new(is_head || is_item ? text + 2 : text);
  GtkWidget *bullet = gtk_label_new("•");
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_set_hexpand(label, true);
  gtk_widget_set_valign(bullet, GTK_ALIGN_START);
  gtk_widget_set_visible(bullet, is_item);
  if (is_head) {
    gtk_widget_add_css_class(label, "heading");
    gtk_widget_set_margin_top(row, 10);
  }
  gtk_box_append(GTK_BOX(row), bullet);
  gtk_box_append(GTK_BOX(row), label);
  return row;
}

static GtkWidget *page_new(const AuiTopic *topic) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
  GtkWidget *clamp = adw_clamp_new();
  GtkWidget *scrolled = gtk_scrolled_window_new();
  GtkWidget *title = gtk_label_new(_(topic->title));
  gtk_widget_add_css_class(title, "title-2");
  gtk_label_set_wrap(GTK_LABEL(title), true);
  gtk_label_set_xalign(GTK_LABEL(title), 0.0f);
  gtk_widget_add_css_class(box, "aui-manual");
  gtk_box_append(GTK_BOX(box), title);
  for (const char *const *text = topic->paragraphs; *text; text++)
    gtk_box_append(GTK_BOX(box), paragraph_new(_(*text)));
  adw_clamp_set_maximum_size(ADW_CLAMP(clamp), TEXT_WIDTH);
  adw_clamp_set_child(ADW_CLAMP(clamp), box);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), clamp);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_widget_set_hexpand(scrolled, true);
  return scrolled;
}

static GtkWidget *body_new(const char *key) {
  GtkWidget *body = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *topics = gtk_stack_sidebar_new();
  GtkWidget *stack = gtk_stack_new();
  const AuiTopic *topic;
  for (guint k = 0; (topic = aui_manual_topic(k)); k++)
    gtk_stack_add_titled(GTK_STACK(stack), page_new(topic), topic->key, _(topic->title));
  if (key)
    gtk_stack_set_visible_child_name(GTK_STACK(stack), key);
  gtk_stack_sidebar_set_stack(GTK_STACK_SIDEBAR(topics), GTK_STACK(stack));
  gtk_accessible_update_property(GTK_ACCESSIBLE(topics), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Topics"),
                                 -1);
  gtk_widget_set_vexpand(body, true);
  gtk_box_append(GTK_BOX(body), topics);
  gtk_box_append(GTK_BOX(body), stack);
  return body;
}

GtkWindow *aui_manual_new(const char *key) {
  GtkWidget *window = adw_window_new();
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append(GTK_BOX(box), adw_header_bar_new());
  gtk_box_append(GTK_BOX(box), body_new(key));
  adw_window_set_content(ADW_WINDOW(window), box);
  gtk_window_set_title(GTK_WINDOW(window), _("Manual"));
  gtk_window_set_default_size(GTK_WINDOW(window), WIDTH, HEIGHT);
  return GTK_WINDOW(window);
}
