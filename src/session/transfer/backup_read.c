/* SPDX-License-Identifier: MIT */
/* A backup goes back into drives, so that it is read like a stranger's: types and values exactly as
 * 32 bits hold them, names once, the checksum last. */
#include <math.h>
#include <string.h>

#include "io/json/digest.h"
#include "io/json/json_read.h"
#include "session/transfer/backup_internal.h"

static bool read_text(const AioJsonNode *object, const char *key, char **out, GError **error) {
  const char *text;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_string(node, &text, error))
    return false;
  *out = g_strdup(text);
  return true;
}

static bool read_hex(const AioJsonNode *object, const char *key, guint32 *out, GError **error) {
  const char *text;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_string(node, &text, error))
    return false;
  if (strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
    return aio_json_fail(node, "8 hexadecimal digits in lower case", error);
  *out = (guint32)g_ascii_strtoull(text, NULL, 16);
  return true;
}

/* ---- parameters ---- */

static bool read_short(const AioJsonNode *object, const char *key, char *out, gsize size,
                       GError **error) {
  const char *text;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_string(node, &text, error))
    return false;
  if (g_strlcpy(out, text, size) < size)
    return true;
  return aio_json_fail(node, "a shorter text", error);
}

static bool read_type(const AioJsonNode *object, AioParamType *out, GError **error) {
  const char *text;
  const AioJsonNode *node = aio_json_require(object, "type", error);
  if (!node || !aio_json_get_string(node, &text, error))
    return false;
  for (guint k = 0; k < ASE_BACKUP_TYPES; k++)
    if (strcmp(text, ase_backup_type_keys[k]) == 0) {
      *out = (AioParamType)k;
      return true;
    }
  return aio_json_fail(node, "\"int\", \"uint\" or \"float\"", error);
}

/* Exactly what 32 bits can hold. */
static bool read_value(const AioJsonNode *object, AioParam *param, GError **error) {
  gint64 whole;
  const AioJsonNode *node = aio_json_require(object, "value", error);
  if (!node)
    return false;
  if (param->type != AIO_PARAM_FLOAT) {
    const bool is_int = param->type == AIO_PARAM_INT;
    if (!aio_json_get_int(node, is_int ? G_MININT32 : 0, is_int ? G_MAXINT32 : G_MAXUINT32, &whole,
                          error))
      return false;
    param->value = (double)whole;
    return true;
  }
  if (!aio_json_get_number_or_null(node, &param->value, error))
    return false;
  const double held = (double)(float)param->value;
  if (isnan(param->value) || held == param->value)
    return true;
  return aio_json_fail(node, "a number that a float of 32 bits holds exactly", error);
}

static bool read_param(const AioJsonNode *node, GHashTable *names, AioParam *param,
                       GError **error) {
  static const char *const known[] = {"name", "type", "unit", "value", NULL};
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) ||
      !aio_json_check_keys(node, known, true, error) ||
      !read_short(node, "name", param->name, sizeof param->name, error) ||
      !read_type(node, &param->type, error) ||
      !read_short(node, "unit", param->unit, sizeof param->unit, error) ||
      !read_value(node, param, error))
    return false;
  return (param->name[0] && g_hash_table_add(names, param->name)) ||
         aio_json_fail(aio_json_member(node, "name"), "a name of its own", error);
}

static bool read_params(const AioJsonNode *root, AseBackup *backup, GError **error) {
  const AioJsonNode *array = aio_json_require(root, "parameters", error);
  if (!array || !aio_json_require_kind(array, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(array) == 0 || aio_json_size(array) > ASE_BACKUP_PARAMS)
    return aio_json_fail(array, "1 to 16383 parameters", error);
  backup->n = (guint)aio_json_size(array);
  backup->params = g_new0(AioParam, backup->n);
  GHashTable *names = g_hash_table_new(g_str_hash, g_str_equal);
  bool ok = true;
  for (guint k = 0; ok && k < backup->n; k++)
    ok = read_param(aio_json_item(array, k), names, &backup->params[k], error);
  g_hash_table_unref(names);
  return ok;
}

/* ---- head ---- */

static bool read_format(const AioJsonNode *root, GError **error) {
  const char *text;
  gint64 version;
  const AioJsonNode *format = aio_json_require(root, "format", error);
  const AioJsonNode *node = format ? aio_json_require(root, "version", error) : NULL;
  if (!node || !aio_json_get_string(format, &text, error))
    return false;
  if (strcmp(text, ASE_BACKUP_FORMAT) != 0)
    return aio_json_fail(format, "\"" ASE_BACKUP_FORMAT "\"", error);
  if (!aio_json_get_int(node, 1, G_MAXINT32, &version, error))
    return false;
  return version == ASE_BACKUP_VERSION ||
         aio_json_fail_with(node, AIO_ERROR_REFUSED, error,
                            "this program reads version %d; use a newer program",
                            ASE_BACKUP_VERSION);
}

static bool read_date(const AioJsonNode *root, AseBackup *backup, GError **error) {
  if (!read_text(root, "date", &backup->date, error))
    return false;
  GDateTime *date = g_date_time_new_from_iso8601(backup->date, NULL);
  if (!date)
    return aio_json_fail(aio_json_member(root, "date"), "a date as 2026-11-21T20:09:47Z", error);
  g_date_time_unref(date);
  return true;
}

static bool read_controller(const AioJsonNode *root, AseBackup *backup, GError **error) {
  static const char *const known[] = {"name", "serial", "firmware", "schema_crc", "digest", NULL};
  const AioJsonNode *node = aio_json_require(root, "controller", error);
  return node && aio_json_require_kind(node, AIO_JSON_OBJECT, error) &&
         aio_json_check_keys(node, known, true, error) &&
         read_text(node, "name", &backup->controller, error) &&
         read_text(node, "serial", &backup->serial, error) &&
         read_text(node, "firmware", &backup->firmware, error) &&
         read_hex(node, "schema_crc", &backup->schema_crc, error) &&
         read_hex(node, "digest", &backup->digest, error);
}

static bool is_unchanged(const AioJsonNode *root, GError **error) {
  const char *stated;
  const AioJsonNode *node = aio_json_require(root, "checksum", error);
  if (!node || !aio_json_get_string(node, &stated, error))
    return false;
  char *found = aio_json_digest(root, "checksum");
  const bool ok = strcmp(found, stated) == 0 ||
                  aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                                     "the file was changed after it was written: what it says "
                                     "has the checksum %s",
                                     found);
  g_free(found);
  return ok;
}

static bool read_all(const AioJsonNode *root, AseBackup *backup, GError **error) {
  static const char *const known[] = {"format",     "version",  "date", "controller",
                                      "parameters", "checksum", NULL};
  return aio_json_require_kind(root, AIO_JSON_OBJECT, error) && read_format(root, error) &&
         aio_json_check_keys(root, known, true, error) && read_date(root, backup, error) &&
         read_controller(root, backup, error) && read_params(root, backup, error) &&
         is_unchanged(root, error);
}

static AseBackup *read_json(AioJson *json, GError **error) {
  if (!json)
    return NULL;
  AseBackup *backup = g_new0(AseBackup, 1);
  if (!read_all(aio_json_root(json), backup, error))
    g_clear_pointer(&backup, ase_backup_free);
  aio_json_free(json);
  return backup;
}

AseBackup *ase_backup_load(const char *path, GError **error) {
  return read_json(aio_json_load(path, error), error);
}

AseBackup *ase_backup_load_bytes(const char *name, const char *bytes, gsize length,
                                 GError **error) {
  return read_json(aio_json_parse(name, bytes, length, error), error);
}
