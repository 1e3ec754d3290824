/* SPDX-License-Identifier: MIT */
/* The search of the trajectory designer: random starts, and iterated local search on a pool of the
 * best. Either goes through the stages of the criterion, with an update of the multipliers after
 * each; whatever is reached is shrunk into the limits, and the best of all is kept. Starts have
 * 30 % of the evaluations done so far, at any time. */
#include "core/excite/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/trajectory_scene.h"
#include "core/num/optimise.h"

/* Stages of a start, its exponents and rho: theory notes, 7.2. Those of a moved design are ours. */
enum { POOL = 6, STAGE_EVALUATIONS = 60 };

typedef struct {
  unsigned exponent[10];
  size_t count;
  double rho;
} Stages;

static const Stages start_stages = {{0, 1, 3, 5, 7, 7, 7, 7, 7, 7}, 10, 10};
static const Stages kick_stages = {{3, 5, 7, 7, 7, 9}, 6, 50};
static const double last_rho = 2000;
static const double broken = 1e-3; /* of a limit: rho grows while more than that is beyond it */

/* A gain that nobody sees in a criterion, all of which are logarithms. */
static const double tolerance = 1e-8;

typedef struct {
  ArmTrajectorySearch search;
  uint64_t random;
  size_t starts, size, start_evaluations; /* size of the pool; what starts took */
  double *y, *scratch, *member[POOL];     /* variables each */
  double *c, *best;                       /* functions x n each */
  double value[POOL], best_value;
} Design;

/* Box and Muller. */
static double normal(uint64_t *random) {
  const double u = 1 - arm_random_uniform(random, 0, 1);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * arm_random_uniform(random, 0, 1));
}

/* A random motion of one joint within 0.3 to 0.8 of its limits, about a place near the middle, or
 * near where the arm can rest. */
static void start_joint(Design *design, size_t joint, double *c) {
  const ArmTrajectorySearch *s = &design->search;
  const ArmBasis *basis = &s->options->basis;
  const double middle = s->limits.middle[joint];
  double usage[ARM_MOTION_QUANTITIES], most = 0;
  for (size_t k = 0; k < s->functions; k++)
    c[k] = normal(&design->random);
  if (basis->kind == ARM_BASIS_FOURIER)
    c[0] = 0;
  for (size_t k = 0; k < (basis->kind == ARM_BASIS_FOURIER ? 1 : s->functions); k++)
    c[k] += middle;
  arm_motion_usage(&s->limits, basis, joint, c, usage);
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    most = fmax(most, usage[d]);
  arm_basis_shrink(basis, middle, most / (0.5 * arm_random_uniform(&design->random, 0.6, 1.6)), c);
  const double offset =
      arm_random_uniform(&design->random, -0.3, 0.3) * s->limits.half[ARM_MOTION_POSITION][joint] +
      arm_trajectory_scene_rest(s, joint) - middle;
  for (size_t k = 0; k < (basis->kind == ARM_BASIS_FOURIER ? 1 : s->functions); k++)
    c[k] += offset;
}

/* Shrinks what y stands for into the limits, and keeps that if it is the best; *value is its
 * criterion. */
static ArmStatus keep(Design *design, double *value) {
  ArmTrajectorySearch *s = &design->search;
  *value = (double)INFINITY;
  arm_basis_expand(&s->options->basis, s->z, s->n, design->y, design->c);
  const ArmStatus status = arm_motion_shrink(&s->limits, &s->options->basis, design->c, NULL);
  if (status != ARM_OK)
    return status == ARM_E_NOT_FINITE ? ARM_OK : status;
  if (!arm_trajectory_scene_shrink(s, design->c, false))
    return ARM_OK;
  *value = arm_trajectory_measure(s, design->c, design->scratch);
  if (!(*value < design->best_value))
    return ARM_OK;
  if (s->scene) {
    if (!arm_trajectory_scene_shrink(s, design->c, true)) {
      *value = (double)INFINITY;
      return ARM_OK;
    }
    *value = arm_trajectory_measure(s, design->c, design->scratch);
    if (!(*value < design->best_value))
      return ARM_OK;
  }
  design->best_value = *value;
  memcpy(design->best, design->c, s->functions * s->n * sizeof *design->best);
  return ARM_OK;
}

/* Takes y through the stages; *value is what the last one reached. */
static ArmStatus descend(Design *design, const Stages *stages, double *value) {
  ArmTrajectorySearch *s = &design->search;
  ArmStatus status = ARM_OK;
  s->rho = stages->rho;
  memset(s->multiplier, 0,
         2 * ARM_MOTION_QUANTITIES * s->n * s->bound.samples * sizeof *s->multiplier);
  arm_trajectory_scene_begin(s);
  s->criterion = s->options->criterion;
  if (s->criterion.kind == ARM_CRITERION_LOG_COND)
    s->criterion.kind = ARM_CRITERION_COND_P;
  for (size_t k = 0; k < stages->count && status == ARM_OK && !s->is_over; k++) {
    s->criterion.exponent = stages->exponent[k];
    status = arm_optimise_smooth(s->variables, design->y, STAGE_EVALUATIONS, tolerance,
                                 arm_trajectory_cost, s, NULL);
    if (status != ARM_OK)
      return status;
    arm_trajectory_update(s, design->y);
    if (s->violation > broken)
      s->rho = fmin(2 * s->rho, last_rho);
    status = keep(design, value);
  }
  return status;
}

static void admit(Design *design, size_t k, double value) {
  memcpy(design->member[k], design->y, design->search.variables * sizeof *design->y);
  design->value[k] = value;
}

static ArmStatus start(Design *design) {
  ArmTrajectorySearch *s = &design->search;
  const size_t before = s->evaluations;
  size_t worst = 0;
  double value;
  design->starts++;
  for (size_t j = 0; j < s->n; j++)
    start_joint(design, j, design->c + j * s->functions);
  arm_basis_reduce(&s->options->basis, s->z, s->n, design->c, design->y);
  ArmStatus status = keep(design, &value);
  if (status == ARM_OK)
    status = descend(design, &start_stages, &value);
  design->start_evaluations += s->evaluations - before;
  for (size_t k = 1; k < design->size; k++)
    worst = design->value[k] > design->value[worst] ? k : worst;
  if (design->size < POOL)
    admit(design, design->size++, value);
  else if (value < design->value[worst])
    admit(design, worst, value);
  return status;
}

/* Moves about half of the joints by 1 to 30 % of their coefficients' size. */
static void move(Design *design) {
  const size_t left = design->search.free;
  const double size = exp(arm_random_uniform(&design->random, log(0.01), log(0.3)));
  for (size_t j = 0; j < design->search.n; j++) {
    double *y = design->y + j * left, sum = 0;
    for (size_t f = 0; f < left; f++)
      sum += y[f] * y[f];
    const bool is_moved = arm_random_uniform(&design->random, 0, 1) < 0.5;
    for (size_t f = 0; is_moved && f < left; f++)
      y[f] += size * sqrt(sum / (double)left) * normal(&design->random);
  }
}

static ArmStatus kick(Design *design) {
  const size_t a = (size_t)(arm_random_next(&design->random) % POOL);
  const size_t b = (size_t)(arm_random_next(&design->random) % POOL);
  const size_t k = design->value[a] < design->value[b] ? a : b;
  double value = (double)INFINITY;
  memcpy(design->y, design->member[k], design->search.variables * sizeof *design->y);
  move(design);
  const ArmStatus status = descend(design, &kick_stages, &value);
  if (value < design->value[k])
    admit(design, k, value);
  return status;
}

static ArmStatus run(Design *design) {
  ArmTrajectorySearch *s = &design->search;
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && (design->starts == 0 || !s->is_over)) {
    const bool is_time = 10 * design->start_evaluations < 3 * s->evaluations;
    status = design->size < POOL || is_time ? start(design) : kick(design);
  }
  return status == ARM_OK ? s->failure : status;
}

static ArmStatus finish(const Design *design, ArmTrajectory *trajectory) {
  const ArmTrajectorySearch *s = &design->search;
  if (!isfinite(design->best_value))
    return ARM_E_INFEASIBLE;
  double *c = malloc(s->functions * s->n * sizeof *c);
  if (!c)
    return ARM_E_MEMORY;
  memcpy(c, design->best, s->functions * s->n * sizeof *c);
  *trajectory = (ArmTrajectory){.basis = s->options->basis,
                                .n = s->n,
                                .c = c,
                                .value = design->best_value,
                                .evaluations = s->evaluations,
                                .starts = design->starts};
  return ARM_OK;
}

ArmStatus arm_trajectory_design(const ArmModel *model, const ArmBase *base,
                                const ArmTrajectoryOptions *options, ArmTrajectory *trajectory,
                                size_t *joint) {
  Design design = {.random = options->seed, .best_value = (double)INFINITY};
  ArmTrajectorySearch *s = &design.search;
  ArmStatus status = arm_trajectory_search_init(s, model, base, options, joint);
  double *storage = NULL;
  if (status == ARM_OK) {
    storage = calloc((POOL + 2) * s->variables + 2 * s->functions * s->n, sizeof *storage);
    status = storage ? ARM_OK : ARM_E_MEMORY;
  }
  if (status == ARM_OK) {
    design.y = storage;
    design.scratch = design.y + s->variables;
    for (size_t k = 0; k < POOL; k++)
      design.member[k] = design.scratch + (k + 1) * s->variables;
    design.c = design.scratch + (POOL + 1) * s->variables;
    design.best = design.c + s->functions * s->n;
    status = run(&design);
  }
  if (status == ARM_OK)
    status = finish(&design, trajectory);
  free(storage);
  arm_trajectory_search_clear(s);
  return status;
}

void arm_trajectory_clear(ArmTrajectory *trajectory) {
  free(trajectory->c);
  *trajectory = (ArmTrajectory){0};
}
