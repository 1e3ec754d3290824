/* SPDX-License-Identifier: MIT */
/* Pages of a report: headings, paragraphs, tables and figures flow from top to bottom and from page
 * to page. Texts through Pango, in any script; figures as vectors. No GTK, no display; main thread
 * (see ui/plot/painter.h). Lengths in points.
 */
#ifndef ARMATURE_UI_REPORT_PAGE_H
#define ARMATURE_UI_REPORT_PAGE_H

#include <cairo.h>
#include <stdbool.h>

#include "io/base/error.h"
#include "ui/plot/figure.h"

typedef enum { AUI_PAPER_A4, AUI_PAPER_LETTER, AUI_PAPERS } AuiPaper;

/* "A4"; in the user's language; static. */
const char *aui_paper_name(AuiPaper paper);

typedef struct AuiFlow AuiFlow;

/* The head of every page; its foot has `foot` and the number of the page. Texts are copied. */
AuiFlow *aui_flow_new(AuiPaper paper, const char *head_left, const char *head_right,
                      const char *foot);
void aui_flow_free(AuiFlow *flow); /* NULL allowed */

/* A title, or a heading that stays with what follows it. */
void aui_flow_title(AuiFlow *flow, const char *text);
void aui_flow_heading(AuiFlow *flow, const char *text);
void aui_flow_paragraph(AuiFlow *flow, const char *text);

typedef enum {
  AUI_CELL_TEXT,   /* wraps when there is no room */
  AUI_CELL_NUMBER, /* on the right */
  AUI_CELL_DECIMAL /* decimal points stand below each other: 0.0221(16) */
} AuiCellKind;

/* Rows are never divided; the heads are repeated on the next page.
 *   kinds  columns
 *   heads  columns, NULL: a list of names and what they have, without heads
 *   cells  of char *, rows x columns; NULL counts as "" */
void aui_flow_table(AuiFlow *flow, guint columns, const AuiCellKind *kinds,
                    const char *const *heads, const GPtrArray *cells);

/* Beside each other, as wide as the page together, below their caption. Figures are taken over. */
void aui_flow_figures(AuiFlow *flow, const char *caption, guint n, AuiFigure *const *figures);

/* A heading and lines to sign on, with the date beside; never divided. */
void aui_flow_signatures(AuiFlow *flow, const char *heading, guint n, const char *const *roles,
                         const char *const *names);

/* Nothing more is added after this. */
guint aui_flow_pages(const AuiFlow *flow);
void aui_flow_size(const AuiFlow *flow, double *width, double *height);

/* One page (from 0) in points; the context's errors are its own. false: what aui_painter_new
 * reports. */
bool aui_flow_draw(const AuiFlow *flow, cairo_t *cr, guint page, GError **error);

/* What stands where, for those who cannot look: text NULL is a figure or a line; missing:
 * characters for which there is no font. */
typedef struct {
  guint page; /* from 0 */
  double x, y, width, height;
  const char *text;
  int missing;
} AuiPlaced;
guint aui_flow_n_placed(const AuiFlow *flow);
AuiPlaced aui_flow_placed(const AuiFlow *flow, guint k);

/* The pages as a PDF: drawn figure by figure, then, which takes longer, turned into bytes page by
 * page. */
typedef struct AuiPdf AuiPdf;
AuiPdf *aui_pdf_new(AuiFlow *flow, const char *title); /* takes the flow over */
void aui_pdf_free(AuiPdf *pdf);                        /* NULL allowed */

/* Draws up to the end of the page's next figure. false: *error, or the page is complete. */
bool aui_pdf_draw(AuiPdf *pdf, GError **error);
double aui_pdf_part(const AuiPdf *pdf); /* that is drawn, 0..1 */

/* After each complete page, in any thread. false: it was the last. */
bool aui_pdf_turn_page(AuiPdf *pdf);

/* After the last page, in any thread; whole or not at all, over an older file. false:
 * AIO_ERROR_IO, what aio_file_write_atomic reports. */
bool aui_pdf_write(AuiPdf *pdf, const char *path, GError **error);

#endif
