/* SPDX-License-Identifier: MIT */
#include "english_words.h"

#include <stdbool.h>
#include <string.h>

#include "support/support.h"

static GHashTable *allowed;

/* KILL, SWEEP, PUMA: words of the protocol, and names. */
static bool is_name(const char *word) {
  return g_regex_match_simple("^[A-Z]+$", word, 0, 0) || g_hash_table_contains(allowed, word);
}

static void prepare(void) {
  if (allowed)
    return;
  allowed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  g_hash_table_add(allowed, g_strdup("Armature"));
}

/* A word is what stands between spaces and brackets. */
static char **words_of(const char *text) {
  return g_regex_split_simple("[\\s()\\[\\]{}\"“”„,;:!?|…–=+]+|\\.(?=\\s|$)", text, 0, 0);
}

void english_allow_arm(const AioArm *arm) {
  english_allow(arm->name);
  english_allow(arm->description ? arm->description : "");
  for (guint j = 0; j < arm->model.n; j++)
    english_allow(arm->joints[j].name);
}

void english_allow(const char *text) {
  g_auto(GStrv) words = words_of(text);
  prepare();
  for (char **word = words; *word; word++)
    g_hash_table_add(allowed, g_strdup(*word));
}

/* A line `msgstr "..."`, or one that goes on with it; NULL: another one. g_free. */
static char *translation_in(const char *line, bool *is_in) {
  const char *begin = strchr(line, '"');
  if (*line != '"')
    *is_in = g_str_has_prefix(line, "msgstr");
  if (!*is_in || !begin)
    return NULL;
  g_autofree char *quoted = g_strndup(begin + 1, strlen(begin + 1) - 1);
  g_autofree char *words = g_strcompress(quoted);
  g_auto(GStrv) parts = g_strsplit(words, "_", -1); /* before the letter of a menu's key */
  return g_strjoinv("", parts);
}

void english_allow_language(const char *locale) {
  g_autofree char *country = g_strdup_printf("po/%s.po", locale);
  g_autofree char *language = g_strdup_printf("po/%.*s.po", (int)strcspn(locale, "_"), locale);
  g_autofree char *text = NULL;
  bool is_in = false;
  const char *first = test_source_path(country);
  if (!g_file_get_contents(first, &text, NULL, NULL))
    g_assert_true(g_file_get_contents(test_source_path(language), &text, NULL, NULL));
  const char *body = strstr(text, "\n\n"); /* behind the header, which is in English */
  g_auto(GStrv) lines = g_strsplit(body ? body : "", "\n", -1);
  for (char **line = lines; *line; line++) {
    g_autofree char *words = translation_in(*line, &is_in);
    if (words)
      english_allow(words);
  }
}

char *english_word(const char *text) {
  g_auto(GStrv) words = words_of(text);
  prepare();
  for (char **word = words; *word; word++)
    if (g_regex_match_simple("^[A-Za-z'-]*[A-Za-z]{3}[A-Za-z'-]*$", *word, 0, 0) && !is_name(*word))
      return g_strdup(*word);
  return NULL;
}
