/* SPDX-License-Identifier: MIT */
/* Pango and cairo alone, lengths in points, without a display: the same report comes out of a test,
 * a window and a server. */
#include "ui/report/report_page.h"

#include <glib/gi18n.h>
#include <math.h>
#include <pango/pangocairo.h>
#include <string.h>

#include "io/base/safe_text.h"
#include "ui/plot/painter.h"
#include "ui/report/report_internal.h"

#define MARGIN        50.0
#define HEAD          26.0 /* of the margin at the top, to the head's line */
#define LINE          0.6
#define FIGURE_SCALE  0.62 /* of a figure's pixels on paper: text of 7 pt */
#define FIGURE_GAP    10.0
#define FIGURE_ASPECT 0.56
#define CAPTION       13.0
#define SIGNATURE     46.0

static const struct {
  const char *name;
  double width, height;
} papers[AUI_PAPERS] = {{N_("A4"), 595.28, 841.89}, {N_("Letter"), 612.0, 792.0}};

const char *aui_paper_name(AuiPaper paper) {
  return _(papers[paper].name);
}

/* ---- texts ---- */

PangoLayout *aui_flow_layout(const AuiFlow *flow, const char *text, const char *font,
                             double width) {
  PangoLayout *layout = pango_layout_new(flow->context);
  g_autoptr(PangoFontDescription) description = pango_font_description_from_string(font);
  g_autofree char *valid = aio_text_visible(text, true);
  pango_layout_set_font_description(layout, description);
  pango_layout_set_text(layout, valid, -1);
  if (width > 0.0) {
    pango_layout_set_width(layout, (int)ceil(width * PANGO_SCALE));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
  }
  return layout;
}

void aui_layout_size(PangoLayout *layout, double *width, double *height) {
  PangoRectangle logical;
  pango_layout_get_extents(layout, NULL, &logical);
  *width = (double)(logical.x + logical.width) / PANGO_SCALE;
  *height = (double)logical.height / PANGO_SCALE;
}

/* ---- places ---- */

static void item_free(gpointer data) {
  AuiFlowItem *item = data;
  g_clear_object(&item->layout);
  aui_figure_free(item->figure);
  g_free(item);
}

static AuiFlowItem *place(AuiFlow *flow, double x, double y, double width, double height) {
  AuiFlowItem *item = g_new0(AuiFlowItem, 1);
  *item =
      (AuiFlowItem){.page = flow->page, .x = MARGIN + x, .y = y, .width = width, .height = height};
  g_ptr_array_add(flow->items, item);
  return item;
}

void aui_flow_place_text(AuiFlow *flow, double x, double y, PangoLayout *layout, bool is_dim) {
  double width, height;
  aui_layout_size(layout, &width, &height);
  AuiFlowItem *item = place(flow, x, y, width, height);
  item->layout = layout;
  item->is_dim = is_dim;
}

void aui_flow_place_line(AuiFlow *flow, double x, double y, double width) {
  place(flow, x, y, width, LINE);
}

double aui_flow_bottom(const AuiFlow *flow) {
  return papers[flow->paper].height - MARGIN;
}

void aui_flow_break(AuiFlow *flow) {
  flow->page++;
  flow->y = MARGIN + HEAD;
}

bool aui_flow_need(AuiFlow *flow, double height) {
  if (flow->y + height <= aui_flow_bottom(flow) || flow->y <= MARGIN + HEAD)
    return false;
  aui_flow_break(flow);
  return true;
}

/* ---- what flows ---- */

static void add_text(AuiFlow *flow, const char *text, const char *font, double before, double after,
                     double follows) {
  double width, height;
  PangoLayout *layout = aui_flow_layout(flow, text, font, flow->width);
  aui_layout_size(layout, &width, &height);
  if (!aui_flow_need(flow, before + height + follows) && flow->y > MARGIN + HEAD)
    flow->y += before;
  aui_flow_place_text(flow, 0.0, flow->y, layout, false);
  flow->y += height + after;
}

void aui_flow_title(AuiFlow *flow, const char *text) {
  add_text(flow, text, "Sans Bold 17", 0.0, 8.0, 0.0);
}

static void add_heading(AuiFlow *flow, const char *text, double follows) {
  add_text(flow, text, "Sans Bold 11", 12.0, 4.0, 4.0 + follows);
}

void aui_flow_heading(AuiFlow *flow, const char *text) {
  add_heading(flow, text, 56.0);
}

void aui_flow_paragraph(AuiFlow *flow, const char *text) {
  add_text(flow, text, AUI_REPORT_FONT, 0.0, 6.0, 0.0);
}

void aui_flow_figures(AuiFlow *flow, const char *caption, guint n, AuiFigure *const *figures) {
  const double width = (flow->width - (n - 1) * FIGURE_GAP) / n;
  const double height = floor(fmin(FIGURE_ASPECT * width, 0.35 * flow->width));
  aui_flow_need(flow, CAPTION + height);
  aui_flow_place_text(flow, 0.0, flow->y, aui_flow_layout(flow, caption, AUI_REPORT_BOLD, 0.0),
                      false);
  flow->y += CAPTION;
  for (guint k = 0; k < n; k++)
    place(flow, k * (width + FIGURE_GAP), flow->y, width, height)->figure = figures[k];
  flow->y += height + 8.0;
}

static void sign(AuiFlow *flow, const char *role, const char *name) {
  const double date = 0.68 * flow->width, below = flow->y + SIGNATURE - 14.0;
  g_autofree char *text = name && *name ? g_strdup_printf("%s: %s", role, name) : g_strdup(role);
  aui_flow_place_line(flow, 0.0, below - 2.0, date - 20.0);
  aui_flow_place_line(flow, date, below - 2.0, flow->width - date);
  aui_flow_place_text(flow, 0.0, below, aui_flow_layout(flow, text, AUI_REPORT_SMALL, date - 20.0),
                      false);
  aui_flow_place_text(flow, date, below, aui_flow_layout(flow, _("Date"), AUI_REPORT_SMALL, 0.0),
                      false);
  flow->y += SIGNATURE;
}

void aui_flow_signatures(AuiFlow *flow, const char *heading, guint n, const char *const *roles,
                         const char *const *names) {
  add_heading(flow, heading, n * SIGNATURE);
  for (guint k = 0; k < n; k++)
    sign(flow, roles[k], names[k]);
}

/* ---- the object ---- */

/* Texts are as wide on every page and device. */
static PangoContext *context_new(void) {
  PangoContext *context = pango_font_map_create_context(pango_cairo_font_map_get_default());
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  pango_cairo_context_set_font_options(context, options);
  pango_cairo_context_set_resolution(context, 72.0);
  pango_context_set_round_glyph_positions(context, FALSE);
  cairo_font_options_destroy(options);
  return context;
}

AuiFlow *aui_flow_new(AuiPaper paper, const char *head_left, const char *head_right,
                      const char *foot) {
  AuiFlow *flow = g_new0(AuiFlow, 1);
  *flow = (AuiFlow){.paper = paper,
                    .width = papers[paper].width - 2.0 * MARGIN,
                    .y = MARGIN + HEAD,
                    .context = context_new(),
                    .items = g_ptr_array_new_with_free_func(item_free),
                    .head_left = g_strdup(head_left),
                    .head_right = g_strdup(head_right),
                    .foot = g_strdup(foot)};
  return flow;
}

void aui_flow_free(AuiFlow *flow) {
  if (!flow)
    return;
  g_ptr_array_unref(flow->items);
  g_object_unref(flow->context);
  g_free(flow->head_left);
  g_free(flow->head_right);
  g_free(flow->foot);
  g_free(flow);
}

guint aui_flow_pages(const AuiFlow *flow) {
  return flow->page + 1;
}

void aui_flow_size(const AuiFlow *flow, double *width, double *height) {
  *width = papers[flow->paper].width;
  *height = papers[flow->paper].height;
}

guint aui_flow_n_placed(const AuiFlow *flow) {
  return flow->items->len;
}

AuiPlaced aui_flow_placed(const AuiFlow *flow, guint k) {
  const AuiFlowItem *item = flow->items->pdata[k];
  return (AuiPlaced){.page = item->page,
                     .x = item->x,
                     .y = item->y,
                     .width = item->width,
                     .height = item->height,
                     .text = item->layout ? pango_layout_get_text(item->layout) : NULL,
                     .missing =
                         item->layout ? pango_layout_get_unknown_glyphs_count(item->layout) : 0};
}

/* ---- drawing ---- */

static bool draw_figure(cairo_t *cr, const AuiFlowItem *item, GError **error) {
  cairo_save(cr);
  cairo_translate(cr, item->x, item->y);
  cairo_scale(cr, FIGURE_SCALE, FIGURE_SCALE);
  const bool ok = aui_painter_paint(item->figure, NULL, cr, (int)(item->width / FIGURE_SCALE),
                                    (int)(item->height / FIGURE_SCALE), error);
  cairo_restore(cr);
  return ok;
}

bool aui_flow_draw_item(cairo_t *cr, const AuiFlowItem *item, GError **error) {
  if (item->figure)
    return draw_figure(cr, item, error);
  cairo_set_source_rgb(cr, item->is_dim ? 0.35 : 0.0, item->is_dim ? 0.35 : 0.0,
                       item->is_dim ? 0.35 : 0.0);
  if (item->layout) {
    cairo_move_to(cr, item->x, item->y);
    pango_cairo_show_layout(cr, item->layout);
  } else {
    cairo_rectangle(cr, item->x, item->y, item->width, item->height);
    cairo_fill(cr);
  }
  return true;
}

/* part 0: begins at x, 1: ends there. */
static void draw_margin_text(const AuiFlow *flow, cairo_t *cr, const char *text, double x, double y,
                             double part, double room) {
  double width, height;
  g_autoptr(PangoLayout) layout = aui_flow_layout(flow, text, AUI_REPORT_SMALL, 0.0);
  aui_layout_size(layout, &width, &height);
  if (width > room) {
    pango_layout_set_width(layout, (int)(room * PANGO_SCALE));
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_MIDDLE);
    width = room;
  }
  cairo_move_to(cr, x - part * width, y);
  pango_cairo_show_layout(cr, layout);
}

void aui_flow_draw_margins(const AuiFlow *flow, cairo_t *cr, guint page) {
  const double right = MARGIN + flow->width, bottom = papers[flow->paper].height - MARGIN + 12.0;
  g_autofree char *number = g_strdup_printf(_("Page %u of %u"), page + 1, aui_flow_pages(flow));
  cairo_set_source_rgb(cr, 0.25, 0.25, 0.25);
  draw_margin_text(flow, cr, flow->head_left, MARGIN, MARGIN - 6.0, 0.0, 0.62 * flow->width);
  draw_margin_text(flow, cr, flow->head_right, right, MARGIN - 6.0, 1.0, 0.36 * flow->width);
  draw_margin_text(flow, cr, flow->foot, MARGIN, bottom, 0.0, 0.7 * flow->width);
  draw_margin_text(flow, cr, number, right, bottom, 1.0, 0.28 * flow->width);
  cairo_rectangle(cr, MARGIN, MARGIN + 8.0, flow->width, LINE);
  cairo_rectangle(cr, MARGIN, bottom - 4.0, flow->width, LINE);
  cairo_fill(cr);
}

bool aui_flow_draw(const AuiFlow *flow, cairo_t *cr, guint page, GError **error) {
  aui_flow_draw_margins(flow, cr, page);
  for (guint k = 0; k < flow->items->len; k++) {
    const AuiFlowItem *item = flow->items->pdata[k];
    if (item->page == page && !aui_flow_draw_item(cr, item, error))
      return false;
  }
  return true;
}
