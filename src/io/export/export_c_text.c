/* SPDX-License-Identifier: MIT */
#include "io/export/export_c_text.h"

#include <stdbool.h>
#include <string.h>

enum { WIDTH = 98, MAX_TEXT = 96, MAX_MESSAGE = 500, MAX_PREFIX = 20 };

static bool makes_token(char before, char now) {
  return (before == '*' && now == '/') || (before == '/' && now == '*') ||
         (before == '?' && now == '?');
}

static char *comment_text(const char *text, int most) {
  GString *out = g_string_new(NULL);
  char *valid = g_utf8_make_valid(text ? text : "unknown", -1);
  int length = 0;
  for (const char *at = valid; *at && length < most; at = g_utf8_next_char(at), length++) {
    gunichar c = g_utf8_get_char(at);
    if (c == '\\')
      c = '/';
    else if (c != ' ' && !g_unichar_isgraph(c))
      c = '_';
    if (out->len > 0 && c < 0x80 && makes_token(out->str[out->len - 1], (char)c))
      g_string_append_c(out, ' ');
    g_string_append_unichar(out, c);
  }
  if (length == most)
    g_string_append(out, "..");
  g_free(valid);
  return g_string_free(out, FALSE);
}

char *aio_c_comment_text(const char *text) {
  return comment_text(text, MAX_TEXT);
}

char *aio_c_comment_message(const char *text) {
  return comment_text(text, MAX_MESSAGE);
}

void aio_c_comment_line(GString *out, int indent, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  const char *rest = text;
  for (int at = 0; *rest || at == 0; at = indent) {
    const glong room = WIDTH - 3 - at;
    const char *end = rest + strlen(rest);
    if (g_utf8_strlen(rest, -1) > room) {
      const char *limit = g_utf8_offset_to_pointer(rest, room);
      const char *blank = g_strrstr_len(rest, limit - rest, " ");
      end = blank && blank > rest ? blank : limit;
    }
    g_string_append_printf(out, " *%*s%.*s\n", *rest ? at + 1 : 0, "", (int)(end - rest), rest);
    for (rest = end; *rest == ' ';)
      rest++;
    if (!*rest)
      break;
  }
  g_free(text);
}

char *aio_c_prefix_from(const char *name) {
  GString *prefix = g_string_new(NULL);
  for (const char *c = name ? name : ""; *c && prefix->len < MAX_PREFIX; c++) {
    if (g_ascii_isalnum(*c))
      g_string_append_c(prefix, g_ascii_tolower(*c));
    else if (prefix->len > 0 && prefix->str[prefix->len - 1] != '_')
      g_string_append_c(prefix, '_');
  }
  while (prefix->len > 0 && prefix->str[prefix->len - 1] == '_')
    g_string_truncate(prefix, prefix->len - 1);
  if (!g_ascii_isalpha(prefix->str[0]))
    g_string_prepend(prefix, prefix->len > 0 ? "arm_" : "arm");
  return g_string_free(prefix, FALSE);
}
