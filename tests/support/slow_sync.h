/* SPDX-License-Identifier: MIT */
/* A slow disk for this process, and who waits for it. Also for LD_PRELOAD, with ARMATURE_SYNC_MS.
 */
#ifndef ARMATURE_TESTS_SLOW_SYNC_H
#define ARMATURE_TESTS_SLOW_SYNC_H

#include <stdbool.h>

/* Every fsync and fdatasync takes so much longer; counts begin anew. */
void slow_sync(unsigned milliseconds);

/* How many there were: by the recorder's writer or by another thread, of a log (-wal) or of another
 * file. */
unsigned slow_syncs(bool by_writer, bool of_log);

/* The longest of the writer's so far, with the delay [ms]; the one under way counts. */
unsigned slow_sync_longest_ms(void);

#endif
