/* SPDX-License-Identifier: MIT */
/* A session with an arm at a port, as verbs that move one begin it: the session's file, the port,
 * the connection up to CHECK, leave to move. */
#ifndef ARMATURE_CLI_AT_PORT_H
#define ARMATURE_CLI_AT_PORT_H

#include <stdio.h>

#include "cli/live.h"
#include "cli/port.h"

/* Options of such verbs; a member of their own struct. */
typedef struct {
  const char *arm, *port, *session, *confirm, *capture, *driver;
  double baud, rate;
  bool clear_faults, resume;
  bool needs_no_name; /* without a terminal the leave to move is enough */
} CliAtPort;

/* It can hurt: it is not inside this program. */
bool cli_at_port_is_real(const CliAtPort *at);

/* Before a port is opened: is --rate enough to watch an arm by? CLI_OK, or CLI_USAGE, told. */
int cli_at_port_check_rate(const CliAtPort *at, const CliVerb *verb);

/* Created, or with --resume opened. NULL: the error is printed. */
AseSession *cli_at_port_session(const CliAtPort *at);

/* Its arm, from the arm file or the session. NULL: there is none; error may be NULL. */
AioArm *cli_at_port_arm(const CliAtPort *at, GError **error);

/* The arm's driver says how fast its controller speaks, unless --driver says who it is. The exit
 * code; port and link as cli_port_open. */
int cli_at_port_open(const CliAtPort *at, const CliVerb *verb, CliPort **port, AioLink **link);

/* Takes the link over; waits until CHECK has passed, clears faults if that was asked for. The exit
 * code, the reason printed. */
int cli_at_port_connect(const CliAtPort *at, CliLive *live, CliPort *port, AioLink *link);

/* Of a real arm, on a terminal: prints the plan and `what` will happen, and has the arm's name
 * typed, whatever --confirm says; without one --confirm must be the name, unless there is none
 * and none is needed. CLI_OK, CLI_USAGE (nothing has moved) or
 * CLI_INTERRUPTED (something has, or a signal came). */
typedef void (*CliPlanFunc)(FILE *out, AseSession *session);
int cli_at_port_confirm(const CliAtPort *at, CliLive *live, CliPlanFunc print_plan,
                        const char *what);

#endif
