/* SPDX-License-Identifier: MIT */
/* A shelf (core/data/shelf.h) that holds 16 MB in memory. Further room is in temporary files
 * without a name. Their pages are in memory while the program has no more than 36 MB, and 8 MB of
 * them otherwise; a full disk is told when the room is taken.
 */
#ifndef ARMATURE_IO_SHELF_H
#define ARMATURE_IO_SHELF_H

#include <glib.h>

#include "core/data/shelf.h"
#include "io/base/error.h"

typedef struct AioShelf AioShelf;

AioShelf *aio_shelf_new(void);
/* With all room that has not been given back; NULL allowed. */
void aio_shelf_free(AioShelf *shelf);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioShelf, aio_shelf_free)

/* The same with so many bytes in memory: for tests. */
AioShelf *aio_shelf_new_with(gsize kept_bytes);

/* Owned by the shelf. ARM_E_SOURCE of its room: a temporary file, with the error below. */
ArmShelf *aio_shelf_face(AioShelf *shelf);
/* AIO_ERROR_IO, the first one; NULL: there was always room. Owned by the shelf. */
const GError *aio_shelf_error(const AioShelf *shelf);

#endif
