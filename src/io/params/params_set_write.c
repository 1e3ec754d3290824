/* SPDX-License-Identifier: MIT */
/* A set as parameter files have it: `joints`, the lists of the catalogue, `covariance`. Which
 * method it is of does not matter, but for what was tried of friction terms. */
#include <math.h>

#include "io/params/params_set.h"
#include "io/params/verdict_file.h"

static void write_estimate(AioJsonWriter *w, const char *key, const ArmEstimate *e) {
  bool has_reason = !e->identifiable && e->reason != ARM_REASON_NONE;
  aio_json_write_key(w, key);
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "value", e->value);
  aio_json_put_number(w, "sd", e->sd);
  aio_json_put_bool(w, "identifiable", e->identifiable);
  aio_json_put_number(w, "used", e->used);
  aio_json_put_string(w, "reason", has_reason ? arm_reason_text(e->reason) : NULL);
  aio_json_put_string(w, "reason_key", has_reason ? arm_reason_key(e->reason) : NULL);
  aio_json_write_end_object(w);
}

static void write_excluded(AioJsonWriter *w, const ArmJointStatistics *joint) {
  aio_json_write_key(w, "rows_excluded");
  aio_json_write_begin_flat_object(w);
  for (int use = ARM_ROW_USED + 1; use < ARM_ROW_REASONS; use++)
    if (joint->rows_by_use[use] > 0)
      aio_json_put_int(w, arm_row_use_key((ArmRowUse)use), (gint64)joint->rows_by_use[use]);
  aio_json_write_end_object(w);
}

static void write_trial(AioJsonWriter *w, ArmFrictionTerm term, const ArmTermTrial *trial) {
  const bool is_chosen = trial->outcome == ARM_TERM_CHOSEN;
  aio_json_write_begin_flat_object(w);
  aio_json_put_string(w, "name", arm_term_key(term));
  aio_json_put_bool(w, "offered", trial->outcome != ARM_TERM_NOT_OFFERED);
  aio_json_put_bool(w, "chosen", is_chosen);
  aio_json_put_number(w, "gain", trial->gain);
  aio_json_put_string(w, "reason", is_chosen ? NULL : arm_term_outcome_text(term, trial->outcome));
  aio_json_put_string(w, "reason_key", arm_term_outcome_key(trial->outcome));
  aio_json_write_end_object(w);
}

static double constant(const ArmParamSet *set, ArmParamKind kind, size_t joint) {
  const ArmEstimate *e = arm_param_set_at(set, (ArmParamId){kind, (guchar)joint, 0});
  return e ? e->value : (double)NAN;
}

static void write_constant(AioJsonWriter *w, const ArmParamSet *set, ArmParamKind kind, size_t i) {
  const double value = constant(set, kind, i);
  char key[AIO_PARAM_KEY];
  aio_params_constant_key(kind, set->type[i], key);
  switch (arm_param_info(kind)->form) {
  case ARM_AS_LOADS:
    aio_json_write_key(w, key);
    aio_json_write_begin_array(w);
    aio_json_write_number(w, value);
    aio_json_write_number(w, constant(set, (ArmParamKind)(kind + 1), i));
    aio_json_write_end_array(w);
    break;
  case ARM_AS_SPEED:
    aio_json_put_number(w, key, value);
    break;
  case ARM_AS_SIGN:
    aio_json_put_int(w, key, value < 0.0 ? -1 : 1);
    break;
  case ARM_AS_LOADS_END: /* in one list with the one before */
  case ARM_AS_ESTIMATE:
  case ARM_AS_LOAD_PART:
    break;
  }
}

/* Without them what they belong to predicts nothing. */
static void write_constants(AioJsonWriter *w, const ArmParamSet *set, size_t i) {
  for (int kind = 0; kind < ARM_PARAM_KINDS; kind++)
    if (arm_param_is_constant((ArmParamKind)kind) &&
        arm_param_set_at(set, (ArmParamId){(ArmParamKind)kind, (guchar)i, 0}))
      write_constant(w, set, (ArmParamKind)kind, i);
}

/* Only in a file in which some joint has a term: one without is as it was before there were any. */
static void write_trials(AioJsonWriter *w, const ArmTermTrial *trial) {
  aio_json_write_key(w, "terms");
  aio_json_write_begin_array(w);
  for (int t = 0; t < ARM_TERMS; t++)
    write_trial(w, (ArmFrictionTerm)t, &trial[t]);
  aio_json_write_end_array(w);
}

/* Of those among a joint's parameters, or in a list of joints. */
static void write_estimates(AioJsonWriter *w, const ArmParamSet *set, size_t i, const char *list) {
  char room[AIO_PARAM_KEY];
  for (size_t k = 0; k < set->n; k++) {
    const ArmParamInfo *info = arm_param_info(set->param[k].id.kind);
    if (set->param[k].id.i == i && info->scope == ARM_OF_JOINT && arm_param_set_is_listed(set, k) &&
        g_strcmp0(info->list, list) == 0)
      write_estimate(w, aio_params_key(info->key, set, i, room), &set->estimate[k]);
  }
}

static void write_joint(AioJsonWriter *w, const ArmParamSet *set, size_t i,
                        const AioParamsExtra *extra) {
  const ArmJointStatistics *joint = &set->joint[i];
  char room[AIO_PARAM_KEY];
  aio_json_write_begin_object(w);
  aio_json_put_int(w, "joint", (gint64)i + 1);
  aio_json_put_string(w, "type", set->type[i] == ARM_JOINT_R ? "R" : "T");
  aio_json_put_string(w, "measured", set->is_torque[i] ? "torque" : "current");
  aio_json_put_int(w, "rows_used", (gint64)joint->rows_used);
  write_excluded(w, joint);
  aio_json_put_int(w, "columns", (gint64)joint->columns);
  aio_json_put_int(w, "rank", (gint64)joint->rank);
  aio_json_put_number(w, "cond_raw", joint->cond_raw);
  aio_json_put_number(w, "cond_equilibrated", joint->cond_equilibrated);
  aio_json_put_number(w, "cond_centred", joint->cond_centred);
  aio_json_put_number(w, aio_params_key("residual_sd_A", set, i, room), joint->residual_sd);
  aio_json_put_number(w, set->is_of_motion ? "r2_centred" : "r2", joint->r2);
  aio_json_put_number(w, aio_params_key("max_abs_A", set, i, room), joint->max_abs);
  aio_json_put_number(w, "lag1", joint->lag1);
  aio_json_put_number(w, "widening", joint->widening);
  if (extra && extra->verdict)
    aio_verdict_write_joint(w, extra->verdict, i);
  if (extra && extra->write_joint)
    extra->write_joint(w, i, extra->of);
  aio_json_write_key(w, "parameters");
  aio_json_write_begin_object(w);
  write_estimates(w, set, i, NULL);
  write_constants(w, set, i);
  if (extra && extra->tried)
    write_trials(w, extra->tried[i].trial);
  aio_json_write_end_object(w);
  aio_json_write_end_object(w);
}

/* ---- lists ---- */

static void write_name(AioJsonWriter *w, const ArmParamSet *set, size_t k) {
  const ArmParam *param = &set->param[k];
  aio_json_put_string(w, "name", param->name);
  aio_json_put_string(w, "unit", arm_param_set_unit(set, k));
  aio_json_write_key(w, "terms");
  aio_json_write_begin_array(w);
  for (size_t t = 0; t < param->n_terms; t++) {
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "link", param->terms[t].id.i + 1);
    aio_json_put_string(w, "parameter", arm_param_term_key(param->terms[t].id.kind));
    aio_json_put_number(w, "coefficient", param->terms[t].coefficient);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static void write_item(AioJsonWriter *w, const ArmParamSet *set, size_t k) {
  const ArmParamId id = set->param[k].id;
  aio_json_write_begin_flat_object(w);
  if (arm_param_info(id.kind)->scope == ARM_OF_PAIR) {
    aio_json_put_int(w, "i", (gint64)id.i + 1);
    aio_json_put_int(w, "j", (gint64)id.j + 1);
  } else {
    write_name(w, set, k);
  }
  write_estimate(w, "estimate", &set->estimate[k]);
  aio_json_write_end_object(w);
}

static bool is_listed_joint(const ArmParamSet *set, size_t i, const char *list) {
  for (size_t k = 0; k < set->n; k++)
    if (set->param[k].id.i == i &&
        g_strcmp0(arm_param_info(set->param[k].id.kind)->list, list) == 0)
      return true;
  return false;
}

static void write_joint_items(AioJsonWriter *w, const ArmParamSet *set, const char *list) {
  for (size_t i = 0; i < set->n_joints; i++) {
    if (!is_listed_joint(set, i, list))
      continue;
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "joint", (gint64)i + 1);
    aio_json_write_key(w, "group");
    if (set->group[i] < 0)
      aio_json_write_null(w);
    else
      aio_json_write_int(w, set->group[i] + 1);
    write_estimates(w, set, i, list);
    aio_json_write_end_object(w);
  }
}

static void write_list(AioJsonWriter *w, const ArmParamSet *set, const ArmParamInfo *info) {
  aio_json_write_key(w, info->list);
  aio_json_write_begin_array(w);
  if (info->scope == ARM_OF_JOINT)
    write_joint_items(w, set, info->list);
  for (size_t k = 0; k < set->n && info->scope != ARM_OF_JOINT; k++)
    if (arm_param_info(set->param[k].id.kind) == info)
      write_item(w, set, k);
  aio_json_write_end_array(w);
}

static void write_clusters(AioJsonWriter *w, const ArmParamSet *set) {
  aio_json_write_key(w, "clusters");
  aio_json_write_begin_array(w);
  for (size_t c = 0; c < set->n_groups; c++) {
    aio_json_write_begin_array(w);
    for (size_t i = 0; i < set->n_joints; i++)
      if (set->group[i] == (int)c)
        aio_json_write_int(w, (gint64)i + 1);
    aio_json_write_end_array(w);
  }
  aio_json_write_end_array(w);
}

void aio_params_write_set(AioJsonWriter *w, const ArmMethod *method, const ArmParamSet *set,
                          const AioParamsExtra *extra) {
  aio_json_write_key(w, "joints");
  aio_json_write_begin_array(w);
  for (size_t i = 0; i < set->n_joints; i++)
    write_joint(w, set, i, extra);
  aio_json_write_end_array(w);
  for (size_t k = 0; k < method->n; k++)
    if (aio_params_begins_list(method, k))
      write_list(w, set, arm_param_info(method->params[k].kind));
  if (method->lists_clusters)
    write_clusters(w, set);
}

void aio_params_write_covariance(AioJsonWriter *w, const ArmParamSet *set) {
  const size_t m = set->n_covered;
  aio_json_write_key(w, "covariance");
  aio_json_write_begin_object(w);
  aio_json_write_key(w, "names");
  aio_json_write_begin_array(w);
  for (size_t k = 0; k < m; k++) {
    char *name = aio_param_name(set, set->covered[k]);
    aio_json_write_string(w, name);
    g_free(name);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "lower");
  aio_json_write_begin_array(w);
  for (size_t row = 0; row < m; row++)
    for (size_t column = 0; column <= row; column++)
      aio_json_write_number(w, set->covariance[row + column * m]);
  aio_json_write_end_array(w);
  aio_json_write_end_object(w);
}

void aio_params_write_units(AioJsonWriter *w, const ArmParamSet *set) {
  aio_json_write_key(w, "units");
  aio_json_write_begin_object(w);
  for (size_t k = 0; k < set->n; k++) {
    if (!arm_param_set_is_listed(set, k))
      continue;
    char *name = aio_param_name(set, k);
    aio_json_put_string(w, name, arm_param_set_unit(set, k));
    g_free(name);
  }
  aio_json_write_end_object(w);
}

/* ---- what all of it means ---- */

bool aio_params_begins_list(const ArmMethod *method, size_t k) {
  const char *list = arm_param_info(method->params[k].kind)->list;
  for (size_t before = 0; before < k; before++)
    if (g_strcmp0(arm_param_info(method->params[before].kind)->list, list) == 0)
      return false;
  return list != NULL;
}

bool aio_params_has_terms(const ArmParamSet *set) {
  for (size_t k = 0; k < set->n; k++)
    if (arm_param_info(set->param[k].id.kind)->is_term)
      return true;
  return false;
}
