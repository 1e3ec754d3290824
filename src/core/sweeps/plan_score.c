/* SPDX-License-Identifier: MIT */
/* The fast criterion of one joint. Holds x positions x speeds x directions are a full factorial:
 * the friction columns [1, v] per direction are orthogonal to the centred gravity columns, so their
 * elimination leaves  G = f sum (a - mean)(a - mean)^T. All of it stays a triangle: a score is good
 * to rounding times the condition of the columns, not of G. */
#include "core/sweeps/plan_internal.h"

#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/base/random.h"
#include "core/base/vec3.h"
#include "core/sweeps/ident_internal.h"

/* Chosen: all plans are compared at the same poses. */
enum { MOMENT_POSES = 150, BATCH_POSES = 30, SCORE_POSITIONS = 24 };
#define NEGLIGIBLE 1e-18 /* a variance below this part of the mean square is rounding */
#define RIDGE      1e-14 /* of each column's information */

static void merge_labels(size_t n, size_t *label, size_t a, size_t b) {
  const size_t from = a > b ? a : b, to = a > b ? b : a;
  for (size_t l = 0; l < n; l++)
    label[l] = label[l] == from ? to : label[l];
}

/* label the joints outboard of `joint` by what connects them without it: the innermost of each
 * component is its label */
static void label_outboard(const ArmStructure *s, size_t joint, size_t *label) {
  for (size_t j = 0; j < s->n; j++)
    label[j] = j;
  for (size_t j = joint + 1; j < s->n; j++)
    for (size_t k = j + 1; k < s->n; k++)
      if (s->reaches[j][k])
        merge_labels(s->n, label, label[j], label[k]);
}

static bool reaches_label(const ArmStructure *s, size_t joint, const size_t *label, size_t which) {
  for (size_t j = joint + 1; j < s->n; j++)
    if (label[j] == which && s->reaches[joint][j])
      return true;
  return false;
}

static void add_cluster(ArmPlanContext *c, const ArmStructure *s,
                        const ArmGravityParameters *parameters, const size_t *label,
                        size_t representative) {
  const size_t at = c->columns - c->own;
  double *weight = c->weight[at], size = 0.0, mean;
  memset(weight, 0, sizeof c->weight[at]);
  for (size_t j = representative; j < s->n; j++) {
    const double alpha = j == representative ? 1.0 : parameters->ratio[representative][j].used;
    for (size_t a = 0; a < 2 && label[j] == label[representative]; a++) {
      weight[2 * j + a] = alpha * parameters->joint[j].w[a].used;
      size += fabs(weight[2 * j + a]);
    }
  }
  if (size == 0.0)
    return;
  arm_ident_prior(c->model, c->joint, representative, NULL, &mean, &c->prior_sd[at]);
  c->columns++;
}

/* Householder: the triangle of [r; rows], rows m x k column-major, used up */
static void fold(size_t m, size_t k, double *rows, double *r) {
  for (size_t j = 0; j < k; j++) {
    double *v = rows + j * m, sum = 0.0;
    for (size_t i = 0; i < m; i++)
      sum += v[i] * v[i];
    if (sum == 0.0)
      continue;
    const double alpha = r[j + j * k], beta = -copysign(sqrt(alpha * alpha + sum), alpha);
    const double first = alpha - beta, tau = 2.0 / (first * first + sum);
    r[j + j * k] = beta;
    for (size_t l = j + 1; l < k; l++) {
      double *x = rows + l * m, dot = first * r[j + l * k];
      for (size_t i = 0; i < m; i++)
        dot += v[i] * x[i];
      r[j + l * k] -= tau * dot * first;
      for (size_t i = 0; i < m; i++)
        x[i] -= tau * dot * v[i];
    }
  }
}

static void find_moment(ArmPlanContext *c, const ArmPlanOptions *options) {
  uint64_t state = 4 + c->joint;
  double q[ARM_MAX_JOINTS], a[ARM_PLAN_MAX_COLUMNS], low, high;
  double rows[BATCH_POSES * ARM_PLAN_MAX_COLUMNS];
  memset(c->square, 0, sizeof c->square);
  memset(c->root, 0, sizeof c->root);
  for (size_t pose = 0; pose < MOMENT_POSES; pose++) {
    for (size_t j = 0; j < c->model->n; j++) {
      arm_plan_range(c->model, options, j, &low, &high);
      q[j] = arm_random_uniform(&state, low, high);
    }
    arm_plan_columns(c, q, a);
    for (size_t k = 0; k < c->columns; k++) {
      c->square[k] += a[k] * a[k] / MOMENT_POSES;
      rows[pose % BATCH_POSES + k * BATCH_POSES] = a[k] / sqrt(MOMENT_POSES);
    }
    if (pose % BATCH_POSES + 1 == BATCH_POSES)
      fold(BATCH_POSES, c->columns, rows, c->root);
  }
}

void arm_plan_context_init(ArmPlanContext *context, const ArmModel *model,
                           const ArmStructure *structure, const ArmGravityParameters *parameters,
                           const ArmPlanOptions *options, size_t joint) {
  size_t label[ARM_MAX_JOINTS] = {0};
  const double noise = parameters->joint[joint].residual_sd;
  context->model = model;
  context->joint = joint;
  context->noise_sd = isfinite(noise) && noise > 0.0 ? noise : options->noise_sd;
  context->own = !structure->has_own[joint] ? 0 : model->joints[joint].type == ARM_JOINT_T ? 1 : 2;
  context->columns = context->own;
  label_outboard(structure, joint, label);
  for (size_t j = joint + 1; j < model->n; j++)
    if (label[j] == j && reaches_label(structure, joint, label, j))
      add_cluster(context, structure, parameters, label, j);
  arm_gravity_coupling(model, joint, context->coupling);
  find_moment(context, options);
}

void arm_plan_columns(const ArmPlanContext *context, const double *q, double *a) {
  double row[2 * ARM_MAX_JOINTS];
  arm_gravity_row(context->model, q, context->joint, row);
  for (size_t k = 0; k < context->own; k++)
    a[k] = row[2 * context->joint + k];
  for (size_t s = 0; s + context->own < context->columns; s++) {
    double sum = 0.0;
    for (size_t j = 2 * (context->joint + 1); j < 2 * context->model->n; j++)
      sum += row[j] * context->weight[s][j];
    a[context->own + s] = sum;
  }
}

/* of the positions that a score looks at */
static void grid_init(const ArmPlanContext *c, const ArmJointPlan *plan, ArmPlanGrid *grid) {
  const size_t positions = plan->positions < SCORE_POSITIONS ? plan->positions : SCORE_POSITIONS;
  const double offset = c->model->joints[c->joint].offset, span = plan->to - plan->from;
  double x[2 * SCORE_POSITIONS], r[4] = {0};
  if (grid->positions == positions && grid->from == plan->from && grid->to == plan->to)
    return;
  *grid = (ArmPlanGrid){.from = plan->from, .to = plan->to, .positions = positions};
  for (size_t p = 0; p < positions; p++) {
    const double q = offset + (plan->from + span * (double)p / (double)(positions - 1));
    x[p] = cos(q);
    x[p + positions] = sin(q);
    grid->mean[0] += x[p] / (double)positions;
    grid->mean[1] += x[p + positions] / (double)positions;
  }
  for (size_t e = 0; e < 2 * positions; e++)
    x[e] -= grid->mean[e / positions];
  fold(positions, 2, x, r);
  grid->root[0] = r[0];
  grid->root[1] = r[2];
  grid->root[2] = r[3];
}

/* Two rows for what a sweep shows about its mean, one for its mean about that of all holds. */
enum { ROWS_OF_HOLD = 3, MAX_ROWS = ROWS_OF_HOLD * ARM_PLAN_MAX_HOLDS };

/* rows of the gravity columns, friction eliminated: G = rows^T rows */
static void fill_rows(const ArmPlanContext *c, const ArmJointPlan *plan, ArmPlanMemo *memo,
                      double *rows) {
  const size_t m = ROWS_OF_HOLD * plan->n_holds;
  const ArmPlanGrid *grid = &memo->grid;
  double a[ARM_PLAN_MAX_COLUMNS][3];
  grid_init(c, plan, &memo->grid);
  const double positions = (double)grid->positions;
  const double count = 2.0 * (double)plan->n_speeds * (double)plan->positions;
  const double within = sqrt(count / positions), between = sqrt(count);
  for (size_t h = 0; h < plan->n_holds; h++) {
    arm_plan_hold_columns(c, plan->holds[h], &memo->chain[h % memo->count], a);
    for (size_t k = 0; k < c->columns; k++) {
      double *row = rows + k * m + ROWS_OF_HOLD * h;
      row[0] = within * (grid->root[0] * a[k][1] + grid->root[1] * a[k][2]);
      row[1] = within * grid->root[2] * a[k][2];
      row[2] = between * (a[k][0] + grid->mean[0] * a[k][1] + grid->mean[1] * a[k][2]);
    }
  }
  for (size_t k = 0; k < c->columns; k++) {
    double mean = 0.0, *row = rows + k * m;
    for (size_t h = 0; h < plan->n_holds; h++)
      mean += row[ROWS_OF_HOLD * h + 2] / (double)plan->n_holds;
    for (size_t h = 0; h < plan->n_holds; h++)
      row[ROWS_OF_HOLD * h + 2] -= mean;
  }
}

/* Triangle of what is known without the rows: priors of ratios, and a ridge that ends in rounding
 * what is not determined. False: an own parameter stays unseen. */
static bool start_triangle(const ArmPlanContext *c, const ArmJointPlan *plan, size_t m,
                           const double *rows, double *r) {
  const double count = (double)(2 * plan->n_speeds * plan->n_holds * plan->positions);
  memset(r, 0, c->columns * c->columns * sizeof *r);
  for (size_t k = 0; k < c->columns; k++) {
    const bool is_ratio = k >= c->own;
    const double weight = is_ratio ? c->noise_sd / c->prior_sd[k - c->own] : 0.0;
    double seen = 0.0;
    for (size_t i = 0; i < m; i++)
      seen += rows[i + k * m] * rows[i + k * m];
    if (!is_ratio && !(seen > NEGLIGIBLE * count * c->square[k]))
      return false;
    const double known = weight * weight + RIDGE * (seen + weight * weight);
    if (!(known > 0.0))
      return false;
    r[k + k * c->columns] = sqrt(known);
  }
  return true;
}

/* trace of (R^T R)^-1 U^T U, both upper: |R^-T U^T|^2, a sum of squares */
static double trace_of(size_t k, const double *r, const double *u) {
  double trace = 0.0, y[ARM_PLAN_MAX_COLUMNS];
  for (size_t t = 0; t < k; t++)
    for (size_t i = t; i < k; i++) {
      double sum = u[t + i * k];
      for (size_t j = t; j < i; j++)
        sum -= r[j + i * k] * y[j];
      y[i] = sum / r[i + i * k];
      trace += y[i] * y[i];
    }
  return trace;
}

double arm_plan_context_score(const ArmPlanContext *c, const ArmJointPlan *plan,
                              ArmPlanMemo *memo) {
  const size_t k = c->columns, m = ROWS_OF_HOLD * plan->n_holds;
  double r[ARM_PLAN_MAX_COLUMNS * ARM_PLAN_MAX_COLUMNS], rows[MAX_ROWS * ARM_PLAN_MAX_COLUMNS];
  if (k == 0)
    return 0.0;
  if (plan->n_holds == 0 || plan->positions < 2 || plan->n_speeds == 0)
    return (double)INFINITY;
  fill_rows(c, plan, memo, rows);
  if (!start_triangle(c, plan, m, rows, r))
    return (double)INFINITY;
  fold(m, k, rows, r);
  return c->noise_sd * sqrt(trace_of(k, r, c->root));
}

double arm_plan_score(const ArmModel *model, const ArmStructure *structure,
                      const ArmGravityParameters *parameters, const ArmPlanOptions *options,
                      size_t joint, const ArmJointPlan *plan) {
  ArmPlanContext context;
  ArmPlanChain chain;
  ArmPlanMemo memo = {.count = 1, .chain = &chain};
  arm_plan_context_init(&context, model, structure, parameters, options, joint);
  arm_plan_chain_clear(&chain);
  return arm_plan_context_score(&context, plan, &memo);
}
