/* SPDX-License-Identifier: MIT */
#include "requests.h"

#include <string.h>

#include "wire/bytes.h"
#include "wire/frame.h"

enum { LEASE_MS = 300 };

static size_t put_motion(uint16_t type, uint8_t *payload) {
  const WireMoveJoint there = {1, 5000, 100000, 1000000};
  const WireSweep sweep = {2, 2, 100, -400000, 400000, 500000, 2000000, 0};
  const WireTrajSegment segment = {0, 1, 0, 100000};
  switch (type) {
  case WIRE_TYPE_MOVE:
    payload[0] = 1;
    wire_move_joint_put(payload + WIRE_SIZE_MOVE, &there);
    return WIRE_SIZE_MOVE + WIRE_SIZE_MOVE_JOINT;
  case WIRE_TYPE_SWEEP:
    wire_sweep_put(payload, &sweep);
    return WIRE_SIZE_SWEEP;
  case WIRE_TYPE_TRAJ_BEGIN:
    wire_put_u32(payload, 1);
    return WIRE_SIZE_TRAJ_BEGIN;
  case WIRE_TYPE_TRAJ_SEGMENT:
    wire_traj_segment_put(payload, &segment);
    wire_put_u32(payload + WIRE_SIZE_TRAJ_SEGMENT, 200);
    wire_put_u32(payload + WIRE_SIZE_TRAJ_SEGMENT + 4, 0);
    return WIRE_SIZE_TRAJ_SEGMENT + WIRE_SIZE_KNOT;
  default:
    return 0;
  }
}

static size_t put_change(uint16_t type, const RequestTarget *target, uint8_t *payload) {
  const WireParamSet set = {target->schema_crc, target->param, target->value};
  const WireUploadBegin begin = {target->schema_crc, 1, target->set_bytes};
  const WireCommit commit = {target->schema_crc, target->digest};
  const WireTest test = {WIRE_TEST_STALL, 2, 0, 1000};
  const WireArm arm = {target->token, LEASE_MS};
  switch (type) {
  case WIRE_TYPE_PARAM_SET:
    wire_param_set_put(payload, &set);
    return WIRE_SIZE_PARAM_SET;
  case WIRE_TYPE_ARM:
    wire_arm_put(payload, &arm);
    return WIRE_SIZE_ARM;
  case WIRE_TYPE_LEASE:
    wire_put_u32(payload, target->token);
    return WIRE_SIZE_LEASE;
  case WIRE_TYPE_UPLOAD_BEGIN:
    wire_upload_begin_put(payload, &begin);
    return WIRE_SIZE_UPLOAD_BEGIN;
  case WIRE_TYPE_COMMIT:
    wire_commit_put(payload, &commit);
    return WIRE_SIZE_COMMIT;
  case WIRE_TYPE_TEST:
    wire_test_put(payload, &test);
    return WIRE_SIZE_TEST;
  case WIRE_TYPE_CLEAR:
    wire_put_u32(payload, UINT32_MAX);
    return WIRE_SIZE_CLEAR;
  default:
    return 0;
  }
}

/* All zeros are a good request: telemetry off, hold, offset 0. */
static size_t plain_bytes(uint16_t type) {
  switch (type) {
  case WIRE_TYPE_SUBSCRIBE:
    return WIRE_SIZE_SUBSCRIBE;
  case WIRE_TYPE_DISARM:
    return WIRE_SIZE_DISARM;
  case WIRE_TYPE_UPLOAD_DATA:
    return WIRE_SIZE_UPLOAD_DATA + 4;
  case WIRE_TYPE_JOINT_GET:
    return WIRE_SIZE_JOINT_GET;
  case WIRE_TYPE_PARAM_GET:
    return WIRE_SIZE_PARAM_GET;
  case WIRE_TYPE_SCHEMA_GET:
    return WIRE_SIZE_SCHEMA_GET;
  default:
    return 0;
  }
}

Frame request_of_kind(unsigned kind, const RequestTarget *target) {
  static const uint16_t types[REQUEST_KINDS] = {
      WIRE_TYPE_MOVE,       WIRE_TYPE_SWEEP,        WIRE_TYPE_TRAJ_BEGIN, WIRE_TYPE_TRAJ_SEGMENT,
      WIRE_TYPE_TRAJ_START, WIRE_TYPE_PARAM_SET,    WIRE_TYPE_CLEAR,      WIRE_TYPE_DISARM,
      WIRE_TYPE_ARM,        WIRE_TYPE_LEASE,        WIRE_TYPE_SUBSCRIBE,  WIRE_TYPE_UPLOAD_BEGIN,
      WIRE_TYPE_COMMIT,     WIRE_TYPE_UPLOAD_DATA,  WIRE_TYPE_TEST,       WIRE_TYPE_STATE_GET,
      WIRE_TYPE_JOINT_GET,  WIRE_TYPE_UPLOAD_ABORT, WIRE_TYPE_DIGEST_GET, WIRE_TYPE_PARAM_GET,
      WIRE_TYPE_SCHEMA_GET};
  Frame f = {.type = types[kind]};
  f.n = put_motion(f.type, f.payload);
  if (f.n == 0)
    f.n = put_change(f.type, target, f.payload);
  if (f.n == 0)
    f.n = plain_bytes(f.type);
  return f;
}
