/* SPDX-License-Identifier: MIT */
/* The grammar of JSON text below the level of arrays and objects (RFC 8259, sections 2, 6, 7, 8).
 * For json_read.c only. Re-entrant. */
#ifndef ARMATURE_IO_JSON_SCALAR_H
#define ARMATURE_IO_JSON_SCALAR_H

#include <glib.h>
#include <stdbool.h>

/* What is wrong and where: byte offset in the text; expected and found as in a message. */
typedef struct {
  gsize offset;
  const char *expected; /* static storage */
  char *found;          /* g_free */
} AioJsonFault;

static inline bool aio_json_is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One character of the text for a message: `','`, `the control character U+0001`,
 * `the end of the file`. Free with g_free. */
char *aio_json_show_char(const char *text, gsize length, gsize offset);

/* Refuses invalid UTF-8, a byte-order mark and control characters other than tab and line ends. */
bool aio_json_check_text(const char *text, gsize length, AioJsonFault *fault);

/* Decodes the string literal text[begin,end), quotes included. Appends to `out`. */
bool aio_json_decode_string(const char *text, gsize begin, gsize end, GString *out,
                            AioJsonFault *fault);

/* Reads the number literal text[begin,end). */
bool aio_json_decode_number(const char *text, gsize begin, gsize end, double *out,
                            AioJsonFault *fault);

/* A place in the text that only moves forward; line ends are \n, \r\n and \r. Start: {0, 1, 1}. */
typedef struct {
  gsize offset;
  guint line, column; /* from 1, columns in characters */
} AioJsonCursor;

/* Moves to `offset` >= cursor->offset; text[] must be NUL-terminated. */
void aio_json_advance(const char *text, AioJsonCursor *cursor, gsize offset);

#endif
