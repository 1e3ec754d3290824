/* SPDX-License-Identifier: MIT */
/* Numbers for plots: bins whose size does not grow with the length of a run, and ranges that do not
 * jump. No GTK; no errors, what is not finite is left out. */
#ifndef ARMATURE_UI_PLOT_DATA_H
#define ARMATURE_UI_PLOT_DATA_H

#include <glib.h>
#include <stdbool.h>

typedef struct {
  guint count;
  double sum, low, high;
} AuiBin;

/* A value over position, apart for both directions: [0] where position increases, [1] where it
 * decreases. When a position lies outside, the bins double their width until it lies inside. */
typedef struct {
  guint n; /* per direction, even */
  double low, high;
  AuiBin *bin[2];
} AuiBins;

/* low < high; n is rounded up to an even number. */
void aui_bins_init(AuiBins *bins, double low, double high, guint n);
void aui_bins_clear(AuiBins *bins); /* also all zero */
/* direction > 0: [0], < 0: [1], 0: none. */
void aui_bins_add(AuiBins *bins, double position, double value, int direction);
double aui_bins_position(const AuiBins *bins, guint k); /* middle of bin k */
guint aui_bins_filled(const AuiBins *bins, guint direction);

/* An axis that only grows, in steps of 1, 2 or 5 times a power of ten. Begin with all zero. */
typedef struct {
  bool is_set;
  double low, high;
} AuiRange;

/* true: it has grown. */
bool aui_range_include(AuiRange *range, double low, double high);

/* A zoom that PLplot can draw: around its middle at least 1e-6 of its magnitude wide. */
void aui_range_make_drawable(double *low, double *high);

#endif
