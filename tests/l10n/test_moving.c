/* SPDX-License-Identifier: MIT */
/* The pages of an arm that moves, in one language: as at rest, no label is cut and no page is wider
 * than its window, whatever time is left and whatever was said when it stopped. Run by
 * in_locale.sh. */
#include "look.h"
#include "session/measure/motion_case.h"
#include "session/recording.h"
#include "ui/kit/language.h"
#include "ui/kit/steps.h"
#include "ui/sweep/own_motion.h"

static AuiApplication *application;
static const char *locale; /* "de_DE" */

static const AseRecordingState *state_of(Gui *gui) {
  return ase_session_record_state(gui->session);
}

static void see(Look *look, Gui *gui, const char *place) {
  look_at_window(look, gui->window, place);
  look_at_width(look, gui->window);
}

static void show_sweeps(Gui *gui) {
  aui_window_show_page(AUI_WINDOW(gui->window), aui_screen_key(AUI_SCREEN_SWEEP));
  gui_pass(0.4);
}

/* ---- motions ---- */

static double home[ARM_MAX_JOINTS];

static bool take(Gui *gui, double seconds, double way) {
  AioMotionTable *motion =
      motion_case_new(&ase_session_arm(gui->session)->model, home, seconds, way);
  const bool is_taken = ase_session_take_motion(gui->session, motion, 1.0, NULL);
  aio_motion_free(motion);
  return is_taken;
}

/* As far as its limits let it go: it has to be followed a little slower, and that is said. */
static void take_wide(Gui *gui, double seconds) {
  double low = 0.01, high = 40.0;
  for (guint k = 0; k < 20; k++) {
    const double way = 0.5 * (low + high);
    *(take(gui, seconds, way) ? &low : &high) = way;
  }
  g_assert_true(take(gui, seconds, low));
}

static bool has_no_fault(Gui *gui) {
  return !ase_device_state(ase_session_device(gui->session))->faults;
}

static void follow(Gui *gui) {
  g_autoptr(GError) error = NULL;
  if (!has_no_fault(gui))
    ase_device_clear_faults(ase_session_device(gui->session));
  gui_wait(has_no_fault, gui, 5.0, "an arm without faults");
  gui_arm(gui);
  ase_session_record(gui->session, &error);
  g_assert_no_error(error);
}

static bool is_followed(Gui *gui) {
  return state_of(gui)->state != ASE_STATE_RUNNING;
}

static bool is_at_speed(Gui *gui) {
  AseClock clock;
  return is_followed(gui) ||
         (ase_session_clock(gui->session, &clock) && clock.what == ASE_MOVES_MOTION);
}

/* Looking takes time, and on a busy computer the next segment or lease comes too late: it goes on.
 * Where it never comes in time, what is said of that is looked at instead. */
enum { ATTEMPTS = 5 };

static void see_followed(Look *look, Gui *gui) {
  for (guint k = 0; k < ATTEMPTS && state_of(gui)->state != ASE_STATE_PASSED; k++) {
    follow(gui);
    if (k == 0)
      see(look, gui, "moving-dry-run");
    gui_wait(is_at_speed, gui, 60.0, "the motion as it is");
    if (k == 0)
      see(look, gui, "moving-motion");
    gui_wait(is_followed, gui, 60.0, "the end of the motion");
  }
}

static void see_recorded(Look *look, Gui *gui) {
  take_wide(gui, 4.0);
  g_assert_cmpfloat(state_of(gui)->slowness, >, 1.0);
  own_motion_show(gui);
  see(look, gui, "moving-ready");
  see_followed(look, gui);
  g_test_message("%s", state_of(gui)->reason);
  see(look, gui, "moving-recorded");
}

/* ---- sweeps ---- */

static void see_both(Look *look, Gui *gui, const char *what) {
  g_autofree char *sweep = g_strdup_printf("moving-%s", what);
  g_autofree char *motion = g_strdup_printf("moving-%s-motion", what);
  show_sweeps(gui);
  see(look, gui, sweep);
  own_motion_show(gui);
  see(look, gui, motion);
}

static void see_swept(Look *look, Gui *gui) {
  gui_hurry(gui);
  gui_do(gui, ASE_STEP_CHECK, 60.0);
  gui_do(gui, ASE_STEP_PLAN, 60.0);
  gui_arm(gui);
  gui_start(gui, ASE_STEP_DRY_RUN);
  see_both(look, gui, "sweep-dry-run");
  gui_until(gui, ASE_STEP_DRY_RUN, 120.0);
  gui_start(gui, ASE_STEP_SWEEP);
  see_both(look, gui, "sweep");
  ase_session_cancel(gui->session);
  gui_pass(0.5);
  see_both(look, gui, "sweep-paused");
}

/* All pages have been seen: each is as wide as the widest. */
static void open_arm(Gui *gui, Look *look, double time_factor) {
  look_init(look, locale);
  gui_open(gui, application, "puma560-truth2", time_factor);
  g_assert_true(ase_device_pose(ase_session_device(gui->session), home));
  show_sweeps(gui);
}

/* To its end, with its note that it is followed slower. */
static void test_motion(void) {
  Gui gui;
  Look look;
  open_arm(&gui, &look, 2.0);
  see_recorded(&look, &gui);
  gui_close(&gui);
  look_end(&look, 50);
}

static void test_sweeps(void) {
  Gui gui;
  Look look;
  open_arm(&gui, &look, 20.0);
  see_swept(&look, &gui);
  gui_close(&gui);
  look_end(&look, 50);
}

/* More than an hour is left. */
static void test_long(void) {
  Gui gui;
  Look look;
  open_arm(&gui, &look, 1.0);
  g_assert_true(take(&gui, 500.0, 0.2));
  own_motion_show(&gui);
  follow(&gui);
  gui_pass(1.0);
  see(&look, &gui, "moving-hours");
  ase_session_cancel(gui.session);
  gui_wait(is_followed, &gui, 10.0, "the stop");
  see(&look, &gui, "moving-stopped");
  gui_close(&gui);
  look_end(&look, 50);
}

int main(int argc, char **argv) {
  aui_language_init();
  locale = g_getenv("ARMATURE_LOOK");
  g_test_init(&argc, &argv, NULL);
  application = aui_application_new();
  if (!locale || !g_application_register(G_APPLICATION(application), NULL, NULL) ||
      !gtk_init_check())
    return 77;
  g_test_add_func("/l10n/moving/hours", test_long);
  g_test_add_func("/l10n/moving/motion", test_motion);
  g_test_add_func("/l10n/moving/sweeps", test_sweeps);
  const int status = g_test_run();
  g_object_unref(application);
  return status;
}
