/* SPDX-License-Identifier: MIT */
/* The edits as bytes (undo, difference) and as JSON (files). Members that came later are optional
 * with the value that older sessions had meant, so that an old session gives its numbers again. */
#include "session/edits.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "session/procedure.h"

void ase_edits_init(AseEdits *edits, const ArmModel *model) {
  memset(edits, 0, sizeof *edits);
  AseFreedom freedom;
  ase_freedom_init(&freedom, model);
  memcpy(edits->low, freedom.low, sizeof edits->low);
  memcpy(edits->high, freedom.high, sizeof edits->high);
  ase_itinerary_options_default(&edits->itinerary, (guint)model->n);
  ArmPlanOptions plan;
  arm_plan_options_default(&plan);
  edits->n_speeds = (guint)plan.n_speeds;
  memcpy(edits->speeds_R, plan.speeds_R, sizeof edits->speeds_R);
  memcpy(edits->speeds_T, plan.speeds_T, sizeof edits->speeds_T);
  arm_row_options_default(&edits->rows);
  edits->rows.wants_plateau = true;
  /* Ramps are cut by the commanded speed (selection.c). A measured speed in coarse steps, which the
   * servo answers with current, must not select rows: at 5 %, friction of the SCARA's tool is
   * up to 5 mA (7 sd) off. */
  edits->rows.plateau_speed_tolerance = 0.25;
  for (guint t = 0; t < ARM_TERMS; t++)
    edits->offers_term[t] = true;
  edits->validation_limit = 2.0; /* Armature theory notes, lack of fit, section 6 */
  edits->validation_percent = 10.0;
  edits->drift_limit = 3.0;
  arm_verdict_limits_default(&edits->misfit);
}

void ase_edits_take_limits(AseEdits *edits, const ArmVerdictLimits *limits) {
  edits->misfit = *limits;
  edits->validation_percent = 100.0 * limits->validation_relative;
}

void ase_edits_validation_limits(const AseEdits *edits, ArmValidationLimits *limits) {
  arm_validation_limits_default(limits);
  limits->promised_factor = edits->validation_limit;
  limits->relative = 0.01 * edits->validation_percent;
  if (edits->validation_mA > 0.0)
    limits->absolute = 1e-3 * edits->validation_mA;
}

void ase_edits_freedom(const AseEdits *edits, AseFreedom *freedom) {
  *freedom = (AseFreedom){.holds = edits->holds, .n_holds = edits->n_holds};
  memcpy(freedom->low, edits->low, sizeof freedom->low);
  memcpy(freedom->high, edits->high, sizeof freedom->high);
}

bool ase_plan_differs(const ArmPlan *a, const ArmPlan *b) {
  return memcmp(a, b, sizeof *a) != 0; /* NOLINT(bugprone-suspicious-memory-comparison) */
}

/* Edits begin as zeros and are copied whole. Should the padding differ all the same, or a zero its
 * sign, a result is called stale that is not: the harmless mistake.
 * NOLINTBEGIN(bugprone-suspicious-memory-comparison) */
#define DIFFERS(member) (memcmp(&a->member, &b->member, sizeof a->member) != 0)

guint ase_edits_difference(const AseEdits *a, const AseEdits *b) {
  guint inputs = 0;
  if (DIFFERS(low) || DIFFERS(high) || DIFFERS(n_holds) || DIFFERS(holds) || DIFFERS(itinerary) ||
      DIFFERS(n_speeds) || DIFFERS(speeds_R) || DIFFERS(speeds_T))
    inputs |= 1u << ASE_INPUT_LIMITS;
  if (DIFFERS(has_plan) || (a->has_plan && ase_plan_differs(&a->plan, &b->plan)))
    inputs |= 1u << ASE_INPUT_PLAN;
  if (DIFFERS(n_exclusions) || DIFFERS(exclusions) || DIFFERS(rows))
    inputs |= 1u << ASE_INPUT_DATA;
  if (DIFFERS(offers_term))
    inputs |= 1u << ASE_INPUT_FRICTION;
  if (DIFFERS(validation_limit) || DIFFERS(validation_percent) || DIFFERS(validation_mA) ||
      DIFFERS(drift_limit))
    inputs |= 1u << ASE_INPUT_JUDGEMENT;
  if (DIFFERS(misfit))
    inputs |= 1u << ASE_INPUT_MISFIT;
  return inputs;
}

/* NOLINTEND(bugprone-suspicious-memory-comparison) */

/* ---- numbers by name ---- */

#define NUMBER(key, member)                                                                        \
  { key, offsetof(AseEdits, member), false }
#define LATER_NUMBER(key, member) /* not in the first sessions */                                  \
  { key, offsetof(AseEdits, member), true }
static const struct {
  const char *key;
  gsize offset;
  bool is_optional; /* its default without */
} numbers[] = {
    NUMBER("dry_speed_R", itinerary.dry_speed_R),
    NUMBER("dry_speed_T", itinerary.dry_speed_T),
    NUMBER("move_speed_R", itinerary.move_speed_R),
    NUMBER("move_speed_T", itinerary.move_speed_T),
    NUMBER("accel_R", itinerary.accel_R),
    NUMBER("accel_T", itinerary.accel_T),
    NUMBER("sweep_accel_part", itinerary.sweep_accel_part),
    NUMBER("warm_up_s", itinerary.warm_up_s),
    NUMBER("min_speed_R", rows.min_speed_R),
    NUMBER("min_speed_T", rows.min_speed_T),
    NUMBER("plateau_end_R", rows.plateau_end_R),
    NUMBER("plateau_end_part", rows.plateau_end_part),
    NUMBER("plateau_speed_tolerance", rows.plateau_speed_tolerance),
    NUMBER("validation_limit", validation_limit),
    NUMBER("drift_limit", drift_limit),
    LATER_NUMBER("validation_percent", validation_percent),
    LATER_NUMBER("validation_mA", validation_mA),
    LATER_NUMBER("misfit_gravity_relative", misfit.gravity_relative),
    LATER_NUMBER("misfit_gravity_promised_factor", misfit.gravity_promised_factor),
    LATER_NUMBER("misfit_direction_relative", misfit.direction_relative),
    LATER_NUMBER("misfit_direction_A", misfit.direction_A),
    LATER_NUMBER("misfit_speed_relative", misfit.speed_relative),
    LATER_NUMBER("misfit_scatter_relative", misfit.scatter_relative),
    LATER_NUMBER("misfit_trend_relative", misfit.trend_relative),
    LATER_NUMBER("misfit_r2", misfit.r2),
};

static double *number_at(AseEdits *edits, gsize k) {
  return (double *)(void *)((char *)edits + numbers[k].offset);
}

static const char *const offers_keys[ARM_TERMS] = {"offers_load", "offers_curve"};

/* ---- writing ---- */

static void write_rows(AioJsonWriter *w, const AseEdits *edits) {
  aio_json_write_key(w, "hold_ranges");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < edits->n_holds; k++) {
    const AseHoldRange *h = &edits->holds[k];
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "joint", h->joint);
    aio_json_put_int(w, "hold", h->hold);
    aio_json_put_number(w, "low", h->low);
    aio_json_put_number(w, "high", h->high);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "exclusions");
  aio_json_write_begin_array(w);
  for (guint k = 0; k < edits->n_exclusions; k++) {
    const AseExclusion *e = &edits->exclusions[k];
    aio_json_write_begin_flat_object(w);
    aio_json_put_int(w, "run", e->run);
    aio_json_put_number(w, "low", e->q_low);
    aio_json_put_number(w, "high", e->q_high);
    aio_json_put_int(w, "direction", e->direction);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

static void write_plan(AioJsonWriter *w, const ArmPlan *plan) {
  aio_json_write_key(w, "plan");
  aio_json_write_begin_array(w);
  for (gsize i = 0; i < plan->n; i++) {
    const ArmJointPlan *p = &plan->joint[i];
    aio_json_write_begin_object(w);
    aio_json_put_bool(w, "is_swept", p->is_swept);
    aio_json_put_numbers(w, "range", (double[]){p->from, p->to}, 2);
    aio_json_put_int(w, "positions", (gint64)p->positions);
    aio_json_put_numbers(w, "speeds", p->speeds, p->n_speeds);
    aio_json_write_key(w, "holds");
    aio_json_write_begin_array(w);
    for (gsize h = 0; h < p->n_holds; h++) {
      aio_json_write_begin_array(w);
      for (gsize j = 0; j < plan->n; j++)
        aio_json_write_number(w, p->holds[h][j]);
      aio_json_write_end_array(w);
    }
    aio_json_write_end_array(w);
    aio_json_write_end_object(w);
  }
  aio_json_write_end_array(w);
}

char *ase_edits_to_json(const AseEdits *edits, const ArmModel *model) {
  GString *text = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(text);
  double order[ARM_MAX_JOINTS];
  for (gsize j = 0; j < model->n; j++)
    order[j] = edits->itinerary.order[j];
  aio_json_write_begin_object(w);
  aio_json_put_numbers(w, "low", edits->low, model->n);
  aio_json_put_numbers(w, "high", edits->high, model->n);
  for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
    aio_json_put_number(w, numbers[k].key,
                        *(const double *)(const void *)((const char *)edits + numbers[k].offset));
  aio_json_put_numbers(w, "order", order, model->n);
  aio_json_put_bool(w, "moves_together", edits->itinerary.moves_together);
  aio_json_put_bool(w, "repeats_first", edits->itinerary.repeats_first);
  aio_json_put_bool(w, "wants_plateau", edits->rows.wants_plateau);
  aio_json_put_bool(w, "wants_acceleration", edits->rows.wants_acceleration);
  for (guint t = 0; t < ARM_TERMS; t++)
    aio_json_put_bool(w, offers_keys[t], edits->offers_term[t]);
  aio_json_put_int(w, "validation_holds", edits->itinerary.validation_holds);
  aio_json_put_int(w, "seed", (gint64)(edits->itinerary.seed & G_MAXINT32));
  aio_json_put_numbers(w, "speeds_R", edits->speeds_R, edits->n_speeds);
  aio_json_put_numbers(w, "speeds_T", edits->speeds_T, edits->n_speeds);
  write_rows(w, edits);
  aio_json_put_bool(w, "is_proposed", edits->is_proposed);
  if (edits->has_plan)
    write_plan(w, &edits->plan);
  aio_json_write_end_object(w);
  aio_json_writer_free(w);
  return g_string_free(text, FALSE);
}

/* ---- reading ---- */

static bool get_number(const AioJsonNode *object, const char *key, double *out, GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_number(node, out, error);
}

static bool get_numbers(const AioJsonNode *object, const char *key, gsize n, double *out,
                        GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_numbers(node, n, out, error);
}

static bool get_uint(const AioJsonNode *object, const char *key, gint64 low, gint64 high,
                     guint *out, GError **error) {
  gint64 value;
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_get_int(node, low, high, &value, error))
    return false;
  *out = (guint)value;
  return true;
}

static bool get_bool(const AioJsonNode *object, const char *key, bool *out, GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  return node && aio_json_get_bool(node, out, error);
}

/* An array of at most `most` items. */
static const AioJsonNode *get_array(const AioJsonNode *object, const char *key, gsize most,
                                    GError **error) {
  const AioJsonNode *node = aio_json_require(object, key, error);
  if (!node || !aio_json_require_kind(node, AIO_JSON_ARRAY, error))
    return NULL;
  if (aio_json_size(node) <= most)
    return node;
  aio_json_fail(node, "a shorter array", error);
  return NULL;
}

static bool read_hold_ranges(const AioJsonNode *root, AseEdits *edits, GError **error) {
  const AioJsonNode *rows = get_array(root, "hold_ranges", ASE_HOLD_RANGES, error);
  if (!rows)
    return false;
  edits->n_holds = (guint)aio_json_size(rows);
  for (guint k = 0; k < edits->n_holds; k++) {
    const AioJsonNode *row = aio_json_item(rows, k);
    AseHoldRange *h = &edits->holds[k];
    if (!get_uint(row, "joint", 1, ARM_MAX_JOINTS, &h->joint, error) ||
        !get_uint(row, "hold", 1, ARM_PLAN_MAX_HOLDS * 4, &h->hold, error) ||
        !get_number(row, "low", &h->low, error) || !get_number(row, "high", &h->high, error))
      return false;
  }
  return true;
}

static bool read_exclusions(const AioJsonNode *root, AseEdits *edits, GError **error) {
  const AioJsonNode *rows = get_array(root, "exclusions", ASE_EXCLUSIONS, error);
  if (!rows)
    return false;
  edits->n_exclusions = (guint)aio_json_size(rows);
  for (guint k = 0; k < edits->n_exclusions; k++) {
    const AioJsonNode *row = aio_json_item(rows, k);
    AseExclusion *e = &edits->exclusions[k];
    double direction;
    const AioJsonNode *run = aio_json_require(row, "run", error);
    if (!run || !aio_json_get_int(run, 1, G_MAXINT32, &e->run, error) ||
        !get_number(row, "low", &e->q_low, error) || !get_number(row, "high", &e->q_high, error) ||
        !get_number(row, "direction", &direction, error))
      return false;
    e->direction = direction > 0.0 ? 1 : direction < 0.0 ? -1 : 0;
  }
  return true;
}

/* A forecast of that many takes seconds, in a thread that ends with the session. */
enum { POSITIONS_MAX = 20000 };

static bool read_joint_plan(const AioJsonNode *node, gsize n, ArmJointPlan *plan, GError **error) {
  double range[2];
  guint positions;
  const AioJsonNode *speeds, *holds;
  if (!get_bool(node, "is_swept", &plan->is_swept, error) ||
      !get_numbers(node, "range", 2, range, error) ||
      !get_uint(node, "positions", 0, POSITIONS_MAX, &positions, error) ||
      !(speeds = get_array(node, "speeds", ARM_PLAN_MAX_SPEEDS, error)) ||
      !(holds = get_array(node, "holds", ARM_PLAN_MAX_HOLDS, error)))
    return false;
  plan->from = range[0], plan->to = range[1];
  plan->positions = positions;
  plan->n_speeds = aio_json_size(speeds);
  plan->n_holds = aio_json_size(holds);
  for (gsize h = 0; h < plan->n_holds; h++)
    if (!aio_json_get_numbers(aio_json_item(holds, h), n, plan->holds[h], error))
      return false;
  if (!aio_json_get_numbers(speeds, plan->n_speeds, plan->speeds, error))
    return false;
  for (gsize k = 0; k < plan->n_speeds; k++)
    if (!(plan->speeds[k] > 0.0))
      return aio_json_fail(speeds, "speeds above 0", error);
  return plan->from < plan->to || !plan->is_swept || aio_json_fail(node, "a range", error);
}

static bool read_plan(const AioJsonNode *root, gsize n, AseEdits *edits, GError **error) {
  if (!aio_json_member(root, "plan"))
    return true;
  const AioJsonNode *joints = get_array(root, "plan", n, error);
  if (!joints)
    return false;
  if (aio_json_size(joints) != n)
    return aio_json_fail(joints, "one entry per joint", error);
  edits->has_plan = true;
  edits->plan.n = n;
  for (gsize i = 0; i < n; i++)
    if (!read_joint_plan(aio_json_item(joints, i), n, &edits->plan.joint[i], error))
      return false;
  return true;
}

static bool read_speeds(const AioJsonNode *root, AseEdits *edits, GError **error) {
  const AioJsonNode *speeds = get_array(root, "speeds_R", ARM_PLAN_MAX_SPEEDS, error);
  if (!speeds)
    return false;
  edits->n_speeds = (guint)aio_json_size(speeds);
  return aio_json_get_numbers(speeds, edits->n_speeds, edits->speeds_R, error) &&
         get_numbers(root, "speeds_T", edits->n_speeds, edits->speeds_T, error);
}

/* Sessions from before there were terms are fitted again as they were. */
static bool read_offers(const AioJsonNode *root, AseEdits *edits, GError **error) {
  for (guint t = 0; t < ARM_TERMS; t++) {
    edits->offers_term[t] = false;
    if (aio_json_member(root, offers_keys[t]) &&
        !get_bool(root, offers_keys[t], &edits->offers_term[t], error))
      return false;
  }
  return true;
}

static bool read_options(const AioJsonNode *root, gsize n, AseEdits *edits, GError **error) {
  double order[ARM_MAX_JOINTS];
  guint seed;
  for (gsize k = 0; k < G_N_ELEMENTS(numbers); k++)
    if (!(numbers[k].is_optional && !aio_json_member(root, numbers[k].key)) &&
        !get_number(root, numbers[k].key, number_at(edits, k), error))
      return false;
  if (!get_numbers(root, "order", n, order, error) ||
      !get_bool(root, "moves_together", &edits->itinerary.moves_together, error) ||
      !get_bool(root, "repeats_first", &edits->itinerary.repeats_first, error) ||
      !get_bool(root, "wants_plateau", &edits->rows.wants_plateau, error) ||
      !get_bool(root, "is_proposed", &edits->is_proposed, error) ||
      !get_bool(root, "wants_acceleration", &edits->rows.wants_acceleration, error) ||
      !get_uint(root, "validation_holds", 0, ARM_PLAN_MAX_HOLDS, &edits->itinerary.validation_holds,
                error) ||
      !get_uint(root, "seed", 0, G_MAXINT32, &seed, error))
    return false;
  edits->itinerary.seed = seed;
  for (gsize j = 0; j < n; j++)
    edits->itinerary.order[j] = order[j] >= 0.0 && order[j] <= (double)n ? (guint)order[j] : 0;
  return true;
}

bool ase_edits_from_json(AseEdits *edits, const ArmModel *model, const char *json, GError **error) {
  AioJson *document = aio_json_parse("edits", json, strlen(json), error);
  if (!document)
    return false;
  AseEdits *read = g_new(AseEdits, 1);
  ase_edits_init(read, model);
  const AioJsonNode *root = aio_json_root(document);
  const bool ok = aio_json_require_kind(root, AIO_JSON_OBJECT, error) &&
                  get_numbers(root, "low", model->n, read->low, error) &&
                  get_numbers(root, "high", model->n, read->high, error) &&
                  read_options(root, model->n, read, error) && read_offers(root, read, error) &&
                  read_speeds(root, read, error) && read_hold_ranges(root, read, error) &&
                  read_exclusions(root, read, error) && read_plan(root, model->n, read, error);
  if (ok)
    memcpy(edits, read, sizeof *edits);
  g_free(read);
  aio_json_free(document);
  return ok;
}
