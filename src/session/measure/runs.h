/* SPDX-License-Identifier: MIT */
/* What was measured: one run per leg that the arm did.
 *
 * A run is filled in the main thread while the arm does its leg and never changes after its end; it
 * is reference counted, so that a fit in another thread keeps what it looks at. Once its samples
 * are in the session's file they leave the memory, but for a thinned trace for the eye. Joints,
 * holds count from 1.
 */
#ifndef ARMATURE_SESSION_RUNS_H
#define ARMATURE_SESSION_RUNS_H

#include <glib.h>
#include <stdbool.h>

#include "io/acquire/chunk.h"
#include "session/measure/itinerary.h"
#include "session/measure/shelf.h"

/* Of the joint that sweeps [rad or m, rad/s or m/s, A], since the run's first sample [s]. */
typedef struct {
  float q, qd, current, t;
} AseTracePoint;

enum { ASE_TRACE_POINTS = 4096, ASE_TRACE_LEAST = 64, ASE_TRACES_POINTS = 1 << 19 };
typedef struct {
  GArray *points;  /* of AseTracePoint, fewer than `most`; none of a move to a pose */
  guint most;      /* ASE_TRACE_POINTS, or what ase_run_read_trace was given */
  guint step;      /* point k is sample k * step of the run; 0: not made yet */
  float low, high; /* q of all its samples, INFINITY and -INFINITY where it has no points */
  gsize samples;
  guint64 lost;
  guint64 first_us, last_us;   /* of its chunks, device time; 0: none */
  guint64 start_us;            /* of its first sample */
  double pose[ARM_MAX_JOINTS]; /* of the first sample, all joints */
} AseTrace;

#define ASE_OUTCOME_DONE "done" /* a code: what the session's file calls it */

typedef struct {
  gint64 id; /* in the session's file, 0: none */
  AsePurpose purpose;
  bool sweeps;
  guint joint, hold;
  double speed;      /* as commanded [rad/s or m/s]; NAN: it changes all the time */
  guint16 motion;    /* the controller's number; 0: not known, then all samples belong to it */
  GPtrArray *chunks; /* of AioChunk; at both ends samples of other motions may be in them */
  AseShelf *shelf;   /* NULL: the chunks are all; else there are none, they are in the file */
  GMutex *lock;      /* of chunks and shelf, for threads beside the main one */
  AseTrace *trace;   /* made when it is asked for */
  bool is_counted;   /* samples, lost are known without its trace */
  gsize samples;     /* that belong to it */
  guint64 lost;
  guint64 missing;  /* after its last one, when no more came: counted as lost */
  bool is_imported; /* recorded elsewhere: what was commanded is not known */
  bool is_complete; /* the leg was done to its end */
  char *outcome;    /* ASE_OUTCOME_DONE, or why not: a sentence of io/base/said, of earlier programs
                       a text; NULL while it runs */
  gatomicrefcount references;
} AseRun;

AseRun *ase_run_new(const AseLeg *leg, gint64 id);
AseRun *ase_run_ref(AseRun *run);
void ase_run_unref(AseRun *run); /* NULL allowed */

/* Does sample k of one of its chunks belong to it? */
bool ase_run_owns(const AseRun *run, const AioChunk *chunk, guint k);

/* All chunks in order, from memory or from the file; any thread.
 *   reader  NULL at first, opened when it is needed, for any number of runs of one session; then
 *           aio_store_close
 * false: what ase_shelf_open and aio_store_each_chunk report. */
typedef void (*AseChunkFunc)(const AioChunk *chunk, void *data);
bool ase_run_each_chunk(const AseRun *run, AioStore **reader, AseChunkFunc each, void *data,
                        GError **error);
/* Samples in its chunks, its own and others. */
bool ase_run_room(const AseRun *run, AioStore **reader, gsize *samples, GError **error);

/* Of a run that has ended; main thread. Borrowed. Of what cannot be read there is nothing in it,
 * and a fit tells why. */
const AseTrace *ase_run_trace(const AseRun *run);
/* Of a run that goes on, device time: its newest sample, 0: none; and from its
 * own first one to that, 0: it has none. */
guint64 ase_run_newest_us(const AseRun *run);
guint64 ase_run_span_us(const AseRun *run);
/* How many samples belong to it, and how many are missing; as ase_run_trace. */
gsize ase_run_samples(const AseRun *run);
guint64 ase_run_lost(const AseRun *run);

/* The trace, of fewer than `most` points, made in any thread, with a reader as in
 * ase_run_each_chunk; and given to the run in the main thread, unless it has one. */
AseTrace *ase_run_read_trace(const AseRun *run, guint most, AioStore **reader);
void ase_run_take_trace(AseRun *run, AseTrace *trace);
void ase_trace_free(AseTrace *trace);
/* `most` of each of so many runs: ASE_TRACES_POINTS of all together, from ASE_TRACE_LEAST to
 * ASE_TRACE_POINTS. */
guint ase_trace_most(guint runs);

/* Its chunks are in the file, under its id: they leave the memory. A run without samples stays.
 * Main thread. */
void ase_run_shelve(AseRun *run, AseShelf *shelf);
/* The same of a run that comes from there: so many samples belong to it, so many are missing. */
void ase_run_shelve_unread(AseRun *run, AseShelf *shelf, gsize samples, guint64 lost);

/* Why a sample of a sweep is not given to the fit. The fit itself leaves out what is too slow or
 * near the ends of the stroke, and counts that by itself. */
typedef enum {
  ASE_SAMPLE_USED,
  ASE_SAMPLE_FAULT,       /* a fault was latched, the drives were off or the arm not armed */
  ASE_SAMPLE_GAP,         /* samples are missing within 50 ms of it */
  ASE_SAMPLE_CLIPPED,     /* the current is within 1 % of the amplifier's limit */
  ASE_SAMPLE_EXCLUDED,    /* by the user */
  ASE_SAMPLE_NOT_SETTLED, /* the joint was not yet, or no more, at its constant speed */
  ASE_SAMPLE_USES
} AseSampleUse;

/* A part of a run that the user does not want to be used. */
typedef struct {
  gint64 run;
  double q_low, q_high; /* positions of the joint that sweeps [rad or m] */
  int direction;        /* +1, -1: only that direction; 0: both */
} AseExclusion;

#endif
