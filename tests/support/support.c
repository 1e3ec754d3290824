/* SPDX-License-Identifier: MIT */
#include "support/support.h"

#include <ctype.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *next_buffer(size_t *size) {
  static char buffers[8][4096];
  static unsigned turn;
  *size = sizeof buffers[0];
  return buffers[turn++ % 8];
}

const char *test_local_numbers(const char *text) {
  const char point = *localeconv()->decimal_point;
  size_t size;
  char *local = next_buffer(&size);
  snprintf(local, size, "%s", text);
  for (char *c = local + 1; *local && *c; c++)
    if (*c == '.' && isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1]))
      *c = point;
  return local;
}

static const char *join(const char *root, const char *middle, const char *last) {
  size_t size;
  char *path = next_buffer(&size);
  int length = snprintf(path, size, "%s%s%s", root, middle, last);
  return length > 0 && (size_t)length < size ? path : NULL;
}

static const char *source_root(void) {
  const char *root = getenv("ARMATURE_SOURCE");
  return root != NULL && *root != '\0' ? root : ".";
}

static const char *if_readable(const char *path) {
  return path != NULL && access(path, R_OK) == 0 ? path : NULL;
}

const char *test_shared_path(const char *relative) {
  const char *shared = getenv("ARMATURE_SHARED");
  if (shared == NULL || *shared == '\0')
    return if_readable(join(source_root(), "/../shared/", relative));
  if (*shared == '/')
    return if_readable(join(shared, "/", relative));
  /* a relative ARMATURE_SHARED starts at the source root: tests run in other directories */
  char below[4096];
  snprintf(below, sizeof below, "%s/%s", shared, relative);
  return if_readable(join(source_root(), "/", below));
}

const char *test_golden_path(const char *relative) {
  return if_readable(join(source_root(), "/tests/golden/", relative));
}

const char *test_source_path(const char *relative) {
  return join(source_root(), "/", relative);
}

uint64_t test_seed(uint64_t fallback) {
  const char *text = getenv("ARMATURE_SEED");
  uint64_t seed = text != NULL && *text != '\0' ? strtoull(text, NULL, 0) : fallback;
  printf("# seed %" PRIu64 " (set ARMATURE_SEED to change it)\n", seed);
  fflush(stdout);
  return seed;
}

static uint64_t splitmix(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint64_t rotate(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

void test_rng_init(TestRng *rng, uint64_t seed) {
  for (int i = 0; i < 4; i++)
    rng->s[i] = splitmix(&seed);
  rng->spare = 0;
  rng->has_spare = false;
}

uint64_t test_rng_next(TestRng *rng) {
  uint64_t *s = rng->s;
  uint64_t result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

double test_rng_uniform(TestRng *rng, double low, double high) {
  return low + (high - low) * (double)(test_rng_next(rng) >> 11) * 0x1p-53;
}

double test_rng_normal(TestRng *rng) {
  if (rng->has_spare) {
    rng->has_spare = false;
    return rng->spare;
  }
  double u, v, r;
  do {
    u = test_rng_uniform(rng, -1, 1);
    v = test_rng_uniform(rng, -1, 1);
    r = u * u + v * v;
  } while (r >= 1 || r <= 0);
  double scale = sqrt(-2 * log(r) / r);
  rng->spare = v * scale;
  rng->has_spare = true;
  return u * scale;
}

size_t test_rng_below(TestRng *rng, size_t count) {
  return (size_t)(test_rng_uniform(rng, 0, 1) * (double)count) % count;
}

bool test_is_near(double a, double b, double rtol, double atol) {
  return fabs(a - b) <= atol + rtol * fmax(fabs(a), fabs(b));
}
