/* SPDX-License-Identifier: MIT */
/* Tables of a report: widths after what is in them, heads again on every page. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "ui/report_internal.h"

enum { COLUMNS_MAX = 16 };
#define GAP      9.0   /* between columns */
#define ABOVE    1.8   /* and below the text of a row */
#define ROUNDING 1.0   /* lest a text that is as wide as its column be wrapped */
#define LEAST    110.0 /* narrower texts are not wrapped */

typedef struct {
  AuiFlow *flow;
  guint columns;
  const AuiCellKind *kinds;
  const char *const *heads;
  const GPtrArray *cells;
  double width[COLUMNS_MAX];
  double total;              /* width of all */
  double point[COLUMNS_MAX]; /* of a DECIMAL column: from its left side */
} Table;

/* ---- one cell ---- */

static const char *text_at(const Table *t, guint row, guint column) {
  const char *text = t->cells->pdata[row * t->columns + column];
  return text ? text : "";
}

/* Names in a list without heads are bold. */
static const char *font_of(const Table *t, guint column) {
  return !t->heads && column == 0 ? AUI_REPORT_BOLD : AUI_REPORT_TABLE;
}

/* How far the decimal point, or the end of the whole number, is from the left. */
static double point_of(PangoLayout *layout) {
  const char *text = pango_layout_get_text(layout), *mark = localeconv()->decimal_point;
  const char *point = strstr(text, mark);
  PangoRectangle at;
  if (!point)
    point = text + strcspn(text, "(e");
  pango_layout_index_to_pos(layout, (int)(point - text), &at);
  return (double)at.x / PANGO_SCALE;
}

static PangoLayout *layout_cell(const Table *t, const char *text, const char *font, guint column) {
  const bool wraps = t->kinds[column] == AUI_CELL_TEXT && t->width[column] > 0.0;
  return aui_flow_layout(t->flow, text, font, wraps ? t->width[column] : 0.0);
}

/* ---- widths ---- */

static void widen(Table *t, guint column, const char *text, const char *font, double *after) {
  double width, height;
  PangoLayout *layout = aui_flow_layout(t->flow, text, font, 0.0);
  aui_layout_size(layout, &width, &height);
  t->width[column] = fmax(t->width[column], width + ROUNDING);
  if (t->kinds[column] == AUI_CELL_DECIMAL && after) {
    t->point[column] = fmax(t->point[column], point_of(layout));
    *after = fmax(*after, width - point_of(layout));
  }
  g_object_unref(layout);
}

static void measure_column(Table *t, guint column) {
  double after = 0.0;
  for (guint row = 0; row < t->cells->len / t->columns; row++)
    widen(t, column, text_at(t, row, column), font_of(t, column), &after);
  t->width[column] = fmax(t->width[column], t->point[column] + after);
  if (!t->heads)
    return;
  const double numbers = t->point[column] + after;
  widen(t, column, t->heads[column], AUI_REPORT_BOLD, NULL);
  if (t->kinds[column] == AUI_CELL_DECIMAL) /* a wide head: the numbers below its right end */
    t->point[column] += fmax(0.0, t->width[column] - numbers);
}

/* Texts give way, the widest first. */
static void fit_widths(Table *t) {
  double texts = 0.0;
  t->total = GAP * (t->columns - 1);
  for (guint c = 0; c < t->columns; c++) {
    t->total += t->width[c];
    texts += t->kinds[c] == AUI_CELL_TEXT ? fmax(0.0, t->width[c] - LEAST) : 0.0;
  }
  const double over = t->total - t->flow->width;
  for (guint c = 0; c < t->columns && over > 0.0 && texts > 0.0; c++)
    if (t->kinds[c] == AUI_CELL_TEXT)
      t->width[c] -= fmin(over, texts) * fmax(0.0, t->width[c] - LEAST) / texts;
  t->total = fmin(t->total, t->flow->width);
}

/* ---- rows ---- */

static double offset_of(const Table *t, PangoLayout *layout, guint column, bool is_head) {
  double width, height;
  aui_layout_size(layout, &width, &height);
  if (t->kinds[column] == AUI_CELL_TEXT)
    return 0.0;
  if (t->kinds[column] == AUI_CELL_DECIMAL && !is_head)
    return t->point[column] - point_of(layout);
  return t->width[column] - width;
}

static double layout_row(const Table *t, guint row, bool is_head, PangoLayout **layouts) {
  double most = 0.0;
  for (guint c = 0; c < t->columns; c++) {
    double width, height;
    layouts[c] = is_head ? layout_cell(t, t->heads[c], AUI_REPORT_BOLD, c)
                         : layout_cell(t, text_at(t, row, c), font_of(t, c), c);
    aui_layout_size(layouts[c], &width, &height);
    most = fmax(most, height);
  }
  return most + 2.0 * ABOVE;
}

static void place_row(const Table *t, PangoLayout *const *layouts, double height, bool is_head) {
  double x = 0.0;
  for (guint c = 0; c < t->columns; c++) {
    aui_flow_place_text(t->flow, x + offset_of(t, layouts[c], c, is_head), t->flow->y + ABOVE,
                        layouts[c], false);
    x += t->width[c] + GAP;
  }
  t->flow->y += height;
}

static void put_head(const Table *t) {
  PangoLayout *layouts[COLUMNS_MAX];
  if (!t->heads)
    return;
  const double height = layout_row(t, 0, true, layouts);
  aui_flow_need(t->flow, 3.0 * height);
  place_row(t, layouts, height, true);
  aui_flow_place_line(t->flow, 0.0, t->flow->y, t->total);
  t->flow->y += 1.0;
}

static void put_row(const Table *t, guint row) {
  PangoLayout *layouts[COLUMNS_MAX];
  const double height = layout_row(t, row, false, layouts);
  if (aui_flow_need(t->flow, height))
    put_head(t);
  place_row(t, layouts, height, false);
}

void aui_flow_table(AuiFlow *flow, guint columns, const AuiCellKind *kinds,
                    const char *const *heads, const GPtrArray *cells) {
  g_return_if_fail(columns > 0 && columns <= COLUMNS_MAX);
  Table t = {.flow = flow, .columns = columns, .kinds = kinds, .heads = heads, .cells = cells};
  for (guint c = 0; c < columns; c++)
    measure_column(&t, c);
  fit_widths(&t);
  put_head(&t);
  for (guint row = 0; row < cells->len / columns; row++)
    put_row(&t, row);
  flow->y += 6.0;
}
