/* SPDX-License-Identifier: MIT */
/* The export page: what is offered when, and a way into the controller and back. */
#include <glib/gstdio.h>
#include <string.h>

#include "gui.h"
#include "io/arm/arm_file.h"
#include "recorded.h"
#include "session/method/gravity.h"
#include "ui/connect/connection.h"
#include "ui/export/export.h"
#include "ui/export/export_controller.h"
#include "ui/kit/settings.h"
#include "ui/report/report_details.h"

static AuiApplication *application;

typedef struct {
  Recorded recorded;
  Gui gui;
} Case;

static void case_open(Case *c, bool has_fit) {
  recorded_init(&c->recorded, "data/robots/puma560-table1.arm.json");
  if (has_fit) {
    recorded_do(&c->recorded, ASE_STEP_FIT);
    recorded_do(&c->recorded, ASE_STEP_VALIDATE);
  }
  c->gui =
      (Gui){c->recorded.session, aui_window_new(ADW_APPLICATION(application), c->recorded.session)};
  gtk_window_present(GTK_WINDOW(c->gui.window));
  aui_window_show_page(AUI_WINDOW(c->gui.window), "export");
  gui_pass(0.2);
}

static void case_close(Case *c) {
  gtk_window_destroy(GTK_WINDOW(c->gui.window));
  gui_pass(0.1);
  recorded_clear(&c->recorded);
}

/* ---- what is looked for ---- */

typedef struct {
  const char *text;
  GType type;
  GtkWidget *found;
} Wanted;

static bool see(GtkWidget *widget, void *data) {
  Wanted *wanted = data;
  if (!gtk_widget_get_mapped(widget))
    return false;
  if (wanted->type && G_TYPE_CHECK_INSTANCE_TYPE(widget, wanted->type))
    wanted->found = widget;
  if (wanted->text && GTK_IS_LABEL(widget) &&
      strstr(gtk_label_get_text(GTK_LABEL(widget)), wanted->text))
    wanted->found = widget;
  return true;
}

static GtkWidget *find_type(Case *c, GType type) {
  Wanted wanted = {.type = type};
  gui_walk(c->gui.window, see, &wanted);
  g_assert_nonnull(wanted.found);
  return wanted.found;
}

static bool shows(Gui *gui, const char *text) {
  Wanted wanted = {.text = text};
  gui_walk(gui->window, see, &wanted);
  return wanted.found != NULL;
}

static bool has_text(Case *c, const char *text) {
  return shows(&c->gui, text);
}

static bool shows_changes(Gui *gui) {
  return shows(gui, "differ from the backup /") && shows(gui, "coulomb_pos");
}

static bool is_checked(Gui *gui) {
  return ase_device_link(ase_session_device(gui->session)) == ASE_LINK_READY &&
         gui_state(gui, ASE_STEP_CHECK) == ASE_STATE_PASSED;
}

static bool is_restored(Gui *gui) {
  return !ase_transfer_is_running(ase_session_transfer(gui->session)) &&
         gui_state(gui, ASE_STEP_UPLOAD) == ASE_STATE_STALE;
}

/* ---- cases ---- */

/* Only a folder that is here is opened, whatever a session names. */
static void test_folder(void) {
  g_autofree char *folder = g_dir_make_tmp("armature-ui-XXXXXX", NULL);
  g_autofree char *file = g_build_filename(folder, "p.json", NULL);
  g_autofree char *inside = g_build_filename(file, "p.json", NULL);
  g_autofree char *uri = aui_export_folder_uri(file);
  g_assert_true(g_file_set_contents(file, "{}", -1, NULL));
  g_assert_nonnull(uri);
  g_assert_true(g_str_has_prefix(uri, "file:///") && g_str_has_suffix(uri, strrchr(folder, '/')));
  g_assert_null(aui_export_folder_uri(inside)); /* a file is no folder: nothing is started */
  g_assert_null(aui_export_folder_uri("/nowhere/at/all/p.json"));
  g_assert_null(aui_export_folder_uri("smb://server/share/p.json"));
  g_assert_null(aui_export_folder_uri("p.json"));
  g_assert_null(aui_export_folder_uri(NULL));
  g_unlink(file);
  g_rmdir(folder);
}

static void test_nothing(void) {
  Case c;
  case_open(&c, false);
  g_assert_true(has_text(&c, "Nothing to export yet"));
  g_assert_false(gtk_widget_is_sensitive(gui_button(&c.gui, "Save…")));
  g_assert_false(gtk_widget_is_sensitive(gui_button(&c.gui, "Upload")));
  gui_shoot(&c.gui, "export-nothing");
  case_close(&c);
}

/* What asks, in a window of its own; NULL: nobody does. */
static AdwMessageDialog *find_question(void) {
  GListModel *windows = gtk_window_get_toplevels();
  AdwMessageDialog *found = NULL;
  for (guint k = 0; k < g_list_model_get_n_items(windows); k++) {
    g_autoptr(GtkWidget) window = g_list_model_get_item(windows, k);
    if (ADW_IS_MESSAGE_DIALOG(window) && gtk_widget_get_mapped(window))
      found = ADW_MESSAGE_DIALOG(window);
  }
  return found;
}

static void answer(Gui *gui, const char *response) {
  gui_click(gui, "Verify");
  gui_pass(0.2);
  AdwMessageDialog *question = find_question();
  g_assert_nonnull(question);
  g_assert_nonnull(strstr(adw_message_dialog_get_body(question), "the arm may fall"));
  g_assert_cmpstr(adw_message_dialog_get_default_response(question), ==, "cancel");
  g_assert_cmpstr(adw_message_dialog_get_close_response(question), ==, "cancel");
  g_assert_false(gtk_window_get_modal(GTK_WINDOW(question)));
  if (response) {
    Gui dialog = {gui->session, GTK_WIDGET(question)};
    gui_click(&dialog, response);
  } else {
    gtk_window_close(GTK_WINDOW(question));
  }
  gui_pass(0.2);
  g_assert_null(find_question());
}

static bool drives_are_on(Gui *gui) {
  return ase_device_state(ase_session_device(gui->session))->drives_on;
}

static bool drives_are_off(Gui *gui) {
  return !drives_are_on(gui);
}

/* An arm that is held by its drives is not let fall without a question. */
static void check_restart(Gui *gui) {
  gui_arm(gui);
  ase_device_disarm(ase_session_device(gui->session));
  gui_wait(gui_is_not_armed, gui, 5.0, "disarming");
  g_assert_true(drives_are_on(gui));
  gui_click(gui, "Upload");
  gui_until(gui, ASE_STEP_UPLOAD, 30.0);
  const AseStepState before = gui_state(gui, ASE_STEP_VERIFY);
  answer(gui, "_Cancel");
  answer(gui, NULL);
  g_assert_cmpint(gui_state(gui, ASE_STEP_VERIFY), ==, before);
  g_assert_true(drives_are_on(gui));
  answer(gui, "_Restart");
  gui_wait(drives_are_off, gui, 10.0, "the restart");
  gui_until(gui, ASE_STEP_VERIFY, 30.0);
}

static void test_controller(void) {
  Case c;
  GError *error = NULL;
  case_open(&c, true);
  g_assert_true(gtk_widget_is_sensitive(gui_button(&c.gui, "Save…")));
  ase_session_exported(c.gui.session, "/nowhere/parameters.json");
  g_assert_true(has_text(&c, "Saved as /nowhere/parameters.json"));
  g_assert_false(gtk_widget_is_sensitive(gui_button(&c.gui, "Upload")));
  g_assert_true(has_text(&c, "Connect a controller first."));
  aui_connect_simulated(c.gui.session, 1.0, &error);
  g_assert_no_error(error);
  gui_wait(is_checked, &c.gui, 20.0, "the check");
  gui_click(&c.gui, "Upload");
  gui_until(&c.gui, ASE_STEP_UPLOAD, 30.0);
  g_autofree char *backup = g_strdup(ase_transfer_backup_path(ase_session_transfer(c.gui.session)));
  g_assert_true(g_file_test(backup, G_FILE_TEST_IS_REGULAR));
  gui_wait(shows_changes, &c.gui, 5.0, "the changed fields");
  gui_click(&c.gui, "Verify");
  gui_until(&c.gui, ASE_STEP_VERIFY, 30.0);
  g_assert_null(find_question()); /* the drives were off */
  check_restart(&c.gui);
  gtk_window_set_default_size(GTK_WINDOW(c.gui.window), 1280, 1040);
  gui_shoot(&c.gui, "export-verified");
  aui_export_controller_restore(AUI_EXPORT_CONTROLLER(find_type(&c, AUI_TYPE_EXPORT_CONTROLLER)),
                                backup);
  gui_wait(is_restored, &c.gui, 30.0, "restoring");
  g_assert_cmpint(gui_state(&c.gui, ASE_STEP_VERIFY), ==, ASE_STATE_STALE);
  case_close(&c);
}

/* Esc, then Cancel, then Upload, which goes on. */
static void ask_upload(Case *c, const char *title, const char *says, const char *picture) {
  const AseStepState before = gui_state(&c->gui, ASE_STEP_UPLOAD);
  for (guint k = 0; k < 3; k++) {
    gui_click(&c->gui, "Upload");
    gui_pass(0.2);
    AdwMessageDialog *question = find_question();
    g_assert_nonnull(question);
    g_assert_cmpstr(adw_message_dialog_get_heading(question), ==, title);
    g_assert_nonnull(strstr(adw_message_dialog_get_body(question), says));
    g_assert_cmpstr(adw_message_dialog_get_default_response(question), ==, "cancel");
    g_assert_cmpint(gui_state(&c->gui, ASE_STEP_UPLOAD), ==, before);
    Gui dialog = {c->gui.session, GTK_WIDGET(question)};
    if (picture)
      gui_shoot(&dialog, picture);
    if (k == 0)
      gtk_window_close(GTK_WINDOW(question));
    else
      gui_click(&dialog, k == 1 ? "_Cancel" : "_Upload");
    gui_pass(0.2);
    g_assert_null(find_question());
  }
  gui_until(&c->gui, ASE_STEP_UPLOAD, 30.0);
}

/* What another controller has measured is not uploaded without a question; Esc is no. */
static void test_elsewhere(void) {
  Case c;
  GError *error = NULL;
  case_open(&c, true);
  ase_session_exported(c.gui.session, "/nowhere/parameters.json");
  AseProcedure *procedure = (AseProcedure *)ase_session_procedure(c.gui.session);
  g_strlcpy(procedure->fit_serial, "0123abcd", ASE_SERIAL_BYTES); /* as if it were no recording */
  aui_connect_simulated(c.gui.session, 1.0, &error);
  g_assert_no_error(error);
  gui_wait(is_checked, &c.gui, 20.0, "the check");
  ask_upload(&c, "Another controller", "controller 0123abcd; this is ", "export-elsewhere");
  case_close(&c);
}

/* Nor is what does not fit, or friction that the controller has no place for. */
static void test_doubts(void) {
  Case c;
  GError *error = NULL;
  case_open(&c, true);
  ArmGravityFit *fit =
      (ArmGravityFit *)ase_gravity_of(ase_session_fit(c.gui.session)); /* as if it were so */
  fit->refined.joint[1].has_term[ARM_TERM_LOAD] = true;
  aui_connect_simulated(c.gui.session, 1.0, &error);
  g_assert_no_error(error);
  gui_wait(is_checked, &c.gui, 20.0, "the check");
  g_assert_true(has_text(&c, "with uncertainty, units and origin"));
  ase_session_exported(c.gui.session, "/nowhere/parameters.json");
  ask_upload(&c, "Friction would be missing", "friction of joint 2 that grows with the load", NULL);
  ase_procedure_outdate((AseProcedure *)ase_session_procedure(c.gui.session), ASE_STEP_UPLOAD, "");
  fit->verdict.verdict = fit->verdict.joint[0].verdict = ARM_VERDICT_MISFIT;
  fit->verdict.joint[0].test[ARM_TEST_GRAVITY].is_alarm = true;
  g_signal_emit_by_name(c.gui.session, "changed"); /* as after a fit */
  ase_session_exported(c.gui.session, "/nowhere/parameters.json");
  gui_pass(0.2);
  g_assert_true(has_text(&c, "The model does not fit joint 1")); /* where it is exported */
  ask_upload(&c, "The model does not fit", "The model does not fit joint 1", "export-misfit");
  case_close(&c);
}

static void edit_arm(AseSession *session) {
  g_autoptr(GError) error = NULL;
  g_autofree char *text = aio_arm_format(ase_session_arm(session), NULL);
  g_autoptr(GString) other = g_string_new(text);
  g_assert_cmpuint(g_string_replace(other, "0.4318", "0.4317", 1), ==, 1);
  g_assert_true(ase_session_set_arm(session, other->str, &error));
}

/* What was fitted with another arm is not to be had, and the page says why. */
static void test_stale(void) {
  Case c;
  case_open(&c, true);
  edit_arm(c.gui.session);
  gui_pass(0.2);
  g_assert_true(has_text(&c, "the fit is out of date (the arm has been edited): fit again first"));
  g_assert_false(gtk_widget_is_sensitive(gui_button(&c.gui, "Save…")));
  gui_shoot(&c.gui, "export-stale");
  ase_session_undo(c.gui.session);
  gui_pass(0.2);
  g_assert_false(has_text(&c, "out of date"));
  g_assert_true(gtk_widget_is_sensitive(gui_button(&c.gui, "Save…")));
  case_close(&c);
}

/* Nor is one uploaded without a question whose validation has failed, or that nothing judged. */
static void test_unvalidated(void) {
  Case c;
  GError *error = NULL;
  case_open(&c, true);
  AseProcedure *procedure = (AseProcedure *)ase_session_procedure(c.gui.session); /* as if */
  ase_procedure_fail(procedure, ASE_STEP_VALIDATE, 2, "error 99 mA");
  aui_connect_simulated(c.gui.session, 1.0, &error);
  g_assert_no_error(error);
  gui_wait(is_checked, &c.gui, 20.0, "the check");
  ase_session_exported(c.gui.session, "/nowhere/parameters.json");
  g_assert_true(has_text(&c, "The validation has failed for joint 2: error 99 mA"));
  ask_upload(&c, "The fit is not validated", "The validation has failed for joint 2: error 99 mA",
             "export-unvalidated");
  ase_procedure_pass(procedure, ASE_STEP_VALIDATE, 0, "");
  ase_procedure_outdate(procedure, ASE_STEP_UPLOAD, "");
  ArmGravityFit *fit = (ArmGravityFit *)ase_gravity_of(ase_session_fit(c.gui.session));
  fit->verdict.verdict = fit->verdict.joint[0].verdict = ARM_VERDICT_UNKNOWN;
  fit->verdict.joint[0].untold = ARM_UNTOLD_ONE_SPEED;
  ase_session_exported(c.gui.session, "/nowhere/parameters.json");
  gui_pass(0.2);
  g_assert_true(has_text(&c, "Whether the model fits cannot be told of joint 1"));
  ask_upload(&c, "The fit was not judged", "cannot be told of joint 1", "export-unjudged");
  case_close(&c);
}

static void test_details(void) {
  Case c;
  AuiReportNotes notes;
  case_open(&c, true);
  aui_report_details_get(AUI_REPORT_DETAILS(find_type(&c, AUI_TYPE_REPORT_DETAILS)), &notes);
  g_assert_cmpstr(notes.notes, ==, "");
  g_settings_set_string(aui_settings(), "operator", "A. Technician"); /* as the preferences do */
  GtkWidget *second = g_object_ref_sink(aui_report_details_new());
  aui_report_details_get(AUI_REPORT_DETAILS(second), &notes);
  g_assert_cmpstr(notes.operator_name, ==, "A. Technician");
  g_object_unref(second);
  g_settings_reset(aui_settings(), "operator");
  gui_shoot(&c.gui, "export-light");
  AdwStyleManager *style = adw_style_manager_get_default();
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK);
  gui_pass(0.5);
  gui_shoot(&c.gui, "export-dark");
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
  case_close(&c);
}

/* No sweeps were planned to validate with: what is next does not promise that something has. */
static void test_no_validation(void) {
  Case c;
  g_autoptr(GError) error = NULL;
  case_open(&c, false);
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(c.recorded.session), sizeof *edits);
  edits->itinerary.validation_holds = 0;
  ase_session_set_edits(c.recorded.session, edits, "options");
  recorded_do(&c.recorded, ASE_STEP_FIT);
  gui_pass(0.1);
  g_assert_cmpstr(gui_next_label(&c.gui), ==, "Next: export");
  g_assert_true(has_text(&c, "No sweeps were planned to validate them"));
  g_autofree char *path = g_build_filename(c.recorded.folder, "p.json", NULL);
  aui_export_write(c.recorded.session, AUI_EXPORT_PARAMETERS, path, &error);
  g_assert_no_error(error);
  gui_pass(0.1);
  g_assert_cmpstr(gui_next_label(&c.gui), ==, "Done");
  g_assert_true(has_text(&c, "The parameters are exported. No sweeps were planned"));
  case_close(&c);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/export/folder", test_folder);
  g_test_add_func("/ui/export/nothing", test_nothing);
  g_test_add_func("/ui/export/controller", test_controller);
  g_test_add_func("/ui/export/elsewhere", test_elsewhere);
  g_test_add_func("/ui/export/doubts", test_doubts);
  g_test_add_func("/ui/export/stale", test_stale);
  g_test_add_func("/ui/export/unvalidated", test_unvalidated);
  g_test_add_func("/ui/export/no-validation", test_no_validation);
  g_test_add_func("/ui/export/details", test_details);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
