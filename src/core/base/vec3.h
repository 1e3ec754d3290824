/* SPDX-License-Identifier: MIT */
/* 3-vectors and 3x3 rotations, row-major m[3*row + column]; always inlined (a call costs more). */
#ifndef ARMATURE_CORE_VEC3_H
#define ARMATURE_CORE_VEC3_H

#define ARM_INLINE static inline __attribute__((always_inline, unused))

ARM_INLINE double arm_vec3_dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* y = M x; y must not alias x */
ARM_INLINE void arm_mat3_mul_vec(const double m[9], const double x[3], double y[3]) {
  for (int r = 0; r < 3; r++)
    y[r] = m[3 * r] * x[0] + m[3 * r + 1] * x[1] + m[3 * r + 2] * x[2];
}

/* y = M^T x; y must not alias x */
ARM_INLINE void arm_mat3_tmul_vec(const double m[9], const double x[3], double y[3]) {
  for (int c = 0; c < 3; c++)
    y[c] = m[c] * x[0] + m[3 + c] * x[1] + m[6 + c] * x[2];
}

/* c = A B; c must not alias a or b */
ARM_INLINE void arm_mat3_mul(const double a[9], const double b[9], double c[9]) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

#endif
