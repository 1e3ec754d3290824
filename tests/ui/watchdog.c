/* SPDX-License-Identifier: MIT */
#include "watchdog.h"

#include <errno.h>
#include <execinfo.h>
#include <glib-object.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double worst_ms;             /* of the rounds */
static double armed_ms, allowed_ms; /* since when, and from then on */

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* ---- the limit ---- */

enum {
  FRAMES = 64,
  /* GTK lays out and draws a whole window at a time, and nothing can divide that: here,
   * for seven pages at 1920x1080, 111 ms of CPU for the first layout, 76 ms for drawing, and three
   * times that while the machine is busy with other things. Only what hangs is found there. */
  WINDOW_TIMES = 20
};
static timer_t timer;
static gint64 limit_ns;

/* In the midst of what takes so long. */
static void on_limit(int signal) {
  static const char text[] = "Bail out! watchdog: the main loop has been away for too long, in\n";
  void *frames[FRAMES];
  (void)signal;
  if (g_main_depth() == 0)
    return;
  if (write(STDERR_FILENO, text, sizeof text - 1) > 0)
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
  abort();
}

static void arm(int times) {
  struct itimerspec left = {0};
  armed_ms = cpu_ms();
  allowed_ms = 1e-6 * (double)(times * limit_ns);
  left.it_value.tv_sec = times * limit_ns / 1000000000;
  left.it_value.tv_nsec = times * limit_ns % 1000000000;
  timer_settime(timer, 0, &left, NULL);
}

/* Phases of a frame follow each other; a round has one window's events or frame. */
static gboolean on_phase(GSignalInvocationHint *hint, guint n, const GValue *values,
                         gpointer data) {
  (void)hint, (void)n, (void)values;
  arm(GPOINTER_TO_INT(data));
  return true;
}

/* Where there are such objects. */
static void follow(const char *type_name, const char *signal, int times) {
  const GType type = g_type_from_name(type_name);
  const guint id = type ? g_signal_lookup(signal, type) : 0;
  if (id)
    g_signal_add_emission_hook(id, 0, on_phase, GINT_TO_POINTER(times), NULL);
}

/* As soon as there are windows; this is preloaded to programs that may have none. */
static void follow_windows(void) {
  static bool is_done;
  if (is_done || !g_type_from_name("GdkToplevel") || !g_type_from_name("GdkFrameClockIdle"))
    return;
  is_done = true;
  follow("GdkFrameClock", "before-paint", 1);
  follow("GdkFrameClock", "layout", WINDOW_TIMES);
  follow("GdkFrameClock", "paint", WINDOW_TIMES);
  follow("GdkFrameClock", "after-paint", 1);
  follow("GdkToplevel", "compute-size", WINDOW_TIMES);
  follow("GtkApplication", "window-removed", 0); /* nobody waits for what is closed */
}

static int wait_for_events(GPollFD *fds, guint n, int timeout_ms) {
  arm(0);
  const int ready = g_poll(fds, n, timeout_ms);
  arm(1);
  return ready;
}

/* Every round asks the sources first; it does not wait when something urgent is there already. */
static gboolean on_round(GSource *source, int *timeout_ms) {
  (void)source;
  *timeout_ms = -1;
  follow_windows();
  arm(1);
  return false;
}

static void watch(void) {
  static GSourceFuncs functions = {.prepare = on_round};
  GSource *source = g_source_new(&functions, sizeof *source);
  g_source_set_priority(source, G_MININT); /* asked before all others */
  g_source_attach(source, NULL);
  g_source_unref(source);
  g_main_context_set_poll_func(NULL, wait_for_events);
}

__attribute__((constructor)) static void begin(void) {
  const char *ms = getenv("ARMATURE_WATCHDOG");
  struct sigaction action = {.sa_handler = on_limit, .sa_flags = SA_RESTART};
  struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGPROF};
  void *frame;
  limit_ns = ms ? (gint64)(1e6 * g_ascii_strtod(ms, NULL)) : 0;
  if (limit_ns <= 0)
    return;
  backtrace(&frame, 1); /* loads what it needs, which a signal's handler may not */
  event._sigev_un._tid = gettid();
  if (sigaction(SIGPROF, &action, NULL) != 0 ||
      timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0)
    g_error("watchdog: %s", g_strerror(errno));
  watch();
}

/* ---- rounds ---- */

/* The timer is late by a tick of the kernel, here up to 10 ms; this is not. */
void watchdog_iterate(void) {
  const double before = cpu_ms();
  g_main_context_iteration(NULL, TRUE);
  const double now = cpu_ms();
  worst_ms = MAX(worst_ms, now - before);
  if (allowed_ms > 0.0 && now - armed_ms > allowed_ms)
    g_error("watchdog: the main loop was away for %.0f ms of CPU time", now - armed_ms);
}

double watchdog_worst_ms(void) {
  const double worst = worst_ms;
  worst_ms = 0.0;
  return worst;
}
