/* SPDX-License-Identifier: MIT */
/* What `structure` says of an arm, as JSON: {"format": "armature-structure", "version": 1, ..}.
 *
 * Joints, r and s count from 1 (r, s = n+1 when absent); flags are 0 or 1, null where they are not
 * defined. Every gravity parameter is listed, minimal or not, with its reason.
 */
#ifndef ARMATURE_IO_STRUCTURE_JSON_H
#define ARMATURE_IO_STRUCTURE_JSON_H

#include <glib.h>

#include "core/arm/structure.h"

/* Free with g_free. */
char *aio_structure_format(const ArmModel *model, const ArmStructure *structure, gsize *length);

/* "k2x", "k2y", "mhat3": gravity parameter `axis` (0, 1; T: 0) of a joint from 0. g_free it. */
char *aio_structure_parameter_name(ArmJointType type, gsize joint, gsize axis);

#endif
