/* SPDX-License-Identifier: MIT */
#include "support/verdicts.h"

#include <stdio.h>
#include <string.h>

void verdicts_arrange(const VerdictsLayout *layout, FaultyKind kind, Faulty *f) {
  faulty_sound(kind, f);
  f->holds = layout->holds > 0 ? layout->holds : f->holds;
  f->speeds = layout->speeds > 0 ? layout->speeds : f->speeds;
  f->one_way = layout->one_way;
  f->settle = layout->settle;
  f->uneven = layout->uneven;
  f->missing = layout->missing;
  f->jogged = layout->jogged;
  f->has_acceleration = layout->has_acceleration;
  for (int t = 0; t < ARM_TERMS; t++)
    f->offers_term[t] = layout->offers_terms;
}

static void print_alarms(const ArmVerdict *verdict) {
  for (int t = 0; t < ARM_TESTS; t++)
    for (size_t i = 0; i < verdict->n; i++) {
      const ArmTest *test = &verdict->joint[i].test[t];
      if (test->is_alarm)
        printf(" %s %zu (p %.1e, size %.3g, limit %.3g)", arm_test_key((ArmTestKind)t), i + 1,
               test->p, test->size, test->limit);
    }
}

size_t verdicts_false(const VerdictsLayout *layout, FaultyKind kind, size_t count, size_t *failed) {
  static ArmGravityFit fit;
  size_t alarms = 0;
  for (size_t seed = 1; seed <= count; seed++) {
    Faulty f;
    verdicts_arrange(layout, kind, &f);
    if (!faulty_fit(layout->arm, &f, 1000 * (size_t)kind + seed, &fit)) {
      ++*failed;
      continue;
    }
    if (arm_verdict_first(&fit.verdict) != ARM_TESTS) {
      alarms++;
      printf("# %s, %s, seed %zu:", layout->name, faulty_kind_name(kind), seed);
      print_alarms(&fit.verdict);
      printf("\n");
    }
    arm_gravity_fit_clear(&fit);
  }
  return alarms;
}

size_t verdicts_told(const VerdictsLayout *layout, Fault fault, size_t seeds,
                     size_t by[ARM_TESTS + 1]) {
  static ArmGravityFit fit;
  size_t told = 0;
  memset(by, 0, (ARM_TESTS + 1) * sizeof *by);
  for (size_t seed = 1; seed <= seeds; seed++) {
    Faulty f;
    verdicts_arrange(layout, FAULTY_WHITE, &f);
    if (!faulty_break(layout->arm, fault, seed, &f) || !faulty_fit(layout->arm, &f, seed, &fit))
      continue;
    const ArmTestKind first = arm_verdict_first(&fit.verdict);
    by[first]++;
    told += first != ARM_TESTS;
    arm_gravity_fit_clear(&fit);
  }
  return told;
}
