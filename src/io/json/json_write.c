/* SPDX-License-Identifier: MIT */
/* The writer knows how deep it is and nothing of what it writes. Numbers have 17 digits, so that
 * the same doubles come back; what is for people only is written short. */
#include "io/json/json_write.h"

#include <math.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_COLUMN = 96 };

typedef struct {
  bool is_array;
  bool is_flat;      /* stays on the line it began on */
  bool has_children; /* an array with an array or object in it: one item per line */
  gsize n;
} Level;

struct AioJsonWriter {
  GString *out;
  gsize line_start; /* offset in `out` of the line being written */
  Level stack[MAX_DEPTH];
  gsize depth;
  bool has_key; /* written, its value not yet */
};

AioJsonWriter *aio_json_writer_new(GString *out) {
  AioJsonWriter *writer = g_new0(AioJsonWriter, 1);
  writer->out = out;
  writer->line_start = out->len;
  return writer;
}

void aio_json_writer_free(AioJsonWriter *writer) {
  g_assert(writer->depth == 0 && !writer->has_key);
  g_string_append_c(writer->out, '\n');
  g_free(writer);
}

static void new_line(AioJsonWriter *writer, gsize depth) {
  g_string_append_c(writer->out, '\n');
  writer->line_start = writer->out->len;
  g_string_append_printf(writer->out, "%*s", (int)(2 * depth), "");
}

/* The comma, white space and line end that are due before the next item or key. */
static void separate(AioJsonWriter *writer, Level *level, bool is_container, gsize width) {
  bool is_first = level->n++ == 0;
  if (!is_first)
    g_string_append_c(writer->out, ',');
  if (is_container)
    level->has_children = true;
  bool is_inline = level->is_flat || (level->is_array && !level->has_children);
  bool is_full = level->is_array && !level->is_flat && !is_first &&
                 writer->out->len - writer->line_start + width > MAX_COLUMN;
  if (!is_inline || is_full)
    new_line(writer, writer->depth);
  else if (!is_first)
    g_string_append_c(writer->out, ' ');
}

static void begin_value(AioJsonWriter *writer, bool is_container, gsize width) {
  Level *level = writer->depth > 0 ? &writer->stack[writer->depth - 1] : NULL;
  g_assert(!level || level->is_array || writer->has_key);
  if (level && level->is_array)
    separate(writer, level, is_container, width);
  writer->has_key = false;
}

static void begin_container(AioJsonWriter *writer, bool is_array, bool is_flat) {
  begin_value(writer, true, 0);
  g_assert(writer->depth < MAX_DEPTH);
  bool is_inside_flat = writer->depth > 0 && writer->stack[writer->depth - 1].is_flat;
  writer->stack[writer->depth++] =
      (Level){.is_array = is_array, .is_flat = is_flat || is_inside_flat};
  g_string_append_c(writer->out, is_array ? '[' : '{');
}

static void end_container(AioJsonWriter *writer, bool is_array) {
  g_assert(writer->depth > 0 && !writer->has_key);
  const Level *level = &writer->stack[--writer->depth];
  g_assert(level->is_array == is_array);
  if (level->n > 0 && !level->is_flat && (!is_array || level->has_children))
    new_line(writer, writer->depth);
  g_string_append_c(writer->out, is_array ? ']' : '}');
}

void aio_json_write_begin_object(AioJsonWriter *writer) {
  begin_container(writer, false, false);
}

void aio_json_write_begin_flat_object(AioJsonWriter *writer) {
  begin_container(writer, false, true);
}

void aio_json_write_end_object(AioJsonWriter *writer) {
  end_container(writer, false);
}

void aio_json_write_begin_array(AioJsonWriter *writer) {
  begin_container(writer, true, false);
}

void aio_json_write_end_array(AioJsonWriter *writer) {
  end_container(writer, true);
}

static void append_quoted(GString *out, const char *string) {
  static const char codes[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
  char *valid = g_utf8_make_valid(string, -1);
  g_string_append_c(out, '"');
  for (const char *c = valid; *c; c++) {
    const char *code = strchr(codes, *c);
    if (code)
      g_string_append_printf(out, "\\%c", letters[code - codes]);
    else if ((guchar)*c < 0x20 || *c == 0x7F)
      g_string_append_printf(out, "\\u%04X", (guint)*c);
    else
      g_string_append_c(out, *c);
  }
  g_string_append_c(out, '"');
  g_free(valid);
}

void aio_json_write_key(AioJsonWriter *writer, const char *key) {
  g_assert(writer->depth > 0 && !writer->has_key);
  Level *level = &writer->stack[writer->depth - 1];
  g_assert(!level->is_array);
  separate(writer, level, false, 0);
  append_quoted(writer->out, key);
  g_string_append(writer->out, ": ");
  writer->has_key = true;
}

void aio_json_write_raw(AioJsonWriter *writer, const char *json) {
  begin_value(writer, *json == '{' || *json == '[', strlen(json));
  g_string_append(writer->out, json);
}

void aio_json_write_string(AioJsonWriter *writer, const char *string) {
  if (!string) {
    aio_json_write_null(writer);
    return;
  }
  begin_value(writer, false, strlen(string) + 2);
  append_quoted(writer->out, string);
}

void aio_json_write_number(AioJsonWriter *writer, double number) {
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  if (isfinite(number))
    aio_json_write_raw(writer, g_ascii_formatd(text, sizeof text, "%.17g", number));
  else
    aio_json_write_null(writer);
}

void aio_json_write_short_number(AioJsonWriter *writer, double number) {
  static const char *const formats[] = {"%.15g", "%.16g"};
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (gsize i = 0; i < G_N_ELEMENTS(formats) && isfinite(number); i++) {
    g_ascii_formatd(text, sizeof text, formats[i], number);
    if (g_ascii_strtod(text, NULL) == number) {
      aio_json_write_raw(writer, text);
      return;
    }
  }
  aio_json_write_number(writer, number);
}

void aio_json_write_int(AioJsonWriter *writer, gint64 number) {
  char text[32];
  g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, number);
  aio_json_write_raw(writer, text);
}

void aio_json_write_bool(AioJsonWriter *writer, bool value) {
  aio_json_write_raw(writer, value ? "true" : "false");
}

void aio_json_write_null(AioJsonWriter *writer) {
  aio_json_write_raw(writer, "null");
}

void aio_json_put_string(AioJsonWriter *writer, const char *key, const char *string) {
  aio_json_write_key(writer, key);
  aio_json_write_string(writer, string);
}

void aio_json_put_number(AioJsonWriter *writer, const char *key, double number) {
  aio_json_write_key(writer, key);
  aio_json_write_number(writer, number);
}

void aio_json_put_int(AioJsonWriter *writer, const char *key, gint64 number) {
  aio_json_write_key(writer, key);
  aio_json_write_int(writer, number);
}

void aio_json_put_bool(AioJsonWriter *writer, const char *key, bool value) {
  aio_json_write_key(writer, key);
  aio_json_write_bool(writer, value);
}

void aio_json_put_numbers(AioJsonWriter *writer, const char *key, const double *numbers, gsize n) {
  aio_json_write_key(writer, key);
  aio_json_write_begin_array(writer);
  for (gsize i = 0; i < n; i++)
    aio_json_write_number(writer, numbers[i]);
  aio_json_write_end_array(writer);
}
