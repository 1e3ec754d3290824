/* SPDX-License-Identifier: MIT */
/* What the parts of core/excite/check share. */
#ifndef ARMATURE_CORE_EXCITE_CHECK_INTERNAL_H
#define ARMATURE_CORE_EXCITE_CHECK_INTERNAL_H

#include "core/excite/check.h"

/* Regressor of blocks of states, rows divided by noise. */
typedef struct {
  const ArmBase *base;
  const ArmModel *model;
  const double *noise; /* n */
  size_t block;        /* most states at a time */
  double *state;       /* 3 x block x n  q, qd, qdd */
  double *full;        /* block x columns x n */
  double *rows;        /* block n x count  of the block at hand, ld = its states x n */
} ArmExcitationRows;

/* ARM_E_MEMORY. Free with arm_excitation_rows_free (all zeros allowed). */
ARM_MUST_CHECK ArmStatus arm_excitation_rows_init(const ArmBase *base, const ArmModel *model,
                                                  const double *noise, ArmExcitationRows *rows);
void arm_excitation_rows_free(ArmExcitationRows *rows);

/* rows->rows of the `samples` <= block states in rows->state (each samples x n). */
ARM_MUST_CHECK ArmStatus arm_excitation_rows_fill(ArmExcitationRows *rows, size_t samples);

/* Finds `by`, i, j and `gain` of directions whose step is known.
 *   own  count  mean information of a sample of the motion itself along each step */
ARM_MUST_CHECK ArmStatus arm_excitation_show(ArmExcitationRows *rows, const ArmMotionLimits *limits,
                                             size_t count, const double *own,
                                             ArmWeakDirection *directions);

#endif
