/* SPDX-License-Identifier: MIT */
/* Rows remember where their file went last. A path that a session from elsewhere brings along is
 * shown and not opened. */
#include "ui/export/export_files.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "io/base/safe_text.h"
#include "ui/export/export.h"
#include "ui/kit/ask.h"
#include "ui/kit/strip.h"
#include "ui/kit/why.h"
#include "ui/report/report_job.h"

enum { REPORT = AUI_EXPORTS, FILES }; /* behind those of AuiExport */

struct _AuiExportFiles {
  GtkBox parent_instance;
  AseSession *session;
  AuiReportDetails *details;
  AdwActionRow *row[FILES];
  GtkWidget *save[FILES], *open[FILES];
  char *path[FILES]; /* where it went; NULL: not written yet */
  bool is_recalled;  /* the parameters' path is out of the session's file */
  AuiReportJob *job; /* writes a report; NULL: none is written */
  char *job_path;
  GtkWidget *progress, *cancel; /* of the report */
};

G_DEFINE_FINAL_TYPE(AuiExportFiles, aui_export_files, GTK_TYPE_BOX)

/* in the order of AuiExport, the report last */
static const struct {
  const char *title, *use;
} kinds[] = {
    {N_("Parameter file"),
     N_("For Armature and other programs: every parameter with its uncertainty, unit and origin")},
    {N_("C header"),
     N_("For firmware: a function that gives the motor currents of any pose and speed")},
    {N_("Table (CSV)"), N_("For spreadsheets: one row per parameter")},
    {N_("Calibration report (PDF)"),
     N_("To print and sign: conditions, parameters, uncertainty, validation, plots")},
};
G_STATIC_ASSERT(G_N_ELEMENTS(kinds) == FILES);

static char *file_name(const AuiExportFiles *self, guint kind) {
  return kind == REPORT ? g_strdup("calibration.pdf")
                        : aui_export_file_name(self->session, (AuiExport)kind);
}

static const char *ending(guint kind) {
  return kind == REPORT ? ".pdf" : aui_export_ending((AuiExport)kind);
}

/* ---- what there is ---- */

static void put_path(AuiExportFiles *self, guint kind, const char *path) {
  char *copy = g_strdup(path);
  g_free(self->path[kind]);
  self->path[kind] = copy;
}

static void take_recalled(AuiExportFiles *self, const char *path) {
  if (g_strcmp0(path, self->path[AUI_EXPORT_PARAMETERS]) == 0)
    return;
  put_path(self, AUI_EXPORT_PARAMETERS, path);
  self->is_recalled = true;
}

/* Where the parameters went is in the session: they may be exported from elsewhere too. */
static void recall(AuiExportFiles *self) {
  const AseStepInfo *info = &ase_session_procedure(self->session)->steps[ASE_STEP_EXPORT];
  if (ase_state_is_done(info->state) && info->reason && g_path_is_absolute(info->reason))
    take_recalled(self, ase_step_reason(info));
}

/* What a session that came from elsewhere names is shown, not opened. */
static bool may_open(const AuiExportFiles *self, guint kind) {
  g_autofree char *uri = aui_export_folder_uri(self->path[kind]);
  return uri &&
         (kind != AUI_EXPORT_PARAMETERS || !self->is_recalled || ase_session_is_own(self->session));
}

static void refresh(AuiExportFiles *self) {
  const bool may_save = ase_session_may_export(self->session, NULL);
  recall(self);
  for (guint k = 0; k < FILES; k++) {
    g_autofree char *shown = aio_text_visible(self->path[k], false);
    g_autofree char *text = self->path[k]
                                ? g_strdup_printf(_("%s\nSaved as %s"), _(kinds[k].use), shown)
                                : g_strdup(_(kinds[k].use));
    g_autofree char *markup = g_markup_escape_text(text, -1);
    adw_action_row_set_subtitle(self->row[k], markup);
    gtk_widget_set_sensitive(self->save[k], may_save);
    gtk_widget_set_sensitive(self->open[k], may_open(self, k));
  }
  gtk_widget_set_visible(self->save[REPORT], !self->job);
  gtk_widget_set_visible(self->open[REPORT], !self->job);
  gtk_widget_set_visible(self->progress, self->job != NULL);
  gtk_widget_set_visible(self->cancel, self->job != NULL);
  const AseProcedure *procedure = ase_session_procedure(self->session);
  if (ase_procedure_state(procedure, ASE_STEP_EXPORT) == ASE_STATE_READY)
    gtk_widget_add_css_class(self->save[0], "suggested-action");
  else
    gtk_widget_remove_css_class(self->save[0], "suggested-action");
}

/* ---- writing ---- */

static void written(AuiExportFiles *self, guint kind, const char *path) {
  if (kind == AUI_EXPORT_PARAMETERS)
    self->is_recalled = false;
  put_path(self, kind, path);
  refresh(self);
}

static void on_report_progress(double part, void *ctx) {
  AuiExportFiles *self = ctx;
  gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(self->progress), part);
}

static void on_report_done(const GError *error, void *ctx) {
  AuiExportFiles *self = ctx;
  GError *copy = error ? g_error_copy(error) : NULL;
  g_autofree char *path = g_steal_pointer(&self->job_path);
  g_clear_pointer(&self->job, aui_report_job_free);
  if (aui_say_failed(GTK_WIDGET(self), !copy, &copy))
    written(self, REPORT, path);
  else
    refresh(self);
}

void aui_export_files_save_report(AuiExportFiles *self, const char *path) {
  const AuiReportWatch watch = {on_report_progress, on_report_done, self};
  AuiReportNotes notes;
  aui_report_details_get(self->details, &notes);
  self->job_path = g_strdup(path);
  self->job = aui_report_job_start(self->session, &notes, path, &watch);
  refresh(self);
}

static void on_cancel(AuiExportFiles *self) {
  g_clear_pointer(&self->job, aui_report_job_free);
  g_clear_pointer(&self->job_path, g_free);
  refresh(self);
}

static void export(AuiExportFiles *self, AuiExport kind, const char *path) {
  GError *error = NULL;
  g_autofree char *name = g_filename_display_basename(path);
  g_autofree char *text = g_strdup_printf(_("The parameters are in %s."), name);
  const bool ok = aui_export_write(self->session, kind, path, &error);
  if (!aui_say_failed(GTK_WIDGET(self), ok, &error))
    return;
  written(self, kind, path);
  gtk_widget_activate_action(GTK_WIDGET(self), "session.tell", "s", text);
}

static void on_path(GtkWidget *widget, const char *path, gpointer data) {
  AuiExportFiles *self = AUI_EXPORT_FILES(widget);
  const guint kind = GPOINTER_TO_UINT(data);
  if (kind == REPORT)
    aui_export_files_save_report(self, path);
  else
    export(self, (AuiExport)kind, path);
}

static void on_save(GtkWidget *button, AuiExportFiles *self) {
  for (guint k = 0; k < FILES; k++) {
    g_autofree char *name = file_name(self, k);
    if (button == self->save[k])
      aui_ask_save(GTK_WIDGET(self), _(kinds[k].title), name, ending(k), on_path,
                   GUINT_TO_POINTER(k));
  }
}

static void on_open(GtkWidget *button, AuiExportFiles *self) {
  GtkRoot *window = gtk_widget_get_root(GTK_WIDGET(self));
  for (guint k = 0; k < FILES && aui_ask_may(GTK_WIDGET(self)); k++) {
    if (button != self->open[k] || !may_open(self, k))
      continue;
    g_autofree char *uri = aui_export_folder_uri(self->path[k]);
    gtk_show_uri(GTK_WINDOW(window), uri, GDK_CURRENT_TIME);
  }
}

/* ---- building ---- */

static void name(GtkWidget *button, const char *text) {
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
}

static GtkWidget *new_row(AuiExportFiles *self, guint k) {
  AdwActionRow *row = ADW_ACTION_ROW(adw_action_row_new());
  self->row[k] = row;
  self->save[k] = gtk_button_new_with_label(_("Save…"));
  self->open[k] = gtk_button_new_from_icon_name("folder-open-symbolic");
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _(kinds[k].title));
  adw_action_row_set_subtitle_lines(row, 0);
  gtk_widget_set_tooltip_text(self->open[k], _("Open the folder"));
  gtk_widget_add_css_class(self->open[k], "flat");
  /* TRANSLATORS: %s is the title of a file, "Parameter file" */
  g_autofree char *save = g_strdup_printf(_("Save: %s"), _(kinds[k].title));
  g_autofree char *open = g_strdup_printf(_("Open the folder: %s"), _(kinds[k].title));
  name(self->save[k], save);
  name(self->open[k], open);
  adw_action_row_add_suffix(row, self->open[k]);
  adw_action_row_add_suffix(row, self->save[k]);
  adw_action_row_set_activatable_widget(row, self->save[k]);
  g_signal_connect(self->save[k], "clicked", G_CALLBACK(on_save), self);
  g_signal_connect(self->open[k], "clicked", G_CALLBACK(on_open), self);
  return GTK_WIDGET(row);
}

static void add_progress(AuiExportFiles *self) {
  self->progress = gtk_progress_bar_new();
  self->cancel = gtk_button_new_with_mnemonic(_("_Cancel"));
  gtk_widget_set_valign(self->cancel, GTK_ALIGN_CENTER);
  name(self->progress, _(kinds[REPORT].title));
  adw_action_row_add_suffix(self->row[REPORT], self->progress);
  adw_action_row_add_suffix(self->row[REPORT], self->cancel);
  g_signal_connect_object(self->cancel, "clicked", G_CALLBACK(on_cancel), self, G_CONNECT_SWAPPED);
}

static void aui_export_files_init(AuiExportFiles *self) {
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  adw_preferences_group_set_title(group, _("Files"));
  adw_preferences_group_set_header_suffix(group, aui_why_new("digest"));
  for (guint k = 0; k < FILES; k++)
    adw_preferences_group_add(group, new_row(self, k));
  add_progress(self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(group));
}

static void dispose(GObject *object) {
  AuiExportFiles *self = AUI_EXPORT_FILES(object);
  g_clear_pointer(&self->job, aui_report_job_free);
  g_clear_pointer(&self->job_path, g_free);
  g_clear_object(&self->session);
  g_clear_object(&self->details);
  for (guint k = 0; k < FILES; k++)
    g_clear_pointer(&self->path[k], g_free);
  G_OBJECT_CLASS(aui_export_files_parent_class)->dispose(object);
}

static void aui_export_files_class_init(AuiExportFilesClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

GtkWidget *aui_export_files_new(AseSession *session, AuiReportDetails *details) {
  AuiExportFiles *self = g_object_new(AUI_TYPE_EXPORT_FILES, NULL);
  self->session = g_object_ref(session);
  self->details = g_object_ref(details);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  refresh(self);
  return GTK_WIDGET(self);
}
