/* SPDX-License-Identifier: MIT */
/* Rows of one joint, out of their store, into bins and points. */
#include <math.h>

#include "session/method/swept_internal.h"

/* ---- rows ---- */

/* One run of the joint. */
typedef struct {
  AseSweptWork *work;
  const AseRunUse *source;
  AseSweptRun *run;
  gsize first;  /* row of all */
  guint number; /* in the joint's list, from 0 */
  int direction;
  /* of points */
  gsize used;
  guint next_point, next_far;
} Sweep;

typedef struct {
  const ArmDataset *data;
  ArmRowUse fit_use;
  gsize at; /* row of data */
} Row;

static AseRowUse use_of(const Row *row) {
  static const AseRowUse session[ASE_SAMPLE_USES] = {
      [ASE_SAMPLE_USED] = ASE_ROW_USED,         [ASE_SAMPLE_FAULT] = ASE_ROW_FAULT,
      [ASE_SAMPLE_GAP] = ASE_ROW_GAP,           [ASE_SAMPLE_CLIPPED] = ASE_ROW_CLIPPED,
      [ASE_SAMPLE_EXCLUDED] = ASE_ROW_EXCLUDED, [ASE_SAMPLE_NOT_SETTLED] = ASE_ROW_NOT_SETTLED};
  static const AseRowUse fit[ARM_ROW_REASONS] = {[ARM_ROW_USED] = ASE_ROW_USED,
                                                 [ARM_ROW_NO_JOINT] = ASE_ROW_MISSING,
                                                 [ARM_ROW_SLOW] = ASE_ROW_SLOW,
                                                 [ARM_ROW_NO_POSITION] = ASE_ROW_MISSING,
                                                 [ARM_ROW_NO_SPEED] = ASE_ROW_MISSING,
                                                 [ARM_ROW_NO_CURRENT] = ASE_ROW_MISSING,
                                                 [ARM_ROW_NO_ACCEL] = ASE_ROW_MISSING,
                                                 [ARM_ROW_OFF_PLATEAU] = ASE_ROW_OFF_PLATEAU,
                                                 [ARM_ROW_LEFT_OUT] = ASE_ROW_EXCLUDED,
                                                 [ARM_ROW_WILD] = ASE_ROW_WILD,
                                                 [ARM_ROW_WILD_POSITION] = ASE_ROW_MISSING};
  const AseRowUse use = session[row->data->left_out[row->at]];
  return use == ASE_ROW_USED ? fit[row->fit_use] : use;
}

static double value_of(const Row *row, const double *column, guint joint) {
  return column[(joint - 1) * row->data->rows + row->at];
}

static void state_of(const Row *row, double *q, double *qd) {
  for (guint joint = 1; joint <= row->data->n; joint++) {
    q[joint - 1] = value_of(row, row->data->q, joint);
    qd[joint - 1] = value_of(row, row->data->qd, joint);
  }
}

/* The rows of a sweep. false: cancelled, or they cannot be read. */
static bool each_row(Sweep *sweep, void (*take)(Sweep *sweep, const Row *row)) {
  AseSweptWork *work = sweep->work;
  const gsize width = ase_sweep_rows_source(work->rows)->width;
  const gsize end = sweep->first + sweep->source->rows;
  for (gsize row = sweep->first; row < end;) {
    const ArmWindow *window;
    if (ase_job_is_cancelled(work->job) ||
        arm_windows_get(&work->windows, row / width, &window) != ARM_OK)
      return false;
    const gsize stop = MIN(end, window->data.first + window->end);
    for (; row < stop; row++) {
      const gsize at = row - window->data.first;
      take(sweep, &(Row){&window->data, window->use[at], at});
    }
  }
  return true;
}

/* All sweeps of the joint. */
static bool each_sweep(AseSweptWork *work, bool (*look)(Sweep *sweep)) {
  const GPtrArray *runs = ase_sweep_rows_selection(work->rows)->runs;
  Sweep sweep = {.work = work};
  bool ok = true;
  for (guint k = 0; k < runs->len && ok; k++) {
    sweep.source = runs->pdata[k];
    if (sweep.source->joint == work->joint) {
      ok = look(&sweep);
      sweep.number++;
    }
    sweep.first += sweep.source->rows;
  }
  return ok;
}

/* ---- from rows to bins ---- */

static const AseRun *source_of(const AseSweptWork *work, gint64 id) {
  for (guint k = 0; k < work->input->runs->len; k++)
    if (((const AseRun *)work->input->runs->pdata[k])->id == id)
      return work->input->runs->pdata[k];
  return NULL;
}

static AseSweptRun *run_new(const AseRun *source) {
  AseSweptRun *run = g_new0(AseSweptRun, 1);
  run->id = source->id;
  run->hold = source->hold;
  run->speed = source->speed;
  run->low = INFINITY, run->high = -INFINITY;
  for (guint d = 0; d < 2; d++)
    run->bin[d] = g_new0(AseSweptBin, ASE_SWEPT_BINS);
  return run;
}

static void take_range(Sweep *sweep, const Row *row) {
  AseSweptRun *run = sweep->run;
  const double q = value_of(row, row->data->q, sweep->work->joint);
  double qd[ARM_MAX_JOINTS];
  if (row->data->first + row->at == sweep->first)
    state_of(row, run->pose, qd);
  run->low = fmin(run->low, q), run->high = fmax(run->high, q);
}

static AseSweptBin *bin_at(AseSweptRun *run, double q, int direction) {
  const double part = run->high > run->low ? (q - run->low) / (run->high - run->low) : 0.0;
  const guint k = part > 0.0 ? MIN((guint)(part * ASE_SWEPT_BINS), ASE_SWEPT_BINS - 1) : 0;
  return &run->bin[direction < 0][k];
}

/* But for its residual. */
static AseSweptPoint point_of(const Sweep *sweep, const Row *row) {
  const guint joint = sweep->work->joint;
  return (AseSweptPoint){.q = value_of(row, row->data->q, joint),
                         .t = row->data->t[row->at] - sweep->work->t0,
                         .current = value_of(row, row->data->current, joint),
                         .run = sweep->number,
                         .direction = sweep->direction};
}

static double computed_of(const Sweep *sweep, const Row *row) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  state_of(row, q, qd);
  const AsePredictor *predictor = sweep->work->data->predictor;
  return predictor ? predictor->current(predictor, sweep->work->joint, q, qd) : (double)NAN;
}

static void add_used(Sweep *sweep, const Row *row) {
  AseSweptWork *work = sweep->work;
  AseSweptRun *run = sweep->run;
  const double measured = value_of(row, row->data->current, work->joint);
  const double computed = computed_of(sweep, row), residual = measured - computed;
  AseSweptBin *bin = bin_at(run, value_of(row, row->data->q, work->joint), sweep->direction);
  bin->n++;
  bin->measured += measured;
  bin->computed += computed;
  run->squares += residual * residual;
  run->worst = fmax(run->worst, fabs(residual));
  aio_spool_add(work->residuals, residual);
  aio_spool_add(work->sizes, fabs(residual));
  work->used++;
  work->sum += residual;
  work->finite += isfinite(residual) ? 1 : 0;
  work->sum_finite += isfinite(residual) ? residual : 0.0;
}

static void add_left(Sweep *sweep, const Row *row, AseRowUse use) {
  const double q = value_of(row, row->data->q, sweep->work->joint);
  const double current = value_of(row, row->data->current, sweep->work->joint);
  if (!isfinite(q) || !isfinite(current))
    return;
  AseSweptBin *bin = bin_at(sweep->run, q, sweep->direction);
  bin->left_n[use]++;
  bin->left[use] += current;
}

static void add_wild(Sweep *sweep, const Row *row) {
  GArray *wild = sweep->work->data->joint[sweep->work->joint - 1].wild;
  if (wild->len >= ASE_SWEPT_FAR)
    return;
  AseSweptPoint point = point_of(sweep, row);
  point.residual = point.current - computed_of(sweep, row);
  g_array_append_val(wild, point);
}

static void turn(Sweep *sweep, const Row *row) {
  const double qd = value_of(row, row->data->qd, sweep->work->joint);
  sweep->direction = qd > 0.0 ? 1 : qd < 0.0 ? -1 : sweep->direction;
}

static void take_row(Sweep *sweep, const Row *row) {
  const AseRowUse use = use_of(row);
  turn(sweep, row);
  sweep->run->rows[use]++;
  sweep->work->data->joint[sweep->work->joint - 1].rows[use]++;
  if (use == ASE_ROW_USED)
    add_used(sweep, row);
  else
    add_left(sweep, row, use);
  if (use == ASE_ROW_WILD)
    add_wild(sweep, row);
}

static bool add_run(Sweep *sweep) {
  AseSweptWork *work = sweep->work;
  sweep->run = run_new(source_of(work, sweep->source->run));
  sweep->direction = 1;
  g_ptr_array_add(work->data->joint[work->joint - 1].runs, sweep->run);
  if (work->used)
    g_array_append_val(work->breaks, work->used);
  if (!each_row(sweep, take_range) || !each_row(sweep, take_row))
    return false;
  work->done += sweep->source->rows;
  const double part = (double)work->done / (double)ase_sweep_rows_source(work->rows)->rows;
  return !work->job || ase_job_report(part, work->job);
}

bool ase_swept_bin(AseSweptWork *work) {
  return each_sweep(work, add_run);
}

/* ---- points of rows that are read again ---- */

/* If it is this row's turn. */
static void draw(const Sweep *sweep, const Row *row, const GArray *chosen, guint *next,
                 GArray *points) {
  const AseSweptChosen *wanted =
      *next < chosen->len ? &g_array_index(chosen, AseSweptChosen, *next) : NULL;
  if (!wanted || wanted->number != sweep->used)
    return;
  AseSweptPoint point = point_of(sweep, row);
  point.residual = wanted->residual;
  g_array_append_val(points, point);
  (*next)++;
}

static void draw_row(Sweep *sweep, const Row *row) {
  const AseSweptWork *work = sweep->work;
  const AseSweptJoint *joint = &work->data->joint[work->joint - 1];
  turn(sweep, row);
  if (use_of(row) != ASE_ROW_USED)
    return;
  draw(sweep, row, work->points, &sweep->next_point, joint->points);
  draw(sweep, row, work->far, &sweep->next_far, joint->far);
  sweep->used++;
}

static bool draw_run(Sweep *sweep) {
  sweep->direction = 1;
  return each_row(sweep, draw_row);
}

bool ase_swept_draw(AseSweptWork *work) {
  return each_sweep(work, draw_run);
}
