/* SPDX-License-Identifier: MIT */
/* What a motion tells: against sums over the samples, arms whose answer is known by hand, and the
 * scatter of estimates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/check.h"
#include "support/base_case.h"
#include "support/support.h"

enum { SAMPLES = 300 };

static double t[SAMPLES], q[SAMPLES * 7], qd[SAMPLES * 7], qdd[SAMPLES * 7];

static void smooth_motion(size_t n, double size) {
  for (int s = 0; s < SAMPLES; s++) {
    t[s] = 0.02 * s;
    for (size_t j = 0; j < n; j++) {
      const size_t at = (size_t)s + SAMPLES * j;
      const double w = 1 + 0.7 * (double)j, phase = w * t[s] + 2 * (double)j;
      q[at] = size * sin(phase) + 0.2 * size * sin(3.1 * phase);
      qd[at] = size * w * (cos(phase) + 0.2 * 3.1 * cos(3.1 * phase));
      qdd[at] = -size * w * w * (sin(phase) + 0.2 * 3.1 * 3.1 * sin(3.1 * phase));
    }
  }
}

static void set_limits(ArmModel *model, ArmMotionLimits *limits) {
  for (size_t j = 0; j < model->n; j++)
    model->joints[j].limits =
        (ArmLimits){.q_min = -2, .q_max = 2, .speed_max = 2, .accel_max = 5 + (double)j};
  assert_int_equal(arm_motion_limits(model, limits, NULL, NULL), ARM_OK);
}

/* ---- one joint, by hand ---- */

/* A pendulum: tau = ZZ qdd + g (mX cos q - mY sin q) with a horizontal axis. */
static void pendulum(ArmModel *model) {
  assert_int_equal(arm_model_init(model, 1), ARM_OK);
  arm_joint_set_mdh(&model->joints[0], ARM_JOINT_R, acos(-1) / 2, 0, 0, 0);
}

/* A triangle of a motion says what the motion says. */
static void check_rows(const ArmBase *base, const ArmModel *model, const ArmMotionLimits *limits,
                       const ArmExcitation *e) {
  const double noise = 0.5, zero = 0;
  double r[9] = {0};
  ArmExcitation *of = NULL;
  for (size_t b = 0; b < 3; b++)
    r[4 * b] = 1 / e->sd[b];
  assert_int_equal(arm_excitation_of_rows(base, model, limits, 4, 3, r, &noise, &of), ARM_OK);
  assert_true(test_is_near(of->log_det, e->log_det, 1e-12, 0) && isnan(of->spread));
  assert_true(test_is_near(of->cond_raw, e->cond_raw, 1e-12, 0));
  for (size_t b = 0; b < 3; b++)
    assert_true(test_is_near(of->sd[b], e->sd[b], 1e-12, 0));
  assert_int_equal(of->n_weakest, e->n_weakest);
  arm_excitation_free(of);
  of = NULL;
  assert_int_equal(arm_excitation_of_rows(base, model, limits, 4, 3, r, &zero, &of),
                   ARM_E_ARGUMENT);
  assert_int_equal(arm_excitation_of_rows(base, model, limits, 0, 3, r, &noise, &of),
                   ARM_E_ARGUMENT);
  assert_null(of);
}

static void test_pendulum(void **state) {
  const double noise = 0.5, g = 9.81;
  static ArmModel model;
  ArmMotionLimits limits;
  ArmBase *base = NULL;
  ArmExcitation *e = NULL;
  (void)state;
  pendulum(&model);
  set_limits(&model, &limits);
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  assert_int_equal(base->count, 3);
  for (int s = 0; s < 4; s++) { /* orthogonal columns: M is diagonal */
    q[s] = acos(-1) / 2 * s;
    qd[s] = 0;
    qdd[s] = 3;
  }
  assert_int_equal(arm_excitation_new(base, &model, &limits, 4, q, qd, qdd, &noise, &e), ARM_OK);
  const double zz = 36 / 0.25, m = 2 * g * g / 0.25;
  assert_int_equal(e->rank, 3);
  assert_true(test_is_near(e->log_det, log(zz) + 2 * log(m), 1e-12, 0));
  assert_true(test_is_near(e->cond_raw, sqrt(m / zz), 1e-12, 0));
  assert_true(test_is_near(e->cond_scaled, 1, 1e-12, 0));
  for (size_t b = 0; b < 3; b++) {
    const unsigned parameter = base->column[base->kept[b]].parameter;
    assert_true(test_is_near(e->sd[b], parameter == 9 ? 1 / sqrt(zz) : 1 / sqrt(m), 1e-12, 0));
  }
  check_rows(base, &model, &limits, e);
  arm_excitation_free(e);
  arm_base_free(base);
}

/* Held still, its inertia does not show: no sd, a direction that is the inertia alone, and the
 * remedy is to accelerate. */
static void test_at_rest(void **state) {
  const double noise = 1;
  static ArmModel model;
  ArmMotionLimits limits;
  ArmBase *base = NULL;
  ArmExcitation *e = NULL;
  size_t zz = 3;
  (void)state;
  pendulum(&model);
  set_limits(&model, &limits);
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  memset(qd, 0, sizeof qd);
  memset(qdd, 0, sizeof qdd);
  for (int s = 0; s < 9; s++)
    q[s] = 0.4 * s - 1.6;
  assert_int_equal(arm_excitation_new(base, &model, &limits, 9, q, qd, qdd, &noise, &e), ARM_OK);
  for (size_t b = 0; b < 3; b++) {
    const bool is_inertia = base->column[base->kept[b]].parameter == 9;
    zz = is_inertia ? b : zz;
    assert_true(isnan(e->sd[b]) == is_inertia);
  }
  assert_int_equal(e->rank, 2);
  assert_true(isinf(e->cond_raw) && isinf(e->cond_scaled) && e->log_det == -INFINITY);
  assert_true(isinf(e->spread));
  const ArmWeakDirection *weak = &e->weakest[0];
  assert_true(isinf(weak->sd) && isinf(weak->gain));
  assert_int_equal(weak->by, ARM_SHOWN_BY_ACCELERATION);
  for (size_t b = 0; b < 3; b++)
    assert_true(weak->step[b] == (b == zz));
  arm_excitation_free(e);
  arm_base_free(base);
}

/* ---- any arm, against plain sums ---- */

static void test_sums(void **state) {
  TestRng rng;
  static double y[7 * 200], m[200 * 200];
  (void)state;
  test_rng_init(&rng, test_seed(4));
  for (int k = 0; k < 6; k++) {
    static ArmModel model;
    ArmMotionLimits limits;
    ArmBase *base = NULL;
    ArmExcitation *e = NULL;
    double noise[4], state_q[3][4], smallest = INFINITY, largest = 0;
    base_random_arm(&rng, 4, &model);
    set_limits(&model, &limits);
    assert_int_equal(arm_base_new(&model, k % 2 ? ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR : 0,
                                  ARM_BASE_CLOSED_FORM, &base),
                     ARM_OK);
    const size_t p = base->count;
    for (size_t j = 0; j < 4; j++)
      noise[j] = test_rng_uniform(&rng, 0.1, 2);
    smooth_motion(4, 0.8);
    assert_int_equal(arm_excitation_new(base, &model, &limits, SAMPLES, q, qd, qdd, noise, &e),
                     ARM_OK);
    memset(m, 0, sizeof m);
    for (size_t s = 0; s < SAMPLES; s++) {
      for (size_t j = 0; j < 4; j++) {
        state_q[0][j] = q[s + SAMPLES * j];
        state_q[1][j] = qd[s + SAMPLES * j];
        state_q[2][j] = qdd[s + SAMPLES * j];
      }
      assert_int_equal(arm_base_regressor(base, &model, state_q[0], state_q[1], state_q[2], y),
                       ARM_OK);
      for (size_t j = 0; j < 4; j++)
        for (size_t a = 0; a < p; a++) {
          const double value = y[j * p + a] / noise[j];
          smallest = fmin(smallest, fabs(value));
          largest = fmax(largest, fabs(value));
          for (size_t b = 0; b < p; b++)
            m[a + p * b] += value * y[j * p + b] / noise[j];
        }
    }
    assert_true(smallest > 0 ? test_is_near(e->spread, largest / smallest, 1e-9, 0)
                             : isinf(e->spread));
    /* the weakest directions: step' M step = 1 / sd^2 */
    for (size_t d = 0; d < e->n_weakest; d++) {
      const ArmWeakDirection *weak = &e->weakest[d];
      double told = 0, widest = 0;
      for (size_t a = 0; a < p; a++) {
        widest = fmax(widest, weak->step[a]);
        for (size_t b = 0; b < p; b++)
          told += weak->step[a] * m[a + p * b] * weak->step[b];
      }
      assert_true(widest == 1);
      assert_true(test_is_near(told * weak->sd * weak->sd, 1, 1e-4, 0));
      assert_true(weak->gain > 0);
    }
    /* log det and sds by elimination: sd_p^2 is one over the last pivot */
    double log_det = 0;
    for (size_t a = 0; a < p; a++) {
      const double pivot = m[a + p * a];
      log_det += log(pivot);
      if (a + 1 == p)
        assert_true(test_is_near(e->sd[a], 1 / sqrt(pivot), 1e-6, 0));
      for (size_t b = a + 1; b < p; b++)
        for (size_t r = a + 1; r < p; r++)
          m[r + p * b] -= m[r + p * a] * m[a + p * b] / pivot;
    }
    assert_int_equal(e->rank, p);
    assert_true(test_is_near(e->log_det, log_det, 1e-6, 1e-6));
    arm_excitation_free(e);
    arm_base_free(base);
  }
}

static void test_refused(void **state) {
  static ArmModel model;
  ArmMotionLimits limits;
  ArmBase *base = NULL;
  ArmExcitation *e = NULL;
  double noise = 1, none = 0;
  (void)state;
  pendulum(&model);
  set_limits(&model, &limits);
  assert_int_equal(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), ARM_OK);
  smooth_motion(1, 1);
  assert_int_equal(arm_excitation_new(base, &model, &limits, 0, q, qd, qdd, &noise, &e),
                   ARM_E_ARGUMENT);
  assert_int_equal(arm_excitation_new(base, &model, &limits, 5, q, qd, qdd, &none, &e),
                   ARM_E_ARGUMENT);
  qdd[3] = (double)NAN;
  assert_int_equal(arm_excitation_new(base, &model, &limits, 5, q, qd, qdd, &noise, &e),
                   ARM_E_NOT_FINITE);
  assert_null(e);
  arm_base_free(base);
}

/* ---- differences ---- */

static void test_differences(void **state) {
  double x[6], out[6], at[6] = {0, 0.1, 0.15, 0.4, 0.5, 0.9};
  (void)state;
  for (int k = 0; k < 6; k++)
    x[k] = 3 - 2 * at[k] + 7 * at[k] * at[k];
  assert_int_equal(arm_motion_differences(6, at, x, 1, out), ARM_OK);
  for (int k = 0; k < 6; k++)
    assert_true(test_is_near(out[k], -2 + 14 * at[k], 0, 1e-12));
  assert_int_equal(arm_motion_differences(6, at, x, 2, out), ARM_OK);
  for (int k = 0; k < 6; k++)
    assert_true(test_is_near(out[k], 14, 0, 1e-11));
  assert_int_equal(arm_motion_differences(2, at, x, 1, out), ARM_E_ARGUMENT);
  assert_int_equal(arm_motion_differences(6, at, x, 3, out), ARM_E_ARGUMENT);
  at[3] = at[2];
  assert_int_equal(arm_motion_differences(6, at, x, 1, out), ARM_E_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),    cmocka_unit_test(test_at_rest),
      cmocka_unit_test(test_sums),        cmocka_unit_test(test_refused),
      cmocka_unit_test(test_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
