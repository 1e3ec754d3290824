/* SPDX-License-Identifier: MIT */
/* Strokes as triangles of Legendre polynomials, streamed in a basis of the joint's limits and
 * transformed to the range that was swept when that is known. Columns of the model are projected by
 * quadrature: a stroke is never read a second time. */
#include "core/sweeps/stroke.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  K = ARM_STROKE_ORDERS,
  WIDTH = K + ARM_STROKE_COLUMNS,
  Y = K + ARM_STROKE_CURRENT,
  LAG = K + 1,
  GRID = 32, /* points of a stroke */
};
#define PI           3.14159265358979323846
/* Within 1 deg a joint counts as standing still (DESIGN, way of one row, 4), and so as in the same
 * hold; holds that are planned apart are tens of degrees apart. */
#define FREE_RANGE_T 1.0    /* m, basis of a T joint without limits */
#define LEAST_PIVOT  1e-9   /* of the largest: fewer different positions than polynomials */
#define HOLD_SAME_R  0.0175 /* rad, 1 deg */
#define HOLD_SAME_T  0.005  /* m */

struct ArmStrokeStream {
  const ArmModel *model;
  ArmLsq *lsq;
  ArmStrokes done;
  bool is_open, has_origin;
  ArmStroke open;
  double last[LAG]; /* [P | y] of the row before */
};

/* P_0..P_5 at x, by the recursion (k+1) L_k+1 = (2k+1) x L_k - k L_k-1 */
void arm_stroke_basis(double x, double p[K]) {
  double before = 0.0, legendre = 1.0;
  for (int k = 0; k < K; k++) {
    p[k] = sqrt(2.0 * k + 1.0) * legendre;
    const double next = ((2.0 * k + 1.0) * x * legendre - k * before) / (k + 1.0);
    before = legendre;
    legendre = next;
  }
}

void arm_strokes_clear(ArmStrokes *strokes) {
  arm_shelf_give(strokes->shelf, strokes->at);
  *strokes = (ArmStrokes){0};
}

ArmStrokeStream *arm_stroke_stream_new(const ArmModel *model, ArmShelf *shelf) {
  ArmStrokeStream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return NULL;
  stream->model = model;
  stream->done.shelf = shelf;
  stream->lsq = arm_lsq_new(WIDTH);
  if (!stream->lsq) {
    free(stream);
    return NULL;
  }
  return stream;
}

void arm_stroke_stream_free(ArmStrokeStream *stream) {
  if (!stream)
    return;
  arm_lsq_free(stream->lsq);
  arm_strokes_clear(&stream->done);
  free(stream);
}

static void open_stroke(ArmStrokeStream *stream, double t, size_t row, size_t joint, double q) {
  const ArmJoint *j = &stream->model->joints[joint];
  const bool is_R = j->type == ARM_JOINT_R;
  const bool has_limits =
      j->limits.q_max > j->limits.q_min && isfinite(j->limits.q_min) && isfinite(j->limits.q_max);
  const double range = is_R ? PI : FREE_RANGE_T;
  if (!stream->has_origin)
    stream->done.origin = t;
  stream->has_origin = stream->is_open = true;
  stream->open = (ArmStroke){
      .joint = joint,
      .basis_low = has_limits ? j->limits.q_min : -range,
      .basis_high = has_limits ? j->limits.q_max : range,
      .low = q,
      .high = q,
      .t_first = t - stream->done.origin,
      .first_row = row,
      .last_row = row,
  };
}

static void add_lag(ArmStrokeStream *stream, const double *now) {
  ArmStroke *s = &stream->open;
  if (s->rows > 0) {
    s->lag_pairs++;
    for (size_t b = 0; b < LAG; b++)
      for (size_t a = 0; a < LAG; a++)
        s->lag[a + b * LAG] += now[a] * stream->last[b];
  }
  memcpy(stream->last, now, sizeof stream->last);
}

ArmStatus arm_stroke_stream_push(ArmStrokeStream *stream, double t, size_t row, size_t joint,
                                 const double *q, double qd, double qdd, double current) {
  if (!stream->is_open)
    open_stroke(stream, t, row, joint, q[joint]);
  ArmStroke *s = &stream->open;
  const double since = t - stream->done.origin, own = q[joint];
  double line[WIDTH], now[LAG];
  arm_stroke_basis((2.0 * own - s->basis_low - s->basis_high) / (s->basis_high - s->basis_low),
                   line);
  line[K + ARM_STROKE_COS] = cos(own);
  line[K + ARM_STROKE_SIN] = sin(own);
  line[K + ARM_STROKE_SPEED] = qd;
  line[K + ARM_STROKE_TIME] = since;
  line[K + ARM_STROKE_TIME_SPEED] = since * qd;
  line[K + ARM_STROKE_ACCELERATION] = qdd;
  line[Y] = current;
  const ArmStatus status = arm_lsq_push(stream->lsq, line);
  if (status != ARM_OK)
    return status;
  memcpy(now, line, K * sizeof *now);
  now[K] = current;
  add_lag(stream, now);
  s->gaps += s->rows > 0 && row != s->last_row + 1;
  s->last_row = row;
  s->rows++;
  s->low = fmin(s->low, own);
  s->high = fmax(s->high, own);
  s->t_last = since;
  s->t_sum += since;
  s->speed_sum += qd;
  for (size_t j = 0; j < stream->model->n; j++)
    s->q_sum[j] += q[j];
  return ARM_OK;
}

static void keep_triangle(ArmStroke *s, const double *r) {
  for (size_t c = 0; c < WIDTH; c++)
    for (size_t k = 0; k < K; k++)
      s->triangle[k + c * K] = r[k + c * WIDTH];
  for (size_t k = K; k < WIDTH; k++)
    s->within += r[k + Y * WIDTH] * r[k + Y * WIDTH];
}

static ArmStatus grow(ArmStrokes *strokes) {
  const size_t room = strokes->room ? 2 * strokes->room : 32;
  ArmStatus status = ARM_OK;
  ArmStroke *more = arm_shelf_take(strokes->shelf, room, sizeof *more, &status);
  if (!more)
    return status;
  for (size_t s = 0; s < strokes->count; s++) {
    more[s] = strokes->at[s];
    arm_shelf_saw(strokes->shelf, 2 * sizeof *more);
  }
  arm_shelf_give(strokes->shelf, strokes->at);
  strokes->at = more;
  strokes->room = room;
  return ARM_OK;
}

ArmStatus arm_stroke_stream_cut(ArmStrokeStream *stream) {
  double r[WIDTH * WIDTH];
  ArmStrokes *done = &stream->done;
  if (!stream->is_open)
    return ARM_OK;
  stream->is_open = false;
  if (stream->open.rows == 0)
    return ARM_OK;
  arm_lsq_triangle(stream->lsq, r);
  arm_lsq_reset(stream->lsq);
  keep_triangle(&stream->open, r);
  if (done->count == done->room) {
    const ArmStatus status = grow(done);
    if (status != ARM_OK)
      return status;
  }
  done->at[done->count++] = stream->open;
  arm_shelf_saw(done->shelf, sizeof *done->at);
  return ARM_OK;
}

/* a, b  n means of positions */
static bool is_same_hold(const ArmModel *model, size_t joint, const double *a, const double *b) {
  for (size_t j = 0; j < model->n; j++) {
    const double limit = model->joints[j].type == ARM_JOINT_R ? HOLD_SAME_R : HOLD_SAME_T;
    if (j != joint && fabs(a[j] - b[j]) > limit)
      return false;
  }
  return true;
}

/* What strokes are compared by, joint by joint: it is looked at again and again. */
typedef struct {
  double *mean; /* n for each stroke, positions of all joints */
  size_t *hold, first[ARM_MAX_JOINTS], count[ARM_MAX_JOINTS];
} Holds;

static void note_means(const ArmModel *model, const ArmStrokes *strokes, Holds *holds) {
  size_t next[ARM_MAX_JOINTS];
  memcpy(next, holds->first, sizeof next);
  for (size_t s = 0; s < strokes->count; s++) {
    const ArmStroke *at = &strokes->at[s];
    double *mean = holds->mean + next[at->joint]++ * model->n;
    for (size_t j = 0; j < model->n; j++)
      mean[j] = at->q_sum[j] / (double)at->rows;
    arm_shelf_saw(strokes->shelf, sizeof *at + model->n * sizeof *mean);
  }
}

static void number_joint(const ArmModel *model, size_t joint, const Holds *holds) {
  const double *mean = holds->mean + holds->first[joint] * model->n;
  size_t *hold = holds->hold + holds->first[joint], next = 0;
  for (size_t s = 0; s < holds->count[joint]; s++) {
    size_t known = 0;
    while (known < s && !is_same_hold(model, joint, mean + known * model->n, mean + s * model->n))
      known++;
    hold[s] = known < s ? hold[known] : next++;
  }
}

static void number_all(const ArmModel *model, ArmStrokes *strokes, Holds *holds) {
  note_means(model, strokes, holds);
  for (size_t i = 0; i < model->n; i++)
    number_joint(model, i, holds);
  for (size_t s = 0; s < strokes->count; s++) {
    ArmStroke *at = &strokes->at[s];
    at->hold = holds->hold[holds->first[at->joint]++];
    arm_shelf_saw(strokes->shelf, sizeof *at + sizeof *holds->hold);
  }
}

void arm_strokes_count(const ArmStrokes *strokes, size_t count[ARM_MAX_JOINTS]) {
  memset(count, 0, ARM_MAX_JOINTS * sizeof *count);
  for (size_t s = 0; s < strokes->count; s++) {
    count[strokes->at[s].joint]++;
    arm_shelf_saw(strokes->shelf, sizeof *strokes->at);
  }
}

ArmStatus arm_strokes_number_holds(const ArmModel *model, ArmStrokes *strokes) {
  Holds holds = {.mean = NULL};
  ArmStatus status = ARM_OK;
  arm_strokes_count(strokes, holds.count);
  for (size_t i = 1; i < model->n; i++)
    holds.first[i] = holds.first[i - 1] + holds.count[i - 1];
  holds.mean =
      arm_shelf_take(strokes->shelf, strokes->count, model->n * sizeof *holds.mean, &status);
  if (holds.mean)
    holds.hold = arm_shelf_take(strokes->shelf, strokes->count, sizeof *holds.hold, &status);
  if (holds.hold)
    number_all(model, strokes, &holds);
  arm_shelf_give(strokes->shelf, holds.mean);
  arm_shelf_give(strokes->shelf, holds.hold);
  return status;
}

ArmStatus arm_stroke_stream_take(ArmStrokeStream *stream, ArmStrokes *strokes) {
  ArmStatus status = arm_stroke_stream_cut(stream);
  if (status == ARM_OK)
    status = arm_strokes_number_holds(stream->model, &stream->done);
  if (status != ARM_OK)
    return status;
  *strokes = stream->done;
  stream->done = (ArmStrokes){.shelf = stream->done.shelf};
  stream->has_origin = false;
  return ARM_OK;
}

double arm_stroke_speed(const ArmStroke *stroke) {
  return stroke->speed_sum / (double)stroke->rows;
}

/* to[j + k K]: coefficient of the new P_j in the old P_k, by Gauss-Legendre quadrature of six
 * points, which is exact for these degrees */
static void change_of_basis(const ArmStroke *s, double low, double high, double *to) {
  static const double node[3] = {0.23861918608319690863, 0.66120938646626451366,
                                 0.93246951420315202781};
  static const double weight[3] = {0.46791393457269104739, 0.36076157304813860757,
                                   0.17132449237917034504};
  memset(to, 0, K * K * sizeof *to);
  for (size_t g = 0; g < 6; g++) {
    const double x = g < 3 ? -node[g] : node[g - 3];
    const double q = 0.5 * (low + high + x * (high - low));
    double fresh[K], old[K];
    arm_stroke_basis(x, fresh);
    arm_stroke_basis((2.0 * q - s->basis_low - s->basis_high) / (s->basis_high - s->basis_low),
                     old);
    for (size_t k = 0; k < K; k++)
      for (size_t j = 0; j <= k; j++)
        to[j + k * K] += 0.5 * weight[g % 3] * fresh[j] * old[k];
  }
}

/* x = R^-1 b, upper triangular, in place */
static void back_substitute(const double *r, double *b) {
  for (size_t k = K; k-- > 0;) {
    for (size_t c = k + 1; c < K; c++)
      b[k] -= r[k + c * K] * b[c];
    b[k] /= r[k + k * K];
  }
}

bool arm_stroke_to_basis(const ArmStroke *s, double low, double high, double c[K]) {
  double to[K * K];
  if (!(high > low))
    return false;
  change_of_basis(s, low, high, to);
  back_substitute(to, c);
  return true;
}

static bool is_solvable(const double *r) {
  double least = (double)INFINITY, most = 0.0;
  for (size_t k = 0; k < K; k++) {
    least = fmin(least, fabs(r[k + k * K]));
    most = fmax(most, fabs(r[k + k * K]));
  }
  return least > LEAST_PIVOT * most;
}

static double lag_of(const ArmStroke *s, const double *alpha) {
  double c[LAG], sum = 0.0;
  for (size_t k = 0; k < K; k++)
    c[k] = -alpha[k];
  c[K] = 1.0;
  for (size_t b = 0; b < LAG; b++)
    for (size_t a = 0; a < LAG; a++)
      sum += c[a] * s->lag[a + b * LAG] * c[b];
  return sum;
}

ArmStatus arm_stroke_numbers(const ArmStroke *stroke, double low, double high,
                             ArmStrokeNumbers *numbers) {
  double to[K * K];
  if (stroke->rows <= K || !(high > low) || !is_solvable(stroke->triangle))
    return ARM_E_NO_DATA;
  change_of_basis(stroke, low, high, to);
  for (size_t c = 0; c < ARM_STROKE_COLUMNS; c++) {
    double old[K], *fresh = c == ARM_STROKE_CURRENT ? numbers->alpha : numbers->z + c * K;
    memcpy(old, stroke->triangle + (K + c) * K, sizeof old);
    back_substitute(stroke->triangle, old);
    if (c == ARM_STROKE_CURRENT)
      numbers->lag = lag_of(stroke, old);
    for (size_t j = 0; j < K; j++) {
      fresh[j] = 0.0;
      for (size_t k = j; k < K; k++)
        fresh[j] += to[j + k * K] * old[k];
    }
  }
  /* root = R to^-1: column by column from root to = R, `to` being upper triangular */
  memset(numbers->root, 0, sizeof numbers->root);
  for (size_t k = 0; k < K; k++)
    for (size_t i = 0; i <= k; i++) {
      double sum = stroke->triangle[i + k * K];
      for (size_t j = i; j < k; j++)
        sum -= numbers->root[i + j * K] * to[j + k * K];
      numbers->root[i + k * K] = sum / to[k + k * K];
    }
  return ARM_OK;
}

/* A = L L' of a positive definite A, K x K, in place; false: not definite */
static bool factor_definite(double *a) {
  for (size_t c = 0; c < K; c++) {
    for (size_t r = c; r < K; r++)
      for (size_t k = 0; k < c; k++)
        a[r + c * K] -= a[r + k * K] * a[c + k * K];
    if (!(a[c + c * K] > 0.0))
      return false;
    const double root = sqrt(a[c + c * K]);
    for (size_t r = c; r < K; r++)
      a[r + c * K] /= root;
  }
  return true;
}

/* b = (L L')^-1 b */
static void solve_definite(const double *a, double *b) {
  for (size_t r = 0; r < K; r++) {
    for (size_t k = 0; k < r; k++)
      b[r] -= a[r + k * K] * b[k];
    b[r] /= a[r + r * K];
  }
  for (size_t r = K; r-- > 0;) {
    for (size_t k = r + 1; k < K; k++)
      b[r] -= a[k + r * K] * b[k];
    b[r] /= a[r + r * K];
  }
}

/* right  count x K */
static bool project(const ArmStroke *stroke, double low, double high, size_t count,
                    void (*f)(double q, const void *user, double *value), const void *user,
                    double *right) {
  double normal[K * K] = {0}, p[K], value[2];
  for (size_t g = 0; g < GRID; g++) {
    const double part = ((double)g + 0.5) / GRID;
    const double q = stroke->low + part * (stroke->high - stroke->low);
    f(q, user, value);
    arm_stroke_basis((2.0 * q - low - high) / (high - low), p);
    for (size_t c = 0; c < K; c++) {
      for (size_t v = 0; v < count; v++)
        right[c + v * K] += p[c] * value[v];
      for (size_t r = c; r < K; r++)
        normal[r + c * K] += p[r] * p[c];
    }
  }
  if (!(high > low) || !factor_definite(normal))
    return false;
  for (size_t v = 0; v < count; v++)
    solve_definite(normal, right + v * K);
  return true;
}

bool arm_stroke_project_both(const ArmStroke *stroke, double low, double high,
                             void (*f)(double q, const void *user, double *value), const void *user,
                             double *coefficients) {
  double right[2 * K] = {0};
  if (!project(stroke, low, high, 2, f, user, right))
    return false;
  memcpy(coefficients, right, sizeof right);
  return true;
}

typedef struct {
  double (*f)(double q, const void *user);
  const void *user;
} Single;

static void value_of(double q, const void *user, double *value) {
  const Single *single = user;
  value[0] = single->f(q, single->user);
}

bool arm_stroke_project(const ArmStroke *stroke, double low, double high,
                        double (*f)(double q, const void *user), const void *user,
                        double coefficients[K]) {
  const Single single = {f, user};
  double right[K] = {0};
  if (!project(stroke, low, high, 1, value_of, &single, right))
    return false;
  memcpy(coefficients, right, sizeof right);
  return true;
}
