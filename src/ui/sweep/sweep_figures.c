/* SPDX-License-Identifier: MIT */
/* Figures of sweep curves. Directions differ by ink and stroke, speeds by width. */
#include <glib/gi18n.h>
#include <math.h>

#include "ui/sweep/sweep_curves.h"

/* Lines go on over this part of empty bins: a slow telemetry does not fill each. */
#define GAP_PART 0.03

static const AuiInk inks[2] = {AUI_INK_BLUE, AUI_INK_ORANGE};
static const AuiStroke strokes[2] = {AUI_STROKE_SOLID, AUI_STROKE_DASH};
static const char *const signs[2] = {"+", "\xe2\x88\x92"};

/* Value of a filled bin, in the units of the samples. */
typedef double (*ValueOf)(const AuiCurves *curves, const AuiCurve *curve, const AuiBins *bins,
                          guint direction, guint bin);

/* How one kind of line is made of a curve. */
typedef struct {
  ValueOf value;
  double x_scale, y_scale;
} Lens;

/* ---- curves ---- */

static const AuiCurve *curve_at(const AuiCurves *curves, guint k) {
  return k < curves->curves->len ? curves->curves->pdata[k] : curves->live;
}

static guint count_curves(const AuiCurves *curves) {
  return curves->curves->len + (curves->live ? 1 : 0);
}

static guint rank_of(const AuiCurves *curves, const AuiCurve *curve) {
  guint rank = 0;
  for (guint k = 0; k < curves->curves->len; k++)
    rank += ((const AuiCurve *)curves->curves->pdata[k])->speed < curve->speed - 1e-9;
  return rank;
}

static char *label_of(const AuiCurves *curves, const AuiCurve *curve, guint direction) {
  const char *unit;
  const double speed = aui_curves_scale(curves, &unit) * curve->speed;
  /* translators: speed, unit, sign of the direction, of the sweep that runs now */
  return curve->run ? g_strdup_printf("%.3g %s/s %s", speed, unit, signs[direction])
                    : g_strdup_printf(_("now, %.3g %s/s %s"), speed, unit, signs[direction]);
}

/* ---- figures ---- */

static void extend_filled(const AuiBins *bins, double *low, double *high) {
  for (guint d = 0; d < 2; d++)
    for (guint k = 0; k < bins->n; k++)
      if (bins->bin[d][k].count) {
        *low = fmin(*low, aui_bins_position(bins, k));
        *high = fmax(*high, aui_bins_position(bins, k));
      }
}

/* The joint's planned range and where it has been, for all plots, so that they lie exactly below
 * each other. */
static void shown_range(const AuiCurves *curves, double *low, double *high) {
  aui_curves_range(curves, low, high);
  for (guint k = 0; k < count_curves(curves); k++)
    extend_filled(&curve_at(curves, k)->qd, low, high);
  for (guint k = 0; curves->shows_earlier && k < curves->earlier->len; k++)
    extend_filled(&((const AuiCurve *)curves->earlier->pdata[k])->qd, low, high);
}

static AuiFigure *new_figure(const AuiCurves *curves, const char *what, const char *y,
                             const char *y_unit) {
  const char *unit;
  const double scale = aui_curves_scale(curves, &unit);
  double low, high;
  shown_range(curves, &low, &high);
  /* translators: "Joint 3, hold 1: motor current" */
  g_autofree char *title =
      g_strdup_printf(_("Joint %u, hold %u: %s"), curves->joint, curves->hold, what);
  AuiFigure *figure = aui_figure_new(title, _("position"), unit, y, y_unit);
  figure->x.low = scale * low;
  figure->x.high = scale * high;
  return figure;
}

/* A point per filled bin, gaps where two are far apart. */
static AuiSeries *add_line(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                           const AuiBins *bins, guint direction, const char *label,
                           const Lens *lens) {
  const guint wide = MAX((guint)(GAP_PART * bins->n), 1);
  AuiSeries *series = aui_figure_add(figure, label, inks[direction], strokes[direction], bins->n);
  guint at = 0, last = 0;
  for (guint k = 0; k < bins->n; k++) {
    if (!bins->bin[direction][k].count)
      continue;
    if (at && k - last > wide) /* there is an empty bin, so there is room for the gap */
      series->y[at++] = NAN;
    series->x[at] = lens->x_scale * aui_bins_position(bins, k);
    series->y[at++] = lens->y_scale * lens->value(curves, curve, bins, direction, k);
    last = k;
  }
  series->n = at;
  series->is_unlisted = true;
  return series;
}

/* Both directions of one curve; of all curves the slowest is thinnest. */
static void add_curve(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                      const AuiBins *bins, const Lens *lens) {
  for (guint d = 0; d < 2; d++) {
    if (!aui_bins_filled(bins, d))
      continue;
    g_autofree char *label = label_of(curves, curve, d);
    add_line(figure, curves, curve, bins, d, label, lens)->width =
        1.3 + 0.4 * MIN(rank_of(curves, curve), 5);
  }
}

static void add_earlier(AuiFigure *figure, const AuiCurves *curves, const Lens *lens,
                        const AuiBins *(*bins_of)(const AuiCurve *curve)) {
  for (guint k = 0; curves->shows_earlier && k < curves->earlier->len; k++) {
    const AuiCurve *curve = curves->earlier->pdata[k];
    for (guint d = 0; d < 2; d++) {
      if (!aui_bins_filled(bins_of(curve), d))
        continue;
      g_autofree char *label = label_of(curves, curve, d);
      g_autofree char *text = g_strdup_printf(_("earlier, %s"), label);
      AuiSeries *series = add_line(figure, curves, curve, bins_of(curve), d, text, lens);
      series->ink = AUI_INK_GREY;
      series->width = 1.0;
    }
  }
}

/* A line of the legend alone. */
static void add_key(AuiFigure *figure, const char *label, AuiInk ink, AuiStroke stroke) {
  aui_figure_add(figure, label, ink, stroke, 0);
}

static void add_direction_keys(AuiFigure *figure, const AuiCurves *curves) {
  if (!count_curves(curves))
    return;
  add_key(figure, C_("direction", "forth (+)"), inks[0], strokes[0]);
  add_key(figure, C_("direction", "back (\xe2\x88\x92)"), inks[1], strokes[1]);
}

/* ---- values ---- */

static double mean_of(const AuiCurves *curves, const AuiCurve *curve, const AuiBins *bins, guint d,
                      guint k) {
  (void)curves, (void)curve;
  return bins->bin[d][k].sum / bins->bin[d][k].count;
}

static double tracking_of(const AuiCurves *curves, const AuiCurve *curve, const AuiBins *bins,
                          guint d, guint k) {
  return mean_of(curves, curve, bins, d, k) - (d ? -curve->speed : curve->speed);
}

static double computed_of(const AuiCurves *curves, const AuiCurve *curve, const AuiBins *bins,
                          guint d, guint k) {
  return aui_curves_computed(curves, (AuiCurve *)curve, aui_bins_position(bins, k), d);
}

static double residual_of(const AuiCurves *curves, const AuiCurve *curve, const AuiBins *bins,
                          guint d, guint k) {
  return mean_of(curves, curve, bins, d, k) - computed_of(curves, curve, bins, d, k);
}

static const AuiBins *current_bins(const AuiCurve *curve) {
  return &curve->current;
}
static const AuiBins *qd_bins(const AuiCurve *curve) {
  return &curve->qd;
}
static const AuiBins *qd_time_bins(const AuiCurve *curve) {
  return &curve->qd_time;
}

/* ---- current ---- */

/* "not used: 312 not settled, 4 clipped"; NULL: all are used. g_free. */
static char *reasons(const AuiCurve *curve) {
  static const char *const words[ASE_SAMPLE_USES] = {
      NULL, N_("fault"), N_("gap"), N_("clipped"), N_("excluded"), N_("not settled")};
  GString *text = g_string_new(NULL);
  for (guint use = 1; use < ASE_SAMPLE_USES; use++)
    if (curve->use[use])
      g_string_append_printf(text, "%s%zu %s", text->len ? ", " : "", curve->use[use],
                             _(words[use]));
  g_autofree char *list = g_string_free(text, FALSE);
  return *list ? g_strdup_printf(_("not used: %s"), list) : NULL;
}

static bool add_left_out(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                         const Lens *lens) {
  g_autofree char *label = reasons(curve);
  const bool has_any = label != NULL;
  for (guint d = 0; label && d < 2; d++)
    if (aui_bins_filled(&curve->left_out, d)) {
      AuiSeries *series = add_line(figure, curves, curve, &curve->left_out, d, label, lens);
      series->ink = AUI_INK_GREY;
      series->stroke = AUI_STROKE_POINTS;
      series->width = 2.0;
    }
  return has_any;
}

/* Lowest and highest sample of each bin: what the mean line hides. */
static void add_range(AuiFigure *figure, const AuiCurve *curve, const Lens *lens) {
  const AuiBins *bins = &curve->current;
  for (guint d = 0; d < 2; d++) {
    AuiSeries *band = aui_figure_add(figure, NULL, inks[d], AUI_STROKE_BAND, bins->n);
    guint at = 0;
    for (guint k = 0; k < bins->n; k++) {
      const AuiBin *bin = &bins->bin[d][k];
      if (!bin->count)
        continue;
      band->x[at] = lens->x_scale * aui_bins_position(bins, k);
      band->y[at] = lens->y_scale * bin->low;
      band->top[at++] = lens->y_scale * bin->high;
    }
    band->n = at;
  }
}

static void add_computed(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                         const Lens *lens) {
  for (guint d = 0; d < 2; d++) {
    if (!aui_bins_filled(&curve->current, d))
      continue;
    AuiSeries *series = add_line(figure, curves, curve, &curve->current, d, _("computed"), lens);
    series->ink = AUI_INK_FOREGROUND;
    series->stroke = AUI_STROKE_DOT;
    series->width = 1.2;
  }
}

static const char *why_empty(AseSession *session) {
  if (ase_session_is_imported(session))
    return _("No sweep of this joint at this hold in the recording");
  return ase_device_is_armed(ase_session_device(session))
             ? _("No sweep of this joint at this hold yet")
             : _("No sweep of this joint at this hold yet: arm the robot, then Dry run, then "
                 "Sweep");
}

AuiFigure *aui_curves_current_figure(const AuiCurves *curves) {
  const char *unit, *x_unit;
  const double load = aui_curves_load(curves, &unit), scale = aui_curves_scale(curves, &x_unit);
  const char *what = g_str_equal(unit, "A") ? _("motor current") : _("motor load");
  AuiFigure *figure = new_figure(curves, what, what, unit);
  const Lens measured = {mean_of, scale, load}, computed = {computed_of, scale, load};
  const guint n = count_curves(curves);
  const bool has_fit = curves->predictor != NULL;
  bool is_left_out = false;
  figure->empty = g_strdup(why_empty(curves->session));
  add_earlier(figure, curves, &measured, current_bins);
  for (guint k = 0; k < n; k++)
    is_left_out |= add_left_out(figure, curves, curve_at(curves, k), &measured);
  if (n == 1 || curves->live)
    add_range(figure, curve_at(curves, n - 1), &measured);
  for (guint k = 0; k < n; k++)
    add_curve(figure, curves, curve_at(curves, k), &curve_at(curves, k)->current, &measured);
  for (guint k = 0; has_fit && k < n; k++)
    add_computed(figure, curves, curve_at(curves, k), &computed);
  add_direction_keys(figure, curves);
  if (has_fit && n)
    add_key(figure, _("computed"), AUI_INK_FOREGROUND, AUI_STROKE_DOT);
  if (is_left_out)
    add_key(figure, _("not used"), AUI_INK_GREY, AUI_STROKE_DOT);
  if (curves->shows_earlier && curves->earlier->len)
    add_key(figure, _("earlier"), AUI_INK_GREY, AUI_STROKE_SOLID);
  return figure;
}

/* ---- speed ---- */

/* Between which speeds, and how far from the ends of the stroke, the fit takes samples. */
static void add_plateau(AuiFigure *figure, const AuiCurves *curves, const AuiCurve *curve,
                        bool is_over_time, double y0) {
  const ArmRowOptions *rows = &ase_session_edits(curves->session)->rows;
  const char *unit;
  const double scale = aui_curves_scale(curves, &unit);
  const bool turns =
      ase_session_arm(curves->session)->model.joints[curves->joint - 1].type == ARM_JOINT_R;
  double low, high;
  aui_curves_range(curves, &low, &high);
  const double part = rows->plateau_end_part * (high - low);
  const double end = turns ? fmin(rows->plateau_end_R, part) : part;
  for (guint d = 0; rows->wants_plateau && d < 2; d++) {
    const double middle = (d ? -1.0 : 1.0) * (curve->speed - y0);
    const double half = rows->plateau_speed_tolerance * curve->speed;
    AuiSeries *band = aui_figure_add(figure, _("used"), AUI_INK_GREEN, AUI_STROKE_BAND, 2);
    band->x[0] = is_over_time ? curve->qd_time.low : scale * (low + end);
    band->x[1] = is_over_time ? curve->qd_time.high : scale * (high - end);
    band->y[0] = band->y[1] = scale * (middle - half);
    band->top[0] = band->top[1] = scale * (middle + half);
    band->is_unlisted = true;
  }
}

static AuiFigure *new_speed_figure(const AuiCurves *curves, bool is_tracking, bool is_over_time) {
  const char *unit;
  aui_curves_scale(curves, &unit);
  g_autofree char *per_s = g_strdup_printf("%s/s", unit);
  const char *what = is_tracking ? _("speed minus commanded") : _("speed");
  AuiFigure *figure = new_figure(curves, what, is_tracking ? _("tracking") : what, per_s);
  if (is_over_time) {
    g_free(figure->x.name), g_free(figure->x.unit);
    figure->x = (AuiAxis){g_strdup(_("time since the sweep began")), g_strdup("s"), 0.0, NAN};
  }
  return figure;
}

AuiFigure *aui_curves_speed_figure(const AuiCurves *curves, AuiSpeedView view) {
  const bool is_tracking = view == AUI_TRACKING_OVER_POSITION || view == AUI_TRACKING_OVER_TIME;
  const bool is_over_time = view == AUI_SPEED_OVER_TIME || view == AUI_TRACKING_OVER_TIME;
  const char *unit;
  const double scale = aui_curves_scale(curves, &unit);
  const Lens lens = {is_tracking ? tracking_of : mean_of, is_over_time ? 1.0 : scale, scale};
  AuiFigure *figure = new_speed_figure(curves, is_tracking, is_over_time);
  const guint n = count_curves(curves);
  guint fitted = 0; /* not a dry run, held out, ... */
  for (guint k = 0; k < n; k++)
    if (curve_at(curves, k)->purpose == ASE_PURPOSE_MEASURE) {
      add_plateau(figure, curves, curve_at(curves, k), is_over_time,
                  is_tracking ? curve_at(curves, k)->speed : 0.0);
      fitted++;
    }
  add_earlier(figure, curves, &lens, is_over_time ? qd_time_bins : qd_bins);
  for (guint k = 0; k < n; k++)
    add_curve(figure, curves, curve_at(curves, k),
              (is_over_time ? qd_time_bins : qd_bins)(curve_at(curves, k)), &lens);
  if (fitted && ase_session_edits(curves->session)->rows.wants_plateau)
    add_key(figure, _("used by the fit"), AUI_INK_GREEN, AUI_STROKE_BAND);
  return figure;
}

/* ---- residual ---- */

AuiFigure *aui_curves_residual_figure(const AuiCurves *curves) {
  const char *load_unit, *unit;
  const double load = aui_curves_load(curves, &load_unit), scale = aui_curves_scale(curves, &unit);
  const bool is_current = g_str_equal(load_unit, "A");
  const Lens lens = {residual_of, scale, is_current ? 1000.0 : load};
  AuiFigure *figure = new_figure(curves, _("measured minus computed"), _("residual"),
                                 is_current ? "mA" : load_unit);
  figure->empty = g_strdup(_("Measured minus computed appears here after the first Fit"));
  if (!curves->predictor)
    return figure;
  const double two_sd =
      2.0 * fabs(lens.y_scale) * curves->predictor->residual_sd[curves->joint - 1];
  if (isfinite(two_sd) && count_curves(curves) > 0) {
    AuiSeries *band =
        aui_figure_add(figure, _("±2 sd of a sample"), AUI_INK_GREY, AUI_STROKE_BAND, 2);
    band->x[0] = figure->x.low, band->x[1] = figure->x.high;
    band->y[0] = band->y[1] = -two_sd;
    band->top[0] = band->top[1] = two_sd;
  }
  for (guint k = 0; k < count_curves(curves); k++)
    add_curve(figure, curves, curve_at(curves, k), &curve_at(curves, k)->current, &lens);
  return figure;
}
