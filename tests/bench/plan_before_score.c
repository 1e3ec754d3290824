/* SPDX-License-Identifier: MIT */
/* The criterion as it was, with a chain per position: see plan_before.h. */
#include "plan_before.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/base/random.h"
#include "core/base/vec3.h"
#include "core/sweeps/ident_internal.h"

enum { MOMENT_POSES = 150, SCORE_POSITIONS = 24 };

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

static void add_cluster(BeforeContext *c, const ArmStructure *s,
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

static void before_columns(const BeforeContext *context, const double *q, double *a) {
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

static void find_moment(BeforeContext *c, const ArmPlanOptions *options) {
  uint64_t state = 4 + c->joint;
  double q[ARM_MAX_JOINTS], a[ARM_PLAN_MAX_COLUMNS], low, high;
  memset(c->moment, 0, sizeof c->moment);
  for (int pose = 0; pose < MOMENT_POSES; pose++) {
    for (size_t j = 0; j < c->model->n; j++) {
      arm_plan_range(c->model, options, j, &low, &high);
      q[j] = arm_random_uniform(&state, low, high);
    }
    before_columns(c, q, a);
    for (size_t k = 0; k < c->columns; k++)
      for (size_t l = 0; l < c->columns; l++)
        c->moment[k + l * c->columns] += a[k] * a[l] / MOMENT_POSES;
  }
}

void before_context_init(BeforeContext *context, const ArmModel *model,
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
  find_moment(context, options);
}

/* G of all holds and positions; returns the number of rows it stands for */
static void information(const BeforeContext *c, const ArmJointPlan *plan, double *g) {
  const size_t k = c->columns;
  const size_t positions = plan->positions < SCORE_POSITIONS ? plan->positions : SCORE_POSITIONS;
  double sum[ARM_PLAN_MAX_COLUMNS] = {0}, a[ARM_PLAN_MAX_COLUMNS], q[ARM_MAX_JOINTS];
  memset(g, 0, k * k * sizeof *g);
  for (size_t h = 0; h < plan->n_holds; h++) {
    memcpy(q, plan->holds[h], c->model->n * sizeof *q);
    for (size_t p = 0; p < positions; p++) {
      q[c->joint] = plan->from + (plan->to - plan->from) * (double)p / (double)(positions - 1);
      before_columns(c, q, a);
      for (size_t i = 0; i < k; i++) {
        sum[i] += a[i];
        for (size_t j = 0; j < k; j++)
          g[i + j * k] += a[i] * a[j];
      }
    }
  }
  const double rows = (double)(plan->n_holds * positions);
  const double factor = 2.0 * (double)plan->n_speeds * (double)plan->positions / (double)positions;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++)
      g[i + j * k] = factor * (g[i + j * k] - sum[i] * sum[j] / rows);
}

double before_context_score(const BeforeContext *c, const ArmJointPlan *plan) {
  const size_t k = c->columns;
  const double variance = c->noise_sd * c->noise_sd;
  double g[ARM_PLAN_MAX_COLUMNS * ARM_PLAN_MAX_COLUMNS], scale[ARM_PLAN_MAX_COLUMNS];
  if (k == 0)
    return 0.0;
  if (plan->n_holds == 0 || plan->positions < 2 || plan->n_speeds == 0)
    return (double)INFINITY;
  information(c, plan, g);
  for (size_t i = 0; i < k; i++) {
    if (i >= c->own)
      g[i + i * k] += variance / (c->prior_sd[i - c->own] * c->prior_sd[i - c->own]);
    if (!(g[i + i * k] > 0.0))
      return (double)INFINITY;
    scale[i] = 1.0 / sqrt(g[i + i * k]);
  }
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++)
      g[i + j * k] *= scale[i] * scale[j];
  for (size_t i = 0; i < k; i++)
    g[i + i * k] += 1e-14;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, g, (lapack_int)k) != 0)
    return (double)INFINITY;
  if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', (lapack_int)k, g, (lapack_int)k) != 0)
    return (double)INFINITY;
  double trace = 0.0;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++)
      trace += (i >= j ? g[i + j * k] : g[j + i * k]) * scale[i] * scale[j] * c->moment[i + j * k];
  return sqrt(variance * fmax(0.0, trace));
}

double before_score(const ArmModel *model, const ArmStructure *structure,
                    const ArmGravityParameters *parameters, const ArmPlanOptions *options,
                    size_t joint, const ArmJointPlan *plan) {
  BeforeContext context;
  before_context_init(&context, model, structure, parameters, options, joint);
  return before_context_score(&context, plan);
}
