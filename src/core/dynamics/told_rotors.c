/* SPDX-License-Identifier: MIT */
/* Where torques were measured: with rotors, or beyond them. */
#include <math.h>

#include "core/arm/dyn.h"
#include "core/dynamics/outcome.h"

#define HALF    0.5 /* of what is stated: there, or not */
#define CERTAIN 5.0 /* sds */
#define SHARP   0.1 /* of what is stated: an sd that would have shown it */

/* +1: it is there; -1: it is not; 0: who knows. */
static int vote(double inertia, double sd, double stated) {
  if (inertia > CERTAIN * sd && inertia > HALF * stated)
    return 1;
  return inertia < HALF * stated && sd < SHARP * stated ? -1 : 0;
}

static int vote_of_column(const ArmDynamicsJointFit *joint, double stated) {
  const ArmEstimate *e = &joint->local[ARM_DYN_ROTOR];
  return joint->known.has[ARM_DYN_ROTOR] && e->identifiable && stated > 0
             ? vote(e->value, e->sd, stated)
             : 0;
}

/* What both ways have in common is the rotor's; more of it than twice is something else. */
static int vote_of_friction(const ArmDynamicsJointFit *joint, double stated) {
  const ArmEstimate *forth = &joint->local[ARM_DYN_COULOMB_POS],
                    *back = &joint->local[ARM_DYN_COULOMB_NEG];
  const double k = joint->known.rotor_in_coulomb;
  if (k == 0 || !forth->identifiable || !back->identifiable)
    return 0;
  const double inertia = 0.5 * (forth->value + back->value) / k;
  const double sd = 0.5 * hypot(forth->sd, back->sd) / fabs(k);
  const bool is_one_sided = forth->value * back->value > 0;
  if (!(stated > 0))
    return is_one_sided ? vote(inertia, sd, 0) : 0;
  return inertia < stated / HALF ? vote(inertia, sd, stated) : 0;
}

bool arm_dynamics_tell_rotors(ArmDynamicsFit *fit, const ArmModel *model) {
  int votes = 0;
  for (size_t j = 0; j < fit->n; j++) {
    const ArmDynamicsJointFit *joint = &fit->joint[j];
    const double stated = arm_dyn_rotor_of(&model->joints[j]);
    if (joint->known.is_torque)
      votes += vote_of_column(joint, stated) + vote_of_friction(joint, stated);
  }
  for (size_t j = 0; j < fit->n; j++)
    fit->joint[j].known.holds_rotor = fit->joint[j].known.is_torque && votes > 0;
  return votes > 0;
}
