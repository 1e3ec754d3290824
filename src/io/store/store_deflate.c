/* SPDX-License-Identifier: MIT */
#include "io/store/store_deflate.h"

#include <gio/gio.h>

/* Measured (DESIGN): 9 makes 0.6 % less of it for three times the time. */
enum { LEVEL = 6, STEP = 16384 };

void aio_deflate(const guint8 *bytes, gsize n, GByteArray *out) {
  GConverter *deflater = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB, LEVEL));
  GConverterResult result = G_CONVERTER_CONVERTED;
  while (result != G_CONVERTER_FINISHED) {
    gsize taken = 0, made = 0;
    const guint end = out->len;
    g_byte_array_set_size(out, end + STEP);
    result = g_converter_convert(deflater, bytes, n, out->data + end, STEP,
                                 G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);
    g_assert(result != G_CONVERTER_ERROR); /* there is room, and any bytes can be deflated */
    g_byte_array_set_size(out, end + (guint)made);
    bytes += taken;
    n -= taken;
  }
  g_object_unref(deflater);
}

/* One byte of room too much tells what would be longer. */
bool aio_inflate(const guint8 *bytes, gsize n, guint8 *out, gsize size) {
  GConverter *inflater = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  GConverterResult result = G_CONVERTER_CONVERTED;
  gsize at = 0;
  while (result == G_CONVERTER_CONVERTED && at <= size) {
    gsize taken = 0, made = 0;
    result = g_converter_convert(inflater, bytes, n, out + at, size + 1 - at,
                                 G_CONVERTER_INPUT_AT_END, &taken, &made, NULL);
    bytes += taken;
    n -= taken;
    at += made;
  }
  g_object_unref(inflater);
  return result == G_CONVERTER_FINISHED && at == size && n == 0;
}
