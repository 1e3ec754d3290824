/* SPDX-License-Identifier: MIT */
/* Noise from replicates: what differs between speeds where gravity cannot differ, less what each
 * pair's mix shows of level, slope and friction. Source: Armature theory notes, lack of fit,
 * section 2; of recordings whose holds were not swept at every speed, below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/distribution.h"
#include "core/sweeps/verdict_replicates.h"

/* Armature theory notes, lack of fit, section 2: one speed has 10 dof (not simulated there), lag
 * beyond 3, the 90 % point, a tenth of the noise inside, .4 of the dof.
 * LEAST_MEANS: DESIGN, where not every hold was swept. MOST_TRIED bounds the time of long
 * recordings. */
enum { K = ARM_STROKE_ORDERS, MOST_TRIED = 64, ONE_SPEED_DOF = 10 };
#define LEAST_DOF       1e-3 /* fewer are rounding */
#define LAG_SIGNIFICANT 3.0
#define BLOCK_TAIL      0.10 /* F of slow orders over fast ones beyond its 90 % point */
#define LEAST_PART      0.1  /* s_k >= this part of the noise inside strokes */
#define LEAST_SIGNAL    1e-9 /* ... and of the current: rounding; exact data can be weighed */
#define TIED            10.0 /* tails that say the same */
#define LEAST_MEANS     3.0  /* dof: fewer can be small by chance */
#define OUTLIER_DOF     0.4  /* of the dof left: the noise is chosen smallest by trying all pairs */

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
static double slow_tail(const ArmReplicates *rep, const ArmNoiseSums *of) {
  const double slow = total(of->dof, 0, 2), fast = total(of->dof, 2, K);
  if (!(slow > 0.0 && fast > 0.0))
    return 1.0;
  const double f = total(of->sum, 0, 2) / slow / (total(of->sum, 2, K) / fast);
  return arm_f_upper(f, slow / rep->crossed, fast / rep->crossed);
}

static bool is_heterogeneous(const ArmReplicates *rep, const ArmNoiseSums *of) {
  return is_correlated(rep->joint) || slow_tail(rep, of) < BLOCK_TAIL;
}

/* non-increasing fit of v_k with weights N_k: slow errors are never assumed smaller than fast ones
 */
static void pool_violators(const ArmReplicates *rep, const ArmNoiseSums *of, double *v,
                           double *nu) {
  double sum[K], dof[K];
  size_t first[K + 1], blocks = 0;
  for (size_t k = 0; k < K; k++) {
    first[blocks] = k;
    sum[blocks] = of->sum[k];
    dof[blocks++] = of->dof[k];
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
static bool noise_of(const ArmReplicates *rep, const ArmNoiseSums *of, double *s, double *nu) {
  const ArmJointStrokes *joint = rep->joint;
  const double all = total(of->dof, 0, K);
  bool is_mixed = false;
  if (total(of->dof, 1, K) == 0.0) { /* one speed: what the samples say of themselves */
    const double rho = fmin(fmax(joint->lag1, 0.0), 0.99);
    for (size_t k = 0; k < K; k++) {
      s[k] = joint->s_within * sqrt((1.0 + rho) / (1.0 - rho));
      nu[k] = ONE_SPEED_DOF;
    }
    if (of->sum[0] > of->dof[0] * s[0] * s[0]) {
      s[0] = sqrt(of->sum[0] / of->dof[0]);
      nu[0] = of->dof[0] / rep->crossed;
    }
  } else if (is_heterogeneous(rep, of)) {
    is_mixed = true;
    pool_violators(rep, of, s, nu);
    for (size_t k = 0; k < K; k++)
      s[k] = sqrt(s[k]);
  } else {
    for (size_t k = 0; k < K; k++) {
      s[k] = sqrt(total(of->sum, 0, K) / all);
      nu[k] = all / rep->crossed;
    }
  }
  return is_mixed;
}

/* s_0 of g_0 alone */
static double still_of(const ArmReplicates *rep, const ArmNoiseSums *of) {
  double s[K], nu[K];
  ArmNoiseSums even = *of;
  even.sum[0] = of->even_sum;
  even.dof[0] = of->even_dof;
  noise_of(rep, &even, s, nu);
  return s[0];
}

/* Where not every hold was swept at every speed N_0 is small, and an S_0 that is small by chance
 * would promise much. There d_0 counts too, less one, a slope in |v| and one in time for the joint:
 * what scatters between strokes does so in half sum and half difference alike. Less than 3 dof
 * tell nothing: means of strokes then scatter by as much of friction as the limits accept.
 *
 * true: N_0 is large enough to tell how means scatter, or as the notes have it. */
static bool knows_means(const ArmReplicates *rep, const ArmNoiseSums *of) {
  return !rep->joint->is_patchy || of->dof[0] >= LEAST_MEANS;
}

/* rms over pairs of sqrt(w_p): noise of a sample over that of a mean */
static double root_of_weight(const ArmReplicates *rep) {
  double sum = 0.0;
  for (size_t p = 0; p < rep->joint->pairs; p++) {
    sum += arm_replicates_pair(rep, p)->weight / (double)rep->joint->pairs;
    arm_shelf_saw(rep->fit->shelf, sizeof(ArmPair));
  }
  return sqrt(sum);
}

/* by how much the replicates agree better without pair p: its tail, and its size in A */
static double outlier_tail(const ArmReplicates *rep, size_t p, const ArmNoiseSums *all,
                           const ArmNoiseSums *of, double *size) {
  double s[K], nu[K], f = 0.0, excess = 0.0, freed = 0.0, left = 0.0;
  if (of->even_all < LEAST_DOF)
    return 1.0;
  noise_of(rep, of, s, nu);
  const double least = LEAST_PART * rep->joint->s_within;
  for (size_t k = knows_means(rep, of) ? 0 : 1; k < K; k++) {
    const double variance = fmax(s[k], least) * fmax(s[k], least);
    if (variance > 0.0)
      f += (all->sum[k] - of->sum[k]) / variance;
    excess += all->sum[k] - of->sum[k] - (all->dof[k] - of->dof[k]) * variance;
    freed += all->dof[k] - of->dof[k];
    left += of->dof[k];
  }
  if (freed <= 0.0)
    return 1.0;
  const ArmPair *pair = arm_replicates_pair(rep, p);
  *size = sqrt(fmax(0.0, excess) / pair->weight);
  return arm_f_upper(f / freed, freed / pair->crossed, OUTLIER_DOF * left / rep->crossed);
}

/* square of what the fit leaves of both strokes of pair p [A^2] */
static double left_of(const ArmReplicates *rep, size_t p) {
  const double *r = rep->fit->residual + rep->joint->first_row + p * ARM_PAIR_ROWS;
  double sum = 0.0;
  for (size_t k = 0; k < ARM_PAIR_ROWS; k++)
    sum += r[k] * r[k];
  return sum;
}

typedef struct {
  size_t pair; /* ARM_IDENT_NONE: none */
  double tail, size, left;
} Outlier;

/* the pair without which the replicates agree best, of some of all pairs */
static ArmStatus find_best(ArmReplicates *rep, Outlier *best) {
  ArmNoiseSums all, without[MOST_TRIED];
  size_t tried[MOST_TRIED], count = 0;
  const size_t pairs = rep->joint->pairs, step = (pairs + MOST_TRIED - 1) / MOST_TRIED;
  *best = (Outlier){.pair = ARM_IDENT_NONE, .tail = 1.0};
  for (size_t p = 0; p < pairs; p += step)
    if (!arm_replicates_pair(rep, p)->is_dropped)
      tried[count++] = p;
  arm_replicates_sum(rep, &all);
  const ArmStatus status = arm_replicates_without(rep, count, tried, without);
  for (size_t k = 0; k < count && status == ARM_OK; k++) {
    double size = 0.0;
    const double tail = outlier_tail(rep, tried[k], &all, &without[k], &size);
    /* with two holds the replicates cannot tell which one is wrong: friction can */
    const bool is_tied = tail <= TIED * best->tail && best->tail <= TIED * tail;
    if (is_tied ? left_of(rep, tried[k]) <= best->left : tail > best->tail)
      continue;
    *best = (Outlier){tried[k], tail, size, left_of(rep, tried[k])};
  }
  return status;
}

/* Drops the one pair that stands out most, if that is beyond chance and size. */
static ArmStatus drop_outlier(ArmReplicates *rep, ArmJointStrokes *joint, double friction_limit,
                              bool *is_dropped) {
  Outlier best;
  *is_dropped = false;
  const ArmStatus status = find_best(rep, &best);
  if (status != ARM_OK)
    return status;
  if (joint->outlier == ARM_IDENT_NONE || best.tail < joint->outlier_p) {
    joint->outlier_p = best.tail;
    joint->outlier_size = best.size;
  }
  if (best.pair == ARM_IDENT_NONE || !(best.tail < ARM_OUTLIER_TAIL / (double)joint->pairs) ||
      !(best.size > fmax(ARM_OUTLIER_WITHIN * joint->s_within, friction_limit)))
    return ARM_OK;
  if (joint->outlier == ARM_IDENT_NONE) {
    joint->outlier = joint->first_pair + best.pair;
    joint->outlier_stroke =
        arm_pair_farther(rep->fit, arm_replicates_pair(rep, best.pair),
                         rep->fit->residual + joint->first_row + best.pair * ARM_PAIR_ROWS);
  }
  rep->fit->pairs[joint->first_pair + best.pair].is_dropped = *is_dropped = true;
  return ARM_OK;
}

/* friction, current: of the joint [A] */
static void take_noise(ArmReplicates *rep, ArmJointStrokes *joint, const ArmVerdictLimits *limits,
                       double friction, double current) {
  ArmNoiseSums of;
  arm_replicates_sum(rep, &of);
  joint->has_replicates = of.even_all > LEAST_DOF;
  joint->is_heterogeneous = noise_of(rep, &of, joint->s, joint->nu);
  if (!knows_means(rep, &of))
    joint->s[0] = hypot(joint->s[0], limits->scatter_relative * friction * root_of_weight(rep));
  joint->is_correlated = joint->is_heterogeneous && is_correlated(joint);
  joint->slow_p = slow_tail(rep, &of);
  const double least = fmax(LEAST_PART * joint->s_within, LEAST_SIGNAL * current);
  for (size_t k = 0; k < K; k++)
    joint->s[k] = fmax(joint->s[k], least);
  joint->still = fmax(still_of(rep, &of), least);
  joint->tau = 0.0;
}

ArmStatus arm_stroke_fit_noise(ArmStrokeFit *fit, size_t i, const ArmVerdictLimits *limits) {
  ArmJointStrokes *joint = &fit->joint[i];
  ArmReplicates rep;
  ArmStatus status = arm_replicates_init(&rep, fit, joint);
  const double friction = arm_stroke_fit_friction(fit, i);
  bool goes_on = joint->pairs > 2;
  for (int round = 0; round < 2 && goes_on && status == ARM_OK; round++)
    status = drop_outlier(&rep, joint, limits->direction_relative * friction, &goes_on);
  if (status == ARM_OK)
    take_noise(&rep, joint, limits, friction, arm_stroke_fit_current(fit, i));
  arm_replicates_clear(&rep);
  return status;
}
