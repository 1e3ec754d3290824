/* SPDX-License-Identifier: MIT */
/* Where an arm that followed a motion was measured beyond the limits of its arm file. */
#ifndef ARMATURE_CLI_RECORD_BEYOND_H
#define ARMATURE_CLI_RECORD_BEYOND_H

#include "io/json/json_write.h"
#include "session/recording.h"

/* One warning for each joint and quantity; none of a session that followed nothing. */
void cli_record_beyond_warn(AseSession *session);

/* An array of {joint, quantity ("position", "speed"), value, limit, apart}, joints from 1, SI. */
void cli_record_beyond_write(AioJsonWriter *w, AseSession *session);

#endif
