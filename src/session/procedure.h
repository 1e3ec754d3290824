/* SPDX-License-Identifier: MIT */
/* Where a calibration stands: the steps of its method, each with a state and a reason.
 *
 * Which there are and what they rest on is a table (session/method/steps.h). A step may be started
 * when the steps before it are done, may be repeated at any time, and goes stale when something
 * that its result rests on changes. Steps that are done joint by joint keep a state for each joint;
 * the arm's state follows from theirs. A reason is kept as it was said, as a sentence of
 * io/base/said or as a plain text, and is interned: what is equal is the same pointer. So the whole
 * is plain data: copy it to undo, compare it, keep it in a file. No device, no clock; one thread at
 * a time.
 */
#ifndef ARMATURE_SESSION_PROCEDURE_H
#define ARMATURE_SESSION_PROCEDURE_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"
#include "session/method/steps.h"
#include "session/transfer/proof.h"

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

typedef struct {
  AseStepState state;
  const char *reason; /* as it was said, interned; NULL: none. ase_step_reason has the text */
} AseStepInfo;

typedef struct {
  const AseSteps *table; /* of the method; static; NULL: there are no steps */
  guint joints;
  /* all WAITING of a step that the method does not have */
  AseStepInfo steps[ASE_STEPS]; /* of joint-wise steps: what follows from the joints */
  AseStepInfo joint[ASE_STEPS][ARM_MAX_JOINTS];
  char dry_run_serial[ASE_SERIAL_BYTES]; /* with which controller the dry run was done */
  char sweep_serial[ASE_SERIAL_BYTES];   /* with which the sweeps were; empty: a recording */
  char fit_serial[ASE_SERIAL_BYTES];     /* with which those of the fit were */
  AseTransferProof proof;                /* of the last upload; all zero: there was none */
} AseProcedure;
G_STATIC_ASSERT(sizeof(AseProcedure) < 8192); /* compared and copied at every step */

const char *ase_state_key(AseStepState state); /* "passed"; static */
/* The reason in the reader's language, for people; "" for none. Interned. */
const char *ase_step_reason(const AseStepInfo *info);
/* The steps after it may start: passed, or not judged, as what follows may tell more. */
bool ase_state_is_done(AseStepState state);

/* The steps stay. */
void ase_procedure_init(AseProcedure *procedure, const AseSteps *steps, guint joints);

/* The method has this step. What it does not have is never ready, cannot be started or pass, and
 * is in no file. */
bool ase_procedure_has(const AseProcedure *procedure, AseStep step);
/* It has it, and it is yet to be done. */
bool ase_procedure_wants(const AseProcedure *procedure, AseStep step);
/* The first in the method's order that is in this state; ASE_STEPS: none. */
AseStep ase_procedure_find(const AseProcedure *procedure, AseStepState state);

/* The state of a step (WAITING and READY follow from the steps before it), and of one joint of it
 * (from 1). */
AseStepState ase_procedure_state(const AseProcedure *procedure, AseStep step);
AseStepState ase_procedure_joint_state(const AseProcedure *procedure, AseStep step, guint joint);

/* Of one joint (from 1); of a step that is not joint-wise: of the step. Borrowed. */
const AseStepInfo *ase_procedure_joint_info(const AseProcedure *procedure, AseStep step,
                                            guint joint);

/* What has to be done before the step: "first comes \"Dry run\" (stale: the plan has changed)", a
 * sentence of io/base/said; of a step that the method does not have, that. g_free. NULL: nothing,
 * it may start. */
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

/* The same of one joint (from 1), of a step that is not joint-wise all of it; what rests on the
 * step is not touched. */
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

/* As a JSON object, and back with the steps of the method, each of which is in it; what else is in
 * it is nobody's. NULL and false only for text that is not such an object:
 * AIO_ERROR_MEANING, AIO_ERROR_SYNTAX or AIO_ERROR_TOO_LARGE, procedure untouched. */
char *ase_procedure_to_json(const AseProcedure *procedure);
/* The same with one member more, which from_json leaves to others: `json` is a JSON value; NULL:
 * without it. */
char *ase_procedure_to_json_with(const AseProcedure *procedure, const char *key, const char *json);
bool ase_procedure_from_json(AseProcedure *procedure, const AseSteps *steps, const char *json,
                             GError **error);

#endif
