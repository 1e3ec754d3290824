/* SPDX-License-Identifier: MIT */
/* What was pushed waits as a queue of runs: samples that will have a value, samples that were
 * filled in and are nobody's, and samples without a position, which keep their place. */
#include "core/dynamics/rates.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/stream.h"
#include "core/num/smooth.h"

enum { BLOCK = 88 };                       /* samples at a time */
static const double bridged_periods = 0.1; /* of the cut-off: as core/dynamics/stream.c */

typedef enum { MEASURED, FILLED, ABSENT } RunKind;

typedef struct {
  RunKind kind;
  size_t count;
} Run;

struct ArmRates {
  size_t n, bridge;
  double step_s;
  ArmSmooth *smooth;
  ArmRatesSink *sink;
  void *user;
  Run *run; /* a ring of `room` */
  size_t room, head, runs;
  double *in; /* BLOCK x n */
  size_t in_count;
  size_t skip;   /* samples of the segment still to come that have no value */
  size_t absent; /* in succession */
  bool is_empty;
  double last_t, *last; /* n, of the latest sample */
  double *now;          /* n */
  double *out;          /* 3 n columns of BLOCK */
};

/* ---- new and free ---- */

static void begin_segment(ArmRates *rates) {
  rates->is_empty = true;
  rates->in_count = rates->absent = rates->runs = rates->head = 0;
  arm_smooth_reset(rates->smooth);
  rates->skip = arm_smooth_skip(rates->smooth);
}

static ArmStatus allocate(ArmRates *rates, double cutoff) {
  const size_t n = rates->n;
  const ArmStatus status = arm_smooth_new(cutoff, rates->step_s, n, &rates->smooth);
  if (status != ARM_OK)
    return status;
  /* each measured one may stand between others; one more run follows the last of them */
  rates->room = 3 * (arm_smooth_delay(rates->smooth) + 2 * BLOCK) + 3;
  rates->run = calloc(rates->room, sizeof *rates->run);
  rates->in = calloc(BLOCK * n, sizeof *rates->in);
  rates->last = calloc(2 * n, sizeof *rates->last);
  rates->now = rates->last ? rates->last + n : NULL;
  rates->out = calloc(3 * BLOCK * n, sizeof *rates->out);
  return rates->run && rates->in && rates->last && rates->out ? ARM_OK : ARM_E_MEMORY;
}

ArmStatus arm_rates_new(size_t n, double step_s, double cutoff_Hz, ArmRatesSink *sink, void *user,
                        ArmRates **out) {
  ArmDynStreamOptions options;
  arm_dyn_stream_options_default(&options);
  options.step_s = step_s;
  options.cutoff_Hz = cutoff_Hz;
  if (n == 0 || arm_dyn_stream_check(&options) != ARM_DYN_STREAM_GOOD)
    return ARM_E_ARGUMENT;
  ArmRates *rates = calloc(1, sizeof *rates);
  if (!rates)
    return ARM_E_MEMORY;
  *rates = (ArmRates){.n = n,
                      .bridge = (size_t)(bridged_periods / (cutoff_Hz * step_s)),
                      .step_s = step_s,
                      .sink = sink,
                      .user = user};
  const ArmStatus status = allocate(rates, cutoff_Hz * step_s);
  if (status != ARM_OK) {
    arm_rates_free(rates);
    return status;
  }
  begin_segment(rates);
  *out = rates;
  return ARM_OK;
}

void arm_rates_free(ArmRates *rates) {
  if (!rates)
    return;
  arm_smooth_free(rates->smooth);
  free(rates->run);
  free(rates->in);
  free(rates->last);
  free(rates->out);
  free(rates);
}

/* ---- the queue ---- */

static void note(ArmRates *rates, RunKind kind) {
  Run *last = &rates->run[(rates->head + rates->runs + rates->room - 1) % rates->room];
  if (rates->runs > 0 && last->kind == kind) {
    last->count++;
    return;
  }
  rates->run[(rates->head + rates->runs++) % rates->room] = (Run){kind, 1};
}

static void give(ArmRates *rates, size_t count) {
  const size_t column = rates->n * BLOCK;
  rates->sink(rates->user, count, rates->out, rates->out + column, rates->out + 2 * column, BLOCK);
}

static void give_none(ArmRates *rates, size_t count) {
  for (size_t k = 0; k < 3 * BLOCK * rates->n; k++)
    rates->out[k] = (double)NAN;
  for (size_t left = count; left > 0; left -= left < BLOCK ? left : BLOCK)
    give(rates, left < BLOCK ? left : BLOCK);
}

/* Of the first run; false: its values are still to come. */
static bool give_run(ArmRates *rates, Run *run) {
  const size_t column = rates->n * BLOCK;
  size_t count = run->count;
  if (run->kind != ABSENT && rates->skip == 0) {
    count = arm_smooth_take(rates->smooth, count < BLOCK ? count : BLOCK, rates->out,
                            rates->out + column, rates->out + 2 * column, BLOCK);
    if (run->kind == MEASURED && count > 0)
      give(rates, count);
  } else {
    count = run->kind != ABSENT && rates->skip < count ? rates->skip : count;
    rates->skip -= run->kind != ABSENT ? count : 0;
    if (run->kind != FILLED)
      give_none(rates, count);
  }
  run->count -= count;
  return count > 0;
}

static void drain(ArmRates *rates) {
  while (rates->runs > 0) {
    Run *run = &rates->run[rates->head];
    if (!give_run(rates, run))
      return;
    if (run->count == 0) {
      rates->head = (rates->head + 1) % rates->room;
      rates->runs--;
    }
  }
}

/* ---- samples ---- */

static void smooth_in(ArmRates *rates) {
  if (rates->in_count > 0)
    (void)!arm_smooth_push(rates->smooth, rates->in_count, rates->in, BLOCK); /* all was taken */
  rates->in_count = 0;
  drain(rates);
}

static void end_segment(ArmRates *rates) {
  smooth_in(rates);
  for (; rates->runs > 0; rates->runs--, rates->head = (rates->head + 1) % rates->room)
    if (rates->run[rates->head].kind != FILLED)
      give_none(rates, rates->run[rates->head].count);
  begin_segment(rates);
}

static void append(ArmRates *rates, RunKind kind, double share) {
  for (size_t j = 0; j < rates->n; j++)
    rates->in[rates->in_count + j * BLOCK] =
        kind == MEASURED ? rates->now[j]
                         : rates->last[j] + share * (rates->now[j] - rates->last[j]);
  note(rates, kind);
  if (++rates->in_count == BLOCK)
    smooth_in(rates);
}

static bool fetch(const ArmRates *rates, double t, const double *q, size_t ld) {
  bool is_complete = isfinite(t);
  for (size_t j = 0; j < rates->n; j++) {
    rates->now[j] = q[j * ld];
    is_complete = is_complete && isfinite(rates->now[j]);
  }
  return is_complete;
}

static void add_absent(ArmRates *rates) {
  note(rates, ABSENT);
  if (++rates->absent > rates->bridge || rates->is_empty)
    end_segment(rates);
}

static void add(ArmRates *rates, double t, const double *q, size_t ld) {
  if (!fetch(rates, t, q, ld)) {
    add_absent(rates);
    return;
  }
  double missing = 0;
  rates->absent = 0;
  if (!rates->is_empty) {
    missing = fmax(0, floor((t - rates->last_t) / rates->step_s + 0.5) - 1);
    if (!(t > rates->last_t) || missing > (double)rates->bridge) {
      end_segment(rates);
      missing = 0;
    }
  }
  for (size_t k = 1; k <= (size_t)missing; k++)
    append(rates, FILLED, (double)k / (missing + 1));
  append(rates, MEASURED, 1);
  rates->is_empty = false;
  rates->last_t = t;
  memcpy(rates->last, rates->now, rates->n * sizeof *rates->last);
}

void arm_rates_push(ArmRates *rates, size_t samples, const double *t, const double *q, size_t ld) {
  for (size_t s = 0; s < samples; s++)
    add(rates, t[s], q + s, ld);
}

void arm_rates_finish(ArmRates *rates) {
  end_segment(rates);
}
