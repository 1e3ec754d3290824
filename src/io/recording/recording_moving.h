/* SPDX-License-Identifier: MIT */
/* Recordings of an arm that moves, out of files of any size: looked through once for what there is,
 * then read on, window by window, in memory that does not grow with them. Torques in files are of
 * joints; of coupled drives windows and survey have those of the drives, and NAN where one that
 * turns with it has none.
 */
#ifndef ARMATURE_IO_RECORDING_MOVING_H
#define ARMATURE_IO_RECORDING_MOVING_H

#include <stdbool.h>

#include "io/recording/recording_samples.h"
#include "io/recording/row_sketch.h"

/* Rows with from <= t <= to [s]; NAN: from the first, to the last. */
typedef struct {
  double from, to;
} AioTimeSpan;

/* A joint's position is the same in every row while that of another changes. */
typedef struct {
  guint line; /* of the first of these rows; 0: there are none */
  double from_s, to_s, q;
  double effort_min, effort_max; /* currents in these rows; NAN: none */
} AioMovingStill;

/* Of the rows within the span. */
typedef struct {
  gsize rows, with_all, with_one; /* with_all: joint = 0; with_one: a joint moves alone */
  gsize with_several;             /* of with_all: two positions or more change */
  double first_s, last_s, step_s; /* step_s: the median; NAN: fewer than two rows */
  bool is_uneven;                 /* steps differ by more than a clock's rounding */
  bool has_qd, has_qdd;           /* of every joint in every row that needs it */
  bool has_effort[ARM_MAX_JOINTS], is_torque[ARM_MAX_JOINTS];
  double q_min[ARM_MAX_JOINTS], q_max[ARM_MAX_JOINTS];           /* NAN: no position */
  double effort_min[ARM_MAX_JOINTS], effort_max[ARM_MAX_JOINTS]; /* currents; NAN: none */
  double most_effort[ARM_MAX_JOINTS];                            /* largest |current| */
  guint most_effort_line[ARM_MAX_JOINTS];                        /* the first with it */
  guint far_line[ARM_MAX_JOINTS]; /* first line in which the position is so far beyond a limit of
                                     the arm file that its unit is another; 0: none */
  double far_q[ARM_MAX_JOINTS];   /* the position there */
  AioMovingStill still[ARM_MAX_JOINTS]; /* the longest; rows with joint = 0 */
  AioRowSketch sketch;                  /* which rows these are */
  char *ignored;                        /* names of columns without meaning, NULL: none */
} AioMovingSurvey;

void aio_moving_survey_clear(AioMovingSurvey *survey);

/* Reads all rows.
 *   csv  from aio_csv_open
 * false: as aio_recording_load reports it of a file that it reads as a whole; AIO_ERROR_MEANING: an
 * effort beyond AIO_MOST_EFFORT, no row within the span. *survey is then untouched. */
bool aio_moving_survey(AioCsv *csv, const ArmModel *model, const AioTimeSpan *span,
                       AioMovingSurvey *survey, GError **error);

/* Rows first .. first + count - 1 of a window are within the span. false: no more wanted. */
typedef bool (*AioMovingEach)(const AioRecording *window, gsize first, gsize count, void *data);

/* Again, after a survey that found nothing wrong. */
bool aio_moving_each(AioCsv *csv, const ArmModel *model, const AioTimeSpan *span,
                     AioMovingEach each, void *data, GError **error);

#endif
