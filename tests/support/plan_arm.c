/* SPDX-License-Identifier: MIT */
#include "support/plan_arm.h"

#include <math.h>
#include <string.h>

#include "core/base/vec3.h"

void plan_arm_random(TestRng *rng, size_t n, bool is_coupled, ArmModel *model) {
  dyn_random_arm(rng, n, model);
  model->has_coupling = is_coupled;
  for (size_t i = 0; i < n; i++) {
    ArmJoint *joint = &model->joints[i];
    joint->limits.q_max = joint->type == ARM_JOINT_R ? test_rng_uniform(rng, 1.5, 3) : 0.4;
    joint->limits.q_min = -joint->limits.q_max;
    joint->n_motors = 1;
    joint->motors[0] = (ArmMotor){.gear_ratio = 100,
                                  .motor_sign = 1,
                                  .torque_constant_Nm_A = test_rng_uniform(rng, 0.05, 0.2),
                                  .torque_constant_rel_sd = 0.1,
                                  .rotor_inertia_kg_m2 = (double)NAN};
    for (size_t k = i > 2 ? i - 2 : 0; k < i && is_coupled; k++)
      model->coupling[i][k] = test_rng_uniform(rng, -0.3, 0.3);
  }
}

void plan_arm_turn(double roll, double pitch, double yaw, ArmModel *model) {
  ArmJoint turn = {0}, *first = &model->joints[0];
  double rotation[9], at[3], gravity[3];
  arm_joint_set_placement(&turn, ARM_JOINT_R, (double[3]){0, 0, 0}, (double[3]){roll, pitch, yaw});
  memcpy(rotation, first->rotation, sizeof rotation);
  memcpy(at, first->translation, sizeof at);
  memcpy(gravity, model->gravity_m_s2, sizeof gravity);
  arm_mat3_mul(turn.rotation, rotation, first->rotation);
  arm_mat3_mul_vec(turn.rotation, at, first->translation);
  arm_mat3_mul_vec(turn.rotation, gravity, model->gravity_m_s2);
}
