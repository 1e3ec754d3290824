/* SPDX-License-Identifier: MIT */
/* Unwraps a clock of 32-bit microseconds, which starts again from 0 every 71.6 minutes.
 *
 * A stamp means the time nearest to what is expected, so stamps may come out of order by up to 35.7
 * minutes, and a silence may last as long; with the receiver's own elapsed time it may last for
 * ever. Only plain arithmetic; one clock belongs to one thread at a time. */
#ifndef ARMATURE_WIRE_CLOCK_H
#define ARMATURE_WIRE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  uint64_t latest_us; /* the largest time seen; the low 32 bits are the stamp */
  bool has_started;
} WireClock;

/* Forgets everything: before the first stamp, and after a reboot of the sender. */
void wire_clock_init(WireClock *clock);

/* Returns the time of the stamp [us]. The first one counts from 2^32, so that a slightly older
 * stamp after it does not become negative. */
uint64_t wire_clock_unwrap(WireClock *clock, uint32_t t_us);

/* The same after a silence: elapsed_us is what the receiver's own clock says has passed since the
 * stamp of latest_us, good to 35 minutes. */
uint64_t wire_clock_unwrap_after(WireClock *clock, uint32_t t_us, uint64_t elapsed_us);

#endif
