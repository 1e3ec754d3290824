/* SPDX-License-Identifier: MIT */
/* From theta to what a person reads: estimates with sd, what is not identifiable and why, every
 * ratio inside a cluster, and the covariance of all of it. */
#include "core/sweeps/ident_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Another parameter is borrowed knowledge when the prior on a ratio shrinks its sd
 * ARM_IDENT_BORROWED times; but without noise both sds are rounding, parts of the value that depend
 * on the processor. Nor is it borrowed when priors as many times as wide leave its sd where it is:
 * a ratio to a joint that carries nothing is not known from the data alone, and only what no ratio
 * can be, a hundred, would move others. Then its sd grows by 5 % at most (1200 fits of the arm of
 * Table I); one that rests on the prior grows 2.2 to 3 times. */
#define EXACT             1e-10
#define STANDS            1.2
#define SAME_SPEED_SQUARE 1e-18 /* of a speed's: rounding of equal ones, 1e-9 */

typedef struct {
  const ArmIdent *ident;
  const ArmIdentResult *result;
  ArmGravityParameters *out;
} Report;

static double posterior_sd(const Report *report, size_t at) {
  const size_t count = report->ident->tree.count;
  return sqrt(fmax(0.0, report->result->covariance[at + at * count]));
}

static ArmEstimate refused(double used, ArmReason reason) {
  return (ArmEstimate){(double)NAN, (double)NAN, used, false, reason};
}

/* a column of the joint's triangle has no rows behind it */
static bool has_direction(const ArmIdentRows *rows, size_t column) {
  const double *t = rows->triangle + column * (rows->columns + 1);
  double sum = 0.0;
  for (size_t k = 0; k <= column; k++)
    sum += t[k] * t[k];
  return sum > 0.0;
}

static bool has_two_speeds(const ArmIdentRows *rows, size_t coulomb) {
  const size_t width = rows->columns + 1;
  const double *e = rows->triangle + coulomb * width, *v = e + width;
  double ee = 0.0, ev = 0.0, vv = 0.0, rest = 0.0;
  for (size_t k = 0; k <= coulomb + 1; k++) {
    ee += e[k] * e[k];
    ev += e[k] * v[k];
    vv += v[k] * v[k];
  }
  for (size_t k = 0; k <= coulomb + 1; k++) {
    const double r = v[k] - ev / ee * e[k];
    rest += r * r;
  }
  return rest > SAME_SPEED_SQUARE * vv;
}

/* the load of an unswept joint that joint i carries cannot be told from the rest */
static bool carries_unknown(const Report *report, size_t i) {
  const ArmIdentTree *tree = &report->ident->tree;
  for (size_t j = i + 1; j < tree->n; j++)
    for (size_t a = 0; tree->is_unswept[j] && a < tree->own_count[j]; a++)
      if (report->result->null_data[tree->own[j] + a] > ARM_IDENT_NULL_SHARE &&
          arm_ident_tree_path(tree, NULL, i, j, NULL))
        return true;
  return false;
}

static ArmReason rowless_reason(const Report *report, size_t i) {
  return arm_rows_are_left_out(report->ident->rows_by_use[i]) ? ARM_REASON_ROWS_LEFT_OUT
                                                              : ARM_REASON_NO_ROWS;
}

static ArmReason unseen_reason(const Report *report, size_t i, size_t at) {
  const ArmIdentRows *rows = &report->ident->rows[i];
  const ArmIdentTree *tree = &report->ident->tree;
  if (rows->rows == 0)
    return rowless_reason(report, i);
  const bool is_friction = at >= tree->friction[i] && at < tree->friction[i] + 4;
  const size_t coulomb = 2 * (tree->n - i) + (is_friction ? (at - tree->friction[i]) / 2 * 2 : 0);
  if (is_friction && !has_direction(rows, coulomb))
    return ARM_REASON_ONE_DIRECTION;
  if (at == tree->acceleration[i] && !has_direction(rows, 2 * (tree->n - i) + 4))
    return ARM_REASON_NO_ACCELERATION;
  if (rows->rows <= report->result->stats[i].rank)
    return ARM_REASON_TOO_FEW_ROWS;
  if (at == tree->acceleration[i] || at == tree->term[i][ARM_TERM_LOAD] ||
      at == tree->term[i][ARM_TERM_CURVE])
    return ARM_REASON_DEPENDS_ON_OTHER;
  if (is_friction)
    return has_two_speeds(rows, coulomb) ? ARM_REASON_DEPENDS_ON_OTHER : ARM_REASON_ONE_SPEED;
  if (at < tree->friction[i] &&
      (!has_direction(rows, at - tree->own[i]) || (tree->is_fixed[at] && tree->own_count[i] == 2)))
    return ARM_REASON_LOAD_UNSEEN;
  return carries_unknown(report, i) ? ARM_REASON_NEVER_SWEPT : ARM_REASON_HOLDS_TOO_SIMILAR;
}

/* known only together with another parameter, whose prior keeps it where it is */
static bool is_borrowed(const ArmIdentResult *result, size_t at, double sd) {
  const double wide = result->sd_wide[at];
  return result->sd_data[at] > ARM_IDENT_BORROWED * sd &&
         result->sd_data[at] > EXACT * fabs(result->theta[at]) &&
         !(wide > 0.0 && wide <= STANDS * sd);
}

/* own, friction and acceleration parameters */
static ArmEstimate estimate_of(const Report *report, size_t i, size_t at) {
  const ArmIdentResult *result = report->result;
  const double value = result->theta[at], sd = posterior_sd(report, at);
  if (report->ident->rows[i].rows == 0)
    return refused(value, rowless_reason(report, i));
  if (report->ident->rows[i].rms_y == 0.0)
    return refused(value, ARM_REASON_CURRENT_ZERO);
  if (arm_plausible_is_constant(&report->ident->scan.joint[i]))
    return refused(value, ARM_REASON_CURRENT_CONSTANT);
  if (result->null_data[at] > ARM_IDENT_NULL_SHARE)
    return refused(value, unseen_reason(report, i, at));
  if (report->ident->rows[i].rows <= result->stats[i].rank)
    return refused(value, ARM_REASON_TOO_FEW_ROWS);
  if (is_borrowed(result, at, sd))
    return refused(value, ARM_REASON_DEPENDS_ON_OTHER);
  return (ArmEstimate){value, sd, value, true, ARM_REASON_NONE};
}

/* a ratio to a joint that does not know its own load is known only as a product with that load */
static bool knows_load(const Report *report, size_t i) {
  const ArmIdentTree *tree = &report->ident->tree;
  if (report->ident->rows[i].rows <= report->result->stats[i].rank)
    return false;
  for (size_t at = tree->own[i]; at < tree->own[i] + tree->own_count[i]; at++)
    if (tree->is_fixed[at] ? tree->own_count[i] == 1
                           : report->result->null_post[at] > ARM_IDENT_NULL_SHARE)
      return false;
  return true;
}

static ArmReason edge_reason(const Report *report, size_t child) {
  const ArmIdentTree *tree = &report->ident->tree;
  const ArmIdentResult *result = report->result;
  const size_t at = tree->edge[child], parent = (size_t)tree->parent[child];
  if (tree->is_unswept[child])
    return ARM_REASON_NEVER_SWEPT;
  if (result->null_data[at] > ARM_IDENT_NULL_SHARE)
    return carries_unknown(report, parent) ? ARM_REASON_NEVER_SWEPT : ARM_REASON_HOLDS_TOO_SIMILAR;
  if (report->ident->rows[parent].rows <= result->stats[parent].rank)
    return ARM_REASON_TOO_FEW_ROWS;
  if (!knows_load(report, child))
    return ARM_REASON_DEPENDS_ON_OTHER;
  if (!(result->sd_data[at] <= ARM_IDENT_WEAK * tree->prior_sd[child]))
    return ARM_REASON_TOO_WEAK;
  return ARM_REASON_NONE;
}

/* innermost joint from which both i and j are reached */
static size_t common_ancestor(const ArmIdentTree *tree, size_t i, size_t j) {
  size_t at = i;
  while (!arm_ident_tree_path(tree, NULL, at, j, NULL))
    at = (size_t)tree->parent[at];
  return at;
}

/* rho_ij and its gradient over theta; false when it divides by a ratio that is 0 */
static bool ratio_gradient(const Report *report, size_t i, size_t j, double *rho, double *gradient,
                           ArmReason *reason) {
  const ArmIdentTree *tree = &report->ident->tree;
  const double *theta = report->result->theta;
  const double *spread = report->result->spread;
  const size_t top = common_ancestor(tree, i, j);
  double to_i = 1.0, to_j = 1.0;
  arm_ident_tree_path(tree, theta, top, i, &to_i);
  arm_ident_tree_path(tree, theta, top, j, &to_j);
  *rho = to_j / to_i;
  arm_ident_tree_path(tree, spread, top, i, &to_i);
  arm_ident_tree_path(tree, spread, top, j, &to_j);
  memset(gradient, 0, tree->count * sizeof *gradient);
  *reason = ARM_REASON_NONE;
  for (int leg = 0; leg < 2; leg++) {
    for (size_t at = leg == 0 ? j : i; at != top; at = (size_t)tree->parent[at]) {
      const ArmReason edge = edge_reason(report, at);
      double others = leg == 0 ? 1.0 / to_i : -to_j / (to_i * to_i);
      for (size_t k = leg == 0 ? j : i; k != top; k = (size_t)tree->parent[k])
        others *= k == at || tree->edge[k] == ARM_IDENT_NONE ? 1.0 : spread[tree->edge[k]];
      if (tree->edge[at] != ARM_IDENT_NONE)
        gradient[tree->edge[at]] = others;
      *reason = edge != ARM_REASON_NONE ? edge : *reason;
    }
  }
  return isfinite(*rho);
}

static double quadratic(const double *g, const double *covariance, const double *h, size_t count) {
  double sum = 0.0;
  for (size_t b = 0; b < count; b++) {
    double column = 0.0;
    for (size_t a = 0; a < count && h[b] != 0.0; a++)
      column += g[a] * covariance[a + b * count];
    sum += column * h[b];
  }
  return sum;
}

static void report_joint(const Report *report, size_t i) {
  const ArmIdent *ident = report->ident;
  const ArmIdentTree *tree = &ident->tree;
  const ArmIdentStats *stats = &report->result->stats[i];
  ArmJointFit *joint = &report->out->joint[i];
  joint->rows_used = ident->rows[i].rows;
  memcpy(joint->rows_by_use, ident->rows_by_use[i], sizeof joint->rows_by_use);
  joint->columns = stats->columns;
  joint->rank = stats->rank;
  joint->cond_raw = stats->cond_raw;
  joint->cond_equilibrated = stats->cond_equilibrated;
  joint->cond_centred = stats->cond_centred;
  joint->residual_sd = stats->residual_sd;
  joint->r2 = stats->r2;
  joint->max_abs = stats->max_abs;
  joint->lag1 = stats->lag1;
  joint->widening = stats->widening;
  joint->unsteady = ident->is_of_sums[i] ? arm_sums_unsteady(ident->sums, i) : 0.0;
  joint->has_acceleration = ident->has_acceleration;
  for (size_t a = 0; a < 2; a++)
    joint->w[a] =
        a < tree->own_count[i]
            ? estimate_of(report, i, tree->own[i] + a)
            : refused(0.0, tree->own_count[i] > 0
                               ? ARM_REASON_NONE
                               : arm_structure_reason(ident->model, &ident->structure, i));
  for (size_t f = 0; f < 4; f++)
    joint->friction[f] = estimate_of(report, i, tree->friction[i] + f);
  joint->acceleration = ident->has_acceleration ? estimate_of(report, i, tree->acceleration[i])
                                                : refused(0.0, ARM_REASON_NONE);
}

static void report_terms(const Report *report, size_t i) {
  const ArmIdentTerms *terms = &report->ident->terms[i];
  ArmJointFit *joint = &report->out->joint[i];
  memcpy(joint->has_term, terms->has, sizeof joint->has_term);
  memcpy(joint->trial, terms->trial, sizeof joint->trial);
  memcpy(joint->load_seen, terms->seen, sizeof joint->load_seen);
  joint->term_sign = terms->sign;
  joint->curve_speed = terms->curve_speed;
  for (int t = 0; t < ARM_TERMS; t++)
    joint->term[t] = terms->has[t] ? estimate_of(report, i, report->ident->tree.term[i][t])
                                   : refused(0.0, ARM_REASON_NONE);
}

static void number_clusters(const ArmIdentTree *tree, ArmGravityParameters *out) {
  for (size_t i = 0; i < tree->n; i++) {
    out->cluster[i] = -1;
    if (!tree->is_node[i])
      continue;
    out->cluster[i] = tree->parent[i] < 0 ? (int)out->n_clusters++ : out->cluster[tree->parent[i]];
  }
}

/* one row of the map from theta to the reported parameters; false: not part of the covariance */
static bool reported_gradient(const Report *report, ArmParamId id, double *gradient) {
  const ArmIdentTree *tree = &report->ident->tree;
  size_t at = tree->acceleration[id.i], measured = id.i; /* the joint whose rows it is found from */
  double rho;
  ArmReason reason;
  if (id.kind == ARM_PARAM_RATIO)
    return ratio_gradient(report, id.i, id.j, &rho, gradient, &reason);
  if (id.kind <= ARM_PARAM_MHAT) {
    at = tree->own[id.i] + (id.kind == ARM_PARAM_KY ? 1 : 0);
    measured =
        tree->is_unswept[id.i] && tree->parent[id.i] >= 0 ? (size_t)tree->parent[id.i] : id.i;
  } else if (id.kind == ARM_PARAM_LOAD || id.kind == ARM_PARAM_CURVE) {
    at = tree->term[id.i][id.kind - ARM_PARAM_LOAD];
  } else if (id.kind < ARM_PARAM_ACCELERATION) {
    at = tree->friction[id.i] + (size_t)(id.kind - ARM_PARAM_COULOMB_POS);
  }
  memset(gradient, 0, tree->count * sizeof *gradient);
  gradient[at] = 1.0;
  const bool has_noise = report->ident->rows[measured].rows > report->result->stats[measured].rank;
  return has_noise && report->result->null_post[at] <= ARM_IDENT_NULL_SHARE;
}

static void append_id(const Report *report, ArmParamId id, double *gradients) {
  ArmGravityParameters *out = report->out;
  if (reported_gradient(report, id, gradients + out->n_ids * report->ident->tree.count))
    out->ids[out->n_ids++] = id;
}

static void list_ids(const Report *report, double *gradients) {
  const ArmIdentTree *tree = &report->ident->tree;
  for (size_t i = 0; i < tree->n; i++) {
    const unsigned char joint = (unsigned char)i;
    for (size_t a = 0; a < tree->own_count[i]; a++)
      append_id(report,
                (ArmParamId){tree->own_count[i] == 1 ? ARM_PARAM_MHAT : (ArmParamKind)a, joint, 0},
                gradients);
    for (int f = 0; f < 4; f++)
      append_id(report, (ArmParamId){(ArmParamKind)(ARM_PARAM_COULOMB_POS + f), joint, 0},
                gradients);
    if (report->ident->has_acceleration)
      append_id(report, (ArmParamId){ARM_PARAM_ACCELERATION, joint, 0}, gradients);
    for (int t = 0; t < ARM_TERMS; t++)
      if (report->ident->terms[i].has[t])
        append_id(report, (ArmParamId){arm_term_kind((ArmFrictionTerm)t), joint, 0}, gradients);
  }
  for (size_t i = 0; i < tree->n; i++)
    for (size_t j = i + 1; j < tree->n; j++)
      if (report->out->cluster[i] >= 0 && report->out->cluster[i] == report->out->cluster[j])
        append_id(report, (ArmParamId){ARM_PARAM_RATIO, (unsigned char)i, (unsigned char)j},
                  gradients);
}

static void report_ratios(const Report *report, double *gradient) {
  ArmGravityParameters *out = report->out;
  const ArmIdentTree *tree = &report->ident->tree;
  const size_t count = tree->count;
  for (size_t i = 0; i < out->n; i++) {
    for (size_t j = i + 1; j < out->n; j++) {
      double rho;
      ArmReason reason;
      if (out->cluster[i] < 0 || out->cluster[i] != out->cluster[j])
        continue;
      if (!ratio_gradient(report, i, j, &rho, gradient, &reason))
        out->ratio[i][j] = refused(0.0, ARM_REASON_DEPENDS_ON_OTHER);
      else if (tree->is_unswept[i] || tree->is_unswept[j])
        out->ratio[i][j] = refused(rho, ARM_REASON_NEVER_SWEPT);
      else if (reason != ARM_REASON_NONE)
        out->ratio[i][j] = refused(rho, reason);
      else
        out->ratio[i][j] = (ArmEstimate){
            rho, sqrt(fmax(0.0, quadratic(gradient, report->result->covariance, gradient, count))),
            rho, true, ARM_REASON_NONE};
    }
  }
}

/* covariance of the reported parameters, G C G^T */
static void map_covariance(const Report *report, const double *gradients, double *scratch) {
  const size_t count = report->ident->tree.count, ids = report->out->n_ids;
  const double *c = report->result->covariance;
  for (size_t a = 0; a < ids; a++) {
    const double *g = gradients + a * count;
    memset(scratch, 0, count * sizeof *scratch);
    for (size_t k = 0; k < count; k++)
      for (size_t l = 0; l < count && g[k] != 0.0; l++)
        scratch[l] += g[k] * c[l + k * count];
    for (size_t b = 0; b < ids; b++) {
      double sum = 0.0;
      for (size_t l = 0; l < count; l++)
        sum += scratch[l] * gradients[l + b * count];
      report->out->covariance[a + b * ids] = sum;
    }
  }
}

ArmStatus arm_ident_report(const ArmIdent *ident, const ArmIdentResult *result,
                           ArmGravityParameters *out) {
  const size_t count = ident->tree.count, n = ident->model->n;
  const size_t most = (7 + ARM_TERMS) * n + n * (n - 1) / 2;
  double *gradients = calloc((most + 1) * count + count, sizeof *gradients);
  memset(out, 0, sizeof *out);
  out->n = n;
  out->ids = calloc(most, sizeof *out->ids);
  out->covariance = calloc(most * most, sizeof *out->covariance);
  if (!gradients || !out->ids || !out->covariance) {
    free(gradients);
    arm_gravity_parameters_clear(out);
    return ARM_E_MEMORY;
  }
  const Report report = {ident, result, out};
  for (size_t i = 0; i < n; i++) {
    out->type[i] = ident->model->joints[i].type;
    report_joint(&report, i);
    report_terms(&report, i);
  }
  number_clusters(&ident->tree, out);
  report_ratios(&report, gradients);
  list_ids(&report, gradients);
  map_covariance(&report, gradients, gradients + most * count);
  free(gradients);
  return ARM_OK;
}
