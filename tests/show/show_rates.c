/* SPDX-License-Identifier: MIT */
/* Line 3.3, its speeds: of the decoder, and of the simulator on one processor. */
#include <stdbool.h>
#include <stdio.h>

#include "../bench/sim_rate.h"
#include "../bench/wire_rate.h"

static bool show(const char *what, double measured, double least) {
  const bool is_good = measured >= least;
  printf("SHOW 3.3 %s measured=%.4g target=>=%g %s\n", what, measured, least,
         is_good ? "PASS" : "FAIL");
  return is_good;
}

int main(void) {
  double copies;
  bool is_good = show("decoder, random payload [MB/s]", wire_rate(false, &copies), 200);
  is_good &= show("decoder, two thirds zeros [MB/s]", wire_rate(true, &copies), 200);
  is_good &=
      show("simulator, 12 joints, times real time", sim_rate("tests/show/twelve.arm.json", 60), 20);
  is_good &= show("simulator, truth 2, times real time",
                  sim_rate("data/robots/puma560-truth2.arm.json", 60), 20);
  return !is_good;
}
