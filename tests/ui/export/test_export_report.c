/* SPDX-License-Identifier: MIT */
/* The report as the export page writes it: while it is written the page goes on, it can be given
 * up, and then there is no file. */
#include <glib/gstdio.h>
#include <string.h>

#include "gui.h"
#include "recorded.h"
#include "ui/export/export_files.h"

static AuiApplication *application;

typedef struct {
  Recorded recorded;
  Gui gui;
  AuiExportFiles *files;
  char *path;
} Case;

static bool find_files(GtkWidget *widget, void *data) {
  if (AUI_IS_EXPORT_FILES(widget))
    *(AuiExportFiles **)data = AUI_EXPORT_FILES(widget);
  return true;
}

static void case_open(Case *c) {
  *c = (Case){.files = NULL};
  recorded_init(&c->recorded, NULL);
  recorded_do(&c->recorded, ASE_STEP_FIT);
  c->path = g_build_filename(c->recorded.folder, "report.pdf", NULL);
  c->gui =
      (Gui){c->recorded.session, aui_window_new(ADW_APPLICATION(application), c->recorded.session)};
  gtk_window_present(GTK_WINDOW(c->gui.window));
  aui_window_show_page(AUI_WINDOW(c->gui.window), "export");
  gui_pass(0.3);
  gui_walk(c->gui.window, find_files, &c->files);
  g_assert_nonnull(c->files);
}

static void case_close(Case *c) {
  gtk_window_destroy(GTK_WINDOW(c->gui.window));
  gui_pass(0.1);
  g_free(c->path);
  recorded_clear(&c->recorded);
}

static bool find_progress(GtkWidget *widget, void *data) {
  if (GTK_IS_PROGRESS_BAR(widget) && gtk_widget_get_mapped(widget))
    *(GtkWidget **)data = widget;
  return gtk_widget_get_mapped(widget);
}

/* Negative: none is seen. */
static double progress(Gui *gui) {
  AuiExportFiles *files = NULL;
  GtkWidget *bar = NULL;
  gui_walk(gui->window, find_files, &files);
  gui_walk(GTK_WIDGET(files), find_progress, &bar);
  return bar ? gtk_progress_bar_get_fraction(GTK_PROGRESS_BAR(bar)) : -1.0;
}

static bool is_under_way(Gui *gui) {
  return progress(gui) > 0.3;
}
static bool is_over(Gui *gui) {
  return progress(gui) < 0.0;
}

static void test_write(void) {
  Case c;
  case_open(&c);
  g_assert_true(is_over(&c.gui));
  aui_export_files_save_report(c.files, c.path);
  gui_wait(is_under_way, &c.gui, 20.0, "the first pages");
  gui_shoot(&c.gui, "export-report");
  gui_wait(is_over, &c.gui, 30.0, "the report");
  g_assert_true(g_file_test(c.path, G_FILE_TEST_IS_REGULAR));
  case_close(&c);
}

static void test_cancel(void) {
  Case c;
  case_open(&c);
  aui_export_files_save_report(c.files, c.path);
  gui_wait(is_under_way, &c.gui, 20.0, "the first pages");
  gui_click(&c.gui, "_Cancel");
  g_assert_true(is_over(&c.gui));
  gui_pass(1.0);
  g_assert_false(g_file_test(c.path, G_FILE_TEST_EXISTS));
  case_close(&c);
}

/* The window is closed in the midst of it. */
static void test_close(void) {
  Case c;
  case_open(&c);
  aui_export_files_save_report(c.files, c.path);
  gui_wait(is_under_way, &c.gui, 20.0, "the first pages");
  g_autofree char *path = g_strdup(c.path);
  case_close(&c);
  g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = aui_application_new();
  if (!g_application_register(G_APPLICATION(application), NULL, NULL) || !gtk_init_check())
    return 77;
  g_test_add_func("/ui/export-report/write", test_write);
  g_test_add_func("/ui/export-report/cancel", test_cancel);
  g_test_add_func("/ui/export-report/close", test_close);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
