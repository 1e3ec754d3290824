/* SPDX-License-Identifier: MIT */
/* One joint of a parameter file. What it says must agree with itself: a number that is not
 * identifiable, a term without its speed, a trial without its term mean that something was lost,
 * and a prediction would be wrong without a word. */
#include "io/params/params_file_joint.h"

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

static bool read_excluded(const AioJsonNode *node, ArmJointStatistics *joint, GError **error) {
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

static bool read_rows(const AioJsonNode *node, ArmJointStatistics *joint, GError **error) {
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

static bool read_statistics(const AioJsonNode *node, ArmParamSet *set, size_t i, GError **error) {
  ArmJointStatistics *joint = &set->joint[i];
  char residual[AIO_PARAM_KEY], most[AIO_PARAM_KEY];
  const Statistic statistics[] = {
      {"cond_raw", true, false, &joint->cond_raw},
      {"cond_equilibrated", true, false, &joint->cond_equilibrated},
      {"cond_centred", true, false, &joint->cond_centred},
      {aio_params_key("residual_sd_A", set, i, residual), true, false, &joint->residual_sd},
      {set->is_of_motion ? "r2_centred" : "r2", true, true, &joint->r2},
      {aio_params_key("max_abs_A", set, i, most), true, false, &joint->max_abs},
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

static bool read_trial(const AioJsonNode *node, ArmFrictionTerm term, ArmTermTrial *trial,
                       GError **error) {
  static const char *const known[] = {"name",   "offered",    "chosen", "gain",
                                      "reason", "reason_key", NULL};
  const char *name, *word;
  bool is_chosen;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(node, "name", error);
  const AioJsonNode *key = of ? aio_json_require(node, "reason_key", error) : NULL;
  const AioJsonNode *gain = key ? aio_json_require(node, "gain", error) : NULL;
  const AioJsonNode *chosen = gain ? aio_json_require(node, "chosen", error) : NULL;
  if (!chosen || !aio_json_get_string(of, &name, error) ||
      !aio_json_get_string(key, &word, error) ||
      !aio_json_get_number_or_null(gain, &trial->gain, error) ||
      !aio_json_get_bool(chosen, &is_chosen, error))
    return false;
  if (strcmp(name, arm_term_key(term)) != 0)
    return aio_json_fail(of, term == ARM_TERM_LOAD ? "\"load\" first" : "\"curve\" second", error);
  trial->value = trial->sd = NAN;
  for (int outcome = 0; outcome < ARM_TERM_OUTCOMES; outcome++)
    if (strcmp(word, arm_term_outcome_key((ArmTermOutcome)outcome)) == 0) {
      trial->outcome = (ArmTermOutcome)outcome;
      return is_chosen == (outcome == ARM_TERM_CHOSEN) ||
             aio_json_fail(chosen, "what reason_key says", error);
    }
  return aio_json_fail(key, "what came of a term, such as \"chosen\"", error);
}

static const ArmEstimate *term_of(const ArmParamSet *set, size_t i, int t) {
  return arm_param_set_at(set, (ArmParamId){arm_term_kind((ArmFrictionTerm)t), (guchar)i, 0});
}

/* A term that was chosen and is not there is friction that predictions would lack; one that is
 * there was chosen, where the file does not say. */
static bool check_trial(const AioJsonNode *node, int t, const AioParamsTried *tried, bool has_term,
                        GError **error) {
  const char *key = arm_param_key(arm_term_kind((ArmFrictionTerm)t));
  const bool is_chosen = tried->trial[t].outcome == ARM_TERM_CHOSEN;
  if (is_chosen == has_term)
    return true;
  return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                            is_chosen ? "expected the parameter \"%s\" of a term that was chosen, "
                                        "found none"
                                      : "expected no parameter \"%s\" of a term that was not "
                                        "chosen, found one",
                            key);
}

static bool read_trials(const AioJsonNode *list, const ArmParamSet *set, size_t i,
                        AioParamsTried *tried, GError **error) {
  for (int t = 0; t < ARM_TERMS && !list; t++)
    if (term_of(set, i, t))
      tried->trial[t] = (ArmTermTrial){ARM_TERM_CHOSEN, NAN, NAN, NAN, 1};
  if (!list)
    return true;
  if (list->kind != AIO_JSON_ARRAY || aio_json_size(list) != ARM_TERMS)
    return aio_json_fail(list, "a list of two terms", error);
  for (int t = 0; t < ARM_TERMS; t++) {
    const AioJsonNode *node = aio_json_item(list, (gsize)t);
    if (!read_trial(node, (ArmFrictionTerm)t, &tried->trial[t], error) ||
        !check_trial(node, t, tried, term_of(set, i, t), error))
      return false;
  }
  return true;
}

static void add_constant(ArmParamSet *set, ArmParamKind kind, size_t i, double value) {
  ArmEstimate *e = arm_param_set_add_id(set, kind, i, 0);
  if (e)
    *e = (ArmEstimate){value, 0.0, value, true, ARM_REASON_NONE};
}

static bool read_loads(const AioJsonNode *list, ArmParamSet *set, ArmParamKind kind, size_t i,
                       GError **error) {
  double seen[2];
  if (list->kind != AIO_JSON_ARRAY || aio_json_size(list) != 2)
    return aio_json_fail(list, "the smallest and the largest load", error);
  for (gsize k = 0; k < 2; k++) {
    if (!aio_json_get_number(aio_json_item(list, k), &seen[k], error))
      return false;
    add_constant(set, (ArmParamKind)(kind + (int)k), i, seen[k]);
  }
  return (seen[0] >= 0.0 && seen[1] >= seen[0]) ||
         aio_json_fail(list, "sizes of loads, the smaller one first", error);
}

static bool read_speed(const AioJsonNode *node, ArmParamSet *set, ArmParamKind kind, size_t i,
                       GError **error) {
  double speed;
  if (!aio_json_get_number(node, &speed, error))
    return false;
  add_constant(set, kind, i, speed);
  return speed > 0.0 || aio_json_fail(node, "a speed above 0", error);
}

static bool read_sign(const AioJsonNode *node, ArmParamSet *set, ArmParamKind kind, size_t i,
                      GError **error) {
  gint64 sign;
  if (!aio_json_get_int(node, -1, 1, &sign, error))
    return false;
  add_constant(set, kind, i, (double)sign);
  return sign != 0 || aio_json_fail(node, "1 or -1", error);
}

static bool read_constant(const AioJsonNode *node, ArmParamSet *set, ArmParamKind kind, size_t i,
                          GError **error) {
  char key[AIO_PARAM_KEY];
  const AioJsonNode *value =
      aio_json_require(node, aio_params_constant_key(kind, set->type[i], key), error);
  if (!value)
    return false;
  switch (arm_param_info(kind)->form) {
  case ARM_AS_LOADS:
    return read_loads(value, set, kind, i, error);
  case ARM_AS_SPEED:
    return read_speed(value, set, kind, i, error);
  case ARM_AS_SIGN:
    return read_sign(value, set, kind, i, error);
  case ARM_AS_LOADS_END:
  case ARM_AS_ESTIMATE:
  case ARM_AS_LOAD_PART:
    break;
  }
  return true;
}

static bool is_part(double value) {
  return value >= 0.0 && value <= 1.0;
}

/* Friction is against the motion, and a gear that lost all of its load would not move. */
static bool check_part(const AioJsonNode *node, const ArmEstimate *part, GError **error) {
  const char *wrong = NULL;
  if (!is_part(part->identifiable ? part->used : fabs(part->used)))
    wrong = "used";
  if (part->identifiable && !is_part(part->value))
    wrong = "value";
  return !wrong ||
         aio_json_fail(aio_json_member(node, wrong), "a part of the load, from 0 to 1", error);
}

static bool check_parts(const AioJsonNode *node, const ArmMethod *method, const ArmParamSet *set,
                        size_t i, GError **error) {
  for (size_t k = 0; k < method->n; k++) {
    const ArmParamInfo *info = arm_param_info(method->params[k].kind);
    const ArmEstimate *e =
        arm_param_set_at(set, (ArmParamId){method->params[k].kind, (guchar)i, 0});
    if (info->form == ARM_AS_LOAD_PART && e &&
        !check_part(aio_json_member(node, info->key), e, error))
      return false;
  }
  return true;
}

/* ---- a joint's parameters, by the catalogue ---- */

/* Among `parameters` of a joint of this type. */
static bool is_own(const ArmMethod *method, size_t k, ArmJointType type) {
  const ArmParamKind kind = method->params[k].kind;
  const ArmParamInfo *info = arm_param_info(kind);
  return !info->list && !arm_param_is_constant(kind) &&
         (type == ARM_JOINT_R ? info->of_R : info->of_T);
}

/* Has a key of its own. */
static bool is_told_constant(const ArmMethod *method, size_t k) {
  const ArmParamKind kind = method->params[k].kind;
  return arm_param_is_constant(kind) && arm_param_info(kind)->form != ARM_AS_LOADS_END;
}

static bool has_owner(const ArmParamSet *set, ArmParamKind constant, size_t i) {
  const ArmParamInfo *info = arm_param_info(constant);
  return arm_param_set_at(set, (ArmParamId){info->belongs_to, (guchar)i, 0}) ||
         arm_param_set_at(set, (ArmParamId){info->or_to, (guchar)i, 0});
}

/* What says something of a term without the term: it has been lost. */
static bool check_alone(const AioJsonNode *node, const ArmMethod *method, const ArmParamSet *set,
                        size_t i, GError **error) {
  for (size_t k = 0; k < method->n; k++) {
    const ArmParamKind kind = method->params[k].kind;
    char key[AIO_PARAM_KEY];
    if (!is_told_constant(method, k) || has_owner(set, kind, i))
      continue;
    const AioJsonNode *member =
        aio_json_member(node, aio_params_constant_key(kind, set->type[i], key));
    if (member)
      return aio_json_fail_with(member, AIO_ERROR_MEANING, error,
                                "expected the friction term that it belongs to, found none");
  }
  return true;
}

/* What an older file has not is not there. */
static bool read_constants(const AioJsonNode *node, const ArmMethod *method, ArmParamSet *set,
                           size_t i, GError **error) {
  if (!check_alone(node, method, set, i, error) || !check_parts(node, method, set, i, error))
    return false;
  for (size_t k = 0; k < method->n; k++)
    if (is_told_constant(method, k) && has_owner(set, method->params[k].kind, i) &&
        !read_constant(node, set, method->params[k].kind, i, error))
      return false;
  return true;
}

static bool check_parameter_keys(const AioJsonNode *node, const ArmMethod *method,
                                 const ArmParamSet *set, size_t i, bool has_trials,
                                 GError **error) {
  char room[ARM_PARAM_KINDS][AIO_PARAM_KEY];
  const char *known[ARM_PARAM_KINDS + 2] = {NULL};
  size_t count = 0;
  for (size_t k = 0; k < method->n; k++)
    if (is_own(method, k, set->type[i]))
      known[count++] = aio_params_key(arm_param_key(method->params[k].kind), set, i, room[k]);
    else if (is_told_constant(method, k))
      known[count++] = aio_params_constant_key(method->params[k].kind, set->type[i], room[k]);
  if (has_trials)
    known[count] = "terms";
  return aio_json_check_keys(node, known, true, error);
}

static bool read_estimates(const AioJsonNode *node, const ArmMethod *method, ArmParamSet *set,
                           size_t i, GError **error) {
  for (size_t k = 0; k < method->n; k++) {
    char room[AIO_PARAM_KEY];
    const char *key = aio_params_key(arm_param_key(method->params[k].kind), set, i, room);
    if (!is_own(method, k, set->type[i]))
      continue;
    const AioJsonNode *item = method->params[k].is_optional ? aio_json_member(node, key)
                                                            : aio_json_require(node, key, error);
    ArmEstimate *e = item ? arm_param_set_add_id(set, method->params[k].kind, i, 0) : NULL;
    if (item ? !aio_params_read_estimate(item, e, error) : !method->params[k].is_optional)
      return false;
  }
  return true;
}

/* Of a method that does not tell what it tried there are no trials to agree with. */
static bool read_parameters(const AioJsonNode *node, const ArmMethod *method, ArmParamSet *set,
                            size_t i, AioParamsTried *tried, GError **error) {
  return check_parameter_keys(node, method, set, i, tried, error) &&
         read_estimates(node, method, set, i, error) &&
         read_constants(node, method, set, i, error) &&
         (!tried || read_trials(aio_json_member(node, "terms"), set, i, tried, error));
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
  *is_torque = strcmp(word, "torque") == 0;
  return true;
}

/* What was measured decides how keys are called. */
static bool check_joint_keys(const AioJsonNode *node, ArmParamSet *set, size_t i, GError **error) {
  char residual[AIO_PARAM_KEY], most[AIO_PARAM_KEY], sample[AIO_PARAM_KEY];
  if (!read_measured(node, &set->is_torque[i], error))
    return false;
  const char *const known[] = {"joint",
                               "type",
                               "rows_used",
                               "rows_excluded",
                               "columns",
                               "rank",
                               "cond_raw",
                               "cond_centred",
                               "cond_equilibrated",
                               aio_params_key("residual_sd_A", set, i, residual),
                               set->is_of_motion ? "r2_centred" : "r2",
                               aio_params_key("max_abs_A", set, i, most),
                               "lag1",
                               "widening",
                               "parameters",
                               "measured",
                               "misfit",
                               set->is_of_motion ? "samples" : NULL,
                               aio_params_key("sample_sd_A", set, i, sample),
                               NULL};
  return aio_json_check_keys(node, known, true, error);
}

bool aio_params_read_joint(const AioJsonNode *node, const ArmMethod *method, size_t i,
                           AioParamsTried *tried, ArmParamSet *set, GError **error) {
  const gint64 number = (gint64)i + 1;
  gint64 found;
  if (!check_joint_keys(node, set, i, error))
    return false;
  const AioJsonNode *which = aio_json_require(node, "joint", error);
  const AioJsonNode *kind = which ? aio_json_require(node, "type", error) : NULL;
  const AioJsonNode *parameters = kind ? aio_json_require(node, "parameters", error) : NULL;
  return parameters && aio_json_get_int(which, number, number, &found, error) &&
         check_type(kind, set->type[i], error) && read_rows(node, &set->joint[i], error) &&
         read_statistics(node, set, i, error) &&
         read_parameters(parameters, method, set, i, tried, error);
}
