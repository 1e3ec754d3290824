/* SPDX-License-Identifier: MIT */
/* From rows to one triangle a joint: here the recording is read, and once more for the residuals,
 * which tell how far noise that neighbouring samples share widens every sd. */
#include "core/sweeps/ident_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/num/filter.h"

/* Samples; correlations inside their own noise end the sum long before, at 1 kHz it is a second. */
enum { MAX_LAG = 1000 };
#define STILL_R 0.0175 /* rad, 1 deg: less is not another hold (as in core/sweeps/stroke) */

size_t arm_ident_columns(const ArmIdent *ident, size_t joint) {
  const bool *has = ident->terms[joint].has;
  return 2 * (ident->model->n - joint) + 4 + (ident->has_acceleration ? 1 : 0) +
         (has[ARM_TERM_LOAD] ? 1 : 0) + (has[ARM_TERM_CURVE] ? 1 : 0);
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

static bool is_still(const ArmDataset *data, const ArmRowUse *use, size_t j, double *mean) {
  double low = (double)INFINITY, high = -(double)INFINITY, sum = 0.0;
  size_t used = 0;
  for (size_t r = 0; r < data->rows; r++) {
    const double q = data->q[r + j * data->rows];
    if (use[r] != ARM_ROW_USED)
      continue;
    low = fmin(low, q);
    high = fmax(high, q);
    sum += q;
    used++;
  }
  *mean = sum / (double)used;
  return used > 0 && high - low < STILL_R;
}

static void find_still(ArmIdent *ident, const ArmRowUse *use) {
  for (size_t j = 0; j < ident->model->n; j++)
    ident->is_still[j] = ident->rows[j].rows == 0 && ident->model->joints[j].type == ARM_JOINT_R &&
                         is_still(ident->data, use, j, &ident->still_at[j]);
}

void arm_ident_settle(const ArmIdent *ident, size_t joint, double *q) {
  for (size_t j = joint + 1; j < ident->model->n; j++)
    q[j] = ident->is_still[j] ? ident->still_at[j] : q[j];
}

double arm_ident_fetch(const ArmIdent *ident, size_t joint, size_t r, double *row) {
  const ArmDataset *data = ident->data;
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

static ArmStatus index_rows(ArmIdent *ident, const ArmRowUse *use) {
  const ArmDataset *data = ident->data;
  for (size_t i = 0; i < data->n; i++) {
    ArmIdentRows *rows = &ident->rows[i];
    rows->columns = arm_ident_columns(ident, i);
    rows->row_index = calloc(ident->rows_by_use[i][ARM_ROW_USED] + 1, sizeof *rows->row_index);
    if (!rows->row_index)
      return ARM_E_MEMORY;
  }
  for (size_t r = 0; r < data->rows; r++) {
    if (use[r] == ARM_ROW_USED) {
      ArmIdentRows *rows = &ident->rows[data->joint[r] - 1];
      rows->row_index[rows->rows++] = r;
    }
  }
  return ARM_OK;
}

static ArmStatus accumulate_joint(ArmIdent *ident, size_t joint) {
  ArmIdentRows *rows = &ident->rows[joint];
  const size_t width = rows->columns + 1;
  double row[ARM_IDENT_MAX_COLUMNS + 1];
  double sum = 0.0;
  ArmStatus status = ARM_OK;
  ArmLsq *lsq = arm_lsq_new(width);
  rows->triangle = calloc(width * width, sizeof *rows->triangle);
  if (!lsq || !rows->triangle)
    status = ARM_E_MEMORY;
  for (size_t k = 0; k < rows->rows && status == ARM_OK; k++) {
    row[rows->columns] = arm_ident_fetch(ident, joint, rows->row_index[k], row);
    sum += row[rows->columns] * row[rows->columns];
    status = arm_lsq_push(lsq, row);
  }
  if (status == ARM_OK) {
    arm_lsq_triangle(lsq, rows->triangle);
    rows->rms_y = rows->rows ? sqrt(sum / (double)rows->rows) : 0.0;
  }
  arm_lsq_free(lsq);
  return status;
}

ArmStatus arm_ident_accumulate_again(ArmIdent *ident, size_t joint) {
  ArmIdentRows *rows = &ident->rows[joint];
  free(rows->triangle);
  rows->triangle = NULL;
  rows->columns = arm_ident_columns(ident, joint);
  return accumulate_joint(ident, joint);
}

ArmStatus arm_ident_accumulate(ArmIdent *ident, const ArmRowUse *use) {
  const ArmDataset *data = ident->data;
  for (size_t r = 0; r < data->rows; r++) {
    const size_t joint = data->joint[r] >= 1 && (size_t)data->joint[r] <= data->n
                             ? (size_t)data->joint[r] - 1
                             : ARM_IDENT_NONE;
    for (size_t i = 0; i < data->n; i++)
      if (joint == i || joint == ARM_IDENT_NONE)
        ident->rows_by_use[i][use[r]]++;
  }
  ArmStatus status = index_rows(ident, use);
  if (status == ARM_OK)
    find_still(ident, use);
  for (size_t i = 0; i < data->n && status == ARM_OK; i++)
    status = accumulate_joint(ident, i);
  return status;
}

void arm_ident_rows_clear(ArmIdent *ident) {
  arm_strokes_clear(&ident->strokes);
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++) {
    free(ident->rows[i].triangle);
    free(ident->rows[i].row_index);
    free(ident->weighed[i].triangle);
    ident->rows[i].triangle = ident->weighed[i].triangle = NULL;
    ident->rows[i].row_index = NULL;
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

/* the residuals of one joint in recorded order, and for each the first one of its sweep */
typedef struct {
  double *value;
  size_t *start, count;
  double y_mean, y_m2;
} Residuals;

static bool continues(const ArmIdent *ident, const ArmIdentRows *rows, size_t joint, size_t k) {
  const size_t r = rows->row_index[k];
  const double *qd = ident->data->qd + joint * ident->data->rows;
  return k > 0 && rows->row_index[k - 1] + 1 == r && qd[r] * qd[r - 1] > 0.0 &&
         arm_filter_is_continued(ident->data->t, r, ident->median_step);
}

static void collect(const ArmIdent *ident, size_t joint, const double *c, Residuals *out) {
  const ArmIdentRows *rows = &ident->rows[joint];
  double row[ARM_IDENT_MAX_COLUMNS];
  for (size_t k = 0; k < rows->rows; k++) {
    const double y = arm_ident_fetch(ident, joint, rows->row_index[k], row);
    double residual = y;
    for (size_t j = 0; j < rows->columns; j++)
      residual -= row[j] * c[j];
    const double step = y - out->y_mean;
    out->y_mean += step / (double)(k + 1);
    out->y_m2 += step * (y - out->y_mean);
    out->value[k] = residual;
    out->start[k] = continues(ident, rows, joint, k) ? out->start[k - 1] : k;
  }
  out->count = rows->rows;
}

/* correlation of residuals `lag` samples apart within sweeps; NAN without such pairs */
static double correlation(const Residuals *r, size_t lag, size_t *pairs) {
  double product = 0.0, early = 0.0, late = 0.0;
  *pairs = 0;
  for (size_t k = lag; k < r->count; k++) {
    if (r->start[k] + lag > k)
      continue;
    product += r->value[k] * r->value[k - lag];
    early += r->value[k - lag] * r->value[k - lag];
    late += r->value[k] * r->value[k];
    ++*pairs;
  }
  return early > 0.0 && late > 0.0 ? product / sqrt(early) / sqrt(late) : (double)NAN;
}

/* sd of a mean of correlated noise over that of white noise: sqrt((1+rho)/(1-rho)) of AR(1) noise,
 * or sqrt(1 + 2 sum rho_k) where slow errors hide under white noise (a weak lag 1 that does not
 * die out). Correlations inside their own two-sigma band end the sum; nothing narrows. */
static double widening_of(const Residuals *r, double lag1, size_t pairs) {
  if (pairs < 8 || !(lag1 >= 2.0 / sqrt((double)pairs)))
    return 1.0;
  const double rho = fmin(lag1, 0.9999); /* at most 141 times: a residual may be one slow curve */
  double sum = lag1;
  for (size_t lag = 2; lag <= MAX_LAG; lag++) {
    const double next = correlation(r, lag, &pairs);
    if (pairs < 8 || !(next >= 2.0 / sqrt((double)pairs)))
      break;
    sum += next;
  }
  return sqrt(fmax((1.0 + rho) / (1.0 - rho), 1.0 + 2.0 * sum));
}

ArmStatus arm_ident_residuals(const ArmIdent *ident, size_t joint, const double *c,
                              ArmIdentStats *stats) {
  const size_t rows = ident->rows[joint].rows;
  Residuals r = {.value = calloc(rows + 1, sizeof *r.value),
                 .start = calloc(rows + 1, sizeof *r.start)};
  double rss = 0.0;
  size_t pairs;
  if (!r.value || !r.start) {
    free(r.value);
    free(r.start);
    return ARM_E_MEMORY;
  }
  collect(ident, joint, c, &r);
  stats->max_abs = rows > 0 ? 0.0 : (double)NAN;
  for (size_t k = 0; k < rows; k++) {
    rss += r.value[k] * r.value[k];
    stats->max_abs = fmax(stats->max_abs, fabs(r.value[k]));
  }
  stats->r2 = r.y_m2 > 0.0 ? 1.0 - rss / r.y_m2 : (double)NAN;
  stats->lag1 = correlation(&r, 1, &pairs);
  stats->widening = widening_of(&r, stats->lag1, pairs);
  free(r.value);
  free(r.start);
  return ARM_OK;
}
