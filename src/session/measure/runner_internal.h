/* SPDX-License-Identifier: MIT */
/* Inside runner*.c only: runner.c has the legs and their ends, runner_follow.c what is done while a
 * trajectory is followed. */
#ifndef ARMATURE_SESSION_RUNNER_INTERNAL_H
#define ARMATURE_SESSION_RUNNER_INTERNAL_H

#include "session/device/feed.h"
#include "session/measure/current_watch.h"
#include "session/measure/runner.h"

struct _AseRunner {
  GObject parent;
  AseDevice *device;
  const ArmModel *model;
  const AseItinerary *itinerary;
  AseRunLog log;
  GPtrArray *runs;

  bool is_running;
  guint leg, end;
  AseRun *run;      /* of the leg, NULL between legs; owned by runs */
  bool has_ended;   /* the controller says so; samples may still come */
  guint64 ended_us; /* device time, 0: not known */
  char *failure;    /* why the leg ended early, NULL: it did not */
  bool is_pausing;
  guint32 faults;       /* reported during the leg */
  guint32 fault_joints; /* the same, as AioState has them */
  guint deadline, tail; /* sources, 0: none */
  guint tailed_ms;      /* waited since the end */
  guint64 allowed_us;   /* device time that the leg may take */
  guint seen;           /* chunks of it when the deadline was set */
  bool is_late;         /* asked for the last time */
  AioEvent early;       /* of kind MOTION_END: came before the motion's number was known */
  AseFeed *feed;        /* of a trajectory that goes on, NULL: none does */
  AseCurrentWatch watch;
  char *halted_for; /* why this object halted the arm in mid-leg, NULL: it did not */
};

/* ---- runner.c ---- */

/* The motion of the leg goes on, for so long by the controller's clock. */
void ase_runner_take_start(AseRunner *self, const AioReply *reply, double duration_s);
/* It was refused before it began, or nobody knows whether it did. */
void ase_runner_take_refusal(AseRunner *self, const AioReply *reply);

/* ---- runner_follow.c ---- */

/* The leg is a trajectory: begins it. */
void ase_runner_feed(AseRunner *self);
/* A chunk has come, and is in the run. */
void ase_runner_follow(AseRunner *self, const AioChunk *chunk);
/* STOP is about to be sent. */
void ase_runner_stop_feeding(AseRunner *self);

#endif
