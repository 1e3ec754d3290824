/* SPDX-License-Identifier: MIT */
/* A file of kind "dynamics" from anywhere, value by value, into a struct that is thrown away on any
 * error. Links must be as many as the arm has; what says "consistent" is checked by nobody here. */
#include <math.h>
#include <string.h>

#include "io/params/dynamics_file.h"
#include "io/params/params_file_origin.h"
#include "io/params/params_set.h"

/* ---- words ---- */

static bool read_word(const AioJsonNode *node, const char *const *words, gsize n,
                      const char *expected, int *out, GError **error) {
  const char *word;
  if (!node || !aio_json_get_string(node, &word, error))
    return false;
  for (gsize k = 0; k < n; k++)
    if (strcmp(word, words[k]) == 0) {
      *out = (int)k;
      return true;
    }
  return aio_json_fail(node, expected, error);
}

static bool read_verdict(const AioJsonNode *object, ArmVerdictKind *verdict, GError **error) {
  const char *words[ARM_VERDICT_MISFIT + 1];
  int found = 0;
  for (int k = ARM_VERDICT_FITS; k <= ARM_VERDICT_MISFIT; k++)
    words[k] = arm_verdict_key((ArmVerdictKind)k);
  if (!read_word(aio_json_require(object, "verdict", error), words, G_N_ELEMENTS(words),
                 "\"fits\", \"misfit\" or \"unknown\"", &found, error))
    return false;
  *verdict = (ArmVerdictKind)found;
  return true;
}

/* Of a joint, or null: 0. */
static bool read_joint_or_null(const AioJsonNode *object, gsize n, gint64 *joint, GError **error) {
  const AioJsonNode *node = aio_json_require(object, "joint", error);
  *joint = 0;
  return node &&
         (node->kind == AIO_JSON_NULL || aio_json_get_int(node, 1, (gint64)n, joint, error));
}

static const AioJsonNode *require_list(const AioJsonNode *object, const char *key, GError **error) {
  const AioJsonNode *list = aio_json_require(object, key, error);
  return list && aio_json_require_kind(list, AIO_JSON_ARRAY, error) ? list : NULL;
}

/* ---- head ---- */

static bool read_gauge(const AioJsonNode *root, gsize n, AioDynamics *dynamics, GError **error) {
  static const char *const known[] = {"kind", "joint", NULL};
  const char *words[AIO_GAUGES];
  const AioJsonNode *node = aio_json_require(root, "gauge", error);
  gint64 joint;
  int found = 0;
  for (int k = 0; k < AIO_GAUGES; k++)
    words[k] = aio_gauge_key((AioGauge)k);
  if (!node || !aio_json_check_keys(node, known, true, error) ||
      !read_word(aio_json_require(node, "kind", error), words, AIO_GAUGES,
                 "\"datasheet\", \"reference\", \"torque\" or \"known-load\"", &found, error) ||
      !read_joint_or_null(node, n, &joint, error))
    return false;
  dynamics->gauge = (AioGauge)found;
  dynamics->gauge_joint = (int)joint - 1;
  dynamics->found.is_scale_stated = dynamics->gauge == AIO_GAUGE_DATASHEET;
  for (gsize j = 0; j < n; j++) /* of a group with a torque the scale was measured */
    dynamics->found.is_scale_stated &= !dynamics->found.is_torque[j];
  return true;
}

static bool read_warnings(const AioJsonNode *root, gsize n, AioDynamics *dynamics, GError **error) {
  static const char *const known[] = {"code", "joint", "message", NULL};
  const AioJsonNode *list = require_list(root, "warnings", error);
  for (gsize k = 0; list && k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    const char *code, *message;
    gint64 joint;
    if (!aio_json_check_keys(item, known, true, error))
      return false;
    const AioJsonNode *of = aio_json_require(item, "code", error);
    const AioJsonNode *text = of ? aio_json_require(item, "message", error) : NULL;
    if (!text || !aio_json_get_string(of, &code, error) ||
        !aio_json_get_string(text, &message, error) || !read_joint_or_null(item, n, &joint, error))
      return false;
    aio_dynamics_warn(dynamics, code, (gsize)joint, message);
  }
  return list != NULL;
}

/* ---- joints ---- */

static bool read_samples(const AioJsonNode *joint, gsize *samples, GError **error) {
  const char *known[ARM_DYN_USES + 1] = {NULL};
  const AioJsonNode *node = aio_json_member(joint, "samples");
  for (int use = 0; use < ARM_DYN_USES; use++)
    known[use] = arm_dyn_use_key((ArmDynUse)use);
  if (!node)
    return true;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  for (int use = 0; use < ARM_DYN_USES; use++) {
    const AioJsonNode *count = aio_json_member(node, known[use]);
    gint64 number = 0;
    if (count && !aio_json_get_int(count, 0, (gint64)1 << 52, &number, error))
      return false;
    samples[use] = (gsize)number;
  }
  return true;
}

/* Files of before have none. */
static bool read_sample_sd(const AioJsonNode *joint, const ArmParamSet *set, gsize i, double *sd,
                           GError **error) {
  char room[AIO_PARAM_KEY];
  const AioJsonNode *node = aio_json_member(joint, aio_params_key("sample_sd_A", set, i, room));
  if (!node)
    return true;
  if (!aio_json_get_number_or_null(node, sd, error))
    return false;
  return !(*sd < 0) || aio_json_fail(node, "a standard deviation, not negative, or null", error);
}

/* Its sizes are those of `validation`, and what strokes would tell. */
static bool read_misfit(const AioJsonNode *joint, ArmVerdictKind *verdict, double *p,
                        GError **error) {
  const AioJsonNode *node = aio_json_member(joint, "misfit");
  if (!node)
    return true;
  if (!aio_json_require_kind(node, AIO_JSON_OBJECT, error) || !read_verdict(node, verdict, error))
    return false;
  const AioJsonNode *chance = aio_json_member(node, "p");
  if (!chance)
    return true;
  if (!aio_json_get_number_or_null(chance, p, error))
    return false;
  return !(*p < 0 || *p > 1) || aio_json_fail(chance, "a probability, or null", error);
}

/* The set was read: they are as many as the arm has. */
static bool read_joints(const AioJsonNode *root, AioDynamics *dynamics, GError **error) {
  const AioJsonNode *joints = aio_json_member(root, "joints");
  for (gsize i = 0; i < dynamics->found.n_joints; i++) {
    const AioJsonNode *joint = aio_json_item(joints, i);
    if (!read_samples(joint, dynamics->samples[i], error) ||
        !read_sample_sd(joint, &dynamics->found, i, &dynamics->sample_sd[i], error) ||
        !read_misfit(joint, &dynamics->joint_verdict[i], &dynamics->p[i], error))
      return false;
  }
  return true;
}

/* ---- links ---- */

static bool read_numbers(const AioJsonNode *object, const char *key, gsize n, double *out,
                         GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_numbers(node, n, out, error);
}

/* null and a missing list: not known. */
static bool read_sds(const AioJsonNode *object, const char *key, double *out, GError **error) {
  const AioJsonNode *list = aio_json_member(object, key);
  for (gsize k = 0; k < ARM_INERTIA_PARAMETERS; k++)
    out[k] = NAN;
  if (!list)
    return true;
  if (list->kind != AIO_JSON_ARRAY || aio_json_size(list) != ARM_INERTIA_PARAMETERS)
    return aio_json_fail(list, "a list of ten standard deviations", error);
  for (gsize k = 0; k < ARM_INERTIA_PARAMETERS; k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    if (!aio_json_get_number_or_null(item, &out[k], error))
      return false;
    if (out[k] < 0)
      return aio_json_fail(item, "a standard deviation, not negative, or null", error);
  }
  return true;
}

static bool read_fate(const AioJsonNode *object, ArmNominalFate *fate, GError **error) {
  const char *words[ARM_NOMINAL_GUESSED + 1];
  const AioJsonNode *node = aio_json_member(object, "nominal");
  int found = ARM_NOMINAL_KNOWN;
  for (int k = 0; k <= ARM_NOMINAL_GUESSED; k++)
    words[k] = aio_nominal_key((ArmNominalFate)k);
  if (node && !read_word(node, words, G_N_ELEMENTS(words),
                         "\"known\", \"rounded\", \"repaired\" or \"guessed\"", &found, error))
    return false;
  *fate = (ArmNominalFate)found;
  return true;
}

static bool read_sd(const AioJsonNode *object, const char *key, double *sd, GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_number_or_null(node, sd, error) &&
         (!(*sd < 0) || aio_json_fail(node, "a standard deviation, not negative, or null", error));
}

/* Files of before have none, and arms whose rotors stand by themselves. */
static bool read_rotor(const AioJsonNode *object, ArmDynamicsRotor *rotor, GError **error) {
  const AioJsonNode *node = aio_json_member(object, "rotor_inertia");
  if (!node)
    return true;
  rotor->is_held = true;
  if (!aio_json_get_number(node, &rotor->inertia, error) ||
      !read_sd(object, "rotor_sd", &rotor->sd, error) ||
      !read_sd(object, "rotor_prior_sd", &rotor->prior_sd, error))
    return false;
  return rotor->inertia >= 0 || aio_json_fail(node, "an inertia, not negative", error);
}

static bool read_link(const AioJsonNode *node, gsize i, AioDynamicsLink *link, GError **error) {
  static const char *const known[] = {
      "joint", "mass_kg",  "com_m",         "inertia_com_kg_m2", "is_consistent",  "nominal",
      "sd",    "prior_sd", "rotor_inertia", "rotor_sd",          "rotor_prior_sd", NULL};
  gint64 number;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *of = aio_json_require(node, "joint", error);
  const AioJsonNode *flag = of ? aio_json_require(node, "is_consistent", error) : NULL;
  link->link.is_present = true;
  return flag && aio_json_get_int(of, (gint64)i + 1, (gint64)i + 1, &number, error) &&
         aio_json_get_bool(flag, &link->is_consistent, error) &&
         aio_json_require(node, "mass_kg", error) &&
         aio_json_get_number(aio_json_member(node, "mass_kg"), &link->link.mass_kg, error) &&
         read_numbers(node, "com_m", 3, link->link.com_m, error) &&
         read_numbers(node, "inertia_com_kg_m2", 6, link->link.inertia_com_kg_m2, error) &&
         read_fate(node, &link->fate, error) && read_sds(node, "sd", link->sd, error) &&
         read_sds(node, "prior_sd", link->prior_sd, error) && read_rotor(node, &link->rotor, error);
}

static bool read_completion(const AioJsonNode *root, AioDynamics *dynamics, GError **error) {
  static const char *const known[] = {"method", "reason", NULL};
  const char *methods[ARM_CONSISTENT_LOGCHOL + 1], *reasons[ARM_CONSISTENT_STALLED + 1];
  const AioJsonNode *node = aio_json_require(root, "completion", error);
  int method = 0, reason = 0;
  for (int k = 0; k <= ARM_CONSISTENT_LOGCHOL; k++)
    methods[k] = arm_consistent_method_key((ArmConsistentMethod)k);
  for (int k = 0; k <= ARM_CONSISTENT_STALLED; k++)
    reasons[k] = arm_consistent_reason_key((ArmConsistentReason)k);
  if (!node || !aio_json_check_keys(node, known, true, error) ||
      !read_word(aio_json_require(node, "method", error), methods, G_N_ELEMENTS(methods),
                 "the name of a method, such as \"logdet\"", &method, error) ||
      !read_word(aio_json_require(node, "reason", error), reasons, G_N_ELEMENTS(reasons),
                 "the reason for a method, such as \"trusted\"", &reason, error))
    return false;
  dynamics->completion = (ArmConsistentMethod)method;
  dynamics->completion_reason = (ArmConsistentReason)reason;
  return true;
}

static bool read_links(const AioJsonNode *root, AioDynamics *dynamics, GError **error) {
  const AioJsonNode *list = require_list(root, "links", error);
  const gsize n = dynamics->found.n_joints;
  if (!list)
    return false;
  if (aio_json_size(list) == 0)
    return true;
  if (aio_json_size(list) != n)
    return aio_json_fail_with(list, AIO_ERROR_MEANING, error,
                              "expected the %" G_GSIZE_FORMAT
                              " links of the arm, or none, found %" G_GSIZE_FORMAT,
                              n, aio_json_size(list));
  for (gsize i = 0; i < n; i++)
    if (!read_link(aio_json_item(list, i), i, &dynamics->link[i], error))
      return false;
  dynamics->has_links = true;
  return read_completion(root, dynamics, error);
}

/* ---- what was held out, what is weak ---- */

static bool read_held_out(const AioJsonNode *root, AioDynamics *dynamics, GError **error) {
  const AioJsonNode *list = aio_json_require(root, "validation", error);
  return list && aio_held_out_read(list, &dynamics->found, dynamics->held_out, error);
}

static bool read_weakest(const AioJsonNode *root, AioDynamics *dynamics, GError **error) {
  static const char *const known[] = {"direction", "motion", NULL};
  const AioJsonNode *list = aio_json_member(root, "weakest");
  if (list && !aio_json_require_kind(list, AIO_JSON_ARRAY, error))
    return false;
  for (gsize k = 0; list && k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    const char *direction, *motion;
    if (!aio_json_check_keys(item, known, true, error))
      return false;
    const AioJsonNode *of = aio_json_require(item, "direction", error);
    const AioJsonNode *by = of ? aio_json_require(item, "motion", error) : NULL;
    if (!by || !aio_json_get_string(of, &direction, error) ||
        !aio_json_get_string(by, &motion, error))
      return false;
    aio_dynamics_add_weakest(dynamics, direction, motion);
  }
  return true;
}

/* ---- all of it ---- */

/* A reader of version 1 would leave friction terms out of its predictions. */
static bool check_version(const AioJsonNode *root, const AioDynamics *dynamics, GError **error) {
  const AioJsonNode *version = aio_json_member(root, "version");
  return !aio_params_has_terms(&dynamics->found) || version->number >= 2 ||
         aio_json_fail(version, "2, as the file has friction terms", error);
}

static bool read_set(const AioJsonNode *root, const ArmModel *model, AioDynamics *dynamics,
                     GError **error) {
  AioParamsTried tried[ARM_MAX_JOINTS] = {0};
  if (!aio_params_read_set(root, arm_dynamics_method(), model, NULL, true, tried, &dynamics->found,
                           error))
    return false;
  for (gsize j = 0; j < ARM_MAX_JOINTS; j++)
    memcpy(dynamics->tried[j], tried[j].trial, sizeof tried[j].trial);
  return check_version(root, dynamics, error);
}

static bool read_root(const AioJsonNode *root, const ArmModel *model, AioDynamics *dynamics,
                      GError **error) {
  static const char *const known[] = {
      "format", "version",    "kind",       "arm",        "program", "provenance", "digest",
      "gauge",  "verdict",    "warnings",   "units",      "joints",  "base",       "eta",
      "links",  "completion", "validation", "covariance", "weakest", NULL};
  const ArmMethod *method = arm_dynamics_method();
  return aio_params_check_format(root, method, error) &&
         aio_json_check_keys(root, known, true, error) &&
         aio_params_read_arm(root, &dynamics->arm_name, &dynamics->arm_digest, &dynamics->program,
                             error) &&
         read_set(root, model, dynamics, error) &&
         aio_params_check_units(root, &dynamics->found, error) &&
         read_gauge(root, model->n, dynamics, error) &&
         read_verdict(root, &dynamics->verdict, error) &&
         read_warnings(root, model->n, dynamics, error) && read_joints(root, dynamics, error) &&
         read_links(root, dynamics, error) && read_held_out(root, dynamics, error) &&
         read_weakest(root, dynamics, error) &&
         aio_params_read_provenance(root, &dynamics->provenance, error) &&
         aio_params_read_digest(root, &dynamics->digest, &dynamics->stated_digest, error);
}

/* Takes json, which may be NULL: the error is set then. */
static AioDynamics *dynamics_from(AioJson *json, const ArmModel *model, GError **error) {
  AioDynamics *dynamics = json ? aio_dynamics_new() : NULL;
  if (dynamics && !read_root(aio_json_root(json), model, dynamics, error)) {
    aio_dynamics_free(dynamics);
    dynamics = NULL;
  }
  aio_json_free(json);
  return dynamics;
}

AioDynamics *aio_dynamics_load(const char *path, const ArmModel *model, GError **error) {
  return dynamics_from(aio_json_load(path, error), model, error);
}

AioDynamics *aio_dynamics_load_bytes(const char *name, const char *bytes, gsize length,
                                     const ArmModel *model, GError **error) {
  return dynamics_from(aio_json_parse(name, bytes, length, error), model, error);
}
