/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>
#include <stdlib.h>

#include "core/num/filter.h"
#include "io/base/spool.h"

enum { IN_MEMORY = 1 << 20 };

typedef struct {
  const double *values;
  gsize at;
} Expected;

static void take(double value, void *data) {
  Expected *expected = data;
  g_assert_cmpfloat(value, ==, expected->values[expected->at++]);
}

/* Steps of a clock with jitter, of all magnitudes, or a few values again and again. */
static double value_of(gsize k) {
  const double u = g_test_rand_double_range(0.5, 2.0);
  return k % 3 == 0 ? ldexp(u, g_test_rand_int_range(-1070, 1000)) : k % 3 == 1 ? 0.01 : 0.01 * u;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts the values. */
static void check_ranks(AioSpool *spool, double *values, gsize n) {
  double found = -1.0;
  qsort(values, n, sizeof *values, compare);
  const gsize ranks[] = {0, n / 2, n / 100 * 99, n - 1};
  for (gsize k = 0; k < G_N_ELEMENTS(ranks) && n > 0; k++) {
    g_assert_true(aio_spool_rank(spool, ranks[k], &found, NULL));
    g_assert_cmpfloat(found, ==, values[ranks[k]]);
  }
}

static void check(AioSpool *spool, gsize n) {
  double *values = g_new(double, MAX(n, 1)), median = -1.0;
  GError *error = NULL;
  Expected expected = {values, 0};
  aio_spool_clear(spool);
  for (gsize k = 0; k < n; k++)
    aio_spool_add(spool, values[k] = value_of(k));
  g_assert_true(aio_spool_each(spool, take, &expected, &error));
  g_assert_cmpuint(expected.at, ==, n);
  g_assert_true(aio_spool_median(spool, &median, &error));
  g_assert_true(n > 0 ? median == arm_filter_median(values, n) : isnan(median));
  check_ranks(spool, values, n);
  g_free(values);
}

static void test_sizes(void) {
  AioSpool *spool = aio_spool_new();
  for (gsize n = 0; n < 40; n++)
    check(spool, n);
  check(spool, 10000);
  aio_spool_free(spool);
}

/* What is no number comes last. */
static void test_zeros(void) {
  AioSpool *spool = aio_spool_new();
  const double values[] = {0.0, NAN, 2.0, 0.0, INFINITY};
  double found;
  for (gsize k = 0; k < G_N_ELEMENTS(values); k++)
    aio_spool_add(spool, values[k]);
  g_assert_true(aio_spool_rank(spool, 1, &found, NULL) && found == 0.0);
  g_assert_true(aio_spool_rank(spool, 2, &found, NULL) && found == 2.0);
  g_assert_true(aio_spool_rank(spool, 3, &found, NULL) && isinf(found));
  g_assert_true(aio_spool_rank(spool, 4, &found, NULL) && isnan(found));
  aio_spool_free(spool);
}

static void test_spilled(void) {
  AioSpool *spool = aio_spool_new();
  check(spool, IN_MEMORY);
  check(spool, IN_MEMORY + 12345);
  check(spool, 7);
  aio_spool_free(spool);
}

/* A folder for temporary files that is none: told when the values are wanted. */
static void test_no_room(void) {
  if (!g_test_subprocess()) {
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    return;
  }
  g_setenv("TMPDIR", "/nowhere/at/all", TRUE);
  AioSpool *spool = aio_spool_new();
  GError *error = NULL;
  double median = -1.0;
  for (gsize k = 0; k <= IN_MEMORY; k++)
    aio_spool_add(spool, 1.0);
  g_assert_false(aio_spool_median(spool, &median, &error));
  g_assert_nonnull(error);
  g_assert_cmpfloat(median, ==, -1.0);
  g_clear_error(&error);
  aio_spool_free(spool);
}

int main(int argc, char **argv) {
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/spool/sizes", test_sizes);
  g_test_add_func("/spool/zeros", test_zeros);
  g_test_add_func("/spool/spilled", test_spilled);
  g_test_add_func("/spool/no_room", test_no_room);
  return g_test_run();
}
