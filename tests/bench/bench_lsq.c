/* SPDX-License-Identifier: MIT */
/* Streaming least squares against LAPACK's dgelsy: speed, memory, accuracy; one thread.
 * Times are CPU times of this thread, rounds are paired, ratios are medians of the pairs.
 * Prints SHOW lines, exits 1 when one fails. */
#include <lapacke.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/num/lsq.h"
#include "support/lsq_reference.h"
#include "support/support.h"

enum { ROWS = 1000000, PUSH_ROWS = 1024, ROUNDS = 5, MAX_COLUMNS = 36 };

static int failures;

static void show(const char *what, double measured, double target, bool at_least) {
  const bool good = at_least ? measured >= target : measured <= target;
  printf("SHOW 5 %s measured=%.3g target=%s%g %s\n", what, measured, at_least ? ">=" : "<=", target,
         good ? "PASS" : "FAIL");
  fflush(stdout);
  failures += !good;
}

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(void *memory) {
  if (memory)
    return memory;
  fputs("bench_lsq: out of memory\n", stderr);
  exit(2);
}

static size_t bytes_held(void) {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

static void need_ok(ArmStatus status) {
  if (status == ARM_OK)
    return;
  fprintf(stderr, "bench_lsq: %s\n", arm_status_text(status));
  exit(2);
}

/* One fit of the first `rows` rows of a (column-major, ld ROWS, right-hand side last); the bytes
 * that the fit held at its end go to `held`. */
static void fit_stream(const double *a, size_t rows, size_t n, double *x, size_t *held) {
  const size_t before = bytes_held(), p = n + 1;
  ArmLsq *lsq = need(arm_lsq_new(p));
  ArmSvdWork *work = need(arm_svd_work_new(p, n));
  double r[(MAX_COLUMNS + 1) * (MAX_COLUMNS + 1)];
  ArmSvdInfo info;
  for (size_t i = 0; i < rows; i += PUSH_ROWS) {
    const size_t part = rows - i < PUSH_ROWS ? rows - i : PUSH_ROWS;
    need_ok(arm_lsq_push_block(lsq, a + i, part, ROWS));
  }
  arm_lsq_triangle(lsq, r);
  need_ok(arm_svd_solve(work, p, n, r, r + p * n, 1e-10, x, NULL, NULL, &info));
  *held = bytes_held() - before;
  arm_lsq_free(lsq);
  arm_svd_work_free(work);
}

/* Overwrites a. */
static void fit_dgelsy(double *a, size_t n, double *x) {
  lapack_int pivots[MAX_COLUMNS] = {0}, rank = 0;
  if (LAPACKE_dgelsy(LAPACK_COL_MAJOR, ROWS, (lapack_int)n, 1, a, ROWS, a + n * ROWS, ROWS, pivots,
                     1e-10, &rank) != 0 ||
      rank != (lapack_int)n)
    need_ok(ARM_E_NUMERIC);
  memcpy(x, a + n * ROWS, n * sizeof *x);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
  qsort(values, count, sizeof *values, by_value);
  return values[count / 2];
}

static double difference(size_t n, const double *x, const double *y) {
  double sum = 0, size = 0;
  for (size_t i = 0; i < n; i++) {
    sum += (x[i] - y[i]) * (x[i] - y[i]);
    size += y[i] * y[i];
  }
  return sqrt(sum / size);
}

static void compare(TestRng *rng, size_t n, double target) {
  const size_t count = (n + 1) * (size_t)ROWS;
  double *a = need(malloc(count * sizeof *a)), *copy = need(malloc(count * sizeof *copy));
  double ratio[ROUNDS], own[ROUNDS], lapack[ROUNDS], x[MAX_COLUMNS], y[MAX_COLUMNS];
  size_t held = 0, held_few = 0;
  char what[64];
  lsq_reference_problem(rng, ROWS, n, 100, 0.01, a, a + n * ROWS);
  fit_stream(a, 10000, n, x, &held_few);
  for (int k = 0; k < ROUNDS; k++) {
    memcpy(copy, a, count * sizeof *copy);
    const double start = cpu_seconds();
    fit_stream(a, ROWS, n, x, &held);
    own[k] = cpu_seconds() - start;
    const double middle = cpu_seconds();
    fit_dgelsy(copy, n, y);
    lapack[k] = cpu_seconds() - middle;
    ratio[k] = lapack[k] / own[k];
  }
  free(a);
  free(copy);
  printf("# %d x %zu: streaming %.1f ms, dgelsy %.0f ms, %zu bytes held\n", ROWS, n,
         1e3 * median(own, ROUNDS), 1e3 * median(lapack, ROUNDS), held);
  snprintf(what, sizeof what, "speed over dgelsy, 1e6 rows x %zu columns", n);
  show(what, median(ratio, ROUNDS), target, true);
  snprintf(what, sizeof what, "difference from dgelsy, %zu columns", n);
  show(what, difference(n, x, y), 1e-12, false);
  snprintf(what, sizeof what, "bytes more at 1e6 rows than at 1e4, %zu columns", n);
  show(what, fmax((double)held - (double)held_few, 0), 4096, false); /* the allocator's own */
}

/* OpenBLAS reads its thread count once, before main. */
static void run_with_one_thread(char **argv) {
  const char *threads = getenv("OPENBLAS_NUM_THREADS");
  if (threads && strcmp(threads, "1") == 0)
    return;
  if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0)
    execv("/proc/self/exe", argv);
  perror("bench_lsq");
  exit(2);
}

int main(int argc, char **argv) {
  (void)argc;
  run_with_one_thread(argv);
  TestRng rng;
  double mean = INFINITY, worst = INFINITY;
  test_rng_init(&rng, test_seed(5));
  compare(&rng, 12, 3);
  compare(&rng, 36, 5);
  if (!lsq_reference_accuracy(&rng, 200000, 36, 1, &mean, &worst))
    need_ok(ARM_E_MEMORY);
  show("mean error over dgelsd's, 2e5 rows x 36 columns", mean, 3, false);
  show("worst error over dgelsd's, 2e5 rows x 36 columns", worst, 30, false);
  return failures > 0;
}
