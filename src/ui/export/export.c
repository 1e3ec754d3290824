/* SPDX-License-Identifier: MIT */
#include "ui/export/export.h"

#include <gio/gio.h>
#include <string.h>

#include "io/base/file.h"
#include "io/export/export_c.h"
#include "io/export/export_csv.h"
#include "session/base/text.h"
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
  return endings[kind];
}

char *aui_export_file_name(AseSession *session, AuiExport kind) {
  g_autofree char *stem = aui_file_stem(ase_session_arm(session)->name);
  return g_strconcat(*stem ? stem : "arm", aui_export_ending(kind), NULL);
}

/* The other formats are made from the text of the parameter file, so that all say the same. */
static char *convert(AseSession *session, AuiExport kind, const char *text, gsize *length,
                     GError **error) {
  const AioArm *arm = ase_session_arm(session);
  g_autoptr(AioParams) params =
      aio_params_load_bytes("parameters", text, strlen(text), &arm->model, error);
  char *out = NULL;
  if (!params)
    return NULL;
  g_auto(ArmParamSet) found = {0};
  if (kind == AUI_EXPORT_TABLE) {
    if (aio_params_found(params, &found) == ARM_OK)
      out = aio_export_csv(&found, length);
    else
      g_set_error_literal(error, AIO_ERROR, AIO_ERROR_MEMORY, ase_status_text(ARM_E_MEMORY));
  } else {
    AioExportC options;
    aio_export_c_default(&options, arm);
    options.program = "armature";
    out = aio_export_c(arm, params, &options, length, error);
  }
  return out;
}

bool aui_export_write(AseSession *session, AuiExport kind, const char *path, GError **error) {
  g_autofree char *text = ase_session_parameters(session, error);
  gsize length = text ? strlen(text) : 0;
  if (!text)
    return false;
  g_autofree char *other =
      kind == AUI_EXPORT_PARAMETERS ? NULL : convert(session, kind, text, &length, error);
  if (kind != AUI_EXPORT_PARAMETERS && !other)
    return false;
  if (!aio_file_write_atomic(path, other ? other : text, length, true, error))
    return false;
  if (kind == AUI_EXPORT_PARAMETERS)
    ase_session_exported(session, path);
  return true;
}
