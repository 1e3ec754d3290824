/* SPDX-License-Identifier: MIT */
/* From a connection to parameters in a controller. */
#include <glib/gi18n-lib.h>

#include "session/method/method_gravity.h"

#define STEP(name)  ASE_BIT(ASE_STEP_##name)
#define INPUT(name) ASE_BIT(ASE_INPUT_##name)

static const AseStepRow rows[] = {
    {ASE_STEP_CONNECT, "connect", N_("Connect"), .inputs = INPUT(DEVICE)},
    {ASE_STEP_DESCRIBE, "describe", N_("Controller"), .needs = STEP(CONNECT),
     .inputs = INPUT(DEVICE)},
    {ASE_STEP_CHECK, "check", N_("Pose and limits"), .needs = STEP(DESCRIBE),
     .inputs = INPUT(DEVICE) | INPUT(ARM) | INPUT(LIMITS)},
    {ASE_STEP_CONFIGURE, "configure", N_("Arm"), .needs = 0},
    {ASE_STEP_PLAN, "plan", N_("Plan"), .needs = STEP(CONFIGURE),
     .inputs = INPUT(ARM) | INPUT(LIMITS) | INPUT(PLAN)},
    {ASE_STEP_DRY_RUN, "dry-run", N_("Dry run"), .needs = STEP(CHECK) | STEP(PLAN),
     .inputs = INPUT(ARM) | INPUT(LIMITS) | INPUT(PLAN), .is_jointwise = true},
    {ASE_STEP_SWEEP, "sweep", N_("Sweep"), .needs = STEP(CHECK) | STEP(DRY_RUN),
     .inputs = INPUT(PLAN), .is_jointwise = true},
    {ASE_STEP_FIT, "fit", N_("Fit"), .needs = STEP(SWEEP), .rests = STEP(SWEEP),
     .inputs = INPUT(ARM) | INPUT(DATA) | INPUT(FRICTION) | INPUT(MISFIT), .is_jointwise = true},
    {ASE_STEP_VALIDATE, "validate", N_("Validate"), .needs = STEP(FIT), .rests = STEP(FIT),
     .inputs = INPUT(DATA) | INPUT(JUDGEMENT), .is_jointwise = true},
    {ASE_STEP_EXPORT, "export", N_("Export"), .needs = STEP(FIT), .rests = STEP(FIT)},
    {ASE_STEP_UPLOAD, "upload", N_("Upload"), .needs = STEP(CHECK) | STEP(EXPORT),
     .rests = STEP(EXPORT)},
    {ASE_STEP_VERIFY, "verify", N_("Verify"), .needs = STEP(UPLOAD), .rests = STEP(UPLOAD)},
};

const AseSteps ase_gravity_steps = {rows, G_N_ELEMENTS(rows)};
