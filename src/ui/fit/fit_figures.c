/* SPDX-License-Identifier: MIT */
/* Fig. 4 a and b of Lin 1994 and what they leave out: residuals, samples that are not used, those
 * that decide a parameter. Two pictures of one joint have the same axes, to be compared by eye. */
#include "ui/fit/fit_figures.h"

#include <glib/gi18n.h>
#include <math.h>

#include "ui/kit/format.h"

#define DECIDES 0.5 /* part of the largest weight from which on a sample is marked */

enum { GAP = AUI_FIT_BINS / 20 }; /* bins without a sample that break a line */

static const AuiInk inks[2] = {AUI_INK_BLUE, AUI_INK_ORANGE};
static const AuiStroke strokes[2] = {AUI_STROKE_SOLID, AUI_STROKE_DASH};

typedef double (*ValueOf)(const AuiFitBin *bin);

static double measured_of(const AuiFitBin *bin) {
  return bin->n ? bin->measured / bin->n : (double)NAN;
}
static double computed_of(const AuiFitBin *bin) {
  return bin->n ? bin->computed / bin->n : (double)NAN;
}

static double left_of(const AuiFitBin *bin, AuiRowUse use) {
  return bin->left_n[use] ? bin->left[use] / bin->left_n[use] : (double)NAN;
}

static const AuiFitJoint *joint_of(const AuiFitShown *shown) {
  const AuiFitData *data = shown->data;
  return data && shown->joint >= 1 && shown->joint <= data->joints ? &data->joint[shown->joint - 1]
                                                                   : NULL;
}

static guint count_runs(const AuiFitShown *shown) {
  const AuiFitJoint *joint = joint_of(shown);
  return joint ? joint->runs->len : 0;
}

static const AuiFitRun *run_at(const AuiFitShown *shown, guint k) {
  return joint_of(shown)->runs->pdata[k];
}

bool aui_fit_shows(const AuiFitShown *shown, guint run) {
  return shown->run == 0 || shown->run == run + 1;
}

static bool shows_direction(const AuiFitShown *shown, guint d) {
  return shown->direction == 0 || (shown->direction < 0) == (d == 1);
}

double aui_fit_scale(const AuiFitShown *shown, const char **unit) {
  const AuiFitData *data = shown->data;
  const bool turns = !data || shown->joint < 1 || shown->joint > data->joints ||
                     data->model.joints[shown->joint - 1].type == ARM_JOINT_R;
  if (turns)
    return aui_format_angle(unit);
  *unit = "m";
  return 1.0;
}

char *aui_fit_run_text(const AuiFitShown *shown, const AuiFitRun *run) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit);
  /* Translators: one sweep of a joint: number of the hold pose, speed, its unit. */
  return g_strdup_printf(_("hold %u, %.3g %s/s"), run->hold, scale * run->speed, unit);
}

/* ---- lines over position ---- */

static double position_of(const AuiFitRun *run, guint k) {
  return run->low + (k + 0.5) * (run->high - run->low) / AUI_FIT_BINS;
}

static void put(AuiSeries *series, double x, double y) {
  series->x[series->n] = x;
  series->y[series->n++] = y;
}

static AuiSeries *series_new(AuiFigure *figure, const char *label, AuiInk ink, AuiStroke stroke,
                             guint room) {
  AuiSeries *series = aui_figure_add(figure, label, ink, stroke, room);
  series->n = 0;
  series->is_unlisted = true;
  return series;
}

/* An entry of the legend for all series of an ink. */
static void add_key(AuiFigure *figure, const char *label, AuiInk ink, AuiStroke stroke) {
  AuiSeries *key = aui_figure_add(figure, label, ink, stroke, 0);
  key->width = stroke == AUI_STROKE_POINTS ? 4.0 : key->width;
}

static AuiSeries *add_line(AuiFigure *figure, const AuiFitShown *shown, const AuiFitRun *run,
                           guint d, AuiInk ink, AuiStroke stroke, ValueOf value) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit);
  g_autofree char *label = aui_fit_run_text(shown, run);
  AuiSeries *series = series_new(figure, label, ink, stroke, 2 * AUI_FIT_BINS);
  guint last = 0;
  for (guint k = 0; k < AUI_FIT_BINS; k++) {
    const double y = value(&run->bin[d][k]);
    if (!isfinite(y))
      continue;
    if (series->n && k - last > GAP)
      put(series, scale * position_of(run, k), NAN);
    put(series, scale * position_of(run, k), y);
    last = k;
  }
  return series;
}

/* The slowest is thinnest. */
static double width_of(const AuiFitShown *shown, const AuiFitRun *run) {
  guint rank = 0;
  for (guint k = 0; k < count_runs(shown); k++)
    rank += run_at(shown, k)->hold == run->hold && run_at(shown, k)->speed < run->speed - 1e-9;
  return 1.2 + 0.4 * MIN(rank, 4);
}

static void add_lines(AuiFigure *figure, const AuiFitShown *shown, ValueOf value) {
  for (guint k = 0; k < count_runs(shown); k++)
    for (guint d = 0; d < 2; d++)
      if (aui_fit_shows(shown, k) && shows_direction(shown, d))
        add_line(figure, shown, run_at(shown, k), d, inks[d], strokes[d], value)->width =
            width_of(shown, run_at(shown, k));
  if (!count_runs(shown))
    return;
  if (shows_direction(shown, 0))
    add_key(figure, "+", inks[0], strokes[0]);
  if (shows_direction(shown, 1))
    add_key(figure, "\xe2\x88\x92", inks[1], strokes[1]);
}

/* ---- what is not used ---- */

static bool add_left(AuiFigure *figure, const AuiFitShown *shown, const AuiFitRun *run, guint d,
                     AuiRowUse use) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit);
  g_autofree char *label = NULL;
  if (!run->rows[use])
    return false;
  /* Translators: the reason follows: clipped, excluded, not settled... */
  label = g_strdup_printf(_("not used: %s"), aui_row_use_text(use));
  AuiSeries *series = series_new(figure, label, AUI_INK_GREY, AUI_STROKE_POINTS, AUI_FIT_BINS);
  series->width = 2.0;
  for (guint k = 0; k < AUI_FIT_BINS; k++) {
    const AuiFitBin *bin = &run->bin[d][k];
    if (bin->left_n[use])
      put(series, scale * position_of(run, k), left_of(bin, use));
  }
  return series->n > 0;
}

static void add_all_left(AuiFigure *figure, const AuiFitShown *shown) {
  bool is_any = false;
  for (guint k = 0; k < count_runs(shown); k++)
    for (guint d = 0; d < 2; d++)
      for (guint use = AUI_ROW_USED + 1; use < AUI_ROW_WILD; use++)
        if (aui_fit_shows(shown, k) && shows_direction(shown, d))
          is_any |= add_left(figure, shown, run_at(shown, k), d, (AuiRowUse)use);
  if (is_any)
    add_key(figure, _("not used"), AUI_INK_GREY, AUI_STROKE_POINTS);
}

/* ---- residuals: their unit ---- */

/* In thousands the labels of an axis do not fit. */
static double residual_scale(const AuiFitShown *shown, const char **unit) {
  const AuiFitJoint *joint = joint_of(shown);
  const bool is_large = joint && joint->sd >= 0.25;
  *unit = is_large ? "A" : "mA";
  return is_large ? 1.0 : 1e3;
}

/* ---- what is far off ---- */

/* Samples as crosses, by current or residual; the picture does not grow for them. Returns how many
 * there are, and how many beyond [low, high]. */
static guint add_crosses(AuiFigure *figure, const AuiFitShown *shown, const GArray *points,
                         AuiInk ink, bool is_residual, const double range[2], guint *beyond) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit), to_unit = residual_scale(shown, &unit);
  guint n = 0;
  AuiSeries *series = aui_figure_add(figure, NULL, ink, AUI_STROKE_MARKS, points->len);
  series->is_aside = true;
  *beyond = 0;
  for (guint k = 0; k < points->len; k++) {
    const AuiFitPoint *point = &g_array_index(points, AuiFitPoint, k);
    if (!aui_fit_shows(shown, point->run) || !shows_direction(shown, point->direction < 0))
      continue;
    series->x[n] = is_residual && shown->is_over_time ? point->t : scale * point->q;
    series->y[n] = is_residual ? to_unit * point->residual : point->current;
    *beyond += series->y[n] < range[0] || series->y[n] > range[1];
    n++;
  }
  series->n = n;
  return n;
}

static void name_crosses(AuiFigure *figure, char *label) {
  AuiSeries *series = figure->series->pdata[figure->series->len - 1];
  series->label = label;
}

static void add_wild(AuiFigure *figure, const AuiFitShown *shown, bool is_residual,
                     const double range[2]) {
  const AuiFitJoint *joint = joint_of(shown);
  guint beyond;
  if (!joint || !joint->wild->len)
    return;
  const guint n =
      add_crosses(figure, shown, joint->wild, AUI_INK_FOREGROUND, is_residual, range, &beyond);
  if (n && beyond)
    /* Translators: legend: samples that were left out because nothing around is like them; how
     * many, and how many of them lie above or below the picture. */
    name_crosses(figure, g_strdup_printf(_("wild: %u (%u beyond)"), n, beyond));
  else if (n)
    name_crosses(figure, g_strdup_printf(_("wild: %u"), n));
}

/* Few and far off, but used. */
static void add_far(AuiFigure *figure, const AuiFitShown *shown, const double range[2]) {
  const AuiFitJoint *joint = joint_of(shown);
  guint beyond;
  if (!joint->far->len)
    return;
  const guint n = add_crosses(figure, shown, joint->far, AUI_INK_GREY, true, range, &beyond);
  if (n)
    /* Translators: legend: so many samples that are used lie above or below the picture. */
    name_crosses(figure, g_strdup_printf(_("beyond: %u"), n));
}

/* ---- what decides a parameter ---- */

static double weight_of(const AuiFitShown *shown, const AuiFitRun *run, guint d, guint k) {
  const double qd = (d ? -1.0 : 1.0) * run->speed;
  return run->bin[d][k].n ? fabs(aui_fit_data_column(shown->data, shown->joint, run,
                                                     position_of(run, k), qd, shown->parameter))
                          : 0.0;
}

static double largest_weight(const AuiFitShown *shown) {
  double largest = 0.0;
  for (guint r = 0; r < count_runs(shown); r++)
    for (guint d = 0; d < 2; d++)
      for (guint k = 0; k < AUI_FIT_BINS; k++)
        largest = fmax(largest, weight_of(shown, run_at(shown, r), d, k));
  return largest;
}

/* Where there is no room for all keys, the first are left out. */
static void add_marks_key(AuiFigure *figure, const AuiFitShown *shown) {
  if (shown->has_parameter)
    add_key(figure, _("decides the parameter"), AUI_INK_PURPLE, AUI_STROKE_POINTS);
}

static void add_marks(AuiFigure *figure, const AuiFitShown *shown) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit);
  const double least = shown->has_parameter ? DECIDES * largest_weight(shown) : 0.0;
  if (!(least > 0.0))
    return;
  for (guint r = 0; r < count_runs(shown); r++)
    for (guint d = 0; d < 2; d++) {
      const AuiFitRun *run = run_at(shown, r);
      if (!aui_fit_shows(shown, r) || !shows_direction(shown, d))
        continue;
      AuiSeries *series = series_new(figure, NULL, AUI_INK_PURPLE, AUI_STROKE_POINTS, AUI_FIT_BINS);
      series->width = 4.0;
      for (guint k = 0; k < AUI_FIT_BINS; k++)
        if (weight_of(shown, run, d, k) >= least)
          put(series, scale * position_of(run, k), measured_of(&run->bin[d][k]));
    }
}

/* ---- currents ---- */

/* Both pictures get the same axes, so that they can be compared by eye. */
static void share_axes(AuiFigure *figure, const AuiFitShown *shown) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit);
  AuiAxis *x = &figure->x, *y = &figure->y;
  for (guint r = 0; r < count_runs(shown); r++) {
    const AuiFitRun *run = run_at(shown, r);
    if (!aui_fit_shows(shown, r))
      continue;
    x->low = fmin(x->low, scale * run->low);
    x->high = fmax(x->high, scale * run->high);
    for (guint k = 0; k < 2 * AUI_FIT_BINS; k++) {
      const AuiFitBin *bin = &run->bin[k % 2][k / 2];
      y->low = fmin(y->low, fmin(measured_of(bin), computed_of(bin)));
      y->high = fmax(y->high, fmax(measured_of(bin), computed_of(bin)));
      for (guint use = AUI_ROW_USED + 1; use < AUI_ROW_WILD; use++) {
        const double left = left_of(bin, (AuiRowUse)use);
        y->low = fmin(y->low, left);
        y->high = fmax(y->high, left);
      }
    }
  }
}

static const char *why_empty(const AuiFitShown *shown) {
  if (shown->is_imported)
    return shown->is_validation
               ? _("No sweep of this joint in the recording is left for validation")
               : _("No sweep of this joint in the recording: import one that has some");
  return shown->is_validation ? _("No validation sweep of this joint: Sweep does them at its end")
                              : _("No sweep of this joint yet: Arm, Dry run, then Sweep");
}

static AuiFigure *current_figure(const AuiFitShown *shown, const char *title) {
  const char *unit;
  aui_fit_scale(shown, &unit);
  AuiFigure *figure = aui_figure_new(title, _("position"), unit, _("motor current"), "A");
  figure->empty = g_strdup(why_empty(shown));
  share_axes(figure, shown);
  return figure;
}

AuiFigure *aui_fit_measured_figure(const AuiFitShown *shown) {
  AuiFigure *figure = current_figure(shown, _("a: measured"));
  add_marks_key(figure, shown);
  add_all_left(figure, shown);
  add_lines(figure, shown, measured_of);
  add_marks(figure, shown);
  add_wild(figure, shown, false, (const double[]){figure->y.low, figure->y.high});
  return figure;
}

AuiFigure *aui_fit_computed_figure(const AuiFitShown *shown) {
  AuiFigure *figure =
      current_figure(shown, shown->is_validation ? _("b: predicted") : _("b: computed"));
  if (shown->data && !shown->data->has_fit) {
    g_free(figure->empty);
    figure->empty = g_strdup(_("Computed currents appear after the fit"));
  } else {
    add_lines(figure, shown, computed_of);
  }
  return figure;
}

AuiFigure *aui_fit_overlaid_figure(const AuiFitShown *shown) {
  AuiFigure *figure = current_figure(shown, shown->is_validation ? _("Measured and predicted")
                                                                 : _("Measured and computed"));
  add_marks_key(figure, shown);
  add_all_left(figure, shown);
  add_lines(figure, shown, measured_of);
  for (guint k = 0; shown->data && shown->data->has_fit && k < count_runs(shown); k++)
    for (guint d = 0; d < 2; d++)
      if (aui_fit_shows(shown, k) && shows_direction(shown, d))
        add_line(figure, shown, run_at(shown, k), d, AUI_INK_FOREGROUND, AUI_STROKE_DOT,
                 computed_of)
            ->width = 1.3;
  if (shown->data && shown->data->has_fit && count_runs(shown))
    add_key(figure, shown->is_validation ? _("predicted") : _("computed"), AUI_INK_FOREGROUND,
            AUI_STROKE_DOT);
  add_marks(figure, shown);
  add_wild(figure, shown, false, (const double[]){figure->y.low, figure->y.high});
  return figure;
}

/* ---- residuals ---- */

static void add_band(AuiFigure *figure, const char *label, double low, double high, double half) {
  AuiSeries *band = aui_figure_add(figure, label, AUI_INK_GREY, AUI_STROKE_BAND, 2);
  band->x[0] = low, band->x[1] = high;
  band->y[0] = band->y[1] = -half;
  band->top[0] = band->top[1] = half;
}

static void add_points(AuiFigure *figure, const AuiFitShown *shown, guint d) {
  const char *unit;
  const double scale = aui_fit_scale(shown, &unit), to_unit = residual_scale(shown, &unit);
  const AuiFitJoint *joint = joint_of(shown);
  AuiSeries *series = aui_figure_add(figure, d ? "\xe2\x88\x92" : "+", inks[d], AUI_STROKE_POINTS,
                                     joint->points->len);
  series->n = 0;
  series->width = 2.0;
  for (guint k = 0; k < joint->points->len; k++) {
    const AuiFitPoint *point = &g_array_index(joint->points, AuiFitPoint, k);
    if ((point->direction < 0) == (d == 1) && aui_fit_shows(shown, point->run))
      put(series, shown->is_over_time ? point->t : scale * point->q, to_unit * point->residual);
  }
}

static bool has_residuals(const AuiFitShown *shown) {
  const AuiFitJoint *joint = joint_of(shown);
  return joint && shown->data->has_fit && joint->points->len && joint->sd > 0.0;
}

AuiFigure *aui_fit_residual_figure(const AuiFitShown *shown) {
  const char *unit, *unit_A;
  const double to_unit = residual_scale(shown, &unit_A);
  aui_fit_scale(shown, &unit);
  AuiFigure *figure =
      aui_figure_new(_("Residuals"), shown->is_over_time ? _("time") : _("position"),
                     shown->is_over_time ? "s" : unit, _("residual"), unit_A);
  figure->empty = g_strdup(_("Sweep, then Fit"));
  if (!has_residuals(shown))
    return figure;
  for (guint d = 0; d < 2; d++)
    if (shows_direction(shown, d))
      add_points(figure, shown, d);
  double x[2], y[2];
  if (aui_figure_bounds(figure, x, y))
    add_band(figure,
             _("\xc2\xb1"
               "2 sd"),
             x[0], x[1], 2.0 * to_unit * joint_of(shown)->sd);
  if (aui_figure_bounds(figure, x, y)) {
    add_far(figure, shown, y);
    add_wild(figure, shown, true, y);
  }
  return figure;
}

AuiFigure *aui_fit_histogram_figure(const AuiFitShown *shown) {
  const char *unit;
  const double to_unit = residual_scale(shown, &unit);
  AuiFigure *figure = aui_figure_new(_("Distribution"), _("residual"), unit, _("samples"), NULL);
  figure->empty = g_strdup(_("Sweep, then Fit"));
  if (!has_residuals(shown))
    return figure;
  const AuiFitJoint *joint = joint_of(shown);
  const double sd = to_unit * joint->sd, low = -4.0 * sd, width = -2.0 * low / AUI_FIT_HISTOGRAM;
  const double total = (double)joint->rows[AUI_ROW_USED];
  AuiSeries *bars =
      aui_figure_add(figure, _("samples"), AUI_INK_BLUE, AUI_STROKE_BAND, 2 * AUI_FIT_HISTOGRAM);
  AuiSeries *normal =
      aui_figure_add(figure, _("normal"), AUI_INK_ORANGE, AUI_STROKE_DASH, AUI_FIT_HISTOGRAM);
  for (guint k = 0; k < AUI_FIT_HISTOGRAM; k++) {
    bars->x[2 * k] = low + k * width, bars->x[2 * k + 1] = low + (k + 1) * width;
    bars->top[2 * k] = bars->top[2 * k + 1] = joint->histogram[k];
    const double z = (low + (k + 0.5) * width) / sd;
    normal->x[k] = z * sd;
    normal->y[k] = total * width / sd * exp(-0.5 * z * z) / sqrt(2.0 * G_PI);
  }
  return figure;
}

AuiFigure *aui_fit_autocorrelation_figure(const AuiFitShown *shown) {
  AuiFigure *figure =
      aui_figure_new(_("Autocorrelation"), _("lag"), _("samples"), _("correlation"), NULL);
  figure->empty = g_strdup(_("Sweep, then Fit"));
  if (!has_residuals(shown))
    return figure;
  const AuiFitJoint *joint = joint_of(shown);
  add_band(figure, /* xgettext:no-c-format */ _("95 % of white noise"), 0.0, AUI_FIT_LAGS - 1,
           1.96 / sqrt((double)joint->rows[AUI_ROW_USED]));
  AuiSeries *line =
      aui_figure_add(figure, _("residuals"), AUI_INK_BLUE, AUI_STROKE_SOLID, AUI_FIT_LAGS);
  for (guint k = 0; k < AUI_FIT_LAGS; k++)
    line->x[k] = k, line->y[k] = joint->correlation[k];
  figure->y.low = -0.2;
  return figure;
}
