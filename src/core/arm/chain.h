/* SPDX-License-Identifier: MIT */
/* One joint's transform, inlined into every loop over the chain. */
#ifndef ARMATURE_CORE_CHAIN_H
#define ARMATURE_CORE_CHAIN_H

#include <math.h>
#include <string.h>

#include "core/arm/model.h"
#include "core/base/vec3.h"

/* Rotation of link frame i in frame i-1 at q [rad, m]: Lin 1994 eq (10) for an MDH placement. */
ARM_INLINE void arm_joint_rotation(const ArmJoint *joint, double q, double rotation[9]) {
  if (joint->type == ARM_JOINT_T) {
    memcpy(rotation, joint->rotation, sizeof joint->rotation);
    return;
  }
  const double angle = joint->offset + q;
  const double c = cos(angle), s = sin(angle);
  for (int r = 0; r < 3; r++) {
    const double *p = joint->rotation + 3 * r;
    rotation[3 * r + 0] = p[0] * c + p[1] * s;
    rotation[3 * r + 1] = p[1] * c - p[0] * s;
    rotation[3 * r + 2] = p[2];
  }
}

/* Rotation as above and origin of frame i in frame i-1 [m]: Lin 1994 eq (9). */
ARM_INLINE void arm_joint_transform(const ArmJoint *joint, double q, double rotation[9],
                                    double origin[3]) {
  const double slide = joint->type == ARM_JOINT_T ? joint->offset + q : 0.0;
  arm_joint_rotation(joint, q, rotation);
  for (int r = 0; r < 3; r++)
    origin[r] = joint->translation[r] + joint->rotation[3 * r + 2] * slide;
}

#endif
