/* SPDX-License-Identifier: MIT */
#include "look.h"

#include "english.h"

enum { WIDTH = 1280, HEIGHT = 800, ATTEMPTS = 3 };

void look_init(Look *look, const char *locale) {
  *look = (Look){.locale = locale,
                 .sees_language = g_str_has_prefix(locale, "pseudo"),
                 .told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                 .doubts = g_ptr_array_new_with_free_func(g_free)};
}

void look_end(Look *look, guint least_labels) {
  g_assert_cmpuint(look->labels, >=, least_labels);
  if (g_hash_table_size(look->told) > 0)
    g_test_fail();
  g_hash_table_unref(look->told);
  g_ptr_array_unref(look->doubts);
}

static void object(Look *look, const char *text, const char *what) {
  g_ptr_array_add(look->doubts,
                  g_strdup_printf("%s, %s: \"%s\" %s", look->locale, look->place, text, what));
}

static void tell_doubts(Look *look) {
  for (guint k = 0; k < look->doubts->len; k++) {
    const char *line = look->doubts->pdata[k];
    if (g_hash_table_add(look->told, g_strdup(line)))
      g_test_message("%s", line);
  }
  g_ptr_array_set_size(look->doubts, 0);
}

/* ---- labels ---- */

/* In a tooltip, or in the list that a choice opens. */
static bool is_in_full_elsewhere(GtkWidget *widget) {
  for (; widget; widget = gtk_widget_get_parent(widget))
    if (gtk_widget_get_has_tooltip(widget) || GTK_IS_DROP_DOWN(widget) || ADW_IS_COMBO_ROW(widget))
      return true;
  return false;
}

/* What is shortened can be read in full elsewhere; what wraps has room for all its lines, but for a
 * pixel of each: those of two fonts (a path among Japanese) are measured as lower. */
static void see_room(Look *look, GtkLabel *label, const char *text) {
  GtkWidget *widget = GTK_WIDGET(label);
  PangoLayout *layout = gtk_label_get_layout(label);
  int width, height;
  g_autofree char *what = NULL;
  pango_layout_get_pixel_size(layout, &width, &height);
  if (pango_layout_is_ellipsized(layout) && !is_in_full_elsewhere(widget))
    what = g_strdup("is shortened for good");
  else if (gtk_label_get_ellipsize(label) != PANGO_ELLIPSIZE_NONE)
    return;
  else if (gtk_widget_get_width(widget) < width ||
           gtk_widget_get_height(widget) + pango_layout_get_line_count(layout) < height)
    what = g_strdup_printf("has %d x %d of %d x %d pixels", gtk_widget_get_width(widget),
                           gtk_widget_get_height(widget), width, height);
  if (what)
    object(look, text, what);
}

/* Numbers that can be typed into; the digits of one without a sign stand either way. */
static void see_cell(Look *look, GtkWidget *cell) {
  const char *text = gtk_editable_get_text(GTK_EDITABLE(cell));
  if (g_regex_match_simple("^-[0-9]|^[0-9.,]+ [0-9]", text, 0, 0) &&
      gtk_widget_get_direction(cell) != GTK_TEXT_DIR_LTR)
    object(look, text, "is written from right to left");
}

static int least_width(GtkWidget *widget) {
  int width;
  gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  return width;
}

/* What makes a window or a page wide: the widest child, and its widest child, ... */
static void tell_widest(GtkWidget *widget) {
  while (widget) {
    GtkWidget *widest = NULL;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
      if (gtk_widget_should_layout(child) && (!widest || least_width(child) > least_width(widest)))
        widest = child;
    widget = widest;
    if (widget)
      g_test_message("  %d pixels: %s %s", least_width(widget), G_OBJECT_TYPE_NAME(widget),
                     GTK_IS_LABEL(widget) ? gtk_label_get_text(GTK_LABEL(widget)) : "");
  }
}

/* Pages and tables scroll up and down alone: who does not see a column does not look for it. */
static bool see_scrolled(GtkWidget *widget, void *data) {
  if (!gtk_widget_get_mapped(widget))
    return false;
  if (!GTK_IS_SCROLLED_WINDOW(widget))
    return true;
  GtkAdjustment *across = gtk_scrolled_window_get_hadjustment(GTK_SCROLLED_WINDOW(widget));
  const double width = gtk_adjustment_get_upper(across);
  const double room = gtk_adjustment_get_page_size(across);
  g_autofree char *what = g_strdup_printf("has %.0f of %.0f pixels", room, width);
  if (room >= width)
    return true;
  object(data, gtk_widget_has_css_class(widget, "card") ? "a table" : "a page", what);
  tell_widest(widget);
  return true;
}

void look_at_width(Look *look, GtkWidget *widget) {
  if (g_str_has_prefix(look->locale, "pseudo")) /* longer by a third than any language */
    return;
  gui_walk(widget, see_scrolled, look);
  tell_doubts(look);
}

static void see_language(Look *look, GtkWidget *widget) {
  char *text;
  if (!look->sees_language)
    return;
  for (guint k = 0; (text = english_text(widget, k)); k++) {
    g_autofree char *word = english_word(text);
    g_autofree char *what = g_strdup_printf("has the English \"%s\"", word);
    if (word)
      object(look, text, what);
    g_free(text);
  }
}

static bool see_label(GtkWidget *widget, void *data) {
  Look *look = data;
  if (!gtk_widget_get_mapped(widget))
    return false;
  see_language(look, widget);
  if (GTK_IS_TEXT(widget))
    see_cell(look, widget);
  if (!GTK_IS_LABEL(widget))
    return true;
  GtkLabel *label = GTK_LABEL(widget);
  const char *text = gtk_label_get_text(label);
  look->labels++;
  if (pango_layout_get_unknown_glyphs_count(gtk_label_get_layout(label)) > 0)
    object(look, text, "has letters without a glyph");
  if (g_regex_match_simple("^-?[0-9.,]+\\([0-9]+\\)$|^-[0-9.,]+$", text, 0, 0) &&
      gtk_widget_get_direction(widget) != GTK_TEXT_DIR_LTR)
    object(look, text, "is written from right to left");
  see_room(look, label, text);
  return true;
}

/* The labels of a page that has not been laid out yet have no width. */
static bool see_empty(GtkWidget *widget, void *data) {
  if (!gtk_widget_get_mapped(widget))
    return false;
  if (GTK_IS_LABEL(widget) && *gtk_label_get_text(GTK_LABEL(widget)) &&
      gtk_widget_get_width(widget) == 0)
    *(bool *)data = true;
  return true;
}

/* A label whose text has just changed has the room of the old one for a moment. */
static void see_labels(Look *look, GtkWidget *widget) {
  for (guint k = 0; k < ATTEMPTS; k++) {
    g_ptr_array_set_size(look->doubts, 0);
    gui_walk(widget, see_label, look);
    if (look->doubts->len == 0)
      return;
    gui_pass(0.1);
  }
  tell_doubts(look);
}

void look_at(Look *look, GtkWidget *widget, const char *place) {
  bool is_waiting = true;
  look->place = place;
  for (int k = 0; k < 100 && is_waiting; k++) {
    gui_pass(0.05);
    is_waiting = false;
    gui_walk(widget, see_empty, &is_waiting);
  }
  see_labels(look, widget);
}

/* ---- windows ---- */

void look_at_window(Look *look, GtkWidget *window, const char *place) {
  Gui gui = {.window = window};
  g_autofree char *name = g_strdup_printf("l10n-%s-%s", look->locale, place);
  int height;
  look_at(look, window, place);
  const int width = least_width(window);
  gtk_widget_measure(window, GTK_ORIENTATION_VERTICAL, MAX(width, WIDTH), &height, NULL, NULL,
                     NULL);
  if (!gui_is_whole(window))
    object(look, "the page", "is not seen as a whole");
  if (width > WIDTH || height > HEIGHT) {
    g_autofree char *what = g_strdup_printf("needs %d x %d pixels", width, height);
    object(look, "the window", what);
    tell_doubts(look);
    tell_widest(window);
  }
  gui_shoot(&gui, name);
}
