/* SPDX-License-Identifier: MIT */
/* Part of dyn_kernel_body.h: everything linear in the parameters.
 *
 * The screw (u, v) of joint j, carried outward to frame i, meets link i's block there:
 *   row_j(link i) = u^T M_i + v^T F_i,  force = F_i pi_i, moment = M_i pi_i
 * Moving the block inward instead costs four times as much. */

/* ---- inverse dynamics ---- */

/* What the block of a link is made of. */
typedef struct {
  V3 a, dw;
  M3 spin;                  /* [dw x] + [w x][w x]: force per first moment */
  Real xy, xz, yz;          /* products of w */
  Real xx_yy, zz_xx, yy_zz; /* differences of its squares */
} FN(Block);
#define Block FN(Block)

INLINE Block FN(block_of)(const Motion *motion) {
  const V3 w = motion->w, dw = motion->dw;
  const Real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  Block b = {.a = motion->a, .dw = dw, .xy = w.x * w.y, .xz = w.x * w.z, .yz = w.y * w.z};
  b.xx_yy = xx - yy;
  b.zz_xx = zz - xx;
  b.yy_zz = yy - zz;
  b.spin.x = (V3){-(yy + zz), b.xy - dw.z, b.xz + dw.y};
  b.spin.y = (V3){b.xy + dw.z, -(xx + zz), b.yz - dw.x};
  b.spin.z = (V3){b.xz - dw.y, b.yz + dw.x, -(xx + yy)};
  return b;
}

INLINE void FN(block_row)(const Block *b, V3 u, V3 v, size_t ld, double *row) {
  const V3 moment = FN(cross_add)(b->a, u, FN(tmul)(&b->spin, v));
  (void)ld;
  FN(store)(row, FN(dot)(v, b->a));
  FN(store)(row + 1 * LD, moment.x);
  FN(store)(row + 2 * LD, moment.y);
  FN(store)(row + 3 * LD, moment.z);
  FN(store)(row + 4 * LD, u.x * b->dw.x + u.y * b->xz - u.z * b->xy);
  FN(store)(row + 5 * LD, u.z * b->xx_yy - u.x * b->spin.z.x + u.y * b->spin.z.y);
  FN(store)(row + 6 * LD, u.y * b->dw.y - u.x * b->yz + u.z * b->xy);
  FN(store)(row + 7 * LD, u.y * b->zz_xx + u.x * b->spin.y.x - u.z * b->spin.y.z);
  FN(store)(row + 8 * LD, u.x * b->yy_zz - u.y * b->spin.x.y + u.z * b->spin.x.z);
  FN(store)(row + 9 * LD, u.z * b->dw.z + u.x * b->yz - u.y * b->xz);
}

/* The joint's own link: the screw is the axis itself. */
INLINE void FN(block_own_row)(const Block *b, ArmJointType type, size_t ld, double *row) {
  const Real zero = (Real){0};
  const bool slides = type == ARM_JOINT_T;
  (void)ld;
  FN(store)(row, slides ? b->a.z : zero);
  FN(store)(row + 1 * LD, slides ? b->spin.z.x : b->a.y);
  FN(store)(row + 2 * LD, slides ? b->spin.z.y : -b->a.x);
  FN(store)(row + 3 * LD, slides ? b->spin.z.z : zero);
  FN(store)(row + 4 * LD, slides ? zero : -b->xy);
  FN(store)(row + 5 * LD, slides ? zero : b->xx_yy);
  FN(store)(row + 6 * LD, slides ? zero : b->xy);
  FN(store)(row + 7 * LD, slides ? zero : -b->spin.y.z);
  FN(store)(row + 8 * LD, slides ? zero : b->spin.x.z);
  FN(store)(row + 9 * LD, slides ? zero : b->dw.z);
}

INLINE void FN(axis_screw)(ArmJointType type, V3 *u, V3 *v) {
  const Real zero = (Real){0}, one = FN(splat)(1);
  *u = (V3){zero, zero, type == ARM_JOINT_R ? one : zero};
  *v = (V3){zero, zero, type == ARM_JOINT_T ? one : zero};
}

/* The screw of joint i-1, its own axis, at the origin of frame i: most of screw_outward is zero. */
INLINE void FN(axis_outward)(ArmJointType type, const Frame *frame, V3 *u, V3 *v) {
  const M3 *r = &frame->rotation;
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  const Real x = frame->origin.x, y = frame->origin.y;
  const V3 lever = {x * r->y.x - y * r->x.x, x * r->y.y - y * r->x.y, x * r->y.z - y * r->x.z};
  *u = type == ARM_JOINT_R ? r->z : zero;
  *v = type == ARM_JOINT_R ? lever : r->z;
}

/* Links inboard of joint i do not load it. */
INLINE void FN(clear_inboard)(size_t n, size_t i, size_t ld, double *y) {
  (void)ld;
  for (size_t c = 0; c < P * i; c++)
    FN(store)(y + (P * n * i + c) * LD, (Real){0});
}

/* A link's frame is made where it is met: kept for all links, its stores queue with those of y.
 * Zeros are written amid the numbers, whose making hides the way to the second cache. */
TARGET static void FN(regressor)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd,
                                 const double *qdd, bool has_zeros, double *y) {
  Real sine[ARM_MAX_JOINTS], cosine[ARM_MAX_JOINTS];
  V3 u[ARM_MAX_JOINTS], v[ARM_MAX_JOINTS];
  const size_t n = dyn->n;
  Frame frame;
  FN(sines_cosines)(dyn, ld, q, sine, cosine);
  FN(frame_set)(&dyn->joints[0], FN(load)(q), sine[0], cosine[0], &frame);
  Motion motion = FN(carry_first)(dyn, &frame);
  for (size_t i = 0; i < n; i++) {
    const ArmJointType type = dyn->joints[i].type;
    if (i > 0) {
      FN(frame_set)(&dyn->joints[i], FN(load)(q + i * LD), sine[i], cosine[i], &frame);
      motion = FN(carry)(&frame, &motion);
    }
    FN(drive)(type, FN(load_or_zero)(qd, i * LD), FN(load_or_zero)(qdd, i * LD), &motion);
    const Block block = FN(block_of)(&motion);
    for (size_t j = 0; j + 1 < i; j++) {
      FN(screw_outward)(&frame, &u[j], &v[j]);
      FN(block_row)(&block, u[j], v[j], ld, y + P * (n * j + i) * LD);
    }
    if (i > 0) {
      FN(axis_outward)(dyn->joints[i - 1].type, &frame, &u[i - 1], &v[i - 1]);
      FN(block_row)(&block, u[i - 1], v[i - 1], ld, y + P * (n * (i - 1) + i) * LD);
    }
    FN(block_own_row)(&block, type, ld, y + P * (n * i + i) * LD);
    if (!has_zeros)
      FN(clear_inboard)(n, i, ld, y);
  }
}

/* ---- momentum and energy ---- */

/* Velocity of a link: of its rotation, of its origin. */
typedef struct {
  V3 w, v;
} FN(Twist);
#define Twist FN(Twist)

INLINE void FN(twist_drive)(ArmJointType type, Real qd, Twist *twist) {
  if (type == ARM_JOINT_T)
    twist->v.z += qd;
  else
    twist->w.z += qd;
}

/* (u, l) times the momentum block of a link that moves with `twist`, plus what gravity adds. */
INLINE void FN(momentum_row)(const Twist *twist, V3 u, V3 l, Real mass, V3 moment, size_t ld,
                             double *row) {
  const V3 w = twist->w;
  const V3 h = FN(cross_add)(l, w, FN(cross_add)(twist->v, u, moment));
  (void)ld;
  FN(store)(row, mass + FN(dot)(l, twist->v));
  FN(store)(row + 1 * LD, h.x);
  FN(store)(row + 2 * LD, h.y);
  FN(store)(row + 3 * LD, h.z);
  FN(store)(row + 4 * LD, u.x * w.x);
  FN(store)(row + 5 * LD, u.x * w.y + u.y * w.x);
  FN(store)(row + 6 * LD, u.y * w.y);
  FN(store)(row + 7 * LD, u.x * w.z + u.z * w.x);
  FN(store)(row + 8 * LD, u.y * w.z + u.z * w.y);
  FN(store)(row + 9 * LD, u.z * w.z);
}

/* The screw of a joint, and its bracket with the velocity of the joint's link:
 * (w x u, v x u + w x l). Both travel outward alike. */
typedef struct {
  V3 u, l, du, dl;
} FN(Screws);

TARGET static void FN(momentum)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd,
                                double *yp, double *ye) {
  Frame frame[ARM_MAX_JOINTS];
  FN(Screws) screws[ARM_MAX_JOINTS];
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  const size_t n = dyn->n;
  Twist twist = {zero, zero};
  V3 g = FN(splat3)(dyn->gravity);
  FN(pose)(dyn, ld, q, frame);
  for (size_t i = 0; i < n; i++) {
    FN(screw_outward)(&frame[i], &twist.w, &twist.v);
    g = FN(tmul)(&frame[i].rotation, g);
    FN(twist_drive)(dyn->joints[i].type, FN(load_or_zero)(qd, i * LD), &twist);
    FN(Screws) *own = &screws[i];
    FN(axis_screw)(dyn->joints[i].type, &own->u, &own->l);
    own->du = FN(cross)(twist.w, own->u);
    own->dl = FN(cross_add)(twist.v, own->u, FN(cross)(twist.w, own->l));
    FN(clear_inboard)(n, i, ld, yp);
    FN(clear_inboard)(n, i, ld, ye);
    for (size_t j = 0; j <= i; j++) {
      FN(Screws) *s = &screws[j];
      const size_t at = P * (n * j + i) * LD;
      if (j < i) {
        FN(screw_outward)(&frame[i], &s->u, &s->l);
        FN(screw_outward)(&frame[i], &s->du, &s->dl);
      }
      FN(momentum_row)(&twist, s->u, s->l, (Real){0}, zero, ld, yp + at);
      FN(momentum_row)
      (&twist, s->du, s->dl, FN(dot)(g, s->l), FN(cross)(g, s->u), ld, ye + at);
    }
  }
}

TARGET static void FN(energy)(const ArmDyn *dyn, size_t ld, const double *q, const double *qd,
                              double *k, double *u) {
  Frame frame[ARM_MAX_JOINTS];
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  Twist twist = {zero, zero};
  V3 g = FN(splat3)(dyn->gravity);
  Real depth = (Real){0}; /* g . position of the origin */
  FN(pose)(dyn, ld, q, frame);
  for (size_t i = 0; i < dyn->n; i++) {
    depth += FN(dot)(g, frame[i].origin);
    g = FN(tmul)(&frame[i].rotation, g);
    FN(screw_outward)(&frame[i], &twist.w, &twist.v);
    FN(twist_drive)(dyn->joints[i].type, FN(load_or_zero)(qd, i * LD), &twist);
    const V3 w = twist.w, h = FN(cross)(twist.v, w);
    const Real kinetic[P] = {0.5 * FN(dot)(twist.v, twist.v),
                             h.x,
                             h.y,
                             h.z,
                             0.5 * w.x * w.x,
                             w.x * w.y,
                             0.5 * w.y * w.y,
                             w.x * w.z,
                             w.y * w.z,
                             0.5 * w.z * w.z};
    const Real potential[4] = {-depth, -g.x, -g.y, -g.z};
    for (size_t c = 0; c < P; c++) {
      FN(store)(k + (P * i + c) * LD, kinetic[c]);
      FN(store)(u + (P * i + c) * LD, c < 4 ? potential[c < 4 ? c : 0] : (Real){0});
    }
  }
}

/* What a link's ten columns give back to its velocity and to gravity in its frame, at the weights
 * bar; returns what they give to the depth of its origin. */
INLINE Real FN(energy_link_back)(const Twist *twist, size_t ld, const double *bar, Twist *back,
                                 V3 *g_back) {
  Real b[P];
  (void)ld;
  for (size_t c = 0; c < P; c++)
    b[c] = FN(load)(bar + c * LD);
  const V3 moment = {b[1], b[2], b[3]}, w = twist->w, v = twist->v;
  back->v = FN(add)(back->v, FN(cross_add)(w, moment, FN(scale)(b[0], v)));
  back->w = FN(add)(back->w, FN(cross)(moment, v));
  back->w.x += b[4] * w.x + b[5] * w.y + b[7] * w.z;
  back->w.y += b[5] * w.x + b[6] * w.y + b[8] * w.z;
  back->w.z += b[7] * w.x + b[8] * w.y + b[9] * w.z;
  *g_back = FN(add)(*g_back, FN(scale)(FN(splat)(-1), moment));
  return -b[0];
}

/* What a vector x = R(q)^T y gives to the derivative by q of an R joint: dx/dq = x cross z. */
INLINE Real FN(turn_back)(V3 back, V3 x) {
  return back.x * x.y - back.y * x.x;
}

TARGET static void FN(energy_gradient)(const ArmDyn *dyn, size_t ld, const double *q,
                                       const double *qd, const double *bar, double *q_bar,
                                       double *qd_bar) {
  Frame frame[ARM_MAX_JOINTS];
  Twist twist[ARM_MAX_JOINTS];
  V3 g[ARM_MAX_JOINTS];
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  const V3 g_base = FN(splat3)(dyn->gravity);
  const size_t n = dyn->n;
  FN(pose)(dyn, ld, q, frame);
  for (size_t i = 0; i < n; i++) {
    twist[i] = i > 0 ? twist[i - 1] : (Twist){zero, zero};
    g[i] = FN(tmul)(&frame[i].rotation, i > 0 ? g[i - 1] : g_base);
    FN(screw_outward)(&frame[i], &twist[i].w, &twist[i].v);
    FN(twist_drive)(dyn->joints[i].type, FN(load_or_zero)(qd, i * LD), &twist[i]);
  }
  Twist back = {zero, zero};
  V3 g_back = zero;
  Real depth_back = (Real){0};
  for (size_t i = n; i-- > 0;) {
    const bool slides = dyn->joints[i].type == ARM_JOINT_T;
    const double *p = dyn->joints[i].rotation;
    const V3 w_inner = i > 0 ? twist[i - 1].w : zero, g_inner = i > 0 ? g[i - 1] : g_base;
    depth_back += FN(energy_link_back)(&twist[i], ld, bar + P * i * LD, &back, &g_back);
    FN(store)(qd_bar + i * LD, slides ? back.v.z : back.w.z);
    const Real turn = FN(turn_back)(back.w, twist[i].w) + FN(turn_back)(back.v, twist[i].v) +
                      FN(turn_back)(g_back, g[i]);
    back.w = FN(mul)(&frame[i].rotation, back.w);
    back.v = FN(mul)(&frame[i].rotation, back.v);
    g_back = FN(mul_add)(&frame[i].rotation, g_back, FN(scale)(depth_back, frame[i].origin));
    const V3 origin = FN(cross_add)(back.v, w_inner, FN(scale)(depth_back, g_inner));
    const Real slide = p[2] * origin.x + p[5] * origin.y + p[8] * origin.z;
    FN(store)(q_bar + i * LD, slides ? slide : turn);
    back.w = FN(cross_add)(frame[i].origin, back.v, back.w);
  }
}

#undef Block
#undef Twist
