/* SPDX-License-Identifier: MIT */
/* Rows beside the sums. A stroke of steady speed is its sums. Of a swing a friction curve is no
 * polynomial of the position, and slow errors show at lags that no polynomial tells: a fit of such
 * a joint goes over its rows as they were used, in which only what parts them is left of others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/data/plateau.h"
#include "core/sweeps/sums_internal.h"

/* Chosen. A sweep's plateau is most of its way, of a sine 5 % of the speed are 6 % of it. */
#define LEAST_PLATEAU 0.25
#define MOST_PARTED   0.1 /* of rows, in strokes that go on from another one */

enum { WIDTH = 1024, ROOM = WIDTH + 2 * ARM_WINDOW_MARGIN };

size_t arm_kept_width(size_t n) {
  return ARM_KEPT_Q + 2 * n;
}

ArmStatus arm_kept_make_room(ArmReduced *sums, size_t records) {
  ArmStatus status = ARM_OK;
  sums->kept.at = arm_shelf_take(sums->shelf, records * arm_kept_width(sums->n) + 1,
                                 sizeof *sums->kept.at, &status);
  return status;
}

bool arm_sums_swings(const ArmReduced *sums, size_t joint) {
  bool varies = sums->kept.swings[joint]; /* a stroke may be of two parts, and steady in both */
  for (size_t s = 0; s < sums->count && !varies; s++) {
    varies = sums->at[s].stroke.joint == joint && !arm_sums_is_steady(&sums->at[s]);
    arm_shelf_saw(sums->shelf, sizeof *sums->at);
  }
  return varies;
}

bool arm_sums_has_rows(const ArmReduced *sums, size_t joint) {
  return sums->kept.has[joint] && sums->rows_by_use[joint][ARM_ROW_USED] > 0 &&
         arm_sums_swings(sums, joint);
}

/* ---- which ---- */

/* It begins and ends in the recording, and is no remainder of a motion: what begins or ends with
 * the recording may go on in another. */
static bool is_whole(const ArmReduced *sums, const ArmStroke *s) {
  const double slack = isnan(sums->median_step) ? 0.0 : ARM_SUMS_SAME_TIME * sums->median_step;
  return s->rows >= ARM_STROKE_LEAST_ROWS && sums->origin + s->t_first > sums->t_first + slack &&
         sums->origin + s->t_last < sums->t_last - slack;
}

/* One way of a joint, plateau or not. */
typedef struct {
  size_t joint, rows, used;
} Way;

static void end_way(Way *way, bool *swings) {
  if (way->rows >= ARM_STROKE_LEAST_ROWS && (double)way->used < LEAST_PLATEAU * (double)way->rows &&
      way->used > 0)
    swings[way->joint] = true;
  *way = (Way){0};
}

static void add_to_way(const ArmDataset *data, size_t r, bool is_used, Way *way) {
  way->joint = (size_t)data->joint[r] - 1;
  way->rows++;
  way->used += is_used;
}

/* Of a swing that was cut down to its plateau strokes look steady, and errors are as slow as ever:
 * else strokes tell it. */
ArmStatus arm_kept_find_swings(const ArmIdent *ident, ArmReduced *sums) {
  bool *swings = sums->kept.swings;
  Way way = {0};
  const ArmWindow *window;
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < ident->windows->count && status == ARM_OK; k++) {
    status = arm_windows_get(ident->windows, k, &window);
    for (size_t r = window->begin; r < window->end && status == ARM_OK; r++) {
      const ArmRowUse use = window->use[r];
      const bool is_moving = arm_row_is_of_sweep(use) || use == ARM_ROW_OFF_PLATEAU;
      if (!is_moving || way.rows == 0 ||
          !arm_row_continues_sweep(&window->data, r, ident->median_step))
        end_way(&way, swings);
      if (is_moving)
        add_to_way(&window->data, r, use == ARM_ROW_USED, &way);
    }
  }
  end_way(&way, swings);
  return status;
}

/* What is known of a joint. */
typedef struct {
  bool varies, has_whole;
  size_t rows, parted, cells; /* parted: in strokes that go on from the one before, as where a held
                                 joint jitters; cells: numbers of its triangles R */
} Seen;

/* Correlations go on over such a cut, and sums of either side do not tell them. */
static bool is_parted(const ArmReduced *sums, size_t stroke) {
  return stroke > 0 && arm_stroke_follows(&sums->at[stroke - 1].stroke, &sums->at[stroke].stroke,
                                          sums->median_step);
}

/* Rows that take no more room than a triangle are kept in any case: a few of them, as where a joint
 * settles or a recording is cut, tell nothing of how it moves, and would cost the rows of all. */
static void choose_joints(ArmReduced *sums) {
  Seen seen[ARM_MAX_JOINTS] = {{0}};
  for (size_t s = 0; s < sums->count; s++) {
    const ArmSumsStroke *at = &sums->at[s];
    Seen *of = &seen[at->stroke.joint];
    of->varies = of->varies || !arm_sums_is_steady(at);
    of->has_whole = of->has_whole || is_whole(sums, &at->stroke);
    of->rows += at->stroke.rows;
    of->parted += is_parted(sums, s) ? at->stroke.rows : 0;
    of->cells += arm_sums_length(sums->n, at->stroke.joint);
    arm_shelf_saw(sums->shelf, sizeof *at);
  }
  for (size_t j = 0; j < sums->n; j++) {
    const bool is_little = seen[j].rows * arm_kept_width(sums->n) <= seen[j].cells;
    sums->kept.swings[j] = sums->kept.swings[j] || seen[j].varies ||
                           (double)seen[j].parted > MOST_PARTED * (double)seen[j].rows;
    sums->kept.has[j] =
        seen[j].rows > 0 && (sums->kept.swings[j] || !seen[j].has_whole || is_little);
  }
}

/* ---- kept ---- */

static double *next_record(ArmReduced *sums) {
  const size_t width = arm_kept_width(sums->n);
  arm_shelf_saw(sums->shelf, width * sizeof(double));
  return sums->kept.at + sums->kept.count++ * width;
}

static void fill_record(const ArmDataset *data, size_t r, double *to) {
  const size_t own = (size_t)data->joint[r] - 1;
  const double qdd = data->qdd ? data->qdd[r + own * data->rows] : 0.0;
  to[ARM_KEPT_JOINT] = data->joint[r];
  to[ARM_KEPT_TIME] = data->t[r];
  to[ARM_KEPT_CURRENT] = data->current[r + own * data->rows];
  to[ARM_KEPT_ACCELERATION] = isfinite(qdd) ? qdd : 0.0;
  for (size_t j = 0; j < data->n; j++) {
    const double qd = data->qd[r + j * data->rows];
    to[ARM_KEPT_Q + j] = data->q[r + j * data->rows];
    to[ARM_KEPT_Q + data->n + j] = isnan(qd) ? 0.0 : qd;
  }
}

/* Counts the records, or writes them where there is room. */
static ArmStatus go_over(const ArmIdent *ident, ArmReduced *sums, size_t *records) {
  ArmRowWalk walk = arm_row_walk(ident->windows, ARM_WALK_ANY);
  size_t next = 0;
  *records = 0;
  while (arm_row_walk_next(&walk)) {
    const ArmDataset *data = &walk.window->data;
    const size_t row = data->first + walk.row;
    if (!sums->kept.has[data->joint[walk.row] - 1])
      continue;
    const bool is_parted = *records > 0 && row != next;
    next = row + 1;
    *records += is_parted ? 2 : 1;
    if (!sums->kept.at)
      continue;
    if (is_parted)
      next_record(sums);
    fill_record(data, walk.row, next_record(sums));
  }
  return walk.status;
}

ArmStatus arm_kept_take(const ArmIdent *ident, ArmReduced *sums) {
  size_t records = 0;
  choose_joints(sums);
  for (size_t j = 0; j < sums->n; j++)
    records += sums->kept.has[j] ? sums->rows_by_use[j][ARM_ROW_USED] : 0;
  if (records == 0)
    return ARM_OK;
  ArmStatus status = go_over(ident, sums, &records);
  if (status == ARM_OK)
    status = arm_kept_make_room(sums, records);
  return status == ARM_OK ? go_over(ident, sums, &records) : status;
}

void arm_kept_append(ArmReduced *sums, const ArmReduced *part, double shift, bool goes_on) {
  const size_t width = arm_kept_width(part->n);
  bool is_parted = !goes_on;
  for (size_t k = 0; k < part->kept.count; k++) {
    const double *from = part->kept.at + k * width;
    const size_t joint = (size_t)from[ARM_KEPT_JOINT];
    arm_shelf_saw(part->shelf, width * sizeof *from);
    if (joint == 0 || !sums->kept.has[joint - 1]) {
      is_parted = true;
      continue;
    }
    if (is_parted && sums->kept.count > 0)
      next_record(sums);
    is_parted = false;
    double *to = next_record(sums);
    memcpy(to, from, width * sizeof *to);
    to[ARM_KEPT_TIME] += shift;
  }
}

/* ---- read again ---- */

const ArmRowOptions arm_kept_options = {.plateau_speed_tolerance = 0.0};

typedef struct {
  const ArmReduced *sums;
  int joint[ROOM];
  double t[ROOM];
  double number[]; /* ROOM x 4 n: q, qd, qdd, current */
} KeptView;

static void show_record(const double *from, size_t n, size_t r, KeptView *view) {
  const size_t joint = (size_t)from[ARM_KEPT_JOINT];
  double *q = view->number, *qd = q + n * ROOM, *qdd = qd + n * ROOM, *current = qdd + n * ROOM;
  view->joint[r] = (int)joint;
  view->t[r] = from[ARM_KEPT_TIME];
  for (size_t j = 0; j < n; j++) {
    q[r + j * ROOM] = from[ARM_KEPT_Q + j];
    qd[r + j * ROOM] = from[ARM_KEPT_Q + n + j];
    qdd[r + j * ROOM] = j + 1 == joint ? from[ARM_KEPT_ACCELERATION] : 0.0;
    current[r + j * ROOM] = j + 1 == joint ? from[ARM_KEPT_CURRENT] : 0.0;
  }
}

static ArmStatus read_kept(void *user, size_t k, ArmDataset *data) {
  KeptView *view = user;
  const ArmReduced *sums = view->sums;
  const size_t n = sums->n, width = arm_kept_width(n);
  const size_t from = k * WIDTH - (k > 0 ? ARM_WINDOW_MARGIN : 0);
  const size_t left = sums->kept.count - from, rows = left < ROOM ? left : ROOM;
  memset(view->joint, 0, sizeof view->joint);
  for (size_t r = 0; r < rows; r++) {
    show_record(sums->kept.at + (from + r) * width, n, r, view);
    arm_shelf_saw(sums->shelf, width * sizeof(double));
  }
  *data = (ArmDataset){.n = n,
                       .rows = ROOM,
                       .first = from,
                       .t = view->t,
                       .joint = view->joint,
                       .q = view->number,
                       .qd = view->number + n * ROOM,
                       .qdd = view->number + 2 * n * ROOM,
                       .current = view->number + 3 * n * ROOM};
  memcpy(data->is_torque, sums->is_torque, sizeof data->is_torque);
  return ARM_OK;
}

ArmStatus arm_kept_open(const ArmReduced *sums, ArmRowSource *source) {
  KeptView *view = calloc(1, sizeof *view + 4 * sums->n * ROOM * sizeof *view->number);
  if (!view)
    return ARM_E_MEMORY;
  view->sums = sums;
  *source = (ArmRowSource){.n = sums->n,
                           .rows = sums->kept.count,
                           .width = WIDTH,
                           .median_step = sums->median_step,
                           .read = read_kept,
                           .user = view};
  memcpy(source->is_torque, sums->is_torque, sizeof source->is_torque);
  return ARM_OK;
}

void arm_kept_close(ArmRowSource *source) {
  free(source->user);
  *source = (ArmRowSource){0};
}
