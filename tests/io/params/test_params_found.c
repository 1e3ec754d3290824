/* SPDX-License-Identifier: MIT */
/* Parameter files of a method that is not gravity's, from anybody: names that no table or comment
 * could hold, and friction terms without what they need, are refused with line, expected and found.
 */
#include <string.h>

#include "core/params/method.h"
#include "io/params/params_set.h"

static const ArmMethodParam kinds[] = {
    {ARM_PARAM_COULOMB_POS, false},  {ARM_PARAM_LOAD, true},  {ARM_PARAM_SEEN_LEAST, true},
    {ARM_PARAM_SEEN_MOST, true},     {ARM_PARAM_CURVE, true}, {ARM_PARAM_CURVE_SPEED, true},
    {ARM_PARAM_FRICTION_SIGN, true}, {ARM_PARAM_BASE, false},
};
static const ArmMethod method = {"third", G_N_ELEMENTS(kinds), kinds, false, false};

enum { JOINTS = 2 };

static void add(ArmParamSet *set, ArmParamKind kind, size_t i, double value) {
  ArmEstimate *e = arm_param_set_add_id(set, kind, i, 0);
  g_assert_nonnull(e);
  *e = (ArmEstimate){value, 0.0, value, true, ARM_REASON_NONE};
}

/* A joint that turns, with both terms, and one that slides, with its curve. */
static void make(ArmParamSet *set) {
  const ArmParamRoom room = {.params = 32, .covered = 6, .terms = 2, .text = 32};
  const ArmParamTerm term = {{ARM_PARAM_XX, 1, 0}, 1.0};
  const ArmParam base = {{ARM_PARAM_BASE, 1, 0}, "XXR2", NULL, &term, 1};
  g_assert_cmpint(arm_param_set_init(set, JOINTS, &room), ==, ARM_OK);
  set->type[1] = ARM_JOINT_T;
  for (size_t i = 0; i < JOINTS; i++) {
    set->group[i] = -1;
    set->joint[i] = (ArmJointStatistics){.rows_used = 9, .columns = 3, .rank = 3, .widening = 1.0};
    set->joint[i].rows_by_use[ARM_ROW_USED] = 9;
    add(set, ARM_PARAM_COULOMB_POS, i, 0.5);
    if (i == 0)
      add(set, ARM_PARAM_LOAD, i, 0.0625);
    add(set, ARM_PARAM_CURVE, i, 0.25);
    add(set, ARM_PARAM_CURVE_SPEED, i, 0.125);
    add(set, ARM_PARAM_FRICTION_SIGN, i, i == 0 ? 1.0 : -1.0);
  }
  add(set, ARM_PARAM_SEEN_LEAST, 0, 1.0);
  add(set, ARM_PARAM_SEEN_MOST, 0, 2.0);
  ArmEstimate *e = arm_param_set_add(set, &base);
  g_assert_nonnull(e);
  *e = (ArmEstimate){0.5, 0.0, 0.5, true, ARM_REASON_NONE};
  for (size_t k = 0; k < set->n; k++)
    if (arm_param_set_is_listed(set, k))
      g_assert_true(arm_param_set_cover(set, k));
}

static char *format(const ArmParamSet *set) {
  gsize length;
  return aio_params_format_found(&method, set, "arm", "sha256:arm", NULL, NULL, &length);
}

static char *made(void) {
  ArmParamSet set;
  make(&set);
  char *text = format(&set);
  arm_param_set_clear(&set);
  return text;
}

static bool load(const char *text, ArmParamSet *set, GError **error) {
  ArmModel model;
  g_assert_true(arm_model_init(&model, JOINTS) == ARM_OK);
  model.joints[1].type = ARM_JOINT_T;
  return aio_params_load_found("third.json", text, strlen(text), &method, &model, set, error);
}

static void test_terms_return(void) {
  ArmParamSet set;
  GError *error = NULL;
  char *text = made();
  const bool is_read = load(text, &set, &error);
  g_assert_no_error(error);
  g_assert_true(is_read);
  g_assert_cmpfloat(arm_param_set_at(&set, (ArmParamId){ARM_PARAM_SEEN_MOST, 0, 0})->value, ==,
                    2.0);
  char *again = format(&set);
  g_assert_true(strcmp(again, text) == 0);
  g_free(again);
  arm_param_set_clear(&set);
  g_free(text);
}

/* A method that lists the load and the range in which it was seen, and no more: what goes with a
 * parameter is what the catalogue says, not all that has to do with friction. */
static void test_some_constants(void) {
  static const ArmMethodParam few[] = {
      {ARM_PARAM_LOAD, true}, {ARM_PARAM_SEEN_LEAST, true}, {ARM_PARAM_SEEN_MOST, true}};
  static const ArmMethod of_load = {"load", G_N_ELEMENTS(few), few, false, false};
  const ArmParamRoom room = {.params = 3, .covered = 1};
  ArmModel model;
  ArmParamSet set, again = {0};
  GError *error = NULL;
  gsize length;
  g_assert_true(arm_model_init(&model, 1) == ARM_OK);
  g_assert_cmpint(arm_param_set_init(&set, 1, &room), ==, ARM_OK);
  add(&set, ARM_PARAM_LOAD, 0, 0.0625);
  add(&set, ARM_PARAM_SEEN_LEAST, 0, 1.0);
  add(&set, ARM_PARAM_SEEN_MOST, 0, 2.0);
  g_assert_true(arm_param_set_cover(&set, 0));
  char *text = aio_params_format_found(&of_load, &set, "arm", NULL, NULL, NULL, &length);
  const bool is_read =
      aio_params_load_found("load.json", text, length, &of_load, &model, &again, &error);
  g_assert_no_error(error);
  g_assert_true(is_read);
  g_assert_cmpuint(again.n, ==, 3);
  g_assert_cmpfloat(again.estimate[2].value, ==, 2.0);
  arm_param_set_clear(&again);
  arm_param_set_clear(&set);
  g_free(text);
}

/* Everywhere in the file; names the line in which it is first met. */
static void assert_refused(const char *part, const char *instead, const char *where,
                           const char *expected, const char *found) {
  char *text = made();
  GString *bad = g_string_new(text);
  GError *error = NULL;
  ArmParamSet read = {0};
  const char *at = strstr(text, where);
  guint line = 1;
  g_assert_cmpuint(g_string_replace(bad, part, instead, 0), >=, 1);
  g_assert_nonnull(at);
  for (const char *c = text; c < at; c++)
    line += *c == '\n';
  if (load(bad->str, &read, &error))
    g_error("read, with %s for %s", instead, part);
  char *place = g_strdup_printf("third.json:%u:", line);
  if (!strstr(error->message, place) || !strstr(error->message, expected) ||
      !strstr(error->message, found))
    g_error("wanted %s %s, %s in: %s", place, expected, found, error->message);
  g_assert_null(read.block);
  g_free(place);
  g_clear_error(&error);
  g_string_free(bad, TRUE);
  g_free(text);
}

static void test_names(void) {
  static const char *const names[] = {"XX*/R2", "XX/*R2",   "XX\\nR2",     "XX\\u007fR2",
                                      "XX,R2",  "XX\\\"R2", "XX\\u0085R2", ""};
  static const char expected[] = "expected a name of at most 63 bytes";
  for (gsize k = 0; k < G_N_ELEMENTS(names); k++)
    assert_refused("XXR2", names[k], "\"name\": \"XXR2\"", expected, "found");
  char *longer = g_strnfill(64, 'X');
  assert_refused("XXR2", longer, "\"name\": \"XXR2\"", expected, "found \"XXXX");
  assert_refused("\"kg m^2\"", "\"kg*/m^2\"", "\"unit\": \"kg m^2\"",
                 "expected a unit of at most 63 bytes", "found \"kg*/m^2\"");
  g_free(longer);
}

static void test_terms_without_constants(void) {
  assert_refused("\"load_seen_A\": [1, 2],", "", "\"parameters\"",
                 "expected the key \"load_seen_A\"", "found none");
  assert_refused("\"load_seen_A\": [1, 2]", "\"load_seen_A\": [2, 1]", "\"load_seen_A\"",
                 "the smaller one first", "found");
  assert_refused("\"curve_speed_rad_s\": 0.125,", "", "\"parameters\"",
                 "expected the key \"curve_speed_rad_s\"", "found none");
  assert_refused("\"curve_speed_rad_s\": 0.125", "\"curve_speed_rad_s\": 0",
                 "\"curve_speed_rad_s\"", "a speed above 0", "found 0");
  assert_refused("\"friction_sign\": 1", "\"friction_sign\": 0", "\"friction_sign\"", "1 or -1",
                 "found 0");
  assert_refused("\"load\": {", "\"load\": {\"value\": 2, ", "\"load\"", "expected", "found");
}

/* As documents have them (docs/parameter-file.md), of the catalogue's keys and units. */
static void test_constant_keys(void) {
  static const struct {
    ArmParamKind kind;
    const char *of_R, *of_T;
  } keys[] = {{ARM_PARAM_SEEN_LEAST, "load_seen_A", "load_seen_A"},
              {ARM_PARAM_SEEN_MOST, "load_seen_A", "load_seen_A"},
              {ARM_PARAM_CURVE_SPEED, "curve_speed_rad_s", "curve_speed_m_s"},
              {ARM_PARAM_FRICTION_SIGN, "friction_sign", "friction_sign"}};
  char room[AIO_PARAM_KEY];
  for (gsize k = 0; k < G_N_ELEMENTS(keys); k++) {
    g_assert_cmpstr(aio_params_constant_key(keys[k].kind, ARM_JOINT_R, room), ==, keys[k].of_R);
    g_assert_cmpstr(aio_params_constant_key(keys[k].kind, ARM_JOINT_T, room), ==, keys[k].of_T);
  }
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/params-found/terms-return", test_terms_return);
  g_test_add_func("/params-found/some-constants", test_some_constants);
  g_test_add_func("/params-found/names", test_names);
  g_test_add_func("/params-found/terms-without-constants", test_terms_without_constants);
  g_test_add_func("/params-found/constant-keys", test_constant_keys);
  return g_test_run();
}
