/* SPDX-License-Identifier: MIT */
/* Motor currents that a motion is going to take, and their limits.
 *
 *   i = eta (A^-T tau + r A qdd) + f(A qd)     A, A/(N m), N m     Lin 1994 (20), (38)-(40)
 *
 * tau: the arm file's links; r: rotors, on the joints' side; A = I + L: the drives' coupling; eta:
 * gear ratio and torque constant of the data sheet; f: Coulomb and viscous friction of an earlier
 * fit, without one 0. A drive whose current nobody can tell, or that has no limit, is not held to
 * one: a link from its joint on is missing, or it is unknown.
 * Thread rule: re-entrant; constant after arm_drive_currents_init.
 */
#ifndef ARMATURE_CORE_EXCITE_CURRENTS_H
#define ARMATURE_CORE_EXCITE_CURRENTS_H

#include "core/arm/dyn.h"

typedef struct {
  double coulomb_pos, viscous_pos, coulomb_neg, viscous_neg; /* A, A s/rad; signs as in (20) */
} ArmCurrentFriction;

typedef struct {
  size_t n;
  ArmDyn dyn;
  double pi[ARM_INERTIA_PARAMETERS * ARM_MAX_JOINTS];
  double rotor[ARM_MAX_JOINTS]; /* kg m^2, kg; 0 where it is not known */
  bool has_coupling;
  double coupling[ARM_MAX_JOINTS][ARM_MAX_JOINTS]; /* L, below its diagonal */
  double eta[ARM_MAX_JOINTS];                      /* 0 where it is not known */
  double limit[ARM_MAX_JOINTS];                    /* A; INFINITY: not held to one */
  double soft[ARM_MAX_JOINTS]; /* rad/s, m/s: below it the designer's Coulomb friction is less */
  ArmCurrentFriction friction[ARM_MAX_JOINTS];
} ArmDriveCurrents;

/*   friction  n  NULL = none
 * ARM_E_ARGUMENT, ARM_E_NOT_FINITE: of arm_dyn_init; currents is then untouched. */
ARM_MUST_CHECK ArmStatus arm_drive_currents_init(const ArmModel *model,
                                                 const ArmCurrentFriction *friction,
                                                 ArmDriveCurrents *currents);

/* How many joints are held to a limit. */
size_t arm_drive_currents_kept(const ArmDriveCurrents *currents);

/* Currents of a motion, 0 where nobody can tell.
 *   is_smooth      Coulomb friction by tanh: what has a gradient
 *   q qd qdd, out  samples x n  column-major */
void arm_drive_currents_at(const ArmDriveCurrents *currents, bool is_smooth, size_t samples,
                           const double *q, const double *qd, const double *qdd, double *out);

/* The gradient of sum over samples and joints of bar i, of smooth currents.
 *   bar                   samples x n
 *   work                  samples x 10 n x n  scratch
 *   q_bar qd_bar qdd_bar  samples x n         out */
void arm_drive_currents_gradient(const ArmDriveCurrents *currents, size_t samples, const double *q,
                                 const double *qd, const double *qdd, const double *bar,
                                 double *work, double *q_bar, double *qd_bar, double *qdd_bar);

typedef struct {
  size_t joint;   /* from 0 */
  size_t samples; /* how many are beyond */
  size_t worst;   /* the one that is furthest beyond */
  double value, limit;
} ArmCurrentViolation;

/* Samples beyond `part` of the limits, at most one entry per joint.
 *   current  samples x n
 *   out      n
 * Returns how many there are. */
size_t arm_drive_currents_violations(const ArmDriveCurrents *currents, double part, size_t samples,
                                     const double *current, ArmCurrentViolation *out);

#endif
