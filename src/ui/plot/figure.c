/* SPDX-License-Identifier: MIT */
/* A figure is read by the eye, by a pointer and, as a table, by a screen reader or a spreadsheet:
 * all three from the same values. */
#include "ui/plot/figure.h"

#include <math.h>

static void series_free(gpointer data) {
  AuiSeries *series = data;
  g_free(series->label);
  g_free(series->x);
  g_free(series->y);
  g_free(series->top);
  g_free(series);
}

AuiFigure *aui_figure_new(const char *title, const char *x_name, const char *x_unit,
                          const char *y_name, const char *y_unit) {
  AuiFigure *figure = g_new0(AuiFigure, 1);
  figure->title = g_strdup(title);
  figure->x = (AuiAxis){g_strdup(x_name), g_strdup(x_unit), NAN, NAN};
  figure->y = (AuiAxis){g_strdup(y_name), g_strdup(y_unit), NAN, NAN};
  figure->series = g_ptr_array_new_with_free_func(series_free);
  return figure;
}

void aui_figure_free(AuiFigure *figure) {
  if (!figure)
    return;
  g_free(figure->title);
  g_free(figure->empty);
  g_free(figure->x.name), g_free(figure->x.unit);
  g_free(figure->y.name), g_free(figure->y.unit);
  g_ptr_array_unref(figure->series);
  g_free(figure);
}

AuiSeries *aui_figure_add(AuiFigure *figure, const char *label, AuiInk ink, AuiStroke stroke,
                          guint n) {
  AuiSeries *series = g_new0(AuiSeries, 1);
  *series = (AuiSeries){.label = g_strdup(label),
                        .ink = ink,
                        .stroke = stroke,
                        .width = 1.5,
                        .n = n,
                        .x = g_new0(double, n),
                        .y = g_new0(double, n),
                        .top = stroke == AUI_STROKE_BAND ? g_new0(double, n) : NULL};
  g_ptr_array_add(figure->series, series);
  return series;
}

static void extend(double range[2], double value) {
  if (!isfinite(value))
    return;
  range[0] = fmin(range[0], value);
  range[1] = fmax(range[1], value);
}

bool aui_figure_bounds(const AuiFigure *figure, double x[2], double y[2]) {
  double bx[2] = {INFINITY, -INFINITY}, by[2] = {INFINITY, -INFINITY};
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    for (guint k = 0; k < series->n && !series->is_aside; k++) {
      if (!isfinite(series->x[k]) || !isfinite(series->y[k]))
        continue;
      extend(bx, series->x[k]);
      extend(by, series->y[k]);
      extend(by, series->top ? series->top[k] : NAN);
    }
  }
  if (!(bx[1] >= bx[0] && by[1] >= by[0]))
    return false;
  extend(bx, figure->x.low), extend(bx, figure->x.high);
  extend(by, figure->y.low), extend(by, figure->y.high);
  x[0] = bx[0], x[1] = bx[1];
  y[0] = by[0], y[1] = by[1];
  return true;
}

const AuiSeries *aui_figure_nearest(const AuiFigure *figure, double x, double y, double dx,
                                    double dy, guint *index) {
  const AuiSeries *nearest = NULL;
  double least = INFINITY;
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    for (guint k = 0; series->label && !series->top && k < series->n; k++) {
      const double distance = hypot((series->x[k] - x) / dx, (series->y[k] - y) / dy);
      if (!(distance < least)) /* NAN is never nearest */
        continue;
      least = distance;
      nearest = series;
      *index = k;
    }
  }
  return nearest;
}

char *aui_axis_label(const AuiAxis *axis) {
  return axis->unit && *axis->unit ? g_strdup_printf("%s [%s]", axis->name, axis->unit)
                                   : g_strdup(axis->name);
}

/* A text between quotes; numbers need none. */
static void append_field(GString *table, char separator, const char *text) {
  if (separator != ',') {
    g_string_append(table, text);
    return;
  }
  g_string_append_c(table, '"');
  for (const char *c = text; *c; c++)
    g_string_append(table, *c == '"' ? "\"\"" : (const char[]){*c, '\0'});
  g_string_append_c(table, '"');
}

static void append_number(GString *table, char separator, double value) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  g_string_append_c(table, separator);
  if (isfinite(value))
    g_string_append(table, g_ascii_formatd(text, sizeof text, "%.6g", value));
}

static bool has_band(const AuiFigure *figure) {
  bool has = false;
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    has |= series->label && series->top;
  }
  return has;
}

static void append_heads(GString *table, const AuiFigure *figure, char separator) {
  g_autofree char *x = aui_axis_label(&figure->x), *y = aui_axis_label(&figure->y);
  const char *heads[] = {figure->title, x, y, has_band(figure) ? y : NULL};
  for (guint k = 0; k < G_N_ELEMENTS(heads) && heads[k]; k++) {
    if (k)
      g_string_append_c(table, separator);
    append_field(table, separator, heads[k]);
  }
  g_string_append_c(table, '\n');
}

static void append_series(GString *table, const AuiSeries *series, char separator) {
  for (guint k = 0; k < series->n; k++) {
    if (!isfinite(series->x[k]) || !isfinite(series->y[k]))
      continue;
    append_field(table, separator, series->label);
    append_number(table, separator, series->x[k]);
    append_number(table, separator, series->y[k]);
    if (series->top)
      append_number(table, separator, series->top[k]);
    g_string_append_c(table, '\n');
  }
}

char *aui_figure_to_table(const AuiFigure *figure, char separator) {
  GString *table = g_string_new(NULL);
  append_heads(table, figure, separator);
  for (guint s = 0; s < figure->series->len; s++) {
    const AuiSeries *series = figure->series->pdata[s];
    if (series->label)
      append_series(table, series, separator);
  }
  return g_string_free(table, FALSE);
}
