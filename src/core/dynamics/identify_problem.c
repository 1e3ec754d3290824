/* SPDX-License-Identifier: MIT */
/* Maximum likelihood over triangles: theory notes, full dynamics, 5.5 item 5. The Jacobian is that
 * of triangles, a few hundred rows whatever the recording's length. */
#include "core/dynamics/identify_problem.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 5.5 item 5, but for the trials: good recordings need 3 to 20, those with a stuck encoder or
 * swapped columns, whose residuals are large, 130 in a valley of the cost, once 720. */
enum { MOST_TRIALS = 1000 };
#define FIRST_DAMPING  1e-4
#define DAMPING_UP     5.0
#define DAMPING_DOWN   10.0
#define LONGEST_STEP   1.0   /* of any kappa */
#define LEAST_DECREASE 1e-12 /* of the cost */
#define ROUNDING       1e-26 /* of the efforts' sum of squares: without noise there is no more */
#define RCOND          1e-10 /* purely numerical, num/lsq.h */
#define WITHIN         0.1   /* of the noise, of a direction that a search does not follow */
#define MOST_RCOND     1e-3  /* of efforts that are hardly more than noise */

size_t arm_dyn_unknown(size_t count, size_t joint, size_t local) {
  return count + ARM_DYN_OF_JOINT * joint + local;
}

/* ---- life ---- */

/* Doubles that the LAPACK calls of a step want; 0: LAPACK refused. */
static size_t lapack_scratch(size_t rows, size_t columns) {
  double size[4] = {0}, none = 0;
  const lapack_int m = (lapack_int)rows, n = (lapack_int)columns, k = m < n ? m : n;
  lapack_int pivot = 0;
  if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, &none, m, &pivot, &none, &size[0], -1) ||
      LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', m, 1, k, &none, m, &none, &none, m, &size[1],
                          -1) ||
      LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, n, n, &none, n, &none, &size[2], -1) ||
      LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', 2 * n, n, 1, &none, 2 * n, &none, 2 * n, &size[3],
                         -1))
    return 0;
  const double most = fmax(fmax(size[0], size[1]), fmax(size[2], size[3]));
  return (size_t)most + 64 * (rows + columns); /* fewer columns may want another block size */
}

ArmStatus arm_dyn_problem_init(ArmDynProblem *problem, size_t n, size_t count,
                               const ArmDynTriangle *triangle) {
  ArmDynProblem p = {.n = n,
                     .count = count,
                     .unknowns = count + ARM_DYN_OF_JOINT * n,
                     .rows = n,
                     .most_trials = MOST_TRIALS,
                     .triangle = triangle};
  for (size_t j = 0; j < n; j++) {
    p.row[j] = p.rows - n;
    p.rows += triangle[j].width;
    p.weight[j] = 1;
    p.kappa[j] = (ArmDynKappa){1, 0, 0, triangle[j].rows > 0};
  }
  const size_t u = p.unknowns, m = p.rows;
  p.lapack_size = lapack_scratch(m, u);
  if (p.lapack_size == 0)
    return ARM_E_NUMERIC;
  p.x = calloc(5 * u + m * u + m + (m + u) * (u + 1) + 2 * u * u + p.lapack_size, sizeof *p.x);
  p.column = calloc(u, sizeof *p.column);
  p.pivot = calloc(u, sizeof *p.pivot);
  p.svd = arm_svd_work_new(m, u);
  if (!p.x || !p.column || !p.pivot || !p.svd) {
    arm_dyn_problem_clear(&p);
    return ARM_E_MEMORY;
  }
  p.trial = p.x + u;
  p.step = p.trial + u;
  p.tau = p.step + u;
  p.jacobian = p.tau + 2 * u;
  p.residual = p.jacobian + m * u;
  p.stack = p.residual + m;
  p.right = p.stack + (m + u) * u;
  p.small = p.right + m + u;
  p.lapack = p.small + 2 * u * u;
  *problem = p;
  return ARM_OK;
}

void arm_dyn_problem_clear(ArmDynProblem *problem) {
  free(problem->x);
  free(problem->column);
  free(problem->pivot);
  arm_svd_work_free(problem->svd);
  problem->x = NULL;
  problem->column = NULL;
  problem->pivot = NULL;
  problem->svd = NULL;
}

/* ---- rows ---- */

size_t arm_dyn_problem_place(const ArmDynProblem *problem, size_t joint, size_t c) {
  const ArmDynTriangle *t = &problem->triangle[joint];
  if (c < t->own)
    return arm_dyn_unknown(problem->count, joint, c);
  if (c < t->own + t->base)
    return t->first + c - t->own;
  return arm_dyn_unknown(problem->count, joint, ARM_DYN_OWN);
}

bool arm_dyn_problem_estimates(const ArmDynProblem *problem, size_t u) {
  if (u < problem->count)
    return true;
  const size_t joint = (u - problem->count) / ARM_DYN_OF_JOINT;
  const size_t local = (u - problem->count) % ARM_DYN_OF_JOINT;
  if (!problem->kappa[joint].has_rows)
    return false;
  return local == ARM_DYN_OWN ? problem->kappa[joint].sd > 0 : problem->triangle[joint].has[local];
}

void arm_dyn_problem_rows(const ArmDynProblem *problem, size_t joint, const double *r,
                          const double *x, double *residual, double *jacobian) {
  const ArmDynTriangle *t = &problem->triangle[joint];
  const size_t m = t->width;
  const double eta =
      problem->kappa[joint].sign * exp(x[arm_dyn_unknown(problem->count, joint, ARM_DYN_OWN)]);
  double *load = jacobian ? jacobian + (m - 1) * m : NULL; /* by kappa: eta (Y_b) beta */
  for (size_t i = 0; i < m; i++)
    residual[i] = -r[i + (m - 1) * m];
  for (size_t i = 0; load && i < m; i++)
    load[i] = 0;
  for (size_t c = 0; c + 1 < m; c++) {
    const bool is_local = c < t->own;
    const double factor = is_local ? (double)t->has[c] : eta;
    const double value = x[arm_dyn_problem_place(problem, joint, c)];
    for (size_t i = 0; i < m; i++) {
      const double d = factor * r[i + c * m];
      residual[i] += d * value;
      if (!jacobian)
        continue;
      jacobian[i + c * m] = d;
      load[i] += is_local ? 0 : d * value;
    }
  }
}

double arm_dyn_problem_leverage(const ArmDynProblem *problem, size_t joint, const double *jacobian,
                                const double *covariance) {
  const size_t m = problem->triangle[joint].width, u = problem->unknowns;
  double sum = 0;
  for (size_t a = 0; a < m; a++)
    for (size_t b = 0; b <= a; b++) {
      double product = 0;
      for (size_t i = 0; i < m; i++)
        product += jacobian[i + a * m] * jacobian[i + b * m];
      sum += (a == b ? 1 : 2) * product *
             covariance[arm_dyn_problem_place(problem, joint, a) +
                        arm_dyn_problem_place(problem, joint, b) * u];
    }
  return sum;
}

static double prior_residual(const ArmDynProblem *problem, size_t joint, const double *x) {
  const ArmDynKappa *kappa = &problem->kappa[joint];
  const double value = x[arm_dyn_unknown(problem->count, joint, ARM_DYN_OWN)];
  return kappa->sd > 0 ? (value - kappa->centre) / kappa->sd : 0;
}

static double sum_of_squares(const double *v, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += v[i] * v[i];
  return sum;
}

static double cost_at(const ArmDynProblem *problem, const double *x) {
  double cost = 0;
  for (size_t j = 0; j < problem->n; j++) {
    const double prior = prior_residual(problem, j, x);
    double *residual = problem->right;
    arm_dyn_problem_rows(problem, j, problem->triangle[j].r, x, residual, NULL);
    cost += problem->weight[j] * problem->weight[j] *
            sum_of_squares(residual, problem->triangle[j].width);
    cost += prior * prior;
  }
  return cost;
}

/* The block of a joint, weighed, to its places in the whole. */
static void place_block(ArmDynProblem *problem, size_t j, const double *block) {
  const size_t m = problem->triangle[j].width;
  for (size_t c = 0; c < m; c++) {
    double *to =
        problem->jacobian + problem->row[j] + arm_dyn_problem_place(problem, j, c) * problem->rows;
    for (size_t i = 0; i < m; i++)
      to[i] = problem->weight[j] * block[i + c * m];
  }
}

void arm_dyn_problem_linearise(ArmDynProblem *problem) {
  const size_t rows = problem->rows, n = problem->n;
  memset(problem->jacobian, 0, rows * problem->unknowns * sizeof(double));
  for (size_t j = 0; j < n; j++) {
    double *residual = problem->residual + problem->row[j];
    arm_dyn_problem_rows(problem, j, problem->triangle[j].r, problem->x, residual, problem->stack);
    place_block(problem, j, problem->stack);
    for (size_t i = 0; i < problem->triangle[j].width; i++)
      residual[i] *= problem->weight[j];
    problem->residual[rows - n + j] = prior_residual(problem, j, problem->x);
    if (problem->kappa[j].sd > 0)
      problem->jacobian[rows - n + j + arm_dyn_unknown(problem->count, j, ARM_DYN_OWN) * rows] =
          1 / problem->kappa[j].sd;
  }
  problem->cost = sum_of_squares(problem->residual, rows);
}

/* ---- steps ---- */

static double efforts_squared(const ArmDynProblem *problem) {
  double sum = 0;
  for (size_t j = 0; j < problem->n; j++) {
    const double length = problem->weight[j] * problem->triangle[j].length;
    sum += length * length;
  }
  return sum;
}

static bool is_kappa(const ArmDynProblem *problem, size_t u) {
  return u >= problem->count && (u - problem->count) % ARM_DYN_OF_JOINT == ARM_DYN_OWN;
}

/* Lists what is estimated; their columns, scaled to unit length if asked for, go into stack with
 * leading dimension ld. */
static size_t gather(ArmDynProblem *problem, bool with_kappa, size_t ld, double *length) {
  size_t columns = 0;
  for (size_t u = 0; u < problem->unknowns; u++) {
    if (!arm_dyn_problem_estimates(problem, u) || (is_kappa(problem, u) && !with_kappa))
      continue;
    const double *from = problem->jacobian + u * problem->rows;
    double *to = problem->stack + columns * ld;
    double scale = 1;
    if (length) {
      scale = sqrt(sum_of_squares(from, problem->rows));
      scale = length[columns] = scale > 0 ? scale : 1;
    }
    for (size_t i = 0; i < problem->rows; i++)
      to[i] = from[i] / scale;
    problem->column[columns++] = u;
  }
  return columns;
}

/* Of columns of unit length, over the largest: smaller singular values a search does not follow.
 * Looser than what is seen, as that is told by other units. */
static double search_rcond(const ArmDynProblem *problem) {
  const double reach = ARM_DYN_MOST_EFFORT * sqrt(efforts_squared(problem));
  return fmin(fmax(RCOND, WITHIN / reach), MOST_RCOND);
}

/* Of what was gathered as it is. */
static double units_of(const ArmDynProblem *problem, size_t columns, double *unit) {
  return arm_dyn_problem_units(
      problem, &(ArmDynColumns){problem->rows, columns, problem->column, problem->stack}, unit);
}

/* Everything but kappa by linear least squares: of minimum length with columns of unit length, or
 * in units of what parameters can be, along what is seen then. */
static ArmStatus solve_linear(ArmDynProblem *problem, bool in_units) {
  double *unit = problem->trial, rcond = search_rcond(problem);
  for (size_t u = 0; u < problem->unknowns; u++)
    if (!is_kappa(problem, u))
      problem->x[u] = 0;
  arm_dyn_problem_linearise(problem);
  const size_t columns = gather(problem, false, problem->rows, NULL);
  for (size_t i = 0; i < problem->rows; i++)
    problem->right[i] = -problem->residual[i];
  if (in_units)
    rcond = units_of(problem, columns, unit);
  ArmStatus status =
      arm_svd_solve_in(problem->svd, problem->rows, columns, problem->stack, problem->right,
                       in_units ? unit : NULL, rcond, problem->step, NULL, NULL, NULL);
  for (size_t c = 0; c < columns && status == ARM_OK; c++)
    problem->x[problem->column[c]] = problem->step[c];
  arm_dyn_problem_linearise(problem);
  return status;
}

ArmStatus arm_dyn_problem_start(ArmDynProblem *problem) {
  return solve_linear(problem, false);
}

ArmStatus arm_dyn_problem_settle(ArmDynProblem *problem) {
  return solve_linear(problem, true);
}

/* J D^-1 P = Q [T 0; 0 0] Z in place, and c = -Q^T r in right; the rank. */
static ArmStatus factorise(ArmDynProblem *problem, size_t columns, size_t *rank) {
  const lapack_int m = (lapack_int)problem->rows, n = (lapack_int)columns;
  const lapack_int size = (lapack_int)problem->lapack_size;
  double *a = problem->stack, *tau = problem->tau;
  memset(problem->pivot, 0, columns * sizeof *problem->pivot);
  if (LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, m, n, a, m, problem->pivot, tau, problem->lapack, size))
    return ARM_E_NUMERIC;
  size_t k = 0;
  const double least = search_rcond(problem) * fabs(a[0]);
  while (k < columns && k < problem->rows && fabs(a[k + k * problem->rows]) > least)
    k++;
  *rank = k;
  for (size_t i = 0; i < problem->rows; i++)
    problem->right[i] = -problem->residual[i];
  if (k == 0)
    return ARM_OK;
  if (LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', m, 1, (lapack_int)k, a, m, tau,
                          problem->right, m, problem->lapack, size))
    return ARM_E_NUMERIC;
  if (k < columns && LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, (lapack_int)k, n, a, m,
                                         tau + problem->unknowns, problem->lapack, size))
    return ARM_E_NUMERIC;
  return ARM_OK;
}

/* y of min |T y - c|^2 + mu |y|^2 into right, and how much of |c|^2 that takes away. */
static ArmStatus damp(ArmDynProblem *problem, size_t rank, double damping, double *predicted) {
  const size_t rows = problem->rows, ld = 2 * rank;
  const lapack_int k = (lapack_int)rank;
  double *t = problem->small;
  memset(t, 0, ld * rank * sizeof *t);
  for (size_t c = 0; c < rank; c++) {
    memcpy(t + c * ld, problem->stack + c * rows, (c + 1) * sizeof *t);
    t[rank + c + c * ld] = sqrt(damping);
  }
  const double all = sum_of_squares(problem->right, rank);
  memset(problem->right + rank, 0, (rows + problem->unknowns - rank) * sizeof *problem->right);
  if (rank > 0 && LAPACKE_dgels_work(LAPACK_COL_MAJOR, 'N', 2 * k, k, 1, t, 2 * k, problem->right,
                                     2 * k, problem->lapack, (lapack_int)problem->lapack_size))
    return ARM_E_NUMERIC;
  *predicted = all - sum_of_squares(problem->right + rank, rank);
  memset(problem->right + rank, 0, rank * sizeof *problem->right);
  return ARM_OK;
}

/* step: -(J^T J + mu D^2)^-1 J^T r without what J does not see: along that nothing but rounding
 * would push, further with each step as mu falls, until the rounding of what has run off is more
 * than the noise. predicted: decrease of the cost of the linear problem. */
static ArmStatus damped_step(ArmDynProblem *problem, double damping, double *predicted) {
  const lapack_int m = (lapack_int)problem->rows;
  double *length = problem->trial, *y = problem->right;
  const size_t columns = gather(problem, true, problem->rows, length);
  size_t rank;
  ArmStatus status = factorise(problem, columns, &rank);
  if (status == ARM_OK)
    status = damp(problem, rank, damping, predicted);
  if (status == ARM_OK && rank > 0 && rank < columns &&
      LAPACKE_dormrz_work(LAPACK_COL_MAJOR, 'L', 'T', (lapack_int)columns, 1, (lapack_int)rank,
                          (lapack_int)(columns - rank), problem->stack, m,
                          problem->tau + problem->unknowns, y, (lapack_int)columns, problem->lapack,
                          (lapack_int)problem->lapack_size))
    status = ARM_E_NUMERIC;
  if (status != ARM_OK)
    return status;
  memset(problem->step, 0, problem->unknowns * sizeof(double));
  for (size_t k = 0; k < columns; k++) {
    const size_t c = (size_t)problem->pivot[k] - 1;
    problem->step[problem->column[c]] = y[k] / length[c];
  }
  return ARM_OK;
}

/* Weak ratios would run off. */
static void cap_step(ArmDynProblem *problem) {
  double longest = 0;
  for (size_t j = 0; j < problem->n; j++)
    longest = fmax(longest, fabs(problem->step[arm_dyn_unknown(problem->count, j, ARM_DYN_OWN)]));
  for (size_t u = 0; u < problem->unknowns && longest > LONGEST_STEP; u++)
    problem->step[u] *= LONGEST_STEP / longest;
}

/* Mean step of kappa; 0 where one is known, as that holds the scale. */
static double scale_step(const ArmDynProblem *problem) {
  double sum = 0, count = 0;
  for (size_t j = 0; j < problem->n; j++) {
    if (!problem->kappa[j].has_rows)
      continue;
    if (!(problem->kappa[j].sd > 0))
      return 0;
    sum += problem->step[arm_dyn_unknown(problem->count, j, ARM_DYN_OWN)];
    count++;
  }
  return count > 0 ? sum / count : 0;
}

/* To first order x + step. Efforts are the same for all eta times e^c and beta over e^c: a valley
 * that only what is stated slopes, and that bends. A straight step leaves it, the sooner the less
 * noise there is. */
static void find_trial(ArmDynProblem *problem) {
  const double c = scale_step(problem);
  for (size_t u = 0; u < problem->unknowns; u++) {
    const double x = problem->x[u], step = problem->step[u];
    problem->trial[u] = u < problem->count ? (x + step + c * x) * exp(-c) : x + step;
  }
}

ArmStatus arm_dyn_problem_refine(ArmDynProblem *problem) {
  const double rounding = ROUNDING * efforts_squared(problem);
  double damping = FIRST_DAMPING, predicted;
  problem->has_converged = false;
  arm_dyn_problem_linearise(problem);
  for (size_t trial = 0; trial < problem->most_trials; trial++) {
    const ArmStatus status = damped_step(problem, damping, &predicted);
    if (status != ARM_OK)
      return status;
    if (damping <= 1 && (predicted <= LEAST_DECREASE * problem->cost || predicted <= rounding)) {
      problem->has_converged = true;
      break;
    }
    cap_step(problem);
    find_trial(problem);
    problem->iterations++;
    if (!(cost_at(problem, problem->trial) < problem->cost)) {
      damping *= DAMPING_UP;
      continue;
    }
    memcpy(problem->x, problem->trial, problem->unknowns * sizeof(double));
    damping /= DAMPING_DOWN;
    arm_dyn_problem_linearise(problem);
  }
  return ARM_OK;
}

/* ---- covariance ---- */

ArmStatus arm_dyn_problem_covariance(ArmDynProblem *problem, double *covariance,
                                     double *null_share) {
  const size_t u = problem->unknowns;
  arm_dyn_problem_linearise(problem);
  const size_t columns = gather(problem, true, problem->rows, NULL);
  double *small = calloc(columns * (columns + 1) + 1, sizeof *small);
  if (!small)
    return ARM_E_MEMORY;
  double *share = small + columns * columns, *unit = problem->trial;
  const double rcond = units_of(problem, columns, unit);
  ArmStatus status =
      arm_svd_solve_in(problem->svd, problem->rows, columns, problem->stack, problem->residual,
                       unit, rcond, problem->step, small, share, NULL);
  if (status == ARM_OK) {
    memset(covariance, 0, u * u * sizeof *covariance);
    for (size_t k = 0; k < u; k++)
      null_share[k] = 1;
    for (size_t a = 0; a < columns; a++) {
      null_share[problem->column[a]] =
          arm_dyn_hidden_share(share[a], unit[a], sqrt(small[a + a * columns]));
      for (size_t b = 0; b < columns; b++)
        covariance[problem->column[a] + problem->column[b] * u] = small[a + b * columns];
    }
  }
  free(small);
  return status;
}
