/* SPDX-License-Identifier: MIT */
/* What differs between pairs of strokes where gravity cannot differ. Source: Armature theory notes,
 * lack of fit, section 2. */
#include "core/sweeps/verdict_replicates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Removed before squaring, as each pair's mix shows it in its rows:
 *
 *   g_k, all k      one for the hold
 *   d_k, k >= 1     one and a slope in |v| for the hold (a delay grows with v)
 *   d_0             one for each pair: its first odd row goes
 *   g_0             one for the speed (friction curve)
 *
 * Rows of order k of all pairs give S_k, and N_k is what has not been removed of them. Where all
 * strokes cover the same range this comes to the notes' table: each order by itself, N_k whole. */
enum {
  K = ARM_STROKE_ORDERS,
  PAIR_ROWS = ARM_PAIR_ROWS,
  FRICTION = K, /* row of d_0 */
  HOLD_COLUMNS = ARM_HOLD_COLUMNS,
  FRICTION_COLUMNS = 3
};
#define LEAST_DOF 1e-3 /* fewer are rounding, and what they square too */

/* Columns of a hold in the rows of one of its pairs, which begin at basis, m apart. */
static void fill_hold(const ArmPair *pair, size_t m, double *basis) {
  const double root = sqrt(pair->weight);
  for (size_t c = 0; c < HOLD_COLUMNS; c++)
    for (size_t r = 0; r < PAIR_ROWS; r++)
      basis[r + c * m] = 0.0;
  for (size_t k = 0; k < K; k++)
    for (size_t r = 0; r <= k; r++)
      basis[r + k * m] = root * pair->mix[r + k * K];
  for (size_t k = 1; k < K; k++)
    for (size_t r = 1; r <= k; r++) {
      const double mix = root * pair->mix[r + k * K];
      basis[K + r + (K + k - 1) * m] = mix;
      basis[K + r + (2 * K + k - 2) * m] = mix * pair->speed;
    }
}

static double time_of(const ArmReplicates *rep, const ArmPair *pair) {
  double t = 0.0;
  for (int side = 0; side < 2; side++) {
    const ArmStroke *sums = rep->fit->strokes[side ? pair->minus : pair->plus].sums;
    t += 0.5 * (sums->t_sum / (double)sums->rows - rep->joint->t_mean);
  }
  return rep->joint->t_span > 0.0 ? t / rep->joint->t_span : 0.0;
}

/* Columns of the joint in the rows of a pair, which begin at column, m apart: speeds in g_0;
 * mean, speed and time in d_0. */
static void fill_commons(const ArmReplicates *rep, const ArmPair *pair, size_t m, double *column) {
  const double root = sqrt(pair->weight);
  for (size_t c = 0; c < rep->commons; c++)
    for (size_t r = 0; r < PAIR_ROWS; r++)
      column[r + c * m] = 0.0;
  column[pair->level * m] = root * pair->mix[0];
  column += rep->joint->levels * m;
  if (rep->joint->is_patchy) {
    column[FRICTION] = root * pair->mix[0];
    column[FRICTION + m] = root * pair->mix[0] * pair->speed;
    column[FRICTION + 2 * m] = root * pair->mix[0] * time_of(rep, pair);
  }
}

/* x, or a common column, of the pairs at[0..pairs-1]; taken together, less the basis */
static void take_hold_off(ArmReplicates *rep, const size_t *at, size_t pairs, size_t rank,
                          double *x) {
  double *few = rep->spare;
  for (size_t p = 0; p < pairs; p++)
    memcpy(few + p * PAIR_ROWS, x + at[p] * PAIR_ROWS, PAIR_ROWS * sizeof *x);
  arm_shelf_saw(rep->fit->shelf, 2 * rep->rows * sizeof *x); /* a hold's pairs lie amid others' */
  arm_project_out(rep->fit->shelf, pairs * PAIR_ROWS, rank, rep->basis, few);
  for (size_t p = 0; p < pairs; p++)
    memcpy(x + at[p] * PAIR_ROWS, few + p * PAIR_ROWS, PAIR_ROWS * sizeof *x);
}

static void fill_pair(const ArmReplicates *rep, size_t p) {
  const ArmPair *pair = arm_replicates_pair(rep, p);
  const double *residual = rep->fit->residual + rep->joint->first_row + p * PAIR_ROWS;
  fill_commons(rep, pair, rep->rows, rep->common + p * PAIR_ROWS);
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    const bool counts = r != FRICTION || rep->joint->is_patchy;
    rep->x[p * PAIR_ROWS + r] = counts ? sqrt(pair->weight) * residual[r] : 0.0;
    rep->free[p * PAIR_ROWS + r] = counts ? 1.0 : 0.0;
  }
}

static void clear_pair(const ArmReplicates *rep, size_t p) {
  for (size_t r = p * PAIR_ROWS; r < (p + 1) * PAIR_ROWS; r++) {
    rep->x[r] = rep->free[r] = 0.0;
    for (size_t c = 0; c < rep->commons; c++)
      rep->common[r + c * rep->rows] = 0.0;
  }
}

static void sort_by_hold(ArmReplicates *rep) {
  size_t *first = rep->first;
  memset(first, 0, (rep->joint->holds + 2) * sizeof *first);
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    const ArmPair *pair = arm_replicates_pair(rep, p);
    if (pair->is_dropped)
      clear_pair(rep, p);
    else
      first[pair->hold + 2]++;
    arm_shelf_saw(rep->fit->shelf, sizeof *pair);
  }
  for (size_t h = 2; h < rep->joint->holds + 2; h++)
    first[h] += first[h - 1];
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    const ArmPair *pair = arm_replicates_pair(rep, p);
    if (!pair->is_dropped)
      rep->at[first[pair->hold + 1]++] = p;
    arm_shelf_saw(rep->fit->shelf, sizeof *pair);
  }
}

size_t arm_replicates_hold(ArmReplicates *rep, size_t hold) {
  const size_t *at = rep->at + rep->first[hold], pairs = rep->first[hold + 1] - rep->first[hold];
  const size_t m = pairs * PAIR_ROWS;
  for (size_t p = 0; p < pairs; p++) {
    fill_hold(arm_replicates_pair(rep, at[p]), m, rep->basis + p * PAIR_ROWS);
    arm_shelf_saw(rep->fit->shelf, ARM_SHELF_FAR); /* pairs of one hold lie amid those of others */
  }
  return arm_orthonormalise(rep->fit->shelf, m, HOLD_COLUMNS, rep->basis);
}

static void project_hold(ArmReplicates *rep, size_t hold) {
  const size_t *at = rep->at + rep->first[hold], pairs = rep->first[hold + 1] - rep->first[hold];
  const size_t m = pairs * PAIR_ROWS, rank = arm_replicates_hold(rep, hold);
  for (size_t p = 0; p < pairs; p++) {
    fill_pair(rep, at[p]);
    arm_shelf_saw(rep->fit->shelf, (rep->joint->is_patchy ? 5 : 1) * ARM_SHELF_FAR);
  }
  take_hold_off(rep, at, pairs, rank, rep->x);
  for (size_t c = 0; c < rep->commons; c++)
    take_hold_off(rep, at, pairs, rank, rep->common + c * rep->rows);
  for (size_t p = 0; p < pairs; p++)
    for (size_t r = 0; r < PAIR_ROWS; r++)
      for (size_t b = 0; b < rank; b++) {
        const double part = rep->basis[p * PAIR_ROWS + r + b * m];
        rep->free[at[p] * PAIR_ROWS + r] -= part * part;
      }
  arm_shelf_saw(rep->fit->shelf, m * (HOLD_COLUMNS + 2) * sizeof *rep->basis);
}

/* The common columns become orthonormal. */
static void take_commons(ArmReplicates *rep) {
  const size_t m = rep->rows;
  for (size_t l = 0; l < rep->joint->levels; l++) {
    double square = 0.0, *column = rep->common + l * m;
    for (size_t r = 0; r < m; r++)
      square += column[r] * column[r];
    if (!(square > ARM_REPLICATES_LEAST * rep->of_level[l])) /* the holds' own */
      memset(column, 0, m * sizeof *column);
  }
  rep->rank = arm_orthonormalise(rep->fit->shelf, m, rep->commons, rep->common);
  arm_project_out(rep->fit->shelf, m, rep->rank, rep->common, rep->x);
}

void arm_noise_sums(const ArmNoiseRows *rows, ArmNoiseSums *sums) {
  *sums = (ArmNoiseSums){.even_sum = rows->sum[0], .even_dof = rows->dof[0]};
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    sums->sum[r % K] += rows->sum[r];
    sums->dof[r % K] += rows->dof[r];
    sums->even_all += r < K ? rows->dof[r] : 0.0;
  }
  for (size_t k = 0; k < K; k++)
    if (sums->dof[k] < LEAST_DOF)
      sums->sum[k] = sums->dof[k] = 0.0;
  if (sums->even_dof < LEAST_DOF)
    sums->even_sum = sums->even_dof = 0.0;
}

void arm_replicates_sum(ArmReplicates *rep, ArmNoiseSums *sums) {
  const size_t m = rep->rows;
  ArmNoiseRows all = {0};
  sort_by_hold(rep);
  for (size_t hold = 0; hold < rep->joint->holds; hold++)
    project_hold(rep, hold);
  take_commons(rep);
  for (size_t r = 0; r < m; r++) {
    for (size_t b = 0; b < rep->rank && rep->free[r] > 0.0; b++)
      rep->free[r] -= rep->common[r + b * m] * rep->common[r + b * m];
    all.sum[r % PAIR_ROWS] += rep->x[r] * rep->x[r];
    all.dof[r % PAIR_ROWS] += rep->free[r];
  }
  arm_noise_sums(&all, sums);
  arm_shelf_saw(rep->fit->shelf, m * (rep->commons + 3) * sizeof *rep->x);
}

/* How much there is of each level; returns the pairs of the hold that has most. */
static size_t note_pairs(ArmReplicates *rep) {
  const ArmJointStrokes *joint = rep->joint;
  size_t most = 0;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = arm_replicates_pair(rep, p);
    rep->of_level[pair->level] += pair->weight;
    rep->crossed += pair->crossed / (double)joint->pairs;
    rep->first[pair->hold]++;
    most = rep->first[pair->hold] > most ? rep->first[pair->hold] : most;
    arm_shelf_saw(rep->fit->shelf, sizeof *pair);
  }
  return most;
}

ArmStatus arm_replicates_init(ArmReplicates *rep, const ArmStrokeFit *fit, ArmJointStrokes *joint) {
  const size_t rows = joint->pairs * PAIR_ROWS;
  ArmStatus status = ARM_OK;
  *rep = (ArmReplicates){.fit = fit, .joint = joint, .rows = rows};
  joint->is_patchy = joint->levels < 2 || joint->pairs < joint->holds * joint->levels;
  rep->commons = joint->levels + (joint->is_patchy ? FRICTION_COLUMNS : 0);
  rep->at = calloc(joint->pairs + joint->holds + 2, sizeof *rep->at);
  rep->of_level = calloc(joint->levels + 1, sizeof *rep->of_level);
  if (!rep->at || !rep->of_level)
    return ARM_E_MEMORY;
  rep->first = rep->at + joint->pairs;
  const size_t of_hold = note_pairs(rep) * PAIR_ROWS;
  rep->block =
      arm_shelf_take(fit->shelf, rows * (2 + rep->commons) + of_hold * (HOLD_COLUMNS + 1) + 1,
                     sizeof *rep->block, &status);
  if (!rep->block)
    return status != ARM_OK ? status : ARM_E_MEMORY;
  rep->x = rep->block;
  rep->free = rep->x + rows;
  rep->common = rep->free + rows;
  rep->basis = rep->common + rows * rep->commons;
  rep->spare = rep->basis + of_hold * HOLD_COLUMNS;
  return ARM_OK;
}

void arm_replicates_clear(ArmReplicates *rep) {
  arm_shelf_give(rep->fit->shelf, rep->block);
  free(rep->at);
  free(rep->of_level);
}
