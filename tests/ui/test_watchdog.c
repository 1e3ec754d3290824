/* SPDX-License-Identifier: MIT */
/* The watchdog of the other tests bites when it should, and only then. */
#include <glib.h>
#include <stdbool.h>
#include <time.h>

#include "watchdog.h"

static double cpu_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void be_busy(double seconds) {
  const double end = cpu_s() + seconds;
  while (cpu_s() < end)
    ;
}

static gboolean on_idle(gpointer seconds) {
  be_busy(*(double *)seconds);
  return G_SOURCE_REMOVE;
}

static void dispatch(double seconds) {
  g_idle_add(on_idle, &seconds);
  watchdog_iterate();
}

static double limit_s;

static bool is_watched(void) {
  const char *ms = g_getenv("ARMATURE_WATCHDOG");
  limit_s = ms ? 1e-3 * g_ascii_strtod(ms, NULL) : 0.0;
  if (ms)
    return true;
  g_test_skip("ARMATURE_WATCHDOG is not set: this build is not watched");
  return false;
}

static void test_bites(void) {
  if (!is_watched())
    return;
  if (g_test_subprocess()) {
    dispatch(1.2 * limit_s);
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_failed();
  g_test_trap_assert_stderr("*watchdog: the main loop*");
}

/* Short callbacks, and what a test itself does between two rounds. */
static void test_sleeps(void) {
  if (!is_watched())
    return;
  if (g_test_subprocess()) {
    for (int k = 0; k < 4; k++)
      dispatch(0.6 * limit_s);
    be_busy(2.4 * limit_s);
    dispatch(0.6 * limit_s);
    return;
  }
  g_test_trap_subprocess(NULL, 0, 0);
  g_test_trap_assert_passed();
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ui/watchdog/bites", test_bites);
  g_test_add_func("/ui/watchdog/sleeps", test_sleeps);
  return g_test_run();
}
