/* SPDX-License-Identifier: MIT */
/* Rigid-body dynamics of the arm's links: one sample or many, R and T joints, any placement.
 *
 *   tau = M(q) qdd + h(q, qd) = Y(q, qd, qdd) pi  actuator torque or force: + holds against gravity
 *   p   = M(q) qd = Yp(q, qd) pi                  momentum
 *   tau = d/dt p - Ye(q, qd) pi                   Ye pi = d(K - U)/dq
 *   K   = k(q, qd) pi,  U = u(q) pi               kinetic and potential energy (0 at the base)
 *
 * Links and gravity only: no friction, no coupling; rotors only where arm_dyn_rotor is named.
 * pi is n times the ten parameters of core/arm/inertia.h. Inverse dynamics is Newton-Euler about
 * the link origins (Luh, Walker and Paul 1980; the parameters enter linearly); the regressor pushes
 * the screw of every joint outward and meets each link's 6 x 10 block there, O(n^2); the mass
 * matrix is that of composite bodies (Walker and Orin 1982; Lin, J. Robotic Systems 9(4) 1992,
 * section 2); forward dynamics solves it, of long arms by articulated bodies in O(n)
 * (Featherstone, Int. J. Robotics Research 2(1) 1983).
 *
 * Arrays are column-major with the samples first, `samples` being their leading dimension:
 *   q qd qdd tau   samples x n         value of joint i at [i * samples + s]
 *   Y Yp Ye        samples x 10n x n   row of joint i, parameter c at [(10n i + c) samples + s]
 *   M              samples x n x n
 *   k u            samples x 10n
 * so that one sample's row of joint i is Y[10n i .. 10n i + 10n - 1], and all samples' rows of
 * joint i are a column-major samples x 10n matrix. qd and qdd may be NULL: zero. Outputs must not
 * alias inputs or each other. What is not finite in a sample makes that sample's outputs so,
 * silently.
 *
 * One sample takes the path with the least latency, many take one sample per SIMD lane; both come
 * from one source and agree within rounding. A batch writes one line per value and vector: arrays
 * that begin at a multiple of 64 bytes, in blocks of arm_dyn_block samples, are written fastest; a
 * power of two of samples, or arrays that begin anywhere, cost up to half more. Nothing allocates;
 * up to 100 kB of stack are used.
 * Thread rule: an ArmDyn is constant after arm_dyn_init, any number of threads may share it.
 */
#ifndef ARMATURE_CORE_DYN_H
#define ARMATURE_CORE_DYN_H

#include "core/arm/inertia.h"
#include "core/arm/model.h"

typedef struct {
  ArmJointType type;
  double rotation[9], translation[3], offset; /* as in ArmJoint */
} ArmDynJoint;

struct ArmDynKernel;

/* The geometry alone, packed for speed. Plain data, no ownership: copy by assignment. */
typedef struct {
  size_t n;
  double gravity[3];
  ArmDynJoint joints[ARM_MAX_JOINTS];
  double turns[ARM_MAX_JOINTS], angle[ARM_MAX_JOINTS]; /* R: 1, offset; T: 0, 0 */
  const struct ArmDynKernel *one, *many;               /* for this processor */
} ArmDyn;

/* ARM_E_ARGUMENT: n is 0 or above ARM_MAX_JOINTS. ARM_E_NOT_FINITE: a placement, an offset or
 * gravity is not finite. dyn is then untouched. */
ARM_MUST_CHECK ArmStatus arm_dyn_init(ArmDyn *dyn, const ArmModel *model);

/* For tests: at most `lanes` doubles per vector, 2 (nothing beyond the base instruction set), 4 or
 * 8 (no limit). Returns the lanes that batches now use. */
int arm_dyn_limit_lanes(ArmDyn *dyn, int lanes);

/* ---- one sample ---- */

/* Inverse dynamics. */
void arm_dyn_torque(const ArmDyn *dyn, const double *pi, const double *q, const double *qd,
                    const double *qdd, double *tau);

/* The same at rest: what holds the arm. */
void arm_dyn_gravity(const ArmDyn *dyn, const double *pi, const double *q, double *tau);

/* Y, structural zeros (links inboard of the joint) included. */
void arm_dyn_regressor(const ArmDyn *dyn, const double *q, const double *qd, const double *qdd,
                       double *y);

/* Yp and Ye: a regressor without accelerations. */
void arm_dyn_momentum(const ArmDyn *dyn, const double *q, const double *qd, double *yp, double *ye);

/* The rows k and u of the kinetic and the potential energy. */
void arm_dyn_energy(const ArmDyn *dyn, const double *q, const double *qd, double *k, double *u);

/* M, both triangles. */
void arm_dyn_mass(const ArmDyn *dyn, const double *pi, const double *q, double *m);

/* Forward dynamics: qdd = (M + rotor)^-1 (tau - h).
 *   rotor  n x n   symmetric, added to M; NULL = none
 * ARM_E_NUMERIC: M + rotor is not positive definite to working precision (massless links, or
 * parameters no body has), or a number is not finite; qdd is untouched. */
ARM_MUST_CHECK ArmStatus arm_dyn_forward(const ArmDyn *dyn, const double *pi, const double *rotor,
                                         const double *q, const double *qd, const double *tau,
                                         double *qdd);

/* ---- many samples ---- */

/* Samples of a block whose regressor (80 n^2 bytes each) stays in the second-level cache: 8 times
 * an odd number, so that columns do not meet in one set of it; at most 40, beyond which it takes
 * some 4 % longer. Of 32 joints 8, where 248 are slower than one by one. */
size_t arm_dyn_block(size_t n);

void arm_dyn_torque_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                          const double *qd, const double *qdd, double *tau);
void arm_dyn_gravity_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                           double *tau);
void arm_dyn_regressor_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                             const double *qdd, double *y);
/* The same, but structural zeros are left as they were: for who clears its array once, or never
 * reads them. They are half of Y, and a sixth of its time at n = 6. */
void arm_dyn_regressor_outboard_batch(const ArmDyn *dyn, size_t samples, const double *q,
                                      const double *qd, const double *qdd, double *y);
/* The gradient of sum over i, c of bar_ic Y_ic, each sample by itself: the transposed Jacobian of
 * the regressor times bar, in one sweep back over the chain.
 *   bar                   samples x 10n x n  as Y; links inboard of the joint are not read
 *   q_bar qd_bar qdd_bar  samples x n */
void arm_dyn_regressor_gradient_batch(const ArmDyn *dyn, size_t samples, const double *q,
                                      const double *qd, const double *qdd, const double *bar,
                                      double *q_bar, double *qd_bar, double *qdd_bar);
void arm_dyn_momentum_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                            double *yp, double *ye);
void arm_dyn_energy_batch(const ArmDyn *dyn, size_t samples, const double *q, const double *qd,
                          double *k, double *u);
/* The gradient of sum over c of bar_c (k_c + u_c), each sample by itself: the transposed Jacobian
 * of the energy's row times bar, in one sweep back over the chain.
 *   bar           samples x 10n
 *   q_bar qd_bar  samples x n */
void arm_dyn_energy_gradient_batch(const ArmDyn *dyn, size_t samples, const double *q,
                                   const double *qd, const double *bar, double *q_bar,
                                   double *qd_bar);
void arm_dyn_mass_batch(const ArmDyn *dyn, const double *pi, size_t samples, const double *q,
                        double *m);

/* ARM_E_NUMERIC: as above for some samples; their qdd is NAN, that of the other ones is good. */
ARM_MUST_CHECK ArmStatus arm_dyn_forward_batch(const ArmDyn *dyn, const double *pi,
                                               const double *rotor, size_t samples, const double *q,
                                               const double *qd, const double *tau, double *qdd);

/* ---- rotors ---- */

/* Rotor inertia seen by the joints: (I+L)^T diag(sum over motors of G^2 Jm) (I+L), Lin 1994
 * (38)-(40) for the coupling L; gyroscopic effects of the rotors are neglected.
 *   rotor  n x n   [kg m^2, kg m, kg], column-major
 * An unknown rotor inertia or gear ratio counts as 0. Returns how many joints have one. */
size_t arm_dyn_rotor(const ArmModel *model, double *rotor);
/* That of a joint's own drive: the sum over its motors of G^2 Jm; 0: not known. */
double arm_dyn_rotor_of(const ArmJoint *joint);

#endif
