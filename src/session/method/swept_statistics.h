/* SPDX-License-Identifier: MIT */
/* Which statistics of residuals are drawn, of values as they come. No errors; what is not finite is
 * left out. */
#ifndef ARMATURE_SESSION_SWEPT_STATISTICS_H
#define ARMATURE_SESSION_SWEPT_STATISTICS_H

#include <glib.h>

/* Counts the value where it lies in one of `bins` parts of low..high.
 *   count  bins */
void ase_histogram_add(double value, double low, double high, guint bins, double *count);

/* Correlation of each value with the one `lag` later, lag = 0 .. lags - 1; pairs with a NAN do not
 * count, so that a NAN between two sweeps keeps them apart. */
typedef struct AseCorrelation AseCorrelation;
/* mean: of the values to come that are finite */
AseCorrelation *ase_correlation_new(guint lags, double mean);
void ase_correlation_add(AseCorrelation *correlation, double value);
/* After the last one, which frees it.
 *   out  lags */
void ase_correlation_end(AseCorrelation *correlation, double *out);

#endif
