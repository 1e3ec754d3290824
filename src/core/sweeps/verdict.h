/* SPDX-License-Identifier: MIT */
/* Does the model fit? A verdict per joint that rests on replicates, not on the fit's own residual.
 * Source: Armature theory notes, lack of fit, sections 1 to 4.
 *
 *   even  g = (alpha+ + alpha-)/2     odd  d = (alpha+ - alpha-)/2     pair p = (hold, |speed|)
 *   w_p = 4/(1/n+ + 1/n-),            var g_k = var d_k = s_k^2/w_p  (odd k = 0: + tau^2)
 *
 * letter     meaning                                                            unit
 * alpha_k    coefficients of a stroke's current, k = 0..5 (core/sweeps/stroke.h)       A
 * n+, n-     samples of the stroke forth and back                               1
 * s_k        noise per sample at order k, from the same joint and hold at
 *            another speed: gravity does not depend on speed                    A
 * tau        scatter of friction from stroke to stroke                          A
 * delta      relative change of friction while the joint was swept              1
 * friction   mean |d_0|                                                         A
 * promised   rms over strokes of the sd of the fitted current                   A
 * misfit     rms current that the model cannot follow, pure error taken off     A
 *
 * gravity    the even part depends on the hold as no weights of links explain
 * direction  the odd part depends on position: a delay, friction that grows with load
 * speed      friction is no straight line of speed
 * stroke     one pair of strokes stands out from its replicates
 * scatter    friction scatters from stroke to stroke
 * trend      friction changed while the joint was swept
 */
#ifndef ARMATURE_CORE_VERDICT_H
#define ARMATURE_CORE_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/base/status.h"
#include "core/sweeps/stroke.h"

typedef enum { ARM_VERDICT_FITS = 0, ARM_VERDICT_UNKNOWN, ARM_VERDICT_MISFIT } ArmVerdictKind;

/* In the order in which they are told: each leaks into the later ones, so only the first kind that
 * alarms is told. */
typedef enum {
  ARM_TEST_STROKE = 0,
  ARM_TEST_GRAVITY,
  ARM_TEST_DIRECTION,
  ARM_TEST_SCATTER,
  ARM_TEST_TREND,
  ARM_TEST_SPEED,
  ARM_TESTS
} ArmTestKind;

/* Why nothing can be told, or not well. */
typedef enum {
  ARM_UNTOLD_NOTHING = 0,
  ARM_UNTOLD_NO_STROKES, /* the joint was never swept */
  ARM_UNTOLD_NO_PAIRS,   /* no stroke over the range has one back at the same speed */
  ARM_UNTOLD_ONE_SPEED,  /* no replicates: noise cannot be told from misfit well */
  ARM_UNTOLD_NO_SIGNAL,  /* r2 below the limit: the current is mostly something else */
  ARM_UNTOLD_NUMERIC,
  ARM_UNTOLD_LEFT_OUT,   /* it was swept, but no sample's current can be used */
  ARM_UNTOLD_SHORT,      /* as ONE_SPEED, since strokes at others cover too little of the range */
  ARM_UNTOLD_FEW_PAIRS,  /* most strokes have none back at their speed: what is judged is too little
                           of what was recorded */
  ARM_UNTOLD_UNSURE,     /* gravity or direction misses by more than its limit; the replicates are
                           too few to be sure, but it is hardly chance */
  ARM_UNTOLD_NO_CURRENT, /* many times what the arm file allows: another unit fits as well */
  ARM_UNTOLDS
} ArmUntold;

/* Sizes below which significance alone is a warning; relative ones as a part of friction except
 * gravity_relative. */
typedef struct {
  double gravity_relative;        /* of the rms even current; 0.001 */
  double gravity_promised_factor; /* of promised; 2 */
  double gravity_friction;        /* of friction; 0.002 */
  double direction_relative;      /* 0.02 */
  double direction_A;             /* 0.0001 */
  double speed_relative;          /* 0.05 */
  double scatter_relative;        /* 0.05 */
  double trend_relative;          /* 0.05 */
  double validation_relative;     /* of the rms current, for strokes never fitted; 0.10 */
  double r2;                      /* 0.8 */
} ArmVerdictLimits;

void arm_verdict_limits_default(ArmVerdictLimits *limits);

typedef struct {
  double f, nu, p; /* NAN where the test could not be made; p of scatter and trend as well */
  double size;     /* A; scatter, trend, speed: part of friction */
  double limit;    /* in the unit of size */
  bool is_significant, is_alarm;
  bool is_unsure; /* gravity, direction: beyond the limit, p between that of an alarm and 1e-4 */
} ArmTest;

typedef struct {
  ArmVerdictKind verdict;
  ArmUntold untold;
  size_t strokes, pairs, holds;                       /* pairs: judged */
  double promised, friction, rms_even;                /* A */
  double s[ARM_STROKE_ORDERS], nu[ARM_STROKE_ORDERS]; /* A, dof of each */
  double tau, lag1, trend, trend_sd;
  bool is_heterogeneous; /* the noise is not white */
  ArmTest test[ARM_TESTS];
  double p;          /* smallest of stroke, gravity and direction; NAN: none made */
  size_t worst_hold; /* largest even residual; counted from 0, in order of time */
  double worst_hold_A;
  size_t first_row; /* of the stroke that stands out, in the recording */
  size_t stroke_hold;
  double stroke_speed, stroke_time; /* signed [rad/s, m/s], seconds of the recording */
} ArmJointVerdict;

typedef struct {
  ArmVerdictKind verdict; /* the worst */
  size_t n;
  ArmJointVerdict joint[ARM_MAX_JOINTS];
  double chi2; /* weighted sum of squares of all rows at the fit; about `rows` when all is well */
  size_t rows;
} ArmVerdict;

/* Nothing known of n joints: ARM_UNTOLD_NO_STROKES. */
void arm_verdict_init(ArmVerdict *verdict, size_t n);

/* Snake-case words of files: "fits"; "gravity". Static storage. */
const char *arm_verdict_key(ArmVerdictKind kind);
const char *arm_test_key(ArmTestKind kind);

/* By how much a joint with ARM_UNTOLD_UNSURE misses [A]. */
double arm_verdict_unsure(const ArmJointVerdict *verdict);

/* The first kind that alarms at any joint, ARM_TESTS when none does. */
ArmTestKind arm_verdict_first(const ArmVerdict *verdict);

#endif
