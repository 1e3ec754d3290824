/* SPDX-License-Identifier: MIT */
/* Currents and joint torques of a moving arm from a set of kind "dynamics" (identify.h), with the
 * sd of that prediction.
 *
 *   i_j = L_j + w_j + phi_j . local_j + s (mu |L_j| + c3 exp(-|v|/v_s))
 *   L_j = eta_j (Y_b beta)_j
 *   tau_j = (Y_b beta)_j + w_j / eta_j
 *   sd^2 = g' C g, g = gradient with respect to the parameters of the covariance
 *
 * beta, phi, eta as in rows.h; mu and c3 where the set has them (theory notes, friction models,
 * section 1), v the speed of the joint's drive, s its direction. w takes off what a rotor
 * weighs in beta (arm_dynamics_rotor_weight): where nothing is known of the rotor it is a part of
 * local, so that currents are known in motion, but not at rest, and torques are not. Drives are
 * coupled as in stream.h.
 * At rest, v = 0, a joint has the friction that a rule says (core/params/at_rest.h), by default
 * none; what the rest of the arm does to it stays.
 *
 * Values lean on `used` of what is not identifiable. Then there is no sd (NAN), unless only a scale
 * is not known, which currents do not depend on; and no torque.
 * Deterministic, whatever the blocks. Nothing allocates after arm_currents_new. Thread rule: two
 * calls never share an object.
 */
#ifndef ARMATURE_CORE_DYNAMICS_CURRENTS_H
#define ARMATURE_CORE_DYNAMICS_CURRENTS_H

#include "core/arm/model.h"
#include "core/params/at_rest.h"
#include "core/params/set.h"

typedef struct ArmCurrents ArmCurrents;

/* What to predict from; model and set are copied as far as needed.
 * Free with arm_currents_free (NULL allowed).
 * ARM_E_ARGUMENT: the set is of other joints. ARM_E_NOT_FINITE: the geometry, or a value that is
 * used. ARM_E_MEMORY. *currents is then untouched. */
ARM_MUST_CHECK ArmStatus arm_currents_new(const ArmModel *model, const ArmParamSet *set,
                                          ArmCurrents **currents);
void arm_currents_free(ArmCurrents *currents);

/* What wants_noise adds for a joint: the sd of a single measurement, where the residual of the set
 * is that of rows behind a filter and less. Before: the set's residual sd. */
void arm_currents_set_noise(ArmCurrents *currents, size_t joint, double sd);

/* samples x n, column-major, leading dimension ld; also of what is predicted. */
typedef struct {
  size_t samples, ld;
  const double *q, *qd, *qdd; /* [rad, m; per s; per s^2]; a state that is not finite has no
                                 prediction: NAN throughout */
} ArmCurrentsStates;

/* options->position_error: samples x n as the states, or NULL: 0.
 *   current  samples x n  out [A; N m, N of a joint that was identified from those], NAN of a joint
 *            of which no row was used
 *   sd       samples x n  out */
void arm_currents_predict(ArmCurrents *currents, const ArmCurrentsStates *states,
                          const ArmPredictOptions *options, double *current, double *sd);

/* Of the links alone: no friction, and no rotors but those that base parameters hold.
 *   torque   samples x n  out [N m, N], NAN where it leans on what is not told
 *   sd       samples x n  out */
void arm_currents_torque(ArmCurrents *currents, const ArmCurrentsStates *states, double *torque,
                         double *sd);

/* Was a torque of this joint not told in some state so far?
 *   why  out  of the first parameter that it lacked, ARM_REASON_NONE: the set gives no reason */
bool arm_currents_lacks_torque(const ArmCurrents *currents, size_t joint, ArmReason *why);

/* Does the set have a rotor of its own for this joint? Else what its drive has, if anything, is in
 * base parameters. */
bool arm_currents_has_rotor(const ArmCurrents *currents, size_t joint);

/* Was some current so far outside of what load friction was seen in, |L| by more than 20 %? */
bool arm_currents_was_beyond(const ArmCurrents *currents, size_t joint);

#endif
