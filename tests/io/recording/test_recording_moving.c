/* SPDX-License-Identifier: MIT */
/* Recordings of moving arms, window by window: the same rows as of a file that is read whole, what
 * a survey says of steps and columns, and what is wrong with rows, across windows too. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "io/recording/recording_moving.h"

enum { JOINTS = 2, ROWS = 2500 }; /* more than two windows */

static char *directory;

static void make_model(ArmModel *model) {
  g_assert_true(arm_model_init(model, JOINTS) == ARM_OK);
  model->joints[1].type = ARM_JOINT_T;
}

static char *write_file(const char *text) {
  char *path = g_build_filename(directory, "r.csv", NULL);
  g_assert_true(g_file_set_contents(path, text, -1, NULL));
  return path;
}

static const AioTimeSpan always = {(double)NAN, (double)NAN};

/* Rows 0.01 s apart; `jitter` alternates the steps by so much. */
static char *make_text(double jitter, const char *head) {
  GString *text = g_string_new(head);
  for (int k = 0; k < ROWS; k++) {
    char t[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(t, sizeof t, "%.6f", 3 + 0.01 * k + (k % 2 ? jitter : 0));
    g_string_append_printf(text, "%s,%d,%d,%d,%d\n", t, k < 100 ? 1 : 0, k % 7, -k, k - 1000);
  }
  return g_string_free(text, FALSE);
}

static const char head[] = "t_s,joint,q1_rad,q2_m,i1_A\n";

static bool survey_of(const char *text, const AioTimeSpan *span, AioMovingSurvey *survey,
                      GError **error) {
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  g_autofree char *path = write_file(text);
  make_model(model);
  g_autoptr(AioCsv) csv = aio_csv_open(path, error);
  return csv && aio_moving_survey(csv, model, span, survey, error);
}

static void test_survey(void) {
  g_autofree char *text = make_text(0, head);
  AioMovingSurvey survey;
  GError *error = NULL;
  const bool is_good = survey_of(text, &always, &survey, &error);
  g_assert_no_error(error);
  g_assert_true(is_good);
  g_assert_cmpuint(survey.rows, ==, ROWS);
  g_assert_cmpuint(survey.with_one, ==, 100);
  g_assert_cmpuint(survey.with_all, ==, ROWS - 100);
  g_assert_true(fabs(survey.step_s - 0.01) < 1e-6 && !survey.is_uneven);
  g_assert_true(fabs(survey.last_s - survey.first_s - 0.01 * (ROWS - 1)) < 1e-9);
  g_assert_true(!survey.has_qd && !survey.has_qdd);
  g_assert_true(survey.has_effort[0] && !survey.has_effort[1] && !survey.is_torque[0]);
  g_assert_cmpfloat(survey.q_max[0], ==, 6);
  g_assert_cmpfloat(survey.q_min[1], ==, -(ROWS - 1));
  g_assert_cmpfloat(survey.most_effort[0], ==, ROWS - 1001);
  g_assert_true(isnan(survey.most_effort[1]) && !survey.ignored);
  aio_moving_survey_clear(&survey);
}

static void test_uneven(void) {
  g_autofree char *text = make_text(0.002, "t_s,joint,q1_rad,q2_m,tau2_N\n");
  AioMovingSurvey survey;
  GError *error = NULL;
  g_assert_true(survey_of(text, &always, &survey, &error));
  g_assert_true(survey.is_uneven && survey.is_torque[1] && !survey.is_torque[0]);
  g_assert_true(fabs(survey.step_s - 0.01) < 1e-5); /* the mean; the median is 8 or 12 ms */
  aio_moving_survey_clear(&survey);
}

/* ---- rows ---- */

typedef struct {
  gsize rows;
  double sums[4], first, last;
} Seen;

static bool see(const AioRecording *window, gsize first, gsize count, void *data) {
  Seen *seen = data;
  for (gsize row = first; row < first + count; row++) {
    if (seen->rows++ == 0)
      seen->first = window->t[row];
    seen->last = window->t[row];
    seen->sums[0] += window->q[row] * (double)seen->rows;
    seen->sums[1] += window->q[row + window->rows] * (double)seen->rows;
    seen->sums[2] += window->current[row] * (double)seen->rows;
    seen->sums[3] += window->joint[row] * (double)seen->rows;
  }
  return true;
}

static bool skip(const AioRecording *window, gsize first, gsize count, void *data) {
  (void)window;
  (void)first;
  *(gsize *)data += count;
  return false;
}

static void test_rows(void) {
  g_autofree char *text = make_text(0, head);
  g_autofree char *path = write_file(text);
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  const AioTimeSpan spans[] = {always, {5, 20.005}, {(double)NAN, 4}, {20, (double)NAN}};
  GError *error = NULL;
  make_model(model);
  g_autoptr(AioCsv) csv = aio_csv_open(path, &error);
  g_assert_no_error(error);
  for (gsize k = 0; k < G_N_ELEMENTS(spans); k++) {
    Seen seen = {0}, expected = {0};
    for (int row = 0; row < ROWS; row++) {
      const double t = 3 + 0.01 * row;
      if (t < spans[k].from - 1e-9 || t > spans[k].to + 1e-9)
        continue;
      expected.rows++;
      expected.sums[0] += row % 7 * (double)expected.rows;
      expected.sums[1] -= row * (double)expected.rows;
      expected.sums[2] += (row - 1000) * (double)expected.rows;
      expected.sums[3] += (row < 100) * (double)expected.rows;
    }
    g_assert_true(aio_moving_each(csv, model, &spans[k], see, &seen, &error));
    g_assert_cmpuint(seen.rows, ==, expected.rows);
    for (int s = 0; s < 4; s++)
      g_assert_cmpfloat(seen.sums[s], ==, expected.sums[s]);
  }
  gsize taken = 0; /* no more wanted */
  g_assert_true(aio_moving_each(csv, model, &always, skip, &taken, &error));
  g_assert_cmpuint(taken, ==, AIO_CSV_WINDOW_ROWS);
}

/* ---- coupled drives ---- */

typedef struct {
  double first[JOINTS]; /* of the second row */
} Efforts;

static bool keep_efforts(const AioRecording *window, gsize first, gsize count, void *data) {
  Efforts *found = data;
  g_assert_cmpuint(count, ==, 2);
  for (gsize j = 0; j < JOINTS; j++)
    found->first[j] = window->current[first + 1 + j * window->rows];
  return true;
}

static Efforts efforts_of(const char *text, double coupling) {
  g_autofree ArmModel *model = g_new0(ArmModel, 1);
  g_autofree char *path = write_file(text);
  GError *error = NULL;
  Efforts found = {{0}};
  make_model(model);
  model->has_coupling = coupling != 0;
  model->coupling[1][0] = coupling;
  g_autoptr(AioCsv) csv = aio_csv_open(path, &error);
  g_assert_true(csv && aio_moving_each(csv, model, &always, keep_efforts, &found, &error));
  return found;
}

/* tau = (I+L)^T m: m_2 = tau_2, m_1 = tau_1 - L_21 m_2; currents are the drives' own. */
static void test_coupled(void) {
  static const char torques[] = "t_s,joint,q1_rad,q2_m,tau1_Nm,tau2_N\n0,0,0,0,1,1\n1,0,1,1,5,3\n";
  static const char currents[] = "t_s,joint,q1_rad,q2_m,i1_A,i2_A\n0,0,0,0,1,1\n1,0,1,1,5,3\n";
  static const char mixed[] = "t_s,joint,q1_rad,q2_m,tau1_Nm,i2_A\n0,0,0,0,1,1\n1,0,1,1,5,3\n";
  Efforts found = efforts_of(torques, 0.25);
  g_assert_cmpfloat(found.first[0], ==, 4.25);
  g_assert_cmpfloat(found.first[1], ==, 3);
  g_assert_cmpfloat(efforts_of(torques, 0).first[0], ==, 5);
  g_assert_cmpfloat(efforts_of(currents, 0.25).first[0], ==, 5);
  found = efforts_of(mixed, 0.25);
  g_assert_true(isnan(found.first[0]) && found.first[1] == 3);
}

/* ---- what is wrong ---- */

static void assert_refused(const char *text, const AioTimeSpan *span, const char *expected) {
  AioMovingSurvey survey = {.rows = 77};
  GError *error = NULL;
  if (survey_of(text, span, &survey, &error))
    g_error("read, but wanted: %s", expected);
  if (!strstr(error->message, expected))
    g_error("wanted %s in: %s", expected, error->message);
  g_assert_cmpuint(survey.rows, ==, 77);
  g_clear_error(&error);
}

/* The row of a line, another one instead. */
static char *with_line(const char *text, guint line, const char *instead) {
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  g_free(lines[line - 1]);
  lines[line - 1] = g_strdup(instead);
  return g_strjoinv("\n", lines);
}

static void test_refused(void) {
  static const struct {
    guint line;
    const char *instead, *expected;
  } cases[] = {
      {1026, "3.01,0,0,0,0", "r.csv:1026: t_s: expected a time after 13.23 of the line before"},
      {2000, ",0,0,0,0", "r.csv:2000: t_s: expected a time in every row, found an empty cell"},
      {30, "3.28,3,0,0,0", "r.csv:30: joint: expected a whole number from 0 to 2, found 3"},
      {40, "3.38,0,1e16,0,0", "q1_rad: expected a number from -1e15 to 1e15, found 1e+16"},
      {45, "3.43,0,0,0,-1e160",
       "r.csv:45: i1_A: expected a number from -1e9 to 1e9, found -1e+160"},
      {50, "3.48,0,x,0,0", "r.csv:50:8: q1_rad: expected a number, found"},
      {1, "t_s,joint,q1_rad,q2_m,i3_A", "expected a joint from 1 to 2, found 3"},
      {1, "t_s,joint,q1_rad,q2_m,volt", "expected a column i1_A"},
      {1, "t_s,joint,q1_rad,q2_rad,i1_A", "expected q2_m (joint 2 translates)"},
      {1, "t_s,who,q1_rad,q2_m,i1_A", "expected a column joint"},
      {1, "x_t,joint,q1_rad,q2_m,i1_A", "expected a column t_s"},
  };
  const AioTimeSpan late = {1000, (double)NAN};
  g_autofree char *text = make_text(0, head);
  for (gsize k = 0; k < G_N_ELEMENTS(cases); k++) {
    g_autofree char *bad = with_line(text, cases[k].line, cases[k].instead);
    assert_refused(bad, &always, cases[k].expected);
  }
  assert_refused(text, &late, "r.csv: expected rows with t_s from 1000 to any");
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("moving-XXXXXX", NULL);
  g_assert_nonnull(directory);
  g_test_add_func("/recording-moving/survey", test_survey);
  g_test_add_func("/recording-moving/uneven", test_uneven);
  g_test_add_func("/recording-moving/rows", test_rows);
  g_test_add_func("/recording-moving/coupled", test_coupled);
  g_test_add_func("/recording-moving/refused", test_refused);
  const int failed = g_test_run();
  g_autofree char *path = g_build_filename(directory, "r.csv", NULL);
  (void)g_remove(path);
  (void)g_rmdir(directory);
  g_free(directory);
  return failed;
}
