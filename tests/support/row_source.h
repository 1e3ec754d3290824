/* SPDX-License-Identifier: MIT */
/* A recording in memory, read some rows at a time as one that is not: windows lie in a buffer of
 * their own, so that a row which is not in view is not there. */
#ifndef ARMATURE_TESTS_ROW_SOURCE_H
#define ARMATURE_TESTS_ROW_SOURCE_H

#include <stddef.h>

#include "core/data/windows.h"

typedef struct TestRowSource {
  const ArmDataset *data;
  size_t width, calls, fail_at; /* fail_at: of the calls, from 0 */
  double *block;
  int *joint;
  unsigned char *marks;
  /* what was made of the rows */
  ArmRowKeeper keeper;
  ArmDataset kept;
  size_t n_kept;
  double *kept_block;
  int *kept_joint;
  struct TestRowSource *filtered;
} TestRowSource;

/* Both are borrowed by the source. */
ArmRowSource test_row_source(TestRowSource *source, const ArmDataset *data, size_t width);
/* What was made of its rows, and how often it was called. */
void test_row_source_forget(TestRowSource *source);
void test_row_source_clear(TestRowSource *source);

#endif
