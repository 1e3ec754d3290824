/* SPDX-License-Identifier: MIT */
/* An arm whose every number is known, and the currents it draws: shares no formula with the core.
 *
 * Gravity torques are the complex-step derivative of the potential energy of the links, posed by
 * composed Rx(beta) Tx(b) Rz(theta) Tz(d). Joints count from 0; R joints first in no particular
 * order, T joints slide along their z.
 */
#ifndef ARMATURE_TESTS_TRUTH_H
#define ARMATURE_TESTS_TRUTH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/data/dataset.h"
#include "support/golden.h"
#include "support/support.h"

enum { TRUTH_MAX_JOINTS = 8 };

typedef struct {
  size_t n;
  bool slides[TRUTH_MAX_JOINTS]; /* T joint */
  double beta[TRUTH_MAX_JOINTS], b[TRUTH_MAX_JOINTS];
  double theta[TRUTH_MAX_JOINTS], d[TRUTH_MAX_JOINTS];
  double gravity[3];
  double mass[TRUTH_MAX_JOINTS], com[TRUTH_MAX_JOINTS][3];
  double eta[TRUTH_MAX_JOINTS];
  double friction[TRUTH_MAX_JOINTS][4]; /* lambda1+, lambda2+, lambda1-, lambda2- */
  double inertia[TRUTH_MAX_JOINTS];     /* own effective inertia [A s^2/rad, A s^2/m] */
  bool has_coupling;
  double coupling[TRUTH_MAX_JOINTS][TRUTH_MAX_JOINTS]; /* L, strictly lower */
} Truth;

typedef struct {
  size_t n_min, n_max;
  bool wants_coupling;    /* couples the last three joints of arms that have three */
  bool wants_inertia;     /* own-joint inertia, otherwise 0 */
  double slide_share;     /* probability of a T joint */
  double odd_angle_share; /* probability of a beta that is neither 0, 45 nor 90 deg */
} TruthOptions;

void truth_options_default(TruthOptions *options);

/* An arm with axes parallel, perpendicular, at 45 deg or at any angle, gravity vertical,
 * horizontal or tilted. */
void truth_random(TestRng *rng, const TruthOptions *options, Truth *truth);

/* The PUMA 560 (AKB frames) that draws the currents of a golden PUMA case. */
void truth_puma(const Golden *golden, Truth *truth);

/* The same arm in the core's words, links included. */
void truth_model(const Truth *truth, ArmModel *model);

/* Torque (T: force) that holds joint i against gravity, before the coupling. */
double truth_torque(const Truth *truth, const double *q, size_t i);

/* Gravity current only; with the coupling. */
double truth_gravity_current(const Truth *truth, const double *q, size_t i);

/* Current of joint i; qdd may be NULL. */
double truth_current(const Truth *truth, const double *q, const double *qd, const double *qdd,
                     size_t i);

/* A random pose: R within +-pi, T within +-0.5 m. */
void truth_pose(const Truth *truth, TestRng *rng, double *q);

/* A recording that grows row by row up to `rows`. */
typedef struct {
  ArmDataset data;
  size_t room;
  double *t, *q, *qd, *qdd, *current;
  int *joint;
} TruthRecording;

bool truth_recording_init(TruthRecording *rec, size_t n, size_t rows, bool has_acceleration);
void truth_recording_clear(TruthRecording *rec);

/* One row in which only `joint` moves (the other speeds and currents are not measured). */
void truth_recording_add(TruthRecording *rec, double t, size_t joint, const double *q, double qd,
                         double qdd, double current);

/* Single-joint sweeps of every joint of the arm at `holds` random poses of the other joints: two
 * speeds, both directions, `positions` rows each. With acceleration the speed varies in a sweep. */
bool truth_recording_sweeps(TruthRecording *rec, const Truth *truth, TestRng *rng, size_t holds,
                            size_t positions, bool has_acceleration);

#endif
