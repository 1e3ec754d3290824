/* SPDX-License-Identifier: MIT */
/* Power fails at any byte, on request: `power` counts writes and erases down, and at 0 nothing more
 * is written, half an erase included. The file is the whole memory, so that a kill leaves what a
 * power cut would. */
#include "sim/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/error.h"
#include "wire/bytes.h"

enum { MAGIC_BYTES = 8 };
static const guint8 magic[MAGIC_BYTES] = {'A', 'S', 'I', 'M', 'S', 'T', 'O', '1'};

/* Memory holds what the file holds. */
static bool put(AsimStorage *storage, gsize at, const guint8 *bytes, gsize n) {
  if (storage->fd >= 0 && pwrite(storage->fd, bytes, n, (off_t)at) != (gssize)n)
    return false;
  memmove(storage->image + at, bytes, n);
  return true;
}

static bool fail(GError **error, AioErrorCode code, const char *path, const char *what) {
  g_set_error(error, AIO_ERROR, code, "%s: %s", path, what);
  return false;
}

static bool read_file(AsimStorage *storage, const char *path, GError **error) {
  struct stat info;
  if (flock(storage->fd, LOCK_EX | LOCK_NB) != 0)
    return fail(error, AIO_ERROR_BUSY, path, "another simulator has this storage open");
  if (fstat(storage->fd, &info) != 0)
    return fail(error, AIO_ERROR_IO, path, g_strerror(errno));
  if (S_ISREG(info.st_mode) && info.st_size == 0)
    return put(storage, 0, storage->image, sizeof storage->image) ||
           fail(error, AIO_ERROR_IO, path, g_strerror(errno));
  if (!S_ISREG(info.st_mode) || info.st_size != ASIM_STORAGE_BYTES ||
      pread(storage->fd, storage->image, ASIM_STORAGE_BYTES, 0) != ASIM_STORAGE_BYTES ||
      memcmp(storage->image, magic, MAGIC_BYTES) != 0)
    return fail(error, AIO_ERROR_REFUSED, path,
                "expected a storage file of armature-sim, found something else; name a new file");
  return true;
}

bool asim_storage_open(AsimStorage *storage, const char *path, GError **error) {
  *storage = (AsimStorage){.fd = -1, .power = G_MAXINT64};
  memset(storage->image, 0xff, sizeof storage->image);
  memcpy(storage->image, magic, MAGIC_BYTES);
  wire_put_u32(storage->image + MAGIC_BYTES, 0);
  if (!path)
    return true;
  storage->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (storage->fd < 0)
    return fail(error, AIO_ERROR_IO, path, g_strerror(errno));
  if (read_file(storage, path, error))
    return true;
  asim_storage_close(storage);
  return false;
}

void asim_storage_close(AsimStorage *storage) {
  if (storage->fd >= 0)
    close(storage->fd);
  storage->fd = -1;
}

guint32 asim_storage_boot(AsimStorage *storage) {
  guint8 bytes[4] = {0};
  const guint32 count = wire_get_u32(storage->image + MAGIC_BYTES) + 1;
  wire_put_u32(bytes, count);
  (void)put(storage, MAGIC_BYTES, bytes, sizeof bytes);
  storage->power = G_MAXINT64;
  storage->is_dead = false;
  return count;
}

static bool spend(AsimStorage *storage) {
  if (storage->power == 0)
    storage->is_dead = true;
  else if (storage->power != G_MAXINT64)
    storage->power--;
  return !storage->is_dead;
}

static gsize slot_at(int slot) {
  return ASIM_STORAGE_HEADER + (gsize)slot * ASIM_SLOT_BYTES;
}

/* An erase that power failure interrupts leaves half of the slot as it was. */
bool asim_storage_erase(AsimStorage *storage, int slot) {
  guint8 erased[ASIM_SLOT_BYTES];
  if (storage->is_dead)
    return false;
  memset(erased, 0xff, sizeof erased);
  const bool is_whole = spend(storage);
  return put(storage, slot_at(slot), erased, is_whole ? sizeof erased : sizeof erased / 2) &&
         is_whole;
}

bool asim_storage_write(AsimStorage *storage, int slot, gsize offset, const guint8 *bytes,
                        gsize n) {
  for (gsize k = 0; k < n; k++)
    if (storage->is_dead || !spend(storage) ||
        !put(storage, slot_at(slot) + offset + k, bytes + k, 1))
      return false;
  return true;
}

bool asim_storage_load(AsimStorage *storage, int slot, gsize offset, guint8 *bytes, gsize n) {
  if (storage->is_dead)
    return false;
  memcpy(bytes, storage->image + slot_at(slot) + offset, n);
  return true;
}
