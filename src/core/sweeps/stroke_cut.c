/* SPDX-License-Identifier: MIT */
/* Where one stroke ends and the next begins in a recording. */
#include <math.h>

#include "core/num/filter.h"
#include "core/sweeps/stroke.h"

/* As CUT_STEP and CUT_SPEED of core/sweeps/ident.c. SPEED_CHANGE is chosen: two sweeps that follow
 * without a stop; above FAST a ramp of 60 deg/s^2, recorded at 25 Hz, changes by less. */
#define HELD_STEP_R  0.02 /* rad from one row to the next */
#define HELD_STEP_T  0.01 /* m */
#define SPEED_CHANGE 0.3  /* of the faster one, from one row to the next... */
#define FAST_R       0.1  /* rad/s: ...where it is not an acceleration from standstill */
#define FAST_T       0.02 /* m/s */

/* moving by its motion, whatever else is wrong with the row */
static bool is_moving(ArmRowUse use) {
  return use == ARM_ROW_USED || use == ARM_ROW_NO_CURRENT || use == ARM_ROW_NO_ACCEL ||
         use == ARM_ROW_LEFT_OUT || use == ARM_ROW_WILD || use == ARM_ROW_WILD_POSITION ||
         use == ARM_ROW_OFF_PLATEAU;
}

static bool held_joint_moved(const ArmModel *model, const ArmDataset *data, size_t last, size_t r) {
  for (size_t j = 0; j < data->n; j++) {
    const size_t first = j * data->rows;
    const double limit = model->joints[j].type == ARM_JOINT_R ? HELD_STEP_R : HELD_STEP_T;
    if ((int)j + 1 != data->joint[r] && fabs(data->q[first + r] - data->q[first + last]) > limit)
      return true;
  }
  return false;
}

bool arm_stroke_goes_on(ArmJointType type, double v0, double v1, double way) {
  const double fast = fmax(fabs(v0), fabs(v1)), least = fmin(fabs(v0), fabs(v1));
  const bool jumps =
      fabs(v1 - v0) > SPEED_CHANGE * fast && least > (type == ARM_JOINT_R ? FAST_R : FAST_T);
  const double back = type == ARM_JOINT_R ? HELD_STEP_R : HELD_STEP_T;
  return !(v0 * v1 < 0.0) && !jumps && !(way * v1 < 0.0 && fabs(way) > back);
}

bool arm_stroke_follows(const ArmStroke *before, const ArmStroke *next, double median_step) {
  return next->first_row == before->last_row + 1 && before->joint == next->joint &&
         before->speed_sum * next->speed_sum > 0.0 &&
         next->t_first - before->t_last <= ARM_FILTER_GAP_STEPS * median_step;
}

/* rows r - 1 and r are moving; of a wild position nothing but its time is known */
static bool is_cut(const ArmModel *model, const ArmDataset *data, double step, const ArmRowUse *use,
                   size_t r) {
  if (data->joint[r] != data->joint[r - 1] || !arm_filter_is_continued(data->t, r, step))
    return true;
  if (use[r] == ARM_ROW_WILD_POSITION)
    return false;
  const size_t last = use[r - 1] == ARM_ROW_WILD_POSITION && r > 1 ? r - 2 : r - 1;
  const size_t joint = (size_t)data->joint[r] - 1, at = r + joint * data->rows;
  const size_t before = last + joint * data->rows;
  return held_joint_moved(model, data, last, r) ||
         !arm_stroke_goes_on(model->joints[joint].type, data->qd[before], data->qd[at],
                             data->q[at] - data->q[before]);
}

static ArmStatus push_row(const ArmDataset *data, size_t r, ArmStrokeStream *stream) {
  const size_t joint = (size_t)data->joint[r] - 1, at = r + joint * data->rows;
  double q[ARM_MAX_JOINTS];
  for (size_t j = 0; j < data->n; j++)
    q[j] = data->q[r + j * data->rows];
  return arm_stroke_stream_push(stream, data->t[r], data->first + r, joint, q, data->qd[at],
                                data->qdd && isfinite(data->qdd[at]) ? data->qdd[at] : 0.0,
                                data->current[at]);
}

ArmStatus arm_strokes_cut(const ArmModel *model, const ArmWindow *window, double median_step,
                          ArmStrokeStream *stream) {
  const ArmDataset *data = &window->data;
  const ArmRowUse *use = window->use;
  ArmStatus status = ARM_OK;
  for (size_t r = window->begin; r < window->end && status == ARM_OK; r++) {
    const bool continues = r > 0 && is_moving(use[r]) && is_moving(use[r - 1]) &&
                           !is_cut(model, data, median_step, use, r);
    if (!continues)
      status = arm_stroke_stream_cut(stream);
    if (use[r] == ARM_ROW_USED && status == ARM_OK)
      status = push_row(data, r, stream);
  }
  return status;
}

ArmStatus arm_strokes_of(const ArmModel *model, const ArmDataset *data, const ArmRowUse *use,
                         ArmStrokes *strokes) {
  const ArmWindow window = {.data = *data, .use = use, .end = data->rows};
  double step;
  ArmStatus status = arm_filter_median_step(data->rows, data->t, &step);
  if (status != ARM_OK)
    return status;
  ArmStrokeStream *stream = arm_stroke_stream_new(model, NULL);
  if (!stream)
    return ARM_E_MEMORY;
  status = arm_strokes_cut(model, &window, step, stream);
  if (status == ARM_OK)
    status = arm_stroke_stream_take(stream, strokes);
  arm_stroke_stream_free(stream);
  return status;
}
