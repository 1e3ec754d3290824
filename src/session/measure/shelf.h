/* SPDX-License-Identifier: MIT */
/* Where the chunks of ended runs are when they are no more in memory: the session's file, which the
 * recorder goes on writing, at another place perhaps. Reference counted, any thread. */
#ifndef ARMATURE_SESSION_SHELF_H
#define ARMATURE_SESSION_SHELF_H

#include "io/store/store.h"

typedef struct AseShelf AseShelf;

AseShelf *ase_shelf_new(const char *path);
AseShelf *ase_shelf_ref(AseShelf *shelf);
void ase_shelf_unref(AseShelf *shelf); /* NULL allowed */

/* The recorder has moved, with everything. */
void ase_shelf_move_to(AseShelf *shelf, const char *path);

/* For one reading, then aio_store_close. NULL: as aio_store_open_again. */
AioStore *ase_shelf_open(AseShelf *shelf, GError **error);

#endif
