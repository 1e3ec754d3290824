/* SPDX-License-Identifier: MIT */
/* What is drawn is where it must be, in its colour; nothing is left behind; files are whole. */
#include <glib/gstdio.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ui/plot/figure_file.h"

enum { WIDTH = 600, HEIGHT = 400 };

static const AuiView view = {{0.0, 10.0}, {-1.0, 1.0}};
/* with a legend that fits beside the title */
static const AuiFrame frame = {AUI_MARGIN_LEFT, WIDTH - AUI_MARGIN_RIGHT, AUI_MARGIN_TOP,
                               HEIGHT - AUI_MARGIN_BOTTOM};

static AuiPainter *new_painter(void) {
  GError *error = NULL;
  AuiPainter *painter = aui_painter_new(&error);
  g_assert_no_error(error);
  return painter;
}

/* A horizontal line at 0.5, a dashed one at -0.5, a band around 0; a gap from 4 to 6. */
static AuiFigure *new_figure(void) {
  AuiFigure *figure = aui_figure_new("C# \xff title", "position", "deg", "current #1", "A");
  const struct {
    AuiInk ink;
    AuiStroke stroke;
    double y;
  } lines[] = {{AUI_INK_BLUE, AUI_STROKE_SOLID, 0.5},
               {AUI_INK_ORANGE, AUI_STROKE_DASH, -0.5},
               {AUI_INK_GREEN, AUI_STROKE_BAND, -0.1}};
  for (guint s = 0; s < G_N_ELEMENTS(lines); s++) {
    AuiSeries *series = aui_figure_add(figure, "measured", lines[s].ink, lines[s].stroke, 101);
    series->width = 3.0;
    for (guint k = 0; k < series->n; k++) {
      series->x[k] = 0.1 * k;
      series->y[k] = s == 0 && k > 40 && k < 60 ? (double)NAN : lines[s].y;
      if (series->top)
        series->top[k] = 0.1;
    }
  }
  return figure;
}

static AuiTheme theme_of(bool is_dark) {
  return (AuiTheme){is_dark, aui_ink_colour(AUI_INK_FOREGROUND, is_dark)};
}

static cairo_surface_t *draw(AuiPainter *painter, const AuiFigure *figure, bool is_dark, int width,
                             int height) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  cairo_t *cr = cairo_create(surface);
  const double ground = is_dark ? 0x1e / 255.0 : 1.0;
  cairo_set_source_rgb(cr, ground, ground, ground);
  cairo_paint(cr);
  const AuiTheme theme = theme_of(is_dark);
  aui_painter_draw(painter, cr, width, height, figure, &view, &theme);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  return surface;
}

static bool is_near(const cairo_surface_t *surface, int x, int y, AuiColour colour) {
  cairo_surface_t *s = (cairo_surface_t *)surface;
  const unsigned char *row =
      cairo_image_surface_get_data(s) + (gsize)y * (gsize)cairo_image_surface_get_stride(s);
  const unsigned char *p = row + 4 * x;
  return fabs(p[2] - 255 * colour.red) < 30 && fabs(p[1] - 255 * colour.green) < 30 &&
         fabs(p[0] - 255 * colour.blue) < 30;
}

/* Pixels of this colour within `reach` of a point of the axes. */
static int count_near(const cairo_surface_t *surface, double x, double y, int reach,
                      AuiColour colour) {
  double px, py;
  int count = 0;
  aui_view_pixel(&view, &frame, x, y, &px, &py);
  for (int dx = -reach; dx <= reach; dx++)
    for (int dy = -reach; dy <= reach; dy++)
      count += is_near(surface, (int)px + dx, (int)py + dy, colour);
  return count;
}

static void check_picture(const cairo_surface_t *surface, bool is_dark) {
  const AuiColour blue = aui_ink_colour(AUI_INK_BLUE, is_dark);
  const AuiColour orange = aui_ink_colour(AUI_INK_ORANGE, is_dark);
  int dashes = 0;
  for (int k = 1; k <= 7; k++) {
    const double x = 0.5 * k;
    g_assert_cmpint(count_near(surface, x, 0.5, 2, blue), >, 5);
    g_assert_cmpint(count_near(surface, x, 0.25, 2, blue), ==, 0);
  }
  g_assert_cmpint(count_near(surface, 5.0, 0.5, 2, blue), ==, 0); /* the gap */
  for (int k = 25; k < 475; k++)
    dashes += count_near(surface, 0.02 * k, -0.5, 1, orange) > 0;
  g_assert_cmpint(dashes, >, 100);
  g_assert_cmpint(dashes, <, 440); /* there are gaps: the second cue beside colour */
}

static void shoot(cairo_surface_t *surface, const char *name) {
  const char *folder = g_getenv("ARMATURE_SHOTS");
  if (!folder)
    return;
  char *path = g_strdup_printf("%s/%s.png", folder, name);
  cairo_surface_write_to_png(surface, path);
  g_free(path);
}

static void test_drawn(void) {
  AuiPainter *painter = new_painter();
  AuiFigure *figure = new_figure();
  for (int is_dark = 0; is_dark < 2; is_dark++) {
    cairo_surface_t *surface = draw(painter, figure, is_dark, WIDTH, HEIGHT);
    shoot(surface, is_dark ? "painter-1" : "painter-0");
    check_picture(surface, is_dark);
    cairo_surface_destroy(surface);
  }
  aui_figure_free(figure);
  aui_painter_free(painter);
}

/* Pixels of this ink above the axes. */
static int count_keys(const cairo_surface_t *surface, const AuiFrame *at, AuiInk ink) {
  int count = 0;
  for (int x = 0; x < WIDTH; x++)
    for (int y = 0; y < (int)at->top - 2; y++)
      count += is_near(surface, x, y, aui_ink_colour(ink, false));
  return count;
}

/* A legend that does not fit beside the title goes on below it, and the axes make room; where a
 * picture is too low for that, the first keys are those that stay. */
static void test_legend(void) {
  AuiPainter *painter = new_painter();
  AuiFigure *figure = new_figure();
  for (guint s = 0; s < figure->series->len; s++) {
    AuiSeries *series = figure->series->pdata[s];
    series->stroke = AUI_STROKE_SOLID;
    g_free(series->label);
    series->label = g_strdup("a name that takes more than half of the width of this picture");
  }
  const AuiFrame whole = aui_frame_of(figure, WIDTH, HEIGHT);
  const AuiFrame low = aui_frame_of(figure, WIDTH, AUI_PLOT_LEAST_HEIGHT);
  cairo_surface_t *surface = draw(painter, figure, false, WIDTH, HEIGHT);
  cairo_surface_t *lower = draw(painter, figure, false, WIDTH, AUI_PLOT_LEAST_HEIGHT);
  shoot(surface, "legend");
  shoot(lower, "legend-low");
  g_assert_cmpfloat(whole.top, >, AUI_MARGIN_TOP);
  g_assert_cmpint(count_keys(surface, &whole, AUI_INK_BLUE), >, 20);
  g_assert_cmpint(count_keys(surface, &whole, AUI_INK_GREEN), >, 20);
  g_assert_cmpfloat(low.bottom - low.top, >=, 30.0);
  g_assert_cmpint(count_keys(lower, &low, AUI_INK_BLUE), >, 20);
  cairo_surface_destroy(surface);
  cairo_surface_destroy(lower);
  aui_figure_free(figure);
  aui_painter_free(painter);
}

/* Nothing of it may stop the program or hang: too small, empty, not numbers, no width at all. */
static void test_extremes(void) {
  AuiPainter *painter = new_painter();
  AuiFigure *figure = new_figure();
  cairo_surface_destroy(draw(painter, figure, false, 1, 1));
  cairo_surface_destroy(draw(painter, figure, false, AUI_PLOT_LEAST_WIDTH, AUI_PLOT_LEAST_HEIGHT));
  AuiSeries *wild = aui_figure_add(figure, NULL, AUI_INK_GREY, AUI_STROKE_POINTS, 4);
  const double values[] = {NAN, INFINITY, 1e308, -1e308};
  memcpy(wild->y, values, sizeof values);
  cairo_surface_destroy(draw(painter, figure, false, WIDTH, HEIGHT));
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create(surface);
  const AuiView point = {{1.0, 1.0}, {1e6, 1e6}};
  const AuiTheme theme = theme_of(false);
  aui_painter_draw(painter, cr, WIDTH, HEIGHT, figure, &point, &theme);
  cairo_destroy(cr);
  cairo_surface_destroy(surface);
  aui_figure_free(figure);
  figure = aui_figure_new("", "", "", "", "");
  figure->empty = g_strdup("Connect first");
  cairo_surface_destroy(draw(painter, figure, false, WIDTH, HEIGHT));
  aui_figure_free(figure);
  aui_painter_free(painter);
}

static glong resident_kB(void) {
  char *text = NULL;
  glong pages = 0;
  g_assert_true(g_file_get_contents("/proc/self/statm", &text, NULL, NULL));
  char **fields = g_strsplit(text, " ", 3);
  pages = (glong)g_ascii_strtoll(fields[1], NULL, 10);
  g_strfreev(fields);
  g_free(text);
  return pages * sysconf(_SC_PAGESIZE) / 1024;
}

static void test_memory(void) {
  AuiPainter *painter = new_painter();
  AuiFigure *figure = new_figure();
  glong before = 0;
  for (int k = 0; k < 1100; k++) {
    if (k == 100)
      before = resident_kB();
    cairo_surface_destroy(draw(painter, figure, k % 2, WIDTH + (k / 20) % 7, HEIGHT));
  }
  const glong grown = resident_kB() - before;
  g_test_message("1000 redraws: %ld kB", grown);
#ifndef __SANITIZE_ADDRESS__ /* it keeps what is freed for a while */
  g_assert_cmpint(grown, <, 2000);
#endif
  aui_figure_free(figure);
  aui_painter_free(painter);
  for (int k = 0; k < 300; k++) /* streams are given back */
    aui_painter_free(new_painter());
}

/* WCAG 2.1, relative luminance */
static double luminance(AuiColour c) {
  const double linear[3] = {c.red, c.green, c.blue}, weight[3] = {0.2126, 0.7152, 0.0722};
  double sum = 0.0;
  for (int k = 0; k < 3; k++)
    sum += weight[k] *
           (linear[k] <= 0.03928 ? linear[k] / 12.92 : pow((linear[k] + 0.055) / 1.055, 2.4));
  return sum;
}

static double contrast(AuiColour a, AuiColour b) {
  const double la = luminance(a), lb = luminance(b);
  return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

static AuiColour grey(int level) {
  return (AuiColour){level / 255.0, level / 255.0, level / 255.0};
}

static void test_contrast(void) {
  const int ground[2][2] = {{0xff, 0xfa}, {0x1e, 0x24}};
  for (int is_dark = 0; is_dark < 2; is_dark++)
    for (int ink = 0; ink < AUI_INKS; ink++)
      for (int k = 0; k < 2; k++) {
        const double c = contrast(aui_ink_colour((AuiInk)ink, is_dark), grey(ground[is_dark][k]));
        g_test_message("ink %d on %02x: %.2f", ink, ground[is_dark][k], c);
        g_assert_cmpfloat(c, >=, 4.5);
      }
}

static void test_view(void) {
  double px, py, x, y;
  aui_view_pixel(&view, &frame, 2.5, -0.25, &px, &py);
  g_assert_true(aui_view_at(&view, &frame, px, py, &x, &y));
  g_assert_cmpfloat_with_epsilon(x, 2.5, 1e-9);
  g_assert_cmpfloat_with_epsilon(y, -0.25, 1e-9);
  g_assert_false(aui_view_at(&view, &frame, 5.0, 5.0, &x, &y));
}

static char *read_file(const char *path, gsize *length) {
  char *bytes = NULL;
  g_assert_true(g_file_get_contents(path, &bytes, length, NULL));
  g_unlink(path);
  return bytes;
}

static void test_files(void) {
  static const char *const ends[AUI_FILES][2] = {{"<?xml", "</svg>\n"},
                                                 {"\x89PNG\r\n", "IEND\xae\x42\x60\x82"},
                                                 {"%PDF-1.", "%%EOF\n"},
                                                 {"\"C# \xff title\",", "10,-0.1,0.1\n"}};
  g_autofree char *folder = g_dir_make_tmp("painter-XXXXXX", NULL);
  AuiFigure *figure = new_figure();
  GError *error = NULL;
  for (AuiFileKind kind = AUI_FILE_SVG; kind < AUI_FILES; kind++) {
    g_autofree char *path = g_strdup_printf("%s/plot%s", folder, aui_file_ending(kind));
    gsize length;
    g_assert_true(aui_figure_write(figure, kind, &view, path, WIDTH, HEIGHT, &error));
    g_assert_no_error(error);
    g_autofree char *bytes = read_file(path, &length);
    g_assert_cmpuint(length, >, 2000);
    g_assert_true(g_str_has_prefix(bytes, ends[kind][0]));
    const gsize tail = strlen(ends[kind][1]);
    g_assert_cmpmem(bytes + length - tail, tail, ends[kind][1], tail);
    g_assert_true(kind != AUI_FILE_SVG || !strstr(bytes, "<image")); /* vectors */
  }
  aui_figure_free(figure);
  g_rmdir(folder);
}

/* No folder; larger than cairo draws: said, and what was there before stays. */
static void test_file_errors(void) {
  g_autofree char *folder = g_dir_make_tmp("painter-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(folder, "plot.png", NULL);
  g_autofree char *lost = g_build_filename(folder, "no", "plot.svg", NULL);
  AuiFigure *figure = new_figure();
  GError *error = NULL;
  gsize length;
  g_assert_false(aui_figure_write(figure, AUI_FILE_SVG, NULL, lost, WIDTH, HEIGHT, &error));
  g_assert_nonnull(strstr(error->message, lost));
  g_clear_error(&error);
  g_assert_true(g_file_set_contents(path, "old", -1, NULL));
  g_assert_false(aui_figure_write(figure, AUI_FILE_PNG, NULL, path, 40000, HEIGHT, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_nonnull(strstr(error->message, "invalid value"));
  g_clear_error(&error);
  g_autofree char *old = read_file(path, &length);
  g_assert_cmpstr(old, ==, "old");
  aui_figure_free(figure);
  g_rmdir(folder);
}

static void test_file_name(void) {
  AuiFigure *figure = aui_figure_new("Gelenk 3, Übergang: +/\xe2\x88\x92 50", "", "", "", "");
  g_autofree char *name = aui_figure_file_name(figure, AUI_FILE_PDF);
  g_assert_cmpstr(name, ==, "gelenk-3-übergang-50.pdf");
  aui_figure_free(figure);
  figure = aui_figure_new("", "", "", "", "");
  g_autofree char *plain = aui_figure_file_name(figure, AUI_FILE_CSV);
  g_assert_cmpstr(plain, ==, "plot.csv");
  aui_figure_free(figure);
}

/* On a page of somebody else: in its rectangle, turned into the page's units, nothing outside. */
static void test_paint(void) {
  AuiFigure *figure = new_figure();
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 2 * WIDTH, HEIGHT);
  cairo_t *cr = cairo_create(surface);
  GError *error = NULL;
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_paint(cr);
  cairo_translate(cr, WIDTH, 0.0);
  g_assert_true(aui_painter_paint(figure, &view, cr, WIDTH, HEIGHT, &error));
  g_assert_cmpint(cairo_status(cr), ==, CAIRO_STATUS_SUCCESS);
  cairo_set_source_rgb(cr, 1.0, 0.0, 1.0); /* and it can be drawn on */
  cairo_rectangle(cr, -20.0, 10.0, 10.0, 10.0);
  cairo_fill(cr);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  g_assert_true(is_near(surface, WIDTH - 15, 15, (AuiColour){1.0, 0.0, 1.0}));
  for (int x = 0; x < WIDTH - 20; x++)
    for (int y = 0; y < HEIGHT; y++)
      g_assert_true(is_near(surface, x, y, grey(255)));
  double px, py;
  aui_view_pixel(&view, &frame, 2.0, 0.5, &px, &py);
  g_assert_true(is_near(surface, WIDTH + (int)px, (int)py, aui_ink_colour(AUI_INK_BLUE, false)));
  cairo_surface_destroy(surface);
  aui_figure_free(figure);
}

/* The name of the axis stands clear of numbers as wide as -0.25. */
/* Dark pixels of the row between two columns. */
static int count_dark(const cairo_surface_t *surface, int y, int x0, int x1) {
  int count = 0;
  for (int x = x0; x < x1; x++)
    count += !is_near(surface, x, y, (AuiColour){1.0, 1.0, 1.0});
  return count;
}

/* What to do first is longer than its plot is wide: it stays within, in any language. */
static void test_empty(void) {
  static const char *const texts[] = {
      "no sweep of this joint yet: arm it, let it do a dry run, "
      "and then let it sweep; that takes a "
      "few minutes, and afterwards its current is shown here",
      "この関節のスイープはまだありません: "
      "動作許可、試運転、スイープの順に行ってください、この関節の"
      "スイープはまだありません",
      "onewordthatisfartoolongforanyplotandhasnoplacewherealinemayendonewordthatistoolong"};
  enum { NARROW = 320 };
  AuiPainter *painter = new_painter();
  for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
    AuiFigure *figure = aui_figure_new("", "position", "deg", "current", "A");
    cairo_surface_t *bare = draw(painter, figure, false, NARROW, HEIGHT);
    figure->empty = g_strdup(texts[k]);
    cairo_surface_t *told = draw(painter, figure, false, NARROW, HEIGHT);
    int rows = 0;
    for (int y = AUI_MARGIN_TOP; y < HEIGHT - AUI_MARGIN_BOTTOM; y++) {
      const int right = NARROW - AUI_MARGIN_RIGHT;
      g_assert_cmpint(count_dark(told, y, 0, AUI_MARGIN_LEFT), ==,
                      count_dark(bare, y, 0, AUI_MARGIN_LEFT));
      g_assert_cmpint(count_dark(told, y, right + 1, NARROW), ==,
                      count_dark(bare, y, right + 1, NARROW));
      rows += count_dark(told, y, AUI_MARGIN_LEFT, right) !=
              count_dark(bare, y, AUI_MARGIN_LEFT, right);
    }
    g_assert_cmpint(rows, >, 15); /* more than one line */
    cairo_surface_destroy(bare);
    cairo_surface_destroy(told);
    aui_figure_free(figure);
  }
  aui_painter_free(painter);
}

static void test_axis_name(void) {
  const AuiView narrow = {{0.0, 10.0}, {-0.30, -0.15}};
  const AuiTheme theme = theme_of(false);
  AuiPainter *painter = new_painter();
  AuiFigure *figure = new_figure();
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create(surface);
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_paint(cr);
  aui_painter_draw(painter, cr, WIDTH, HEIGHT, figure, &narrow, &theme);
  cairo_destroy(cr);
  cairo_surface_flush(surface);
  int first = -1, free = 0, widest = 0;
  for (int x = 0; x < AUI_MARGIN_LEFT / 2; x++) {
    bool is_white = true;
    for (int y = AUI_MARGIN_TOP; y < HEIGHT - AUI_MARGIN_BOTTOM; y++)
      is_white = is_white && is_near(surface, x, y, (AuiColour){1.0, 1.0, 1.0});
    first = first < 0 && !is_white ? x : first;
    free = is_white && first >= 0 ? free + 1 : 0;
    widest = free > widest ? free : widest;
  }
  g_assert_cmpint(first, >=, 0);
  g_assert_cmpint(widest, >=, 3);
  cairo_surface_destroy(surface);
  aui_figure_free(figure);
  aui_painter_free(painter);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/painter/drawn", test_drawn);
  g_test_add_func("/painter/legend", test_legend);
  g_test_add_func("/painter/extremes", test_extremes);
  g_test_add_func("/painter/axis-name", test_axis_name);
  g_test_add_func("/painter/empty", test_empty);
  g_test_add_func("/painter/memory", test_memory);
  g_test_add_func("/painter/contrast", test_contrast);
  g_test_add_func("/painter/view", test_view);
  g_test_add_func("/painter/files", test_files);
  g_test_add_func("/painter/file-errors", test_file_errors);
  g_test_add_func("/painter/file-name", test_file_name);
  g_test_add_func("/painter/paint", test_paint);
  return g_test_run();
}
