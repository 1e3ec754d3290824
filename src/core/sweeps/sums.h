/* SPDX-License-Identifier: MIT */
/* What a fit needs of a recording once its rows are gone: its strokes as triangles, and what was
 * counted on the way. Sums of several recordings are put together without their rows.
 * Source: Armature theory notes, lack of fit, section 1 (stroke sums); fleets, section 3.
 *
 *   R_s' R_s = sum over the rows of stroke s of z z',
 *   z = [P_0 .. P_5, cos q, sin q, v, t, t v, a, y, v_m, v_m^2 .. v_m^6, columns of gravity]
 *   S_s' S_s = the same of z + the z of the row before, where that is used too
 *   of rows 2 to 1000 apart the sums of w w' alone, w = [P_0 .. P_5, cos q, sin q, v, a, y]
 *
 * letter  meaning                                                          unit
 * P_k     polynomials of the own position (core/sweeps/stroke.h)           1
 * q       position of the moving joint                                     rad, m
 * v, a    its speed and acceleration                                       rad/s, rad/s^2 (m/s, ..)
 * t       since the origin of the strokes                                  s
 * y       its current                                                      A (N m, N)
 * v_m     its speed in the friction of its drive, (I+L) qd                 as v
 *
 * A row of the fit is linear in z while one joint moves: triangles of the fit follow from R_s
 * exactly, as do weights, friction terms and the verdict, which are known only after all strokes;
 * products of neighbouring residuals follow from S_s, since 2 r r' = (r + r')^2 - r^2 - r'^2; rows
 * with a neighbour are all but those at the ends and beside gaps.
 * A friction curve is a polynomial of the speed, as good as exact where that is steady. Of two
 * things a stroke is only nearly its rows: load-dependent friction whose load passes through zero
 * is taken as polynomials of the position, and of the residuals of rows further apart than
 * neighbours all that the model explains is. The largest residual is not known. Where the speed
 * varies within strokes neither is near enough: rows are kept too.
 */
#ifndef ARMATURE_CORE_SUMS_H
#define ARMATURE_CORE_SUMS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/arm/model.h"
#include "core/data/dataset.h"
#include "core/data/windows.h"
#include "core/sweeps/ident.h"
#include "core/sweeps/plausible.h"
#include "core/sweeps/stroke.h"
#include "core/sweeps/wild.h"

/* Columns of z. Of the first ones see ARM_STROKE_COS and what follows it. */
enum {
  ARM_SUMS_DEGREE = 6, /* of v_m */
  ARM_SUMS_CURRENT = ARM_STROKE_ORDERS + ARM_STROKE_CURRENT,
  ARM_SUMS_MOTOR = ARM_STROKE_ORDERS + ARM_STROKE_COLUMNS, /* and its powers */
  ARM_SUMS_GRAVITY = ARM_SUMS_MOTOR + ARM_SUMS_DEGREE,
  ARM_SUMS_MOST = ARM_SUMS_GRAVITY + 2 * ARM_MAX_JOINTS
};

/* Products of rows some rows apart, w = [P_0 .. P_5, cos q, sin q, v, a, y]: how many pairs, then
 * the upper part of the sum of (w w'' + w'' w')/2, w'' that many rows before, column by column. Of
 * rows in a run alone, between which all are used. */
enum {
  ARM_SUMS_LAGS = 16,
  ARM_SUMS_FARTHEST = 1000, /* the last of them, as of a fit of rows */
  ARM_SUMS_LAG_COLUMNS = ARM_STROKE_ORDERS + 5,
  ARM_SUMS_LAG_NUMBERS = 1 + ARM_SUMS_LAG_COLUMNS * (ARM_SUMS_LAG_COLUMNS + 1) / 2,
  ARM_SUMS_EDGE = 4 /* q, v, a, y of a row at the edge of a recording */
};
extern const size_t arm_sums_lag[ARM_SUMS_LAGS];               /* rows, increasing */
extern const size_t arm_sums_lag_column[ARM_SUMS_LAG_COLUMNS]; /* of z, which w is of */
/* How many of them a stroke is long enough for. */
size_t arm_sums_lag_count(const ArmStroke *stroke);

/* A record of a row that is kept: joint from 1 (0: what follows does not go on from what was
 * before), t [s], current, qdd of the joint, q of all joints, qd of all joints. */
enum { ARM_KEPT_JOINT = 0, ARM_KEPT_TIME, ARM_KEPT_CURRENT, ARM_KEPT_ACCELERATION, ARM_KEPT_Q };

/* Rows beside the sums, of joints whose speed varies within strokes: friction curves of any speed
 * and correlations at far lags are not in sums. */
typedef struct {
  bool has[ARM_MAX_JOINTS];    /* every row of its strokes */
  bool swings[ARM_MAX_JOINTS]; /* its speed varies in some stroke, or did before the plateaus were
                                  cut out of it, or strokes go on from one to the next */
  double *at;                  /* count x arm_kept_width(n), row by row, owned */
  size_t count;
} ArmKeptRows;

/* The first or the last row of a stroke. */
typedef struct {
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS]; /* of all joints; 0 beyond, and what is not known */
  double qdd, current;                          /* of its own */
} ArmStrokeEnd;

typedef struct {
  ArmStroke stroke;        /* its triangle and `within` are those of the sums below */
  double slowest, fastest; /* |v| */
  ArmStrokeEnd first, last;
  double *triangle, *pairs; /* the upper parts of R_s and S_s, column by column: arm_sums_length */
  double *before, *after;   /* z before and after gaps: arm_sums_gap_rows x width, row by row; as
                               they are, or of more than width the triangle of all */
  double *lags;             /* arm_sums_lag_count x ARM_SUMS_LAG_NUMBERS */
} ArmSumsStroke;

typedef struct {
  size_t n;
  bool is_torque[ARM_MAX_JOINTS];
  bool has_acceleration;          /* the fit has that column */
  size_t rows, unmoved;           /* of the recording; unmoved: joint = 0 */
  size_t used;                    /* in strokes */
  double median_step;             /* NAN: not known */
  double t_first, t_last, origin; /* of the recording; of the strokes [s]; NAN without rows */
  size_t rows_by_use[ARM_MAX_JOINTS][ARM_ROW_REASONS];
  ArmIdentRange range[ARM_MAX_JOINTS]; /* of all positions of rows in strokes */
  ArmPlausibleScan scan;
  ArmWild wild[ARM_MAX_JOINTS];
  ArmShelf *shelf;   /* borrowed: has what is owned; NULL: in memory */
  ArmSumsStroke *at; /* count, owned */
  double *cells;     /* numbers of all strokes, owned */
  size_t count;
  double *edge[2];     /* rows of the run that the first stroke begins with, and of the one that the
                          last ends with, ARM_SUMS_FARTHEST at most; owned */
  size_t edge_rows[2]; /* how many */
  ArmKeptRows kept;
} ArmReduced;

/* Room on the shelf of `sums` for so many strokes, and so many numbers of all of them.
 * ARM_E_MEMORY, ARM_E_SOURCE: cleared in any case. */
ARM_MUST_CHECK ArmStatus arm_sums_make_room(ArmReduced *sums, size_t strokes, size_t cells);
/* Room for so many rows of both edges, on the same shelf; as above. */
ARM_MUST_CHECK ArmStatus arm_sums_make_edges(ArmReduced *sums, size_t first, size_t last);
/* Room for so many records, on the same shelf; as above. */
ARM_MUST_CHECK ArmStatus arm_kept_make_room(ArmReduced *sums, size_t records);
size_t arm_kept_width(size_t n);
/* A loop has looked at this stroke and its numbers. */
void arm_sums_saw(const ArmReduced *sums, const ArmSumsStroke *stroke);

void arm_sums_clear(ArmReduced *sums);

/* Columns of z of a joint, and the length of a triangle: width (width + 1)/2. */
size_t arm_sums_width(size_t n, size_t joint);
size_t arm_sums_length(size_t n, size_t joint);
/* Rows in `before`, and in `after`: no more than columns. */
size_t arm_sums_gap_rows(size_t n, const ArmStroke *stroke);
/* Numbers of a stroke: both triangles, both sides of gaps, lags. Strokes put together have no more
 * than both had: one triangle of each kind is spared, and lags grow by two at most. */
size_t arm_sums_cells(size_t n, const ArmStroke *stroke);
/* Of all strokes. */
size_t arm_sums_all_cells(const ArmReduced *sums);
/* They lie here. */
void arm_sums_place(size_t n, double *cells, ArmSumsStroke *stroke);

/* Is its slowest row at least half as fast as its fastest? Of a sweep with its ramps it is not. */
bool arm_sums_is_steady(const ArmSumsStroke *stroke);
/* Part of a joint's rows that lie in strokes that are not steady; 0 without rows. */
double arm_sums_unsteady(const ArmReduced *sums, size_t joint);

/* Sums cannot stand for the rows of this joint: its speed varies in some stroke (of one part or,
 * put together, of several), or did before plateaus were cut out, or strokes go on from one to the
 * next, as where a held joint jitters. */
bool arm_sums_swings(const ArmReduced *sums, size_t joint);

/* A fit of these sums takes the rows of this joint in place of its sums: all are kept, and it
 * swings. */
bool arm_sums_has_rows(const ArmReduced *sums, size_t joint);

/* Fills in what of the stroke follows from the sums. */
void arm_sums_complete(ArmSumsStroke *stroke);

/* The sums of a recording, as arm_gravity_fit and arm_gravity_fit_rows would read it with these
 * options, of which only rows, lowpass_Hz, shelf and sums_alone are read; the sums stay on that. A
 * recording without a usable row has no strokes. Unless sums_alone, rows are kept of joints of
 * which a stroke is not steady, or was not before plateaus were cut out, or of which no stroke is
 * whole (what begins or ends with the
 * recording may go on in another one), or where they take no more room than the sums.
 *   sums  out; cleared by the caller on success
 * As those two, but for ARM_E_NO_DATA. */
ARM_MUST_CHECK ArmStatus arm_sums_of(const ArmModel *model, const ArmDataset *data,
                                     const ArmFitOptions *options, ArmReduced *sums);
ARM_MUST_CHECK ArmStatus arm_sums_of_rows(const ArmModel *model, const ArmRowSource *source,
                                          const ArmFitOptions *options, ArmReduced *sums);

/* Sums of one recording after the other, as one: in order of their first times, of equal ones in
 * the order given. One that begins before the last one ends is moved behind it, as recordings that
 * are fitted together are. A stroke that goes on from one into the next is one stroke.
 *   parts  count; borrowed
 *   sums   out, on the shelf of the first part; cleared by the caller on success
 * ARM_E_ARGUMENT: joints, torques or accelerations differ, or there are none. ARM_E_MEMORY,
 * ARM_E_SOURCE; ARM_E_NOT_FINITE. */
ARM_MUST_CHECK ArmStatus arm_sums_join(const ArmModel *model, const ArmReduced *const *parts,
                                       size_t count, ArmReduced *sums);
/* The same, which leaves nothing in the parts (but for ARM_E_ARGUMENT): each is cleared when it has
 * been taken. */
ARM_MUST_CHECK ArmStatus arm_sums_join_taken(const ArmModel *model, ArmReduced *const *parts,
                                             size_t count, ArmReduced *sums);

/* The fit of sums: as arm_gravity_fit, which it equals to rounding for joints whose rows are kept
 * (arm_sums_has_rows), and for others where speeds are steady and no load passes through zero that
 * friction depends on; max_abs of these is NAN. rows and lowpass_Hz of the options are those of the
 * sums, and not read. */
ARM_MUST_CHECK ArmStatus arm_gravity_fit_sums(const ArmModel *model, const ArmReduced *sums,
                                              const ArmFitOptions *options, ArmGravityFit *fit);

#endif
