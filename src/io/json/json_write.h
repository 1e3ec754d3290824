/* SPDX-License-Identifier: MIT */
/* Writes JSON piece by piece into a GString: UTF-8, C locale whatever the process's locale is.
 *
 * Members stand on lines of their own, indented by 2; arrays of scalars stay on one line and are
 * filled to about 100 columns; arrays of arrays or objects have one item per line. The caller keeps
 * the grammar (a key before each member value, begin and end in pairs); a violation is a
 * programming error and aborts. One writer per thread.
 *
 *   AioJsonWriter *w = aio_json_writer_new(out);
 *   aio_json_write_begin_object(w);
 *   aio_json_write_key(w, "version");
 *   aio_json_write_int(w, 1);
 *   aio_json_write_end_object(w);
 *   aio_json_writer_free(w);
 */
#ifndef ARMATURE_IO_JSON_WRITE_H
#define ARMATURE_IO_JSON_WRITE_H

#include <glib.h>
#include <stdbool.h>

typedef struct AioJsonWriter AioJsonWriter;

/* Appends to `out`, which stays the caller's. Free with aio_json_writer_free, which adds the final
 * line end; the root value must be complete by then. */
AioJsonWriter *aio_json_writer_new(GString *out);
void aio_json_writer_free(AioJsonWriter *writer);

void aio_json_write_begin_object(AioJsonWriter *writer);
/* An object on one line, with everything in it: {"value": 1, "sd": null} */
void aio_json_write_begin_flat_object(AioJsonWriter *writer);
void aio_json_write_end_object(AioJsonWriter *writer);
void aio_json_write_begin_array(AioJsonWriter *writer);
void aio_json_write_end_array(AioJsonWriter *writer);
void aio_json_write_key(AioJsonWriter *writer, const char *key);

/* NULL becomes null; bytes that are not UTF-8 become U+FFFD. */
void aio_json_write_string(AioJsonWriter *writer, const char *string);
/* 17 significant digits; NaN and infinite become null. */
void aio_json_write_number(AioJsonWriter *writer, double number);
/* The fewest of 15..17 digits that read back as the same double: for files people edit. */
void aio_json_write_short_number(AioJsonWriter *writer, double number);
void aio_json_write_int(AioJsonWriter *writer, gint64 number);
void aio_json_write_bool(AioJsonWriter *writer, bool value);
void aio_json_write_null(AioJsonWriter *writer);
/* A complete JSON value, verbatim. */
void aio_json_write_raw(AioJsonWriter *writer, const char *json);

/* key + value in one call. */
void aio_json_put_string(AioJsonWriter *writer, const char *key, const char *string);
void aio_json_put_number(AioJsonWriter *writer, const char *key, double number);
void aio_json_put_int(AioJsonWriter *writer, const char *key, gint64 number);
void aio_json_put_bool(AioJsonWriter *writer, const char *key, bool value);
void aio_json_put_numbers(AioJsonWriter *writer, const char *key, const double *numbers, gsize n);

#endif
