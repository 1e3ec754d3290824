/* SPDX-License-Identifier: MIT */
/* A shelf in memory that counts what has been taken, and has no room when it is told so. */
#ifndef ARMATURE_TESTS_SHELF_H
#define ARMATURE_TESTS_SHELF_H

#include "core/data/shelf.h"

typedef struct {
  ArmShelf face;
  size_t takes, out, rests; /* out: taken, and not given back */
  size_t fails_at;          /* of the takes, from 1; 0: none */
} TestShelf;

void test_shelf_init(TestShelf *shelf, size_t fails_at);

#endif
