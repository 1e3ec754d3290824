/* SPDX-License-Identifier: MIT */
/* A sentence is what printf would have made of it, kept or not; what a stranger wrote is text. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/base/error.h"
#include "io/base/said.h"
#include "support/support.h"

/* What is kept, and its text. */
static void expect(char *said, const char *kept, const char *text) {
  char *words = aio_said_text(said);
  g_assert_cmpstr(said, ==, kept);
  g_assert_cmpstr(words, ==, test_local_numbers(text));
  g_free(words);
  g_free(said);
}

static void test_values(void) {
  expect(aio_said("not swept"), "[\"not swept\"]", "not swept");
  expect(aio_said("%u of %d, %zu %%, %s", 3u, -4, (gsize)5, "x"),
         "[\"%u of %d, %zu %%, %s\", 3, -4, 5, \"x\"]", "3 of -4, 5 %, x");
  expect(aio_said("0x%08x, %lu", 0xbeefu, G_MAXULONG),
         "[\"0x%08x, %lu\", 48879, 18446744073709551615]", "0x0000beef, 18446744073709551615");
  expect(aio_said("mode %04o", 0664u), "[\"mode %04o\", 436]", "mode 0664");
  expect(aio_said("%ld", G_MINLONG), "[\"%ld\", -9223372036854775808]", "-9223372036854775808");
  char *text = g_strdup_printf("%.3g A, %+.1f, %5.0f|", 0.1 + 0.2, 2.0, 7.4); /* or with commas */
  expect(aio_said("%.3g A, %+.1f, %5.0f|", 0.1 + 0.2, 2.0, 7.4),
         "[\"%.3g A, %+.1f, %5.0f|\", 0.30000000000000004, 2.0, 7.4000000000000004]", text);
  g_free(text);
  expect(aio_said("%g %g", (double)NAN, -(double)INFINITY), "[\"%g %g\", \"nan\", \"-inf\"]",
         "nan -inf");
  expect(aio_said("%s", (const char *)NULL), "[\"%s\", \"\"]", "");
}

static void test_quotes(void) {
  expect(aio_said("\"%s\"", "a\"b\\c\nd"), "[\"\\\"%s\\\"\", \"a\\\"b\\\\c\\u000ad\"]",
         "\"a\"b\\c\nd\"");
  expect(aio_said("%s", "\xe8\x87\x82 \xff"), "[\"%s\", \"\xe8\x87\x82 \xef\xbf\xbd\"]",
         "\xe8\x87\x82 \xef\xbf\xbd");
}

/* A sentence within another one stays one; an array that is none is text. */
static void test_nested(void) {
  char *inner = aio_said("joint %u", 2u);
  expect(aio_said("%s: %s", inner, "[\"no"), "[\"%s: %s\", [\"joint %u\", 2], \"[\\\"no\"]",
         "joint 2: [\"no");
  g_free(inner);
}

static void test_many(void) {
  expect(aio_said_many("%u sweep of %s", "%u sweeps of %s", 1u, "x"),
         "[[\"%u sweep of %s\", \"%u sweeps of %s\"], 1, \"x\"]", "1 sweep of x");
  expect(aio_said_many("%u sweep of %s", "%u sweeps of %s", 5u, "x"),
         "[[\"%u sweep of %s\", \"%u sweeps of %s\"], 5, \"x\"]", "5 sweeps of x");
}

/* Words of a table, where a % may be one; their context is not shown. */
static void test_words(void) {
  expect(aio_said_words("70 % of it"), "[\"70 % of it\"]", "70 % of it");
  expect(aio_said_words(""), "", "");
  expect(aio_said_in("sensor", "speed"), "[\"sensor\\u0004speed\"]", "speed");
}

/* The first whole number decides, wherever it stands. */
static void test_many_behind(void) {
  expect(aio_said_many("%.1f mA over %zu sweep", "%.1f mA over %zu sweeps", 2.5, (gsize)1),
         "[[\"%.1f mA over %zu sweep\", \"%.1f mA over %zu sweeps\"], 2.5, 1]",
         "2.5 mA over 1 sweep");
}

static void test_many_by(void) {
  expect(aio_said_many_by(2, "%u of %u sweep", "%u of %u sweeps", 1u, 5u),
         "[[\"%u of %u sweep\", \"%u of %u sweeps\", 2], 1, 5]", "1 of 5 sweeps");
  expect(aio_said_many_by(2, "%u of %u sweep", "%u of %u sweeps", 0u, 1u),
         "[[\"%u of %u sweep\", \"%u of %u sweeps\", 2], 0, 1]", "0 of 1 sweep");
  expect(g_strdup("[[\"%u a\", \"%u b\", 99], 1]"), "[[\"%u a\", \"%u b\", 99], 1]", "1 b");
}

static void test_joined(void) {
  char *inner = aio_said("joint %u", 2u);
  const char *const parts[] = {inner, "plain", inner};
  expect(aio_said_join(parts, 3, "; "),
         "[\"%s; %s; %s\", [\"joint %u\", 2], \"plain\", "
         "[\"joint %u\", 2]]",
         "joint 2; plain; joint 2");
  expect(aio_said_join(parts, 1, "; "), "[\"joint %u\", 2]", "joint 2");
  expect(aio_said_join(parts, 0, "; "), "", "");
  const char *all[70];
  GString *text = g_string_new(NULL);
  for (guint k = 0; k < G_N_ELEMENTS(all); k++) {
    all[k] = inner;
    g_string_append_printf(text, "%sjoint 2", k ? ", " : "");
  }
  char *said = aio_said_join(all, G_N_ELEMENTS(all), ", "), *shown = aio_said_text(said);
  g_assert_cmpstr(shown, ==, text->str);
  g_free(shown);
  g_free(said);
  g_string_free(text, TRUE);
  g_free(inner);
}

/* Where there is no room for the sentence there may be for its text, never for half a letter. */
static void test_copied(void) {
  char *said = aio_said("%s \xe8\x87\x82\xe8\x87\x82", "arm"), field[64];
  aio_said_copy(field, sizeof field, said);
  g_assert_cmpstr(field, ==, said);
  aio_said_copy(field, 12, said);
  g_assert_cmpstr(field, ==, "arm \xe8\x87\x82\xe8\x87\x82");
  aio_said_copy(field, 10, said);
  g_assert_cmpstr(field, ==, "arm \xe8\x87\x82");
  aio_said_copy(field, sizeof field, NULL);
  g_assert_cmpstr(field, ==, "");
  g_free(said);
}

static void test_shown(void) {
  char *said = aio_said("joint %u\xe2\x80\xae\n%s", 2u, "x\n");
  char *line = aio_said_line(said);
  g_assert_cmpstr(line, ==, "joint 2\\u202e\\u000ax\\u000a");
  g_free(line);
  g_assert_cmpstr(aio_said_shown(said), ==, "joint 2\\u202e\\u000ax\\u000a");
  g_assert_true(aio_said_shown(said) == aio_said_shown(said));
  g_assert_cmpstr(aio_said_shown(NULL), ==, "");
  g_free(said);
  char twice_there[] = "twice";
  g_assert_true(aio_said_keep(twice_there) == aio_said_keep("twice"));
  g_assert_true(aio_said_keep("twice") != twice_there);
  char *umlauts = g_strdup("x");
  for (guint k = 0; k < 12; k++) {
    char *twice = g_strdup_printf("%s\xc3\xa4%s", umlauts, umlauts);
    g_free(umlauts);
    umlauts = twice;
  }
  const char *shown = aio_said_shown(umlauts);
  g_assert_cmpuint(strlen(shown), <=, AIO_SAID_SHOWN_BYTES + 3);
  g_assert_true(g_str_has_suffix(shown, "\xe2\x80\xa6") && g_utf8_validate(shown, -1, NULL));
  g_free(umlauts);
}

/* An error has both; what was put before it is before the sentence too. */
static void test_error(void) {
  GError *error = NULL, *plain = NULL;
  aio_error_set_said(&error, AIO_ERROR_REFUSED, "joint %u", 2u);
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, "joint 2");
  g_assert_cmpstr(aio_error_said(error), ==, "[\"joint %u\", 2]");
  GError *copy = g_error_copy(error);
  g_clear_error(&error);
  g_prefix_error(&copy, "%s: ", "a.json");
  g_assert_cmpstr(copy->message, ==, "a.json: joint 2");
  g_assert_cmpstr(aio_error_said(copy), ==, "[\"%s%s\", \"a.json: \", [\"joint %u\", 2]]");
  g_clear_error(&copy);
  aio_error_set_file_said(&copy, AIO_ERROR_IO, "a\n.json", "[\"is gone\"]");
  g_assert_cmpstr(copy->message, ==, "a\\u000a.json: is gone");
  g_clear_error(&copy);
  g_set_error(&plain, AIO_ERROR, AIO_ERROR_IO, "as before");
  g_assert_cmpstr(aio_error_said(plain), ==, "as before");
  g_clear_error(&plain);
  aio_error_set_said(NULL, AIO_ERROR_IO, "nobody asks");
}

/* What was put before a sentence is what stands there, not what the lengths leave: the text may be
 * another one by now. */
static void test_error_anew(void) {
  GError *error = NULL;
  aio_error_set_said(&error, AIO_ERROR_IO, "joint %u", 2u);
  g_prefix_error(&error, "a: ");
  g_prefix_error(&error, "b: ");
  g_assert_cmpstr(aio_error_said(error), ==, "[\"%s%s\", \"b: a: \", [\"joint %u\", 2]]");
  g_free(error->message);
  error->message = g_strdup("something else");
  g_assert_cmpstr(aio_error_said(error), ==, "something else");
  g_free(error->message);
  error->message = g_strdup("2");
  g_assert_cmpstr(aio_error_said(error), ==, "2");
  g_clear_error(&error);
}

/* Directives are followed only where they agree with what is there; a translation may turn them
 * round. What is no sentence is shown as it stands. */
static void test_strangers(void) {
  static const char *const cases[][2] = {
      {"[\"%2$s of %1$u\", 3, \"x\"]", "x of 3"},
      {"[ \"a\" , 1 ]", "a"},
      {"[\"%s %s\", \"a\"]", "%s %s"},
      {"[\"%n%p%*d\", 1, 2]", "%n%p%*d"},
      {"[\"%d\", 1.5]", "%d"},
      {"[\"%g\", 1]", "%g"},
      {"[\"%s\", 1]", "%s"},
      {"[\"%u\", \"nan\"]", "%u"},
      {"[\"%0$s%7$s\", \"a\"]", "%0$s%7$s"},
      {"[\"%99999999999$s\", \"a\"]", "%99999999999$s"},
      {"[\"%99999999999.99999999999g|\", 1.0]", NULL},
      {"[\"%\", 1]", "%"},
      {"[\"a\"", "[\"a\""},
      {"[\"a\"] b", "[\"a\"] b"},
      {"[\"a\\u0000\"]", "[\"a\\u0000\"]"},
      {"[\"a\\", "[\"a\\"},
      {"[\"a\", -]", "[\"a\", -]"},
      {"[[\"a\"], 1]", "[[\"a\"], 1]"},
      {"[\"\"]", ""},
      {"[]", "[]"},
      {"[", "["},
      {"plain %s", "plain %s"},
      {"", ""},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *text = aio_said_text(cases[k][0]);
    if (cases[k][1])
      g_assert_cmpstr(text, ==, cases[k][1]);
    else
      g_assert_cmpuint(strlen(text), <, 200);
    g_free(text);
  }
  char *none = aio_said_text(NULL);
  g_assert_cmpstr(none, ==, "");
  g_free(none);
}

/* Deeper than any sentence is, and with more in it: text. */
static void test_bounds(void) {
  GString *deep = g_string_new(NULL), *wide = g_string_new("[\"a\"");
  for (guint k = 0; k < 100000; k++)
    g_string_append(deep, "[\"%s\",");
  for (guint k = 0; k < 100; k++)
    g_string_append(wide, ", 1");
  g_string_append_c(wide, ']');
  char *deep_text = aio_said_text(deep->str), *wide_text = aio_said_text(wide->str);
  g_assert_cmpstr(deep_text, ==, deep->str);
  g_assert_cmpstr(wide_text, ==, wide->str);
  g_free(deep_text);
  g_free(wide_text);
  g_string_free(deep, TRUE);
  g_string_free(wide, TRUE);
}

/* What names its value several times, which does so in turn, would fill any memory; the text of a
 * sentence that is long anyway stays whole. */
static void test_multiplied(void) {
  for (guint depth = 1; depth < 16; depth++) {
    GString *said = g_string_new(NULL);
    for (guint k = 0; k < depth; k++)
      g_string_append(said, "[\"%1$s%1$s\", ");
    g_string_append(said, "\"aaaaaaaa\"");
    for (guint k = 0; k < depth; k++)
      g_string_append_c(said, ']');
    char *text = aio_said_text(said->str);
    g_assert_cmpuint(strlen(text), <=, 2 * (2000 + 4 * said->len)); /* the last one may be whole */
    g_free(text);
    g_string_free(said, TRUE);
  }
  char *many = g_strnfill(20000, 'a'), *whole = aio_said("%s%s", many, "b");
  char *text = aio_said_text(whole);
  g_assert_cmpuint(strlen(text), ==, 20001);
  g_free(text);
  g_free(whole);
  g_free(many);
}

/* The smallest whole number has no magnitude of its type. */
static void test_many_below(void) {
  expect(g_strdup("[[\"%d a\", \"%d b\"], -9223372036854775808]"),
         "[[\"%d a\", \"%d b\"], -9223372036854775808]", "-9223372036854775808 b");
  expect(aio_said_many("%d a", "%d b", -1), "[[\"%d a\", \"%d b\"], -1]", "-1 a");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/said/values", test_values);
  g_test_add_func("/said/quotes", test_quotes);
  g_test_add_func("/said/nested", test_nested);
  g_test_add_func("/said/many", test_many);
  g_test_add_func("/said/words", test_words);
  g_test_add_func("/said/many-behind", test_many_behind);
  g_test_add_func("/said/many-by", test_many_by);
  g_test_add_func("/said/joined", test_joined);
  g_test_add_func("/said/copied", test_copied);
  g_test_add_func("/said/shown", test_shown);
  g_test_add_func("/said/error", test_error);
  g_test_add_func("/said/error-anew", test_error_anew);
  g_test_add_func("/said/strangers", test_strangers);
  g_test_add_func("/said/bounds", test_bounds);
  g_test_add_func("/said/multiplied", test_multiplied);
  g_test_add_func("/said/many-below", test_many_below);
  return g_test_run();
}
