/* SPDX-License-Identifier: MIT */
/* Inside session*.c only: what a session holds, and which file does what.
 *
 *   session.c         the object, its accessors
 *   session_edits.c   the arm, edits and undo
 *   session_file.c    creating, opening, closing; what record/ asks of a session
 *   session_load.c    what an earlier program left in the file
 *   session_standing.c what undo of an edit gives back
 *   session_steps.c   starting and cancelling; the steps that are done at once
 *   session_device.c  what the contact with the controller asks of it; who may connect
 *   session_arming.c  may the arm be armed?
 *   session_motion.c  DRY_RUN, SWEEP
 *   session_clock.c   how long they take
 *   session_compute.c PLAN, and what jobs have in common
 *   session_replan.c  PLAN of the joints to come, after the first one has been swept
 *   session_fit.c     FIT, EXPORT
 *   session_validate.c VALIDATE
 *   session_diagnose.c what may cause a misfit, beside the steps
 *   session_select.c  the selection, in a thread while the arm is armed
 *   session_transfer.c UPLOAD, VERIFY
 *   session_import.c  from a recording instead of an arm
 *   session_recording.c somebody's motion instead of a plan
 *
 * What has a state of its own is a part with a header of its own, which includes neither this one
 * nor session.h (tests/lint/parts.sh); these files hand on between them.
 */
#ifndef ARMATURE_SESSION_SESSION_INTERNAL_H
#define ARMATURE_SESSION_SESSION_INTERNAL_H

#include "session/contact.h"
#include "session/measure/motion.h"
#include "session/measure/planned.h"
#include "session/measure/selecting.h"
#include "session/method/results.h"
#include "session/record/record.h"
#include "session/session.h"
#include "session/transfer/delivery.h"
#include "session/work.h"

typedef struct AseDiagnosing AseDiagnosing;
typedef struct AseEditor AseEditor;
typedef struct AseRecording AseRecording;

struct _AseSession {
  GObject parent;
  /* what all of it is about: others read these, and nobody but the session changes them */
  AioArm *arm;
  AseEdits *edits;
  AseProcedure *procedure;
  AseProcedure *told; /* as signals and file know it */
  AseEditor *editor;  /* of session_edits.c: the arm's text, undo, where it stood before edits */

  AseDevice *device;
  AseContact *contact;
  AseRecord *record; /* its file, and the runs in it */

  AsePlanned *planned;     /* what the plan comes to */
  AseMotion *motion;       /* what moves */
  AseSelecting *selecting; /* which of what was measured is used */
  AseWork *work;           /* the computation of a step */
  AseResults *results;
  AseDiagnosing *diagnosing; /* of session_diagnose.c: what may cause a misfit */
  AseRecording *recording;   /* of session_recording.c; NULL: none yet */
  AseDelivery *delivery;     /* NULL: nothing was transferred yet */
};

/* ---- session.c ---- */

AseSession *ase_session_new(const char *path, const char *program, const char *arm_name,
                            bool is_read_only);
void ase_session_emit_changed(AseSession *self);
void ase_session_emit_progress(AseSession *self, AseStep step, double part, double left_s);
void ase_session_emit_leg(AseSession *self, guint leg);
void ase_session_emit_diagnosis(AseSession *self);
/* A message to people, as it was said; its event is in the file. */
void ase_session_emit_message(AseSession *self, int level, const char *said);
/* A message to people and to the file: a sentence as aio_said takes it. */
void ase_session_say(AseSession *self, int level, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* After every change of the procedure: tells it, writes it. */
void ase_session_sync(AseSession *self);
bool ase_session_refuse(GError **error, const char *words);
/* The same with what was said before, a sentence of io/base/said or plain text. */
bool ase_session_refuse_kept(GError **error, const char *said);

/* ---- session_edits.c ---- */

AseEditor *ase_editor_new(const char *arm_name);
void ase_editor_free(AseEditor *editor);
/* How messages call it; of the file that it is from, verbatim. */
const char *ase_session_arm_name(const AseSession *self);
const char *ase_session_arm_text(const AseSession *self);
/* Both are taken over. */
void ase_session_take_arm(AseSession *self, AioArm *arm, char *arm_text);
/* Passes CONFIGURE; the arm file's warnings become messages. */
void ase_session_configure(AseSession *self);
void ase_session_forget_plan(AseSession *self);
void ase_session_clear_fit(AseSession *self);
/* Arm and edits as they are now, before an edit; `what` is the edit in words. */
void ase_session_remember_for_undo(AseSession *self, const char *what);
/* ase_session_set_arm; `what` is the edit in words. */
bool ase_session_set_arm_as(AseSession *self, const char *arm_text, const char *what,
                            GError **error);

/* ---- session_standing.c ---- */

/* Before an edit: remembers edits and states, unless more had passed with those remembered. */
void ase_session_remember_standing(AseSession *self);
/* After an edit: if it made the edits those remembered, states and plan are what they were. */
void ase_session_return_to_standing(AseSession *self);
/* Something is measured, computed or written with the edits as they are now. */
void ase_session_forget_standing(AseSession *self);

/* ---- session_select.c ---- */

/* Other runs or another arm: it is to be made anew. */
void ase_session_forget_selection(AseSession *self);
/* The exclusions have changed. */
void ase_session_exclude(AseSession *self);
/* Of AseExclusion, a copy. */
GArray *ase_session_exclusions(AseSession *self);

/* ---- session_file.c ---- */

AseRecord *ase_session_make_record(AseSession *self, const char *path, const char *program,
                                   bool is_read_only);
/* Ranges, speeds, exclusions, plan as they are now. */
void ase_session_write_edits(AseSession *self);

/* ---- session_load.c ---- */

/* Everything in the store. `interrupted` gets the joint of a run that has not ended, 0:
 * none. */
bool ase_session_load(AseSession *self, AioStore *store, guint *interrupted, GError **error);
/* "resumed: 12 of 20 sweeps, 48211 samples; interrupted in joint 3". g_free. */
char *ase_session_kept(AseSession *self, guint interrupted);

/* ---- session_device.c ---- */

AseContact *ase_session_make_contact(AseSession *self);

/* ---- session_motion.c ---- */

/* joint 0: all, or what is left of them. */
bool ase_session_motion_start(AseSession *self, AseStep step, guint joint, GError **error);
/* The session is closing: what runs is ended in the file as well. */
void ase_session_motion_abandon(AseSession *self);
/* From the newest pose, else the middle of what is free. */
AseItinerary *ase_session_plan_itinerary(AseSession *self, GError **error);
bool ase_purpose_is_of(AsePurpose purpose, AseStep step);
/* What any motion asks for: armed, heard, a pose, a disk that takes what is measured. */
bool ase_session_may_move_now(AseSession *self, GError **error);
bool ase_session_has_room(AseSession *self, const AseItinerary *doing, GError **error);
/* For a runner of this session. */
AseRunLog ase_session_run_log(AseSession *self);
/* Why it stopped, in words: the disk, where the arm was halted for it. */
const char *ase_session_why_stopped(const AseSession *self, const char *reason);
/* Runs whose samples are in the file no more count no more. */
void ase_session_drop_lost_runs(AseSession *self);

/* ---- session_compute.c, session_fit.c ---- */

void ase_session_start_job(AseSession *self, AseStep step, const AseJobTask *task);
/* When the job is done: its step is over. */
void ase_session_end_job(AseSession *self);
void ase_session_start_plan(AseSession *self);
/* Its limits are what is free. */
void ase_session_plan_options(const AseSession *self, ArmModel *model, ArmPlanOptions *options);
/* In a job beside the step's: no state of a step changes. */
void ase_session_compute_forecast(AseSession *self);
void ase_session_start_fit(AseSession *self);
void ase_session_validate(AseSession *self);
/* Computes it without judging. AIO_ERROR_NOT_FOUND as ase_validation_compute. */
bool ase_session_compute_validation(AseSession *self, GError **error);
/* What the parameters of the fit say of its validation, of AioHeldOut; NULL: there is none, nor
 * sweeps for one. g_ptr_array_unref it. */
GPtrArray *ase_session_held_out(AseSession *self);

/* ---- session_replan.c ---- */

/* Where the sweeps in `doing` are to end. joint, out: after whose sweeps the others are planned
 * again; 0: they are not, and it is the end of all. */
guint ase_session_replan_end(const AseSession *self, const AseItinerary *doing, guint *joint);
void ase_session_start_replan(AseSession *self, guint joint);

/* ---- session_diagnose.c ---- */

AseDiagnosing *ase_diagnosing_new(void);
void ase_diagnosing_free(AseDiagnosing *diagnosing);
/* The program ends: nobody looks for it any more. */
void ase_session_stop_diagnosis(AseSession *self);
/* Arm, samples or fit are others; "changed" is the caller's. */
void ase_session_forget_diagnosis(AseSession *self);

/* ---- session_import.c ---- */

/* The steps that a recording stands for; a restart of the program takes nothing from it. */
void ase_session_pass_imported(AseSession *self);

/* ---- session_recording.c ---- */

void ase_recording_free(AseRecording *recording); /* NULL allowed */
/* There is one to be followed, and it has been checked. */
bool ase_session_has_motion(const AseSession *self);
/* A run of the file, of a motion that did not come to its end: it counts no more when one is
 * recorded. */
void ase_session_note_unfinished(AseSession *self, gint64 run);
/* The arm or its ranges are others now. */
void ase_session_outdate_motion(AseSession *self);
/* The session is closing. */
void ase_session_recording_abandon(AseSession *self);

/* ---- session_steps.c ---- */

/* No motion, computation or transfer. */
bool ase_session_is_free(AseSession *self, GError **error);
/* ase_session_start; `accepted` by the user for this upload, NULL: nothing. */
bool ase_session_start_accepting(AseSession *self, AseStep step, const AseUploadDoubts *accepted,
                                 GError **error);

/* ---- session_transfer.c ---- */

bool ase_session_start_transfer(AseSession *self, AseStep step, const AseUploadDoubts *accepted,
                                GError **error);

#endif
