/* SPDX-License-Identifier: MIT */
/* Do three ways to the base parameters agree, on many random arms? */
#ifndef ARMATURE_TESTS_BASE_STUDY_H
#define ARMATURE_TESTS_BASE_STUDY_H

#include "support/base_case.h"

typedef struct {
  size_t arms;
  size_t disagree; /* closed form, composite constants, QR and rank differ in count */
  size_t oblique;  /* arms with a T joint between r and s that slides obliquely */
  size_t delta_zero, sigma_zero;
  double span;   /* largest distance of the spans of closed form, constants and QR */
  double torque; /* largest |Y_b beta - tau| over 1 + max |tau|; tau by another road */
  double gap;    /* smallest ratio of the singular values around the rank */
} BaseStudy;

/* `arms` arms of 1 to 7 joints, from seed on; what disagrees is printed. */
void base_study(uint64_t seed, size_t arms, BaseStudy *result);

#endif
