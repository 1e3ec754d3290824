/* SPDX-License-Identifier: MIT */
/* Inside record*.c only. */
#ifndef ARMATURE_SESSION_RECORD_INTERNAL_H
#define ARMATURE_SESSION_RECORD_INTERNAL_H

#include <glib-object.h>

#include "session/base/job.h"
#include "session/record/record.h"

struct AseRecord {
  AseRecordOwner owner;
  char *path, *program;
  bool is_read_only, is_closed, is_foreign;

  GMainContext *context; /* for what the writer tells */
  AioQueue *queue;       /* of the recorder */
  AioRecorder *recorder; /* to write, only by ase_record_recorder */
  GArray *said;          /* of AioEvent, not in the file: nothing is written as yet; NULL: it is */
  gint64 abandoned;      /* run that the file has no end of, while `said` is there; 0: none */
  gint64 run;            /* in the file, that has begun and not ended; 0: none */

  char *disk_failure;  /* why the recorder cannot write, for people; NULL: it can */
  char *halted_for;    /* the last of these, since a step that moves was started */
  GError *failure;     /* the last of these as the recorder told it */
  char *rescued;       /* as ase_record_rescued */
  GError *left_for;    /* as ase_record_left_for */
  char *lost;          /* as ase_record_lost */
  GHashTable *refused; /* texts: why rows were that were */
  GMutex news_lock;    /* guards the next */
  GQueue news;         /* what the writer has told and nobody has heard */
  guint rescue;        /* place that the session is brought to by itself, from 1; 0: none */

  AseShelf *shelf;    /* the file, for reading samples back */
  GPtrArray *runs;    /* of AseRun, those that count */
  GPtrArray *earlier; /* of AseRun, sweeps that were repeated since it was opened */
  AseJob *outlining;  /* reads traces of the runs that were loaded, NULL: nobody does */
};

/* ---- record.c ---- */

/* For the next row; NULL: nothing is written. The first after opening brings what opening found. */
AioRecorder *ase_record_recorder(AseRecord *record);
void ase_record_say(AseRecord *record, int level, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* ---- record_runs.c ---- */

/* Its samples leave the memory as soon as the writer has them on the disk. */
void ase_record_shelve(AseRecord *record, const AseRun *run);

/* ---- record_news.c ---- */

/* An AioRecorderFunc, of a record. */
void ase_record_on_news(const AioRecorderNews *told, void *ctx);
/* Does what is to be done about all that was told. false: nothing was. */
bool ase_record_hear(AseRecord *record);
void ase_record_forget_news(AseRecord *record);

/* ---- record_rescue.c ---- */

/* The file is not where it was: asks the recorder to go on next to it, else in the first other
 * place that takes it. false: there is none left, the user must say where. */
bool ase_record_rescue(AseRecord *record);
/* The same at the end, waiting for it; also when the file does not take what waits. */
void ase_record_rescue_now(AseRecord *record);

#endif
