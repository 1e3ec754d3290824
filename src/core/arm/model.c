/* SPDX-License-Identifier: MIT */
/* Two ways of writing a joint, one placement; eta of one or several motors (Lin 1994 (18)), and the
 * motors' speeds with a gear-coupled wrist (38)-(40). */
#include "core/arm/model.h"

#include <math.h>
#include <string.h>

#include "core/arm/chain.h"

static void joint_set_unknown(ArmJoint *joint) {
  memset(joint, 0, sizeof *joint);
  for (int k = 0; k < 3; k++)
    joint->rotation[4 * k] = 1.0;
  joint->limits = (ArmLimits){.q_min = (double)NAN,
                              .q_max = (double)NAN,
                              .speed_max = (double)NAN,
                              .accel_max = (double)NAN,
                              .current_max = (double)NAN,
                              .rest_error = (double)NAN};
}

ArmStatus arm_model_init(ArmModel *model, size_t n) {
  if (n == 0 || n > ARM_MAX_JOINTS)
    return ARM_E_ARGUMENT;
  memset(model, 0, sizeof *model);
  model->n = n;
  model->gravity_m_s2[2] = -9.81;
  for (size_t i = 0; i < n; i++)
    joint_set_unknown(&model->joints[i]);
  return ARM_OK;
}

/* Rx(beta) Tx(b), then the constant half of Rz(theta) Tz(d), which commute. */
void arm_joint_set_mdh(ArmJoint *joint, ArmJointType type, double beta, double b, double theta,
                       double d) {
  const bool is_translational = type == ARM_JOINT_T;
  const double cb = cos(beta), sb = sin(beta);
  const double c = is_translational ? cos(theta) : 1.0;
  const double s = is_translational ? sin(theta) : 0.0;
  const double dz = is_translational ? 0.0 : d;
  const double rotation[9] = {c, -s, 0.0, cb * s, cb * c, -sb, sb * s, sb * c, cb};
  memcpy(joint->rotation, rotation, sizeof rotation);
  joint->translation[0] = b;
  joint->translation[1] = -dz * sb;
  joint->translation[2] = dz * cb;
  joint->type = type;
  joint->offset = is_translational ? d : theta;
}

void arm_joint_set_placement(ArmJoint *joint, ArmJointType type, const double xyz[3],
                             const double rpy[3]) {
  const double cr = cos(rpy[0]), sr = sin(rpy[0]);
  const double cp = cos(rpy[1]), sp = sin(rpy[1]);
  const double cy = cos(rpy[2]), sy = sin(rpy[2]);
  const double rotation[9] = {
      cy * cp,
      cy * sp * sr - sy * cr,
      cy * sp * cr + sy * sr,
      sy * cp,
      sy * sp * sr + cy * cr,
      sy * sp * cr - cy * sr,
      -sp,
      cp * sr,
      cp * cr,
  };
  memcpy(joint->rotation, rotation, sizeof rotation);
  joint->type = type;
  joint->offset = 0.0;
  for (int k = 0; k < 3 && type == ARM_JOINT_T; k++)
    joint->offset += rotation[3 * k + 2] * xyz[k];
  for (int k = 0; k < 3; k++)
    joint->translation[k] = xyz[k] - rotation[3 * k + 2] * joint->offset;
}

void arm_model_poses(const ArmModel *model, const double *q, double (*rotation)[9],
                     double (*position)[3]) {
  double base[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double origin[3] = {0, 0, 0};
  for (size_t i = 0; i < model->n; i++) {
    double local[9], shift[3], next[9], moved[3];
    arm_joint_transform(&model->joints[i], q[i], local, shift);
    arm_mat3_mul(base, local, next);
    arm_mat3_mul_vec(base, shift, moved);
    for (int k = 0; k < 3; k++)
      origin[k] += moved[k];
    memcpy(base, next, sizeof base);
    if (rotation)
      memcpy(rotation[i], base, sizeof base);
    if (position)
      memcpy(position[i], origin, sizeof origin);
  }
}

bool arm_model_nominal_eta(const ArmModel *model, size_t joint, double *eta, double *rel_sd) {
  const ArmJoint *j = &model->joints[joint];
  double sum = 0.0, variance = 0.0;
  bool has_sd = false;
  if (j->n_motors == 0)
    return false;
  for (size_t m = 0; m < j->n_motors; m++) {
    const ArmMotor *motor = &j->motors[m];
    const double gain = motor->motor_sign * motor->gear_ratio * motor->torque_constant_Nm_A;
    if (!isfinite(gain))
      return false;
    sum += gain;
    if (isfinite(motor->torque_constant_rel_sd)) {
      has_sd = true;
      variance += gain * gain * motor->torque_constant_rel_sd * motor->torque_constant_rel_sd;
    }
  }
  if (sum == 0.0)
    return false;
  *eta = 1.0 / sum;
  *rel_sd = has_sd ? sqrt(variance) / fabs(sum) : (double)NAN;
  return true;
}

void arm_model_motor_speed(const ArmModel *model, const double *qd, double *motor_qd) {
  for (size_t i = 0; i < model->n; i++) {
    motor_qd[i] = qd[i];
    for (size_t j = 0; model->has_coupling && j < i; j++)
      motor_qd[i] += model->coupling[i][j] * qd[j];
  }
}
