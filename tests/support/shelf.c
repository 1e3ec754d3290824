/* SPDX-License-Identifier: MIT */
#include "support/shelf.h"

#include <stdlib.h>

static void *take(void *user, size_t bytes, ArmStatus *status) {
  TestShelf *shelf = user;
  void *room = ++shelf->takes == shelf->fails_at ? NULL : calloc(1, bytes + 1);
  shelf->out += room != NULL;
  if (!room)
    *status = ARM_E_SOURCE;
  return room;
}

static void give(void *user, void *room) {
  TestShelf *shelf = user;
  shelf->out--;
  free(room);
}

static void rest(void *user) {
  TestShelf *shelf = user;
  shelf->rests++;
}

void test_shelf_init(TestShelf *shelf, size_t fails_at) {
  *shelf = (TestShelf){.fails_at = fails_at};
  shelf->face = (ArmShelf){.take = take, .give = give, .rest = rest, .user = shelf};
}
