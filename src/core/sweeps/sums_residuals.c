/* SPDX-License-Identifier: MIT */
/* What sums say of the residuals. Of neighbours they say all: AR(1) noise widens as in a fit of
 * rows. Slow errors show in the polynomials of the strokes, and what they leave at further lags
 * follows from how far a polynomial is like itself a part of a stroke later. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/sums_internal.h"

enum {
  K = ARM_STROKE_ORDERS,
  LEAST_PAIRS = 8, /* as a fit of rows, with the next three */
  FLOOR_ORDERS = 2,
  STEPS = 64
};
#define MOST_LAGS  1000.0 /* MAX_LAG of ident_residuals.c */
#define TOLD       2.0    /* sds */
#define SURE       2.0    /* sds of a quotient, chosen: less is chance */
#define LEAST_LEFT 1e-3   /* chosen: of the sum, that may still be missing where it ends */
#define PIVOT      1e-9   /* of a column: less is what other columns say */
#define SAME       1e-12  /* of sum y^2: less is rounding, the current never changes */

/* u_sk, order k of the residual of stroke s, has the variance s^2 (1 - h_sk) for noise alike at all
 * k: noise of neighbours is alike at all orders, a slow error is largest at the lowest. */
typedef struct {
  const ArmIdent *ident;
  size_t joint, columns, rows;
  const double *c;
  double rss, y_sum, y_square;
  double product, early, late; /* of neighbours */
  size_t pairs, strokes;
  double square[K], dof[K]; /* of orders, the lowest first */
  double *block;
} Residuals;

/* x of R' x = b, by the joint's triangle: |x|^2 is the leverage of a row b */
static double leverage(const ArmIdentRows *rows, const double *b, size_t ld) {
  const size_t width = rows->columns + 1;
  double x[ARM_IDENT_MAX_COLUMNS], sum = 0.0;
  for (size_t k = 0; k < rows->columns; k++) {
    const double *r = rows->triangle + k * width;
    double own = b[k * ld], norm = r[k] * r[k];
    for (size_t j = 0; j < k; j++) {
      own -= r[j] * x[j];
      norm += r[j] * r[j];
    }
    x[k] = fabs(r[k]) > PIVOT * sqrt(norm) ? own / r[k] : 0.0;
    sum += x[k] * x[k];
  }
  return sum < 1.0 ? sum : 1.0;
}

static double residual_at(const ArmStroke *s, const double *small, const ArmStrokeEnd *end) {
  double near[ARM_SUMS_NEAR], sum = 0.0;
  arm_sums_near(s, end, near);
  for (size_t k = 0; k < ARM_SUMS_NEAR; k++)
    sum += small[k] * near[k];
  return sum;
}

static double product_of(const ArmSumsStroke *s, const double *small) {
  double product = 0.0;
  for (size_t b = 0; b < ARM_SUMS_NEAR; b++)
    for (size_t a = 0; a < ARM_SUMS_NEAR; a++)
      product += small[a] * s->lag[a + b * ARM_SUMS_NEAR] * small[b];
  return product;
}

/* small  the residual as columns of neighbours */
static void add_neighbours(Residuals *r, const ArmSumsStroke *s, const double *small, double rss,
                           double product) {
  const double first = residual_at(&s->stroke, small, &s->first);
  const double last = residual_at(&s->stroke, small, &s->last);
  r->product += product;
  r->early += fmax(0.0, rss - last * last);
  r->late += fmax(0.0, rss - first * first);
  r->pairs += s->stroke.rows - 1;
  r->strokes++;
}

static ArmStatus add_stroke(Residuals *r, size_t stroke) {
  const ArmSumsView view = arm_sums_view(r->ident, stroke);
  const double *y = r->block + r->columns * view.width;
  double small[ARM_SUMS_NEAR] = {[ARM_SUMS_NEAR - 1] = 1.0}, rss = 0.0, kink = 0.0;
  ArmSumsColumn column;
  ArmStatus status = arm_sums_block(&view, r->block);
  for (size_t a = 0; a < r->columns && status == ARM_OK; a++) {
    status = arm_sums_column(&view, a, &column);
    for (size_t k = 0; k < ARM_SUMS_NEAR; k++)
      small[k] -= r->c[a] * column.small[k];
    kink += r->c[a] * r->c[a] * column.kink; /* hardly changes from one row to the next */
  }
  if (status != ARM_OK)
    return status;
  for (size_t k = 0; k < view.width; k++) {
    double u = y[k];
    for (size_t a = 0; a < r->columns; a++)
      u -= r->c[a] * r->block[k + a * view.width];
    rss += u * u;
    r->y_square += y[k] * y[k];
    if (k >= K)
      continue;
    r->square[k] += u * u;
    r->dof[k] += 1.0 - leverage(&r->ident->rows[r->joint], r->block + k, view.width);
  }
  r->y_sum += view.sums->triangle[0] * y[0]; /* the first column is 1 in all rows */
  r->rss += rss;
  add_neighbours(r, view.sums, small, rss, product_of(view.sums, small) - kink);
  return ARM_OK;
}

/* mean of P_a(x) P_a(x + 2 part) over what overlaps, times the part that does, by Gauss-Legendre
 * quadrature of six points */
static double overlap(size_t a, double part) {
  static const double node[3] = {0.23861918608319690863, 0.66120938646626451366,
                                 0.93246951420315202781};
  static const double weight[3] = {0.46791393457269104739, 0.36076157304813860757,
                                   0.17132449237917034504};
  double sum = 0.0, here[K], later[K];
  for (size_t g = 0; g < 6; g++) {
    const double x = (g < 3 ? -node[g] : node[g - 3]) * (1.0 - part) - part;
    arm_stroke_basis(x, here);
    arm_stroke_basis(x + 2.0 * part, later);
    sum += 0.5 * weight[g % 3] * here[a] * later[a];
  }
  return sum * (1.0 - part);
}

/* What stands out of the highest orders at each order, as a part of all squares. */
static void find_slow(const Residuals *r, double part[K]) {
  double square = 0.0, dof = 0.0;
  for (size_t k = K - FLOOR_ORDERS; k < K; k++) {
    square += r->square[k];
    dof += r->dof[k];
  }
  for (size_t k = 0; k < K; k++) {
    const double floor = dof > 0.0 ? r->dof[k] * square / dof : r->square[k];
    const double sure = 1.0 + SURE * sqrt(2.0 / fmax(r->dof[k], 1.0));
    part[k] = r->square[k] > sure * floor ? (r->square[k] - floor) / r->rss : 0.0;
  }
}

/* 2 sum of the correlations that slow errors leave at all lags, as far as a fit of rows would add
 * them up: each is told with its own noise, and the first that is inside its two-sigma band ends
 * the sum. */
static double slow_sum(const Residuals *r, const double part[K]) {
  const double length = (double)r->rows / (double)r->strokes;
  const double most = fmin(length, MOST_LAGS), step = most / STEPS;
  double sum = 0.0, left = 1.0;
  for (size_t k = 0; k < STEPS && left > LEAST_LEFT; k++) {
    const double lag = ((double)k + 0.5) * step, beyond = lag / length;
    double correlation = 0.0;
    for (size_t a = 0; a < K; a++)
      correlation += part[a] > 0.0 ? part[a] * overlap(a, beyond) / (1.0 - beyond) : 0.0;
    const double told = correlation * sqrt((double)r->pairs * (1.0 - beyond));
    const double stops = 0.5 * erfc((told - TOLD) / sqrt(2.0));
    const double after = left * pow(1.0 - stops, step);
    sum += 2.0 * correlation * step * 0.5 * (left + after);
    left = after;
  }
  return fmax(0.0, sum);
}

static double of_neighbours(double lag1) {
  const double rho = fmin(fmax(lag1, 0.0), ARM_IDENT_MOST_LAG1);
  return 2.0 * rho / (1.0 - rho);
}

static double find_widening(const Residuals *r, double lag1) {
  double part[K], slow = 0.0;
  if (r->pairs < LEAST_PAIRS || !(lag1 >= TOLD / sqrt((double)r->pairs)) || !(r->rss > 0.0))
    return 1.0;
  find_slow(r, part);
  for (size_t k = 0; k < K; k++)
    slow += part[k];
  slow = fmin(slow, fmin(lag1, ARM_IDENT_MOST_LAG1));
  const double brief = (1.0 - slow) * of_neighbours((lag1 - slow) / (1.0 - slow));
  return sqrt(1.0 + fmax(of_neighbours(lag1), slow_sum(r, part) + brief));
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
  const double lag1 = r.early > 0.0 && r.late > 0.0
                          ? fmax(-1.0, fmin(1.0, r.product / sqrt(r.early) / sqrt(r.late)))
                          : (double)NAN;
  stats->max_abs = (double)NAN;
  stats->r2 = centred > SAME * r.y_square ? 1.0 - r.rss / centred : (double)NAN;
  stats->lag1 = lag1;
  stats->widening = find_widening(&r, lag1);
  return ARM_OK;
}
