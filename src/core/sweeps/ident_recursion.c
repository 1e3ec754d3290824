/* SPDX-License-Identifier: MIT */
/* The recursion n -> 1 (Lin 1994 (24),(25),(30),(31) replaced by clusters): joint i is solved for
 * its own parameters, its friction and one ratio per cluster it reaches outboard. */
#include "core/sweeps/ident_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec3.h"

/* A cluster's column below this part of rms(y) carries nothing (Armature theory notes, gravity,
 * section 3). */
#define SKIP_RMS 1e-12

typedef struct {
  ArmSvdWork *svd;
  double *jacobian; /* columns x theta, later D = triangle * jacobian, (columns+1) x theta */
  double *design;   /* (columns+1+edges) x solved, with ridge rows */
  double *rhs;
  double *gain;  /* solved x theta */
  double *cross; /* solved x theta */
  double *x, *inverse, *null_share, *y, *centred;
} Scratch;

/* the part of theta that one joint's solve determines: contiguous */
typedef struct {
  size_t joint, first, count, edges_first;
} Solved;

enum {
  MAX_ROWS = ARM_IDENT_MAX_COLUMNS + 1 + ARM_MAX_JOINTS,
  MAX_SOLVED = 8 + ARM_TERMS + 2 * ARM_MAX_JOINTS
};

static void scratch_free(Scratch *s) {
  arm_svd_work_free(s->svd);
  free(s->jacobian);
}

static ArmStatus scratch_init(Scratch *s) {
  const size_t wide = MAX_ROWS * ARM_IDENT_MAX_THETA, solved = MAX_ROWS * MAX_SOLVED;
  const size_t gain = (size_t)MAX_SOLVED * ARM_IDENT_MAX_THETA;
  double *block = calloc(2 * wide + 2 * solved + 2 * gain + MAX_SOLVED * MAX_SOLVED + 2 * MAX_ROWS +
                             2 * MAX_SOLVED,
                         sizeof *block);
  s->svd = arm_svd_work_new(MAX_ROWS, MAX_SOLVED);
  s->jacobian = block;
  if (!block || !s->svd) {
    scratch_free(s);
    return ARM_E_MEMORY;
  }
  s->design = block + 2 * wide;
  s->centred = s->design + solved;
  s->gain = s->centred + solved;
  s->cross = s->gain + gain;
  s->inverse = s->cross + gain;
  s->rhs = s->inverse + MAX_SOLVED * MAX_SOLVED;
  s->y = s->rhs + MAX_ROWS;
  s->x = s->y + MAX_ROWS;
  s->null_share = s->x + MAX_SOLVED;
  return ARM_OK;
}

static double column_norm(const double *column, size_t m) {
  double scale = 0.0, sum = 0.0;
  for (size_t k = 0; k < m; k++)
    scale = fmax(scale, fabs(column[k]));
  for (size_t k = 0; k < m && scale > 0.0; k++)
    sum += (column[k] / scale) * (column[k] / scale);
  return scale * sqrt(sum);
}

/* D = triangle * d c_i / d theta */
static double *design_of(const ArmIdent *ident, const double *theta, size_t i, Scratch *s) {
  const ArmIdentRows *rows = &ident->rows[i];
  double *d = s->jacobian + (size_t)MAX_ROWS * ARM_IDENT_MAX_THETA;
  arm_ident_coefficients(&ident->tree, ident->model, theta, i, NULL, s->jacobian);
  arm_ident_triangle_mul(rows, s->jacobian, ident->tree.count, d);
  return d;
}

static bool cluster_reaches(const ArmIdent *ident, size_t i, size_t representative) {
  for (size_t j = i + 1; j < ident->model->n; j++)
    if (ident->structure.reaches[i][j] &&
        arm_ident_tree_path(&ident->tree, NULL, representative, j, NULL))
      return true;
  return false;
}

/* Joint i takes the loads of unswept joints that its current sees: they are found from its rows. */
static void adopt_unswept(ArmIdent *ident, const double *theta, size_t i, Scratch *s) {
  ArmIdentTree *tree = &ident->tree;
  const ArmIdentRows *rows = &ident->rows[i];
  const size_t m = rows->columns + 1;
  const double least = SKIP_RMS * rows->rms_y * sqrt((double)rows->rows);
  for (size_t j = i + 1; j < tree->n && rows->rows > 0; j++) {
    if (!tree->is_unswept[j] || !tree->is_node[j] || tree->parent[j] >= 0 ||
        !ident->structure.reaches[i][j])
      continue;
    arm_ident_tree_add_own(tree, &ident->structure, j);
    tree->parent[j] = (int)i;
    const double *d = design_of(ident, theta, i, s) + tree->own[j] * m;
    if (column_norm(d, tree->own_count[j] * m) > least) {
      tree->is_node[i] = true;
      continue;
    }
    tree->parent[j] = -1;
    tree->count -= tree->own_count[j];
    tree->own_count[j] = 0;
  }
}

/* a T joint whose mass is a placeholder: a ratio to it carries the mass, no datasheet knows it */
static bool is_placeholder(const ArmIdent *ident, size_t j) {
  const ArmIdentTree *tree = &ident->tree;
  return ident->model->joints[j].type == ARM_JOINT_T && tree->own_count[j] > 0 &&
         tree->is_fixed[tree->own[j]];
}

/* joins every cluster whose load this joint's current sees */
static void join_clusters(ArmIdent *ident, const double *theta, size_t i, Scratch *s) {
  ArmIdentTree *tree = &ident->tree;
  const ArmIdentRows *rows = &ident->rows[i];
  const double m_sqrt = sqrt((double)rows->rows);
  for (size_t j = i + 1; j < tree->n; j++) {
    if (!tree->is_node[j] || tree->parent[j] >= 0 || !cluster_reaches(ident, i, j))
      continue;
    arm_ident_tree_add_edge(tree, i, j);
    const double *d = design_of(ident, theta, i, s);
    const double norm = column_norm(d + tree->edge[j] * (rows->columns + 1), rows->columns + 1);
    if (norm <= SKIP_RMS * rows->rms_y * m_sqrt) {
      arm_ident_tree_drop_edge(tree, j);
      continue;
    }
    arm_ident_prior(ident->model, i, j, ident->is_torque_ratio, &tree->prior_mean[j],
                    &tree->prior_sd[j]);
    if (is_placeholder(ident, j))
      tree->prior_sd[j] = (double)INFINITY;
    tree->is_node[i] = true;
  }
}

static size_t friction_offset(const ArmIdentTree *tree, const Solved *part) {
  return tree->friction[part->joint] - part->first;
}

/* condition after each viscous column is centred on the mean speed of its direction */
static double centred_condition(const ArmIdent *ident, const Solved *part, const double *d,
                                size_t m, Scratch *s) {
  const size_t f = friction_offset(&ident->tree, part);
  ArmSvdInfo info;
  memcpy(s->centred, d + part->first * m, m * part->count * sizeof *d);
  for (size_t side = 0; side < 2; side++) {
    const double *coulomb = s->centred + (f + 2 * side) * m;
    double *viscous = s->centred + (f + 2 * side + 1) * m;
    double rows = 0.0, sum = 0.0;
    for (size_t k = 0; k < m; k++) {
      rows += coulomb[k] * coulomb[k];
      sum += coulomb[k] * viscous[k];
    }
    for (size_t k = 0; k < m && rows > 0.0; k++)
      viscous[k] -= sum / rows * coulomb[k];
  }
  if (arm_svd_solve(s->svd, m, part->count, s->centred, s->y, ARM_IDENT_RCOND, s->x, NULL, NULL,
                    &info) != ARM_OK)
    return (double)INFINITY;
  return info.cond_equilibrated;
}

/* the data alone: rank, conditions, residual sd, what is seen */
static ArmStatus solve_plain(const ArmIdent *ident, const Solved *part, const double *d, Scratch *s,
                             ArmIdentResult *result) {
  const ArmIdentRows *rows = &ident->rows[part->joint];
  const size_t m = rows->columns + 1;
  ArmIdentStats *stats = &result->stats[part->joint];
  ArmSvdInfo info;
  stats->cond_centred = centred_condition(ident, part, d, m, s);
  ArmStatus status = arm_svd_solve(s->svd, m, part->count, d + part->first * m, s->y,
                                   ARM_IDENT_RCOND, s->x, s->inverse, s->null_share, &info);
  if (status != ARM_OK)
    return status;
  stats->columns = part->count;
  stats->rank = info.rank;
  stats->cond_raw = info.cond_raw;
  stats->cond_equilibrated = info.cond_equilibrated;
  double residual[MAX_ROWS];
  memcpy(residual, s->y, m * sizeof *residual);
  for (size_t a = 0; a < part->count; a++)
    for (size_t k = 0; k < m; k++)
      residual[k] -= d[k + (part->first + a) * m] * s->x[a];
  stats->residual_sd = rows->rows > info.rank
                           ? column_norm(residual, m) / sqrt((double)(rows->rows - info.rank))
                           : (double)NAN;
  for (size_t a = 0; a < part->count; a++) {
    result->null_data[part->first + a] = s->null_share[a];
    result->sd_data[part->first + a] =
        s->null_share[a] > ARM_IDENT_NULL_SHARE
            ? (double)INFINITY
            : stats->residual_sd * sqrt(s->inverse[a + a * part->count]);
  }
  return ARM_OK;
}

/* once more with one ridge row per ratio: (s/s_rho) x = (s/s_rho) x0 */
static ArmStatus solve_ridge(const ArmIdent *ident, const Solved *part, const double *d, Scratch *s,
                             ArmIdentResult *result) {
  const ArmIdentTree *tree = &ident->tree;
  const size_t m = ident->rows[part->joint].columns + 1;
  const size_t edges = part->first + part->count - part->edges_first, rows = m + edges;
  const double noise = result->stats[part->joint].residual_sd;
  memset(s->design, 0, rows * part->count * sizeof *s->design);
  for (size_t a = 0; a < part->count; a++)
    memcpy(s->design + a * rows, d + (part->first + a) * m, m * sizeof *d);
  memcpy(s->rhs, s->y, m * sizeof *s->rhs);
  for (size_t j = 0, e = 0; j < tree->n; j++) {
    if (tree->parent[j] != (int)part->joint || tree->edge[j] == ARM_IDENT_NONE)
      continue;
    const double weight = isnan(noise) ? 0.0 : noise / tree->prior_sd[j];
    s->design[m + e + (tree->edge[j] - part->first) * rows] = weight;
    s->rhs[m + e++] = weight * tree->prior_mean[j];
  }
  ArmStatus status = arm_svd_solve(s->svd, rows, part->count, s->design, s->rhs, ARM_IDENT_RCOND,
                                   s->x, s->inverse, s->null_share, NULL);
  if (status != ARM_OK)
    return status;
  memcpy(result->theta + part->first, s->x, part->count * sizeof *s->x);
  memcpy(result->null_post + part->first, s->null_share, part->count * sizeof *s->x);
  return ARM_OK;
}

/* d theta_part / d theta_outboard = -(M^T M)^-1 M^T D_outboard: the outboard estimates are the
 * regressor of this joint, so their errors are its errors too */
static void find_gain(const Solved *part, const double *d, size_t m, Scratch *s) {
  for (size_t o = 0; o < part->first; o++) {
    double projected[MAX_SOLVED];
    for (size_t a = 0; a < part->count; a++) {
      projected[a] = 0.0;
      for (size_t k = 0; k < m; k++)
        projected[a] += d[k + (part->first + a) * m] * d[k + o * m];
    }
    for (size_t a = 0; a < part->count; a++) {
      double sum = 0.0;
      for (size_t b = 0; b < part->count; b++)
        sum += s->inverse[a + b * part->count] * projected[b];
      s->gain[a + o * part->count] = -sum;
    }
  }
}

static void propagate(const Solved *part, double variance, Scratch *s, size_t ld,
                      ArmIdentResult *result) {
  double *cov = result->covariance;
  for (size_t a = 0; a < part->count; a++) {
    for (size_t o = 0; o < part->first; o++) {
      double sum = 0.0;
      for (size_t k = 0; k < part->first; k++)
        sum += s->gain[a + k * part->count] * cov[k + o * ld];
      s->cross[a + o * part->count] = sum;
    }
  }
  for (size_t a = 0; a < part->count; a++) {
    for (size_t o = 0; o < part->first; o++)
      cov[(part->first + a) + o * ld] = cov[o + (part->first + a) * ld] =
          s->cross[a + o * part->count];
    double own = 0.0;
    for (size_t b = 0; b < part->count; b++) {
      double sum = variance * s->inverse[a + b * part->count];
      for (size_t k = 0; k < part->first; k++)
        sum += s->cross[a + k * part->count] * s->gain[b + k * part->count];
      cov[(part->first + a) + (part->first + b) * ld] = sum;
      own = a == b ? sum : own;
    }
    /* the data-only sd of a ratio inherits the same outboard errors */
    const double inherited = fmax(0.0, own - variance * s->inverse[a + a * part->count]);
    result->sd_data[part->first + a] = hypot(result->sd_data[part->first + a], sqrt(inherited));
  }
}

/* as a current, per unit of |g| a gravity parameter; beyond this it is not a measurement */
static double unseen_limit(const ArmIdent *ident, size_t i) {
  const double *g = ident->model->gravity_m_s2;
  return ident->rows[i].rms_y / sqrt(arm_vec3_dot(g, g));
}

/* R: a parameter that would be noise divided by jitter even if all others were known (an axis that
 * stays vertical) is fixed at 0. What only other parameters hide is no reason: that needs holds. */
static bool fix_unloaded(ArmIdent *ident, const Solved *part, size_t i, const double *d,
                         const ArmIdentResult *result) {
  ArmIdentTree *tree = &ident->tree;
  const size_t m = ident->rows[part->joint].columns + 1;
  const double noise = result->stats[part->joint].residual_sd;
  bool is_new = false;
  for (size_t at = tree->own[i]; at < tree->own[i] + tree->own_count[i]; at++) {
    const double norm = column_norm(d + at * m, m);
    if (tree->is_fixed[at] || norm == 0.0 || !(noise / norm > unseen_limit(ident, part->joint)))
      continue;
    tree->is_fixed[at] = is_new = true;
  }
  return is_new;
}

/* T: a mass that its own rows cannot tell from Coulomb friction (one g_z only) is replaced by a
 * placeholder: ratios to it then carry the mass, so that R joints inboard still see its load. */
static bool fix_mass(ArmIdent *ident, const Solved *part, Scratch *s, ArmIdentResult *result) {
  const ArmIdentRows *rows = &ident->rows[part->joint];
  const double limit = unseen_limit(ident, part->joint);
  const double noise = result->stats[part->joint].residual_sd;
  const bool is_unknown = s->null_share[0] > ARM_IDENT_NULL_SHARE ||
                          (noise > 0.0 && noise * sqrt(s->inverse[0]) > limit);
  if (ident->tree.is_fixed[part->first] || !is_unknown || !(limit > 0.0))
    return false;
  ident->tree.is_fixed[part->first] = true;
  for (size_t k = 0; k <= rows->columns; k++)
    s->y[k] -= rows->triangle[k] * limit;
  return true;
}

/* Without a noise figure the joint cannot be weighed. Its largest gravity parameter is fixed, so
 * that the joints inboard find products with it; the direction of its load is theirs to improve. */
static void fix_scale(ArmIdentTree *tree, size_t i, const double *theta) {
  const size_t own = tree->own[i];
  if (tree->own_count[i] > 0)
    tree->is_fixed[tree->own_count[i] == 2 && fabs(theta[own + 1]) > fabs(theta[own]) ? own + 1
                                                                                      : own] = true;
}

static bool fix_unknown(ArmIdent *ident, const Solved *part, const double *d, Scratch *s,
                        ArmIdentResult *result) {
  const size_t i = part->joint;
  bool is_new = false;
  if (ident->rows[i].rows == 0)
    return false;
  for (size_t j = i + 1; j < ident->tree.n; j++)
    if (ident->tree.is_unswept[j] && ident->tree.parent[j] == (int)i)
      is_new |= fix_unloaded(ident, part, j, d, result);
  if (ident->tree.own_count[i] == 0)
    return is_new;
  if (ident->model->joints[i].type == ARM_JOINT_T)
    return fix_mass(ident, part, s, result) || is_new;
  return fix_unloaded(ident, part, i, d, result) || is_new;
}

/* Solves, fixes what the solution shows to be unknown, and solves again. What the data say of a T
 * joint's friction is judged before its mass is fixed: the one is known only with the other. */
static ArmStatus solve_and_fix(ArmIdent *ident, const Solved *part, Scratch *s,
                               ArmIdentResult *result) {
  double null_share[MAX_SOLVED], sd[MAX_SOLVED];
  const double *d;
  ArmStatus status;
  bool is_first = true;
  do {
    d = design_of(ident, result->theta, part->joint, s);
    status = solve_plain(ident, part, d, s, result);
    if (status == ARM_OK && is_first) {
      memcpy(null_share, result->null_data + part->first, part->count * sizeof *null_share);
      memcpy(sd, result->sd_data + part->first, part->count * sizeof *sd);
    }
    is_first = false;
    if (status == ARM_OK)
      status = solve_ridge(ident, part, d, s, result);
  } while (status == ARM_OK && fix_unknown(ident, part, d, s, result));
  if (status == ARM_OK && is_placeholder(ident, part->joint)) {
    memcpy(result->null_data + part->first, null_share, part->count * sizeof *null_share);
    memcpy(result->sd_data + part->first, sd, part->count * sizeof *sd);
    result->theta[part->first] = unseen_limit(ident, part->joint);
  }
  return status;
}

static ArmStatus solve_joint(ArmIdent *ident, size_t i, Scratch *s, ArmIdentResult *result) {
  ArmIdentTree *tree = &ident->tree;
  const ArmIdentRows *rows = &ident->rows[i];
  Solved part = {.joint = i, .first = tree->count};
  ArmIdentStats *stats = &result->stats[i];
  double c[ARM_IDENT_MAX_COLUMNS];
  tree->is_unswept[i] = rows->rows == 0;
  arm_ident_tree_add_joint(tree, &ident->structure, i, ident->has_acceleration);
  for (int t = 0; t < ARM_TERMS; t++)
    if (ident->terms[i].has[t])
      arm_ident_tree_add_term(tree, i, (ArmFrictionTerm)t);
  adopt_unswept(ident, result->theta, i, s);
  part.edges_first = tree->count;
  join_clusters(ident, result->theta, i, s);
  part.count = tree->count - part.first;
  memcpy(s->y, rows->triangle + rows->columns * (rows->columns + 1),
         (rows->columns + 1) * sizeof *s->y);
  ArmStatus status = solve_and_fix(ident, &part, s, result);
  if (status != ARM_OK)
    return status;
  if (isnan(stats->residual_sd) && rows->rows > 0)
    fix_scale(tree, i, result->theta);
  arm_ident_coefficients(tree, ident->model, result->theta, i, c, NULL);
  status = arm_ident_residuals(ident, i, c, stats);
  if (status != ARM_OK)
    return status;
  const double noise = isnan(stats->residual_sd) ? 0.0 : stats->residual_sd * stats->widening;
  for (size_t a = 0; a < part.count; a++)
    result->sd_data[part.first + a] *= stats->widening;
  memcpy(result->spread + part.first, result->theta + part.first, part.count * sizeof(double));
  for (size_t j = i + 1; j < tree->n; j++) {
    const size_t a = tree->edge[j] - part.first;
    if (tree->parent[j] == (int)i && tree->edge[j] != ARM_IDENT_NONE)
      arm_ident_spread(tree, j, noise * noise * s->inverse[a + a * part.count], result);
  }
  const double *d = design_of(ident, result->spread, i, s);
  find_gain(&part, d, rows->columns + 1, s);
  propagate(&part, noise * noise, s, ARM_IDENT_MAX_THETA, result);
  return ARM_OK;
}

/* no swept joint carries it: nothing is known of its load, and nothing known depends on it */
static void add_orphans(ArmIdent *ident, ArmIdentResult *result) {
  ArmIdentTree *tree = &ident->tree;
  for (size_t j = 0; j < tree->n; j++) {
    if (!tree->is_unswept[j] || tree->parent[j] >= 0)
      continue;
    arm_ident_tree_add_own(tree, &ident->structure, j);
    for (size_t at = tree->own[j]; at < tree->count; at++) {
      result->null_data[at] = result->null_post[at] = 1.0;
      result->sd_data[at] = (double)INFINITY;
    }
  }
}

/* A load that its parent's rows cannot tell was split somehow, and joints further in that see the
 * parts differently were fitted to that split. The refinement solves all rows at once instead. */
static void distrust_inboard(const ArmIdent *ident, ArmIdentResult *result) {
  const ArmIdentTree *tree = &ident->tree;
  for (size_t j = 0; j < tree->n; j++) {
    bool is_known = true;
    for (size_t a = 0; tree->is_unswept[j] && a < tree->own_count[j]; a++)
      is_known &= result->null_data[tree->own[j] + a] <= ARM_IDENT_NULL_SHARE;
    for (size_t i = 0; i < j && !is_known; i++) {
      if ((int)i == tree->parent[j] || !arm_ident_tree_path(tree, NULL, i, j, NULL))
        continue;
      const size_t end = i == 0                    ? tree->count
                         : tree->is_unswept[i - 1] ? tree->friction[i - 1]
                                                   : tree->own[i - 1];
      for (size_t at = tree->own[i]; at < end; at++)
        result->null_data[at] = 1.0;
    }
  }
}

/* from leading dimension MAX_THETA to count */
static void compact(double *matrix, size_t count) {
  for (size_t c = 0; c < count; c++)
    memmove(matrix + c * count, matrix + c * ARM_IDENT_MAX_THETA, count * sizeof *matrix);
}

ArmStatus arm_ident_recursion(ArmIdent *ident, const ArmFitOptions *options,
                              ArmIdentResult *result) {
  const size_t n = ident->model->n;
  Scratch scratch = {0};
  ArmStatus status = scratch_init(&scratch);
  if (status != ARM_OK)
    return status;
  memset(result, 0, sizeof *result);
  result->covariance = calloc((size_t)ARM_IDENT_MAX_THETA * ARM_IDENT_MAX_THETA, sizeof(double));
  if (!result->covariance)
    status = ARM_E_MEMORY;
  arm_ident_tree_init(&ident->tree, n);
  for (size_t i = n; i-- > 0 && status == ARM_OK;) {
    status = solve_joint(ident, i, &scratch, result);
    if (options->progress && !options->progress(0.4 * (double)(n - i) / (double)n, options->user))
      status = ARM_E_NO_DATA;
  }
  scratch_free(&scratch);
  if (status != ARM_OK) {
    free(result->covariance);
    result->covariance = NULL;
    return status;
  }
  distrust_inboard(ident, result);
  add_orphans(ident, result);
  compact(result->covariance, ident->tree.count);
  return ARM_OK;
}
