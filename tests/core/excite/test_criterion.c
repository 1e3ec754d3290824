/* SPDX-License-Identifier: MIT */
/* Criteria: the shared gradients, eigenvalues by LAPACK, finite differences; every vector width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/criterion.h"
#include "support/robot3.h"
#include "support/support.h"
#include "support/vectors.h"

enum { MOST = 41, ROWS = 60, STRIDE = 48 };

static const int widths[] = {2, 4, 8};

static const ArmCriterion plain[] = {{.kind = ARM_CRITERION_D},
                                     {.kind = ARM_CRITERION_A},
                                     {.kind = ARM_CRITERION_E, .exponent = 4},
                                     {.kind = ARM_CRITERION_COND_P, .exponent = 0},
                                     {.kind = ARM_CRITERION_COND_P, .exponent = 1},
                                     {.kind = ARM_CRITERION_COND_P, .exponent = 7},
                                     {.kind = ARM_CRITERION_LOG_COND}};
enum { PLAIN = sizeof plain / sizeof *plain };

static double *rows_new(size_t rows) {
  double *w = aligned_alloc(64, rows * STRIDE * sizeof *w);
  assert_non_null(w);
  memset(w, 0, rows * STRIDE * sizeof *w);
  return w;
}

/* ---- shared vectors ---- */

enum { POINTS = 16, VARIABLES = 5 };

/* W = differences of successive points' rows */
static void fill_rows(double x[POINTS][VARIABLES], double *w) {
  const size_t stride = arm_criterion_stride(ROBOT3_COLUMNS);
  double h[POINTS][ROBOT3_COLUMNS];
  for (size_t i = 0; i < POINTS; i++)
    robot3_row(x[i], h[i]);
  for (size_t i = 0; i + 1 < POINTS; i++)
    for (size_t j = 0; j < ROBOT3_COLUMNS; j++)
      w[i * stride + j] = h[i + 1][j] - h[i][j];
}

/* d f / d x by the analytic dW and central differences of h, sixth order */
static void pull_back(double x[POINTS][VARIABLES], const double *dw, double *gradient) {
  static const double weight[3] = {45, -9, 1};
  const size_t stride = arm_criterion_stride(ROBOT3_COLUMNS);
  const double step = 1e-2;
  for (size_t i = 0; i < POINTS; i++)
    for (size_t v = 0; v < VARIABLES; v++) {
      double sum = 0, h[2][ROBOT3_COLUMNS];
      for (int s = 1; s <= 3; s++) {
        double moved[2][VARIABLES];
        for (int side = 0; side < 2; side++) {
          memcpy(moved[side], x[i], sizeof moved[side]);
          moved[side][v] += (side ? -s : s) * step;
          robot3_row(moved[side], h[side]);
        }
        for (size_t j = 0; j < ROBOT3_COLUMNS; j++) {
          const double dh =
              (i > 0 ? dw[(i - 1) * stride + j] : 0) - (i + 1 < POINTS ? dw[i * stride + j] : 0);
          sum += weight[s - 1] * dh * (h[0][j] - h[1][j]) / (60 * step);
        }
      }
      gradient[i * VARIABLES + v] = sum;
    }
}

static bool criterion_named(const char *text, double *relative, ArmCriterion *criterion) {
  static const struct {
    const char *name;
    ArmCriterion criterion;
  } names[] = {{"\"log_cond2\"", {.kind = ARM_CRITERION_LOG_COND}},
               {"\"half_log_pnorm_cond_p2\"", {.kind = ARM_CRITERION_COND_P, .exponent = 1}},
               {"\"half_log_pnorm_cond_p32\"", {.kind = ARM_CRITERION_COND_P, .exponent = 5}},
               {"\"minus_logdet\"", {.kind = ARM_CRITERION_D}},
               {"\"log_trace_inv\"", {.kind = ARM_CRITERION_A}},
               {"\"log_trace_inv_rel\"", {.kind = ARM_CRITERION_A}}};
  text += strspn(text, " ");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strncmp(text, names[k].name, strlen(names[k].name)) == 0) {
      *criterion = names[k].criterion;
      criterion->diagonal = strstr(names[k].name, "_rel") ? relative : NULL;
      return true;
    }
  return false;
}

static void check_gradient(const char *text, ArmCriterion criterion, double x[POINTS][VARIABLES],
                           const double *w, ArmCriterionWork *work) {
  double m[ROBOT3_COLUMNS * ROBOT3_COLUMNS], dm[ROBOT3_COLUMNS * ROBOT3_COLUMNS], value;
  double want[POINTS * VARIABLES], got[POINTS * VARIABLES], most = 0, worst = 0;
  double *dw = rows_new(POINTS);
  arm_criterion_gram(work, POINTS - 1, w, NULL, m);
  assert_int_equal(arm_criterion(work, &criterion, m, &value, dm), ARM_OK);
  arm_criterion_rows(work, POINTS - 1, w, NULL, dm, dw);
  pull_back(x, dw, got);
  vectors_exactly(text, "grad", POINTS * VARIABLES, want);
  for (size_t k = 0; k < POINTS * VARIABLES; k++) {
    most = fmax(most, fabs(want[k]));
    worst = fmax(worst, fabs(got[k] - want[k]));
  }
  print_message("# kind %d: value off %.2g, gradient %.2g\n", (int)criterion.kind,
                fabs(value - vectors_number(text, "value")), worst / most);
  assert_true(test_is_near(value, vectors_number(text, "value"), 1e-12, 0));
  assert_true(worst <= 1e-8 * most);
  free(dw);
}

static void test_shared_gradients(void **state) {
  (void)state;
  char *text = vectors_read("vectors/traj/gradients.json");
  if (!text) {
    print_message("# skipped: no ../shared/vectors/traj\n");
    return;
  }
  double x[POINTS][VARIABLES], relative[ROBOT3_COLUMNS];
  double *w = rows_new(POINTS);
  ArmCriterionWork *work = arm_criterion_work_new(ROBOT3_COLUMNS);
  size_t found = 0;
  assert_non_null(work);
  vectors_exactly(text, "x", POINTS * VARIABLES, x[0]);
  for (size_t k = 0; k < ROBOT3_COLUMNS; k++)
    relative[k] = 1 / (robot3_parameters[k] * robot3_parameters[k]);
  fill_rows(x, w);
  for (const char *at = vectors_find(text, "criterion"); at; at = vectors_find(at, "criterion")) {
    ArmCriterion criterion;
    assert_true(criterion_named(at, relative, &criterion));
    check_gradient(at, criterion, x, w, work);
    found++;
  }
  assert_int_equal(found, 6);
  arm_criterion_work_free(work);
  free(w);
  free(text);
}

/* ---- random matrices ---- */

typedef struct {
  size_t p, rows;
  double *w, *dw;
  double weight[ROWS], m[MOST * MOST], dm[MOST * MOST], eigenvalue[MOST];
  double scale[MOST], diagonal[MOST], full[MOST * MOST];
} Case;

/* Rows whose columns differ in size by up to 10^spread. */
static void case_random(TestRng *rng, size_t p, double spread, Case *c) {
  const size_t stride = arm_criterion_stride(p);
  c->p = p;
  c->rows = p + 5;
  memset(c->w, 0, ROWS * STRIDE * sizeof *c->w);
  for (size_t j = 0; j < p; j++) {
    const double size = pow(10, test_rng_uniform(rng, -spread, 0));
    for (size_t k = 0; k < c->rows; k++)
      c->w[k * stride + j] = size * test_rng_normal(rng);
    c->scale[j] = test_rng_uniform(rng, 0.5, 2);
    c->diagonal[j] = test_rng_uniform(rng, 0, 2);
  }
  for (size_t k = 0; k < c->rows; k++)
    c->weight[k] = test_rng_uniform(rng, 0.5, 2);
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j <= i; j++)
      c->full[i * p + j] = c->full[j * p + i] = (i == j ? 3 : 0) + 0.1 * test_rng_normal(rng);
}

static void case_init(Case *c) {
  c->w = rows_new(ROWS);
  c->dw = rows_new(ROWS);
}

static void case_clear(Case *c) {
  free(c->w);
  free(c->dw);
}

/* M from its definition */
static void test_gram(void **state) {
  static Case c;
  TestRng rng;
  (void)state;
  case_init(&c);
  test_rng_init(&rng, test_seed(1));
  for (size_t p = 1; p <= MOST; p++) {
    const size_t stride = arm_criterion_stride(p);
    ArmCriterionWork *work = arm_criterion_work_new(p);
    assert_non_null(work);
    assert_true(stride >= p && stride % 8 == 0 && stride <= STRIDE);
    arm_criterion_limit_lanes(work, widths[p % 3]);
    case_random(&rng, p, 1, &c);
    for (int weighted = 0; weighted < 2; weighted++) {
      arm_criterion_gram(work, c.rows, c.w, weighted ? c.weight : NULL, c.m);
      for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++) {
          double sum = 0;
          for (size_t k = 0; k < c.rows; k++)
            sum += (weighted ? c.weight[k] * c.weight[k] : 1) * c.w[k * stride + i] *
                   c.w[k * stride + j];
          assert_true(test_is_near(c.m[i * p + j], sum, 1e-12, 1e-12));
        }
    }
    arm_criterion_work_free(work);
  }
  case_clear(&c);
}

static void eigen(Case *c) {
  double a[MOST * MOST];
  memcpy(a, c->m, c->p * c->p * sizeof *a);
  assert_int_equal(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', (lapack_int)c->p, a, (lapack_int)c->p,
                                 c->eigenvalue),
                   0);
}

static double reference(const Case *c, const ArmCriterion *criterion) {
  const double low = c->eigenvalue[0], high = c->eigenvalue[c->p - 1];
  const double order = (double)(1u << criterion->exponent);
  double up = 0, down = 0, determinant = 0, variance = 0;
  for (size_t k = 0; k < c->p; k++) {
    up += pow(c->eigenvalue[k] / high, order);
    down += pow(low / c->eigenvalue[k], order);
    determinant += log(c->eigenvalue[k]);
    variance += 1 / c->eigenvalue[k];
  }
  switch (criterion->kind) {
  case ARM_CRITERION_D:
    return -determinant;
  case ARM_CRITERION_A:
    return log(variance);
  case ARM_CRITERION_E:
    return log(down) / order - log(low);
  case ARM_CRITERION_COND_P:
    return 0.5 * ((log(up) + log(down)) / order + log(high / low));
  case ARM_CRITERION_LOG_COND:
  case ARM_CRITERION_KINDS:
    break;
  }
  return 0.5 * log(high / low);
}

static void test_values_by_eigenvalues(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0;
  (void)state;
  case_init(&c);
  test_rng_init(&rng, test_seed(2));
  for (size_t p = 1; p <= MOST; p += 4)
    for (size_t w = 0; w < 3; w++) {
      ArmCriterionWork *work = arm_criterion_work_new(p);
      assert_non_null(work);
      arm_criterion_limit_lanes(work, widths[w]);
      case_random(&rng, p, 1.5, &c);
      arm_criterion_gram(work, c.rows, c.w, NULL, c.m);
      eigen(&c);
      for (size_t k = 0; k < PLAIN; k++) {
        double value, condition, unit;
        const double want = reference(&c, &plain[k]);
        assert_int_equal(arm_criterion(work, &plain[k], c.m, &value, NULL), ARM_OK);
        worst = fmax(worst, fabs(value - want) / (1 + fabs(want)));
        assert_int_equal(arm_criterion_condition(work, c.m, &condition, &unit), ARM_OK);
        assert_true(test_is_near(condition, sqrt(c.eigenvalue[p - 1] / c.eigenvalue[0]), 1e-6, 0));
        assert_true(unit >= 1 - 1e-12);
      }
      arm_criterion_work_free(work);
    }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-8);
  case_clear(&c);
}

/* f of M + t D, D symmetric */
static double along(ArmCriterionWork *work, const ArmCriterion *criterion, const Case *c,
                    const double *d, double t) {
  double m[MOST * MOST], value = 0;
  for (size_t k = 0; k < c->p * c->p; k++)
    m[k] = c->m[k] + t * d[k];
  assert_int_equal(arm_criterion(work, criterion, m, &value, NULL), ARM_OK);
  return value;
}

/* Error of the derivative in a random direction, of one plus its parts. */
static double derivative_error(ArmCriterionWork *work, const ArmCriterion *criterion, Case *c,
                               TestRng *rng) {
  double d[MOST * MOST], value, analytic = 0, size = 0;
  for (size_t i = 0; i < c->p; i++)
    for (size_t j = 0; j <= i; j++)
      d[i * c->p + j] = d[j * c->p + i] =
          test_rng_normal(rng) * sqrt(c->m[i * c->p + i] * c->m[j * c->p + j]);
  assert_int_equal(arm_criterion(work, criterion, c->m, &value, c->dm), ARM_OK);
  for (size_t k = 0; k < c->p * c->p; k++) {
    analytic += c->dm[k] * d[k];
    size += fabs(c->dm[k] * d[k]);
  }
  const double t = 1e-3 / (1 + size);
  const double numeric =
      (45 * (along(work, criterion, c, d, t) - along(work, criterion, c, d, -t)) -
       9 * (along(work, criterion, c, d, 2 * t) - along(work, criterion, c, d, -2 * t)) +
       along(work, criterion, c, d, 3 * t) - along(work, criterion, c, d, -3 * t)) /
      (60 * t);
  return fabs(numeric - analytic) / (1 + size);
}

static void test_gradients_by_differences(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0;
  (void)state;
  case_init(&c);
  test_rng_init(&rng, test_seed(3));
  for (size_t p = 1; p <= MOST; p += 5)
    for (size_t k = 0; k < PLAIN * 12; k++) {
      ArmCriterionWork *work = arm_criterion_work_new(p);
      ArmCriterion criterion = plain[k % PLAIN];
      assert_non_null(work);
      arm_criterion_limit_lanes(work, widths[k / PLAIN % 3]);
      case_random(&rng, p, 0.5, &c);
      criterion.scale = k / PLAIN % 2 ? c.scale : NULL;
      criterion.diagonal = k / PLAIN % 4 == 1 ? c.diagonal : NULL;
      criterion.full = k / PLAIN % 4 == 2 ? c.full : NULL;
      arm_criterion_gram(work, c.rows, c.w, NULL, c.m);
      worst = fmax(worst, derivative_error(work, &criterion, &c, &rng));
      for (size_t i = 0; i < p * p; i++)
        assert_true(c.dm[i] == c.dm[i % p * p + i / p]);
      arm_criterion_work_free(work);
    }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-8);
  case_clear(&c);
}

/* By one entry of W at a time, weighted. */
static void test_rows_by_differences(void **state) {
  static Case c;
  TestRng rng;
  double worst = 0;
  (void)state;
  case_init(&c);
  test_rng_init(&rng, test_seed(4));
  for (size_t p = 3; p <= 18; p += 5) {
    const size_t stride = arm_criterion_stride(p);
    ArmCriterionWork *work = arm_criterion_work_new(p);
    assert_non_null(work);
    for (int weighted = 0; weighted < 2; weighted++) {
      const double *weight = weighted ? c.weight : NULL;
      const ArmCriterion criterion = {.kind = ARM_CRITERION_COND_P, .exponent = 3};
      double value[2], most = 0;
      case_random(&rng, p, 0.5, &c);
      arm_criterion_gram(work, c.rows, c.w, weight, c.m);
      assert_int_equal(arm_criterion(work, &criterion, c.m, value, c.dm), ARM_OK);
      arm_criterion_rows(work, c.rows, c.w, weight, c.dm, c.dw);
      for (size_t k = 0; k < c.rows * stride; k++)
        most = fmax(most, fabs(c.dw[k]));
      for (size_t k = 0; k < c.rows; k++)
        for (size_t j = 0; j < p; j++) {
          const double was = c.w[k * stride + j], step = 1e-5;
          for (int side = 0; side < 2; side++) {
            c.w[k * stride + j] = was + (side ? -step : step);
            arm_criterion_gram(work, c.rows, c.w, weight, c.m);
            assert_int_equal(arm_criterion(work, &criterion, c.m, &value[side], NULL), ARM_OK);
          }
          c.w[k * stride + j] = was;
          worst =
              fmax(worst, fabs((value[0] - value[1]) / (2 * step) - c.dw[k * stride + j]) / most);
        }
    }
    arm_criterion_work_free(work);
  }
  print_message("# worst %.2g\n", worst);
  assert_true(worst < 1e-7);
  case_clear(&c);
}

/* Orders up to 2^12 neither overflow nor lose the limit, however large the unit. */
static void test_high_orders(void **state) {
  (void)state;
  for (double unit = 1e-150; unit < 1e151; unit *= 1e50) {
    ArmCriterionWork *work = arm_criterion_work_new(2);
    const ArmCriterion criterion = {.kind = ARM_CRITERION_COND_P, .exponent = 12};
    const double m[4] = {unit, 0, 0, 1e6 * unit};
    double value, dm[4];
    assert_non_null(work);
    assert_int_equal(arm_criterion(work, &criterion, m, &value, dm), ARM_OK);
    assert_true(test_is_near(value, log(1e3), 1e-12, 0));
    assert_true(test_is_near(dm[0] * unit, -0.5, 1e-12, 0));
    assert_true(test_is_near(dm[3] * unit * 1e6, 0.5, 1e-12, 0));
    arm_criterion_work_free(work);
  }
}

static void test_refused(void **state) {
  ArmCriterionWork *work = arm_criterion_work_new(2);
  const double singular[4] = {1, 1, 1, 1}, good[4] = {2, 0, 0, 1}, lost[4] = {1, 0, 0, (double)NAN};
  double value = 7, dm[4] = {7, 7, 7, 7}, condition = 7;
  (void)state;
  assert_non_null(work);
  assert_null(arm_criterion_work_new(0));
  assert_null(arm_criterion_work_new(4097));
  for (size_t k = 0; k < PLAIN; k++) {
    assert_int_equal(arm_criterion(work, &plain[k], singular, &value, dm), ARM_E_NUMERIC);
    assert_int_equal(arm_criterion(work, &plain[k], lost, &value, dm), ARM_E_NOT_FINITE);
  }
  ArmCriterion wrong = {.kind = ARM_CRITERION_KINDS};
  assert_int_equal(arm_criterion(work, &wrong, good, &value, dm), ARM_E_ARGUMENT);
  wrong = (ArmCriterion){.kind = ARM_CRITERION_E, .exponent = ARM_CRITERION_MAX_EXPONENT + 1};
  assert_int_equal(arm_criterion(work, &wrong, good, &value, dm), ARM_E_ARGUMENT);
  assert_int_equal(arm_criterion_condition(work, lost, &condition, NULL), ARM_E_NOT_FINITE);
  assert_true(value == 7 && dm[0] == 7 && dm[3] == 7 && condition == 7);
  assert_int_equal(arm_criterion_condition(work, singular, &condition, &value), ARM_OK);
  assert_true(isinf(condition) && isinf(value));
  assert_int_equal(arm_criterion_condition(work, good, &condition, &value), ARM_OK);
  assert_true(test_is_near(condition, sqrt(2), 1e-14, 0) && value == 1);
  arm_criterion_work_free(work);
  arm_criterion_work_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_gradients),
      cmocka_unit_test(test_gram),
      cmocka_unit_test(test_values_by_eigenvalues),
      cmocka_unit_test(test_gradients_by_differences),
      cmocka_unit_test(test_rows_by_differences),
      cmocka_unit_test(test_high_orders),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("criterion", tests, NULL, NULL);
}
