/* SPDX-License-Identifier: MIT */
/* Replicates without one of their pairs, for each of many, from one pass over the rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

#include "core/sweeps/verdict_replicates.h"

/* To be without the rows of a pair p is to have a column of its own for each of them. With u_r the
 * row r of [H C], H of p's hold, U the rows of p, and x what H and C leave, these columns leave
 *
 *   x_r + u_r b,   b = U' A+ x_p,   A = 1 - U U',
 *
 * and take u_r D u_r', D = U' A+ U, of a row's dof: which needs of all rows, by their place r in a
 * pair, the sums of u'u, u'x, x^2 and dof alone. Columns are orthonormal: nothing is lost by
 * squaring them. */
enum { PAIR_ROWS = ARM_PAIR_ROWS, LAPACK_ROOM = 3 * PAIR_ROWS };

/* Sums over rows, for each place in a pair. */
typedef struct {
  size_t width; /* of u: at most ARM_HOLD_COLUMNS + rank */
  size_t own;   /* of them H */
  double *uu;   /* PAIR_ROWS x width x width */
  double *ux;   /* PAIR_ROWS x width */
} Sums;

typedef struct {
  ArmReplicates *rep;
  ArmNoiseRows all;
  Sums common;   /* of C, all rows */
  Sums hold;     /* of H and C, rows of a hold; C with C, and with x, of all rows */
  double *u;     /* PAIR_ROWS x width: rows of one pair, each together */
  double *w;     /* PAIR_ROWS x width */
  double *uw;    /* width */
  double *block; /* owned: all of these */
} Trial;

/* Rows of the pair that is the at-th of its hold (of p alone where own is 0). */
static void take_rows(const Trial *t, size_t p, size_t at, size_t m, size_t own) {
  const ArmReplicates *rep = t->rep;
  double *u = t->u;
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    for (size_t c = 0; c < own; c++)
      *u++ = rep->basis[at * PAIR_ROWS + r + c * m];
    for (size_t c = 0; c < rep->rank; c++)
      *u++ = rep->common[p * PAIR_ROWS + r + c * rep->rows];
  }
  arm_shelf_saw(rep->fit->shelf, PAIR_ROWS * (own + rep->rank + 2) * sizeof *u);
}

/* The rows taken, those of H first; of C with C nothing where there is H: all rows have it. */
static void add_rows(const Trial *t, Sums *sums, size_t p) {
  const size_t width = sums->width, rows = sums->own > 0 ? sums->own : width;
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    const double *u = t->u + r * width, x = t->rep->x[p * PAIR_ROWS + r];
    double *uu = sums->uu + r * width * width, *ux = sums->ux + r * width;
    for (size_t a = 0; a < rows; a++) {
      ux[a] += u[a] * x;
      for (size_t b = a; b < width; b++)
        uu[a * width + b] += u[a] * u[b];
    }
  }
}

static void sum_commons(Trial *t) {
  const ArmReplicates *rep = t->rep;
  t->common.width = rep->rank;
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    take_rows(t, p, 0, 0, 0);
    add_rows(t, &t->common, p);
    for (size_t r = 0; r < PAIR_ROWS; r++) {
      const double x = rep->x[p * PAIR_ROWS + r];
      t->all.sum[r] += x * x;
      t->all.dof[r] += rep->free[p * PAIR_ROWS + r];
    }
  }
}

/* Rows of a hold, and the sums of C. */
static void sum_hold(Trial *t, size_t hold) {
  ArmReplicates *rep = t->rep;
  Sums *to = &t->hold;
  const size_t first = rep->first[hold], pairs = rep->first[hold + 1] - first, rank = rep->rank;
  to->own = arm_replicates_hold(rep, hold);
  const size_t own = to->own, width = to->width = own + rank;
  memset(to->uu, 0, PAIR_ROWS * width * width * sizeof *to->uu);
  memset(to->ux, 0, PAIR_ROWS * width * sizeof *to->ux);
  for (size_t k = 0; k < pairs && own > 0; k++) {
    take_rows(t, rep->at[first + k], k, pairs * PAIR_ROWS, own);
    add_rows(t, to, rep->at[first + k]);
  }
  for (size_t r = 0; r < PAIR_ROWS; r++)
    for (size_t a = 0; a < rank; a++) {
      to->ux[r * width + own + a] = t->common.ux[r * rank + a];
      for (size_t b = a; b < rank; b++)
        to->uu[(r * width + own + a) * width + own + b] = t->common.uu[(r * rank + a) * rank + b];
    }
}

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0.0;
  for (size_t k = 0; k < n; k++)
    sum += a[k] * b[k];
  return sum;
}

/* w uu w' of the rows at one place, less that of row u */
static double square(const Trial *t, size_t r, const double *w, const double *u) {
  const size_t width = t->hold.width;
  const double *uu = t->hold.uu + r * width * width, own = dot(width, u, w);
  double sum = 0.0;
  for (size_t a = 0; a < width; a++) {
    double half = 0.5 * uu[a * width + a] * w[a];
    for (size_t b = a + 1; b < width; b++)
      half += uu[a * width + b] * w[b];
    sum += 2.0 * half * w[a];
  }
  return sum - own * own;
}

/* w: rows of A^(-1/2) U; x: A^(-1/2) x_p. Returns how many there are, or -1: LAPACK failed.
 * Directions that H and C have to themselves are theirs without the pair, too. */
static int solve(const Trial *t, const double *of_pair, double *x) {
  const size_t width = t->hold.width;
  double a[PAIR_ROWS * PAIR_ROWS], value[PAIR_ROWS], lapack[LAPACK_ROOM];
  int rank = 0;
  for (size_t c = 0; c < PAIR_ROWS; c++)
    for (size_t r = 0; r <= c; r++)
      a[r + c * PAIR_ROWS] = (r == c ? 1.0 : 0.0) - dot(width, t->u + r * width, t->u + c * width);
  if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', PAIR_ROWS, a, PAIR_ROWS, value, lapack,
                         LAPACK_ROOM) != 0)
    return -1;
  for (size_t e = 0; e < PAIR_ROWS; e++) {
    if (!(value[e] > ARM_REPLICATES_LEAST))
      continue;
    const double *v = a + e * PAIR_ROWS, root = sqrt(value[e]);
    double *w = t->w + (size_t)rank * width;
    memset(w, 0, width * sizeof *w);
    for (size_t r = 0; r < PAIR_ROWS; r++)
      for (size_t c = 0; c < width; c++)
        w[c] += v[r] / root * t->u[r * width + c];
    x[rank++] = dot(PAIR_ROWS, v, of_pair) / root;
  }
  return rank;
}

/* k: where p stands in its hold, whose rows have been summed */
static ArmStatus leave_out(const Trial *t, size_t p, size_t k, size_t m, ArmNoiseSums *sums) {
  const ArmReplicates *rep = t->rep;
  const double *of_pair = rep->x + p * PAIR_ROWS, *freed = rep->free + p * PAIR_ROWS;
  const size_t width = t->hold.width;
  double x[PAIR_ROWS];
  ArmNoiseRows left;
  take_rows(t, p, k, m, t->hold.own);
  arm_shelf_saw(rep->fit->shelf, (width + 2) * ARM_SHELF_FAR); /* each column at one place */
  const int rank = solve(t, of_pair, x);
  if (rank < 0)
    return ARM_E_NUMERIC;
  double *b = t->uw;
  memset(b, 0, width * sizeof *b);
  for (size_t e = 0; e < (size_t)rank; e++)
    for (size_t c = 0; c < width; c++)
      b[c] += t->w[e * width + c] * x[e];
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    const double *u = t->u + r * width, *ux = t->hold.ux + r * width;
    const double across = dot(width, b, ux) - of_pair[r] * dot(width, b, u);
    left.sum[r] = t->all.sum[r] - of_pair[r] * of_pair[r] + 2.0 * across + square(t, r, b, u);
    left.sum[r] = fmax(left.sum[r], 0.0);
    left.dof[r] = t->all.dof[r] - freed[r];
    for (size_t e = 0; e < (size_t)rank; e++)
      left.dof[r] -= square(t, r, t->w + e * width, u);
  }
  arm_noise_sums(&left, sums);
  return ARM_OK;
}

static ArmStatus trial_init(Trial *t, ArmReplicates *rep) {
  const size_t few = rep->rank, most = ARM_HOLD_COLUMNS + few;
  *t = (Trial){.rep = rep};
  t->block = calloc(PAIR_ROWS * (few * (few + 1) + most * (most + 3)) + most, sizeof *t->block);
  if (!t->block)
    return ARM_E_MEMORY;
  t->common.uu = t->block;
  t->common.ux = t->common.uu + PAIR_ROWS * few * few;
  t->hold.uu = t->common.ux + PAIR_ROWS * few;
  t->hold.ux = t->hold.uu + PAIR_ROWS * most * most;
  t->u = t->hold.ux + PAIR_ROWS * most;
  t->w = t->u + PAIR_ROWS * most;
  t->uw = t->w + PAIR_ROWS * most;
  return ARM_OK;
}

/* Of those in `pairs` all that are in one hold. */
static ArmStatus leave_out_of_hold(Trial *t, size_t hold, size_t count, const size_t *pairs,
                                   ArmNoiseSums *sums) {
  const ArmReplicates *rep = t->rep;
  const size_t first = rep->first[hold], of_hold = rep->first[hold + 1] - first;
  ArmStatus status = ARM_OK;
  bool is_summed = false;
  for (size_t k = 0, next = 0; k < count && status == ARM_OK; k++) {
    if (arm_replicates_pair(rep, pairs[k])->hold != hold)
      continue;
    if (!is_summed)
      sum_hold(t, hold);
    is_summed = true;
    while (next < of_hold && rep->at[first + next] != pairs[k]) /* both ascend */
      next++;
    status = leave_out(t, pairs[k], next, of_hold * PAIR_ROWS, &sums[k]);
  }
  return status;
}

ArmStatus arm_replicates_without(ArmReplicates *rep, size_t count, const size_t *pairs,
                                 ArmNoiseSums *sums) {
  Trial t;
  ArmStatus status = trial_init(&t, rep);
  if (status == ARM_OK)
    sum_commons(&t);
  for (size_t hold = 0; hold < rep->joint->holds && status == ARM_OK; hold++)
    status = leave_out_of_hold(&t, hold, count, pairs, sums);
  free(t.block);
  return status;
}
