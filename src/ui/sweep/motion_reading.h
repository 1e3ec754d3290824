/* SPDX-License-Identifier: MIT */
/* A motion out of a file, read and checked in a thread and then taken by the session. */
#ifndef ARMATURE_UI_MOTION_READING_H
#define ARMATURE_UI_MOTION_READING_H

#include "session/base/job.h"
#include "session/recording.h"

/* refused: NULL: the session has taken it; else why not, with the name of the file, borrowed. May
 * free the job. */
typedef void (*AuiMotionRead)(const char *refused, void *ctx);

/* Free it with ase_job_free, before the session: nothing is taken then. NULL: it cannot be checked,
 * *refused says why (g_free) and `done` is not called. */
AseJob *aui_motion_read(AseSession *session, const char *path, AuiMotionRead done, void *ctx,
                        char **refused);

/* "Reading wave.csv…", visible. g_free. */
char *aui_motion_reading_text(const char *path);

#endif
