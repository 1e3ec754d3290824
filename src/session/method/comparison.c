/* SPDX-License-Identifier: MIT */
/* The sd of a difference is sqrt(sd^2 + sd^2), as two calibrations share no sample. A friction term
 * that only one of both has is compared with 0, exactly known: so is what a fit without it says. */
#include "session/method/comparison.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/json/json_read.h"
#include "io/store/store.h"

/* ---- reading ---- */

/* A parameter file names the type of each joint; that is all of the arm that it takes to read it.
 */
AioParams *ase_comparison_read(const char *name, const char *text, gsize length, GError **error) {
  AioJson *json = aio_json_parse(name, text, length, error);
  if (!json)
    return NULL;
  ArmModel *model = g_new0(ArmModel, 1);
  const AioJsonNode *joints = aio_json_member(aio_json_root(json), "joints");
  for (gsize j = 0; joints && j < MIN(aio_json_size(joints), ARM_MAX_JOINTS); j++) {
    const AioJsonNode *type = aio_json_member(aio_json_item(joints, j), "type");
    const bool is_T = type && type->kind == AIO_JSON_STRING && strcmp(type->string, "T") == 0;
    model->joints[model->n++].type = is_T ? ARM_JOINT_T : ARM_JOINT_R;
  }
  AioParams *params = aio_params_load_bytes(name, text, length, model, error);
  g_free(model);
  aio_json_free(json);
  return params;
}

static bool keep_parameters(const AioStoreFit *row, void *data) {
  char **text = data;
  g_free(*text);
  *text = g_strdup(row->parameters);
  return true;
}

static AioParams *load_session(const char *path, GError **error) {
  AioStore *store = aio_store_open_read(path, error);
  char *text = NULL;
  const bool is_read = store && aio_store_each_fit(store, keep_parameters, &text, error);
  AioParams *params = is_read && text ? ase_comparison_read(path, text, strlen(text), error) : NULL;
  if (is_read && !text)
    g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND, _("%s: there is no fit in this session"),
                path);
  aio_store_close(store, NULL);
  g_free(text);
  return params;
}

AioParams *ase_comparison_load(const char *path, GError **error) {
  if (aio_store_is_session(path))
    return load_session(path, error);
  AioJson *json = aio_json_load(path, error);
  if (!json)
    return NULL;
  gsize length;
  const char *bytes = aio_json_bytes(json, &length);
  AioParams *params = ase_comparison_read(path, bytes, length, error);
  aio_json_free(json);
  return params;
}

/* ---- comparing ---- */

static bool is_same_arm(const ArmGravityParameters *a, const ArmGravityParameters *b) {
  bool is_same = a->n == b->n;
  for (size_t j = 0; is_same && j < a->n; j++)
    is_same = a->type[j] == b->type[j];
  return is_same;
}

static bool is_term(ArmParamId id) {
  return id.kind == ARM_PARAM_LOAD || id.kind == ARM_PARAM_CURVE;
}

static bool has_term(const ArmGravityParameters *parameters, ArmParamId id) {
  return parameters->joint[id.i].has_term[id.kind - ARM_PARAM_LOAD];
}

/* arm_gravity_parameters_at changes nothing; it gives a place to write to. A friction term that a
 * joint has not is exactly 0. */
static ArmEstimate at(const ArmGravityParameters *parameters, ArmParamId id) {
  if (is_term(id) && !has_term(parameters, id))
    return (ArmEstimate){0.0, 0.0, 0.0, true, ARM_REASON_NONE};
  return *arm_gravity_parameters_at((ArmGravityParameters *)parameters, id);
}

/* Of `now`, and the friction terms that only `before` has. */
static GArray *list_both(const ArmGravityParameters *before, const ArmGravityParameters *now) {
  ArmGravityParameters *both = g_memdup2(now, sizeof *now); /* only looked at */
  for (size_t j = 0; j < now->n; j++)
    for (int t = 0; t < ARM_TERMS; t++)
      both->joint[j].has_term[t] |= before->joint[j].has_term[t];
  GArray *ids = aio_params_list(both);
  g_free(both);
  return ids;
}

/* Two curves that end at different speeds are no two values of one parameter. */
static bool is_one_parameter(const ArmGravityParameters *a, const ArmGravityParameters *b,
                             ArmParamId id) {
  return id.kind != ARM_PARAM_CURVE || !has_term(a, id) || !has_term(b, id) ||
         a->joint[id.i].curve_speed == b->joint[id.i].curve_speed;
}

GArray *ase_comparison_new(const ArmGravityParameters *before, const ArmGravityParameters *now,
                           GError **error) {
  if (!is_same_arm(before, now)) {
    g_set_error_literal(error, AIO_ERROR, AIO_ERROR_REFUSED,
                        _("the file is of another arm: number or type of the joints differ"));
    return NULL;
  }
  GArray *differences = g_array_new(FALSE, FALSE, sizeof(AseDifference));
  GArray *ids = list_both(before, now);
  for (guint k = 0; k < ids->len; k++) {
    const ArmParamId id = g_array_index(ids, ArmParamId, k);
    AseDifference d = {id, at(before, id), at(now, id), (double)NAN, (double)NAN};
    if (d.before.identifiable && d.now.identifiable && is_one_parameter(before, now, id)) {
      d.difference = d.now.value - d.before.value;
      d.sds = d.difference == 0.0 ? 0.0 : d.difference / hypot(d.before.sd, d.now.sd);
    }
    g_array_append_val(differences, d);
  }
  g_array_unref(ids);
  return differences;
}
