/* SPDX-License-Identifier: MIT */
/* SHA-256 over a canonical form: no white space, keys in byte order, numbers with 17 digits,
 * without one key on demand. So reformatting is no change and an edited number is one (DESIGN). */
#include "io/json/digest.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/base/file.h"
#include "io/json/json_write.h"

static void append_node(const AioJsonNode *node, const char *skipped, GString *out);

/* The writer knows how to quote strings and print numbers. */
static void append_scalar(const AioJsonNode *node, GString *out) {
  AioJsonWriter *writer = aio_json_writer_new(out);
  if (node->kind == AIO_JSON_STRING)
    aio_json_write_string(writer, node->string);
  else if (node->kind == AIO_JSON_NUMBER)
    aio_json_write_number(writer, node->number);
  else if (node->kind == AIO_JSON_BOOL)
    aio_json_write_bool(writer, node->boolean);
  else
    aio_json_write_null(writer);
  aio_json_writer_free(writer);
  g_string_truncate(out, out->len - 1); /* its line end */
}

static void append_string(const char *string, GString *out) {
  const AioJsonNode node = {.kind = AIO_JSON_STRING, .string = string};
  append_scalar(&node, out);
}

static gint compare_keys(gconstpointer a, gconstpointer b) {
  const AioJsonNode *const *first = a, *const *second = b;
  return strcmp((*first)->key, (*second)->key);
}

static void append_object(const AioJsonNode *object, const char *skipped, GString *out) {
  GPtrArray *members = g_ptr_array_new();
  for (gsize k = 0; k < aio_json_size(object); k++) {
    const AioJsonNode *member = aio_json_item(object, k);
    if (!g_str_has_prefix(member->key, "x_") && g_strcmp0(member->key, skipped) != 0)
      g_ptr_array_add(members, (gpointer)member);
  }
  g_ptr_array_sort(members, compare_keys);
  g_string_append_c(out, '{');
  for (guint k = 0; k < members->len; k++) {
    const AioJsonNode *member = g_ptr_array_index(members, k);
    g_string_append(out, k > 0 ? "," : "");
    append_string(member->key, out);
    g_string_append_c(out, ':');
    append_node(member, NULL, out);
  }
  g_string_append_c(out, '}');
  g_ptr_array_unref(members);
}

static void append_array(const AioJsonNode *array, GString *out) {
  g_string_append_c(out, '[');
  for (gsize k = 0; k < aio_json_size(array); k++) {
    g_string_append(out, k > 0 ? "," : "");
    append_node(aio_json_item(array, k), NULL, out);
  }
  g_string_append_c(out, ']');
}

/* Depth is bounded by AIO_JSON_MAX_DEPTH. */
static void append_node(const AioJsonNode *node, const char *skipped, GString *out) {
  if (node->kind == AIO_JSON_OBJECT)
    append_object(node, skipped, out);
  else if (node->kind == AIO_JSON_ARRAY)
    append_array(node, out);
  else
    append_scalar(node, out);
}

char *aio_bytes_digest(const char *bytes, gsize length) {
  char *hex = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, length);
  char *digest = g_strconcat("sha256:", hex, NULL);
  g_free(hex);
  return digest;
}

char *aio_json_digest(const AioJsonNode *root, const char *skipped) {
  GString *text = g_string_new(NULL);
  append_node(root, skipped, text);
  char *digest = aio_bytes_digest(text->str, text->len);
  g_string_free(text, TRUE);
  return digest;
}

char *aio_sum_digest(GChecksum *sum) {
  return g_strconcat("sha256:", g_checksum_get_string(sum), NULL);
}

char *aio_file_digest(const char *path) {
  const int fd = aio_file_open(path, NULL);
  FILE *file = fd >= 0 ? fdopen(fd, "rb") : NULL;
  if (!file) {
    if (fd >= 0)
      close(fd);
    return NULL;
  }
  GChecksum *checksum = g_checksum_new(G_CHECKSUM_SHA256);
  guchar part[1 << 16];
  for (size_t got; (got = fread(part, 1, sizeof part, file)) > 0;)
    g_checksum_update(checksum, part, (gssize)got);
  char *digest = ferror(file) ? NULL : aio_sum_digest(checksum);
  g_checksum_free(checksum);
  fclose(file);
  return digest;
}
