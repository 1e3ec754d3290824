/* SPDX-License-Identifier: MIT */
/* Inside runner*.c only: runner.c has the legs and their ends, runner_follow.c what is done while a
 * trajectory is followed, runner_watch.c what is looked at while any leg goes on. */
#ifndef ARMATURE_SESSION_RUNNER_INTERNAL_H
#define ARMATURE_SESSION_RUNNER_INTERNAL_H

#include "session/device/feed.h"
#include "session/measure/current_watch.h"
#include "session/measure/runner.h"
#include "session/measure/watch.h"

struct _AseRunner {
  GObject parent;
  AseDevice *device;
  const ArmModel *model;
  const AseItinerary *itinerary;
  AseRunLog log;
  GPtrArray *runs;

  bool is_running;
  guint leg, end;
  AseRun *run;       /* of the leg, NULL between legs; owned by runs */
  bool has_ended;    /* the controller says so; samples may still come */
  guint64 ended_us;  /* device time, 0: not known */
  AseLegEnd failure; /* why the leg ended early; DONE: it did not */
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
  AseCurrentWatch current;
  bool names_foreign;  /* the refusal of the leg says itself that others send */
  AseEndKind ended_by; /* the last leg */
  bool is_accepted;    /* the controller does the leg */
  double duration_s;   /* that it takes at least, by its clock; 0: not known */
  AseWatch watch;      /* of all legs until the end */
  AseQuiet quiet;
  guint look;           /* source that asks, 0: none */
  bool has_ceased;      /* no sample came any more before the leg's end */
  AseLegEnd halted_for; /* why the arm was halted in mid-leg by no person; DONE: it was not */
};

/* ---- runner.c ---- */

/* The motion of the leg goes on, for so long by the controller's clock. */
void ase_runner_take_start(AseRunner *self, const AioReply *reply, double duration_s);
/* It was refused before it began, or nobody knows whether it did. */
void ase_runner_take_refusal(AseRunner *self, const AioReply *reply);

/* It is, by the answer to a question for its state, over: its end was not heard. */
void ase_runner_take_state(AseRunner *self, const AioReply *reply);
/* Nothing comes any more: Hold is sent, and the leg ends. */
void ase_runner_stop_silent(AseRunner *self);

/* ---- runner_watch.c ---- */

/* From where the arm stands now, before the first leg. */
void ase_runner_watch_from(AseRunner *self);
/* A leg goes on; until the leg's end looks at it.
 *   duration_s  as the controller says; 0: it does not */
void ase_runner_watch(AseRunner *self, double duration_s);
/* A chunk has come, and is in the run. */
void ase_runner_watch_chunk(AseRunner *self, const AioChunk *chunk);
/* The controller's clock has gone wrong, for which the device has halted the arm. A leg whose end
 * is known waits for its last samples, and these have no times any more. */
void ase_runner_take_clock(AseRunner *self, const AioEvent *event);
/* The arm is halted in mid-leg for this reason, a sentence, which is taken over: nothing is fed any
 * more, and the end that the controller will tell is for that. */
void ase_runner_note_halt(AseRunner *self, AseEndKind kind, char *said);
/* Halts the arm in mid-leg, and remembers why: takes the sentence over. */
void ase_runner_halt_for(AseRunner *self, AseEndKind kind, char *said);
/* How many samples are missing at the end of the leg; 0: not known. */
guint64 ase_runner_missing(AseRunner *self);
/* Why, as a sentence. g_free. */
char *ase_runner_quiet_said(AseRunner *self);

/* ---- runner_follow.c ---- */

/* The leg is a trajectory: begins it. */
void ase_runner_feed(AseRunner *self);
/* A chunk has come, and is in the run. */
void ase_runner_follow(AseRunner *self, const AioChunk *chunk);
/* STOP is about to be sent. */
void ase_runner_stop_feeding(AseRunner *self);

#endif
