/* SPDX-License-Identifier: MIT */
/* Bins double their width when a value lies outside, so that a run of any length has the same
 * number of them and no sample is looked at twice. Ranges go in steps of 1, 2, 5: they change
 * seldom, and the picture does not jump. */
#include "ui/plot/plot_data.h"

#include <math.h>

/* ---- bins ---- */

void aui_bins_init(AuiBins *bins, double low, double high, guint n) {
  n += n % 2;
  *bins = (AuiBins){.n = n, .low = low, .high = high};
  for (guint d = 0; d < 2; d++)
    bins->bin[d] = g_new0(AuiBin, n);
}

void aui_bins_clear(AuiBins *bins) {
  for (guint d = 0; d < 2; d++)
    g_free(bins->bin[d]);
  *bins = (AuiBins){0};
}

static AuiBin join(AuiBin a, AuiBin b) {
  if (!a.count || !b.count)
    return a.count ? a : b;
  return (AuiBin){a.count + b.count, a.sum + b.sum, fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* Two bins become one; the old range is the lower or the upper half of the new one. */
static void widen(AuiBins *bins, bool is_upwards) {
  const guint half = bins->n / 2, to = is_upwards ? 0 : half;
  for (guint d = 0; d < 2; d++) {
    g_autofree AuiBin *old = bins->bin[d];
    AuiBin *next = g_new0(AuiBin, bins->n);
    for (guint k = 0; k < half; k++)
      next[to + k] = join(old[2 * k], old[2 * k + 1]);
    bins->bin[d] = next;
  }
  const double span = bins->high - bins->low;
  if (is_upwards)
    bins->high += span;
  else
    bins->low -= span;
}

void aui_bins_add(AuiBins *bins, double position, double value, int direction) {
  if (direction == 0 || !isfinite(position) || !isfinite(value) || fabs(position) > 1e9)
    return;
  while (position >= bins->high || position < bins->low)
    widen(bins, position >= bins->high);
  const double part = (position - bins->low) / (bins->high - bins->low);
  AuiBin *bin = bins->bin[direction < 0] + MIN((guint)(part * bins->n), bins->n - 1);
  *bin = join(*bin, (AuiBin){1, value, value, value});
}

double aui_bins_position(const AuiBins *bins, guint k) {
  return bins->low + (k + 0.5) * (bins->high - bins->low) / bins->n;
}

guint aui_bins_filled(const AuiBins *bins, guint direction) {
  guint filled = 0;
  for (guint k = 0; k < bins->n; k++)
    filled += bins->bin[direction][k].count > 0;
  return filled;
}

/* ---- ranges ---- */

/* Smallest of 1, 2, 5 times a power of ten that is not below x > 0. */
static double nice_step(double x) {
  const double power = pow(10.0, floor(log10(x)));
  const double mantissa = x / power * (1.0 - 1e-12);
  return power * (mantissa <= 1.0 ? 1.0 : mantissa <= 2.0 ? 2.0 : mantissa <= 5.0 ? 5.0 : 10.0);
}

bool aui_range_include(AuiRange *range, double low, double high) {
  if (!isfinite(low) || !isfinite(high) || high < low)
    return false;
  if (range->is_set && low >= range->low && high <= range->high)
    return false;
  const double from = range->is_set ? fmin(low, range->low) : low;
  const double to = range->is_set ? fmax(high, range->high) : high;
  const double magnitude = fmax(fabs(from), fabs(to));
  const double span = fmax(to - from, fmax(1e-6 * magnitude, 1e-9));
  const double step = nice_step(span / 16.0);
  *range = (AuiRange){true, step * floor(from / step), step * ceil(to / step)};
  if (range->high <= range->low)
    range->low -= step, range->high += step;
  return true;
}

void aui_range_make_drawable(double *low, double *high) {
  const double middle = 0.5 * (*low + *high);
  const double half = fmax(0.5 * (*high - *low), fmax(5e-7 * fabs(middle), 1e-12));
  *low = middle - half;
  *high = middle + half;
}
