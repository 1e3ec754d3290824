/* SPDX-License-Identifier: MIT */
/* What sums say of the residuals: of neighbours all, and of some lags as far as those of rows go
 * nearly all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS };
#define LEAST_LEFT 1e-3  /* chosen: of the sum, that may still be missing where it ends */
#define SAME       1e-12 /* of sum y^2: less is rounding, the current never changes */

typedef struct {
  const ArmIdent *ident;
  size_t joint, columns, rows;
  const double *c;
  double rss, y_sum, y_square;
  double product, early, late; /* of neighbours */
  size_t pairs;
  double far_product[ARM_SUMS_LAGS], far_square[ARM_SUMS_LAGS]; /* rows of arm_sums_lag apart */
  double far_pairs[ARM_SUMS_LAGS];
  const ArmStroke *before; /* the stroke before, and the residual of its last row */
  double before_last;
  double *block; /* owned */
} Residuals;

/* x  of the residual x' z */
static double residual_at(const ArmSumsView *view, const double *x, const ArmStrokeEnd *end) {
  double line[ARM_SUMS_MOST], sum = 0.0;
  ArmGravityChain chain;
  arm_gravity_chain_forget(&chain);
  arm_sums_line(view->ident->model, &view->sums->stroke, 0.0, end, &chain, line);
  for (size_t k = 0; k < view->width; k++)
    sum += x[k] * line[k];
  return sum;
}

static double square_of(const double *triangle, size_t width, const double *x) {
  double u[ARM_SUMS_MOST], sum = 0.0;
  arm_sums_multiply(triangle, width, x, u);
  for (size_t k = 0; k < width; k++)
    sum += u[k] * u[k];
  return sum;
}

/* Of rows beside gaps. */
static double square_of_rows(const double *at, size_t rows, size_t width, const double *x) {
  double sum = 0.0;
  for (size_t k = 0; k < rows; k++) {
    double u = 0.0;
    for (size_t c = 0; c < width; c++)
      u += x[c] * *at++;
    sum += u * u;
  }
  return sum;
}

/* kink  of the residual: hardly changes from one row to the next */
static void add_neighbours(Residuals *r, const ArmSumsView *view, const double *x, double rss,
                           double kink) {
  const ArmSumsStroke *s = view->sums;
  const size_t gap_rows = arm_sums_gap_rows(r->ident->model->n, &s->stroke), width = view->width;
  const double first = residual_at(view, x, &s->first), last = residual_at(view, x, &s->last);
  const double lone_early = last * last + square_of_rows(s->before, gap_rows, width, x);
  const double lone_late = first * first + square_of_rows(s->after, gap_rows, width, x);
  const double rows = square_of(s->triangle, width, x), pairs = square_of(s->pairs, width, x);
  r->product += 0.5 * (pairs - 2.0 * rows + lone_early + lone_late) - kink;
  r->early += fmax(0.0, rss - lone_early);
  r->late += fmax(0.0, rss - lone_late);
  r->pairs += s->stroke.rows - 1 - s->stroke.gaps;
  if (r->before && arm_stroke_follows(r->before, &s->stroke, r->ident->median_step)) {
    r->product += r->before_last * first;
    r->early += r->before_last * r->before_last;
    r->late += first * first;
    r->pairs++;
  }
  r->before = &s->stroke;
  r->before_last = last;
}

/* Squares of either row of a pair are taken for those of all rows. */
static void add_far(Residuals *r, const ArmSumsView *view, const double *x, double rss) {
  const ArmSumsStroke *s = view->sums;
  const size_t lags = arm_sums_lag_count(&s->stroke);
  double line[ARM_SUMS_LAG_COLUMNS];
  if (lags > 0)
    arm_sums_lag_line(s, view->width, x, line);
  for (size_t k = 0; k < lags; k++) {
    const double *lag = s->lags + k * ARM_SUMS_LAG_NUMBERS;
    r->far_product[k] += arm_sums_lag_product(lag, line);
    r->far_square[k] += rss * lag[0] / (double)s->stroke.rows;
    r->far_pairs[k] += lag[0];
  }
}

static ArmStatus add_stroke(Residuals *r, size_t stroke) {
  const ArmSumsView view = arm_sums_view(r->ident, stroke);
  const double *y = r->block + r->columns * view.width;
  double x[ARM_SUMS_MOST] = {[ARM_SUMS_CURRENT] = 1.0}, rss = 0.0, kink = 0.0;
  ArmSumsColumn column;
  ArmStatus status = arm_sums_block(&view, r->block);
  for (size_t a = 0; a < r->columns && status == ARM_OK; a++) {
    status = arm_sums_column(&view, a, &column);
    for (size_t k = 0; k < view.width; k++)
      x[k] -= r->c[a] * column.wide[k];
    kink += r->c[a] * r->c[a] * column.kink;
  }
  if (status != ARM_OK)
    return status;
  for (size_t k = 0; k < view.width; k++) {
    double u = y[k];
    for (size_t a = 0; a < r->columns; a++)
      u -= r->c[a] * r->block[k + a * view.width];
    rss += u * u;
    r->y_square += y[k] * y[k];
  }
  r->y_sum += view.sums->triangle[0] * y[0]; /* the first column is 1 in all rows */
  r->rss += rss;
  add_neighbours(r, &view, x, rss, kink);
  add_far(r, &view, x, rss);
  return ARM_OK;
}

/* A correlation, and the pairs that tell it. */
typedef struct {
  double value, pairs;
  bool is_known; /* else it is what it would be without its own noise */
} Correlation;

static Correlation stored(const Residuals *r, size_t k) {
  const double value = r->far_square[k] > 0.0 ? r->far_product[k] / r->far_square[k] : 0.0;
  return (Correlation){fmax(-1.0, fmin(1.0, value)), r->far_pairs[k], true};
}

/* At a lag from 2 on: stored, or between two of those. */
static Correlation correlation_at(const Residuals *r, size_t lag) {
  size_t next = 0;
  while (arm_sums_lag[next] < lag)
    next++;
  if (arm_sums_lag[next] == lag)
    return stored(r, next);
  const Correlation a = stored(r, next - 1), b = stored(r, next);
  const double from = (double)arm_sums_lag[next - 1], to = (double)arm_sums_lag[next];
  const double further = ((double)lag - from) / (to - from);
  return (Correlation){a.value + further * (b.value - a.value),
                       a.pairs + further * (b.pairs - a.pairs), false};
}

/* Chance that a fit of rows goes on beyond it. */
static double goes_on_beyond(const Correlation *c) {
  if (c->is_known)
    return arm_ident_is_told(c->value, c->pairs) ? 1.0 : 0.0;
  const double told = c->pairs < ARM_IDENT_LEAST_PAIRS ? 0.0 : c->value * sqrt(c->pairs);
  return 0.5 * erfc((ARM_IDENT_TOLD - told) / sqrt(2.0));
}

/* sum of the correlations from lag 2 on, as far as a fit of rows would add them up */
static double far_sum(const Residuals *r) {
  double sum = 0.0, left = 1.0;
  for (size_t lag = 2; lag <= ARM_SUMS_FARTHEST && left > LEAST_LEFT; lag++) {
    const Correlation c = correlation_at(r, lag);
    left *= goes_on_beyond(&c);
    sum += left > 0.0 ? left * c.value : 0.0;
  }
  return sum;
}

ArmStatus arm_sums_residuals(const ArmIdent *ident, size_t joint, const double *c,
                             ArmIdentStats *stats) {
  const size_t columns = arm_ident_columns(ident, joint);
  Residuals r = {.ident = ident,
                 .joint = joint,
                 .columns = columns,
                 .rows = ident->rows[joint].rows,
                 .c = c,
                 .block = malloc(ARM_SUMS_MOST * (columns + 1) * sizeof *r.block)};
  if (!r.block)
    return ARM_E_MEMORY;
  ArmStatus status = ARM_OK;
  for (size_t s = 0; s < ident->sums->count && status == ARM_OK; s++) {
    arm_sums_saw(ident->sums, &ident->sums->at[s]);
    if (ident->sums->at[s].stroke.joint == joint)
      status = add_stroke(&r, s);
  }
  free(r.block);
  if (status != ARM_OK)
    return status;
  const double centred = r.y_square - r.y_sum * r.y_sum / (double)r.rows;
  const double lag1 = r.pairs > 0 && r.early > 0.0 && r.late > 0.0
                          ? fmax(-1.0, fmin(1.0, r.product / sqrt(r.early) / sqrt(r.late)))
                          : (double)NAN;
  stats->max_abs = (double)NAN;
  stats->r2 = centred > SAME * r.y_square ? 1.0 - r.rss / centred : (double)NAN;
  stats->lag1 = lag1;
  stats->widening = r.rss > 0.0 && arm_ident_is_told(lag1, (double)r.pairs)
                        ? arm_ident_widening(lag1, lag1 + far_sum(&r))
                        : 1.0;
  return ARM_OK;
}
