/* SPDX-License-Identifier: MIT */
/* The JSON writer, read back by the reader; whole files by file.h. */
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/base/file.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

static void write_sample(AioJsonWriter *w) {
  aio_json_write_begin_object(w);
  aio_json_put_string(w, "s", "a\"b\\c\n\x01\x7F/\xC3\xA9");
  aio_json_put_string(w, "none", NULL);
  aio_json_put_number(w, "x", 0.1);
  aio_json_put_number(w, "nan", NAN);
  aio_json_put_int(w, "i", G_MININT64);
  aio_json_put_bool(w, "b", true);
  aio_json_write_key(w, "z");
  aio_json_write_null(w);
  aio_json_put_numbers(w, "v", (const double[]){1.0, -INFINITY, 0.5}, 3);
  aio_json_write_key(w, "empty");
  aio_json_write_begin_array(w);
  aio_json_write_end_array(w);
  aio_json_write_key(w, "rows");
  aio_json_write_begin_array(w);
  for (int i = 0; i < 2; i++) {
    aio_json_write_begin_array(w);
    aio_json_write_int(w, i);
    aio_json_write_end_array(w);
  }
  aio_json_write_end_array(w);
  aio_json_write_key(w, "flat");
  aio_json_write_begin_flat_object(w);
  aio_json_put_number(w, "value", 1.0);
  aio_json_put_numbers(w, "at", (const double[]){1.0, 2.0}, 2);
  aio_json_write_end_object(w);
  aio_json_write_key(w, "raw");
  aio_json_write_raw(w, "{\"k\":[ 1 ]}");
  aio_json_write_end_object(w);
}

static void test_layout(void) {
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  write_sample(w);
  aio_json_writer_free(w);
  g_assert_cmpstr(out->str, ==,
                  "{\n"
                  "  \"s\": \"a\\\"b\\\\c\\n\\u0001\\u007F/\xC3\xA9\",\n"
                  "  \"none\": null,\n"
                  "  \"x\": 0.10000000000000001,\n"
                  "  \"nan\": null,\n"
                  "  \"i\": -9223372036854775808,\n"
                  "  \"b\": true,\n"
                  "  \"z\": null,\n"
                  "  \"v\": [1, null, 0.5],\n"
                  "  \"empty\": [],\n"
                  "  \"rows\": [\n"
                  "    [0],\n"
                  "    [1]\n"
                  "  ],\n"
                  "  \"flat\": {\"value\": 1, \"at\": [1, 2]},\n"
                  "  \"raw\": {\"k\":[ 1 ]}\n"
                  "}\n");
  GError *error = NULL;
  AioJson *json = aio_json_parse("out", out->str, out->len, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(aio_json_member(aio_json_root(json), "s")->string, ==,
                  "a\"b\\c\n\x01\x7F/\xC3\xA9");
  aio_json_free(json);
  g_string_free(out, TRUE);
}

static void test_not_utf8(void) {
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_string(w, "a\xFF");
  aio_json_writer_free(w);
  g_assert_cmpstr(out->str, ==, "\"a\xEF\xBF\xBD\"\n");
  g_string_free(out, TRUE);
}

static double random_double(void) {
  union {
    guint64 bits;
    double value;
  } x;
  do
    x.bits = (guint64)g_test_rand_int() << 32 ^ (guint64)(guint32)g_test_rand_int();
  while (!isfinite(x.value));
  return x.value;
}

/* Every double comes back to the bit, in long lines too. */
static void test_numbers_return(void) {
  enum { N = 20000 };
  double *sent = g_new(double, N);
  for (int i = 0; i < N; i++)
    sent[i] = i % 2 ? random_double() : (double)g_test_rand_int_range(-1000, 1000) / 1000.0;
  GString *out = g_string_new(NULL);
  AioJsonWriter *w = aio_json_writer_new(out);
  aio_json_write_begin_array(w);
  for (int i = 0; i < N; i++)
    (i % 3 ? aio_json_write_short_number : aio_json_write_number)(w, sent[i]);
  aio_json_write_end_array(w);
  aio_json_writer_free(w);
  char **lines = g_strsplit(out->str, "\n", -1);
  for (int i = 0; lines[i]; i++)
    g_assert_cmpuint(strlen(lines[i]), <=, 100);
  g_strfreev(lines);
  GError *error = NULL;
  AioJson *json = aio_json_parse("out", out->str, out->len, &error);
  g_assert_no_error(error);
  double *got = g_new(double, N);
  g_assert_true(aio_json_get_numbers(aio_json_root(json), N, got, &error));
  g_assert_cmpmem(sent, N * sizeof *sent, got, N * sizeof *got);
  aio_json_free(json);
  g_string_free(out, TRUE);
  g_free(sent);
  g_free(got);
}

static void test_decimal_comma(void) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    g_test_skip("locale de_DE.UTF-8 is not installed");
    return;
  }
  test_layout();
  test_numbers_return();
  setlocale(LC_ALL, "C");
}

/* ---- files ---- */

static guint count_entries(const char *folder) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name(dir))
    n++;
  g_dir_close(dir);
  return n;
}

static void check_content(const char *path, const char *expected) {
  GError *error = NULL;
  gsize length = 0;
  char *bytes = aio_file_read_all(path, 1000, &length, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(bytes, length, expected, strlen(expected));
  g_assert_cmpint(bytes[length], ==, '\0');
  g_free(bytes);
}

static void test_write_file(void) {
  GError *error = NULL;
  char *folder = g_dir_make_tmp("armature-XXXXXX", &error);
  char *path = g_build_filename(folder, "a.json", NULL);
  g_assert_true(aio_file_write_atomic(path, "one", 3, false, &error));
  check_content(path, "one");
  g_assert_false(aio_file_write_atomic(path, "two", 3, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  char *message = g_strconcat(path, ": exists; use --force", NULL);
  g_assert_cmpstr(error->message, ==, message);
  g_free(message);
  g_clear_error(&error);
  check_content(path, "one");
  g_assert_cmpint(g_chmod(path, 0640), ==, 0);
  g_assert_true(aio_file_write_atomic(path, "", 0, true, &error));
  check_content(path, "");
  struct stat info;
  g_assert_cmpint(stat(path, &info), ==, 0);
  g_assert_cmpint(info.st_mode & 07777, ==, 0640);
  g_assert_cmpuint(count_entries(folder), ==, 1);
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
}

static void test_write_through_link(void) {
  GError *error = NULL;
  char *folder = g_dir_make_tmp("armature-XXXXXX", &error);
  char *path = g_build_filename(folder, "a.json", NULL);
  char *alias = g_build_filename(folder, "b.json", NULL);
  g_assert_cmpint(symlink("a.json", alias), ==, 0);
  g_assert_false(aio_file_write_atomic(alias, "one", 3, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  g_assert_true(aio_file_write_atomic(path, "one", 3, false, &error));
  g_assert_true(aio_file_write_atomic(alias, "two", 3, true, &error));
  check_content(path, "two");
  g_assert_true(g_file_test(alias, G_FILE_TEST_IS_SYMLINK));
  g_unlink(alias);
  g_unlink(path);
  g_rmdir(folder);
  g_free(alias);
  g_free(path);
  g_free(folder);
}

static void test_write_fails(void) {
  GError *error = NULL;
  g_assert_false(aio_file_write_atomic("/nonexistent/a.json", "x", 1, true, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  char *folder = g_dir_make_tmp("armature-XXXXXX", &error);
  char *path = g_build_filename(folder, "taken", NULL);
  g_assert_cmpint(g_mkdir(path, 0700), ==, 0);
  g_assert_false(aio_file_write_atomic(path, "x", 1, true, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_clear_error(&error);
  g_rmdir(path);
  g_assert_cmpint(mkfifo(path, 0600), ==, 0);
  g_assert_false(aio_file_write_atomic(path, "x", 1, true, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_nonnull(strstr(error->message, "expected a regular file to be written, found a device"));
  g_clear_error(&error);
  g_assert_cmpuint(count_entries(folder), ==, 1);
  g_unlink(path);
  g_rmdir(folder);
  g_free(path);
  g_free(folder);
}

static void test_read_too_large(void) {
  GError *error = NULL;
  gsize length = 7;
  char *path = g_test_build_filename(G_TEST_DIST, "meson.build", NULL);
  g_assert_null(aio_file_read_all(path, 10, &length, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_TOO_LARGE);
  g_assert_cmpuint(length, ==, 7);
  g_error_free(error);
  g_free(path);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/json-write/layout", test_layout);
  g_test_add_func("/json-write/not-utf8", test_not_utf8);
  g_test_add_func("/json-write/numbers-return", test_numbers_return);
  g_test_add_func("/json-write/decimal-comma", test_decimal_comma);
  g_test_add_func("/file/write", test_write_file);
  g_test_add_func("/file/write-through-link", test_write_through_link);
  g_test_add_func("/file/write-fails", test_write_fails);
  g_test_add_func("/file/read-too-large", test_read_too_large);
  return g_test_run();
}
