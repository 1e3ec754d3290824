/* SPDX-License-Identifier: MIT */
#include "io/current_sign.h"

#include <math.h>
#include <string.h>

enum { BINS = 20, COLUMNS = 5, MIN_IN_BIN = 3, MIN_POINTS = 12 };

#define BETTER_PART    0.25 /* turned signs must bring the squared error below this part */
#define MISFIT_PART    0.01 /* of the rms current, which the fit as it is must miss by */
#define SAME_SIGN_SD   4.0  /* friction of both directions of one sign: beyond this many sd each */
#define SAME_SIGN_PART 0.1  /* and beyond this part of the rms current */
#define DIP_PART       0.3  /* T: the current dips below this part of its lowest steady level */
#define REVERSAL_S     0.5  /* T: a longer standstill is a rest, perhaps with the brake on */

/* Mean over the rows of one direction in one part of the stroke. */
typedef struct {
  double weight, q, qd, i;
  double x[COLUMNS]; /* the model there */
} Point;

typedef struct {
  ArmJointType type;
  Point points[2][BINS];  /* [0] backward, [1] forward; weight 0 = too few rows */
  int count, n;           /* points used, columns of the model */
  double weight, squares; /* sums over the points used; squares of i */
} Stroke;

typedef struct {
  double rss;
  double friction[2], friction_sd[2];
} Fit;

static bool is_usable(double q, double qd, double i, double min_speed) {
  return fabs(qd) > min_speed && !isnan(q) && !isnan(i);
}

static void add_row(Stroke *stroke, double part, double q, double qd, double i) {
  Point *point = &stroke->points[qd > 0][MIN((int)(part * BINS), BINS - 1)];
  point->weight += 1;
  point->q += q;
  point->qd += qd;
  point->i += i;
}

static void set_model(Stroke *stroke, Point *point, int way) {
  const bool rotates = stroke->type == ARM_JOINT_R;
  point->x[0] = way == 0;
  point->x[1] = way == 1;
  point->x[2] = point->qd;
  point->x[3] = rotates ? cos(point->q) : point->q;
  point->x[4] = sin(point->q);
  stroke->n = rotates ? 5 : 4;
}

/* Turns sums into means and drops parts that only one direction crosses. */
static void finish_points(Stroke *stroke) {
  for (int bin = 0; bin < BINS; bin++) {
    const bool is_crossed =
        stroke->points[0][bin].weight >= MIN_IN_BIN && stroke->points[1][bin].weight >= MIN_IN_BIN;
    for (int way = 0; way < 2; way++) {
      Point *point = &stroke->points[way][bin];
      if (!is_crossed) {
        point->weight = 0;
        continue;
      }
      point->q /= point->weight;
      point->qd /= point->weight;
      point->i /= point->weight;
      set_model(stroke, point, way);
      stroke->count++;
      stroke->weight += point->weight;
      stroke->squares += point->weight * point->i * point->i;
    }
  }
}

static void fill_stroke(Stroke *stroke, gsize rows, const double *q, const double *qd,
                        const double *i, double min_speed) {
  double low = INFINITY, high = -INFINITY;
  for (gsize row = 0; row < rows; row++) {
    if (is_usable(q[row], qd[row], i[row], min_speed)) {
      low = fmin(low, q[row]);
      high = fmax(high, q[row]);
    }
  }
  for (gsize row = 0; row < rows; row++) {
    if (is_usable(q[row], qd[row], i[row], min_speed) && high > low)
      add_row(stroke, (q[row] - low) / (high - low), q[row], qd[row], i[row]);
  }
  finish_points(stroke);
}

/* Cholesky of the n x n normal matrix in place, dead pivots (a column the others explain) to 0. */
static void factor(double a[COLUMNS][COLUMNS], int n) {
  for (int j = 0; j < n; j++) {
    const double diagonal = a[j][j];
    for (int k = 0; k < j; k++)
      a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = a[j][j] > 1e-9 * diagonal ? sqrt(a[j][j]) : 0;
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] = a[j][j] > 0 ? a[i][j] / a[j][j] : 0;
    }
  }
}

static void solve(double a[COLUMNS][COLUMNS], int n, double *x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++)
      x[i] -= a[i][k] * x[k];
    x[i] = a[i][i] > 0 ? x[i] / a[i][i] : 0;
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++)
      x[i] -= a[k][i] * x[k];
    x[i] = a[i][i] > 0 ? x[i] / a[i][i] : 0;
  }
}

/* Sign given to a point: bins below |turn| are turned (turn < 0: bins from |turn| on). */
static double sign_of(int bin, int turn) {
  const bool is_turned = turn >= 0 ? bin < turn : bin >= -turn;
  return is_turned ? -1 : 1;
}

/* The normal matrix does not depend on the signs: it is factored once, in `a`. */
static Fit fit_signs(const Stroke *stroke, double a[COLUMNS][COLUMNS], const int turn[2]) {
  const int n = stroke->n;
  double y[COLUMNS] = {0};
  for (int way = 0; way < 2; way++) {
    for (int bin = 0; bin < BINS; bin++) {
      const Point *point = &stroke->points[way][bin];
      for (int k = 0; k < n && point->weight > 0; k++)
        y[k] += point->weight * point->x[k] * sign_of(bin, turn[way]) * point->i;
    }
  }
  solve(a, n, y);
  Fit fit = {0};
  for (int way = 0; way < 2; way++) {
    for (int bin = 0; bin < BINS; bin++) {
      const Point *point = &stroke->points[way][bin];
      double error = sign_of(bin, turn[way]) * point->i;
      for (int k = 0; k < n; k++)
        error -= point->x[k] * y[k];
      fit.rss += point->weight > 0 ? point->weight * error * error : 0;
    }
  }
  /* sd by the scatter of the means, each of weight / count rows */
  const double variance = fit.rss / stroke->weight / (stroke->count - n);
  for (int way = 0; way < 2; way++) {
    double unit[COLUMNS] = {0};
    unit[way] = 1;
    solve(a, n, unit);
    fit.friction[way] = y[way];
    fit.friction_sd[way] = sqrt(fmax(unit[way], 0) * stroke->weight * variance);
  }
  return fit;
}

static void build_normal(const Stroke *stroke, double a[COLUMNS][COLUMNS]) {
  memset(a, 0, sizeof(double) * COLUMNS * COLUMNS);
  for (int way = 0; way < 2; way++) {
    for (int bin = 0; bin < BINS; bin++) {
      const Point *point = &stroke->points[way][bin];
      for (int i = 0; i < stroke->n && point->weight > 0; i++) {
        for (int j = 0; j <= i; j++)
          a[i][j] += point->weight * point->x[i] * point->x[j];
      }
    }
  }
  factor(a, stroke->n);
}

static double best_turned(const Stroke *stroke, double a[COLUMNS][COLUMNS]) {
  double best = INFINITY;
  for (int back = -BINS + 1; back <= BINS; back++) {
    for (int forth = -BINS + 1; forth <= BINS; forth++) {
      if (back == 0 && forth == 0)
        continue;
      if (back == BINS && forth == BINS)
        continue;
      best = fmin(best, fit_signs(stroke, a, (const int[]){back, forth}).rss);
    }
  }
  return best;
}

/* Friction of one sign in both directions: a rotation has no constant load to excuse it. */
static bool has_impossible_friction(const Fit *fit, double rms) {
  for (int way = 0; way < 2; way++) {
    if (!(fabs(fit->friction[way]) > SAME_SIGN_SD * fit->friction_sd[way] &&
          fabs(fit->friction[way]) > SAME_SIGN_PART * rms))
      return false;
  }
  return fit->friction[0] * fit->friction[1] > 0;
}

/* Smallest |i| between motion one way and the other. */
static double lowest_at_reversal(gsize rows, const double *t, const double *qd, const double *i,
                                 double min_speed) {
  double lowest = INFINITY, lowest_here = INFINITY, last_t = 0, last_qd = 0;
  for (gsize row = 0; row < rows; row++) {
    if (!(fabs(qd[row]) > min_speed)) {
      lowest_here = fmin(lowest_here, fabs(i[row]));
      continue;
    }
    if (last_qd * qd[row] < 0 && t[row] > last_t && t[row] - last_t < REVERSAL_S)
      lowest = fmin(lowest, lowest_here);
    lowest_here = INFINITY;
    last_t = t[row];
    last_qd = qd[row];
  }
  return lowest;
}

static bool dips_at_reversal(const Stroke *stroke, double lowest) {
  double level = INFINITY;
  for (int way = 0; way < 2; way++) {
    for (int bin = 0; bin < BINS; bin++) {
      if (stroke->points[way][bin].weight > 0)
        level = fmin(level, fabs(stroke->points[way][bin].i));
    }
  }
  return lowest < DIP_PART * level;
}

bool aio_current_is_magnitude(ArmJointType type, gsize rows, const double *t, const double *q,
                              const double *qd, const double *i, double min_speed) {
  Stroke stroke = {.type = type};
  fill_stroke(&stroke, rows, q, qd, i, min_speed);
  if (stroke.count < MIN_POINTS)
    return false;
  double a[COLUMNS][COLUMNS];
  build_normal(&stroke, a);
  const double rms = sqrt(stroke.squares / stroke.weight);
  const Fit plain = fit_signs(&stroke, a, (const int[]){0, 0});
  if (sqrt(plain.rss / stroke.weight) > MISFIT_PART * rms &&
      best_turned(&stroke, a) < BETTER_PART * plain.rss)
    return true;
  return type == ARM_JOINT_R
             ? has_impossible_friction(&plain, rms)
             : dips_at_reversal(&stroke, lowest_at_reversal(rows, t, qd, i, min_speed));
}
