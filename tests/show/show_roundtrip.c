/* SPDX-License-Identifier: MIT */
/* Line 1b: what is fitted from single-joint sweeps predicts states it never saw. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/sweeps/ident.h"
#include "core/sweeps/predict.h"
#include "support/campaign.h"
#include "support/golden.h"

#define TARGET 1e-12

static bool show(const char *what, double measured) {
  const bool is_good = measured <= TARGET;
  printf("SHOW 1 %s measured=%.2g target=<=%g %s\n", what, measured, TARGET,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

static bool golden_error(const Golden *golden, double error[2]) {
  const ArmPredictOptions predict = {0};
  double current[ARM_MAX_JOINTS], sd[ARM_MAX_JOINTS], largest = 0;
  GoldenDataset set;
  ArmFitOptions options;
  ArmGravityFit fit;
  arm_fit_options_default(&options);
  if (!golden_dataset_init(&set, golden))
    return false;
  bool is_good = arm_gravity_fit(&golden->model, &set.data, &options, &fit) == ARM_OK;
  golden_dataset_clear(&set);
  if (!is_good)
    return false;
  const ArmGravityParameters *sets[2] = {&fit.recursive, &fit.refined};
  error[0] = error[1] = 0;
  for (size_t k = 0; k < golden->n_predictions; k++) {
    const GoldenPrediction *want = &golden->predictions[k];
    for (size_t s = 0; s < 2; s++) {
      is_good = is_good && arm_predict(&golden->model, sets[s], want->q, want->qd, NULL, &predict,
                                       current, sd) == ARM_OK;
      for (size_t i = 0; i < golden->n && is_good; i++) {
        error[s] = fmax(error[s], fabs(current[i] - want->current[i]));
        largest = fmax(largest, fabs(want->current[i]));
      }
    }
  }
  error[0] /= largest;
  error[1] /= largest;
  arm_gravity_fit_clear(&fit);
  return is_good && isfinite(error[0] + error[1]);
}

static bool show_golden(void) {
  double worst[2] = {0, 0};
  bool is_good = true;
  for (size_t k = 0; golden_names[k]; k++) {
    double error[2];
    Golden *golden = golden_load(golden_names[k]);
    if (golden != NULL && golden->n_sweeps == 0) { /* the noisy case: line 2 */
      golden_free(golden);
      continue;
    }
    if (golden == NULL || !golden_error(golden, error)) {
      printf("# %s: the fit failed\n", golden_names[k]);
      is_good = false;
    } else {
      printf("# %s: recursion %.2g, refinement %.2g\n", golden->name, error[0], error[1]);
      worst[0] = fmax(worst[0], error[0]);
      worst[1] = fmax(worst[1], error[1]);
    }
    golden_free(golden);
  }
  is_good &= show("golden arms, recursion, relative prediction error", worst[0]);
  is_good &= show("golden arms, refinement, relative prediction error", worst[1]);
  return is_good;
}

static bool show_random(const char *what, uint64_t seed, size_t arms, bool wants_coupling,
                        bool wants_inertia) {
  char line[128];
  TruthOptions options;
  CampaignResult result;
  truth_options_default(&options);
  options.wants_coupling = wants_coupling;
  options.wants_inertia = wants_inertia;
  campaign_random(seed, arms, &options, TARGET, &result);
  snprintf(line, sizeof line, "%zu random arms%s, recursion, relative prediction error", arms,
           what);
  bool is_good = show(line, result.recursive);
  snprintf(line, sizeof line, "%zu random arms%s, refinement, relative prediction error", arms,
           what);
  is_good &= show(line, result.refined);
  const size_t bad = result.failed + result.not_converged;
  printf(
      "SHOW 1 %zu random arms%s, fits that failed or did not converge measured=%zu target=0 %s\n",
      arms, what, bad, bad == 0 ? "PASS" : "FAIL");
  return is_good && bad == 0;
}

int main(int argc, char **argv) {
  const size_t arms = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 1000;
  setvbuf(stdout, NULL, _IOLBF, 0);
  bool is_good = show_golden();
  is_good &= show_random("", 1, arms, false, false);
  is_good &= show_random(", gear-coupled, with acceleration", 500001, arms, true, true);
  return is_good ? 0 : 1;
}
