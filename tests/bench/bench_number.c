/* SPDX-License-Identifier: MIT */
/* What a number costs as text: written beside the C library's %.17g, read back beside its strtod.
 * CPU times of this thread in one run, rounds interleaved, ratios are medians over the rounds.
 *   bench_number    prints SHOW lines, exits 1 when one fails */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/csv/csv_number.h"
#include "io/csv/csv_number_write.h"
#include "support/support.h"

enum { NUMBERS = 4096, ROUNDS = 101 };

typedef struct {
  double value[NUMBERS], back[NUMBERS];
  char text[NUMBERS][AIO_NUMBER_ROOM];
  gsize length[NUMBERS];
} Bench;

static void need(bool is_good, const char *what) {
  if (is_good)
    return;
  fprintf(stderr, "bench_number: %s\n", what);
  exit(2);
}

/* Positions, currents and variances, with all the digits that computed ones have. */
static void bench_init(Bench *b) {
  TestRng rng;
  test_rng_init(&rng, 16);
  for (size_t k = 0; k < NUMBERS; k++)
    b->value[k] = test_rng_uniform(&rng, -3, 3) * pow(10, -(double)(k % 5));
}

static void write_ours(Bench *b) {
  for (size_t k = 0; k < NUMBERS; k++)
    b->length[k] = aio_number_write(b->value[k], b->text[k]);
}

static void write_theirs(Bench *b) {
  for (size_t k = 0; k < NUMBERS; k++)
    b->length[k] = (gsize)snprintf(b->text[k], AIO_NUMBER_ROOM, "%.17g", b->value[k]);
}

static void read_ours(Bench *b) {
  for (size_t k = 0; k < NUMBERS; k++)
    need(aio_number_parse(b->text[k], b->length[k], '.', &b->back[k]) == AIO_NUMBER_OK,
         "a number is none");
}

static void read_theirs(Bench *b) {
  for (size_t k = 0; k < NUMBERS; k++)
    b->back[k] = strtod(b->text[k], NULL);
}

/* ns a number */
static double time_of(Bench *b, void (*run)(Bench *b)) {
  struct timespec from, to;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  run(b);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  return (1e9 * (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec)) / NUMBERS;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

static int compare(Bench *b, const char *what, void (*ours)(Bench *b), void (*theirs)(Bench *b),
                   double most) {
  static double fast[ROUNDS], slow[ROUNDS], ratio[ROUNDS];
  for (size_t r = 0; r < ROUNDS; r++) {
    slow[r] = time_of(b, theirs);
    fast[r] = time_of(b, ours);
    ratio[r] = fast[r] / slow[r];
  }
  const double measured = median(ratio);
  printf("# %s: %.1f ns, by the C library %.1f ns\n", what, median(fast), median(slow));
  printf("SHOW 16.2a a number %s, time over the C library's measured=%.3g target=<=%g %s\n", what,
         measured, most, measured <= most ? "PASS" : "FAIL");
  return !(measured <= most);
}

int main(void) {
  static Bench b;
  bench_init(&b);
  write_ours(&b);
  for (size_t k = 0; k < NUMBERS; k++)
    b.text[k][b.length[k]] = '\0'; /* for strtod */
  int failures = compare(&b, "read back", read_ours, read_theirs, 0.5);
  need(memcmp(b.value, b.back, sizeof b.value) == 0, "a number does not read back the same");
  failures += compare(&b, "written as short as it reads back", write_ours, write_theirs, 0.3);
  return failures > 0;
}
