/* SPDX-License-Identifier: MIT */
/* The device side of the native protocol (docs/protocol.md): sessions, sequence numbers, parameters
 * and their upload, arming with a lease, motion executed here, faults that lock, telemetry.
 *
 * For firmware and for the simulator: C99, no allocation, no operating system, nothing called but
 * mem*. All memory is in WireDevice: 15 KB, or 3.5 KB with the WIRE_DEVICE_* limits below set to 6
 * joints, 64 parameters and 8 segments. The hardware is behind WireHal. One device belongs to one
 * thread: call wire_device_receive with what came in and wire_device_tick at the control rate, from
 * the same loop.
 *
 * Units as on the wire: q [urad or um], qd, v [urad/s or um/s], a [urad/s^2 or um/s^2], current
 * [mA], temperature [0.01 degree Celsius], supply [mV]. Joints count from 0 here, from 1 on the
 * wire.
 *
 * Two clocks: device time stamps frames and moves the arm, and may run faster than real time in a
 * simulator; wall time, never compressed, drives the lease and the lock-out. Firmware gives the
 * same counter for both. */
#ifndef ARMATURE_WIRE_DEVICE_H
#define ARMATURE_WIRE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/frame.h"
#include "wire/message.h"
#include "wire/profile.h"
#include "wire/sequence.h"

#ifndef WIRE_DEVICE_JOINTS
#define WIRE_DEVICE_JOINTS WIRE_JOINTS_MAX
#endif
#ifndef WIRE_DEVICE_PARAMS
#define WIRE_DEVICE_PARAMS 256
#endif
#ifndef WIRE_DEVICE_SEGMENTS
#define WIRE_DEVICE_SEGMENTS 32
#endif

enum {
  WIRE_LOCKOUT_MS = 500,      /* from a fault to the earliest CLEAR */
  WIRE_FILTER_US = 20000,     /* a current limit must be exceeded this long to count */
  WIRE_FOLLOWING_US = 50000,  /* and a following error this long */
  WIRE_STEP_MAX_US = 20000,   /* a motion advances by this much at most from tick to tick */
  WIRE_HEALTH_MAX_HZ = 100,   /* fastest HEALTH */
  WIRE_SLOTS = 2,             /* of the parameter storage */
  WIRE_SLOT_HEADER_BYTES = 24 /* before the parameters in a slot */
};

/* What the arm can stand; 0 means that a limit is not supervised, where it says so. */
typedef struct {
  bool is_sliding;
  int32_t q_min, q_max;
  uint32_t v_max, a_max;   /* > 0 */
  uint16_t i_max;          /* 0: not supervised */
  int16_t temperature_max; /* 0: not supervised */
  uint32_t following_max;  /* set-point minus position; 0: not supervised */
  uint32_t quantum;        /* resolution of the encoder [nrad or nm], for information */
} WireDeviceJoint;

/* One parameter. minimum, maximum and initial hold the bits of an int32_t, uint32_t or float. */
typedef struct {
  uint16_t id;
  uint8_t type;  /* WireParamType */
  uint8_t flags; /* WIRE_PARAM_IS_... */
  uint32_t minimum, maximum, initial;
  const char *name; /* 24 bytes at most are sent */
  const char *unit; /* 8 bytes at most */
} WireDeviceParam;

/* What does not change while the device runs; it and its arrays must outlive the device. */
typedef struct {
  const WireDeviceJoint *joints; /* [n_joints], n_joints <= WIRE_DEVICE_JOINTS */
  size_t n_joints;
  const WireDeviceParam *params; /* [n_params], n_params <= WIRE_DEVICE_PARAMS, ids unique */
  size_t n_params;
  uint32_t uid[3], firmware, boot_count;
  uint8_t reset_cause;
  uint32_t capabilities;                 /* WIRE_CAN_... */
  uint32_t time_factor;                  /* thousandths: device time per wall time */
  uint32_t supply_min_mv, supply_max_mv; /* 0: not supervised */
  uint16_t ttl_min_ms, ttl_max_ms, telem_max_hz;
  bool is_minor_0; /* speaks 1.0 as older firmware does: for tests of hosts */
} WireDeviceConfig;

/* One reading of all sensors, taken together. */
typedef struct {
  uint32_t t_us;   /* device time of the sampling instant */
  uint32_t faults; /* WIRE_FAULT_ENCODER, _DRIVE or any other bit that the hardware reports */
  bool is_estop_closed;
  uint32_t supply_mv;
  int16_t temperature; /* of the board */
  int32_t q[WIRE_DEVICE_JOINTS], qd[WIRE_DEVICE_JOINTS];
  int16_t current[WIRE_DEVICE_JOINTS], motor_temperature[WIRE_DEVICE_JOINTS];
  uint16_t flags[WIRE_DEVICE_JOINTS]; /* bits 8 to 15 are passed on in TELEM */
} WireReading;

/* The hardware. Functions return at once and get the `ctx` of wire_device_init. */
typedef struct {
  uint32_t (*now_us)(void *ctx);  /* device time, wraps; never steps back by more than 1 s */
  uint32_t (*wall_us)(void *ctx); /* wall time, likewise */
  /* Takes one whole frame or, when there is no room, nothing (false). */
  bool (*send)(void *ctx, const uint8_t *bytes, size_t n);
  void (*read)(void *ctx, WireReading *reading);
  /* false: the drives did not obey, a fault; off is commanded again until they do. Off also at the
   * start, whatever they did before. */
  bool (*switch_drives)(void *ctx, bool on);
  /* q, qd: [n_joints]; once per tick while the drives are on */
  void (*set_points)(void *ctx, const int32_t *q, const int32_t *qd);
  /* A parameter has this value from now on; also once each at start. May be NULL. */
  void (*apply_param)(void *ctx, size_t index, uint32_t value);
  /* Parameter storage of two slots, each of WIRE_SLOT_HEADER_BYTES + 4 n_params bytes, written in
   * ascending order after an erase. Power may fail in any of them. All three NULL: no storage. */
  bool (*erase)(void *ctx, int slot);
  bool (*write)(void *ctx, int slot, size_t offset, const uint8_t *bytes, size_t n);
  bool (*load)(void *ctx, int slot, size_t offset, uint8_t *bytes, size_t n);
  /* TEST of a simulator; false: unsupported. May be NULL. */
  bool (*test)(void *ctx, const WireTest *test);
} WireHal;

typedef struct {
  uint32_t duration_us;
  bool is_last;
  int32_t q[WIRE_DEVICE_JOINTS], qd[WIRE_DEVICE_JOINTS]; /* at its end */
} WireSegment;

/* Segments wait here; the first is the one that runs. */
typedef struct {
  bool is_open, has_last;
  uint32_t joints;     /* bit k: joint k takes part */
  uint16_t next_index; /* of the next segment to come */
  size_t head, count;
  int32_t q[WIRE_DEVICE_JOINTS], qd[WIRE_DEVICE_JOINTS]; /* where the last one accepted ends */
  WireSegment ring[WIRE_DEVICE_SEGMENTS];
} WireTrajectory;

typedef struct {
  uint8_t kind; /* WIRE_MOTION_... */
  uint8_t end;  /* while stopping: why */
  uint16_t id;  /* sequence number of the request */
  uint64_t t0_us;
  WireProfile profile;
  double from[WIRE_DEVICE_JOINTS], delta[WIRE_DEVICE_JOINTS]; /* MOVE, SWEEP; STOPPING: speed */
  size_t joint;                                               /* SWEEP */
  uint16_t leg, passes, i_max;
  uint64_t dwell_us;
  double q0, q1, v, a;
} WireDeviceMotion;

/* Everything; read it in a debugger, change it only through the functions. */
typedef struct {
  const WireDeviceConfig *config;
  const WireHal *hal;
  void *ctx;

  WireDecoder decoder;
  uint64_t now_us, wall_us;

  WireSequence requests;
  uint16_t sent, telem_sent; /* sequence numbers of the next frames */
  bool has_session, is_read_only;
  uint8_t minor;          /* of the session: the lower one of the two sides */
  uint16_t wraps;         /* how often its numbers went from 65535 to 0 */
  uint32_t session_token; /* of its HELLO_ACK */
  uint16_t last_type, reply_type;
  uint32_t last_crc, request_crc; /* of payloads: the last request in order, the one in hand */
  size_t reply_length;
  uint8_t reply[WIRE_PAYLOAD_MAX]; /* to the last request, for its repetition */
  uint8_t tx[WIRE_FRAME_MAX];
  uint32_t echoes; /* frames of the device's own kind: ignored */

  uint8_t state;              /* WIRE_STATE_... */
  bool drives_on, is_off_due; /* is_off_due: they did not obey when told to be off */
  uint32_t faults, active;
  uint64_t fault_wall_us, lease_wall_us;
  uint16_t ttl_ms;
  uint32_t token, tokens;
  uint64_t over_since_us[WIRE_DEVICE_JOINTS], off_since_us[WIRE_DEVICE_JOINTS];
  uint64_t sweep_over_since_us;

  WireReading reading;
  double q[WIRE_DEVICE_JOINTS], qd[WIRE_DEVICE_JOINTS]; /* set-points */
  uint64_t points_us;                                   /* the time they are for */
  WireDeviceMotion motion;
  WireTrajectory trajectory;
  uint16_t last_id;
  uint8_t last_end;

  uint32_t telem_period_us, health_period_us; /* 0: off */
  uint64_t telem_next_us, health_next_us;
  bool has_skipped, has_booted;

  uint32_t values[WIRE_DEVICE_PARAMS], staged[WIRE_DEVICE_PARAMS];
  uint32_t schema_crc, digest, stored_digest, generation; /* digest: of the values in use */
  int slot;                                               /* in force, -1: none */
  bool is_uploading;
  uint32_t upload_digest;
  uint16_t upload_length, upload_received;
} WireDevice;

/* Starts the device as after power-up: drives off, disarmed, parameters from the newest whole slot
 * or their initial values. Returns false when the configuration exceeds the limits above or lacks a
 * function of the hardware; then the device must not be used. */
bool wire_device_init(WireDevice *device, const WireDeviceConfig *config, const WireHal *hal,
                      void *ctx);

/* Takes received bytes, in pieces of any size, and answers each request through hal->send. */
void wire_device_receive(WireDevice *device, const uint8_t *bytes, size_t n);

/* A line break was seen: the same as the emergency string. */
void wire_device_line_break(WireDevice *device);

/* Reads the sensors, supervises, moves, reports. At a constant rate, at least the fastest telemetry
 * and at least every 10 ms. */
void wire_device_tick(WireDevice *device);

/* Sends LOG with at most 400 bytes of text. */
void wire_device_log(WireDevice *device, uint8_t level, const char *text);

#endif
