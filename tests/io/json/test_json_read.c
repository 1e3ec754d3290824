/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "io/json/json_read.h"

static void check_refused(const char *bytes, gsize length, const char *message) {
  GError *error = NULL;
  AioJson *json = aio_json_parse("f.json", bytes, length, &error);
  g_assert_null(json);
  g_assert_nonnull(error);
  g_assert_true(error->domain == AIO_ERROR);
  g_assert_cmpint(error->code, ==, AIO_ERROR_SYNTAX);
  g_assert_cmpstr(error->message, ==, message);
  g_error_free(error);
  g_assert_null(aio_json_parse("f.json", bytes, length, NULL));
}

static AioJson *parse(const char *text) {
  GError *error = NULL;
  AioJson *json = aio_json_parse("f.json", text, strlen(text), &error);
  g_assert_no_error(error);
  g_assert_nonnull(json);
  return json;
}

static void test_refused(void) {
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "f.json:1:1: expected a JSON value, found the end of the file"},
      {" \n\t", "f.json:2:2: expected a JSON value, found the end of the file"},
      {"# x\n1", "f.json:1:1: expected a JSON value, found '#'"},
      {"[1 # x\n]", "f.json:1:4: expected ',' or ']', found '#'"},
      {"// x\n1", "f.json:1:1: expected a JSON value, found '/'"},
      {"--- 1", "f.json:1:1: expected a JSON value, found '-'"},
      {"- 1", "f.json:1:1: expected a JSON value, found '-'"},
      {"%YAML 1.1\n--- 1", "f.json:1:1: expected a JSON value, found '%'"},
      {"a: 1", "f.json:1:1: expected a JSON value, found 'a'"},
      {"'a'", "f.json:1:1: expected a JSON value, found a single quote"},
      {"\"a\": 1", "f.json:1:4: expected the end of the file, found ':'"},
      {"nul", "f.json:1:1: expected a JSON value, found nul"},
      {"True", "f.json:1:1: expected a JSON value, found 'T'"},
      {"~", "f.json:1:1: expected a JSON value, found '~'"},
      {"1 2", "f.json:1:3: expected the end of the file, found '2'"},
      {"[1] [2]", "f.json:1:5: expected the end of the file, found '['"},
      {"[1]\n...\n", "f.json:2:1: expected the end of the file, found '.'"},
      {"[1]\n---\n[2]", "f.json:2:1: expected the end of the file, found '-'"},
      {"{\"a\":1}}", "f.json:1:8: expected the end of the file, found '}'"},
      {"[1,]", "f.json:1:3: expected ']', found a comma before it"},
      {"{\"a\":1,\n}", "f.json:1:7: expected '}', found a comma before it"},
      {"[,]", "f.json:1:2: expected a JSON value, found ','"},
      {"[1,,2]", "f.json:1:4: expected a JSON value, found ','"},
      {"[1 2]", "f.json:1:4: expected ',' or ']', found '2'"},
      {"[\"a\" \"b\"]", "f.json:1:6: expected ',' or ']', found '\"'"},
      {"[1", "f.json:1:3: expected ',' or ']', found the end of the file"},
      {"[1,", "f.json:1:4: expected a JSON value, found the end of the file"},
      {"{", "f.json:1:2: expected a key in double quotes or '}', found the end of the file"},
      {"{\"a\"", "f.json:1:5: a: expected ':' after the key, found the end of the file"},
      {"{\"a\":", "f.json:1:6: a: expected a JSON value, found the end of the file"},
      {"{\"a\":1", "f.json:1:7: expected ',' or '}', found the end of the file"},
      {"[1}", "f.json:1:3: expected ',' or ']', found '}'"},
      {"{\"a\":1]", "f.json:1:7: expected ',' or '}', found ']'"},
      {"{\"a\"}", "f.json:1:5: a: expected ':' after the key, found '}'"},
      {"{\"a\":}", "f.json:1:6: a: expected a JSON value, found '}'"},
      {"{\"a\" 1}", "f.json:1:6: a: expected ':' after the key, found '1'"},
      {"{\"a\"=1}", "f.json:1:5: a: expected ':' after the key, found '='"},
      {"{a:1}", "f.json:1:2: expected a key in double quotes, found 'a'"},
      {"{1:2}", "f.json:1:2: expected a key in double quotes, found '1'"},
      {"{'a':1}", "f.json:1:2: expected a key in double quotes, found a single quote"},
      {"{? \"a\" : 1}", "f.json:1:2: expected a key in double quotes or '}', found '?'"},
      {"{[1]:2}", "f.json:1:2: expected a key in double quotes, found '['"},
      {"[\"a\":1]", "f.json:1:5: expected ',' or ']', found ':'"},
      {"[[1]:2]", "f.json:1:2: expected a JSON value, found a pair outside braces"},
      {"[&a 1]", "f.json:1:2: expected a JSON value, found &a"},
      {"[*a]", "f.json:1:2: expected a JSON value or ']', found '*'"},
      {"[!!int 1]", "f.json:1:2: expected a JSON value, found !!int"},
      {"[a b]", "f.json:1:2: expected a JSON value, found a"},
      {"[nan]", "f.json:1:2: expected a JSON value, found nan"},
      {"[-Infinity]", "f.json:1:2: expected a JSON value, found -Infinity"},
      {"[+1]", "f.json:1:2: expected a JSON value, found +1"},
      {"[01]", "f.json:1:2: expected a JSON value, found 01"},
      {"[-]", "f.json:1:2: expected a JSON value, found -"},
      {"[1.]", "f.json:1:2: expected a JSON value, found 1."},
      {"[.5]", "f.json:1:2: expected a JSON value, found .5"},
      {"[1e]", "f.json:1:2: expected a JSON value, found 1e"},
      {"[0x10]", "f.json:1:2: expected a JSON value, found 0x10"},
      {"[1_000]", "f.json:1:2: expected a JSON value, found 1_000"},
      {"[1;2]", "f.json:1:2: expected a JSON value, found 1;2"},
      {"[1e999]", "f.json:1:2: expected a number within +-1.8e308, found 1e999"},
      {"[-1e999]", "f.json:1:2: expected a number within +-1.8e308, found -1e999"},
      {"[\"abc", "f.json:1:2: expected '\"' to end this string, found none"},
      {"[\"a\nb\"]",
       "f.json:1:4: expected '\"' to end the string on this line (or \\n, \\t in it), "
       "found the end of the line"},
      {"[\"a\tb\"]",
       "f.json:1:4: expected '\"' to end the string on this line (or \\n, \\t in it), "
       "found a tab"},
      {"[\"\\x41\"]", "f.json:1:3: expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX, "
                      "found a backslash before x"},
      {"[\"\\u12G4\"]", "f.json:1:3: expected four hexadecimal digits after \\u, found '1'"},
      {"[\"\\u0000\"]", "f.json:1:3: expected text, found the character U+0000"},
      {"[\"\\uD83D\"]", "f.json:1:3: expected a surrogate pair (or write the character itself), "
                        "found half of one, \\uD83D"},
      {"[\"\\uDE00\\uD83D\"]",
       "f.json:1:3: expected a surrogate pair (or write the character itself), "
       "found half of one, \\uDE00"},
      {"{\"b\":{\"a\":1,\n\"a\":2}}",
       "f.json:2:1: b: expected each key once, found \"a\" again (first in line 1)"},
      {"{\"\\u001B[31m\\n\":x}", "f.json:1:17: \\u001b[31m\\u000a: expected a JSON value, found x"},
      {"{\"a\":1,\"\\u0061\":2}",
       "f.json:1:8: expected each key once, found \"a\" again (first in line 1)"},
      {"\xEF\xBB\xBF[1]", "f.json:1:1: expected JSON without a byte-order mark, found U+FEFF"},
      {"[\"\xC3\xA9\xFF\"]", "f.json:1:4: expected UTF-8, found the byte 0xFF"},
      {"[\"\xED\xA0\x80\"]", "f.json:1:3: expected UTF-8, found the byte 0xED"},
      {"[\xC2\xA0"
       "1]",
       "f.json:1:2: expected a JSON value, found \xC2\xA0"
       "1"},
      {"[1,\r\n 2,\r\n x]", "f.json:3:2: expected a JSON value, found x"},
      {"{\"joints\":[{},\n  {\"limits\":{\"q_deg\":[1,2}}]}",
       "f.json:2:26: joint 2: limits.q_deg: expected ',' or ']', found '}'"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
    check_refused(cases[i].text, strlen(cases[i].text), cases[i].message);
}

static void test_bytes_refused(void) {
  check_refused("[1]\0", 4, "f.json:1:4: expected text, found the control character U+0000");
  check_refused("[1,\0 2]", 7, "f.json:1:4: expected text, found the control character U+0000");
  check_refused("[\x01]", 3, "f.json:1:2: expected text, found the control character U+0001");
}

/* Every proper beginning of a document is refused, whatever token it cuts. */
static void test_truncated(void) {
  static const char text[] =
      "{\"a\": [1.5e3, -2, \"x\\u00E9\\\"\", true, null, {}], \"b\": {\"c\": []}}";
  for (gsize length = 0; length + 1 < sizeof text; length++) {
    GError *error = NULL;
    g_assert_null(aio_json_parse("f.json", text, length, &error));
    g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
    g_error_free(error);
  }
  aio_json_free(parse(text));
}

static void test_tree(void) {
  AioJson *json =
      parse("\t{\"a\" \n : [1, -2.5e-3, true, false, null, \"x\"],\r\n"
            "\"\xC3\xA9\": \"\xE2\x80\xA8\\uD83D\\uDE00 \\\"\\\\\\/\\b\\f\\n\\r\\t #%&*!|>'\", "
            "\"joints\": [{}, {\"motors\": [{\"g\": 7}], \"q\": [[8, 9]]}]}\n \t");
  const AioJsonNode *root = aio_json_root(json);
  g_assert_cmpint(root->kind, ==, AIO_JSON_OBJECT);
  g_assert_cmpuint(aio_json_size(root), ==, 3);
  const AioJsonNode *a = aio_json_member(root, "a");
  g_assert_cmpuint(a->key_line, ==, 1);
  g_assert_cmpuint(a->key_column, ==, 3);
  g_assert_cmpuint(a->line, ==, 2);
  g_assert_cmpuint(a->column, ==, 4);
  g_assert_cmpfloat(aio_json_item(a, 1)->number, ==, -2.5e-3);
  g_assert_cmpint(aio_json_item(a, 2)->kind, ==, AIO_JSON_BOOL);
  g_assert_true(aio_json_item(a, 2)->boolean);
  g_assert_cmpint(aio_json_item(a, 4)->kind, ==, AIO_JSON_NULL);
  const AioJsonNode *text = aio_json_member(root, "\xC3\xA9");
  g_assert_cmpuint(text->line, ==, 3);
  g_assert_cmpuint(text->column, ==, 6);
  g_assert_cmpstr(text->string, ==, "\xE2\x80\xA8\xF0\x9F\x98\x80 \"\\/\b\f\n\r\t #%&*!|>'");
  const AioJsonNode *joint = aio_json_item(aio_json_member(root, "joints"), 1);
  const AioJsonNode *g = aio_json_item(aio_json_item(joint, 0), 0)->children->pdata[0];
  char *path = aio_json_path(g);
  g_assert_cmpstr(path, ==, "joint 2: motor 1: g");
  g_free(path);
  path = aio_json_path(aio_json_item(aio_json_item(aio_json_member(joint, "q"), 0), 1));
  g_assert_cmpstr(path, ==, "joint 2: q[1][2]");
  g_free(path);
  char *raw = aio_json_raw(aio_json_item(joint, 0));
  g_assert_cmpstr(raw, ==, "[{\"g\": 7}]");
  g_free(raw);
  g_assert_null(aio_json_member(root, "b"));
  g_assert_null(aio_json_member(a, "a"));
  aio_json_free(json);
}

static void test_scalar_roots(void) {
  static const char *const texts[] = {"null",   " true ", "false", "-0",
                                      "0.5E+2", "\"\"",   "[]",    "{}"};
  for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
    aio_json_free(parse(texts[i]));
}

/* A key may be long and stand on another line than its colon, which YAML forbids. */
static void test_long_key(void) {
  char *key = g_strnfill(900, 'k');
  char *text = g_strdup_printf("{\"%s\"\n\n:\n\n1}", key);
  AioJson *json = parse(text);
  g_assert_cmpfloat(aio_json_member(aio_json_root(json), key)->number, ==, 1);
  aio_json_free(json);
  g_free(text);
  g_free(key);
}

static void test_depth(void) {
  GString *text = g_string_new(NULL);
  for (int i = 0; i < 64; i++)
    g_string_append_c(text, '[');
  for (int i = 0; i < 64; i++)
    g_string_append_c(text, ']');
  aio_json_free(parse(text->str));
  g_string_prepend_c(text, '[');
  g_string_append_c(text, ']');
  GError *error = NULL;
  g_assert_null(aio_json_parse("f.json", text->str, text->len, &error));
  g_assert_true(
      g_str_has_suffix(error->message, "expected at most 64 levels of nesting, found more"));
  g_assert_true(g_str_has_prefix(error->message, "f.json:1:65: "));
  g_error_free(error);
  g_string_free(text, TRUE);
}

static void test_sizes(void) {
  GError *error = NULL;
  char *big = g_strnfill((16 << 20) + 1, ' ');
  g_assert_null(aio_json_parse("f.json", big, (16 << 20) + 1, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_TOO_LARGE);
  g_clear_error(&error);
  for (gsize i = 0; i < (3 << 20); i++)
    big[i] = i % 2 ? ',' : '1';
  big[0] = '[';
  big[1] = '1';
  g_assert_null(aio_json_parse("f.json", big, 3 << 20, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_SYNTAX);
  g_assert_nonnull(strstr(error->message, "expected at most 1048576 values, found more"));
  g_error_free(error);
  g_free(big);
}

static void check_meaning(GError **error, const char *message) {
  g_assert_error(*error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_cmpstr((*error)->message, ==, message);
  g_clear_error(error);
}

static void test_accessors(void) {
  AioJson *json = parse("{\"n\": 2.5, \"i\": 3, \"s\": \"x\", \"b\": true, \"z\": null,\n"
                        " \"v\": [1, 2, \"3\"]}");
  const AioJsonNode *root = aio_json_root(json);
  GError *error = NULL;
  double number = 0, vector[3] = {7, 7, 7};
  gint64 integer = 0;
  bool boolean = false;
  const char *string = NULL;
  g_assert_true(aio_json_get_number(aio_json_member(root, "n"), &number, &error));
  g_assert_cmpfloat(number, ==, 2.5);
  g_assert_true(aio_json_get_int(aio_json_member(root, "i"), 0, 3, &integer, &error));
  g_assert_cmpint(integer, ==, 3);
  g_assert_true(aio_json_get_bool(aio_json_member(root, "b"), &boolean, &error));
  g_assert_true(boolean);
  g_assert_true(aio_json_get_string(aio_json_member(root, "s"), &string, &error));
  g_assert_cmpstr(string, ==, "x");
  g_assert_true(aio_json_get_number_or_null(aio_json_member(root, "z"), &number, &error));
  g_assert_true(isnan(number));
  g_assert_false(aio_json_get_number(aio_json_member(root, "z"), &number, &error));
  check_meaning(&error, "f.json:1:46: z: expected a number, found null");
  g_assert_false(aio_json_get_number_or_null(aio_json_member(root, "s"), &number, &error));
  check_meaning(&error, "f.json:1:25: s: expected a number or null, found \"x\"");
  g_assert_false(aio_json_get_int(aio_json_member(root, "n"), 0, 3, &integer, &error));
  check_meaning(&error, "f.json:1:7: n: expected a whole number in 0..3, found 2.5");
  g_assert_false(aio_json_get_int(aio_json_member(root, "i"), 0, 2, &integer, &error));
  check_meaning(&error, "f.json:1:17: i: expected a whole number in 0..2, found 3");
  g_assert_false(aio_json_get_string(aio_json_member(root, "v"), &string, &error));
  check_meaning(&error, "f.json:2:7: v: expected a string, found an array of 3");
  g_assert_false(aio_json_get_bool(root, &boolean, &error));
  check_meaning(&error, "f.json:1:1: expected true or false, found an object");
  g_assert_false(aio_json_get_numbers(aio_json_member(root, "v"), 2, vector, &error));
  check_meaning(&error, "f.json:2:7: v: expected an array of 2 numbers, found an array of 3");
  g_assert_false(aio_json_get_numbers(aio_json_member(root, "v"), 3, vector, &error));
  check_meaning(&error, "f.json:2:14: v[3]: expected a number, found \"3\"");
  g_assert_cmpfloat(vector[0], ==, 7);
  g_assert_null(aio_json_require(root, "w", &error));
  check_meaning(&error, "f.json:1:1: expected the key \"w\", found none");
  g_assert_null(aio_json_require(aio_json_member(root, "s"), "w", &error));
  check_meaning(&error, "f.json:1:25: s: expected an object, found \"x\"");
  aio_json_free(json);
}

static void test_unknown_keys(void) {
  static const char *const known[] = {"gear_ratio", "motor_sign", NULL};
  AioJson *json = parse("{\"gear_ratio\": 1, \"x_y\": 2}");
  GError *error = NULL;
  g_assert_true(aio_json_check_keys(aio_json_root(json), known, true, &error));
  g_assert_false(aio_json_check_keys(aio_json_root(json), known, false, &error));
  check_meaning(&error, "f.json:1:19: expected a known key, found \"x_y\"");
  aio_json_free(json);
  json = parse("{\"a\": {\n\"Gear_Ration\": 1}}");
  const AioJsonNode *a = aio_json_member(aio_json_root(json), "a");
  g_assert_false(aio_json_check_keys(a, known, true, &error));
  check_meaning(&error, "f.json:2:1: a: expected a known key, found \"Gear_Ration\" (did you mean "
                        "\"gear_ratio\"?)");
  aio_json_free(json);
}

static void test_files(void) {
  GError *error = NULL;
  g_assert_null(aio_json_load("/nonexistent/f.json", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_assert_true(g_str_has_prefix(error->message, "/nonexistent/f.json: cannot open: "));
  g_clear_error(&error);
  g_assert_null(aio_json_load("/", &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_IO);
  g_assert_cmpstr(error->message, ==, "/: expected a regular file, found a directory");
  g_clear_error(&error);
}

static void test_decimal_comma(void) {
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
    g_test_skip("locale de_DE.UTF-8 is not installed");
    return;
  }
  AioJson *json = parse("[1.5]");
  g_assert_cmpfloat(aio_json_item(aio_json_root(json), 0)->number, ==, 1.5);
  aio_json_free(json);
  test_refused();
  setlocale(LC_ALL, "C");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/json-read/refused", test_refused);
  g_test_add_func("/json-read/bytes-refused", test_bytes_refused);
  g_test_add_func("/json-read/truncated", test_truncated);
  g_test_add_func("/json-read/tree", test_tree);
  g_test_add_func("/json-read/scalar-roots", test_scalar_roots);
  g_test_add_func("/json-read/long-key", test_long_key);
  g_test_add_func("/json-read/depth", test_depth);
  g_test_add_func("/json-read/sizes", test_sizes);
  g_test_add_func("/json-read/accessors", test_accessors);
  g_test_add_func("/json-read/unknown-keys", test_unknown_keys);
  g_test_add_func("/json-read/files", test_files);
  g_test_add_func("/json-read/decimal-comma", test_decimal_comma);
  return g_test_run();
}
