/* SPDX-License-Identifier: MIT */
/* One instance of the kernels of core/arm/dyn.h; dyn_kernel.c includes this once per instance, with
 *   LANES   samples at a time, one per SIMD lane: 1, 2, 4 or 8
 *   LD      the arrays' leading dimension: `ld`, or 1 where it is known
 *   TARGET  the function attribute that allows the instructions, may be empty
 *   FN(x)   x with a suffix of its own
 * Here: numbers, vectors, sine and cosine, the arm's pose. Helpers are always inlined: out of line
 * they cost 1.6 times the whole. */

#define INLINE static inline __attribute__((always_inline, unused)) TARGET

#if LANES == 1
typedef double FN(Real);
typedef double FN(Loose);
typedef uint64_t FN(Bits);
#else
typedef double FN(Real) __attribute__((vector_size(8 * LANES)));
typedef double FN(Loose) __attribute__((vector_size(8 * LANES), may_alias, aligned(8)));
typedef uint64_t FN(Bits) __attribute__((vector_size(8 * LANES)));
#endif
#define Bits FN(Bits)
#define Real FN(Real)

typedef struct {
  Real x, y, z;
} FN(V3);
#define V3 FN(V3)

typedef struct {
  V3 x, y, z; /* rows */
} FN(M3);
#define M3 FN(M3)

/* Link frame i in link frame i-1. */
typedef struct {
  M3 rotation;
  V3 origin;
} FN(Frame);
#define Frame FN(Frame)

/* ---- numbers ---- */

INLINE Real FN(splat)(double x) {
  return x - (Real){0};
}

INLINE Real FN(load)(const double *p) {
  return *(const FN(Loose) *)p;
}

/* NULL reads as zero. */
INLINE Real FN(load_or_zero)(const double *p, size_t at) {
  return p ? FN(load)(p + at) : (Real){0};
}

INLINE void FN(store)(double *p, Real value) {
  *(FN(Loose) *)p = value;
}

INLINE double FN(lane)(Real value, int lane) {
#if LANES == 1
  (void)lane;
  return value;
#else
  return value[lane];
#endif
}

INLINE uint64_t FN(bits_lane)(Bits value, int lane) {
#if LANES == 1
  (void)lane;
  return value;
#else
  return value[lane];
#endif
}

INLINE void FN(set_lane)(Real *value, int lane, double x) {
#if LANES == 1
  (void)lane;
  *value = x;
#else
  (*value)[lane] = x;
#endif
}

/* ---- vectors ---- */

INLINE V3 FN(splat3)(const double *p) {
  return (V3){FN(splat)(p[0]), FN(splat)(p[1]), FN(splat)(p[2])};
}

INLINE V3 FN(add)(V3 a, V3 b) {
  return (V3){a.x + b.x, a.y + b.y, a.z + b.z};
}

INLINE V3 FN(scale)(Real k, V3 a) {
  return (V3){k * a.x, k * a.y, k * a.z};
}

INLINE Real FN(dot)(V3 a, V3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

INLINE V3 FN(cross)(V3 a, V3 b) {
  return (V3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* c + a x b */
INLINE V3 FN(cross_add)(V3 a, V3 b, V3 c) {
  return (V3){c.x + a.y * b.z - a.z * b.y, c.y + a.z * b.x - a.x * b.z,
              c.z + a.x * b.y - a.y * b.x};
}

INLINE V3 FN(mul)(const M3 *m, V3 v) {
  return (V3){FN(dot)(m->x, v), FN(dot)(m->y, v), FN(dot)(m->z, v)};
}

/* c + m v: the shortest way from v to the result */
INLINE V3 FN(mul_add)(const M3 *m, V3 v, V3 c) {
  return (V3){((c.x + m->x.x * v.x) + m->x.y * v.y) + m->x.z * v.z,
              ((c.y + m->y.x * v.x) + m->y.y * v.y) + m->y.z * v.z,
              ((c.z + m->z.x * v.x) + m->z.y * v.y) + m->z.z * v.z};
}

/* m^T v */
INLINE V3 FN(tmul)(const M3 *m, V3 v) {
  return (V3){m->x.x * v.x + m->y.x * v.y + m->z.x * v.z,
              m->x.y * v.x + m->y.y * v.y + m->z.y * v.z,
              m->x.z * v.x + m->y.z * v.y + m->z.z * v.z};
}

/* The symmetric tensor [xx xy yy xz yz zz] times v. */
INLINE V3 FN(tensor_mul)(const double *t, V3 v) {
  return (V3){t[0] * v.x + t[1] * v.y + t[3] * v.z, t[1] * v.x + t[2] * v.y + t[4] * v.z,
              t[3] * v.x + t[4] * v.y + t[5] * v.z};
}

/* The screw (u, v), angular and linear part at the origin of frame i-1, at that of frame i. */
INLINE void FN(screw_outward)(const Frame *frame, V3 *u, V3 *v) {
  *v = FN(tmul)(&frame->rotation, FN(cross_add)(*u, frame->origin, *v));
  *u = FN(tmul)(&frame->rotation, *u);
}

/* ---- pose ---- */

/* Sine and cosine of |x| <= far_angle, within 2 units in the last place: reduction by pi/2 in three
 * parts (Cody and Waite 1980), polynomials of fdlibm's k_sin.c and k_cos.c. */
INLINE void FN(sine_cosine)(Real x, Real *sine, Real *cosine) {
  union {
    Real real;
    Bits bits;
  } quarter, s, c, swapped_s, swapped_c;
  quarter.real = x * 0x1.45f306dc9c883p-1 + 0x1.8p52; /* low bits: round(x 2/pi) */
  const Real turns = quarter.real - 0x1.8p52;
  const Real r =
      ((x - turns * 0x1.921fb544p0) - turns * 0x1.0b4611a6p-34) - turns * 0x1.3198a2e037073p-69;
  const Real z = r * r;
  s.real =
      r + r * z *
              (-1.66666666666666324348e-01 +
               z * (8.33333333332248946124e-03 +
                    z * (-1.98412698298579493134e-04 +
                         z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 +
                                                                z * 1.58969099521155010221e-10)))));
  c.real =
      1.0 -
      (0.5 * z -
       z * z *
           (4.16666666666666019037e-02 +
            z * (-1.38888888888741095749e-03 +
                 z * (2.48015872894767294178e-05 +
                      z * (-2.75573143513906633035e-07 +
                           z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))))));
  const Bits odd = -(quarter.bits & 1);
  swapped_s.bits = ((s.bits & ~odd) | (c.bits & odd)) ^ ((quarter.bits & 2) << 62);
  swapped_c.bits = ((c.bits & ~odd) | (s.bits & odd)) ^ (((quarter.bits + 1) & 2) << 62);
  *sine = swapped_s.real;
  *cosine = swapped_c.real;
}

/* Angle of joint i, 0 for a T joint. */
INLINE Real FN(angle)(const ArmDyn *dyn, size_t ld, const double *q, size_t i) {
  (void)ld;
  return FN(load)(q + i * LD) * dyn->turns[i] + dyn->angle[i];
}

/* Redoes what the reduction above cannot. */
INLINE void FN(far_sine_cosine)(const ArmDyn *dyn, size_t ld, const double *q, Real *sine,
                                Real *cosine) {
  for (size_t i = 0; i < dyn->n; i++)
    for (int l = 0; l < LANES; l++) {
      double s, c;
      sincos(FN(lane)(FN(angle)(dyn, ld, q, i), l), &s, &c);
      FN(set_lane)(&sine[i], l, s);
      FN(set_lane)(&cosine[i], l, c);
    }
}

INLINE void FN(frame_set)(const ArmDynJoint *joint, Real q, Real sine, Real cosine, Frame *frame) {
  const double *p = joint->rotation;
  frame->origin = FN(splat3)(joint->translation);
  if (joint->type == ARM_JOINT_T) {
    const Real slide = joint->offset + q;
    frame->rotation = (M3){FN(splat3)(p), FN(splat3)(p + 3), FN(splat3)(p + 6)};
    frame->origin.x += p[2] * slide;
    frame->origin.y += p[5] * slide;
    frame->origin.z += p[8] * slide;
    return;
  }
  frame->rotation.x =
      (V3){p[0] * cosine + p[1] * sine, p[1] * cosine - p[0] * sine, FN(splat)(p[2])};
  frame->rotation.y =
      (V3){p[3] * cosine + p[4] * sine, p[4] * cosine - p[3] * sine, FN(splat)(p[5])};
  frame->rotation.z =
      (V3){p[6] * cosine + p[7] * sine, p[7] * cosine - p[6] * sine, FN(splat)(p[8])};
}

/* All sines before anything else, in a loop of their own that one sample can vectorise too: nothing
 * in it may be stored narrow and loaded wide. */
INLINE void FN(sines_cosines)(const ArmDyn *dyn, size_t ld, const double *q, Real *sine,
                              Real *cosine) {
  const size_t n = dyn->n;
  Bits far = {0};
  uint64_t any = 0;
  for (size_t i = 0; i < n; i++) {
    const Real angle = FN(angle)(dyn, ld, q, i);
    FN(sine_cosine)(angle, &sine[i], &cosine[i]);
    far |= (Bits)((angle > far_angle) | (angle < -far_angle));
  }
  for (int l = 0; l < LANES; l++)
    any |= FN(bits_lane)(far, l);
  if (__builtin_expect(any != 0, 0))
    FN(far_sine_cosine)(dyn, ld, q, sine, cosine);
}

INLINE void FN(pose)(const ArmDyn *dyn, size_t ld, const double *q, Frame *frame) {
  Real sine[ARM_MAX_JOINTS], cosine[ARM_MAX_JOINTS];
  FN(sines_cosines)(dyn, ld, q, sine, cosine);
  for (size_t i = 0; i < dyn->n; i++)
    FN(frame_set)(&dyn->joints[i], FN(load)(q + i * LD), sine[i], cosine[i], &frame[i]);
}

#include "core/arm/dyn_body_torque.h"

#include "core/arm/dyn_body_regressor.h"

#include "core/arm/dyn_body_gradient.h"

#include "core/arm/dyn_body_mass.h"

#include "core/arm/dyn_body_articulated.h"

#undef INLINE
#undef Real
#undef Bits
#undef V3
#undef M3
#undef Frame
#undef LANES
#undef LD
#undef TARGET
#undef FN
