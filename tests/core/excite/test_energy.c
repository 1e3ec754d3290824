/* SPDX-License-Identifier: MIT */
/* Energy rows: the shared vectors, the paper's columns, the work of torques, finite differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/excite/criterion.h"
#include "core/excite/energy.h"
#include "support/dyn_random.h"
#include "support/robot3.h"
#include "support/vectors.h"

enum { POINTS = 12, MOST = 7, P3 = ROBOT3_COLUMNS };

/* The rows of robot3 at one point. */
static void rows_at(const double *q, const double *qd, double h[P3]) {
  static ArmModel model;
  ArmEnergy *energy = NULL;
  robot3_model(ROBOT3_P, &model);
  assert_int_equal(arm_energy_new(&model, 1, &energy), ARM_OK);
  assert_int_equal(arm_energy_base(energy)->count, P3);
  arm_energy_points(energy, q, qd, h);
  arm_energy_free(energy);
}

static void test_shared_rows(void **state) {
  (void)state;
  char *text = vectors_read("vectors/traj/energy_rows.json");
  const char *at = text;
  if (!text) {
    print_message("# skipped: no ../shared/vectors/traj\n");
    return;
  }
  for (size_t i = 0; i < POINTS; i++) {
    double q[3], qd[3], want[P3], got[P3];
    vectors_exactly(at, "q", 3, q);
    vectors_exactly(at, "qd", 3, qd);
    vectors_exactly(at, "h", P3, want);
    at = vectors_find(at, "h");
    rows_at(q, qd, got);
    for (size_t k = 0; k < P3; k++)
      assert_true(test_is_near(got[k], want[k], 1e-12, 1e-13));
  }
  free(text);
}

/* The stored sequences have the stored condition and S. */
static void check_sequence(const ArmModel *model, const char *at) {
  enum { LONGEST = 101 };
  static double x[5 * LONGEST], q[3 * LONGEST], qd[3 * LONGEST], m[P3 * P3];
  const size_t r = (size_t)vectors_number(at, "r"), points = r + 1;
  const double s_want = vectors_number(at, "S");
  double condition, unit, least = (double)INFINITY, most = 0;
  ArmEnergy *energy = NULL;
  assert_true(points <= LONGEST);
  vectors_exactly(at, "x", 5 * points, x);
  for (size_t k = 0; k < points; k++)
    for (size_t j = 0; j < 3; j++) {
      q[j * points + k] = j == 0 ? 0.3 : x[5 * k + 2 * j - 1];
      qd[j * points + k] = x[5 * k + 2 * j];
    }
  const size_t stride = arm_criterion_stride(P3);
  double *w = aligned_alloc(64, r * stride * sizeof *w);
  ArmCriterionWork *work = arm_criterion_work_new(P3);
  assert_true(w && work);
  assert_int_equal(arm_energy_new(model, points, &energy), ARM_OK);
  arm_energy_rows(energy, q, qd, w);
  arm_criterion_gram(work, r, w, NULL, m);
  assert_int_equal(arm_criterion_condition(work, m, &condition, &unit), ARM_OK);
  for (size_t k = 0; k < r * stride; k++)
    if (k % stride < P3) {
      least = fmin(least, fabs(w[k]));
      most = fmax(most, fabs(w[k]));
    }
  assert_true(test_is_near(condition, vectors_number(at, "cond"), 1e-6, 0));
  assert_true(isnan(s_want) || s_want > 1e6 || test_is_near(most / least, s_want, 1e-4, 0));
  arm_criterion_work_free(work);
  arm_energy_free(energy);
  free(w);
}

static void test_shared_sequences(void **state) {
  (void)state;
  char *text = vectors_read("vectors/traj/sequences.json");
  static ArmModel model;
  size_t count = 0;
  if (!text) {
    print_message("# skipped: no ../shared/vectors/traj\n");
    return;
  }
  robot3_model(ROBOT3_P, &model);
  for (const char *at = vectors_find(text, "limits"); at; at = vectors_find(at, "limits"), count++)
    check_sequence(&model, at);
  assert_int_equal(count, 22);
  free(text);
}

/* The stored work integrals, with the paper's parameters and with random full ones. */
static void test_shared_balances(void **state) {
  (void)state;
  char *text = vectors_read("vectors/traj/energy_rows.json");
  static ArmModel model;
  ArmEnergy *energy = NULL;
  if (!text) {
    print_message("# skipped: no ../shared/vectors/traj\n");
    return;
  }
  size_t count = 0;
  robot3_model(ROBOT3_P, &model);
  assert_int_equal(arm_energy_new(&model, 2, &energy), ARM_OK);
  for (const char *at = vectors_find(text, "phi"); at; at = vectors_find(at, "phi"), count++) {
    double phi[30], pi[30], beta[P3], a[3], b[3], q[6], qd[6], w[16], dh = 0;
    assert_int_equal(vectors_numbers(at, 30, phi), 30);
    for (size_t i = 0; i < 3; i++)
      arm_inertia_from_order(ARM_INERTIA_ORDER_GAUTIER_KHALIL, phi + 10 * i, pi + 10 * i);
    arm_base_values(arm_energy_base(energy), pi, beta);
    for (int speed = 0; speed < 2; speed++) {
      vectors_exactly(at, speed ? "qda" : "qa", 3, a);
      vectors_exactly(at, speed ? "qdb" : "qb", 3, b);
      for (size_t i = 0; i < 3; i++) {
        (speed ? qd : q)[2 * i] = a[i];
        (speed ? qd : q)[2 * i + 1] = b[i];
      }
    }
    arm_energy_rows(energy, q, qd, w);
    for (size_t k = 0; k < P3; k++)
      dh += w[k] * beta[k];
    assert_true(test_is_near(dh, vectors_number(at, "work_integral"), 1e-10, 0));
    assert_true(w[P3] == 0);
  }
  assert_int_equal(count, 4);
  arm_energy_free(energy);
  free(text);
}

static void test_the_papers_columns(void **state) {
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(1));
  for (int round = 0; round < 200; round++) {
    double x[5], q[3], qd[3], want[P3], got[P3];
    for (int k = 0; k < 5; k++)
      x[k] = test_rng_uniform(&rng, -3, 3);
    q[0] = test_rng_uniform(&rng, -3, 3);
    qd[0] = x[0], q[1] = x[1], qd[1] = x[2], q[2] = x[3], qd[2] = x[4];
    robot3_row(x, want);
    rows_at(q, qd, got);
    for (size_t k = 0; k < P3; k++)
      assert_true(test_is_near(got[k], want[k], 1e-12, 1e-12));
  }
}

/* ---- any arm ---- */

typedef struct {
  ArmModel model;
  ArmEnergy *energy;
  size_t n, points, p, stride;
  double *q, *qd, *w, *dw, *q_bar, *qd_bar;
} Case;

static double *numbers(size_t count) {
  double *x = calloc(count + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void case_init(Case *c, TestRng *rng, size_t n, size_t points) {
  memset(c, 0, sizeof *c);
  dyn_random_arm(rng, n, &c->model);
  assert_int_equal(arm_energy_new(&c->model, points, &c->energy), ARM_OK);
  c->n = n;
  c->points = points;
  c->p = arm_energy_base(c->energy)->count;
  c->stride = arm_criterion_stride(c->p);
  c->q = numbers(n * points);
  c->qd = numbers(n * points);
  c->q_bar = numbers(n * points);
  c->qd_bar = numbers(n * points);
  c->w = numbers(points * c->stride);
  c->dw = numbers(points * c->stride);
  dyn_random_vector(rng, n * points, 2, c->q);
  dyn_random_vector(rng, n * points, 2, c->qd);
  dyn_random_vector(rng, points * c->stride, 1, c->dw);
}

static void case_clear(Case *c) {
  arm_energy_free(c->energy);
  free(c->q);
  free(c->qd);
  free(c->q_bar);
  free(c->qd_bar);
  free(c->w);
  free(c->dw);
}

/* sum of dw W */
static double weighed(Case *c) {
  double sum = 0;
  arm_energy_rows(c->energy, c->q, c->qd, c->w);
  for (size_t k = 0; k + 1 < c->points; k++)
    for (size_t j = 0; j < c->p; j++)
      sum += c->dw[k * c->stride + j] * c->w[k * c->stride + j];
  return sum;
}

static double difference(Case *c, double *x) {
  static const double weight[3] = {45, -9, 1};
  const double was = *x, step = 3e-3;
  double sum = 0;
  for (int k = 1; k <= 3; k++)
    for (int side = -1; side <= 1; side += 2) {
      *x = was + side * k * step;
      sum += side * weight[k - 1] * weighed(c) / (60 * step);
    }
  *x = was;
  return sum;
}

static void test_gradient(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0;
  (void)state;
  test_rng_init(&rng, test_seed(2));
  for (size_t round = 0; round < 42; round++) {
    double most = 0, error = 0;
    case_init(&c, &rng, 1 + round % MOST, 2 + test_rng_below(&rng, 15));
    arm_energy_gradient(c.energy, c.q, c.qd, c.dw, c.q_bar, c.qd_bar);
    for (size_t k = 0; k < c.n * c.points; k++) {
      const double by_q = difference(&c, c.q + k), by_qd = difference(&c, c.qd + k);
      most = fmax(most, fmax(fabs(by_q), fabs(by_qd)));
      error = fmax(error, fmax(fabs(by_q - c.q_bar[k]), fabs(by_qd - c.qd_bar[k])));
    }
    worst = fmax(worst, error / most);
    case_clear(&c);
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-9);
}

/* Energy in base parameters is energy, up to a constant; the sign of the speeds does not count. */
static void test_energy_is_energy(void **state) {
  static Case c;
  TestRng rng;
  (void)state;
  test_rng_init(&rng, test_seed(3));
  for (size_t round = 0; round < 42; round++) {
    double pi[10 * MOST], beta[10 * MOST], k[10 * MOST], u[10 * MOST], h[3 * 10 * MOST], sum[3],
        e[3];
    case_init(&c, &rng, 1 + round % MOST, 3);
    assert_int_equal(arm_inertia_nominal(&c.model, pi), 0);
    arm_base_values(arm_energy_base(c.energy), pi, beta);
    for (size_t j = 0; j < c.n; j++) { /* the third point is the second, backwards */
      c.q[3 * j + 2] = c.q[3 * j + 1];
      c.qd[3 * j + 2] = -c.qd[3 * j + 1];
    }
    arm_energy_points(c.energy, c.q, c.qd, h);
    for (size_t s = 0; s < 3; s++) {
      ArmDyn dyn;
      double q[MOST], qd[MOST];
      assert_int_equal(arm_dyn_init(&dyn, &c.model), ARM_OK);
      for (size_t j = 0; j < c.n; j++)
        q[j] = c.q[3 * j + s], qd[j] = c.qd[3 * j + s];
      arm_dyn_energy(&dyn, q, qd, k, u);
      sum[s] = e[s] = 0;
      for (size_t b = 0; b < c.p; b++)
        sum[s] += h[3 * b + s] * beta[b];
      for (size_t b = 0; b < 10 * c.n; b++)
        e[s] += (k[b] + u[b]) * pi[b];
    }
    const double size = fabs(e[0]) + fabs(e[1]) + 1;
    assert_true(fabs((sum[1] - sum[0]) - (e[1] - e[0])) <= 1e-10 * size);
    assert_true(fabs(sum[2] - sum[1]) <= 1e-12 * size);
    case_clear(&c);
  }
}

static void test_refused(void **state) {
  static ArmModel model;
  ArmEnergy *energy = NULL;
  (void)state;
  robot3_model(ROBOT3_A, &model);
  assert_int_equal(arm_energy_new(&model, 0, &energy), ARM_E_ARGUMENT);
  model.joints[1].translation[0] = (double)NAN;
  assert_int_equal(arm_energy_new(&model, 5, &energy), ARM_E_NOT_FINITE);
  model.n = 0;
  assert_int_equal(arm_energy_new(&model, 5, &energy), ARM_E_ARGUMENT);
  assert_null(energy);
  arm_energy_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_rows),      cmocka_unit_test(test_shared_balances),
      cmocka_unit_test(test_shared_sequences), cmocka_unit_test(test_the_papers_columns),
      cmocka_unit_test(test_gradient),         cmocka_unit_test(test_energy_is_energy),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
