/* SPDX-License-Identifier: MIT */
/* The window of a session whose method has other steps (tests/session/method/second_steps.c): what
 * is listed, which pages there are, what is next, and what is refused. */
#include "../session/method/second_method.h"
#include "gui.h"
#include "support/support.h"
#include "ui/connect/connection.h"
#include "ui/kit/steps.h"

static AuiApplication *application;

/* No session measures for it: the procedure of one is made its own, as it would be from the
 * beginning. */
static void open_second(Gui *gui) {
  GError *error = NULL;
  gui->session = aui_session_new(test_source_path("data/robots/planar2r.arm.json"), &error);
  g_assert_no_error(error);
  AseProcedure *procedure = (AseProcedure *)ase_session_procedure(gui->session);
  ase_procedure_init(procedure, &second_steps, procedure->joints);
  g_assert_true(ase_session_start(gui->session, ASE_STEP_CONFIGURE, &error));
  g_assert_true(aui_connect_simulated(gui->session, 4.0, &error));
  g_assert_no_error(error);
  gui->window = aui_window_new(ADW_APPLICATION(application), gui->session);
  gtk_window_present(GTK_WINDOW(gui->window));
  gui_until(gui, ASE_STEP_CHECK, 10.0);
}

static bool add_heading(GtkWidget *widget, void *data) {
  if (gtk_widget_has_css_class(widget, "heading"))
    g_string_append_printf(data, "|%s", gtk_label_get_text(GTK_LABEL(widget)));
  return true;
}

static void assert_list(Gui *gui, const char *expected) {
  GString *text = g_string_new(NULL);
  gui_walk(aui_window_part(AUI_WINDOW(gui->window), AUI_PART_STEPS), add_heading, text);
  g_assert_cmpstr(text->str, ==, expected);
  g_string_free(text, TRUE);
}

static bool find_stack(GtkWidget *widget, void *data) {
  if (GTK_IS_STACK(widget) && gtk_stack_get_child_by_name(GTK_STACK(widget), "motion"))
    *(GtkStack **)data = GTK_STACK(widget);
  return !*(GtkStack **)data;
}

static void assert_page(Gui *gui, guint nth, const char *expected) {
  GtkStack *stack = NULL;
  gui_walk(gui->window, find_stack, &stack);
  gtk_widget_activate_action(gui->window, "session.nth-page", "u", nth);
  g_assert_cmpstr(gtk_stack_get_visible_child_name(stack), ==, expected);
}

static bool see_button(GtkWidget *widget, void *data) {
  if (g_strcmp0(gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget)), "dry_run") == 0)
    *(GtkWidget **)data = widget;
  return true;
}

static void assert_state(Gui *gui, AuiScreen screen, AseStepState state, const char *why) {
  g_autofree char *reason = NULL;
  const AseProcedure *procedure = ase_session_procedure(gui->session);
  g_assert_cmpint(aui_screen_state(procedure, screen, &reason), ==, state);
  g_assert_cmpstr(reason, ==, why);
}

static void test_window(void) {
  static const AuiScreen order[] = {AUI_SCREEN_ARM,   AUI_SCREEN_PLAN, AUI_SCREEN_CONNECT,
                                    AUI_SCREEN_SWEEP, AUI_SCREEN_FIT,  AUI_SCREEN_EXPORT};
  Gui gui;
  GError *error = NULL;
  AuiScreen screens[AUI_SCREENS];
  g_assert_cmpuint(aui_screens_of(&second_steps, screens), ==, G_N_ELEMENTS(order));
  g_assert_cmpmem(screens, sizeof order, order, sizeof order);
  open_second(&gui);
  assert_list(&gui, "|1  Links|2  Motion|3  Connect|4  Record|5  Identify|6  Write");
  assert_page(&gui, 4, "sweep");
  assert_page(&gui, 1, "arm");
  assert_page(&gui, 7, "arm"); /* there is none */
  aui_window_show_page(AUI_WINDOW(gui.window), "validate");
  assert_page(&gui, 7, "arm");
  assert_state(&gui, AUI_SCREEN_ARM, ASE_STATE_PASSED, "Planar 2R");
  assert_state(&gui, AUI_SCREEN_PLAN, ASE_STATE_READY, "ready");
  assert_state(&gui, AUI_SCREEN_SWEEP, ASE_STATE_WAITING, "first comes \"Motion\" (ready)");
  GtkWidget *dry_run = NULL;
  gui_walk(gui.window, see_button, &dry_run);
  g_assert_false(gtk_widget_get_visible(dry_run));
  g_assert_cmpstr(gui_next_label(&gui), ==, "Next: propose a plan");
  g_assert_false(ase_session_start(gui.session, ASE_STEP_DRY_RUN, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, "this method has no such step");
  g_clear_error(&error);
  gui_close(&gui);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  application = gui_application_new();
  if (!application)
    return 77;
  g_test_add_func("/second-steps/window", test_window);
  const int result = g_test_run();
  g_object_unref(application);
  return result;
}
