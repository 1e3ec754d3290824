/* SPDX-License-Identifier: MIT */
#include "wire/clock.h"

void wire_clock_init(WireClock *clock) {
  clock->latest_us = 0;
  clock->has_started = false;
}

uint64_t wire_clock_unwrap_after(WireClock *clock, uint32_t t_us, uint64_t elapsed_us) {
  if (!clock->has_started) {
    clock->has_started = true;
    clock->latest_us = (UINT64_C(1) << 32) + t_us;
    return clock->latest_us;
  }
  const uint64_t expected = clock->latest_us + elapsed_us;
  const uint32_t ahead = t_us - (uint32_t)(expected & UINT32_MAX);
  const uint32_t behind = 0u - ahead;
  /* what is nearer; never before the beginning */
  const uint64_t t = ahead <= behind || behind > expected ? expected + ahead : expected - behind;
  if (t > clock->latest_us)
    clock->latest_us = t;
  return t;
}

uint64_t wire_clock_unwrap(WireClock *clock, uint32_t t_us) {
  return wire_clock_unwrap_after(clock, t_us, 0);
}
