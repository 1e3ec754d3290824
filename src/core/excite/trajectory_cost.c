/* SPDX-License-Identifier: MIT */
/* Value and gradient of a design: from the free variables to the motion, its regressor, M and the
 * criterion, and the same way back; limits by an augmented Lagrangian. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/excite/trajectory_scene.h"

/* Times of a period at which M is summed and at which limits are kept, at least and per harmonic or
 * knot: theory notes 7.2 (64 samples tell the same design as 200; limits between the times of 200
 * are broken by 0.3 %). */
enum { COST_LEAST = 64, COST_PER_ORDER = 8, BOUND_LEAST = 200, BOUND_PER_ORDER = 20 };

/* ---- from variables to motion and back ---- */

static void move(const ArmTrajectorySearch *s, const ArmTrajectoryGrid *grid, const double *y) {
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    s->kernel->multiply(false, s->n, s->free, grid->samples, y, s->free, 1, grid->rows[d],
                        grid->x[d]);
}

static void move_back(const ArmTrajectorySearch *s, const ArmTrajectoryGrid *grid,
                      double *gradient) {
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    s->kernel->multiply(d > 0, s->n, grid->samples, s->padded, grid->bar[d], grid->samples, 1,
                        grid->back[d], s->sum);
  for (size_t j = 0; j < s->n; j++)
    for (size_t f = 0; f < s->free; f++)
      gradient[j * s->free + f] += s->sum[j * s->padded + f];
}

/* ---- the criterion ---- */

static ArmStatus fill_rows(ArmTrajectorySearch *s) {
  const ArmTrajectoryGrid *grid = &s->cost;
  const size_t samples = grid->samples;
  const ArmStatus status = arm_base_full_regressor(s->base, s->model, samples, grid->x[0],
                                                   grid->x[1], grid->x[2], s->full);
  if (status != ARM_OK)
    return status;
  for (size_t j = 0; j < s->n; j++)
    for (size_t b = 0; b < s->base->count; b++) {
      const double *from = s->full + (j * s->base->columns + s->base->kept[b]) * samples;
      double *to = s->w + j * samples * s->stride + b;
      for (size_t k = 0; k < samples; k++)
        to[k * s->stride] = from[k];
    }
  arm_criterion_gram(s->work, s->n * samples, s->w, s->weight, s->m);
  return ARM_OK;
}

/* From dM to q, qd and qdd. */
static ArmStatus rows_back(ArmTrajectorySearch *s) {
  const ArmTrajectoryGrid *grid = &s->cost;
  const size_t samples = grid->samples, p = s->base->count;
  arm_criterion_rows(s->work, s->n * samples, s->w, s->weight, s->dm, s->dw);
  for (size_t j = 0; j < s->n; j++)
    for (size_t b = 0; b < p; b++) {
      const double *from = s->dw + j * samples * s->stride + b;
      double *to = s->column_bar + (j * p + b) * samples;
      for (size_t k = 0; k < samples; k++)
        to[k] = from[k * s->stride];
    }
  return arm_base_regressor_gradient(s->base, s->model, samples, grid->x[0], grid->x[1], grid->x[2],
                                     s->column_bar, s->inertial_bar, grid->bar[0], grid->bar[1],
                                     grid->bar[2]);
}

ArmStatus arm_trajectory_observe(ArmTrajectorySearch *s, double *value) {
  ArmStatus status = fill_rows(s);
  if (status == ARM_OK)
    status = arm_criterion(s->work, &s->criterion, s->m, value, s->dm);
  return status == ARM_OK ? rows_back(s) : status;
}

double arm_trajectory_measure(ArmTrajectorySearch *s, const double *c, double *y) {
  ArmCriterion criterion = s->options->criterion;
  double value;
  if (criterion.kind == ARM_CRITERION_COND_P)
    criterion.kind = ARM_CRITERION_LOG_COND;
  arm_basis_reduce(&s->options->basis, s->z, s->n, c, y);
  move(s, &s->cost, y);
  if (fill_rows(s) != ARM_OK || arm_criterion(s->work, &criterion, s->m, &value, NULL) != ARM_OK)
    return (double)INFINITY;
  return value;
}

/* ---- limits ---- */

/* c of one number, for side 0 (upper) or 1 (lower). */
static double excess(const ArmMotionLimits *limits, unsigned d, size_t j, double x, int side) {
  const double middle = d == ARM_MOTION_POSITION ? limits->middle[j] : 0;
  return (side ? middle - x : x - middle) / limits->half[d][j] - 1;
}

/* Of the multiplier of one number. */
static size_t place(const ArmTrajectorySearch *s, int side, unsigned d, size_t j, size_t k) {
  const size_t samples = s->bound.samples;
  return (((size_t)side * ARM_MOTION_QUANTITIES + d) * s->n + j) * samples + k;
}

static double bounds(ArmTrajectorySearch *s) {
  const ArmTrajectoryGrid *grid = &s->bound;
  double value = 0;
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    for (size_t j = 0; j < s->n; j++)
      for (size_t k = 0; k < grid->samples; k++) {
        const size_t at = j * grid->samples + k;
        double bar = 0;
        for (int side = 0; side < 2; side++) {
          const double la = s->multiplier[place(s, side, d, j, k)];
          const double c = excess(&s->limits, d, j, grid->x[d][at], side);
          const double pull = fmax(0, la + s->rho * c);
          value += (pull * pull - la * la) / (2 * s->rho);
          bar += (side ? -pull : pull) / s->limits.half[d][j];
        }
        grid->bar[d][at] = bar;
      }
  return value;
}

void arm_trajectory_update(ArmTrajectorySearch *s, const double *y) {
  const ArmTrajectoryGrid *grid = &s->bound;
  move(s, grid, y);
  s->violation = -1;
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++)
    for (size_t j = 0; j < s->n; j++)
      for (size_t k = 0; k < grid->samples; k++)
        for (int side = 0; side < 2; side++) {
          double *la = &s->multiplier[place(s, side, d, j, k)];
          const double c = excess(&s->limits, d, j, grid->x[d][j * grid->samples + k], side);
          *la = fmax(0, *la + s->rho * c);
          s->violation = fmax(s->violation, c);
        }
  if (s->scene)
    move(s, &s->cost, y);
  arm_trajectory_scene_update(s);
}

bool arm_trajectory_cost(const double *y, double *gradient, double *value, void *user) {
  ArmTrajectorySearch *s = user;
  const ArmTrajectoryOptions *o = s->options;
  if (s->is_over || s->evaluations >= o->evaluations ||
      (o->watch && !o->watch(s->evaluations, o->user))) {
    s->is_over = true;
    return false;
  }
  s->evaluations++;
  move(s, &s->cost, y);
  move(s, &s->bound, y);
  const ArmStatus status = arm_trajectory_observe(s, value);
  if (status == ARM_E_NUMERIC || status == ARM_E_NOT_FINITE) { /* this motion is none */
    *value = (double)INFINITY;
    return true;
  }
  if (status != ARM_OK) {
    s->failure = status;
    s->is_over = true;
    return false;
  }
  *value += bounds(s);
  *value += arm_trajectory_scene_cost(s);
  memset(gradient, 0, s->variables * sizeof *gradient);
  move_back(s, &s->cost, gradient);
  move_back(s, &s->bound, gradient);
  return true;
}

/* ---- memory ---- */

static ArmStatus check(ArmTrajectorySearch *s, size_t *joint) {
  const ArmTrajectoryOptions *o = s->options;
  ArmStatus status = arm_basis_check(&o->basis);
  if (status == ARM_OK)
    status = arm_motion_limits(s->model, &s->limits, joint, NULL);
  if (status == ARM_OK && (o->evaluations < 1 || s->base->n != s->model->n ||
                           (unsigned)o->criterion.kind >= ARM_CRITERION_KINDS))
    status = ARM_E_ARGUMENT;
  for (size_t j = 0; status == ARM_OK && o->noise && j < s->model->n; j++)
    if (!(o->noise[j] > 0 && isfinite(o->noise[j])))
      status = ARM_E_ARGUMENT;
  return status;
}

/* One block of memory; without a base only its size is counted. */
typedef struct {
  char *base;
  size_t bytes;
} Layout;

static double *take(Layout *layout, size_t count) {
  double *taken = layout->base ? (double *)(void *)(layout->base + layout->bytes) : NULL;
  layout->bytes += (count + 7) / 8 * 8 * sizeof *taken; /* each array on a line of its own */
  return taken;
}

static void take_grid(const ArmTrajectorySearch *s, ArmTrajectoryGrid *grid, Layout *layout) {
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++) {
    grid->rows[d] = take(layout, grid->samples * s->free);
    grid->back[d] = take(layout, grid->samples * s->padded);
    grid->x[d] = take(layout, grid->samples * s->n);
    grid->bar[d] = take(layout, grid->samples * s->n);
  }
}

/* Returns the bytes that everything takes. */
static size_t lay_out(ArmTrajectorySearch *s, char *base) {
  const size_t samples = s->cost.samples, n = s->n, p = s->base->count, rows = samples * n;
  Layout layout = {base, 0};
  s->z = take(&layout, s->functions * s->free);
  s->sum = take(&layout, s->padded * n);
  take_grid(s, &s->cost, &layout);
  take_grid(s, &s->bound, &layout);
  s->full = take(&layout, rows * s->base->columns);
  s->weight = take(&layout, rows);
  s->w = take(&layout, rows * s->stride);
  s->dw = take(&layout, rows * s->stride);
  s->column_bar = take(&layout, rows * p);
  s->inertial_bar = take(&layout, rows * ARM_INERTIA_PARAMETERS * n);
  s->m = take(&layout, p * p);
  s->dm = take(&layout, p * p);
  s->multiplier = take(&layout, 2 * ARM_MOTION_QUANTITIES * n * s->bound.samples);
  return layout.bytes;
}

static void fill_grid(const ArmTrajectorySearch *s, const ArmTrajectoryGrid *grid) {
  const ArmBasis *basis = &s->options->basis;
  for (unsigned d = 0; d < ARM_MOTION_QUANTITIES; d++) {
    arm_basis_rows(basis, s->z, d, grid->samples, 0, basis->period_s / (double)grid->samples,
                   grid->rows[d]);
    for (size_t f = 0; f < s->free; f++)
      for (size_t k = 0; k < grid->samples; k++)
        grid->back[d][k * s->padded + f] = grid->rows[d][f * grid->samples + k];
  }
}

static size_t up_to_step(size_t count) {
  return (count + ARM_DENSE_STEP - 1) / ARM_DENSE_STEP * ARM_DENSE_STEP;
}

static size_t samples_of(size_t least, size_t per_order, const ArmBasis *basis) {
  const size_t order = basis->kind == ARM_BASIS_FOURIER ? basis->order : (basis->order + 1) / 2;
  return up_to_step(per_order * order > least ? per_order * order : least);
}

ArmStatus arm_trajectory_search_init(ArmTrajectorySearch *s, const ArmModel *model,
                                     const ArmBase *base, const ArmTrajectoryOptions *options,
                                     size_t *joint) {
  const ArmBasis *basis = &options->basis;
  *s = (ArmTrajectorySearch){.model = model, .base = base, .options = options};
  const ArmStatus status = check(s, joint);
  if (status != ARM_OK)
    return status;
  s->n = model->n;
  s->functions = arm_basis_functions(basis);
  s->free = arm_basis_free(basis);
  s->padded = up_to_step(s->free);
  s->variables = s->free * s->n;
  s->kernel = arm_dense_kernel(ARM_DENSE_STEP);
  s->stride = arm_criterion_stride(base->count);
  s->cost.samples = samples_of(COST_LEAST, COST_PER_ORDER, basis);
  s->bound.samples = samples_of(BOUND_LEAST, BOUND_PER_ORDER, basis);
  const size_t bytes = lay_out(s, NULL);
  s->work = arm_criterion_work_new(base->count);
  s->block = aligned_alloc(64, bytes);
  if (!s->work || !s->block)
    return ARM_E_MEMORY;
  memset(s->block, 0, bytes);
  (void)lay_out(s, s->block);
  for (size_t j = 0; j < s->n; j++)
    for (size_t k = 0; k < s->cost.samples; k++)
      s->weight[j * s->cost.samples + k] = options->noise ? 1 / options->noise[j] : 1;
  arm_basis_null_space(basis, s->z);
  fill_grid(s, &s->cost);
  fill_grid(s, &s->bound);
  return arm_trajectory_scene_init(s);
}

void arm_trajectory_search_clear(ArmTrajectorySearch *s) {
  arm_trajectory_scene_clear(s);
  arm_criterion_work_free(s->work);
  free(s->block);
}
