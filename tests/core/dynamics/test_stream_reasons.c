/* SPDX-License-Identifier: MIT */
/* What a stream leaves out and why: samples, ends of segments, gaps; what it refuses, and why there
 * are no rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "stream_checks.h"

static void test_counts(void **state) {
  const ArmModel *model = &find_case("2R_planar_vertical")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(7));
  rig_init(&rig, model, &rng, 3000, 0.01);
  Moving *m = rig.m;
  for (size_t s = 0; s < 3000; s++)
    m->qd[s] = m->qd[3000 + s] = 0.5;
  for (size_t s = 100; s < 150; s++)
    m->qd[s] = 0.01; /* not faster than 0.01 */
  for (size_t s = 200; s < 220; s++)
    m->effort[3000 + s] = (double)NAN;
  for (size_t s = 300; s < 307; s++)
    m->q[s] = (double)NAN;
  m->t[400] = (double)INFINITY;
  for (size_t s = 1000; s < 1100; s++) {
    m->joint[s] = 2;
    m->qd[s] = m->qdd[s] = (double)NAN; /* held: at rest */
  }
  m->qd[1200] = (double)NAN; /* not held: missing */
  rig.options.cutoff_Hz = 0;
  assert_int_equal(rig_run(&rig, 777, NULL), ARM_OK);
  assert_int_equal(uses(&rig, 0, ARM_DYN_SLOW), 50);
  assert_int_equal(uses(&rig, 0, ARM_DYN_NO_EFFORT), 0);
  assert_int_equal(uses(&rig, 0, ARM_DYN_NO_STATE), 9);
  assert_int_equal(uses(&rig, 0, ARM_DYN_HELD), 100);
  assert_int_equal(uses(&rig, 0, ARM_DYN_USED), 3000 - 159);
  assert_int_equal(rig.rows->rows[0], 3000 - 159);
  assert_int_equal(uses(&rig, 1, ARM_DYN_SLOW), 0);
  assert_int_equal(uses(&rig, 1, ARM_DYN_NO_EFFORT), 20);
  assert_int_equal(uses(&rig, 1, ARM_DYN_NO_STATE), 9);
  assert_int_equal(uses(&rig, 1, ARM_DYN_HELD), 0);
  assert_int_equal(rig.rows->rows[1], 3000 - 29);
  for (size_t j = 0; j < 2; j++)
    for (size_t r = 0; r < rig.rows->rows[j]; r++) {
      const double before = r > 0 ? rig.rows->t[j][r - 1] : -1;
      assert_int_equal(rig.rows->follows[j][r], rig.rows->t[j][r] - before < 0.015);
    }
  assert_int_equal(rig.counts.filled, 0);
  assert_int_equal(rig.counts.segments, 4); /* no filter: nothing to bridge */
  check_sum(&rig);
  rig_free(&rig);
}

/* What an amplifier limits says no more than that; far beyond, the limit stated is not its. */
static void test_limits(void **state) {
  const ArmModel *model = &find_case("2R_planar_vertical")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(14));
  rig_init(&rig, model, &rng, 400, 0.01);
  Moving *m = rig.m;
  for (size_t s = 0; s < 800; s++) {
    m->qd[s] = 0.5;
    m->effort[s] = s % 400 < 100 ? 1.98 : s % 400 < 150 ? -2.1 : s % 400 < 200 ? 2.11 : 1.979;
  }
  m->effort[0] = (double)NAN;
  rig.options.cutoff_Hz = 0;
  rig.options.most_effort[0] = 2;
  rig.options.most_effort[1] = (double)NAN;
  assert_int_equal(rig_run(&rig, 400, NULL), ARM_OK);
  assert_int_equal(uses(&rig, 0, ARM_DYN_AT_LIMIT), 149);
  assert_int_equal(uses(&rig, 0, ARM_DYN_NO_EFFORT), 1);
  assert_int_equal(uses(&rig, 0, ARM_DYN_USED), 250);
  assert_int_equal(uses(&rig, 1, ARM_DYN_USED), 400);
  check_sum(&rig);
  for (size_t s = 0; s < 400; s++)
    m->effort[s] = 2;
  assert_int_equal(rig_run(&rig, 400, NULL), ARM_OK);
  assert_int_equal(arm_dyn_stream_why(&rig.counts, 0), ARM_DYN_STREAM_AT_LIMIT);
  rig_free(&rig);
}

/* Joint by joint: a sample of joint 1 alone counts for both, of joint 2 alone for it, of both for
 * none; what is held has no friction and no rotor, whatever its speed looks like. */
static void test_one_joint_at_a_time(void **state) {
  const ArmModel *model = &find_case("2R_planar_vertical")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(12));
  rig_init(&rig, model, &rng, 400, 0.01);
  Moving *m = rig.m;
  for (size_t s = 0; s < 400; s++) {
    m->joint[s] = s < 100 ? 1 : s < 200 ? 2 : s < 300 ? 0 : 1;
    m->qd[s] = s < 200 ? 0.5 : 0.009; /* stands in the last hundred */
    m->qd[400 + s] = s < 100 ? -0.009 : 0.5;
    m->qdd[400 + s] = 3;
  }
  for (size_t s = 50; s < 60; s++)
    m->effort[400 + s] = (double)NAN;
  rig.options.cutoff_Hz = 0;
  rig.options.is_sequential = true;
  assert_int_equal(rig_run(&rig, 400, NULL), ARM_OK);
  assert_int_equal(uses(&rig, 0, ARM_DYN_USED), 100);
  assert_int_equal(uses(&rig, 0, ARM_DYN_HELD), 100);
  assert_int_equal(uses(&rig, 0, ARM_DYN_TOGETHER), 100);
  assert_int_equal(uses(&rig, 0, ARM_DYN_SLOW), 100);
  assert_int_equal(uses(&rig, 1, ARM_DYN_USED), 190);
  assert_int_equal(uses(&rig, 1, ARM_DYN_NO_EFFORT), 10);
  assert_int_equal(uses(&rig, 1, ARM_DYN_TOGETHER), 100);
  assert_int_equal(uses(&rig, 1, ARM_DYN_SLOW), 100);
  check_sum(&rig);
  for (size_t r = 0; r < 190; r++) {
    const double *row = rig.rows->row[1] + r * rig.rows->width;
    for (size_t l = 0; l < ARM_DYN_LOCAL; l++)
      assert_true(row[l] == 0 || (r >= 90 && row[l] > 0));
    assert_true((row[ARM_DYN_ROTOR] == 3) == (r >= 90));
  }
  rig.options.is_sequential = false; /* the speed is noise to nobody */
  assert_int_equal(rig_run(&rig, 400, NULL), ARM_OK);
  assert_int_equal(uses(&rig, 1, ARM_DYN_HELD), 200);
  assert_int_equal(uses(&rig, 1, ARM_DYN_USED), 200);
  rig_free(&rig);
}

/* Samples of joint 2 left out as slow, of a sine of 0.25 Hz for 8 s, rows of cutoff_Hz. Alone: that
 * joint 1 follows, and joint 2 is held. */
static size_t turning(double step_s, double cutoff_Hz, double smooth_Hz, bool has_rates,
                      bool is_alone) {
  const ArmModel *model = &find_case("2R_planar_vertical")->model;
  const double w = 6.28318530717958647692 * 0.25;
  const size_t samples = (size_t)(8 / step_s + 0.5);
  TestRng rng;
  Rig rig;
  test_rng_init(&rng, test_seed(13));
  rig_init(&rig, model, &rng, samples, step_s);
  Moving *m = rig.m;
  for (size_t k = 0; k < 2 * samples; k++) {
    const double t = step_s * (double)(k % samples);
    m->q[k] = sin(w * t);
    m->qd[k] = w * cos(w * t);
    m->qdd[k] = -w * w * sin(w * t);
  }
  for (size_t s = 0; s < samples && is_alone; s++) {
    m->joint[s] = 1;
    m->q[samples + s] = m->qd[samples + s] = m->qdd[samples + s] = 0;
  }
  rig.options.is_sequential = is_alone;
  rig.options.has_qd = rig.options.has_qdd = has_rates;
  rig.options.cutoff_Hz = cutoff_Hz;
  if (!has_rates)
    assert_float_equal(arm_dyn_stream_smooth_Hz(&rig.options), smooth_Hz, 1e-9);
  assert_int_equal(rig_run(&rig, samples, NULL), ARM_OK);
  check_sum(&rig);
  const size_t slow = uses(&rig, 1, ARM_DYN_SLOW);
  rig_free(&rig);
  return slow;
}

/* What is within 1.1 periods of the positions' cut-off and a sample of a reversal does not count,
 * as a low-passed position does not know how sharply friction turned there. By the acceleration of
 * the sample itself: tan(w t) = w (1.1 / 15 Hz + step); with rows of 2 Hz, too, and 1.1 / 20 Hz
 * where 100 samples a second leave no more. Joint by joint it is the joint that moves alone that
 * reverses. The four reversals, 1, 3, 5 and 7 s, are samples. Rates that are given know. */
static void test_turning(void **state) {
  const double w = 6.28318530717958647692 * 0.25;
  const double at[][3] = {
      {0.01, 5, 15}, {0.01, 2, 15}, {0.01, 10, 20}, {0.002, 5, 15}, {0.001, 10, 30}};
  (void)state;
  for (size_t k = 0; k < sizeof at / sizeof at[0]; k++) {
    const double either_side = atan(w * (1.1 / at[k][2] + at[k][0])) / w / at[k][0];
    print_message("# step %g s, rows %g Hz, positions %g Hz: %.2f samples on either side\n",
                  at[k][0], at[k][1], at[k][2], either_side);
    for (int is_alone = 0; is_alone < 2; is_alone++)
      assert_int_equal(turning(at[k][0], at[k][1], at[k][2], false, is_alone),
                       4 * (2 * (size_t)either_side + 1));
  }
  assert_in_range(turning(0.01, 5, 15, true, false), 4, 8); /* not faster than 0.01 rad/s */
}

/* Segments: gaps, joined recordings and short pieces; each loses its ends and nothing else. */
static void test_segments(void **state) {
  const ArmModel *model = &find_case("2R_planar_vertical")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(8));
  rig_init(&rig, model, &rng, 4000, 0.01);
  rig.options.has_qd = rig.options.has_qdd = false;
  assert_int_equal(rig_run(&rig, 4000, NULL), ARM_OK);
  const size_t edge = uses(&rig, 0, ARM_DYN_EDGE);
  assert_in_range(edge, 44, 56); /* 3.2 / 15 Hz, and up to 10 samples more */
  assert_int_equal(rig.counts.segments, 1);
  for (size_t s = 1000; s < 4000; s++)
    rig.m->t[s] -= 3; /* the next recording begins before the first has ended */
  for (size_t s = 2000; s < 4000; s++)
    rig.m->t[s] += 0.5;
  for (size_t s = 2050; s < 4000; s++)
    rig.m->t[s] += 0.5; /* a piece of half a second */
  assert_int_equal(rig_run(&rig, 4000, NULL), ARM_OK);
  assert_int_equal(rig.counts.segments, 4);
  assert_int_equal(uses(&rig, 0, ARM_DYN_SHORT), 50);
  assert_in_range(uses(&rig, 0, ARM_DYN_EDGE), 3 * edge - 3, 3 * edge + 3);
  assert_true(misfit(&rig) < 2e-4);
  for (size_t r = 0; r < rig.rows->rows[0]; r++) /* gaps from 26.99 to 28.50 and their edges */
    assert_true(fabs(rig.rows->t[0][r] - 27.75) > 0.95);
  check_sum(&rig);
  rig_free(&rig);
}

/* Few samples that are missing are bridged, and cost less than the filter; jitter is none. */
static void test_dropped_samples(void **state) {
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(9));
  rig_init(&rig, model, &rng, 8000, 0.002);
  rig.options.has_qd = rig.options.has_qdd = false;
  for (size_t s = 0; s < 8000; s++)
    rig.m->t[s] += test_rng_uniform(&rng, -2e-4, 2e-4);
  for (size_t s = 500; s < 8000; s += 1000)
    for (size_t k = 0; k < 10; k++)
      rig.m->q[s + k] = (double)NAN; /* 20 ms: a tenth of the period of 5 Hz */
  assert_int_equal(rig_run(&rig, 1000, NULL), ARM_OK);
  assert_int_equal(rig.counts.segments, 1);
  assert_int_equal(rig.counts.filled, 80);
  assert_int_equal(uses(&rig, 0, ARM_DYN_NO_STATE), 80);
  check_sum(&rig);
  assert_true(misfit(&rig) < 4e-3);
  rig.m->q[510] = (double)NAN; /* one more is a gap */
  assert_int_equal(rig_run(&rig, 1000, NULL), ARM_OK);
  assert_int_equal(rig.counts.segments, 2);
  assert_int_equal(rig.counts.filled, 70);
  check_sum(&rig);
  rig_free(&rig);
}

/* ---- what is refused, and why there are no rows ---- */

static void test_options(void **state) {
  ArmDynStreamOptions o;
  (void)state;
  arm_dyn_stream_options_default(&o);
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_NO_STEP);
  o.step_s = 0.01;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_GOOD);
  o.cutoff_Hz = 20;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_GOOD);
  o.cutoff_Hz = 20.1;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_COARSE);
  o.has_qd = true;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_COARSE);
  o.has_qdd = true;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_GOOD);
  o.cutoff_Hz = 50;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_FILTER);
  o.cutoff_Hz = (double)NAN;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_FILTER);
  o.cutoff_Hz = 0.9e-3;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_FILTER);
  o.cutoff_Hz = 1.1e-3;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_GOOD);
  o.cutoff_Hz = -1;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_FILTER);
  o.cutoff_Hz = 0;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_GOOD);
  o.has_qdd = false;
  assert_int_equal(arm_dyn_stream_check(&o), ARM_DYN_STREAM_NO_RATES);
  for (int k = 0; k < ARM_DYN_STREAM_PROBLEMS; k++)
    for (int l = 0; l < k; l++)
      assert_string_not_equal(arm_dyn_stream_problem_key((ArmDynStreamProblem)k),
                              arm_dyn_stream_problem_key((ArmDynStreamProblem)l));
  for (int k = 0; k < ARM_DYN_USES; k++)
    for (int l = 0; l < k; l++)
      assert_string_not_equal(arm_dyn_use_key((ArmDynUse)k), arm_dyn_use_key((ArmDynUse)l));
}

static ArmStatus full_sink(void *user, size_t joint, size_t rows, bool follows, const double *t,
                           const double *block, size_t ld) {
  (void)joint, (void)rows, (void)follows, (void)t, (void)block, (void)ld;
  ++*(int *)user;
  return ARM_E_NUMERIC;
}

static void test_refusals(void **state) {
  const ArmModel *model = &find_case("PUMA560-AKB")->model;
  ArmDynStream *stream = NULL;
  TestRng rng;
  Rig rig;
  int calls = 0;
  (void)state;
  test_rng_init(&rng, 1);
  rig_init(&rig, model, &rng, 100, 0.01);
  ArmBase *extra = make(model, ARM_BASE_WITH_ROTOR, ARM_BASE_CLOSED_FORM);
  ArmDynStreamOptions bad = rig.options;
  bad.min_speed_T = (double)NAN;
  assert_int_equal(arm_dyn_stream_new(model, rig.base, &bad, full_sink, &calls, &stream),
                   ARM_E_ARGUMENT);
  bad = rig.options;
  bad.step_s = 0;
  assert_int_equal(arm_dyn_stream_new(model, rig.base, &bad, full_sink, &calls, &stream),
                   ARM_E_ARGUMENT);
  assert_int_equal(arm_dyn_stream_new(model, extra, &rig.options, full_sink, &calls, &stream),
                   ARM_E_ARGUMENT);
  assert_int_equal(arm_dyn_stream_new(&find_case("2R_planar_vertical")->model, rig.base,
                                      &rig.options, full_sink, &calls, &stream),
                   ARM_E_ARGUMENT);
  assert_null(stream);
  arm_dyn_stream_free(NULL);
  rig.options.cutoff_Hz = 0;
  assert_int_equal(arm_dyn_stream_new(model, rig.base, &rig.options, full_sink, &calls, &stream),
                   ARM_OK);
  ArmDynSamples samples = moving_samples(rig.m);
  samples.ld = 99;
  assert_int_equal(arm_dyn_stream_push(stream, &samples), ARM_E_ARGUMENT);
  samples.ld = 100;
  rig.m->joint[99] = 7;
  assert_int_equal(arm_dyn_stream_push(stream, &samples), ARM_E_ARGUMENT);
  rig.m->joint[99] = -1;
  assert_int_equal(arm_dyn_stream_push(stream, &samples), ARM_E_ARGUMENT);
  samples.joint = NULL;
  samples.samples = 20;
  assert_int_equal(arm_dyn_stream_push(stream, &samples), ARM_OK);
  assert_int_equal(calls, 0);
  assert_int_equal(arm_dyn_stream_cut(stream), ARM_E_NUMERIC); /* the sink's word */
  assert_int_equal(calls, 1);
  arm_dyn_stream_free(stream);
  arm_base_free(extra);
  rig_free(&rig);
}

static void expect_nothing(Rig *rig, ArmDynStreamProblem why) {
  assert_int_equal(rig_run(rig, 500, NULL), ARM_E_NO_DATA);
  for (size_t j = 0; j < rig->model->n; j++)
    assert_int_equal(arm_dyn_stream_why(&rig->counts, j), why);
  check_sum(rig);
}

static void test_why_nothing(void **state) {
  const ArmModel *model = &find_case("SCARA_RRTR_g//z1")->model;
  TestRng rng;
  Rig rig;
  (void)state;
  test_rng_init(&rng, test_seed(11));
  rig_init(&rig, model, &rng, 1000, 0.01);
  rig.options.has_qd = rig.options.has_qdd = false;
  for (size_t s = 0; s < 1000; s++)
    rig.m->t[s] += (double)(s / 40); /* pieces of 0.4 s: 3.2 / 15 Hz at both ends are 0.43 */
  expect_nothing(&rig, ARM_DYN_STREAM_TOO_SHORT);
  for (size_t s = 0; s < 1000; s++)
    rig.m->t[s] -= (double)(s / 40);
  assert_int_equal(rig_run(&rig, 500, NULL), ARM_OK);
  assert_int_equal(arm_dyn_stream_why(&rig.counts, 3), ARM_DYN_STREAM_GOOD);
  rig.options.min_speed_R = rig.options.min_speed_T = 100;
  expect_nothing(&rig, ARM_DYN_STREAM_STANDS);
  rig.options.min_speed_R = rig.options.min_speed_T = 0;
  for (size_t k = 0; k < 4000; k++)
    rig.m->effort[k] = (double)NAN;
  expect_nothing(&rig, ARM_DYN_STREAM_NO_EFFORT);
  for (size_t s = 0; s < 1000; s++)
    rig.m->q[s] = (double)NAN;
  expect_nothing(&rig, ARM_DYN_STREAM_NO_STATE);
  assert_int_equal(rig.counts.segments, 0);
  rig_free(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts),      cmocka_unit_test(test_turning),
      cmocka_unit_test(test_segments),    cmocka_unit_test(test_dropped_samples),
      cmocka_unit_test(test_options),     cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_why_nothing), cmocka_unit_test(test_one_joint_at_a_time),
      cmocka_unit_test(test_limits)};
  return cmocka_run_group_tests(tests, load_cases, free_cases);
}
