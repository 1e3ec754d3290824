/* SPDX-License-Identifier: MIT */
#include "io/base/safe_text.h"

#include <string.h>

bool aio_text_is_order(gunichar c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xAD || c == 0x061C || c == 0x200B ||
         c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF || (c >= 0xE0000 && c <= 0xE007F);
}

void aio_text_cut(char *text) {
  const char *end;
  if (!g_utf8_validate(text, -1, &end))
    text[end - text] = '\0';
}

static bool is_layout(char c) {
  return c == '\n' || c == '\t';
}

bool aio_text_has_orders(const char *text, gsize length) {
  for (gsize k = 0; k < length; k++) {
    const guchar c = (guchar)text[k];
    if ((c < 0x20 && !is_layout(text[k])) || c == 0x7F)
      return true;
    /* the first bytes of U+0080.., U+0600.., U+2000.., U+F000.., U+E0000.. */
    if ((c == 0xC2 || c == 0xD8 || c == 0xE2 || c == 0xEF || c == 0xF3) &&
        aio_text_is_order(g_utf8_get_char_validated(text + k, (gssize)(length - k))))
      return true;
  }
  return false;
}

/* Beyond U+FFFF as two halves. */
static void append_escape(GString *out, gunichar c) {
  if (c > 0xFFFF)
    g_string_append_printf(out, "\\u%04x\\u%04x", 0xD7C0 + (c >> 10), 0xDC00 + (c & 0x3FF));
  else
    g_string_append_printf(out, "\\u%04x", c);
}

/* Bytes of ASCII that order nothing: nearly all of nearly every text. */
static gsize plain_length(const char *text) {
  gsize length = 0;
  while (text[length] >= 0x20 && text[length] < 0x7F)
    length++;
  return length;
}

char *aio_text_visible(const char *text, bool keeps_lines) {
  GString *out = g_string_new(NULL);
  for (const char *p = text ? text : ""; *p;) {
    const gsize plain = plain_length(p);
    g_string_append_len(out, p, (gssize)plain);
    p += plain;
    if (!*p)
      break;
    const gunichar c = g_utf8_get_char_validated(p, -1);
    const bool is_char = c != (gunichar)-1 && c != (gunichar)-2;
    const gsize size = is_char ? (gsize)(g_utf8_next_char(p) - p) : 1;
    if (!is_char)
      g_string_append_printf(out, "\\x%02x", (guchar)*p);
    else if (aio_text_is_order(c) && !(keeps_lines && is_layout(*p)))
      append_escape(out, c);
    else
      g_string_append_len(out, p, (gssize)size);
    p += size;
  }
  return g_string_free(out, FALSE);
}

/* As they are, and as the wide ones that spreadsheets of East Asia take for them. */
static bool begins_formula(const char *text) {
  static const gunichar wide[] = {0xFF1D, 0xFF0B, 0xFF0D, 0xFF20};
  const gunichar c = g_utf8_get_char(text);
  for (gsize k = 0; k < G_N_ELEMENTS(wide); k++)
    if (c == wide[k])
      return true;
  return c && c < 0x80 && strchr("=+-@", (char)c);
}

void aio_text_append_csv(GString *out, const char *text) {
  char *visible = aio_text_visible(text, false);
  GString *cell = g_string_new(NULL);
  bool is_begin = true;
  for (const char *p = visible; *p; p = g_utf8_next_char(p)) {
    if (is_begin && begins_formula(p))
      g_string_append_c(cell, '\'');
    if (*p == '"')
      g_string_append_c(cell, '"');
    g_string_append_len(cell, p, g_utf8_next_char(p) - p);
    is_begin = *p == ';' || (is_begin && *p == ' ');
  }
  const bool is_quoted = strpbrk(cell->str, ",;\"'") != NULL;
  g_string_append_printf(out, is_quoted ? "\"%s\"" : "%s", cell->str);
  g_string_free(cell, TRUE);
  g_free(visible);
}
