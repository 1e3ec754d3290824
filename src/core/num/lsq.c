/* SPDX-License-Identifier: MIT */
/* The bookkeeping of two levels of triangles around core/num/lsq_kernel: a block waits until it is
 * full, 64 of them become one merge. Weights and streams are merged as triangles, never as rows. */
#include "core/num/lsq.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/num/lsq_kernel.h"

enum { MAX_COLUMNS = 4096, BLOCKS_PER_LEVEL = 64 };

struct ArmLsq {
  size_t columns;
  size_t rows;    /* added so far */
  size_t pending; /* rows waiting in the buffer, always < ARM_LSQ_BLOCK_ROWS between calls */
  size_t blocks;  /* folded into the scratch triangle since it was last emptied */
  ArmLsqFold *fold;
  double *buffer;        /* one block */
  double *scratch;       /* triangle of the last blocks */
  double *main;          /* triangle of everything before them */
  const double **column; /* of a block that is added */
};

ArmLsq *arm_lsq_new(size_t columns) {
  if (columns < 1 || columns > MAX_COLUMNS)
    return NULL;
  ArmLsq *lsq = calloc(1, sizeof *lsq);
  if (!lsq)
    return NULL;
  const size_t bytes = columns * (ARM_LSQ_BLOCK_LD + 2 * columns) * sizeof(double);
  lsq->buffer =
      aligned_alloc(ARM_LSQ_ALIGN, (bytes + ARM_LSQ_ALIGN - 1) & ~(size_t)(ARM_LSQ_ALIGN - 1));
  lsq->column = malloc(columns * sizeof *lsq->column);
  if (!lsq->buffer || !lsq->column) {
    arm_lsq_free(lsq);
    return NULL;
  }
  lsq->columns = columns;
  lsq->scratch = lsq->buffer + columns * ARM_LSQ_BLOCK_LD;
  lsq->main = lsq->scratch + columns * columns;
  lsq->fold = arm_lsq_kernel(ARM_LSQ_ROW_STEP);
  arm_lsq_reset(lsq);
  return lsq;
}

void arm_lsq_free(ArmLsq *lsq) {
  if (!lsq)
    return;
  free(lsq->buffer);
  free(lsq->column);
  free(lsq);
}

static void zero_triangle(const ArmLsq *lsq, double *r) {
  memset(r, 0, lsq->columns * lsq->columns * sizeof *r);
}

void arm_lsq_reset(ArmLsq *lsq) {
  lsq->rows = lsq->pending = lsq->blocks = 0;
  zero_triangle(lsq, lsq->scratch);
  zero_triangle(lsq, lsq->main);
}

static double *buffer_column(const ArmLsq *lsq, size_t j) {
  return lsq->buffer + j * ARM_LSQ_BLOCK_LD;
}

/* Folds the first `rows` rows of the buffer into a triangle. */
static void fold_buffer(ArmLsq *lsq, size_t rows, double *r) {
  const size_t padded = (rows + ARM_LSQ_ROW_STEP - 1) / ARM_LSQ_ROW_STEP * ARM_LSQ_ROW_STEP;
  if (padded > rows)
    for (size_t j = 0; j < lsq->columns; j++)
      memset(buffer_column(lsq, j) + rows, 0, (padded - rows) * sizeof(double));
  lsq->fold(padded, lsq->columns, r, lsq->buffer);
}

/* Folds weight * triangle into a triangle, through the buffer, which must be empty. */
static void fold_triangle(ArmLsq *lsq, double *into, const double *from, double weight) {
  const size_t p = lsq->columns;
  for (size_t first = 0; first < p; first += ARM_LSQ_BLOCK_ROWS) {
    const size_t rows = p - first < ARM_LSQ_BLOCK_ROWS ? p - first : ARM_LSQ_BLOCK_ROWS;
    for (size_t j = 0; j < p; j++)
      for (size_t i = 0; i < rows; i++)
        buffer_column(lsq, j)[i] = first + i <= j ? weight * from[first + i + j * p] : 0;
    fold_buffer(lsq, rows, into);
  }
}

static void empty_scratch(ArmLsq *lsq) {
  if (!lsq->blocks)
    return;
  fold_triangle(lsq, lsq->main, lsq->scratch, 1);
  zero_triangle(lsq, lsq->scratch);
  lsq->blocks = 0;
}

static void empty_buffer(ArmLsq *lsq) {
  if (!lsq->pending)
    return;
  fold_buffer(lsq, lsq->pending, lsq->scratch);
  lsq->pending = 0;
  if (++lsq->blocks == BLOCKS_PER_LEVEL)
    empty_scratch(lsq);
}

/* Everything into the main triangle. */
static void flush(ArmLsq *lsq) {
  empty_buffer(lsq);
  empty_scratch(lsq);
}

ArmStatus arm_lsq_push(ArmLsq *lsq, const double *row) {
  if (!arm_all_finite(row, lsq->columns))
    return ARM_E_NOT_FINITE;
  for (size_t j = 0; j < lsq->columns; j++)
    buffer_column(lsq, j)[lsq->pending] = row[j];
  lsq->rows++;
  if (++lsq->pending == ARM_LSQ_BLOCK_ROWS)
    empty_buffer(lsq);
  return ARM_OK;
}

/* The first `part` rows, behind those that wait; they do not count yet. False: not all numbers of
 * all rows are finite. */
static bool take_columns(ArmLsq *lsq, const double *const *column, size_t rows, size_t part) {
  bool is_good = true;
  for (size_t j = 0; j < lsq->columns && is_good; j++)
    is_good = arm_copy_finite(buffer_column(lsq, j) + lsq->pending, column[j], part) &&
              arm_all_finite(column[j] + part, rows - part);
  return is_good;
}

ArmStatus arm_lsq_push_columns(ArmLsq *lsq, const double *const *column, size_t rows) {
  const size_t space = ARM_LSQ_BLOCK_ROWS - lsq->pending;
  size_t part = rows < space ? rows : space;
  if (!take_columns(lsq, column, rows, part))
    return ARM_E_NOT_FINITE;
  for (size_t done = 0;;) {
    done += part;
    lsq->pending += part;
    if (lsq->pending == ARM_LSQ_BLOCK_ROWS)
      empty_buffer(lsq);
    if (done == rows)
      break;
    part = rows - done < ARM_LSQ_BLOCK_ROWS ? rows - done : ARM_LSQ_BLOCK_ROWS;
    for (size_t j = 0; j < lsq->columns; j++)
      memcpy(buffer_column(lsq, j), column[j] + done, part * sizeof(double));
  }
  lsq->rows += rows;
  return ARM_OK;
}

ArmStatus arm_lsq_push_block(ArmLsq *lsq, const double *block, size_t rows, size_t ld) {
  if (ld < rows)
    return ARM_E_ARGUMENT;
  for (size_t j = 0; j < lsq->columns; j++)
    lsq->column[j] = block + j * ld;
  return arm_lsq_push_columns(lsq, lsq->column, rows);
}

/* R and weight R together have the triangle sqrt(1 + weight^2) R. */
static void merge_with_itself(ArmLsq *lsq, double weight) {
  const double factor = hypot(1, weight);
  for (size_t i = 0; i < lsq->columns * lsq->columns; i++)
    lsq->main[i] *= factor;
  lsq->rows *= 2;
}

/* weight * triangle has no value that overflows. */
static bool can_scale(const ArmLsq *lsq, double weight) {
  for (size_t i = 0; i < lsq->columns * lsq->columns; i++)
    if (!isfinite(weight * lsq->main[i]))
      return false;
  return true;
}

ArmStatus arm_lsq_merge(ArmLsq *into, ArmLsq *from, double weight) {
  if (into->columns != from->columns || !isfinite(weight) || weight < 0)
    return ARM_E_ARGUMENT;
  flush(into);
  flush(from);
  if (!can_scale(from, weight))
    return ARM_E_NOT_FINITE;
  if (into == from) {
    merge_with_itself(into, weight);
    return ARM_OK;
  }
  fold_triangle(into, into->main, from->main, weight);
  into->rows += from->rows;
  return ARM_OK;
}

size_t arm_lsq_rows(const ArmLsq *lsq) {
  return lsq->rows;
}

void arm_lsq_triangle(ArmLsq *lsq, double *r) {
  flush(lsq);
  memcpy(r, lsq->main, lsq->columns * lsq->columns * sizeof *r);
}
