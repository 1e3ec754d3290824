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

#include "core/sweeps/sums_internal.h"

enum { K = ARM_STROKE_ORDERS };
#define STEADY 0.5 /* slowest over fastest: polynomials of the speed are right to 1e-6 at least */

ArmStatus arm_sums_make_room(ArmReduced *sums, size_t strokes, size_t cells) {
  ArmStatus status = ARM_OK;
  sums->at = arm_shelf_take(sums->shelf, strokes + 1, sizeof *sums->at, &status);
  if (sums->at)
    sums->cells = arm_shelf_take(sums->shelf, cells + 1, sizeof *sums->cells, &status);
  return status;
}

ArmStatus arm_sums_make_edges(ArmReduced *sums, size_t first, size_t last) {
  const size_t rows[2] = {first, last};
  ArmStatus status = ARM_OK;
  for (size_t side = 0; side < 2 && status == ARM_OK; side++)
    sums->edge[side] = arm_shelf_take(sums->shelf, rows[side] * ARM_SUMS_EDGE + 1,
                                      sizeof *sums->edge[side], &status);
  return status;
}

void arm_sums_clear(ArmReduced *sums) {
  arm_shelf_give(sums->shelf, sums->at);
  arm_shelf_give(sums->shelf, sums->cells);
  arm_shelf_give(sums->shelf, sums->edge[0]);
  arm_shelf_give(sums->shelf, sums->edge[1]);
  arm_shelf_give(sums->shelf, sums->kept.at);
  *sums = (ArmReduced){0};
}

void arm_sums_saw(const ArmReduced *sums, const ArmSumsStroke *stroke) {
  if (sums->shelf)
    arm_shelf_saw(sums->shelf, sizeof *stroke + arm_sums_cells(sums->n, &stroke->stroke) *
                                                    sizeof *stroke->triangle);
}

size_t arm_sums_width(size_t n, size_t joint) {
  return ARM_SUMS_GRAVITY + 2 * (n - joint);
}

size_t arm_sums_length(size_t n, size_t joint) {
  const size_t width = arm_sums_width(n, joint);
  return width * (width + 1) / 2;
}

size_t arm_sums_gap_rows(size_t n, const ArmStroke *stroke) {
  const size_t width = arm_sums_width(n, stroke->joint);
  return stroke->gaps < width ? stroke->gaps : width;
}

size_t arm_sums_cells(size_t n, const ArmStroke *stroke) {
  return 2 * (arm_sums_length(n, stroke->joint) +
              arm_sums_gap_rows(n, stroke) * arm_sums_width(n, stroke->joint)) +
         arm_sums_lag_count(stroke) * ARM_SUMS_LAG_NUMBERS;
}

size_t arm_sums_all_cells(const ArmReduced *sums) {
  size_t cells = 0;
  for (size_t s = 0; s < sums->count; s++) {
    cells += arm_sums_cells(sums->n, &sums->at[s].stroke);
    arm_shelf_saw(sums->shelf, sizeof *sums->at);
  }
  return cells;
}

void arm_sums_place(size_t n, double *cells, ArmSumsStroke *stroke) {
  const size_t width = arm_sums_width(n, stroke->stroke.joint);
  stroke->triangle = cells;
  stroke->pairs = stroke->triangle + arm_sums_length(n, stroke->stroke.joint);
  stroke->before = stroke->pairs + arm_sums_length(n, stroke->stroke.joint);
  stroke->after = stroke->before + arm_sums_gap_rows(n, &stroke->stroke) * width;
  stroke->lags = stroke->after + arm_sums_gap_rows(n, &stroke->stroke) * width;
}

bool arm_sums_is_steady(const ArmSumsStroke *stroke) {
  return stroke->slowest >= STEADY * stroke->fastest;
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
}

/* ---- one pass over the rows of strokes ---- */

typedef struct {
  const ArmIdent *ident;
  ArmReduced *sums;
  ArmLsq *rows, *pairs, *before, *after; /* owned, of `width` columns */
  size_t width;
  size_t stroke, row; /* which comes next; row: of the stroke */
  double *cells;      /* of that stroke */
  size_t gap;         /* which comes next */
  size_t last_row;    /* in the recording, and its line */
  double last[ARM_SUMS_MOST];
  ArmGravityChain chain;
  ArmSumsRun run;
} Reducer;

static void free_streams(Reducer *d) {
  arm_lsq_free(d->rows);
  arm_lsq_free(d->pairs);
  arm_lsq_free(d->before);
  arm_lsq_free(d->after);
}

static ArmStatus open_stroke(Reducer *d, ArmSumsStroke *to) {
  const size_t n = d->ident->model->n, width = arm_sums_width(n, to->stroke.joint);
  arm_sums_place(n, d->cells, to);
  d->cells += arm_sums_cells(n, &to->stroke);
  arm_sums_saw(d->sums, to);
  arm_sums_run_begin(&d->run);
  to->slowest = (double)INFINITY;
  if (d->rows && d->width == width)
    return ARM_OK;
  free_streams(d);
  d->rows = arm_lsq_new(width);
  d->pairs = arm_lsq_new(width);
  d->before = arm_lsq_new(width);
  d->after = arm_lsq_new(width);
  d->width = width;
  return d->rows && d->pairs && d->before && d->after ? ARM_OK : ARM_E_MEMORY;
}

void arm_sums_pack(ArmLsq *lsq, size_t width, double *to) {
  double r[ARM_SUMS_MOST * ARM_SUMS_MOST];
  arm_lsq_triangle(lsq, r);
  for (size_t c = 0; c < width; c++)
    for (size_t k = 0; k <= c; k++)
      *to++ = r[k + c * width];
}

void arm_sums_pack_rows(ArmLsq *lsq, size_t width, double *to) {
  double r[ARM_SUMS_MOST * ARM_SUMS_MOST];
  arm_lsq_triangle(lsq, r);
  for (size_t k = 0; k < width; k++)
    for (size_t c = 0; c < width; c++)
      *to++ = r[k + c * width];
}

static void close_stroke(Reducer *d, ArmSumsStroke *to) {
  arm_sums_pack(d->rows, d->width, to->triangle);
  arm_sums_pack(d->pairs, d->width, to->pairs);
  if (to->stroke.gaps > d->width) {
    arm_sums_pack_rows(d->before, d->width, to->before);
    arm_sums_pack_rows(d->after, d->width, to->after);
  }
  arm_lsq_reset(d->rows);
  arm_lsq_reset(d->pairs);
  arm_lsq_reset(d->before);
  arm_lsq_reset(d->after);
  d->gap = 0;
  arm_sums_run_close(&d->run, to);
  arm_sums_complete(to);
  if (d->stroke + 1 == d->sums->count)
    d->sums->edge_rows[1] = arm_sums_run_end(&d->run, d->sums->edge[1]);
}

void arm_sums_line(const ArmModel *model, const ArmStroke *s, double since, const ArmStrokeEnd *row,
                   ArmGravityChain *chain, double *line) {
  const double q = row->q[s->joint], qd = row->qd[s->joint];
  double motor[ARM_MAX_JOINTS], gravity[2 * ARM_MAX_JOINTS];
  arm_model_motor_speed(model, row->qd, motor);
  arm_gravity_chain(model, row->q, chain, chain);
  arm_gravity_chain_row(model, chain, s->joint, gravity);
  arm_stroke_basis((2.0 * q - s->basis_low - s->basis_high) / (s->basis_high - s->basis_low), line);
  line[K + ARM_STROKE_COS] = cos(q);
  line[K + ARM_STROKE_SIN] = sin(q);
  line[K + ARM_STROKE_SPEED] = qd;
  line[K + ARM_STROKE_TIME] = since;
  line[K + ARM_STROKE_TIME_SPEED] = since * qd;
  line[K + ARM_STROKE_ACCELERATION] = row->qdd;
  line[ARM_SUMS_CURRENT] = row->current;
  line[ARM_SUMS_MOTOR] = motor[s->joint];
  for (size_t k = ARM_SUMS_MOTOR + 1; k < ARM_SUMS_GRAVITY; k++)
    line[k] = line[k - 1] * motor[s->joint];
  memcpy(line + ARM_SUMS_GRAVITY, gravity + 2 * s->joint,
         2 * (model->n - s->joint) * sizeof *gravity);
}

static void read_row(const ArmDataset *data, size_t r, size_t joint, ArmStrokeEnd *row) {
  const size_t at = r + joint * data->rows;
  for (size_t j = 0; j < data->n; j++) {
    const double speed = data->qd[r + j * data->rows];
    row->q[j] = data->q[r + j * data->rows];
    row->qd[j] = isnan(speed) ? 0.0 : speed;
  }
  row->qdd = data->qdd && isfinite(data->qdd[at]) ? data->qdd[at] : 0.0;
  row->current = data->current[at];
}

/* Rows beside gaps: as they are while that takes less room than their triangle. */
static ArmStatus push_gap(Reducer *d, ArmSumsStroke *to, const double *line) {
  arm_sums_run_begin(&d->run);
  if (to->stroke.gaps <= d->width) {
    memcpy(to->before + d->gap * d->width, d->last, d->width * sizeof *line);
    memcpy(to->after + d->gap++ * d->width, line, d->width * sizeof *line);
    return ARM_OK;
  }
  const ArmStatus status = arm_lsq_push(d->before, d->last);
  return status == ARM_OK ? arm_lsq_push(d->after, line) : status;
}

static ArmStatus push_row(Reducer *d, ArmSumsStroke *to, size_t row, const double *line) {
  double sum[ARM_SUMS_MOST];
  ArmStatus status = arm_lsq_push(d->rows, line);
  for (size_t k = 0; k < d->width; k++)
    sum[k] = line[k] + d->last[k];
  if (status == ARM_OK && d->row > 0)
    status = row == d->last_row + 1 ? arm_lsq_push(d->pairs, sum) : push_gap(d, to, line);
  memcpy(d->last, line, d->width * sizeof *line);
  d->last_row = row;
  return status;
}

static ArmStatus take_row(Reducer *d, const ArmDataset *data, size_t r) {
  ArmSumsStroke *to = &d->sums->at[d->stroke];
  const size_t joint = to->stroke.joint;
  double line[ARM_SUMS_MOST];
  ArmStatus status = d->row == 0 ? open_stroke(d, to) : ARM_OK;
  if (status != ARM_OK)
    return status;
  read_row(data, r, joint, &to->last);
  arm_sums_line(d->ident->model, &to->stroke, data->t[r] - d->ident->strokes.origin, &to->last,
                &d->chain, line);
  status = push_row(d, to, data->first + r, line);
  if (status != ARM_OK)
    return status;
  arm_sums_run_add(&d->run, &to->stroke, to->last.q[joint], line);
  if (d->stroke == 0 && d->run.count == d->row + 1 && d->row < ARM_SUMS_FARTHEST)
    memcpy(d->sums->edge[0] + ARM_SUMS_EDGE * d->sums->edge_rows[0]++, d->run.edge[d->row],
           sizeof d->run.edge[0]);
  if (d->row == 0)
    to->first = to->last;
  to->slowest = fmin(to->slowest, fabs(to->last.qd[joint]));
  to->fastest = fmax(to->fastest, fabs(to->last.qd[joint]));
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
  d->cells = sums->cells;
  arm_gravity_chain_forget(&d->chain);
  ArmRowWalk walk = arm_row_walk(ident->windows, ARM_WALK_ANY);
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && arm_row_walk_next(&walk))
    status = take_row(d, &walk.window->data, walk.row);
  free_streams(d);
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

/* Of a stroke at an edge, most of its rows; without strokes: none. */
static size_t edge_rows(const ArmReduced *sums, size_t stroke) {
  const size_t rows = sums->count > 0 ? sums->at[stroke].stroke.rows : 0;
  return rows < ARM_SUMS_FARTHEST ? rows : ARM_SUMS_FARTHEST;
}

static ArmStatus reduce_windows(ArmIdent *ident, const ArmFitOptions *options, ArmReduced *sums) {
  const size_t n = ident->model->n;
  size_t cells = 0;
  ArmStatus status = arm_ident_survey(ident, true);
  for (size_t s = 0; status == ARM_OK && s < ident->strokes.count; s++) {
    cells += arm_sums_cells(n, &ident->strokes.at[s]);
    arm_shelf_saw(sums->shelf, sizeof *ident->strokes.at);
  }
  if (status == ARM_OK)
    status = arm_sums_make_room(sums, ident->strokes.count, cells);
  if (status != ARM_OK)
    return status;
  note_survey(ident, sums);
  status = arm_sums_make_edges(sums, edge_rows(sums, 0), edge_rows(sums, sums->count - 1));
  if (status == ARM_OK)
    status = note_times(ident->windows, sums);
  if (status == ARM_OK && !options->sums_alone && options->rows.wants_plateau)
    status = arm_kept_find_swings(ident, sums);
  if (status == ARM_OK)
    status = fold_strokes(ident, sums);
  return status == ARM_OK && !options->sums_alone ? arm_kept_take(ident, sums) : status;
}

static ArmStatus reduce_given(const ArmModel *model, ArmGiven *given, const ArmFitOptions *options,
                              ArmReduced *sums) {
  ArmReduced made = {.shelf = given->shelf};
  ArmIdent *ident = calloc(1, sizeof *ident);
  if (!ident)
    return ARM_E_MEMORY;
  arm_ident_begin(ident, model, given, options->rows.wants_acceleration);
  const ArmStatus status = reduce_windows(ident, options, &made);
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
