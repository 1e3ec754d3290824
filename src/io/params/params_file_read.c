/* SPDX-License-Identifier: MIT */
/* A parameter file from anywhere, value by value, into a set that is thrown away on any error. The
 * covariance must cover what is called identifiable, or predictions would be surer than the data.
 */
#include "io/params/params_file.h"

#include <math.h>
#include <string.h>

#include "io/params/doubts_file.h"
#include "io/params/held_out.h"
#include "io/params/params_file_origin.h"
#include "io/params/params_set.h"
#include "io/params/verdict_file.h"

/* Of `fit`, and of no other: friction terms that were tried are not in a set. */
static bool take(const AioJsonNode *object, const ArmParamSet *set, const AioParamsTried *tried,
                 ArmGravityFit *fit, bool is_recursion, GError **error) {
  ArmJointFit *joints = is_recursion ? fit->recursive.joint : fit->refined.joint;
  for (size_t i = 0; i < set->n_joints; i++)
    memcpy(joints[i].trial, tried[i].trial, sizeof tried[i].trial);
  return arm_gravity_from_set(set, is_recursion ? &fit->recursive : &fit->refined) == ARM_OK ||
         aio_json_fail_with(object, AIO_ERROR_MEMORY, error, "not enough memory");
}

static bool read_recursive(const AioJsonNode *root, const ArmModel *model, const ArmParamSet *found,
                           ArmGravityFit *fit, GError **error) {
  static const char *const known[] = {"joints", "ratios", "clusters", NULL};
  const AioJsonNode *node = aio_json_member(root, "recursive");
  AioParamsTried tried[ARM_MAX_JOINTS] = {0};
  ArmParamSet set;
  if (!node)
    return true;
  if (!aio_json_check_keys(node, known, true, error) ||
      !aio_params_read_set(node, arm_gravity_method(), model,
                           aio_json_member(node, "clusters") ? NULL : found, false, tried, &set,
                           error))
    return false;
  const bool is_taken = take(node, &set, tried, fit, true, error);
  arm_param_set_clear(&set);
  return is_taken;
}

static bool read_refinement(const AioJsonNode *root, ArmGravityFit *fit, GError **error) {
  static const char *const known[] = {"iterations", "relative_gradient", "converged", NULL};
  const AioJsonNode *node = aio_json_member(root, "refinement");
  gint64 iterations;
  fit->relative_gradient = NAN;
  if (!node)
    return true;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *count = aio_json_require(node, "iterations", error);
  const AioJsonNode *gradient = count ? aio_json_require(node, "relative_gradient", error) : NULL;
  const AioJsonNode *flag = gradient ? aio_json_require(node, "converged", error) : NULL;
  if (!flag || !aio_json_get_int(count, 0, G_MAXINT32, &iterations, error) ||
      !aio_json_get_number_or_null(gradient, &fit->relative_gradient, error) ||
      !aio_json_get_bool(flag, &fit->is_converged, error))
    return false;
  fit->iterations = (size_t)iterations;
  return true;
}

static bool check_head(const AioJsonNode *root, GError **error) {
  const char *text;
  const AioJsonNode *format = aio_json_require(root, "format", error);
  if (!format || !aio_json_get_string(format, &text, error))
    return false;
  if (strcmp(text, "armature-parameters") != 0)
    return aio_json_fail(format, "\"armature-parameters\"", error);
  const AioJsonNode *version = aio_json_require(root, "version", error);
  gint64 number;
  if (!version || !aio_json_get_int(version, 1, G_MAXINT32, &number, error))
    return false;
  return number <= 2 ||
         aio_json_fail_with(version, AIO_ERROR_REFUSED, error,
                            "expected version 1 or 2, found %d: written by a newer program",
                            (int)number);
}

const AioJsonNode *aio_params_kind(const AioJsonNode *root, GError **error) {
  const char *text;
  const AioJsonNode *kind = check_head(root, error) ? aio_json_require(root, "kind", error) : NULL;
  return kind && aio_json_get_string(kind, &text, error) ? kind : NULL;
}

bool aio_params_check_format(const AioJsonNode *root, const ArmMethod *method, GError **error) {
  const AioJsonNode *kind = aio_params_kind(root, error);
  return kind && (strcmp(kind->string, method->key) == 0 ||
                  aio_json_fail_with(kind, AIO_ERROR_REFUSED, error,
                                     "expected parameters of kind \"%s\", found \"%s\"",
                                     method->key, kind->string));
}

/* A reader of version 1 would leave friction terms out of its predictions. */
static bool check_version(const AioJsonNode *root, const ArmGravityFit *fit, GError **error) {
  const AioJsonNode *version = aio_json_member(root, "version");
  bool has_terms = false;
  for (size_t i = 0; i < fit->refined.n; i++)
    for (int t = 0; t < ARM_TERMS; t++)
      has_terms |= fit->refined.joint[i].has_term[t] || fit->recursive.joint[i].has_term[t];
  return !has_terms || version->number >= 2.0 ||
         aio_json_fail(version, "2, as the file has friction terms", error);
}

/* Files that no session wrote have none. */
static bool read_held_out(const AioJsonNode *root, const ArmParamSet *set, AioParams *params,
                          GError **error) {
  const AioJsonNode *node = aio_json_member(root, "validation");
  if (!node)
    return true;
  params->held_out = aio_held_out_list_new();
  return aio_held_out_read(node, set, params->held_out, error);
}

/* What the set says, and what a gravity fit says besides. */
static bool read_fit(const AioJsonNode *root, const ArmModel *model, AioParams *params,
                     ArmParamSet *set, GError **error) {
  AioParamsTried tried[ARM_MAX_JOINTS] = {0};
  if (!aio_params_read_set(root, arm_gravity_method(), model, NULL, true, tried, set, error))
    return false;
  memcpy(params->is_torque, set->is_torque, sizeof params->is_torque);
  return take(root, set, tried, &params->fit, false, error) &&
         read_refinement(root, &params->fit, error) &&
         aio_verdict_read(root, params->fit.refined.n, &params->fit.verdict, error) &&
         aio_doubts_read(root, params->fit.refined.n, &params->fit.doubts, error) &&
         read_held_out(root, set, params, error) &&
         read_recursive(root, model, set, &params->fit, error) &&
         check_version(root, &params->fit, error) && aio_params_check_units(root, set, error);
}

static bool read_root(const AioJsonNode *root, const ArmModel *model, AioParams *params,
                      GError **error) {
  static const char *const known[] = {
      "format",   "version",    "kind",      "arm",        "program", "joints",     "ratios",
      "clusters", "covariance", "recursive", "refinement", "units",   "provenance", "digest",
      "verdict",  "warnings",   "doubts",    "validation", NULL};
  ArmParamSet set = {0};
  const bool is_read =
      aio_params_check_format(root, arm_gravity_method(), error) &&
      aio_json_check_keys(root, known, true, error) &&
      aio_params_read_arm(root, &params->arm_name, &params->arm_digest, &params->program, error) &&
      read_fit(root, model, params, &set, error) &&
      aio_params_read_provenance(root, &params->provenance, error) &&
      aio_params_read_digest(root, &params->digest, &params->stated_digest, error);
  arm_param_set_clear(&set);
  return is_read;
}

static AioParams *params_from(AioJson *json, const ArmModel *model, GError **error) {
  if (!json)
    return NULL;
  AioParams *params = g_new0(AioParams, 1);
  if (!read_root(aio_json_root(json), model, params, error)) {
    aio_params_free(params);
    params = NULL;
  }
  aio_json_free(json);
  return params;
}

AioParams *aio_params_load_bytes(const char *name, const char *bytes, gsize length,
                                 const ArmModel *model, GError **error) {
  return params_from(aio_json_parse(name, bytes, length, error), model, error);
}

static bool check_found_keys(const AioJsonNode *root, const ArmMethod *method, GError **error) {
  static const char *const always[] = {"format",     "version", "kind",  "arm",
                                       "program",    "joints",  "units", "covariance",
                                       "provenance", "digest",  NULL};
  const char *known[ARM_PARAM_KINDS + G_N_ELEMENTS(always) + 1] = {NULL};
  size_t n = 0;
  for (; always[n]; n++)
    known[n] = always[n];
  for (size_t k = 0; k < method->n; k++)
    if (aio_params_begins_list(method, k))
      known[n++] = arm_param_info(method->params[k].kind)->list;
  if (method->lists_clusters)
    known[n] = "clusters";
  return aio_json_check_keys(root, known, true, error);
}

bool aio_params_load_found(const char *name, const char *bytes, gsize length,
                           const ArmMethod *method, const ArmModel *model, ArmParamSet *found,
                           GError **error) {
  AioJson *json = aio_json_parse(name, bytes, length, error);
  const AioJsonNode *root = json ? aio_json_root(json) : NULL;
  ArmParamSet set = {0};
  const bool is_read = root && aio_params_check_format(root, method, error) &&
                       check_found_keys(root, method, error) &&
                       aio_params_read_set(root, method, model, NULL, true, NULL, &set, error) &&
                       aio_params_check_units(root, &set, error);
  if (is_read)
    *found = set;
  else
    arm_param_set_clear(&set);
  aio_json_free(json);
  return is_read;
}

AioParams *aio_params_load(const char *path, const ArmModel *model, GError **error) {
  return params_from(aio_json_load(path, error), model, error);
}

void aio_params_free(AioParams *params) {
  if (!params)
    return;
  arm_gravity_fit_clear(&params->fit);
  g_free(params->arm_name);
  g_free(params->arm_digest);
  g_free(params->program);
  g_free(params->digest);
  g_free(params->stated_digest);
  aio_provenance_free(params->provenance);
  if (params->held_out)
    g_ptr_array_unref(params->held_out);
  g_free(params);
}
