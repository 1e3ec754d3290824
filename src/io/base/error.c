/* SPDX-License-Identifier: MIT */
/* One form for all messages about files. What they quote may be hostile: it is shortened and made
 * visible before it is in a sentence. A misspelt key gets the nearest known one by edit distance
 * (Levenshtein), as far as that may be a slip. */
#include "io/base/error.h"

#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"

typedef struct {
  char *said;      /* NULL: the message is all */
  char *text;      /* of it, as the message had it before something was put before that */
  char *both;      /* what was put before it, and the sentence; NULL: nobody has asked */
  char *placeless; /* of aio_error_set_at; NULL: of another */
} AioErrorPrivate;

static void aio_error_private_init(AioErrorPrivate *kept) {
  *kept = (AioErrorPrivate){.said = NULL};
}

static void aio_error_private_copy(const AioErrorPrivate *from, AioErrorPrivate *to) {
  to->said = g_strdup(from->said);
  to->text = g_strdup(from->text);
  to->placeless = g_strdup(from->placeless);
}

static void aio_error_private_clear(AioErrorPrivate *kept) {
  g_free(kept->said);
  g_free(kept->text);
  g_free(kept->both);
  g_free(kept->placeless);
}

G_DEFINE_EXTENDED_ERROR(AioError, aio_error)

void aio_error_set_kept(GError **error, AioErrorCode code, const char *said) {
  if (!error)
    return;
  char *text = aio_said_text(said);
  GError *made = g_error_new_literal(AIO_ERROR, (gint)code, text);
  AioErrorPrivate *kept = aio_error_get_private(made);
  kept->said = g_strdup(said);
  kept->text = text;
  g_propagate_error(error, made);
}

void aio_error_set_said(GError **error, AioErrorCode code, const char *format, ...) {
  va_list arguments;
  if (!error)
    return;
  va_start(arguments, format);
  char *said = aio_said_v(format, arguments);
  va_end(arguments);
  aio_error_set_kept(error, code, said);
  g_free(said);
}

/* The message is the sentence's text with what g_prefix_error has put before it, or somebody has
 * written another one. */
const char *aio_error_said(const GError *error) {
  AioErrorPrivate *kept = error->domain == AIO_ERROR ? aio_error_get_private(error) : NULL;
  if (!kept || !kept->said || !g_str_has_suffix(error->message, kept->text))
    return error->message;
  const gsize n = strlen(error->message) - strlen(kept->text);
  if (n == 0)
    return kept->said;
  char *before = g_strndup(error->message, n);
  g_free(kept->both);
  kept->both = aio_said_join((const char *const[]){before, kept->said}, 2, "");
  g_free(before);
  return kept->both;
}

enum { MAX_KEY = 160 };

/* A path of keys, long ones without their middle. */
static void append_key(GString *text, const char *key) {
  const glong length = g_utf8_validate(key, -1, NULL) ? g_utf8_strlen(key, -1) : 0;
  if (length <= MAX_KEY) {
    g_string_append_printf(text, "%s: ", key);
    return;
  }
  char *begin = g_utf8_substring(key, 0, MAX_KEY / 2);
  char *end = g_utf8_substring(key, length - MAX_KEY / 2, length);
  g_string_append_printf(text, "%s...%s: ", begin, end);
  g_free(begin);
  g_free(end);
}

static void append_place(GString *text, const char *file, guint line, guint column) {
  g_string_append(text, file);
  if (line > 0)
    g_string_append_printf(text, ":%u", line);
  if (line > 0 && column > 0)
    g_string_append_printf(text, ":%u", column);
  g_string_append(text, ": ");
}

void aio_error_set_at(GError **error, AioErrorCode code, const char *file, guint line, guint column,
                      const char *key, const char *expected, const char *found) {
  if (!error)
    return;
  GString *text = g_string_new(NULL), *place = g_string_new(NULL);
  if (file)
    append_place(place, file, line, column);
  if (key && *key)
    append_key(text, key);
  if (expected)
    g_string_append_printf(text, "expected %s", expected);
  if (found)
    g_string_append_printf(text, "%s%s", expected ? ", found " : "", found);
  char *where = aio_text_visible(place->str, false),
       *visible = aio_text_visible(text->str, false); /* a key may hold anything */
  GError *made = g_error_new(AIO_ERROR, (gint)code, "%s%s", where, visible);
  AioErrorPrivate *kept = aio_error_get_private(made);
  kept->placeless = visible;
  g_propagate_error(error, made);
  g_free(where);
  g_string_free(place, TRUE);
  g_string_free(text, TRUE);
}

const char *aio_error_without_place(const GError *error) {
  const AioErrorPrivate *kept = error->domain == AIO_ERROR ? aio_error_get_private(error) : NULL;
  return kept ? kept->placeless : NULL;
}

void aio_error_set_file(GError **error, AioErrorCode code, const char *file, const char *expected,
                        const char *found) {
  aio_error_set_at(error, code, file, 0, 0, NULL, expected, found);
}

void aio_error_set_file_said(GError **error, AioErrorCode code, const char *file,
                             const char *said) {
  char *visible = aio_text_visible(file, false);
  aio_error_set_said(error, code, "%s: %s", visible, said);
  g_free(visible);
}

char *aio_error_numbers(const double *numbers, gsize n) {
  GString *text = g_string_new(NULL);
  for (gsize i = 0; i < n; i++) {
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append(text, i > 0 ? ", " : "");
    g_string_append(text, g_ascii_formatd(number, sizeof number, "%.6g", numbers[i]));
  }
  return g_string_free(text, FALSE);
}

/* Words longer than this are nobody's typing error of a key. */
enum { MAX_WORD = 64 };

/* Levenshtein distance, one row at a time; letters compare without case. */
static gsize edit_distance(const char *a, const char *b) {
  gsize row[MAX_WORD + 1];
  gsize n_a = strlen(a), n_b = strlen(b);
  for (gsize j = 0; j <= n_b; j++)
    row[j] = j;
  for (gsize i = 1; i <= n_a; i++) {
    gsize diagonal = row[0];
    row[0] = i;
    for (gsize j = 1; j <= n_b; j++) {
      gsize above = row[j];
      gsize change = g_ascii_tolower(a[i - 1]) == g_ascii_tolower(b[j - 1]) ? 0 : 1;
      row[j] = MIN(MIN(above, row[j - 1]) + 1, diagonal + change);
      diagonal = above;
    }
  }
  return row[n_b];
}

const char *aio_error_nearest(const char *word, const char *const *known) {
  if (strlen(word) > MAX_WORD)
    return NULL;
  gsize length = strlen(word);
  for (gsize i = 0; length > 1 && known[i]; i++)
    if (g_ascii_strncasecmp(known[i], word, length) == 0 && known[i][length] == '_')
      return known[i];
  gsize limit = MAX(length / 3, 2);
  const char *best = NULL;
  for (gsize i = 0; known[i]; i++) {
    if (strlen(known[i]) > MAX_WORD)
      continue;
    gsize distance = edit_distance(word, known[i]);
    if (distance <= limit && distance < strlen(known[i])) {
      limit = distance - (distance > 0);
      best = known[i];
      if (distance == 0)
        break;
    }
  }
  return best;
}
