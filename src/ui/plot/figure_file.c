/* SPDX-License-Identifier: MIT */
#include "ui/plot/figure_file.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <glib/gi18n.h>
#include <string.h>

#include "io/base/file.h"

enum { PNG_SCALE = 2 };

const char *aui_file_ending(AuiFileKind kind) {
  static const char *const endings[AUI_FILES] = {".svg", ".png", ".pdf", ".csv"};
  return endings[kind];
}

/* Letters and digits of any script; what is between them becomes one hyphen. */
char *aui_file_stem(const char *title) {
  GString *name = g_string_new(NULL);
  g_autofree char *lower = g_utf8_strdown(title, -1);
  bool is_apart = false;
  for (const char *c = lower; *c; c = g_utf8_next_char(c)) {
    const gunichar letter = g_utf8_get_char(c);
    const bool is_kept = g_unichar_isalnum(letter);
    if (is_kept && is_apart && name->len)
      g_string_append_c(name, '-');
    if (is_kept)
      g_string_append_unichar(name, letter);
    is_apart = !is_kept;
  }
  return g_string_free(name, FALSE);
}

char *aui_figure_file_name(const AuiFigure *figure, AuiFileKind kind) {
  g_autofree char *stem = aui_file_stem(figure->title);
  return g_strdup_printf("%s%s", *stem ? stem : "plot", aui_file_ending(kind));
}

/* ---- pictures ---- */

static cairo_status_t collect(void *bytes, const unsigned char *data, unsigned int length) {
  g_byte_array_append(bytes, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *new_surface(AuiFileKind kind, int width, int height, GByteArray *bytes) {
  if (kind == AUI_FILE_PNG)
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, PNG_SCALE * width, PNG_SCALE * height);
  return (kind == AUI_FILE_SVG
              ? cairo_svg_surface_create_for_stream
              : cairo_pdf_surface_create_for_stream)(collect, bytes, width, height);
}

/* Everything must have come out of the surface before its status says how it went. */
static cairo_status_t finish(cairo_surface_t *surface, AuiFileKind kind, GByteArray *bytes) {
  const cairo_status_t status = cairo_surface_status(surface);
  if (status == CAIRO_STATUS_SUCCESS && kind == AUI_FILE_PNG)
    return cairo_surface_write_to_png_stream(surface, collect, bytes);
  cairo_surface_finish(surface);
  return status == CAIRO_STATUS_SUCCESS ? cairo_surface_status(surface) : status;
}

static bool paint_page(const AuiFigure *figure, AuiFileKind kind, const AuiView *view,
                       cairo_surface_t *surface, int width, int height, GError **error) {
  cairo_t *cr = cairo_create(surface);
  if (kind == AUI_FILE_PNG)
    cairo_scale(cr, PNG_SCALE, PNG_SCALE);
  cairo_set_source_rgb(cr, 1.0, 1.0, 1.0);
  cairo_paint(cr);
  const bool is_done = aui_painter_paint(figure, view, cr, width, height, error);
  cairo_destroy(cr);
  return is_done;
}

static bool draw(const AuiFigure *figure, AuiFileKind kind, const AuiView *view, GByteArray *bytes,
                 int width, int height, GError **error) {
  cairo_surface_t *surface = new_surface(kind, width, height, bytes);
  const bool is_painted = cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS ||
                          paint_page(figure, kind, view, surface, width, height, error);
  const cairo_status_t status = finish(surface, kind, bytes);
  cairo_surface_destroy(surface);
  if (is_painted && status != CAIRO_STATUS_SUCCESS)
    g_set_error(error, AIO_ERROR, AIO_ERROR_IO, _("The picture could not be drawn: %s"),
                cairo_status_to_string(status));
  return is_painted && status == CAIRO_STATUS_SUCCESS;
}

bool aui_figure_write(const AuiFigure *figure, AuiFileKind kind, const AuiView *view,
                      const char *path, int width, int height, GError **error) {
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  if (kind == AUI_FILE_CSV) {
    g_autofree char *table = aui_figure_to_table(figure, ',');
    g_byte_array_append(bytes, (const guint8 *)table, (guint)strlen(table));
  } else if (!draw(figure, kind, view, bytes, width, height, error)) {
    return false;
  }
  return aio_file_write_atomic(path, (const char *)bytes->data, bytes->len, true, error);
}
