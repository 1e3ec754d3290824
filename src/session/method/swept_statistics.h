/* SPDX-License-Identifier: MIT */
/* Which statistics of residuals are drawn. No errors; what is not finite is left out. */
#ifndef ARMATURE_SESSION_SWEPT_STATISTICS_H
#define ARMATURE_SESSION_SWEPT_STATISTICS_H

#include <glib.h>

/* How many of n values lie in each of `bins` parts of low..high.
 *   count  bins  out */
void ase_histogram(const double *value, gsize n, double low, double high, guint bins,
                   double *count);

/* Correlation of value[k] with value[k + lag], lag = 0 .. lags - 1; pairs with a NAN do not count,
 * so that a NAN between two sweeps keeps them apart.
 *   out  lags */
void ase_autocorrelation(const double *value, gsize n, guint lags, double *out);

#endif
