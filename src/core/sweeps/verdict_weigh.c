/* SPDX-License-Identifier: MIT */
/* Rows of a joint weighed by what its strokes tell of noise, as a triangle for the refinement.
 * Strokes too short for the fit on strokes, but not too short for a fit, come sample by sample.
 * Source: Armature theory notes, lack of fit, sections 3.1 and 3.2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/distribution.h"
#include "core/sweeps/sums_internal.h"
#include "core/sweeps/verdict_internal.h"

enum {
  K = ARM_STROKE_ORDERS,
  LEAST_HOLDS = 2, /* with one nothing replicates even k = 0 */
  LEAST_PAIRS = 6  /* tau has pairs - 3 dof: with 1 of it 87 % of 95 % intervals of k* held */
};
/* Chosen: where noise may as well be white both weights are right, and the samples' are kept. */
#define TAIL     0.01
#define ROUNDING 1e-6 /* of the current: noise below is rounding and tells nothing of weights */

typedef struct {
  const ArmStrokeFit *fit;
  size_t joint, columns;
  ArmLsq *lsq;
  size_t rows;
  double square; /* of the weighed currents */
  size_t part;   /* of the strokes that take part the one that comes next */
} Weigher;

/* the noise that replicates show over that of the residuals: lies in the tails of its law */
static bool is_other_noise(const ArmJointStrokes *joint, double noise) {
  double square = 0.0;
  for (size_t k = 0; k < K; k++)
    square += joint->s[k] * joint->s[k] / (noise * noise) / K;
  const double tail = arm_chi2_upper(joint->nu[0] * square, joint->nu[0]);
  return fmin(tail, 1.0 - tail) < TAIL;
}

/* White noise of the same size in all samples is weighed best by the samples alone: what replicates
 * know of it is less. */
static bool is_even(const ArmJointStrokes *joint, const ArmJointVerdict *verdict, double noise) {
  return !joint->is_correlated && !(joint->slow_p < TAIL) && !is_other_noise(joint, noise) &&
         !(verdict->test[ARM_TEST_SCATTER].p < TAIL) && !(verdict->test[ARM_TEST_TREND].p < TAIL);
}

static bool is_weighable(const ArmStrokeFit *fit, size_t i, double noise,
                         const ArmJointVerdict *verdict) {
  const ArmJointStrokes *joint = &fit->joint[i];
  return verdict->verdict != ARM_VERDICT_MISFIT && joint->has_replicates &&
         joint->holds >= LEAST_HOLDS && joint->pairs >= LEAST_PAIRS &&
         noise > ROUNDING * fit->ident->rows[i].rms_y && !is_even(joint, verdict, noise);
}

/*   rows of pairs and lone strokes over their sds: s_k/sqrt(w_p), odd k = 0 with tau as well
 *   the trend  f_i(v) (t - tbar)/T delta, delta 0 +- 0.10, is the first column of the triangle;
 * what stands below its row is what the rows say of the other parameters when delta is not known */

/* line: trend, columns, current */
static ArmStatus push(Weigher *w, double sd, double *line) {
  for (size_t a = 0; a < w->columns + 2; a++)
    line[a] /= sd;
  w->rows++;
  w->square += line[w->columns + 1] * line[w->columns + 1];
  return arm_lsq_push(w->lsq, line);
}

static ArmStatus push_rows(Weigher *w, const ArmFitRows *rows, size_t m, size_t first) {
  double line[ARM_IDENT_MAX_COLUMNS + 2];
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < m && status == ARM_OK; k++) {
    line[0] = rows->trend[k];
    for (size_t a = 0; a < w->columns; a++)
      line[1 + a] = rows->z[k + a * m];
    line[1 + w->columns] = rows->y[k];
    status = push(w, w->fit->sd[first + k], line);
  }
  return status;
}

static ArmStatus push_strokes(Weigher *w) {
  const ArmJointStrokes *joint = &w->fit->joint[w->joint];
  size_t row = joint->first_row;
  ArmStatus status = ARM_OK;
  for (size_t p = joint->first_pair; p < joint->first_pair + joint->pairs && status == ARM_OK;
       p++) {
    status = push_rows(w, &w->fit->pairs[p].rows, ARM_PAIR_ROWS, row);
    arm_stroke_fit_saw_pair(w->fit, &w->fit->pairs[p]);
    row += ARM_PAIR_ROWS;
  }
  for (size_t s = joint->first_stroke; s < joint->first_stroke + joint->strokes && status == ARM_OK;
       s++) {
    arm_stroke_fit_saw_stroke(w->fit, &w->fit->strokes[s]);
    if (w->fit->strokes[s].is_paired)
      continue;
    status = push_rows(w, &w->fit->strokes[s].rows, K, row);
    row += K;
  }
  return status;
}

/* Both are in order of time: strokes are asked for one after the other. */
static bool takes_part(Weigher *w, const ArmStroke *stroke) {
  const ArmJointStrokes *joint = &w->fit->joint[w->joint];
  const bool is_part =
      w->part < joint->strokes && w->fit->strokes[joint->first_stroke + w->part].sums == stroke;
  w->part += is_part;
  arm_shelf_saw(w->fit->shelf, sizeof *w->fit->strokes);
  return is_part;
}

/* what the samples of strokes that take no part have in common */
typedef struct {
  double most;
  bool has_trend;
} Samples;

/* row r of such a stroke of `count` rows */
static ArmStatus push_sample(Weigher *w, const Samples *samples, const ArmDataset *data, size_t r,
                             size_t count) {
  const ArmIdent *ident = w->fit->ident;
  const ArmJointStrokes *joint = &w->fit->joint[w->joint];
  const double *f = w->fit->phi + ident->tree.friction[w->joint];
  const size_t friction = 2 * (ident->model->n - w->joint);
  const double since = data->t[r] - ident->strokes.origin - joint->t_mean;
  double line[ARM_IDENT_MAX_COLUMNS + 2];
  line[1 + w->columns] = arm_ident_fetch(ident, data, w->joint, r, line + 1);
  line[0] = 0.0;
  for (size_t a = 0; a < 4 && samples->has_trend; a++)
    line[0] += f[a] * line[1 + friction + a] * since / joint->t_span;
  for (int t = 0; t < ARM_TERMS && samples->has_trend; t++)
    if (ident->terms[w->joint].has[t])
      line[0] += w->fit->phi[ident->tree.term[w->joint][t]] *
                 line[1 + arm_ident_term_column(ident, w->joint, (ArmFrictionTerm)t)] * since /
                 joint->t_span;
  return push(w, hypot(samples->most, sqrt((double)count) * joint->tau), line);
}

static Samples samples_of(const Weigher *w) {
  const ArmJointStrokes *joint = &w->fit->joint[w->joint];
  Samples samples = {.most = joint->still};
  for (size_t k = 1; k < K; k++)
    samples.most = fmax(samples.most, joint->s[k]);
  samples.has_trend =
      joint->t_span > 0.0 && w->fit->phi[w->fit->ident->tree.count + w->joint] != 0.0;
  return samples;
}

static bool all_take_part(const Weigher *w) {
  size_t count[ARM_MAX_JOINTS];
  arm_strokes_count(&w->fit->ident->strokes, count);
  return count[w->joint] <= w->fit->joint[w->joint].strokes;
}

/* Mean of a column over a stroke's rows. */
static double mean_of(const ArmSumsView *view, const double *z) {
  const double wide[ARM_SUMS_MOST] = {1.0};
  double one[ARM_SUMS_MOST], sum = 0.0;
  arm_sums_multiply(view->sums->triangle, view->width, wide, one);
  for (size_t k = 0; k < view->width; k++)
    sum += one[k] * z[k];
  return sum / (double)view->sums->stroke.rows;
}

/* f (t - tbar)/T of the friction and of its terms, as push_sample has it; of terms what their mean
 * over the stroke makes of its time, and what they differ from it at its mean time: all of it where
 * speeds are steady. */
static void sums_trend(const Weigher *w, const ArmSumsView *view, const double *block,
                       double *trend) {
  const ArmIdent *ident = w->fit->ident;
  const ArmJointStrokes *joint = &w->fit->joint[w->joint];
  const ArmStroke *stroke = &view->sums->stroke;
  const size_t width = view->width;
  const double *f =
      w->fit->phi + ident->tree.friction[w->joint] + (stroke->speed_sum > 0.0 ? 0 : 2);
  const double middle = stroke->t_sum / (double)stroke->rows, since = middle - joint->t_mean;
  double wide[ARM_SUMS_MOST] = {0}, made[ARM_SUMS_MOST];
  wide[K + ARM_STROKE_TIME] = f[0] / joint->t_span;
  wide[K + ARM_STROKE_TIME_SPEED] = f[1] / joint->t_span;
  wide[0] = -joint->t_mean * f[0] / joint->t_span;
  wide[K + ARM_STROKE_SPEED] = -joint->t_mean * f[1] / joint->t_span;
  for (int t = 0; t < ARM_TERMS; t++) {
    if (!ident->terms[w->joint].has[t])
      continue;
    const double factor = w->fit->phi[ident->tree.term[w->joint][t]] / joint->t_span;
    const double *z = block + arm_ident_term_column(ident, w->joint, (ArmFrictionTerm)t) * width;
    const double mean = mean_of(view, z);
    wide[K + ARM_STROKE_TIME] += factor * mean;
    wide[0] -= factor * mean * middle;
    for (size_t k = 0; k < width; k++)
      trend[k] += factor * since * z[k];
  }
  arm_sums_multiply(view->sums->triangle, width, wide, made);
  for (size_t k = 0; k < width; k++)
    trend[k] += made[k];
}

/* What is left of the rows of a stroke that takes no part: as many lines as its triangle has.
 *   block  of arm_sums_block */
static ArmStatus push_sums(Weigher *w, const Samples *samples, const ArmSumsView *view,
                           const double *block) {
  const ArmStroke *stroke = &view->sums->stroke;
  double trend[ARM_SUMS_MOST] = {0}, line[ARM_IDENT_MAX_COLUMNS + 2];
  const double sd = hypot(samples->most, sqrt((double)stroke->rows) * w->fit->joint[w->joint].tau);
  ArmStatus status = ARM_OK;
  if (samples->has_trend)
    sums_trend(w, view, block, trend);
  for (size_t k = 0; k < view->width && status == ARM_OK; k++) {
    line[0] = trend[k];
    for (size_t a = 0; a <= w->columns; a++)
      line[1 + a] = block[k + a * view->width];
    status = push(w, sd, line);
  }
  w->rows += stroke->rows - view->width;
  return status;
}

static ArmStatus push_rest_of_sums(Weigher *w, const Samples *samples) {
  const ArmIdent *ident = w->fit->ident;
  double *block = malloc(ARM_SUMS_MOST * (w->columns + 1) * sizeof *block);
  ArmStatus status = block ? ARM_OK : ARM_E_MEMORY;
  for (size_t s = 0; s < ident->strokes.count && status == ARM_OK; s++) {
    const ArmStroke *stroke = &ident->strokes.at[s];
    arm_sums_saw(ident->sums, &ident->sums->at[s]);
    if (stroke->joint != w->joint || takes_part(w, stroke))
      continue;
    const ArmSumsView view = arm_sums_view(ident, s);
    status = arm_sums_block(&view, block);
    if (status == ARM_OK)
      status = push_sums(w, samples, &view, block);
  }
  free(block);
  return status;
}

static ArmStatus push_rest(Weigher *w) {
  const ArmIdent *ident = w->fit->ident;
  const Samples samples = samples_of(w);
  if (ident->is_of_sums[w->joint])
    return push_rest_of_sums(w, &samples);
  ArmStrokeOfRow at = {.strokes = &ident->strokes, .joint = w->joint};
  ArmRowWalk walk = arm_row_walk(ident->windows, w->joint);
  ArmStatus status = ARM_OK;
  bool is_part = true;
  if (all_take_part(w))
    return ARM_OK;
  while (status == ARM_OK && arm_row_walk_next(&walk)) {
    const ArmStroke *stroke = arm_ident_stroke_of_next(&at);
    if (at.row == 0)
      is_part = takes_part(w, stroke);
    if (!is_part)
      status = push_sample(w, &samples, &walk.window->data, walk.row, stroke->rows);
  }
  return status == ARM_OK ? walk.status : status;
}

static ArmStatus push_all(Weigher *w) {
  double prior[ARM_IDENT_MAX_COLUMNS + 2] = {1.0 / ARM_TREND_PRIOR_SD};
  ArmStatus status = arm_lsq_push(w->lsq, prior);
  if (status == ARM_OK)
    status = push_strokes(w);
  return status == ARM_OK ? push_rest(w) : status;
}

/* the triangle without the row and column of the trend */
static ArmStatus take_triangle(const Weigher *w, double *triangle) {
  const size_t width = w->columns + 1, wide = width + 1;
  double *r = malloc(wide * wide * sizeof *r);
  if (!r)
    return ARM_E_MEMORY;
  arm_lsq_triangle(w->lsq, r);
  for (size_t c = 0; c < width; c++)
    memcpy(triangle + c * width, r + 1 + (c + 1) * wide, width * sizeof *r);
  free(r);
  return ARM_OK;
}

ArmStatus arm_stroke_fit_weigh_joint(const ArmStrokeFit *fit, size_t i, ArmIdentRows *weighed) {
  const size_t columns = arm_ident_columns(fit->ident, i);
  Weigher w = {.fit = fit, .joint = i, .columns = columns, .lsq = arm_lsq_new(columns + 2)};
  double *triangle = malloc((columns + 1) * (columns + 1) * sizeof *triangle);
  ArmStatus status = w.lsq && triangle ? push_all(&w) : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = take_triangle(&w, triangle);
  arm_lsq_free(w.lsq);
  if (status != ARM_OK) {
    free(triangle);
    return status;
  }
  *weighed = (ArmIdentRows){.columns = columns,
                            .rows = w.rows,
                            .triangle = triangle,
                            .rms_y = sqrt(w.square / (double)w.rows)};
  return ARM_OK;
}

/* Replicates know nothing of what is wrong with the model: weighed by them, a joint that does not
 * fit bends the others. With gravity its misfit looks like scatter and trend of their friction. */
static bool has_gravity_alarm(const ArmVerdict *verdict) {
  for (size_t i = 0; i < verdict->n; i++)
    if (verdict->joint[i].test[ARM_TEST_GRAVITY].is_alarm)
      return true;
  return false;
}

ArmStatus arm_stroke_fit_weigh_rows(const ArmStrokeFit *fit, const ArmIdentResult *samples,
                                    const ArmVerdict *verdict, ArmIdent *ident, bool *any) {
  ArmStatus status = ARM_OK;
  *any = false;
  if (has_gravity_alarm(verdict))
    return ARM_OK;
  for (size_t i = 0; i < ident->model->n && status == ARM_OK; i++) {
    if (!is_weighable(fit, i, samples->stats[i].residual_sd, &verdict->joint[i]))
      continue;
    status = arm_stroke_fit_weigh_joint(fit, i, &ident->weighed[i]);
    *any = true;
  }
  return status;
}
