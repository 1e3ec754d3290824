/* SPDX-License-Identifier: MIT */
/* The schema is found beside the program too, so that a build that is not installed has settings.
 * What looks at a setting follows it at once; nothing has to be restarted. */
#include "ui/kit/settings.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "ui/kit/format.h"

#define SCHEMA "org.armature.Armature"

/* ---- the schema ---- */

static GSettingsSchema *find_in(const char *folder) {
  g_autoptr(GSettingsSchemaSource) source = g_settings_schema_source_new_from_directory(
      folder, g_settings_schema_source_get_default(), TRUE, NULL);
  return source ? g_settings_schema_source_lookup(source, SCHEMA, FALSE) : NULL;
}

/* src/ui of a build, share/glib-2.0/schemas of an installation: above the program. */
static GSettingsSchema *find_above_program(void) {
  g_autofree char *folder = g_file_read_link("/proc/self/exe", NULL);
  GSettingsSchema *found = NULL;
  while (!found && folder && strcmp(folder, "/") != 0) {
    char *above = g_path_get_dirname(folder);
    g_free(folder);
    folder = above;
    g_autofree char *build = g_build_filename(folder, "src", "ui", NULL);
    g_autofree char *share = g_build_filename(folder, "share", "glib-2.0", "schemas", NULL);
    found = find_in(build);
    if (!found)
      found = find_in(share);
  }
  return found;
}

static GSettings *open_settings(void) {
  GSettingsSchemaSource *source = g_settings_schema_source_get_default();
  g_autoptr(GSettingsSchema) schema = find_above_program();
  if (!schema && source)
    schema = g_settings_schema_source_lookup(source, SCHEMA, TRUE);
  if (!schema)
    g_error("the settings schema %s is not installed", SCHEMA);
  return g_settings_new_full(schema, NULL, NULL);
}

GSettings *aui_settings(void) {
  static GSettings *settings;
  if (!settings)
    settings = open_settings();
  return settings;
}

/* ---- what follows them ---- */

static void apply_colours(void) {
  static const AdwColorScheme schemes[] = {ADW_COLOR_SCHEME_DEFAULT, ADW_COLOR_SCHEME_FORCE_LIGHT,
                                           ADW_COLOR_SCHEME_FORCE_DARK};
  adw_style_manager_set_color_scheme(adw_style_manager_get_default(),
                                     schemes[g_settings_get_enum(aui_settings(), "colours")]);
}

static void apply_angle(void) {
  aui_format_use_radians(g_settings_get_enum(aui_settings(), "angle") == 1);
}

void aui_settings_apply(void) {
  static bool is_watched;
  if (!is_watched) {
    g_signal_connect(aui_settings(), "changed::colours", G_CALLBACK(apply_colours), NULL);
    g_signal_connect(aui_settings(), "changed::angle", G_CALLBACK(apply_angle), NULL);
  }
  is_watched = true;
  apply_colours();
  apply_angle();
}

/* ---- values ---- */

static bool can_write(const char *folder) {
  g_mkdir_with_parents(folder, 0700);
  return g_access(folder, W_OK | X_OK) == 0;
}

char *aui_settings_session_folder(char **refused) {
  g_autofree char *set = g_settings_get_string(aui_settings(), "session-folder");
  g_autofree char *usual = g_build_filename(g_get_user_data_dir(), "armature", "sessions", NULL);
  const char *const folders[] = {*set ? set : usual, usual, g_get_tmp_dir()};
  gsize k = 0;
  while (k + 1 < G_N_ELEMENTS(folders) && !can_write(folders[k]))
    k++;
  if (refused)
    *refused = k > 0 ? g_strdup(folders[0]) : NULL;
  return g_strdup(folders[k]);
}

guint aui_settings_focus_halt_s(void) {
  return g_settings_get_uint(aui_settings(), "focus-hold");
}

double aui_settings_text_scale(void) {
  int dpi;
  g_object_get(gtk_settings_get_default(), "gtk-xft-dpi", &dpi, NULL);
  return dpi > 0 ? dpi / (96.0 * PANGO_SCALE) : 1.0;
}
