/* SPDX-License-Identifier: MIT */
/* Actions are installed once per class and named in menus, keys and .ui files alike: a button has
 * no code of its own. */
#include "ui/session_actions.h"

#include <glib/gi18n.h>

#include "ui/export/export.h"
#include "ui/import/session_files.h"
#include "ui/kit/ask.h"
#include "ui/kit/steps.h"
#include "ui/kit/strip.h"
#include "ui/motion_bar.h"
#include "ui/sweep/page_motion.h"
#include "ui/tour.h"
#include "ui/window.h"

static AseSession *session_of(GtkWidget *widget) {
  return aui_window_session(AUI_WINDOW(widget));
}

/* ---- edits ---- */

static void undo(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  ase_session_undo(session_of(widget));
}

static void redo(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  ase_session_redo(session_of(widget));
}

/* ---- the window ---- */

static void say(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name;
  aui_strip_say(aui_window_strip(AUI_WINDOW(widget)), 2, g_variant_get_string(parameter, NULL));
}

static void say_done(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name;
  aui_strip_say(aui_window_strip(AUI_WINDOW(widget)), 0, g_variant_get_string(parameter, NULL));
}

static void hint(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name;
  aui_strip_say(aui_window_strip(AUI_WINDOW(widget)), 1, g_variant_get_string(parameter, NULL));
}

static void show_page(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name;
  aui_window_show_page(AUI_WINDOW(widget), g_variant_get_string(parameter, NULL));
}

/* As the list of steps counts them, from 1. */
static void show_nth(GtkWidget *widget, const char *name, GVariant *parameter) {
  AuiScreen screens[AUI_SCREENS];
  const AseSteps *table = ase_session_procedure(session_of(widget))->table;
  const guint nth = g_variant_get_uint32(parameter), count = aui_screens_of(table, screens);
  (void)name;
  if (nth >= 1 && nth <= count)
    aui_window_show_page(AUI_WINDOW(widget), aui_screen_key(screens[nth - 1]));
}

static void clear_faults(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  aui_motion_bar_clear_faults(AUI_MOTION_BAR(aui_window_part(AUI_WINDOW(widget), AUI_PART_MOTION)));
}

static void show_log(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  aui_strip_toggle_log(aui_window_strip(AUI_WINDOW(widget)));
}

static void tour(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  aui_tour_start(AUI_WINDOW(widget));
}

/* ---- files ---- */

static char *name_of(const char *path) {
  return g_filename_display_basename(path);
}

static void tell(GtkWidget *widget, const char *text) {
  aui_strip_say(aui_window_strip(AUI_WINDOW(widget)), 0, text);
}

static void on_export(GtkWidget *widget, const char *path, gpointer data) {
  GError *error = NULL;
  (void)data;
  g_autofree char *name = name_of(path);
  g_autofree char *text = g_strdup_printf(_("The parameters are in %s."), name);
  if (aui_say_failed(widget,
                     aui_export_write(session_of(widget), AUI_EXPORT_PARAMETERS, path, &error),
                     &error))
    tell(widget, text);
}

static void export_parameters(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  g_autofree char *proposal = aui_export_file_name(session_of(widget), AUI_EXPORT_PARAMETERS);
  aui_ask_save(widget, _("Export the parameters"), proposal,
               aui_export_ending(AUI_EXPORT_PARAMETERS), on_export, NULL);
}

static void on_copy(GtkWidget *widget, const char *path, gpointer data) {
  GError *error = NULL;
  AseSession *session = session_of(widget);
  (void)data;
  if (ase_session_disk_failure(session)) { /* what waits in memory goes there too */
    aui_say_failed(widget, ase_session_move_to(session, path, &error), &error);
    return;
  }
  g_autofree char *name = name_of(path);
  g_autofree char *text = g_strdup_printf(_("A copy of the session is in %s."), name);
  if (aui_say_failed(widget, aui_session_save_copy(session, path, &error), &error))
    tell(widget, text);
}

static void save_copy(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  g_autofree char *base = g_path_get_basename(ase_session_path(session_of(widget)));
  aui_ask_save(widget, _("Save a copy of the session"), base, ".armsession", on_copy, NULL);
}

static void on_arm(GtkWidget *widget, const char *path, gpointer data) {
  GError *error = NULL;
  (void)data;
  g_autofree char *name = name_of(path);
  g_autofree char *text =
      g_strdup_printf(_("The arm is now that of %s; undo brings the old one back."), name);
  if (aui_say_failed(widget, aui_session_replace_arm(session_of(widget), path, &error), &error))
    tell(widget, text);
}

static void replace_arm(GtkWidget *widget, const char *name, GVariant *parameter) {
  (void)name, (void)parameter;
  aui_ask_open(widget, _("Take another arm file into this session"), on_arm, NULL);
}

/* ---- the class ---- */

static void add_keys(GtkWidgetClass *widget) {
  const GdkModifierType ctrl = GDK_CONTROL_MASK, shift = GDK_SHIFT_MASK;
  gtk_widget_class_add_binding_action(widget, GDK_KEY_z, ctrl, "session.undo", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_z, ctrl | shift, "session.redo", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_s, ctrl | shift, "session.save-copy", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_e, ctrl, "session.export", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_l, ctrl, "session.log", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_w, ctrl, "window.close", NULL);
  gtk_widget_class_add_binding_action(widget, GDK_KEY_m, ctrl, "session.page", "s",
                                      AUI_PAGE_MOTION_KEY);
  for (guint nth = 1; nth <= AUI_SCREENS; nth++)
    gtk_widget_class_add_binding_action(widget, GDK_KEY_0 + nth, ctrl, "session.nth-page", "u",
                                        nth);
}

void aui_session_actions_install(GtkWidgetClass *widget) {
  gtk_widget_class_install_action(widget, "session.undo", NULL, undo);
  gtk_widget_class_install_action(widget, "session.redo", NULL, redo);
  gtk_widget_class_install_action(widget, "session.say", "s", say);
  gtk_widget_class_install_action(widget, "session.hint", "s", hint);
  gtk_widget_class_install_action(widget, "session.tell", "s", say_done);
  gtk_widget_class_install_action(widget, "session.page", "s", show_page);
  gtk_widget_class_install_action(widget, "session.nth-page", "u", show_nth);
  gtk_widget_class_install_action(widget, "session.clear-faults", NULL, clear_faults);
  gtk_widget_class_install_action(widget, "session.log", NULL, show_log);
  gtk_widget_class_install_action(widget, "session.tour", NULL, tour);
  gtk_widget_class_install_action(widget, "session.export", NULL, export_parameters);
  gtk_widget_class_install_action(widget, "session.save-copy", NULL, save_copy);
  gtk_widget_class_install_action(widget, "session.replace-arm", NULL, replace_arm);
  add_keys(widget);
}

static void name_button(GtkWidget *button, const char *text) {
  gtk_widget_set_tooltip_text(button, text);
  gtk_accessible_update_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
}

void aui_session_actions_refresh(GtkWidget *window, GtkWidget *undo_button,
                                 GtkWidget *redo_button) {
  AseSession *session = session_of(window);
  const char *undone, *redone;
  const bool can_undo = ase_session_can_undo(session, &undone);
  const bool can_redo = ase_session_can_redo(session, &redone);
  gtk_widget_action_set_enabled(window, "session.undo", can_undo);
  gtk_widget_action_set_enabled(window, "session.redo", can_redo);
  gtk_widget_action_set_enabled(window, "session.export", ase_session_fit(session) != NULL);
  gtk_widget_action_set_enabled(window, "session.replace-arm", !ase_session_is_read_only(session));
  /* Translators: %s is what was done, such as "speeds" */
  g_autofree char *undo_text = can_undo ? g_strdup_printf(_("Undo: %s (Ctrl+Z)"), undone)
                                        : g_strdup(_("Nothing to undo (Ctrl+Z)"));
  g_autofree char *redo_text = can_redo ? g_strdup_printf(_("Redo: %s (Ctrl+Shift+Z)"), redone)
                                        : g_strdup(_("Nothing to redo (Ctrl+Shift+Z)"));
  name_button(undo_button, undo_text);
  name_button(redo_button, redo_text);
}
