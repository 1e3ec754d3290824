/* SPDX-License-Identifier: MIT */
/* The end of a session that was worked at: where it is now, why, what of it is lost, and how to go
 * on, for people as the last line and for programs in the event "result". */
#ifndef ARMATURE_CLI_ENDING_H
#define ARMATURE_CLI_ENDING_H

#include "cli/live.h"

typedef struct {
  const char *session, *port; /* as named by the user; port NULL: another arm than the session's
                                 is there */
  const char *again; /* the verb that goes on, with its options but these, as shell words */
  bool is_real;
  int code;
  bool has_result;                           /* an event "result" is due */
  char *parameters, *validation, *recording; /* JSON, NULL: none */
  const char *rewrite; /* the verb that would write the result, which its file did not take, without
                          motion, with its options but these; NULL: no need */
  GError *failure;     /* why it is not whole in the file that is left; NULL: it is */
} CliEnding;

/* Closes the session of `live` and tells the result; `code` may become that of the closing. */
void cli_ending_close(CliEnding *ending, CliLive *live);
/* For people, last of all. `session` is closed. */
void cli_ending_say(const CliEnding *ending, AseSession *session);
void cli_ending_clear(CliEnding *ending);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CliEnding, cli_ending_clear)

#endif
