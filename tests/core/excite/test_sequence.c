/* SPDX-License-Identifier: MIT */
/* Motions through designed points: within all limits, smooth, with the energies of the points, and
 * not slower than any choice of directions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/energy.h"
#include "core/excite/limits.h"
#include "core/excite/sequence.h"
#include "support/dyn_random.h"
#include "support/robot3.h"
#include "support/support.h"

static ArmModel model;

static void robot3_design(size_t r, uint64_t seed, ArmPoints *points) {
  static const double accelerations[3] = {5, 4, 8};
  const ArmPointsOptions options = {.r = r,
                                    .criterion = {.kind = ARM_CRITERION_COND_P},
                                    .has_margin = true,
                                    .seed = seed,
                                    .evaluations = 300};
  robot3_model(ROBOT3_P, &model);
  for (size_t j = 0; j < 3; j++)
    model.joints[j].limits.accel_max = accelerations[j];
  assert_int_equal(arm_points_design(&model, &options, points, NULL), ARM_OK);
}

static ArmSequence *sequence_of(const ArmPoints *points, bool is_at_rest) {
  ArmSequence *sequence = NULL;
  assert_int_equal(arm_sequence_new(&model, points, is_at_rest, &sequence), ARM_OK);
  return sequence;
}

/* ---- what any motion must be ---- */

/* Limits at every millisecond, no step in position or speed, and each the integral of the next: of
 * speeds but for the moments of a brake that takes less than a few milliseconds. */
static void check_motion(const ArmSequence *s) {
  enum { MOST = 4 };
  ArmMotionLimits limits;
  ArmMotionViolation violations[3 * MOST];
  const double duration = arm_sequence_duration(s), dt = 1e-3;
  double before[3][MOST], now[3][MOST];
  size_t steps = 0, coarse = 0;
  assert_int_equal(arm_motion_limits(&model, &limits, NULL, NULL), ARM_OK);
  for (size_t k = 0; (double)k * dt <= duration; k++) {
    arm_sequence_at(s, (double)k * dt, now[0], now[1], now[2]);
    assert_int_equal(arm_motion_violations(&limits, 1, now[0], now[1], now[2], violations), 0);
    for (size_t j = 0; j < s->n && k > 0; j++) {
      const double most = limits.half[ARM_MOTION_ACCELERATION][j], rise = now[1][j] - before[1][j];
      const double way = now[0][j] - before[0][j] - dt * 0.5 * (before[1][j] + now[1][j]);
      assert_true(fabs(way) <= dt * dt * most && fabs(rise) <= dt * most * (1 + 1e-6));
      coarse += fabs(rise - dt * 0.5 * (before[2][j] + now[2][j])) > 0.01 * dt * most;
      steps++;
    }
    memcpy(before, now, sizeof now);
  }
  assert_true(coarse < steps / 50);
}

/* Same energies as the points, one by one; the loose joint alone may be elsewhere. */
static void check_points(const ArmSequence *s, const ArmPoints *points, bool is_at_rest) {
  const size_t first = is_at_rest ? 1 : 0, p = points->p;
  ArmEnergy *energy = NULL;
  double want[32], got[32];
  assert_int_equal(s->points, points->points + 2 * first);
  assert_int_equal(arm_energy_new(&model, 1, &energy), ARM_OK);
  assert_true(p <= 32);
  for (size_t k = 0; k < points->points; k++) {
    double q[4], qd[4], q0[4], qd0[4];
    arm_sequence_at(s, s->time[k + first], q, qd, NULL);
    for (size_t j = 0; j < s->n; j++) {
      q0[j] = points->q[j * points->points + k];
      qd0[j] = points->qd[j * points->points + k];
      assert_true(test_is_near(fabs(qd[j]), fabs(qd0[j]), 1e-9, 1e-9));
    }
    arm_energy_points(energy, q0, qd0, want);
    arm_energy_points(energy, q, qd, got);
    for (size_t b = 0; b < p; b++)
      assert_true(test_is_near(got[b], want[b], 1e-7, 1e-7));
  }
  arm_energy_free(energy);
}

static void test_motion(void **state) {
  (void)state;
  for (unsigned round = 0; round < 4; round++) {
    const bool is_at_rest = round % 2;
    ArmPoints points;
    robot3_design(20, 1 + round, &points);
    ArmSequence *s = sequence_of(&points, is_at_rest);
    check_motion(s);
    check_points(s, &points, is_at_rest);
    double q[2][3], qd[2][3], qdd[2][3];
    arm_sequence_at(s, -1, q[0], qd[0], qdd[0]);
    arm_sequence_at(s, 1e9, q[1], qd[1], qdd[1]);
    for (size_t j = 0; j < 3; j++)
      for (int end = 0; end < 2; end++) {
        assert_true(fabs(qdd[end][j]) < 1e-9);
        assert_true(!is_at_rest || fabs(qd[end][j]) < 1e-9);
      }
    arm_sequence_free(s);
    arm_points_clear(&points);
  }
}

static void test_random_arms(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(6));
  for (int round = 0; round < 6; round++) {
    const ArmPointsOptions options = {.r = 50, .has_margin = true, .seed = 1, .evaluations = 5};
    ArmPoints points;
    dyn_random_arm(&rng, 2 + (size_t)round % 3, &model);
    for (size_t j = 0; j < model.n; j++)
      model.joints[j].limits =
          (ArmLimits){.q_min = -1.5, .q_max = 2, .speed_max = 1.5, .accel_max = 4};
    assert_int_equal(arm_points_design(&model, &options, &points, NULL), ARM_OK);
    ArmSequence *s = sequence_of(&points, round % 2);
    check_motion(s);
    arm_sequence_free(s);
    arm_points_clear(&points);
  }
}

/* ---- the fastest ---- */

/* The time with these directions: bit k of `signs` turns point k round. */
static double time_of(const ArmPoints *points, unsigned signs) {
  double total = 0;
  for (size_t k = 0; k + 1 < points->points; k++) {
    const double a = signs >> k & 1 ? -1 : 1, b = signs >> (k + 1) & 1 ? -1 : 1;
    ArmSegment segment[3];
    ArmSegmentTimes times[3];
    bool is_composite[3];
    double time;
    for (size_t j = 0; j < 3; j++) {
      const ArmLimits *limits = &model.joints[j].limits;
      const double *q = points->q + j * points->points + k;
      const double *qd = points->qd + j * points->points + k;
      segment[j] = (ArmSegment){q[0],          q[1],          a * qd[0],         b * qd[1],
                                limits->q_min, limits->q_max, limits->speed_max, limits->accel_max};
      assert_int_equal(arm_segment_times(&segment[j], &times[j]), ARM_OK);
    }
    assert_int_equal(arm_segment_time(3, segment, times, &time, is_composite), ARM_OK);
    total += time;
  }
  return total;
}

static void test_fastest(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    ArmPoints points;
    double least = (double)INFINITY;
    robot3_design(15, seed, &points);
    ArmPoints few = points; /* the first seven, whose columns are as far apart as before */
    double q[3 * 7], qd[3 * 7];
    for (size_t j = 0; j < 3; j++) {
      memcpy(q + 7 * j, points.q + j * points.points, 7 * sizeof *q);
      memcpy(qd + 7 * j, points.qd + j * points.points, 7 * sizeof *qd);
    }
    few.points = 7;
    few.q = q;
    few.qd = qd;
    for (unsigned signs = 0; signs < 1 << 7; signs++)
      least = fmin(least, time_of(&few, signs));
    assert_true(points.is_loose[0] && !points.is_loose[1] && !points.is_loose[2]);
    ArmSequence *loose = sequence_of(&few, false);
    few.is_loose[0] = false;
    ArmSequence *fixed = sequence_of(&few, false);
    const double shorter = arm_sequence_duration(loose), time = arm_sequence_duration(fixed);
    print_message("# as given %.4g s, best directions %.4g, joint 1 loose %.4g\n", time_of(&few, 0),
                  time, shorter);
    assert_true(test_is_near(time, least, 1e-12, 0) && shorter <= least && time_of(&few, 0) > time);
    arm_sequence_free(loose);
    arm_sequence_free(fixed);
    arm_points_clear(&points);
  }
}

static void test_refused(void **state) {
  ArmPoints points;
  ArmSequence *sequence = NULL;
  (void)state;
  robot3_design(15, 1, &points);
  const double q = points.q[0];
  points.q[0] = (double)NAN;
  assert_int_equal(arm_sequence_new(&model, &points, false, &sequence), ARM_E_NOT_FINITE);
  points.q[0] = 9;
  assert_int_equal(arm_sequence_new(&model, &points, false, &sequence), ARM_E_ARGUMENT);
  points.q[0] = q;
  model.joints[2].limits.accel_max = (double)NAN;
  assert_int_equal(arm_sequence_new(&model, &points, false, &sequence), ARM_E_ARGUMENT);
  model.n = 2;
  assert_int_equal(arm_sequence_new(&model, &points, false, &sequence), ARM_E_ARGUMENT);
  assert_null(sequence);
  arm_points_clear(&points);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_motion),
      cmocka_unit_test(test_random_arms),
      cmocka_unit_test(test_fastest),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
