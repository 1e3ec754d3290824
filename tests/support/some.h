/* SPDX-License-Identifier: MIT */
/* Campaigns of random cases: a share of them each time, all of them in `./dev test --slow`. */
#ifndef ARMATURE_TESTS_SOME_H
#define ARMATURE_TESTS_SOME_H

#include <stddef.h>
#include <stdlib.h>

/* `few`, or `all` where ARMATURE_ALL is set, as the tests that are called NAME_all have it. */
static inline size_t test_some(size_t all, size_t few) {
  return getenv("ARMATURE_ALL") ? all : few;
}

#endif
