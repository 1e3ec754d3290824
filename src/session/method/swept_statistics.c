/* SPDX-License-Identifier: MIT */
#include "session/method/swept_statistics.h"

#include <math.h>

void ase_histogram_add(double value, double low, double high, guint bins, double *count) {
  if (value >= low && value <= high)
    count[MIN((guint)((value - low) / (high - low) * bins), bins - 1)] += 1.0;
}

struct AseCorrelation {
  guint lags;
  double mean;
  gsize n;      /* values so far */
  double *last; /* lags: value k is at k modulo lags */
  double *sum;  /* lags: of products */
  gsize *pairs; /* lags */
};

AseCorrelation *ase_correlation_new(guint lags, double mean) {
  AseCorrelation *c = g_new0(AseCorrelation, 1);
  *c = (AseCorrelation){.lags = lags,
                        .mean = mean,
                        .last = g_new0(double, lags),
                        .sum = g_new0(double, lags),
                        .pairs = g_new0(gsize, lags)};
  return c;
}

void ase_correlation_add(AseCorrelation *c, double value) {
  guint at = (guint)(c->n++ % c->lags);
  c->last[at] = value;
  for (guint lag = 0; isfinite(value) && lag < c->lags && lag < c->n; lag++) {
    if (isfinite(c->last[at]))
      c->sum[lag] += (c->last[at] - c->mean) * (value - c->mean), c->pairs[lag]++;
    at = at > 0 ? at - 1 : c->lags - 1;
  }
}

void ase_correlation_end(AseCorrelation *c, double *out) {
  const double variance = c->pairs[0] ? c->sum[0] / (double)c->pairs[0] : 0.0;
  for (guint lag = 0; lag < c->lags; lag++) {
    const double covariance = c->pairs[lag] ? c->sum[lag] / (double)c->pairs[lag] : 0.0;
    out[lag] = variance > 0.0 ? covariance / variance : 0.0;
  }
  g_free(c->last);
  g_free(c->sum);
  g_free(c->pairs);
  g_free(c);
}
