/* SPDX-License-Identifier: MIT */
/* A driver speaks the language of one family of controllers: bytes on one side, SI and plain
 * structs on the other. It does no input or output and has no clock and no thread: its owner (the
 * acquirer) brings bytes and time, and takes bytes away. So the same driver runs on a cable, on a
 * replay and in a test.
 *
 * One driver belongs to one thread. It must survive any bytes. It probes by reading only and never
 * moves anything that was not asked for.
 *
 * Commands: each takes a `ticket` and is answered by exactly one AioReply with it, in this call or
 * later: done, refused by the device, timed out after retries, or cancelled because the link was
 * lost. Commands are executed one after the other in the order given; `stop` and `kill` overtake
 * all and cancel what has not been sent.
 *
 * A controller that does not execute a motion by itself (a bus of servos) is driven by its driver
 * from `tick`; one that does not send telemetry is polled there.
 */
#ifndef ARMATURE_IO_DRIVER_H
#define ARMATURE_IO_DRIVER_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"
#include "io/base/said.h"
#include "io/driver/driver_context.h"
#include "io/driver/sample.h"

/* ---- what a controller says of itself ---- */

/* NAN: not known, not supervised. [rad or m, A] */
typedef struct {
  ArmJointType type;
  double q_min, q_max, speed_max, accel_max, current_max;
  double temperature_max_C, following_max, quantum; /* quantum: encoder step [rad or m] */
  double rest_error;             /* how far from where it was sent the joint may rest [rad or m] */
  double speed_unit, accel_unit; /* it moves in whole multiples of [rad/s, rad/s^2 or m]; 0: any */
} AioJointInfo;

enum {
  AIO_CAN_SWEEP = 1 << 0,      /* the device executes sweeps and ends them by itself */
  AIO_CAN_TRAJECTORY = 1 << 1, /* and trajectories */
  AIO_CAN_STORE = 1 << 2,      /* parameters survive power-off */
  AIO_CAN_TEST = 1 << 3,       /* faults can be planted: a simulator */
  AIO_CAN_KILL = 1 << 4,       /* drives can be switched off */
  AIO_CAN_CURRENT = 1 << 5,    /* currents are measured, not guessed from a duty cycle */
  AIO_CAN_LEASE = 1 << 6,      /* the device halts by itself when the computer dies */
  AIO_CAN_ESTOP = 1 << 7       /* it watches over an emergency stop chain */
};

typedef struct {
  const char *driver;              /* "native"; static */
  char name[64], serial[64];       /* of the controller; empty: not known */
  char firmware[32], protocol[16]; /* as text */
  guint32 boot_count, reset_cause; /* 0: not known */
  char reset_text[48];             /* "brown-out" */
  bool is_read_only;               /* versions differ: no motion */
  guint32 capabilities;            /* AIO_CAN_... */
  guint joints;                    /* <= ARM_MAX_JOINTS */
  AioJointInfo joint[ARM_MAX_JOINTS];
  double telemetry_max_hz, time_factor; /* device time per wall time, 1 on hardware */
  guint lease_min_ms, lease_max_ms;
  guint params;
  guint32 schema_crc, digest;
  /* Why it may not be used as it is set up: a line each, with the remedy; "": nothing is wrong */
  char objections[1024];
} AioDescription;

typedef enum {
  AIO_DEVICE_OFF,
  AIO_DEVICE_HALTED,
  AIO_DEVICE_ARMED,
  AIO_DEVICE_LOCKED
} AioDeviceState;
typedef enum {
  AIO_MOTION_NONE,
  AIO_MOTION_MOVE,
  AIO_MOTION_SWEEP,
  AIO_MOTION_TRAJECTORY,
  AIO_MOTION_STOPPING
} AioMotion;
typedef enum {
  AIO_END_NONE, /* has not ended */
  AIO_END_DONE,
  AIO_END_STOP,
  AIO_END_KILL,
  AIO_END_FAULT,
  AIO_END_CURRENT,  /* the current limit of the sweep */
  AIO_END_UNDERRUN, /* trajectory segments came too late */
  AIO_END_HELLO,    /* another connection took over */
  AIO_END_DISARM
} AioMotionEnd;

/* Faults as one bit each, in the order of docs/protocol.md section 4; drivers of other controllers
 * map theirs to the nearest and tell the exact one in AioEvent.text. */
enum {
  AIO_FAULT_LEASE = 1 << 0,
  AIO_FAULT_KILL = 1 << 1,
  AIO_FAULT_EMERGENCY = 1 << 2,
  AIO_FAULT_ESTOP = 1 << 3,
  AIO_FAULT_CURRENT = 1 << 4,
  AIO_FAULT_TEMPERATURE = 1 << 5,
  AIO_FAULT_FOLLOWING = 1 << 6,
  AIO_FAULT_SUPPLY_LOW = 1 << 7,
  AIO_FAULT_SUPPLY_HIGH = 1 << 8,
  AIO_FAULT_ENCODER = 1 << 9,
  AIO_FAULT_DRIVE = 1 << 10
};
typedef struct {
  AioDeviceState state;
  AioMotion motion;
  bool drives_on, is_estop_closed; /* the chain: only with AIO_CAN_ESTOP */
  guint32 faults, active;          /* latched; cause present now */
  guint32 fault_joints;            /* bit k: a latched fault was told of joint k + 1; 0: of none */
  guint16 motion_id;               /* that runs, 0: none */
  guint16 last_motion_id;
  AioMotionEnd last_end;
  guint8 sweep_joint; /* from 1, 0: none */
  guint lease_left_ms, lockout_ms;
} AioState;

/* "LEASE: the lease expired; FOLLOWING: a joint does not follow its set-point (joint 2)".
 *   joints  as fault_joints
 * Free with g_free; "" for none. */
char *aio_faults_text(guint32 faults, guint32 joints);
/* The same as a sentence of io/base/said; "" for none. g_free. */
char *aio_faults_said(guint32 faults, guint32 joints);

/* Phrases such as "armed", "sweeping one joint", "the motion is complete": static. */
const char *aio_device_state_text(AioDeviceState state);
const char *aio_motion_text(AioMotion motion);
const char *aio_motion_end_text(AioMotionEnd end);

/* Of AIO_EVENT_FOREIGN, and of refusals that may be its effect: who else sends, and what helps. A
 * sentence of io/base/said, static. */
const char *aio_foreign_said(void);

typedef enum {
  AIO_EVENT_STATE,      /* `state` is new */
  AIO_EVENT_BOOT,       /* the device restarted: nothing of before holds; value: boot count */
  AIO_EVENT_MOTION_END, /* motion_id, end */
  AIO_EVENT_LEG,        /* a pass of a sweep begins: motion_id, joint, value: number of the pass */
  AIO_EVENT_FAULT,      /* value: the new bits */
  AIO_EVENT_CLEARED,    /* value: the bits */
  AIO_EVENT_LOG,        /* level, text */
  AIO_EVENT_HEALTH,     /* supply_V, board_C, motor_C */
  AIO_EVENT_LINK,       /* text: the link went down or came back; value: 1 up, 0 down */
  AIO_EVENT_FOREIGN,    /* requests reach the device that this program did not send: value: how many
                         * so far; text. Told at once, then each minute as long as they come */
  AIO_EVENT_CLOCK       /* text: value 1, the device's clock stands, ran back or was set: the times
                         * of samples mean nothing from now on; 0, they do again. The acquirer's */
} AioEventKind;

typedef struct {
  AioEventKind kind;
  gint64 t_host_ns; /* CLOCK_MONOTONIC */
  guint64 t_us;     /* device time, 0: not known */
  guint16 motion_id;
  guint8 joint; /* from 1, 0: none */
  AioMotionEnd end;
  guint32 value;
  int level; /* 0 information, 1 warning, 2 error */
  AioState state;
  double supply_V, board_C, motor_C[ARM_MAX_JOINTS]; /* NAN: not measured */
  char text[AIO_SAID_BYTES]; /* for people: a sentence of io/base/said, or plain text */
} AioEvent;

/* ---- parameters ---- */

typedef enum { AIO_PARAM_INT, AIO_PARAM_UINT, AIO_PARAM_FLOAT } AioParamType;
typedef struct {
  guint id;
  char name[32], unit[16];
  AioParamType type;
  bool is_live, is_read_only;              /* live: may be written while armed */
  double minimum, maximum, initial, value; /* exact: 32-bit integers and floats fit */
} AioParam;

/* ---- commands and replies ---- */

typedef struct {
  guint joint; /* from 1 */
  double q, speed, accel;
} AioMoveJoint;

/* To q0 first, then `passes` times to the other end, each leg a trapezoid, rest after each. */
typedef struct {
  guint joint; /* from 1 */
  double q0, q1, speed, accel;
  guint passes;
  double dwell_s, current_max; /* current_max 0: none of its own */
} AioSweep;

/* One cubic per joint from the knot before to this one. */
typedef struct {
  double duration_s;
  bool is_last;
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS]; /* at its end; joints in the mask of begin */
} AioSegment;

/* What is asked of a simulator by itself, in AioTest: the rest of docs/protocol.md section 8, TEST,
 * is numbers that only people and tests know. */
enum {
  AIO_TEST_REBOOT = 9,   /* `kind`; `value` is the cause that it tells after it */
  AIO_RESET_SOFTWARE = 4 /* such a cause */
};
typedef struct {
  guint kind, joint; /* of docs/protocol.md section 8, TEST */
  gint32 value;
  guint32 duration_ms;
} AioTest;

/* The answer to one command. Pointers live until the sink function returns. */
typedef struct {
  guint64 ticket;
  int code; /* 0: done; else an AioErrorCode + 1 (AIO_REPLY_CODE) */
  /* for people, when code is not 0: what was refused, joint, limit, asked; a sentence of
   * io/base/said, or plain text */
  char message[AIO_SAID_BYTES];
  bool names_foreign; /* that somebody else sends is in the message */
  AioState state;     /* as far as the answer tells */
  double duration_s;  /* MOVE, SWEEP: in device time */
  /* MOVE of one joint, SWEEP: as executed, where the controller cannot do exactly what was asked;
   * 0: as asked [rad/s, rad/s^2 or m] */
  double speed, accel;
  guint16 motion_id; /* of the motion that was started */
  guint free_segments;
  double telemetry_hz; /* granted */
  guint32 digest, stored_digest;
  const AioDescription *description; /* describe */
  const AioParam *params;            /* params_get: all; param_set: the one as stored */
  guint n_params;
  gint64 round_trip_ns; /* of the last exchange */
} AioReply;
#define AIO_REPLY_CODE(error_code) ((int)(error_code) + 1)

/* Where a driver puts what it has to say; called from the thread that feeds the driver. */
typedef struct {
  void (*write)(void *ctx, const guint8 *bytes, gsize n);
  void (*sample)(void *ctx, const AioSample *sample);
  void (*event)(void *ctx, const AioEvent *event);
  void (*reply)(void *ctx, const AioReply *reply);
} AioSink;

/* What a driver counted. */
typedef struct {
  guint64 bytes, frames, frames_bad, samples, samples_lost, other_lost, retries, timeouts;
  guint64 foreign; /* requests of others, as far as the device's answers tell */
} AioDriverCounters;

typedef struct AioDriver AioDriver;

/* A capture that is played again; first member of what a class keeps of it. The player gives the
 * driver the bytes that came then and ignores what it writes. */
typedef struct AioReplay AioReplay;
struct AioReplay {
  AioDriver *driver; /* of the present connection; NULL: none yet */
  /* Another connection begins: a new driver takes the place of the one before. */
  void (*connect)(AioReplay *replay, guint32 host_id);
  void *player;
};

/* One family of controllers. Optional functions may be NULL: the reply is then AIO_ERROR_REFUSED
 * with a message, made by the aio_driver_ functions below. */
typedef struct {
  const char *name;
  guint default_baud;
  /* A driver for one connection; never NULL.
   *   host_id  random for each connection
   *   context  NULL: no arm file is known; may go when the function returns */
  AioDriver *(*make)(const AioSink *sink, void *sink_ctx, guint32 host_id,
                     const AioDriverContext *context);
  void (*receive)(AioDriver *driver, gint64 t_ns, const guint8 *bytes, gsize n);
  /* Time passes; returns when it wants to be called next [ns], G_MAXINT64: when bytes come. */
  gint64 (*tick)(AioDriver *driver, gint64 t_ns);
  /* The link is gone: answers everything outstanding with AIO_ERROR_GONE and forgets the session.
   */
  void (*disconnected)(AioDriver *driver);
  void (*counters)(const AioDriver *driver, AioDriverCounters *out);
  void (*free)(AioDriver *driver);

  /* Is there a controller of this family? One harmless query; code 0 or AIO_ERROR_TIMEOUT. */
  void (*probe)(AioDriver *driver, guint64 ticket);
  void (*describe)(AioDriver *driver, guint64 ticket); /* begins a session */
  void (*state)(AioDriver *driver, guint64 ticket);
  void (*telemetry)(AioDriver *driver, guint64 ticket, double hz, double health_hz); /* 0: off */
  /* The driver then renews the lease as long as aio_driver_keep_alive allows it. */
  void (*arm)(AioDriver *driver, guint64 ticket, guint ttl_ms);
  void (*disarm)(AioDriver *driver, guint64 ticket, bool drives_off);
  void (*clear)(AioDriver *driver, guint64 ticket, guint32 faults);
  void (*move)(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n);
  void (*sweep)(AioDriver *driver, guint64 ticket, const AioSweep *sweep);
  void (*trajectory_begin)(AioDriver *driver, guint64 ticket, guint32 joints);
  void (*trajectory_segment)(AioDriver *driver, guint64 ticket, const AioSegment *segment);
  void (*trajectory_start)(AioDriver *driver, guint64 ticket);
  void (*stop)(AioDriver *driver, guint64 ticket);
  void (*kill)(AioDriver *driver, guint64 ticket);
  void (*params_get)(AioDriver *driver, guint64 ticket);
  void (*param_set)(AioDriver *driver, guint64 ticket, guint id, double value);
  /* A whole set in the order of params_get, staged, then committed atomically. */
  void (*params_upload)(AioDriver *driver, guint64 ticket, const double *values, guint n);
  void (*params_digest)(AioDriver *driver, guint64 ticket);
  void (*test)(AioDriver *driver, guint64 ticket, const AioTest *test);

  /* A capture is played: these bytes went to the controller then. Whoever plays it brings the
   * driver to ask the same, so that the captured answers are those to its own questions. Time does
   * not pass for it: tick is called by this function alone, if at all. NULL: cannot be played. */
  void (*replay_sent)(AioReplay *replay, gint64 t_ns, const guint8 *bytes, gsize n);
  gsize replay_size; /* of what it keeps meanwhile, zero at first */
} AioDriverClass;

/* First member of every driver's own struct. */
struct AioDriver {
  const AioDriverClass *klass;
  const AioSink *sink;
  void *sink_ctx;
  gint64 alive_until_ns; /* leases are renewed until then; see aio_driver_keep_alive */
};

/* The lease of an armed device is renewed only before `until_ns` (CLOCK_MONOTONIC): whoever
 * commands the arm says from time to time that it is still alive. 0 from the start: never. */
void aio_driver_keep_alive(AioDriver *driver, gint64 until_ns);

void aio_driver_free(AioDriver *driver); /* NULL allowed */

/* The functions of the class, one for one; what a driver does not have is answered with
 * AIO_ERROR_REFUSED. Call aio_driver_tick directly after commands: their time counts from there.
 * A sink may give commands from within `reply` and `event`, but not free the driver. */
void aio_driver_receive(AioDriver *driver, gint64 t_ns, const guint8 *bytes, gsize n);
gint64 aio_driver_tick(AioDriver *driver, gint64 t_ns);
void aio_driver_disconnected(AioDriver *driver);
void aio_driver_counters(const AioDriver *driver, AioDriverCounters *out);
void aio_driver_probe(AioDriver *driver, guint64 ticket);
void aio_driver_describe(AioDriver *driver, guint64 ticket);
void aio_driver_state(AioDriver *driver, guint64 ticket);
void aio_driver_telemetry(AioDriver *driver, guint64 ticket, double hz, double health_hz);
void aio_driver_arm(AioDriver *driver, guint64 ticket, guint ttl_ms);
void aio_driver_disarm(AioDriver *driver, guint64 ticket, bool drives_off);
void aio_driver_clear(AioDriver *driver, guint64 ticket, guint32 faults);
void aio_driver_move(AioDriver *driver, guint64 ticket, const AioMoveJoint *joints, guint n);
void aio_driver_sweep(AioDriver *driver, guint64 ticket, const AioSweep *sweep);
void aio_driver_trajectory_begin(AioDriver *driver, guint64 ticket, guint32 joints);
void aio_driver_trajectory_segment(AioDriver *driver, guint64 ticket, const AioSegment *segment);
void aio_driver_trajectory_start(AioDriver *driver, guint64 ticket);
void aio_driver_stop(AioDriver *driver, guint64 ticket);
void aio_driver_kill(AioDriver *driver, guint64 ticket);
void aio_driver_params_get(AioDriver *driver, guint64 ticket);
void aio_driver_param_set(AioDriver *driver, guint64 ticket, guint id, double value);
void aio_driver_params_upload(AioDriver *driver, guint64 ticket, const double *values, guint n);
void aio_driver_params_digest(AioDriver *driver, guint64 ticket);
void aio_driver_test(AioDriver *driver, guint64 ticket, const AioTest *test);

#endif
