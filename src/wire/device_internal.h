/* SPDX-License-Identifier: MIT */
/* What the files device*.c share; nobody else includes this. Handlers get a request that is new, in
 * order and of the right length, and answer it exactly once. */
#ifndef ARMATURE_WIRE_DEVICE_INTERNAL_H
#define ARMATURE_WIRE_DEVICE_INTERNAL_H

#include "wire/device.h"

/* ---- device_send.c ---- */

/* Sends and keeps the answer to the request in hand. */
void wire_device_reply(WireDevice *d, uint16_t type, const uint8_t *payload, size_t n);
void wire_device_ack(WireDevice *d, const WireReceived *request, uint32_t value);
void wire_device_refuse(WireDevice *d, const WireReceived *request, WireCode code);
/* With what was expected (limit) and found (asked); joint counts from 0. */
void wire_device_refuse_value(WireDevice *d, const WireReceived *request, WireCode code,
                              int64_t limit, int64_t asked);
void wire_device_refuse_bound(WireDevice *d, const WireReceived *request, size_t joint,
                              WireBound bound, int64_t limit, int64_t asked);
/* Not kept: the answer to the last request in order stays the one to repeat. */
void wire_device_refuse_unordered(WireDevice *d, const WireReceived *request, WireCode code,
                                  uint32_t limit);
void wire_device_ack_unordered(WireDevice *d, const WireReceived *request);
void wire_device_repeat_reply(WireDevice *d);
void wire_device_event(WireDevice *d, WireEventCode code, uint16_t id, uint8_t joint,
                       uint8_t reason, int32_t value);
void wire_device_report(WireDevice *d); /* TELEM and HEALTH when due */
uint16_t wire_device_flags(const WireDevice *d);

/* ---- device_session.c: HELLO and what only reads ---- */
void wire_device_on_hello(WireDevice *d, const WireReceived *request);
void wire_device_on_state_get(WireDevice *d, const WireReceived *request);
void wire_device_on_joint_get(WireDevice *d, const WireReceived *request);
void wire_device_on_subscribe(WireDevice *d, const WireReceived *request);
void wire_device_on_test(WireDevice *d, const WireReceived *request);

/* ---- device_arm.c ---- */
void wire_device_on_arm(WireDevice *d, const WireReceived *request);
void wire_device_on_lease(WireDevice *d, const WireReceived *request);
void wire_device_on_disarm(WireDevice *d, const WireReceived *request);
void wire_device_on_clear(WireDevice *d, const WireReceived *request);
void wire_device_kill(WireDevice *d, WireFault why);
void wire_device_new_token(WireDevice *d);
/* Milliseconds until the lease ends and until CLEAR is possible. */
uint16_t wire_device_lease_ms(const WireDevice *d);
uint16_t wire_device_lockout_ms(const WireDevice *d);
/* Latches FAULT_LEASE when the time has come. */
void wire_device_check_lease(WireDevice *d);
/* Reads the sensors: reading and active. */
void wire_device_sense(WireDevice *d);
/* Drives off, sensors read. */
void wire_device_start_off(WireDevice *d);
/* Latches what the last reading shows. */
void wire_device_supervise(WireDevice *d);

/* ---- device_motion.c ---- */
void wire_device_on_move(WireDevice *d, const WireReceived *request);
void wire_device_on_sweep(WireDevice *d, const WireReceived *request);
/* Armed and at rest, or refuses. */
bool wire_device_may_move(WireDevice *d, const WireReceived *request);
void wire_device_begin_motion(WireDevice *d, uint8_t kind, uint16_t id);
/* Decelerates to a halt; at rest it does nothing. */
void wire_device_stop(WireDevice *d, WireEnd end);
/* Ends at once; with the set-points where they are. */
void wire_device_end_motion(WireDevice *d, WireEnd end);
/* The set-points at now_us. */
void wire_device_advance(WireDevice *d);
/* Takes the measured positions as set-points. */
void wire_device_halt_here(WireDevice *d);
/* Rounded and saturated. */
int32_t wire_device_point(double x);
uint32_t wire_device_ms(double seconds);

/* ---- device_trajectory.c ---- */
void wire_device_on_traj_begin(WireDevice *d, const WireReceived *request);
void wire_device_on_traj_segment(WireDevice *d, const WireReceived *request);
void wire_device_on_traj_start(WireDevice *d, const WireReceived *request);
void wire_device_advance_trajectory(WireDevice *d);

/* ---- device_param.c ---- */
void wire_device_on_schema_get(WireDevice *d, const WireReceived *request);
void wire_device_on_param_get(WireDevice *d, const WireReceived *request);
void wire_device_on_param_set(WireDevice *d, const WireReceived *request);
uint32_t wire_device_schema_crc(const WireDevice *d);
/* CRC-32 of the canonical bytes: four per parameter, little-endian, in the order of the schema. */
uint32_t wire_device_digest(const uint32_t *values, size_t n);
/* Clamps *value to the range; false when it had to, or when it is not a number (then *value is the
 * initial value). */
bool wire_device_param_clamp(const WireDeviceParam *param, uint32_t *value);
void wire_device_apply(WireDevice *d, const uint32_t *values);

/* ---- device_upload.c ---- */
void wire_device_on_upload_begin(WireDevice *d, const WireReceived *request);
void wire_device_on_upload_data(WireDevice *d, const WireReceived *request);
void wire_device_on_upload_abort(WireDevice *d, const WireReceived *request);
void wire_device_on_commit(WireDevice *d, const WireReceived *request);
void wire_device_on_digest_get(WireDevice *d, const WireReceived *request);

/* ---- device_store.c ---- */
/* The newest whole slot into values, or false. */
bool wire_device_load(WireDevice *d);
/* Writes values into the other slot and makes it the one in force, or changes nothing. */
bool wire_device_store(WireDevice *d, const uint32_t *values);

#endif
