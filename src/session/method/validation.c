/* SPDX-License-Identifier: MIT */
/* Strokes are judged by core/sweeps/validate; rms errors over samples stand beside it, in ampere
 * and percent. Drift compares the first sweep with its repetition, in friction only: gravity does
 * not warm up. */
#include "session/method/validation.h"

#include <glib/gi18n-lib.h>
#include <math.h>

#include "core/sweeps/predict.h"
#include "core/sweeps/wild.h"
#include "io/base/said.h"
#include "session/base/text.h"
#include "session/measure/sweep_rows.h"

/* ---- prediction error of the validation sweeps ---- */

typedef struct {
  double squares, sum, worst, currents;
  gsize rows;
} Sums;

static void add_row(Sums *sums, double measured, double predicted) {
  const double error = measured - predicted;
  sums->squares += error * error;
  sums->sum += error;
  sums->worst = fmax(sums->worst, fabs(error));
  sums->currents += measured * measured;
  sums->rows++;
}

static ArmStatus sum_errors(Sums *sums, const ArmModel *model, ArmWindows *windows,
                            const ArmGravityFit *fit) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  ArmRowWalk walk = arm_row_walk(windows, ARM_WALK_ANY);
  while (arm_row_walk_next(&walk)) {
    const ArmDataset *data = &walk.window->data;
    for (gsize j = 0; j < data->n; j++) {
      q[j] = data->q[j * data->rows + walk.row];
      qd[j] = data->qd[j * data->rows + walk.row];
    }
    if (arm_predict(model, &fit->refined, q, qd, NULL, &options, current, sd) != ARM_OK)
      return ARM_E_NUMERIC;
    const gsize joint = (gsize)data->joint[walk.row] - 1;
    add_row(&sums[joint], data->current[joint * data->rows + walk.row], current[joint]);
  }
  return walk.status;
}

static void judge(AseJointValidation *out, const Sums *sums, const ArmJointValidation *strokes) {
  *out = (AseJointValidation){.rows = sums->rows, .on_strokes = *strokes};
  if (sums->rows == 0)
    return;
  const double n = (double)sums->rows;
  out->rms_A = sqrt(sums->squares / n);
  out->mean_A = sums->sum / n;
  out->worst_A = sums->worst;
  out->percent = sums->currents > 0.0 ? 100.0 * sqrt(sums->squares / sums->currents) : (double)NAN;
  const bool is_judged = strokes->kind != ARM_VALIDATION_NOT_MEASURED;
  out->model_error_A = is_judged ? strokes->rms : (double)NAN;
  out->promised_A = is_judged ? strokes->promised : (double)NAN;
  out->ratio = out->model_error_A / out->promised_A;
  out->has_passed = strokes->kind == ARM_VALIDATION_PASSED;
}

const char *ase_validation_reason(ArmValidationKind kind) {
  return aio_said_shown(ase_validation_said(kind));
}

const char *ase_validation_said(ArmValidationKind kind) {
  switch (kind) {
  case ARM_VALIDATION_NOT_MEASURED:
    return aio_said_word(N_("no sweep of it is long enough to be judged"));
  case ARM_VALIDATION_UNKNOWN:
    return aio_said_word(N_("its prediction rests on a parameter of which nothing is known"));
  case ARM_VALIDATION_UNUSABLE:
    return aio_said_word(
        N_("most of its current is neither gravity nor friction, or too little was recorded to "
           "promise anything"));
  case ARM_VALIDATION_TOO_LARGE:
    return aio_said_word(N_("that is more than is accepted"));
  case ARM_VALIDATION_MISFIT:
    return aio_said_word(N_("that is more than the fit promises: the model does not fit"));
  case ARM_VALIDATION_PASSED:
    break;
  }
  return "";
}

/* ---- drift ---- */

/* What a change must exceed even without noise: the resolution of the currents, 1 mA on the wire,
 * as the sd of an even distribution, 1/sqrt(12). */
#define RESOLUTION_A (1e-3 / 3.46)

/* Friction of the sweep, half the difference of the directions' mean currents over the positions
 * both have seen, and its variance: neighbouring bins share errors (ripple of the servo, beats of
 * encoder and sampling), so it grows by the sum of their correlations. */
static bool friction(AseSweepRows *rows, const AseRun *run, double *value, double *variance) {
  enum { BINS = 40, LAGS = 6 };
  double f[BINS], sum = 0.0, products[LAGS] = {0};
  guint n = 0;
  GArray *split = ase_sweep_rows_split(rows, run->joint, BINS, NULL);
  if (!split)
    return false;
  for (guint b = 2; b + 2 < split->len; b++) { /* without the ends, where the joint turns round */
    const double level = g_array_index(split, AseSplit, b).friction;
    if (!isnan(level))
      sum += f[n++] = level;
  }
  g_array_unref(split);
  if (n < 10)
    return false;
  *value = sum / n;
  for (guint lag = 0; lag < LAGS; lag++)
    for (guint b = lag; b < n; b++)
      products[lag] += (f[b] - *value) * (f[b - lag] - *value) / n;
  double correlated = products[0];
  for (guint lag = 1; lag < LAGS && products[lag] > 0.0; lag++)
    correlated += 2.0 * products[lag];
  *variance = correlated / (n - 1) + RESOLUTION_A * RESOLUTION_A;
  return true;
}

static const AseRun *find(const GPtrArray *runs, AsePurpose purpose, const AseRun *like) {
  for (guint k = 0; k < runs->len; k++) {
    const AseRun *run = runs->pdata[k];
    if (run->sweeps && run->purpose == purpose && run->is_complete &&
        (!like ||
         (run->joint == like->joint && run->hold == like->hold && run->speed == like->speed)))
      return run;
  }
  return NULL;
}

static bool friction_of(const ArmModel *model, const AseRun *run, double *value, double *variance) {
  GPtrArray *only = g_ptr_array_new();
  g_ptr_array_add(only, (gpointer)run);
  AseSweepRows *rows = ase_sweep_rows_new(model, only, run->purpose, NULL, NULL);
  const bool ok = rows && friction(rows, run, value, variance);
  ase_sweep_rows_free(rows);
  g_ptr_array_unref(only);
  return ok;
}

static void compute_drift(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                          double limit) {
  const AseRun *last = find(runs, ASE_PURPOSE_DRIFT, NULL);
  const AseRun *first = last ? find(runs, ASE_PURPOSE_MEASURE, last) : NULL;
  double f[2], variance[2];
  if (!first || !friction_of(model, first, &f[0], &variance[0]) ||
      !friction_of(model, last, &f[1], &variance[1]))
    return;
  out->drift_joint = first->joint;
  out->drift_A = f[1] - f[0];
  out->drift_sds = out->drift_A / sqrt(variance[0] + variance[1]);
  out->has_drifted = fabs(out->drift_sds) > limit;
}

/* ---- both ---- */

static ArmStatus judge_rows(const ArmModel *model, const ArmRowSource *source,
                            const ArmGravityFit *fit, const ArmRowOptions *options,
                            const ArmValidationLimits *limits, Sums *sums, ArmShelf *shelf,
                            ArmValidation *strokes) {
  ArmWindows windows;
  ArmWild wild[ARM_MAX_JOINTS];
  ArmStatus status = arm_windows_open(&windows, model, options, source);
  if (status != ARM_OK)
    return status;
  status =
      arm_wild_find(&windows, model->n, source->median_step, !options->wants_acceleration, wild);
  if (status == ARM_OK)
    status = sum_errors(sums, model, &windows, fit);
  if (status == ARM_OK)
    status =
        arm_validate_windows(model, fit, &windows, source->median_step, limits, shelf, strokes);
  arm_windows_clear(&windows);
  return status;
}

static void fail(const AseSweepRows *rows, ArmStatus status, GError **error) {
  if (status == ARM_E_SOURCE)
    g_propagate_error(error, g_error_copy(ase_sweep_rows_error(rows)));
  else
    aio_error_set_said(error, AIO_ERROR_MEANING, N_("validation: %s"), ase_status_said(status));
}

bool ase_validation_compute(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                            const ArmGravityFit *fit, const ArmRowOptions *rows,
                            const ArmValidationLimits *limits, double drift_limit, GError **error) {
  Sums sums[ARM_MAX_JOINTS] = {0};
  ArmValidation strokes;
  AseSweepRows *swept = ase_sweep_rows_new(model, runs, ASE_PURPOSE_VALIDATE, NULL, error);
  if (!swept)
    return false;
  const ArmStatus status = judge_rows(model, ase_sweep_rows_source(swept), fit, rows, limits, sums,
                                      ase_sweep_rows_shelf(swept), &strokes);
  if (status != ARM_OK)
    fail(swept, status, error);
  ase_sweep_rows_free(swept);
  if (status != ARM_OK)
    return false;
  *out =
      (AseValidation){.joints = (guint)model->n, .drift_A = (double)NAN, .drift_sds = (double)NAN};
  for (gsize j = 0; j < model->n; j++)
    judge(&out->joint[j], &sums[j], &strokes.joint[j]);
  compute_drift(out, model, runs, drift_limit);
  return true;
}
