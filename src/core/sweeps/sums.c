/* SPDX-License-Identifier: MIT */
/* Rows into sums, in two passes more than it takes to find what is wild: the first finds the
 * strokes, the second folds the rows of one stroke after the other into its triangle; a third one
 * keeps rows that sums cannot stand for (sums_keep.c). Columns of
 * gravity are those of the positions as measured; that a joint never stirs is known only when all
 * recordings are together. */
#include "core/sweeps/sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/ident_internal.h"
#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS };
#define STEADY 0.75 /* mean over largest speed; of a swing 0.64, with ramps more */

ArmStatus arm_sums_make_room(ArmReduced *sums, size_t strokes, size_t cells) {
  ArmStatus status = ARM_OK;
  sums->at = arm_shelf_take(sums->shelf, strokes + 1, sizeof *sums->at, &status);
  if (sums->at)
    sums->triangles = arm_shelf_take(sums->shelf, cells + 1, sizeof *sums->triangles, &status);
  return status;
}

void arm_sums_clear(ArmReduced *sums) {
  arm_shelf_give(sums->shelf, sums->at);
  arm_shelf_give(sums->shelf, sums->triangles);
  arm_shelf_give(sums->shelf, sums->kept.at);
  *sums = (ArmReduced){0};
}

void arm_sums_saw(const ArmReduced *sums, const ArmSumsStroke *stroke) {
  if (sums->shelf)
    arm_shelf_saw(sums->shelf, sizeof *stroke + arm_sums_length(sums->n, stroke->stroke.joint) *
                                                    sizeof *stroke->triangle);
}

size_t arm_sums_width(size_t n, size_t joint) {
  return ARM_SUMS_GRAVITY + 2 * (n - joint);
}

size_t arm_sums_length(size_t n, size_t joint) {
  const size_t width = arm_sums_width(n, joint);
  return width * (width + 1) / 2;
}

bool arm_sums_is_steady(const ArmSumsStroke *stroke) {
  return fabs(arm_stroke_speed(&stroke->stroke)) >= STEADY * stroke->fastest;
}

double arm_sums_unsteady(const ArmReduced *sums, size_t joint) {
  size_t all = 0, unsteady = 0;
  for (size_t s = 0; s < sums->count; s++) {
    const ArmSumsStroke *at = &sums->at[s];
    const size_t rows = at->stroke.joint == joint ? at->stroke.rows : 0;
    arm_shelf_saw(sums->shelf, sizeof *at);
    all += rows;
    unsteady += arm_sums_is_steady(at) ? 0 : rows;
  }
  return all > 0 ? (double)unsteady / (double)all : 0.0;
}

void arm_sums_complete(ArmSumsStroke *stroke) {
  ArmStroke *s = &stroke->stroke;
  const double *r = stroke->triangle;
  memset(s->triangle, 0, sizeof s->triangle);
  for (size_t c = 0; c < K + ARM_STROKE_COLUMNS; r += ++c)
    for (size_t k = 0; k < K && k <= c; k++)
      s->triangle[k + c * K] = r[k];
  r = stroke->triangle + ARM_SUMS_CURRENT * (ARM_SUMS_CURRENT + 1) / 2;
  s->within = 0.0;
  for (size_t k = K; k <= ARM_SUMS_CURRENT; k++)
    s->within += r[k] * r[k];
  for (size_t b = 0; b <= K; b++)
    for (size_t a = 0; a <= K; a++) {
      const size_t row = a < K ? a : ARM_SUMS_NEAR_CURRENT, of = b < K ? b : ARM_SUMS_NEAR_CURRENT;
      s->lag[a + b * (K + 1)] = stroke->lag[row + of * ARM_SUMS_NEAR];
    }
}

/* ---- one pass over the rows of strokes ---- */

typedef struct {
  const ArmIdent *ident;
  ArmReduced *sums;
  ArmLsq *lsq; /* owned, of `width` columns */
  size_t width;
  size_t stroke, row; /* which comes next; row: of the stroke */
  double *triangle;   /* of that stroke */
  double near[ARM_SUMS_NEAR];
  ArmGravityChain chain;
} Reducer;

static ArmStatus open_stroke(Reducer *d, ArmSumsStroke *to) {
  const size_t n = d->ident->model->n, joint = to->stroke.joint, width = arm_sums_width(n, joint);
  to->triangle = d->triangle;
  d->triangle += arm_sums_length(n, joint);
  arm_sums_saw(d->sums, to);
  to->slowest = (double)INFINITY;
  if (d->lsq && d->width == width)
    return ARM_OK;
  arm_lsq_free(d->lsq);
  d->lsq = arm_lsq_new(width);
  d->width = width;
  return d->lsq ? ARM_OK : ARM_E_MEMORY;
}

/* r  width x width, into its upper part alone */
static void pack(const double *r, size_t width, double *to) {
  for (size_t c = 0; c < width; c++)
    for (size_t k = 0; k <= c; k++)
      *to++ = r[k + c * width];
}

static void close_stroke(Reducer *d, ArmSumsStroke *to) {
  double r[ARM_SUMS_MOST * ARM_SUMS_MOST];
  arm_lsq_triangle(d->lsq, r);
  arm_lsq_reset(d->lsq);
  pack(r, d->width, to->triangle);
  arm_sums_complete(to);
}

void arm_sums_near(const ArmStroke *s, const ArmStrokeEnd *end, double near[ARM_SUMS_NEAR]) {
  arm_stroke_basis((2.0 * end->q - s->basis_low - s->basis_high) / (s->basis_high - s->basis_low),
                   near);
  near[ARM_SUMS_NEAR_COS] = cos(end->q);
  near[ARM_SUMS_NEAR_SIN] = sin(end->q);
  near[ARM_SUMS_NEAR_SPEED] = end->qd;
  near[ARM_SUMS_NEAR_ACCELERATION] = end->qdd;
  near[ARM_SUMS_NEAR_CURRENT] = end->current;
}

void arm_sums_add_lag(const double *now, const double *before, double *lag) {
  for (size_t b = 0; b < ARM_SUMS_NEAR; b++)
    for (size_t a = 0; a < ARM_SUMS_NEAR; a++)
      lag[a + b * ARM_SUMS_NEAR] += now[a] * before[b];
}

/* The columns of one row. */
static void fill_line(Reducer *d, const ArmStroke *s, const ArmDataset *data, size_t r,
                      const ArmStrokeEnd *own, const double *near, double *line) {
  const ArmModel *model = d->ident->model;
  const double since = data->t[r] - d->ident->strokes.origin;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], motor[ARM_MAX_JOINTS];
  double gravity[2 * ARM_MAX_JOINTS];
  for (size_t j = 0; j < data->n; j++) {
    const double speed = data->qd[r + j * data->rows];
    q[j] = data->q[r + j * data->rows];
    qd[j] = isnan(speed) ? 0.0 : speed;
  }
  arm_model_motor_speed(model, qd, motor);
  arm_gravity_chain(model, q, &d->chain, &d->chain);
  arm_gravity_chain_row(model, &d->chain, s->joint, gravity);
  memcpy(line, near, K * sizeof *line);
  line[K + ARM_STROKE_COS] = near[ARM_SUMS_NEAR_COS];
  line[K + ARM_STROKE_SIN] = near[ARM_SUMS_NEAR_SIN];
  line[K + ARM_STROKE_SPEED] = own->qd;
  line[K + ARM_STROKE_TIME] = since;
  line[K + ARM_STROKE_TIME_SPEED] = since * own->qd;
  line[K + ARM_STROKE_ACCELERATION] = own->qdd;
  line[ARM_SUMS_CURRENT] = own->current;
  line[ARM_SUMS_MOTOR] = motor[s->joint];
  memcpy(line + ARM_SUMS_GRAVITY, gravity + 2 * s->joint,
         2 * (model->n - s->joint) * sizeof *gravity);
}

static ArmStatus take_row(Reducer *d, const ArmDataset *data, size_t r) {
  ArmSumsStroke *to = &d->sums->at[d->stroke];
  const size_t at = r + to->stroke.joint * data->rows;
  const double qdd = data->qdd && isfinite(data->qdd[at]) ? data->qdd[at] : 0.0;
  const ArmStrokeEnd own = {data->q[at], data->qd[at], qdd, data->current[at]};
  double line[ARM_SUMS_MOST], now[ARM_SUMS_NEAR];
  ArmStatus status = d->row == 0 ? open_stroke(d, to) : ARM_OK;
  if (status != ARM_OK)
    return status;
  arm_sums_near(&to->stroke, &own, now);
  fill_line(d, &to->stroke, data, r, &own, now, line);
  status = arm_lsq_push(d->lsq, line);
  if (status != ARM_OK)
    return status;
  if (d->row == 0)
    to->first = own;
  else
    arm_sums_add_lag(now, d->near, to->lag);
  memcpy(d->near, now, sizeof now);
  to->last = own;
  to->slowest = fmin(to->slowest, fabs(own.qd));
  to->fastest = fmax(to->fastest, fabs(own.qd));
  if (++d->row == to->stroke.rows) {
    close_stroke(d, to);
    d->stroke++;
    d->row = 0;
  }
  return ARM_OK;
}

/* The used rows are those of the strokes, one after the other. */
static ArmStatus fold_strokes(const ArmIdent *ident, ArmReduced *sums) {
  Reducer *d = calloc(1, sizeof *d);
  if (!d)
    return ARM_E_MEMORY;
  d->ident = ident;
  d->sums = sums;
  d->triangle = sums->triangles;
  arm_gravity_chain_forget(&d->chain);
  ArmRowWalk walk = arm_row_walk(ident->windows, ARM_WALK_ANY);
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && arm_row_walk_next(&walk))
    status = take_row(d, &walk.window->data, walk.row);
  arm_lsq_free(d->lsq);
  free(d);
  return status == ARM_OK ? walk.status : status;
}

/* ---- what else is known ---- */

static ArmStatus note_times(ArmWindows *windows, ArmReduced *sums) {
  const ArmWindow *window;
  ArmStatus status = ARM_OK;
  sums->t_first = sums->t_last = (double)NAN;
  for (size_t k = 0; k < windows->count && status == ARM_OK; k++) {
    status = arm_windows_get(windows, k, &window);
    for (size_t r = window->begin; r < window->end && status == ARM_OK; r++) {
      const double t = window->data.t[r];
      sums->t_first = isnan(sums->t_first) ? t : sums->t_first;
      sums->t_last = t;
      sums->rows++;
      sums->unmoved += window->data.joint[r] == 0;
    }
  }
  return status;
}

static void note_survey(const ArmIdent *ident, ArmReduced *sums) {
  sums->n = ident->model->n;
  memcpy(sums->is_torque, ident->is_torque_ratio, sizeof sums->is_torque);
  sums->has_acceleration = ident->has_acceleration;
  sums->median_step = ident->median_step;
  sums->origin = ident->strokes.count > 0 ? ident->strokes.origin : (double)NAN;
  memcpy(sums->rows_by_use, ident->rows_by_use, sizeof sums->rows_by_use);
  memcpy(sums->range, ident->range, sizeof sums->range);
  sums->scan = ident->scan;
  memset(&sums->scan.open, 0, sizeof sums->scan.open);
  memcpy(sums->wild, ident->wild, sizeof sums->wild);
  for (size_t s = 0; s < ident->strokes.count; s++) {
    sums->at[s].stroke = ident->strokes.at[s];
    sums->used += ident->strokes.at[s].rows;
    arm_shelf_saw(sums->shelf, sizeof *sums->at + sizeof *ident->strokes.at);
  }
  sums->count = ident->strokes.count;
}

static ArmStatus reduce_windows(ArmIdent *ident, bool keeps_rows, ArmReduced *sums) {
  const size_t n = ident->model->n;
  size_t cells = 0, count[ARM_MAX_JOINTS];
  ArmStatus status = arm_ident_survey(ident, true);
  arm_strokes_count(&ident->strokes, count);
  for (size_t i = 0; i < n; i++)
    cells += count[i] * arm_sums_length(n, i);
  if (status == ARM_OK)
    status = arm_sums_make_room(sums, ident->strokes.count, cells);
  if (status != ARM_OK)
    return status;
  note_survey(ident, sums);
  status = note_times(ident->windows, sums);
  if (status == ARM_OK)
    status = fold_strokes(ident, sums);
  return status == ARM_OK && keeps_rows ? arm_kept_take(ident, sums) : status;
}

static ArmStatus reduce_given(const ArmModel *model, ArmGiven *given, const ArmFitOptions *options,
                              ArmReduced *sums) {
  ArmReduced made = {.shelf = given->shelf};
  ArmIdent *ident = calloc(1, sizeof *ident);
  if (!ident)
    return ARM_E_MEMORY;
  arm_ident_begin(ident, model, given, options->rows.wants_acceleration);
  const ArmStatus status = reduce_windows(ident, !options->sums_alone, &made);
  arm_ident_rows_clear(ident);
  free(ident);
  if (status == ARM_OK)
    *sums = made;
  else
    arm_sums_clear(&made);
  return status;
}

ArmStatus arm_sums_of(const ArmModel *model, const ArmDataset *data, const ArmFitOptions *options,
                      ArmReduced *sums) {
  ArmGiven given;
  ArmStatus status = arm_given_data(model, data, options, &given);
  if (status != ARM_OK)
    return status;
  status = reduce_given(model, &given, options, sums);
  arm_given_clear(&given);
  return status;
}

ArmStatus arm_sums_of_rows(const ArmModel *model, const ArmRowSource *source,
                           const ArmFitOptions *options, ArmReduced *sums) {
  ArmGiven given;
  ArmStatus status = arm_given_rows(model, source, options, &given);
  if (status != ARM_OK)
    return status;
  status = reduce_given(model, &given, options, sums);
  arm_given_clear(&given);
  return status;
}
