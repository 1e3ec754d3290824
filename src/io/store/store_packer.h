/* SPDX-License-Identifier: MIT */
/* Packs the chunks of a session that is written: as many as make some 200 kB, or what is left of a
 * run that is over, become one row of `packs` in one transaction, which is to be the caller's. What
 * would not come back as it was, to the byte, stays as it is. Private to the recorder.
 *
 * One packer belongs to the thread that owns its store.
 */
#ifndef ARMATURE_IO_STORE_PACKER_H
#define ARMATURE_IO_STORE_PACKER_H

#include "io/store/store.h"

typedef struct AioPacker AioPacker;

/* Of a store that is open for writing, which it borrows. */
AioPacker *aio_packer_new(AioStore *store);
void aio_packer_free(AioPacker *packer); /* NULL allowed */

/* Reads and packs, in memory, what comes next in the file: some milliseconds. Chunks are still
 * added to `open_run` (0: to none), or, is_ending, to no run at all. false: there was nothing to be
 * packed now. */
bool aio_packer_prepare(AioPacker *packer, gint64 open_run, bool is_ending);

/* Is something prepared? */
bool aio_packer_is_ready(const AioPacker *packer);

/* Amid a transaction: what is prepared takes the place of its chunks. */
bool aio_packer_write(AioPacker *packer, GError **error);

/* What was written is on the disk. */
void aio_packer_written(AioPacker *packer);

/* What is prepared shall be prepared once more. */
void aio_packer_forget(AioPacker *packer);

#endif
