/* SPDX-License-Identifier: MIT */
/* What a session found, for people and for the exit code. */
#ifndef ARMATURE_CLI_SESSION_REPORT_H
#define ARMATURE_CLI_SESSION_REPORT_H

#include "cli/truth.h"
#include "session/session.h"

/* The fit as a table on stdout. The session has one. truth: NULL, none. */
void cli_session_print_fit(AseSession *session, const CliTruth *truth);

/* Validation and drift as a table on stdout; nothing without one. */
void cli_session_print_validation(AseSession *session);
/* The same as JSON, g_free; NULL: none. */
char *cli_session_validation_json(AseSession *session);

/* CLI_INFEASIBLE, told on stderr: a gravity or friction parameter is not identifiable, or a joint's
 * validation failed; else CLI_OK. */
int cli_session_judge(AseSession *session);

#endif
