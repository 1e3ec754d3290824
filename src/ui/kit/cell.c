/* SPDX-License-Identifier: MIT */
/* A text is checked with every key and taken with Enter or when the cell is left: half a number is
 * never in the session, and no key is lost to a dialog. Undo is the session's, not the entry's. */
#include "ui/kit/cell.h"

#include <string.h>

#include "ui/kit/format.h"

enum { MOST_CHARS = 30 }; /* five speeds with two decimals */

typedef struct {
  const AuiCells *cells;
  gpointer page; /* owns the cell */
  guint row, column;
  int chars;                 /* of its width at least */
  bool is_filling, is_dirty; /* dirty: typed into, not taken yet */
} Cell;

static const char data_key[] = "aui-cell";

static Cell *cell_of(gpointer entry) {
  return g_object_get_data(G_OBJECT(entry), data_key);
}

static void mark(GtkWidget *entry, const char *problem) {
  if (*problem)
    gtk_widget_add_css_class(entry, "error");
  else
    gtk_widget_remove_css_class(entry, "error");
  const char *text = gtk_editable_get_text(GTK_EDITABLE(entry));
  const bool is_long =
      (int)g_utf8_strlen(text, -1) > gtk_editable_get_width_chars(GTK_EDITABLE(entry));
  gtk_widget_set_tooltip_text(entry, *problem ? problem : is_long ? text : NULL);
  gtk_accessible_update_state(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_STATE_INVALID,
                              *problem ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE,
                              -1);
}

/* NULL: it is as it was. */
static const char *changed_text(GtkWidget *entry, const Cell *cell) {
  g_autofree char *before = cell->cells->text(cell->page, cell->row, cell->column);
  const char *text = gtk_editable_get_text(GTK_EDITABLE(entry));
  return strcmp(text, before) == 0 ? NULL : text;
}

/* *changed: NULL where the text is as it was; g_free. */
static bool is_good(GtkWidget *entry, const Cell *cell, gpointer *changed) {
  g_autoptr(GError) error = NULL;
  const char *text = changed_text(entry, cell);
  *changed = text ? cell->cells->change(cell->page, cell->row, cell->column, text, &error) : NULL;
  const bool ok = !text || *changed;
  mark(entry, ok ? "" : error->message);
  cell->cells->tell(cell->page, ok ? "" : error->message);
  return ok;
}

static void on_changed(GtkWidget *entry) {
  Cell *cell = cell_of(entry);
  g_autofree gpointer changed = NULL;
  if (cell->is_filling)
    return;
  cell->is_dirty = true;
  is_good(entry, cell, &changed);
}

/* Numbers are seen as a whole where there is room: a part of one is another one. Names may be
 * longer than the cell. */
static void fit(GtkWidget *entry, const char *text) {
  const size_t length = strlen(text);
  const int wanted = strspn(text, "+-.,e0123456789 ") == length ? (int)MIN(length, MOST_CHARS) : 0;
  gtk_editable_set_max_width_chars(GTK_EDITABLE(entry), MAX(wanted, cell_of(entry)->chars));
}

static void show(GtkWidget *entry) {
  Cell *cell = cell_of(entry);
  g_autofree char *text = cell->cells->text(cell->page, cell->row, cell->column);
  cell->is_dirty = false;
  if (strcmp(gtk_editable_get_text(GTK_EDITABLE(entry)), text) != 0) {
    cell->is_filling = true;
    gtk_editable_set_text(GTK_EDITABLE(entry), text);
    cell->is_filling = false;
  }
  fit(entry, text);
  mark(entry, "");
}

static void commit(GtkWidget *entry) {
  Cell *cell = cell_of(entry);
  g_autofree gpointer changed = NULL;
  if (!cell->is_dirty || gtk_widget_in_destruction(entry) || !is_good(entry, cell, &changed))
    return;
  g_autoptr(GtkWidget) kept = g_object_ref(entry);
  cell->is_dirty = false;
  if (changed)
    cell->cells->take(cell->page, cell->row, cell->column, changed);
  if (gtk_widget_get_parent(kept))
    show(kept);
}

/* One undo for the whole program, the session's: the entry would keep the key to itself. */
static gboolean on_key(GtkWidget *entry, guint key, guint code, GdkModifierType modifiers) {
  (void)code;
  if (!(modifiers & GDK_CONTROL_MASK) || (key != GDK_KEY_z && key != GDK_KEY_Z))
    return GDK_EVENT_PROPAGATE;
  show(entry);
  gtk_widget_activate_action(entry, modifiers & GDK_SHIFT_MASK ? "session.redo" : "session.undo",
                             NULL);
  return GDK_EVENT_STOP;
}

static void on_enter(GtkWidget *entry) {
  const Cell *cell = cell_of(entry);
  if (cell->cells->visit)
    cell->cells->visit(cell->page, cell->row, cell->column);
}

GtkWidget *aui_cell_new(const AuiCells *cells, gpointer page, guint row, guint column,
                        const char *name, int chars) {
  GtkWidget *entry = gtk_entry_new();
  Cell *cell = g_new0(Cell, 1);
  *cell = (Cell){.cells = cells, .page = page, .row = row, .column = column, .chars = chars};
  g_object_set_data_full(G_OBJECT(entry), data_key, cell, g_free);
  gtk_editable_set_width_chars(GTK_EDITABLE(entry), chars);
  gtk_editable_set_alignment(GTK_EDITABLE(entry), chars > 10 ? 0.0f : 1.0f);
  gtk_editable_set_enable_undo(GTK_EDITABLE(entry), false);
  gtk_widget_set_direction(GTK_WIDGET(gtk_editable_get_delegate(GTK_EDITABLE(entry))),
                           GTK_TEXT_DIR_LTR); /* numbers run this way in every language */
  gtk_widget_add_css_class(entry, "aui-cell");
  gtk_widget_add_css_class(entry, "numbers");
  gtk_accessible_update_property(GTK_ACCESSIBLE(entry), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  show(entry);
  GtkEventController *focus = gtk_event_controller_focus_new();
  GtkEventController *keys = gtk_event_controller_key_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect(entry, "changed", G_CALLBACK(on_changed), NULL);
  g_signal_connect(entry, "activate", G_CALLBACK(commit), NULL);
  g_signal_connect_object(focus, "enter", G_CALLBACK(on_enter), entry, G_CONNECT_SWAPPED);
  g_signal_connect_object(focus, "leave", G_CALLBACK(commit), entry, G_CONNECT_SWAPPED);
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(on_key), entry, G_CONNECT_SWAPPED);
  gtk_widget_add_controller(entry, focus);
  gtk_widget_add_controller(entry, keys);
  return entry;
}

void aui_cells_refresh(GtkWidget *table) {
  for (GtkWidget *child = gtk_widget_get_first_child(table); child;
       child = gtk_widget_get_next_sibling(child)) {
    const Cell *cell = cell_of(child);
    if (!cell)
      aui_cells_refresh(child);
    else if (!cell->is_dirty)
      show(child);
  }
}

/* ---- a table of cells ---- */

typedef struct {
  GObject *kept;
  const char *unit; /* of angles; static */
} AuiCellTablePrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE(AuiCellTable, aui_cell_table, GTK_TYPE_BOX)

enum { CHOSEN, PROBLEM, SIGNALS };
static guint signals[SIGNALS];
static const char row_key[] = "aui-row";

gpointer aui_cell_table_new(GType type, gpointer asked) {
  AuiCellTable *self = g_object_new(type, NULL);
  AuiCellTablePrivate *private = aui_cell_table_get_instance_private(self);
  private->kept = g_object_ref(asked);
  return self;
}

bool aui_cell_table_has_new_unit(AuiCellTable *self) {
  AuiCellTablePrivate *private = aui_cell_table_get_instance_private(self);
  const char *before = private->unit;
  private->unit = aui_format_unit_name("deg");
  return private->unit != before;
}

void aui_cell_table_choose(gpointer table, guint row) {
  g_signal_emit(table, signals[CHOSEN], 0, row);
}

void aui_cell_table_tell(gpointer table, const char *problem) {
  g_signal_emit(table, signals[PROBLEM], 0, problem);
}

void aui_cell_table_set_row(GtkWidget *button, guint row) {
  g_object_set_data(G_OBJECT(button), row_key, GUINT_TO_POINTER(row));
}

guint aui_cell_table_row(gpointer button) {
  return GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), row_key));
}

static void dispose(GObject *object) {
  AuiCellTable *self = AUI_CELL_TABLE(object);
  AuiCellTablePrivate *private = aui_cell_table_get_instance_private(self);
  G_OBJECT_CLASS(aui_cell_table_parent_class)->dispose(object); /* may take what is being typed */
  g_clear_object(&private->kept);
}

static void aui_cell_table_class_init(AuiCellTableClass *class) {
  const GType type = G_TYPE_FROM_CLASS(class);
  G_OBJECT_CLASS(class)->dispose = dispose;
  signals[CHOSEN] = g_signal_new("chosen", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[PROBLEM] = g_signal_new("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void aui_cell_table_init(AuiCellTable *self) {
  (void)self;
}
