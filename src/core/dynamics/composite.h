/* SPDX-License-Identifier: MIT */
/* Inertia constants of composite bodies: Lin, J. Robotic Systems 9(4) 1992.
 *
 * Composite body j is link j and all beyond it, moved together so far as they do not depend on a
 * joint variable: mass mhat_j, first moment k_j, tensor U_j, in frame j about its origin (eqs
 * (14)-(25), section 2.1 of the theory notes). Theorem 2: mass matrix and gravity depend on the
 * kept ones only.
 */
#ifndef ARMATURE_CORE_DYNAMICS_COMPOSITE_H
#define ARMATURE_CORE_DYNAMICS_COMPOSITE_H

#include "core/dynamics/base.h"

typedef enum {
  ARM_COMPOSITE_U11_U22 = 0, /* kg m^2 */
  ARM_COMPOSITE_U33,
  ARM_COMPOSITE_U12,
  ARM_COMPOSITE_U13,
  ARM_COMPOSITE_U23,
  ARM_COMPOSITE_M,  /* kg */
  ARM_COMPOSITE_KX, /* kg m */
  ARM_COMPOSITE_KY,
  ARM_COMPOSITE_KZ,
  ARM_COMPOSITE_A40, /* eq (40): z . (u_r x k), T joints with r < j < s */
  ARM_COMPOSITE_A43, /* eq (43): z . (k less its part along u_r) */
  ARM_COMPOSITE_KINDS
} ArmCompositeKind;

typedef struct {
  ArmCompositeKind kind;
  size_t joint; /* from 0 */
} ArmCompositeEntry;

typedef struct {
  size_t n, count;
  ArmCompositeEntry *entry; /* count */
  double *map;              /* count x 10n, column-major: constants = map pi */
} ArmComposite;

/* mhat, k and U of all bodies.
 *   pi         10 n
 *   composite  10 n   in the order of pi; must not alias it */
void arm_composite_constants(const ArmModel *model, const double *pi, double *composite);

/* The set of Theorem 2, decided on the nominal geometry, links from 1. Free with
 * arm_composite_free. Errors as arm_base_new. */
ARM_MUST_CHECK ArmStatus arm_composite_new(const ArmModel *model, ArmComposite **composite);
void arm_composite_free(ArmComposite *composite);

/* "U11-U22", "U33", "m", "kx", "A40": as in the vectors and papers. Static storage. */
const char *arm_composite_key(ArmCompositeKind kind);

#endif
