/* SPDX-License-Identifier: MIT */
/* Telemetry that tells of a joint what it told before: a sensor that is stuck, seen from outside.
 * The controller itself measures and supervises as always, so that it notices nothing. */
#ifndef ARMATURE_SIM_FREEZE_H
#define ARMATURE_SIM_FREEZE_H

#include "core/arm/model.h"
#include "sim/fault.h"
#include "wire/frame.h"

/* What is frozen: the value of WIRE_TEST_FREEZE. */
enum { ASIM_FREEZE_Q = 1 << 0, ASIM_FREEZE_QD = 1 << 1, ASIM_FREEZE_CURRENT = 1 << 2 };

typedef struct {
  guint32 joints;                      /* bit k: joint k + 1 is frozen */
  WireTelemJoint told[ARM_MAX_JOINTS]; /* of those, when it began */
} AsimFreeze;

/* A frame that is to be sent at now_us; of TELEM with a frozen joint another one is made.
 *   out  [WIRE_FRAME_MAX]; returns its bytes, 0: send it as it is */
gsize asim_freeze_frame(AsimFreeze *freeze, AsimFaults *faults, gint64 now_us, const guint8 *bytes,
                        gsize n, guint8 *out);

#endif
