/* SPDX-License-Identifier: MIT */
/* Line 2: the error bars of the noisy PUMA 560 are honest, and the predictions good. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/honest.h"

static bool show(const char *what, int digits, double measured, const char *target, bool is_good) {
  printf("SHOW 2 %s measured=%.*f target=%s %s\n", what, digits, measured, target,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

static bool show_coverage(const HonestSet *set) {
  const double in_95 = 100.0 * (double)set->in_95 / (double)set->seen;
  const double in_3sd = 100.0 * (double)set->in_3sd / (double)set->seen;
  bool is_good = show("95 % intervals cover [%]", 2, in_95, "93..97", in_95 >= 93 && in_95 <= 97);
  is_good &= show("3 sd holds [%]", 2, in_3sd, ">=99", in_3sd >= 99);
  return is_good;
}

int main(int argc, char **argv) {
  static HonestResult result;
  const size_t seeds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 200;
  char target[32];
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (!honest_run(1, seeds, 0, &result) || result.failed > 0) {
    printf("# %zu fits failed\n", result.failed);
    return 1;
  }
  honest_print("refined", &result.refined);
  const double recursive = 1e3 * honest_rms(&result.recursive, 2, 5);
  const double refined = 1e3 * honest_rms(&result.refined, 2, 5);
  for (size_t j = 2; j <= 6; j++)
    printf("# joint %zu: prediction rms refined %.4f mA, recursive %.4f mA, rms of error/sd %.3f\n",
           j, 1e3 * honest_rms(&result.refined, j, j), 1e3 * honest_rms(&result.recursive, j, j),
           sqrt(result.refined.square_z[j - 1] / (double)result.refined.n_z[j - 1]));
  printf("# %zu seeds, %zu not converged, %.1f ms per fit\n", result.seeds, result.not_converged,
         1e3 * result.seconds_per_fit);
  bool is_good = show_coverage(&result.refined);
  snprintf(target, sizeof target, "<=%.4f", recursive);
  is_good &= show("prediction rms of the refinement, not above the recursion [mA]", 4, refined,
                  target, refined <= recursive);
  is_good &= show("prediction rms of the refinement [mA]", 3, refined, "<=1.5", refined <= 1.5);
  printf("# eta5/eta6 is given with an sd in %zu of %zu seeds\n", result.last_ratio_given,
         result.seeds);
  is_good &= show("seeds with a dishonest eta5/eta6", 0, (double)result.last_ratio_wrong, "0",
                  result.last_ratio_wrong == 0);
  return is_good ? 0 : 1;
}
