/* SPDX-License-Identifier: MIT */
/* Inside method_gravity*.c only: what its entry is made of. As in session/method/measuring.h. */
#ifndef ARMATURE_SESSION_METHOD_GRAVITY_H
#define ARMATURE_SESSION_METHOD_GRAVITY_H

#include "session/method/gravity.h"
#include "session/method/measuring.h"

extern const AseSteps ase_gravity_steps;

bool ase_gravity_plan(AseJob *job, const AsePlanning *planning, AseProposal *made, GError **error);
bool ase_gravity_plans_again(const ArmModel *model);
bool ase_gravity_plan_again(AseJob *job, const AsePlanning *planning, const AseSweepRows *rows,
                            const ArmRowOptions *how, guint joint, AseProposal *made,
                            GError **error);
char *ase_gravity_plan_said(const AseProposal *made, double minutes);
AsePlanRemarks ase_gravity_remarks(const ArmModel *model, const ArmPlan *plan,
                                   const AseItinerary *itinerary);

bool ase_gravity_fit(AseJob *job, const ArmModel *model, const AseSweepRows *rows,
                     const ArmFitOptions *options, AseFitted *found, GError **error);
AseJudgement ase_gravity_judge(const AseFit *fit, guint joint);
ArmStatus ase_gravity_set(const AseFit *fit, ArmParamSet *set, ArmParamSet *recursion);
ArmStatus ase_gravity_foreseen(const ArmPlanReport *report, ArmParamSet *set);

AseVerdict ase_gravity_verdict(const AseFit *fit);
bool ase_gravity_has_rows(const AseFit *fit, guint joint);
void ase_gravity_offer_terms(const AseFit *fit, bool offers[ARM_TERMS]);
char *ase_gravity_options(const AseFit *fit, const AseFitSettings *settings, bool is_file);
char *ase_gravity_format(const AseFit *fit, const char *arm_name, const char *arm_digest,
                         const char *program, const AioProvenance *provenance,
                         const GPtrArray *held_out);
bool ase_gravity_recall(const char *name, const char *text, gsize length, const ArmModel *model,
                        AseFitted *found, bool *is_changed, GError **error);

bool ase_gravity_validate(AseValidation *out, const ArmModel *model, const GPtrArray *runs,
                          const AseFit *fit, const ArmRowOptions *rows,
                          const ArmValidationLimits *limits, double drift_limit, GError **error);
AseJudgement ase_gravity_judge_validation(const AseFit *fit, const AseValidation *v, guint joint);
bool ase_gravity_is_contradicted(const AseFit *fit, const AseValidation *v,
                                 const ArmValidationLimits *limits);

extern const AseFigure ase_gravity_figures[];
ArmStatus ase_gravity_select(ArmWindows *windows);
AsePredictor *ase_gravity_predictor(const ArmModel *model, const AseFit *fit);

#endif
