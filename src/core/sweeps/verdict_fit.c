/* SPDX-License-Identifier: MIT */
/* The fit on strokes: theta and one trend of friction per joint, weighted by the noise of the
 * replicates. Source: Armature theory notes, lack of fit, sections 3.1 and 3.2. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/sweeps/verdict_internal.h"

/* Two rounds of weights: Armature theory notes, lack of fit, section 3.1; before them three plain
 * ones, behind which nothing is left of where the fit began. The bounds end what does not converge.
 * A trend beyond 1 is friction that doubles or goes within one recording. */
enum { MAX_STEPS = 25, MAX_HALVINGS = 12, ROUNDS = 2, PLAIN_ROUNDS = 3 };
#define RANK_TOLERANCE 1e-10 /* purely numerical, as ARM_IDENT_RCOND */
#define TREND_MOST     1.0
#define LEAST_SIGNAL   1e-9 /* of the current, as in verdict_noise.c: exact data can be weighed */
/* Of chi2. What explains less than is seen in chi2 itself is linear by then: such a step is made
 * without asking. Steps explain some hundredth of the one before; what is left decides how near
 * fits come that began elsewhere, as those of rows and of their sums. */
#define STEP_SEEN      1e-12
#define STEP_GOAL      1e-24
/* Of the noise inside strokes. Chosen: where a joint is fitted exactly, its weight stays finite. */
#define LEAST_RESIDUAL 1e-3

static size_t all_rows(const ArmStrokeFit *fit) {
  return fit->rows + fit->priors;
}

double arm_stroke_fit_weighted(const ArmStrokeFit *fit, double *x) {
  const ArmIdentTree *tree = &fit->ident->tree;
  double sum = 0.0;
  for (size_t k = 0; k < fit->rows; k++) {
    x[k] = fit->sd[k] > 0.0 ? fit->residual[k] / fit->sd[k] : 0.0;
    arm_shelf_saw(fit->shelf, 3 * sizeof *x);
  }
  for (size_t j = 0; j < tree->n; j++) {
    x[fit->rows + j] = tree->edge[j] == ARM_IDENT_NONE
                           ? 0.0
                           : (fit->phi[tree->edge[j]] - tree->prior_mean[j]) / tree->prior_sd[j];
    x[fit->rows + tree->n + j] =
        fit->n_few > 0 ? 0.0 : fit->phi[tree->count + j] / ARM_TREND_PRIOR_SD;
  }
  for (size_t k = 0; k < fit->n_ridges; k++)
    x[fit->rows + 2 * tree->n + k] = fit->phi[fit->ridge[k].at] / fit->ridge[k].sd;
  for (size_t k = 0; k < all_rows(fit); k++)
    sum += x[k] * x[k];
  arm_shelf_saw(fit->shelf, all_rows(fit) * sizeof *x);
  return sum;
}

/* the rows of the priors in column a of the weighted [J; priors] */
static void weigh_priors(const ArmStrokeFit *fit, size_t a, double *to) {
  const ArmIdentTree *tree = &fit->ident->tree;
  memset(to, 0, fit->priors * sizeof *to);
  for (size_t j = 0; j < tree->n; j++) {
    if (tree->edge[j] == a)
      to[j] = 1.0 / tree->prior_sd[j];
    if (tree->count + j == a && fit->n_few == 0)
      to[tree->n + j] = 1.0 / ARM_TREND_PRIOR_SD;
  }
  for (size_t k = 0; k < fit->n_ridges; k++)
    if (fit->ridge[k].at == a)
      to[2 * tree->n + k] = 1.0 / fit->ridge[k].sd;
}

/* column a of the weighted [J; priors] from that of J */
static void weigh_column(const ArmStrokeFit *fit, size_t a, const double *from, double *to) {
  for (size_t k = 0; k < fit->rows; k++)
    to[k] = fit->sd[k] > 0.0 ? from[k] / fit->sd[k] : 0.0;
  weigh_priors(fit, a, to + fit->rows);
}

static double *taus(const ArmStrokeFit *fit) {
  return fit->work + all_rows(fit);
}

static lapack_int scratch_size(const ArmStrokeFit *fit) {
  return (lapack_int)(ARM_FIT_SCRATCH * (fit->count + 1));
}

/* Weighted [J; priors] with columns of unit length into q: all of it, or where `is_reduced` the
 * rows below and the columns of what is not own. Returns its rows.
 *   at  count, out: the parameters of its columns */
static size_t fill_problem(ArmStrokeFit *fit, bool is_reduced, size_t *at, size_t *columns) {
  size_t m = all_rows(fit), rows = m;
  *columns = 0;
  for (size_t a = 0; a < fit->count; a++) {
    double *to = fit->q + *columns * rows;
    if (is_reduced && arm_stroke_fit_is_own(fit, a))
      continue;
    weigh_column(fit, a, fit->jacobian + a * fit->rows, to);
    m = is_reduced ? arm_stroke_fit_below(fit, to, to) : m;
    const double square = arm_dot(m, to, to);
    fit->scale[a] = square > 0.0 ? 1.0 / sqrt(square) : 0.0;
    for (size_t k = 0; k < m; k++)
      to[k] *= fit->scale[a];
    at[(*columns)++] = a;
  }
  for (size_t c = 1; c < *columns && m < rows; c++)
    memmove(fit->q + c * m, fit->q + c * rows, m * sizeof *fit->q);
  return m;
}

/* pivoted QR of q, m x n, in place, as reflectors: r, pivot, rank */
static ArmStatus factorise(ArmStrokeFit *fit, size_t rows, size_t columns) {
  const lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
  const size_t most = rows < columns ? rows : columns;
  fit->rank = 0;
  if (most == 0)
    return ARM_OK;
  memset(fit->pivot, 0, columns * sizeof *fit->pivot);
  if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, fit->q, m, fit->pivot, taus(fit),
                          taus(fit) + fit->count, scratch_size(fit)) != 0)
    return ARM_E_NUMERIC;
  const double largest = fabs(fit->q[0]);
  while (fit->rank < most && largest > 0.0 &&
         fabs(fit->q[fit->rank + fit->rank * rows]) > RANK_TOLERANCE * largest)
    fit->rank++;
  for (size_t c = 0; c < columns; c++)
    for (size_t k = 0; k <= c && k < most; k++)
      fit->r[k + c * fit->count] = fit->q[k + c * rows];
  return ARM_OK;
}

/* q orthonormal, after factorise of all of it */
static ArmStatus expand(ArmStrokeFit *fit) {
  const lapack_int m = (lapack_int)all_rows(fit), rank = (lapack_int)fit->rank;
  if (rank > 0 && LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, m, rank, rank, fit->q, m, taus(fit),
                                      taus(fit) + fit->count, scratch_size(fit)) != 0)
    return ARM_E_NUMERIC;
  return ARM_OK;
}

/* Q' x by the reflectors; x, `rows`, is overwritten */
static ArmStatus reflect(const ArmStrokeFit *fit, size_t rows, double *x, double *projected) {
  const lapack_int m = (lapack_int)rows, rank = (lapack_int)fit->rank;
  if (rank > 0 && LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', m, 1, rank, fit->q, m, taus(fit),
                                      x, m, taus(fit) + fit->count, scratch_size(fit)) != 0)
    return ARM_E_NUMERIC;
  memcpy(projected, x, fit->rank * sizeof *x);
  return ARM_OK;
}

/* Rows of q = [J; priors] R^-1 by the triangle of the compact fit.
 *   x  m x rank, ld apart: weighted columns of J in the order of pivot, in place */
static void solve_rows(const ArmStrokeFit *fit, size_t m, size_t ld, double *x) {
  for (size_t c = 0; c < fit->rank; c++) {
    const double scale = fit->scale[fit->pivot[c] - 1], *r = fit->r + c * fit->count;
    double *to = x + c * ld;
    for (size_t k = 0; k < m; k++)
      to[k] *= scale;
    for (size_t b = 0; b < c; b++)
      for (size_t k = 0; k < m; k++)
        to[k] -= r[b] * x[k + b * ld];
    for (size_t k = 0; k < m; k++)
      to[k] /= r[c];
  }
}

static void take_basis(const ArmStrokeFit *fit, size_t first, size_t m, const double *jacobian,
                       void *user) {
  const size_t ld = all_rows(fit);
  const double *sd = fit->sd + first;
  (void)user;
  for (size_t c = 0; c < fit->rank; c++) {
    const double *from = jacobian + (size_t)(fit->pivot[c] - 1) * m;
    double *to = fit->q + first + c * ld;
    for (size_t k = 0; k < m; k++)
      to[k] = sd[k] > 0.0 ? from[k] / sd[k] : 0.0;
  }
  solve_rows(fit, m, ld, fit->q + first);
  arm_shelf_saw(fit->shelf, fit->rank * m * sizeof *fit->q);
}

/* Some rows after the other: no column of them is ever needed whole. */
static void basis_of(ArmStrokeFit *fit) {
  const size_t ld = all_rows(fit);
  arm_stroke_fit_each_rows(fit, take_basis, NULL);
  for (size_t c = 0; c < fit->rank; c++)
    weigh_priors(fit, (size_t)fit->pivot[c] - 1, fit->q + fit->rows + c * ld);
  solve_rows(fit, fit->priors, ld, fit->q + fit->rows);
}

/* move += -R^-1 Q' x, what is not seen staying where it is
 *   at  of the columns; NULL: all */
static void step(const ArmStrokeFit *fit, const double *projected, const size_t *at, double *move) {
  double x[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  for (size_t k = fit->rank; k-- > 0;) {
    double sum = projected[k];
    for (size_t c = k + 1; c < fit->rank; c++)
      sum -= fit->r[k + c * fit->count] * x[c];
    x[k] = sum / fit->r[k + k * fit->count];
    const size_t column = (size_t)fit->pivot[k] - 1, a = at ? at[column] : column;
    move[a] -= x[k] * fit->scale[a];
  }
}

/* The step of Gauss-Newton from residual and jacobian as they are; returns what it explains,
 * negative on failure. */
static double find_move(ArmStrokeFit *fit, double *move) {
  double projected[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], *x = fit->work;
  size_t at[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], columns;
  const bool is_reduced = fit->n_few > 0 && fit->is_told_apart;
  const size_t m = fill_problem(fit, is_reduced, at, &columns);
  memset(move, 0, fit->count * sizeof *move);
  if (factorise(fit, m, columns) != ARM_OK)
    return -1.0;
  (void)arm_stroke_fit_weighted(fit, x);
  double gain = 0.0;
  if (is_reduced) {
    gain = arm_stroke_fit_above(fit, x);
    (void)arm_stroke_fit_below(fit, x, x);
  }
  if (reflect(fit, m, x, projected) != ARM_OK)
    return -1.0;
  gain += arm_dot(fit->rank, projected, projected);
  step(fit, projected, at, move);
  if (is_reduced)
    arm_stroke_fit_follow(fit, move);
  return gain;
}

/* one damped Gauss-Newton step; returns what was left to explain before it, negative on failure */
static double improve(ArmStrokeFit *fit, double *cost) {
  double before[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], move[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  arm_stroke_fit_evaluate(fit, true);
  *cost = arm_stroke_fit_weighted(fit, fit->work);
  const double gain = find_move(fit, move);
  if (gain <= STEP_GOAL * *cost)
    return gain;
  memcpy(before, fit->phi, sizeof before);
  double part = 1.0;
  for (int halving = 0; halving < MAX_HALVINGS; halving++, part *= 0.5) {
    for (size_t a = 0; a < fit->count; a++)
      fit->phi[a] = before[a] + part * move[a];
    arm_stroke_fit_evaluate(fit, false);
    if (gain <= STEP_SEEN * *cost || arm_stroke_fit_weighted(fit, fit->work) < *cost)
      return gain;
    memcpy(fit->phi, before, sizeof before);
  }
  arm_stroke_fit_evaluate(fit, false);
  return 0.0;
}

static void sum_chi2(ArmStrokeFit *fit) {
  fit->chi2 = 0.0;
  for (size_t k = 0; k < fit->rows; k++) {
    if (fit->sd[k] > 0.0)
      fit->chi2 += fit->residual[k] * fit->residual[k] / (fit->sd[k] * fit->sd[k]);
    arm_shelf_saw(fit->shelf, 2 * sizeof *fit->sd);
  }
}

ArmStatus arm_stroke_fit_minimise(ArmStrokeFit *fit, double goal) {
  ArmStrokeFit few;
  double cost = 0.0, last = (double)INFINITY;
  const ArmStatus status = arm_stroke_fit_compact(fit, 0, NULL, &few, NULL);
  if (status != ARM_OK)
    return status == ARM_E_MEMORY ? status : ARM_E_NUMERIC;
  for (int k = 0; k < MAX_STEPS; k++) {
    const double gain = improve(&few, &cost);
    if (gain < 0.0 || !isfinite(cost))
      return ARM_E_NUMERIC;
    if (gain <= goal * cost || (gain <= STEP_SEEN * cost && gain >= last)) /* rounding */
      break;
    last = gain;
  }
  memcpy(fit->phi, few.phi, sizeof fit->phi);
  arm_stroke_fit_evaluate(fit, false);
  fit->cost = arm_stroke_fit_weighted(fit, fit->work);
  sum_chi2(fit);
  return ARM_OK;
}

static ArmStatus linearise(ArmStrokeFit *fit, bool wants_basis) {
  size_t at[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], columns;
  arm_stroke_fit_evaluate(fit, true);
  sum_chi2(fit);
  const size_t m = fill_problem(fit, false, at, &columns);
  const ArmStatus status = factorise(fit, m, columns);
  return status == ARM_OK && wants_basis ? expand(fit) : status;
}

ArmStatus arm_stroke_fit_linearise(ArmStrokeFit *fit) {
  ArmStrokeFit few;
  if (fit->n_few > 0)
    return linearise(fit, true);
  ArmStatus status = arm_stroke_fit_compact(fit, 0, NULL, &few, NULL);
  if (status != ARM_OK)
    return status == ARM_E_MEMORY ? status : ARM_E_NUMERIC;
  if (few.n_few == 0)
    return linearise(fit, true);
  status = linearise(&few, false);
  fit->rank = few.rank;
  if (status == ARM_OK)
    basis_of(fit);
  else
    arm_stroke_fit_evaluate(fit, false);
  sum_chi2(fit);
  return status;
}

void arm_stroke_fit_shift(const ArmStrokeFit *fit, size_t first, size_t m, const double *x,
                          double *shift) {
  double projected[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS];
  for (size_t c = 0; c < fit->rank; c++) {
    projected[c] = 0.0;
    for (size_t k = 0; k < m; k++)
      projected[c] += fit->q[first + k + c * all_rows(fit)] * x[k];
    arm_shelf_saw(fit->shelf, 2 * m * sizeof *x);
  }
  memset(shift, 0, fit->count * sizeof *shift);
  step(fit, projected, NULL, shift);
  for (size_t a = 0; a < fit->count; a++)
    shift[a] = -shift[a];
}

double arm_stroke_fit_sd(const ArmStrokeFit *fit, size_t a) {
  double x[ARM_IDENT_MAX_THETA + ARM_MAX_JOINTS], square = 0.0;
  size_t at = 0;
  while (at < fit->rank && (size_t)fit->pivot[at] - 1 != a)
    at++;
  if (at == fit->rank)
    return (double)INFINITY;
  for (size_t k = 0; k < fit->rank; k++) { /* R' x = e_at */
    double sum = k == at ? 1.0 : 0.0;
    for (size_t c = 0; c < k; c++)
      sum -= fit->r[c + k * fit->count] * x[c];
    x[k] = sum / fit->r[k + k * fit->count];
    square += x[k] * x[k];
  }
  return fit->scale[a] * sqrt(square);
}

/* before anything is known of replicates: the noise inside strokes, and no trend */
static void start_noise(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    ArmJointStrokes *joint = &fit->joint[i];
    double size = 0.0;
    for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
      size = fmax(size, fabs(fit->strokes[s].numbers.alpha[0]));
      arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
    }
    for (size_t k = 0; k < ARM_STROKE_ORDERS; k++)
      joint->s[k] = fmax(joint->s_within, LEAST_SIGNAL * size);
    joint->still = joint->s[0];
    joint->tau = 0.0;
  }
  arm_stroke_fit_weigh(fit);
}

/* each joint by its own residual, as the fit of the samples: a joint that does not fit shall not
 * bend the friction of the others */
static void residual_noise(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    ArmJointStrokes *joint = &fit->joint[i];
    double square = 0.0;
    for (size_t k = joint->first_row; k < joint->first_row + joint->rows; k++)
      square += fit->residual[k] * fit->residual[k] / (fit->sd[k] * fit->sd[k]);
    arm_shelf_saw(fit->shelf, 2 * joint->rows * sizeof *fit->sd);
    for (size_t k = 0; k < ARM_STROKE_ORDERS && square > 0.0; k++)
      joint->s[k] *= fmax(LEAST_RESIDUAL, sqrt(square / (double)joint->rows));
    joint->still = joint->s[0];
  }
  arm_stroke_fit_weigh(fit);
}

static ArmStatus find_noise(ArmStrokeFit *fit, const ArmVerdictLimits *limits) {
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < fit->ident->model->n && status == ARM_OK; i++)
    if (fit->joint[i].strokes > 0)
      status = arm_stroke_fit_noise(fit, i, limits);
  arm_stroke_fit_weigh(fit);
  return status;
}

/* tau, section 3.1: what the odd means differ by beyond their noise */
static void find_scatter_of(ArmStrokeFit *fit, size_t i) {
  ArmJointStrokes *joint = &fit->joint[i];
  double square = 0.0, known = 0.0, seen = 0.0;
  joint->tau = 0.0;
  if (joint->pairs <= 3)
    return;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[joint->first_pair + p];
    const double d = arm_pair_friction(pair, fit->residual + joint->first_row + p * ARM_PAIR_ROWS);
    square += d * d;
    known += joint->still * joint->still / pair->weight;
    seen += 1.0 / (pair->blown * pair->blown);
    arm_shelf_saw(fit->shelf, sizeof *pair + ARM_PAIR_ROWS * sizeof *fit->residual);
  }
  const double excess = square / (double)(joint->pairs - 3) - known / (double)joint->pairs;
  joint->tau = sqrt(fmax(0.0, excess) * (double)joint->pairs / seen);
}

static void find_scatter(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++)
    if (fit->joint[i].strokes > 0)
      find_scatter_of(fit, i);
  arm_stroke_fit_weigh(fit);
}

ArmStatus arm_stroke_fit_start(ArmStrokeFit *fit, const double *theta,
                               const ArmVerdictLimits *limits) {
  memset(fit->phi, 0, sizeof fit->phi);
  memcpy(fit->phi, theta, fit->ident->tree.count * sizeof *theta);
  start_noise(fit);
  arm_stroke_fit_evaluate(fit, false);
  ArmStatus status = ARM_OK;
  for (int round = 0; round < PLAIN_ROUNDS && status == ARM_OK; round++) {
    residual_noise(fit);
    status = arm_stroke_fit_minimise(fit, STEP_GOAL);
  }
  if (status == ARM_OK)
    status = find_noise(fit, limits);
  arm_stroke_fit_trend(fit);
  return status;
}

/* Friction that changes by more than all of itself is no trend: where few holds are swept in little
 * time, what is wrong with gravity imitates it (a slope inside of strokes) as soon as scatter sets
 * the odd means free. Returns whether a joint lost its trend. */
static bool drop_trends(ArmStrokeFit *fit) {
  const size_t count = fit->ident->tree.count;
  bool has_dropped = false;
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    const ArmJointStrokes *joint = &fit->joint[i];
    if (!(fabs(fit->phi[count + i]) > TREND_MOST))
      continue;
    has_dropped = true;
    fit->phi[count + i] = 0.0;
    for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
      memset(fit->strokes[s].rows.trend, 0, sizeof fit->strokes[s].rows.trend);
      arm_shelf_saw(fit->shelf, sizeof *fit->strokes);
    }
    for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
      memset(fit->pairs[p].rows.trend, 0, sizeof fit->pairs[p].rows.trend);
      arm_shelf_saw(fit->shelf, sizeof *fit->pairs);
    }
  }
  return has_dropped;
}

static ArmStatus solve_rounds(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++)
    fit->joint[i].tau = 0.0;
  arm_stroke_fit_weigh(fit);
  ArmStatus status = arm_stroke_fit_minimise(fit, STEP_GOAL);
  for (int round = 0; round < ROUNDS && status == ARM_OK; round++) {
    find_scatter(fit);
    status = arm_stroke_fit_minimise(fit, STEP_GOAL);
  }
  return status;
}

ArmStatus arm_stroke_fit_solve(ArmStrokeFit *fit, const double *theta,
                               const ArmVerdictLimits *limits) {
  ArmStatus status = arm_stroke_fit_start(fit, theta, limits);
  if (status == ARM_OK)
    status = solve_rounds(fit);
  if (status == ARM_OK && drop_trends(fit))
    status = solve_rounds(fit);
  return status == ARM_OK ? arm_stroke_fit_linearise(fit) : status;
}
