/* SPDX-License-Identifier: MIT */
/* Moves the log of a session that is written into its file, in a thread of low priority with a
 * connection of its own: two syncs and some megabytes for which the writer would wait otherwise.
 * Private to the recorder.
 */
#ifndef ARMATURE_IO_STORE_CHECKPOINT_H
#define ARMATURE_IO_STORE_CHECKPOINT_H

#include "io/store/store.h"

typedef struct AioCheckpointer AioCheckpointer;

/* From now on commits of the store leave its log alone. NULL: there is no log, or no connection can
 * be opened; the store goes on by itself then. */
AioCheckpointer *aio_checkpointer_new(AioStore *store);

/* After each commit, by the thread that owns the store: moves what the log holds into the file when
 * it has grown by 4 MiB, and when the arm rests if it has 1 MiB. While the arm moves the log does
 * not begin anew, unless it has 64 MiB. true: it would with the next commit, which then takes two
 * syncs: call aio_store_begin_log now, while nobody waits for it. */
bool aio_checkpointer_look(AioCheckpointer *checkpointer, bool is_resting);

/* Before the store is closed, by the same thread; ends what it does. NULL allowed. */
void aio_checkpointer_free(AioCheckpointer *checkpointer);

#endif
