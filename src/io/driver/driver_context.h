/* SPDX-License-Identifier: MIT */
/* What a driver is told of the arm before it speaks to anything: which drive is which joint, its
 * sign, gear and limits. A controller that knows its joints needs none of it; on a bus of servos
 * the program is the controller, and this is its configuration.
 *
 * It comes from the arm file, and, where a recording is looked at later, from the head of the
 * capture. Two x_ keys of the arm file say what its own keys have no place for yet:
 *   x_armature_driver  at the top: the name of a driver
 *   x_armature_ids     in a joint: its drives on the bus, the one that is commanded first
 */
#ifndef ARMATURE_IO_DRIVER_CONTEXT_H
#define ARMATURE_IO_DRIVER_CONTEXT_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"

enum { AIO_IDS_MAX = 8, AIO_ID_MAX = 253 };

typedef struct {
  double gear_ratio; /* motor rad per joint rad (T: rad per m); NAN: not stated */
  double sign;       /* +1 or -1 */
} AioDriverMotor;

typedef struct {
  ArmJointType type;
  ArmLimits limits; /* NAN: not stated */
  guint n_motors;   /* 0: not stated */
  AioDriverMotor motor[ARM_MAX_MOTORS];
  guint n_ids; /* 0: not stated */
  guint id[AIO_IDS_MAX];
} AioDriverJoint;

/* All zero: no arm file is known. */
typedef struct {
  char driver[32]; /* that the arm file names; "": none */
  char digest[72]; /* of the arm file */
  guint joints;
  AioDriverJoint joint[ARM_MAX_JOINTS];
} AioDriverContext;

/* The same as JSON for the head of a capture: {"driver": NAME, "digest": .., "joints": [..]}.
 * g_free. */
char *aio_driver_context_format(const AioDriverContext *context, const char *driver);

/* Reads it back; context->driver is the NAME. false: the errors of json_read.h, `name` is how they
 * call the file. */
bool aio_driver_context_parse(AioDriverContext *out, const char *name, const char *bytes, gsize n,
                              GError **error);

#endif
