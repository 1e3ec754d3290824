/* SPDX-License-Identifier: MIT */
/* Once, in a thread: rows become bins per run and direction, and statistics of the residuals. A
 * picture then costs what it has bins, however long it was measured. Joint by joint, as residuals
 * are kept beyond the memory; the rows of the points that are drawn are read again. */
#include "session/method/swept.h"

#include <math.h>
#include <string.h>

#include "session/method/swept_internal.h"

/* ---- input ---- */

void ase_swept_input_free(AseSweptInput *input) {
  if (!input)
    return;
  g_ptr_array_unref(input->runs);
  g_array_unref(input->exclusions);
  ase_predictor_unref(input->predictor);
  g_free(input);
}

/* ---- all of it ---- */

static void run_free(gpointer memory) {
  AseSweptRun *run = memory;
  g_free(run->bin[0]);
  g_free(run->bin[1]);
  g_free(run);
}

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

/* Nothing of a joint yet. */
static void begin_joint(AseSweptWork *work, guint joint) {
  work->joint = joint;
  work->used = work->finite = 0;
  work->sum = work->sum_finite = 0.0;
  aio_spool_clear(work->residuals);
  aio_spool_clear(work->sizes);
  g_array_set_size(work->breaks, 0);
  g_array_set_size(work->points, 0);
  g_array_set_size(work->far, 0);
}

static bool select_rows(AseSweptWork *work) {
  const AseSweptInput *input = work->input;
  const ArmWindow *window;
  if (input->select(&work->windows) != ARM_OK ||
      arm_windows_get(&work->windows, 0, &window) != ARM_OK)
    return false;
  work->t0 = window->data.t[0];
  return true;
}

static bool add_joints(AseSweptWork *work) {
  bool ok = true;
  for (guint joint = 1; joint <= work->data->joints && ok; joint++) {
    begin_joint(work, joint);
    ok = ase_swept_bin(work) && ase_swept_summarise(work) && ase_swept_draw(work);
  }
  return ok;
}

static bool fill(AseSweptWork *work) {
  const AseSweptInput *input = work->input;
  if (arm_windows_open(&work->windows, &input->model, &input->rows,
                       ase_sweep_rows_source(work->rows)) != ARM_OK)
    return false;
  work->residuals = aio_spool_new();
  work->sizes = aio_spool_new();
  work->breaks = g_array_new(FALSE, FALSE, sizeof(gsize));
  work->points = g_array_new(FALSE, FALSE, sizeof(AseSweptChosen));
  work->far = g_array_new(FALSE, FALSE, sizeof(AseSweptChosen));
  const bool ok = select_rows(work) && add_joints(work);
  aio_spool_free(work->residuals);
  aio_spool_free(work->sizes);
  g_array_unref(work->breaks);
  g_array_unref(work->points);
  g_array_unref(work->far);
  arm_windows_clear(&work->windows);
  return ok;
}

AseSwept *ase_swept_new(const AseSweptInput *input, AseJob *job) {
  AseSweptWork work = {.input = input, .job = job};
  work.rows = ase_sweep_rows_new_within(job, &input->model, input->runs, input->purpose,
                                        input->exclusions, NULL);
  if (!work.rows)
    return NULL;
  work.data = data_new(input);
  if (!fill(&work))
    g_clear_pointer(&work.data, ase_swept_free);
  ase_sweep_rows_free(work.rows);
  return work.data;
}

/* ---- one state ---- */

static double current_of(const AseSwept *data, guint joint, const double *q, const double *qd) {
  return data->predictor ? data->predictor->current(data->predictor, joint, q, qd) : (double)NAN;
}

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
