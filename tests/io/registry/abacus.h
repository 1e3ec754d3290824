/* SPDX-License-Identifier: MIT */
/* A second kind of controller, invented: servos on one line that speak text, each by its number.
 * It is asked for everything (no telemetry of its own), executes no sweeps, has no lease and
 * watches over no emergency stop chain. Lines end with \n; what it does not understand it leaves.
 *
 *   who                   i am abacus 7
 *   read                  at MS ON MOVING, then ID STEPS MA of each servo
 *   goal ID STEPS SPEED   ok: there with SPEED x ABACUS_SPEED steps/s
 *   on | off              ok: all drives
 */
#ifndef ARMATURE_TESTS_IO_ABACUS_H
#define ARMATURE_TESTS_IO_ABACUS_H

#include "io/driver/driver.h"

enum {
  ABACUS_SERVOS = 3, /* number 11, 12, ... */
  ABACUS_FIRST = 11,
  ABACUS_STEPS = 4096, /* of a turn; 2048 is 0 */
  ABACUS_SPEED = 64,   /* steps/s, the unit of speeds */
  ABACUS_ACCEL = 500   /* steps/s^2, the unit of accelerations */
};

typedef struct {
  double at[ABACUS_SERVOS], goal[ABACUS_SERVOS], speed[ABACUS_SERVOS]; /* steps, steps/s */
  bool is_on, is_mute;
  guint64 t_us;
  GString *line;   /* that comes */
  GString *answer; /* to be taken by whoever carries it */
  GString *heard;  /* every line that it understood */
} Abacus;

void abacus_init(Abacus *abacus);
void abacus_clear(Abacus *abacus);
void abacus_hear(Abacus *abacus, const guint8 *bytes, gsize n);
void abacus_pass(Abacus *abacus, guint64 us);

/* Its driver. Joints, their servos, signs and gears are those of the context. */
extern const AioDriverClass abacus_driver;

/* An arm of two joints for it: the second one turns the other way, with a gear of 2 and two servos.
 */
extern const char abacus_arm[];

#endif
