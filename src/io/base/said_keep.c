/* SPDX-License-Identifier: MIT */
/* Several sentences as one, and texts of them that are kept or shown. */
#include <string.h>

#include "io/base/safe_text.h"
#include "io/base/said.h"
#include "io/base/said_parts.h"

enum { MOST = 20 }; /* in one sentence; more are several, of which each is one */

static char *join_few(const char *const *said, gsize n, const char *separator) {
  GString *format = g_string_new(NULL);
  for (gsize k = 0; k < n; k++)
    g_string_append_printf(format, "%s%%s", k ? separator : "");
  char *head = aio_said_words(format->str);
  GString *out = g_string_new_len(head, (gssize)strlen(head) - 1); /* without its end */
  for (gsize k = 0; k < n; k++) {
    char *one = aio_said("%s", said[k]); /* mark ["%s", ...] */
    g_string_append(out, one + strlen("?[\"%s\""));
    g_string_truncate(out, out->len - 1);
    g_free(one);
  }
  g_string_append_c(out, ']');
  g_free(head);
  g_string_free(format, TRUE);
  return g_string_free(out, FALSE);
}

char *aio_said_join(const char *const *said, gsize n, const char *separator) {
  if (n == 1)
    return g_strdup(said[0]);
  if (n <= MOST)
    return n ? join_few(said, n, separator) : g_strdup("");
  const gsize part = (n + MOST - 1) / MOST;
  GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
  for (gsize k = 0; k < n; k += part)
    g_ptr_array_add(parts, aio_said_join(said + k, MIN(part, n - k), separator));
  char *all = join_few((const char *const *)parts->pdata, parts->len, separator);
  g_ptr_array_unref(parts);
  return all;
}

GPtrArray *aio_said_list_new(void) {
  return g_ptr_array_new_with_free_func(g_free);
}

void aio_said_list_take(GPtrArray *list, char *said) {
  g_ptr_array_add(list, said);
}

void aio_said_list_add(GPtrArray *list, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_ptr_array_add(list, aio_said_v(format, arguments));
  va_end(arguments);
}

char *aio_said_list_join(GPtrArray *list, const char *separator) {
  char *said = aio_said_join((const char *const *)list->pdata, list->len, separator);
  g_ptr_array_unref(list);
  return said;
}

/* Not GLib's quarks, whose table is a leak each time that it grows. */
const char *aio_said_keep(const char *text) {
  static GMutex mutex;
  static GHashTable *table;
  gpointer kept;
  g_mutex_lock(&mutex);
  if (!table)
    table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  if (!g_hash_table_lookup_extended(table, text, &kept, NULL)) {
    kept = g_strdup(text);
    g_hash_table_add(table, kept);
  }
  g_mutex_unlock(&mutex);
  return kept;
}

const char *aio_said_word(const char *word) {
  char *said = aio_said_words(word);
  const char *kept = aio_said_keep(said);
  g_free(said);
  return kept;
}

char *aio_said_take_text(char *said) {
  char *text = aio_said_text(said);
  g_free(said);
  return text;
}

char *aio_said_line(const char *said) {
  char *text = aio_said_text(said), *line = aio_text_visible(text, false);
  g_free(text);
  return line;
}

/* Takes the text. */
static char *within(char *text, gsize bytes) {
  if (strnlen(text, bytes + 1) <= bytes)
    return text;
  text[bytes] = '\0';
  aio_text_cut(text);
  char *cut = g_strconcat(text, "\xe2\x80\xa6", NULL); /* three dots */
  g_free(text);
  return cut;
}

char *aio_said_text_within(const char *said, gsize bytes) {
  const char *text = said ? said : "";
  if (strnlen(text, bytes + 1) > bytes && !aio_said_is(text))
    return within(g_strndup(aio_said_plain(text), bytes + 1), bytes);
  return within(aio_said_text(text), bytes);
}

const char *aio_said_shown(const char *said) {
  char *line = within(aio_said_line(said), AIO_SAID_SHOWN_BYTES);
  const char *kept = aio_said_keep(line);
  g_free(line);
  return kept;
}
