/* SPDX-License-Identifier: MIT */
/* Rows for identification of full dynamics (core/dynamics/rows.h) of arms whose truth is known. */
#ifndef ARMATURE_TESTS_DYN_ROWS_H
#define ARMATURE_TESTS_DYN_ROWS_H

#include "core/dynamics/identify.h"
#include "core/dynamics/information.h"
#include "support/support.h"

/* Positions, speeds and accelerations of all joints, samples x n column-major. Owned. */
typedef struct {
  size_t n, samples;
  double *q, *qd, *qdd;
} DynMotion;

/* Random states: they do not follow each other. R +-pi, T +-0.7 m; speeds of sd 2, accelerations of
 * sd 4. */
void dyn_motion_random(TestRng *rng, size_t n, size_t samples, DynMotion *motion);
/* All joints at once, `harmonics` sines of 0.1 Hz each, `period` s long in even steps; R: up to
 * some 1.2 rad and 2 rad/s, T: a quarter of that in m. */
void dyn_motion_fourier(TestRng *rng, const ArmModel *model, size_t samples, double period,
                        size_t harmonics, DynMotion *motion);
void dyn_motion_clear(DynMotion *motion);

/* What drives the arm; local terms in A, already times eta. */
typedef struct {
  double eta[ARM_MAX_JOINTS];
  double local[ARM_MAX_JOINTS][ARM_DYN_LOCAL];
} DynDrives;

/* Torque constants between 0.02 and 0.2 A/(N m), every fourth negative; rotors and friction. */
void dyn_drives_random(TestRng *rng, size_t n, DynDrives *drives);

typedef struct {
  size_t n, count, samples, columns; /* columns: ARM_DYN_LOCAL + count + 1 */
  double *rows[ARM_MAX_JOINTS];      /* samples x columns of each joint */
  double *current;                   /* samples x n, without noise */
} DynRows;

/* Rows of a motion, efforts 0. Ends the program without memory. Free with dyn_rows_clear. */
void dyn_rows_init(const ArmModel *model, const ArmBase *base, const DynMotion *motion,
                   DynRows *rows);
void dyn_rows_clear(DynRows *rows);

/* Currents of an arm with these base parameters, into `current` and the rows.
 *   beta  count */
void dyn_rows_drive(DynRows *rows, const double *beta, const DynDrives *drives);

/* The rows have current + white noise of sd sigma[j]. */
void dyn_rows_disturb(DynRows *rows, TestRng *rng, const double *sigma);

/* All rows of all joints into an empty information; false: refused. */
bool dyn_rows_push(const DynRows *rows, ArmInformation *information);

/* Largest error of the fit's currents over 1 + the largest current, in a random motion that was not
 * fitted.
 *   beta, drives  the truth */
double dyn_rows_unseen(const ArmModel *model, const ArmBase *base, const double *beta,
                       const DynDrives *drives, const ArmDynamicsFit *fit, TestRng *rng);

#endif
