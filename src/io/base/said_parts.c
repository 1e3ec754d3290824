/* SPDX-License-Identifier: MIT */
/* What a sentence is made of, as it is kept: looked for in it, and left out where a field is small.
 * Only what said.c has read as a sentence is taken apart here, so that nothing is checked twice. */
#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/base/said_parts.h"

#define DOTS        "\xe2\x80\xa6" /* U+2026 */
#define QUOTED_DOTS "\"" DOTS "\""

enum { MOST_PARTS = AIO_SAID_VALUES + 1, DOTS_BYTES = 3, QUOTED_DOTS_BYTES = 5 };

/* An array, a text in quotes or a number, as it stands in the sentence. */
typedef struct {
  const char *begin;
  gsize n;
} Part;

static const char *text_end(const char *at) {
  for (at++; *at != '"'; at++)
    at += *at == '\\';
  return at + 1;
}

static const char *array_end(const char *at) {
  guint depth = 0;
  do {
    depth += *at == '[';
    depth -= *at == ']';
    at = *at == '"' ? text_end(at) : at + 1;
  } while (depth > 0);
  return at;
}

static Part part_at(const char *at) {
  at += strspn(at, ", ");
  const char *end = *at == '['   ? array_end(at)
                    : *at == '"' ? text_end(at)
                                 : at + strcspn(at, " ,]");
  return (Part){at, (gsize)(end - at)};
}

/* The format or the two of them, then the values. */
static gsize split(const char *array, Part *parts) {
  gsize n = 0;
  for (const char *at = array + 1; *at != ']' && n < MOST_PARTS; n++) {
    parts[n] = part_at(at);
    at = parts[n].begin + parts[n].n;
    at += strspn(at, " ");
  }
  return n;
}

/* ---- looking ---- */

static bool is_same(const Part *part, const char *text, gsize n) {
  return part->n == n && memcmp(part->begin, text, n) == 0;
}

static bool has_value(const Part *whole, const char *wanted, gsize n) {
  Part parts[MOST_PARTS] = {{NULL, 0}};
  if (is_same(whole, wanted, n))
    return true;
  const gsize count = *whole->begin == '[' ? split(whole->begin, parts) : 0;
  for (gsize k = 1; k < count; k++)
    if (has_value(&parts[k], wanted, n))
      return true;
  return false;
}

bool aio_said_has(const char *said, const char *part) {
  if (!said || !part || strcmp(said, part) == 0)
    return said && part;
  if (!aio_said_is(said))
    return false;
  char *value = aio_said("%s", part); /* mark ["%s", value] */
  const gsize before = strlen("?[\"%s\", ");
  const Part whole = {said + 1, strlen(said) - 1};
  const bool has = has_value(&whole, value + before, strlen(value) - before - 1);
  g_free(value);
  return has;
}

/* ---- leaving out ---- */

static gsize least_of(const Part *part) {
  const bool may_go = *part->begin == '[' || *part->begin == '"';
  return may_go ? MIN(part->n, QUOTED_DOTS_BYTES) : part->n;
}

/* Whole letters, whole escapes. */
static void put_text(GString *out, const Part *text, gsize room) {
  const char *at = text->begin + 1;
  while (true) {
    const gsize n = *at != '\\' ? (gsize)(g_utf8_next_char(at) - at) : at[1] == 'u' ? 6 : 2;
    if ((gsize)(at - text->begin) + n + DOTS_BYTES + 1 > room)
      break;
    at += n;
  }
  g_string_append_len(out, text->begin, at - text->begin);
  g_string_append(out, DOTS "\"");
}

static void put_array(GString *out, const Part *array, gsize room);

/* Room is at least that of three dots in quotes. */
static void put_part(GString *out, const Part *part, gsize room) {
  if (part->n <= room)
    g_string_append_len(out, part->begin, (gssize)part->n);
  else if (*part->begin == '[')
    put_array(out, part, room);
  else if (*part->begin == '"')
    put_text(out, part, room);
  else
    g_string_append(out, QUOTED_DOTS);
}

/* Values with the same between each two of them and nothing else (aio_said_join): some of them are
 * a sentence, too. The bytes between two; -1: it is none. */
static gssize separator_of(const Part *parts, gsize n) {
  if (n < 3)
    return -1;
  const char *format = parts[0].begin;
  const gsize bytes = parts[0].n;
  if (bytes < 2 * n || *format != '"' || (bytes - 2 * n) % (n - 2) != 0)
    return -1;
  const gsize between = (bytes - 2 * n) / (n - 2); /* quotes: 2, n - 1 times %s */
  for (gsize k = 0; k + 1 < n; k++) {
    const char *at = format + 1 + k * (between + 2);
    if (strncmp(at, "%s", 2) != 0 ||
        (k + 2 < n && (memchr(at + 2, '%', between) || memcmp(at + 2, format + 3, between) != 0)))
      return -1;
  }
  return (gssize)between;
}

/* As many of the first ones as have room, the last one of them cut. */
static void put_joined(GString *out, const Part *parts, gsize n, gsize between, gsize room) {
  const gsize each = 2 + between + 2; /* %s and what is between in the format, a comma, a blank */
  gsize used = strlen("[\"\"]") - between, count = 0;
  for (gsize k = 1; k < n; k++, count++) {
    const gsize reserved = k + 1 < n ? each + QUOTED_DOTS_BYTES : 0;
    if (used + each + parts[k].n + reserved > room)
      break;
    used += each + parts[k].n;
  }
  const bool is_cut = count + 1 < n;
  const gsize shown = count + is_cut;
  g_string_append_c(out, '[');
  g_string_append_len(out, parts[0].begin, (gssize)(1 + 2 * shown + between * (shown - 1)));
  g_string_append_c(out, '"');
  for (gsize k = 1; k <= count; k++)
    g_string_append_printf(out, ", %.*s", (int)parts[k].n, parts[k].begin);
  if (is_cut) { /* even if it has room: whole it would look as if it were the last one */
    g_string_append(out, ", ");
    if (parts[shown].n > QUOTED_DOTS_BYTES)
      put_part(out, &parts[shown], MIN(parts[shown].n - 1, room - used - each));
    else
      g_string_append(out, QUOTED_DOTS);
  }
  g_string_append_c(out, ']');
}

/* The format stays as it is, and a number: neither can be cut. */
static void put_array(GString *out, const Part *array, gsize room) {
  Part parts[MOST_PARTS] = {{NULL, 0}};
  const gsize n = split(array->begin, parts);
  const gssize between = separator_of(parts, n);
  gsize least = strlen("[]") + parts[0].n;
  for (gsize k = 1; k < n; k++)
    least += strlen(", ") + least_of(&parts[k]);
  if (between >= 0 && room >= strlen("[\"%s\", ]") + QUOTED_DOTS_BYTES) {
    put_joined(out, parts, n, (gsize)between, room);
    return;
  }
  if (least > room) {
    g_string_append(out, QUOTED_DOTS);
    return;
  }
  gsize spare = room - least;
  g_string_append_printf(out, "[%.*s", (int)parts[0].n, parts[0].begin);
  for (gsize k = 1; k < n; k++) {
    const gsize before = out->len + strlen(", "), needed = least_of(&parts[k]);
    g_string_append(out, ", ");
    put_part(out, &parts[k], needed + spare);
    spare -= out->len - before - needed;
  }
  g_string_append_c(out, ']');
}

/* Of a sentence that is longer than `size`. */
static char *shortened(const char *said, gsize size) {
  const char mark[] = {AIO_SAID_MARK, '\0'};
  GString *out = g_string_new(mark);
  const Part whole = {said + 1, strlen(said) - 1};
  if (size > sizeof mark)
    put_array(out, &whole, size - sizeof mark);
  if (out->len < 2 || out->str[1] != '[')
    g_string_assign(out, size > DOTS_BYTES ? DOTS : "");
  return g_string_free(out, FALSE);
}

void aio_said_copy(char *out, gsize size, const char *said) {
  const bool is_valid = said && g_utf8_validate(said, -1, NULL);
  char *whole = is_valid && strlen(said) < size ? g_strdup(said)
                : is_valid && aio_said_is(said) ? shortened(said, size)
                                                : aio_said_line(said);
  g_strlcpy(out, whole, size);
  aio_text_cut(out);
  g_free(whole);
}
