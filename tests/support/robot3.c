/* SPDX-License-Identifier: MIT */
#include "support/robot3.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

const double robot3_parameters[ROBOT3_COLUMNS] = {5.0186, -2.05, 0.7,    -1.07,  0.65,
                                                  6.55,   4.3,   0.6,    0.7634, 0.6872,
                                                  0.55,   -0.6,  0.9646, 0.528,  1.14};

void robot3_model(Robot3Set set, ArmModel *model) {
  static const double low[ROBOT3_SETS][3] = {
      {-160, -180, -180}, {-160, -225, -45}, {-160, -180, -180}};
  static const double high[ROBOT3_SETS][3] = {{160, 180, 180}, {160, 45, 225}, {160, 180, 180}};
  const double degree = pi / 180;
  const double speed[ROBOT3_SETS][3] = {
      {1.1, 0.35, 2.0}, {82 * degree, 54 * degree, 122 * degree}, {5, 5, 5}};
  if (arm_model_init(model, 3) != ARM_OK)
    return;
  arm_joint_set_mdh(&model->joints[0], ARM_JOINT_R, 0, 0, 0, 0);
  arm_joint_set_mdh(&model->joints[1], ARM_JOINT_R, -pi / 2, 0, 0, 0);
  arm_joint_set_mdh(&model->joints[2], ARM_JOINT_R, 0, 0.5, 0, 0.2);
  for (int j = 0; j < 3; j++) {
    model->joints[j].limits.q_min = low[set][j] * degree;
    model->joints[j].limits.q_max = high[set][j] * degree;
    model->joints[j].limits.speed_max = speed[set][j];
  }
}

void robot3_row(const double x[5], double h[ROBOT3_COLUMNS]) {
  const double d3 = 0.5, r3 = 0.2, g = 9.81;
  const double w1 = x[0], w2 = x[2], w23 = x[2] + x[4];
  const double s2 = sin(x[1]), c2 = cos(x[1]), s3 = sin(x[3]), c3 = cos(x[3]);
  const double s23 = sin(x[1] + x[3]), c23 = cos(x[1] + x[3]);
  const double columns[ROBOT3_COLUMNS] = {
      w1 * w1 / 2,
      s2 * s2 * w1 * w1 / 2,
      s2 * c2 * w1 * w1,
      -s2 * w1 * w2,
      -c2 * w1 * w2,
      w2 * w2 / 2,
      -g * s2,
      -g * c2,
      s23 * s23 * w1 * w1 / 2,
      s23 * c23 * w1 * w1,
      -s23 * w1 * w23,
      -c23 * w1 * w23,
      w23 * w23 / 2,
      (c3 * d3 * w2 + r3 * w1 * s23) * w23 + d3 * c2 * c23 * w1 * w1 - g * s23,
      -d3 * c2 * s23 * w1 * w1 - (s3 * d3 * w2 - r3 * w1 * c23) * w23 - g * c23};
  for (int k = 0; k < ROBOT3_COLUMNS; k++)
    h[k] = columns[k];
}
