/* SPDX-License-Identifier: MIT */
/* A recording is looked at, and becomes a session: the demonstration to an exported file. */
#include <glib/gstdio.h>
#include <string.h>

#include "gui.h"
#include "recorded.h"
#include "support/support.h"
#include "ui/export/export.h"
#include "ui/fit/page_fit.h"
#include "ui/import/import.h"
#include "ui/import/import_file.h"
#include "ui/import/import_preview.h"

#define DEMO "data/demo/puma560_table1"

static AuiApplication *application;

/* ---- without a window ---- */

static const char *meaning(const AuiImport *import, const char *name) {
  for (guint k = 0; k < import->columns->len; k++) {
    const AuiImportColumn *column = import->columns->pdata[k];
    if (strcmp(column->name, name) == 0)
      return column->meaning;
  }
  return NULL;
}

static void test_read(void) {
  g_autofree char *csv = g_strdup(test_source_path(DEMO ".csv"));
  g_autofree char *arm = aui_import_sibling(csv, ".arm.json");
  g_assert_nonnull(arm);
  g_assert_null(aui_import_sibling(csv, ".columns.json"));
  AuiImport *import = aui_import_read(csv, NULL, arm);
  g_assert_null(import->problem);
  g_assert_cmpuint(import->recording->rows, ==, 5100);
  g_assert_cmpuint(import->rows, ==, AUI_IMPORT_ROWS);
  g_assert_cmpuint(import->line[0], ==, 2);
  g_assert_cmpstr(import->cells->pdata[2], ==, "-2.181662");
  g_assert_cmpstr(meaning(import, "q3_rad"), ==, "joint 3: position [rad]");
  g_assert_cmpstr(meaning(import, "i6_A"), ==, "joint 6: current [A]");
  g_autofree char *text = aui_import_summary(import, 0.2, NULL);
  g_assert_nonnull(strstr(text, "100 sweeps of joint 1, 2, 3, 4, 5, 6"));
  g_assert_true(import->has_meanings);
  aui_import_free(import);
  import = aui_import_read(csv, NULL, NULL);
  g_assert_nonnull(import->problem);
  g_assert_false(import->has_meanings);
  g_assert_cmpuint(import->rows, ==, AUI_IMPORT_ROWS); /* can be looked at nevertheless */
  aui_import_free(import);
}

/* A problem is told with its line. */
static void test_problem(void) {
  g_autofree char *folder = g_dir_make_tmp("armature-ui-XXXXXX", NULL), *bytes = NULL;
  g_autofree char *csv = g_build_filename(folder, "broken.csv", NULL);
  g_autofree char *arm = g_strdup(test_source_path(DEMO ".arm.json"));
  g_assert_true(g_file_get_contents(test_source_path(DEMO ".csv"), &bytes, NULL, NULL));
  char *at = strstr(bytes, "\n0.1667,");
  g_assert_nonnull(at);
  at[3] = 'o';
  g_assert_true(g_file_set_contents(csv, bytes, -1, NULL));
  AuiImport *import = aui_import_read(csv, NULL, arm);
  g_assert_null(import->recording);
  g_assert_nonnull(strstr(import->problem, "broken.csv:3:"));
  aui_import_free(import);
  g_unlink(csv);
  g_rmdir(folder);
}

/* ---- in its window ---- */

static GtkWindow *find_window(const char *title) {
  for (GList *l = gtk_application_get_windows(GTK_APPLICATION(application)); l; l = l->next)
    if (g_strcmp0(gtk_window_get_title(l->data), title) == 0)
      return l->data;
  return NULL;
}

static GtkWindow *find_session_window(void) {
  for (GList *l = gtk_application_get_windows(GTK_APPLICATION(application)); l; l = l->next)
    if (AUI_IS_WINDOW(l->data))
      return l->data;
  return NULL;
}

static bool may_begin(Gui *gui) {
  return gtk_widget_is_sensitive(gui_button(gui, "_Begin a session"));
}

static void test_window(void) {
  GError *error = NULL;
  aui_import_open(NULL, NULL, test_source_path(DEMO ".csv"), aui_window_show_imported);
  Gui gui = {.window = GTK_WIDGET(find_window("Open a recording"))};
  g_assert_nonnull(gui.window);
  gui_wait(may_begin, &gui, 10.0, "the recording to be read");
  gui_shoot(&gui, "import");
  gui_click(&gui, "_Begin a session");
  gui_pass(0.5);
  gui.window = GTK_WIDGET(find_session_window());
  g_assert_nonnull(gui.window);
  g_assert_null(find_window("Open a recording"));
  gui.session = aui_window_session(AUI_WINDOW(gui.window));
  g_assert_true(ase_session_is_imported(gui.session));
  gui_do(&gui, ASE_STEP_FIT, 20.0);
  gui_pass(0.3);
  gui_shoot(&gui, "import-fit");
  g_assert_true(ase_session_start(gui.session, ASE_STEP_VALIDATE, &error));
  aui_window_show_page(AUI_WINDOW(gui.window), "sweep");
  gui_pass(0.3);
  gui_shoot(&gui, "import-sweep");
  g_autofree char *path = g_build_filename(g_get_user_data_dir(), "parameters.json", NULL);
  g_assert_true(aui_export_write(gui.session, AUI_EXPORT_PARAMETERS, path, &error));
  g_assert_true(g_file_test(path, G_FILE_TEST_IS_REGULAR));
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
}

/* ---- of one joint ---- */

static guint joint_shown(GtkWidget *page) {
  return aui_fit_plots_shown(aui_page_fit_plots(AUI_PAGE_FIT(page)))->joint;
}

/* The page opens where there is something to see, also when it is there before the fit; then it
 * stays where somebody has gone. */
static void test_one_joint(void) {
  Recorded recorded;
  recorded_init_joint(&recorded, 2);
  Gui gui = {.session = recorded.session};
  GtkWidget *before = aui_page_fit_new(recorded.session);
  gui_show(&gui, recorded.session, before, 1060, 700);
  g_assert_cmpuint(joint_shown(before), ==, 6);
  gui_do(&gui, ASE_STEP_FIT, 20.0);
  g_assert_cmpuint(joint_shown(before), ==, 2);
  aui_page_fit_show(AUI_PAGE_FIT(before), 5);
  gui_do(&gui, ASE_STEP_FIT, 20.0);
  g_assert_cmpuint(joint_shown(before), ==, 5);
  GtkWidget *after = aui_page_fit_new(recorded.session);
  gtk_window_set_child(GTK_WINDOW(gui.window), after);
  g_assert_cmpuint(joint_shown(after), ==, 2);
  gui_pass(0.5);
  gui_shoot(&gui, "import-one-joint");
  gtk_window_destroy(GTK_WINDOW(gui.window));
  gui_pass(0.1);
  recorded_clear(&recorded);
}

/* ---- without an arm ---- */

typedef struct {
  const char *part;
  guint count;
} Texts;

static bool count_text(GtkWidget *widget, void *data) {
  Texts *texts = data;
  if (GTK_IS_LABEL(widget) && strstr(gtk_label_get_text(GTK_LABEL(widget)), texts->part))
    texts->count++;
  return true;
}

static guint count_texts(Gui *gui, const char *part) {
  Texts texts = {part, 0};
  gui_walk(gui->window, count_text, &texts);
  return texts.count;
}

static bool is_read(Gui *gui) {
  return count_texts(gui, "q1_rad") > 0;
}

/* Nothing is "not used" that nobody has asked for yet. */
static void test_no_arm(void) {
  g_autofree char *folder = g_dir_make_tmp("armature-ui-XXXXXX", NULL), *bytes = NULL;
  g_autofree char *csv = g_build_filename(folder, "alone.csv", NULL);
  g_assert_true(g_file_get_contents(test_source_path(DEMO ".csv"), &bytes, NULL, NULL));
  g_assert_true(g_file_set_contents(csv, bytes, -1, NULL));
  aui_import_open(NULL, NULL, csv, aui_window_show_imported);
  Gui gui = {.window = GTK_WIDGET(find_window("Open a recording"))};
  gui_wait(is_read, &gui, 10.0, "the recording to be read");
  g_assert_cmpuint(count_texts(&gui, "not used"), ==, 0);
  g_assert_cmpuint(count_texts(&gui, "once the arm is chosen"), ==, 1);
  gui_shoot(&gui, "import-no-arm");
  gtk_window_destroy(GTK_WINDOW(gui.window));
  g_unlink(csv);
  g_rmdir(folder);
}

static void test_nothing(void) {
  aui_import_open(NULL, NULL, NULL, aui_window_show_imported);
  Gui gui = {.window = GTK_WIDGET(find_window("Open a recording"))};
  gui_pass(0.3);
  g_assert_false(may_begin(&gui));
  gui_shoot(&gui, "import-nothing");
  gtk_window_destroy(GTK_WINDOW(gui.window));
}

/* A stranger's table without one column that could be read; a critical message ends the test. */
static void test_no_columns(void) {
  AuiImport import = {.columns = g_ptr_array_new(), .cells = g_ptr_array_new()};
  GtkWidget *card = g_object_ref_sink(aui_import_preview_new(&import));
  g_assert_false(gtk_widget_get_visible(card));
  g_object_unref(card);
  g_ptr_array_unref(import.columns);
  g_ptr_array_unref(import.cells);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/import/read", test_read);
  g_test_add_func("/ui/import/problem", test_problem);
  g_test_add_func("/ui/import/window", test_window);
  g_test_add_func("/ui/import/one-joint", test_one_joint);
  g_test_add_func("/ui/import/no-arm", test_no_arm);
  g_test_add_func("/ui/import/nothing", test_nothing);
  g_test_add_func("/ui/import/no-columns", test_no_columns);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
