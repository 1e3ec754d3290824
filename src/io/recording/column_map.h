/* SPDX-License-Identifier: MIT */
/* How to read another tool's table: which column is what, in which unit, with which sign, on which
 * side of the gear. The JSON file is described in docs/column-map.md.
 *
 *   value = sign x (column + offset) x unit     [/ (motor_sign x gear_ratio) on the motor side]
 */
#ifndef ARMATURE_IO_COLUMN_MAP_H
#define ARMATURE_IO_COLUMN_MAP_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"
#include "io/base/scale.h"
#include "io/csv/csv.h"
#include "io/json/json_read.h"

typedef enum {
  AIO_MAP_POSITION,
  AIO_MAP_SPEED,
  AIO_MAP_ACCELERATION,
  AIO_MAP_CURRENT,
  AIO_MAP_TORQUE,
  AIO_MAP_CHANNELS
} AioMapChannelKind;

/* Name of a channel's key ("position"), static storage. */
const char *aio_map_channel_key(AioMapChannelKind kind);

typedef struct {
  const AioJsonNode *node; /* NULL: the map has no such channel */
  const char *name;        /* the column's name, NULL: by number or a constant */
  gsize number;            /* the column from 1, 0: by name or a constant */
  double constant;         /* without a column: the value in `unit` */
  const AioUnit *unit;
  double sign, offset; /* +1 or -1; offset in `unit` */
  bool is_motor_side;
} AioMapChannel;

typedef enum { AIO_MOVING_VALUE, AIO_MOVING_COLUMN, AIO_MOVING_DETECT } AioMovingKind;

typedef struct {
  const AioJsonNode *node;
  gint64 joint; /* from 1 */
  AioMapChannel channels[AIO_MAP_CHANNELS];
} AioMapJoint;

/* Borrows strings and nodes from `json`, which it owns. */
typedef struct {
  AioJson *json;
  bool is_json;     /* the input is JSON, not CSV */
  const char *rows; /* JSON: key of the array of rows, NULL: the file is the array */
  AioCsvFormat format;
  AioMapChannel time; /* no channel where rate_Hz is stated */
  double rate_Hz;     /* even sampling that the user stated, NAN: the map names a time */
  AioMovingKind moving;
  const AioJsonNode *moving_node;
  gint64 moving_joint;                   /* AIO_MOVING_VALUE */
  AioMapChannel moving_column;           /* AIO_MOVING_COLUMN: name or number only */
  double detect_speed_R, detect_speed_T; /* AIO_MOVING_DETECT [rad/s, m/s] */
  double from_s, to_s;                   /* seconds after the first row; 0 and INFINITY */
  gsize n_joints;
  AioMapJoint joints[ARM_MAX_JOINTS];
} AioColumnMap;

/* Loads a map. NULL: what aio_json_load reports; AIO_ERROR_MEANING "FILE:LINE:COLUMN: KEY: expected
 * ..., found ...", also for every key that is not known. Free with aio_column_map_free. */
AioColumnMap *aio_column_map_load(const char *path, GError **error);
/* The same for a table without time, whose rows follow each other at this rate > 0: then the map
 * must not name a time. NAN: as aio_column_map_load. */
AioColumnMap *aio_column_map_load_at(const char *path, double rate_Hz, GError **error);
AioColumnMap *aio_column_map_parse(const char *name, const char *bytes, gsize length,
                                   GError **error);
void aio_column_map_free(AioColumnMap *map);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioColumnMap, aio_column_map_free)

/* Checks the map against the arm it is to be used with: joint numbers, units by joint type, gear
 * ratios for what is on the motor side, a position for every joint.
 * false: AIO_ERROR_MEANING at the place in the map. */
bool aio_column_map_check_arm(const AioColumnMap *map, const ArmModel *model, GError **error);

#endif
