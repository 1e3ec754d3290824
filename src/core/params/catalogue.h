/* SPDX-License-Identifier: MIT */
/* What a parameter can be: one row per kind, whatever method finds it. Files, tables, reports and
 * comparisons take keys, units, words and forms from here and know no kind by name; a new kind is a
 * row of catalogue.c and a name below, a new method lists the kinds that it finds (method.h). By
 * name they are known to what computes with them, code in C that is exported among it, and to the
 * command line; tests/lint/layers.sh looks.
 *
 * eta = current / torque of a joint [A/(N m), A/N], starred parameters are multiplied by it.
 */
#ifndef ARMATURE_CORE_PARAMS_CATALOGUE_H
#define ARMATURE_CORE_PARAMS_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"

typedef enum {
  ARM_PARAM_KX = 0,       /* k*_x [A s^2/m] */
  ARM_PARAM_KY,           /* k*_y [A s^2/m] */
  ARM_PARAM_MHAT,         /* mhat* [A s^2/m] */
  ARM_PARAM_COULOMB_POS,  /* lambda1+ [A] */
  ARM_PARAM_VISCOUS_POS,  /* lambda2+ [A s/rad, A s/m] */
  ARM_PARAM_COULOMB_NEG,  /* lambda1- [A], normally negative for eta > 0 */
  ARM_PARAM_VISCOUS_NEG,  /* lambda2- */
  ARM_PARAM_ACCELERATION, /* own-joint effective inertia [A s^2/rad, A s^2/m] */
  ARM_PARAM_LOAD,         /* mu: friction over the load [1] */
  ARM_PARAM_CURVE,        /* c3: friction off the straight line of speed [A] */
  ARM_PARAM_RATIO,        /* eta_i/eta_j; [1], R over T [1/m] */
  /* Constants that belong to friction terms (core/params/terms.h): set, not estimated. */
  ARM_PARAM_SEEN_LEAST,    /* smallest |L| of the recording [A] */
  ARM_PARAM_SEEN_MOST,     /* largest */
  ARM_PARAM_CURVE_SPEED,   /* v_s [rad/s, m/s] */
  ARM_PARAM_FRICTION_SIGN, /* s of a positive speed: 1 or -1 */
  /* Ten of a link about the origin of its frame, and combinations of them. */
  ARM_PARAM_XX, /* [kg m^2] */
  ARM_PARAM_XY,
  ARM_PARAM_XZ,
  ARM_PARAM_YY,
  ARM_PARAM_YZ,
  ARM_PARAM_ZZ,
  ARM_PARAM_MX, /* [kg m] */
  ARM_PARAM_MY,
  ARM_PARAM_MZ,
  ARM_PARAM_M,            /* [kg] */
  ARM_PARAM_BASE,         /* j: of the ten the one it stands for; has terms and a name */
  ARM_PARAM_ROTOR,        /* rotor inertia seen at the joint [A s^2/rad, A s^2/m] */
  ARM_PARAM_ETA,          /* [A/(N m), A/N] */
  ARM_PARAM_ETA_TO_FIRST, /* eta over that of the first joint of its group [1] */
  /* Of a joint whose rotor base parameters hold, and weigh, as if it were a mass that slides. */
  ARM_PARAM_COULOMB_POS_HELD, /* Coulomb + less that weight: all that motions show [A] */
  ARM_PARAM_COULOMB_NEG_HELD,
  ARM_PARAM_ROTOR_WEIGHT, /* what takes the weight off: a part of the current, also at rest [A] */
  ARM_PARAM_KINDS
} ArmParamKind;

enum { ARM_PARAM_INERTIAS = ARM_PARAM_M - ARM_PARAM_XX + 1 };

typedef struct {
  ArmParamKind kind;
  unsigned char i, j; /* joints from 0; j only for a pair, i < j, or as the kind says */
} ArmParamId;

/* Of how many joints, and how it is told from others of its kind. */
typedef enum {
  ARM_OF_JOINT, /* (i): "kx_star_2" */
  ARM_OF_PAIR,  /* (i, j): "ratio_2_3" */
  ARM_NAMED     /* (i, j): a name of its own */
} ArmParamScope;

/* What it counts: the unit follows with the joint's type and what was measured. */
typedef enum {
  ARM_COUNTS_PARTS,    /* 1 */
  ARM_COUNTS_MOMENT,   /* effort over gravity: A s^2/m */
  ARM_COUNTS_EFFORT,   /* A */
  ARM_COUNTS_DRAG,     /* effort over speed: A s/rad */
  ARM_COUNTS_INERTIA,  /* effort over acceleration: A s^2/rad */
  ARM_COUNTS_RATIO,    /* eta over eta: 1, 1/m */
  ARM_COUNTS_ETA,      /* A/(N m) */
  ARM_COUNTS_SPEED,    /* rad/s */
  ARM_COUNTS_KG,       /* kg */
  ARM_COUNTS_KG_M,     /* kg m */
  ARM_COUNTS_KG_M2,    /* kg m^2 */
  ARM_COUNTS_AS_TERMS, /* as what it is a combination of */
  ARM_QUANTITIES
} ArmQuantity;

/* How files have it. */
typedef enum {
  ARM_AS_ESTIMATE = 0, /* value, sd, and why there is none */
  ARM_AS_LOAD_PART,    /* the same, a part of the load: from 0 to 1 */
  /* Constants: they belong to a parameter, were not estimated, and are not in tables. */
  ARM_AS_SPEED,    /* above 0 */
  ARM_AS_SIGN,     /* 1 or -1 */
  ARM_AS_LOADS,    /* the smallest; in one list with the kind that follows, which is */
  ARM_AS_LOADS_END /* the largest */
} ArmParamForm;

typedef struct {
  const char *key;    /* snake case, as in files */
  const char *symbol; /* ASCII, short: "kx*"; of a pair with "%d" for each joint, from 1 */
  const char *words;  /* English, marked for translation; of a pair like `symbol` */
  /* Marked, too, "%u" for its joint: that a controller cannot hold it. NULL: `words` say enough. */
  const char *lost;
  const char *list; /* where parameter files have it: NULL among the joint's `parameters` */
  ArmParamScope scope;
  ArmQuantity quantity;
  bool of_R, of_T; /* which joints have one */
  ArmParamForm form;
  bool is_term; /* exactly 0 where a set lacks it; files that have one are of version 2 */
  /* Values are of one parameter only where this constant is the same; ARM_PARAM_KINDS: none. */
  ArmParamKind condition;
  /* Of a constant: it is there where one of these is, and means nothing without. */
  ArmParamKind belongs_to, or_to;
} ArmParamInfo;

/* Never NULL; static storage. An unknown kind has empty texts. */
const ArmParamInfo *arm_param_info(ArmParamKind kind);

/* Belongs to a parameter and was not estimated. */
bool arm_param_is_constant(ArmParamKind kind);

/* Which of the ten of a link it is, from 0; -1: none of them. */
int arm_param_inertial(ArmParamKind kind);

/* Snake-case key of a kind as in parameter files ("kx_star"); static storage. */
const char *arm_param_key(ArmParamKind kind);
/* The same where it is a term of a base parameter: a rotor counts in kg m^2 there (T: kg), as links
 * do, and is no "rotor_inertia_A_s2". */
const char *arm_param_term_key(ArmParamKind kind);

/* "A s/rad": as files state it, "1" for a number; "" for ARM_COUNTS_AS_TERMS. Static storage.
 *   of, over        type of joint i, and of j where it is a pair
 *   is_torque_of, is_torque_over   it was measured in N m or N, so that A reads so */
const char *arm_param_unit_of(ArmQuantity quantity, ArmJointType of, bool is_torque_of,
                              ArmJointType over, bool is_torque_over);

/* "A s^2": of a link's inertia where no torque constant is stated, in amperes of the group's first
 * joint, whose eta counts as 1; "" of what has no kg in it. Static storage. */
const char *arm_param_unit_in_reference(ArmQuantity quantity);

/* arm_param_unit_of for people: also what files do not say of a ratio ("m" of T over R, not 1). */
const char *arm_param_unit_shown(ArmQuantity quantity, ArmJointType of, bool is_torque_of,
                                 ArmJointType over, bool is_torque_over);

#endif
