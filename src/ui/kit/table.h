/* SPDX-License-Identifier: MIT */
/* A small table of texts and widgets: what a page shows it can also be selected and copied. */
#ifndef ARMATURE_UI_TABLE_H
#define ARMATURE_UI_TABLE_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* Empty, with the margins of all tables. */
GtkGrid *aui_grid_new(int row_spacing, int column_spacing);

/* heads: NULL-terminated, translated. */
GtkGrid *aui_table_new(const char *const *heads);

/* A "?" behind the head of this column; keys as in ui/kit/why.h. */
void aui_table_explain(GtkGrid *table, int column, const char *key);

/* All rows but the head. */
void aui_table_clear(GtkGrid *table);

/* The head, too. */
void aui_table_empty(GtkGrid *table);

/* Around a table: scrolls sideways where it is too wide. */
GtkWidget *aui_card_new(GtkWidget *table);

/* Below the row of the cell that was attached last: heads are explained before. */
int aui_table_add_row(GtkGrid *table);

/* Takes the text over (g_free). Numbers (is_number) stand right. */
GtkWidget *aui_table_take(GtkGrid *table, int row, int column, char *text, bool is_number);
GtkWidget *aui_table_put(GtkGrid *table, int row, int column, const char *text);

/* "0.0221(16)", its decimal point below those of all numbers with the same size group. */
GtkWidget *aui_number_new(const char *text, GtkSizeGroup *before_point);
/* The same as a cell; takes the text over. */
GtkWidget *aui_table_take_aligned(GtkGrid *table, int row, int column, char *text,
                                  GtkSizeGroup *before_point);

/* As text with tabs, for other programs. g_free. */
char *aui_table_text(GtkGrid *table);

#endif
