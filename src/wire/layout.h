/* SPDX-License-Identifier: MIT */
/* The layouts of all messages, as lists: docs/protocol.md section 4 says what the fields mean, a
 * test compares the two. From these lists message.h makes the types and functions, so that a field
 * cannot be written in one order and read in another.
 *
 * Kinds: u8 u16 u32 i16 i32 (little-endian, no padding), text8 and text24 (bytes, zero filled).
 * Units: q [urad or um], qd and v [urad/s or um/s], a [urad/s^2 or um/s^2], current and i_max [mA],
 * temperature [0.01 degree Celsius]. Joints count from 1; 0 means none. */
#ifndef ARMATURE_WIRE_LAYOUT_H
#define ARMATURE_WIRE_LAYOUT_H

/* clang-format off */

/* ---- host to device ---- */
#define WIRE_LAYOUT_HELLO(F) F(u8, major) F(u8, minor) F(u16, reserved) F(u32, host_id)
#define WIRE_LAYOUT_JOINT_GET(F) F(u8, joint)
#define WIRE_LAYOUT_SCHEMA_GET(F) F(u16, index)
#define WIRE_LAYOUT_PARAM_GET(F) F(u16, id)
#define WIRE_LAYOUT_PARAM_SET(F) F(u32, schema_crc) F(u16, id) F(u32, value)
#define WIRE_LAYOUT_UPLOAD_BEGIN(F) F(u32, schema_crc) F(u32, digest) F(u16, length)
#define WIRE_LAYOUT_UPLOAD_DATA(F) F(u16, offset) /* then the bytes */
#define WIRE_LAYOUT_COMMIT(F) F(u32, schema_crc) F(u32, digest)
#define WIRE_LAYOUT_SUBSCRIBE(F) F(u16, telem_hz) F(u16, health_hz)
#define WIRE_LAYOUT_ARM(F) F(u32, token) F(u16, ttl_ms)
#define WIRE_LAYOUT_LEASE(F) F(u32, token)
#define WIRE_LAYOUT_DISARM(F) F(u8, drives_off)
#define WIRE_LAYOUT_CLEAR(F) F(u32, faults)
#define WIRE_LAYOUT_MOVE(F) F(u8, count) /* then count times MOVE_JOINT */
#define WIRE_LAYOUT_MOVE_JOINT(F) F(u8, joint) F(i32, q) F(u32, v) F(u32, a)
#define WIRE_LAYOUT_SWEEP(F)                                                                       \
  F(u8, joint) F(u8, passes) F(u16, dwell_ms) F(i32, q0) F(i32, q1) F(u32, v) F(u32, a) F(u16, i_max)
#define WIRE_LAYOUT_TRAJ_BEGIN(F) F(u32, joints)
#define WIRE_LAYOUT_TRAJ_SEGMENT(F) /* then one KNOT per joint of the trajectory */                \
  F(u16, index) F(u8, is_last) F(u8, reserved) F(u32, duration_us)
#define WIRE_LAYOUT_KNOT(F) F(i32, q) F(i32, qd)
/* minor 1: before the payload of every request but HELLO, STOP and KILL, its type then with the bit
 * WIRE_GUARDED; behind HELLO, to take an armed arm over */
#define WIRE_LAYOUT_GUARD(F) F(u32, token) F(u16, wraps)
#define WIRE_LAYOUT_TAKEOVER(F) F(u32, token)
#define WIRE_LAYOUT_TEST(F) F(u16, kind) F(u16, joint) F(i32, value) F(u32, duration_ms)

/* ---- device to host ---- */
#define WIRE_LAYOUT_HELLO_ACK(F)                                                                   \
  F(u16, request_seq) F(u8, major) F(u8, minor) F(u32, uid0) F(u32, uid1) F(u32, uid2)             \
  F(u32, firmware) F(u32, schema_crc) F(u32, digest) F(u32, boot_count) F(u8, reset_cause)         \
  F(u8, joints) F(u16, params) F(u32, capabilities) F(u32, time_factor) F(u32, token)              \
  F(u16, ttl_min_ms) F(u16, ttl_max_ms) F(u16, telem_max_hz) F(u16, segments)
#define WIRE_LAYOUT_STATE(F)                                                                       \
  F(u16, request_seq) F(u8, state) F(u8, motion) F(u16, flags) F(u16, motion_id) F(u32, faults)    \
  F(u32, active) F(u32, token) F(u16, last_id) F(u8, last_end) F(u8, joint) F(u16, lease_ms)       \
  F(u16, lockout_ms) F(u32, frames) F(u32, rejected) F(u32, lost)
#define WIRE_LAYOUT_JOINT(F)                                                                       \
  F(u16, request_seq) F(u8, joint) F(u8, kind) F(i32, q_min) F(i32, q_max) F(u32, v_max)           \
  F(u32, a_max) F(u16, i_max) F(i16, temperature_max) F(u32, following_max) F(u32, quantum)
#define WIRE_LAYOUT_SCHEMA(F)                                                                      \
  F(u16, request_seq) F(u16, index) F(u16, id) F(u8, type) F(u8, flags) F(u32, minimum)            \
  F(u32, maximum) F(u32, initial) F(text24, name) F(text8, unit)
#define WIRE_LAYOUT_PARAM_VALUE(F)                                                                 \
  F(u16, request_seq) F(u16, id) F(u8, status) F(u8, type) F(u32, value)
#define WIRE_LAYOUT_UPLOAD_STATE(F)                                                                \
  F(u16, request_seq) F(u16, length) F(u16, received) F(u8, is_open)
#define WIRE_LAYOUT_DIGEST(F)                                                                      \
  F(u16, request_seq) F(u16, length) F(u32, stored) F(u32, in_use) F(u32, generation)
#define WIRE_LAYOUT_SUBSCRIBED(F) F(u16, request_seq) F(u16, telem_hz) F(u16, health_hz)
#define WIRE_LAYOUT_ACK(F)                                                                         \
  F(u16, request_seq) F(u16, request_type) F(u8, state) F(u8, motion) F(u16, flags)                \
  F(u32, faults) F(u32, value)
#define WIRE_LAYOUT_REFUSED(F)                                                                     \
  F(u16, request_seq) F(u16, request_type) F(u16, code) F(u8, joint) F(u8, bound) F(i32, limit)    \
  F(i32, asked)
#define WIRE_LAYOUT_REQUEST_CRC(F) F(u32, crc) /* minor 1: behind REFUSED */
#define WIRE_LAYOUT_TELEM(F) /* then count times TELEM_JOINT */                                    \
  F(u8, state) F(u8, motion) F(u16, flags) F(u32, faults) F(u16, motion_id) F(u8, joint) F(u8, count)
#define WIRE_LAYOUT_TELEM_JOINT(F) F(i32, q) F(i32, qd) F(i16, current) F(u16, flags)
#define WIRE_LAYOUT_HEALTH(F) /* then count times HEALTH_JOINT */                                  \
  F(u32, supply_mv) F(i16, temperature) F(u8, count) F(u8, reserved)
#define WIRE_LAYOUT_HEALTH_JOINT(F) F(i16, temperature)
#define WIRE_LAYOUT_EVENT(F) F(u16, code) F(u16, id) F(u8, joint) F(u8, reason) F(i32, value)
#define WIRE_LAYOUT_LOG(F) F(u8, level) /* then the text */

/* M(NAME, Type, function, number, bytes): messages with a payload. 0x818 is never assigned: only
 * such a frame would begin with eight emergency bytes. */
#define WIRE_MESSAGES(M)                                                                           \
  M(HELLO, Hello, hello, 0x001, 8)                                                                 \
  M(JOINT_GET, JointGet, joint_get, 0x003, 1)                                                      \
  M(SCHEMA_GET, SchemaGet, schema_get, 0x004, 2)                                                   \
  M(PARAM_GET, ParamGet, param_get, 0x010, 2)                                                      \
  M(PARAM_SET, ParamSet, param_set, 0x011, 10)                                                     \
  M(UPLOAD_BEGIN, UploadBegin, upload_begin, 0x012, 10)                                            \
  M(UPLOAD_DATA, UploadData, upload_data, 0x013, 2)                                                \
  M(COMMIT, Commit, commit, 0x014, 8)                                                              \
  M(SUBSCRIBE, Subscribe, subscribe, 0x020, 4)                                                     \
  M(ARM, Arm, arm, 0x030, 6)                                                                       \
  M(LEASE, Lease, lease, 0x031, 4)                                                                 \
  M(DISARM, Disarm, disarm, 0x032, 1)                                                              \
  M(CLEAR, Clear, clear, 0x033, 4)                                                                 \
  M(MOVE, Move, move, 0x040, 1)                                                                    \
  M(SWEEP, Sweep, sweep, 0x041, 22)                                                                \
  M(TRAJ_BEGIN, TrajBegin, traj_begin, 0x042, 4)                                                   \
  M(TRAJ_SEGMENT, TrajSegment, traj_segment, 0x043, 8)                                             \
  M(TEST, Test, test, 0x07f, 12)                                                                   \
  M(HELLO_ACK, HelloAck, hello_ack, 0x801, 56)                                                     \
  M(STATE, State, state, 0x802, 40)                                                                \
  M(JOINT, Joint, joint, 0x803, 32)                                                                \
  M(SCHEMA, Schema, schema, 0x804, 52)                                                             \
  M(PARAM_VALUE, ParamValue, param_value, 0x810, 10)                                               \
  M(UPLOAD_STATE, UploadState, upload_state, 0x812, 7)                                             \
  M(DIGEST, Digest, digest, 0x814, 16)                                                             \
  M(SUBSCRIBED, Subscribed, subscribed, 0x820, 6)                                                  \
  M(ACK, Ack, ack, 0x830, 16)                                                                      \
  M(REFUSED, Refused, refused, 0x83f, 16)                                                          \
  M(TELEM, Telem, telem, 0x840, 12)                                                                \
  M(HEALTH, Health, health, 0x841, 8)                                                              \
  M(EVENT, Event, event, 0x842, 10)                                                                \
  M(LOG, Log, log, 0x843, 1)

/* E(NAME, number): messages without a payload */
#define WIRE_EMPTY_MESSAGES(E)                                                                     \
  E(STATE_GET, 0x002)                                                                              \
  E(UPLOAD_ABORT, 0x015)                                                                           \
  E(DIGEST_GET, 0x016)                                                                             \
  E(TRAJ_START, 0x044)                                                                             \
  E(STOP, 0x050)                                                                                   \
  E(KILL, 0x051)

/* R(NAME, Type, function, bytes): what is repeated in some messages */
#define WIRE_RECORDS(R)                                                                            \
  R(GUARD, Guard, guard, 6)                                                                        \
  R(TAKEOVER, Takeover, takeover, 4)                                                               \
  R(REQUEST_CRC, RequestCrc, request_crc, 4)                                                       \
  R(MOVE_JOINT, MoveJoint, move_joint, 13)                                                         \
  R(KNOT, Knot, knot, 8)                                                                           \
  R(TELEM_JOINT, TelemJoint, telem_joint, 12)                                                      \
  R(HEALTH_JOINT, HealthJoint, health_joint, 2)

/* ---- numbers with a name and a phrase: N(NAME, number, "phrase") ---- */
/* Lists of TEXT instead of N are shown to people in their language: xgettext collects them. */
#define WIRE_STATES(TEXT)                                                                          \
  TEXT(OFF, 0, "drives off")                                                                       \
  TEXT(HELD, 1, "drives on and holding, not armed")                                                \
  TEXT(ARMED, 2, "armed")                                                                          \
  TEXT(LOCKED, 3, "locked by a fault")

#define WIRE_MOTIONS(N)                                                                            \
  N(NONE, 0, "at rest")                                                                            \
  N(MOVE, 1, "moving to a pose")                                                                   \
  N(SWEEP, 2, "sweeping one joint")                                                                \
  N(TRAJECTORY, 3, "following a trajectory")                                                       \
  N(STOPPING, 4, "decelerating to a hold")

#define WIRE_ENDS(TEXT)                                                                            \
  TEXT(NONE, 0, "no motion has ended")                                                             \
  TEXT(DONE, 1, "the motion is complete")                                                          \
  TEXT(STOP, 2, "stopped by command")                                                              \
  TEXT(KILL, 3, "drives switched off by command")                                                  \
  TEXT(FAULT, 4, "ended by a fault")                                                               \
  TEXT(CURRENT, 5, "the current limit of the sweep was reached")                                   \
  TEXT(UNDERRUN, 6, "the next trajectory segment did not come in time")                            \
  TEXT(HELLO, 7, "a new connection took over")                                                     \
  TEXT(DISARM, 8, "disarmed during the motion")

/* Bit numbers of the fault words. */
#define WIRE_FAULTS(TEXT)                                                                          \
  TEXT(LEASE, 0, "the lease expired")                                                              \
  TEXT(KILL, 1, "drives switched off by command")                                                  \
  TEXT(EMERGENCY, 2, "drives switched off by the emergency string")                                \
  TEXT(ESTOP, 3, "the emergency stop chain is open")                                               \
  TEXT(CURRENT, 4, "a motor current is above its limit")                                           \
  TEXT(TEMPERATURE, 5, "a motor is too hot")                                                       \
  TEXT(FOLLOWING, 6, "a joint does not follow its set-point")                                      \
  TEXT(SUPPLY_LOW, 7, "the supply voltage is too low")                                             \
  TEXT(SUPPLY_HIGH, 8, "the supply voltage is too high")                                           \
  TEXT(ENCODER, 9, "an encoder failed")                                                            \
  TEXT(DRIVE, 10, "a motor drive failed")

#define WIRE_CODES(TEXT)                                                                           \
  TEXT(LENGTH, 1, "the message has the wrong length")                                              \
  TEXT(TYPE, 2, "there is no such message")                                                        \
  TEXT(NO_HELLO, 3, "no HELLO came before")                                                        \
  TEXT(VERSION, 4, "the major version of the protocol differs: reading only")                      \
  TEXT(SEQUENCE, 5, "the number was used before, is older than the last one or too far ahead")     \
  TEXT(NOT_ARMED, 6, "not armed")                                                                  \
  TEXT(ARMED, 7, "not while armed")                                                                \
  TEXT(BUSY, 8, "a motion is running")                                                             \
  TEXT(TOKEN, 9, "the token is not the one in force")                                              \
  TEXT(TTL, 10, "the time to live is out of range")                                                \
  TEXT(ESTOP, 11, "the emergency stop chain is open")                                              \
  TEXT(LOCKED, 12, "a fault is latched: clear it first")                                           \
  TEXT(LOCKOUT, 13, "too soon after the fault")                                                    \
  TEXT(FAULT_ACTIVE, 14, "the cause of the fault persists")                                        \
  TEXT(FAULT_UNSEEN, 15, "a fault is latched that the request does not name")                      \
  TEXT(JOINT, 16, "there is no such joint, or it is named twice")                                  \
  TEXT(BOUND, 17, "a bound of the joint would be exceeded")                                        \
  TEXT(VALUE, 18, "a field has a value without meaning")                                           \
  TEXT(SCHEMA, 19, "the parameter schema is another one")                                          \
  TEXT(PARAM, 20, "there is no such parameter")                                                    \
  TEXT(PARAM_RANGE, 21, "a value of the upload is out of the parameter's range")                   \
  TEXT(NO_UPLOAD, 22, "no upload is open")                                                         \
  TEXT(OFFSET, 23, "the upload does not go on at this offset")                                     \
  TEXT(DIGEST, 24, "the digest does not match")                                                    \
  TEXT(STORAGE, 25, "the parameters could not be stored; the old ones are in force")               \
  TEXT(NO_TRAJECTORY, 26, "no trajectory is open")                                                 \
  TEXT(SEGMENT, 27, "another segment is expected")                                                 \
  TEXT(FULL, 28, "the segment buffer is full")                                                     \
  TEXT(UNSUPPORTED, 29, "this device cannot do that")

#define WIRE_BOUNDS(TEXT)                                                                          \
  TEXT(NONE, 0, "none")                                                                            \
  TEXT(Q_MIN, 1, "lowest position")                                                                \
  TEXT(Q_MAX, 2, "highest position")                                                               \
  TEXT(V_MAX, 3, "highest speed")                                                                  \
  TEXT(A_MAX, 4, "highest acceleration")                                                           \
  TEXT(I_MAX, 5, "highest current")

#define WIRE_PARAM_STATUSES(TEXT)                                                                  \
  TEXT(OK, 0, "stored as asked")                                                                   \
  TEXT(CLAMPED, 1, "stored after clamping to the range")                                           \
  TEXT(READ_ONLY, 2, "unchanged: read-only")                                                       \
  TEXT(NEEDS_DISARM, 3, "unchanged: disarm first")                                                 \
  TEXT(INVALID, 4, "unchanged: not a number")

#define WIRE_EVENTS(N)                                                                             \
  N(BOOT, 1, "the device started")                                                                 \
  N(MOTION_END, 2, "a motion ended")                                                               \
  N(SWEEP_LEG, 3, "a pass of a sweep begins")                                                      \
  N(FAULT, 4, "a fault was latched")                                                               \
  N(CLEARED, 5, "the faults were cleared")

/* clang-format on */

#endif
