/* SPDX-License-Identifier: MIT */
/* Products of rows further apart than neighbours, of as few columns as residuals of a stroke are
 * made of: gravity is 1, cos and sin of the own position while all else stands still, and
 * polynomials of it where something does not quite. */
#include <math.h>
#include <string.h>

#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS, W = ARM_SUMS_LAG_COLUMNS, Y = W - 1, RING = ARM_SUMS_FARTHEST };
enum { LEADING = K + ARM_STROKE_SPEED + 1, A = K + ARM_STROKE_ACCELERATION }; /* P, cos, sin, v */
/* Chosen: of a column beyond those before it. Less of it is 1e-5 of the currents at most, and would
 * cost more than that in rounding of the products. */
#define LEAST_OWN 1e-5

/* Chosen: all that white noise ends at, then twice an octave, then each. */
const size_t arm_sums_lag[ARM_SUMS_LAGS] = {2,  3,  4,  6,  8,   12,  16,  24,
                                            32, 48, 64, 96, 128, 256, 512, RING};

const size_t arm_sums_lag_column[ARM_SUMS_LAG_COLUMNS] = {0,
                                                          1,
                                                          2,
                                                          3,
                                                          4,
                                                          5,
                                                          K + ARM_STROKE_COS,
                                                          K + ARM_STROKE_SIN,
                                                          K + ARM_STROKE_SPEED,
                                                          A,
                                                          ARM_SUMS_CURRENT};

size_t arm_sums_lag_count(const ArmStroke *stroke) {
  size_t count = 0;
  while (count < ARM_SUMS_LAGS && arm_sums_lag[count] < stroke->rows)
    count++;
  return count;
}

/* Each column with each: no more work for vectors than half of them. */
static void multiply(const double *early, const double *late, double *product) {
  for (size_t c = 0; c < W; c++)
    for (size_t k = 0; k < W; k++)
      product[k + c * W] += early[k] * late[c];
}

static void add_packed(const double *product, size_t pairs, double *to) {
  *to++ += (double)pairs;
  for (size_t c = 0; c < W; c++)
    for (size_t k = 0; k <= c; k++)
      *to++ += 0.5 * (product[k + c * W] + product[c + k * W]);
}

/* ---- one pass over the rows ---- */

void arm_sums_run_begin(ArmSumsRun *run) {
  run->count = 0;
}

void arm_sums_run_add(ArmSumsRun *run, const ArmStroke *stroke, double q, const double *line) {
  const size_t lags = arm_sums_lag_count(stroke), at = run->count % RING;
  double now[W];
  for (size_t k = 0; k < W; k++)
    now[k] = line[arm_sums_lag_column[k]];
  for (size_t k = 0; k < lags && arm_sums_lag[k] <= run->count; k++) {
    multiply(run->line[(run->count - arm_sums_lag[k]) % RING], now, run->product[k]);
    run->pairs[k]++;
  }
  memcpy(run->line[at], now, sizeof now);
  run->edge[at][0] = q;
  memcpy(run->edge[at] + 1, now + K + ARM_STROKE_SPEED, (ARM_SUMS_EDGE - 1) * sizeof *now);
  run->count++;
}

void arm_sums_run_close(ArmSumsRun *run, ArmSumsStroke *stroke) {
  const size_t lags = arm_sums_lag_count(&stroke->stroke);
  for (size_t k = 0; k < lags; k++)
    add_packed(run->product[k], run->pairs[k], stroke->lags + k * ARM_SUMS_LAG_NUMBERS);
  memset(run->product, 0, sizeof run->product);
  memset(run->pairs, 0, sizeof run->pairs);
}

size_t arm_sums_run_end(const ArmSumsRun *run, double *edge) {
  const size_t rows = run->count < RING ? run->count : RING;
  for (size_t k = 0; k < rows; k++)
    memcpy(edge + k * ARM_SUMS_EDGE, run->edge[(run->count - rows + k) % RING],
           sizeof run->edge[0]);
  return rows;
}

/* ---- one stroke of two ---- */

/* Of lags that only one of them is long enough for, or none, what is missing is 0. */
void arm_sums_add_lags(const double *lags, size_t count, double *to) {
  for (size_t k = 0; k < count * ARM_SUMS_LAG_NUMBERS; k++)
    to[k] += lags[k];
}

static void line_of_edge(const ArmStroke *s, const double *edge, double *w) {
  const double q = edge[0];
  arm_stroke_basis((2.0 * q - s->basis_low - s->basis_high) / (s->basis_high - s->basis_low), w);
  w[K + ARM_STROKE_COS] = cos(q);
  w[K + ARM_STROKE_SIN] = sin(q);
  memcpy(w + K + ARM_STROKE_SPEED, edge + 1, (ARM_SUMS_EDGE - 1) * sizeof *w);
}

void arm_sums_cross_lags(const ArmStroke *stroke, const double *before, size_t rows_before,
                         const double *after, size_t rows_after, double *to) {
  double early[W], late[W];
  const size_t lags = arm_sums_lag_count(stroke);
  for (size_t k = 0; k < lags; k++, to += ARM_SUMS_LAG_NUMBERS) {
    double product[W * W] = {0};
    size_t pairs = 0;
    for (size_t r = 0; r < arm_sums_lag[k] && r < rows_after; r++) {
      const size_t back = arm_sums_lag[k] - r; /* from the cut, 1: the last row before it */
      if (back > rows_before)
        continue;
      line_of_edge(stroke, before + (rows_before - back) * ARM_SUMS_EDGE, early);
      line_of_edge(stroke, after + r * ARM_SUMS_EDGE, late);
      multiply(early, late, product);
      pairs++;
    }
    add_packed(product, pairs, to);
  }
}

/* More rows behind those of an edge, of which the first or the last stay. */
static void append_rows(ArmReduced *sums, bool is_tail, const ArmReduced *part) {
  double *to = sums->edge[is_tail];
  size_t *rows = &sums->edge_rows[is_tail], added = part->edge_rows[is_tail];
  const size_t all = *rows + added, most = all < ARM_SUMS_FARTHEST ? all : ARM_SUMS_FARTHEST;
  if (is_tail) {
    memmove(to, to + (all - most) * ARM_SUMS_EDGE,
            (*rows - (all - most)) * ARM_SUMS_EDGE * sizeof *to);
    *rows -= all - most;
  } else {
    added = most - *rows;
  }
  memcpy(to + *rows * ARM_SUMS_EDGE, part->edge[is_tail], added * ARM_SUMS_EDGE * sizeof *to);
  *rows += added;
}

void arm_sums_join_edges(ArmReduced *sums, const ArmReduced *part, size_t strokes, size_t cut) {
  const bool goes_on = cut > 0;
  if (strokes == 0 || (goes_on && strokes == 1 && sums->edge_rows[0] == cut))
    append_rows(sums, false, part);
  if (!goes_on || part->count > 1 || part->edge_rows[1] < part->at[0].stroke.rows)
    sums->edge_rows[1] = 0;
  append_rows(sums, true, part);
}

/* ---- residuals ---- */

/* Square of what column c has from a row of its triangle on. */
static double square_from(const double *r, size_t c, size_t row) {
  const double *column = r + c * (c + 1) / 2;
  double sum = 0.0;
  for (size_t k = row; k <= c; k++)
    sum += column[k] * column[k];
  return sum;
}

static bool is_own(const double *r, size_t c, size_t row) {
  return square_from(r, c, row) > LEAST_OWN * LEAST_OWN * square_from(r, c, 0);
}

/* The acceleration beyond the leading columns: what of u it is is taken off it. */
static double take_off_acceleration(const double *r, double *u) {
  const double *column = r + (size_t)A * (A + 1) / 2;
  double product = 0.0;
  if (!is_own(r, A, LEADING))
    return 0.0;
  for (size_t k = LEADING; k <= A; k++)
    product += column[k] * u[k];
  product /= square_from(r, A, LEADING);
  for (size_t k = 0; k <= A; k++)
    u[k] -= product * column[k];
  return product;
}

void arm_sums_lag_line(const ArmSumsStroke *stroke, size_t width, const double *x,
                       double line[ARM_SUMS_LAG_COLUMNS]) {
  const double *r = stroke->triangle;
  double smooth[ARM_SUMS_MOST], u[ARM_SUMS_MOST];
  memcpy(smooth, x, width * sizeof *x);
  smooth[ARM_SUMS_CURRENT] = 0.0;
  arm_sums_multiply(r, width, smooth, u);
  line[Y] = x[ARM_SUMS_CURRENT];
  line[LEADING] = take_off_acceleration(r, u);
  for (size_t c = LEADING; c-- > 0;) {
    const double *column = r + c * (c + 1) / 2;
    line[c] = is_own(r, c, c) ? u[c] / column[c] : 0.0;
    for (size_t k = 0; k <= c; k++)
      u[k] -= line[c] * column[k];
  }
}

double arm_sums_lag_product(const double *lag, const double line[ARM_SUMS_LAG_COLUMNS]) {
  double sum = 0.0;
  lag++;
  for (size_t c = 0; c < W; c++)
    for (size_t k = 0; k <= c; k++)
      sum += (k < c ? 2.0 : 1.0) * line[k] * line[c] * *lag++;
  return sum;
}
