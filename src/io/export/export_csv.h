/* SPDX-License-Identifier: MIT */
/* Identified parameters as a table for spreadsheets and other programs.
 *
 *   joint,name,value,sd,unit,identifiable,used,reason
 *
 * One row per parameter, joint by joint, then the ratios (joint = the i of ratio_i_j). Names as in
 * the covariance of a parameter file ("kx_star_2"), numbers with 17 digits, unknown = empty cell.
 * A friction term is followed by what predictions need besides (docs/parameter-file.md), sd 0.
 */
#ifndef ARMATURE_IO_EXPORT_CSV_H
#define ARMATURE_IO_EXPORT_CSV_H

#include "io/params/params_file.h"

/* Whatever method found it. Free with g_free. */
char *aio_export_csv(const ArmParamSet *found, gsize *length);

#endif
