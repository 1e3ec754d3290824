/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "io/recording/recording.h"
#include "support/support.h"

/* Joints 1 and 2 rotate, joint 3 translates. */
static ArmModel arm(void) {
  ArmModel model;
  g_assert_cmpint(arm_model_init(&model, 3), ==, ARM_OK);
  model.joints[2].type = ARM_JOINT_T;
  return model;
}

static AioRecording *parse(const char *text, bool is_motion, GError **error) {
  const ArmModel model = arm();
  AioCsv *csv = aio_csv_new("r.csv", text, strlen(text), &AIO_CSV_PLAIN, error);
  AioRecording *recording = csv ? aio_recording_from_csv(csv, &model, is_motion, error) : NULL;
  aio_csv_free(csv);
  return recording;
}

static const char good[] = "t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,qd3_m_s,i1_A,i3_A,note,x_mine\n"
                           "0,1,.1,.2,.3,.5,,1.5,,a,b\n"
                           "0.01,0,.11,.2,.3,,,,,a,b\n"
                           "0.02,3,.11,.2,.31,,-1e-2,,-2,a,b\n";

static void test_load(void) {
  GError *error = NULL;
  AioRecording *r = parse(good, true, &error);
  g_assert_no_error(error);
  const ArmDataset data = aio_recording_dataset(r);
  g_assert_cmpuint(data.n, ==, 3);
  g_assert_cmpuint(data.rows, ==, 3);
  g_assert_cmpfloat(data.t[2], ==, 0.02);
  g_assert_cmpint(data.joint[2], ==, 3);
  g_assert_cmpfloat(data.q[2 + 2 * 3], ==, 0.31);
  g_assert_cmpfloat(data.qd[2 + 2 * 3], ==, -0.01);
  g_assert_true(isnan(data.qd[1 + 0 * 3]));
  g_assert_true(isnan(data.qd[0 + 1 * 3])); /* no column at all */
  g_assert_cmpfloat(data.current[0], ==, 1.5);
  g_assert_null(data.qdd);
  g_assert_cmpuint(r->ignored->len, ==, 1);
  g_assert_cmpstr(g_ptr_array_index(r->ignored, 0), ==, "note");
  g_assert_true(r->has_current[0] && !r->has_current[1] && r->has_current[2]);
  aio_recording_free(r);
}

static void test_torque_and_acceleration(void) {
  GError *error = NULL;
  AioRecording *r =
      parse("t_s,joint,q1_rad,q2_rad,q3_m,qd3_m_s,qdd3_m_s2,tau3_N,i1_A,i1_sd_A,q1_target_rad\n"
            "0,3,1,2,3,.1,.25,7,,0.1,0\n",
            true, &error);
  g_assert_no_error(error);
  const ArmDataset data = aio_recording_dataset(r);
  g_assert_true(data.is_torque[2] && !data.is_torque[0]);
  g_assert_cmpfloat(data.current[2], ==, 7);
  g_assert_cmpfloat(data.qdd[2], ==, .25);
  g_assert_true(isnan(data.qdd[0]));
  g_assert_cmpuint(r->ignored->len, ==, 2);
  aio_recording_free(r);
}

static void check_refused(const char *text, bool is_motion, int code, const char *expected) {
  GError *error = NULL;
  g_assert_null(parse(text, is_motion, &error));
  g_assert_error(error, AIO_ERROR, code);
  if (!strstr(error->message, expected))
    g_error("\"%s\" lacks \"%s\"", error->message, expected);
  g_clear_error(&error);
}

#define ROW "\n0,1,1,2,3,.1,4\n"

static void test_columns_refused(void) {
  static const struct {
    const char *header, *expected;
  } cases[] = {
      {"time,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_A",
       "r.csv:1: expected a column t_s, found none"},
      {"t_s,axis,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_A",
       "r.csv:1: expected a column joint, found none"},
      {"t_s,joint,q1_rad,qqq,q3_m,qd1_rad_s,i1_A",
       "expected a column q2_rad, found none (the nearest is q1_rad)"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,v1,i1_A", "expected a column qd1_rad_s"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,c1", "expected a column i1_A"},
      {"t_s,joint,q1_deg,q2_rad,q3_m,qd1_rad_s,i1_A",
       "r.csv:1:11: q1_deg: expected q1_rad (joint 1 rotates), found another name or unit: a file "
       "of another tool needs a column map"},
      {"t_s,joint,q1,q2_rad,q3_m,qd1_rad_s,i1_A", "q1: expected q1_rad (joint 1 rotates)"},
      {"t_s,joint,q1_rad,q2_rad,q3_rad,qd1_rad_s,i1_A",
       "q3_rad: expected q3_m (joint 3 translates)"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_mA", "i1_mA: expected i1_A"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rpm,i1_A", "qd1_rpm: expected qd1_rad_s"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,tau1_N", "tau1_N: expected tau1_Nm"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,I1_A", "I1_A: expected i1_A"},
      {"t_s,joint,q01_rad,q2_rad,q3_m,qd1_rad_s,i1_A", "q01_rad: expected q1_rad"},
      {"t_s,joint,q1 [rad],q2_rad,q3_m,qd1_rad_s,i1_A", "q1 [rad]: expected q1_rad"},
      {"T_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_A", "T_s: expected t_s, found other letter case"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i4_A",
       "i4_A: expected a joint from 1 to 3, found 4"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i0_A",
       "i0_A: expected a joint from 1 to 3, found 0"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,q1_rad,i1_A",
       "r.csv:1:30: q1_rad: expected every column once, found it twice"},
      {"t_s,joint,q1_rad,q2_rad,q3_m,tau1_Nm,i1_A",
       "tau1_Nm: expected a current or a torque of a joint, found both"},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    char *text = g_strconcat(cases[k].header, ROW, NULL);
    check_refused(text, true, AIO_ERROR_MEANING, cases[k].expected);
    g_free(text);
  }
}

#define HEADER "t_s,joint,q1_rad,q2_rad,q3_m,qd1_rad_s,i1_A\n"

static void test_values_refused(void) {
  check_refused(HEADER "0,4,1,2,3,4,5\n", true, AIO_ERROR_MEANING,
                "r.csv:2: joint: expected a whole number from 0 to 3, found 4");
  check_refused(HEADER "0,1.5,1,2,3,4,5\n", true, AIO_ERROR_MEANING, "from 0 to 3, found 1.5");
  check_refused(HEADER "0,-1,1,2,3,4,5\n", true, AIO_ERROR_MEANING, "from 0 to 3, found -1");
  check_refused(HEADER "0,,1,2,3,4,5\n", true, AIO_ERROR_MEANING,
                "from 0 to 3, found an empty cell");
  check_refused(HEADER "0,1,1,2,3,4,5\n,1,1,2,3,4,5\n", true, AIO_ERROR_MEANING,
                "r.csv:3: t_s: expected a time in every row, found an empty cell");
  check_refused(HEADER "0,1,1,2,3,4,5\n0,1,1,2,3,4,5\n", true, AIO_ERROR_REFUSED,
                "r.csv:3: t_s: expected a time after 0 of the line before, found 0 again");
  check_refused(
      HEADER "0,1,1,2,3,4,5\n9.5,1,1,2,3,4,5\n0.25,1,1,2,3,4,5\n", true, AIO_ERROR_REFUSED,
      "r.csv:4: t_s: expected a time after 9.5 of the line before, found 0.25: time starts again, "
      "keep each recording in a file of its own");
  check_refused(HEADER "0,1,1,2,3,4,5\n9.5,1,1,2,3,4,5\n9,1,1,2,3,4,5\n", true, AIO_ERROR_REFUSED,
                "found 9: time runs back");
  check_refused(HEADER "0,1,inf,2,3,4,5\n", true, AIO_ERROR_SYNTAX,
                "q1_rad: expected a number, found \"inf\"");
  check_refused(HEADER "0,1,1,2,3,4,5\n1,1,1,2,-1e300,4,5\n", true, AIO_ERROR_MEANING,
                "r.csv:3: q3_m: expected a number from -1e15 to 1e15, found -1e+300");
  check_refused(HEADER "0,1,1,2,3,4,5\n1,1,1,2,3,4,1e10\n", true, AIO_ERROR_MEANING,
                "r.csv:3: i1_A: expected a number from -1e9 to 1e9, found 1e+10");
}

static void test_samples_need_only_positions(void) {
  GError *error = NULL;
  AioRecording *r = parse("q3_m,q2_rad,q1_rad\n3,2,1\n6,5,4\n", false, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(r->q[1], ==, 4);
  g_assert_cmpfloat(r->q[5], ==, 6);
  g_assert_false(r->has_time || r->has_joint);
  g_assert_true(isnan(r->t[0]));
  g_assert_cmpint(r->joint[1], ==, 0);
  aio_recording_free(r);
  r = parse("t_s,q3_m,q2_rad,q1_rad\n3,2,1,5\n3,6,5,4\n", false, &error);
  g_assert_no_error(error);
  aio_recording_free(r);
  check_refused("q3_m,q2_rad\n3,2\n", false, AIO_ERROR_MEANING, "expected a column q1_rad");
}

static void test_append(void) {
  GError *error = NULL;
  AioRecording *a = parse(good, true, &error);
  AioRecording *b = parse("t_s,joint,q1_rad,q2_rad,q3_m,qd2_rad_s,qdd2_rad_s2,tau2_Nm,hm\n"
                          "0,2,1,2,3,.1,0,4,0\n0.01,2,1,2,3,.1,0,5,0\n",
                          true, &error);
  g_assert_no_error(error);
  g_assert_true(aio_recording_append(a, b, &error));
  g_assert_cmpuint(a->rows, ==, 5);
  g_assert_cmpuint(a->segments->len, ==, 2);
  g_assert_cmpuint(g_array_index(a->segments, gsize, 1), ==, 3);
  g_assert_cmpfloat_with_epsilon(a->t[3], 0.02 + 1.0, 1e-12);
  g_assert_cmpfloat_with_epsilon(a->t[4], 0.02 + 1.01, 1e-12);
  g_assert_cmpfloat(a->q[1 * 5 + 3], ==, 2);
  g_assert_cmpfloat(a->current[1 * 5 + 4], ==, 5);
  g_assert_cmpfloat(a->current[0], ==, 1.5);
  g_assert_true(isnan(a->current[3]));
  g_assert_true(isnan(a->qdd[0]));
  g_assert_cmpfloat(a->qdd[1 * 5 + 4], ==, 0);
  g_assert_true(a->is_torque[1] && a->has_current[1] && a->has_speed[1]);
  g_assert_cmpuint(a->ignored->len, ==, 2);
  AioRecording *c =
      parse("t_s,joint,q1_rad,q2_rad,q3_m,qd2_rad_s,i2_A\n100,2,1,2,3,.1,4\n", true, &error);
  g_assert_false(aio_recording_append(a, c, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_assert_nonnull(
      strstr(error->message, "joint 2: expected a torque as in r.csv, found a current"));
  g_assert_cmpuint(a->rows, ==, 5);
  g_clear_error(&error);
  c->has_current[1] = false;
  g_assert_true(aio_recording_append(a, c, &error));
  g_assert_cmpfloat(a->t[5], ==, 100); /* far enough behind: kept */
  c->n = 2;
  g_assert_false(aio_recording_append(a, c, &error));
  g_assert_nonnull(strstr(error->message, "a recording of the same arm"));
  g_clear_error(&error);
  aio_recording_free(a);
  aio_recording_free(b);
  aio_recording_free(c);
}

static void assert_same(const double *a, const double *b, gsize count) {
  for (gsize k = 0; k < count; k++)
    g_assert_true(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])));
}

static void test_round_trip(void) {
  enum { ROWS = 500 };
  GError *error = NULL;
  ArmModel model = arm();
  TestRng rng;
  test_rng_init(&rng, test_seed(2024));
  AioRecording *a = aio_recording_new("a", &model, ROWS, true, &error);
  g_assert_no_error(error);
  for (gsize row = 0; row < ROWS; row++) {
    a->t[row] = (double)row / 3.0;
    a->joint[row] = (int)test_rng_below(&rng, 4);
  }
  for (gsize k = 0; k < 3 * ROWS; k++) {
    a->q[k] = test_rng_normal(&rng);
    a->qd[k] = test_rng_below(&rng, 5) ? 1e-9 * test_rng_normal(&rng) : NAN;
    a->qdd[k] = test_rng_below(&rng, 5) ? 1e12 * test_rng_normal(&rng) : NAN;
    a->current[k] = test_rng_normal(&rng);
  }
  for (gsize j = 0; j < 3; j++)
    a->has_speed[j] = a->has_current[j] = true;
  a->is_torque[2] = true;
  char *directory = g_dir_make_tmp("armature-XXXXXX", NULL);
  char *path = g_build_filename(directory, "r.csv", NULL);
  g_assert_true(aio_recording_write(a, path, false, &error));
  g_assert_false(aio_recording_write(a, path, false, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_EXISTS);
  g_clear_error(&error);
  AioRecording *b = aio_recording_load(path, &model, &error);
  g_assert_no_error(error);
  g_assert_cmpmem(a->joint, ROWS * sizeof(int), b->joint, ROWS * sizeof(int));
  assert_same(a->t, b->t, ROWS);
  assert_same(a->q, b->q, 3 * ROWS);
  assert_same(a->qd, b->qd, 3 * ROWS);
  assert_same(a->qdd, b->qdd, 3 * ROWS);
  assert_same(a->current, b->current, 3 * ROWS);
  g_assert_true(b->is_torque[2] && !b->is_torque[0]);
  g_unlink(path);
  g_rmdir(directory);
  aio_recording_free(a);
  aio_recording_free(b);
  g_free(path);
  g_free(directory);
}

static void test_files(void) {
  GError *error = NULL;
  const ArmModel model = arm();
  g_assert_null(aio_recording_load("/nonexistent/r.csv", &model, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_NOT_FOUND);
  g_clear_error(&error);
  check_refused("version https://git-lfs.github.com/spec/v1\n", true, AIO_ERROR_REFUSED,
                "git lfs pull");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recording/load", test_load);
  g_test_add_func("/recording/torque-and-acceleration", test_torque_and_acceleration);
  g_test_add_func("/recording/columns-refused", test_columns_refused);
  g_test_add_func("/recording/values-refused", test_values_refused);
  g_test_add_func("/recording/samples", test_samples_need_only_positions);
  g_test_add_func("/recording/append", test_append);
  g_test_add_func("/recording/round-trip", test_round_trip);
  g_test_add_func("/recording/files", test_files);
  return g_test_run();
}
