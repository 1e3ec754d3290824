/* SPDX-License-Identifier: MIT */
/* Reads JSON (RFC 8259, nothing looser) into an immutable tree that remembers where it was written.
 *
 * libyaml finds the tokens; every token and every gap between two tokens is then checked against
 * the JSON grammar on the raw bytes, so that no other YAML gets through. Also refused: duplicate
 * keys, nesting deeper than 64, more than 2^20 values, more than 16 MiB, numbers beyond double,
 * the character U+0000, a byte-order mark.
 *
 * Lines and columns count from 1, columns in characters. All nodes and strings belong to the
 * AioJson they came from. A tree is never changed after parsing: any number of threads may read it.
 *
 * Accessors that take a GError return false / NULL and set AIO_ERROR_MEANING with
 *   file:line:column: path: expected X, found Y
 * in which items are counted from 1 ("joint 2: limits.q_deg[1]"); their outputs stay untouched.
 */
#ifndef ARMATURE_IO_JSON_READ_H
#define ARMATURE_IO_JSON_READ_H

#include <glib.h>
#include <stdbool.h>

#include "io/base/error.h"

#define AIO_JSON_MAX_BYTES  ((gsize)16 << 20)
#define AIO_JSON_MAX_DEPTH  64
#define AIO_JSON_MAX_VALUES ((gsize)1 << 20)

typedef enum {
  AIO_JSON_NULL,
  AIO_JSON_BOOL,
  AIO_JSON_NUMBER,
  AIO_JSON_STRING,
  AIO_JSON_ARRAY,
  AIO_JSON_OBJECT
} AioJsonKind;

typedef struct AioJson AioJson;
typedef struct AioJsonNode AioJsonNode;

struct AioJsonNode {
  AioJsonKind kind;
  guint line, column;         /* of the value's first character */
  guint key_line, key_column; /* of the key, when it has one */
  const char *key;            /* member of an object: its name; else NULL */
  const AioJson *document;
  const AioJsonNode *parent; /* NULL for the root */
  gsize index;               /* position among the parent's children, from 0 */
  gsize begin, end;          /* the value's bytes in the text, [begin, end) */
  const char *string;        /* STRING: decoded, UTF-8, NUL-terminated */
  double number;             /* NUMBER: finite */
  bool boolean;              /* BOOL */
  GPtrArray *children;       /* ARRAY: items, OBJECT: member values in file order; else NULL */
};

/* Parses `length` bytes; `name` is how messages call the file (its path, as the user wrote it).
 * NULL: AIO_ERROR_SYNTAX, AIO_ERROR_TOO_LARGE. Free with aio_json_free (NULL allowed). */
AioJson *aio_json_parse(const char *name, const char *bytes, gsize length, GError **error);

/* Reads and parses a file. NULL: additionally AIO_ERROR_NOT_FOUND, AIO_ERROR_IO. */
AioJson *aio_json_load(const char *path, GError **error);
void aio_json_free(AioJson *json);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AioJson, aio_json_free)

const AioJsonNode *aio_json_root(const AioJson *json);
const char *aio_json_name(const AioJson *json);
/* The bytes that were parsed, and how many. */
const char *aio_json_bytes(const AioJson *json, gsize *length);

/* Number of items or members; 0 for a scalar. */
gsize aio_json_size(const AioJsonNode *node);
/* Item or member value number `index` from 0, in file order; index < aio_json_size(). */
const AioJsonNode *aio_json_item(const AioJsonNode *node, gsize index);
/* Value of a member; NULL when `object` is not an object or has no such key. */
const AioJsonNode *aio_json_member(const AioJsonNode *object, const char *key);

/* The value exactly as written in the file. Free with g_free. */
char *aio_json_raw(const AioJsonNode *node);
/* Where in the document: "joint 2: limits.q_deg[1]", items from 1; "" for the root. g_free it. */
char *aio_json_path(const AioJsonNode *node);
/* Short rendering of a value for messages: `"x"`, `12.5`, `an array of 3`. Free with g_free. */
char *aio_json_found(const AioJsonNode *node);

/* The member `key`, or NULL with an error that names it at the object's place. */
const AioJsonNode *aio_json_require(const AioJsonNode *object, const char *key, GError **error);
bool aio_json_require_kind(const AioJsonNode *node, AioJsonKind kind, GError **error);
/* Refuses any member whose key is not in `known` (NULL-terminated), naming the nearest known key.
 *   allow_x  keys beginning with x_ pass */
bool aio_json_check_keys(const AioJsonNode *object, const char *const *known, bool allow_x,
                         GError **error);

bool aio_json_get_number(const AioJsonNode *node, double *out, GError **error);
/* null becomes NAN. */
bool aio_json_get_number_or_null(const AioJsonNode *node, double *out, GError **error);
/* A number without fraction in low..high. */
bool aio_json_get_int(const AioJsonNode *node, gint64 low, gint64 high, gint64 *out,
                      GError **error);
bool aio_json_get_bool(const AioJsonNode *node, bool *out, GError **error);
/* *out is borrowed from the document. */
bool aio_json_get_string(const AioJsonNode *node, const char **out, GError **error);
/* An array of exactly n numbers into out[n]. */
bool aio_json_get_numbers(const AioJsonNode *node, gsize n, double *out, GError **error);

/* Sets "file:line:column: path: expected <expected>, found <the value>". Returns false, so that a
 * caller may write `return aio_json_fail(...)`. */
bool aio_json_fail(const AioJsonNode *node, const char *expected, GError **error);
/* The same place and path, followed by a free statement. Returns false. */
bool aio_json_fail_with(const AioJsonNode *node, AioErrorCode code, GError **error,
                        const char *format, ...) G_GNUC_PRINTF(4, 5);

#endif
