/* SPDX-License-Identifier: MIT */
/* Draws a figure with PLplot on a cairo context: on the screen (aui_painter_draw), and the same on
 * paper (aui_painter_paint); whole files are ui/plot/figure_file.h's.
 *
 * PLplot's streams are global state: main thread only, at most 98 painters at a time. Sizes in
 * logical pixels; a display's scale is the context's.
 */
#ifndef ARMATURE_UI_PAINTER_H
#define ARMATURE_UI_PAINTER_H

#include <cairo.h>
#include <stdbool.h>

#include "io/base/error.h"
#include "ui/plot/figure.h"

/* The top is more where the legend does not fit beside the title. */
enum { AUI_MARGIN_LEFT = 62, AUI_MARGIN_RIGHT = 12, AUI_MARGIN_TOP = 26, AUI_MARGIN_BOTTOM = 38 };
enum { AUI_PLOT_LEAST_WIDTH = 160, AUI_PLOT_LEAST_HEIGHT = 110 };

typedef struct {
  double red, green, blue; /* 0..1 */
} AuiColour;

/* Inks for a light or a dark background; each has a contrast of at least 4.5 against white and
 * #fafafa, or #242424 and #1e1e1e (WCAG 2.1). */
AuiColour aui_ink_colour(AuiInk ink, bool is_dark);

typedef struct {
  bool is_dark;
  AuiColour foreground; /* of axes and text */
} AuiTheme;

typedef struct {
  double x[2], y[2]; /* low, high */
} AuiView;

/* The edges of the axes' frame, in pixels from the upper left of a picture. */
typedef struct {
  double left, right, top, bottom;
} AuiFrame;

typedef struct AuiPainter AuiPainter;

/* NULL with AIO_ERROR_NOT_FOUND: PLplot's cairo driver is not installed (Debian:
 * plplot-driver-cairo); AIO_ERROR_REFUSED: no stream is left. */
AuiPainter *aui_painter_new(GError **error);
void aui_painter_free(AuiPainter *painter); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AuiPainter, aui_painter_free)

/* Draws the part `view` of the figure. Nothing below AUI_PLOT_LEAST_WIDTH, _HEIGHT. */
void aui_painter_draw(AuiPainter *painter, cairo_t *cr, int width, int height,
                      const AuiFigure *figure, const AuiView *view, const AuiTheme *theme);

/* Where aui_painter_draw puts the axes. */
AuiFrame aui_frame_of(const AuiFigure *figure, int width, int height);

/* From pixels to the axes' units; false: outside of the frame. */
bool aui_view_at(const AuiView *view, const AuiFrame *frame, double px, double py, double *x,
                 double *y);
/* And back. */
void aui_view_pixel(const AuiView *view, const AuiFrame *frame, double x, double y, double *px,
                    double *py);

/* Vectors, or pixels, for paper: draws the figure in light colours, without a background, into the
 * rectangle from (0, 0) to (width, height) in the units of any context - a page of a PDF, an SVG,
 * an image. Text is 11 units high; cairo_translate and cairo_scale put it elsewhere and make it
 * larger. One call is one picture: nothing of PLplot stays behind in the context.
 *   view  NULL: all of the figure, with axes in nice steps
 * false: what aui_painter_new reports. Errors of the surface are cairo_status(cr)'s. */
bool aui_painter_paint(const AuiFigure *figure, const AuiView *view, cairo_t *cr, int width,
                       int height, GError **error);

#endif
