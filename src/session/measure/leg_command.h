/* SPDX-License-Identifier: MIT */
/* What a controller is told to have it do a leg, and how it says that the leg ended. */
#ifndef ARMATURE_SESSION_LEG_COMMAND_H
#define ARMATURE_SESSION_LEG_COMMAND_H

#include "io/driver/command.h"
#include "session/measure/itinerary.h"

/* MOVE or SWEEP (a trajectory is fed: session/device/feed.h), with speeds and accelerations within
 * the limits of the arm file. */
AioCommand ase_leg_command(const ArmModel *model, const AseLeg *leg);

#endif
