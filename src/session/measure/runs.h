/* SPDX-License-Identifier: MIT */
/* What was measured: one run per leg that the arm did, and the selection of its samples.
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
#include "io/recording/recording.h"
#include "session/base/job.h"
#include "session/measure/itinerary.h"
#include "session/measure/shelf.h"

/* Of the joint that sweeps [rad or m, rad/s or m/s, A]. */
typedef struct {
  float q, qd, current;
} AseTracePoint;

enum { ASE_TRACE_POINTS = 4096 };
typedef struct {
  GArray *points; /* of AseTracePoint, fewer than ASE_TRACE_POINTS; none of a move to a pose */
  guint step;     /* point k is sample k * step of the run; 0: not made yet */
  gsize samples;
  guint64 lost;
  guint64 first_us, last_us;   /* of its chunks, device time; 0: none */
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

/* The trace, made in any thread, with a reader as in ase_run_each_chunk; and given to the run in
 * the main thread, unless it has one. */
AseTrace *ase_run_read_trace(const AseRun *run, AioStore **reader);
void ase_run_take_trace(AseRun *run, AseTrace *trace);
void ase_trace_free(AseTrace *trace);

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

/* Recording and reasons, row by row. */
typedef struct {
  AioRecording *recording; /* joint = 0 where not used */
  guint8 *use;             /* rows: AseSampleUse */
  guint8 *sound;           /* rows: use without exclusions */
  int *joint;              /* rows: that sweeps, used or not */
  gint64 *run;             /* rows: id of the run */
  guint8 *begins;          /* rows: the first of a run; if it is imported, what follows on
                              something left out, but not on a gap of the recording */
  gsize counts[ARM_MAX_JOINTS][ASE_SAMPLE_USES]; /* of the joint that sweeps, from 0 */
  gsize incomplete; /* runs that were not done to their end; their samples are used */
} AseSelection;

/* The sweeps of one purpose. Held joints get the speed 0 that they were commanded.
 *   runs        of AseRun
 *   exclusions  of AseExclusion, may be NULL
 * NULL: AIO_ERROR_NOT_FOUND, there is not one sample; AIO_ERROR_MEMORY. */
AseSelection *ase_selection_new(const ArmModel *model, const GPtrArray *runs, AsePurpose purpose,
                                const GArray *exclusions, GError **error);
/* The same within a job, which may be cancelled between two runs: NULL without an error. */
AseSelection *ase_selection_new_within(AseJob *job, const ArmModel *model, const GPtrArray *runs,
                                       AsePurpose purpose, const GArray *exclusions,
                                       GError **error);
/* AIO_ERROR_NOT_FOUND: no sweep of this purpose has been recorded. */
void ase_selection_fail_empty(AsePurpose purpose, GError **error);
void ase_selection_free(AseSelection *selection); /* NULL allowed */

/* The core's view, borrowed: all that was recorded of a sweep, so that the plateau of a stroke is
 * that of the whole stroke whatever is left out of it, and which of it is used. */
ArmDataset ase_selection_dataset(const AseSelection *selection);

/* SHA-256 of all of it, hexadecimal; g_free.
 *   joint  rows: `joint` of the recording, so that it is of what is used, or of the selection, so
 *          that exclusions do not change it */
char *ase_selection_digest(const AseSelection *selection, const int *joint);

/* Other exclusions instead, without looking at the runs again. */
void ase_selection_exclude(AseSelection *selection, const GArray *exclusions);

#endif
