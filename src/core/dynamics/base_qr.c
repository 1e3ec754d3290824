/* SPDX-License-Identifier: MIT */
/* Which columns are independent, by their values at random motions (section 3.3 of the theory
 * notes): visited in an order of priority that does not depend on the data, each is kept if
 * anything of it is left beside those kept before. Ordinary pivoted QR would choose by size, that
 * is by chance. The columns are first folded into their triangle, which has the same norms and
 * angles. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/dynamics/base_internal.h"
#include "core/num/lsq.h"

/* Observed on exact geometry: kept >= 1.4e-2, rejected <= 2.1e-14. */
#define LEFT_OVER 1e-9
#define UNFELT    1e-11

enum { P = ARM_BASE_P, BLOCK = 32, SAMPLES_LEAST = 60, SAMPLES_MOST = 300 };

/* ---- priority ---- */

typedef struct {
  const ArmBaseWork *work;
  size_t *column; /* place in base->column */
  size_t count;
} Order;

static void visit(Order *order, size_t j, size_t count, const int *parameters) {
  for (size_t k = 0; k < count; k++) {
    const size_t c = P * j + (size_t)parameters[k];
    if (order->work->base->column[c].reason == ARM_BASE_KEPT)
      order->column[order->count++] = c;
  }
}

/* The component along the axis of r last: the first that can be dependent. Of equals, to 1e-9 as in
 * base_closed.c, the first counts as largest. */
static void visit_moments(Order *order, size_t j) {
  const double *axis = order->work->base->geometry.axis[j];
  int parameters[3] = {BASE_MX, BASE_MY, BASE_MZ}, last = 2;
  for (int k = 0; k < 3; k++)
    if (fabs(axis[k]) > fabs(axis[last]) + 1e-9)
      last = k;
  for (int k = last; k < 2; k++)
    parameters[k] = parameters[k + 1];
  parameters[2] = BASE_MX + last;
  visit(order, j, 3, parameters);
}

static void prioritise(Order *order) {
  static const int turning[] = {BASE_ZZ, BASE_XX, BASE_XY, BASE_XZ, BASE_YZ, BASE_MX, BASE_MY};
  static const int mass[] = {BASE_M}, carried[] = {BASE_YY, BASE_MZ, BASE_M};
  static const int tensor[] = {BASE_XX, BASE_XY, BASE_XZ, BASE_YY, BASE_YZ, BASE_ZZ};
  const ArmModel *model = order->work->model;
  const ArmBase *base = order->work->base;
  for (int pass = 1; pass <= 3; pass++) {
    for (size_t j = model->n; j-- > 0;) {
      const bool is_R = model->joints[j].type == ARM_JOINT_R;
      if (pass == 1)
        visit(order, j, is_R ? 7 : 1, is_R ? turning : mass);
      else if (pass == 2 && !is_R)
        visit_moments(order, j);
      else if (pass == 3)
        visit(order, j, is_R ? 3 : 6, is_R ? carried : tensor);
    }
  }
  for (size_t c = P * base->n; c < base->columns; c++)
    order->column[order->count++] = c;
}

/* ---- the regressor at random motions, as a triangle ---- */

typedef struct {
  double q[BLOCK * ARM_MAX_JOINTS], qd[BLOCK * ARM_MAX_JOINTS], qdd[BLOCK * ARM_MAX_JOINTS];
} Motions;

static double normal(uint64_t *state) { /* Box and Muller */
  const double u = 1 - arm_random_uniform(state, 0, 1);
  return sqrt(-2 * log(u)) * cos(arm_random_uniform(state, 0, 6.28318530717958648));
}

static void draw(const ArmModel *model, uint64_t *state, Motions *m) {
  for (size_t i = 0; i < model->n; i++) {
    const double span = model->joints[i].type == ARM_JOINT_R ? 3.14159265358979 : 0.7;
    for (size_t k = BLOCK * i; k < BLOCK * (i + 1); k++) {
      m->q[k] = arm_random_uniform(state, -span, span);
      m->qd[k] = 2 * normal(state);
      m->qdd[k] = 4 * normal(state);
    }
  }
}

static ArmStatus push_block(const ArmBaseWork *work, const Order *order, const Motions *m,
                            double *full, double *rows, ArmLsq *lsq) {
  const ArmBase *base = work->base;
  ArmStatus status = arm_base_full_regressor(base, work->nominal, BLOCK, m->q, m->qd, m->qdd, full);
  for (size_t i = 0; i < base->n && status == ARM_OK; i++) {
    for (size_t k = 0; k < order->count; k++)
      memcpy(rows + BLOCK * k, full + BLOCK * (i * base->columns + order->column[k]),
             BLOCK * sizeof *rows);
    status = arm_lsq_push_block(lsq, rows, BLOCK, BLOCK);
  }
  return status;
}

static ArmStatus fold(const ArmBaseWork *work, const Order *order, double *triangle) {
  const ArmBase *base = work->base;
  const size_t least = 25 * base->n < SAMPLES_MOST ? 25 * base->n : SAMPLES_MOST;
  const size_t samples = least > SAMPLES_LEAST ? least : SAMPLES_LEAST;
  double *full = malloc((base->n * base->columns + order->count) * BLOCK * sizeof *full);
  Motions *motions = malloc(sizeof *motions);
  ArmLsq *lsq = arm_lsq_new(order->count);
  ArmStatus status = full && motions && lsq ? ARM_OK : ARM_E_MEMORY;
  uint64_t state = 1990;
  for (size_t done = 0; done < samples && status == ARM_OK; done += BLOCK) {
    draw(work->nominal, &state, motions);
    status = push_block(work, order, motions, full, full + base->n * base->columns * BLOCK, lsq);
  }
  if (status == ARM_OK)
    arm_lsq_triangle(lsq, triangle);
  arm_lsq_free(lsq);
  free(motions);
  free(full);
  return status;
}

/* ---- greedy ---- */

typedef struct {
  size_t m;     /* columns, and their length */
  double *a;    /* m x m  the triangle; of kept columns what is orthogonal */
  double *u;    /* m x m  upper: kept columns, at unit length, in terms of the orthogonal ones */
  double *norm; /* m      of the columns as they were */
  double *h;    /* m      the present column in terms of the orthogonal ones */
  size_t *kept; /* m      column of a, and of norm */
  size_t n_kept;
} Greedy;

static double norm_of(size_t m, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < m; i++)
    sum += x[i] * x[i];
  return sqrt(sum);
}

/* Twice is enough (Kahan; Parlett 1980). Returns the length of what is left. */
static double orthogonalise(Greedy *g, double *v) {
  memset(g->h, 0, g->m * sizeof *g->h);
  for (int round = 0; round < 2; round++) {
    for (size_t b = 0; b < g->n_kept; b++) {
      const double *q = g->a + g->m * g->kept[b];
      double along = 0;
      for (size_t i = 0; i < g->m; i++)
        along += q[i] * v[i];
      for (size_t i = 0; i < g->m; i++)
        v[i] -= along * q[i];
      g->h[b] += along;
    }
  }
  return norm_of(g->m, v);
}

static void keep(Greedy *g, size_t c, double left) {
  double *v = g->a + g->m * c;
  for (size_t i = 0; i < g->m; i++)
    v[i] /= left;
  g->h[g->n_kept] = left;
  memcpy(g->u + g->m * g->n_kept, g->h, (g->n_kept + 1) * sizeof *g->h);
  g->kept[g->n_kept++] = c;
}

/* h := U^-1 h, in units of the columns as they were: column c = sum of h_b times kept column b. */
static void solve(Greedy *g, size_t c) {
  for (size_t b = g->n_kept; b-- > 0;) {
    g->h[b] /= g->u[b + g->m * b];
    for (size_t k = 0; k < b; k++)
      g->h[k] -= g->u[k + g->m * b] * g->h[b];
  }
  for (size_t b = 0; b < g->n_kept; b++) {
    g->h[b] *= g->norm[c] / g->norm[g->kept[b]];
    if (fabs(g->h[b]) < ARM_BASE_NEGLIGIBLE)
      g->h[b] = 0;
  }
}

/* beta = X_b + K X_d */
static void regroup(const ArmBaseWork *work, const Order *order, const Greedy *g, size_t c) {
  const size_t p = work->base->columns;
  for (size_t column = 0; column < p; column++) {
    double *of_column = work->full + p * column;
    const double part = of_column[order->column[c]];
    for (size_t b = 0; b < g->n_kept && part != 0; b++)
      of_column[order->column[g->kept[b]]] += g->h[b] * part;
    of_column[order->column[c]] = 0;
  }
}

static void run(const ArmBaseWork *work, const Order *order, Greedy *g) {
  ArmBaseColumn *columns = work->base->column;
  double largest = 0;
  for (size_t c = 0; c < g->m; c++) {
    g->norm[c] = norm_of(g->m, g->a + g->m * c);
    largest = fmax(largest, g->norm[c]);
  }
  for (size_t c = 0; c < g->m; c++) {
    double *v = g->a + g->m * c, left;
    ArmBaseColumn *column = columns + order->column[c];
    if (g->norm[c] <= UNFELT * largest) {
      g->h[0] = 0;
      column->reason = ARM_BASE_UNFELT;
      memset(g->h, 0, g->m * sizeof *g->h);
      regroup(work, order, g, c);
      continue;
    }
    for (size_t i = 0; i < g->m; i++)
      v[i] /= g->norm[c];
    left = orthogonalise(g, v);
    if (left > LEFT_OVER) {
      keep(g, c, left);
      continue;
    }
    solve(g, c);
    column->reason = ARM_BASE_DEPENDENT;
    regroup(work, order, g, c);
  }
}

ArmStatus arm_base_reduce(ArmBaseWork *work) {
  Order order = {.work = work, .column = malloc(work->base->columns * sizeof(size_t))};
  ArmStatus status = ARM_E_MEMORY;
  if (!order.column)
    return status;
  prioritise(&order);
  const size_t m = order.count;
  Greedy g = {
      .m = m, .a = malloc((2 * m + 2) * m * sizeof(double)), .kept = malloc(m * sizeof(size_t))};
  if (g.a && g.kept) {
    g.u = g.a + m * m;
    g.norm = g.u + m * m;
    g.h = g.norm + m;
    status = fold(work, &order, g.a);
  }
  if (status == ARM_OK)
    run(work, &order, &g);
  free(g.kept);
  free(g.a);
  free(order.column);
  return status;
}
