/* SPDX-License-Identifier: MIT */
/* A calibration and what may happen to it, in the pseudo-translation or in a language: no word of
 * the window and of what it says is English, but for names. Run by in_locale.sh. */
#include <errno.h>
#include <glib/gstdio.h>
#include <libintl.h>
#include <locale.h>

#include "english.h"
#include "look.h"
#include "session/import_case.h"
#include "session/measure/motion_case.h"
#include "session/recording.h"
#include "support/file_limit.h"
#include "support/support.h"
#include "ui/connect/connection.h"
#include "ui/kit/language.h"
#include "ui/kit/steps.h"
#include "ui/outside.h"
#include "ui/sweep/page_motion.h"
#include "wire/message.h"
#include "written.h"

static AuiApplication *application;
static const char *locale;
static Look look;

static void begin_to_look(void) {
  look_init(&look, locale);
  look.sees_language = true;
}

static void see(Gui *gui, const char *place) {
  look_at(&look, gui->window, place);
}

static void see_pages(Gui *gui) {
  for (AuiScreen screen = 0; screen < AUI_SCREENS; screen++) {
    aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(screen));
    gui_pass(0.1);
    see(gui, aui_screen_key(screen));
  }
  aui_window_show_page(AUI_WINDOW(gui->window), AUI_PAGE_MOTION_KEY);
  gui_pass(0.1);
  see(gui, AUI_PAGE_MOTION_KEY);
}

static void open_messages(Gui *gui) {
  aui_strip_toggle_log(aui_window_strip(AUI_WINDOW(gui->window)));
}

static void begin(Gui *gui, Outside *arm) {
  begin_to_look();
  outside_start(arm, "planar2r", 40.0);
  outside_open(arm, gui, application);
  english_allow_arm(ase_session_arm(gui->session));
  open_messages(gui);
  english_allow("hurry");
  gui_hurry(gui);
  gui_do(gui, ASE_STEP_CHECK, 60.0);
}

static void end(Gui *gui, Outside *arm) {
  see_pages(gui);
  gui_close(gui);
  outside_stop(arm);
  look_end(&look, 50);
}

static bool is_not_running(Gui *gui) {
  return gui_state(gui, ASE_STEP_SWEEP) != ASE_STATE_RUNNING;
}

static bool is_lost(Gui *gui) {
  return ase_device_link(ase_session_device(gui->session)) == ASE_LINK_LOST;
}

static bool is_ready(Gui *gui) {
  return ase_device_link(ase_session_device(gui->session)) == ASE_LINK_READY;
}

static bool is_clear(Gui *gui) {
  return is_ready(gui) && ase_device_state(ase_session_device(gui->session))->faults == 0;
}

/* ---- a day on which all goes well ---- */

static void test_calibration(void) {
  Outside arm;
  Gui gui;
  begin(&gui, &arm);
  see_pages(&gui);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  gui_arm(&gui);
  gui_do(&gui, ASE_STEP_DRY_RUN, 120.0);
  see_pages(&gui);
  gui_start(&gui, ASE_STEP_SWEEP);
  gui_pass(0.5);
  see_pages(&gui);
  gui_until(&gui, ASE_STEP_SWEEP, 240.0);
  gui_do(&gui, ASE_STEP_FIT, 60.0);
  gui_do(&gui, ASE_STEP_VALIDATE, 60.0);
  ase_device_disarm(ase_session_device(gui.session));
  gui_pass(0.3);
  end(&gui, &arm);
}

/* ---- a motion of one's own ---- */

static bool find_page(GtkWidget *widget, void *data) {
  if (AUI_IS_PAGE_MOTION(widget))
    *(AuiPageMotion **)data = AUI_PAGE_MOTION(widget);
  return true;
}

static bool is_taken(Gui *gui) {
  return ase_session_record_state(gui->session)->state == ASE_STATE_READY;
}

static bool is_followed(Gui *gui) {
  return ase_session_record_state(gui->session)->state != ASE_STATE_RUNNING;
}

static void choose_motion(Gui *gui, const char *folder) {
  const ArmModel *model = &ase_session_arm(gui->session)->model;
  g_autofree char *path = g_build_filename(folder, "wave.csv", NULL);
  AuiPageMotion *page = NULL;
  double q[ARM_MAX_JOINTS];
  g_assert_true(ase_device_pose(ase_session_device(gui->session), q));
  g_autoptr(AioMotionTable) motion = motion_case_new(model, q, 2.0, 0.2);
  GString *csv = aio_motion_to_csv(motion, model);
  g_assert_true(g_file_set_contents(path, csv->str, (gssize)csv->len, NULL));
  g_string_free(csv, TRUE);
  gui_walk(gui->window, find_page, &page);
  aui_page_motion_read(page, path);
  gui_wait(is_taken, gui, 20.0, "the motion");
  g_remove(path);
}

/* Chosen, followed, and recorded. */
static void test_motion(void) {
  Outside arm;
  Gui gui;
  g_autoptr(GError) error = NULL;
  begin(&gui, &arm);
  aui_window_show_page(AUI_WINDOW(gui.window), AUI_PAGE_MOTION_KEY);
  choose_motion(&gui, arm.folder);
  see(&gui, "chosen");
  gui_arm(&gui);
  see(&gui, "armed");
  ase_session_record(gui.session, &error);
  g_assert_no_error(error);
  gui_pass(0.3);
  see(&gui, "followed");
  gui_wait(is_followed, &gui, 60.0, "the end of the motion");
  see(&gui, "recorded");
  end(&gui, &arm);
}

/* ---- and others ---- */

static void sweep(Gui *gui) {
  gui_do(gui, ASE_STEP_PLAN, 60.0);
  gui_arm(gui);
  gui_do(gui, ASE_STEP_DRY_RUN, 120.0);
  gui_start(gui, ASE_STEP_SWEEP);
  gui_pass(0.5);
}

static void test_cable(void) {
  Outside arm;
  Gui gui;
  begin(&gui, &arm);
  sweep(&gui);
  outside_pull(&arm);
  gui_wait(is_lost, &gui, 10.0, "the loss");
  see_pages(&gui);
  outside_plug(&arm);
  gui_wait(is_ready, &gui, 30.0, "the controller");
  gui_pass(0.5);
  end(&gui, &arm);
}

enum { UNPLUGGED_MS = 120000 }; /* of device time, 40 times as fast */

/* The simulator inside the program, which is not pulled by hand. */
static void test_simulator(void) {
  Gui gui;
  const AioCommand unplug = {.kind = AIO_COMMAND_TEST,
                             .test = {.kind = WIRE_TEST_UNPLUG, .duration_ms = UNPLUGGED_MS}};
  begin_to_look();
  gui_open(&gui, application, "planar2r", 40.0);
  english_allow_arm(ase_session_arm(gui.session));
  open_messages(&gui);
  ase_device_send(ase_session_device(gui.session), &unplug, bench_ignore, NULL);
  gui_wait(is_lost, &gui, 10.0, "the loss");
  see_pages(&gui);
  gui_wait(is_ready, &gui, 30.0, "the controller");
  gui_pass(0.5);
  see_pages(&gui);
  gui_close(&gui);
  look_end(&look, 50);
}

static void on_planted(const AioReply *reply, void *ctx) {
  (void)ctx;
  g_assert_cmpint(reply->code, ==, 0);
}

static void plant(Gui *gui, guint kind, guint joint, gint32 value, guint32 ms) {
  const AioCommand command = {
      .kind = AIO_COMMAND_TEST,
      .test = {.kind = kind, .joint = joint, .value = value, .duration_ms = ms}};
  ase_device_send(ase_session_device(gui->session), &command, on_planted, NULL);
}

/* Again, after what has ended it; and looked at. */
static void interrupt(Gui *gui, void (*how)(Gui *gui, guint kind), guint kind) {
  ase_device_clear_faults(ase_session_device(gui->session));
  gui_wait(is_clear, gui, 20.0, "the end of the faults");
  gui_arm(gui);
  gui_start(gui, ASE_STEP_SWEEP);
  gui_pass(0.3);
  how(gui, kind);
  gui_wait(is_not_running, gui, 20.0, "the end of the sweep");
  gui_wait(gui_is_not_armed, gui, 20.0, "the end of arming"); /* or the next one arms too early */
  gui_pass(0.3);
  aui_window_show_page(AUI_WINDOW(gui->window), "sweep");
  see(gui, "sweep");
  aui_window_show_page(AUI_WINDOW(gui->window), "connect");
  see(gui, "connect");
}

static void hold(Gui *gui, guint kind) {
  (void)kind;
  ase_device_halt(ase_session_device(gui->session));
}

static void power_off(Gui *gui, guint kind) {
  (void)kind;
  ase_device_power_off(ase_session_device(gui->session));
}

static void fault(Gui *gui, guint kind) {
  plant(gui, kind, 2, kind == WIRE_TEST_REBOOT ? WIRE_RESET_WATCHDOG : 0, 500);
}

static void test_stops(void) {
  static const guint faults[] = {WIRE_TEST_OVER_CURRENT, WIRE_TEST_OVER_TEMPERATURE,
                                 WIRE_TEST_ESTOP_OPEN, WIRE_TEST_REBOOT};
  Outside arm;
  Gui gui;
  begin(&gui, &arm);
  gui_do(&gui, ASE_STEP_PLAN, 60.0);
  gui_arm(&gui);
  gui_do(&gui, ASE_STEP_DRY_RUN, 120.0);
  interrupt(&gui, hold, 0);
  interrupt(&gui, power_off, 0);
  for (gsize k = 0; k < G_N_ELEMENTS(faults); k++)
    interrupt(&gui, fault, faults[k]);
  end(&gui, &arm);
}

static bool has_failed(Gui *gui) {
  return ase_session_disk_failure(gui->session) != NULL;
}

static bool has_recovered(Gui *gui) {
  return !has_failed(gui);
}

/* The computer's own words have no pseudo-translation. */
static void test_disk(void) {
  Outside arm;
  Gui gui;
  begin(&gui, &arm);
  english_allow(g_strerror(EFBIG));
  sweep(&gui);
  test_limit_files(1 << 14);
  gui_wait(has_failed, &gui, 10.0, "the disk to be full");
  gui_pass(0.6);
  see_pages(&gui);
  test_limit_files(0);
  gui_wait(has_recovered, &gui, 10.0, "space");
  end(&gui, &arm);
}

/* What a file of somebody else lacks is said in English, in a sentence that is not. */
static void test_stranger(void) {
  Outside arm;
  Gui gui;
  begin(&gui, &arm);
  static const char *const endings[] = {"arm.json", "armsession"};
  for (gsize k = 0; k < G_N_ELEMENTS(endings); k++) {
    g_autofree char *path = g_strdup_printf("%s/stranger.%s", arm.folder, endings[k]);
    g_autoptr(GError) error = NULL;
    g_autofree char *notice = NULL;
    g_assert_true(g_file_set_contents(path, "{\"format\": 7}", -1, NULL));
    g_assert_null(aui_session_open(path, &notice, &error));
    english_allow(error->message);
    g_action_group_activate_action(G_ACTION_GROUP(application), "open-path",
                                   g_variant_new_string(path));
    gui_pass(0.1);
    see(&gui, endings[k]);
    g_remove(path);
  }
  end(&gui, &arm);
}

static void test_deleted(void) {
  Outside arm;
  Gui gui;
  begin(&gui, &arm);
  sweep(&gui);
  g_remove(ase_session_path(gui.session));
  gui_wait(is_not_running, &gui, 10.0, "the hold");
  gui_pass(1.0);
  end(&gui, &arm);
}

/* What is asked too early, or of nobody. */
static void test_refused(void) {
  Gui gui;
  g_autoptr(GError) error = NULL;
  begin_to_look();
  gui.session = aui_session_new(test_source_path("data/robots/planar2r.arm.json"), &error);
  g_assert_no_error(error);
  english_allow_arm(ase_session_arm(gui.session));
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  open_messages(&gui);
  see_pages(&gui);
  for (AseStep step = 0; step < ASE_STEPS; step++)
    if (!ase_session_start(gui.session, step, &error)) {
      aui_say_failed(gui.window, false, &error);
      see(&gui, ase_steps_title(ase_session_steps(), step));
    }
  if (!aui_connect_path(gui.session, "/dev/null", 1000000, &error))
    aui_say_failed(gui.window, false, &error);
  if (!aui_connect_path(gui.session, "/dev/ttyS77", 1000000, &error))
    aui_say_failed(gui.window, false, &error);
  see_pages(&gui);
  gui_close(&gui);
  look_end(&look, 50);
}

/* A session that is closed, on all pages in this language. */
static void see_session(const char *path) {
  Gui gui;
  g_autofree char *kept = NULL, *name = g_path_get_basename(path);
  g_autoptr(GError) error = NULL;
  setlocale(LC_ALL, "");
  gui.session = ase_session_open(path, "test 1.0", &kept, &error);
  g_assert_no_error(error);
  english_allow_arm(ase_session_arm(gui.session));
  english_allow(name);
  gui.window = aui_window_new(ADW_APPLICATION(application), gui.session);
  gtk_window_present(GTK_WINDOW(gui.window));
  open_messages(&gui);
  see_pages(&gui);
  gui_close(&gui);
}

/* That somebody else wrote in English: with what went wrong in it; then with a fit that is out of
 * date. */
static void test_written(void) {
  Bench bench;
  begin_to_look();
  english_allow("simulator"); /* how the bench calls its link */
  setlocale(LC_ALL, "C");
  written_session(&bench, NULL);
  bench_close(&bench);
  see_session(bench.path);
  setlocale(LC_ALL, "C");
  bench_open(&bench);
  written_edit(&bench);
  bench_close(&bench);
  see_session(bench.path);
  look_end(&look, 50);
  bench_clear(&bench);
}

/* The same of a recording that was imported. */
static void test_imported(void) {
  Case c;
  begin_to_look();
  setlocale(LC_ALL, "C");
  case_init(&c);
  case_import(&c);
  case_do(&c, ASE_STEP_FIT);
  case_do(&c, ASE_STEP_VALIDATE);
  ase_session_exported(c.session, "parameters.json");
  g_assert_true(ase_session_close(c.session, NULL));
  see_session(c.path);
  look_end(&look, 50);
  case_clear(&c);
}

int main(int argc, char **argv) {
  aui_language_init();
  if (g_getenv("ARMATURE_TEXTS"))
    bindtextdomain("armature", g_getenv("ARMATURE_TEXTS"));
  locale = g_getenv("ARMATURE_LOOK");
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!locale || !application)
    return 77;
  if (!g_getenv("ARMATURE_TEXTS"))
    english_allow_language(locale);
  g_test_add_func("/english/calibration", test_calibration);
  g_test_add_func("/english/motion", test_motion);
  g_test_add_func("/english/cable", test_cable);
  g_test_add_func("/english/simulator", test_simulator);
  g_test_add_func("/english/stops", test_stops);
  g_test_add_func("/english/disk", test_disk);
  g_test_add_func("/english/deleted", test_deleted);
  g_test_add_func("/english/stranger", test_stranger);
  g_test_add_func("/english/refused", test_refused);
  g_test_add_func("/english/written", test_written);
  g_test_add_func("/english/imported", test_imported);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
