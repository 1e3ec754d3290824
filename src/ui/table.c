/* SPDX-License-Identifier: MIT */
#include "ui/table.h"

static GtkWidget *cell(const char *text, bool is_number) {
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), is_number ? 1.0f : 0.0f);
  gtk_widget_set_valign(label, GTK_ALIGN_BASELINE);
  gtk_label_set_selectable(GTK_LABEL(label), true);
  gtk_widget_set_focusable(label, false);
  gtk_widget_add_css_class(label, "numbers");
  return label;
}

GtkGrid *aui_table_new(const char *const *heads) {
  GtkGrid *table =
      GTK_GRID(g_object_new(GTK_TYPE_GRID, "row-spacing", 4, "column-spacing", 16, "margin-start",
                            12, "margin-end", 12, "margin-top", 8, "margin-bottom", 8, NULL));
  for (int k = 0; heads[k]; k++) {
    GtkWidget *head = gtk_label_new(heads[k]);
    gtk_label_set_xalign(GTK_LABEL(head), 0.0f);
    gtk_widget_add_css_class(head, "heading");
    gtk_grid_attach(table, head, k, 0, 1, 1);
  }
  return table;
}

int aui_table_add_row(GtkGrid *table) {
  int row = 1;
  while (gtk_grid_get_child_at(table, 0, row))
    row++;
  return row;
}

void aui_table_clear(GtkGrid *table) {
  while (gtk_grid_get_child_at(table, 0, 1))
    gtk_grid_remove_row(table, 1);
}

GtkWidget *aui_table_take(GtkGrid *table, int row, int column, char *text, bool is_number) {
  GtkWidget *label = cell(text, is_number);
  gtk_grid_attach(table, label, column, row, 1, 1);
  g_free(text);
  return label;
}

void aui_table_put(GtkGrid *table, int row, int column, const char *text) {
  GtkWidget *label = cell(text, false);
  gtk_label_set_wrap(GTK_LABEL(label), true);
  gtk_grid_attach(table, label, column, row, 1, 1);
}

static const char *text_at(GtkGrid *table, int row, int column) {
  GtkWidget *child = gtk_grid_get_child_at(table, column, row);
  if (GTK_IS_LABEL(child))
    return gtk_label_get_text(GTK_LABEL(child));
  return GTK_IS_EDITABLE(child) ? gtk_editable_get_text(GTK_EDITABLE(child)) : "";
}

char *aui_table_text(GtkGrid *table) {
  GString *text = g_string_new(NULL);
  const int rows = aui_table_add_row(table);
  for (int row = 0; row < rows; row++) {
    for (int column = 0; gtk_grid_get_child_at(table, column, 0); column++)
      g_string_append_printf(text, "%s%s", column ? "\t" : "", text_at(table, row, column));
    g_string_append_c(text, '\n');
  }
  return g_string_free(text, FALSE);
}
