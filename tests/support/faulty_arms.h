/* SPDX-License-Identifier: MIT */
/* The arms of support/faulty.h: their numbers, and what each joint is swept over. */
#ifndef ARMATURE_TESTS_FAULTY_ARMS_H
#define ARMATURE_TESTS_FAULTY_ARMS_H

#include "support/faulty.h"

typedef struct {
  Truth truth;
  const double (*range)[2];                           /* of each joint [deg, m] */
  const double (*holds)[FAULTY_HOLDS][FAULTY_JOINTS]; /* for each joint, of all [deg, m] */
  double rel_sd;                                      /* of the data sheet's torque constants */
} FaultyRig;

/* False: the golden PUMA is not found. */
bool faulty_rig(FaultyArm arm, FaultyRig *rig);

/* A point mass at the last link. */
void faulty_add_mass(double mass, const double at[3], Truth *truth);

#endif
