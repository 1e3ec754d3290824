/* SPDX-License-Identifier: MIT */
/* `calibrate --full`: after the sweeps have passed, two motions of all joints, designed with what
 * is known by then; the full dynamics from the first, judged on the second. Where it stands is in
 * the session's file: runs that followed a design carry its number; designs are the same each time.
 */
#ifndef ARMATURE_CLI_FULL_H
#define ARMATURE_CLI_FULL_H

#include "cli/at_port.h"
#include "io/recording/motion.h"

enum { CLI_FULL_FITTED, CLI_FULL_JUDGED, CLI_FULL_MOTIONS };

typedef struct {
  const CliAtPort *at;
  CliLive *live;
  const char *out; /* of kind dynamics */
  bool json, force;
} CliFull;

/* Before a port is opened: can motions of this arm be designed at all? The exit code, the reason
 * printed. */
int cli_full_check_arm(const CliAtPort *at);

/* Before anything moves: can the controller follow them? */
int cli_full_check_controller(CliLive *live);

/* Everything after the sweeps. The exit code, the reason printed.
 *   parameters  in, out: the text of what was identified, where it came so far; g_free */
int cli_full(const CliFull *full, char **parameters);

/* ---- full_design.c ---- */

/* The motion that tells most, with what the sweeps told, within the limits of arm file, controller
 * and session, less a margin; told with what it would show, as `excite` does. CLI_OK; else the exit
 * code, the reason printed.
 *   k  CLI_FULL_FITTED, ..  its seed is k + 1 */
int cli_full_design(const CliFull *full, guint k, AioMotionTable **motion);

/* ---- full_identify.c ---- */

/* Of the session's file: complete, and after the sweeps; 0: none. */
typedef struct {
  gint64 motion[CLI_FULL_MOTIONS];
} CliFullRuns;

/* What is in the session's file, once all of it is there; said of what another controller followed,
 * which is not taken. The exit code, the reason printed. */
int cli_full_find_runs(CliLive *live, CliFullRuns *runs);

/* Identifies, judges, writes; interrupted meanwhile it writes nothing. */
int cli_full_identify(const CliFull *full, const CliFullRuns *runs, char **parameters);

#endif
