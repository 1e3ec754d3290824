/* SPDX-License-Identifier: MIT */
#include "support/completion.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arm/dyn.h"
#include "core/dynamics/logchol.h"
#include "core/num/lsq.h"
#include "support/dyn_random.h"

enum { P = ARM_INERTIA_PARAMETERS, N = ARM_MAX_JOINTS };

static void fatal(const char *what) {
  fprintf(stderr, "completion: %s\n", what);
  abort();
}

static void random_state(TestRng *rng, const ArmModel *model, double *q, double *qd, double *qdd) {
  for (size_t j = 0; j < model->n; j++) {
    const double range = model->joints[j].type == ARM_JOINT_R ? 3.14159 : 0.5;
    q[j] = test_rng_uniform(rng, -range, range);
    qd[j] = test_rng_normal(rng);
    qdd[j] = 2 * test_rng_normal(rng);
  }
}

/* Rows [Y_b | 1 of the torque beta gives] of all joints. */
static void rows_of(const Completion *c, TestRng *rng, double *y, double *tau) {
  double q[N], qd[N], qdd[N];
  random_state(rng, &c->model, q, qd, qdd);
  if (arm_base_regressor(c->base, &c->model, q, qd, qdd, y) != ARM_OK)
    fatal("regressor");
  for (size_t j = 0; j < c->n; j++) {
    tau[j] = 0;
    for (size_t b = 0; b < c->p; b++)
      tau[j] += y[c->p * j + b] * c->beta[b];
  }
}

static void fold(Completion *c, ArmLsq **lsq, TestRng *rng, size_t samples, const double *sigma,
                 double *square) {
  double *y = calloc(c->n * c->p, sizeof *y), tau[N], row[P * N + 1];
  if (!y)
    fatal("memory");
  for (size_t k = 0; k < samples; k++) {
    rows_of(c, rng, y, tau);
    for (size_t j = 0; j < c->n; j++) {
      memcpy(row, y + c->p * j, c->p * sizeof *row);
      row[c->p] = c->eta[j] * tau[j] + sigma[j] * test_rng_normal(rng);
      square[j] += row[c->p] * row[c->p] / (double)samples;
      if (arm_lsq_push(lsq[j], row) != ARM_OK)
        fatal("rows");
    }
  }
  free(y);
}

static void take_triangle(Completion *c, size_t j, ArmLsq *lsq) {
  double *t = calloc((c->p + 1) * (c->p + 1), sizeof *t);
  if (!t)
    fatal("memory");
  arm_lsq_triangle(lsq, t);
  for (size_t b = 0; b < c->p; b++)
    memcpy(c->triangles + c->p * (c->p * j + b), t + (c->p + 1) * b, c->p * sizeof *t);
  memcpy(c->rights + c->p * j, t + (c->p + 1) * c->p, c->p * sizeof *t);
  c->data.triangle[j] = c->triangles + c->p * c->p * j;
  c->data.right[j] = c->rights + c->p * j;
  free(t);
}

void completion_new(Completion *c, const ArmModel *model, TestRng *rng, size_t samples,
                    const double *eta, const double *sigma) {
  ArmLsq *lsq[N];
  double square[N] = {0};
  memset(c, 0, sizeof *c);
  c->model = *model;
  c->n = model->n;
  if (arm_base_new(model, 0, ARM_BASE_CLOSED_FORM, &c->base) != ARM_OK)
    fatal("base");
  c->p = c->base->count;
  (void)arm_inertia_nominal(model, c->pi);
  memcpy(c->nominal, c->pi, sizeof c->nominal);
  arm_base_values(c->base, c->pi, c->beta);
  memcpy(c->eta, eta, c->n * sizeof *eta);
  c->triangles = calloc(c->n * c->p * c->p, sizeof *c->triangles);
  c->rights = calloc(c->n * c->p, sizeof *c->rights);
  for (size_t j = 0; j < c->n; j++)
    lsq[j] = arm_lsq_new(c->p + 1);
  fold(c, lsq, rng, samples, sigma, square);
  c->data.count = c->p;
  c->data.map = c->base->map;
  c->data.nominal = c->nominal;
  for (size_t j = 0; j < c->n; j++) {
    take_triangle(c, j, lsq[j]);
    c->data.sigma[j] = sigma[j] > 0 ? sigma[j] : 1e-6 * fmax(sqrt(square[j]), 1e-3);
    c->data.eta[j] = c->data.eta_prior[j] = eta[j];
    arm_lsq_free(lsq[j]);
  }
}

void completion_free(Completion *c) {
  arm_base_free(c->base);
  free(c->triangles);
  free(c->rights);
}

void completion_spoil(Completion *c, TestRng *rng, double sd) {
  for (size_t i = 0; i < c->n; i++) {
    double x[ARM_LOGCHOL];
    if (arm_logchol_from_inertia(c->pi + P * i, x) != ARM_OK)
      continue; /* no body: stays */
    for (size_t k = 0; k < ARM_LOGCHOL; k++)
      x[k] += (k < 4 ? sd : sd / 10) * test_rng_normal(rng);
    arm_logchol_to_inertia(x, c->nominal + P * i);
  }
}

void completion_add_tool(ArmModel *model, double mass, const double at[3]) {
  ArmLink *link = &model->joints[model->n - 1].link;
  ArmLink ball = {.is_present = true, .mass_kg = mass};
  double pi[P], tool[P];
  memcpy(ball.com_m, at, sizeof ball.com_m);
  for (int k = 0; k < 3; k++)
    ball.inertia_com_kg_m2[k] = 2 * mass * 0.04 * 0.04;
  arm_inertia_from_link(link, pi);
  arm_inertia_from_link(&ball, tool);
  for (size_t k = 0; k < P; k++)
    pi[k] += tool[k];
  if (arm_inertia_to_link(pi, link) != ARM_OK)
    fatal("tool");
}

/* ---- judging ---- */

/* |R (beta - best)|^2 / p, R and best of all joints at the true eta. */
static double distance(const Completion *c, const double *beta, double *truth) {
  const size_t p = c->p, m = c->n * p;
  double *a = calloc(m * (p + 1), sizeof *a), *best = calloc(p, sizeof *best);
  ArmSvdWork *work = arm_svd_work_new(m, p);
  double sum = 0;
  if (!a || !best || !work)
    fatal("memory");
  for (size_t j = 0; j < c->n; j++) {
    for (size_t e = 0; e < p * p; e++)
      a[p * j + e % p + m * (e / p)] = c->eta[j] / c->data.sigma[j] * c->triangles[p * p * j + e];
    for (size_t r = 0; r < p; r++)
      a[p * j + r + m * p] = c->rights[p * j + r] / c->data.sigma[j];
  }
  if (arm_svd_solve(work, m, p, a, a + m * p, 1e-14, best, NULL, NULL, NULL) != ARM_OK)
    fatal("svd");
  *truth = 0;
  for (size_t r = 0; r < m; r++) {
    double to_best = 0, to_truth = 0;
    for (size_t b = 0; b < p; b++) {
      to_best += a[r + m * b] * (beta[b] - best[b]);
      to_truth += a[r + m * b] * (beta[b] - c->beta[b]);
    }
    sum += to_best * to_best;
    *truth += to_truth * to_truth;
  }
  *truth /= (double)p;
  arm_svd_work_free(work);
  free(a);
  free(best);
  return sum / (double)p;
}

static double held_out(const Completion *c, const double *beta, const double *eta, uint64_t seed) {
  double *y = calloc(c->n * c->p, sizeof *y), tau[N], error = 0, square = 0;
  TestRng rng;
  if (!y)
    fatal("memory");
  test_rng_init(&rng, seed);
  for (size_t k = 0; k < 200; k++) {
    rows_of(c, &rng, y, tau);
    for (size_t j = 0; j < c->n; j++) {
      double got = 0;
      for (size_t b = 0; b < c->p; b++)
        got += y[c->p * j + b] * beta[b];
      const double off = (eta[j] * got - c->eta[j] * tau[j]) / c->eta[j];
      error += off * off;
      square += tau[j] * tau[j];
    }
  }
  free(y);
  return sqrt(error / square);
}

CompletionErrors completion_judge(const Completion *c, const ArmConsistent *result, uint64_t seed) {
  CompletionErrors e;
  double beta[P * N];
  arm_base_values(c->base, result->pi, beta);
  e.from_optimum = distance(c, beta, &e.from_truth);
  e.held_out = held_out(c, beta, result->eta, seed);
  return e;
}

double completion_mass_matrix(const ArmModel *model, const double *pi, size_t poses, TestRng *rng) {
  double m[N * N], l[N], work[4 * N], q[N], qd[N], qdd[N], least = (double)INFINITY;
  ArmDyn dyn;
  const lapack_int n = (lapack_int)model->n;
  if (arm_dyn_init(&dyn, model) != ARM_OK)
    fatal("arm");
  for (size_t k = 0; k < poses; k++) {
    random_state(rng, model, q, qd, qdd);
    arm_dyn_mass(&dyn, pi, q, m);
    if (LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'N', 'U', n, m, n, l, work, 4 * N))
      fatal("eigenvalues");
    least = fmin(least, l[0] / l[n - 1]);
  }
  return least;
}
