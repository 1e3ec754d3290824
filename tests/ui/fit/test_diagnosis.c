/* SPDX-License-Identifier: MIT */
/* A base that leans by 2 deg, at the window: the verdict in sight, the cause looked for, cancelled
 * and found, the corrected arm offered, applied and undone; pictures of it in every look. */
#include <adwaita.h>
#include <math.h>
#include <string.h>

#include "gui.h"
#include "session/misfit.h"
#include "ui/fit/cause_words.h"
#include "ui/fit/diagnosis_panel.h"
#include "ui/fit/verdict_words.h"
#include "ui/kit/format.h"
#include "ui/next.h"

static AuiApplication *application;

/* ---- words ---- */

static void assert_says(char *text, const char *part) {
  if (!strstr(text, part))
    g_error("\"%s\" does not say \"%s\"", text, part);
  g_free(text);
}

static ArmCause cause(ArmCauseCode code, size_t joint, double value, double sd) {
  return (ArmCause){.code = code,
                    .joint = joint,
                    .other = joint + 1,
                    .order = 2,
                    .time = 12.0,
                    .speed = -0.5,
                    .values = 1,
                    .value = {value},
                    .sd = {sd},
                    .is_absolute = true};
}

static void test_causes(void) {
  static ArmModel model;
  static const struct {
    ArmCauseCode code;
    size_t joint;
    double value, sd;
    const char *says;
  } cases[] = {
      {ARM_CAUSE_BASE_TILT, ARM_CAUSE_NO_JOINT, -0.0349, 0.0003, "leans by 2.000 ± 0.017 deg"},
      {ARM_CAUSE_JOINT_ZERO, 2, 0.0873, 0.002, "joint 3 is off: it stands 5.00 ± 0.11 deg"},
      {ARM_CAUSE_JOINT_ZERO, 1, 0.005, 0.001, "5.0 ± 1.0 mm"},
      {ARM_CAUSE_GEAR_RATIO, 2, 2.0, 0.002, "2.000 ± 0.002 times as far"},
      {ARM_CAUSE_JOINT_DIRECTION, 3, 0, 0, "Joint 4 counts"},
      {ARM_CAUSE_DH_SIGN, 4, 0, 0, "beta of joint 5"},
      {ARM_CAUSE_SWAPPED_JOINTS, 2, 0, 0, "Joints 3 and 4 are swapped"},
      {ARM_CAUSE_PAYLOAD_CHANGED, ARM_CAUSE_NO_JOINT, 0.5, 0.02,
       "from 12 s of the recording on, "
       "by 0.50 ± 0.02 kg"},
      {ARM_CAUSE_PAYLOAD_CHANGED, ARM_CAUSE_NO_JOINT, 0.5, 0.6, "how heavy cannot be told"},
      {ARM_CAUSE_ONE_SWEEP, 0, -0.04, 0.001, "by 40 mA: hold 1, -28.6 deg/s"},
      {ARM_CAUSE_RIPPLE, 0, 0.02, 0.001, "20.0 ± 1.0 mA, 2 per turn"},
      {ARM_CAUSE_CURRENT_DELAY, ARM_CAUSE_NO_JOINT, 0.04, 0.002, "40 ± 2 ms late"},
      {ARM_CAUSE_CURRENT_GAIN, 4, 1.2, 0.003,
       "joint 5 counts 1.200 ± 0.003 times as much from 12 s"},
      {ARM_CAUSE_BACKLASH, 2, 0.001, 0.0001, "backlash of 0.057 ± 0.006 deg"},
      {ARM_CAUSE_LOAD_FRICTION, 2, 0.05, 0.002, "joint 3 grows with the load, by 5.0 ± 0.2 %"},
      {ARM_CAUSE_LOAD_FRICTION, ARM_CAUSE_NO_JOINT, 0.05, 0.002, "of all joints grows"},
      {ARM_CAUSE_FRICTION_CURVE, ARM_CAUSE_NO_JOINT, 0.1, 0.01, "10.0 ± 1.0 % of Coulomb"},
      {ARM_CAUSE_FRICTION_DRIFT, 2, -0.1, 0.01, "joint 3 changed by -10.0 ± 1.0 %"},
      {ARM_CAUSE_FRICTION_DRIFT, ARM_CAUSE_NO_JOINT, 0.1, INFINITY, "by 10 % within about 12 s"},
  };
  model.joints[1].type = ARM_JOINT_T;
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    const ArmCause c = cause(cases[k].code, cases[k].joint, cases[k].value, cases[k].sd);
    assert_says(aui_cause_name(&model, &c), cases[k].says);
    g_assert_true(*aui_cause_remedy(c.code));
  }
  aui_format_use_radians(true);
  const ArmCause c = cause(ARM_CAUSE_BASE_TILT, ARM_CAUSE_NO_JOINT, 0.0349, 0.0003);
  assert_says(aui_cause_name(&model, &c), "0.0349 ± 0.0003 rad");
  aui_format_use_radians(false);
}

static void test_effects(void) {
  ArmDiagnosis d = {.count = 3, .worst = 1, .missed = 0.0843};
  for (gsize k = 0; k < d.count; k++)
    d.at[k] = cause(ARM_CAUSE_JOINT_ZERO, k, 0.1, 0.01);
  d.at[0].explains_it = true;
  d.at[0].explained = 1000.0, d.at[0].score = 998.0;
  d.at[1] = d.at[0];
  d.at[1].is_tied = true;
  d.at[1].left = 0.00042;
  d.at[2].left = 0.0611, d.at[2].rest = 25.0;
  assert_says(aui_cause_effect(&d, &d.at[0]), "Joint 2: 84.3 mA → nothing beyond noise");
  assert_says(aui_cause_effect(&d, &d.at[1]), "84.3 mA → 0.42 mA. It explains");
  assert_says(aui_cause_effect(&d, &d.at[2]), "84.3 mA → 61.1 mA. It does not");
  assert_says(aui_cause_separate(&d, 0), "Put a level on the link");
  g_assert_null(aui_cause_separate(&d, 2));
  assert_says(g_strdup(aui_causes_verdict(&d, true)), "equally well");
  d.count = 1;
  assert_says(g_strdup(aui_causes_verdict(&d, true)), "likeliest");
  d.at[0].explains_it = false;
  assert_says(g_strdup(aui_causes_verdict(&d, true)), "None of the causes");
  d.at[0].doubt = ARM_CAUSE_TOO_LARGE;
  assert_says(aui_cause_effect(&d, &d.at[0]), "can be seen on the arm: unless it is");
  d.at[0].code = ARM_CAUSE_LOAD_FRICTION;
  assert_says(aui_cause_effect(&d, &d.at[0]), "more than there can be");
  d.at[0].doubt = ARM_CAUSE_UNCERTAIN;
  assert_says(aui_cause_effect(&d, &d.at[0]), "how large it is cannot be told");
  d.count = 0;
  assert_says(g_strdup(aui_causes_verdict(&d, true)), "None of the causes");
}

/* of every cause that is tied, and each once */
static void test_advice(void) {
  ArmDiagnosis d = {.count = 5};
  for (gsize k = 0; k < d.count; k++) {
    d.at[k] = cause(k < 2 ? ARM_CAUSE_JOINT_ZERO : ARM_CAUSE_PAYLOAD_CHANGED, k, 0.1, 0.01);
    d.at[k].score = k < 2 ? 900 : k < 4 ? 500 : 100;
  }
  d.at[1].is_tied = true;
  assert_says(aui_cause_advice(&d, 0), "tell it from the next. What would tell: no sweep can");
  g_autofree char *again = aui_cause_advice(&d, 1);
  assert_says(aui_cause_advice(&d, 2), "others that explain as much: repeat the first holds");
  g_autofree char *too = aui_cause_advice(&d, 3);
  g_autofree char *none = aui_cause_advice(&d, 4);
  g_assert_true(!*again && !*too && !*none);
}

static void test_verdicts(void) {
  static ArmGravityFit fit;
  ArmJointVerdict *v = fit.verdict.joint;
  g_autofree char *nothing = aui_verdict_summary(&fit);
  g_assert_true(*nothing == 0);
  fit.verdict.n = 2;
  for (gsize i = 0; i < 2; i++) {
    v[i].promised = 0.0009;
    v[i].test[ARM_TEST_GRAVITY].size = 0.0004;
  }
  v[1].test[ARM_TEST_GRAVITY].size = 0.0007;
  assert_says(aui_verdict_summary(&fit), "fits: gravity misses by 0.7 mA rms at most, in joint 2");
  v[1].promised = 0.00006;
  v[1].test[ARM_TEST_GRAVITY].limit = 0.005;
  assert_says(aui_verdict_summary(&fit), "in joint 2, less than the limit of 5 mA");
  v[1].test[ARM_TEST_GRAVITY].limit = 0.0005;
  assert_says(aui_verdict_summary(&fit), "in joint 2, which the noise there explains");
  v[1].verdict = fit.verdict.verdict = ARM_VERDICT_UNKNOWN;
  v[1].untold = ARM_UNTOLD_UNSURE;
  v[1].test[ARM_TEST_GRAVITY].is_unsure = true;
  assert_says(aui_verdict_summary(&fit), "cannot be told of joint 2: it misses by 0.7 mA rms");
  v[1].untold = ARM_UNTOLD_NOTHING;
  assert_says(g_strdup(aui_verdict_held_out(false)), "hardly more than the fit promised");
  assert_says(g_strdup(aui_verdict_held_out(true)), "looked for in both together");
  v[0].verdict = fit.verdict.verdict = ARM_VERDICT_UNKNOWN;
  v[0].untold = ARM_UNTOLD_ONE_SPEED;
  assert_says(aui_verdict_summary(&fit), "cannot be told of joint 1: each hold was swept at one");
  v[0].verdict = fit.verdict.verdict = ARM_VERDICT_MISFIT;
  v[0].test[ARM_TEST_GRAVITY].is_alarm = v[1].test[ARM_TEST_GRAVITY].is_alarm = true;
  v[0].test[ARM_TEST_GRAVITY].size = 0.084;
  v[0].worst_hold = 2;
  assert_says(aui_verdict_summary(&fit), "does not fit joint 1 (and 1 more): gravity misses by 84 "
                                         "mA rms where 0.9 mA were promised, most in hold 3");
  v[0].test[ARM_TEST_STROKE] = (ArmTest){.size = 0.05, .is_alarm = true};
  assert_says(aui_verdict_summary(&fit), "joint 1: one sweep stands out by 50 mA");
  g_autofree char *leak = aui_verdict_joint(&fit, 1);
  g_assert_true(*leak == 0); /* what leaks is not told */
}

/* ---- the window ---- */

static void window_open_with(Gui *gui, Misfit *misfit, void (*init)(Misfit *misfit)) {
  init(misfit);
  misfit_do(misfit, ASE_STEP_FIT);
  gui->session = misfit->session;
  gui->window = aui_window_new(ADW_APPLICATION(application), gui->session);
  gtk_window_present(GTK_WINDOW(gui->window));
  aui_window_show_page(AUI_WINDOW(gui->window), "fit");
  gui_pass(0.3);
}

static void window_open(Gui *gui, Misfit *misfit) {
  window_open_with(gui, misfit, misfit_init_tilt);
}

static void window_close(Gui *gui, Misfit *misfit) {
  gtk_window_destroy(GTK_WINDOW(gui->window));
  gui_pass(0.1);
  misfit_clear(misfit);
}

typedef struct {
  const char *part;
  bool is_seen;
} Sought;

static bool seek(GtkWidget *widget, void *data) {
  Sought *sought = data;
  if (GTK_IS_LABEL(widget) && gtk_widget_get_mapped(widget) &&
      strstr(gtk_label_get_text(GTK_LABEL(widget)), sought->part))
    sought->is_seen = true;
  return !sought->is_seen;
}

static bool shows(Gui *gui, const char *part) {
  Sought sought = {part, false};
  gui_walk(gui->window, seek, &sought);
  return sought.is_seen;
}

static bool seek_error(GtkWidget *widget, void *data) {
  Sought *sought = data;
  if (GTK_IS_LABEL(widget) && gtk_widget_has_css_class(widget, "error"))
    sought->is_seen |= strstr(gtk_label_get_text(GTK_LABEL(widget)), sought->part) != NULL;
  return true;
}

/* In the color of what went wrong. */
static bool complains(Gui *gui, const char *part) {
  Sought sought = {part, false};
  gui_walk(gui->window, seek_error, &sought);
  return sought.is_seen;
}

static void assert_shows(Gui *gui, const char *part) {
  if (!shows(gui, part))
    g_error("the window does not show \"%s\"", part);
}

static bool find_panel(GtkWidget *widget, void *data) {
  GtkWidget **found = data;
  if (AUI_IS_DIAGNOSIS_PANEL(widget) && gtk_widget_get_mapped(widget))
    *found = widget;
  return !*found;
}

static AuiDiagnosisPanel *panel_of(Gui *gui) {
  GtkWidget *panel = NULL;
  gui_walk(gui->window, find_panel, &panel);
  g_assert_nonnull(panel);
  return AUI_DIAGNOSIS_PANEL(panel);
}

static AseDiagnosisState awaited;

static bool is_so(Gui *gui) {
  return ase_session_diagnosis(gui->session)->state == awaited;
}

static void until(Gui *gui, AseDiagnosisState state) {
  awaited = state;
  gui_wait(is_so, gui, 30.0, "the diagnosis");
  gui_pass(0.2);
}

static double leaning(Gui *gui) {
  return ase_session_arm(gui->session)->model.gravity_m_s2[1];
}

static void respond(Gui *gui, const char *response) {
  GtkWidget *question = aui_diagnosis_panel_question(panel_of(gui));
  g_assert_nonnull(question);
  adw_message_dialog_response(ADW_MESSAGE_DIALOG(question), response);
  gui_pass(0.3);
}

static bool has_focus(Gui *gui, GtkWidget *widget) {
  return gtk_window_get_focus(GTK_WINDOW(gui->window)) == widget;
}

/* With the keyboard, which stays on the button that takes the other's place. */
static void check_cancel(Gui *gui) {
  gui_click(gui, "Find the cause");
  g_assert_cmpint(ase_session_diagnosis(gui->session)->state, ==, ASE_DIAGNOSIS_RUNNING);
  gui_click(gui, "Stop looking");
  until(gui, ASE_DIAGNOSIS_NONE);
  assert_shows(gui, "takes seconds");
  GtkWidget *find = gui_button(gui, "Find the cause");
  g_assert_true(gtk_widget_grab_focus(find));
  aui_diagnosis_panel_find(panel_of(gui));
  assert_shows(gui, "Supposing one cause after the other");
  g_assert_true(has_focus(gui, gui_button(gui, "Stop looking")));
}

static void check_question(Gui *gui) {
  gui_click(gui, "Apply to the arm…");
  gui_pass(0.3);
  g_assert_cmpfloat(leaning(gui), ==, 0.0);
  respond(gui, "cancel");
  g_assert_null(aui_diagnosis_panel_question(panel_of(gui)));
  g_assert_cmpfloat(leaning(gui), ==, 0.0);
  g_assert_false(ase_session_can_undo(gui->session, NULL));
  gui_click(gui, "Apply to the arm…");
  gui_pass(0.3);
  Gui question = {gui->session, aui_diagnosis_panel_question(panel_of(gui))};
  gui_shoot(&question, "diagnosis-question");
  respond(gui, "apply");
  g_assert_cmpfloat(leaning(gui), >, 0.1);
  assert_shows(gui, "The arm has been corrected");
  g_assert_false(complains(gui, "The arm has been corrected"));
}

static void test_window(void) {
  Gui gui;
  Misfit misfit;
  window_open(&gui, &misfit);
  assert_shows(&gui, "The model does not fit joint 1");
  assert_shows(&gui, "mA were promised");
  check_cancel(&gui);
  until(&gui, ASE_DIAGNOSIS_DONE);
  assert_shows(&gui, "The base leans by ");
  assert_shows(&gui, "→");
  assert_shows(&gui, "Put a level on the base");
  g_assert_cmpfloat(leaning(&gui), ==, 0.0);
  check_question(&gui);
  g_assert_false(shows(&gui, "The base leans"));
  gtk_widget_activate_action(gui.window, "session.undo", NULL);
  gui_pass(0.3);
  g_assert_cmpfloat(leaning(&gui), ==, 0.0);
  gtk_widget_activate_action(gui.window, "session.redo", NULL);
  g_assert_cmpint(misfit_do(&misfit, ASE_STEP_FIT), ==, ASE_STATE_PASSED);
  gui_pass(0.3);
  assert_shows(&gui, "The model fits");
  g_assert_false(shows(&gui, "does not fit"));
  window_close(&gui, &misfit);
}

/* Where a validation cannot begin or has failed, the cause is as near. */
static void test_validate(void) {
  Gui gui;
  Misfit misfit;
  window_open(&gui, &misfit);
  aui_window_show_page(AUI_WINDOW(gui.window), "validate");
  gui_pass(0.3);
  assert_shows(&gui, "Possible causes");
  gui_click(&gui, "Find the cause");
  until(&gui, ASE_DIAGNOSIS_DONE);
  assert_shows(&gui, "The base leans by ");
  aui_window_show_page(AUI_WINDOW(gui.window), "export");
  gui_pass(0.3);
  assert_shows(&gui, "can be validated once it has passed");
  g_assert_false(shows(&gui, "press Validate"));
  aui_window_show_page(AUI_WINDOW(gui.window), "fit");
  gui_pass(0.3);
  gui_click(&gui, "See the causes");
  gui_pass(0.3);
  assert_shows(&gui, "The base leans by ");
  window_close(&gui, &misfit);
}

/* What the fit does not have and its validation does is looked for in both, and said to be so. */
static void test_held_out(void) {
  Gui gui;
  Misfit misfit;
  window_open_with(&gui, &misfit, misfit_init_held_out);
  misfit_do(&misfit, ASE_STEP_VALIDATE);
  aui_window_show_page(AUI_WINDOW(gui.window), "validate");
  gui_pass(0.3);
  assert_shows(&gui, "The fit itself has no misfit, but its sweeps and those of the validation");
  gui_click(&gui, "Find the cause");
  until(&gui, ASE_DIAGNOSIS_DONE);
  assert_shows(&gui, "and those of the validation together");
  assert_shows(&gui, "The payload was another one");
  window_close(&gui, &misfit);
}

/* ---- pictures ---- */

static void shoot(Gui *gui, const char *what, const char *size) {
  AdwStyleManager *style = adw_style_manager_get_default();
  for (guint dark = 0; dark < 2; dark++) {
    g_autofree char *name =
        g_strdup_printf("diagnosis-%s-%s-%s", what, size, dark ? "dark" : "light");
    adw_style_manager_set_color_scheme(style, dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                                   : ADW_COLOR_SCHEME_DEFAULT);
    gui_pass(0.4);
    gui_shoot(gui, name);
  }
  adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
}

static void test_pictures(void) {
  static const int sizes[][2] = {{1280, 800}, {1920, 1080}};
  Gui gui;
  Misfit misfit;
  window_open(&gui, &misfit);
  for (guint k = 0; k < G_N_ELEMENTS(sizes); k++) {
    g_autofree char *size = g_strdup_printf("%dx%d", sizes[k][0], sizes[k][1]);
    gtk_window_set_default_size(GTK_WINDOW(gui.window), sizes[k][0], sizes[k][1]);
    gui_pass(1.0);
    shoot(&gui, k ? "causes" : "verdict", size);
    if (k == 0) {
      gui_click(&gui, "Find the cause");
      until(&gui, ASE_DIAGNOSIS_DONE);
      shoot(&gui, "causes", size);
    }
    aui_window_show_page(AUI_WINDOW(gui.window), "validate");
    shoot(&gui, "validate", size);
    aui_window_show_page(AUI_WINDOW(gui.window), "fit");
  }
  window_close(&gui, &misfit);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/ui/diagnosis/causes", test_causes);
  g_test_add_func("/ui/diagnosis/effects", test_effects);
  g_test_add_func("/ui/diagnosis/advice", test_advice);
  g_test_add_func("/ui/diagnosis/verdicts", test_verdicts);
  g_test_add_func("/ui/diagnosis/window", test_window);
  g_test_add_func("/ui/diagnosis/validate", test_validate);
  g_test_add_func("/ui/diagnosis/held_out", test_held_out);
  if (g_getenv("ARMATURE_SHOTS"))
    g_test_add_func("/ui/diagnosis/pictures", test_pictures);
  const int result = g_test_run();
  g_object_unref(application);
  return result;
}
