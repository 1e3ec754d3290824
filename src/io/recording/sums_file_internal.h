/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_SUMS_FILE_INTERNAL_H
#define ARMATURE_IO_SUMS_FILE_INTERNAL_H

#include "io/recording/sums_file.h"

/* Fields go one way or the other: into `out`, or out of `in`, from where each is read or `fault`
 * says why not. */
typedef struct {
  GByteArray *out;
  const guint8 *in;
  gsize left;
  const char *fault; /* static; NULL: none yet */
} AioSumsFields;

/* All that follows the version and the checksum, in the order of docs/sums-file.md. */
void aio_sums_visit(AioSumsFields *f, AioSums *sums);

void aio_reduced_free(gpointer data);
AioReduced *aio_reduced_new(const char *name, const char *digest);

/* What of a recording sums of rows cannot be; NULL: nothing. Static storage. */
const char *aio_sums_check(const ArmReduced *sums);

#endif
