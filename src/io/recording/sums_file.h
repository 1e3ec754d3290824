/* SPDX-License-Identifier: MIT */
/* The file of sums (docs/sums-file.md): what `reduce` keeps of recordings, for a fit without their
 * rows. Each recording has its own sums and the digest of its file, so that files are merged by
 * putting recordings side by side: in any order the result is the same, byte for byte, and what is
 * in both is seen. Binary, little-endian, checksummed.
 */
#ifndef ARMATURE_IO_SUMS_FILE_H
#define ARMATURE_IO_SUMS_FILE_H

#include <glib.h>
#include <stdbool.h>

#include "core/sweeps/sums.h"
#include "io/base/error.h"
#include "io/recording/shelf.h"

/* Of versions before, sums do not have all that a fit takes of them: recordings are reduced again.
 */
enum { AIO_SUMS_VERSION = 4 };

/* One recording. */
typedef struct {
  char *name, *digest; /* without folders; "sha256:<hex>" of the file */
  char *from;          /* the file of sums that it was read from; NULL: none */
  ArmReduced sums;
} AioReduced;

/* What was read with what, and the recordings by their digests. */
typedef struct {
  char *name;      /* how messages call it */
  AioShelf *shelf; /* borrowed: has the sums, and knows why it had no room; NULL: in memory */
  char *arm_name, *arm_digest;
  ArmRowOptions rows;
  double lowpass_Hz, rate_Hz; /* 0: none; NAN: recordings have their time */
  gsize n;
  ArmJointType type[ARM_MAX_JOINTS];
  GPtrArray *recordings; /* of AioReduced, owned */
} AioSums;

/* Without recordings. */
AioSums *aio_sums_new(const char *name, const ArmModel *model, const char *arm_name,
                      const char *arm_digest, const ArmFitOptions *options, double rate_Hz);
void aio_sums_free(AioSums *sums); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioSums, aio_sums_free)

/* Adds a recording; `sums` is taken in any case. false: AIO_ERROR_REFUSED, it is there already, or
 * measures torques where another one measures currents; AIO_ERROR_MEANING, of such numbers no file
 * could be read. */
bool aio_sums_add(AioSums *into, const char *name, const char *digest, ArmReduced *sums,
                  GError **error);

/* Moves all recordings of `from`. false: AIO_ERROR_REFUSED: another arm or other options, by name,
 * or a recording that is in both; `into` is then of no use. */
bool aio_sums_merge(AioSums *into, AioSums *from, GError **error);

/* All recordings as one, whatever order they came in; of `from` only names, digests and options are
 * left. false: what arm_sums_join reports.
 *   sums  out, on the shelf of the recordings; cleared by arm_sums_clear */
bool aio_sums_join(AioSums *from, const ArmModel *model, ArmReduced *sums, GError **error);

/* g_free it. The same sums give the same bytes. */
char *aio_sums_format(const AioSums *sums, gsize *length);
/* The same bytes, piece by piece; false: a `put` was. */
typedef bool (*AioSumsPut)(const guint8 *bytes, gsize size, void *user);
bool aio_sums_write(const AioSums *sums, AioSumsPut put, void *user);

/* NULL: AIO_ERROR_NOT_FOUND, AIO_ERROR_IO (the shelf too), AIO_ERROR_TOO_LARGE; AIO_ERROR_SYNTAX:
 * no such file, damaged or cut off; AIO_ERROR_REFUSED: another version; AIO_ERROR_MEANING: values
 * that sums of rows cannot have, or other joints than the model has; AIO_ERROR_MEMORY. Free with
 * aio_sums_free.
 *   shelf  borrowed for as long as the sums; NULL: in memory */
AioSums *aio_sums_load(const char *path, const ArmModel *model, AioShelf *shelf, GError **error);
/* The same from memory, in memory; `name` is how messages call it. */
AioSums *aio_sums_load_bytes(const char *name, const char *bytes, gsize length,
                             const ArmModel *model, GError **error);

#endif
