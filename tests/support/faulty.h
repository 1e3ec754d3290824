/* SPDX-License-Identifier: MIT */
/* Recordings of an arm of which everything is known, sound or with one thing wrong: what a verdict
 * on the model has to tell apart. Stroke by stroke at steady speeds, 25 samples a second. */
#ifndef ARMATURE_TESTS_FAULTY_H
#define ARMATURE_TESTS_FAULTY_H

#include <stddef.h>
#include <stdint.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/validate.h"
#include "support/truth.h"

enum { FAULTY_JOINTS = 6, FAULTY_HOLDS = 4 };

typedef enum {
  FAULTY_PUMA,     /* of Table I, which carries no tool */
  FAULTY_UR,       /* 6R, joints 2, 3, 4 parallel, a heavy wrist */
  FAULTY_TOOL,     /* PUMA with real motors and a tool of 0.54 kg */
  FAULTY_WRIST,    /* the same with gears that couple joints 4 to 6 */
  FAULTY_STANFORD, /* joint 3 slides */
  FAULTY_SCARA,    /* 4 joints, joint 3 slides; gravity is no more than its weight */
  FAULTY_NOTES     /* FAULTY_TOOL as the theory notes sweep it for their tables */
} FaultyArm;

/* What the recording is like; joints and holds count from 0. Zero is sound and without noise. */
typedef struct {
  size_t holds, speeds, sides; /* 1..4, 1..3, 1 = forth only */
  size_t only;                 /* joint + 1 that is swept; 0 = all */
  size_t brief;                /* from this hold on 8 rows of each stroke are recorded; 0 = none */
  size_t one_way;              /* the way back of this hold + 1 is missing; 0 = of none */
  size_t repeats;              /* of each hold's strokes; 0 = once */
  double settle;               /* at the start of each stroke, not recorded [s]: unequal ranges */
  double uneven;  /* of the range, left out at either end of each stroke: at random up to this */
  double missing; /* part of the strokes, at random, that is not recorded */
  double jogged;  /* part by which each stroke's speed is off, at random up to this */
  bool has_acceleration; /* a column of it; strokes begin and end at rest, motors have inertia */
  /* noise of any real recording */
  double white;    /* sd of white noise [A] */
  double ar;       /* lag-1 correlation of that noise at 25 Hz */
  bool is_servo;   /* the noise differenced, and a beat at 3 to 9 Hz */
  double encoder;  /* quantum of positions [rad] */
  double stribeck; /* part of Coulomb friction more at low speed */
  double drift;    /* part of friction lost over the recording */
  double scatter;  /* sd of friction from stroke to stroke, part of it */
  /* what is wrong */
  double tilt[2];                /* of the base about x and y [rad] */
  double flipped[FAULTY_JOINTS]; /* -1: DH angle of the model has the wrong sign; 0, 1: not */
  double gear[FAULTY_JOINTS];    /* recorded over true position; 0 = 1 */
  double zero[FAULTY_JOINTS];    /* recorded minus true position [rad] */
  size_t swapped[2];             /* joints that change places in the recording when unequal */
  size_t payload_hold;
  double payload;                 /* kg at the tool in that hold */
  size_t lean_joint, lean_stroke; /* stroke of that joint in order of time */
  double lean;                    /* N m in it */
  size_t ripple_joint, ripple_order;
  double ripple; /* A, cos(order q + phase) */
  double ripple_phase;
  size_t spring_joint;
  double spring; /* of a cable [A/rad] */
  double bumper; /* the same over the last 30 % of the range alone [A/rad] */
  bool is_unsigned;
  double speed_unit;             /* recorded over true speed; 0 = 1 */
  double negated[FAULTY_JOINTS]; /* -1: the current of this joint has the wrong sign */
  double delay;                  /* of the current [s] */
  size_t gain_joint;
  double gain;                 /* of its current in the later half of its strokes; 0 = 1 */
  double load_friction;        /* part of the gravity current */
  double oscillation;          /* A at 1.7 Hz */
  bool offers_term[ARM_TERMS]; /* to the fit */
  ArmValidationLimits limits;  /* of faulty_validate */
} Faulty;

/* The eight kinds of sound recordings: what noise and friction are like. */
typedef enum {
  FAULTY_WHITE,
  FAULTY_STRIBECK, /* 5 % */
  FAULTY_ENCODER,  /* 0.05 deg */
  FAULTY_DRIFT,    /* 3 % */
  FAULTY_AR_90,
  FAULTY_AR_98,
  FAULTY_SERVO,
  FAULTY_SCATTER, /* 2 % */
  FAULTY_KINDS
} FaultyKind;

/* Static storage. */
const char *faulty_kind_name(FaultyKind kind);
/* The default with noise and friction of that kind. */
void faulty_sound(FaultyKind kind, Faulty *faulty);

/* Three speeds, four holds, both ways, 5 mA of white noise, nothing wrong. */
void faulty_default(Faulty *faulty);

/* The arm that is recorded, and its model. */
bool faulty_truth(FaultyArm arm, const Faulty *faulty, Truth *truth, ArmModel *model);

/* The recording itself. The caller clears `rec`. */
bool faulty_record(FaultyArm arm, const Faulty *faulty, uint64_t seed, TruthRecording *rec);

/* Fits one recording; false when it could not be made or fitted. The caller clears `fit`. */
bool faulty_fit(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit);

/* The same recording fitted as it is and with equal weights. */
bool faulty_fit_twice(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit,
                      ArmGravityFit *equal);

/* The same with a diagnosis. */
bool faulty_diagnose(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit,
                     ArmDiagnosis *diagnosis);

/* The same, and two holds more at 45 deg/s, recorded afterwards with the same faults but a payload
 * and a lean, judged by that fit. */
bool faulty_validate(FaultyArm arm, const Faulty *faulty, uint64_t seed, ArmGravityFit *fit,
                     ArmValidation *validation);

/* Joints of which it says this. */
size_t faulty_count(const ArmValidation *validation, ArmValidationKind kind);

#endif
