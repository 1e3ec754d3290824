/* SPDX-License-Identifier: MIT */
/* libyaml for the tokens, because it marks each with its place; a grammar of JSON on the raw bytes
 * on top, because it reads much that is no JSON (DESIGN, first decision). Recursion is bounded by
 * depth, memory by the number of values. */
#include "io/json/json_read.h"

#include <string.h>
#include <yaml.h>

#include "io/base/file.h"
#include "io/json/json_scalar.h"

struct AioJson {
  char *name;
  char *bytes; /* NUL-terminated copy of the text */
  gsize length;
  GStringChunk *strings;
  AioJsonNode *root;
};

/* What the grammar allows after the token that was read last. */
typedef enum {
  NEXT_ROOT,
  NEXT_FIRST_ITEM,
  NEXT_ITEM,
  NEXT_FIRST_KEY,
  NEXT_KEY,
  NEXT_VALUE,
  NEXT_NOTHING,
  NEXT_STATES
} Next;

static const struct {
  char separator;       /* must stand before the next token, 0: none */
  const char *expected; /* instead of a wrong separator, or of a wrong token where none is needed */
} grammar[NEXT_STATES] = {
    [NEXT_ROOT] = {0, "a JSON value"},
    [NEXT_FIRST_ITEM] = {0, "a JSON value or ']'"},
    [NEXT_ITEM] = {',', "',' or ']'"},
    [NEXT_FIRST_KEY] = {0, "a key in double quotes or '}'"},
    [NEXT_KEY] = {',', "',' or '}'"},
    [NEXT_VALUE] = {':', "':' after the key"},
    [NEXT_NOTHING] = {0, "the end of the file"},
};

typedef struct {
  AioJson *json;
  yaml_parser_t yaml;
  char *masked; /* what libyaml reads: same length, see mask_text() */
  gsize at;     /* end of the token read last */
  AioJsonCursor cursor;
  gsize n_values;
  AioJsonNode *stack[AIO_JSON_MAX_DEPTH];
  GTree *keys[AIO_JSON_MAX_DEPTH]; /* of the object at that depth: name -> AioJsonNode */
  gsize depth;
  const char *key; /* read, its value not yet */
  guint key_line, key_column;
  Next next;
  GString *scratch;
  GError **error;
} Reader;

static void node_free(gpointer data) {
  AioJsonNode *node = data;
  if (!node)
    return;
  if (node->children)
    g_ptr_array_free(node->children, TRUE);
  g_free(node);
}

/* A syntax error at a byte offset; the path is that of the container being read. */
static bool fail_at(Reader *r, gsize offset, const char *expected, const char *found) {
  AioJsonCursor place = {0, 1, 1};
  aio_json_advance(r->json->bytes, &place, MIN(offset, r->json->length));
  char *path = r->depth > 0 ? aio_json_path(r->stack[r->depth - 1]) : g_strdup("");
  bool has_key = r->depth > 0 && r->key;
  char *full = has_key ? g_strconcat(path, *path ? "." : "", r->key, NULL) : g_strdup(path);
  aio_error_set_at(r->error, AIO_ERROR_SYNTAX, r->json->name, place.line, place.column, full,
                   expected, found);
  g_free(full);
  g_free(path);
  return false;
}

static bool fail_fault(Reader *r, AioJsonFault *fault) {
  fail_at(r, fault->offset, fault->expected, fault->found);
  g_free(fault->found);
  return false;
}

static bool fail_char(Reader *r, gsize offset, const char *expected) {
  char *found = aio_json_show_char(r->json->bytes, r->json->length, offset);
  fail_at(r, offset, expected, found);
  g_free(found);
  return false;
}

/* libyaml is to find brackets, separators and quoted strings, nothing else. So everything that
 * only YAML cares about is hidden from it, byte for byte: line ends and tabs become spaces, escapes
 * and characters beyond ASCII become letters, comments become words. Its marks are byte offsets
 * then, and what was hidden is judged on the true text. */
static char *mask_text(const char *text, gsize length) {
  char *masked = g_malloc(length + 1);
  for (gsize i = 0; i < length; i++) {
    guchar c = (guchar)text[i];
    if (c == '\\' && i + 1 < length) {
      masked[i++] = 'x';
      masked[i] = 'x';
    } else if (c < 0x20) {
      masked[i] = ' ';
    } else {
      masked[i] = c >= 0x7F || c == '#' || c == '\\' ? 'x' : text[i];
    }
  }
  masked[length] = '\0';
  return masked;
}

static gsize skip_space(const Reader *r, gsize at) {
  while (at < r->json->length && aio_json_is_space(r->json->bytes[at]))
    at++;
  return at;
}

/* Only white space and the separator that is due may stand between the last token and `begin`. */
static bool check_gap(Reader *r, gsize begin, char separator) {
  gsize at = skip_space(r, r->at);
  if (separator && (at >= begin || r->json->bytes[at] != separator))
    return fail_char(r, at, grammar[r->next].expected);
  if (separator)
    at = skip_space(r, at + 1);
  if (at != begin)
    return fail_char(r, MIN(at, begin), separator ? "a JSON value" : grammar[r->next].expected);
  return true;
}

static bool check_closing(Reader *r, gsize begin, char bracket) {
  gsize at = skip_space(r, r->at);
  if (at != begin && r->json->bytes[at] == ',')
    return fail_at(r, at, bracket == ']' ? "']'" : "'}'", "a comma before it");
  if (at != begin || r->json->bytes[at] != bracket)
    return fail_char(r, MIN(at, begin), grammar[r->next].expected);
  return true;
}

static AioJsonNode *node_new(Reader *r, AioJsonKind kind, gsize begin, gsize end) {
  aio_json_advance(r->json->bytes, &r->cursor, begin);
  AioJsonNode *node = g_new0(AioJsonNode, 1);
  node->kind = kind;
  node->line = r->cursor.line;
  node->column = r->cursor.column;
  node->document = r->json;
  node->begin = begin;
  node->end = end;
  return node;
}

/* Hangs a value under the current container (which owns it from here) or makes it the root. */
static void attach(Reader *r, AioJsonNode *node) {
  if (r->depth == 0) {
    r->json->root = node;
    r->next = NEXT_NOTHING;
    return;
  }
  AioJsonNode *parent = r->stack[r->depth - 1];
  node->parent = parent;
  node->index = parent->children->len;
  g_ptr_array_add(parent->children, node);
  if (parent->kind == AIO_JSON_ARRAY) {
    r->next = NEXT_ITEM;
    return;
  }
  node->key = r->key;
  node->key_line = r->key_line;
  node->key_column = r->key_column;
  g_tree_insert(r->keys[r->depth - 1], (gpointer)r->key, node);
  r->key = NULL;
  r->next = NEXT_KEY;
}

static bool read_key(Reader *r, gsize begin, gsize end) {
  const char *text = r->json->bytes;
  if (begin == end || text[begin] != '"')
    return fail_char(r, begin, "a key in double quotes");
  AioJsonFault fault;
  g_string_truncate(r->scratch, 0);
  if (!aio_json_decode_string(text, begin, end, r->scratch, &fault))
    return fail_fault(r, &fault);
  const AioJsonNode *twin = g_tree_lookup(r->keys[r->depth - 1], r->scratch->str);
  if (twin) {
    char *found = g_strdup_printf("\"%s\" again (first in line %u)", twin->key, twin->key_line);
    fail_at(r, begin, "each key once", found);
    g_free(found);
    return false;
  }
  aio_json_advance(text, &r->cursor, begin);
  r->key_line = r->cursor.line;
  r->key_column = r->cursor.column;
  r->key = g_string_chunk_insert(r->json->strings, r->scratch->str);
  r->next = NEXT_VALUE;
  return true;
}

/* The literal text[begin,end) as a node, or NULL with the fault. */
static AioJsonNode *read_literal(Reader *r, gsize begin, gsize end, AioJsonFault *fault) {
  const char *text = r->json->bytes + begin;
  gsize size = end - begin;
  if (*text == '"') {
    g_string_truncate(r->scratch, 0);
    if (!aio_json_decode_string(r->json->bytes, begin, end, r->scratch, fault))
      return NULL;
    AioJsonNode *node = node_new(r, AIO_JSON_STRING, begin, end);
    node->string = g_string_chunk_insert(r->json->strings, r->scratch->str);
    return node;
  }
  if (size == 4 && memcmp(text, "null", 4) == 0)
    return node_new(r, AIO_JSON_NULL, begin, end);
  bool is_true = size == 4 && memcmp(text, "true", 4) == 0;
  if (is_true || (size == 5 && memcmp(text, "false", 5) == 0)) {
    AioJsonNode *node = node_new(r, AIO_JSON_BOOL, begin, end);
    node->boolean = is_true;
    return node;
  }
  double value;
  if (!aio_json_decode_number(r->json->bytes, begin, end, &value, fault))
    return NULL;
  AioJsonNode *node = node_new(r, AIO_JSON_NUMBER, begin, end);
  node->number = value;
  return node;
}

/* The separator before a token, and whether there is room for one more. */
static bool open_token(Reader *r, gsize begin) {
  if (r->next == NEXT_NOTHING)
    return fail_char(r, begin, grammar[NEXT_NOTHING].expected);
  if (!check_gap(r, begin, grammar[r->next].separator))
    return false;
  bool is_key = r->next == NEXT_FIRST_KEY || r->next == NEXT_KEY;
  if (!is_key && ++r->n_values > AIO_JSON_MAX_VALUES)
    return fail_at(r, begin, "at most 1048576 values", "more");
  return true;
}

static bool is_delimiter(char c) {
  return aio_json_is_space(c) || strchr(",:[]{}\"", c) != NULL;
}

/* Where a literal that starts at `begin` ends by JSON's own rules. */
static gsize literal_end(const Reader *r, gsize begin) {
  const char *text = r->json->bytes;
  gsize at = begin + 1;
  if (text[begin] != '"') {
    while (at < r->json->length && !is_delimiter(text[at]))
      at++;
    return at;
  }
  while (at < r->json->length && text[at] != '"')
    at += text[at] == '\\' ? 2 : 1;
  return MIN(at + 1, r->json->length);
}

/* What YAML took for one thing begins with a literal: the literal is wrong, or what follows it. */
static bool fail_literal(Reader *r, gsize begin) {
  if (strchr("[{", r->json->bytes[begin]))
    return fail_at(r, begin, "a JSON value", "a pair outside braces");
  AioJsonFault fault;
  gsize end = literal_end(r, begin);
  AioJsonNode *node = read_literal(r, begin, end, &fault);
  if (!node)
    return fail_fault(r, &fault);
  node_free(node);
  AioJsonKind container = r->depth > 0 ? r->stack[r->depth - 1]->kind : AIO_JSON_NULL;
  Next after = container == AIO_JSON_ARRAY    ? NEXT_ITEM
               : container == AIO_JSON_OBJECT ? NEXT_KEY
                                              : NEXT_NOTHING;
  return fail_char(r, skip_space(r, end), grammar[after].expected);
}

static bool read_scalar(Reader *r, gsize begin, gsize end) {
  if (!open_token(r, begin))
    return false;
  if (r->next == NEXT_FIRST_KEY || r->next == NEXT_KEY)
    return read_key(r, begin, end);
  if (begin == end)
    return fail_char(r, begin, "a JSON value");
  AioJsonFault fault;
  AioJsonNode *node = read_literal(r, begin, end, &fault);
  if (!node) {
    g_free(fault.found);
    return fail_literal(r, begin);
  }
  attach(r, node);
  return true;
}

static gint compare_keys(gconstpointer a, gconstpointer b, gpointer unused) {
  (void)unused;
  return strcmp(a, b);
}

static bool read_opening(Reader *r, AioJsonKind kind, gsize begin) {
  bool is_array = kind == AIO_JSON_ARRAY;
  if (!open_token(r, begin))
    return false;
  if (r->next == NEXT_FIRST_KEY || r->next == NEXT_KEY)
    return fail_char(r, begin, "a key in double quotes");
  if (r->json->bytes[begin] != (is_array ? '[' : '{'))
    return fail_literal(r, begin);
  if (r->depth == AIO_JSON_MAX_DEPTH)
    return fail_at(r, begin, "at most 64 levels of nesting", "more");
  AioJsonNode *node = node_new(r, kind, begin, begin + 1);
  node->children = g_ptr_array_new_with_free_func(node_free);
  attach(r, node);
  r->keys[r->depth] = is_array ? NULL : g_tree_new_full(compare_keys, NULL, NULL, NULL);
  r->stack[r->depth++] = node;
  r->next = is_array ? NEXT_FIRST_ITEM : NEXT_FIRST_KEY;
  return true;
}

static bool read_closing(Reader *r, gsize begin, gsize end) {
  AioJsonNode *node = r->stack[r->depth - 1];
  bool is_array = node->kind == AIO_JSON_ARRAY;
  if (!check_closing(r, begin, is_array ? ']' : '}'))
    return false;
  node->end = end;
  r->depth--;
  g_clear_pointer(&r->keys[r->depth], g_tree_unref);
  if (r->depth == 0)
    r->next = NEXT_NOTHING;
  else
    r->next = r->stack[r->depth - 1]->kind == AIO_JSON_ARRAY ? NEXT_ITEM : NEXT_KEY;
  return true;
}

/* libyaml gave up somewhere behind the last token: say it in JSON's words if they are known. */
static bool fail_yaml(Reader *r) {
  const char *text = r->json->bytes;
  gsize at = skip_space(r, r->at);
  char separator = grammar[r->next].separator;
  if (at >= r->json->length || (separator && text[at] != separator))
    return fail_char(r, at, grammar[r->next].expected);
  if (separator)
    at = skip_space(r, at + 1);
  bool is_key = r->next == NEXT_FIRST_KEY || r->next == NEXT_KEY;
  const char *wanted = is_key ? "a key in double quotes" : "a JSON value";
  if (at >= r->json->length || strchr(",:]}", text[at]) || (is_key && text[at] != '"'))
    return fail_char(r, at, wanted);
  if (text[at] != '[' && text[at] != '{') {
    AioJsonFault fault;
    AioJsonNode *node = read_literal(r, at, literal_end(r, at), &fault);
    if (!node)
      return fail_fault(r, &fault);
    node_free(node);
  }
  const char *context = r->yaml.context ? r->yaml.context : "";
  if (strcmp(context, "while scanning a quoted scalar") == 0)
    return fail_at(r, r->yaml.context_mark.index, "'\"' to end this string", "none");
  return fail_char(r, r->yaml.problem_mark.index, "JSON");
}

static bool read_event(Reader *r, const yaml_event_t *event) {
  gsize begin = event->start_mark.index, end = event->end_mark.index;
  switch (event->type) {
  case YAML_SCALAR_EVENT:
    if (!read_scalar(r, begin, end))
      return false;
    break;
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT:
    if (!read_opening(
            r, event->type == YAML_SEQUENCE_START_EVENT ? AIO_JSON_ARRAY : AIO_JSON_OBJECT, begin))
      return false;
    end = begin + 1;
    break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    if (!read_closing(r, begin, end))
      return false;
    break;
  case YAML_ALIAS_EVENT:
    return fail_char(r, begin, grammar[r->next].expected);
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_STREAM_END_EVENT:
  case YAML_DOCUMENT_START_EVENT:
  case YAML_DOCUMENT_END_EVENT:
    return true;
  }
  r->at = end;
  return true;
}

/* Reads events until the root value is complete; what may follow it is only white space. */
static bool read_document(Reader *r) {
  r->at = skip_space(r, 0);
  gsize first = r->at;
  if (first == r->json->length || !strchr("{[\"-0123456789tfn", r->json->bytes[first]) ||
      (r->json->bytes[first] == '-' && !g_ascii_isdigit(r->json->bytes[first + 1])))
    return fail_char(r, first, grammar[NEXT_ROOT].expected);
  while (r->next != NEXT_NOTHING) {
    yaml_event_t event;
    if (!yaml_parser_parse(&r->yaml, &event))
      return fail_yaml(r);
    bool is_end = event.type == YAML_STREAM_END_EVENT;
    bool is_good = read_event(r, &event);
    yaml_event_delete(&event);
    if (!is_good)
      return false;
    if (is_end)
      return fail_char(r, r->json->length, grammar[r->next].expected);
  }
  gsize rest = skip_space(r, r->at);
  return rest == r->json->length || fail_char(r, rest, grammar[NEXT_NOTHING].expected);
}

static bool read_text(Reader *r) {
  AioJsonFault fault;
  if (!aio_json_check_text(r->json->bytes, r->json->length, &fault))
    return fail_fault(r, &fault);
  if (!yaml_parser_initialize(&r->yaml)) {
    g_set_error(r->error, AIO_ERROR, AIO_ERROR_MEMORY, "%s: out of memory", r->json->name);
    return false;
  }
  r->masked = mask_text(r->json->bytes, r->json->length);
  yaml_parser_set_encoding(&r->yaml, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r->yaml, (const guchar *)r->masked, r->json->length);
  bool is_read = read_document(r);
  while (r->depth > 0)
    g_clear_pointer(&r->keys[--r->depth], g_tree_unref);
  yaml_parser_delete(&r->yaml);
  g_free(r->masked);
  return is_read;
}

AioJson *aio_json_parse(const char *name, const char *bytes, gsize length, GError **error) {
  if (length > AIO_JSON_MAX_BYTES) {
    aio_error_set_at(error, AIO_ERROR_TOO_LARGE, name, 0, 0, NULL, "at most 16 MiB of JSON",
                     "more");
    return NULL;
  }
  AioJson *json = g_new0(AioJson, 1);
  json->name = g_strdup(name);
  json->bytes = g_malloc(length + 1);
  if (length > 0)
    memcpy(json->bytes, bytes, length);
  json->bytes[length] = '\0';
  json->length = length;
  json->strings = g_string_chunk_new(4096);
  Reader *r = g_new0(Reader, 1);
  *r = (Reader){.json = json, .cursor = {0, 1, 1}, .error = error};
  r->scratch = g_string_new(NULL);
  bool is_read = read_text(r);
  g_string_free(r->scratch, TRUE);
  g_free(r);
  if (!is_read)
    g_clear_pointer(&json, aio_json_free);
  return json;
}

AioJson *aio_json_load(const char *path, GError **error) {
  gsize length;
  char *bytes = aio_file_read_all(path, AIO_JSON_MAX_BYTES, &length, error);
  AioJson *json = bytes ? aio_json_parse(path, bytes, length, error) : NULL;
  g_free(bytes);
  return json;
}

void aio_json_free(AioJson *json) {
  if (!json)
    return;
  node_free(json->root);
  g_string_chunk_free(json->strings);
  g_free(json->bytes);
  g_free(json->name);
  g_free(json);
}

const AioJsonNode *aio_json_root(const AioJson *json) {
  return json->root;
}

const char *aio_json_name(const AioJson *json) {
  return json->name;
}

const char *aio_json_bytes(const AioJson *json, gsize *length) {
  if (length)
    *length = json->length;
  return json->bytes;
}
