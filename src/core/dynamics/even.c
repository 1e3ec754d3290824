/* SPDX-License-Identifier: MIT */
/* Four samples are kept; points of the grid between the two in the middle are made when the fourth
 * has come, or the stretch has ended. */
#include "core/dynamics/even.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT = 4, BLOCK = 256, CHANNELS = 4 };

typedef struct {
  double t;
  int joint;
  double *x; /* CHANNELS n: q, qd, qdd, effort */
} Sample;

struct ArmEven {
  size_t n, channels; /* channels: of n numbers each, effort last */
  bool has[CHANNELS];
  double step;
  ArmEvenSink *sink;
  void *user;
  Sample kept[KEPT];
  size_t count; /* of kept: the oldest first */
  double next;  /* time of the next point */
  double begin; /* of the stretch */
  double points;
  double *storage;
  /* one block, column-major, ld = BLOCK */
  size_t filled;
  double *t, *out;
  int joint[BLOCK];
};

ArmStatus arm_even_new(size_t n, double step_s, bool has_qd, bool has_qdd, ArmEvenSink *sink,
                       void *user, ArmEven **even) {
  if (n == 0 || n > ARM_MAX_JOINTS || !(step_s > 0) || !isfinite(step_s))
    return ARM_E_ARGUMENT;
  ArmEven *made = calloc(1, sizeof *made);
  if (!made)
    return ARM_E_MEMORY;
  *made = (ArmEven){
      .n = n, .step = step_s, .sink = sink, .user = user, .has = {true, has_qd, has_qdd, true}};
  made->storage = calloc(KEPT * CHANNELS * n + BLOCK * (1 + CHANNELS * n), sizeof(double));
  if (!made->storage) {
    free(made);
    return ARM_E_MEMORY;
  }
  for (size_t k = 0; k < KEPT; k++)
    made->kept[k].x = made->storage + k * CHANNELS * n;
  made->t = made->storage + (size_t)KEPT * CHANNELS * n;
  made->out = made->t + BLOCK;
  *even = made;
  return ARM_OK;
}

void arm_even_free(ArmEven *even) {
  if (!even)
    return;
  free(even->storage);
  free(even);
}

/* ---- points ---- */

static ArmStatus flush(ArmEven *even) {
  const size_t size = BLOCK * even->n;
  const ArmDynSamples samples = {.samples = even->filled,
                                 .ld = BLOCK,
                                 .t = even->t,
                                 .joint = even->joint,
                                 .q = even->out,
                                 .qd = even->out + size,
                                 .qdd = even->out + 2 * size,
                                 .effort = even->out + 3 * size};
  if (even->filled == 0)
    return ARM_OK;
  even->filled = 0;
  return even->sink(even->user, &samples);
}

/* Weights of the kept samples from `first` on for time t. */
static void weigh(const ArmEven *even, size_t first, size_t count, double t, double *weight) {
  for (size_t k = 0; k < count; k++) {
    weight[k] = 1;
    for (size_t l = 0; l < count; l++)
      if (l != k)
        weight[k] *=
            (t - even->kept[first + l].t) / (even->kept[first + k].t - even->kept[first + l].t);
  }
}

static double sum(const ArmEven *even, size_t first, size_t count, const double *weight,
                  size_t channel) {
  double x = 0;
  for (size_t k = 0; k < count; k++)
    x += weight[k] == 0 ? 0 : weight[k] * even->kept[first + k].x[channel];
  return x;
}

/* A point between kept samples `at` and `at` + 1. */
static ArmStatus add_point(ArmEven *even, size_t at, double t) {
  const Sample *low = &even->kept[at], *high = low + 1;
  const size_t n = even->n, to = even->filled;
  const bool is_bridge = high->t - low->t > ARM_EVEN_BRIDGE * even->step;
  double all[KEPT], two[2];
  weigh(even, 0, even->count, t, all);
  weigh(even, at, 2, t, two);
  for (size_t c = 0; c < 3 * n; c++)
    even->out[to + c * BLOCK] = even->has[c / n] ? sum(even, 0, even->count, all, c) : 0;
  for (size_t c = 3 * n; c < CHANNELS * n; c++) {
    const double smooth = sum(even, 0, even->count, all, c);
    const double linear = is_bridge ? (double)NAN : sum(even, at, 2, two, c);
    even->out[to + c * BLOCK] = isfinite(smooth) && !is_bridge ? smooth : linear;
  }
  even->t[to] = t;
  even->joint[to] = t - low->t < high->t - t ? low->joint : high->joint;
  return ++even->filled == BLOCK ? flush(even) : ARM_OK;
}

/* Points up to kept sample `at` + 1, included. */
static ArmStatus add_points(ArmEven *even, size_t at) {
  ArmStatus status = ARM_OK;
  while (status == ARM_OK && even->next <= even->kept[at + 1].t) {
    status = add_point(even, at, even->next);
    even->points++;
    even->next = even->begin + even->points * even->step;
  }
  return status;
}

/* ---- samples ---- */

ArmStatus arm_even_end(ArmEven *even) {
  ArmStatus status = ARM_OK;
  if (even->count == 2 || even->count == 3) /* what came before the fourth */
    status = add_points(even, 0);
  for (size_t at = 1; at + 1 < even->count && status == ARM_OK; at++)
    status = add_points(even, at);
  even->count = 0;
  return status == ARM_OK ? flush(even) : status;
}

static bool fetch(const ArmEven *even, const ArmDynSamples *from, size_t s, Sample *to) {
  const double *const given[CHANNELS] = {from->q, from->qd, from->qdd, from->effort};
  const size_t n = even->n;
  bool is_good = isfinite(from->t[s]);
  to->t = from->t[s];
  to->joint = from->joint ? from->joint[s] : 0;
  for (size_t c = 0; c < CHANNELS * n; c++) {
    const size_t j = c % n;
    double x = even->has[c / n] ? given[c / n][s + j * from->ld] : 0;
    if ((c / n == 1 || c / n == 2) && isnan(x) && to->joint > 0 && to->joint != (int)j + 1)
      x = 0;
    is_good = is_good && (c >= 3 * n || isfinite(x));
    to->x[c] = x;
  }
  return is_good;
}

/* The oldest leaves, or nobody. */
static Sample *room_for_one(ArmEven *even) {
  if (even->count < KEPT)
    return &even->kept[even->count];
  const Sample oldest = even->kept[0];
  memmove(even->kept, even->kept + 1, (KEPT - 1) * sizeof oldest);
  even->kept[--even->count] = oldest;
  return &even->kept[even->count];
}

static ArmStatus add(ArmEven *even, const ArmDynSamples *from, size_t s) {
  ArmStatus status = ARM_OK;
  const double last = even->count > 0 ? even->kept[even->count - 1].t : (double)NAN;
  const double t = from->t[s];
  if (!isfinite(t))
    return status;
  if (even->count > 0 && (!(t > last) || t - last > ARM_EVEN_GAP * even->step))
    status = arm_even_end(even);
  if (status != ARM_OK || !fetch(even, from, s, room_for_one(even)))
    return status;
  if (even->count++ == 0) {
    even->begin = even->next = t;
    even->points = 0;
  }
  if (even->count < KEPT)
    return ARM_OK;
  status = add_points(even, 0);
  return status == ARM_OK ? add_points(even, 1) : status;
}

ArmStatus arm_even_push(ArmEven *even, const ArmDynSamples *samples) {
  ArmStatus status = ARM_OK;
  if (samples->ld < samples->samples)
    return ARM_E_ARGUMENT;
  for (size_t s = 0; s < samples->samples && status == ARM_OK; s++)
    status = add(even, samples, s);
  return status;
}
