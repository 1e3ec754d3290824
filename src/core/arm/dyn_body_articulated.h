/* SPDX-License-Identifier: MIT */
/* Part of dyn_kernel_body.h: forward dynamics by articulated bodies (Featherstone 1983), O(n).
 *
 * What hangs on joint i, with all joints outboard free to give way, answers the motion (dw, a) of
 * link i with
 *   moment = angular dw + mixed a + n        force = mixed^T dw + linear a + f
 * about the origin of frame i. */

typedef struct {
  M3 mixed;
  Real angular[6], linear[6]; /* xx xy yy xz yz zz */
  V3 n, f;
} FN(Articulated);
#define Articulated FN(Articulated)

/* What is kept of a joint for the way out. */
typedef struct {
  V3 w;           /* of its link */
  V3 turn, slide; /* what its velocity adds to dw and a, in its frame */
  V3 un, uf;      /* moment and force per acceleration of the joint, over `pivot` */
  Real drive;     /* its acceleration while dw and a are 0 */
} FN(Hinge);
#define Hinge FN(Hinge)

INLINE V3 FN(symmetric_mul)(const Real *t, V3 v) {
  return (V3){t[0] * v.x + t[1] * v.y + t[3] * v.z, t[1] * v.x + t[2] * v.y + t[4] * v.z,
              t[3] * v.x + t[4] * v.y + t[5] * v.z};
}

/* R t R^T */
INLINE void FN(symmetric_inward)(const M3 *r, const Real *t, Real *out) {
  const V3 x = FN(symmetric_mul)(t, r->x), y = FN(symmetric_mul)(t, r->y);
  const V3 z = FN(symmetric_mul)(t, r->z);
  out[0] = FN(dot)(r->x, x);
  out[1] = FN(dot)(r->x, y);
  out[2] = FN(dot)(r->y, y);
  out[3] = FN(dot)(r->x, z);
  out[4] = FN(dot)(r->y, z);
  out[5] = FN(dot)(r->z, z);
}

/* A link alone, whose velocity takes a wrench to keep up. */
INLINE Articulated FN(articulated_of)(const double *pi, V3 w) {
  const Real zero = (Real){0}, mass = FN(splat)(pi[0]);
  const V3 h = FN(splat3)(pi + 1);
  Articulated body = {.mixed = {{zero, -h.z, h.y}, {h.z, zero, -h.x}, {-h.y, h.x, zero}},
                      .linear = {mass, zero, mass, zero, zero, mass}};
  for (size_t k = 0; k < 6; k++)
    body.angular[k] = FN(splat)(pi[4 + k]);
  body.n = FN(cross)(w, FN(tensor_mul)(pi + 4, w));
  body.f = FN(cross)(w, FN(cross)(w, h));
  return body;
}

/* Velocities outward, and what they add to the accelerations of each link. */
INLINE void FN(articulated_turn)(const ArmDyn *dyn, const Frame *frame, size_t ld, const double *qd,
                                 Hinge *hinge) {
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  V3 w = zero;
  (void)ld;
  for (size_t i = 0; i < dyn->n; i++) {
    const Real speed = FN(load_or_zero)(qd, i * LD);
    const bool slides = dyn->joints[i].type == ARM_JOINT_T;
    const V3 lift = FN(cross)(w, FN(cross)(w, frame[i].origin));
    w = FN(tmul)(&frame[i].rotation, w);
    const V3 gyration = {w.y * speed, -w.x * speed, (Real){0}};
    hinge[i].turn = slides ? zero : gyration;
    hinge[i].slide = FN(tmul)(&frame[i].rotation, lift);
    if (slides)
      hinge[i].slide = FN(add)(hinge[i].slide, FN(scale)(FN(splat)(2), gyration));
    else
      w.z += speed;
    hinge[i].w = w;
  }
}

/* The joint gives way: what it takes of its body, which becomes what inboard links feel. Returns
 * the pivot, which is how much of M + rotor the joint keeps. */
INLINE Real FN(articulated_free)(ArmJointType type, Real rotor, Real tau, Articulated *body,
                                 Hinge *hinge) {
  const bool slides = type == ARM_JOINT_T;
  const Real *angular = body->angular, *linear = body->linear;
  const M3 *m = &body->mixed;
  const V3 un = slides ? (V3){m->x.z, m->y.z, m->z.z} : (V3){angular[3], angular[4], angular[5]};
  const V3 uf = slides ? (V3){linear[3], linear[4], linear[5]} : m->z;
  const Real pivot = (slides ? uf.z : un.z) + rotor;
  const V3 kn = FN(scale)(1 / pivot, un), kf = FN(scale)(1 / pivot, uf);
  const Real left = tau - (slides ? body->f.z : body->n.z);
  hinge->un = kn;
  hinge->uf = kf;
  hinge->drive = left / pivot;
  body->mixed.x = (V3){m->x.x - kn.x * uf.x, m->x.y - kn.x * uf.y, m->x.z - kn.x * uf.z};
  body->mixed.y = (V3){m->y.x - kn.y * uf.x, m->y.y - kn.y * uf.y, m->y.z - kn.y * uf.z};
  body->mixed.z = (V3){m->z.x - kn.z * uf.x, m->z.y - kn.z * uf.y, m->z.z - kn.z * uf.z};
  const Real turn[6] = {kn.x * un.x, kn.x * un.y, kn.y * un.y,
                        kn.x * un.z, kn.y * un.z, kn.z * un.z};
  const Real move[6] = {kf.x * uf.x, kf.x * uf.y, kf.y * uf.y,
                        kf.x * uf.z, kf.y * uf.z, kf.z * uf.z};
  for (size_t k = 0; k < 6; k++) {
    body->angular[k] -= turn[k];
    body->linear[k] -= move[k];
  }
  const V3 c = hinge->turn, a = hinge->slide;
  body->n = FN(add)(FN(add)(body->n, FN(symmetric_mul)(body->angular, c)),
                    FN(mul_add)(&body->mixed, a, FN(scale)(left, kn)));
  body->f = FN(add)(FN(add)(body->f, FN(symmetric_mul)(body->linear, a)),
                    FN(add)(FN(tmul)(&body->mixed, c), FN(scale)(left, kf)));
  return pivot;
}

/* inner += outer, seen from the frame before, whose origin is s further in:
 *   mixed' = mixed + [s x] linear      angular' = angular + [s x] mixed^T - mixed' [s x] */
INLINE void FN(articulated_join)(const Frame *frame, const Articulated *outer, Articulated *inner) {
  const M3 *r = &frame->rotation, *m = &outer->mixed;
  const V3 s = frame->origin;
  Real angular[6], linear[6];
  FN(symmetric_inward)(r, outer->angular, angular);
  FN(symmetric_inward)(r, outer->linear, linear);
  const M3 half = {FN(tmul)(m, r->x), FN(tmul)(m, r->y), FN(tmul)(m, r->z)}; /* R mixed */
  const V3 x = FN(mul)(r, half.x), y = FN(mul)(r, half.y), z = FN(mul)(r, half.z);
  const M3 moved = {
      {x.x + s.y * linear[3] - s.z * linear[1], x.y + s.y * linear[4] - s.z * linear[2],
       x.z + s.y * linear[5] - s.z * linear[4]},
      {y.x + s.z * linear[0] - s.x * linear[3], y.y + s.z * linear[1] - s.x * linear[4],
       y.z + s.z * linear[3] - s.x * linear[5]},
      {z.x + s.x * linear[1] - s.y * linear[0], z.y + s.x * linear[2] - s.y * linear[1],
       z.z + s.x * linear[4] - s.y * linear[3]}};
  for (size_t k = 0; k < 6; k++) {
    inner->angular[k] += angular[k];
    inner->linear[k] += linear[k];
  }
  /* row i of - mixed' [s x] = s x (row i of mixed'), column j of [s x] mixed^T = s x (row j) */
  const V3 mx = FN(cross)(s, moved.x), my = FN(cross)(s, moved.y), mz = FN(cross)(s, moved.z);
  const V3 sx = FN(cross)(s, x), sy = FN(cross)(s, y), sz = FN(cross)(s, z);
  inner->angular[0] += mx.x + sx.x;
  inner->angular[1] += mx.y + sy.x;
  inner->angular[2] += my.y + sy.y;
  inner->angular[3] += mx.z + sz.x;
  inner->angular[4] += my.z + sz.y;
  inner->angular[5] += mz.z + sz.z;
  inner->mixed = (M3){FN(add)(inner->mixed.x, moved.x), FN(add)(inner->mixed.y, moved.y),
                      FN(add)(inner->mixed.z, moved.z)};
  const V3 force = FN(mul)(r, outer->f);
  inner->f = FN(add)(inner->f, force);
  inner->n = FN(mul_add)(r, outer->n, FN(cross_add)(s, force, inner->n));
}

/* From the tip to the base. solved: cleared where a pivot keeps too little of the inertia that the
 * rigid arm outboard has about that joint, M_ii + rotor. */
INLINE void FN(articulated_inward)(const ArmDyn *dyn, const double *pi, const double *rotor,
                                   const Frame *frame, size_t ld, const double *tau, Hinge *hinge,
                                   bool solved[LANES]) {
  const size_t n = dyn->n;
  Articulated body = FN(articulated_of)(pi + P * (n - 1), hinge[n - 1].w);
  Body rigid = FN(body_of)(pi + P * (n - 1));
  (void)ld;
  for (size_t i = n; i-- > 0;) {
    const ArmJointType type = dyn->joints[i].type;
    const Real own = FN(splat)(rotor ? rotor[i + n * i] : 0);
    const Real pivot = FN(articulated_free)(type, own, FN(load)(tau + i * LD), &body, &hinge[i]);
    const Real whole = (type == ARM_JOINT_T ? rigid.m : rigid.zz) + own;
    for (int lane = 0; lane < LANES; lane++)
      if (!(FN(lane)(pivot, lane) > least_pivot * FN(lane)(whole, lane)))
        solved[lane] = false;
    if (i == 0)
      break;
    Articulated inner = FN(articulated_of)(pi + P * (i - 1), hinge[i - 1].w);
    Body inner_rigid = FN(body_of)(pi + P * (i - 1));
    FN(articulated_join)(&frame[i], &body, &inner);
    FN(body_join)(&frame[i], &rigid, &inner_rigid);
    body = inner;
    rigid = inner_rigid;
  }
}

INLINE void FN(articulated_outward)(const ArmDyn *dyn, const Frame *frame, const Hinge *hinge,
                                    Real *qdd) {
  const V3 zero = {(Real){0}, (Real){0}, (Real){0}};
  V3 dw = zero, a = FN(scale)(FN(splat)(-1), FN(splat3)(dyn->gravity));
  for (size_t i = 0; i < dyn->n; i++) {
    const Hinge *own = &hinge[i];
    a = FN(add)(FN(tmul)(&frame[i].rotation, FN(cross_add)(dw, frame[i].origin, a)), own->slide);
    dw = FN(add)(FN(tmul)(&frame[i].rotation, dw), own->turn);
    qdd[i] = own->drive - FN(dot)(own->un, dw) - FN(dot)(own->uf, a);
    if (dyn->joints[i].type == ARM_JOINT_T)
      a.z += qdd[i];
    else
      dw.z += qdd[i];
  }
}

TARGET static bool FN(articulated)(const ArmDyn *dyn, const double *pi, const double *rotor,
                                   size_t ld, const double *q, const double *qd, const double *tau,
                                   double *qdd) {
  Frame frame[ARM_MAX_JOINTS];
  Hinge hinge[ARM_MAX_JOINTS];
  Real result[ARM_MAX_JOINTS];
  bool solved[LANES];
  for (int lane = 0; lane < LANES; lane++)
    solved[lane] = true;
  FN(pose)(dyn, ld, q, frame);
  FN(articulated_turn)(dyn, frame, ld, qd, hinge);
  FN(articulated_inward)(dyn, pi, rotor, frame, ld, tau, hinge, solved);
  FN(articulated_outward)(dyn, frame, hinge, result);
  return FN(store_solved)(dyn->n, ld, solved, result, qdd);
}

#undef Articulated
#undef Hinge
#undef Body
