/* SPDX-License-Identifier: MIT */
/* Fig. 4 a and b of Lin 1994 and what they leave out: residuals, samples that are not used, those
 * that decide a parameter. Two pictures of one joint have the same axes, to be compared by eye. */
#include <glib/gi18n-lib.h>
#include <math.h>

#include "session/method/method_gravity.h"

#define DECIDES 0.5 /* part of the largest weight from which on a sample is marked */

enum { GAP = ASE_SWEPT_BINS / 20 }; /* bins without a sample that break a line */

typedef double (*ValueOf)(const AseSweptBin *bin);

static double measured_of(const AseSweptBin *bin) {
  return bin->n ? bin->measured / bin->n : (double)NAN;
}
static double computed_of(const AseSweptBin *bin) {
  return bin->n ? bin->computed / bin->n : (double)NAN;
}

static double left_of(const AseSweptBin *bin, AseRowUse use) {
  return bin->left_n[use] ? bin->left[use] / bin->left_n[use] : (double)NAN;
}

static guint count_runs(const AseShown *shown) {
  const AseSweptJoint *joint = ase_shown_joint(shown);
  return joint ? joint->runs->len : 0;
}

static const AseSweptRun *run_at(const AseShown *shown, guint k) {
  return ase_shown_joint(shown)->runs->pdata[k];
}

static bool has_fit(const AseShown *shown) {
  return shown->data && shown->data->predictor;
}

static int sign_of(guint d) {
  return d ? -1 : 1;
}

static bool shows(const AseShown *shown, guint run, guint d) {
  return ase_shows_run(shown, run) && ase_shows_direction(shown, sign_of(d));
}

/* ---- lines over position ---- */

static double position_of(const AseSweptRun *run, guint k) {
  return run->low + (k + 0.5) * (run->high - run->low) / ASE_SWEPT_BINS;
}

static guint rank_of(const AseShown *shown, const AseSweptRun *run) {
  guint rank = 0;
  for (guint k = 0; k < count_runs(shown); k++)
    rank += run_at(shown, k)->hold == run->hold && run_at(shown, k)->speed < run->speed - 1e-9;
  return rank;
}

/* Of one sweep and direction. */
static AseSeries *add_of_run(AsePicture *picture, const AseShown *shown, AseSeriesRole role,
                             guint run, guint d, guint room) {
  AseSeries *series = ase_picture_add(picture, role, NULL, room);
  series->run = run + 1;
  series->direction = sign_of(d);
  series->rank = rank_of(shown, run_at(shown, run));
  return series;
}

static void add_line(AsePicture *picture, const AseShown *shown, AseSeriesRole role, guint r,
                     guint d, ValueOf value) {
  const AseSweptRun *run = run_at(shown, r);
  AseSeries *series = add_of_run(picture, shown, role, r, d, 2 * ASE_SWEPT_BINS);
  guint last = 0;
  for (guint k = 0; k < ASE_SWEPT_BINS; k++) {
    const double y = value(&run->bin[d][k]);
    if (!isfinite(y))
      continue;
    if (series->n && k - last > GAP)
      ase_series_put(series, position_of(run, k), NAN);
    ase_series_put(series, position_of(run, k), y);
    last = k;
  }
}

static void add_lines(AsePicture *picture, const AseShown *shown, AseSeriesRole role,
                      ValueOf value) {
  for (guint k = 0; k < count_runs(shown); k++)
    for (guint d = 0; d < 2; d++)
      if (shows(shown, k, d))
        add_line(picture, shown, role, k, d, value);
}

static void add_direction_keys(AsePicture *picture, const AseShown *shown, AseSeriesRole role) {
  for (guint d = 0; d < 2; d++)
    if (count_runs(shown) && ase_shows_direction(shown, sign_of(d)))
      ase_picture_add_key(picture, role, NULL, sign_of(d));
}

/* ---- what is not used ---- */

static bool add_left(AsePicture *picture, const AseShown *shown, guint r, guint d, AseRowUse use) {
  const AseSweptRun *run = run_at(shown, r);
  if (!run->rows[use])
    return false;
  AseSeries *series = add_of_run(picture, shown, ASE_SERIES_LEFT_OUT, r, d, ASE_SWEPT_BINS);
  series->use = use;
  for (guint k = 0; k < ASE_SWEPT_BINS; k++)
    if (run->bin[d][k].left_n[use])
      ase_series_put(series, position_of(run, k), left_of(&run->bin[d][k], use));
  return series->n > 0;
}

static void add_all_left(AsePicture *picture, const AseShown *shown) {
  bool is_any = false;
  for (guint k = 0; k < count_runs(shown); k++)
    for (guint d = 0; d < 2; d++)
      for (guint use = ASE_ROW_USED + 1; use < ASE_ROW_WILD; use++)
        if (shows(shown, k, d))
          is_any |= add_left(picture, shown, k, d, (AseRowUse)use);
  if (is_any)
    ase_picture_add_key(picture, ASE_SERIES_LEFT_OUT, N_("not used"), 0);
}

/* Samples one by one. */
static void add_points(AsePicture *picture, const AseShown *shown, const GArray *points,
                       AseSeriesRole role, bool is_residual) {
  AseSeries *series = ase_picture_add(picture, role, NULL, points->len);
  for (guint k = 0; k < points->len; k++) {
    const AseSweptPoint *point = &g_array_index(points, AseSweptPoint, k);
    if (shows(shown, point->run, point->direction < 0))
      ase_series_put(series, is_residual && shown->is_over_time ? point->t : point->q,
                     is_residual ? point->residual : point->current);
  }
}

static void add_wild(AsePicture *picture, const AseShown *shown, bool is_residual) {
  const AseSweptJoint *joint = ase_shown_joint(shown);
  if (joint && joint->wild->len)
    add_points(picture, shown, joint->wild, ASE_SERIES_WILD, is_residual);
}

/* ---- what decides a parameter ---- */

static double weight_of(const AseShown *shown, const AseSweptRun *run, guint d, guint k) {
  const double qd = sign_of(d) * run->speed;
  return run->bin[d][k].n ? fabs(ase_swept_column(shown->data, shown->joint, run,
                                                  position_of(run, k), qd, shown->parameter))
                          : 0.0;
}

static double largest_weight(const AseShown *shown) {
  double largest = 0.0;
  for (guint r = 0; r < count_runs(shown); r++)
    for (guint d = 0; d < 2; d++)
      for (guint k = 0; k < ASE_SWEPT_BINS; k++)
        largest = fmax(largest, weight_of(shown, run_at(shown, r), d, k));
  return largest;
}

/* Where there is no room for all keys, the first are left out. */
static void add_marks_key(AsePicture *picture, const AseShown *shown) {
  if (shown->has_parameter)
    ase_picture_add_key(picture, ASE_SERIES_DECIDES, N_("decides the parameter"), 0);
}

static void add_marks_of(AsePicture *picture, const AseShown *shown, guint r, guint d,
                         double least) {
  const AseSweptRun *run = run_at(shown, r);
  AseSeries *series = add_of_run(picture, shown, ASE_SERIES_DECIDES, r, d, ASE_SWEPT_BINS);
  for (guint k = 0; k < ASE_SWEPT_BINS; k++)
    if (weight_of(shown, run, d, k) >= least)
      ase_series_put(series, position_of(run, k), measured_of(&run->bin[d][k]));
}

static void add_marks(AsePicture *picture, const AseShown *shown) {
  const double least = shown->has_parameter ? DECIDES * largest_weight(shown) : 0.0;
  if (!(least > 0.0))
    return;
  for (guint r = 0; r < count_runs(shown); r++)
    for (guint d = 0; d < 2; d++)
      if (shows(shown, r, d))
        add_marks_of(picture, shown, r, d, least);
}

/* ---- currents ---- */

static void include(AseFigureAxis *axis, double value) {
  axis->low = fmin(axis->low, value);
  axis->high = fmax(axis->high, value);
}

static void include_run(AsePicture *picture, const AseSweptRun *run) {
  include(&picture->x, run->low);
  include(&picture->x, run->high);
  for (guint k = 0; k < 2 * ASE_SWEPT_BINS; k++) {
    const AseSweptBin *bin = &run->bin[k % 2][k / 2];
    include(&picture->y, measured_of(bin));
    include(&picture->y, computed_of(bin));
    for (guint use = ASE_ROW_USED + 1; use < ASE_ROW_WILD; use++)
      include(&picture->y, left_of(bin, (AseRowUse)use));
  }
}

static const char *why_none(const AseShown *shown) {
  if (shown->is_imported)
    return shown->is_validation
               ? N_("No sweep of this joint in the recording is left for validation")
               : N_("No sweep of this joint in the recording: import one that has some");
  return shown->is_validation ? N_("No validation sweep of this joint: Sweep does them at its end")
                              : N_("No sweep of this joint yet: Arm, Dry run, then Sweep");
}

static void begin_current(const AseShown *shown, AsePicture *picture, const char *title) {
  picture->title = title;
  picture->x.name = N_("position");
  picture->x.quantity = ASE_QUANTITY_POSITION;
  picture->y.name = N_("motor current");
  picture->y.quantity = ASE_QUANTITY_CURRENT;
  picture->none = why_none(shown);
  for (guint r = 0; r < count_runs(shown); r++)
    if (ase_shows_run(shown, r))
      include_run(picture, run_at(shown, r));
}

static void fill_measured(const AseShown *shown, AsePicture *picture) {
  begin_current(shown, picture, N_("a: measured"));
  add_marks_key(picture, shown);
  add_all_left(picture, shown);
  add_lines(picture, shown, ASE_SERIES_MEASURED, measured_of);
  add_direction_keys(picture, shown, ASE_SERIES_MEASURED);
  add_marks(picture, shown);
  add_wild(picture, shown, false);
}

static void fill_computed(const AseShown *shown, AsePicture *picture) {
  begin_current(shown, picture, shown->is_validation ? N_("b: predicted") : N_("b: computed"));
  if (shown->data && !has_fit(shown)) {
    picture->none = N_("Computed currents appear after the fit");
    return;
  }
  add_lines(picture, shown, ASE_SERIES_COMPUTED, computed_of);
  add_direction_keys(picture, shown, ASE_SERIES_COMPUTED);
}

static void fill_overlaid(const AseShown *shown, AsePicture *picture) {
  begin_current(shown, picture,
                shown->is_validation ? N_("Measured and predicted") : N_("Measured and computed"));
  add_marks_key(picture, shown);
  add_all_left(picture, shown);
  add_lines(picture, shown, ASE_SERIES_MEASURED, measured_of);
  add_direction_keys(picture, shown, ASE_SERIES_MEASURED);
  if (has_fit(shown) && count_runs(shown)) {
    add_lines(picture, shown, ASE_SERIES_COMPUTED, computed_of);
    ase_picture_add_key(picture, ASE_SERIES_COMPUTED,
                        shown->is_validation ? N_("predicted") : N_("computed"), 0);
  }
  add_marks(picture, shown);
  add_wild(picture, shown, false);
}

/* ---- residuals ---- */

static const AseSweptJoint *begin_residuals(const AseShown *shown, AsePicture *picture,
                                            const char *title, const AseFigureAxis *x,
                                            const AseFigureAxis *y) {
  const AseSweptJoint *joint = ase_shown_joint(shown);
  picture->title = title;
  picture->x.name = x->name, picture->x.quantity = x->quantity;
  picture->y.name = y->name, picture->y.quantity = y->quantity;
  picture->none = N_("Sweep, then Fit");
  return joint && has_fit(shown) && joint->points->len && joint->sd > 0.0 ? joint : NULL;
}

static void add_band(AsePicture *picture, const char *name, double low, double high, double half) {
  AseSeries *band = ase_picture_add(picture, ASE_SERIES_BAND, name, 2);
  ase_series_put(band, low, -half);
  ase_series_put(band, high, -half);
  band->top[0] = band->top[1] = half;
}

/* Those of one direction; whether there are any. */
static bool add_residuals(AsePicture *picture, const AseShown *shown, int direction) {
  AseShown only = *shown;
  only.direction = direction;
  if (!ase_shows_direction(shown, direction))
    return false;
  add_points(picture, &only, ase_shown_joint(shown)->points, ASE_SERIES_RESIDUAL, true);
  AseSeries *series = picture->series->pdata[picture->series->len - 1];
  series->direction = direction;
  return series->n > 0;
}

static void fill_residuals(const AseShown *shown, AsePicture *picture) {
  const AseFigureAxis time = {.name = N_("time"), .quantity = ASE_QUANTITY_TIME};
  const AseFigureAxis position = {.name = N_("position"), .quantity = ASE_QUANTITY_POSITION};
  const AseFigureAxis residual = {.name = N_("residual"), .quantity = ASE_QUANTITY_RESIDUAL};
  const AseSweptJoint *joint = begin_residuals(shown, picture, N_("Residuals"),
                                               shown->is_over_time ? &time : &position, &residual);
  if (!joint)
    return;
  const bool is_forth = add_residuals(picture, shown, 1);
  if (!add_residuals(picture, shown, -1) && !is_forth)
    return;
  add_band(picture,
           N_("\xc2\xb1"
              "2 sd"),
           -INFINITY, INFINITY, 2.0 * joint->sd);
  if (joint->far->len)
    add_points(picture, shown, joint->far, ASE_SERIES_FAR, true);
  add_wild(picture, shown, true);
}

static void fill_distribution(const AseShown *shown, AsePicture *picture) {
  const AseFigureAxis residual = {.name = N_("residual"), .quantity = ASE_QUANTITY_RESIDUAL};
  const AseFigureAxis samples = {.name = N_("samples"), .quantity = ASE_QUANTITY_NUMBER};
  const AseSweptJoint *joint =
      begin_residuals(shown, picture, N_("Distribution"), &residual, &samples);
  if (!joint)
    return;
  const double sd = joint->sd, low = -4.0 * sd, width = -2.0 * low / ASE_SWEPT_HISTOGRAM;
  const double total = (double)joint->rows[ASE_ROW_USED];
  AseSeries *bars =
      ase_picture_add(picture, ASE_SERIES_COUNT, N_("samples"), 2 * ASE_SWEPT_HISTOGRAM);
  AseSeries *normal =
      ase_picture_add(picture, ASE_SERIES_EXPECTED, N_("normal"), ASE_SWEPT_HISTOGRAM);
  for (guint k = 0; k < ASE_SWEPT_HISTOGRAM; k++) {
    const double z = (low + (k + 0.5) * width) / sd;
    ase_series_put(bars, low + k * width, 0.0);
    ase_series_put(bars, low + (k + 1) * width, 0.0);
    bars->top[2 * k] = bars->top[2 * k + 1] = joint->histogram[k];
    ase_series_put(normal, z * sd, total * width / sd * exp(-0.5 * z * z) / sqrt(2.0 * G_PI));
  }
}

static void fill_autocorrelation(const AseShown *shown, AsePicture *picture) {
  const AseFigureAxis lag = {.name = N_("lag"), .quantity = ASE_QUANTITY_LAG};
  const AseFigureAxis correlation = {.name = N_("correlation"), .quantity = ASE_QUANTITY_NUMBER};
  const AseSweptJoint *joint =
      begin_residuals(shown, picture, N_("Autocorrelation"), &lag, &correlation);
  if (!joint)
    return;
  add_band(picture, /* xgettext:no-c-format */ N_("95 % of white noise"), 0.0, ASE_SWEPT_LAGS - 1,
           1.96 / sqrt((double)joint->rows[ASE_ROW_USED]));
  AseSeries *line = ase_picture_add(picture, ASE_SERIES_VALUE, N_("residuals"), ASE_SWEPT_LAGS);
  for (guint k = 0; k < ASE_SWEPT_LAGS; k++)
    ase_series_put(line, k, joint->correlation[k]);
  picture->y.low = -0.2;
}

const AseFigure ase_gravity_figures[] = {
    {.key = "measured",
     .why = "measured-computed",
     .place = ASE_FIGURE_BESIDE,
     .is_of_new = true,
     .marks = true,
     .fill = fill_measured},
    {.key = "computed",
     .why = "measured-computed",
     .place = ASE_FIGURE_BESIDE,
     .is_of_new = true,
     .fill = fill_computed},
    {.key = "overlaid",
     .why = "measured-computed",
     .place = ASE_FIGURE_OVERLAID,
     .is_of_new = true,
     .marks = true,
     .fill = fill_overlaid},
    {.key = "residuals",
     .why = "residual-plot",
     .place = ASE_FIGURE_BELOW,
     .is_of_new = true,
     .has_time = true,
     .fill = fill_residuals},
    {.key = "distribution",
     .why = "distribution",
     .place = ASE_FIGURE_BELOW,
     .fill = fill_distribution},
    {.key = "autocorrelation",
     .why = "autocorrelation",
     .place = ASE_FIGURE_BELOW,
     .fill = fill_autocorrelation},
    {0},
};
