/* SPDX-License-Identifier: MIT */
/* Where a calibration stands: the steps, each with a state and a reason.
 *
 * A step may be started when the steps before it are done, may be repeated at any time, and goes
 * stale when something that its result rests on changes. Steps that are done joint by joint keep a
 * state for each joint; the arm's state follows from theirs. A reason is kept as it was said, as a
 * sentence of io/base/said or as a plain text, and is interned: what is equal is the same pointer.
 * So the whole is plain data: copy it to undo, compare it, keep it in a file. No device,
 * no clock; one thread at a time.
 */
#ifndef ARMATURE_SESSION_PROCEDURE_H
#define ARMATURE_SESSION_PROCEDURE_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"
#include "session/transfer/proof.h"

typedef enum {
  ASE_STEP_CONNECT,
  ASE_STEP_DESCRIBE,  /* what the controller says it is */
  ASE_STEP_CHECK,     /* pose, limits, faults, emergency stop chain */
  ASE_STEP_CONFIGURE, /* arm, free ranges, speeds */
  ASE_STEP_PLAN,
  ASE_STEP_DRY_RUN, /* joint by joint, as are the next three */
  ASE_STEP_SWEEP,
  ASE_STEP_FIT,
  ASE_STEP_VALIDATE,
  ASE_STEP_EXPORT,
  ASE_STEP_UPLOAD,
  ASE_STEP_VERIFY, /* read back, and the digest after a restart; proved once and for all */
  ASE_STEPS
} AseStep;

typedef enum {
  ASE_STATE_WAITING, /* a step before it is missing */
  ASE_STATE_READY,
  ASE_STATE_RUNNING,
  ASE_STATE_PASSED,
  ASE_STATE_FAILED,
  ASE_STATE_STALE,    /* it has a result, which rests on something that has changed */
  ASE_STATE_UNJUDGED, /* it has a result, and nothing could tell whether it is good */
  ASE_STATES
} AseStepState;

/* What results rest on besides the steps before them. */
typedef enum {
  ASE_INPUT_DEVICE,    /* another connection: a restart may have moved or re-homed the arm */
  ASE_INPUT_ARM,       /* geometry, gears, coupling, torque constants */
  ASE_INPUT_LIMITS,    /* limits, free ranges, speeds */
  ASE_INPUT_PLAN,      /* holds and sweeps */
  ASE_INPUT_DATA,      /* a sweep recorded, samples excluded or restored */
  ASE_INPUT_JUDGEMENT, /* what the lab accepts */
  ASE_INPUT_FRICTION,  /* the friction terms that are tried */
  ASE_INPUT_MISFIT,    /* what the lab accepts of a misfit of the fit itself */
  ASE_INPUTS
} AseInput;

typedef struct {
  AseStepState state;
  const char *reason; /* as it was said, interned; NULL: none. ase_step_reason has the text */
} AseStepInfo;

typedef struct {
  guint joints;
  AseStepInfo steps[ASE_STEPS]; /* of joint-wise steps: what follows from the joints */
  AseStepInfo joint[ASE_STEPS][ARM_MAX_JOINTS];
  char dry_run_serial[ASE_SERIAL_BYTES]; /* with which controller the dry run was done */
  char sweep_serial[ASE_SERIAL_BYTES];   /* with which the sweeps were; empty: a recording */
  char fit_serial[ASE_SERIAL_BYTES];     /* with which those of the fit were */
  AseTransferProof proof;                /* of the last upload; all zero: there was none */
} AseProcedure;
G_STATIC_ASSERT(sizeof(AseProcedure) < 8192); /* compared and copied at every step */

const char *ase_step_key(AseStep step);        /* "dry-run", for files and scripts; static */
const char *ase_step_title(AseStep step);      /* "Dry run", for people; static */
const char *ase_step_said(AseStep step);       /* the same as a sentence of io/base/said; static */
const char *ase_state_key(AseStepState state); /* "passed"; static */
/* The reason in the reader's language, for people; "" for none. Interned. */
const char *ase_step_reason(const AseStepInfo *info);
/* The steps after it may start: passed, or not judged, as what follows may tell more. */
bool ase_state_is_done(AseStepState state);

void ase_procedure_init(AseProcedure *procedure, guint joints);

/* The state of a step (WAITING and READY follow from the steps before it), and of one joint of it
 * (from 1). */
AseStepState ase_procedure_state(const AseProcedure *procedure, AseStep step);
AseStepState ase_procedure_joint_state(const AseProcedure *procedure, AseStep step, guint joint);

/* What has to be done before the step: "first comes \"Dry run\" (stale: the plan has changed)", a
 * sentence of io/base/said. g_free. NULL: nothing, it may start. */
char *ase_procedure_missing_said(const AseProcedure *procedure, AseStep step);
/* false with AIO_ERROR_REFUSED: the step and that. */
bool ase_procedure_may_start(const AseProcedure *procedure, AseStep step, GError **error);

/* Results. The reasons are sentences of io/base/said or plain texts; NULL or "": none.
 * `joint` counts from 1; 0: the whole step, of joint-wise steps all joints at once.
 * Starting a step makes what rests on its result stale. */
void ase_procedure_start(AseProcedure *procedure, AseStep step, guint joint);
void ase_procedure_pass(AseProcedure *procedure, AseStep step, guint joint, const char *reason);
void ase_procedure_fail(AseProcedure *procedure, AseStep step, guint joint, const char *reason);
void ase_procedure_leave_unjudged(AseProcedure *procedure, AseStep step, guint joint,
                                  const char *reason);

/* Its result, and what rests on it, is no longer what it was. */
void ase_procedure_outdate(AseProcedure *procedure, AseStep step, const char *reason);

/* The same of one joint (from 1) of a joint-wise step; what rests on the step is not touched. */
void ase_procedure_outdate_joint(AseProcedure *procedure, AseStep step, guint joint,
                                 const char *reason);

/* Something changed: what rests on it, directly or through other steps, becomes stale.
 *   what  the reason, "the plan has changed"; NULL: a general one for the input */
void ase_procedure_changed(AseProcedure *procedure, AseInput input, const char *what);

/* What was done with another controller than the one that is connected now does not hold for it:
 * the dry run and unfinished sweeps, an upload; nor is an upload one any more when its parameters
 * are others now.
 *   digest  of those in use; 0: not known */
void ase_procedure_meet(AseProcedure *procedure, const char *serial, guint32 digest);

/* Was the fit measured with this controller? false with AIO_ERROR_REFUSED, naming both: with
 * another one. true also if that is not known: of a recording. */
bool ase_procedure_is_of(const AseProcedure *procedure, const char *serial, GError **error);

/* After a restart of the program: what was running was interrupted, the connection is gone. */
void ase_procedure_resume(AseProcedure *procedure);

/* As a JSON object, and back. NULL and false only for text that is not such an object:
 * AIO_ERROR_MEANING, AIO_ERROR_SYNTAX or AIO_ERROR_TOO_LARGE, procedure untouched. */
char *ase_procedure_to_json(const AseProcedure *procedure);
/* The same with one member more, which from_json leaves to others: `json` is a JSON value; NULL:
 * without it. */
char *ase_procedure_to_json_with(const AseProcedure *procedure, const char *key, const char *json);
bool ase_procedure_from_json(AseProcedure *procedure, const char *json, GError **error);

#endif
