/* SPDX-License-Identifier: MIT */
/* From positions, speeds, accelerations and efforts of a chunk to rows: the batched regressor's
 * columns are filtered where they lie, each joint's own with its weights; those of links inboard of
 * the joint are zero in every row, and neither written nor read. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/couple.h"
#include "core/dynamics/stream_internal.h"

/* Chosen, the rule of stream.h: of a row as much of the filter counts as does not. */
static const double least_weight = 0.5;
static const double at_limit = 0.99,
                    beyond_limit = 1.05;   /* as of sweeps, core/sweeps/plausible.c */
static const double turning_periods = 1.1; /* of the smoother's cut-off: see stream.h */

/* ---- new and free ---- */

static size_t row_width(const ArmDynStream *stream) {
  return stream->own + stream->base->count + 1;
}

static double *column_of(const ArmDynStream *stream, size_t joint, size_t column) {
  return stream->y + (ARM_INERTIA_PARAMETERS * stream->model.n * joint + column) * STREAM_CHUNK;
}

/* Where the columns of a row of joint j come from, in the order of StreamJoint.source. */
static void find_sources(ArmDynStream *stream, size_t j) {
  StreamJoint *joint = stream->joints + j;
  const ArmBase *base = stream->base;
  size_t c = 0;
  for (; c < stream->own; c++)
    joint->source[c] = stream->local + c * STREAM_CHUNK;
  for (size_t b = 0; b < base->count; b++)
    if (base->column[base->kept[b]].joint >= j) {
      joint->place[joint->felt++] = stream->own + b;
      joint->source[c++] = column_of(stream, j, base->kept[b]);
    }
  joint->source[c++] = stream->effort;
  joint->columns = c;
}

static ArmStatus new_joint(ArmDynStream *stream, size_t j) {
  const ArmDynStreamOptions *options = &stream->options;
  StreamJoint *joint = stream->joints + j;
  joint->place = malloc(row_width(stream) * sizeof *joint->place);
  joint->source = malloc(row_width(stream) * sizeof *joint->source);
  joint->block = calloc(STREAM_ROWS * row_width(stream), sizeof *joint->block);
  joint->t = malloc(STREAM_ROWS * sizeof *joint->t);
  if (!joint->place || !joint->source || !joint->block || !joint->t)
    return ARM_E_MEMORY;
  find_sources(stream, j);
  if (!(options->cutoff_Hz > 0))
    return ARM_OK;
  return arm_fir_new(options->cutoff_Hz * options->step_s, options->keep, joint->columns,
                     &joint->fir);
}

/* Outputs that are not taken yet reach back as far as the filter, and forth by a chunk. */
static size_t centres_of(const ArmDynStreamOptions *options) {
  if (!(options->cutoff_Hz > 0))
    return 1;
  const size_t half = arm_fir_half(options->cutoff_Hz * options->step_s);
  return (half + STREAM_CHUNK) / options->keep + 3;
}

ArmStatus arm_stream_rows_new(ArmDynStream *stream) {
  const size_t n = stream->model.n;
  ArmStatus status = ARM_OK;
  stream->own = stream->options.terms ? ARM_DYN_OWN : ARM_DYN_LOCAL;
  stream->y = aligned_alloc(STREAM_ALIGN,
                            STREAM_CHUNK * ARM_INERTIA_PARAMETERS * n * n * sizeof *stream->y);
  stream->drive = calloc(STREAM_CHUNK * 2 * n, sizeof *stream->drive);
  stream->local = calloc(STREAM_CHUNK * stream->own, sizeof *stream->local);
  stream->effort = calloc(STREAM_CHUNK, sizeof *stream->effort);
  stream->weight = calloc(STREAM_CHUNK, sizeof *stream->weight);
  stream->sums = calloc(row_width(stream), sizeof *stream->sums);
  stream->centres = centres_of(&stream->options);
  stream->centre = calloc(stream->centres, sizeof *stream->centre);
  if (!stream->y || !stream->centre || !stream->drive || !stream->local || !stream->effort ||
      !stream->weight || !stream->sums)
    return ARM_E_MEMORY;
  for (size_t j = 0; j < n && status == ARM_OK; j++)
    status = new_joint(stream, j);
  return status;
}

void arm_stream_rows_free(ArmDynStream *stream) {
  for (size_t j = 0; j < stream->model.n; j++) {
    StreamJoint *joint = stream->joints + j;
    arm_fir_free(joint->fir);
    free(joint->place);
    free(joint->source);
    free(joint->block);
    free(joint->t);
  }
  free(stream->y);
  free(stream->drive);
  free(stream->local);
  free(stream->effort);
  free(stream->weight);
  free(stream->sums);
  free(stream->centre);
  free(stream->tapped);
}

ArmStatus arm_dyn_stream_tap(ArmDynStream *stream, ArmDynSink *sink, void *user) {
  stream->tapped = calloc(row_width(stream), sizeof *stream->tapped);
  if (!stream->tapped)
    return ARM_E_MEMORY;
  stream->tap = sink;
  stream->tap_user = user;
  return ARM_OK;
}

/* ---- columns of a chunk ---- */

/* Speeds and accelerations of the drives. */
static void turn_drives(ArmDynStream *stream) {
  const StreamSamples *chunk = &stream->chunk;
  const size_t size = stream->model.n * STREAM_CHUNK;
  arm_dyn_couple_rates(&stream->model, STREAM_CHUNK, chunk->qd, stream->drive);
  arm_dyn_couple_rates(&stream->model, STREAM_CHUNK, chunk->qdd, stream->drive + size);
}

static double least_speed(const ArmDynStream *stream, size_t j) {
  const ArmDynStreamOptions *options = &stream->options;
  return stream->model.joints[j].type == ARM_JOINT_R ? options->min_speed_R : options->min_speed_T;
}

/* Of the speed s itself: at its acceleration it turns round within that time, or did. */
static double turning_speed(const ArmDynStream *stream, size_t j, size_t s) {
  const double *acceleration = stream->drive + (stream->model.n + j) * STREAM_CHUNK;
  const ArmDynStreamOptions *options = &stream->options;
  if (!stream->smooth)
    return 0;
  const double time_s = turning_periods / arm_dyn_stream_smooth_Hz(options) + options->step_s;
  return time_s * fabs(acceleration[s]);
}

/* Near standstill, or at a reversal: stream.h. */
static bool is_slow(const ArmDynStream *stream, size_t j, size_t s) {
  const double least = fmax(least_speed(stream, j), turning_speed(stream, j, s));
  return !(fabs(stream->drive[j * STREAM_CHUNK + s]) > least);
}

static bool is_at_limit(const ArmDynStream *stream, size_t j, double effort) {
  const double most = stream->options.most_effort[j];
  return most > 0 && fabs(effort) >= at_limit * most && fabs(effort) <= beyond_limit * most;
}

static ArmDynUse use_of_effort(const ArmDynStream *stream, size_t j, size_t s) {
  const double effort = stream->chunk.effort[j * STREAM_CHUNK + s];
  if (!isfinite(effort))
    return ARM_DYN_NO_EFFORT;
  return is_at_limit(stream, j, effort) ? ARM_DYN_AT_LIMIT : ARM_DYN_USED;
}

static ArmDynUse use_of(const ArmDynStream *stream, size_t j, size_t s) {
  const StreamSamples *chunk = &stream->chunk;
  if (chunk->joint[s] > 0 && chunk->joint[s] != (double)(j + 1))
    return ARM_DYN_HELD;
  if (is_slow(stream, j, s))
    return ARM_DYN_SLOW;
  return use_of_effort(stream, j, s);
}

/* The same joint by joint: what counts is the joint that moves alone. */
static ArmDynUse use_alone(const ArmDynStream *stream, size_t j, size_t s) {
  const StreamSamples *chunk = &stream->chunk;
  if (chunk->joint[s] == 0)
    return ARM_DYN_TOGETHER;
  const size_t mover = (size_t)chunk->joint[s] - 1;
  if (mover > j)
    return ARM_DYN_HELD;
  if (is_slow(stream, mover, s))
    return ARM_DYN_SLOW;
  return use_of_effort(stream, j, s);
}

/* Weights and efforts of joint j; counts. */
static void weigh(ArmDynStream *stream, size_t j) {
  const StreamSamples *chunk = &stream->chunk;
  size_t *by_use = stream->counts.samples[j];
  for (size_t s = 0; s < chunk->count; s++) {
    const bool is_filled = chunk->joint[s] < 0;
    const ArmDynUse use = is_filled                       ? ARM_DYN_NO_STATE
                          : stream->options.is_sequential ? use_alone(stream, j, s)
                                                          : use_of(stream, j, s);
    const bool is_used = use == ARM_DYN_USED;
    by_use[use] += !is_filled;
    stream->weight[s] = is_used;
    stream->effort[s] = is_used ? chunk->effort[j * STREAM_CHUNK + s] : 0;
    if (is_used)
      stream->counts.fastest[j] =
          fmax(stream->counts.fastest[j], fabs(stream->drive[j * STREAM_CHUNK + s]));
  }
}

static void fill_local(ArmDynStream *stream, size_t j) {
  const double *speed = stream->drive + j * STREAM_CHUNK;
  const double *acceleration = speed + stream->model.n * STREAM_CHUNK;
  double *local = stream->local;
  for (size_t s = 0; s < STREAM_CHUNK; s++) {
    local[ARM_DYN_COULOMB_POS * STREAM_CHUNK + s] = speed[s] > 0;
    local[ARM_DYN_VISCOUS_POS * STREAM_CHUNK + s] = speed[s] > 0 ? speed[s] : 0;
    local[ARM_DYN_COULOMB_NEG * STREAM_CHUNK + s] = speed[s] < 0;
    local[ARM_DYN_VISCOUS_NEG * STREAM_CHUNK + s] = speed[s] < 0 ? speed[s] : 0;
    local[ARM_DYN_ROTOR * STREAM_CHUNK + s] = acceleration[s];
  }
}

/* What a held drive has for a speed is noise. */
static void hold_local(ArmDynStream *stream, size_t j) {
  const double *speed = stream->drive + j * STREAM_CHUNK, least = least_speed(stream, j);
  for (size_t s = 0; s < STREAM_CHUNK; s++)
    for (size_t l = 0; l < ARM_DYN_LOCAL && !(fabs(speed[s]) > least); l++)
      stream->local[l * STREAM_CHUNK + s] = 0;
}

/* Y_b beta of the chunk. */
static void sum_torques(const ArmDynStream *stream, size_t j, double *torque) {
  const StreamJoint *joint = &stream->joints[j];
  memset(torque, 0, STREAM_CHUNK * sizeof *torque);
  for (size_t e = 0; e < joint->felt; e++) {
    const double *y = joint->source[stream->own + e];
    const double beta = stream->options.terms->beta[joint->place[e] - stream->own];
    for (size_t s = 0; s < STREAM_CHUNK; s++)
      torque[s] += y[s] * beta;
  }
}

static void note_load(ArmDynStream *stream, size_t j, double size) {
  double *seen = stream->counts.load[j];
  const bool is_first = seen[1] == 0;
  seen[0] = is_first ? size : fmin(seen[0], size);
  seen[1] = fmax(seen[1], size);
}

static void fill_terms(ArmDynStream *stream, size_t j) {
  const double *speed = stream->drive + j * STREAM_CHUNK;
  const double eta = stream->options.terms->eta[j];
  const double *curve_speed = stream->options.terms->curve_speed[j];
  double torque[STREAM_CHUNK];
  sum_torques(stream, j, torque);
  for (size_t s = 0; s < STREAM_CHUNK; s++) {
    const double way = (double)((speed[s] > 0) - (speed[s] < 0)) * (eta < 0 ? -1 : 1);
    const double load = fabs(eta * torque[s]);
    stream->local[ARM_DYN_LOAD * STREAM_CHUNK + s] = way * load;
    for (size_t c = 0; c < ARM_DYN_CURVES; c++)
      stream->local[(ARM_DYN_CURVE + c) * STREAM_CHUNK + s] =
          way * exp(-fabs(speed[s]) / curve_speed[c]);
    if (s < stream->chunk.count && stream->weight[s] > 0)
      note_load(stream, j, load);
  }
}

/* ---- rows ---- */

ArmStatus arm_stream_rows_flush(ArmDynStream *stream, size_t j) {
  StreamJoint *joint = stream->joints + j;
  const size_t rows = joint->rows;
  const bool follows = joint->follows;
  if (rows == 0)
    return ARM_OK;
  joint->rows = 0;
  joint->follows = true;
  stream->counts.rows[j] += rows;
  return stream->sink(stream->user, j, rows, follows, joint->t, joint->block, STREAM_ROWS);
}

/* The next row does not follow. */
static ArmStatus interrupt(ArmDynStream *stream, size_t j) {
  const ArmStatus status = arm_stream_rows_flush(stream, j);
  stream->joints[j].follows = false;
  return status;
}

/* Which column of a row source c goes to. */
static size_t column_in_row(const ArmDynStream *stream, const StreamJoint *joint, size_t c) {
  if (c == joint->columns - 1)
    return row_width(stream) - 1;
  return c < stream->own ? c : joint->place[c - stream->own];
}

static double *target_of(const ArmDynStream *stream, const StreamJoint *joint, size_t c) {
  return joint->block + column_in_row(stream, joint, c) * STREAM_ROWS;
}

/* What the filter has ready. */
static ArmStatus take_rows(ArmDynStream *stream, size_t j) {
  StreamJoint *joint = stream->joints + j;
  ArmStatus status = ARM_OK;
  double weight;
  while (status == ARM_OK && arm_fir_take(joint->fir, stream->sums, &weight, NULL)) {
    const size_t number = joint->number++;
    if (!(weight >= least_weight)) {
      stream->counts.thin[j]++;
      status = interrupt(stream, j);
      continue;
    }
    for (size_t c = 0; c < joint->columns; c++)
      target_of(stream, joint, c)[joint->rows] = stream->sums[c] / weight;
    joint->t[joint->rows] = stream->centre[number % stream->centres];
    if (++joint->rows == STREAM_ROWS)
      status = arm_stream_rows_flush(stream, j);
  }
  return status;
}

/* Without a filter: the samples that count, run by run. */
static ArmStatus copy_rows(ArmDynStream *stream, size_t j) {
  StreamJoint *joint = stream->joints + j;
  const size_t count = stream->chunk.count;
  ArmStatus status = ARM_OK;
  for (size_t s = 0, end; s < count && status == ARM_OK; s = end + 1) {
    for (end = s; end < count && stream->weight[end] > 0;)
      end++;
    joint->rows = end - s;
    memcpy(joint->t, stream->chunk.t + s, (end - s) * sizeof *joint->t);
    for (size_t c = 0; c < joint->columns; c++)
      memcpy(target_of(stream, joint, c), joint->source[c] + s, (end - s) * sizeof(double));
    status = end < count ? interrupt(stream, j) : arm_stream_rows_flush(stream, j);
  }
  return status;
}

/* Sample s as it is. */
static ArmStatus tap_sample(ArmDynStream *stream, size_t j, size_t s) {
  const StreamJoint *joint = &stream->joints[j];
  memset(stream->tapped, 0, row_width(stream) * sizeof *stream->tapped);
  for (size_t c = 0; c < joint->columns; c++)
    stream->tapped[column_in_row(stream, joint, c)] = joint->source[c][s];
  return stream->tap(stream->tap_user, j, 1, false, stream->chunk.t + s, stream->tapped, 1);
}

/* Of the samples that are amid the filter's outputs those that count. */
static ArmStatus tap_rows(ArmDynStream *stream, size_t j) {
  const size_t first = stream->sampled - stream->chunk.count;
  ArmStatus status = ARM_OK;
  for (size_t s = 0; s < stream->chunk.count && status == ARM_OK; s++)
    if ((first + s) % stream->options.keep == 0 && stream->weight[s] > 0)
      status = tap_sample(stream, j, s);
  return status;
}

static ArmStatus joint_rows(ArmDynStream *stream, size_t j) {
  StreamJoint *joint = stream->joints + j;
  weigh(stream, j);
  fill_local(stream, j);
  if (stream->options.is_sequential)
    hold_local(stream, j);
  if (stream->options.terms)
    fill_terms(stream, j);
  if (!joint->fir)
    return copy_rows(stream, j);
  ArmStatus status = stream->tap ? tap_rows(stream, j) : ARM_OK;
  if (status == ARM_OK)
    status = arm_fir_push(joint->fir, stream->chunk.count, joint->source, stream->weight);
  return status == ARM_OK ? take_rows(stream, j) : status;
}

/* Times of the samples amid the filter's outputs. */
static void note_centres(ArmDynStream *stream) {
  const size_t keep = stream->options.keep;
  for (size_t s = 0; s < stream->chunk.count && keep > 0; s++, stream->sampled++)
    if (stream->sampled % keep == 0)
      stream->centre[stream->sampled / keep % stream->centres] = stream->chunk.t[s];
}

ArmStatus arm_stream_rows(ArmDynStream *stream) {
  StreamSamples *chunk = &stream->chunk;
  ArmStatus status = ARM_OK;
  if (chunk->count == 0)
    return ARM_OK;
  turn_drives(stream);
  arm_dyn_regressor_outboard_batch(&stream->dyn, STREAM_CHUNK, chunk->q, chunk->qd, chunk->qdd,
                                   stream->y);
  arm_dyn_couple_rows(&stream->model, stream->base->count, stream->base->kept, STREAM_CHUNK,
                      stream->y);
  for (size_t s = 0; s < chunk->count; s++)
    stream->out += chunk->joint[s] >= 0;
  note_centres(stream);
  for (size_t j = 0; j < stream->model.n && status == ARM_OK; j++)
    status = joint_rows(stream, j);
  chunk->count = 0;
  return status;
}

ArmStatus arm_stream_rows_end(ArmDynStream *stream) {
  ArmStatus status = ARM_OK;
  stream->sampled = 0;
  for (size_t j = 0; j < stream->model.n && status == ARM_OK; j++) {
    ArmFir *fir = stream->joints[j].fir;
    if (fir) {
      arm_fir_end(fir);
      status = take_rows(stream, j);
      arm_fir_reset(fir);
      stream->joints[j].number = 0;
    }
    if (status == ARM_OK)
      status = interrupt(stream, j);
  }
  return status;
}
