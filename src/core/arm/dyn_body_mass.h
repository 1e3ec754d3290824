/* SPDX-License-Identifier: MIT */
/* Part of dyn_kernel_body.h: mass matrix of composite bodies, and forward dynamics by L D L^T.
 *
 * Moving joint i alone at unit speed gives the composite body outboard of it the momentum
 *   R: p = z x h, l = I z        T: p = m z, l = h x z      about the origin of frame i,
 * whose component along the axis of joint j <= i is M_ji. */

typedef struct {
  Real m;
  V3 h;
  Real xx, xy, yy, xz, yz, zz;
} FN(Body);
#define Body FN(Body)

INLINE Body FN(body_of)(const double *pi) {
  return (Body){.m = FN(splat)(pi[0]),
                .h = FN(splat3)(pi + 1),
                .xx = FN(splat)(pi[4]),
                .xy = FN(splat)(pi[5]),
                .yy = FN(splat)(pi[6]),
                .xz = FN(splat)(pi[7]),
                .yz = FN(splat)(pi[8]),
                .zz = FN(splat)(pi[9])};
}

/* inner += outer, seen from the frame before: I' = R I R^T - [s x][Rh x] - [Rh x][s x] - m [s x]^2
 */
INLINE void FN(body_join)(const Frame *frame, const Body *outer, Body *inner) {
  const M3 *r = &frame->rotation;
  const M3 tensor = {{outer->xx, outer->xy, outer->xz},
                     {outer->xy, outer->yy, outer->yz},
                     {outer->xz, outer->yz, outer->zz}};
  const V3 x = FN(mul)(&tensor, r->x), y = FN(mul)(&tensor, r->y), z = FN(mul)(&tensor, r->z);
  const V3 s = frame->origin, h = FN(mul)(r, outer->h);
  const V3 ms = FN(scale)(outer->m, s);
  const V3 k = FN(add)(h, ms);                    /* - [s x][h x] - [h x][s x] - m [s x]^2 = */
  const Real sum = FN(dot)(s, h) + FN(dot)(s, k); /* (s.h + s.k) 1 - s k^T - h s^T           */
  inner->m += outer->m;
  inner->h = FN(add)(inner->h, k);
  inner->xx += FN(dot)(r->x, x) + sum - s.x * k.x - h.x * s.x;
  inner->yy += FN(dot)(r->y, y) + sum - s.y * k.y - h.y * s.y;
  inner->zz += FN(dot)(r->z, z) + sum - s.z * k.z - h.z * s.z;
  inner->xy += FN(dot)(r->x, y) - s.x * k.y - h.x * s.y;
  inner->xz += FN(dot)(r->x, z) - s.x * k.z - h.x * s.z;
  inner->yz += FN(dot)(r->y, z) - s.y * k.z - h.y * s.z;
}

/* m: packed lower triangle */
INLINE void FN(composite)(const ArmDyn *dyn, const double *pi, const Frame *frame, Real *m) {
  const Real zero = (Real){0};
  Body body = FN(body_of)(pi + P * (dyn->n - 1));
  for (size_t i = dyn->n; i-- > 0;) {
    const bool slides = dyn->joints[i].type == ARM_JOINT_T;
    V3 p = slides ? (V3){zero, zero, body.m} : (V3){-body.h.y, body.h.x, zero};
    V3 l = slides ? (V3){body.h.y, -body.h.x, zero} : (V3){body.xz, body.yz, body.zz};
    m[packed(i, i)] = slides ? p.z : l.z;
    for (size_t j = i; j > 0; j--) {
      p = FN(mul)(&frame[j].rotation, p);
      l = FN(cross_add)(frame[j].origin, p, FN(mul)(&frame[j].rotation, l));
      m[packed(i, j - 1)] = dyn->joints[j - 1].type == ARM_JOINT_T ? p.z : l.z;
    }
    if (i == 0)
      break;
    Body inner = FN(body_of)(pi + P * (i - 1));
    FN(body_join)(&frame[i], &body, &inner);
    body = inner;
  }
}

TARGET static void FN(mass)(const ArmDyn *dyn, const double *pi, size_t ld, const double *q,
                            double *m) {
  Frame frame[ARM_MAX_JOINTS];
  Real lower[MAX_PACKED];
  FN(pose)(dyn, ld, q, frame);
  FN(composite)(dyn, pi, frame, lower);
  for (size_t i = 0; i < dyn->n; i++)
    for (size_t j = 0; j <= i; j++) {
      FN(store)(m + (i + dyn->n * j) * LD, lower[packed(i, j)]);
      FN(store)(m + (j + dyn->n * i) * LD, lower[packed(i, j)]);
    }
}

/* Solves m x = b in place of b by m = L D L^T; m is destroyed. solved: untouched where m is
 * positive definite to working precision, else cleared. */
INLINE void FN(solve)(size_t n, Real *m, Real *b, bool solved[LANES]) {
  for (size_t j = 0; j < n; j++) {
    Real *pivot = &m[packed(j, j)];
    const Real before = *pivot;
    for (size_t k = 0; k < j; k++) { /* row j becomes that of L; its products with D go first */
      const Real product = m[packed(j, k)];
      m[packed(j, k)] = product / m[packed(k, k)];
      *pivot -= product * m[packed(j, k)];
    }
    for (int lane = 0; lane < LANES; lane++)
      if (!(FN(lane)(*pivot, lane) > least_pivot * FN(lane)(before, lane)))
        solved[lane] = false;
    for (size_t i = j + 1; i < n; i++)
      for (size_t k = 0; k < j; k++)
        m[packed(i, j)] -= m[packed(i, k)] * m[packed(j, k)];
    for (size_t k = 0; k < j; k++)
      b[j] -= m[packed(j, k)] * b[k];
  }
  for (size_t j = 0; j < n; j++)
    b[j] /= m[packed(j, j)];
  for (size_t j = n; j-- > 0;)
    for (size_t i = j + 1; i < n; i++)
      b[j] -= m[packed(i, j)] * b[i];
}

/* NAN for samples that are not solved or not finite; returns whether there are none. */
INLINE bool FN(store_solved)(size_t n, size_t ld, const bool solved[LANES], Real *b, double *qdd) {
  bool all = true;
  (void)ld;
  for (int lane = 0; lane < LANES; lane++) {
    bool is_good = solved[lane];
    for (size_t i = 0; i < n; i++)
      is_good = is_good && isfinite(FN(lane)(b[i], lane));
    for (size_t i = 0; i < n && !is_good; i++)
      FN(set_lane)(&b[i], lane, (double)NAN);
    all = all && is_good;
  }
  for (size_t i = 0; i < n; i++)
    FN(store)(qdd + i * LD, b[i]);
  return all;
}

TARGET static bool FN(forward)(const ArmDyn *dyn, const double *pi, const double *rotor, size_t ld,
                               const double *q, const double *qd, const double *tau, double *qdd) {
  Frame frame[ARM_MAX_JOINTS];
  Real m[MAX_PACKED], b[ARM_MAX_JOINTS];
  bool solved[LANES];
  for (int lane = 0; lane < LANES; lane++)
    solved[lane] = true;
  FN(pose)(dyn, ld, q, frame);
  FN(composite)(dyn, pi, frame, m);
  FN(inverse)(dyn, pi, frame, ld, qd, NULL, b);
  for (size_t i = 0; i < dyn->n; i++) {
    b[i] = FN(load)(tau + i * LD) - b[i];
    for (size_t j = 0; rotor && j <= i; j++)
      m[packed(i, j)] += rotor[i + dyn->n * j];
  }
  FN(solve)(dyn->n, m, b, solved);
  return FN(store_solved)(dyn->n, ld, solved, b, qdd);
}
