/* SPDX-License-Identifier: MIT */
/* Line 13.2: what the theory notes did not run. T joints, gear coupling, strokes without partner or
 * of unequal range or at speeds that are jogged, one speed only, an acceleration column: false
 * alarms, and how many of the faults of line 13.1 are told.
 * Usage: show_verdict_more [RECORDINGS of each noise and layout [SEEDS of each fault]] */
#include <stdio.h>
#include <stdlib.h>

#include "support/verdicts.h"

static const VerdictsLayout layouts[] = {
    {.name = "Stanford, joint 3 slides", .arm = FAULTY_STANFORD},
    {.name = "SCARA, joint 3 slides", .arm = FAULTY_SCARA},
    {.name = "PUMA with tool and coupled wrist", .arm = FAULTY_WRIST},
    {.name = "PUMA, a fifth of the strokes missing", .arm = FAULTY_PUMA, .missing = 0.2},
    {.name = "PUMA, the way back of one hold missing", .arm = FAULTY_PUMA, .one_way = 2},
    {.name = "PUMA, strokes over 70 to 100 % of the range", .arm = FAULTY_PUMA, .uneven = 0.15},
    {.name = "PUMA, strokes over 40 to 100 % of the range", .arm = FAULTY_PUMA, .uneven = 0.3},
    {.name = "PUMA, each sweep 9 % off its speed", .arm = FAULTY_PUMA, .jogged = 0.09},
    {.name = "PUMA, each sweep 15 % off its speed", .arm = FAULTY_PUMA, .jogged = 0.15},
    {.name = "PUMA, one speed", .arm = FAULTY_PUMA, .speeds = 1},
    {.name = "PUMA with tool, acceleration column", .arm = FAULTY_TOOL, .has_acceleration = true},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0] };

static bool show_sound(const VerdictsLayout *layout, size_t count) {
  size_t alarms = 0, failed = 0;
  for (int kind = 0; kind < FAULTY_KINDS; kind++)
    alarms += verdicts_false(layout, (FaultyKind)kind, count, &failed);
  const size_t all = FAULTY_KINDS * count;
  const bool is_good = alarms <= all / 100 && failed == 0;
  printf("SHOW 13.2 %s: false alarms measured=%zu target=<=%zu of %zu %s\n", layout->name, alarms,
         all / 100, all, is_good ? "PASS" : "FAIL");
  if (failed > 0)
    printf("# %s: %zu could not be fitted\n", layout->name, failed);
  return is_good;
}

static void list_power(const VerdictsLayout *layout, size_t seeds) {
  for (int k = 0; k < FAULTS; k++) {
    size_t by[ARM_TESTS + 1];
    const size_t told = verdicts_told(layout, (Fault)k, seeds, by);
    printf("# %s, %s: %zu of %zu told; stroke %zu, gravity %zu, direction %zu, scatter %zu, trend "
           "%zu, speed %zu, nothing %zu\n",
           layout->name, faulty_fault_name((Fault)k), told, seeds, by[0], by[1], by[2], by[3],
           by[4], by[5], by[6]);
  }
}

int main(int argc, char **argv) {
  const size_t count = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : 25; /* 200 a layout */
  const size_t seeds = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 30;
  bool is_good = true;
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (size_t l = 0; l < LAYOUTS; l++)
    is_good &= show_sound(&layouts[l], count);
  for (size_t l = 0; l < LAYOUTS; l++)
    list_power(&layouts[l], seeds);
  return is_good ? 0 : 1;
}
