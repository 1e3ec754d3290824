/* SPDX-License-Identifier: MIT */
/* A table in windows against the same table as a whole: names, values, cells, lines, and every
 * message. */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "io/csv/csv.h"

static char *directory, *path;

static void write_file(const GString *text) {
  g_assert_true(g_file_set_contents(path, text->str, (gssize)text->len, NULL));
}

static void assert_same_row(const AioCsv *whole, gsize row, const AioCsv *window, gsize at) {
  bool keep[AIO_CSV_MAX_COLUMNS];
  GString *a = g_string_new("x"), *b = g_string_new("x");
  for (gsize k = 0; k < aio_csv_columns(whole); k++)
    keep[k] = k % 3 != 1;
  aio_csv_copy_row(whole, row, keep, a);
  aio_csv_copy_row(window, at, keep, b);
  g_assert_cmpstr(a->str, ==, b->str);
  g_assert_cmpuint(aio_csv_row_line(whole, row), ==, aio_csv_row_line(window, at));
  g_string_free(a, TRUE);
  g_string_free(b, TRUE);
}

/* Reads column 0 of what is there; the error's text, NULL: none. g_free. */
static char *read_first(const AioCsv *csv, double *values) {
  const gsize column = 0;
  double *into[] = {values};
  GError *error = NULL;
  if (aio_csv_read(csv, 1, &column, into, &error))
    return NULL;
  char *text = g_strdup_printf("%d %s", error->code, error->message);
  g_clear_error(&error);
  return text;
}

static void assert_same_rows(const AioCsv *whole, AioCsv *windows) {
  double *all = g_new(double, aio_csv_rows(whole)), part[AIO_CSV_WINDOW_ROWS];
  gsize row = 0;
  char *expected = read_first(whole, all), *found = NULL;
  while (!found) {
    g_assert_true(aio_csv_next(windows, NULL));
    if (aio_csv_rows(windows) == 0)
      break;
    found = read_first(windows, part);
    for (gsize k = 0; !found && k < aio_csv_rows(windows); k++, row++) {
      g_assert_true(all[row] == part[k] || (isnan(all[row]) && isnan(part[k])));
      assert_same_row(whole, row, windows, k);
    }
  }
  g_assert_cmpstr(found, ==, expected);
  g_assert_true(expected || row == aio_csv_rows(whole));
  g_free(expected);
  g_free(found);
  g_free(all);
}

/* Both ways, twice in windows. */
static void assert_same(const GString *text) {
  GError *a = NULL, *b = NULL;
  write_file(text);
  AioCsv *whole = aio_csv_new(path, text->str, text->len, &AIO_CSV_PLAIN, &a);
  AioCsv *windows = aio_csv_open(path, &b);
  g_assert_cmpstr(a ? a->message : NULL, ==, b ? b->message : NULL);
  g_assert_true(!a || g_error_matches(b, a->domain, a->code));
  if (whole) {
    g_assert_cmpuint(aio_csv_columns(whole), ==, aio_csv_columns(windows));
    for (gsize k = 0; k < aio_csv_columns(whole); k++) {
      g_assert_cmpstr(aio_csv_column_name(whole, k), ==, aio_csv_column_name(windows, k));
      g_assert_cmpuint(aio_csv_header_column(whole, k), ==, aio_csv_header_column(windows, k));
    }
    assert_same_rows(whole, windows);
    aio_csv_rewind(windows);
    assert_same_rows(whole, windows);
  }
  aio_csv_free(whole);
  aio_csv_free(windows);
  g_clear_error(&a);
  g_clear_error(&b);
}

static GString *table(gsize rows, const char *end) {
  GString *text = g_string_new("a,\"b, c\",d");
  for (gsize k = 0; k < rows; k++)
    g_string_append_printf(text, "%s%" G_GSIZE_FORMAT ",%*s,\"x,%d\"", end, k,
                           g_test_rand_int_range(0, 200), "", g_test_rand_int_range(0, 9));
  return text;
}

static void test_tables(void) {
  static const gsize rows[] = {
      1, 2, AIO_CSV_WINDOW_ROWS - 1, AIO_CSV_WINDOW_ROWS, AIO_CSV_WINDOW_ROWS + 1, 9000};
  static const char *const ends[] = {"\n", "\r\n"}, *const last[] = {"", "\n", "\r\n\n \n", "\n\t"};
  for (gsize r = 0; r < G_N_ELEMENTS(rows); r++)
    for (gsize e = 0; e < G_N_ELEMENTS(ends) * G_N_ELEMENTS(last); e++) {
      GString *text = table(rows[r], ends[e % 2]);
      g_string_append(text, last[e / 2]);
      if (e % 3 == 0)
        g_string_prepend(text, "\xef\xbb\xbf");
      assert_same(text);
      g_string_free(text, TRUE);
    }
}

/* A thing that is wrong behind so many good rows. */
static void test_faults(void) {
  static const char *const bad[] = {"\nx,1,2", "\n1,2",   "\n\n1,2,3", "\n1,2,3,4", "\n1e999,2,3",
                                    "\n1",     "\n1,2;3", "\n\r\n",    "\n,,"};
  for (gsize k = 0; k < 4 * G_N_ELEMENTS(bad); k++) {
    GString *text = table(k < 18 ? 5 : 6000, "\n");
    g_string_append(text, bad[k / 4]);
    g_string_append(text, k % 2 ? "\n1,2,3\n" : "");
    assert_same(text);
    g_string_free(text, TRUE);
  }
}

static void test_no_tables(void) {
  static const char *const texts[] = {"",           "\n \n",      "a,b\n",   "a,b",
                                      "1,2\n3,4\n", "a;b\n1;2\n", "{\"a\":", "a\rb\r",
                                      "\n1\n",      "a\n\n\n",    "<html>"};
  for (gsize k = 0; k < G_N_ELEMENTS(texts); k++) {
    GString *text = g_string_new(texts[k]);
    assert_same(text);
    g_string_free(text, TRUE);
  }
}

static void test_nul(void) {
  for (gsize k = 0; k < 2; k++) {
    GString *text = table(k ? 9000 : 3, "\n");
    g_string_append_len(text, "\n1\0,2,3\n", 8);
    assert_same(text);
    g_string_free(text, TRUE);
  }
}

/* At the limit of a line, and beyond it: in the header, in the middle, at the end. */
static void test_long_lines(void) {
  for (gsize k = 0; k < 12; k++) {
    GString *text = g_string_new(k < 4 ? NULL : "a,b\n1,2\n");
    g_string_append_c(text, k < 4 ? 'a' : '1');
    for (gsize c = 0; c < AIO_CSV_MAX_LINE - 4 + 2 * (k % 4); c++)
      g_string_append_c(text, k < 4 ? 'a' : ' ');
    g_string_append(text, k < 4 ? ",b\n1,2\n" : ",2");
    g_string_append(text, k < 8 ? "\n3,4\n" : "");
    assert_same(text);
    g_string_free(text, TRUE);
  }
}

static void test_shortened(void) {
  GString *text = table(9000, "\n");
  GError *error = NULL;
  write_file(text);
  AioCsv *csv = aio_csv_open(path, &error);
  g_assert_no_error(error);
  g_assert_true(aio_csv_next(csv, &error));
  g_assert_cmpint(truncate(path, 300000), ==, 0);
  while (aio_csv_next(csv, &error) && aio_csv_rows(csv) > 0)
    ;
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_nonnull(strstr(error->message, "shorter"));
  g_clear_error(&error);
  aio_csv_free(csv);
  g_string_free(text, TRUE);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("armature-XXXXXX", NULL);
  path = g_build_filename(directory, "r.csv", NULL);
  g_test_add_func("/csv_window/tables", test_tables);
  g_test_add_func("/csv_window/faults", test_faults);
  g_test_add_func("/csv_window/no_tables", test_no_tables);
  g_test_add_func("/csv_window/nul", test_nul);
  g_test_add_func("/csv_window/long_lines", test_long_lines);
  g_test_add_func("/csv_window/shortened", test_shortened);
  const int code = g_test_run();
  g_unlink(path);
  g_rmdir(directory);
  g_free(path);
  g_free(directory);
  return code;
}
