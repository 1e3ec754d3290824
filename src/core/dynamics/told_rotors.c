/* SPDX-License-Identifier: MIT */
/* Where torques were measured: with rotors, or beyond them. */
#include <math.h>

#include "core/arm/dyn.h"
#include "core/dynamics/outcome.h"

#define CERTAIN 5.0  /* sds */
#define PART    0.1  /* of what is stated, which may be off by several times: it is there */
#define SHARP   0.05 /* of what is stated: an sd that would have shown it */
#define NEAR    2.0  /* times what is stated: friction that is the rotor's weight, of both ways */

/* What a joint says: rotors are there; they are not; none would have been seen, or nobody knows how
 * large they are. */
typedef struct {
  size_t for_it, against, weak;
} Votes;

static void add_vote(Votes *votes, double inertia, double sd, double stated) {
  if (inertia > CERTAIN * sd && inertia > PART * stated)
    votes->for_it++;
  else if (stated > 0 && inertia < PART * stated && sd < SHARP * stated)
    votes->against++;
  else
    votes->weak++;
}

/* What both ways have in common is the rotor's; more of it than is stated is something else, and so
 * is less while friction does not help. */
static void add_vote_of_friction(Votes *votes, const ArmDynamicsJointFit *joint, double stated) {
  const ArmEstimate *forth = &joint->local[ARM_DYN_COULOMB_POS],
                    *back = &joint->local[ARM_DYN_COULOMB_NEG];
  const double k = joint->known.rotor_in_coulomb;
  if (k == 0 || !forth->identifiable || !back->identifiable)
    return;
  const double inertia = 0.5 * (forth->value + back->value) / k;
  const double sd = 0.5 * hypot(forth->sd, back->sd) / fabs(k);
  const bool is_one_sided = forth->value * back->value > 0;
  const bool is_near = stated > 0 && inertia > stated / NEAR && inertia < NEAR * stated;
  const bool is_possible = !(stated > 0) || inertia < NEAR * stated;
  if (is_near || (is_one_sided && is_possible) || fabs(inertia) < PART * stated)
    add_vote(votes, inertia, sd, stated);
}

ArmDynamicsPlace arm_dynamics_tell_rotors(ArmDynamicsFit *fit, const ArmModel *model) {
  Votes votes = {0};
  for (size_t j = 0; j < fit->n; j++) {
    const ArmDynamicsJointFit *joint = &fit->joint[j];
    const double stated = arm_dyn_rotor_of(&model->joints[j]);
    if (!joint->known.is_torque)
      continue;
    if (joint->known.has[ARM_DYN_ROTOR] && joint->local[ARM_DYN_ROTOR].identifiable)
      add_vote(&votes, joint->local[ARM_DYN_ROTOR].value, joint->local[ARM_DYN_ROTOR].sd, stated);
    add_vote_of_friction(&votes, joint, stated);
  }
  const bool holds = votes.for_it > votes.against;
  for (size_t j = 0; j < fit->n; j++)
    fit->joint[j].known.holds_rotor = fit->joint[j].known.is_torque && holds;
  return holds                            ? ARM_PLACE_MOTOR
         : votes.against + votes.weak > 0 ? ARM_PLACE_BEYOND
                                          : ARM_PLACE_NOT_TOLD;
}
