/* SPDX-License-Identifier: MIT */
/* By name, never by position: controllers list what they have. What a fit found and the controller
 * has no place for is told (`missing`), as is a unit that differs; nothing is converted by guess.
 */
#include "session/transfer/controller_params.h"

#include <glib/gi18n-lib.h>
#include <math.h>
#include <string.h>

#include "core/params/controller.h"
#include "io/base/said.h"
#include "session/base/text.h"

typedef struct {
  AseParamSet *set;
  const AioParam *params;
} Mapping;

/* One parameter as something outside of the controller has it. */
typedef struct {
  char name[32];
  const char *unit; /* NULL: whatever the controller states */
  double value, sd;
  const char *note;
} Wanted;

/* ---- numbers as a controller holds them ---- */

static double rounded(AioParamType type, double value) {
  return type == AIO_PARAM_FLOAT ? (double)(float)value : value;
}

static bool is_same(AioParamType type, double a, double b) {
  const double x = rounded(type, a), y = rounded(type, b);
  if (isnan(x) || isnan(y))
    return isnan(x) && isnan(y);
  return x == y && signbit(x) == signbit(y);
}

static void number_text(double value, const char *unit, char *out, gsize size) {
  g_snprintf(out, size, "%.6g%s%s", value, *unit ? " " : "", unit);
}

static bool is_in_range(const AioParam *param, double value, GError **error) {
  char found[64], low[64], high[64];
  if (value >= param->minimum && value <= param->maximum &&
      (param->type == AIO_PARAM_FLOAT || floor(value) == value))
    return true;
  number_text(value, param->unit, found, sizeof found);
  number_text(param->minimum, "", low, sizeof low);
  number_text(param->maximum, param->unit, high, sizeof high);
  aio_error_set_said(error, AIO_ERROR_REFUSED,
                     N_("%s: the controller takes %s%s to %s, not %s; nothing was written"),
                     param->name,
                     param->type == AIO_PARAM_FLOAT ? "" : aio_said_word(N_("whole numbers of ")),
                     low, high, found);
  return false;
}

/* ---- sets ---- */

static Mapping begin(const AioParam *params, guint n) {
  AseParamSet *set = g_new0(AseParamSet, 1);
  set->n = n;
  set->before = g_new(double, n);
  set->after = g_new(double, n);
  set->changes = g_array_new(FALSE, TRUE, sizeof(AseParamChange));
  set->missing = g_ptr_array_new_with_free_func(g_free);
  for (guint k = 0; k < n; k++)
    set->before[k] = set->after[k] = params[k].value;
  return (Mapping){set, params};
}

void ase_param_set_free(AseParamSet *set) {
  if (!set)
    return;
  g_free(set->before);
  g_free(set->after);
  g_array_unref(set->changes);
  g_ptr_array_unref(set->missing);
  g_free(set);
}

static gint find(const AioParam *params, guint n, const char *name) {
  for (guint k = 0; k < n; k++)
    if (strcmp(params[k].name, name) == 0)
      return (gint)k;
  return -1;
}

static AseParamChange change_of(const AioParam *param, double before, double after) {
  AseParamChange change = {.before = before, .after = after, .sd = NAN};
  g_strlcpy(change.name, param->name, sizeof change.name);
  g_strlcpy(change.unit, param->unit, sizeof change.unit);
  return change;
}

/* The changes in the controller's order, whatever the order of asking: a place for each parameter,
 * and those without a name are taken out at the end. */
static void note_change(Mapping *m, guint at, const Wanted *wanted) {
  GArray *changes = m->set->changes;
  if (changes->len < m->set->n)
    g_array_set_size(changes, m->set->n);
  AseParamChange change = change_of(&m->params[at], m->set->before[at], m->set->after[at]);
  change.sd = wanted->sd;
  aio_said_copy(change.note, sizeof change.note, wanted->note);
  g_array_index(changes, AseParamChange, at) = change;
}

static void end(Mapping *m) {
  GArray *changes = m->set->changes;
  guint kept = 0;
  for (guint k = 0; k < changes->len; k++)
    if (g_array_index(changes, AseParamChange, k).name[0])
      g_array_index(changes, AseParamChange, kept++) = g_array_index(changes, AseParamChange, k);
  g_array_set_size(changes, kept);
}

static void miss(Mapping *m, char *sentence) {
  g_ptr_array_add(m->set->missing, sentence);
}

/* The same unit as far as both sides state one. */
static bool has_unit(const AioParam *param, const Wanted *wanted, GError **error) {
  if (!wanted->unit || strcmp(param->unit, wanted->unit) == 0)
    return true;
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      N_("%s: expected the unit \"%s\", the controller states \"%s\"; nothing was written"),
      param->name, wanted->unit, param->unit);
  return false;
}

static bool put(Mapping *m, const Wanted *wanted, GError **error) {
  const gint at = find(m->params, m->set->n, wanted->name);
  if (at < 0) {
    miss(m, aio_said(N_("the controller has no %s: its firmware cannot use this parameter"),
                     wanted->name));
    return true;
  }
  const AioParam *param = &m->params[at];
  const double value = rounded(param->type, wanted->value);
  if (is_same(param->type, value, param->value))
    return true;
  if (param->is_read_only) {
    miss(m,
         aio_said(N_("%s cannot be written in this controller and stays as it is"), wanted->name));
    return true;
  }
  if (!has_unit(param, wanted, error) || !is_in_range(param, value, error))
    return false;
  m->set->after[at] = value;
  note_change(m, (guint)at, wanted);
  return true;
}

/* ---- what no controller has a place for ---- */

static bool has_place(ArmParamKind kind) {
  size_t count;
  const ArmControllerParam *list = arm_controller_params(&count);
  for (size_t k = 0; k < count; k++)
    if (list[k].kind == kind)
      return true;
  return false;
}

/* `sentence` is one of the catalogue, which the compiler does not see. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static char *say_lost(const char *sentence, guint joint) {
  return aio_said(sentence, joint);
}
#pragma GCC diagnostic pop

static char *lost_said(ArmParamId id) {
  const ArmParamInfo *info = arm_param_info(id.kind);
  const guint joint = (guint)id.i + 1;
  if (!info->lost)
    return aio_said(N_("%s of joint %u (%s) has no place in the controller"),
                    aio_said_word(info->words), joint, info->key);
  return say_lost(info->lost, joint);
}

/* Appended: those that are friction terms, or the others. Constants go with what they belong to. */
static void add_lost(const ArmParamSet *set, bool are_terms, GPtrArray *lost) {
  for (size_t k = 0; k < set->n; k++) {
    const ArmParamId id = set->param[k].id;
    if (!has_place(id.kind) && arm_param_set_is_listed(set, k) &&
        arm_param_info(id.kind)->is_term == are_terms)
      g_ptr_array_add(lost, lost_said(id));
  }
}

GPtrArray *ase_param_lost_terms(const ArmParamSet *set) {
  GPtrArray *lost = g_ptr_array_new_with_free_func(g_free);
  add_lost(set, true, lost);
  return lost;
}

/* ---- from a fit ---- */

static bool put_estimate(Mapping *m, const char *stem, gsize joint, const char *unit,
                         const ArmEstimate *estimate, GError **error) {
  Wanted wanted = {.unit = unit,
                   .value = estimate->used,
                   .sd = estimate->sd,
                   .note = estimate->identifiable ? "" : ase_reason_said(estimate->reason)};
  g_snprintf(wanted.name, sizeof wanted.name, "%s[%u]", stem, (guint)joint + 1);
  if (isfinite(estimate->used))
    return put(m, &wanted, error);
  miss(m, aio_said(N_("%s stays as it is: %s"), wanted.name, wanted.note));
  return true;
}

/* Of a pair: the first joint of the group over joint j. NULL: the set has none. */
static const ArmEstimate *estimate_for(const ArmParamSet *set, ArmParamKind kind, gsize j) {
  static const ArmEstimate one = {1.0, 0.0, 1.0, true, ARM_REASON_NONE};
  static const ArmEstimate none = {NAN, NAN, 0.0, false, ARM_REASON_OTHER_CLUSTER};
  gsize first = 0;
  if (arm_param_info(kind)->scope != ARM_OF_PAIR)
    return arm_param_set_at(set, (ArmParamId){kind, (guchar)j, 0});
  if (set->group[j] < 0)
    return &none;
  while (first < j && set->group[first] != set->group[j])
    first++;
  return first == j ? &one : arm_param_set_at(set, (ArmParamId){kind, (guchar)first, (guchar)j});
}

static bool put_joint(Mapping *m, const ArmParamSet *set, gsize j, GError **error) {
  size_t count;
  const ArmControllerParam *list = arm_controller_params(&count);
  for (size_t k = 0; k < count; k++) {
    char room[ARM_CONTROLLER_UNIT];
    const char *unit = arm_controller_unit(&list[k], set->type[j], set->is_torque[j], room);
    const bool fits = arm_controller_param_fits(&list[k], set->type[j]);
    const ArmEstimate *estimate = fits ? estimate_for(set, list[k].kind, j) : NULL;
    if (estimate && !put_estimate(m, list[k].stem, j, *unit ? unit : NULL, estimate, error))
      return false;
  }
  return true;
}

/* Its load was found from a joint that carries it, in currents of that joint. */
static bool is_load_of_other(const ArmParamSet *set, gsize j) {
  bool has_load = false;
  for (size_t k = 0; k < set->n; k++)
    has_load |= set->param[k].id.i == j && set->estimate[k].used != 0.0 &&
                arm_param_info(set->param[k].id.kind)->quantity == ARM_COUNTS_MOMENT;
  return set->joint[j].rows_used == 0 && has_load;
}

static bool check_swept(const ArmParamSet *set, GError **error) {
  for (gsize j = 0; j < set->n_joints; j++)
    if (is_load_of_other(set, j)) {
      aio_error_set_said(
          error, AIO_ERROR_REFUSED,
          N_("joint %u was never swept: its load is known only in currents of the joints "
             "that carry it, and would be wrong as its own; nothing was written. Sweep it "
             "and fit again"),
          (guint)j + 1);
      return false;
    }
  return true;
}

static const char *effort_unit(const ArmParamSet *set, gsize j, bool is_torque) {
  return arm_param_unit_of(ARM_COUNTS_EFFORT, set->type[j], is_torque, set->type[j], is_torque);
}

static bool check_currents(const ArmParamSet *set, GError **error) {
  for (gsize j = 0; j < set->n_joints; j++)
    if (set->is_torque[j]) {
      aio_error_set_said(error, AIO_ERROR_REFUSED,
                         N_("joint %u was measured in %s, not as a current: a controller takes its "
                            "parameters in %s only; nothing was written. Fit it from currents"),
                         (guint)j + 1, effort_unit(set, j, true), effort_unit(set, j, false));
      return false;
    }
  return true;
}

AseParamSet *ase_param_set_from_fit(const ArmParamSet *found, const AioParam *params, guint n,
                                    GError **error) {
  if (!check_swept(found, error) || !check_currents(found, error))
    return NULL;
  Mapping m = begin(params, n);
  add_lost(found, true, m.set->missing);
  add_lost(found, false, m.set->missing);
  for (gsize j = 0; j < found->n_joints; j++)
    if (!put_joint(&m, found, j, error)) {
      ase_param_set_free(m.set);
      return NULL;
    }
  end(&m);
  return m.set;
}

/* ---- from parameters ---- */

static bool put_param(Mapping *m, const AioParam *source, GError **error) {
  Wanted wanted = {.unit = source->unit, .value = source->value, .sd = NAN, .note = ""};
  g_strlcpy(wanted.name, source->name, sizeof wanted.name);
  return put(m, &wanted, error);
}

/* Of the names: the highest j of "stem[j]"; 0: none is of a joint. */
static guint64 joints_of(const AioParam *params, guint n) {
  guint64 joints = 0;
  for (guint k = 0; k < n; k++) {
    const char *index = strchr(params[k].name, '[');
    joints = MAX(joints, index ? g_ascii_strtoull(index + 1, NULL, 10) : 0);
  }
  return joints;
}

/* A set of the one and the other would be a mixture of two arms. */
static bool check_joints(const AioParam *source, guint n_source, const AioParam *params, guint n,
                         GError **error) {
  const guint64 theirs = joints_of(source, n_source), mine = joints_of(params, n);
  if (theirs == mine || !theirs || !mine)
    return true;
  aio_error_set_said(
      error, AIO_ERROR_REFUSED,
      N_("the backup is of an arm with %u joints, the controller has %u; nothing was "
         "written; connect the controller it was made of"),
      (guint)theirs, (guint)mine);
  return false;
}

AseParamSet *ase_param_set_from_params(const AioParam *source, guint n_source,
                                       const AioParam *params, guint n, GError **error) {
  if (!check_joints(source, n_source, params, n, error))
    return NULL;
  Mapping m = begin(params, n);
  for (guint k = 0; k < n_source; k++)
    if (!put_param(&m, &source[k], error)) {
      ase_param_set_free(m.set);
      return NULL;
    }
  for (guint k = 0; k < n; k++)
    if (find(source, n_source, params[k].name) < 0)
      miss(&m, aio_said(N_("%s stays as it is: the backup does not have it"), params[k].name));
  end(&m);
  return m.set;
}

GArray *ase_param_differences(const double *expected, const AioParam *params, guint n) {
  GArray *differences = g_array_new(FALSE, FALSE, sizeof(AseParamChange));
  for (guint k = 0; k < n; k++) {
    if (is_same(params[k].type, expected[k], params[k].value))
      continue;
    const AseParamChange change = change_of(&params[k], expected[k], params[k].value);
    g_array_append_val(differences, change);
  }
  return differences;
}
