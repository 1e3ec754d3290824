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

static bool sum_errors(Sums *sums, const ArmModel *model, const ArmDataset *data,
                       const ArmGravityFit *fit, const ArmRowUse *use) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  for (gsize row = 0; row < data->rows; row++) {
    if (use[row] != ARM_ROW_USED)
      continue;
    for (gsize j = 0; j < data->n; j++) {
      q[j] = data->q[j * data->rows + row];
      qd[j] = data->qd[j * data->rows + row];
    }
    if (arm_predict(model, &fit->refined, q, qd, NULL, &options, current, sd) != ARM_OK)
      return false;
    const gsize joint = (gsize)data->joint[row] - 1;
    add_row(&sums[joint], data->current[joint * data->rows + row], current[joint]);
  }
  return true;
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
static bool friction(const AseSelection *s, const GPtrArray *runs, const AseRun *run, double *value,
                     double *variance) {
  enum { BINS = 40, LAGS = 6 };
  double f[BINS], sum = 0.0, products[LAGS] = {0};
  guint n = 0;
  GArray *split = ase_selection_split(s, runs, run->joint, run->hold, run->speed, BINS);
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
  AseSelection *s = ase_selection_new(model, only, run->purpose, NULL, NULL);
  const bool ok = s && friction(s, only, run, value, variance);
  ase_selection_free(s);
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

bool ase_validation_compute(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                            const ArmGravityFit *fit, const ArmRowOptions *rows,
                            const ArmValidationLimits *limits, double drift_limit, GError **error) {
  AseSelection *s = ase_selection_new(model, runs, ASE_PURPOSE_VALIDATE, NULL, error);
  if (!s)
    return false;
  const ArmDataset data = ase_selection_dataset(s);
  ArmRowUse *use = g_malloc_n(data.rows, sizeof *use);
  Sums sums[ARM_MAX_JOINTS] = {0};
  ArmValidation strokes;
  ArmStatus status = arm_wild_select(model, &data, rows, use, NULL);
  if (status == ARM_OK && !sum_errors(sums, model, &data, fit, use))
    status = ARM_E_NUMERIC;
  if (status == ARM_OK)
    status = arm_validate(model, fit, &data, rows, limits, &strokes);
  g_free(use);
  ase_selection_free(s);
  if (status != ARM_OK) {
    aio_error_set_said(error, AIO_ERROR_MEANING, N_("validation: %s"), ase_status_said(status));
    return false;
  }
  *out =
      (AseValidation){.joints = (guint)model->n, .drift_A = (double)NAN, .drift_sds = (double)NAN};
  for (gsize j = 0; j < model->n; j++)
    judge(&out->joint[j], &sums[j], &strokes.joint[j]);
  compute_drift(out, model, runs, drift_limit);
  return true;
}
