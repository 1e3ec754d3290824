/* SPDX-License-Identifier: MIT */
/* Which motions were followed in a session, and what came of each: a list beside the steps, in the
 * same text of the file. Plain data; a motion is the same when its digest is (aio_motion_digest),
 * whatever its file is called. */
#ifndef ARMATURE_SESSION_FOLLOWED_H
#define ARMATURE_SESSION_FOLLOWED_H

#include <glib.h>
#include <stdbool.h>

#include "core/arm/model.h"
#include "io/base/error.h"

typedef struct {
  char *name, *digest;   /* name: how messages called it, 255 bytes at most */
  guint design;          /* of `calibrate --full`, from 1; 0: somebody's */
  bool is_on, is_passed; /* it is being followed; it came to its end */
  const char *reason;    /* what was recorded, or why it failed: as ase_reason_keep; "": nothing */
  gint64 run;            /* in the file, whole, and it counts; 0: none */
  gint64 claimed;        /* the same as a file states it, until its run is found there */
  guint64 samples, lost; /* of the last time */
  double apart[ARM_MAX_JOINTS]; /* farthest from where it was to be [rad or m] */
} AseFollowed;

/* Of AseFollowed, in the order in which they were followed last. g_ptr_array_unref it. */
GPtrArray *ase_followed_new(void);
/* NULL: none. Borrowed, as are the next two. */
AseFollowed *ase_followed_last(const GPtrArray *list);
AseFollowed *ase_followed_find(const GPtrArray *list, const char *digest);
/* It is being followed from now on: the last of the list, with nothing recorded. Of more than 1000
 * the first is forgotten, and its run counts beside a new one of the same motion. */
AseFollowed *ase_followed_begin(GPtrArray *list, const char *name, const char *digest);
/* reason: a sentence of io/base/said. */
void ase_followed_end(AseFollowed *followed, bool is_passed, const char *reason);

/* Beside the steps. */
#define ASE_FOLLOWED_KEY "motions"

/* As a JSON array; NULL: there is none. g_free. */
char *ase_followed_to_json(const GPtrArray *list, gsize joints);
/* Of the text of the steps; none where an earlier program wrote it. What was being followed when
 * the program ended was interrupted. false: AIO_ERROR_MEANING or AIO_ERROR_SYNTAX, list
 * untouched. */
bool ase_followed_from_json(GPtrArray *list, const char *steps, GError **error);
/* Runs of motions are told as they are found in the file. */
void ase_followed_meet_run(const GPtrArray *list, gint64 run);

#endif
