/* SPDX-License-Identifier: MIT */
/* A recording in memory, and the CSV it is read from and written to.
 *
 *   t_s,joint,q1_rad,..,qd1_rad_s,..,i1_A,..        (T joint: q3_m, qd3_m_s)
 *
 * optionally qdd1_rad_s2 (T: qdd3_m_s2), and tau1_Nm (T: tau3_N) instead of a current. Joint side,
 * SI. `joint` = the moving joint from 1, 0 = none or all. An empty cell is NAN = not measured.
 * Other columns are ignored and listed; a column that only differs from a known one in unit,
 * letter case or joint number is an error, since it would be missed in silence.
 */
#ifndef ARMATURE_IO_RECORDING_H
#define ARMATURE_IO_RECORDING_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "core/data/dataset.h"
#include "io/base/error.h"
#include "io/csv/csv.h"

/* Arrays are owned, column-major with leading dimension `rows`. */
typedef struct {
  char *name; /* how messages call the recording */
  gsize n, rows;
  ArmJointType type[ARM_MAX_JOINTS];
  bool has_time, has_joint; /* false: t is NAN, joint is 0 */
  bool has_speed[ARM_MAX_JOINTS], has_current[ARM_MAX_JOINTS];
  bool is_torque[ARM_MAX_JOINTS]; /* the current column holds a torque or force */
  double *t;
  int *joint;
  double *q, *qd, *current;
  double *qdd;        /* NULL: no joint has an acceleration column */
  GPtrArray *ignored; /* char *: columns of the file that mean nothing here, without x_ ones */
  GArray *segments;   /* gsize: first row of each recording that was put together here */
  GArray *shifts;     /* double: what was added to its times [s] */
} AioRecording;

/* All values NAN, joint 0. NULL: AIO_ERROR_MEMORY. Free with aio_recording_free (NULL allowed). */
AioRecording *aio_recording_new(const char *name, const ArmModel *model, gsize rows, bool has_qdd,
                                GError **error);
void aio_recording_free(AioRecording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioRecording, aio_recording_free)

/* The core's view; borrows every array of the recording. */
ArmDataset aio_recording_dataset(const AioRecording *recording);

/* Reads a recording to be fitted: time, moving joint, all positions, the speed of every joint that
 * moves and at least one current or torque must have a column; time must increase from row to row.
 * NULL: what aio_csv_new and aio_csv_read report; AIO_ERROR_MEANING: columns or values;
 * AIO_ERROR_REFUSED: time repeats or runs back. */
AioRecording *aio_recording_load(const char *path, const ArmModel *model, GError **error);

/* The same of a recording without time, whose rows follow each other at this rate > 0 from time 0
 * on: then a column of time is an error (AIO_ERROR_MEANING). NAN: as aio_recording_load. */
AioRecording *aio_recording_load_at(const char *path, const ArmModel *model, double rate_Hz,
                                    GError **error);

/* aio_recording_load from a table that is already open.
 *   is_motion  false: samples to be predicted: only the positions must have columns, time may do
 *              what it wants, currents and torques are not read */
AioRecording *aio_recording_from_csv(const AioCsv *csv, const ArmModel *model, bool is_motion,
                                     GError **error);

/* Appends the rows of src to dst. When the time of src does not begin beyond a clear gap after dst,
 * it is shifted so that it does: 1 s or 100 median steps, whichever is more. A sweep, filter or
 * plateau therefore never reaches from one recording into the next.
 * false: AIO_ERROR_MEANING: joints differ, or a torque would meet a current; AIO_ERROR_MEMORY.
 * dst is then unchanged. */
bool aio_recording_append(AioRecording *dst, const AioRecording *src, GError **error);

/* Writes the recording, 17 significant digits, NAN as an empty cell; columns a recording does not
 * have are left out. false: what aio_file_write_atomic reports. */
bool aio_recording_write(const AioRecording *recording, const char *path, bool force,
                         GError **error);
/* The same text, free with g_string_free. */
GString *aio_recording_to_csv(const AioRecording *recording);
/* The same in pieces, appended to `text`: the first line, then rows begin to end-1 of what is in
 * view; `about` knows which columns there are, and has no rows. */
void aio_recording_append_header(const AioRecording *about, bool has_qdd, GString *text);
void aio_recording_append_rows(const AioRecording *about, const ArmDataset *data, gsize begin,
                               gsize end, GString *text);

#endif
