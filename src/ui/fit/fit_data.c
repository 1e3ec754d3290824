/* SPDX-License-Identifier: MIT */
/* Once, in a thread: rows become bins per run and direction, and statistics of the residuals. A
 * picture then costs what it has bins, however long it was measured. The session's own fit is not
 * held: it may be replaced meanwhile. */
#include "ui/fit/fit_data.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#include "core/sweeps/predict.h"
#include "core/sweeps/wild.h"
#include "session/method/gravity.h"
#include "ui/plot/plot_data.h"

struct AuiFitInput {
  AsePurpose purpose;
  ArmModel model;
  GPtrArray *runs; /* of AseRun, ended: nobody changes them */
  GArray *exclusions;
  ArmRowOptions rows;
  bool has_fit;
  ArmGravityParameters parameters;
};

const char *aui_row_use_text(AuiRowUse use) {
  static const char *const texts[AUI_ROWS] = {
      N_("used"),        N_("fault"), N_("gap"),         N_("clipped"), N_("excluded"),
      N_("not settled"), N_("slow"),  N_("off plateau"), N_("missing"), N_("wild")};
  return _(texts[use]);
}

/* ---- input ---- */

/* Pointers of the session's own fit are not kept: it may be replaced at any time. */
static void copy_parameters(ArmGravityParameters *to, const ArmGravityParameters *from) {
  *to = *from;
  to->n_ids = 0;
  to->ids = NULL;
  to->covariance = NULL;
}

AuiFitInput *aui_fit_input_new(AseSession *session, AsePurpose purpose) {
  const GPtrArray *runs = ase_session_runs(session);
  const AseEdits *edits = ase_session_edits(session);
  const ArmGravityFit *fit = ase_gravity_of(ase_session_fit(session));
  AuiFitInput *input = g_new0(AuiFitInput, 1);
  input->purpose = purpose;
  input->model = ase_session_arm(session)->model;
  input->rows = edits->rows;
  input->runs = g_ptr_array_new_with_free_func((GDestroyNotify)ase_run_unref);
  for (guint k = 0; k < runs->len; k++) {
    AseRun *run = runs->pdata[k];
    if (run->outcome && run->purpose == purpose)
      g_ptr_array_add(input->runs, ase_run_ref(run));
  }
  input->exclusions = g_array_new(FALSE, FALSE, sizeof(AseExclusion));
  if (purpose == ASE_PURPOSE_MEASURE)
    g_array_append_vals(input->exclusions, edits->exclusions, edits->n_exclusions);
  input->has_fit = fit && fit->refined.n == input->model.n;
  if (input->has_fit)
    copy_parameters(&input->parameters, &fit->refined);
  return input;
}

void aui_fit_input_free(AuiFitInput *input) {
  if (!input)
    return;
  g_ptr_array_unref(input->runs);
  g_array_unref(input->exclusions);
  g_free(input);
}

/* ---- from rows to bins ---- */

typedef struct {
  const AuiFitInput *input;
  AseJob *job;
  AseSelection *selection;
  ArmRowUse *fit_use;
  AuiFitData *data;
  GArray *residuals[ARM_MAX_JOINTS]; /* in the order of time, NAN between two sweeps */
  GArray *all[ARM_MAX_JOINTS];       /* of AuiFitPoint, used ones */
} Work;

static void run_free(gpointer memory) {
  AuiFitRun *run = memory;
  g_free(run->bin[0]);
  g_free(run->bin[1]);
  g_free(run);
}

static AuiRowUse use_of(const Work *work, gsize row) {
  static const AuiRowUse session[ASE_SAMPLE_USES] = {
      [ASE_SAMPLE_USED] = AUI_ROW_USED,         [ASE_SAMPLE_FAULT] = AUI_ROW_FAULT,
      [ASE_SAMPLE_GAP] = AUI_ROW_GAP,           [ASE_SAMPLE_CLIPPED] = AUI_ROW_CLIPPED,
      [ASE_SAMPLE_EXCLUDED] = AUI_ROW_EXCLUDED, [ASE_SAMPLE_NOT_SETTLED] = AUI_ROW_NOT_SETTLED};
  static const AuiRowUse fit[ARM_ROW_REASONS] = {[ARM_ROW_USED] = AUI_ROW_USED,
                                                 [ARM_ROW_NO_JOINT] = AUI_ROW_MISSING,
                                                 [ARM_ROW_SLOW] = AUI_ROW_SLOW,
                                                 [ARM_ROW_NO_POSITION] = AUI_ROW_MISSING,
                                                 [ARM_ROW_NO_SPEED] = AUI_ROW_MISSING,
                                                 [ARM_ROW_NO_CURRENT] = AUI_ROW_MISSING,
                                                 [ARM_ROW_NO_ACCEL] = AUI_ROW_MISSING,
                                                 [ARM_ROW_OFF_PLATEAU] = AUI_ROW_OFF_PLATEAU,
                                                 [ARM_ROW_LEFT_OUT] = AUI_ROW_EXCLUDED,
                                                 [ARM_ROW_WILD] = AUI_ROW_WILD,
                                                 [ARM_ROW_WILD_POSITION] = AUI_ROW_MISSING};
  const AuiRowUse use = session[work->selection->use[row]];
  return use == AUI_ROW_USED ? fit[work->fit_use[row]] : use;
}

static void state_of(const AioRecording *r, gsize row, double *q, double *qd) {
  for (gsize j = 0; j < r->n; j++) {
    q[j] = r->q[j * r->rows + row];
    qd[j] = r->qd[j * r->rows + row];
  }
}

static double current_of(const AuiFitData *data, guint joint, const double *q, const double *qd) {
  double current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS];
  const ArmPredictOptions options = {.zero_speed = ARM_ZERO_SPEED_NONE};
  if (!data->has_fit ||
      arm_predict(&data->model, &data->parameters, q, qd, NULL, &options, current, sd) != ARM_OK)
    return NAN;
  return current[joint - 1];
}

/* The run's rows: first .. last - 1. */
static AuiFitRun *begin_run(Work *work, const AseRun *source, gsize first, gsize last) {
  const AioRecording *r = work->selection->recording;
  const double *q = r->q + (source->joint - 1) * r->rows;
  double qd[ARM_MAX_JOINTS];
  AuiFitRun *run = g_new0(AuiFitRun, 1);
  run->id = source->id;
  run->hold = source->hold;
  run->speed = source->speed;
  state_of(r, first, run->pose, qd);
  run->low = INFINITY, run->high = -INFINITY;
  for (gsize row = first; row < last; row++)
    run->low = fmin(run->low, q[row]), run->high = fmax(run->high, q[row]);
  for (guint d = 0; d < 2; d++)
    run->bin[d] = g_new0(AuiFitBin, AUI_FIT_BINS);
  return run;
}

static AuiFitBin *bin_at(AuiFitRun *run, double q, int direction) {
  const double part = run->high > run->low ? (q - run->low) / (run->high - run->low) : 0.0;
  const guint k = part > 0.0 ? MIN((guint)(part * AUI_FIT_BINS), AUI_FIT_BINS - 1) : 0;
  return &run->bin[direction < 0][k];
}

static void add_used(Work *work, AuiFitRun *run, guint joint, gsize row, int direction) {
  const AioRecording *r = work->selection->recording;
  AuiFitJoint *out = &work->data->joint[joint - 1];
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  state_of(r, row, q, qd);
  const double measured = r->current[(joint - 1) * r->rows + row];
  const double computed = current_of(work->data, joint, q, qd);
  const double residual = measured - computed;
  AuiFitBin *bin = bin_at(run, q[joint - 1], direction);
  bin->n++;
  bin->measured += measured;
  bin->computed += computed;
  run->squares += residual * residual;
  run->worst = fmax(run->worst, fabs(residual));
  const AuiFitPoint point = {q[joint - 1], r->t[row] - r->t[0], measured,
                             residual,     out->runs->len,      direction};
  g_array_append_val(work->all[joint - 1], point);
  g_array_append_val(work->residuals[joint - 1], residual);
}

static void add_left(Work *work, AuiFitRun *run, guint joint, gsize row, int direction,
                     AuiRowUse use) {
  const AioRecording *r = work->selection->recording;
  const gsize at = (joint - 1) * r->rows + row;
  if (!isfinite(r->q[at]) || !isfinite(r->current[at]))
    return;
  AuiFitBin *bin = bin_at(run, r->q[at], direction);
  bin->left_n[use]++;
  bin->left[use] += r->current[at];
}

static void add_wild(Work *work, guint joint, gsize row, int direction) {
  const AioRecording *r = work->selection->recording;
  AuiFitJoint *out = &work->data->joint[joint - 1];
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  if (out->wild->len >= AUI_FIT_FAR)
    return;
  state_of(r, row, q, qd);
  const double measured = r->current[(joint - 1) * r->rows + row];
  const double residual = measured - current_of(work->data, joint, q, qd);
  const AuiFitPoint point = {q[joint - 1], r->t[row] - r->t[0], measured,
                             residual,     out->runs->len,      direction};
  g_array_append_val(out->wild, point);
}

static void add_run(Work *work, const AseRun *source, gsize first, gsize last) {
  const AioRecording *r = work->selection->recording;
  const guint joint = source->joint;
  AuiFitJoint *out = &work->data->joint[joint - 1];
  AuiFitRun *run = begin_run(work, source, first, last);
  const double gap = NAN;
  int direction = 1;
  if (work->residuals[joint - 1]->len)
    g_array_append_val(work->residuals[joint - 1], gap);
  for (gsize row = first; row < last; row++) {
    const double qd = r->qd[(joint - 1) * r->rows + row];
    const AuiRowUse use = use_of(work, row);
    direction = qd > 0.0 ? 1 : qd < 0.0 ? -1 : direction;
    run->rows[use]++;
    out->rows[use]++;
    if (use == AUI_ROW_USED)
      add_used(work, run, joint, row, direction);
    else
      add_left(work, run, joint, row, direction, use);
    if (use == AUI_ROW_WILD)
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
  const AseSelection *s = work->selection;
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
  const guint block = MAX(2 * all->len / AUI_FIT_POINTS, 1);
  for (guint from = 0; from < all->len; from += block) {
    guint low = from, high = from;
    for (guint k = from; k < MIN(from + block, all->len); k++) {
      const double residual = g_array_index(all, AuiFitPoint, k).residual;
      low = residual < g_array_index(all, AuiFitPoint, low).residual ? k : low;
      high = residual > g_array_index(all, AuiFitPoint, high).residual ? k : high;
    }
    g_array_append_val(points, g_array_index(all, AuiFitPoint, MIN(low, high)));
    if (low != high)
      g_array_append_val(points, g_array_index(all, AuiFitPoint, MAX(low, high)));
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
  g_autoptr(GArray) sizes = g_array_sized_new(FALSE, FALSE, sizeof(double), all->len);
  for (guint k = 0; k < all->len; k++) {
    const double size = fabs(g_array_index(all, AuiFitPoint, k).residual);
    g_array_append_val(sizes, size);
  }
  g_array_sort(sizes, compare_sizes);
  const double middle = g_array_index(sizes, double, all->len / 2);
  const double most = g_array_index(sizes, double, (guint)(REACH_PART * (all->len - 1)));
  return fmax(REACH_SD * MAD_SD * middle, most);
}

static void summarise(AuiFitJoint *joint, const GArray *residuals, const GArray *all) {
  double sum = 0.0;
  for (guint k = 0; k < all->len; k++)
    sum += g_array_index(all, AuiFitPoint, k).residual;
  joint->mean = all->len ? sum / all->len : (double)NAN;
  joint->reach = reach_of(all);
  g_autoptr(GArray) near = g_array_new(FALSE, FALSE, sizeof(AuiFitPoint));
  for (guint k = 0; k < all->len; k++) {
    const AuiFitPoint *point = &g_array_index(all, AuiFitPoint, k);
    if (!(fabs(point->residual) > joint->reach))
      g_array_append_val(near, *point);
    else if (joint->far->len < AUI_FIT_FAR)
      g_array_append_val(joint->far, *point);
  }
  thin(joint->points, near);
  if (residuals->len && joint->sd > 0.0) {
    const double *values = &g_array_index(residuals, double, 0);
    aui_histogram(values, residuals->len, -4.0 * joint->sd, 4.0 * joint->sd, AUI_FIT_HISTOGRAM,
                  joint->histogram);
    aui_autocorrelation(values, residuals->len, AUI_FIT_LAGS, joint->correlation);
  }
}

/* ---- all of it ---- */

static AuiFitData *data_new(const AuiFitInput *input) {
  AuiFitData *data = g_new0(AuiFitData, 1);
  data->joints = (guint)input->model.n;
  data->model = input->model;
  data->has_fit = input->has_fit;
  data->parameters = input->parameters;
  for (guint j = 0; j < data->joints; j++) {
    data->joint[j].runs = g_ptr_array_new_with_free_func(run_free);
    data->joint[j].points = g_array_new(FALSE, FALSE, sizeof(AuiFitPoint));
    data->joint[j].far = g_array_new(FALSE, FALSE, sizeof(AuiFitPoint));
    data->joint[j].wild = g_array_new(FALSE, FALSE, sizeof(AuiFitPoint));
    data->joint[j].sd = input->has_fit ? input->parameters.joint[j].residual_sd : (double)NAN;
  }
  return data;
}

void aui_fit_data_free(AuiFitData *data) {
  if (!data)
    return;
  for (guint j = 0; j < data->joints; j++) {
    g_ptr_array_unref(data->joint[j].runs);
    g_array_unref(data->joint[j].points);
    g_array_unref(data->joint[j].wild);
    g_array_unref(data->joint[j].far);
  }
  g_free(data);
}

static bool select_rows(Work *work) {
  const AuiFitInput *input = work->input;
  work->selection = ase_selection_new_within(work->job, &input->model, input->runs, input->purpose,
                                             input->exclusions, NULL);
  if (!work->selection)
    return false;
  const ArmDataset dataset = ase_selection_dataset(work->selection);
  /* cppcheck-suppress AssignmentIntegerToAddress ; it takes the type for a number */
  work->fit_use = g_new0(ArmRowUse, dataset.rows);
  return arm_wild_select(&input->model, &dataset, &input->rows, work->fit_use, NULL) == ARM_OK;
}

AuiFitData *aui_fit_data_new(const AuiFitInput *input, AseJob *job) {
  Work work = {.input = input, .job = job, .data = data_new(input)};
  for (guint j = 0; j < work.data->joints; j++) {
    work.residuals[j] = g_array_new(FALSE, FALSE, sizeof(double));
    work.all[j] = g_array_new(FALSE, FALSE, sizeof(AuiFitPoint));
  }
  const bool is_done = select_rows(&work) && add_runs(&work);
  for (guint j = 0; j < work.data->joints; j++) {
    if (is_done)
      summarise(&work.data->joint[j], work.residuals[j], work.all[j]);
    g_array_unref(work.residuals[j]);
    g_array_unref(work.all[j]);
  }
  ase_selection_free(work.selection);
  g_free(work.fit_use);
  if (!is_done)
    g_clear_pointer(&work.data, aui_fit_data_free);
  return work.data;
}

/* ---- one state ---- */

double aui_fit_data_current(const AuiFitData *data, guint joint, const AuiFitRun *run, double q,
                            double qd) {
  double pose[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS] = {0};
  memcpy(pose, run->pose, sizeof pose);
  pose[joint - 1] = q;
  speed[joint - 1] = qd;
  return current_of(data, joint, pose, speed);
}

double aui_fit_data_column(const AuiFitData *data, guint joint, const AuiFitRun *run, double q,
                           double qd, ArmParamId id) {
  double pose[ARM_MAX_JOINTS], speed[ARM_MAX_JOINTS] = {0};
  memcpy(pose, run->pose, sizeof pose);
  pose[joint - 1] = q;
  speed[joint - 1] = qd;
  return arm_predict_column(&data->model, &data->parameters, pose, speed, joint - 1, id);
}
