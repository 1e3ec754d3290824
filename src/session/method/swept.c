/* SPDX-License-Identifier: MIT */
/* Once, in a thread: rows become bins per run and direction, and statistics of the residuals. A
 * picture then costs what it has bins, however long it was measured. */
#include "session/method/swept.h"

#include <math.h>
#include <string.h>

#include "session/measure/whole_rows.h"
#include "session/method/swept_statistics.h"

/* ---- input ---- */

void ase_swept_input_free(AseSweptInput *input) {
  if (!input)
    return;
  g_ptr_array_unref(input->runs);
  g_array_unref(input->exclusions);
  ase_predictor_unref(input->predictor);
  g_free(input);
}

/* ---- from rows to bins ---- */

typedef struct {
  const AseSweptInput *input;
  AseJob *job;
  AseWholeRows *selection;
  ArmRowUse *fit_use;
  AseSwept *data;
  GArray *residuals[ARM_MAX_JOINTS]; /* in the order of time, NAN between two sweeps */
  GArray *all[ARM_MAX_JOINTS];       /* of AseSweptPoint, used ones */
} Work;

static void run_free(gpointer memory) {
  AseSweptRun *run = memory;
  g_free(run->bin[0]);
  g_free(run->bin[1]);
  g_free(run);
}

static AseRowUse use_of(const Work *work, gsize row) {
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
  const AseRowUse use = session[work->selection->use[row]];
  return use == ASE_ROW_USED ? fit[work->fit_use[row]] : use;
}

static void state_of(const AioRecording *r, gsize row, double *q, double *qd) {
  for (gsize j = 0; j < r->n; j++) {
    q[j] = r->q[j * r->rows + row];
    qd[j] = r->qd[j * r->rows + row];
  }
}

static double current_of(const AseSwept *data, guint joint, const double *q, const double *qd) {
  return data->predictor ? data->predictor->current(data->predictor, joint, q, qd) : (double)NAN;
}

/* The run's rows: first .. last - 1. */
static AseSweptRun *begin_run(Work *work, const AseRun *source, gsize first, gsize last) {
  const AioRecording *r = work->selection->recording;
  const double *q = r->q + (source->joint - 1) * r->rows;
  double qd[ARM_MAX_JOINTS];
  AseSweptRun *run = g_new0(AseSweptRun, 1);
  run->id = source->id;
  run->hold = source->hold;
  run->speed = source->speed;
  state_of(r, first, run->pose, qd);
  run->low = INFINITY, run->high = -INFINITY;
  for (gsize row = first; row < last; row++)
    run->low = fmin(run->low, q[row]), run->high = fmax(run->high, q[row]);
  for (guint d = 0; d < 2; d++)
    run->bin[d] = g_new0(AseSweptBin, ASE_SWEPT_BINS);
  return run;
}

static AseSweptBin *bin_at(AseSweptRun *run, double q, int direction) {
  const double part = run->high > run->low ? (q - run->low) / (run->high - run->low) : 0.0;
  const guint k = part > 0.0 ? MIN((guint)(part * ASE_SWEPT_BINS), ASE_SWEPT_BINS - 1) : 0;
  return &run->bin[direction < 0][k];
}

static void add_used(Work *work, AseSweptRun *run, guint joint, gsize row, int direction) {
  const AioRecording *r = work->selection->recording;
  AseSweptJoint *out = &work->data->joint[joint - 1];
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  state_of(r, row, q, qd);
  const double measured = r->current[(joint - 1) * r->rows + row];
  const double computed = current_of(work->data, joint, q, qd);
  const double residual = measured - computed;
  AseSweptBin *bin = bin_at(run, q[joint - 1], direction);
  bin->n++;
  bin->measured += measured;
  bin->computed += computed;
  run->squares += residual * residual;
  run->worst = fmax(run->worst, fabs(residual));
  const AseSweptPoint point = {q[joint - 1], r->t[row] - r->t[0], measured,
                               residual,     out->runs->len,      direction};
  g_array_append_val(work->all[joint - 1], point);
  g_array_append_val(work->residuals[joint - 1], residual);
}

static void add_left(Work *work, AseSweptRun *run, guint joint, gsize row, int direction,
                     AseRowUse use) {
  const AioRecording *r = work->selection->recording;
  const gsize at = (joint - 1) * r->rows + row;
  if (!isfinite(r->q[at]) || !isfinite(r->current[at]))
    return;
  AseSweptBin *bin = bin_at(run, r->q[at], direction);
  bin->left_n[use]++;
  bin->left[use] += r->current[at];
}

static void add_wild(Work *work, guint joint, gsize row, int direction) {
  const AioRecording *r = work->selection->recording;
  AseSweptJoint *out = &work->data->joint[joint - 1];
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  if (out->wild->len >= ASE_SWEPT_FAR)
    return;
  state_of(r, row, q, qd);
  const double measured = r->current[(joint - 1) * r->rows + row];
  const double residual = measured - current_of(work->data, joint, q, qd);
  const AseSweptPoint point = {q[joint - 1], r->t[row] - r->t[0], measured,
                               residual,     out->runs->len,      direction};
  g_array_append_val(out->wild, point);
}

static void add_run(Work *work, const AseRun *source, gsize first, gsize last) {
  const AioRecording *r = work->selection->recording;
  const guint joint = source->joint;
  AseSweptJoint *out = &work->data->joint[joint - 1];
  AseSweptRun *run = begin_run(work, source, first, last);
  const double gap = NAN;
  int direction = 1;
  if (work->residuals[joint - 1]->len)
    g_array_append_val(work->residuals[joint - 1], gap);
  for (gsize row = first; row < last; row++) {
    const double qd = r->qd[(joint - 1) * r->rows + row];
    const AseRowUse use = use_of(work, row);
    direction = qd > 0.0 ? 1 : qd < 0.0 ? -1 : direction;
    run->rows[use]++;
    out->rows[use]++;
    if (use == ASE_ROW_USED)
      add_used(work, run, joint, row, direction);
    else
      add_left(work, run, joint, row, direction, use);
    if (use == ASE_ROW_WILD)
      add_wild(work, joint, row, direction);
  }
  g_ptr_array_add(out->runs, run);
}

static const AseRun *source_of(const Work *work, gint64 id) {
  for (guint k = 0; k < work->input->runs->len; k++)
    if (((const AseRun *)work->input->runs->pdata[k])->id == id)
      return work->input->runs->pdata[k];
  return NULL;
}

/* false: cancelled */
static bool add_runs(Work *work) {
  const AseWholeRows *s = work->selection;
  const gsize rows = s->recording->rows;
  gsize last;
  for (gsize first = 0; first < rows; first = last) {
    for (last = first + 1; last < rows && s->run[last] == s->run[first];)
      last++;
    add_run(work, source_of(work, s->run[first]), first, last);
    if (work->job && !ase_job_report((double)last / (double)rows, work->job))
      return false;
  }
  return true;
}

/* ---- from residuals to statistics ---- */

/* Of every block of neighbours in time the lowest and the highest. */
static void thin(GArray *points, const GArray *all) {
  const guint block = MAX(2 * all->len / ASE_SWEPT_POINTS, 1);
  for (guint from = 0; from < all->len; from += block) {
    guint low = from, high = from;
    for (guint k = from; k < MIN(from + block, all->len); k++) {
      const double residual = g_array_index(all, AseSweptPoint, k).residual;
      low = residual < g_array_index(all, AseSweptPoint, low).residual ? k : low;
      high = residual > g_array_index(all, AseSweptPoint, high).residual ? k : high;
    }
    g_array_append_val(points, g_array_index(all, AseSweptPoint, MIN(low, high)));
    if (low != high)
      g_array_append_val(points, g_array_index(all, AseSweptPoint, MAX(low, high)));
  }
}

#define MAD_SD     1.4826 /* sd of normal noise over its median size */
#define REACH_SD   8.0
#define REACH_PART 0.99

static int compare_sizes(gconstpointer a, gconstpointer b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static double reach_of(const GArray *all) {
  if (!all->len)
    return NAN;
  GArray *sizes = g_array_sized_new(FALSE, FALSE, sizeof(double), all->len);
  for (guint k = 0; k < all->len; k++) {
    const double size = fabs(g_array_index(all, AseSweptPoint, k).residual);
    g_array_append_val(sizes, size);
  }
  g_array_sort(sizes, compare_sizes);
  const double middle = g_array_index(sizes, double, all->len / 2);
  const double most = g_array_index(sizes, double, (guint)(REACH_PART * (all->len - 1)));
  g_array_unref(sizes);
  return fmax(REACH_SD * MAD_SD * middle, most);
}

static void summarise(AseSweptJoint *joint, const GArray *residuals, const GArray *all) {
  double sum = 0.0;
  for (guint k = 0; k < all->len; k++)
    sum += g_array_index(all, AseSweptPoint, k).residual;
  joint->mean = all->len ? sum / all->len : (double)NAN;
  joint->reach = reach_of(all);
  GArray *near = g_array_new(FALSE, FALSE, sizeof(AseSweptPoint));
  for (guint k = 0; k < all->len; k++) {
    const AseSweptPoint *point = &g_array_index(all, AseSweptPoint, k);
    if (!(fabs(point->residual) > joint->reach))
      g_array_append_val(near, *point);
    else if (joint->far->len < ASE_SWEPT_FAR)
      g_array_append_val(joint->far, *point);
  }
  thin(joint->points, near);
  g_array_unref(near);
  if (residuals->len && joint->sd > 0.0) {
    const double *values = &g_array_index(residuals, double, 0);
    ase_histogram(values, residuals->len, -4.0 * joint->sd, 4.0 * joint->sd, ASE_SWEPT_HISTOGRAM,
                  joint->histogram);
    ase_autocorrelation(values, residuals->len, ASE_SWEPT_LAGS, joint->correlation);
  }
}

/* ---- all of it ---- */

static AseSwept *data_new(const AseSweptInput *input) {
  AseSwept *data = g_new0(AseSwept, 1);
  data->joints = (guint)input->model.n;
  data->model = input->model;
  data->predictor = ase_predictor_ref(input->predictor);
  for (guint j = 0; j < data->joints; j++) {
    data->joint[j].runs = g_ptr_array_new_with_free_func(run_free);
    data->joint[j].points = g_array_new(FALSE, FALSE, sizeof(AseSweptPoint));
    data->joint[j].far = g_array_new(FALSE, FALSE, sizeof(AseSweptPoint));
    data->joint[j].wild = g_array_new(FALSE, FALSE, sizeof(AseSweptPoint));
    data->joint[j].sd = data->predictor ? data->predictor->residual_sd[j] : (double)NAN;
  }
  return data;
}

void ase_swept_free(AseSwept *data) {
  if (!data)
    return;
  for (guint j = 0; j < data->joints; j++) {
    g_ptr_array_unref(data->joint[j].runs);
    g_array_unref(data->joint[j].points);
    g_array_unref(data->joint[j].wild);
    g_array_unref(data->joint[j].far);
  }
  ase_predictor_unref(data->predictor);
  g_free(data);
}

static bool select_rows(Work *work) {
  const AseSweptInput *input = work->input;
  work->selection = ase_whole_rows_new_within(work->job, &input->model, input->runs, input->purpose,
                                              input->exclusions, NULL);
  if (!work->selection)
    return false;
  const ArmDataset dataset = ase_whole_rows_dataset(work->selection);
  /* cppcheck-suppress AssignmentIntegerToAddress ; it takes the type for a number */
  work->fit_use = g_new0(ArmRowUse, dataset.rows);
  return input->select(&input->model, &dataset, &input->rows, work->fit_use) == ARM_OK;
}

AseSwept *ase_swept_new(const AseSweptInput *input, AseJob *job) {
  Work work = {.input = input, .job = job, .data = data_new(input)};
  for (guint j = 0; j < work.data->joints; j++) {
    work.residuals[j] = g_array_new(FALSE, FALSE, sizeof(double));
    work.all[j] = g_array_new(FALSE, FALSE, sizeof(AseSweptPoint));
  }
  const bool is_done = select_rows(&work) && add_runs(&work);
  for (guint j = 0; j < work.data->joints; j++) {
    if (is_done)
      summarise(&work.data->joint[j], work.residuals[j], work.all[j]);
    g_array_unref(work.residuals[j]);
    g_array_unref(work.all[j]);
  }
  ase_whole_rows_free(work.selection);
  g_free(work.fit_use);
  if (!is_done)
    g_clear_pointer(&work.data, ase_swept_free);
  return work.data;
}

/* ---- one state ---- */

static void state_in(const AseSweptRun *run, guint joint, double q, double qd, double *pose,
                     double *speed) {
  memcpy(pose, run->pose, sizeof run->pose);
  memset(speed, 0, sizeof run->pose);
  pose[joint - 1] = q;
  speed[joint - 1] = qd;
}

double ase_swept_current(const AseSwept *data, guint joint, const AseSweptRun *run, double q,
                         double qd) {
  double pose[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS];
  state_in(run, joint, q, qd, pose, speed);
  return current_of(data, joint, pose, speed);
}

double ase_swept_column(const AseSwept *data, guint joint, const AseSweptRun *run, double q,
                        double qd, ArmParamId id) {
  double pose[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS];
  const AsePredictor *predictor = data->predictor;
  state_in(run, joint, q, qd, pose, speed);
  return predictor ? predictor->column(predictor, joint, pose, speed, id) : (double)NAN;
}
