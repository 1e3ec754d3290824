/* SPDX-License-Identifier: MIT */
/* Recordings of arms that move all their joints at once, with drives whose every number is known:
 * torques by arm_dyn_torque, never by a regressor. */
#ifndef ARMATURE_TESTS_MOVING_H
#define ARMATURE_TESTS_MOVING_H

#include "core/arm/model.h"
#include "core/dynamics/rows.h"
#include "core/dynamics/stream.h"
#include "support/support.h"

/* Current of joint j = local . phi + eta m, m the motor's share of the joints' torques; against the
 * motion `load` of |eta m| and `curve` exp(-|v| / curve_speed) too. */
typedef struct {
  double eta, phi[ARM_DYN_LOCAL];
  double load, curve, curve_speed; /* 0: none */
} MovingDrive;

typedef struct {
  size_t n, samples;
  double step_s;
  double *t, *q, *qd, *qdd, *effort; /* column-major, ld = samples */
  int *joint;
} Moving;

/* A Fourier motion: five harmonics of base_Hz, amplitudes up to `size` [rad, a tenth of it in m],
 * phases at random, starting under way at t = 10 s; exact q, qd, qdd; efforts 0, joint 0. */
Moving *moving_new(const ArmModel *model, TestRng *rng, size_t samples, double step_s,
                   double base_Hz, double size);
void moving_free(Moving *m);

/* Efforts of the state as it is in the arrays now.
 *   pi  10 n  of the links */
void moving_drive(Moving *m, const ArmModel *model, const double *pi, const MovingDrive *drives);

/* Friction and rotors of the size of the links' torques; eta around 1/20 A/Nm. */
void moving_random_drives(const ArmModel *model, TestRng *rng, MovingDrive *drives);

/* All samples, qd and qdd included. */
ArmDynSamples moving_samples(const Moving *m);

/* Rows as they come from a stream. */
typedef struct {
  size_t width, room;
  size_t rows[ARM_MAX_JOINTS];
  double *t[ARM_MAX_JOINTS], *row[ARM_MAX_JOINTS]; /* room; room x [width] */
  bool *follows[ARM_MAX_JOINTS];                   /* room  the row before it */
} MovingRows;

/* Room for so many rows of each joint of `count` base parameters. */
MovingRows *moving_rows_new(size_t n, size_t count, size_t room);
void moving_rows_free(MovingRows *rows);
ArmDynSink moving_rows_sink; /* user: a MovingRows; ARM_E_MEMORY when it is full */

/* Pushes all of m in blocks of `block` samples (0: random up to 700) and finishes.
 * Returns what finish does. */
ArmStatus moving_stream(ArmDynStream *stream, const Moving *m, size_t block, TestRng *rng);

#endif
