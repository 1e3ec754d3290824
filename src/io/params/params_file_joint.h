/* SPDX-License-Identifier: MIT */
/* Inside params_file*.c only: how one estimate and one joint of a parameter file are read. */
#ifndef ARMATURE_IO_PARAMS_FILE_JOINT_H
#define ARMATURE_IO_PARAMS_FILE_JOINT_H

#include "core/sweeps/ident.h"
#include "io/json/json_read.h"

/* {"value", "sd", "identifiable", "used", "reason", "reason_key"}. False: error set. */
bool aio_params_read_estimate(const AioJsonNode *node, ArmEstimate *estimate, GError **error);

/* One item of "joints", which must be joint `number` (from 1) of the given type.
 *   is_torque  out, may be NULL: fitted from a torque, false where the file does not say */
bool aio_params_read_joint(const AioJsonNode *node, size_t number, ArmJointType type,
                           ArmJointFit *joint, bool *is_torque, GError **error);

#endif
