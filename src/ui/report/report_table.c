/* SPDX-License-Identifier: MIT */
/* Tables of a report: widths after what is in them, heads again on every page. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "ui/report/report_internal.h"

enum { COLUMNS_MAX = 16 };
#define GAP        9.0   /* between columns */
#define ABOVE      1.8   /* and below the text of a row */
#define ROUNDING   1.0   /* lest a text that is as wide as its column be wrapped */
#define LEAST      110.0 /* narrower texts are not wrapped */
#define LEAST_HEAD 34.0  /* of a column of numbers */

typedef struct {
  AuiFlow *flow;
  guint columns;
  const AuiCellKind *kinds;
  const char *const *heads;
  const GPtrArray *cells;
  double width[COLUMNS_MAX], least[COLUMNS_MAX];
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

static PangoLayout *layout_cell(const Table *t, const char *text, guint column) {
  const bool wraps = t->kinds[column] == AUI_CELL_TEXT;
  return aui_flow_layout(t->flow, text, font_of(t, column), wraps ? t->width[column] : 0.0);
}

static PangoLayout *layout_head(const Table *t, guint column) {
  PangoLayout *layout =
      aui_flow_layout(t->flow, t->heads[column], AUI_REPORT_BOLD, t->width[column]);
  if (t->kinds[column] != AUI_CELL_TEXT)
    pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT);
  return layout;
}

/* ---- widths ---- */

static double width_of(const Table *t, const char *text, const char *font, double *point) {
  double width, height;
  g_autoptr(PangoLayout) layout = aui_flow_layout(t->flow, text, font, 0.0);
  aui_layout_size(layout, &width, &height);
  *point = point_of(layout);
  return width + ROUNDING;
}

/* Of the cells without their head; point: of the widest whole number. */
static double measure_cells(Table *t, guint column) {
  double before = 0.0, after = 0.0, most = 0.0;
  for (guint row = 0; row < t->cells->len / t->columns; row++) {
    double point;
    const double width = width_of(t, text_at(t, row, column), font_of(t, column), &point);
    before = fmax(before, point);
    after = fmax(after, width - point);
    most = fmax(most, width);
  }
  t->point[column] = before;
  return t->kinds[column] == AUI_CELL_DECIMAL ? before + after : most;
}

static void measure_column(Table *t, guint column) {
  double point;
  const double cells = measure_cells(t, column);
  const double head = t->heads ? width_of(t, t->heads[column], AUI_REPORT_BOLD, &point) : 0.0;
  t->width[column] = fmax(cells, head);
  t->least[column] = t->kinds[column] == AUI_CELL_TEXT ? fmin(t->width[column], LEAST)
                                                       : fmax(cells, fmin(head, LEAST_HEAD));
}

/* What columns of one sort have to spare goes, of each its part. */
static void shrink(Table *t, bool is_text, double over) {
  double spare = 0.0;
  for (guint c = 0; c < t->columns; c++)
    if ((t->kinds[c] == AUI_CELL_TEXT) == is_text)
      spare += t->width[c] - t->least[c];
  for (guint c = 0; c < t->columns && over > 0.0 && spare > 0.0; c++)
    if ((t->kinds[c] == AUI_CELL_TEXT) == is_text)
      t->width[c] -= fmin(over, spare) * (t->width[c] - t->least[c]) / spare;
}

static double total_width(const Table *t) {
  double total = GAP * (t->columns - 1);
  for (guint c = 0; c < t->columns; c++)
    total += t->width[c];
  return total;
}

/* Texts give way first, then heads are broken; numbers stand below the right end of their head. */
static void fit_widths(Table *t) {
  double cells[COLUMNS_MAX] = {0.0};
  for (guint c = 0; c < t->columns; c++)
    cells[c] = measure_cells(t, c);
  shrink(t, true, total_width(t) - t->flow->width);
  shrink(t, false, total_width(t) - t->flow->width);
  for (guint c = 0; c < t->columns; c++)
    t->point[c] += fmax(0.0, t->width[c] - cells[c]);
  t->total = total_width(t);
}

/* ---- rows ---- */

static double offset_of(const Table *t, PangoLayout *layout, guint column, bool is_head) {
  double width, height;
  aui_layout_size(layout, &width, &height);
  if (t->kinds[column] == AUI_CELL_TEXT || is_head)
    return 0.0;
  if (t->kinds[column] == AUI_CELL_DECIMAL)
    return t->point[column] - point_of(layout);
  return t->width[column] - width;
}

static double layout_row(const Table *t, guint row, bool is_head, PangoLayout **layouts) {
  double most = 0.0;
  for (guint c = 0; c < t->columns; c++) {
    double width, height;
    layouts[c] = is_head ? layout_head(t, c) : layout_cell(t, text_at(t, row, c), c);
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
