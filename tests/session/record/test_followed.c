/* SPDX-License-Identifier: MIT */
/* Which motions were followed: their order, and what a file may say of them. */
#include "session/record/followed.h"

#include <string.h>

#include "io/base/said.h"

enum { JOINTS = 2, MOST_MOTIONS = 1000 };

#define TEN "0123456789"
#define A   TEN TEN TEN TEN TEN TEN "aaaa"
#define B   TEN TEN TEN TEN TEN TEN "bbbb"
#define C   TEN TEN TEN TEN TEN TEN "cccc"

static GPtrArray *two(void) {
  GPtrArray *list = ase_followed_new();
  AseFollowed *a = ase_followed_begin(list, "a.csv", A);
  a->run = 7;
  a->samples = 400;
  a->lost = 3;
  a->apart[1] = 0.25;
  ase_followed_end(a, true, "4 s");
  ase_followed_begin(list, "[1] b.csv", B)->design = 2;
  return list;
}

static GPtrArray *read_back(const char *motions) {
  GError *error = NULL;
  char *steps = g_strdup_printf("{\"joints\": 2, \"" ASE_FOLLOWED_KEY "\": %s}", motions);
  GPtrArray *list = ase_followed_new();
  const bool ok = ase_followed_from_json(list, steps, &error);
  g_assert_no_error(error);
  g_assert_true(ok);
  g_free(steps);
  return list;
}

static void test_order(void) {
  GPtrArray *list = ase_followed_new();
  g_assert_null(ase_followed_last(list));
  g_assert_null(ase_followed_to_json(list, JOINTS));
  g_ptr_array_unref(list);
  list = two();
  g_assert_null(ase_followed_find(list, C));
  g_assert_cmpuint(ase_followed_find(list, A)->samples, ==, 400);
  g_assert_cmpstr(ase_followed_last(list)->digest, ==, B);
  const AseFollowed *again = ase_followed_begin(list, "renamed.csv", A);
  g_assert_cmpuint(list->len, ==, 2);
  g_assert_true(again == ase_followed_last(list));
  g_assert_cmpstr(again->name, ==, "renamed.csv");
  g_assert_cmpint(again->run, ==, 0);
  g_ptr_array_unref(list);
}

static void test_file(void) {
  GPtrArray *list = two();
  char *json = ase_followed_to_json(list, JOINTS);
  GPtrArray *read = read_back(json);
  g_assert_cmpuint(read->len, ==, 2);
  const AseFollowed *a = read->pdata[0], *b = read->pdata[1];
  g_assert_cmpstr(a->name, ==, "a.csv");
  g_assert_cmpstr(a->digest, ==, A);
  g_assert_cmpstr(a->reason, ==, "4 s");
  g_assert_true(a->is_passed);
  g_assert_cmpuint(a->samples, ==, 400);
  g_assert_cmpuint(a->lost, ==, 3);
  g_assert_cmpfloat(a->apart[1], ==, 0.25);
  g_assert_cmpuint(a->design, ==, 0);
  g_assert_cmpint(a->run, ==, 0); /* not before it is found among the runs */
  ase_followed_meet_run(read, 8);
  g_assert_cmpint(a->run, ==, 0);
  ase_followed_meet_run(read, 7);
  g_assert_cmpint(a->run, ==, 7);
  g_assert_cmpint(b->run, ==, 0);
  /* what was on when the program ended */
  g_assert_cmpstr(b->name, ==, "[1] b.csv");
  g_assert_cmpuint(b->design, ==, 2);
  g_assert_false(b->is_on);
  g_assert_false(b->is_passed);
  char *reason = aio_said_text(b->reason);
  g_assert_cmpstr(reason, ==, "interrupted: the program ended");
  g_free(reason);
  g_free(json);
  g_ptr_array_unref(read);
  g_ptr_array_unref(list);
}

/* A file may come from anywhere. */
static void test_strangers(void) {
  static const char *const bad[] = {
      "{\"motions\": {}}",
      "{\"motions\": [1]}",
      "{\"motions\": [{\"name\": \"a\"}]}",
      "{\"motions\": [{\"name\": \"a\", \"sha256\": \"b\", \"design\": 0, \"state\": \"passed\","
      " \"reason\": \"\", \"run\": 1, \"samples\": 1, \"lost\": 0, \"apart\": []}]}",
      "{\"motions\": [{\"name\": \"a\", \"sha256\": \"" B "\", \"design\": 0, \"state\": \"lost\","
      " \"reason\": \"\", \"run\": 1, \"samples\": 1, \"lost\": 0, \"apart\": []}]}",
      "{\"motions\": [{\"name\": \"a\", \"sha256\": \"" B
      "\", \"design\": 0, \"state\": \"passed\","
      " \"reason\": \"\", \"run\": -1, \"samples\": 1, \"lost\": 0, \"apart\": []}]}",
      "{\"motions\": [{\"name\": \"a\", \"sha256\": \"" B
      "\", \"design\": 0, \"state\": \"passed\","
      " \"reason\": \"\", \"run\": 1, \"samples\": 1, \"lost\": 0, \"apart\": [0,0,0,0,0,0,0,0,0,0,"
      "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]}]}"};
  GPtrArray *list = ase_followed_new();
  for (gsize k = 0; k < G_N_ELEMENTS(bad); k++) {
    GError *error = NULL;
    g_assert_false(ase_followed_from_json(list, bad[k], &error));
    g_assert_nonnull(error);
    g_clear_error(&error);
    g_assert_cmpuint(list->len, ==, 0);
  }
  g_assert_true(ase_followed_from_json(list, "{\"joints\": 2}", NULL)); /* an earlier program's */
  g_assert_cmpuint(list->len, ==, 0);
  g_ptr_array_unref(list);
}

/* One of a text of 100 kB that looks like a sentence as its name, and as its reason. */
static char *huge(guint count) {
  char *long_text = g_strnfill(100000, 'x');
  GString *json = g_string_new("[");
  for (guint k = 0; k < count; k++)
    g_string_append_printf(
        json,
        "%s{\"name\": \"\\u0002[\\\"%s\\\"]\", \"sha256\": \"" TEN TEN TEN TEN TEN TEN
        "%04u\", \"design\": 0, \"state\": \"failed\", \"reason\": \"%s\", \"run\": 1,"
        " \"samples\": 1, \"lost\": 0, \"apart\": [0, 0]}",
        k ? "," : "", k ? "n" : long_text, k, k ? "r" : long_text);
  g_free(long_text);
  return g_string_free(g_string_append_c(json, ']'), FALSE);
}

static void test_bounds(void) {
  char *json = huge(1);
  GPtrArray *list = read_back(json);
  const AseFollowed *one = ase_followed_last(list);
  g_assert_cmpuint(strlen(one->name), ==, 255);
  g_assert_cmpint(*one->name, !=, AIO_SAID_MARK);
  g_assert_cmpuint(strlen(one->reason), <, 400);
  g_ptr_array_unref(list);
  g_free(json);
  json = huge(MOST_MOTIONS + 5);
  list = read_back(json);
  g_assert_cmpuint(list->len, ==, MOST_MOTIONS);
  g_assert_true(g_str_has_suffix(((const AseFollowed *)list->pdata[0])->digest, "0005"));
  ase_followed_begin(list, "mine.csv", C);
  g_assert_cmpuint(list->len, ==, MOST_MOTIONS);
  g_assert_cmpstr(ase_followed_last(list)->digest, ==, C);
  g_assert_true(g_str_has_suffix(((const AseFollowed *)list->pdata[0])->digest, "0006"));
  g_ptr_array_unref(list);
  g_free(json);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/followed/order", test_order);
  g_test_add_func("/followed/file", test_file);
  g_test_add_func("/followed/strangers", test_strangers);
  g_test_add_func("/followed/bounds", test_bounds);
  return g_test_run();
}
