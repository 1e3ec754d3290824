/* SPDX-License-Identifier: MIT */
/* Noise from replicates: what differs between speeds where gravity cannot differ, less what each
 * pair's mix shows of level, slope and friction. Source: Armature theory notes, lack of fit,
 * section 2; of recordings whose holds were not swept at every speed, below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/distribution.h"
#include "core/sweeps/verdict_internal.h"

/* Armature theory notes, lack of fit, section 2: one speed has 10 dof (not simulated there), lag
 * beyond 3, the 90 % point, a tenth of the noise inside, .4 of the dof.
 * LEAST_MEANS: DESIGN, where not every hold was swept. MOST_TRIED bounds the time of long
 * recordings. */
enum { K = ARM_STROKE_ORDERS, MOST_TRIED = 64, ONE_SPEED_DOF = 10 };
#define LEAST_LEFT      1e-9 /* of the rows: levels that are the holds' own */
#define LEAST_DOF       1e-3 /* fewer are rounding, and what they square too */
#define LAG_SIGNIFICANT 3.0
#define BLOCK_TAIL      0.10 /* F of slow orders over fast ones beyond its 90 % point */
#define LEAST_PART      0.1  /* s_k >= this part of the noise inside strokes */
#define LEAST_SIGNAL    1e-9 /* ... and of the current: rounding; exact data can be weighed */
#define TIED            10.0 /* tails that say the same */
#define LEAST_MEANS     3.0  /* dof: fewer can be small by chance */
#define OUTLIER_DOF     0.4  /* of the dof left: the noise is chosen smallest by trying all pairs */

enum {
  PAIR_ROWS = ARM_PAIR_ROWS,
  FRICTION = K, /* row of d_0 */
  HOLD_COLUMNS = K + 2 * (K - 1),
  FRICTION_COLUMNS = 3
};

/* Removed before squaring, as each pair's mix shows it in its rows:
 *
 *   g_k, all k      one for the hold
 *   d_k, k >= 1     one and a slope in |v| for the hold (a delay grows with v)
 *   d_0             one for each pair: its first odd row goes
 *   g_0             one for the speed (friction curve)
 *
 * Rows of order k of all pairs give S_k, and N_k is what has not been removed of them. Where all
 * strokes cover the same range this comes to the notes' table: each order by itself, N_k whole. */

/* What is left of the rows of all pairs when their holds have been taken off. */
typedef struct {
  double *x;      /* rows            residual */
  double *common; /* rows x commons  columns of the speeds, and of the joint */
  double *free;   /* rows            part of a row's noise that is left; 0: not counted */
} Left;

/* One joint's pairs, and what their residuals tell of noise. */
typedef struct {
  const ArmStrokeFit *fit;
  const ArmJointStrokes *joint;
  size_t rows; /* PAIR_ROWS x pairs */
  size_t commons;
  double *block;         /* owned, on the shelf: all below */
  double *basis;         /* rows of one hold x HOLD_COLUMNS; rows x commons */
  double *spare;         /* rows */
  Left all, now;         /* of all pairs; without the one that is tried */
  size_t *at;            /* pairs, owned: those of one hold */
  size_t *hold;          /* pairs, owned with at: of each, which are looked for again and again */
  double *of_level;      /* levels, owned: weight of their pairs */
  double crossed;        /* mean of the pairs */
  double sum[K], dof[K]; /* S_k, N_k */
  double even_sum, even_dof; /* of g_0 alone */
  double even_all;           /* dof of all g_k: gravity has replicates */
} Replicates;

static const ArmPair *pair_at(const Replicates *rep, size_t p) {
  return &rep->fit->pairs[rep->joint->first_pair + p];
}

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

static double time_of(const Replicates *rep, const ArmPair *pair) {
  double t = 0.0;
  for (int side = 0; side < 2; side++) {
    const ArmStroke *sums = rep->fit->strokes[side ? pair->minus : pair->plus].sums;
    t += 0.5 * (sums->t_sum / (double)sums->rows - rep->joint->t_mean);
  }
  return rep->joint->t_span > 0.0 ? t / rep->joint->t_span : 0.0;
}

/* Columns of the joint in the rows of a pair, which begin at column, m apart: speeds in g_0;
 * mean, speed and time in d_0. */
static void fill_commons(const Replicates *rep, const ArmPair *pair, size_t m, double *column) {
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
static void take_hold_off(Replicates *rep, const size_t *at, size_t pairs, size_t rank, double *x) {
  double *few = rep->spare;
  for (size_t p = 0; p < pairs; p++)
    memcpy(few + p * PAIR_ROWS, x + at[p] * PAIR_ROWS, PAIR_ROWS * sizeof *x);
  arm_project_out(rep->fit->shelf, pairs * PAIR_ROWS, rank, rep->basis, few);
  for (size_t p = 0; p < pairs; p++)
    memcpy(x + at[p] * PAIR_ROWS, few + p * PAIR_ROWS, PAIR_ROWS * sizeof *x);
}

static void fill_pair(const Replicates *rep, size_t p, const Left *to) {
  const ArmPair *pair = pair_at(rep, p);
  const double *residual = rep->fit->residual + rep->joint->first_row + p * ARM_PAIR_ROWS;
  fill_commons(rep, pair, rep->rows, to->common + p * PAIR_ROWS);
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    const bool counts = r != FRICTION || rep->joint->is_patchy;
    to->x[p * PAIR_ROWS + r] = counts ? sqrt(pair->weight) * residual[r] : 0.0;
    to->free[p * PAIR_ROWS + r] = counts ? 1.0 : 0.0;
  }
}

static void clear_pair(const Replicates *rep, size_t p, const Left *to) {
  for (size_t r = p * PAIR_ROWS; r < (p + 1) * PAIR_ROWS; r++) {
    to->x[r] = to->free[r] = 0.0;
    for (size_t c = 0; c < rep->commons; c++)
      to->common[r + c * rep->rows] = 0.0;
  }
}

/* The rows of one hold, without pair `skip` and those that were dropped. */
static void project_hold(Replicates *rep, size_t hold, size_t skip, const Left *to) {
  size_t *at = rep->at, pairs = 0;
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    if (rep->hold[p] != hold)
      continue;
    if (p == skip || pair_at(rep, p)->is_dropped)
      clear_pair(rep, p, to);
    else
      at[pairs++] = p;
  }
  const size_t m = pairs * PAIR_ROWS;
  for (size_t p = 0; p < pairs; p++) {
    fill_pair(rep, at[p], to);
    fill_hold(pair_at(rep, at[p]), m, rep->basis + p * PAIR_ROWS);
  }
  const size_t rank = arm_orthonormalise(rep->fit->shelf, m, HOLD_COLUMNS, rep->basis);
  take_hold_off(rep, at, pairs, rank, to->x);
  for (size_t c = 0; c < rep->commons; c++)
    take_hold_off(rep, at, pairs, rank, to->common + c * rep->rows);
  for (size_t p = 0; p < pairs; p++)
    for (size_t r = 0; r < PAIR_ROWS; r++)
      for (size_t b = 0; b < rank; b++) {
        const double part = rep->basis[p * PAIR_ROWS + r + b * m];
        to->free[at[p] * PAIR_ROWS + r] -= part * part;
      }
  arm_shelf_saw(rep->fit->shelf, pairs * sizeof(ArmPair) +
                                     m * (HOLD_COLUMNS + rep->commons + 4) * sizeof *rep->basis);
}

/* basis of the common columns; returns its rank */
static size_t take_commons(Replicates *rep, const Left *left) {
  const size_t m = rep->rows;
  memcpy(rep->basis, left->common, m * rep->commons * sizeof *rep->basis);
  for (size_t l = 0; l < rep->joint->levels; l++) {
    double square = 0.0, *column = rep->basis + l * m;
    for (size_t r = 0; r < m; r++)
      square += column[r] * column[r];
    if (!(square > LEAST_LEFT * rep->of_level[l])) /* the holds' own */
      memset(column, 0, m * sizeof *column);
  }
  return arm_orthonormalise(rep->fit->shelf, m, rep->commons, rep->basis);
}

/* S_k and N_k of what is left, when the common columns have been taken off it too */
static void sum_left(Replicates *rep, const Left *left) {
  const size_t m = rep->rows, rank = take_commons(rep, left);
  double *x = rep->spare;
  memcpy(x, left->x, m * sizeof *x);
  arm_project_out(rep->fit->shelf, m, rank, rep->basis, x);
  rep->even_sum = rep->even_dof = rep->even_all = 0.0;
  for (size_t k = 0; k < K; k++)
    rep->sum[k] = rep->dof[k] = 0.0;
  for (size_t r = 0; r < m; r++) {
    const size_t row = r % PAIR_ROWS;
    double freed = left->free[r];
    for (size_t b = 0; b < rank && freed > 0.0; b++)
      freed -= rep->basis[r + b * m] * rep->basis[r + b * m];
    rep->sum[row % K] += x[r] * x[r];
    rep->dof[row % K] += freed;
    rep->even_sum += row == 0 ? x[r] * x[r] : 0.0;
    rep->even_dof += row == 0 ? freed : 0.0;
    rep->even_all += row < K ? freed : 0.0;
  }
  for (size_t k = 0; k < K; k++)
    if (rep->dof[k] < LEAST_DOF)
      rep->sum[k] = rep->dof[k] = 0.0;
  if (rep->even_dof < LEAST_DOF)
    rep->even_sum = rep->even_dof = 0.0;
  arm_shelf_saw(rep->fit->shelf, m * (2 * rep->commons + 3) * sizeof *x);
}

/* S_k and N_k of all pairs that count */
static void sum_up(Replicates *rep) {
  for (size_t hold = 0; hold < rep->joint->holds; hold++)
    project_hold(rep, hold, ARM_IDENT_NONE, &rep->all);
  sum_left(rep, &rep->all);
}

/* the same without pair p, after sum_up */
static void sum_without(Replicates *rep, size_t p) {
  const size_t size = rep->rows * (rep->commons + 2);
  arm_shelf_copy(rep->fit->shelf, rep->now.x, rep->all.x, size);
  project_hold(rep, pair_at(rep, p)->hold, p, &rep->now);
  sum_left(rep, &rep->now);
}

static double total(const double *x, size_t first, size_t last) {
  double sum = 0.0;
  for (size_t k = first; k < last; k++)
    sum += x[k];
  return sum;
}

static bool is_correlated(const ArmJointStrokes *joint) {
  return joint->lag1 * sqrt((double)joint->lag_pairs) > LAG_SIGNIFICANT;
}

/* tail of slow orders being as quiet as fast ones */
static double slow_tail(const Replicates *rep) {
  const double slow = total(rep->dof, 0, 2), fast = total(rep->dof, 2, K);
  if (!(slow > 0.0 && fast > 0.0))
    return 1.0;
  const double f = total(rep->sum, 0, 2) / slow / (total(rep->sum, 2, K) / fast);
  return arm_f_upper(f, slow / rep->crossed, fast / rep->crossed);
}

static bool is_heterogeneous(const Replicates *rep) {
  return is_correlated(rep->joint) || slow_tail(rep) < BLOCK_TAIL;
}

/* non-increasing fit of v_k with weights N_k: slow errors are never assumed smaller than fast ones
 */
static void pool_violators(const Replicates *rep, double *v, double *nu) {
  double sum[K], dof[K];
  size_t first[K + 1], blocks = 0;
  for (size_t k = 0; k < K; k++) {
    first[blocks] = k;
    sum[blocks] = rep->sum[k];
    dof[blocks++] = rep->dof[k];
    while (blocks > 1 && (dof[blocks - 2] == 0.0 ||
                          sum[blocks - 2] * dof[blocks - 1] <= sum[blocks - 1] * dof[blocks - 2])) {
      sum[blocks - 2] += sum[blocks - 1];
      dof[blocks - 2] += dof[blocks - 1];
      blocks--;
    }
  }
  first[blocks] = K;
  for (size_t b = 0; b < blocks; b++)
    for (size_t k = first[b]; k < first[b + 1]; k++) {
      v[k] = dof[b] > 0.0 ? sum[b] / dof[b] : 0.0;
      nu[k] = dof[b] / rep->crossed;
    }
}

/* s_k and the dof behind each from S and N; returns whether the noise is heterogeneous */
static bool noise_of(const Replicates *rep, double *s, double *nu) {
  const ArmJointStrokes *joint = rep->joint;
  const double all = total(rep->dof, 0, K);
  bool is_mixed = false;
  if (total(rep->dof, 1, K) == 0.0) { /* one speed: what the samples say of themselves */
    const double rho = fmin(fmax(joint->lag1, 0.0), 0.99);
    for (size_t k = 0; k < K; k++) {
      s[k] = joint->s_within * sqrt((1.0 + rho) / (1.0 - rho));
      nu[k] = ONE_SPEED_DOF;
    }
    if (rep->sum[0] > rep->dof[0] * s[0] * s[0]) {
      s[0] = sqrt(rep->sum[0] / rep->dof[0]);
      nu[0] = rep->dof[0] / rep->crossed;
    }
  } else if (is_heterogeneous(rep)) {
    is_mixed = true;
    pool_violators(rep, s, nu);
    for (size_t k = 0; k < K; k++)
      s[k] = sqrt(s[k]);
  } else {
    for (size_t k = 0; k < K; k++) {
      s[k] = sqrt(total(rep->sum, 0, K) / all);
      nu[k] = all / rep->crossed;
    }
  }
  return is_mixed;
}

/* s_0 of g_0 alone; call it last: S_0 and N_0 are those of g_0 then */
static double still_of(Replicates *rep) {
  double s[K], nu[K];
  rep->sum[0] = rep->even_sum;
  rep->dof[0] = rep->even_dof;
  noise_of(rep, s, nu);
  return s[0];
}

/* Where not every hold was swept at every speed N_0 is small, and an S_0 that is small by chance
 * would promise much. There d_0 counts too, less one, a slope in |v| and one in time for the joint:
 * what scatters between strokes does so in half sum and half difference alike. Less than 3 dof
 * tell nothing: means of strokes then scatter by as much of friction as the limits accept.
 *
 * true: N_0 is large enough to tell how means scatter, or as the notes have it. */
static bool knows_means(const Replicates *rep) {
  return !rep->joint->is_patchy || rep->dof[0] >= LEAST_MEANS;
}

/* rms over pairs of sqrt(w_p): noise of a sample over that of a mean */
static double root_of_weight(const Replicates *rep) {
  double sum = 0.0;
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    sum += pair_at(rep, p)->weight / (double)rep->joint->pairs;
    arm_shelf_saw(rep->fit->shelf, sizeof(ArmPair));
  }
  return sqrt(sum);
}

/* by how much the replicates would agree better without pair p: its tail, and its size in A */
static double outlier_tail(Replicates *rep, size_t p, const double *sum, const double *dof,
                           double *size) {
  double s[K], nu[K], f = 0.0, excess = 0.0, freed = 0.0, left = 0.0;
  sum_without(rep, p);
  if (rep->even_all < LEAST_DOF)
    return 1.0;
  noise_of(rep, s, nu);
  const double least = LEAST_PART * rep->joint->s_within;
  for (size_t k = knows_means(rep) ? 0 : 1; k < K; k++) {
    const double variance = fmax(s[k], least) * fmax(s[k], least);
    if (variance > 0.0)
      f += (sum[k] - rep->sum[k]) / variance;
    excess += sum[k] - rep->sum[k] - (dof[k] - rep->dof[k]) * variance;
    freed += dof[k] - rep->dof[k];
    left += rep->dof[k];
  }
  if (freed <= 0.0)
    return 1.0;
  *size = sqrt(fmax(0.0, excess) / pair_at(rep, p)->weight);
  return arm_f_upper(f / freed, freed / pair_at(rep, p)->crossed,
                     OUTLIER_DOF * left / rep->crossed);
}

/* square of what the fit leaves of both strokes of pair p [A^2] */
static double left_of(const Replicates *rep, size_t p) {
  const double *r = rep->fit->residual + rep->joint->first_row + p * ARM_PAIR_ROWS;
  double sum = 0.0;
  for (size_t k = 0; k < ARM_PAIR_ROWS; k++)
    sum += r[k] * r[k];
  return sum;
}

/* the pair without which the replicates agree best, if that is beyond chance and size */
static bool find_outlier(Replicates *rep, ArmJointStrokes *joint, double friction_limit) {
  double sum[K], dof[K], best = 1.0, best_size = 0.0, best_left = 0.0;
  size_t found = ARM_IDENT_NONE;
  sum_up(rep);
  memcpy(sum, rep->sum, sizeof sum);
  memcpy(dof, rep->dof, sizeof dof);
  const size_t step = (joint->pairs + MOST_TRIED - 1) / MOST_TRIED;
  for (size_t p = 0; p < joint->pairs; p += step ? step : 1) {
    double size = 0.0;
    if (pair_at(rep, p)->is_dropped)
      continue;
    const double tail = outlier_tail(rep, p, sum, dof, &size);
    /* with two holds the replicates cannot tell which one is wrong: friction can */
    const bool is_tied = tail <= TIED * best && best <= TIED * tail;
    if (is_tied ? left_of(rep, p) <= best_left : tail > best)
      continue;
    best = tail;
    best_left = left_of(rep, p);
    best_size = size;
    found = p;
  }
  if (joint->outlier == ARM_IDENT_NONE || best < joint->outlier_p) {
    joint->outlier_p = best;
    joint->outlier_size = best_size;
  }
  if (found == ARM_IDENT_NONE || !(best < ARM_OUTLIER_TAIL / (double)joint->pairs) ||
      !(best_size > fmax(ARM_OUTLIER_WITHIN * joint->s_within, friction_limit)))
    return false;
  if (joint->outlier == ARM_IDENT_NONE) {
    joint->outlier = joint->first_pair + found;
    joint->outlier_stroke =
        arm_pair_farther(rep->fit, pair_at(rep, found),
                         rep->fit->residual + joint->first_row + found * ARM_PAIR_ROWS);
  }
  rep->fit->pairs[joint->first_pair + found].is_dropped = true;
  return true;
}

static void take_room(double **next, size_t rows, size_t commons, Left *left) {
  *left = (Left){.x = *next, .common = *next + rows, .free = *next + (1 + commons) * rows};
  *next += (2 + commons) * rows;
}

/* Holds and levels of the pairs, and how much there is of each; returns the pairs of the hold that
 * has most. */
static size_t note_pairs(Replicates *rep) {
  const ArmJointStrokes *joint = rep->joint;
  size_t most = 0, *count = rep->at;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = pair_at(rep, p);
    rep->hold[p] = pair->hold;
    rep->of_level[pair->level] += pair->weight;
    rep->crossed += pair->crossed / (double)joint->pairs;
    count[pair->hold]++;
    most = count[pair->hold] > most ? count[pair->hold] : most;
    arm_shelf_saw(rep->fit->shelf, sizeof *pair);
  }
  return most;
}

static ArmStatus replicates_init(Replicates *rep, const ArmStrokeFit *fit, ArmJointStrokes *joint) {
  const size_t rows = joint->pairs * PAIR_ROWS, most = joint->pairs + joint->holds + 1;
  ArmStatus status = ARM_OK;
  *rep = (Replicates){.fit = fit, .joint = joint, .rows = rows};
  joint->is_patchy = joint->levels < 2 || joint->pairs < joint->holds * joint->levels;
  rep->commons = joint->levels + (joint->is_patchy ? FRICTION_COLUMNS : 0);
  rep->at = calloc(2 * most, sizeof *rep->at);
  rep->of_level = calloc(joint->levels + 1, sizeof *rep->of_level);
  if (!rep->at || !rep->of_level)
    return ARM_E_MEMORY;
  rep->hold = rep->at + most;
  const size_t of_hold = note_pairs(rep) * PAIR_ROWS * HOLD_COLUMNS;
  const size_t basis = of_hold > rows * rep->commons ? of_hold : rows * rep->commons;
  rep->block = arm_shelf_take(fit->shelf, rows * (2 * (2 + rep->commons) + 1) + basis + 1,
                              sizeof *rep->block, &status);
  if (!rep->block)
    return status != ARM_OK ? status : ARM_E_MEMORY;
  double *next = rep->block;
  take_room(&next, rows, rep->commons, &rep->all);
  take_room(&next, rows, rep->commons, &rep->now);
  rep->basis = next;
  rep->spare = next + basis;
  return ARM_OK;
}

static void replicates_clear(Replicates *rep) {
  arm_shelf_give(rep->fit->shelf, rep->block);
  free(rep->at);
  free(rep->of_level);
}

ArmStatus arm_stroke_fit_noise(ArmStrokeFit *fit, size_t i, const ArmVerdictLimits *limits) {
  ArmJointStrokes *joint = &fit->joint[i];
  Replicates rep;
  const ArmStatus status = replicates_init(&rep, fit, joint);
  if (status != ARM_OK) {
    replicates_clear(&rep);
    return status;
  }
  const double friction = arm_stroke_fit_friction(fit, i);
  const double friction_limit = limits->direction_relative * friction;
  for (int round = 0; round < 2 && joint->pairs > 2; round++)
    if (!find_outlier(&rep, joint, friction_limit))
      break;
  sum_up(&rep);
  joint->has_replicates = rep.even_all > LEAST_DOF;
  joint->is_heterogeneous = noise_of(&rep, joint->s, joint->nu);
  if (!knows_means(&rep))
    joint->s[0] = hypot(joint->s[0], limits->scatter_relative * friction * root_of_weight(&rep));
  joint->is_correlated = joint->is_heterogeneous && is_correlated(joint);
  joint->slow_p = slow_tail(&rep);
  const double least =
      fmax(LEAST_PART * joint->s_within, LEAST_SIGNAL * arm_stroke_fit_current(fit, i));
  for (size_t k = 0; k < K; k++)
    joint->s[k] = fmax(joint->s[k], least);
  joint->still = fmax(still_of(&rep), least);
  joint->tau = 0.0;
  replicates_clear(&rep);
  return ARM_OK;
}
