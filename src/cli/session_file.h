/* SPDX-License-Identifier: MIT */
/* What is in a session, without its samples: read once, then plain data, but for its events, of
 * which a stranger's may have any number. Outcomes are as they were said (io/base/said). */
#ifndef ARMATURE_CLI_SESSION_FILE_H
#define ARMATURE_CLI_SESSION_FILE_H

#include "cli/cli.h"
#include "io/store/store.h"

/* Strings belong to the CliSessionFile. Arrays are in the order of the ids. */
typedef struct {
  char *path;
  const char *program, *created; /* NULL: not stated */
  AioArm *arm;                   /* NULL: none */
  const char *arm_text;          /* the arm file; NULL: none */
  const char *steps;             /* where the procedure stands, JSON; NULL: none */
  const char *plan;              /* JSON; NULL: none */
  GArray *connections;           /* of AioStoreConnection */
  GArray *runs;                  /* of AioStoreRun */
  GArray *samples;               /* of guint64, one per run */
  guint64 samples_outside;       /* that belong to no run */
  guint64 n_events, n_warnings;  /* of these, errors too */
  GArray *fits;                  /* of AioStoreFit */
  GArray *statistics;            /* of AioStoreStatistic */
  GStringChunk *texts;
} CliSessionFile;

/* NULL: the error is printed. The file is opened for reading only. */
CliSessionFile *cli_session_file_load(const char *path);
void cli_session_file_free(CliSessionFile *file); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CliSessionFile, cli_session_file_free)

/* Calls `each` for every event in the order of the ids, until it returns false; what the row points
 * to lives until `each` returns, its text is as cli_said makes it. false: the error is printed. */
bool cli_session_each_event(const CliSessionFile *file,
                            bool (*each)(const AioStoreEvent *event, void *data), void *data);

/* What was said, as text; of a stranger's no more than that of ours has. g_free. */
char *cli_said(const char *said);

/* A moment that is not known, or that a stranger's figures put beyond all numbers. */
#define CLI_NO_TIME G_MININT64

/* "2026-11-21T20:09:47Z" of microseconds since 1970, "?" where no date is; g_free. */
char *cli_utc_text(gint64 utc_us);
char *cli_utc_or_null(gint64 utc_us); /* NULL where no date is */

/* UTC [us since 1970] of a moment of the connection, or CLI_NO_TIME. */
gint64 cli_session_utc(const CliSessionFile *file, gint64 connection, gint64 t_host_ns);

/* How long it took [s]; NAN: it has not ended. */
double cli_run_seconds(const AioStoreRun *run);

#endif
