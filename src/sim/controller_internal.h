/* SPDX-License-Identifier: MIT */
/* Shared by controller.c and controller_hal.c only. */
#ifndef ARMATURE_SIM_CONTROLLER_INTERNAL_H
#define ARMATURE_SIM_CONTROLLER_INTERNAL_H

#include "sim/controller.h"
#include "sim/freeze.h"
#include "sim/line.h"
#include "sim/params.h"
#include "sim/storage.h"
#include "wire/device.h"

enum { ASIM_TICK_US = 1000 };

struct AsimController {
  gsize n;
  ArmPlantConfig plant_config;
  ArmPlant *plant;
  double warmth[ARM_MAX_JOINTS];         /* of the motors above the room [K] */
  double current_scale[ARM_MAX_JOINTS];  /* told over true currents */
  double crept[ARM_MAX_JOINTS];          /* set-points of joints at rest, by a fault [rad, m] */
  double load_kg;                        /* on the last link, by a fault */
  bool has_diverged;                     /* in the last tick */
  bool has_brake[ARM_MAX_JOINTS], is_on; /* brakes hold while the drives are off */

  WireDevice device;
  WireDeviceConfig config;
  WireDeviceJoint joints[ARM_MAX_JOINTS];
  AsimParams params;
  AsimStorage storage;
  AsimLine line;
  AsimFaults faults;
  AsimFreeze freeze;
  guint64 random; /* noise of the current sensors */

  gint64 time_factor;                        /* thousandths */
  gint64 wall_us, now_us, next_us, plant_us; /* since power-up; all but the first device time */
  guint32 first_t_us;
  guint32 (*stamp)(guint64 now_us); /* NULL: first_t_us + now_us */
};

extern const WireHal asim_controller_hal;

/* Joints that are stalled or braked are blocked, the others move. */
void asim_controller_block(AsimController *controller);

/* The motors' temperatures move on. */
void asim_controller_warm(AsimController *controller, double seconds);

/* Rounded and saturated. */
gint32 asim_to_i32(double x);

#endif
