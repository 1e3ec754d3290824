/* SPDX-License-Identifier: MIT */
/* A motion of all joints as a CSV, whether it is planned or was recorded:
 *
 *   t_s,q1_rad,..,qd1_rad_s,..,qdd1_rad_s2,..        (T joint: q3_m, qd3_m_s, qdd3_m_s2)
 *
 * Time and all positions are needed. Speeds of a joint without a column for them, or with an empty
 * cell there, are differences of its positions as given; accelerations likewise of its speeds where
 * it has them, else of its positions (core/excite/check.h). Nothing is smoothed; but where a joint
 * may begin or end at rest, for all that differences can tell, it does.
 */
#ifndef ARMATURE_IO_MOTION_H
#define ARMATURE_IO_MOTION_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "core/excite/basis.h"
#include "core/excite/sequence.h"
#include "io/base/error.h"

/* At rest is what is no faster than this [rad/s or m/s]. */
#define AIO_MOTION_REST 1e-3

/* Arrays are owned, column-major with leading dimension `rows`, and finite. */
typedef struct {
  char *name; /* how messages call it */
  gsize n, rows;
  double *t, *q, *qd, *qdd;
  guint *line; /* rows: where in the file; NULL: it is of none */
  bool is_speed_derived[ARM_MAX_JOINTS], is_acceleration_derived[ARM_MAX_JOINTS];
} AioMotionTable;

/* NULL: what aio_csv_new and aio_csv_read report; AIO_ERROR_MEANING: a column or position is
 * missing, or fewer than three rows; AIO_ERROR_REFUSED: time repeats or runs back. Free with
 * aio_motion_free (NULL allowed). */
AioMotionTable *aio_motion_load(const char *path, const ArmModel *model, GError **error);
/* The same of bytes; `name` is how messages call them. */
AioMotionTable *aio_motion_load_bytes(const char *name, const char *bytes, gsize length,
                                      const ArmModel *model, GError **error);
void aio_motion_free(AioMotionTable *motion);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioMotionTable, aio_motion_free)

/* SHA-256, in hexadecimal digits, of what it states: times, positions, speeds and accelerations
 * where they are given. The same for the same motion, whatever its file is called. g_free. */
char *aio_motion_digest(const AioMotionTable *motion);

/* A period of a motion in a basis, `rate_Hz` times a second from 0 to its end, both included.
 *   c  functions x n  coefficients
 * NULL: AIO_ERROR_MEMORY. */
AioMotionTable *aio_motion_sample(const char *name, const ArmBasis *basis, gsize n, const double *c,
                                  double rate_Hz, GError **error);

/* The same of a motion through points, from its start to its end; it takes `slowness` times as long
 * as the sequence does. */
AioMotionTable *aio_motion_sample_sequence(const char *name, const ArmSequence *sequence,
                                           double rate_Hz, double slowness, GError **error);

/* The CSV above, 17 significant digits. g_string_free it. */
GString *aio_motion_to_csv(const AioMotionTable *motion, const ArmModel *model);

#endif
