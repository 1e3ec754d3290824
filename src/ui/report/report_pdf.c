/* SPDX-License-Identifier: MIT */
#include <cairo-pdf.h>
#include <glib/gi18n.h>

#include "io/base/file.h"
#include "ui/report/report_internal.h"

struct AuiPdf {
  AuiFlow *flow;
  GByteArray *bytes;
  cairo_surface_t *surface;
  cairo_t *cr;
  guint item, page; /* to be drawn next; items come page by page */
  bool has_margins; /* this page */
};

static cairo_status_t append(void *closure, const unsigned char *bytes, unsigned int n) {
  g_byte_array_append(closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

AuiPdf *aui_pdf_new(AuiFlow *flow, const char *title) {
  double width, height;
  AuiPdf *pdf = g_new0(AuiPdf, 1);
  aui_flow_size(flow, &width, &height);
  pdf->flow = flow;
  pdf->bytes = g_byte_array_new();
  pdf->surface = cairo_pdf_surface_create_for_stream(append, pdf->bytes, width, height);
  cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(pdf->surface, CAIRO_PDF_METADATA_CREATOR,
                                 "Armature " ARMATURE_VERSION);
  pdf->cr = cairo_create(pdf->surface);
  return pdf;
}

void aui_pdf_free(AuiPdf *pdf) {
  if (!pdf)
    return;
  cairo_destroy(pdf->cr);
  cairo_surface_destroy(pdf->surface);
  g_byte_array_unref(pdf->bytes);
  aui_flow_free(pdf->flow);
  g_free(pdf);
}

bool aui_pdf_draw(AuiPdf *pdf, GError **error) {
  const GPtrArray *items = pdf->flow->items;
  if (!pdf->has_margins)
    aui_flow_draw_margins(pdf->flow, pdf->cr, pdf->page);
  pdf->has_margins = true;
  while (pdf->item < items->len) {
    const AuiFlowItem *item = items->pdata[pdf->item];
    if (item->page != pdf->page)
      return false;
    pdf->item++;
    if (!aui_flow_draw_item(pdf->cr, item, error))
      return false;
    if (item->figure)
      return true;
  }
  return false;
}

bool aui_pdf_turn_page(AuiPdf *pdf) {
  cairo_show_page(pdf->cr);
  pdf->has_margins = false;
  return ++pdf->page < aui_flow_pages(pdf->flow);
}

double aui_pdf_part(const AuiPdf *pdf) {
  return (double)pdf->item / MAX(pdf->flow->items->len, 1);
}

bool aui_pdf_write(AuiPdf *pdf, const char *path, GError **error) {
  cairo_surface_finish(pdf->surface);
  const cairo_status_t status = cairo_surface_status(pdf->surface);
  if (status != CAIRO_STATUS_SUCCESS) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_IO, _("the report could not be drawn: %s"),
                cairo_status_to_string(status));
    return false;
  }
  return aio_file_write_atomic(path, (const char *)pdf->bytes->data, pdf->bytes->len, true, error);
}
