/* SPDX-License-Identifier: MIT */
/* What the parts of the plant share.
 *
 * Inside, currents are forces of one kind: i / eta' with eta' = eta (rigid) or the sign of eta
 * (diagonal). Then both kinds are the same mechanics, with A = I + L and motor speeds w = A qd:
 *
 *   M(q) qdd + b(q, qd) = A^T (u - F(w)),   u = i / eta'
 *
 *   rigid:     M of the links and rotors, b of the links
 *   diagonal:  M = A^T diag|J| A, b = A^T (|eta| A^-T tau_gravity): motor by motor in ampere
 */
#ifndef ARMATURE_CORE_PLANT_INTERNAL_H
#define ARMATURE_CORE_PLANT_INTERNAL_H

#include "core/arm/dyn.h"
#include "core/plant/plant.h"

enum { N = ARM_MAX_JOINTS };

/* Friction of one motor as a force against its speed; index 0: w >= 0, 1: w < 0; all >= 0. */
typedef struct {
  double coulomb[2], viscous[2];
  double excess, stribeck_speed;
  double stiffness, damping; /* of the bristles; stiffness 0: dry, sticks */
} PlantFriction;

struct ArmPlant {
  ArmPlantConfig config;
  size_t n;
  ArmDyn dyn;
  double pi[10 * N];
  double constant_mass[N * N]; /* rigid: rotors, added to the links; diagonal: all */
  double force_per_A[N];       /* 1 / eta' */
  double lag_part[N];          /* of the way to the command that a sub-step makes */
  PlantFriction friction[N];
  double loaded[3];   /* m, m z, m z^2 on the last link */
  bool is_by_pose[N]; /* the servo's inertia follows the pose */
  bool is_blocked[N], is_on;
  /* state */
  double q[N], qd[N], qdd[N], bristle[N], current[N];
  double dry[N]; /* impulses of dry friction in the last sub-step: where the next search starts */
  /* servo and sensors */
  uint64_t servo_steps, steps; /* sub-steps per servo sample, since the start */
  double pending_s;
  double target_q[N], target_qd[N], command[N];
  ArmPlantReading seen;
  uint64_t random;
};

/* Smallest and largest diagonal entry of the mass matrix with rotors over random poses within the
 * limits.
 *   least, most  n   [kg m^2, kg] */
void arm_plant_inertia_range(const ArmModel *model, const ArmDyn *dyn, double *least, double *most);

/* ARM_E_ARGUMENT, ARM_E_NOT_FINITE: what arm_plant_new refuses. */
ARM_MUST_CHECK ArmStatus arm_plant_config_check(const ArmPlantConfig *config);

/* u = A^T f; must not alias. */
void arm_plant_to_joints(const ArmModel *model, const double *f, double *u);

/* What the motors carry at rest: forces A^-T b, divided by force_per_A the holding currents. */
void arm_plant_holding_force(const ArmPlant *plant, const double *q, double *force);

/* One sub-step with the forces u of the motors. false: the mass matrix is singular or the motion
 * not finite; the state is then untouched. */
bool arm_plant_step(ArmPlant *plant, const double *u);

/* ---- friction within a sub-step h, linear in the new speed w+: F = at_rest + slope w+ ---- */

typedef struct {
  double at_rest, slope;
  double limit[2]; /* dry: largest force for w+ > 0 and w+ < 0, found by arm_plant_solve; else 0 */
  double relax;    /* the new bristle deflection is (old + h w+) relax */
} PlantFrictionStep;

void arm_plant_friction_step(const PlantFriction *friction, double bristle, double w, double h,
                             PlantFrictionStep *step);

/* ---- the linear system of a sub-step ---- */

/* Solves (system) v = rhs with v = 0 for clamped joints, less the impulses of dry friction at the
 * motors that stop it or reach their limits.
 *   system  n x n symmetric, kept; only [j + n i] with j <= i is read
 * false: not positive definite. */
bool arm_plant_solve(ArmPlant *plant, const double *system, const double *rhs, const bool *clamped,
                     const PlantFrictionStep *friction, double *v);

#endif
