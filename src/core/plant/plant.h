/* SPDX-License-Identifier: MIT */
/* The physics behind a simulated controller: an arm with friction, its motors and amplifiers, its
 * encoders, and the servo law that holds it on its set-points.
 *
 *   rigid:     M(q) qdd + h(q, qd) = (I+L)^T (i - f) / eta      Lin 1994 (20),(38)-(40)
 *   diagonal:  J qdd_i = i_i - gravity current_i(q) - f_i       joint by joint, in ampere
 *              (with gear coupling motor by motor: qdd_i is then that of (I+L) q)
 *
 *   M  n x n   with rotors
 *   i  n       motor currents [A]
 *   f  n       friction as a current at the motor speeds (I+L) qd, LuGre with break-away and
 *              Stribeck or plain Coulomb and viscous
 *
 * The servo runs at its own sample time on quantised positions: Lin 1994 (34)-(36), towards a
 * set-point that moves.
 * Deterministic for a seed: the same calls give the same bits on one machine; a processor with
 * other vector instructions or another libm may differ in the last digits, which stick and slip can
 * carry on. An ArmPlant belongs to one thread.
 *
 * Positions that go in and out are what the encoders tell, but for arm_plant_truth and the stops.
 */
#ifndef ARMATURE_CORE_PLANT_H
#define ARMATURE_CORE_PLANT_H

#include <stdint.h>

#include "core/arm/model.h"

typedef enum { ARM_PLANT_RIGID, ARM_PLANT_DIAGONAL } ArmPlantKind;

/* Joint side, rad or m; friction as the fit reports it, eq (20), and of signs that brake: for
 * eta < 0 its currents are negative at v > 0. */
typedef struct {
  double eta;                      /* i / tau, signed [A/(N m) or A/N], not 0 */
  double coulomb_pos, viscous_pos; /* f at v > 0: coulomb + viscous v [A, A s/rad or A s/m] */
  double coulomb_neg, viscous_neg; /* f at v < 0 */
  double break_away;               /* part by which friction at rest exceeds Coulomb, 0.25 */
  double stribeck_speed;           /* where that excess has decayed to 1/e [rad/s or m/s] */
  double bristle;                  /* LuGre deflection at the Coulomb level; 0: no LuGre, sticks */
  double lag_s;                    /* amplifier time constant; 0: none */
  double current_max;              /* amplifier saturation [A] */
  double encoder;                  /* quantum of the position; 0: none */
  double noise_sd;                 /* white noise of the measured current [A] */
  double inertia;                  /* DIAGONAL: |J| [A s^2/rad or A s^2/m] */
  double servo_inertia;            /* |J_i| of (35) */
  double servo_rho;                /* part of the inertia at the pose that |J_i| is where a constant
                                      one would let the servo swing; 0: it is constant anyhow */
  double position_scale;           /* position that the encoder tells over the true one, 1 */
  double stop_low, stop_high;      /* hard stops; -INFINITY, INFINITY: none */
} ArmPlantJoint;

typedef struct {
  ArmPlantKind kind;
  ArmModel model; /* links, rotors, coupling, gravity: all are copied */
  ArmPlantJoint joints[ARM_MAX_JOINTS];
  double substep_s; /* of the integration, 1e-4 */
  double servo_s;   /* sample time of the servo, a multiple of substep_s, 0.01 */
  double kp, kd;    /* K_P [1/s^2], K_D [1/s], 100 and 20 */
  uint64_t seed;    /* of the noise */
} ArmPlantConfig;

/* What the controller's sensors show. */
typedef struct {
  double t_s;                     /* of the last servo sample */
  double q[ARM_MAX_JOINTS];       /* encoder */
  double qd[ARM_MAX_JOINTS];      /* its difference over one servo sample */
  double current[ARM_MAX_JOINTS]; /* measured motor current [A] */
} ArmPlantReading;

typedef struct ArmPlant ArmPlant;

/* Sensible values from the model: eta of its drives, no friction, current_max of its limits, stops
 * 0.05 rad or 5 mm beyond them, encoder of 1000 counts per motor turn, no noise, servo_inertia =
 * rho times the smallest |eta| M_ii over random poses within the limits (section 8 of the theory
 * notes: rho 0.3), servo_rho = rho. ARM_E_ARGUMENT: the model has no links or no drives, or rho is
 * not positive. ARM_E_NOT_FINITE: its geometry. config is then untouched. */
ARM_MUST_CHECK ArmStatus arm_plant_config_default(ArmPlantConfig *config, const ArmModel *model,
                                                  double rho, uint64_t seed);

/* NULL with a status: ARM_E_ARGUMENT (a value outside its range, friction that drives, links
 * without inertia), ARM_E_NOT_FINITE, ARM_E_MEMORY. The arm rests at q = 0 (or the nearest within
 * its stops), drives off. */
ArmPlant *arm_plant_new(const ArmPlantConfig *config, ArmStatus *status);
void arm_plant_free(ArmPlant *plant); /* NULL allowed */

/* Hangs a point mass on the last link, 0.1 m along its z axis [kg]; 0 takes it off. */
void arm_plant_load(ArmPlant *plant, double mass_kg);

/* Places the arm at rest, n, within its stops, as if it had always been there: set-points are
 * there, and with drives on the currents are those that hold it. A number that is not finite leaves
 * its joint where it is. Time goes on. */
void arm_plant_place(ArmPlant *plant, const double *q);

/* Off: no current, the arm falls as friction allows. On: the set-points are where it is. */
void arm_plant_switch(ArmPlant *plant, bool drives_on);

/* What the servo aims at from its next sample on; n each. A joint whose numbers are not finite
 * keeps its set-point. */
void arm_plant_set_points(ArmPlant *plant, const double *q, const double *qd);

/* A joint that cannot move, whatever the current. */
void arm_plant_block(ArmPlant *plant, size_t joint, bool is_blocked);

/* Integrates for a time; what remains of a sub-step is kept for the next call.
 * ARM_E_ARGUMENT: the time is negative or not finite; nothing happened. ARM_E_NUMERIC: the motion
 * diverged; the arm is then at rest at the last finite pose. */
ARM_MUST_CHECK ArmStatus arm_plant_advance(ArmPlant *plant, double seconds);

void arm_plant_read(const ArmPlant *plant, ArmPlantReading *reading);

/* The truth, for tests: positions and speeds without encoder, currents without noise; n each, any
 * may be NULL. */
void arm_plant_truth(const ArmPlant *plant, double *q, double *qd, double *current);

#endif
