/* SPDX-License-Identifier: MIT */
/* The parameters of the simulated controller, as its schema lists them.
 *
 * Read-only, what the drives are: servo.kp, servo.kd, servo.sample, and per joint gear.ratio[j],
 * motor.sign[j], servo.inertia[j] (left out, where all do not fit: above 25 joints).
 * Written by a host, what an identification found; the servo law (34)-(36) needs none of it and
 * does not use it: gravity.kx[j] and gravity.ky[j], or gravity.mhat[j] where the joint slides
 * (times eta, as fitted), eta.ratio[j] = eta of the first joint of the cluster over eta_j (0: not
 * known), friction.coulomb_pos[j], friction.viscous_pos[j], friction.coulomb_neg[j],
 * friction.viscous_neg[j].
 *
 * An id is 100 j plus a number per quantity, so it does not depend on the number of joints. */
#ifndef ARMATURE_SIM_PARAMS_H
#define ARMATURE_SIM_PARAMS_H

#include "core/params/controller.h"
#include "core/plant/plant.h"
#include "wire/device.h"

typedef struct {
  gsize n;
  WireDeviceParam param[WIRE_DEVICE_PARAMS];
  char name[WIRE_DEVICE_PARAMS][WIRE_NAME_BYTES + 1];
  char unit[WIRE_DEVICE_PARAMS][ARM_CONTROLLER_UNIT];
} AsimParams;

/* The entries of `param` point into `params`: it must not move. */
void asim_params_build(AsimParams *params, const ArmPlantConfig *plant);

#endif
