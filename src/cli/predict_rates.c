/* SPDX-License-Identifier: MIT */
/* Uneven steps: positions go on a grid (core/dynamics/even.h), the grid through the filter, and the
 * states of the grid back to the rows' times by the cubic through two points on either side. */
#include "cli/predict_rates.h"

#include <math.h>
#include <string.h>

#include "core/dynamics/even.h"
#include "io/base/spool.h"

enum { KEPT = 4, BLOCK = 88 /* core/dynamics/rates.c */ };

/* As io/recording/recording_moving.c. */
static const double uneven_step = 0.02; /* of a step: a clock's rounding is less */
static const double uneven_part = 0.02; /* of the steps */
static const double gap_steps = 5;

/* A point of the grid with its state. */
typedef struct {
  double t, x[3 * ARM_MAX_JOINTS];
} Point;

struct CliRates {
  AioSpool *steps;
  double time; /* of the row before, NAN: none */
  double median, sum;
  gsize counted, uneven;
  size_t n;
  double step_s;
  ArmRatesSink *sink;
  void *user;
  ArmRates *smoother;
  ArmEven *even; /* NULL: steps are even */
  GArray *rows;  /* double: times of rows without a state so far, NAN: no time or position */
  GArray *grid;  /* double: times of points whose state is still to come */
  guint rows_done, grid_done; /* of these: no longer there */
  Point kept[KEPT];
  guint points;  /* of the stretch, at most KEPT */
  double *zeros; /* n */
  double *block; /* 3 n columns of BLOCK: states that are not handed on yet */
  size_t filled;
};

CliRates *cli_rates_new(void) {
  CliRates *rates = g_new0(CliRates, 1);
  rates->steps = aio_spool_new();
  rates->time = (double)NAN;
  rates->rows = g_array_new(FALSE, FALSE, sizeof(double));
  rates->grid = g_array_new(FALSE, FALSE, sizeof(double));
  return rates;
}

void cli_rates_free(CliRates *rates) {
  if (!rates)
    return;
  aio_spool_free(rates->steps);
  arm_rates_free(rates->smoother);
  arm_even_free(rates->even);
  g_array_unref(rates->rows);
  g_array_unref(rates->grid);
  g_free(rates->zeros);
  g_free(rates->block);
  g_free(rates);
}

/* ---- the first reading ---- */

void cli_rates_look(CliRates *rates, const AioRecording *window) {
  for (gsize row = 0; row < window->rows; row++) {
    const double step = window->t[row] - rates->time;
    if (step > 0.0 && isfinite(step)) /* as arm_filter_median_step */
      aio_spool_add(rates->steps, step);
    rates->time = window->t[row];
  }
}

static void look_at_step(double step, void *data) {
  CliRates *rates = data;
  if (step > gap_steps * rates->median)
    return;
  rates->counted++;
  rates->sum += step;
  rates->uneven += fabs(step - rates->median) > uneven_step * rates->median;
}

static bool fail_filter(const AioCsv *csv, const ArmDynStreamOptions *filter, GError **error) {
  const double rate = 1.0 / filter->step_s;
  const ArmDynStreamProblem problem = arm_dyn_stream_check(filter);
  if (problem == ARM_DYN_STREAM_NO_STEP)
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "%s: t_s: expected times that increase, to compute speeds and accelerations from "
                "positions; found none",
                aio_csv_name(csv));
  else if (problem == ARM_DYN_STREAM_COARSE)
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "%s: expected samples at 5 times the cut-off of --lowpass at least, to compute "
                "speeds and accelerations from positions; found %.4g Hz for %.4g Hz: record "
                "faster, write qd and qdd of all joints, or lower --lowpass",
                aio_csv_name(csv), rate, filter->cutoff_Hz);
  else
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEANING,
                "--lowpass: expected a cut-off above 0 and below half of the sampling rate of %s "
                "(%.4g Hz), found %.4g Hz",
                aio_csv_name(csv), rate, filter->cutoff_Hz);
  return false;
}

/* ---- states of the grid ---- */

static double *row_time(const CliRates *rates) {
  return &g_array_index(rates->rows, double, rates->rows_done);
}

/* Takes the first one off; what is gone is forgotten now and then. */
static void take_off(GArray *times, guint *done) {
  if (++*done < times->len / 2 && *done < 4096)
    return;
  g_array_remove_range(times, 0, *done);
  *done = 0;
}

static void hand_on(CliRates *rates) {
  const size_t column = rates->n * BLOCK;
  if (rates->filled > 0)
    rates->sink(rates->user, rates->filled, rates->block, rates->block + column,
                rates->block + 2 * column, BLOCK);
  rates->filled = 0;
}

/* The state of the first row that waits. */
static void give(CliRates *rates, const double *x) {
  take_off(rates->rows, &rates->rows_done);
  for (size_t c = 0; c < 3 * rates->n; c++)
    rates->block[rates->filled + c * BLOCK] = x[c];
  if (++rates->filled == BLOCK)
    hand_on(rates);
}

/* Of a row at t; NAN where the points around it are not all there. */
static void interpolate(const CliRates *rates, double t, double *x) {
  const Point *kept = rates->kept;
  double weight[KEPT] = {0};
  const bool is_within = rates->points == KEPT && t >= kept[0].t && t <= kept[KEPT - 1].t &&
                         kept[KEPT - 1].t - kept[0].t < (KEPT - 0.5) * rates->step_s;
  for (size_t k = 0; k < KEPT && is_within; k++) {
    weight[k] = 1;
    for (size_t l = 0; l < KEPT; l++)
      weight[k] *= l == k ? 1 : (t - kept[l].t) / (kept[k].t - kept[l].t);
  }
  for (size_t c = 0; c < 3 * rates->n; c++) {
    x[c] = is_within ? 0 : (double)NAN;
    for (size_t k = 0; k < KEPT && is_within; k++)
      x[c] += weight[k] * kept[k].x[c];
  }
}

/* Rows up to time t have all points that they can have. */
static void serve(CliRates *rates, double t) {
  double x[3 * ARM_MAX_JOINTS];
  while (rates->rows->len > rates->rows_done && !(*row_time(rates) > t)) {
    interpolate(rates, *row_time(rates), x);
    give(rates, x);
  }
}

static void take_points(void *data, size_t samples, const double *q, const double *qd,
                        const double *qdd, size_t ld) {
  CliRates *rates = data;
  const double *const from[3] = {q, qd, qdd};
  const size_t n = rates->n;
  for (size_t s = 0; s < samples; s++) {
    memmove(rates->kept, rates->kept + 1, (KEPT - 1) * sizeof *rates->kept);
    Point *point = &rates->kept[KEPT - 1];
    point->t = g_array_index(rates->grid, double, rates->grid_done);
    take_off(rates->grid, &rates->grid_done);
    for (size_t c = 0; c < 3 * n; c++)
      point->x[c] = from[c / n][s + c % n * ld];
    rates->points = MIN(rates->points + 1, KEPT);
    if (rates->points == KEPT)
      serve(rates, rates->kept[2].t);
  }
}

static ArmStatus push_grid(void *data, const ArmDynSamples *samples) {
  CliRates *rates = data;
  g_array_append_vals(rates->grid, samples->t, (guint)samples->samples);
  arm_rates_push(rates->smoother, samples->samples, samples->t, samples->q, samples->ld);
  return ARM_OK;
}

static void end_stretch(CliRates *rates) {
  (void)!arm_even_end(rates->even); /* push_grid does not fail */
  arm_rates_finish(rates->smoother);
  serve(rates, (double)INFINITY);
  rates->points = 0;
}

/* ---- the second reading ---- */

static ArmStatus allocate(CliRates *rates, const ArmDynStreamOptions *filter, bool is_uneven) {
  ArmStatus status = arm_rates_new(rates->n, filter->step_s, filter->cutoff_Hz,
                                   is_uneven ? take_points : rates->sink,
                                   is_uneven ? rates : rates->user, &rates->smoother);
  if (status == ARM_OK && is_uneven)
    status = arm_even_new(rates->n, filter->step_s, false, false, push_grid, rates, &rates->even);
  return status;
}

bool cli_rates_begin(CliRates *rates, const AioCsv *csv, size_t n, double lowpass_Hz,
                     ArmRatesSink *sink, void *user, GError **error) {
  ArmDynStreamOptions filter;
  arm_dyn_stream_options_default(&filter);
  filter.cutoff_Hz = isfinite(lowpass_Hz) ? lowpass_Hz : filter.cutoff_Hz;
  if (!aio_spool_median(rates->steps, &rates->median, error) ||
      !aio_spool_each(rates->steps, look_at_step, rates, error))
    return false;
  const bool is_uneven = (double)rates->uneven > uneven_part * (double)rates->counted;
  filter.step_s = is_uneven ? rates->sum / (double)rates->counted : rates->median;
  if (!(filter.cutoff_Hz > 0) || arm_dyn_stream_check(&filter) != ARM_DYN_STREAM_GOOD)
    return fail_filter(csv, &filter, error);
  rates->n = n;
  rates->step_s = filter.step_s;
  rates->sink = sink;
  rates->user = user;
  rates->time = (double)NAN;
  rates->zeros = g_new0(double, n);
  rates->block = g_new(double, 3 * n * BLOCK);
  const ArmStatus status = allocate(rates, &filter, is_uneven);
  if (status != ARM_OK)
    g_set_error(error, AIO_ERROR, AIO_ERROR_MEMORY, "%s: %s", aio_csv_name(csv),
                arm_status_text(status));
  return status == ARM_OK;
}

static void push_uneven(CliRates *rates, double t, const double *q, size_t ld) {
  double own[ARM_MAX_JOINTS], key = t;
  for (size_t j = 0; j < rates->n; j++) {
    own[j] = q[j * ld];
    if (!isfinite(own[j]))
      key = (double)NAN;
  }
  if (isfinite(key)) {
    if (!(t > rates->time) || t - rates->time > gap_steps * rates->step_s)
      end_stretch(rates);
    rates->time = t;
  }
  const ArmDynSamples one = {.samples = 1, .ld = 1, .t = &key, .q = own, .effort = rates->zeros};
  g_array_append_val(rates->rows, key);
  (void)!arm_even_push(rates->even, &one); /* push_grid does not fail */
}

void cli_rates_push(CliRates *rates, double t, const double *q, size_t ld) {
  if (rates->even)
    push_uneven(rates, t, q, ld);
  else
    arm_rates_push(rates->smoother, 1, &t, q, ld);
}

void cli_rates_finish(CliRates *rates) {
  if (rates->even) {
    end_stretch(rates);
    hand_on(rates);
  } else {
    arm_rates_finish(rates->smoother);
  }
}
