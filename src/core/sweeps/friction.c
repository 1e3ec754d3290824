/* SPDX-License-Identifier: MIT */
/* What the two terms are to a row and to a stroke. The load column leans on a load that an earlier
 * fit found; where |L| keeps its sign over a stroke it is made of the stroke's 1, cos and sin,
 * exactly; where it does not, its kink is projected like any function. */
#include <math.h>
#include <string.h>

#include "core/sweeps/ident_internal.h"

/* ---- columns of rows ---- */

size_t arm_ident_term_column(const ArmIdent *ident, size_t joint, ArmFrictionTerm term) {
  const ArmIdentTerms *terms = &ident->terms[joint];
  return arm_ident_first_term(ident, joint) +
         (term == ARM_TERM_CURVE && terms->has[ARM_TERM_LOAD] ? 1 : 0);
}

double arm_ident_load(const ArmIdentTerms *terms, size_t columns, const double *row) {
  double load = 0.0;
  for (size_t a = 0; a < columns; a++)
    load += terms->load[a] * row[a];
  return load;
}

void arm_ident_term_row(const ArmIdent *ident, size_t joint, double *row) {
  const ArmIdentTerms *terms = &ident->terms[joint];
  const size_t g = 2 * (ident->model->n - joint);
  const double v = row[g + 1] + row[g + 3];
  const double s = row[g] > 0.0 ? terms->sign : -terms->sign;
  if (terms->has[ARM_TERM_LOAD])
    row[arm_ident_term_column(ident, joint, ARM_TERM_LOAD)] =
        s * fabs(arm_ident_load(terms, g, row));
  if (terms->has[ARM_TERM_CURVE])
    row[arm_ident_term_column(ident, joint, ARM_TERM_CURVE)] =
        s * exp(-fabs(v) / terms->curve_speed);
}

/* ---- columns of strokes ---- */

enum { K = ARM_STROKE_ORDERS, LOOKS = 33 }; /* places where a load's sign is looked at */

typedef struct {
  const double *load;
  double scale, zero;
} LoadOfStroke;

static double load_at(double q, const LoadOfStroke *of) {
  const double at = of->scale * q + of->zero;
  return of->load[0] + of->load[1] * cos(at) + of->load[2] * sin(at);
}

static double size_at(double q, const void *of) {
  return fabs(load_at(q, of));
}

/* +1, -1; 0: it changes its sign on the way */
static double sign_of_load(const ArmStroke *stroke, const LoadOfStroke *of, double range[2]) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (int k = 0; k < LOOKS; k++) {
    const double part = (double)k / (LOOKS - 1);
    const double load = load_at(stroke->low + part * (stroke->high - stroke->low), of);
    low = fmin(low, load);
    high = fmax(high, load);
  }
  range[0] = low;
  range[1] = high;
  return low >= 0.0 ? 1.0 : high <= 0.0 ? -1.0 : 0.0;
}

double arm_stroke_load_sign(const ArmStroke *stroke, const double load[3], double range[2]) {
  const LoadOfStroke of = {load, 1.0, 0.0};
  return sign_of_load(stroke, &of, range);
}

void arm_stroke_load_column(const ArmStroke *stroke, double low, double high, const double load[3],
                            const double *own, double scale, double zero, double s, double *to) {
  const LoadOfStroke of = {load, scale, zero};
  double range[2];
  const double sign = sign_of_load(stroke, &of, range);
  memset(to, 0, K * sizeof *to);
  if (sign == 0.0) {
    if (arm_stroke_project(stroke, low, high, size_at, &of, to))
      for (size_t k = 0; k < K; k++)
        to[k] *= s;
    return;
  }
  to[0] = s * sign * load[0];
  for (size_t k = 0; k < K; k++)
    to[k] += s * sign * (load[1] * own[k] + load[2] * own[k + K]);
}

typedef struct {
  const double *speed; /* numbers of the speed over [low, high] */
  double low, high, curve_speed;
} CurveOfStroke;

static double curve_at(double q, const void *user) {
  const CurveOfStroke *of = user;
  const double x = (2.0 * q - of->low - of->high) / (of->high - of->low);
  double p[K], v = 0.0;
  arm_stroke_basis(x, p);
  for (size_t k = 0; k < K; k++)
    v += of->speed[k] * p[k];
  return exp(-fabs(v) / of->curve_speed);
}

void arm_stroke_curve_column(const ArmStroke *stroke, double low, double high, const double *speed,
                             double curve_speed, double s, double *to) {
  const CurveOfStroke of = {speed, low, high, curve_speed};
  memset(to, 0, K * sizeof *to);
  if (arm_stroke_project(stroke, low, high, curve_at, &of, to))
    for (size_t k = 0; k < K; k++)
      to[k] *= s;
}

void arm_friction_widen(const ArmIdent *ident, ArmIdentResult *fit) {
  const size_t count = ident->tree.count;
  for (size_t i = 0; i < ident->model->n; i++)
    for (int t = 0; t < ARM_TERMS; t++) {
      const size_t at = ident->tree.term[i][t];
      if (!ident->terms[i].has[t] || at == ARM_IDENT_NONE)
        continue;
      const double sd = sqrt(fmax(0.0, fit->covariance[at + at * count]));
      const double factor = ident->terms[i].trial[t].sd / sd;
      if (!(factor > 1.0) || !isfinite(factor))
        continue;
      fit->sd_data[at] *= factor;
      fit->sd_wide[at] *= factor;
      for (size_t k = 0; k < count; k++) {
        fit->covariance[k + at * count] *= factor;
        fit->covariance[at + k * count] *= factor;
      }
    }
}
