/* SPDX-License-Identifier: MIT */
/* Inside method_gravity*.c only: what its entry is made of. As in session/method/measuring.h. */
#ifndef ARMATURE_SESSION_METHOD_GRAVITY_H
#define ARMATURE_SESSION_METHOD_GRAVITY_H

#include "session/method/measuring.h"

bool ase_gravity_fit(AseJob *job, const ArmModel *model, const AseSelection *rows,
                     const ArmFitOptions *options, AseFitted *found, GError **error);
AseJudgement ase_gravity_judge(const ArmGravityFit *fit, guint joint);
ArmStatus ase_gravity_set(const ArmGravityFit *fit, ArmParamSet *set, ArmParamSet *recursion);
ArmStatus ase_gravity_foreseen(const ArmPlanReport *report, ArmParamSet *set);

AseJudgement ase_gravity_judge_validation(const ArmGravityFit *fit, const AseValidation *v,
                                          guint joint);
bool ase_gravity_is_contradicted(const ArmGravityFit *fit, const AseValidation *v,
                                 const ArmValidationLimits *limits);

#endif
