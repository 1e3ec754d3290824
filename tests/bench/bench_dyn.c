/* SPDX-License-Identifier: MIT */
/* Speed of the dynamics: inverse dynamics against KDL's, batches against single samples; one
 * thread. Times are CPU times of this thread, rounds are interleaved, ratios are medians of the
 * pairs.
 *   bench_dyn                  prints SHOW lines, exits 1 when one fails
 *   bench_dyn --count WHAT N   calls torque or regressor N times: for counting instructions */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arm/dyn.h"
#include "puma.h"
#include "support/support.h"
#ifdef HAVE_KDL
#include "kdl_shim.h"
#endif

/* Samples: enough different states, and no power of two (see core/arm/dyn.h). */
enum { N = PUMA_JOINTS, SAMPLES = 248, ROUNDS = 101, REPEATS = 8, VALUES = N * SAMPLES };

static int failures;

static void show(const char *what, double measured, double target, bool at_least) {
  const bool good = at_least ? measured >= target : measured <= target;
  printf("SHOW 3.1 %s measured=%.3g target=%s%g %s\n", what, measured,
         at_least ? ">=" : "<=", target, good ? "PASS" : "FAIL");
  fflush(stdout);
  failures += !good;
}

typedef struct {
  ArmDyn dyn;
  double pi[10 * N];
  double q[VALUES], qd[VALUES], qdd[VALUES], tau[VALUES];     /* one sample after the other */
  double bq[VALUES], bqd[VALUES], bqdd[VALUES], btau[VALUES]; /* the same, samples first */
  double y[10 * N * VALUES], one_y[10 * N * N], one_z[10 * N * N];
#ifdef HAVE_KDL
  KdlShim *kdl;
#endif
} Bench;

static void bench_init(Bench *b) {
  static ArmModel model;
  TestRng rng;
  ArmStatus status = puma_init(&model);
  if (status == ARM_OK)
    status = arm_dyn_init(&b->dyn, &model);
  if (status != ARM_OK) {
    fprintf(stderr, "bench_dyn: %s\n", arm_status_text(status));
    exit(2);
  }
  (void)arm_inertia_nominal(&model, b->pi);
  test_rng_init(&rng, 3);
  for (size_t s = 0; s < SAMPLES; s++)
    for (size_t i = 0; i < N; i++) {
      b->bq[i * SAMPLES + s] = b->q[s * N + i] = test_rng_uniform(&rng, -3, 3);
      b->bqd[i * SAMPLES + s] = b->qd[s * N + i] = test_rng_uniform(&rng, -3, 3);
      b->bqdd[i * SAMPLES + s] = b->qdd[s * N + i] = test_rng_uniform(&rng, -9, 9);
    }
#ifdef HAVE_KDL
  b->kdl = kdl_shim_new(N, puma_mdh, puma_links, model.gravity_m_s2, SAMPLES, b->q, b->qd, b->qdd);
  if (!b->kdl)
    exit(2);
#endif
}

/* ---- what is timed ---- */

static void run_torque(Bench *b) {
  for (size_t at = 0; at < VALUES; at += N)
    arm_dyn_torque(&b->dyn, b->pi, b->q + at, b->qd + at, b->qdd + at, b->tau + at);
}

static void run_regressor(Bench *b) {
  for (size_t at = 0; at < VALUES; at += N)
    arm_dyn_regressor(&b->dyn, b->q + at, b->qd + at, b->qdd + at, b->one_y);
}

static void run_momentum(Bench *b) {
  for (size_t at = 0; at < VALUES; at += N)
    arm_dyn_momentum(&b->dyn, b->q + at, b->qd + at, b->one_y, b->one_z);
}

static void run_energy(Bench *b) {
  for (size_t at = 0; at < VALUES; at += N)
    arm_dyn_energy(&b->dyn, b->q + at, b->qd + at, b->one_y, b->one_z);
}

static void run_mass(Bench *b) {
  for (size_t at = 0; at < VALUES; at += N)
    arm_dyn_mass(&b->dyn, b->pi, b->q + at, b->one_y);
}

static void run_forward(Bench *b) {
  for (size_t at = 0; at < VALUES; at += N)
    if (arm_dyn_forward(&b->dyn, b->pi, NULL, b->q + at, b->qd + at, b->tau + at, b->one_y) !=
        ARM_OK)
      exit(2);
}

static void run_torque_batch(Bench *b) {
  arm_dyn_torque_batch(&b->dyn, b->pi, SAMPLES, b->bq, b->bqd, b->bqdd, b->btau);
}

static void run_regressor_batch(Bench *b) {
  arm_dyn_regressor_batch(&b->dyn, SAMPLES, b->bq, b->bqd, b->bqdd, b->y);
}

static void run_forward_batch(Bench *b) {
  if (arm_dyn_forward_batch(&b->dyn, b->pi, NULL, SAMPLES, b->bq, b->bqd, b->bqdd, b->btau) !=
      ARM_OK)
    exit(2);
}

#ifdef HAVE_KDL
static void run_kdl(Bench *b) {
  if (kdl_shim_torque(b->kdl))
    exit(2);
}
#endif

typedef struct {
  const char *name;
  void (*run)(Bench *b);
  double ns[ROUNDS]; /* per sample */
} Timed;

static Timed timed[] = {
    {.name = "inverse dynamics", .run = run_torque},
    {.name = "regressor", .run = run_regressor},
    {.name = "momentum pair", .run = run_momentum},
    {.name = "energy rows", .run = run_energy},
    {.name = "mass matrix", .run = run_mass},
    {.name = "forward dynamics", .run = run_forward},
    {.name = "inverse dynamics, batch", .run = run_torque_batch},
    {.name = "regressor, batch", .run = run_regressor_batch},
    {.name = "forward dynamics, batch", .run = run_forward_batch},
#ifdef HAVE_KDL
    {.name = "KDL inverse dynamics", .run = run_kdl},
#endif
};

enum { TIMED = sizeof timed / sizeof *timed, TORQUE = 0, REGRESSOR_BATCH = 7, KDL = 9 };

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(const double *values) {
  double sorted[ROUNDS];
  memcpy(sorted, values, sizeof sorted);
  qsort(sorted, ROUNDS, sizeof *sorted, by_value);
  return sorted[ROUNDS / 2];
}

/* Median over the rounds of how many times `slow` takes as long as `fast`. */
static double ratio(size_t slow, size_t fast) {
  double quotient[ROUNDS];
  for (size_t r = 0; r < ROUNDS; r++)
    quotient[r] = timed[slow].ns[r] / timed[fast].ns[r];
  return median(quotient);
}

static void measure(Bench *b) {
  for (size_t r = 0; r < ROUNDS; r++)
    for (size_t k = 0; k < TIMED; k++) {
      timed[k].run(b); /* warms up */
      const double start = cpu_ns();
      for (int repeat = 0; repeat < REPEATS; repeat++)
        timed[k].run(b);
      timed[k].ns[r] = (cpu_ns() - start) / (REPEATS * SAMPLES);
    }
  for (size_t k = 0; k < TIMED; k++)
    printf("# %-26s %7.1f ns per sample\n", timed[k].name, median(timed[k].ns));
}

#ifdef HAVE_KDL
static double kdl_difference(Bench *b) {
  double size = 0, error = 0;
  run_torque(b);
  run_kdl(b);
  for (size_t s = 0; s < SAMPLES; s++)
    for (size_t i = 0; i < N; i++) {
      size = fmax(size, fabs(b->tau[s * N + i]));
      error = fmax(error, fabs(b->tau[s * N + i] - kdl_shim_result(b->kdl, s, i)));
    }
  return error / size;
}
#endif

static int count(Bench *b, const char *what, long calls) {
  for (long k = 0; k < calls; k++) {
    const size_t at = (size_t)(k % SAMPLES) * N;
    if (strcmp(what, "torque") == 0)
      arm_dyn_torque(&b->dyn, b->pi, b->q + at, b->qd + at, b->qdd + at, b->tau);
    else
      arm_dyn_regressor(&b->dyn, b->q + at, b->qd + at, b->qdd + at, b->one_y);
  }
  return 0;
}

int main(int argc, char **argv) {
  static Bench b;
  bench_init(&b);
  if (argc == 4 && strcmp(argv[1], "--count") == 0)
    return count(&b, argv[2], strtol(argv[3], NULL, 10));
  measure(&b);
#ifdef HAVE_KDL
  show("inverse dynamics, times as fast as KDL", ratio(KDL, TORQUE), 5, true);
  show("relative difference from KDL", kdl_difference(&b), 1e-12, false);
  kdl_shim_free(b.kdl);
#else
  puts("SHOW 3.1 inverse dynamics, times as fast as KDL measured=no KDL target=>=5 FAIL");
  failures++;
#endif
  show("batched regressor, time over one inverse dynamics", ratio(REGRESSOR_BATCH, TORQUE), 1,
       false);
  return failures > 0;
}
