/* SPDX-License-Identifier: MIT */
/* One sample of all joints as a driver reports it: positions [rad or m], speeds [rad/s or m/s],
 * currents [A], joint side. */
#ifndef ARMATURE_IO_SAMPLE_H
#define ARMATURE_IO_SAMPLE_H

#include <glib.h>

#include "core/arm/model.h"

/* Bits of AioSample.flags and AioChunk.flags. */
enum {
  AIO_SAMPLE_DRIVES_ON = 1 << 0,
  AIO_SAMPLE_ARMED = 1 << 1,
  AIO_SAMPLE_ESTOP_CLOSED = 1 << 2,
  AIO_SAMPLE_FAULT = 1 << 3,    /* a fault is latched */
  AIO_SAMPLE_GAP = 1 << 4,      /* samples are missing before this one */
  AIO_SAMPLE_REPEATED = 1 << 5, /* a poll that returned the device's previous sample */
  AIO_SAMPLE_LATE = 1 << 6,     /* the device skipped periods before this one */
  AIO_SAMPLE_CUT = 1 << 7,      /* what was recorded before this one was left out: no gap */
  AIO_SAMPLE_UNORDERED = 1 << 8 /* the device's clock tells no place for it in the order */
};

typedef struct {
  guint64 t_us;     /* device time of the sampling instant, unwrapped, never decreasing */
  gint64 t_host_ns; /* CLOCK_MONOTONIC when its bytes arrived */
  guint64 back_us;  /* so much earlier is what the device said: its clock ran back; 0: it did not */
  guint32 lost;     /* samples known to be missing directly before it */
  guint16 flags;    /* AIO_SAMPLE_... */
  guint16 motion;   /* number of the motion that runs, 0: none */
  guint8 joint;     /* that sweeps, counted from 1; 0: none */
  double q[ARM_MAX_JOINTS], qd[ARM_MAX_JOINTS], current[ARM_MAX_JOINTS];
  guint16 joint_flags[ARM_MAX_JOINTS]; /* as the device sent them */
} AioSample;

#endif
