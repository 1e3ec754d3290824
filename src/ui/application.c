/* SPDX-License-Identifier: MIT */
/* Windows do not know each other: what is for all of the program (opening, the manual, preferences,
 * quitting) is here. Memory that sweeps and plots have freed is given back now and then, see below.
 */
#include "ui/application.h"

#include <glib-unix.h>
#include <glib/gi18n.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "sim/truth.h"
#include "ui/connect/connection.h"
#include "ui/connect/recent.h"
#include "ui/first_frame.h"
#include "ui/import/import.h"
#include "ui/kit/ask.h"
#include "ui/kit/settings.h"
#include "ui/kit/stop_keys.h"
#include "ui/manual.h"
#include "ui/preferences.h"
#include "ui/tour.h"
#include "ui/window.h"

enum { TRIM_S = 15 };

static const int ENDING[] = {SIGINT, SIGTERM, SIGHUP};

struct _AuiApplication {
  AdwApplication parent_instance;
  guint endings[G_N_ELEMENTS(ENDING)];
  gboolean is_benchmark; /* of the start */
};

G_DEFINE_FINAL_TYPE(AuiApplication, aui_application, ADW_TYPE_APPLICATION)

/* ---- windows ---- */

static GtkWindow *active_window(AuiApplication *self) {
  return gtk_application_get_active_window(GTK_APPLICATION(self));
}

/* The window of the session that the active window belongs to; NULL: none. */
static GtkWindow *session_window(AuiApplication *self) {
  GtkWindow *window = active_window(self);
  while (window && !AUI_IS_WINDOW(window))
    window = gtk_window_get_transient_for(window);
  return window;
}

static AuiWindow *show(AuiApplication *self, AseSession *session, const char *notice) {
  GtkWidget *window = aui_window_new(ADW_APPLICATION(self), session);
  aui_recent_add(ase_session_path(session), ase_session_arm(session)->name,
                 g_get_real_time() / G_USEC_PER_SEC);
  if (self->is_benchmark)
    aui_first_frame_print(GTK_WINDOW(window));
  gtk_window_present(GTK_WINDOW(window));
  aui_window_notice(AUI_WINDOW(window), notice);
  g_object_unref(session);
  return AUI_WINDOW(window);
}

/* Whoever started the program from a file has no other window that could tell; not modal, because a
 * session beside it may be armed. */
static void show_message(AuiApplication *self, const char *text) {
  GtkWidget *dialog = adw_message_dialog_new(NULL, "Armature", text);
  adw_message_dialog_add_response(ADW_MESSAGE_DIALOG(dialog), "close", _("_Close"));
  gtk_window_set_application(GTK_WINDOW(dialog), GTK_APPLICATION(self));
  gtk_window_set_modal(GTK_WINDOW(dialog), false);
  gtk_window_present(GTK_WINDOW(dialog));
}

static void complain(AuiApplication *self, const char *text) {
  GtkWindow *window = session_window(self);
  if (window) {
    gtk_widget_activate_action(GTK_WIDGET(window), "session.say", "s", text);
  } else {
    g_printerr("armature: %s\n", text);
    show_message(self, text);
  }
}

static void open_session(AuiApplication *self, const char *path) {
  g_autoptr(GError) error = NULL;
  g_autofree char *notice = NULL;
  AseSession *session = aui_session_open(path, &notice, &error);
  if (session) {
    show(self, session, notice);
    return;
  }
  g_autofree char *text = g_strdup_printf(_("The file cannot be opened: %s"), error->message);
  complain(self, text);
}

static void import_recording(AuiApplication *self, const char *path) {
  GtkWindow *window = active_window(self);
  AseSession *session = AUI_IS_WINDOW(window) ? aui_window_session(AUI_WINDOW(window)) : NULL;
  aui_import_open(window, session, path, aui_window_show_imported);
}

static void open_path(AuiApplication *self, const char *path) {
  switch (aui_file_kind(path)) {
  case AUI_FILE_RECORDING:
    import_recording(self, path);
    break;
  case AUI_FILE_PARAMETERS:
    complain(self, _("A parameter file is the result of a session: open the session itself, or "
                     "compare it on the Fit page."));
    break;
  case AUI_FILE_SESSION:
  case AUI_FILE_ARM:
    open_session(self, path);
    break;
  }
}

/* A new session with the simulated PUMA 560, connected; NULL after a complaint. */
static AuiWindow *show_simulated(AuiApplication *self) {
  g_autoptr(GError) error = NULL;
  g_autofree char *arm = asim_truth_find("truth2", &error);
  AseSession *session = arm ? aui_session_new(arm, &error) : NULL;
  AuiWindow *window = NULL;
  g_autofree char *place = aui_session_place();
  if (session)
    window = show(self, session, place);
  if (!session || !aui_connect_simulated(session, 1.0, &error))
    complain(self, error->message);
  return window;
}

/* ---- actions ---- */

static void on_import(GSimpleAction *action, GVariant *parameter, gpointer data) {
  (void)action, (void)parameter;
  import_recording(data, NULL);
}

static void on_new(GSimpleAction *action, GVariant *parameter, gpointer data) {
  (void)action, (void)parameter;
  show_simulated(data);
}

static void on_chosen(GtkWidget *from, const char *path, gpointer data) {
  (void)from;
  open_path(data, path);
}

static void on_open(GSimpleAction *action, GVariant *parameter, gpointer data) {
  GtkWindow *window = session_window(data);
  (void)action, (void)parameter;
  if (window)
    aui_ask_open(GTK_WIDGET(window), _("Open a session, or begin one with an arm file"), on_chosen,
                 data);
}

static void on_open_path(GSimpleAction *action, GVariant *parameter, gpointer data) {
  (void)action;
  open_path(data, g_variant_get_string(parameter, NULL));
}

/* Beside the session's window; every window obeys the two keys. */
static void show_beside(AuiApplication *self, GtkWindow *window) {
  GtkWindow *parent = session_window(self);
  gtk_window_set_modal(window, false);
  gtk_window_set_transient_for(window, parent);
  gtk_window_present(window);
}

static void on_preferences(GSimpleAction *action, GVariant *parameter, gpointer data) {
  (void)action, (void)parameter;
  show_beside(data, aui_preferences_new());
}

static void on_manual(GSimpleAction *action, GVariant *parameter, gpointer data) {
  const char *topic = g_variant_get_string(parameter, NULL);
  (void)action;
  show_beside(data, aui_manual_new(*topic ? topic : NULL));
}

static void on_shortcuts(GSimpleAction *action, GVariant *parameter, gpointer data) {
  g_autoptr(GtkBuilder) builder =
      gtk_builder_new_from_resource("/org/armature/Armature/shortcuts.ui");
  (void)action, (void)parameter;
  show_beside(data, GTK_WINDOW(gtk_builder_get_object(builder, "shortcuts")));
}

static void on_about(GSimpleAction *action, GVariant *parameter, gpointer data) {
  GtkWidget *about = adw_about_window_new();
  (void)action, (void)parameter;
  g_object_set(about, "application-name", "Armature", "application-icon", "org.armature.Armature",
               "version", ARMATURE_VERSION, "license-type", GTK_LICENSE_MIT_X11, "comments",
               _("Finds out what a robot arm's motors are really up against: gravity, friction and "
                 "torque constant ratios, each with an error bar."),
               NULL);
  show_beside(data, GTK_WINDOW(about));
}

static void on_raise(GSimpleAction *action, GVariant *parameter, gpointer data) {
  GtkWindow *window = active_window(data);
  (void)action, (void)parameter;
  if (window)
    gtk_window_present(window);
}

/* A window may ask first, and stay. */
static void on_quit(GSimpleAction *action, GVariant *parameter, gpointer data) {
  GList *windows = g_list_copy_deep(gtk_application_get_windows(data),
                                    (GCopyFunc)(void (*)(void))g_object_ref, NULL);
  (void)action, (void)parameter;
  for (GList *window = windows; window; window = window->next)
    gtk_window_close(window->data);
  g_list_free_full(windows, g_object_unref);
}

/* Who ends the program from outside, by Ctrl-C or by logging out, is asked nothing: windows that go
 * have their arms held and disarmed, and their sessions closed. */
static gboolean on_ending(gpointer data) {
  for (GList *windows; (windows = gtk_application_get_windows(data));)
    gtk_window_destroy(windows->data);
  return G_SOURCE_CONTINUE;
}

/* ---- the program ---- */

static void activate(GApplication *application) {
  AuiApplication *self = AUI_APPLICATION(application);
  AuiWindow *window = show_simulated(self);
  if (window && !self->is_benchmark)
    aui_tour_start_once(window);
}

static void open_files(GApplication *application, GFile **files, int n, const char *hint) {
  (void)hint;
  for (int k = 0; k < n; k++) {
    g_autofree char *path = g_file_get_path(files[k]);
    if (path)
      open_path(AUI_APPLICATION(application), path);
    else
      complain(AUI_APPLICATION(application), _("not a file of this computer"));
  }
}

static void add_actions(GApplication *application) {
  static const GActionEntry actions[] = {
      {.name = "new", .activate = on_new},
      {.name = "open", .activate = on_open},
      {.name = "import", .activate = on_import},
      {.name = "open-path", .activate = on_open_path, .parameter_type = "s"},
      {.name = "preferences", .activate = on_preferences},
      {.name = "manual", .activate = on_manual, .parameter_type = "s"},
      {.name = "shortcuts", .activate = on_shortcuts},
      {.name = "about", .activate = on_about},
      {.name = "raise", .activate = on_raise},
      {.name = "quit", .activate = on_quit}};
  static const char *const keys[][3] = {{"app.new", "<Control>n"},
                                        {"app.open", "<Control>o"},
                                        {"app.import", "<Control><Shift>o"},
                                        {"app.preferences", "<Control>comma"},
                                        {"app.manual('')", "F1"},
                                        {"app.shortcuts", "<Control>question"},
                                        {"app.quit", "<Control>q"}};
  g_action_map_add_action_entries(G_ACTION_MAP(application), actions, G_N_ELEMENTS(actions),
                                  application);
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++)
    gtk_application_set_accels_for_action(GTK_APPLICATION(application), keys[k][0],
                                          (const char *const *)&keys[k][1]);
}

static void startup(GApplication *application) {
  AuiApplication *self = AUI_APPLICATION(application);
  G_APPLICATION_CLASS(aui_application_parent_class)->startup(application);
  for (gsize k = 0; k < G_N_ELEMENTS(ENDING); k++)
    self->endings[k] = g_unix_signal_add(ENDING[k], on_ending, self);
  add_actions(application);
  aui_settings_apply();
  aui_stop_keys_watch();
}

static void finalize(GObject *object) {
  AuiApplication *self = AUI_APPLICATION(object);
  for (gsize k = 0; k < G_N_ELEMENTS(ENDING); k++)
    g_clear_handle_id(&self->endings[k], g_source_remove);
  G_OBJECT_CLASS(aui_application_parent_class)->finalize(object);
}

static void aui_application_class_init(AuiApplicationClass *class) {
  G_OBJECT_CLASS(class)->finalize = finalize;
  G_APPLICATION_CLASS(class)->startup = startup;
  G_APPLICATION_CLASS(class)->activate = activate;
  G_APPLICATION_CLASS(class)->open = open_files;
}

static void aui_application_init(AuiApplication *self) {
  const GOptionEntry options[] = {{.long_name = "benchmark-start",
                                   .arg = G_OPTION_ARG_NONE,
                                   .arg_data = &self->is_benchmark,
                                   .description = N_("Print how long the start took, and quit")},
                                  {.long_name = NULL}};
  g_application_add_main_option_entries(G_APPLICATION(self), options);
}

/* A run of the main loop now and then in which glibc gives the pages back that are free between
 * others: the samples of a sweep, which live until it ends, leave such pages behind. */
static gboolean on_trim(gpointer data) {
  (void)data;
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  return G_SOURCE_CONTINUE;
}

/* glibc raises its limit for memory that goes back to the system with every array that is freed, up
 * to 32 MB, mallopt(3); then what fits and plots have freed stays. Between the sweeps of 15 min of
 * the arm (bench_ui hour 10 90) 149 MB are resident, with a limit that stays 143 MB. */
static void give_memory_back(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
  g_timeout_add_seconds_full(G_PRIORITY_LOW, TRIM_S, on_trim, NULL, NULL);
}

AuiApplication *aui_application_new(void) {
  give_memory_back();
  return g_object_new(AUI_TYPE_APPLICATION, "application-id", "org.armature.Armature",
                      "resource-base-path", "/org/armature/Armature", "flags",
                      G_APPLICATION_HANDLES_OPEN | G_APPLICATION_NON_UNIQUE, NULL);
}
