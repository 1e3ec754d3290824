/* SPDX-License-Identifier: MIT */
/* Strokes become pairs, pairs become rows of a fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/verdict_internal.h"

enum { K = ARM_STROKE_ORDERS };
#define FULL_RANGE                                                                                 \
  0.70 /* of what the joint sweeps; Armature theory notes, lack of fit, section 1 */

static void gravity_of_hold(const ArmStrokeFit *fit, const ArmStroke *s, double *one,
                            double *cosine, double *sine) {
  const ArmIdent *ident = fit->ident;
  double q[ARM_MAX_JOINTS];
  for (size_t j = 0; j < ident->model->n; j++)
    q[j] = s->q_sum[j] / (double)s->rows;
  arm_ident_settle(ident, s->joint, q);
  for (size_t j = 0; fit->warp && j < ident->model->n; j++)
    q[j] = fit->warp->scale[j] * q[j] + fit->warp->zero[j];
  arm_gravity_row_of_hold(ident->model, q, s->joint, one, cosine, sine);
}

/* what cos and sin of scale q have beyond those of q */
static void beyond(double q, const void *scale, double *value) {
  const double turned = *(const double *)scale * q;
  value[0] = cos(turned) - cos(q);
  value[1] = sin(turned) - sin(q);
}

/* cos(scale q + zero), sin of it: exact for a scale of 1 and -1, else what the grid says differs */
static void warp_own(const ArmStrokeFit *fit, const ArmFitStroke *stroke, double *cosine,
                     double *sine) {
  const size_t i = stroke->sums->joint;
  const double scale = fit->warp->scale[i], turned = fit->warp->zero[i];
  const double low = fit->joint[i].low, high = fit->joint[i].high;
  double more[2 * K] = {0};
  const bool is_exact = fabs(scale) == 1.0;
  if (scale == 1.0 && turned == 0.0)
    return;
  if (!is_exact && !arm_stroke_project_both(stroke->sums, low, high, beyond, &scale, more))
    return;
  for (size_t k = 0; k < K; k++) {
    const double c = cosine[k] + more[k];
    const double s = is_exact ? scale * sine[k] : sine[k] + more[K + k];
    cosine[k] = cos(turned) * c - sin(turned) * s;
    sine[k] = sin(turned) * c + cos(turned) * s;
  }
}

/* The friction terms that the joint has; one, cosine, sine: gravity of the hold */
static void fill_terms(const ArmStrokeFit *fit, ArmFitStroke *stroke, const double *own,
                       const double *one, const double *cosine, const double *sine) {
  const ArmIdent *ident = fit->ident;
  const size_t i = stroke->sums->joint, gravity = 2 * (ident->model->n - i);
  const ArmIdentTerms *terms = &ident->terms[i];
  const double s = stroke->speed > 0.0 ? terms->sign : -terms->sign;
  const double scale = fit->warp ? fit->warp->scale[i] : 1.0;
  const double zero = fit->warp ? fit->warp->zero[i] : 0.0;
  const double low = fit->joint[i].low, high = fit->joint[i].high;
  double load[3] = {0.0};
  for (size_t c = 0; c < gravity; c++) {
    load[0] += terms->load[c] * one[2 * i + c];
    load[1] += terms->load[c] * cosine[2 * i + c];
    load[2] += terms->load[c] * sine[2 * i + c];
  }
  if (terms->has[ARM_TERM_LOAD])
    arm_stroke_load_column(stroke->sums, low, high, load, own, scale, zero, s,
                           stroke->z + arm_ident_term_column(ident, i, ARM_TERM_LOAD) * K);
  if (terms->has[ARM_TERM_CURVE])
    arm_stroke_curve_column(stroke->sums, low, high,
                            stroke->numbers.z + (size_t)ARM_STROKE_SPEED * K, terms->curve_speed, s,
                            stroke->z + arm_ident_term_column(ident, i, ARM_TERM_CURVE) * K);
}

static void fill_columns(const ArmStrokeFit *fit, ArmFitStroke *stroke) {
  const ArmIdent *ident = fit->ident;
  const ArmStroke *s = stroke->sums;
  const ArmModel *model = ident->model;
  const double *z = stroke->numbers.z;
  double own[2][K];
  const size_t gravity = 2 * (model->n - s->joint), side = stroke->speed > 0.0 ? 0 : 2;
  double one[2 * ARM_MAX_JOINTS], cosine[2 * ARM_MAX_JOINTS], sine[2 * ARM_MAX_JOINTS];
  gravity_of_hold(fit, s, one, cosine, sine);
  memcpy(own[0], z + (size_t)ARM_STROKE_COS * K, sizeof own[0]);
  memcpy(own[1], z + (size_t)ARM_STROKE_SIN * K, sizeof own[1]);
  if (fit->warp)
    warp_own(fit, stroke, own[0], own[1]);
  for (size_t c = 0; c < gravity; c++) {
    const size_t from = 2 * s->joint + c;
    for (size_t k = 0; k < K; k++)
      stroke->z[k + c * K] =
          (k == 0 ? one[from] : 0.0) + cosine[from] * own[0][k] + sine[from] * own[1][k];
  }
  stroke->z[(gravity + side) * K] = 1.0;
  memcpy(stroke->z + (gravity + side + 1) * K, z + (size_t)ARM_STROKE_SPEED * K, K * sizeof *z);
  if (ident->has_acceleration)
    memcpy(stroke->z + (gravity + 4) * K, z + (size_t)ARM_STROKE_ACCELERATION * K, K * sizeof *z);
  fill_terms(fit, stroke, own[0], one, cosine, sine);
}

static void find_ranges(ArmStrokeFit *fit, const ArmStrokes *strokes) {
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++) {
    fit->joint[i].low = (double)INFINITY;
    fit->joint[i].high = -(double)INFINITY;
  }
  for (size_t s = 0; s < strokes->count; s++) {
    const ArmStroke *at = &strokes->at[s];
    ArmJointStrokes *joint = &fit->joint[at->joint];
    arm_shelf_saw(strokes->shelf, sizeof *at);
    joint->low = fmin(joint->low, at->low);
    joint->high = fmax(joint->high, at->high);
  }
}

/* Strokes that hold enough rows and positions, in order of time, by joint. */
static void take_strokes(ArmStrokeFit *fit, const ArmStrokes *strokes, size_t i, double **next) {
  ArmJointStrokes *joint = &fit->joint[i];
  const size_t columns = arm_ident_columns(fit->ident, i);
  double within = 0.0, lag = 0.0, rows = 0.0, dof = 0.0, first = (double)INFINITY, last = 0.0;
  joint->first_stroke = fit->n_strokes;
  for (size_t s = 0; s < strokes->count; s++) {
    const ArmStroke *sums = &strokes->at[s];
    ArmFitStroke *to = &fit->strokes[fit->n_strokes];
    arm_shelf_saw(strokes->shelf, sizeof *sums);
    if (sums->joint != i || sums->rows < ARM_STROKE_LEAST_ROWS ||
        arm_stroke_numbers(sums, joint->low, joint->high, &to->numbers) != ARM_OK)
      continue;
    to->sums = sums;
    to->speed = arm_stroke_speed(sums);
    to->is_full = sums->high - sums->low >= FULL_RANGE * (joint->high - joint->low);
    to->z = *next;
    to->columns = columns;
    *next += K * columns;
    fill_columns(fit, to);
    arm_stroke_fit_saw_stroke(fit, to);
    within += sums->within;
    lag += to->numbers.lag;
    dof += (double)(sums->rows - K);
    rows += (double)sums->rows;
    joint->lag_pairs += sums->lag_pairs;
    joint->t_mean += sums->t_sum;
    joint->holds = sums->hold + 1 > joint->holds ? sums->hold + 1 : joint->holds;
    first = fmin(first, sums->t_first);
    last = fmax(last, sums->t_last);
    fit->n_strokes++;
  }
  joint->strokes = fit->n_strokes - joint->first_stroke;
  joint->s_within = dof > 0.0 ? sqrt(within / dof) : 0.0;
  joint->lag1 = within > 0.0 ? lag / within : 0.0;
  joint->t_mean /= rows > 0.0 ? rows : 1.0;
  joint->t_span = joint->strokes > 0 ? last - first : 0.0;
}

static ArmStatus allocate_rows(ArmStrokeFit *fit) {
  const size_t n = fit->ident->model->n;
  for (size_t i = 0; i < n; i++) {
    ArmJointStrokes *joint = &fit->joint[i];
    joint->first_row = fit->rows;
    joint->rows = joint->pairs * ARM_PAIR_ROWS + (joint->strokes - 2 * joint->pairs) * K;
    fit->rows += joint->rows;
  }
  fit->count = fit->ident->tree.count + n;
  fit->priors = 2 * n + fit->n_ridges;
  const size_t all = fit->rows + fit->priors;
  size_t few, room;
  arm_stroke_fit_compact_size(fit, &few, &room);
  const size_t most = few < fit->rows ? few : fit->rows; /* of a jacobian */
  const size_t q = (all + ARM_IDENT_MAX_COLUMNS) * fit->count;
  ArmStatus status = ARM_OK;
  fit->room = calloc(room + 2 * few + most * fit->count + fit->count * fit->count + fit->count + 1,
                     sizeof *fit->room);
  fit->pivot = calloc(fit->count + 1, sizeof *fit->pivot);
  if (!fit->room || !fit->pivot)
    return ARM_E_MEMORY;
  fit->residual = arm_shelf_take(
      fit->shelf, 2 * fit->rows + q + all + fit->count + ARM_FIT_SCRATCH * (fit->count + 1) + 1,
      sizeof *fit->residual, &status);
  if (!fit->residual)
    return status;
  fit->jacobian = fit->room + room + 2 * few;
  fit->r = fit->jacobian + most * fit->count;
  fit->scale = fit->r + fit->count * fit->count;
  fit->sd = fit->residual + fit->rows;
  fit->q = fit->sd + fit->rows;
  fit->work = fit->q + q;
  return ARM_OK;
}

/* next: room for the columns of pairs */
static ArmStatus make_rows(ArmStrokeFit *fit, const ArmJointStrokes *joint, size_t columns,
                           double **next) {
  ArmStatus status = ARM_OK;
  for (size_t p = joint->first_pair; p < fit->n_pairs && status == ARM_OK; p++) {
    ArmPair *pair = &fit->pairs[p];
    pair->rows.z = *next;
    *next += ARM_PAIR_ROWS * columns;
    status = arm_pair_make(&fit->strokes[pair->plus], &fit->strokes[pair->minus], columns, pair);
    arm_stroke_fit_saw_pair(fit, pair);
    arm_shelf_saw(fit->shelf, 2 * sizeof *fit->strokes->sums); /* how many rows both have */
  }
  for (size_t s = joint->first_stroke; s < fit->n_strokes; s++) {
    ArmFitStroke *stroke = &fit->strokes[s];
    arm_stroke_fit_saw_stroke(fit, stroke);
    if (stroke->is_paired)
      continue;
    stroke->rows.z = stroke->z;
    memcpy(stroke->rows.y, stroke->numbers.alpha, sizeof stroke->numbers.alpha);
    arm_stroke_whiten(&stroke->numbers, stroke->rows.y);
    for (size_t a = 0; a < columns; a++)
      arm_stroke_whiten(&stroke->numbers, stroke->z + a * K);
  }
  return status;
}

ArmStatus arm_stroke_fit_init(const ArmIdent *ident, const ArmStrokes *strokes, ArmStrokeFit *fit) {
  return arm_stroke_fit_init_ridged(ident, strokes, 0, fit);
}

ArmStatus arm_stroke_fit_init_ridged(const ArmIdent *ident, const ArmStrokes *strokes,
                                     size_t ridges, ArmStrokeFit *fit) {
  size_t z = 0, count[ARM_MAX_JOINTS];
  ArmStatus status = ARM_OK;
  *fit = (ArmStrokeFit){.ident = ident, .shelf = ident->shelf, .n_ridges = ridges};
  find_ranges(fit, strokes);
  arm_strokes_count(strokes, count);
  for (size_t i = 0; i < ident->model->n; i++)
    z += 2 * count[i] * K * arm_ident_columns(ident, i);
  fit->block_size = z;
  fit->block = arm_shelf_take(fit->shelf, z + 1, sizeof *fit->block, &status);
  if (status == ARM_OK)
    fit->strokes = arm_shelf_take(fit->shelf, strokes->count + 1, sizeof *fit->strokes, &status);
  if (status == ARM_OK)
    fit->pairs = arm_shelf_take(fit->shelf, strokes->count / 2 + 1, sizeof *fit->pairs, &status);
  if (status != ARM_OK) {
    arm_stroke_fit_clear(fit);
    return status;
  }
  double *next = fit->block;
  for (size_t i = 0; i < ident->model->n && status == ARM_OK; i++) {
    take_strokes(fit, strokes, i, &next);
    status = arm_stroke_fit_pair(fit, &fit->joint[i]);
    if (status == ARM_OK)
      status = make_rows(fit, &fit->joint[i], arm_ident_columns(ident, i), &next);
  }
  if (status == ARM_OK)
    status = allocate_rows(fit);
  if (status != ARM_OK)
    arm_stroke_fit_clear(fit);
  return status;
}

void arm_stroke_fit_refill(ArmStrokeFit *fit) {
  for (size_t s = 0; s < fit->n_strokes; s++) {
    ArmFitStroke *stroke = &fit->strokes[s];
    fill_columns(fit, stroke);
    for (size_t a = 0; !stroke->is_paired && a < arm_ident_columns(fit->ident, stroke->sums->joint);
         a++)
      arm_stroke_whiten(&stroke->numbers, stroke->z + a * K);
    arm_stroke_fit_saw_stroke(fit, stroke);
  }
  for (size_t p = 0; p < fit->n_pairs; p++) {
    ArmPair *pair = &fit->pairs[p];
    const ArmFitStroke *plus = &fit->strokes[pair->plus], *minus = &fit->strokes[pair->minus];
    const size_t columns = arm_ident_columns(fit->ident, plus->sums->joint);
    for (size_t a = 0; a < columns; a++)
      arm_pair_rows(pair, plus->z + a * K, minus->z + a * K, pair->rows.z + a * ARM_PAIR_ROWS);
    arm_stroke_fit_saw_pair(fit, pair);
  }
}

void arm_stroke_fit_columns(ArmStrokeFit *fit, double *kept, bool is_back) {
  double *to = is_back ? fit->block : kept;
  const double *from = is_back ? kept : fit->block;
  arm_shelf_copy(fit->shelf, to, from, fit->block_size);
}

static size_t size_of_columns(const ArmFitStroke *stroke) {
  return K * stroke->columns * sizeof(double);
}

void arm_stroke_fit_saw_stroke(const ArmStrokeFit *fit, const ArmFitStroke *stroke) {
  if (fit->shelf)
    arm_shelf_saw(fit->shelf, sizeof *stroke + sizeof *stroke->sums + size_of_columns(stroke));
}

void arm_stroke_fit_saw_pair(const ArmStrokeFit *fit, const ArmPair *pair) {
  if (!fit->shelf)
    return;
  const ArmFitStroke *stroke = &fit->strokes[pair->plus];
  arm_shelf_saw(fit->shelf, sizeof *pair + 2 * sizeof *stroke + 4 * size_of_columns(stroke));
}

void arm_stroke_fit_load(const ArmStrokeFit *fit, const ArmFitStroke *stroke, double load[3]) {
  const size_t i = stroke->sums->joint, n = fit->ident->model->n;
  double c[ARM_IDENT_MAX_COLUMNS], part[3][2 * ARM_MAX_JOINTS];
  arm_ident_coefficients(&fit->ident->tree, fit->ident->model, fit->phi, i, c, NULL);
  gravity_of_hold(fit, stroke->sums, part[0], part[1], part[2]);
  for (size_t k = 0; k < 3; k++) {
    load[k] = 0.0;
    for (size_t a = 0; a < 2 * (n - i); a++)
      load[k] += c[a] * part[k][2 * i + a];
  }
}

void arm_stroke_fit_clear(ArmStrokeFit *fit) {
  arm_shelf_give(fit->shelf, fit->strokes);
  arm_shelf_give(fit->shelf, fit->pairs);
  arm_shelf_give(fit->shelf, fit->residual);
  arm_shelf_give(fit->shelf, fit->block);
  free(fit->room);
  free(fit->pivot);
  *fit = (ArmStrokeFit){0};
}

/* Friction of the terms, as it is on the mean: half of a stroke later it is another by less than a
 * part of delta. */
static void add_terms(const ArmStrokeFit *fit, const ArmFitStroke *stroke, double *trend) {
  const ArmIdent *ident = fit->ident;
  const size_t i = stroke->sums->joint;
  const ArmJointStrokes *joint = &fit->joint[i];
  const double since = stroke->sums->t_sum / (double)stroke->sums->rows - joint->t_mean;
  for (int t = 0; t < ARM_TERMS && joint->t_span > 0.0; t++) {
    if (!ident->terms[i].has[t])
      continue;
    const double factor = fit->phi[ident->tree.term[i][t]] * since / joint->t_span;
    const double *z = stroke->z + arm_ident_term_column(ident, i, (ArmFrictionTerm)t) * K;
    for (size_t k = 0; k < K; k++)
      trend[k] += factor * z[k];
  }
}

void arm_stroke_fit_trend(ArmStrokeFit *fit) {
  const ArmIdentTree *tree = &fit->ident->tree;
  for (size_t s = 0; s < fit->n_strokes; s++) {
    ArmFitStroke *stroke = &fit->strokes[s];
    const size_t i = stroke->sums->joint;
    const ArmJointStrokes *joint = &fit->joint[i];
    const double *f = fit->phi + tree->friction[i] + (stroke->speed > 0.0 ? 0 : 2);
    const double *z = stroke->numbers.z, middle = joint->t_mean;
    double *trend = stroke->rows.trend;
    for (size_t k = 0; k < K; k++) {
      const double one = z[k + ARM_STROKE_TIME * K] - (k == 0 ? middle : 0.0);
      const double v = z[k + ARM_STROKE_TIME_SPEED * K] - middle * z[k + ARM_STROKE_SPEED * K];
      trend[k] = joint->t_span > 0.0 ? (f[0] * one + f[1] * v) / joint->t_span : 0.0;
    }
    arm_stroke_fit_saw_stroke(fit, stroke);
    if (!stroke->is_paired)
      arm_stroke_whiten(&stroke->numbers, trend);
    add_terms(fit, stroke, trend); /* of a lone stroke the columns are white already */
  }
  for (size_t p = 0; p < fit->n_pairs; p++) {
    arm_pair_rows(&fit->pairs[p], fit->strokes[fit->pairs[p].plus].rows.trend,
                  fit->strokes[fit->pairs[p].minus].rows.trend, fit->pairs[p].rows.trend);
    arm_stroke_fit_saw_pair(fit, &fit->pairs[p]);
  }
  fit->has_trend = true;
}

void arm_stroke_fit_weigh(ArmStrokeFit *fit) {
  for (size_t i = 0; i < fit->ident->model->n; i++) {
    const ArmJointStrokes *joint = &fit->joint[i];
    double *sd = fit->sd + joint->first_row, most = joint->still;
    for (size_t k = 1; k < K; k++)
      most = fmax(most, joint->s[k]);
    for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs; p++) {
      const double root = sqrt(fit->pairs[p].weight);
      for (size_t k = 0; k < K; k++)
        sd[k] = sd[k + K] = joint->s[k] / root;
      sd[K] = hypot(joint->still / root, fit->pairs[p].mix[0] * joint->tau);
      sd += ARM_PAIR_ROWS;
      arm_shelf_saw(fit->shelf, sizeof *fit->pairs + ARM_PAIR_ROWS * sizeof *sd);
    }
    for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes; s++) {
      arm_shelf_saw(fit->shelf, sizeof *fit->strokes + sizeof *fit->strokes->sums);
      const double rows = (double)fit->strokes[s].sums->rows;
      /* its mean scatters by sqrt(2) of a pair's half sum, and has half its weight */
      for (size_t k = 0; k < K && !fit->strokes[s].is_paired; k++)
        *sd++ = fmax(hypot(most, sqrt(rows) * joint->tau), k == 0 ? joint->s[0] : 0.0);
    }
  }
}
