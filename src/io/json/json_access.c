/* SPDX-License-Identifier: MIT */
/* Typed access to the tree of json_read.h: every refusal names place, path, expected, found. */
#include <math.h>
#include <string.h>

#include "io/json/json_read.h"

gsize aio_json_size(const AioJsonNode *node) {
  return node->children ? node->children->len : 0;
}

const AioJsonNode *aio_json_item(const AioJsonNode *node, gsize index) {
  return g_ptr_array_index(node->children, index);
}

const AioJsonNode *aio_json_member(const AioJsonNode *object, const char *key) {
  if (object->kind != AIO_JSON_OBJECT)
    return NULL;
  for (gsize i = 0; i < aio_json_size(object); i++) {
    const AioJsonNode *value = aio_json_item(object, i);
    if (strcmp(value->key, key) == 0)
      return value;
  }
  return NULL;
}

char *aio_json_raw(const AioJsonNode *node) {
  return g_strndup(aio_json_bytes(node->document, NULL) + node->begin, node->end - node->begin);
}

/* "joints" -> an item is called "joint 2: "; any other array -> "coupling[2]". */
static void path_append_item(GString *path, const AioJsonNode *array, gsize index) {
  gsize length = array->key ? strlen(array->key) : 0;
  bool is_plural = length > 1 && array->key[length - 1] == 's' && path->len >= length;
  if (!is_plural) {
    g_string_append_printf(path, "[%" G_GSIZE_FORMAT "]", index + 1);
    return;
  }
  g_string_truncate(path, path->len - 1);
  g_string_append_printf(path, " %" G_GSIZE_FORMAT, index + 1);
}

static void path_append(GString *path, const AioJsonNode *node) {
  if (!node->parent)
    return;
  path_append(path, node->parent);
  if (node->parent->kind == AIO_JSON_ARRAY) {
    path_append_item(path, node->parent, node->index);
    return;
  }
  bool is_numbered = path->len > 0 && g_ascii_isdigit(path->str[path->len - 1]) &&
                     node->parent->parent && node->parent->parent->kind == AIO_JSON_ARRAY;
  g_string_append_printf(path, "%s%s", path->len == 0 ? "" : is_numbered ? ": " : ".", node->key);
}

char *aio_json_path(const AioJsonNode *node) {
  GString *path = g_string_new(NULL);
  path_append(path, node);
  return g_string_free(path, FALSE);
}

char *aio_json_found(const AioJsonNode *node) {
  gsize size = aio_json_size(node);
  if (node->kind == AIO_JSON_ARRAY)
    return size == 0 ? g_strdup("an empty array")
                     : g_strdup_printf("an array of %" G_GSIZE_FORMAT, size);
  if (node->kind == AIO_JSON_OBJECT)
    return g_strdup("an object");
  char *raw = aio_json_raw(node);
  if (g_utf8_strlen(raw, -1) > 48) {
    char *begin = g_utf8_substring(raw, 0, 45);
    g_free(raw);
    raw = g_strconcat(begin, "...", NULL);
    g_free(begin);
  }
  return raw;
}

bool aio_json_fail(const AioJsonNode *node, const char *expected, GError **error) {
  char *path = aio_json_path(node);
  char *found = aio_json_found(node);
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_json_name(node->document), node->line,
                   node->column, path, expected, found);
  g_free(found);
  g_free(path);
  return false;
}

bool aio_json_fail_with(const AioJsonNode *node, AioErrorCode code, GError **error,
                        const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *statement = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  char *path = aio_json_path(node);
  aio_error_set_at(error, code, aio_json_name(node->document), node->line, node->column, path, NULL,
                   statement);
  g_free(path);
  g_free(statement);
  return false;
}

static const char *kind_text(AioJsonKind kind) {
  static const char *const texts[] = {"null",     "true or false", "a number",
                                      "a string", "an array",      "an object"};
  return texts[kind];
}

bool aio_json_require_kind(const AioJsonNode *node, AioJsonKind kind, GError **error) {
  return node->kind == kind || aio_json_fail(node, kind_text(kind), error);
}

const AioJsonNode *aio_json_require(const AioJsonNode *object, const char *key, GError **error) {
  if (!aio_json_require_kind(object, AIO_JSON_OBJECT, error))
    return NULL;
  const AioJsonNode *value = aio_json_member(object, key);
  if (!value)
    aio_json_fail_with(object, AIO_ERROR_MEANING, error, "expected the key \"%s\", found none",
                       key);
  return value;
}

static void fail_unknown_key(const AioJsonNode *value, const char *const *known, GError **error) {
  const char *nearest = aio_error_nearest(value->key, known);
  char *hint = nearest ? g_strdup_printf(" (did you mean \"%s\"?)", nearest) : g_strdup("");
  char *key = g_utf8_strlen(value->key, -1) > 48 ? g_utf8_substring(value->key, 0, 48)
                                                 : g_strdup(value->key);
  char *found = g_strdup_printf("\"%s\"%s", key, hint);
  char *path = aio_json_path(value->parent);
  aio_error_set_at(error, AIO_ERROR_MEANING, aio_json_name(value->document), value->key_line,
                   value->key_column, path, "a known key", found);
  g_free(path);
  g_free(found);
  g_free(key);
  g_free(hint);
}

bool aio_json_check_keys(const AioJsonNode *object, const char *const *known, bool allow_x,
                         GError **error) {
  if (!aio_json_require_kind(object, AIO_JSON_OBJECT, error))
    return false;
  for (gsize i = 0; i < aio_json_size(object); i++) {
    const AioJsonNode *value = aio_json_item(object, i);
    if (g_strv_contains(known, value->key) || (allow_x && g_str_has_prefix(value->key, "x_")))
      continue;
    fail_unknown_key(value, known, error);
    return false;
  }
  return true;
}

bool aio_json_get_number(const AioJsonNode *node, double *out, GError **error) {
  if (!aio_json_require_kind(node, AIO_JSON_NUMBER, error))
    return false;
  *out = node->number;
  return true;
}

bool aio_json_get_number_or_null(const AioJsonNode *node, double *out, GError **error) {
  if (node->kind != AIO_JSON_NUMBER && node->kind != AIO_JSON_NULL)
    return aio_json_fail(node, "a number or null", error);
  *out = node->kind == AIO_JSON_NULL ? NAN : node->number;
  return true;
}

bool aio_json_get_int(const AioJsonNode *node, gint64 low, gint64 high, gint64 *out,
                      GError **error) {
  double x = node->number;
  bool is_good = node->kind == AIO_JSON_NUMBER && x == floor(x) && x >= (double)low &&
                 x <= (double)high && fabs(x) < 9007199254740992.0;
  if (!is_good) {
    char *expected =
        g_strdup_printf("a whole number in %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT, low, high);
    aio_json_fail(node, expected, error);
    g_free(expected);
    return false;
  }
  *out = (gint64)x;
  return true;
}

bool aio_json_get_bool(const AioJsonNode *node, bool *out, GError **error) {
  if (!aio_json_require_kind(node, AIO_JSON_BOOL, error))
    return false;
  *out = node->boolean;
  return true;
}

bool aio_json_get_string(const AioJsonNode *node, const char **out, GError **error) {
  if (!aio_json_require_kind(node, AIO_JSON_STRING, error))
    return false;
  *out = node->string;
  return true;
}

bool aio_json_get_numbers(const AioJsonNode *node, gsize n, double *out, GError **error) {
  if (node->kind != AIO_JSON_ARRAY || aio_json_size(node) != n) {
    char *expected = g_strdup_printf("an array of %" G_GSIZE_FORMAT " numbers", n);
    aio_json_fail(node, expected, error);
    g_free(expected);
    return false;
  }
  for (gsize i = 0; i < n; i++)
    if (!aio_json_require_kind(aio_json_item(node, i), AIO_JSON_NUMBER, error))
      return false;
  for (gsize i = 0; i < n; i++)
    out[i] = aio_json_item(node, i)->number;
  return true;
}
