/* SPDX-License-Identifier: MIT */
/* Files are read in a thread while the window can be used, and a reading that is no longer wanted
 * is given up. The button that begins a session is insensitive while anything stands against it. */
#include "ui/import/import.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "session/base/job.h"
#include "ui/import/import_file.h"
#include "ui/import/import_preview.h"
#include "ui/import/session_files.h"
#include "ui/kit/ask.h"
#include "ui/kit/lab_limits.h"
#include "ui/kit/stop_keys.h"

#define TYPE_IMPORT_WINDOW (import_window_get_type())
G_DECLARE_FINAL_TYPE(ImportWindow, import_window, IMPORT, WINDOW, AdwWindow)

typedef enum { FILE_RECORDING, FILE_MAP, FILE_ARM, FILES } File;

struct _ImportWindow {
  AdwWindow parent_instance;
  char *path[FILES]; /* NULL: not chosen */
  AuiImport *import; /* NULL: not read yet */
  AseJob *job;       /* that reads it */
  AuiImportBegin show;
  GtkFileChooserNative *chooser;
  File choosing;
  AdwActionRow *row[FILES];
  GtkButton *choose[FILES];
  AdwComboRow *motion;
  GtkSpinButton *held_out;
  GtkLabel *problem, *summary;
  GtkBox *preview_box;
  GtkWidget *preview, *begin, *spinner;
};

G_DEFINE_FINAL_TYPE(ImportWindow, import_window, ADW_TYPE_WINDOW)

/* ---- what shall be made of it ---- */

enum { MOTION_SWEEPS, MOTION_RAMPS, MOTION_FREE };

static void get_options(ImportWindow *self, AseImportOptions *out) {
  const guint motion = adw_combo_row_get_selected(self->motion);
  ase_import_options_default(out);
  out->held_out = 0.01 * gtk_spin_button_get_value(self->held_out);
  out->rows.wants_plateau = motion == MOTION_RAMPS;
  out->rows.plateau_speed_tolerance =
      motion == MOTION_RAMPS ? 0.25 : out->rows.plateau_speed_tolerance;
  out->rows.wants_acceleration = motion == MOTION_FREE;
  if (motion == MOTION_FREE) /* turns slowly round: there stiction decides */
    out->rows.min_speed_R = 0.03;
}

static void say(ImportWindow *self, const char *problem) {
  gtk_label_set_text(self->problem, problem ? problem : "");
  if (self->path[FILE_RECORDING] && self->path[FILE_ARM])
    gtk_widget_add_css_class(GTK_WIDGET(self->problem), "error");
  else /* it is only what comes next */
    gtk_widget_remove_css_class(GTK_WIDGET(self->problem), "error");
  gtk_widget_set_visible(GTK_WIDGET(self->problem), problem != NULL);
}

static void summarise(ImportWindow *self) {
  AseImportOptions options;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  get_options(self, &options);
  if (self->import && self->import->recording)
    text = aui_import_summary(self->import, options.held_out, &error);
  say(self, error ? error->message : self->import ? self->import->problem : NULL);
  gtk_label_set_text(self->summary, text ? text : "");
  gtk_widget_set_sensitive(self->begin, text != NULL);
}

/* ---- reading ---- */

typedef struct {
  char *path[FILES];
  AuiImport *import;
} Reading;

static void reading_free(gpointer data) {
  Reading *reading = data;
  for (guint k = 0; k < FILES; k++)
    g_free(reading->path[k]);
  aui_import_free(reading->import);
  g_free(reading);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reading, reading_free)

static void read_files(AseJob *job, void *data) {
  Reading *reading = data;
  (void)job;
  reading->import = aui_import_read(reading->path[FILE_RECORDING], reading->path[FILE_MAP],
                                    reading->path[FILE_ARM]);
}

static void show_preview(ImportWindow *self) {
  if (self->preview)
    gtk_box_remove(self->preview_box, self->preview);
  self->preview = aui_import_preview_new(self->import);
  gtk_box_append(self->preview_box, self->preview);
}

static void on_read(void *data, bool is_cancelled, void *ctx) {
  Reading *reading = data;
  ImportWindow *self = ctx;
  if (!is_cancelled) {
    aui_import_free(self->import);
    self->import = g_steal_pointer(&reading->import);
    show_preview(self);
    gtk_spinner_stop(GTK_SPINNER(self->spinner));
    summarise(self);
  }
  g_clear_pointer(&self->job, ase_job_free);
}

static void show_paths(ImportWindow *self) {
  static const char *const none[FILES] = {
      N_("none chosen"), N_("none: the columns have Armature's names"), N_("none chosen")};
  for (guint k = 0; k < FILES; k++) {
    g_autofree char *markup = g_markup_escape_text(self->path[k] ? self->path[k] : _(none[k]), -1);
    adw_action_row_set_subtitle(self->row[k], markup);
  }
}

static void reread(ImportWindow *self) {
  g_autoptr(Reading) reading = g_new0(Reading, 1);
  show_paths(self);
  for (guint k = 0; k < FILES; k++)
    reading->path[k] = g_strdup(self->path[k]);
  g_clear_pointer(&self->job, ase_job_free);
  gtk_widget_set_sensitive(self->begin, FALSE);
  if (!reading->path[FILE_RECORDING]) {
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autoptr */
    say(self, _("Choose a recording."));
    return;
  }
  gtk_spinner_start(GTK_SPINNER(self->spinner));
  const AseJobTask task = {.work = read_files,
                           .data = g_steal_pointer(&reading),
                           .free_data = reading_free,
                           .done = on_read,
                           .ctx = self};
  self->job = ase_job_start(&task);
}

/* A recording brings along what has its name. */
static void take_path(ImportWindow *self, File file, const char *path) {
  g_free(self->path[file]);
  self->path[file] = g_strdup(path);
  if (file == FILE_RECORDING && path) {
    if (!self->path[FILE_ARM])
      self->path[FILE_ARM] = aui_import_sibling(path, ".arm.json");
    if (!self->path[FILE_MAP])
      self->path[FILE_MAP] = aui_import_sibling(path, ".columns.json");
  }
  reread(self);
}

/* ---- buttons ---- */

static void on_chosen(ImportWindow *self, int response) {
  g_autoptr(GtkFileChooserNative) chooser = g_steal_pointer(&self->chooser);
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser));
  g_autofree char *path = file ? g_file_get_path(file) : NULL;
  if (response == GTK_RESPONSE_ACCEPT && path)
    take_path(self, self->choosing, path);
}

static void on_choose(GtkButton *button, ImportWindow *self) {
  static const char *const titles[FILES] = {N_("Choose a recording"), N_("Choose a column map"),
                                            N_("Choose the arm that was recorded")};
  if (self->chooser || !aui_ask_may(GTK_WIDGET(self)))
    return;
  for (File k = 0; k < FILES; k++)
    if (button == self->choose[k])
      self->choosing = k;
  self->chooser =
      gtk_file_chooser_native_new(_(titles[self->choosing]), GTK_WINDOW(self),
                                  GTK_FILE_CHOOSER_ACTION_OPEN, _("_Choose"), _("_Cancel"));
  g_signal_connect_object(self->chooser, "response", G_CALLBACK(on_chosen), self,
                          G_CONNECT_SWAPPED);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(self->chooser));
}

static void on_begin(ImportWindow *self) {
  AseImportOptions options;
  g_autoptr(GError) error = NULL;
  g_autofree char *path = aui_session_path(self->path[FILE_RECORDING]);
  get_options(self, &options);
  AseSession *session =
      ase_session_import(path, AUI_PROGRAM, self->path[FILE_ARM], self->import->arm_text,
                         self->import->recording, &options, &error);
  if (!session) {
    say(self, error->message);
    return;
  }
  aui_lab_limits_begin(session);
  self->show(session);
  gtk_window_destroy(GTK_WINDOW(self));
}

/* ---- building ---- */

static GtkWidget *new_files(ImportWindow *self) {
  static const char *const titles[FILES] = {N_("Recording"), N_("Column map"), N_("Arm")};
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  adw_preferences_group_set_title(group, _("Files"));
  for (guint k = 0; k < FILES; k++) {
    self->row[k] = ADW_ACTION_ROW(adw_action_row_new());
    self->choose[k] = GTK_BUTTON(gtk_button_new_with_label(_("Choose…")));
    g_autofree char *name = g_strdup_printf(_("Choose: %s"), _(titles[k]));
    gtk_accessible_update_property(GTK_ACCESSIBLE(self->choose[k]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                   name, -1);
    gtk_widget_set_valign(GTK_WIDGET(self->choose[k]), GTK_ALIGN_CENTER);
    adw_preferences_row_set_title(ADW_PREFERENCES_ROW(self->row[k]), _(titles[k]));
    adw_action_row_set_subtitle_lines(self->row[k], 0);
    adw_action_row_add_suffix(self->row[k], GTK_WIDGET(self->choose[k]));
    g_signal_connect(self->choose[k], "clicked", G_CALLBACK(on_choose), self);
    adw_preferences_group_add(group, GTK_WIDGET(self->row[k]));
  }
  return GTK_WIDGET(group);
}

static AdwComboRow *new_motion(void) {
  const char *const motions[] = {_("constant speed, all that moves is used"),
                                 _("constant speed, without the ramps at the ends"),
                                 _("never at constant speed: the inertia is fitted too"), NULL};
  g_autoptr(GtkStringList) model = gtk_string_list_new(motions);
  AdwComboRow *row = ADW_COMBO_ROW(adw_combo_row_new());
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Motion"));
  adw_combo_row_set_model(row, G_LIST_MODEL(model));
  adw_combo_row_set_use_subtitle(row, TRUE);
  return row;
}

static GtkWidget *new_held_out(ImportWindow *self) {
  AdwActionRow *row = ADW_ACTION_ROW(adw_action_row_new());
  self->held_out = GTK_SPIN_BUTTON(gtk_spin_button_new_with_range(0.0, 50.0, 5.0));
  gtk_spin_button_set_value(self->held_out, 20.0);
  gtk_widget_set_valign(GTK_WIDGET(self->held_out), GTK_ALIGN_CENTER);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->held_out), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Kept for the validation, %"), -1);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _("Kept for the validation, %"));
  adw_action_row_set_subtitle(row, _("Sweeps that the fit does not see"));
  adw_action_row_add_suffix(row, GTK_WIDGET(self->held_out));
  adw_action_row_set_activatable_widget(row, GTK_WIDGET(self->held_out));
  g_signal_connect_swapped(self->held_out, "value-changed", G_CALLBACK(summarise), self);
  return GTK_WIDGET(row);
}

static GtkWidget *new_evaluation(ImportWindow *self) {
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  adw_preferences_group_set_title(group, _("Evaluation"));
  self->motion = new_motion();
  adw_preferences_group_add(group, GTK_WIDGET(self->motion));
  adw_preferences_group_add(group, new_held_out(self));
  return GTK_WIDGET(group);
}

static GtkLabel *new_text(GtkBox *box) {
  GtkLabel *label = GTK_LABEL(gtk_label_new(""));
  gtk_label_set_xalign(label, 0.0f);
  gtk_label_set_wrap(label, TRUE);
  gtk_label_set_wrap_mode(label, PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable(label, TRUE);
  gtk_widget_set_can_focus(GTK_WIDGET(label), FALSE);
  gtk_box_append(box, GTK_WIDGET(label));
  return label;
}

static GtkWidget *new_head(ImportWindow *self) {
  GtkWidget *bar = adw_header_bar_new();
  self->begin = gtk_button_new_with_mnemonic(_("_Begin a session"));
  self->spinner = gtk_spinner_new();
  gtk_widget_add_css_class(self->begin, "suggested-action");
  adw_header_bar_pack_end(ADW_HEADER_BAR(bar), self->begin);
  adw_header_bar_pack_end(ADW_HEADER_BAR(bar), self->spinner);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->spinner), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("reading"), -1);
  g_signal_connect_swapped(self->begin, "clicked", G_CALLBACK(on_begin), self);
  return bar;
}

static GtkWidget *new_body(ImportWindow *self) {
  GtkWidget *scrolled = gtk_scrolled_window_new(), *clamp = adw_clamp_new();
  GtkBox *box = GTK_BOX(g_object_new(GTK_TYPE_BOX, "orientation", GTK_ORIENTATION_VERTICAL,
                                     "spacing", 18, "margin-start", 18, "margin-end", 18,
                                     "margin-top", 18, "margin-bottom", 18, NULL));
  gtk_box_append(box, new_files(self));
  self->problem = new_text(box);
  gtk_box_append(box, new_evaluation(self));
  self->summary = new_text(box);
  self->preview_box = GTK_BOX(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0));
  gtk_box_append(box, GTK_WIDGET(self->preview_box));
  adw_clamp_set_maximum_size(ADW_CLAMP(clamp), 1000);
  adw_clamp_set_child(ADW_CLAMP(clamp), GTK_WIDGET(box));
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER,
                                 GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), clamp);
  gtk_widget_set_vexpand(scrolled, TRUE);
  return scrolled;
}

static void import_window_init(ImportWindow *self) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  gtk_window_set_title(GTK_WINDOW(self), _("Open a recording"));
  gtk_window_set_default_size(GTK_WINDOW(self), 900, 760);
  gtk_box_append(GTK_BOX(box), new_head(self));
  gtk_box_append(GTK_BOX(box), new_body(self));
  adw_window_set_content(ADW_WINDOW(self), box);
}

static void import_window_dispose(GObject *object) {
  ImportWindow *self = IMPORT_WINDOW(object);
  g_clear_pointer(&self->job, ase_job_free);
  g_clear_pointer(&self->import, aui_import_free);
  g_clear_object(&self->chooser);
  for (guint k = 0; k < FILES; k++)
    g_clear_pointer(&self->path[k], g_free);
  G_OBJECT_CLASS(import_window_parent_class)->dispose(object);
}

static void import_window_class_init(ImportWindowClass *class) {
  G_OBJECT_CLASS(class)->dispose = import_window_dispose;
}

static void obey(ImportWindow *self, AseSession *session) {
  if (!session)
    return;
  aui_stop_keys_install(GTK_WIDGET(self), session);
  aui_ask_install(GTK_WIDGET(self), ase_session_device(session));
}

void aui_import_open(GtkWindow *parent, AseSession *session, const char *path,
                     AuiImportBegin begin) {
  ImportWindow *self = g_object_new(TYPE_IMPORT_WINDOW, "application",
                                    GTK_APPLICATION(g_application_get_default()), NULL);
  self->show = begin;
  obey(self, session);
  gtk_window_set_transient_for(GTK_WINDOW(self), parent);
  take_path(self, FILE_RECORDING, path);
  gtk_window_present(GTK_WINDOW(self));
}
