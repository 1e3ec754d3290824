/* SPDX-License-Identifier: MIT */
/* Sweeps, measured beside computed: what figures of every joint are made of, made of the samples
 * once, in a thread, so that drawing costs the same however long it was measured. Of any method
 * whose fit says what current a sweep takes.
 *
 * Plain values; positions in rad or m, currents in A, times in s. Joints and holds count from 1.
 */
#ifndef ARMATURE_SESSION_SWEPT_H
#define ARMATURE_SESSION_SWEPT_H

#include "core/data/windows.h"
#include "session/base/job.h"
#include "session/measure/runs.h"
#include "session/method/predictor.h"

enum {
  ASE_SWEPT_BINS = 160,     /* per sweep and direction */
  ASE_SWEPT_POINTS = 2000,  /* residuals of a joint that are drawn one by one, about */
  ASE_SWEPT_HISTOGRAM = 41, /* over +-4 residual sds */
  ASE_SWEPT_LAGS = 60,
  ASE_SWEPT_FAR = 400 /* samples of a joint that are shown one by one, wild or far, at most */
};

/* Why a sample is not used: what the session says, and what the fit says. */
typedef enum {
  ASE_ROW_USED,
  ASE_ROW_FAULT,
  ASE_ROW_GAP,
  ASE_ROW_CLIPPED,
  ASE_ROW_EXCLUDED,
  ASE_ROW_NOT_SETTLED,
  ASE_ROW_SLOW,
  ASE_ROW_OFF_PLATEAU,
  ASE_ROW_MISSING,
  ASE_ROW_WILD, /* core/sweeps/wild.h */
  ASE_ROWS
} AseRowUse;

typedef struct {
  guint n;                   /* of used samples */
  double measured, computed; /* their sums; computed is NAN without a fit */
  guint left_n[ASE_ROWS];    /* of the others, by reason */
  double left[ASE_ROWS];     /* sums of the current */
} AseSweptBin;

/* One sweep. Bins lie between low and high; [0] where the position increases, [1] decreases. */
typedef struct {
  gint64 id;
  guint hold;
  double speed;
  double pose[ARM_MAX_JOINTS]; /* in which the other joints were held */
  double low, high;
  AseSweptBin *bin[2];
  gsize rows[ASE_ROWS];
  double squares, worst; /* of the residuals of used samples */
} AseSweptRun;

typedef struct {
  double q, t, current, residual;
  guint run; /* in the joint's list, from 0 */
  int direction;
} AseSweptPoint;

typedef struct {
  GPtrArray *runs; /* of AseSweptRun, in the order in which they were swept */
  GArray *points;  /* of AseSweptPoint within `reach`; of neighbours the lowest and the highest */
  /* Of AseSweptPoint: left out as wild, and used but beyond `reach`; the first of many. */
  GArray *wild, *far;
  double sd;   /* the fit's residual sd, NAN: no fit */
  double mean; /* of the residuals */
  /* Within which a residual is worth a place in the picture: 99 % of those that are used, and all
   * within 8 of their robust sds. */
  double reach;
  double histogram[ASE_SWEPT_HISTOGRAM];
  double correlation[ASE_SWEPT_LAGS];
  gsize rows[ASE_ROWS];
} AseSweptJoint;

typedef struct {
  guint joints;
  ArmModel model;
  AsePredictor *predictor; /* NULL: no fit */
  AseSweptJoint joint[ARM_MAX_JOINTS];
} AseSwept;

/* Marks rows that a fit of them would leave out, beyond what their windows know by themselves. */
typedef ArmStatus (*AseSelectRows)(ArmWindows *windows);

/* What it is made of; its own, so that a thread may have it. */
typedef struct {
  AsePurpose purpose;
  ArmModel model;
  GPtrArray *runs;    /* of AseRun, ended: nobody changes them */
  GArray *exclusions; /* of AseExclusion */
  ArmRowOptions rows;
  AseSelectRows select;
  AsePredictor *predictor; /* NULL: no fit */
} AseSweptInput;
void ase_swept_input_free(AseSweptInput *input); /* NULL allowed */

/* Any thread. NULL: there are no samples, they cannot be read, or the job (may be NULL) was
 * cancelled. */
AseSwept *ase_swept_new(const AseSweptInput *input, AseJob *job);
void ase_swept_free(AseSwept *data); /* NULL allowed */

/* What the fit says of a joint in the pose of a run, at this position and speed: its current, and
 * how much of it there is per unit of a parameter (its column of the regression). NAN without a
 * fit. */
double ase_swept_current(const AseSwept *data, guint joint, const AseSweptRun *run, double q,
                         double qd);
double ase_swept_column(const AseSwept *data, guint joint, const AseSweptRun *run, double q,
                        double qd, ArmParamId id);

#endif
