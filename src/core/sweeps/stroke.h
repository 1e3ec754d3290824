/* SPDX-License-Identifier: MIT */
/* Stroke sums: one pass of one joint in one hold, one direction, one speed, as a few numbers.
 * Source: Armature theory notes, lack of fit, section 1.
 *
 *   y ~ sum_k alpha_k P_k(x),  P_k = sqrt(2k+1) Legendre_k(x), k = 0..5
 *   x = (2q - low - high)/(high - low), [low, high] = positions that the joint sweeps
 *
 * letter  meaning                                                               unit
 * q       position of the moving joint                                          rad, m
 * y       its current                                                           A (N m, N)
 * alpha   coefficients of y; mean square 1 on uniform x, so each is an rms      A
 * z       the same map of a column of the model                                 A per unit of it
 * within  sum (y - P alpha)^2                                                   A^2
 * lag     sum of products of neighbouring rows, for the lag-1 correlation       A^2
 *
 * Held joints stand still, so all gravity columns of a stroke are made of 1, cos q, sin q with
 * constants of the hold: the stroke keeps cos, sin and the friction columns, and its size depends
 * neither on its rows nor on the arm. The positions it will be judged over are known only
 * afterwards: it is streamed in a basis over the joint's limits and transformed.
 */
#ifndef ARMATURE_CORE_STROKE_H
#define ARMATURE_CORE_STROKE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/data/dataset.h"
#include "core/data/shelf.h"
#include "core/data/windows.h"
#include "core/num/lsq.h"

/* Of fewer rows a stroke takes no part in verdict and validation, and does not tell how a joint is
 * swept. */
enum { ARM_STROKE_LEAST_ROWS = 12 };

enum {
  ARM_STROKE_ORDERS = 6,
  ARM_STROKE_COS = 0, /* cos q, sin q: gravity of an R joint */
  ARM_STROKE_SIN,
  ARM_STROKE_SPEED, /* v: viscous friction [rad/s, m/s] */
  ARM_STROKE_TIME,  /* t, t v: a trend of friction [s, rad] */
  ARM_STROKE_TIME_SPEED,
  ARM_STROKE_ACCELERATION, /* [rad/s^2, m/s^2] */
  ARM_STROKE_CURRENT,      /* y, the last */
  ARM_STROKE_COLUMNS
};

/* Plain data, fixed size: copy by assignment. */
typedef struct {
  size_t joint;                  /* from 0 */
  size_t hold;                   /* among the holds of this joint, from 0 */
  double basis_low, basis_high;  /* of the streamed basis [rad, m] */
  double low, high;              /* swept by this stroke [rad, m] */
  double t_first, t_last, t_sum; /* since the origin of the strokes [s] */
  double speed_sum;              /* signed [rad/s, m/s] */
  double q_sum[ARM_MAX_JOINTS];  /* of all joints [rad, m] */
  size_t rows, lag_pairs;
  size_t first_row, last_row; /* in the recording */
  size_t gaps;                /* of rows between that are not used */
  double within;              /* A^2 */
  double triangle[ARM_STROKE_ORDERS * (ARM_STROKE_ORDERS + ARM_STROKE_COLUMNS)]; /* 6 x 13,
                                        column-major: the first rows of the triangle of [P | ..] */
  double lag[(ARM_STROKE_ORDERS + 1) * (ARM_STROKE_ORDERS + 1)]; /* 7 x 7 of [P | y] */
} ArmStroke;

/* A stroke over the positions it is judged over. */
typedef struct {
  double alpha[ARM_STROKE_ORDERS];                        /* A */
  double z[ARM_STROKE_ORDERS * (ARM_STROKE_COLUMNS - 1)]; /* 6 x 6 column-major; column 1 is e_0 */
  double root[ARM_STROKE_ORDERS * ARM_STROKE_ORDERS];     /* root' root = sum of P' P, column-major:
                                                             root times alpha has white noise */
  double lag; /* sum of products of neighbouring y - P alpha, across gaps too [A^2] */
} ArmStrokeNumbers;

typedef struct {
  ArmShelf *shelf; /* borrowed: has them; NULL: in memory */
  ArmStroke *at;   /* count, owned */
  size_t count, room;
  double origin; /* of time [s] */
} ArmStrokes;

void arm_strokes_clear(ArmStrokes *strokes);

/* Streams rows into strokes, one stroke after the other. */
typedef struct ArmStrokeStream ArmStrokeStream;

/* Model and shelf (NULL: in memory) are borrowed. NULL: out of memory. */
ArmStrokeStream *arm_stroke_stream_new(const ArmModel *model, ArmShelf *shelf);
void arm_stroke_stream_free(ArmStrokeStream *stream);

/* Adds one row of the open stroke, or opens one.
 *   joint    from 0           q  n all positions       qd, qdd, current  of the joint
 * ARM_E_NOT_FINITE: the row is not added. ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_stroke_stream_push(ArmStrokeStream *stream, double t, size_t row,
                                                size_t joint, const double *q, double qd,
                                                double qdd, double current);

/* Ends the open stroke: the next row opens another. ARM_E_MEMORY, ARM_E_SOURCE (the shelf): the
 * stroke is lost. */
ARM_MUST_CHECK ArmStatus arm_stroke_stream_cut(ArmStrokeStream *stream);

/* Ends the stream and takes its strokes, holds numbered: of one joint and equal within 1 deg or
 * 5 mm of every held joint. `strokes` is overwritten; clear it afterwards. */
ARM_MUST_CHECK ArmStatus arm_stroke_stream_take(ArmStrokeStream *stream, ArmStrokes *strokes);

/* The same of strokes from elsewhere: `hold` of each, in their order. ARM_E_MEMORY, ARM_E_SOURCE.
 */
ARM_MUST_CHECK ArmStatus arm_strokes_number_holds(const ArmModel *model, ArmStrokes *strokes);

/* How many are of each joint. */
void arm_strokes_count(const ArmStrokes *strokes, size_t count[ARM_MAX_JOINTS]);

/* From one row to the next, `way` further [rad, m], a joint moves on in one stroke: it does not
 * turn, its speed does not jump, its position does not go back.
 *   v0, v1  speeds [rad/s, m/s] */
bool arm_stroke_goes_on(ArmJointType type, double v0, double v1, double way);

/* Rows go on from one stroke to the next of the same joint and way, as where a held joint moves. */
bool arm_stroke_follows(const ArmStroke *before, const ArmStroke *next, double median_step);

/* Cuts the used rows of a recording: a stroke ends where the joint changes, its direction turns, a
 * row below the minimum speed or a gap in time lies between, a position jumps back, a held joint
 * moves or the speed changes at once. Rows left out for other reasons do not end it.
 *   use  rows  from arm_dataset_select */
ARM_MUST_CHECK ArmStatus arm_strokes_of(const ArmModel *model, const ArmDataset *data,
                                        const ArmRowUse *use, ArmStrokes *strokes);

/* The same of one window after the other, into a stream that is taken afterwards. */
ARM_MUST_CHECK ArmStatus arm_strokes_cut(const ArmModel *model, const ArmWindow *window,
                                         double median_step, ArmStrokeStream *stream);

/* Folds the rows of `from` into `into`, pieces of one stroke. Merging in any order equals one pass,
 * but for pairs, and gaps, across the cuts.
 * ARM_E_ARGUMENT: another joint, hold or basis. */
ARM_MUST_CHECK ArmStatus arm_stroke_merge(ArmStroke *into, const ArmStroke *from);

/* P_0..P_5 at x. */
void arm_stroke_basis(double x, double p[ARM_STROKE_ORDERS]);

/* Signed mean speed [rad/s, m/s]. */
double arm_stroke_speed(const ArmStroke *stroke);

/* The coefficients over [low, high] of a function of the joint's own position, as a current with
 * these values would have them: least squares on a grid of the positions that the stroke covers.
 * False: it covers none. */
bool arm_stroke_project(const ArmStroke *stroke, double low, double high,
                        double (*f)(double q, const void *user), const void *user,
                        double coefficients[ARM_STROKE_ORDERS]);
/* The same of two functions at once.
 *   coefficients  12, of the first, then of the second */
bool arm_stroke_project_both(const ArmStroke *stroke, double low, double high,
                             void (*f)(double q, const void *user, double *value), const void *user,
                             double *coefficients);

/* Coefficients over [low, high] to those over the basis of the stroke, in place. False: high is not
 * above low. */
bool arm_stroke_to_basis(const ArmStroke *stroke, double low, double high,
                         double c[ARM_STROKE_ORDERS]);

/* The numbers over [low, high]. ARM_E_NO_DATA: too few different positions. Untouched then. */
ARM_MUST_CHECK ArmStatus arm_stroke_numbers(const ArmStroke *stroke, double low, double high,
                                            ArmStrokeNumbers *numbers);

#endif
