/* SPDX-License-Identifier: MIT */
/* What a path is, by its ending; what cannot be written is opened for reading, with the reason as a
 * notice instead of a refusal. */
#include "ui/import/session_files.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "io/base/file.h"
#include "io/store/store.h"
#include "ui/kit/lab_limits.h"
#include "ui/kit/settings.h"

enum { ARM_BYTES_MAX = 1 << 24 };

AuiFileKind aui_file_kind(const char *path) {
  g_autofree char *lower = g_ascii_strdown(path, -1);
  if (g_str_has_suffix(lower, ".arm.json"))
    return AUI_FILE_ARM;
  if (g_str_has_suffix(lower, ".json"))
    return AUI_FILE_PARAMETERS;
  return g_str_has_suffix(lower, ".csv") ? AUI_FILE_RECORDING : AUI_FILE_SESSION;
}

/* ---- new ---- */

char *aui_session_path(const char *source) {
  static const char *const endings[] = {".arm.json", ".csv"};
  g_autofree char *base = g_path_get_basename(source);
  g_autofree char *folder = aui_settings_session_folder(NULL);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autofree char *date = g_date_time_format(now, "%Y-%m-%d %H.%M.%S");
  for (gsize k = 0; k < G_N_ELEMENTS(endings); k++)
    if (g_str_has_suffix(base, endings[k]))
      base[strlen(base) - strlen(endings[k])] = '\0';
  g_autofree char *name =
      g_strdup_printf("%s %s.%03d.armsession", base, date, g_date_time_get_microsecond(now) / 1000);
  return g_build_filename(folder, name, NULL);
}

char *aui_session_place(void) {
  g_autofree char *refused = NULL;
  g_autofree char *folder = aui_settings_session_folder(&refused);
  return refused ? g_strdup_printf(_("Nothing can be written in %s: this session is in %s. Choose "
                                     "another folder in the preferences (Ctrl+,)."),
                                   refused, folder)
                 : g_strdup("");
}

AseSession *aui_session_new(const char *arm_path, GError **error) {
  gsize length;
  g_autofree char *text = aio_file_read_all(arm_path, ARM_BYTES_MAX, &length, error);
  if (!text)
    return NULL;
  g_autofree char *path = aui_session_path(arm_path);
  AseSession *session = ase_session_create(path, AUI_PROGRAM, arm_path, text, error);
  if (session)
    aui_lab_limits_begin(session);
  return session;
}

/* ---- open ---- */

static bool is_for_reading(const GError *error) {
  return g_error_matches(error, AIO_ERROR, AIO_ERROR_BUSY) ||
         g_error_matches(error, AIO_ERROR, AIO_ERROR_PERMISSION);
}

static AseSession *open_file(const char *path, char **text, GError **error) {
  g_autoptr(GError) refused = NULL;
  AseSession *session = ase_session_open(path, AUI_PROGRAM, text, &refused);
  if (!session && is_for_reading(refused) && (session = ase_session_open_read(path, error)))
    *text = g_strdup(refused->message);
  else if (!session && !is_for_reading(refused))
    g_propagate_error(error, g_steal_pointer(&refused));
  if (session)
    ase_session_outline(session);
  return session;
}

AseSession *aui_session_open(const char *path, char **notice, GError **error) {
  g_autofree char *text = NULL;
  AseSession *session;
  if (aui_file_kind(path) == AUI_FILE_ARM) {
    session = aui_session_new(path, error);
    text = aui_session_place();
  } else {
    session = open_file(path, &text, error);
  }
  if (session && notice)
    *notice = text ? g_steal_pointer(&text) : g_strdup("");
  return session;
}

/* ---- save a copy ---- */

/* Reading works beside the session's own writer. */
static bool copy(const char *from, const char *to, GError **error) {
  AioStore *store = aio_store_open_read(from, error);
  if (!store)
    return false;
  const bool is_copied = aio_store_copy(store, to, NULL, NULL, error);
  return aio_store_close(store, is_copied ? error : NULL) && is_copied;
}

static bool is_same_file(const char *a, const char *b) {
  GStatBuf x, y;
  return g_stat(a, &x) == 0 && g_stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

bool aui_session_save_copy(AseSession *session, const char *path, GError **error) {
  const char *own = ase_session_path(session);
  g_autofree char *part = g_strconcat(path, ".part", NULL);
  if (is_same_file(own, path)) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED,
                _("%s is this session itself, which saves itself; choose another name"), path);
    return false;
  }
  if (!aio_file_may_write(path, true, error))
    return false;
  g_remove(part);
  if (!copy(own, part, error)) {
    g_remove(part);
    return false;
  }
  if (g_rename(part, path) == 0)
    return true;
  g_set_error(error, AIO_ERROR, AIO_ERROR_IO, "%s: %s", path, g_strerror(errno));
  g_remove(part);
  return false;
}

/* ---- another arm ---- */

bool aui_session_replace_arm(AseSession *session, const char *path, GError **error) {
  gsize length;
  g_autofree char *text = aio_file_read_all(path, ARM_BYTES_MAX, &length, error);
  return text && ase_session_set_arm(session, text, error);
}
