/* SPDX-License-Identifier: MIT */
#include "cli/full.h"

#include "cli/cli.h"
#include "cli/motion_limits.h"
#include "cli/record_motion.h"

int cli_full_check_arm(const CliAtPort *at) {
  GError *error = NULL;
  ArmMotionLimits limits;
  g_autoptr(AioArm) arm = cli_at_port_arm(at, &error);
  if (!arm)
    return cli_fail(error);
  return cli_motion_limits(at->resume ? at->session : at->arm, &arm->model, &limits);
}

int cli_full_check_controller(CliLive *live) {
  const AioDescription *d = ase_device_description(ase_session_device(live->session));
  if (d && d->capabilities & AIO_CAN_TRAJECTORY)
    return CLI_OK;
  cli_error("--full: the controller cannot follow a trajectory by itself; use a firmware that can, "
            "or leave --full out");
  return CLI_DEVICE;
}

/* Designs, tells, follows. */
static int measure(const CliFull *full, guint k) {
  g_autoptr(AioMotionTable) motion = NULL;
  int code = cli_full_design(full, k, &motion);
  if (code == CLI_OK)
    code = cli_record_take(full->live, motion, 1.0);
  if (code != CLI_OK)
    return code;
  ase_session_number_motion(full->live->session, k + 1);
  return cli_record_follow(full->at, full->live);
}

static int measure_missing(const CliFull *full, CliFullRuns *runs) {
  int code = cli_full_find_runs(full->live, runs);
  for (guint k = 0; k < CLI_FULL_MOTIONS && code == CLI_OK; k++)
    if (!runs->motion[k])
      code = measure(full, k);
    else
      cli_live_say(full->live, "motion %u: recorded already, run %" G_GINT64_FORMAT, k + 1,
                   runs->motion[k]);
  return code;
}

/* They were followed, but the file may have lost them: it was overwritten, or is somewhere else. */
static int check_runs(const CliFullRuns *runs) {
  for (guint k = 0; k < CLI_FULL_MOTIONS; k++)
    if (!runs->motion[k]) {
      cli_error("motion %u is not in the session's file: go on with --resume, to follow it again",
                k + 1);
      return CLI_DEVICE;
    }
  return CLI_OK;
}

int cli_full(const CliFull *full, char **parameters) {
  CliFullRuns runs;
  int code = measure_missing(full, &runs);
  if (code == CLI_OK)
    code = cli_full_find_runs(full->live, &runs);
  if (code == CLI_OK)
    code = check_runs(&runs);
  return code == CLI_OK ? cli_full_identify(full, &runs, parameters) : code;
}
