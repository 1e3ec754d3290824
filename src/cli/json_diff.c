/* SPDX-License-Identifier: MIT */
#include "cli/json_diff.h"

#include <string.h>

static void difference_free(gpointer data) {
  CliDifference *difference = data;
  g_free(difference->key);
  g_free(difference->a);
  g_free(difference->b);
  g_free(difference);
}

GPtrArray *cli_differences_new(void) {
  return g_ptr_array_new_with_free_func(difference_free);
}

static void add(GPtrArray *differences, const char *what, const AioJsonNode *a,
                const AioJsonNode *b) {
  g_autofree char *path = aio_json_path(a ? a : b);
  CliDifference *difference = g_new0(CliDifference, 1);
  difference->key = *path ? g_strdup_printf("%s: %s", what, path) : g_strdup(what);
  difference->a = a ? aio_json_raw(a) : NULL;
  difference->b = b ? aio_json_raw(b) : NULL;
  g_ptr_array_add(differences, difference);
}

static bool is_same_scalar(const AioJsonNode *a, const AioJsonNode *b) {
  switch (a->kind) {
  case AIO_JSON_BOOL:
    return a->boolean == b->boolean;
  case AIO_JSON_NUMBER:
    return a->number == b->number;
  case AIO_JSON_STRING:
    return strcmp(a->string, b->string) == 0;
  case AIO_JSON_NULL:
  case AIO_JSON_ARRAY:
  case AIO_JSON_OBJECT:
    break;
  }
  return true;
}

static bool is_own_key(const AioJsonNode *node) {
  return !g_str_has_prefix(node->key, "x_");
}

static void diff_objects(GPtrArray *differences, const char *what, const AioJsonNode *a,
                         const AioJsonNode *b) {
  for (gsize k = 0; k < aio_json_size(a); k++) {
    const AioJsonNode *item = aio_json_item(a, k);
    if (is_own_key(item))
      cli_json_diff(differences, what, item, aio_json_member(b, item->key));
  }
  for (gsize k = 0; k < aio_json_size(b); k++) {
    const AioJsonNode *item = aio_json_item(b, k);
    if (is_own_key(item) && !aio_json_member(a, item->key))
      add(differences, what, NULL, item);
  }
}

static void diff_arrays(GPtrArray *differences, const char *what, const AioJsonNode *a,
                        const AioJsonNode *b) {
  const gsize in_a = aio_json_size(a), in_b = aio_json_size(b);
  for (gsize k = 0; k < MAX(in_a, in_b); k++)
    cli_json_diff(differences, what, k < in_a ? aio_json_item(a, k) : NULL,
                  k < in_b ? aio_json_item(b, k) : NULL);
}

void cli_json_diff(GPtrArray *differences, const char *what, const AioJsonNode *a,
                   const AioJsonNode *b) {
  if (!a && !b)
    return;
  if (!a || !b || a->kind != b->kind)
    add(differences, what, a, b);
  else if (a->kind == AIO_JSON_OBJECT)
    diff_objects(differences, what, a, b);
  else if (a->kind == AIO_JSON_ARRAY)
    diff_arrays(differences, what, a, b);
  else if (!is_same_scalar(a, b))
    add(differences, what, a, b);
}
