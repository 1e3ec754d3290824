/* SPDX-License-Identifier: MIT */
/* A device with hardware made of memory, and the host at the other end of its line: three joints
 * that follow perfectly unless told otherwise, a clock that only rig_run moves. Failures of the rig
 * itself are failures of the test that uses it. */
#ifndef ARMATURE_TESTS_WIRE_RIG_H
#define ARMATURE_TESTS_WIRE_RIG_H

#include "wire/device.h"

enum {
  RIG_JOINTS = 3,
  RIG_PARAMS = 20,
  RIG_FRAMES = 20000,
  RIG_SLOT_BYTES = WIRE_SLOT_HEADER_BYTES + 4 * RIG_PARAMS,
  RIG_TTL_MS = 300
};

typedef struct {
  WireHeader header;
  size_t length;
  uint8_t payload[WIRE_PAYLOAD_MAX];
} RigFrame;

/* Survives a reboot of the device. */
typedef struct {
  uint8_t bytes[WIRE_SLOTS][RIG_SLOT_BYTES];
  uint64_t power;     /* bytes and erases until power fails */
  bool fails_headers; /* writes a header, and says it could not */
  bool is_failing;    /* writes report an error, and power stays */
  bool is_protected;  /* keeps what it has, and says that it erased and wrote */
  size_t spoils;      /* byte of a slot that keeps another value than was written; 0: none */
  uint64_t operations;
  uint64_t loads, bad_load; /* so many times read; that time, from 1, fails; 0: none */
} RigStorage;

typedef struct {
  WireDevice device;
  RigStorage *storage; /* NULL: none */
  uint64_t now_us, wall_us;
  uint32_t time_factor; /* device microseconds per wall microsecond */

  WireReading reading;
  bool drives_on, is_stalled, drives_fail;
  int32_t points[RIG_JOINTS], points_qd[RIG_JOINTS];
  double v_max_seen, a_max_seen; /* of the set-points, all joints, from one tick to the next */
  int32_t low[RIG_JOINTS], high[RIG_JOINTS];
  uint64_t points_us;
  size_t n_points;
  uint32_t applied[RIG_PARAMS];
  WireTest test;

  uint16_t seq;    /* of the next request */
  uint8_t version; /* of requests */
  uint32_t token;
  uint8_t minor;          /* for HELLO; 1: requests get their GUARD */
  uint32_t session_token; /* of HELLO_ACK */
  uint16_t wraps;
  bool is_line_full; /* nothing can be sent */
  WireDecoder decoder;
  WireSequence ordered, telem;
  size_t n_frames;
  RigFrame frames[RIG_FRAMES];
} Rig;

extern const WireDeviceConfig rig_config;
extern const WireHal rig_hal, rig_hal_without_storage;

/* A device that was just switched on; storage may be NULL. The minor version of the rig's sessions
 * is that of the environment variable RIG_MINOR, else 0. */
void rig_init(Rig *rig, RigStorage *storage);
void rig_storage_init(RigStorage *storage); /* erased */

/* Power off and on: the hardware's state stays, the device starts anew. */
void rig_reboot(Rig *rig);

/* Bytes of one request as the host of a session sends it: with a GUARD if the minor version is 1
 * and there is a session; *n is set. The number is the rig's next one unless `seq` is >= 0. */
const uint8_t *rig_encode(Rig *rig, uint16_t type, const uint8_t *payload, size_t length, long seq,
                          size_t *n);
/* Sends a request and returns the type of its answer, found by its number, or 0. */
uint16_t rig_request(Rig *rig, uint16_t type, const uint8_t *payload, size_t length);
uint16_t rig_request_seq(Rig *rig, uint16_t type, const uint8_t *payload, size_t length, long seq);
/* The last answer. */
const RigFrame *rig_answer(const Rig *rig);
/* The newest frame of a type, or NULL; and how many there are. */
const RigFrame *rig_last(const Rig *rig, uint16_t type);
size_t rig_count(const Rig *rig, uint16_t type);

/* Short forms: each returns 0 when it was acknowledged, or the code of the refusal. */
uint16_t rig_result(const Rig *rig);
uint16_t rig_plain(Rig *rig, uint16_t type);
uint16_t rig_arm(Rig *rig); /* with the token in force */
uint16_t rig_lease(Rig *rig);
uint16_t rig_disarm(Rig *rig, bool drives_off);
uint16_t rig_clear(Rig *rig, uint32_t faults);
uint16_t rig_move(Rig *rig, uint8_t joint, int32_t q, uint32_t v, uint32_t a);
uint16_t rig_sweep(Rig *rig, const WireSweep *sweep);
void rig_hello(Rig *rig);      /* must succeed; keeps the token */
WireState rig_state(Rig *rig); /* must succeed; keeps the token */
WireRefused rig_refused(const Rig *rig);
uint32_t rig_ack_value(const Rig *rig);

/* Lets time pass in steps of 1 ms of wall time. keeps: renews the lease every 100 ms. */
void rig_run(Rig *rig, uint32_t ms, bool keeps);

/* How the last motion ended: the reason of the newest MOTION_END, or WIRE_END_NONE. */
uint8_t rig_motion_end(const Rig *rig);

#endif
