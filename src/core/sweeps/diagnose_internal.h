/* SPDX-License-Identifier: MIT */
/* Shared by the diagnose*.c files. See core/sweeps/diagnose.h for the letters. */
#ifndef ARMATURE_CORE_DIAGNOSE_INTERNAL_H
#define ARMATURE_CORE_DIAGNOSE_INTERNAL_H

#include "core/sweeps/diagnose.h"
#include "core/sweeps/verdict_internal.h"

/* Of a cause that explains the misfit; sound: 0.95 +- 0.05 (Armature theory notes, lack of fit,
 * section 5.1). */
#define ARM_REST_EXPLAINED 1.3

/* Supposes one cause and fits again. Owns a fit on strokes of its own. */
typedef struct {
  ArmCause *cause; /* borrowed: what is supposed, and where its values go */
  const ArmStrokeFit *base;
  ArmModel model;
  ArmIdent ident; /* borrows all of base's but model and tree */
  ArmStrokes strokes;
  ArmWarp warp;
  ArmStrokeFit fit;
  double axis[2][3]; /* tilt: across gravity */
  double p[ARM_CAUSE_VALUES];
  double gain; /* that rows are divided by now */
  double *z;   /* (rows + priors) x 4, owned */
  double *few; /* the same of the compact fit, or of a load in all strokes; owned with z */
  bool has_loaded;
  double *kept; /* columns of the fit while others are tried, owned with z */
  double *more; /* (rows + priors) x 4  currents of a ripple per A, owned with z */
  size_t worst; /* joint whose current is told */
} ArmTrial;

/* ---- diagnose_trial.c ---- */
/* ARM_E_MEMORY, ARM_E_NUMERIC. Clear it in any case. */
ARM_MUST_CHECK ArmStatus arm_trial_init(ArmTrial *trial, const ArmStrokeFit *base,
                                        const ArmStrokes *strokes, ArmCause *cause);
void arm_trial_clear(ArmTrial *trial);
/* The same of a payload, which begins at 0: for one cause after the other, without a refit between.
 */
void arm_trial_load_columns(ArmTrial *trial);
/* Gauss-Newton over p and the fit, from p as it is; the cost at its end, explained, value, sd of
 * the cause. ARM_E_NUMERIC. */
ARM_MUST_CHECK ArmStatus arm_trial_solve(ArmTrial *trial);

/* ---- diagnose_suppose.c ---- */
/* Two unit vectors across g: of a level base x and y. */
void arm_lean_axes(const double g[3], double axis[2][3]);
/* g turned by the rotation vector of p [rad]. */
void arm_lean(const double g[3], double axis[2][3], const double *p, double to[3]);
/* Columns of the fit by p as it is. */
void arm_trial_apply(ArmTrial *trial);
/* d residual/d p whitened into z, at p as it is. */
void arm_trial_columns(ArmTrial *trial);

/* ---- diagnose_project.c ---- */
typedef struct {
  double explained; /* D */
  double value[ARM_CAUSE_VALUES], sd[ARM_CAUSE_VALUES];
  size_t rank; /* of z_perp: columns that can be seen */
} ArmScore;
/* Of d columns z, (rows + priors) x d, which it overwrites. The fit is linearised at its minimum.
 */
ArmScore arm_diagnose_score(const ArmStrokeFit *fit, size_t d, double *z);

/* rms current of joint i that the whitened residual x has beyond noise [A] */
double arm_diagnose_missed(const ArmStrokeFit *fit, size_t i, const double *x);

/* ---- diagnose_columns.c ---- */
/* d residual/d value of a cause that needs no refit, whitened, into z; false: a stroke covers no
 * range. */
bool arm_diagnose_columns(const ArmStrokeFit *fit, const ArmCause *cause, double *z);

/* ---- diagnose_rank.c ---- */
/* Refitted, it leaves no more than noise, whether its size is known or not. */
bool arm_cause_leaves_noise(const ArmCause *cause);
/* What no arm has: such a cause only imitates another one. */
bool arm_cause_is_absurd(const ArmStrokeFit *fit, const ArmCause *cause);
/* score, rest, doubt and the order of all causes, and explains_it of those in doubt. Values are
 * those of the fit and become those of core/sweeps/diagnose.h.
 *   origin  of the strokes' times in the recording [s] */
void arm_causes_rank(const ArmStrokeFit *fit, double origin, ArmCause *list, size_t count);

/* ---- diagnose.c ---- */
/* Of a fit that has been judged: linearised at its minimum.
 *   progress, user  between causes, as in ArmFitOptions; may be NULL
 * ARM_E_MEMORY, ARM_E_NUMERIC, ARM_E_NO_DATA (cancelled): `diagnosis` is empty. */
ARM_MUST_CHECK ArmStatus arm_diagnose(ArmStrokeFit *fit, const ArmStrokes *strokes,
                                      const ArmVerdict *verdict,
                                      bool (*progress)(double done, void *user), void *user,
                                      ArmDiagnosis *diagnosis);

#endif
