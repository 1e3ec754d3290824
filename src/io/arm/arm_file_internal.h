/* SPDX-License-Identifier: MIT */
/* Shared by the arm_file*.c files only. Readers return false with the error set. */
#ifndef ARMATURE_IO_ARM_FILE_INTERNAL_H
#define ARMATURE_IO_ARM_FILE_INTERNAL_H

#include "io/arm/arm_file.h"
#include "io/json/json_read.h"
#include "io/json/json_write.h"

#define AIO_DEGREE (G_PI / 180.0)

typedef enum {
  AIO_ARM_ANY,         /* within +-1e9, as all */
  AIO_ARM_POSITIVE,    /* > 0 */
  AIO_ARM_NOT_NEGATIVE /* >= 0 */
} AioArmRange;

bool aio_arm_read_number(const AioJsonNode *node, AioArmRange range, double *out, GError **error);
bool aio_arm_read_vector(const AioJsonNode *node, gsize n, double *out, GError **error);
/* The optional member `key` of `object`; absent or null: *out stays as it is. */
bool aio_arm_read_member(const AioJsonNode *object, const char *key, AioArmRange range, double *out,
                         GError **error);
/* Finds the member <stem>_deg<tail> or <stem>_rad<tail>: at most one may be there.
 *   node   NULL when neither is
 *   scale  what its numbers must be multiplied by to be radians */
bool aio_arm_find_angle(const AioJsonNode *object, const char *stem, const char *tail,
                        const AioJsonNode **node, double *scale, GError **error);
/* *out (NULL before) = a copy of the optional string member. */
bool aio_arm_read_text(const AioJsonNode *object, const char *key, char **out, GError **error);

/* Joint `index` from its object, into arm->joints[index] and arm->model.joints[index]. */
bool aio_arm_read_joint(const AioJsonNode *object, AioArm *arm, gsize index, GError **error);
bool aio_arm_read_limits(const AioJsonNode *object, ArmJoint *joint, GError **error);
bool aio_arm_read_drive(const AioJsonNode *object, ArmJoint *joint, bool *has_list, GError **error);
/* Appends to `warnings` what is odd but usable. */
bool aio_arm_read_link(const AioJsonNode *object, ArmJoint *joint, GPtrArray *warnings,
                       GError **error);
bool aio_arm_read_capsules(const AioJsonNode *object, ArmJoint *joint, GError **error);

/* Eigenvalues, ascending, of the tensor Ixx Iyy Izz Ixy Ixz Iyz. */
void aio_arm_principal_moments(const double tensor[6], double moments[3]);

#endif
