/* SPDX-License-Identifier: MIT */
/* Inside params_file*.c only: how one estimate and one joint of a parameter file are read. */
#ifndef ARMATURE_IO_PARAMS_FILE_JOINT_H
#define ARMATURE_IO_PARAMS_FILE_JOINT_H

#include "io/params/params_set.h"

/* {"value", "sd", "identifiable", "used", "reason", "reason_key"}. False: error set. */
bool aio_params_read_estimate(const AioJsonNode *node, ArmEstimate *estimate, GError **error);

/* One item of "joints", which must be joint i (from 0) of the set's type: its statistics, what was
 * measured, false where the file does not say, and its parameters, appended.
 *   tried  out; NULL: the file does not tell which friction terms were tried */
bool aio_params_read_joint(const AioJsonNode *node, const ArmMethod *method, size_t i,
                           AioParamsTried *tried, ArmParamSet *set, GError **error);

#endif
