/* SPDX-License-Identifier: MIT */
/* One writer per session: "FILE.lock" beside it, locked by flock(2), says who it is; private to the
 * store_*.c files. The lock ends with its process, however that ends; the file of a dead process is
 * taken over. */
#ifndef ARMATURE_IO_STORE_LOCK_H
#define ARMATURE_IO_STORE_LOCK_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

typedef struct AioLock AioLock;

/* `program` is how the next one will be told who holds it.
 * NULL: AIO_ERROR_BUSY, "path: is being recorded to by armature 0.1.0 (process 12 on bench, since
 * ...)"; AIO_ERROR_PERMISSION, AIO_ERROR_FULL, AIO_ERROR_IO. */
AioLock *aio_lock_take(const char *path, const char *program, GError **error);
/* Does this process hold it? Any thread. */
bool aio_lock_is_mine(const char *path);
void aio_lock_release(
    AioLock *lock); /* NULL allowed; removes the file, if the name is its own yet */

#endif
