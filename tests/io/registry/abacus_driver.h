/* SPDX-License-Identifier: MIT */
/* Inside the driver of the invented controller. */
#ifndef ARMATURE_TESTS_IO_ABACUS_DRIVER_H
#define ARMATURE_TESTS_IO_ABACUS_DRIVER_H

#include "abacus.h"

#define MS_NS     (G_GINT64_CONSTANT(1000000))
#define ANSWER_NS (200 * MS_NS)
#define STEP_NS   (20 * MS_NS) /* between two goals of a motion, and two readings */
#define LEAD_S    0.3
enum { TRIES = 3, ROOM = 256 };

typedef enum { IDLE, WHO, READ, SET } Flight;
typedef enum { PROBE, DESCRIBE, ARM, DISARM, RELEASE, HOLD, KILL } Kind;
typedef struct {
  guint64 ticket;
  Kind kind;
  bool is_known; /* DESCRIBE: who it is */
} Command;

typedef struct {
  guint joint, legs, leg;                             /* joint from 0; leg from 0 */
  double end[2], speed, start;                        /* joint side */
  gint64 first_ns, begin_ns, rest_until_ns, dwell_ns; /* of the leg */
  bool is_sweep, is_sent;
} Motion;

typedef struct {
  AioDriver base;
  AioDriverContext context;
  AioDescription description;
  AioState state;
  AioDriverCounters counters;
  GQueue commands; /* Command; the first one may be in flight */
  Flight flight;
  char sent[ROOM], line[ROOM];
  gsize have;
  guint tries;
  bool is_for_command; /* the exchange in flight */
  bool is_sent_blind;
  gint64 now_ns, sent_ns, read_due_ns, goal_due_ns, period_ns;
  double q[ARM_MAX_JOINTS];
  guint64 t_us;
  bool has_sample;
  Motion motion;
} Self;

/* ---- abacus_motion.c ---- */
double abacus_steps_per_unit(const AioDriverJoint *joint);
double abacus_speed_unit(const AioDriverJoint *joint);
double abacus_accel_unit(const AioDriverJoint *joint);
void abacus_write_goal(Self *self);
void abacus_look_at_motion(Self *self); /* at each reading */
void abacus_end_motion(Self *self, AioMotionEnd end);
void abacus_move(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n);
void abacus_sweep(AioDriver *driver, guint64 ticket, const AioSweep *sweep);

/* ---- abacus_driver.c ---- */
void abacus_answer(Self *self, guint64 ticket, int code, const char *message);
void abacus_tell(Self *self, AioEventKind kind, guint32 value, AioMotionEnd end);
void abacus_write_line(Self *self, Flight flight, const char *format, ...) G_GNUC_PRINTF(3, 4);

#endif
