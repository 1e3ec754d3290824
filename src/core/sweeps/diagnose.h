/* SPDX-License-Identifier: MIT */
/* Which single cause explains a misfit? A ranking, never a proof.
 * Source: Armature theory notes, lack of fit, section 5.
 *
 *   z        d(model)/d(value) on the rows of strokes, whitened;  z_perp = z - Q Q' z
 *   D        what the cause explains: |orth(z_perp)' r|^2, or the fall of the cost after a refit
 *   score    D - d log(rows): by it causes are ranked
 *   rest     (chi^2 - D)/rows; sound recordings: 0.95 +- 0.05
 *
 * letter   meaning                                                           unit
 * r        whitened residual of the fit on strokes (core/sweeps/verdict.h)          1
 * Q        orthonormal basis of its whitened [J; priors]                     1
 * d        parameters of the cause                                           1
 *
 * What differs by less than 6 in score, or by 0.2 % of D, is tied: the recording cannot tell it
 * apart. Whatever is not in the list of causes cannot be found; `rest` says so, or the tests of
 * gravity and direction of the joint that misses most, made again on what a cause leaves.
 */
#ifndef ARMATURE_CORE_DIAGNOSE_H
#define ARMATURE_CORE_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/base/status.h"

/* Values in the order of `value` of ArmCause. */
typedef enum {
  ARM_CAUSE_BASE_TILT = 0,   /* rotation of gravity about two axes across it [rad, rad] */
  ARM_CAUSE_JOINT_ZERO,      /* true minus recorded position [rad, m] */
  ARM_CAUSE_GEAR_RATIO,      /* true over recorded position [1] */
  ARM_CAUSE_JOINT_DIRECTION, /* none */
  ARM_CAUSE_DH_SIGN,         /* none */
  ARM_CAUSE_SWAPPED_JOINTS,  /* none; joint and other */
  ARM_CAUSE_PAYLOAD_CHANGED, /* m [kg], m c in the last frame [kg m]; A s^2/m.. without eta */
  ARM_CAUSE_ONE_SWEEP,       /* mean, slope [A]; joint, hold, time, speed */
  ARM_CAUSE_RIPPLE,          /* of cos, of sin [A]; order per turn of the joint */
  ARM_CAUSE_CURRENT_GAIN,    /* of one joint, since a time over before [1] */
  ARM_CAUSE_CURRENT_DELAY,   /* s */
  ARM_CAUSE_BACKLASH,        /* lost motion [rad, m] */
  ARM_CAUSE_LOAD_FRICTION,   /* part of the load's current [1] */
  ARM_CAUSE_FRICTION_CURVE,  /* part of Coulomb friction more at standstill [1] */
  ARM_CAUSE_FRICTION_DRIFT,  /* part of friction that comes or goes [1]; time: its constant [s] */
  ARM_CAUSES
} ArmCauseCode;

/* Why a cause is not believed although it takes the misfit away: it is never said to explain it,
 * and follows those that are believed and do as well. */
typedef enum {
  ARM_CAUSE_CREDIBLE = 0,
  ARM_CAUSE_TOO_LARGE, /* it would have been seen, or is beyond what there is */
  ARM_CAUSE_UNCERTAIN  /* its size is not known to 2 of its sds */
} ArmCauseDoubt;

enum { ARM_CAUSE_VALUES = 4, ARM_MAX_DIAGNOSED = 16, ARM_CAUSE_NO_JOINT = ARM_MAX_JOINTS };

typedef struct {
  ArmCauseCode code;
  size_t joint, other; /* from 0; ARM_CAUSE_NO_JOINT: of the arm */
  size_t hold;         /* from 0: sweep; payload in the hold of each joint that has this number */
  size_t order;        /* ripple: 1, 2 */
  double time;         /* of the sweep; payload, gain: since then, NAN: in a hold [s] */
  double speed;        /* of the sweep, signed [rad/s, m/s] */
  size_t values;
  double value[ARM_CAUSE_VALUES], sd[ARM_CAUSE_VALUES];
  bool is_absolute;  /* payload: in kg */
  bool is_refitted;  /* not only the linear step */
  double gravity[3]; /* base tilt: in the base frame, as the cause has it [m/s^2] */
  double explained, dof, score, rest;
  double left; /* of what joint `worst` of the diagnosis misses [A]; NAN: the fit knows the cause */
  ArmCauseDoubt doubt;
  bool explains_it; /* leaves no more than noise, also in joint `worst`, and is credible */
  bool is_tied;     /* with the first */
} ArmCause;

typedef struct {
  size_t count;
  ArmCause at[ARM_MAX_DIAGNOSED]; /* likeliest first */
  double chi2;                    /* before any of them */
  size_t worst;                   /* joint with the alarm that misses most */
  double missed;                  /* by it: rms current that neither fit nor noise explains [A] */
  size_t rows, unseen;            /* unseen: causes whose effect the fit absorbs */
} ArmDiagnosis;

/* Word of files: "base-tilt". Static storage. */
const char *arm_cause_key(ArmCauseCode code);

/* Can the recording not tell these two apart? */
bool arm_causes_tied(const ArmCause *a, const ArmCause *b);

#endif
