/* SPDX-License-Identifier: MIT */
/* An upload asks only where there is something against it (misfit, doubts, no verdict, no
 * validation, lost terms, another controller), all of it in one question; a question that comes
 * every time is not read. */
#include "ui/export/export_controller.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "io/base/said.h"
#include "session/transfer/transfer.h"
#include "ui/export/export_words.h"
#include "ui/fit/doubt_words.h"
#include "ui/kit/ask.h"
#include "ui/kit/bullets.h"
#include "ui/kit/format.h"
#include "ui/kit/steps.h"
#include "ui/kit/strip.h"
#include "ui/kit/table.h"
#include "ui/kit/why.h"

typedef enum { TASK_UPLOAD, TASK_VERIFY, TASK_RESTORE, TASKS } Task;

struct _AuiExportController {
  GtkBox parent_instance;
  AseSession *session;
  AseTransfer *transfer;         /* watched; NULL: none yet */
  GtkFileChooserNative *chooser; /* NULL: none is open */
  GtkWidget *question;           /* weak; likewise */
  AseUploadDoubts doubts;        /* that the question is of */
  AdwActionRow *row[TASKS];
  GtkImage *icon[TASKS];
  GtkWidget *begin[TASKS];
  GtkWidget *progress, *changed_box;
  GtkProgressBar *bar;
  GtkLabel *doing, *changed_title;
  GtkGrid *changed;
  Task task;      /* the last one that was begun here */
  char *restored; /* how restoring ended; NULL: it has not */
  guint changes;  /* source that shows them; 0: none */
};

G_DEFINE_FINAL_TYPE(AuiExportController, aui_export_controller, GTK_TYPE_BOX)

static const struct {
  const char *title, *use, *button;
} tasks[TASKS] = {
    {N_("Upload"), N_("Saves a dated backup, writes the parameters, reads back and compares"),
     N_("Upload")},
    {N_("Verify"),
     N_("Proves after a restart that the controller has kept them, by their digest. The restart "
        "switches the drives off: the arm may fall."),
     N_("Verify")},
    {N_("Restore a backup"), N_("Brings back what the controller had on an earlier day"),
     N_("Choose…")},
};

static bool is_running(const AuiExportController *self) {
  return self->transfer && ase_transfer_is_running(self->transfer);
}

/* ---- rows ---- */

static char *state_text(const AuiExportController *self, Task task) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  const AseStep step = task == TASK_UPLOAD ? ASE_STEP_UPLOAD : ASE_STEP_VERIFY;
  g_autoptr(GError) missing = NULL;
  if (task == TASK_RESTORE)
    return g_strdup(self->restored);
  const AseStepInfo *info = &procedure->steps[step];
  if (info->reason && info->state != ASE_STATE_WAITING)
    return g_strdup_printf(_("%s: %s"), aui_state_text(info->state), ase_step_reason(info));
  if (!ase_procedure_may_start(procedure, step, &missing))
    return g_strdup(missing->message);
  if (ase_device_link(ase_session_device(self->session)) != ASE_LINK_READY)
    return g_strdup(_("Connect a controller first."));
  return NULL;
}

static const char *icon_of(const AuiExportController *self, Task task) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  if (task == TASK_RESTORE)
    return "document-revert-symbolic";
  return aui_state_icon(
      ase_procedure_state(procedure, task == TASK_UPLOAD ? ASE_STEP_UPLOAD : ASE_STEP_VERIFY));
}

static bool may_begin(const AuiExportController *self, Task task) {
  const AseProcedure *procedure = ase_session_procedure(self->session);
  if (is_running(self) || ase_session_is_read_only(self->session) ||
      ase_device_link(ase_session_device(self->session)) != ASE_LINK_READY)
    return false;
  return task == TASK_RESTORE ||
         ase_procedure_may_start(procedure, task == TASK_UPLOAD ? ASE_STEP_UPLOAD : ASE_STEP_VERIFY,
                                 NULL);
}

static void refresh(AuiExportController *self) {
  for (Task task = 0; task < TASKS; task++) {
    g_autofree char *state = state_text(self, task);
    g_autofree char *text = state && *state ? g_strdup_printf("%s\n%s", _(tasks[task].use), state)
                                            : g_strdup(_(tasks[task].use));
    g_autofree char *markup = g_markup_escape_text(text, -1);
    adw_action_row_set_subtitle(self->row[task], markup);
    gtk_image_set_from_icon_name(self->icon[task], icon_of(self, task));
    gtk_widget_set_sensitive(self->begin[task], may_begin(self, task));
  }
  gtk_widget_set_visible(self->progress, is_running(self));
}

/* ---- what has changed ---- */

/* What was written beside what was there before, from the backup; of AseParamChange. */
static GArray *find_changes(AseTransfer *transfer) {
  guint n;
  const AioParam *params = ase_transfer_params(transfer, &n);
  const char *path = ase_transfer_backup_path(transfer);
  g_autoptr(AseBackup) backup = path && params ? ase_backup_load(path, NULL) : NULL;
  GArray *changes = NULL;
  if (backup && backup->n == n) {
    g_autofree double *before = g_new(double, n);
    for (guint k = 0; k < n; k++)
      before[k] = backup->params[k].value;
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
    changes = ase_param_differences(before, params, n);
  }
  return changes;
}

static void put_change(GtkGrid *table, const AseParamChange *change) {
  const int row = aui_table_add_row(table);
  aui_table_put(table, row, 0, change->name);
  aui_table_take(table, row, 1, aui_format_number(change->before, 7), true);
  aui_table_take(table, row, 2, aui_format_number(change->after, 7), true);
  aui_table_put(table, row, 3, change->unit);
}

/* A table of labels: in a round of its own, not in that in which every page hears of the end. */
static gboolean show_changes(gpointer data) {
  AuiExportController *self = data;
  const GArray *wrong = ase_transfer_differences(self->transfer);
  const bool is_wrong = wrong && wrong->len;
  g_autoptr(GArray) found = is_wrong ? g_array_ref((GArray *)wrong) : find_changes(self->transfer);
  const guint n = found ? found->len : 0;
  g_autofree char *title =
      is_wrong ? g_strdup_printf(ngettext("%u field was read back differently than written",
                                          "%u fields were read back differently than written", n),
                                 n)
               : g_strdup_printf(ngettext("%u field differs from the backup %s",
                                          "%u fields differ from the backup %s", n),
                                 n, ase_transfer_backup_path(self->transfer));
  gtk_label_set_text(self->changed_title, title);
  aui_table_clear(self->changed);
  for (guint k = 0; k < n; k++)
    put_change(self->changed, &g_array_index(found, AseParamChange, k));
  gtk_widget_set_visible(self->changed_box, found != NULL);
  self->changes = 0;
  return G_SOURCE_REMOVE;
}

/* ---- the transfer ---- */

static void on_finished(AuiExportController *self, gboolean is_done, const char *text) {
  (void)is_done;
  if (is_running(self))
    return; /* an upload goes on where reading has ended */
  if (self->task == TASK_RESTORE) {
    g_free(self->restored);
    self->restored = aio_said_text(text);
  }
  if (self->task != TASK_VERIFY && !self->changes)
    self->changes = g_idle_add(show_changes, self);
  refresh(self);
}

static void on_progress(AuiExportController *self, const char *what, double part) {
  g_autofree char *line = aio_said_line(what);
  gtk_label_set_text(self->doing, line);
  if (isnan(part))
    gtk_progress_bar_pulse(self->bar);
  else
    gtk_progress_bar_set_fraction(self->bar, part);
}

/* There is none before the first task. The session hears of its end first. */
static void watch(AuiExportController *self) {
  if (self->transfer || !ase_session_transfer(self->session))
    return;
  self->transfer = g_object_ref(ase_session_transfer(self->session));
  g_signal_connect_object(self->transfer, "finished", G_CALLBACK(on_finished), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(self->transfer, "progress", G_CALLBACK(on_progress), self,
                          G_CONNECT_SWAPPED);
}

static void begun(AuiExportController *self, Task task, bool ok, GError *error) {
  watch(self);
  if (ok)
    self->task = task;
  aui_say_failed(GTK_WIDGET(self), ok, &error);
  refresh(self);
}

static void begin(AuiExportController *self, Task task, const char *path) {
  GError *error = NULL;
  const bool ok =
      task == TASK_RESTORE
          ? ase_session_restore(self->session, path, &error)
          : ase_session_start(self->session,
                              task == TASK_UPLOAD ? ASE_STEP_UPLOAD : ASE_STEP_VERIFY, &error);
  begun(self, task, ok, error);
}

static void upload_anyway(AuiExportController *self) {
  GError *error = NULL;
  const bool ok = ase_session_upload_anyway(self->session, &self->doubts, &error);
  begun(self, TASK_UPLOAD, ok, error);
}

void aui_export_controller_restore(AuiExportController *self, const char *path) {
  begin(self, TASK_RESTORE, path);
}

/* ---- buttons ---- */

static void on_chosen(AuiExportController *self, int response) {
  g_autoptr(GtkFileChooserNative) chooser = g_steal_pointer(&self->chooser);
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(chooser));
  g_autofree char *path = file ? g_file_get_path(file) : NULL;
  if (response == GTK_RESPONSE_ACCEPT && path)
    aui_export_controller_restore(self, path);
}

/* Where backups of this controller are, if there are any. */
static GFile *backup_folder(AuiExportController *self) {
  const AioDescription *d = ase_device_description(ase_session_device(self->session));
  g_autofree char *all = g_build_filename(g_get_user_data_dir(), "armature", "backups", NULL);
  g_autofree char *mine = g_build_filename(all, d ? d->serial : "", NULL);
  return g_file_new_for_path(g_file_test(mine, G_FILE_TEST_IS_DIR) ? mine : all);
}

static void ask_backup(AuiExportController *self) {
  if (self->chooser || !aui_ask_may(GTK_WIDGET(self)))
    return;
  g_autoptr(GFile) folder = backup_folder(self);
  self->chooser = gtk_file_chooser_native_new(
      _("Restore a backup"), GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self))),
      GTK_FILE_CHOOSER_ACTION_OPEN, _("_Restore"), _("_Cancel"));
  gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(self->chooser), folder, NULL);
  g_signal_connect_object(self->chooser, "response", G_CALLBACK(on_chosen), self,
                          G_CONNECT_SWAPPED);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(self->chooser));
}

static GtkWindow *window_of(AuiExportController *self) {
  return GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self)));
}

static void on_answer(AuiExportController *self, const char *answer) {
  if (g_str_equal(answer, "restart"))
    begin(self, TASK_VERIFY, NULL);
  else if (g_str_equal(answer, "upload"))
    upload_anyway(self);
}

/* Cancelled if nobody says otherwise. */
static void ask(AuiExportController *self, GtkWidget *widget, const char *answer,
                const char *label) {
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG(widget);
  adw_message_dialog_add_response(dialog, "cancel", _("_Cancel"));
  adw_message_dialog_add_response(dialog, answer, label);
  adw_message_dialog_set_response_appearance(dialog, answer, ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_default_response(dialog, "cancel");
  adw_message_dialog_set_close_response(dialog, "cancel");
  gtk_window_set_modal(GTK_WINDOW(dialog), false); /* Hold and Power off stay in reach */
  gtk_window_set_destroy_with_parent(GTK_WINDOW(dialog), true);
  g_signal_connect_object(dialog, "response", G_CALLBACK(on_answer), self, G_CONNECT_SWAPPED);
  if (self->question)
    gtk_window_destroy(GTK_WINDOW(self->question));
  g_set_weak_pointer(&self->question, widget);
  gtk_window_present(GTK_WINDOW(widget));
}

/* It has not restarted since the upload, and its drives hold the arm. While it is armed, Verify is
 * refused anyway. */
static bool lets_arm_fall(AuiExportController *self) {
  AseDevice *device = ase_session_device(self->session);
  const AioDescription *d = ase_device_description(device);
  return ase_device_state(device)->drives_on && !ase_device_is_armed(device) && d &&
         d->boot_count == ase_session_procedure(self->session)->proof.boot_count;
}

static void verify(AuiExportController *self) {
  if (!lets_arm_fall(self)) {
    begin(self, TASK_VERIFY, NULL);
    return;
  }
  ask(self,
      adw_message_dialog_new(
          window_of(self), _("Verify"),
          _("The controller restarts: its drives go off, and the arm may fall.")),
      "restart", _("_Restart"));
}

/* ---- what stands against an upload ---- */

static void add_sentence(GString *text, const char *sentence) {
  g_string_append_printf(text, "%s%s", text->len ? "\n\n" : "", sentence);
}

static void take_sentence(GString *text, char *sentence) {
  add_sentence(text, sentence);
  g_free(sentence);
}

static void add_misfit(AuiExportController *self, GString *text) {
  take_sentence(text, aui_export_fit_text(self->session));
  add_sentence(text, _("The arm would be driven with wrong currents. Look for the cause on the "
                       "page Fit first."));
}

static void add_list(GString *text, const GPtrArray *list) {
  take_sentence(text, aui_bullets(list));
}

static void add_doubts(AuiExportController *self, GString *text) {
  g_autoptr(GPtrArray) doubts = aui_session_doubts(self->session, true);
  add_list(text, doubts);
  add_sentence(text, _("The numbers of such a recording are hardly those of the arm."));
}

static void add_lost_terms(AuiExportController *self, GString *text) {
  g_auto(ArmParamSet) found = {0};
  if (!ase_session_found(self->session, &found, NULL))
    return;
  g_autoptr(GPtrArray) lost = ase_param_lost_terms(&found);
  add_list(text, lost);
  add_sentence(text, _("Basic friction, chosen on the page Fit, stands for it as well as it can."));
}

static const char *question_title(const AseUploadDoubts *doubts) {
  if (doubts->is_misfit)
    return _("The model does not fit");
  if (doubts->is_doubtful)
    return _("The recording looks wrong");
  if (doubts->is_unvalidated)
    return _("The fit is not validated");
  if (doubts->is_unjudged)
    return _("The fit was not judged");
  return *doubts->serial ? _("Another controller") : _("Friction would be missing");
}

static void ask_upload(AuiExportController *self) {
  g_autoptr(GString) text = g_string_new(NULL);
  if (self->doubts.is_misfit)
    add_misfit(self, text);
  if (self->doubts.is_doubtful)
    add_doubts(self, text);
  if (self->doubts.is_unjudged)
    take_sentence(text, aui_export_fit_text(self->session));
  if (self->doubts.is_unvalidated)
    take_sentence(text, aui_export_validation_text(self->session));
  if (*self->doubts.serial) {
    /* TRANSLATORS: two serial numbers */
    g_autofree char *sentence =
        g_strdup_printf(_("These parameters were measured with controller %s; this is %s."),
                        ase_session_procedure(self->session)->fit_serial, self->doubts.serial);
    add_sentence(text, sentence);
  }
  if (self->doubts.loses_terms)
    add_lost_terms(self, text);
  add_sentence(text, _("Upload the parameters all the same?"));
  ask(self, adw_message_dialog_new(window_of(self), question_title(&self->doubts), text->str),
      "upload", _("_Upload"));
}

/* Nothing asks while the arm is armed: then the session refuses. */
static void begin_upload(AuiExportController *self) {
  if (!ase_device_is_armed(ase_session_device(self->session)) &&
      ase_session_upload_doubts(self->session, &self->doubts))
    ask_upload(self);
  else
    begin(self, TASK_UPLOAD, NULL);
}

static void on_begin(GtkWidget *button, AuiExportController *self) {
  if (button == self->begin[TASK_RESTORE])
    ask_backup(self);
  else if (button == self->begin[TASK_UPLOAD])
    begin_upload(self);
  else
    verify(self);
}

static void on_cancel(AuiExportController *self) {
  ase_session_cancel(self->session);
}

/* ---- building ---- */

static GtkWidget *new_row(AuiExportController *self, Task task) {
  AdwActionRow *row = ADW_ACTION_ROW(adw_action_row_new());
  self->row[task] = row;
  self->icon[task] = GTK_IMAGE(gtk_image_new());
  self->begin[task] = gtk_button_new_with_label(_(tasks[task].button));
  gtk_widget_set_valign(self->begin[task], GTK_ALIGN_CENTER);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), _(tasks[task].title));
  adw_action_row_set_subtitle_lines(row, 0);
  adw_action_row_add_prefix(row, GTK_WIDGET(self->icon[task]));
  adw_action_row_add_suffix(row, self->begin[task]);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->begin[task]), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _(tasks[task].title), -1);
  g_signal_connect(self->begin[task], "clicked", G_CALLBACK(on_begin), self);
  return GTK_WIDGET(row);
}

static GtkWidget *new_progress(AuiExportController *self) {
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *texts = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
  GtkWidget *cancel = gtk_button_new_with_mnemonic(_("_Cancel"));
  self->doing = GTK_LABEL(gtk_label_new(""));
  self->bar = GTK_PROGRESS_BAR(gtk_progress_bar_new());
  gtk_label_set_xalign(self->doing, 0.0f);
  gtk_label_set_wrap(self->doing, TRUE);
  gtk_label_set_wrap_mode(self->doing, PANGO_WRAP_WORD_CHAR);
  gtk_widget_set_hexpand(texts, TRUE);
  gtk_widget_set_valign(cancel, GTK_ALIGN_CENTER);
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->bar), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Transfer"), -1);
  gtk_accessible_update_property(GTK_ACCESSIBLE(cancel), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 _("Cancel the transfer"), -1);
  g_signal_connect_swapped(cancel, "clicked", G_CALLBACK(on_cancel), self);
  gtk_box_append(GTK_BOX(texts), GTK_WIDGET(self->doing));
  gtk_box_append(GTK_BOX(texts), GTK_WIDGET(self->bar));
  gtk_box_append(GTK_BOX(box), texts);
  gtk_box_append(GTK_BOX(box), cancel);
  return box;
}

static GtkWidget *new_changed(AuiExportController *self) {
  const char *const heads[] = {_("Field"), _("Was"), _("Is"), _("Unit"), NULL};
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *card = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
  self->changed_title = GTK_LABEL(gtk_label_new(""));
  self->changed = aui_table_new(heads);
  gtk_label_set_xalign(self->changed_title, 0.0f);
  gtk_label_set_wrap(self->changed_title, TRUE);
  gtk_label_set_wrap_mode(self->changed_title, PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class(GTK_WIDGET(self->changed_title), "heading");
  gtk_widget_add_css_class(card, "card");
  gtk_box_append(GTK_BOX(card), GTK_WIDGET(self->changed));
  gtk_box_append(GTK_BOX(box), GTK_WIDGET(self->changed_title));
  gtk_box_append(GTK_BOX(box), card);
  gtk_widget_set_visible(box, FALSE);
  return box;
}

static void aui_export_controller_init(AuiExportController *self) {
  AdwPreferencesGroup *group = ADW_PREFERENCES_GROUP(adw_preferences_group_new());
  gtk_orientable_set_orientation(GTK_ORIENTABLE(self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing(GTK_BOX(self), 12);
  adw_preferences_group_set_title(group, _("Controller"));
  adw_preferences_group_set_header_suffix(group, aui_why_new("boot-counter"));
  for (Task task = 0; task < TASKS; task++)
    adw_preferences_group_add(group, new_row(self, task));
  self->progress = new_progress(self);
  self->changed_box = new_changed(self);
  gtk_box_append(GTK_BOX(self), GTK_WIDGET(group));
  gtk_box_append(GTK_BOX(self), self->progress);
  gtk_box_append(GTK_BOX(self), self->changed_box);
}

static void dispose(GObject *object) {
  AuiExportController *self = AUI_EXPORT_CONTROLLER(object);
  g_clear_handle_id(&self->changes, g_source_remove);
  g_clear_object(&self->chooser);
  g_clear_weak_pointer(&self->question);
  g_clear_object(&self->transfer);
  g_clear_object(&self->session);
  g_clear_pointer(&self->restored, g_free);
  G_OBJECT_CLASS(aui_export_controller_parent_class)->dispose(object);
}

static void aui_export_controller_class_init(AuiExportControllerClass *class) {
  G_OBJECT_CLASS(class)->dispose = dispose;
}

GtkWidget *aui_export_controller_new(AseSession *session) {
  AuiExportController *self = g_object_new(AUI_TYPE_EXPORT_CONTROLLER, NULL);
  self->session = g_object_ref(session);
  g_signal_connect_object(session, "changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(session, "step-changed", G_CALLBACK(refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(ase_session_device(session), "changed", G_CALLBACK(refresh), self,
                          G_CONNECT_SWAPPED);
  watch(self);
  refresh(self);
  return GTK_WIDGET(self);
}
