/* SPDX-License-Identifier: MIT */
/* Shortest times: the shared cases, scans of time on random segments, the motions themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/segment.h"
#include "support/support.h"
#include "support/vectors.h"

enum { MOST = 3 };

/* ---- shared cases ---- */

typedef struct {
  size_t n;
  ArmSegment joint[MOST];
  ArmSegmentTimes times[MOST];
} Case;

typedef struct {
  double time, crossing, other;
} Worst;

static void read_ends(const char *text, Case *c) {
  double x[8][MOST];
  static const char *const keys[8] = {"qa", "qb", "va", "vb", "qI", "qF", "V", "A"};
  for (int k = 0; k < 8; k++)
    c->n = vectors_numbers(vectors_find(text, keys[k]), MOST, x[k]);
  for (size_t j = 0; j < c->n; j++) {
    c->joint[j] =
        (ArmSegment){x[0][j], x[1][j], x[2][j], x[3][j], x[4][j], x[5][j], x[6][j], x[7][j]};
    assert_int_equal(arm_segment_times(&c->joint[j], &c->times[j]), ARM_OK);
  }
}

/* Relative difference; null in the file is infinite. */
static double off(double got, double want) {
  if (isnan(want))
    return isinf(got) ? 0 : 1;
  return fabs(got - want) / fmax(fabs(want), 1e-3);
}

/* What is stored at a time is compared at that very time: with a speed at its limit, accelerations
 * are 1e3 times as sensitive as the time. */
static const char *check_joint(const char *text, const Case *c, size_t j, double time,
                               Worst *worst) {
  double want[20], a[6];
  const ArmSegmentTimes *times = &c->times[j];
  ArmSegmentExtremes e;
  arm_segment_extremes(&c->joint[j], time, &e);
  arm_segment_coefficients(&c->joint[j], time, a);
  worst->time = fmax(worst->time, off(times->speed, vectors_number(text, "T_vel")));
  const double positions = arm_segment_position_time(&c->joint[j]);
  worst->time = fmax(worst->time, off(positions, vectors_number(text, "T_pos_max")));
  worst->other = fmax(worst->other, off(times->composite, vectors_number(text, "T_composite")));
  worst->other = fmax(worst->other, off(e.accel, vectors_number(text, "amax_at_uf")));
  worst->other = fmax(worst->other, off(e.speed, vectors_number(text, "vmax_at_uf")));
  vectors_exactly(text, "pos_range_at_uf", 2, want);
  worst->other = fmax(worst->other, fmax(off(e.q_min, want[0]), off(e.q_max, want[1])));
  vectors_exactly(text, "coefs_at_uf", 6, want);
  for (size_t k = 0; k < 6; k++)
    worst->other = fmax(worst->other, off(a[k], want[k]));
  const char *crossings = vectors_find(text, "acc_crossings");
  assert_int_equal(times->crossings, vectors_numbers(crossings, 20, want));
  for (size_t k = 0; k < times->crossings; k++) /* printed with ten decimals */
    worst->crossing = fmax(worst->crossing, fabs(times->crossing[k] - want[k]));
  return vectors_find(text, "coefs_at_uf");
}

static void check_case(const char *text, Worst *worst) {
  Case c = {0};
  double time, want[MOST];
  bool is_position, is_composite[MOST];
  read_ends(text, &c);
  assert_int_equal(arm_segment_quintic_time(c.n, c.joint, c.times, &time, &is_position), ARM_OK);
  const double stored = vectors_number(text, "uf_vel_acc");
  worst->time = fmax(worst->time, off(time, stored));
  assert_int_equal(is_position, vectors_number(text, "position_ok") > 0.5);
  const char *joint = vectors_find(text, "joints");
  for (size_t j = 0; j < c.n; j++)
    joint = check_joint(joint, &c, j, stored, worst);
  const double composite = vectors_number(text, "uf_with_composite");
  const ArmStatus status = arm_segment_time(c.n, c.joint, c.times, &time, is_composite);
  assert_int_equal(status, isnan(composite) ? ARM_E_INFEASIBLE : ARM_OK);
  if (status != ARM_OK)
    return;
  worst->time = fmax(worst->time, off(time, composite));
  vectors_exactly(text, "single_quintic_joint", c.n, want);
  for (size_t j = 0; j < c.n; j++)
    assert_int_equal(!is_composite[j], want[j] > 0.5);
}

static void test_shared_cases(void **state) {
  Worst worst = {0, 0, 0};
  size_t count = 0;
  (void)state;
  char *text = vectors_read("vectors/traj/uf_cases.json");
  if (!text) {
    print_message("# skipped: no ../shared/vectors/traj\n");
    return;
  }
  for (const char *at = vectors_find(text, "name"); at; at = vectors_find(at, "name"), count++)
    check_case(at, &worst);
  print_message("# %d cases: times %.2g, crossings %.2g, others %.2g\n", (int)count, worst.time,
                worst.crossing, worst.other);
  assert_int_equal(count, 28);
  /* times: where one end is at a limit of speed or almost at one of position, T_v and T_p hang on
   * what counts as rounding; all others agree to 2e-11 */
  assert_true(worst.time < 1e-8 && worst.crossing < 1e-9 && worst.other < 1e-9);
  free(text);
}

/* ---- random segments ---- */

static void random_case(TestRng *rng, Case *c) {
  static const double speed[MOST] = {1.43, 0.94, 2.13}, accel[MOST] = {5, 4, 8};
  c->n = 1 + test_rng_below(rng, MOST);
  for (size_t j = 0; j < c->n; j++) {
    ArmSegment *s = &c->joint[j];
    *s = (ArmSegment){.q_min = -2, .q_max = 2, .speed = speed[j], .accel = accel[j]};
    s->accel *= test_rng_below(rng, 2) ? 1 : 0.1;
    s->q_from = test_rng_uniform(rng, -2, 2);
    s->q_to = test_rng_below(rng, 4) ? test_rng_uniform(rng, -2, 2) : s->q_from;
    s->qd_from = test_rng_below(rng, 4) ? s->speed * test_rng_uniform(rng, -1, 1) : 0;
    s->qd_to = test_rng_below(rng, 4) ? s->speed * test_rng_uniform(rng, -1, 1) : 0;
    if (test_rng_below(rng, 6) == 0)
      s->qd_from = s->speed;
    assert_int_equal(arm_segment_times(s, &c->times[j]), ARM_OK);
  }
}

/* Extremes by sampling, a little inside of the true ones. */
static void sample(const ArmSegment *s, double time, bool is_composite, ArmSegmentExtremes *e) {
  *e = (ArmSegmentExtremes){(double)INFINITY, -(double)INFINITY, 0, 0};
  for (int k = 0; k <= 400; k++) {
    double q, qd, qdd;
    arm_segment_at(s, time, is_composite, k == 400 ? time : time * k / 400, &q, &qd, &qdd);
    e->q_min = fmin(e->q_min, q);
    e->q_max = fmax(e->q_max, q);
    e->speed = fmax(e->speed, fabs(qd));
    e->accel = fmax(e->accel, fabs(qdd));
  }
}

static bool is_inside(const ArmSegment *s, const ArmSegmentExtremes *e, double slack) {
  return e->q_min >= s->q_min - slack && e->q_max <= s->q_max + slack &&
         e->speed <= s->speed * (1 + slack) && e->accel <= s->accel * (1 + slack);
}

static void test_extremes(void **state) {
  TestRng rng;
  Case c;
  (void)state;
  test_rng_init(&rng, test_seed(1));
  for (int round = 0; round < 300; round++) {
    random_case(&rng, &c);
    const double time = test_rng_uniform(&rng, 0.1, 6);
    ArmSegmentExtremes got, seen;
    arm_segment_extremes(&c.joint[0], time, &got);
    sample(&c.joint[0], time, false, &seen);
    const double size = 1 + seen.q_max - seen.q_min;
    assert_true(got.q_max >= seen.q_max - 1e-9 && got.q_max <= seen.q_max + 1e-4 * size);
    assert_true(got.q_min <= seen.q_min + 1e-9 && got.q_min >= seen.q_min - 1e-4 * size);
    assert_true(got.speed >= seen.speed * (1 - 1e-9) && got.speed <= seen.speed + 1e-3);
    assert_true(got.accel >= seen.accel * (1 - 1e-9) && got.accel <= seen.accel * (1 + 1e-3));
  }
}

/* Is a time that a scan finds feasible shorter than the shortest? */
static void test_nothing_is_shorter(void **state) {
  enum { SCAN = 1500 };
  TestRng rng;
  Case c;
  size_t infeasible = 0;
  (void)state;
  test_rng_init(&rng, test_seed(2));
  for (int round = 0; round < 200; round++) {
    double time;
    bool is_composite[MOST];
    random_case(&rng, &c);
    const ArmStatus status = arm_segment_time(c.n, c.joint, c.times, &time, is_composite);
    assert_true(status == ARM_OK || status == ARM_E_INFEASIBLE);
    infeasible += status != ARM_OK;
    const double until = status == ARM_OK ? time * (1 - 1e-6) : 40;
    for (int k = 1; k < SCAN; k++) {
      const double at = until * k / SCAN;
      bool is_feasible = true;
      for (size_t j = 0; j < c.n && is_feasible; j++) {
        ArmSegmentExtremes e;
        arm_segment_extremes(&c.joint[j], at, &e);
        is_feasible = at >= c.times[j].composite || is_inside(&c.joint[j], &e, 0);
      }
      if (is_feasible)
        fail_msg("round %d: %.9g is feasible, shortest %.9g", round, at, until);
    }
  }
  print_message("# %d of 200 infeasible\n", (int)infeasible);
  assert_true(infeasible < 120); /* points that cannot brake within their range */
}

/* What is found keeps all limits, begins and ends where it should, and qd is the slope of q. */
static void test_motions(void **state) {
  TestRng rng;
  Case c;
  size_t composites = 0;
  (void)state;
  test_rng_init(&rng, test_seed(3));
  for (int round = 0; round < 200; round++) {
    double time;
    bool is_composite[MOST];
    random_case(&rng, &c);
    if (arm_segment_time(c.n, c.joint, c.times, &time, is_composite) != ARM_OK || time == 0)
      continue;
    for (size_t j = 0; j < c.n; j++) {
      const ArmSegment *s = &c.joint[j];
      ArmSegmentExtremes e;
      double q, qd, qdd, early, late, speed;
      composites += is_composite[j];
      sample(s, time, is_composite[j], &e);
      assert_true(is_inside(s, &e, 1e-8));
      arm_segment_at(s, time, is_composite[j], 0, &q, &qd, &qdd);
      assert_true(test_is_near(q, s->q_from, 0, 1e-12) && test_is_near(qd, s->qd_from, 0, 1e-12));
      assert_true(fabs(qdd) < 1e-9);
      arm_segment_at(s, time, is_composite[j], time, &q, &qd, &qdd);
      assert_true(test_is_near(q, s->q_to, 0, 1e-10) && test_is_near(qd, s->qd_to, 0, 1e-10));
      assert_true(fabs(qdd) < 1e-6 * s->accel);
      for (int k = 1; k < 20; k++) {
        const double t = time * k / 20, step = 1e-5 * time;
        arm_segment_at(s, time, is_composite[j], t, &q, &qd, NULL);
        arm_segment_at(s, time, is_composite[j], t - step, &early, &speed, NULL);
        arm_segment_at(s, time, is_composite[j], t + step, &late, NULL, NULL);
        assert_true(fabs((late - early) / (2 * step) - qd) <= 1e-4 * (1 + fabs(speed)));
      }
    }
  }
  print_message("# %d composites\n", (int)composites);
  assert_true(composites > 50);
}

/* ---- corners ---- */

static void test_corners(void **state) {
  ArmSegment s = {.q_min = -1, .q_max = 1, .speed = 2, .accel = 3};
  ArmSegmentTimes times = {.speed = 77};
  double time, q, qd, qdd;
  bool flag;
  (void)state;
  assert_int_equal(arm_segment_times(&s, &times), ARM_OK); /* nothing moves */
  assert_int_equal(arm_segment_quintic_time(1, &s, &times, &time, &flag), ARM_OK);
  assert_true(time == 0 && flag);
  assert_int_equal(arm_segment_time(1, &s, &times, &time, &flag), ARM_OK);
  arm_segment_at(&s, time, flag, 0, &q, &qd, &qdd);
  assert_true(time == 0 && q == 0 && qd == 0 && qdd == 0);
  s.q_to = 2; /* outside */
  times.speed = 77;
  assert_int_equal(arm_segment_times(&s, &times), ARM_E_ARGUMENT);
  s.q_to = 0.5;
  s.qd_to = 2.1; /* 122 deg/s is 2.1293, not 2.13 */
  assert_int_equal(arm_segment_times(&s, &times), ARM_E_ARGUMENT);
  s.qd_to = (double)NAN;
  assert_int_equal(arm_segment_times(&s, &times), ARM_E_NOT_FINITE);
  s.qd_to = 0;
  s.accel = 0;
  assert_int_equal(arm_segment_times(&s, &times), ARM_E_ARGUMENT);
  assert_true(times.speed == 77);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_cases),
      cmocka_unit_test(test_extremes),
      cmocka_unit_test(test_nothing_is_shorter),
      cmocka_unit_test(test_motions),
      cmocka_unit_test(test_corners),
  };
  return cmocka_run_group_tests_name("segment", tests, NULL, NULL);
}
