/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/recording/current_check.h"
#include "io/recording/import.h"
#include "support/support.h"

static AioColumnMap *map_of(const char *text) {
  GError *error = NULL;
  AioColumnMap *map = aio_column_map_parse("map.json", text, strlen(text), &error);
  g_assert_no_error(error);
  return map;
}

static void assert_message(GError *error, int code, const char *expected) {
  g_assert_error(error, AIO_ERROR, code);
  if (!strstr(error->message, expected))
    g_error("\"%s\" lacks \"%s\"", error->message, expected);
}

/* Two rotations, the second driven through a gear of 100 that turns the other way. */
static ArmModel geared_arm(void) {
  ArmModel arm;
  g_assert_cmpint(arm_model_init(&arm, 2), ==, ARM_OK);
  for (gsize j = 0; j < 2; j++) {
    arm.joints[j].n_motors = 1;
    arm.joints[j].motors[0] =
        (ArmMotor){.gear_ratio = 50 * (double)(j + 1), .motor_sign = j ? -1 : 1};
  }
  return arm;
}

#define MAP_HEAD                                                                                   \
  "{\"format\":\"armature-columns\",\"version\":1,\"time\":{\"column\":\"t\",\"unit\":\"ms\"},"

static AioRecording *import_text(const char *csv, const char *map_text, const ArmModel *arm,
                                 AioImportReport *report, GError **error) {
  AioColumnMap *map = map_of(map_text);
  AioRecording *recording = aio_import_bytes("t.csv", csv, strlen(csv), map, arm, report, error);
  aio_column_map_free(map);
  return recording;
}

static void test_units_signs_sides(void) {
  ArmModel arm = geared_arm();
  arm.has_coupling = true;
  arm.coupling[1][0] = 0.5;
  GError *error = NULL;
  AioImportReport report;
  AioRecording *r = import_text(
      "t,a,v,i,b,w,j\n1000,90,60,1500,200,-300,1\n1010,91,,,100,0,2\n1030,91,1,-20,100,0,0\n",
      MAP_HEAD
      "\"moving_joint\":{\"column\":\"j\"},\"to_s\":0.02,\"joints\":["
      "{\"joint\":1,\"position\":{\"column\":\"a\",\"unit\":\"deg\",\"sign\":-1,\"offset\":-180},"
      " \"speed\":{\"column\":\"v\",\"unit\":\"rpm\"},\"current\":{\"column\":\"i\",\"unit\":"
      "\"mA\"}},"
      "{\"joint\":2,\"position\":{\"column\":\"b\",\"unit\":\"rad\",\"side\":\"motor\"},"
      " \"speed\":{\"column\":\"w\",\"unit\":\"rad_s\",\"side\":\"motor\"}}]}",
      &arm, &report, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(r->rows, ==, 2);
  g_assert_cmpfloat(r->t[0], ==, 0);
  g_assert_cmpfloat_with_epsilon(r->t[1], 0.01, 1e-15);
  g_assert_cmpint(r->joint[0], ==, 1);
  g_assert_cmpint(r->joint[1], ==, 2);
  g_assert_cmpfloat_with_epsilon(r->q[0], G_PI / 2, 1e-12);
  g_assert_cmpfloat_with_epsilon(r->qd[0], 2 * G_PI, 1e-12);
  g_assert_cmpfloat(r->current[0], ==, 1.5);
  g_assert_true(isnan(r->current[1]) && isnan(r->qd[1]));
  g_assert_cmpfloat_with_epsilon(r->q[2], -2 - 0.5 * G_PI / 2, 1e-12); /* v2 - L21 q1 */
  g_assert_cmpfloat_with_epsilon(r->qd[2], 3 - 0.5 * 2 * G_PI, 1e-12);
  g_assert_cmpfloat(r->qd[3], ==, 0); /* the missing speed of joint 1 is that of a held joint */
  g_assert_cmpuint(report.rows_read, ==, 3);
  g_assert_cmpuint(report.rows_after, ==, 1);
  g_assert_cmpuint(report.rows_moving[1], ==, 1);
  g_assert_cmpuint(report.channels->len, ==, 5);
  const AioImportChannel *q1 = &g_array_index(report.channels, AioImportChannel, 0);
  g_assert_cmpstr(q1->name, ==, "q1_rad");
  g_assert_cmpuint(q1->count, ==, 2);
  g_assert_cmpfloat_with_epsilon(q1->rate_Hz, 100, 1e-9);
  aio_import_report_clear(&report);
  aio_recording_free(r);
}

#define MAP_ONE(moving, more)                                                                      \
  MAP_HEAD "\"moving_joint\":" moving "," more                                                     \
           "\"joints\":[{\"joint\":1,\"position\":{\"column\":\"q\",\"unit\":\"rad\"},"            \
           "\"speed\":{\"column\":\"v\",\"unit\":\"rad_s\"},"                                      \
           "\"current\":{\"column\":\"i\",\"unit\":\"A\"}},"                                       \
           "{\"joint\":2,\"position\":{\"value\":90,\"unit\":\"deg\"}}]}"

static void check_refused(const char *csv, const char *map_text, int code, const char *expected) {
  const ArmModel arm = geared_arm();
  GError *error = NULL;
  AioImportReport report = {.rows_read = 77};
  g_assert_null(import_text(csv, map_text, &arm, &report, &error));
  assert_message(error, code, expected);
  g_assert_cmpuint(report.rows_read, ==, 77);
  g_clear_error(&error);
}

static void test_refused(void) {
  const char *map = MAP_ONE("{\"value\":1}", "");
  check_refused("t,q,v,i\n1,2,3,4\n,2,3,4\n", map, AIO_ERROR_REFUSED,
                "t.csv:3: time: expected a time in every row, found an empty cell");
  check_refused("t,q,v,i\n1,2,3,4\n1,2,3,4\n", map, AIO_ERROR_REFUSED,
                "t.csv:3: time: expected a time after that of the row before, found 1 again");
  check_refused("t,q,v,i\n5,2,3,4\n1,2,3,4\n", MAP_ONE("{\"value\":1}", "\"from_s\":-9,"),
                AIO_ERROR_REFUSED, "found 1: time runs back");
  check_refused("t,q,v,i\n1,2,3,4\n", MAP_ONE("{\"value\":1}", "\"from_s\":9,"), AIO_ERROR_REFUSED,
                "expected rows between from_s and to_s of the column map, found none");
  check_refused("t,q,v,i\n1,1e308,3,4\n", map, AIO_ERROR_MEANING,
                "t.csv:2: position: expected a physical value");
  check_refused("t,q,v,i\n-1e308,1,3,4\n1e308,1,3,4\n", map, AIO_ERROR_MEANING,
                "t.csv:3: time: expected a time a double can hold");
  check_refused("t,q,speed,i\n1,2,3,4\n", map, AIO_ERROR_MEANING,
                "joint 1: speed.column: t.csv has no column \"v\"");
  check_refused("t,q,v,V,i\n1,2,3,4,5\n", MAP_ONE("{\"column\":\"jj\"}", ""), AIO_ERROR_MEANING,
                "moving_joint.column: t.csv has no column \"jj\"");
  check_refused("t,q,v,v,i\n1,2,3,4,5\n", map, AIO_ERROR_MEANING,
                "t.csv has more than one column \"v\"");
  check_refused("t,q,v,i\n1,2,3,4\n", MAP_ONE("{\"column\":\"q\"}", "\"to_s\":9,"),
                AIO_ERROR_MEANING, "joint 2 moves but the map gives no \"speed\" of it");
  check_refused("t,q,v,i\n1,2.5,3,4\n", MAP_ONE("{\"column\":\"q\"}", ""), AIO_ERROR_MEANING,
                "t.csv:2: moving_joint: expected a whole number from 0 to 2, found 2.5");
  check_refused("t,q,v,i\n1,2,3,4\n", MAP_ONE("{\"value\":3}", ""), AIO_ERROR_MEANING,
                "the arm has 2 joints");
  check_refused("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 2\n", map,
                AIO_ERROR_REFUSED, "run `git lfs pull`");
}

static void test_column_number_beyond(void) {
  check_refused(
      "t,q\n1,2\n",
      "{\"format\":\"armature-columns\",\"version\":1,\"time\":{\"column\":9,\"unit\":\"s\"},"
      "\"moving_joint\":{\"value\":0},\"joints\":["
      "{\"joint\":1,\"position\":{\"column\":2,\"unit\":\"rad\"}},"
      "{\"joint\":2,\"position\":{\"column\":2,\"unit\":\"rad\"}}]}",
      AIO_ERROR_MEANING, "time.column: t.csv has only 2 columns");
}

static void test_detect(void) {
  const ArmModel arm = geared_arm();
  GError *error = NULL;
  AioRecording *r =
      import_text("t,q,v,w\n1,0,.5,0\n2,0,.5,.5\n3,0,-.001,-.5\n4,0,0,\n",
                  MAP_HEAD "\"moving_joint\":{\"detect\":true},\"joints\":["
                           "{\"joint\":1,\"position\":{\"column\":\"q\",\"unit\":\"rad\"},"
                           "\"speed\":{\"column\":\"v\",\"unit\":\"rad_s\"}},"
                           "{\"joint\":2,\"position\":{\"column\":\"q\",\"unit\":\"rad\"},"
                           "\"speed\":{\"column\":\"w\",\"unit\":\"rad_s\"}}]}",
                  &arm, NULL, &error);
  g_assert_no_error(error);
  static const int expected[] = {1, 0, 2, 0};
  g_assert_cmpmem(r->joint, sizeof expected, expected, sizeof expected);
  aio_recording_free(r);
}

static void test_json_rows(void) {
  const ArmModel arm = geared_arm();
  GError *error = NULL;
  const char *map =
      "{\"format\":\"armature-columns\",\"version\":1,\"input\":\"json\",\"rows\":\"entries\","
      "\"time\":{\"column\":\"t\",\"unit\":\"s\"},\"moving_joint\":{\"value\":0},\"joints\":["
      "{\"joint\":1,\"position\":{\"column\":\"q\",\"unit\":\"rad\"}},"
      "{\"joint\":2,\"position\":{\"column\":\"q\",\"unit\":\"rad\"}}]}";
  AioRecording *r =
      import_text("{\"entries\":[{\"t\":1,\"q\":2,\"on\":true},{\"t\":2,\"q\":null}]}", map, &arm,
                  NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(r->rows, ==, 2);
  g_assert_true(isnan(r->q[1]));
  g_assert_cmpfloat(r->q[2], ==, 2);
  aio_recording_free(r);
  check_refused("{\"entries\":[{\"t\":1}]}", map, AIO_ERROR_MEANING, "q");
  check_refused("{\"entries\":[{\"t\":1,\"q\":\"x\"}]}", map, AIO_ERROR_MEANING, "t.csv:1:24");
  check_refused("{\"entries\":[]}", map, AIO_ERROR_MEANING, "expected rows");
  check_refused("{\"rows\":[]}", map, AIO_ERROR_MEANING, "entries");
  check_refused("[]", map, AIO_ERROR_MEANING, "t.csv:1:1");
  check_refused("t,q\n", map, AIO_ERROR_SYNTAX, "t.csv:1:1");
  check_refused("version https://git-lfs.github.com/spec/v1\n", map, AIO_ERROR_REFUSED,
                "git lfs pull");
}

/* ---- more rows than come at once ---- */

enum { MANY = 3500 };

/* A line of another tool's, then a swing of joint 1; `row` has a cell of its own.
 *   bad  "%d" and cells "t,q,v,i" of that row each, at most two; NULL ends */
static char *swing_text(const char *const *bad) {
  GString *text = g_string_new("from a bench\nt,q,v,i\n");
  char number[4][G_ASCII_DTOSTR_BUF_SIZE];
  for (int row = 0; row < MANY; row++) {
    char *mine = g_strdup_printf("%d:", row);
    const char *own = NULL;
    for (gsize k = 0; bad && bad[k]; k++)
      own = g_str_has_prefix(bad[k], mine) ? bad[k] + strlen(mine) : own;
    const double value[] = {10 * row, sin(0.01 * row), cos(0.01 * row),
                            cos(0.01 * row) > 0 ? 1 + 0.1 * sin(row) : 0.1 * sin(row) - 1};
    for (gsize k = 0; k < 4; k++)
      g_ascii_formatd(number[k], sizeof number[k], "%.9g", value[k]);
    if (own)
      g_string_append_printf(text, "%s\n", own);
    else
      g_string_append_printf(text, "%s,%s,%s,%s\n", number[0], number[1], number[2], number[3]);
    g_free(mine);
  }
  return g_string_free(text, FALSE);
}

/* The file, read some rows at a time, and its bytes at once give the same. */
static void check_many(const char *const *bad, int code, const char *expected) {
  const ArmModel arm = geared_arm();
  char *text = swing_text(bad), *directory = g_dir_make_tmp("armature-XXXXXX", NULL);
  char *path = g_build_filename(directory, "t.csv", NULL);
  GError *error = NULL, *other = NULL;
  AioColumnMap *map = map_of(MAP_ONE("{\"value\":1}", "\"skip_lines\":1,\"to_s\":34,"));
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  AioRecording *whole = aio_import_bytes("t.csv", text, strlen(text), map, &arm, NULL, &error);
  AioRecording *parts = aio_import(path, map, &arm, NULL, &other);
  if (expected) {
    g_assert_true(!whole && !parts);
    assert_message(error, code, expected);
    assert_message(other, code, expected);
    g_clear_error(&error);
    g_clear_error(&other);
  } else {
    g_assert_no_error(error);
    g_assert_no_error(other);
    g_assert_cmpuint(whole->rows, ==, 3401);
    g_assert_cmpuint(parts->rows, ==, 3401);
    GString *a = aio_recording_to_csv(whole), *b = aio_recording_to_csv(parts);
    g_assert_cmpstr(a->str, ==, b->str);
    g_assert_cmpfloat(parts->t[3400], ==, 34);
    g_assert_cmpfloat(parts->q[3400 + parts->rows], ==, G_PI / 2);
    g_string_free(a, TRUE);
    g_string_free(b, TRUE);
  }
  aio_recording_free(whole);
  aio_recording_free(parts);
  aio_column_map_free(map);
  g_assert_cmpint(remove(path), ==, 0);
  g_assert_cmpint(remove(directory), ==, 0);
  g_free(path);
  g_free(directory);
  g_free(text);
}

/* Faults are told in the order of an import that sees all rows, wherever they are: cells, missing
 * times, order, values channel by channel. Lines count on. */
static void test_many_rows(void) {
  check_many(NULL, 0, NULL);
  check_many((const char *[]){"100:990,0,0,0", "3499:3.499e4,x,0,0", NULL}, AIO_ERROR_SYNTAX,
             "t.csv:3502:9: q: expected a number, found \"x\"");
  check_many((const char *[]){"100:990,0,0,0", "3499:,1,0,0", NULL}, AIO_ERROR_REFUSED,
             "t.csv:3502: time: expected a time in every row");
  check_many((const char *[]){"1024:1.023e4,0,0,0", "50:500,1e200,0,0", NULL}, AIO_ERROR_REFUSED,
             "t.csv:1027: time: expected a time after that of the row before, found 10230 again");
  check_many((const char *[]){"50:500,0,1e200,0", "3000:3e4,1e200,0,0", NULL}, AIO_ERROR_MEANING,
             "t.csv:3003: position: expected a physical value");
}

/* What is told of currents does not end where rows come anew: one value over two of these ends. */
static void test_many_frozen(void) {
  const ArmModel arm = geared_arm();
  char *text = swing_text(NULL);
  GString *frozen = g_string_new(NULL);
  char **lines = g_strsplit(text, "\n", -1);
  for (int k = 0; lines[k] && *lines[k]; k++) {
    char *end = strrchr(lines[k], ',');
    if (k >= 1000 && k < 2100 && end)
      strcpy(end, ",2");
    g_string_append_printf(frozen, "%s\n", lines[k]);
  }
  GError *error = NULL;
  AioColumnMap *map = map_of(MAP_ONE("{\"value\":1}", "\"skip_lines\":1,"));
  g_assert_null(aio_import_bytes("t.csv", frozen->str, frozen->len, map, &arm, NULL, &error));
  assert_message(error, AIO_ERROR_REFUSED, "keeps one value from t = 9.98 s to 21 s");
  g_clear_error(&error);
  aio_column_map_free(map);
  g_string_free(frozen, TRUE);
  g_strfreev(lines);
  g_free(text);
}

#define UR_JOINT(j, q, v, i)                                                                       \
  "{\"joint\":" #j ",\"position\":{\"column\":" #q ",\"unit\":\"rad\"},\"speed\":{\"column\":" #v  \
  ",\"unit\":\"rad_s\"},\"current\":{\"column\":" #i ",\"unit\":\"A\"}}"
#define UR_MAP(more)                                                                               \
  "{\"format\":\"armature-columns\",\"version\":1,\"has_header\":false," more                      \
  "\"time\":{\"column\":1,\"unit\":\"s\"},\"joints\":[" UR_JOINT(1, 2, 8, 14) "," UR_JOINT(        \
      2, 3, 9, 15) "," UR_JOINT(3, 4, 10,                                                          \
                                16) "," UR_JOINT(4, 5, 11,                                         \
                                                 17) "," UR_JOINT(5, 6, 12,                        \
                                                                  18) "," UR_JOINT(6, 7, 13,       \
                                                                                   19) "]}"

static const char *shared_or_skip(const char *relative) {
  const char *path = test_shared_path(relative);
  if (!path) {
    char *why = g_strdup_printf("%s is not there (set ARMATURE_SHARED)", relative);
    g_test_skip(why);
    g_free(why);
  }
  return path;
}

static void check_ur(const char *relative, const char *map_text, int joint) {
  const char *path = shared_or_skip(relative);
  if (!path)
    return;
  ArmModel arm;
  g_assert_cmpint(arm_model_init(&arm, 6), ==, ARM_OK);
  AioColumnMap *map = map_of(map_text);
  AioImportReport report;
  GError *error = NULL;
  AioRecording *r = aio_import(path, map, &arm, &report, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(report.rows_kept, ==, r->rows);
  if (joint > 0)
    g_assert_cmpfloat((double)report.rows_moving[joint], >, 0.7 * (double)r->rows);
  for (gsize j = 0; j < 6; j++) {
    AioCurrentQuality quality;
    g_assert_true(aio_current_measure(r, j, &quality, &error));
    g_test_message("%s joint %zu: moving %.1f s, refreshed every %.4f s", relative, j + 1,
                   quality.moving_s, quality.refresh_s);
  }
  aio_import_report_clear(&report);
  aio_recording_free(r);
  aio_column_map_free(map);
}

static void test_ur10e_single(void) {
  for (int joint = 1; joint <= 6; joint++) {
    char *relative = g_strdup_printf("datasets/ur10e/single_joint/joint_%d.csv", joint);
    check_ur(relative, UR_MAP("\"from_s\":9,\"moving_joint\":{\"detect\":true},"), joint);
    check_ur(relative, UR_MAP("\"moving_joint\":{\"value\":0},"), 0);
    g_free(relative);
  }
}

static void test_ur10e_static(void) {
  for (int pose = 1; pose <= 10; pose++) {
    char *relative = g_strdup_printf("datasets/ur10e/static_poses/p%d.csv", pose);
    check_ur(relative, UR_MAP("\"moving_joint\":{\"value\":0},"), 0);
    g_free(relative);
  }
}

static void test_ur10e_fourier(void) {
  check_ur("datasets/ur10e/fourier/30sec_12harm.csv", UR_MAP("\"moving_joint\":{\"value\":0},"), 0);
}

static void test_sts3215(void) {
  const char *path = shared_or_skip("datasets/sts3215_negative/stale_current.json");
  if (!path)
    return;
  ArmModel arm;
  g_assert_cmpint(arm_model_init(&arm, 1), ==, ARM_OK);
  AioColumnMap *map = map_of(
      "{\"format\":\"armature-columns\",\"version\":1,\"input\":\"json\",\"rows\":\"entries\","
      "\"time\":{\"column\":\"timestamp\",\"unit\":\"s\"},\"moving_joint\":{\"value\":1},"
      "\"joints\":["
      "{\"joint\":1,\"position\":{\"column\":\"position\",\"unit\":\"rad\"},"
      "\"speed\":{\"column\":\"speed\",\"unit\":\"rad_s\"},"
      "\"current\":{\"column\":\"current\",\"unit\":\"mA\"}}]}");
  GError *error = NULL;
  g_assert_null(aio_import(path, map, &arm, NULL, &error));
  assert_message(error, AIO_ERROR_REFUSED,
                 "stale_current.json: joint 1: the current is stale, it changes only every ");
  g_assert_nonnull(strstr(error->message, "never changes sign although the joint moves both ways"));
  g_test_message("%s", error->message);
  g_clear_error(&error);
  aio_column_map_free(map);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/import/units-signs-sides", test_units_signs_sides);
  g_test_add_func("/import/refused", test_refused);
  g_test_add_func("/import/column-number", test_column_number_beyond);
  g_test_add_func("/import/detect", test_detect);
  g_test_add_func("/import/json", test_json_rows);
  g_test_add_func("/import/many-rows", test_many_rows);
  g_test_add_func("/import/many-rows/frozen", test_many_frozen);
  g_test_add_func("/import/ur10e/single-joint", test_ur10e_single);
  g_test_add_func("/import/ur10e/static-poses", test_ur10e_static);
  g_test_add_func("/import/ur10e/fourier", test_ur10e_fourier);
  g_test_add_func("/import/sts3215", test_sts3215);
  return g_test_run();
}
