/* SPDX-License-Identifier: MIT */
/* From rows to one triangle a joint, in two passes: columns depend on which joints stand still in
 * all of the recording. */
#include "core/sweeps/ident_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/sweeps/sums_internal.h"

#define STILL_R 0.0175 /* rad, 1 deg: less is not another hold (as in core/sweeps/stroke) */

size_t arm_ident_first_term(const ArmIdent *ident, size_t joint) {
  return 2 * (ident->model->n - joint) + 4 + (ident->has_acceleration ? 1 : 0);
}

size_t arm_ident_columns(const ArmIdent *ident, size_t joint) {
  size_t columns = arm_ident_first_term(ident, joint);
  for (int t = 0; t < ARM_TERMS; t++)
    columns += ident->terms[joint].has[t];
  return columns;
}

void arm_ident_row(const ArmModel *model, bool has_acceleration, const double *q, const double *qd,
                   double qdd_own, size_t joint, ArmGravityChain *last, double *row) {
  double gravity[2 * ARM_MAX_JOINTS], motor_qd[ARM_MAX_JOINTS];
  const size_t g = 2 * (model->n - joint);
  ArmGravityChain own;
  arm_gravity_chain(model, q, last, last ? last : &own);
  arm_gravity_chain_row(model, last ? last : &own, joint, gravity);
  memcpy(row, gravity + 2 * joint, g * sizeof *row);
  arm_model_motor_speed(model, qd, motor_qd);
  const double v = motor_qd[joint];
  const double forward = v > 0.0 ? 1.0 : 0.0;
  row[g] = forward;
  row[g + 1] = forward * v;
  row[g + 2] = 1.0 - forward;
  row[g + 3] = (1.0 - forward) * v;
  if (has_acceleration)
    row[g + 4] = qdd_own;
}

void arm_ident_settle(const ArmIdent *ident, size_t joint, double *q) {
  for (size_t j = joint + 1; j < ident->model->n; j++)
    q[j] = ident->is_still[j] ? ident->still_at[j] : q[j];
}

double arm_ident_fetch(const ArmIdent *ident, const ArmDataset *data, size_t joint, size_t r,
                       double *row) {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  for (size_t j = 0; j < data->n; j++) {
    const double speed = data->qd[r + j * data->rows];
    q[j] = data->q[r + j * data->rows];
    qd[j] = isnan(speed) ? 0.0 : speed;
  }
  arm_ident_settle(ident, joint, q);
  const double qdd = ident->has_acceleration ? data->qdd[r + joint * data->rows] : 0.0;
  arm_ident_row(ident->model, ident->has_acceleration, q, qd, qdd, joint, ident->last, row);
  arm_ident_term_row(ident, joint, row);
  return data->current[r + joint * data->rows];
}

/* ---- the first pass ---- */

typedef struct {
  ArmIdent *ident;
  size_t used;
  ArmStrokeStream *stream; /* NULL: not asked for */
} Survey;

static void survey_used(Survey *s, const ArmDataset *data, size_t r) {
  ArmIdentRows *rows = &s->ident->rows[data->joint[r] - 1];
  const double speed = fabs(data->qd[r + (size_t)(data->joint[r] - 1) * data->rows]);
  for (size_t j = 0; j < data->n; j++) {
    ArmIdentRange *range = &s->ident->range[j];
    const double q = data->q[r + j * data->rows];
    range->low = q < range->low ? q : range->low;
    range->high = q > range->high ? q : range->high;
    range->sum += q;
  }
  rows->rows++;
  rows->fastest = fmax(rows->fastest, speed);
  s->used++;
}

static void count_row(ArmIdent *ident, int joint, ArmRowUse use) {
  const size_t n = ident->model->n;
  if (joint >= 1 && (size_t)joint <= n)
    ident->rows_by_use[joint - 1][use]++;
  else
    for (size_t i = 0; i < n; i++)
      ident->rows_by_use[i][use]++;
}

static ArmStatus survey_window(Survey *s, size_t k, const ArmWindow *window) {
  ArmIdent *ident = s->ident;
  uint32_t joints = 0;
  for (size_t r = window->begin; r < window->end; r++) {
    count_row(ident, window->data.joint[r], window->use[r]);
    if (window->use[r] != ARM_ROW_USED)
      continue;
    joints |= (uint32_t)1 << (window->data.joint[r] - 1);
    survey_used(s, &window->data, r);
  }
  ArmStatus status = arm_windows_know(ident->windows, k, joints);
  if (status == ARM_OK && s->stream) {
    arm_ident_scan_window(ident, window);
    status = arm_strokes_cut(ident->model, window, ident->median_step, s->stream);
  }
  return status;
}

void arm_ident_find_still(ArmIdent *ident, size_t used) {
  for (size_t j = 0; j < ident->model->n; j++) {
    const ArmIdentRange *range = &ident->range[j];
    ident->still_at[j] = range->sum / (double)used;
    ident->is_still[j] = ident->rows[j].rows == 0 && ident->model->joints[j].type == ARM_JOINT_R &&
                         used > 0 && range->high - range->low < STILL_R;
  }
}

ArmStatus arm_ident_survey(ArmIdent *ident, bool wants_strokes) {
  Survey s = {.ident = ident};
  const ArmWindow *window;
  ArmStatus status = ARM_OK;
  if (ident->sums)
    return arm_sums_survey(ident);
  for (size_t j = 0; j < ident->model->n; j++)
    ident->range[j] = (ArmIdentRange){(double)INFINITY, -(double)INFINITY, 0.0};
  arm_plausible_init(&ident->scan, ident->model->n, ident->median_step);
  s.stream = wants_strokes ? arm_stroke_stream_new(ident->model, ident->shelf) : NULL;
  if (wants_strokes && !s.stream)
    return ARM_E_MEMORY;
  for (size_t k = 0; k < ident->windows->count && status == ARM_OK; k++) {
    status = arm_windows_get(ident->windows, k, &window);
    if (status == ARM_OK)
      status = survey_window(&s, k, window);
  }
  if (status == ARM_OK && wants_strokes)
    status = arm_stroke_stream_take(s.stream, &ident->strokes);
  arm_stroke_stream_free(s.stream);
  arm_plausible_end(&ident->scan, ident->model);
  arm_ident_find_still(ident, s.used);
  return status;
}

const ArmStroke *arm_ident_stroke_of_next(ArmStrokeOfRow *at) {
  const ArmStrokes *strokes = at->strokes;
  at->row++;
  if (at->next > 0 && at->row < strokes->at[at->next - 1].rows)
    return &strokes->at[at->next - 1];
  while (strokes->at[at->next].joint != at->joint) {
    arm_shelf_saw(strokes->shelf, sizeof *strokes->at);
    at->next++;
  }
  arm_shelf_saw(strokes->shelf, sizeof *strokes->at);
  at->row = 0;
  return &strokes->at[at->next++];
}

/* ---- the second ---- */

typedef struct {
  ArmLsq *lsq[ARM_MAX_JOINTS]; /* NULL: not asked for */
  double square[ARM_MAX_JOINTS];
} Folding;

static ArmStatus fold_row(const ArmIdent *ident, Folding *f, const ArmDataset *data, size_t joint,
                          size_t r) {
  const size_t columns = ident->rows[joint].columns;
  double row[ARM_IDENT_MAX_COLUMNS + 1];
  row[columns] = arm_ident_fetch(ident, data, joint, r, row);
  f->square[joint] += row[columns] * row[columns];
  return arm_lsq_push(f->lsq[joint], row);
}

/* Rows of a joint come in their order, whichever joints are folded beside it. */
static ArmStatus fold_rows(const ArmIdent *ident, size_t joint, Folding *f) {
  ArmRowWalk walk = arm_row_walk(ident->windows, joint);
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && arm_row_walk_next(&walk)) {
    const ArmDataset *data = &walk.window->data;
    const size_t i = (size_t)data->joint[walk.row] - 1;
    if (f->lsq[i] && !ident->is_of_sums[i])
      status = fold_row(ident, f, data, i, walk.row);
  }
  return status == ARM_OK ? walk.status : status;
}

static void take_triangles(ArmIdent *ident, const Folding *f) {
  for (size_t i = 0; i < ident->model->n; i++) {
    ArmIdentRows *rows = &ident->rows[i];
    if (!f->lsq[i])
      continue;
    arm_lsq_triangle(f->lsq[i], rows->triangle);
    rows->rms_y = rows->rows ? sqrt(f->square[i] / (double)rows->rows) : 0.0;
  }
}

ArmStatus arm_ident_accumulate_again(ArmIdent *ident, const bool *is_asked) {
  Folding f = {{NULL}, {0.0}};
  size_t count = 0, last = 0;
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < ident->model->n; i++) {
    ArmIdentRows *rows = &ident->rows[i];
    if (!is_asked[i])
      continue;
    free(rows->triangle);
    rows->columns = arm_ident_columns(ident, i);
    rows->triangle = calloc((rows->columns + 1) * (rows->columns + 1), sizeof *rows->triangle);
    f.lsq[i] = arm_lsq_new(rows->columns + 1);
    if (!rows->triangle || !f.lsq[i])
      status = ARM_E_MEMORY;
    count++;
    last = i;
  }
  if (status == ARM_OK && ident->sums)
    status = arm_sums_fold(ident, f.lsq, f.square);
  if (status == ARM_OK && ident->windows && count > 0)
    status = fold_rows(ident, count == 1 ? last : ARM_WALK_ANY, &f);
  if (status == ARM_OK)
    take_triangles(ident, &f);
  for (size_t i = 0; i < ident->model->n; i++)
    arm_lsq_free(f.lsq[i]);
  return status;
}

ArmStatus arm_ident_accumulate(ArmIdent *ident) {
  bool all[ARM_MAX_JOINTS];
  for (size_t i = 0; i < ident->model->n; i++)
    all[i] = true;
  return arm_ident_accumulate_again(ident, all);
}

void arm_ident_rows_clear(ArmIdent *ident) {
  arm_strokes_clear(&ident->strokes);
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++) {
    free(ident->rows[i].triangle);
    free(ident->weighed[i].triangle);
    ident->rows[i].triangle = ident->weighed[i].triangle = NULL;
  }
}

void arm_ident_triangle_mul(const ArmIdentRows *rows, const double *x, size_t k, double *y) {
  const size_t width = rows->columns + 1;
  memset(y, 0, width * k * sizeof *y);
  for (size_t col = 0; col < k; col++) {
    for (size_t j = 0; j < rows->columns; j++) {
      const double xj = x[j + col * rows->columns];
      const double *t = rows->triangle + j * width;
      for (size_t i = 0; xj != 0.0 && i <= j; i++)
        y[i + col * width] += t[i] * xj;
    }
  }
}
