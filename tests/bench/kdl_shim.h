/* SPDX-License-Identifier: MIT */
/* KDL's inverse dynamics behind a C face, for the bench only. */
#ifndef ARMATURE_TESTS_KDL_SHIM_H
#define ARMATURE_TESTS_KDL_SHIM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct KdlShim KdlShim;

/* An arm of R joints with samples to compute, all laid out before any clock runs.
 *   mdh      n x [4]    beta, b, theta, d of each joint; beta = b = 0 for the first
 *   link     n x [10]   mass, centre, Ixx Iyy Izz Ixy Ixz Iyz about the centre
 *   q qd qdd  samples x [n]
 * NULL: out of memory. */
KdlShim *kdl_shim_new(size_t n, const double (*mdh)[4], const double (*link)[10],
                      const double gravity[3], size_t samples, const double *q, const double *qd,
                      const double *qdd);
void kdl_shim_free(KdlShim *shim);

/* Inverse dynamics of all samples; the results stay inside. Returns 0 when KDL is content. */
int kdl_shim_torque(KdlShim *shim);

/* Torque of joint i in sample s, from the last call. */
double kdl_shim_result(const KdlShim *shim, size_t s, size_t i);

#ifdef __cplusplus
}
#endif

#endif
