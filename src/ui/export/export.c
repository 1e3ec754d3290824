/* SPDX-License-Identifier: MIT */
#include "ui/export/export.h"

#include <gio/gio.h>
#include <string.h>

#include "io/base/file.h"
#include "io/export/export_csv.h"
#include "session/method/method.h"
#include "ui/plot/figure_file.h"

char *aui_export_folder_uri(const char *path) {
  if (!path || !g_path_is_absolute(path))
    return NULL;
  g_autofree char *name = g_path_get_dirname(path);
  g_autoptr(GFile) folder = g_file_new_for_path(name);
  const bool is_local = g_file_is_native(folder) && g_file_has_uri_scheme(folder, "file");
  return is_local && g_file_test(name, G_FILE_TEST_IS_DIR) ? g_file_get_uri(folder) : NULL;
}

const char *aui_export_ending(AuiExport kind) {
  static const char *const endings[] = {".params.json", ".h", ".csv"};
  G_STATIC_ASSERT(G_N_ELEMENTS(endings) == AUI_EXPORTS);
  return endings[kind];
}

char *aui_export_file_name(AseSession *session, AuiExport kind) {
  g_autofree char *stem = aui_file_stem(ase_session_arm(session)->name);
  return g_strconcat(*stem ? stem : "arm", aui_export_ending(kind), NULL);
}

/* The other formats are made from the text of the parameter file, so that all say the same. */
char *aui_export_text(AuiExport kind, const AioArm *arm, const char *parameters, gsize *length,
                      GError **error) {
  g_auto(AseFound) found = {0};
  AioExportC options;
  *length = strlen(parameters);
  if (kind == AUI_EXPORT_PARAMETERS)
    return g_strdup(parameters);
  if (!ase_found_load_text("parameters", parameters, *length, &arm->model, &found, error))
    return NULL;
  if (kind == AUI_EXPORT_TABLE)
    return aio_export_csv(&found.set, length);
  aio_export_c_default(&options, arm);
  options.program = "armature";
  return ase_found_export_c(arm, &found, &options, length, error);
}

bool aui_export_write(AseSession *session, AuiExport kind, const char *path, GError **error) {
  gsize length = 0;
  g_autofree char *parameters = ase_session_parameters(session, error);
  g_autofree char *text =
      parameters ? aui_export_text(kind, ase_session_arm(session), parameters, &length, error)
                 : NULL;
  if (!text || !aio_file_write_atomic(path, text, length, true, error))
    return false;
  if (kind == AUI_EXPORT_PARAMETERS)
    ase_session_exported(session, path);
  return true;
}
