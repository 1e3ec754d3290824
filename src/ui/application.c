/* SPDX-License-Identifier: MIT */
#include "ui/application.h"

#include <glib/gi18n.h>

#include "io/file.h"
#include "sim/truth.h"
#include "ui/window.h"

#define PROGRAM "armature " ARMATURE_VERSION

struct _AuiApplication {
  AdwApplication parent_instance;
};

G_DEFINE_FINAL_TYPE(AuiApplication, aui_application, ADW_TYPE_APPLICATION)

/* ---- sessions ---- */

/* "puma560-truth2 2026-11-21 20.57.03.armsession": sorts, and is a name on every file system. */
static char *new_session_path(const char *arm_path) {
  g_autofree char *base = g_path_get_basename(arm_path);
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "armature", "sessions", NULL);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H.%M.%S");
  if (g_str_has_suffix(base, ".arm.json"))
    base[strlen(base) - strlen(".arm.json")] = '\0';
  g_autofree char *name =
      g_strdup_printf("%s %s.%03d.armsession", base, date, g_date_time_get_microsecond(now) / 1000);
  g_mkdir_with_parents(folder, 0700);
  return g_build_filename(folder, name, NULL);
}

AseSession *aui_session_new(const char *arm_path, GError **error) {
  enum { ARM_BYTES_MAX = 1 << 24 };
  gsize length;
  g_autofree char *text = aio_file_read_all(arm_path, ARM_BYTES_MAX, &length, error);
  if (!text)
    return NULL;
  g_autofree char *path = new_session_path(arm_path);
  return ase_session_create(path, PROGRAM, arm_path, text, error);
}

AseSession *aui_session_open(const char *path, GError **error) {
  if (g_str_has_suffix(path, ".arm.json"))
    return aui_session_new(path, error);
  g_autoptr(GError) refused = NULL;
  AseSession *session = ase_session_open(path, PROGRAM, NULL, &refused);
  if (session || (!g_error_matches(refused, AIO_ERROR, AIO_ERROR_BUSY) &&
                  !g_error_matches(refused, AIO_ERROR, AIO_ERROR_PERMISSION))) {
    if (!session)
      g_propagate_error(error, g_steal_pointer(&refused));
    return session;
  }
  return ase_session_open_read(path, error);
}

/* ---- the program ---- */

static void show(AuiApplication *self, AseSession *session) {
  GtkWidget *window = aui_window_new(ADW_APPLICATION(self), session);
  gtk_window_present(GTK_WINDOW(window));
  g_object_unref(session);
}

static void activate(GApplication *application) {
  g_autoptr(GError) error = NULL;
  g_autofree char *arm = asim_truth_find("truth2", &error);
  AseSession *session = arm ? aui_session_new(arm, &error) : NULL;
  if (session)
    show(AUI_APPLICATION(application), session);
  else
    g_printerr("armature: %s\n", error->message);
}

static void open_files(GApplication *application, GFile **files, int n, const char *hint) {
  (void)hint;
  for (int k = 0; k < n; k++) {
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_file_get_path(files[k]);
    AseSession *session = path ? aui_session_open(path, &error) : NULL;
    if (session)
      show(AUI_APPLICATION(application), session);
    else
      g_printerr("armature: %s\n", error ? error->message : _("not a file of this computer"));
  }
}

static void aui_application_class_init(AuiApplicationClass *class) {
  G_APPLICATION_CLASS(class)->activate = activate;
  G_APPLICATION_CLASS(class)->open = open_files;
}

static void aui_application_init(AuiApplication *self) {
  (void)self;
}

AuiApplication *aui_application_new(void) {
  return g_object_new(AUI_TYPE_APPLICATION, "application-id", "org.armature.Armature",
                      "resource-base-path", "/org/armature/Armature", "flags",
                      G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE, NULL);
}
