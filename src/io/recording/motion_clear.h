/* SPDX-License-Identifier: MIT */
/* Does a motion keep the links of an arm off each other and off the table, as far as its file says
 * where they are? */
#ifndef ARMATURE_IO_MOTION_CLEAR_H
#define ARMATURE_IO_MOTION_CLEAR_H

#include "core/excite/limits.h"
#include "io/recording/motion.h"

/* At every row of the file.
 *   table_z_m  height of the table in the base's frame; NAN: none
 * false: AIO_ERROR_REFUSED with the row where two are furthest in each other; AIO_ERROR_MEMORY. */
bool aio_motion_is_clear(const AioMotionTable *motion, const ArmModel *model,
                         const ArmMotionLimits *limits, double table_z_m, GError **error);

#endif
