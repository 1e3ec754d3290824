/* SPDX-License-Identifier: MIT */
/* What a motion asks of each joint, the stages of following it, what stands in its way, and which
 * samples its curves take. */
#include "ui/sweep/motion_facts.h"

#include <math.h>
#include <string.h>

#include "session/measure/motion_case.h"
#include "ui/sweep/motion_curves.h"

static ArmModel model;

static AseTrajectory *trajectory_new(double way) {
  const double home[ARM_MAX_JOINTS] = {0.1, -0.2};
  return motion_case_trajectory(&model, home, 4.0, way, 0.02, 1.0);
}

/* Of a (1 - cos w t)^2 the largest speed is 2.598 a w, the largest acceleration 4 a w^2; joint 2
 * goes to and fro twice. Hulls are a little wider. */
static void test_facts(void) {
  AseTrajectory *trajectory = trajectory_new(0.4);
  AuiMotionFact facts[ARM_MAX_JOINTS];
  ArmMotionLimits limits = {.n = 2, .half = {{0.0}, {1.0, 2.0}, {10.0, 2.0}}};
  AseEdits *edits = g_new0(AseEdits, 1);
  for (guint j = 0; j < 2; j++)
    edits->low[j] = -1.0, edits->high[j] = 1.0;
  aui_motion_facts(trajectory, &limits, edits, facts);
  for (guint j = 0; j < 2; j++) {
    const double a = 0.1, w = 2.0 * G_PI * (j + 1) / 4.0;
    g_assert_cmpfloat_with_epsilon(facts[j].low, j ? -0.2 : 0.1, 1e-6);
    g_assert_cmpfloat_with_epsilon(facts[j].high - facts[j].low, 4.0 * a, 1e-3);
    g_assert_cmpfloat_with_epsilon(facts[j].speed / (2.598 * a * w), 1.0, 0.01);
    g_assert_cmpfloat_with_epsilon(facts[j].acceleration / (4.0 * a * w * w), 1.0, 0.03);
    g_assert_cmpfloat(facts[j].speed_most, ==, limits.half[ARM_MOTION_SPEED][j]);
  }
  g_free(edits);
  ase_trajectory_unref(trajectory);
}

static guint stages_of(bool has_dry_run, AuiMotionStage *stages) {
  AseTrajectory *trajectory = trajectory_new(0.4);
  AseItineraryOptions options;
  AseFreedom freedom;
  const double start[ARM_MAX_JOINTS] = {0.5, 0.5};
  GError *error = NULL;
  ase_itinerary_options_default(&options, 2);
  ase_freedom_init(&freedom, &model);
  AseItinerary *itinerary =
      ase_itinerary_of_motion(&model, trajectory, &freedom, &options, start, has_dry_run, &error);
  g_assert_no_error(error);
  const guint n = aui_motion_stages(itinerary, stages);
  double sum = 0.0;
  for (guint k = 0; k < n; k++)
    sum += stages[k].duration_s;
  g_assert_cmpfloat_with_epsilon(sum, itinerary->duration_s, 1e-9);
  ase_itinerary_free(itinerary);
  ase_trajectory_unref(trajectory);
  return n;
}

static void test_stages(void) {
  AuiMotionStage stages[AUI_MOTION_STAGES];
  g_assert_cmpuint(stages_of(false, stages), ==, 3); /* it ends where it begins: no way back */
  g_assert_nonnull(strstr(stages[0].text, "to where it begins"));
  g_assert_nonnull(strstr(stages[1].text, "tenth"));
  g_assert_cmpfloat_with_epsilon(stages[1].duration_s, 40.0, 1e-3);
  g_assert_nonnull(strstr(stages[2].text, "recorded"));
  g_assert_cmpfloat_with_epsilon(stages[2].duration_s, 4.0, 1e-3);
  g_assert_cmpuint(stages_of(true, stages), ==, 2);
  g_assert_nonnull(strstr(stages[0].text, "back"));
}

static void test_words(void) {
  static const AuiMotionStanding good = {.is_connected = true,
                                         .can_follow = true,
                                         .is_armed = true,
                                         .has_motion = true,
                                         .is_known = true,
                                         .state = ASE_STATE_READY};
  AuiMotionStanding s = good;
  g_assert_cmpstr(aui_motion_missing(&s), ==, "");
  g_assert_nonnull(strstr(aui_motion_deed(&s), "Follow"));
  s.is_armed = false;
  g_assert_nonnull(strstr(aui_motion_missing(&s), "Arm the arm"));
  s.unarmed = "the emergency stop chain is open";
  g_assert_cmpstr(aui_motion_missing(&s), ==, s.unarmed);
  s.state = ASE_STATE_RUNNING;
  g_assert_cmpstr(aui_motion_missing(&s), ==, "");
  s = good, s.can_follow = false;
  g_assert_nonnull(strstr(aui_motion_missing(&s), "trajectory"));
  s.is_connected = false;
  g_assert_nonnull(strstr(aui_motion_missing(&s), "Connect"));
  s.has_motion = false;
  g_assert_nonnull(strstr(aui_motion_missing(&s), "again"));
  s.is_known = false;
  g_assert_cmpstr(aui_motion_missing(&s), ==, "Choose a motion first.");
  s.is_read_only = true;
  g_assert_nonnull(strstr(aui_motion_missing(&s), "only read"));
  s = good, s.state = ASE_STATE_FAILED;
  g_assert_nonnull(strstr(aui_motion_deed(&s), "Go on"));
  s.state = ASE_STATE_PASSED;
  g_assert_nonnull(strstr(aui_motion_deed(&s), "Record"));
}

/* Three knots a part: a leap that is as short is in the outline, and so are even times where knots
 * are few. */
static void test_outline(void) {
  enum { KNOTS = 3 * ASE_OUTLINE_PARTS + 1, LEAP = 1000 };
  g_autofree double *t = g_new(double, KNOTS), *q = g_new0(double, KNOTS);
  g_autofree double *qd = g_new0(double, KNOTS);
  ArmCubics *cubics = NULL;
  for (guint k = 0; k < KNOTS; k++)
    t[k] = k;
  q[LEAP] = 0.5, q[LEAP + 1] = -0.25;
  g_assert_cmpint(arm_cubics_new(1, KNOTS, t, q, qd, 0.02, 1.0, &cubics), ==, ARM_OK);
  g_autoptr(GArray) points = ase_trajectory_outline_new(cubics, 0);
  double low = 0.0, high = 0.0;
  g_assert_cmpuint(points->len, <=, 3 * ASE_OUTLINE_PARTS + 1);
  for (guint k = 0; k < points->len; k++) {
    const AseTrajectoryPoint *point = &g_array_index(points, AseTrajectoryPoint, k);
    g_assert_true(k == 0 || point->t >= point[-1].t);
    low = fmin(low, point->q);
    high = fmax(high, point->q);
  }
  g_assert_cmpfloat(low, ==, -0.25);
  g_assert_cmpfloat(high, ==, 0.5);
  arm_cubics_free(cubics);
  AseTrajectory *trajectory = trajectory_new(0.4); /* of 200 segments */
  g_assert_cmpuint(trajectory->outline[1]->len, >, ASE_OUTLINE_PARTS);
  ase_trajectory_unref(trajectory);
}

/* While a file is read, nothing of what was chosen before is to be followed. */
static void test_reading(void) {
  AuiMotionStanding s = {.is_connected = true,
                         .can_follow = true,
                         .is_armed = true,
                         .has_motion = true,
                         .is_known = true,
                         .reading = "Reading b.csv",
                         .state = ASE_STATE_FAILED};
  g_assert_cmpstr(aui_motion_missing(&s), ==, s.reading);
  g_assert_nonnull(strstr(aui_motion_deed(&s), "Follow")); /* not: go on */
  g_assert_cmpint(aui_motion_state(&s), ==, ASE_STATE_WAITING);
  s.state = ASE_STATE_PASSED;
  g_assert_nonnull(strstr(aui_motion_deed(&s), "Follow"));
  s.has_motion = s.is_connected = s.is_armed = false;
  g_assert_cmpstr(aui_motion_missing(&s), ==, s.reading);
  s.state = ASE_STATE_RUNNING;
  g_assert_cmpint(aui_motion_state(&s), ==, ASE_STATE_RUNNING);
  s.reading = NULL, s.state = ASE_STATE_PASSED;
  g_assert_cmpint(aui_motion_state(&s), ==, ASE_STATE_PASSED);
}

/* A sample each 10 ms, joint 1 at q. */
static bool add(AuiMotionCurves *curves, guint64 t_ms, guint16 motion, double q) {
  AioSample sample = {.t_us = 1000 * t_ms, .motion = motion, .q = {q}, .current = {2.0 * q}};
  AioChunk *chunk = aio_chunk_new(2, t_ms);
  g_assert_true(aio_chunk_push(chunk, &sample, 0));
  const bool is_seen = aui_motion_curves_add(curves, chunk);
  aio_chunk_unref(chunk);
  return is_seen;
}

/* Samples of the way there that come late are none of the motion; its time begins with its own. */
static void test_samples(void) {
  AseTrajectory *trajectory = trajectory_new(0.4);
  const AseLeg move = {.purpose = ASE_PURPOSE_DRY_RUN};
  const AseLeg dry = {.trajectory = trajectory,
                      .purpose = ASE_PURPOSE_DRY_RUN,
                      .slowness = 10.0,
                      .duration_s = 40.0};
  const AseLeg follow = {
      .trajectory = trajectory, .purpose = ASE_PURPOSE_MEASURE, .slowness = 1.0, .duration_s = 4.0};
  AuiMotionCurves curves;
  aui_motion_curves_init(&curves, NULL);
  aui_motion_curves_leg(&curves, &move);
  g_assert_false(add(&curves, 1000, 5, 9.0));
  aui_motion_curves_leg(&curves, &dry);
  g_assert_true(curves.is_dry_run);
  g_assert_false(add(&curves, 1010, 5, 9.0)); /* late */
  g_assert_false(add(&curves, 1020, 0, 9.0)); /* at rest */
  g_assert_true(add(&curves, 3000, 6, 0.1));
  g_assert_true(add(&curves, 23000, 6, 0.3));
  g_assert_cmpuint(curves.n, ==, 2);
  g_assert_cmpuint(aui_bins_filled(&curves.q[0], 0), ==, 2);
  g_assert_cmpfloat_with_epsilon(curves.q[0].bin[0][0].sum, 0.1, 1e-12);
  g_assert_cmpfloat_with_epsilon(curves.current[0].bin[0][AUI_MOTION_BINS / 2].sum, 0.6, 1e-12);
  aui_motion_curves_leg(&curves, &move); /* they stay to be seen on the way back */
  g_assert_false(add(&curves, 24000, 7, 9.0));
  g_assert_cmpuint(aui_bins_filled(&curves.q[0], 0), ==, 2);
  aui_motion_curves_leg(&curves, &follow);
  g_assert_false(curves.is_dry_run);
  g_assert_cmpuint(aui_bins_filled(&curves.q[0], 0), ==, 0);
  g_assert_false(add(&curves, 24010, 7, 9.0));
  g_assert_true(add(&curves, 25000, 8, 0.2));
  aui_motion_curves_forget(&curves);
  g_assert_cmpuint(curves.n, ==, 0);
  g_assert_false(add(&curves, 25010, 8, 0.2));
  aui_motion_curves_clear(&curves);
  ase_trajectory_unref(trajectory);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(arm_model_init(&model, 2), ==, ARM_OK);
  g_test_add_func("/motion_facts/facts", test_facts);
  g_test_add_func("/motion_facts/stages", test_stages);
  g_test_add_func("/motion_facts/words", test_words);
  g_test_add_func("/motion_curves/outline", test_outline);
  g_test_add_func("/motion_facts/reading", test_reading);
  g_test_add_func("/motion_curves/samples", test_samples);
  return g_test_run();
}
