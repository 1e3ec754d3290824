/* SPDX-License-Identifier: MIT */
/* Identified parameters as a C99 header that firmware can include: one function per precision,
 *
 *   static inline void PREFIX_current(const double q[N], const double qd[N], double i_A[N]);
 *   static inline void PREFIX_current_f(const float q[N], const float qd[N], float i_A[N]);
 *
 * which give the motor currents of arm_predict without acceleration, limited to +-current_A. The
 * arm's geometry is folded into constants; all that is needed from outside is sin and cos. With the
 * rule sign-error a third input follows qd: error[N], the desired minus the measured position.
 *
 * Of parameters of kind "dynamics" the functions are inverse dynamics in currents, those of
 * core/dynamics/currents.h, and take qdd[N] behind qd:
 *
 *   static inline void PREFIX_current(const double q[N], const double qd[N], const double qdd[N],
 *       double i_A[N]);
 */
#ifndef ARMATURE_IO_EXPORT_C_H
#define ARMATURE_IO_EXPORT_C_H

#include "core/sweeps/predict.h"
#include "io/arm/arm_file.h"
#include "io/params/dynamics_file.h"
#include "io/params/params_file.h"

typedef struct {
  const char *prefix; /* of every name; NULL: made from the arm's name */
  ArmZeroSpeed zero_speed;
  double deadband;                    /* rad/s or m/s, for ARM_ZERO_SPEED_DEADBAND */
  double current_max[ARM_MAX_JOINTS]; /* A, where the current is limited; NAN: not limited. Joints
                                         fitted from torques are never limited */
  const char *program, *date;         /* named in the comment; NULL: not named */
} AioExportC;

/* No rule at zero speed, the limits of the arm file, no program, no date: the same input gives the
 * same bytes. */
void aio_export_c_default(AioExportC *options, const AioArm *arm);

/* May it stand before "_current"? A letter, then letters, digits and single underscores, at most 32
 * in all. */
bool aio_export_c_is_prefix(const char *prefix);

/* The header's text; free with g_free.
 * NULL: AIO_ERROR_MEANING (the arm and the parameters have different joints, no prefix as above),
 * AIO_ERROR_REFUSED (a number is too large for float). */
char *aio_export_c(const AioArm *arm, const AioParams *params, const AioExportC *options,
                   gsize *length, GError **error);

/* The same of an arm that moves as a whole. */
char *aio_export_c_dynamics(const AioArm *arm, const AioDynamics *dynamics,
                            const AioExportC *options, gsize *length, GError **error);

#endif
