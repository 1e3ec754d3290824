/* SPDX-License-Identifier: MIT */
#include "ui/application.h"

#include <glib/gi18n.h>

#include "io/file.h"
#include "sim/truth.h"
#include "ui/connection.h"
#include "ui/import.h"
#include "ui/stop_keys.h"
#include "ui/window.h"

struct _AuiApplication {
  AdwApplication parent_instance;
  GtkFileChooserNative *chooser; /* NULL: none is open */
};

G_DEFINE_FINAL_TYPE(AuiApplication, aui_application, ADW_TYPE_APPLICATION)

/* ---- sessions ---- */

char *aui_session_path(const char *source) {
  static const char *const endings[] = {".arm.json", ".csv"};
  g_autofree char *base = g_path_get_basename(source);
  g_autofree char *folder = g_build_filename(g_get_user_data_dir(), "armature", "sessions", NULL);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H.%M.%S");
  for (gsize k = 0; k < G_N_ELEMENTS(endings); k++)
    if (g_str_has_suffix(base, endings[k]))
      base[strlen(base) - strlen(endings[k])] = '\0';
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
  g_autofree char *path = aui_session_path(arm_path);
  return ase_session_create(path, AUI_PROGRAM, arm_path, text, error);
}

AseSession *aui_session_open(const char *path, GError **error) {
  if (g_str_has_suffix(path, ".arm.json"))
    return aui_session_new(path, error);
  g_autoptr(GError) refused = NULL;
  AseSession *session = ase_session_open(path, AUI_PROGRAM, NULL, &refused);
  if (session || (!g_error_matches(refused, AIO_ERROR, AIO_ERROR_BUSY) &&
                  !g_error_matches(refused, AIO_ERROR, AIO_ERROR_PERMISSION))) {
    if (!session)
      g_propagate_error(error, g_steal_pointer(&refused));
    return session;
  }
  return ase_session_open_read(path, error);
}

/* ---- windows ---- */

static AseSession *session_of(GtkWindow *window) {
  return AUI_IS_WINDOW(window) ? aui_window_session(AUI_WINDOW(window)) : NULL;
}

static void show(AuiApplication *self, AseSession *session) {
  GtkWidget *window = aui_window_new(ADW_APPLICATION(self), session);
  gtk_window_present(GTK_WINDOW(window));
  g_object_unref(session);
}

static void open_path(AuiApplication *self, const char *path) {
  GtkWindow *parent = gtk_application_get_active_window(GTK_APPLICATION(self));
  if (path && g_str_has_suffix(path, ".csv")) {
    aui_import_open(parent, path);
    return;
  }
  g_autoptr(GError) error = NULL;
  AseSession *session = path ? aui_session_open(path, &error) : NULL;
  GtkWindow *window = gtk_application_get_active_window(GTK_APPLICATION(self));
  if (session)
    show(self, session);
  else if (window)
    gtk_widget_activate_action(GTK_WIDGET(window), "session.say", "s",
                               error ? error->message : _("not a file of this computer"));
  else
    g_printerr("armature: %s\n", error ? error->message : _("not a file of this computer"));
}

/* ---- actions ---- */

static void on_chosen(AuiApplication *self, int response) {
  g_autoptr(GtkFileChooserNative) chooser = g_steal_pointer(&self->chooser);
  if (response != GTK_RESPONSE_ACCEPT)
    return;
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser));
  g_autofree char *path = g_file_get_path(file);
  if (path)
    open_path(self, path);
}

/* Nothing modal while the arm is armed. */
static void on_open(GSimpleAction *action, GVariant *parameter, gpointer data) {
  AuiApplication *self = data;
  GtkWindow *window = gtk_application_get_active_window(GTK_APPLICATION(self));
  AseSession *session = session_of(window);
  (void)action, (void)parameter;
  if (self->chooser || (session && ase_device_is_armed(ase_session_device(session))))
    return;
  self->chooser =
      gtk_file_chooser_native_new(_("Open a session, or begin one with an arm file"), window,
                                  GTK_FILE_CHOOSER_ACTION_OPEN, _("_Open"), _("_Cancel"));
  g_signal_connect_object(self->chooser, "response", G_CALLBACK(on_chosen), self,
                          G_CONNECT_SWAPPED);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(self->chooser));
}

/* A window beside the session's, which obeys the same two keys. */
static void show_beside(GtkWindow *parent, GtkWindow *window) {
  AseSession *session = session_of(parent);
  if (session)
    aui_stop_keys_install(GTK_WIDGET(window), session);
  gtk_window_set_modal(window, false);
  gtk_window_set_transient_for(window, parent);
  gtk_window_present(window);
}

/* Nothing modal: it may open at any time. */
static void on_import(GSimpleAction *action, GVariant *parameter, gpointer data) {
  (void)action, (void)parameter;
  aui_import_open(gtk_application_get_active_window(data), NULL);
}

static void on_shortcuts(GSimpleAction *action, GVariant *parameter, gpointer data) {
  g_autoptr(GtkBuilder) builder =
      gtk_builder_new_from_resource("/org/armature/Armature/shortcuts.ui");
  (void)action, (void)parameter;
  show_beside(gtk_application_get_active_window(data),
              GTK_WINDOW(gtk_builder_get_object(builder, "shortcuts")));
}

static void on_about(GSimpleAction *action, GVariant *parameter, gpointer data) {
  GtkWidget *about = adw_about_window_new();
  (void)action, (void)parameter;
  g_object_set(about, "application-name", "Armature", "application-icon", "org.armature.Armature",
               "version", ARMATURE_VERSION, "license-type", GTK_LICENSE_MIT_X11, "comments",
               _("Finds out what a robot arm's motors are really up against: gravity, friction and "
                 "torque constant ratios, each with an error bar."),
               NULL);
  show_beside(gtk_application_get_active_window(data), GTK_WINDOW(about));
}

static void on_quit(GSimpleAction *action, GVariant *parameter, gpointer data) {
  GtkWindow *window;
  (void)action, (void)parameter;
  while ((window = gtk_application_get_active_window(data)))
    gtk_window_destroy(window);
}

/* ---- the program ---- */

static void activate(GApplication *application) {
  g_autoptr(GError) error = NULL;
  g_autofree char *arm = asim_truth_find("truth2", &error);
  AseSession *session = arm ? aui_session_new(arm, &error) : NULL;
  if (!session || !aui_connect_simulated(session, 1.0, &error))
    g_printerr("armature: %s\n", error->message);
  if (session)
    show(AUI_APPLICATION(application), session);
}

static void open_files(GApplication *application, GFile **files, int n, const char *hint) {
  (void)hint;
  for (int k = 0; k < n; k++) {
    g_autofree char *path = g_file_get_path(files[k]);
    open_path(AUI_APPLICATION(application), path);
  }
}

static void startup(GApplication *application) {
  static const GActionEntry actions[] = {{.name = "open", .activate = on_open},
                                         {.name = "import", .activate = on_import},
                                         {.name = "shortcuts", .activate = on_shortcuts},
                                         {.name = "about", .activate = on_about},
                                         {.name = "quit", .activate = on_quit}};
  static const char *const keys[][3] = {{"app.open", "<Control>o"},
                                        {"app.import", "<Control><Shift>o"},
                                        {"app.shortcuts", "<Control>question"},
                                        {"app.quit", "<Control>q"}};
  G_APPLICATION_CLASS(aui_application_parent_class)->startup(application);
  g_action_map_add_action_entries(G_ACTION_MAP(application), actions, G_N_ELEMENTS(actions),
                                  application);
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++)
    gtk_application_set_accels_for_action(GTK_APPLICATION(application), keys[k][0],
                                          (const char *const *)&keys[k][1]);
}

static void dispose(GObject *object) {
  g_clear_object(&AUI_APPLICATION(object)->chooser);
  G_OBJECT_CLASS(aui_application_parent_class)->dispose(object);
}

static void aui_application_class_init(AuiApplicationClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
  G_APPLICATION_CLASS(class)->startup = startup;
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
