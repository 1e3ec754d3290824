/* SPDX-License-Identifier: MIT */
/* Room beyond what memory holds is a mapped file. Its pages count as memory only while they are
 * mapped in, so a rest maps all of them out: they stay in the file, or on the way to it, and come
 * back when they are touched. The disk's blocks are taken beforehand, since a page that finds none
 * would end the program. */
#include "io/recording/shelf.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/base/temporary.h"

/* A program that has less than the one in memory has all the pages that it looked at; one that has
 * more at least 8 MB of them, or where that would come near to 64 MB half as many. */
enum {
  KEPT_BYTES = 16 << 20,
  MOST_RESIDENT = 36 << 20,
  MUCH_RESIDENT = 48 << 20,
  LEAST_MAPPED = 8 << 20
};

typedef struct {
  void *at;
  gsize size;
  bool is_mapped;
} Room;

struct AioShelf {
  ArmShelf face;
  GArray *rooms; /* of Room: a few */
  gsize kept, kept_bytes;
  int statm;          /* -1: not open */
  gsize pages_before; /* mapped in, of files, before the first room was */
  GError *error;
};

static void *map_file(gsize size, GError **error) {
  const int fd = aio_temporary_open(error);
  if (fd < 0)
    return NULL;
  void *at = NULL;
  if (aio_temporary_reserve(fd, size, error)) {
    at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED) {
      aio_temporary_fail(error, "map");
      at = NULL;
    }
  }
  close(fd);
  return at;
}

/* Pages of the program in memory, and those of files among them, its own included; 0: nobody says.
 */
typedef struct {
  gsize resident, mapped;
} Pages;

static Pages count_pages(const AioShelf *shelf) {
  char text[128];
  const gssize got = shelf->statm < 0 ? 0 : pread(shelf->statm, text, sizeof text - 1, 0);
  text[MAX(got, 0)] = '\0';
  char *at = strchr(text, ' '); /* behind the size */
  Pages pages = {.resident = at ? (gsize)g_ascii_strtoull(at, &at, 10) : 0};
  pages.mapped = at ? (gsize)g_ascii_strtoull(at, NULL, 10) : 0;
  return pages;
}

static void *take(void *user, size_t bytes, ArmStatus *status) {
  AioShelf *shelf = user;
  Room room = {.size = MAX(bytes, 1)};
  room.is_mapped = room.size > shelf->kept_bytes - shelf->kept;
  if (room.is_mapped)
    room.at = map_file(room.size, shelf->error ? NULL : &shelf->error);
  else
    room.at = calloc(1, room.size);
  if (!room.at) {
    *status = room.is_mapped ? ARM_E_SOURCE : ARM_E_MEMORY;
    return NULL;
  }
  if (room.is_mapped && shelf->statm < 0) {
    shelf->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    shelf->pages_before = count_pages(shelf).mapped;
  }
  shelf->kept += room.is_mapped ? 0 : room.size;
  g_array_append_val(shelf->rooms, room);
  return room.at;
}

static void drop(AioShelf *shelf, guint k) {
  const Room *room = &g_array_index(shelf->rooms, Room, k);
  if (room->is_mapped) {
    munmap(room->at, room->size);
  } else {
    free(room->at);
    shelf->kept -= room->size;
  }
  g_array_remove_index_fast(shelf->rooms, k);
}

static void give(void *user, void *at) {
  AioShelf *shelf = user;
  for (guint k = 0; k < shelf->rooms->len; k++)
    if (g_array_index(shelf->rooms, Room, k).at == at) {
      drop(shelf, k);
      return;
    }
}

/* Pages that are there anyhow cost nothing to look at again: while there is memory, none goes. */
static void rest(void *user) {
  AioShelf *shelf = user;
  const gsize page = (gsize)sysconf(_SC_PAGESIZE);
  const Pages pages = count_pages(shelf);
  const gsize least = LEAST_MAPPED / page / (pages.resident < MUCH_RESIDENT / page ? 1 : 2);
  if (pages.resident > 0 &&
      (pages.resident < MOST_RESIDENT / page || pages.mapped < shelf->pages_before + least))
    return;
  for (guint k = 0; k < shelf->rooms->len; k++) {
    const Room *room = &g_array_index(shelf->rooms, Room, k);
    if (room->is_mapped)
      madvise(room->at, room->size, MADV_DONTNEED); /* of a shared mapping nothing is lost */
  }
}

AioShelf *aio_shelf_new_with(gsize kept_bytes) {
  AioShelf *shelf = g_new0(AioShelf, 1);
  shelf->face = (ArmShelf){.take = take, .give = give, .rest = rest, .user = shelf};
  shelf->rooms = g_array_new(FALSE, FALSE, sizeof(Room));
  shelf->kept_bytes = kept_bytes;
  shelf->statm = -1;
  return shelf;
}

AioShelf *aio_shelf_new(void) {
  return aio_shelf_new_with(KEPT_BYTES);
}

void aio_shelf_free(AioShelf *shelf) {
  if (!shelf)
    return;
  while (shelf->rooms->len > 0)
    drop(shelf, shelf->rooms->len - 1);
  g_array_unref(shelf->rooms);
  if (shelf->statm >= 0)
    close(shelf->statm);
  g_clear_error(&shelf->error);
  g_free(shelf);
}

ArmShelf *aio_shelf_face(AioShelf *shelf) {
  return &shelf->face;
}

const GError *aio_shelf_error(const AioShelf *shelf) {
  return shelf->error;
}
