/* SPDX-License-Identifier: MIT */
/* Reads states "q1,..,qn,qd1,..,qdn", with MOTION also "qdd1,..,qddn", one per line, and prints the
 * currents of an exported header in double, then in float. Compiled by test_export.sh with JOINTS,
 * and the header as HEADER. */
#include <stdio.h>

#include HEADER

#ifdef MOTION
enum { VALUES = 3 };
#else
enum { VALUES = 2 };
#endif

static void print_states(void) {
  double x[VALUES][JOINTS], i_A[JOINTS];
  float x_f[VALUES][JOINTS], i_f[JOINTS];
  for (;;) {
    int k;
    for (k = 0; k < VALUES * JOINTS; k++) {
      if (scanf(k > 0 ? ",%lf" : "%lf", &x[k / JOINTS][k % JOINTS]) != 1)
        return;
      x_f[k / JOINTS][k % JOINTS] = (float)x[k / JOINTS][k % JOINTS];
    }
#ifdef MOTION
    arm_current(x[0], x[1], x[2], i_A);
    arm_current_f(x_f[0], x_f[1], x_f[2], i_f);
#else
    arm_current(x[0], x[1], i_A);
    arm_current_f(x_f[0], x_f[1], i_f);
#endif
    for (k = 0; k < 2 * JOINTS; k++)
      printf("%s%.17g", k > 0 ? "," : "", k < JOINTS ? i_A[k] : (double)i_f[k - JOINTS]);
    printf("\n");
  }
}

int main(void) {
  print_states();
  return 0;
}
