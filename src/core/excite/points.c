/* SPDX-License-Identifier: MIT */
/* The search of the point designer: multi-start, and iterated local search on a pool of the best.
 * Starts have 30 % of the evaluations done so far, at any time. */
#include "core/excite/points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/points_internal.h"
#include "core/num/optimise.h"

enum { POOL = 6, START_EVALUATIONS = 110, KICK_EVALUATIONS = 80, SMOOTH_EVALUATIONS = 400 };

/* A gain in a criterion, all of which are logarithms, that nobody sees. */
static const double tolerance = 1e-8 * ARM_POINTS_COST_SCALE;

typedef struct {
  unsigned exponent[4];
  size_t count;
  int evaluations; /* each */
} Stages;

static const Stages start_stages = {{0, 1, 3, 5}, 4, START_EVALUATIONS};
static const Stages kick_stages = {{3, 5, 7, 9}, 4, KICK_EVALUATIONS};
static const Stages last_stages = {{7, 9, 10}, 3, KICK_EVALUATIONS};

typedef struct {
  ArmPointsSearch search;
  uint64_t random;
  size_t size, start_evaluations; /* of the pool; what starts took */
  double value[POOL], best_value;
  double *member[POOL], *trial, *best; /* variables each */
} Pool;

static bool has_stages(ArmCriterionKind kind) {
  return kind != ARM_CRITERION_D && kind != ARM_CRITERION_A;
}

/* Takes trial through the stages. */
static ArmStatus descend(Pool *pool, const Stages *stages) {
  ArmPointsSearch *search = &pool->search;
  const ArmCriterionKind kind = search->options->criterion.kind;
  const bool in_stages = has_stages(kind);
  ArmStatus status = ARM_OK;
  search->criterion = search->options->criterion;
  if (kind == ARM_CRITERION_LOG_COND)
    search->criterion.kind = ARM_CRITERION_COND_P;
  for (size_t k = 0; k < (in_stages ? stages->count : 1); k++) {
    search->criterion.exponent = stages->exponent[k];
    if (status == ARM_OK && !search->is_over)
      status = arm_optimise_smooth(search->variables, pool->trial,
                                   in_stages ? stages->evaluations : SMOOTH_EVALUATIONS, tolerance,
                                   arm_points_cost, search, NULL);
  }
  return status;
}

/* Keeps trial where it is the best of all; value is its measure. */
static bool keep_best(Pool *pool, double value) {
  if (!(value < pool->best_value))
    return false;
  pool->best_value = value;
  memcpy(pool->best, pool->trial, pool->search.variables * sizeof *pool->best);
  return true;
}

/* Trial into member k; a new best goes on to the last stages first. */
static ArmStatus admit(Pool *pool, size_t k, double value) {
  ArmStatus status = ARM_OK;
  if (keep_best(pool, value) && has_stages(pool->search.options->criterion.kind)) {
    status = descend(pool, &last_stages);
    (void)keep_best(pool, arm_points_measure(&pool->search, pool->trial));
    memcpy(pool->trial, pool->best, pool->search.variables * sizeof *pool->best);
    value = pool->best_value;
  }
  memcpy(pool->member[k], pool->trial, pool->search.variables * sizeof *pool->trial);
  pool->value[k] = value;
  return status;
}

static ArmStatus start(Pool *pool) {
  const size_t before = pool->search.evaluations;
  size_t worst = 0;
  arm_points_start(&pool->search, &pool->random, pool->trial);
  ArmStatus status = descend(pool, &start_stages);
  const double value = arm_points_measure(&pool->search, pool->trial);
  pool->start_evaluations += pool->search.evaluations - before;
  for (size_t k = 1; k < pool->size; k++)
    worst = pool->value[k] > pool->value[worst] ? k : worst;
  if (status == ARM_OK && pool->size < POOL)
    return admit(pool, pool->size++, value);
  return status == ARM_OK && value < pool->value[worst] ? admit(pool, worst, value) : status;
}

static ArmStatus kick(Pool *pool) {
  const size_t a = (size_t)(arm_random_next(&pool->random) % POOL);
  const size_t b = (size_t)(arm_random_next(&pool->random) % POOL);
  const size_t k = pool->value[a] < pool->value[b] ? a : b;
  memcpy(pool->trial, pool->member[k], pool->search.variables * sizeof *pool->trial);
  arm_points_kick(&pool->search, &pool->random, pool->trial);
  const ArmStatus status = descend(pool, &kick_stages);
  const double value = arm_points_measure(&pool->search, pool->trial);
  return status == ARM_OK && value < pool->value[k] ? admit(pool, k, value) : status;
}

static ArmStatus run(Pool *pool) {
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && !pool->search.is_over) {
    const bool is_time = 10 * pool->start_evaluations < 3 * pool->search.evaluations;
    status = pool->size < POOL || is_time ? start(pool) : kick(pool);
  }
  return status;
}

/* ---- the result ---- */

static double spread_of(const ArmPointsSearch *s) {
  double most = 0, least = (double)INFINITY;
  for (size_t k = 0; k + 1 < s->points; k++)
    for (size_t j = 0; j < s->p; j++) {
      const double size = fabs(s->w[k * s->stride + j]);
      most = fmax(most, size);
      least = fmin(least, size);
    }
  return most / least;
}

static ArmStatus finish(Pool *pool, ArmPoints *points) {
  ArmPointsSearch *s = &pool->search;
  const size_t state = s->points * s->n;
  if (!isfinite(pool->best_value))
    return ARM_E_INFEASIBLE;
  ArmPoints result = {.points = s->points, .n = s->n, .p = s->p, .evaluations = s->evaluations};
  result.value = arm_points_measure(s, pool->best);
  result.spread = spread_of(s);
  for (size_t j = 0; j < s->n; j++)
    result.is_loose[j] = !s->counts[j];
  const ArmStatus status =
      arm_criterion_condition(s->work, s->m, &result.condition, &result.normalised);
  if (status != ARM_OK)
    return status;
  result.q = malloc(2 * state * sizeof *result.q);
  if (!result.q)
    return ARM_E_MEMORY;
  result.qd = result.q + state;
  memcpy(result.q, s->q, state * sizeof *result.q);
  memcpy(result.qd, s->qd, state * sizeof *result.qd);
  *points = result;
  return ARM_OK;
}

ArmStatus arm_points_design(const ArmModel *model, const ArmPointsOptions *options,
                            ArmPoints *points, size_t *joint) {
  Pool pool = {.random = options->seed, .best_value = (double)INFINITY};
  size_t unused;
  ArmStatus status = arm_points_search_init(&pool.search, model, options, joint ? joint : &unused);
  const size_t variables = pool.search.variables;
  double *storage = NULL;
  if (status == ARM_OK) {
    storage = malloc((POOL + 2) * variables * sizeof *storage);
    status = storage ? ARM_OK : ARM_E_MEMORY;
  }
  if (status == ARM_OK) {
    for (size_t k = 0; k < POOL; k++)
      pool.member[k] = storage + k * variables;
    pool.trial = storage + POOL * variables;
    pool.best = storage + (POOL + 1) * variables;
    status = run(&pool);
  }
  if (status == ARM_OK)
    status = finish(&pool, points);
  free(storage);
  arm_points_search_clear(&pool.search);
  return status;
}

void arm_points_clear(ArmPoints *points) {
  free(points->q);
  *points = (ArmPoints){0};
}
