/* SPDX-License-Identifier: MIT */
#include "session/method/swept_statistics.h"

#include <math.h>
#include <string.h>

void ase_histogram(const double *value, gsize n, double low, double high, guint bins,
                   double *count) {
  memset(count, 0, bins * sizeof *count);
  for (gsize k = 0; k < n; k++)
    if (value[k] >= low && value[k] <= high)
      count[MIN((guint)((value[k] - low) / (high - low) * bins), bins - 1)] += 1.0;
}

static double mean_of(const double *value, gsize n) {
  double sum = 0.0;
  gsize count = 0;
  for (gsize k = 0; k < n; k++)
    if (isfinite(value[k]))
      sum += value[k], count++;
  return count ? sum / (double)count : 0.0;
}

void ase_autocorrelation(const double *value, gsize n, guint lags, double *out) {
  const double mean = mean_of(value, n);
  double variance = 0.0;
  for (guint lag = 0; lag < lags; lag++) {
    double sum = 0.0;
    gsize pairs = 0;
    for (gsize k = 0; k + lag < n; k++)
      if (isfinite(value[k]) && isfinite(value[k + lag]))
        sum += (value[k] - mean) * (value[k + lag] - mean), pairs++;
    const double covariance = pairs ? sum / (double)pairs : 0.0;
    if (lag == 0)
      variance = covariance;
    out[lag] = variance > 0.0 ? covariance / variance : 0.0;
  }
}
