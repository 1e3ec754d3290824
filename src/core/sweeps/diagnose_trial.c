/* SPDX-License-Identifier: MIT */
/* The fit on strokes again, with one cause supposed: Gauss-Newton on its size, at each of which the
 * rows follow from hold, cos q and sin q of the strokes and all other parameters are fitted anew.
 * Source: Armature theory notes, lack of fit, section 5.1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/diagnose_internal.h"

/* Steps of at most 0.3 rad or 30 %, and a ridge of 2 |k*| of the joint outboard on what a tilt
 * frees (Armature theory notes, lack of fit, section 5.1: without it k*_1 grows without bound at
 * zero tilt). A step that explains less than LEAST_GAIN is not worth a fit, as what differs by 6 is
 * tied. Chosen: nor is one that explains less than LEAST_PART of chi2, where much is left that no
 * size of the cause explains; and a row with SILENT times its sd is silent, at 1e-12 of its weight.
 */
enum { MAX_STEPS = 6, MAX_PARTS = 4, D = ARM_CAUSE_VALUES };
#define MOST_ANGLE 0.3
#define LEAST_GAIN 0.3
#define LEAST_PART 1e-5
#define FIT_GOAL   1e-5 /* leaves a hundredth of it, far below what is tied */
#define RIDGE      2.0
#define SILENT     1e6

/* ---- a base that leans ---- */

/* does joint i see the load of the cluster of j? */
static bool reaches(const ArmIdentTree *tree, const ArmStructure *s, size_t i, size_t j) {
  for (size_t k = i + 1; k < tree->n; k++)
    if (s->reaches[i][k] && arm_ident_tree_path(tree, NULL, j, k, NULL))
      return true;
  return false;
}

/* Joints whose axis is vertical without the tilt get parameters of their own, and the ratio to what
 * they carry from the data sheet. Returns how many parameters. */
static size_t extend_tree(ArmTrial *t, const ArmStructure *s, size_t *ridges) {
  ArmIdentTree *tree = &t->ident.tree;
  const size_t before = tree->count;
  *ridges = 0;
  for (size_t i = tree->n; i-- > 0;) {
    if (tree->own_count[i] > 0 || tree->is_unswept[i] || !s->has_own[i])
      continue;
    arm_ident_tree_add_own(tree, s, i);
    tree->is_node[i] = true;
    *ridges += tree->own_count[i];
  }
  for (size_t i = tree->n; i-- > 0;)
    for (size_t j = i + 1; j < tree->n && tree->own[i] >= before; j++)
      if (tree->own_count[i] > 0 && tree->is_node[j] && tree->parent[j] < 0 &&
          reaches(tree, s, i, j)) {
        arm_ident_tree_add_edge(tree, i, j);
        arm_ident_prior(&t->model, i, j, t->ident.is_torque_ratio, &tree->prior_mean[j],
                        &tree->prior_sd[j]);
      }
  return tree->count - before;
}

/* A ratio of which the arm file knows nothing must not begin at 0, where no tilt can be seen in the
 * joint; its sign is unknown too. Returns whether there is one. */
static bool start_ratios(ArmTrial *t, size_t first, double sign) {
  const ArmIdentTree *tree = &t->ident.tree;
  bool has_unknown = false;
  for (size_t j = 0; j < tree->n; j++) {
    if (tree->edge[j] == ARM_IDENT_NONE || tree->edge[j] < first)
      continue;
    const bool is_known = tree->prior_mean[j] != 0.0;
    t->fit.phi[tree->edge[j]] = is_known ? tree->prior_mean[j] : sign * tree->prior_sd[j];
    has_unknown |= !is_known;
  }
  return has_unknown;
}

/* k* of a vertical axis may be twice what the joint outboard of it has: without a limit it goes to
 * infinity at zero tilt and imitates a ripple */
static void set_ridges(ArmTrial *t, size_t first) {
  const ArmIdentTree *tree = &t->ident.tree;
  const double *phi = t->fit.phi;
  size_t count = 0;
  for (size_t i = 0; i < tree->n; i++) {
    double size = 0.0;
    if (tree->own_count[i] == 0 || tree->own[i] < first)
      continue;
    for (size_t j = i + 1; j < tree->n; j++)
      for (size_t a = 0;
           tree->parent[j] == (int)i && tree->edge[j] != ARM_IDENT_NONE && a < tree->own_count[j];
           a++)
        size = hypot(size, phi[tree->own[j] + a] * phi[tree->edge[j]]);
    for (size_t a = 0; a < tree->own_count[i]; a++)
      t->fit.ridge[count++] = (ArmRidge){tree->own[i] + a, size > 0.0 ? RIDGE * size : 1.0};
  }
}

/* ---- setting up ---- */

static ArmStatus copy_strokes(ArmTrial *t, const ArmStrokes *strokes) {
  const size_t i = t->cause->joint, j = t->cause->other;
  ArmStatus status = ARM_OK;
  t->strokes = (ArmStrokes){.shelf = t->ident.shelf};
  t->strokes.at = arm_shelf_take(t->ident.shelf, strokes->count + 1, sizeof *strokes->at, &status);
  if (!t->strokes.at)
    return status;
  t->strokes.count = t->strokes.room = strokes->count;
  for (size_t s = 0; s < strokes->count; s++) {
    ArmStroke *at = &t->strokes.at[s];
    *at = strokes->at[s];
    arm_shelf_saw(t->ident.shelf, 2 * sizeof *at);
    const double q = at->q_sum[i];
    at->q_sum[i] = at->q_sum[j];
    at->q_sum[j] = q;
    at->joint = at->joint == i ? j : at->joint == j ? i : at->joint;
  }
  return ARM_OK;
}

static size_t swapped(const ArmTrial *t, size_t i) {
  if (t->cause->code != ARM_CAUSE_SWAPPED_JOINTS)
    return i;
  return i == t->cause->joint ? t->cause->other : i == t->cause->other ? t->cause->joint : i;
}

/* values, noise and trend of the fit that was judged */
static void take_over(ArmTrial *t) {
  const ArmIdentTree *tree = &t->ident.tree, *old = &t->base->ident->tree;
  memcpy(t->fit.phi, t->base->phi, old->count * sizeof *t->fit.phi);
  for (size_t i = 0; i < tree->n; i++) {
    const size_t from = swapped(t, i);
    const ArmJointStrokes *joint = &t->base->joint[from];
    memcpy(t->fit.joint[i].s, joint->s, sizeof joint->s);
    memcpy(t->fit.joint[i].nu, joint->nu, sizeof joint->nu);
    t->fit.joint[i].has_replicates = joint->has_replicates;
    t->fit.joint[i].is_patchy = joint->is_patchy;
    t->fit.joint[i].still = joint->still;
    t->fit.joint[i].tau = joint->tau;
    memcpy(t->fit.phi + tree->friction[i], t->base->phi + old->friction[from],
           4 * sizeof *t->fit.phi);
    t->fit.phi[tree->count + i] = t->base->phi[old->count + from];
  }
  if (t->cause->code == ARM_CAUSE_SWAPPED_JOINTS) {
    arm_stroke_fit_trend(&t->fit);
  } else {
    for (size_t s = 0; s < t->fit.n_strokes; s++) {
      memcpy(t->fit.strokes[s].rows.trend, t->base->strokes[s].rows.trend,
             sizeof t->fit.strokes[s].rows.trend);
      arm_shelf_saw(t->fit.shelf, 2 * sizeof *t->fit.strokes);
    }
    for (size_t p = 0; p < t->fit.n_pairs; p++) {
      memcpy(t->fit.pairs[p].rows.trend, t->base->pairs[p].rows.trend,
             sizeof t->fit.pairs[p].rows.trend);
      arm_shelf_saw(t->fit.shelf, 2 * sizeof *t->fit.pairs);
    }
  }
  arm_stroke_fit_weigh(&t->fit);
}

/* R = Rx(beta): the sign of beta is that of its sine */
static void flip_angle(ArmJoint *joint) {
  joint->rotation[5] = -joint->rotation[5];
  joint->rotation[7] = -joint->rotation[7];
}

static void mark_all(ArmTrial *t) {
  for (size_t s = 0; s < t->fit.n_strokes; s++) {
    t->fit.strokes[s].has_extra = true;
    arm_shelf_saw(t->fit.shelf, sizeof *t->fit.strokes);
  }
}

static void mark_loaded(ArmTrial *t) {
  for (size_t s = 0; s < t->fit.n_strokes; s++) {
    const ArmStroke *sums = t->fit.strokes[s].sums;
    t->fit.strokes[s].has_extra =
        isnan(t->cause->time) ? sums->hold == t->cause->hold : sums->t_first >= t->cause->time;
    arm_shelf_saw(t->fit.shelf, sizeof *t->fit.strokes + sizeof *sums);
  }
}

static ArmStatus set_up_tilt(ArmTrial *t, size_t *ridges) {
  static const double some[2] = {0.11, 0.07};
  ArmModel *tilted = malloc(sizeof *tilted);
  ArmStructure *s = malloc(sizeof *s);
  ArmStatus status = tilted && s ? ARM_OK : ARM_E_MEMORY;
  arm_lean_axes(t->model.gravity_m_s2, t->axis);
  if (status == ARM_OK) {
    *tilted = t->model;
    arm_lean(t->model.gravity_m_s2, t->axis, some, tilted->gravity_m_s2);
    status = arm_structure_find(tilted, s);
  }
  if (status == ARM_OK)
    t->cause->dof = 2.0 + (double)extend_tree(t, s, ridges);
  free(tilted);
  free(s);
  return status;
}

ArmStatus arm_trial_init(ArmTrial *t, const ArmStrokeFit *base, const ArmStrokes *strokes,
                         ArmCause *cause) {
  size_t ridges = 0;
  memset(t, 0, sizeof *t);
  t->cause = cause;
  t->base = base;
  t->gain = 1.0;
  t->model = *base->ident->model;
  t->ident = *base->ident;
  t->ident.model = &t->model;
  t->ident.last = NULL;
  ArmStatus status = ARM_OK;
  if (cause->code == ARM_CAUSE_DH_SIGN)
    flip_angle(&t->model.joints[cause->joint]);
  if (cause->code == ARM_CAUSE_SWAPPED_JOINTS)
    status = copy_strokes(t, strokes);
  if (cause->code == ARM_CAUSE_BASE_TILT)
    status = set_up_tilt(t, &ridges);
  if (status == ARM_OK)
    status = arm_stroke_fit_init_ridged(&t->ident, t->strokes.at ? &t->strokes : strokes, ridges,
                                        &t->fit);
  if (status != ARM_OK)
    return status;
  const size_t size = (t->fit.rows + t->fit.priors) * D;
  t->z = arm_shelf_take(t->fit.shelf, 3 * size + t->fit.block_size + 1, sizeof *t->z, &status);
  if (!t->z)
    return status;
  t->few = t->z + size;
  t->more = t->few + size;
  t->kept = t->more + size;
  take_over(t);
  if (cause->code == ARM_CAUSE_RIPPLE && !arm_diagnose_columns(&t->fit, cause, t->more))
    return ARM_E_NUMERIC;
  (void)start_ratios(t, base->ident->tree.count, 1.0);
  set_ridges(t, base->ident->tree.count);
  t->fit.warp = &t->warp;
  return ARM_OK;
}

void arm_trial_clear(ArmTrial *t) {
  arm_stroke_fit_clear(&t->fit);
  arm_strokes_clear(&t->strokes);
  arm_shelf_give(t->ident.shelf, t->z);
  t->z = NULL;
}

/* ---- fitting ---- */

static double step_limit(const ArmTrial *t, const double *step) {
  double size = 0.0;
  if (t->cause->code == ARM_CAUSE_PAYLOAD_CHANGED)
    return 1.0;
  for (size_t c = 0; c < t->cause->values; c++)
    size = hypot(size, step[c]);
  return size > MOST_ANGLE ? MOST_ANGLE / size : 1.0;
}

/* goes along the step as far as the cost falls; false: nowhere */
static bool go(ArmTrial *t, const double *step, double *cost) {
  double phi[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], p[D], part = step_limit(t, step);
  memcpy(phi, t->fit.phi, sizeof phi);
  memcpy(p, t->p, sizeof p);
  for (int k = 0; k < MAX_PARTS; k++, part *= 0.3) {
    for (size_t c = 0; c < t->cause->values; c++)
      t->p[c] = p[c] + part * step[c];
    arm_trial_apply(t);
    if (arm_stroke_fit_minimise(&t->fit, FIT_GOAL) == ARM_OK && t->fit.cost < *cost) {
      *cost = t->fit.cost;
      return true;
    }
    memcpy(t->fit.phi, phi, sizeof phi);
  }
  memcpy(t->p, p, sizeof p);
  arm_trial_apply(t);
  return false;
}

static void keep(ArmTrial *t, double cost, const double *sd) {
  ArmCause *cause = t->cause;
  if (cause->is_refitted && !(t->base->cost - cost > cause->explained))
    return;
  arm_stroke_fit_evaluate(&t->fit, false);
  arm_stroke_fit_weighted(&t->fit, t->fit.work);
  cause->rest = 0.0;
  for (size_t k = 0; k < t->fit.rows; k++)
    cause->rest += t->fit.work[k] * t->fit.work[k] / (double)t->fit.rows;
  arm_shelf_saw(t->fit.shelf, t->fit.rows * sizeof *t->fit.work);
  cause->explained = t->base->cost - cost;
  cause->left = arm_diagnose_missed(&t->fit, swapped(t, t->worst), t->fit.work);
  cause->explains_it = cause->rest <= ARM_REST_EXPLAINED &&
                       arm_stroke_fit_linearise(&t->fit) == ARM_OK &&
                       arm_stroke_fit_is_noise(&t->fit, swapped(t, t->worst), NULL);
  cause->is_refitted = true;
  for (size_t c = 0; c < cause->values; c++) {
    cause->value[c] = t->p[c];
    cause->sd[c] = sd[c];
  }
  memcpy(cause->gravity, t->model.gravity_m_s2, sizeof cause->gravity);
}

/* Goes over the rows of strokes, those with the payload or those without. */
static void each_row(ArmTrial *t, bool has_extra, void (*f)(ArmTrial *t, size_t row)) {
  for (size_t i = 0; i < t->model.n; i++) {
    const ArmJointStrokes *joint = &t->fit.joint[i];
    size_t row = joint->first_row;
    for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
      arm_shelf_saw(t->fit.shelf, sizeof *t->fit.pairs + sizeof *t->fit.strokes +
                                      ARM_PAIR_ROWS * D * sizeof *t->z);
      for (size_t k = 0; k < ARM_PAIR_ROWS; k++, row++)
        if (t->fit.strokes[t->fit.pairs[p].plus].has_extra == has_extra)
          f(t, row);
    }
    for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
      arm_shelf_saw(t->fit.shelf, sizeof *t->fit.strokes + ARM_STROKE_ORDERS * D * sizeof *t->z);
      for (size_t k = 0; k < ARM_STROKE_ORDERS && !t->fit.strokes[s].is_paired; k++, row++)
        if (t->fit.strokes[s].has_extra == has_extra)
          f(t, row);
    }
  }
}

static void clear_row(ArmTrial *t, size_t row) {
  for (size_t c = 0; c < D; c++)
    t->z[row + c * (t->fit.rows + t->fit.priors)] = 0.0;
}

void arm_trial_load_columns(ArmTrial *t) {
  const size_t size = (t->fit.rows + t->fit.priors) * D;
  memset(t->p, 0, sizeof t->p);
  if (!t->has_loaded) {
    mark_all(t); /* they do not depend on which ones have it */
    arm_trial_columns(t);
    arm_shelf_copy(t->fit.shelf, t->few, t->z, size);
    t->has_loaded = true;
  }
  mark_loaded(t);
  arm_shelf_copy(t->fit.shelf, t->z, t->few, size);
  each_row(t, false, clear_row);
}

/* Rows with the payload count as nothing: the fit of all rows has bent its ratios after them, and
 * from there Gauss-Newton ends elsewhere. */
static void silence_row(ArmTrial *t, size_t row) {
  t->fit.sd[row] *= SILENT;
}

static ArmStatus start_without_load(ArmTrial *t) {
  mark_loaded(t);
  each_row(t, true, silence_row);
  const ArmStatus status = arm_stroke_fit_minimise(&t->fit, FIT_GOAL);
  arm_stroke_fit_weigh(&t->fit);
  return status;
}

/* What the cause explains by a linear step from here. */
static ArmStatus score_step(ArmTrial *t, ArmScore *score) {
  ArmStrokeFit few;
  arm_trial_columns(t);
  ArmStatus status = arm_stroke_fit_compact(&t->fit, t->cause->values, t->z, &few, t->few);
  if (status == ARM_OK)
    status = arm_stroke_fit_linearise(&few);
  if (status == ARM_OK)
    *score = arm_diagnose_score(&few, t->cause->values, t->few);
  return status == ARM_E_NOT_FINITE ? ARM_E_NUMERIC : status;
}

static ArmStatus solve(ArmTrial *t) {
  double sd[D] = {0};
  ArmStatus status = ARM_OK;
  arm_trial_apply(t);
  if (t->cause->code == ARM_CAUSE_PAYLOAD_CHANGED)
    status = start_without_load(t);
  else
    status = arm_stroke_fit_minimise(&t->fit, FIT_GOAL);
  t->fit.cost = arm_stroke_fit_weighted(&t->fit, t->fit.work);
  double cost = t->fit.cost;
  for (int k = 0; k < MAX_STEPS && t->cause->values > 0 && status == ARM_OK; k++) {
    ArmScore score;
    status = score_step(t, &score);
    if (status != ARM_OK)
      break;
    memcpy(sd, score.sd, sizeof sd);
    if (score.explained <= fmax(LEAST_GAIN, LEAST_PART * cost) || !go(t, score.value, &cost))
      break;
  }
  if (status == ARM_OK)
    keep(t, cost, sd);
  return status;
}

ArmStatus arm_trial_solve(ArmTrial *t) {
  const size_t first = t->base->ident->tree.count;
  ArmStatus status = solve(t);
  if (t->cause->code != ARM_CAUSE_BASE_TILT || status != ARM_OK)
    return status;
  take_over(t);
  memset(t->p, 0, sizeof t->p);
  memset(t->fit.phi + first, 0, (t->ident.tree.count - first) * sizeof *t->fit.phi);
  return start_ratios(t, first, -1.0) ? solve(t) : ARM_OK;
}
