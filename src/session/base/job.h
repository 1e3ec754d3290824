/* SPDX-License-Identifier: MIT */
/* One computation in a thread of its own, on data that nobody else touches meanwhile.
 *
 * Progress and end arrive in the thread-default main context of the thread that started it. */
#ifndef ARMATURE_SESSION_JOB_H
#define ARMATURE_SESSION_JOB_H

#include <glib.h>
#include <stdbool.h>

typedef struct AseJob AseJob;

typedef struct {
  void (*work)(AseJob *job, void *data); /* in the thread */
  void *data;                            /* belongs to the thread until `done` */
  GDestroyNotify free_data;              /* after `done`, or instead of it */
  void (*progress)(double part, void *ctx);
  void (*done)(void *data, bool is_cancelled, void *ctx); /* may free the job */
  void *ctx;
} AseJobTask;

AseJob *ase_job_start(const AseJobTask *task);

/* For the thread: 0..1; false: stop, the result is not wanted. Of the shape that the core's
 * `progress` functions have. */
bool ase_job_report(double part, void *job);

/* For the thread, where there is nothing to report. NULL: never. */
bool ase_job_is_cancelled(AseJob *job);

/* `done` follows, with is_cancelled, as soon as the thread has noticed. */
void ase_job_cancel(AseJob *job);

/* Cancels, waits for the thread; `done` is not called any more. NULL allowed. */
void ase_job_free(AseJob *job);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AseJob, ase_job_free)

#endif
