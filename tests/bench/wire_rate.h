/* SPDX-License-Identifier: MIT */
/* How fast the decoder is: telemetry of 12 joints in pieces of 4096 bytes. */
#ifndef ARMATURE_TESTS_WIRE_RATE_H
#define ARMATURE_TESTS_WIRE_RATE_H

#include <stdbool.h>

enum { WIRE_RATE_FRAMES = 20000 };

/* The best of 20 runs [MB/s]; 0: out of memory, or not all frames were accepted.
 *   has_zeros  two thirds of the payload, which cost most; otherwise it is random
 *   copies     out: time over that of copying the same bytes */
double wire_rate(bool has_zeros, double *copies);

#endif
