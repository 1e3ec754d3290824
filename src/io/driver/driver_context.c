/* SPDX-License-Identifier: MIT */
/* The context of a driver as text, for the head of a capture. */
#include "io/driver/driver_context.h"

#include <stddef.h>

#include "io/json/json_read.h"
#include "io/json/json_write.h"

static const struct {
  const char *key;
  gsize offset;
} limits[] = {{"q_min", offsetof(ArmLimits, q_min)},
              {"q_max", offsetof(ArmLimits, q_max)},
              {"speed_max", offsetof(ArmLimits, speed_max)},
              {"accel_max", offsetof(ArmLimits, accel_max)},
              {"current_max", offsetof(ArmLimits, current_max)},
              {"rest_error", offsetof(ArmLimits, rest_error)}};

static double *limit_of(const ArmLimits *all, gsize k) {
  return (double *)((char *)(guintptr)all + limits[k].offset);
}

/* ---- writing ---- */

static void write_joint(AioJsonWriter *w, const AioDriverJoint *joint) {
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "type", joint->type == ARM_JOINT_R ? "R" : "T");
  for (gsize k = 0; k < G_N_ELEMENTS(limits); k++)
    aio_json_put_number(w, limits[k].key, *limit_of(&joint->limits, k));
  aio_json_write_key(w, "motors");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < joint->n_motors; k++) {
    aio_json_write_begin_flat_object(w);
    aio_json_put_number(w, "gear_ratio", joint->motor[k].gear_ratio);
    aio_json_put_number(w, "sign", joint->motor[k].sign);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "ids");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < joint->n_ids; k++)
    aio_json_write_int(w, joint->id[k]);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
}

char *aio_driver_context_format(const AioDriverContext *context, const char *driver) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "driver", driver);
  aio_json_put_string(w, "digest", context->digest);
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (guint j = 0; j < context->joints; j++)
    write_joint(w, &context->joint[j]);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

/* ---- reading ---- */

static const AioJsonNode *get_list(const AioJsonNode *object, const char *key, gsize most,
                                   GError **error) {
  const AioJsonNode *list = aio_json_require(object, key, error);
  if (!list || !aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return NULL;
  if (aio_json_size(list) <= most)
    return list;
  aio_json_fail_with(list, AIO_ERROR_MEANING, error,
                     "expected at most %" G_GSIZE_FORMAT " items, found %" G_GSIZE_FORMAT, most,
                     aio_json_size(list));
  return NULL;
}

static bool get_text(const AioJsonNode *object, const char *key, char *out, gsize size,
                     GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  const char *text;
  if (!node || !aio_json_get_string(node, &text, error))
    return false;
  if (g_strlcpy(out, text, size) >= size)
    return aio_json_fail(node, "a shorter text", error);
  return true;
}

static bool read_motor(const AioJsonNode *node, AioDriverMotor *out, GError **error) {
  const AioJsonNode *gear = aio_json_require(node, "gear_ratio", error);
  const AioJsonNode *sign = gear ? aio_json_require(node, "sign", error) : NULL;
  return sign && aio_json_get_number_or_null(gear, &out->gear_ratio, error) &&
         aio_json_get_number(sign, &out->sign, error);
}

static bool read_joint(const AioJsonNode *node, AioDriverJoint *out, GError **error) {
  char type[2];
  gint64 id;
  if (!get_text(node, "type", type, sizeof type, error))
    return false;
  if (type[0] != 'R' && type[0] != 'T')
    return aio_json_fail(aio_json_member(node, "type"), "\"R\" or \"T\"", error);
  const AioJsonNode *motors = get_list(node, "motors", ARM_MAX_MOTORS, error);
  const AioJsonNode *ids = motors ? get_list(node, "ids", AIO_IDS_MAX, error) : NULL;
  if (!ids)
    return false;
  out->type = type[0] == 'T' ? ARM_JOINT_T : ARM_JOINT_R;
  for (gsize k = 0; k < G_N_ELEMENTS(limits); k++) {
    const AioJsonNode *value = aio_json_require(node, limits[k].key, error);
    if (!value || !aio_json_get_number_or_null(value, limit_of(&out->limits, k), error))
      return false;
  }
  for (; out->n_motors < aio_json_size(motors); out->n_motors++)
    if (!read_motor(aio_json_item(motors, out->n_motors), &out->motor[out->n_motors], error))
      return false;
  for (; out->n_ids < aio_json_size(ids); out->id[out->n_ids++] = (guint)id)
    if (!aio_json_get_int(aio_json_item(ids, out->n_ids), 0, AIO_ID_MAX, &id, error))
      return false;
  return true;
}

static bool read_context(const AioJsonNode *root, AioDriverContext *out, GError **error) {
  if (!aio_json_require_kind(root, AIO_JSON_OBJECT, error) ||
      !get_text(root, "driver", out->driver, sizeof out->driver, error) ||
      !get_text(root, "digest", out->digest, sizeof out->digest, error))
    return false;
  const AioJsonNode *joints = get_list(root, "joints", ARM_MAX_JOINTS, error);
  if (!joints)
    return false;
  for (; out->joints < aio_json_size(joints); out->joints++)
    if (!read_joint(aio_json_item(joints, out->joints), &out->joint[out->joints], error))
      return false;
  return true;
}

bool aio_driver_context_parse(AioDriverContext *out, const char *name, const char *bytes, gsize n,
                              GError **error) {
  AioJson *json = aio_json_parse(name, bytes, n, error);
  AioDriverContext read = {0};
  const bool is_good = json && read_context(aio_json_root(json), &read, error);
  if (is_good)
    *out = read;
  aio_json_free(json);
  return is_good;
}
