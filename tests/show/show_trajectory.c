/* SPDX-License-Identifier: MIT */
/* Line 18.3: designed motions of the arms of the shared vectors: condition of the unweighted torque
 * regressor over 2000 samples, within all limits there, median of seeds; and after how many
 * evaluations there is a first design.
 *
 *   show_trajectory [EVALUATIONS [SEEDS [CASE]]]   200000 5; CASE: that one of the list alone */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/excite/check.h"
#include "core/excite/trajectory.h"
#include "support/designs.h"
#include "support/vectors.h"

enum { SAMPLES = 2000, MOST_SEEDS = 32 };

typedef struct {
  const char *robot, *text;
  ArmBasis basis;
  double target;
} Case;

static const Case cases[] = {
    {"puma", "PUMA, Fourier 5, T = 10 s", {ARM_BASIS_FOURIER, 5, 10, false}, 10.9},
    {"puma", "PUMA, Fourier 10, T = 20 s", {ARM_BASIS_FOURIER, 10, 20, false}, 9.1},
    {"puma", "PUMA, spline 25, T = 20 s", {ARM_BASIS_SPLINE, 25, 20, false}, 8.8},
    {"ur5", "UR5, Fourier 10, T = 20 s", {ARM_BASIS_FOURIER, 10, 20, false}, 4.2},
    {"panda", "Panda, Fourier 10, T = 20 s", {ARM_BASIS_FOURIER, 10, 20, false}, 6.9},
    {"puma", "PUMA, Fourier 5, T = 10 s, ends at rest", {ARM_BASIS_FOURIER, 5, 10, true}, 13.1},
    {"puma", "PUMA, Fourier 10, T = 20 s, ends at rest", {ARM_BASIS_FOURIER, 10, 20, true}, 10.0},
};
enum { CASES = sizeof cases / sizeof *cases };

static double q[SAMPLES * DESIGN_JOINTS], qd[SAMPLES * DESIGN_JOINTS], qdd[SAMPLES * DESIGN_JOINTS];

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sample(const ArmTrajectory *design) {
  for (size_t s = 0; s < SAMPLES; s++) {
    double x[3][DESIGN_JOINTS];
    arm_basis_motion(&design->basis, design->n, design->c,
                     design->basis.period_s * (double)s / SAMPLES, x[0], x[1], x[2]);
    for (size_t j = 0; j < design->n; j++) {
      q[s + SAMPLES * j] = x[0][j];
      qd[s + SAMPLES * j] = x[1][j];
      qdd[s + SAMPLES * j] = x[2][j];
    }
  }
}

/* The condition over 2000 samples; INFINITY where a limit is broken or there is no design. */
static double condition(const ArmModel *model, const ArmBase *base, const Case *c, uint64_t seed,
                        size_t evaluations) {
  static const double noise[DESIGN_JOINTS] = {1, 1, 1, 1, 1, 1, 1};
  const ArmTrajectoryOptions options = {.basis = c->basis,
                                        .criterion = {.kind = ARM_CRITERION_COND_P},
                                        .seed = seed,
                                        .evaluations = evaluations};
  ArmMotionViolation violations[3 * DESIGN_JOINTS];
  ArmMotionLimits limits;
  ArmTrajectory design = {0};
  ArmExcitation *found = NULL;
  double cond = (double)INFINITY;
  if (arm_motion_limits(model, &limits, NULL, NULL) != ARM_OK ||
      arm_trajectory_design(model, base, &options, &design, NULL) != ARM_OK)
    return cond;
  sample(&design);
  if (arm_motion_violations(&limits, SAMPLES, q, qd, qdd, violations) == 0 &&
      arm_excitation_new(base, model, &limits, SAMPLES, q, qd, qdd, noise, &found) == ARM_OK)
    cond = found->cond_raw;
  arm_excitation_free(found);
  arm_trajectory_clear(&design);
  return cond;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool show_case(const char *vectors, const Case *c, size_t evaluations, size_t seeds) {
  static ArmModel model;
  ArmBase *base = NULL;
  double cond[MOST_SEEDS];
  const double start = seconds();
  if (!designs_model(vectors, c->robot, &model) ||
      arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base) != ARM_OK)
    return false;
  for (size_t k = 0; k < seeds; k++) {
    cond[k] = condition(&model, base, c, k + 1, evaluations);
    printf("# seed %zu: %.4g\n", k + 1, cond[k]);
    fflush(stdout);
  }
  qsort(cond, seeds, sizeof *cond, ascending);
  const bool is_pass = cond[seeds / 2] <= c->target;
  printf(
      "SHOW 18.3 %s: condition, median of %zu seeds, %zu evaluations (best %.4g, %.3g s of CPU a "
      "seed) measured=%.4g target=<=%g %s\n",
      c->text, seeds, evaluations, cond[0], (seconds() - start) / (double)seeds, cond[seeds / 2],
      c->target, is_pass ? "PASS" : "FAIL");
  fflush(stdout);
  arm_base_free(base);
  return is_pass;
}

/* The most evaluations after which some case has its first design within all limits. */
static bool show_first(const char *vectors) {
  size_t most = 0;
  for (size_t k = 0; k < CASES; k++) {
    static ArmModel model;
    ArmBase *base = NULL;
    size_t evaluations = 1;
    if (!designs_model(vectors, cases[k].robot, &model) ||
        arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base) != ARM_OK)
      return false;
    while (evaluations <= 3000 && isinf(condition(&model, base, &cases[k], 1, evaluations)))
      evaluations *= 2;
    most = evaluations > most ? evaluations : most;
    arm_base_free(base);
  }
  printf("SHOW 18.3 evaluations until the first design within all limits measured=%zu "
         "target=<=3000 %s\n",
         most, most <= 3000 ? "PASS" : "FAIL");
  return most <= 3000;
}

int main(int argc, char **argv) {
  const size_t evaluations = argc > 1 ? strtoul(argv[1], NULL, 10) : 200000;
  const size_t seeds = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
  const size_t only = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
  char *vectors = vectors_read("vectors/traj/fourier_designs.json");
  bool is_good = evaluations >= 1 && seeds >= 1 && seeds <= MOST_SEEDS && only <= CASES;
  if (!vectors) {
    printf("SHOW 18.3 ../shared/vectors/traj is not there measured=none target=there FAIL\n");
    return 1;
  }
  is_good = is_good && show_first(vectors);
  for (size_t k = 0; k < CASES && seeds <= MOST_SEEDS; k++)
    if (only == 0 || only == k + 1)
      is_good = show_case(vectors, &cases[k], evaluations, seeds) && is_good;
  free(vectors);
  return is_good ? 0 : 1;
}
