/* SPDX-License-Identifier: MIT */
/* Inside report_*.c only: where a page is full, and what stands on it. */
#ifndef ARMATURE_UI_REPORT_INTERNAL_H
#define ARMATURE_UI_REPORT_INTERNAL_H

#include <pango/pango.h>

#include "ui/report/report_page.h"

#define AUI_REPORT_FONT  "Sans 9"
#define AUI_REPORT_BOLD  "Sans Bold 8"
#define AUI_REPORT_TABLE "Sans 8"
#define AUI_REPORT_SMALL "Sans 7.5"

/* A text, a figure, or, with neither, a line. */
typedef struct {
  guint page;
  double x, y, width, height;
  PangoLayout *layout; /* owned */
  AuiFigure *figure;   /* owned */
  bool is_dim;
} AuiFlowItem;

struct AuiFlow {
  AuiPaper paper;
  double width; /* between the margins */
  guint page;   /* where it goes on */
  double y;
  PangoContext *context;
  GPtrArray *items; /* of AuiFlowItem */
  char *head_left, *head_right, *foot;
};

/* width 0: as wide as it is. The caller's. */
PangoLayout *aui_flow_layout(const AuiFlow *flow, const char *text, const char *font, double width);
void aui_layout_size(PangoLayout *layout, double *width, double *height);

/* x from the left margin, y from the top of the page; takes the layout over. */
void aui_flow_place_text(AuiFlow *flow, double x, double y, PangoLayout *layout, bool is_dim);
void aui_flow_place_line(AuiFlow *flow, double x, double y, double width);

/* true: this height was not left, a new page has begun. */
bool aui_flow_need(AuiFlow *flow, double height);
void aui_flow_break(AuiFlow *flow);
double aui_flow_bottom(const AuiFlow *flow);

/* A head and a foot, and one thing that stands on a page. false: what aui_painter_new reports. */
void aui_flow_draw_margins(const AuiFlow *flow, cairo_t *cr, guint page);
bool aui_flow_draw_item(cairo_t *cr, const AuiFlowItem *item, GError **error);

#endif
