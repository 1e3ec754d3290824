/* SPDX-License-Identifier: MIT */
/* A recording in memory, read some rows at a time as one that is not: windows lie in a buffer of
 * their own, so that a row which is not in view is not there. */
#ifndef ARMATURE_TESTS_ROW_SOURCE_H
#define ARMATURE_TESTS_ROW_SOURCE_H

#include <stddef.h>

#include "core/data/windows.h"

typedef struct {
  const ArmDataset *data;
  size_t width, calls, fail_at; /* fail_at: of the calls, from 0 */
  double *block;
  int *joint;
  unsigned char *marks;
} TestRowSource;

/* Both are borrowed by the source. */
ArmRowSource test_row_source(TestRowSource *source, const ArmDataset *data, size_t width);
void test_row_source_clear(TestRowSource *source);

#endif
