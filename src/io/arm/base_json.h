/* SPDX-License-Identifier: MIT */
/* What `base` says of an arm, as JSON: {"format": "armature-base", "version": 1, ..}.
 *
 * Base parameters with their terms, every other parameter with its reason, what was snapped, and
 * how many parameters three independent ways find. Joints, links, r and s count from 1.
 */
#ifndef ARMATURE_IO_BASE_JSON_H
#define ARMATURE_IO_BASE_JSON_H

#include <glib.h>

#include "core/dynamics/ways.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ArmBase, arm_base_free)

/* Free with g_free. */
char *aio_base_format(const ArmModel *model, const ArmBase *base, const ArmBaseWays *ways,
                      gsize *length);

#endif
