/* SPDX-License-Identifier: MIT */
/* What the controller tells while a leg goes on: can it be true, and does it tell anything? What
 * only the end of a leg can show is evidence.h's. Pure functions of plain data: no device, no
 * clock. */
#ifndef ARMATURE_SESSION_WATCH_H
#define ARMATURE_SESSION_WATCH_H

#include "io/driver/driver.h"
#include "session/measure/runs.h"

/* ---- samples ---- */

/* Chosen. A servo that stops, or is pulled by another joint, swings by 4 deg; sensors may be off by
 * the error at rest, so BEYOND a limit and a LEAP beyond what the speed allows have twice that in
 * addition. A controller acts on a current after 20 ms by itself. Times are the controller's. */
#define ASE_WATCH_BEYOND_R (6.0 * G_PI / 180.0)
#define ASE_WATCH_BEYOND_T 0.02
#define ASE_WATCH_LEAP_R   (3.0 * G_PI / 180.0)
#define ASE_WATCH_LEAP_T   0.01
#define ASE_WATCH_CURRENT  1.05 /* of the limit */
enum { ASE_WATCH_CURRENT_US = 50000, ASE_WATCH_READY_US = 100000 };

/* Of one joint [rad or m, rad/s or m/s, A]; infinite where neither arm file nor driver states it,
 * but for the speed. */
typedef struct {
  ArmJointType type;
  double low, high, beyond, speed, leap, current;
} AseWatchLimits;

typedef struct {
  guint n;
  AseWatchLimits joint[ARM_MAX_JOINTS];
  bool has_sample;
  guint64 t_us; /* of the sample before */
  double q[ARM_MAX_JOINTS];
  guint64 since_us[ARM_MAX_JOINTS]; /* beyond the limit of current without a break; 0: it is not */
  guint64 unready_us;               /* the same, said to be not armed, or its drives to be off */
  bool is_unready;                  /* for longer than a moment */
  bool has_armed;                   /* a sample has said that it is armed */
  guint16 flags;                    /* of the sample before */
} AseWatch;

/* From where the arm stands, which may be beyond its limits. What arm file and driver both state is
 * the arm file's, of speed and current the larger one.
 *   description  NULL: not known
 *   q            n */
void ase_watch_begin(AseWatch *watch, const ArmModel *model, const AioDescription *description,
                     const double *q);
/* Another leg begins there: of the last one nothing holds, but its last sample. */
void ase_watch_next(AseWatch *watch);

/* The samples of a chunk, also those of the arm at rest before and after the run's own: why the arm
 * is to be halted, with joint, what was found and expected, and what to do, a sentence of
 * io/base/said. NULL: nothing, or g_free. The rest of the chunk is then not looked at. */
char *ase_watch_chunk(AseWatch *watch, const AseRun *run, const AioChunk *chunk);

/* What `is_unready` is told as. g_free. */
char *ase_watch_unready_said(const AseWatch *watch);

/* ---- silence ---- */

/* A controller that goes on without a sample, told from a computer that is too busy to bring them,
 * and a simulated controller that does not get its time: it is asked for its state, and what it
 * sends is in order. Each answer stands behind the samples sent before it; so when it has answered
 * so often, each time asked a while after the answer before, none was sent. Times are the
 * computer's. */
enum {
  ASE_QUIET_FIRST_US = 100000, /* without a sample, then it is asked */
  ASE_QUIET_AGAIN_US = 75000,  /* after an answer */
  ASE_QUIET_ANSWERS = 3,
  ASE_QUIET_PERIODS = 5 /* of the telemetry, where they are longer than the first */
};

typedef struct {
  gint64 heard_us, since_us; /* the last sample; that, or the last answer */
  guint answers;             /* since the last sample */
  bool is_asking, is_old;    /* old: a sample has come since it was asked */
} AseQuiet;

void ase_quiet_heard(AseQuiet *quiet, gint64 now_us);
/* Is it to be asked now? Then it is being asked.
 *   period_us  of the telemetry, by the computer's clock; 0: not known */
bool ase_quiet_ask(AseQuiet *quiet, gint64 now_us, double period_us);
/* It has answered. true: no sample is coming any more. */
bool ase_quiet_answered(AseQuiet *quiet, gint64 now_us);

#endif
