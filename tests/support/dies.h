/* SPDX-License-Identifier: MIT */
/* A test that aborts leaves no simulator behind. */
#ifndef ARMATURE_TESTS_DIES_H
#define ARMATURE_TESTS_DIES_H

#include <signal.h>
#include <sys/prctl.h>

/* For the child of g_spawn_async with G_SPAWN_DO_NOT_REAP_CHILD, whose parent then is the test. */
static inline void test_dies_with_parent(void *unused) {
  (void)unused;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

#endif
