/* SPDX-License-Identifier: MIT */
#include "gui.h"

#include <string.h>

#include "support/support.h"
#include "ui/connect/connection.h"
#include "ui/kit/press_button.h"
#include "ui/sidebar.h"
#include "watchdog.h"

AuiApplication *gui_application_new(void) {
  AuiApplication *application = aui_application_new();
  if (!g_application_register(G_APPLICATION(application), NULL, NULL) || !gtk_init_check())
    g_clear_object(&application);
  return application;
}

void gui_open(Gui *gui, AuiApplication *application, const char *name, double time_factor) {
  GError *error = NULL;
  g_autofree char *relative = g_strdup_printf("data/robots/%s.arm.json", name);
  gui->session = aui_session_new(test_source_path(relative), &error);
  if (!gui->session || !aui_connect_simulated(gui->session, time_factor, &error))
    g_error("%s", error->message);
  gui->window = aui_window_new(ADW_APPLICATION(application), gui->session);
  gtk_window_present(GTK_WINDOW(gui->window));
  gui_until(gui, ASE_STEP_CHECK, 10.0);
}

static bool is_gone(Gui *gui) {
  return gui->session == NULL;
}

void gui_end_session(Gui *gui) {
  g_object_add_weak_pointer(G_OBJECT(gui->session), (gpointer *)&gui->session);
  g_object_unref(gui->session);
  gui_wait(is_gone, gui, 5.0, "the end of the session: something still holds it");
}

void gui_close(Gui *gui) {
  gtk_window_destroy(GTK_WINDOW(gui->window));
  gui_pass(0.1);
  gui_end_session(gui);
}

void gui_show(Gui *gui, AseSession *session, GtkWidget *page, int width, int height) {
  gui->session = session;
  gui->window = gtk_window_new();
  gtk_window_set_default_size(GTK_WINDOW(gui->window), width, height);
  gtk_window_set_child(GTK_WINDOW(gui->window), page);
  gtk_window_present(GTK_WINDOW(gui->window));
}

static gboolean on_time(gpointer data) {
  *(bool *)data = true;
  return G_SOURCE_REMOVE;
}

/* On a busy computer more becomes due meanwhile than the loop has served: that is served, too,
 * unless something is due at every moment. */
static void settle(void) {
  bool is_served = false;
  const gint64 end_us = g_get_monotonic_time() + G_USEC_PER_SEC;
  const guint idle = g_idle_add_full(G_PRIORITY_LOW, on_time, &is_served, NULL);
  while (!is_served && g_get_monotonic_time() < end_us)
    watchdog_iterate();
  if (!is_served)
    g_source_remove(idle);
}

void gui_pass(double seconds) {
#ifdef __SANITIZE_ADDRESS__ /* makes it slow */
  seconds *= 3.0;
#endif
  bool is_over = false;
  g_timeout_add((guint)(1e3 * seconds), on_time, &is_over);
  while (!is_over)
    watchdog_iterate();
  settle();
}

/* A busy computer, or a sanitizer, slows the simulated arm and the window down; what is met does
 * not wait any longer. */
#define PATIENCE_S 120.0

void gui_wait(bool (*is_met)(Gui *gui), Gui *gui, double seconds, const char *what) {
  const double patience_s = MAX(4.0 * seconds, PATIENCE_S);
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * patience_s);
  while (!is_met(gui)) {
    if (g_get_monotonic_time() > end)
      g_error("waited %.0f s for %s", patience_s, what);
    gui_pass(0.02);
  }
}

/* ---- the session ---- */

AseStepState gui_state(Gui *gui, AseStep step) {
  return ase_procedure_state(ase_session_procedure(gui->session), step);
}

bool gui_is_armed(Gui *gui) {
  return ase_device_is_armed(ase_session_device(gui->session));
}

bool gui_is_not_armed(Gui *gui) {
  return !gui_is_armed(gui);
}

static AseStep awaited; /* by gui_until */

static bool is_unlocked(Gui *gui) {
  return ase_device_lockout_s(ase_session_device(gui->session)) <= 0.0;
}

static bool is_still(Gui *gui) {
  return !ase_device_moving_joint(ase_session_device(gui->session));
}

void gui_arm(Gui *gui) {
  g_autoptr(GError) error = NULL;
  gui_wait(is_unlocked, gui, 10.0, "the end of the lock-out");
  gui_wait(is_still, gui, 30.0, "an arm at rest");
  ase_device_arm(ase_session_device(gui->session), &error);
  g_assert_no_error(error);
  gui_wait(gui_is_armed, gui, 5.0, "arming");
}

static bool is_done(Gui *gui) {
  const AseStepState state = gui_state(gui, awaited);
  if (state == ASE_STATE_FAILED)
    g_error("%s: %s", ase_steps_title(ase_session_steps(), awaited),
            ase_step_reason(&ase_session_procedure(gui->session)->steps[awaited]));
  return ase_state_is_done(state);
}

void gui_until(Gui *gui, AseStep step, double seconds) {
  awaited = step;
  gui_wait(is_done, gui, seconds, ase_steps_title(ase_session_steps(), step));
}

/* What the window computes by itself after a step, such as a forecast, is waited for. */
enum { START_TRIES = 50 };

void gui_start(Gui *gui, AseStep step) {
  g_autoptr(GError) error = NULL;
  for (guint k = 0; !ase_session_start(gui->session, step, &error); k++) {
    if (k == START_TRIES)
      g_error("%s", error->message);
    g_clear_error(&error);
    gui_pass(0.2);
  }
}

void gui_do(Gui *gui, AseStep step, double seconds) {
  gui_start(gui, step);
  gui_until(gui, step, seconds);
}

void gui_hurry(Gui *gui) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(gui->session), sizeof *edits);
  edits->n_speeds = 2;
  edits->speeds_R[0] = 0.6, edits->speeds_R[1] = 1.0;
  edits->itinerary.dry_speed_R = 0.8;
  edits->itinerary.move_speed_R = 0.8;
  edits->itinerary.moves_together = true;
  ase_session_set_edits(gui->session, edits, "hurry");
}

/* ---- widgets ---- */

void gui_walk(GtkWidget *widget, bool (*visit)(GtkWidget *widget, void *data), void *data) {
  if (!visit(widget, data))
    return;
  for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
       child = gtk_widget_get_next_sibling(child))
    gui_walk(child, visit, data);
}

static bool is_all_seen(GtkAdjustment *adjustment) {
  return gtk_adjustment_get_upper(adjustment) <= gtk_adjustment_get_page_size(adjustment);
}

static bool see_scroller(GtkWidget *widget, void *data) {
  const char *id = gtk_buildable_get_buildable_id(GTK_BUILDABLE(widget));
  if (!GTK_IS_SCROLLED_WINDOW(widget) ||
      (g_strcmp0(id, "pages") != 0 && !AUI_IS_SIDEBAR(gtk_widget_get_parent(widget))))
    return true;
  GtkScrolledWindow *scroller = GTK_SCROLLED_WINDOW(widget);
  if (!is_all_seen(gtk_scrolled_window_get_hadjustment(scroller)) ||
      !is_all_seen(gtk_scrolled_window_get_vadjustment(scroller)))
    *(bool *)data = false;
  return true;
}

bool gui_is_whole(GtkWidget *window) {
  bool is_whole = true;
  gui_walk(window, see_scroller, &is_whole);
  return is_whole;
}

typedef struct {
  const char *label;
  GtkWidget *found;
} Wanted;

static bool look(GtkWidget *widget, void *data) {
  Wanted *wanted = data;
  if (!wanted->found && GTK_IS_BUTTON(widget) && gtk_widget_get_mapped(widget) &&
      g_strcmp0(gtk_button_get_label(GTK_BUTTON(widget)), wanted->label) == 0)
    wanted->found = widget;
  return !wanted->found;
}

GtkWidget *gui_button(Gui *gui, const char *label) {
  Wanted wanted = {label, NULL};
  gui_walk(gui->window, look, &wanted);
  if (!wanted.found)
    g_error("there is no button \"%s\"", label);
  return wanted.found;
}

GtkWidget *gui_next_button(Gui *gui) {
  return gtk_widget_get_last_child(aui_window_part(AUI_WINDOW(gui->window), AUI_PART_NEXT));
}

const char *gui_next_label(Gui *gui) {
  return gtk_label_get_text(GTK_LABEL(gtk_button_get_child(GTK_BUTTON(gui_next_button(gui)))));
}

GtkWindow *gui_question(void) {
  GListModel *windows = gtk_window_get_toplevels();
  for (guint k = 0; k < g_list_model_get_n_items(windows); k++) {
    g_autoptr(GtkWindow) window = g_list_model_get_item(windows, k);
    if (ADW_IS_MESSAGE_DIALOG(window))
      return window;
  }
  return NULL;
}

bool gui_can_use(GtkWidget *button) {
  return gtk_widget_is_sensitive(button) &&
         !(AUI_IS_PRESS_BUTTON(button) && aui_press_button_is_deaf(AUI_PRESS_BUTTON(button)));
}

void gui_click(Gui *gui, const char *label) {
  GtkWidget *button = gui_button(gui, label);
  if (!gui_can_use(button))
    g_error("the button \"%s\" cannot be used", label);
  g_signal_emit_by_name(button, "clicked");
}

void gui_press(Gui *gui, guint key, GdkModifierType modifiers) {
  g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(gui->window);
  for (guint k = 0; k < g_list_model_get_n_items(controllers); k++) {
    g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, k);
    gboolean is_taken = FALSE;
    if (GTK_IS_EVENT_CONTROLLER_KEY(controller) &&
        gtk_event_controller_get_propagation_phase(controller) == GTK_PHASE_CAPTURE)
      g_signal_emit_by_name(controller, "key-pressed", key, 0, modifiers, &is_taken);
  }
}

/* A window that is to be laid out anew has nothing to show for a moment. */
static GskRenderNode *snapshot(GtkWidget *window) {
  GskRenderNode *node = NULL;
  g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(window);
  for (guint k = 0; k < 20 && !node; k++) {
    GtkSnapshot *drawn = gtk_snapshot_new();
    gui_pass(0.3);
    gdk_paintable_snapshot(paintable, drawn, gdk_paintable_get_intrinsic_width(paintable),
                           gdk_paintable_get_intrinsic_height(paintable));
    node = gtk_snapshot_free_to_node(drawn);
  }
  return node;
}

static void save(GtkWidget *window, GskRenderNode *node, const char *folder, const char *name) {
  g_autofree char *path = g_strdup_printf("%s/%s.png", folder, name);
  g_autoptr(GdkTexture) texture =
      gsk_renderer_render_texture(gtk_native_get_renderer(GTK_NATIVE(window)), node, NULL);
  g_mkdir_with_parents(folder, 0755);
  g_assert_true(gdk_texture_save_to_png(texture, path));
}

void gui_shoot(Gui *gui, const char *name) {
  const char *folder = g_getenv("ARMATURE_SHOTS");
  GskRenderNode *node = snapshot(gui->window);
  g_assert_nonnull(node);
  if (folder)
    save(gui->window, node, folder, name);
  gsk_render_node_unref(node);
}
