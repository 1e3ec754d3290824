/* SPDX-License-Identifier: MIT */
/* A cell of a table that can be typed into. What is typed is checked with every key: what cannot be
 * taken is marked and said, and nothing else changes. It is taken when Enter is pressed or the cell
 * is left. */
#ifndef ARMATURE_UI_CELL_H
#define ARMATURE_UI_CELL_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* What a table has behind its cells; `page` is the widget that owns both. */
typedef struct {
  /* As it is now, for an entry; g_free. */
  char *(*text)(gpointer page, guint row, guint column);
  /* Could this be taken? false with the error. */
  bool (*check)(gpointer page, guint row, guint column, const char *text, GError **error);
  /* Takes a text that was checked and is different. The cell may be gone afterwards. */
  void (*take)(gpointer page, guint row, guint column, const char *text);
  /* The cell got the focus; may be NULL. */
  void (*visit)(gpointer page, guint row, guint column);
  /* What is wrong with the cell that is edited; "": nothing. */
  void (*tell)(gpointer page, const char *problem);
} AuiCells;

/* name: for screen readers; chars: how wide it is at least. */
GtkWidget *aui_cell_new(const AuiCells *cells, gpointer page, guint row, guint column,
                        const char *name, int chars);

/* All cells below this widget show again what is; one that is being typed into is left alone. */
void aui_cells_refresh(GtkWidget *table);

#endif
