/* SPDX-License-Identifier: MIT */
#include "watchdog.h"

#include <glib.h>
#include <time.h>

static double worst_ms;

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

void watchdog_iterate(void) {
  const char *limit = g_getenv("ARMATURE_WATCHDOG");
  const double before = cpu_ms();
  g_main_context_iteration(NULL, TRUE);
  const double spent = cpu_ms() - before;
  worst_ms = MAX(worst_ms, spent);
  if (limit && spent > g_ascii_strtod(limit, NULL))
    g_error("the main loop was away for %.0f ms of CPU time, more than %s ms", spent, limit);
}

double watchdog_worst_ms(void) {
  const double worst = worst_ms;
  worst_ms = 0.0;
  return worst;
}
