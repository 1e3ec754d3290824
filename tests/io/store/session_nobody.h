/* SPDX-License-Identifier: MIT */
/* A check by somebody who may not do everything, as root may. */
#ifndef ARMATURE_TESTS_SESSION_NOBODY_H
#define ARMATURE_TESTS_SESSION_NOBODY_H

#include <sys/wait.h>
#include <unistd.h>

#include "session_case.h"

/* In a process of its own; returns what `check` returns, 98 or 99 if that cannot be told. */
static inline int session_as_nobody(const char *path, int (*check)(const char *path)) {
  const pid_t child = fork();
  if (child == 0) {
    if (getuid() == 0 && setresuid(65534, 65534, 65534) != 0)
      _exit(99);
    _exit(check(path));
  }
  int status = 1;
  g_assert_cmpint(waitpid(child, &status, 0), ==, child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

#endif
