/* SPDX-License-Identifier: MIT */
/* Every page in one language: no label is cut, every letter has a glyph, the window keeps to
 * 1280 x 800, and numbers are the locale's on the screen and nobody's in files. Run by
 * in_locale.sh. */
#include <libintl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "english.h"
#include "look.h"
#include "ui/kit/format.h"
#include "ui/kit/language.h"
#include "ui/kit/steps.h"
#include "ui/recorded.h"
#include "ui/sweep/motion_side.h"
#include "ui/sweep/own_motion.h"
#include "windows.h"

static AuiApplication *application;
static const char *locale; /* "de_DE", "pseudo-rtl" */

static void see_page(Look *look, Gui *gui, const char *place) {
  look_at_window(look, gui->window, place);
  look_at_width(look, gui->window);
}

static bool find_tabs(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (GTK_IS_STACK(widget) && gtk_widget_get_mapped(widget) &&
      gtk_stack_get_child_by_name(GTK_STACK(widget), "verdict"))
    *found = widget;
  return !*found;
}

/* The tables behind the page Fit. */
static void see_tabs(Look *look, Gui *gui) {
  static const char *const tabs[] = {"all", "verdict"};
  GtkWidget *stack = NULL;
  gui_walk(gui->window, find_tabs, &stack);
  for (guint k = 0; stack && k < G_N_ELEMENTS(tabs); k++) {
    g_autofree char *place = g_strdup_printf("fit-%s", tabs[k]);
    gtk_stack_set_visible_child_name(GTK_STACK(stack), tabs[k]);
    see_page(look, gui, place);
  }
}

/* Chinese and Japanese may be broken after each letter: heads of narrow columns would stand
 * upright. */
static bool see_heads(GtkWidget *widget, void *data) {
  (void)data;
  for (int k = 0; GTK_IS_GRID(widget) && gtk_grid_get_child_at(GTK_GRID(widget), k, 0); k++) {
    GtkLabel *head = GTK_LABEL(gtk_grid_get_child_at(GTK_GRID(widget), k, 0));
    if (pango_layout_get_line_count(gtk_label_get_layout(head)) == 1)
      continue;
    g_test_message("the head \"%s\" is broken", gtk_label_get_text(head));
    g_test_fail();
  }
  return true;
}

static bool see_side(GtkWidget *widget, void *data) {
  if (AUI_IS_MOTION_SIDE(widget))
    gui_walk(widget, see_heads, data);
  return true;
}

/* Beyond the steps. */
static void see_motion(Look *look, Gui *gui) {
  own_motion_show(gui);
  see_page(look, gui, "motion-empty");
  if (ase_device_link(ase_session_device(gui->session)) != ASE_LINK_READY)
    return;
  own_motion_show_taken(gui);
  see_page(look, gui, "motion");
  gui_walk(gui->window, see_side, NULL);
}

static void see_pages(Gui *gui, AuiScreen first, AuiScreen last) {
  Look look;
  look_init(&look, locale);
  for (AuiScreen screen = first; screen <= last; screen++) {
    aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(screen));
    see_page(&look, gui, aui_screen_key(screen));
    if (screen == AUI_SCREEN_FIT)
      see_tabs(&look, gui);
  }
  see_motion(&look, gui);
  look_end(&look, 50);
}

/* A joint that fails says why, in the narrowest column of its table. */
static void validate_strictly(Recorded *recorded) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(recorded->session), sizeof *edits);
  edits->validation_percent = 0.1;
  ase_session_set_edits(recorded->session, edits, "1");
  g_assert_false(recorded_try(recorded, ASE_STEP_VALIDATE));
}

/* A string that every language has: nobody would see that a catalogue was not found. */
static void test_language(void) {
  g_assert_cmpstr(gettext("Sweep"), !=, "Sweep");
}

static void test_arm_pages(void) {
  Gui gui;
  gui_open(&gui, application, "puma560-truth2", 1.0);
  english_allow_arm(ase_session_arm(gui.session));
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  see_pages(&gui, AUI_SCREEN_CONNECT, AUI_SCREEN_SWEEP);
  gui_close(&gui);
}

static void test_result_pages(void) {
  Gui gui;
  Recorded recorded;
  recorded_init(&recorded, NULL);
  recorded_do(&recorded, ASE_STEP_FIT);
  validate_strictly(&recorded);
  gui.session = g_object_ref(recorded.session);
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  english_allow_arm(ase_session_arm(gui.session));
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
  locale = g_getenv("ARMATURE_LOOK");
  g_test_init(&argc, &argv, NULL);
  application = aui_application_new();
  if (!locale || !g_application_register(G_APPLICATION(application), NULL, NULL) ||
      !gtk_init_check())
    return 77;
  if (g_getenv("ARMATURE_RTL"))
    gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
  g_test_add_func("/l10n/language", test_language);
  g_test_add_func("/l10n/numbers", test_numbers);
  g_test_add_func("/l10n/arm_pages", test_arm_pages);
  g_test_add_func("/l10n/result_pages", test_result_pages);
  windows_add_cases(application, locale);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
