/* SPDX-License-Identifier: MIT */
/* What a session has in its file: the recorder that writes it, the runs that count, and where it
 * goes on when the disk does not take it.
 *
 * Rows are written a moment later. In a file that was opened, nothing is written before the first
 * row that somebody causes: merely looking at it leaves it as it is. When the file is deleted,
 * renamed or replaced while it is written, it goes on in another one, without being asked. It knows
 * no steps, edits or arm: their texts are its owner's. All functions in the thread (and default
 * main context) that made it.
 */
#ifndef ARMATURE_SESSION_RECORD_H
#define ARMATURE_SESSION_RECORD_H

#include "io/store/recorder.h"
#include "session/measure/runs.h"

/* Whom it tells; all functions get `object` first. */
typedef struct {
  gpointer object; /* a GObject, which frees the record at its end, and is kept while it is told
                      anything from the main loop */
  /* A message for people, a sentence of io/base/said; for the file, the owner gives it to
   * ase_record_log. */
  void (*say)(gpointer object, int level, const char *said);
  /* Path, failure or runs are others. */
  void (*changed)(gpointer object);
  /* While it is closed: what followed from news is to be written now. */
  void (*sync)(gpointer object);
  /* The disk does not take what is measured: nothing may move. */
  void (*halt)(gpointer object);
  /* Samples may be lost: ase_record_drop_lost is to be asked. */
  void (*lost)(gpointer object);
  /* For a new file: arm, plan, steps as they are now. g_free. */
  char *(*text)(gpointer object, AioStoreText kind);
  /* Before the first row: the steps as they were told last. g_free. */
  char *(*told)(gpointer object);
} AseRecordOwner;

typedef struct AseRecord AseRecord;

/* Nothing is opened yet. program: as for aio_store_create, may be NULL. */
AseRecord *ase_record_new(const char *path, const char *program, bool is_read_only,
                          const AseRecordOwner *owner);
void ase_record_free(AseRecord *record); /* NULL allowed; after ase_record_close */

/* ---- the file ---- */

/* Writes to the store from now on, which is taken over, also on failure: aio_recorder_new,
 * aio_queue_new. */
bool ase_record_start(AseRecord *record, AioStore *store, GError **error);
/* After it: what is logged waits for the first row; a run that has not ended was abandoned. */
void ase_record_wait(AseRecord *record);
/* The first row, if it was not yet: makes the log, three syncs. */
void ase_record_begin(AseRecord *record);
/* Ends it; what the file does not take goes on elsewhere. The owner is told on the way. true: also
 * where nothing was written. */
bool ase_record_close(AseRecord *record, GError **error);

/* Was the file of this store begun on this computer, and is it this user's? true until it was
 * looked at. */
void ase_record_look_where_from(AseRecord *record, AioStore *store);
bool ase_record_is_own(const AseRecord *record);

bool ase_record_is_read_only(const AseRecord *record);
bool ase_record_is_closed(const AseRecord *record);
bool ase_record_is_writing(const AseRecord *record); /* there is a recorder */
const char *ase_record_path(const AseRecord *record);
const char *ase_record_program(const AseRecord *record); /* NULL: not known */
/* To give chunks to; NULL: nothing is written. */
AioQueue *ase_record_queue(const AseRecord *record);
bool ase_record_status(const AseRecord *record, AioRecorderStatus *out); /* false: nothing is */
/* aio_recorder_move_to; something is written. */
void ase_record_move_to(AseRecord *record, const char *path);
bool ase_record_flush(AseRecord *record, GError **error); /* something is written */

/* Sentences of io/base/said, NULL: none; borrowed, valid until `changed`: why the disk takes
 * nothing, the last of these since ase_record_forget_halt, that it went on by itself elsewhere,
 * what could not come along. */
const char *ase_record_disk_failure(const AseRecord *record);
const char *ase_record_halted_for(const AseRecord *record);
void ase_record_forget_halt(AseRecord *record);
const char *ase_record_rescued(const AseRecord *record);
const char *ase_record_lost(const AseRecord *record);
/* Why it went on by itself elsewhere, the last time; NULL: it did not. */
const GError *ase_record_left_for(const AseRecord *record);

/* ---- rows; nothing where nothing is written ---- */

/* Of a run that has ended: what belongs to it, and what is missing. */
#define ASE_STATISTIC_SAMPLES    "samples"
#define ASE_STATISTIC_LOST       "samples_lost"
/* Of a run: it was recorded elsewhere; or it counts no more. */
#define ASE_STATISTIC_IMPORTED   "imported"
#define ASE_STATISTIC_SUPERSEDED "superseded"

/* What belongs together, in one transaction; NULL: as it was. */
void ase_record_write_texts(AseRecord *record, const char *arm, const char *plan,
                            const char *steps);
void ase_record_write_statistic(AseRecord *record, gint64 run, const char *name, double value);
/* dataset_sha256, parameters: NULL allowed. */
void ase_record_write_fit(AseRecord *record, const char *dataset_sha256, const char *options,
                          const char *parameters);
void ase_record_add_event(AseRecord *record, const AioEvent *event);
/* The same, but it is no first row: it waits for one. */
void ase_record_log(AseRecord *record, const AioEvent *event);
/* Another connection; description: JSON. */
void ase_record_connect(AseRecord *record, const char *description);
/* Its id, 0: nothing is written. */
gint64 ase_record_begin_run(AseRecord *record, const AseLeg *leg);
void ase_record_end_run(AseRecord *record, const AseRun *run);
/* The last run of the file has not ended, 0: it has. */
void ase_record_note_open_run(AseRecord *record, gint64 run);
/* The program ends: so does that run. */
void ase_record_abandon_run(AseRecord *record);

/* ---- runs ---- */

/* "sweep", "move": what the file calls the run of a leg; static. */
const char *ase_run_kind(const AseLeg *leg);
/* false: it is no sweep of a calibration. */
bool ase_run_purpose_of(const char *kind, AsePurpose *purpose);
/* Of a motion that was recorded as it is. */
bool ase_run_is_of_motion(const char *kind);

/* Of AseRun, those that count; and sweeps that were repeated since it was opened. Borrowed. */
GPtrArray *ase_record_runs(const AseRecord *record);
GPtrArray *ase_record_earlier(const AseRecord *record);
/* Instead of those; taken over. */
void ase_record_take_runs(AseRecord *record, GPtrArray *runs);
/* For another thread: an array of its own with a reference to each run. */
GPtrArray *ase_record_ref_runs(const AseRecord *record);
/* Where their samples are. Borrowed. */
AseShelf *ase_record_shelf(const AseRecord *record);

/* One that has ended counts; its samples leave the memory as soon as they are on the disk. */
void ase_record_add_run(AseRecord *record, AseRun *run);
/* How much of it there is, into the file. */
void ase_record_write_counts(AseRecord *record, const AseRun *run);
/* The run with this number, from 0, counts no more. */
void ase_record_supersede(AseRecord *record, guint k);
/* The same of those of the same sweep. */
void ase_record_supersede_sweep(AseRecord *record, const AseLeg *leg);
/* Runs whose samples are in the file no more count no more. How many these were. */
guint ase_record_drop_lost(AseRecord *record);

bool ase_record_has_complete(const AseRecord *record, const AseLeg *leg);
/* joint 0: any. */
bool ase_record_has_complete_of(const AseRecord *record, AsePurpose purpose, guint joint);

/* Reads the traces of its runs, in a thread; once. */
void ase_record_outline(AseRecord *record);

#endif
