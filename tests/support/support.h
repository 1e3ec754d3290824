/* SPDX-License-Identifier: MIT */
/* What every test may need: where the data lies, and random numbers with a printed seed. */
#ifndef ARMATURE_TESTS_SUPPORT_H
#define ARMATURE_TESTS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Paths are kept in eight static buffers used in turn: copy what must live longer. */

/* "vectors/lin94/stanford.json" -> path below ARMATURE_SHARED (default: ../shared beside the
 * source tree), or NULL when it is not there: skip visibly then. */
const char *test_shared_path(const char *relative);

/* "stanford.txt" -> path below tests/golden; NULL when it is not there (a broken clone: fail). */
const char *test_golden_path(const char *relative);

/* "data/robots/puma560.arm.json" -> path below the source root, whether it exists or not. */
const char *test_source_path(const char *relative);

/* Random numbers: xoshiro256** seeded by splitmix64; the same on every machine. */
typedef struct {
  uint64_t s[4];
  double spare;
  bool has_spare;
} TestRng;

/* ARMATURE_SEED when it is set, otherwise `fallback`; prints "# seed N" (a TAP comment). */
uint64_t test_seed(uint64_t fallback);

void test_rng_init(TestRng *rng, uint64_t seed);
uint64_t test_rng_next(TestRng *rng);
double test_rng_uniform(TestRng *rng, double low, double high); /* [low, high) */
double test_rng_normal(TestRng *rng);                           /* mean 0, sd 1 */
size_t test_rng_below(TestRng *rng, size_t count);              /* 0 .. count-1 */

/* The text with the numbers in it, "28.65", as the locale writes them, "28,65"; static, for the
 * next calls. */
const char *test_local_numbers(const char *text);

/* |a - b| <= atol + rtol * max(|a|, |b|); NaN is near nothing. */
bool test_is_near(double a, double b, double rtol, double atol);

#endif
