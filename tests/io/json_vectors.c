/* SPDX-License-Identifier: MIT */
#include "json_vectors.h"

#include "support/support.h"

AioJson *vectors_load(const char *relative) {
  const char *path = test_shared_path(relative);
  GError *error = NULL;
  if (!path) {
    char *why = g_strdup_printf("%s is not there (ARMATURE_SHARED)", relative);
    g_test_skip(why);
    g_free(why);
    return NULL;
  }
  AioJson *json = aio_json_load(path, &error);
  g_assert_no_error(error);
  return json;
}

const AioJsonNode *vectors_member(const AioJsonNode *node, const char *key) {
  const AioJsonNode *value = aio_json_member(node, key);
  if (!value)
    g_error("the vectors have no %s", key);
  return value;
}

gsize vectors_flatten(const AioJsonNode *node, double *out) {
  gsize count = 0;
  if (node->kind == AIO_JSON_NUMBER) {
    *out = node->number;
    return 1;
  }
  for (gsize k = 0; k < aio_json_size(node); k++)
    count += vectors_flatten(aio_json_item(node, k), out + count);
  return count;
}

void vectors_read(const AioJsonNode *node, gsize count, double *out) {
  g_assert_cmpuint(vectors_flatten(node, out), ==, count);
}
