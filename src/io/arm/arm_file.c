/* SPDX-License-Identifier: MIT */
/* The top of an arm file, and what its other readers share. A file is read into a copy that is
 * thrown away on any error, so that nobody sees half an arm; x_ members and the simulation are kept
 * as text, since what they mean is none of our business. */
#include "io/arm/arm_file.h"

#include <math.h>
#include <string.h>

#include "io/arm/arm_file_internal.h"
#include "io/base/file.h"
#include "io/json/digest.h"

#define MAX_NUMBER 1e9 /* no quantity of an arm is larger in SI; products of them stay finite */

bool aio_arm_read_number(const AioJsonNode *node, AioArmRange range, double *out, GError **error) {
  double value = 0.0;
  if (!aio_json_get_number(node, &value, error))
    return false;
  if (!(fabs(value) <= MAX_NUMBER))
    return aio_json_fail(node, "a number within +-1e9", error);
  if (range == AIO_ARM_POSITIVE && !(value > 0.0))
    return aio_json_fail(node, "a number > 0", error);
  if (range == AIO_ARM_NOT_NEGATIVE && !(value >= 0.0))
    return aio_json_fail(node, "a number >= 0", error);
  *out = value;
  return true;
}

bool aio_arm_read_vector(const AioJsonNode *node, gsize n, double *out, GError **error) {
  double all[ARM_MAX_JOINTS];
  g_assert(n <= G_N_ELEMENTS(all));
  if (!aio_json_get_numbers(node, n, all, error))
    return false;
  for (gsize i = 0; i < n; i++)
    if (!aio_arm_read_number(aio_json_item(node, i), AIO_ARM_ANY, &out[i], error))
      return false;
  return true;
}

bool aio_arm_read_member(const AioJsonNode *object, const char *key, AioArmRange range, double *out,
                         GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  if (!node || node->kind == AIO_JSON_NULL)
    return true;
  return aio_arm_read_number(node, range, out, error);
}

bool aio_arm_find_angle(const AioJsonNode *object, const char *stem, const char *tail,
                        const AioJsonNode **node, double *scale, GError **error) {
  char *in_deg = g_strconcat(stem, "_deg", tail, NULL);
  char *in_rad = g_strconcat(stem, "_rad", tail, NULL);
  const AioJsonNode *deg = aio_json_member(object, in_deg);
  const AioJsonNode *rad = aio_json_member(object, in_rad);
  bool is_good = !(deg && rad);
  if (!is_good)
    aio_json_fail_with(deg->index > rad->index ? deg : rad, AIO_ERROR_MEANING, error,
                       "expected either %s or %s, found both", in_deg, in_rad);
  *node = deg ? deg : rad;
  *scale = deg ? AIO_DEGREE : 1.0;
  g_free(in_deg);
  g_free(in_rad);
  return is_good;
}

static gsize text_max(const char *key) {
  return strcmp(key, "name") == 0 ? AIO_ARM_NAME_MAX : AIO_ARM_TEXT_MAX;
}

bool aio_arm_read_text(const AioJsonNode *object, const char *key, char **out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  const char *text = NULL;
  if (!node)
    return true;
  if (!aio_json_get_string(node, &text, error))
    return false;
  const gsize most = text_max(key), length = strlen(text);
  if (length > most)
    return aio_json_fail_with(node, AIO_ERROR_TOO_LARGE, error,
                              "expected a text of at most %" G_GSIZE_FORMAT
                              " bytes, found %" G_GSIZE_FORMAT "; shorten it",
                              most, length);
  *out = g_strdup(text);
  return true;
}

/* As much of a string as is allowed, whole characters. The tree owns its strings. */
static void cut_text(const AioJsonNode *object, const char *key) {
  const AioJsonNode *node = aio_json_member(object, key);
  if (!node || node->kind != AIO_JSON_STRING || strlen(node->string) <= text_max(key))
    return;
  const char *end = g_utf8_find_prev_char(node->string, node->string + text_max(key) + 1);
  ((char *)node->string)[end ? end - node->string : 0] = '\0';
}

static void cut_texts(const AioJsonNode *root) {
  static const char *const keys[] = {"name", "description", "provenance"};
  const AioJsonNode *joints =
      root->kind == AIO_JSON_OBJECT ? aio_json_member(root, "joints") : NULL;
  for (gsize k = 0; k < G_N_ELEMENTS(keys) && root->kind == AIO_JSON_OBJECT; k++) {
    cut_text(root, keys[k]);
    for (gsize j = 0; joints && joints->kind == AIO_JSON_ARRAY && j < aio_json_size(joints); j++)
      if (aio_json_item(joints, j)->kind == AIO_JSON_OBJECT)
        cut_text(aio_json_item(joints, j), keys[k]);
  }
}

/* ---- the top level ---- */

static bool check_format(const AioJsonNode *root, GError **error) {
  const char *format = NULL;
  gint64 version = 0;
  const AioJsonNode *node = aio_json_require(root, "format", error);
  if (!node || !aio_json_get_string(node, &format, error))
    return false;
  if (strcmp(format, "armature-arm") != 0)
    return aio_json_fail(node, "\"armature-arm\"", error);
  node = aio_json_require(root, "version", error);
  if (!node || !aio_json_get_int(node, 1, G_MAXINT32, &version, error))
    return false;
  if (version != 1)
    return aio_json_fail_with(node, AIO_ERROR_REFUSED, error,
                              "expected 1, found %d (written by a newer program?)", (int)version);
  return true;
}

static bool read_texts(const AioJsonNode *root, AioArm *arm, GError **error) {
  const AioJsonNode *node = aio_json_require(root, "name", error);
  if (!node || !aio_json_require_kind(node, AIO_JSON_STRING, error))
    return false;
  if (*node->string == '\0')
    return aio_json_fail(node, "a name that is not empty", error);
  return aio_arm_read_text(root, "name", &arm->name, error) &&
         aio_arm_read_text(root, "description", &arm->description, error) &&
         aio_arm_read_text(root, "provenance", &arm->provenance, error);
}

static bool read_gravity(const AioJsonNode *root, ArmModel *model, GError **error) {
  double g[3] = {0.0, 0.0, 0.0};
  const AioJsonNode *node = aio_json_require(root, "gravity_m_s2", error);
  if (!node || !aio_arm_read_vector(node, 3, g, error))
    return false;
  double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  if (length >= 0.1 && length <= 100.0) {
    memcpy(model->gravity_m_s2, g, sizeof g);
    return true;
  }
  char *found = aio_error_numbers(&length, 1);
  if (length < 0.1)
    aio_json_fail_with(node, AIO_ERROR_REFUSED, error,
                       "expected the free-fall acceleration in the base frame, such as "
                       "[0, 0, -9.81], found a length of %s m/s^2: without gravity nothing is "
                       "identifiable",
                       found);
  else
    aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                       "expected the free-fall acceleration in m/s^2, such as [0, 0, -9.81], "
                       "found a length of %s",
                       found);
  g_free(found);
  return false;
}

static bool read_joints(const AioJsonNode *root, AioArm *arm, GError **error) {
  const AioJsonNode *node = aio_json_require(root, "joints", error);
  if (!node || !aio_json_require_kind(node, AIO_JSON_ARRAY, error))
    return false;
  gsize n = aio_json_size(node);
  if (arm_model_init(&arm->model, n) != ARM_OK)
    return aio_json_fail(node, "1 to 32 joints", error);
  for (gsize i = 0; i < n; i++)
    if (!aio_arm_read_joint(aio_json_item(node, i), arm, i, error))
      return false;
  return true;
}

static bool read_coupling_row(const AioJsonNode *node, gsize row, gsize n, double *out,
                              GError **error) {
  if (!aio_arm_read_vector(node, n, out, error))
    return false;
  for (gsize column = row; column < n; column++)
    if (out[column] != 0.0)
      return aio_json_fail(aio_json_item(node, column),
                           column == row ? "0 on the diagonal (the file holds L, never I + L)"
                                         : "0 above the diagonal (L is strictly lower triangular)",
                           error);
  return true;
}

static bool read_coupling(const AioJsonNode *root, ArmModel *model, GError **error) {
  const AioJsonNode *node = aio_json_member(root, "coupling");
  if (!node)
    return true;
  if (node->kind != AIO_JSON_ARRAY || aio_json_size(node) != model->n) {
    char *expected = g_strdup_printf("an array of %zu rows, one per joint", model->n);
    aio_json_fail(node, expected, error);
    g_free(expected);
    return false;
  }
  for (gsize row = 0; row < model->n; row++)
    if (!read_coupling_row(aio_json_item(node, row), row, model->n, model->coupling[row], error))
      return false;
  model->has_coupling = true;
  return true;
}

static bool read_environment(const AioJsonNode *root, AioArm *arm, GError **error) {
  static const char *const known[] = {"table_z_m", NULL};
  const AioJsonNode *node = aio_json_member(root, "environment");
  if (!node)
    return true;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  arm->has_environment = true;
  return aio_arm_read_member(node, "table_z_m", AIO_ARM_ANY, &arm->table_z_m, error);
}

static bool read_simulation(const AioJsonNode *root, AioArm *arm, GError **error) {
  const AioJsonNode *node = aio_json_member(root, "simulation");
  if (!node)
    return true;
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error))
    return false;
  arm->simulation = aio_json_raw(node);
  return true;
}

/* ---- x_ members ---- */

static void extra_free(gpointer data) {
  AioArmExtra *extra = data;
  g_free(extra->owner);
  g_free(extra->key);
  g_free(extra->json);
  g_free(extra);
}

/* Everything below an x_ key, and the simulation, is kept as a whole. */
static void collect_extras(const AioJsonNode *node, GPtrArray *extras) {
  for (gsize i = 0; i < aio_json_size(node); i++) {
    const AioJsonNode *value = aio_json_item(node, i);
    if (value->key && g_str_has_prefix(value->key, "x_")) {
      AioArmExtra *extra = g_new0(AioArmExtra, 1);
      extra->owner = aio_json_path(node);
      extra->key = g_strdup(value->key);
      extra->json = aio_json_raw(value);
      g_ptr_array_add(extras, extra);
    } else if (node->parent || g_strcmp0(value->key, "simulation") != 0) {
      collect_extras(value, extras);
    }
  }
}

/* ---- whole arms ---- */

static bool read_arm(const AioJsonNode *root, AioArm *arm, GError **error) {
  static const char *const known[] = {"format",       "version",    "name",     "description",
                                      "provenance",   "joints",     "coupling", "environment",
                                      "gravity_m_s2", "simulation", NULL};
  if (!check_format(root, error) || !aio_json_check_keys(root, known, true, error) ||
      !read_texts(root, arm, error) || !read_joints(root, arm, error) ||
      !read_gravity(root, &arm->model, error) || !read_coupling(root, &arm->model, error) ||
      !read_environment(root, arm, error) || !read_simulation(root, arm, error))
    return false;
  collect_extras(root, arm->extras);
  return true;
}

static AioArm *load(const char *name, const char *bytes, gsize length, bool cuts, GError **error) {
  AioJson *json = aio_json_parse(name, bytes, length, error);
  if (!json)
    return NULL;
  if (cuts)
    cut_texts(aio_json_root(json));
  AioArm *arm = g_new0(AioArm, 1);
  arm->table_z_m = NAN;
  arm->extras = g_ptr_array_new_with_free_func(extra_free);
  arm->warnings = g_ptr_array_new_with_free_func(g_free);
  bool is_read = read_arm(aio_json_root(json), arm, error);
  aio_json_free(json);
  if (!is_read) {
    aio_arm_free(arm);
    return NULL;
  }
  arm->digest = aio_bytes_digest(bytes, length);
  return arm;
}

AioArm *aio_arm_load_bytes(const char *name, const char *bytes, gsize length, GError **error) {
  return load(name, bytes, length, false, error);
}

AioArm *aio_arm_load_stored(const char *name, const char *bytes, gsize length, GError **error) {
  return load(name, bytes, length, true, error);
}

AioArm *aio_arm_load(const char *path, GError **error) {
  gsize length = 0;
  char *bytes = aio_file_read_all(path, AIO_JSON_MAX_BYTES, &length, error);
  AioArm *arm = bytes ? aio_arm_load_bytes(path, bytes, length, error) : NULL;
  g_free(bytes);
  return arm;
}

void aio_arm_free(AioArm *arm) {
  if (!arm)
    return;
  for (gsize i = 0; i < ARM_MAX_JOINTS; i++) {
    g_free(arm->joints[i].name);
    g_free(arm->joints[i].provenance);
  }
  g_ptr_array_free(arm->extras, TRUE);
  g_ptr_array_free(arm->warnings, TRUE);
  g_free(arm->name);
  g_free(arm->description);
  g_free(arm->provenance);
  g_free(arm->digest);
  g_free(arm->simulation);
  g_free(arm);
}
