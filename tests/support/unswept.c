/* SPDX-License-Identifier: MIT */
#include "support/unswept.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"

enum { HOLDS = 8, POSITIONS = 6, STATES = 20 };
#define NOISE_A   0.005
#define JITTER    1e-3 /* rad: what a brake or a controller lets a held joint move */
#define TOO_WRONG 5.0  /* sds */

typedef struct {
  Truth truth;
  ArmModel model;
  TestRng rng;
  size_t left_out;
  ArmGravityParameters true_values; /* of a noise-free fit of all joints */
} Case;

static bool fit_of(const Case *c, const TruthRecording *rec, ArmGravityFit *fit) {
  ArmFitOptions options;
  arm_fit_options_default(&options);
  return arm_gravity_fit(&c->model, &rec->data, &options, fit) == ARM_OK;
}

/* the same sweeps with noise; with `leaves_out` none of the joint that is left out */
static void measure(Case *c, TruthRecording *rec, UnsweptHolds holds, bool leaves_out) {
  for (size_t row = 0; row < rec->room; row++) {
    double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS] = {0};
    const size_t joint = (size_t)rec->joint[row] - 1;
    for (size_t j = 0; j < c->truth.n; j++) {
      double *at = &rec->q[row + j * rec->room];
      if (holds != UNSWEPT_TURNED && j == c->left_out && j != joint)
        *at = 0.3 + (holds == UNSWEPT_JITTER ? JITTER * test_rng_uniform(&c->rng, -1, 1) : 0.0);
      q[j] = *at;
    }
    qd[joint] = rec->qd[row + joint * rec->room];
    rec->current[row + joint * rec->room] =
        truth_current(&c->truth, q, qd, NULL, joint) + NOISE_A * test_rng_normal(&c->rng);
    if (leaves_out && joint == c->left_out)
      rec->joint[row] = 0;
  }
}

static bool has_unit(const ArmGravityParameters *p, ArmParamId id) {
  return id.kind != ARM_PARAM_RATIO || p->cluster[id.i] == p->cluster[id.j];
}

static void judge(const Case *c, ArmGravityParameters *p, uint64_t seed, UnsweptResult *result) {
  ArmGravityParameters *want = (ArmGravityParameters *)&c->true_values;
  for (size_t k = 0; k < p->n_ids; k++) {
    const ArmParamId id = p->ids[k];
    const ArmEstimate *e = arm_gravity_parameters_at(p, id);
    const double truth = arm_gravity_parameters_at(want, id)->used;
    if (!e->identifiable)
      continue;
    const double off = fabs(e->value - truth) / e->sd;
    result->given++;
    result->ratios_to_it +=
        id.kind == ARM_PARAM_RATIO && (id.i == c->left_out || id.j == c->left_out);
    if (!(off <= TOO_WRONG)) {
      result->wrong++;
      printf("# arm %" PRIu64 ", joint %zu left out: %s %d %d is %g +- %g, truth %g\n", seed,
             c->left_out + 1, arm_param_key(id.kind), id.i + 1, id.j + 1, e->value, e->sd, truth);
    }
    if (!(off <= result->worst)) {
      result->worst = off;
      result->worst_seed = seed;
    }
  }
}

/* what sweeps of all joints would have given, and how much of it is left */
static void count_kept(const Case *c, ArmGravityParameters *all, ArmGravityParameters *p,
                       UnsweptResult *result) {
  for (size_t k = 0; k < all->n_ids; k++) {
    const ArmParamId id = all->ids[k];
    const bool is_of_it =
        id.i == c->left_out || (id.kind == ARM_PARAM_RATIO && id.j == c->left_out);
    if (is_of_it || !arm_gravity_parameters_at(all, id)->identifiable)
      continue;
    result->of_all++;
    result->kept += has_unit(p, id) && arm_gravity_parameters_at(p, id)->identifiable;
  }
}

static void predict(Case *c, const ArmGravityParameters *p, UnsweptResult *result) {
  const ArmPredictOptions options = {0};
  double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS];
  double got[TRUTH_MAX_JOINTS], sd[TRUTH_MAX_JOINTS];
  for (size_t k = 0; k < STATES; k++) {
    truth_pose(&c->truth, &c->rng, q);
    for (size_t i = 0; i < c->truth.n; i++)
      qd[i] = test_rng_uniform(&c->rng, -1, 1);
    if (arm_predict(&c->model, p, q, qd, NULL, &options, got, sd) != ARM_OK)
      result->failed++;
    for (size_t i = 0; i < c->truth.n; i++) {
      if (isnan(sd[i]))
        continue;
      const double off = fabs(got[i] - truth_current(&c->truth, q, qd, NULL, i)) / sd[i];
      result->predictions++;
      result->prediction = off <= result->prediction ? result->prediction : off;
    }
  }
}

static bool run(Case *c, TruthRecording *rec, UnsweptHolds holds, uint64_t seed,
                UnsweptResult *result) {
  ArmGravityFit exact, all, fit;
  if (!fit_of(c, rec, &exact))
    return false;
  c->true_values = exact.refined;
  measure(c, rec, holds, false);
  bool is_good = fit_of(c, rec, &all);
  if (is_good) {
    measure(c, rec, holds, true);
    is_good = fit_of(c, rec, &fit);
    if (is_good) {
      judge(c, &fit.refined, seed, result);
      count_kept(c, &all.refined, &fit.refined, result);
      predict(c, &fit.refined, result);
      const ArmJointFit *joint = &fit.refined.joint[c->left_out];
      result->silent += joint->rows_used > 0 || joint->friction[0].reason != ARM_REASON_NO_ROWS;
      is_good = fit.is_converged;
      arm_gravity_fit_clear(&fit);
    }
    arm_gravity_fit_clear(&all);
  }
  arm_gravity_fit_clear(&exact);
  return is_good;
}

void unswept_random(uint64_t seed, size_t arms, const TruthOptions *options, UnsweptHolds holds,
                    UnsweptResult *result) {
  memset(result, 0, sizeof *result);
  for (size_t k = 0; k < arms; k++) {
    Case c = {0};
    TruthRecording rec;
    test_rng_init(&c.rng, seed + k);
    truth_random(&c.rng, options, &c.truth);
    truth_model(&c.truth, &c.model);
    c.left_out = test_rng_below(&c.rng, c.truth.n);
    result->arms++;
    if (!truth_recording_sweeps(&rec, &c.truth, &c.rng, HOLDS, POSITIONS, false)) {
      result->failed++;
      continue;
    }
    if (!run(&c, &rec, holds, seed + k, result)) {
      result->failed++;
      printf("# arm %" PRIu64 ", joint %zu left out: no fit, or not converged\n", seed + k,
             c.left_out + 1);
    }
    truth_recording_clear(&rec);
  }
}
