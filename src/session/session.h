/* SPDX-License-Identifier: MIT */
/* A guided calibration: one arm, one controller, one file, twelve steps.
 *
 * The session owns its parts and lets them work; it decides nothing about mathematics, motion or
 * formats. Screens and scripts start steps, look at states and reasons (session/procedure.h), and
 * listen. Everything that a user edits can be undone. Everything is in the session's file a moment
 * later, so that a session continues after a crash where it was; without a file nothing moves.
 *
 * All functions in the thread (and default main context) that made the object; long work runs in
 * threads of its own on immutable data and comes back as a signal.
 *
 * Signals:
 *   "step-changed"  (guint AseStep)        a state or reason of this step is different
 *   "changed"                              arm, plan, exclusions, results: read them again
 *   "message"       (int level, const char *text)   0 information, 1 warning, 2 error; also logged
 *   "progress"      (guint AseStep, double part, double left_s)   left_s NAN: not known; ASE_STEPS:
 *                   of somebody's motion (session/recording.h), which is no step
 *   "leg"           (guint index)          the runner is at this leg
 *   "diagnosis"                            ase_session_diagnosis is different
 *   "clock"                                while the arm moves, twice a second: ase_session_clock
 */
#ifndef ARMATURE_SESSION_SESSION_H
#define ARMATURE_SESSION_SESSION_H

#include <glib-object.h>
#include <stdbool.h>

#include "core/sweeps/plan.h"
#include "io/arm/arm_file.h"
#include "io/params/params_file.h"
#include "io/store/recorder.h"
#include "session/device/device.h"
#include "session/edits.h"
#include "session/measure/itinerary.h"
#include "session/measure/runs.h"
#include "session/measure/selection.h"
#include "session/method/diagnosis.h"
#include "session/method/fit.h"
#include "session/method/measuring.h"
#include "session/method/validation.h"
#include "session/procedure.h"
#include "session/transfer/transfer.h"

#define ASE_TYPE_SESSION (ase_session_get_type())
G_DECLARE_FINAL_TYPE(AseSession, ase_session, ASE, SESSION, GObject)

/* ---- files ---- */

/* A new session in a new file. arm_text: an arm file, verbatim; `name` is what messages call it.
 * The file is there with the arm or not at all; one that an older version left without an arm, and
 * so with nothing, is taken. NULL: what aio_arm_load_bytes and aio_store_create report. */
AseSession *ase_session_create(const char *path, const char *program, const char *name,
                               const char *arm_text, GError **error);

/* Goes on with a session: arm, plan, runs, fit and steps as they were. `kept` (may be NULL, g_free)
 * says in one line what was found. Its file is locked, and not changed before something is done
 * with the session: an edit, a step, a connection. NULL: what aio_store_open_waiting reports. */
AseSession *ase_session_open(const char *path, const char *program, char **kept, GError **error);

/* The same without changing anything: no motion, no edits. */
AseSession *ase_session_open_read(const char *path, GError **error);

/* Of one that was opened: reads in a thread what the eye wants of its runs, so that a window does
 * not wait for it where it draws. Once; who shows nothing has no use for it. */
void ase_session_outline(AseSession *session);

/* What is made of a recording: of each joint and hold some sweeps are held out for VALIDATE. */
typedef struct {
  double held_out;    /* part of the sweeps, 0 to 0.5; default 0.2 */
  ArmRowOptions rows; /* default: arm_row_options_default, all that moves */
} AseImportOptions;
void ase_import_options_default(AseImportOptions *options);

/* A session in a new file, from a recording (which was read with this arm): its steps up to SWEEP
 * have passed "from a recording", FIT is next, no controller is needed. arm_text, name as in
 * ase_session_create. NULL: what ase_session_create, session/measure/recorded.h and
 * aio_recorder_flush report; then there is no file. */
AseSession *ase_session_import(const char *path, const char *program, const char *name,
                               const char *arm_text, const AioRecording *recording,
                               const AseImportOptions *options, GError **error);

/* Its sweeps are from a recording. */
bool ase_session_is_imported(AseSession *session);

bool ase_session_is_read_only(AseSession *session);

/* Was its file begun on this computer, and is it this user's? What another names is not to be
 * trusted. */
bool ase_session_is_own(AseSession *session);

const char *ase_session_path(AseSession *session);

/* When the file is deleted, renamed, replaced or overwritten while the session is open, the arm is
 * halted and the session goes on by itself in "NAME-rescued.armsession" beside it, else with the
 * user's sessions, at home or among temporary files; the path then is that.
 *
 * After "hold: ..." told that the disk is full or gone: goes on in a new file, with everything that
 * was recorded before and what waits in memory. The answer comes as a "message"; the path then is
 * the new one. false with AIO_ERROR_REFUSED: the session is read only. */
bool ase_session_move_to(AseSession *session, const char *path, GError **error);

/* How the writing goes: what is on the disk, what waits. false: nothing is written, the session is
 * read only or closed. */
bool ase_session_recording(AseSession *session, AioRecorderStatus *out);

/* Why the disk does not take what is measured, in words; NULL: it does. While it lasts, it is tried
 * again every second, and no step moves the arm. Borrowed, valid until "changed". */
const char *ase_session_disk_failure(AseSession *session);

/* That the session's file was not where it was, so that the session goes on by itself in another
 * one: both places, and what was lost, if anything. NULL: it did not, or the user has moved it
 * since. Borrowed, valid until "changed". */
const char *ase_session_rescued(AseSession *session);

/* Why it went on by itself in another file, the last time (AIO_ERROR_GONE: deleted, renamed,
 * replaced or overwritten); NULL: it did not. */
const GError *ase_session_left_for(AseSession *session);
/* What of it could not come along, in words; NULL: nothing. Both also after closing. */
const char *ase_session_lost(AseSession *session);

/* Halts and disarms, ends the recording, closes the file. What the file does not take then, there
 * being no room, goes on in "NAME-rescued.armsession" elsewhere, as told at ase_session_move_to;
 * this is told as a "message", like all that is found out on the way. Also when the last reference
 * goes, but then errors are lost. Of what can still be asked, only the path is sure, and the two
 * above. */
bool ase_session_close(AseSession *session, GError **error);

/* ---- parts; borrowed, valid until "changed" ---- */

AseDevice *ase_session_device(AseSession *session);
const AseProcedure *ase_session_procedure(AseSession *session);
/* The steps of the method that sessions measure for, which their files hold. Static. */
const AseSteps *ase_session_steps(void);

/* Is why the step is as it is a part of the last "message" of an error? Of a step that says
 * nothing: was there such a message? */
bool ase_session_has_told(const AseSession *session, AseStep step);
/* Of AioParam, as the controller that is connected told them; empty: it has none, or has not told
 * them yet. */
const GArray *ase_session_controller_params(AseSession *session);
const AioArm *ase_session_arm(AseSession *session);
const AseEdits *ase_session_edits(AseSession *session); /* ranges, speeds, exclusions */
const ArmPlan *ase_session_plan(AseSession *session);   /* NULL: none yet */
/* Of the plan. NULL: none yet; or PLAN has passed in an earlier program, and "changed" will follow,
 * since it is computed when it is asked for first. */
const ArmPlanReport *ase_session_forecast(AseSession *session);
const AseItinerary *ase_session_itinerary(AseSession *session); /* NULL: none yet */
const GPtrArray *ase_session_runs(AseSession *session);         /* of AseRun, those that count */
/* Reads all samples of the sweeps that are done: what the fit would stumble over is told before the
 * arm moves for the rest. Takes seconds for an hour of sweeps. false: the file cannot be read there
 * (AIO_ERROR_SYNTAX, names the row), or a sweep has no samples any more (AIO_ERROR_NOT_FOUND, names
 * joint and hold). */
bool ase_session_check_samples(AseSession *session, GError **error);
/* Sweeps that were repeated since the session was opened; of AseRun. */
const GPtrArray *ase_session_earlier_runs(AseSession *session);
/* NULL: nothing was measured; or the arm moves, or is armed and "changed" will follow, since runs
 * and exclusions that are new are read from the file, which takes its time. */
const AseSelection *ase_session_selection(AseSession *session);
/* How its method measures, fits and judges, and what its figures are made of; NULL: any session's.
 * Static. */
const AseMeasuring *ase_session_measuring(const AseSession *session);
/* NULL: none yet. The next two tell of it what any method has; what sweeps have besides:
 * session/method/gravity.h. */
const AseFit *ase_session_fit(AseSession *session);
/* Something of this joint (from 1) was fitted. */
bool ase_session_has_rows(AseSession *session, guint joint);
/* What the fit found, as a set of its own: all that tables and reports need. false: there is none
 * yet.
 *   recursion  out, may be NULL: of the n -> 1 recursion, without joints where there is none
 * Cleared by the caller. */
bool ase_session_found(AseSession *session, ArmParamSet *found, ArmParamSet *recursion);
/* What a fit of the plan is expected to know. false: there is no forecast, see above. */
bool ase_session_foreseen(AseSession *session, ArmParamSet *found);
const AseValidation *ase_session_validation(AseSession *session); /* NULL: none yet */
guint ase_session_leg(AseSession *session);                       /* of the itinerary */

/* ---- the time that is left ---- */

/* What the arm is doing. */
typedef enum {
  ASE_MOVES_DRY_RUN, /* of a calibration */
  ASE_MOVES_SWEEP,
  ASE_MOVES_MOTION_DRY_RUN, /* somebody's motion, slowly, and the way to it */
  ASE_MOVES_MOTION          /* as it is, and the way back to where it begins */
} AseMoves;
const char *ase_moves_key(AseMoves what);   /* "dry-run", for scripts; static */
const char *ase_moves_title(AseMoves what); /* "Dry run", for people; static */

/* What that still takes by the clock on the wall, in the speed of the arm. */
typedef struct {
  AseMoves what;     /* at present; the times are of all that is done this time */
  double part;       /* 0..1 of that */
  double whole_s;    /* of that, estimated */
  double left_s;     /* of that */
  double leg_left_s; /* of the leg that runs; 0: it takes longer than estimated */
} AseClock;

/* false: nothing moves. The only answer to "how long": every place that shows it shows this. */
bool ase_session_clock(AseSession *session, AseClock *out);

/* Arm time as time on the wall [s]: a simulated arm may be faster. Without an arm the same. */
double ase_session_wall_s(const AseSession *session, double arm_s);

/* ---- edits, each with undo ----
 *
 * What rests on what is edited becomes stale. Edits that are again what they were, by undo, redo or
 * by hand, give it back, unless a step after PLAN was begun meanwhile. */

/* false: AIO_ERROR_MEANING, ... of the text; nothing is changed. */
bool ase_session_set_arm(AseSession *session, const char *arm_text, GError **error);
/* Ranges, speeds, exclusions, plan by hand: a changed copy of ase_session_edits. A read-only
 * session ignores it and says so. An arm that moves is stopped when ranges, speeds or plan change.
 */
void ase_session_set_edits(AseSession *session, const AseEdits *edits, const char *what);
bool ase_session_can_undo(AseSession *session, const char **what);
bool ase_session_can_redo(AseSession *session, const char **what);
void ase_session_undo(AseSession *session);
void ase_session_redo(AseSession *session);

/* ---- the steps ---- */

/* false with AIO_ERROR_REFUSED: the session is read only, or what is connected moves or is armed
 * and answers, and would be out of reach. Ask before a port is opened. */
bool ase_session_may_connect(AseSession *session, GError **error);

/* Connects to an open link, which is taken over; then does DESCRIBE and CHECK. false: the refusals
 * of ase_session_may_connect, and what ase_device_open reports; the link is still the caller's. */
bool ase_session_connect(AseSession *session, AioLink *link, const AseDeviceOptions *options,
                         GError **error);

/* Closes the connection. false: the refusals of ase_session_may_connect. */
bool ase_session_disconnect(AseSession *session, GError **error);

/* May the arm be armed now? false with AIO_ERROR_REFUSED and what is to be done first: the refusals
 * of ase_device_may_arm; the session is read only; CONNECT, DESCRIBE or CHECK has failed; nothing
 * could be recorded; there is no plan, so that an armed arm would have nothing to do. */
bool ase_session_may_arm(AseSession *session, GError **error);

/* Arms it, as ase_device_arm; false: ase_session_may_arm. Screens and scripts arm by this only. */
bool ase_session_begin_arming(AseSession *session, GError **error);

/* Begins a step; "step-changed" tells when it has ended. Steps that move need an armed device.
 * false with AIO_ERROR_REFUSED and what is missing. DRY_RUN and SWEEP go on where they were halted:
 * what is not complete is visited again, in the same order, from where the arm stands. SWEEP of a
 * proposed plan on loads that nobody stated ends, as failed, when the first joint is swept; PLAN
 * then runs by itself, and the other joints' plan is an edit that can be undone, their dry run
 * stale. EXPORT has nothing to begin: see ase_session_exported. */
bool ase_session_start(AseSession *session, AseStep step, GError **error);

/* DRY_RUN or SWEEP of one joint (from 1) anew: its earlier runs stay in the file, but are no longer
 * selected. Refusals as ase_session_start. */
bool ase_session_repeat(AseSession *session, AseStep step, guint joint, GError **error);

/* Stops the joint that moves and goes on with the next one. The step then ends as failed, and
 * starting it again does what was skipped. false with AIO_ERROR_REFUSED: no joint moves; somebody's
 * motion is followed, of which no part can be left out. */
bool ase_session_skip(AseSession *session, GError **error);

/* Ends the step that runs: a motion is stopped (arming stays), a computation cancelled. */
void ase_session_cancel(AseSession *session);

/* ---- the controller's parameters ---- */

/* Of UPLOAD, VERIFY and restoring: what was read, where the backup is, what differs. NULL: nothing
 * was transferred since the program was started. Borrowed, stays. */
AseTransfer *ase_session_transfer(AseSession *session);

/* What stands against UPLOAD until somebody answers for it. */
typedef struct {
  char serial[ASE_SERIAL_BYTES]; /* of what is connected, with which the fit was not measured; "" */
  bool is_misfit;                /* the model of the fit does not fit, or cannot be right */
  bool is_doubtful;              /* what was fitted is hardly right: arm_doubt_is_severe */
  bool is_unjudged;              /* neither of both, but nothing tells whether the fit is good */
  bool is_unvalidated; /* VALIDATE has failed; or is missing or stale though there are sweeps */
  bool loses_terms;    /* friction that the controller has no place for: ase_param_lost_terms */
} AseUploadDoubts;

/* true: there is something. */
bool ase_session_upload_doubts(AseSession *session, AseUploadDoubts *out);

/* UPLOAD in spite of that: ase_session_start refuses it, saying why; but an arm may get a new
 * controller. Refused as there when more stands against it than was accepted. */
bool ase_session_upload_anyway(AseSession *session, const AseUploadDoubts *accepted,
                               GError **error);

/* Brings the parameters of a backup back to the controller, after a backup of what is there now. A
 * "message" tells how it ended; UPLOAD and VERIFY, if they had passed, are stale then. false: what
 * ase_backup_load and ase_transfer_restore report, or AIO_ERROR_REFUSED: something else runs. */
bool ase_session_restore(AseSession *session, const char *path, GError **error);

/* ---- what may cause a misfit ---- */

/* Borrowed, never NULL; "diagnosis" tells when it is different. It is not in the file: it takes
 * seconds, and rests on arm, samples and fit as they are. */
const AseDiagnosis *ase_session_diagnosis(AseSession *session);

/* The fit has no misfit, but its validation has failed by more than the fit promised: sweeps of the
 * one contradict those of the other. A limit that the lab sets below what was promised does not. */
bool ase_session_is_contradicted(AseSession *session);

/* Looks for it in a thread, in the sweeps of the fit; where it is contradicted, in those of the
 * validation too, as if they were one recording. false with AIO_ERROR_REFUSED: there is no fit, or
 * none that is up to date, or there is no misfit, or something else runs. May be done in a session
 * open for reading. */
bool ase_session_may_diagnose(AseSession *session, GError **error);
bool ase_session_diagnose(AseSession *session, GError **error);
void ase_session_cancel_diagnosis(AseSession *session);

/* The arm as cause k (from 0) has it, as an edit that can be undone: never done by itself. false
 * with AIO_ERROR_REFUSED: the cause does not explain the misfit, or implies no change of an arm
 * file; or as ase_session_set_arm. */
bool ase_session_may_correct(AseSession *session, guint k, GError **error);
bool ase_session_correct(AseSession *session, guint k, GError **error);

/* ---- results ---- */

/* May what the fit found leave the session? Whether it is good is another question, for
 * ase_session_upload_doubts. false with AIO_ERROR_NOT_FOUND: there is no fit; with
 * AIO_ERROR_REFUSED: it is out of date, is being made again, or is of another arm than the
 * session's; why, and what to do. */
bool ase_session_may_export(AseSession *session, GError **error);

/* EXPORT: the parameter file's text, with units, provenance and digest. g_free. NULL: as
 * ase_session_may_export. */
char *ase_session_parameters(AseSession *session, GError **error);

/* Remembers that the parameters were written to this path: passes EXPORT, or leaves it unjudged
 * where FIT has not passed. Nothing where ase_session_may_export refuses. */
void ase_session_exported(AseSession *session, const char *path);

#endif
