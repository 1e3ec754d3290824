/* SPDX-License-Identifier: MIT */
/* Lines 18.5 to 18.7 of docs/acceptance.md, as far as they are computed.
 *
 *   show_excite accuracy [EVALUATIONS]   D-optimal against minimum-condition designs of a PUMA 560
 *   show_excite ur10e [EVALUATIONS]      a design beside a recorded motion, on what that one used
 *   show_excite limits [ARMS]            random arms on a dense grid, and searches cancelled */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/excite/check.h"
#include "core/excite/sequence.h"
#include "core/excite/trajectory.h"
#include "support/base_case.h"
#include "support/designs.h"
#include "support/vectors.h"

static const unsigned full = ARM_BASE_WITH_FRICTION | ARM_BASE_WITH_ROTOR;

static bool show(const char *line, const char *what, double measured, const char *target,
                 bool is_pass) {
  printf("SHOW %s %s measured=%.4g target=%s %s\n", line, what, measured, target,
         is_pass ? "PASS" : "FAIL");
  fflush(stdout);
  return is_pass;
}

static void must(ArmStatus status, const char *what) {
  if (status == ARM_OK)
    return;
  fprintf(stderr, "show_excite: %s: %s\n", what, arm_status_text(status));
  exit(1);
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* ---- 18.5: torque predictions ---- */

enum { P = 96, N = 8 };

/* Sum over states of Y' Y of a motion: M for a noise of 1 N m. */
static void information(const ArmBase *base, const ArmModel *model, const ArmTrajectory *design,
                        double *m) {
  enum { SAMPLES = 2000 };
  static double y[N * P];
  memset(m, 0, base->count * base->count * sizeof *m);
  for (size_t s = 0; s < SAMPLES; s++) {
    double q[N], qd[N], qdd[N];
    arm_basis_motion(&design->basis, design->n, design->c,
                     design->basis.period_s * (double)s / SAMPLES, q, qd, qdd);
    must(arm_base_regressor(base, model, q, qd, qdd, y), "regressor");
    for (size_t j = 0; j < model->n; j++)
      for (size_t a = 0; a < base->count; a++)
        for (size_t b = 0; b < base->count; b++)
          m[a * base->count + b] += y[j * base->count + a] * y[j * base->count + b];
  }
}

/* Lower factor in place. */
static void factor(size_t p, double *m) {
  for (size_t j = 0; j < p; j++)
    for (size_t i = j; i < p; i++) {
      double sum = m[i * p + j];
      for (size_t k = 0; k < j; k++)
        sum -= m[i * p + k] * m[j * p + k];
      m[i * p + j] = i == j ? sqrt(sum) : sum / m[j * p + j];
    }
}

/* rms over joints and random states of the sd of a predicted torque [N m for 1 N m of noise]. */
static double prediction(const ArmBase *base, const ArmModel *model, const ArmMotionLimits *limits,
                         const ArmTrajectory *design) {
  enum { STATES = 3000 };
  static double m[P * P], y[N * P];
  const size_t p = base->count;
  double total = 0;
  TestRng rng;
  test_rng_init(&rng, 77);
  information(base, model, design, m);
  factor(p, m);
  for (size_t s = 0; s < STATES; s++) {
    double x[3][N];
    for (size_t d = 0; d < 3; d++)
      for (size_t j = 0; j < model->n; j++)
        x[d][j] = (d ? 0 : limits->middle[j]) + limits->half[d][j] * test_rng_uniform(&rng, -1, 1);
    must(arm_base_regressor(base, model, x[0], x[1], x[2], y), "regressor");
    for (size_t j = 0; j < model->n; j++)
      for (size_t a = 0; a < p; a++) { /* L z = y */
        double *row = y + j * p;
        for (size_t b = 0; b < a; b++)
          row[a] -= m[a * p + b] * row[b];
        row[a] /= m[a * p + a];
        total += row[a] * row[a];
      }
  }
  return sqrt(total / STATES / (double)model->n);
}

static bool show_accuracy(size_t evaluations) {
  enum { SEEDS = 5 };
  static ArmModel model;
  ArmMotionLimits limits;
  ArmBase *base = NULL;
  double rms[2][SEEDS];
  char *vectors = vectors_read("vectors/traj/fourier_designs.json");
  if (!vectors || !designs_model(vectors, "puma", &model))
    return show("18.5", "../shared/vectors/traj is not there", 0, "there", false);
  must(arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &base), "base parameters");
  must(arm_motion_limits(&model, &limits, NULL, NULL), "limits");
  for (size_t k = 0; k < 2 * SEEDS; k++) {
    const ArmTrajectoryOptions options = {
        .basis = {ARM_BASIS_FOURIER, 10, 20, false},
        .criterion = {.kind = k < SEEDS ? ARM_CRITERION_D : ARM_CRITERION_COND_P},
        .seed = 1 + k % SEEDS,
        .evaluations = evaluations};
    ArmTrajectory design = {0};
    must(arm_trajectory_design(&model, base, &options, &design, NULL), "design");
    rms[k / SEEDS][k % SEEDS] = prediction(base, &model, &limits, &design);
    printf("# %s, seed %zu: %.4g N m, value %.4g\n", k < SEEDS ? "D" : "cond", 1 + k % SEEDS,
           rms[k / SEEDS][k % SEEDS], design.value);
    arm_trajectory_clear(&design);
  }
  for (int k = 0; k < 2; k++)
    qsort(rms[k], SEEDS, sizeof rms[k][0], ascending);
  const double ratio = rms[1][SEEDS / 2] / rms[0][SEEDS / 2];
  char what[160];
  snprintf(what, sizeof what,
           "PUMA F10 T = 20 s, %zu evaluations, medians of 5 seeds: predicted torques by "
           "minimum-condition over D-optimal designs",
           evaluations);
  arm_base_free(base);
  free(vectors);
  return show("18.5", what, ratio, ">=2.5", ratio >= 2.5);
}

/* ---- 18.6: beside a recorded motion ---- */

enum { FIRST_ROW = 635, LAST_ROW = 3510, ROWS = LAST_ROW - FIRST_ROW + 1, REACH = 20, UR = 6 };

typedef struct {
  double t[ROWS], x[3][UR * ROWS]; /* q, qd, qdd by columns */
} Motion;

/* The cubic through REACH samples to either side, about t[at]: its value and derivatives. */
static void smooth(const double *t, const double *q, double out[3]) {
  double a[4][5] = {{0}};
  for (int k = -REACH; k <= REACH; k++) {
    const double s = t[k] - t[0], power[4] = {1, s, s * s, s * s * s};
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++)
        a[i][j] += power[i] * power[j];
      a[i][4] += power[i] * q[k];
    }
  }
  for (int c = 0; c < 4; c++) /* positive definite: no pivots */
    for (int i = 0; i < 4; i++) {
      const double f = i == c ? 0 : a[i][c] / a[c][c];
      for (int j = c; j < 5; j++)
        a[i][j] -= f * a[c][j];
    }
  out[0] = a[0][4] / a[0][0];
  out[1] = a[1][4] / a[1][1];
  out[2] = 2 * a[2][4] / a[2][2];
}

static bool read_recorded(Motion *motion) {
  static double t[LAST_ROW + REACH + 2], q[UR][LAST_ROW + REACH + 2];
  char *text = vectors_read("datasets/ur10e/fourier/30sec_12harm.csv"), *at = text;
  size_t row = 0;
  for (; at && *at && row < LAST_ROW + REACH + 1; row++) {
    t[row] = strtod(at, &at);
    for (size_t j = 0; j < UR; j++)
      q[j][row] = strtod(at + 1, &at);
    at = strchr(at, '\n');
    at += at ? 1 : 0;
  }
  free(text);
  for (size_t k = 0; k < ROWS && row > LAST_ROW + REACH; k++) {
    motion->t[k] = t[FIRST_ROW - 1 + k];
    for (size_t j = 0; j < UR; j++) {
      double x[3];
      smooth(t + FIRST_ROW - 1 + k, q[j] + FIRST_ROW - 1 + k, x);
      for (int d = 0; d < 3; d++)
        motion->x[d][j * ROWS + k] = x[d];
    }
  }
  return row > LAST_ROW + REACH;
}

/* What the recorded motion used becomes the limits. */
static void take_limits(const Motion *motion, ArmModel *model) {
  for (size_t j = 0; j < UR; j++) {
    ArmLimits *limits = &model->joints[j].limits;
    *limits = (ArmLimits){.q_min = (double)INFINITY, .q_max = -(double)INFINITY};
    for (size_t k = j * ROWS; k < (j + 1) * ROWS; k++) {
      limits->q_min = fmin(limits->q_min, motion->x[0][k]);
      limits->q_max = fmax(limits->q_max, motion->x[0][k]);
      limits->speed_max = fmax(limits->speed_max, fabs(motion->x[1][k]));
      limits->accel_max = fmax(limits->accel_max, fabs(motion->x[2][k]));
    }
    printf("# joint %zu: %.3g .. %.3g rad, %.3g rad/s, %.3g rad/s^2\n", j + 1, limits->q_min,
           limits->q_max, limits->speed_max, limits->accel_max);
  }
}

/* DH of the data sheet. */
static void ur10e(ArmModel *model) {
  static const double mdh[UR][3] = {{0, 0, 0.1807},
                                    {1.57079632679489662, 0, 0},
                                    {0, -0.6127, 0},
                                    {0, -0.57155, 0.17415},
                                    {1.57079632679489662, 0, 0.11985},
                                    {-1.57079632679489662, 0, 0.11655}};
  must(arm_model_init(model, UR), "model");
  for (size_t j = 0; j < UR; j++)
    arm_joint_set_mdh(&model->joints[j], ARM_JOINT_R, mdh[j][0], mdh[j][1], 0, mdh[j][2]);
}

static double condition_of(const ArmBase *base, const ArmModel *model, const Motion *motion) {
  static const double noise[UR] = {1, 1, 1, 1, 1, 1};
  ArmMotionLimits limits;
  ArmExcitation *found = NULL;
  must(arm_motion_limits(model, &limits, NULL, NULL), "limits");
  must(arm_excitation_new(base, model, &limits, ROWS, motion->x[0], motion->x[1], motion->x[2],
                          noise, &found),
       "condition");
  const double condition = found->cond_scaled;
  arm_excitation_free(found);
  return condition;
}

/* One over the lengths of the recorded columns. */
static void scale_by(const ArmBase *base, const ArmModel *model, const Motion *motion,
                     double *scale) {
  static double y[UR * P];
  memset(scale, 0, base->count * sizeof *scale);
  for (size_t k = 0; k < ROWS; k++) {
    double x[3][UR];
    for (int d = 0; d < 3; d++)
      for (size_t j = 0; j < UR; j++)
        x[d][j] = motion->x[d][j * ROWS + k];
    must(arm_base_regressor(base, model, x[0], x[1], x[2], y), "regressor");
    for (size_t j = 0; j < UR; j++)
      for (size_t b = 0; b < base->count; b++)
        scale[b] += y[j * base->count + b] * y[j * base->count + b];
  }
  for (size_t b = 0; b < base->count; b++)
    scale[b] = 1 / sqrt(scale[b]);
}

static bool show_ur10e(size_t evaluations) {
  static ArmModel model;
  static Motion recorded, designed;
  static double scale[P];
  ArmBase *base = NULL;
  ArmTrajectory design = {0};
  if (!read_recorded(&recorded))
    return show("18.6", "../shared/datasets/ur10e is not there", 0, "there", false);
  ur10e(&model);
  take_limits(&recorded, &model);
  must(arm_base_new(&model, full, ARM_BASE_CLOSED_FORM, &base), "base parameters");
  const double target = condition_of(base, &model, &recorded);
  scale_by(base, &model, &recorded, scale);
  const ArmTrajectoryOptions options = {
      .basis = {ARM_BASIS_FOURIER, 12, recorded.t[ROWS - 1] - recorded.t[0], false},
      .criterion = {.kind = ARM_CRITERION_COND_P, .scale = scale},
      .seed = 1,
      .evaluations = evaluations};
  must(arm_trajectory_design(&model, base, &options, &design, NULL), "design");
  for (size_t k = 0; k < ROWS; k++) { /* at the same times */
    double x[3][UR];
    arm_basis_motion(&design.basis, UR, design.c, recorded.t[k] - recorded.t[0], x[0], x[1], x[2]);
    for (int d = 0; d < 3; d++)
      for (size_t j = 0; j < UR; j++)
        designed.x[d][j * ROWS + k] = x[d][j];
  }
  const double condition = condition_of(base, &model, &designed);
  char what[160], goal[40];
  snprintf(what, sizeof what,
           "UR10e, %zu columns, %.3g s: column-scaled condition of a design of 12 "
           "harmonics, %zu evaluations",
           base->count, options.basis.period_s, evaluations);
  snprintf(goal, sizeof goal, "<=%.4g (recorded)", target);
  arm_trajectory_clear(&design);
  arm_base_free(base);
  return show("18.6", what, condition, goal, condition <= target);
}

/* ---- 18.7: limits, and searches that are cancelled ---- */

static void random_arm(TestRng *rng, ArmModel *model) {
  base_random_arm(rng, 1 + test_rng_below(rng, 6), model);
  for (size_t j = 0; j < model->n; j++) {
    const double middle = test_rng_uniform(rng, -1, 1), half = test_rng_uniform(rng, 0.3, 3);
    model->joints[j].limits = (ArmLimits){.q_min = middle - half,
                                          .q_max = middle + half,
                                          .speed_max = test_rng_uniform(rng, 0.3, 4),
                                          .accel_max = test_rng_uniform(rng, 1, 15)};
  }
}

typedef void MotionAt(const void *motion, double t, double *q, double *qd, double *qdd);

static void trajectory_at(const void *motion, double t, double *q, double *qd, double *qdd) {
  const ArmTrajectory *design = motion;
  arm_basis_motion(&design->basis, design->n, design->c, t, q, qd, qdd);
}

static void sequence_at(const void *motion, double t, double *q, double *qd, double *qdd) {
  arm_sequence_at(motion, t, q, qd, qdd);
}

/* Numbers beyond a limit among `samples` times. */
static size_t beyond(const ArmModel *model, MotionAt *at, const void *motion, double duration,
                     size_t samples) {
  ArmMotionLimits limits;
  ArmMotionViolation violations[3 * BASE_JOINTS];
  size_t count = 0;
  must(arm_motion_limits(model, &limits, NULL, NULL), "limits");
  for (size_t s = 0; s <= samples; s++) {
    double q[BASE_JOINTS], qd[BASE_JOINTS], qdd[BASE_JOINTS];
    at(motion, duration * (double)s / (double)samples, q, qd, qdd);
    count += arm_motion_violations(&limits, 1, q, qd, qdd, violations);
  }
  return count;
}

typedef struct {
  size_t end; /* evaluations after which it is cancelled */
} Cancel;

static bool watch(size_t evaluations, void *user) {
  return evaluations < ((const Cancel *)user)->end;
}

static bool watch_points(size_t evaluations, const double *m, void *user) {
  (void)m;
  return watch(evaluations, user);
}

/* Designs a motion of every kind in turn and counts what is beyond a limit. */
static size_t design_one(TestRng *rng, size_t k, size_t end) {
  static ArmModel model;
  Cancel cancel = {end};
  ArmBase *base = NULL;
  size_t count;
  random_arm(rng, &model);
  must(arm_base_new(&model, k % 2 ? full : 0, ARM_BASE_CLOSED_FORM, &base), "base parameters");
  if (k % 4 < 3) {
    const bool is_spline = k % 4 == 2;
    const size_t order = is_spline ? 12 + test_rng_below(rng, 20) : 4 + test_rng_below(rng, 8);
    const ArmTrajectoryOptions options = {
        .basis = {is_spline ? ARM_BASIS_SPLINE : ARM_BASIS_FOURIER, order,
                  test_rng_uniform(rng, 5, 30), k / 4 % 2},
        .criterion = {.kind = k % 3 ? ARM_CRITERION_D : ARM_CRITERION_COND_P},
        .seed = k,
        .evaluations = 1000000,
        .watch = watch,
        .user = &cancel};
    ArmTrajectory design = {0};
    must(arm_trajectory_design(&model, base, &options, &design, NULL), "design");
    const size_t dense = is_spline ? 640 : 2000; /* per knot or harmonic: ten times what is used */
    count = beyond(&model, trajectory_at, &design, options.basis.period_s, dense * order);
    arm_trajectory_clear(&design);
  } else {
    const ArmPointsOptions options = {.r = 60,
                                      .criterion = {.kind = ARM_CRITERION_D},
                                      .has_margin = true,
                                      .seed = k,
                                      .evaluations = 1000000,
                                      .watch = watch_points,
                                      .user = &cancel};
    ArmPoints points = {0};
    ArmSequence *sequence = NULL;
    must(arm_points_design(&model, &options, &points, NULL), "points");
    must(arm_sequence_new(&model, &points, k / 4 % 2, &sequence), "sequence");
    const double duration = arm_sequence_duration(sequence);
    count = beyond(&model, sequence_at, sequence, duration, (size_t)(duration * 1e4));
    arm_sequence_free(sequence);
    arm_points_clear(&points);
  }
  arm_base_free(base);
  return count;
}

static bool show_limits(size_t arms) {
  TestRng rng;
  size_t broken = 0, cancelled = 0;
  test_rng_init(&rng, 187);
  for (size_t k = 0; k < arms; k++)
    broken += design_one(&rng, k, 60) > 0;
  for (size_t k = 0; k < 20; k++)
    cancelled += design_one(&rng, k, test_rng_below(&rng, 1000)) > 0;
  char what[160];
  snprintf(what, sizeof what,
           "of %zu random arms, series, splines and points, those beyond a limit on a grid ten "
           "times as dense",
           arms);
  bool is_good = show("18.7", what, (double)broken, "0", broken == 0);
  is_good = show("18.7",
                 "of 20 searches cancelled after 0 to 999 evaluations, designs beyond a "
                 "limit",
                 (double)cancelled, "0", cancelled == 0) &&
            is_good;
  return is_good;
}

int main(int argc, char **argv) {
  const char *which = argc > 1 ? argv[1] : "";
  const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  if (strcmp(which, "accuracy") == 0)
    return show_accuracy(count ? count : 3000) ? 0 : 1;
  if (strcmp(which, "ur10e") == 0)
    return show_ur10e(count ? count : 3000) ? 0 : 1;
  if (strcmp(which, "limits") == 0)
    return show_limits(count ? count : 200) ? 0 : 1;
  fprintf(stderr, "show_excite accuracy|ur10e|limits [COUNT]\n");
  return 2;
}
