/* SPDX-License-Identifier: MIT */
#include "session/measure/leg_command.h"

static double limit(double value, double most) {
  return most < value ? most : value;
}

static AioCommand move_command(const ArmModel *model, const AseLeg *leg) {
  AioCommand command = {.kind = AIO_COMMAND_MOVE};
  for (guint j = 0; j < model->n; j++) {
    if (!(leg->joints >> j & 1))
      continue;
    const ArmJoint *joint = &model->joints[j];
    const bool turns = joint->type == ARM_JOINT_R;
    command.move.joint[command.move.n++] = (AioMoveJoint){
        .joint = j + 1,
        .q = leg->pose[j],
        .speed = ase_leg_move_speed(model, leg, j),
        .accel = limit(turns ? leg->accel_R : leg->accel_T, joint->limits.accel_max)};
  }
  return command;
}

static AioCommand sweep_command(const ArmModel *model, const AseLeg *leg) {
  const ArmJoint *joint = &model->joints[leg->joint - 1];
  const bool turns = joint->type == ARM_JOINT_R;
  return (AioCommand){
      .kind = AIO_COMMAND_SWEEP,
      .sweep = {.joint = leg->joint,
                .q0 = leg->q0,
                .q1 = leg->q1,
                .speed = leg->speed_R,
                .accel = limit(turns ? leg->accel_R : leg->accel_T, joint->limits.accel_max),
                .passes = leg->passes,
                .dwell_s = 0.2}}; /* 4/K_D of the servo (34): at rest before it turns round */
}

AioCommand ase_leg_command(const ArmModel *model, const AseLeg *leg) {
  return leg->sweeps ? sweep_command(model, leg) : move_command(model, leg);
}
