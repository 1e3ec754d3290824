/* SPDX-License-Identifier: MIT */
/* The ground of a session: what it holds, what it tells, and whether it is free. Inside session_*.c
 * only. What has a state of its own is a part with a header of its own, which knows no session;
 * these files hand on between the parts, each with what others need of it in its own header, and
 * stand on each other in this order, the lowest first (tests/lint/parts.sh):
 *
 *   session_core      this one
 *   session_record    what the record asks of a session; where its file is
 *   session_device    what the contact with the controller asks of it; who may connect
 *   session_select    which of what was measured is used, read in a thread while the arm is armed
 *   session_job       the computation of a step
 *   session_moving    what any motion asks for
 *   session_clock     how long it takes
 *   session_arming    may the arm be armed?
 *   session_recording somebody's motion instead of a plan
 *   session_plan      PLAN
 *   session_standing  what undo of an edit gives back
 *   session_edits     the arm, edits and undo
 *   session_replan    PLAN of the joints to come, after the first one has been swept
 *   session_motion    DRY_RUN, SWEEP
 *   session_validate  VALIDATE
 *   session_fit       FIT, EXPORT
 *   session_transfer  UPLOAD, VERIFY
 *   session_diagnose  what may cause a misfit, beside the steps
 *   session_steps     starting and cancelling; the steps that are done at once
 *   session_object    the object: made, closed, freed
 *   session_load      what an earlier program left in the file
 *   session_file      a session in a new file, or in one that is there
 *   session_import    from a recording instead of an arm
 */
#ifndef ARMATURE_SESSION_SESSION_CORE_H
#define ARMATURE_SESSION_SESSION_CORE_H

#include "session/contact.h"
#include "session/editor.h"
#include "session/following.h"
#include "session/measure/motion.h"
#include "session/measure/planned.h"
#include "session/measure/selecting.h"
#include "session/method/diagnosing.h"
#include "session/method/method.h"
#include "session/method/results.h"
#include "session/record/record.h"
#include "session/session.h"
#include "session/telling.h"
#include "session/transfer/delivery.h"
#include "session/work.h"

struct _AseSession {
  GObject parent;
  /* what all of it is about: others read these, and nobody but the session changes them */
  AioArm *arm;
  AseEdits *edits;
  AseProcedure *procedure;
  AseTelling *telling; /* what signals and file know of it */
  AseEditor *editor;   /* the arm's text, undo, where it stood before edits */

  AseDevice *device;
  AseContact *contact;
  AseRecord *record; /* its file, and the runs in it */

  AsePlanned *planned;     /* what the plan comes to */
  AseMotion *motion;       /* what moves */
  AseSelecting *selecting; /* which of what was measured is used */
  AseWork *work;           /* the computation of a step */
  AseResults *results;
  AseDiagnosing *diagnosing; /* what may cause a misfit */
  AseFollowing *following;   /* somebody's motion */
  AseDelivery *delivery;     /* NULL: nothing was transferred yet */
};

/* ---- telling ---- */

/* Of the class, once: its signals. */
void ase_session_make_signals(GType type);
void ase_session_emit_changed(AseSession *self);
void ase_session_emit_progress(AseSession *self, AseStep step, double part, double left_s);
void ase_session_emit_leg(AseSession *self, guint leg);
void ase_session_emit_clock(AseSession *self);
void ase_session_emit_diagnosis(AseSession *self);
/* A message to people, as it was said; its event is in the file. */
void ase_session_emit_message(AseSession *self, int level, const char *said);
/* A message to people and to the file: a sentence as aio_said takes it. */
void ase_session_say(AseSession *self, int level, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The same of a sentence of io/base/said. */
void ase_session_say_kept(AseSession *self, int level, const char *said);
/* After every change of the procedure: tells it, writes it. */
void ase_session_sync(AseSession *self);
/* A procedure, with the motions that were followed, for the file. g_free. */
char *ase_session_steps_text(const AseSession *self, const AseProcedure *procedure);
/* The session's. */
void ase_session_write_steps(AseSession *self);

/* ---- refusing ---- */

bool ase_session_refuse(GError **error, const char *words);
/* The same with what was said before, a sentence of io/base/said or plain text. */
bool ase_session_refuse_kept(GError **error, const char *said);
/* No motion, computation or transfer. */
bool ase_session_is_free(AseSession *self, GError **error);

/* ---- judging ---- */

/* Of one joint; what was said is freed. */
void ase_session_take_judgement(AseSession *self, AseStep step, guint joint,
                                const AseJudgement *judgement);

#endif
