/* SPDX-License-Identifier: MIT */
/* A parameter file from anywhere, value by value, into a set that is thrown away on any error. The
 * covariance must cover what is called identifiable, or predictions would be surer than the data.
 */
#include "io/params/params_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/json/digest.h"
#include "io/params/doubts_file.h"
#include "io/params/params_file_joint.h"
#include "io/params/params_file_origin.h"
#include "io/params/verdict_file.h"

static const AioJsonNode *require_array(const AioJsonNode *object, const char *key,
                                        GError **error) {
  const AioJsonNode *array = aio_json_require(object, key, error);
  return array && aio_json_require_kind(array, AIO_JSON_ARRAY, error) ? array : NULL;
}

static bool read_joints(const AioJsonNode *object, const ArmModel *model, ArmGravityParameters *out,
                        bool *is_torque, GError **error) {
  const AioJsonNode *joints = require_array(object, "joints", error);
  if (!joints)
    return false;
  if (aio_json_size(joints) != model->n)
    return aio_json_fail_with(joints, AIO_ERROR_MEANING, error,
                              "expected the %" G_GSIZE_FORMAT
                              " joints of the arm, found %" G_GSIZE_FORMAT,
                              model->n, aio_json_size(joints));
  out->n = model->n;
  for (size_t i = 0; i < model->n; i++) {
    out->type[i] = model->joints[i].type;
    if (!aio_params_read_joint(aio_json_item(joints, i), i + 1, out->type[i], &out->joint[i],
                               is_torque ? &is_torque[i] : NULL, error))
      return false;
  }
  return true;
}

static bool read_cluster(const AioJsonNode *list, ArmGravityParameters *out, GError **error) {
  if (list->kind != AIO_JSON_ARRAY || aio_json_size(list) == 0)
    return aio_json_fail(list, "a list of joints", error);
  for (gsize k = 0; k < aio_json_size(list); k++) {
    const AioJsonNode *item = aio_json_item(list, k);
    gint64 joint;
    if (!aio_json_get_int(item, 1, (gint64)out->n, &joint, error))
      return false;
    if (out->cluster[joint - 1] >= 0)
      return aio_json_fail(item, "each joint in one cluster only", error);
    out->cluster[joint - 1] = (int)out->n_clusters;
  }
  out->n_clusters++;
  return true;
}

static bool read_clusters(const AioJsonNode *object, ArmGravityParameters *out, GError **error) {
  const AioJsonNode *clusters = require_array(object, "clusters", error);
  if (!clusters)
    return false;
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++)
    out->cluster[i] = -1;
  for (gsize k = 0; k < aio_json_size(clusters); k++)
    if (!read_cluster(aio_json_item(clusters, k), out, error))
      return false;
  return true;
}

static bool is_pair(const ArmGravityParameters *p, size_t i, size_t j) {
  return i < j && p->cluster[i] >= 0 && p->cluster[i] == p->cluster[j];
}

typedef struct {
  bool at[ARM_MAX_JOINTS][ARM_MAX_JOINTS];
} Pairs;

static bool read_ratio(const AioJsonNode *node, ArmGravityParameters *out, Pairs *seen,
                       GError **error) {
  static const char *const known[] = {"i", "j", "estimate", NULL};
  gint64 i, j, n = (gint64)out->n;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  const AioJsonNode *first = aio_json_require(node, "i", error);
  const AioJsonNode *second = first ? aio_json_require(node, "j", error) : NULL;
  const AioJsonNode *estimate = second ? aio_json_require(node, "estimate", error) : NULL;
  if (!estimate || !aio_json_get_int(first, 1, n, &i, error) ||
      !aio_json_get_int(second, 1, n, &j, error))
    return false;
  if (!is_pair(out, (size_t)i - 1, (size_t)j - 1))
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              "expected two joints i < j of one cluster, found %d and %d", (int)i,
                              (int)j);
  if (seen->at[i - 1][j - 1])
    return aio_json_fail_with(node, AIO_ERROR_MEANING, error,
                              "expected each pair once, found %d and %d again", (int)i, (int)j);
  seen->at[i - 1][j - 1] = true;
  return aio_params_read_estimate(estimate, &out->ratio[i - 1][j - 1], error);
}

static bool read_ratios(const AioJsonNode *object, ArmGravityParameters *out, GError **error) {
  Pairs seen = {0};
  const AioJsonNode *ratios = require_array(object, "ratios", error);
  if (!ratios)
    return false;
  for (gsize k = 0; k < aio_json_size(ratios); k++)
    if (!read_ratio(aio_json_item(ratios, k), out, &seen, error))
      return false;
  for (size_t i = 0; i < out->n; i++)
    for (size_t j = i + 1; j < out->n; j++)
      if (is_pair(out, i, j) && !seen.at[i][j])
        return aio_json_fail_with(ratios, AIO_ERROR_MEANING, error,
                                  "expected every pair inside a cluster, found none for %d and %d",
                                  (int)i + 1, (int)j + 1);
  return true;
}

static bool is_meaningful(const ArmGravityParameters *p, ArmParamId id) {
  switch (id.kind) {
  case ARM_PARAM_KX:
  case ARM_PARAM_KY:
    return p->type[id.i] == ARM_JOINT_R;
  case ARM_PARAM_MHAT:
    return p->type[id.i] == ARM_JOINT_T;
  case ARM_PARAM_ACCELERATION:
    return p->joint[id.i].has_acceleration;
  case ARM_PARAM_LOAD:
  case ARM_PARAM_CURVE:
    return p->joint[id.i].has_term[id.kind - ARM_PARAM_LOAD];
  case ARM_PARAM_RATIO:
    return is_pair(p, id.i, id.j);
  case ARM_PARAM_COULOMB_POS:
  case ARM_PARAM_VISCOUS_POS:
  case ARM_PARAM_COULOMB_NEG:
  case ARM_PARAM_VISCOUS_NEG:
    return true;
  case ARM_PARAM_KINDS:
    break;
  }
  return false;
}

static bool has_id(const ArmGravityParameters *p, ArmParamId id) {
  for (size_t k = 0; k < p->n_ids; k++)
    if (p->ids[k].kind == id.kind && p->ids[k].i == id.i && p->ids[k].j == id.j)
      return true;
  return false;
}

static bool read_names(const AioJsonNode *names, ArmGravityParameters *out, GError **error) {
  size_t most = (7 + ARM_TERMS) * out->n + out->n * (out->n - 1) / 2;
  out->ids = calloc(most, sizeof *out->ids);
  if (!out->ids)
    return aio_json_fail_with(names, AIO_ERROR_MEMORY, error, "not enough memory");
  for (gsize k = 0; k < aio_json_size(names); k++) {
    const AioJsonNode *item = aio_json_item(names, k);
    const char *name;
    ArmParamId id;
    if (!aio_json_get_string(item, &name, error))
      return false;
    if (!aio_params_parse_name(name, out->n, &id) || !is_meaningful(out, id))
      return aio_json_fail(
          item, "the name of a parameter of this file, such as \"coulomb_pos_A_1\"", error);
    if (has_id(out, id))
      return aio_json_fail(item, "each name once", error);
    out->ids[out->n_ids++] = id;
  }
  return true;
}

static bool read_lower(const AioJsonNode *lower, ArmGravityParameters *out, GError **error) {
  size_t m = out->n_ids, count = m * (m + 1) / 2;
  if (aio_json_size(lower) != count)
    return aio_json_fail_with(lower, AIO_ERROR_MEANING, error,
                              "expected %" G_GSIZE_FORMAT
                              " numbers, the lower triangle of %" G_GSIZE_FORMAT
                              " names, found %" G_GSIZE_FORMAT,
                              count, m, aio_json_size(lower));
  out->covariance = calloc(m * m + 1, sizeof *out->covariance);
  if (!out->covariance)
    return aio_json_fail_with(lower, AIO_ERROR_MEMORY, error, "not enough memory");
  for (size_t row = 0, k = 0; row < m; row++) {
    for (size_t column = 0; column <= row; column++, k++) {
      const AioJsonNode *item = aio_json_item(lower, k);
      double number;
      if (!aio_json_get_number(item, &number, error))
        return false;
      if (row == column && number < 0.0)
        return aio_json_fail(item, "a variance, not negative", error);
      out->covariance[row + column * m] = out->covariance[column + row * m] = number;
    }
  }
  return true;
}

/* What is called identifiable must have its place in the covariance, or predictions would be
 * surer than the data. */
static bool check_covered(const AioJsonNode *names, ArmGravityParameters *p, GError **error) {
  for (int kind = 0; kind < ARM_PARAM_KINDS; kind++) {
    for (size_t i = 0; i < p->n; i++) {
      size_t last = kind == ARM_PARAM_RATIO ? p->n : 1;
      for (size_t j = 0; j < last; j++) {
        ArmParamId id = {(ArmParamKind)kind, (unsigned char)i, (unsigned char)j};
        if (!is_meaningful(p, id) || !arm_gravity_parameters_at(p, id)->identifiable ||
            has_id(p, id))
          continue;
        char *name = aio_params_name(id);
        aio_json_fail_with(names, AIO_ERROR_MEANING, error,
                           "expected every identifiable parameter, found no \"%s\"", name);
        g_free(name);
        return false;
      }
    }
  }
  return true;
}

static bool read_covariance(const AioJsonNode *object, ArmGravityParameters *out, GError **error) {
  static const char *const known[] = {"names", "lower", NULL};
  const AioJsonNode *covariance = aio_json_require(object, "covariance", error);
  if (!covariance || !aio_json_check_keys(covariance, known, true, error))
    return false;
  const AioJsonNode *names = require_array(covariance, "names", error);
  const AioJsonNode *lower = names ? require_array(covariance, "lower", error) : NULL;
  return lower && read_names(names, out, error) && read_lower(lower, out, error) &&
         check_covered(names, out, error);
}

static bool read_set(const AioJsonNode *object, const ArmModel *model, ArmGravityParameters *out,
                     bool *is_torque, GError **error) {
  return read_joints(object, model, out, is_torque, error) && read_clusters(object, out, error) &&
         read_ratios(object, out, error);
}

static bool read_recursive(const AioJsonNode *root, const ArmModel *model, ArmGravityFit *fit,
                           GError **error) {
  static const char *const known[] = {"joints", "ratios", "clusters", NULL};
  const AioJsonNode *node = aio_json_member(root, "recursive");
  if (!node)
    return true;
  if (!aio_json_check_keys(node, known, true, error))
    return false;
  if (aio_json_member(node, "clusters"))
    return read_set(node, model, &fit->recursive, NULL, error);
  if (!read_joints(node, model, &fit->recursive, NULL, error))
    return false;
  memcpy(fit->recursive.cluster, fit->refined.cluster, sizeof fit->refined.cluster);
  fit->recursive.n_clusters = fit->refined.n_clusters;
  return read_ratios(node, &fit->recursive, error);
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

static bool read_text(const AioJsonNode *node, char **out, GError **error) {
  const char *text = NULL;
  if (node->kind != AIO_JSON_NULL && !aio_json_get_string(node, &text, error))
    return false;
  *out = g_strdup(text);
  return true;
}

static bool read_arm(const AioJsonNode *root, AioParams *params, GError **error) {
  static const char *const known[] = {"name", "digest", NULL};
  const AioJsonNode *arm = aio_json_require(root, "arm", error);
  if (!arm || !aio_json_check_keys(arm, known, true, error))
    return false;
  const AioJsonNode *name = aio_json_require(arm, "name", error);
  const AioJsonNode *digest = name ? aio_json_require(arm, "digest", error) : NULL;
  const AioJsonNode *program = aio_json_member(root, "program");
  return digest && read_text(name, &params->arm_name, error) &&
         read_text(digest, &params->arm_digest, error) &&
         (!program || read_text(program, &params->program, error));
}

/* Is this a parameter file at all, of a version and kind that can be read here? */
static bool check_format(const AioJsonNode *root, GError **error) {
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
  if (number > 2)
    return aio_json_fail_with(version, AIO_ERROR_REFUSED, error,
                              "expected version 1 or 2, found %d: written by a newer program",
                              (int)number);
  const AioJsonNode *kind = aio_json_require(root, "kind", error);
  if (!kind || !aio_json_get_string(kind, &text, error))
    return false;
  return strcmp(text, "gravity") == 0 ||
         aio_json_fail_with(kind, AIO_ERROR_REFUSED, error,
                            "expected parameters of kind \"gravity\", found \"%s\"", text);
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

/* What the file says of itself, and what it is. */
static bool read_digest(const AioJsonNode *root, AioParams *params, GError **error) {
  const AioJsonNode *stated = aio_json_member(root, "digest");
  params->digest = aio_json_digest(root, "digest");
  return !stated || read_text(stated, &params->stated_digest, error);
}

static bool read_root(const AioJsonNode *root, const ArmModel *model, AioParams *params,
                      GError **error) {
  static const char *const known[] = {
      "format",     "version",  "kind",       "arm",       "program",    "joints",
      "ratios",     "clusters", "covariance", "recursive", "refinement", "units",
      "provenance", "digest",   "verdict",    "warnings",  "doubts",     NULL};
  return check_format(root, error) && aio_json_check_keys(root, known, true, error) &&
         read_arm(root, params, error) &&
         read_set(root, model, &params->fit.refined, params->is_torque, error) &&
         read_covariance(root, &params->fit.refined, error) &&
         read_refinement(root, &params->fit, error) &&
         aio_verdict_read(root, params->fit.refined.n, &params->fit.verdict, error) &&
         aio_doubts_read(root, params->fit.refined.n, &params->fit.doubts, error) &&
         read_recursive(root, model, &params->fit, error) &&
         check_version(root, &params->fit, error) && aio_params_check_units(root, params, error) &&
         aio_params_read_provenance(root, &params->provenance, error) &&
         read_digest(root, params, error);
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
  g_free(params);
}
