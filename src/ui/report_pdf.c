/* SPDX-License-Identifier: MIT */
#include <cairo-pdf.h>
#include <glib/gi18n.h>

#include "io/file.h"
#include "ui/report_page.h"

static cairo_status_t append(void *closure, const unsigned char *bytes, unsigned int n) {
  g_byte_array_append(closure, bytes, n);
  return CAIRO_STATUS_SUCCESS;
}

static bool draw_pages(const AuiFlow *flow, cairo_surface_t *surface, GError **error) {
  cairo_t *cr = cairo_create(surface);
  bool ok = true;
  for (guint page = 0; page < aui_flow_pages(flow) && ok; page++) {
    ok = aui_flow_draw(flow, cr, page, error);
    cairo_show_page(cr);
  }
  cairo_destroy(cr);
  cairo_surface_finish(surface);
  if (ok && cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS) {
    g_set_error(error, AIO_ERROR, AIO_ERROR_IO, _("the report could not be drawn: %s"),
                cairo_status_to_string(cairo_surface_status(surface)));
    return false;
  }
  return ok;
}

bool aui_flow_write_pdf(const AuiFlow *flow, const char *title, const char *path, GError **error) {
  double width, height;
  aui_flow_size(flow, &width, &height);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(append, bytes, width, height);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Armature " ARMATURE_VERSION);
  const bool ok = draw_pages(flow, surface, error);
  cairo_surface_destroy(surface);
  return ok && aio_file_write_atomic(path, (const char *)bytes->data, bytes->len, true, error);
}
