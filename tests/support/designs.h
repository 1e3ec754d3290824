/* SPDX-License-Identifier: MIT */
/* The arms and designed motions of `../shared/vectors/traj/fourier_designs.json`. */
#ifndef ARMATURE_TESTS_DESIGNS_H
#define ARMATURE_TESTS_DESIGNS_H

#include <stdbool.h>

#include "core/arm/model.h"
#include "core/excite/basis.h"

enum { DESIGNS = 15, DESIGN_JOINTS = 7, DESIGN_COEFFICIENTS = DESIGN_JOINTS * 64 };

typedef struct {
  char robot[16];
  ArmModel model; /* with its limits */
  ArmBasis basis;
  size_t base_parameters;
  double cond;                   /* of 2000 samples of a period, unweighted */
  double c[DESIGN_COEFFICIENTS]; /* functions x n */
} Design;

/* "gk3", "puma", "ur5" or "panda", with its limits; false: no such arm in the text. */
bool designs_model(const char *text, const char *robot, ArmModel *model);

/* Reads the next design behind `*at`, which begins as the whole text of the file; false: none. */
bool designs_next(const char *text, const char **at, Design *design);

#endif
