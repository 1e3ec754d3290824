/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/base/scale.h"
#include "io/csv/csv.h"
#include "io/csv/csv_number.h"

static void check_number(const char *text, double expected) {
  double value = -1;
  g_assert_cmpint(aio_number_parse(text, strlen(text), '.', &value), ==, AIO_NUMBER_OK);
  g_assert_cmpint(memcmp(&value, &expected, sizeof value), ==, 0);
}

static void test_numbers_accepted(void) {
  check_number("0", 0);
  check_number("-0", -0.0);
  check_number("+1", 1);
  check_number("1.", 1);
  check_number(".5", .5);
  check_number("007", 7);
  check_number("1e3", 1e3);
  check_number("1E+3", 1e3);
  check_number("-1.25e-2", -1.25e-2);
  check_number("1194.9870", 1194.9870);
  check_number("0.10000000000000001", 0.1);
  check_number("9007199254740993", 9007199254740993.0);
  check_number("123456789012345678901234567890", 123456789012345678901234567890.0);
  check_number("0.000000000000000000000000000000123456789012345678901", 1.23456789012345678901e-31);
  check_number("2.2250738585072011e-308", 2.2250738585072011e-308);
  check_number("4.9e-324", 4.9e-324);
  check_number("1e-400", 0);
  check_number("1e-99999999999999999999", 0);
  check_number("0e99999", 0);
  check_number("1.7976931348623157e308", 1.7976931348623157e308);
}

static void test_numbers_refused(void) {
  static const char *const bad[] = {"",      "+",   "-",    ".",   "e5",  "1e",  "1e+",     "0x10",
                                    "inf",   "nan", "NaN",  "1,5", "1 2", "1f",  "--1",     "+-1",
                                    "1.2.3", "1_0", "1e5.", " 1",  "1 ",  "(1)", "\xc2\xbd"};
  for (gsize k = 0; k < G_N_ELEMENTS(bad); k++) {
    double value = 42;
    g_assert_cmpint(aio_number_parse(bad[k], strlen(bad[k]), '.', &value), ==,
                    AIO_NUMBER_NOT_A_NUMBER);
    g_assert_cmpfloat(value, ==, 42);
  }
  double value = 42;
  g_assert_cmpint(aio_number_parse("1e309", 5, '.', &value), ==, AIO_NUMBER_TOO_LARGE);
  g_assert_cmpint(aio_number_parse("1,5", 3, ',', &value), ==, AIO_NUMBER_OK);
  g_assert_cmpfloat(value, ==, 1.5);
}

/* The fast conversion against the library's, over digits, exponents and near-halfway values. */
static void test_numbers_random(void) {
  for (int k = 0; k < 200000; k++) {
    char text[64];
    if (k % 3 == 0) {
      const guint64 bits = ((guint64)g_test_rand_int() << 32) | (guint32)g_test_rand_int();
      double value;
      memcpy(&value, &bits, sizeof value);
      if (!isfinite(value))
        continue;
      g_ascii_formatd(text, sizeof text, k % 2 ? "%.17g" : "%.19e", value);
    } else if (k % 3 == 1) {
      g_ascii_formatd(text, sizeof text, "%.17g", g_test_rand_double_range(-100, 100));
    } else { /* exactly between two doubles, and a hair beside */
      const guint64 odd = (G_GUINT64_CONSTANT(1) << 54) + 2 * (guint32)g_test_rand_int() + 1;
      g_snprintf(text, sizeof text, "%" G_GUINT64_FORMAT "%s", odd, k % 2 ? "" : ".0001");
    }
    check_number(text, g_ascii_strtod(text, NULL));
  }
}

static AioCsv *open_text(const char *text, const AioCsvFormat *format, GError **error) {
  return aio_csv_new("r.csv", text, strlen(text), format ? format : &AIO_CSV_PLAIN, error);
}

/* Opens and reads all columns; the message must contain `expected`. */
static void check_refused_bytes(const char *text, gsize length, const AioCsvFormat *format,
                                int code, const char *expected) {
  GError *error = NULL;
  AioCsv *csv = aio_csv_new("r.csv", text, length, format ? format : &AIO_CSV_PLAIN, &error);
  if (csv) {
    const gsize n = aio_csv_columns(csv);
    gsize *columns = g_new(gsize, n);
    for (gsize k = 0; k < n; k++)
      columns[k] = k;
    double **values = g_new0(double *, n + 1);
    for (gsize k = 0; k < n; k++)
      values[k] = g_new(double, aio_csv_rows(csv));
    g_assert_false(aio_csv_read(csv, n, columns, values, &error));
    for (gsize k = 0; k < n; k++)
      g_free(values[k]);
    g_free(columns);
    g_free(values);
  }
  g_assert_error(error, AIO_ERROR, code);
  if (!strstr(error->message, expected))
    g_error("\"%s\" lacks \"%s\"", error->message, expected);
  g_clear_error(&error);
  aio_csv_free(csv);
}

static void check_refused(const char *text, int code, const char *expected) {
  check_refused_bytes(text, strlen(text), NULL, code, expected);
}

static void test_table(void) {
  const char *text =
      "\xef\xbb\xbf t_s , \"q1_rad\",note\r\n1,2,a b\r\n 3 ,,\"c, d\"\r\n4,-5e-1,\r\n\r\n";
  GError *error = NULL;
  AioCsv *csv = open_text(text, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(aio_csv_rows(csv), ==, 3);
  g_assert_cmpuint(aio_csv_columns(csv), ==, 3);
  g_assert_cmpstr(aio_csv_column_name(csv, 0), ==, "t_s");
  g_assert_cmpstr(aio_csv_column_name(csv, 1), ==, "q1_rad");
  g_assert_cmpuint(aio_csv_row_line(csv, 1), ==, 3);
  g_assert_cmpuint(aio_csv_header_column(csv, 1), ==, 8);
  double values[6];
  g_assert_true(
      aio_csv_read(csv, 2, (const gsize[]){1, 0}, (double *[]){values, values + 3}, &error));
  g_assert_cmpfloat(values[0], ==, 2);
  g_assert_true(isnan(values[1]));
  g_assert_cmpfloat(values[2], ==, -.5);
  g_assert_cmpfloat(values[3], ==, 1);
  g_assert_cmpfloat(values[4], ==, 3);
  g_assert_cmpfloat(values[5], ==, 4);
  GString *row = g_string_new(NULL);
  aio_csv_copy_row(csv, 1, (const bool[]){true, false, true}, row);
  g_assert_cmpstr(row->str, ==, "3,\"c, d\"");
  g_string_free(row, TRUE);
  aio_csv_free(csv);
}

static void test_other_formats(void) {
  const AioCsvFormat semicolon = {false, ';', ',', 1, false};
  GError *error = NULL;
  double values[4];
  AioCsv *csv = open_text("made by X\n0,5;1\n;2,25\n", &semicolon, &error);
  g_assert_no_error(error);
  g_assert_true(
      aio_csv_read(csv, 2, (const gsize[]){0, 1}, (double *[]){values, values + 2}, &error));
  g_assert_cmpfloat(values[0], ==, 0.5);
  g_assert_true(isnan(values[1]));
  g_assert_cmpfloat(values[3], ==, 2.25);
  char *label = aio_csv_column_label(csv, 1);
  g_assert_cmpstr(label, ==, "column 2");
  g_free(label);
  aio_csv_free(csv);
  const AioCsvFormat blanks = {false, ' ', '.', 0, false};
  csv = open_text("  1.0   2.0  \n3 \t 4\n", &blanks, &error);
  g_assert_no_error(error);
  g_assert_true(
      aio_csv_read(csv, 2, (const gsize[]){0, 1}, (double *[]){values, values + 2}, &error));
  g_assert_cmpfloat(values[1], ==, 3);
  g_assert_cmpfloat(values[3], ==, 4);
  aio_csv_free(csv);
}

static void test_not_a_table(void) {
  check_refused("", AIO_ERROR_SYNTAX, "r.csv: the file is empty");
  check_refused(" \r\n\n", AIO_ERROR_SYNTAX, "the file is empty");
  check_refused("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
                AIO_ERROR_REFUSED,
                "Git LFS pointer stands in place of the recording: run `git lfs pull`");
  check_refused("/annex/objects/SHA256E-s31390--f50d7.csv\n", AIO_ERROR_REFUSED, "git annex get");
  check_refused("../.git/annex/objects/ab/cd/X.csv", AIO_ERROR_REFUSED, "git annex get");
  check_refused("\n<!DOCTYPE html><html>", AIO_ERROR_REFUSED, "a web page");
  check_refused("\x1f\x8b\x08", AIO_ERROR_REFUSED, "gunzip");
  check_refused("PK\x03\x04zzz", AIO_ERROR_REFUSED, "export the sheet as CSV");
  check_refused("{\"entries\": []}", AIO_ERROR_REFUSED, "\"input\": \"json\"");
  check_refused_bytes("\xff\xfet\0_\0s\0", 8, NULL, AIO_ERROR_REFUSED, "UTF-16");
  check_refused_bytes("t\0_\0s\0,\0", 8, NULL, AIO_ERROR_REFUSED, "UTF-16");
  check_refused_bytes("a,b\n1,2\n3,\0\n", 12, NULL, AIO_ERROR_SYNTAX,
                      "r.csv:3: expected text, found a NUL");
}

static void test_other_separators(void) {
  check_refused("a;b\n1;2\n", AIO_ERROR_SYNTAX,
                "r.csv:1:1: expected \",\" between the cells, found semicolons between the cells: "
                "set \"delimiter\"");
  check_refused("t;x,y;z\n0,1;2;3\n", AIO_ERROR_SYNTAX,
                "semicolons between the cells and decimal commas");
  check_refused("a\tb\n1\t2\n", AIO_ERROR_SYNTAX, "found tabs between the cells");
  check_refused("a b c\n1 2 3\n", AIO_ERROR_SYNTAX, "found blanks between the cells");
  check_refused("a,b\r1,2\r3,4\r", AIO_ERROR_SYNTAX,
                "r.csv:1: expected lines that end in LF, found carriage");
  check_refused(
      "a,b\n0,5,1,5\n", AIO_ERROR_SYNTAX,
      "r.csv:2: expected 2 cells as in the first line, found 4 (are there decimal commas?");
}

static void test_broken_tables(void) {
  check_refused("a,b\n", AIO_ERROR_SYNTAX,
                "r.csv:2: expected rows of numbers, found nothing behind the header");
  check_refused("1,2\n3,4\n", AIO_ERROR_SYNTAX,
                "r.csv:1:1: expected a header line that names the columns");
  check_refused("a,b\n1,2\n3\n4,5\n", AIO_ERROR_SYNTAX,
                "r.csv:3: expected 2 cells as in the first line, found 1");
  check_refused("a,b\n1,2\n\n4,5\n", AIO_ERROR_SYNTAX, "found 0 (an empty line)");
  check_refused("a,b\n1,2\n3", AIO_ERROR_SYNTAX,
                "found 1 (was the file cut off while being written?)");
  check_refused("a,b,c,d,e\n1,2,3,4,5\n1,2,3,4,5,6\n", AIO_ERROR_SYNTAX, "found 6");
  check_refused("a,b\n1,2\n3,nan\n", AIO_ERROR_SYNTAX,
                "r.csv:3:3: b: expected a number, found \"nan\"");
  check_refused("a,\xc3\xa4\n1,2\n\xc3\xa4,0x10\n", AIO_ERROR_SYNTAX,
                "r.csv:3:1: a: expected a number, found \"\xc3\xa4\"");
  check_refused("a,b\n1,1e400\n", AIO_ERROR_SYNTAX,
                "b: expected a number a double can hold, found \"1e400\"");
  check_refused("a,b\n1,\x01\x02\n", AIO_ERROR_SYNTAX, "b: expected a number, found \"??\"");
  check_refused("a,b\n1,\"2\"\n", AIO_ERROR_SYNTAX, "b: expected a number, found \"\"2\"\"");
  const AioCsvFormat bare = {false, ',', '.', 0, false};
  check_refused_bytes(
      "a,b\n1,2\n", 8, &bare, AIO_ERROR_SYNTAX,
      "column 1: expected a number, found \"a\" (does the first line name the columns?)");
  const AioCsvFormat skipping = {true, ',', '.', 5, false};
  check_refused_bytes("a,b\n1,2\n", 8, &skipping, AIO_ERROR_SYNTAX,
                      "no line beyond the skipped ones");
}

static void test_huge_lines(void) {
  GString *text = g_string_new("a");
  for (int k = 0; k < AIO_CSV_MAX_COLUMNS; k++)
    g_string_append(text, ",b");
  g_string_append(text, "\n1,2\n");
  check_refused(text->str, AIO_ERROR_TOO_LARGE, "at most 4096 columns");
  g_string_assign(text, "a,b\n1,");
  for (int k = 0; k <= AIO_CSV_MAX_LINE; k++)
    g_string_append_c(text, '0');
  check_refused(text->str, AIO_ERROR_TOO_LARGE, "r.csv:2: expected at most 1 MiB in a line");
  g_string_free(text, TRUE);
}

/* A decimal-comma locale of the process changes nothing. */
static void test_locale(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "cs_CZ.UTF-8"};
  const char *set = NULL;
  for (gsize k = 0; !set && k < G_N_ELEMENTS(names); k++)
    set = setlocale(LC_ALL, names[k]);
  if (!set) {
    g_test_skip("no locale with a decimal comma is installed");
    return;
  }
  check_number("1.5", 1.5);
  check_number("0.000000000000000000000000000000125", 1.25e-31);
  setlocale(LC_ALL, "C");
}

static void test_speed(void) {
  enum { ROWS = 200000, COLUMNS = 20 };
  GString *text = g_string_new("c1");
  for (int k = 2; k <= COLUMNS; k++)
    g_string_append_printf(text, ",c%d", k);
  g_string_append_c(text, '\n');
  for (int row = 0; row < ROWS; row++) {
    for (int k = 0; k < COLUMNS; k++) {
      char number[32];
      g_ascii_formatd(number, sizeof number, "%.17g", sin(0.001 * row + k));
      g_string_append_printf(text, "%s%s", k ? "," : "", number);
    }
    g_string_append_c(text, '\n');
  }
  double *values = g_new(double, (gsize)ROWS *COLUMNS);
  gsize columns[COLUMNS];
  double *into[COLUMNS];
  for (gsize k = 0; k < COLUMNS; k++) {
    columns[k] = k;
    into[k] = values + k * ROWS;
  }
  GError *error = NULL;
  const gint64 start = g_get_monotonic_time();
  AioCsv *csv = aio_csv_new("r.csv", text->str, text->len, &AIO_CSV_PLAIN, &error);
  g_assert_true(aio_csv_read(csv, COLUMNS, columns, into, &error));
  const double seconds = 1e-6 * (double)(g_get_monotonic_time() - start);
  g_test_message("1e6 rows x 20 cells of 17 digits: %.2f s", seconds * 1e6 / ROWS);
  g_assert_cmpfloat(values[ROWS + 5], ==, sin(0.005 + 1));
  g_assert_cmpfloat(seconds, <, 20);
  aio_csv_free(csv);
  g_free(values);
  g_string_free(text, TRUE);
}

static void test_units(void) {
  g_assert_cmpfloat_with_epsilon(aio_unit_find("rpm")->to_si * 60, 2 * G_PI, 1e-15);
  g_assert_cmpfloat_with_epsilon(aio_unit_find("deg")->to_si, G_PI / 180, 1e-18);
  g_assert_cmpfloat_with_epsilon(aio_deg_from_rad(G_PI), 180, 1e-12);
  g_assert_null(aio_unit_find("degrees"));
  char *list = aio_unit_list(AIO_QUANTITY_ANGLE);
  g_assert_cmpstr(list, ==, "\"rad\", \"deg\" or \"turn\"");
  g_free(list);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/csv/numbers/accepted", test_numbers_accepted);
  g_test_add_func("/csv/numbers/refused", test_numbers_refused);
  g_test_add_func("/csv/numbers/random", test_numbers_random);
  g_test_add_func("/csv/table", test_table);
  g_test_add_func("/csv/other-formats", test_other_formats);
  g_test_add_func("/csv/not-a-table", test_not_a_table);
  g_test_add_func("/csv/other-separators", test_other_separators);
  g_test_add_func("/csv/broken", test_broken_tables);
  g_test_add_func("/csv/huge-lines", test_huge_lines);
  g_test_add_func("/csv/locale", test_locale);
  g_test_add_func("/csv/speed", test_speed);
  g_test_add_func("/csv/units", test_units);
  return g_test_run();
}
