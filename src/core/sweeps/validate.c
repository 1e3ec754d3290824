/* SPDX-License-Identifier: MIT */
/* New strokes beside their prediction, joint by joint. What a prediction may be off is noise plus
 * what the parameters leave open, which all strokes share: by the matrix inversion lemma its size
 * is that of the parameters, not of the strokes. Source: Armature theory notes, lack of fit,
 * section 6. */
#include "core/sweeps/validate.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/num/distribution.h"
#include "core/num/filter.h"
#include "core/sweeps/predict_internal.h"
#include "core/sweeps/verdict_internal.h"
#include "core/sweeps/wild.h"

enum { K = ARM_STROKE_ORDERS, JUDGED = 4 };
/* TAIL and the default limits: Armature theory notes, lack of fit, section 6. */
#define TAIL       1e-4 /* over all joints */
/* Of what the joint sweeps. A stroke over less is judged by itself, over its own range: beyond it
 * its coefficients would be an extrapolation. */
#define FULL_RANGE 0.98
#define ROUNDING   1e-9 /* of the rms current: exact data can be weighed */

void arm_validation_limits_default(ArmValidationLimits *limits) {
  *limits = (ArmValidationLimits){.promised_factor = 2.0,
                                  .friction_relative = 0.02,
                                  .relative = 0.10,
                                  .absolute = (double)INFINITY,
                                  .promised_relative = 0.05,
                                  .r2 = 0.8};
}

/* A stroke beside what was predicted of it. */
typedef struct {
  ArmFitStroke stroke;
  double error[K];  /* measured - predicted [A] */
  double *gradient; /* n_ids x JUDGED, column-major, inside the block of Study */
} Judged;

/* One joint after the other; all blocks are owned. Sigma = D + J C J' has the inverse
 * D^-1 - D^-1 J (1 + C A)^-1 C J' D^-1 with A = J' D^-1 J: nothing grows with the strokes. */
typedef struct {
  const ArmModel *model;
  const ArmGravityFit *fit;
  const ArmValidationLimits *limits;
  ArmShelf *shelf; /* borrowed: has the next two */
  Judged *judged;
  double *gradients;    /* n_ids x JUDGED of every stroke */
  ArmPartner *partners; /* room for all strokes */
  ArmMates *mates;      /* for half of them */
  double *a, *system;   /* n_ids x n_ids */
  double *b, *x, *mix;  /* n_ids */
  lapack_int *pivot;
  double chi2, promised, errors, currents; /* sums over the strokes of a joint */
  size_t count, rows;                      /* strokes, rows of e */
  bool is_known;
} Study;

/* ---- one stroke ---- */

static void predict_order(const Study *study, const Judged *judged, const double *one,
                          const double *cosine, const double *sine, const double *terms, size_t k,
                          double *predicted, double *gradient, bool *is_known) {
  const ArmStroke *sums = judged->stroke.sums;
  const double *z = judged->stroke.numbers.z;
  const size_t side = judged->stroke.speed > 0.0 ? 0 : 2;
  const double constant = k == 0 ? 1.0 : 0.0;
  ArmPredictRow row = {0};
  for (size_t c = 0; c < 2 * study->model->n; c++)
    row.gravity[c] = constant * one[c] + cosine[c] * z[k + ARM_STROKE_COS * K] +
                     sine[c] * z[k + ARM_STROKE_SIN * K];
  row.friction[side] = constant;
  row.friction[side + 1] = z[k + ARM_STROKE_SPEED * K];
  if (study->fit->refined.joint[sums->joint].has_acceleration)
    row.acceleration = z[k + ARM_STROKE_ACCELERATION * K];
  for (size_t t = 0; t < ARM_TERMS; t++)
    row.term[t] = terms[k + t * K];
  *predicted = arm_predict_row(&study->fit->refined, sums->joint, &row, gradient, is_known);
}

/* 6 numbers of each friction term's column, 0 where the joint has it not */
static void term_columns(const Study *study, const Judged *judged, double low, double high,
                         const double *one, const double *cosine, const double *sine,
                         double *terms) {
  const ArmGravityParameters *p = &study->fit->refined;
  const ArmStroke *sums = judged->stroke.sums;
  const ArmJointFit *joint = &p->joint[sums->joint];
  const double *z = judged->stroke.numbers.z;
  const double s = judged->stroke.speed > 0.0 ? joint->term_sign : -joint->term_sign;
  memset(terms, 0, ARM_TERMS * K * sizeof *terms);
  if (joint->has_term[ARM_TERM_LOAD]) {
    const double load[3] = {arm_predict_gravity(p, sums->joint, one),
                            arm_predict_gravity(p, sums->joint, cosine),
                            arm_predict_gravity(p, sums->joint, sine)};
    arm_stroke_load_column(sums, low, high, load, z + ARM_STROKE_COS * K, 1.0, 0.0, s,
                           terms + ARM_TERM_LOAD * K);
  }
  if (joint->has_term[ARM_TERM_CURVE])
    arm_stroke_curve_column(sums, low, high, z + (size_t)ARM_STROKE_SPEED * K, joint->curve_speed,
                            s, terms + ARM_TERM_CURVE * K);
}

static void predict_stroke(Study *study, Judged *judged, double low, double high) {
  const ArmStroke *sums = judged->stroke.sums;
  const size_t ids = study->fit->refined.n_ids;
  double q[ARM_MAX_JOINTS], one[2 * ARM_MAX_JOINTS], cosine[2 * ARM_MAX_JOINTS],
      sine[2 * ARM_MAX_JOINTS], terms[ARM_TERMS * K];
  for (size_t j = 0; j < study->model->n; j++)
    q[j] = sums->q_sum[j] / (double)sums->rows;
  arm_gravity_row_of_hold(study->model, q, sums->joint, one, cosine, sine);
  term_columns(study, judged, low, high, one, cosine, sine, terms);
  for (size_t k = 0; k < JUDGED; k++) {
    double predicted;
    bool is_known;
    predict_order(study, judged, one, cosine, sine, terms, k, &predicted,
                  judged->gradient + k * ids, &is_known);
    judged->error[k] = judged->stroke.numbers.alpha[k] - predicted;
    study->is_known = study->is_known && is_known;
  }
}

/* ---- rows of e ---- */

static double variance_by_fit(const Study *study, const double *g) {
  const ArmGravityParameters *p = &study->fit->refined;
  double sum = 0.0;
  for (size_t a = 0; a < p->n_ids; a++)
    for (size_t b = 0; b < p->n_ids && g[a] != 0.0; b++)
      sum += g[a] * g[b] * p->covariance[a + b * p->n_ids];
  return fmax(0.0, sum);
}

/* One row of e with its own variance and the gradient of its prediction, for `strokes` strokes. */
static void add_row(Study *study, double error, double variance, const double *g, double strokes) {
  const size_t ids = study->fit->refined.n_ids;
  study->errors += strokes * error * error;
  study->promised += strokes * (variance + variance_by_fit(study, g));
  study->chi2 += error * error / variance;
  study->rows++;
  for (size_t a = 0; a < ids; a++) {
    if (g[a] == 0.0)
      continue;
    study->b[a] += g[a] * error / variance;
    for (size_t c = 0; c < ids; c++)
      study->a[a + c * ids] += g[a] * g[c] / variance;
  }
}

/* variance of what strokes and friction scatter by, order k */
static double own_variance(const Study *study, size_t joint, size_t k, double weight,
                           bool has_friction, double least) {
  const ArmJointVerdict *v = &study->fit->verdict.joint[joint];
  const ArmJointFit *fit = &study->fit->refined.joint[joint];
  const bool is_told = v->s[k] > 0.0; /* else by the residual: a fit without pairs */
  const double s = fmax(is_told ? v->s[k] : fit->residual_sd * fit->widening, least);
  double variance = s * s / weight;
  if (k == 0 && has_friction)
    variance += v->tau * v->tau;
  if (k == 0 && isfinite(v->test[ARM_TEST_SPEED].size))
    variance += v->test[ARM_TEST_SPEED].size * v->test[ARM_TEST_SPEED].size;
  return variance;
}

static void add_pair(Study *study, const Judged *plus, const Judged *minus, double least) {
  const size_t ids = study->fit->refined.n_ids, joint = plus->stroke.sums->joint;
  const double weight =
      4.0 / (1.0 / (double)plus->stroke.sums->rows + 1.0 / (double)minus->stroke.sums->rows);
  for (size_t k = 0; k < JUDGED; k++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      for (size_t a = 0; a < ids; a++)
        study->mix[a] = 0.5 * (plus->gradient[a + k * ids] + sign * minus->gradient[a + k * ids]);
      add_row(study, 0.5 * (plus->error[k] + sign * minus->error[k]),
              own_variance(study, joint, k, weight, sign < 0, least), study->mix, 2.0);
    }
}

static void add_lone(Study *study, const Judged *judged, double least) {
  const ArmStroke *sums = judged->stroke.sums;
  for (size_t k = 0; k < JUDGED; k++)
    add_row(study, judged->error[k],
            own_variance(study, sums->joint, k, (double)sums->rows, true, least),
            judged->gradient + k * study->fit->refined.n_ids, 1.0);
}

/* ---- one joint ---- */

static void saw_judged(const Study *study) {
  arm_shelf_saw(study->shelf, sizeof *study->judged +
                                  study->fit->refined.n_ids * JUDGED * sizeof *study->gradients);
}

static void take_stroke(Study *study, const ArmStroke *sums, double low, double high,
                        ArmJointValidation *out) {
  const size_t ids = study->fit->refined.n_ids;
  Judged *judged = &study->judged[study->count];
  *judged = (Judged){.gradient = study->gradients + study->count * ids * JUDGED};
  const bool is_full = sums->high - sums->low >= FULL_RANGE * (high - low);
  if (sums->rows < ARM_STROKE_LEAST_ROWS ||
      arm_stroke_numbers(sums, is_full ? low : sums->low, is_full ? high : sums->high,
                         &judged->stroke.numbers) != ARM_OK)
    return;
  judged->stroke.sums = sums;
  judged->stroke.speed = arm_stroke_speed(sums);
  judged->stroke.is_full = is_full;
  predict_stroke(study, judged, is_full ? low : sums->low, is_full ? high : sums->high);
  double square = 0.0;
  for (size_t k = 0; k < K; k++)
    study->currents += judged->stroke.numbers.alpha[k] * judged->stroke.numbers.alpha[k];
  for (size_t k = 0; k < JUDGED; k++)
    square += judged->error[k] * judged->error[k];
  if (study->count == 0 || sqrt(square) > out->worst) {
    out->worst = sqrt(square);
    out->worst_row = sums->first_row;
  }
  const double speed = fabs(judged->stroke.speed);
  out->slow = study->count == 0 ? speed : fmin(out->slow, speed);
  out->fast = fmax(out->fast, speed);
  out->samples += sums->rows;
  study->count++;
  saw_judged(study);
}

static void take_strokes(Study *study, const ArmStrokes *strokes, size_t i,
                         ArmJointValidation *out) {
  double low = (double)INFINITY, high = -(double)INFINITY;
  for (size_t s = 0; s < strokes->count; s++) {
    arm_shelf_saw(study->shelf, sizeof *strokes->at);
    if (strokes->at[s].joint == i) {
      low = fmin(low, strokes->at[s].low);
      high = fmax(high, strokes->at[s].high);
    }
  }
  for (size_t s = 0; s < strokes->count; s++) {
    arm_shelf_saw(study->shelf, sizeof *strokes->at);
    if (strokes->at[s].joint == i)
      take_stroke(study, &strokes->at[s], low, high, out);
  }
  out->strokes = study->count;
}

/* Pairs as those of the fit are formed (verdict_partner.c). */
static ArmStatus add_pairs(Study *study, double least, bool is_near) {
  size_t pairs;
  const ArmStatus status =
      arm_partners_pair(study->partners, study->count, is_near, study->mates, &pairs);
  for (size_t p = 0; p < pairs && status == ARM_OK; p++) {
    const size_t s = study->mates[p].s, o = study->mates[p].other;
    const bool is_plus = study->partners[s].speed > 0.0;
    add_pair(study, &study->judged[is_plus ? s : o], &study->judged[is_plus ? o : s], least);
    saw_judged(study);
    saw_judged(study);
  }
  return status;
}

static ArmStatus add_rows(Study *study) {
  const double current = sqrt(study->currents / (double)study->count), least = ROUNDING * current;
  for (size_t s = 0; s < study->count; s++) {
    study->partners[s] = arm_fit_stroke_partner(&study->judged[s].stroke);
    saw_judged(study);
  }
  ArmStatus status = add_pairs(study, least, false);
  if (status == ARM_OK)
    status = add_pairs(study, least, true);
  for (size_t s = 0; s < study->count && status == ARM_OK; s++) {
    if (!study->partners[s].is_paired)
      add_lone(study, &study->judged[s], least);
    saw_judged(study);
  }
  return status;
}

/* chi2 -= b' (1 + C A)^-1 C b */
static ArmStatus correlate(Study *study) {
  const ArmGravityParameters *p = &study->fit->refined;
  const size_t ids = p->n_ids;
  for (size_t r = 0; r < ids; r++) {
    study->x[r] = 0.0;
    for (size_t k = 0; k < ids; k++)
      study->x[r] += p->covariance[r + k * ids] * study->b[k];
  }
  for (size_t c = 0; c < ids; c++)
    for (size_t r = 0; r < ids; r++) {
      double sum = r == c ? 1.0 : 0.0;
      for (size_t k = 0; k < ids; k++)
        sum += p->covariance[r + k * ids] * study->a[k + c * ids];
      study->system[r + c * ids] = sum;
    }
  const lapack_int n = (lapack_int)ids;
  if (n > 0 &&
      LAPACKE_dgesv_work(LAPACK_COL_MAJOR, n, 1, study->system, n, study->pivot, study->x, n) != 0)
    return ARM_E_NUMERIC;
  for (size_t k = 0; k < ids; k++)
    study->chi2 -= study->b[k] * study->x[k];
  study->chi2 = fmax(0.0, study->chi2);
  return ARM_OK;
}

/* Of a chi2 as large: noise that few replicates told may be told far too small, which is F's part.
 * Degrees of freedom are those of as many pairs at two speeds, 5 H + H - 1 for H holds (theory
 * notes, section 2): files of a fit keep the pairs, and three speeds have more. */
static double chance(const Study *study, size_t i) {
  const ArmJointVerdict *v = &study->fit->verdict.joint[i];
  const double rows = (double)study->rows, nu = 3.0 * (double)v->pairs - 1.0;
  const bool is_told = v->s[0] > 0.0 && v->pairs > 0;
  return is_told ? arm_f_upper(study->chi2 / rows, rows, nu) : arm_chi2_upper(study->chi2, rows);
}

static ArmValidationKind judge(const Study *study, size_t i, const ArmJointValidation *v,
                               double friction_limit) {
  const ArmValidationLimits *limits = study->limits;
  if (!study->is_known)
    return ARM_VALIDATION_UNKNOWN;
  if (v->rms > fmin(limits->absolute, limits->relative * v->current))
    return ARM_VALIDATION_TOO_LARGE;
  if (!(study->fit->refined.joint[i].r2 >= limits->r2) ||
      v->promised > limits->promised_relative * v->current)
    return ARM_VALIDATION_UNUSABLE;
  if (v->p < TAIL / (double)study->model->n &&
      v->rms > fmax(limits->promised_factor * v->promised, friction_limit))
    return ARM_VALIDATION_MISFIT;
  return ARM_VALIDATION_PASSED;
}

static ArmStatus validate_joint(Study *study, const ArmStrokes *strokes, size_t i,
                                ArmJointValidation *out) {
  const size_t ids = study->fit->refined.n_ids;
  *out = (ArmJointValidation){.p = (double)NAN};
  memset(study->a, 0, ids * ids * sizeof *study->a);
  memset(study->b, 0, ids * sizeof *study->b);
  study->chi2 = study->promised = study->errors = study->currents = 0.0;
  study->count = study->rows = 0;
  study->is_known = true;
  take_strokes(study, strokes, i, out);
  if (study->count == 0)
    return ARM_OK;
  const double count = (double)study->count;
  ArmStatus status = add_rows(study);
  if (status == ARM_OK)
    status = correlate(study);
  out->rms = sqrt(study->errors / count);
  out->promised = sqrt(study->promised / count);
  out->current = sqrt(study->currents / count);
  out->p = chance(study, i);
  const double friction = study->limits->friction_relative * study->fit->verdict.joint[i].friction;
  out->limit = fmin(study->limits->absolute, study->limits->relative * out->current);
  if (!isnan(out->promised))
    out->limit = fmin(out->limit, fmax(study->limits->promised_factor * out->promised, friction));
  out->kind = judge(study, i, out, friction);
  return status;
}

/* ---- all of them ---- */

/* Room for the joint with the most strokes. */
static ArmStatus study_init(Study *study, const ArmStrokes *strokes) {
  const size_t ids = study->fit->refined.n_ids + 1;
  ArmStatus status = ARM_OK;
  size_t most = 0, count[ARM_MAX_JOINTS];
  arm_strokes_count(strokes, count);
  for (size_t i = 0; i < study->model->n; i++)
    most = count[i] > most ? count[i] : most;
  study->partners = calloc(most + 1, sizeof *study->partners);
  study->mates = calloc(most / 2 + 1, sizeof *study->mates);
  study->a = calloc(2 * ids * ids + 3 * ids, sizeof *study->a);
  study->pivot = calloc(ids, sizeof *study->pivot);
  if (!study->partners || !study->mates || !study->a || !study->pivot)
    return ARM_E_MEMORY;
  study->system = study->a + ids * ids;
  study->b = study->system + ids * ids;
  study->x = study->b + ids;
  study->mix = study->x + ids;
  study->judged = arm_shelf_take(study->shelf, most + 1, sizeof *study->judged, &status);
  if (study->judged)
    study->gradients =
        arm_shelf_take(study->shelf, (most + 1) * ids * JUDGED, sizeof *study->gradients, &status);
  return status;
}

static void study_clear(Study *study) {
  free(study->partners);
  free(study->mates);
  arm_shelf_give(study->shelf, study->judged);
  arm_shelf_give(study->shelf, study->gradients);
  free(study->a);
  free(study->pivot);
}

static ArmStatus validate_strokes(const ArmModel *model, const ArmGravityFit *fit,
                                  const ArmStrokes *strokes, const ArmValidationLimits *limits,
                                  ArmValidation *out) {
  Study study = {.model = model, .fit = fit, .limits = limits, .shelf = strokes->shelf};
  ArmValidation result = {.n = model->n};
  ArmStatus status = study_init(&study, strokes);
  for (size_t i = 0; i < model->n && status == ARM_OK; i++)
    status = validate_joint(&study, strokes, i, &result.joint[i]);
  study_clear(&study);
  if (status == ARM_OK)
    *out = result;
  return status;
}

static bool is_of_arm(const ArmModel *model, const ArmGravityFit *fit) {
  if (model->n != fit->refined.n)
    return false;
  for (size_t i = 0; i < model->n; i++)
    if (model->joints[i].type != fit->refined.type[i])
      return false;
  return true;
}

static ArmStatus cut_strokes(const ArmModel *model, ArmWindows *windows, double median_step,
                             ArmShelf *shelf, ArmStrokes *strokes) {
  ArmStrokeStream *stream = arm_stroke_stream_new(model, shelf);
  ArmStatus status = stream ? ARM_OK : ARM_E_MEMORY;
  for (size_t k = 0; k < windows->count && status == ARM_OK; k++) {
    const ArmWindow *window;
    status = arm_windows_get(windows, k, &window);
    if (status == ARM_OK)
      status = arm_strokes_cut(model, window, median_step, stream);
  }
  if (status == ARM_OK)
    status = arm_stroke_stream_take(stream, strokes);
  arm_stroke_stream_free(stream);
  return status;
}

ArmStatus arm_validate_windows(const ArmModel *model, const ArmGravityFit *fit, ArmWindows *windows,
                               double median_step, const ArmValidationLimits *limits,
                               ArmShelf *shelf, ArmValidation *out) {
  ArmStrokes strokes = {0};
  if (!is_of_arm(model, fit))
    return ARM_E_ARGUMENT;
  ArmStatus status = cut_strokes(model, windows, median_step, shelf, &strokes);
  if (status == ARM_OK)
    status = validate_strokes(model, fit, &strokes, limits, out);
  arm_strokes_clear(&strokes);
  return status;
}

ArmStatus arm_validate(const ArmModel *model, const ArmGravityFit *fit, const ArmDataset *data,
                       const ArmRowOptions *rows, const ArmValidationLimits *limits,
                       ArmValidation *out) {
  ArmWindows windows;
  double step = (double)NAN;
  if (model->n != data->n)
    return ARM_E_ARGUMENT;
  ArmRowUse *use = calloc(data->rows + 1, sizeof *use);
  ArmStatus status = use ? arm_wild_select(model, data, rows, use, NULL) : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = arm_filter_median_step(data->rows, data->t, &step);
  if (status == ARM_OK) {
    arm_windows_whole(&windows, data, use);
    status = arm_validate_windows(model, fit, &windows, step, limits, NULL, out);
    arm_windows_clear(&windows);
  }
  free(use);
  return status;
}
