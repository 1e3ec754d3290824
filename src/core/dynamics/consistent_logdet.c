/* SPDX-License-Identifier: MIT */
/* The convex completion: Newton's method in the metric that log det has at each link, whose steps
 * are ridge regression. Sources: Lee, Wensing and Park 2020; Boyd and Vandenberghe, Convex
 * Optimization, 9.5 (when to stop). */
#include "core/dynamics/consistent_internal.h"

#include <math.h>
#include <string.h>

enum { P = ARM_INERTIA_PARAMETERS, MOST = 60, HALVINGS = 60 };
/* Armature theory notes, full dynamics, section 4: when Newton stops, and the part of the promised
 * fall that a step must keep (Armijo). */
#define LEAST_DECREMENT 1e-10
#define KEPT_FALL       1e-4

typedef struct {
  ArmConsistentWork *work;
  double weight;                         /* gam */
  double u0[ARM_MAX_JOINTS][ARM_PSEUDO]; /* of the nominal links */
  double cost;
} LogDet;

/* F and G = U0^-1 F of a link. false: it is no body. */
static bool relative(const LogDet *l, size_t link, const double *pi, double *f, double *g) {
  double pseudo[ARM_PSEUDO];
  arm_pseudo_from_inertia(pi, pseudo);
  if (!arm_pseudo_factor(pseudo, f))
    return false;
  arm_pseudo_over(l->u0[link], f, g);
  return true;
}

/* 1/2 chi2 + gam sum [ tr - log det ], 0 at P = P0; infinite where a link is no body. */
static double cost_at(const LogDet *l, const ArmConsistentState *state) {
  double bracket = 0;
  for (size_t i = 0; i < l->work->n; i++) {
    double f[ARM_PSEUDO], g[ARM_PSEUDO];
    if (!relative(l, i, state->pi + P * i, f, g))
      return (double)INFINITY;
    for (int k = 0; k < ARM_PSEUDO; k++)
      bracket += g[k] * g[k];
    for (int k = 0; k < 4; k++)
      bracket -= 2 * log(g[5 * k]) + 1;
  }
  return arm_consistent_chi2(l->work, state) / 2 + l->weight * bracket;
}

/* Column k of M: dP = (f_a f_b^T + f_b f_a^T) / sqrt 2, or f_a f_a^T. */
static void metric_column(const double *f, int a, int b, double *column) {
  const double share = a == b ? 0.5 : sqrt(0.5);
  double change[ARM_PSEUDO];
  for (int c = 0; c < 4; c++)
    for (int r = 0; r < 4; r++)
      change[r + 4 * c] = share * (f[r + 4 * a] * f[c + 4 * b] + f[r + 4 * b] * f[c + 4 * a]);
  arm_pseudo_to_inertia(change, column);
}

/* At P_i = F F^T, of a change dP_i = F S F^T, s = S as ten numbers of the same norm
 *
 *   E = F^T P0^-1 F - 1
 *   gam [ tr(P0^-1 P) - log det P ] = const + gam [ tr(S E) + |s|^2 / 2 + ... ]
 *
 * so that a step is ridge regression with D = sqrt(gam), d = sqrt(gam) e, whose matrix has the
 * root of the Hessian's condition.
 *
 * Sets M, D and d. false: a link is no body, which no state here is. */
static bool set_metric(LogDet *l, const ArmConsistentState *state) {
  ArmConsistentWork *w = l->work;
  const double root = sqrt(l->weight);
  for (size_t i = 0, at = 0; i < w->n; i++) {
    double f[ARM_PSEUDO], g[ARM_PSEUDO];
    if (!relative(l, i, state->pi + P * i, f, g))
      return false;
    for (int b = 0; b < 4; b++)
      for (int a = 0; a <= b; a++, at++) {
        double e = a == b ? -1 : 0;
        for (int k = 0; k <= a; k++)
          e += g[k + 4 * a] * g[k + 4 * b];
        metric_column(f, a, b, w->metric + P * at);
        w->diagonal[at] = root;
        w->pull[at] = root * (a == b ? e : sqrt(2.0) * e);
      }
  }
  return true;
}

/* Goes along the step as far as the cost falls. false: nowhere. */
static bool search(LogDet *l, ArmConsistentState *state, double decrement) {
  double change[P * ARM_MAX_JOINTS] = {0}, t = 1;
  for (size_t i = 0; i < l->work->n; i++)
    arm_consistent_change(l->work, i, change + P * i);
  for (int k = 0; k < HALVINGS; k++, t /= 2) {
    ArmConsistentState trial = *state;
    for (size_t e = 0; e < P * l->work->n; e++)
      trial.pi[e] += t * change[e];
    const double cost = cost_at(l, &trial);
    if (cost <= l->cost - KEPT_FALL * t * decrement) {
      *state = trial;
      l->cost = cost;
      return true;
    }
  }
  return false;
}

/* One step. ARM_E_NUMERIC: it fails. */
static ArmStatus advance(LogDet *l, ArmConsistentState *state, bool *is_done) {
  double decrement;
  ArmStatus status = arm_consistent_linearise(l->work, state);
  if (status != ARM_OK)
    return status;
  arm_consistent_hold_eta(l->work, false);
  status = set_metric(l, state) ? arm_consistent_step(l->work, &decrement) : ARM_E_NUMERIC;
  if (status != ARM_OK)
    return status;
  *is_done = decrement <= LEAST_DECREMENT * (1 + l->cost);
  if (*is_done)
    return ARM_OK;
  state->iterations++;
  return search(l, state, decrement) ? ARM_OK : ARM_E_NUMERIC;
}

ArmStatus arm_consistent_logdet(ArmConsistentWork *work, const ArmConsistentOptions *options,
                                ArmConsistentState *state) {
  const size_t most = options->iterations ? options->iterations : MOST;
  LogDet l = {.work = work,
              .weight = options->weight > 0 ? options->weight : ARM_CONSISTENT_WEIGHT};
  bool is_done = false;
  for (size_t i = 0; i < work->n; i++) {
    double pseudo[ARM_PSEUDO];
    arm_pseudo_from_inertia(work->nominal + P * i, pseudo);
    if (!arm_pseudo_factor(pseudo, l.u0[i]))
      return ARM_E_NUMERIC;
  }
  l.cost = cost_at(&l, state);
  while (!is_done) {
    if (options->progress &&
        !options->progress((double)state->iterations / (double)most, options->user))
      return ARM_E_NO_DATA;
    if (state->iterations == most)
      return ARM_E_NUMERIC;
    const ArmStatus status = advance(&l, state, &is_done);
    if (status != ARM_OK)
      return status;
  }
  arm_consistent_hold_eta(work, true);
  return arm_consistent_step(work, &l.cost);
}
