/* SPDX-License-Identifier: MIT */
/* Steps and scatter of positions by differences of readings, another error in their place, and the
 * shifts of estimates as a part of their covariance. */
#include "core/dynamics/resolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/random.h"
#include "core/dynamics/identify_internal.h"

/* ---- the step ---- */

/* Differences of more steps say little of how large one is. Readings that were rounded again in a
 * file are off whole steps by as much as `slack`; numbers of no step at all keep it in 3 of 10. */
static const double most_steps = 20, slack = 0.15, smaller = 0.75, least_on = 0.8;
/* Fewer may be chance; a motion of constant speed changes by the same at each sample. */
enum { LEAST_CHANGES = 20 };

static void start_over(ArmResolution *r, double difference) {
  r->least = r->sum = difference;
  r->wholes = r->last_wholes = 1;
  r->few = r->on = 1;
  r->changes = 0;
}

void arm_resolution_add(ArmResolution *r, double q) {
  const double difference = fabs(q - r->last);
  const bool is_next = r->has_last;
  r->has_last = isfinite(q);
  r->last = q;
  if (!is_next || !r->has_last)
    return;
  if (difference > 0 && (r->least == 0 || difference < smaller * r->least)) {
    start_over(r, difference);
    return;
  }
  const double steps = r->wholes > 0 ? difference * r->wholes / r->sum : 0;
  const double wholes = floor(steps + 0.5);
  if (steps > most_steps)
    return;
  r->changes += wholes != r->last_wholes;
  r->last_wholes = wholes;
  if (wholes == 0)
    return;
  r->few++;
  if (fabs(steps - wholes) > slack)
    return;
  r->on++;
  r->sum += difference;
  r->wholes += wholes;
}

double arm_resolution_step(const ArmResolution *r) {
  const bool is_one = r->changes >= LEAST_CHANGES && (double)r->on >= least_on * (double)r->few;
  return is_one ? r->sum / r->wholes : 0;
}

/* ---- scatter ---- */

/* Squares of binomials sum up to C(2k, k): sds of differences of order 6 and 8 of white noise of sd
 * 1, and what of them a normal one has for a mean size. */
static const double sixth_sd = 30.397368307141326, eighth_sd = 113.44602240713422;
static const double mean_size = 0.79788456080286536; /* sqrt(2/pi) */
/* Their ratio is 3.732; 4 of what alternates, less of what is slower. Some 500 tell it to 0.1. */
static const double white_within = 0.12;
enum { LEAST_DIFFERENCES = 500 };

void arm_scatter_add(ArmScatter *s, double q) {
  double now = q;
  if (!isfinite(q)) {
    s->follow = 0;
    return;
  }
  for (size_t k = 0; k <= ARM_SCATTER_ORDER; k++) {
    const double before = s->difference[k];
    s->difference[k] = now;
    if (k >= s->follow)
      break;
    now -= before;
  }
  if (s->follow < ARM_SCATTER_ORDER) {
    s->follow++;
    return;
  }
  s->sixth += fabs(s->difference[6]);
  s->eighth += fabs(s->difference[ARM_SCATTER_ORDER]);
  s->count++;
}

double arm_scatter_sd(const ArmScatter *s) {
  if (s->count < LEAST_DIFFERENCES || !(s->sixth > 0))
    return 0;
  const bool is_white = fabs(s->eighth / s->sixth - eighth_sd / sixth_sd) < white_within;
  return is_white ? s->eighth / ((double)s->count * mean_size * eighth_sd) : 0;
}

/* ---- does it matter? ---- */

/* Of the rms acceleration. A rotor that is hard to tell from its link has a bias of some 75 times
 * the square of it (PUMA): at a hundredth a third of its sd. */
static const double least_part = 0.01;

double arm_resolution_acceleration_sd(const ArmDynStreamOptions *options, double step) {
  const double smooth_Hz = arm_dyn_stream_smooth_Hz(options);
  if (!(smooth_Hz > 0))
    return 0;
  /* white noise differentiated twice and let through up to the cut-off of the rows */
  const double w = 6.283185307179586 * fmin(options->cutoff_Hz, smooth_Hz);
  return step / sqrt(12) * w * w * sqrt(0.4 * options->cutoff_Hz * options->step_s);
}

ArmStatus arm_resolution_matters(ArmInformation *information, size_t joint,
                                 const ArmDynStreamOptions *options, double step, bool *matters) {
  const size_t m = arm_information_width(information, joint);
  const double mass = arm_information_mass(information, joint);
  double sum = 0;
  double *r = calloc(m * m, sizeof *r);
  if (!r)
    return ARM_E_MEMORY;
  arm_information_triangle(information, joint, r);
  for (size_t i = 0; i <= ARM_DYN_ROTOR; i++)
    sum += r[i + ARM_DYN_ROTOR * m] * r[i + ARM_DYN_ROTOR * m];
  free(r);
  const double sd = arm_resolution_acceleration_sd(options, step);
  *matters = mass > 0 && sd > 0 && sd > least_part * sqrt(sum / mass);
  return ARM_OK;
}

/* ---- another error ---- */

double arm_dither(ArmDither *dither, double step, double q) {
  if (!isfinite(q) || !(step > 0))
    return q;
  if (!dither->has_reading || q != dither->reading) {
    dither->error = arm_random_uniform(&dither->state, -step / 2, step / 2);
    dither->reading = q;
    dither->has_reading = true;
  }
  return q + dither->error;
}

/* ---- shifts ---- */

/* Of what was estimated; 0 of the rest, which has no covariance. */
static void find_shift(const ArmDynamicsFit *fit, const ArmDynamicsFit *refit, double *shift) {
  const size_t u = fit->unknowns;
  for (size_t b = 0; b < fit->count; b++)
    shift[b] = refit->base[b].used - fit->base[b].used;
  for (size_t j = 0; j < fit->n; j++) {
    const ArmDynamicsJointFit *from = &fit->joint[j], *to = &refit->joint[j];
    for (size_t l = 0; l < ARM_DYN_OWN; l++)
      shift[arm_dynamics_place(fit, j, l)] = to->local[l].used - from->local[l].used;
    shift[arm_dynamics_place(fit, j, ARM_DYN_OWN)] = to->log_eta - from->log_eta;
  }
  for (size_t k = 0; k < u; k++)
    if (!(fit->covariance[k + k * u] > 0))
      shift[k] = 0;
}

static double growth(const ArmEstimate *before, const ArmEstimate *after) {
  return after->identifiable && before->sd > 0 ? after->sd / before->sd : 1;
}

/* Largest factor of told sds. */
static double most_growth(const ArmDynamicsFit *fit, const ArmEstimate *base,
                          const ArmDynamicsJointFit *joint) {
  double most = 1;
  for (size_t b = 0; b < fit->count; b++)
    most = fmax(most, growth(&base[b], &fit->base[b]));
  for (size_t j = 0; j < fit->n; j++) {
    for (size_t l = 0; l < ARM_DYN_OWN; l++)
      most = fmax(most, growth(&joint[j].local[l], &fit->joint[j].local[l]));
    most = fmax(most, growth(&joint[j].eta, &fit->joint[j].eta));
    most = fmax(most, growth(&joint[j].to_first, &fit->joint[j].to_first));
  }
  return most;
}

static void add_square(const double *shift, size_t u, double by, double *covariance) {
  for (size_t b = 0; b < u; b++)
    for (size_t a = 0; a < u && shift[b] != 0; a++)
      covariance[a + b * u] += by * shift[a] * shift[b];
}

ArmStatus arm_dynamics_widen_shifts(ArmDynamicsFit *fit, ArmDynamicsFit *const *refits,
                                    size_t count, double *most) {
  const size_t u = fit->unknowns;
  size_t converged = 0;
  for (size_t k = 0; k < count; k++) {
    if (refits[k]->unknowns != u || refits[k]->count != fit->count)
      return ARM_E_ARGUMENT;
    converged += refits[k]->has_converged;
  }
  double *shift = calloc(u + 1, sizeof *shift);
  ArmEstimate *base = malloc((fit->count + 1) * sizeof *base);
  ArmDynamicsJointFit *joint = malloc(sizeof fit->joint);
  const bool is_out = !shift || !base || !joint;
  if (!is_out) {
    memcpy(base, fit->base, fit->count * sizeof *base);
    memcpy(joint, fit->joint, sizeof fit->joint);
    for (size_t k = 0; k < count && fit->has_converged; k++) {
      if (!refits[k]->has_converged)
        continue;
      find_shift(fit, refits[k], shift);
      add_square(shift, u, 1 / (double)converged, fit->covariance);
    }
    arm_dyn_restate(fit);
    *most = most_growth(fit, base, joint);
  }
  free(shift);
  free(base);
  free(joint);
  return is_out ? ARM_E_MEMORY : ARM_OK;
}
