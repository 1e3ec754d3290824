/* SPDX-License-Identifier: MIT */
/* What the files of stream.h share. */
#ifndef ARMATURE_CORE_DYNAMICS_STREAM_INTERNAL_H
#define ARMATURE_CORE_DYNAMICS_STREAM_INTERNAL_H

#include "core/arm/dyn.h"
#include "core/dynamics/stream.h"
#include "core/num/fir.h"
#include "core/num/smooth.h"

enum {
  STREAM_CHUNK = 88, /* samples at a time; 8 times an odd number (core/arm/dyn.h), so few that
                        regressor and rows of six joints share the second-level cache */
  STREAM_ALIGN = 64, /* of the regressor [bytes]: so a chunk's columns all are */
  STREAM_ROWS = 256  /* rows at a time for the sink, as arm_lsq_push_block folds them */
};

/* Samples in columns; each column is `ld` long. */
typedef struct {
  size_t count, ld;
  double *t;
  double *joint;                 /* moving joint from 1, 0 = all, -1 = filled in */
  double *q, *qd, *qdd, *effort; /* n each */
} StreamSamples;

/* One joint's way to rows. */
typedef struct {
  ArmFir *fir;           /* NULL: no filter */
  size_t felt;           /* base parameters whose column is not structurally zero */
  size_t *place;         /* felt   their columns in a row */
  const double **source; /* columns: where each column of the chunk is */
  size_t columns;        /* own + felt + effort, as `source` has them */
  size_t rows;           /* in `block` */
  bool follows;          /* the first of them follows those given before */
  size_t number;         /* of the filter's next output */
  double *block;         /* STREAM_ROWS x width */
  double *t;             /* STREAM_ROWS */
} StreamJoint;

struct ArmDynStream {
  ArmModel model;
  const ArmBase *base;
  ArmDynStreamOptions options;
  ArmDynSink *sink;
  void *user;
  ArmDyn dyn;
  ArmDynStreamCounts counts;

  /* the present segment */
  ArmSmooth *smooth;    /* NULL: qd and qdd are given */
  size_t bridge;        /* most samples that are filled in */
  size_t measured, out; /* samples of it that were measured, and those that came to rows */
  bool is_empty;
  double last_t, last[3 * ARM_MAX_JOINTS]; /* of the latest sample: q, qd, qdd */
  double state[3 * ARM_MAX_JOINTS];        /* of the one that is added */
  StreamSamples in;                        /* as pushed */
  StreamSamples waiting;                   /* those that are not smoothed yet, from `head` on */
  size_t skip;                             /* samples still to come that have no smoothed value */
  size_t head;                             /* of `waiting`: its first sample */
  StreamSamples chunk;                     /* ready for rows */

  /* rows */
  double *y;               /* STREAM_CHUNK x 10 n x n */
  double *drive;           /* STREAM_CHUNK x 2 n  speed and acceleration of the drives */
  size_t own;              /* columns of a drive's own: ARM_DYN_LOCAL, ARM_DYN_OWN with terms */
  double *local;           /* STREAM_CHUNK x own */
  double *effort, *weight; /* STREAM_CHUNK */
  double *centre;          /* centres  time of every keep-th sample, number r in r % centres */
  size_t centres, sampled; /* sampled: samples of the segment that came to rows */
  double *sums;            /* the widest row */
  ArmDynSink *tap;         /* of single samples; NULL: none */
  void *tap_user;
  double *tapped; /* one row */
  StreamJoint joints[ARM_MAX_JOINTS];
};

/* The stages after `in`: ARM_E_ARGUMENT, ARM_E_MEMORY. */
ARM_MUST_CHECK ArmStatus arm_stream_rows_new(ArmDynStream *stream);
void arm_stream_rows_free(ArmDynStream *stream);

/* All of stream->chunk into rows; it is then empty. What the sink returns. */
ARM_MUST_CHECK ArmStatus arm_stream_rows(ArmDynStream *stream);

/* Rows that end with the segment. */
ARM_MUST_CHECK ArmStatus arm_stream_rows_end(ArmDynStream *stream);

/* Gives the sink what is there. */
ARM_MUST_CHECK ArmStatus arm_stream_rows_flush(ArmDynStream *stream, size_t joint);

/* n joints, columns of ld. */
ARM_MUST_CHECK ArmStatus arm_stream_samples_new(size_t n, size_t ld, StreamSamples *samples);
void arm_stream_samples_free(StreamSamples *samples);

#endif
