/* SPDX-License-Identifier: MIT */
/* RFC 8259 by the letter: what a lenient reader would take, this one names with its place, since a
 * number read otherwise than it was meant moves an arm. */
#include "io/json/json_scalar.h"

#include <math.h>
#include <string.h>

static bool fault_at(AioJsonFault *fault, gsize offset, const char *expected, char *found) {
  *fault = (AioJsonFault){.offset = offset, .expected = expected, .found = found};
  return false;
}

char *aio_json_show_char(const char *text, gsize length, gsize offset) {
  if (offset >= length)
    return g_strdup("the end of the file");
  gunichar c = g_utf8_get_char_validated(text + offset, (gssize)(length - offset));
  if (c == (gunichar)-1 || c == (gunichar)-2)
    return g_strdup_printf("the byte 0x%02X", (guchar)text[offset]);
  if (c == '\n' || c == '\r')
    return g_strdup("the end of the line");
  if (c == '\t')
    return g_strdup("a tab");
  if (c == '\'')
    return g_strdup("a single quote");
  if (!g_unichar_isprint(c))
    return g_strdup_printf("the character U+%04X", c);
  char utf8[8] = {0};
  g_unichar_to_utf8(c, utf8);
  return g_strdup_printf("'%s'", utf8);
}

bool aio_json_check_text(const char *text, gsize length, AioJsonFault *fault) {
  static const char mark[] = "\xEF\xBB\xBF";
  if (length >= 3 && memcmp(text, mark, 3) == 0)
    return fault_at(fault, 0, "JSON without a byte-order mark", g_strdup("U+FEFF"));
  for (gsize i = 0; i < length; i++)
    if ((guchar)text[i] < 0x20 && !aio_json_is_space(text[i]))
      return fault_at(fault, i, "text", g_strdup_printf("the control character U+%04X", text[i]));
  const char *bad = NULL;
  if (!g_utf8_validate_len(text, length, &bad))
    return fault_at(fault, (gsize)(bad - text), "UTF-8",
                    g_strdup_printf("the byte 0x%02X", (guchar)*bad));
  return true;
}

/* Four hexadecimal digits, or -1. */
static gint32 hex4(const char *text, gsize at, gsize end) {
  gint32 value = 0;
  for (gsize i = 0; i < 4; i++) {
    gint digit = at + i < end ? g_ascii_xdigit_value(text[at + i]) : -1;
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

/* \uXXXX at `at` (the backslash), or a surrogate pair; returns the bytes consumed, 0 on a fault. */
static gsize decode_unicode(const char *text, gsize at, gsize end, GString *out,
                            AioJsonFault *fault) {
  gint32 high = hex4(text, at + 2, end);
  if (high < 0)
    return fault_at(fault, at, "four hexadecimal digits after \\u",
                    aio_json_show_char(text, end, at + 2));
  if (high == 0)
    return fault_at(fault, at, "text", g_strdup("the character U+0000"));
  if (high < 0xD800 || high > 0xDFFF) {
    g_string_append_unichar(out, (gunichar)high);
    return 6;
  }
  bool is_pair = high <= 0xDBFF && at + 12 <= end && text[at + 6] == '\\' && text[at + 7] == 'u';
  gint32 low = is_pair ? hex4(text, at + 8, end) : -1;
  if (low < 0xDC00 || low > 0xDFFF)
    return fault_at(fault, at, "a surrogate pair (or write the character itself)",
                    g_strdup_printf("half of one, \\u%04X", (guint)high));
  g_string_append_unichar(
      out, (gunichar)(0x10000 + (((guint32)high - 0xD800) << 10) + ((guint32)low - 0xDC00)));
  return 12;
}

static gsize decode_escape(const char *text, gsize at, gsize end, GString *out,
                           AioJsonFault *fault) {
  static const char codes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
  char c = at + 1 < end ? text[at + 1] : '\0';
  if (c == 'u')
    return decode_unicode(text, at, end, out, fault);
  const char *code = c ? strchr(codes, c) : NULL;
  if (!code)
    return fault_at(fault, at, "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
                    c ? g_strdup_printf("a backslash before %c", g_ascii_isprint(c) ? c : '?')
                      : g_strdup("a backslash at the end"));
  g_string_append_c(out, values[code - codes]);
  return 2;
}

bool aio_json_decode_string(const char *text, gsize begin, gsize end, GString *out,
                            AioJsonFault *fault) {
  for (gsize at = begin + 1; at < end;) {
    gsize from = at;
    while (at < end && text[at] != '"' && text[at] != '\\' && (guchar)text[at] >= 0x20)
      at++;
    g_string_append_len(out, text + from, (gssize)(at - from));
    if (at == end)
      break;
    if (text[at] == '"' && at + 1 == end)
      return true;
    if (text[at] == '"')
      return fault_at(fault, at + 1, "',' or the end", aio_json_show_char(text, end, at + 1));
    if (text[at] != '\\')
      return fault_at(fault, at, "'\"' to end the string on this line (or \\n, \\t in it)",
                      aio_json_show_char(text, end, at));
    gsize used = decode_escape(text, at, end, out, fault);
    if (used == 0)
      return false;
    at += used;
  }
  return fault_at(fault, begin, "'\"' to end this string", g_strdup("none"));
}

/* int frac exp of RFC 8259 section 6; returns where the literal ends, `begin` if there is none. */
static gsize number_end(const char *text, gsize begin, gsize end) {
  gsize at = begin;
  if (at < end && text[at] == '-')
    at++;
  gsize digits = at;
  while (at < end && g_ascii_isdigit(text[at]))
    at++;
  if (at == digits || (text[digits] == '0' && at > digits + 1))
    return begin;
  if (at < end && text[at] == '.') {
    gsize fraction = ++at;
    while (at < end && g_ascii_isdigit(text[at]))
      at++;
    if (at == fraction)
      return begin;
  }
  if (at < end && (text[at] == 'e' || text[at] == 'E')) {
    at++;
    if (at < end && (text[at] == '+' || text[at] == '-'))
      at++;
    gsize exponent = at;
    while (at < end && g_ascii_isdigit(text[at]))
      at++;
    if (at == exponent)
      return begin;
  }
  return at;
}

bool aio_json_decode_number(const char *text, gsize begin, gsize end, double *out,
                            AioJsonFault *fault) {
  gsize shown = MIN(end - begin, 40);
  if (number_end(text, begin, end) != end)
    return fault_at(fault, begin, "a JSON value", g_utf8_make_valid(text + begin, (gssize)shown));
  char *literal = g_strndup(text + begin, end - begin);
  double value = g_ascii_strtod(literal, NULL);
  g_free(literal);
  if (!isfinite(value))
    return fault_at(fault, begin, "a number within +-1.8e308", g_strndup(text + begin, shown));
  *out = value;
  return true;
}

void aio_json_advance(const char *text, AioJsonCursor *cursor, gsize offset) {
  for (; cursor->offset < offset; cursor->offset++) {
    gsize i = cursor->offset;
    bool is_end = text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n');
    if (is_end) {
      cursor->line++;
      cursor->column = 1;
    } else if (((guchar)text[i] & 0xC0) != 0x80) {
      cursor->column++;
    }
  }
}
