/* SPDX-License-Identifier: MIT */
/* Down to 16 samples a period and up again: the long filter runs at few samples, the short
 * interpolation at all of them, so that the cost of a sample does not depend on the cut-off. */
#include "core/num/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/kaiser.h"

enum {
  REACH = 10, /* nodes on each side of a cell that interpolate it */
  TAPS = 2 * REACH,
  PER_PERIOD = 16, /* nodes per period of the cut-off */
  VALUES = 3,      /* value, rate, second */
  EXACT = 4        /* powers of time, from 0, of which all of them are exact */
};
static const double band_end = 1.5; /* of the cut-off: where fir.h is deaf */

struct ArmSmooth {
  ArmFir *fir;
  size_t columns, step; /* D */
  size_t capacity;      /* nodes in `nodes` */
  size_t first;         /* number of the oldest node in `nodes` */
  size_t count;         /* nodes held */
  size_t cell, phase;   /* where the next value is */
  double *table;        /* VALUES x TAPS x D   weight of node tap - REACH + 1 at phase p */
  double *nodes;        /* columns x capacity  of each column one after the other */
  double *one;          /* columns */
  const double **column;
};

static size_t step_of(double cutoff) {
  const double step = floor(1 / (PER_PERIOD * cutoff));
  return step > 1 ? (size_t)step : 1;
}

/* A little of window times polynomial is added to g, so that polynomials of degree below EXACT come
 * out exactly: a small share of w_c^2 is much beside the acceleration of a slow motion. They are
 * orthogonal over the window, by Stieltjes' recurrence; `at_0` are their values and derivatives
 * where g is to give them.
 *   y  TAPS   places of the nodes, in nodes from there */
static void make_exact(const double *y, double (*g)[VALUES]) {
  double window[TAPS], p[TAPS], before[TAPS] = {0}, at_0[VALUES] = {1}, before_0[VALUES] = {0};
  double norm_before = 0;
  for (size_t tap = 0; tap < TAPS; tap++) {
    window[tap] = cos(3.14159265358979323846 / 2 * y[tap] / REACH);
    p[tap] = 1;
  }
  for (int k = 0; k < EXACT; k++) {
    double norm = 0, mean = 0, found[VALUES] = {0};
    for (size_t tap = 0; tap < TAPS; tap++) {
      norm += window[tap] * p[tap] * p[tap];
      mean += window[tap] * p[tap] * p[tap] * y[tap];
      for (size_t v = 0; v < VALUES; v++)
        found[v] += g[tap][v] * p[tap];
    }
    const double a = mean / norm, b = k > 0 ? norm / norm_before : 0;
    for (size_t tap = 0; tap < TAPS; tap++) {
      for (size_t v = 0; v < VALUES; v++)
        g[tap][v] += window[tap] * p[tap] * (at_0[v] - found[v]) / norm;
      const double next = (y[tap] - a) * p[tap] - b * before[tap];
      before[tap] = p[tap];
      p[tap] = next;
    }
    for (size_t v = VALUES; v-- > 0;) {
      const double next = (v > 0 ? (double)v * at_0[v - 1] : 0) - a * at_0[v] - b * before_0[v];
      before_0[v] = at_0[v];
      at_0[v] = next;
    }
    norm_before = norm;
  }
}

static void fill_table(ArmSmooth *s, double cutoff, double step_s) {
  const double band = band_end * cutoff * (double)s->step; /* cycles per node */
  const double width = 2 * REACH;
  const double attenuation = 7.95 + 2.285 * 2 * 3.14159265358979323846 * (1 - 2 * band) * width;
  const double beta = arm_kaiser_beta(attenuation);
  const double rate = 1 / ((double)s->step * step_s);
  const size_t block = TAPS * s->step;
  for (size_t p = 0; p < s->step; p++) {
    double y[TAPS], g[TAPS][VALUES];
    for (size_t tap = 0; tap < TAPS; tap++) {
      y[tap] = ((double)tap - (REACH - 1)) - (double)p / (double)s->step;
      arm_kaiser_sinc(beta, REACH, -y[tap], g[tap]);
    }
    make_exact(y, g);
    for (size_t tap = 0; tap < TAPS; tap++)
      for (size_t v = 0; v < VALUES; v++)
        s->table[v * block + tap * s->step + p] =
            g[tap][v] * (v > 0 ? rate : 1) * (v > 1 ? rate : 1);
  }
}

ArmStatus arm_smooth_new(double cutoff, double step_s, size_t columns, ArmSmooth **out) {
  if (!(cutoff <= ARM_SMOOTH_MOST) || !(step_s > 0) || !isfinite(step_s))
    return ARM_E_ARGUMENT;
  ArmSmooth *s = calloc(1, sizeof *s);
  if (!s)
    return ARM_E_MEMORY;
  s->columns = columns;
  s->step = cutoff > 0 ? step_of(cutoff) : 1;
  s->capacity = TAPS + ARM_FIR_BLOCK / s->step + 2;
  const ArmStatus status = arm_fir_new(cutoff, s->step, columns, &s->fir);
  if (status != ARM_OK) {
    arm_smooth_free(s);
    return status;
  }
  s->table = malloc(VALUES * TAPS * s->step * sizeof *s->table);
  s->nodes = malloc(columns * s->capacity * sizeof *s->nodes);
  s->one = malloc(columns * sizeof *s->one);
  s->column = malloc(columns * sizeof *s->column);
  if (!s->table || !s->nodes || !s->one || !s->column) {
    arm_smooth_free(s);
    return ARM_E_MEMORY;
  }
  fill_table(s, cutoff, step_s);
  arm_smooth_reset(s);
  *out = s;
  return ARM_OK;
}

void arm_smooth_free(ArmSmooth *smooth) {
  if (!smooth)
    return;
  arm_fir_free(smooth->fir);
  free(smooth->table);
  free(smooth->nodes);
  free(smooth->one);
  free(smooth->column);
  free(smooth);
}

size_t arm_smooth_skip(const ArmSmooth *smooth) {
  const size_t half = arm_fir_half_of(smooth->fir);
  const size_t first_node = (half + smooth->step - 1) / smooth->step;
  return (first_node + REACH - 1) * smooth->step;
}

size_t arm_smooth_delay(const ArmSmooth *smooth) {
  return arm_fir_half_of(smooth->fir) + (REACH + 1) * smooth->step;
}

void arm_smooth_reset(ArmSmooth *smooth) {
  arm_fir_reset(smooth->fir);
  smooth->cell = arm_smooth_skip(smooth) / smooth->step;
  smooth->first = smooth->cell - (REACH - 1);
  smooth->count = smooth->phase = 0;
}

/* Forgets the nodes before those of the present cell. */
static void forget(ArmSmooth *s) {
  const size_t gone = s->cell - (REACH - 1) - s->first;
  for (size_t c = 0; c < s->columns; c++) {
    double *nodes = s->nodes + c * s->capacity;
    memmove(nodes, nodes + gone, (s->count - gone) * sizeof *nodes);
  }
  s->first += gone;
  s->count -= gone;
}

static bool is_ready(const ArmSmooth *s) {
  return s->first + s->count > s->cell + REACH;
}

ArmStatus arm_smooth_push(ArmSmooth *smooth, size_t samples, const double *x, size_t ld) {
  bool is_whole;
  if (is_ready(smooth))
    return ARM_E_ARGUMENT;
  for (size_t c = 0; c < smooth->columns; c++)
    smooth->column[c] = x + c * ld;
  const ArmStatus status = arm_fir_push(smooth->fir, samples, smooth->column, NULL);
  if (status != ARM_OK)
    return status;
  forget(smooth);
  while (arm_fir_take(smooth->fir, smooth->one, NULL, &is_whole)) {
    for (size_t c = 0; c < smooth->columns && is_whole; c++)
      smooth->nodes[c * smooth->capacity + smooth->count] = smooth->one[c];
    smooth->count += is_whole;
  }
  return ARM_OK;
}

/* out[0..run) of one cell: sum over the nodes of table x node, phases side by side. */
static void interpolate(const ArmSmooth *s, const double *table, const double *nodes, size_t run,
                        double *restrict out) {
  memset(out, 0, run * sizeof *out);
  for (size_t tap = 0; tap < TAPS; tap++) {
    const double *restrict weight = table + tap * s->step + s->phase;
    const double node = nodes[tap];
    for (size_t p = 0; p < run; p++)
      out[p] += weight[p] * node;
  }
}

size_t arm_smooth_take(ArmSmooth *smooth, size_t most, double *value, double *rate, double *second,
                       size_t ld) {
  double *const out[VALUES] = {value, rate, second};
  const size_t block = TAPS * smooth->step;
  size_t taken = 0;
  while (taken < most && is_ready(smooth)) {
    const size_t left = smooth->step - smooth->phase;
    const size_t run = left < most - taken ? left : most - taken;
    const size_t from = smooth->cell - (REACH - 1) - smooth->first;
    for (size_t c = 0; c < smooth->columns; c++)
      for (size_t v = 0; v < VALUES; v++)
        interpolate(smooth, smooth->table + v * block, smooth->nodes + c * smooth->capacity + from,
                    run, out[v] + c * ld + taken);
    taken += run;
    smooth->phase += run;
    if (smooth->phase == smooth->step) {
      smooth->phase = 0;
      smooth->cell++;
    }
  }
  return taken;
}
