/* SPDX-License-Identifier: MIT */
#include "core/ident_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/filter.h"
#include "core/gravity.h"

size_t arm_ident_columns(const ArmIdent *ident, size_t joint) {
  return 2 * (ident->model->n - joint) + 4 + (ident->has_acceleration ? 1 : 0);
}

void arm_ident_row(const ArmModel *model, bool has_acceleration, const double *q, const double *qd,
                   double qdd_own, size_t joint, double *row) {
  double gravity[2 * ARM_MAX_JOINTS], motor_qd[ARM_MAX_JOINTS];
  const size_t g = 2 * (model->n - joint);
  arm_gravity_row(model, q, joint, gravity);
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

/* columns and y of one row of the recording; returns y */
static double fetch_row(const ArmIdent *ident, size_t joint, size_t r, double *row) {
  const ArmDataset *data = ident->data;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS];
  for (size_t j = 0; j < data->n; j++) {
    const double speed = data->qd[r + j * data->rows];
    q[j] = data->q[r + j * data->rows];
    qd[j] = isnan(speed) ? 0.0 : speed;
  }
  const double qdd = ident->has_acceleration ? data->qdd[r + joint * data->rows] : 0.0;
  arm_ident_row(ident->model, ident->has_acceleration, q, qd, qdd, joint, row);
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
    row[rows->columns] = fetch_row(ident, joint, rows->row_index[k], row);
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
  for (size_t i = 0; i < data->n && status == ARM_OK; i++)
    status = accumulate_joint(ident, i);
  return status;
}

void arm_ident_rows_clear(ArmIdent *ident) {
  for (size_t i = 0; i < ARM_MAX_JOINTS; i++) {
    free(ident->rows[i].triangle);
    free(ident->rows[i].row_index);
    ident->rows[i].triangle = NULL;
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

/* running sums of one pass over a joint's residuals */
typedef struct {
  double rss, max_abs, y_mean, y_m2;
  double lag_sum, early, late; /* over pairs: r_k r_k-1, r_k-1^2, r_k^2 */
  size_t pairs;
} ResidualSums;

static bool continues(const ArmIdent *ident, const ArmIdentRows *rows, size_t joint, size_t k) {
  const size_t r = rows->row_index[k];
  const double *qd = ident->data->qd + joint * ident->data->rows;
  return k > 0 && rows->row_index[k - 1] + 1 == r && qd[r] * qd[r - 1] > 0.0 &&
         arm_filter_is_continued(ident->data->t, r, ident->median_step);
}

static ResidualSums sum_residuals(const ArmIdent *ident, size_t joint, const double *c) {
  const ArmIdentRows *rows = &ident->rows[joint];
  ResidualSums sums = {0};
  double row[ARM_IDENT_MAX_COLUMNS], previous = 0.0;
  for (size_t k = 0; k < rows->rows; k++) {
    const double y = fetch_row(ident, joint, rows->row_index[k], row);
    double residual = y;
    for (size_t j = 0; j < rows->columns; j++)
      residual -= row[j] * c[j];
    if (continues(ident, rows, joint, k)) {
      sums.lag_sum += residual * previous;
      sums.early += previous * previous;
      sums.late += residual * residual;
      sums.pairs++;
    }
    const double step = y - sums.y_mean;
    sums.y_mean += step / (double)(k + 1);
    sums.y_m2 += step * (y - sums.y_mean);
    sums.rss += residual * residual;
    sums.max_abs = fmax(sums.max_abs, fabs(residual));
    previous = residual;
  }
  return sums;
}

/* sd of a mean of AR(1) noise over that of white noise, sqrt((1+rho)/(1-rho)); a correlation inside
 * its own two-sigma band is taken as none, a negative one never narrows */
static double widening_of(double lag1, size_t pairs) {
  if (pairs < 8 || lag1 < 2.0 / sqrt((double)pairs))
    return 1.0;
  const double rho = fmin(lag1, 0.9999);
  return sqrt((1.0 + rho) / (1.0 - rho));
}

void arm_ident_residuals(const ArmIdent *ident, size_t joint, const double *c,
                         ArmIdentStats *stats) {
  const double m = (double)ident->rows[joint].rows;
  const ResidualSums sums = sum_residuals(ident, joint, c);
  stats->max_abs = m > 0.0 ? sums.max_abs : (double)NAN;
  stats->r2 = sums.y_m2 > 0.0 ? 1.0 - sums.rss / sums.y_m2 : (double)NAN;
  stats->lag1 = sums.early > 0.0 && sums.late > 0.0
                    ? sums.lag_sum / sqrt(sums.early) / sqrt(sums.late)
                    : (double)NAN;
  stats->widening = isnan(stats->lag1) ? 1.0 : widening_of(stats->lag1, sums.pairs);
}
