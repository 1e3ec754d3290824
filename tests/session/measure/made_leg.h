/* SPDX-License-Identifier: MIT */
/* A made-up leg of one joint and what its sensors say of it. */
#ifndef ARMATURE_TESTS_SESSION_MADE_LEG_H
#define ARMATURE_TESTS_SESSION_MADE_LEG_H

#include "session/measure/evidence.h"

#define DEG (G_PI / 180.0)

/* A made-up leg of one joint: joint 2 of three, between -60 and 60 deg or -0.2 and 0.2 m. */
typedef struct {
  const char *name;
  ArmJointType type;
  bool is_move;
  guint passes;
  double hz, speed;     /* speed 0: 30 deg/s or 0.05 m/s */
  double reach, slower; /* 0: 60 deg or 0.2 m; times as long, beside a joint that goes far; 0: 1 */
  double noise_q, noise_qd, quantum, backlash, lag_s; /* of the sensors [rad or m, ...] */
  double off_end;                                     /* rests so far from the end */
  double drift;                                       /* of joint 3, which is to stand still */
  double leave;           /* ... and goes so far meanwhile, to be back at the end */
  double swing;           /* ... and swings so far at each turn */
  double last_swing;      /* ... and so far just before the end */
  double oscillation;     /* of the speed, part of it, at 1.5 Hz */
  double scale_qd;        /* 0: 1 */
  double stuck_after;     /* part of the leg; 0: never */
  guint stuck;            /* 1 q, 2 qd, 4 current */
  double lost, lost_from; /* part of the samples, one gap; 0: 0.1 */
  double arm_file_rest, driver_rest;
  const char *objection; /* part of it; NULL: none */
} Way;

typedef struct {
  ArmModel model;
  AioDescription description;
  AseLeg leg;
  AseRun *run;
} Made;

/* Its run is NULL. */
void made_leg_init(Made *made, const Way *way);
/* One sample more at the end of its run. */
void made_leg_push(Made *made, const AioSample *sample);
/* A new run, motion 7, from half a second before the leg to half a second after. */
void made_leg_sample(Made *made, const Way *way);

#endif
