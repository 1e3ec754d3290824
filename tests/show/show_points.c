/* SPDX-License-Identifier: MIT */
/* Lines 18.2 and 18.4: point sequences of the three-joint arm of Gautier and Khalil 1992.
 *
 *   show_points [EVALUATIONS [SEEDS [CASE]]]   18.2; of each design: 6e6 and 5, which takes an hour
 *                                       or two; CASE 1 to 11: that one alone, to run side by side
 *   show_points speed                   18.4
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/excite/energy.h"
#include "core/excite/points.h"
#include "support/robot3.h"
#include "support/support.h"
#ifdef HAVE_KDL
#include "bench/kdl_shim.h"
#endif

enum { MOST_SEEDS = 100, BATCHES = 1000, BATCH = 10, MOST_ROWS = 500 };

static bool show(const char *line, const char *what, double measured, double target) {
  const bool is_pass = measured <= target;
  printf("SHOW %s %s measured=%.4g target=<=%g %s\n", line, what, measured, target,
         is_pass ? "PASS" : "FAIL");
  fflush(stdout);
  return is_pass;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(size_t count, double *x) {
  qsort(x, count, sizeof *x, by_size);
  return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "show_points: %s\n", what);
  exit(2);
}

static void design(Robot3Set set, const ArmPointsOptions *options, ArmPoints *points) {
  static ArmModel model;
  robot3_model(set, &model);
  const ArmStatus status = arm_points_design(&model, options, points, NULL);
  if (status != ARM_OK)
    fail(arm_status_text(status));
}

/* ---- condition numbers ---- */

static const struct {
  Robot3Set set;
  const char *name;
  size_t r;
  double target;
} cases[] = {{ROBOT3_P, "P", 15, 5.8},  {ROBOT3_P, "P", 20, 4.3},  {ROBOT3_P, "P", 30, 3.2},
             {ROBOT3_A, "A", 15, 15.5}, {ROBOT3_A, "A", 20, 11.6}, {ROBOT3_A, "A", 30, 8.8}};
enum { CONDITIONS = sizeof cases / sizeof *cases, OTHERS = 5, CASES = OTHERS + CONDITIONS };

static bool show_condition(size_t k, size_t evaluations, size_t seeds) {
  double condition[MOST_SEEDS];
  char what[160];
  const double start = seconds();
  for (size_t seed = 0; seed < seeds; seed++) {
    const ArmPointsOptions options = {.r = cases[k].r,
                                      .criterion = {.kind = ARM_CRITERION_COND_P},
                                      .seed = seed + 1,
                                      .evaluations = evaluations};
    ArmPoints points;
    design(cases[k].set, &options, &points);
    condition[seed] = points.condition;
    arm_points_clear(&points);
  }
  printf("# %.3g s of CPU a design\n", (seconds() - start) / (double)seeds);
  snprintf(what, sizeof what, "set %s, r = %zu: Cond(W), median of %zu seeds at %zu evaluations",
           cases[k].name, cases[k].r, seeds, evaluations);
  return show("18.2", what, median(seeds, condition), cases[k].target);
}

/* ---- how soon the paper's value is reached ---- */

typedef struct {
  ArmCriterionWork *work;
  size_t reached;
} Race;

static bool until_the_papers(size_t evaluations, const double *m, void *user) {
  Race *race = user;
  double condition = (double)INFINITY;
  if (m && arm_criterion_condition(race->work, m, &condition, NULL) == ARM_OK &&
      condition <= 11.16) {
    race->reached = evaluations;
    return false;
  }
  return true;
}

static bool show_race(Robot3Set set, const char *name, double target) {
  enum { STARTS = 100, LIMIT = 40000 };
  double reached[STARTS];
  char what[160];
  Race race = {.work = arm_criterion_work_new(ROBOT3_COLUMNS)};
  if (!race.work)
    fail("out of memory");
  for (size_t k = 0; k < STARTS; k++) {
    const ArmPointsOptions options = {.r = 30,
                                      .criterion = {.kind = ARM_CRITERION_COND_P},
                                      .seed = k + 1,
                                      .evaluations = LIMIT,
                                      .watch = until_the_papers,
                                      .user = &race};
    ArmPoints points;
    race.reached = LIMIT;
    design(set, &options, &points);
    reached[k] = (double)race.reached;
    arm_points_clear(&points);
  }
  arm_criterion_work_free(race.work);
  snprintf(what, sizeof what, "set %s, r = 30: evaluations to 11.16, median of 100 starts", name);
  return show("18.2", what, median(STARTS, reached), target);
}

/* ---- (Cond, S) ---- */

static bool show_spread(Robot3Set set, const char *name, size_t evaluations) {
  const ArmPointsOptions options = {.r = 30,
                                    .criterion = {.kind = ARM_CRITERION_COND_P},
                                    .lambda = 0.1,
                                    .seed = 1,
                                    .evaluations = evaluations};
  ArmPoints points;
  char what[200];
  design(set, &options, &points);
  snprintf(what, sizeof what,
           "set %s, r = 30, with S at %zu evaluations: (%.3g, %.3g), the larger of their parts of "
           "the paper's (11.16, 175)",
           name, evaluations, points.condition, points.spread);
  const double part = fmax(points.condition / 11.16, points.spread / 175);
  arm_points_clear(&points);
  return show("18.2", what, part, 1);
}

/* ---- Table 2's random sequences ---- */

static double random_condition(ArmEnergy *energy, ArmCriterionWork *work, const ArmModel *model,
                               size_t r, TestRng *rng, double *w) {
  static double q[3 * (MOST_ROWS + 1)], qd[3 * (MOST_ROWS + 1)];
  double m[ROBOT3_COLUMNS * ROBOT3_COLUMNS], condition = (double)INFINITY;
  for (size_t k = 0; k < 3 * (r + 1); k++) {
    const ArmLimits *limits = &model->joints[k / (r + 1)].limits;
    q[k] = test_rng_uniform(rng, limits->q_min, limits->q_max);
    qd[k] = test_rng_uniform(rng, -limits->speed_max, limits->speed_max);
  }
  arm_energy_rows(energy, q, qd, w);
  arm_criterion_gram(work, r, w, NULL, m);
  if (arm_criterion_condition(work, m, &condition, NULL) != ARM_OK)
    fail("no condition number");
  return condition;
}

/* The median over batches of ten of a batch's mean, of set A. */
static double random_mean(size_t r, TestRng *rng) {
  static ArmModel model;
  ArmEnergy *energy = NULL;
  ArmCriterionWork *work = arm_criterion_work_new(ROBOT3_COLUMNS);
  double *w = aligned_alloc(64, MOST_ROWS * arm_criterion_stride(ROBOT3_COLUMNS) * sizeof *w);
  double mean[BATCHES] = {0};
  robot3_model(ROBOT3_A, &model);
  if (!work || !w || arm_energy_new(&model, r + 1, &energy) != ARM_OK)
    fail("out of memory");
  for (size_t b = 0; b < BATCHES; b++)
    for (size_t k = 0; k < BATCH; k++)
      mean[b] += random_condition(energy, work, &model, r, rng, w) / BATCH;
  arm_energy_free(energy);
  arm_criterion_work_free(work);
  free(w);
  return median(BATCHES, mean);
}

static bool show_random(void) {
  static const struct {
    size_t r;
    double paper;
  } rows[] = {{15, 27994}, {20, 1945}, {30, 954},  {50, 586},
              {100, 496},  {200, 439}, {300, 418}, {500, 422}};
  double worst = 0;
  TestRng rng;
  test_rng_init(&rng, 1);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const double mean = random_mean(rows[k].r, &rng);
    printf("# r = %zu: %.5g, paper %g\n", rows[k].r, mean, rows[k].paper);
    worst = fmax(worst, fabs(mean / rows[k].paper - 1));
  }
  return show("18.2",
              "Table 2's random columns on set A, mean of 10, median of 1000: worst part off",
              worst, 0.2);
}

/* ---- speed ---- */

#ifdef HAVE_KDL
static double kdl_time(size_t n) {
  enum { SAMPLES = 512, ROUNDS = 21 };
  static const double mdh[6][4] = {{0, 0, 0, 0},
                                   {-1.5707963267948966, 0, 0, 0},
                                   {0, 0.4318, 0, 0.15},
                                   {-1.5707963267948966, 0.0203, 0, 0.4318},
                                   {1.5707963267948966, 0, 0, 0},
                                   {-1.5707963267948966, 0, 0, 0}};
  static const double link[10] = {3, 0.1, 0.05, 0.02, 0.1, 0.1, 0.1, 0, 0, 0};
  static const double gravity[3] = {0, 0, -9.81};
  static double x[3][6 * SAMPLES];
  double links[6][10], time[ROUNDS];
  TestRng rng;
  test_rng_init(&rng, 3);
  for (size_t k = 0; k < 3 * n * SAMPLES; k++)
    x[k / (n * SAMPLES)][k % (n * SAMPLES)] = test_rng_uniform(&rng, -3, 3);
  for (size_t i = 0; i < n; i++)
    memcpy(links[i], link, sizeof link);
  KdlShim *shim =
      kdl_shim_new(n, mdh, (const double(*)[10])links, gravity, SAMPLES, x[0], x[1], x[2]);
  if (!shim)
    fail("KDL");
  for (size_t k = 0; k < ROUNDS; k++) {
    const double start = seconds();
    if (kdl_shim_torque(shim) != 0)
      fail("KDL");
    time[k] = (seconds() - start) / SAMPLES;
  }
  kdl_shim_free(shim);
  return median(ROUNDS, time);
}

typedef struct {
  ArmEnergy *energy;
  ArmCriterionWork *work;
  double q[3 * 31], qd[3 * 31], q_bar[3 * 31], qd_bar[3 * 31], m[225], dm[225];
  double *w, *dw;
} Bench;

static void value_and_gradient(Bench *b) {
  const ArmCriterion criterion = {.kind = ARM_CRITERION_COND_P, .exponent = 7};
  double value;
  arm_energy_rows(b->energy, b->q, b->qd, b->w);
  arm_criterion_gram(b->work, 30, b->w, NULL, b->m);
  if (arm_criterion(b->work, &criterion, b->m, &value, b->dm) != ARM_OK)
    fail("criterion");
  arm_criterion_rows(b->work, 30, b->w, NULL, b->dm, b->dw);
  arm_energy_gradient(b->energy, b->q, b->qd, b->dw, b->q_bar, b->qd_bar);
}

static double own_time(void) {
  enum { REPEAT = 500, ROUNDS = 21 };
  static ArmModel model;
  static Bench b;
  double time[ROUNDS];
  const ArmPointsOptions options = {
      .r = 30, .criterion = {.kind = ARM_CRITERION_COND_P}, .seed = 1, .evaluations = 500};
  ArmPoints points;
  robot3_model(ROBOT3_P, &model);
  design(ROBOT3_P, &options, &points);
  memcpy(b.q, points.q, sizeof b.q);
  memcpy(b.qd, points.qd, sizeof b.qd);
  arm_points_clear(&points);
  b.work = arm_criterion_work_new(ROBOT3_COLUMNS);
  b.w = aligned_alloc(64, 2 * 30 * 16 * sizeof *b.w);
  if (!b.work || !b.w || arm_energy_new(&model, 31, &b.energy) != ARM_OK)
    fail("out of memory");
  b.dw = b.w + 30 * 16;
  for (size_t k = 0; k < ROUNDS; k++) {
    const double start = seconds();
    for (size_t i = 0; i < REPEAT; i++)
      value_and_gradient(&b);
    time[k] = (seconds() - start) / REPEAT;
  }
  arm_energy_free(b.energy);
  arm_criterion_work_free(b.work);
  free(b.w);
  return median(ROUNDS, time);
}

static bool show_speed(void) {
  const double own = own_time(), three = kdl_time(3), six = kdl_time(6);
  printf("# value and gradient %.3g us; KDL %.3g us (3 joints), %.3g us (6 joints)\n", 1e6 * own,
         1e6 * three, 1e6 * six);
  return show("18.4",
              "value and gradient of r = 30, p = 128, in inverse dynamics of 6 joints by KDL",
              own / six, 10);
}
#else
static bool show_speed(void) {
  printf("# built without KDL: nothing to compare with\n");
  return true;
}
#endif

static bool show_case(size_t k, size_t evaluations, size_t seeds) {
  switch (k) {
  case 0:
    return show_random();
  case 1:
    return show_race(ROBOT3_P, "P", 150);
  case 2:
    return show_race(ROBOT3_A, "A", 2500);
  case 3:
    return show_spread(ROBOT3_P, "P", evaluations);
  case 4:
    return show_spread(ROBOT3_A, "A", evaluations);
  default:
    return show_condition(k - OTHERS, evaluations, seeds);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "speed") == 0)
    return show_speed() ? 0 : 1;
  const size_t evaluations = argc > 1 ? (size_t)strtod(argv[1], NULL) : 6000000;
  const size_t seeds = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 5;
  const size_t only = argc > 3 ? (size_t)strtoul(argv[3], NULL, 10) : 0;
  if (evaluations < 1 || seeds < 1 || seeds > MOST_SEEDS || only > CASES)
    fail("EVALUATIONS is 1 or more, SEEDS 1 to 100, CASE 1 to 11");
  bool is_pass = true;
  for (size_t k = 0; k < CASES; k++)
    if (only == 0 || only == k + 1)
      is_pass &= show_case(k, evaluations, seeds);
  return is_pass ? 0 : 1;
}
