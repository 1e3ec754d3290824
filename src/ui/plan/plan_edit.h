/* SPDX-License-Identifier: MIT */
/* A plan as cells of tables, in the units of people: sweeps and holds. No widget, no session. Every
 * setter: false with AIO_ERROR_MEANING, which names joint, hold, what was expected and what was
 * found; edits untouched. Joints and holds count from 0 here, from 1 in texts. */
#ifndef ARMATURE_UI_PLAN_EDIT_H
#define ARMATURE_UI_PLAN_EDIT_H

#include "io/arm/arm_file.h"
#include "session/edits.h"

typedef enum { AUI_SWEEP_FROM, AUI_SWEEP_TO, AUI_SWEEP_SPEEDS } AuiSweepField;

/* "-100", "30 40 50". g_free. */
char *aui_sweep_text(const AioArm *arm, const AseEdits *edits, guint joint, AuiSweepField field);
bool aui_sweep_set(const AioArm *arm, AseEdits *edits, guint joint, AuiSweepField field,
                   const char *text, GError **error);

/* A hold's position of joint `field`; or what the sweeping joint is free to do while the arm is in
 * this hold, "" where that is no less than elsewhere. */
enum { AUI_HOLD_FROM = ARM_MAX_JOINTS, AUI_HOLD_TO };
char *aui_hold_text(const AioArm *arm, const AseEdits *edits, guint joint, guint hold, guint field);
bool aui_hold_set(const AioArm *arm, AseEdits *edits, guint joint, guint hold, guint field,
                  const char *text, GError **error);

/* Speeds of all plans to come, as "30 40 50": deg/s for R joints (or rad/s, as
 * angles are shown), and 1 mm/s for each deg/s for T joints. */
char *aui_speeds_text(const AseEdits *edits);
bool aui_speeds_set(AseEdits *edits, const char *text, GError **error);

/* How the arm gets from hold to hold: the order in which joints move ("6 5 4 3 2 1"), their speed
 * [as the speeds of sweeps], and the minutes of warm-up before anything is measured. */
typedef enum { AUI_WAY_ORDER, AUI_WAY_SPEED, AUI_WAY_WARM_UP } AuiWayField;
char *aui_way_text(const AioArm *arm, const AseEdits *edits, AuiWayField field);
bool aui_way_set(const AioArm *arm, AseEdits *edits, AuiWayField field, const char *text,
                 GError **error);

/* What is wrong with a plan, a sentence each: holds that are nearly the same pose, holds that show
 * too few directions of gravity (of char *, g_ptr_array_unref); and parameters that stay unknown.
 *   forecast  of the plan; NULL: not known, then only poses are compared */
GPtrArray *aui_plan_warnings(const AioArm *arm, const ArmPlan *plan, const ArmPlanReport *forecast);
GPtrArray *aui_plan_unknowns(const AioArm *arm, const ArmParamSet *forecast);

#endif
