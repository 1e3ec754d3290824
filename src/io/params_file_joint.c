/* SPDX-License-Identifier: MIT */
#include "io/params_file_joint.h"

#include <math.h>
#include <string.h>

/* An unknown key is an error; a file of another program may give the sentence only. */
static bool read_reason(const AioJsonNode *node, ArmReason *reason, GError **error) {
  const AioJsonNode *text = aio_json_require(node, "reason", error);
  const AioJsonNode *key = aio_json_member(node, "reason_key");
  *reason = ARM_REASON_NONE;
  if (!text)
    return false;
  if (text->kind != AIO_JSON_STRING && text->kind != AIO_JSON_NULL)
    return aio_json_fail(text, "a string or null", error);
  if (key && key->kind != AIO_JSON_NULL) {
    const char *word;
    if (!aio_json_get_string(key, &word, error))
      return false;
    *reason = arm_reason_from_key(word);
    return *reason != ARM_REASON_NONE || strcmp(word, arm_reason_key(ARM_REASON_NONE)) == 0 ||
           aio_json_fail(key, "the key of a reason, such as \"too_weak\"", error);
  }
  for (int r = 0; text->kind == AIO_JSON_STRING && r < ARM_REASONS; r++)
    if (strcmp(text->string, arm_reason_text((ArmReason)r)) == 0)
      *reason = (ArmReason)r;
  return true;
}

/* value and sd: numbers when identifiable, else null */
static bool check_known(const AioJsonNode *node, bool identifiable, bool is_sd, GError **error) {
  if (!identifiable)
    return node->kind == AIO_JSON_NULL ||
           aio_json_fail(node, "null (identifiable is false)", error);
  if (node->kind != AIO_JSON_NUMBER)
    return aio_json_fail(node, "a number (identifiable is true)", error);
  return !is_sd || node->number >= 0.0 ||
         aio_json_fail(node, "a standard deviation, not negative", error);
}

bool aio_params_read_estimate(const AioJsonNode *node, ArmEstimate *estimate, GError **error) {
  static const char *const known[] = {"value",      "sd", "identifiable", "used", "reason",
                                      "reason_key", NULL};
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *flag = aio_json_require(node, "identifiable", error);
  const AioJsonNode *value = flag ? aio_json_require(node, "value", error) : NULL;
  const AioJsonNode *sd = value ? aio_json_require(node, "sd", error) : NULL;
  const AioJsonNode *used = sd ? aio_json_require(node, "used", error) : NULL;
  ArmEstimate read = {0};
  if (!used || !aio_json_get_bool(flag, &read.identifiable, error) ||
      !check_known(value, read.identifiable, false, error) ||
      !check_known(sd, read.identifiable, true, error) ||
      !aio_json_get_number(used, &read.used, error) || !read_reason(node, &read.reason, error))
    return false;
  read.value = read.identifiable ? value->number : NAN;
  read.sd = read.identifiable ? sd->number : NAN;
  if (read.identifiable)
    read.reason = ARM_REASON_NONE;
  *estimate = read;
  return true;
}

static bool read_excluded(const AioJsonNode *node, ArmJointFit *joint, GError **error) {
  const char *known[ARM_ROW_REASONS + 1] = {NULL};
  for (int use = ARM_ROW_USED + 1; use < ARM_ROW_REASONS; use++)
    known[use - 1] = arm_row_use_key((ArmRowUse)use);
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  for (int use = ARM_ROW_USED + 1; use < ARM_ROW_REASONS; use++) {
    const AioJsonNode *count = aio_json_member(node, known[use - 1]);
    gint64 rows = 0;
    if (count && !aio_json_get_int(count, 0, G_MAXINT32, &rows, error))
      return false;
    joint->rows_by_use[use] = (size_t)rows;
  }
  return true;
}

static bool read_size(const AioJsonNode *object, const char *key, size_t *out, GError **error) {
  gint64 number;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_int(node, 0, G_MAXINT32, &number, error))
    return false;
  *out = (size_t)number;
  return true;
}

static bool read_rows(const AioJsonNode *node, ArmJointFit *joint, GError **error) {
  const AioJsonNode *excluded = aio_json_require(node, "rows_excluded", error);
  if (!excluded || !read_size(node, "rows_used", &joint->rows_used, error) ||
      !read_excluded(excluded, joint, error) || !read_size(node, "rank", &joint->rank, error))
    return false;
  joint->rows_by_use[ARM_ROW_USED] = joint->rows_used;
  joint->columns = joint->rank;
  if (!aio_json_member(node, "columns"))
    return true;
  if (!read_size(node, "columns", &joint->columns, error))
    return false;
  return joint->rank <= joint->columns ||
         aio_json_fail_with(aio_json_member(node, "rank"), AIO_ERROR_MEANING, error,
                            "expected at most the number of columns, %" G_GSIZE_FORMAT
                            ", found %" G_GSIZE_FORMAT,
                            joint->columns, joint->rank);
}

typedef struct {
  const char *key;
  bool is_required, is_sign_free;
  double *out;
} Statistic;

static bool read_statistics(const AioJsonNode *node, ArmJointFit *joint, GError **error) {
  const Statistic statistics[] = {
      {"cond_raw", true, false, &joint->cond_raw},
      {"cond_equilibrated", true, false, &joint->cond_equilibrated},
      {"cond_centred", true, false, &joint->cond_centred},
      {"residual_sd_A", true, false, &joint->residual_sd},
      {"r2", true, true, &joint->r2},
      {"max_abs_A", true, false, &joint->max_abs},
      {"lag1", true, true, &joint->lag1},
      {"widening", false, false, &joint->widening},
  };
  joint->widening = 1.0;
  for (size_t k = 0; k < G_N_ELEMENTS(statistics); k++) {
    const Statistic *s = &statistics[k];
    const AioJsonNode *value =
        s->is_required ? aio_json_require(node, s->key, error) : aio_json_member(node, s->key);
    if (!value && !s->is_required)
      continue;
    if (!value || !aio_json_get_number_or_null(value, s->out, error))
      return false;
    if (!s->is_sign_free && *s->out < 0.0)
      return aio_json_fail(value, "a number that is not negative, or null", error);
    if (k < 3 && isnan(*s->out) && joint->rank < joint->columns)
      *s->out = INFINITY;
  }
  return true;
}

static bool read_parameters(const AioJsonNode *node, ArmJointType type, ArmJointFit *joint,
                            GError **error) {
  const char *known[ARM_PARAM_KINDS + 1] = {NULL};
  ArmEstimate *to[ARM_PARAM_KINDS];
  size_t count = 0;
  for (int kind = 0; kind <= ARM_PARAM_ACCELERATION; kind++) {
    bool is_gravity = kind <= ARM_PARAM_MHAT;
    if (is_gravity && (type == ARM_JOINT_T) != (kind == ARM_PARAM_MHAT))
      continue;
    to[count] = is_gravity                      ? &joint->w[kind == ARM_PARAM_KY]
                : kind < ARM_PARAM_ACCELERATION ? &joint->friction[kind - ARM_PARAM_COULOMB_POS]
                                                : &joint->acceleration;
    known[count++] = arm_param_key((ArmParamKind)kind);
  }
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  joint->w[1] = joint->acceleration = (ArmEstimate){NAN, NAN, 0.0, false, ARM_REASON_NONE};
  joint->has_acceleration = aio_json_member(node, arm_param_key(ARM_PARAM_ACCELERATION)) != NULL;
  for (size_t k = 0; k < count - (joint->has_acceleration ? 0 : 1); k++) {
    const AioJsonNode *estimate = aio_json_require(node, known[k], error);
    if (!estimate || !aio_params_read_estimate(estimate, to[k], error))
      return false;
  }
  return true;
}

static bool check_type(const AioJsonNode *node, ArmJointType type, GError **error) {
  const char *word, *expected = type == ARM_JOINT_R ? "R" : "T";
  if (!aio_json_get_string(node, &word, error))
    return false;
  return strcmp(word, expected) == 0 ||
         aio_json_fail(node, type == ARM_JOINT_R ? "\"R\" as in the arm" : "\"T\" as in the arm",
                       error);
}

/* A file that does not say was fitted from currents, as far as anyone knows. */
static bool read_measured(const AioJsonNode *joint, bool *is_torque, GError **error) {
  const AioJsonNode *node = aio_json_member(joint, "measured");
  const char *word = "current";
  if (node && !aio_json_get_string(node, &word, error))
    return false;
  if (strcmp(word, "current") != 0 && strcmp(word, "torque") != 0)
    return aio_json_fail(node, "\"current\" or \"torque\"", error);
  if (is_torque)
    *is_torque = strcmp(word, "torque") == 0;
  return true;
}

bool aio_params_read_joint(const AioJsonNode *node, size_t number, ArmJointType type,
                           ArmJointFit *joint, bool *is_torque, GError **error) {
  static const char *const known[] = {
      "joint",    "type",         "rows_used",         "rows_excluded", "columns", "rank",
      "cond_raw", "cond_centred", "cond_equilibrated", "residual_sd_A", "r2",      "max_abs_A",
      "lag1",     "widening",     "parameters",        "measured",      "misfit",  NULL};
  gint64 found;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *which = aio_json_require(node, "joint", error);
  const AioJsonNode *kind = which ? aio_json_require(node, "type", error) : NULL;
  const AioJsonNode *parameters = kind ? aio_json_require(node, "parameters", error) : NULL;
  return parameters && aio_json_get_int(which, (gint64)number, (gint64)number, &found, error) &&
         check_type(kind, type, error) && read_measured(node, is_torque, error) &&
         read_rows(node, joint, error) && read_statistics(node, joint, error) &&
         read_parameters(parameters, type, joint, error);
}
