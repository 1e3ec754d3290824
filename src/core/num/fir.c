/* SPDX-License-Identifier: MIT */
/* Each block of samples is added into the sums of all outputs whose window reaches it, four outputs
 * at a time: a small matrix product instead of a filter that remembers samples. */
#include "core/num/fir.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/kaiser.h"

/* Flat and deaf to 1e-4; transition from 1/2 to 3/2 of the cut-off. */
static const double attenuation_dB = 80;
static const double least_cutoff = 1e-6; /* keeps H below 3e6 */

struct ArmFir {
  ArmFirKernel *fold;
  size_t half, step, columns;
  size_t capacity;       /* outputs in `sums` */
  size_t next;           /* the output that is taken next */
  size_t count;          /* samples so far */
  bool is_ended;         /* by arm_fir_end */
  double *taps;          /* h from -H - margin to H + margin, zeros in the margins */
  double *sums;          /* capacity x (columns + 1)  output r in row r % capacity, weight last */
  double *ones;          /* ARM_FIR_BLOCK */
  const double **column; /* columns + 1  those of a push, and `ones` */
};

size_t arm_fir_half(double cutoff) {
  return (size_t)ceil(arm_kaiser_length(attenuation_dB, cutoff) / 2);
}

/* Windows of four neighbours reach this far beyond one another's. */
static size_t margin_of(const ArmFir *fir) {
  return (ARM_FIR_ROWS - 1) * fir->step;
}

static void design(ArmFir *fir, double cutoff) {
  double *centre = fir->taps + margin_of(fir) + fir->half;
  const double beta = arm_kaiser_beta(attenuation_dB);
  const double l = 2 * cutoff * (double)fir->half;
  double sum = 0;
  for (size_t k = 0; k <= fir->half; k++) {
    double g[3];
    arm_kaiser_sinc(beta, l, fmin(2 * cutoff * (double)k, l), g);
    centre[k] = g[0];
    sum += k > 0 ? 2 * g[0] : g[0];
  }
  for (size_t k = 0; k <= fir->half; k++)
    *(centre - k) = centre[k] /= sum;
}

ArmStatus arm_fir_new(double cutoff, size_t step, size_t columns, ArmFir **out) {
  if (!(cutoff >= least_cutoff && cutoff < 0.5) || step < 1 || columns < 1 ||
      step > (size_t)(1 / least_cutoff))
    return ARM_E_ARGUMENT;
  ArmFir *fir = calloc(1, sizeof *fir);
  if (!fir)
    return ARM_E_MEMORY;
  fir->half = arm_fir_half(cutoff);
  fir->step = step;
  fir->columns = columns;
  fir->capacity = (2 * fir->half + ARM_FIR_BLOCK) / step + 2 + ARM_FIR_ROWS;
  fir->taps = calloc(2 * (fir->half + margin_of(fir)) + 1, sizeof *fir->taps);
  fir->sums = calloc(fir->capacity * (columns + 1), sizeof *fir->sums);
  fir->ones = calloc(ARM_FIR_BLOCK, sizeof *fir->ones);
  fir->column = calloc(columns + 1, sizeof *fir->column);
  if (!fir->taps || !fir->sums || !fir->ones || !fir->column) {
    arm_fir_free(fir);
    return ARM_E_MEMORY;
  }
  for (size_t s = 0; s < ARM_FIR_BLOCK; s++)
    fir->ones[s] = 1;
  arm_fir_limit_lanes(fir, 8);
  design(fir, cutoff);
  *out = fir;
  return ARM_OK;
}

void arm_fir_free(ArmFir *fir) {
  if (!fir)
    return;
  free(fir->taps);
  free(fir->sums);
  free(fir->ones);
  free(fir->column);
  free(fir);
}

void arm_fir_limit_lanes(ArmFir *fir, int max_lanes) {
  fir->fold = arm_fir_kernel(max_lanes);
}

size_t arm_fir_half_of(const ArmFir *fir) {
  return fir->half;
}

ArmStatus arm_fir_white(double cutoff, size_t step, ArmFirWhite *white) {
  ArmFir *fir = NULL;
  const ArmStatus status = arm_fir_new(cutoff, step, 1, &fir);
  if (status != ARM_OK)
    return status;
  const double *tap = fir->taps + margin_of(fir);
  const size_t taps = 2 * fir->half + 1;
  *white = (ArmFirWhite){0};
  for (size_t apart = 0; apart < taps; apart += step) {
    double sum = 0;
    for (size_t k = apart; k < taps; k++)
      sum += tap[k] * tap[k - apart];
    white->gain = apart == 0 ? sum : white->gain;
    const double c = sum / white->gain;
    white->lag1 = apart == step ? c : white->lag1;
    white->growth += apart > 0 ? 2 * c : c;
    white->spread += apart > 0 ? 2 * c * c : c * c;
  }
  arm_fir_free(fir);
  return ARM_OK;
}

void arm_fir_reset(ArmFir *fir) {
  memset(fir->sums, 0, fir->capacity * (fir->columns + 1) * sizeof *fir->sums);
  fir->next = fir->count = 0;
  fir->is_ended = false;
}

static bool is_ready(const ArmFir *fir) {
  const size_t centre = fir->next * fir->step;
  return centre + fir->half < fir->count || (fir->is_ended && centre < fir->count);
}

static double *sums_of(const ArmFir *fir, size_t r) {
  return fir->sums + r % fir->capacity * (fir->columns + 1);
}

/* Adds the samples [count, count + samples) to outputs r .. r + 3, as far as their windows go. */
static void fold_outputs(ArmFir *fir, size_t r, size_t samples, const double *const *column,
                         const double *weight) {
  const double *tap[ARM_FIR_ROWS];
  double *sum[ARM_FIR_ROWS];
  const size_t first = fir->count, centre = r * fir->step;
  const size_t left = centre > fir->half ? centre - fir->half : 0;
  const size_t right = centre + margin_of(fir) + fir->half + 1;
  const size_t low = left > first ? left : first;
  const size_t high = right < first + samples ? right : first + samples;
  if (low >= high)
    return;
  for (size_t k = 0; k < ARM_FIR_ROWS; k++) {
    tap[k] = fir->taps + (low + margin_of(fir) + fir->half) - (r + k) * fir->step;
    sum[k] = sums_of(fir, r + k);
  }
  for (size_t c = 0; c < fir->columns; c++)
    fir->column[c] = column[c] + (low - first);
  fir->column[fir->columns] = fir->ones;
  fir->fold(high - low, tap, weight + (low - first), fir->columns + 1, fir->column, sum);
}

ArmStatus arm_fir_push(ArmFir *fir, size_t samples, const double *const *column,
                       const double *weight) {
  if (samples > ARM_FIR_BLOCK || fir->is_ended || is_ready(fir))
    return ARM_E_ARGUMENT;
  const double *const w = weight ? weight : fir->ones;
  const size_t last = (fir->count + samples + fir->half) / fir->step;
  for (size_t r = fir->next; r <= last; r += ARM_FIR_ROWS)
    fold_outputs(fir, r, samples, column, w);
  fir->count += samples;
  return ARM_OK;
}

void arm_fir_end(ArmFir *fir) {
  fir->is_ended = true;
}

bool arm_fir_take(ArmFir *fir, double *y, double *weight, bool *is_whole) {
  if (!is_ready(fir))
    return false;
  double *sums = sums_of(fir, fir->next);
  const size_t centre = fir->next * fir->step;
  memcpy(y, sums, fir->columns * sizeof *y);
  if (weight)
    *weight = sums[fir->columns];
  if (is_whole)
    *is_whole = centre >= fir->half && centre + fir->half < fir->count;
  memset(sums, 0, (fir->columns + 1) * sizeof *sums);
  fir->next++;
  return true;
}
