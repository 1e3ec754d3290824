/* SPDX-License-Identifier: MIT */
/* What a sample costs in a batch: the regressor of the PUMA beside KDL's inverse dynamics, that of
 * 32 joints beside one sample at a time; forward dynamics by articulated beside composite bodies.
 * CPU times of this thread in one run, rounds interleaved, ratios are medians over the rounds.
 *   bench_batch    prints SHOW lines, exits 1 when one fails */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arm/dyn.h"
#include "core/arm/dyn_kernel.h"
#include "puma.h"
#include "support/support.h"
#ifdef HAVE_KDL
#include "kdl_shim.h"
#endif

enum { LARGE = ARM_MAX_JOINTS, STATES = 248, ROUNDS = 51, ALIGN = 64 };

/* An arm of PUMAs, one on the hand of the other, and random states of it. */
typedef struct {
  ArmDyn dyn;
  double pi[10 * LARGE];
  size_t block; /* samples at a time */
  double q[LARGE * STATES], qd[LARGE * STATES], qdd[LARGE * STATES];
  double out[LARGE * STATES];
  double *y; /* block x 10n x n */
} Arm;

static void need(bool is_good, const char *what) {
  if (is_good)
    return;
  fprintf(stderr, "bench_batch: %s\n", what);
  exit(2);
}

static ArmStatus model_init(size_t n, ArmModel *model) {
  const ArmStatus status = arm_model_init(model, n);
  for (size_t i = 0; i < n && status == ARM_OK; i++) {
    const double *mdh = puma_mdh[i % PUMA_JOINTS], *from = puma_links[i % PUMA_JOINTS];
    ArmLink *link = &model->joints[i].link;
    arm_joint_set_mdh(&model->joints[i], ARM_JOINT_R, mdh[0], mdh[1], mdh[2], mdh[3]);
    *link = (ArmLink){.is_present = true, .mass_kg = from[0]};
    memcpy(link->com_m, from + 1, sizeof link->com_m);
    memcpy(link->inertia_com_kg_m2, from + 4, sizeof link->inertia_com_kg_m2);
  }
  return status;
}

static void arm_new(size_t n, Arm *arm) {
  static ArmModel model;
  TestRng rng;
  test_rng_init(&rng, n);
  need(model_init(n, &model) == ARM_OK && arm_dyn_init(&arm->dyn, &model) == ARM_OK, "no arm");
  (void)arm_inertia_nominal(&model, arm->pi);
  arm->block = arm_dyn_block(n);
  arm->y = aligned_alloc(ALIGN, arm->block * 10 * n * n * sizeof *arm->y);
  need(arm->y, "no memory");
  for (size_t k = 0; k < n * STATES; k++) {
    arm->q[k] = test_rng_uniform(&rng, -3, 3);
    arm->qd[k] = test_rng_uniform(&rng, -3, 3);
    arm->qdd[k] = test_rng_uniform(&rng, -9, 9);
  }
}

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- ns a sample; the first time through warms up ---- */

static double time_batch(Arm *arm) {
  const size_t samples = 4 * STATES / arm->block * arm->block;
  double start = 0;
  for (int turn = 0; turn < 2; turn++) {
    start = cpu_ns();
    for (size_t at = 0; at < samples; at += arm->block)
      arm_dyn_regressor_batch(&arm->dyn, arm->block, arm->q, arm->qd, arm->qdd, arm->y);
  }
  return (cpu_ns() - start) / (double)samples;
}

static double time_one(Arm *arm) {
  const size_t n = arm->dyn.n;
  double start = 0;
  for (int turn = 0; turn < 2; turn++) {
    start = cpu_ns();
    for (size_t at = 0; at < n * STATES; at += n)
      arm_dyn_regressor(&arm->dyn, arm->q + at, arm->qd + at, arm->qdd + at, arm->y);
  }
  return (cpu_ns() - start) / STATES;
}

static double time_forward(Arm *arm, ArmDynForward *forward) {
  const size_t lanes = arm->dyn.many->lanes;
  double start = 0;
  for (int turn = 0; turn < 2; turn++) {
    start = cpu_ns();
    for (size_t at = 0; at < STATES; at += lanes)
      need(forward(&arm->dyn, arm->pi, NULL, STATES, arm->q + at, arm->qd + at, arm->qdd + at,
                   arm->out + at),
           "M is singular");
  }
  return (cpu_ns() - start) / STATES;
}

#ifdef HAVE_KDL
static double time_kdl(KdlShim *kdl) {
  double start = 0;
  for (int turn = 0; turn < 2; turn++) {
    start = cpu_ns();
    need(kdl_shim_torque(kdl) == 0, "KDL failed");
  }
  return (cpu_ns() - start) / STATES;
}
#endif

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

/* ---- lines ---- */

static int show(const char *what, double measured, double most) {
  const bool is_good = measured <= most;
  printf("SHOW 16.5 %s measured=%.3g target=<=%g %s\n", what, measured, most,
         is_good ? "PASS" : "FAIL");
  return !is_good;
}

static int show_small(Arm *arm) {
#ifdef HAVE_KDL
  static const double gravity[3] = {0, 0, -9.81};
  static double batch[ROUNDS], kdl[ROUNDS], ratio[ROUNDS];
  KdlShim *shim =
      kdl_shim_new(PUMA_JOINTS, puma_mdh, puma_links, gravity, STATES, arm->q, arm->qd, arm->qdd);
  need(shim, "no KDL");
  for (size_t r = 0; r < ROUNDS; r++) {
    batch[r] = time_batch(arm);
    kdl[r] = time_kdl(shim);
    ratio[r] = batch[r] / kdl[r];
  }
  kdl_shim_free(shim);
  printf("# 6 joints, blocks of %zu: regressor %.1f ns a sample, KDL's inverse dynamics %.0f ns\n",
         arm->block, median(batch), median(kdl));
  return show("regressor in blocks, 6 joints, time over KDL's inverse dynamics", median(ratio),
              0.065);
#else
  (void)arm;
  puts("SHOW 16.5 regressor in blocks, 6 joints measured=no KDL target=<=0.065 FAIL");
  return 1;
#endif
}

static int show_large(Arm *arm) {
  static double batch[ROUNDS], one[ROUNDS], ratio[ROUNDS];
  for (size_t r = 0; r < ROUNDS; r++) {
    batch[r] = time_batch(arm);
    one[r] = time_one(arm);
    ratio[r] = batch[r] / one[r];
  }
  printf("# 32 joints, blocks of %zu: regressor %.0f ns a sample, one by one %.0f ns\n", arm->block,
         median(batch), median(one));
  return show("regressor in blocks, 32 joints, time over one by one", median(ratio), 0.7);
}

static int show_forward(Arm *arm, const char *what, double most) {
  static double long_way[ROUNDS], short_way[ROUNDS], ratio[ROUNDS];
  const ArmDynKernel *kernel = arm->dyn.many;
  for (size_t r = 0; r < ROUNDS; r++) {
    short_way[r] = time_forward(arm, kernel->articulated);
    long_way[r] = time_forward(arm, kernel->forward);
    ratio[r] = short_way[r] / long_way[r];
  }
  printf("# %zu joints: forward dynamics by articulated bodies %.0f ns a sample, by composite ones "
         "%.0f ns\n",
         arm->dyn.n, median(short_way), median(long_way));
  return show(what, median(ratio), most);
}

int main(void) {
  static Arm small, amid, large;
  arm_new(PUMA_JOINTS, &small);
  arm_new(2 * PUMA_JOINTS, &amid);
  arm_new(LARGE, &large);
  printf("# %d doubles a vector\n", arm_dyn_limit_lanes(&small.dyn, 8));
  int failures = show_small(&small) + show_large(&large);
  failures += show_forward(&amid,
                           "forward dynamics by articulated bodies, 12 joints, time over "
                           "composite ones",
                           1);
  failures += show_forward(&large, "the same, 32 joints", 0.6);
  free(small.y);
  free(amid.y);
  free(large.y);
  return failures > 0;
}
