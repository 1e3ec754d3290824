/* SPDX-License-Identifier: MIT */
/* The sd of a difference is sqrt(sd^2 + sd^2), as two calibrations share no sample, but for what
 * both have from the same data sheets (shared_scale.h). A friction term that only one of both has
 * is compared with 0, exactly known: so is what a fit without it says. Any other parameter that one
 * of both lacks is listed, and not comparable. */
#include "session/method/comparison.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"
#include "io/json/json_read.h"
#include "io/store/store.h"

/* ---- reading ---- */

bool ase_comparison_read_found(const char *name, const char *text, gsize length,
                               const AseMethod **method, ArmParamSet *set, GError **error) {
  AseFound found;
  if (!ase_found_load_text(name, text, length, NULL, &found, error))
    return false;
  *method = found.method;
  *set = found.set; /* the set moves */
  found.set = (ArmParamSet){0};
  ase_found_clear(&found);
  return true;
}

static bool keep_parameters(const AioStoreFit *row, void *data) {
  char **text = data;
  g_free(*text);
  *text = g_strdup(row->parameters);
  return true;
}

static bool load_session(const char *path, const AseMethod **method, ArmParamSet *found,
                         GError **error) {
  AioStore *store = aio_store_open_read(path, error);
  char *text = NULL;
  bool is_read = store && aio_store_each_fit(store, keep_parameters, &text, error);
  if (is_read && !text)
    aio_error_set_said(error, AIO_ERROR_NOT_FOUND, N_("%s: there is no fit in this session"),
                       aio_said_plain(path));
  is_read =
      is_read && text && ase_comparison_read_found(path, text, strlen(text), method, found, error);
  aio_store_close(store, NULL);
  g_free(text);
  return is_read;
}

bool ase_comparison_load(const char *path, const AseMethod **method, ArmParamSet *found,
                         GError **error) {
  if (aio_store_is_session(path))
    return load_session(path, method, found, error);
  AioJson *json = aio_json_load(path, error);
  if (!json)
    return false;
  gsize length;
  const char *bytes = aio_json_bytes(json, &length);
  const bool is_read = ase_comparison_read_found(path, bytes, length, method, found, error);
  aio_json_free(json);
  return is_read;
}

/* ---- comparing ---- */

static bool is_same_arm(const ArmParamSet *a, const ArmParamSet *b) {
  bool is_same = a->n_joints == b->n_joints;
  for (size_t j = 0; is_same && j < a->n_joints; j++)
    is_same = a->type[j] == b->type[j];
  return is_same;
}

/* A term that a set has not is exactly 0. */
static ArmEstimate at(const ArmParamSet *set, ArmParamId id, bool *is_there) {
  const ArmEstimate *e = arm_param_set_at(set, id);
  *is_there = e || arm_param_info(id.kind)->is_term;
  if (e)
    return *e;
  if (*is_there)
    return (ArmEstimate){0.0, 0.0, 0.0, true, ARM_REASON_NONE};
  return (ArmEstimate){(double)NAN, (double)NAN, 0.0, false, ARM_REASON_NONE};
}

static guint place_of(const GArray *list, ArmParamId id) {
  for (guint k = 0; k < list->len; k++) {
    const ArmParamId other = g_array_index(list, AseDifference, k).id;
    if (other.kind == id.kind && other.i == id.i && other.j == id.j)
      return k;
  }
  return list->len;
}

/* Behind what precedes it in its own set, and what the other set alone has of its joint before it:
 * kinds are in the order of tables. */
static guint place_behind(const GArray *list, guint place, const ArmParamSet *before,
                          ArmParamId id) {
  for (; place < list->len; place++) {
    const ArmParamId next = g_array_index(list, AseDifference, place).id;
    if (next.i != id.i || next.kind >= id.kind || arm_param_set_at(before, next))
      break;
  }
  return place;
}

/* Of `now`, and what only `before` has: what was known once and is no longer is told. */
static GArray *list_both(const ArmParamSet *before, const ArmParamSet *now) {
  GArray *list = g_array_new(FALSE, FALSE, sizeof(AseDifference));
  guint place = 0;
  for (size_t k = 0; k < now->n; k++) {
    const AseDifference d = {.id = now->param[k].id, .of = now, .k = k};
    if (arm_param_set_is_listed(now, k))
      g_array_append_val(list, d);
  }
  for (size_t k = 0; k < before->n; k++) {
    const AseDifference d = {.id = before->param[k].id, .of = before, .k = k};
    if (!arm_param_set_is_listed(before, k))
      continue;
    const bool is_in_both = arm_param_set_at(now, d.id);
    place = is_in_both ? place_of(list, d.id) : place_behind(list, place, before, d.id);
    if (!is_in_both)
      g_array_insert_val(list, place, d);
    place++;
  }
  return list;
}

static bool is_same_combination(const ArmParam *a, const ArmParam *b) {
  bool is_same = a->n_terms == b->n_terms;
  for (size_t t = 0; is_same && t < a->n_terms; t++) {
    const ArmParamTerm *x = &a->terms[t], *y = &b->terms[t];
    is_same = x->id.kind == y->id.kind && x->id.i == y->id.i && x->coefficient == y->coefficient;
  }
  return is_same;
}

/* Two curves that end at different speeds, two different combinations, amperes and kg m^2: no two
 * values of one parameter. */
static bool is_one_parameter(const ArmParamSet *a, const ArmParamSet *b, ArmParamId id) {
  const size_t k = arm_param_set_find(a, id), l = arm_param_set_find(b, id);
  const ArmParamId condition = {arm_param_info(id.kind)->condition, id.i, 0};
  const ArmEstimate *x = arm_param_set_at(a, condition), *y = arm_param_set_at(b, condition);
  if (k == ARM_PARAM_NONE || l == ARM_PARAM_NONE)
    return true;
  return is_same_combination(&a->param[k], &b->param[l]) &&
         strcmp(arm_param_set_unit(a, k), arm_param_set_unit(b, l)) == 0 &&
         (!x || !y || x->value == y->value);
}

void ase_comparison_scales(const ArmParamSet *before, const ArmParamSet *now, ArmScales *of_before,
                           ArmScales *of_now) {
  arm_scales_find(before, of_before);
  arm_scales_find(now, of_now);
  arm_scales_share(of_before, of_now);
}

static const double least_variance = 1e-12; /* of the sum: rounding of its difference */

static void compare(const ArmParamSet *before, const ArmScales *of_before, const ArmParamSet *now,
                    const ArmScales *of_now, AseDifference *d) {
  const size_t k = arm_param_set_find(before, d->id), l = arm_param_set_find(now, d->id);
  const double all = d->before.sd * d->before.sd + d->now.sd * d->now.sd;
  double variance = all;
  if (k != ARM_PARAM_NONE && l != ARM_PARAM_NONE)
    variance -= 2 * arm_scales_shared(before, of_before, k, now, of_now, l);
  d->difference = d->now.value - d->before.value;
  d->sds = d->difference == 0.0 ? 0.0 : d->difference / sqrt(fmax(variance, least_variance * all));
}

GArray *ase_comparison_new(const ArmParamSet *before, const ArmParamSet *now, GError **error) {
  if (!is_same_arm(before, now)) {
    aio_error_set_said(error, AIO_ERROR_REFUSED,
                       N_("the file is of another arm: number or type of the joints differ"));
    return NULL;
  }
  ArmScales of_before, of_now;
  ase_comparison_scales(before, now, &of_before, &of_now);
  GArray *differences = list_both(before, now);
  for (guint k = 0; k < differences->len; k++) {
    AseDifference *d = &g_array_index(differences, AseDifference, k);
    d->before = at(before, d->id, &d->in_before);
    d->now = at(now, d->id, &d->in_now);
    d->difference = d->sds = (double)NAN;
    if (d->before.identifiable && d->now.identifiable && is_one_parameter(before, now, d->id))
      compare(before, &of_before, now, &of_now, d);
  }
  return differences;
}
