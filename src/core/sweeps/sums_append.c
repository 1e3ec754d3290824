/* SPDX-License-Identifier: MIT */
/* A stroke that was cut, as one: triangles of both pieces in one, the pair across the cut, rows
 * beside gaps, lags. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS };

static void unpack(const double *packed, size_t width, double *r) {
  memset(r, 0, width * width * sizeof *r);
  for (size_t c = 0; c < width; packed += ++c)
    memcpy(r + c * width, packed, (c + 1) * sizeof *r);
}

/* to  a triangle, which becomes that of its rows, of those of `more` and of one more
 *   row  NULL: none */
static ArmStatus stack(double *to, const double *more, const double *row, size_t width) {
  ArmLsq *lsq = arm_lsq_new(width);
  double *r = malloc(width * width * sizeof *r);
  ArmStatus status = lsq && r ? ARM_OK : ARM_E_MEMORY;
  for (int part = 0; part < 2 && status == ARM_OK; part++) {
    unpack(part ? more : to, width, r);
    status = arm_lsq_push_block(lsq, r, width, width);
  }
  if (status == ARM_OK && row)
    status = arm_lsq_push(lsq, row);
  if (status == ARM_OK)
    arm_sums_pack(lsq, width, to);
  free(r);
  arm_lsq_free(lsq);
  return status;
}

/* The pair across the cut.
 *   pair  width: its sum */
static void add_pair(const ArmModel *model, ArmSumsStroke *a, const ArmSumsStroke *b,
                     double *pair) {
  double now[ARM_SUMS_MOST], *before = pair;
  ArmStroke *s = &a->stroke;
  ArmGravityChain chain;
  arm_gravity_chain_forget(&chain);
  arm_sums_line(model, s, s->t_last, &a->last, &chain, before);
  arm_sums_line(model, &b->stroke, b->stroke.t_first, &b->first, &chain, now);
  for (size_t k = 0; k <= K; k++)
    for (size_t i = 0; i <= K; i++)
      s->lag[i + k * (K + 1)] +=
          now[i < K ? i : ARM_SUMS_CURRENT] * before[k < K ? k : ARM_SUMS_CURRENT];
  s->lag_pairs++;
  for (size_t k = 0; k < arm_sums_width(model->n, s->joint); k++)
    pair[k] += now[k];
}

/* Rows of both: as they are, or their triangle where they are more than columns.
 *   to  of_a + of_b rows, or width */
static ArmStatus stack_rows(const double *a, size_t of_a, const double *b, size_t of_b,
                            size_t width, double *to) {
  if (of_a + of_b <= width) {
    memcpy(to, a, of_a * width * sizeof *to);
    memcpy(to + of_a * width, b, of_b * width * sizeof *to);
    return ARM_OK;
  }
  ArmLsq *lsq = arm_lsq_new(width);
  ArmStatus status = lsq ? ARM_OK : ARM_E_MEMORY;
  for (size_t k = 0; k < of_a + of_b && status == ARM_OK; k++)
    status = arm_lsq_push(lsq, k < of_a ? a + k * width : b + (k - of_a) * width);
  if (status == ARM_OK)
    arm_sums_pack_rows(lsq, width, to);
  arm_lsq_free(lsq);
  return status;
}

/* Rows beside gaps of both, where a has room: over what is of b, whose numbers are behind those of
 * a.
 *   of_a  rows that a had */
static ArmStatus join_gaps(size_t n, size_t of_a, const ArmSumsStroke *b, ArmSumsStroke *a) {
  const size_t width = arm_sums_width(n, a->stroke.joint), of_b = arm_sums_gap_rows(n, &b->stroke);
  const size_t rows = arm_sums_gap_rows(n, &a->stroke);
  double *both = malloc(2 * rows * width * sizeof *both);
  ArmStatus status = both ? ARM_OK : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = stack_rows(a->before, of_a, b->before, of_b, width, both);
  if (status == ARM_OK)
    status = stack_rows(a->after, of_a, b->after, of_b, width, both + rows * width);
  if (status == ARM_OK)
    memcpy(a->before, both, 2 * rows * width * sizeof *both);
  free(both);
  return status;
}

/* Lags of both, and across the cut.
 *   of_a, of_b  how many each had, from them */
static void join_lags(const ArmReduced *sums, const ArmReduced *part, const double *of_both,
                      size_t of_a, size_t of_b, ArmSumsStroke *a) {
  memset(a->lags, 0, arm_sums_lag_count(&a->stroke) * ARM_SUMS_LAG_NUMBERS * sizeof *a->lags);
  arm_sums_add_lags(of_both, of_a, a->lags);
  arm_sums_add_lags(of_both + of_a * ARM_SUMS_LAG_NUMBERS, of_b, a->lags);
  arm_sums_cross_lags(&a->stroke, sums->edge[1], sums->edge_rows[1], part->edge[0],
                      part->edge_rows[0], a->lags);
}

ArmStatus arm_sums_append(const ArmModel *model, const ArmReduced *sums, const ArmReduced *part,
                          ArmSumsStroke *a) {
  const ArmSumsStroke *b = a + 1;
  const size_t n = model->n, width = arm_sums_width(n, a->stroke.joint);
  const size_t of_a = arm_sums_gap_rows(n, &a->stroke);
  const size_t lags_a = arm_sums_lag_count(&a->stroke), lags_b = arm_sums_lag_count(&b->stroke);
  double pair[ARM_SUMS_MOST], lags[2 * ARM_SUMS_LAGS * ARM_SUMS_LAG_NUMBERS];
  memcpy(lags, a->lags, lags_a * ARM_SUMS_LAG_NUMBERS * sizeof *lags);
  memcpy(lags + lags_a * ARM_SUMS_LAG_NUMBERS, b->lags,
         lags_b * ARM_SUMS_LAG_NUMBERS * sizeof *lags);
  add_pair(model, a, b, pair);
  ArmStatus status = stack(a->triangle, b->triangle, NULL, width);
  if (status == ARM_OK)
    status = stack(a->pairs, b->pairs, pair, width);
  if (status == ARM_OK)
    status = arm_stroke_merge(&a->stroke, &b->stroke);
  if (status == ARM_OK && a->stroke.gaps > 0)
    status = join_gaps(n, of_a, b, a);
  if (status != ARM_OK)
    return status;
  arm_sums_place(n, a->triangle, a);
  join_lags(sums, part, lags, lags_a, lags_b, a);
  a->slowest = fmin(a->slowest, b->slowest);
  a->fastest = fmax(a->fastest, b->fastest);
  a->last = b->last;
  arm_sums_complete(a);
  return ARM_OK;
}
