/* SPDX-License-Identifier: MIT */
/* What leaves no misfit and is hardly right all the same - a speed in deg/s - is told on the page
 * Fit, in its list, and before an export; each kind in words of its own. Pictures of it. */
#include <adwaita.h>
#include <math.h>
#include <string.h>

#include "gui.h"
#include "recorded.h"
#include "session/method/gravity.h"
#include "ui/fit/doubt_words.h"
#include "ui/fit/page_fit.h"
#include "ui/fit/verdict_bar.h"
#include "ui/kit/steps.h"

static AuiApplication *application;

static void to_degrees(AioRecording *recording) {
  for (gsize k = 0; k < recording->rows; k++)
    recording->qd[2 * recording->rows + k] *= 180.0 / G_PI;
}

/* as far as its speeds tell */
static void move_all(AioRecording *recording) {
  for (gsize k = 0; k < recording->rows; k++)
    for (gsize j = 0; j < recording->n; j++)
      recording->qd[j * recording->rows + k] =
          recording->qd[(gsize)(recording->joint[k] - 1) * recording->rows + k];
}

typedef struct {
  const char *part;
  guint seen;
} Sought;

static bool seek(GtkWidget *widget, void *data) {
  Sought *sought = data;
  if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
      strstr(gtk_label_get_text(GTK_LABEL(widget)), sought->part))
    sought->seen++;
  return true;
}

static guint count_in(Gui *gui, AuiPart place, const char *part) {
  Sought sought = {.part = part};
  gui_walk(aui_window_part(AUI_WINDOW(gui->window), place), seek, &sought);
  return sought.seen;
}

/* On the page: what the steps and the button for what is next say is no matter of it. */
static guint count(Gui *gui, const char *part) {
  Sought sought = {.part = part};
  gui_walk(gui->window, seek, &sought);
  return sought.seen - count_in(gui, AUI_PART_STEPS, part) - count_in(gui, AUI_PART_NEXT, part);
}

static void shoot(Gui *gui, const char *what) {
  static const int sizes[][2] = {{1280, 800}, {1920, 1080}};
  AdwStyleManager *style = adw_style_manager_get_default();
  for (guint k = 0; k < 2 && g_getenv("ARMATURE_SHOTS"); k++) {
    g_autofree char *name = g_strdup_printf("doubts-%s-%d", what, sizes[k][0]);
    gtk_window_set_default_size(GTK_WINDOW(gui->window), sizes[k][0], sizes[k][1]);
    adw_style_manager_set_color_scheme(style,
                                       k ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_DEFAULT);
    gui_pass(1.0);
    gui_shoot(gui, name);
  }
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
}

static void open_window(Gui *gui, Recorded *recorded) {
  gui->session = recorded->session;
  gui->window = aui_window_new(ADW_APPLICATION(application), gui->session);
  gtk_window_present(GTK_WINDOW(gui->window));
}

static void show_page(Gui *gui, const char *page) {
  aui_window_show_page(AUI_WINDOW(gui->window), page);
  gui_pass(0.3);
}

static void close_window(Gui *gui, Recorded *recorded) {
  gtk_window_destroy(GTK_WINDOW(gui->window));
  gui_pass(0.1);
  recorded_clear(recorded);
}

static void test_window(void) {
  static const char said[] = "is the speed in deg/s where rad/s is meant?";
  Gui gui;
  Recorded recorded;
  recorded_init_changed(&recorded, to_degrees);
  recorded_do(&recorded, ASE_STEP_FIT);
  gui.session = recorded.session;
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  aui_window_show_page(AUI_WINDOW(gui.window), "fit");
  gui_pass(0.3);
  g_assert_cmpuint(count(&gui, said), ==, 1);
  shoot(&gui, "fit");
  gui_click(&gui, "See all");
  gui_pass(0.3);
  g_assert_cmpuint(count(&gui, "See all"), ==, 0);
  g_assert_cmpuint(count(&gui, said), ==, 2);
  g_assert_cmpuint(count(&gui, "What looks wrong"), ==, 1);
  shoot(&gui, "list");
  static const char *const others[] = {"validate", "export"};
  for (guint k = 0; k < G_N_ELEMENTS(others); k++) {
    aui_window_show_page(AUI_WINDOW(gui.window), others[k]);
    gui_pass(0.3);
    g_assert_cmpuint(count(&gui, said), ==, 1);
  }
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

/* ---- what the other places say then ---- */

typedef struct {
  GType type;
  GtkWidget *found;
} OfType;

static bool find_type(GtkWidget *widget, void *data) {
  OfType *wanted = data;
  if (G_TYPE_CHECK_INSTANCE_TYPE(widget, wanted->type))
    wanted->found = widget;
  return true;
}

static bool see_icon(GtkWidget *widget, void *data) {
  if (GTK_IS_IMAGE(widget) && gtk_image_get_icon_name(GTK_IMAGE(widget)))
    g_string_append_printf(data, "%s ", gtk_image_get_icon_name(GTK_IMAGE(widget)));
  return true;
}

/* Of the line with the verdict. */
static void assert_icon(Gui *gui, AseStepState state) {
  OfType bar = {.type = AUI_TYPE_VERDICT_BAR};
  g_autoptr(GString) icons = g_string_new(NULL);
  gui_walk(gui->window, find_type, &bar);
  g_assert_nonnull(bar.found);
  gui_walk(bar.found, see_icon, icons);
  g_assert_true(g_str_has_prefix(icons->str, aui_state_icon(state)));
}

static guint count_next(Gui *gui, const char *part) {
  return count_in(gui, AUI_PART_NEXT, part);
}

/* It fits, has passed nothing, and is not the end of it. */
static void test_unjudged(void) {
  Gui gui;
  Recorded recorded;
  recorded_init_changed(&recorded, to_degrees);
  recorded_do(&recorded, ASE_STEP_FIT);
  recorded_do(&recorded, ASE_STEP_VALIDATE);
  open_window(&gui, &recorded);
  show_page(&gui, "fit");
  g_assert_cmpint(gui_state(&gui, ASE_STEP_FIT), ==, ASE_STATE_UNJUDGED);
  assert_icon(&gui, ASE_STATE_UNJUDGED);
  ase_session_exported(gui.session, "/nowhere/parameters.json");
  gui_pass(0.2);
  g_assert_cmpuint(count_next(&gui, "Done"), ==, 0);
  g_assert_cmpuint(count_next(&gui, "See what was not judged"), ==, 1);
  g_assert_cmpuint(count_next(&gui, "is the speed in deg/s where rad/s is meant?"), ==, 1);
  shoot(&gui, "unjudged");
  close_window(&gui, &recorded);
}

static void turn_round(AioRecording *recording) {
  for (gsize k = 0; k < recording->rows; k++)
    recording->current[2 * recording->rows + k] *= -1.0;
}

/* No misfit, and failed all the same: nothing beside it is green, and what is next is no fit. */
static void test_wrong_sign(void) {
  Gui gui;
  Recorded recorded;
  recorded_init_of(&recorded, "data/robots/puma560-table1.arm.json", turn_round);
  g_assert_false(recorded_try(&recorded, ASE_STEP_FIT));
  g_assert_cmpint(ase_gravity_of(ase_session_fit(recorded.session))->verdict.verdict, ==,
                  ARM_VERDICT_FITS);
  open_window(&gui, &recorded);
  show_page(&gui, "fit");
  assert_icon(&gui, ASE_STATE_FAILED);
  g_assert_cmpuint(count(&gui, "The fit is not good yet: its friction helps the motion"), ==, 1);
  g_assert_cmpuint(count(&gui, "The model fits"), ==, 0);
  g_assert_cmpuint(count_next(&gui, "See why the fit failed"), ==, 1);
  g_assert_cmpuint(count_next(&gui, "its friction helps the motion"), ==, 1);
  shoot(&gui, "wrong-sign");
  close_window(&gui, &recorded);
}

static void to_magnitudes(AioRecording *recording) {
  for (gsize k = 0; k < recording->n * recording->rows; k++)
    recording->current[k] = fabs(recording->current[k]);
}

static bool is_diagnosed(Gui *gui) {
  return ase_session_diagnosis(gui->session)->state == ASE_DIAGNOSIS_DONE;
}

/* Before causes that are looked for as if the recording were right. */
static void test_causes(void) {
  Gui gui;
  Recorded recorded;
  GError *error = NULL;
  recorded_init_changed(&recorded, to_magnitudes);
  g_assert_false(recorded_try(&recorded, ASE_STEP_FIT));
  open_window(&gui, &recorded);
  show_page(&gui, "fit");
  g_assert_true(ase_session_diagnose(gui.session, &error));
  gui_wait(is_diagnosed, &gui, 60.0, "the causes");
  gui_click(&gui, "See the causes");
  gui_pass(0.3);
  g_assert_cmpuint(count(&gui, "First of all: Joint 1: "), ==, 1);
  shoot(&gui, "causes");
  close_window(&gui, &recorded);
}

static void test_sound(void) {
  Gui gui;
  Recorded recorded;
  recorded_init(&recorded, NULL);
  recorded_do(&recorded, ASE_STEP_FIT);
  g_autofree char *summary =
      aui_doubt_summary(ase_gravity_of(ase_session_fit(recorded.session)), true);
  g_assert_cmpstr(summary, ==, "");
  gui.session = recorded.session;
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  aui_window_show_page(AUI_WINDOW(gui.window), "fit");
  gui_pass(0.3);
  g_assert_cmpuint(count(&gui, "See all"), ==, 0);
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

static void add_spike(AioRecording *recording) {
  recording->current[recording->rows + 1085] += 3.0; /* joint 2 */
}

/* What is not severe is seen on the same pages. */
static void test_remark(void) {
  static const char *const pages[] = {"fit", "validate", "export"};
  Gui gui;
  Recorded recorded;
  recorded_init_changed(&recorded, add_spike);
  recorded_do(&recorded, ASE_STEP_FIT);
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(recorded.session));
  g_autofree char *severe = aui_doubt_summary(fit, true), *remark = aui_doubt_summary(fit, false);
  g_assert_cmpstr(severe, ==, "");
  g_assert_nonnull(strstr(remark, "1 sample far off was left out"));
  open_window(&gui, &recorded);
  for (guint k = 0; k < G_N_ELEMENTS(pages); k++) {
    show_page(&gui, pages[k]);
    g_assert_cmpuint(count(&gui, "1 sample far off was left out"), ==, 1);
    shoot(&gui, pages[k]);
  }
  close_window(&gui, &recorded);
}

static void to_milliamperes(AioRecording *recording) {
  for (gsize k = 0; k < recording->rows; k++) {
    double *current = &recording->current[3 * recording->rows + k];
    *current = 1e3 * *current + (*current > 0 ? 100.0 : -100.0); /* none is small by chance */
  }
}

static bool is_number(GtkWidget *widget, void *data) {
  const char *text = GTK_IS_LABEL(widget) ? gtk_label_get_text(GTK_LABEL(widget)) : "";
  (void)data;
  if (g_regex_match_simple("(?i)\\b(nan|inf)\\b", text, 0, 0))
    g_error("\"%s\"", text);
  return true;
}

static bool find_page(GtkWidget *widget, void *data) {
  if (AUI_IS_PAGE_FIT(widget))
    *(GtkWidget **)data = widget;
  return true;
}

/* A joint in mA is all beyond its limit: nobody reads numbers that are none, nor is asked to sweep
 * it once more. */
static void test_milliamperes(void) {
  static const char *const pages[] = {"sweep", "fit", "validate", "export"};
  static const char *const tabs[] = {"verdict", "all", "joint"};
  Gui gui;
  Recorded recorded;
  recorded_init_of(&recorded, "data/robots/puma560-table1.arm.json", to_milliamperes);
  g_assert_false(recorded_try(&recorded, ASE_STEP_FIT));
  open_window(&gui, &recorded);
  for (guint k = 0; k < G_N_ELEMENTS(pages); k++) {
    show_page(&gui, pages[k]);
    gui_walk(gui.window, is_number, NULL);
  }
  show_page(&gui, "fit");
  g_assert_cmpuint(count(&gui, "is it in A, and is the limit right?"), ==, 1);
  GtkWidget *page = NULL;
  gui_walk(gui.window, find_page, &page);
  GtkStack *stack = GTK_STACK(gtk_widget_get_template_child(page, AUI_TYPE_PAGE_FIT, "stack"));
  aui_page_fit_show(AUI_PAGE_FIT(page), 4);
  for (guint k = 0; k < G_N_ELEMENTS(tabs); k++) {
    gtk_stack_set_visible_child_name(stack, tabs[k]);
    gui_pass(0.3);
    gui_walk(gui.window, is_number, NULL);
    g_assert_cmpuint(count(&gui, "sweep it"), ==, 0);
    g_assert_cmpuint(count(&gui, "record sweeps of it"), ==, 0);
  }
  close_window(&gui, &recorded);
}

/* The session copies rows: what others do in them is not lost. */
static void test_many_move(void) {
  Recorded recorded;
  recorded_init_changed(&recorded, move_all);
  recorded_try(&recorded, ASE_STEP_FIT);
  g_autofree char *summary =
      aui_doubt_summary(ase_gravity_of(ase_session_fit(recorded.session)), true);
  g_assert_nonnull(strstr(summary, "6 joints move at once"));
  recorded_clear(&recorded);
}

/* All kinds, and what a speed looks like: no two sound the same. */
static void test_words(void) {
  static ArmGravityFit fit;
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  guint texts = 0;
  fit.refined.n = 6;
  for (int kind = 0; kind < ARM_DOUBTS; kind++)
    for (int unit = 0; unit < (kind == ARM_DOUBT_SPEED_UNIT ? ARM_SPEED_UNITS : 1); unit++) {
      const ArmDoubt doubt = {.kind = (ArmDoubtKind)kind,
                              .unit = (ArmSpeedUnit)(kind ? 0 : MAX(unit, 1)),
                              .joint = 2,
                              .other = 3,
                              .found = 2.5,
                              .expected = 1.5,
                              .time = 4.0,
                              .count = 3,
                              .rows = 30};
      char *text = aui_doubt_text(&fit, &doubt);
      g_assert_true(*text && !strstr(text, "(null)"));
      texts += g_hash_table_add(seen, text);
    }
  g_assert_cmpuint(texts, ==, ARM_DOUBTS + ARM_SPEED_UNITS - 2);
  for (size_t k = 0; k < 3; k++)
    fit.doubts.at[k] = (ArmDoubt){.kind = k ? ARM_DOUBT_NO_SIGNAL : ARM_DOUBT_JITTER, .joint = k};
  fit.doubts.count = 3;
  g_autofree char *summary = aui_doubt_summary(&fit, true);
  g_assert_true(g_str_has_prefix(summary, "Joint 2: "));
  g_assert_true(g_str_has_suffix(summary, "(and 1 more)"));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/doubts/words", test_words);
  g_test_add_func("/ui/doubts/window", test_window);
  g_test_add_func("/ui/doubts/unjudged", test_unjudged);
  g_test_add_func("/ui/doubts/wrong-sign", test_wrong_sign);
  g_test_add_func("/ui/doubts/causes", test_causes);
  g_test_add_func("/ui/doubts/sound", test_sound);
  g_test_add_func("/ui/doubts/remark", test_remark);
  g_test_add_func("/ui/doubts/milliamperes", test_milliamperes);
  g_test_add_func("/ui/doubts/many-move", test_many_move);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
