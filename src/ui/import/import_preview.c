/* SPDX-License-Identifier: MIT */
#include "ui/import/import_preview.h"

#include <glib/gi18n.h>

#include "ui/kit/table.h"

static void put_missing(GtkGrid *table, int row, int columns) {
  if (columns < 1) /* nothing was read */
    return;
  GtkWidget *text = gtk_label_new(_("What the columns mean is shown once the arm is chosen"));
  gtk_label_set_xalign(GTK_LABEL(text), 0.0f);
  gtk_widget_add_css_class(text, "dim-label");
  gtk_grid_attach(table, text, 1, row, columns, 1);
}

/* What no column of the file is told by is dimmed: it is not read. */
static void put_meanings(GtkGrid *table, const AuiImport *import) {
  const int row = aui_table_add_row(table);
  aui_table_put(table, row, 0, "");
  if (!import->has_meanings) {
    put_missing(table, row, (int)import->columns->len);
    return;
  }
  for (guint k = 0; k < import->columns->len; k++) {
    const AuiImportColumn *column = import->columns->pdata[k];
    char *meaning = g_strdup(column->meaning ? column->meaning : _("not used"));
    GtkWidget *cell = aui_table_take(table, row, (int)k + 1, meaning, true);
    gtk_widget_add_css_class(cell, column->meaning ? "accent" : "dim-label");
  }
}

static void put_row(GtkGrid *table, const AuiImport *import, guint k) {
  const int row = aui_table_add_row(table);
  aui_table_take(table, row, 0, g_strdup_printf("%u", import->line[k]), true);
  for (guint c = 0; c < import->columns->len; c++)
    aui_table_take(table, row, (int)c + 1,
                   g_strdup(import->cells->pdata[k * import->columns->len + c]), true);
}

static GtkGrid *new_table(const AuiImport *import) {
  g_autoptr(GPtrArray) heads = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(heads, g_strdup(C_("of a file", "Line")));
  for (guint k = 0; k < import->columns->len; k++) {
    const AuiImportColumn *column = import->columns->pdata[k];
    g_ptr_array_add(heads, *column->name ? g_strdup(column->name)
                                         : g_strdup_printf(_("column %u"), k + 1));
  }
  g_ptr_array_add(heads, NULL);
  return aui_table_new((const char *const *)heads->pdata);
}

GtkWidget *aui_import_preview_new(const AuiImport *import) {
  GtkGrid *table = new_table(import);
  GtkWidget *card = aui_card_new(GTK_WIDGET(table));
  put_meanings(table, import);
  for (guint k = 0; k < import->rows; k++)
    put_row(table, import, k);
  gtk_widget_set_visible(card, import->columns->len > 0);
  gtk_accessible_update_property(GTK_ACCESSIBLE(card), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("First rows of the recording"), -1);
  return card;
}
