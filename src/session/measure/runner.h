/* SPDX-License-Identifier: MIT */
/* Has the arm do an itinerary, leg by leg, and collects what it measures.
 *
 * The device must be armed. A leg is commanded, its end is what the controller reports; a leg that
 * does not end in time is stopped. Hold, a fault, a lost link, a restart of the controller or a
 * pause end the leg that runs; the itinerary can be taken up again with that leg, after the arm has
 * been armed again. Every sample that came is kept in its run.
 *
 * Signals:
 *   "leg-started" (guint index, AseRun *run)
 *   "leg-ended"   (guint index, AseRun *run)   complete, or with an outcome that says why not
 *   "stopped"     (gboolean is_done, const char *reason)   nothing moves any more; a sentence of
 *                 io/base/said
 */
#ifndef ARMATURE_SESSION_RUNNER_H
#define ARMATURE_SESSION_RUNNER_H

#include "session/device/device.h"
#include "session/measure/itinerary.h"
#include "session/measure/leg_end.h"
#include "session/measure/runs.h"

#define ASE_TYPE_RUNNER (ase_runner_get_type())
G_DECLARE_FINAL_TYPE(AseRunner, ase_runner, ASE, RUNNER, GObject)

/* What the session's file calls a run; NULL function: no file. */
typedef struct {
  gint64 (*begin)(void *ctx, const AseLeg *leg); /* its id */
  void (*end)(void *ctx, const AseRun *run);
  void *ctx;
} AseRunLog;

/* Keeps a reference to the device; the model and the itinerary are borrowed and must stay. */
AseRunner *ase_runner_new(AseDevice *device, const ArmModel *model, const AseItinerary *itinerary,
                          const AseRunLog *log);

/* From leg `first` (from 0) up to, not including, `end`. false with AIO_ERROR_REFUSED: not armed,
 * running already, or the arm does not stand where leg `first` begins (first is then to be a move;
 * the message says which joint), or nobody knows where. */
bool ase_runner_start(AseRunner *runner, guint first, guint end, GError **error);

/* Halts the arm; "stopped" follows. Arming stays. */
void ase_runner_pause(AseRunner *runner);

bool ase_runner_is_running(AseRunner *runner);
/* How the last leg that ended did: as "stopped" tells it. */
AseEndKind ase_runner_ended_by(AseRunner *runner);
/* The leg that runs, or the one to go on with. */
guint ase_runner_leg(AseRunner *runner);
/* Estimated time of the legs left, wall time [s]. */
double ase_runner_left_s(AseRunner *runner);

/* All runs so far, of AseRun, in order; with a log only the one of the leg that runs. Borrowed. */
const GPtrArray *ase_runner_runs(AseRunner *runner);

#endif
