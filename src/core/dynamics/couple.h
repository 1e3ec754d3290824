/* SPDX-License-Identifier: MIT */
/* Coupled drives: rows of the joints' torques into those of the motors', m = (I+L)^-T tau (Lin,
 * IEEE TAC note 1994, (38)-(40)), and speeds of joints into those of drives, (I+L) qd. */
#ifndef ARMATURE_CORE_DYNAMICS_COUPLE_H
#define ARMATURE_CORE_DYNAMICS_COUPLE_H

#include "core/arm/model.h"

/* In place; nothing to do without coupling.
 *   column  count        those of the 10 n columns of a regressor that are wanted
 *   y       ld x 10n x n as core/arm/dyn.h has it */
void arm_dyn_couple_rows(const ArmModel *model, size_t count, const size_t *column, size_t ld,
                         double *y);

/* rates, drive  ld x n, the same or apart */
void arm_dyn_couple_rates(const ArmModel *model, size_t ld, const double *rates, double *drive);

#endif
