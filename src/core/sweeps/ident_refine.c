/* SPDX-License-Identifier: MIT */
/* Joint maximum likelihood of all joints together, on the per-joint triangles: Newton with step
 * halving for fixed noise, noise from the residuals, until both stand. */
#include "core/sweeps/ident_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Newton takes 11 steps on the demo; the bounds only end what does not converge, which is told. The
 * end is judged by the gradient: where the cost alone was level to rounding 3 of 2300 noisy fits
 * had not converged. Goals are near what double precision reaches. */
enum { MAX_OUTER = 60, MAX_INNER = 40, MAX_HALVINGS = 30 };
#define GRADIENT_GOAL  1e-8
#define GRADIENT_INNER 1e-10
#define NOISE_GOAL     1e-10
#define COST_ROUNDING  1e-14 /* relative */
#define EPSILON        1e-16 /* of a weighted current: its rounding in the residual */
#define EXACT          1e-6  /* of the currents: an exact fit leaves less; see relative_gradient */
#define NOISE_FLOOR    1e-14 /* part of rms(y): rounding, so that exact data keep finite weights */

/*   min over theta, s of  sum_i [ (m_i - p_i) log s_i^2 + |T_i c_i(theta) - y_i|^2 / (s_i b_i)^2 ]
 *                       + sum_edges ((x - x0)/s_rho)^2
 *
 * s_i: residual sd of joint i, b_i: widening of its sd by autocorrelated noise (b_i^2 rows count
 * as one). Of a joint whose rows are weighed by strokes s_i b_i = 1 stands from the beginning. */
typedef struct {
  const ArmIdent *ident;
  size_t m_data, m, count; /* rows of all triangles, plus priors; parameters */
  size_t first_row[ARM_MAX_JOINTS];
  double noise[ARM_MAX_JOINTS]; /* s_i b_i [A], 0 = joint without rows */
  double least[ARM_MAX_JOINTS]; /* s_i is not below this [A] */
  double size;                  /* weighted sum of squares of all currents */
  bool has_adopted;             /* a joint carries the load of an unswept one */
  ArmSvdWork *svd;
  double *jacobian, *residual, *local, *step, *trial, *null_share, *inverse, *negative;
} Problem;

/* weighed, or as recorded */
static const ArmIdentRows *rows_of(const ArmIdent *ident, size_t i) {
  return ident->weighed[i].triangle ? &ident->weighed[i] : &ident->rows[i];
}

static void problem_clear(Problem *p) {
  arm_svd_work_free(p->svd);
  free(p->jacobian);
}

static ArmStatus problem_init(Problem *p, const ArmIdent *ident, const double *noise) {
  const size_t count = ident->tree.count;
  *p = (Problem){.ident = ident, .count = count};
  for (size_t i = 0; i < ident->model->n; i++) {
    p->first_row[i] = p->m_data;
    p->m_data += ident->rows[i].columns + 1;
    p->noise[i] = noise[i];
    p->has_adopted |= ident->tree.is_unswept[i] && ident->tree.parent[i] >= 0;
  }
  p->m = p->m_data + ident->model->n;
  const size_t wide = (size_t)(ARM_IDENT_MAX_COLUMNS + 1) * count;
  double *block =
      calloc(p->m * count + 2 * p->m + 2 * wide + 3 * count + count * count, sizeof *block);
  p->jacobian = block;
  p->svd = arm_svd_work_new(p->m, count);
  if (!block || !p->svd) {
    problem_clear(p);
    return ARM_E_MEMORY;
  }
  p->residual = block + p->m * count;
  p->negative = p->residual + p->m;
  p->local = p->negative + p->m;
  p->step = p->local + 2 * wide;
  p->trial = p->step + count;
  p->null_share = p->trial + count;
  p->inverse = p->null_share + count;
  return ARM_OK;
}

/* unweighted residual T c - y of one joint, columns+1 entries */
static void joint_residual(const Problem *p, const ArmIdentRows *rows, const double *theta,
                           size_t i, double *residual) {
  const size_t m = rows->columns + 1;
  const double *y = rows->triangle + rows->columns * m;
  double c[ARM_IDENT_MAX_COLUMNS];
  arm_ident_coefficients(&p->ident->tree, p->ident->model, theta, i, c, NULL);
  arm_ident_triangle_mul(rows, c, 1, residual);
  for (size_t k = 0; k < m; k++)
    residual[k] -= y[k];
}

static double sum_squares(const double *x, size_t m) {
  double sum = 0.0;
  for (size_t k = 0; k < m; k++)
    sum += x[k] * x[k];
  return sum;
}

/* weighted residual of everything; returns the cost */
static double evaluate(const Problem *p, const double *theta, double *residual) {
  const ArmIdentTree *tree = &p->ident->tree;
  for (size_t i = 0; i < tree->n; i++) {
    double *r = residual + p->first_row[i];
    const size_t m = p->ident->rows[i].columns + 1;
    joint_residual(p, rows_of(p->ident, i), theta, i, r);
    for (size_t k = 0; k < m; k++)
      r[k] = p->noise[i] > 0.0 ? r[k] / p->noise[i] : 0.0;
    residual[p->m_data + i] =
        tree->edge[i] == ARM_IDENT_NONE
            ? 0.0
            : (theta[tree->edge[i]] - tree->prior_mean[i]) / tree->prior_sd[i];
  }
  return sum_squares(residual, p->m);
}

/* wide: priors are so many times as wide as they are; INFINITY: there are none */
static void linearise(const Problem *p, const double *theta, double wide) {
  const ArmIdentTree *tree = &p->ident->tree;
  double *product = p->local + (size_t)(ARM_IDENT_MAX_COLUMNS + 1) * p->count;
  memset(p->jacobian, 0, p->m * p->count * sizeof *p->jacobian);
  for (size_t i = 0; i < tree->n; i++) {
    const size_t m = p->ident->rows[i].columns + 1;
    if (!(p->noise[i] > 0.0))
      continue;
    arm_ident_coefficients(tree, p->ident->model, theta, i, NULL, p->local);
    arm_ident_triangle_mul(rows_of(p->ident, i), p->local, p->count, product);
    for (size_t a = 0; a < p->count; a++)
      for (size_t k = 0; k < m; k++)
        p->jacobian[p->first_row[i] + k + a * p->m] = product[k + a * m] / p->noise[i];
  }
  for (size_t j = 0; j < tree->n; j++)
    if (tree->edge[j] != ARM_IDENT_NONE)
      p->jacobian[p->m_data + j + tree->edge[j] * p->m] = 1.0 / (wide * tree->prior_sd[j]);
}

/* largest cosine between a column and the residual; where the fit is exact, the residual is
 * rounding and its direction means nothing: it then counts as EXACT of the data */
static double relative_gradient(const Problem *p, double cost) {
  double worst = 0.0;
  cost += EXACT * EXACT * p->size;
  for (size_t a = 0; a < p->count; a++) {
    const double *column = p->jacobian + a * p->m;
    double dot = 0.0;
    for (size_t k = 0; k < p->m; k++)
      dot += column[k] * p->residual[k];
    const double norm = sqrt(sum_squares(column, p->m));
    if (norm > 0.0 && cost > 0.0)
      worst = fmax(worst, fabs(dot) / (norm * sqrt(cost)));
  }
  return worst;
}

/* Newton where the Hessian allows it, else Gauss-Newton of minimum norm */
static ArmStatus find_step(const Problem *p, const double *theta) {
  const ArmIdent *ident = p->ident;
  memset(p->inverse, 0, p->count * p->count * sizeof *p->inverse);
  for (size_t i = 0; i < ident->model->n; i++) {
    const ArmIdentRows *rows = rows_of(ident, i);
    const double *r = p->residual + p->first_row[i];
    double v[ARM_IDENT_MAX_COLUMNS] = {0};
    for (size_t c = 0; c < rows->columns && p->noise[i] > 0.0; c++)
      for (size_t k = 0; k <= c; k++)
        v[c] += rows->triangle[k + c * (rows->columns + 1)] * r[k] / p->noise[i];
    arm_ident_curvature(&ident->tree, theta, i, v, p->inverse);
  }
  if (arm_ident_newton(p->m, p->count, p->jacobian, p->residual, p->inverse, p->step))
    return ARM_OK;
  for (size_t k = 0; k < p->m; k++)
    p->negative[k] = -p->residual[k];
  return arm_svd_solve(p->svd, p->m, p->count, p->jacobian, p->negative, ARM_IDENT_RCOND, p->step,
                       NULL, NULL, NULL);
}

typedef enum { STEP_REFUSED, STEP_LEVEL, STEP_LOWER } StepResult;

/* Rounding of the cost beyond its own. Two loads found from one joint's rows leave it so flat that
 * the rounding of the currents counts; elsewhere the plain figure keeps every digit of earlier
 * fits. */
static double cost_slack(const Problem *p, double cost) {
  return p->has_adopted ? EPSILON * sqrt(p->size * cost) : 0.0;
}

/* one damped step; level: the cost changed by no more than its own rounding */
static StepResult improve(const Problem *p, double *theta, double *cost, ArmStatus *status) {
  *status = find_step(p, theta);
  const double slack = cost_slack(p, *cost);
  double scale = 1.0;
  for (int halving = 0; halving < MAX_HALVINGS && *status == ARM_OK; halving++, scale *= 0.5) {
    for (size_t a = 0; a < p->count; a++)
      p->trial[a] = theta[a] + scale * p->step[a];
    const double trial_cost = evaluate(p, p->trial, p->residual);
    if (trial_cost <= *cost * (1.0 + COST_ROUNDING) + slack) {
      const bool is_lower = trial_cost < *cost * (1.0 - COST_ROUNDING) - slack;
      memcpy(theta, p->trial, p->count * sizeof *theta);
      *cost = trial_cost;
      return is_lower ? STEP_LOWER : STEP_LEVEL;
    }
  }
  evaluate(p, theta, p->residual);
  return STEP_REFUSED;
}

/* Minimum at fixed noise; returns the relative gradient at the end. Where the cost is level to
 * rounding the gradient decides: it is known to more digits. One step more than the goal asks for:
 * of parameters that depend on each other the goal alone leaves 1e-8 of an sd. */
static double minimise(const Problem *p, double *theta, size_t *iterations, ArmStatus *status) {
  double cost = evaluate(p, theta, p->residual);
  double gradient = 0.0, last = (double)INFINITY;
  bool is_near = false;
  StepResult step = STEP_LOWER;
  for (int k = 0; k < MAX_INNER && step != STEP_REFUSED && *status == ARM_OK; k++) {
    linearise(p, theta, 1.0);
    gradient = relative_gradient(p, cost);
    if (is_near || (step == STEP_LEVEL && gradient >= last))
      break;
    is_near = gradient <= GRADIENT_INNER;
    last = gradient;
    (*iterations)++;
    step = improve(p, theta, &cost, status);
  }
  linearise(p, theta, 1.0);
  return relative_gradient(p, cost);
}

/* Parameters from outboard can fit away the residual of a joint with few rows, whose weight would
 * then grow without end: its noise does not fall below what the recursion found. */
static double least_noise(const ArmIdent *ident, const ArmIdentResult *start, size_t i) {
  const size_t n = ident->model->n, rank = start->stats[i].rank;
  size_t friction = 0, own[ARM_IDENT_OWN];
  for (size_t j = i + 1; j < n; j++)
    friction += arm_ident_tree_own(&ident->tree, j, own);
  const size_t shared = ident->tree.own[i] - friction;
  if (ident->rows[i].rows <= rank || ident->rows[i].rows - rank >= 4 * shared + 10)
    return 0.0;
  return start->stats[i].residual_sd;
}

/* s_i b_i from the residuals; returns the largest relative change */
static double update_noise(Problem *p, const double *theta, ArmIdentResult *result) {
  double change = 0.0;
  p->size = 0.0;
  for (size_t i = 0; i < p->ident->model->n; i++) {
    const ArmIdentRows *rows = &p->ident->rows[i];
    ArmIdentStats *stats = &result->stats[i];
    double residual[ARM_IDENT_MAX_COLUMNS + 1];
    const ArmIdentRows *weighed = &p->ident->weighed[i];
    if (weighed->triangle) {
      p->noise[i] = 1.0;
      p->size += (double)weighed->rows * weighed->rms_y * weighed->rms_y;
    }
    if (rows->rows <= stats->rank)
      continue;
    joint_residual(p, rows, theta, i, residual);
    stats->residual_sd =
        sqrt(sum_squares(residual, rows->columns + 1) / (double)(rows->rows - stats->rank));
    if (weighed->triangle)
      continue;
    stats->residual_sd = fmax(stats->residual_sd, p->least[i]);
    const double noise = stats->widening * fmax(stats->residual_sd, NOISE_FLOOR * rows->rms_y);
    if (noise > 0.0)
      change = fmax(change, fabs(noise - p->noise[i]) / noise);
    p->noise[i] = noise;
    if (noise > 0.0)
      p->size += (double)rows->rows * rows->rms_y * rows->rms_y / (noise * noise);
  }
  return change;
}

/* friction of a T joint whose mass is fixed: what its own rows say of it stands (see solve_and_fix)
 */
static bool is_judged(const ArmIdentTree *tree, size_t at) {
  for (size_t i = 0; i < tree->n; i++)
    if (tree->own_count[i] == 1 && tree->is_fixed[tree->own[i]] && at >= tree->friction[i] &&
        at < tree->friction[i] + 4)
      return true;
  return false;
}

static void judge_data(const Problem *p, ArmIdentResult *result) {
  for (size_t a = 0; a < p->count; a++) {
    if (is_judged(&p->ident->tree, a))
      continue;
    result->null_data[a] = p->null_share[a];
    result->sd_data[a] = p->null_share[a] > ARM_IDENT_NULL_SHARE
                             ? (double)INFINITY
                             : sqrt(fmax(0.0, p->inverse[a + a * p->count]));
  }
}

/* one linearisation; the inverse goes to `covariance`, may be p->inverse */
static ArmStatus invert(Problem *p, const double *at, double wide, double *covariance,
                        double *null_share) {
  linearise(p, at, wide);
  return arm_svd_solve(p->svd, p->m, p->count, p->jacobian, p->residual, ARM_IDENT_RCOND, p->step,
                       covariance, null_share, NULL);
}

/* data alone, then data and priors, wide ones and those that there are, linearised at `at` */
static ArmStatus propagate(Problem *p, const double *at, ArmIdentResult *result) {
  memset(p->residual, 0, p->m * sizeof *p->residual);
  ArmStatus status = invert(p, at, (double)INFINITY, p->inverse, p->null_share);
  if (status != ARM_OK)
    return status;
  judge_data(p, result);
  status = invert(p, at, ARM_IDENT_BORROWED, p->inverse, p->null_share);
  for (size_t a = 0; a < p->count && status == ARM_OK; a++)
    result->sd_wide[a] =
        is_judged(&p->ident->tree, a) ? 0.0 : sqrt(fmax(0.0, p->inverse[a + a * p->count]));
  return status == ARM_OK ? invert(p, at, 1.0, result->covariance, result->null_post) : status;
}

static ArmStatus uncertainty(Problem *p, ArmIdentResult *result) {
  bool is_spread = false;
  ArmStatus status = propagate(p, result->theta, result);
  memcpy(result->spread, result->theta, p->count * sizeof *result->spread);
  for (size_t j = 0; j < p->ident->tree.n && status == ARM_OK; j++) {
    const size_t at = p->ident->tree.edge[j];
    if (at == ARM_IDENT_NONE)
      continue;
    is_spread |=
        arm_ident_spread(&p->ident->tree, j, result->covariance[at + at * p->count], result);
  }
  return status == ARM_OK && is_spread ? propagate(p, result->spread, result) : status;
}

ArmStatus arm_ident_uncertainty(const ArmIdent *ident, const double *noise_sd,
                                ArmIdentResult *result) {
  Problem problem;
  ArmStatus status = problem_init(&problem, ident, noise_sd);
  if (status != ARM_OK)
    return status;
  result->covariance = calloc(problem.count * problem.count + 1, sizeof(double));
  status = result->covariance ? uncertainty(&problem, result) : ARM_E_MEMORY;
  problem_clear(&problem);
  if (status != ARM_OK) {
    free(result->covariance);
    result->covariance = NULL;
  }
  return status;
}

/* alternates theta and noise; the iteration record of fit goes on, with weighed rows */
static ArmStatus alternate(Problem *p, const ArmFitOptions *options, ArmIdentResult *result,
                           ArmGravityFit *fit) {
  const double done = fit->iterations > 0 ? 0.9 : 0.4, rest = fit->iterations > 0 ? 0.1 : 0.5;
  ArmStatus status = ARM_OK;
  update_noise(p, result->theta, result);
  for (int outer = 0; outer < MAX_OUTER && status == ARM_OK; outer++) {
    fit->relative_gradient = minimise(p, result->theta, &fit->iterations, &status);
    fit->is_converged = fit->relative_gradient <= GRADIENT_GOAL;
    if (options->progress &&
        !options->progress(done + rest * (outer + 1.0) / MAX_OUTER, options->user))
      return ARM_E_NO_DATA;
    if (update_noise(p, result->theta, result) <= NOISE_GOAL)
      break;
  }
  return status;
}

ArmStatus arm_ident_refine(const ArmIdent *ident, const ArmFitOptions *options,
                           const ArmIdentResult *start, ArmIdentResult *result,
                           ArmGravityFit *fit) {
  double noise[ARM_MAX_JOINTS] = {0};
  Problem problem;
  ArmStatus status = problem_init(&problem, ident, noise);
  if (status != ARM_OK)
    return status;
  *result = *start;
  for (size_t i = 0; i < ident->model->n; i++)
    problem.least[i] = least_noise(ident, start, i);
  result->covariance = calloc(problem.count * problem.count + 1, sizeof(double));
  status = result->covariance ? alternate(&problem, options, result, fit) : ARM_E_MEMORY;
  if (status == ARM_OK) {
    status = uncertainty(&problem, result);
  }
  for (size_t i = 0; i < ident->model->n && status == ARM_OK; i++) {
    double c[ARM_IDENT_MAX_COLUMNS];
    const double widening = result->stats[i].widening;
    arm_ident_coefficients(&ident->tree, ident->model, result->theta, i, c, NULL);
    status = arm_ident_residuals(ident, i, c, &result->stats[i]);
    result->stats[i].widening = widening;
  }
  problem_clear(&problem);
  if (status != ARM_OK) {
    free(result->covariance);
    result->covariance = NULL;
  }
  return status;
}
