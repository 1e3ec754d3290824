/* SPDX-License-Identifier: MIT */
/* A motion through an arm that is connected, into its session. */
#ifndef ARMATURE_CLI_RECORD_MOTION_H
#define ARMATURE_CLI_RECORD_MOTION_H

#include "cli/at_port.h"
#include "session/recording.h"

/* What is to be followed; ase_session_take_motion. The exit code, the reason printed. */
int cli_record_take(CliLive *live, const AioMotionTable *motion, double current_part);

/* Asks for leave as cli_at_port_confirm, arms, follows what was taken (the way there and along it
 * slowly, then as it is), disarms. The exit code, the reason printed. */
int cli_record_follow(const CliAtPort *at, CliLive *live);

#endif
