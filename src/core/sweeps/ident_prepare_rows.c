/* SPDX-License-Identifier: MIT */
/* Filters over rows that come some at a time, in two passes: the first finds the cuts between
 * motions and what stands in for wild currents, the second filters one stretch after the other.
 * One that is longer than the buffer is filtered in blocks that overlap, of which the middle is
 * kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/num/order.h"
#include "core/sweeps/ident_internal.h"

enum { ROOM = 1 << 14 };
/* Periods of the cut-off after which a low-pass has forgotten where it began. Its slowest poles lie
 * 72 degrees from the real axis: exp(-2 pi cos 72 deg 14) = 1.6e-12. */
#define MEMORY_PERIODS 14.0

/* A straight line in place of a wild current. */
typedef struct {
  size_t row, joint;
  double value;
} Bridge;

typedef struct {
  const ArmModel *model;
  const ArmFitOptions *options;
  ArmWindows *windows;
  double step, cut_step; /* of the recording's time, and with the cuts in it [s] */
  ArmOrder steps;
  size_t cuts;
  double last_t;   /* with the cuts before it */
  Bridge *bridges; /* owned */
  size_t n_bridges, bridge_room;
  size_t open_bridge, next; /* first of those that go on; which comes next in the second pass */
  double before;            /* the current that they start from */
  bool has_qdd, differentiates, filters;
  /* the buffer: `rows` rows of columns that have `room`, those before `done` kept already */
  size_t room, rows, done, overlap;
  double *block; /* owned: t, and n columns of each of the others; NULL: not made */
  double *t, *q, *qd, *current, *qdd, *smooth_qd, *smooth_current, *slope;
  int *joint; /* owned */
  double fastest[ARM_MAX_JOINTS];
} Preparing;

/* ---- the first pass ---- */

/* Time of the next row with all cuts as gaps. */
static double cut_time(Preparing *p, const ArmDataset *data, size_t r) {
  if (data->first + r == 0)
    p->cuts = 0;
  else
    p->cuts += arm_prepare_is_cut(p->model, data, r);
  if (p->cuts == 0 || isnan(p->step))
    return data->t[r];
  return data->t[r] + (double)p->cuts * ARM_PREPARE_CUT_STEPS * p->step;
}

static ArmStatus add_bridge(Preparing *p, size_t row, size_t joint) {
  if (p->n_bridges == p->bridge_room) {
    const size_t room = p->bridge_room ? 2 * p->bridge_room : 64;
    Bridge *more = malloc(room * sizeof *more);
    if (!more)
      return ARM_E_MEMORY;
    if (p->n_bridges > 0)
      memcpy(more, p->bridges, p->n_bridges * sizeof *more);
    free(p->bridges);
    p->bridges = more;
    p->bridge_room = room;
  }
  p->bridges[p->n_bridges++] = (Bridge){.row = row, .joint = joint};
  return ARM_OK;
}

/* last: the first current behind the wild ones; where that is none, they stay at the one before */
static void end_bridges(Preparing *p, double last) {
  const size_t count = p->n_bridges - p->open_bridge;
  if (!isfinite(last))
    last = p->before;
  for (size_t k = 0; k < count; k++)
    p->bridges[p->open_bridge + k].value =
        p->before + (last - p->before) * (double)(k + 1) / (double)(count + 1);
  p->open_bridge = p->n_bridges;
}

static ArmStatus note_wild(Preparing *p, const ArmWindow *window, size_t r) {
  const ArmDataset *data = &window->data;
  const bool is_wild = window->use[r] == ARM_ROW_WILD, is_open = p->n_bridges > p->open_bridge;
  if (!is_wild && is_open)
    end_bridges(p, data->current[r + p->bridges[p->open_bridge].joint * data->rows]);
  if (!is_wild)
    return ARM_OK;
  size_t joint = (size_t)data->joint[r] - 1;
  if (is_open)
    joint = p->bridges[p->open_bridge].joint;
  else
    p->before = data->current[r - 1 + joint * data->rows]; /* no stroke begins wild */
  return add_bridge(p, data->first + r, joint);
}

static ArmStatus note_row(Preparing *p, const ArmWindow *window, size_t r) {
  const bool is_first = window->data.first + r == 0;
  const double t = cut_time(p, &window->data, r), dt = t - p->last_t;
  ArmStatus status = ARM_OK;
  p->last_t = t;
  if (!is_first && dt > 0 && isfinite(dt))
    status = arm_order_push(&p->steps, dt);
  return status == ARM_OK && p->filters ? note_wild(p, window, r) : status;
}

static ArmStatus each_row(Preparing *p,
                          ArmStatus (*take)(Preparing *p, const ArmWindow *window, size_t r)) {
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < p->windows->count && status == ARM_OK; k++) {
    const ArmWindow *window;
    status = arm_windows_get(p->windows, k, &window);
    for (size_t r = window->begin; r < window->end && status == ARM_OK; r++)
      status = take(p, window, r);
  }
  return status;
}

/* The median of time steps with the cuts, and the bridges. */
static ArmStatus look(Preparing *p) {
  ArmStatus status = ARM_OK;
  bool is_known = false;
  while (!is_known && status == ARM_OK) {
    p->n_bridges = p->open_bridge = 0;
    status = each_row(p, note_row);
    is_known = arm_order_end(&p->steps);
  }
  if (p->n_bridges > p->open_bridge)
    end_bridges(p, (double)NAN);
  p->cut_step = p->steps.median;
  return status;
}

/* ---- the second: filters ---- */

static ArmStatus lowpass(const Preparing *p, const double *from, double *to) {
  ArmStatus status = ARM_OK;
  for (size_t j = 0; j < p->model->n && status == ARM_OK; j++)
    status = arm_filter_lowpass_at(p->rows, p->t, from + j * p->room, p->cut_step,
                                   p->options->lowpass_Hz, to + j * p->room);
  return status;
}

static ArmStatus differentiate(const Preparing *p, size_t j) {
  const double *qd = (p->filters ? p->smooth_qd : p->qd) + j * p->room;
  double *qdd = p->qdd + j * p->room;
  if (!p->filters)
    return arm_filter_derivative_at(p->rows, p->t, qd, p->cut_step, ARM_FILTER_HALF_WIDTH_S, NULL,
                                    qdd);
  arm_filter_difference_at(p->rows, p->t, qd, p->cut_step, p->slope);
  return arm_filter_lowpass_at(p->rows, p->t, p->slope, p->cut_step, p->options->lowpass_Hz, qdd);
}

static ArmStatus filter(const Preparing *p) {
  ArmStatus status = p->filters ? lowpass(p, p->qd, p->smooth_qd) : ARM_OK;
  if (status == ARM_OK && p->filters)
    status = lowpass(p, p->current, p->smooth_current);
  for (size_t j = 0; j < p->model->n && p->differentiates && status == ARM_OK; j++)
    status = differentiate(p, j);
  return status;
}

static ArmStatus keep(Preparing *p, size_t end) {
  const ArmRowKeeper *keeper = p->windows->source->keeper;
  const ArmDataset rows = {.n = p->model->n,
                           .rows = p->room,
                           .t = p->t,
                           .joint = p->joint,
                           .q = p->q,
                           .qd = p->filters ? p->smooth_qd : p->qd,
                           .qdd = p->qdd,
                           .current = p->filters ? p->smooth_current : p->current};
  for (size_t j = 0; j < p->model->n; j++)
    for (size_t r = p->done; r < end; r++)
      p->fastest[j] = fmax(p->fastest[j],
                           isnan(rows.qd[r + j * p->room]) ? 0.0 : fabs(rows.qd[r + j * p->room]));
  return keeper->put(keeper->user, &rows, p->done, end);
}

/* The last `rows` rows of the buffer are now its first ones. */
static void carry(Preparing *p, size_t rows) {
  const size_t from = p->rows - rows, n = p->model->n;
  double *const columns[] = {p->q, p->qd, p->current, p->has_qdd ? p->qdd : NULL};
  memmove(p->t, p->t + from, rows * sizeof *p->t);
  memmove(p->joint, p->joint + from, rows * sizeof *p->joint);
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
    for (size_t j = 0; columns[c] && j < n; j++)
      memmove(columns[c] + j * p->room, columns[c] + j * p->room + from, rows * sizeof(double));
  p->rows = rows;
}

static ArmStatus flush(Preparing *p, bool is_end) {
  ArmStatus status = p->rows > 0 ? filter(p) : ARM_OK;
  if (status == ARM_OK && p->rows > 0)
    status = keep(p, is_end ? p->rows : p->rows - p->overlap);
  carry(p, is_end ? 0 : 2 * p->overlap);
  p->done = is_end ? 0 : p->overlap;
  return status;
}

static void copy_row(Preparing *p, const ArmDataset *data, size_t r, double t) {
  const size_t row = p->rows++;
  p->t[row] = t;
  p->joint[row] = data->joint[r];
  for (size_t j = 0; j < data->n; j++) {
    const size_t at = r + j * data->rows, to = row + j * p->room;
    p->q[to] = data->q[at];
    p->qd[to] = data->qd[at];
    p->current[to] = data->current[at];
    if (p->has_qdd)
      p->qdd[to] = data->qdd[at];
  }
  const Bridge *bridge = p->next < p->n_bridges ? &p->bridges[p->next] : NULL;
  if (bridge && bridge->row == data->first + r) {
    p->current[row + bridge->joint * p->room] = bridge->value;
    p->next++;
  }
}

static ArmStatus take_row(Preparing *p, const ArmWindow *window, size_t r) {
  const double t[2] = {p->last_t, cut_time(p, &window->data, r)};
  const bool goes_on = window->data.first + r > 0 && arm_filter_is_continued(t, 1, p->cut_step);
  ArmStatus status = ARM_OK;
  p->last_t = t[1];
  if (!goes_on)
    status = flush(p, true);
  else if (p->rows == p->room)
    status = flush(p, false);
  if (status == ARM_OK)
    copy_row(p, &window->data, r, t[1]);
  return status;
}

/* ---- all of it ---- */

/* Rows from which a filter reaches another one. */
static size_t overlap_of(const Preparing *p) {
  if (!(p->cut_step > 0.0))
    return 0;
  const double reach = p->filters ? MEMORY_PERIODS / (p->options->lowpass_Hz * p->cut_step)
                                  : 2.0 * ARM_FILTER_HALF_WIDTH_S / p->cut_step;
  const double rows = (p->filters && p->differentiates ? 2.0 : 1.0) * reach + 2.0;
  const size_t all = p->windows->source->rows;
  return rows < (double)all ? (size_t)rows : all;
}

static ArmStatus make_buffer(Preparing *p) {
  const size_t n = p->model->n, all = p->windows->source->rows + 1;
  p->overlap = overlap_of(p);
  p->room = 3 * p->overlap > ROOM ? 3 * p->overlap : ROOM;
  p->room = p->room < all ? p->room : all;
  double **const columns[] = {&p->q,   &p->qd,        &p->current,
                              &p->qdd, &p->smooth_qd, &p->smooth_current};
  const bool is_there[] = {true,       true,      true, p->has_qdd || p->differentiates,
                           p->filters, p->filters};
  size_t count = 2; /* t and slope */
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
    count += is_there[c] ? n : 0;
  p->block = malloc(count * p->room * sizeof *p->block);
  p->joint = malloc(p->room * sizeof *p->joint);
  if (!p->block || !p->joint)
    return ARM_E_MEMORY;
  double *at = p->block + 2 * p->room;
  p->t = p->block;
  p->slope = p->block + p->room;
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
    *columns[c] = is_there[c] ? at : NULL;
    at += is_there[c] ? n * p->room : 0;
  }
  return ARM_OK;
}

/* Whether accelerations have been measured is seen from the rows. */
static ArmStatus find_columns(Preparing *p) {
  const ArmWindow *window;
  const bool is_wanted = p->options->rows.wants_acceleration;
  const ArmStatus status = p->windows->count > 0 ? arm_windows_get(p->windows, 0, &window) : ARM_OK;
  p->has_qdd = status == ARM_OK && p->windows->count > 0 && window->data.qdd;
  p->differentiates = is_wanted && !p->has_qdd;
  return status;
}

static ArmStatus end_keeping(const Preparing *p, ArmRowSource *rows) {
  const ArmRowKeeper *keeper = p->windows->source->keeper;
  double rounding[ARM_MAX_JOINTS] = {0};
  for (size_t j = 0; j < p->model->n && p->differentiates && p->cut_step > 0.0; j++)
    rounding[j] = ARM_PREPARE_ROUNDING * p->fastest[j] / p->cut_step;
  const ArmStatus status = keeper->end(keeper->user, rounding, rows);
  rows->median_step = p->cut_step;
  return status;
}

static ArmStatus prepare(Preparing *p, ArmRowSource *rows) {
  ArmStatus status = find_columns(p);
  if (status == ARM_OK)
    status = look(p);
  if (status == ARM_OK)
    status = make_buffer(p);
  if (status == ARM_OK)
    status = each_row(p, take_row);
  if (status == ARM_OK)
    status = flush(p, true);
  return status == ARM_OK ? end_keeping(p, rows) : status;
}

ArmStatus arm_prepare_rows(const ArmModel *model, const ArmFitOptions *options, ArmWindows *windows,
                           ArmRowSource *rows) {
  Preparing p = {.model = model,
                 .options = options,
                 .windows = windows,
                 .step = windows->source->median_step,
                 .filters = options->lowpass_Hz != 0.0};
  const ArmStatus status = prepare(&p, rows);
  arm_order_clear(&p.steps);
  free(p.bridges);
  free(p.block);
  free(p.joint);
  return status;
}
