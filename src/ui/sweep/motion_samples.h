/* SPDX-License-Identifier: MIT */
/* What was recorded of a motion as a CSV, written in a thread: the text of `replay --run`. The file
 * is whole, or as it was before. */
#ifndef ARMATURE_UI_MOTION_SAMPLES_H
#define ARMATURE_UI_MOTION_SAMPLES_H

#include "session/base/job.h"
#include "session/recording.h"

/* error: NULL: it is written; else borrowed, what aio_store_open_read, aio_rows_end_connection and
 * aio_file_writer_new report, or AIO_ERROR_NOT_FOUND: the file has no sample of it. May free the
 * job. */
typedef void (*AuiMotionSamplesDone)(const char *path, const GError *error, void *ctx);

/* Of ase_session_recorded_run. Everything is copied; an old file of that name is replaced. Free it
 * with ase_job_free. NULL with AIO_ERROR_REFUSED: there is no such run; or with what
 * ase_session_flush reports. */
AseJob *aui_motion_samples_write(AseSession *session, const char *path, AuiMotionSamplesDone done,
                                 void *ctx, GError **error);

#endif
