/* SPDX-License-Identifier: MIT */
/* Dynamic programming over the ways of passing each point: the cost of a step is the least time of
 * its segment, by the exact times of core/excite/segment.h. */
#include "core/excite/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways of passing a point: its direction, and where the loose joint is. */
enum { DIRECTIONS = 2, PLACES = 3, MOST_STATES = DIRECTIONS * PLACES };

typedef struct {
  const ArmModel *model;
  const ArmPoints *given;
  bool is_at_rest;
  size_t n, points, states;
  size_t loose; /* the joint whose position counts nowhere; n = none */
  double shift; /* from one of its places to the next */
  double *cost; /* points x MOST_STATES */
  size_t *from; /* likewise: the state before, on the fastest way there */
} Search;

/* ---- places ---- */

/* Its places are as far from each other as it takes to brake, if there is room: of half, one, two
 * and three times that this is the fastest (PUMA 560, r = 30: 23, 22, 24, 29 s). */
static void find_loose(Search *s) {
  const ArmPoints *given = s->given;
  s->loose = s->n;
  for (size_t j = s->n; j-- > 0;) {
    const double *q = given->q + j * given->points, *qd = given->qd + j * given->points;
    const ArmLimits *limits = &s->model->joints[j].limits;
    double most = 0, room = (double)INFINITY;
    for (size_t k = 0; k < given->points; k++)
      most = fmax(most, fabs(qd[k]));
    const double brake = 0.75 * most * most / limits->accel_max;
    for (size_t k = 0; k < given->points; k++)
      room = fmin(room, fmin(q[k] - limits->q_min, limits->q_max - q[k]) - brake);
    if (!given->is_loose[j] || !(most > 0 && room > 0))
      continue;
    s->loose = j;
    s->shift = fmin(room, brake);
  }
  s->states = s->loose < s->n ? MOST_STATES : DIRECTIONS;
}

/* A joint at point k in a state; the first and the last are at rest where there are rest ends. */
static void put(const Search *s, size_t k, size_t state, size_t j, double *q, double *qd) {
  const size_t last = s->points - 1;
  const bool is_rest = s->is_at_rest && (k == 0 || k == last);
  size_t at = s->is_at_rest ? k - 1 : k;
  if (is_rest)
    at = k == 0 ? 0 : s->given->points - 1;
  *q = s->given->q[j * s->given->points + at];
  *qd = (state % DIRECTIONS ? -1 : 1) * s->given->qd[j * s->given->points + at];
  const size_t place = state / DIRECTIONS;
  if (j == s->loose)
    *q += ((double)place - 1) * s->shift;
  if (!is_rest)
    return;
  const double brake = 0.75 * *qd * fabs(*qd) / s->model->joints[j].limits.accel_max;
  *q += k == 0 ? -brake : brake;
  *qd = 0;
}

/* ---- steps ---- */

/* The segment from point k in state a to the next in state b. */
static ArmStatus step(const Search *s, size_t k, size_t a, size_t b, ArmSegment *segments,
                      double *time, bool *is_composite) {
  ArmSegmentTimes times[ARM_MAX_JOINTS];
  ArmStatus status = ARM_OK;
  for (size_t j = 0; j < s->n && status == ARM_OK; j++) {
    const ArmLimits *limits = &s->model->joints[j].limits;
    ArmSegment *segment = &segments[j];
    *segment = (ArmSegment){.q_min = limits->q_min,
                            .q_max = limits->q_max,
                            .speed = limits->speed_max,
                            .accel = limits->accel_max};
    put(s, k, a, j, &segment->q_from, &segment->qd_from);
    put(s, k + 1, b, j, &segment->q_to, &segment->qd_to);
    status = arm_segment_times(segment, &times[j]);
  }
  return status == ARM_OK ? arm_segment_time(s->n, segments, times, time, is_composite) : status;
}

/* From rest and to rest the way is that of the point itself. */
static bool may_step(const Search *s, size_t k, size_t a, size_t b) {
  const bool is_end = s->is_at_rest && (k == 0 || k + 2 == s->points);
  return !is_end || a == b;
}

static ArmStatus search(Search *s) {
  ArmSegment segments[ARM_MAX_JOINTS];
  bool is_composite[ARM_MAX_JOINTS];
  for (size_t b = 0; b < s->states; b++)
    s->cost[b] = 0;
  for (size_t k = 0; k + 1 < s->points; k++)
    for (size_t b = 0; b < s->states; b++) {
      double *cost = &s->cost[(k + 1) * MOST_STATES + b], time;
      *cost = (double)INFINITY;
      for (size_t a = 0; a < s->states; a++) {
        if (!may_step(s, k, a, b) || isinf(s->cost[k * MOST_STATES + a]))
          continue;
        const ArmStatus status = step(s, k, a, b, segments, &time, is_composite);
        if (status != ARM_OK && status != ARM_E_INFEASIBLE)
          return status;
        if (status != ARM_OK || s->cost[k * MOST_STATES + a] + time >= *cost)
          continue;
        *cost = s->cost[k * MOST_STATES + a] + time;
        s->from[(k + 1) * MOST_STATES + b] = a;
      }
    }
  return ARM_OK;
}

/* Writes down the fastest way, from its end. */
static ArmStatus walk_back(const Search *s, ArmSequence *sequence) {
  const double *end = s->cost + (s->points - 1) * MOST_STATES;
  size_t b = 0;
  for (size_t state = 1; state < s->states; state++)
    b = end[state] < end[b] ? state : b;
  if (isinf(end[b]))
    return ARM_E_INFEASIBLE;
  for (size_t k = s->points - 1; k > 0; k--) {
    const size_t a = s->from[k * MOST_STATES + b], at = (k - 1) * s->n;
    const ArmStatus status = step(s, k - 1, a, b, sequence->segment + at, &sequence->time[k],
                                  sequence->is_composite + at);
    if (status != ARM_OK)
      return status;
    b = a;
  }
  sequence->time[0] = 0;
  for (size_t k = 1; k < s->points; k++)
    sequence->time[k] += sequence->time[k - 1];
  return ARM_OK;
}

/* ---- making and unmaking ---- */

static ArmStatus check(const ArmModel *model, const ArmPoints *points) {
  if (points->n != model->n || points->points < 2)
    return ARM_E_ARGUMENT;
  for (size_t k = 0; k < points->points * points->n; k++)
    if (!isfinite(points->q[k]) || !isfinite(points->qd[k]))
      return ARM_E_NOT_FINITE;
  for (size_t j = 0; j < model->n; j++) {
    const ArmLimits *limits = &model->joints[j].limits;
    if (!(limits->q_min < limits->q_max && limits->speed_max > 0 && limits->accel_max > 0))
      return ARM_E_ARGUMENT;
  }
  return ARM_OK;
}

static ArmSequence *make(size_t points, size_t n) {
  ArmSequence *sequence = calloc(1, sizeof *sequence);
  if (!sequence)
    return NULL;
  sequence->points = points;
  sequence->n = n;
  sequence->time = calloc(points, sizeof *sequence->time);
  sequence->segment = calloc((points - 1) * n, sizeof *sequence->segment);
  sequence->is_composite = calloc((points - 1) * n, sizeof *sequence->is_composite);
  if (sequence->time && sequence->segment && sequence->is_composite)
    return sequence;
  arm_sequence_free(sequence);
  return NULL;
}

void arm_sequence_free(ArmSequence *sequence) {
  if (!sequence)
    return;
  free(sequence->time);
  free(sequence->segment);
  free(sequence->is_composite);
  free(sequence);
}

ArmStatus arm_sequence_new(const ArmModel *model, const ArmPoints *points, bool is_at_rest,
                           ArmSequence **sequence) {
  Search s = {.model = model, .given = points, .is_at_rest = is_at_rest, .n = model->n};
  ArmStatus status = check(model, points);
  if (status != ARM_OK)
    return status;
  s.points = points->points + (is_at_rest ? 2 : 0);
  find_loose(&s);
  s.cost = calloc(s.points * MOST_STATES, sizeof *s.cost);
  s.from = calloc(s.points * MOST_STATES, sizeof *s.from);
  ArmSequence *made = make(s.points, s.n);
  status = s.cost && s.from && made ? search(&s) : ARM_E_MEMORY;
  if (status == ARM_OK)
    status = walk_back(&s, made);
  free(s.cost);
  free(s.from);
  if (status == ARM_OK)
    *sequence = made;
  else
    arm_sequence_free(made);
  return status;
}

/* ---- the motion ---- */

double arm_sequence_duration(const ArmSequence *sequence) {
  return sequence->time[sequence->points - 1];
}

void arm_sequence_at(const ArmSequence *sequence, double t, double *q, double *qd, double *qdd) {
  size_t low = 0, high = sequence->points - 1; /* time[low] <= t <= time[high] */
  t = fmin(fmax(t, 0), arm_sequence_duration(sequence));
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (sequence->time[middle] <= t)
      low = middle;
    else
      high = middle;
  }
  const double time = sequence->time[high] - sequence->time[low];
  for (size_t j = 0; j < sequence->n; j++)
    arm_segment_at(&sequence->segment[low * sequence->n + j], time,
                   sequence->is_composite[low * sequence->n + j],
                   fmin(t - sequence->time[low], time), &q[j], qd ? &qd[j] : NULL,
                   qdd ? &qdd[j] : NULL);
}
