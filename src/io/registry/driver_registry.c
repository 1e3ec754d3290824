/* SPDX-License-Identifier: MIT */
/* A name that somebody gives stands above the one in the arm file, and both above asking the line:
 * who says which controller it is does not want others' requests sent to it. */
#include "io/registry/driver_registry.h"

#include <string.h>

#include "io/base/safe_text.h"
#include "io/json/json_read.h"

/* ---- the list ---- */

char *aio_driver_names(void) {
  GString *names = g_string_new(NULL);
  for (gsize k = 0; aio_driver_list[k]; k++)
    g_string_append_printf(names, "%s%s", k ? ", " : "", aio_driver_list[k]->name);
  return g_string_free(names, FALSE);
}

const AioDriverClass *aio_driver_find(const char *name, GError **error) {
  for (gsize k = 0; aio_driver_list[k]; k++)
    if (strcmp(aio_driver_list[k]->name, name) == 0)
      return aio_driver_list[k];
  char *names = aio_driver_names(), *found = aio_text_visible(name, false);
  g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND, "driver: expected %s%s, found \"%s\"",
              aio_driver_list[1] ? "one of " : "", names, found);
  g_free(names);
  g_free(found);
  return NULL;
}

guint aio_driver_baud(const AioDriverClass *klass) {
  return (klass ? klass : aio_driver_list[0])->default_baud;
}

/* ---- the choice ---- */

bool aio_driver_choose(const char *name, const AioDriverContext *context,
                       const AioDriverClass **out, GError **error) {
  const char *wanted = name ? name : *context->driver ? context->driver : NULL;
  const AioDriverClass *only = aio_driver_list[1] ? NULL : aio_driver_list[0];
  const AioDriverClass *found = wanted ? aio_driver_find(wanted, error) : only;
  if (wanted && !found) {
    if (!name)
      g_prefix_error(error, "arm file: x_armature_driver: ");
    if (!name && error)
      (*error)->code = AIO_ERROR_MEANING;
    return false;
  }
  *out = found;
  return true;
}

/* ---- what the arm file says ---- */

static void take_joint(AioDriverJoint *out, const ArmJoint *joint) {
  out->type = joint->type;
  out->limits = joint->limits;
  out->n_motors = (guint)joint->n_motors;
  for (gsize k = 0; k < joint->n_motors; k++)
    out->motor[k] =
        (AioDriverMotor){joint->motors[k].gear_ratio, (double)joint->motors[k].motor_sign};
}

/* *out NULL: there is no such key. */
static bool parse_extra(const AioArm *arm, const char *owner, const char *key, AioJson **out,
                        GError **error) {
  *out = NULL;
  for (guint k = 0; k < arm->extras->len; k++) {
    const AioArmExtra *extra = arm->extras->pdata[k];
    if (strcmp(extra->owner, owner) != 0 || strcmp(extra->key, key) != 0)
      continue;
    char *name = g_strdup_printf("arm file: %s%s%s", owner, *owner ? ": " : "", key);
    *out = aio_json_parse(name, extra->json, strlen(extra->json), error);
    g_free(name);
    return *out != NULL;
  }
  return true;
}

static bool take_name(AioDriverContext *out, const AioArm *arm, GError **error) {
  AioJson *json;
  const char *name;
  if (!parse_extra(arm, "", "x_armature_driver", &json, error))
    return false;
  bool is_good = !json || aio_json_get_string(aio_json_root(json), &name, error);
  if (is_good && json && g_strlcpy(out->driver, name, sizeof out->driver) >= sizeof out->driver)
    is_good = aio_json_fail(aio_json_root(json), "the name of a driver", error);
  aio_json_free(json);
  return is_good;
}

static bool take_ids(AioDriverJoint *out, const AioJsonNode *list, GError **error) {
  gint64 id;
  if (!aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return false;
  if (aio_json_size(list) < 1 || aio_json_size(list) > AIO_IDS_MAX)
    return aio_json_fail(list, "1 to 8 numbers of drives", error);
  for (; out->n_ids < aio_json_size(list); out->id[out->n_ids++] = (guint)id)
    if (!aio_json_get_int(aio_json_item(list, out->n_ids), 0, AIO_ID_MAX, &id, error))
      return false;
  return true;
}

static bool take_joint_ids(AioDriverJoint *out, const AioArm *arm, guint j, GError **error) {
  char *owner = g_strdup_printf("joint %u", j + 1);
  AioJson *json;
  const bool is_read = parse_extra(arm, owner, "x_armature_ids", &json, error);
  g_free(owner);
  if (!is_read)
    return false;
  const bool is_good = !json || take_ids(out, aio_json_root(json), error);
  aio_json_free(json);
  return is_good;
}

bool aio_driver_context_of(AioDriverContext *out, const AioArm *arm, GError **error) {
  AioDriverContext context = {.joints = arm ? (guint)arm->model.n : 0};
  if (arm && !take_name(&context, arm, error))
    return false;
  if (arm)
    g_strlcpy(context.digest, arm->digest, sizeof context.digest);
  for (guint j = 0; j < context.joints; j++) {
    take_joint(&context.joint[j], &arm->model.joints[j]);
    if (!take_joint_ids(&context.joint[j], arm, j, error))
      return false;
  }
  *out = context;
  return true;
}
