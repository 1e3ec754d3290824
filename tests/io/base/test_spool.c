/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <math.h>

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
  g_free(values);
}

static void test_sizes(void) {
  AioSpool *spool = aio_spool_new();
  for (gsize n = 0; n < 40; n++)
    check(spool, n);
  check(spool, 10000);
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
  g_test_add_func("/spool/spilled", test_spilled);
  g_test_add_func("/spool/no_room", test_no_room);
  return g_test_run();
}
