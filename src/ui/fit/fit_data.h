/* SPDX-License-Identifier: MIT */
/* Measured beside computed: what the pages Fit and Validate draw of every joint, made of the
 * samples once, in a thread, so that drawing costs the same however long it was measured.
 *
 * No GTK. Plain values; positions in rad or m, currents in A, times in s. Joints and holds count
 * from 1.
 */
#ifndef ARMATURE_UI_FIT_DATA_H
#define ARMATURE_UI_FIT_DATA_H

#include "session/base/job.h"
#include "session/session.h"

enum {
  AUI_FIT_BINS = 160,     /* per sweep and direction */
  AUI_FIT_POINTS = 2000,  /* residuals of a joint that are drawn one by one, about */
  AUI_FIT_HISTOGRAM = 41, /* over +-4 residual sds */
  AUI_FIT_LAGS = 60,
  AUI_FIT_FAR = 400 /* samples of a joint that are shown one by one, wild or far, at most */
};

/* Why a sample is not used: what the session says, and what the fit says. */
typedef enum {
  AUI_ROW_USED,
  AUI_ROW_FAULT,
  AUI_ROW_GAP,
  AUI_ROW_CLIPPED,
  AUI_ROW_EXCLUDED,
  AUI_ROW_NOT_SETTLED,
  AUI_ROW_SLOW,
  AUI_ROW_OFF_PLATEAU,
  AUI_ROW_MISSING,
  AUI_ROW_WILD, /* core/sweeps/wild.h */
  AUI_ROWS
} AuiRowUse;
const char *aui_row_use_text(AuiRowUse use); /* "not settled", translated; static */

typedef struct {
  guint n;                   /* of used samples */
  double measured, computed; /* their sums; computed is NAN without a fit */
  guint left_n[AUI_ROWS];    /* of the others, by reason */
  double left[AUI_ROWS];     /* sums of the current */
} AuiFitBin;

/* One sweep. Bins lie between low and high; [0] where the position increases, [1] decreases. */
typedef struct {
  gint64 id;
  guint hold;
  double speed;
  double pose[ARM_MAX_JOINTS]; /* in which the other joints were held */
  double low, high;
  AuiFitBin *bin[2];
  gsize rows[AUI_ROWS];
  double squares, worst; /* of the residuals of used samples */
} AuiFitRun;

typedef struct {
  double q, t, current, residual;
  guint run; /* in the joint's list */
  int direction;
} AuiFitPoint;

typedef struct {
  GPtrArray *runs; /* of AuiFitRun, in the order in which they were swept */
  GArray *points;  /* of AuiFitPoint within `reach`; of neighbours the lowest and the highest */
  /* Of AuiFitPoint: left out as wild, and used but beyond `reach`; the first of many. */
  GArray *wild, *far;
  double sd;   /* the fit's residual sd, NAN: no fit */
  double mean; /* of the residuals */
  /* Within which a residual is worth a place in the picture: 99 % of those that are used, and all
   * within 8 of their robust sds. */
  double reach;
  double histogram[AUI_FIT_HISTOGRAM];
  double correlation[AUI_FIT_LAGS];
  gsize rows[AUI_ROWS];
} AuiFitJoint;

typedef struct {
  guint joints;
  ArmModel model;
  bool has_fit;
  ArmGravityParameters parameters; /* without covariance: for currents only */
  AuiFitJoint joint[ARM_MAX_JOINTS];
} AuiFitData;

/* What it is made of; copies and references, so that a thread may have it. */
typedef struct AuiFitInput AuiFitInput;

/* The session as it is now: its sweeps of this purpose that have ended, its fit if it has one. */
AuiFitInput *aui_fit_input_new(AseSession *session, AsePurpose purpose);
void aui_fit_input_free(AuiFitInput *input); /* NULL allowed */

/* Any thread. NULL: there are no samples, or the job (may be NULL) was cancelled. */
AuiFitData *aui_fit_data_new(const AuiFitInput *input, AseJob *job);
void aui_fit_data_free(AuiFitData *data); /* NULL allowed */

/* What the fit says of a joint (from 1) in the pose of a run, at this position and speed: its
 * current, and how much of it there is per unit of a parameter (its column of the regression).
 * NAN without a fit. */
double aui_fit_data_current(const AuiFitData *data, guint joint, const AuiFitRun *run, double q,
                            double qd);
double aui_fit_data_column(const AuiFitData *data, guint joint, const AuiFitRun *run, double q,
                           double qd, ArmParamId id);

#endif
