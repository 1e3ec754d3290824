/* SPDX-License-Identifier: MIT */
/* Runs of a session as a recording, for verbs other than `replay`. */
#ifndef ARMATURE_CLI_REPLAY_H
#define ARMATURE_CLI_REPLAY_H

#include <glib.h>

/* A set of runs, of gint64. g_hash_table_unref it. */
GHashTable *cli_runs_new(void);

/* What `replay --out` writes of these runs, one or more, and of no others. The exit code, the
 * reason printed. */
int cli_replay_runs(const char *session, GHashTable *runs, const char *out);

#endif
