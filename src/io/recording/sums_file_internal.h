/* SPDX-License-Identifier: MIT */
#ifndef ARMATURE_IO_SUMS_FILE_INTERNAL_H
#define ARMATURE_IO_SUMS_FILE_INTERNAL_H

#include "io/recording/sums_file.h"

enum { AIO_SUMS_PIECE = 1 << 16 };

/* Fields go one way or the other, piece by piece, since there may be more of them than memory: to
 * `put`, or from `get`, where each is read or `fault` says why not. */
typedef struct {
  AioSumsPut put;                                  /* NULL: they are read */
  bool (*get)(void *user, guint8 *to, gsize size); /* the next bytes; false: it knows why not */
  void *user;
  gsize left;        /* of what is read */
  const char *fault; /* static; NULL: none yet */
  ArmShelf *shelf;   /* for what is read; borrowed, NULL: in memory */
  ArmStatus status;  /* of the shelf */
  bool is_broken;    /* put or get has failed, or the shelf: nothing more goes either way */
  gsize here, at;    /* bytes in the piece; at: those that have been read */
  guint8 piece[AIO_SUMS_PIECE];
} AioSumsFields;

/* All that follows the version and the checksum, in the order of docs/sums-file.md. */
void aio_sums_visit(AioSumsFields *f, AioSums *sums);

void aio_reduced_free(gpointer data);
AioReduced *aio_reduced_new(const char *name, const char *digest);

/* What of a recording sums of rows cannot be; NULL: nothing. Static storage. */
const char *aio_sums_check(const ArmReduced *sums);

#endif
