/* SPDX-License-Identifier: MIT */
/* Forward dynamics by composite and by articulated bodies: both undo inverse dynamics, of any
 * number of joints, with rotors, in every vector width, and refuse the same arms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/arm/dyn_kernel.h"
#include "support/dyn_random.h"

enum { N = ARM_MAX_JOINTS, SAMPLES = 11 };

typedef enum { NO_ROTOR, DIAGONAL, COUPLED } Rotor;

typedef struct {
  ArmModel model;
  ArmDyn dyn;
  double pi[10 * N], rotor[N * N];
  double q[N * SAMPLES], qd[N * SAMPLES], tau[N * SAMPLES], qdd[N * SAMPLES];
} Case;

/* Coupled: (I+L)^T J (I+L), which is positive definite. */
static void random_rotor(TestRng *rng, size_t n, Rotor kind, double *rotor) {
  double inertia[N], row[N * N];
  for (size_t k = 0; k < n; k++) {
    inertia[k] = test_rng_uniform(rng, 0, 1);
    for (size_t i = 0; i < n; i++)
      row[k + n * i] = i == k ? 1 : kind == COUPLED && i < k ? test_rng_uniform(rng, -1, 1) : 0;
  }
  memset(rotor, 0, n * n * sizeof *rotor);
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++)
        rotor[i + n * j] += inertia[k] * (row[k + n * i] * row[k + n * j]);
}

static void case_random(TestRng *rng, size_t n, Rotor kind, Case *c) {
  dyn_random_arm(rng, n, &c->model);
  assert_int_equal(arm_dyn_init(&c->dyn, &c->model), ARM_OK);
  assert_int_equal(arm_inertia_nominal(&c->model, c->pi), 0);
  random_rotor(rng, n, kind, c->rotor);
  dyn_random_vector(rng, n * SAMPLES, 3, c->q);
  dyn_random_vector(rng, n * SAMPLES, 1, c->qd);
  dyn_random_vector(rng, n * SAMPLES, 5, c->tau);
}

static double value(const double *x, size_t joint, size_t sample) {
  return x[joint * SAMPLES + sample];
}

/* How far the torques of the accelerations, rotors included, are off, beside the largest term. */
static double torque_error(const Case *c, const double *rotor, const double *qdd) {
  static double back[N * SAMPLES];
  const size_t n = c->dyn.n;
  double worst = 0;
  arm_dyn_torque_batch(&c->dyn, c->pi, SAMPLES, c->q, c->qd, qdd, back);
  for (size_t s = 0; s < SAMPLES; s++) {
    double size = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
      double sum = value(back, i, s);
      size = fmax(size, fabs(sum));
      for (size_t j = 0; rotor && j < n; j++) {
        const double term = rotor[i + n * j] * value(qdd, j, s);
        sum += term;
        size = fmax(size, fabs(term));
      }
      error = fmax(error, fabs(sum - value(c->tau, i, s)));
      size = fmax(size, fabs(value(c->tau, i, s)));
    }
    worst = error / size <= worst ? worst : error / size;
  }
  return worst;
}

/* ---- by identity ---- */

static void test_undoes_inverse_dynamics(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(31));
  for (size_t n = 1; n <= N; n++)
    for (int kind = NO_ROTOR; kind <= COUPLED; kind++)
      for (int lanes = 2; lanes <= 8; lanes *= 2) {
        case_random(&rng, n, (Rotor)kind, &c);
        (void)arm_dyn_limit_lanes(&c.dyn, lanes);
        const double *rotor = kind == NO_ROTOR ? NULL : c.rotor;
        assert_int_equal(
            arm_dyn_forward_batch(&c.dyn, c.pi, rotor, SAMPLES, c.q, c.qd, c.tau, c.qdd), ARM_OK);
        const double error = torque_error(&c, rotor, c.qdd);
        if (!(error < 1e-11))
          fail_msg("%d joints, rotor %d, %d lanes: %g", (int)n, kind, lanes, error);
        worst = fmax(worst, error);
      }
  print_message("# worst torque off %.2g\n", worst);
}

/* Both ways, also where the public functions take the other one. Composite bodies lose a digit on
 * long arms. */
static void test_both_ways(void **state) {
  static Case c;
  TestRng rng;
  double worst[2] = {0, 0};
  (void)state;
  test_rng_init(&rng, test_seed(32));
  for (size_t n = 1; n <= N; n++)
    for (int kind = NO_ROTOR; kind <= DIAGONAL; kind++)
      for (int lanes = 2; lanes <= 8; lanes *= 2)
        for (int way = 0; way < 2; way++) {
          case_random(&rng, n, (Rotor)kind, &c);
          const ArmDynKernel *kernel = arm_dyn_kernel(lanes);
          const double *rotor = kind == NO_ROTOR ? NULL : c.rotor;
          ArmDynForward *const forward = way ? kernel->articulated : kernel->forward;
          for (size_t s = 0; s < SAMPLES; s += kernel->lanes) {
            const size_t at = s + kernel->lanes > SAMPLES ? SAMPLES - kernel->lanes : s;
            assert_true(
                forward(&c.dyn, c.pi, rotor, SAMPLES, c.q + at, c.qd + at, c.tau + at, c.qdd + at));
          }
          worst[way] = fmax(worst[way], torque_error(&c, rotor, c.qdd));
        }
  print_message("# worst torque off %.2g, of articulated bodies %.2g\n", worst[0], worst[1]);
  assert_true(worst[0] < 1e-10);
  assert_true(worst[1] < 1e-11);
}

/* One sample, and no speeds at all. */
static void test_one_sample(void **state) {
  static Case c;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(33));
  for (size_t n = 1; n <= N; n++)
    for (int is_still = 0; is_still < 2; is_still++) {
      double q[N], qd[N], tau[N], qdd[N], back[N], scale = 0;
      case_random(&rng, n, NO_ROTOR, &c);
      for (size_t i = 0; i < n; i++) {
        q[i] = value(c.q, i, 0);
        qd[i] = value(c.qd, i, 0);
        tau[i] = value(c.tau, i, 0);
        scale = fmax(scale, fabs(tau[i]));
      }
      const double *speed = is_still ? NULL : qd;
      assert_int_equal(arm_dyn_forward(&c.dyn, c.pi, NULL, q, speed, tau, qdd), ARM_OK);
      arm_dyn_torque(&c.dyn, c.pi, q, speed, qdd, back);
      for (size_t i = 0; i < n; i++)
        scale = fmax(scale, fabs(back[i]));
      for (size_t i = 0; i < n; i++)
        if (!(fabs(back[i] - tau[i]) <= 1e-11 * scale))
          fail_msg("%d joints: %g off", (int)n, fabs(back[i] - tau[i]));
    }
}

/* ---- what cannot be solved ---- */

/* A last link without mass: nothing resists its joint, but a rotor would. */
static void test_massless_link(void **state) {
  static Case c;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(34));
  for (size_t n = 1; n <= N; n++) {
    case_random(&rng, n, DIAGONAL, &c);
    memset(c.pi + 10 * (n - 1), 0, 10 * sizeof *c.pi);
    assert_int_equal(arm_dyn_forward_batch(&c.dyn, c.pi, NULL, SAMPLES, c.q, c.qd, c.tau, c.qdd),
                     ARM_E_NUMERIC);
    for (size_t k = 0; k < n * SAMPLES; k++)
      assert_true(isnan(c.qdd[k]));
    assert_int_equal(arm_dyn_forward_batch(&c.dyn, c.pi, c.rotor, SAMPLES, c.q, c.qd, c.tau, c.qdd),
                     ARM_OK);
    assert_true(torque_error(&c, c.rotor, c.qdd) < 1e-11);
  }
}

/* Bodies of negative mass: M is not positive definite, though no pivot is 0. */
static void test_no_body(void **state) {
  static Case c;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(35));
  for (size_t n = 1; n <= N; n++) {
    double untouched[N];
    case_random(&rng, n, NO_ROTOR, &c);
    for (size_t k = 0; k < 10 * n; k++)
      c.pi[k] = -c.pi[k];
    memcpy(untouched, c.qd, n * sizeof *untouched);
    assert_int_equal(arm_dyn_forward(&c.dyn, c.pi, NULL, c.q, NULL, c.tau, c.qd), ARM_E_NUMERIC);
    assert_memory_equal(untouched, c.qd, n * sizeof *untouched);
  }
}

/* What is not finite stays in its own lane. */
static void test_one_bad_sample(void **state) {
  enum { BAD = 4 };
  static Case c;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(36));
  for (size_t n = 1; n <= N; n++)
    for (int lanes = 2; lanes <= 8; lanes *= 2) {
      case_random(&rng, n, NO_ROTOR, &c);
      (void)arm_dyn_limit_lanes(&c.dyn, lanes);
      c.tau[(n - 1) * SAMPLES + BAD] = (double)NAN;
      assert_int_equal(arm_dyn_forward_batch(&c.dyn, c.pi, NULL, SAMPLES, c.q, c.qd, c.tau, c.qdd),
                       ARM_E_NUMERIC);
      for (size_t k = 0; k < n * SAMPLES; k++)
        assert_int_equal(isnan(c.qdd[k]) != 0, k % SAMPLES == BAD);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_undoes_inverse_dynamics),
      cmocka_unit_test(test_both_ways),
      cmocka_unit_test(test_one_sample),
      cmocka_unit_test(test_massless_link),
      cmocka_unit_test(test_no_body),
      cmocka_unit_test(test_one_bad_sample),
  };
  return cmocka_run_group_tests_name("dyn_forward", tests, NULL, NULL);
}
