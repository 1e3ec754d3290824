/* SPDX-License-Identifier: MIT */
#include "support/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = FAULTY_JOINTS, PARAMETERS = 7 * N };

/* Errors and sds of one parameter, recording by recording; NAN where it was not given. */
typedef struct {
  double *error[2], *sd[2]; /* [0]: weighed, [1]: equal */
} Track;

typedef struct {
  size_t count, room;
  double *block;
  Track track[PARAMETERS];
  double truth[PARAMETERS];
  bool is_known[PARAMETERS];
} Tracks;

/* k*_x, k*_y, ratio to the next joint, four of friction for each joint */
static const ArmEstimate *estimate_at(const ArmGravityParameters *p, size_t at) {
  const size_t i = at / 7, what = at % 7;
  if (what < 2)
    return &p->joint[i].w[what];
  if (what == 2)
    return i + 1 < p->n ? &p->ratio[i][i + 1] : NULL;
  return &p->joint[i].friction[what - 3];
}

static int class_of(size_t at) {
  const size_t what = at % 7;
  if (what < 2)
    return INTERVALS_K_STAR;
  if (what == 2)
    return INTERVALS_RATIOS;
  return what % 2 == 1 ? INTERVALS_COULOMB : INTERVALS_CLASSES;
}

/* the fit of a recording without noise and faults is the truth */
static bool find_truth(FaultyArm arm, const Faulty *faulty, Tracks *t) {
  static ArmGravityFit fit;
  Faulty exact;
  faulty_default(&exact);
  exact.holds = faulty->holds;
  exact.speeds = faulty->speeds;
  exact.white = 0;
  if (!faulty_fit(arm, &exact, 1, &fit))
    return false;
  for (size_t at = 0; at < PARAMETERS; at++) {
    const ArmEstimate *e = estimate_at(&fit.refined, at);
    t->is_known[at] = e && e->identifiable;
    t->truth[at] = t->is_known[at] ? e->value : NAN;
  }
  arm_gravity_fit_clear(&fit);
  return true;
}

static bool tracks_init(Tracks *t, size_t room) {
  *t = (Tracks){.room = room, .block = malloc((4 * PARAMETERS * room + 1) * sizeof(double))};
  double *next = t->block;
  for (size_t at = 0; at < PARAMETERS && next; at++)
    for (int k = 0; k < 2; k++) {
      t->track[at].error[k] = next;
      t->track[at].sd[k] = next + room;
      next += 2 * room;
    }
  return next != NULL;
}

static void keep(const ArmGravityParameters *p, int k, Tracks *t) {
  for (size_t at = 0; at < PARAMETERS; at++) {
    const ArmEstimate *e = estimate_at(p, at);
    const bool is_given = t->is_known[at] && e->identifiable;
    t->track[at].error[k][t->count] = is_given ? e->value - t->truth[at] : NAN;
    t->track[at].sd[k][t->count] = is_given ? e->sd : NAN;
  }
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double rms_of(const double *x, size_t count, size_t *given) {
  double sum = 0;
  *given = 0;
  for (size_t k = 0; k < count; k++)
    if (!isnan(x[k])) {
      sum += x[k] * x[k];
      ++*given;
    }
  return sqrt(sum / (double)*given);
}

static double median_of(double *x, size_t count) {
  qsort(x, count, sizeof *x, compare);
  return count > 0 ? 0.5 * (x[count / 2] + x[(count - 1) / 2]) : NAN;
}

/* appends sd over `best` of every recording to ratios; returns how many */
static size_t add_widths(const Track *track, int k, size_t count, double best, double *ratios) {
  size_t given = 0;
  for (size_t r = 0; r < count; r++)
    if (!isnan(track->sd[k][r]))
      ratios[given++] = track->sd[k][r] / best;
  return given;
}

static void count_in(const Track *track, int k, size_t count, Intervals *to) {
  for (size_t r = 0; r < count; r++) {
    if (isnan(track->error[k][r]))
      continue;
    const double z = fabs(track->error[k][r]) / track->sd[k][r];
    to->given++;
    to->covered += z <= 1.959963985;
    to->in_2sd += z <= 2;
    to->in_5sd += z <= 5;
  }
}

/* widths: room for all parameters and recordings */
static void sum_up_class(const Tracks *t, int class, int k, double *widths, Intervals *to) {
  size_t parameters = 0, count = 0, given, other;
  *to = (Intervals){0};
  for (size_t at = 0; at < PARAMETERS; at++) {
    const Track *track = &t->track[at];
    const double best = rms_of(track->error[0], t->count, &given);
    const double error = rms_of(track->error[k], t->count, &other);
    if (class_of(at) != class || given < 2 || other < 2)
      continue;
    const size_t more = add_widths(track, k, t->count, best, widths + count);
    count_in(track, k, t->count, to);
    to->error += error / best;
    to->mean_width += median_of(widths + count, more);
    count += more;
    parameters++;
  }
  to->width = median_of(widths, count);
  to->mean_width /= (double)parameters;
  to->error /= (double)parameters;
  to->covered /= (double)to->given;
  to->in_2sd /= (double)to->given;
  to->in_5sd /= (double)to->given;
}

static bool sum_up(const Tracks *t, IntervalsResult *result) {
  double *widths = malloc((PARAMETERS * t->count + 1) * sizeof *widths);
  for (int c = 0; c < INTERVALS_CLASSES && widths; c++) {
    sum_up_class(t, c, 0, widths, &result->weighed[c]);
    sum_up_class(t, c, 1, widths, &result->equal[c]);
  }
  free(widths);
  return widths != NULL;
}

static bool has_gravity_alarm(const ArmVerdict *verdict) {
  for (size_t i = 0; i < verdict->n; i++)
    if (verdict->joint[i].test[ARM_TEST_GRAVITY].is_alarm)
      return true;
  return false;
}

bool intervals_run(FaultyArm arm, const Faulty *faulty, uint64_t first, size_t count,
                   bool alarmed_only, IntervalsResult *result) {
  static ArmGravityFit fit, equal;
  Tracks t;
  memset(result, 0, sizeof *result);
  if (!tracks_init(&t, count) || !find_truth(arm, faulty, &t)) {
    free(t.block);
    return false;
  }
  for (size_t k = 0; k < count; k++) {
    result->recordings++;
    if (!faulty_fit_twice(arm, faulty, first + k, &fit, &equal)) {
      result->failed++;
      continue;
    }
    const bool is_alarmed = has_gravity_alarm(&fit.verdict);
    result->alarms += is_alarmed;
    if (is_alarmed || !alarmed_only) {
      keep(&fit.refined, 0, &t);
      keep(&equal.refined, 1, &t);
      t.count++;
    }
    arm_gravity_fit_clear(&fit);
    arm_gravity_fit_clear(&equal);
  }
  const bool is_summed = sum_up(&t, result);
  free(t.block);
  return is_summed;
}
