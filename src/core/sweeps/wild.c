/* SPDX-License-Identifier: MIT */
/* Positions first, then two looks at each stroke: one sample against its two neighbours, and a few
 * rows against the median around them. The scale is the joint's, not the stroke's, so that no
 * stroke is its own yardstick. The limits are measured ones: DESIGN, decision on brief disturbances. */
#include "core/sweeps/wild.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/num/filter.h"

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

/* What is needed of one joint. */
typedef struct {
  const ArmDataset *data;
  const double *y; /* its current */
  size_t joint, brief;
  double step, limit;
  ArmRowUse *use;
  ArmWild *wild;
  size_t strokes, bursts; /* seen so far */
} Joint;

static bool is_used(const Joint *j, size_t r) {
  return j->use[r] == ARM_ROW_USED && j->data->joint[r] == (int)j->joint + 1;
}

/* Row r > 0 goes on with the stroke of the row before. */
static bool continues(const Joint *j, size_t r) {
  const double *qd = j->data->qd + j->joint * j->data->rows;
  return is_used(j, r - 1) && is_used(j, r) && qd[r - 1] * qd[r] > 0.0 &&
         arm_filter_is_continued(j->data->t, r, j->step);
}

static bool has_neighbours(const Joint *j, size_t r) {
  return r > 0 && r + 1 < j->data->rows && continues(j, r) && continues(j, r + 1);
}

static double deviation(const double *y, size_t r) {
  return y[r] - 0.5 * (y[r - 1] + y[r + 1]);
}

/* Beyond which a sample of the joint is wild; INFINITY with too few of them. */
static double limit_of(const Joint *j, double *scratch) {
  size_t count = 0, all = 0;
  for (size_t r = 0; r < j->data->rows; r++)
    if (has_neighbours(j, r))
      scratch[count++] = fabs(deviation(j->y, r));
  if (count < LEAST)
    return (double)INFINITY;
  const double sd = MAD_SD * arm_filter_median(scratch, count);
  for (size_t r = 0; r < j->data->rows; r++)
    if (is_used(j, r))
      scratch[all++] = fabs(j->y[r]);
  return fmax(FAR_SD * sd, FAR_PART * arm_filter_median(scratch, all));
}

static void note(ArmWildFar *far, size_t r, double t, double found, double expected) {
  const size_t count = far->count + 1;
  if (count == 1 || fabs(found - expected) > fabs(far->found - far->expected))
    *far = (ArmWildFar){.row = r, .t = t, .found = found, .expected = expected};
  far->count = count;
}

static void take(Joint *j, size_t r, double expected) {
  j->use[r] = ARM_ROW_WILD;
  note(&j->wild->current, r, j->data->t[r], j->y[r], expected);
}

static void mark_singles(Joint *j) {
  for (size_t r = 0; r < j->data->rows; r++) {
    if (!has_neighbours(j, r))
      continue;
    const double off = deviation(j->y, r);
    if (fabs(off) > j->limit && fabs(j->y[r + 1] - j->y[r - 1]) <= AGREE_PART * fabs(off))
      take(j, r, j->y[r] - off);
  }
}

/* ---- what is brief ---- */

/* Median current around row r of the stroke [first, end); NAN where the current is nearly that of
 * a moment ago and of a moment later, as of almost all rows: cheap. */
static double level_at(const Joint *j, size_t first, size_t end, size_t r) {
  const double *y = j->y, near = 0.5 * j->limit;
  const size_t b = j->brief;
  const bool leaves = r >= first + b && fabs(y[r] - y[r - b]) > near;
  const bool returns = r + b < end && fabs(y[r] - y[r + b]) > near;
  if (!leaves && !returns)
    return (double)NAN;
  const size_t from = r > first + 3 * b ? r - 3 * b : first, to = r + 3 * b < end ? r + 3 * b : end;
  const size_t stride = (to - from) / WINDOW + 1;
  double around[WINDOW + 1];
  size_t count = 0;
  for (size_t k = from; k < to; k += stride)
    around[count++] = y[k];
  return arm_filter_median(around, count);
}

/* The last row of what begins at row r; one sample of it may cross the level. */
static size_t last_of_burst(const double *level, size_t end, size_t r) {
  size_t last = r;
  for (size_t k = r + 1; k < end && k <= last + 2; k++)
    last = isnan(level[k]) ? last : k;
  return last;
}

/* Rows [first, end): level stays where a row belongs to something brief, else becomes NAN; single
 * ones are another matter. At the first row the current may still be that of the direction before.
 */
static void judge_stroke(Joint *j, size_t first, size_t end, double *level) {
  j->strokes++;
  for (size_t r = first; r < end; r++) {
    level[r] = end - first > 4 * j->brief ? level_at(j, first, end, r) : (double)NAN;
    if (!(fabs(j->y[r] - level[r]) > j->limit))
      level[r] = (double)NAN;
  }
  for (size_t r = first, last; r < end; r = last + 1) {
    last = r;
    if (isnan(level[r]))
      continue;
    last = last_of_burst(level, end, r);
    const bool is_brief = r > first && last > r && j->data->t[last] - j->data->t[r] <= BRIEF_S;
    j->bursts += is_brief;
    for (size_t k = r; !is_brief && k <= last; k++)
      level[k] = (double)NAN;
  }
}

/*   level  rows, scratch */
static void mark_brief(Joint *j, double *level) {
  const size_t rows = j->data->rows;
  for (size_t r = 0; r < rows; r++)
    level[r] = (double)NAN;
  for (size_t first = 0, end; first < rows; first = end) {
    end = first + 1;
    if (!is_used(j, first))
      continue;
    while (end < rows && continues(j, end))
      end++;
    judge_stroke(j, first, end, level);
  }
  for (size_t r = 0; r < rows && (j->bursts == 1 || STROKES * j->bursts <= j->strokes); r++)
    if (!isnan(level[r]))
      take(j, r, level[r]);
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

static bool is_far(const Track *k, size_t r, double limit, double *off) {
  double way;
  *off = position_off(k, r, &way);
  return fabs(*off) > limit && fabs(*off) > FAR_WAYS * way;
}

static double position_limit(const Track *k, double *scratch) {
  size_t count = 0;
  double way;
  for (size_t r = 0; r < k->data->rows; r++) {
    const double off = position_off(k, r, &way);
    if (!isnan(off))
      scratch[count++] = fabs(off);
  }
  const double sd = MAD_SD * (count > 0 ? arm_filter_median(scratch, count) : 0.0);
  return fmax(FAR_POSITION, FAR_SD * sd);
}

/* The noise of positions is asked for only where one is far: hardly ever. */
static void mark_positions(const ArmDataset *data, double step, size_t joint, double *scratch,
                           ArmRowUse *use, ArmWildFar *far) {
  const Track k = {.data = data, .q = data->q + joint * data->rows, .joint = joint, .step = step};
  double limit = (double)NAN, off;
  for (size_t r = 0; r < data->rows; r++) {
    if (use[r] != ARM_ROW_USED || !is_far(&k, r, FAR_POSITION, &off))
      continue;
    limit = isnan(limit) ? position_limit(&k, scratch) : limit;
    if (fabs(off) <= limit)
      continue;
    use[r] = ARM_ROW_WILD_POSITION;
    note(far, r, data->t[r], k.q[r], k.q[r] - off);
  }
}

/* ---- all ---- */

static void mark_joint(const ArmDataset *data, double step, bool takes_brief, size_t joint,
                       double *scratch, ArmRowUse *use, ArmWild *wild) {
  Joint j = {.data = data,
             .y = data->current + joint * data->rows,
             .joint = joint,
             .brief = (size_t)(BRIEF_S / step),
             .step = step,
             .use = use,
             .wild = wild};
  j.limit = limit_of(&j, scratch);
  if (!isfinite(j.limit))
    return;
  if (takes_brief && j.brief >= 2)
    mark_brief(&j, scratch);
  mark_singles(&j);
}

ArmStatus arm_wild_mark(const ArmDataset *data, double median_step, bool takes_brief,
                        ArmRowUse *use, ArmWild *wild) {
  double *scratch = malloc((data->rows + 1) * sizeof *scratch);
  if (!scratch)
    return ARM_E_MEMORY;
  memset(wild, 0, data->n * sizeof *wild);
  for (size_t joint = 0; joint < data->n && median_step > 0.0; joint++)
    mark_positions(data, median_step, joint, scratch, use, &wild[joint].position);
  for (size_t joint = 0; joint < data->n && median_step > 0.0; joint++)
    mark_joint(data, median_step, takes_brief, joint, scratch, use, &wild[joint]);
  free(scratch);
  return ARM_OK;
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
