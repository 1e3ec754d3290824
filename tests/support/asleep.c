/* SPDX-License-Identifier: MIT */
#include "support/asleep.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static guint slept, noticed; /* seconds; atomic */

void asleep_for(guint seconds) {
  g_atomic_int_add(&slept, (gint)seconds);
}

guint asleep_noticed(void) {
  return (guint)g_atomic_int_get(&noticed);
}

/* In place of the C library's. */
int clock_gettime(clockid_t id, struct timespec *now) {
  const int result = (int)syscall(SYS_clock_gettime, id, now);
  if (result == 0 && id == CLOCK_BOOTTIME) {
    const guint seconds = (guint)g_atomic_int_get(&slept);
    now->tv_sec += seconds;
    g_atomic_int_set(&noticed, seconds);
  }
  return result;
}
