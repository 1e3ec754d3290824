/* SPDX-License-Identifier: MIT */
/* Is one column more in a least-squares fit worth it? Judged by rows that the fit has not seen.
 *
 *   y = X a + value z          X: columns that are there, z: one that is tried, y: what is left
 *
 * A row is pushed into the products of its fold; all trials, each fold left out, and the errors
 * that are then made in it, are solved from these products, and rows are read once. Columns are
 * turned to unit products first; directions that nothing shows are left out.
 * Memory: (folds + 1) x (columns + sides)^2 numbers, thrice. Thread rule: re-entrant; two calls
 * never share an object.
 */
#ifndef ARMATURE_CORE_NUM_TRIALS_H
#define ARMATURE_CORE_NUM_TRIALS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

enum { ARM_TRIALS_MOST_SIDES = 4, ARM_TRIALS_MOST_FOLDS = 24 };

typedef struct {
  size_t count, sides, width; /* columns; tried ones and y; both */
  size_t folds, rank;         /* folds: used, set by the caller before arm_trials_turn */
  double *gram;               /* width x width of each fold, then of all; upper, column-major */
  double *turn;               /* count x rank  the columns turned to unit products */
  double *inner, *outer;      /* rank x rank, rank x sides of each fold, then of all */
  double *solution;           /* count x sides */
  double *work;
  double rest[ARM_TRIALS_MOST_SIDES][ARM_TRIALS_MOST_SIDES];
} ArmTrials;

/* What came of a column. */
typedef struct {
  double value, spread; /* spread: sd of the value by leaving folds out; NAN: not seen */
  double own, share;    /* products of what the column is beyond the others; over its own. What
                           others make up keeps a share of some 1e-6 */
  double without, with; /* squares of the residual */
  double gain;          /* by which the rms error of folds held out falls, part of it */
  bool is_seen;         /* false: no column, or a single fold tells it */
} ArmTrial;

/* Nothing pushed. Clear with arm_trials_clear. ARM_E_ARGUMENT: no column or too many sides or
 * folds. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_trials_init(ArmTrials *trials, size_t count, size_t sides,
                                         size_t most_folds);
/* Also of zeros. */
void arm_trials_clear(ArmTrials *trials);

/* Products of a fold, of all where fold = folds. */
double *arm_trials_gram(const ArmTrials *trials, size_t fold);

/* Adds a row, [columns | tried | y], to these products. */
void arm_trials_add(const ArmTrials *trials, const double *line, double *gram);

/* All of them from the folds'. What is known before may then be added to it. */
void arm_trials_sum(ArmTrials *trials);

/* What trials are solved from. ARM_E_NUMERIC: LAPACK failed. */
ARM_MUST_CHECK ArmStatus arm_trials_turn(ArmTrials *trials);

/* Tries side `tried`; y is the last one. ARM_E_NUMERIC as above. */
ARM_MUST_CHECK ArmStatus arm_trials_try(ArmTrials *trials, size_t tried, ArmTrial *trial);

#endif
