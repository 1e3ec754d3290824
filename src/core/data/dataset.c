/* SPDX-License-Identifier: MIT */
/* Which rows count. Each row is judged by itself; the ends of sweeps are trimmed afterwards, stroke
 * by stroke, since a plateau is known only beside the whole stroke. */
#include "core/data/dataset.h"

#include <math.h>
#include <stdlib.h>

#include "core/data/plateau.h"
#include "core/num/filter.h"

/* 25 deg: the start-up 4/K_D and the braking of the servo (34)-(36) (Armature theory notes,
 * gravity, section 8). The others are chosen: a tenth of a short stroke, 5 % of the speed, and as
 * the least speed about a hundredth of the slowest planned sweep. */
void arm_row_options_default(ArmRowOptions *options) {
  *options = (ArmRowOptions){
      .min_speed_R = 0.005,
      .min_speed_T = 0.0005,
      .plateau_end_R = 25.0 * 3.14159265358979323846 / 180.0,
      .plateau_end_part = 0.10,
      .plateau_speed_tolerance = 0.05,
  };
}

const char *arm_row_use_key(ArmRowUse use) {
  switch (use) {
  case ARM_ROW_USED:
    return "used";
  case ARM_ROW_NO_JOINT:
    return "no_moving_joint";
  case ARM_ROW_SLOW:
    return "below_min_speed";
  case ARM_ROW_NO_POSITION:
    return "position_missing";
  case ARM_ROW_NO_SPEED:
    return "speed_missing";
  case ARM_ROW_NO_CURRENT:
    return "current_missing";
  case ARM_ROW_NO_ACCEL:
    return "acceleration_missing";
  case ARM_ROW_OFF_PLATEAU:
    return "off_plateau";
  case ARM_ROW_LEFT_OUT:
    return "left_out";
  case ARM_ROW_WILD:
    return "wild";
  case ARM_ROW_WILD_POSITION:
    return "wild_position";
  case ARM_ROW_REASONS:
    break;
  }
  return "unknown";
}

bool arm_rows_are_left_out(const size_t rows_by_use[ARM_ROW_REASONS]) {
  return rows_by_use[ARM_ROW_USED] == 0 &&
         rows_by_use[ARM_ROW_NO_CURRENT] + rows_by_use[ARM_ROW_LEFT_OUT] > 0;
}

static double min_speed(const ArmModel *model, const ArmRowOptions *options, size_t joint) {
  return model->joints[joint].type == ARM_JOINT_R ? options->min_speed_R : options->min_speed_T;
}

static bool has_all_positions(const ArmDataset *data, size_t row) {
  for (size_t j = 0; j < data->n; j++) {
    if (isnan(data->q[row + j * data->rows]))
      return false;
  }
  return true;
}

static ArmRowUse use_of_row(const ArmModel *model, const ArmDataset *data,
                            const ArmRowOptions *options, size_t row) {
  if (data->joint[row] < 1 || (size_t)data->joint[row] > data->n)
    return ARM_ROW_NO_JOINT;
  const size_t joint = (size_t)data->joint[row] - 1;
  const size_t at = row + joint * data->rows;
  if (isnan(data->qd[at]))
    return ARM_ROW_NO_SPEED;
  if (!(fabs(data->qd[at]) > min_speed(model, options, joint)))
    return ARM_ROW_SLOW;
  if (!has_all_positions(data, row))
    return ARM_ROW_NO_POSITION;
  if (data->left_out && data->left_out[row])
    return ARM_ROW_LEFT_OUT;
  if (isnan(data->current[at]))
    return ARM_ROW_NO_CURRENT;
  if (options->wants_acceleration && data->qdd && isnan(data->qdd[at]))
    return ARM_ROW_NO_ACCEL;
  return ARM_ROW_USED;
}

/* Trims the sweep [begin, end), all of whose rows are moving.
 *   speeds  end - begin  scratch */
static void trim_sweep(const ArmModel *model, const ArmDataset *data, const ArmRowOptions *options,
                       size_t begin, size_t end, double *speeds, ArmRowUse *use) {
  const size_t joint = (size_t)data->joint[begin] - 1;
  const double *q = data->q + joint * data->rows;
  const double *qd = data->qd + joint * data->rows;
  ArmSweep sweep = {.low = q[begin], .high = q[begin]};
  for (size_t row = begin; row < end; row++) {
    sweep.low = fmin(sweep.low, q[row]);
    sweep.high = fmax(sweep.high, q[row]);
    speeds[row - begin] = fabs(qd[row]);
  }
  sweep.median_speed = arm_filter_median(speeds, end - begin);
  arm_sweep_trim(model, data, options, &sweep, begin, end, use);
}

static void trim_all_sweeps(const ArmModel *model, const ArmDataset *data,
                            const ArmRowOptions *options, double median_step, double *speeds,
                            ArmRowUse *use) {
  size_t begin = 0;
  while (begin < data->rows) {
    size_t end = begin + 1;
    if (arm_row_is_of_sweep(use[begin])) {
      while (end < data->rows && arm_row_is_of_sweep(use[end]) &&
             arm_row_continues_sweep(data, end, median_step))
        end++;
      trim_sweep(model, data, options, begin, end, speeds, use);
    }
    begin = end;
  }
}

void arm_dataset_judge(const ArmModel *model, const ArmDataset *data, const ArmRowOptions *options,
                       ArmRowUse *use) {
  for (size_t row = 0; row < data->rows; row++)
    use[row] = use_of_row(model, data, options, row);
}

ArmStatus arm_dataset_select(const ArmModel *model, const ArmDataset *data,
                             const ArmRowOptions *options, ArmRowUse *use) {
  if (model->n != data->n || data->n == 0 || data->n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  double step = (double)NAN;
  double *speeds = NULL;
  if (options->wants_plateau && data->rows > 0) {
    const ArmStatus status = arm_filter_median_step(data->rows, data->t, &step);
    if (status != ARM_OK)
      return status;
    speeds = calloc(data->rows, sizeof *speeds);
    if (!speeds)
      return ARM_E_MEMORY;
  }
  arm_dataset_judge(model, data, options, use);
  if (speeds)
    trim_all_sweeps(model, data, options, step, speeds, use);
  free(speeds);
  return ARM_OK;
}
