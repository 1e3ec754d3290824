/* SPDX-License-Identifier: MIT */
/* Sweeps are listed in one pass; the median speed of one that is longer than an order keeps takes
 * passes over its rows alone. */
#include "core/data/plateau.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/num/order.h"

bool arm_row_is_of_sweep(ArmRowUse use) {
  return use == ARM_ROW_USED || use == ARM_ROW_NO_CURRENT || use == ARM_ROW_NO_ACCEL ||
         use == ARM_ROW_LEFT_OUT;
}

bool arm_row_continues_sweep(const ArmDataset *data, size_t row, double median_step) {
  if (data->joint[row] != data->joint[row - 1])
    return false;
  const double *qd = data->qd + ((size_t)data->joint[row] - 1) * data->rows;
  return (qd[row] > 0) == (qd[row - 1] > 0) && arm_filter_is_continued(data->t, row, median_step);
}

void arm_sweep_trim(const ArmModel *model, const ArmDataset *data, const ArmRowOptions *options,
                    const ArmSweep *sweep, size_t begin, size_t end, ArmRowUse *use) {
  const size_t joint = (size_t)data->joint[begin] - 1;
  const double *q = data->q + joint * data->rows;
  const double *qd = data->qd + joint * data->rows;
  const double low = sweep->low, high = sweep->high, median = sweep->median_speed;
  double margin = options->plateau_end_part * (high - low);
  if (model->joints[joint].type == ARM_JOINT_R)
    margin = fmin(margin, options->plateau_end_R);
  for (size_t row = begin; row < end; row++) {
    const bool is_steady =
        fabs(fabs(qd[row]) - median) <= options->plateau_speed_tolerance * median;
    const bool is_inside = q[row] >= low + margin && q[row] <= high - margin;
    if (use[row] == ARM_ROW_USED && !(is_steady && is_inside))
      use[row] = ARM_ROW_OFF_PLATEAU;
  }
}

/* ---- the sweeps of a recording that is read some rows at a time ---- */

typedef struct {
  ArmWindows *windows;
  ArmSweep open; /* end 0: none */
  ArmOrder speeds;
  size_t room;
} Finder;

static ArmStatus append(Finder *f) {
  ArmWindows *windows = f->windows;
  if (windows->n_sweeps == f->room) {
    const size_t room = f->room ? 2 * f->room : 64;
    ArmSweep *more = malloc(room * sizeof *more);
    if (!more)
      return ARM_E_MEMORY;
    if (windows->n_sweeps > 0)
      memcpy(more, windows->sweeps, windows->n_sweeps * sizeof *more);
    free(windows->sweeps);
    windows->sweeps = more;
    f->room = room;
  }
  windows->sweeps[windows->n_sweeps++] = f->open;
  return ARM_OK;
}

/* What an order has allocated serves the next one. */
static void start_order(ArmOrder *order) {
  *order = (ArmOrder){.kept = order->kept, .bins = order->bins};
}

static ArmStatus close_sweep(Finder *f) {
  if (f->open.end == 0)
    return ARM_OK;
  f->open.median_speed = arm_order_end(&f->speeds) ? f->speeds.median : (double)NAN;
  const ArmStatus status = append(f);
  f->open.end = 0;
  start_order(&f->speeds);
  return status;
}

static ArmStatus add_row(Finder *f, const ArmDataset *data, size_t r) {
  const size_t at = r + ((size_t)data->joint[r] - 1) * data->rows, row = data->first + r;
  const double q = data->q[at];
  if (f->open.end == 0)
    f->open = (ArmSweep){.begin = row, .low = q, .high = q};
  f->open.low = fmin(f->open.low, q);
  f->open.high = fmax(f->open.high, q);
  f->open.end = row + 1;
  return arm_order_push(&f->speeds, fabs(data->qd[at]));
}

static ArmStatus take_window(Finder *f, const ArmWindow *window) {
  const ArmDataset *data = &window->data;
  ArmStatus status = ARM_OK;
  for (size_t r = window->begin; r < window->end && status == ARM_OK; r++) {
    const bool is_moving = arm_row_is_of_sweep(window->use[r]);
    if (!is_moving || f->open.end == 0 ||
        !arm_row_continues_sweep(data, r, f->windows->source->median_step))
      status = close_sweep(f);
    if (is_moving && status == ARM_OK)
      status = add_row(f, data, r);
  }
  return status;
}

static ArmStatus show_again(Finder *f, const ArmSweep *sweep) {
  const size_t width = f->windows->source->width;
  ArmStatus status = ARM_OK;
  for (size_t k = sweep->begin / width; k * width < sweep->end && status == ARM_OK; k++) {
    const ArmWindow *window;
    status = arm_windows_get(f->windows, k, &window);
    for (size_t r = window->begin; r < window->end && status == ARM_OK; r++) {
      const ArmDataset *data = &window->data;
      const size_t row = data->first + r;
      if (row >= sweep->begin && row < sweep->end)
        status =
            arm_order_push(&f->speeds, data->qd[r + ((size_t)data->joint[r] - 1) * data->rows]);
    }
  }
  return status;
}

/* Of sweeps with more rows than an order keeps. */
static ArmStatus find_medians(Finder *f) {
  ArmStatus status = ARM_OK;
  for (size_t s = 0; s < f->windows->n_sweeps && status == ARM_OK; s++) {
    ArmSweep *sweep = &f->windows->sweeps[s];
    bool is_known = !isnan(sweep->median_speed);
    start_order(&f->speeds);
    while (!is_known && status == ARM_OK) {
      status = show_again(f, sweep);
      is_known = status == ARM_OK && arm_order_end(&f->speeds);
      sweep->median_speed = f->speeds.median;
    }
  }
  return status;
}

ArmStatus arm_plateau_find(ArmWindows *windows) {
  Finder f = {.windows = windows};
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < windows->count && status == ARM_OK; k++) {
    const ArmWindow *window;
    status = arm_windows_get(windows, k, &window);
    if (status == ARM_OK)
      status = take_window(&f, window);
  }
  if (status == ARM_OK)
    status = close_sweep(&f);
  if (status == ARM_OK)
    status = find_medians(&f);
  windows->at = windows->count; /* what is in view was judged without them */
  arm_order_clear(&f.speeds);
  return status;
}

/* ---- and their rows ---- */

/* The first sweep that ends behind row `row`. */
static size_t find_sweep(const ArmWindows *windows, size_t row) {
  size_t low = 0, high = windows->n_sweeps;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (windows->sweeps[middle].end <= row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Not of rows behind the margin, which fill the window up: a sweep may begin where they lie. */
void arm_plateau_trim(const ArmWindows *windows) {
  const ArmDataset *data = &windows->now.data;
  const size_t first = data->first, known = windows->now.end + ARM_WINDOW_MARGIN;
  const size_t end = first + (known < data->rows ? known : data->rows);
  for (size_t s = find_sweep(windows, first); s < windows->n_sweeps; s++) {
    const ArmSweep *sweep = &windows->sweeps[s];
    if (sweep->begin >= end)
      break;
    arm_sweep_trim(windows->model, data, windows->options, sweep,
                   (sweep->begin > first ? sweep->begin : first) - first,
                   (sweep->end < end ? sweep->end : end) - first, windows->use);
  }
}
