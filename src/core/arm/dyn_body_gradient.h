/* SPDX-License-Identifier: MIT */
/* Part of dyn_kernel_body.h: the regressor, differentiated in one sweep back over the chain.
 *
 * Reverse mode of FN(regressor): for weights `bar` of its numbers, the derivatives of their sum by
 * everything that the numbers were made of, link n first. What a vector x of frame i gets is called
 * x back. Source: theory notes of exciting trajectories, 8.5. */

/* Ten numbers in the order of inertia.h. */
typedef struct {
  Real m;
  V3 h;
  Real xx, xy, yy, xz, yz, zz;
} FN(Ten);

INLINE FN(Ten) FN(ten_load)(size_t ld, const double *p) {
  (void)ld;
  return (FN(Ten)){
      FN(load)(p),          {FN(load)(p + 1 * LD), FN(load)(p + 2 * LD), FN(load)(p + 3 * LD)},
      FN(load)(p + 4 * LD), FN(load)(p + 5 * LD),
      FN(load)(p + 6 * LD), FN(load)(p + 7 * LD),
      FN(load)(p + 8 * LD), FN(load)(p + 9 * LD)};
}

INLINE V3 FN(ten_mul)(const FN(Ten) * t, V3 v) {
  return (V3){t->xx * v.x + t->xy * v.y + t->xz * v.z, t->xy * v.x + t->yy * v.y + t->yz * v.z,
              t->xz * v.x + t->yz * v.y + t->zz * v.z};
}

/* Force and moment of a body with these parameters: what the screw's two halves were multiplied by.
 */
INLINE void FN(ten_force)(const FN(Ten) * t, const Motion *motion, V3 *f, V3 *n) {
  const V3 w = motion->w, wh = FN(cross)(w, t->h);
  *f = FN(cross_add)(w, wh, FN(cross_add)(motion->dw, t->h, FN(scale)(t->m, motion->a)));
  *n = FN(cross_add)(t->h, motion->a,
                     FN(cross_add)(w, FN(ten_mul)(t, w), FN(ten_mul)(t, motion->dw)));
}

/* What the columns of a link's 6 x 10 block get: sums over the joints of screw times weight. */
typedef struct {
  V3 xx, xy, yy, xz, yz, zz; /* moment by the tensor */
  V3 nx, ny, nz;             /* moment by the first moment */
  V3 fx, fy, fz, m;          /* force by the first moment, by the mass */
} FN(BlockBack);

INLINE void FN(block_back_add)(const FN(Ten) * t, V3 u, V3 v, FN(BlockBack) * b) {
  b->xx = FN(add)(b->xx, FN(scale)(t->xx, u));
  b->xy = FN(add)(b->xy, FN(scale)(t->xy, u));
  b->yy = FN(add)(b->yy, FN(scale)(t->yy, u));
  b->xz = FN(add)(b->xz, FN(scale)(t->xz, u));
  b->yz = FN(add)(b->yz, FN(scale)(t->yz, u));
  b->zz = FN(add)(b->zz, FN(scale)(t->zz, u));
  b->nx = FN(add)(b->nx, FN(scale)(t->h.x, u));
  b->ny = FN(add)(b->ny, FN(scale)(t->h.y, u));
  b->nz = FN(add)(b->nz, FN(scale)(t->h.z, u));
  b->fx = FN(add)(b->fx, FN(scale)(t->h.x, v));
  b->fy = FN(add)(b->fy, FN(scale)(t->h.y, v));
  b->fz = FN(add)(b->fz, FN(scale)(t->h.z, v));
  b->m = FN(add)(b->m, FN(scale)(t->m, v));
}

/* From the block to the motion that it is made of. */
INLINE void FN(block_back)(const FN(BlockBack) * b, V3 w, Motion *back) {
  const Real wxx = b->xy.z - b->xz.y - b->fy.y - b->fz.z;
  const Real wyy = b->yz.x - b->xy.z - b->fx.x - b->fz.z;
  const Real wzz = b->xz.y - b->yz.x - b->fx.x - b->fy.y;
  const Real wxy = b->xz.x - b->yz.y - b->xx.z + b->yy.z + b->fy.x + b->fx.y;
  const Real wxz = b->xx.y - b->xy.x - b->zz.y + b->yz.z + b->fz.x + b->fx.z;
  const Real wyz = b->zz.x - b->yy.x + b->xy.y - b->xz.z + b->fz.y + b->fy.z;
  back->dw.x += b->xx.x + b->xy.y + b->xz.z + b->fy.z - b->fz.y;
  back->dw.y += b->xy.x + b->yy.y + b->yz.z + b->fz.x - b->fx.z;
  back->dw.z += b->xz.x + b->yz.y + b->zz.z + b->fx.y - b->fy.x;
  back->a.x += b->nz.y - b->ny.z + b->m.x;
  back->a.y += b->nx.z - b->nz.x + b->m.y;
  back->a.z += b->ny.x - b->nx.y + b->m.z;
  back->w.x += 2 * w.x * wxx + w.y * wxy + w.z * wxz;
  back->w.y += 2 * w.y * wyy + w.x * wxy + w.z * wyz;
  back->w.z += 2 * w.z * wzz + w.x * wxz + w.y * wyz;
}

/* Undoes FN(drive), in the motion and in what it gets; stores what qd and qdd get. */
INLINE void FN(drive_back)(ArmJointType type, Real qd, Real qdd, Motion *motion, Motion *back,
                           double *qd_bar, double *qdd_bar) {
  if (type == ARM_JOINT_T) {
    const Real twice = qd + qd;
    FN(store)(qdd_bar, back->a.z);
    FN(store)(qd_bar, 2 * (back->a.x * motion->w.y - back->a.y * motion->w.x));
    motion->a.x -= motion->w.y * twice;
    motion->a.y += motion->w.x * twice;
    motion->a.z -= qdd;
    back->w.x -= twice * back->a.y;
    back->w.y += twice * back->a.x;
    return;
  }
  motion->w.z -= qd;
  motion->dw.x -= motion->w.y * qd;
  motion->dw.y += motion->w.x * qd;
  motion->dw.z -= qdd;
  FN(store)(qdd_bar, back->dw.z);
  FN(store)(qd_bar, back->w.z + back->dw.x * motion->w.y - back->dw.y * motion->w.x);
  back->w.x -= qd * back->dw.y;
  back->w.y += qd * back->dw.x;
}

/* From link i to link i-1, which moves with w0, dw0. Returns what the origin of frame i gets. */
INLINE V3 FN(carry_back)(const Frame *frame, V3 w0, V3 dw0, Motion *back) {
  const V3 s = frame->origin, e = FN(mul)(&frame->rotation, back->a), ew = FN(cross)(e, w0);
  const V3 origin = FN(cross_add)(e, dw0, FN(cross)(ew, w0));
  back->dw = FN(cross_add)(s, e, FN(mul)(&frame->rotation, back->dw));
  back->w =
      FN(cross_add)(FN(cross)(w0, s), e, FN(cross_add)(s, ew, FN(mul)(&frame->rotation, back->w)));
  back->a = e;
  return origin;
}

/* The screw of a joint and what it gets, at frame i-1. Adds to what the origin of frame i gets. */
INLINE void FN(screw_inward)(const Frame *frame, V3 *u, V3 *v, V3 *u_back, V3 *v_back, V3 *origin) {
  *u = FN(mul)(&frame->rotation, *u);
  *v = FN(cross_add)(frame->origin, *u, FN(mul)(&frame->rotation, *v));
  *v_back = FN(mul)(&frame->rotation, *v_back);
  *u_back = FN(cross_add)(frame->origin, *v_back, FN(mul)(&frame->rotation, *u_back));
  *origin = FN(cross_add)(*v_back, *u, *origin);
}

TARGET static void FN(regressor_gradient)(const ArmDyn *dyn, size_t ld, const double *q,
                                          const double *qd, const double *qdd, const double *bar,
                                          double *q_bar, double *qd_bar, double *qdd_bar) {
  Frame frame[ARM_MAX_JOINTS];
  Motion motion[ARM_MAX_JOINTS];
  V3 u[ARM_MAX_JOINTS], v[ARM_MAX_JOINTS], u_back[ARM_MAX_JOINTS], v_back[ARM_MAX_JOINTS];
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  const size_t n = dyn->n;
  FN(pose)(dyn, ld, q, frame);
  for (size_t i = 0; i < n; i++) {
    const ArmJointType type = dyn->joints[i].type;
    motion[i] = i > 0 ? FN(carry)(&frame[i], &motion[i - 1]) : FN(carry_first)(dyn, &frame[0]);
    FN(drive)(type, FN(load_or_zero)(qd, i * LD), FN(load_or_zero)(qdd, i * LD), &motion[i]);
    for (size_t j = 0; j < i; j++)
      FN(screw_outward)(&frame[i], &u[j], &v[j]);
    FN(axis_screw)(type, &u[i], &v[i]);
    u_back[i] = v_back[i] = zero;
  }
  Motion back = {zero, zero, zero};
  for (size_t i = n; i-- > 0;) {
    const bool slides = dyn->joints[i].type == ARM_JOINT_T;
    const double *p = dyn->joints[i].rotation;
    const V3 w0 = i > 0 ? motion[i - 1].w : zero, dw0 = i > 0 ? motion[i - 1].dw : zero;
    FN(BlockBack)
    block = {zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero, zero};
    for (size_t j = 0; j <= i; j++) {
      const FN(Ten) ten = FN(ten_load)(ld, bar + P * (n * j + i) * LD);
      V3 f, moment;
      FN(block_back_add)(&ten, u[j], v[j], &block);
      FN(ten_force)(&ten, &motion[i], &f, &moment);
      u_back[j] = FN(add)(u_back[j], moment);
      v_back[j] = FN(add)(v_back[j], f);
    }
    FN(block_back)(&block, motion[i].w, &back);
    FN(drive_back)
    (dyn->joints[i].type, FN(load_or_zero)(qd, i * LD), FN(load_or_zero)(qdd, i * LD), &motion[i],
     &back, qd_bar + i * LD, qdd_bar + i * LD);
    Real turn = FN(turn_back)(back.w, motion[i].w) + FN(turn_back)(back.dw, motion[i].dw) +
                FN(turn_back)(back.a, motion[i].a);
    V3 origin = FN(carry_back)(&frame[i], w0, dw0, &back);
    for (size_t j = 0; j < i; j++) {
      turn += FN(turn_back)(u_back[j], u[j]) + FN(turn_back)(v_back[j], v[j]);
      FN(screw_inward)(&frame[i], &u[j], &v[j], &u_back[j], &v_back[j], &origin);
    }
    const Real slide = p[2] * origin.x + p[5] * origin.y + p[8] * origin.z;
    FN(store)(q_bar + i * LD, slides ? slide : turn);
  }
}

#undef Motion
