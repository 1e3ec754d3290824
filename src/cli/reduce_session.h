/* SPDX-License-Identifier: MIT */
/* The sweeps of a session, as its own fit takes them, into sums. */
#ifndef ARMATURE_CLI_REDUCE_SESSION_H
#define ARMATURE_CLI_REDUCE_SESSION_H

#include "cli/cli.h"
#include "io/recording/sums_file.h"
#include "session/session.h"

/* A session of this arm, for reading only. NULL, said: it cannot be read, or is another arm's.
 *   arm_path  how messages call the arm file */
AseSession *cli_reduce_open_session(const char *path, const char *arm_path, const AioArm *arm);

/* Adds its measured sweeps, those of the validation left out, by the digest of all their samples.
 * CLI_OK, or CLI_BAD_INPUT, said.
 *   options  with the rows of the session's own choice (ase_session_edits) */
int cli_reduce_add_session(AseSession *session, const ArmFitOptions *options, AioSums *all);

#endif
