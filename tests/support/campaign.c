/* SPDX-License-Identifier: MIT */
#include "support/campaign.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"

enum { STATES = 50, HOLDS = 8, POSITIONS = 6 };

typedef struct {
  double error[2], largest;
} Errors;

static bool compare_state(const Truth *truth, const ArmModel *model, const ArmGravityFit *fit,
                          TestRng *rng, bool has_acceleration, Errors *errors) {
  const ArmGravityParameters *sets[2] = {&fit->recursive, &fit->refined};
  const ArmPredictOptions options = {0};
  double q[TRUTH_MAX_JOINTS], qd[TRUTH_MAX_JOINTS], qdd[TRUTH_MAX_JOINTS];
  double got[TRUTH_MAX_JOINTS], sd[TRUTH_MAX_JOINTS];
  truth_pose(truth, rng, q);
  for (size_t i = 0; i < truth->n; i++) {
    qd[i] = test_rng_uniform(rng, -1, 1);
    qdd[i] = test_rng_uniform(rng, -2, 2);
  }
  for (size_t s = 0; s < 2; s++) {
    if (arm_predict(model, sets[s], q, qd, has_acceleration ? qdd : NULL, &options, got, sd) !=
        ARM_OK)
      return false;
    for (size_t i = 0; i < truth->n; i++) {
      const double want = truth_current(truth, q, qd, has_acceleration ? qdd : NULL, i);
      const double error = fabs(got[i] - want);
      errors->largest = fmax(errors->largest, fabs(want));
      errors->error[s] = error > errors->error[s] || isnan(error) ? error : errors->error[s];
    }
  }
  return true;
}

bool campaign_arm(const Truth *truth, TestRng *rng, bool has_acceleration, double *recursive,
                  double *refined, bool *is_converged) {
  ArmModel model;
  TruthRecording rec;
  ArmFitOptions options;
  ArmGravityFit fit;
  Errors errors = {0};
  truth_model(truth, &model);
  arm_fit_options_default(&options);
  options.rows.wants_acceleration = has_acceleration;
  if (!truth_recording_sweeps(&rec, truth, rng, HOLDS, POSITIONS, has_acceleration))
    return false;
  const ArmStatus status = arm_gravity_fit(&model, &rec.data, &options, &fit);
  truth_recording_clear(&rec);
  if (status != ARM_OK)
    return false;
  bool is_good = true;
  for (size_t k = 0; k < STATES && is_good; k++)
    is_good = compare_state(truth, &model, &fit, rng, has_acceleration, &errors);
  *recursive = errors.error[0] / errors.largest;
  *refined = errors.error[1] / errors.largest;
  *is_converged = fit.is_converged;
  arm_gravity_fit_clear(&fit);
  return is_good;
}

static void print_arm(const Truth *truth, uint64_t seed, double recursive, double refined,
                      bool is_converged) {
  printf("# arm %" PRIu64 " ", seed);
  for (size_t i = 0; i < truth->n; i++)
    putchar(truth->slides[i] ? 'T' : 'R');
  printf(": recursion %.2g, refinement %.2g%s\n", recursive, refined,
         is_converged ? "" : ", not converged");
}

void campaign_random(uint64_t seed, size_t arms, const TruthOptions *options, double tolerance,
                     CampaignResult *result) {
  memset(result, 0, sizeof *result);
  for (size_t k = 0; k < arms; k++) {
    TestRng rng;
    Truth truth;
    double recursive = NAN, refined = NAN;
    bool is_converged = false;
    test_rng_init(&rng, seed + k);
    truth_random(&rng, options, &truth);
    result->arms++;
    if (!campaign_arm(&truth, &rng, options->wants_inertia, &recursive, &refined, &is_converged)) {
      result->failed++;
      printf("# arm %" PRIu64 ": the fit failed\n", seed + k);
      continue;
    }
    result->not_converged += !is_converged;
    if (!(fmax(recursive, refined) <= fmax(result->recursive, result->refined)))
      result->worst_seed = seed + k;
    /* NaN must not hide behind fmax */
    result->recursive = isnan(recursive) ? INFINITY : fmax(result->recursive, recursive);
    result->refined = isnan(refined) ? INFINITY : fmax(result->refined, refined);
    if (!(recursive <= tolerance && refined <= tolerance && is_converged))
      print_arm(&truth, seed + k, recursive, refined, is_converged);
  }
}
