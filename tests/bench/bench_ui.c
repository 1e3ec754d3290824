/* SPDX-License-Identifier: MIT */
/* Lines 5.2 and 5.3: the window with the sweep page at 1280x800, while a simulated PUMA sweeps and
 * 6 joints at 1 kHz are recorded into a session file.
 *
 *   bench_ui frames [SECONDS]            frames per second and their CPU time; default 30 s
 *   bench_ui hour [FACTOR [SECONDS]]     growth of memory in an hour of the arm, FACTOR (default
 * 10) times as fast as a real one; SECONDS of the clock instead
 *
 * Needs a display (tests/ui/with_display.sh). With ARMATURE_SHOTS a picture is left there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../ui/gui.h"
#include "../ui/watchdog.h"
#include "io/base/said.h"
#include "ui/sweep/page_sweep.h"

enum { HZ = 1000, FRAMES_MAX = 1 << 20, JUDGED_S = 20, MEMORY_MS = 50, FIRST = 5 };

/* Resident, in one repetition of the sweeps: from one start to the next, with the fit between. */
typedef struct {
  double lowest_MB, highest_MB;
} Memory;

typedef struct {
  Gui gui;
  AuiPageSweep *page;
  AuiPlot *plot;
  guint drawn; /* frames of the plot before the window's frame that is being painted */
  double began_ms;
  GArray *cost_ms;     /* of frames in which the plot was drawn, thread CPU */
  double lowest_MB;    /* of this repetition */
  Memory first, later; /* the most of the first repetitions, and of those that come later */
  guint repetitions;
} Screen;

static int failures;

static void show(const char *line, const char *what, double measured, const char *target,
                 bool is_met) {
  failures += !is_met;
  printf("SHOW %s %s measured=%.4g target=%s %s\n", line, what, measured, target,
         is_met ? "PASS" : "FAIL");
  fflush(stdout);
}

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* A figure of proc(5): "VmRSS", what is resident, or "VmHWM", the highest of that. */
static double memory_MB(const char *name) {
  g_autofree char *text = NULL;
  g_file_get_contents("/proc/self/status", &text, NULL, NULL);
  const char *line = text ? strstr(text, name) : NULL;
  return line ? 1024e-6 * g_ascii_strtod(line + strlen(name) + 1, NULL) : (double)NAN;
}

/* From now on: a fit needs most for less than a tenth of a second. */
static void forget_highest(void) {
  FILE *file = fopen("/proc/self/clear_refs", "w");
  const bool is_said = file && fputs("5", file) >= 0;
  if (!file || fclose(file) != 0 || !is_said)
    g_error("the highest use of memory cannot be reset");
}

/* ---- the arm ---- */

static bool find_page(GtkWidget *widget, void *data) {
  Screen *screen = data;
  if (AUI_IS_PAGE_SWEEP(widget))
    screen->page = AUI_PAGE_SWEEP(widget);
  return !screen->page;
}

/* Joint 1 by a radian to both sides: the first sweep takes a minute. */
static void plan(Gui *gui) {
  g_autofree AseEdits *edits = g_memdup2(ase_session_edits(gui->session), sizeof *edits);
  memset(&edits->plan, 0, sizeof edits->plan);
  edits->has_plan = true;
  edits->is_proposed = false;
  edits->plan.n = 6;
  edits->plan.joint[0] = (ArmJointPlan){.is_swept = true,
                                        .from = -1.0,
                                        .to = 1.0,
                                        .positions = 100,
                                        .n_speeds = 2,
                                        .speeds = {0.07, 0.1},
                                        .n_holds = 1};
  edits->itinerary.validation_holds = 0;
  edits->itinerary.repeats_first = false;
  edits->itinerary.dry_speed_R = edits->itinerary.move_speed_R = 0.8;
  ase_session_set_edits(gui->session, edits, "plan of the bench");
}

static void ignore(const AioReply *reply, void *ctx) {
  (void)ctx;
  if (reply->code != 0)
    g_error("%s", aio_said_shown(reply->message));
}

/* Until it sweeps, and the page shows it. */
static void begin(Screen *screen, AuiApplication *application, double factor) {
  Gui *gui = &screen->gui;
  const AioCommand telemetry = {.kind = AIO_COMMAND_TELEMETRY, .telemetry = {HZ, 1}};
  gui_open(gui, application, "puma560-truth2", factor);
  gtk_window_set_default_size(GTK_WINDOW(gui->window), 1280, 800);
  ase_device_send(ase_session_device(gui->session), &telemetry, ignore, NULL);
  plan(gui);
  gui_do(gui, ASE_STEP_CHECK, 10.0);
  gui_do(gui, ASE_STEP_PLAN, 60.0);
  g_autoptr(GError) error = NULL;
  if (!ase_device_arm(ase_session_device(gui->session), &error))
    g_error("%s", error->message);
  gui_wait(gui_is_armed, gui, 5.0, "arming");
  gui_do(gui, ASE_STEP_DRY_RUN, 120.0);
  aui_window_show_page(AUI_WINDOW(gui->window), "sweep");
  if (!ase_session_start(gui->session, ASE_STEP_SWEEP, &error))
    g_error("%s", error->message);
  gui_walk(gui->window, find_page, screen);
  screen->plot = aui_page_sweep_plot(screen->page);
  while (!aui_page_sweep_curves(screen->page)->live)
    gui_pass(0.1);
  gui_pass(1.0);
}

/* ---- frames ---- */

static void on_before(GdkFrameClock *clock, Screen *screen) {
  (void)clock;
  screen->drawn = aui_plot_frames(screen->plot);
  screen->began_ms = cpu_ms();
}

static void on_after(GdkFrameClock *clock, Screen *screen) {
  const double cost = cpu_ms() - screen->began_ms;
  (void)clock;
  if (aui_plot_frames(screen->plot) != screen->drawn && screen->cost_ms->len < FRAMES_MAX)
    g_array_append_val(screen->cost_ms, cost);
}

static void watch_frames(Screen *screen) {
  GdkFrameClock *clock = gtk_widget_get_frame_clock(screen->gui.window);
  screen->cost_ms = g_array_new(FALSE, FALSE, sizeof(double));
  g_signal_connect(clock, "before-paint", G_CALLBACK(on_before), screen);
  g_signal_connect(clock, "after-paint", G_CALLBACK(on_after), screen);
}

static int compare(gconstpointer a, gconstpointer b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool has_begun(Gui *gui) {
  return ase_session_repeat(gui->session, ASE_STEP_SWEEP, 1, NULL);
}

/* The window disarms an arm that has swept, computes, and shows what came out. */
static void sweep_again(Gui *gui) {
  g_autoptr(GError) error = NULL;
  gui_wait(gui_is_not_armed, gui, 5.0, "disarming");
  if (!ase_device_arm(ase_session_device(gui->session), &error))
    g_error("%s", error->message);
  gui_wait(gui_is_armed, gui, 5.0, "arming");
  gui_wait(has_begun, gui, 30.0, "fit and validation");
  aui_window_show_page(AUI_WINDOW(gui->window), "sweep");
}

/* ---- memory ---- */

static gboolean on_memory(gpointer data) {
  Screen *screen = data;
  screen->lowest_MB = fmin(screen->lowest_MB, memory_MB("VmRSS"));
  return G_SOURCE_CONTINUE;
}

static void begin_repetition(Screen *screen) {
  screen->lowest_MB = INFINITY;
  forget_highest();
}

static void end_repetition(Screen *screen) {
  Memory *most = screen->repetitions++ < FIRST ? &screen->first : &screen->later;
  most->lowest_MB = fmax(most->lowest_MB, screen->lowest_MB);
  most->highest_MB = fmax(most->highest_MB, memory_MB("VmHWM"));
}

/* The arm sweeps joint 1 over and over. */
static void sweep_on(Screen *screen, double seconds) {
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * seconds);
  Gui *gui = &screen->gui;
  while (g_get_monotonic_time() < end) {
    gui_pass(0.2);
    if (gui_state(gui, ASE_STEP_SWEEP) != ASE_STATE_PASSED)
      continue;
    sweep_again(gui);
    end_repetition(screen);
    begin_repetition(screen);
  }
}

static void judge_frames(Screen *screen, double seconds) {
  GArray *cost = screen->cost_ms;
  const double rate = cost->len / seconds;
  g_array_sort(cost, compare);
  if (!cost->len)
    g_error("no frame was drawn");
  const double p50 = g_array_index(cost, double, cost->len / 2);
  const double p99 = g_array_index(cost, double, cost->len * 99 / 100);
  const bool is_judged = seconds >= JUDGED_S;
  show("5.2", "sweep page, 6 joints at 1 kHz, frames per second", rate, ">= 29",
       rate >= 29.0 || !is_judged);
  show("5.2", "CPU of a frame, half of them [ms]", p50, "< 25", p50 < 25.0);
  show("5.2", "CPU of a frame, 99 % [ms]", p99, "< 25", p99 < 25.0 || !is_judged);
}

static void run_frames(Screen *screen, double seconds) {
  AioStatistics before, after;
  AseDevice *device = ase_session_device(screen->gui.session);
  const AuiCurve *live = aui_page_sweep_curves(screen->page)->live;
  watch_frames(screen);
  ase_device_statistics(device, &before);
  watchdog_worst_ms();
  const gint64 began = g_get_monotonic_time();
  sweep_on(screen, seconds);
  const double past_s = 1e-6 * (double)(g_get_monotonic_time() - began);
  ase_device_statistics(device, &after);
  if (aui_page_sweep_curves(screen->page)->live != live)
    g_error("the sweep that was measured has ended; measure less than 50 s");
  const double worst_ms = watchdog_worst_ms();
  judge_frames(screen, past_s);
  show("5.2", "longest round of the main loop, CPU [ms]", worst_ms, "< 50", worst_ms < 50.0);
  const double rate = (double)(after.counters.samples - before.counters.samples) / past_s;
  show("5.2", "samples of 6 joints a second meanwhile", rate, ">= 950", rate >= 950.0);
  show("5.2", "samples lost", (double)after.counters.samples_lost, "0",
       after.counters.samples_lost == 0);
  gui_shoot(&screen->gui, "bench-ui");
}

/* ---- an hour ---- */

/* A repetition needs more and less memory in turn: the samples of a sweep are in memory until it
 * ends, and a fit, its validation and its plots have all of them for a moment, more or less at the
 * same time. What counts is how much more than the first repetitions a later one needs; those come
 * when everything has been drawn, written and computed once. */
static void run_hour(Screen *screen, double factor, double seconds) {
  const gint64 end = g_get_monotonic_time() + (gint64)(1e6 * seconds);
  Gui *gui = &screen->gui;
  while (gui_state(gui, ASE_STEP_SWEEP) != ASE_STATE_PASSED)
    gui_pass(0.2);
  sweep_again(gui);
  begin_repetition(screen);
  const guint timer = g_timeout_add(MEMORY_MS, on_memory, screen);
  const gint64 began = g_get_monotonic_time();
  watch_frames(screen);
  sweep_on(screen, 1e-6 * (double)(end - began));
  g_source_remove(timer);
  const double rate = screen->cost_ms->len / (1e-6 * (double)(g_get_monotonic_time() - began));
  const Memory *first = &screen->first, *later = &screen->later;
  const double grown = screen->repetitions <= FIRST ? (double)NAN /* none to compare */
                                                    : fmax(later->lowest_MB - first->lowest_MB,
                                                           later->highest_MB - first->highest_MB);
  g_autofree char *what = g_strdup_printf(
      "%.0f min of the arm, %g times as fast, memory from %.0f to %.0f MB in the first "
      "%d repetitions, later from %.0f to %.0f MB, growth [MB]",
      factor * seconds / 60.0, factor, first->lowest_MB, first->highest_MB, FIRST, later->lowest_MB,
      later->highest_MB);
  show("5.3", what, grown, "< 50", grown < 50.0);
  show("5.3", "frames per second meanwhile", rate, "> 10", rate > 10.0);
}

int main(int argc, char **argv) {
  const bool is_hour = argc > 1 && strcmp(argv[1], "hour") == 0;
  const double factor = is_hour ? (argc > 2 ? g_ascii_strtod(argv[2], NULL) : 10.0) : 1.0;
  const char *time = is_hour ? (argc > 3 ? argv[3] : NULL) : argc > 2 ? argv[2] : NULL;
  const double seconds = time ? g_ascii_strtod(time, NULL) : is_hour ? 3600.0 / factor : 30.0;
  AuiApplication *application = gui_application_new();
  if (!application) {
    fprintf(stderr, "bench_ui: no display; run it under tests/ui/with_display.sh\n");
    return 77;
  }
  Screen screen = {.plot = NULL};
  begin(&screen, application, factor);
  if (is_hour)
    run_hour(&screen, factor, seconds);
  else
    run_frames(&screen, seconds);
  gui_close(&screen.gui);
  g_array_unref(screen.cost_ms);
  g_object_unref(application);
  return failures ? 1 : 0;
}
