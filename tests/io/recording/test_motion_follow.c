/* SPDX-License-Identifier: MIT */
/* Motions that an arm can follow, and what is said of those that it cannot: file, line, column,
 * expected, found. Numbers in messages have a point under every locale. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "io/recording/motion_follow.h"
#include "support/support.h"

enum { JOINTS = 2, ROWS = 401 };

static ArmModel model;
static ArmMotionLimits limits;

/* Joint 1 turns by 1 rad in 4 s and back, joint 2 slides by 0.2 m; 100 rows per second. At most
 * 1.18 rad/s and 2.9 rad/s^2. The line of a row is row + 2. */
typedef struct {
  double t[ROWS], q[JOINTS][ROWS], qd[JOINTS][ROWS];
  bool has_speeds;
} Motion;

static void motion_init(Motion *m) {
  static const double way[JOINTS] = {0.5, 0.1};
  for (int row = 0; row < ROWS; row++) {
    const double t = 0.01 * row, s = t / 4.0, w = 2.0 * G_PI;
    m->t[row] = t;
    for (int j = 0; j < JOINTS; j++) {
      /* the integral of a raised cosine's derivative: rest, with no acceleration, at both ends */
      m->q[j][row] = way[j] * (1.0 - cos(w * s)) * (1.0 - cos(w * s)) / 2.0;
      m->qd[j][row] = way[j] * (1.0 - cos(w * s)) * sin(w * s) * w / 4.0;
    }
  }
  m->has_speeds = true;
}

static AioMotionTable *load(const Motion *m, GError **error) {
  g_autoptr(GString) csv =
      g_string_new(m->has_speeds ? "t_s,q1_rad,q2_m,qd1_rad_s,qd2_m_s\n" : "t_s,q1_rad,q2_m\n");
  for (int row = 0; row < ROWS; row++) {
    const double x[] = {m->t[row], m->q[0][row], m->q[1][row], m->qd[0][row], m->qd[1][row]};
    for (int k = 0; k < (m->has_speeds ? 5 : 3); k++) {
      char digits[G_ASCII_DTOSTR_BUF_SIZE];
      g_string_append_printf(csv, "%s%s", k ? "," : "",
                             g_ascii_dtostr(digits, sizeof digits, x[k]));
    }
    g_string_append_c(csv, '\n');
  }
  return aio_motion_load_bytes("wave.csv", csv->str, csv->len, &model, error);
}

static void set_limits(double q, double speed, double accel) {
  limits = (ArmMotionLimits){.n = JOINTS, .half = {{q, q}, {speed, speed}, {accel, accel}}};
}

static ArmCubics *follow(const Motion *m, double *slowness, GError **error) {
  g_autoptr(AioMotionTable) motion = load(m, error);
  *slowness = 1.0;
  return motion ? aio_motion_follow(motion, &model, &limits, "the arm file", AIO_FOLLOW_SEGMENT_S,
                                    slowness, error)
                : NULL;
}

static void expect(const Motion *m, AioErrorCode code, const char *pattern) {
  GError *error = NULL;
  double slowness;
  ArmCubics *cubics = follow(m, &slowness, &error);
  g_assert_null(cubics);
  g_assert_error(error, AIO_ERROR, (int)code);
  if (!g_pattern_match_simple(pattern, error->message))
    g_error("expected %s, found %s", pattern, error->message);
  g_assert_true(slowness == 1.0);
  g_error_free(error);
}

static void test_good(void) {
  static Motion m;
  for (int has_speeds = 0; has_speeds < 2; has_speeds++) {
    GError *error = NULL;
    double slowness;
    motion_init(&m);
    m.has_speeds = has_speeds;
    set_limits(2, 2, 5);
    ArmCubics *cubics = follow(&m, &slowness, &error);
    g_assert_no_error(error);
    g_assert_true(slowness == 1.0);
    g_assert_cmpuint(cubics->count, ==, 201);
    g_assert_cmpfloat_with_epsilon(arm_cubics_duration(cubics), 4.0, 1e-9);
    for (int row = 0; row < ROWS; row++) {
      double q[JOINTS];
      arm_cubics_at(cubics, m.t[row], q, NULL);
      g_assert_cmpfloat_with_epsilon(q[0], m.q[0][row], 1e-5);
      g_assert_cmpfloat_with_epsilon(q[1], m.q[1][row], 1e-5);
    }
    arm_cubics_free(cubics);
  }
}

static void test_ends(void) {
  static Motion m;
  motion_init(&m);
  set_limits(2, 2, 5);
  m.qd[0][0] = 0.25;
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:2: qd1_rad_s: expected 0, as an arm begins at rest, found 0.25");
  motion_init(&m);
  m.qd[1][ROWS - 1] = -0.5;
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:402: qd2_m_s: expected 0, as an arm ends at rest, found -0.5");
}

static void test_samples(void) {
  static Motion m;
  motion_init(&m);
  set_limits(0.75, 2, 5); /* of 1 rad */
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:202: q1_rad: expected -0.75 to 0.75, the limits of the arm file, found 1 (* of "
         "401 samples are beyond)");
  set_limits(2, 0.5, 5);
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:*: qd1_rad_s: expected -0.5 to 0.5, the limits of the arm file, found *");
  m.has_speeds = false; /* then it is what the controller would do that is too fast */
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:*: q1_rad: expected a speed of -0.5 to 0.5, the limits of the arm file, until "
         "line *, found * on the way there (* of 200 segments are beyond)");
}

/* Samples within their limits, and what lies between them is not. */
static void test_between(void) {
  static Motion m;
  motion_init(&m);
  set_limits(2, 4, 5);
  m.qd[0][100] = -1.0; /* a knot whose speed does not belong to its positions */
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:10?: q1_rad: expected an acceleration of -5 to 5, the limits of the arm file, "
         "until line 10?, found * on the way there (* of 200 segments are beyond)");
  motion_init(&m);
  m.q[1][101] += 0.0625; /* between two knots */
  m.has_speeds = true;
  expect(&m, AIO_ERROR_REFUSED,
         "wave.csv:103: q2_m: expected a position within 0.0001 of the cubic *, found one that is "
         "0.062* off it");
}

/* A motion at its limits is followed a little slower; one beyond them is not. */
static void test_slower(void) {
  static Motion m;
  GError *error = NULL;
  double slowness;
  motion_init(&m);
  m.has_speeds = false;
  double most = 0.0;
  for (int row = 0; row < ROWS; row++)
    most = fmax(most, fabs(m.qd[0][row]));
  set_limits(2, 0.996 * most, 50);
  ArmCubics *cubics = follow(&m, &slowness, &error);
  g_assert_no_error(error);
  g_assert_cmpfloat(slowness, >, 1.003);
  g_assert_cmpfloat(slowness, <, 1.006);
  g_assert_cmpfloat_with_epsilon(arm_cubics_duration(cubics), 4.0 * slowness, 1e-5);
  arm_cubics_free(cubics);
  set_limits(2, 0.98 * most, 50);
  expect(&m, AIO_ERROR_REFUSED, "wave.csv:*: q1_rad: expected a speed of *");
}

/* Adds part (1 - cos kws) to joint j; returns the largest acceleration of the sum so far. */
static double add_harmonic(Motion *m, int j, int k, double part, double accel[ROWS]) {
  double most = 0.0;
  for (int row = 0; row < ROWS; row++) {
    const double w = k * 2.0 * G_PI / 4.0, x = w * m->t[row];
    m->q[j][row] += part * (1.0 - cos(x));
    m->qd[j][row] += part * w * sin(x);
    accel[row] += part * w * w * cos(x);
    most = fmax(most, fabs(accel[row]));
  }
  return most;
}

/* Designed motions are at their limits in many places: slower by what one of them asks for, the
 * ends of segments lie elsewhere, and another one may ask for more. */
static void test_at_limits(void) {
  static Motion m;
  TestRng rng;
  test_rng_init(&rng, 187);
  for (int k = 0; k < 100; k++) {
    GError *error = NULL;
    double slowness, most = 0.0;
    motion_init(&m);
    for (int j = 0; j < JOINTS; j++) {
      double accel[ROWS] = {0};
      memset(m.q[j], 0, sizeof m.q[j]);
      memset(m.qd[j], 0, sizeof m.qd[j]);
      double last = 0.0; /* of all of its harmonics */
      for (int h = 1; h <= 6; h++)
        last = add_harmonic(&m, j, h, test_rng_uniform(&rng, -1.0, 1.0) / (h * h), accel);
      most = fmax(most, last);
    }
    set_limits(20, 100, most);
    ArmCubics *cubics = follow(&m, &slowness, &error);
    g_assert_no_error(error);
    g_assert_cmpfloat(arm_cubics_slowness(&limits, cubics), <=, 1.0);
    g_assert_cmpfloat(slowness, <=, AIO_FOLLOW_SLOWNESS);
    arm_cubics_free(cubics);
  }
}

/* What is not a motion at all. */
/* A controller's range is rounded to its units: a motion to its very end is not refused for it. */
static void test_range_in_units(void) {
  static const double ways[] = {0.9e-6, 1.1e-6};
  for (gsize k = 0; k < G_N_ELEMENTS(ways); k++) {
    static Motion m;
    GError *error = NULL;
    double slowness;
    motion_init(&m); /* joint 1 from 0 to 1 rad */
    set_limits(1.0 - ways[k], 2, 5);
    ArmCubics *cubics = follow(&m, &slowness, &error);
    g_assert_true((cubics != NULL) == (k == 0));
    if (k > 0)
      g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
    else
      g_assert_no_error(error);
    g_clear_error(&error);
    arm_cubics_free(cubics);
  }
}

static void test_files(void) {
  static const struct {
    const char *text, *pattern;
    AioErrorCode code;
  } cases[] = {
      {"t_s,q1_rad\n0,0\n1,0\n2,0\n", "*q2_m*", AIO_ERROR_MEANING},
      {"q1_rad,q2_m\n0,0\n0,0\n0,0\n", "*t_s*", AIO_ERROR_MEANING},
      {"t_s,q1_rad,q2_m\n0,0,0\n1,0,0\n", "*three rows*2*", AIO_ERROR_MEANING},
      {"t_s,q1_rad,q2_m\n0,0,0\n1,,0\n2,0,0\n", "x:3: q1_rad: *an empty cell", AIO_ERROR_MEANING},
      {"t_s,q1_rad,q2_m\n0,0,0\n2,0,0\n1,0,0\n", "x:4: t_s: *after 2 *, found 1",
       AIO_ERROR_REFUSED},
      {"t_s,q1_rad,q2_m\n0,0,0\n1,zero,0\n2,0,0\n", "x:3:3: q1_rad: expected a number*zero*",
       AIO_ERROR_SYNTAX},
      {"", "*", AIO_ERROR_SYNTAX},
      /* no verb that reads a motion takes a column map: none is advised */
      {"t_s,q1_deg,q2_m\n0,0,0\n", "x:1:5: q1_deg: expected q1_rad *, found another name or unit",
       AIO_ERROR_MEANING},
      {"time,a,b\n0,0,0\n1,0,0\n2,0,0\n", "x:1: expected a column q1_rad, found none",
       AIO_ERROR_MEANING},
      {"0,0,0\n1,0,0\n2,0,0\n",
       "x:1:1: expected a header line that names the columns, found numbers", AIO_ERROR_SYNTAX},
      {"t_s;q1_rad;q2_m\n0;0;0\n",
       "x:1:1: expected \",\" between the cells, found semicolons between the cells: save the file "
       "with commas and points",
       AIO_ERROR_SYNTAX},
      {"[[0, 0, 0]]\n", "x: JSON, not CSV", AIO_ERROR_REFUSED},
  };
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    GError *error = NULL;
    g_assert_null(aio_motion_load_bytes("x", cases[k].text, strlen(cases[k].text), &model, &error));
    if (!error || error->code != (int)cases[k].code ||
        !g_pattern_match_simple(cases[k].pattern, error->message))
      g_error("case %" G_GSIZE_FORMAT ": %d %s", k, error ? error->code : -1,
              error ? error->message : "no error");
    g_clear_error(&error);
  }
}

/* It takes no time that a controller's clock could tell. */
static void test_short(void) {
  static const char text[] = "t_s,q1_rad,q2_m\n0,0,0\n1e-8,0,0\n2e-8,0,0\n";
  GError *error = NULL;
  double slowness = 1.0;
  set_limits(2, 2, 5);
  g_autoptr(AioMotionTable) motion =
      aio_motion_load_bytes("blink.csv", text, strlen(text), &model, &error);
  g_assert_no_error(error);
  g_assert_null(aio_motion_follow(motion, &model, &limits, "the arm file", AIO_FOLLOW_SEGMENT_S,
                                  &slowness, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_MEANING);
  g_clear_error(&error);
}

/* Positions alone: joint 1 from 0 to to_rad in 3 s, of which the first are cut off. */
static void expect_quintic(double rate_Hz, double to_rad, double begin_s, const char *pattern) {
  GError *error = NULL;
  double slowness = 1.0;
  g_autoptr(GString) csv = g_string_new("t_s,q1_rad,q2_m\n");
  for (int row = 0; row <= (int)lround((3.0 - begin_s) * rate_Hz); row++) {
    const double s = (begin_s + row / rate_Hz) / 3.0;
    char t[G_ASCII_DTOSTR_BUF_SIZE], q[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(t, sizeof t, "%.3f", row / rate_Hz);
    g_ascii_formatd(q, sizeof q, "%.9f", to_rad * s * s * s * (10.0 + s * (6.0 * s - 15.0)));
    g_string_append_printf(csv, "%s,%s,0.1\n", t, q);
  }
  g_autoptr(AioMotionTable) motion =
      aio_motion_load_bytes("wave.csv", csv->str, csv->len, &model, &error);
  g_assert_no_error(error);
  g_autoptr(ArmCubics) cubics = aio_motion_follow(motion, &model, &limits, "the arm file",
                                                  AIO_FOLLOW_SEGMENT_S, &slowness, &error);
  if (!pattern) {
    g_assert_no_error(error);
    g_assert_nonnull(cubics);
    g_assert_cmpfloat(motion->qd[0], ==, 0.0);
    g_assert_cmpfloat(motion->qd[motion->rows - 1], ==, 0.0);
  } else if (!error || !g_pattern_match_simple(pattern, error->message)) {
    g_error("expected %s, found %s", pattern, error ? error->message : "nothing");
  }
  g_clear_error(&error);
}

/* What differences tell of rest depends on how densely it is sampled; and a limit is told first. */
static void test_rest(void) {
  set_limits(6, 2, 5);
  expect_quintic(10, 1.9, 0.0, NULL);
  expect_quintic(20, 1.9, 0.0, NULL);
  expect_quintic(100, 1.9, 0.0, NULL);
  expect_quintic(20, 4.0, 0.0,
                 "wave.csv:*: q1_rad: expected a speed of -2 to 2, the limits of the arm file, "
                 "until line *, found 2.* on the way there (* segments are beyond)");
  expect_quintic(20, 1.9, 1.0,
                 "wave.csv:2: q1_rad: expected a speed of 0, as an arm begins at rest, found "
                 "positions that change at a speed of 0.9* there: record the joint standing still "
                 "for a few samples, or state its speeds in a column of their own");
}

static void expect_refused(const char *text, const char *message) {
  GError *error = NULL;
  double slowness = 1.0;
  set_limits(2, 2, 5);
  g_autoptr(AioMotionTable) motion =
      aio_motion_load_bytes("still.csv", text, strlen(text), &model, &error);
  g_assert_no_error(error);
  g_assert_null(aio_motion_follow(motion, &model, &limits, "the arm file", AIO_FOLLOW_SEGMENT_S,
                                  &slowness, &error));
  g_assert_error(error, AIO_ERROR, AIO_ERROR_REFUSED);
  g_assert_cmpstr(error->message, ==, message);
  g_clear_error(&error);
}

static void test_constant(void) {
  expect_refused("t_s,q1_rad,q2_m\n0,0.5,0.1\n0.1,0.5,0.1\n0.2,0.5,0.1\n",
                 "still.csv: expected a joint that moves, found the same positions in all rows");
  expect_refused("t_s,q1_rad,q2_m\n0,0.5,0.1\n0.1,0.500000001,0.1\n0.2,0.5,0.1\n",
                 "still.csv: expected a joint that moves, found positions that change by less than "
                 "a controller can be told");
}

/* At rest but for one row between two samples of the controller. */
static void test_leap(void) {
  g_autoptr(GString) csv = g_string_new("t_s,q1_rad,q2_m\n");
  for (int row = 0; row <= 100; row++)
    g_string_append_printf(csv, "0.%03d,%d,0.1\n", row, row == 50);
  expect_refused(csv->str,
                 "still.csv:52: q1_rad: expected a position within 0.00174533 of the cubic between "
                 "samples that are 20 ms apart, which is what a controller follows, found one that "
                 "is 1 off it");
}

static char *digest_of(const Motion *m) {
  g_autoptr(AioMotionTable) motion = load(m, NULL);
  return aio_motion_digest(motion);
}

/* Of what is stated: not of what is made of it. */
static void test_digest(void) {
  static Motion m;
  motion_init(&m);
  g_autofree char *as_it_is = digest_of(&m);
  g_autofree char *again = digest_of(&m);
  g_assert_cmpuint(strlen(as_it_is), ==, 64);
  g_assert_cmpstr(as_it_is, ==, again);
  m.qd[1][200] += 1e-9;
  g_autofree char *faster = digest_of(&m);
  g_assert_cmpstr(as_it_is, !=, faster);
  motion_init(&m);
  m.q[0][7] += 1e-9;
  g_autofree char *farther = digest_of(&m);
  g_assert_cmpstr(as_it_is, !=, farther);
  motion_init(&m);
  m.t[7] += 1e-9;
  g_autofree char *later = digest_of(&m);
  g_assert_cmpstr(as_it_is, !=, later);
  motion_init(&m);
  m.has_speeds = false;
  g_autofree char *without = digest_of(&m);
  g_assert_cmpstr(as_it_is, !=, without);
  g_autoptr(AioMotionTable) motion = load(&m, NULL);
  motion->qd[5] += 1.0; /* made by another version of the program */
  motion->qdd[5] += 1.0;
  g_autofree char *made = aio_motion_digest(motion);
  g_assert_cmpstr(without, ==, made);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(arm_model_init(&model, JOINTS), ==, ARM_OK);
  model.joints[1].type = ARM_JOINT_T;
  g_test_add_func("/motion_follow/good", test_good);
  g_test_add_func("/motion_follow/ends", test_ends);
  g_test_add_func("/motion_follow/samples", test_samples);
  g_test_add_func("/motion_follow/between", test_between);
  g_test_add_func("/motion_follow/slower", test_slower);
  g_test_add_func("/motion_follow/at_limits", test_at_limits);
  g_test_add_func("/motion_follow/range_in_units", test_range_in_units);
  g_test_add_func("/motion_follow/files", test_files);
  g_test_add_func("/motion_follow/short", test_short);
  g_test_add_func("/motion_follow/rest", test_rest);
  g_test_add_func("/motion_follow/constant", test_constant);
  g_test_add_func("/motion_follow/leap", test_leap);
  g_test_add_func("/motion_follow/digest", test_digest);
  return g_test_run();
}
