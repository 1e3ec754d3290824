/* SPDX-License-Identifier: MIT */
/* How long the machine let a process wait for a processor or the disk: measured by the process
 * itself, in memory that is still there when it has been killed. */
#ifndef ARMATURE_TESTS_STALLS_H
#define ARMATURE_TESTS_STALLS_H

#include <glib.h>

typedef struct Stalls Stalls;

/* Before the fork. */
Stalls *stalls_new(void);
void stalls_free(Stalls *stalls);

/* In the child: from now on a thread looks every 10 ms what the others do. */
void stalls_watch(Stalls *stalls);

/* [ms]; from and until, the moment of the kill, are [ns] of g_get_monotonic_time's clock. */
typedef struct {
  double waited; /* from `from` on: a thread wanted a processor or the disk and had neither, or
                  * the one that looks did not come to look */
  double late;   /* the longest without a look, ever */
  double sync;   /* the recorder's longest, ever; the one under way counts */
} StallsSeen;

StallsSeen stalls_seen(const Stalls *stalls, gint64 from, gint64 until);

#endif
