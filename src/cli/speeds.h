/* SPDX-License-Identifier: MIT */
/* Which speeds of a dry run and of moves `calibrate` takes. */
#ifndef ARMATURE_CLI_SPEEDS_H
#define ARMATURE_CLI_SPEEDS_H

#include "cli/cli.h"

/* In deg/s, NAN: the default. Moves as in the workbench; a rehearsal is no faster than what it
 * rehearses. CLI_OK, or what cli_usage returns. */
int cli_check_speeds(const CliVerb *verb, double dry_speed, double move_speed);

#endif
