/* SPDX-License-Identifier: MIT */
/* How well data alone tell the ratios of torque constants: what kappa adds to the model beyond beta
 * and the drives' own terms, with no prior and whatever the scale. */
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/dynamics/identify_work.h"

/* Information that joints have at least, or every sd would be infinite: sd of log 10. It is raised
 * to rounding where currents have no noise. */
#define LEAST_INFORMATION 0.01
#define ROUNDING          1e-13
#define RCOND             1e-10 /* as in the problem */

typedef struct {
  size_t rows, m; /* of the data; joints whose kappa counts */
  size_t joint[ARM_MAX_JOINTS];
  double *left; /* rows x m   kappa's columns less the span of the others */
  double s[ARM_MAX_JOINTS * ARM_MAX_JOINTS]; /* m x m */
} Ratios;

static ArmStatus project(const ArmDynWork *work, Ratios *ratios) {
  const ArmDynProblem *p = &work->problem;
  ArmBasis basis;
  ArmStatus status = arm_basis_init(&basis, ratios->rows, p->unknowns);
  if (status != ARM_OK)
    return status;
  double *v = calloc(ratios->rows + p->unknowns + 1, sizeof *v);
  if (!v) {
    arm_basis_clear(&basis);
    return ARM_E_MEMORY;
  }
  for (size_t u = 0; u < p->unknowns; u++) {
    const bool is_kappa = u >= work->count && (u - work->count) % ARM_DYN_OF_JOINT == ARM_DYN_OWN;
    if (is_kappa || !arm_dyn_problem_estimates(p, u))
      continue;
    memcpy(v, p->jacobian + u * p->rows, ratios->rows * sizeof *v);
    (void)arm_basis_add(&basis, v, RCOND);
  }
  for (size_t k = 0; k < ratios->m; k++) {
    double *left = ratios->left + k * ratios->rows;
    memcpy(left,
           p->jacobian + arm_dyn_unknown(work->count, ratios->joint[k], ARM_DYN_OWN) * p->rows,
           ratios->rows * sizeof *left);
    arm_basis_project(&basis, left, v);
  }
  free(v);
  arm_basis_clear(&basis);
  return ARM_OK;
}

static bool has_torque(const ArmDynWork *work, int structure) {
  for (size_t j = 0; j < work->n; j++)
    if (work->groups.structure[j] == structure && work->joint[j].is_torque)
      return true;
  return false;
}

/* The information, with something for the scale of each group that no torque gives: no ratio hangs
 * on it. */
static void gather_information(const ArmDynWork *work, Ratios *ratios) {
  const size_t m = ratios->m;
  double trace = 0;
  for (size_t a = 0; a < m; a++)
    for (size_t b = 0; b < m; b++) {
      double sum = 0;
      for (size_t i = 0; i < ratios->rows; i++)
        sum += ratios->left[i + a * ratios->rows] * ratios->left[i + b * ratios->rows];
      ratios->s[a + b * m] = sum;
      trace += a == b ? sum : 0;
    }
  for (size_t a = 0; a < m; a++)
    for (size_t b = 0; b < m; b++) {
      const int structure = work->groups.structure[ratios->joint[a]];
      if (structure == work->groups.structure[ratios->joint[b]] && !has_torque(work, structure))
        ratios->s[a + b * m] += fmax(trace / (double)m, 1);
      if (a == b)
        ratios->s[a + b * m] += fmax(LEAST_INFORMATION, ROUNDING * trace);
    }
}

static ArmStatus invert(Ratios *ratios) {
  const lapack_int m = (lapack_int)ratios->m;
  if (m == 0)
    return ARM_OK;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', m, ratios->s, m) ||
      LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', m, ratios->s, m))
    return ARM_E_NUMERIC;
  return ARM_OK;
}

/* Variance between two places of the list; m: a torque, which is exact. */
static double variance(const Ratios *ratios, size_t a, size_t b) {
  const size_t m = ratios->m;
  const double of_a = a < m ? ratios->s[a + a * m] : 0, of_b = b < m ? ratios->s[b + b * m] : 0;
  const double both = a < m && b < m ? ratios->s[(a > b ? a : b) + (a > b ? b : a) * m] : 0;
  return fmax(of_a + of_b - 2 * both, 0);
}

static size_t place_of(const Ratios *ratios, size_t joint) {
  size_t k = 0;
  while (k < ratios->m && ratios->joint[k] != joint)
    k++;
  return k;
}

static void tell(ArmDynWork *work, const Ratios *ratios) {
  for (size_t i = 0; i < work->n; i++)
    for (size_t j = 0; j < work->n; j++) {
      const bool is_joined = work->groups.structure[i] == work->groups.structure[j] &&
                             work->triangle[i].rows > 0 && work->triangle[j].rows > 0;
      const bool are_torques = work->joint[i].is_torque && work->joint[j].is_torque;
      work->ratio_sd[i][j] = (double)INFINITY;
      if (i == j || are_torques)
        work->ratio_sd[i][j] = 0;
      else if (is_joined)
        work->ratio_sd[i][j] = sqrt(variance(ratios, place_of(ratios, i), place_of(ratios, j)));
    }
}

ArmStatus arm_dyn_ratios_find(ArmDynWork *work) {
  Ratios *ratios = calloc(1, sizeof *ratios);
  if (!ratios)
    return ARM_E_MEMORY;
  ratios->rows = work->problem.rows - work->n;
  for (size_t j = 0; j < work->n; j++)
    if (work->triangle[j].rows > 0 && !work->joint[j].is_torque)
      ratios->joint[ratios->m++] = j;
  ratios->left = calloc(ratios->rows * ratios->m + 1, sizeof *ratios->left);
  arm_dyn_problem_linearise(&work->problem);
  ArmStatus status = ratios->left ? project(work, ratios) : ARM_E_MEMORY;
  if (status == ARM_OK) {
    gather_information(work, ratios);
    status = invert(ratios);
  }
  if (status == ARM_OK)
    tell(work, ratios);
  free(ratios->left);
  free(ratios);
  return status;
}
