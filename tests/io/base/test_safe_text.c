/* SPDX-License-Identifier: MIT */
/* What gives orders is written out; what a spreadsheet would compute is a text. */
#include <glib.h>
#include <string.h>

#include "io/base/safe_text.h"

static void test_visible(void) {
  static const char *const cases[][2] = {
      {"plain \xc3\xa9 \xe8\x87\x82", "plain \xc3\xa9 \xe8\x87\x82"},
      {"\033[31m", "\\u001b[31m"},
      {"a\177\xc2\x9b"
       "b",
       "a\\u007f\\u009bb"},
      {"soft\xc2\xadhyphen", "soft\\u00adhyphen"},
      {"\xe2\x80\xaa\xe2\x80\xae", "\\u202a\\u202e"},
      {"\xe2\x81\xa6\xe2\x81\xa9", "\\u2066\\u2069"},
      {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u200e\\u200f\\u061c"},
      {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
      {"a\xe2\x80\x8b\xe2\x81\xa0\xef\xbb\xbf", "a\\u200b\\u2060\\ufeff"},
      {"\xe2\x81\xa1\xe2\x81\xaf", "\\u2061\\u206f"},
      /* tags, which nobody sees; as in JSON */
      {"a\xf3\xa0\x80\x81\xf3\xa0\x81\x81", "a\\udb40\\udc01\\udb40\\udc41"},
      {"\xf3\xa0\x80\x80\xf3\xa0\x81\xbf", "\\udb40\\udc00\\udb40\\udc7f"},
      /* how a Han character is drawn */
      {"\xe8\xbe\xbb\xf3\xa0\x84\x80", "\xe8\xbe\xbb\xf3\xa0\x84\x80"},
      {"\xe2\x80\x8c\xe2\x80\x8d\xef\xbc\x9d", "\xe2\x80\x8c\xe2\x80\x8d\xef\xbc\x9d"},
      {"\xe2\x80\x90 \xd8\xa7", "\xe2\x80\x90 \xd8\xa7"}, /* a hyphen, an Arabic letter */
      {"cut \xe2\x80", "cut \\xe2\\x80"},
      {"line\nnext\tcell\r", "line\\u000anext\\u0009cell\\u000d"},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *once = aio_text_visible(cases[k][0], false), *twice = aio_text_visible(once, false);
    g_assert_cmpstr(once, ==, cases[k][1]);
    g_assert_cmpstr(twice, ==, once);
    g_assert_false(aio_text_has_orders(once, strlen(once)));
    g_free(twice);
    g_free(once);
  }
  char *lines = aio_text_visible("line\nnext\tcell\r", true), *none = aio_text_visible(NULL, true);
  g_assert_cmpstr(lines, ==, "line\nnext\tcell\\u000d");
  g_assert_cmpstr(none, ==, "");
  g_free(none);
  g_free(lines);
}

/* Agrees with aio_text_visible on every character there is. */
static void test_has_orders(void) {
  for (gunichar c = 1; c < 0xE1000; c++) {
    char text[8] = "";
    if (!g_unichar_validate(c))
      continue;
    const gsize n = (gsize)g_unichar_to_utf8(c, text);
    char *visible = aio_text_visible(text, true);
    g_assert_cmpint(aio_text_has_orders(text, n), ==, strncmp(visible, "\\u", 2) == 0);
    g_free(visible);
  }
}

static void test_csv(void) {
  static const char *const cases[][2] = {
      {"done", "done"},
      {"stopped, \"by hand\"", "\"stopped, \"\"by hand\"\"\""},
      {"=1+1", "\"'=1+1\""},
      {"+1", "\"'+1\""},
      {"-1", "\"'-1\""},
      {"@SUM(A1)", "\"'@SUM(A1)\""},
      {"  =1", "\"  '=1\""},
      {"a;=1", "\"a;'=1\""},
      {"\xef\xbc\x9d"
       "1",
       "\"'\xef\xbc\x9d"
       "1\""},
      {"\t=1", "\\u0009=1"},
      {"\r=1", "\\u000d=1"},
      {"a=1-2", "a=1-2"},
      {"", ""},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    GString *out = g_string_new(NULL);
    aio_text_append_csv(out, cases[k][0]);
    g_assert_cmpstr(out->str, ==, cases[k][1]);
    g_string_free(out, TRUE);
  }
}

/* A letter of three bytes at the end of a room that is too short for it. */
static void test_cut(void) {
  char half[] = "\xE9\x96\xA2\xE7\xAF", whole[] = "\xE9\x96\xA2 1";
  aio_text_cut(half);
  g_assert_cmpstr(half, ==, "\xE9\x96\xA2");
  aio_text_cut(whole);
  g_assert_cmpstr(whole, ==, "\xE9\x96\xA2 1");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/safe-text/visible", test_visible);
  g_test_add_func("/safe-text/has-orders", test_has_orders);
  g_test_add_func("/safe-text/csv", test_csv);
  g_test_add_func("/safe-text/cut", test_cut);
  return g_test_run();
}
