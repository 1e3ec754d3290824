/* SPDX-License-Identifier: MIT */
/* Batches: the same as one sample at a time, for every vector width, ragged ends, far angles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "support/dyn_random.h"

enum { MOST_SAMPLES = 37, GUARD = 8, N = ARM_MAX_JOINTS, OUTPUTS = 10 };

static const double guard = 12345.678;

/* What the functions of core/arm/dyn.h give, one array each. */
typedef struct {
  size_t count[OUTPUTS]; /* values per sample */
  double *value[OUTPUTS];
} Outputs;

enum { TAU, GRAVITY, Y, YP, YE, ROW_K, ROW_U, MASS, QDD, REST };

static void outputs_init(Outputs *o, size_t n, size_t samples) {
  const size_t count[OUTPUTS] = {n,      n,      10 * n * n, 10 * n * n, 10 * n * n,
                                 10 * n, 10 * n, n * n,      n,          n};
  for (int k = 0; k < OUTPUTS; k++) {
    o->count[k] = count[k];
    o->value[k] = malloc((count[k] * samples + GUARD) * sizeof(double));
    assert_non_null(o->value[k]);
    for (size_t c = 0; c < count[k] * samples + GUARD; c++)
      o->value[k][c] = guard;
  }
}

static void outputs_clear(Outputs *o) {
  for (int k = 0; k < OUTPUTS; k++)
    free(o->value[k]);
}

static ArmStatus run_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                           const double *qd, const double *qdd, Outputs *o) {
  double **v = o->value;
  arm_dyn_torque_batch(dyn, pi, samples, q, qd, qdd, v[TAU]);
  arm_dyn_torque_batch(dyn, pi, samples, q, NULL, NULL, v[REST]);
  arm_dyn_gravity_batch(dyn, pi, samples, q, v[GRAVITY]);
  arm_dyn_regressor_batch(dyn, samples, q, qd, qdd, v[Y]);
  arm_dyn_momentum_batch(dyn, samples, q, qd, v[YP], v[YE]);
  arm_dyn_energy_batch(dyn, samples, q, qd, v[ROW_K], v[ROW_U]);
  arm_dyn_mass_batch(dyn, pi, samples, q, v[MASS]);
  return arm_dyn_forward_batch(dyn, pi, NULL, samples, q, qd, qdd, v[QDD]);
}

static ArmStatus run_one(const ArmDyn *dyn, const double *pi, const double *q, const double *qd,
                         const double *qdd, Outputs *o) {
  double **v = o->value;
  arm_dyn_torque(dyn, pi, q, qd, qdd, v[TAU]);
  arm_dyn_torque(dyn, pi, q, NULL, NULL, v[REST]);
  arm_dyn_gravity(dyn, pi, q, v[GRAVITY]);
  arm_dyn_regressor(dyn, q, qd, qdd, v[Y]);
  arm_dyn_momentum(dyn, q, qd, v[YP], v[YE]);
  arm_dyn_energy(dyn, q, qd, v[ROW_K], v[ROW_U]);
  arm_dyn_mass(dyn, pi, q, v[MASS]);
  return arm_dyn_forward(dyn, pi, NULL, q, qd, qdd, v[QDD]);
}

/* Sample s of the batch against one sample's outputs. */
static double sample_error(const Outputs *batch, size_t samples, size_t s, const Outputs *one) {
  double worst = 0;
  for (int k = 0; k < OUTPUTS; k++) {
    double size = 0, error = 0;
    for (size_t c = 0; c < one->count[k]; c++) {
      const double difference = fabs(batch->value[k][c * samples + s] - one->value[k][c]);
      size = fmax(size, fabs(one->value[k][c]));
      error = difference <= error ? error : difference;
    }
    const double relative = error / (k == QDD ? 1e4 * (1 + size) : 1 + size); /* condition of M */
    worst = relative <= worst ? worst : relative;
  }
  return worst;
}

static double compare(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                      const double *qd, const double *qdd) {
  const size_t n = dyn->n;
  double x[N], xd[N], xdd[N], worst = 0;
  Outputs batch, one;
  outputs_init(&batch, n, samples);
  outputs_init(&one, n, 1);
  assert_int_equal(run_batch(dyn, pi, samples, q, qd, qdd, &batch), ARM_OK);
  for (size_t s = 0; s < samples; s++) {
    for (size_t i = 0; i < n; i++) {
      x[i] = q[i * samples + s];
      xd[i] = qd[i * samples + s];
      xdd[i] = qdd[i * samples + s];
    }
    assert_int_equal(run_one(dyn, pi, x, xd, xdd, &one), ARM_OK);
    const double error = sample_error(&batch, samples, s, &one);
    worst = error <= worst ? worst : error;
  }
  for (int k = 0; k < OUTPUTS; k++)
    for (size_t c = 0; c < GUARD; c++)
      assert_true(batch.value[k][batch.count[k] * samples + c] == guard);
  outputs_clear(&batch);
  outputs_clear(&one);
  return worst;
}

static void check_width(int lanes, size_t n, size_t samples, double range, double *worst) {
  static ArmModel model;
  static double q[N * MOST_SAMPLES], qd[N * MOST_SAMPLES], qdd[N * MOST_SAMPLES];
  TestRng rng;
  ArmDyn dyn;
  double pi[10 * N];
  test_rng_init(&rng, 100 * n + samples);
  dyn_random_arm(&rng, n, &model);
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
  (void)arm_inertia_nominal(&model, pi);
  dyn_random_vector(&rng, n * samples, range, q);
  for (size_t i = 0; i < n; i++) /* a slide of kilometres would only measure cancellation */
    for (size_t s = 0; s < samples && model.joints[i].type == ARM_JOINT_T; s++)
      q[i * samples + s] *= 1 / range;
  dyn_random_vector(&rng, n * samples, 1, qd);
  dyn_random_vector(&rng, n * samples, 3, qdd);
  assert_true(arm_dyn_limit_lanes(&dyn, lanes) <= lanes);
  const double error = compare(&dyn, pi, samples, q, qd, qdd);
  if (!(error < 1e-12))
    fail_msg("%d lanes, n %d, %d samples: %g", lanes, (int)n, (int)samples, error);
  *worst = fmax(*worst, error);
}

static void check_lanes(int lanes) {
  static const size_t joints[] = {1, 2, 3, 5, 6, 7, N};
  double worst = 0;
  for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
    for (size_t samples = 1; samples <= MOST_SAMPLES; samples += samples < 18 ? 1 : 19)
      check_width(lanes, joints[k], samples, 3, &worst);
  print_message("# worst difference from one sample %.2g\n", worst);
}

static bool has_lanes(int lanes) {
  ArmModel model;
  ArmDyn dyn;
  assert_int_equal(arm_model_init(&model, 1), ARM_OK);
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
  return arm_dyn_limit_lanes(&dyn, lanes) == lanes;
}

/* Not every processor has the wider ones. cmocka's skip() is "not ok # SKIP" in TAP, which meson
 * counts as a failure. */
static void check_lanes_of_this_processor(int lanes) {
  if (has_lanes(lanes))
    check_lanes(lanes);
  else
    print_message("# this processor has no %d lanes: nothing to compare\n", lanes);
}

static void test_two_lanes(void **state) {
  (void)state;
  assert_true(has_lanes(2));
  check_lanes(2);
}

static void test_four_lanes(void **state) {
  (void)state;
  check_lanes_of_this_processor(4);
}

static void test_eight_lanes(void **state) {
  (void)state;
  check_lanes_of_this_processor(8);
}

static void test_far_angles(void **state) {
  double worst = 0;
  (void)state;
  for (int lanes = 2; lanes <= 8; lanes *= 2) {
    check_width(lanes, 6, 9, 9.9e4, &worst);
    check_width(lanes, 6, 9, 1e6, &worst);
    check_width(lanes, 6, 9, 1e15, &worst);
  }
  print_message("# worst %.2g\n", worst);
}

/* A pendulum's torque is the cosine of its angle: what the vector sine is worth. */
static void test_cosine(void **state) {
  enum { COUNT = 4096 };
  static double q[COUNT], tau[COUNT];
  const double pi[10] = {0, 1};
  ArmModel model;
  ArmDyn dyn;
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(5));
  assert_int_equal(arm_model_init(&model, 1), ARM_OK);
  model.gravity_m_s2[1] = -1;
  model.gravity_m_s2[2] = 0;
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
  for (int lanes = 2; lanes <= 8; lanes *= 2) {
    (void)arm_dyn_limit_lanes(&dyn, lanes);
    for (int round = 0; round < 50; round++) {
      for (size_t s = 0; s < COUNT; s++) {
        const double near = 1.57079632679489661923 * (double)test_rng_below(&rng, 60000);
        q[s] = round % 2 ? test_rng_uniform(&rng, -1e5, 1e5)
                         : near * (1 + test_rng_uniform(&rng, -1e-6, 1e-6));
      }
      arm_dyn_gravity_batch(&dyn, pi, COUNT, q, tau);
      for (size_t s = 0; s < COUNT; s++) {
        const double want = cos(q[s]);
        worst = fmax(worst, fabs(tau[s] - want) / fabs(want));
      }
    }
  }
  print_message("# worst relative error %.2f x 2^-52\n", worst * 0x1p52);
  assert_true(worst < 2.5 * 0x1p-52);
}

/* What is not finite stays in its own lane. */
static void test_one_bad_sample(void **state) {
  enum { SAMPLES = 11, BAD = 4, n = 3 };
  static ArmModel model;
  TestRng rng;
  ArmDyn dyn;
  double pi[10 * n], q[n * SAMPLES], qd[n * SAMPLES], tau[n * SAMPLES], qdd[n * SAMPLES];
  (void)state;
  test_rng_init(&rng, test_seed(6));
  dyn_random_arm(&rng, n, &model);
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
  (void)arm_inertia_nominal(&model, pi);
  for (int lanes = 2; lanes <= 8; lanes *= 2) {
    for (int kind = 0; kind < 2; kind++) {
      dyn_random_vector(&rng, n * SAMPLES, 3, q);
      dyn_random_vector(&rng, n * SAMPLES, 3, qd);
      dyn_random_vector(&rng, n * SAMPLES, 3, tau);
      q[BAD] = kind ? (double)NAN : (double)INFINITY;
      q[BAD + SAMPLES] = q[BAD + 2 * SAMPLES] = q[BAD];
      (void)arm_dyn_limit_lanes(&dyn, lanes);
      assert_int_equal(arm_dyn_forward_batch(&dyn, pi, NULL, SAMPLES, q, qd, tau, qdd),
                       ARM_E_NUMERIC);
      for (size_t k = 0; k < n * SAMPLES; k++)
        assert_int_equal(isnan(qdd[k]), k % SAMPLES == BAD);
    }
  }
  memset(pi, 0, sizeof pi);
  assert_int_equal(arm_dyn_forward_batch(&dyn, pi, NULL, SAMPLES, q, qd, tau, qdd), ARM_E_NUMERIC);
  assert_true(isnan(qdd[0]));
  arm_dyn_torque_batch(&dyn, pi, 0, q, qd, tau, qdd);
}

/* ---- blocks, and rows without their zeros ---- */

/* The largest odd number of eights within half a megabyte, up to five; at least eight samples. */
static void test_block(void **state) {
  (void)state;
  for (size_t n = 1; n <= N; n++) {
    const size_t block = arm_dyn_block(n), sample = 80 * n * n;
    assert_int_equal(block % 16, 8);
    assert_true(block * sample <= 512 * 1024 || block == 8);
    assert_true((block + 16) * sample > 512 * 1024 || block == 40);
  }
  assert_int_equal(arm_dyn_block(6), 40);
  assert_int_equal(arm_dyn_block(N), 8);
}

static void test_outboard_rows(void **state) {
  enum { n = 5, SAMPLES = 11, VALUES = 10 * n * n * SAMPLES };
  static double want[VALUES], got[VALUES];
  static ArmModel model;
  double q[n * SAMPLES], qd[n * SAMPLES], qdd[n * SAMPLES];
  TestRng rng;
  ArmDyn dyn;
  (void)state;
  test_rng_init(&rng, test_seed(9));
  dyn_random_arm(&rng, n, &model);
  assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
  dyn_random_vector(&rng, n * SAMPLES, 3, q);
  dyn_random_vector(&rng, n * SAMPLES, 3, qd);
  dyn_random_vector(&rng, n * SAMPLES, 3, qdd);
  arm_dyn_regressor_batch(&dyn, SAMPLES, q, qd, qdd, want);
  for (size_t k = 0; k < VALUES; k++)
    got[k] = guard;
  arm_dyn_regressor_outboard_batch(&dyn, SAMPLES, q, qd, qdd, got);
  for (size_t j = 0; j < n; j++)
    for (size_t k = 0; k < 10 * n * SAMPLES; k++) {
      const bool is_inboard = k / (10 * SAMPLES) < j;
      const size_t at = 10 * n * SAMPLES * j + k;
      assert_true(got[at] == (is_inboard ? guard : want[at]));
      assert_true(!is_inboard || want[at] == 0);
    }
}

/* ---- gradient of the energies' rows ---- */

/* Sum over the columns of bar_c (k_c + u_c) of sample s, one of its variables moved by `step`. */
static double weighed_energy(const ArmDyn *dyn, size_t samples, size_t s, const double *q,
                             const double *qd, const double *bar, size_t variable, double step) {
  double x[N], xd[N], k[10 * N], u[10 * N], sum = 0;
  for (size_t i = 0; i < dyn->n; i++) {
    x[i] = q[i * samples + s] + (variable == i ? step : 0);
    xd[i] = qd[i * samples + s] + (variable == dyn->n + i ? step : 0);
  }
  arm_dyn_energy(dyn, x, xd, k, u);
  for (size_t c = 0; c < 10 * dyn->n; c++)
    sum += bar[c * samples + s] * (k[c] + u[c]);
  return sum;
}

static double energy_gradient_error(const ArmDyn *dyn, size_t samples, TestRng *rng) {
  static const double weight[3] = {45, -9, 1};
  double q[7 * MOST_SAMPLES], qd[7 * MOST_SAMPLES], bar[70 * MOST_SAMPLES], worst = 0, most = 0;
  double got[14 * MOST_SAMPLES];
  const double step = 3e-3;
  dyn_random_vector(rng, dyn->n * samples, 3, q);
  dyn_random_vector(rng, dyn->n * samples, 2, qd);
  dyn_random_vector(rng, 10 * dyn->n * samples, 1, bar);
  arm_dyn_energy_gradient_batch(dyn, samples, q, qd, bar, got, got + dyn->n * samples);
  for (size_t v = 0; v < 2 * dyn->n; v++)
    for (size_t s = 0; s < samples; s++) {
      double want = 0;
      for (int k = 1; k <= 3; k++)
        want += weight[k - 1] / (60 * step) *
                (weighed_energy(dyn, samples, s, q, qd, bar, v, k * step) -
                 weighed_energy(dyn, samples, s, q, qd, bar, v, -k * step));
      most = fmax(most, fabs(want));
      worst = fmax(worst, fabs(got[v * samples + s] - want));
    }
  return worst / most;
}

static void test_energy_gradient(void **state) {
  static ArmModel model;
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(7));
  for (size_t round = 0; round < 84; round++) {
    ArmDyn dyn;
    dyn_random_arm(&rng, 1 + round % 7, &model);
    assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
    (void)arm_dyn_limit_lanes(&dyn, 2 << round % 3);
    worst = fmax(worst, energy_gradient_error(&dyn, 1 + test_rng_below(&rng, 20), &rng));
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-9);
}

/* ---- gradient of the regressor ---- */

enum { MOST_GRADIENT = 20 };

/* Sum over the numbers of Y of sample s, one of its variables moved by `step`. */
static double weighed_regressor(const ArmDyn *dyn, size_t samples, size_t s, const double *state,
                                const double *bar, size_t variable, double step) {
  const size_t n = dyn->n;
  double x[3 * N] = {0}, y[10 * N * N], sum = 0;
  for (size_t v = 0; v < 3 * n; v++)
    x[v] = state[v * samples + s] + (variable == v ? step : 0);
  arm_dyn_regressor(dyn, x, x + n, x + 2 * n, y);
  for (size_t c = 0; c < 10 * n * n; c++)
    sum += bar[c * samples + s] * y[c];
  return sum;
}

static double regressor_gradient_error(const ArmDyn *dyn, size_t samples, TestRng *rng) {
  static const double weight[3] = {45, -9, 1};
  static double state[21 * MOST_GRADIENT], bar[490 * MOST_GRADIENT], got[21 * MOST_GRADIENT];
  const size_t n = dyn->n, all = n * samples;
  const double step = 3e-3;
  double worst = 0, most = 0;
  dyn_random_vector(rng, all, 3, state);
  dyn_random_vector(rng, all, 2, state + all);
  dyn_random_vector(rng, all, 5, state + 2 * all);
  dyn_random_vector(rng, 10 * n * all, 1, bar);
  arm_dyn_regressor_gradient_batch(dyn, samples, state, state + all, state + 2 * all, bar, got,
                                   got + all, got + 2 * all);
  for (size_t v = 0; v < 3 * n; v++)
    for (size_t s = 0; s < samples; s++) {
      double want = 0;
      for (int k = 1; k <= 3; k++)
        want += weight[k - 1] / (60 * step) *
                (weighed_regressor(dyn, samples, s, state, bar, v, k * step) -
                 weighed_regressor(dyn, samples, s, state, bar, v, -k * step));
      most = fmax(most, fabs(want));
      worst = fmax(worst, fabs(got[v * samples + s] - want));
    }
  return worst / most;
}

static void test_regressor_gradient(void **state) {
  static ArmModel model;
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(8));
  for (size_t round = 0; round < 84; round++) {
    ArmDyn dyn;
    dyn_random_arm(&rng, 1 + round % 7, &model);
    assert_int_equal(arm_dyn_init(&dyn, &model), ARM_OK);
    (void)arm_dyn_limit_lanes(&dyn, 2 << round % 3);
    worst =
        fmax(worst, regressor_gradient_error(&dyn, 1 + test_rng_below(&rng, MOST_GRADIENT), &rng));
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_lanes),       cmocka_unit_test(test_four_lanes),
      cmocka_unit_test(test_eight_lanes),     cmocka_unit_test(test_far_angles),
      cmocka_unit_test(test_cosine),          cmocka_unit_test(test_one_bad_sample),
      cmocka_unit_test(test_block),           cmocka_unit_test(test_outboard_rows),
      cmocka_unit_test(test_energy_gradient), cmocka_unit_test(test_regressor_gradient),
  };
  return cmocka_run_group_tests_name("dyn_batch", tests, NULL, NULL);
}
