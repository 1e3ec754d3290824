/* SPDX-License-Identifier: MIT */
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/lsq.h"
#include "support/support.h"

enum { MAX_ROWS = 60, MAX_COLUMNS = 12, CASES = 400 };

typedef struct {
  size_t m, p;
  double a[MAX_ROWS * MAX_COLUMNS], b[MAX_ROWS];
} Problem;

typedef struct {
  double x[MAX_COLUMNS], covariance[MAX_COLUMNS * MAX_COLUMNS], null_share[MAX_COLUMNS];
  ArmSvdInfo info;
} Answer;

static TestRng rng;
static ArmSvdWork *work;

static ArmStatus solve(const Problem *q, Answer *s) {
  return arm_svd_solve(work, q->m, q->p, q->a, q->b, 1e-10, s->x, s->covariance, s->null_share,
                       &s->info);
}

static void fill(Problem *q, size_t m, size_t p) {
  q->m = m;
  q->p = p;
  for (size_t i = 0; i < m * p; i++)
    q->a[i] = test_rng_normal(&rng);
  for (size_t i = 0; i < m; i++)
    q->b[i] = test_rng_normal(&rng);
}

static void scale_column(Problem *q, size_t j, double factor) {
  for (size_t i = 0; i < q->m; i++)
    q->a[i + j * q->m] *= factor;
}

/* Column j becomes a mixture of two others. */
static void make_dependent(Problem *q, size_t j) {
  const size_t k = test_rng_below(&rng, q->p), l = test_rng_below(&rng, q->p);
  for (size_t i = 0; i < q->m; i++)
    q->a[i + j * q->m] = 2 * q->a[i + k * q->m] - 0.5 * q->a[i + l * q->m];
}

static void fill_any(Problem *q) {
  fill(q, test_rng_below(&rng, MAX_ROWS + 1), 1 + test_rng_below(&rng, MAX_COLUMNS));
  for (size_t j = 0; j < q->p; j++) {
    const size_t kind = test_rng_below(&rng, 12);
    if (kind == 0)
      scale_column(q, j, 0);
    else if (kind == 1)
      make_dependent(q, j);
    else if (kind < 5)
      scale_column(q, j, pow(10, test_rng_uniform(&rng, -6, 6)));
  }
}

static double column_norm(const Problem *q, size_t j) {
  double sum = 0;
  for (size_t i = 0; i < q->m; i++)
    sum = hypot(sum, q->a[i + j * q->m]);
  return sum;
}

/* The same by LAPACK: equilibrate, dgelsd, scale back. Returns the rank. */
static size_t solve_dgelsd(const Problem *q, double *x) {
  const size_t ld = q->m > q->p ? q->m : q->p;
  double a[MAX_ROWS * MAX_COLUMNS], y[MAX_ROWS + MAX_COLUMNS] = {0}, s[MAX_COLUMNS];
  lapack_int rank = 0;
  memset(x, 0, q->p * sizeof *x);
  if (q->m == 0)
    return 0;
  for (size_t j = 0; j < q->p; j++)
    for (size_t i = 0; i < q->m; i++)
      a[i + j * q->m] = q->a[i + j * q->m] / (column_norm(q, j) > 0 ? column_norm(q, j) : 1);
  memcpy(y, q->b, q->m * sizeof *y);
  assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, (lapack_int)q->m, (lapack_int)q->p, 1, a,
                                  (lapack_int)q->m, y, (lapack_int)ld, s, 1e-10, &rank),
                   0);
  for (size_t j = 0; j < q->p; j++)
    x[j] = column_norm(q, j) > 0 ? y[j] / column_norm(q, j) : 0;
  return (size_t)rank;
}

static void test_same_as_dgelsd(void **unused) {
  (void)unused;
  Problem q;
  Answer s;
  double x[MAX_COLUMNS];
  for (int k = 0; k < CASES; k++) {
    fill_any(&q);
    assert_int_equal(solve(&q, &s), ARM_OK);
    assert_int_equal(s.info.rank, solve_dgelsd(&q, x));
    double size = 0;
    for (size_t j = 0; j < q.p; j++)
      size = hypot(size, x[j] * column_norm(&q, j));
    for (size_t j = 0; j < q.p; j++)
      assert_true(fabs(s.x[j] - x[j]) * column_norm(&q, j) <= 1e-9 * size);
  }
}

/* (A^T A) C (A^T A) = A^T A and C (A^T A) C = C, each entry in the columns' own units. */
static void assert_pseudo_inverse(const Problem *q, const Answer *s) {
  double g[MAX_COLUMNS][MAX_COLUMNS] = {{0}}, c[MAX_COLUMNS][MAX_COLUMNS];
  double gc[MAX_COLUMNS][MAX_COLUMNS] = {{0}}, largest = 1;
  for (size_t i = 0; i < q->p; i++)
    for (size_t j = 0; j < q->p; j++) {
      const double ni = column_norm(q, i), nj = column_norm(q, j);
      for (size_t k = 0; ni > 0 && nj > 0 && k < q->m; k++)
        g[i][j] += q->a[k + i * q->m] / ni * (q->a[k + j * q->m] / nj);
      c[i][j] = s->covariance[i + j * q->p] * ni * nj;
      largest = fmax(largest, fabs(c[i][j]));
    }
  for (size_t i = 0; i < q->p; i++)
    for (size_t j = 0; j < q->p; j++)
      for (size_t k = 0; k < q->p; k++)
        gc[i][j] += g[i][k] * c[k][j];
  for (size_t i = 0; i < q->p; i++)
    for (size_t j = 0; j < q->p; j++) {
      double gcg = 0, cgc = 0;
      for (size_t k = 0; k < q->p; k++) {
        gcg += gc[i][k] * g[k][j];
        cgc += c[i][k] * gc[k][j];
      }
      assert_true(fabs(gcg - g[i][j]) <= 1e-12 * largest);
      assert_true(fabs(cgc - c[i][j]) <= 1e-12 * largest * largest);
    }
}

/* Null shares are the diagonal of the projector onto the null space, so they count what is missing;
 * a direction's share of 0 means that the covariance is all there is to say about it. */
static void test_covariance_and_null_share(void **unused) {
  (void)unused;
  Problem q;
  Answer s;
  for (int k = 0; k < CASES; k++) {
    fill_any(&q);
    assert_int_equal(solve(&q, &s), ARM_OK);
    double missing = 0;
    for (size_t j = 0; j < q.p; j++) {
      assert_true(s.null_share[j] >= 0 && s.null_share[j] <= 1);
      missing += s.null_share[j] * s.null_share[j];
      if (!(column_norm(&q, j) > 0)) {
        assert_true(s.null_share[j] == 1 && s.x[j] == 0);
        for (size_t i = 0; i < q.p; i++)
          assert_true(s.covariance[i + j * q.p] == 0 && s.covariance[j + i * q.p] == 0);
      }
    }
    assert_true(test_is_near(missing, (double)(q.p - s.info.rank), 1e-12, 1e-12));
    assert_int_equal(s.info.rank < q.p, isinf(s.info.cond_raw));
    assert_int_equal(s.info.rank < q.p, isinf(s.info.cond_equilibrated));
    if (s.info.rank < q.p || s.info.cond_equilibrated < 1e3)
      assert_pseudo_inverse(&q, &s);
  }
}

/* Two equal columns share one parameter; the third is seen. */
static void test_known_null_space(void **unused) {
  (void)unused;
  const Problem q = {4, 3, {1, 2, 3, 4, 10, 20, 30, 40, 1, -1, 1, -1}, {2, 4, 6, 8}};
  Answer s;
  assert_int_equal(solve(&q, &s), ARM_OK);
  assert_int_equal(s.info.rank, 2);
  assert_true(test_is_near(s.null_share[0], sqrt(0.5), 1e-12, 0));
  assert_true(test_is_near(s.null_share[1], sqrt(0.5), 1e-12, 0));
  assert_true(s.null_share[2] < 1e-12);
  assert_true(test_is_near(s.x[0], 1, 1e-12, 0));
  assert_true(test_is_near(s.x[1], 0.1, 1e-12, 0));
  assert_true(fabs(s.x[2]) < 1e-12);
}

static void test_condition_numbers(void **unused) {
  (void)unused;
  for (size_t m = 2; m <= 8; m++) { /* with and without compression */
    Problem q = {.m = m, .p = 2, .b = {1, 1}};
    Answer s;
    q.a[0] = 3;
    q.a[1 + m] = 1e-4;
    assert_int_equal(solve(&q, &s), ARM_OK);
    assert_true(test_is_near(s.info.cond_raw, 3e4, 1e-12, 0));
    assert_true(test_is_near(s.info.cond_equilibrated, 1, 1e-12, 0));
    q.a[m] = 1e-4; /* columns at 45 degrees */
    assert_int_equal(solve(&q, &s), ARM_OK);
    assert_true(test_is_near(s.info.cond_equilibrated, 1 + sqrt(2), 1e-12, 0));
  }
}

/* Where LAPACK's bidiagonal SVD can still tell. */
static void test_condition_is_that_of_dgesvd(void **unused) {
  (void)unused;
  Problem q;
  Answer s;
  double sigma[MAX_COLUMNS], unused_u, superdiagonal[MAX_COLUMNS];
  for (int k = 0; k < CASES; k++) {
    fill_any(&q);
    assert_int_equal(solve(&q, &s), ARM_OK);
    if (s.info.rank < q.p)
      continue;
    const lapack_int m = (lapack_int)q.m, n = (lapack_int)q.p;
    assert_int_equal(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', m, n, q.a, m, sigma, &unused_u, 1,
                                    &unused_u, 1, superdiagonal),
                     0);
    const double condition = sigma[0] / sigma[q.p - 1];
    assert_true(test_is_near(s.info.cond_raw, condition, 1e-12 + 1e-14 * condition, 0));
  }
}

/* Units between 1e-150 and 1e150 change nothing but the units. */
static void test_wild_scales(void **unused) {
  (void)unused;
  Problem q, scaled;
  Answer s, t;
  for (int k = 0; k < CASES; k++) {
    const size_t p = 1 + test_rng_below(&rng, MAX_COLUMNS);
    fill(&q, p + test_rng_below(&rng, MAX_ROWS - p), p);
    scaled = q;
    double factor[MAX_COLUMNS], least = INFINITY, most = 0;
    for (size_t j = 0; j < p; j++) {
      factor[j] = ldexp(1, (int)test_rng_below(&rng, 997) - 498);
      least = fmin(least, factor[j]);
      most = fmax(most, factor[j]);
      scale_column(&scaled, j, factor[j]);
    }
    assert_int_equal(solve(&q, &s), ARM_OK);
    assert_int_equal(solve(&scaled, &t), ARM_OK);
    assert_int_equal(t.info.rank, s.info.rank);
    assert_true(test_is_near(t.info.cond_equilibrated, s.info.cond_equilibrated, 1e-9, 0));
    const double spread = most / least, slack = s.info.cond_raw * (1 + 1e-9);
    assert_true(t.info.cond_raw >= spread / slack && t.info.cond_raw <= spread * slack);
    for (size_t j = 0; j < p; j++) {
      const double sd = sqrt(s.covariance[j + j * p]);
      assert_true(fabs(t.x[j] * factor[j] - s.x[j]) <= 1e-9 * (fabs(s.x[j]) + sd));
      assert_true(test_is_near(sqrt(t.covariance[j + j * p]) * factor[j], sd, 1e-9, 0));
      assert_true(fabs(t.null_share[j] - s.null_share[j]) <= 1e-9);
    }
  }
}

static void expect_refused(const Problem *q, double rcond, ArmStatus status) {
  Answer s, before;
  memset(&s, 0x5a, sizeof s);
  memcpy(&before, &s, sizeof s);
  assert_int_equal(
      arm_svd_solve(work, q->m, q->p, q->a, q->b, rcond, s.x, s.covariance, s.null_share, &s.info),
      status);
  assert_memory_equal(&s, &before, sizeof s);
}

static void test_refusals_leave_outputs_alone(void **unused) {
  (void)unused;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  Problem q;
  fill(&q, 7, 3);
  for (size_t k = 0; k < 3; k++) {
    const double a = q.a[5 * k], b = q.b[3 * k];
    q.a[5 * k] = bad[k];
    expect_refused(&q, 1e-10, ARM_E_NOT_FINITE);
    q.a[5 * k] = a;
    q.b[3 * k] = bad[k];
    expect_refused(&q, 1e-10, ARM_E_NOT_FINITE);
    q.b[3 * k] = b;
    expect_refused(&q, bad[k], ARM_E_ARGUMENT);
  }
  expect_refused(&q, -1, ARM_E_ARGUMENT);
  expect_refused(&q, 1, ARM_E_ARGUMENT);
  q.m = MAX_ROWS + 1;
  expect_refused(&q, 1e-10, ARM_E_ARGUMENT);
  q.m = 7;
  q.p = 0;
  expect_refused(&q, 1e-10, ARM_E_ARGUMENT);
  q.p = MAX_COLUMNS + 1;
  expect_refused(&q, 1e-10, ARM_E_ARGUMENT);
  const Problem huge = {1, 1, {1e-200}, {1e200}};
  expect_refused(&huge, 1e-10, ARM_E_NUMERIC); /* x = 1e400 */
}

static void test_optional_outputs(void **unused) {
  (void)unused;
  Problem q;
  Answer s;
  double x[MAX_COLUMNS];
  fill(&q, 9, 4);
  assert_int_equal(solve(&q, &s), ARM_OK);
  assert_int_equal(arm_svd_solve(work, q.m, q.p, q.a, q.b, 1e-10, x, NULL, NULL, NULL), ARM_OK);
  assert_memory_equal(x, s.x, 4 * sizeof *x);
}

static int setup(void **unused) {
  (void)unused;
  work = arm_svd_work_new(MAX_ROWS, MAX_COLUMNS);
  return work ? 0 : -1;
}

static int teardown(void **unused) {
  (void)unused;
  arm_svd_work_free(work);
  return 0;
}

int main(void) {
  test_rng_init(&rng, test_seed(77));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_dgelsd),
      cmocka_unit_test(test_covariance_and_null_share),
      cmocka_unit_test(test_known_null_space),
      cmocka_unit_test(test_condition_numbers),
      cmocka_unit_test(test_condition_is_that_of_dgesvd),
      cmocka_unit_test(test_wild_scales),
      cmocka_unit_test(test_refusals_leave_outputs_alone),
      cmocka_unit_test(test_optional_outputs),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
