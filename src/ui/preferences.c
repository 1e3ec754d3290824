/* SPDX-License-Identifier: MIT */
/* Each row is bound to a key of the schema: there is nothing to apply, and what a lab has locked is
 * insensitive by itself. */
#include "ui/preferences.h"

#include <glib/gi18n.h>

#include "ui/kit/settings.h"

enum { FOCUS_HALT_MAX_S = 600 };

/* ---- rows, each bound to a key ---- */

static GtkWidget *row_new(GType type, const char *title, const char *subtitle) {
  GtkWidget *row = g_object_new(type, "title", title, NULL);
  if (subtitle && ADW_IS_ACTION_ROW(row)) {
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), subtitle);
    adw_action_row_set_subtitle_lines(ADW_ACTION_ROW(row), 0);
  }
  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), false);
  return row;
}

static void add_control(GtkWidget *row, GtkWidget *control, const char *title) {
  gtk_widget_set_valign(control, GTK_ALIGN_CENTER);
  gtk_accessible_update_property(GTK_ACCESSIBLE(control), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), control);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), control);
}

static gboolean to_position(GValue *value, GVariant *variant, gpointer names) {
  const char *nick = g_variant_get_string(variant, NULL);
  guint k = 0;
  for (const char *const *name = names; name[k] && strcmp(name[k], nick) != 0; k++)
    continue;
  g_value_set_uint(value, k);
  return TRUE;
}

static GVariant *to_nick(const GValue *value, const GVariantType *type, gpointer names) {
  (void)type;
  return g_variant_new_string(((const char *const *)names)[g_value_get_uint(value)]);
}

/* nicks, words: NULL-terminated, in the same order; nicks static */
static GtkWidget *choice_row(const char *title, const char *subtitle, const char *key,
                             const char *const *nicks, const char *const *words) {
  GtkWidget *row = row_new(ADW_TYPE_COMBO_ROW, title, subtitle);
  g_autoptr(GtkStringList) model = gtk_string_list_new(words);
  adw_combo_row_set_model(ADW_COMBO_ROW(row), G_LIST_MODEL(model));
  g_settings_bind_with_mapping(aui_settings(), key, row, "selected", G_SETTINGS_BIND_DEFAULT,
                               to_position, to_nick, (gpointer)nicks, NULL);
  return row;
}

static GtkWidget *switch_row(const char *title, const char *subtitle, const char *key) {
  GtkWidget *row = row_new(ADW_TYPE_ACTION_ROW, title, subtitle);
  GtkWidget *control = gtk_switch_new();
  add_control(row, control, title);
  g_settings_bind(aui_settings(), key, control, "active", G_SETTINGS_BIND_DEFAULT);
  return row;
}

static GtkWidget *seconds_row(const char *title, const char *subtitle, const char *key) {
  GtkWidget *row = row_new(ADW_TYPE_ACTION_ROW, title, subtitle);
  GtkWidget *control = gtk_spin_button_new_with_range(0, FOCUS_HALT_MAX_S, 1);
  add_control(row, control, title);
  g_settings_bind(aui_settings(), key, control, "value", G_SETTINGS_BIND_DEFAULT);
  return row;
}

static GtkWidget *text_row(const char *title, const char *key) {
  GtkWidget *row = row_new(ADW_TYPE_ENTRY_ROW, title, NULL);
  g_settings_bind(aui_settings(), key, row, "text", G_SETTINGS_BIND_DEFAULT);
  return row;
}

static void add_group(GtkWidget *page, const char *title, GtkWidget *const *rows) {
  GtkWidget *group = adw_preferences_group_new();
  adw_preferences_group_set_title(ADW_PREFERENCES_GROUP(group), title);
  for (gsize k = 0; rows[k]; k++)
    adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), rows[k]);
  adw_preferences_page_add(ADW_PREFERENCES_PAGE(page), ADW_PREFERENCES_GROUP(group));
}

/* ---- the window ---- */

static void add_display(GtkWidget *page) {
  static const char *const angles[] = {"degrees", "radians", NULL};
  static const char *const colours[] = {"system", "light", "dark", NULL};
  const char *const angle_words[] = {_("Degrees"), _("Radians"), NULL};
  const char *const colour_words[] = {_("As the system"), _("Light"), _("Dark"), NULL};
  GtkWidget *const rows[] = {
      choice_row(_("Angles of positions"), _("In plots and tables; files are always in radians"),
                 "angle", angles, angle_words),
      choice_row(_("Colours"), _("Sizes of letters and high contrast follow the system"), "colours",
                 colours, colour_words),
      NULL};
  add_group(page, _("Display"), rows);
}

static void add_safety(GtkWidget *page) {
  GtkWidget *const rows[] = {
      seconds_row(_("Hold when the keyboard is elsewhere"),
                  _("Seconds after which an armed arm holds while another program has the "
                    "keyboard, because Esc is inactive then; 0: never"),
                  "focus-hold"),
      switch_row(_("Show the lease"),
                 _("How long the arm goes on when this computer falls silent, beside its state"),
                 "shows-lease"),
      NULL};
  add_group(page, _("While the arm is armed"), rows);
}

static void add_files(GtkWidget *page) {
  GtkWidget *const rows[] = {
      text_row(_("Folder of new sessions (empty: in your data folder)"), "session-folder"), NULL};
  add_group(page, _("Files"), rows);
}

static void add_report(GtkWidget *page) {
  GtkWidget *const rows[] = {text_row(_("Operator"), "operator"),
                             text_row(_("Laboratory"), "laboratory"), NULL};
  add_group(page, _("Calibration report"), rows);
}

GtkWindow *aui_preferences_new(void) {
  GtkWidget *window = adw_preferences_window_new();
  GtkWidget *page = adw_preferences_page_new();
  add_display(page);
  add_safety(page);
  add_files(page);
  add_report(page);
  adw_preferences_window_add(ADW_PREFERENCES_WINDOW(window), ADW_PREFERENCES_PAGE(page));
  adw_preferences_window_set_search_enabled(ADW_PREFERENCES_WINDOW(window), false);
  gtk_window_set_title(GTK_WINDOW(window), _("Preferences"));
  gtk_window_set_modal(GTK_WINDOW(window), false);
  return GTK_WINDOW(window);
}
