/* SPDX-License-Identifier: MIT */
/* A sentence is what printf would have made of it, kept or not; what a stranger wrote is text. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/base/error.h"
#include "io/base/said.h"
#include "support/support.h"

#define M "\002" /* AIO_SAID_MARK */

/* What is kept, and its text. */
static void expect(char *said, const char *kept, const char *text) {
  char *words = aio_said_text(said);
  g_assert_cmpstr(said, ==, kept);
  g_assert_cmpstr(words, ==, test_local_numbers(text));
  g_free(words);
  g_free(said);
}

static void test_values(void) {
  expect(aio_said("not swept"), M "[\"not swept\"]", "not swept");
  expect(aio_said("%u of %d, %zu %%, %s", 3u, -4, (gsize)5, "x"),
         M "[\"%u of %d, %zu %%, %s\", 3, -4, 5, \"x\"]", "3 of -4, 5 %, x");
  expect(aio_said("0x%08x, %lu", 0xbeefu, G_MAXULONG),
         M "[\"0x%08x, %lu\", 48879, 18446744073709551615]", "0x0000beef, 18446744073709551615");
  expect(aio_said("mode %04o", 0664u), M "[\"mode %04o\", 436]", "mode 0664");
  expect(aio_said("%ld", G_MINLONG), M "[\"%ld\", -9223372036854775808]", "-9223372036854775808");
  char *text = g_strdup_printf("%.3g A, %+.1f, %5.0f|", 0.1 + 0.2, 2.0, 7.4); /* or with commas */
  expect(aio_said("%.3g A, %+.1f, %5.0f|", 0.1 + 0.2, 2.0, 7.4),
         M "[\"%.3g A, %+.1f, %5.0f|\", 0.30000000000000004, 2.0, 7.4000000000000004]", text);
  g_free(text);
  expect(aio_said("%g %g", (double)NAN, -(double)INFINITY), M "[\"%g %g\", \"nan\", \"-inf\"]",
         "nan -inf");
  expect(aio_said("%s", (const char *)NULL), M "[\"%s\", \"\"]", "");
}

static void test_quotes(void) {
  expect(aio_said("\"%s\"", "a\"b\\c\nd"), M "[\"\\\"%s\\\"\", \"a\\\"b\\\\c\\u000ad\"]",
         "\"a\"b\\c\nd\"");
  expect(aio_said("%s", "\xe8\x87\x82 \xff"), M "[\"%s\", \"\xe8\x87\x82 \xef\xbf\xbd\"]",
         "\xe8\x87\x82 \xef\xbf\xbd");
}

/* A sentence within another one stays one; an array that is none is text. */
static void test_nested(void) {
  char *inner = aio_said("joint %u", 2u);
  expect(aio_said("%s: %s", inner, "[\"no"), M "[\"%s: %s\", [\"joint %u\", 2], \"[\\\"no\"]",
         "joint 2: [\"no");
  g_free(inner);
}

static void test_many(void) {
  expect(aio_said_many("%u sweep of %s", "%u sweeps of %s", 1u, "x"),
         M "[[\"%u sweep of %s\", \"%u sweeps of %s\"], 1, \"x\"]", "1 sweep of x");
  expect(aio_said_many("%u sweep of %s", "%u sweeps of %s", 5u, "x"),
         M "[[\"%u sweep of %s\", \"%u sweeps of %s\"], 5, \"x\"]", "5 sweeps of x");
}

/* Words of a table, where a % may be one; their context is not shown. */
static void test_words(void) {
  expect(aio_said_words("70 % of it"), M "[\"70 % of it\"]", "70 % of it");
  expect(aio_said_words(""), "", "");
  expect(aio_said_in("sensor", "speed"), M "[\"sensor\\u0004speed\"]", "speed");
}

/* The first whole number decides, wherever it stands. */
static void test_many_behind(void) {
  expect(aio_said_many("%.1f mA over %zu sweep", "%.1f mA over %zu sweeps", 2.5, (gsize)1),
         M "[[\"%.1f mA over %zu sweep\", \"%.1f mA over %zu sweeps\"], 2.5, 1]",
         "2.5 mA over 1 sweep");
}

static void test_many_by(void) {
  expect(aio_said_many_by(2, "%u of %u sweep", "%u of %u sweeps", 1u, 5u),
         M "[[\"%u of %u sweep\", \"%u of %u sweeps\", 2], 1, 5]", "1 of 5 sweeps");
  expect(aio_said_many_by(2, "%u of %u sweep", "%u of %u sweeps", 0u, 1u),
         M "[[\"%u of %u sweep\", \"%u of %u sweeps\", 2], 0, 1]", "0 of 1 sweep");
  expect(g_strdup(M "[[\"%u a\", \"%u b\", 99], 1]"), M "[[\"%u a\", \"%u b\", 99], 1]", "1 b");
}

static void test_joined(void) {
  char *inner = aio_said("joint %u", 2u);
  const char *const parts[] = {inner, "plain", inner};
  expect(aio_said_join(parts, 3, "; "),
         M "[\"%s; %s; %s\", [\"joint %u\", 2], \"plain\", "
           "[\"joint %u\", 2]]",
         "joint 2; plain; joint 2");
  expect(aio_said_join(parts, 1, "; "), M "[\"joint %u\", 2]", "joint 2");
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

/* What is not marked is a text, whatever it looks like; what somebody marked loses the mark where
 * it comes in. */
static void test_outside(void) {
  char *said = aio_said("arm %s", "[\"held\"]");
  g_assert_cmpstr(said, ==, M "[\"arm %s\", \"[\\\"held\\\"]\"]");
  g_free(said);
  said = aio_said("arm %s", aio_said_plain(M M "[\"held\"]"));
  expect(said, M "[\"arm %s\", \"[\\\"held\\\"]\"]", "arm [\"held\"]");
  g_assert_null(aio_said_plain(NULL));
}

/* What programs of before the mark wrote is read; a text that looks like it comes back as it is. */
static void test_files(void) {
  static const char *const cases[][2] = {
      {"[\"joint %u\", 2]", M "[\"joint %u\", 2]"},
      {"[[\"%u a\", \"%u b\"], 1]", M "[[\"%u a\", \"%u b\"], 1]"},
      {M "[\"joint %u\", 2]", M "[\"joint %u\", 2]"},
      {"[\"joint %u\", 2", "[\"joint %u\", 2"},
      {"held", "held"},
      {NULL, NULL},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *said = aio_said_from_file(cases[k][0]), *file = aio_said_to_file(said);
    g_assert_cmpstr(said, ==, cases[k][1]);
    g_assert_cmpstr(file, ==, said);
    g_free(file);
    g_free(said);
  }
  char *file = aio_said_to_file("[\"held\"]"), *said = aio_said_from_file(file);
  g_assert_cmpstr(file, ==, M "[\"%s\", \"[\\\"held\\\"]\"]");
  expect(said, file, "[\"held\"]");
  g_free(file);
}

/* In a field of so many bytes. */
static void expect_copied(const char *said, gsize size, const char *kept) {
  char field[1024];
  memset(field, 'x', sizeof field);
  aio_said_copy(field, size, said);
  g_assert_cmpstr(field, ==, kept);
  g_assert_cmpint(field[size], ==, 'x');
}

#define DOTS "\xe2\x80\xa6"

/* Where a sentence has no room it has less in it; a text never ends with half a letter. */
static void test_copied(void) {
  char *said = aio_said("%s \xe8\x87\x82 %u", "a\nlong name", 7u);
  expect_copied(said, 64, M "[\"%s \xe8\x87\x82 %u\", \"a\\u000along name\", 7]");
  expect_copied(said, 33, M "[\"%s \xe8\x87\x82 %u\", \"a\\u000al" DOTS "\", 7]");
  expect_copied(said, 31, M "[\"%s \xe8\x87\x82 %u\", \"a" DOTS "\", 7]");
  expect_copied(said, 25, M "[\"%s \xe8\x87\x82 %u\", \"" DOTS "\", 7]");
  expect_copied(said, 24, DOTS);
  expect_copied(said, 3, "");
  expect_copied("arm \xe8\x87\x82\xe8\x87\x82", 10, "arm \xe8\x87\x82");
  expect_copied(NULL, 10, "");
  g_free(said);
}

/* Of several, as many as have room. */
static void test_copied_list(void) {
  const char *const letters[] = {"a", "b", "c", "d"}, *const parts[] = {
                                                          "first",
                                                          M "[\"joint %u: %s\", 2, \"held\"]",
                                                          "third", "4"};
  char *said = aio_said_join(parts, 4, "; "), *nested = aio_said("in %s", said);
  expect_copied(said, 72, said);
  expect_copied(said, 61,
                M "[\"%s; %s; %s\", \"first\", [\"joint %u: %s\", 2, \"held\"], \"" DOTS "\"]");
  expect_copied(said, 60, M "[\"%s; %s\", \"first\", [\"joint %u: %s\", 2, \"" DOTS "\"]]");
  expect_copied(said, 40, M "[\"%s; %s\", \"first\", \"" DOTS "\"]");
  expect_copied(said, 17, M "[\"%s\", \"f" DOTS "\"]");
  expect_copied(said, 14, DOTS);
  expect_copied(nested, 40, M "[\"in %s\", [\"%s; %s\", \"first\", \"" DOTS "\"]]");
  g_free(nested);
  g_free(said);
  said = aio_said_join(letters, 4, "; ");
  expect_copied(said, 39, M "[\"%s; %s; %s\", \"a\", \"b\", \"" DOTS "\"]");
  expect_copied(said, 33, M "[\"%s; %s; %s\", \"a\", \"b\", \"" DOTS "\"]");
  expect_copied(said, 32, M "[\"%s; %s\", \"a\", \"" DOTS "\"]");
  g_free(said);
}

/* Whatever its size is: it has room, is a sentence, and one that reads on in any language. */
static void test_copied_long(void) {
  GPtrArray *joints = aio_said_list_new();
  for (guint k = 1; k <= 12; k++) {
    char *why =
        aio_said("during \"%s\" its %s never changed: %.3g", "a sweep", "position", 0.25 * k);
    aio_said_list_add(joints, "joint %u: %s", k, why);
    g_free(why);
  }
  char *said = aio_said_list_join(joints, "; "), field[1024];
  g_assert_cmpuint(strlen(said), >, 1000);
  for (gsize size = 1; size <= sizeof field; size++) {
    aio_said_copy(field, size, said);
    char *text = aio_said_text(field);
    g_assert_cmpuint(strlen(field), <, size);
    g_assert_true(g_utf8_validate(field, -1, NULL));
    g_assert_true(size < 20 || g_str_has_prefix(field, M "[\"%s"));
    g_assert_null(strchr(text, '[')); /* read as a whole, each value where its directive is */
    g_assert_null(strchr(text, '%'));
    g_free(text);
  }
  g_free(said);
}

static void test_has(void) {
  char *why = aio_said("joint %u: %s", 2u, "held"), *said = aio_said("%s: %s", "Sweep", why);
  g_assert_true(aio_said_has(said, why) && aio_said_has(said, said));
  g_assert_true(aio_said_has(said, "held") && aio_said_has(said, "Sweep"));
  g_assert_false(aio_said_has(said, "joint"));
  g_assert_false(aio_said_has(said, M "[\"held\"]"));
  g_assert_false(aio_said_has(why, said));
  g_assert_true(aio_said_has("held", "held"));
  g_assert_false(aio_said_has("it is held", "held"));
  g_assert_false(aio_said_has(NULL, why) || aio_said_has(said, NULL));
  g_free(said);
  g_free(why);
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
  g_assert_cmpstr(aio_error_said(error), ==, M "[\"joint %u\", 2]");
  GError *copy = g_error_copy(error);
  g_clear_error(&error);
  g_prefix_error(&copy, "%s: ", "a.json");
  g_assert_cmpstr(copy->message, ==, "a.json: joint 2");
  g_assert_cmpstr(aio_error_said(copy), ==, M "[\"%s%s\", \"a.json: \", [\"joint %u\", 2]]");
  g_clear_error(&copy);
  aio_error_set_file_said(&copy, AIO_ERROR_IO, "a\n.json", M "[\"is gone\"]");
  g_assert_cmpstr(copy->message, ==, "a\\u000a.json: is gone");
  g_clear_error(&copy);
  g_set_error(&plain, AIO_ERROR, AIO_ERROR_IO, "as before");
  g_assert_cmpstr(aio_error_said(plain), ==, "as before");
  g_clear_error(&plain);
  aio_error_set_said(NULL, AIO_ERROR_IO, "nobody asks");
}

/* What a reader of files says, without where. */
static void test_error_place(void) {
  GError *error = NULL;
  aio_error_set_at(&error, AIO_ERROR_MEANING, "arm", 3, 4, "joint 2: name", "a name", "3\n");
  g_assert_cmpstr(error->message, ==, "arm:3:4: joint 2: name: expected a name, found 3\\u000a");
  GError *copy = g_error_copy(error);
  g_prefix_error(&copy, "x: ");
  g_assert_cmpstr(aio_error_without_place(copy), ==,
                  "joint 2: name: expected a name, found 3\\u000a");
  g_clear_error(&copy);
  g_clear_error(&error);
  aio_error_set_said(&error, AIO_ERROR_IO, "held");
  g_assert_null(aio_error_without_place(error));
  g_clear_error(&error);
  error = g_error_new_literal(G_FILE_ERROR, 0, "arm: joint 3: held");
  g_assert_null(aio_error_without_place(error));
  g_clear_error(&error);
}

/* What was put before a sentence is what stands there, not what the lengths leave: the text may be
 * another one by now. */
static void test_error_anew(void) {
  GError *error = NULL;
  aio_error_set_said(&error, AIO_ERROR_IO, "joint %u", 2u);
  g_prefix_error(&error, "a: ");
  g_prefix_error(&error, "b: ");
  g_assert_cmpstr(aio_error_said(error), ==, M "[\"%s%s\", \"b: a: \", [\"joint %u\", 2]]");
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
      {M "[\"%2$s of %1$u\", 3, \"x\"]", "x of 3"},
      {M "[ \"a\" , 1 ]", "a"},
      {M "[\"%s %s\", \"a\"]", "%s %s"},
      {M "[\"%n%p%*d\", 1, 2]", "%n%p%*d"},
      {M "[\"%d\", 1.5]", "%d"},
      {M "[\"%g\", 1]", "%g"},
      {M "[\"%s\", 1]", "%s"},
      {M "[\"%u\", \"nan\"]", "%u"},
      {M "[\"%0$s%7$s\", \"a\"]", "%0$s%7$s"},
      {M "[\"%99999999999$s\", \"a\"]", "%99999999999$s"},
      {M "[\"%99999999999.99999999999g|\", 1.0]", NULL},
      {M "[\"%\", 1]", "%"},
      {M "[\"a\"", "[\"a\""},
      {M "[\"a\"] b", "[\"a\"] b"},
      {M "[\"a\\u0000\"]", "[\"a\\u0000\"]"},
      {M "[\"a\\", "[\"a\\"},
      {M "[\"a\", -]", "[\"a\", -]"},
      {M "[[\"a\"], 1]", "[[\"a\"], 1]"},
      {M "[\"\"]", ""},
      {M "[]", "[]"},
      {M "[", "["},
      {M, ""},
      {"[\"a\"]", "[\"a\"]"},
      {"[[\"%u a\", \"%u b\"], 1]", "[[\"%u a\", \"%u b\"], 1]"},
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
  GString *deep = g_string_new(M), *wide = g_string_new(M "[\"a\"");
  for (guint k = 0; k < 100000; k++)
    g_string_append(deep, "[\"%s\",");
  for (guint k = 0; k < 100; k++)
    g_string_append(wide, ", 1");
  g_string_append_c(wide, ']');
  char *deep_text = aio_said_text(deep->str), *wide_text = aio_said_text(wide->str);
  g_assert_cmpstr(deep_text, ==, deep->str + 1);
  g_assert_cmpstr(wide_text, ==, wide->str + 1);
  g_free(deep_text);
  g_free(wide_text);
  g_string_free(deep, TRUE);
  g_string_free(wide, TRUE);
}

/* What names its value several times, which does so in turn, would fill any memory; the text of a
 * sentence that is long anyway stays whole. */
static void test_multiplied(void) {
  for (guint depth = 1; depth < 16; depth++) {
    GString *said = g_string_new(M);
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
  expect(g_strdup(M "[[\"%d a\", \"%d b\"], -9223372036854775808]"),
         M "[[\"%d a\", \"%d b\"], -9223372036854775808]", "-9223372036854775808 b");
  expect(aio_said_many("%d a", "%d b", -1), M "[[\"%d a\", \"%d b\"], -1]", "-1 a");
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
  g_test_add_func("/said/outside", test_outside);
  g_test_add_func("/said/files", test_files);
  g_test_add_func("/said/copied", test_copied);
  g_test_add_func("/said/copied-list", test_copied_list);
  g_test_add_func("/said/copied-long", test_copied_long);
  g_test_add_func("/said/has", test_has);
  g_test_add_func("/said/shown", test_shown);
  g_test_add_func("/said/error", test_error);
  g_test_add_func("/said/error-anew", test_error_anew);
  g_test_add_func("/said/error-place", test_error_place);
  g_test_add_func("/said/strangers", test_strangers);
  g_test_add_func("/said/bounds", test_bounds);
  g_test_add_func("/said/multiplied", test_multiplied);
  g_test_add_func("/said/many-below", test_many_below);
  return g_test_run();
}
