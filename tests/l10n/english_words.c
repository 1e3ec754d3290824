/* SPDX-License-Identifier: MIT */
#include "english_words.h"

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

char *english_word(const char *text) {
  g_auto(GStrv) words = words_of(text);
  prepare();
  for (char **word = words; *word; word++)
    if (g_regex_match_simple("^[A-Za-z'-]*[A-Za-z]{3}[A-Za-z'-]*$", *word, 0, 0) && !is_name(*word))
      return g_strdup(*word);
  return NULL;
}
