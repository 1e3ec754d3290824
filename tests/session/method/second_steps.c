/* SPDX-License-Identifier: MIT */
/* Of all joints at once: what moves is planned before anything is connected, and shown nobody
 * slowly; nothing is validated, and nothing uploaded. A new plan takes the parameters with it. */
#include "second_method.h"

#define STEP(name)  ASE_BIT(ASE_STEP_##name)
#define INPUT(name) ASE_BIT(ASE_INPUT_##name)

static const AseStepRow rows[] = {
    {ASE_STEP_CONFIGURE, "links", "Links", .needs = 0},
    {ASE_STEP_PLAN, "motion", "Motion", .needs = STEP(CONFIGURE), .inputs = INPUT(PLAN)},
    {ASE_STEP_CONNECT, "connect", "Connect", .inputs = INPUT(DEVICE)},
    {ASE_STEP_CHECK, "check", "Clearance", .needs = STEP(CONNECT), .inputs = INPUT(DEVICE)},
    {ASE_STEP_SWEEP, "record", "Record", .needs = STEP(PLAN) | STEP(CHECK)},
    {ASE_STEP_FIT, "identify", "Identify", .needs = STEP(SWEEP), .rests = STEP(PLAN) | STEP(SWEEP),
     .is_jointwise = true},
    {ASE_STEP_EXPORT, "write", "Write", .needs = STEP(FIT), .rests = STEP(FIT)},
};

const AseSteps second_steps = {rows, G_N_ELEMENTS(rows)};
