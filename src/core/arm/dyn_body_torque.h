/* SPDX-License-Identifier: MIT */
/* Part of dyn_kernel_body.h: inverse dynamics and gravity, Newton-Euler about the link origins.
 *
 *   f = m a + dw x h + w x (w x h)        h = m c
 *   n = I dw + w x (I w) + h x a
 * w, dw, a: angular velocity, angular acceleration, acceleration of the origin less gravity, all in
 * the link's own frame. */

typedef struct {
  V3 w, dw, a;
} FN(Motion);
#define Motion FN(Motion)

/* Adds what the joint itself does. */
INLINE void FN(drive)(ArmJointType type, Real qd, Real qdd, Motion *motion) {
  if (type == ARM_JOINT_T) {
    const Real twice = qd + qd;
    motion->a.x += motion->w.y * twice;
    motion->a.y -= motion->w.x * twice;
    motion->a.z += qdd;
  } else {
    motion->dw.x += motion->w.y * qd;
    motion->dw.y -= motion->w.x * qd;
    motion->dw.z += qdd;
    motion->w.z += qd;
  }
}

INLINE Motion FN(carry)(const Frame *frame, const Motion *from) {
  const V3 ws = FN(cross)(from->w, frame->origin);
  const V3 turn = FN(cross_add)(from->w, ws, FN(cross)(from->dw, frame->origin));
  const V3 a = FN(add)(from->a, turn); /* in this order: a waits for nothing but itself */
  return (Motion){FN(tmul)(&frame->rotation, from->w), FN(tmul)(&frame->rotation, from->dw),
                  FN(tmul)(&frame->rotation, a)};
}

/* The motion of link 0: the base stands still and accelerates against gravity. */
INLINE Motion FN(carry_first)(const ArmDyn *dyn, const Frame *frame) {
  const double up[3] = {-dyn->gravity[0], -dyn->gravity[1], -dyn->gravity[2]};
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  return (Motion){zero, zero, FN(tmul)(&frame->rotation, FN(splat3)(up))};
}

INLINE void FN(force)(const double *pi, const Motion *motion, V3 *f, V3 *n) {
  const V3 h = FN(splat3)(pi + 1);
  const V3 wh = FN(cross)(motion->w, h);
  const V3 spin = FN(tensor_mul)(pi + 4, motion->w);
  const V3 weight = FN(scale)(FN(splat)(pi[0]), motion->a);
  *f = FN(cross_add)(motion->w, wh, FN(cross_add)(motion->dw, h, weight));
  *n = FN(cross_add)(h, motion->a,
                     FN(cross_add)(motion->w, spin, FN(tensor_mul)(pi + 4, motion->dw)));
}

/* The links' forces f and moments n, gathered inward into the joints' torques. */
INLINE void FN(gather)(const ArmDyn *dyn, const Frame *frame, V3 *f, V3 *n, Real *tau) {
  for (size_t i = dyn->n; i-- > 0;) {
    tau[i] = dyn->joints[i].type == ARM_JOINT_T ? f[i].z : n[i].z;
    if (i == 0)
      break;
    const V3 inward = FN(mul)(&frame[i].rotation, f[i]);
    const V3 lever = FN(cross_add)(frame[i].origin, inward, n[i - 1]);
    n[i - 1] = FN(mul_add)(&frame[i].rotation, n[i], lever);
    f[i - 1] = FN(add)(f[i - 1], inward);
  }
}

INLINE void FN(inverse)(const ArmDyn *dyn, const double *pi, const Frame *frame, size_t ld,
                        const double *qd, const double *qdd, Real *tau) {
  V3 f[ARM_MAX_JOINTS], n[ARM_MAX_JOINTS];
  Motion motion = FN(carry_first)(dyn, &frame[0]);
  (void)ld;
  for (size_t i = 0; i < dyn->n; i++) {
    if (i > 0)
      motion = FN(carry)(&frame[i], &motion);
    FN(drive)
    (dyn->joints[i].type, FN(load_or_zero)(qd, i * LD), FN(load_or_zero)(qdd, i * LD), &motion);
    FN(force)(pi + P * i, &motion, &f[i], &n[i]);
  }
  FN(gather)(dyn, frame, f, n, tau);
}

TARGET static void FN(torque)(const ArmDyn *dyn, const double *pi, size_t ld, const double *q,
                              const double *qd, const double *qdd, double *tau) {
  Frame frame[ARM_MAX_JOINTS];
  Real result[ARM_MAX_JOINTS];
  FN(pose)(dyn, ld, q, frame);
  FN(inverse)(dyn, pi, frame, ld, qd, qdd, result);
  for (size_t i = 0; i < dyn->n; i++)
    FN(store)(tau + i * LD, result[i]);
}

TARGET static void FN(gravity)(const ArmDyn *dyn, const double *pi, size_t ld, const double *q,
                               double *tau) {
  Frame frame[ARM_MAX_JOINTS];
  Real result[ARM_MAX_JOINTS];
  V3 f[ARM_MAX_JOINTS], n[ARM_MAX_JOINTS], up = {(Real){0}, (Real){0}, (Real){0}};
  FN(pose)(dyn, ld, q, frame);
  for (size_t i = 0; i < dyn->n; i++) {
    up = i > 0 ? FN(tmul)(&frame[i].rotation, up) : FN(carry_first)(dyn, &frame[0]).a;
    f[i] = FN(scale)(FN(splat)(pi[P * i]), up);
    n[i] = FN(cross)(FN(splat3)(pi + P * i + 1), up);
  }
  FN(gather)(dyn, frame, f, n, result);
  for (size_t i = 0; i < dyn->n; i++)
    FN(store)(tau + i * LD, result[i]);
}
