/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <sys/wait.h>

#include "support/dies.h"
#include "support/support.h"
#include "ui/connect/connection.h"

enum { START_S = 20 };

void outside_plug(Outside *self) {
  g_autofree char *speed = g_strdup_printf("%.0f", self->speed);
  const char *const argv[] = {g_getenv("ARMATURE_SIMULATOR"),
                              "--arm",
                              self->arm,
                              "--speed",
                              speed,
                              "--link",
                              self->port,
                              NULL};
  g_autoptr(GError) error = NULL;
  g_spawn_async(NULL, (char **)argv, NULL,
                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                test_dies_with_parent, NULL, &self->pid, &error);
  g_assert_no_error(error);
  for (int k = 0; k < 20 * START_S && !g_file_test(self->port, G_FILE_TEST_EXISTS); k++)
    gui_pass(0.05);
}

void outside_pull(Outside *self) {
  if (!self->pid)
    return;
  kill(self->pid, SIGKILL);
  waitpid(self->pid, NULL, 0);
  self->pid = 0;
  g_remove(self->port);
}

void outside_start(Outside *self, const char *name, double speed) {
  g_autofree char *relative = g_strdup_printf("data/robots/%s.arm.json", name);
  *self = (Outside){.folder = g_dir_make_tmp("armature-port-XXXXXX", NULL),
                    .arm = g_strdup(test_source_path(relative)),
                    .speed = speed};
  self->port = g_build_filename(self->folder, "arm", NULL);
  outside_plug(self);
}

void outside_stop(Outside *self) {
  outside_pull(self);
  g_rmdir(self->folder);
  g_free(self->folder);
  g_free(self->port);
  g_free(self->arm);
}

void outside_open(Outside *self, Gui *gui, AuiApplication *application) {
  GError *error = NULL;
  gui->session = aui_session_new(self->arm, &error);
  if (!gui->session || !aui_connect_path(gui->session, self->port, 1000000, &error))
    g_error("%s", error->message);
  gui->window = aui_window_new(ADW_APPLICATION(application), gui->session);
  gtk_window_present(GTK_WINDOW(gui->window));
  gui_until(gui, ASE_STEP_CHECK, 10.0);
}

void outside_do(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *words = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *line = g_strconcat("xdotool ", words, NULL);
  g_autoptr(GError) error = NULL;
  int status = 0;
  if (!g_spawn_command_line_sync(line, NULL, NULL, &status, &error) ||
      !g_spawn_check_wait_status(status, &error))
    g_error("%s: %s", line, error->message);
}

/* Without a window manager the window is at the screen's origin. */
void outside_point(Gui *gui, GtkWidget *widget) {
  graphene_rect_t at;
  double left, top;
  GtkWidget *window = GTK_WIDGET(gtk_widget_get_native(widget));
  (void)gui;
  g_assert_true(gtk_widget_compute_bounds(widget, window, &at));
  gtk_native_get_surface_transform(GTK_NATIVE(window), &left, &top);
  outside_do("mousemove %.0f %.0f", left + at.origin.x + 0.5 * at.size.width,
             top + at.origin.y + 0.5 * at.size.height);
}
