/* SPDX-License-Identifier: MIT */
/* Samples into segments of equal steps, segments through the smoother into chunks that are ready
 * for rows (stream_rows.c). What belongs to a sample beside q waits in `waiting` until the smoother
 * has its q, qd, qdd. Blocks are cut at fixed places of the segment, not where they were pushed. */
#include "core/dynamics/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/finite.h"
#include "core/dynamics/stream_internal.h"

static const double bridged_periods = 0.1; /* of the cut-off: see stream.h */
static const double smooth_wider = 3;    /* than the rows' filter: flat to 1/2, deaf from 1.5 on */
static const double least_smooth = 15;   /* [Hz], that of the default cut-off: see stream.h */
static const double rows_per_period = 4; /* by then h has fallen to 1e-4: nothing folds back */

void arm_dyn_stream_options_default(ArmDynStreamOptions *options) {
  *options = (ArmDynStreamOptions){
      .step_s = (double)NAN, .cutoff_Hz = 5, .min_speed_R = 0.01, .min_speed_T = 0.001};
}

static bool is_smoothed(const ArmDynStreamOptions *options) {
  return options->cutoff_Hz > 0 && !(options->has_qd && options->has_qdd);
}

/* [cycles per sample] */
static double smooth_cutoff(const ArmDynStreamOptions *options) {
  const double wanted_Hz = fmax(smooth_wider * options->cutoff_Hz, least_smooth);
  return fmin(wanted_Hz * options->step_s, ARM_SMOOTH_MOST);
}

double arm_dyn_stream_smooth_Hz(const ArmDynStreamOptions *options) {
  return is_smoothed(options) ? smooth_cutoff(options) / options->step_s : (double)NAN;
}

ArmDynStreamProblem arm_dyn_stream_check(const ArmDynStreamOptions *options) {
  if (!(options->step_s > 0) || !isfinite(options->step_s))
    return ARM_DYN_STREAM_NO_STEP;
  const double cutoff = options->cutoff_Hz * options->step_s;
  if (cutoff == 0)
    return options->has_qd && options->has_qdd ? ARM_DYN_STREAM_GOOD : ARM_DYN_STREAM_NO_RATES;
  if (!(cutoff >= ARM_DYN_LEAST_CUTOFF && cutoff < 0.5))
    return ARM_DYN_STREAM_FILTER;
  if (is_smoothed(options) && cutoff > ARM_SMOOTH_MOST)
    return ARM_DYN_STREAM_COARSE;
  return ARM_DYN_STREAM_GOOD;
}

/* ---- new and free ---- */

ArmStatus arm_stream_samples_new(size_t n, size_t ld, StreamSamples *samples) {
  double *all = calloc(ld * (2 + 4 * n), sizeof *all);
  if (!all)
    return ARM_E_MEMORY;
  *samples = (StreamSamples){.ld = ld, .t = all, .joint = all + ld, .q = all + 2 * ld};
  samples->qd = samples->q + n * ld;
  samples->qdd = samples->qd + n * ld;
  samples->effort = samples->qdd + n * ld;
  return ARM_OK;
}

void arm_stream_samples_free(StreamSamples *samples) {
  free(samples->t);
}

static void begin_segment(ArmDynStream *stream) {
  stream->is_empty = true;
  stream->measured = stream->out = 0;
  stream->in.count = stream->waiting.count = stream->chunk.count = 0;
  stream->head = 0;
  if (stream->smooth) {
    arm_smooth_reset(stream->smooth);
    stream->skip = arm_smooth_skip(stream->smooth);
  }
}

static ArmStatus allocate(ArmDynStream *stream) {
  const ArmDynStreamOptions *options = &stream->options;
  const size_t n = stream->model.n;
  ArmStatus status = arm_stream_samples_new(n, STREAM_CHUNK, &stream->chunk);
  if (status == ARM_OK && is_smoothed(options)) {
    status = arm_stream_samples_new(n, STREAM_CHUNK, &stream->in);
    if (status == ARM_OK)
      status = arm_smooth_new(smooth_cutoff(options), options->step_s, n, &stream->smooth);
    if (status == ARM_OK) {
      const size_t most = arm_smooth_delay(stream->smooth) + STREAM_CHUNK;
      status = arm_stream_samples_new(n, 2 * most, &stream->waiting);
    }
  }
  if (status == ARM_OK)
    status = arm_stream_rows_new(stream);
  return status;
}

/* One of so many filtered rows is made. */
static size_t kept(const ArmDynStreamOptions *options) {
  const double cutoff = options->cutoff_Hz * options->step_s;
  return cutoff > 0 && options->keep == 0 ? (size_t)fmax(1, floor(1 / (rows_per_period * cutoff)))
                                          : options->keep;
}

ArmStatus arm_dyn_stream_white(const ArmDynStreamOptions *options, ArmFirWhite *white) {
  if (options->cutoff_Hz > 0)
    return arm_fir_white(options->cutoff_Hz * options->step_s, kept(options), white);
  *white = (ArmFirWhite){.gain = 1, .growth = 1, .spread = 1};
  return ARM_OK;
}

ArmStatus arm_dyn_stream_new(const ArmModel *model, const ArmBase *base,
                             const ArmDynStreamOptions *options, ArmDynSink *sink, void *user,
                             ArmDynStream **out) {
  if (arm_dyn_stream_check(options) != ARM_DYN_STREAM_GOOD || base->n != model->n ||
      base->with != 0 || !(options->min_speed_R >= 0) || !(options->min_speed_T >= 0))
    return ARM_E_ARGUMENT;
  ArmDynStream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return ARM_E_MEMORY;
  stream->model = *model;
  stream->base = base;
  stream->options = *options;
  stream->sink = sink;
  stream->user = user;
  const double cutoff = options->cutoff_Hz * options->step_s;
  if (cutoff > 0)
    stream->bridge = (size_t)(bridged_periods / cutoff);
  stream->options.keep = kept(options);
  ArmStatus status = arm_dyn_init(&stream->dyn, model);
  if (status == ARM_OK)
    status = allocate(stream);
  if (status != ARM_OK) {
    arm_dyn_stream_free(stream);
    return status;
  }
  begin_segment(stream);
  *out = stream;
  return ARM_OK;
}

void arm_dyn_stream_free(ArmDynStream *stream) {
  if (!stream)
    return;
  arm_smooth_free(stream->smooth);
  arm_stream_samples_free(&stream->in);
  arm_stream_samples_free(&stream->waiting);
  arm_stream_samples_free(&stream->chunk);
  arm_stream_rows_free(stream);
  free(stream);
}

const ArmDynStreamCounts *arm_dyn_stream_counts(const ArmDynStream *stream) {
  return &stream->counts;
}

/* ---- from `in` to `chunk` ---- */

/* `columns` columns that lie one behind the other: `count` values from `from` on to `to` on. */
static void copy_columns(size_t columns, size_t count, const double *from, size_t from_ld,
                         double *to, size_t to_ld) {
  for (size_t c = 0; c < columns; c++)
    memmove(to + c * to_ld, from + c * from_ld, count * sizeof *to);
}

/* The samples in `in` that will have a smoothed value. */
static void keep_waiting(ArmDynStream *stream) {
  StreamSamples *in = &stream->in, *waiting = &stream->waiting;
  const size_t skipped = stream->skip < in->count ? stream->skip : in->count;
  const size_t added = in->count - skipped;
  const size_t columns = 2 + 4 * stream->model.n;
  const size_t ld = waiting->ld;
  if (stream->head + waiting->count + added > ld) {
    copy_columns(columns, waiting->count, waiting->t + stream->head, ld, waiting->t, ld);
    stream->head = 0;
  }
  copy_columns(columns, added, in->t + skipped, in->ld, waiting->t + stream->head + waiting->count,
               ld);
  waiting->count += added;
  stream->skip -= skipped;
}

/* What is smoothed, and what waited for it, to `chunk`. Returns how many. */
static size_t release(ArmDynStream *stream) {
  StreamSamples *chunk = &stream->chunk, *waiting = &stream->waiting;
  const size_t n = stream->model.n, at = chunk->count, to = chunk->ld;
  const size_t head = stream->head, from = waiting->ld;
  const size_t got =
      arm_smooth_take(stream->smooth, to - at, chunk->q + at, chunk->qd + at, chunk->qdd + at, to);
  copy_columns(2, got, waiting->t + head, from, chunk->t + at, to); /* t, joint */
  copy_columns(n, got, waiting->effort + head, from, chunk->effort + at, to);
  if (stream->options.has_qd)
    copy_columns(n, got, waiting->qd + head, from, chunk->qd + at, to);
  if (stream->options.has_qdd)
    copy_columns(n, got, waiting->qdd + head, from, chunk->qdd + at, to);
  stream->head += got;
  waiting->count -= got;
  chunk->count += got;
  return got;
}

static ArmStatus smooth_in(ArmDynStream *stream) {
  ArmStatus status = arm_smooth_push(stream->smooth, stream->in.count, stream->in.q, stream->in.ld);
  if (status != ARM_OK)
    return status;
  keep_waiting(stream);
  stream->in.count = 0;
  while (status == ARM_OK && release(stream) > 0)
    if (stream->chunk.count == stream->chunk.ld)
      status = arm_stream_rows(stream);
  return status;
}

static ArmStatus end_segment(ArmDynStream *stream) {
  ArmStatus status = ARM_OK;
  if (stream->is_empty)
    return status;
  if (stream->smooth && stream->in.count > 0)
    status = smooth_in(stream);
  if (status == ARM_OK)
    status = arm_stream_rows(stream);
  if (status == ARM_OK)
    status = arm_stream_rows_end(stream);
  const ArmDynUse use = stream->out > 0 ? ARM_DYN_EDGE : ARM_DYN_SHORT;
  for (size_t j = 0; j < stream->model.n; j++)
    stream->counts.samples[j][use] += stream->measured - stream->out;
  stream->counts.segments++;
  begin_segment(stream);
  return status;
}

/* ---- one sample ---- */

/* state: q, qd, qdd as far as given; zeros where not. False: something is missing. */
static bool fetch(const ArmDynStream *stream, const ArmDynSamples *from, size_t s, size_t joint,
                  double *state) {
  const size_t n = stream->model.n;
  const double *const given[3] = {from->q, stream->options.has_qd ? from->qd : NULL,
                                  stream->options.has_qdd ? from->qdd : NULL};
  bool is_complete = isfinite(from->t[s]);
  for (size_t v = 0; v < 3; v++)
    for (size_t j = 0; j < n; j++) {
      double x = given[v] ? given[v][s + j * from->ld] : 0;
      if (v > 0 && isnan(x) && joint > 0 && joint != j + 1)
        x = 0;
      is_complete = is_complete && isfinite(x);
      state[v * n + j] = x;
    }
  return is_complete;
}

/* Where samples go. */
static StreamSamples *entrance(ArmDynStream *stream) {
  return stream->smooth ? &stream->in : &stream->chunk;
}

static ArmStatus pass_on_if_full(ArmDynStream *stream) {
  const StreamSamples *in = entrance(stream);
  if (in->count < in->ld)
    return ARM_OK;
  return stream->smooth ? smooth_in(stream) : arm_stream_rows(stream);
}

/* effort NULL: filled in */
static ArmStatus append(ArmDynStream *stream, double t, double joint, const double *state,
                        const double *effort, size_t effort_ld) {
  StreamSamples *in = entrance(stream);
  const size_t n = stream->model.n, at = in->count++;
  in->t[at] = t;
  in->joint[at] = joint;
  for (size_t j = 0; j < n; j++) {
    in->q[at + j * in->ld] = state[j];
    in->qd[at + j * in->ld] = state[n + j];
    in->qdd[at + j * in->ld] = state[2 * n + j];
    in->effort[at + j * in->ld] = effort ? effort[j * effort_ld] : (double)NAN;
  }
  stream->measured += effort != NULL;
  return pass_on_if_full(stream);
}

/* `missing` samples between the latest and this one. */
static ArmStatus fill(ArmDynStream *stream, size_t missing, double t, const double *state) {
  const size_t n = stream->model.n;
  ArmStatus status = ARM_OK;
  for (size_t k = 1; k <= missing && status == ARM_OK; k++) {
    double between[3 * ARM_MAX_JOINTS] = {0};
    const double share = (double)k / (double)(missing + 1);
    for (size_t i = 0; i < 3 * n; i++)
      between[i] = stream->last[i] + share * (state[i] - stream->last[i]);
    status = append(stream, stream->last_t + share * (t - stream->last_t), -1, between, NULL, 0);
  }
  stream->counts.filled += missing;
  return status;
}

/* Steps without a sample. */
static double missing_between(const ArmDynStream *stream, double last_t, double t) {
  return floor((t - last_t) / stream->options.step_s + 0.5) - 1;
}

static ArmStatus add(ArmDynStream *stream, const ArmDynSamples *from, size_t s) {
  const size_t n = stream->model.n;
  const size_t joint = from->joint ? (size_t)from->joint[s] : 0;
  const double t = from->t[s];
  double *state = stream->state;
  ArmStatus status = ARM_OK;
  if (!fetch(stream, from, s, joint, state)) {
    for (size_t j = 0; j < n; j++)
      stream->counts.samples[j][ARM_DYN_NO_STATE]++;
    return ARM_OK;
  }
  if (!stream->is_empty) {
    const double missing = missing_between(stream, stream->last_t, t);
    if (!(t > stream->last_t) || missing > (double)stream->bridge)
      status = end_segment(stream);
    else if (missing > 0)
      status = fill(stream, (size_t)missing, t, state);
  }
  if (status != ARM_OK)
    return status;
  stream->is_empty = false;
  stream->last_t = t;
  memcpy(stream->last, state, 3 * n * sizeof *state);
  return append(stream, t, (double)joint, state, from->effort + s, from->ld);
}

/* ---- many samples ---- */

/* How many samples from s on follow the latest one and each other, and have room. */
static size_t run_from(const ArmDynStream *stream, const StreamSamples *in,
                       const ArmDynSamples *from, size_t s) {
  const size_t room = in->ld - in->count, left = from->samples - s;
  const size_t most = room < left ? room : left;
  double last_t = stream->last_t;
  size_t run = 0;
  for (; run < most && !stream->is_empty; last_t = from->t[s + run++])
    if (!(from->t[s + run] > last_t) || missing_between(stream, last_t, from->t[s + run]) != 0)
      break;
  return run;
}

/* n columns of `run` samples from s on; NULL: not given, zeros. */
static bool are_finite(size_t n, size_t run, const double *given, size_t ld, size_t s) {
  bool is_finite = true;
  for (size_t j = 0; j < n && given && is_finite; j++)
    is_finite = arm_all_finite(given + s + j * ld, run);
  return is_finite;
}

static void copy_states(size_t n, size_t run, const double *given, size_t from_ld, size_t s,
                        double *to, size_t to_ld) {
  if (given)
    copy_columns(n, run, given + s, from_ld, to, to_ld);
  for (size_t j = 0; j < n && !given; j++)
    memset(to + j * to_ld, 0, run * sizeof *to);
}

/* Column by column what `add` would append one by one. False: nothing is written, as some have no
 * state that is finite as it is: what lies behind the samples of a chunk is computed with them, and
 * an angle that is far away makes other bits of its neighbours. */
static bool add_run(ArmDynStream *stream, const ArmDynSamples *from, size_t s, size_t run) {
  StreamSamples *in = entrance(stream);
  const size_t n = stream->model.n, at = in->count, ld = in->ld;
  const double *qd = stream->options.has_qd ? from->qd : NULL;
  const double *qdd = stream->options.has_qdd ? from->qdd : NULL;
  if (!are_finite(n, run, from->q, from->ld, s) || !are_finite(n, run, qd, from->ld, s) ||
      !are_finite(n, run, qdd, from->ld, s))
    return false;
  copy_states(n, run, from->q, from->ld, s, in->q + at, ld);
  copy_states(n, run, qd, from->ld, s, in->qd + at, ld);
  copy_states(n, run, qdd, from->ld, s, in->qdd + at, ld);
  copy_columns(n, run, from->effort + s, from->ld, in->effort + at, ld);
  memcpy(in->t + at, from->t + s, run * sizeof *in->t);
  for (size_t k = 0; k < run; k++)
    in->joint[at + k] = from->joint ? (double)from->joint[s + k] : 0;
  in->count += run;
  stream->measured += run;
  stream->last_t = from->t[s + run - 1];
  for (size_t j = 0; j < n; j++) {
    stream->last[j] = in->q[in->count - 1 + j * ld];
    stream->last[n + j] = in->qd[in->count - 1 + j * ld];
    stream->last[2 * n + j] = in->qdd[in->count - 1 + j * ld];
  }
  return true;
}

ArmStatus arm_dyn_stream_push(ArmDynStream *stream, const ArmDynSamples *samples) {
  ArmStatus status = ARM_OK;
  if (samples->ld < samples->samples)
    return ARM_E_ARGUMENT;
  for (size_t s = 0; samples->joint && s < samples->samples; s++)
    if (samples->joint[s] < 0 || (size_t)samples->joint[s] > stream->model.n)
      return ARM_E_ARGUMENT;
  for (size_t s = 0; s < samples->samples && status == ARM_OK;) {
    const size_t run = run_from(stream, entrance(stream), samples, s);
    const size_t end = s + (run > 0 ? run : 1);
    if (run > 0 && add_run(stream, samples, s, run)) {
      status = pass_on_if_full(stream);
      s = end;
    }
    for (; s < end && status == ARM_OK; s++)
      status = add(stream, samples, s);
  }
  return status;
}

ArmStatus arm_dyn_stream_cut(ArmDynStream *stream) {
  return end_segment(stream);
}

ArmStatus arm_dyn_stream_finish(ArmDynStream *stream) {
  size_t rows = 0;
  ArmStatus status = end_segment(stream);
  for (size_t j = 0; j < stream->model.n && status == ARM_OK; j++) {
    status = arm_stream_rows_flush(stream, j);
    rows += stream->counts.rows[j];
  }
  if (status == ARM_OK && rows == 0)
    return ARM_E_NO_DATA;
  return status;
}
