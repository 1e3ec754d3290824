/* SPDX-License-Identifier: MIT */
#include "support/vectors.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

char *vectors_read(const char *relative) {
  const char *path = test_shared_path(relative);
  FILE *file = path ? fopen(path, "rb") : NULL;
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
  rewind(file);
  if (text && fread(text, 1, (size_t)size, file) == (size_t)size) {
    text[size] = '\0';
  } else {
    free(text);
    text = NULL;
  }
  fclose(file);
  return text;
}

const char *vectors_find(const char *text, const char *key) {
  const size_t length = strlen(key);
  for (const char *c = text; c && (c = strchr(c, '"')) != NULL; c++) {
    if (strncmp(c + 1, key, length) != 0 || c[length + 1] != '"')
      continue;
    const char *end = c + length + 2 + strspn(c + length + 2, " \n");
    if (*end == ':')
      return end + 1;
  }
  return NULL;
}

/* A number or a word that stands for one; *end is behind it. */
static double number_at(const char *c, locale_t plain, char **end) {
  static const struct {
    const char *word;
    double value;
  } words[] = {{"null", (double)NAN}, {"true", 1}, {"false", 0}};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strncmp(c, words[k].word, strlen(words[k].word)) == 0) {
      *end = (char *)c + strlen(words[k].word);
      return words[k].value;
    }
  return strtod_l(c, end, plain);
}

size_t vectors_numbers(const char *value, size_t most, double *numbers) {
  const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
  size_t count = 0, depth = 0;
  for (const char *c = value; c && *c;) {
    char *end = NULL;
    if (isspace((unsigned char)*c) || *c == ',' || *c == '[' || *c == ']') {
      depth += (size_t)(*c == '[') - (size_t)(*c == ']');
      c++;
      if (depth == 0 && c[-1] == ']')
        break;
      continue;
    }
    const double number = number_at(c, plain, &end);
    if (end == c)
      break;
    if (count < most)
      numbers[count] = number;
    count++;
    if (depth == 0)
      break;
    c = end;
  }
  freelocale(plain);
  return count;
}

void vectors_exactly(const char *text, const char *key, size_t count, double *numbers) {
  const size_t found = vectors_numbers(vectors_find(text, key), count, numbers);
  if (found != count) {
    fprintf(stderr, "vectors: %zu numbers of \"%s\", expected %zu\n", found, key, count);
    abort();
  }
}

double vectors_number(const char *text, const char *key) {
  double number;
  vectors_exactly(text, key, 1, &number);
  return number;
}
