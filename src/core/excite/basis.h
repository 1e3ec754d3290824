/* SPDX-License-Identifier: MIT */
/* Periodic motions that are linear in their coefficients: Fourier series and quintic B-splines.
 *
 *   q = B C,  qd = B1 C,  qdd = B2 C       rows: times, columns of C: joints
 *
 * Fourier with Nh harmonics of w = 2 pi / T (Swevers et al., IEEE Trans. Robotics and Automation
 * 13(5) 1997): K = 2 Nh + 1 functions 1; sin(k w t)/k, -cos(k w t)/k for k = 1..Nh, in this order.
 * Spline with K knots, h = T/K: function k is the sum of the quintic N5(t/h - i + 5) over all i
 * that are k modulo K, where N5 is the cardinal B-spline on [0, 6]; the functions add up to 1.
 * Zero speed and acceleration at t = 0 and T: C = Z Y, with the columns of Z orthonormal and
 * spanning the null space of the rows B1(0) and B2(0). Source: theory notes of exciting
 * trajectories, 7.2.
 *
 * Matrices are column-major. Thread rule: re-entrant, no state, nothing allocates.
 */
#ifndef ARMATURE_CORE_EXCITE_BASIS_H
#define ARMATURE_CORE_EXCITE_BASIS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/status.h"

typedef enum { ARM_BASIS_FOURIER = 0, ARM_BASIS_SPLINE } ArmBasisKind;

enum { ARM_BASIS_MAX_FUNCTIONS = 256, ARM_BASIS_MIN_KNOTS = 6, ARM_BASIS_DERIVATIVES = 4 };

typedef struct {
  ArmBasisKind kind;
  size_t order;    /* Fourier: harmonics Nh >= 1; spline: knots K >= ARM_BASIS_MIN_KNOTS */
  double period_s; /* T */
  bool is_at_rest; /* speed and acceleration are 0 where the period begins and ends */
} ArmBasis;

/* ARM_E_ARGUMENT: an unknown kind, an order outside its range, or more than
 * ARM_BASIS_MAX_FUNCTIONS functions. ARM_E_NOT_FINITE: the period is not a finite number > 0.
 * All below is for a basis that passes. */
ARM_MUST_CHECK ArmStatus arm_basis_check(const ArmBasis *basis);

/* K, and how many of them remain free of each joint (K, or K - 2 at rest). */
size_t arm_basis_functions(const ArmBasis *basis);
size_t arm_basis_free(const ArmBasis *basis);

/* All functions at one time.
 *   derivative  0..3  of the motion: position, speed, acceleration, jerk
 *   t           s, any: the motion is periodic
 *   row         K */
void arm_basis_row(const ArmBasis *basis, unsigned derivative, double t, double *row);

/* Z. Without is_at_rest the identity.
 *   z  K x free */
void arm_basis_null_space(const ArmBasis *basis, double *z);

/* The rows of the free variables, B Z, at `samples` times t0, t0 + dt, ...
 *   z     K x free, of arm_basis_null_space
 *   rows  samples x free */
void arm_basis_rows(const ArmBasis *basis, const double *z, unsigned derivative, size_t samples,
                    double t0, double dt, double *rows);

/* c = Z y and y = Z' c (the nearest one that is at rest).
 *   z  K x free
 *   y  free x n
 *   c  K x n */
void arm_basis_expand(const ArmBasis *basis, const double *z, size_t n, const double *y, double *c);
void arm_basis_reduce(const ArmBasis *basis, const double *z, size_t n, const double *c, double *y);

/* The motion at one time.
 *   c          K x n
 *   q qd qdd   n   qd and qdd may be NULL */
void arm_basis_motion(const ArmBasis *basis, size_t n, const double *c, double t, double *q,
                      double *qd, double *qdd);

/* c <- middle + (c - middle) / factor for one joint: the motion about `middle`, smaller. Rest ends
 * stay at rest.
 *   c  K */
void arm_basis_shrink(const ArmBasis *basis, double middle, double factor, double *c);

#endif
