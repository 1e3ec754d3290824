/* SPDX-License-Identifier: MIT */
/* Inside export_c*.c only: the current of every joint that moves the links, as lines of
 * arithmetic. */
#ifndef ARMATURE_IO_EXPORT_C_DYNAMICS_H
#define ARMATURE_IO_EXPORT_C_DYNAMICS_H

#include "core/params/set.h"
#include "io/export/export_program.h"

/* eta_i (Y_b beta)_i, and the rotor's share, as arm_currents_predict sums them up.
 *   found  of kind "dynamics"
 *   load   n  out: [A]
 *   rotor  n  out: [A] */
void aio_export_c_dynamics_load(const ArmModel *model, const ArmParamSet *found,
                                AioProgram *program, AioScalar *load, AioScalar *rotor);

#endif
