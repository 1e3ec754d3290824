/* SPDX-License-Identifier: MIT */
/* The column names of a recording: what each means and which ones are mistakes. */
#ifndef ARMATURE_IO_RECORDING_COLUMNS_H
#define ARMATURE_IO_RECORDING_COLUMNS_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"
#include "io/csv/csv.h"

/* rad, m and per s, s^2: beyond it is a broken cell, of which no sum would stay finite. Times may
 * count from 1970. */
#define AIO_MOST_MOTION 1e15

/* A, N m, N: the same; presses have 1e8 N. Of sweeps smaller ones may be left out as wild; of
 * motions of several joints (recording_moving.h) no row is, and one would be all a fit sees. */
#define AIO_MOST_EFFORT 1e9

typedef enum {
  AIO_CHANNEL_TIME,
  AIO_CHANNEL_JOINT,
  AIO_CHANNEL_Q,
  AIO_CHANNEL_QD,
  AIO_CHANNEL_QDD,
  AIO_CHANNEL_CURRENT,
  AIO_CHANNEL_TORQUE,
  AIO_CHANNEL_KINDS
} AioChannelKind;

/* "qd3_m_s" for a channel of joint `joint` (from 0; without meaning for time and joint). g_free. */
char *aio_recording_column_name(AioChannelKind kind, gsize joint, ArmJointType type);

typedef struct {
  gssize time, joint; /* column from 0, -1 = none */
  gssize q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], qdd[ARM_MAX_JOINTS];
  gssize current[ARM_MAX_JOINTS], torque[ARM_MAX_JOINTS];
} AioRecordingColumns;

/* Finds the columns of a table.
 *   ignored  char * of columns without meaning are appended, except those beginning with x_
 * false: AIO_ERROR_MEANING: a name given twice, or a name that is a known one but for unit, letter
 * case or joint number. */
bool aio_recording_find_columns(const AioCsv *csv, const ArmModel *model,
                                AioRecordingColumns *columns, GPtrArray *ignored, GError **error);

/* false: AIO_ERROR_MEANING: a joint has both a current and a torque. */
bool aio_recording_check_measured(const AioCsv *csv, const ArmModel *model,
                                  const AioRecordingColumns *columns, GError **error);

/* Sets AIO_ERROR_MEANING "expected a column NAME", naming the nearest there is. Returns false. */
bool aio_recording_column_missing(const AioCsv *csv, const char *name, GError **error);

#endif
