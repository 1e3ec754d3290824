/* SPDX-License-Identifier: MIT */
/* A grid of labels, and the table as text made of what these say: what is seen is what is copied.
 * Numbers are aligned at the point by a size group for the part before it. */
#include "ui/kit/table.h"

#include <string.h>

#include "ui/kit/why.h"

static GtkWidget *cell(const char *text, bool is_number) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), is_number ? 1.0f : 0.0f);
  gtk_widget_set_valign(label, GTK_ALIGN_BASELINE);
  gtk_label_set_selectable(GTK_LABEL(label), true);
  gtk_widget_set_can_focus(label, false);
  gtk_widget_add_css_class(label, "numbers");
  if (is_number)
    gtk_widget_set_direction(label, GTK_TEXT_DIR_LTR); /* numbers run this way in every language */
  return label;
}

GtkGrid *aui_grid_new(int row_spacing, int column_spacing) {
  return GTK_GRID(g_object_new(GTK_TYPE_GRID, "row-spacing", row_spacing, "column-spacing",
                               column_spacing, "margin-start", 12, "margin-end", 12, "margin-top",
                               8, "margin-bottom", 8, NULL));
}

GtkGrid *aui_table_new(const char *const *heads) {
  GtkGrid *table = aui_grid_new(4, 16);
  for (int k = 0; heads[k]; k++) {
    GtkWidget *head = gtk_label_new(heads[k]);
    gtk_label_set_xalign(GTK_LABEL(head), 0.0f);
    gtk_label_set_wrap(GTK_LABEL(head), true); /* at 1280 pixels some languages need two lines */
    gtk_widget_set_valign(head, GTK_ALIGN_END);
    gtk_widget_add_css_class(head, "heading");
    gtk_grid_attach(table, head, k, 0, 1, 1);
  }
  return table;
}

void aui_table_explain(GtkGrid *table, int column, const char *key) {
  g_autoptr(GtkWidget) head = g_object_ref(gtk_grid_get_child_at(table, column, 0));
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
  gtk_widget_set_valign(box, GTK_ALIGN_END);
  gtk_grid_remove(table, head);
  gtk_box_append(GTK_BOX(box), head);
  gtk_box_append(GTK_BOX(box), aui_why_new(key));
  gtk_grid_attach(table, box, column, 0, 1, 1);
}

static int row_of(GtkGrid *table, GtkWidget *child) {
  int column, row, width, height;
  gtk_grid_query_child(table, child, &column, &row, &width, &height);
  return row;
}

/* Rows are added below each other, so the last child is in the last one: to ask the grid for what
 * is where goes through all its children each time. */
int aui_table_add_row(GtkGrid *table) {
  GtkWidget *last = gtk_widget_get_last_child(GTK_WIDGET(table));
  return last ? row_of(table, last) + 1 : 1;
}

void aui_table_clear(GtkGrid *table) {
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(table));
  while (child) {
    GtkWidget *next = gtk_widget_get_next_sibling(child);
    if (row_of(table, child) > 0)
      gtk_grid_remove(table, child);
    child = next;
  }
}

void aui_table_empty(GtkGrid *table) {
  GtkWidget *child;
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(table))))
    gtk_grid_remove(table, child);
}

GtkWidget *aui_card_new(GtkWidget *table) {
  GtkWidget *card = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(card), GTK_POLICY_AUTOMATIC, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_width(GTK_SCROLLED_WINDOW(card), true);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(card), table);
  gtk_widget_add_css_class(card, "card");
  return card;
}

GtkWidget *aui_table_take(GtkGrid *table, int row, int column, char *text, bool is_number) {
  GtkWidget *label = cell(text, is_number);
  gtk_grid_attach(table, label, column, row, 1, 1);
  g_free(text);
  return label;
}

GtkWidget *aui_table_put(GtkGrid *table, int row, int column, const char *text) {
  GtkWidget *label = cell(text, false);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_grid_attach(table, label, column, row, 1, 1);
  return label;
}

/* ---- numbers, aligned at the point ---- */

GtkWidget *aui_number_new(const char *text, GtkSizeGroup *before_point) {
  const gsize whole = strspn(text, "-+0123456789");
  g_autofree char *before = g_strndup(text, whole);
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *left = cell(before, true), *right = cell(text + whole, false);
  gtk_widget_set_direction(box, GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction(right, GTK_TEXT_DIR_LTR);
  gtk_widget_set_valign(box, GTK_ALIGN_BASELINE);
  gtk_size_group_add_widget(before_point, left);
  gtk_box_append(GTK_BOX(box), left);
  gtk_box_append(GTK_BOX(box), right);
  gtk_accessible_update_property(GTK_ACCESSIBLE(box), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  return box;
}

GtkWidget *aui_table_take_aligned(GtkGrid *table, int row, int column, char *text,
                                  GtkSizeGroup *before_point) {
  GtkWidget *number = aui_number_new(text, before_point);
  gtk_grid_attach(table, number, column, row, 1, 1);
  g_free(text);
  return number;
}

/* ---- as text ---- */

static void append_text(GString *text, GtkWidget *child) {
  if (GTK_IS_LABEL(child))
    g_string_append(text, gtk_label_get_text(GTK_LABEL(child)));
  else if (GTK_IS_EDITABLE(child))
    g_string_append(text, gtk_editable_get_text(GTK_EDITABLE(child)));
  else if (GTK_IS_BOX(child))
    for (GtkWidget *part = gtk_widget_get_first_child(child); part;
         part = gtk_widget_get_next_sibling(part))
      append_text(text, part);
}

char *aui_table_text(GtkGrid *table) {
  GString *text = g_string_new(NULL);
  const int rows = aui_table_add_row(table);
  for (int row = 0; row < rows; row++) {
    for (int column = 0; gtk_grid_get_child_at(table, column, 0); column++) {
      g_string_append(text, column ? "\t" : "");
      append_text(text, gtk_grid_get_child_at(table, column, row));
    }
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}
