/* SPDX-License-Identifier: MIT */
/* Rules of plausibility on sweeps made by hand: sound ones leave no doubt, each thing that is wrong
 * is told by its own rule, of its joint. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/filter.h"
#include "core/sweeps/plausible.h"
#include "support/support.h"

enum { N = 2, STROKES = 4, ROWS = 100, ALL = STROKES * ROWS };
static const double degree = 3.14159265358979323846 / 180;

/* Joint 2 sweeps +-1 rad at 0.5 rad/s, 25 samples a second, joint 1 is held. */
typedef struct {
  ArmModel model;
  double t[ALL], q[N * ALL], qd[N * ALL], current[N * ALL];
  int joint[ALL];
  bool has_begins;
  unsigned char begins[ALL];
  bool is_torque;
  bool has_left_out; /* rows near the limit of the current, as sessions do */
  ArmDoubts doubts;
  ArmPlausibleScan scan;
} Bed;

static Bed bed;

static double *q_of(size_t joint) {
  return bed.q + joint * ALL;
}

static double *i_of(size_t joint) {
  return bed.current + joint * ALL;
}

static double *qd_of(size_t joint) {
  return bed.qd + joint * ALL;
}

static void make(void) {
  TestRng rng;
  test_rng_init(&rng, 1);
  memset(&bed, 0, sizeof bed);
  assert_int_equal(arm_model_init(&bed.model, N), ARM_OK);
  for (size_t j = 0; j < N; j++) {
    bed.model.joints[j].limits.q_min = -1.2;
    bed.model.joints[j].limits.q_max = 1.2;
    bed.model.joints[j].limits.current_max = 5;
    bed.model.joints[j].n_motors = 1;
    bed.model.joints[j].motors[0] = (ArmMotor){100, 1, 0.05, 0.1, NAN};
  }
  for (size_t k = 0; k < ALL; k++) {
    const double side = k / ROWS % 2 ? -1 : 1, along = -1 + 0.02 * (double)(k % ROWS);
    bed.t[k] = 0.04 * (double)k + 2.0 * (double)(k / ROWS);
    bed.joint[k] = 2;
    q_of(0)[k] = 0.3;
    q_of(1)[k] = side * along;
    qd_of(1)[k] = side * 0.5;
    i_of(0)[k] = NAN;
    i_of(1)[k] = cos(q_of(1)[k]) + side * 0.4 + 0.005 * test_rng_normal(&rng);
  }
}

static void scan(ArmRowUse use) {
  const ArmDataset data = {.n = N,
                           .rows = ALL,
                           .t = bed.t,
                           .joint = bed.joint,
                           .q = bed.q,
                           .qd = bed.qd,
                           .current = bed.current,
                           .begins = bed.has_begins ? bed.begins : NULL,
                           .is_torque = {bed.is_torque, bed.is_torque}};
  double step;
  assert_int_equal(arm_filter_median_step(ALL, bed.t, &step), ARM_OK);
  arm_plausible_init(&bed.scan, N, step);
  const double most = 0.99 * bed.model.joints[1].limits.current_max;
  for (size_t k = 0; k < ALL; k++)
    arm_plausible_push(&bed.scan, &bed.model, &data, k,
                       bed.joint[k] == 0                              ? ARM_ROW_NO_JOINT
                       : bed.has_left_out && fabs(i_of(1)[k]) >= most ? ARM_ROW_LEFT_OUT
                                                                      : use);
  arm_plausible_end(&bed.scan, &bed.model);
  arm_plausible_rows(&bed.scan, &bed.model, &bed.doubts);
}

/* The only doubt there is. */
static const ArmDoubt *only(ArmDoubtKind kind, size_t joint) {
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 1);
  assert_int_equal(bed.doubts.at[0].kind, kind);
  assert_int_equal(bed.doubts.at[0].joint, joint);
  return &bed.doubts.at[0];
}

static void test_sound(void **state) {
  (void)state;
  make();
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  assert_int_equal(bed.scan.joint[1].strokes, STROKES);
  assert_int_equal(bed.scan.joint[1].slopes[0][ARM_SPEED_SI], STROKES);
  assert_true(test_is_near(sqrt(bed.scan.joint[1].noise_sum / (double)bed.scan.joint[1].noise_rows),
                           0.005, 0.2, 0));
  scan(ARM_ROW_SLOW);
  assert_int_equal(bed.doubts.count, 0);
}

static void test_speed(void **state) {
  (void)state;
  static const struct {
    double factor;
    ArmSpeedUnit unit;
  } cases[] = {
      {1 / degree, ARM_SPEED_DEG}, {degree, ARM_SPEED_Q_DEG}, {1 / (6 * degree), ARM_SPEED_RPM},
      {60, ARM_SPEED_PER_MIN},     {100, ARM_SPEED_MOTOR},    {1.3, ARM_SPEED_OTHER}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    make();
    for (size_t k = 0; k < ALL; k++)
      qd_of(1)[k] *= cases[c].factor;
    const ArmDoubt *d = only(ARM_DOUBT_SPEED_UNIT, 1);
    assert_int_equal(d->unit, cases[c].unit);
    assert_true(test_is_near(d->found, 1 / cases[c].factor, 1e-6, 0));
    assert_int_equal(d->count, STROKES);
  }
  make();
  for (size_t k = 0; k < ALL; k++)
    qd_of(1)[k] *= -1;
  assert_true(test_is_near(only(ARM_DOUBT_SPEED_SIGN, 1)->found, -1, 1e-6, 0));
}

/* one stroke of four that is cut short is no doubt about all */
static void test_one_stroke(void **state) {
  (void)state;
  make();
  for (size_t k = 0; k < ROWS; k++)
    qd_of(1)[k] *= 3;
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
}

/* swept one way only, and recorded on when the joint is back at its start, without a pause */
static void test_sawtooth(void **state) {
  (void)state;
  make();
  for (size_t k = 0; k < ALL; k++) {
    bed.t[k] = 0.04 * (double)k;
    q_of(1)[k] = -1 + 0.02 * (double)(k % ROWS);
    qd_of(1)[k] = 0.5;
  }
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  assert_int_equal(bed.scan.joint[1].strokes, STROKES);
}

static void test_current_range(void **state) {
  (void)state;
  make();
  for (size_t k = 0; k < ALL; k++)
    i_of(1)[k] = fmin(i_of(1)[k], 1.2);
  const ArmDoubt *d = only(ARM_DOUBT_SATURATED, 1);
  assert_true(d->found == 1.2 && d->count > 20);
  make();
  for (size_t k = 0; k < ALL; k++) /* coarse steps are no saturation */
    i_of(1)[k] = 0.1 * round(10 * i_of(1)[k]);
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  make();
  bed.model.joints[1].limits.current_max = 1.3;
  d = only(ARM_DOUBT_CURRENT_LIMIT, 1);
  assert_true(d->expected == 1.3 && d->found > 1.38 && d->found < 1.43);
  assert_true(fabs(i_of(1)[d->other]) == d->found); /* where it is */
  scan(ARM_ROW_LEFT_OUT);                           /* because of it, as sessions do */
  assert_true(bed.doubts.count > 0 && bed.doubts.at[0].kind == ARM_DOUBT_CURRENT_LIMIT);
  assert_true(bed.doubts.at[0].found > 1.38);
}

/* Where rows near the limit are left out, a drive that stays there is told all the same: also one
 * that is measured with noise. A peak is no limit. */
static void test_at_limit(void **state) {
  (void)state;
  for (int noise = 0; noise < 2; noise++) {
    make();
    bed.has_left_out = true;
    bed.model.joints[1].limits.current_max = 1.2;
    for (size_t k = 0; k < ALL; k++)
      if (i_of(1)[k] > 1.2)
        i_of(1)[k] = 1.2 + noise * (k % 2 ? 0.02 : -0.005);
    const ArmDoubt *d = only(ARM_DOUBT_SATURATED, 1);
    assert_true(d->found == 1.2 && d->count > 20 && d->rows == ALL);
  }
  make();
  bed.has_left_out = true;
  bed.model.joints[1].limits.current_max = 2;
  for (size_t k = 50; k < ALL; k += ROWS)
    i_of(1)[k] = i_of(1)[k + 1] = 2; /* two in succession, in each stroke */
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  for (size_t k = 50; k < ALL; k += ROWS)
    i_of(1)[k + 2] = -2; /* and the other way */
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
}

/* Of an arm file without limits only what no joint draws; of torques nothing. */
static void test_any_limit(void **state) {
  (void)state;
  make();
  bed.model.joints[1].limits.current_max = (double)NAN;
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  for (size_t k = 0; k < ALL; k++)
    i_of(1)[k] *= 1000;
  const ArmDoubt *d = only(ARM_DOUBT_CURRENT_LIMIT, 1);
  assert_true(d->is_samples && d->expected == 500.0 && d->found > 1300.0);
  bed.is_torque = true;
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  bed.model.joints[1].limits.current_max = 5;
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
}

/* Twice the limit may be a limit set with care; a hundred times, most of the time, is in mA. */
static void test_no_current(void **state) {
  (void)state;
  make();
  bed.model.joints[1].limits.current_max = 0.5;
  assert_false(arm_doubt_is_error(only(ARM_DOUBT_CURRENT_LIMIT, 1)));
  bed.model.joints[1].limits.current_max = 0.01;
  assert_true(arm_doubt_is_error(only(ARM_DOUBT_CURRENT_LIMIT, 1)));
  make();
  bed.model.joints[1].limits.current_max = 5;
  for (size_t k = 0; k < ALL; k += 4)
    i_of(1)[k] = 500; /* a fault of every fourth sample */
  assert_false(arm_doubt_is_error(only(ARM_DOUBT_CURRENT_LIMIT, 1)));
}

static void test_other_unit(void **state) {
  (void)state;
  assert_true(arm_plausible_is_other_unit(ARM_JOINT_R, -160.0, -2.79)); /* degrees */
  assert_false(arm_plausible_is_other_unit(ARM_JOINT_R, -5.6, -2.79));  /* another turn */
  assert_false(arm_plausible_is_other_unit(ARM_JOINT_R, 3.0, 0.0));
  assert_true(arm_plausible_is_other_unit(ARM_JOINT_T, -450.0, -0.45)); /* millimetres */
  assert_false(arm_plausible_is_other_unit(ARM_JOINT_T, -0.6, -0.45));
}

static void test_constant(void **state) {
  (void)state;
  const ArmPlausibleFriction f = {.forth = 1.5, .back = 1.5, .forth_sd = 1e-9, .back_sd = 1e-9};
  make();
  for (size_t k = 0; k < ALL; k++)
    i_of(1)[k] = k % 2 ? 1.5 : 1.5 * (1 + 1e-12); /* as a filter leaves it */
  const ArmDoubt *d = only(ARM_DOUBT_CONSTANT, 1);
  assert_true(d->found == 1.5 && d->rows == ALL && arm_doubt_is_error(d));
  assert_true(arm_plausible_is_constant(&bed.scan.joint[1]));
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 1); /* not once more as unsigned */
  for (size_t k = 0; k < ALL; k++)
    i_of(1)[k] = 0;
  assert_int_equal(only(ARM_DOUBT_ZERO, 1)->rows, ALL);
  assert_true(arm_doubt_is_error(&bed.doubts.at[0]) && arm_doubt_is_severe(ARM_DOUBT_ZERO));
  assert_true(arm_doubt_is_severe(ARM_DOUBT_CONSTANT) && !arm_doubt_is_severe(ARM_DOUBT_RESIDUAL));
}

/* Of an axis that no load turns one way at one speed has one current: no misfit, and no signal. */
static void test_constant_one_way(void **state) {
  (void)state;
  make();
  for (size_t k = 0; k < ALL; k++) {
    i_of(1)[k] = 1.5;
    if (qd_of(1)[k] < 0.0)
      bed.joint[k] = 0;
  }
  const ArmDoubt *d = only(ARM_DOUBT_CONSTANT, 1);
  assert_true(!arm_doubt_is_error(d) && arm_doubt_is_severe(d->kind));
  assert_false(arm_plausible_is_constant(&bed.scan.joint[1]));
}

/* What is left of a current of 0, or of any, is rounding and has no direction. */
static void test_friction_of_nothing(void **state) {
  const ArmPlausibleFriction none = {.forth = -3.4e-175, .back = 3.4e-175};
  const ArmPlausibleFriction rounding = {.forth = -1e-14, .back = 1e-14};
  (void)state;
  make();
  scan(ARM_ROW_USED);
  arm_plausible_friction(&bed.scan, &bed.model, 1, &rounding, &bed.doubts);
  assert_int_equal(bed.doubts.count, 0);
  for (size_t k = 0; k < ALL; k++)
    i_of(1)[k] = 0;
  only(ARM_DOUBT_ZERO, 1);
  arm_plausible_friction(&bed.scan, &bed.model, 1, &none, &bed.doubts);
  assert_int_equal(bed.doubts.count, 1);
}

static void test_residual(void **state) {
  (void)state;
  make();
  scan(ARM_ROW_USED);
  arm_plausible_residual(&bed.scan, 1, 0.049, 0.005, &bed.doubts);
  arm_plausible_residual(&bed.scan, 1, 1e-12, 1e-14, &bed.doubts); /* rounding */
  arm_plausible_residual(&bed.scan, 1, 0.1, 0, &bed.doubts);
  arm_plausible_residual(&bed.scan, 1, 0.1, NAN, &bed.doubts);
  assert_int_equal(bed.doubts.count, 0);
  arm_plausible_residual(&bed.scan, 1, 0.051, 0.005, &bed.doubts);
  assert_int_equal(bed.doubts.count, 1);
  const ArmDoubt *d = &bed.doubts.at[0];
  assert_true(d->kind == ARM_DOUBT_RESIDUAL && d->found == 0.051 && d->expected == 0.005);
}

static void test_positions(void **state) {
  (void)state;
  make();
  bed.model.joints[1].limits.q_min = -0.9;
  const ArmDoubt *d = only(ARM_DOUBT_POSITION, 1);
  assert_true(d->found == -1.0 && d->expected == -0.9 && q_of(1)[d->other] == -1.0);
  make();
  bed.model.joints[1].limits.q_min = -0.99; /* 0.6 deg beyond it */
  bed.model.joints[1].limits.q_max = NAN;   /* not stated */
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  make();
  for (size_t k = 250; k < 300; k++)
    q_of(0)[k] += 3 * degree;
  d = only(ARM_DOUBT_HELD_MOVES, 0);
  assert_int_equal(d->other, 1);
  assert_true(test_is_near(d->found, 3 * degree, 1e-9, 0) && d->time == bed.t[250]);
}

/* Half a second is lost amid the second stroke, and the joint went on. */
static void lose(void) {
  make();
  for (size_t k = 150; k < ALL; k++)
    bed.t[k] += 0.5;
  for (size_t k = 150; k < 200; k++)
    q_of(1)[k] -= 0.25;
  bed.model.joints[1].limits.q_min = -2;
}

static void test_times(void **state) {
  (void)state;
  make();
  for (size_t k = 0; k < ALL; k++) /* three samples at once, as a bus delivers them */
    bed.t[k] -= k % 3 == 1 ? 0.03 : 0;
  assert_true(only(ARM_DOUBT_JITTER, ARM_DOUBT_ALL_JOINTS)->count > ALL / 2);
  lose();
  const ArmDoubt *d = only(ARM_DOUBT_GAPS, ARM_DOUBT_ALL_JOINTS);
  assert_true(d->count == 1 && test_is_near(d->found, 0.54, 1e-6, 0));
  make();
  for (size_t k = 0; k < ALL; k++) {
    bed.t[k] += 2.0 * (double)(k / 10);
    bed.t[k] += 2.0 * (double)(k / ROWS);
  }
  d = only(ARM_DOUBT_FEW_SAMPLES, 1);
  assert_true(d->found == 10.0 && d->count == ALL / 10);
}

static void test_gap(void **state) {
  (void)state;
  lose();
  for (size_t k = 0; k < ALL; k++) /* a speed of another unit and sign, and noisy */
    qd_of(1)[k] *= -180 / degree * (k % 2 ? 0.8 : 1.2);
  scan(ARM_ROW_USED);
  assert_int_equal(bed.scan.gaps, 1);
  lose();
  bed.has_begins = true;
  bed.begins[150] = 1; /* nothing was asked to go on */
  scan(ARM_ROW_USED);
  assert_int_equal(bed.doubts.count, 0);
  lose();
  bed.has_begins = true;
  bed.begins[100] = bed.begins[200] = 1;
  only(ARM_DOUBT_GAPS, ARM_DOUBT_ALL_JOINTS);
}

/* At the end of a sweep a servo swings back, at a simulated PUMA by 0.01 rad: the samples of one
 * sweep end in it, and 0.18 s later those of the next begin in it. */
static void test_swing(void **state) {
  (void)state;
  enum { BEGIN = 2 * ROWS, NEXT = BEGIN + 11, END = NEXT + 5 };
  static const double swing[END - BEGIN] = {0.006, 0.033, 0.057, 0.075, 0.09,  0.1,   0.11,  0.12,
                                            0.13,  0.14,  0.15,  0.057, 0.041, 0.033, 0.025, 0.016};
  make();
  for (size_t k = 0; k < ALL; k++)
    bed.t[k] = 0.01 * (double)k + 2.0 * (double)(k / ROWS) + (k >= NEXT ? 0.17 : 0);
  for (size_t k = BEGIN; k < END; k++)
    qd_of(1)[k] = swing[k - BEGIN];
  for (size_t k = BEGIN + 1; k < END; k++)
    q_of(1)[k] = q_of(1)[k - 1] + 0.5 * (qd_of(1)[k] + qd_of(1)[k - 1]) * (bed.t[k] - bed.t[k - 1]);
  scan(ARM_ROW_USED);
  assert_int_equal(bed.scan.gaps, 0);
}

static void test_many(void **state) {
  (void)state;
  make();
  for (size_t k = 0; k < ALL; k++)
    qd_of(0)[k] = k < 40 ? 0.3 : 0.001;
  const ArmDoubt *d = only(ARM_DOUBT_MANY_MOVE, ARM_DOUBT_ALL_JOINTS);
  assert_true(d->found == 2.0 && d->count == 40 && d->rows == ALL);
}

static void test_friction(void **state) {
  (void)state;
  ArmPlausibleFriction f = {.forth = 0.4, .back = -0.4, .forth_sd = 0.001, .back_sd = 0.001};
  make();
  scan(ARM_ROW_USED);
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 0);
  f.back = 0.1; /* both ways the same sign */
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 1);
  assert_int_equal(bed.doubts.at[0].kind, ARM_DOUBT_UNSIGNED);
  f.holds_load = true; /* a sliding joint's own weight is part of it */
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  f.back_sd = 0.05; /* or it is noise */
  f.holds_load = false;
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 1);
  f = (ArmPlausibleFriction){.forth = -0.4, .back = 0.4, .forth_sd = 0.001, .back_sd = 0.001};
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 2);
  assert_int_equal(bed.doubts.at[1].kind, ARM_DOUBT_CURRENT_SIGN);
  bed.model.joints[1].motors[0].motor_sign = -1;
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  bed.model.joints[1].n_motors = 0; /* nothing is said of its motor */
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 2);
}

static void test_magnitude(void **state) {
  (void)state;
  const ArmPlausibleFriction f = {.forth = 0.4, .back = -0.4, .forth_sd = 0.001, .back_sd = 0.001};
  make();
  for (size_t k = 0; k < ALL; k++)
    i_of(1)[k] = fabs(sin(q_of(1)[k]) + (qd_of(1)[k] > 0 ? 0.4 : -0.4));
  scan(ARM_ROW_USED);
  arm_plausible_friction(&bed.scan, &bed.model, 1, &f, &bed.doubts);
  assert_int_equal(bed.doubts.count, 1);
  assert_int_equal(bed.doubts.at[0].kind, ARM_DOUBT_UNSIGNED);
  assert_true(bed.doubts.at[0].is_samples && bed.doubts.at[0].found >= 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sound),
      cmocka_unit_test(test_speed),
      cmocka_unit_test(test_one_stroke),
      cmocka_unit_test(test_sawtooth),
      cmocka_unit_test(test_current_range),
      cmocka_unit_test(test_at_limit),
      cmocka_unit_test(test_no_current),
      cmocka_unit_test(test_other_unit),
      cmocka_unit_test(test_constant),
      cmocka_unit_test(test_constant_one_way),
      cmocka_unit_test(test_friction_of_nothing),
      cmocka_unit_test(test_any_limit),
      cmocka_unit_test(test_residual),
      cmocka_unit_test(test_positions),
      cmocka_unit_test(test_times),
      cmocka_unit_test(test_many),
      cmocka_unit_test(test_gap),
      cmocka_unit_test(test_swing),
      cmocka_unit_test(test_friction),
      cmocka_unit_test(test_magnitude),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
