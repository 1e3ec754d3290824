/* SPDX-License-Identifier: MIT */
/* What the residuals of one joint's pairs tell of noise, with all pairs, and without one of them.
 *
 *   S_k  sum of squares of order k that is left of the replicates [A^2]
 *   N_k  dof behind it
 *   H    orthonormal columns of each hold, in its rows
 *   C    those of the joint, in all rows, orthogonal to every H: what H and C project, replicates
 *        may differ by
 */
#ifndef ARMATURE_CORE_VERDICT_REPLICATES_H
#define ARMATURE_CORE_VERDICT_REPLICATES_H

#include "core/sweeps/verdict_internal.h"

enum { ARM_HOLD_COLUMNS = ARM_STROKE_ORDERS + 2 * (ARM_STROKE_ORDERS - 1) };
#define ARM_REPLICATES_LEAST 1e-9 /* of rows: what is left of them is no longer the pairs' own */

typedef struct {
  double sum[ARM_STROKE_ORDERS], dof[ARM_STROKE_ORDERS]; /* S_k, N_k; 0 both below 1e-3 dof */
  double even_sum, even_dof;                             /* of g_0 alone */
  double even_all; /* dof of all g_k: gravity has replicates */
} ArmNoiseSums;

/* The same by row of a pair. */
typedef struct {
  double sum[ARM_PAIR_ROWS], dof[ARM_PAIR_ROWS];
} ArmNoiseRows;

typedef struct {
  const ArmStrokeFit *fit; /* borrowed, with joint */
  const ArmJointStrokes *joint;
  double crossed; /* mean of the pairs */
  size_t rows;    /* ARM_PAIR_ROWS x pairs */
  size_t commons; /* columns of the joint */
  size_t rank;    /* of them, since the last arm_replicates_sum; what follows is from there, too */
  double *block;  /* owned, on the shelf: all doubles below but of_level */
  double *x;      /* rows            residual, less H and C */
  double *common; /* rows x commons  C in the first `rank` */
  double *free;   /* rows            part of a row's noise that is left; 0: not counted */
  double *basis;  /* rows of a hold x ARM_HOLD_COLUMNS  H of one */
  double *spare;  /* rows of a hold */
  size_t *at;     /* pairs, owned: those that are not dropped, by hold */
  size_t *first;  /* holds + 2, inside of at: where in `at` those of a hold begin */
  double *of_level; /* levels, owned: weight of their pairs */
} ArmReplicates;

/* ---- verdict_replicates.c ---- */
/* Fills joint->is_patchy. ARM_E_MEMORY, ARM_E_SOURCE; arm_replicates_clear in any case. */
ARM_MUST_CHECK ArmStatus arm_replicates_init(ArmReplicates *rep, const ArmStrokeFit *fit,
                                             ArmJointStrokes *joint);
void arm_replicates_clear(ArmReplicates *rep);
/* Of all pairs that are not dropped, of the residuals and weights as they are now. */
void arm_replicates_sum(ArmReplicates *rep, ArmNoiseSums *sums);
/* Fills basis with H of the pairs of a hold that are not dropped; returns its rank. */
size_t arm_replicates_hold(ArmReplicates *rep, size_t hold);
void arm_noise_sums(const ArmNoiseRows *rows, ArmNoiseSums *sums);

/* ---- verdict_without.c ---- */
/* What arm_replicates_sum would say if one pair were dropped, for each of these; it was the last
 * call.
 *   pairs  count, of the joint, from 0, ascending; none of them dropped
 *   sums   count
 * ARM_E_MEMORY, ARM_E_NUMERIC. */
ARM_MUST_CHECK ArmStatus arm_replicates_without(ArmReplicates *rep, size_t count,
                                                const size_t *pairs, ArmNoiseSums *sums);

static inline const ArmPair *arm_replicates_pair(const ArmReplicates *rep, size_t p) {
  return &rep->fit->pairs[rep->joint->first_pair + p];
}

#endif
