/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/recording/column_map.h"

static const char good[] =
    "{\"format\":\"armature-columns\",\"version\":1,\"x_note\":{\"any\":1},\n"
    " \"has_header\":false,\"delimiter\":\";\",\"decimal\":\",\",\"skip_lines\":3,\n"
    " \"time\":{\"column\":1,\"unit\":\"ms\"},\"from_s\":9,\n"
    " \"moving_joint\":{\"detect\":true,\"min_speed_rad_s\":0.1},\n"
    " \"joints\":[\n"
    "  "
    "{\"joint\":1,\"name\":\"base\",\"position\":{\"column\":2,\"unit\":\"deg\",\"sign\":-1,"
    "\"offset\":90},\n"
    "   "
    "\"speed\":{\"column\":3,\"unit\":\"rpm\",\"side\":\"motor\"},\"current\":{\"column\":4,"
    "\"unit\":\"mA\"}},\n"
    "  "
    "{\"joint\":2,\"position\":{\"value\":12,\"unit\":\"mm\"},\"torque\":{\"column\":5,\"unit\":"
    "\"N\"}}]}\n";

static void test_good(void) {
  GError *error = NULL;
  AioColumnMap *map = aio_column_map_parse("map.json", good, strlen(good), &error);
  g_assert_no_error(error);
  g_assert_false(map->format.has_header);
  g_assert_cmpint(map->format.delimiter, ==, ';');
  g_assert_cmpint(map->format.decimal, ==, ',');
  g_assert_cmpuint(map->format.skip_lines, ==, 3);
  g_assert_cmpuint(map->time.number, ==, 1);
  g_assert_cmpfloat(map->time.unit->to_si, ==, 1e-3);
  g_assert_cmpfloat(map->from_s, ==, 9);
  g_assert_true(isinf(map->to_s));
  g_assert_cmpint(map->moving, ==, AIO_MOVING_DETECT);
  g_assert_cmpfloat(map->detect_speed_R, ==, 0.1);
  g_assert_cmpfloat(map->detect_speed_T, ==, 0.001);
  g_assert_cmpuint(map->n_joints, ==, 2);
  const AioMapChannel *position = &map->joints[0].channels[AIO_MAP_POSITION];
  g_assert_cmpuint(position->number, ==, 2);
  g_assert_cmpfloat(position->sign, ==, -1);
  g_assert_cmpfloat(position->offset, ==, 90);
  g_assert_true(map->joints[0].channels[AIO_MAP_SPEED].is_motor_side);
  g_assert_null(map->joints[0].channels[AIO_MAP_TORQUE].node);
  g_assert_cmpfloat(map->joints[1].channels[AIO_MAP_POSITION].constant, ==, 12);
  aio_column_map_free(map);
}

/* Replaces `old` in the good map by `new_text`. */
static char *changed(const char *old, const char *new_text) {
  const char *at = strstr(good, old);
  g_assert_nonnull(at);
  char *head = g_strndup(good, (gsize)(at - good));
  char *text = g_strconcat(head, new_text, at + strlen(old), NULL);
  g_free(head);
  return text;
}

static void assert_message(GError *error, int code, const char *expected) {
  g_assert_error(error, AIO_ERROR, code);
  if (!strstr(error->message, expected))
    g_error("\"%s\" lacks \"%s\"", error->message, expected);
}

static void test_bad(void) {
  static const struct {
    const char *old, *new_text;
    int code;
    const char *expected;
  } cases[] = {
      {"\"format\":\"armature-columns\",", "", AIO_ERROR_MEANING, "format"},
      {"armature-columns", "armature-arm", AIO_ERROR_MEANING,
       "map.json:1:11: format: expected \"armature-columns\", found \"armature-arm\""},
      {"\"version\":1", "\"version\":2", AIO_ERROR_MEANING, "version"},
      {"\"version\":1,", "", AIO_ERROR_MEANING, "version"},
      {"\"skip_lines\":3", "\"skiplines\":3", AIO_ERROR_MEANING, "skip_lines"},
      {"\"skip_lines\":3", "\"skip_lines\":-1", AIO_ERROR_MEANING, "skip_lines"},
      {"\"skip_lines\":3", "\"skip_lines\":3,\"skip_lines\":3", AIO_ERROR_SYNTAX, "skip_lines"},
      {"\"delimiter\":\";\"", "\"delimiter\":\"|\"", AIO_ERROR_MEANING,
       "delimiter: expected \",\" or \";\""},
      {"\"delimiter\":\";\"", "\"delimiter\":\",\"", AIO_ERROR_MEANING,
       "a comma cannot be both the delimiter and the decimal sign"},
      {"\"has_header\":false", "\"has_header\":0", AIO_ERROR_MEANING, "has_header"},
      {"\"has_header\":false", "\"has_header\":false,\"rows\":\"r\"", AIO_ERROR_MEANING,
       "only an \"input\": \"json\" has a key of rows"},
      {"\"has_header\":false", "\"input\":\"json\"", AIO_ERROR_MEANING,
       "expected a key of the rows"},
      {"\"time\":{\"column\":1,\"unit\":\"ms\"},", "", AIO_ERROR_REFUSED,
       "expected \"time\": a recording without a time of every row cannot be fitted"},
      {"{\"column\":1,\"unit\":\"ms\"}", "{\"column\":1}", AIO_ERROR_MEANING, "unit"},
      {"{\"column\":1,\"unit\":\"ms\"}", "{\"unit\":\"s\"}", AIO_ERROR_MEANING, "column"},
      {"{\"column\":1,\"unit\":\"ms\"}", "7", AIO_ERROR_MEANING, "time"},
      {"\"unit\":\"ms\"", "\"unit\":\"minutes\"", AIO_ERROR_MEANING,
       "time.unit: expected \"s\", \"ms\", \"us\" or \"ns\", found \"minutes\""},
      {"\"column\":1,", "\"column\":0,", AIO_ERROR_MEANING, "time.column"},
      {"\"column\":1,", "\"column\":1.5,", AIO_ERROR_MEANING, "time.column"},
      {"\"column\":1,", "\"column\":\"t\",", AIO_ERROR_MEANING,
       "time.column: expected a number from 1, since \"has_header\" is false, found \"t\""},
      {"\"from_s\":9", "\"from_s\":\"9\"", AIO_ERROR_MEANING, "from_s"},
      {"\"detect\":true,", "", AIO_ERROR_MEANING,
       "expected one of \"value\", \"column\" and \"detect\""},
      {"\"detect\":true,", "\"detect\":true,\"value\":1,", AIO_ERROR_MEANING, "expected one of"},
      {"\"detect\":true", "\"detect\":false", AIO_ERROR_MEANING,
       "detect: expected true, found false"},
      {"0.1}", "0}", AIO_ERROR_MEANING, "minimum speeds above 0"},
      {"\"joint\":2", "\"joint\":1", AIO_ERROR_MEANING, "expected every joint once"},
      {"\"joint\":2", "\"joint\":0", AIO_ERROR_MEANING, "joint"},
      {"\"joint\":2,", "", AIO_ERROR_MEANING, "joint"},
      {"\"name\":\"base\"", "\"nam\":\"base\"", AIO_ERROR_MEANING, "name"},
      {"\"unit\":\"deg\"", "\"unit\":\"deg_s\"", AIO_ERROR_MEANING,
       "position.unit: expected \"rad\", \"deg\" or \"turn\" (rotation), \"m\" or \"mm\" "
       "(translation), "
       "found \"deg_s\""},
      {"\"sign\":-1", "\"sign\":-2", AIO_ERROR_MEANING,
       "position.sign: expected 1 or -1, found -2"},
      {"\"offset\":90", "\"offset\":true", AIO_ERROR_MEANING, "position.offset"},
      {"\"side\":\"motor\"", "\"side\":\"gear\"", AIO_ERROR_MEANING,
       "speed.side: expected \"joint\" or \"motor\", found \"gear\""},
      {"\"unit\":\"mA\"", "\"unit\":\"mA\",\"side\":\"motor\"", AIO_ERROR_MEANING,
       "a current has no side"},
      {"\"rpm\"", "\"mm_s\"", AIO_ERROR_MEANING,
       "a motor rotates: the motor side has no unit \"mm_s\""},
      {"\"value\":12", "\"value\":12,\"column\":3", AIO_ERROR_MEANING,
       "expected either \"column\" or \"value\", found both"},
      {"\"value\":12,", "", AIO_ERROR_MEANING, "found neither"},
      {"\"torque\":", "\"current\":{\"column\":5,\"unit\":\"A\"},\"torque\":", AIO_ERROR_MEANING,
       "expected a current or a torque of a joint, found both"},
      {"]}\n", "]}]", AIO_ERROR_SYNTAX, "map.json:"},
      {"{\"format\"", "[{\"format\"", AIO_ERROR_SYNTAX, "map.json:"},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    GError *error = NULL;
    char *text = changed(cases[k].old, cases[k].new_text);
    g_assert_null(aio_column_map_parse("map.json", text, strlen(text), &error));
    assert_message(error, cases[k].code, cases[k].expected);
    g_assert_true(g_str_has_prefix(error->message, "map.json:"));
    g_clear_error(&error);
    g_free(text);
  }
  GError *error = NULL;
  g_assert_null(aio_column_map_parse("map.json", "[]", 2, &error));
  assert_message(error, AIO_ERROR_MEANING, "map.json:1:1");
  g_clear_error(&error);
  g_assert_null(aio_column_map_load("/nonexistent/map.json", &error));
  assert_message(error, AIO_ERROR_NOT_FOUND, "map.json");
  g_clear_error(&error);
}

static void check_arm(const ArmModel *arm, const char *expected) {
  GError *error = NULL;
  AioColumnMap *map = aio_column_map_parse("map.json", good, strlen(good), &error);
  g_assert_no_error(error);
  const bool is_fit = aio_column_map_check_arm(map, arm, &error);
  g_assert_cmpint(is_fit, ==, expected == NULL);
  if (expected)
    assert_message(error, AIO_ERROR_MEANING, expected);
  g_clear_error(&error);
  aio_column_map_free(map);
}

static void test_against_arm(void) {
  ArmModel arm;
  g_assert_cmpint(arm_model_init(&arm, 2), ==, ARM_OK);
  arm.joints[1].type = ARM_JOINT_T;
  check_arm(&arm, "map.json:7:44: joint 1: speed.side: the arm states no gear ratio of joint 1");
  arm.joints[0].n_motors = 2;
  arm.joints[0].motors[0] = arm.joints[0].motors[1] =
      (ArmMotor){.gear_ratio = 100, .motor_sign = 1};
  check_arm(&arm, NULL);
  arm.joints[0].motors[1].gear_ratio = 50;
  check_arm(&arm, "the motors of joint 1 have different gear ratios");
  arm.joints[0].n_motors = 1;
  arm.joints[1].type = ARM_JOINT_R;
  check_arm(&arm, "joint 2: position.unit: expected \"rad\", \"deg\" or \"turn\" since joint 2 "
                  "rotates, found \"mm\"");
  arm.joints[1].type = ARM_JOINT_T;
  arm.n = 1;
  check_arm(&arm, "the arm has 1 joints");
  arm.n = 3;
  arm.joints[2] = arm.joints[1];
  check_arm(&arm, "joint 3 of the arm has no \"position\"");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/column-map/good", test_good);
  g_test_add_func("/column-map/bad", test_bad);
  g_test_add_func("/column-map/arm", test_against_arm);
  return g_test_run();
}
