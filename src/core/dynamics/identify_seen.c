/* SPDX-License-Identifier: MIT */
/* Which columns rows see. Of joints that rest something is left: rounding, and what their encoders
 * flicker; scaled to unit length it would pass for a motion, and parameters for 1e9 and more. */
#include <math.h>
#include <string.h>

#include "core/dynamics/identify_work.h"

/* Of the longest column: rounding, as identify_groups.c has it. */
#define ROUNDING   1e-10
#define RCOND      1e-10 /* num/lsq.h */
#define MOST_RCOND 1e-3  /* of efforts that are hardly more than noise */
/* Of an sd: what is not seen adds that at most. */
#define HIDDEN     0.3
#define MOST_KAPPA 10.0 /* nobody's eta is off by e^10 */

static double norm(const double *v, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += v[i] * v[i];
  return sqrt(sum);
}

static double length_of(const ArmDynTriangle *t, size_t c) {
  return norm(arm_dyn_column(t, c), t->width);
}

static double longest_of(const ArmDynTriangle *t) {
  double longest = 0;
  for (size_t c = 0; c + 1 < t->width; c++)
    longest = fmax(longest, length_of(t, c));
  return longest;
}

/* Of the longest column. */
static double least_part(const ArmDynTriangle *t, double sigma) {
  const double most = ARM_DYN_MOST_EFFORT * t->length;
  return most > 0 ? fmax(sigma / most, ROUNDING) : ROUNDING;
}

/* Of friction, which no motion of other joints leaves a trace of. */
static bool is_friction(const ArmDynTriangle *t, size_t c) {
  return c < t->own && c != ARM_DYN_ROTOR;
}

bool arm_dyn_sees(const ArmDynTriangle *t, size_t c) {
  const double least = is_friction(t, c) ? ROUNDING * t->longest : t->least;
  return t->rows > 0 && length_of(t, c) > least;
}

static bool is_seen(const ArmDynWork *work, size_t b) {
  for (size_t j = 0; j < work->n; j++) {
    const ArmDynTriangle *t = &work->triangle[j];
    if (b >= t->first && arm_dyn_sees(t, t->own + b - t->first))
      return true;
  }
  return false;
}

static bool hide_base(ArmDynWork *work, size_t b) {
  bool has_any = false;
  for (size_t j = 0; j < work->n; j++) {
    ArmDynTriangle *t = &work->triangle[j];
    if (b < t->first)
      continue;
    const size_t c = t->own + b - t->first;
    has_any = has_any || length_of(t, c) > 0;
    memset(t->r + c * t->width, 0, t->width * sizeof *t->r);
  }
  return has_any;
}

bool arm_dyn_hide_unseen(ArmDynWork *work) {
  bool has_any = false;
  for (size_t j = 0; j < work->n; j++) {
    ArmDynTriangle *t = &work->triangle[j];
    t->longest = longest_of(t);
    t->least = t->longest * least_part(t, fmax(work->groups.sigma[j], work->noise[j].floor));
    for (size_t l = 0; l < t->own; l++) {
      const bool is_hidden = t->has[l] && !arm_dyn_sees(t, l);
      t->has[l] = t->has[l] && !is_hidden;
      has_any = has_any || is_hidden;
    }
  }
  for (size_t b = 0; b < work->count; b++)
    has_any = (!is_seen(work, b) && hide_base(work, b)) || has_any;
  return has_any;
}

/* ---- directions ---- */

/* With a column of this length. */
static double most_in(const ArmDynTriangle *t, double length) {
  return t->rows > 0 && length > 0 ? ARM_DYN_MOST_EFFORT * t->length / length : 0;
}

static double most_base(const ArmDynProblem *problem, size_t b) {
  double most = 0;
  for (size_t j = 0; j < problem->n; j++) {
    const ArmDynTriangle *t = &problem->triangle[j];
    const double kappa = problem->x[arm_dyn_unknown(problem->count, j, ARM_DYN_OWN)];
    if (b >= t->first)
      most = fmax(most, most_in(t, t->longest) * exp(-kappa));
  }
  return most;
}

static double most_own(const ArmDynTriangle *t, size_t l) {
  return most_in(t, is_friction(t, l) ? length_of(t, l) : t->longest);
}

static double most_of(const ArmDynProblem *problem, size_t u) {
  if (u < problem->count)
    return most_base(problem, u);
  const size_t joint = (u - problem->count) / ARM_DYN_OF_JOINT;
  const size_t local = (u - problem->count) % ARM_DYN_OF_JOINT;
  return local == ARM_DYN_OWN ? MOST_KAPPA : most_own(&problem->triangle[joint], local);
}

double arm_dyn_problem_units(const ArmDynProblem *problem, const ArmDynColumns *columns,
                             double *unit) {
  double longest = 0;
  for (size_t c = 0; c < columns->columns; c++) {
    const double most = most_of(problem, columns->unknown[c]);
    unit[c] = most > 0 && isfinite(most) ? most : 1;
    longest = fmax(longest, unit[c] * norm(columns->a + c * columns->rows, columns->rows));
  }
  return longest > 0 ? fmin(fmax(1 / longest, RCOND), MOST_RCOND) : RCOND;
}

double arm_dyn_hidden_share(double share, double unit, double sd) {
  return share * unit <= HIDDEN * sd ? 0 : share;
}
