/* SPDX-License-Identifier: MIT */
/* Random sequences: where a search starts, and how it leaves an optimum that is not the best. What
 * matters is that positions change slowly from point to point and speeds freely: uniformly random
 * sequences end three to four times higher. */
#include <math.h>
#include <string.h>

#include "core/base/random.h"
#include "core/excite/points_internal.h"

static const double pi = 3.14159265358979323846;

static double uniform(uint64_t *random, double low, double high) {
  return arm_random_uniform(random, low, high);
}

static size_t below(uint64_t *random, size_t count) {
  return (size_t)(arm_random_next(random) % count);
}

/* Box and Muller 1958 */
static double normal(uint64_t *random) {
  const double radius = sqrt(-2 * log(1 - uniform(random, 0, 1)));
  return radius * cos(2 * pi * uniform(random, 0, 1));
}

/* z of sin z = u, 0.8 deg (chosen) from where z no longer changes u. */
static double from_sine(double u) {
  return asin(fmax(-0.9999, fmin(0.9999, u)));
}

/* A third each: a slow sine, almost constant, a random walk. */
static void slow_path(uint64_t *random, size_t points, double *z) {
  static const double cycles[4] = {0.25, 0.5, 1, 2}, steps[4] = {0.02, 0.05, 0.1, 0.2};
  const size_t kind = below(random, 3);
  const double wave = kind == 0 ? uniform(random, 0.05, 1) : 0, phase = uniform(random, 0, 2 * pi);
  const double cycle = cycles[below(random, 4)], step = steps[below(random, 4)];
  double at = uniform(random, -1, 1) * (1 - wave);
  for (size_t i = 0; i < points; i++) {
    if (kind == 2)
      at += step * normal(random);
    const double noise = kind == 1 ? 0.05 * normal(random) : 0;
    const double turn = 2 * pi * cycle * (double)i / (double)(points - 1);
    z[i] = from_sine(at + noise + wave * sin(turn + phase));
  }
}

void arm_points_start(const ArmPointsSearch *s, uint64_t *random, double *z) {
  const size_t speeds = s->variables - s->n * s->points;
  for (size_t k = 0; k < speeds; k += s->points)
    slow_path(random, s->points, z + k);
  for (size_t k = speeds; k < s->variables; k++)
    z[k] = from_sine(uniform(random, -1, 1));
}

/* ---- kicks; paths: how many sequences of one variable there are ---- */

static void new_speeds(const ArmPointsSearch *s, uint64_t *random, double *z) {
  const size_t speeds = s->variables - s->n * s->points;
  for (size_t count = 1 + below(random, 3); count > 0; count--) {
    const size_t i = below(random, s->points);
    for (size_t k = speeds + i; k < s->variables; k += s->points)
      z[k] = uniform(random, -0.5 * pi, 0.5 * pi);
  }
}

static void copy_neighbour(const ArmPointsSearch *s, uint64_t *random, double *z) {
  const size_t i = below(random, s->points - 1);
  const bool is_forward = below(random, 2);
  const size_t from = is_forward ? i : i + 1, to = is_forward ? i + 1 : i;
  for (size_t k = 0; k < s->variables; k += s->points)
    z[k + to] = z[k + from] + 0.3 * normal(random);
}

static void swap_points(const ArmPointsSearch *s, size_t a, size_t b, double *z) {
  for (size_t k = 0; k < s->variables; k += s->points) {
    const double kept = z[k + a];
    z[k + a] = z[k + b];
    z[k + b] = kept;
  }
}

static void reverse_stretch(const ArmPointsSearch *s, uint64_t *random, double *z) {
  size_t a = below(random, s->points), b = below(random, s->points);
  if (a > b) {
    const size_t kept = a;
    a = b;
    b = kept;
  }
  for (; a < b; a++, b--)
    swap_points(s, a, b, z);
}

static void jitter(const ArmPointsSearch *s, uint64_t *random, double *z) {
  static const double sizes[3] = {0.03, 0.1, 0.3};
  const double size = sizes[below(random, 3)];
  for (size_t k = 0; k < s->variables; k++)
    z[k] += size * normal(random);
}

void arm_points_kick(const ArmPointsSearch *s, uint64_t *random, double *z) {
  switch (below(random, 5)) {
  case 0:
    new_speeds(s, random, z);
    break;
  case 1:
    copy_neighbour(s, random, z);
    break;
  case 2:
    reverse_stretch(s, random, z);
    break;
  case 3:
    jitter(s, random, z);
    break;
  default:
    swap_points(s, below(random, s->points), below(random, s->points), z);
  }
}
