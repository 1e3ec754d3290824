/* SPDX-License-Identifier: MIT */
/* Structure, gravity coefficients and their constants, against a truth that shares no formula with
 * the core: forces and torques from the potential energy, minimality from a Jacobian's rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/gravity.h"
#include "core/arm/structure.h"
#include "support/golden.h"
#include "support/truth.h"

enum { ARMS = 300, POSES = 40, MAX_N = 6, MAX_COLUMNS = 9 * MAX_N, MAX_ROWS = POSES * MAX_N };

static void random_arm(uint64_t seed, bool wants_coupling, TestRng *rng, Truth *truth,
                       ArmModel *model) {
  TruthOptions options;
  truth_options_default(&options);
  options.wants_coupling = wants_coupling;
  test_rng_init(rng, seed);
  truth_random(rng, &options, truth);
  truth_model(truth, model);
}

/* ---- golden ---- */

static void check_flag(const char *what, size_t joint, int want, bool got) {
  if (want >= 0 && want != (int)got) {
    print_error("%s of joint %zu: %d, expected %d\n", what, joint + 1, got, want);
    fail();
  }
}

static void test_golden_structure(void **state) {
  (void)state;
  for (size_t k = 0; golden_names[k]; k++) {
    Golden *golden = golden_load(golden_names[k]);
    ArmStructure s;
    assert_non_null(golden);
    assert_int_equal(arm_structure_find(&golden->model, &s), ARM_OK);
    assert_int_equal(s.r, golden->r);
    assert_int_equal(s.s, golden->s);
    for (size_t i = 0; i < golden->n; i++) {
      check_flag("delta", i, golden->delta[i], s.delta[i]);
      check_flag("sigma", i, golden->sigma[i], s.sigma[i]);
      check_flag("sigma_hat", i, golden->sigma_hat[i], s.sigma_hat[i]);
      assert_int_equal(s.has_own[i], golden->expect[i].has_gravity);
      const ArmReason reason = arm_structure_reason(&golden->model, &s, i);
      assert_int_equal(reason == ARM_REASON_MINIMAL, s.has_own[i]);
    }
    golden_free(golden);
  }
}

/* ---- sigma and sigma_hat: the printed rule is the counter-example ---- */

/* "embodied when i < r, or r < i < s and the axis of r is vertical" */
static bool printed_sigma_hat(const ArmStructure *s, size_t i) {
  const bool is_vertical = s->r <= s->n && !s->delta[s->r - 1];
  return s->sigma[i] && !(i + 1 < s->r || (i + 1 > s->r && i + 1 < s->s && is_vertical));
}

/* the force that holds a T joint over many poses: always zero, constant, or neither */
static void force_range(const Truth *truth, TestRng *rng, size_t i, double *size, double *span) {
  double low = INFINITY, high = -INFINITY, q[TRUTH_MAX_JOINTS];
  for (int k = 0; k < 60; k++) {
    truth_pose(truth, rng, q);
    const double force = truth_torque(truth, q, i);
    low = fmin(low, force);
    high = fmax(high, force);
  }
  *size = fmax(fabs(low), fabs(high));
  *span = high - low;
}

static void test_printed_sigma_hat_misses_embodied_joints(void **state) {
  size_t joints = 0, missed = 0;
  (void)state;
  for (uint64_t seed = 0; seed < ARMS; seed++) {
    TestRng rng;
    Truth truth;
    ArmModel model;
    ArmStructure s;
    random_arm(seed, false, &rng, &truth, &model);
    assert_int_equal(arm_structure_find(&model, &s), ARM_OK);
    for (size_t i = 0; i < truth.n; i++) {
      double size, span;
      if (!truth.slides[i])
        continue;
      force_range(&truth, &rng, i, &size, &span);
      assert_int_equal(s.sigma[i], size > 1e-7);
      assert_int_equal(s.sigma_hat[i], span > 1e-7);
      /* sufficient, not necessary: it never embodies what can be separated */
      assert_true(printed_sigma_hat(&s, i) || !s.sigma_hat[i]);
      missed += printed_sigma_hat(&s, i) != s.sigma_hat[i];
      joints++;
    }
  }
  print_message("# the printed rule misses %zu of %zu T joints\n", missed, joints);
  assert_true(missed >= 5);
}

static void test_golden_printed_rule(void **state) {
  (void)state;
  for (size_t k = 0; golden_names[k]; k++) {
    Golden *golden = golden_load(golden_names[k]);
    ArmStructure s;
    assert_non_null(golden);
    assert_int_equal(arm_structure_find(&golden->model, &s), ARM_OK);
    for (size_t i = 0; i < golden->n; i++)
      if (golden->sigma_hat_paper[i] >= 0)
        assert_int_equal(printed_sigma_hat(&s, i), golden->sigma_hat_paper[i]);
    golden_free(golden);
  }
}

/* ---- minimality ---- */

typedef struct {
  size_t rows, columns;
  double a[MAX_ROWS * MAX_COLUMNS]; /* column-major, ld rows */
} Jacobian;

static double norm_of(const double *x, size_t m) {
  double sum = 0;
  for (size_t k = 0; k < m; k++)
    sum += x[k] * x[k];
  return sqrt(sum);
}

/* by Gram-Schmidt with pivoting on unit columns */
static size_t rank_of(Jacobian *j) {
  size_t rank = 0;
  for (size_t c = 0; c < j->columns; c++) {
    double *column = j->a + c * j->rows;
    const double norm = norm_of(column, j->rows);
    for (size_t r = 0; r < j->rows; r++)
      column[r] = norm > 1e-9 ? column[r] / norm : 0;
  }
  for (;; rank++) {
    size_t best = 0;
    double norm = 0;
    for (size_t c = 0; c < j->columns; c++)
      if (norm_of(j->a + c * j->rows, j->rows) > norm) {
        norm = norm_of(j->a + c * j->rows, j->rows);
        best = c;
      }
    if (norm < 1e-6)
      return rank;
    double pivot[MAX_ROWS];
    for (size_t r = 0; r < j->rows; r++)
      pivot[r] = j->a[r + best * j->rows] / norm;
    for (int pass = 0; pass < 2; pass++)
      for (size_t c = 0; c < j->columns; c++) {
        double dot = 0;
        for (size_t r = 0; r < j->rows; r++)
          dot += pivot[r] * j->a[r + c * j->rows];
        for (size_t r = 0; r < j->rows; r++)
          j->a[r + c * j->rows] -= dot * pivot[r];
      }
  }
}

/* Currents are linear in each link's mass and first moment: four columns by switching on one. */
static void link_columns(const Truth *truth, const double *q, size_t i, size_t link,
                         double column[4]) {
  Truth only = *truth;
  memset(only.mass, 0, sizeof only.mass);
  memset(only.com, 0, sizeof only.com);
  only.mass[link] = 1;
  column[0] = truth_gravity_current(&only, q, i);
  for (size_t axis = 0; axis < 3; axis++) {
    only.com[link][axis] = 1;
    column[1 + axis] = truth_gravity_current(&only, q, i) - column[0];
    only.com[link][axis] = 0;
  }
}

/* d(all currents)/d(masses, moments, 1/torque constants, friction) over random states */
static void build_jacobian(const Truth *truth, TestRng *rng, Jacobian *j) {
  const size_t n = truth->n;
  j->rows = POSES * n;
  j->columns = 9 * n;
  memset(j->a, 0, sizeof j->a);
  for (size_t pose = 0; pose < POSES; pose++) {
    double q[TRUTH_MAX_JOINTS], column[4];
    truth_pose(truth, rng, q);
    for (size_t i = 0; i < n; i++) {
      const size_t row = pose * n + i;
      const double v = test_rng_uniform(rng, -1, 1);
      const size_t side = v > 0 ? 0 : 2;
      for (size_t link = 0; link < n; link++) {
        link_columns(truth, q, i, link, column);
        for (size_t a = 0; a < 4; a++)
          j->a[row + (4 * link + a) * j->rows] = column[a];
      }
      j->a[row + (4 * n + i) * j->rows] = truth_gravity_current(truth, q, i) / truth->eta[i];
      j->a[row + (5 * n + 4 * i + side) * j->rows] = 1;
      j->a[row + (5 * n + 4 * i + side + 1) * j->rows] = v;
    }
  }
}

/* Theorem 3 as printed: its sigma_hat, and every ratio from the first loaded joint on */
static size_t printed_count(const Truth *truth, const ArmStructure *s) {
  size_t count = 4 * s->n, first = s->n;
  for (size_t i = s->n; i-- > 0;) {
    const bool is_loaded = truth->slides[i] ? printed_sigma_hat(s, i) : s->delta[i];
    count += is_loaded ? (truth->slides[i] ? 1u : 2u) : 0u;
    if (!truth->slides[i] && s->delta[i])
      first = i;
  }
  return count + (first < s->n ? s->n - 1 - first : 0);
}

static void check_minimality(bool wants_coupling, size_t *printed_wrong) {
  static Jacobian jacobian;
  for (uint64_t seed = 1000; seed < 1000 + ARMS; seed++) {
    TestRng rng;
    Truth truth;
    ArmModel model;
    ArmStructure s;
    random_arm(seed, wants_coupling, &rng, &truth, &model);
    assert_int_equal(arm_structure_find(&model, &s), ARM_OK);
    build_jacobian(&truth, &rng, &jacobian);
    const size_t rank = rank_of(&jacobian);
    const size_t count = s.count_gravity + s.count_ratios + s.count_friction;
    if (rank != count) {
      print_error("arm %d: rank %zu, counted %zu\n", (int)seed, rank, count);
      fail();
    }
    *printed_wrong += printed_count(&truth, &s) != rank;
  }
}

static void test_counts_are_the_jacobian_rank(void **state) {
  size_t wrong = 0, coupled = 0;
  (void)state;
  check_minimality(false, &wrong);
  check_minimality(true, &coupled);
  print_message("# the printed count is wrong for %zu of %d arms\n", wrong, ARMS);
  assert_true(wrong >= 10);
}

/* ---- gravity coefficients and constants ---- */

static void test_gravity_row_is_the_energy_derivative(void **state) {
  (void)state;
  for (uint64_t seed = 2000; seed < 2000 + 2 * ARMS; seed++) {
    TestRng rng;
    Truth truth;
    ArmModel model;
    double w[2 * ARM_MAX_JOINTS], row[2 * ARM_MAX_JOINTS], q[TRUTH_MAX_JOINTS];
    random_arm(seed, seed & 1, &rng, &truth, &model);
    arm_gravity_nominal(&model, w);
    for (int pose = 0; pose < 5; pose++) {
      truth_pose(&truth, &rng, q);
      for (size_t i = 0; i < truth.n; i++) {
        double torque = 0;
        arm_gravity_row(&model, q, i, row);
        for (size_t k = 0; k < 2 * truth.n; k++)
          torque += row[k] * w[k];
        assert_true(
            test_is_near(torque, truth_gravity_current(&truth, q, i) / truth.eta[i], 1e-12, 1e-11));
      }
    }
  }
}

static void check_constants(const ArmModel *model, const double (*want_k)[3],
                            const double *want_mhat) {
  double k[3 * ARM_MAX_JOINTS], mhat[ARM_MAX_JOINTS];
  arm_gravity_constants(model, k, mhat);
  for (size_t i = 0; i < model->n; i++) {
    if (!isnan(want_mhat[i]))
      assert_true(fabs(mhat[i] - want_mhat[i]) < 5e-6);
    for (size_t a = 0; a < 3; a++)
      if (!isnan(want_k[i][a]))
        assert_true(fabs(k[3 * i + a] - want_k[i][a]) < 6e-6);
  }
}

/* mass and centre of mass on top of a modified Denavit-Hartenberg row in degrees */
static void set_joint(ArmModel *model, size_t i, char type, double beta, double b, double theta,
                      double d, double mass, double x, double y, double z) {
  const double degree = 3.14159265358979323846 / 180;
  arm_joint_set_mdh(&model->joints[i], type == 'T' ? ARM_JOINT_T : ARM_JOINT_R, beta * degree, b,
                    theta * degree, d);
  model->joints[i].link = (ArmLink){.is_present = true, .mass_kg = mass, .com_m = {x, y, z}};
}

static void test_constants_of_the_puma(void **state) {
  static const double k[6][3] = {{NAN, NAN, NAN}, {3.79559, .1044, NAN}, {-.02538, -.86179, NAN},
                                 {0, 0, NAN},     {0, -.00288, NAN},     {0, 0, .00288}};
  static const double mhat[6] = {NAN, 23.45, 6.05, 1.25, .43, .09};
  static const double torque[6] = {0, -36.986, .249, 0, 0, 0};
  const double q[6] = {0};
  double w[2 * ARM_MAX_JOINTS], row[2 * ARM_MAX_JOINTS];
  ArmModel model;
  (void)state;
  assert_int_equal(arm_model_init(&model, 6), ARM_OK);
  set_joint(&model, 1, 'R', -90, 0, 0, .2435, 17.4, .068, .006, -.016);
  set_joint(&model, 2, 'R', 0, .4318, 0, -.0934, 4.8, 0, -.070, .014);
  set_joint(&model, 3, 'R', 90, -.0203, 0, .4331, .82, 0, 0, -.019);
  set_joint(&model, 4, 'R', -90, 0, 0, 0, .34, 0, 0, 0);
  set_joint(&model, 5, 'R', 90, 0, 0, 0, .09, 0, 0, .032);
  check_constants(&model, k, mhat);
  arm_gravity_nominal(&model, w);
  for (size_t i = 0; i < 6; i++) {
    double sum = 0;
    arm_gravity_row(&model, q, i, row);
    for (size_t c = 0; c < 12; c++)
      sum += row[c] * w[c];
    assert_true(fabs(sum - torque[i]) < 6e-4);
  }
}

static void test_constants_of_the_stanford_arm(void **state) {
  static const double k[6][3] = {{NAN, NAN, NAN},       {0, 2.73998, NAN}, {0, 0, -2.73998},
                                 {.00994, .00583, NAN}, {0, -.11491, NAN}, {0, 0, NAN}};
  static const double mhat[6] = {NAN, NAN, 6.47, NAN, NAN, .51};
  ArmModel model;
  (void)state;
  assert_int_equal(arm_model_init(&model, 6), ARM_OK);
  set_joint(&model, 0, 'R', 0, 0, 0, 0, 9.29, 0, .1105, .0175);
  set_joint(&model, 1, 'R', 90, 0, 90, .1529, 5.01, 0, 0, -.1054);
  set_joint(&model, 2, 'T', 90, 0, 0, .6447, 4.25, 0, 0, -.6447);
  set_joint(&model, 3, 'R', 0, 0, 0, 0, 1.08, .0092, .0054, 0);
  set_joint(&model, 4, 'R', 90, 0, -90, 0, .63, 0, -.0566, 0);
  set_joint(&model, 5, 'R', 90, 0, 0, 0, .51, 0, 0, .1554);
  check_constants(&model, k, mhat);
}

/* ---- corners ---- */

static void test_a_small_coupling_still_reaches(void **state) {
  ArmModel model;
  ArmStructure s;
  (void)state;
  assert_int_equal(arm_model_init(&model, 2), ARM_OK);
  set_joint(&model, 0, 'R', 90, 0, 0, 0, 1, .1, 0, 0);
  set_joint(&model, 1, 'R', 90, 0, 0, 0, 1, .1, 0, 0);
  model.gravity_m_s2[1] = -9.81; /* along the first axis: it sees nothing on its own */
  model.gravity_m_s2[2] = 0;
  assert_int_equal(arm_structure_find(&model, &s), ARM_OK);
  assert_false(s.has_own[0] || s.reaches[0][1]);
  model.has_coupling = true;
  model.coupling[1][0] = 1e-6;
  assert_int_equal(arm_structure_find(&model, &s), ARM_OK);
  assert_false(s.has_own[0]);
  assert_true(s.reaches[0][1]);
  assert_int_equal(s.count_ratios, 1);
}

static void test_nearly_parallel_axes_are_reported(void **state) {
  static const double sine[] = {0, 1e-5, 0.005, 0.1};
  static const bool is_near[] = {false, true, true, false};
  (void)state;
  for (size_t k = 0; k < 4; k++) {
    ArmModel model;
    ArmStructure s;
    assert_int_equal(arm_model_init(&model, 3), ARM_OK);
    set_joint(&model, 0, 'R', 60, 0, 0, 0, 1, .1, 0, 0);
    set_joint(&model, 1, 'T', 30, .2, 0, .3, 1, .1, 0, 0);
    set_joint(&model, 2, 'R', -30 + asin(sine[k]) * 180 / 3.14159265358979323846, .1, 0, 0, 1, .1,
              0, 0);
    assert_int_equal(arm_structure_find(&model, &s), ARM_OK);
    assert_int_equal(s.is_near_parallel[2], is_near[k]);
  }
}

static void test_bad_models_are_refused(void **state) {
  ArmModel model;
  ArmStructure s;
  (void)state;
  assert_int_equal(arm_model_init(&model, 2), ARM_OK);
  model.joints[1].rotation[4] = NAN;
  assert_int_equal(arm_structure_find(&model, &s), ARM_E_NOT_FINITE);
  assert_int_equal(arm_model_init(&model, 2), ARM_OK);
  model.n = 0;
  assert_int_equal(arm_structure_find(&model, &s), ARM_E_ARGUMENT);
  model.n = ARM_MAX_JOINTS + 1;
  assert_int_equal(arm_structure_find(&model, &s), ARM_E_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden_structure),
      cmocka_unit_test(test_golden_printed_rule),
      cmocka_unit_test(test_printed_sigma_hat_misses_embodied_joints),
      cmocka_unit_test(test_counts_are_the_jacobian_rank),
      cmocka_unit_test(test_gravity_row_is_the_energy_derivative),
      cmocka_unit_test(test_constants_of_the_puma),
      cmocka_unit_test(test_constants_of_the_stanford_arm),
      cmocka_unit_test(test_a_small_coupling_still_reaches),
      cmocka_unit_test(test_nearly_parallel_axes_are_reported),
      cmocka_unit_test(test_bad_models_are_refused),
  };
  return cmocka_run_group_tests_name("structure", tests, NULL, NULL);
}
