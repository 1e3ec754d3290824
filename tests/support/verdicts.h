/* SPDX-License-Identifier: MIT */
/* How often recordings of one layout raise an alarm: sound ones, and such with one thing wrong. */
#ifndef ARMATURE_TESTS_VERDICTS_H
#define ARMATURE_TESTS_VERDICTS_H

#include "support/faulty_faults.h"

/* What was recorded; as in Faulty. holds, speeds 0: all. */
typedef struct {
  const char *name;
  FaultyArm arm;
  size_t holds, speeds, one_way;
  double settle, uneven, missing, jogged;
  bool has_acceleration;
  bool offers_terms; /* of friction, to the fit */
} VerdictsLayout;

/* A sound recording of that layout. */
void verdicts_arrange(const VerdictsLayout *layout, FaultyKind kind, Faulty *faulty);

/* Of `count` sound recordings those with any alarm, each printed; adds to *failed those that could
 * not be fitted. */
size_t verdicts_false(const VerdictsLayout *layout, FaultyKind kind, size_t count, size_t *failed);

/* Of `seeds` recordings with the fault those with any alarm; `by` counts the first test of each,
 * ARM_TESTS: none. A joint that the fault needs is not there: 0, and `by` is 0. */
size_t verdicts_told(const VerdictsLayout *layout, Fault fault, size_t seeds,
                     size_t by[ARM_TESTS + 1]);

#endif
