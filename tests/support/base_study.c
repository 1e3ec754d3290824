/* SPDX-License-Identifier: MIT */
#include "support/base_study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/arm/inertia.h"
#include "core/dynamics/base.h"
#include "support/dyn_random.h"

static double torque_error(const ArmBase *base, const ArmModel *model, TestRng *rng) {
  const size_t n = model->n;
  double q[BASE_JOINTS], qd[BASE_JOINTS], qdd[BASE_JOINTS], tau[BASE_JOINTS];
  double pi[BASE_COLUMNS], beta[BASE_COLUMNS], y[BASE_COLUMNS * BASE_JOINTS];
  double largest = 0, error = 0;
  dyn_random_vector(rng, n, 3, q);
  dyn_random_vector(rng, n, 3, qd);
  dyn_random_vector(rng, n, 6, qdd);
  dyn_reference_torque(model, q, qd, qdd, tau);
  (void)arm_inertia_nominal(model, pi);
  arm_base_values(base, pi, beta);
  if (arm_base_regressor(base, model, q, qd, qdd, y) != ARM_OK)
    return (double)INFINITY;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t b = 0; b < base->count; b++)
      sum += y[i * base->count + b] * beta[b];
    largest = fmax(largest, fabs(tau[i]));
    error = fmax(error, fabs(sum - tau[i]));
  }
  return error / (1 + largest);
}

static void count_kinds(const ArmModel *model, const ArmBase *base, BaseStudy *r) {
  const ArmBaseGeometry *g = &base->geometry;
  size_t oblique = 0, delta_zero = 0, sigma_zero = 0;
  for (size_t j = g->r - 1; j + 1 < g->s; j++) {
    const bool is_R = model->joints[j].type == ARM_JOINT_R;
    oblique += !is_R && g->sigma[j];
    sigma_zero += !is_R && !g->sigma[j];
    delta_zero += is_R && !g->delta[j];
  }
  r->oblique += oblique > 0;
  r->delta_zero += delta_zero > 0;
  r->sigma_zero += sigma_zero > 0;
}

static void study_one(uint64_t seed, BaseStudy *r) {
  ArmModel model;
  ArmBase *closed = NULL, *qr = NULL;
  ArmComposite *lin = NULL;
  TestRng rng;
  double gap, to_lin = 1, to_qr = 1;
  test_rng_init(&rng, seed);
  base_random_arm(&rng, 1 + test_rng_below(&rng, 7), &model);
  const size_t rank = base_rank(&model, &gap);
  r->arms++;
  if (arm_base_new(&model, 0, ARM_BASE_CLOSED_FORM, &closed) != ARM_OK ||
      arm_base_new(&model, 0, ARM_BASE_QR, &qr) != ARM_OK ||
      arm_composite_new(&model, &lin) != ARM_OK ||
      arm_base_distance(closed->columns, closed->count, closed->map, lin->count, lin->map,
                        &to_lin) != ARM_OK ||
      arm_base_distance(closed->columns, closed->count, closed->map, qr->count, qr->map, &to_qr) !=
          ARM_OK) {
    printf("# seed %llu: refused\n", (unsigned long long)seed);
    r->disagree++;
    return;
  }
  if (closed->count != rank || lin->count != rank || qr->count != rank) {
    printf("# seed %llu: rank %zu, closed form %zu, constants %zu, QR %zu\n",
           (unsigned long long)seed, rank, closed->count, lin->count, qr->count);
    r->disagree++;
  }
  count_kinds(&model, closed, r);
  r->span = fmax(r->span, fmax(to_lin, to_qr));
  r->torque = fmax(r->torque, torque_error(closed, &model, &rng));
  r->torque = fmax(r->torque, torque_error(qr, &model, &rng));
  if (gap > 0)
    r->gap = fmin(r->gap, gap);
  arm_base_free(closed);
  arm_base_free(qr);
  arm_composite_free(lin);
}

void base_study(uint64_t seed, size_t arms, BaseStudy *result) {
  memset(result, 0, sizeof *result);
  result->gap = (double)INFINITY;
  for (size_t k = 0; k < arms; k++)
    study_one(seed + k, result);
}
