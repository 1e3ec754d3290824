/* SPDX-License-Identifier: MIT */
/* How many times real time a simulated controller runs, on one processor and without a host that
 * waits: telemetry at 1000 Hz, the drives on, joint 2 sweeping. */
#ifndef ARMATURE_TESTS_SIM_RATE_H
#define ARMATURE_TESTS_SIM_RATE_H

/* Over this much device time, without what it takes to start. 0, after a message on standard error:
 * no such arm (a path from the root of the sources). */
double sim_rate(const char *arm, double seconds);

#endif
