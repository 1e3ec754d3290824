/* SPDX-License-Identifier: MIT */
/* Inside params_file*.c only: the provenance of a parameter file. */
#ifndef ARMATURE_IO_PARAMS_FILE_ORIGIN_H
#define ARMATURE_IO_PARAMS_FILE_ORIGIN_H

#include "io/json/json_read.h"
#include "io/json/json_write.h"
#include "io/params/params_file.h"

void aio_params_write_provenance(AioJsonWriter *writer, const AioProvenance *provenance);

/* *provenance stays NULL when the file states none. */
bool aio_params_read_provenance(const AioJsonNode *root, AioProvenance **provenance,
                                GError **error);

#endif
