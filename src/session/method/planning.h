/* SPDX-License-Identifier: MIT */
/* What a plan is made for, and what came of it: plain values, between a session and the method that
 * it measures for. */
#ifndef ARMATURE_SESSION_PLANNING_H
#define ARMATURE_SESSION_PLANNING_H

#include "core/sweeps/plan.h"
#include "session/method/results.h"

typedef struct {
  ArmModel model; /* its limits are what is free */
  gsize n_speeds;
  double speeds_R[ARM_PLAN_MAX_SPEEDS], speeds_T[ARM_PLAN_MAX_SPEEDS]; /* [rad/s, m/s] */
  bool is_given; /* the plan is kept, and only foreseen what comes of it */
  ArmPlan plan;
  AseFit *found; /* of this arm before; NULL: none */
} AsePlanning;

/* On what the promise of a plan rests. */
typedef enum {
  ASE_BASIS_FILE,      /* what the arm file states, and a noise that is assumed */
  ASE_BASIS_FIT,       /* what was found before, its noise included */
  ASE_BASIS_NO_MASSES, /* the file states not all masses: nothing is promised */
  ASE_BASIS_NO_DRIVES  /* ... gear ratios and torque constants: the same */
} AsePlanBasis;

typedef struct {
  ArmPlan plan;            /* zeros where there is nothing: plans are compared as bytes */
  ArmPlanReport *forecast; /* counted, see session/measure/planned.h; NULL: none */
  AsePlanBasis basis;
  double noise_sd; /* that is assumed [A] */
} AseProposal;

/* Free what they have; all zeros afterwards. */
void ase_planning_clear(AsePlanning *planning);
void ase_proposal_clear(AseProposal *proposal);

#endif
