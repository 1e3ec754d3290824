/* SPDX-License-Identifier: MIT */
#include "cli/record_motion.h"

#include <math.h>

#include "cli/cli.h"
#include "cli/record_beyond.h"

static void on_clock(AseSession *session, CliLive *live) {
  AseClock clock;
  if (!ase_session_clock(session, &clock))
    return;
  g_autofree char *leg = cli_live_leg_text(session);
  cli_live_progress(live, ase_moves_key(clock.what), ase_moves_title(clock.what), clock.part,
                    clock.left_s, leg);
}

static bool is_over(void *session) {
  return ase_session_record_state(session)->state != ASE_STATE_RUNNING;
}

static void print_nothing(FILE *out, AseSession *session) {
  (void)out, (void)session;
}

int cli_record_follow(const CliAtPort *at, CliLive *live) {
  AseSession *session = live->session;
  GError *error = NULL;
  int code = cli_at_port_confirm(at, live, print_nothing,
                                 "The arm will move to where the motion begins, then along it at "
                                 "a tenth of its speed, then as it is");
  if (code == CLI_OK)
    code = cli_live_arm(live);
  if (code != CLI_OK)
    return code;
  const gulong clock = g_signal_connect(session, "clock", G_CALLBACK(on_clock), live);
  if (!ase_session_record(session, &error)) {
    cli_fail(error);
    code = CLI_DEVICE;
  } else if (!cli_live_wait(live, is_over, session, (double)INFINITY) ||
             ase_session_record_state(session)->state != ASE_STATE_PASSED) {
    code = cli_live_code(live, CLI_DEVICE);
  }
  cli_live_disarm(live);
  cli_record_beyond_warn(session);
  g_signal_handler_disconnect(session, clock);
  return code;
}

int cli_record_take(CliLive *live, const AioMotionTable *motion, double current_part) {
  GError *error = NULL;
  if (!ase_session_take_motion(live->session, motion, current_part, &error)) {
    cli_fail(error);
    return CLI_INFEASIBLE;
  }
  const double slowness = ase_session_record_state(live->session)->slowness;
  if (slowness > 1.0)
    cli_warning("%s: followed %.2f %% slower, to stay within the limits between its samples",
                motion->name, 100.0 * (slowness - 1.0));
  return CLI_OK;
}
