/* SPDX-License-Identifier: MIT */
/* Inside params_file*.c only: the units and the provenance of a parameter file. */
#ifndef ARMATURE_IO_PARAMS_FILE_ORIGIN_H
#define ARMATURE_IO_PARAMS_FILE_ORIGIN_H

#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "io/params/params_file.h"

void aio_params_write_units(AioJsonWriter *writer, const ArmGravityParameters *parameters,
                            const bool *is_torque);
void aio_params_write_provenance(AioJsonWriter *writer, const AioProvenance *provenance);

/* Units other than this program's are an error; no member, no check. */
bool aio_params_check_units(const AioJsonNode *root, const AioParams *params, GError **error);
/* *provenance stays NULL when the file states none. */
bool aio_params_read_provenance(const AioJsonNode *root, AioProvenance **provenance,
                                GError **error);

#endif
