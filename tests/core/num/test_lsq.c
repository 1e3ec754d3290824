/* SPDX-License-Identifier: MIT */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/num/lsq.h"
#include "core/num/lsq_kernel.h"
#include "support/failing_memory.h"
#include "support/lsq_reference.h"
#include "support/support.h"

enum { MAX_ROWS = 1200, MAX_COLUMNS = 14, CASES = 200 };

typedef struct {
  size_t rows, columns; /* the last column is the right-hand side */
  double a[MAX_ROWS * MAX_COLUMNS];
} Data;

static TestRng rng;
static Data data;

static void fill_random(Data *d, size_t rows, size_t columns) {
  d->rows = rows;
  d->columns = columns;
  for (size_t i = 0; i < rows * columns; i++)
    d->a[i] = test_rng_normal(&rng);
}

static void scale_column(Data *d, size_t j, double factor) {
  for (size_t i = 0; i < d->rows; i++)
    d->a[i + j * d->rows] *= factor;
}

static void push_row(ArmLsq *lsq, const Data *d, size_t i) {
  double row[MAX_COLUMNS];
  for (size_t j = 0; j < d->columns; j++)
    row[j] = d->a[i + j * d->rows];
  assert_int_equal(arm_lsq_push(lsq, row), ARM_OK);
}

static void push_rows(ArmLsq *lsq, const Data *d, size_t first, size_t count) {
  assert_int_equal(arm_lsq_push_block(lsq, d->a + first, count, d->rows), ARM_OK);
}

/* The triangle of the data in one block. */
static void triangle_of(const Data *d, double *r) {
  ArmLsq *lsq = arm_lsq_new(d->columns);
  assert_non_null(lsq);
  push_rows(lsq, d, 0, d->rows);
  arm_lsq_triangle(lsq, r);
  arm_lsq_free(lsq);
}

static double norm_of(const double *x, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    sum = hypot(sum, x[i]);
  return sum;
}

/* Is A^T A = R^T R, every entry relative to its two column norms? Any A with p columns. */
static bool same_products(size_t rows, size_t p, const double *a, const double *r,
                          double tolerance) {
  for (size_t j = 0; j < p; j++) {
    for (size_t k = 0; k <= j; k++) {
      const double nj = norm_of(a + j * rows, rows), nk = norm_of(a + k * rows, rows);
      long double sum = 0;
      for (size_t i = 0; nj > 0 && nk > 0 && i < rows; i++)
        sum += (long double)(a[i + j * rows] / nj) * (long double)(a[i + k * rows] / nk);
      for (size_t i = 0; nj > 0 && nk > 0 && i < p; i++)
        sum -= (long double)(r[i + j * p] / nj) * (long double)(r[i + k * p] / nk);
      if (!(fabsl(sum) <= (long double)tolerance))
        return false;
      if (!(nj > 0) && norm_of(r + j * p, p) > 0)
        return false;
    }
  }
  return true;
}

static void assert_triangle(const Data *d, const double *r, double tolerance) {
  for (size_t j = 0; j < d->columns; j++)
    for (size_t i = j + 1; i < d->columns; i++)
      assert_true(r[i + j * d->columns] == 0);
  assert_true(same_products(d->rows, d->columns, d->a, r, tolerance));
}

/* Row by row, in blocks, through merges: the same triangle. */
static void test_any_split_gives_the_same(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS];
  for (int k = 0; k < CASES; k++) {
    fill_random(&data, test_rng_below(&rng, MAX_ROWS), 1 + test_rng_below(&rng, MAX_COLUMNS));
    ArmLsq *part[2] = {arm_lsq_new(data.columns), arm_lsq_new(data.columns)};
    for (size_t i = 0; i < data.rows;) {
      ArmLsq *lsq = part[test_rng_below(&rng, 2)];
      const size_t left = data.rows - i, count = 1 + test_rng_below(&rng, left < 600 ? left : 600);
      if (test_rng_below(&rng, 8) == 0)
        arm_lsq_triangle(lsq, r); /* looking changes nothing */
      if (test_rng_below(&rng, 2) == 0)
        push_rows(lsq, &data, i, count);
      else
        for (size_t n = 0; n < count; n++)
          push_row(lsq, &data, i + n);
      i += count;
    }
    assert_int_equal(arm_lsq_merge(part[0], part[1], 1), ARM_OK);
    assert_int_equal(arm_lsq_rows(part[0]), data.rows);
    arm_lsq_triangle(part[0], r);
    assert_triangle(&data, r, 1e-12);
    arm_lsq_free(part[0]);
    arm_lsq_free(part[1]);
  }
}

static void test_many_blocks_use_both_levels(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS], expected[MAX_COLUMNS * MAX_COLUMNS];
  fill_random(&data, 1024, 5);
  ArmLsq *lsq = arm_lsq_new(5);
  for (int k = 0; k < 100; k++)
    push_rows(lsq, &data, 0, 1024);
  arm_lsq_triangle(lsq, r);
  for (size_t i = 0; i < 25; i++)
    r[i] /= 10;
  assert_triangle(&data, r, 1e-12);
  arm_lsq_reset(lsq);
  assert_int_equal(arm_lsq_rows(lsq), 0);
  push_rows(lsq, &data, 0, 1024);
  arm_lsq_triangle(lsq, r);
  triangle_of(&data, expected);
  assert_memory_equal(r, expected, 25 * sizeof *r);
  arm_lsq_free(lsq);
}

static void test_an_error_of_one_value_is_seen(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS];
  fill_random(&data, 700, 6);
  triangle_of(&data, r);
  assert_true(same_products(data.rows, 6, data.a, r, 1e-12));
  data.a[3 * 700 + 123] += 1e-8;
  assert_false(same_products(data.rows, 6, data.a, r, 1e-12));
}

static void test_merge_weights_are_row_weights(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS];
  for (int k = 0; k < 50; k++) {
    const double weight = k == 0 ? 0 : exp(test_rng_uniform(&rng, -3, 3));
    fill_random(&data, 500, 1 + test_rng_below(&rng, MAX_COLUMNS));
    ArmLsq *into = arm_lsq_new(data.columns), *from = arm_lsq_new(data.columns);
    push_rows(into, &data, 0, 200);
    push_rows(from, &data, 200, 300);
    assert_int_equal(arm_lsq_merge(into, from, weight), ARM_OK);
    arm_lsq_triangle(into, r);
    for (size_t j = 0; j < data.columns; j++)
      for (size_t i = 200; i < 500; i++)
        data.a[i + j * 500] *= weight;
    assert_triangle(&data, r, 1e-12);
    assert_int_equal(arm_lsq_merge(into, into, 0.75), ARM_OK);
    arm_lsq_triangle(into, r);
    for (size_t i = 0; i < data.columns * data.columns; i++)
      r[i] /= 1.25;
    assert_triangle(&data, r, 1e-12);
    arm_lsq_free(into);
    arm_lsq_free(from);
  }
}

static void test_bad_input_adds_nothing(void **unused) {
  (void)unused;
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  double before[9], after[9], row[3] = {1, 2, 3};
  fill_random(&data, 900, 3);
  ArmLsq *lsq = arm_lsq_new(3), *wide = arm_lsq_new(4), *huge = arm_lsq_new(3);
  push_rows(lsq, &data, 0, 333);
  arm_lsq_triangle(lsq, before);
  for (size_t k = 0; k < 3; k++) {
    row[k] = bad[k];
    assert_int_equal(arm_lsq_push(lsq, row), ARM_E_NOT_FINITE);
    row[k] = 1;
    const size_t at = k == 0 ? 0 : k == 1 ? 899 + 2 * 900 : 1333;
    const double kept = data.a[at];
    data.a[at] = bad[k];
    assert_int_equal(arm_lsq_push_block(lsq, data.a, 900, 900), ARM_E_NOT_FINITE);
    data.a[at] = kept;
    assert_int_equal(arm_lsq_merge(lsq, lsq, bad[k]), ARM_E_ARGUMENT);
  }
  assert_int_equal(arm_lsq_push_block(lsq, data.a, 10, 9), ARM_E_ARGUMENT);
  assert_int_equal(arm_lsq_merge(lsq, lsq, -1), ARM_E_ARGUMENT);
  assert_int_equal(arm_lsq_merge(lsq, wide, 1), ARM_E_ARGUMENT);
  row[0] = 1e200;
  assert_int_equal(arm_lsq_push(huge, row), ARM_OK);
  assert_int_equal(arm_lsq_merge(lsq, huge, 1e200), ARM_E_NOT_FINITE);
  assert_int_equal(arm_lsq_rows(lsq), 333);
  arm_lsq_triangle(lsq, after);
  assert_memory_equal(before, after, sizeof before);
  arm_lsq_free(lsq);
  arm_lsq_free(wide);
  arm_lsq_free(huge);
  arm_lsq_free(NULL);
  arm_svd_work_free(NULL);
  assert_null(arm_lsq_new(0));
  assert_null(arm_lsq_new(4097));
  assert_null(arm_svd_work_new(10, 0));
  assert_null(arm_svd_work_new(10, SIZE_MAX / 2));
  assert_null(arm_svd_work_new(SIZE_MAX, 4));
}

static double random_scale(void) {
  static const double edge[] = {-285, -200, -158, -155, -130, 0, 130, 149, 158, 200};
  return pow(10, test_rng_below(&rng, 2) ? test_rng_uniform(&rng, -170, 170)
                                         : edge[test_rng_below(&rng, sizeof edge / sizeof *edge)]);
}

/* Columns between 1e-285 and 1e200 (squares and products leave the range), and columns that mix
 * them. */
static void test_scales_do_not_matter(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS];
  for (int k = 0; k < CASES; k++) {
    fill_random(&data, 1 + test_rng_below(&rng, 900), 1 + test_rng_below(&rng, MAX_COLUMNS));
    for (size_t j = 0; j < data.columns; j++)
      scale_column(&data, j, random_scale());
    if (k % 2)
      for (size_t i = 0; i < data.rows * data.columns; i += 1 + test_rng_below(&rng, 9))
        data.a[i] *= test_rng_below(&rng, 2) ? 1e-130 : 0;
    triangle_of(&data, r);
    assert_triangle(&data, r, 1e-12);
  }
}

/* Bits as of a block; a number that is not finite beyond the room of the first part is seen. */
static void test_columns_may_lie_apart(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS], expected[MAX_COLUMNS * MAX_COLUMNS];
  fill_random(&data, 700, 6);
  triangle_of(&data, expected);
  const double *column[6];
  ArmLsq *lsq = arm_lsq_new(6);
  for (size_t done = 0; done < 700; done += 100) {
    for (size_t j = 0; j < 6; j++)
      column[j] = data.a + j * 700 + done;
    assert_int_equal(arm_lsq_push_columns(lsq, column, 100), ARM_OK);
    const double *kept = column[4], bad[100] = {[99] = (double)NAN};
    column[4] = bad;
    assert_int_equal(arm_lsq_push_columns(lsq, column, 100), ARM_E_NOT_FINITE);
    column[4] = kept;
  }
  assert_int_equal(arm_lsq_push_columns(lsq, column, 0), ARM_OK);
  assert_int_equal(arm_lsq_rows(lsq), 700);
  arm_lsq_triangle(lsq, r);
  assert_memory_equal(r, expected, 36 * sizeof *r);
  arm_lsq_free(lsq);
}

static void test_zero_columns_stay_zero(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS];
  for (size_t k = 0; k < 1u << 10; k++) {
    fill_random(&data, 300, 10);
    for (size_t j = 0; j < 10; j++)
      if (k >> j & 1)
        scale_column(&data, j, 0);
    triangle_of(&data, r);
    assert_triangle(&data, r, 1e-12);
  }
}

/* Every width of the kernel that this processor has. */
static void test_kernels_agree(void **unused) {
  (void)unused;
  static const int lanes[] = {2, 4, 8};
  double r[MAX_COLUMNS * MAX_COLUMNS];
  for (size_t p = 1; p <= MAX_COLUMNS; p++) {
    double *block = aligned_alloc(ARM_LSQ_ALIGN, p * ARM_LSQ_BLOCK_LD * sizeof *block);
    for (size_t k = 0; k < 3; k++) {
      memset(r, 0, sizeof r);
      fill_random(&data, 8 * (1 + test_rng_below(&rng, 32)), p);
      for (size_t j = 0; j < p; j++)
        memcpy(block + j * ARM_LSQ_BLOCK_LD, data.a + j * data.rows, data.rows * sizeof *block);
      arm_lsq_kernel(lanes[k])(data.rows, p, r, block);
      assert_triangle(&data, r, 1e-13);
    }
    free(block);
  }
}

/* The naive way: A^T A x = A^T b by Gauss elimination; fit for well-conditioned cases only. */
static void solve_normal_equations(const Data *d, double *x) {
  const size_t n = d->columns - 1, m = d->rows;
  double g[MAX_COLUMNS][MAX_COLUMNS] = {{0}};
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= n; j++)
      for (size_t k = 0; k < m; k++)
        g[i][j] += d->a[k + i * m] * d->a[k + j * m];
  for (size_t k = 0; k < n; k++)
    for (size_t i = k + 1; i < n; i++) {
      const double factor = g[i][k] / g[k][k];
      for (size_t j = k; j <= n; j++)
        g[i][j] -= factor * g[k][j];
    }
  for (size_t i = n; i-- > 0;) {
    x[i] = g[i][n];
    for (size_t j = i + 1; j < n; j++)
      x[i] -= g[i][j] * x[j];
    x[i] /= g[i][i];
  }
}

/* |A x - b| from the data, and from the triangle. */
static double residual_of(size_t rows, size_t columns, const double *a, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < rows; i++) {
    double e = -a[i + columns * rows];
    for (size_t j = 0; j < columns; j++)
      e += a[i + j * rows] * x[j];
    sum += e * e;
  }
  return sqrt(sum);
}

static void test_naive_reference_and_residuals(void **unused) {
  (void)unused;
  double r[MAX_COLUMNS * MAX_COLUMNS], x[MAX_COLUMNS], naive[MAX_COLUMNS];
  ArmSvdWork *work = arm_svd_work_new(MAX_COLUMNS, MAX_COLUMNS);
  for (int k = 0; k < CASES; k++) {
    const size_t n = 1 + test_rng_below(&rng, MAX_COLUMNS - 1);
    fill_random(&data, 200 + test_rng_below(&rng, 900), n + 1);
    triangle_of(&data, r);
    assert_int_equal(arm_svd_solve(work, n + 1, n, r, r + n * (n + 1), 1e-10, x, NULL, NULL, NULL),
                     ARM_OK);
    solve_normal_equations(&data, naive);
    for (size_t j = 0; j < n; j++)
      assert_true(test_is_near(x[j], naive[j], 1e-10, 1e-12));
    x[0] += 0.3; /* not only at the minimum */
    assert_true(
        test_is_near(residual_of(data.rows, n, data.a, x), residual_of(n + 1, n, r, x), 1e-12, 0));
    if (n < 2)
      continue;
    memcpy(data.a + data.rows, data.a, data.rows * sizeof *x); /* dependent: R(p,p) is not it */
    triangle_of(&data, r);
    assert_true(
        test_is_near(residual_of(data.rows, n, data.a, x), residual_of(n + 1, n, r, x), 1e-12, 0));
  }
  arm_svd_work_free(work);
}

/* Valgrind and some processors compute long double as double: no reference there. */
static bool has_long_double(void) {
  volatile long double one = 1, small = 0x1p-60L;
  return one + small != one;
}

static void accuracy_at(TestRng *own, size_t columns, size_t problems) {
  double mean = INFINITY, worst = INFINITY;
  assert_true(lsq_reference_accuracy(own, 5000, columns, problems, &mean, &worst));
  print_message("# %zu columns: error over dgelsd's, mean %.2f, worst %.1f\n", columns, mean,
                worst);
  assert_true(mean <= 3);
  assert_true(worst <= 30);
}

static void test_accuracy_is_that_of_lapack(void **unused) {
  (void)unused;
  if (!has_long_double())
    skip();
  TestRng own; /* what other tests draw is not to decide which problems these are */
  test_rng_init(&own, test_seed(20240612));
  accuracy_at(&own, 12, 24);
  accuracy_at(&own, 36, 2);
}

/* ---- allocations, counted and failed on demand ---- */

static void test_out_of_memory(void **unused) {
  (void)unused;
  int objects = 0;
  for (long failing = 0; objects != 2; failing++) {
    memory_begin(failing);
    ArmLsq *lsq = arm_lsq_new(7);
    ArmSvdWork *work = arm_svd_work_new(20, 7);
    objects = (lsq != NULL) + (work != NULL);
    assert_true(objects >= 1);
    assert_true(objects == 2 ? memory_allocations() <= failing : failing < memory_allocations());
    arm_lsq_free(lsq);
    arm_svd_work_free(work);
    assert_int_equal(memory_end(), 0);
  }
}

static void test_no_allocation_after_the_start(void **unused) {
  (void)unused;
  double r[36], x[5], covariance[25], null_share[5];
  ArmSvdInfo info;
  fill_random(&data, 1000, 6);
  ArmLsq *lsq = arm_lsq_new(6);
  ArmSvdWork *work = arm_svd_work_new(6, 5);
  memory_begin(MEMORY_SUFFICES);
  for (int k = 0; k < 20; k++) {
    push_rows(lsq, &data, 0, 1000);
    arm_lsq_triangle(lsq, r);
    assert_int_equal(arm_svd_solve(work, 6, 5, r, r + 30, 1e-10, x, covariance, null_share, &info),
                     ARM_OK);
  }
  assert_int_equal(memory_allocations(), 0);
  assert_int_equal(memory_end(), 0);
  arm_lsq_free(lsq);
  arm_svd_work_free(work);
}

int main(void) {
  test_rng_init(&rng, test_seed(20240611));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_any_split_gives_the_same),
      cmocka_unit_test(test_many_blocks_use_both_levels),
      cmocka_unit_test(test_an_error_of_one_value_is_seen),
      cmocka_unit_test(test_merge_weights_are_row_weights),
      cmocka_unit_test(test_bad_input_adds_nothing),
      cmocka_unit_test(test_scales_do_not_matter),
      cmocka_unit_test(test_columns_may_lie_apart),
      cmocka_unit_test(test_zero_columns_stay_zero),
      cmocka_unit_test(test_kernels_agree),
      cmocka_unit_test(test_naive_reference_and_residuals),
      cmocka_unit_test(test_accuracy_is_that_of_lapack),
      cmocka_unit_test(test_out_of_memory),
      cmocka_unit_test(test_no_allocation_after_the_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
