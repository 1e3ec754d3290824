/* SPDX-License-Identifier: MIT */
#include "sim/freeze.h"

#include <string.h>

static void freeze_joint(WireTelemJoint *joint, const WireTelemJoint *told, gint32 what) {
  if (what & ASIM_FREEZE_Q)
    joint->q = told->q;
  if (what & ASIM_FREEZE_QD)
    joint->qd = told->qd;
  if (what & ASIM_FREEZE_CURRENT)
    joint->current = told->current;
}

static void freeze_joints(AsimFreeze *freeze, AsimFaults *faults, gint64 now_us, guint8 *payload,
                          gsize n) {
  for (guint j = 0; j < ARM_MAX_JOINTS; j++) {
    const gsize at = WIRE_SIZE_TELEM + (gsize)j * WIRE_SIZE_TELEM_JOINT;
    const AsimPlanted *planted = asim_faults_find(faults, WIRE_TEST_FREEZE, j + 1, now_us);
    WireTelemJoint joint;
    if (at >= n || !wire_telem_joint_get(&joint, payload + at, n - at))
      return;
    if (!(freeze->joints >> j & 1))
      freeze->told[j] = joint;
    freeze->joints = planted ? freeze->joints | 1u << j : freeze->joints & ~(1u << j);
    freeze_joint(&joint, &freeze->told[j], planted ? planted->test.value : 0);
    wire_telem_joint_put(payload + at, &joint);
  }
}

gsize asim_freeze_frame(AsimFreeze *freeze, AsimFaults *faults, gint64 now_us, const guint8 *bytes,
                        gsize n, guint8 *out) {
  WireDecoder decoder;
  WireReceived frame;
  guint8 payload[WIRE_PAYLOAD_MAX];
  if (!asim_faults_find(faults, WIRE_TEST_FREEZE, 0, now_us)) {
    freeze->joints = 0;
    return 0;
  }
  wire_decoder_init(&decoder);
  if (!wire_decoder_next(&decoder, &bytes, &n, &frame) || frame.header.type != WIRE_TYPE_TELEM)
    return 0;
  memcpy(payload, frame.payload, frame.length);
  freeze_joints(freeze, faults, now_us, payload, frame.length);
  return wire_frame_encode(out, &frame.header, payload, frame.length);
}
