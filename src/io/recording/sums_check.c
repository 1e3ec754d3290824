/* SPDX-License-Identifier: MIT */
/* What sums of rows are, whatever the rows were: counts that add up, sums between what their terms
 * allow, products that a triangle of real rows has. A fit of anything else would be a fit of
 * nothing. */
#include <math.h>

#include "io/recording/sums_file_internal.h"

enum { K = ARM_STROKE_ORDERS };
#define SLACK 1e-6 /* of sums that rounding of as many rows leaves far behind */

static bool are_finite(const double *x, gsize count) {
  for (gsize k = 0; k < count; k++)
    if (!isfinite(x[k]) || fabs(x[k]) > 1e150)
      return false;
  return true;
}

static bool is_near(double a, double b, double scale) {
  return fabs(a - b) <= SLACK * scale;
}

/* Square of a column of a triangle. */
static double square_of(const double *triangle, gsize c) {
  const double *r = triangle + c * (c + 1) / 2;
  double sum = 0.0;
  for (gsize k = 0; k <= c; k++)
    sum += r[k] * r[k];
  return sum;
}

/* Sum of a column over the rows: its product with the first one, which is 1. 1e-12: of zeros. */
static bool has_sum(const ArmSumsStroke *s, gsize c, double sum) {
  const double product = s->triangle[0] * s->triangle[c * (c + 1) / 2];
  return is_near(product, sum, sqrt((double)s->stroke.rows * square_of(s->triangle, c)) + 1e-12);
}

/* Sums of a column over rows beside gaps. */
static double sum_of_rows(const double *at, gsize rows, gsize width, gsize c) {
  double sum = 0.0;
  for (gsize k = 0; k < rows; k++)
    sum += at[k * width] * at[k * width + c];
  return sum;
}

/* Sum of a column over the pairs: twice that of the rows, without the ends and beside gaps. */
static bool has_pairs(const ArmSumsStroke *s, gsize n, gsize c, double first, double last) {
  const gsize width = arm_sums_width(n, s->stroke.joint), gaps = arm_sums_gap_rows(n, &s->stroke);
  const double rows = s->triangle[0] * s->triangle[c * (c + 1) / 2];
  const double pairs = s->pairs[0] * s->pairs[c * (c + 1) / 2];
  const double size = sqrt((double)s->stroke.rows * square_of(s->triangle, c));
  const double lone =
      first + last + sum_of_rows(s->before, gaps, width, c) + sum_of_rows(s->after, gaps, width, c);
  return is_near(pairs, 2.0 * (2.0 * rows - lone), 8.0 * size + 1e-12);
}

/* Squares no larger than the rows allow. */
static bool is_part(const ArmSumsStroke *s, gsize n, gsize c) {
  const gsize width = arm_sums_width(n, s->stroke.joint), gaps = arm_sums_gap_rows(n, &s->stroke);
  const double rows = square_of(s->triangle, c), most = (1.0 + SLACK) * rows + 1e-12;
  double before = 0.0, after = 0.0;
  for (gsize k = 0; k < gaps; k++) {
    before += s->before[k * width + c] * s->before[k * width + c];
    after += s->after[k * width + c] * s->after[k * width + c];
  }
  return square_of(s->pairs, c) <= 4.0 * most && before <= most && after <= most;
}

/* Pairs of the rows. */
static bool are_pairs(const ArmSumsStroke *s, gsize n) {
  const gsize joint = s->stroke.joint;
  const ArmStrokeEnd *a = &s->first, *b = &s->last;
  for (gsize c = 0; c < arm_sums_width(n, joint); c++)
    if (!is_part(s, n, c))
      return false;
  return has_pairs(s, n, 0, 1.0, 1.0) &&
         has_pairs(s, n, K + ARM_STROKE_SPEED, a->qd[joint], b->qd[joint]) &&
         has_pairs(s, n, K + ARM_STROKE_TIME, s->stroke.t_first, s->stroke.t_last) &&
         has_pairs(s, n, K + ARM_STROKE_ACCELERATION, a->qdd, b->qdd) &&
         has_pairs(s, n, ARM_SUMS_CURRENT, a->current, b->current);
}

/* ---- lags ---- */

/* As many pairs as a stroke of so many rows can have, with all that it has in a run, and products
 * no larger than the rows allow. */
static bool is_lag(const ArmSumsStroke *s, gsize rows_apart, const double *lag) {
  const double pairs = *lag++, most = (double)(s->stroke.rows - rows_apart);
  if (!(pairs >= 0.0 && pairs <= most) || pairs != floor(pairs) ||
      (s->stroke.gaps == 0 && pairs != most) || !is_near(*lag, pairs, most))
    return false;
  for (gsize c = 0; c < ARM_SUMS_LAG_COLUMNS; c++)
    for (gsize k = 0; k <= c; k++) {
      const double square = square_of(s->triangle, arm_sums_lag_column[k]) *
                            square_of(s->triangle, arm_sums_lag_column[c]);
      if (fabs(*lag++) > (1.0 + SLACK) * sqrt(square) + 1e-12)
        return false;
    }
  return true;
}

static bool are_lags(const ArmSumsStroke *s) {
  const gsize lags = arm_sums_lag_count(&s->stroke);
  for (gsize k = 0; k < lags; k++)
    if (!is_lag(s, arm_sums_lag[k], s->lags + k * ARM_SUMS_LAG_NUMBERS))
      return false;
  return true;
}

/* Products of neighbours are no larger than the rows allow. */
static bool is_definite(const ArmSumsStroke *s) {
  double square[K + 1];
  for (gsize a = 0; a <= K; a++)
    square[a] = square_of(s->triangle, a < K ? a : ARM_SUMS_CURRENT);
  for (gsize b = 0; b <= K; b++)
    for (gsize a = 0; a <= K; a++)
      if (fabs(s->stroke.lag[a + b * (K + 1)]) > (1.0 + SLACK) * sqrt(square[a] * square[b]))
        return false;
  return true;
}

static bool is_between(double low, double x, double high, double slack) {
  return x >= low - slack && x <= high + slack;
}

static const char *check_numbers(const ArmReduced *sums, const ArmSumsStroke *stroke) {
  const ArmStroke *s = &stroke->stroke;
  const double numbers[] = {s->basis_low,     s->basis_high,       s->low,
                            s->high,          s->t_first,          s->t_last,
                            s->t_sum,         s->speed_sum,        stroke->slowest,
                            stroke->fastest,  stroke->first.qdd,   stroke->first.current,
                            stroke->last.qdd, stroke->last.current};
  const ArmStrokeEnd *ends[] = {&stroke->first, &stroke->last};
  bool is_finite = are_finite(numbers, G_N_ELEMENTS(numbers)) && are_finite(s->q_sum, sums->n) &&
                   are_finite(stroke->triangle, arm_sums_cells(sums->n, s)) &&
                   are_finite(s->lag, G_N_ELEMENTS(s->lag));
  for (gsize k = 0; k < G_N_ELEMENTS(ends); k++)
    is_finite = is_finite && are_finite(ends[k]->q, sums->n) && are_finite(ends[k]->qd, sums->n);
  return is_finite ? NULL : "a number of a stroke is not finite";
}

static const char *check_stroke(const ArmReduced *sums, const ArmSumsStroke *stroke) {
  const ArmStroke *s = &stroke->stroke;
  const double rows = (double)s->rows;
  if (s->rows < 1)
    return "a stroke has no rows";
  const char *fault = check_numbers(sums, stroke);
  if (fault)
    return fault;
  if (!(s->basis_low < s->basis_high) || s->low > s->high || s->t_first > s->t_last ||
      !(stroke->slowest <= stroke->fastest) || !(stroke->slowest > 0.0))
    return "ranges of a stroke are reversed";
  const double long_ago = SLACK * fmax(fabs(s->t_first), fabs(s->t_last)) + SLACK;
  if (!is_between(s->t_first, s->t_sum / rows, s->t_last, long_ago) ||
      !is_between(s->low, s->q_sum[s->joint] / rows, s->high, SLACK) ||
      !is_between(stroke->slowest, fabs(s->speed_sum) / rows, stroke->fastest,
                  SLACK * stroke->fastest))
    return "a mean of a stroke is outside its range";
  if (!is_near(stroke->triangle[0] * stroke->triangle[0], rows, rows) ||
      !has_sum(stroke, K + ARM_STROKE_SPEED, s->speed_sum) ||
      !has_sum(stroke, K + ARM_STROKE_TIME, s->t_sum))
    return "a triangle does not have the sums of its rows";
  if (s->gaps >= s->rows || s->last_row < s->first_row || s->last_row >= sums->rows ||
      s->last_row - s->first_row + 1 < s->rows + s->gaps ||
      (s->gaps == 0 && s->last_row - s->first_row + 1 != s->rows))
    return "rows of a stroke do not lie between its ends";
  if (!are_pairs(stroke, sums->n) || !are_lags(stroke))
    return "a stroke has pairs that are none of its rows";
  return is_definite(stroke) ? NULL : "products of a stroke are not positive definite";
}

static const char *check_counts(const ArmReduced *sums) {
  size_t used[ARM_MAX_JOINTS] = {0}, all = 0;
  for (gsize s = 0; s < sums->count; s++) {
    used[sums->at[s].stroke.joint] += sums->at[s].stroke.rows;
    all += sums->at[s].stroke.rows;
    arm_shelf_saw(sums->shelf, sizeof *sums->at);
  }
  for (gsize j = 0; j < sums->n; j++) {
    size_t rows = 0;
    for (gsize u = 0; u < ARM_ROW_REASONS; u++)
      rows += sums->rows_by_use[j][u];
    if (used[j] != sums->rows_by_use[j][ARM_ROW_USED] || rows > sums->rows)
      return "rows of strokes and of joints do not add up";
  }
  return all == sums->used && all <= sums->rows && sums->unmoved <= sums->rows - all
             ? NULL
             : "rows of strokes and of the recording do not add up";
}

/* ---- runs at both ends ---- */

static bool is_edge_row(const double *edge, gsize joint, const ArmStrokeEnd *end) {
  return edge[0] == end->q[joint] && edge[1] == end->qd[joint] && edge[2] == end->qdd &&
         edge[3] == end->current;
}

/* A run of a stroke: of rows in its range, from its first or to its last row. */
static bool is_run_of(const ArmSumsStroke *stroke, const double *edges, gsize rows, bool is_last) {
  const ArmStroke *s = &stroke->stroke;
  if (rows == 0 || rows > s->rows || !are_finite(edges, rows * ARM_SUMS_EDGE))
    return false;
  for (gsize k = 0; k < rows; k++) {
    const double *row = edges + k * ARM_SUMS_EDGE;
    if (!is_between(s->low, row[0], s->high, 0.0) ||
        !is_between(stroke->slowest, fabs(row[1]), stroke->fastest, 0.0))
      return false;
  }
  return is_last ? is_edge_row(edges + (rows - 1) * ARM_SUMS_EDGE, s->joint, &stroke->last)
                 : is_edge_row(edges, s->joint, &stroke->first);
}

static const char *check_edges(const ArmReduced *sums) {
  const bool is_good =
      sums->count == 0
          ? sums->edge_rows[0] == 0 && sums->edge_rows[1] == 0
          : is_run_of(&sums->at[0], sums->edge[0], sums->edge_rows[0], false) &&
                is_run_of(&sums->at[sums->count - 1], sums->edge[1], sums->edge_rows[1], true);
  return is_good ? NULL : "rows at an end of the recording are none of its strokes";
}

/* ---- rows beside the sums ---- */

/* Where the records of a stroke begin, and what they add up to. */
typedef struct {
  const ArmReduced *sums;
  gsize next, width;
  bool is_harmed; /* a record that parts others has more than zeros */
} Records;

static bool are_zeros(const double *x, gsize count) {
  for (gsize k = 0; k < count; k++)
    if (x[k] != 0.0)
      return false;
  return true;
}

static const double *next_row(Records *r) {
  const double *record = NULL;
  while (!record && r->sums->kept.at && r->next < r->sums->kept.count) {
    const double *at = r->sums->kept.at + r->next++ * r->width;
    arm_shelf_saw(r->sums->shelf, r->width * sizeof *at);
    record = at[ARM_KEPT_JOINT] == 0.0 ? NULL : at;
    r->is_harmed = r->is_harmed || (!record && !are_zeros(at, r->width));
  }
  return record;
}

static bool is_end(const double *record, gsize n, const ArmStrokeEnd *end) {
  for (gsize j = 0; j < n; j++)
    if (record[ARM_KEPT_Q + j] != end->q[j] || record[ARM_KEPT_Q + n + j] != end->qd[j])
      return false;
  return record[ARM_KEPT_ACCELERATION] == end->qdd && record[ARM_KEPT_CURRENT] == end->current;
}

/* What the rows of a stroke add up to. */
typedef struct {
  double q[ARM_MAX_JOINTS], size; /* size: largest |q| */
  double t, last_t, v;
  double y, y_square, a, a_square;
} RowSums;

static bool is_row_of(const Records *r, const ArmSumsStroke *stroke, const double *at,
                      double last_t) {
  const ArmStroke *s = &stroke->stroke;
  const gsize n = r->sums->n;
  const double since = at[ARM_KEPT_TIME] - r->sums->origin;
  const double v = fabs(at[ARM_KEPT_Q + n + s->joint]);
  const double long_ago = SLACK * fmax(fabs(s->t_first), fabs(s->t_last)) + SLACK;
  return at[ARM_KEPT_JOINT] == (double)(s->joint + 1) && are_finite(at, r->width) &&
         since >= last_t && is_between(s->t_first, since, s->t_last, long_ago) &&
         is_between(stroke->slowest, v, stroke->fastest, 0.0);
}

static void add_row(const Records *r, gsize joint, const double *at, RowSums *to) {
  const gsize n = r->sums->n;
  const double y = at[ARM_KEPT_CURRENT], a = at[ARM_KEPT_ACCELERATION];
  for (gsize j = 0; j < n; j++) {
    to->q[j] += at[ARM_KEPT_Q + j];
    to->size = fmax(to->size, fabs(at[ARM_KEPT_Q + j]));
  }
  to->last_t = at[ARM_KEPT_TIME] - r->sums->origin;
  to->t += to->last_t;
  to->v += at[ARM_KEPT_Q + n + joint];
  to->y += y;
  to->y_square += y * y;
  to->a += a;
  to->a_square += a * a;
}

static bool has_sums(const Records *r, const ArmSumsStroke *stroke, const RowSums *of) {
  const ArmStroke *s = &stroke->stroke;
  const double rows = (double)s->rows;
  for (gsize j = 0; j < r->sums->n; j++)
    if (!is_near(of->q[j], s->q_sum[j], rows * (of->size + 1.0)))
      return false;
  return is_near(of->v, s->speed_sum, rows * stroke->fastest) &&
         is_near(of->t, s->t_sum, rows * (fabs(s->t_first) + fabs(s->t_last) + 1.0)) &&
         has_sum(stroke, ARM_SUMS_CURRENT, of->y) &&
         is_near(square_of(stroke->triangle, ARM_SUMS_CURRENT), of->y_square, of->y_square) &&
         has_sum(stroke, K + ARM_STROKE_ACCELERATION, of->a) &&
         is_near(square_of(stroke->triangle, K + ARM_STROKE_ACCELERATION), of->a_square,
                 of->a_square);
}

static const char *check_rows_of(Records *r, const ArmSumsStroke *stroke) {
  RowSums sums = {.last_t = -(double)INFINITY};
  const gsize n = r->sums->n, joint = stroke->stroke.joint;
  for (gsize k = 0; k < stroke->stroke.rows; k++) {
    const double *at = next_row(r);
    if (!at || !is_row_of(r, stroke, at, sums.last_t))
      return "a row that is none of its stroke";
    if ((k == 0 && !is_end(at, n, &stroke->first)) ||
        (k + 1 == stroke->stroke.rows && !is_end(at, n, &stroke->last)))
      return "a stroke that does not begin and end with its rows";
    add_row(r, joint, at, &sums);
  }
  return has_sums(r, stroke, &sums) ? NULL : "rows that do not add up to their stroke";
}

static const char *check_rows(const ArmReduced *sums) {
  Records r = {.sums = sums, .width = arm_kept_width(sums->n)};
  const char *fault = NULL;
  for (gsize s = 0; s < sums->count && !fault; s++) {
    if (sums->kept.has[sums->at[s].stroke.joint])
      fault = check_rows_of(&r, &sums->at[s]);
    arm_sums_saw(sums, &sums->at[s]);
  }
  if (!fault && next_row(&r))
    fault = "rows of no stroke";
  return !fault && r.is_harmed ? "rows that part others, with numbers" : fault;
}

static const char *check_scanned(const ArmReduced *sums, gsize j) {
  const ArmPlausibleJoint *scan = &sums->scan.joint[j];
  const double numbers[] = {scan->speed_forth,   scan->speed_back, scan->outside_worst,
                            scan->outside_limit, scan->worst,      scan->noise_sum,
                            scan->held_moved,    scan->held_time};
  const double open[] = {scan->low,      scan->high,         scan->top.value,
                         scan->top.next, scan->bottom.value, scan->bottom.next};
  const ArmWildFar *wild[] = {&sums->wild[j].current, &sums->wild[j].position};
  for (gsize k = 0; k < G_N_ELEMENTS(open); k++)
    if (isnan(open[k]))
      return "what was scanned is not a number";
  for (gsize k = 0; k < 2; k++)
    if (wild[k]->count > 0 && (wild[k]->row >= sums->rows || !isfinite(wild[k]->t) ||
                               !isfinite(wild[k]->found) || !isfinite(wild[k]->expected)))
      return "a wild sample is none of the rows";
  if (!are_finite(numbers, G_N_ELEMENTS(numbers)) ||
      !are_finite(scan->slope_sum[0], ARM_SPEED_UNITS) ||
      !are_finite(scan->slope_sum[1], ARM_SPEED_UNITS))
    return "what was scanned is not finite";
  return scan->held_by < sums->n && (scan->rows == 0 || isfinite(scan->low + scan->high))
             ? NULL
             : "what was scanned is of no joint";
}

static const char *check_ranges(const ArmReduced *sums) {
  for (gsize j = 0; j < sums->n; j++) {
    const ArmIdentRange *range = &sums->range[j];
    const double mean = range->sum / (double)sums->used;
    if (sums->used > 0 && (!isfinite(range->low) || !isfinite(range->high) || !isfinite(mean) ||
                           !is_between(range->low, mean, range->high, SLACK * (fabs(mean) + 1.0))))
      return "positions of a joint are outside its range";
    if (sums->used == 0 && range->sum != 0.0)
      return "positions of a joint are of no rows";
  }
  return NULL;
}

static const char *check_times(const ArmReduced *sums) {
  if (sums->rows > 0 && (!are_finite(&sums->t_first, 1) || !are_finite(&sums->t_last, 1) ||
                         sums->t_first > sums->t_last))
    return "times run back";
  if (sums->count > 0 && !are_finite(&sums->origin, 1))
    return "the origin of time is not finite";
  if (!isnan(sums->median_step) && !(sums->median_step > 0.0 && isfinite(sums->median_step)))
    return "the time step is not positive";
  return NULL;
}

const char *aio_sums_check(const ArmReduced *sums) {
  const char *fault = check_times(sums);
  for (gsize s = 0; s < sums->count && !fault; s++) {
    fault = check_stroke(sums, &sums->at[s]);
    arm_sums_saw(sums, &sums->at[s]);
  }
  fault = fault ? fault : check_counts(sums);
  fault = fault ? fault : check_ranges(sums);
  fault = fault ? fault : check_edges(sums);
  fault = fault ? fault : check_rows(sums);
  for (gsize j = 0; j < sums->n && !fault; j++)
    fault = check_scanned(sums, j);
  return fault;
}
