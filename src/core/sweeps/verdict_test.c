/* SPDX-License-Identifier: MIT */
/* The six tests of a joint, on what the fit leaves of its pairs of strokes, whitened.
 * Source: Armature theory notes, lack of fit, section 4. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/distribution.h"
#include "core/sweeps/verdict_internal.h"

enum { K = ARM_STROKE_ORDERS };
/* Armature theory notes, lack of fit, section 4: 2e-6 where 5e-4 would do by count, as the F law
 * has heavier tails under AR noise; 2 false alarms in 4400 recordings with all of it. */
#define TAIL         2e-6
#define UNSURE_TAIL  1e-4 /* there: up to 1.3 % of sound recordings of few holds are beyond it */
#define TREND_TAIL   5e-5
#define SCATTER_TAIL 1e-4
#define LEAST_TRACE  1e-6 /* the fit has eaten the pattern */

/*   r whitened residual, Q orthonormal basis of the whitened [J; priors], U basis of a pattern
 *   SS = |U' r|^2,  M = I - U' Q Q' U,  tr = trace M,  nu = tr^2/trace(M^2),  F = SS/tr
 *   misfit = sqrt( max(0, 1 - tr/SS) sum w_p (U U' r unwhitened)^2 / sum w_p ) */

/* Orthonormal patterns of one joint. Each lives in one of the 12 rows of every pair. */
typedef struct {
  const ArmStrokeFit *fit;
  const ArmJointStrokes *joint;
  const double *whitened; /* residual; NULL: that of the fit */
  size_t count;
  size_t *row;          /* most  0..5 even, 6..11 odd */
  size_t *level, *hold; /* pairs  hold: owned with level */
  double *u;            /* pairs x most, on the shelf */
  double *e;            /* ARM_PAIR_ROWS x pairs, owned with u */
  double *basis;        /* pairs x rank, owned with u: Q of one row of the pairs */
  double *z;            /* most  U' r */
  double *w;            /* rank x most  Q' U */
} Space;

/* Of half the rows at a time, those of even or of odd parts. */
static size_t most_patterns(const ArmJointStrokes *joint) {
  return K * (joint->holds + joint->levels);
}

static ArmStatus space_init(Space *space, const ArmStrokeFit *fit, const ArmJointStrokes *joint) {
  const size_t most = most_patterns(joint) + 1;
  ArmStatus status = ARM_OK;
  *space = (Space){.fit = fit, .joint = joint};
  space->row = calloc(most, sizeof *space->row);
  space->z = calloc(most * (fit->rank + 1) + most, sizeof *space->z);
  space->level = calloc(2 * joint->pairs + 1, sizeof *space->level);
  if (!space->row || !space->z || !space->level)
    return ARM_E_MEMORY;
  space->w = space->z + most;
  space->hold = space->level + joint->pairs;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[joint->first_pair + p];
    space->level[p] = pair->level;
    space->hold[p] = pair->hold;
    arm_shelf_saw(fit->shelf, sizeof *pair);
  }
  space->u = arm_shelf_take(fit->shelf, (most + ARM_PAIR_ROWS + fit->rank) * (joint->pairs + 1),
                            sizeof *space->u, &status);
  if (!space->u)
    return status;
  space->e = space->u + most * (joint->pairs + 1);
  space->basis = space->e + ARM_PAIR_ROWS * (joint->pairs + 1);
  return ARM_OK;
}

static void space_clear(Space *space) {
  free(space->row);
  free(space->z);
  free(space->level);
  arm_shelf_give(space->fit->shelf, space->u);
}

static size_t row_of(const Space *space, size_t p, size_t row) {
  return space->joint->first_row + p * ARM_PAIR_ROWS + row;
}

/* U' r and Q' U of the pattern that was added last */
static void weigh_pattern(Space *space, size_t at) {
  const ArmStrokeFit *fit = space->fit;
  const size_t row = space->row[at];
  const double *u = space->u + at * space->joint->pairs;
  space->z[at] = 0.0;
  for (size_t p = 0; p < space->joint->pairs; p++) {
    const size_t r = row_of(space, p, row);
    space->z[at] -= u[p] * (space->whitened ? space->whitened[r] : fit->residual[r] / fit->sd[r]);
  }
  for (size_t c = 0; c < fit->rank; c++) {
    double sum = 0.0;
    for (size_t p = 0; p < space->joint->pairs; p++)
      sum += u[p] * space->basis[p + c * space->joint->pairs];
    space->w[c + at * fit->rank] = sum;
    arm_shelf_saw(fit->shelf, space->joint->pairs * sizeof *space->basis);
  }
}

/* Q of one row of the pairs, which all patterns of that row are weighed by. */
static void take_basis(Space *space, size_t row) {
  const ArmStrokeFit *fit = space->fit;
  const size_t ld = fit->rows + fit->priors, m = space->joint->pairs;
  for (size_t c = 0; c < fit->rank; c++) {
    for (size_t p = 0; p < m; p++)
      space->basis[p + c * m] = fit->q[row_of(space, p, row) + c * ld];
    arm_shelf_saw(fit->shelf, m * (1 + ARM_PAIR_ROWS) * sizeof *fit->q);
  }
}

typedef enum { OF_HOLDS = 1, OF_SPEEDS = 2, WITHOUT_SPEEDS = 4 } Pattern;

/* the same coefficient in every pair, as it shows in this row */
static double pattern_of(const Space *space, size_t p, size_t row) {
  const ArmPair *pair = &space->fit->pairs[space->joint->first_pair + p];
  return pair->mix[row % K * (K + 1)] / space->fit->sd[row_of(space, p, row)];
}

/* A column for each of `kinds`, which the pairs are of, from column `first` of u on. */
static void add_columns(Space *space, size_t row, const size_t *kind, size_t kinds, double *u) {
  const size_t m = space->joint->pairs;
  ArmShelf *shelf = space->fit->shelf;
  arm_shelf_clear(shelf, u, m * kinds);
  for (size_t p = 0; p < m; p++) {
    u[p + kind[p] * m] = pattern_of(space, p, row);
    arm_shelf_saw(shelf, sizeof(ArmPair) + ARM_SHELF_FAR);
  }
}

/* one column per hold, one per speed; or holds with the means of speeds taken out */
static void add_patterns(Space *space, size_t row, int pattern) {
  const ArmJointStrokes *joint = space->joint;
  const size_t m = joint->pairs, first = space->count;
  ArmShelf *shelf = space->fit->shelf;
  double *u = space->u + first * m;
  size_t count = 0, left_out = 0;
  take_basis(space, row);
  if (pattern & (OF_SPEEDS | WITHOUT_SPEEDS)) {
    add_columns(space, row, space->level, joint->levels, u);
    count = arm_orthonormalise(shelf, m, joint->levels, u);
    left_out = pattern & WITHOUT_SPEEDS ? count : 0;
  }
  if (pattern & OF_HOLDS) {
    add_columns(space, row, space->hold, joint->holds, u + count * m);
    count = arm_orthonormalise(shelf, m, count + joint->holds, u);
  }
  for (size_t c = 0; c < count - left_out && left_out > 0; c++)
    arm_shelf_copy(shelf, u + c * m, u + (c + left_out) * m, m);
  for (size_t c = 0; c < count - left_out; c++) {
    space->row[space->count] = row;
    weigh_pattern(space, space->count++);
  }
}

typedef struct {
  double ss, trace, nu;
} Sums;

/* of the patterns in rows first..last-1 */
static Sums sums_of(const Space *space, size_t first, size_t last) {
  const size_t rank = space->fit->rank;
  Sums s = {0};
  double squares = 0.0;
  for (size_t a = 0; a < space->count; a++) {
    if (space->row[a] % K < first || space->row[a] % K >= last)
      continue;
    s.ss += space->z[a] * space->z[a];
    for (size_t b = 0; b < space->count; b++) {
      double dot = 0.0;
      if (space->row[b] % K < first || space->row[b] % K >= last)
        continue;
      for (size_t c = 0; c < rank; c++)
        dot += space->w[c + a * rank] * space->w[c + b * rank];
      const double entry = (a == b ? 1.0 : 0.0) - dot;
      s.trace += a == b ? entry : 0.0;
      squares += entry * entry;
    }
  }
  s.nu = squares > 0.0 ? s.trace * s.trace / squares : 0.0;
  return s;
}

/* dof behind the noise of some orders together: of the block that is known best, or worst where
 * means are tested that lack replicates */
static double noise_dof(const Space *space, size_t first, size_t last) {
  const double *nu = space->joint->nu;
  double least = (double)INFINITY, most = 0.0;
  bool has_means = false;
  for (size_t a = 0; a < space->count; a++)
    has_means = has_means || (first == 0 && space->row[a] % K == 0);
  for (size_t k = first; k < last; k++) {
    least = fmin(least, nu[k]);
    most = fmax(most, nu[k]);
  }
  return space->joint->is_patchy && has_means ? least : most;
}

/* sum of w_p (U U' r unwhitened)^2 over sum w_p, of the patterns in rows first..last-1 */
static double square_of(const Space *space, size_t first, size_t last) {
  const ArmJointStrokes *joint = space->joint;
  const size_t m = joint->pairs;
  ArmShelf *shelf = space->fit->shelf;
  double sum = 0.0, weights = 0.0;
  arm_shelf_clear(shelf, space->e, m * ARM_PAIR_ROWS);
  for (size_t a = 0; a < space->count; a++) {
    const size_t row = space->row[a];
    for (size_t p = 0; p < m && row % K >= first && row % K < last; p++)
      space->e[row + p * ARM_PAIR_ROWS] += space->z[a] * space->u[p + a * m];
    arm_shelf_saw(shelf, m * (1 + ARM_PAIR_ROWS) * sizeof *space->e);
  }
  for (size_t p = 0; p < m; p++) {
    double *e = space->e + p * ARM_PAIR_ROWS;
    const double w = space->fit->pairs[joint->first_pair + p].weight;
    for (size_t row = 0; row < ARM_PAIR_ROWS; row++) {
      e[row] *= space->fit->sd[row_of(space, p, row)];
      sum += w * e[row] * e[row];
    }
    weights += w;
    arm_shelf_saw(shelf, sizeof(ArmPair) + 2 * ARM_PAIR_ROWS * sizeof *e);
  }
  return sum / weights;
}

/* The F test of some orders; adds its misfit and keeps the smaller tail. */
static void add_f_test(const Space *space, size_t first, size_t last, ArmTest *test) {
  const Sums s = sums_of(space, first, last);
  if (!(s.trace > LEAST_TRACE))
    return;
  const double f = s.ss / s.trace, p = arm_f_upper(f, s.nu, noise_dof(space, first, last));
  const double part = fmax(0.0, 1.0 - s.trace / s.ss);
  const double square = part > 0.0 ? part * square_of(space, first, last) : 0.0;
  if (isnan(test->p)) {
    test->nu = test->size = 0.0;
    test->f = f;
    test->p = p;
  }
  test->f = fmax(test->f, f);
  test->nu += s.nu;
  test->p = fmin(test->p, p);
  test->size = hypot(test->size, sqrt(square));
}

/* Orders 0, 1 and 2..5 differ in noise and are tested apart: p is twice the smaller. */
static void finish_f_test(const Space *space, bool is_split, double limit, ArmTest *test) {
  add_f_test(space, 0, 2, test);
  if (is_split) {
    add_f_test(space, 2, K, test);
    test->p = fmin(1.0, 2.0 * test->p);
  }
  test->limit = limit;
  test->is_significant = test->p < TAIL;
  test->is_alarm = test->is_significant && test->size > limit;
  test->is_unsure = !test->is_significant && test->p < UNSURE_TAIL && test->size > limit;
}

/* whitened: residual of all rows; NULL: that of the fit */
static ArmStatus f_tests(const ArmStrokeFit *fit, const ArmJointStrokes *joint,
                         const double *whitened, const ArmVerdictLimits *limits,
                         ArmJointVerdict *v) {
  Space space;
  const ArmStatus status = space_init(&space, fit, joint);
  if (status != ARM_OK) {
    space_clear(&space);
    return status;
  }
  space.whitened = whitened;
  for (size_t k = 0; k < K; k++)
    add_patterns(&space, k, OF_HOLDS | (k == 0 ? WITHOUT_SPEEDS : 0));
  finish_f_test(
      &space, true,
      fmax(limits->gravity_promised_factor * v->promised,
           fmax(limits->gravity_relative * v->rms_even, limits->gravity_friction * v->friction)),
      &v->test[ARM_TEST_GRAVITY]);
  space.count = 0;
  for (size_t k = 1; k < K; k++)
    add_patterns(&space, K + k, OF_HOLDS | OF_SPEEDS);
  finish_f_test(&space, true, fmax(limits->direction_A, limits->direction_relative * v->friction),
                &v->test[ARM_TEST_DIRECTION]);
  space.count = 0;
  add_patterns(&space, 0, OF_SPEEDS);
  add_patterns(&space, K, OF_SPEEDS);
  finish_f_test(&space, false, limits->speed_relative * v->friction, &v->test[ARM_TEST_SPEED]);
  space_clear(&space);
  return ARM_OK;
}

/* sd of the fitted current, rms over even and odd parts: |Q row| times the row's sd */
static double promised_of(const ArmStrokeFit *fit, const ArmJointStrokes *joint) {
  const size_t ld = fit->rows + fit->priors;
  double sum = 0.0;
  for (size_t p = 0; p < joint->pairs; p++)
    for (size_t k = 0; k < K; k++) {
      const size_t g = joint->first_row + p * ARM_PAIR_ROWS + k, d = g + K;
      for (size_t c = 0; c < fit->rank; c++) {
        const double even = fit->sd[g] * fit->q[g + c * ld], odd = fit->sd[d] * fit->q[d + c * ld];
        sum += even * even + odd * odd;
      }
      arm_shelf_saw(fit->shelf, 2 * fit->rank * sizeof *fit->q);
    }
  return joint->pairs > 0 ? sqrt(0.5 * sum / (double)joint->pairs) : 0.0;
}

static double rms_even_of(const ArmStrokeFit *fit, const ArmJointStrokes *joint) {
  double sum = 0.0, weights = 0.0;
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[p];
    weights += pair->weight;
    for (size_t k = 0; k < K; k++)
      sum += pair->weight * pair->rows.y[k] * pair->rows.y[k];
    arm_shelf_saw(fit->shelf, sizeof *pair);
  }
  return weights > 0.0 ? sqrt(sum / weights) : 0.0;
}

/* of one hold: sum of weights, of currents by weights */
typedef struct {
  double weights, mean[K];
} HoldMean;

static ArmStatus worst_hold(const ArmStrokeFit *fit, const ArmJointStrokes *joint,
                            ArmJointVerdict *v) {
  HoldMean *means = calloc(joint->holds + 1, sizeof *means);
  v->worst_hold_A = 0.0;
  if (!means)
    return ARM_E_MEMORY;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[joint->first_pair + p];
    HoldMean *of = &means[pair->hold];
    of->weights += pair->weight;
    for (size_t k = 0; k < K; k++)
      of->mean[k] += pair->weight * fit->residual[joint->first_row + p * ARM_PAIR_ROWS + k];
    arm_shelf_saw(fit->shelf, sizeof *pair + ARM_PAIR_ROWS * sizeof *fit->residual);
  }
  for (size_t h = 0; h < joint->holds; h++) {
    double square = 0.0;
    for (size_t k = 0; k < K && means[h].weights > 0.0; k++)
      square += means[h].mean[k] / means[h].weights * means[h].mean[k] / means[h].weights;
    if (sqrt(square) > v->worst_hold_A) {
      v->worst_hold_A = sqrt(square);
      v->worst_hold = h;
    }
  }
  free(means);
  return ARM_OK;
}

/* Sum of squares of the odd means beside level, slope in speed and trend, and its dof. By itself,
 * not by the fit: there a large tau sets the odd means free and so confirms itself. */
static double odd_scatter(const ArmStrokeFit *fit, const ArmJointStrokes *joint, double *columns,
                          double *dof) {
  const size_t m = joint->pairs;
  double *x = columns + 3 * m, sum = 0.0;
  for (size_t p = 0; p < m; p++) {
    const ArmPair *pair = &fit->pairs[joint->first_pair + p];
    columns[p] = 1.0 / pair->blown;
    columns[p + m] = pair->speed / pair->blown;
    columns[p + 2 * m] = arm_pair_friction(pair, pair->rows.trend);
    x[p] = arm_pair_friction(pair, fit->residual + joint->first_row + p * ARM_PAIR_ROWS);
    arm_shelf_saw(fit->shelf, sizeof *pair + ARM_PAIR_ROWS * sizeof *x);
  }
  const size_t rank = arm_orthonormalise(NULL, m, 3, columns);
  arm_project_out(NULL, m, rank, columns, x);
  for (size_t p = 0; p < m; p++)
    sum += x[p] * x[p];
  *dof = (double)(m - rank);
  return sum;
}

static ArmStatus scatter_test(const ArmStrokeFit *fit, const ArmJointStrokes *joint,
                              const ArmVerdictLimits *limits, ArmJointVerdict *v) {
  ArmTest *test = &v->test[ARM_TEST_SCATTER];
  double known = 0.0, seen = 0.0, dof;
  if (joint->pairs <= 3 || !(v->friction > 0.0))
    return ARM_OK;
  double *columns = calloc(4 * joint->pairs, sizeof *columns);
  if (!columns)
    return ARM_E_MEMORY;
  const double square = odd_scatter(fit, joint, columns, &dof);
  free(columns);
  if (dof == 0.0)
    return ARM_OK;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[joint->first_pair + p];
    known += joint->still * joint->still / pair->weight;
    seen += 1.0 / (pair->blown * pair->blown);
    arm_shelf_saw(fit->shelf, sizeof *pair);
  }
  known /= (double)joint->pairs;
  seen /= (double)joint->pairs;
  const double allowed = limits->scatter_relative * v->friction * sqrt(seen);
  test->size = sqrt(fmax(0.0, square / dof - known) / seen) / v->friction;
  test->limit = limits->scatter_relative;
  test->p = arm_chi2_upper(square / known, dof);
  test->is_significant = test->p < SCATTER_TAIL;
  test->is_alarm = arm_chi2_upper(square / (known + allowed * allowed), dof) < SCATTER_TAIL;
  return ARM_OK;
}

static void trend_test(const ArmStrokeFit *fit, size_t i, const ArmVerdictLimits *limits,
                       ArmJointVerdict *v) {
  ArmTest *test = &v->test[ARM_TEST_TREND];
  v->trend = fit->phi[fit->ident->tree.count + i];
  v->trend_sd = arm_stroke_fit_sd(fit, fit->ident->tree.count + i);
  if (fit->joint[i].pairs <= 3 || !(v->trend_sd > 0.0))
    return;
  const double dof = (double)(fit->joint[i].pairs - 3);
  test->size = fabs(v->trend);
  test->limit = limits->trend_relative;
  test->p = arm_t_upper(fabs(v->trend) / v->trend_sd, dof);
  test->is_significant = test->p < TREND_TAIL;
  test->is_alarm =
      arm_t_upper((fabs(v->trend) - limits->trend_relative) / v->trend_sd, dof) < TREND_TAIL;
}

static void stroke_test(const ArmStrokeFit *fit, const ArmJointStrokes *joint,
                        const ArmVerdictLimits *limits, ArmJointVerdict *v) {
  ArmTest *test = &v->test[ARM_TEST_STROKE];
  if (!joint->has_replicates || joint->pairs <= 2)
    return;
  test->p = joint->outlier_p;
  test->size = joint->outlier_size;
  test->limit =
      fmax(ARM_OUTLIER_WITHIN * joint->s_within, limits->direction_relative * v->friction);
  test->is_alarm = joint->outlier != ARM_IDENT_NONE;
  test->is_significant = test->p < ARM_OUTLIER_TAIL / (double)joint->pairs;
  if (!test->is_alarm)
    return;
  const ArmFitStroke *stroke = &fit->strokes[joint->outlier_stroke];
  v->first_row = stroke->sums->first_row;
  v->stroke_hold = stroke->sums->hold;
  v->stroke_speed = stroke->speed;
  v->stroke_time = stroke->sums->t_first;
}

ArmStatus arm_stroke_fit_judge(const ArmStrokeFit *fit, size_t i, const ArmVerdictLimits *limits,
                               ArmJointVerdict *v) {
  const ArmJointStrokes *joint = &fit->joint[i];
  v->strokes = joint->strokes;
  v->pairs = joint->pairs;
  v->holds = joint->holds;
  v->promised = promised_of(fit, joint);
  v->friction = arm_stroke_fit_friction(fit, i);
  v->rms_even = rms_even_of(fit, joint);
  v->tau = joint->tau;
  v->lag1 = joint->lag1;
  v->is_heterogeneous = joint->is_heterogeneous;
  memcpy(v->s, joint->s, sizeof v->s);
  memcpy(v->nu, joint->nu, sizeof v->nu);
  stroke_test(fit, joint, limits, v);
  trend_test(fit, i, limits, v);
  ArmStatus status = worst_hold(fit, joint, v);
  if (status == ARM_OK)
    status = scatter_test(fit, joint, limits, v);
  return status == ARM_OK ? f_tests(fit, joint, NULL, limits, v) : status;
}

bool arm_stroke_fit_is_noise(const ArmStrokeFit *fit, size_t i, const double *whitened) {
  const ArmJointStrokes *joint = &fit->joint[i];
  const ArmVerdictLimits none = {0};
  ArmJointVerdict v = {0};
  if (joint->pairs == 0 || !joint->has_replicates)
    return true;
  for (int t = 0; t < ARM_TESTS; t++)
    v.test[t].p = (double)NAN;
  return f_tests(fit, joint, whitened, &none, &v) == ARM_OK &&
         !v.test[ARM_TEST_GRAVITY].is_significant && !v.test[ARM_TEST_DIRECTION].is_significant;
}
