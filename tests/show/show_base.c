/* SPDX-License-Identifier: MIT */
/* Line 17.1: base parameters of the arms that come with the program, of 27 known ones and of random
 * ones, in three ways. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/arm/inertia.h"
#include "core/dynamics/ways.h"
#include "io/arm/arm_file.h"
#include "support/base_study.h"

static bool show(const char *what, double measured, double target) {
  const bool is_pass = measured <= target;
  printf("SHOW 17.1 %s measured=%.4g target=<=%g %s\n", what, measured, target,
         is_pass ? "PASS" : "FAIL");
  return is_pass;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t count_of(const ArmModel *model, unsigned with, ArmBaseWay way) {
  ArmBase *base = NULL;
  if (arm_base_new(model, with, way, &base) != ARM_OK)
    return 0;
  const size_t count = base->count;
  arm_base_free(base);
  return count;
}

/* ---- arm files ---- */

static bool show_shipped(void) {
  static const struct {
    const char *file;
    size_t count, with_rotors;
  } arms[] = {{"puma560", 36, 40}, {"stanford", 33, 37},  {"scara", 8, 11},
              {"ur10e", 36, 40},   {"kuka-lwr4", 43, 48}, {"panda", 43, 48}};
  size_t wrong = 0;
  for (size_t k = 0; k < G_N_ELEMENTS(arms); k++) {
    char *path = g_strdup_printf("data/robots/%s.arm.json", arms[k].file);
    GError *error = NULL;
    ArmBaseWays ways;
    AioArm *arm = aio_arm_load(test_source_path(path), &error);
    g_free(path);
    if (!arm) {
      printf("# %s\n", error->message);
      g_error_free(error);
      wrong++;
      continue;
    }
    const size_t count = count_of(&arm->model, 0, ARM_BASE_CLOSED_FORM);
    const size_t rotors = count_of(&arm->model, ARM_BASE_WITH_ROTOR, ARM_BASE_CLOSED_FORM);
    const bool agree = arm_base_compare(&arm->model, &ways) == ARM_OK && ways.distance < 1e-12;
    printf("# %s: %zu base parameters, %zu with rotors%s\n", arm->name, count, rotors,
           agree ? "" : ", ways disagree");
    wrong += count != arms[k].count || rotors != arms[k].with_rotors || !agree;
    aio_arm_free(arm);
  }
  return show("PUMA 560 36, Stanford arm 33, SCARA 8, UR10e 36, KUKA LWR4+ 43, Panda 43, with "
              "rotors 40 37 11 40 48 48: arms with other numbers, or ways that disagree",
              (double)wrong, 0);
}

/* ---- known arms ---- */

static double value_error(const ArmBase *base, const BaseSet *want, const double *pi) {
  double beta[BASE_COLUMNS], error = 0, largest = 0;
  if (base->count != want->count)
    return (double)INFINITY;
  arm_base_values(base, pi, beta);
  for (size_t b = 0; b < base->count; b++) {
    if (base->kept[b] != want->column[b])
      return (double)INFINITY;
    largest = fmax(largest, fabs(want->beta[b]));
    error = fmax(error, fabs(beta[b] - want->beta[b]));
  }
  return error / (1 + largest);
}

static bool show_known(void) {
  BaseCase *cases = base_cases_load();
  double worst = cases ? 0 : (double)INFINITY, constants = worst;
  for (size_t k = 0; cases && k < BASE_CASES; k++) {
    const BaseCase *c = cases + k;
    ArmBase *closed = NULL, *qr = NULL;
    double pi[BASE_COLUMNS], body[BASE_COLUMNS], largest = 0, error = 0;
    if (arm_base_new(&c->model, 0, ARM_BASE_CLOSED_FORM, &closed) != ARM_OK ||
        arm_base_new(&c->model, 0, ARM_BASE_QR, &qr) != ARM_OK)
      return show("27 known arms", 1, 0);
    (void)arm_inertia_nominal(&c->model, pi);
    worst = fmax(worst, value_error(closed, &c->closed, pi));
    worst = fmax(worst, value_error(qr, &c->qr, pi));
    arm_composite_constants(&c->model, pi, body);
    for (size_t p = 0; c->has_constants && p < 10 * c->model.n; p++) {
      largest = fmax(largest, fabs(c->constants[p]));
      error = fmax(error, fabs(body[p] - c->constants[p]));
    }
    constants = fmax(constants, error / (1 + largest));
    arm_base_free(closed);
    arm_base_free(qr);
  }
  free(cases);
  const bool is_pass = show("27 known arms, closed form and QR: error of base parameters over "
                            "1 + largest (infinite: another set)",
                            worst, 1e-12);
  return show("9 of them, Lin's composite constants: the same", constants, 1e-12) && is_pass;
}

/* ---- random arms ---- */

static bool show_random(size_t arms) {
  BaseStudy r;
  char what[200];
  base_study(1, arms, &r);
  printf("# %zu arms: %zu with a joint that slides obliquely, %zu with a delta = 0, %zu with a "
         "sigma = 0; singular values fall by %.2g at the rank, at least\n",
         r.arms, r.oblique, r.delta_zero, r.sigma_zero, r.gap);
  snprintf(what, sizeof what,
           "%zu random R/T arms: closed form, composite constants, QR and singular values that do "
           "not agree in count",
           r.arms);
  bool is_pass = show(what, (double)r.disagree, 0);
  is_pass &= show("the same: largest distance of their spans", r.span, 1e-9);
  is_pass &= show("the same: base regressor times base parameters against inverse dynamics about "
                  "the centres of mass, over 1 + largest torque",
                  r.torque, 1e-12);
  return is_pass;
}

static void tell_times(void) {
  static const size_t sizes[] = {6, 7, 12, 32};
  ArmModel model;
  TestRng rng;
  test_rng_init(&rng, 3);
  for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++) {
    base_random_arm(&rng, sizes[k], &model);
    const double start = seconds();
    (void)count_of(&model, 0, ARM_BASE_CLOSED_FORM);
    const double closed = seconds();
    (void)count_of(&model, 15, ARM_BASE_CLOSED_FORM);
    printf("# %zu joints: closed form %.2g ms, with all other columns %.3g ms of CPU\n", sizes[k],
           1e3 * (closed - start), 1e3 * (seconds() - closed));
  }
}

int main(int argc, char **argv) {
  const size_t arms = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 500;
  bool is_pass = show_shipped();
  is_pass &= show_known();
  is_pass &= show_random(arms);
  tell_times();
  return is_pass ? 0 : 1;
}
