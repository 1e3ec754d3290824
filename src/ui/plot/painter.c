/* SPDX-License-Identifier: MIT */
/* PLplot for axes and lines, pango for text and legend, since PLplot neither tells the width of a
 * text nor finds glyphs in other fonts. A stream is made per painter and never left set: its state
 * is global. */
#include "ui/plot/painter.h"

#include <glib/gi18n.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <plplot.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "ui/plot/plot_data.h"

enum { STREAMS = 99 }; /* of PLplot's 100 the first is special */
enum { COLOUR_INK = 1, COLOUR_BAND = 7, COLOUR_GRID = 14, COLOUR_TEXT = 15 };
#define TEXT_PX    11.0
#define MM_PER_PX  (25.4 / 96.0)
#define MARK_PX    7.0
#define MARK_INSET 0.02 /* of what is shown: a mark on its edge is seen as a whole */
#define BAND_ALPHA 0.22
#define GRID_ALPHA 0.16
#define KEY_PX     22.0 /* the piece of a line in the legend */
#define KEY_GAP    5.0  /* between it and its name */
#define GAP_PX     12.0 /* between two keys, and after the title */
#define ROW_PX     16.0
#define LEAST_PX   30.0 /* that a legend leaves of the axes' height */

struct AuiPainter {
  int stream;
  int width, height; /* 0: PLplot is not initialised for it */
};

static bool used[STREAMS + 1];

/* ---- colours ---- */

/* Okabe and Ito's hues, darkened for light and lightened for dark backgrounds. */
AuiColour aui_ink_colour(AuiInk ink, bool is_dark) {
  static const guint32 colours[2][AUI_INKS] = {
      {0x2e3436, 0x0060a8, 0xa85100, 0x00734f, 0x98407c, 0x696969},
      {0xeeeeee, 0x56b4e9, 0xf0a030, 0x2fc79a, 0xe39ac8, 0x9c9c9c}};
  const guint32 rgb = colours[is_dark][ink];
  return (AuiColour){(rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0};
}

static void set_colour(int index, AuiColour c, double alpha) {
  plscol0a(index, (PLINT)lround(255 * c.red), (PLINT)lround(255 * c.green),
           (PLINT)lround(255 * c.blue), alpha);
}

static void set_colours(const AuiTheme *theme) {
  for (int ink = 0; ink < AUI_INKS; ink++) {
    const AuiColour colour = aui_ink_colour((AuiInk)ink, theme->is_dark);
    set_colour(COLOUR_INK + ink, colour, 1.0);
    set_colour(COLOUR_BAND + ink, colour, BAND_ALPHA);
  }
  set_colour(COLOUR_GRID, theme->foreground, GRID_ALPHA);
  set_colour(COLOUR_TEXT, theme->foreground, 1.0);
}

/* ---- streams ---- */

/* Without the driver plinit asks on the terminal which one to take. */
static bool has_driver(void) {
  enum { ROOM = 64 };
  const char *menu[ROOM], *names[ROOM];
  const char **menus = menu, **all = names;
  int n = ROOM;
  plgDevs(&menus, &all, &n);
  for (int k = 0; k < n; k++)
    if (strcmp(names[k], "extcairo") == 0)
      return true;
  return false;
}

AuiPainter *aui_painter_new(GError **error) {
  if (!has_driver()) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND,
                _("plots need PLplot's cairo driver, which is not installed; "
                  "install the package plplot-driver-cairo"));
    return NULL;
  }
  for (int stream = 1; stream <= STREAMS; stream++)
    if (!used[stream]) {
      used[stream] = true;
      AuiPainter *painter = g_new0(AuiPainter, 1);
      painter->stream = stream;
      return painter;
    }
  g_set_error(error, AIO_ERROR, AIO_ERROR_REFUSED, _("more than %d plots at a time; close some"),
              STREAMS);
  return NULL;
}

static void end_stream(AuiPainter *painter) {
  plsstrm(painter->stream);
  if (painter->width)
    plend1(); /* goes back to stream 0 */
  painter->width = painter->height = 0;
}

void aui_painter_free(AuiPainter *painter) {
  if (!painter)
    return;
  end_stream(painter);
  used[painter->stream] = false;
  g_free(painter);
}

static void begin_stream(AuiPainter *painter, int width, int height) {
  plsstrm(painter->stream);
  if (painter->width == width && painter->height == height)
    return;
  end_stream(painter);
  plsstrm(painter->stream);
  /* 4: CAIRO_ANTIALIAS_FAST, 3.4 times as fast as the default and no difference to be seen;
   * plinit uses the option up */
  plsetopt("drvopt", "graphics_anti_aliasing=4,text_anti_aliasing=2");
  plsdev("extcairo");
  plspage(0, 0, width, height, 0, 0);
  plinit();
  painter->width = width;
  painter->height = height;
}

/* ---- text ---- */

/* PLplot's escape character is doubled; text that is not UTF-8 would abort the plot. g_free. */
static char *escape(const char *text) {
  g_autofree char *valid = aio_text_visible(text, true);
  g_auto(GStrv) parts = g_strsplit(valid, "#", -1);
  return g_strjoinv("##", parts);
}

static void put_text(const char *side, double lines, double at, double justify, const char *text) {
  g_autofree char *escaped = escape(text);
  plmtex(side, lines, at, justify, escaped);
}

/* ---- series ---- */

static bool is_number(const AuiSeries *s, guint k) {
  return isfinite(s->x[k]) && isfinite(s->y[k]) && (!s->top || isfinite(s->top[k]));
}

/* Cairo's dashes: PLplot draws each of its own as a line by itself. */
static void set_pen(cairo_t *cr, const AuiSeries *series) {
  static const double dash[] = {7.0, 4.0}, dot[] = {3.0, 2.5};
  const bool is_dash = series->stroke == AUI_STROKE_DASH, is_dot = series->stroke == AUI_STROKE_DOT;
  plcol0(COLOUR_INK + (int)series->ink);
  plwidth(series->width);
  cairo_set_dash(cr, is_dash ? dash : dot, is_dash || is_dot ? 2 : 0, 0.0);
}

static void draw_band(const AuiSeries *s, guint first, guint n) {
  g_autofree double *x = g_new(double, 2 * n), *y = g_new(double, 2 * n);
  for (guint k = 0; k < n; k++) {
    x[k] = x[2 * n - 1 - k] = s->x[first + k];
    y[k] = s->y[first + k];
    y[2 * n - 1 - k] = s->top[first + k];
  }
  plcol0(COLOUR_BAND + (int)s->ink);
  plfill((PLINT)(2 * n), x, y);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
}

static void draw_marks(const AuiSeries *s, guint first, guint n) {
  enum { CROSS = 5 };
  double left, right, low, high;
  g_autofree double *y = g_new(double, n);
  plgvpw(&left, &right, &low, &high);
  const double inset = MARK_INSET * (high - low);
  for (guint k = 0; k < n; k++)
    y[k] = CLAMP(s->y[first + k], low + inset, high - inset);
  plssym(MARK_PX * MM_PER_PX, 1.0);
  plpoin((PLINT)n, s->x + first, y, CROSS);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autofree */
}

static void draw_part(const AuiSeries *s, guint first, guint n) {
  if (s->stroke == AUI_STROKE_BAND) {
    if (n > 1)
      draw_band(s, first, n);
  } else if (s->stroke == AUI_STROKE_POINTS) {
    plpoin((PLINT)n, s->x + first, s->y + first, -1);
  } else if (s->stroke == AUI_STROKE_MARKS) {
    draw_marks(s, first, n);
  } else if (n > 1) {
    plline((PLINT)n, s->x + first, s->y + first);
  }
}

static void draw_series(cairo_t *cr, const AuiSeries *s) {
  set_pen(cr, s);
  for (guint k = 0; k < s->n;) {
    guint end = k;
    while (end < s->n && is_number(s, end))
      end++;
    if (end > k)
      draw_part(s, k, end - k);
    k = end + 1;
  }
  cairo_set_dash(cr, NULL, 0, 0.0);
  plwidth(1.0);
}

/* ---- where things are ---- */

typedef struct {
  const AuiSeries *series;
  double width; /* with the gap after it */
  int row;      /* 0: the title's */
} Key;

/* PLplot does not tell, but it has pango draw, as here: what a font lacks comes from another one,
 * which the text functions of cairo do not look for. Text that is not UTF-8 is made visible. */
static PangoLayout *layout_new(cairo_t *cr, const char *text) {
  g_autofree char *valid = aio_text_visible(text, true);
  PangoLayout *layout = pango_cairo_create_layout(cr);
  g_autoptr(PangoFontDescription) font = pango_font_description_from_string("sans-serif");
  pango_font_description_set_absolute_size(font, TEXT_PX * PANGO_SCALE);
  pango_layout_set_font_description(layout, font);
  pango_layout_set_text(layout, valid, -1);
  return layout;
}

static double text_width(cairo_t *cr, const char *text) {
  g_autoptr(PangoLayout) layout = layout_new(cr, text);
  int width;
  pango_layout_get_size(layout, &width, NULL);
  return (double)width / PANGO_SCALE;
}

static cairo_t *measure_new(void) {
  cairo_surface_t *surface = cairo_recording_surface_create(CAIRO_CONTENT_ALPHA, NULL);
  cairo_t *cr = cairo_create(surface);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF); /* as PLplot has it */
  cairo_set_font_options(cr, options);
  cairo_font_options_destroy(options);
  cairo_surface_destroy(surface);
  return cr;
}

/* In the row of the title what there is room for, the rest below; what a low picture has no room
 * for is left out: the last ones, of which the figure can spare most. g_array_unref. */
static GArray *lay_out_legend(const AuiFigure *figure, int width, int height) {
  GArray *keys = g_array_new(FALSE, FALSE, sizeof(Key));
  cairo_t *cr = measure_new();
  const double whole = width - AUI_MARGIN_LEFT - AUI_MARGIN_RIGHT + GAP_PX;
  const int rows = (int)((height - AUI_MARGIN_TOP - AUI_MARGIN_BOTTOM - LEAST_PX) / ROW_PX);
  double room = whole - text_width(cr, figure->title) - GAP_PX;
  int row = 0;
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    if (!series->label || series->is_unlisted)
      continue;
    const double needed = KEY_PX + KEY_GAP + text_width(cr, series->label) + GAP_PX;
    if (needed > room)
      row++, room = whole;
    if (row > rows)
      break;
    room -= needed;
    g_array_append_val(keys, ((Key){series, needed, row}));
  }
  cairo_destroy(cr);
  return keys;
}

static AuiFrame frame_around(const GArray *keys, int width, int height) {
  const int row = keys->len ? g_array_index(keys, Key, keys->len - 1).row : 0;
  return (AuiFrame){AUI_MARGIN_LEFT, width - AUI_MARGIN_RIGHT, AUI_MARGIN_TOP + ROW_PX * row,
                    height - AUI_MARGIN_BOTTOM};
}

AuiFrame aui_frame_of(const AuiFigure *figure, int width, int height) {
  g_autoptr(GArray) keys = lay_out_legend(figure, width, height);
  return frame_around(keys, width, height);
}

/* ---- frame and legend ---- */

static void draw_axes(const AuiFigure *figure) {
  plcol0(COLOUR_GRID);
  plbox("gt", 0.0, 0, "gt", 0.0, 0);
  plcol0(COLOUR_TEXT);
  plbox("bcnst", 0.0, 0, "bcnstv", 0.0, 0);
  g_autofree char *x = aui_axis_label(&figure->x), *y = aui_axis_label(&figure->y);
  put_text("b", 3.0, 0.5, 0.5, x);
  put_text("l", 6.5, 0.5, 0.5, y);
}

/* The whole page, in pixels from the lower left. */
static void use_pixels(int width, int height) {
  plvpor(0.0, 1.0, 0.0, 1.0);
  plwind(0.0, width, 0.0, height);
}

static void put_label(double x, double y, double justify, const char *text) {
  g_autofree char *escaped = escape(text);
  plcol0(COLOUR_TEXT);
  plptex(x, y, 1.0, 0.0, justify, escaped);
}

/* In the middle of the frame, on as many lines as it takes. */
static void put_empty(const AuiFrame *frame, int height, const char *text) {
  const double middle = height - 0.5 * (frame->top + frame->bottom);
  cairo_t *cr = measure_new();
  g_autoptr(PangoLayout) layout = layout_new(cr, text);
  pango_layout_set_width(layout, (int)(PANGO_SCALE * (frame->right - frame->left - GAP_PX)));
  pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  const int n = pango_layout_get_line_count(layout);
  for (int k = 0; k < n; k++) {
    const PangoLayoutLine *at = pango_layout_get_line_readonly(layout, k);
    g_autofree char *line =
        g_strndup(pango_layout_get_text(layout) + at->start_index, (gsize)at->length);
    put_label(0.5 * (frame->left + frame->right), middle + ROW_PX * (0.5 * (n - 1) - k), 0.5,
              g_strchomp(line));
  }
  cairo_destroy(cr);
}

static void draw_key(cairo_t *cr, const AuiSeries *series, double x, double y) {
  double xs[2] = {x, x + KEY_PX}, ys[2] = {y, y}, top[2] = {y + 4.0, y + 4.0};
  AuiSeries key = *series;
  key.n = 2;
  key.x = xs;
  key.y = ys;
  if (series->stroke == AUI_STROKE_BAND) {
    ys[0] = ys[1] = y - 4.0;
    key.top = top;
  }
  draw_series(cr, &key);
}

/* From left to right, each row up to the right edge. */
static void draw_legend(cairo_t *cr, const GArray *keys, int width, int height) {
  const Key *key = (const Key *)(gpointer)keys->data;
  for (guint first = 0; first < keys->len;) {
    double x = width - AUI_MARGIN_RIGHT + GAP_PX;
    guint end = first;
    for (; end < keys->len && key[end].row == key[first].row; end++)
      x -= key[end].width;
    for (; first < end; x += key[first++].width) {
      const double y = height - 0.5 * AUI_MARGIN_TOP - ROW_PX * key[first].row;
      draw_key(cr, key[first].series, x, y);
      put_label(x + key[first].width - GAP_PX, y, 1.0, key[first].series->label);
    }
  }
}

/* ---- the picture ---- */

static void draw_data(cairo_t *cr, const AuiFigure *figure, const AuiFrame *frame, int width,
                      int height, const AuiView *view) {
  double x[2] = {view->x[0], view->x[1]}, y[2] = {view->y[0], view->y[1]};
  aui_range_make_drawable(&x[0], &x[1]); /* plbox never returns from a range of 1e-16 */
  aui_range_make_drawable(&y[0], &y[1]);
  plvpor(frame->left / width, frame->right / width, 1.0 - frame->bottom / height,
         1.0 - frame->top / height);
  plwind(x[0], x[1], y[0], y[1]);
  draw_axes(figure);
  for (guint s = 0; s < figure->series->len; s++)
    draw_series(cr, figure->series->pdata[s]);
}

void aui_painter_draw(AuiPainter *painter, cairo_t *cr, int width, int height,
                      const AuiFigure *figure, const AuiView *view, const AuiTheme *theme) {
  if (width < AUI_PLOT_LEAST_WIDTH || height < AUI_PLOT_LEAST_HEIGHT)
    return;
  cairo_save(cr);
  begin_stream(painter, width, height);
  pl_cmd(PLESC_DEVINIT, cr); /* keeps the pointer: nothing may be drawn after this function */
  plbop();
  pladv(1);
  set_colours(theme);
  plschr(TEXT_PX * MM_PER_PX, 1.0);
  plsmaj(0.0, 0.5);
  plsmin(0.0, 0.5);
  double x[2], y[2];
  const bool has_data = aui_figure_bounds(figure, x, y);
  g_autoptr(GArray) keys = lay_out_legend(figure, width, height);
  const AuiFrame frame = frame_around(keys, width, height);
  draw_data(cr, figure, &frame, width, height, view);
  use_pixels(width, height);
  put_label(AUI_MARGIN_LEFT, height - 0.5 * AUI_MARGIN_TOP, 0.0, figure->title);
  draw_legend(cr, keys, width, height);
  if (!has_data && figure->empty)
    put_empty(&frame, height, figure->empty);
  cairo_restore(cr);
}

bool aui_view_at(const AuiView *view, const AuiFrame *frame, double px, double py, double *x,
                 double *y) {
  const double fx = (px - frame->left) / (frame->right - frame->left);
  const double fy = (frame->bottom - py) / (frame->bottom - frame->top);
  *x = view->x[0] + fx * (view->x[1] - view->x[0]);
  *y = view->y[0] + fy * (view->y[1] - view->y[0]);
  return fx >= 0.0 && fx <= 1.0 && fy >= 0.0 && fy <= 1.0;
}

void aui_view_pixel(const AuiView *view, const AuiFrame *frame, double x, double y, double *px,
                    double *py) {
  const double fx = (x - view->x[0]) / (view->x[1] - view->x[0]);
  const double fy = (y - view->y[0]) / (view->y[1] - view->y[0]);
  *px = frame->left + fx * (frame->right - frame->left);
  *py = frame->bottom - fy * (frame->bottom - frame->top);
}

/* ---- elsewhere than on the screen ---- */

static AuiView view_of(const AuiFigure *figure) {
  AuiRange x = {0}, y = {0};
  AuiView view = {{0.0, 1.0}, {0.0, 1.0}};
  double bx[2], by[2];
  if (!aui_figure_bounds(figure, bx, by))
    return view;
  aui_range_include(&x, bx[0], bx[1]);
  aui_range_include(&y, by[0], by[1]);
  return (AuiView){{x.low, x.high}, {y.low, y.high}};
}

bool aui_painter_paint(const AuiFigure *figure, const AuiView *view, cairo_t *cr, int width,
                       int height, GError **error) {
  const AuiTheme theme = {.foreground = aui_ink_colour(AUI_INK_FOREGROUND, false)};
  const AuiView all = view_of(figure);
  g_autoptr(AuiPainter) painter = aui_painter_new(error); /* freed before the context */
  if (!painter)
    return false;
  aui_painter_draw(painter, cr, width, height, figure, view ? view : &all, &theme);
  /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): it does not know g_autoptr */
  return true;
}
