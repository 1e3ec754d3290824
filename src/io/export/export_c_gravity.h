/* SPDX-License-Identifier: MIT */
/* Inside export_c*.c only: the gravity current of every joint as lines of arithmetic. */
#ifndef ARMATURE_IO_EXPORT_C_GRAVITY_H
#define ARMATURE_IO_EXPORT_C_GRAVITY_H

#include "core/sweeps/ident.h"
#include "io/export/export_program.h"

/* The same sum as arm_predict without friction, only in another order.
 *   gravity  n  out: [A] */
void aio_export_c_gravity(const ArmModel *model, const ArmGravityParameters *parameters,
                          AioProgram *program, AioScalar *gravity);

#endif
