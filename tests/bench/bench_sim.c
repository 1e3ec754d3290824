/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "sim_rate.h"

int main(void) {
  static const char *const arms[] = {"data/robots/puma560-table1.arm.json",
                                     "data/robots/puma560-truth2.arm.json",
                                     "tests/show/twelve.arm.json"};
  int failed = 0;
  for (size_t k = 0; k < sizeof arms / sizeof *arms; k++) {
    const double rate = sim_rate(arms[k], 150.0);
    printf("sim %-40s %.0f times real time\n", arms[k], rate);
    failed |= !(rate > 0);
  }
  return failed;
}
