/* SPDX-License-Identifier: MIT */
/* Speed of the road from samples to triangles against KDL's inverse dynamics of as many samples:
 * CPU times of this thread in one run, rounds interleaved, ratios are medians over the rounds.
 *   bench_stream    prints SHOW lines, exits 1 when one fails */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arm/inertia.h"
#include "core/dynamics/stream.h"
#include "core/num/lsq.h"
#include "puma.h"
#include "support/moving.h"

#ifdef HAVE_KDL
#include "kdl_shim.h"

enum { N = PUMA_JOINTS, SAMPLES = 100000, ROUNDS = 5, KDL_SAMPLES = 250 };

static const double step_s = 0.001;

typedef struct {
  ArmModel model;
  ArmBase *base;
  Moving *m;
  ArmLsq *triangle[N];
  size_t rows;
  KdlShim *kdl;
} Bench;

static void stop(const char *what) {
  fprintf(stderr, "bench_stream: %s\n", what);
  exit(2);
}

static double cpu_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Column c of a row of this joint is not zero in every row. */
static bool is_felt(const ArmBase *base, size_t joint, size_t c) {
  return c < ARM_DYN_LOCAL || c == ARM_DYN_LOCAL + base->count ||
         base->column[base->kept[c - ARM_DYN_LOCAL]].joint >= joint;
}

static void bench_init(Bench *b) {
  MovingDrive drives[N];
  double pi[10 * N];
  TestRng rng;
  test_rng_init(&rng, 3);
  if (puma_init(&b->model) != ARM_OK ||
      arm_base_new(&b->model, 0, ARM_BASE_CLOSED_FORM, &b->base) != ARM_OK)
    stop("no arm");
  b->m = moving_new(&b->model, &rng, SAMPLES, step_s, 0.1, 0.7);
  moving_random_drives(&b->model, &rng, drives);
  (void)arm_inertia_nominal(&b->model, pi);
  moving_drive(b->m, &b->model, pi, drives);
  for (size_t j = 0; j < N; j++) {
    size_t columns = 0;
    for (size_t c = 0; c < ARM_DYN_LOCAL + b->base->count + 1; c++)
      columns += is_felt(b->base, j, c);
    b->triangle[j] = arm_lsq_new(columns);
    if (!b->triangle[j])
      stop("no memory");
  }
  static double state[3][N * KDL_SAMPLES];
  const double *const from[3] = {b->m->q, b->m->qd, b->m->qdd};
  for (size_t v = 0; v < 3; v++)
    for (size_t s = 0; s < KDL_SAMPLES; s++)
      for (size_t j = 0; j < N; j++)
        state[v][s * N + j] = from[v][j * SAMPLES + s * (SAMPLES / KDL_SAMPLES)];
  b->kdl = kdl_shim_new(N, puma_mdh, puma_links, b->model.gravity_m_s2, KDL_SAMPLES, state[0],
                        state[1], state[2]);
  if (!b->kdl)
    stop("no KDL");
}

static ArmStatus count_rows(void *user, size_t joint, size_t rows, bool follows, const double *t,
                            const double *block, size_t ld) {
  (void)joint, (void)follows, (void)t, (void)block, (void)ld;
  ((Bench *)user)->rows += rows;
  return ARM_OK;
}

static ArmStatus fold_rows(void *user, size_t joint, size_t rows, bool follows, const double *t,
                           const double *block, size_t ld) {
  const double *felt[ARM_DYN_LOCAL + 10 * N + 1];
  Bench *b = user;
  size_t columns = 0;
  (void)follows, (void)t;
  for (size_t c = 0; c < ARM_DYN_LOCAL + b->base->count + 1; c++)
    if (is_felt(b->base, joint, c))
      felt[columns++] = block + c * ld;
  b->rows += rows;
  return arm_lsq_push_columns(b->triangle[joint], felt, rows);
}

/* CPU time per sample [ns]. */
static double run(Bench *b, double cutoff, bool has_rates, ArmDynSink *sink) {
  ArmDynStreamOptions options;
  ArmDynStream *stream = NULL;
  arm_dyn_stream_options_default(&options);
  options.step_s = step_s;
  options.cutoff_Hz = cutoff;
  options.has_qd = options.has_qdd = has_rates;
  b->rows = 0;
  const double start = cpu_ns();
  if (arm_dyn_stream_new(&b->model, b->base, &options, sink, b, &stream) != ARM_OK ||
      moving_stream(stream, b->m, 10000, NULL) != ARM_OK || b->rows == 0)
    stop("no rows");
  arm_dyn_stream_free(stream);
  return (cpu_ns() - start) / SAMPLES;
}

static double run_kdl(Bench *b) {
  const double start = cpu_ns();
  for (size_t s = 0; s < SAMPLES; s += KDL_SAMPLES)
    if (kdl_shim_torque(b->kdl))
      stop("KDL failed");
  return (cpu_ns() - start) / SAMPLES;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values) {
  qsort(values, ROUNDS, sizeof *values, by_value);
  return values[ROUNDS / 2];
}

static int show(const char *what, double *ratio, double target) {
  const double measured = median(ratio);
  const bool good = measured <= target;
  printf("SHOW 17.5 %s, time over KDL's inverse dynamics measured=%.3g target=<=%g %s\n", what,
         measured, target, good ? "PASS" : "FAIL");
  return !good;
}

int main(void) {
  static Bench b;
  static double ns[4][ROUNDS], rows[ROUNDS], fit[ROUNDS], filters[ROUNDS];
  bench_init(&b);
  for (size_t r = 0; r < ROUNDS; r++) {
    ns[0][r] = run_kdl(&b);
    ns[1][r] = run(&b, 0, true, count_rows);
    ns[2][r] = run(&b, 0, true, fold_rows);
    ns[3][r] = run(&b, 5, false, fold_rows);
    rows[r] = ns[1][r] / ns[0][r];
    fit[r] = ns[2][r] / ns[0][r];
    filters[r] = ns[3][r] / ns[0][r];
  }
  printf("# ns per sample: KDL %.0f; rows %.0f; with triangles %.0f; from q and i alone, filtered, "
         "with triangles %.0f\n",
         median(ns[0]), median(ns[1]), median(ns[2]), median(ns[3]));
  const int failures = show("rows of given q, qd, qdd, i and their triangles", fit, 0.6) +
                       show("rows alone", rows, 0.6) +
                       show("q and i alone: filters, rows, decimation, triangles", filters, 1);
  kdl_shim_free(b.kdl);
  return failures > 0;
}

#else

int main(void) {
  puts("SHOW 17.5 rows of given q, qd, qdd, i measured=no KDL target=<=0.6 FAIL");
  return 1;
}

#endif
