/* SPDX-License-Identifier: MIT */
/* From samples of a moving arm to rows of the identification of its full dynamics (rows.h), in
 * blocks of any size and fixed memory.
 *
 *   sum_k h_k w_jk [ local_j | (Y_b)_j | i_j ]_k / sum_k h_k w_jk         a row of joint j
 *
 *   h  zero-phase low-pass (core/num/fir.h), the same on current and on every column: with the
 *      current filtered and the columns not, what is identified is biased (PUMA, encoder of 1e-4
 *      rad, 0.1 A of noise, 16 recordings of 20 s: 39 to 130 instead of 3 to 16 mA of error on
 *      another motion). One row in `keep` is made
 *   w  1 for a sample that counts, else 0. Samples near standstill, where the sign of the speed is
 *      undefined and current is stiction, and those without a current weigh nothing, in all columns
 *      alike; a row needs half of the filter's weight. Low-passed positions count neither within
 *      1.1 periods of their own cut-off f and a sample of a reversal, which is known only to a
 *      sample, |qd| <= (1.1 / f + step_s) |qdd|: friction turns there at once, which currents and
 *      signs of speeds show sharply, low-passed accelerations only after their step response. All
 *      samples about a reversal would agree on the mean; those that the least speed leaves do not
 * q, and qd and qdd where they are not given, are low-passed at f, three times the cut-off and at
 * least 15 Hz, and differentiated as band-limited signals (core/num/smooth.h): flat where h lets
 * anything through, so that columns have seen one filter more than currents only where neither has
 * anything left; that currents and all columns see the same is what the notes ask for (full
 * dynamics, 5.4). At the cut-off itself columns would lose a part of what lies between half and 1.5
 * of it, where friction that lets go shakes an arm: inertias of a simulated 2R arm with sticking
 * joints came out 1.2 to 5 % too large, beyond their sds. 15 Hz are those of the default cut-off: a
 * lower one is for the noise of currents, and with a lower f more would be smeared about reversals,
 * and left out. A fifth of the sampling rate is the most: recordings of less than ten samples a
 * period of the cut-off lose some of it.
 *
 * Samples are taken as equally spaced. A segment ends where time does not increase, where more
 * than a tenth of a period of the cut-off is missing (below, q is interpolated linearly: 0.3 % of
 * the largest current in the rows there; what was filled in weighs nothing), and by
 * arm_dyn_stream_cut. Of each segment 3.2 periods of f at either end, and up to 10 samples more
 * where these are coarse, give no q, qd, qdd without bias and are left out (none where qd and qdd
 * are given): the smoother's memory. The filter over the columns costs no more: its weights end
 * where the samples do.
 *
 * Where drives are coupled, L not 0, Y_b is that of the motors, (I+L)^-T Y_b (Lin, IEEE TAC note
 * 1994, (38)-(40)), and a joint moves when its drive does.
 *
 * For an identification joint by joint (Lin 1992) efforts are torques, and a sample in which joint
 * i moves alone, by the same rule for its speed, counts for joints i .. n: what they carry turns as
 * one body. A held joint has no friction then, and no rotor: its torque is felt beyond them.
 * Samples in which all may move count for none.
 * Deterministic: the same rows, bit for bit, whatever the blocks. Nothing allocates after
 * arm_dyn_stream_new. Thread rule: re-entrant; two calls never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_STREAM_H
#define ARMATURE_CORE_DYNAMICS_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/base/status.h"
#include "core/dynamics/base.h"
#include "core/dynamics/rows.h"
#include "core/num/fir.h"

/* What friction terms are made of: with them a row has ARM_DYN_OWN columns of the drive's own. */
typedef struct {
  const double *beta;         /* count   base parameters of an earlier fit; borrowed */
  double eta[ARM_MAX_JOINTS]; /* L = eta (Y_b)_j . beta; its sign is that of s */
  double curve_speed[ARM_MAX_JOINTS][ARM_DYN_CURVES]; /* above 0 [rad/s, m/s] */
} ArmDynTerms;

/* Least cut-off over the sampling rate: some 100 MB for n = 6. */
#define ARM_DYN_LEAST_CUTOFF 1e-5

typedef struct {
  double step_s;            /* between samples [s]: arm_filter_median_step of the recording */
  double cutoff_Hz;         /* -6 dB; 0: no filter, each sample that counts is a row. Default 5 */
  double min_speed_R;       /* rad/s, default 0.01 */
  double min_speed_T;       /* m/s, default 0.001 */
  size_t keep;              /* filtered rows: one of so many; 0: four per period of the cut-off */
  bool has_qd, has_qdd;     /* given with the samples */
  bool is_sequential;       /* torques of held joints count, too: see above */
  const ArmDynTerms *terms; /* NULL: rows without; lives as long as the stream */
  /* Where amplifiers limit [A]; 0, NAN: not known. A current from 0.99 to 1.05 of it says no more
   * than that it is limited, and does not count; one beyond, that this is not its limit. */
  double most_effort[ARM_MAX_JOINTS];
} ArmDynStreamOptions;

/* Defaults, but for step_s, which is NAN: 5 Hz is amid the 2 to 10 Hz that were found equal. */
void arm_dyn_stream_options_default(ArmDynStreamOptions *options);

/* What is wrong with options or a motion. */
typedef enum {
  ARM_DYN_STREAM_GOOD = 0,
  ARM_DYN_STREAM_NO_STEP, /* the time between samples is not a positive number */
  ARM_DYN_STREAM_FILTER, /* the cut-off is below ARM_DYN_LEAST_CUTOFF or half of the rate or more */
  ARM_DYN_STREAM_COARSE, /* the cut-off is above a fifth of it: too coarse to differentiate */
  ARM_DYN_STREAM_NO_RATES,  /* no filter, and qd or qdd is not given */
  ARM_DYN_STREAM_STANDS,    /* never faster than the least speed */
  ARM_DYN_STREAM_TOGETHER,  /* is_sequential: it moves, but never alone */
  ARM_DYN_STREAM_NO_EFFORT, /* no current or torque while it moves */
  ARM_DYN_STREAM_NO_STATE,  /* positions (or given speeds, accelerations) are missing */
  ARM_DYN_STREAM_TOO_SHORT, /* no segment, or no motion, is as long as the filter */
  ARM_DYN_STREAM_AT_LIMIT,  /* its current is at its limit */
  ARM_DYN_STREAM_PROBLEMS
} ArmDynStreamProblem;

/* Snake-case key, stable for files. Static storage. */
const char *arm_dyn_stream_problem_key(ArmDynStreamProblem problem);

/* Of options: GOOD or one of the first four. */
ArmDynStreamProblem arm_dyn_stream_check(const ArmDynStreamOptions *options);

/* Cut-off f of positions, of options that arm_dyn_stream_check finds good: three times that of the
 * rows, at least 15 Hz, or a fifth of the sampling rate if that is less; NAN: both are given. */
double arm_dyn_stream_smooth_Hz(const ArmDynStreamOptions *options);

/* What white noise of efforts is like in rows of options that arm_dyn_stream_check finds good.
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_dyn_stream_white(const ArmDynStreamOptions *options,
                                              ArmFirWhite *white);

/* Why a sample counts for a joint or does not: exactly one reason each. */
typedef enum {
  ARM_DYN_USED = 0,
  ARM_DYN_SLOW,      /* |speed| of its drive, or of the joint's that moves alone, is not above the
                        least speed, or it reverses */
  ARM_DYN_NO_EFFORT, /* its current or torque is missing */
  ARM_DYN_HELD,      /* another joint is swept alone; is_sequential: one beyond */
  ARM_DYN_NO_STATE,  /* time, a position, or a given speed or acceleration is missing */
  ARM_DYN_EDGE,      /* at an end of its segment, shorter than the filter's memory */
  ARM_DYN_SHORT,     /* its segment is shorter than the filter */
  ARM_DYN_TOGETHER,  /* is_sequential: all may move */
  ARM_DYN_AT_LIMIT,  /* its current is at its limit: most_effort */
  ARM_DYN_USES
} ArmDynUse;

/* Snake-case key of a reason ("below_min_speed"), stable for files. Static storage. */
const char *arm_dyn_use_key(ArmDynUse use);

typedef struct {
  size_t samples[ARM_MAX_JOINTS][ARM_DYN_USES];
  size_t rows[ARM_MAX_JOINTS];    /* given to the sink */
  size_t thin[ARM_MAX_JOINTS];    /* rows left out: less than half of the filter's weight counts */
  size_t segments;                /* with a sample */
  size_t filled;                  /* samples that were missing and were interpolated */
  double fastest[ARM_MAX_JOINTS]; /* |speed| of the drive among samples that count; 0: none */
  double load[ARM_MAX_JOINTS][2]; /* least and largest |L| of the same, with terms; 0, 0: none */
} ArmDynStreamCounts;

/* Takes rows of one joint that follow each other at equal steps, in the order of time.
 *   follows  the first of them follows the last of this joint's call before, too; false: some were
 *            left out between, or another segment begins
 *   t        rows                                amid its window, a sample's [s]
 *   block    rows x (ARM_DYN_LOCAL + count + 1)  column-major, leading dimension ld, as
 *            arm_lsq_push_block takes it; with terms ARM_DYN_OWN + ..; valid during the call
 * What it returns, if not ARM_OK, ends the call that it came from. */
typedef ArmStatus ArmDynSink(void *user, size_t joint, size_t rows, bool follows, const double *t,
                             const double *block, size_t ld);

/* Samples in the order of time, column-major, leading dimension ld. NAN: not measured. */
typedef struct {
  size_t samples, ld;
  const double *t;      /* samples      [s] */
  const int *joint;     /* samples      from 1: moves alone; 0: all may move; NULL: all 0 */
  const double *q;      /* samples x n  [rad, m] */
  const double *qd;     /* samples x n, where options.has_qd; NAN of a held joint counts as 0 */
  const double *qdd;    /* samples x n, where options.has_qdd; the same */
  const double *effort; /* samples x n  current [A], or torque or force [N m, N] */
} ArmDynSamples;

typedef struct ArmDynStream ArmDynStream;

/* A stream before its first sample.
 *   model  copied
 *   base   base parameters of the links alone (with = 0) of this model; borrowed
 *   sink   called with `user`, during push, cut and finish
 * Memory for n = 6, 1 kHz, 5 Hz: some 1.2 MB. Free with arm_dyn_stream_free (NULL allowed).
 * ARM_E_ARGUMENT: arm_dyn_stream_check says why, or base is not of such a model, or a least speed
 * is negative. ARM_E_NOT_FINITE: the geometry. ARM_E_MEMORY. *stream is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dyn_stream_new(const ArmModel *model, const ArmBase *base,
                                            const ArmDynStreamOptions *options, ArmDynSink *sink,
                                            void *user, ArmDynStream **stream);
void arm_dyn_stream_free(ArmDynStream *stream);

/* Before the first sample: rows of single samples go to `sink`, too, as they are before the filter,
 * one in `keep` of those that count; none follows another. Without a filter there are none. What
 * is behind the filter has less noise than a single sample: this is how much a sample has.
 * ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_dyn_stream_tap(ArmDynStream *stream, ArmDynSink *sink, void *user);

/* ARM_E_ARGUMENT: ld < samples, or a joint outside 0..n, nothing is added. What the sink returns:
 * the stream can then only be freed. */
ARM_MUST_CHECK ArmStatus arm_dyn_stream_push(ArmDynStream *stream, const ArmDynSamples *samples);

/* Ends the segment: what follows is another recording. What the sink returns. */
ARM_MUST_CHECK ArmStatus arm_dyn_stream_cut(ArmDynStream *stream);

/* Ends the segment and gives all rows that are left. ARM_E_NO_DATA: there was no row at all
 * (arm_dyn_stream_why of each joint). What the sink returns. */
ARM_MUST_CHECK ArmStatus arm_dyn_stream_finish(ArmDynStream *stream);

/* Complete after arm_dyn_stream_cut and arm_dyn_stream_finish; lives as long as the stream. */
const ArmDynStreamCounts *arm_dyn_stream_counts(const ArmDynStream *stream);

/* Why joint `joint` has no row so far: GOOD (it has some), or the problem that most of its samples
 * have. */
ArmDynStreamProblem arm_dyn_stream_why(const ArmDynStreamCounts *counts, size_t joint);

#endif
