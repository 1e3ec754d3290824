/* SPDX-License-Identifier: MIT */
/* How a controller calls what an identification found (docs/simulator.md, Parameters): the one list
 * for those who write into a controller and for those who are one. A joint's name is "stem[joint]",
 * joints from 1. */
#ifndef ARMATURE_CORE_PARAMS_CONTROLLER_H
#define ARMATURE_CORE_PARAMS_CONTROLLER_H

#include "core/params/catalogue.h"

typedef struct {
  const char *stem; /* "gravity.kx" */
  /* What it holds of each joint; of a pair: the first joint of its group over it, 1 for that joint
   * itself, 0 where there is none. */
  ArmParamKind kind;
  unsigned number; /* of the quantity within the ids of a joint */
} ArmControllerParam;

/* In the order in which controllers list them; static storage.
 *   count  out */
const ArmControllerParam *arm_controller_params(size_t *count);

/* Does a joint of this type have it? */
bool arm_controller_param_fits(const ArmControllerParam *param, ArmJointType type);

enum { ARM_CONTROLLER_UNIT = 16 };

/* "A s2/m": the catalogue's unit of it as the wire states units, "" of a number. Of a pair that of
 * two joints of one sort, as a controller knows of no other joint there.
 *   is_torque  what was found from a torque or force; controllers hold currents
 *   unit       out, returned */
const char *arm_controller_unit(const ArmControllerParam *param, ArmJointType type, bool is_torque,
                                char unit[ARM_CONTROLLER_UNIT]);

#endif
