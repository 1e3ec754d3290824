/* SPDX-License-Identifier: MIT */
/* What was identified as a set of parameters: the only place where the catalogue's kinds are
 * assigned to a fit. Names are Gautier and Khalil's, an R for what others were regrouped into. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/identify_problem.h"
#include "core/params/terms.h"

static const ArmMethodParam found[] = {
    {ARM_PARAM_COULOMB_POS, false},
    {ARM_PARAM_VISCOUS_POS, false},
    {ARM_PARAM_COULOMB_NEG, false},
    {ARM_PARAM_VISCOUS_NEG, false},
    {ARM_PARAM_ROTOR, true},
    {ARM_PARAM_COULOMB_POS_HELD, true},
    {ARM_PARAM_COULOMB_NEG_HELD, true},
    {ARM_PARAM_ROTOR_WEIGHT, true},
    {ARM_PARAM_LOAD, true},
    {ARM_PARAM_CURVE, true},
    {ARM_PARAM_SEEN_LEAST, true},
    {ARM_PARAM_SEEN_MOST, true},
    {ARM_PARAM_CURVE_SPEED, true},
    {ARM_PARAM_FRICTION_SIGN, true},
    {ARM_PARAM_BASE, false},
    {ARM_PARAM_ETA, true},
    {ARM_PARAM_ETA_TO_FIRST, true},
};

const ArmMethod *arm_dynamics_method(void) {
  static const ArmMethod method = {"dynamics", sizeof found / sizeof found[0], found, false, true};
  return &method;
}

enum { UNIT = 10, MOST_OF_JOINT = ARM_DYN_LOCAL + ARM_TERMS + 5, CONSTANTS = 4 };

/* What a parameter of the set is to first order: a sum of two unknowns of the fit, and of what its
 * joint's rotor is off. */
typedef struct {
  size_t place[2];
  double scale[2]; /* 0: without it */
  size_t joint;
  double spread; /* sd by the rotor, with its sign */
} Origin;

typedef struct {
  const ArmDynamicsFit *fit;
  const ArmBase *base; /* with friction and rotors: what else base parameters of links hold */
  const size_t *row;   /* count: of each base parameter of the fit in it */
  ArmParamSet set;
  Origin *origin;      /* of each parameter */
  ArmParamTerm *terms; /* of one */
} Build;

static double between(const ArmDynamicsFit *fit, const Origin *a, const Origin *b) {
  double sum = a->joint == b->joint ? a->spread * b->spread : 0;
  for (size_t i = 0; i < 2; i++)
    for (size_t k = 0; k < 2; k++)
      sum += a->scale[i] * b->scale[k] * fit->covariance[a->place[i] + b->place[k] * fit->unknowns];
  return sum;
}

static Origin alone(size_t place, double scale) {
  return (Origin){.place = {place, place}, .scale = {scale, 0}};
}

/* Appends one, and covers it if there is an sd: predictions use what is not told, too. */
static void place(Build *build, ArmEstimate *at, const ArmEstimate *estimate, Origin origin) {
  const size_t k = build->set.n - 1;
  if (!at)
    return;
  *at = *estimate;
  build->origin[k] = origin;
  if (estimate->identifiable || between(build->fit, &origin, &origin) > 0)
    (void)arm_param_set_cover(&build->set, k);
}

/* Does base parameter b hold column c? */
static bool holds(const Build *build, size_t b, size_t c) {
  const ArmBase *base = build->base;
  const ArmBaseColumn *column = &base->column[c];
  if (c == base->kept[build->row[b]])
    return true;
  if (column->kind == ARM_COLUMN_ROTOR &&
      !arm_dyn_feels_rotor(&build->fit->joint[column->joint].known))
    return false;
  return fabs(base->map[build->row[b] + base->count * c]) >= ARM_BASE_NEGLIGIBLE;
}

static bool is_rotor_held(const Build *build, size_t j) {
  for (size_t c = 0; c < build->base->columns; c++)
    for (size_t b = 0; b < build->fit->count; b++)
      if (build->base->column[c].kind == ARM_COLUMN_ROTOR && build->base->column[c].joint == j &&
          holds(build, b, c))
        return true;
  return false;
}

/* Where it went is said: predictions have it with the base parameters. */
static void add_held_rotor(Build *build, size_t j) {
  const double none = (double)NAN;
  ArmEstimate *at = arm_param_set_add_id(&build->set, ARM_PARAM_ROTOR, j, 0);
  if (at)
    *at = (ArmEstimate){none, none, 0, false, ARM_REASON_REGROUPED};
}

/* ---- Coulomb friction that holds a rotor ---- */

typedef struct {
  bool is_known;
  double value, spread; /* of what it holds [A] */
} Held;

static ArmEstimate with_sd(const Build *build, double value, const Origin *origin) {
  return (ArmEstimate){value, sqrt(fmax(between(build->fit, origin, origin), 0)), value, true,
                       ARM_REASON_NONE};
}

static ArmEstimate without_rotor(double used) {
  const double none = (double)NAN;
  return (ArmEstimate){none, none, used, false, ARM_REASON_ROTOR_NOT_KNOWN};
}

/* k eta Ia changes with log eta, too. */
static Origin origin_of(const Build *build, size_t j, size_t place, double scale, const Held *held,
                        double sign) {
  return (Origin){{place, arm_dynamics_place(build->fit, j, ARM_DYN_OWN)},
                  {scale, sign * held->value},
                  j,
                  sign * held->spread};
}

/* Friction alone. Without the rotor predictions use all of it: of motions it is right. */
static void add_coulomb(Build *build, size_t j, ArmParamKind kind, size_t l, const Held *held) {
  const ArmEstimate *local = &build->fit->joint[j].local[l];
  const Origin origin =
      origin_of(build, j, arm_dynamics_place(build->fit, j, l), 1, held, held->is_known ? -1 : 0);
  const double used = local->used - held->value;
  ArmEstimate estimate = *local;
  estimate.used = used;
  if (local->identifiable)
    estimate = held->is_known ? with_sd(build, used, &origin) : without_rotor(used);
  place(build, arm_param_set_add_id(&build->set, kind, j, 0), &estimate, origin);
}

/* What was estimated: the sum of friction alone and of what follows. */
static void add_sum(Build *build, size_t j, ArmParamKind kind, size_t l) {
  place(build, arm_param_set_add_id(&build->set, kind, j, 0), &build->fit->joint[j].local[l],
        alone(arm_dynamics_place(build->fit, j, l), 1));
}

static void add_rotor_weight(Build *build, size_t j, const Held *held) {
  const Origin origin = origin_of(build, j, 0, 0, held, held->is_known ? 1 : 0);
  const ArmEstimate estimate =
      held->is_known ? with_sd(build, held->value, &origin) : without_rotor(0);
  add_sum(build, j, ARM_PARAM_COULOMB_POS_HELD, ARM_DYN_COULOMB_POS);
  add_sum(build, j, ARM_PARAM_COULOMB_NEG_HELD, ARM_DYN_COULOMB_NEG);
  place(build, arm_param_set_add_id(&build->set, ARM_PARAM_ROTOR_WEIGHT, j, 0), &estimate, origin);
}

static void add_local(Build *build, size_t j) {
  static const ArmParamKind kinds[ARM_DYN_LOCAL] = {ARM_PARAM_COULOMB_POS, ARM_PARAM_VISCOUS_POS,
                                                    ARM_PARAM_COULOMB_NEG, ARM_PARAM_VISCOUS_NEG,
                                                    ARM_PARAM_ROTOR};
  const ArmDynamicsJointFit *joint = &build->fit->joint[j];
  Held held;
  held.value = arm_dynamics_rotor_weight(build->fit, j, &held.spread);
  held.is_known = isfinite(held.spread);
  held.spread = held.is_known ? held.spread : 0;
  const bool is_mixed = !held.is_known || held.spread > 0 || held.value != 0;
  for (size_t l = 0; l < ARM_DYN_LOCAL; l++) {
    if (is_mixed && (l == ARM_DYN_COULOMB_POS || l == ARM_DYN_COULOMB_NEG))
      add_coulomb(build, j, kinds[l], l, &held);
    else if (l != ARM_DYN_ROTOR || joint->known.has[l])
      place(build, arm_param_set_add_id(&build->set, kinds[l], j, 0), &joint->local[l],
            alone(arm_dynamics_place(build->fit, j, l), 1));
  }
  if (!joint->known.has[ARM_DYN_ROTOR] && is_rotor_held(build, j))
    add_held_rotor(build, j);
  if (is_mixed)
    add_rotor_weight(build, j, &held);
}

static void add_constant(Build *build, ArmParamKind kind, size_t j, double value) {
  ArmEstimate *at = arm_param_set_add_id(&build->set, kind, j, 0);
  if (at)
    *at = (ArmEstimate){value, 0, value, true, ARM_REASON_NONE};
}

/* Friction terms that were chosen, with what they lean on. */
static void add_terms(Build *build, size_t j) {
  const ArmDynamicsJointFit *joint = &build->fit->joint[j];
  const ArmDynamicsJoint *known = &joint->known;
  const size_t curve = known->has[ARM_DYN_CURVE_WIDE] ? ARM_DYN_CURVE_WIDE : ARM_DYN_CURVE;
  if (known->has[ARM_DYN_LOAD])
    place(build, arm_param_set_add_id(&build->set, ARM_PARAM_LOAD, j, 0),
          &joint->local[ARM_DYN_LOAD], alone(arm_dynamics_place(build->fit, j, ARM_DYN_LOAD), 1));
  if (known->has[curve])
    place(build, arm_param_set_add_id(&build->set, ARM_PARAM_CURVE, j, 0), &joint->local[curve],
          alone(arm_dynamics_place(build->fit, j, curve), 1));
  if (known->has[ARM_DYN_LOAD]) {
    add_constant(build, ARM_PARAM_SEEN_LEAST, j, known->load_seen[0]);
    add_constant(build, ARM_PARAM_SEEN_MOST, j, known->load_seen[1]);
  }
  if (known->has[curve])
    add_constant(build, ARM_PARAM_CURVE_SPEED, j, known->curve_speed);
  if (known->has[ARM_DYN_LOAD] || known->has[curve])
    add_constant(build, ARM_PARAM_FRICTION_SIGN, j, known->friction_sign);
}

static ArmParamId id_of(const ArmBaseColumn *column) {
  return (ArmParamId){arm_base_kind(column), (unsigned char)column->joint, 0};
}

/* Where no torque constant is stated, eta of the first joint of a group counts as 1: parameters of
 * links are numbers all the same, in that joint's amperes per (A/(N m)). */
static ArmEstimate in_reference(const Build *build, size_t b) {
  const ArmDynamicsFit *fit = build->fit;
  const ArmEstimate *e = &fit->base[b];
  if (e->identifiable || e->reason != ARM_REASON_SCALE_NOT_STATED)
    return *e;
  const double sd = sqrt(fmax(fit->covariance[b + b * fit->unknowns], 0));
  return (ArmEstimate){e->used, sd, e->used, true, ARM_REASON_NONE};
}

static void add_base(Build *build, size_t b) {
  ArmParamTerm *terms = build->terms;
  const ArmBase *base = build->base;
  const size_t row = build->row[b], first = base->kept[row];
  const ArmBaseColumn *own = &base->column[first];
  const ArmParamId id = id_of(own);
  char name[ARM_BASE_NAME];
  size_t n = 0;
  terms[n++] = (ArmParamTerm){id, base->map[row + base->count * first]};
  for (size_t c = 0; c < base->columns; c++)
    if (c != first && holds(build, b, c))
      terms[n++] = (ArmParamTerm){id_of(&base->column[c]), base->map[row + base->count * c]};
  arm_base_name(arm_param_key(id.kind), n > 1, own->joint, name);
  const ArmEstimate estimate = in_reference(build, b);
  const bool is_in_reference = estimate.identifiable && !build->fit->base[b].identifiable;
  const ArmParam param = {
      {ARM_PARAM_BASE, id.i, (unsigned char)(id.kind - ARM_PARAM_XX)},
      name,
      is_in_reference ? arm_param_unit_in_reference(arm_param_info(id.kind)->quantity) : NULL,
      terms,
      n};
  place(build, arm_param_set_add(&build->set, &param), &estimate, alone(b, 1));
}

static void add_eta(Build *build, size_t j) {
  const ArmDynamicsFit *fit = build->fit;
  const ArmEstimate *eta = &fit->joint[j].eta;
  place(build, arm_param_set_add_id(&build->set, ARM_PARAM_ETA, j, 0), eta,
        alone(arm_dynamics_place(fit, j, ARM_DYN_OWN), eta->used));
}

static void add_ratio(Build *build, size_t j) {
  const ArmDynamicsFit *fit = build->fit;
  const ArmEstimate *ratio = &fit->joint[j].to_first;
  size_t first = 0;
  while (fit->group[first] != fit->group[j])
    first++;
  place(build, arm_param_set_add_id(&build->set, ARM_PARAM_ETA_TO_FIRST, j, 0), ratio,
        (Origin){.place = {arm_dynamics_place(fit, j, ARM_DYN_OWN),
                           arm_dynamics_place(fit, first, ARM_DYN_OWN)},
                 .scale = {first == j ? 0 : ratio->used, first == j ? 0 : -ratio->used}});
}

/* ---- covariance ---- */

static void fill_covariance(Build *build) {
  const size_t m = build->set.n_covered;
  for (size_t a = 0; a < m; a++)
    for (size_t b = 0; b < m; b++) {
      const double both = between(build->fit, &build->origin[build->set.covered[a]],
                                  &build->origin[build->set.covered[b]]);
      build->set.covariance[a + b * m] =
          a == b ? fmax(both, 0) : both; /* rounding of differences */
    }
}

/* ---- all ---- */

static size_t count_terms(const Build *build) {
  size_t terms = 0;
  for (size_t b = 0; b < build->fit->count; b++)
    for (size_t c = 0; c < build->base->columns; c++)
      terms += holds(build, b, c);
  return terms;
}

/* What base parameters of links are with friction and rotors beside is what `base` says of them:
 * as many, of the same names, and in the same order. */
static ArmStatus find_rows(const ArmBase *links, const ArmBase *whole, size_t *row) {
  size_t k = 0;
  for (size_t b = 0; b < links->count; b++, k++) {
    while (k < whole->count && whole->kept[k] != links->kept[b])
      k++;
    if (k == whole->count)
      return ARM_E_ARGUMENT; /* a base of another model */
    row[b] = k;
  }
  return ARM_OK;
}

static bool is_scale_stated(const ArmDynamicsFit *fit) {
  for (size_t g = 0; g < fit->n_groups; g++)
    if (fit->scale[g] != ARM_SCALE_DATASHEET)
      return false;
  return fit->has_converged;
}

static void fill(Build *build, const ArmModel *model) {
  const ArmDynamicsFit *fit = build->fit;
  build->set.is_scale_stated = is_scale_stated(fit);
  build->set.n_groups = fit->n_groups;
  build->set.is_of_motion = true;
  for (size_t j = 0; j < fit->n; j++) {
    build->set.type[j] = model->joints[j].type;
    build->set.is_torque[j] = fit->joint[j].known.is_torque;
    build->set.group[j] = fit->group[j];
    build->set.joint[j] = fit->joint[j].statistics;
    add_local(build, j);
    add_terms(build, j);
  }
  for (size_t b = 0; b < fit->count; b++)
    add_base(build, b);
  for (size_t j = 0; j < fit->n; j++) { /* in the order of files, which is that of reading */
    add_eta(build, j);
    add_ratio(build, j);
  }
}

/* With room for as many in the covariance. */
static ArmStatus build_with(Build *build, const ArmModel *model, size_t covered) {
  const ArmDynamicsFit *fit = build->fit;
  const ArmParamRoom room = {.params = fit->count + (MOST_OF_JOINT + CONSTANTS) * fit->n,
                             .covered = covered,
                             .terms = count_terms(build),
                             .text = (ARM_BASE_NAME + UNIT) * fit->count};
  const ArmStatus status = arm_param_set_init(&build->set, fit->n, &room);
  if (status == ARM_OK)
    fill(build, model);
  return status;
}

static ArmStatus build_all(Build *build, const ArmModel *model, ArmParamSet *set) {
  const ArmDynamicsFit *fit = build->fit;
  const size_t most = fit->count + MOST_OF_JOINT * fit->n;
  build->terms = calloc(build->base->columns + 1, sizeof *build->terms);
  build->origin = calloc(most + CONSTANTS * fit->n + 1, sizeof *build->origin);
  ArmStatus status = build->terms && build->origin ? build_with(build, model, most) : ARM_E_MEMORY;
  if (status == ARM_OK && build->set.n_covered < most) { /* now it is known how many there are */
    const size_t covered = build->set.n_covered;
    arm_param_set_clear(&build->set);
    status = build_with(build, model, covered);
  }
  if (status == ARM_OK) {
    fill_covariance(build);
    *set = build->set;
  }
  free(build->terms);
  free(build->origin);
  return status;
}

ArmStatus arm_dynamics_set(const ArmDynamicsFit *fit, const ArmModel *model, const ArmBase *base,
                           ArmParamSet *set) {
  if (base->count != fit->count || base->with != 0 || base->n != fit->n || model->n != fit->n)
    return ARM_E_ARGUMENT;
  ArmBase *whole = NULL;
  size_t *row = calloc(fit->count + 1, sizeof *row);
  ArmStatus status = !row ? ARM_E_MEMORY
                          : arm_base_new(model, ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR,
                                         ARM_BASE_CLOSED_FORM, &whole);
  if (status == ARM_OK)
    status = find_rows(base, whole, row);
  if (status == ARM_OK) {
    Build build = {.fit = fit, .base = whole, .row = row};
    status = build_all(&build, model, set);
  }
  arm_base_free(whole);
  free(row);
  return status;
}
