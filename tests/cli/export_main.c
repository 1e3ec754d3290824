/* SPDX-License-Identifier: MIT */
/* Reads states "q1,..,qn,qd1,..,qdn", one per line, and prints the currents of an exported header
 * in double, then in float. Compiled by test_export.sh with JOINTS, and the header as HEADER. */
#include <stdio.h>

#include HEADER

static void print_states(void) {
  double q[JOINTS], qd[JOINTS], i_A[JOINTS];
  float q_f[JOINTS], qd_f[JOINTS], i_f[JOINTS];
  for (;;) {
    int k;
    for (k = 0; k < 2 * JOINTS; k++) {
      double *to = k < JOINTS ? &q[k] : &qd[k - JOINTS];
      if (scanf(k > 0 ? ",%lf" : "%lf", to) != 1)
        return;
    }
    for (k = 0; k < JOINTS; k++) {
      q_f[k] = (float)q[k];
      qd_f[k] = (float)qd[k];
    }
    arm_current(q, qd, i_A);
    arm_current_f(q_f, qd_f, i_f);
    for (k = 0; k < 2 * JOINTS; k++)
      printf("%s%.17g", k > 0 ? "," : "", k < JOINTS ? i_A[k] : (double)i_f[k - JOINTS]);
    printf("\n");
  }
}

int main(void) {
  print_states();
  return 0;
}
