/* SPDX-License-Identifier: MIT */
#include "support/file_limit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

void test_limit_files(unsigned long bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes ? bytes : limit.rlim_max;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
    perror("setrlimit");
    abort();
  }
}
