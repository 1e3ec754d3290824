/* SPDX-License-Identifier: MIT */
/* A current that stops being measured in the middle of a motion: the same value again and again. */
#ifndef ARMATURE_IO_CURRENT_FREEZE_H
#define ARMATURE_IO_CURRENT_FREEZE_H

#include "io/recording/current_sign.h"

/* 17 files of a UR10e, a KR300 and both KUKA runs stay below these. */
#define AIO_FREEZE_S 1.0
enum { AIO_FREEZE_SAMPLES = 50, AIO_FREEZE_RUNS = 20 };

typedef struct {
  double from_s, to_s; /* first and last moving row of the run */
  double moving_s;     /* time in motion within; 0: nothing froze */
} AioFreeze;

/* One value in succession. */
typedef struct {
  AioFreeze span;
  guint samples; /* in motion */
  bool moves[2];
} AioFreezeRun;

/* The rows of a joint, one after the other. */
typedef struct {
  AioFreezeRun run, longest;
  double last, last_t; /* last_t: of the row before, NAN unless it moved */
  GHashTable *counts;  /* owned: samples of a run to how many runs have so many */
  double median_step;
  bool is_quantised;
} AioFreezeScan;

/* The longest run of one value in motion, when it lasts at least AIO_FREEZE_S and
 * AIO_FREEZE_SAMPLES and more than AIO_FREEZE_RUNS times the median run.
 *   median_step   of t [s]; time across a gap does not count
 *   is_quantised  the channel has coarse steps: a steady sweep may then repeat one value, only a
 *                 run that goes on through both directions counts */
void aio_freeze_scan_init(AioFreezeScan *scan, double median_step, bool is_quantised);
void aio_freeze_scan_rows(AioFreezeScan *scan, const AioMotion *m);
/* After the last row; nothing of the scan is left. */
AioFreeze aio_freeze_scan_end(AioFreezeScan *scan);

#endif
