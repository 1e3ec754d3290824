/* SPDX-License-Identifier: MIT */
/* Shared by swept*.c: joint by joint, rows into bins and residuals, residuals into statistics and
 * points. */
#ifndef ARMATURE_SESSION_SWEPT_INTERNAL_H
#define ARMATURE_SESSION_SWEPT_INTERNAL_H

#include "core/data/windows.h"
#include "io/base/spool.h"
#include "session/measure/sweep_rows.h"
#include "session/method/swept.h"

/* A used row whose point is drawn. */
typedef struct {
  gsize number; /* of the joint's used rows */
  double residual;
} AseSweptChosen;

typedef struct {
  const AseSweptInput *input;
  AseJob *job;
  AseSweepRows *rows;
  ArmWindows windows; /* of them */
  double t0;          /* of the first row [s] */
  gsize done;         /* rows of the joints so far */
  AseSwept *data;
  guint joint;                 /* from 1, at which it is; what follows is of it alone */
  AioSpool *residuals, *sizes; /* of its used rows in the order of time; sizes: without sign */
  gsize used, finite;          /* residuals; those that are finite */
  double sum, sum_finite;      /* of them */
  GArray *breaks;              /* gsize: before so many used rows a sweep begins; not the first */
  GArray *points, *far;        /* of AseSweptChosen, in the order of time */
} AseSweptWork;

/* Runs, bins, wild samples and residuals of the joint. false: cancelled, or the rows cannot be
 * read. */
bool ase_swept_bin(AseSweptWork *work);

/* All but points of its residuals, and which points are to be drawn. false: they cannot be read. */
bool ase_swept_summarise(AseSweptWork *work);

/* The points that were chosen, out of the rows. false: as ase_swept_bin. */
bool ase_swept_draw(AseSweptWork *work);

#endif
