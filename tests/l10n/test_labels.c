/* SPDX-License-Identifier: MIT */
/* Every page in one language: no label is cut, every letter has a glyph, the window keeps to
 * 1280 x 800, and numbers are the locale's on the screen and nobody's in files. Run by
 * in_locale.sh. */
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "ui/format.h"
#include "ui/gui.h"
#include "ui/language.h"
#include "ui/recorded.h"
#include "ui/steps.h"

enum { WIDTH = 1280, HEIGHT = 800 };

static AuiApplication *application;
static const char *look; /* "de_DE", "pseudo-rtl" */

typedef struct {
  const char *page;
  GHashTable *told; /* of texts */
  guint labels;
} Seen;

static void object(Seen *seen, const char *text, const char *what) {
  g_autofree char *line = g_strdup_printf("%s, page %s: \"%s\" %s", look, seen->page, text, what);
  if (g_hash_table_add(seen->told, g_steal_pointer(&line)))
    g_test_message("%s, page %s: \"%s\" %s", look, seen->page, text, what);
}

static bool see_label(GtkWidget *widget, void *data) {
  Seen *seen = data;
  if (!gtk_widget_get_mapped(widget))
    return false;
  if (!GTK_IS_LABEL(widget))
    return true;
  GtkLabel *label = GTK_LABEL(widget);
  PangoLayout *layout = gtk_label_get_layout(label);
  const char *text = gtk_label_get_text(label);
  int natural;
  seen->labels++;
  pango_layout_get_pixel_size(layout, &natural, NULL);
  if (pango_layout_get_unknown_glyphs_count(layout) > 0)
    object(seen, text, "has letters without a glyph");
  if (g_regex_match_simple("^-?[0-9.,]+\\([0-9]+\\)$|^-[0-9.,]+$", text, 0, 0) &&
      gtk_widget_get_direction(widget) != GTK_TEXT_DIR_LTR)
    object(seen, text, "is written from right to left");
  if (!gtk_label_get_wrap(label) && gtk_label_get_ellipsize(label) == PANGO_ELLIPSIZE_NONE &&
      gtk_widget_get_width(widget) < natural) {
    g_autofree char *what =
        g_strdup_printf("has %d of %d pixels", gtk_widget_get_width(widget), natural);
    object(seen, text, what);
  }
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

static void wait_for_layout(GtkWidget *window) {
  bool is_waiting = true;
  for (int k = 0; k < 50 && is_waiting; k++) {
    gui_pass(0.1);
    is_waiting = false;
    gui_walk(window, see_empty, &is_waiting);
  }
}

static int least_width(GtkWidget *widget) {
  int width;
  gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  return width;
}

/* What makes the window wide: the widest child, and its widest child, ... */
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

/* The window does not grow beyond what was asked for. */
static void see_size(Seen *seen, GtkWidget *window) {
  int height;
  const int width = least_width(window);
  gtk_widget_measure(window, GTK_ORIENTATION_VERTICAL, MAX(width, WIDTH), &height, NULL, NULL,
                     NULL);
  if (width > WIDTH || height > HEIGHT) {
    g_autofree char *what = g_strdup_printf("needs %d x %d pixels", width, height);
    object(seen, "the window", what);
    tell_widest(window);
  }
}

static void see_pages(Gui *gui, AuiScreen first, AuiScreen last) {
  Seen seen = {.told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL)};
  for (AuiScreen screen = first; screen <= last; screen++) {
    g_autofree char *name = g_strdup_printf("l10n-%s-%s", look, aui_screen_key(screen));
    seen.page = aui_screen_key(screen);
    aui_window_show_page(AUI_WINDOW(gui->window), seen.page);
    wait_for_layout(gui->window);
    see_size(&seen, gui->window);
    gui_walk(gui->window, see_label, &seen);
    gui_shoot(gui, name);
  }
  g_assert_cmpuint(seen.labels, >, 50);
  if (g_hash_table_size(seen.told) > 0)
    g_test_fail();
  g_hash_table_unref(seen.told);
}

/* A string that every language has: nobody would see that a catalogue was not found. */
static void test_language(void) {
  g_assert_cmpstr(gettext("Sweep"), !=, "Sweep");
}

static void test_arm_pages(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", 1.0);
  see_pages(&gui, AUI_SCREEN_CONNECT, AUI_SCREEN_SWEEP);
  gui_close(&gui);
}

static void test_result_pages(void) {
  Gui gui;
  Recorded recorded;
  recorded_init(&recorded, NULL);
  recorded_do(&recorded, ASE_STEP_FIT);
  recorded_do(&recorded, ASE_STEP_VALIDATE);
  gui.session = g_object_ref(recorded.session);
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  see_pages(&gui, AUI_SCREEN_CONNECT, AUI_SCREEN_EXPORT);

  g_autofree char *parameters = ase_session_parameters(recorded.session, NULL);
  g_assert_false(g_regex_match_simple("[0-9],[0-9]", parameters, 0, 0)); /* lists have spaces */
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  g_object_unref(gui.session);
  recorded_clear(&recorded);
}

/* German and French write 0,5; Chinese and Japanese 0.5. */
static void test_numbers(void) {
  const char *point = localeconv()->decimal_point;
  const bool is_comma = g_str_has_prefix(setlocale(LC_NUMERIC, NULL), "de") ||
                        g_str_has_prefix(setlocale(LC_NUMERIC, NULL), "fr");
  g_autofree char *expected = g_strdup_printf("0%s0221(16)", point);
  g_autofree char *estimate = aui_format_estimate(0.02213, 0.00164);
  g_assert_cmpstr(point, ==, is_comma ? "," : ".");
  g_assert_cmpstr(estimate, ==, expected);
}

int main(int argc, char **argv) {
  aui_language_init();
  if (g_getenv("ARMATURE_TEXTS"))
    bindtextdomain("armature", g_getenv("ARMATURE_TEXTS"));
  look = g_getenv("ARMATURE_LOOK");
  g_test_init(&argc, &argv, NULL);
  application = aui_application_new();
  if (!look || !g_application_register(G_APPLICATION(application), NULL, NULL) || !gtk_init_check())
    return 77;
  if (g_getenv("ARMATURE_RTL"))
    gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
  g_test_add_func("/l10n/language", test_language);
  g_test_add_func("/l10n/numbers", test_numbers);
  g_test_add_func("/l10n/arm_pages", test_arm_pages);
  g_test_add_func("/l10n/result_pages", test_result_pages);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
