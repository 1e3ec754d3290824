/* SPDX-License-Identifier: MIT */
/* Numbers travel further than the session in which they were judged: what it found goes along. */
#include "io/params/held_out.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "io/params/params_set.h"

static const char *const state_keys[AIO_HELD_OUT_STATES] = {"", "passed", "failed", "stale",
                                                            "missing"};
static const char *const reason_keys[] = {
    [ARM_VALIDATION_NOT_MEASURED] = "not_measured", [ARM_VALIDATION_PASSED] = "drift",
    [ARM_VALIDATION_UNKNOWN] = "unknown",           [ARM_VALIDATION_UNUSABLE] = "unusable",
    [ARM_VALIDATION_TOO_LARGE] = "too_large",       [ARM_VALIDATION_MISFIT] = "misfit",
};

static void free_held_out(gpointer data) {
  AioHeldOut *held_out = data;
  g_free(held_out->name);
  g_free(held_out);
}

GPtrArray *aio_held_out_list_new(void) {
  return g_ptr_array_new_with_free_func(free_held_out);
}

AioHeldOut *aio_held_out_add(GPtrArray *list, const char *name) {
  AioHeldOut *held_out = g_new0(AioHeldOut, 1);
  held_out->name = g_strdup(name);
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    held_out->joint[j] = (AioJointHeldOut){
        .rms_error = NAN, .rms = NAN, .r2 = NAN, .promised = NAN, .reason = ARM_VALIDATION_PASSED};
  g_ptr_array_add(list, held_out);
  return held_out;
}

/* ---- what it says ---- */

const char *aio_held_out_key(AioHeldOutState state) {
  return (unsigned)state < AIO_HELD_OUT_STATES ? state_keys[state] : "";
}

/* One that failed outweighs what is out of date or missing. */
AioHeldOutState aio_held_out_state(const GPtrArray *list) {
  AioHeldOutState worst = AIO_HELD_OUT_COMPARED;
  for (guint k = 0; list && k < list->len; k++) {
    const AioHeldOut *held_out = g_ptr_array_index(list, k);
    if (worst != AIO_HELD_OUT_FAILED &&
        (held_out->state == AIO_HELD_OUT_FAILED || held_out->state > worst))
      worst = held_out->state;
  }
  return worst;
}

static const char *reason_text(ArmValidationKind reason) {
  static const char *const texts[] = {
      [ARM_VALIDATION_NOT_MEASURED] = "no sweep of it is long enough to be judged",
      [ARM_VALIDATION_PASSED] = "its friction changed meanwhile",
      [ARM_VALIDATION_UNKNOWN] = "its prediction rests on a parameter of which nothing is known",
      [ARM_VALIDATION_UNUSABLE] = ("most of its current is neither gravity nor friction, or too "
                                   "little was recorded to promise anything"),
      [ARM_VALIDATION_TOO_LARGE] = "that is more than was accepted",
      [ARM_VALIDATION_MISFIT] = "that is more than the fit promises",
  };
  return texts[reason];
}

static char *joint_text(const AioJointHeldOut *joint, const ArmParamSet *set, gsize i) {
  const bool is_torque = set->is_torque[i];
  const char *unit = !is_torque ? "mA" : set->type[i] == ARM_JOINT_R ? "N m" : "N";
  const double scale = is_torque ? 1.0 : 1e3;
  GString *text = g_string_new(NULL);
  g_string_append_printf(text, "the validation has failed: joint %d: ", (int)i + 1);
  if (!isnan(joint->rms_error)) {
    g_string_append_printf(text, "off by %.3g %s", scale * joint->rms_error, unit);
    if (!isnan(joint->promised))
      g_string_append_printf(text, " (promised %.3g %s)", scale * joint->promised, unit);
    g_string_append(text, ": ");
  }
  g_string_append(text, reason_text(joint->reason));
  return g_string_free(text, FALSE);
}

static void add_failed(GPtrArray *lines, const AioHeldOut *held_out, const ArmParamSet *set) {
  const guint before = lines->len;
  for (gsize i = 0; i < set->n_joints; i++)
    if (held_out->joint[i].state == AIO_HELD_OUT_FAILED)
      g_ptr_array_add(lines, joint_text(&held_out->joint[i], set, i));
  if (lines->len == before)
    g_ptr_array_add(lines, g_strdup("the validation has failed"));
}

/* As in aio_verdict_lines: numbers with a point, whatever language the program speaks. */
GPtrArray *aio_held_out_lines(const GPtrArray *list, const ArmParamSet *set) {
  GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
  const locale_t point = newlocale(LC_NUMERIC_MASK, "C", duplocale(uselocale((locale_t)0)));
  const locale_t before = uselocale(point);
  for (guint k = 0; list && k < list->len; k++) {
    const AioHeldOut *held_out = g_ptr_array_index(list, k);
    if (held_out->state == AIO_HELD_OUT_FAILED)
      add_failed(lines, held_out, set);
    else if (held_out->state == AIO_HELD_OUT_STALE)
      g_ptr_array_add(lines, g_strdup("the fit is not validated: its validation is out of date"));
    else if (held_out->state == AIO_HELD_OUT_MISSING)
      g_ptr_array_add(lines, g_strdup("the fit is not validated, though there are sweeps for it"));
  }
  uselocale(before);
  freelocale(point);
  return lines;
}

GPtrArray *aio_params_validation_lines(const AioParams *params) {
  ArmParamSet found;
  if (aio_params_found(params, &found) != ARM_OK)
    g_error("validation: not enough memory"); /* as GLib does */
  GPtrArray *lines = aio_held_out_lines(params->held_out, &found);
  arm_param_set_clear(&found);
  return lines;
}

/* ---- writing ---- */

static void write_joint(AioJsonWriter *w, const AioHeldOut *held_out, const ArmParamSet *set,
                        gsize i) {
  const AioJointHeldOut *joint = &held_out->joint[i];
  char room[AIO_PARAM_KEY];
  aio_json_write_begin_flat_object(w);
  aio_json_put_int(w, "joint", (gint64)i + 1);
  aio_json_put_int(w, "rows", (gint64)joint->rows);
  aio_json_put_number(w, aio_params_key("rms_error_A", set, i, room), joint->rms_error);
  aio_json_put_number(w, aio_params_key("rms_A", set, i, room), joint->rms);
  aio_json_put_number(w, "r2_centred", joint->r2);
  if (held_out->state != AIO_HELD_OUT_COMPARED || !isnan(joint->promised))
    aio_json_put_number(w, aio_params_key("promised_A", set, i, room), joint->promised);
  if (held_out->state != AIO_HELD_OUT_COMPARED) {
    const bool has_failed = joint->state == AIO_HELD_OUT_FAILED;
    aio_json_put_string(w, "state", joint->state ? state_keys[joint->state] : NULL);
    aio_json_put_string(w, "reason", has_failed ? reason_keys[joint->reason] : NULL);
  }
  aio_json_write_end_object(w);
}

void aio_held_out_write(AioJsonWriter *w, const GPtrArray *list, const ArmParamSet *set) {
  aio_json_write_key(w, "validation");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < list->len; k++) {
    const AioHeldOut *held_out = g_ptr_array_index(list, k);
    aio_json_write_begin_object(w);
    aio_json_put_string(w, "name", held_out->name);
    if (held_out->state != AIO_HELD_OUT_COMPARED)
      aio_json_put_string(w, "state", state_keys[held_out->state]);
    aio_json_write_key(w, "joints");
    aio_json_write_begin_array(w);
    for (gsize i = 0; i < set->n_joints; i++)
      write_joint(w, held_out, set, i);
    aio_json_write_end_array(w);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

/* ---- reading ---- */

/* Which of `n` words; null or absent: `none`. */
static bool read_word(const AioJsonNode *object, const char *key, const char *const *words, int n,
                      const char *expected, int none, int *out, GError **error) {
  const AioJsonNode *node = aio_json_member(object, key);
  const char *word;
  *out = none;
  if (!node || node->kind == AIO_JSON_NULL)
    return true;
  if (!aio_json_get_string(node, &word, error))
    return false;
  for (int k = 0; k < n; k++)
    if (*word && strcmp(word, words[k]) == 0) {
      *out = k;
      return true;
    }
  return aio_json_fail(node, expected, error);
}

static bool read_state(const AioJsonNode *object, AioHeldOutState *state, GError **error) {
  int found;
  if (!read_word(object, "state", state_keys, AIO_HELD_OUT_STATES,
                 "\"passed\", \"failed\", \"stale\" or \"missing\"", AIO_HELD_OUT_COMPARED, &found,
                 error))
    return false;
  *state = (AioHeldOutState)found;
  return true;
}

static bool read_reason(const AioJsonNode *object, AioJointHeldOut *joint, GError **error) {
  int found;
  if (!read_word(object, "reason", reason_keys, G_N_ELEMENTS(reason_keys),
                 "a reason such as \"misfit\", or null", ARM_VALIDATION_PASSED, &found, error))
    return false;
  joint->reason = (ArmValidationKind)found;
  return true;
}

static bool read_size(const AioJsonNode *node, double *out, GError **error) {
  if (!node || !aio_json_get_number_or_null(node, out, error))
    return false;
  return !(*out < 0) || aio_json_fail(node, "a number that is not negative, or null", error);
}

static bool read_joint(const AioJsonNode *node, const ArmParamSet *set, gsize i,
                       AioJointHeldOut *joint, GError **error) {
  char error_key[AIO_PARAM_KEY], rms_key[AIO_PARAM_KEY], promised_key[AIO_PARAM_KEY];
  const char *of_error = aio_params_key("rms_error_A", set, i, error_key);
  const char *of_rms = aio_params_key("rms_A", set, i, rms_key);
  const char *of_promised = aio_params_key("promised_A", set, i, promised_key);
  const char *const known[] = {"joint",     "rows",  of_error, of_rms, "r2_centred",
                               of_promised, "state", "reason", NULL};
  gint64 number, rows = 0;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(node, "joint", error);
  const AioJsonNode *count = aio_json_member(node, "rows"),
                    *r2 = aio_json_member(node, "r2_centred"),
                    *promised = aio_json_member(node, of_promised);
  if (!of || !aio_json_get_int(of, (gint64)i + 1, (gint64)i + 1, &number, error) ||
      (count && !aio_json_get_int(count, 0, (gint64)1 << 52, &rows, error)) ||
      !read_size(aio_json_require(node, of_error, error), &joint->rms_error, error) ||
      !read_size(aio_json_require(node, of_rms, error), &joint->rms, error) ||
      (r2 && !aio_json_get_number_or_null(r2, &joint->r2, error)) ||
      (promised && !read_size(promised, &joint->promised, error)) ||
      !read_state(node, &joint->state, error) || !read_reason(node, joint, error))
    return false;
  joint->rows = (gsize)rows;
  return true;
}

static bool read_recording(const AioJsonNode *node, const ArmParamSet *set, GPtrArray *list,
                           GError **error) {
  static const char *const known[] = {"name", "state", "joints", NULL};
  const char *name;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(node, "name", error);
  const AioJsonNode *joints = of ? aio_json_require(node, "joints", error) : NULL;
  if (!joints || !aio_json_require_kind(joints, AIO_JSON_ARRAY, error) ||
      !aio_json_get_string(of, &name, error))
    return false;
  if (aio_json_size(joints) != set->n_joints)
    return aio_json_fail(joints, "one item for each joint of the arm", error);
  AioHeldOut *held_out = aio_held_out_add(list, name);
  if (!read_state(node, &held_out->state, error))
    return false;
  for (gsize i = 0; i < set->n_joints; i++) {
    if (!read_joint(aio_json_item(joints, i), set, i, &held_out->joint[i], error))
      return false;
    if (held_out->joint[i].state == AIO_HELD_OUT_FAILED) /* whatever the whole is said to be */
      held_out->state = AIO_HELD_OUT_FAILED;
  }
  return true;
}

bool aio_held_out_read(const AioJsonNode *node, const ArmParamSet *set, GPtrArray *list,
                       GError **error) {
  if (!aio_json_require_kind(node, AIO_JSON_ARRAY, error))
    return false;
  for (gsize k = 0; k < aio_json_size(node); k++)
    if (!read_recording(aio_json_item(node, k), set, list, error))
      return false;
  return true;
}
