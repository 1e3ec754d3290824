/* SPDX-License-Identifier: MIT */
/* Which steps the procedure of a method has: a const table of it, in the order in which they are
 * shown. The program knows each step by its role; what comes before which, and what its result is
 * made of, says the table. Any thread. */
#ifndef ARMATURE_SESSION_STEPS_H
#define ARMATURE_SESSION_STEPS_H

#include <glib.h>
#include <stdbool.h>

/* What a step is for. No order: a method has some of them, in one of its own. */
typedef enum {
  ASE_STEP_CONNECT,
  ASE_STEP_DESCRIBE,  /* what the controller says it is */
  ASE_STEP_CHECK,     /* pose, limits, faults, emergency stop chain */
  ASE_STEP_CONFIGURE, /* arm, free ranges, speeds */
  ASE_STEP_PLAN,
  ASE_STEP_DRY_RUN, /* the way of a sweep, slowly */
  ASE_STEP_SWEEP,   /* what is measured */
  ASE_STEP_FIT,
  ASE_STEP_VALIDATE,
  ASE_STEP_EXPORT,
  ASE_STEP_UPLOAD,
  ASE_STEP_VERIFY, /* read back, and the digest after a restart; proved once and for all */
  ASE_STEPS
} AseStep;

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

#define ASE_BIT(k) (1u << (k))

typedef struct {
  AseStep step;
  const char *key;   /* in files and for scripts: "dry-run" */
  const char *title; /* N_, for people: "Dry run" */
  guint needs;       /* ASE_BIT of steps above: all done before this one may start */
  guint rests;       /* likewise: those whose results its own is made of; a lost connection, for
                        one, takes nothing with it */
  guint inputs;      /* ASE_BIT of AseInput, likewise */
  bool is_jointwise; /* done joint by joint, with a state for each */
} AseStepRow;

typedef struct {
  const AseStepRow *rows;
  guint count;
} AseSteps;

/* `steps` NULL, in all of them: there are none. NULL: the method has no such step. */
const AseStepRow *ase_steps_find(const AseSteps *steps, AseStep step);

/* Static; "" of a step that the method does not have. */
const char *ase_steps_key(const AseSteps *steps, AseStep step);
const char *ase_steps_title(const AseSteps *steps, AseStep step); /* in the reader's language */
const char *ase_steps_said(const AseSteps *steps, AseStep step);  /* a sentence of io/base/said */

/* ASE_BIT of the step and of all that must be done before it, and before that; 0: the method does
 * not have it. */
guint ase_steps_way_to(const AseSteps *steps, AseStep step);

/* What it comes to is made of the arm, a plan or data, and not of what is connected. */
bool ase_step_is_result(const AseStepRow *row);
/* The arm moves in it. */
bool ase_step_moves(AseStep step);

#endif
