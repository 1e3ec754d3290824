/* SPDX-License-Identifier: MIT */
/* Which step of a motion is said to be a guess, and which is not. */
#include "io/recording/motion_hole.h"

#include <glib.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "io/base/said.h"

static ArmModel model;

/* Rows of one joint at these times, at t^2 in rad, or where `rest` is at one place. */
static AioMotionTable *motion_of(gsize rows, const double *t, bool rests) {
  g_autoptr(GString) csv = g_string_new("t_s,q1_rad\n");
  GError *error = NULL;
  for (gsize k = 0; k < rows; k++) {
    char time[G_ASCII_DTOSTR_BUF_SIZE], q[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(time, sizeof time, "%.6f", t[k]);
    g_ascii_formatd(q, sizeof q, "%.6f", rests ? 0.25 : t[k] * t[k]);
    g_string_append_printf(csv, "%s,%s\n", time, q);
  }
  AioMotionTable *motion = aio_motion_load_bytes("a.csv", csv->str, csv->len, &model, &error);
  g_assert_no_error(error);
  return motion;
}

/* 100 rows 10 ms apart, the step behind each of `rows` as long as `step`; until -1. */
static AioMotionTable *with_steps(const int *row, const double *step, bool rests) {
  double t[100], at = 0.0;
  for (int k = 0; k < 100; k++) {
    t[k] = at;
    at += 0.01;
    for (int n = 0; row[n] >= 0; n++)
      if (row[n] == k)
        at += step[n] - 0.01;
  }
  return motion_of(G_N_ELEMENTS(t), t, rests);
}

static void expect_said(AioMotionTable *motion, const char *text) {
  g_autofree char *said = aio_motion_hole_said(motion);
  g_autofree char *shown = said ? aio_said_text(said) : NULL;
  g_assert_cmpstr(shown, ==, text);
  aio_motion_free(motion);
}

static void test_hole(void) {
  AioMotionTable *motion = with_steps((int[]){49, -1}, (double[]){0.8}, false);
  AioMotionHole hole;
  g_assert_true(aio_motion_find_hole(motion, &hole));
  g_assert_cmpuint(hole.row, ==, 49);
  g_assert_cmpuint(hole.others, ==, 0);
  g_assert_cmpfloat_with_epsilon(hole.step_s, 0.8, 1e-9);
  g_assert_cmpfloat_with_epsilon(hole.usual_s, 0.01, 1e-9);
  expect_said(motion, "a.csv:51: at 0.49 s, 0.8 s to the next row, where rows are 0.01 s apart: "
                      "what is between is a guess");
}

/* The longest is told, and how many there are besides. */
static void test_others(void) {
  expect_said(with_steps((int[]){20, 40, -1}, (double[]){0.2, 0.5}, false),
              "a.csv:42: at 0.59 s, 0.5 s to the next row, where rows are 0.01 s apart: what is "
              "between is a guess; and 1 more");
  expect_said(with_steps((int[]){20, 40, 60, -1}, (double[]){0.2, 0.1, 0.1}, false),
              "a.csv:22: at 0.2 s, 0.2 s to the next row, where rows are 0.01 s apart: what is "
              "between is a guess; and 2 more");
}

static void test_none(void) {
  static const double few[] = {0.0, 1.0, 2.0, 3.0, 4.0};
  static const double two[] = {0.0, 0.01, 1.0}; /* which of them is usual nobody can tell */
  expect_said(with_steps((int[]){-1}, NULL, false), NULL);
  expect_said(with_steps((int[]){49, -1}, (double[]){0.049}, false), NULL); /* not five times */
  expect_said(motion_of(G_N_ELEMENTS(few), few, false), NULL);
  expect_said(motion_of(G_N_ELEMENTS(two), two, false), NULL);
}

/* A joint that stays where it is leaves nothing to guess; one that does not come to rest there, or
 * is elsewhere after it, does. */
static void test_rest(void) {
  const int at[] = {49, -1};
  const double step[] = {0.8};
  expect_said(with_steps(at, step, true), NULL);
  for (int k = 0; k < 3; k++) {
    AioMotionTable *motion = with_steps(at, step, true);
    AioMotionHole hole;
    if (k == 0)
      motion->qd[49] = 0.5;
    else if (k == 1)
      motion->qd[50] = -0.5;
    else
      motion->q[50] += 0.001;
    g_assert_true(aio_motion_find_hole(motion, &hole));
    g_assert_cmpuint(hole.row, ==, 49);
    aio_motion_free(motion);
  }
}

/* What a design was made of leaves nothing out, and has no lines. */
static void test_no_file(void) {
  AioMotionTable *motion = with_steps((int[]){49, -1}, (double[]){0.8}, false);
  g_clear_pointer(&motion->line, g_free);
  expect_said(motion, NULL);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  setlocale(LC_NUMERIC, "C"); /* numbers for people are written as theirs */
  g_assert_cmpint(arm_model_init(&model, 1), ==, ARM_OK);
  g_test_add_func("/motion_hole/hole", test_hole);
  g_test_add_func("/motion_hole/others", test_others);
  g_test_add_func("/motion_hole/none", test_none);
  g_test_add_func("/motion_hole/rest", test_rest);
  g_test_add_func("/motion_hole/no_file", test_no_file);
  return g_test_run();
}
