/* SPDX-License-Identifier: MIT */
/* What one plot shows, as plain values in the units that are shown: drawn on the screen, written to
 * files, read out as text. No GTK. */
#ifndef ARMATURE_UI_FIGURE_H
#define ARMATURE_UI_FIGURE_H

#include <glib.h>
#include <stdbool.h>

/* Inks differ by hue and lightness; strokes are the second cue. Red is for danger, never data. */
typedef enum {
  AUI_INK_FOREGROUND,
  AUI_INK_BLUE,
  AUI_INK_ORANGE,
  AUI_INK_GREEN,
  AUI_INK_PURPLE,
  AUI_INK_GREY,
  AUI_INKS
} AuiInk;

typedef enum {
  AUI_STROKE_SOLID,
  AUI_STROKE_DASH,
  AUI_STROKE_DOT,
  AUI_STROKE_POINTS,
  AUI_STROKE_MARKS, /* crosses; those above and below what is shown lie on its edge */
  AUI_STROKE_BAND   /* filled between y and top */
} AuiStroke;

/* A NAN in y leaves a gap. */
typedef struct {
  char *label; /* in the legend and when read out; NULL: in neither */
  AuiInk ink;
  AuiStroke stroke;
  double width;     /* [px], default 1.5 */
  bool is_unlisted; /* its label is read out, but is not in the legend */
  bool is_aside;    /* what is shown does not grow for it */
  guint n;
  double *x, *y;
  double *top; /* of a band, else NULL */
} AuiSeries;

typedef struct {
  char *name, *unit;
  double low, high; /* to be shown at least; NAN: as the data have it */
} AuiAxis;

typedef struct {
  char *title;
  char *empty; /* shown while there is nothing to draw: what to do first; NULL: nothing */
  AuiAxis x, y;
  GPtrArray *series; /* of AuiSeries, drawn in this order */
} AuiFigure;

/* All texts are copied. */
AuiFigure *aui_figure_new(const char *title, const char *x_name, const char *x_unit,
                          const char *y_name, const char *y_unit);
void aui_figure_free(AuiFigure *figure); /* NULL allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AuiFigure, aui_figure_free)

/* A series with room for n points, all zero, owned by the figure. */
AuiSeries *aui_figure_add(AuiFigure *figure, const char *label, AuiInk ink, AuiStroke stroke,
                          guint n);

/* Of all points and what the axes ask for. false: there is nothing to draw. */
bool aui_figure_bounds(const AuiFigure *figure, double x[2], double y[2]);

/* The point of a labelled line nearest to x, y, where dx and dy count as equally far. NULL: none.
 */
const AuiSeries *aui_figure_nearest(const AuiFigure *figure, double x, double y, double dx,
                                    double dy, guint *index);

/* Labelled series as a table: a line of headings, then label, x, y and of a band its upper edge.
 * With the separator ',' texts are quoted as in CSV (RFC 4180); otherwise '\t'. Numbers with the
 * point as decimal separator. g_free. */
char *aui_figure_to_table(const AuiFigure *figure, char separator);

/* "current [A]"; g_free. */
char *aui_axis_label(const AuiAxis *axis);

#endif
