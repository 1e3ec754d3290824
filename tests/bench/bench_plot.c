/* SPDX-License-Identifier: MIT */
/* Lines 5.2 and 5.3 without a display: CPU time of the sweep page's three plots, drawn on 1280x800
 * after 1e4 and after 1e6 samples, the figures made and drawn anew in every frame as when samples
 * arrive; and what 10,000 redraws leave in memory.
 *
 *   bench_plot [LINE]    prints only this line's figures */
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/support.h"
#include "ui/plot/painter.h"
#include "ui/sweep/sweep_curves.h"

enum { FRAMES = 200, REDRAWS = 10000, JOINTS = 6, CHUNK = 20, WIDTH = 1040, HEIGHT = 640 };

static int failures;
static const char *wanted; /* NULL: all lines */

/* Only lines that were asked for. */
static void show(const char *line, const char *what, double measured, const char *target,
                 bool is_met) {
  if (wanted && strcmp(wanted, line) != 0)
    return;
  failures += !is_met;
  g_print("SHOW %s %s measured=%.4g target=%s %s\n", line, what, measured, target,
          is_met ? "PASS" : "FAIL");
}

static double resident_MB(void) {
  char *text = NULL;
  if (!g_file_get_contents("/proc/self/statm", &text, NULL, NULL))
    return NAN;
  char **fields = g_strsplit(text, " ", 3);
  const double pages = g_ascii_strtod(fields[1], NULL);
  g_strfreev(fields);
  g_free(text);
  return pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Joint 1 back and forth at 2 rad/s between -2.5 and 2.5, a sample each millisecond. */
static AioChunk *next_chunk(guint64 index, GRand *random) {
  AioChunk *chunk = aio_chunk_new(JOINTS, index);
  for (guint k = 0; k < CHUNK; k++) {
    const double t = 1e-3 * (double)(index + k), phase = fmod(t, 5.0);
    const double direction = phase < 2.5 ? 1.0 : -1.0;
    AioSample sample = {.t_us = 1000 * (index + k), .motion = 1, .joint = 1};
    sample.q[0] = phase < 2.5 ? -2.5 + 2.0 * phase : 2.5 - 2.0 * (phase - 2.5);
    sample.qd[0] = 2.0 * direction;
    sample.current[0] = sin(sample.q[0]) + 0.3 * direction + 0.02 * (g_rand_double(random) - 0.5);
    if (!aio_chunk_push(chunk, &sample, (gint64)(index + k) * 1000000))
      break;
  }
  return chunk;
}

static double feed(AuiCurves *curves, guint64 from, guint64 to, GRand *random) {
  double spent = 0.0;
  for (guint64 index = from; index < to; index += CHUNK) {
    AioChunk *chunk = next_chunk(index, random);
    const double began = cpu_ms();
    aui_curves_add(curves, chunk);
    spent += cpu_ms() - began;
    aio_chunk_unref(chunk);
  }
  return spent;
}

static void draw_frame(const AuiCurves *curves, AuiPainter *const painters[3], cairo_t *cr) {
  AuiFigure *figures[3] = {aui_curves_current_figure(curves),
                           aui_curves_speed_figure(curves, AUI_SPEED_OVER_POSITION),
                           aui_curves_residual_figure(curves)};
  const AuiTheme theme = {.foreground = aui_ink_colour(AUI_INK_FOREGROUND, false)};
  static const int top[3] = {0, HEIGHT / 2, HEIGHT * 3 / 4};
  static const int height[3] = {HEIGHT / 2, HEIGHT / 4, HEIGHT / 4};
  for (guint k = 0; k < 3; k++) {
    AuiView view = {{-150.0, 150.0}, {-1.0, 1.0}};
    aui_figure_bounds(figures[k], view.x, view.y);
    cairo_save(cr);
    cairo_translate(cr, 0.0, top[k]);
    aui_painter_draw(painters[k], cr, WIDTH, height[k], figures[k], &view, &theme);
    cairo_restore(cr);
    aui_figure_free(figures[k]);
  }
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median; p99 through the pointer. */
static double measure(const AuiCurves *curves, AuiPainter *const painters[3], double *p99) {
  double cost[FRAMES];
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create(surface);
  draw_frame(curves, painters, cr);
  for (guint k = 0; k < FRAMES; k++) {
    const double began = cpu_ms();
    cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
    cairo_paint(cr);
    draw_frame(curves, painters, cr);
    cost[k] = cpu_ms() - began;
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  qsort(cost, FRAMES, sizeof *cost, compare);
  *p99 = cost[FRAMES * 99 / 100];
  return cost[FRAMES / 2];
}

/* Growth after the first hundred frames [MB]. */
static double redraw(const AuiCurves *curves, AuiPainter *const painters[3]) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create(surface);
  double before = NAN;
  for (guint k = 0; k < REDRAWS / 3; k++) {
    draw_frame(curves, painters, cr);
    if (k == 100)
      before = resident_MB();
  }
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  return resident_MB() - before;
}

static void judge(AuiCurves *curves, AuiPainter *const painters[3]) {
  static const guint64 until[] = {10000, 1000000};
  GRand *random = g_rand_new_with_seed(1);
  guint64 from = 0;
  double median[2], p99[2], spent = 0.0;
  for (guint k = 0; k < 2; k++) {
    spent += feed(curves, from, until[k], random);
    median[k] = measure(curves, painters, &p99[k]);
    from = until[k];
  }
  g_rand_free(random);
  show("5.2", "three plots after 1e6 samples, CPU of a frame, half of them [ms]", median[1], "< 25",
       median[1] < 25.0);
  show("5.2", "a frame after 1e6 samples over one after 1e4", median[1] / median[0], "<= 1.2",
       median[1] <= 1.2 * median[0]);
  const double sample_us = 1e3 * spent / (double)from;
  show("5.2", "CPU of a sample [us]", sample_us, "< 5", sample_us < 5.0);
  const double grown = redraw(curves, painters);
  show("5.3", "10,000 redraws, memory growth [MB]", grown, "< 1", grown < 1.0);
}

int main(int argc, char **argv) {
  wanted = argc > 1 ? argv[1] : NULL;
  GError *error = NULL;
  char *folder = g_dir_make_tmp("bench-plot-XXXXXX", NULL), *arm_text;
  char *path = g_build_filename(folder, "bench.armsession", NULL);
  if (!g_file_get_contents(test_source_path("data/robots/puma560.arm.json"), &arm_text, NULL, NULL))
    return 1;
  AseSession *session = ase_session_create(path, "bench", "puma560", arm_text, &error);
  AuiPainter *painters[3];
  for (guint k = 0; k < 3; k++)
    painters[k] = session ? aui_painter_new(&error) : NULL;
  if (!painters[2]) {
    g_printerr("%s\n", error->message);
    return 1;
  }
  AuiCurves curves;
  aui_curves_init(&curves, session);
  aui_curves_leg(
      &curves,
      &(AseLeg){
          .purpose = ASE_PURPOSE_MEASURE, .sweeps = true, .joint = 1, .hold = 1, .speed_R = 2.0});
  judge(&curves, painters);
  for (guint k = 0; k < 3; k++)
    aui_painter_free(painters[k]);
  aui_curves_clear(&curves);
  g_object_unref(session);
  g_unlink(path);
  g_rmdir(folder);
  g_free(arm_text);
  g_free(path);
  g_free(folder);
  return failures ? 1 : 0;
}
