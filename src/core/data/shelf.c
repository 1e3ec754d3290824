/* SPDX-License-Identifier: MIT */
#include "core/data/shelf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 1 << 16 }; /* numbers */

void *arm_shelf_take(ArmShelf *shelf, size_t count, size_t size, ArmStatus *status) {
  if (size > 0 && count > SIZE_MAX / size) {
    *status = ARM_E_MEMORY;
    return NULL;
  }
  if (shelf)
    return shelf->take(shelf->user, count * size, status);
  void *room = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
  if (!room)
    *status = ARM_E_MEMORY;
  return room;
}

void arm_shelf_give(ArmShelf *shelf, void *room) {
  if (shelf && room)
    shelf->give(shelf->user, room);
  else
    free(room);
}

void arm_shelf_copy(ArmShelf *shelf, double *to, const double *from, size_t count) {
  for (size_t at = 0, some; at < count; at += some) {
    some = count - at < AT_ONCE ? count - at : AT_ONCE;
    memcpy(to + at, from + at, some * sizeof *to);
    arm_shelf_saw(shelf, 2 * some * sizeof *to);
  }
}

void arm_shelf_clear(ArmShelf *shelf, double *to, size_t count) {
  for (size_t at = 0, some; at < count; at += some) {
    some = count - at < AT_ONCE ? count - at : AT_ONCE;
    memset(to + at, 0, some * sizeof *to);
    arm_shelf_saw(shelf, some * sizeof *to);
  }
}
