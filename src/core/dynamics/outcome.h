/* SPDX-License-Identifier: MIT */
/* What came of an identification, asked of triangles of any recording (information.h): how well it
 * is predicted, which bodies the links can be, what scale its currents have.
 * Thread rule: re-entrant; information is flushed, hence not const.
 */
#ifndef ARMATURE_CORE_DYNAMICS_OUTCOME_H
#define ARMATURE_CORE_DYNAMICS_OUTCOME_H

#include "core/dynamics/consistent.h"
#include "core/dynamics/identify.h"

/* A [A], or N m, N where torques were measured. NAN without rows. */
typedef struct {
  size_t rows;
  double rms_error; /* current less what `used` parameters predict */
  double rms;       /* of the current */
  double r2;        /* 1 - sum e^2 / sum (i - mean i)^2 */
  double best;      /* rms error that the joint's own rows allow with any parameters of its own */
} ArmDynamicsResidual;

/* ARM_E_ARGUMENT: fit and information are of different arms. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_dynamics_residual(const ArmDynamicsFit *fit,
                                               ArmInformation *information, size_t joint,
                                               ArmDynamicsResidual *residual);

/* Friction of a joint in its rows, forth and back: what the columns of its drive but the rotor make
 * up at their mean, less what Coulomb friction holds of the rotor.
 *   is_known  out  false: it does not go both ways, or a parameter of it is not told, or the
 *                  rotor; the rest says nothing then
 *   forth, forth_sd, back, back_sd  out [A; N m, N]
 * ARM_E_ARGUMENT as arm_dynamics_residual. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_dynamics_friction(const ArmDynamicsFit *fit,
                                               ArmInformation *information, size_t joint,
                                               bool *is_known, double *forth, double *forth_sd,
                                               double *back, double *back_sd);

/* The rotor of a drive that cannot be told from the links: base parameters hold both (identify.h).
 * What is told of it is what they have beyond the links, and the sd of both. */
typedef struct {
  bool is_held;    /* false: it stands by itself, or nothing measured holds it; the rest is 0 */
  double inertia;  /* seen at the joint, >= 0 [kg m^2, kg] */
  double sd;       /* data and priors together; where it came out negative, so that it is 0, as of
                     what came out. NAN: nothing tells it */
  double prior_sd; /* of what the arm file states; NAN: it states nothing */
} ArmDynamicsRotor;

/* Relative sd of the rotor inertia that an arm file states. A judgement: data sheets leave out
 * brake, coupling and the gear's side of the motor, and the prior of links is no narrower, so that
 * what is amiss with a stated rotor is not put on the link. */
#define ARM_ROTOR_REL_SD 1.0

/* Where torques were measured. */
typedef enum {
  ARM_PLACE_BEYOND = 0, /* beyond gear and rotor */
  ARM_PLACE_MOTOR,      /* at the motor, rotors included */
  ARM_PLACE_NOT_TOLD    /* no joint shows its rotor by itself: as beyond it */
} ArmDynamicsPlace;

/* All in one place: rotors that are columns of their own tell it, many sds above 0 and a tenth of
 * what the arm file states or more, and Coulomb friction that holds one (identify.h). Friction that
 * would help the motion one way is what the rotor weighs. More joints must say so than gainsay it:
 * a rotor that is taken for a link is wrong beyond its sds, the other way round less is known. Sets
 * known.holds_rotor of joints with torques; before what follows from the fit. */
ArmDynamicsPlace arm_dynamics_tell_rotors(ArmDynamicsFit *fit, const ArmModel *model);

/* Links as bodies can have them (consistent.h), eta as identified: sds have what data sheets leave
 * open of it.
 *
 * Of a joint whose current, or motor's torque, was measured and whose rotor is no column of its
 * own, base parameters are T pi + K Ia (base.h, with rotors). Ia is an unknown of that joint's rows
 * then, with the prior Ia0 = sum G^2 Jm of its motors, sd ARM_ROTOR_REL_SD Ia0, where the arm file
 * states them, else without any: it is projected out with friction, so that links are what the rest
 * of the data make of them, and nominal where only the rotor's sum with them is told. Where what is
 * left for it is negative it is 0, and all is completed again.
 *
 *   options  NULL: defaults
 *   result   out, untouched on failure
 *   rotors   n   out, the same; NULL: not asked
 * Joints without rows or noise say nothing. ARM_E_NO_DATA: no joint says anything. Else as
 * arm_consistent. */
ARM_MUST_CHECK ArmStatus arm_dynamics_complete(const ArmDynamicsFit *fit,
                                               ArmInformation *information, const ArmModel *model,
                                               const ArmBase *base,
                                               const ArmConsistentOptions *options,
                                               ArmConsistent *result, ArmDynamicsRotor *rotors);

/* What a completion told of rotors, for whom Coulomb friction holds them, too (identify.h).
 *   rotors  n */
void arm_dynamics_take_rotors(ArmDynamicsFit *fit, const ArmDynamicsRotor *rotors);

/* Current over the torque of nominal links and rotor, friction fitted beside: near eta where
 * nominal links are near the true ones, near 1 where what is called a current is a torque.
 *   beta   count   of nominal links
 *   rotor  seen at the joint [kg m^2, kg]; NAN: not known, fitted beside, as it is wherever it is a
 *          column of its own. 0 of what was measured beyond it
 *   scale  out     [A/(N m), A/N]; NAN: the joint has no rows, no torque, or none that is told from
 *                  friction and rotor
 *   sd     out
 * ARM_E_MEMORY, ARM_E_NUMERIC. */
ARM_MUST_CHECK ArmStatus arm_dynamics_scale(ArmInformation *information,
                                            const ArmDynamicsJoint *known, const double *beta,
                                            double rotor, size_t joint, double *scale, double *sd);

/* The rows of all joints in units of their noise, of torques: |R x|^2 is chi-square of a change x
 * of the base parameters that friction and rotors do not take up.
 *   r     (n count) x count  column-major, or more rows of zeros: ld
 *   rows  out  sum of the joints' rows */
ARM_MUST_CHECK ArmStatus arm_dynamics_shown(const ArmDynamicsFit *fit, ArmInformation *information,
                                            double *r, size_t ld, size_t *rows);

#endif
