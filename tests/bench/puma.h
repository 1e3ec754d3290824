/* SPDX-License-Identifier: MIT */
/* The arm of the benches: PUMA 560 of Armstrong, Khatib and Burdick 1986, in the form KDL takes. */
#ifndef ARMATURE_TESTS_PUMA_H
#define ARMATURE_TESTS_PUMA_H

#include <string.h>

#include "core/arm/model.h"

enum { PUMA_JOINTS = 6 };

/* modified Denavit-Hartenberg: beta b theta d */
static const double puma_mdh[PUMA_JOINTS][4] = {{0, 0, 0, 0},
                                                {-1.57079632679489661923, 0, 0, 0.2435},
                                                {0, 0.4318, 0, -0.0934},
                                                {1.57079632679489661923, -0.0203, 0, 0.4331},
                                                {-1.57079632679489661923, 0, 0, 0},
                                                {1.57079632679489661923, 0, 0, 0}};
/* mass, centre, Ixx Iyy Izz Ixy Ixz Iyz about the centre; the paper's tensors are diagonal, small
 * products are added so that no entry is free */
static const double puma_links[PUMA_JOINTS][10] = {
    {1, 0.01, 0.02, 0.03, 0.2, 0.2, 0.35, 0.01, 0.02, 0.03},
    {17.4, 0.068, 0.006, -0.016, 0.13, 0.524, 0.539, 0.01, -0.02, 0.01},
    {4.8, 0, -0.07, 0.014, 0.066, 0.0125, 0.066, 0.001, 0.002, -0.001},
    {0.82, 0, 0, -0.019, 0.0018, 0.0018, 0.0013, 1e-4, 2e-4, 1e-4},
    {0.34, 0.001, 0.002, 0, 0.0003, 0.0003, 0.0004, 1e-5, 2e-5, 1e-5},
    {0.09, 0, 0, 0.032, 0.00015, 0.00015, 0.00004, 1e-6, 2e-6, 1e-6}};

static inline ArmStatus puma_init(ArmModel *model) {
  const ArmStatus status = arm_model_init(model, PUMA_JOINTS);
  for (size_t i = 0; i < PUMA_JOINTS && status == ARM_OK; i++) {
    ArmLink *link = &model->joints[i].link;
    arm_joint_set_mdh(&model->joints[i], ARM_JOINT_R, puma_mdh[i][0], puma_mdh[i][1],
                      puma_mdh[i][2], puma_mdh[i][3]);
    *link = (ArmLink){.is_present = true, .mass_kg = puma_links[i][0]};
    memcpy(link->com_m, puma_links[i] + 1, sizeof link->com_m);
    memcpy(link->inertia_com_kg_m2, puma_links[i] + 4, sizeof link->inertia_com_kg_m2);
  }
  return status;
}

#endif
