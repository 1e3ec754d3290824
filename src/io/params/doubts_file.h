/* SPDX-License-Identifier: MIT */
/* What cannot be, or hardly, in a recording and its fit (core/sweeps/plausible.h), kept in a
 * parameter file: who predicts or exports from it is told again. */
#ifndef ARMATURE_IO_DOUBTS_FILE_H
#define ARMATURE_IO_DOUBTS_FILE_H

#include "core/sweeps/plausible.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

/* "doubts" of the root; nothing where there are none. */
void aio_doubts_write(AioJsonWriter *w, const ArmDoubts *doubts);

/* Reads them from the root of a file of n joints; none where the file has none. False: error set,
 * AIO_ERROR_MEANING, doubts overwritten. */
bool aio_doubts_read(const AioJsonNode *root, size_t n, ArmDoubts *doubts, GError **error);

#endif
