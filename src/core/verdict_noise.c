/* SPDX-License-Identifier: MIT */
/* Noise from replicates: what differs between speeds where gravity cannot differ.
 * Source: Armature theory notes, lack of fit, section 2; tau: section 3.1.
 *
 *   removed before squaring, as each pair's mix shows it in its rows
 *   g_k, all k      one for the hold
 *   d_k, k >= 1     one and a slope in |v| for the hold (a delay grows with v)
 *   d_0             one for each pair: its first odd row goes
 *   g_0             one for the speed (friction curve)
 *
 * Rows of order k of all pairs give S_k, and N_k is what has not been removed of them. Where all
 * strokes cover the same range this comes to the notes' table: each order by itself, N_k whole.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/distribution.h"
#include "core/verdict_internal.h"

enum { K = ARM_STROKE_ORDERS, MOST_TRIED = 64, ONE_SPEED_DOF = 10 };
#define LEAST_LEFT      1e-9 /* of the rows: levels that are the holds' own */
#define LEAST_DOF       1e-3 /* fewer are rounding, and what they square too */
#define MOST_BLOWN      2.0  /* friction of a pair is told by others beyond it */
#define LAG_SIGNIFICANT 3.0
#define BLOCK_TAIL      0.10 /* F of slow orders over fast ones beyond its 90 % point */
#define LEAST_PART      0.1  /* s_k >= this part of the noise inside strokes */
#define LEAST_SIGNAL                                                                               \
  1e-9                      /* ... and of the current: rounding, so that exact data can be weighed \
                             */
#define OUTLIER_TAIL   1e-6 /* over all pairs */
#define OUTLIER_WITHIN 0.2
#define TIED           10.0 /* tails that say the same */
#define OUTLIER_DOF    0.4  /* of the dof left: the noise is chosen smallest by trying all pairs */

enum {
  PAIR_ROWS = ARM_PAIR_ROWS - 1, /* without the first odd one */
  HOLD_COLUMNS = K + 2 * (K - 1)
};

/* What is left of the rows of all pairs when their holds have been taken off. */
typedef struct {
  double *x;     /* rows           residual */
  double *level; /* rows x levels  columns of the speeds */
  double *free;  /* rows           part of a row's noise that is left; 0: not counted */
} Left;

/* One joint's pairs, and what their residuals tell of noise. */
typedef struct {
  const ArmStrokeFit *fit;
  const ArmJointStrokes *joint;
  size_t rows;           /* PAIR_ROWS x pairs */
  double *block;         /* owned: all below */
  double *basis;         /* rows x HOLD_COLUMNS, of one hold; rows x levels */
  double *spare;         /* rows */
  Left all, now;         /* of all pairs; without the one that is tried */
  size_t *at;            /* pairs, owned: those of one hold */
  double crossed;        /* mean of the pairs */
  double sum[K], dof[K]; /* S_k, N_k */
} Replicates;

static const ArmPair *pair_at(const Replicates *rep, size_t p) {
  return &rep->fit->pairs[rep->joint->first_pair + p];
}

/* row 0..10 of a pair among its 12 */
static size_t row_at(size_t row) {
  return row < K ? row : row + 1;
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
      basis[K + r - 1 + (K + k - 1) * m] = mix;
      basis[K + r - 1 + (2 * K + k - 2) * m] = mix * pair->speed;
    }
}

/* x, or a column of the levels, of the pairs at[0..pairs-1]; taken together, less the basis */
static void take_hold_off(Replicates *rep, const size_t *at, size_t pairs, size_t rank, double *x) {
  double *few = rep->spare;
  for (size_t p = 0; p < pairs; p++)
    memcpy(few + p * PAIR_ROWS, x + at[p] * PAIR_ROWS, PAIR_ROWS * sizeof *x);
  arm_project_out(pairs * PAIR_ROWS, rank, rep->basis, few);
  for (size_t p = 0; p < pairs; p++)
    memcpy(x + at[p] * PAIR_ROWS, few + p * PAIR_ROWS, PAIR_ROWS * sizeof *x);
}

static void fill_pair(const Replicates *rep, size_t p, const Left *to) {
  const ArmPair *pair = pair_at(rep, p);
  const double *residual = rep->fit->residual + rep->joint->first_row + p * ARM_PAIR_ROWS;
  for (size_t r = 0; r < PAIR_ROWS; r++) {
    const double root = sqrt(pair->weight);
    const size_t at = p * PAIR_ROWS + r;
    to->x[at] = root * residual[row_at(r)];
    for (size_t l = 0; l < rep->joint->levels; l++)
      to->level[at + l * rep->rows] = l == pair->level && r == 0 ? root * pair->mix[0] : 0.0;
    to->free[at] = 1.0;
  }
}

static void clear_pair(const Replicates *rep, size_t p, const Left *to) {
  for (size_t r = p * PAIR_ROWS; r < (p + 1) * PAIR_ROWS; r++) {
    to->x[r] = to->free[r] = 0.0;
    for (size_t l = 0; l < rep->joint->levels; l++)
      to->level[r + l * rep->rows] = 0.0;
  }
}

/* The rows of one hold, without pair `skip` and those that were dropped. */
static void project_hold(Replicates *rep, size_t hold, size_t skip, const Left *to) {
  const size_t levels = rep->joint->levels;
  size_t *at = rep->at, pairs = 0;
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    if (pair_at(rep, p)->hold != hold)
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
  const size_t rank = arm_orthonormalise(m, HOLD_COLUMNS, rep->basis);
  take_hold_off(rep, at, pairs, rank, to->x);
  for (size_t l = 0; l < levels; l++)
    take_hold_off(rep, at, pairs, rank, to->level + l * rep->rows);
  for (size_t p = 0; p < pairs; p++)
    for (size_t r = 0; r < PAIR_ROWS; r++)
      for (size_t b = 0; b < rank; b++) {
        const double part = rep->basis[p * PAIR_ROWS + r + b * m];
        to->free[at[p] * PAIR_ROWS + r] -= part * part;
      }
}

/* S_k and N_k of what is left, when the speeds have been taken off it too */
static void sum_left(Replicates *rep, const Left *left) {
  const size_t m = rep->rows, levels = rep->joint->levels;
  for (size_t l = 0; l < levels; l++) {
    double square = 0.0, rows = 0.0;
    for (size_t r = 0; r < m; r++)
      square += left->level[r + l * m] * left->level[r + l * m];
    for (size_t p = 0; p < rep->joint->pairs; p++)
      rows += pair_at(rep, p)->level == l ? pair_at(rep, p)->weight : 0.0;
    const double part = square > LEAST_LEFT * rows ? 1.0 : 0.0; /* else the holds' own */
    for (size_t r = 0; r < m; r++)
      rep->basis[r + l * m] = part * left->level[r + l * m];
  }
  const size_t rank = arm_orthonormalise(m, levels, rep->basis);
  double *x = rep->spare;
  memcpy(x, left->x, m * sizeof *x);
  arm_project_out(m, rank, rep->basis, x);
  for (size_t k = 0; k < K; k++)
    rep->sum[k] = rep->dof[k] = 0.0;
  for (size_t r = 0; r < m; r++) {
    const size_t k = row_at(r % PAIR_ROWS) % K;
    double freed = left->free[r];
    for (size_t b = 0; b < rank; b++)
      freed -= rep->basis[r + b * m] * rep->basis[r + b * m];
    rep->sum[k] += x[r] * x[r];
    rep->dof[k] += freed;
  }
  for (size_t k = 0; k < K; k++)
    if (rep->dof[k] < LEAST_DOF)
      rep->sum[k] = rep->dof[k] = 0.0;
}

/* S_k and N_k of all pairs that count */
static void sum_up(Replicates *rep) {
  for (size_t hold = 0; hold < rep->joint->holds; hold++)
    project_hold(rep, hold, ARM_IDENT_NONE, &rep->all);
  sum_left(rep, &rep->all);
}

/* the same without pair p, after sum_up */
static void sum_without(Replicates *rep, size_t p) {
  const size_t size = rep->rows * (rep->joint->levels + 2);
  memcpy(rep->now.x, rep->all.x, size * sizeof *rep->now.x);
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
  if (all == 0.0) { /* one speed: what the samples say of themselves */
    const double rho = fmin(fmax(joint->lag1, 0.0), 0.99);
    for (size_t k = 0; k < K; k++) {
      s[k] = joint->s_within * sqrt((1.0 + rho) / (1.0 - rho));
      nu[k] = ONE_SPEED_DOF;
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

static double rms_of_current(const ArmStrokeFit *fit, const ArmJointStrokes *joint) {
  double sum = 0.0;
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++)
    for (size_t k = 0; k < K; k++)
      sum += fit->strokes[s].numbers.alpha[k] * fit->strokes[s].numbers.alpha[k];
  return joint->strokes > 0 ? sqrt(sum / (double)joint->strokes) : 0.0;
}

/* Of pairs whose strokes tell it well, or of all when none does. */
double arm_stroke_fit_friction(const ArmStrokeFit *fit, size_t i) {
  const ArmJointStrokes *joint = &fit->joint[i];
  double sum[2] = {0.0, 0.0};
  size_t count[2] = {0, 0};
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[p];
    const int is_weak = pair->blown > MOST_BLOWN;
    sum[is_weak] += 0.5 * fabs(fit->strokes[pair->plus].numbers.alpha[0] -
                               fit->strokes[pair->minus].numbers.alpha[0]);
    count[is_weak]++;
  }
  if (count[0] > 0)
    return sum[0] / (double)count[0];
  return count[1] > 0 ? sum[1] / (double)count[1] : 0.0;
}

/* by how much the replicates would agree better without pair p: its tail, and its size in A */
static double outlier_tail(Replicates *rep, size_t p, const double *sum, const double *dof,
                           double *size) {
  double s[K], nu[K], f = 0.0, excess = 0.0, freed = 0.0, left = 0.0;
  sum_without(rep, p);
  if (total(rep->dof, 0, K) == 0.0)
    return 1.0;
  noise_of(rep, s, nu);
  const double least = LEAST_PART * rep->joint->s_within;
  for (size_t k = 0; k < K; k++) {
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

static double left_in(const ArmStrokeNumbers *numbers, double *alpha) {
  double sum = 0.0;
  arm_stroke_whiten(numbers, alpha);
  for (size_t k = 0; k < K; k++)
    sum += alpha[k] * alpha[k];
  return sum;
}

/* of pair p the one in which the fit leaves more a row */
static size_t farther_stroke(const Replicates *rep, size_t p) {
  const ArmPair *pair = pair_at(rep, p);
  const ArmFitStroke *plus = &rep->fit->strokes[pair->plus];
  const ArmFitStroke *minus = &rep->fit->strokes[pair->minus];
  double a[K], b[K];
  arm_pair_strokes(pair, rep->fit->residual + rep->joint->first_row + p * ARM_PAIR_ROWS, a, b);
  return left_in(&plus->numbers, a) / (double)plus->sums->rows >
                 left_in(&minus->numbers, b) / (double)minus->sums->rows
             ? pair->plus
             : pair->minus;
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
  if (found == ARM_IDENT_NONE || !(best < OUTLIER_TAIL / (double)joint->pairs) ||
      !(best_size > fmax(OUTLIER_WITHIN * joint->s_within, friction_limit)))
    return false;
  if (joint->outlier == ARM_IDENT_NONE) {
    joint->outlier = joint->first_pair + found;
    joint->outlier_stroke = farther_stroke(rep, found);
  }
  rep->fit->pairs[joint->first_pair + found].is_dropped = true;
  return true;
}

void arm_stroke_fit_scatter(ArmStrokeFit *fit, size_t i) {
  ArmJointStrokes *joint = &fit->joint[i];
  double square = 0.0, known = 0.0, seen = 0.0;
  joint->tau = 0.0;
  if (joint->pairs <= 3)
    return;
  for (size_t p = 0; p < joint->pairs; p++) {
    const ArmPair *pair = &fit->pairs[joint->first_pair + p];
    const double d = arm_pair_friction(pair, fit->residual + joint->first_row + p * ARM_PAIR_ROWS);
    square += d * d;
    known += joint->s[0] * joint->s[0] / pair->weight;
    seen += 1.0 / (pair->blown * pair->blown);
  }
  const double excess = square / (double)(joint->pairs - 3) - known / (double)joint->pairs;
  joint->tau = sqrt(fmax(0.0, excess) * (double)joint->pairs / seen);
}

static void take_room(double **next, size_t rows, size_t levels, Left *left) {
  *left = (Left){.x = *next, .level = *next + rows, .free = *next + (1 + levels) * rows};
  *next += (2 + levels) * rows;
}

static bool replicates_init(Replicates *rep, const ArmStrokeFit *fit, ArmJointStrokes *joint) {
  const size_t rows = joint->pairs * PAIR_ROWS, levels = joint->levels;
  const size_t columns = levels > HOLD_COLUMNS ? levels : HOLD_COLUMNS;
  *rep = (Replicates){.fit = fit, .joint = joint, .rows = rows};
  rep->block = calloc(rows * (2 * (2 + levels) + columns + 1) + 1, sizeof *rep->block);
  rep->at = calloc(joint->pairs + 1, sizeof *rep->at);
  if (!rep->block || !rep->at)
    return false;
  double *next = rep->block;
  take_room(&next, rows, levels, &rep->all);
  take_room(&next, rows, levels, &rep->now);
  for (size_t p = 0; p < joint->pairs; p++)
    rep->crossed += pair_at(rep, p)->crossed / (double)joint->pairs;
  rep->basis = next;
  rep->spare = next + rows * columns;
  return true;
}

static void replicates_clear(Replicates *rep) {
  free(rep->block);
  free(rep->at);
}

ArmStatus arm_stroke_fit_noise(ArmStrokeFit *fit, size_t i, const ArmVerdictLimits *limits) {
  ArmJointStrokes *joint = &fit->joint[i];
  Replicates rep;
  if (!replicates_init(&rep, fit, joint)) {
    replicates_clear(&rep);
    return ARM_E_MEMORY;
  }
  const double friction_limit = limits->direction_relative * arm_stroke_fit_friction(fit, i);
  for (int round = 0; round < 2 && joint->pairs > 2; round++)
    if (!find_outlier(&rep, joint, friction_limit))
      break;
  sum_up(&rep);
  joint->has_replicates = total(rep.dof, 0, K) > 0.0;
  joint->is_heterogeneous = noise_of(&rep, joint->s, joint->nu);
  joint->is_correlated = joint->is_heterogeneous && is_correlated(joint);
  joint->slow_p = slow_tail(&rep);
  const double least =
      fmax(LEAST_PART * joint->s_within, LEAST_SIGNAL * rms_of_current(fit, joint));
  for (size_t k = 0; k < K; k++)
    joint->s[k] = fmax(joint->s[k], least);
  joint->tau = 0.0;
  replicates_clear(&rep);
  return ARM_OK;
}
