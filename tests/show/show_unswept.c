/* SPDX-License-Identifier: MIT */
/* Line 13.6: random arms of R and T joints of which one was never swept, and plans on loads that
 * nobody stated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/unswept.h"

static bool show(const char *what, double measured, bool is_upper, double target) {
  const bool is_pass = is_upper ? measured <= target : measured >= target;
  printf("SHOW 13.6 %s measured=%.4g target=%s%g %s\n", what, measured,
         is_upper ? "<=" : ">=", target, is_pass ? "PASS" : "FAIL");
  return is_pass;
}

static bool show_left_out(const char *what, uint64_t seed, size_t arms, UnsweptHolds holds) {
  TruthOptions options;
  UnsweptResult r;
  char line[160];
  bool is_pass = true;
  truth_options_default(&options);
  unswept_random(seed, arms, &options, holds, &r);
  printf("# %s: worst %.2f sds at seed %llu; %zu predictions with an sd, worst %.2f sds\n", what,
         r.worst, (unsigned long long)r.worst_seed, r.predictions, r.prediction);
  snprintf(line, sizeof line, "%zu arms, %s, of %zu given parameters more than 5 sds off", arms,
           what, r.given);
  is_pass &= show(line, (double)r.wrong, true, 0);
  snprintf(line, sizeof line, "%s, arms that do not name the joint (exit 0)", what);
  is_pass &= show(line, (double)r.silent, true, 0);
  snprintf(line, sizeof line, "%s, ratios to it that are given", what);
  is_pass &= show(line, (double)r.ratios_to_it, true, 0);
  snprintf(line, sizeof line, "%s, fits that failed or did not converge", what);
  is_pass &= show(line, (double)r.failed, true, 0);
  if (holds == UNSWEPT_TURNED) {
    snprintf(line, sizeof line, "%s, of what sweeps of all joints would give, kept [%%]", what);
    is_pass &= show(line, 100.0 * (double)r.kept / (double)r.of_all, false, 95.0);
  }
  return is_pass;
}

int main(int argc, char **argv) {
  const size_t arms = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 500;
  bool is_pass = show_left_out("one joint never swept", 1, arms, UNSWEPT_TURNED);
  is_pass &= show_left_out("nor ever turned", 100001, arms, UNSWEPT_STILL);
  is_pass &= show_left_out("nor turned but for jitter", 200001, arms, UNSWEPT_JITTER);
  return is_pass ? 0 : 1;
}
