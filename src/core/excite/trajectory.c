/* SPDX-License-Identifier: MIT */
/* The search of the trajectory designer: random starts, each through the stages of its criterion
 * with an update of the multipliers after each; whatever is reached is shrunk into the limits and
 * kept if it is the best so far. */
#include "core/excite/trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/trajectory_internal.h"
#include "core/num/optimise.h"

/* Theory notes, 7.2. */
enum { STAGES = 10, STAGE_EVALUATIONS = 60 };
static const unsigned exponents[STAGES] = {0, 1, 3, 5, 7, 7, 7, 7, 7, 7};
static const double first_rho = 10, last_rho = 2000, broken = 1e-3;

/* A gain that nobody sees in a criterion, all of which are logarithms. */
static const double tolerance = 1e-8;

typedef struct {
  ArmTrajectorySearch search;
  uint64_t random;
  size_t starts;
  double *y, *c, *scratch, *best; /* variables, functions x n, variables, functions x n */
  double best_value;
} Design;

/* Box and Muller. */
static double normal(uint64_t *random) {
  const double u = 1 - arm_random_uniform(random, 0, 1);
  return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * arm_random_uniform(random, 0, 1));
}

/* A random motion of one joint within 0.3 to 0.8 of its limits, about a place near the middle. */
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
      arm_random_uniform(&design->random, -0.3, 0.3) * s->limits.half[ARM_MOTION_POSITION][joint];
  for (size_t k = 0; k < (basis->kind == ARM_BASIS_FOURIER ? 1 : s->functions); k++)
    c[k] += offset;
}

/* Shrinks what y stands for into the limits, and keeps it if it is the best. */
static ArmStatus keep(Design *design) {
  ArmTrajectorySearch *s = &design->search;
  arm_basis_expand(&s->options->basis, s->z, s->n, design->y, design->c);
  const ArmStatus status = arm_motion_shrink(&s->limits, &s->options->basis, design->c, NULL);
  if (status != ARM_OK)
    return status == ARM_E_NOT_FINITE ? ARM_OK : status;
  const double value = arm_trajectory_measure(s, design->c, design->scratch);
  if (!(value < design->best_value))
    return ARM_OK;
  design->best_value = value;
  memcpy(design->best, design->c, s->functions * s->n * sizeof *design->best);
  return ARM_OK;
}

static ArmStatus descend(Design *design) {
  ArmTrajectorySearch *s = &design->search;
  ArmStatus status = ARM_OK;
  s->rho = first_rho;
  memset(s->multiplier, 0,
         2 * ARM_MOTION_QUANTITIES * s->n * s->bound.samples * sizeof *s->multiplier);
  s->criterion = s->options->criterion;
  if (s->criterion.kind == ARM_CRITERION_LOG_COND)
    s->criterion.kind = ARM_CRITERION_COND_P;
  for (int k = 0; k < STAGES && status == ARM_OK && !s->is_over; k++) {
    s->criterion.exponent = exponents[k];
    status = arm_optimise_smooth(s->variables, design->y, STAGE_EVALUATIONS, tolerance,
                                 arm_trajectory_cost, s, NULL);
    if (status != ARM_OK)
      return status;
    arm_trajectory_update(s, design->y);
    if (s->violation > broken)
      s->rho = fmin(2 * s->rho, last_rho);
    status = keep(design);
  }
  return status;
}

static ArmStatus run(Design *design) {
  ArmTrajectorySearch *s = &design->search;
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && !s->is_over) {
    design->starts++;
    for (size_t j = 0; j < s->n; j++)
      start_joint(design, j, design->c + j * s->functions);
    arm_basis_reduce(&s->options->basis, s->z, s->n, design->c, design->y);
    status = keep(design);
    if (status == ARM_OK)
      status = descend(design);
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
    storage = calloc(2 * (s->variables + s->functions * s->n), sizeof *storage);
    status = storage ? ARM_OK : ARM_E_MEMORY;
  }
  if (status == ARM_OK) {
    design.y = storage;
    design.scratch = design.y + s->variables;
    design.c = design.scratch + s->variables;
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
