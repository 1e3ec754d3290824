/* SPDX-License-Identifier: MIT */
#include <glib.h>

#include "sim/params.h"

#include <math.h>
#include <string.h>

enum { GLOBAL = 3, DRIVE = 3, IDS_PER_JOINT = 100 };

#define LARGEST 1e9f /* of what a host may write */

static uint32_t bits(float x) {
  uint32_t out;
  memcpy(&out, &x, sizeof out);
  return out;
}

/* joint from 1; 0: of the whole arm */
static void add(AsimParams *params, gsize joint, guint number, const char *stem, const char *unit,
                float low, float initial, float high) {
  const gsize k = params->n++;
  if (joint)
    g_snprintf(params->name[k], sizeof params->name[k], "%s[%u]", stem, (guint)joint);
  else
    g_strlcpy(params->name[k], stem, sizeof params->name[k]);
  params->param[k] = (WireDeviceParam){.id = (uint16_t)(IDS_PER_JOINT * joint + number),
                                       .type = WIRE_PARAM_F32,
                                       .minimum = bits(low),
                                       .maximum = bits(high),
                                       .initial = bits(initial),
                                       .name = params->name[k],
                                       .unit = unit};
}

/* Its range is its value, so that an upload cannot change it either. */
static void add_read_only(AsimParams *params, gsize joint, guint number, const char *stem,
                          const char *unit, double value) {
  add(params, joint, number, stem, unit, (float)value, (float)value, (float)value);
  params->param[params->n - 1].flags = WIRE_PARAM_IS_READ_ONLY;
}

static void add_found(AsimParams *params, gsize joint, guint number, const char *stem,
                      const char *unit) {
  add(params, joint, number, stem, unit, -LARGEST, 0.0f, LARGEST);
}

static void add_drive(AsimParams *params, const ArmPlantConfig *plant, gsize j) {
  const bool is_r = plant->model.joints[j].type == ARM_JOINT_R;
  const ArmMotor *motor = &plant->model.joints[j].motors[0];
  add_read_only(params, j + 1, 1, "gear.ratio", is_r ? "" : "rad/m", motor->gear_ratio);
  add_read_only(params, j + 1, 2, "motor.sign", "", plant->joints[j].eta < 0.0 ? -1.0 : 1.0);
  add_read_only(params, j + 1, 3, "servo.inertia", is_r ? "A s2/rad" : "A s2/m",
                plant->joints[j].servo_inertia);
}

/* Of the joint that has more of them, whatever its type. */
static gsize most_identified(void) {
  size_t count, of[2] = {0, 0};
  const ArmControllerParam *list = arm_controller_params(&count);
  for (size_t k = 0; k < count; k++) {
    of[0] += arm_controller_param_fits(&list[k], ARM_JOINT_R);
    of[1] += arm_controller_param_fits(&list[k], ARM_JOINT_T);
  }
  return MAX(of[0], of[1]);
}

static void add_identified(AsimParams *params, ArmJointType type, gsize joint) {
  size_t count;
  const ArmControllerParam *list = arm_controller_params(&count);
  for (size_t k = 0; k < count; k++)
    if (arm_controller_param_fits(&list[k], type))
      add_found(params, joint, list[k].number, list[k].stem,
                arm_controller_unit(&list[k], type, false, params->unit[params->n]));
}

void asim_params_build(AsimParams *params, const ArmPlantConfig *plant) {
  const gsize n = plant->model.n;
  const bool has_drives = GLOBAL + (DRIVE + most_identified()) * n <= WIRE_DEVICE_PARAMS;
  params->n = 0;
  add_read_only(params, 0, 1, "servo.kp", "1/s2", plant->kp);
  add_read_only(params, 0, 2, "servo.kd", "1/s", plant->kd);
  add_read_only(params, 0, 3, "servo.sample", "s", plant->servo_s);
  for (gsize j = 0; j < n; j++) {
    if (has_drives)
      add_drive(params, plant, j);
    add_identified(params, plant->model.joints[j].type, j + 1);
  }
}
