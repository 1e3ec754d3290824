/* SPDX-License-Identifier: MIT */
/* The likelihood of identify.h as a least-squares problem over triangles.
 *
 *   unknowns  beta (count), then of each joint its own columns and kappa (arm_dynamics_place)
 *   rows      of each joint its triangle over sigma_j, then one of each joint's prior on kappa
 */
#ifndef ARMATURE_CORE_DYNAMICS_IDENTIFY_PROBLEM_H
#define ARMATURE_CORE_DYNAMICS_IDENTIFY_PROBLEM_H

#include "core/dynamics/identify_internal.h"
#include "core/num/lsq.h"

enum { ARM_DYN_OF_JOINT = ARM_DYN_OWN + 1 }; /* unknowns of a joint */

/* No parameter is so large that a column as long as its joint's longest would draw more than this
 * times what the joint draws. Of links and rotors that move a joint it is about 1, of links whose
 * gravity and inertia act against each other a few. */
#define ARM_DYN_MOST_EFFORT 3.0

typedef struct {
  int sign;
  double centre, sd; /* prior on kappa; sd 0: kappa is fixed at x */
  bool has_rows;
} ArmDynKappa;

typedef struct {
  size_t n, count, unknowns, rows;
  const ArmDynTriangle *triangle;
  ArmDynKappa kappa[ARM_MAX_JOINTS];
  double weight[ARM_MAX_JOINTS]; /* 1 / sigma_j */
  size_t row[ARM_MAX_JOINTS];    /* first row of each joint; of the priors: rows - n */
  double *x;                     /* unknowns */
  double cost;                   /* at x */
  size_t most_trials;            /* of a refinement */
  size_t iterations;
  bool has_converged;
  /* scratch */
  double *jacobian, *residual; /* rows x unknowns, rows; at x */
  double *trial, *step;        /* unknowns */
  double *tau;                 /* 2 unknowns   of two factorisations */
  double *stack, *right;       /* (rows + unknowns) x unknowns, rows + unknowns */
  double *small;               /* 2 unknowns x unknowns */
  size_t *column;              /* unknowns   which ones are estimated */
  int *pivot;                  /* unknowns   lapack_int */
  ArmSvdWork *svd;
  size_t lapack_size;
  double *lapack; /* lapack_size */
} ArmDynProblem;

/* Unknown of a joint: `local` as in arm_dynamics_place. */
size_t arm_dyn_unknown(size_t count, size_t joint, size_t local);

/* Room for a problem; triangles are not copied. Weights 1, x 0. Free with arm_dyn_problem_clear. */
ARM_MUST_CHECK ArmStatus arm_dyn_problem_init(ArmDynProblem *problem, size_t n, size_t count,
                                              const ArmDynTriangle *triangle);
void arm_dyn_problem_clear(ArmDynProblem *problem);

/* Rows of one joint, not weighed, at x: model less effort, and its derivatives.
 *   r         width x width            a triangle of rows, or of sums of rows
 *   residual  width
 *   jacobian  width x (width)          [own | base | kappa] column-major; NULL: not wanted */
void arm_dyn_problem_rows(const ArmDynProblem *problem, size_t joint, const double *r,
                          const double *x, double *residual, double *jacobian);

/* Unknown of column c of these rows. */
size_t arm_dyn_problem_place(const ArmDynProblem *problem, size_t joint, size_t c);

/* Sum over the rows of jacobian C jacobian^T, of what is estimated.
 *   jacobian    width x width, as above
 *   covariance  unknowns x unknowns */
double arm_dyn_problem_leverage(const ArmDynProblem *problem, size_t joint, const double *jacobian,
                                const double *covariance);

/* Is unknown u estimated? Local terms of the arm that the joint has, kappa that are not fixed. */
bool arm_dyn_problem_estimates(const ArmDynProblem *problem, size_t u);

/* Columns of some unknowns, of rows in units of their noise. */
typedef struct {
  size_t rows, columns;
  const size_t *unknown; /* columns */
  const double *a;       /* rows x columns */
} ArmDynColumns;

/* The most that each of them can be, and the least singular value, over the largest, of what is
 * seen in these units: a direction in which noise leaves more open than that is not.
 *   unit  columns  out, > 0 */
double arm_dyn_problem_units(const ArmDynProblem *problem, const ArmDynColumns *columns,
                             double *unit);

/* Share of an unknown in directions that are not seen; 0 where what these may be adds little to its
 * sd. */
double arm_dyn_hidden_share(double share, double unit, double sd);

/* Jacobian and residual at x. */
void arm_dyn_problem_linearise(ArmDynProblem *problem);

/* Everything but kappa for the kappa in x: linear least squares of minimum norm. */
ARM_MUST_CHECK ArmStatus arm_dyn_problem_start(ArmDynProblem *problem);

/* The same without what is not seen (arm_dyn_problem_units): a search may have gone along it. */
ARM_MUST_CHECK ArmStatus arm_dyn_problem_settle(ArmDynProblem *problem);

/* Levenberg-Marquardt from x; iterations are added up. */
ARM_MUST_CHECK ArmStatus arm_dyn_problem_refine(ArmDynProblem *problem);

/* Inverse Hessian at x, 0 of what is not estimated.
 *   covariance  unknowns x unknowns
 *   null_share  unknowns   as arm_svd_solve; 1 of what is not estimated */
ARM_MUST_CHECK ArmStatus arm_dyn_problem_covariance(ArmDynProblem *problem, double *covariance,
                                                    double *null_share);

#endif
