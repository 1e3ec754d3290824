/* SPDX-License-Identifier: MIT */
/* Figures of sweep curves. Directions differ by ink and stroke, speeds by width. */
#include <glib/gi18n.h>
#include <math.h>

#include "ui/sweep_curves.h"

static const AuiInk inks[2] = {AUI_INK_BLUE, AUI_INK_ORANGE};
static const AuiStroke strokes[2] = {AUI_STROKE_SOLID, AUI_STROKE_DASH};
static const char *const signs[2] = {"+", "\xe2\x88\x92"};

typedef double (*ValueOf)(const AuiCurves *curves, const AuiCurve *curve, guint direction,
                          guint bin);

/* Axes of all figures: the joint's planned range, so that they lie exactly below each other. */
static AuiFigure *new_figure(const AuiCurves *curves, bool has_title, const char *y,
                             const char *y_unit) {
  const char *unit;
  const double scale = aui_curves_scale(curves, &unit);
  double low, high;
  aui_curves_range(curves, &low, &high);
  char *title = g_strdup_printf(_("Joint %u, hold %u"), curves->joint, curves->hold);
  AuiFigure *figure = aui_figure_new(has_title ? title : "", _("position"), unit, y, y_unit);
  figure->x.low = scale * low;
  figure->x.high = scale * high;
  g_free(title);
  return figure;
}

static char *label_of(const AuiCurves *curves, const AuiCurve *curve, guint direction) {
  const char *unit;
  const double scale = aui_curves_scale(curves, &unit);
  return g_strdup_printf("%s%.3g %s/s %s", curve->run ? "" : _("now "), scale * curve->speed, unit,
                         signs[direction]);
}

/* One point per filled bin of `bins`, gaps where two are far apart. */
static AuiSeries *add_line(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                           const AuiBins *bins, guint direction, const char *label, AuiInk ink,
                           AuiStroke stroke, ValueOf value) {
  const char *unit;
  const double scale = aui_curves_scale(curves, &unit);
  const guint n = aui_bins_filled(bins, direction);
  AuiSeries *series = aui_figure_add(figure, label, ink, stroke, n);
  guint at = 0;
  for (guint k = 0; k < bins->n; k++)
    if (bins->bin[direction][k].count) {
      series->x[at] = scale * aui_bins_position(bins, k);
      series->y[at++] = value(curves, curve, direction, k);
    }
  return series;
}

static double mean(const AuiBin *bin) {
  return bin->sum / bin->count;
}

static double current_of(const AuiCurves *curves, const AuiCurve *curve, guint d, guint k) {
  (void)curves;
  return mean(&curve->current.bin[d][k]);
}

static double left_out_of(const AuiCurves *curves, const AuiCurve *curve, guint d, guint k) {
  (void)curves;
  return mean(&curve->left_out.bin[d][k]);
}

static double speed_of(const AuiCurves *curves, const AuiCurve *curve, guint d, guint k) {
  const char *unit;
  return aui_curves_scale(curves, &unit) * mean(&curve->qd.bin[d][k]);
}

static double computed_of(const AuiCurves *curves, const AuiCurve *curve, guint d, guint k) {
  return aui_curves_computed(curves, (AuiCurve *)curve, aui_bins_position(&curve->current, k), d);
}

static double residual_of(const AuiCurves *curves, const AuiCurve *curve, guint d, guint k) {
  return 1000.0 * (current_of(curves, curve, d, k) - computed_of(curves, curve, d, k));
}

/* Both directions of one curve; of all curves the slowest is thinnest. */
static void add_curve(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                      const AuiBins *bins, guint rank, ValueOf value) {
  for (guint d = 0; d < 2; d++) {
    if (!aui_bins_filled(bins, d))
      continue;
    char *label = label_of(curves, curve, d);
    AuiSeries *series = add_line(figure, curves, curve, bins, d, label, inks[d], strokes[d], value);
    series->width = 1.3 + 0.4 * MIN(rank, 5);
    g_free(label);
  }
}

static guint rank_of(const AuiCurves *curves, const AuiCurve *curve) {
  guint rank = 0;
  for (guint k = 0; k < curves->curves->len; k++)
    rank += ((const AuiCurve *)curves->curves->pdata[k])->speed < curve->speed - 1e-9;
  return rank;
}

static const AuiCurve *curve_at(const AuiCurves *curves, guint k) {
  return k < curves->curves->len ? curves->curves->pdata[k] : curves->live;
}

static guint count_curves(const AuiCurves *curves) {
  return curves->curves->len + (curves->live ? 1 : 0);
}

/* "not used: 312 not settled, 4 clipped"; NULL: all are used. g_free. */
static char *reasons(const AuiCurve *curve) {
  static const char *const words[ASE_SAMPLE_USES] = {
      NULL, N_("fault"), N_("gap"), N_("clipped"), N_("excluded"), N_("not settled")};
  GString *text = g_string_new(NULL);
  for (guint use = 1; use < ASE_SAMPLE_USES; use++)
    if (curve->use[use])
      g_string_append_printf(text, "%s%zu %s", text->len ? ", " : _("not used: "), curve->use[use],
                             _(words[use]));
  return g_string_free(text, text->len == 0);
}

static void add_left_out(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve) {
  char *label = reasons(curve);
  for (guint d = 0; label && d < 2; d++)
    if (aui_bins_filled(&curve->left_out, d)) {
      AuiSeries *series = add_line(figure, curves, curve, &curve->left_out, d, label, AUI_INK_GREY,
                                   AUI_STROKE_POINTS, left_out_of);
      series->width = 2.0;
      series->is_unlisted = true;
    }
  g_free(label);
}

static void add_computed(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                         bool is_first) {
  for (guint d = 0; d < 2; d++) {
    if (!aui_bins_filled(&curve->current, d))
      continue;
    AuiSeries *series = add_line(figure, curves, curve, &curve->current, d, _("computed"),
                                 AUI_INK_FOREGROUND, AUI_STROKE_DOT, computed_of);
    series->width = 1.2;
    series->is_unlisted = !is_first || d > 0;
  }
}

AuiFigure *aui_curves_current_figure(const AuiCurves *curves) {
  AuiFigure *figure = new_figure(curves, true, _("motor current"), "A");
  const guint n = count_curves(curves);
  figure->empty = g_strdup(
      _("No sweep of this joint at this hold yet: arm the robot, then Dry run, then Sweep"));
  for (guint k = 0; k < n; k++)
    add_left_out(figure, curves, curve_at(curves, k));
  for (guint k = 0; k < n; k++)
    add_curve(figure, curves, curve_at(curves, k), &curve_at(curves, k)->current,
              rank_of(curves, curve_at(curves, k)), current_of);
  for (guint k = 0; ase_session_fit(curves->session) && k < n; k++)
    add_computed(figure, curves, curve_at(curves, k), k == 0);
  return figure;
}

AuiFigure *aui_curves_speed_figure(const AuiCurves *curves) {
  const char *unit;
  aui_curves_scale(curves, &unit);
  char *per_s = g_strdup_printf("%s/s", unit);
  AuiFigure *figure = new_figure(curves, false, _("speed"), per_s);
  for (guint k = 0; k < count_curves(curves); k++)
    add_curve(figure, curves, curve_at(curves, k), &curve_at(curves, k)->qd,
              rank_of(curves, curve_at(curves, k)), speed_of);
  for (guint s = 0; s < figure->series->len; s++)
    ((AuiSeries *)figure->series->pdata[s])->is_unlisted = true;
  g_free(per_s);
  return figure;
}

AuiFigure *aui_curves_residual_figure(const AuiCurves *curves) {
  AuiFigure *figure = new_figure(curves, false, _("residual"), "mA");
  const ArmGravityFit *fit = ase_session_fit(curves->session);
  figure->empty = g_strdup(_("Measured minus computed appears here after the first Fit"));
  if (!fit || curves->joint > fit->refined.n)
    return figure;
  const double two_sd = 2000.0 * fit->refined.joint[curves->joint - 1].residual_sd;
  if (isfinite(two_sd) && count_curves(curves) > 0) {
    AuiSeries *band =
        aui_figure_add(figure, _("±2 sd of a sample"), AUI_INK_GREY, AUI_STROKE_BAND, 2);
    band->x[0] = figure->x.low, band->x[1] = figure->x.high;
    band->y[0] = band->y[1] = -two_sd;
    band->top[0] = band->top[1] = two_sd;
  }
  for (guint k = 0; k < count_curves(curves); k++)
    add_curve(figure, curves, curve_at(curves, k), &curve_at(curves, k)->current,
              rank_of(curves, curve_at(curves, k)), residual_of);
  for (guint s = 1; s < figure->series->len; s++)
    ((AuiSeries *)figure->series->pdata[s])->is_unlisted = true;
  return figure;
}
