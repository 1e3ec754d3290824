/* SPDX-License-Identifier: MIT */
/* Line 17.5c: what the completion of six links costs, and that bodies come out of it: the PUMA of
 * Gautier and Khalil's numbers, nominal links 30 % and 3 cm off, or without the 2 kg of a tool. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/base_case.h"
#include "support/completion.h"

enum { SEEDS = 21, POSES = 500 };

typedef enum { OFF = 0, TOOL, TORQUE_CONSTANTS } Kind;

typedef struct {
  double ms[SEEDS];
  size_t steps, failed, no_bodies, indefinite;
} Figures;

static bool show(const char *what, double measured, double target) {
  const bool is_pass = measured <= target;
  printf("SHOW 17.5c %s measured=%.4g target=<=%g %s\n", what, measured, target,
         is_pass ? "PASS" : "FAIL");
  return is_pass;
}

static double milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static void make(const ArmModel *bare, Kind kind, TestRng *rng, Completion *c) {
  const double at[3] = {0.06, 0.03, 0.08};
  double eta[6], sigma[6];
  ArmModel model = *bare;
  for (size_t j = 0; j < 6; j++) {
    eta[j] = 0.1 + 0.03 * (double)j;
    sigma[j] = 0.02;
  }
  if (kind != OFF)
    completion_add_tool(&model, 2, at);
  completion_new(c, &model, rng, 2000, eta, sigma);
  if (kind == OFF)
    completion_spoil(c, rng, 0.3);
  else
    (void)arm_inertia_nominal(bare, c->nominal);
  for (size_t j = 0; j < 6 && kind == TORQUE_CONSTANTS; j++) {
    c->data.eta_sd[j] = 0.15;
    c->data.eta[j] = c->data.eta_prior[j] = eta[j] * exp(0.15 * test_rng_normal(rng));
  }
}

static void run(const ArmModel *bare, Kind kind, size_t k, Figures *f) {
  TestRng rng;
  Completion c;
  ArmConsistent r;
  test_rng_init(&rng, 175 + k);
  make(bare, kind, &rng, &c);
  c.data.is_doubtful[5] = kind == TOOL;
  const double begin = milliseconds();
  const ArmStatus status = arm_consistent(&c.model, &c.data, NULL, &r);
  f->ms[k] = milliseconds() - begin;
  if (status == ARM_OK) {
    f->steps = r.iterations > f->steps ? r.iterations : f->steps;
    for (size_t i = 0; i < 6; i++)
      f->no_bodies += arm_inertia_check(r.pi + 10 * i).flaw != ARM_INERTIA_CONSISTENT;
    f->indefinite += !(completion_mass_matrix(&c.model, r.pi, POSES, &rng) > 0);
  }
  f->failed += status != ARM_OK;
  completion_free(&c);
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static bool show_kind(const ArmModel *bare, Kind kind, const char *what, double target) {
  Figures f = {.steps = 0};
  char text[160];
  for (size_t k = 0; k < SEEDS; k++)
    run(bare, kind, k, &f);
  qsort(f.ms, SEEDS, sizeof *f.ms, by_size);
  printf("# %s: at most %zu steps, %.3g ms\n", what, f.steps, f.ms[SEEDS - 1]);
  snprintf(text, sizeof text, "six links, %s, median of %d, CPU time [ms]", what, SEEDS);
  bool is_pass = show(text, f.ms[SEEDS / 2], target);
  snprintf(text, sizeof text,
           "%s: not completed, links that are no bodies, mass matrices not positive definite",
           what);
  return show(text, (double)(f.failed + f.no_bodies + f.indefinite), 0) && is_pass;
}

int main(void) {
  BaseCase *cases = base_cases_load();
  const BaseCase *puma = NULL;
  for (size_t k = 0; cases && k < BASE_CASES; k++)
    if (strcmp(cases[k].name, "PUMA560-GK") == 0)
      puma = cases + k;
  if (!puma)
    return 1;
  bool is_pass = show_kind(&puma->model, OFF, "log-det, nominal 30 % off", 25);
  is_pass = show_kind(&puma->model, TOOL, "log-Cholesky, unknown tool", 100) && is_pass;
  is_pass = show_kind(&puma->model, TORQUE_CONSTANTS, "unknown torque constants and tool", 100) &&
            is_pass;
  free(cases);
  return is_pass ? 0 : 1;
}
