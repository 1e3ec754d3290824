/* SPDX-License-Identifier: MIT */
/* A cell of a table that can be typed into. What is typed is checked with every key: what cannot be
 * taken is marked and said, and nothing else changes. It is taken when Enter is pressed or the cell
 * is left. And a table of such cells, of whose rows one is looked at. */
#ifndef ARMATURE_UI_CELL_H
#define ARMATURE_UI_CELL_H

#include <gtk/gtk.h>
#include <stdbool.h>

/* What a table has behind its cells; `page` is the widget that owns both. */
typedef struct {
  /* As it is now, for an entry; g_free. */
  char *(*text)(gpointer page, guint row, guint column);
  /* A copy of what the cell is a part of, changed by the text, g_free; NULL with the error: it
   * cannot be taken. */
  gpointer (*change)(gpointer page, guint row, guint column, const char *text, GError **error);
  /* Puts such a copy, which stays the caller's, in the place of what is. The cell may be gone
   * afterwards. */
  void (*take)(gpointer page, guint row, guint column, gconstpointer changed);
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

/* Signals:
 *   "chosen"   (guint row)          the user looks at this row (from 1)
 *   "problem"  (const char *text)   what is wrong with the cell that is typed into; "": nothing */
#define AUI_TYPE_CELL_TABLE (aui_cell_table_get_type())
G_DECLARE_DERIVABLE_TYPE(AuiCellTable, aui_cell_table, AUI, CELL_TABLE, GtkBox)
struct _AuiCellTableClass {
  GtkBoxClass parent_class;
};

/* A table of this type that keeps a reference to what its cells ask, until after the last one has
 * gone: what is being typed may be taken in that moment. */
gpointer aui_cell_table_new(GType type, gpointer asked);

/* Are angles shown in another unit than when this was called last? Heads are then written anew. */
bool aui_cell_table_has_new_unit(AuiCellTable *self);

void aui_cell_table_choose(gpointer table, guint row);
/* AuiCells.tell of such a table. */
void aui_cell_table_tell(gpointer table, const char *problem);

/* The row, from 1, that a button in the table is about. */
void aui_cell_table_set_row(GtkWidget *button, guint row);
guint aui_cell_table_row(gpointer button);

#endif
