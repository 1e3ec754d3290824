/* SPDX-License-Identifier: MIT */
/* Positions first, then two looks at each stroke: one sample against its two neighbours, and a few
 * rows against the median around them. The scale is the joint's, not the stroke's, so that no
 * stroke is its own yardstick. The limits are measured: DESIGN, decision on brief disturbances. */
#include "core/sweeps/wild.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"
#include "core/num/order.h"

/* Limits far above what friction and gravity do from one sample to the next: DESIGN, brief
 * disturbances (the brake of a UR10e is nine samples, 20 A off). LEAST, WINDOW: chosen; a median of
 * 20 is good to 30 %, of what is 20 sds away. */
#define MAD_SD       1.4826 /* sd of normal noise over its median deviation */
#define FAR_SD       20.0
#define FAR_PART     0.5  /* of the joint's median |current| */
#define AGREE_PART   0.25 /* neighbours, of the deviation */
#define BRIEF_S      0.15
/* Of positions; chosen: a joint that turns at once is off by half of the way around it. */
#define FAR_POSITION 0.02 /* rad, m: as what ends a stroke */
#define FAR_WAYS     4.0
enum {
  LEAST = 20,   /* triples that a scale needs */
  WINDOW = 60,  /* currents that a median is taken of, at most */
  STROKES = 20, /* one of them may be disturbed */
};

/* What is known of one joint. */
typedef struct {
  ArmOrder deviation, level, position;
  bool knows_deviation, knows_level;
  bool is_off; /* some position is far off, and that may be noise: */
  double position_limit;
  double limit;           /* beyond which a sample is wild; INFINITY with too few of them */
  size_t strokes, bursts; /* seen so far */
} Joint;

/* A row that may belong to something brief. */
typedef struct {
  size_t row, joint;
  double t, found, expected;
} Brief;

typedef struct {
  ArmWindows *windows;
  size_t n, brief;
  double step;
  ArmWild *wild;
  Joint joint[ARM_MAX_JOINTS];
  double *t, *y, *level; /* owned with t: the open stroke, and what its rows should be */
  size_t rows, room, first, of;
  Brief *found; /* owned */
  size_t n_found, found_room;
  bool has_single; /* some row is far from both neighbours */
} Search;

/* ---- rows and their neighbours ---- */

static size_t joint_of(const ArmWindow *window, size_t r) {
  return (size_t)window->data.joint[r] - 1;
}

/* Row r > 0 goes on with the stroke of the row before. */
static bool continues(const Search *s, const ArmWindow *window, size_t r) {
  const ArmDataset *data = &window->data;
  if (window->use[r - 1] != ARM_ROW_USED || window->use[r] != ARM_ROW_USED ||
      data->joint[r - 1] != data->joint[r])
    return false;
  const double *qd = data->qd + joint_of(window, r) * data->rows;
  return qd[r - 1] * qd[r] > 0.0 && arm_filter_is_continued(data->t, r, s->step);
}

static bool has_neighbours(const Search *s, const ArmWindow *window, size_t r) {
  return r > 0 && r + 1 < window->data.rows && continues(s, window, r) &&
         continues(s, window, r + 1);
}

static const double *current_of(const ArmWindow *window, size_t r) {
  return window->data.current + joint_of(window, r) * window->data.rows;
}

static double deviation(const double *y, size_t r) {
  return y[r] - 0.5 * (y[r - 1] + y[r + 1]);
}

/* ---- limits ---- */

static ArmStatus show_row(Search *s, const ArmWindow *window, size_t r) {
  Joint *j = &s->joint[joint_of(window, r)];
  const double *y = current_of(window, r);
  ArmStatus status = j->knows_level ? ARM_OK : arm_order_push(&j->level, fabs(y[r]));
  if (status == ARM_OK && !j->knows_deviation && has_neighbours(s, window, r))
    status = arm_order_push(&j->deviation, fabs(deviation(y, r)));
  return status;
}

/* Whether all medians are known. */
static bool end_round(Search *s) {
  bool is_known = true;
  for (size_t i = 0; i < s->n; i++) {
    Joint *j = &s->joint[i];
    j->knows_level = j->knows_level || arm_order_end(&j->level);
    j->knows_deviation = j->knows_deviation || arm_order_end(&j->deviation);
    is_known = is_known && j->knows_level && j->knows_deviation;
  }
  return is_known;
}

static ArmStatus find_limits(Search *s) {
  ArmStatus status = ARM_OK;
  bool is_known = false;
  while (status == ARM_OK && !is_known) {
    ArmRowWalk walk = arm_row_walk(s->windows, ARM_WALK_ANY);
    while (status == ARM_OK && arm_row_walk_next(&walk))
      status = show_row(s, walk.window, walk.row);
    status = status == ARM_OK ? walk.status : status;
    is_known = end_round(s);
  }
  for (size_t i = 0; i < s->n; i++) {
    Joint *j = &s->joint[i];
    j->limit = j->deviation.count < LEAST
                   ? (double)INFINITY
                   : fmax(FAR_SD * (MAD_SD * j->deviation.median), FAR_PART * j->level.median);
  }
  return status;
}

/* ---- positions ---- */

typedef struct {
  const ArmDataset *data;
  const double *q;
  size_t joint;
  double step;
} Track;

/* Row r follows the row before within a sweep; a position is continuous whatever else a row is. */
static bool is_linked(const Track *k, size_t r) {
  return r > 0 && r < k->data->rows && k->data->joint[r] == k->data->joint[r - 1] &&
         isfinite(k->q[r - 1]) && isfinite(k->q[r]) &&
         arm_filter_is_continued(k->data->t, r, k->step);
}

/* How far row r is from where those around it say that it is, and the most they are apart. At the
 * end of a sweep only of the joint that moves: held ones may be put elsewhere there. NAN: nobody
 * says. */
static double position_off(const Track *k, size_t r, double *way) {
  const double *q = k->q;
  const bool moves = k->data->joint[r] == (int)k->joint + 1;
  const bool before = is_linked(k, r), after = is_linked(k, r + 1);
  const bool from = before && is_linked(k, r - 1), on = after && is_linked(k, r + 2);
  *way = fmax(from ? fabs(q[r - 1] - q[r - 2]) : 0.0, on ? fabs(q[r + 2] - q[r + 1]) : 0.0);
  if (before && after) {
    *way = fmax(*way, fabs(q[r + 1] - q[r - 1]));
    return q[r] - 0.5 * (q[r - 1] + q[r + 1]);
  }
  *way = fmax(*way, fabs(k->data->qd[r + k->joint * k->data->rows]) * k->step);
  return !moves ? (double)NAN
         : on   ? q[r] - (2.0 * q[r + 1] - q[r + 2])
         : from ? q[r] - (2.0 * q[r - 1] - q[r - 2])
                : (double)NAN;
}

/* beyond a limit and the ways around it */
static bool is_off(const Track *k, size_t r, double limit, double *off) {
  double way;
  *off = position_off(k, r, &way);
  return fabs(*off) > limit && fabs(*off) > FAR_WAYS * way;
}

static Track track_of(const Search *s, const ArmWindow *window, size_t joint) {
  const ArmDataset *data = &window->data;
  return (Track){.data = data, .q = data->q + joint * data->rows, .joint = joint, .step = s->step};
}

/* Which joints have positions that are far off: hardly ever any. */
static ArmStatus look_at_positions(Search *s, bool *is_any) {
  ArmRowWalk walk = arm_row_walk(s->windows, ARM_WALK_ANY);
  double off;
  *is_any = false;
  while (arm_row_walk_next(&walk))
    for (size_t i = 0; i < s->n; i++) {
      const Track k = track_of(s, walk.window, i);
      if (s->joint[i].is_off || !is_off(&k, walk.row, FAR_POSITION, &off))
        continue;
      s->joint[i].is_off = *is_any = true;
    }
  return walk.status;
}

/* One round for all rows, used or not. */
static ArmStatus show_positions(Search *s, const bool *is_asked) {
  ArmStatus status = ARM_OK;
  double way;
  for (size_t w = 0; w < s->windows->count && status == ARM_OK; w++) {
    const ArmWindow *window;
    status = arm_windows_get(s->windows, w, &window);
    for (size_t i = 0; i < s->n && status == ARM_OK; i++) {
      const Track k = track_of(s, window, i);
      for (size_t r = window->begin; is_asked[i] && r < window->end && status == ARM_OK; r++) {
        const double off = position_off(&k, r, &way);
        status = isnan(off) ? ARM_OK : arm_order_push(&s->joint[i].position, fabs(off));
      }
    }
  }
  return status;
}

static ArmStatus limit_positions(Search *s) {
  bool is_asked[ARM_MAX_JOINTS] = {false}, is_known = false;
  ArmStatus status = ARM_OK;
  for (size_t i = 0; i < s->n; i++)
    is_asked[i] = s->joint[i].is_off;
  while (!is_known && status == ARM_OK) {
    status = show_positions(s, is_asked);
    is_known = true;
    for (size_t i = 0; i < s->n; i++) {
      is_asked[i] = is_asked[i] && !arm_order_end(&s->joint[i].position);
      is_known = is_known && !is_asked[i];
    }
  }
  for (size_t i = 0; i < s->n; i++) {
    const ArmOrder *order = &s->joint[i].position;
    s->joint[i].position_limit =
        fmax(FAR_POSITION, FAR_SD * (MAD_SD * (order->count > 0 ? order->median : 0.0)));
  }
  return status;
}

static void note(ArmWildFar *far, size_t r, double t, double found, double expected) {
  const size_t count = far->count + 1;
  if (count == 1 || fabs(found - expected) > fabs(far->found - far->expected))
    *far = (ArmWildFar){.row = r, .t = t, .found = found, .expected = expected};
  far->count = count;
}

static ArmStatus mark_positions(Search *s) {
  ArmRowWalk walk = arm_row_walk(s->windows, ARM_WALK_ANY);
  ArmStatus status = ARM_OK;
  double off;
  while (status == ARM_OK && arm_row_walk_next(&walk))
    for (size_t i = 0; i < s->n; i++) {
      const ArmDataset *data = &walk.window->data;
      const Track k = track_of(s, walk.window, i);
      if (!s->joint[i].is_off || !is_off(&k, walk.row, s->joint[i].position_limit, &off))
        continue;
      const size_t row = data->first + walk.row;
      note(&s->wild[i].position, row, data->t[walk.row], k.q[walk.row], k.q[walk.row] - off);
      status = arm_windows_mark(s->windows, ARM_WILD_POSITIONS, row);
      break; /* it is no longer used */
    }
  return status == ARM_OK ? walk.status : status;
}

static ArmStatus find_positions(Search *s) {
  bool is_any;
  ArmStatus status = look_at_positions(s, &is_any);
  if (status == ARM_OK && is_any)
    status = limit_positions(s);
  return status == ARM_OK && is_any ? mark_positions(s) : status;
}

/* ---- what is brief ---- */

/* Median current around row r of the stroke; NAN where the current is nearly that of a moment ago
 * and of a moment later, as of almost all rows: cheap. */
static double level_at(const Search *s, size_t r) {
  const double *y = s->y, near = 0.5 * s->joint[s->of].limit;
  const size_t b = s->brief, end = s->rows;
  const bool leaves = r >= b && fabs(y[r] - y[r - b]) > near;
  const bool returns = r + b < end && fabs(y[r] - y[r + b]) > near;
  if (!leaves && !returns)
    return (double)NAN;
  const size_t from = r > 3 * b ? r - 3 * b : 0, to = r + 3 * b < end ? r + 3 * b : end;
  const size_t stride = (to - from) / WINDOW + 1;
  double around[WINDOW + 1];
  size_t count = 0;
  for (size_t k = from; k < to; k += stride)
    around[count++] = y[k];
  return arm_filter_median(around, count);
}

/* The last row of what begins at row r; one sample of it may cross the level. */
static size_t last_of_burst(const Search *s, size_t r) {
  size_t last = r;
  for (size_t k = r + 1; k < s->rows && k <= last + 2; k++)
    last = isnan(s->level[k]) ? last : k;
  return last;
}

static ArmStatus keep(Search *s, size_t r) {
  if (s->n_found == s->found_room) {
    const size_t room = s->found_room ? 2 * s->found_room : 64;
    Brief *more = malloc(room * sizeof *more);
    if (!more)
      return ARM_E_MEMORY;
    if (s->n_found > 0)
      memcpy(more, s->found, s->n_found * sizeof *more);
    free(s->found);
    s->found = more;
    s->found_room = room;
  }
  s->found[s->n_found++] = (Brief){s->first + r, s->of, s->t[r], s->y[r], s->level[r]};
  return ARM_OK;
}

/* Keeps the rows of the stroke that belong to something brief; single ones are another matter. At
 * the first row the current may still be that of the direction before. */
static ArmStatus judge_stroke(Search *s) {
  Joint *j = &s->joint[s->of];
  ArmStatus status = ARM_OK;
  j->strokes += s->rows > 0;
  for (size_t r = 0; r < s->rows; r++) {
    s->level[r] = s->rows > 4 * s->brief ? level_at(s, r) : (double)NAN;
    if (!(fabs(s->y[r] - s->level[r]) > j->limit))
      s->level[r] = (double)NAN;
  }
  for (size_t r = 0, last; r < s->rows && status == ARM_OK; r = last + 1) {
    last = r;
    if (isnan(s->level[r]))
      continue;
    last = last_of_burst(s, r);
    const bool is_brief = r > 0 && last > r && s->t[last] - s->t[r] <= BRIEF_S;
    j->bursts += is_brief;
    for (size_t k = r; is_brief && k <= last && status == ARM_OK; k++)
      status = isnan(s->level[k]) ? ARM_OK : keep(s, k);
  }
  s->rows = 0;
  return status;
}

static ArmStatus add_to_stroke(Search *s, const ArmWindow *window, size_t r) {
  if (s->rows == s->room) {
    const size_t room = s->room ? 2 * s->room : 1024;
    double *more = malloc(3 * room * sizeof *more);
    if (!more)
      return ARM_E_MEMORY;
    if (s->rows > 0) {
      memcpy(more, s->t, s->rows * sizeof *more);
      memcpy(more + room, s->y, s->rows * sizeof *more);
    }
    free(s->t);
    s->t = more;
    s->y = more + room;
    s->level = more + 2 * room;
    s->room = room;
  }
  if (s->rows == 0) {
    s->first = window->data.first + r;
    s->of = joint_of(window, r);
  }
  s->t[s->rows] = window->data.t[r];
  s->y[s->rows++] = current_of(window, r)[r];
  return ARM_OK;
}

static bool is_far(const Search *s, const ArmWindow *window, size_t r) {
  if (!has_neighbours(s, window, r))
    return false;
  const double *y = current_of(window, r), off = deviation(y, r);
  return fabs(off) > s->joint[joint_of(window, r)].limit &&
         fabs(y[r + 1] - y[r - 1]) <= AGREE_PART * fabs(off);
}

/* Strokes are gone through one by one, and rows looked at for being far from their neighbours. */
static ArmStatus look(Search *s, bool takes_brief) {
  ArmRowWalk walk = arm_row_walk(s->windows, ARM_WALK_ANY);
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && arm_row_walk_next(&walk)) {
    const ArmWindow *window = walk.window;
    if (walk.row == 0 || !continues(s, window, walk.row))
      status = judge_stroke(s);
    s->has_single = s->has_single || is_far(s, window, walk.row);
    if (status == ARM_OK && takes_brief && isfinite(s->joint[joint_of(window, walk.row)].limit))
      status = add_to_stroke(s, window, walk.row);
  }
  if (status == ARM_OK)
    status = walk.status;
  return status == ARM_OK ? judge_stroke(s) : status;
}

/* ---- all ---- */

static ArmStatus take(Search *s, ArmWildList list, const Brief *sample) {
  note(&s->wild[sample->joint].current, sample->row, sample->t, sample->found, sample->expected);
  return arm_windows_mark(s->windows, list, sample->row);
}

static ArmStatus take_brief(Search *s) {
  ArmStatus status = ARM_OK;
  for (size_t k = 0; k < s->n_found && status == ARM_OK; k++) {
    const Joint *j = &s->joint[s->found[k].joint];
    if (j->bursts == 1 || STROKES * j->bursts <= j->strokes)
      status = take(s, ARM_WILD_BRIEF, &s->found[k]);
  }
  return status;
}

static ArmStatus take_singles(Search *s) {
  ArmRowWalk walk = arm_row_walk(s->windows, ARM_WALK_ANY);
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && arm_row_walk_next(&walk)) {
    const size_t r = walk.row;
    if (!is_far(s, walk.window, r))
      continue;
    const double *y = current_of(walk.window, r);
    const Brief sample = {walk.window->data.first + r, joint_of(walk.window, r),
                          walk.window->data.t[r], y[r], y[r] - deviation(y, r)};
    status = take(s, ARM_WILD_SINGLE, &sample);
  }
  return status == ARM_OK ? walk.status : status;
}

static void search_clear(Search *s) {
  for (size_t i = 0; i < s->n; i++) {
    arm_order_clear(&s->joint[i].deviation);
    arm_order_clear(&s->joint[i].level);
    arm_order_clear(&s->joint[i].position);
  }
  free(s->t);
  free(s->found);
}

ArmStatus arm_wild_find(ArmWindows *windows, size_t n, double median_step, bool takes_brief,
                        ArmWild *wild) {
  memset(wild, 0, n * sizeof *wild);
  if (!(median_step > 0.0))
    return ARM_OK;
  Search *s = calloc(1, sizeof *s);
  if (!s)
    return ARM_E_MEMORY;
  *s = (Search){.windows = windows,
                .n = n,
                .brief = (size_t)(BRIEF_S / median_step),
                .step = median_step,
                .wild = wild};
  ArmStatus status = find_positions(s);
  if (status == ARM_OK)
    status = find_limits(s);
  if (status == ARM_OK)
    status = look(s, takes_brief && s->brief >= 2);
  if (status == ARM_OK)
    status = take_brief(s);
  if (status == ARM_OK && s->has_single)
    status = take_singles(s);
  search_clear(s);
  free(s);
  return status;
}

ArmStatus arm_wild_mark(const ArmDataset *data, double median_step, bool takes_brief,
                        ArmRowUse *use, ArmWild *wild) {
  ArmWindows windows;
  arm_windows_whole(&windows, data, use);
  const ArmStatus status = arm_wild_find(&windows, data->n, median_step, takes_brief, wild);
  arm_windows_clear(&windows);
  return status;
}

ArmStatus arm_wild_select(const ArmModel *model, const ArmDataset *data,
                          const ArmRowOptions *options, ArmRowUse *use, ArmWild *wild) {
  ArmWild worst[ARM_MAX_JOINTS];
  double step;
  ArmStatus status = arm_dataset_select(model, data, options, use);
  if (status == ARM_OK)
    status = arm_filter_median_step(data->rows, data->t, &step);
  if (status == ARM_OK)
    status = arm_wild_mark(data, step, !options->wants_acceleration, use, wild ? wild : worst);
  return status;
}
